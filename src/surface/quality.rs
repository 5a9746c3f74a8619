//! Quality of a reconstructed surface: components, handles, holes, and the distances of the samples
//! from it.

pub mod cuda;

use super::Locator;
use super::boundary_loops::Boundary;
use crate::geometry::Vec3;
use crate::mesh::Mesh;
use crate::mesh::statistics::connections;
use crate::parallel::*;
use crate::words::counted;

/// Points per partial sum. The number is fixed, so that the mean does not depend on the number of
/// threads.
const BLOCK: usize = 1 << 12;

/// Topology of a surface of triangles.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[non_exhaustive]
pub struct Topology {
    /// Number of vertices that triangles use.
    pub vertices: usize,
    /// Number of triangles.
    pub triangles: usize,
    /// Number of connected components.
    pub components: usize,
    /// Vertices - edges + triangles.
    pub euler_number: i64,
    /// Number of handles of all components. `None` unless the surface is closed.
    pub genus: Option<i64>,
    /// Whether there are triangles, and every edge has two of them that run along it in opposite
    /// directions.
    pub closed: bool,
    /// Number of edges with three or more triangles.
    pub nonmanifold_edges: usize,
    /// Boundary loops, the longest first.
    pub holes: Vec<Hole>,
    /// Number of boundary edges that belong to no loop, because the boundary from them cannot be
    /// followed past an edge with three or more triangles.
    pub stuck_edges: usize,
}

/// A boundary loop: a closed chain of edges with one triangle each. It passes through no vertex
/// twice: where holes touch at a vertex, each has its own loop.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Hole {
    /// Number of edges.
    pub edges: usize,
    /// Length of all edges, in mesh units.
    pub length: f64,
    /// Mean of its vertices, in mesh units.
    pub center: [f64; 3],
}

impl Topology {
    /// Determines the topology of a mesh of triangles.
    pub fn of(mesh: &Mesh) -> Self {
        let found = connections(mesh);
        let closed = found.boundary == 0 && found.nonmanifold == 0 && found.inconsistent == 0;
        let components = found.components;
        // Most surfaces are closed, and the search for loops costs as much as the counts above.
        let boundary = (found.boundary > 0).then(|| Boundary::of(mesh));
        let loops = boundary.iter().flat_map(|boundary| &boundary.loops);
        let mut holes: Vec<Hole> = loops.map(|hole| Hole::new(mesh, &hole.vertices)).collect();
        holes.sort_by(|a, b| b.length.total_cmp(&a.length));
        Topology {
            vertices: mesh.n_vertices() - found.unreferenced,
            triangles: mesh.n_cells(),
            components,
            euler_number: found.euler,
            genus: closed.then_some(components as i64 - found.euler / 2),
            closed: closed && mesh.n_cells() > 0,
            nonmanifold_edges: found.nonmanifold,
            holes,
            stuck_edges: boundary.map_or(0, |boundary| boundary.stuck),
        }
    }
}

/// Formats the topology, such as "closed, genus 1, 2 components" or "open, 3 loops, 1 component".
impl std::fmt::Display for Topology {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.closed, self.genus) {
            (true, Some(genus)) => write!(f, "closed, genus {genus}")?,
            _ => write!(f, "open, {}", counted(self.holes.len(), ["loop", "loops"]))?,
        }
        write!(f, ", {}", counted(self.components, ["component", "components"]))
    }
}

impl Hole {
    fn new(mesh: &Mesh, vertices: &[u32]) -> Self {
        let at = |k: usize| Vec3::from(mesh.vertices[vertices[k % vertices.len()] as usize]);
        let edges = vertices.len();
        let length = (0..edges).map(|k| (at(k + 1) - at(k)).norm()).sum();
        let sum: Vec3 = (0..edges).map(at).sum();
        Hole { edges, length, center: (sum / edges as f64).into() }
    }
}

/// Distances of points from a surface, in mesh units.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub struct Gaps {
    /// Mean distance.
    pub mean: f64,
    /// Largest distance.
    pub max: f64,
}

impl Gaps {
    /// Computes the mean and the maximum distance from the points, `[n]`, to the surface, in mesh
    /// units. Returns `None` if there are no points or no triangles.
    pub fn new(mesh: &Mesh, points: &[[f64; 3]]) -> Option<Gaps> {
        if points.is_empty() || mesh.n_cells() == 0 {
            return None;
        }
        let locator = Locator::new(mesh);
        let of_block = |points: &[[f64; 3]]| {
            let gap = |x: &[f64; 3]| locator.closest(Vec3::from(*x)).map_or(0.0, |found| found.gap);
            points.iter().map(gap).fold((0.0, 0.0_f64), |(sum, max), d| (sum + d, max.max(d)))
        };
        let blocks: Vec<(f64, f64)> = points.par_chunks(BLOCK).map(of_block).collect();
        Some(Gaps::of_blocks(&blocks, points.len()))
    }

