//! Tests surface reconstruction by a level set in the potential of samples. The octree is bitwise
//! identical to that computed on the CPU, and the surface agrees up to rounding.

use zeroset::gpu::Cuda;
use zeroset::mesh::Mesh;
use zeroset::reconstruct::potential::cuda::{DeviceOctree, reconstruct};
use zeroset::reconstruct::potential::{self, Frame, Levels, Octree, Options, Storage};
use zeroset::surface::Topology;

use crate::support;

/// Returns a generator of scattered numbers from 0 to 1.
fn numbers(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as f64 / (1_u64 << 31) as f64
    }
}

fn box_of(n: usize, seed: u64) -> Vec<[f64; 3]> {
    let mut number = numbers(seed);
    (0..n).map(|_| [3.0 * number() + 5e6, number() - 4e5, 0.1 * number()]).collect()
}

fn sphere(n: usize) -> Vec<[f64; 3]> {
    let golden = std::f64::consts::PI * (3.0 - 5f64.sqrt());
    let at = |k: usize| {
        let z = 1.0 - 2.0 * (k as f64 + 0.5) / n as f64;
        let (r, a) = ((1.0 - z * z).sqrt(), golden * k as f64);
        [r * a.cos(), r * a.sin(), z]
    };
    (0..n).map(at).collect()
}

/// Returns `n` samples of a torus and `n / 4` samples of a ball next to it.
fn torus(n: usize) -> Vec<[f64; 3]> {
    let mut number = numbers(7);
    let tau = std::f64::consts::TAU;
    let ring = (0..n).map(|_| {
        let (a, b) = (tau * number(), tau * number());
        let r = 2.0 + 0.6 * b.cos();
        [r * a.cos(), r * a.sin(), 0.6 * b.sin()]
    });
    let ball = sphere(n / 4).into_iter().map(|[x, y, z]| [0.8 * x, 0.8 * y, 0.8 * z + 2.2]);
    ring.chain(ball).collect()
}

fn check_tree(cuda: &std::sync::Arc<Cuda>, points: &[[f64; 3]], depth: u32) {
    let frame = Frame::new(points, depth).unwrap();
    let tree = Octree::new(points, frame).unwrap();
    let found = DeviceOctree::new(cuda, points, frame).unwrap();
    let (nodes, samples) = found.download(cuda).unwrap();
    assert_eq!(found.n_cells(), tree.n_cells());
    assert!(samples == tree.samples(), "{} samples, depth {depth}", points.len());
    assert_eq!(nodes.len(), tree.nodes().len());
    for (at, (a, b)) in nodes.iter().zip(tree.nodes()).enumerate() {
        assert!(a == b, "{} samples, depth {depth}, node {at}: {a:?} {b:?}", points.len());
    }
    for level in 0..=depth {
        assert_eq!(found.n_cubes(cuda, level).unwrap(), tree.n_cubes(level));
    }
    let of_host = DeviceOctree::of_host(cuda, &tree).unwrap();
    assert!(of_host.download(cuda).unwrap() == (nodes, samples));
}

#[test]
fn the_octree_is_that_of_the_cpu_bit_by_bit() {
    let Some(cuda) = support::cuda() else { return };
    for (n, depth) in [(2, 4), (31, 14), (2047, 9), (2049, 5), (70_001, 11), (300_000, 14)] {
        check_tree(&cuda, &box_of(n, n as u64), depth);
    }
    check_tree(&cuda, &sphere(5000), 8);
    // First, most samples lie at one point. Then all samples lie on a line.
    let mut same = vec![[0.25; 3]; 1_000_000];
    same.extend(sphere(100));
    check_tree(&cuda, &same, 12);
    check_tree(&cuda, &(0..4000).map(|k| [0.1 * f64::from(k), 2.0, -1.0]).collect::<Vec<_>>(), 10);
}

fn options(depth: u32, storage: Storage) -> Options {
    let mut options = Options::of_depth(depth);
    options.storage = storage;
    options
}

