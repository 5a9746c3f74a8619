//! Computation of space skipping data on a GPU: [`super::super::SpaceSkipping::new`] for arrays
//! that stay there.

use super::super::space_skipping::Candidates;
use super::super::{Rule, Solid};
use super::kernel_arguments::{PYRAMID_LEVELS, SpaceSkippingArgument, Way};
use zeroset_cloud::point_distance::{DeviceEdt, Edt};
use zeroset_core::error::Result;
use zeroset_gpu::{Arguments, Array, Cuda, Launch, Unit};

/// The number of threads per block.
const THREADS: u32 = 256;
/// The number of bytes per voxel of a distance transform, including its working memory.
const TRANSFORM: usize = 12;

/// The arrays that a rule needs, and their addresses.
pub(super) struct DeviceSpaceSkipping {
    pub argument: SpaceSkippingArgument,
    /// The rule as seen by kernels.
    pub way: Way,
    _kept: Buffers,
}

/// The arrays that are kept alive for the kernels.
enum Buffers {
    Nothing,
    Distances { _edt: Box<DeviceEdt> },
    Pyramid { _levels: Array<u8> },
    Sites { _sites: Array<u32> },
}

impl DeviceSpaceSkipping {
    /// Returns the largest number of bytes that the data of a rule take on the GPU.
    pub(super) fn bytes(rule: Rule, solid: &Solid<'_>) -> usize {
        match rule {
            Rule::Walk => 0,
            Rule::Isotropic => TRANSFORM * solid.inside().len(),
            Rule::Directional { .. } => levels(solid.shape()).iter().map(|l| size(l.0)).sum(),
            Rule::PointWise { .. } => size_of::<[u32; 3]>() * solid.n_inside(),
        }
    }

    /// Computes the data for a solid. `inside` marks its occupied cubes.
    pub(super) fn new(
        cuda: &Cuda,
        rule: Rule,
        solid: &Solid<'_>,
        inside: &Array<u8>,
    ) -> Result<Self> {
        let shape = solid.shape();
        Ok(match rule {
            Rule::Walk => {
                let argument = SpaceSkippingArgument::default();
                DeviceSpaceSkipping { argument, way: Way::Walk, _kept: Buffers::Nothing }
            }
            Rule::Isotropic => {
                let edt = DeviceEdt::new(cuda, Edt::default(), shape)?;
                let distances = edt.transform(cuda, inside)?.address();
                let argument =
                    SpaceSkippingArgument { distances, ..SpaceSkippingArgument::default() };
                DeviceSpaceSkipping {
                    argument,
                    way: Way::Isotropic,
                    _kept: Buffers::Distances { _edt: Box::new(edt) },
                }
            }
            Rule::Directional { cone } => {
                let mut argument = SpaceSkippingArgument::counting(Some(Candidates::new(cone)?));
                let levels = levels(shape);
                for (start, (_, first)) in argument.starts.iter_mut().zip(&levels) {
                    *start = *first as u64;
                }
                argument.levels = levels.len() as u32;
                let pyramid = pyramid(cuda, inside, shape, &levels)?;
                argument.pyramid = pyramid.address();
                DeviceSpaceSkipping {
                    argument,
                    way: Way::Directional,
                    _kept: Buffers::Pyramid { _levels: pyramid },
                }
            }
            Rule::PointWise { cone } => {
                let mut argument =
                    SpaceSkippingArgument::counting(cone.map(Candidates::new).transpose()?);
                let sites = solid.sites();
                argument.n_sites = sites.len() as u64;
                let sites = cuda.upload(sites.as_flattened())?;
                argument.sites = sites.address();
                DeviceSpaceSkipping {
                    argument,
                    way: Way::All,
                    _kept: Buffers::Sites { _sites: sites },
                }
            }
        })
    }
}

fn size(shape: [usize; 3]) -> usize {
    shape.iter().product()
}

/// Returns, for each level above the cubes, its shape and its start in the common array.
fn levels(shape: [usize; 3]) -> Vec<([usize; 3], usize)> {
    let (mut levels, mut below, mut start) = (Vec::new(), shape, 0);
    while below != [1; 3] {
        below = below.map(|n| n.div_ceil(2));
        levels.push((below, start));
        start += size(below);
    }
    debug_assert!(levels.len() <= PYRAMID_LEVELS, "axes are shorter than that");
    levels
}

/// Computes the levels of the pyramid, each from the one below it, starting at the cubes.
fn pyramid(
    cuda: &Cuda,
    inside: &Array<u8>,
    shape: [usize; 3],
    levels: &[([usize; 3], usize)],
) -> Result<Array<u8>> {
    let total = levels.iter().map(|level| size(level.0)).sum();
    let pyramid = cuda.zeros::<u8>(total)?;
    let kernel = cuda.kernel(&Unit::new("render/pyramid", &[])?, "pyramid_level")?;
    let most = kernel.resident_blocks(THREADS, 0)?;
    let (mut below, mut address) = (shape, inside.address());
    for &(shape, start) in levels {
        let [bx, by, bz] = below.map(|n| n as u32);
        let above = pyramid.address() + start as u64;
        let arguments = Arguments::default().with(address).with(bx).with(by).with(bz).with(above);
        let grid = size(shape).div_ceil(THREADS as usize).min(most as usize) as u32;
        let launch = Launch { grid, block: THREADS, shared: 0, cooperative: false };
        // SAFETY: the arguments match `pyramid_level`, with one byte per node of both levels.
        unsafe { cuda.launch(&kernel, launch, &arguments) }?;
        (below, address) = (shape, above);
    }
    Ok(pyramid)
}
