//! Tests that signed distances of points on a GPU match those computed on the CPU.

use zeroset::gpu::Cuda;
use zeroset::mesh::{Kind, Mesh};
use zeroset::surface::{Closest, DeviceResults, DeviceTriangleIndex, Solid, TriangleIndex};

use crate::support;

/// Returns points in a box around the surface, points close to it, and its vertices.
fn points(mesh: &Mesh, n: usize) -> Vec<[f64; 3]> {
    let (low, high) = mesh.bounds();
    let of = |k: usize, c: usize| {
        let part = (k as f64 * [0.731, 0.417, 0.593][c]).fract();
        low[c] + (high[c] - low[c]) * (1.6 * part - 0.3)
    };
    let vertex = |k: usize| mesh.vertices[k * 7919 % mesh.n_vertices()];
    (0..n)
        .map(|k| match k % 4 {
            0 => vertex(k),
            1 => vertex(k).map(|x| x * 1.001),
            _ => [0, 1, 2].map(|c| of(k, c)),
        })
        .collect()
}

/// Compares the distances on the GPU with those of the CPU.
fn check(cuda: &Cuda, mesh: &Mesh, index: &TriangleIndex, n: usize) {
    let points = points(mesh, n);
    let (expected, closest) = index.signed_closest(&points);
    let named = |t: u32| (t + 7, [f64::from(t), 1.0, 2.0]);
    let there = DeviceTriangleIndex::new(cuda, index, named).unwrap();
    let given = cuda.upload(&points).unwrap();
    let (values, normals) = (cuda.zeros::<f64>(n).unwrap(), cuda.zeros::<[f64; 3]>(n).unwrap());
    let triangles = cuda.zeros::<i64>(n).unwrap();
    for is_whole in [true, false] {
        let address = |address: u64| if is_whole { address } else { 0 };
        let results = DeviceResults {
            values: values.address(),
            normals: address(normals.address()),
            triangles: address(triangles.address()),
        };
        // SAFETY: all arrays have an entry for each point.
        let doubts = unsafe { there.signed_distances(cuda, given.address(), n, results) }.unwrap();
        assert_eq!(doubts, [expected.undecided, expected.inverted].map(|n| n as u64));
        assert_eq!(cuda.download(&values).unwrap(), expected.values);
    }
    let (normals, triangles) =
        (cuda.download(&normals).unwrap(), cuda.download(&triangles).unwrap());
    let mut same = 0;
    for (k, Closest { point, triangle, .. }) in closest.iter().enumerate() {
        if triangles[k] != i64::from(*triangle) + 7 {
            continue;
        }
        same += 1;
        let (x, distance) = (points[k], expected.values[k]);
        let way = [0, 1, 2].map(|c| (x[c] - point[c]) * distance.signum());
        let length = way.iter().map(|c| c * c).sum::<f64>().sqrt();
        let normal = match distance == 0.0 || length == 0.0 {
            true => [f64::from(*triangle), 1.0, 2.0],
            false => way.map(|c| c / length),
        };
        assert!((0..3).all(|c| (normals[k][c] - normal[c]).abs() <= 1e-9), "point {k}");
    }
    // Vertices are equally near to several triangles.
    assert!(2 * same > n, "{same} of {n}");
}

/// Returns two spheres that overlap, so that distances are measured to an envelope.
fn overlapping(level: u32) -> Mesh {
    let ball = support::sphere(level);
    let n = ball.n_vertices() as u32;
    let moved = ball.vertices.iter().map(|x| [x[0] + 1.1, x[1] + 0.1, x[2]]);
    let vertices = ball.vertices.iter().copied().chain(moved).collect();
    let cells = ball.cells.iter().copied().chain(ball.cells.iter().map(|v| v + n)).collect();
    Mesh::new(Kind::Surface, vertices, cells)
}

fn check_meshes(cuda: &Cuda, level: u32, n: usize) {
    let sphere = support::sphere(level);
    check(cuda, &sphere, &TriangleIndex::new(&sphere.vertices, &sphere.cells), n);
    let mut open = sphere.clone();
    open.cells.truncate(open.cells.len() / 2 / 3 * 3);
    check(cuda, &open, &TriangleIndex::new(&open.vertices, &open.cells), n);
    let mut inverted = sphere.clone();
    inverted.cells.as_chunks_mut::<3>().0.iter_mut().for_each(|t| t.swap(0, 1));
    check(cuda, &inverted, &TriangleIndex::new(&inverted.vertices, &inverted.cells), n);
    let two = overlapping(level);
    let solid = Solid::new(&two).unwrap();
    assert!(solid.envelope.is_some());
    check(cuda, &two, &solid.index(), n);
    let one =
        Mesh::new(Kind::Surface, vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 2.0, 0.5]], vec![0, 1, 2]);
    check(cuda, &one, &TriangleIndex::new(&one.vertices, &one.cells), n);
}

#[test]
fn signed_distances_are_those_of_the_cpu() {
    let Some(cuda) = support::cuda() else { return };
    check_meshes(&cuda, 6, 200_000);
}

#[test]
fn points_that_are_not_numbers_have_no_distance() {
    let Some(cuda) = support::cuda() else { return };
    let sphere = support::sphere(2);
    let index = TriangleIndex::new(&sphere.vertices, &sphere.cells);
    let there = DeviceTriangleIndex::new(&cuda, &index, |t| (t, [0.0; 3])).unwrap();
    let infinite = [[f64::INFINITY; 3], [f64::INFINITY, f64::NEG_INFINITY, 0.0]];
    let given = [[f64::NAN, 0.0, 0.0], [0.0; 3], infinite[0], infinite[1]];
    let given = cuda.upload(&given).unwrap();
    let values = cuda.zeros::<f64>(4).unwrap();
    let results = DeviceResults { values: values.address(), normals: 0, triangles: 0 };
    // SAFETY: both arrays have four entries.
    unsafe { there.signed_distances(&cuda, given.address(), 4, results) }.unwrap();
    let values = cuda.download(&values).unwrap();
    assert!(values[0].is_nan() && values[1] < -0.9, "{values:?}");
    assert_eq!(values[2..], [f64::INFINITY; 2]);
    // SAFETY: no array is used.
    unsafe { there.signed_distances(&cuda, given.address(), 0, results) }.unwrap();
}

/// A short test for compute-sanitizer, under which kernels take about a hundred times as long.
#[test]
fn a_short_run() {
    let Some(cuda) = support::cuda() else { return };
    check_meshes(&cuda, 3, 1000);
}
