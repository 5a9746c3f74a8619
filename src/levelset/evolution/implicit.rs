//! Semi-implicit curvature on the CPU: conjugate gradients on the band (docs/level-set.md, section
//! 3.2).
//!
//! The system is `(M + dt beta S) phi^(n+1) = M phi` (equation (3.2) there). The lumped mass M and
//! the stiffness S are those of the explicit form. Both are evaluated at the phi that the other
//! terms produced. After division by beta, the matrix is symmetric even if beta varies. Vertices
//! where beta is 0 and vertices that do not move keep their values. In the weighted form, the
//! weight is part of S. S is stored per cell and never assembled, so each matrix product is a pass
//! over the patches.

use std::ops::Range;

use super::cell_passes::{Pass, sum};
use super::formulas;
use crate::geometry::{Real, Vec3, simplex::Simplex};
use crate::parallel::*;
use crate::patches::Patches;
use crate::primitives::DisjointRows;

/// The required reduction of the residual, in the norm of the preconditioner.
const TOLERANCE: f64 = 1e-8;

/// The maximum number of iterations. A valid mesh needs fewer.
pub(super) const MOST_ITERATIONS: usize = 2000;

/// The linear system and its vectors, all in patch order. In active patches, the diagonal, the
/// residual and the direction are zero at vertices that keep their values.
pub(super) struct Implicit<R> {
    /// The entries for each vertex pair of each patch cell, `[patch cells * pairs]`.
    stiffness: Vec<R>,
    /// The lumped mass of each vertex divided by beta; in the weighted form, the lumped mass
    /// itself.
    mass: Vec<R>,
    /// The diagonal of the matrix; 0 where the value is kept.
    diagonal: Vec<R>,
    residual: Vec<R>,
    direction: Vec<R>,
    /// Partial sums of scalar products, one per active patch.
    parts: Vec<f64>,
    /// The total number of iterations over all steps.
    pub iterations: u64,
}

impl<R: Real> Implicit<R> {
    /// Allocates the memory for a mesh.
    pub fn new(patches: &Patches) -> Self {
        let n = patches.n_vertices();
        let vector = || vec![R::zero(); n];
        Implicit {
            stiffness: vec![R::zero(); patches.n_patch_cells() * pairs(patches.arity())],
            mass: vector(),
            diagonal: vector(),
            residual: vector(),
            direction: vector(),
            parts: Vec::with_capacity(patches.len()),
            iterations: 0,
        }
    }

    /// Clears the direction at `vertices`, because some of them may no longer move.
    pub fn forget(&mut self, vertices: Range<usize>) {
        self.direction[vertices].fill(R::zero());
    }
}

/// Returns [`TOLERANCE`], or the smallest reduction that the scalar type can reach if this is
/// larger.
pub(super) fn tolerance<R: Real>() -> f64 {
    TOLERANCE.max(10.0 * R::ZERO_TEST.to_f64())
}

/// Returns the number of vertex pairs of a cell.
pub(super) const fn pairs(arity: usize) -> usize {
    arity * (arity - 1) / 2
}

impl<R: Real> Implicit<R> {
    /// Solves for the curvature part of a step. On entry, `next` holds the result of the other
    /// terms; on return, it holds the solution.
    ///
    /// `product` is scratch memory with unspecified contents. Values that are not finite are
    /// detected later, when the result is checked.
    ///
    /// # Errors
    /// If conjugate gradients do not converge, returns the reduction of the residual that was
    /// reached and the vertex (patch order) with the largest residual.
    pub fn solve(
        &mut self,
        pass: &Pass<'_, R>,
        next: &mut [R],
        product: &mut [R],
        dt: R,
    ) -> Result<(), (f64, usize)> {
        let Pass { problem, band, .. } = *pass;
        let left = problem.cpu.run(|| match problem.patches.arity() {
            3 => self.conjugate_gradients::<3>(pass, next, product, dt),
            _ => self.conjugate_gradients::<4>(pass, next, product, dt),
        });
        let Some(left) = left else { return Ok(()) };
        let active = band.active().iter();
        let vertices = active.flat_map(|&p| problem.patches.patch(p as usize).owned());
        Err((left, slowest(&self.residual, &self.diagonal, vertices)))
    }

