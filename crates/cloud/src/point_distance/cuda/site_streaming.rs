//! Streaming of sites through GPUs in pieces, within a given working set (Khan and Zahran, section
//! 4: K kernels in J streams).

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::DeviceCoordinate;
use super::comparison::{Asked, Comparison, TILE};
use crate::point_distance::cone::Toward;
use crate::point_distance::nearest::Checked;
use crate::point_distance::{
    Found, Kernel, Method, Nearest, Options, Plan, Sites, perforation_error,
};
use zeroset_core::error::{Error, Result};
use zeroset_gpu::{Array, Cuda};

/// The intended mean number of pieces per stream if there are several streams. Faster GPUs process
/// more pieces than slower ones.
const PIECES: usize = 4;
/// The number of threads per block, each with one query.
const BLOCK: usize = 128;

/// Returns the nearest site of each query, as [`crate::point_distance::nearest`] does, by brute
/// force with one stream per entry of `gpus`.
///
/// The entries may be different GPUs or the same one. If a GPU has several streams, some of them
/// copy sites while others compare. The sites are split into pieces. A stream takes the next piece
/// when it has finished one, so that each GPU gets work according to its speed. Each stream keeps
/// its own smallest keys, which are combined at the end, so the results do not depend on the
/// assignment of pieces.
///
/// The sites and results on all GPUs together take at most [`Options::memory`] bytes, for any
/// number of sites. If the results of all queries would take more than half of that, the queries
/// are processed in batches, and the sites are streamed again for each batch.
///
/// # Errors
/// Returns the errors of [`super::DeviceSites::nearest`], and [`Error::Case`] if the memory limit
/// is too small for one result and one piece per stream.
///
/// # Panics
/// Panics if `gpus` is empty.
pub fn nearest_in_streams<C: DeviceCoordinate>(
    gpus: &[Cuda],
    sites: &Sites<C>,
    queries: &[[C; 3]],
    options: &Options,
) -> Result<Nearest<C>> {
    assert!(!gpus.is_empty(), "there must be at least one stream");
    let checked = Checked::new(queries, options)?;
    let plan = plan::<C>(gpus.len(), sites.len(), queries.len(), options)?;
    let row = plan.batch as u64 * C::RESULT / 2;
    let (bounds, room) = (sites.bounds(), row + rows::<C>(gpus.len(), options.memory));
    let (norm, toward) = (options.norm, checked.toward());
    let asked = Asked { queries, norm, toward, bounds, numbered: true, room };
    let (found, kernel) = compare(gpus, sites, &asked, &plan, options.every)?;
    let mut nearest = checked.result(found, Method::Brute, kernel, plan.working_set);
    nearest.plan = Some(plan);
    if options.every > 1 {
        let step = perforation_error::sample(queries.len());
        let some: Vec<[C; 3]> = queries.iter().step_by(step).copied().collect();
        let toward: Option<Toward> = checked.toward().map(|toward| toward.every(step));
        let asked = Asked { queries: &some, toward: toward.as_ref(), ..asked };
        let (exact, _) = compare(gpus, sites, &asked, &plan, 1)?;
        nearest.perforation = Some(checked.error(&exact, &nearest.found, step));
    }
    Ok(nearest)
}

/// The largest number of bytes of slice results per stream, beyond one result per query, which is
/// always allocated. More slices are not needed to fill a GPU.
const ROWS: u64 = 8 << 20;

/// Returns the number of bytes of slice results per stream. Only wide keys have slice results.
fn rows<C: DeviceCoordinate>(streams: usize, memory: u64) -> u64 {
    if C::RESULT > size_of::<u64>() as u64 { (memory / 4 / streams as u64).min(ROWS) } else { 0 }
}

/// Chooses the sites per piece and the queries per batch, and computes the working set.
fn plan<C: DeviceCoordinate>(
    streams: usize,
    n_sites: usize,
    n_queries: usize,
    options: &Options,
) -> Result<Plan> {
    let tile = TILE as usize * options.every;
    let site = 3 * size_of::<C>();
    let rows = streams as u64 * rows::<C>(streams, options.memory);
    let (least, result) = ((streams * tile * site) as u64, streams as u64 * C::RESULT);
    let Some(most) = options.memory.checked_sub(rows + least + result) else {
        let what = format!(
            "a working set of {} bytes, but one query and pieces of {tile} sites in {streams} streams take {}",
            options.memory,
            rows + least + result
        );
        return Err(Error::usage(what, "raise the limit (--memory)"));
    };
    let queries = (options.memory / 2).clamp(result, most + result) / result;
    let batch = n_queries.min(usize::try_from(queries).unwrap_or(usize::MAX)).max(1);
    let results = batch as u64 * result + rows;
    let room = (options.memory - results) / (streams * site) as u64;
    // A piece must begin at a site that perforation keeps.
    let most = usize::try_from(room).unwrap_or(usize::MAX) / tile * tile;
    let shares = if streams > 1 { streams * PIECES } else { 1 };
    let piece = n_sites.div_ceil(shares).next_multiple_of(tile).clamp(tile, most);
    let working_set = results + (streams * piece * site) as u64;
    Ok(Plan { tile: piece, streams, batch, block: BLOCK, working_set })
}

