//! Why a step on the card broke down, in the words of the CPU.

use super::DeviceEvolution;
use super::control::Halt;
use crate::error::{Error, Result};
use crate::geometry::Real;
use crate::levelset::evolution::{Evolution, What, at_rest_forever};

/// What stopped the steps, if it is a failure. The twin on the host learns what it needs to tell:
/// number of the step, coefficients around the vertex, patches of the band.
///
/// # Errors
/// [`Error::Device`] if the card fails meanwhile.
pub(super) fn of<R: Real>(on: &mut DeviceEvolution<R>) -> Result<Option<Error>> {
    let now = on.now;
    let place = now.place as usize;
    let (middle, end) = (now.time + 0.5 * now.dt, now.time + now.dt);
    on.host.step = now.step;
    let host = &mut on.host;
    Ok(Some(match now.halt() {
        Halt::Running | Halt::Arrived | Halt::Gone | Halt::Steady => return Ok(None),
        Halt::AtRest => at_rest_forever(now.step + 1),
        Halt::Broken => {
            let n = host.patches.n_vertices();
            let next = (1 - now.parity as usize) * n + place;
            let phi = on.cuda.download_part(&on.state.phi, next..next + 1)?;
            bring(host, place, middle);
            host.broke_down(What::Phi(phi[0].widen()), place, end, now.dt)
        }
        Halt::Lost => {
            let active = on.cuda.download(&on.state.active)?;
            let first = (now.list * now.n_patches) as usize;
            host.band.active.clear();
            host.band.active.extend(&active[first..first + now.n_active as usize]);
            host.band.active.sort_unstable();
            host.band.read(&host.patches, host.inflow.boundary_patches());
            // Which moment of the step it was, and which vertices are in the band, the card does
            // not tell: all of the active patches are looked at.
            host.band.inside.fill(true);
            host.time = now.time;
            match host.choose_step(now.target - now.clock) {
                Ok(chosen) => host.lost_step(chosen.limited_at, now.dt),
                Err(error) => error,
            }
        }
        Halt::NoConvergence => {
            let moving = on.cuda.download(&on.state.moving)?;
            let vertex = on.kernels.slowest(&moving)?;
            bring(host, vertex, middle);
            host.no_convergence(now.reduction, vertex, end, now.dt)
        }
        Halt::BadInflow => {
            let value = host.given_inflow(place, end).unwrap_or(f64::NAN);
            bring(host, place, middle);
            host.bad_inflow(value, place, end)
        }
        Halt::BadCoefficient => {
            let (name, vertex) = on.kernels.bad_coefficient()?;
            bring(host, vertex, now.bad_time);
            host.bad_coefficient(name, vertex, now.bad_time)
        }
    }))
}

/// Brings coefficients to time `t` in all cells around a vertex (patch order).
fn bring<R: Real>(host: &mut Evolution<R>, vertex: usize, t: f64) {
    let patches = host.patches.clone();
    let p = patches.owner(vertex);
    refresh(host, p as u32, t);
    for &p in patches.neighbors(p) {
        refresh(host, p, t);
    }
}

/// Brings coefficients of a patch to time `t`. What is wrong with them is told by the caller.
fn refresh<R: Real>(host: &mut Evolution<R>, p: u32, t: f64) {
    let _ = host.refresh(&[p], t);
}
