//! The triangles of a planar mesh, and the search for the triangle that contains a point.

use crate::geometry::{Real, Vec3};
use crate::mesh::Mesh;
use crate::parallel::*;
use crate::surface::{Tree, box_of};

/// The neighbor of a triangle across an edge of the boundary.
const NONE: u32 = u32::MAX;

/// Barycentric coordinates above this negative value count as inside.
const TOLERANCE: f64 = 1e-12;

/// The number of triangles after which a walk to a point ends. A walk that always crosses the
/// farthest edge may go around in a circle.
const LONGEST_WALK: u32 = 256;

/// The corners of a triangle.
#[derive(Clone, Copy)]
pub(super) struct Corners {
    pub at: [[f64; 2]; 3],
}

impl Corners {
    fn edges(&self) -> ([f64; 2], [f64; 2], f64) {
        let [o, p, q] = self.at;
        let (a, b) = ([p[0] - o[0], p[1] - o[1]], [q[0] - o[0], q[1] - o[1]]);
        (a, b, a[0] * b[1] - a[1] * b[0])
    }

    /// Returns the barycentric coordinates of a point.
    pub fn coordinates(&self, x: [f64; 2]) -> [f64; 3] {
        let (a, b, det) = self.edges();
        let r = [x[0] - self.at[0][0], x[1] - self.at[0][1]];
        let l1 = (r[0] * b[1] - r[1] * b[0]) / det;
        let l2 = (a[0] * r[1] - a[1] * r[0]) / det;
        [1.0 - l1 - l2, l1, l2]
    }

    /// Returns the point with the given barycentric coordinates.
    pub fn point(&self, l: [f64; 3]) -> [f64; 2] {
        [0, 1].map(|k| l[0] * self.at[0][k] + l[1] * self.at[1][k] + l[2] * self.at[2][k])
    }

    /// Returns the gradient of the linear function with the given values at the corners.
    pub fn gradient(&self, values: [f64; 3]) -> [f64; 2] {
        let (a, b, det) = self.edges();
        let (s, t) = (values[1] - values[0], values[2] - values[0]);
        [(s * b[1] - t * a[1]) / det, (t * a[0] - s * b[0]) / det]
    }
}

/// The nearest place in the mesh to a point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// The triangle.
    pub cell: u32,
    /// The barycentric coordinates of the nearest point in it.
    pub l: [f64; 3],
    /// The way from there to the point, if the point lies outside of the mesh.
    pub outside: Option<Outside>,
}

/// The way from the nearest point of the boundary to a point outside of the mesh.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outside {
    /// The length of the way.
    pub distance: f64,
    /// The direction of the way, a unit vector.
    pub direction: [f64; 2],
    /// Whether the nearest point is a vertex.
    pub at_vertex: bool,
    /// The mean length of an edge of a triangle.
    pub edge: f64,
}

/// The triangles of a planar mesh. Vertices are in patch order, triangles in mesh order.
pub(in crate::levelset::evolution) struct Triangulation {
    pub points: Vec<[f64; 2]>,
    pub cells: Vec<[u32; 3]>,
    /// The triangle across the edge opposite each corner.
    across: Vec<[u32; 3]>,
    /// A tree of the boxes around the triangles.
    tree: Tree,
    /// A triangle of each vertex.
    pub cell_of: Vec<u32>,
    /// The mean length of an edge of a triangle.
    pub edge: f64,
}

impl Triangulation {
    /// Creates the triangulation of a planar mesh. `order` contains the vertices of the mesh in
    /// patch order.
    pub fn new(mesh: &Mesh, order: &[u32]) -> Self {
        let points: Vec<[f64; 2]> = order
            .iter()
            .map(|&v| {
                let [x, y, _] = mesh.vertices[v as usize];
                [x, y]
            })
            .collect();
        let mut positions = vec![0; order.len()];
        for (k, &v) in (0..).zip(order) {
            positions[v as usize] = k;
        }
        let position = |cell: &[u32], i: usize| positions[cell[i] as usize];
        let cells: Vec<[u32; 3]> =
            mesh.iter_cells().map(|cell| [0, 1, 2].map(|i| position(cell, i))).collect();
        let mut cell_of = vec![NONE; points.len()];
        let mut length = 0.0;
        for (t, cell) in (0..).zip(&cells) {
            for (i, &v) in cell.iter().enumerate() {
                let (a, b) = (points[v as usize], points[cell[(i + 1) % 3] as usize]);
                length += (b[0] - a[0]).hypot(b[1] - a[1]);
                if cell_of[v as usize] == NONE {
                    cell_of[v as usize] = t;
                }
            }
        }
        let edge = length / (3 * cells.len().max(1)) as f64;
        let across = across(&cells);
        let corner = |v: u32| in_space(points[v as usize]);
        let boxes: Vec<_> = cells.par_iter().map(|&cell| box_of(&cell.map(corner))).collect();
        Triangulation { tree: Tree::new(&boxes), points, cells, across, cell_of, edge }
    }

    /// Returns whether any triangle has vertices on both sides of the interface. `phi` is in patch
    /// order.
    pub fn is_cut<R: Real>(&self, phi: &[R]) -> bool {
        self.cells.par_iter().any(|&cell| self.cuts(phi, cell))
    }

