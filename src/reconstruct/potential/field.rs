//! The velocity toward the samples, for the voxels of a tile.
//!
//! The velocity follows from the sums of [`sum`](super::sum). Its direction is that of grad P,
//! `N / |N|`. `N / B` points from the voxel to the weighted mean of the samples. Near a plane of
//! samples, it is exactly the vector to the nearest point of the plane. The apparent distance of
//! the samples is `l = sqrt((p-1) B / ((p+1) C))`. For a plane at distance h, it is
//! `sqrt(h^2 + s^2)`, the distance including the softening.
//!
//! ```text
//! Ridge      U = W                              with W = N/B, shortened to length 1 if longer:
//!                                               stops where N = 0, on the ridge of P
//! Hull(h)    U = W clamp(2 (l - l(h)), -1, 1)   stops at a distance h from the samples
//! ```
//!
//! Far from the samples, both are the unit vectors along grad P (docs/potential.md). At a plane of
//! samples, unit vectors would reverse from one voxel to the next, and the interface could not stop
//! between voxels. W goes through zero instead.

use std::sync::Arc;

use super::octree::Octree;
use super::sample_sums::{Rule, Sources, Totals};
use crate::levelset::tiled::Fill;
use crate::primitives::PerThread;

/// The places where the velocity lets an interface stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Rest {
    /// On the samples.
    Ridge,
    /// At this distance from the samples, in voxels.
    Hull(f64),
}

/// Speed per voxel of distance from the place where a hull stops.
const GAIN: f32 = 2.0;

/// Returns the apparent distance of samples in a plane, for a point at the given distance from the
/// plane. It includes the softening.
pub(super) fn apparent(distance: f64, softening: f64) -> f32 {
    (distance.powi(2) + softening.powi(2)).sqrt() as f32
}

#[derive(Default)]
struct Scratch {
    sources: Sources,
    at: [Vec<f32>; 3],
    totals: Totals,
}

/// Returns the velocity on the voxels of a level, for tiles of `edge^3` voxels. `rule.softening` is
/// in voxels of the level.
pub(super) fn velocity(
    tree: Arc<Octree>,
    rule: Rule,
    level: u32,
    rest: Rest,
    edge: usize,
) -> Fill<f32> {
    let scratch = PerThread::<Scratch>::default();
    let middle = 0.5 * (edge - 1) as f32;
    let radius = 3.0f32.sqrt() * middle;
    let p = f64::from(rule.exponent);
    let share = ((p - 1.0) / (p + 1.0)) as f32;
    let stop = match rest {
        Rest::Ridge => 0.0,
        Rest::Hull(distance) => apparent(distance, rule.softening),
    };
    Arc::new(move |first, _, out: &mut [f32]| {
        let Scratch { sources, at, totals } = &mut *scratch.get();
        let size = edge * edge * edge;
        if at[0].len() != size {
            let place = |n: usize| [n % edge, n / edge % edge, n / (edge * edge)];
            *at = [0, 1, 2].map(|k| (0..size).map(|n| place(n)[k] as f32 - middle).collect());
        }
        sources.gather(&tree, rule.theta, level, first.map(|c| c as f32 + middle), radius);
        sources.sum(rule.exponent, rule.softening as f32, at, totals);
        let (out_x, rest_of) = out.split_at_mut(size);
        let (out_y, out_z) = rest_of.split_at_mut(size);
        let all = out_x.iter_mut().zip(out_y).zip(out_z);
        for (n, ((x, y), z)) in all.enumerate() {
            let pull = [0, 1, 2].map(|k| totals.pull[k][n]);
            let long = pull.iter().map(|c| c * c).sum::<f32>().sqrt();
            let (weight, near) = (totals.weight[n], totals.near[n]);
            let speed = match rest {
                Rest::Ridge => 1.0,
                Rest::Hull(_) => (GAIN * ((share * weight / near).sqrt() - stop)).clamp(-1.0, 1.0),
            };
            let factor = speed / weight.max(long);
            [*x, *y, *z] = pull.map(|c| c * factor);
        }
    })
}

#[cfg(test)]
mod tests;