/// Compares all queries, in batches, with the sites 0, `every`, 2 `every`, ...
fn compare<C: DeviceCoordinate>(
    gpus: &[Cuda],
    sites: &Sites<C>,
    asked: &Asked<'_, C>,
    plan: &Plan,
    every: usize,
) -> Result<(Vec<Found<C::Key>>, Kernel)> {
    let mut all = (Vec::with_capacity(asked.queries.len()), Kernel::F32);
    for (k, queries) in asked.queries.chunks(plan.batch).enumerate() {
        let first = k * plan.batch;
        let toward = asked.toward.map(|toward| toward.part(first..first + queries.len()));
        let asked = Asked { queries, toward: toward.as_ref(), ..*asked };
        let (found, kernel) = compare_batch(gpus, sites, &asked, plan.tile, every)?;
        all.0.extend(found);
        all.1 = kernel;
    }
    Ok(all)
}

/// Compares a batch of queries with the sites 0, `every`, 2 `every`, ..., in pieces of `piece`
/// sites.
fn compare_batch<C: DeviceCoordinate>(
    gpus: &[Cuda],
    sites: &Sites<C>,
    asked: &Asked<'_, C>,
    piece: usize,
    every: usize,
) -> Result<(Vec<Found<C::Key>>, Kernel)> {
    let next = AtomicUsize::new(0);
    let pieces = || {
        let first = next.fetch_add(1, Ordering::Relaxed).checked_mul(piece)?;
        (first < sites.len()).then(|| first..(first + piece).min(sites.len()))
    };
    let of_stream = |cuda: &Cuda| -> Result<(Vec<Found<C::Key>>, Kernel)> {
        let comparison = Comparison::new(cuda, asked)?;
        let n = piece.min(sites.len());
        let mut axes = [cuda.zeros(n)?, cuda.zeros(n)?, cuda.zeros(n)?];
        while let Some(range) = pieces() {
            write(cuda, &mut axes, sites, range.clone())?;
            comparison.launch(cuda, &axes, range.len(), every, range.start)?;
        }
        Ok((comparison.found(cuda)?, comparison.arithmetic()))
    };
    let parts: Vec<Result<_>> = std::thread::scope(|scope| {
        let threads: Vec<_> = gpus.iter().map(|cuda| scope.spawn(|| of_stream(cuda))).collect();
        let failed = || Err(Error::device("a thread of a stream ended unexpectedly", ""));
        threads.into_iter().map(|thread| thread.join().unwrap_or_else(|_| failed())).collect()
    });
    let mut joined: Option<(Vec<Found<C::Key>>, Kernel)> = None;
    for part in parts {
        let (part, kernel) = part?;
        match &mut joined {
            Some((found, _)) => {
                found.iter_mut().zip(part).for_each(|(a, b)| *a = a.nearer(b));
            }
            None => joined = Some((part, kernel)),
        }
    }
    Ok(joined.unwrap_or((Vec::new(), Kernel::F32)))
}

/// Overwrites the sites on the GPU with the next piece, after the comparison of the previous piece.
fn write<C: DeviceCoordinate>(
    cuda: &Cuda,
    axes: &mut [Array<C>; 3],
    sites: &Sites<C>,
    range: Range<usize>,
) -> Result<()> {
    for (k, axis) in axes.iter_mut().enumerate() {
        cuda.write(axis, &sites.axis(k)[range.clone()])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_keep_to_the_working_set() {
        let mut options = Options::default();
        for (streams, n_sites, n_queries, every) in
            [(1, 0, 0, 1), (2, 1 << 24, 1024, 1), (3, 1000, 7, 3), (8, 1 << 20, 1 << 16, 1)]
        {
            options.every = every;
            for memory in [1 << 22, 8 << 20, 1 << 30] {
                options.memory = memory;
                let single = plan::<f32>(streams, n_sites, n_queries, &options).unwrap();
                let double = plan::<f64>(streams, n_sites, n_queries, &options).unwrap();
                for plan in [single, double] {
                    assert!(plan.working_set <= memory, "{plan:?}");
                    assert_eq!(plan.tile % (TILE as usize * every), 0, "{plan:?}");
                    assert!(plan.tile > 0 && plan.streams == streams, "{plan:?}");
                    assert!((1..=n_queries.max(1)).contains(&plan.batch), "{plan:?}");
                }
            }
        }
        options.memory = 1000;
        assert!(plan::<f32>(1, 10, 10_000, &options).is_err());
        let error = plan::<f32>(1, 10, 10, &options).unwrap_err().to_string();
        assert!(error.contains("raise the limit"), "{error}");
    }
}
