//! Smoothing that does not shrink the surface.

use crate::mesh::statistics::facets::CellsAround;
use crate::mesh::{Mesh, normal_arrays};
use crate::parallel::*;

/// Fractions of the way to the mean of the neighbors, for the steps forward and back. The pass-band
/// frequency 1 / lambda + 1 / mu is 0.1.
const SHARES: [f64; 2] = [0.5, -0.526_315_789_473_684_2];
/// Names of the normal arrays.
const NORMALS: [&str; 3] = ["nx", "ny", "nz"];

/// Moves each vertex toward the mean of its neighbors and then back by a little more. Repeats this
/// `times` times (G. Taubin, *A signal processing approach to fair surface design*, SIGGRAPH 1995:
/// lambda = 1/2, mu = -10/19).
///
/// Vertices on boundary edges do not move. If the mesh has all three arrays `nx`, `ny` and `nz`,
/// they are recomputed from the moved triangles. Meshes of tetrahedra do not change.
pub fn smooth(mesh: &mut Mesh, times: u32) {
    if times == 0 || mesh.kind.arity() != 3 {
        return;
    }
    let around = CellsAround::new(mesh.n_vertices(), &mesh.cells, 3);
    let edges = around.edges();
    let mut first = vec![0_u32; mesh.n_vertices() + 1];
    edges.as_flattened().iter().for_each(|&v| first[v as usize + 1] += 1);
    (0..mesh.n_vertices()).for_each(|v| first[v + 1] += first[v]);
    let mut filled = first.clone();
    let mut neighbors = vec![0_u32; 2 * edges.len()];
    for &[a, b] in &edges {
        for (v, other) in [(a, b), (b, a)] {
            neighbors[filled[v as usize] as usize] = other;
            filled[v as usize] += 1;
        }
    }
    let is_fixed = on_border(mesh, &around);
    let mut moved = mesh.vertices.clone();
    for share in (0..times).flat_map(|_| SHARES) {
        let from = &mesh.vertices;
        moved.par_iter_mut().enumerate().for_each(|(v, to)| {
            let of = &neighbors[first[v] as usize..first[v + 1] as usize];
            if is_fixed[v] || of.is_empty() {
                return;
            }
            *to = std::array::from_fn(|k| {
                let own = from[v][k];
                // Subtract first, so that large coordinates keep their digits.
                let sum: f64 = of.iter().map(|&w| from[w as usize][k] - own).sum();
                own + share * sum / of.len() as f64
            });
        });
        std::mem::swap(&mut mesh.vertices, &mut moved);
        // Fixed vertices need no copy, because both arrays contain their positions.
    }
    renew_normals(mesh);
}

/// Recomputes the arrays `nx`, `ny` and `nz` if the mesh has all three.
pub(super) fn renew_normals(mesh: &mut Mesh) {
    if NORMALS.iter().all(|name| mesh.vertex_array(name).is_some()) {
        mesh.vertex_data.retain(|array| !NORMALS.contains(&array.name.as_str()));
        let normals = normal_arrays(mesh);
        mesh.vertex_data.splice(0..0, normals);
    }
}

/// Returns, for each vertex, whether it lies on a boundary edge.
fn on_border(mesh: &Mesh, around: &CellsAround) -> Vec<bool> {
    let mut is_fixed = vec![false; mesh.n_vertices()];
    let ends: Vec<Vec<u32>> = around.facets(
        |_| true,
        |ends: &mut Vec<u32>, uses| {
            if uses.even + uses.odd == 1 {
                ends.extend(&uses.vertices[..2]);
            }
        },
    );
    ends.into_iter().flatten().for_each(|v| is_fixed[v as usize] = true);
    is_fixed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::generate::{Generate, Sphere, generate};

    fn radius(x: &[f64; 3]) -> f64 {
        x.iter().map(|c| c * c).sum::<f64>().sqrt()
    }

    #[test]
    fn noise_goes_the_size_stays_and_borders_do_not_move() {
        let mut mesh = generate(&Generate::Sphere(Sphere::default())).unwrap();
        for (v, x) in mesh.vertices.iter_mut().enumerate() {
            let factor = 1.0 + 0.02 * ((v * 7919 % 101) as f64 / 50.0 - 1.0);
            *x = x.map(|c| c * factor);
        }
        mesh.vertex_data = normal_arrays(&mesh);
        let spread = |mesh: &Mesh| {
            let all: Vec<f64> = mesh.vertices.iter().map(radius).collect();
            let mean = all.iter().sum::<f64>() / all.len() as f64;
            let variance = all.iter().map(|r| (r - mean).powi(2)).sum::<f64>() / all.len() as f64;
            (mean, variance.sqrt())
        };
        let (mean, rough) = spread(&mesh);
        let before = mesh.clone();
        smooth(&mut mesh, 10);
        let (after, smoothed) = spread(&mesh);
        assert!(smoothed < 0.4 * rough && (after - mean).abs() < 0.005, "{smoothed} {rough}");
        assert_eq!(mesh.vertex_data.len(), 3);
        assert_ne!(mesh.vertex_data, before.vertex_data);
        // The boundary of an open surface does not move.
        let mut open = before.clone();
        open.cells.truncate(open.cells.len() / 2 / 3 * 3);
        let around = CellsAround::new(open.n_vertices(), &open.cells, 3);
        let fixed = on_border(&open, &around);
        assert!(fixed.contains(&true));
        smooth(&mut open, 3);
        for v in (0..open.n_vertices()).filter(|&v| fixed[v]) {
            assert_eq!(open.vertices[v], before.vertices[v]);
        }
    }
}
