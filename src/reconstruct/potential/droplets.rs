//! Removes components of a surface that enclose nothing: remains of single samples and of sheets of
//! samples.
//!
//! An interface that collapses onto a single sample at a voxel approaches the voxel but never
//! reaches it. The same holds for two interfaces that collapse from both sides onto a plane of
//! voxels with samples. Small or thin components therefore remain.

use crate::mesh::Mesh;
use crate::surface::{Extent, Parts};

/// The mean thickness, as a fraction of `size`, below which a component is a film. The mean
/// thickness is twice the volume divided by the area. For a ball of diameter `size`, it is a third
/// of `size`.
const FILM: f64 = 0.125;

/// Removes the components that are smaller than `size` along every axis, and films. Returns the
/// remaining surface and the number of removed components.
pub(super) fn without(surface: Mesh, size: f64) -> (Mesh, usize) {
    let parts = Parts::new(&surface);
    let kept: Vec<bool> =
        parts.extents(&surface).iter().map(|part| !is_nothing(part, size)).collect();
    match kept.iter().filter(|kept| !**kept).count() {
        0 => (surface, 0),
        dropped => (parts.keep(surface, |part| kept[part]), dropped),
    }
}

/// Returns whether a component encloses nothing.
fn is_nothing(part: &Extent, size: f64) -> bool {
    // A film has 2 |V| / A < FILM * size. `volume` is 6 V and `area` is 2 A.
    part.longest() < size || 2.0 * part.volume.abs() < 3.0 * FILM * size * part.area
}

/// Decides as [`is_nothing`] does, for a component whose volume and area are off by at most
/// `errors`. Returns `None` if the errors could change the decision.
pub(super) fn is_surely_nothing(part: &Extent, errors: [f64; 2], size: f64) -> Option<bool> {
    let (volume, film) = (2.0 * part.volume.abs(), 3.0 * FILM * size);
    // The sums on the CPU are also rounded, term by term.
    let rounding = 1e-9 * part.area * (film + 2.0 * part.longest());
    let off = 2.0 * errors[0] + film * errors[1] + rounding;
    let is_decided = part.longest() < size || (volume - film * part.area).abs() > off;
    is_decided.then(|| is_nothing(part, size))
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
    fn parts_near_the_limit_are_left_to_exact_sums() {
        let part = |volume: f64| Extent {
            low: [0.0; 3],
            high: [10.0, 10.0, 1.0],
            volume,
            area: 400.0,
            triangles: 1000,
        };
        // The test compares 2 |volume| with 3/8 of `area`.
        for (volume, decided) in
            [(74.0, Some(true)), (-76.0, Some(false)), (75.0, None), (75.2, None)]
        {
            assert_eq!(is_surely_nothing(&part(volume), [0.3, 0.1], 1.0), decided, "{volume}");
        }
        assert_eq!(is_surely_nothing(&part(75.0), [0.3, 0.1], 11.0), Some(true));
    }

    #[test]
    fn films_go_however_far_they_extend_and_wherever_they_lie() {
        // The faces of the slab are 30 by 20, so 2 |V| / A is about its thickness.
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
