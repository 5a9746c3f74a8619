//! Surfaces of tiles: vertices, normals and triangles of the CPU, bit for bit, in every order of threads.

use zeroset::geometry::Real;
use zeroset::grid::{Band, Fixed16, Pool, Stored, TiledGrid};
use zeroset::surface::cubes::cuda::{Found, TileSurfaceArgument, record_words};
use zeroset::surface::cubes::{Placement, Tiles, extract};
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
    let band = Band { gamma: GAMMA, reach: 1 };
    let (grid, _) = tiles::<E, f64>(most, band, |x| {
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
            1..5 => 0.0,
            5..12 => GAMMA,
            12..19 => -GAMMA,
            _ => GAMMA * random.signed(),
        };
        *value = S::store(R::narrow(drawn), gamma);
    }
    (grid, phi)
}

fn check<R: Real, const E: usize, S: Stored<R>>(
    defines: &[&str],
    grid: &TiledGrid<E>,
    phi: &Pool<S, E>,
    seed: u64,
) -> usize {
    let library =
        Library::compile("kernels/surface/cubes.cu", defines, &["cubes_count", "cubes_generate"]);
    let manage = Library::compile("kernels/tiles/manage.cu", defines, &["tiles_look_up"]);
    let n = grid.n_tiles();
    let mut on = HostTiles::new(grid, n + 5, 2);
    look_up(&manage, &mut on);
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
    launch(&library, "cubes_count", (3, 128), seed, &args);
    let expected = extract(
        &Tiles { grid, phi, band: Band { gamma: R::narrow(GAMMA), reach: 1 } },
        &place,
        true,
    );
    if found.is_cut_off != 0 {
        let error = expected.unwrap_err().to_string();
        assert!(error.contains("phi changes its sign outside of the band"), "{error}");
        return 0;
    }
    let expected = expected.unwrap();
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
    launch(&library, "cubes_generate", (3, 128), seed + 1, &args);
    assert!(vertices == expected.vertices);
    assert!(triangles == expected.cells);
    let given = [0, 1, 2].map(|k| expected.vertex_data[k].values.to_f64());
    for (v, normal) in normals.iter().enumerate() {
        // Where there is no gradient the host takes those of triangles.
        let same = (0..3).all(|k| normal[k].to_bits() == given[k][v].to_bits());
        assert!(same || normal[0].is_nan(), "{v}: {normal:?}");
    }
    triangles.len()
}

#[test]
fn random_values_have_the_surface_of_the_cpu() {
    let mut random = Random::new(5);
    for (seed, gaps) in [(1, false), (2, true)] {
        let (grid, phi) = scattered::<f64, 4, f64>(&mut random, 2, gaps);
        assert!(check(&["REAL=double", "TILE_EDGE=4"], &grid, &phi, seed) > 1000);
        let (grid, phi) = scattered::<f64, 8, f64>(&mut random, 1, gaps);
        assert!(check(&["REAL=double", "TILE_EDGE=8"], &grid, &phi, seed) > 1000);
        let (grid, phi) = scattered::<f32, 4, Fixed16>(&mut random, 2, gaps);
        let defines = ["REAL=float", "TILE_EDGE=4", "STORAGE=16"];
        assert!(check::<f32, 4, _>(&defines, &grid, &phi, seed) > 1000);
    }
}

#[test]
fn a_ball_has_the_surface_of_the_cpu() {
    let band = Band { gamma: GAMMA, reach: 1 };
    let ball = |x: [f64; 3]| x.iter().map(|c| c * c).sum::<f64>().sqrt() - 9.7;
    let (grid, phi) = tiles::<4, f64>(6, band, ball);
    let defines = ["REAL=double", "TILE_EDGE=4"];
    assert!(check::<f64, 4, f64>(&defines, &grid, &phi, 3) > 1000);
}
