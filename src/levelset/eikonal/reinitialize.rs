//! Signed distance to the zero set of a level-set function, in a band or everywhere.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{EikonalSolver, EikonalState, Front, Problem, Stats, quadratic};
use crate::Cpu;
use crate::error::Result;
use crate::geometry::{Real, Vec3, simplex::Simplex};
use crate::parallel::*;
use crate::primitives::DisjointRows;

/// The range of distances to compute around the interface.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Width<R> {
    /// Everywhere that fronts from the interface reach.
    Whole,
    /// Up to this distance, in mesh units, or this arrival time; beyond it, phi is set to plus or
    /// minus this distance.
    Band(R),
}

/// How distances from an interface are computed (docs/distances.md, sections 5.4 and 5.13).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Fit {
    /// From the planes of the zero set in the cut cells, with straight fronts: first order
    /// (default).
    #[default]
    Plane,
    /// From quadratic polynomials next to the interface, with curved fronts: second order.
    Quadratic,
}

/// Replaces `phi`, `[n_vertices]` (patch order), by the signed distance to its zero set, or by the
/// arrival time from it if cells have a slowness other than 1.
///
/// Vertices of cut cells (`min phi < 0 <= max phi`) get `|phi_i| / |grad phi|`, or the smallest of
/// these values if they have several cut cells. This is the distance to the plane of the zero set
/// there (docs/distances.md, section 5.4, equation (5)). These values are fixed, and fronts start
/// from them on both sides at once, since no uncut cell has both signs. The sign test is `phi < 0`.
///
/// `near` lists, in ascending order, the patches that may have cut cells or values inside the old
/// band. All other patches must already contain plus or minus the width of the band. With
/// [`Width::Whole`], it must list all patches, and vertices that no front reaches keep their value.
/// The state is switched to plane fronts. With [`Fit::Quadratic`], distances are of second order
/// where phi has no kink.
///
/// Initial values are computed on `cpu`; `solver` propagates the fronts.
///
/// # Errors
/// Returns the errors of the solver.
///
/// # Panics
/// Panics if `near` is not in ascending order.
pub fn reinitialize<R: Real>(
    solver: &impl EikonalSolver,
    cpu: &Cpu,
    state: &mut EikonalState<R>,
    phi: &mut [R],
    near: &[u32],
    width: Width<R>,
) -> Result<Stats> {
    reinitialize_beyond(solver, cpu, state, phi, near, width, R::zero())
}

/// Reinitializes as [`reinitialize`] does, but keeps phi where it is smaller than `kept`. This
/// needs [`Fit::Quadratic`].
pub(crate) fn reinitialize_beyond<R: Real>(
    solver: &impl EikonalSolver,
    cpu: &Cpu,
    state: &mut EikonalState<R>,
    phi: &mut [R],
    near: &[u32],
    width: Width<R>,
    kept: R,
) -> Result<Stats> {
    assert!(near.windows(2).all(|p| p[0] < p[1]), "`near` must be in ascending order");
    state.clear();
    // A zero set is not a point, so its front is straight.
    state.problem.front = Front::Plane;
    cpu.run(|| match state.problem.patches.arity() {
        3 => {
            fix_cut_cells::<R, 3>(state, phi, near);
            quadratic::fit_cut_cells::<R, 3>(state, phi, near, kept);
        }
        _ => {
            fix_cut_cells::<R, 4>(state, phi, near);
            quadratic::fit_cut_cells::<R, 4>(state, phi, near, kept);
        }
    });
    let limit = match width {
        Width::Whole => None,
        Width::Band(w) => Some(w),
    };
    let stats = solver.solve(state, limit)?;
    let farthest = limit.unwrap_or(R::INFINITY);
    cpu.run(|| match state.problem.patches.arity() {
        3 => quadratic::bend::<R, 3>(state, farthest),
        _ => quadratic::bend::<R, 4>(state, farthest),
    });
    let sign = |old: R| if old < R::zero() { -R::one() } else { R::one() };
    // phi is written both in the old band and in the patches of the new fronts. Vertices of the old
    // band that the fronts did not reach lie outside the new one.
    for &p in near.iter().chain(&state.visited) {
        for v in state.problem.patches.patch(p as usize).owned() {
            let u = state.u[v];
            phi[v] = match width {
                Width::Band(w) => sign(phi[v]) * u.min(w),
                Width::Whole if u < R::INFINITY => sign(phi[v]) * u,
                Width::Whole => phi[v],
            };
        }
    }
    Ok(stats)
}

/// Sets every vertex of a cut cell to its distance (docs/distances.md, equation (5)) times the
/// slowness of the cell, and marks it as fixed.
fn fix_cut_cells<R: Real, const N: usize>(state: &mut EikonalState<R>, phi: &[R], near: &[u32]) {
    let EikonalState { problem, u, fixed, seeded, scratch, .. } = state;
    let Problem { patches, coordinates, slowness, .. } = problem;
    let (u, fixed) = (DisjointRows::new(u), DisjointRows::new(fixed));
    near.par_iter()
        .map(|&p| {
            let patch = patches.patch(p as usize);
            let x = coordinates.of(patches, p as usize);
            // SAFETY: `near` contains each patch once, and patches own disjoint ranges.
            let (u, fixed) = unsafe { (u.range(patch.owned()), fixed.range(patch.owned())) };
            let value = |local: usize| phi[patch.vertex(local)];
            let mut found = false;
            for (corners, &cell) in patch.corners.chunks_exact(N).zip(patch.cells) {
                let phi: [R; N] = std::array::from_fn(|i| value(corners[i] as usize));
                if !is_cut(&phi) {
                    continue;
                }
                let x: [Vec3<R>; N] = std::array::from_fn(|i| x[corners[i] as usize]);
                let (x, f) = slowness.in_cell(cell, x);
                let norm = Simplex::new(&x).gradient(&phi).norm();
                for (&corner, &phi) in corners.iter().zip(&phi) {
                    if let Some(u) = u.get_mut(corner as usize) {
                        // A vertex on the interface has distance 0; the test avoids 0 / 0.
                        let d = if phi == R::zero() { R::zero() } else { phi.abs() / norm };
                        let d = d * f;
                        *u = u.min(d);
                        fixed[corner as usize] = true;
                        found = true;
                    }
                }
            }
            found
        })
        .collect_into_vec(&mut scratch.found);
    let found = near.iter().zip(&scratch.found);
    seeded.extend(found.filter(|(_, found)| **found).map(|(&p, _)| p));
}

/// Returns whether the zero set passes through a cell: `min phi < 0 <= max phi`.
#[inline]
pub(crate) fn is_cut<R: Real, const N: usize>(phi: &[R; N]) -> bool {
    let inside = phi.iter().filter(|&&v| v < R::zero()).count();
    inside > 0 && inside < N
}
