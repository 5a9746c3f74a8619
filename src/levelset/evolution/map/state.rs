//! The state of a characteristic map in the order of the mesh.

use super::hermite::Sample;
use super::{CharacteristicMap, Traced};
use crate::error::Result;
use crate::geometry::Real;
use crate::levelset::evolution::check;
use crate::levelset::evolution::problem::Problem;
use crate::mesh::Mesh;

/// The changing state of a characteristic map. Arrays are in mesh order.
#[derive(Clone, Debug, PartialEq)]
pub struct MapState {
    /// phi when the map was the identity, `[n_vertices]`, in mesh units.
    pub start: Vec<f64>,
    /// The displacement xi - x of each vertex in mesh units, followed by its gradient, row by row,
    /// `[6 * n_vertices]`.
    pub map: Vec<f64>,
    /// The triangle of xi for each vertex, or one near it, `[n_vertices]`.
    pub home: Vec<u32>,
}

impl MapState {
    /// Checks that the state fits the mesh.
    pub(in crate::levelset::evolution) fn check(&self, mesh: &Mesh) -> Result<()> {
        let what = "the characteristic map of the state to resume";
        for rows in [self.start.len(), self.map.len() / 6, self.home.len()] {
            check::length(mesh, what, rows)?;
        }
        check::not_finite(what, &self.start)?;
        check::not_finite(what, &self.map)?;
        let n_cells = mesh.n_cells();
        let largest = self.home.iter().max().map_or(0, |&cell| cell as usize + 1);
        check::cells(what, largest, n_cells)
    }
}

impl CharacteristicMap {
    /// Returns the state in mesh order.
    pub fn state<R: Real>(&self, problem: &Problem<R>) -> MapState {
        let patches = &problem.patches;
        let row = |Traced { sample: s, .. }: Traced| [s.value, s.gradient[0], s.gradient[1]];
        let map = patches.to_mesh_order(&self.map, row);
        MapState {
            start: patches.to_mesh_order(&self.start, |x| x),
            map: map.as_flattened().as_flattened().to_vec(),
            home: patches.to_mesh_order(&self.map, |point| point.cell),
        }
    }

    /// Continues from a state in mesh order.
    pub fn resume<R: Real>(&mut self, problem: &Problem<R>, state: &MapState) {
        let patches = &problem.patches;
        let (rows, _) = state.map.as_chunks::<6>();
        let traced = |([u, v, a, b, c, d], cell): ([f64; 6], u32)| {
            let sample = Sample { value: [u, v], gradient: [[a, b], [c, d]] };
            Traced { sample, cell }
        };
        let points: Vec<_> = rows.iter().copied().zip(state.home.iter().copied()).collect();
        self.start = patches.to_patch_order(&state.start, |x| x);
        self.map = patches.to_patch_order(&points, traced);
    }
}
