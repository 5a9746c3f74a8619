//! Surfaces of tiles: vertices, normals and triangles of the CPU, bit for bit, in every order of threads.

use zeroset::geometry::Real;
use zeroset::grid::{
    Band, CENTER, DIRECTIONS, Fixed16, Parts, Pool, Stored, TileKey, TiledGrid, step_of,
};
use zeroset::surface::cubes::cuda::{Found, TileSurfaceArgument, record_words};
use zeroset::surface::cubes::{Blocks, Placement, Tiles, extract};
use zeroset::surface::surface_cases;

use super::grid::{HostTiles, launch, look_up, tiles};
use crate::library::{Library, arg};
use crate::random::Random;

const GAMMA: f64 = 1.5;

/// Tiles here and there, whose values are random; of one that is missing all is outside.
fn scattered<R: Real, const E: usize, S: Stored<R>>(
    random: &mut Random,
    most: i32,
    gaps: bool,
) -> (TiledGrid<E>, Pool<S, E>) {
    let n = (2 * most + 1) as usize;
    let there: Vec<bool> = (0..n * n * n).map(|_| random.below(3) > 0).collect();
    let (grid, _) = tiles::<E, f64>(most, band(), |x| {
        let at = x.map(|c| (c as i32).div_euclid(E as i32) + most);
        let inner = x.iter().all(|c| (1..E as i32 - 1).contains(&(*c as i32).rem_euclid(E as i32)));
        let is_in = at.iter().all(|c| (0..n as i32).contains(c));
        let place = || (at[0] + n as i32 * (at[1] + n as i32 * at[2])) as usize;
        if inner && is_in && there[place()] { 0.5 } else { GAMMA }
    });
    let mut phi = Pool::<S, E>::new();
    phi.grow(grid.capacity()).unwrap();
    let gamma = R::narrow(GAMMA);
    for value in phi.values_mut() {
        let drawn = match random.below(64) {
            0 if gaps => f64::NAN,
            1..3 => 0.0,
            3..5 => 3e-3 * random.signed(),
            5..12 => GAMMA,
            12..19 => -GAMMA,
            _ => GAMMA * random.signed(),
        };
        *value = S::store(R::narrow(drawn), gamma);
    }
    (grid, phi)
}

/// The kernels for some defines.
struct Kernels {
    cubes: Library,
    manage: Library,
}

impl Kernels {
    fn new(defines: &[&str]) -> Self {
        let compile = |source, kernels: &[&str]| Library::compile(source, defines, kernels);
        Kernels {
            cubes: compile("kernels/surface/cubes.cu", &["cubes_count", "cubes_generate"]),
            manage: compile("kernels/tiles/manage.cu", &["tiles_look_up"]),
        }
    }
}

