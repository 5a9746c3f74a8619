//! Mesh data of Taylor-Galerkin advection: lumped masses and poor cells (docs/level-set.md, section
//! 2.5). All devices use it.

use crate::geometry::simplex::{Simplex, quality};
use crate::geometry::{Real, Vec3};
use crate::parallel::*;
use crate::patches::{Coordinates, Patches};
use crate::primitives::DisjointRows;

/// The number of corrections with the consistent mass matrix, after the solution with the lumped
/// one.
pub(super) const CORRECTIONS: usize = 2;

/// The lumped masses of the vertices, and the vertices of cells whose quality is too poor for the
/// scheme, in patch order.
pub(super) struct Galerkin<R> {
    /// Whether each vertex belongs to a poor cell.
    upwind: Vec<bool>,
    /// The number of poor cells, whose quality is below the minimum quality for the scheme.
    pub n_poor_cells: usize,
    /// The lumped mass of each vertex, `sum meas / (d+1)`.
    mass: Vec<R>,
}

impl<R: Real> Galerkin<R> {
    /// Examines all cells. Cells with a quality below `least_quality` are poor.
    pub fn new(patches: &Patches, coordinates: &Coordinates<R>, least_quality: f64) -> Self {
        let n = patches.n_vertices();
        let mut galerkin =
            Galerkin { upwind: vec![false; n], n_poor_cells: 0, mass: vec![R::zero(); n] };
        match patches.arity() {
            3 => galerkin.look_at_cells::<3>(patches, coordinates, R::of(least_quality)),
            _ => galerkin.look_at_cells::<4>(patches, coordinates, R::of(least_quality)),
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
            // SAFETY: each patch is visited once, and patches own disjoint ranges.
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
                        *mass += simplex.meas / R::of(N as f64);
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

    /// Returns, for each vertex, whether it belongs to a poor cell, in patch order.
    pub fn upwind(&self) -> &[bool] {
        &self.upwind
    }

    /// Returns the lumped mass of each vertex, in patch order.
    pub fn mass(&self) -> &[R] {
        &self.mass
    }
}
