//! How long the next step is.

use super::{Evolution, What};
use crate::error::{Error, Result};
use crate::geometry::Real;

/// Largest factor C of the first-order part of the time step beside a semi-implicit curvature term.
pub(super) const LARGEST_CFL: f64 = 2.0;

/// The next step.
pub(super) struct Chosen {
    /// Its length.
    pub dt: f64,
    /// Time at which coefficients allow no longer one.
    pub limited_at: f64,
}

impl<R: Real> Evolution<R> {
    /// The step of equation (4), with the factor C.
    fn largest_step(&self) -> f64 {
        let limits = &self.band.limits;
        let cfl = self.options.cfl;
        if self.implicit.is_none() {
            return cfl * limits.first_order.min(limits.curvature).widen();
        }
        let first_order = cfl.min(LARGEST_CFL) * limits.first_order.widen();
        first_order.min(cfl * limits.curvature.widen())
    }

    /// Length of the next step, with coefficients brought to its middle.
    pub(super) fn choose_step(&mut self, max_dt: f64) -> Result<Chosen> {
        let mut limited_at = self.time;
        if !self.motion.varies() {
            return Ok(Chosen { dt: self.largest_step().min(max_dt), limited_at });
        }
        self.refresh_band(self.time)?;
        let mut dt = self.largest_step().min(max_dt);
        let mut speed = self.band.limits.speed;
        // What is slow or at rest now may be fast later in a long step: a step must be allowed by
        // what is looked at inside it, its middle last, where coefficients are taken.
        let mut settled = !dt.is_finite();
        while !settled {
            let whole = dt;
            for share in [1.0, 0.382, 0.5] {
                let t = self.time + share * whole;
                self.refresh_band(t)?;
                speed = speed.max(self.band.limits.speed);
                if self.largest_step() < dt {
                    (dt, limited_at) = (self.largest_step(), t);
                }
            }
            // Rounding must not make the search endless.
            settled = dt >= 0.999 * whole;
            if settled {
                dt = whole;
            }
        }
        self.band.limits.speed = speed;
        self.follow_inflow();
        Ok(Chosen { dt, limited_at })
    }

    /// Why a step is so short that it changes nothing: what is fastest at the time that made it so.
    pub(super) fn lost_step(&mut self, limited_at: f64, dt: f64) -> Error {
        if self.motion.varies()
            && let Err(error) = self.refresh_band(limited_at)
        {
            return error;
        }
        let vertex = self.narrowest().unwrap_or(0);
        self.broke_down(What::NoProgress, vertex, limited_at, dt)
    }
}
