//! Tests that components of surfaces, and distances from points to surfaces, match those computed
//! on the CPU.

use zeroset::gpu::Cuda;
use zeroset::mesh::{Kind, Mesh};
use zeroset::surface::{DeviceParts, DeviceSurface, Extent, Gaps, Parts, gaps_on};

use crate::support;

/// Returns a generator of scattered numbers from -1 to 1.
fn numbers(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as f64 / (1_u64 << 30) as f64 - 1.0
    }
}

/// Returns balls far from the origin, with their triangles in random order. Each ball also has a
/// distant vertex that belongs to no triangle.
fn balls(radii: &[f64], level: u32) -> Mesh {
    let ball = support::sphere(level);
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for (k, radius) in radii.iter().enumerate() {
        let first = vertices.len() as u32;
        let at =
            |x: &[f64; 3]| [radius * x[0] - 3e3, radius * x[1] + 9.0 * k as f64, radius * x[2]];
        vertices.extend(ball.vertices.iter().map(at));
        vertices.push([1e9, -1e9, 0.0]);
        triangles.extend(ball.iter_cells().map(|cell| [0, 1, 2].map(|k| cell[k] + first)));
    }
    let mut number = numbers(3);
    for last in (1..triangles.len()).rev() {
        let other = (0.5 * (number() + 1.0) * last as f64) as usize;
        triangles.swap(last, other);
    }
    Mesh::new(Kind::Surface, vertices, triangles.into_flattened())
}

fn on_gpu(cuda: &Cuda, mesh: &Mesh, normals: bool) -> DeviceSurface {
    let turned: Vec<[f64; 3]> = mesh.vertices.iter().map(|x| [x[2], x[0], x[1]]).collect();
    DeviceSurface {
        vertices: cuda.upload(&mesh.vertices).unwrap(),
        normals: normals.then(|| cuda.upload(&turned).unwrap()),
        triangles: cuda.upload(mesh.cells.as_chunks::<3>().0).unwrap(),
        n_vertices: mesh.n_vertices(),
        n_triangles: mesh.n_cells(),
    }
}

fn check_parts(cuda: &Cuda, mesh: &Mesh, unit: f64) {
    let parts = Parts::new(mesh);
    let expected = parts.extents(mesh);
    let surface = on_gpu(cuda, mesh, true);
    let mut first: Option<Vec<Extent>> = None;
    for _ in 0..3 {
        let found = DeviceParts::new(cuda, &surface).unwrap();
        assert_eq!(found.count(), parts.count());
        let extents = found.extents(cuda, &surface, unit).unwrap();
        for (found, expected) in extents.iter().zip(&expected) {
            assert_eq!((found.low, found.high), (expected.low, expected.high));
            assert_eq!(found.triangles, expected.triangles);
            let [volume, area] = DeviceParts::errors(found, unit);
            assert!((found.volume - expected.volume).abs() <= 1.01 * volume);
            assert!((found.area - expected.area).abs() <= 1.01 * area);
        }
        assert_eq!(first.get_or_insert_with(|| extents.clone()), &extents);
        let kept: Vec<bool> = (0..parts.count()).map(|k| k % 3 != 1).collect();
        let left = found.keep(cuda, &surface, &kept).unwrap();
        let expected = parts.keep(mesh.clone(), |part| kept[part]);
        assert_eq!(
            (left.n_vertices, left.n_triangles),
            (expected.n_vertices(), expected.n_cells())
        );
        let mesh = left.mesh(cuda).unwrap();
        assert!(mesh.vertices == expected.vertices && mesh.cells == expected.cells);
        let normals = cuda.download(left.normals.as_ref().unwrap()).unwrap();
        assert!(normals.iter().zip(&mesh.vertices).all(|(n, x)| *n == [x[2], x[0], x[1]]));
    }
}

#[test]
fn parts_are_those_of_the_cpu_and_the_same_every_time() {
    let Some(cuda) = support::cuda() else { return };
    check_parts(&cuda, &balls(&[2.0, 0.3, 4.0, 0.01, 1.0], 5), 0.5);
    check_parts(&cuda, &balls(&[0.4; 400], 2), 0.5);
    check_parts(&cuda, &support::sphere(7), 0.1);
    check_parts(&cuda, &balls(&[], 2), 1.0);
}

fn check_gaps(cuda: &Cuda, mesh: &Mesh, n: usize, far: f64) {
    let mut number = numbers(n as u64);
    let [a, b] = [mesh.vertices[0], mesh.vertices[mesh.n_vertices() / 2]];
    let points: Vec<[f64; 3]> = (0..n)
        .map(|k| match k % 4 {
            0 => std::array::from_fn(|c| 0.5 * (a[c] + b[c]) + far * number()),
            _ => mesh.vertices[k * 7919 % mesh.n_vertices()].map(|c| c + 1e-3 * number()),
        })
        .collect();
    let expected = Gaps::new(mesh, &points).unwrap();
    let found = gaps_on(cuda, mesh, &points).unwrap().unwrap();
    println!("{n} points: {found:?}, the CPU {expected:?}");
    assert!((found.mean - expected.mean).abs() <= 1e-13 * expected.mean);
    assert!((found.max - expected.max).abs() <= 1e-13 * expected.max);
    assert_eq!(gaps_on(cuda, mesh, &points).unwrap(), Some(found));
}

#[test]
fn distances_to_a_surface_are_those_of_the_cpu() {
    let Some(cuda) = support::cuda() else { return };
    check_gaps(&cuda, &support::sphere(6), 300_000, 1.5);
    check_gaps(&cuda, &support::sphere(0), 10_000, 20.0);
    check_gaps(&cuda, &support::sphere(4), 70_000, 1e4);
    let one =
        Mesh::new(Kind::Surface, vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0]], vec![0, 1, 2]);
    check_gaps(&cuda, &one, 5_000, 3.0);
    assert_eq!(gaps_on(&cuda, &one, &[]).unwrap(), None);
}

/// A short test for compute-sanitizer, under which kernels take about a hundred times as long.
#[test]
fn a_short_run() {
    let Some(cuda) = support::cuda() else { return };
    check_parts(&cuda, &balls(&[2.0, 0.3, 4.0], 2), 2.0);
    check_gaps(&cuda, &support::sphere(3), 3_000, 2.0);
}
