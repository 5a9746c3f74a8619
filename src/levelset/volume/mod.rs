//! Correction of the volume of the inside (docs/narrow-band.md, "Volume correction").
//!
//! A velocity a changes the volume V of a component of the inside at the rate
//! `V' = integral of a . n over its interface`, which equals the integral of div a over the
//! component minus the flux through the boundary of the mesh. [`VolumeCorrection::Global`]
//! integrates this rate from V(0), and shifts phi by a constant per component so that the volume
//! equals this reference. The correction of Kees, Akkerman, Farthing and Bazilevs (J. Comput. Phys.
//! 230 (2011) 4536) tends to such a shift if its diffusion is strong.
//!
//! [`VolumeCorrection::Local`] restores the volume that a reinitialization has changed, where it
//! has changed it (Mut, Buscaglia, Dari, J. Appl. Mech. 73 (2006) 1011; Ausas, Dari, Buscaglia,
//! Int. J. for Numerical Methods in Fluids 65 (2011) 989). The global correction does the same
//! before the shift, because the shape is then more accurate.
//!
//! All volumes are those of the linear interpolant of phi, in `f64`. Sums have a fixed order, so
//! results do not depend on the number of threads.

mod complex;
mod local;
mod shift;
mod tracking;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(crate) use complex::Complex;
use complex::{ByComponent, Components, NONE};
use local::Kept;

use crate::error::{Error, Result};
use crate::geometry::Real;

/// How the volume of the inside is corrected after a reinitialization.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum VolumeCorrection {
    /// Not at all (default).
    #[default]
    None,
    /// A reinitialization keeps the volume of each component. Its changes are undone in the cells
    /// where they arise.
    Local,
    /// As `Local`. In addition, each component gets its initial volume plus the integral of the
    /// divergence of the velocity minus the flux through the boundary, by a constant shift of phi.
    /// For motion by `velocity` alone.
    Global,
}

/// The largest shift of phi in one correction, in mean edge lengths. It keeps a component that the
/// mesh hardly resolves from growing far beyond its place.
const LARGEST_SHIFT: f64 = 0.5;

/// The results of all corrections. Volumes are areas on triangles, in the unit of the mesh.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct VolumeTotals {
    /// The number of corrections.
    pub corrections: u64,
    /// The volume of the inside after the last correction.
    pub volume: f64,
    /// The reference of the last correction: the volume that the inside should have.
    pub reference: f64,
    /// The sum of all changes in volume by shifts of phi.
    pub added: f64,
    /// The sum of the absolute values of the shifts of phi, each the largest one of a correction,
    /// in mesh units.
    pub shifts: f64,
    /// The largest absolute value of a shift of phi, in mesh units.
    pub largest_shift: f64,
    /// The reference volume of components that vanished.
    pub lost: f64,
    /// The volume of components that appeared, as where an interface enters through an inflow
    /// boundary.
    pub entered: f64,
}

/// The changing state of a correction, from which it can be resumed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VolumeState {
    /// The component that is closest to each vertex at the last correction, or `u32::MAX`.
    pub labels: Vec<u32>,
    /// Whether each vertex was inside at the last correction.
    pub was_inside: Vec<bool>,
    /// The volume that each component should have.
    pub references: Vec<f64>,
    /// The results so far.
    pub totals: VolumeTotals,
}

/// Returns the velocity at a vertex.
pub(crate) type VelocityAt<'a> = &'a (dyn Fn(usize) -> [f64; 3] + Sync);

/// Corrects the volume of the inside. Arrays have the order of the vertices of the complex.
pub(crate) struct Corrector {
    method: VolumeCorrection,
    complex: Complex,
    /// The half width of the band, or infinity.
    width: f64,
    /// The largest shift, in mesh units.
    limit: f64,
    /// The cells in the band, by the component whose interface is closest.
    near: ByComponent,
    state: VolumeState,
    /// The inside before a reinitialization.
    kept: Option<Kept>,
}

impl Corrector {
    /// Creates a corrector for a band with the half width `width`, which is infinite without a
    /// band.
    pub fn new(method: VolumeCorrection, complex: Complex, width: f64) -> Self {
        Corrector {
            method,
            limit: LARGEST_SHIFT * complex.mean_edge(),
            complex,
            width,
            near: ByComponent::default(),
            state: VolumeState::default(),
            kept: None,
        }
    }

    /// Returns whether there are references, which [`Corrector::follow`] must follow in each step.
    pub fn has_references(&self) -> bool {
        self.method == VolumeCorrection::Global
    }

    pub fn totals(&self) -> VolumeTotals {
        self.state.totals
    }

    pub fn state(&self) -> &VolumeState {
        &self.state
    }

    /// Continues from a state. `in_band` returns whether a vertex was inside the band at the last
    /// update of the band.
    pub fn resume(&mut self, state: VolumeState, in_band: impl Fn(usize) -> bool + Sync) {
        self.state = state;
        if self.has_references() {
            self.find_near(in_band);
        }
    }

    /// Begins with the volumes of `phi` as references.
    pub fn begin<R: Real>(&mut self, phi: &[R]) {
        if self.has_references() {
            let components = self.complex.components(phi);
            self.state.references = components.volumes.clone();
            let width = self.width;
            self.remember(components, phi, |v| phi[v].to_f64().abs() < width);
        }
    }

