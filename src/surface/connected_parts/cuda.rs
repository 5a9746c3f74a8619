//! Connected components of a surface on a GPU. The counterpart of [`Parts`](super::Parts).
//!
//! The kernels are in `kernels/surface/parts.cu`.

mod kernel_arguments;

use self::kernel_arguments::Part;
use super::Extent;
use crate::error::Result;
use crate::gpu::primitives::exclusive_scan;
use crate::gpu::{Arguments, Array, Cuda, Launch, Unit};
use crate::surface::DeviceSurface;

/// Threads per block.
const BLOCK: u32 = 256;
/// Fixed-point units per cubic length unit (for six times the volume) and per square length unit
/// (for twice the area).
const VOLUMES: f64 = (1_u32 << 14) as f64;
const AREAS: f64 = (1_u32 << 24) as f64;

/// Connected components of a surface on a GPU, numbered by their first vertex.
pub struct DeviceParts {
    /// The first vertex of the component of each vertex.
    names: Array<u32>,
    /// The index of each component, stored at its first vertex, and the number of components at the
    /// end, `[n_vertices + 1]`.
    numbers: Array<u32>,
    count: usize,
}

impl DeviceParts {
    /// Finds the components of a surface.
    ///
    /// # Errors
    /// Returns [`Error::Device`](crate::Error::Device) if there is not enough memory or the GPU
    /// fails.
    pub fn new(cuda: &Cuda, surface: &DeviceSurface) -> Result<Self> {
        let n = surface.n_vertices;
        let corners = surface.triangles.address();
        let (names, is_first) = (cuda.zeros::<u32>(n)?, cuda.zeros::<u32>(n)?);
        let arguments = Arguments::default().with(n as u32).with_array(&names);
        // SAFETY: these are the arguments of `parts_alone`.
        unsafe { share(cuda, "parts_alone", n, &arguments) }?;
        let of_triangles =
            Arguments::default().with(corners).with(surface.n_triangles as u32).with_array(&names);
        // SAFETY: these are the arguments of `parts_use`. Corners are vertices.
        unsafe { share(cuda, "parts_use", surface.n_triangles, &of_triangles) }?;
        join(cuda, corners, surface.n_triangles, &names)?;
        let arguments =
            Arguments::default().with(n as u32).with_array(&names).with_array(&is_first);
        // SAFETY: these are the arguments of `parts_settle`.
        unsafe { share(cuda, "parts_settle", n, &arguments) }?;
        let numbers = exclusive_scan(cuda, &is_first)?;
        let count = last(cuda, &numbers)?;
        Ok(DeviceParts { names, numbers, count })
    }

    /// Returns the number of components.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Returns the bounding box, volume and area of each component of the surface.
    ///
    /// Boxes equal those of [`Parts::extents`](super::Parts::extents). Volumes and areas differ by
    /// at most [`DeviceParts::errors`]. Results do not depend on the order of threads.
    ///
    /// `unit` is a length. No edge of a triangle may be longer than `unit`, and no component may
    /// reach more than 2^14 units from the center of its box.
    ///
    /// # Errors
    /// Returns the errors of [`DeviceParts::new`].
    pub fn extents(&self, cuda: &Cuda, surface: &DeviceSurface, unit: f64) -> Result<Vec<Extent>> {
        let parts = cuda.zeros::<Part>(self.count)?;
        let (volumes, areas) = (VOLUMES / unit.powi(3), AREAS / unit.powi(2));
        let arguments = Arguments::default()
            .with_array(&surface.vertices)
            .with(surface.n_vertices as u32)
            .with_array(&self.names)
            .with_array(&self.numbers)
            .with_array(&parts);
        // SAFETY: these are the arguments of `parts_extents`. `parts` is zero.
        unsafe { share(cuda, "parts_extents", surface.n_vertices, &arguments) }?;
        let arguments = Arguments::default()
            .with_array(&surface.vertices)
            .with_array(&surface.triangles)
            .with(surface.n_triangles as u32)
            .with_array(&self.names)
            .with_array(&self.numbers)
            .with(volumes)
            .with(areas)
            .with_array(&parts);
        // SAFETY: these are the arguments of `parts_volumes`. `parts` holds the boxes.
        unsafe { share(cuda, "parts_volumes", surface.n_triangles, &arguments) }?;
        let extent = |part: Part| Extent {
            low: part.low.map(|word| number(!word)),
            high: part.high.map(number),
            volume: part.volume as f64 / volumes,
            area: part.area as f64 / areas,
            triangles: part.triangles,
        };
        Ok(cuda.download(&parts)?.into_iter().map(extent).collect())
    }

    /// Returns bounds on the errors of a component: the error of six times its volume, in cubed
    /// units of its coordinates, and the error of twice its area, in squared units.
    pub fn errors(part: &Extent, unit: f64) -> [f64; 2] {
        let half = 0.5 * part.triangles as f64;
        [half / VOLUMES * unit.powi(3), half / AREAS * unit.powi(2)]
    }

