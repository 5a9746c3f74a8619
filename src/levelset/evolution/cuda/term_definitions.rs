//! The terms of the equation as macro definitions, because terms without a coefficient are not
//! compiled.

use super::kernel_arguments::{AdvectionTerm, CurvatureTerm, NormalTerm};
use crate::geometry::Real;
use crate::gpu::definitions::Code;
use crate::levelset::evolution::problem::Problem;
use crate::levelset::evolution::{Advection, NormalMotion};

/// Returns the terms and options of the equation as macro definitions, without those that are 0.
pub(super) fn terms<R: Real>(problem: &Problem<R>) -> Vec<(&'static str, String)> {
    let (motion, options) = (&problem.motion, &problem.options);
    let advection = match (&motion.velocity, options.advection, &problem.galerkin) {
        (None, ..) => AdvectionTerm::None,
        (Some(_), _, Some(_)) => AdvectionTerm::TaylorGalerkin,
        (Some(_), Advection::Cone, _) => AdvectionTerm::Cone,
        (Some(_), ..) => AdvectionTerm::PositiveCoefficients,
    };
    let normal = match (&motion.normal_speed, options.normal_motion) {
        (None, _) => NormalTerm::None,
        (Some(_), NormalMotion::PositiveCoefficient) => NormalTerm::PositiveCoefficients,
        (Some(_), NormalMotion::HopfLax) => NormalTerm::HopfLax,
    };
    let curvature = match &motion.curvature {
        None => CurvatureTerm::None,
        Some(curvature) if curvature.weighted => CurvatureTerm::Weighted,
        Some(_) => CurvatureTerm::Beta,
    };
    let has_rows = |uniform: Option<bool>| u32::from(uniform == Some(false));
    let numbers = [
        ("ADVECTION", advection.code()),
        ("NORMAL", normal.code()),
        ("CURVATURE", curvature.code()),
        ("IMPLICIT", u32::from(problem.implicit)),
        ("EXTRAPOLATED", u32::from(problem.is_extrapolated())),
        ("INFLOW", u32::from(problem.inflow.has_values())),
        ("VARIES", u32::from(motion.varies())),
        ("ONE_PASS", u32::from(options.one_pass)),
        ("CLIP", u32::from(options.clip)),
        ("WHOLE", u32::from(options.half_width.is_none())),
        ("VELOCITY_ROWS", has_rows(motion.velocity.as_ref().map(|v| v.uniform().is_some()))),
        ("SPEED_ROWS", has_rows(motion.normal_speed.as_ref().map(|v| v.uniform().is_some()))),
        (
            "CURVATURE_ROWS",
            has_rows(motion.curvature.as_ref().map(|c| c.coefficient.uniform().is_some())),
        ),
    ];
    numbers.iter().filter(|(_, n)| *n > 0).map(|(name, n)| (*name, n.to_string())).collect()
}