    /// Adds the change of the references in a step of length `dt` from `phi` to `next`. `velocity`
    /// is that of the middle of the step, or its mean.
    pub fn follow<R: Real>(&mut self, phi: &[R], next: &[R], dt: f64, velocity: VelocityAt<'_>) {
        for component in 0..self.near.len() {
            let cells = self.near.of(component);
            let flux = |phi: &[R]| self.complex.outward_flux(cells, phi, velocity);
            self.state.references[component] += 0.5 * dt * (flux(phi) + flux(next));
        }
    }

    /// Examines `phi` before a reinitialization.
    pub fn before<R: Real>(&mut self, phi: &[R]) {
        self.kept = Some(Kept::new(&self.complex, phi, !self.has_references()));
    }

    /// Corrects `phi` after a reinitialization and [`Corrector::before`], or between two
    /// reinitializations if there are references.
    ///
    /// `in_band` returns whether a vertex is inside the band. Without it, the band follows from the
    /// corrected phi.
    pub fn correct<R: Real>(
        &mut self,
        phi: &mut [R],
        in_band: Option<&(dyn Fn(usize) -> bool + Sync)>,
    ) {
        let before = match self.kept.take() {
            Some(kept) => {
                kept.undo(&self.complex, phi);
                kept.volumes
            }
            None => None,
        };
        let mut components = self.complex.components(phi);
        let unshifted: f64 = components.volumes.iter().sum();
        let targets = match before {
            // A reinitialization changes no signs, so the components are the same.
            Some(volumes) if volumes.len() == components.volumes.len() => volumes,
            Some(_) => return,
            None => self.track(&components, phi),
        };
        self.complex.extend(&mut components.labels, phi, self.width);
        let near = self.near_interface(&components, phi);
        let shift = |(k, target): (usize, &f64)| {
            let change = target.max(0.0) - components.volumes[k];
            shift::find(&self.complex, near.of(k), phi, change, self.limit)
        };
        let shifts: Vec<f64> = targets.iter().enumerate().map(shift).collect();
        let inside = |phi: &[R]| self.complex.shifted_volume(near.cells(), phi, 0.0)[0];
        let rest = unshifted - inside(phi);
        self.apply(&components.labels, &shifts, phi);
        let after = rest + inside(phi);
        self.count(after, after - unshifted, targets.iter().sum(), &shifts);
        if self.has_references() {
            self.state.references = targets;
            let width = self.width;
            match in_band {
                Some(in_band) => self.remember(components, phi, in_band),
                None => self.remember(components, phi, |v| phi[v].to_f64().abs() < width),
            }
        }
    }

    /// Returns the cells that the interface may reach by a shift, by component.
    fn near_interface<R: Real>(&self, components: &Components, phi: &[R]) -> ByComponent {
        let limit = self.limit;
        let is_near = |cell: usize| {
            let corners = self.complex.corners(cell);
            let values = || corners.iter().map(|&v| phi[v as usize].to_f64());
            values().any(|v| v < limit) && values().any(|v| v >= -limit)
        };
        self.complex.near(&components.labels, components.volumes.len(), is_near)
    }

    /// Shifts phi inside the band.
    fn apply<R: Real>(&self, labels: &[u32], shifts: &[f64], phi: &mut [R]) {
        let width = R::of(self.width);
        for (phi, &label) in phi.iter_mut().zip(labels) {
            if label != NONE && phi.abs() < width {
                *phi = (*phi + R::of(shifts[label as usize])).max(-width).min(width);
            }
        }
    }

    fn count(&mut self, volume: f64, added: f64, reference: f64, shifts: &[f64]) {
        let totals = &mut self.state.totals;
        let largest = shifts.iter().fold(0.0, |most: f64, shift| most.max(shift.abs()));
        totals.corrections += 1;
        totals.volume = volume;
        totals.reference = reference;
        totals.added += added;
        totals.shifts += largest;
        totals.largest_shift = totals.largest_shift.max(largest);
    }

    /// Remembers the components, so that the references can follow them.
    fn remember<R: Real>(
        &mut self,
        mut components: Components,
        phi: &[R],
        in_band: impl Fn(usize) -> bool + Sync,
    ) {
        self.complex.extend(&mut components.labels, phi, self.width);
        self.state.labels = components.labels;
        self.state.was_inside = phi.iter().map(|&v| v < R::zero()).collect();
        self.find_near(in_band);
    }

    fn find_near(&mut self, in_band: impl Fn(usize) -> bool + Sync) {
        let is_near = |cell: usize| self.complex.corners(cell).iter().any(|&v| in_band(v as usize));
        let n = self.state.references.len();
        self.near = self.complex.near(&self.state.labels, n, is_near);
    }
}

impl VolumeState {
    /// Checks that a state fits a mesh with `n` vertices and that its labels name components.
    ///
    /// # Errors
    /// Returns [`Error::Case`](crate::Error::Case) for a state that does not.
    pub(crate) fn check(&self, n: usize) -> Result<()> {
        let n_components = self.references.len() as u32;
        let is_known = |&label: &u32| label == NONE || label < n_components;
        let is_unused = self.labels.is_empty() && self.was_inside.is_empty();
        let fits = is_unused || self.labels.len() == n && self.was_inside.len() == n;
        match fits && self.labels.iter().all(is_known) {
            true => Ok(()),
            false => Err(Error::usage(
                "the volumes of the state to resume do not fit the mesh",
                "begin the run again with --overwrite",
            )),
        }
    }
}