    /// Runs conjugate gradients with the Jacobi preconditioner, starting from `next`. If
    /// [`MOST_ITERATIONS`] iterations do not reduce the residual sufficiently, returns the
    /// reduction that was reached. Returns `None` on success, and also if the residual is 0 or a
    /// value is not finite.
    ///
    /// `product` is scratch memory with unspecified contents.
    fn conjugate_gradients<const N: usize>(
        &mut self,
        pass: &Pass<'_, R>,
        next: &mut [R],
        product: &mut [R],
        dt: R,
    ) -> Option<f64> {
        let tolerance = tolerance::<R>();
        let start = self.assemble::<N>(pass, next, dt);
        let mut size = start;
        if !(start > 0.0 && start.is_finite()) {
            return None;
        }
        for _ in 0..MOST_ITERATIONS {
            self.iterations += 1;
            let curvature = self.multiply::<N>(pass, product, dt);
            if !(curvature > 0.0 && curvature.is_finite()) {
                return None;
            }
            let shrunk = self.descend(pass, next, product, R::of(size / curvature));
            if shrunk <= start * tolerance * tolerance {
                return None;
            }
            self.turn(pass, R::of(shrunk / size));
            size = shrunk;
        }
        Some((size / start).sqrt())
    }

    /// Computes the stiffness of the band, the mass, the diagonal, and the residual `- dt S phi`.
    /// The first direction is the preconditioned residual. Returns the square of the preconditioner
    /// norm of the residual.
    fn assemble<const N: usize>(&mut self, pass: &Pass<'_, R>, next: &[R], dt: R) -> f64 {
        let Pass { problem, band, .. } = *pass;
        let patches = &*problem.patches;
        let Some(curvature) = &problem.motion.curvature else { return 0.0 };
        let stiffness = DisjointRows::new(&mut self.stiffness);
        let mass = DisjointRows::new(&mut self.mass);
        let diagonal = DisjointRows::new(&mut self.diagonal);
        let residual = DisjointRows::new(&mut self.residual);
        let direction = DisjointRows::new(&mut self.direction);
        let part = |&p: &u32| {
            let p = p as usize;
            let patch = patches.patch(p);
            let x = problem.coordinates.of(patches, p);
            let cells = patches.cell_range(p);
            let owned = patch.owned();
            // SAFETY: the list contains each patch once, and patches own disjoint ranges.
            let (stiffness, mass, diagonal, residual, direction) = unsafe {
                (
                    stiffness.range(cells.start * pairs(N)..cells.end * pairs(N)),
                    mass.range(owned.clone()),
                    diagonal.range(owned.clone()),
                    residual.range(owned.clone()),
                    direction.range(owned),
                )
            };
            let mut local = pass.threads.get();
            let local = &mut *local;
            local.load(&patch, next);
            for &t in band.cells_of(patches, p) {
                let t = t as usize;
                let corners = &patch.corners[t * N..(t + 1) * N];
                let values: [R; N] = std::array::from_fn(|i| local.phi[corners[i] as usize]);
                let x: [Vec3<R>; N] = std::array::from_fn(|i| x[corners[i] as usize]);
                let simplex = Simplex::new(&x);
                let g = simplex.gradient(&values);
                let (mut entries, lumped) = formulas::stiffness(&simplex, &g, problem.least_slope);
                if curvature.weighted {
                    let [w] = curvature.coefficient.mean::<N>(&patch, corners);
                    entries = entries.map(|entry| w * entry);
                }
                let entries = &entries[..pairs(N)];
                stiffness[t * pairs(N)..(t + 1) * pairs(N)].copy_from_slice(entries);
                let products = product::<R, N>(entries, &values);
                for (i, &product) in products.iter().enumerate() {
                    local.slots.normal[t * N + i] = [product, lumped];
                    local.slots.curvature[t * N + i] = [row_sum::<R, N>(entries, i), R::zero()];
                }
            }
            let mut size = 0.0;
            for k in 0..patch.n_owned {
                let beta = match curvature.weighted {
                    true => R::one(),
                    false => curvature.coefficient.at(patch.first + k)[0],
                };
                if !band.moving[patch.first + k] || beta <= R::zero() {
                    (diagonal[k], residual[k]) = (R::zero(), R::zero());
                    direction[k] = R::zero();
                    continue;
                }
                let [products, lumped] = sum(patch.row(k), &local.slots.normal);
                let [rows, _] = sum(patch.row(k), &local.slots.curvature);
                mass[k] = lumped / beta;
                diagonal[k] = mass[k] - dt * rows;
                residual[k] = -dt * products;
                direction[k] = residual[k] / diagonal[k];
                size += (residual[k] * direction[k]).to_f64();
            }
            size
        };
        band.active().par_iter().map(part).collect_into_vec(&mut self.parts);
        self.parts.iter().sum()
    }

