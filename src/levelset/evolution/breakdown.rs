//! Why a step broke down: the vertex, the worst of its cells, and the likely cause.

use rayon::prelude::*;

use super::{Evolution, Rule};
use crate::error::Error;
use crate::geometry::simplex::{Simplex, quality};
pub use crate::geometry::{Real, TOO_LARGE, Vec3};
use crate::patches::Patch;

/// Growth of `|phi|` beyond its largest value as a distance that no stable step reaches: phi keeps
/// between its extremes (numerics 2.1 and 3.1), but for small overshoots.
pub(super) const LARGEST_GROWTH: f64 = 4.0;

/// A cell below this quality (a regular one has 1) is called a sliver.
const SLIVER: f64 = 1e-2;

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum What {
    /// phi is not a finite number, or has grown beyond all bounds.
    Phi(f64),
    /// A coefficient of this name is not a finite number, or has a value it must not have.
    Coefficient(&'static str, f64),
    /// The step is so short that the time does not change.
    NoProgress,
    /// The semi-implicit step did not converge; what was left of the residual.
    NoConvergence(f64),
}

/// The likely cause.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Cause {
    /// The step is so many times what is stable in the cell.
    LongStep(f64),
    /// The quality of the cell, inradius over longest edge, where a regular cell has 1.
    Sliver(f64),
    /// The velocity turns round inside the cell.
    Reversal,
    /// `|a| + |eps|` of the cell is this large.
    Speed(f64),
    /// The curvature coefficient at the vertex is this large.
    Curvature(f64),
    /// The curvature coefficient at the vertex is negative.
    NegativeCurvature,
    /// The expression of a coefficient.
    Expression,
    /// Nothing that is seen at the vertex.
    Unknown,
}

/// Where a step broke down, and why.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Breakdown {
    /// What happened.
    pub what: What,
    /// Number of the step.
    pub step: u64,
    /// The time it would have reached, or at which the coefficient was evaluated.
    pub time: f64,
    /// Length of the step; 0 if it had not been chosen.
    pub dt: f64,
    /// The vertex, in mesh order.
    pub vertex: u32,
    /// Where it is.
    pub place: [f64; 3],
    /// The worst of its cells, in mesh order.
    pub cell: u32,
    /// The likely cause.
    pub cause: Cause,
    /// Factor C of the time step.
    cfl: f64,
}

impl Breakdown {
    /// The error with the numbers that the user knows vertex and cell by.
    pub fn error(&self, vertex: u32, cell: u32) -> Error {
        let [x, y, z] = self.place;
        let place = format!("vertex {vertex} ({x:.6}, {y:.6}, {z:.6}), cell {cell}");
        let &Breakdown { step, time, dt, .. } = self;
        let happened = match self.what {
            What::Phi(value) if value.is_finite() => format!("phi has grown to {value:.3e} at"),
            What::Phi(value) => format!("phi is {value}, no finite number, at"),
            What::Coefficient(name, value) => format!("evolve.{name} is {value} at"),
            What::NoProgress => format!("the time step of {dt:.3e} is lost beside the time at"),
            What::NoConvergence(left) => format!(
                "the semi-implicit curvature step does not converge (residual reduced to \
                 {left:.1e}), slowest near"
            ),
        };
        let dt = if dt > 0.0 { format!(", dt {dt:.3e}") } else { String::new() };
        let (cause, remedy) = self.cause();
        let cause = if cause.is_empty() { cause } else { format!(": {cause}") };
        let what = format!("{happened} {place}, in step {step} (time {time:.6e}{dt}){cause}");
        Error::Numerical { what, remedy }
    }

    fn cause(&self) -> (String, String) {
        let (cause, remedy) = match self.cause {
            Cause::LongStep(factor) => (
                format!("the step is {factor:.1} times what is stable in the cell"),
                format!("lower evolve.cfl, now {}", self.cfl),
            ),
            Cause::Sliver(quality) => (
                format!(
                    "the cell is a sliver (inradius over longest edge {quality:.1e}, 1 is best)"
                ),
                "mend the mesh, see `zeroset info`".into(),
            ),
            Cause::Reversal => (
                "the velocity turns round inside the cell".into(),
                "check evolve.velocity there, or refine the mesh".into(),
            ),
            Cause::Speed(speed) => (
                format!("velocity and normal_speed are {speed:.3e} there"),
                match speed.is_finite() {
                    true => "check their values and units, of formulas at that time".into(),
                    false => TOO_LARGE.into(),
                },
            ),
            Cause::Curvature(beta) => (
                format!("the curvature coefficient is {beta:.3e} there"),
                "check its value and unit".into(),
            ),
            Cause::NegativeCurvature => (
                "a negative coefficient has no solution".into(),
                "keep it at 0 or more, for example with max(0, ...)".into(),
            ),
            Cause::Expression => match self.what {
                What::Coefficient(_, value) if value.is_infinite() => {
                    (String::new(), TOO_LARGE.into())
                }
                _ => (String::new(), "correct its expression".into()),
            },
            Cause::Unknown => {
                (String::new(), "lower evolve.cfl, or check the coefficients there".into())
            }
        };
        (cause, remedy)
    }
}

