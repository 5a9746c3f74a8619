//! The surface of a dense volume on a GPU, bitwise identical to [`isosurface`](super::isosurface).
//!
//! The kernels are in `kernels/surface/`. The first pass reads all values and computes one bit per
//! voxel. The second pass uses these bits to count the vertices and triangles of each row of voxels
//! and to scan the counts. The third pass writes vertices and reads only values next to the
//! surface. The fourth pass writes triangles from the bits.

mod extraction;
mod number_types;
mod state;

use std::marker::PhantomData;
use std::sync::Arc;

pub use extraction::cases;
pub use number_types::{DeviceNumber, Ranked};
pub use state::{SurfaceArgument, Totals};

use extraction::{Extraction, NumberType, has_memory};

use super::{Field, Options, check};
use crate::error::{Error, Result};
use crate::gpu::volume::Stored;
use crate::gpu::{Array, Cuda};
use crate::mesh::Mesh;
use crate::surface::DeviceSurface;
use crate::volume::{Placement, Samples, Scaling, Volume};

/// Extracts surfaces from volumes of one shape and type on a GPU, and keeps its memory between
/// calls. This memory has room for one bit per voxel, or two if values may be infinite or NaN, for
/// 16 bytes per row of voxels, and for the largest surface so far.
pub struct DeviceIsosurface<T> {
    extraction: Extraction,
    of: PhantomData<T>,
}

impl<T: DeviceNumber> DeviceIsosurface<T> {
    const TYPE: NumberType = NumberType { name: T::NAME, is_whole: T::WHOLE };

    /// Returns the number of bytes of GPU memory for a volume of `shape`, without its values, and a
    /// surface of the given size.
    pub fn bytes(shape: [usize; 3], options: &Options, vertices: usize, triangles: usize) -> usize {
        Extraction::bytes(shape, Self::TYPE, options, [vertices, triangles])
    }

    /// Prepares the extraction from volumes of shape `shape` at a placement.
    ///
    /// # Errors
    /// Returns [`Error::Case`] for a shape that has no cubes. Returns [`Error::Device`] if there is
    /// not enough memory, for 2^31 or more rows of voxels or voxels in a row, and if a kernel
    /// cannot be compiled.
    pub fn new(
        cuda: &Arc<Cuda>,
        shape: [usize; 3],
        place: &Placement,
        scaling: Scaling,
        options: &Options,
    ) -> Result<Self> {
        let extraction = Extraction::new(cuda, shape, Self::TYPE, (place, scaling), options)?;
        Ok(DeviceIsosurface { extraction, of: PhantomData })
    }

    /// Extracts the surface where the values cross `level`. The surface stays on the GPU until the
    /// next call. Next to values that are not finite, some vertices may belong to no triangle.
    ///
    /// # Errors
    /// Returns [`Error::Case`] if the level is not finite, and [`Error::Numerical`] for more than
    /// 2^32 - 1 vertices. Returns [`Error::Device`] for more than 2^32 - 1 triangles, if there is
    /// not enough memory, or if the GPU fails.
    ///
    /// # Panics
    /// Panics if there is not one value per voxel.
    pub fn extract(&mut self, values: &Array<T>, level: f64) -> Result<&DeviceSurface> {
        let n_voxels = self.extraction.shape.iter().product::<usize>();
        assert_eq!(values.len(), n_voxels, "a number for each voxel");
        // SAFETY: the array has one value per voxel, and lives until the end of this call, which
        // waits for the results.
        unsafe { self.extract_at(values.address(), level) }
    }

    /// Extracts the surface of [`DeviceIsosurface::extract`] from the values at an address.
    ///
    /// # Errors
    /// Returns the errors of [`DeviceIsosurface::extract`].
    ///
    /// # Safety
    /// The address must be that of an array on this GPU with one value per voxel. No other work may
    /// use it.
    pub unsafe fn extract_at(&mut self, values: u64, level: f64) -> Result<&DeviceSurface> {
        if !level.is_finite() {
            return Err(Error::usage(format!("level {level}"), "give a finite number"));
        }
        let Extraction { shape, scaling, .. } = self.extraction;
        let field = Field { values: &[][..], shape, scaling, level, layers: 0 };
        let inside = number_types::range(|v: T| field.phi(v) < 0.0, scaling.slope < 0.0);
        // SAFETY: the caller promises that the values are valid.
        unsafe { self.extraction.extract(values, level, inside.map(T::low_bits)) }?;
        Ok(&self.extraction.surface)
    }

