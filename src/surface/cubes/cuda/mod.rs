//! Marching cubes over tiles that are stored on a GPU. The counterpart of [`extract`].
//!
//! The kernels are in `kernels/surface/cubes.cu`. A warp processes a tile. The first pass records
//! the crossings that belong to each tile and counts its triangles. After two scans, the second
//! pass writes vertices and triangles.

mod state;

use std::sync::Arc;

pub use state::{Found, TileSurfaceArgument, record_words};

use super::{Placement, Tiles, check_vertices, extract};
use crate::error::{DeviceFault, Error, Result};
use crate::geometry::Real;
use crate::gpu::definitions::Define;
use crate::gpu::primitives::exclusive_scan;
use crate::gpu::{Arguments, Array, Cuda, Element, Kernel, Launch, Unit};
use crate::grid::cuda::{DevicePool, DeviceTiledGrid, Storage};
use crate::grid::{Band, Pool, Stored};
use crate::surface::DeviceSurface;
use crate::surface::isosurface::cuda::cases;

/// Threads per block of the surface kernels and of the neighbor look-up.
const BLOCK: u32 = 128;
const LOOK_UP_BLOCK: u32 = 256;

/// phi on the tiles of a grid on a GPU. Missing tiles have the value plus or minus gamma.
#[derive(Clone, Copy)]
pub struct DeviceTiles<'a, R, S: Element, const E: usize> {
    /// The set of tiles.
    pub grid: &'a DeviceTiledGrid,
    /// The values of the tiles by id, in voxels, `[capacity][E^3]`.
    pub phi: &'a DevicePool<S, E>,
    /// The value to which phi is clamped.
    pub gamma: R,
}

