//! The control block of an evolution on the GPU: its initial state, and why steps stopped.

pub(super) use super::kernel_arguments::Halt;
use super::kernel_arguments::{Control, Due, Limits, Progress, When};
use crate::geometry::Real;
use crate::gpu::definitions::Code;
use crate::levelset::eikonal::Fit;
use crate::levelset::evolution::Rule;
use crate::levelset::evolution::problem::Problem;
use crate::levelset::evolution::time_step::LARGEST_CFL;

impl<R: Real> Control<R> {
    /// Returns the state before the first band is computed. All patches are active, so that all are
    /// examined.
    pub fn new(problem: &Problem<R>, n_patches: u32) -> Self {
        let options = &problem.options;
        let (rule, every) = match options.rule {
            Rule::Displacement => (When::Displacement, 0),
            Rule::Published => (When::Published, 0),
            Rule::Every(n) => (When::Every, n.max(1) as u64),
            Rule::Never => (When::Never, 0),
        };
        let inflow = problem.limits_at_inflow();
        let motion = &problem.motion;
        let fits = options.fit == Fit::Quadratic && options.half_width.is_some();
        // A velocity carries phi without changing its zero set, so the values next to the interface
        // are better than new ones.
        let keeps = fits && motion.normal_speed.is_none() && motion.curvature.is_none();
        let none = Limits { first_order: R::INFINITY, curvature: R::INFINITY, ..Limits::default() };
        Control {
            target: f64::INFINITY,
            steady: -1.0,
            cfl_first_order: match problem.implicit {
                true => options.cfl.min(LARGEST_CFL),
                false => options.cfl,
            },
            cfl_curvature: options.cfl,
            half_width: options.half_width.unwrap_or(f64::INFINITY),
            every,
            rule: rule.code(),
            measures_displacement: u32::from(motion.curvature.is_some()),
            n_patches,
            n_active: n_patches,
            n_extra: problem.inflow.patches().len() as u32,
            may_enter: u32::from(problem.may_enter()),
            fits: u32::from(fits),
            keeps: u32::from(keeps),
            inflow_limits: Limits {
                first_order: inflow.first_order,
                curvature: inflow.curvature,
                speed: inflow.speed,
                inradius: inflow.inradius,
                beta: inflow.beta,
            },
            limits: none,
            next_limits: none,
            progress: Progress { due: Due::Everything.code(), ..Progress::default() },
            ..Control::default()
        }
    }

    /// Returns why the steps stopped, or [`Halt::Running`].
    pub fn halt(&self) -> Halt {
        Halt::of_code(self.halt).unwrap_or(Halt::Broken)
    }
}