/// A step that nothing bounds.
pub(crate) fn at_rest_forever(step: u64) -> Error {
    Error::Numerical {
        what: format!("nothing moves in step {step}, so its length has no limit"),
        remedy: "give evolve.end_time, or coefficients that are not zero in the band".into(),
    }
}

/// A cell seen from a vertex.
struct Seen {
    cell: u32,
    /// Longest stable step by the cell's own size.
    step: f64,
    speed: f64,
    quality: f64,
    reversal: bool,
}

impl<R: Real> Evolution<R> {
    /// Finds how large phi may be: in a band the half width, without one the largest value. What is
    /// never made a distance may be rough, and then grows beyond its values in a stable step too
    /// (numerics 2.4).
    pub(super) fn measure_reach(&mut self) {
        const BLOCK: usize = 4096;
        let largest = |block: &[R]| block.iter().fold(R::zero(), |most, x| most.max(x.abs()));
        self.reach = match self.options.half_width {
            Some(w) => R::narrow(w),
            None if self.options.rule == Rule::Never => R::INFINITY,
            None => self
                .cpu
                .run(|| self.phi.par_chunks(BLOCK).map(largest).reduce(R::zero, |a, b| a.max(b))),
        };
    }

    /// A coefficient that has a value it must not have at a vertex (patch order).
    pub(super) fn bad_coefficient(&mut self, name: &'static str, v: usize, t: f64) -> Error {
        self.broke_down(What::Coefficient(name, self.motion.worst(name, v)), v, t, 0.0)
    }

    /// Where and why the last step broke down, if it did.
    pub fn breakdown(&self) -> Option<&Breakdown> {
        self.breakdown.as_ref()
    }

    /// Notes what happened at a vertex (patch order); the error that says so.
    #[cold]
    pub(super) fn broke_down(&mut self, what: What, vertex: usize, time: f64, dt: f64) -> Error {
        let p = self.patches.owner(vertex);
        let seen = match self.patches.arity() {
            3 => self.worst_around::<3>(p, vertex),
            _ => self.worst_around::<4>(p, vertex),
        };
        let mesh_vertex = self.patches.mesh_vertices()[vertex];
        let first = self.patches.patch(p).first;
        let place = self.coordinates.of(&self.patches, p)[vertex - first];
        let beta =
            self.motion.curvature.as_ref().map_or(0.0, |c| c.coefficient.at(vertex)[0].widen());
        let found = Breakdown {
            what,
            step: self.step + 1,
            time,
            dt,
            vertex: mesh_vertex,
            place: [place.x, place.y, place.z].map(R::widen),
            cell: seen.as_ref().map_or(0, |seen| seen.cell),
            cause: cause(&what, seen.as_ref(), beta, dt),
            cfl: self.options.cfl,
        };
        self.breakdown = Some(found);
        found.error(found.vertex, found.cell)
    }

    /// The vertex (patch order) and step of the cell that limits the steps most.
    pub(super) fn narrowest(&self) -> Option<usize> {
        let of_patch = |&p: &u32| match self.patches.arity() {
            3 => self.narrowest_of::<3>(p as usize),
            _ => self.narrowest_of::<4>(p as usize),
        };
        let cells = self.band.active.iter().filter_map(of_patch);
        cells.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, vertex)| vertex)
    }

    fn narrowest_of<const N: usize>(&self, p: usize) -> Option<(f64, usize)> {
        let patch = self.patches.patch(p);
        let cells = patch.corners.chunks_exact(N).map(|corners| {
            let limits = self.limits_of_cell::<N>(&patch, self.x(p), corners);
            let step = limits.first_order.min(limits.curvature).widen();
            (step, patch.vertex(corners[0] as usize))
        });
        cells.min_by(|a, b| a.0.total_cmp(&b.0))
    }

    fn x(&self, p: usize) -> &[Vec3<R>] {
        self.coordinates.of(&self.patches, p)
    }

    /// The cell around an owned vertex that allows the shortest step.
    fn worst_around<const N: usize>(&self, p: usize, vertex: usize) -> Option<Seen> {
        let patch = self.patches.patch(p);
        let x = self.x(p);
        let cells = patch.row(vertex - patch.first).iter().map(|&slot| {
            let t = slot as usize / N;
            let corners = &patch.corners[t * N..][..N];
            let limits = self.limits_of_cell::<N>(&patch, x, corners);
            let x: [Vec3<R>; N] = std::array::from_fn(|i| x[corners[i] as usize]);
            // Implicit curvature has no limit of its own.
            let curvature = if self.implicit.is_some() { R::INFINITY } else { limits.curvature };
            Seen {
                cell: patch.cells[t],
                step: limits.first_order.min(curvature).widen(),
                speed: limits.speed.widen(),
                quality: quality(&Simplex::new(&x), &x).widen(),
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
