//! The range of phi on tiles: that of all values, in every order of threads.

use zeroset::geometry::Real;
use zeroset::grid::{Band, Fixed16, Pool, Stored};
use zeroset::levelset::tiled::cuda::Range;

use super::grid::{HostTiles, launch, tiles};
use crate::library::{Library, arg};
use crate::random::Random;

const BLOCKS: u32 = 3;
const WARPS: u32 = 8;

fn check<R: Real + Default, const E: usize, S: Stored<R>>(defines: &[&str]) {
    let library = Library::compile("kernels/tiles/range.cu", defines, &["tiles_range"]);
    let band = Band { gamma: 3.0, reach: 3 };
    let (grid, _) = tiles::<E, f64>(3, band, |x| x.iter().map(|c| c * c).sum::<f64>().sqrt() - 7.0);
    let mut random = Random::new(E as u64);
    let gamma = R::narrow(2.75);
    let mut phi = Pool::<S, E>::new();
    phi.grow(grid.capacity()).unwrap();
    for value in phi.values_mut() {
        let drawn = match random.below(16) {
            0 => f64::NAN,
            1 => 2.75,
            2 => -2.75,
            _ => 2.75 * random.signed(),
        };
        *value = S::store(R::narrow(drawn), gamma);
    }
    let all: Vec<R> = phi.values().iter().map(|value| value.load(gamma)).collect();
    let expected = Range {
        low: all.iter().fold(R::INFINITY, |low, &v| low.min(v)),
        high: all.iter().fold(-R::INFINITY, |high, &v| high.max(v)),
        active: all.iter().filter(|v| v.abs() < gamma).count() as u64,
    };
    assert!(expected.active > 1000 && expected.active < all.len() as u64);
    let mut on = HostTiles::new(&grid, grid.n_tiles() + 5, 2);
    for seed in 0..4 {
        let mut found = vec![Range::<R>::default(); (BLOCKS * WARPS) as usize];
        let values = phi.values().as_ptr();
        let args = [arg(on.argument()), arg(values), arg(2.75), arg(found.as_mut_ptr())];
        launch(&library, "tiles_range", (BLOCKS, 32 * WARPS), seed, &args);
        let joined = found.iter().fold(expected, |a, b| Range {
            low: a.low.min(b.low),
            high: a.high.max(b.high),
            active: a.active,
        });
        assert!(joined == expected, "{joined:?} {expected:?}");
        let reached = |of: fn(&Range<R>) -> R, value: R| found.iter().any(|r| of(r) == value);
        assert!(reached(|r| r.low, expected.low) && reached(|r| r.high, expected.high));
        assert_eq!(found.iter().map(|r| r.active).sum::<u64>(), expected.active);
    }
}

#[test]
fn the_range_is_that_of_all_values() {
    check::<f64, 4, f64>(&["REAL=double", "TILE_EDGE=4"]);
    check::<f32, 8, f32>(&["REAL=float", "TILE_EDGE=8"]);
    check::<f32, 4, Fixed16>(&["REAL=float", "TILE_EDGE=4", "STORAGE=16"]);
}
