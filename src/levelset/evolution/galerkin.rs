//! Taylor-Galerkin advection on the CPU: second order, three gathers of one scalar per step
//! (numerics 2.5).
//!
//! Vertices of cells too poor for it take the positive-coefficient scheme; their increments stand
//! in the mass matrix as given values.

use std::ops::Range;

use rayon::prelude::*;

use super::cpu::{LocalScratch, ratio, sum};
use super::{Evolution, formulas};
use crate::geometry::simplex::{Simplex, quality};
use crate::geometry::{Real, Vec3};
use crate::patches::{Coordinates, Patches};
use crate::primitives::DisjointRows;

/// Corrections by the consistent mass matrix after the lumped one.
pub(super) const CORRECTIONS: usize = 2;

/// Increments of a step, in patch order.
pub(super) struct Galerkin<R> {
    /// Vertices of poor cells.
    upwind: Vec<bool>,
    /// Cells below the least quality.
    pub n_poor_cells: usize,
    /// Lumped mass, `sum meas / (d+1)`.
    mass: Vec<R>,
    /// Right side.
    residual: Vec<R>,
    /// Change of phi by advection; 0 where nothing moves.
    increment: Vec<R>,
    fresh: Vec<R>,
}

impl<R: Real> Galerkin<R> {
    pub fn new(patches: &Patches, coordinates: &Coordinates<R>, least_quality: f64) -> Self {
        let n = patches.n_vertices();
        let mut galerkin = Galerkin {
            upwind: vec![false; n],
            n_poor_cells: 0,
            mass: vec![R::zero(); n],
            residual: vec![R::zero(); n],
            increment: vec![R::zero(); n],
            fresh: vec![R::zero(); n],
        };
        match patches.arity() {
            3 => galerkin.look_at_cells::<3>(patches, coordinates, R::narrow(least_quality)),
            _ => galerkin.look_at_cells::<4>(patches, coordinates, R::narrow(least_quality)),
        }
        galerkin
    }

    fn look_at_cells<const N: usize>(
        &mut self,
        patches: &Patches,
        coordinates: &Coordinates<R>,
        least_quality: R,
    ) {
        let mass = DisjointRows::new(&mut self.mass);
        let upwind = DisjointRows::new(&mut self.upwind);
        let poor = |p: usize| {
            let patch = patches.patch(p);
            let x = coordinates.of(patches, p);
            // SAFETY: each patch once, and patches own disjoint ranges.
            let (mass, upwind) =
                unsafe { (mass.range(patch.owned()), upwind.range(patch.owned())) };
            let mut poor = Vec::new();
            for (corners, &cell) in patch.corners.chunks_exact(N).zip(patch.cells) {
                let x: [Vec3<R>; N] = std::array::from_fn(|i| x[corners[i] as usize]);
                let simplex = Simplex::new(&x);
                let is_poor = quality(&simplex, &x) < least_quality;
                if is_poor {
                    poor.push(cell);
                }
                for &c in corners {
                    if let Some(mass) = mass.get_mut(c as usize) {
                        *mass += simplex.meas / R::narrow(N as f64);
                        upwind[c as usize] |= is_poor;
                    }
                }
            }
            poor
        };
        let mut poor: Vec<u32> = (0..patches.len()).into_par_iter().flat_map_iter(poor).collect();
        poor.sort_unstable();
        poor.dedup();
        self.n_poor_cells = poor.len();
    }

    /// Whether each vertex belongs to a poor cell, in patch order.
    pub fn upwind(&self) -> &[bool] {
        &self.upwind
    }

    /// Lumped mass of each vertex, in patch order.
    pub fn mass(&self) -> &[R] {
        &self.mass
    }

    /// Change of phi at a vertex by the advection of this step.
    #[inline]
    pub fn increment(&self, vertex: usize) -> R {
        self.increment[vertex]
    }

    /// Vertices that do not move any more have no increment.
    pub fn forget(&mut self, vertices: Range<usize>) {
        self.increment[vertices.clone()].fill(R::zero());
        self.fresh[vertices].fill(R::zero());
    }
}

impl<R: Real> Evolution<R> {
    /// Computes the increments of a step of length `dt`, with the velocity half a step ahead.
    pub(super) fn advance_galerkin(&mut self, dt: R) {
        let Some(mut galerkin) = self.galerkin.take() else { return };
        let cpu = self.cpu.clone();
        cpu.run(|| match self.patches.arity() {
            3 => self.galerkin_passes::<3>(&mut galerkin, dt),
            _ => self.galerkin_passes::<4>(&mut galerkin, dt),
        });
        // What flows in is not known from inside.
        for &v in self.inflow.vertices() {
            if !galerkin.upwind[v as usize] {
                galerkin.increment[v as usize] = R::zero();
            }
        }
        self.galerkin = Some(galerkin);
    }

