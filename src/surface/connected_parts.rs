//! Connected components of a surface.

pub mod cuda;

use crate::geometry::Vec3;
use crate::mesh::{Mesh, part};
use crate::primitives::UnionFind;

/// Marks a vertex without a component.
const NONE: u32 = u32::MAX;

/// Bounding box, volume and area of a component, in mesh units, cubed mesh units and squared mesh
/// units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extent {
    /// Smallest coordinates of its vertices.
    pub low: [f64; 3],
    /// Largest coordinates of its vertices.
    pub high: [f64; 3],
    /// Six times the enclosed volume, negative if normals point inward. For an open component,
    /// this is six times the volume of the cone from its triangles to the center of its box.
    pub volume: f64,
    /// Twice the area.
    pub area: f64,
    /// Number of triangles.
    pub triangles: u64,
}

impl Extent {
    const NONE: Extent = Extent {
        low: [f64::INFINITY; 3],
        high: [f64::NEG_INFINITY; 3],
        volume: 0.0,
        area: 0.0,
        triangles: 0,
    };

    /// Returns the length of the longest edge of the bounding box, in mesh units.
    pub fn longest(&self) -> f64 {
        (Vec3::from(self.high) - Vec3::from(self.low)).max()
    }
}

/// The connected component of each vertex. Triangles that share a vertex are connected. Components
/// are numbered in the order of their first vertices.
#[derive(Clone, Debug)]
pub struct Parts {
    of_vertex: Vec<u32>,
    count: usize,
}

impl Parts {
    /// Finds the components of a mesh.
    pub fn new(mesh: &Mesh) -> Self {
        let mut is_used = vec![false; mesh.n_vertices()];
        mesh.cells.iter().for_each(|&v| is_used[v as usize] = true);
        let mut sets = UnionFind::new(mesh.n_vertices());
        for cell in mesh.iter_cells() {
            for &v in &cell[1..] {
                sets.join(cell[0], v);
            }
        }
        // A root is the lowest vertex of its component, so it gets its number before the other
        // vertices of the component.
        let mut count = 0;
        let mut of_vertex = vec![NONE; mesh.n_vertices()];
        for (v, root) in sets.into_roots().into_iter().enumerate() {
            let root = root as usize;
            if !is_used[v] {
                continue;
            }
            if root == v {
                of_vertex[v] = count;
                count += 1;
            } else {
                of_vertex[v] = of_vertex[root];
            }
        }
        Parts { of_vertex, count: count as usize }
    }

    /// Returns the number of components.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Returns the component of a vertex, or `None` if no triangle uses the vertex.
    pub fn of_vertex(&self, v: usize) -> Option<usize> {
        let part = self.of_vertex[v];
        (part != NONE).then_some(part as usize)
    }

    /// Returns the area of each component, `[components]`, in squared mesh units. `mesh` must be
    /// the mesh of these components.
    pub fn areas(&self, mesh: &Mesh) -> Vec<f64> {
        let mut areas = vec![0.0; self.count];
        let at = |v: u32| Vec3::from(mesh.vertices[v as usize]);
        for cell in mesh.iter_cells() {
            let [a, b, c] = [0, 1, 2].map(|k| at(cell[k]));
            let area = 0.5 * (b - a).cross(&(c - a)).norm();
            areas[self.of_vertex[cell[0] as usize] as usize] += area;
        }
        areas
    }

    /// Returns the bounding box, volume and area of each component, `[components]`. `mesh` must be
    /// the mesh of these components.
    pub fn extents(&self, mesh: &Mesh) -> Vec<Extent> {
        let mut all = vec![Extent::NONE; self.count];
        for (v, x) in mesh.vertices.iter().enumerate() {
            let Some(part) = self.of_vertex(v) else { continue };
            let Extent { low, high, .. } = &mut all[part];
            for k in 0..3 {
                (low[k], high[k]) = (low[k].min(x[k]), high[k].max(x[k]));
            }
        }
        for cell in mesh.iter_cells() {
            let part = &mut all[self.of_vertex[cell[0] as usize] as usize];
            let (low, high) = (Vec3::from(part.low), Vec3::from(part.high));
            // Measure from the center of the component, because the volumes of tetrahedra with a
            // distant apex would nearly cancel.
            let middle = low + (high - low) * 0.5;
            let [a, b, c] = [0, 1, 2].map(|k| Vec3::from(mesh.vertices[cell[k] as usize]) - middle);
            part.volume += a.dot(&b.cross(&c));
            part.area += (b - a).cross(&(c - a)).norm();
            part.triangles += 1;
        }
        all
    }

    /// Removes the components for which `keep` returns false, and vertices without a component,
    /// with their array values and group members. `mesh` must be the mesh of these components.
    pub fn keep(&self, mesh: Mesh, keep: impl Fn(usize) -> bool) -> Mesh {
        let kept = |cell: &[u32]| keep(self.of_vertex[cell[0] as usize] as usize);
        let kept: Vec<bool> = mesh.iter_cells().map(kept).collect();
        part(mesh, &kept).0
    }
}

/// Returns the component of a surface with the largest area. If several components have this area,
/// returns the first of them.
pub fn largest_part(mesh: Mesh) -> Mesh {
    let parts = Parts::new(&mesh);
    if parts.count() < 2 {
        return mesh;
    }
    let areas = parts.areas(&mesh);
    let larger = |best: usize, k: usize| if areas[k] > areas[best] { k } else { best };
    let largest = (0..parts.count()).fold(0, larger);
    parts.keep(mesh, |part| part == largest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{DataArray, Kind, Values};

    /// Creates two triangles that share an edge, an unused vertex, and a separate larger triangle.
    fn mesh() -> Mesh {
        let mut vertices: Vec<[f64; 3]> =
            [[0., 0.], [1., 0.], [0., 1.], [1., 1.], [9., 9.]].map(|[x, y]| [x, y, 0.0]).into();
        vertices.extend([[0.0, 0.0, 5.0], [4.0, 0.0, 5.0], [0.0, 4.0, 5.0]]);
        let mut mesh = Mesh::new(Kind::Surface, vertices, vec![1, 3, 2, 0, 1, 2, 5, 6, 7]);
        let values = Values::Int((0..8).collect());
        mesh.vertex_data.push(DataArray { name: "number".into(), components: 1, values });
        mesh
    }

    #[test]
    fn parts_are_counted_measured_and_taken_out() {
        let parts = Parts::new(&mesh());
        assert_eq!(parts.count(), 2);
        let of: Vec<Option<usize>> = (0..8).map(|v| parts.of_vertex(v)).collect();
        let (a, b) = (Some(0), Some(1));
        assert_eq!(of, [a, a, a, a, None, b, b, b]);
        assert_eq!(parts.areas(&mesh()), [1.0, 8.0]);
        let extents = parts.extents(&mesh());
        assert_eq!((extents[0].low, extents[0].high), ([0.0; 3], [1.0, 1.0, 0.0]));
        assert_eq!((extents[1].area, extents[1].triangles, extents[1].longest()), (16.0, 1, 4.0));
        let largest = largest_part(mesh());
        assert_eq!((largest.n_vertices(), &largest.cells[..]), (3, &[0, 1, 2][..]));
        assert_eq!(largest.vertex_data[0].values, Values::Int(vec![5, 6, 7]));
        let none = Mesh::new(Kind::Surface, vec![], vec![]);
        assert_eq!(largest_part(none).n_cells(), 0);
    }
}