/// Triangles of the surface of some tiles, by the kernels the same as by the processor from `blocks`; `None` where both
/// say that it is cut off.
fn check<R: Real, const E: usize, S: Stored<R>>(
    kernels: &Kernels,
    on: &mut HostTiles,
    phi: &Pool<S, E>,
    blocks: &impl Blocks<R>,
    seed: u64,
) -> Option<usize> {
    look_up(&kernels.manage, on);
    let n = blocks.len();
    let mut records = vec![!0_u32; n * record_words(E)];
    let (mut vertices_of, mut triangles_of) = (vec![!0_u32; n], vec![!0_u32; n]);
    let mut found = Found::default();
    let place = Placement { origin: [0.3, -1.0, 7.0], spacing: 0.1 };
    let mut argument = TileSurfaceArgument {
        phi: phi.values().as_ptr() as u64,
        records: records.as_mut_ptr() as u64,
        vertices_of: vertices_of.as_mut_ptr() as u64,
        triangles_of: triangles_of.as_mut_ptr() as u64,
        found: (&raw mut found) as u64,
        gamma: GAMMA,
        spacing: place.spacing,
        origin: place.origin,
        ..TileSurfaceArgument::default()
    };
    let cases = surface_cases(false);
    let args = [arg(on.argument()), arg(argument), arg(cases.as_ptr())];
    launch(&kernels.cubes, "cubes_count", (3, 128), seed, &args);
    let expected = match extract(blocks, &place, true) {
        Ok(expected) => expected,
        Err(error) => {
            let error = error.to_string();
            assert!(error.contains("phi changes its sign outside of the band"), "{error}");
            assert_eq!(found.is_cut_off, 1, "{error}");
            return None;
        }
    };
    assert_eq!(found.is_cut_off, 0);
    let before = |counts: &[u32]| -> Vec<u32> {
        let sums = counts.iter().scan(0, |sum, n| {
            *sum += n;
            Some(*sum)
        });
        std::iter::once(0).chain(sums).collect()
    };
    let (first_vertex, first_triangle) = (before(&vertices_of), before(&triangles_of));
    assert_eq!(found.vertices, u64::from(first_vertex[n]));
    assert_eq!(found.triangles, u64::from(first_triangle[n]));
    assert_eq!(found.triangles as usize, expected.n_cells());
    assert_eq!(found.vertices as usize, expected.n_vertices());
    let mut vertices = vec![[9.0; 3]; expected.n_vertices()];
    let mut normals = vertices.clone();
    let mut triangles = vec![!0_u32; expected.cells.len()];
    argument.first_vertex = first_vertex.as_ptr() as u64;
    argument.first_triangle = first_triangle.as_ptr() as u64;
    argument.vertices = vertices.as_mut_ptr() as u64;
    argument.normals = normals.as_mut_ptr() as u64;
    argument.triangles = triangles.as_mut_ptr() as u64;
    let args = [arg(on.argument()), arg(argument), arg(cases.as_ptr())];
    launch(&kernels.cubes, "cubes_generate", (3, 128), seed + 1, &args);
    assert!(vertices == expected.vertices);
    assert!(triangles == expected.cells);
    let given = [0, 1, 2].map(|k| expected.vertex_data[k].values.to_f64());
    for (v, normal) in normals.iter().enumerate() {
        // Where there is no gradient the host takes those of triangles.
        let same = (0..3).all(|k| normal[k].to_bits() == given[k][v].to_bits());
        assert!(same || normal[0].is_nan(), "{v}: {normal:?}");
    }
    Some(triangles.len() / 3)
}

/// The same of a tile set as it is.
fn check_grid<R: Real, const E: usize, S: Stored<R>>(
    kernels: &Kernels,
    (grid, phi): &(TiledGrid<E>, Pool<S, E>),
    seed: u64,
) -> Option<usize> {
    let mut on = HostTiles::new(grid, grid.n_tiles() + 5, 2);
    check(kernels, &mut on, phi, &Tiles { grid, phi, band: band() }, seed)
}

fn band<R: Real>() -> Band<R> {
    Band { gamma: R::narrow(GAMMA), reach: 1 }
}

#[test]
fn random_values_have_the_surface_of_the_cpu() {
    let mut random = Random::new(5);
    let small = Kernels::new(&["REAL=double", "TILE_EDGE=4"]);
    let large = Kernels::new(&["REAL=double", "TILE_EDGE=8"]);
    let fixed = Kernels::new(&["REAL=float", "TILE_EDGE=4", "STORAGE=16"]);
    for (seed, gaps) in [(1, false), (2, true)] {
        let of_small = scattered::<f64, 4, f64>(&mut random, 2, gaps);
        assert!(check_grid::<f64, 4, _>(&small, &of_small, seed).unwrap() > 1000);
        let of_large = scattered::<f64, 8, f64>(&mut random, 1, gaps);
        assert!(check_grid::<f64, 8, _>(&large, &of_large, seed).unwrap() > 1000);
        let of_fixed = scattered::<f32, 4, Fixed16>(&mut random, 2, gaps);
        assert!(check_grid::<f32, 4, _>(&fixed, &of_fixed, seed).unwrap() > 1000);
    }
}

#[test]
fn a_ball_has_the_surface_of_the_cpu() {
    let ball = |x: [f64; 3]| x.iter().map(|c| c * c).sum::<f64>().sqrt() - 9.7;
    let of_ball = tiles::<4, f64>(6, band(), ball);
    let kernels = Kernels::new(&["REAL=double", "TILE_EDGE=4"]);
    assert!(check_grid::<f64, 4, f64>(&kernels, &of_ball, 3).unwrap() > 1000);
}

/// Tiles whose missing one in the middle is inside, and all others outside: what no tile set has, as
/// neighbors agree about what lies between them ([`TiledGrid::check`]).
struct Torn<'a, R, S, const E: usize>(Tiles<'a, R, S, E>);

