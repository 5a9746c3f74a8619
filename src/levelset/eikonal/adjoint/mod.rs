//! Derivatives of a function of arrival times by what determines the times: the speeds of cells,
//! the start times and the positions of sources.
//!
//! Let J be a function of the arrival times u. Every vertex takes its time from one cell: u_v = sum
//! of w_i u_i + T, with weights w of the point that the front comes from and the travel time T from
//! there, or it has an initial value. This is a fixed point, so a small change of T and of the
//! initial values changes u by (I - W)^-1 times this change. The transposed system gives the change
//! of J for all parameters at once (docs/distances.md, section 5.14).
//!
//! Only plane fronts are supported. Their minimum over a facet makes the derivatives of the foot
//! vanish, and their fixed point is unique.

mod initial;
mod step;
mod ties;
mod transpose;
mod update;

use nalgebra::Matrix3;

use super::source::Source;
use super::{EikonalSolver, EikonalState, Slowness, nearest};
use crate::error::Result;
use crate::geometry::Vec3;
use crate::mesh::Mesh;
use crate::primitives::GatherMatrix;
use crate::surface::Locator;
use initial::Initial;
use ties::Ties;
use transpose::Weights;
pub use transpose::Work;
use update::{Origin, Update, others};

/// The derivatives of a function J of arrival times.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Sensitivity {
    /// The derivative by the logarithm of the travel time of each cell, `[n_cells]`: the change of
    /// J if all times in a cell grow by a factor of 1 + e is e times this number. Empty with a
    /// tensor.
    pub times: Vec<f64>,
    /// The derivative by the entries of the metric of each cell, `[n_cells]`, as a symmetric
    /// matrix. Empty without a tensor.
    pub metrics: Vec<Matrix3<f64>>,
    /// The derivative by the start time of each source, by its group number.
    pub starts: Vec<f64>,
    /// The derivative by the position of each source that is a point, by its group number, per mesh
    /// unit. Sources of several points get the sum.
    pub positions: Vec<Vec3>,
    /// Vertices for which two cells give almost the same time over different points, or two sources
    /// give almost the same time, in ascending order. There, J has a kink, and the derivative is
    /// that of one side.
    pub kinks: Vec<u32>,
    /// How the transposed systems were solved.
    pub work: Work,
}

/// Derivatives of functions of arrival times on one mesh.
pub struct Adjoint<'a> {
    mesh: &'a Mesh,
    slowness: &'a Slowness<f64>,
    at_vertex: GatherMatrix,
    locator: Option<Locator<'a>>,
}

impl<'a> Adjoint<'a> {
    /// Prepares derivatives of arrival times at this slowness.
    pub fn new(mesh: &'a Mesh, slowness: &'a Slowness<f64>) -> Self {
        let at_vertex = GatherMatrix::new(mesh.n_vertices(), &mesh.cells);
        // Only start balls look for the cells along a segment.
        let locator = matches!(slowness, Slowness::Tensor(_)).then(|| Locator::new(mesh));
        Adjoint { mesh, slowness, at_vertex, locator }
    }

    /// Returns the derivatives of a function of the arrival times `u` from one source,
    /// `[n_vertices]` in mesh order, infinite where no front has arrived. `weights` are the
    /// derivatives of the function by these times. `source` is a pair of a group number and a
    /// source with its parts.
    ///
    /// # Errors
    /// Returns [`Error::Numerical`](crate::Error::Numerical) if the transposed system cannot be
    /// solved.
    pub fn of_times(
        &self,
        u: &[f64],
        source: &(u32, Source),
        weights: &[f64],
    ) -> Result<Sensitivity> {
        let mut found = self.none(std::slice::from_ref(source));
        let reached = weights.iter().zip(u);
        let own = reached.map(|(weight, u)| if *u < f64::INFINITY { *weight } else { 0.0 });
        self.add(u, (source.0, &source.1), own.collect(), &mut found)?;
        Ok(found)
    }

    /// Returns the derivatives of a function of the arrival times from several sources.
    ///
    /// `sources` are pairs of a group number and a source with its parts, as for [`nearest`].
    /// `weights` are the derivatives of the function by the arrival times, `[n_vertices]` in mesh
    /// order. Vertices that no front reaches, and those with a time of `width` or more, do not
    /// count. The fronts of several sources are computed separately again.
    ///
    /// # Errors
    /// Returns the errors of the solver, and
    /// [`Error::Numerical`](crate::Error::Numerical) if the transposed system cannot be solved.
    pub fn of_sources(
        &self,
        solver: &impl EikonalSolver,
        state: &mut EikonalState<f64>,
        sources: &[(u32, Source)],
        width: Option<f64>,
        weights: &[f64],
    ) -> Result<Sensitivity> {
        let mut found = self.none(sources);
        let each: Vec<(u32, Source)> =
            (0..).zip(sources).map(|(k, (_, source))| (k, source.clone())).collect();
        // At each vertex, only the source that arrives first counts.
        let first = match each.len() {
            0 | 1 => None,
            _ => Some(nearest(solver, state, &each, width)?),
        };
        let mut ties = first.as_ref().map(Ties::new);
        let limit = width.unwrap_or(f64::INFINITY);
        nearest::each(solver, state, &each, width, |state, k, source| {
            let u = state.u_in_mesh_order();
            let counts =
                |v: usize| u[v] < limit && first.as_ref().is_none_or(|first| first.source[v] == k);
            let own = (0..u.len()).map(|v| if counts(v) { weights[v] } else { 0.0 }).collect();
            let updates = self.add(&u, (sources[k as usize].0, source), own, &mut found)?;
            if let Some(ties) = &mut ties {
                ties.add(k, source, &u, &updates);
            }
            Ok(())
        })?;
        let is_counted = |v: &u32| first.as_ref().is_none_or(|first| first.u[*v as usize] < limit);
        let between = ties.iter().flat_map(|ties| ties.kinks(weights));
        found.kinks.extend(between.filter(is_counted));
        found.kinks.sort_unstable();
        found.kinks.dedup();
        Ok(found)
    }

