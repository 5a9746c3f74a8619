//! Distance transforms of a volume.

use std::sync::Arc;

use super::device::{alone, either, shared};
use super::threads::pool;
use crate::Cpu;
use crate::config::Device;
use crate::error::{Error, Result};
use crate::gpu::Cuda;
use crate::point_distance::{DeviceEdt, DeviceFaces, Edt};

/// The smallest number of voxels per CPU thread for which a GPU is worth its startup time of a
/// quarter of a second.
///
/// A thread needs 25 to 35 ns per voxel (docs/point-distances.md).
const WORTH_A_GPU: usize = 1 << 23;

/// The distances of the voxels of a volume.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct VoxelDistances {
    /// The distance of each voxel, `[nx * ny * nz]`, x fastest, in the unit of the spacing.
    pub values: Vec<f32>,
    /// "cpu" or "cuda".
    pub backend: &'static str,
    /// Warnings, one sentence each.
    pub warnings: Vec<String>,
}

/// Computes the distance from the center of each voxel to the nearest voxel that is `inside`, or to
/// the nearest face between an inside and an outside voxel ([`Edt::faces()`]).
///
/// `inside` has one value for each of the nx * ny * nz voxels of `shape`, x fastest. The result is
/// exact up to rounding to 32 bits, and the same on every device. `device` selects the threads and
/// the GPU. By default, a GPU is used for at least 8 million voxels per thread.
///
/// ```
/// use zeroset::config::Device;
/// use zeroset::point_distance::Edt;
/// let kind = Edt::default().spacing([1.0, 1.0, 2.5]);
/// let found = zeroset::edt(&[true, false, false, false], [2, 1, 2], &kind, &Device::default())?;
/// assert_eq!(found.values, [0.0, 1.0, 2.5, 7.25_f32.sqrt()]);
/// # Ok::<(), zeroset::Error>(())
/// ```
///
/// # Errors
/// Returns [`Error::Case`] if `shape` and `inside` do not match, if the spacing is not positive, or
/// if there is nothing to measure to: no voxel is inside or, with faces, no voxel is outside.
/// Returns [`Error::Device`] if a GPU is requested but not available, or if memory runs out.
pub fn edt(
    inside: &[bool],
    shape: [usize; 3],
    kind: &Edt,
    device: &Device,
) -> Result<VoxelDistances> {
    targets(inside, kind)?;
    let (cpu, mut warnings) = (pool(device.threads)?, Vec::new());
    let warn = &mut |text| warnings.push(text);
    let (values, backend) = edt_on(&cpu, inside, shape, kind, device, warn)?;
    Ok(VoxelDistances { values, backend, warnings })
}

/// Computes the distances of [`edt`] with the given threads or on a GPU. Also returns the name of
/// the backend.
///
/// # Errors
/// Returns the errors of [`edt`], except that the distances are infinite if there is nothing to
/// measure to.
pub(crate) fn edt_on(
    cpu: &Cpu,
    inside: &[bool],
    shape: [usize; 3],
    kind: &Edt,
    device: &Device,
    warn: &mut dyn FnMut(String),
) -> Result<(Vec<f32>, &'static str)> {
    let is_worth_it = inside.len() / cpu.threads() >= WORTH_A_GPU;
    let on_gpu = |gpu: Arc<Cuda>| Ok((kind.transform_on(&gpu, inside, shape)?, "cuda"));
    let on_cpu = || Ok((kind.transform(cpu, inside, shape)?, "cpu"));
    either(device, is_worth_it, warn, on_gpu, on_cpu)
}

/// Marks of voxels on a GPU.
///
/// ```
/// let marks = zeroset::api::DeviceMarks { address: 0x7f00_0000_0000, to_zeros: false };
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceMarks {
    /// The address of one byte of 0 or 1 for each voxel, x fastest.
    pub address: u64,
    /// Whether the voxels marked 0 are inside, instead of those marked 1.
    pub to_zeros: bool,
}

