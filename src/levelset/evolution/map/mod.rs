//! Advection by a characteristic map on planar meshes (docs/level-set.md, section 2.8).
//!
//! The map xi(x, t) is the position at the start of the material that is at x at time t. Each step
//! follows the characteristics backward from the vertices, and interpolates the map at the end of
//! the step before. phi is never advected: it is phi0(xi), where phi0 is phi at the start. All
//! numbers have 64 bits.
//!
//! Sources: O. Mercier, X.-Y. Yin, J.-C. Nave, "The characteristic mapping method for the linear
//! advection of arbitrary sets", SIAM J. Sci. Comput. 42 (2020), A1663-A1685; J.-C. Nave, R. R.
//! Rosales, B. Seibold, "A gradient-augmented level set method", J. Comput. Phys. 229 (2010),
//! 3802-3827.

mod foot;
mod hermite;
mod limits;
mod outside;
mod resolution;
mod state;
#[cfg(test)]
mod tests;
mod triangulation;

pub use state::MapState;
pub(in crate::levelset::evolution) use triangulation::Triangulation;

use self::foot::{back, from_identity, product};
use self::hermite::{Sample, interpolate};
use self::outside::continued;
use super::breakdown::{Flaw, What};
use super::coefficients::Term;
use super::problem::Problem;
use crate::geometry::Real;
use crate::parallel::*;

/// A value of a vertex, and the triangle of the point that belongs to it.
#[derive(Clone, Copy)]
struct Traced {
    sample: Sample,
    cell: u32,
}

/// The characteristic map of an evolution. All arrays are in patch order, `[n_vertices]`.
pub(super) struct CharacteristicMap {
    /// phi at the start, or when the map was last the identity.
    start: Vec<f64>,
    /// The displacement xi - x with its gradient, and the triangle of xi.
    map: Vec<Traced>,
    /// The displacement after the step that is being computed. During the step, the points on the
    /// characteristics with their derivatives, and the triangles of these points.
    next: Vec<Traced>,
    /// The velocity at three instants of a substep, or at one if it does not depend on time.
    levels: [Vec<[f64; 2]>; 3],
}

impl CharacteristicMap {
    /// Returns the identity. `phi` is in patch order.
    pub fn new<R: Real>(mesh: &Triangulation, phi: &[R], varies: bool) -> Self {
        let n = phi.len();
        let rest = |&cell: &u32| Traced { sample: Sample::default(), cell };
        let map: Vec<Traced> = mesh.cell_of.iter().map(rest).collect();
        let level = |is_used: bool| vec![[0.0; 2]; if is_used { n } else { 0 }];
        CharacteristicMap {
            start: phi.iter().map(|x| x.to_f64()).collect(),
            next: map.clone(),
            map,
            levels: [level(true), level(varies), level(varies)],
        }
    }

    /// Computes phi after a step of length `dt` from `time`, and writes it to `next` (patch order).
    ///
    /// # Errors
    /// Returns a [`Flaw`] if the velocity is not finite.
    pub fn advance<R: Real>(
        &mut self,
        problem: &Problem<R>,
        mesh: &Triangulation,
        time: f64,
        dt: f64,
        next: &mut [R],
    ) -> Result<(), Flaw> {
        problem.cpu.run(|| {
            self.begin_step(mesh);
            self.follow_back(problem, mesh, time, dt)?;
            self.compose(mesh, next);
            Ok(())
        })
    }

    /// Accepts the result of the last step.
    pub fn accept(&mut self) {
        std::mem::swap(&mut self.map, &mut self.next);
    }

    /// Begins a characteristic at each vertex.
    fn begin_step(&mut self, mesh: &Triangulation) {
        let identity = from_identity([[0.0; 2]; 2], 0.0);
        for_vertices(&mut self.next, |v, point| {
            let sample = Sample { value: mesh.points[v], gradient: identity };
            *point = Traced { sample, cell: mesh.cell_of[v] };
        });
    }