    fn galerkin_passes<const N: usize>(&self, galerkin: &mut Galerkin<R>, dt: R) {
        self.galerkin_residual::<N>(galerkin, dt);
        for _ in 0..CORRECTIONS {
            self.galerkin_correction::<N>(galerkin);
            std::mem::swap(&mut galerkin.increment, &mut galerkin.fresh);
        }
    }

    /// Right side, and increments by the lumped mass matrix.
    fn galerkin_residual<const N: usize>(&self, galerkin: &mut Galerkin<R>, dt: R) {
        let Galerkin { upwind, mass, residual, increment, .. } = galerkin;
        let residual = DisjointRows::new(residual);
        let increment = DisjointRows::new(increment);
        self.band.active.par_iter().for_each(|&p| {
            let p = p as usize;
            let patch = self.patches.patch(p);
            let mut local = self.scratch.threads.get();
            self.galerkin_cells::<N>(p, dt, upwind, &mut local);
            // SAFETY: the list names a patch once, and patches own disjoint ranges.
            let (residual, increment) =
                unsafe { (residual.range(patch.owned()), increment.range(patch.owned())) };
            for (k, (residual, increment)) in residual.iter_mut().zip(increment).enumerate() {
                let vertex = patch.first + k;
                if !self.band.moving[vertex] {
                    *increment = R::zero();
                    continue;
                }
                let sums = sum(patch.row(k), &local.slots, |slot| slot.advection);
                if upwind[vertex] {
                    *increment = -dt * ratio(sums);
                } else {
                    *residual = sums[0];
                    *increment = sums[0] / mass[vertex];
                }
            }
        });
    }

    fn galerkin_cells<const N: usize>(
        &self,
        p: usize,
        dt: R,
        upwind: &[bool],
        local: &mut LocalScratch<R>,
    ) {
        let Some(velocity) = &self.motion.velocity else { return };
        let patch = self.patches.patch(p);
        let x = self.coordinates.of(&self.patches, p);
        local.load(&patch, &self.phi);
        for &t in self.band.cells_of(&self.patches, p) {
            let first = t as usize * N;
            let corners = &patch.corners[first..first + N];
            let values: [R; N] = std::array::from_fn(|i| local.phi[corners[i] as usize]);
            let x: [Vec3<R>; N] = std::array::from_fn(|i| x[corners[i] as usize]);
            let s = Simplex::new(&x);
            let g = s.gradient(&values);
            let a = Vec3::from(velocity.mean::<N>(&patch, corners));
            let mut divergence = R::zero();
            if !velocity.is_uniform() {
                for (grad, &c) in s.grads.iter().zip(corners) {
                    divergence += grad.dot(&Vec3::from(velocity.at(patch.vertex(c as usize))));
                }
            }
            let residual = formulas::residual(&s, &g, &a, divergence, dt);
            let is_upwind: [bool; N] =
                std::array::from_fn(|i| upwind[patch.vertex(corners[i] as usize)]);
            let shares = is_upwind.contains(&true).then(|| formulas::advection(&s, &values, &a));
            for (i, slot) in local.slots[first..first + N].iter_mut().enumerate() {
                slot.advection = match &shares {
                    Some(shares) if is_upwind[i] => [shares.num[i], shares.den[i]],
                    _ => [residual[i], R::zero()],
                };
            }
        }
    }

    /// One step of Jacobi toward the consistent mass matrix: `x += (R - M x) / m` (numerics 2.5).
    fn galerkin_correction<const N: usize>(&self, galerkin: &mut Galerkin<R>) {
        let Galerkin { upwind, mass, residual, increment, fresh, .. } = galerkin;
        let fresh = DisjointRows::new(fresh);
        self.band.active.par_iter().for_each(|&p| {
            let p = p as usize;
            let patch = self.patches.patch(p);
            let x = self.coordinates.of(&self.patches, p);
            let mut local = self.scratch.threads.get();
            let local = &mut *local;
            local.load(&patch, increment);
            for &t in self.band.cells_of(&self.patches, p) {
                let first = t as usize * N;
                let corners = &patch.corners[first..first + N];
                let values: [R; N] = std::array::from_fn(|i| local.phi[corners[i] as usize]);
                let x: [Vec3<R>; N] = std::array::from_fn(|i| x[corners[i] as usize]);
                let product = formulas::mass_product(Simplex::new(&x).meas, &values);
                for (slot, product) in local.slots[first..first + N].iter_mut().zip(product) {
                    slot.advection = [product, R::zero()];
                }
            }
            // SAFETY: the list names a patch once, and patches own disjoint ranges.
            let fresh = unsafe { fresh.range(patch.owned()) };
            for (k, fresh) in fresh.iter_mut().enumerate() {
                let vertex = patch.first + k;
                *fresh = local.phi[k];
                if self.band.moving[vertex] && !upwind[vertex] {
                    let [product, _] = sum(patch.row(k), &local.slots, |slot| slot.advection);
                    *fresh += (residual[vertex] - product) / mass[vertex];
                }
            }
        });
    }
}
