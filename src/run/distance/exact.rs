//! Distances by exact fronts.

use super::solve::{Solved, labels};
use crate::config::Distance;
use crate::error::Result;
use crate::levelset::eikonal::exact::exact;
use crate::levelset::eikonal::path::Start;
use crate::levelset::eikonal::source::{self, Part, Source};
use crate::levelset::eikonal::{Slowness, exact::Exact};
use crate::mesh::Mesh;
use crate::run::mesh_setup::MeshSetup;

/// The data from which exact fronts start.
pub(in crate::run) struct ExactStart {
    pub parts: Vec<Part>,
    /// The initial level set; empty if the source consists of seeds.
    phi: Vec<f64>,
    slowness: f64,
    paths_from: Vec<Start>,
}

impl ExactStart {
    /// Creates the start for seeds, which must have parts.
    pub fn of_seeds(seeds: Vec<(u32, Source)>, slowness: f64, paths_from: &[Start]) -> Self {
        let parts = seeds.into_iter().flat_map(|(_, source)| source.parts).collect();
        ExactStart { parts, phi: Vec::new(), slowness, paths_from: paths_from.to_vec() }
    }

    /// Creates the start for the zero set of `phi`.
    pub fn of_zero_set(mesh: &Mesh, phi: Vec<f64>, slowness: f64, paths_from: &[Start]) -> Self {
        let parts = source::around_zero_set(mesh, &phi, &Slowness::Uniform(slowness)).parts;
        ExactStart { parts, phi, slowness, paths_from: paths_from.to_vec() }
    }
}

impl MeshSetup {
    /// Solves for the distance by exact fronts.
    pub(super) fn solve_exactly(&self, distance: &Distance, start: &ExactStart) -> Result<Solved> {
        let limit = distance.width.unwrap_or(f64::INFINITY);
        let (mesh, ExactStart { parts, phi, slowness, paths_from }) = (&self.cleaned.mesh, start);
        let found = self.cpu.run(|| exact(mesh, *slowness, parts, paths_from, limit))?;
        let Exact { u, source, paths, windows, .. } = found;
        let mut values: Vec<f64> = u.iter().map(|u| u.min(limit)).collect();
        if distance.signed.unwrap_or(true) {
            let inside = values.iter_mut().zip(phi).filter(|(_, phi)| **phi < 0.0);
            inside.for_each(|(value, _)| *value = -*value);
        }
        let labels = if phi.is_empty() { labels(&u, &source, limit) } else { Vec::new() };
        Ok(Solved { values, arrival: u, labels, paths, cell_updates: windows })
    }
}
