//! Copying a tile and the voxels around it into one flat array.

use crate::geometry::Real;

use super::keys::step_of;
use super::tile_passes::Tile;
use super::tile_walks::MISSING;
use super::{Pool, Stored};

/// Which of the voxels around a tile a scheme reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Halo {
    /// The voxels beyond the six faces, for stencils along the axes. Entries beyond edges and
    /// corners are not written.
    Faces,
    /// All voxels around the tile, for mixed differences.
    Full,
}

/// Returns the edge length of a padded tile in voxels.
pub const fn padded_edge(edge: usize, reach: usize) -> usize {
    edge + 2 * reach
}

/// Copies a tile and `REACH` layers of voxels around it to `out`, an array of [`padded_edge`]`(E,
/// REACH)`^3 values, x fastest. Voxels of missing neighbors are plus or minus gamma.
///
/// # Panics
/// Panics if `out` has a different length. REACH must not exceed E, which is checked at compile
/// time.
pub fn gather<const E: usize, const REACH: usize, R: Real, S: Stored<R>>(
    phi: &Pool<S, E>,
    tile: &Tile,
    gamma: R,
    halo: Halo,
    out: &mut [R],
) {
    const { assert!(REACH <= E) };
    assert_eq!(out.len(), padded_edge(E, REACH).pow(3));
    // One copy per direction, with lengths known at compile time.
    macro_rules! copy {
        ($width:ident: $($direction:literal)*) => {
            $( copy::<E, REACH, $width, $direction, R, S>(phi, tile, gamma, out); )*
        };
    }
    copy!(E: 4 10 13 16 22);
    copy!(REACH: 12 14);
    if halo == Halo::Full {
        copy!(E: 1 7 19 25);
        copy!(REACH: 0 2 3 5 6 8 9 11 15 17 18 20 21 23 24 26);
    }
}

/// Copies the layers of the neighbor in direction `D` to `out`, in rows of `WIDTH` values along x.
/// If the neighbor is missing, writes plus or minus gamma instead.
fn copy<const E: usize, const REACH: usize, const WIDTH: usize, const D: usize, R, S>(
    phi: &Pool<S, E>,
    tile: &Tile,
    gamma: R,
    out: &mut [R],
) where
    R: Real,
    S: Stored<R>,
{
    let edge = const { padded_edge(E, REACH) };
    let [x, y, z] = const {
        let [i, j, k] = step_of(D);
        [Span::new(E, REACH, i), Span::new(E, REACH, j), Span::new(E, REACH, k)]
    };
    const { assert!(Span::new(E, REACH, step_of(D)[0]).length == WIDTH) };
    // All lengths are known here, so the compiler removes the bounds checks of the rows.
    let out = &mut out[..edge * edge * edge];
    let to = |j: usize, k: usize| x.to + edge * (y.to + j + edge * (z.to + k));
    let from = |j: usize, k: usize| x.from + E * (y.from + j + E * (z.from + k));
    match tile.neighbors[D] {
        MISSING => {
            let far = if tile.border & 1 << D != 0 { -gamma } else { gamma };
            for k in 0..z.length {
                for j in 0..y.length {
                    out[to(j, k)..to(j, k) + WIDTH].fill(far);
                }
            }
        }
        id => {
            let values = &phi.tile(id)[..E * E * E];
            for k in 0..z.length {
                for j in 0..y.length {
                    let row = &values[from(j, k)..from(j, k) + WIDTH];
                    for (out, value) in out[to(j, k)..to(j, k) + WIDTH].iter_mut().zip(row) {
                        *out = value.load(gamma);
                    }
                }
            }
        }
    }
}

/// The copied layers of a neighbor along one axis.
#[derive(Clone, Copy)]
struct Span {
    /// The first layer in the neighbor.
    from: usize,
    /// The first layer in the padded tile.
    to: usize,
    length: usize,
}

impl Span {
    const fn new(edge: usize, reach: usize, step: i32) -> Self {
        match step {
            -1 => Span { from: edge - reach, to: 0, length: reach },
            0 => Span { from: 0, to: reach, length: edge },
            _ => Span { from: 0, to: reach + edge, length: reach },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::{Band, Fixed16, TiledGrid};

    const GAMMA: f64 = 3.0;

    /// Returns the signed distance to a ball, clamped to the band.
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
