//! A surface as its triangles, their sides, and the neighbors across them.
//!
//! Side `3 * c + k` of cell `c` joins the corners `k` and `k + 1` (modulo 3). All sides on the same
//! edge form a ring, so an edge may have any number of cells, in any orientation.

use crate::geometry::Vec3;
use crate::mesh::Mesh;
use crate::primitives::GatherMatrix;

/// The sides of the triangles of a mesh.
pub(super) struct Surface<'a> {
    pub mesh: &'a Mesh,
    /// For each side, the next side on the same edge. A side on the boundary follows itself.
    pub ring: Vec<u32>,
    /// The corners `3 * c + k` at each vertex.
    at_vertex: GatherMatrix,
}

/// A cell in the coordinates of one of its sides: `a` is the origin, `b` lies on the x axis, and
/// the opposite corner `tip` lies below the axis, at (x, -y).
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    /// The vertex of the side with the lower index.
    pub a: u32,
    /// The other vertex of the side.
    pub b: u32,
    /// The opposite vertex.
    pub tip: u32,
    /// The length of the side.
    pub length: f64,
    /// The position of the tip along the side.
    pub x: f64,
    /// The distance of the tip from the side.
    pub y: f64,
}

/// The cells around a vertex in order: for each, the side through which a walk around the vertex
/// enters it, and its corner at the vertex.
pub(super) struct Fan {
    pub cells: Vec<(u32, u32)>,
    /// Whether the last cell is next to the first one.
    pub is_closed: bool,
}

impl<'a> Surface<'a> {
    pub fn new(mesh: &'a Mesh) -> Self {
        let at_vertex = GatherMatrix::new(mesh.n_vertices(), &mesh.cells);
        let mut surface = Surface { mesh, ring: Vec::new(), at_vertex };
        let mut ring: Vec<u32> = (0..mesh.cells.len() as u32).collect();
        let mut higher: Vec<(u32, u32)> = Vec::new();
        for v in 0..mesh.n_vertices() as u32 {
            higher.clear();
            for side in surface.corners_at(v).iter().flat_map(|&corner| sides_at(corner)) {
                let other = surface.far_end(side, v);
                if other > v {
                    higher.push((other, side));
                }
            }
            higher.sort_unstable();
            for edge in higher.chunk_by(|p, q| p.0 == q.0) {
                for (k, &(_, side)) in edge.iter().enumerate() {
                    ring[side as usize] = edge[(k + 1) % edge.len()].1;
                }
            }
        }
        surface.ring = ring;
        surface
    }

    pub fn x(&self, v: u32) -> Vec3 {
        self.mesh.vertices[v as usize].into()
    }

    /// Returns the corners `3 * c + k` at a vertex.
    pub fn corners_at(&self, v: u32) -> &[u32] {
        self.at_vertex.row(v as usize)
    }

    /// Returns the vertices of a cell.
    pub fn cell(&self, c: u32) -> [u32; 3] {
        std::array::from_fn(|k| self.mesh.cells[3 * c as usize + k])
    }

    /// Returns the ends of a side, the one with the lower index first.
    pub fn ends(&self, side: u32) -> [u32; 2] {
        let [a, b] = [side, next(side)].map(|corner| self.mesh.cells[corner as usize]);
        [a.min(b), a.max(b)]
    }

    /// Returns the end of a side that is not `v`.
    pub fn far_end(&self, side: u32, v: u32) -> u32 {
        let [a, b] = self.ends(side);
        if a == v { b } else { a }
    }

    /// Returns the other sides on the same edge.
    pub fn across(&self, side: u32) -> impl Iterator<Item = u32> + '_ {
        let after = |&side: &u32| Some(self.ring[side as usize]);
        std::iter::successors(after(&side), after).take_while(move |&other| other != side)
    }

    /// Returns the cell of a side in the coordinates of this side.
    #[inline]
    pub fn layout(&self, side: u32) -> Layout {
        let [a, b] = self.ends(side);
        let tip = self.mesh.cells[next(next(side)) as usize];
        let (xa, xb, xt) = (self.x(a), self.x(b), self.x(tip));
        let (e, f) = (xb - xa, xt - xa);
        let length = e.norm();
        let (x, y) = match length > 0.0 {
            true => (f.dot(&e) / length, e.cross(&f).norm() / length),
            false => (0.0, f.norm()),
        };
        Layout { a, b, tip, length, x, y }
    }

    /// Returns the angle of a cell at a corner.
    pub fn angle(&self, corner: u32) -> f64 {
        let [o, p, q] = [corner, next(corner), next(next(corner))]
            .map(|corner| self.x(self.mesh.cells[corner as usize]));
        let (p, q) = (p - o, q - o);
        p.cross(&q).norm().atan2(p.dot(&q))
    }

    /// Returns the cells around a vertex in order, or `None` if they do not form one fan.
    pub fn fan(&self, v: u32) -> Option<Fan> {
        let corners = self.corners_at(v);
        let [one, other] = sides_at(*corners.first()?);
        let mut fan = self.walk(v, one, other)?;
        if !fan.is_closed {
            // The fan starts at a boundary, where the walk ended.
            let &(entered, corner) = fan.cells.last()?;
            let [p, q] = sides_at(corner);
            let last = if p == entered { q } else { p };
            fan = self.walk(v, last, entered)?;
        }
        (fan.cells.len() == corners.len()).then_some(fan)
    }

    /// Walks around a vertex, from a cell that is entered through the side `entered` and left
    /// through `left`, to the boundary or back to the start.
    fn walk(&self, v: u32, entered: u32, mut left: u32) -> Option<Fan> {
        let corner_of = |side: u32| {
            let is_at = |&corner: &u32| self.mesh.cells[corner as usize] == v;
            [side, next(side), next(next(side))].into_iter().find(is_at)
        };
        let mut cells = vec![(entered, corner_of(entered)?)];
        loop {
            let entered = self.ring[left as usize];
            let is_manifold = self.ring[entered as usize] == left;
            if !is_manifold || cells.len() > self.corners_at(v).len() {
                return None;
            }
            if entered == left || entered == cells[0].0 {
                return Some(Fan { cells, is_closed: entered != left });
            }
            let corner = corner_of(entered)?;
            let [p, q] = sides_at(corner);
            left = if p == entered { q } else { p };
            cells.push((entered, corner));
        }
    }
}

/// Returns the next corner (or side) of the same cell.
#[inline]
pub(super) fn next(corner: u32) -> u32 {
    if corner % 3 == 2 { corner - 2 } else { corner + 1 }
}

/// Returns the two sides of a cell that meet at a corner.
fn sides_at(corner: u32) -> [u32; 2] {
    [corner, next(next(corner))]
}
