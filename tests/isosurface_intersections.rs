//! Tests with exact predicates that surfaces from marching cubes never intersect themselves: in
//! each of the 256 cases of a cube, in volumes, and on tiles.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use zeroset::grid::{Band, TiledGrid};
use zeroset::mesh::Mesh;
use zeroset::mesh::statistics::inspect;
use zeroset::surface::cubes::{Dense, Placement, Records, Tiles, extract};
use zeroset::surface::{IsosurfaceOptions, drop_flat, isosurface};
use zeroset::volume::{self, Volume};
use zeroset_testing::Intersections;

/// Returns a reproducible random number from 0 to 1.
fn uniform(random: &mut ChaCha8Rng) -> f64 {
    f64::from(random.next_u32()) / f64::from(u32::MAX)
}

/// The magnitudes of the values at the corners of a cube.
#[derive(Clone, Copy, Debug)]
enum Sizes {
    /// Between 0.001 and 1.
    Even,
    /// A few multiples of the same number, so that many crossings lie in one plane.
    Whole,
    /// Equal, except for the last bits.
    Alike,
    /// Ratios up to 2^40.
    Ratios,
    /// Ratios up to 10^600: crossings are rounded to the ends of their edges.
    Extreme,
    /// Half of the outside corners have the value of the level.
    Zeros,
}

impl Sizes {
    fn draw(self, random: &mut ChaCha8Rng, is_inside: bool) -> f64 {
        let u = uniform(random);
        match self {
            Sizes::Even => 0.001 + 0.999 * u,
            Sizes::Whole => 1.0 + (3.999 * u).floor(),
            Sizes::Alike => 1.0 + (8.0 * u).floor() * f64::EPSILON,
            Sizes::Ratios => (40.0 * u).exp2(),
            Sizes::Extreme => 10.0_f64.powf(600.0 * u - 300.0),
            Sizes::Zeros if !is_inside && u < 0.5 => 0.0,
            Sizes::Zeros => 0.5 + u,
        }
    }
}

#[test]
fn triangles_of_a_cube_never_intersect() {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let all =
        [Sizes::Even, Sizes::Whole, Sizes::Alike, Sizes::Ratios, Sizes::Extreme, Sizes::Zeros];
    // The coordinates are between 1 and 2, so that no product underflows.
    let place = Placement { origin: [1.0; 3], spacing: 1.0 };
    let mut touching = 0;
    for case in 1..255_u32 {
        for n in 0..240 {
            let sizes = all[n % all.len()];
            let values: [f64; 8] = std::array::from_fn(|c| {
                let is_inside = case >> c & 1 == 1;
                let size = sizes.draw(&mut random, is_inside);
                if is_inside { -size } else { size }
            });
            let dense = Dense { values: &values, size: [2; 3], edge: 2, beyond: f64::NAN };
            let mesh = extract(&dense, &place, false).unwrap();
            let found = Intersections::of(&mesh);
            assert!(found.crossing.is_empty(), "case {case}, {values:?}: {found:?}");
            // Without a wall of at least three corners at the level, triangles do not even touch.
            let zeros = values.iter().filter(|v| **v == 0.0).count();
            if zeros < 3 && !matches!(sizes, Sizes::Extreme) {
                assert!(found.touching.is_empty(), "case {case}, {values:?}: {found:?}");
            }
            touching += found.touching.len();
        }
    }
    assert!(touching > 0, "no wall was drawn");
}

fn of_values(shape: [usize; 3], value: impl FnMut(usize) -> f64) -> Volume {
    let values: Vec<f64> = (0..shape.iter().product()).map(value).collect();
    Volume::new(shape, values.into(), volume::Placement::identity()).unwrap()
}

