//! Conversion of tiles to a dense array of voxels.

use super::{Pool, Stored, TileKey, TiledGrid};
use crate::error::Result;
use crate::geometry::Real;
use crate::parallel::*;

impl<const E: usize> TiledGrid<E> {
    /// Returns the coordinates of the first and the last voxel of the bounding box of all tiles, or
    /// `None` if there are no tiles.
    pub fn extent(&self) -> Option<([i32; 3], [i32; 3])> {
        let corners = self.keys.par_iter().map(|key| (key.first_voxel(E), key.first_voxel(E)));
        let join = |a: ([i32; 3], [i32; 3]), b: ([i32; 3], [i32; 3])| {
            let low = std::array::from_fn(|k| a.0[k].min(b.0[k]));
            (low, std::array::from_fn(|k| a.1[k].max(b.1[k])))
        };
        let (low, high) = corners.reduce_with(join)?;
        Some((low, high.map(|x| x + E as i32 - 1)))
    }

    /// Writes phi, in voxels, at all `shape` voxels of the box that begins at voxel `first`, x
    /// fastest. Voxels without a tile get plus or minus `gamma`. The work is split over the threads
    /// of the caller's pool.
    ///
    /// # Errors
    /// Returns [`Error::Numerical`](crate::Error::Numerical) if the box leaves the range of tiles.
    ///
    /// # Panics
    /// Panics if the length of `out` does not match `shape`.
    pub fn fill_box<R: Real, S: Stored<R>>(
        &self,
        phi: &Pool<S, E>,
        gamma: R,
        first: [i32; 3],
        shape: [usize; 3],
        out: &mut [R],
    ) -> Result<()> {
        let [nx, ny, nz] = shape;
        assert_eq!(out.len(), nx * ny * nz);
        let rows = out.par_chunks_exact_mut(nx.max(1)).enumerate();
        rows.try_for_each(|(row, out)| {
            let [y, z] = [first[1] + (row % ny) as i32, first[2] + (row / ny) as i32];
            self.fill_row(phi, gamma, [first[0], y, z], out)
        })
    }

    /// Writes phi at the voxels of a row along x that begins at `first`.
    pub(super) fn fill_row<R: Real, S: Stored<R>>(
        &self,
        phi: &Pool<S, E>,
        gamma: R,
        first: [i32; 3],
        out: &mut [R],
    ) -> Result<()> {
        let edge = E as i32;
        let [y, z] = [first[1], first[2]];
        let mut x = 0;
        while x < out.len() {
            let at = first[0] + x as i32;
            let within = at.rem_euclid(edge) as usize;
            let n = (E - within).min(out.len() - x);
            let key = TileKey::of_voxel([at, y, z], E)?;
            let part = &mut out[x..x + n];
            match self.find(key) {
                Some(place) => {
                    let [j, k] = [y, z].map(|c| c.rem_euclid(edge) as usize);
                    let values = phi.tile(self.ids[place]);
                    let from = &values[(k * E + j) * E + within..][..n];
                    part.iter_mut().zip(from).for_each(|(out, v)| *out = v.load(gamma));
                }
                None => {
                    let inside = self.missing_is_inside(key);
                    part.fill(if inside { -gamma } else { gamma });
                }
            }
            x += n;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Band;

    #[test]
    fn a_box_holds_the_field() {
        let gamma = 2.0;
        let phi = |x: [i32; 3]| {
            let square: f64 = x.iter().map(|&x| f64::from(x) * f64::from(x)).sum();
            (square.sqrt() - 9.25).clamp(-gamma, gamma)
        };
        let (grid, pool) = TiledGrid::<4>::from_box::<f64, f64>(
            [-4; 3],
            [4; 3],
            Band { gamma, reach: 1 },
            |first, out| {
                for (n, value) in out.iter_mut().enumerate() {
                    let at = [n % 4, n / 4 % 4, n / 16];
                    *value = phi(std::array::from_fn(|k| first[k] + at[k] as i32));
                }
                Ok(())
            },
        )
        .unwrap();
        let (low, high) = grid.extent().unwrap();
        assert!(low.iter().all(|x| (-16..=-11).contains(x)), "{low:?}");
        assert!(high.iter().all(|x| (11..=16).contains(x)), "{high:?}");
        // The box crosses the center, where there is no tile, and reaches beyond all tiles.
        let (first, shape) = ([-17, -3, -1], [37, 6, 5]);
        let mut out = vec![0.0; 37 * 6 * 5];
        grid.fill_box(&pool, gamma, first, shape, &mut out).unwrap();
        for (n, found) in out.into_iter().enumerate() {
            let at = [n % 37, n / 37 % 6, n / (37 * 6)];
            let x = std::array::from_fn(|k| first[k] + at[k] as i32);
            assert_eq!(found, phi(x), "{x:?}");
        }
        let mut out = [0.0];
        let far = grid.fill_box(&pool, gamma, [i32::MAX, 0, 0], [1; 3], &mut out);
        assert!(far.is_err());
    }
}
