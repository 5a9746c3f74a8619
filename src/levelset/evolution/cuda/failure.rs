//! Finds out why a step on the GPU failed, and reports it as the CPU does.

use super::DeviceEvolution;
use super::control::Halt;
use super::kernel_arguments::Control;
use crate::error::{Error, Result};
use crate::expression::{Sampling, TimeSpan};
use crate::geometry::Real;
use crate::levelset::evolution::breakdown::{Flaw, What, at_rest_forever};
use crate::levelset::evolution::inflow::bad_inflow;
use crate::levelset::evolution::problem::Problem;
use crate::levelset::evolution::time_step::Window;

/// Returns the error of a failed step, or `None` if the steps did not stop because of a failure.
///
/// Evaluates the coefficients at the time of the failure, around the vertex or in the patches of
/// the band.
///
/// # Errors
/// Returns [`Error::Device`] if the GPU fails.
pub(super) fn of<R: Real>(on: &mut DeviceEvolution<R>) -> Result<Option<Error>> {
    let now = on.now;
    let (vertex, dt) = (now.place as usize, now.dt);
    let (middle, end) = (now.time + 0.5 * dt, now.time + dt);
    let problem = &mut on.problem;
    let flaw = match now.halt() {
        Halt::Running | Halt::Arrived | Halt::Gone | Halt::Steady => return Ok(None),
        Halt::AtRest => return Ok(Some(at_rest_forever(now.step + 1))),
        Halt::Broken => {
            let n = problem.patches.n_vertices();
            let next = (1 - now.parity as usize) * n + vertex;
            let phi = on.cuda.download_part(&on.state.phi, next..next + 1)?;
            bring(problem, vertex, middle);
            Flaw { what: What::Phi(phi[0].to_f64()), vertex, time: end, dt }
        }
        Halt::Lost => {
            let lists = on.cuda.download(&on.state.active)?;
            let first = (now.list * now.n_patches) as usize;
            let mut active = lists[first..first + now.n_active as usize].to_vec();
            active.sort_unstable();
            lost(problem, active, &now)
        }
        Halt::NoConvergence => {
            let moving = on.cuda.download(&on.state.moving)?;
            let vertex = on.kernels.slowest(&moving)?;
            bring(problem, vertex, middle);
            Flaw { what: What::NoConvergence(now.reduction), vertex, time: end, dt }
        }
        Halt::BadInflow => {
            let value = problem.given_inflow(vertex, end).unwrap_or(f64::NAN);
            bring(problem, vertex, middle);
            bad_inflow(value, vertex, end)
        }
        Halt::BadCoefficient => {
            let (name, vertex) = on.kernels.bad_coefficient()?;
            let span = TimeSpan { start: now.time, end: now.bad_time };
            let patch = problem.patches.owner(vertex) as u32;
            // Bounds are absolute values, so only means can be negative. Means are evaluated only
            // at the nodes of a quadrature rule, so only bounds cover the times between the nodes.
            let found = [Sampling::Mean(span, span.at(0.5)), Sampling::Bound(span)]
                .into_iter()
                .find_map(|sampling| problem.refresh(&[patch], sampling).err());
            let flaw = found.unwrap_or_else(|| problem.bad_coefficient(name, vertex, now.bad_time));
            bring(problem, flaw.vertex, flaw.time);
            flaw
        }
    };
    let found = on.problem.explain(&flaw, now.step + 1);
    on.breakdown = Some(found);
    Ok(Some(found.as_error()))
}

/// Returns the failure for a step that is too short to advance time, with a vertex in one of the
/// `active` patches.
///
/// The GPU reports neither the time that limited the step nor the vertices in the band. The search
/// for the step length is therefore repeated here in all active patches.
fn lost<R: Real>(problem: &mut Problem<R>, active: Vec<u32>, now: &Control<R>) -> Flaw {
    let everywhere = &|_| true;
    let mut window = Window::new(active, &problem.patches);
    window.read(problem);
    match window.choose_step(problem, everywhere, now.time, now.target - now.clock) {
        Ok(chosen) => window.lost_step(problem, everywhere, chosen.limited_at, now.dt),
        Err(flaw) => flaw,
    }
}

/// Evaluates the coefficients at time `t` in the patch that owns a vertex (patch order) and in its
/// neighbors, which together contain all cells around the vertex.
fn bring<R: Real>(problem: &mut Problem<R>, vertex: usize, t: f64) {
    let patches = problem.patches.clone();
    let p = patches.owner(vertex);
    for p in std::iter::once(p as u32).chain(patches.neighbors(p).iter().copied()) {
        // The caller reports invalid coefficients.
        let _ = problem.refresh(&[p], Sampling::At(t));
    }
}