impl<R: Real, S: Stored<R> + Element, const E: usize> DeviceTiles<'_, R, S, E> {
    /// Returns the number of bytes of GPU memory that [`DeviceTiles::extract`] takes for `tiles`
    /// tiles, without the surface itself.
    pub fn bytes(tiles: usize) -> usize {
        4 * tiles * (record_words(E) + 4)
    }

    /// Extracts the zero set of phi as triangles in world units, bitwise identical to [`extract`].
    /// Rebuilds the neighbor look-up on the GPU.
    ///
    /// # Errors
    /// Returns the errors of [`extract`]. Returns [`Error::Device`] for more than 2^32 - 1
    /// triangles, if there is not enough memory, or if the GPU fails.
    pub fn extract(
        &self,
        cuda: &Arc<Cuda>,
        placement: &Placement,
        normals: bool,
    ) -> Result<DeviceSurface> {
        let n_tiles = self.grid.look()?.n_tiles as usize;
        has_memory(cuda, Self::bytes(n_tiles), n_tiles)?;
        let words = |n: usize| cuda.zeros::<u32>(n);
        let records = words(n_tiles * record_words(E))?;
        let (vertices_of, triangles_of) = (words(n_tiles)?, words(n_tiles)?);
        let found = cuda.zeros::<Found>(1)?;
        let cases = cuda.upload(&cases(false))?;
        let mut argument = TileSurfaceArgument {
            phi: self.phi.address(),
            records: records.address(),
            vertices_of: vertices_of.address(),
            triangles_of: triangles_of.address(),
            found: found.address(),
            gamma: self.gamma.to_f64(),
            spacing: placement.spacing,
            origin: placement.origin,
            ..TileSurfaceArgument::default()
        };
        let tiles = self.grid.argument();
        let look_up = kernel::<R, S>(cuda, "tiles/manage", "tiles_look_up", E)?;
        let launch = resident(&look_up, LOOK_UP_BLOCK)?;
        // SAFETY: this is the argument of `tiles_look_up`.
        unsafe { cuda.launch(&look_up, launch, &Arguments::default().with(tiles)) }?;
        let with = |argument| Arguments::default().with(tiles).with(argument).with(cases.address());
        let count = kernel::<R, S>(cuda, "surface/cubes", "cubes_count", E)?;
        // SAFETY: these are the arguments of `cubes_count`. Arrays have room for all tiles, `found`
        // is zero, and neighbors have been looked up.
        unsafe { cuda.launch(&count, resident(&count, BLOCK)?, &with(argument)) }?;
        let first_vertex = exclusive_scan(cuda, &vertices_of)?;
        let first_triangle = exclusive_scan(cuda, &triangles_of)?;
        let all = cuda.download(&found)?[0];
        if all.is_cut_off != 0 {
            return Err(self.cut_off(cuda, placement)?);
        }
        check_vertices(all.vertices)?;
        if all.triangles > u64::from(u32::MAX) {
            return Err(Error::device_fault(
                DeviceFault::Limit,
                format!("a surface of {} triangles; a GPU supports 2^32 - 1", all.triangles),
                "use a coarser grid, or the CPU (use = \"cpu\")",
            ));
        }
        let [n_vertices, n_triangles] = [all.vertices, all.triangles].map(|n| n as usize);
        has_memory(cuda, DeviceSurface::bytes(n_vertices, n_triangles, normals), n_tiles)?;
        let surface = DeviceSurface {
            vertices: cuda.zeros(n_vertices)?,
            normals: normals.then(|| cuda.zeros(n_vertices)).transpose()?,
            triangles: cuda.zeros(n_triangles)?,
            n_vertices,
            n_triangles,
        };
        argument.first_vertex = first_vertex.address();
        argument.first_triangle = first_triangle.address();
        argument.vertices = surface.vertices.address();
        argument.normals = surface.normals.as_ref().map_or(0, Array::address);
        argument.triangles = surface.triangles.address();
        let generate = kernel::<R, S>(cuda, "surface/cubes", "cubes_generate", E)?;
        // SAFETY: these are the arguments of `cubes_generate`. Arrays have room for the counted
        // items.
        unsafe { cuda.launch(&generate, resident(&generate, BLOCK)?, &with(argument)) }?;
        Ok(surface)
    }

    /// Returns the error for a surface that is cut off. It comes from an extraction on the CPU,
    /// which finds the position.
    fn cut_off(&self, cuda: &Cuda, placement: &Placement) -> Result<Error> {
        let grid = self.grid.download::<E>()?;
        let mut phi = Pool::<S, E>::new();
        phi.grow(grid.capacity())?;
        let n = grid.capacity() * Pool::<S, E>::TILE;
        phi.values_mut()[..n].copy_from_slice(&self.phi.download(cuda, grid.capacity())?);
        let band = Band { gamma: self.gamma, reach: 1 };
        let tiles = Tiles { grid: &grid, phi: &phi, band };
        Ok(match extract(&tiles, placement, false) {
            Err(error) => error,
            Ok(_) => Error::device(
                "on the GPU, phi changes its sign outside of the band",
                "this is a bug in zeroset: please report it",
            ),
        })
    }
}

fn kernel<R: Real, S>(cuda: &Cuda, file: &str, name: &str, edge: usize) -> Result<Kernel> {
    let real = if size_of::<R>() == 8 { "double" } else { "float" };
    let mut defines = vec![("REAL", real.to_string()), ("TILE_EDGE", edge.to_string())];
    if size_of::<S>() == 2 {
        defines.push(Storage::Fixed16.define());
    }
    cuda.kernel(&Unit::with(file, defines)?, name)
}

/// Returns a launch with as many blocks as can be resident on the GPU at once.
fn resident(kernel: &Kernel, block: u32) -> Result<Launch> {
    let grid = kernel.resident_blocks(block, 0)?;
    Ok(Launch { grid, block, shared: 0, cooperative: false })
}

/// Returns an error if the GPU does not have enough memory.
fn has_memory(cuda: &Cuda, need: usize, tiles: usize) -> Result<()> {
    let what = format_args!("the surface of {tiles} tiles");
    cuda.check_room(need as u64, what, "use a coarser grid, or the CPU (use = \"cpu\")")
}
