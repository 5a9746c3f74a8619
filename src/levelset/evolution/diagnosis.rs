//! Finds the likely cause of a failed step from the cells around a vertex. All devices use it.

use super::breakdown::{Breakdown, Cause, Flaw, What};
use super::problem::Problem;
use crate::geometry::simplex::{Simplex, quality};
use crate::geometry::{Real, Vec3};
use crate::patches::Patch;

/// The quality below which a cell is called a sliver (a regular cell has 1).
const SLIVER: f64 = 1e-2;

/// A cell at the failed vertex.
struct Seen {
    cell: u32,
    /// The longest stable step of the cell.
    step: f64,
    speed: f64,
    quality: f64,
    reversal: bool,
}

impl<R: Real> Problem<R> {
    /// Finds the likely cause of the failure of step number `step`, from the current coefficients.
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

    /// Returns the cell around an owned vertex that allows the shortest step, or `None` if no cell
    /// limits the step.
    fn worst_around<const N: usize>(&self, p: usize, vertex: usize) -> Option<Seen> {
        let patch = self.patches.patch(p);
        let x = self.coordinates.of(&self.patches, p);
        let cells = patch.row(vertex - patch.first).iter().map(|&slot| {
            let t = slot as usize / N;
            let corners = &patch.corners[t * N..][..N];
            let limits = self.limits_of_cell::<N>(&patch, x, corners);
            let x: [Vec3<R>; N] = std::array::from_fn(|i| x[corners[i] as usize]);
            // Semi-implicit curvature does not limit the step.
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

    /// Returns whether the velocities at any two corners form an angle of more than 90 degrees.
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
        // The step is too short: the cell is a sliver or a coefficient is too large.
        What::NoProgress if seen.quality < SLIVER => Cause::Sliver(seen.quality),
        What::NoProgress if seen.speed > beta => Cause::Speed(seen.speed),
        What::NoProgress => Cause::Curvature(beta),
        // With this margin, rounding does not put the blame on a step of the largest allowed
        // length.
        What::Phi(_) if dt > 1.01 * seen.step => Cause::LongStep(dt / seen.step),
        _ if seen.quality < SLIVER => Cause::Sliver(seen.quality),
        _ if seen.reversal => Cause::Reversal,
        _ => Cause::Unknown,
    }
}
