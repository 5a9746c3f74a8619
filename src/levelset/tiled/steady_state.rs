//! Detection of the steady state: how far the interface moved between two points in time.
//!
//! A tile that the interface crosses is *old* if the interface in it has moved by at most a
//! fiftieth of a voxel over some interval. The movement is measured along the normal, where the
//! interface crosses the edges between voxels. A voxel may change sides only if its phi changes by
//! no more than that. The interval must be longer than a flat front needs to cross a tile, `E / nu`
//! steps ([`crossing_steps`]). Its start and its end must also lie the same number of steps after a
//! reinitialization. Where the normal speed has a gradient, phi becomes steep between
//! reinitializations, and each reinitialization moves the interface by a tenth of a voxel and back.
//! The interface has reached a steady state if 99 % of the tiles that it crosses are old. The
//! remaining 1 % allows for kinks that oscillate forever.
//!
//! Source: A. C. Jalba, W. J. van der Laan, J. B. T. M. Roerdink, "Fast sparse level sets on
//! graphics hardware", IEEE TVCG 19 (2013), section 4, with corrections (docs/tiles.md, section 8).
//! The paper waits for five steps, which is too short for a front to cross a tile. The age of a
//! tile in the list says nothing about the interface in it. Requiring small changes in phi instead
//! of small movements of the crossings does not work either: away from the interface, phi never
//! stops changing where the normal speed has a gradient.

use crate::geometry::Real;
use crate::grid::{Pool, Stored, TileKey, TiledGrid};
use crate::levelset::tiled::{Options, Reinitialize};

zeroset_gpu::cuda_header! {
    "tile_still";

    /// The largest distance, in voxels, by which the interface has moved in an old tile.
    const STILL: f64 = 0.02;
}

/// Returns the number of steps between two checks: the steps that a front needs to cross a tile of
/// edge `E`, plus one. If phi is reinitialized at intervals, the number is rounded up to a multiple
/// of the interval, because each reinitialization moves the interface a little.
pub fn crossing_steps<const E: usize>(options: &Options) -> u64 {
    let through = (E as f64 / options.nu).ceil() as u64 + 1;
    match options.reinitialize {
        Reinitialize::Never | Reinitialize::Rescaling { .. } => through,
        Reinitialize::Equation { every, .. } | Reinitialize::Direct { every } => {
            through.next_multiple_of(every)
        }
    }
}

/// A copy of the interface: the tiles that it crosses, with their values.
pub struct Interface<S, const E: usize> {
    /// The keys in ascending order.
    keys: Vec<TileKey>,
    values: Vec<S>,
}

impl<S: Copy, const E: usize> Interface<S, E> {
    /// Copies the tiles with both signs. `gamma` is the half width of the band in voxels.
    pub fn new<R: Real>(grid: &TiledGrid<E>, phi: &Pool<S, E>, gamma: R) -> Self
    where
        S: Stored<R>,
    {
        let (mut keys, mut values) = (Vec::new(), Vec::new());
        for (&key, &id) in grid.keys().iter().zip(grid.ids()) {
            let of_tile = phi.tile(id);
            let inside = of_tile.iter().filter(|v| v.is_inside(gamma)).count();
            if inside > 0 && inside < of_tile.len() {
                keys.push(key);
                values.extend_from_slice(of_tile);
            }
        }
        Interface { keys, values }
    }

    /// Returns the number of tiles that the interface crosses.
    pub fn n_tiles(&self) -> usize {
        self.keys.len()
    }

    /// Returns the number of old tiles: those in which the interface has moved by at most a
    /// fiftieth of a voxel since `before`.
    pub fn n_old<R: Real>(&self, before: &Self, gamma: R) -> usize
    where
        S: Stored<R>,
    {
        let size = E * E * E;
        let is_old = |(key, values): (&TileKey, &[S])| {
            let Ok(k) = before.keys.binary_search(key) else { return false };
            stands_still::<R, S, E>(&before.values[k * size..][..size], values, gamma)
        };
        self.keys.iter().zip(self.values.chunks_exact(size)).filter(|tile| is_old(*tile)).count()
    }