    /// Returns whether a triangle has vertices on both sides of the interface.
    pub(super) fn cuts<R: Real>(&self, phi: &[R], cell: [u32; 3]) -> bool {
        let [a, b, c] = cell.map(|v| phi[v as usize] < R::zero());
        a != b || b != c
    }

    /// Returns the corners of a triangle.
    #[inline]
    pub(super) fn corners(&self, cell: u32) -> Corners {
        Corners { at: self.cells[cell as usize].map(|v| self.points[v as usize]) }
    }

    /// Returns the place of a point. The search walks from triangle to triangle, beginning at
    /// `cell`. A walk that ends at the boundary does not show that the point is outside: there may
    /// be a slit, a hole or a corner of the boundary in between. The tree then decides.
    pub(super) fn locate(&self, cell: u32, x: [f64; 2]) -> Place {
        let mut cell = cell;
        for _ in 0..LONGEST_WALK {
            let l = self.corners(cell).coordinates(x);
            if is_inside(l) {
                return Place { cell, l, outside: None };
            }
            let next = (0..3).filter(|&i| l[i] < -TOLERANCE).map(|i| (l[i], i));
            let next = next.map(|(l, i)| (l, self.across[cell as usize][i]));
            let next = next.filter(|&(_, across)| across != NONE);
            match next.min_by(|a, b| a.0.total_cmp(&b.0)) {
                Some((_, across)) => cell = across,
                None => break,
            }
        }
        self.nearest(cell, x)
    }

    /// Returns the place of a point, found with the tree. In a mesh without triangles, it is in
    /// `cell`.
    fn nearest(&self, cell: u32, x: [f64; 2]) -> Place {
        let distance2 =
            |cell: u32| self.in_cell(cell, x).outside.map_or(0.0, |o| o.distance.powi(2));
        let found = self.tree.closest(in_space(x), distance2);
        self.in_cell(found.map_or(cell, |(_, cell)| cell), x)
    }

    /// Returns the nearest place in a triangle.
    fn in_cell(&self, cell: u32, x: [f64; 2]) -> Place {
        let l = self.corners(cell).coordinates(x);
        let inside = Place { cell, l, outside: None };
        if is_inside(l) {
            return inside;
        }
        // The nearest point is on an edge that separates the triangle from the point.
        let edges = (0..3).filter(|&k| l[k] < -TOLERANCE).map(|k| self.on_edge(cell, k, x));
        let distance = |place: &Place| place.outside.map_or(0.0, |outside| outside.distance);
        edges.min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or(inside)
    }

    /// Returns the nearest point of the edge opposite corner `k` of a triangle.
    fn on_edge(&self, cell: u32, k: usize, x: [f64; 2]) -> Place {
        let corners = self.corners(cell);
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        let (a, b) = (corners.at[i], corners.at[j]);
        let e = [b[0] - a[0], b[1] - a[1]];
        let square = e[0] * e[0] + e[1] * e[1];
        let s = ((x[0] - a[0]) * e[0] + (x[1] - a[1]) * e[1]) / square;
        let s = s.clamp(0.0, 1.0);
        let mut l = [0.0; 3];
        (l[i], l[j]) = (1.0 - s, s);
        let nearest = corners.point(l);
        let way = [x[0] - nearest[0], x[1] - nearest[1]];
        let distance = way[0].hypot(way[1]);
        let outside = (distance > 0.0).then(|| Outside {
            distance,
            direction: way.map(|w| w / distance),
            at_vertex: s == 0.0 || s == 1.0,
            edge: self.edge,
        });
        Place { cell, l, outside }
    }
}

/// Returns whether a point with these barycentric coordinates is inside the triangle. NaN counts as
/// inside, so that a search ends.
fn is_inside(l: [f64; 3]) -> bool {
    !l.iter().any(|&l| l < -TOLERANCE)
}

/// Returns a point of the plane in space.
fn in_space(x: [f64; 2]) -> Vec3 {
    Vec3::new(x[0], x[1], 0.0)
}

/// Returns the triangle across each edge. An edge of other than two triangles belongs to the
/// boundary.
fn across(cells: &[[u32; 3]]) -> Vec<[u32; 3]> {
    let mut sides = vec![(0, 0); 3 * cells.len()];
    sides.par_chunks_mut(3).zip(cells).enumerate().for_each(|(t, (sides, cell))| {
        for (k, side) in sides.iter_mut().enumerate() {
            let (a, b) = (cell[(k + 1) % 3], cell[(k + 2) % 3]);
            *side = (u64::from(a.min(b)) << 32 | u64::from(a.max(b)), (3 * t + k) as u64);
        }
    });
    sides.sort_unstable();
    let mut across = vec![[NONE; 3]; cells.len()];
    for shared in sides.chunk_by(|a, b| a.0 == b.0) {
        if let [(_, a), (_, b)] = *shared {
            let (a, b) = (a as usize, b as usize);
            across[a / 3][a % 3] = (b / 3) as u32;
            across[b / 3][b % 3] = (a / 3) as u32;
        }
    }
    across
}
