//! The neighbors that each tile requests, derived from its values.

use crate::geometry::Real;
use crate::parallel::*;

use super::keys::{CENTER, DIRECTIONS};
use super::manage::missing;
use super::tile_passes::CHUNK;
use super::tile_walks::Walk;
use super::{Band, Pool, Stored, TiledGrid};

/// The mask bit of a tile crossed by the interface or its band. Such a tile is never deleted.
pub const ACTIVE: u32 = 1 << CENTER;
/// The mask bit of a tile whose voxels are all -gamma.
pub const INSIDE: u32 = 1 << DIRECTIONS;
/// The mask bits of all directions, including the tile itself.
pub(super) const ALL: u32 = (1 << DIRECTIONS) - 1;

/// Returns the request mask of a tile, computed from its E^3 values, x fastest.
///
/// Bit d is set if an active voxel (|phi| < gamma or NaN) lies within `band.reach` layers of the
/// boundary shared with the neighbor in direction d. That boundary is a face for six directions, an
/// edge for twelve and a corner for eight. Bit [`ACTIVE`] is set if any voxel is active. If a tile
/// without active voxels has one sign, it requests no neighbors, and bit [`INSIDE`] is set if this
/// sign is negative. If it has both signs, the interface runs through it without a band. All other
/// bits, including [`ACTIVE`], are then set, so that the tile stays and has all neighbors.
pub fn activity<const E: usize, R: Real, S: Stored<R>>(values: &[S], band: Band<R>) -> u32 {
    let active = borders::<E, S>(values, band.reach, |v| v.is_active(band.gamma));
    if active != 0 {
        return active;
    }
    let inside = values.iter().filter(|v| v.is_inside(band.gamma)).count();
    match inside {
        0 => 0,
        n if n == values.len() => INSIDE,
        _ => ALL,
    }
}

/// Returns a mask of directions. Bit d is set if a voxel within `reach` layers of the boundary in
/// direction d passes `test`.
pub(super) fn borders<const E: usize, S: Copy>(
    values: &[S],
    reach: usize,
    test: impl Fn(S) -> bool,
) -> u32 {
    let low = (1u32 << reach) - 1;
    let high = low << (E - reach);
    let near = |bits: u32, shift: u32, at: usize| {
        let below = if at < reach { bits } else { 0 };
        let above = if at + reach >= E { bits << (2 * shift) } else { 0 };
        below | bits << shift | above
    };
    let mut all = 0;
    for (z, slab) in values.chunks_exact(E * E).enumerate() {
        let mut of_slab = 0;
        for (y, row) in slab.chunks_exact(E).enumerate() {
            let found = row.iter().enumerate().fold(0, |b, (x, &v)| b | u32::from(test(v)) << x);
            let in_x = u32::from(found & low != 0)
                | u32::from(found != 0) << 1
                | u32::from(found & high != 0) << 2;
            of_slab |= near(in_x, 3, y);
        }
        all |= near(of_slab, 9, z);
    }
    all
}

impl<const E: usize> TiledGrid<E> {
    /// Recomputes the request mask of each tile from its values.
    pub fn refresh_activity<R: Real, S: Stored<R>>(&mut self, phi: &Pool<S, E>, band: Band<R>) {
        let tiles = self.activity.par_iter_mut().zip(&self.ids).with_min_len(CHUNK);
        tiles.for_each(|(mask, &id)| *mask = activity::<E, R, S>(phi.tile(id), band));
    }
}

impl<const E: usize> TiledGrid<E> {
    /// Returns whether the next step needs a missing tile. A missing tile is needed if it lies
    /// within `band.reach` layers of an active voxel, or if its sign differs from that of a
    /// neighbor without active voxels.
    pub fn is_pressed<R: Real, S: Stored<R>>(&self, phi: &Pool<S, E>, band: Band<R>) -> bool {
        let chunks = self.keys.par_chunks(CHUNK).zip(self.ids.par_chunks(CHUNK));
        chunks.zip(self.borders.par_chunks(CHUNK)).any(|((keys, ids), borders)| {
            let mut walk = Walk::new(&self.keys);
            keys.iter().zip(ids).zip(borders).any(|((&key, &id), &border)| {
                let mask = activity::<E, R, S>(phi.tile(id), band);
                let asked = match mask {
                    0 => border,
                    INSIDE => !border,
                    asked => asked,
                };
                asked & ALL & !ACTIVE != 0 && asked & missing(&walk.positions(key)) != 0
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::step_of;

    /// Computes the request mask from its definition, voxel by voxel.
    fn by_definition<const E: usize>(values: &[f32], band: Band<f32>) -> u32 {
        let (mut mask, reach) = (0, band.reach as i32);
        for (n, v) in values.iter().enumerate().filter(|(_, v)| v.abs() < band.gamma) {
            let place = [n % E, n / E % E, n / E / E].map(|c| c as i32);
            assert!(v.is_finite());
            for d in 0..DIRECTIONS {
                let near = step_of(d).iter().zip(place).all(|(&step, c)| match step {
                    -1 => c < reach,
                    0 => true,
                    _ => c >= E as i32 - reach,
                });
                mask |= u32::from(near) << d;
            }
        }
        mask
    }

    fn one_active<const E: usize>() {
        for reach in 1..=E {
            let band = Band { gamma: 3.0f32, reach };
            for n in 0..E * E * E {
                let mut values = vec![3.0; E * E * E];
                values[n] = 2.9;
                let mask = activity::<E, _, _>(&values, band);
                assert_eq!(mask, by_definition::<E>(&values, band), "voxel {n}, reach {reach}");
                values[E * E * E - 1 - n] = -1.0;
                let mask = activity::<E, _, _>(&values, band);
                assert_eq!(mask, by_definition::<E>(&values, band), "voxel {n}, reach {reach}");
            }
        }
    }

    #[test]
    fn a_tile_asks_for_the_neighbors_within_reach_of_its_active_voxels() {
        one_active::<4>();
        one_active::<8>();
    }

    #[test]
    fn tiles_without_band() {
        let band = Band { gamma: 1.5f64, reach: 1 };
        let mut values = [1.5; 64];
        assert_eq!(activity::<4, _, _>(&values, band), 0);
        values.fill(-1.5);
        assert_eq!(activity::<4, _, _>(&values, band), INSIDE);
        values[20] = 1.5;
        assert_eq!(activity::<4, _, _>(&values, band), ALL);
        values.fill(1.5);
        values[21] = f64::NAN;
        assert_eq!(activity::<4, _, _>(&values, band), ACTIVE); // NaN counts as active
    }
}
