//! What steers an evolution on the card, as the kernels know it: `kernels/control.cuh`.

use std::ops::{Deref, DerefMut};

use cudarc::driver::{DeviceRepr, ValidAsZeroBits};

use crate::geometry::Real;
use crate::levelset::evolution::{Options, Rule};

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

/// Bounds of the step for C = 1.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(super) struct Limits<R> {
    pub first_order: R,
    pub curvature: R,
    pub speed: R,
    pub inradius: R,
}

/// `struct Progress` of the kernels: what every step changes.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(super) struct Progress {
    pub clock: f64,
    pub time: f64,
    pub dt: f64,
    pub dt_done: f64,
    pub displacement: f64,
    pub rate: f64,
    pub steps_left: u64,
    pub step: u64,
    pub steps_since: u64,
    pub cell_updates: u64,
    pub parity: u32,
    pub due: u32,
    pub halt: u32,
    pub enters: u32,
    pub place: u32,
    unused: u32,
}

/// `struct Control` of the kernels.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(super) struct Control<R> {
    pub progress: Progress,
    pub target: f64,
    pub steady: f64,
    pub cfl_first_order: f64,
    pub cfl_curvature: f64,
    pub half_width: f64,
    pub every: u64,
    pub rule: u32,
    pub measures_displacement: u32,
    pub reinitializations: u64,
    pub iterations: u64,
    /// Nanoseconds of the card's clock in steps and in redistancings, and when the last one ended.
    pub evolve_time: u64,
    pub reinitialize_time: u64,
    pub last_time: u64,
    pub reduction: f64,
    pub bad_time: f64,
    pub n_patches: u32,
    pub list: u32,
    pub n_active: u32,
    pub n_moving: u32,
    pub n_cells: u32,
    pub blocks_done: u32,
    pub limits: Limits<R>,
    pub next_limits: Limits<R>,
    pub longest: f64,
    pub due_after: f64,
    pub next_active: u32,
    pub next_moving: u32,
    pub next_cells: u32,
    pub n_extra: u32,
}

impl<R> Deref for Control<R> {
    type Target = Progress;

    fn deref(&self) -> &Progress {
        &self.progress
    }
}

impl<R> DerefMut for Control<R> {
    fn deref_mut(&mut self) -> &mut Progress {
        &mut self.progress
    }
}

/// `struct Trace` of the kernels: what the blocks of a step found.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(super) struct Trace<R> {
    change_near: R,
    broken: u32,
    cut: u32,
}

// SAFETY: numbers only, laid out as in C.
unsafe impl DeviceRepr for Progress {}
// SAFETY: zero is a value of each of them.
unsafe impl ValidAsZeroBits for Progress {}
// SAFETY: numbers only, laid out as in C.
unsafe impl<R: Real> DeviceRepr for Trace<R> {}
// SAFETY: zero is a value of each of them.
unsafe impl<R: Real> ValidAsZeroBits for Trace<R> {}
// SAFETY: numbers only, laid out as in C.
unsafe impl<R: Real> DeviceRepr for Control<R> {}
// SAFETY: zero is a value of each of them.
unsafe impl<R: Real> ValidAsZeroBits for Control<R> {}

impl<R: Real> Control<R> {
    /// Before the first band, with all patches looked at.
    pub fn new(
        options: &Options,
        semi_implicit: bool,
        has_curvature: bool,
        n_patches: u32,
    ) -> Self {
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
            cfl_first_order: match semi_implicit {
                true => options.cfl.min(crate::levelset::evolution::length::LARGEST_CFL),
                false => options.cfl,
            },
            cfl_curvature: options.cfl,
            half_width: options.half_width.unwrap_or(f64::INFINITY),
            every,
            rule,
            measures_displacement: u32::from(has_curvature),
            n_patches,
            n_active: n_patches,
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
