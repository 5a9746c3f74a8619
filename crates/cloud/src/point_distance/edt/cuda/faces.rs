//! Distances to the faces between the two sides of a volume, for arrays that stay on the GPU.
//!
//! The kernels are in `kernels/point_distance/edt_faces.cu`.

use super::kernel_arguments::FacesArgument;
use super::{DeviceEdt, THREADS};
use crate::point_distance::Edt;
use zeroset_core::error::Result;
use zeroset_gpu::{Arguments, Array, Cuda, Kernel, Launch, Unit};

/// A transform that measures to faces, for volumes of one shape on a GPU.
///
/// It applies the kernels for centers, once for each side, to a volume that also contains the
/// faces, edges and corners of the voxels. It owns its GPU memory: 108 bytes per voxel.
#[doc(hidden)]
pub struct DeviceFaces {
    shape: [usize; 3],
    signed: bool,
    /// The transform of the volume with the faces.
    places: DeviceEdt,
    mark: Kernel,
    take: Kernel,
    marks: Array<u8>,
    distances: Array<f32>,
}

impl DeviceFaces {
    /// Creates a transform for volumes of `shape`. Distances inside are negative if `edt` is
    /// signed.
    ///
    /// # Errors
    /// Returns the errors of [`DeviceEdt::new`] for the volume with the faces, which has 2 n + 1
    /// voxels along an axis of n voxels.
    pub fn new(cuda: &Cuda, edt: Edt, shape: [usize; 3]) -> Result<Self> {
        let n = shape.iter().product();
        edt.check(n, shape)?;
        let fine = shape.map(|n| 2 * n + 1);
        let places = Edt::default().spacing(edt.spacing.map(|spacing| spacing / 2.0));
        let unit = Unit::new("point_distance/edt_faces", &[])?;
        Ok(DeviceFaces {
            shape,
            signed: edt.signed,
            places: DeviceEdt::new(cuda, places, fine)?,
            mark: cuda.kernel(&unit, "edt_faces_mark")?,
            take: cuda.kernel(&unit, "edt_faces_take")?,
            // SAFETY: The first kernel writes all marks. The two sides together write all
            // distances.
            marks: unsafe { cuda.unset(fine.iter().product()) }?,
            distances: unsafe { cuda.unset(n) }?,
        })
    }

    /// Launches the transform of `inside`, one byte of 0 or 1 per voxel, x fastest. The distances
    /// are valid when the launched work has finished.
    ///
    /// # Errors
    /// Returns [`Error::Device`](zeroset_core::error::Error::Device) if the driver rejects a
    /// kernel.
    ///
    /// # Panics
    /// Panics if there is not exactly one byte per voxel.
    pub fn transform(&self, cuda: &Cuda, inside: &Array<u8>) -> Result<&Array<f32>> {
        assert_eq!(inside.len(), self.distances.len(), "there must be one byte per voxel");
        let distances = self.distances.address();
        // SAFETY: both arrays have one entry per voxel and belong to this GPU.
        unsafe { self.transform_between(cuda, inside.address(), distances) }?;
        Ok(&self.distances)
    }

    /// Launches the transform like [`DeviceFaces::transform`], but takes the addresses of its input
    /// and output arrays: one byte, 0 or 1, and one `f32` per voxel.
    ///
    /// # Errors
    /// Returns [`Error::Device`](zeroset_core::error::Error::Device) if the driver rejects a
    /// kernel.
    ///
    /// # Safety
    /// The arrays must have these sizes, lie in GPU memory, and exist until the launched work has
    /// finished. No other work may use them until then.
    pub unsafe fn transform_between(&self, cuda: &Cuda, inside: u64, distances: u64) -> Result<()> {
        let over = |n: usize| {
            let grid = n.div_ceil(THREADS as usize) as u32;
            Launch { grid, block: THREADS, shared: 0, cooperative: false }
        };
        for side in [0, 1] {
            let faces = FacesArgument {
                shape: self.shape.map(|n| n as u32),
                side,
                negative: u32::from(self.signed && side == 0),
            };
            let given = || Arguments::default().with(faces).with(inside);
            let mark = given().with_array(&self.marks);
            // SAFETY: the arguments match the kernel, with a mark per place.
            unsafe { cuda.launch(&self.mark, over(self.marks.len()), &mark) }?;
            let found = self.places.transform(cuda, &self.marks)?;
            let take = given().with_array(found).with(distances);
            // SAFETY: the arguments match the kernel, with a distance per place and per voxel.
            unsafe { cuda.launch(&self.take, over(self.shape.iter().product()), &take) }?;
        }
        Ok(())
    }
}
