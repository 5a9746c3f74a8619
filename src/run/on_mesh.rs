//! An evolution on a mesh, as the time loop sees it.

use super::evolve::Moving;
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

/// An evolution on a mesh. All arrays are in the order of the cleaned mesh.
pub(super) trait MeshEvolution {
    /// Goes on for a stretch, or for a part of it that the user does not wait long for.
    fn advance(&mut self, stretch: &Stretch) -> Result<Advance>;
    /// True if there is no interface left.
    fn is_gone(&self) -> bool;
    fn phi(&self) -> Result<Vec<f64>>;
    fn band(&self) -> Result<Vec<bool>>;
    /// Measures of phi; `on_host` finds them from its values.
    fn measures(&mut self, on_host: OnHost<'_>) -> Result<surface::Measures>;
    fn n_band_vertices(&self) -> usize;
    fn n_active_patches(&self) -> usize;
    /// Work since the start.
    fn totals(&self) -> Totals;
    /// What was chosen by the look of the mesh.
    fn choices(&self) -> Choices;
    /// The state between two steps.
    fn snapshot(&self) -> Result<Snapshot>;
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
    fn phi(&self) -> Result<Vec<f64>> {
        Ok(self.phi())
    }
    fn band(&self) -> Result<Vec<bool>> {
        Ok(self.band())
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
    fn snapshot(&self) -> Result<Snapshot> {
        Ok(self.snapshot())
    }
    fn breakdown(&self) -> Option<&Breakdown> {
        self.breakdown()
    }
}

#[cfg(feature = "cuda")]
impl<R: Real> MeshEvolution for crate::levelset::evolution::cuda::DeviceEvolution<R> {
    fn advance(&mut self, stretch: &Stretch) -> Result<Advance> {
        self.advance(stretch)
    }
    fn is_gone(&self) -> bool {
        self.is_gone()
    }
    fn phi(&self) -> Result<Vec<f64>> {
        self.phi()
    }
    fn band(&self) -> Result<Vec<bool>> {
        self.band()
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
    fn snapshot(&self) -> Result<Snapshot> {
        self.snapshot()
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
    fn state(&mut self, step: u64, time: f64) -> Result<State> {
        let (phi, band) = (self.evolution.phi()?, self.evolution.band()?);
        Ok(State { step, time, phi, band, ..State::default() })
    }
    fn snapshot(&self) -> Result<checkpoint::State> {
        self.evolution.snapshot().map(checkpoint::State::Mesh)
    }
}
