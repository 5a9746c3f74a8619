//! Choices of the evolution that are not physics; words of the case file are these names in
//! kebab-case, such as "taylor-galerkin".

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// When phi is made a signed distance again (numerics 4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Rule {
    /// Once the interface may have moved by half the half width.
    Displacement,
    /// Every `floor(w / (4 max r))` steps, r the inradii in the band (paper, section 3.4).
    Published,
    /// Every so many steps; in a band also when [`Rule::Displacement`] would.
    Every(usize),
    /// Never; only without a band.
    Never,
}

/// How the advection term is computed (numerics 2.2, 2.5, 2.6).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Advection {
    /// Taylor-Galerkin step, order 2; vertices of poor cells fall back to the next (default).
    #[default]
    TaylorGalerkin,
    /// Positive-coefficient scheme, order 1 (the published form).
    PositiveCoefficient,
    /// Only the cell the wind comes from: strictly monotone, order 1.
    Cone,
}

/// How motion along the normal is computed (numerics 2.2, 2.6).
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

/// How the curvature term steps in time (numerics 3.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum CurvatureStep {
    /// Explicit, unless slivers would force steps more than 50 times shorter than a typical cell
    /// does (default).
    #[default]
    Auto,
    /// Explicit: the step is bounded by the smallest cell.
    Explicit,
    /// Semi-implicit: conjugate gradients in the band, no bound for stability. Where slivers would
    /// force the steps of "auto", cells count as typical ones at least.
    Implicit,
}

/// How many times shorter slivers may make the steps before [`CurvatureStep::Auto`] goes implicit.
///
/// Meshes whose vertices are moved by a quarter of a cell have 14, real cortices hundreds.
pub const SLIVER_STEPS: f64 = 50.0;

/// Quality below which the vertices of a cell take the positive-coefficient scheme instead of the
/// Taylor-Galerkin step.
///
/// On fsaverage's pial surface, 1,000 steps of a rotation grow with 0.05 and do not with 0.2, which
/// 0.3 % of its cells miss.
pub const LEAST_QUALITY: f64 = 0.2;

/// Choices of the evolution that are not physics.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// Factor C of the time step (numerics equation 4); 1 by default, above 2 only the semi-implicit
    /// curvature step is stable, and only its part of the step grows further.
    pub cfl: f64,
    /// When to reinitialize.
    pub rule: Rule,
    /// Half width of the band in mesh units; `None` for the whole domain.
    pub half_width: Option<f64>,
    /// Advection scheme.
    pub advection: Advection,
    /// Scheme of the normal motion.
    pub normal_motion: NormalMotion,
    /// Advection and normal motion as one wind `a + eps g / |g|` in one pass of the
    /// positive-coefficient scheme: half the work.
    pub one_pass: bool,
    /// Limits the first-order part of each step to the values around a vertex.
    pub clip: bool,
    /// Time step of the curvature term.
    pub curvature_step: CurvatureStep,
    /// Quality below which cells are too poor for the Taylor-Galerkin step; [`LEAST_QUALITY`].
    pub least_quality: f64,
}

impl Options {
    /// Defaults for a band of this half width (mesh units), or the whole domain.
    pub fn new(half_width: Option<f64>) -> Self {
        Options {
            cfl: 1.0,
            rule: if half_width.is_some() { Rule::Displacement } else { Rule::Never },
            half_width,
            advection: Advection::default(),
            normal_motion: NormalMotion::default(),
            one_pass: false,
            clip: false,
            curvature_step: CurvatureStep::default(),
            least_quality: LEAST_QUALITY,
        }
    }

    /// Sets the rule of reinitialization.
    pub fn with_rule(mut self, rule: Rule) -> Self {
        self.rule = rule;
        self
    }

    /// Sets the factor of the time step.
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

    /// Joins advection and normal motion in one pass of the positive-coefficient scheme.
    pub fn with_one_pass(mut self, one_pass: bool) -> Self {
        self.one_pass = one_pass;
        self
    }

    /// Limits the first-order part of each step to the values around a vertex.
    pub fn with_clip(mut self, clip: bool) -> Self {
        self.clip = clip;
        self
    }

    /// Sets the time step of the curvature term.
    pub fn with_curvature_step(mut self, curvature_step: CurvatureStep) -> Self {
        self.curvature_step = curvature_step;
        self
    }

    /// Sets the quality below which cells are too poor for the Taylor-Galerkin step.
    pub fn with_least_quality(mut self, least_quality: f64) -> Self {
        self.least_quality = least_quality;
        self
    }
}