/// Asserts that both meshes have the same triangles. Returns the largest distance between
/// corresponding vertices, in voxels.
fn apart((a, of_a): &(Mesh, Levels), (b, of_b): &(Mesh, Levels)) -> f64 {
    let steps = |levels: &Levels| -> Vec<(u64, usize)> {
        levels.levels.iter().map(|l| (l.iterations, l.tiles)).collect()
    };
    assert_eq!(steps(of_a), steps(of_b));
    assert_eq!(a.n_vertices(), b.n_vertices());
    assert!(a.cells == b.cells);
    for (a, b) in of_a.levels.iter().zip(&of_b.levels) {
        assert!((a.error - b.error).abs() <= 2e-4 * b.error, "{} {}", a.error, b.error);
        assert!(a.outside.abs_diff(b.outside) <= 2, "{} {}", a.outside, b.outside);
    }
    let far = |(a, b): (&[f64; 3], &[f64; 3])| {
        (0..3).map(|k| (a[k] - b[k]).abs() / of_b.voxel).fold(0.0, f64::max)
    };
    a.vertices.iter().zip(&b.vertices).map(far).fold(0.0, f64::max)
}

#[test]
fn surfaces_are_those_of_the_cpu_up_to_rounding_and_the_same_every_time() {
    let Some(cuda) = support::cuda() else { return };
    for (points, depth) in [(sphere(20_000), 6), (torus(60_000), 7)] {
        for storage in [Storage::Single, Storage::Sixteen] {
            let options = options(depth, storage);
            let found = reconstruct(&cuda, &points, &options).unwrap();
            let expected = potential::reconstruct(&points, &options).unwrap();
            let gap = apart(&found, &expected);
            println!("depth {depth}, {storage:?}: {gap:.2e} voxels apart");
            assert!(gap <= 1e-3, "depth {depth}, {storage:?}: {gap} voxels apart");
            let again = reconstruct(&cuda, &points, &options).unwrap();
            assert!(again.0.vertices == found.0.vertices && again.0.cells == found.0.cells);
        }
    }
}

#[test]
fn single_samples_leave_no_part_on_the_gpu() {
    let Some(cuda) = support::cuda() else { return };
    // The bounding box is a whole number of voxels wide. The additional samples lie at voxels of
    // this box outside the ball.
    let mut points = sphere(20_000);
    for (k, x) in [1.0, -1.0].into_iter().flat_map(|x| (0..3).map(move |k| (k, x))) {
        let mut at = [0.0; 3];
        at[k] = x;
        points.push(at);
    }
    for [x, y] in [[1.0, 1.0], [-1.0, 1.0], [1.0, -1.0], [-1.0, -1.0]] {
        points.extend([[0.875 * x, 0.875 * y, 0.875], [0.75 * x, 0.875 * y, -0.875]]);
    }
    let options = options(7, Storage::Single);
    let found = reconstruct(&cuda, &points, &options).unwrap();
    let expected = potential::reconstruct(&points, &options).unwrap();
    assert_eq!(found.1.droplets, expected.1.droplets);
    assert_eq!([&found.0, &expected.0].map(|mesh| Topology::of(mesh).components), [1, 1]);
    let gap = apart(&found, &expected);
    assert!(gap <= 1e-3, "{gap} voxels apart");
}

#[test]
fn other_exponents_and_the_smoothing_at_the_end_are_those_of_the_cpu() {
    let Some(cuda) = support::cuda() else { return };
    let points = sphere(20_000);
    let mut surfaces = 0;
    for exponent in 2..5 {
        let mut options = options(6, Storage::Single);
        (options.exponent, options.smoothing_steps) = (exponent, 5);
        let found = reconstruct(&cuda, &points, &options);
        match (found, potential::reconstruct(&points, &options)) {
            (Ok(found), Ok(expected)) => {
                let gap = apart(&found, &expected);
                assert!(gap <= 1e-3, "exponent {exponent}: {gap} voxels apart");
                surfaces += 1;
            }
            // With a small exponent, the attraction is so weak that curvature may make the surface
            // vanish.
            (Err(found), Err(expected)) => assert_eq!(found.exit_code(), expected.exit_code()),
            (found, _) => {
                panic!("exponent {exponent}: a surface on one device only, {}", found.is_ok())
            }
        }
    }
    assert!(surfaces > 0);
}

#[test]
fn what_encloses_nothing_is_said_to_do_so() {
    let Some(cuda) = support::cuda() else { return };
    let flat: Vec<[f64; 3]> = box_of(5000, 3).into_iter().map(|[x, y, _]| [x, y, 0.0]).collect();
    for (points, code) in [(vec![], 2), (vec![[1.0; 3]; 9], 2), (flat, 4)] {
        let error = reconstruct(&cuda, &points, &Options::of_depth(6)).unwrap_err();
        assert_eq!(error.exit_code(), code, "{error}");
        let of_cpu = potential::reconstruct(&points, &Options::of_depth(6)).unwrap_err();
        assert_eq!(error.to_string(), of_cpu.to_string());
    }
}
