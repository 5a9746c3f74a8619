//! Errors about steps that broke down, stated in the units and expressions of the case.

use crate::config::{Config, TiledSource};
use crate::error::Error;
use crate::expression::Expression;
use crate::levelset::tiled::{Breakdown, What};
use crate::run::expressions::expressions;

/// The data of a case that is needed to describe a breakdown.
#[derive(Clone, Copy)]
pub(super) struct Named<'a> {
    pub config: &'a Config,
    pub source: &'a TiledSource,
}

impl Named<'_> {
    /// Returns an error with the position of the voxel. If the value of an expression caused the
    /// breakdown, the message shows the expression.
    pub fn error(&self, found: &Breakdown) -> Error {
        let TiledSource { origin, dx, .. } = *self.source;
        let error = found.error(origin, dx);
        let (What::Coefficient(name, _), Error::Numerical { what, remedy }) = (found.what, &error)
        else {
            return error;
        };
        let place = found.place(origin, dx);
        let mut no_array = |_: &str| f64::NAN;
        let written = expressions(self.config.evolve.as_ref(), name);
        let is_broken =
            |e: &&&Expression| !e.tree().value(place, found.time, &mut |_| f64::NAN).is_finite();
        match written.iter().find(is_broken).or(written.first()) {
            None => error,
            Some(expression) => {
                let flaw = expression.flaw_at(place, found.time, &mut no_array, what, remedy);
                Error::Numerical { what: flaw.to_string(), remedy: String::new() }
            }
        }
    }
}
