//! Marching simplices: extraction of the zero set of phi as indexed segments or triangles.

use crate::geometry::Vec3;
use crate::mesh::Mesh;
use crate::parallel::*;

/// The zero set of a function on a mesh.
#[derive(Clone, Debug, Default)]
pub struct Interface {
    /// The points where mesh edges cross the zero set, `[crossings]`, in mesh units.
    pub vertices: Vec<[f64; 3]>,
    /// The mesh edge of each crossing, `[crossings]`, inside vertex first.
    pub edges: Vec<[u32; 2]>,
    /// The position of each crossing on its edge, `[crossings]`: 0 at the inside vertex, 1 at the
    /// outside vertex.
    pub weights: Vec<f64>,
    /// The crossings of each piece, `[pieces * arity]`: two for a segment, three for a triangle.
    pub cells: Vec<u32>,
    /// The mesh cell of each piece, `[pieces]`.
    pub parents: Vec<u32>,
    /// The number of vertices per piece: 2 in triangle meshes, 3 in tetrahedral meshes.
    pub arity: usize,
}

impl Interface {
    /// Interpolates a vertex array of the mesh, `[n_vertices]`, linearly at the crossings. Returns
    /// one value for each crossing, `[crossings]`, in the unit of the array.
    pub fn interpolate(&self, values: &[f64]) -> Vec<f64> {
        let at = |(&[a, b], &t): (&[u32; 2], &f64)| {
            values[a as usize] * (1.0 - t) + values[b as usize] * t
        };
        self.edges.iter().zip(&self.weights).map(at).collect()
    }

    /// Returns the length (in mesh units) or the area (in squared mesh units) of each piece.
    pub fn measures(&self) -> impl Iterator<Item = f64> + '_ {
        let at = |v: u32| Vec3::from(self.vertices[v as usize]);
        self.cells.chunks_exact(self.arity.max(2)).map(move |piece| match *piece {
            [a, b, c] => 0.5 * (at(b) - at(a)).cross(&(at(c) - at(a))).norm(),
            [a, b] => (at(b) - at(a)).norm(),
            _ => 0.0,
        })
    }
}

/// Extracts the zero set of `phi`, `[n_vertices]`, whose unit does not matter. Cells with a corner
/// where phi is NaN or infinite are skipped.
///
/// Cells share the crossings of their common edges. The pieces are therefore connected wherever the
/// cells are. Pieces are oriented. In the plane, the inside lies to the left of a segment of a
/// counterclockwise triangle. In tetrahedra, normals point from the inside to the outside.
pub fn extract(mesh: &Mesh, phi: &[f64]) -> Interface {
    let arity = mesh.kind.arity();
    let chunk = 4096 * arity;
    // Each task lists the pieces of its cells. A piece is given by the mesh edges on which its
    // corners lie. The lists are joined in order.
    let parts: Vec<Vec<(u32, [[u32; 2]; 3])>> = mesh
        .cells
        .par_chunks(chunk)
        .enumerate()
        .map(|(k, cells)| {
            let mut pieces = Vec::new();
            for (c, cell) in cells.chunks_exact(arity).enumerate() {
                cut(cell, phi, |piece| pieces.push(((k * 4096 + c) as u32, piece)));
            }
            pieces
        })
        .collect();
    let pieces: Vec<(u32, [[u32; 2]; 3])> = parts.concat();
    let n = arity - 1;
    let mut edges: Vec<[u32; 2]> =
        pieces.iter().flat_map(|(_, ends)| ends[..n].iter().copied()).collect();
    edges.par_sort_unstable();
    edges.dedup();
    let number = |edge: &[u32; 2]| edges.partition_point(|e| e < edge) as u32;
    let cells = pieces.par_iter().flat_map_iter(|(_, ends)| ends[..n].iter().map(number)).collect();
    let weights: Vec<f64> = edges
        .iter()
        .map(|&[a, b]| {
            let (inside, outside) = (phi[a as usize], phi[b as usize]);
            inside / (inside - outside)
        })
        .collect();
    let vertices = edges
        .iter()
        .zip(&weights)
        .map(|(&[a, b], &t)| {
            let (a, b) = (mesh.vertices[a as usize], mesh.vertices[b as usize]);
            std::array::from_fn(|k| a[k] * (1.0 - t) + b[k] * t)
        })
        .collect();
    let parents = pieces.iter().map(|&(cell, _)| cell).collect();
    Interface { vertices, edges, weights, cells, parents, arity: n }
}

