//! The code of evolutions on the CPU, compiled once for each scalar type.
//!
//! Every crate that calls a generic function compiles it again: each test of an evolution took half
//! a minute or more. The tables here are not generic, so only this crate compiles their functions.

use std::any::Any;
use std::sync::Arc;

use super::{Advance, Evolution, Options, Snapshot, StepInfo, StepTarget, Terms};
use crate::Cpu;
use crate::error::Result;
use crate::geometry::Real;
use crate::mesh::Mesh;
use crate::patches::Patches;

type Begin<R> = fn(Arc<Cpu>, &Mesh, Arc<Patches>, &[f64], &Terms, Options) -> Result<Evolution<R>>;
type Resume<R> =
    fn(Arc<Cpu>, &Mesh, Arc<Patches>, &Terms, Options, &Snapshot) -> Result<Evolution<R>>;

/// The public methods of [`Evolution`] that compute.
pub(super) struct Methods<R: Real> {
    pub begin: Begin<R>,
    pub resume: Resume<R>,
    pub step: fn(&mut Evolution<R>, f64) -> Result<StepInfo>,
    pub advance: fn(&mut Evolution<R>, &StepTarget) -> Result<Advance>,
    pub reinitialize: fn(&mut Evolution<R>),
}

impl<R: Real> Methods<R> {
    const fn new() -> Self {
        Methods {
            begin: Evolution::begin,
            resume: Evolution::begin_at,
            step: Evolution::make_step,
            advance: Evolution::make_advance,
            reinitialize: Evolution::reinitialize_all,
        }
    }
}

static DOUBLE: Methods<f64> = Methods::new();
static SINGLE: Methods<f32> = Methods::new();

/// Returns the methods for a scalar type.
pub(super) fn methods<R: Real>() -> &'static Methods<R> {
    let (double, single): (&dyn Any, &dyn Any) = (&DOUBLE, &SINGLE);
    let found = double.downcast_ref().or_else(|| single.downcast_ref());
    found.expect("a scalar type is f32 or f64")
}
