//! When the cells no longer resolve a characteristic map.

use super::hermite::Sample;
use super::triangulation::Triangulation;
use super::{CharacteristicMap, Traced};
use crate::geometry::Real;
use crate::parallel::*;

/// The largest accepted difference between the displacements of two neighbors and what their
/// gradients predict, in mean edge lengths.
const LARGEST_DEFECT: f64 = 1.5;

impl CharacteristicMap {
    /// If the cells at the interface no longer resolve the map, begins a new map at the current
    /// `phi` (patch order). Returns whether it did.
    pub fn follow_resolution<R: Real>(&mut self, mesh: &Triangulation, phi: &[R]) -> bool {
        if self.largest_defect(mesh, phi) <= LARGEST_DEFECT * mesh.edge {
            return false;
        }
        self.start = phi.iter().map(|x| x.to_f64()).collect();
        self.map.iter_mut().zip(&mesh.cell_of).for_each(|(point, &cell)| {
            *point = Traced { sample: Sample::default(), cell };
        });
        true
    }

    /// Returns the largest difference, in mesh units, between the displacements of two neighbors
    /// and the mean of what their gradients predict, in cells that the interface cuts.
    fn largest_defect<R: Real>(&self, mesh: &Triangulation, phi: &[R]) -> f64 {
        let of_edge = |i: u32, j: u32| {
            let (x, y) = (mesh.points[i as usize], mesh.points[j as usize]);
            let (a, b) = (self.map[i as usize].sample, self.map[j as usize].sample);
            let e = [y[0] - x[0], y[1] - x[1]];
            let defect = [0, 1].map(|k| {
                let slope = |m: usize| 0.5 * (a.gradient[k][m] + b.gradient[k][m]) * e[m];
                b.value[k] - a.value[k] - slope(0) - slope(1)
            });
            defect[0].hypot(defect[1])
        };
        let of_cell = |&[a, b, c]: &[u32; 3]| match mesh.cuts(phi, [a, b, c]) {
            true => of_edge(a, b).max(of_edge(b, c)).max(of_edge(c, a)),
            false => 0.0,
        };
        mesh.cells.par_iter().map(of_cell).reduce(|| 0.0, f64::max)
    }
}
