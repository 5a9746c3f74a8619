//! A check that the grid is fine enough for the initial interface.

use super::TiledCase;
use crate::grid::{Pool, Stored, Tile, TiledGrid};
use crate::levelset::tiled::Wide;

/// Smallest number of voxels across the inside. With fewer voxels, the narrow bands of opposite
/// sides touch.
const FEWEST: i64 = 4;

/// First and last voxel of a region.
type Extent = Option<([i32; 3], [i32; 3])>;

fn join(a: Extent, b: Extent) -> Extent {
    let (Some((a_low, a_high)), Some((b_low, b_high))) = (a, b) else { return a.or(b) };
    let least = |k: usize| a_low[k].min(b_low[k]);
    let most = |k: usize| a_high[k].max(b_high[k]);
    Some((std::array::from_fn(least), std::array::from_fn(most)))
}

impl TiledCase<'_> {
    /// Warns if the whole inside has fewer than four voxels along an axis.
    pub(super) fn doubt_resolution<R: Wide, S: Stored<R>, const E: usize>(
        &self,
        grid: &TiledGrid<E>,
        phi: &Pool<S, E>,
        warnings: &mut Vec<String>,
    ) {
        let gamma = self.band::<R>().gamma;
        let of_tile = |tile: &Tile| {
            let first = tile.key.first_voxel(E);
            let values = phi.tile(tile.id).iter().enumerate();
            let found = values.filter(|(_, v)| v.is_inside(gamma)).map(|(n, _)| {
                let at = [n % E, n / E % E, n / (E * E)];
                let voxel = std::array::from_fn(|k| first[k] + at[k] as i32);
                Some((voxel, voxel))
            });
            found.fold(None, join)
        };
        let extent = grid.fold(of_tile, join).flatten();
        let across = |(low, high): ([i32; 3], [i32; 3])| {
            [0, 1, 2].map(|k| i64::from(high[k]) - i64::from(low[k]) + 1)
        };
        let [x, y, z] = extent.map_or([0; 3], across);
        if [x, y, z].iter().all(|n| *n >= FEWEST) {
            return;
        }
        let warning = format!(
            "the inside at the start spans only {x} x {y} x {z} voxels of {}, but its shape \
             needs at least {FEWEST} along each axis; use a smaller domain.tiled.dx{}",
            self.source.dx,
            if self.source.levels > 1 { ", or fewer domain.tiled.levels" } else { "" },
        );
        tracing::warn!("{warning}");
        warnings.push(warning);
    }
}
