//! Mesh data of Taylor-Galerkin advection: lumped masses, and where the scheme would be unstable
//! (docs/level-set.md, section 2.5). All devices use it.

use super::coefficients::Term;
use super::inflow::Inflow;
use crate::geometry::simplex::{Simplex, quality};
use crate::geometry::{Real, Vec3};
use crate::parallel::*;
use crate::patches::{Coordinates, Patch, Patches};
use crate::primitives::DisjointRows;

/// The number of corrections with the consistent mass matrix, after the solution with the lumped
/// one.
pub(super) const CORRECTIONS: usize = 2;

/// The largest growth of phi in a step, as a fraction, at which a vertex uses the Taylor-Galerkin
/// step. At vertices where it is larger, the scheme falls back to the positive-coefficient scheme.
///
/// On the pial surface of fsaverage, phi does not grow during 1,000 steps of a rotation if this
/// value is 0.01 (15 of 163,842 vertices fall back), but it does if the value is 0.02.
const LARGEST_GROWTH: f64 = 0.005;

/// The net inward flux around a vertex, as a fraction of the sum of the magnitudes of the fluxes,
/// from which on the vertex lies on a fold. On smooth surfaces, a velocity that is not tangential
/// also has a net flux, but its fraction decreases with the size of the cells.
///
/// On the pial surface of fsaverage, the fraction is at least 0.33 at all vertices where the growth
/// exceeds [`LARGEST_GROWTH`]. On spheres of at least 642 vertices, it is below 0.3 for a rotation
/// about an axis beside the center.
const FOLD: f64 = 0.3;

/// The lumped masses of the vertices and the growth rates of phi, in patch order.
pub(super) struct Galerkin<R> {
    /// Whether phi may grow at each vertex.
    may_grow: Vec<bool>,
    /// The vertices where phi may grow, in ascending order, with the growth rates, in the inverse
    /// unit of time. They are infinite at vertices that always use the positive-coefficient scheme.
    growth: Vec<(u32, R)>,
    /// Whether the growth rates depend on the velocity, as on curved surfaces.
    is_curved: bool,
    /// The number of poor cells, whose quality is below the minimum quality for the scheme.
    pub n_poor_cells: usize,
    /// The lumped mass of each vertex, `sum meas / (d+1)`.
    mass: Vec<R>,
}

impl<R: Real> Galerkin<R> {
    /// Examines all cells. The vertices of cells with a quality below `least_quality`, and those at
    /// gaps, always use the positive-coefficient scheme. [`Self::follow`] must be called next.
    pub fn new(
        patches: &Patches,
        coordinates: &Coordinates<R>,
        inflow: &Inflow,
        least_quality: f64,
    ) -> Self {
        let n = patches.n_vertices();
        let mut galerkin = Galerkin {
            may_grow: vec![false; n],
            growth: Vec::new(),
            is_curved: patches.arity() == 3 && !coordinates.is_planar(),
            n_poor_cells: 0,
            mass: vec![R::zero(); n],
        };
        match patches.arity() {
            3 => galerkin.look_at_cells::<3>(patches, coordinates, R::of(least_quality)),
            _ => galerkin.look_at_cells::<4>(patches, coordinates, R::of(least_quality)),
        }
        for &v in inflow.at_gaps() {
            galerkin.may_grow[v as usize] = true;
        }
        let always = (0..).zip(&galerkin.may_grow).filter(|(_, may_grow)| **may_grow);
        galerkin.growth = always.map(|(v, _)| (v, R::INFINITY)).collect();
        galerkin
    }

