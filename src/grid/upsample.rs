//! Refinement of a tiled grid to the next finer grid.

use super::{Band, Pool, Stored, TiledGrid};
use crate::error::Result;
use crate::geometry::Real;

/// The largest number of coarse voxels along the edge of a fine tile, both ends included.
const MOST: usize = 5;

impl<const E: usize> TiledGrid<E> {
    /// Returns a tile set and values for the same interface on voxels of half the size. `gamma` is
    /// the half width of the band of this grid, and `band` is the band of the finer grid. Fine
    /// voxel 2 i lies at coarse voxel i. Between coarse voxels, phi is interpolated linearly along
    /// each axis. phi is measured in voxels, so it doubles (the paper omits this), and it is
    /// clamped to the band.
    ///
    /// Source: A. C. Jalba, W. J. van der Laan, J. B. T. M. Roerdink, "Fast sparse level sets on
    /// graphics hardware", IEEE TVCG 19 (2013), section 4. See also docs/tiles.md, section 8.
    ///
    /// # Errors
    /// Returns [`Error::Numerical`](crate::Error::Numerical) if the fine tiles leave the range of
    /// tiles, a value is NaN or phi jumps across the band, and
    /// [`Error::Device`](crate::Error::Device) if there is not enough memory.
    pub fn upsample<R: Real, S: Stored<R>>(
        &self,
        phi: &Pool<S, E>,
        gamma: R,
        band: Band<R>,
    ) -> Result<(Self, Pool<S, E>)> {
        let parts = |tile: [i32; 3]| {
            (0..8).map(move |part| std::array::from_fn(|k| 2 * tile[k] + (part >> k & 1)))
        };
        let seeds = self.keys.iter().flat_map(|key| parts(key.tile()));
        Self::from_seeds(seeds, band, |first: [i32; 3], out: &mut [R]| {
            // The first voxel of a tile has even coordinates, so it coincides with a coarse voxel.
            let edge = E / 2 + 1;
            let low = first.map(|x| x.div_euclid(2));
            let mut coarse = [R::zero(); MOST * MOST * MOST];
            for (row, values) in coarse.chunks_exact_mut(edge).take(edge * edge).enumerate() {
                let [y, z] = [row % edge, row / edge].map(|n| n as i32);
                self.fill_row(phi, gamma, [low[0], low[1] + y, low[2] + z], values)?;
            }
            for (n, out) in out.iter_mut().enumerate() {
                *out = doubled(&coarse, edge, [n % E, n / E % E, n / (E * E)]);
            }
            Ok(())
        })
    }
}

/// Returns twice the interpolated value at a fine voxel, from a block of `edge^3` coarse values.
fn doubled<R: Real>(coarse: &[R], edge: usize, fine: [usize; 3]) -> R {
    let [low, odd] = [fine.map(|x| x / 2), fine.map(|x| x % 2)];
    let ends = |k: usize| low[k]..=low[k] + odd[k];
    let (mut sum, mut count) = (R::zero(), R::zero());
    for z in ends(2) {
        for y in ends(1) {
            for x in ends(0) {
                sum += coarse[(z * edge + y) * edge + x];
                count += R::one();
            }
        }
    }
    (sum + sum) / count
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<const E: usize, S: Stored<f32>>(tolerance: f64) {
        let center = [0.3, -1.2, 2.6];
        let radius = 11.7;
        let distance = |x: [f64; 3]| {
            let square: f64 = (0..3).map(|k| (x[k] - center[k]) * (x[k] - center[k])).sum();
            square.sqrt() - radius
        };
        let band = Band { gamma: 3.0, reach: 3 };
        let (grid, pool) =
            TiledGrid::<E>::from_box::<f32, S>([-6; 3], [6; 3], band, |first, out| {
                for (n, value) in out.iter_mut().enumerate() {
                    let at = [n % E, n / E % E, n / (E * E)];
                    let x = std::array::from_fn(|k| f64::from(first[k] + at[k] as i32));
                    *value = distance(x) as f32;
                }
                Ok(())
            })
            .unwrap();
        let (fine, values) = grid.upsample(&pool, 3.0, band).unwrap();
        fine.check().unwrap();
        // The radius in voxels doubles, so there are about four times as many tiles. phi is in fine
        // voxels.
        let growth = fine.n_tiles() as f64 / grid.n_tiles() as f64;
        assert!((2.5..5.5).contains(&growth), "{growth}");
        let mut near = 0;
        for (key, &id) in fine.keys().iter().zip(fine.ids()) {
            let first = key.first_voxel(E);
            for (n, value) in values.tile(id).iter().enumerate() {
                let at = [n % E, n / E % E, n / (E * E)];
                let x = std::array::from_fn(|k| 0.5 * f64::from(first[k] + at[k] as i32));
                let (found, expected) = (f64::from(value.load(3.0)), 2.0 * distance(x));
                if expected.abs() < 2.5 {
                    // The tolerance allows for the error of linear interpolation at radius 11.7.
                    assert!((found - expected).abs() < tolerance, "{found} {expected}");
                    near += 1;
                }
            }
        }
        assert!(near > 10_000, "{near}");
    }

    #[test]
    fn phi_doubles_and_the_interface_stays() {
        check::<4, f32>(0.06);
        check::<8, f32>(0.06);
        check::<4, crate::grid::Fixed16>(0.06);
    }
}
