//! Coefficients in the patch order and scalar type of the solver, evaluated again in each step if
//! they depend on time.

use super::sites::Sites;
use super::terms::{Coefficient, Terms};
use crate::Cpu;
use crate::expression::{Field, Sampling, TimeSpan};
use crate::geometry::{Real, Vec3, simplex::Simplex};
use crate::parallel::*;
use crate::patches::{Patch, Patches};
use crate::primitives::{DisjointRows, PerThread};

/// The terms of the equation; a term whose coefficient is zero everywhere is `None`.
pub(super) struct Motion<R: Real> {
    pub velocity: Option<Term<R, 3>>,
    pub normal_speed: Option<Term<R, 1>>,
    pub curvature: Option<Curvature<R>>,
}

/// The curvature term in one of its two forms.
pub(super) struct Curvature<R: Real> {
    /// The coefficient beta or the weight w.
    pub coefficient: Term<R, 1>,
    /// Whether the term is `|grad phi| div(w n)` with the weight inside the divergence. Otherwise,
    /// it is `beta kappa |grad phi|`.
    pub weighted: bool,
}

impl<R: Real> Curvature<R> {
    /// Returns the case key of the coefficient.
    pub fn name(&self) -> &'static str {
        if self.weighted { "weighted_curvature" } else { "curvature" }
    }

    /// Returns the first vertex (patch order) in the listed patches at which the coefficient is
    /// negative. Always `None` if the coefficient does not depend on time.
    fn negative(&self, patches: &Patches, list: &[u32]) -> Option<usize> {
        if !self.coefficient.varies() {
            return None;
        }
        list.par_iter().find_map_first(|&p| {
            let mut owned = patches.patch(p as usize).owned();
            owned.find(|&v| self.coefficient.at(v)[0] < R::zero())
        })
    }
}

impl<R: Real> Motion<R> {
    pub fn new(terms: &Terms, patches: &Patches) -> Self {
        let (beta, weight) =
            (Term::new(&terms.curvature, patches), Term::new(&terms.weight, patches));
        let curvature = match (beta, weight) {
            (None, None) => None,
            (Some(coefficient), _) => Some(Curvature { coefficient, weighted: false }),
            (None, Some(coefficient)) => Some(Curvature { coefficient, weighted: true }),
        };
        Motion {
            velocity: Term::new(&terms.velocity, patches),
            normal_speed: Term::new(&terms.normal_speed, patches),
            curvature,
        }
    }

    /// Evaluates every expression in every thread of the pool, so that the memory for the
    /// evaluation is allocated now and not during a step.
    pub fn warm(&self, cpu: &Cpu, patches: &Patches, sites: &Sites) {
        if sites.points.is_empty() {
            return;
        }
        let (largest, _) = patches.largest();
        cpu.run(|| {
            rayon::broadcast(|_| {
                if let Some(velocity) = &self.velocity {
                    velocity.warm(sites, largest);
                }
                if let Some(speed) = &self.normal_speed {
                    speed.warm(sites, largest);
                }
                if let Some(curvature) = &self.curvature {
                    curvature.coefficient.warm(sites, largest);
                }
            });
        });
    }

    /// Evaluates, bounds or averages all time-dependent coefficients in the listed patches, as
    /// `sampling` specifies. The patches are in ascending order.
    ///
    /// Returns the name of the first invalid coefficient (one that is not finite, or a negative
    /// curvature coefficient), and the first vertex (patch order) at which it is invalid. Returns
    /// `None` if all values are valid.
    pub fn refresh(
        &mut self,
        patches: &Patches,
        list: &[u32],
        sites: &Sites,
        sampling: Sampling,
    ) -> Option<(&'static str, usize)> {
        let mut broken = None;
        if let Some(velocity) = &mut self.velocity {
            let found = velocity.refresh(patches, list, sites, sampling, 1);
            broken = found.map(|v| ("velocity", v));
        }
        if let Some(speed) = &mut self.normal_speed {
            let found = speed.refresh(patches, list, sites, sampling, 1);
            broken = broken.or(found.map(|v| ("normal_speed", v)));
        }
        if let Some(curvature) = &mut self.curvature {
            let name = curvature.name();
            let found = curvature.coefficient.refresh(patches, list, sites, sampling, 2);
            broken = broken.or(found.map(|v| (name, v)));
            broken = broken.or_else(|| curvature.negative(patches, list).map(|v| (name, v)));
        }
        broken
    }