/// Passes each piece of the zero set in one cell to `piece`. A piece is given by the mesh edges on
/// which its corners lie, each with its inside vertex first.
fn cut(cell: &[u32], phi: &[f64], mut piece: impl FnMut([[u32; 2]; 3])) {
    let inside = |i: usize| phi[cell[i] as usize] < 0.0;
    let n_inside = (0..cell.len()).filter(|&i| inside(i)).count();
    if n_inside == 0 || n_inside == cell.len() {
        return;
    }
    if !cell.iter().all(|&v| phi[v as usize].is_finite()) {
        return;
    }
    if cell.len() == 3 {
        // `a` is the vertex that is alone on its side, and `b` and `c` are the other two in cyclic
        // order.
        let lone = n_inside == 1;
        let Some(i) = (0..3).find(|&i| inside(i) == lone) else { return };
        let (a, b, c) = (cell[i], cell[(i + 1) % 3], cell[(i + 2) % 3]);
        if lone {
            piece([[a, b], [a, c], [a, a]]);
        } else {
            piece([[c, a], [b, a], [a, a]]);
        }
        return;
    }
    // Even permutations keep the orientation of the tetrahedron.
    const LONE: [[usize; 4]; 4] = [[0, 1, 2, 3], [1, 0, 3, 2], [2, 0, 1, 3], [3, 0, 2, 1]];
    if n_inside != 2 {
        let lone = n_inside == 1;
        let Some(i) = (0..4).find(|&i| inside(i) == lone) else { return };
        let [a, b, c, d] = LONE[i].map(|k| cell[k]);
        if lone {
            piece([[a, b], [a, c], [a, d]]);
        } else {
            piece([[b, a], [d, a], [c, a]]);
        }
        return;
    }
    const PAIRS: [[usize; 4]; 6] =
        [[0, 1, 2, 3], [0, 2, 3, 1], [0, 3, 1, 2], [1, 2, 0, 3], [1, 3, 2, 0], [2, 3, 0, 1]];
    let Some(pair) = PAIRS.iter().find(|p| inside(p[0]) && inside(p[1])) else { return };
    let [a, b, c, d] = pair.map(|k| cell[k]);
    // Split the quadrilateral ac, ad, bd, bc along the diagonal that starts at the crossing with
    // the smallest vertex indices. The choice therefore does not depend on the order of the
    // vertices in the cell.
    let ring = [[a, c], [a, d], [b, d], [b, c]];
    let even = ring[0].min(ring[2]) < ring[1].min(ring[3]);
    if even {
        piece([ring[0], ring[1], ring[2]]);
        piece([ring[0], ring[2], ring[3]]);
    } else {
        piece([ring[1], ring[2], ring[3]]);
        piece([ring[1], ring[3], ring[0]]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Vec3;
    use crate::mesh::Kind;

    fn one_cell(kind: Kind) -> Mesh {
        let vertices = [[0., 0., 0.], [1., 0., 0.], [0., 1., 0.], [0., 0., 1.]];
        let n = kind.arity();
        Mesh::new(kind, vertices[..n].to_vec(), (0..n as u32).collect())
    }

    #[test]
    fn cells_with_a_corner_without_value_have_no_piece() {
        for (kind, n) in [(Kind::Planar, 3), (Kind::Volume, 4)] {
            let mesh = one_cell(kind);
            for (unknown, other) in
                [(f64::NAN, -1.0), (f64::INFINITY, -1.0), (f64::NEG_INFINITY, 1.0)]
            {
                let mut phi = vec![other; n];
                phi[1] = -other;
                assert!(!extract(&mesh, &phi).cells.is_empty());
                phi[2] = unknown;
                let found = extract(&mesh, &phi);
                assert!(found.cells.is_empty() && found.vertices.is_empty(), "{unknown}");
            }
        }
    }

    #[test]
    fn normals_of_all_tetrahedron_cases_point_out_of_the_inside() {
        let mesh = one_cell(Kind::Volume);
        for case in 1u32..15 {
            let phi: Vec<f64> =
                (0..4).map(|i| if case >> i & 1 == 1 { -1.0 } else { 0.5 }).collect();
            let surface = extract(&mesh, &phi);
            let n = case.count_ones();
            assert_eq!(surface.parents.len(), if n == 2 { 2 } else { 1 });
            let side = |wanted: bool| -> Vec3 {
                let members = (0..4).filter(|&i| (phi[i] < 0.0) == wanted);
                members.clone().map(|i| Vec3::from(mesh.vertices[i])).sum::<Vec3>()
                    / members.count() as f64
            };
            let out = side(false) - side(true);
            for t in surface.cells.chunks_exact(3) {
                let [a, b, c]: [Vec3; 3] =
                    std::array::from_fn(|k| surface.vertices[t[k] as usize].into());
                assert!((b - a).cross(&(c - a)).dot(&out) > 0.0, "case {case:04b}");
            }
        }
    }

    #[test]
    fn inside_lies_left_of_segments() {
        let mesh = one_cell(Kind::Planar);
        for case in 1u32..7 {
            let phi: Vec<f64> =
                (0..3).map(|i| if case >> i & 1 == 1 { -1.0 } else { 0.5 }).collect();
            let line = extract(&mesh, &phi);
            assert_eq!(line.cells.len(), 2);
            let [a, b] = [0, 1].map(|k| Vec3::from(line.vertices[line.cells[k] as usize]));
            for (&x, &phi) in mesh.vertices.iter().zip(&phi) {
                let left = (b - a).cross(&(Vec3::from(x) - a)).z > 0.0;
                assert_eq!(left, phi < 0.0, "case {case:03b}");
            }
        }
    }

    #[test]
    fn interpolation_at_crossings() {
        let mesh = one_cell(Kind::Planar);
        let line = extract(&mesh, &[-1.0, 3.0, 1.0]);
        assert_eq!(line.vertices, [[0.25, 0., 0.], [0., 0.5, 0.]]);
        assert_eq!(line.interpolate(&[0.0, 4.0, 4.0]), [1.0, 2.0]);
    }
}
