//! Why a step broke down: a look at the cells around a vertex, the same on every device.

use super::breakdown::{Breakdown, Cause, Flaw, What};
use super::problem::Problem;
use crate::geometry::simplex::{Simplex, quality};
use crate::geometry::{Real, Vec3};
use crate::patches::Patch;

/// A cell below this quality (a regular one has 1) is called a sliver.
const SLIVER: f64 = 1e-2;

/// A cell seen from a vertex.
struct Seen {
    cell: u32,
    /// Longest stable step by the cell's own size.
    step: f64,
    speed: f64,
    quality: f64,
    reversal: bool,
}

impl<R: Real> Problem<R> {
    /// Finds the likely cause of a flaw in step number `step`, from the coefficients as they are.
    #[cold]
    pub fn explain(&self, flaw: &Flaw, step: u64) -> Breakdown {
        let &Flaw { what, vertex, time, dt } = flaw;
        let p = self.patches.owner(vertex);
        let seen = match self.patches.arity() {
            3 => self.worst_around::<3>(p, vertex),
            _ => self.worst_around::<4>(p, vertex),
        };
        let first = self.patches.patch(p).first;
        let place = self.coordinates.of(&self.patches, p)[vertex - first];
        let beta =
            self.motion.curvature.as_ref().map_or(0.0, |c| c.coefficient.at(vertex)[0].to_f64());
        Breakdown {
            what,
            step,
            time,
            dt,
            vertex: self.patches.mesh_vertices()[vertex],
            place: [place.x, place.y, place.z].map(R::to_f64),
            cell: seen.as_ref().map_or(0, |seen| seen.cell),
            cause: cause(&what, seen.as_ref(), beta, dt),
            cfl: self.options.cfl,
        }
    }

    /// The cell around an owned vertex that allows the shortest step.
    fn worst_around<const N: usize>(&self, p: usize, vertex: usize) -> Option<Seen> {
        let patch = self.patches.patch(p);
        let x = self.coordinates.of(&self.patches, p);
        let cells = patch.row(vertex - patch.first).iter().map(|&slot| {
            let t = slot as usize / N;
            let corners = &patch.corners[t * N..][..N];
            let limits = self.limits_of_cell::<N>(&patch, x, corners);
            let x: [Vec3<R>; N] = std::array::from_fn(|i| x[corners[i] as usize]);
            // Implicit curvature has no limit of its own.
            let curvature = if self.implicit { R::INFINITY } else { limits.curvature };
            Seen {
                cell: patch.cells[t],
                step: limits.first_order.min(curvature).to_f64(),
                speed: limits.speed.to_f64(),
                quality: quality(&Simplex::new(&x), &x).to_f64(),
                reversal: self.turns_round(&patch, corners),
            }
        });
        cells.min_by(|a, b| a.step.total_cmp(&b.step).then(a.quality.total_cmp(&b.quality)))
    }

    /// Whether the velocities at two corners point against each other.
    fn turns_round(&self, patch: &Patch<'_>, corners: &[u32]) -> bool {
        let Some(velocity) = &self.motion.velocity else { return false };
        let at = |c: u32| Vec3::from(velocity.at(patch.vertex(c as usize)));
        let against = |a: u32, b: u32| at(a).dot(&at(b)) < R::zero();
        corners.iter().enumerate().any(|(k, &a)| corners[..k].iter().any(|&b| against(a, b)))
    }
}

fn cause(what: &What, seen: Option<&Seen>, beta: f64, dt: f64) -> Cause {
    let Some(seen) = seen else { return Cause::Unknown };
    match what {
        What::Coefficient("curvature" | "weighted_curvature", value) if *value < 0.0 => {
            Cause::NegativeCurvature
        }
        What::Coefficient(..) => Cause::Expression,
        // No step is long enough: a flat cell, or numbers that are too large for any.
        What::NoProgress if seen.quality < SLIVER => Cause::Sliver(seen.quality),
        What::NoProgress if seen.speed > beta => Cause::Speed(seen.speed),
        What::NoProgress => Cause::Curvature(beta),
        // Rounding must not blame a step of the largest length.
        What::Phi(_) if dt > 1.01 * seen.step => Cause::LongStep(dt / seen.step),
        _ if seen.quality < SLIVER => Cause::Sliver(seen.quality),
        _ if seen.reversal => Cause::Reversal,
        _ => Cause::Unknown,
    }
}