    /// Frees the memory of time-dependent coefficients when another device evaluates them.
    /// [`Motion::refresh`] allocates it again.
    pub fn release(&mut self) {
        if let Some(velocity) = &mut self.velocity {
            velocity.release();
        }
        if let Some(speed) = &mut self.normal_speed {
            speed.release();
        }
        if let Some(curvature) = &mut self.curvature {
            curvature.coefficient.release();
        }
    }

    /// Returns the invalid value of the named coefficient at a vertex (patch order).
    pub fn worst(&self, name: &'static str, vertex: usize) -> f64 {
        let found = match name {
            "velocity" => self.velocity.as_ref().map(|velocity| velocity.worst(vertex)),
            "normal_speed" => self.normal_speed.as_ref().map(|speed| speed.worst(vertex)),
            _ => self.curvature.as_ref().map(|c| c.coefficient.worst(vertex)),
        };
        found.unwrap_or(0.0)
    }

    /// Returns whether any coefficient depends on time.
    pub fn varies(&self) -> bool {
        self.velocity.as_ref().is_some_and(Term::varies)
            || self.normal_speed.as_ref().is_some_and(Term::varies)
            || self.curvature.as_ref().is_some_and(|c| c.coefficient.varies())
    }
}

/// A coefficient with `K` components: one value everywhere, or one per vertex in patch order.
pub(super) struct Term<R, const K: usize> {
    rows: Rows<R, K>,
    fields: Option<[Field; K]>,
    scratch: PerThread<Vec<f64>>,
}

enum Rows<R, const K: usize> {
    Uniform([R; K]),
    PerVertex(Vec<[R; K]>),
}

impl<R: Real, const K: usize> Term<R, K> {
    fn new(from: &Coefficient<K>, patches: &Patches) -> Option<Self> {
        if from.is_zero() {
            return None;
        }
        let narrow = |row: [f64; K]| row.map(R::of);
        let (rows, fields) = match from {
            Coefficient::Uniform(value) => (Rows::Uniform(narrow(*value)), None),
            Coefficient::PerVertex(rows) => {
                (Rows::PerVertex(patches.to_patch_order(rows, narrow)), None)
            }
            Coefficient::Varying(fields) => {
                let rows = vec![[R::zero(); K]; patches.n_vertices()];
                let fields = fields.each_ref().map(|f| f.reordered(patches.mesh_vertices()));
                (Rows::PerVertex(rows), Some(fields))
            }
        };
        Some(Term { rows, fields, scratch: PerThread::default() })
    }

    fn warm(&self, sites: &Sites, largest: usize) {
        for field in self.fields.iter().flatten() {
            let mut values = self.scratch.get();
            values.clear();
            values.reserve(largest);
            values.resize(largest.min(sites.points.len()), 0.0);
            let span = TimeSpan { start: 0.0, end: 1.0 };
            for sampling in [Sampling::At(0.0), Sampling::Bound(span)] {
                let accuracy = |k| sites.accuracy(k, 1);
                field.sample_into(&sites.points, 0..values.len(), sampling, accuracy, &mut values);
            }
        }
    }

    fn release(&mut self) {
        if self.varies() {
            self.rows = Rows::PerVertex(Vec::new());
        }
    }

    /// Returns whether the coefficient depends on time.
    pub fn varies(&self) -> bool {
        self.fields.is_some()
    }

    /// Returns whether the coefficient is the same everywhere.
    pub fn is_uniform(&self) -> bool {
        matches!(self.rows, Rows::Uniform(_))
    }

