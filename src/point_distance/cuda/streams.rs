//! Sites that pass through the cards in pieces, in a working set that is stated (Khan and Zahran, section 4: K kernels in J
//! streams).

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::DeviceCoordinate;
use super::comparison::{Asked, Comparison, TILE};
use crate::backend::cuda::{Array, Cuda};
use crate::error::{Error, Result};
use crate::point_distance::cone::Toward;
use crate::point_distance::nearest::Checked;
use crate::point_distance::{Found, Kernel, Method, Nearest, Options, Plan, Sites, perforation};

/// Pieces of a stream at least, where there are several streams: who is fast takes more of them.
const PIECES: usize = 4;
/// Threads of a block, of which each has a query.
const BLOCK: usize = 128;

/// As [`crate::point_distance::nearest`] by comparing all, on one card or several, in a stream for each entry of `cards`;
/// several of one card copy while others compare. Sites are cut into pieces; a stream takes the next piece when it is done
/// with one, so that cards share the work by the speed they have. Streams keep least keys of their own, joined
/// at the end: the results do not depend on who compared what.
///
/// All sites and results on the cards together take at most [`Options::memory`] bytes, however many sites there are.
///
/// # Errors
/// As [`super::DeviceSites::nearest`]; [`Error::Case`] for a limit of memory that has no room for results and one piece of
/// each stream.
///
/// # Panics
/// Without a stream.
pub fn nearest_in_streams<C: DeviceCoordinate>(
    cards: &[Cuda],
    sites: &Sites<C>,
    queries: &[[C; 3]],
    options: &Options,
) -> Result<Nearest<C>> {
    assert!(!cards.is_empty(), "at least one stream");
    let checked = Checked::new(queries, options)?;
    let plan = plan::<C>(cards.len(), sites.len(), queries.len(), options)?;
    let asked = Asked {
        queries,
        norm: options.norm,
        toward: checked.toward(),
        bounds: sites.bounds(),
        numbered: true,
    };
    let (found, kernel) = compare(cards, sites, &asked, plan.tile, options.every)?;
    let mut nearest = checked.result(found, Method::Brute, kernel, plan.working_set);
    nearest.plan = Some(plan);
    if options.every > 1 {
        let step = perforation::sample(queries.len());
        let some: Vec<[C; 3]> = queries.iter().step_by(step).copied().collect();
        let toward: Option<Toward> = checked.toward().map(|toward| toward.every(step));
        let asked = Asked { queries: &some, toward: toward.as_ref(), ..asked };
        let (exact, _) = compare(cards, sites, &asked, plan.tile, 1)?;
        nearest.perforation = Some(checked.error(&exact, &nearest.found, step));
    }
    Ok(nearest)
}

/// Sites of a piece, and what all take.
fn plan<C>(streams: usize, n_sites: usize, n_queries: usize, options: &Options) -> Result<Plan> {
    let tile = TILE as usize * options.every;
    let (site, result) = (3 * size_of::<C>(), size_of::<u64>());
    let results = (streams * n_queries * result) as u64;
    let room = options.memory.saturating_sub(results) / (streams * site) as u64;
    // A piece begins where a site is taken.
    let most = usize::try_from(room).unwrap_or(usize::MAX) / tile * tile;
    if most == 0 {
        let what = format!(
            "a working set of {} bytes: in {streams} streams results of {n_queries} queries and pieces of {tile} sites take {}",
            options.memory,
            results + (streams * tile * site) as u64
        );
        return Err(Error::usage(what, "raise the limit (--memory), or ask in parts"));
    }
    let shares = if streams > 1 { streams * PIECES } else { 1 };
    let piece = n_sites.div_ceil(shares).next_multiple_of(tile).clamp(tile, most);
    let working_set = results + (streams * piece * site) as u64;
    Ok(Plan { tile: piece, streams, batch: n_queries, block: BLOCK, working_set })
}

/// Compares queries with every k-th site, pieces of so many sites at a time.
fn compare<C: DeviceCoordinate>(
    cards: &[Cuda],
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
        let threads: Vec<_> = cards.iter().map(|cuda| scope.spawn(|| of_stream(cuda))).collect();
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
                let Ok(plan) = plan::<f32>(streams, n_sites, n_queries, &options) else {
                    assert!(memory < 8 * (streams * n_queries) as u64 + (1 << 20));
                    continue;
                };
                assert!(plan.working_set <= memory, "{plan:?}");
                assert_eq!(plan.tile % (TILE as usize * every), 0, "{plan:?}");
                assert_eq!(plan.streams, streams);
            }
        }
        options.memory = 1000;
        let error = plan::<f32>(1, 10, 10, &options).unwrap_err().to_string();
        assert!(error.contains("raise the limit"), "{error}");
    }
}
