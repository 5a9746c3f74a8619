//! What steers an evolution on the card: how it begins, and why it stopped.

use zeroset_core::Plain;

use super::layout::{Control, Limits, Progress, Trace};
use crate::geometry::Real;
use crate::levelset::evolution::Rule;
use crate::levelset::evolution::length::LARGEST_CFL;
use crate::levelset::evolution::problem::Problem;

/// Why steps stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Halt {
    Running,
    Arrived,
    Gone,
    Steady,
    Broken,
    AtRest,
    Lost,
    BadCoefficient,
    NoConvergence,
    BadInflow,
}

impl Halt {
    fn of(number: u32) -> Self {
        use Halt::*;
        let all = [
            Running,
            Arrived,
            Gone,
            Steady,
            Broken,
            AtRest,
            Lost,
            BadCoefficient,
            NoConvergence,
            BadInflow,
        ];
        all.get(number as usize).copied().unwrap_or(Broken)
    }
}

// SAFETY: numbers only, laid out as in C.
unsafe impl Plain for Progress {}
// SAFETY: numbers only, laid out as in C.
unsafe impl<R: Real> Plain for Trace<R> {}
// SAFETY: numbers only, laid out as in C.
unsafe impl<R: Real> Plain for Control<R> {}

impl<R: Real> Control<R> {
    /// Before the first band, with all patches looked at.
    pub fn new(problem: &Problem<R>, n_patches: u32) -> Self {
        let options = &problem.options;
        let (rule, every) = match options.rule {
            Rule::Displacement => (0, 0),
            Rule::Published => (1, 0),
            Rule::Every(n) => (2, n.max(1) as u64),
            Rule::Never => (3, 0),
        };
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
            rule,
            measures_displacement: u32::from(problem.motion.curvature.is_some()),
            n_patches,
            n_active: n_patches,
            n_extra: problem.inflow.patches().len() as u32,
            limits: none,
            next_limits: none,
            progress: Progress { due: 1, ..Progress::default() },
            ..Control::default()
        }
    }

    /// Why steps stopped.
    pub fn halt(&self) -> Halt {
        Halt::of(self.halt)
    }
}