    /// Returns the surface of the last call.
    pub fn into_surface(self) -> DeviceSurface {
        self.extraction.surface
    }

    /// Returns whether the last volume had a value that is not finite.
    ///
    /// # Errors
    /// Returns [`Error::Device`] if an earlier kernel failed.
    pub fn has_missing(&self) -> Result<bool> {
        self.extraction.has_missing()
    }

    /// Returns the number of bytes of GPU memory that this value holds.
    pub fn held(&self) -> usize {
        self.extraction.held()
    }
}

/// Extracts a surface on a GPU, including the copies to and from the GPU. The mesh is bitwise
/// identical to that of [`isosurface`](super::isosurface).
///
/// # Errors
/// Returns the errors of [`isosurface`](super::isosurface) and of [`DeviceIsosurface::extract`].
pub fn isosurface_on(
    cuda: &Arc<Cuda>,
    volume: &Volume,
    level: f64,
    options: &Options,
) -> Result<Mesh> {
    check(volume.shape(), level, options)?;
    macro_rules! of {
        ($($variant:ident),*) => {
            match volume.samples() {
                $(Samples::$variant(values) => of(cuda, volume, values, level, options),)*
            }
        };
    }
    of!(U8, I8, U16, I16, U32, I32, U64, I64, F32, F64)
}

/// Extracts the surface where values that are on the GPU cross `level`. The surface stays on the
/// GPU. Also returns whether a value is not finite; some vertices may then belong to no triangle.
/// `values` is the address of numbers of the type `stored`, x fastest.
///
/// # Errors
/// Returns the errors of [`DeviceIsosurface::new`] and [`DeviceIsosurface::extract`].
///
/// # Safety
/// The values must be an array on this GPU with one number per voxel. No other work may use it.
pub unsafe fn isosurface_between(
    cuda: &Arc<Cuda>,
    (values, stored): (u64, Stored),
    (shape, place): ([usize; 3], &Placement),
    level: f64,
    options: &Options,
) -> Result<(DeviceSurface, bool)> {
    check(shape, level, options)?;
    macro_rules! of {
        ($($variant:ident $type:ty),*) => {
            match stored {
                $(Stored::$variant => {
                    let none = Scaling::NONE;
                    let mut on_gpu =
                        DeviceIsosurface::<$type>::new(cuda, shape, place, none, options)?;
                    // SAFETY: the caller promises that the values are valid.
                    unsafe { on_gpu.extract_at(values, level) }?;
                    let has_missing = on_gpu.has_missing()?;
                    Ok((on_gpu.into_surface(), has_missing))
                })*
            }
        };
    }
    of!(U8 u8, I8 i8, U16 u16, I16 i16, U32 u32, I32 i32, U64 u64, I64 i64, F32 f32, F64 f64)
}

fn of<T: DeviceNumber>(
    cuda: &Arc<Cuda>,
    volume: &Volume,
    values: &[T],
    level: f64,
    options: &Options,
) -> Result<Mesh> {
    let shape = volume.shape();
    has_memory(cuda, size_of_val(values) + DeviceIsosurface::<T>::bytes(shape, options, 0, 0))?;
    let (place, scaling) = (volume.placement(), volume.scaling());
    let mut on_gpu = DeviceIsosurface::<T>::new(cuda, shape, place, scaling, options)?;
    let mut mesh = on_gpu.extract(&cuda.upload(values)?, level)?.mesh(cuda)?;
    if on_gpu.has_missing()? {
        // Vertices next to a missing value may belong to no triangle. They are removed.
        let keep = vec![true; mesh.n_cells()];
        mesh = crate::mesh::part(mesh, &keep).0;
    }
    Ok(mesh)
}