    /// Combines the sum and the maximum of each block of points, in the order of the blocks.
    fn of_blocks(blocks: &[(f64, f64)], n: usize) -> Gaps {
        let (sum, max) = blocks
            .iter()
            .fold((0.0, 0.0_f64), |(sum, max), block| (sum + block.0, max.max(block.1)));
        Gaps { mean: sum / n as f64, max }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::generate::{Generate, Sphere, generate};
    use crate::mesh::statistics::inspect;

    #[test]
    fn spheres_are_closed_and_holes_are_told() {
        let mut mesh = generate(&Generate::Sphere(Sphere::default())).unwrap();
        let whole = Topology::of(&mesh);
        assert_eq!((whole.closed, whole.genus, whole.components), (true, Some(0), 1));
        assert!(whole.holes.is_empty());
        // An edge with three triangles, a triangle that repeats a vertex, a wrongly oriented
        // triangle, and an unused vertex.
        let mut odd = mesh.clone();
        odd.cells.extend([0, 1, 9, 3, 3, 8, 4, 5, 6]);
        odd.cells.swap(0, 1);
        odd.vertices.push([9.0; 3]);
        let (found, all) = (Topology::of(&odd), inspect(&odd));
        assert_eq!((found.euler_number, found.components), (all.euler, all.components));
        assert_eq!((found.nonmanifold_edges, found.vertices), (all.nonmanifold, mesh.n_vertices()));
        let open = connections(&odd);
        assert_eq!((open.boundary, open.inconsistent), (all.boundary, all.inconsistent));
        // Remove the triangles of vertex 9 and one more elsewhere.
        let far = mesh.n_cells() - 1;
        let cells: Vec<u32> = mesh
            .iter_cells()
            .enumerate()
            .filter(|(k, cell)| !cell.contains(&9) && *k != far)
            .flat_map(|(_, cell)| cell.to_vec())
            .collect();
        mesh.cells = cells;
        let open = Topology::of(&mesh);
        assert_eq!((open.closed, open.genus, open.holes.len()), (false, None, 2));
        assert_eq!(open.holes[1].edges, 3);
        assert!(open.holes[0].edges >= 5 && open.holes[0].length > open.holes[1].length);
        let center = Vec3::from(open.holes[0].center);
        assert!((center - Vec3::from(mesh.vertices[9])).norm() < 0.1);
        assert_eq!(open.vertices, mesh.n_vertices() - 1);
    }

    #[test]
    fn holes_that_touch_at_a_vertex_are_separate() {
        let mut mesh = generate(&Generate::Sphere(Sphere::default())).unwrap();
        let of_nine: Vec<usize> =
            (0..mesh.n_cells()).filter(|&k| mesh.cells[3 * k..3 * k + 3].contains(&9)).collect();
        // Two triangles at vertex 9 that share no edge.
        let is_apart = |k: &&usize| {
            let common = |v: &&u32| mesh.cells[3 * of_nine[0]..][..3].contains(*v);
            mesh.cells[3 * **k..][..3].iter().filter(common).count() == 1
        };
        let removed = [of_nine[0], *of_nine.iter().find(is_apart).unwrap()];
        let kept = mesh.iter_cells().enumerate().filter(|(k, _)| !removed.contains(k));
        let cells: Vec<u32> = kept.flat_map(|(_, cell)| cell.to_vec()).collect();
        mesh.cells = cells;
        let found = Topology::of(&mesh);
        assert_eq!(found.holes.iter().map(|hole| hole.edges).collect::<Vec<_>>(), [3, 3]);
        assert_eq!(found.stuck_edges, 0);
    }

    #[test]
    fn distances_are_true_and_do_not_depend_on_threads() {
        let mesh = generate(&Generate::Sphere(Sphere::default())).unwrap();
        let points: Vec<[f64; 3]> = mesh.vertices.iter().map(|x| x.map(|c| 1.5 * c)).collect();
        let found = Gaps::new(&mesh, &points).unwrap();
        assert!((found.mean - 0.5).abs() < 1e-9 && (found.max - 0.5).abs() < 1e-9, "{found:?}");
        assert_eq!(Gaps::new(&mesh, &mesh.vertices).unwrap().max, 0.0);
        assert_eq!(Gaps::new(&mesh, &[]), None);
    }
}