    /// Writes the product of the matrix and the direction to `products`. Returns the scalar product
    /// of the direction and the result.
    fn multiply<const N: usize>(&mut self, pass: &Pass<'_, R>, products: &mut [R], dt: R) -> f64 {
        let Pass { problem, band, .. } = *pass;
        let patches = &*problem.patches;
        let Implicit { stiffness, mass, diagonal, direction, .. } = self;
        let products = DisjointRows::new(products);
        let (stiffness, mass, diagonal, direction) = (&*stiffness, &*mass, &*diagonal, &*direction);
        let part = |&p: &u32| {
            let p = p as usize;
            let patch = patches.patch(p);
            let start = patches.cell_range(p).start;
            // SAFETY: the list contains each patch once, and patches own disjoint ranges.
            let products = unsafe { products.range(patch.owned()) };
            let mut local = pass.threads.get();
            let local = &mut *local;
            local.load(&patch, direction);
            for &t in band.cells_of(patches, p) {
                let t = t as usize;
                let corners = &patch.corners[t * N..(t + 1) * N];
                let values: [R; N] = std::array::from_fn(|i| local.phi[corners[i] as usize]);
                let entries = &stiffness[(start + t) * pairs(N)..(start + t + 1) * pairs(N)];
                let found = product::<R, N>(entries, &values);
                let slots = &mut local.slots.normal[t * N..(t + 1) * N];
                for (slot, found) in slots.iter_mut().zip(found) {
                    *slot = [found, R::zero()];
                }
            }
            let mut size = 0.0;
            for (k, out) in products.iter_mut().enumerate() {
                let vertex = patch.first + k;
                *out = R::zero();
                if diagonal[vertex] > R::zero() {
                    let [found, _] = sum(patch.row(k), &local.slots.normal);
                    *out = mass[vertex] * local.phi[k] + dt * found;
                    size += (*out * local.phi[k]).to_f64();
                }
            }
            size
        };
        band.active().par_iter().map(part).collect_into_vec(&mut self.parts);
        self.parts.iter().sum()
    }

    /// Adds `length` times the direction to `next`, and updates the residual. Returns the square of
    /// the preconditioner norm of the remaining residual.
    fn descend(&mut self, pass: &Pass<'_, R>, next: &mut [R], product: &[R], length: R) -> f64 {
        let (patches, active) = (&*pass.problem.patches, pass.band.active());
        let Implicit { diagonal, residual, direction, parts, .. } = self;
        let next = DisjointRows::new(next);
        let residual = DisjointRows::new(residual);
        let part = |&p: &u32| {
            let owned = patches.patch(p as usize).owned();
            // SAFETY: the list contains each patch once, and patches own disjoint ranges.
            let (next, residual) =
                unsafe { (next.range(owned.clone()), residual.range(owned.clone())) };
            let mut size = 0.0;
            for (k, v) in owned.enumerate() {
                if diagonal[v] > R::zero() {
                    next[k] += length * direction[v];
                    residual[k] -= length * product[v];
                    size += (residual[k] * residual[k] / diagonal[v]).to_f64();
                }
            }
            size
        };
        active.par_iter().map(part).collect_into_vec(parts);
        parts.iter().sum()
    }

    /// Sets the direction to the preconditioned residual, made conjugate to the previous
    /// directions. `keep` is the factor of the previous direction.
    fn turn(&mut self, pass: &Pass<'_, R>, keep: R) {
        let (patches, active) = (&*pass.problem.patches, pass.band.active());
        let Implicit { diagonal, residual, direction, .. } = self;
        let direction = DisjointRows::new(direction);
        active.par_iter().for_each(|&p| {
            let owned = patches.patch(p as usize).owned();
            // SAFETY: the list contains each patch once, and patches own disjoint ranges.
            let direction = unsafe { direction.range(owned.clone()) };
            for (k, v) in owned.enumerate() {
                if diagonal[v] > R::zero() {
                    direction[k] = residual[v] / diagonal[v] + keep * direction[k];
                }
            }
        });
    }
}

/// Returns the vertex (patch order) among `vertices` with the largest residual, in the norm of the
/// preconditioner.
pub(super) fn slowest<R: Real>(
    residual: &[R],
    diagonal: &[R],
    vertices: impl Iterator<Item = usize>,
) -> usize {
    let size = |v: usize| match diagonal[v] > R::zero() {
        true => (residual[v] * residual[v] / diagonal[v]).to_f64(),
        false => 0.0,
    };
    vertices.max_by(|&a, &b| size(a).total_cmp(&size(b))).unwrap_or(0)
}

/// Returns `sum_j W_ij (x_j - x_i)` of a cell for each of its vertices.
#[inline]
fn product<R: Real, const N: usize>(entries: &[R], x: &[R; N]) -> [R; N] {
    let mut out = [R::zero(); N];
    let mut k = 0;
    for i in 0..N {
        for j in i + 1..N {
            let flow = entries[k] * (x[j] - x[i]);
            out[i] += flow;
            out[j] -= flow;
            k += 1;
        }
    }
    out
}

/// Returns `sum_j W_ij` of a cell for vertex i.
#[inline]
fn row_sum<R: Real, const N: usize>(entries: &[R], vertex: usize) -> R {
    let mut total = R::zero();
    let mut k = 0;
    for i in 0..N {
        for j in i + 1..N {
            if i == vertex || j == vertex {
                total += entries[k];
            }
            k += 1;
        }
    }
    total
}
