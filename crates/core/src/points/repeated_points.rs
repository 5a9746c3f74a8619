//! Repeated points: the entries of a list in which each point occurs several times (Ziegler et al.
//! 2006, section 6.2).

use std::ops::Range;

use super::Points;
use crate::error::{DeviceFault, Error, Result};
use crate::expression::{Columns, Expression};
use crate::parallel::*;
use crate::primitives::{exclusive_scan, memory, reduce};
use crate::volume::VOXEL_NAMES;

/// The number of points that are evaluated together.
const BLOCK: usize = 1 << 10;

/// Returns the number of copies of each point: the value of an expression in v, x, y, z, i, j and
/// k, rounded down.
///
/// # Errors
/// Returns [`Error::Case`] if the expression uses time or any other name, or if its value at a
/// point is negative, NaN, or 2^32 or more.
pub fn copies(points: &Points, expression: &Expression) -> Result<Vec<u32>> {
    let columns = Columns::bind(expression, &VOXEL_NAMES)?;
    let mut counts = vec![0; points.len()];
    counts.par_chunks_mut(BLOCK).enumerate().try_for_each(|(block, counts)| {
        let here = block * BLOCK..block * BLOCK + counts.len();
        let voxels = &points.voxels[here.clone()];
        let index = |k: usize| voxels.iter().map(|v| f64::from(v[k])).collect::<Vec<_>>();
        let (i, j, k) = (index(0), index(1), index(2));
        let mut numbers = vec![0.0; counts.len()];
        let given: [&[f64]; 4] = [&points.values[here.clone()], &i, &j, &k];
        columns.evaluate_into(&points.positions[here], &given, &mut numbers);
        for ((count, &number), voxel) in counts.iter_mut().zip(&numbers).zip(voxels) {
            // NaN is never in the range.
            if !(0.0..4_294_967_296.0).contains(&number) {
                let what = format!("{expression}: {number} copies of voxel {voxel:?}");
                let remedy = "use an expression whose value there is at least 0 and less than 2^32";
                return Err(Error::usage(what, remedy));
            }
            *count = number as u32;
        }
        Ok(())
    })?;
    Ok(counts)
}

impl Points {
    /// Returns a range of the list in which point k occurs `counts[k]` times, and the length of the
    /// whole list. The copies of a point are numbered from 0. The range may reach beyond the end of
    /// the list.
    ///
    /// # Errors
    /// Returns [`Error::Device`] if the list has 2^32 entries or more, or if there is not enough
    /// memory.
    ///
    /// # Panics
    /// Panics if there is not exactly one count per point.
    pub fn cloned(&self, counts: &[u32], entries: Range<usize>) -> Result<(Points, usize)> {
        const LESS: &str = "use fewer copies or fewer points";
        assert_eq!(counts.len(), self.len(), "one count for each point");
        let tiles: Vec<u64> =
            counts.par_chunks(BLOCK).map(|c| c.iter().map(|&n| u64::from(n)).sum()).collect();
        let total = reduce(&tiles, 0, u64::saturating_add);
        if u32::try_from(total).is_err() {
            let what = format!("{total} entries, but at most 2^32 - 1 can be numbered");
            return Err(Error::device_fault(DeviceFault::Limit, what, LESS));
        }
        let total = total as usize;
        let first = exclusive_scan(counts);
        let end = entries.end.min(total);
        let range = entries.start.min(end)..end;
        let mut places: Vec<(usize, u32)> = Vec::new();
        memory::reserve(&mut places, range.len(), "entries in a list", LESS)?;
        places.par_extend(range.into_par_iter().map(|entry| {
            // Find the last point whose entries begin at or before this entry. A point without
            // entries begins where the next point begins.
            let point = first.partition_point(|&first| first as usize <= entry) - 1;
            (point, entry as u32 - first[point])
        }));
        let points = Points {
            positions: places.par_iter().map(|&(point, _)| self.positions[point]).collect(),
            values: places.par_iter().map(|&(point, _)| self.values[point]).collect(),
            voxels: places.par_iter().map(|&(point, _)| self.voxels[point]).collect(),
            copies: Some(places.par_iter().map(|&(_, copy)| copy).collect()),
        };
        Ok((points, total))
    }
}
