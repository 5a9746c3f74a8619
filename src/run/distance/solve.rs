//! The solution of the eikonal equation for a distance.

use std::sync::Arc;

use super::DistanceStart;
use crate::config::Distance;
use crate::error::Result;
use crate::geometry::Real;
use crate::levelset::eikonal::path::Path;
use crate::levelset::eikonal::source::Source;
use crate::levelset::eikonal::{
    self, EikonalState, Front, Metric, NO_SOURCE, Slowness, Stats, Width,
};
use crate::patches::Coordinates;
use crate::run::mesh_setup::MeshSetup;

/// The solution of the eikonal equation, in the order of the cleaned mesh.
pub(in crate::run) struct Solved {
    pub values: Vec<f64>,
    /// Arrival times. Infinite beyond the width and at vertices that no front has reached.
    pub arrival: Vec<f64>,
    pub labels: Vec<i32>,
    /// The paths of exact fronts.
    pub paths: Vec<Path>,
    pub cell_updates: u64,
}

impl MeshSetup {
    /// Solves for the distance in the scalar type `R`. The results are in the order of the cleaned
    /// mesh. At vertices that no front has reached, the values are the width, or NaN without a
    /// width.
    pub(in crate::run) fn solve<R: Real>(
        &self,
        distance: &Distance,
        start: &DistanceStart,
        slowness: &Slowness<f64>,
    ) -> Result<Solved> {
        let mut solved = match start {
            DistanceStart::Seeds(sources, front) => {
                let state = self.state::<R>(slowness)?.with_front(*front)?;
                self.solve_from_seeds(distance, state, sources, *front)?
            }
            DistanceStart::ZeroSet(phi) => {
                self.solve_from_zero_set(distance, self.state::<R>(slowness)?, phi)?
            }
            DistanceStart::Exact(start) => self.solve_exactly(distance, start)?,
        };
        if distance.width.is_none() {
            let all = solved.values.iter_mut().zip(&solved.arrival);
            all.filter(|(_, u)| **u == f64::INFINITY).for_each(|(value, _)| *value = f64::NAN);
        }
        let first = match start {
            DistanceStart::Seeds(_, front) => first_value(distance, *front),
            _ => 0.0,
        };
        let limit = distance.width.unwrap_or(f64::INFINITY) - first;
        solved.arrival.iter_mut().for_each(|u| *u = if *u < limit { *u } else { f64::INFINITY });
        Ok(solved)
    }

    /// Returns the state of the local solvers at this slowness, without a source.
    pub(super) fn state<R: Real>(&self, slowness: &Slowness<f64>) -> Result<EikonalState<R>> {
        let patches = &self.patches;
        let coordinates = Arc::new(Coordinates::<R>::new(&self.cleaned.mesh, patches));
        self.cpu.run(|| coordinates.check(patches))?;
        let slowness = match slowness {
            Slowness::Uniform(f) => Slowness::Uniform(R::of(*f)),
            Slowness::PerCell(f) => Slowness::PerCell(f.iter().map(|&f| R::of(f)).collect()),
            Slowness::Tensor(metrics) => {
                Slowness::Tensor(metrics.iter().map(Metric::rounded).collect())
            }
        };
        Ok(EikonalState::new(patches.clone(), coordinates, slowness))
    }

    fn solve_from_seeds<R: Real>(
        &self,
        distance: &Distance,
        mut state: EikonalState<R>,
        sources: &[(u32, Source)],
        front: Front,
    ) -> Result<Solved> {
        let start = first_value(distance, front);
        let width = distance.width.map(|width| R::of(width - start));
        let found = match self.gpu() {
            Some(gpu) => eikonal::nearest(gpu, &mut state, sources, width)?,
            None => eikonal::nearest(&*self.cpu, &mut state, sources, width)?,
        };
        let limit = distance.width.unwrap_or(f64::INFINITY) - start;
        Ok(Solved {
            labels: labels(&found.u, &found.source, limit),
            values: found.u.iter().map(|u| u.min(limit)).collect(),
            arrival: found.u,
            paths: Vec::new(),
            cell_updates: self.cell_updates(&found.stats),
        })
    }

    fn solve_from_zero_set<R: Real>(
        &self,
        distance: &Distance,
        mut state: EikonalState<R>,
        phi: &[f64],
    ) -> Result<Solved> {
        let (patches, cpu) = (&self.patches, &*self.cpu);
        let mut phi = patches.to_patch_order(phi, R::of);
        let all: Vec<u32> = (0..patches.len() as u32).collect();
        let width = distance.width.map_or(Width::Whole, |width| Width::Band(R::of(width)));
        let stats = match self.gpu() {
            Some(gpu) => eikonal::reinitialize(gpu, cpu, &mut state, &mut phi, &all, width)?,
            None => eikonal::reinitialize(cpu, cpu, &mut state, &mut phi, &all, width)?,
        };
        let signed = distance.signed.unwrap_or(true);
        let value = |x: R| if signed { x.to_f64() } else { x.to_f64().abs() };
        Ok(Solved {
            values: patches.to_mesh_order(&phi, value),
            arrival: state.u_in_mesh_order(),
            labels: Vec::new(),
            paths: Vec::new(),
            cell_updates: self.cell_updates(&stats),
        })
    }

    fn cell_updates(&self, stats: &Stats) -> u64 {
        let patches = &self.patches;
        let mean_cells = patches.n_patch_cells() as u64 / patches.len().max(1) as u64;
        stats.patch_updates as u64 * mean_cells
    }
}

/// Returns the value that the solver subtracts from all times: it starts circular fronts with 0,
/// regardless of the start value of the seeds, which is the same for all of them.
pub(super) fn first_value(distance: &Distance, front: Front) -> f64 {
    match front {
        Front::Circular => distance.from.first().map_or(0.0, |seed| seed.start()),
        Front::Plane => 0.0,
    }
}

/// Returns the labels of vertices with these values and sources: the number of the source, or -1
/// beyond the limit and where no front has arrived.
pub(super) fn labels(u: &[f64], sources: &[u32], limit: f64) -> Vec<i32> {
    let label = |(u, source): (&f64, &u32)| match *source {
        source if source != NO_SOURCE && *u < limit => source as i32,
        _ => -1,
    };
    u.iter().zip(sources).map(label).collect()
}