    /// Follows all characteristics backward from the end of the step to its start.
    fn follow_back<R: Real>(
        &mut self,
        problem: &Problem<R>,
        mesh: &Triangulation,
        time: f64,
        dt: f64,
    ) -> Result<(), Flaw> {
        let Some(velocity) = &problem.motion.velocity else { return Ok(()) };
        let CharacteristicMap { next, levels, .. } = self;
        let varies = velocity.varies();
        let mut until = time + dt;
        evaluate(problem, velocity, until, &mut levels[0])?;
        while until > time {
            let left = until - time;
            let n = (left / limits::longest_substep(mesh, &levels[0])).ceil().max(1.0);
            let from = if n > 1.0 { until - left / n } else { time };
            let tau = until - from;
            if varies {
                evaluate(problem, velocity, until - 0.5 * tau, &mut levels[1])?;
                evaluate(problem, velocity, from, &mut levels[2])?;
            }
            let used = if varies { [0, 1, 2] } else { [0; 3] }.map(|k| &levels[k][..]);
            for_vertices(next, |_, point| *point = back(mesh, used, tau, *point));
            if varies {
                levels.swap(0, 2);
            }
            until = from;
        }
        Ok(())
    }

    /// Composes the map with the points where the characteristics end, and evaluates phi.
    fn compose<R: Real>(&mut self, mesh: &Triangulation, phi: &mut [R]) {
        let CharacteristicMap { start, map, next, .. } = self;
        for_vertices(next, |v, point| {
            let Traced { sample: Sample { value: y, gradient: derivative }, cell } = *point;
            let place = mesh.locate(cell, y);
            let corners = mesh.cells[place.cell as usize];
            let samples = corners.map(|v| map[v as usize].sample);
            let inside = interpolate(&mesh.corners(place.cell), &samples, place.l);
            let old = place.outside.map_or(inside, |way| continued(&inside, &way));
            let xi = [y[0] + old.value[0], y[1] + old.value[1]];
            let gradient = product(from_identity(old.gradient, 1.0), derivative);
            let x = mesh.points[v];
            let sample = Sample {
                value: [(y[0] - x[0]) + old.value[0], (y[1] - x[1]) + old.value[1]],
                gradient: [
                    [gradient[0][0] - 1.0, gradient[0][1]],
                    [gradient[1][0], gradient[1][1] - 1.0],
                ],
            };
            let home = map[corners[0] as usize].cell;
            *point = Traced { sample, cell: mesh.locate(home, xi).cell };
        });
        const BLOCK: usize = 1024;
        phi.par_chunks_mut(BLOCK).enumerate().for_each(|(n, phi)| {
            for (phi, v) in phi.iter_mut().zip(n * BLOCK..) {
                let (x, Traced { sample, cell }) = (mesh.points[v], next[v]);
                let xi = [x[0] + sample.value[0], x[1] + sample.value[1]];
                let origin = mesh.locate(cell, xi);
                let corners = mesh.cells[origin.cell as usize];
                let value = (0..3).map(|i| origin.l[i] * start[corners[i] as usize]);
                *phi = R::of(value.sum());
            }
        });
    }
}

/// Evaluates the velocity at time `t` at all vertices.
fn evaluate<R: Real>(
    problem: &Problem<R>,
    velocity: &Term<R, 3>,
    t: f64,
    out: &mut [[f64; 2]],
) -> Result<(), Flaw> {
    const BLOCK: usize = 1024;
    let fields = velocity.fields().zip(problem.sites.as_ref());
    let first = out.par_chunks_mut(BLOCK).enumerate().map(|(n, out)| {
        let rows = n * BLOCK..n * BLOCK + out.len();
        match fields {
            Some((fields, sites)) => {
                let mut values = vec![0.0; out.len()];
                for (k, field) in fields.iter().take(2).enumerate() {
                    field.evaluate_into(&sites.points, rows.clone(), t, &mut values);
                    out.iter_mut().zip(&values).for_each(|(out, &value)| out[k] = value);
                }
            }
            None => {
                for (out, v) in out.iter_mut().zip(rows.clone()) {
                    let [x, y, _] = velocity.at(v);
                    *out = [x.to_f64(), y.to_f64()];
                }
            }
        }
        let broken = |a: &[f64; 2]| !(a[0].is_finite() && a[1].is_finite());
        out.iter().position(broken).map(|k| (rows.start + k, out[k]))
    });
    let first = first.reduce(|| None, |a, b| a.or(b));
    first.map_or(Ok(()), |(vertex, [x, y])| {
        let value = if x.is_finite() { y } else { x };
        Err(Flaw { what: What::Coefficient("velocity", value), vertex, time: t, dt: 0.0 })
    })
}

/// Calls `f` with each vertex and its point, in parallel.
fn for_vertices(points: &mut [Traced], f: impl Fn(usize, &mut Traced) + Sync) {
    const BLOCK: usize = 256;
    points.par_chunks_mut(BLOCK).enumerate().for_each(|(n, points)| {
        points.iter_mut().zip(n * BLOCK..).for_each(|(point, v)| f(v, point));
    });
}