    fn look_at_cells<const N: usize>(
        &mut self,
        patches: &Patches,
        coordinates: &Coordinates<R>,
        least_quality: R,
    ) {
        let mass = DisjointRows::new(&mut self.mass);
        let may_grow = DisjointRows::new(&mut self.may_grow);
        let poor = |p: usize| {
            let patch = patches.patch(p);
            let x = coordinates.of(patches, p);
            // SAFETY: each patch is visited once, and patches own disjoint ranges.
            let (mass, may_grow) =
                unsafe { (mass.range(patch.owned()), may_grow.range(patch.owned())) };
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
                        *mass += simplex.meas / R::of(N as f64);
                        may_grow[c as usize] |= is_poor;
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

    /// Computes the growth rates for `velocity` at the vertices of the listed patches, which are in
    /// ascending order.
    ///
    /// The rate is `-sum (meas a . grad N_i + meas div a / (d+1)) / ((d+1) m_i)`. The sum is the
    /// flux through the boundary around the vertex. On planar and tetrahedral meshes, the linear
    /// interpolant of the velocity is continuous across facets, so the sum is zero inside. On a
    /// curved surface, the velocity has another direction in each cell, and where it diverges
    /// across the edges of a fold, phi would grow. The rate is set to 0 where there is no fold, and
    /// at inflow vertices, where phi is held.
    pub fn follow(
        &mut self,
        patches: &Patches,
        coordinates: &Coordinates<R>,
        velocity: &Term<R, 3>,
        inflow: &Inflow,
        list: &[u32],
    ) {
        if !self.is_curved {
            return;
        }
        let Galerkin { may_grow, growth, mass, .. } = self;
        growth.retain(|(v, rate)| {
            let is_kept = !rate.is_finite()
                || list.binary_search(&(patches.owner(*v as usize) as u32)).is_err();
            may_grow[*v as usize] = is_kept;
            is_kept
        });
        let folds = |&p: &u32| {
            let patch = patches.patch(p as usize);
            let x = coordinates.of(patches, p as usize);
            let fold = |k: usize| {
                let (flux, size) = flux(&patch, x, velocity, k);
                let rate = -flux / (R::of(3.0) * mass[patch.first + k]);
                (-flux > R::of(FOLD) * size).then_some(((patch.first + k) as u32, rate))
            };
            let free = (0..patch.n_owned).filter(|k| !may_grow[patch.first + k]);
            free.filter_map(fold).collect::<Vec<_>>()
        };
        let found: Vec<(u32, R)> = list.par_iter().flat_map_iter(folds).collect();
        let is_held = |v: u32| inflow.vertices().binary_search(&v).is_ok();
        for (v, rate) in found.into_iter().filter(|(v, _)| !is_held(*v)) {
            may_grow[v as usize] = true;
            growth.push((v, rate));
        }
        growth.sort_unstable_by_key(|(v, _)| *v);
    }

    /// Returns whether a vertex (patch order) uses the positive-coefficient scheme in a step of
    /// length `dt`.
    #[inline]
    pub fn falls_back(&self, vertex: usize, dt: R) -> bool {
        self.may_grow[vertex] && self.rate(vertex) * dt > R::of(LARGEST_GROWTH)
    }

    fn rate(&self, vertex: usize) -> R {
        let at = self.growth.binary_search_by_key(&(vertex as u32), |(v, _)| *v);
        at.map_or(R::zero(), |at| self.growth[at].1)
    }

    /// Returns whether the growth rates change with the velocity.
    pub fn is_curved(&self) -> bool {
        self.is_curved
    }

    /// Returns the growth rates of all vertices, in patch order, if any of them can be positive.
    pub fn growth(&self) -> Option<Vec<R>> {
        if !self.is_curved && self.growth.is_empty() {
            return None;
        }
        let mut growth = vec![R::zero(); self.may_grow.len()];
        self.growth.iter().for_each(|&(v, rate)| growth[v as usize] = rate);
        Some(growth)
    }

    /// Returns the lumped mass of each vertex, in patch order.
    pub fn mass(&self) -> &[R] {
        &self.mass
    }
}

/// Returns the flux out of the neighborhood of an owned vertex of a triangle mesh, and the sum of
/// the magnitudes of the fluxes through the boundaries of its cells.
fn flux<R: Real>(patch: &Patch<'_>, x: &[Vec3<R>], velocity: &Term<R, 3>, local: usize) -> (R, R) {
    let (mut flux, mut size) = (R::zero(), R::zero());
    for &slot in patch.row(local) {
        let (first, corner) = (slot as usize / 3 * 3, slot as usize % 3);
        let corners = &patch.corners[first..first + 3];
        let x: [Vec3<R>; 3] = std::array::from_fn(|i| x[corners[i] as usize]);
        let s = Simplex::new(&x);
        let a = Vec3::from(velocity.mean::<3>(patch, corners));
        let divergence = velocity.divergence(patch, &s, corners);
        let along = a.dot(&s.grads[corner]);
        flux += s.meas * (along + divergence * R::of(1.0 / 3.0));
        size += s.meas * along.abs();
    }
    (flux, size)
}
