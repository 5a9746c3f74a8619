//! Numerical options of an evolution. Case files use the names of the variants in kebab case, such
//! as "taylor-galerkin".

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::levelset::eikonal::Fit;
use crate::levelset::volume::VolumeCorrection;

/// The rule that determines when phi is reinitialized (docs/narrow-band.md, section 4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Rule {
    /// When the interface may have moved by half of the half width; without a band, never.
    Displacement,
    /// Every `max(1, floor(w / (4 max r)))` steps, where w is the half width and r ranges over the
    /// inradii in the band (Fu et al., section 3.4); without a band, never.
    Published,
    /// Every given number of steps; in a band, also whenever [`Rule::Displacement`] requires it.
    Every(usize),
    /// Never; allowed only without a band.
    Never,
}

/// How the advection term is computed (docs/level-set.md, sections 2.2, 2.5, 2.6 and 2.8).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Advection {
    /// Taylor-Galerkin step, order 2; vertices where phi would grow use the positive-coefficient
    /// scheme (default).
    #[default]
    TaylorGalerkin,
    /// Positive-coefficient scheme, order 1 (the published form).
    PositiveCoefficient,
    /// Uses only the cell that the wind comes from: strictly monotone, order 1.
    Cone,
    /// Carries the map to the initial positions instead of phi, and evaluates the initial phi
    /// there. It moves thin shapes far more accurately than the other schemes. It is for motion by
    /// velocity alone on planar meshes, without a band, on the CPU.
    CharacteristicMap,
}

/// How motion along the normal is computed (docs/level-set.md, sections 2.2 and 2.6).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum NormalMotion {
    /// Positive-coefficient scheme (default).
    #[default]
    PositiveCoefficient,
    /// Hopf-Lax formula: strictly monotone, with about ten times the error.
    HopfLax,
}

/// How the curvature term is advanced in time (docs/level-set.md, section 3.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum CurvatureStep {
    /// Explicit, unless slivers would make the steps more than 50 times shorter than a typical cell
    /// would (default).
    #[default]
    Auto,
    /// Explicit: the smallest cell limits the step.
    Explicit,
    /// Semi-implicit: conjugate gradients in the band, without a stability limit. On meshes where
    /// "auto" would choose it, cells smaller than a typical one count as typical in the time step.
    Implicit,
    /// Semi-implicit as "implicit", but of second order in time: the step is extrapolated from one
    /// solve over its whole length and two over half of it, so it takes about three times as long.
    Extrapolated,
}

impl CurvatureStep {
    /// Returns whether the step is semi-implicit on every mesh.
    pub fn is_implicit(self) -> bool {
        matches!(self, CurvatureStep::Implicit | CurvatureStep::Extrapolated)
    }
}

/// The factor by which slivers may shorten the steps before [`CurvatureStep::Auto`] becomes
/// semi-implicit.
///
/// Meshes whose vertices are displaced by a quarter of a cell have a factor of 14. Meshes of real
/// cortices have factors in the hundreds.
pub const SLIVER_STEPS: f64 = 50.0;

/// The smallest slope of a cell in the curvature term if reinitialization keeps the slope of phi
/// near 1 ([`Options::least_slope`]).
///
/// A vanishing interface encloses a few cells whose corners have nearly equal values. Without this
/// bound, such a cell has up to 1000 times the weight of others, and its corners hardly move.
pub const LEAST_SLOPE: f64 = 0.125;

/// The recommended width of the margin of a band with [`Fit::Quadratic`], in mean edge lengths.
///
/// At the edge of the band, phi is constant on one side. Curvature carries this error inward. With
/// a margin, it does not reach the half width before the next reinitialization.
pub const HALO_EDGES: f64 = 4.0;

