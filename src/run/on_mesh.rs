//! An evolution on a mesh, as the time loop sees it.

use std::sync::Arc;

use super::evolve::{Kept, Moving};
use super::states::State;
use crate::error::Result;
use crate::geometry::Real;
use crate::levelset::evolution::{
    Advance, Breakdown, Choices, Evolution, Snapshot, Stretch, Totals,
};
use crate::output::{Measures, checkpoint};
use crate::surface;

/// Measures values of phi in mesh order.
pub(super) type OnHost<'a> = &'a dyn Fn(&[f64]) -> surface::Measures;

/// phi and the band between two steps, here or on their way here.
pub(super) trait Standing: Send + Sync {
    fn phi(&self) -> Result<Vec<f64>>;
    /// Whether each vertex moves.
    fn band(&self) -> Result<Vec<bool>>;
    /// The state to go on from.
    fn snapshot(&self) -> Result<Snapshot>;
}

/// A copy on the processor.
pub(super) struct Copied {
    pub snapshot: Snapshot,
    pub band: Vec<bool>,
}

impl Standing for Copied {
    fn phi(&self) -> Result<Vec<f64>> {
        Ok(self.snapshot.phi.clone())
    }
    fn band(&self) -> Result<Vec<bool>> {
        Ok(self.band.clone())
    }
    fn snapshot(&self) -> Result<Snapshot> {
        Ok(self.snapshot.clone())
    }
}

impl<R: Real> Standing for crate::levelset::evolution::cuda::Standing<R> {
    fn phi(&self) -> Result<Vec<f64>> {
        self.phi()
    }
    fn band(&self) -> Result<Vec<bool>> {
        self.band()
    }
    fn snapshot(&self) -> Result<Snapshot> {
        self.snapshot()
    }
}

/// An evolution on a mesh. All arrays are in the order of the cleaned mesh.
pub(super) trait MeshEvolution {
    /// Goes on for a stretch, or for a part of it that the user does not wait long for.
    fn advance(&mut self, stretch: &Stretch) -> Result<Advance>;
    /// True if there is no interface left.
    fn is_gone(&self) -> bool;
    /// phi and the band as they stand, which later steps do not change.
    fn standing(&mut self) -> Result<Arc<dyn Standing>>;
    /// Measures of phi; `on_host` finds them from its values.
    fn measures(&mut self, on_host: OnHost<'_>) -> Result<surface::Measures>;
    fn n_band_vertices(&self) -> usize;
    fn n_active_patches(&self) -> usize;
    /// Work since the start.
    fn totals(&self) -> Totals;
    /// What was chosen by the look of the mesh.
    fn choices(&self) -> Choices;
    /// Where and why the last step failed, if it did.
    fn breakdown(&self) -> Option<&Breakdown>;
}

impl<R: Real> MeshEvolution for Evolution<R> {
    fn advance(&mut self, stretch: &Stretch) -> Result<Advance> {
        self.advance(stretch)
    }
    fn is_gone(&self) -> bool {
        self.is_gone()
    }
    fn standing(&mut self) -> Result<Arc<dyn Standing>> {
        Ok(Arc::new(Copied { snapshot: self.snapshot(), band: self.band() }))
    }
    fn measures(&mut self, on_host: OnHost<'_>) -> Result<surface::Measures> {
        Ok(on_host(&self.phi()))
    }
    fn n_band_vertices(&self) -> usize {
        self.n_band_vertices()
    }
    fn n_active_patches(&self) -> usize {
        self.n_active_patches()
    }
    fn totals(&self) -> Totals {
        self.totals()
    }
    fn choices(&self) -> Choices {
        self.choices()
    }
    fn breakdown(&self) -> Option<&Breakdown> {
        self.breakdown()
    }
}

impl<R: Real> MeshEvolution for crate::levelset::evolution::cuda::DeviceEvolution<R> {
    fn advance(&mut self, stretch: &Stretch) -> Result<Advance> {
        self.advance(stretch)
    }
    fn is_gone(&self) -> bool {
        self.is_gone()
    }
    fn standing(&mut self) -> Result<Arc<dyn Standing>> {
        Ok(self.standing()?)
    }
    fn measures(&mut self, _: OnHost<'_>) -> Result<surface::Measures> {
        self.measures()
    }
    fn n_band_vertices(&self) -> usize {
        self.n_band_vertices()
    }
    fn n_active_patches(&self) -> usize {
        self.n_active_patches()
    }
    fn totals(&self) -> Totals {
        self.totals()
    }
    fn choices(&self) -> Choices {
        self.choices()
    }
    fn breakdown(&self) -> Option<&Breakdown> {
        self.breakdown()
    }
}

/// An evolution and what measures it.
pub(super) struct OnMesh<'a> {
    pub evolution: &'a mut dyn MeshEvolution,
    /// Measures phi of an evolution that does not by itself.
    pub on_host: OnHost<'a>,
}

impl Moving for OnMesh<'_> {
    type State = State;
    fn advance(&mut self, stretch: &Stretch) -> Result<Advance> {
        self.evolution.advance(stretch)
    }
    fn is_gone(&self) -> bool {
        self.evolution.is_gone()
    }
    fn measure(&mut self) -> Result<Measures> {
        let m = self.evolution.measures(self.on_host)?;
        Ok(Measures {
            interface: m.interface,
            enclosed: m.enclosed,
            components: m.components,
            euler_number: m.euler_number,
            band_vertices: self.evolution.n_band_vertices() as u64,
            active_patches: self.evolution.n_active_patches() as u64,
            phi_min: m.phi_min,
            phi_max: m.phi_max,
            ..Measures::default()
        })
    }
    fn keep(&mut self, step: u64, time: f64) -> Result<Kept<State>> {
        let standing = self.evolution.standing()?;
        let kept = standing.clone();
        let state = move || {
            let (phi, band) = (kept.phi()?, kept.band()?);
            Ok(State { step, time, phi, band, ..State::default() })
        };
        let snapshot = move || standing.snapshot().map(checkpoint::State::Mesh);
        Ok(Kept { state: Box::new(state), snapshot: Some(Box::new(snapshot)) })
    }
    fn snapshot(&mut self) -> Result<checkpoint::State> {
        self.evolution.standing()?.snapshot().map(checkpoint::State::Mesh)
    }
}
