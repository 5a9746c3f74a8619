//! A tile with the voxels round it, as one flat array.

use crate::geometry::Real;

use super::keys::{CENTER, DIRECTIONS, step_of};
use super::sweep::Tile;
use super::walk::MISSING;
use super::{Pool, Stored};

/// Which of the voxels round a tile a scheme reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Halo {
    /// Those beyond the six faces: stencils along the axes. What lies beyond edges and corners is
    /// left as it was.
    Faces,
    /// All: mixed differences.
    Full,
}

/// Directions of the tile and its face neighbors.
const FACES: [usize; 7] = [4, 10, 12, CENTER, 14, 16, 22];
const FULL: [usize; DIRECTIONS] = {
    let mut all = [0; DIRECTIONS];
    let mut d = 0;
    while d < DIRECTIONS {
        all[d] = d;
        d += 1;
    }
    all
};

/// Edge of a padded tile, in voxels.
pub const fn padded_edge(edge: usize, reach: usize) -> usize {
    edge + 2 * reach
}

/// Copies a tile and `REACH` layers of voxels round it to `out`, an array of
/// [`padded_edge`]`(E, REACH)`^3 values, x fastest. Missing neighbors are plus or minus gamma.
///
/// # Panics
/// If `out` has another length, or REACH is above E.
pub fn gather<const E: usize, const REACH: usize, R: Real, S: Stored<R>>(
    phi: &Pool<S, E>,
    tile: &Tile,
    gamma: R,
    halo: Halo,
    out: &mut [R],
) {
    const { assert!(REACH <= E) };
    assert_eq!(out.len(), padded_edge(E, REACH).pow(3));
    let directions: &[usize] = match halo {
        Halo::Faces => &FACES,
        Halo::Full => &FULL,
    };
    for &d in directions {
        let source = match tile.neighbors[d] {
            MISSING => Source::Far(if tile.border & 1 << d != 0 { -gamma } else { gamma }),
            id => Source::Tile(phi.tile(id)),
        };
        // The length of a row is known where it is copied.
        if step_of(d)[0] == 0 {
            copy::<E, REACH, E, R, S>(source, d, gamma, out);
        } else {
            copy::<E, REACH, REACH, R, S>(source, d, gamma, out);
        }
    }
}

/// Where the values of a neighbor are.
enum Source<'a, R, S> {
    Tile(&'a [S]),
    Far(R),
}

/// The layers of one neighbor, by rows of `WIDTH` values.
fn copy<const E: usize, const REACH: usize, const WIDTH: usize, R: Real, S: Stored<R>>(
    source: Source<'_, R, S>,
    direction: usize,
    gamma: R,
    out: &mut [R],
) {
    let edge = padded_edge(E, REACH);
    let [x, y, z] = step_of(direction).map(Span::new::<E, REACH>);
    for k in 0..z.length {
        for j in 0..y.length {
            let to = x.to + edge * (y.to + j + edge * (z.to + k));
            let row = &mut out[to..to + WIDTH];
            match source {
                Source::Far(value) => row.fill(value),
                Source::Tile(values) => {
                    let from = x.from + E * (y.from + j + E * (z.from + k));
                    for (out, value) in row.iter_mut().zip(&values[from..from + WIDTH]) {
                        *out = value.load(gamma);
                    }
                }
            }
        }
    }
}

/// Layers of a neighbor along one axis.
struct Span {
    /// First layer in the neighbor.
    from: usize,
    /// First layer in the padded tile.
    to: usize,
    length: usize,
}

impl Span {
    fn new<const E: usize, const REACH: usize>(step: i32) -> Self {
        match step {
            -1 => Span { from: E - REACH, to: 0, length: REACH },
            0 => Span { from: 0, to: REACH, length: E },
            _ => Span { from: 0, to: REACH + E, length: REACH },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::{Band, Fixed16, TiledGrid};

    const GAMMA: f64 = 3.0;

    /// Distance to a ball, clamped.
    fn phi([x, y, z]: [i32; 3]) -> f64 {
        let [x, y, z] = [x, y, z].map(f64::from);
        let r = ((x - 0.3).powi(2) + (y - 1.2).powi(2) + (z + 2.0).powi(2)).sqrt();
        (r - 11.0).clamp(-GAMMA, GAMMA)
    }

    fn padded_tiles_hold_the_field<const E: usize, const REACH: usize, S: Stored<f64>>(
        tolerance: f64,
    ) {
        let band = Band { gamma: GAMMA, reach: REACH };
        let (grid, pool) =
            TiledGrid::<E>::from_box::<f64, S>([-6; 3], [6; 3], band, |first, out| {
                for (n, value) in out.iter_mut().enumerate() {
                    let place = [n % E, n / E % E, n / E / E];
                    *value = phi(std::array::from_fn(|k| first[k] + place[k] as i32));
                }
                Ok(())
            })
            .unwrap();
        let edge = padded_edge(E, REACH);
        let far = |n: usize| {
            let place = [n % edge, n / edge % edge, n / edge / edge];
            let outside = place.iter().filter(|&&c| c < REACH || c >= E + REACH).count();
            (place.map(|c| c as i32 - REACH as i32), outside)
        };
        let tiles = grid.fold(
            |tile| {
                let first = tile.key.first_voxel(E);
                for (halo, most) in [(Halo::Faces, 1), (Halo::Full, 3)] {
                    let mut out = vec![99.0; edge.pow(3)];
                    gather::<E, REACH, f64, S>(&pool, tile, GAMMA, halo, &mut out);
                    for (n, value) in out.into_iter().enumerate() {
                        let (place, outside) = far(n);
                        if outside > most {
                            assert_eq!(value, 99.0);
                        } else {
                            let expected = phi(std::array::from_fn(|k| first[k] + place[k]));
                            assert!((value - expected).abs() <= tolerance, "{value} {expected}");
                        }
                    }
                }
                1
            },
            |a, b| a + b,
        );
        assert_eq!(tiles, Some(grid.n_tiles()));
        assert!(grid.n_tiles() > 50);
    }

    #[test]
    fn padded_tiles_hold_the_tile_and_what_is_round_it() {
        padded_tiles_hold_the_field::<4, 1, f64>(0.0);
        padded_tiles_hold_the_field::<4, 3, f64>(0.0);
        padded_tiles_hold_the_field::<8, 3, f64>(0.0);
        padded_tiles_hold_the_field::<8, 1, Fixed16>(GAMMA / 65000.0);
    }
}
