//! The code of evolutions on the CPU, compiled once for each scalar type.
//!
//! Every crate that calls a generic function compiles it again: each test of an evolution took half
//! a minute or more. The functions in `double` and `single` are not generic, so only this crate
//! compiles them.

use std::any::Any;
use std::sync::Arc;

use super::{Advance, Evolution, Options, Snapshot, StepInfo, StepTarget, Terms};
use crate::Cpu;
use crate::error::Result;
use crate::geometry::Real;
use crate::mesh::Mesh;
use crate::patches::Patches;

const SCALARS: &str = "a scalar type is f32 or f64";

macro_rules! compiled {
    ($module:ident, $scalar:ty) => {
        mod $module {
            use super::*;

            #[inline(never)]
            pub fn new(
                cpu: Arc<Cpu>,
                mesh: &Mesh,
                patches: Arc<Patches>,
                phi: &[f64],
                terms: &Terms,
                options: Options,
            ) -> Result<Evolution<$scalar>> {
                Evolution::begin(cpu, mesh, patches, phi, terms, options)
            }

            #[inline(never)]
            pub fn resume(
                cpu: Arc<Cpu>,
                mesh: &Mesh,
                patches: Arc<Patches>,
                terms: &Terms,
                options: Options,
                snapshot: &Snapshot,
            ) -> Result<Evolution<$scalar>> {
                Evolution::begin_at(cpu, mesh, patches, terms, options, snapshot)
            }

            #[inline(never)]
            pub fn step(evolution: &mut Evolution<$scalar>, max_dt: f64) -> Result<StepInfo> {
                evolution.make_step(max_dt)
            }

            #[inline(never)]
            pub fn advance(
                evolution: &mut Evolution<$scalar>,
                until: &StepTarget,
            ) -> Result<Advance> {
                evolution.make_advance(until)
            }

            #[inline(never)]
            pub fn reinitialize(evolution: &mut Evolution<$scalar>) {
                evolution.reinitialize_all();
            }
        }
    };
}

compiled!(double, f64);
compiled!(single, f32);

/// Returns a value as the type that it has.
pub(super) fn same<A: 'static, B: 'static>(value: A) -> B {
    let mut value = Some(value);
    let any: &mut dyn Any = &mut value;
    any.downcast_mut::<Option<B>>().and_then(Option::take).expect(SCALARS)
}

/// Returns a borrowed value as the type that it has.
pub(super) fn same_mut<A: 'static, B: 'static>(value: &mut A) -> &mut B {
    let any: &mut dyn Any = value;
    any.downcast_mut().expect(SCALARS)
}

pub(super) fn is_double<R: Real>() -> bool {
    size_of::<R>() == size_of::<f64>()
}

pub(super) fn new<R: Real>(
    cpu: Arc<Cpu>,
    mesh: &Mesh,
    patches: Arc<Patches>,
    phi: &[f64],
    terms: &Terms,
    options: Options,
) -> Result<Evolution<R>> {
    if is_double::<R>() {
        double::new(cpu, mesh, patches, phi, terms, options).map(same)
    } else {
        single::new(cpu, mesh, patches, phi, terms, options).map(same)
    }
}

pub(super) fn resume<R: Real>(
    cpu: Arc<Cpu>,
    mesh: &Mesh,
    patches: Arc<Patches>,
    terms: &Terms,
    options: Options,
    snapshot: &Snapshot,
) -> Result<Evolution<R>> {
    if is_double::<R>() {
        double::resume(cpu, mesh, patches, terms, options, snapshot).map(same)
    } else {
        single::resume(cpu, mesh, patches, terms, options, snapshot).map(same)
    }
}

pub(super) fn step<R: Real>(evolution: &mut Evolution<R>, max_dt: f64) -> Result<StepInfo> {
    if is_double::<R>() {
        double::step(same_mut(evolution), max_dt)
    } else {
        single::step(same_mut(evolution), max_dt)
    }
}

pub(super) fn advance<R: Real>(
    evolution: &mut Evolution<R>,
    until: &StepTarget,
) -> Result<Advance> {
    if is_double::<R>() {
        double::advance(same_mut(evolution), until)
    } else {
        single::advance(same_mut(evolution), until)
    }
}

pub(super) fn reinitialize<R: Real>(evolution: &mut Evolution<R>) {
    if is_double::<R>() {
        double::reinitialize(same_mut(evolution))
    } else {
        single::reinitialize(same_mut(evolution))
    }
}
