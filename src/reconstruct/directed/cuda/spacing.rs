//! Finds the samples that are far from all others, on the GPU.

use super::kernel_arguments::LatticeArgument;
use super::seeds::{Runs, ordered};
use super::{MOST_SAMPLES, Memory, share};
use crate::cloud::{Far, Spacing};
use crate::error::Result;
use crate::gpu::primitives::{Set, Sorted, compact, sort};
use crate::gpu::{Arguments, Array, Cuda, Launch, Unit};
use crate::reconstruct::directed::Lattice;
use crate::reconstruct::directed::density::coarse_cube;
use crate::reconstruct::directed::lattice::RING;
use zeroset_core::cloud::bounds;

const FILE: &str = "spacing";
/// Threads per block.
const THREADS: u32 = 256;
/// Upper bound on the bytes per sample: its position twice (48), two results (16), a flag (1), and
/// keys and indices during the sort (24).
const SAMPLE: u64 = 92;
/// Upper limits on the work: pairs of samples in the same cube, and samples that need a second
/// search. Above these limits, samples are crowded into a few cubes, and the tree search on the CPU
/// is faster.
const MOST_PAIRS: u64 = 1 << 36;
const MOST_AGAIN: usize = 1 << 16;
/// Growth factor of the cube edge when neighbors are too far away.
const GROWTH: f64 = 8.0;

/// Finds the samples that are far from all others, and the spacing of all samples, as
/// [`clean`](crate::cloud::clean) does.
///
/// A sample is far if the mean distance to its eight nearest neighbors exceeds `factor` times the
/// median. Returns the indices of these samples and the spacing. Returns `None` if the CPU must do
/// the search: if there are fewer than two samples or too many, if all coincide, or if too many are
/// crowded in a few cubes.
///
/// # Errors
/// Returns [`Error::Device`](crate::Error::Device) if the GPU does not have enough memory or fails.
pub(in crate::reconstruct) fn far_from_others(
    cuda: &Cuda,
    points: &[[f64; 3]],
    factor: f64,
) -> Result<Option<Far>> {
    let n = points.len();
    let (low, high) = bounds(points);
    let cube = coarse_cube(low, high, n);
    let is_spread = cube > 0.0 && cube.is_finite();
    if !is_spread || !(2..=MOST_SAMPLES).contains(&n) {
        return Ok(None);
    }
    Memory::default().take(cuda, "samples", n, n as u64 * SAMPLE)?;
    let points = cuda.upload(points.as_flattened())?;
    let (nearest, means) = (cuda.zeros::<u64>(n)?, cuda.zeros::<u64>(n)?);
    let waiting = cuda.zeros::<u8>(n)?;
    let mut again: Option<Array<u32>> = None;
    for level in 0.. {
        let lattice = Lattice::new(low, high, cube * GROWTH.powi(level), RING)?;
        let search = Search { cuda, points: &points, lattice: &lattice };
        if !search.about(again.as_ref(), [&nearest, &means], &waiting)? {
            return Ok(None);
        }
        let left = compact(cuda, Set::Bytes(&waiting, 1))?;
        match left.len() {
            0 => break,
            MOST_AGAIN.. => return Ok(None),
            _ => again = Some(left),
        }
    }
    let at = |sorted: &Array<u64>, k: usize| -> Result<f64> {
        Ok(f64::from_bits(cuda.download_part(sorted, k..k + 1)?[0]))
    };
    // Non-negative floating-point numbers sort like their bits.
    let sorted = sort(cuda, &nearest, None, 63)?.keys;
    let (min, median, max) = (at(&sorted, 0)?, at(&sorted, n / 2)?, at(&sorted, n - 1)?);
    let around = at(&sort(cuda, &means, None, 63)?.keys, n / 2)?;
    let limit = factor * around;
    let arguments =
        Arguments::default().with_array(&means).with(n as u32).with(limit).with_array(&waiting);
    // SAFETY: these are the arguments of `spacing_far`, which writes one byte per sample.
    unsafe { share(cuda, FILE, "spacing_far", n, &arguments) }?;
    let far = cuda.download(&compact(cuda, Set::Bytes(&waiting, 1))?)?;
    Ok(Some((far, Some(Spacing { min, median, max, around }))))
}

/// A neighbor search through the cubes of a lattice.
struct Search<'a> {
    cuda: &'a Cuda,
    points: &'a Array<f64>,
    lattice: &'a Lattice,
}

impl Search<'_> {
    /// Finds nearest and mean distances of all samples, or of those in a list, and marks the
    /// samples that need larger cubes. Returns false if the search would be too expensive.
    fn about(
        &self,
        which: Option<&Array<u32>>,
        found: [&Array<u64>; 2],
        waiting: &Array<u8>,
    ) -> Result<bool> {
        let (cuda, n) = (self.cuda, waiting.len());
        let Sorted { keys, values: numbers } = ordered(cuda, self.points, self.lattice)?;
        let cubes = Runs::new(cuda, &keys, 0)?;
        drop(keys);
        if which.is_none() {
            let work = cuda.zeros::<u64>(1)?;
            let arguments = Arguments::default().with(cubes.argument()).with_array(&work);
            // SAFETY: these are the arguments of `spacing_work`.
            unsafe { share(cuda, FILE, "spacing_work", cubes.len(), &arguments) }?;
            if cuda.download(&work)?[0] > MOST_PAIRS {
                return Ok(false);
            }
        }
        let places = cuda.zeros::<f64>(3 * n)?;
        let arguments = Arguments::default()
            .with_array(self.points)
            .with_array(&numbers)
            .with(n as u32)
            .with_array(&places);
        // SAFETY: these are the arguments of `spacing_places`. `numbers` are indices of points.
        unsafe { share(cuda, FILE, "spacing_places", n, &arguments) }?;
        let n_asked = which.map_or(n, Array::len);
        let arguments = Arguments::default()
            .with(LatticeArgument::from(self.lattice))
            .with_array(self.points)
            .with_array(&places)
            .with_array(&numbers)
            .with(cubes.argument())
            .with(which.map_or(0, Array::address))
            .with(n_asked as u32)
            .with_array(found[0])
            .with_array(found[1])
            .with_array(waiting);
        let kernel =
            cuda.kernel(&Unit::new("reconstruct/directed/spacing", &[])?, "spacing_about")?;
        let grid = (n_asked as u32).div_ceil(THREADS);
        let launch = Launch { grid, block: THREADS, shared: 0, cooperative: false };
        // SAFETY: these are the arguments of `spacing_about`. The optional list holds indices of
        // samples.
        unsafe { cuda.launch(&kernel, launch, &arguments) }?;
        Ok(true)
    }
}