    /// Returns whether the interface has moved since `before` in at most 1 % of the tiles that it
    /// crosses. Tiles that it has left count as moved.
    pub fn rests_since<R: Real>(&self, before: &Self, gamma: R) -> bool
    where
        S: Stored<R>,
    {
        // The interface has moved in tiles that it has left.
        let left = before.keys.iter().filter(|key| self.keys.binary_search(key).is_err()).count();
        let moved = self.n_tiles() - self.n_old(before, gamma) + left;
        moved * 100 <= self.n_tiles()
    }
}

/// Returns whether the interface in a tile has moved by at most [`STILL`] voxels.
fn stands_still<R: Real, S: Stored<R>, const E: usize>(before: &[S], now: &[S], gamma: R) -> bool {
    let load = |values: &[S], n: usize| values[n].load(gamma).to_f64();
    (0..E * E * E).all(|n| {
        let own = [load(before, n), load(now, n)];
        if (own[0] < 0.0) != (own[1] < 0.0) && (own[0] - own[1]).abs() > STILL {
            return false;
        }
        [(1, n % E), (E, n / E % E), (E * E, n / (E * E))].into_iter().all(|(step, at)| {
            if at + 1 == E {
                return true;
            }
            let next = [load(before, n + step), load(now, n + step)];
            if (own[0] < 0.0) == (next[0] < 0.0) || (own[1] < 0.0) == (next[1] < 0.0) {
                return true;
            }
            let crossing = |k: usize| own[k] / (own[k] - next[k]);
            // Movement along the normal, assuming that phi is close to a signed distance function.
            let slope = (own[1] - next[1]).abs().min(1.0);
            (crossing(0) - crossing(1)).abs() * slope <= STILL
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Band;

    fn ball(radius: f64) -> Interface<f32, 4> {
        let band = Band { gamma: 3.0, reach: 3 };
        let fill = |first: [i32; 3], out: &mut [f32]| {
            for (n, value) in out.iter_mut().enumerate() {
                let at = [n % 4, n / 4 % 4, n / 16];
                let x: [f64; 3] = std::array::from_fn(|k| f64::from(first[k] + at[k] as i32));
                *value = (x.iter().map(|x| x * x).sum::<f64>().sqrt() - radius) as f32;
            }
            Ok(())
        };
        let (grid, phi) =
            TiledGrid::<4>::from_box::<f32, f32>([-6; 3], [6; 3], band, fill).unwrap();
        Interface::new(&grid, &phi, 3.0f32)
    }

    #[test]
    fn a_ball_that_grows_by_a_twentieth_of_a_voxel_moves_and_by_a_hundredth_rests() {
        let (first, same, little, more) = (ball(15.3), ball(15.3), ball(15.31), ball(15.35));
        assert!(first.n_tiles() > 100);
        assert_eq!(first.n_old(&same, 3.0f32), first.n_tiles());
        assert!(same.rests_since(&first, 3.0f32));
        // The interface is in a steady state although some voxels change sides.
        assert!(little.rests_since(&first, 3.0f32));
        assert!(!more.rests_since(&first, 3.0f32));
        assert!(more.n_old(&first, 3.0f32) * 4 < more.n_tiles());
        // A distant interface has no old tiles.
        assert_eq!(ball(20.0).n_old(&first, 3.0f32), 0);
        let options = Options::new(3.0);
        assert_eq!(crossing_steps::<4>(&options.with_nu(0.3)), 15);
        assert_eq!(crossing_steps::<8>(&options), 17);
        let every = |every| options.with_reinitialize(Reinitialize::Direct { every });
        assert_eq!((crossing_steps::<8>(&every(5)), crossing_steps::<8>(&every(17))), (20, 17));
    }
}
