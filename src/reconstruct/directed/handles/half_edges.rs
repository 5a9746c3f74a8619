//! The half-edges of a surface of triangles.

use crate::geometry::Vec3;
use crate::mesh::Mesh;
use crate::primitives::GatherMatrix;

/// The half-edges of a surface. Half-edge `3 t + k` leads from corner k of triangle t to its next
/// corner.
pub(super) struct HalfEdges<'a> {
    mesh: &'a Mesh,
    /// The half-edges that start at each vertex.
    leaving: GatherMatrix,
}

impl<'a> HalfEdges<'a> {
    pub fn new(mesh: &'a Mesh) -> Self {
        HalfEdges { mesh, leaving: GatherMatrix::new(mesh.n_vertices(), &mesh.cells) }
    }

    pub fn len(&self) -> u32 {
        self.mesh.cells.len() as u32
    }

    pub fn mesh(&self) -> &'a Mesh {
        self.mesh
    }

    pub fn at(&self, v: u32) -> Vec3 {
        self.mesh.vertices[v as usize].into()
    }

    pub fn start(&self, edge: u32) -> u32 {
        self.mesh.cells[edge as usize]
    }

    pub fn end(&self, edge: u32) -> u32 {
        self.corners(edge)[(edge as usize + 1) % 3]
    }

    /// Returns the corners of the triangle of a half-edge.
    pub fn corners(&self, edge: u32) -> [u32; 3] {
        let first = (edge - edge % 3) as usize;
        [0, 1, 2].map(|k| self.mesh.cells[first + k])
    }

    /// Returns the previous half-edge of the same triangle.
    pub fn before(&self, edge: u32) -> u32 {
        edge - edge % 3 + (edge + 2) % 3
    }

    /// Returns the half-edges that start at a vertex.
    pub fn leaving(&self, v: u32) -> &[u32] {
        self.leaving.row(v as usize)
    }

    /// Returns the half-edge from one vertex to another.
    pub fn between(&self, from: u32, to: u32) -> Option<u32> {
        self.leaving(from).iter().copied().find(|&edge| self.end(edge) == to)
    }

    /// Returns the half-edge of the other triangle at an edge, or `None` at a boundary.
    pub fn opposite(&self, edge: u32) -> Option<u32> {
        self.between(self.end(edge), self.start(edge))
    }

    /// Returns the smaller of the half-edges of an edge.
    pub fn smaller(&self, edge: u32) -> u32 {
        self.opposite(edge).map_or(edge, |opposite| edge.min(opposite))
    }

    /// Calls `visit` with each neighbor of a vertex and a half-edge of the edge to it.
    pub fn for_each_neighbor(&self, v: u32, mut visit: impl FnMut(u32, u32)) {
        for &edge in self.leaving(v) {
            visit(self.end(edge), edge);
            // At a boundary, the only half-edge of an edge may lead to the vertex.
            let before = self.before(edge);
            if self.opposite(before).is_none() {
                visit(self.start(before), before);
            }
        }
    }
}
