//! Tests surface reconstruction from samples without normals, by a level set in their potential.

use rayon::prelude::*;
use zeroset::mesh::{Mesh, statistics};
use zeroset::reconstruct::potential::{Levels, Options, Storage, reconstruct};
use zeroset::surface::{Locator, cubes};
use zeroset::{Error, io};
use zeroset_testing::samples;

fn scan(name: &str) -> Option<Mesh> {
    Some(io::read_mesh(&zeroset_testing::data(&format!("scans/{name}"))?).unwrap().mesh)
}

/// Asserts that the surface is not empty and that every edge belongs to two triangles, which run
/// along it in opposite directions. Returns the number of components that are not cavities.
fn parts_of_closed(mesh: &Mesh) -> usize {
    let found = statistics::inspect(mesh);
    assert!(found.components > 0, "no surface");
    assert_eq!((found.boundary, found.nonmanifold, found.inconsistent), (0, 0, 0));
    let parts = cubes::components(mesh);
    assert_eq!(parts.outer + parts.cavities, found.components);
    parts.outer
}

/// Returns the mean and the largest distance from points to a surface.
fn distances(points: &[[f64; 3]], mesh: &Mesh) -> (f64, f64) {
    let locator = Locator::new(mesh);
    let step = points.len().div_ceil(4000);
    let all: Vec<f64> = points
        .par_iter()
        .step_by(step)
        .map(|x| locator.closest((*x).into()).unwrap().gap)
        .collect();
    (all.iter().sum::<f64>() / all.len() as f64, all.iter().fold(0.0, |a, b| f64::max(a, *b)))
}

fn with(depth: u32, change: impl FnOnce(&mut Options)) -> Options {
    let mut options = Options::of_depth(depth);
    change(&mut options);
    options
}

fn run(points: &[[f64; 3]], depth: u32) -> (Mesh, Levels) {
    reconstruct(points, &Options::of_depth(depth)).unwrap()
}

#[test]
fn what_is_said_of_levels_is_so() {
    let Some(mesh) = scan("horse.ply") else { return };
    let points = samples::of_mesh(&mesh, 60_000, 1);
    let (surface, levels) = run(&points, 8);
    assert_eq!(parts_of_closed(&surface), 1);
    let (mean, _) = distances(&points, &surface);
    assert!(mean < 0.3 * levels.voxel, "{} voxels", mean / levels.voxel);
    let done = levels.levels.last().unwrap();
    assert!(done.level == 8 && done.at_rest && levels.samples == points.len());
    assert!(levels.merged < points.len(), "{levels:?}");
    // The error estimated from phi has the right order of magnitude.
    let said = done.error / 100.0 * samples::diagonal(mesh.bounds());
    assert!(said > 0.5 * mean && said < 4.0 * mean, "{said} {mean}");
    assert!(done.bytes <= levels.expected_bytes, "{levels:?}");
}

#[test]
fn a_ball_is_met_between_the_voxels() {
    let points = samples::of_ball(20_000, [3.0, -1.0, 2.0], 0.7);
    for (exponent, voxels) in [(3, 0.2), (4, 0.1), (5, 0.07)] {
        let options = with(6, |o| o.exponent = exponent);
        let (surface, levels) = reconstruct(&points, &options).unwrap();
        assert_eq!(parts_of_closed(&surface), 1);
        let off = |x: &[f64; 3]| {
            let r = ((x[0] - 3.0).powi(2) + (x[1] + 1.0).powi(2) + (x[2] - 2.0).powi(2)).sqrt();
            (r - 0.7).abs() / levels.voxel
        };
        let mean = surface.vertices.iter().map(off).sum::<f64>() / surface.n_vertices() as f64;
        println!("exponent {exponent}: {mean:.3} voxels");
        assert!(mean < voxels, "exponent {exponent}: {mean}");
        // Triangles face outward.
        assert_eq!(cubes::components(&surface).cavities, 0);
    }
}