    /// Returns the value if the coefficient is the same everywhere.
    pub fn uniform(&self) -> Option<[R; K]> {
        match &self.rows {
            Rows::Uniform(value) => Some(*value),
            Rows::PerVertex(_) => None,
        }
    }

    /// Returns the expressions if the coefficient depends on time, with rows in patch order.
    pub fn fields(&self) -> Option<&[Field]> {
        self.fields.as_ref().map(<[Field; K]>::as_slice)
    }

    /// Returns the rows in patch order, or an empty slice if the coefficient is the same
    /// everywhere.
    pub fn rows(&self) -> &[[R; K]] {
        match &self.rows {
            Rows::Uniform(_) => &[],
            Rows::PerVertex(rows) => rows,
        }
    }

    /// Evaluates, bounds or averages the coefficient at all vertices of the listed patches, as
    /// `sampling` specifies. The patches are in ascending order. The unit of the coefficient is a
    /// length to the power of `power`, per time.
    ///
    /// Returns the first vertex (patch order) with a value that is not finite, if any.
    pub fn refresh(
        &mut self,
        patches: &Patches,
        list: &[u32],
        sites: &Sites,
        sampling: Sampling,
        power: i32,
    ) -> Option<usize> {
        let (Some(fields), Rows::PerVertex(rows)) = (&self.fields, &mut self.rows) else {
            return None;
        };
        let scratch = &self.scratch;
        rows.resize(patches.n_vertices(), [R::zero(); K]);
        let rows = DisjointRows::new(rows);
        list.par_iter().find_map_first(|&p| {
            let owned = patches.patch(p as usize).owned();
            // SAFETY: the list contains each patch once, and patches own disjoint ranges.
            let rows = unsafe { rows.range(owned.clone()) };
            let mut values = scratch.get();
            values.resize(rows.len(), 0.0);
            for (k, field) in fields.iter().enumerate() {
                let accuracy = |k: usize| sites.accuracy(owned.start + k, power);
                let at = owned.clone();
                field.sample_into(&sites.points, at, sampling, accuracy, &mut values);
                for (row, &value) in rows.iter_mut().zip(values.iter()) {
                    row[k] = R::of(value);
                }
            }
            let broken = |row: &[R; K]| row.iter().any(|v| !v.is_finite());
            rows.iter().position(broken).map(|k| owned.start + k)
        })
    }

    /// Returns the mean of the coefficient over the corners of a cell of a patch.
    #[inline]
    pub fn mean<const N: usize>(&self, patch: &Patch<'_>, corners: &[u32]) -> [R; K] {
        match &self.rows {
            Rows::Uniform(value) => *value,
            Rows::PerVertex(rows) => {
                let mut sum = [R::zero(); K];
                for &corner in corners {
                    let row = &rows[patch.vertex(corner as usize)];
                    for (sum, &v) in sum.iter_mut().zip(row) {
                        *sum += v;
                    }
                }
                sum.map(|v| v / R::of(N as f64))
            }
        }
    }

    /// Returns the value at a vertex (patch order).
    #[inline]
    pub fn at(&self, vertex: usize) -> [R; K] {
        match &self.rows {
            Rows::Uniform(value) => *value,
            Rows::PerVertex(rows) => rows[vertex],
        }
    }

    /// Returns the first component at a vertex (patch order) that is not finite, or else the first
    /// component.
    fn worst(&self, vertex: usize) -> f64 {
        let row = self.at(vertex).map(R::to_f64);
        row.into_iter().find(|x| !x.is_finite()).unwrap_or(row[0])
    }
}

impl<R: Real> Term<R, 3> {
    /// Returns the divergence of the linear interpolant in a cell of a patch.
    #[inline]
    pub fn divergence<const N: usize>(
        &self,
        patch: &Patch<'_>,
        cell: &Simplex<R, N>,
        corners: &[u32],
    ) -> R {
        let mut divergence = R::zero();
        if !self.is_uniform() {
            for (grad, &c) in cell.grads.iter().zip(corners) {
                divergence += grad.dot(&Vec3::from(self.at(patch.vertex(c as usize))));
            }
        }
        divergence
    }
}