    /// Returns derivatives that are zero.
    fn none(&self, sources: &[(u32, Source)]) -> Sensitivity {
        let groups = sources.iter().map(|(group, _)| *group as usize + 1).max().unwrap_or(0);
        let cells = self.mesh.n_cells();
        let has_tensor = matches!(self.slowness, Slowness::Tensor(_));
        Sensitivity {
            times: vec![0.0; if has_tensor { 0 } else { cells }],
            metrics: vec![Matrix3::zeros(); if has_tensor { cells } else { 0 }],
            starts: vec![0.0; groups],
            positions: vec![Vec3::zeros(); groups],
            ..Sensitivity::default()
        }
    }

    /// Adds the derivatives of a function of the arrival times `u` from one source, `[n_vertices]`
    /// in mesh order. `values` are the derivatives of the function by these times. Returns the
    /// updates of all vertices, or none if the function does not depend on this source.
    fn add(
        &self,
        u: &[f64],
        (group, source): (u32, &Source),
        mut values: Vec<f64>,
        found: &mut Sensitivity,
    ) -> Result<Vec<Update>> {
        if values.iter().all(|value| *value == 0.0) {
            return Ok(Vec::new());
        }
        let mut initial = vec![f64::INFINITY; u.len()];
        source.values.iter().for_each(|&(v, value)| {
            initial[v as usize] = initial[v as usize].min(value);
        });
        let updates = update::updates(self.mesh, &self.at_vertex, self.slowness, u, &initial);
        let work =
            transpose::solve(&Weights { mesh: self.mesh, updates: &updates }, u, &mut values)?;
        found.work.in_cycles += work.in_cycles;
        found.work.largest = found.work.largest.max(work.largest);
        found.work.updates += work.updates;
        let start = Initial::new(self, source);
        for (v, (update, &value)) in (0_u32..).zip(updates.iter().zip(&values)) {
            if value == 0.0 {
                continue;
            }
            if update.is_kink {
                found.kinks.push(v);
            }
            match update.origin {
                Origin::Unreached => {}
                Origin::Front { .. } => self.add_front(v, update, value, found),
                Origin::Source => {
                    found.starts[group as usize] += value;
                    let place = &mut found.positions[group as usize];
                    for (cell, step, time) in start.pieces(v, initial[v as usize], value, place) {
                        found.add(cell, value, time, step * step.transpose());
                    }
                }
            }
        }
        Ok(updates)
    }

    /// Adds the derivatives by the metric of the cell from which a vertex takes its time.
    fn add_front(&self, v: u32, update: &Update, value: f64, found: &mut Sensitivity) {
        let Origin::Front { slot, weights, time } = update.origin else { return };
        let n = self.mesh.kind.arity();
        let (cell, i) = (slot as usize / n, slot as usize % n);
        let mut square = Matrix3::zeros();
        if let Slowness::Tensor(metrics) = self.slowness {
            let others = if n == 3 { others::<3>(i) } else { others::<4>(i) };
            let (mut facet, mut used) = (Vec::with_capacity(3), Vec::with_capacity(3));
            for k in (0..3).filter(|&k| weights[k] > 0.0) {
                facet.push(self.x(self.mesh.cells[cell * n + others[k]]));
                used.push(weights[k]);
            }
            let map = |step: &Vec3| metrics[cell].map(step);
            square = step::derivative_of_square(&facet, &used, self.x(v), time, map);
        }
        found.add(cell as u32, value, time, square);
    }

    fn x(&self, v: u32) -> Vec3 {
        self.mesh.vertices[v as usize].into()
    }
}

impl Sensitivity {
    /// Adds the derivatives by a travel time in a cell. `square` is the derivative of its square by
    /// the metric.
    fn add(&mut self, cell: u32, value: f64, time: f64, square: Matrix3<f64>) {
        if let Some(times) = self.times.get_mut(cell as usize) {
            *times += value * time;
        }
        if let (Some(metric), true) = (self.metrics.get_mut(cell as usize), time > 0.0) {
            *metric += square * (value / (2.0 * time));
        }
    }
}