/// Numerical options of an evolution. Times are in the unit of the case.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// The CFL factor C of the time step (docs/narrow-band.md, equation (4)), without a unit, 1 by
    /// default. Values above 2 are stable only with the semi-implicit curvature step, and then
    /// raise only the curvature limit of the step.
    pub cfl: f64,
    /// The reinitialization rule.
    pub rule: Rule,
    /// The half width of the band in mesh units; `None` for the whole domain.
    pub half_width: Option<f64>,
    /// How distances are computed when phi is reinitialized. With [`Fit::Quadratic`], the band
    /// extends beyond the half width by `halo`, and curvature limits the time between two
    /// reinitializations (docs/narrow-band.md).
    pub fit: Fit,
    /// The width of the margin outside the half width in which phi moves as well, in mesh units; 0
    /// by default. [`HALO_EDGES`] is recommended with [`Fit::Quadratic`].
    pub halo: f64,
    /// The advection scheme.
    pub advection: Advection,
    /// The scheme of the normal motion.
    pub normal_motion: NormalMotion,
    /// Whether advection and normal motion are computed as one wind `a + eps g / |g|` in one pass
    /// of the positive-coefficient scheme, which halves the work.
    pub one_pass: bool,
    /// Whether the first-order part of each step keeps phi within the range of its values around
    /// each vertex.
    pub clip: bool,
    /// The time integration of the curvature term.
    pub curvature_step: CurvatureStep,
    /// The lowest quality of a cell (inradius over longest edge, scaled so that a regular cell has
    /// 1) that is sufficient for the Taylor-Galerkin step, 0 to 1; 0 by default.
    pub least_quality: f64,
    /// The longest step allowed if any coefficient depends on time; infinite by default. Where the
    /// change in a coefficient cannot be derived from its expression, the coefficient is sampled at
    /// intervals of at most this length.
    pub max_step: f64,
    /// The time at which the evolution begins, 0 by default.
    pub start_time: f64,
    /// How the volume of the inside is corrected after each reinitialization, and when a step ends
    /// exactly at a target.
    pub volume_correction: VolumeCorrection,
}

impl Options {
    /// Returns the default options for a band with this half width (mesh units), or for the whole
    /// domain.
    pub fn new(half_width: Option<f64>) -> Self {
        Options {
            cfl: 1.0,
            rule: if half_width.is_some() { Rule::Displacement } else { Rule::Never },
            half_width,
            fit: Fit::default(),
            halo: 0.0,
            advection: Advection::default(),
            normal_motion: NormalMotion::default(),
            one_pass: false,
            clip: false,
            curvature_step: CurvatureStep::default(),
            least_quality: 0.0,
            max_step: f64::INFINITY,
            start_time: 0.0,
            volume_correction: VolumeCorrection::None,
        }
    }

    /// Returns the smallest slope of a cell in the curvature term: [`LEAST_SLOPE`] if phi is
    /// reinitialized repeatedly, and 0 otherwise.
    pub fn least_slope(&self) -> f64 {
        let is_repeated = self.half_width.is_some() || matches!(self.rule, Rule::Every(_));
        if is_repeated { LEAST_SLOPE } else { 0.0 }
    }

    /// Sets the reinitialization rule.
    pub fn with_rule(mut self, rule: Rule) -> Self {
        self.rule = rule;
        self
    }

    /// Sets how distances are computed when phi is reinitialized, and the width of the margin
    /// outside the half width (mesh units).
    pub fn with_fit(mut self, fit: Fit, halo: f64) -> Self {
        self.fit = fit;
        self.halo = halo;
        self
    }

    /// Sets the CFL factor C, > 0.
    pub fn with_cfl(mut self, cfl: f64) -> Self {
        self.cfl = cfl;
        self
    }

    /// Sets the advection scheme.
    pub fn with_advection(mut self, advection: Advection) -> Self {
        self.advection = advection;
        self
    }

    /// Sets the scheme of the normal motion.
    pub fn with_normal_motion(mut self, normal_motion: NormalMotion) -> Self {
        self.normal_motion = normal_motion;
        self
    }

    /// Sets whether advection and normal motion are joined in one pass of the positive-coefficient
    /// scheme.
    pub fn with_one_pass(mut self, one_pass: bool) -> Self {
        self.one_pass = one_pass;
        self
    }

    /// Sets whether the first-order part of each step keeps phi within the range of its values
    /// around each vertex.
    pub fn with_clip(mut self, clip: bool) -> Self {
        self.clip = clip;
        self
    }

    /// Sets the time integration of the curvature term.
    pub fn with_curvature_step(mut self, curvature_step: CurvatureStep) -> Self {
        self.curvature_step = curvature_step;
        self
    }

    /// Sets the lowest quality of a cell that is sufficient for the Taylor-Galerkin step, 0 to 1.
    pub fn with_least_quality(mut self, least_quality: f64) -> Self {
        self.least_quality = least_quality;
        self
    }

    /// Sets the time at which the evolution begins, in the unit of the case.
    pub fn with_start_time(mut self, start_time: f64) -> Self {
        self.start_time = start_time;
        self
    }

    /// Sets how the volume of the inside is corrected.
    pub fn with_volume_correction(mut self, volume_correction: VolumeCorrection) -> Self {
        self.volume_correction = volume_correction;
        self
    }

    /// Sets the longest step allowed if any coefficient depends on time, in the unit of the case.
    pub fn with_max_step(mut self, max_step: f64) -> Self {
        self.max_step = max_step;
        self
    }
}
