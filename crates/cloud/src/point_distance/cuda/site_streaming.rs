//! Sites that pass through the GPUs in pieces, in a working set that is stated (Khan and Zahran, section 4: K kernels in J
//! streams).

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

/// Pieces of a stream at least, where there are several streams: who is fast takes more of them.
const PIECES: usize = 4;
/// Threads of a block, of which each has a query.
const BLOCK: usize = 128;

/// As [`crate::point_distance::nearest`] by comparing all, on one GPU or several, in a stream for each entry of `gpus`;
/// several of one GPU copy while others compare. Sites are cut into pieces; a stream takes the next piece when it is done
/// with one, so that GPUs share the work by the speed they have. Streams keep least keys of their own, joined
/// at the end: the results do not depend on who compared what.
///
/// All sites and results on the GPUs together take at most [`Options::memory`] bytes, however many sites there are; where
/// results of all queries take more than half of that, some of the queries are worked on at a time, and sites pass again for
/// the next ones.
///
/// # Errors
/// As [`super::DeviceSites::nearest`]; [`Error::Case`] for a limit of memory that has no room for a result and one piece of
/// each stream.
///
/// # Panics
/// Without a stream.
pub fn nearest_in_streams<C: DeviceCoordinate>(
    gpus: &[Cuda],
    sites: &Sites<C>,
    queries: &[[C; 3]],
    options: &Options,
) -> Result<Nearest<C>> {
    assert!(!gpus.is_empty(), "at least one stream");
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

/// Bytes of results of slices at most in a stream, beyond the one of each query that always is: more fill no GPU.
const ROWS: u64 = 8 << 20;

/// Bytes that a stream spends on these, where keys are so wide that there are any.
fn rows<C: DeviceCoordinate>(streams: usize, memory: u64) -> u64 {
    if C::RESULT > size_of::<u64>() as u64 { (memory / 4 / streams as u64).min(ROWS) } else { 0 }
}

/// Sites of a piece, queries at a time, and what all take.
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
            "a working set of {} bytes: in {streams} streams a query and pieces of {tile} sites take {}",
            options.memory,
            rows + least + result
        );
        return Err(Error::usage(what, "raise the limit (--memory)"));
    };
    let queries = (options.memory / 2).clamp(result, most + result) / result;
    let batch = n_queries.min(usize::try_from(queries).unwrap_or(usize::MAX)).max(1);
    let results = batch as u64 * result + rows;
    let room = (options.memory - results) / (streams * site) as u64;
    // A piece begins where a site is taken.
    let most = usize::try_from(room).unwrap_or(usize::MAX) / tile * tile;
    let shares = if streams > 1 { streams * PIECES } else { 1 };
    let piece = n_sites.div_ceil(shares).next_multiple_of(tile).clamp(tile, most);
    let working_set = results + (streams * piece * site) as u64;
    Ok(Plan { tile: piece, streams, batch, block: BLOCK, working_set })
}

/// Compares queries with every k-th site, some at a time.
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

/// Compares queries with every k-th site, pieces of so many sites at a time.
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
        let failed = || Err(Error::device("a thread of a stream ended early", ""));
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

/// Copies a piece of the sites over the one before, when that has been compared.
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
