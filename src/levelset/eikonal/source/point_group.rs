//! The region, line or wall that a group of vertices represents.

use crate::mesh::Mesh;
use crate::mesh::statistics::facets::CellsAround;

/// A group is a line or a wall if its number of vertices exceeds this factor times the number of
/// cells that it fills. A filled region has about twice as many triangles and five times as many
/// tetrahedra as vertices. A line or a wall fills cells only at its corners.
const FEWEST_FILLED: usize = 2;

/// The source that a group of vertices represents.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PointGroup {
    /// Vertex indices of the simplices, `[n * arity]`.
    pub simplices: Vec<u32>,
    /// The number of vertices of a simplex: 1 for the vertices themselves, 2 for edges, 3 for
    /// faces.
    pub arity: usize,
    /// The number of cells that the group fills although it looks like a line or a wall. Edges
    /// across these cells count as part of the source.
    pub doubtful_cells: usize,
}

impl PointGroup {
    /// Finds the source that a group of vertices represents.
    ///
    /// - A group that fills cells is a region. The source consists of its vertices and of all edges
    ///   and faces between them.
    /// - A line or a wall along the boundary of the mesh consists of boundary edges or faces.
    ///   Other edges between its vertices cut corners, so they are not part of it.
    /// - Any other line or wall consists of its vertices and of all edges and faces between them.
    ///   Cells that it fills are doubtful.
    pub fn new(mesh: &Mesh, points: &[u32]) -> Self {
        let arity = mesh.kind.arity();
        let mut is_point = vec![false; mesh.n_vertices()];
        points.iter().for_each(|&v| is_point[v as usize] = true);
        let n_points = is_point.iter().filter(|is_point| **is_point).count();
        let n_corners = |cell: &[u32]| cell.iter().filter(|&&v| is_point[v as usize]).count();
        let filled = mesh.iter_cells().filter(|cell| n_corners(cell) == arity).count();
        let of_points =
            |doubtful_cells| PointGroup { simplices: points.to_vec(), arity: 1, doubtful_cells };
        if filled == 0 || filled * FEWEST_FILLED >= n_points {
            return of_points(0);
        }
        let around = CellsAround::new(mesh.n_vertices(), &mesh.cells, arity);
        let touches = |cell: usize| n_corners(&mesh.cells[cell * arity..][..arity]) + 1 >= arity;
        let facets = around.facets(touches, |facets: &mut Vec<u32>, uses| {
            let vertices = &uses.vertices[..arity - 1];
            if uses.even + uses.odd == 1 && n_corners(vertices) == arity - 1 {
                facets.extend(vertices);
            }
        });
        let facets = facets.concat();
        facets.iter().for_each(|&v| is_point[v as usize] = false);
        if is_point.contains(&true) {
            return of_points(filled);
        }
        PointGroup { simplices: facets, arity: arity - 1, doubtful_cells: 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Kind;

    /// Returns a square of `n` x `n` squares, each cut into two triangles.
    fn square(n: u32) -> Mesh {
        let index = |i: u32, j: u32| j * (n + 1) + i;
        let vertices =
            (0..=n).flat_map(|j| (0..=n).map(move |i| [f64::from(i), f64::from(j), 0.0]));
        let mut cells = Vec::new();
        for (i, j) in (0..n).flat_map(|j| (0..n).map(move |i| (i, j))) {
            let [a, b] = [index(i, j), index(i + 1, j)];
            let [c, d] = [index(i + 1, j + 1), index(i, j + 1)];
            cells.extend([a, b, d, b, c, d]);
        }
        Mesh::new(Kind::Planar, vertices.collect(), cells)
    }

    /// Returns the vertices of a mesh that satisfy a condition.
    fn select(mesh: &Mesh, condition: impl Fn(f64, f64) -> bool) -> Vec<u32> {
        let all = (0..).zip(&mesh.vertices);
        all.filter(|(_, x)| condition(x[0], x[1])).map(|(v, _)| v).collect()
    }

    #[test]
    fn walls_along_the_boundary_consist_of_boundary_edges() {
        let mesh = square(10);
        let walls = select(&mesh, |x, y| x == 0.0 || y == 0.0 || x == 10.0 || y == 10.0);
        let found = PointGroup::new(&mesh, &walls);
        assert_eq!((found.arity, found.simplices.len(), found.doubtful_cells), (2, 80, 0));
        let side = select(&mesh, |x, _| x == 0.0);
        assert_eq!(PointGroup::new(&mesh, &side).arity, 1, "it fills no cell");
    }

    #[test]
    fn regions_are_filled_and_other_lines_are_doubtful() {
        let mesh = square(10);
        let region = select(&mesh, |x, y| x <= 4.0 && y <= 4.0);
        let found = PointGroup::new(&mesh, &region);
        assert_eq!((found.arity, &found.simplices, found.doubtful_cells), (1, &region, 0));
        // A line with a corner at (5, 5). The diagonals of the squares cut off this corner.
        let line = select(&mesh, |x, y| (x == 5.0 && y >= 5.0) || (y == 5.0 && x >= 5.0));
        let found = PointGroup::new(&mesh, &line);
        assert_eq!((found.arity, &found.simplices, found.doubtful_cells), (1, &line, 1));
    }
}