#[test]
fn noise_is_averaged_and_outliers_do_not_hold_the_surface() {
    let Some(mesh) = scan("horse.ply") else { return };
    let clean = samples::of_mesh(&mesh, 150_000, 2);
    let noise = 0.003 * samples::diagonal(mesh.bounds());
    let mut points = clean.clone();
    samples::spoil(&mut points, noise, 300, 3);
    let (surface, levels) = run(&points, 7);
    assert_eq!(parts_of_closed(&surface), 1);
    let (error, _) = distances(&clean, &surface);
    println!("error {:.3} of the noise, {:?}", error / noise, levels.levels.last());
    assert!(error < 0.5 * noise, "{error} {noise}");
    assert!(levels.levels.last().unwrap().outside > 200);
}

#[test]
fn where_a_cloud_lies_does_not_matter() {
    let Some(mesh) = scan("horse.ply") else { return };
    // The coordinates are 32-bit numbers, so 64-bit numbers represent them exactly even near 5e6.
    let points = mesh.vertices;
    let far: Vec<_> = points.iter().map(|x| [x[0] + 5e6, x[1] - 5e6, x[2] + 1e6]).collect();
    let ((near, _), (there, levels)) = (run(&points, 6), run(&far, 6));
    assert_eq!(near.cells, there.cells);
    let box_edge = 64.0 * levels.voxel;
    for (a, b) in near.vertices.iter().zip(&there.vertices) {
        for (k, shift) in [5e6, -5e6, 1e6].into_iter().enumerate() {
            assert!((a[k] + shift - b[k]).abs() < 1e-5 * box_edge);
        }
    }
}

#[test]
fn a_turned_cloud_gives_the_turned_surface() {
    let Some(mesh) = scan("armadillo_26k.off") else { return };
    let points = samples::of_mesh(&mesh, 60_000, 4);
    let turn = nalgebra::Rotation3::from_euler_angles(0.3, -0.5, 0.9);
    let turned: Vec<[f64; 3]> =
        points.iter().map(|x| (turn * nalgebra::Vector3::from(*x)).into()).collect();
    let ((one, levels), (mut other, _)) = (run(&points, 6), run(&turned, 6));
    for x in &mut other.vertices {
        *x = (turn.inverse() * nalgebra::Vector3::from(*x)).into();
    }
    let (mean, _) = distances(&other.vertices, &one);
    println!("{:.3} voxels", mean / levels.voxel);
    assert!(mean < 0.35 * levels.voxel, "{}", mean / levels.voxel);
}

#[test]
fn threads_change_no_bit() {
    let points = samples::of_ball(5_000, [0.0; 3], 1.0);
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| run(&points, 6)).0
    };
    let (one, three) = (on(1), on(3));
    assert!(one.vertices == three.vertices && one.cells == three.cells);
}

#[test]
fn sixteen_bits_give_nearly_the_same_in_less_memory() {
    let points = samples::of_ball(20_000, [0.0; 3], 1.0);
    let (single, levels) = run(&points, 6);
    let options = with(6, |o| o.storage = Storage::Sixteen);
    let (sixteen, fewer) = reconstruct(&points, &options).unwrap();
    assert_eq!(parts_of_closed(&sixteen), 1);
    let (_, most) = distances(&sixteen.vertices, &single);
    assert!(most < 0.05 * levels.voxel, "{}", most / levels.voxel);
    let bytes = |levels: &Levels| levels.levels.last().unwrap().bytes;
    assert!(bytes(&fewer) < bytes(&levels));
}