/// Computes the distances of [`edt`] on the GPU with the given index. Input and output are arrays
/// on this GPU, so nothing is copied to the host: `inside` marks the voxels, and `distances` is the
/// address of one `f32` for each voxel. Returns whether there is anything to measure to. Otherwise,
/// all distances are infinite.
///
/// ```no_run
/// use zeroset::api::DeviceMarks;
/// use zeroset::point_distance::Edt;
/// # let (marks, distances) = (0_u64, 0_u64);
/// // `marks` and `distances` are addresses in the memory of GPU 0, from another library.
/// let inside = DeviceMarks { address: marks, to_zeros: false };
/// // SAFETY: Both arrays have 512^3 elements, and all work on them has ended.
/// unsafe { zeroset::edt_between(inside, distances, [512; 3], &Edt::default(), 0)? };
/// # Ok::<(), zeroset::Error>(())
/// ```
///
/// # Errors
/// Returns the errors of [`edt`], except for those about nothing to measure to. Returns
/// [`Error::Case`] if a transform that is signed or measures to faces has `to_zeros`. Returns
/// [`Error::Device`] for volumes that are too large for a GPU.
///
/// # Safety
/// The arrays must lie in the memory of the primary context of this GPU and have the stated sizes.
/// No work that is still running may use them.
pub unsafe fn edt_between(
    inside: DeviceMarks,
    distances: u64,
    shape: [usize; 3],
    kind: &Edt,
    ordinal: u32,
) -> Result<bool> {
    let DeviceMarks { address, to_zeros } = inside;
    if to_zeros && (kind.faces || kind.signed) {
        let what = "voxels marked 0 cannot be inside if both sides matter";
        return Err(Error::usage(what, "mark the voxels inside by 1"));
    }
    let gpu = shared(ordinal)?;
    let _alone = alone();
    // SAFETY: The caller promises that the arrays are valid.
    unsafe {
        if kind.faces {
            let transform = DeviceFaces::new(&gpu, *kind, shape)?;
            transform.transform_between(&gpu, address, distances)?;
            return is_finite(&gpu, distances);
        }
        let transform = DeviceEdt::new(&gpu, *kind, shape)?.to_zeros(to_zeros);
        transform.transform_between(&gpu, address, distances)?;
        is_finite(&gpu, distances)
    }
}

/// Waits for the distances and returns whether the first one is finite. Either all are, or none is.
unsafe fn is_finite(gpu: &Cuda, distances: u64) -> Result<bool> {
    // SAFETY: There is at least one distance, because a transform of no voxels is refused.
    let first = unsafe { gpu.copy_from::<f32>(distances, 1) }?;
    Ok(gpu.download(&first)?[0].is_finite())
}

/// Returns the index of the nearest voxel that is `inside`, for each voxel of `shape`. There are
/// nx * ny * nz entries, x fastest. The CPU computes it.
///
/// ```
/// use zeroset::point_distance::Edt;
/// let inside = [true, false, false, true];
/// let found = zeroset::nearest_voxels(&inside, [4, 1, 1], &Edt::default(), &Default::default())?;
/// assert_eq!(found, [0, 0, 3, 3]);
/// # Ok::<(), zeroset::Error>(())
/// ```
///
/// # Errors
/// Returns [`Error::Case`] if `shape` and `inside` do not match, if the spacing is not positive, if
/// no voxel is inside, or if `kind` is signed or measures to faces.
pub fn nearest_voxels(
    inside: &[bool],
    shape: [usize; 3],
    kind: &Edt,
    device: &Device,
) -> Result<Vec<u64>> {
    kind.nearest(&*pool(device.threads)?, inside, shape)
}

/// Computes the distances of [`edt`] and the nearest voxels on the GPU with the given index.
/// Nothing is copied to the host. `inside` and `distances` are those of [`edt_between`], and
/// `indices` is the address of three `u64` for each voxel: the indices along z of all voxels, then
/// those along y and x. Returns whether there is anything to measure to.
///
/// Among voxels at the same distance, the choice is fixed, but it may differ from that of
/// [`nearest_voxels`].
///
/// ```no_run
/// use zeroset::api::{DeviceMarks, nearest_voxels_between};
/// use zeroset::point_distance::Edt;
/// # let (marks, distances, indices) = (0_u64, 0_u64, 0_u64);
/// // The addresses are in the memory of GPU 0, from another library.
/// let inside = DeviceMarks { address: marks, to_zeros: true };
/// // SAFETY: The arrays have an entry, or three indices, for each of 512^3 voxels, and all work on
/// // them has ended.
/// unsafe { nearest_voxels_between(inside, (distances, indices), [512; 3], &Edt::default(), 0)? };
/// # Ok::<(), zeroset::Error>(())
/// ```
///
/// # Errors
/// Returns the errors of [`edt_between`], and [`Error::Case`] if `kind` is signed or measures to
/// faces. If no voxel is inside, the distances are infinite.
///
/// # Safety
/// See [`edt_between`].
pub unsafe fn nearest_voxels_between(
    inside: DeviceMarks,
    (distances, indices): (u64, u64),
    shape: [usize; 3],
    kind: &Edt,
    ordinal: u32,
) -> Result<bool> {
    let gpu = shared(ordinal)?;
    let _alone = alone();
    let transform = DeviceEdt::with_indices(&gpu, *kind, shape)?.to_zeros(inside.to_zeros);
    // SAFETY: The caller promises that the arrays are valid.
    unsafe {
        transform.transform_between(&gpu, inside.address, distances)?;
        transform.indices_between(&gpu, inside.address, indices)?;
        is_finite(&gpu, distances)
    }
}

/// Returns an error if there is nothing to measure to.
fn targets(inside: &[bool], kind: &Edt) -> Result<()> {
    let n = inside.len();
    if !inside.contains(&true) {
        let what = format!("none of the {n} voxels is inside");
        return Err(Error::usage(what, "there is nothing to measure to: change the selection"));
    }
    if (kind.faces || kind.signed) && !inside.contains(&false) {
        let what = format!("all {n} voxels are inside");
        return Err(Error::usage(what, "there is no outside to measure to: change the selection"));
    }
    Ok(())
}