/// Asserts that the surface of a volume does not intersect itself, and that it is closed. Returns
/// the number of pairs of triangles that touch.
#[track_caller]
fn check(volume: &Volume, level: f64, what: &str) -> usize {
    let options = IsosurfaceOptions::default().closed(true);
    let mut mesh = isosurface(volume, level, &options).unwrap();
    let before = Intersections::of(&mesh);
    drop_flat(&mut mesh);
    let found = Intersections::of(&mesh);
    assert!(mesh.n_cells() > 100, "{what}");
    assert!(before.crossing.is_empty() && found.crossing.is_empty(), "{what}: {found:?}");
    let topology = inspect(&mesh);
    let faults = (topology.boundary, topology.nonmanifold, topology.inconsistent);
    assert_eq!(faults, (0, 0, 0), "{what}");
    found.touching.len()
}

#[test]
fn surfaces_of_volumes_never_intersect_themselves() {
    let shape = [10, 9, 11];
    let at = |k: usize| [k % 10, k / 10 % 9, k / 90];
    for seed in 0..2 {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let noise = of_values(shape, |_| uniform(&mut random));
        assert_eq!(check(&noise, 0.5, "noise"), 0);
        assert_eq!(check(&noise, 0.3, "sparse noise"), 0);
        let bits = of_values(shape, |_| f64::from(random.next_u32() & 1));
        assert_eq!(check(&bits, 0.5, "bits"), 0);
        assert_eq!(check(&bits, 1e-9, "bits, close to 0"), 0);
        check(&bits, 0.0, "bits, background at the level");
        let bytes = of_values(shape, |_| f64::from(random.next_u32() & 255));
        assert_eq!(check(&bytes, 127.5, "bytes"), 0);
        check(&bytes, 128.0, "bytes at the level");
        let few = of_values(shape, |_| f64::from(random.next_u32() & 3));
        check(&few, 1.0, "numbers from 0 to 3");
    }
    let board = of_values(shape, |k| (at(k).iter().sum::<usize>() % 2) as f64);
    for level in [0.5, 0.25, 0.9] {
        assert_eq!(check(&board, level, "checkerboard"), 0);
    }
    let gyroid = of_values(shape, |k| {
        let [x, y, z] = at(k).map(|c| std::f64::consts::FRAC_PI_4 * c as f64);
        x.sin() * y.cos() + y.sin() * z.cos() + z.sin() * x.cos()
    });
    for level in [0.0, 0.1, -1.0, 1.0] {
        check(&gyroid, level, "gyroid");
    }
}

#[test]
fn surfaces_of_tiles_never_intersect_themselves() {
    for seed in 0..3 {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let noise: Vec<f32> = (0..4096).map(|_| uniform(&mut random) as f32 - 0.5).collect();
        let band = Band { gamma: 1.5_f32, reach: 1 };
        let fill = |first: [i32; 3], out: &mut [f32]| {
            for (n, value) in out.iter_mut().enumerate() {
                let at = [n % 4, n / 4 % 4, n / 16];
                let [x, y, z] = [0, 1, 2].map(|k| (first[k] + 8) as usize + at[k]);
                let is_border = [x, y, z].iter().any(|c| !(1..15).contains(c));
                *value = if is_border { 2.0 } else { noise[x + 16 * (y + 16 * z)] };
            }
            Ok(())
        };
        let (grid, phi) =
            TiledGrid::<4>::from_box::<f32, f32>([-2; 3], [1; 3], band, fill).unwrap();
        let tiles = Tiles { grid: &grid, phi: &phi, band };
        let assert_apart = |mut mesh: Mesh| {
            drop_flat(&mut mesh);
            assert!(mesh.n_cells() > 1000);
            assert_eq!(inspect(&mesh).boundary, 0);
            let found = Intersections::of(&mesh);
            assert!(found.crossing.is_empty(), "{found:?}");
        };
        assert_apart(extract(&tiles, &Placement::default(), false).unwrap());
        let records = Records::new(&tiles).unwrap();
        assert_apart(records.surface(&Placement::default()).unwrap());
    }
}
