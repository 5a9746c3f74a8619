//! Start values around sources: vertices, points, parts of the mesh (numerics 5.4).
//!
//! Every vertex of a cell that a source touches gets its straight distance inside that cell,
//! divided by the cell's speed, plus the start value. These are upper bounds handed to
//! [`super::EikonalState::seed`]: where another source or a detour is faster, fronts lower them.

use rayon::prelude::*;

use super::Slowness;
use crate::geometry::{Vec3, simplex};
use crate::mesh::Mesh;

/// Start values around a point, and how well the point fits the mesh.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PointSeeds {
    /// Vertices (mesh order) and their start values.
    pub values: Vec<(u32, f64)>,
    /// Point of the mesh closest to the one asked for.
    pub closest: [f64; 3],
    /// Distance between the two, mesh units.
    pub gap: f64,
    /// Longest edge of the cell the closest point lies in, mesh units.
    pub edge: f64,
}

/// Start values around the simplices of a source, given by their vertices in mesh order, `arity`
/// each (1 for vertices, 2 for edges, ...).
pub fn around_simplices(
    mesh: &Mesh,
    simplices: &[u32],
    arity: usize,
    start: f64,
    slowness: &Slowness<f64>,
) -> Vec<(u32, f64)> {
    let mut touching: Vec<(u32, u32)> = Vec::with_capacity(simplices.len());
    for (s, vertices) in simplices.chunks_exact(arity).enumerate() {
        touching.extend(vertices.iter().map(|&v| (v, s as u32)));
    }
    touching.sort_unstable();
    let of = |v: u32| {
        let first = touching.partition_point(|t| t.0 < v);
        touching[first..].iter().take_while(move |t| t.0 == v).map(|t| t.1 as usize)
    };
    let mut is_source = vec![false; mesh.n_vertices()];
    for &v in simplices {
        is_source[v as usize] = true;
    }
    let mut values: Vec<(u32, f64)> = Vec::new();
    let mut part: Vec<Vec3> = Vec::new();
    for (c, cell) in mesh.iter_cells().enumerate() {
        for &v in cell.iter().filter(|&&v| is_source[v as usize]) {
            values.push((v, start));
            for s in of(v) {
                // The part of the source inside this cell: the vertices they share.
                let source = &simplices[s * arity..(s + 1) * arity];
                part.clear();
                let shared = source.iter().filter(|w| cell.contains(w));
                part.extend(shared.map(|&w| Vec3::from(mesh.vertices[w as usize])));
                for &w in cell.iter().filter(|&&w| !is_source[w as usize]) {
                    let x = Vec3::from(mesh.vertices[w as usize]);
                    let distance = (simplex::closest_point(x, &part) - x).norm();
                    values.push((w, start + distance * slowness.of(c as u32)));
                }
            }
        }
    }
    smallest_per_vertex(values)
}

/// Start values around the point of the mesh closest to `at`; `None` for a mesh without cells.
pub fn around_point(
    mesh: &Mesh,
    at: [f64; 3],
    start: f64,
    slowness: &Slowness<f64>,
) -> Option<PointSeeds> {
    let arity = mesh.kind.arity();
    let p = Vec3::from(at);
    let corners = |cell: &[u32]| {
        let mut x = [Vec3::zeros(); 4];
        for (x, &v) in x.iter_mut().zip(cell) {
            *x = mesh.vertices[v as usize].into();
        }
        x
    };
    let closest_in = |cell: &[u32]| simplex::closest_point(p, &corners(cell)[..cell.len()]);
    let (gap, nearest) = mesh
        .cells
        .par_chunks_exact(arity)
        .enumerate()
        .map(|(c, cell)| ((closest_in(cell) - p).norm(), c))
        .min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)))?;
    let cell = |c: usize| &mesh.cells[c * arity..(c + 1) * arity];
    let closest = closest_in(cell(nearest));
    let edge = simplex::longest_edge(&corners(cell(nearest))[..arity]);
    // A point on a vertex or an edge touches every cell there.
    let touched: Vec<u32> = (0..mesh.n_cells())
        .into_par_iter()
        .filter(|&c| {
            let at = simplex::closest_point(closest, &corners(cell(c))[..arity]);
            c == nearest || (at - closest).norm() <= 1e-12 * edge
        })
        .map(|c| c as u32)
        .collect();
    let mut values = Vec::new();
    for c in touched {
        for &v in cell(c as usize) {
            let distance = (Vec3::from(mesh.vertices[v as usize]) - closest).norm();
            values.push((v, start + distance * slowness.of(c)));
        }
    }
    Some(PointSeeds { values: smallest_per_vertex(values), closest: closest.into(), gap, edge })
}

fn smallest_per_vertex(mut values: Vec<(u32, f64)>) -> Vec<(u32, f64)> {
    values.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    values.dedup_by_key(|v| v.0);
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Kind;

    /// The unit square as two triangles along the diagonal 0-2.
    fn square() -> Mesh {
        let vertices = vec![[0., 0., 0.], [1., 0., 0.], [1., 1., 0.], [0., 1., 0.]];
        Mesh::new(Kind::Planar, vertices, vec![0, 1, 2, 0, 2, 3])
    }

    const PLAIN: Slowness<f64> = Slowness::Uniform(1.0);

    #[test]
    fn around_a_vertex_and_an_edge() {
        let one = around_simplices(&square(), &[1], 1, 0.5, &PLAIN);
        assert_eq!(one, [(0, 1.5), (1, 0.5), (2, 1.5)]);
        let edge = around_simplices(&square(), &[0, 1], 2, 0.0, &Slowness::PerCell(vec![2.0, 3.0]));
        // Vertex 2 hangs over the edge in the slower-by-two cell; vertex 3 sees vertex 0 only.
        assert_eq!(edge, [(0, 0.0), (1, 0.0), (2, 2.0), (3, 3.0)]);
    }

    #[test]
    fn around_points_inside_on_and_off_the_mesh() {
        let inside = around_point(&square(), [0.75, 0.25, 0.0], 0.0, &PLAIN).unwrap();
        let ids = |s: &PointSeeds| s.values.iter().map(|v| v.0).collect::<Vec<u32>>();
        assert_eq!((ids(&inside), inside.gap), (vec![0, 1, 2], 0.0));
        let on_diagonal = around_point(&square(), [0.5, 0.5, 0.25], 0.0, &PLAIN).unwrap();
        assert_eq!((ids(&on_diagonal), on_diagonal.gap), (vec![0, 1, 2, 3], 0.25));
        assert_eq!(on_diagonal.closest, [0.5, 0.5, 0.0]);
        let off = around_point(&square(), [3.0, 0.0, 0.0], 0.0, &PLAIN).unwrap();
        assert_eq!((off.gap, off.closest), (2.0, [1.0, 0.0, 0.0]));
    }
}
