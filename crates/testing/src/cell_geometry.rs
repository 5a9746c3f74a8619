//! Computes sizes and angles of cells directly from their corners.

use nalgebra::Vector3;
use zeroset_core::mesh::{Kind, Mesh};

/// Returns the corners of a cell.
pub fn corners<const N: usize>(mesh: &Mesh, cell: &[u32]) -> [Vector3<f64>; N] {
    std::array::from_fn(|k| mesh.vertices[cell[k] as usize].into())
}

/// Returns a normal and the centroid of each triangle. The length of the normal is twice the area
/// of the triangle.
pub fn normals(mesh: &Mesh) -> Vec<(Vector3<f64>, Vector3<f64>)> {
    let normal = |t: &[u32]| {
        let [a, b, c] = corners(mesh, t);
        ((b - a).cross(&(c - a)), (a + b + c) / 3.0)
    };
    mesh.iter_cells().map(normal).collect()
}

/// Returns the area of each triangle (signed if planar) or the signed volume of each tetrahedron.
pub fn measures(mesh: &Mesh) -> Vec<f64> {
    match mesh.kind {
        Kind::Planar => normals(mesh).iter().map(|(n, _)| 0.5 * n.z).collect(),
        Kind::Surface => normals(mesh).iter().map(|(n, _)| 0.5 * n.norm()).collect(),
        Kind::Volume => {
            let volume = |t: &[u32]| {
                let [a, b, c, d] = corners(mesh, t);
                (b - a).cross(&(c - a)).dot(&(d - a)) / 6.0
            };
            mesh.iter_cells().map(volume).collect()
        }
    }
}

/// Asserts that every cell has a positive size and that the sizes add up to `expected`.
#[track_caller]
pub fn assert_fills(mesh: &Mesh, expected: f64) {
    let all = measures(mesh);
    assert!(all.iter().all(|&m| m > 0.0), "a cell is degenerate or inverted");
    let total: f64 = all.iter().sum();
    assert!((total - expected).abs() < 1e-12 * expected, "{total} instead of {expected}");
}

/// Returns the smallest and the largest inradius of the cells.
pub fn inradii(mesh: &Mesh) -> [f64; 2] {
    let d = mesh.kind.dimension() as f64;
    let hull = |t: &[u32]| -> f64 {
        if mesh.kind == Kind::Volume {
            let p: [Vector3<f64>; 4] = corners(mesh, t);
            let face = |i: usize, j: usize, k: usize| (p[j] - p[i]).cross(&(p[k] - p[i])).norm();
            0.5 * (face(0, 1, 2) + face(0, 1, 3) + face(0, 2, 3) + face(1, 2, 3))
        } else {
            let [a, b, c] = corners(mesh, t);
            (b - a).norm() + (c - b).norm() + (a - c).norm()
        }
    };
    let all = mesh.iter_cells().zip(measures(mesh)).map(|(t, m)| d * m / hull(t));
    all.fold([f64::MAX, 0.0], |[low, high], r| [low.min(r), high.max(r)])
}

/// Returns the largest angle of all triangles, in degrees.
pub fn largest_angle(mesh: &Mesh) -> f64 {
    let angle = |t: &[u32]| {
        let p: [Vector3<f64>; 3] = corners(mesh, t);
        let at = |k: usize| (p[(k + 1) % 3] - p[k]).angle(&(p[(k + 2) % 3] - p[k]));
        at(0).max(at(1)).max(at(2)).to_degrees()
    };
    mesh.iter_cells().map(angle).fold(0.0, f64::max)
}

/// Returns a line with the numbers of vertices and cells, the largest number of edges (for
/// tetrahedra, of cells) at a vertex, and the smallest and largest inradius.
pub fn summary(mesh: &Mesh) -> String {
    let [low, high] = inradii(mesh);
    let valence = zeroset_core::mesh::statistics::inspect(mesh).max_valence;
    format!("{} / {} / {valence} / {low:.4} {high:.4}", mesh.n_vertices(), mesh.n_cells())
}

/// Returns a hash of all coordinates and cells.
pub fn hash(mesh: &Mesh) -> String {
    let mut hasher = blake3::Hasher::new();
    for x in mesh.vertices.iter().flatten() {
        hasher.update(&x.to_le_bytes());
    }
    for v in &mesh.cells {
        hasher.update(&v.to_le_bytes());
    }
    hasher.finalize().to_hex()[..16].to_string()
}
