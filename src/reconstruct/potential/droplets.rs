//! Parts of a surface too small to be one: what is left of single samples.
//!
//! An interface that collapses onto one sample at a voxel comes ever nearer to it and never there.

use crate::mesh::Mesh;
use crate::surface::Parts;

/// The parts of a surface that extend over at least `size` along an axis, and how many others there
/// were.
pub(super) fn without(surface: Mesh, size: f64) -> (Mesh, usize) {
    let parts = Parts::new(&surface);
    let mut boxes = vec![([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]); parts.count()];
    for (v, x) in surface.vertices.iter().enumerate() {
        let Some(part) = parts.of_vertex(v) else { continue };
        let (low, high) = &mut boxes[part];
        *low = std::array::from_fn(|k| low[k].min(x[k]));
        *high = std::array::from_fn(|k| high[k].max(x[k]));
    }
    let is_small = |part: usize| {
        let (low, high) = boxes[part];
        (0..3).all(|k| high[k] - low[k] < size)
    };
    match (0..parts.count()).filter(|&part| is_small(part)).count() {
        0 => (surface, 0),
        dropped => (parts.keep(surface, |part| !is_small(part)), dropped),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Kind;

    #[test]
    fn small_parts_go_and_large_ones_keep_their_order() {
        let octahedron = |center: f64, radius: f64| {
            let tips = [[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]];
            let around = tips.map(|[x, y]| [center + radius * x, radius * y, 0.0]);
            let mut vertices = around.to_vec();
            vertices.extend([[center, 0.0, radius], [center, 0.0, -radius]]);
            vertices
        };
        let faces = [0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4, 2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5];
        let all = [(0.0, 2.0), (10.0, 0.1), (20.0, 1.0), (30.0, 0.9)];
        let vertices = all.iter().flat_map(|&(c, r)| octahedron(c, r)).collect();
        let cells = (0..4u32).flat_map(|k| faces.map(|v| v + 6 * k)).collect();
        let mesh = Mesh::new(Kind::Surface, vertices, cells);
        let (same, none) = without(mesh.clone(), 0.1);
        assert!(none == 0 && same.vertices == mesh.vertices && same.cells == mesh.cells);
        let (left, dropped) = without(mesh.clone(), 2.0);
        assert_eq!((dropped, left.n_vertices(), left.n_cells()), (2, 12, 16));
        assert_eq!(left.cells[..24], mesh.cells[..24]);
        assert_eq!(left.vertices[6..], mesh.vertices[12..18]);
        assert_eq!(left.cells[24..], faces.map(|v| v + 6));
        let (nothing, dropped) = without(mesh, 100.0);
        assert!(dropped == 4 && nothing.vertices.is_empty() && nothing.cells.is_empty());
    }
}