#[test]
fn smoothing_shrinks_a_ball_by_curvature() {
    let points = samples::of_ball(20_000, [0.0; 3], 1.0);
    let radius = |steps| {
        let options = with(5, |o| o.smoothing_steps = steps);
        let (surface, levels) = reconstruct(&points, &options).unwrap();
        let r = |x: &[f64; 3]| x.iter().map(|c| c * c).sum::<f64>().sqrt() / levels.voxel;
        surface.vertices.iter().map(r).sum::<f64>() / surface.n_vertices() as f64
    };
    // With alpha = 0.1, the time step nu / (6 alpha) is 1.5. The curvature is 2 / 16 per voxel.
    let (before, after) = (radius(0), radius(10));
    let expected = 10.0 * 1.5 * 0.1 * 2.0 / 16.0;
    assert!((before - after - expected).abs() < 0.3 * expected, "{before} {after}");
}

#[test]
fn two_balls_and_a_ball_with_a_million_duplicates() {
    let mut points = samples::of_ball(8_000, [0.0; 3], 1.0);
    points.extend(samples::of_ball(8_000, [3.0, 0.5, 0.0], 0.8));
    assert_eq!(parts_of_closed(&run(&points, 6).0), 2);
    let mut points = samples::of_ball(8_000, [0.0; 3], 1.0);
    points.extend(vec![points[100]; 1_000_000]);
    let (surface, levels) = run(&points, 6);
    assert_eq!(parts_of_closed(&surface), 1);
    assert!(levels.merged >= 1_000_000);
    let (mean, _) = distances(&points[..8_000], &surface);
    assert!(mean < 0.5 * levels.voxel);
}

fn refused(points: &[[f64; 3]], options: &Options, code: u8, says: &str) {
    let error: Error = reconstruct(points, options).unwrap_err();
    assert_eq!(error.exit_code(), code, "{error}");
    assert!(error.to_string().contains(says), "{error}");
}

#[test]
fn clouds_that_enclose_nothing_are_refused_with_a_reason() {
    let options = Options::of_depth(6);
    refused(&[], &options, 2, "a cloud without points");
    refused(&[[1.0, 2.0, 3.0]], &options, 2, "there is only one point, at [1.0, 2.0, 3.0]");
    refused(&vec![[1.0, 2.0, 3.0]; 1_000_000], &options, 2, "all 1000000 samples lie at");
    refused(&[[0.0; 3], [1.0, f64::NAN, 0.0]], &options, 2, "sample 1 is at [1.0, NaN, 0.0]");
    refused(&[[1e9, 0.0, 0.0], [1e9 + 1e-6, 0.0, 0.0]], &options, 2, "extend over");
    let line: Vec<[f64; 3]> = (0..1000).map(|k| [f64::from(k), 0.3 * f64::from(k), 1.0]).collect();
    refused(&line, &options, 4, "the surface vanishes on level 6");
    let plane = |k: i32| [f64::from(k % 100), f64::from(k / 100), 0.5 * f64::from(k % 100)];
    let plane: Vec<[f64; 3]> = (0..10_000).map(plane).collect();
    refused(&plane, &options, 4, "enclose nothing");
    refused(&[[0.0; 3], [1.0; 3]], &options, 4, "vanishes");
}

#[test]
fn options_out_of_range_are_refused() {
    let points = samples::of_ball(100, [0.0; 3], 1.0);
    refused(&points, &with(8, |o| o.depth = 15), 2, "a depth of 15; use 4 to 14");
    refused(&points, &with(8, |o| o.depth = 0), 2, "a depth of 0");
    refused(&points, &with(8, |o| o.first_level = 9), 2, "a first level of 9; use 3 to 8");
    refused(&points, &with(8, |o| o.theta = f64::NAN), 2, "theta = NaN");
    refused(&points, &with(8, |o| o.exponent = 6), 2, "an exponent of 6");
    refused(&points, &with(8, |o| o.softening = 0.0), 2, "a softening in voxels of 0");
    refused(&points, &with(8, |o| o.curvature = -0.1), 2, "a curvature weight of -0.1");
    refused(&points, &with(8, |o| o.most_steps = 0), 2, "steps of at most 0");
}
