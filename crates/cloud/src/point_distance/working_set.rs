//! How a comparison of all with all is cut up so that it keeps to a working set.

use super::nearest::Found;
use zeroset_core::error::{Error, Result};

/// Sites in a tile: their coordinates stay in the nearest cache.
const TILE: usize = 1024;
/// Queries in a block: what a tile is used for while it is there.
const BLOCK: usize = 256;

/// A map and reduction over tiles, as it is run.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Plan {
    /// Sites in a tile.
    pub tile: usize,
    /// Streams of tiles at work side by side, each with a partial minimum per query.
    pub streams: usize,
    /// Queries at a time.
    pub batch: usize,
    /// Queries of a task.
    pub block: usize,
    /// Partial minima and results of the queries at work, bytes: `(streams + 1) batch` entries.
    pub working_set: u64,
}

impl Plan {
    /// For a number of sites and queries, with a working set of at most `memory` bytes.
    ///
    /// # Errors
    /// [`Error::Case`] if there is no room for one query.
    pub(super) fn new<K>(
        n_sites: usize,
        n_queries: usize,
        threads: usize,
        memory: u64,
    ) -> Result<Self> {
        let entry = size_of::<Found<K>>() as u64;
        let room = memory / entry;
        if room < 2 {
            let what = format!(
                "a working set of {memory} bytes: the result of a query and a partial one take {}",
                2 * entry
            );
            return Err(Error::usage(what, "raise the limit (--memory)"));
        }
        let block = BLOCK.min(n_queries.max(1));
        // Few queries leave threads idle unless several of them share the sites.
        let idle = threads.div_ceil(n_queries.div_ceil(block).max(1));
        let streams = idle.min(n_sites.div_ceil(TILE)).clamp(1, (room - 1).min(1 << 16) as usize);
        let batch = usize::try_from(room / (streams as u64 + 1)).unwrap_or(usize::MAX);
        let batch = batch.clamp(1, n_queries.max(1));
        let working_set = (streams as u64 + 1) * batch as u64 * entry;
        Ok(Plan { tile: TILE, streams, batch, block: block.min(batch), working_set })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_working_set_keeps_to_its_limit() {
        let entry = size_of::<Found<f32>>() as u64;
        for (sites, queries, threads) in
            [(0, 0, 1), (1, 1, 8), (1 << 24, 1024, 64), (5_000, 100_000, 2)]
        {
            for memory in
                [2 * entry, 7 * entry, 1 << 16, queries as u64 * entry + (1 << 20), 1 << 40]
            {
                let plan = Plan::new::<f32>(sites, queries, threads, memory).unwrap();
                assert!(plan.working_set <= memory, "{plan:?}");
                assert!(plan.streams * plan.batch * plan.block > 0 && plan.block <= plan.batch);
            }
        }
        let plan = Plan::new::<f32>(10, 100, 1, 1 << 20).unwrap();
        assert_eq!((plan.batch, plan.working_set), (100, 200 * entry), "all at a time");
        let error = Plan::new::<f32>(10, 100, 1, 2 * entry - 1).unwrap_err().to_string();
        assert!(error.contains("take 16"), "{error}");
    }
}
