//! Partitioning of a brute-force search so that it stays within a given working set.

use super::nearest::Found;
use zeroset_core::error::{Error, Result};

/// The number of sites per tile. Their coordinates fit into the first-level cache.
const TILE: usize = 1024;
/// The number of queries per block. They are compared with a tile while it is in the cache.
const BLOCK: usize = 256;

/// The partitioning of a map and reduction over tiles.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Plan {
    /// The number of sites per tile, or per piece that is streamed through GPUs.
    pub tile: usize,
    /// The number of concurrent streams of tiles, each with one partial minimum per query.
    pub streams: usize,
    /// The number of queries per batch.
    pub batch: usize,
    /// The number of queries per task.
    pub block: usize,
    /// The number of bytes of the partial minima and results of a batch: `(streams + 1) batch`
    /// entries. If sites are streamed through GPUs, it includes the sites on the GPUs.
    pub working_set: u64,
}

impl Plan {
    /// Plans the search for a number of sites and queries, with a working set of at most `memory`
    /// bytes.
    ///
    /// # Errors
    /// Returns [`Error::Case`] if there is not enough memory for one query.
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
                "a working set of {memory} bytes, but the result and the partial result of one query take {}",
                2 * entry
            );
            return Err(Error::usage(what, "raise the limit (--memory)"));
        }
        let block = BLOCK.min(n_queries.max(1));
        // With few queries, threads would be idle unless several of them share the sites.
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
        assert_eq!(
            (plan.batch, plan.working_set),
            (100, 200 * entry),
            "all queries must fit into one batch"
        );
        let error = Plan::new::<f32>(10, 100, 1, 2 * entry - 1).unwrap_err().to_string();
        assert!(error.contains("take 16"), "{error}");
    }
}
