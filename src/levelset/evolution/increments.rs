//! Taylor-Galerkin advection on the CPU: second order, with three gathers of one scalar per step
//! (docs/level-set.md, section 2.5).
//!
//! Vertices where phi would grow use the positive-coefficient scheme. Their increments enter the
//! product with the mass matrix as given values.

use std::ops::Range;

use super::cell_passes::{LocalScratch, Pass, ratio, sum};
use super::formulas;
use super::galerkin::{CORRECTIONS, Galerkin};
use crate::geometry::simplex::Simplex;
use crate::geometry::{Real, Vec3};
use crate::parallel::*;
use crate::primitives::DisjointRows;

/// The increments of phi in a step, in patch order.
pub(super) struct Increments<R> {
    /// The right-hand side.
    residual: Vec<R>,
    /// The change in phi due to advection; 0 at vertices that do not move.
    increment: Vec<R>,
    fresh: Vec<R>,
}

impl<R: Real> Increments<R> {
    /// Allocates memory for `n` vertices.
    pub fn new(n: usize) -> Self {
        let vector = || vec![R::zero(); n];
        Increments { residual: vector(), increment: vector(), fresh: vector() }
    }

    /// Returns the change in phi at a vertex due to advection in this step.
    #[inline]
    pub fn at(&self, vertex: usize) -> R {
        self.increment[vertex]
    }

    /// Clears the increments of `vertices`, because some of them may no longer move.
    pub fn forget(&mut self, vertices: Range<usize>) {
        self.increment[vertices.clone()].fill(R::zero());
        self.fresh[vertices].fill(R::zero());
    }

    /// Computes the increments of a step of length `dt`. The velocity must be the one at the
    /// midpoint of the step, or its mean over the step.
    pub fn advance(&mut self, pass: &Pass<'_, R>, galerkin: &Galerkin<R>, dt: R) {
        let problem = pass.problem;
        problem.cpu.run(|| match problem.patches.arity() {
            3 => self.passes::<3>(pass, galerkin, dt),
            _ => self.passes::<4>(pass, galerkin, dt),
        });
        // phi upstream of an inflow vertex is unknown, so this scheme does not change phi there.
        for &v in problem.inflow.vertices() {
            if !galerkin.falls_back(v as usize, dt) {
                self.increment[v as usize] = R::zero();
            }
        }
    }

    fn passes<const N: usize>(&mut self, pass: &Pass<'_, R>, galerkin: &Galerkin<R>, dt: R) {
        self.lumped::<N>(pass, galerkin, dt);
        for _ in 0..CORRECTIONS {
            self.correct::<N>(pass, galerkin, dt);
            std::mem::swap(&mut self.increment, &mut self.fresh);
        }
    }

    /// Computes the right-hand side, and the increments with the lumped mass matrix.
    fn lumped<const N: usize>(&mut self, pass: &Pass<'_, R>, galerkin: &Galerkin<R>, dt: R) {
        let Increments { residual, increment, .. } = self;
        let mass = galerkin.mass();
        let (patches, band) = (&*pass.problem.patches, pass.band);
        let residual = DisjointRows::new(residual);
        let increment = DisjointRows::new(increment);
        band.active().par_iter().for_each(|&p| {
            let p = p as usize;
            let patch = patches.patch(p);
            let mut local = pass.threads.get();
            galerkin_cells::<R, N>(pass, p, dt, galerkin, &mut local);
            // SAFETY: the list contains each patch once, and patches own disjoint ranges.
            let (residual, increment) =
                unsafe { (residual.range(patch.owned()), increment.range(patch.owned())) };
            for (k, (residual, increment)) in residual.iter_mut().zip(increment).enumerate() {
                let vertex = patch.first + k;
                if !band.moving[vertex] {
                    *increment = R::zero();
                    continue;
                }
                let sums = sum(patch.row(k), &local.slots.advection);
                if galerkin.falls_back(vertex, dt) {
                    *increment = -dt * ratio(sums);
                } else {
                    *residual = sums[0];
                    *increment = sums[0] / mass[vertex];
                }
            }
        });
    }

    /// Performs one Jacobi step toward the consistent mass matrix: `x += (R - M x) / m`
    /// (docs/level-set.md, section 2.5).
    fn correct<const N: usize>(&mut self, pass: &Pass<'_, R>, galerkin: &Galerkin<R>, dt: R) {
        let Increments { residual, increment, fresh } = self;
        let mass = galerkin.mass();
        let (patches, band) = (&*pass.problem.patches, pass.band);
        let fresh = DisjointRows::new(fresh);
        band.active().par_iter().for_each(|&p| {
            let p = p as usize;
            let patch = patches.patch(p);
            let x = pass.problem.coordinates.of(patches, p);
            let mut local = pass.threads.get();
            let local = &mut *local;
            local.load(&patch, increment);
            for &t in band.cells_of(patches, p) {
                let first = t as usize * N;
                let corners = &patch.corners[first..first + N];
                let values: [R; N] = std::array::from_fn(|i| local.phi[corners[i] as usize]);
                let x: [Vec3<R>; N] = std::array::from_fn(|i| x[corners[i] as usize]);
                let product = formulas::mass_product(Simplex::new(&x).meas, &values);
                let slots = &mut local.slots.advection[first..first + N];
                for (slot, product) in slots.iter_mut().zip(product) {
                    *slot = [product, R::zero()];
                }
            }
            // SAFETY: the list contains each patch once, and patches own disjoint ranges.
            let fresh = unsafe { fresh.range(patch.owned()) };
            for (k, fresh) in fresh.iter_mut().enumerate() {
                let vertex = patch.first + k;
                *fresh = local.phi[k];
                if band.moving[vertex] && !galerkin.falls_back(vertex, dt) {
                    let [product, _] = sum(patch.row(k), &local.slots.advection);
                    *fresh += (residual[vertex] - product) / mass[vertex];
                }
            }
        });
    }
}

/// Computes the residuals of the cells of patch `p` that take part in the step. At vertices that
/// fall back, computes the contributions to the positive-coefficient scheme instead.
fn galerkin_cells<R: Real, const N: usize>(
    pass: &Pass<'_, R>,
    p: usize,
    dt: R,
    galerkin: &Galerkin<R>,
    local: &mut LocalScratch<R>,
) {
    let Pass { problem, band, .. } = *pass;
    let patches = &*problem.patches;
    let Some(velocity) = &problem.motion.velocity else { return };
    let patch = patches.patch(p);
    let x = problem.coordinates.of(patches, p);
    local.load(&patch, pass.phi);
    for &t in band.cells_of(patches, p) {
        let first = t as usize * N;
        let corners = &patch.corners[first..first + N];
        let values: [R; N] = std::array::from_fn(|i| local.phi[corners[i] as usize]);
        let x: [Vec3<R>; N] = std::array::from_fn(|i| x[corners[i] as usize]);
        let s = Simplex::new(&x);
        let g = s.gradient(&values);
        let a = Vec3::from(velocity.mean::<N>(&patch, corners));
        let divergence = velocity.divergence(&patch, &s, corners);
        let residual = formulas::residual(&s, &g, &a, divergence, dt);
        let falls_back: [bool; N] =
            std::array::from_fn(|i| galerkin.falls_back(patch.vertex(corners[i] as usize), dt));
        let shares = falls_back.contains(&true).then(|| formulas::advection(&s, &values, &a));
        for (i, slot) in local.slots.advection[first..first + N].iter_mut().enumerate() {
            *slot = match &shares {
                Some(shares) if falls_back[i] => [shares.num[i], shares.den[i]],
                _ => [residual[i], R::zero()],
            };
        }
    }
}
