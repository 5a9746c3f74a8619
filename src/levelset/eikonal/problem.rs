//! The input of a front propagation apart from its sources: patches and the slowness of their
//! cells. All devices use it.

use std::sync::Arc;

use super::{Front, Slowness};
use crate::error::Error;
use crate::geometry::{Real, Vec3, simplex::longest_edge};
use crate::parallel::*;
use crate::patches::{Coordinates, Patches};

/// A round updates the patches whose pending value is at most this much later than the earliest
/// one. The unit is the longest time along an edge of a patch, averaged over all patches. A smaller
/// value leaves threads idle, and a larger value repeats work.
const NEAR: f64 = 1.0;

/// The number of rounds after which a solve fails, not counting the additional rounds for each
/// vertex. In every round, a front that runs straight ahead reaches the final value of at least one
/// vertex. Most solves need fewer rounds than there are patches.
const MOST_ROUNDS: u32 = 10_000;
const MOST_ROUNDS_PER_VERTEX: u32 = 4;

/// The number of updates of a patch in one solve after which small decreases no longer count (one
/// per vertex in larger patches). On meshes without many flat cells, a patch needs far fewer
/// updates.
///
/// Where fronts cross many flat cells in almost no time, vertices lower each other's values in a
/// circle, by ever smaller amounts. The smallest decrease that counts is therefore doubled with
/// every [`DOUBLING`] updates. It grows from 2^-[`FIRST`] to 2^-[`LAST`] times the longest travel
/// time along a nearby edge. The last is half the delay at a flat cell (`LEAST_HEIGHT` in
/// `formulas`). `kernels/eikonal/local.cuh` has the same numbers.
///
/// With a tensor, vertices often depend on later ones, so a patch needs more updates.
const PATIENCE: u32 = 256;
const PATIENCE_WITH_TENSOR: u32 = 4096;
const DOUBLING: u32 = 8;
const FIRST: u32 = 40;
const LAST: u32 = 6;

/// Returns the decrease that a value must exceed to count, after `n_updates` updates of its patch.
/// `reach` is the longest travel time along an edge nearby.
pub(super) fn least_step<R: Real>(reach: R, n_updates: u32, patience: u32) -> R {
    if n_updates < patience {
        return R::DECREASE * reach;
    }
    let halvings = FIRST - ((n_updates - patience) / DOUBLING).min(FIRST - LAST);
    R::DECREASE.max(R::of(1.0 / (1u64 << halvings) as f64)) * reach
}

/// The data that determine arrival times, apart from their source.
pub(crate) struct Problem<R: Real> {
    pub(super) patches: Arc<Patches>,
    pub(super) coordinates: Arc<Coordinates<R>>,
    pub(super) slowness: Slowness<R>,
    pub(super) front: Front,
    /// For each patch, the longest time along an edge of the patch or of its neighbors. Values must
    /// be correct this far beyond the band so that the values in the band are correct on obtuse
    /// cells (docs/distances.md, section 5.6).
    pub(super) reach: Vec<R>,
    /// A patch waits if its pending value is later than the earliest one by more than this time
    /// (near-far order).
    pub(super) near: R,
}

impl<R: Real> Problem<R> {
    /// Creates the problem with plane fronts.
    pub fn new(
        patches: Arc<Patches>,
        coordinates: Arc<Coordinates<R>>,
        slowness: Slowness<R>,
    ) -> Self {
        let own: Vec<R> = (0..patches.len())
            .into_par_iter()
            .map(|p| longest_time(&patches, &coordinates, &slowness, p))
            .collect();
        let reach = (0..patches.len())
            .map(|p| patches.neighbors(p).iter().fold(own[p], |m, &q| m.max(own[q as usize])))
            .collect();
        let near =
            R::of(NEAR * own.iter().map(|t| t.to_f64()).sum::<f64>() / own.len().max(1) as f64);
        Problem { patches, coordinates, slowness, front: Front::Plane, reach, near }
    }

    /// Returns the number of updates of a patch of `n_owned` vertices after which small decreases
    /// no longer count.
    pub(super) fn patience(&self, n_owned: usize) -> u32 {
        let least = match self.slowness {
            Slowness::Tensor(_) => PATIENCE_WITH_TENSOR,
            Slowness::Uniform(_) | Slowness::PerCell(_) => PATIENCE,
        };
        least.max(n_owned as u32)
    }

    /// Returns the number of rounds after which a solve fails.
    pub(super) fn most_rounds(&self) -> u32 {
        let n = u32::try_from(self.patches.n_vertices()).unwrap_or(u32::MAX);
        n.saturating_mul(MOST_ROUNDS_PER_VERTEX).saturating_add(MOST_ROUNDS)
    }

    /// Returns a vertex of a patch (mesh order).
    pub(super) fn vertex_of(&self, patch: u32) -> u32 {
        self.patches.mesh_vertices()[self.patches.patch(patch as usize).owned().start]
    }

    /// Returns, for each patch, whether it or one of its neighbors has a cell with an obtuse angle.
    /// Tetrahedra and cells with a tensor count as obtuse.
    pub(super) fn near_obtuse(&self) -> Vec<bool> {
        let (patches, coordinates) = (&*self.patches, &*self.coordinates);
        if patches.arity() != 3 || matches!(self.slowness, Slowness::Tensor(_)) {
            return vec![true; patches.len()];
        }
        let own: Vec<bool> = (0..patches.len())
            .into_par_iter()
            .map(|p| {
                let (patch, x) = (patches.patch(p), coordinates.of(patches, p));
                let mut cells = patch.corners.chunks_exact(3);
                cells.any(|corners| {
                    let at: [Vec3<R>; 3] = std::array::from_fn(|k| x[corners[k] as usize]);
                    (0..3).any(|k| is_obtuse(&at, k))
                })
            })
            .collect();
        let near = |p: usize| own[p] || patches.neighbors(p).iter().any(|&q| own[q as usize]);
        (0..patches.len()).map(near).collect()
    }
}

/// Returns the error for a solve that has not ended after `rounds` rounds. `vertex` is a vertex
/// near those whose values still change (mesh order), if it is known.
pub(super) fn endless(rounds: u32, vertex: Option<u32>) -> Error {
    let place = vertex.map_or(String::new(), |v| format!(" near vertex {v}"));
    Error::Numerical {
        what: format!("distances{place} still change after {rounds} rounds"),
        remedy: "remesh, without triangles or tetrahedra that are nearly flat".into(),
    }
}

/// Returns whether the angle of a triangle at vertex `k` is obtuse by more than rounding.
fn is_obtuse<R: Real>(x: &[Vec3<R>; 3], k: usize) -> bool {
    let (a, b) = (x[(k + 1) % 3] - x[k], x[(k + 2) % 3] - x[k]);
    a.dot(&b) < R::of(-1e-6) * a.norm() * b.norm()
}

/// Returns the longest time along an edge of a patch.
fn longest_time<R: Real>(
    patches: &Patches,
    coordinates: &Coordinates<R>,
    slowness: &Slowness<R>,
    p: usize,
) -> R {
    let patch = patches.patch(p);
    let x = coordinates.of(patches, p);
    let cells = patch.corners.chunks_exact(patches.arity()).zip(patch.cells);
    cells.fold(R::zero(), |longest, (corners, &cell)| {
        let mut at = [Vec3::zeros(); 4];
        for (x_k, &c) in at.iter_mut().zip(corners) {
            *x_k = x[c as usize];
        }
        let (at, f) = slowness.in_cell(cell, at);
        longest.max(longest_edge(&at[..corners.len()]) * f)
    })
}
