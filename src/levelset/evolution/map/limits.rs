//! Limits on the length of steps and substeps with a characteristic map.

use super::triangulation::Triangulation;
use crate::geometry::{Real, Vec3, simplex::Simplex};
use crate::levelset::evolution::problem::Problem;
use crate::parallel::*;
use crate::patches::Patch;

/// The number of substeps of a step with a CFL factor of 1.
const SUBSTEPS: f64 = 4.0;

/// The largest motion in a substep, in mean edge lengths.
const EDGES: f64 = 4.0;

/// The largest product of a substep and the norm of the gradient of the velocity.
const TURN: f64 = 0.4;

/// Returns the longest substep for a speed and the square of the norm of the gradient of the
/// velocity.
fn longest<R: Real>(edge: R, speed: R, square: R) -> R {
    let (by_speed, by_gradient) = (R::of(EDGES) * edge / speed, R::of(TURN) / square.sqrt());
    by_speed.min(by_gradient)
}

impl<R: Real> Problem<R> {
    /// Returns the longest step of a CFL factor of 1 that a cell allows with a characteristic map.
    pub(in crate::levelset::evolution) fn largest_map_step<const N: usize>(
        &self,
        mesh: &Triangulation,
        patch: &Patch<'_>,
        cell: &Simplex<R, N>,
        corners: &[u32],
        speed: R,
    ) -> R {
        let Some(velocity) = &self.motion.velocity else { return R::INFINITY };
        let mut gradient = [Vec3::zeros(), Vec3::zeros()];
        for (grad, &c) in cell.grads.iter().zip(corners) {
            let a = velocity.at(patch.vertex(c as usize));
            gradient[0] += *grad * a[0];
            gradient[1] += *grad * a[1];
        }
        let square = gradient[0].norm_squared() + gradient[1].norm_squared();
        R::of(SUBSTEPS) * longest(R::of(mesh.edge), speed, square)
    }
}

/// Returns the longest substep for a velocity at the vertices (patch order).
pub(super) fn longest_substep(mesh: &Triangulation, velocity: &[[f64; 2]]) -> f64 {
    const BLOCK: usize = 4096;
    let of_block = |(n, block): (usize, &[[u32; 3]])| {
        let limits = block.iter().enumerate().map(|(k, cell)| {
            let corners = mesh.corners((n * BLOCK + k) as u32);
            let a = cell.map(|v| velocity[v as usize]);
            let speed = a.iter().map(|a| a[0].hypot(a[1])).fold(0.0, f64::max);
            let gradient = [0, 1].map(|k| corners.gradient(a.map(|a| a[k])));
            let square = gradient.as_flattened().iter().map(|g| g * g).sum();
            longest(mesh.edge, speed, square)
        });
        limits.fold(f64::INFINITY, f64::min)
    };
    let blocks = mesh.cells.par_chunks(BLOCK).enumerate();
    blocks.map(of_block).reduce(|| f64::INFINITY, f64::min)
}
