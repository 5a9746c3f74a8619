//! Parts of a surface that enclose nothing: what is left of single samples, and of sheets of them.
//!
//! An interface that collapses onto one sample at a voxel comes ever nearer to it and never there; so do
//! the two that collapse onto a plane of voxels with samples, from both sides.

use crate::geometry::Vec3;
use crate::mesh::Mesh;
use crate::surface::Parts;

/// Mean thickness, twice the volume over the area, below which a part is a film, in parts of `size`: a
/// ball of that diameter has a third.
const FILM: f64 = 0.125;

/// What is known of a part.
#[derive(Clone, Copy)]
struct Extent {
    low: Vec3,
    high: Vec3,
    /// Six times the volume inside.
    volume: f64,
    /// Twice the area.
    area: f64,
}

/// The parts of a surface that extend over at least `size` along an axis and are no films, and how many
/// others there were.
pub(super) fn without(surface: Mesh, size: f64) -> (Mesh, usize) {
    let parts = Parts::new(&surface);
    let (low, high) = (Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY));
    let mut all = vec![Extent { low, high, volume: 0.0, area: 0.0 }; parts.count()];
    for (v, x) in surface.vertices.iter().enumerate() {
        let Some(part) = parts.of_vertex(v) else { continue };
        let Extent { low, high, .. } = &mut all[part];
        (*low, *high) = (low.inf(&Vec3::from(*x)), high.sup(&Vec3::from(*x)));
    }
    for cell in surface.iter_cells() {
        let Some(part) = parts.of_vertex(cell[0] as usize) else { continue };
        let Extent { low, high, volume, area } = &mut all[part];
        // From the middle of the part: volumes far away would cancel.
        let corner = |k: usize| {
            Vec3::from(surface.vertices[cell[k] as usize]) - (*low + (*high - *low) * 0.5)
        };
        let [a, b, c] = [corner(0), corner(1), corner(2)];
        *volume += a.dot(&b.cross(&c));
        *area += (b - a).cross(&(c - a)).norm();
    }
    let is_nothing = |part: usize| {
        let Extent { low, high, volume, area } = all[part];
        let is_small = (high - low).max() < size;
        // 2 |V| / A, of six times the one and twice the other.
        is_small || 2.0 * volume.abs() < 3.0 * FILM * size * area
    };
    match (0..parts.count()).filter(|&part| is_nothing(part)).count() {
        0 => (surface, 0),
        dropped => (parts.keep(surface, |part| !is_nothing(part)), dropped),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Kind;
    use crate::mesh::generate::{Generate, Sphere, generate};

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

    #[test]
    fn films_go_however_far_they_extend_and_wherever_they_lie() {
        // Boxes of 30 by 20: 2 |V| / A is about their thickness.
        let slab = |thickness: f64| {
            let mut slab = generate(&Generate::Sphere(Sphere::default())).unwrap();
            for x in &mut slab.vertices {
                let most = x.iter().fold(0.0_f64, |m, c| m.max(c.abs()));
                let of = |k: usize, edge: f64| 5e6 + 0.5 * edge * x[k] / most;
                *x = [of(0, 30.0), of(1, 20.0), of(2, thickness)];
            }
            slab
        };
        assert_eq!(without(slab(0.01), 2.0).1, 1);
        assert_eq!(without(slab(0.1), 2.0).1, 1);
        for thickness in [0.5, 1.0, 5.0] {
            assert_eq!(without(slab(thickness), 2.0).1, 0, "{thickness}");
        }
    }
}
