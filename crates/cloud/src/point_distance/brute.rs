//! Brute-force search: compares each query with each site, as a map and a reduction over tiles.
//!
//! See Khan and Zahran, section III. A tile of sites stays in the first-level cache while a block
//! of queries is compared with it. Each stream keeps one partial minimum per query, so that the
//! memory between map and reduction does not grow with the number of sites.

use super::cone::Toward;
use super::coordinate::Coordinate;
use super::nearest::Found;
use super::norm::Metric;
use super::sites::Sites;
use super::working_set::Plan;
use zeroset_core::parallel::*;

/// The number of simultaneous comparisons.
const LANES: usize = 16;

/// The input of a brute-force search.
pub struct Sweep<'a, C> {
    pub sites: &'a Sites<C>,
    pub queries: &'a [[C; 3]],
    /// The cones of the queries, if the search is restricted to cones.
    pub toward: Option<&'a Toward>,
    pub plan: Plan,
}

/// Returns the nearest site of each query. Among equally near sites, the one with the smallest
/// index is returned.
pub(super) fn run<C: Coordinate, M: Metric<C>>(
    sweep: &Sweep<'_, C>,
    metric: M,
) -> Vec<Found<C::Key>> {
    let Plan { tile, streams, batch, block, .. } = sweep.plan;
    let mut results = Vec::with_capacity(sweep.queries.len());
    let tiles = sweep.sites.len().div_ceil(tile);
    for (k, queries) in sweep.queries.chunks(batch).enumerate() {
        let blocks = queries.len().div_ceil(block);
        // Map: each stream processes every `streams`-th tile of the sites for one block of queries.
        let partial: Vec<Vec<Found<C::Key>>> = (0..blocks * streams)
            .into_par_iter()
            .map(|task| {
                let (at, stream) = (task / streams * block, task % streams);
                let queries = &queries[at..(at + block).min(queries.len())];
                let mut best = vec![Found::none::<C>(); queries.len()];
                for n in (stream..tiles).step_by(streams) {
                    let range = n * tile..((n + 1) * tile).min(sweep.sites.len());
                    let axes = [0, 1, 2].map(|k| &sweep.sites.axis(k)[range.clone()]);
                    for (i, (q, best)) in queries.iter().zip(&mut best).enumerate() {
                        let toward = sweep.toward.map(|toward| toward.of(k * batch + at + i));
                        let found = match toward {
                            None => in_tile(metric, axes, *q, best.key),
                            Some(toward) => {
                                let admits = |d: [C; 3]| toward.admits(d.map(C::to_f64));
                                in_tile_if(metric, axes, *q, best.key, admits)
                            }
                        };
                        if let Some((key, i)) = found {
                            *best = Found { key, site: (range.start + i) as u32 };
                        }
                    }
                }
                best
            })
            .collect();
        // Reduction: streams process interleaved tiles, so ties between streams must be resolved
        // here.
        for streams in partial.chunks(streams) {
            results.extend((0..streams[0].len()).map(|i| {
                let all = streams.iter().map(|best| best[i]);
                all.reduce(Found::nearer).unwrap_or(Found::none::<C>())
            }));
        }
    }
    results
}

/// Returns the smallest key of a tile and the position of the first site that has it, or `None` if
/// the key is not below `bound`. A vectorized pass finds the key. A second pass finds the position,
/// but only if the key is below `bound`.
fn in_tile<C: Coordinate>(
    metric: impl Metric<C>,
    [x, y, z]: [&[C]; 3],
    q: [C; 3],
    bound: C::Key,
) -> Option<(C::Key, usize)> {
    let key = |x: C, y: C, z: C| metric.key([x.minus(q[0]), y.minus(q[1]), z.minus(q[2])]);
    let smaller = |a: C::Key, b: C::Key| if a < b { a } else { b };
    let mut least = [C::FAR; LANES];
    let whole = x.len() / LANES * LANES;
    let ends = [x, y, z].map(|axis| axis.split_at(whole));
    let [xs, ys, zs] = ends.map(|(begin, _)| begin.as_chunks::<LANES>().0);
    for ((x, y), z) in xs.iter().zip(ys).zip(zs) {
        for l in 0..LANES {
            least[l] = smaller(key(x[l], y[l], z[l]), least[l]);
        }
    }
    let [xs, ys, zs] = ends.map(|(_, end)| end);
    let rest = xs.iter().zip(ys).zip(zs).map(|((&x, &y), &z)| key(x, y, z));
    let least = least.into_iter().chain(rest).fold(C::FAR, smaller);
    if least >= bound {
        return None;
    }
    let mut keys = x.iter().zip(y).zip(z).map(|((&x, &y), &z)| key(x, y, z));
    keys.position(|key| key == least).map(|i| (least, i))
}

/// Searches a tile as `in_tile` does, but considers only sites for which `admits` returns true. The
/// argument of `admits` is the vector from the query to the site.
fn in_tile_if<C: Coordinate>(
    metric: impl Metric<C>,
    [x, y, z]: [&[C]; 3],
    q: [C; 3],
    bound: C::Key,
    admits: impl Fn([C; 3]) -> bool,
) -> Option<(C::Key, usize)> {
    let mut found = None;
    let mut bound = bound;
    for (i, ((x, y), z)) in x.iter().zip(y).zip(z).enumerate() {
        let d = [x.minus(q[0]), y.minus(q[1]), z.minus(q[2])];
        let key = metric.key(d);
        if key < bound && admits(d) {
            bound = key;
            found = Some((key, i));
        }
    }
    found
}