    /// Returns the surface with only the selected components. Vertices and triangles keep their
    /// order. The counterpart of [`Parts::keep`](super::Parts::keep).
    ///
    /// # Errors
    /// Returns the errors of [`DeviceParts::new`].
    ///
    /// # Panics
    /// Panics if there is not one flag per component.
    pub fn keep(
        &self,
        cuda: &Cuda,
        surface: &DeviceSurface,
        keep: &[bool],
    ) -> Result<DeviceSurface> {
        assert_eq!(keep.len(), self.count, "a flag for each part");
        let (n, n_triangles) = (surface.n_vertices, surface.n_triangles);
        let kept = cuda.upload(&keep.iter().map(|&keep| u32::from(keep)).collect::<Vec<_>>())?;
        let (is_kept, stays) = (cuda.zeros::<u32>(n)?, cuda.zeros::<u32>(n_triangles)?);
        let arguments = Arguments::default()
            .with(n as u32)
            .with_array(&self.names)
            .with_array(&self.numbers)
            .with_array(&kept)
            .with_array(&is_kept);
        // SAFETY: these are the arguments of `parts_kept`.
        unsafe { share(cuda, "parts_kept", n, &arguments) }?;
        let arguments = Arguments::default()
            .with_array(&surface.triangles)
            .with(n_triangles as u32)
            .with_array(&is_kept)
            .with_array(&stays);
        // SAFETY: these are the arguments of `parts_kept_triangles`.
        unsafe { share(cuda, "parts_kept_triangles", n_triangles, &arguments) }?;
        let (vertices, triangles) =
            (exclusive_scan(cuda, &is_kept)?, exclusive_scan(cuda, &stays)?);
        let (n_left, n_triangles_left) = (last(cuda, &vertices)?, last(cuda, &triangles)?);
        let rows = |from: &Array<[f64; 3]>| -> Result<Array<[f64; 3]>> {
            let into = cuda.zeros(n_left)?;
            let arguments = Arguments::default()
                .with_array(from)
                .with(n as u32)
                .with_array(&vertices)
                .with_array(&into);
            // SAFETY: these are the arguments of `parts_take_vertices`. `into` has room for the
            // kept vertices.
            unsafe { share(cuda, "parts_take_vertices", n, &arguments) }?;
            Ok(into)
        };
        let left = DeviceSurface {
            vertices: rows(&surface.vertices)?,
            normals: surface.normals.as_ref().map(rows).transpose()?,
            triangles: cuda.zeros(n_triangles_left)?,
            n_vertices: n_left,
            n_triangles: n_triangles_left,
        };
        let arguments = Arguments::default()
            .with_array(&surface.triangles)
            .with(n_triangles as u32)
            .with_array(&triangles)
            .with_array(&vertices)
            .with_array(&left.triangles);
        // SAFETY: these are the arguments of `parts_take_triangles`. There is room for the kept
        // triangles.
        unsafe { share(cuda, "parts_take_triangles", n_triangles, &arguments) }?;
        Ok(left)
    }
}

/// Joins the sets of the corners of `n` triangles. Afterwards, each vertex names a vertex of its
/// component, and the first vertex of a component names itself. `corners` is a device address.
///
/// # Errors
/// Returns [`Error::Device`](crate::Error::Device) if the kernel cannot be compiled.
pub(crate) fn join(cuda: &Cuda, corners: u64, n: usize, names: &Array<u32>) -> Result<()> {
    let arguments = Arguments::default().with(corners).with(n as u32).with_array(names);
    // SAFETY: these are the arguments of `parts_join`. Corners are vertices with a name.
    unsafe { share(cuda, "parts_join", n, &arguments) }
}

/// Launches a kernel whose threads share `n` items.
///
/// # Safety
/// The arguments must be those of the kernel, and arrays must be as long as the kernel expects.
unsafe fn share(cuda: &Cuda, kernel: &str, n: usize, arguments: &Arguments) -> Result<()> {
    if n == 0 {
        return Ok(());
    }
    let kernel = cuda.kernel(&Unit::new("surface/parts", &[("REAL", "double")])?, kernel)?;
    let most = 16 * cuda.info().multiprocessors as usize;
    let grid = n.div_ceil(BLOCK as usize).min(most) as u32;
    let launch = Launch { grid, block: BLOCK, shared: 0, cooperative: false };
    // SAFETY: the caller upholds the contract of `share`.
    unsafe { cuda.launch(&kernel, launch, arguments) }
}

/// Returns the last element of a scan, which is the total.
fn last(cuda: &Cuda, sums: &Array<u32>) -> Result<usize> {
    Ok(cuda.download_part(sums, sums.len() - 1..sums.len())?[0] as usize)
}

/// Returns the floating-point number that a sortable word encodes.
fn number(ordered: u64) -> f64 {
    f64::from_bits(if ordered >> 63 == 1 { ordered & !(1 << 63) } else { !ordered })
}
