//! How far the interface went between two moments, and whether it stands still.
//!
//! A tile that the interface crosses is *old* if in a while the interface in it has moved by no more
//! than a fiftieth of a voxel, measured where it crosses the edges between voxels, along its normal; a voxel
//! may change its side if phi there changes by no more. The while must be longer than a flat front
//! takes through a tile, `E / nu` steps ([`crossing_steps`]), and end at the same number of steps after a
//! reinitialization as it began: where the normal speed has a gradient phi gets steep between them, and
//! each moves the interface by a tenth of a voxel and back. The interface is at rest if 99 of 100
//! of the tiles it crosses are old: kinks may go to and fro for ever.
//!
//! Source: A. C. Jalba, W. J. van der Laan, J. B. T. M. Roerdink, "Fast sparse level sets on
//! graphics hardware", IEEE TVCG 19 (2013), section 4, as corrected in numerics 8: five steps are less than a
//! front takes through a tile, and the age of a tile in the list says nothing about the interface in it.
//! Numerics 8 asks for small changes of phi instead of crossings; but off the interface phi never
//! rests where the normal speed has a gradient.

use crate::geometry::Real;
use crate::grid::{Pool, Stored, TileKey, TiledGrid};
use crate::levelset::tiled::{Options, Reinitialize};

zeroset_gpu::cuda_header! {
    "tile_still";

    /// Voxels that the interface may move in an old tile.
    const STILL: f64 = 0.02;
}

/// Steps after which to look again: what a front needs through a tile of edge `E`, one more, and those
/// up to the next reinitialization, which moves the interface a little each time.
pub fn crossing_steps<const E: usize>(options: &Options) -> u64 {
    let through = (E as f64 / options.nu).ceil() as u64 + 1;
    match options.reinitialize {
        Reinitialize::Never | Reinitialize::Rescaling { .. } => through,
        Reinitialize::Equation { every, .. } | Reinitialize::Direct { every } => {
            through.next_multiple_of(every)
        }
    }
}

/// The interface as it was: tiles that it crosses, with their values.
pub struct Interface<S, const E: usize> {
    /// Ascending.
    keys: Vec<TileKey>,
    values: Vec<S>,
}

impl<S: Copy, const E: usize> Interface<S, E> {
    /// Of tiles with both signs.
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

    /// Tiles that the interface crosses.
    pub fn n_tiles(&self) -> usize {
        self.keys.len()
    }

    /// How many of them are old since `before`.
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

    /// Whether it stands still since `before`.
    pub fn rests_since<R: Real>(&self, before: &Self, gamma: R) -> bool
    where
        S: Stored<R>,
    {
        // Tiles that it has left have moved too.
        let left = before.keys.iter().filter(|key| self.keys.binary_search(key).is_err()).count();
        let moved = self.n_tiles() - self.n_old(before, gamma) + left;
        moved * 100 <= self.n_tiles()
    }
}

/// Whether the interface in a tile is where it was.
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
            // How far along the normal: phi is near a distance.
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
        // Some voxels change their side even so.
        assert!(little.rests_since(&first, 3.0f32));
        assert!(!more.rests_since(&first, 3.0f32));
        assert!(more.n_old(&first, 3.0f32) * 4 < more.n_tiles());
        // Far away nothing of it is left.
        assert_eq!(ball(20.0).n_old(&first, 3.0f32), 0);
        let options = Options::new(3.0);
        assert_eq!(crossing_steps::<4>(&options.with_nu(0.3)), 15);
        assert_eq!(crossing_steps::<8>(&options), 17);
        let every = |every| options.with_reinitialize(Reinitialize::Direct { every });
        assert_eq!((crossing_steps::<8>(&every(5)), crossing_steps::<8>(&every(17))), (20, 17));
    }
}