impl<R: Real, S: Stored<R>, const E: usize> Blocks<R> for Torn<'_, R, S, E> {
    fn edge(&self) -> usize {
        self.0.edge()
    }

    fn len(&self) -> usize {
        self.0.len()
    }

    fn corner(&self, block: usize) -> [i32; 3] {
        self.0.corner(block)
    }

    fn fill(&self, block: usize, reach: usize, values: &mut [R]) {
        self.0.fill(block, reach, values);
        let (n, first) = (E + 2 * reach, self.corner(block).map(|c| c - reach as i32));
        for (k, value) in values.iter_mut().enumerate() {
            let place = [k % n, k / n % n, k / (n * n)];
            if (0..3).all(|a| (0..E as i32).contains(&(first[a] + place[a] as i32))) {
                *value = self.0.band.far(true);
            }
        }
    }
}

/// Whether the surface of 5^3 tiles is cut off that lack the one in the middle, which is inside, and the one beside it
/// in a direction, which is not. If `hidden`, there are no numbers round both.
fn is_cut_off<R: Real, const E: usize, S: Stored<R>>(
    kernels: &Kernels,
    random: &mut Random,
    direction: usize,
    hidden: bool,
) -> bool {
    let (middle, beside) = (TileKey::new([0; 3]).unwrap(), step_of(direction));
    let missing = [middle, TileKey::new(beside).unwrap()];
    let place = |n: i32| TileKey::new([n % 5 - 2, n / 5 % 5 - 2, n / 25 - 2]).unwrap();
    let keys: Vec<TileKey> = (0..125).map(place).filter(|key| !missing.contains(key)).collect();
    let n = keys.len();
    let parts = Parts {
        keys: keys.iter().map(|key| key.bits()).collect(),
        borders: vec![0; n],
        ages: vec![0; n],
        background: false,
    };
    let grid = TiledGrid::<E>::restore(parts).unwrap();
    let mut phi = Pool::<S, E>::new();
    phi.grow(grid.capacity()).unwrap();
    for (tile, key) in phi.values_mut().chunks_exact_mut(E * E * E).zip(&keys) {
        let is_near = |to: [i32; 3]| key.tile().iter().zip(to).all(|(a, b)| (a - b).abs() <= 1);
        let is_gap = hidden && is_near([0; 3]) && is_near(beside);
        for value in tile {
            let drawn = if is_gap { f64::NAN } else { GAMMA * random.signed() };
            *value = S::store(R::narrow(drawn), R::narrow(GAMMA));
        }
    }
    let toward_middle = |key: &TileKey| {
        (0..DIRECTIONS).find(|&d| d != CENTER && key.neighbor(d) == middle).map_or(0, |d| 1 << d)
    };
    let mut on = HostTiles::new(&grid, n + 5, 2);
    on.set_borders(&keys.iter().map(toward_middle).collect::<Vec<u32>>());
    let torn = Torn(Tiles { grid: &grid, phi: &phi, band: band() });
    match check::<R, E, S>(kernels, &mut on, &phi, &torn, direction as u64) {
        Some(triangles) => {
            assert!(triangles > 1000);
            false
        }
        None => true,
    }
}

/// An edge joins voxels beside each other along an axis, so that a crossing between two missing tiles
/// needs a face between them.
#[test]
fn a_surface_is_cut_off_between_missing_tiles_with_a_face_in_common_as_on_the_cpu() {
    let mut random = Random::new(11);
    let small = Kernels::new(&["REAL=double", "TILE_EDGE=4"]);
    let large = Kernels::new(&["REAL=double", "TILE_EDGE=8"]);
    let fixed = Kernels::new(&["REAL=float", "TILE_EDGE=4", "STORAGE=16"]);
    for direction in (0..DIRECTIONS).filter(|&d| d != CENTER) {
        let has_face = step_of(direction).iter().filter(|&&c| c != 0).count() == 1;
        let found = is_cut_off::<f64, 4, f64>(&small, &mut random, direction, false);
        assert_eq!(found, has_face, "direction {direction}");
        if has_face {
            assert!(is_cut_off::<f64, 8, f64>(&large, &mut random, direction, false));
            assert!(is_cut_off::<f32, 4, Fixed16>(&fixed, &mut random, direction, false));
            // No surface is drawn beside what is no number, so nothing of it is cut off.
            assert!(!is_cut_off::<f64, 4, f64>(&small, &mut random, direction, true));
        }
    }
}
