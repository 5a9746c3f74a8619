//! Which patches, cells and vertices take part in a step.

use rayon::prelude::*;

use super::{Evolution, formulas};
use crate::geometry::{Real, Vec3, simplex::Simplex};
use crate::patches::Patches;
use crate::primitives::DisjointRows;

/// The narrow band on patches, and what its cells say about the time step.
pub(super) struct Band<R> {
    /// Whether `|phi|` of each vertex was below the half width when the band was last updated, in
    /// patch order. All else here follows from it, the mesh and the coefficients.
    pub inside: Vec<bool>,
    /// Patches with a moving vertex, ascending.
    pub active: Vec<u32>,
    /// First cell of each active patch in `cells`, `[active + 1]`.
    cell_offsets: Vec<u32>,
    /// Local cells of each active patch that touch a moving vertex of it.
    cells: Vec<u32>,
    /// Whether each vertex moves, in patch order: one of its cells has a value inside the band.
    pub moving: Vec<bool>,
    /// Number of moving vertices.
    pub n_vertices: usize,
    /// Smallest stable step over the cells of the band, for C = 1; infinite without terms.
    pub largest_step: R,
    /// Largest `|a| + |eps|`.
    pub largest_speed: R,
    /// Largest inradius.
    pub largest_inradius: R,
}

impl<R: Real> Band<R> {
    /// The state before the first update: every patch has to be looked at.
    pub fn unknown(patches: &Patches) -> Self {
        let active = (0..patches.len() as u32).collect();
        let no_vertex = vec![false; patches.n_vertices()];
        Band { active, ..Band::empty(no_vertex.clone(), no_vertex) }
    }

    /// A band without patches.
    fn empty(inside: Vec<bool>, moving: Vec<bool>) -> Self {
        Band {
            inside,
            active: Vec::new(),
            cell_offsets: vec![0],
            cells: Vec::new(),
            moving,
            n_vertices: 0,
            largest_step: R::INFINITY,
            largest_speed: R::zero(),
            largest_inradius: R::zero(),
        }
    }

    /// Local cells to be computed in the k-th active patch, ascending.
    pub fn cells_of(&self, k: usize) -> &[u32] {
        &self.cells[self.cell_offsets[k] as usize..self.cell_offsets[k + 1] as usize]
    }

    /// Cells to be computed in all active patches.
    pub fn n_cells(&self) -> usize {
        self.cells.len()
    }
}

/// What one patch contributes to the band.
struct Part<R> {
    cells: Vec<u32>,
    n_moving: usize,
    largest_step: R,
    largest_speed: R,
    largest_inradius: R,
}

impl<R: Real> Evolution<R> {
    /// Finds the band anew among the patches of the old one and those the last redistancing
    /// visited; phi elsewhere is plus or minus the half width.
    pub(super) fn update_band(&mut self) {
        let mut near = self.band.active.clone();
        near.extend(self.eikonal.visited());
        near.sort_unstable();
        near.dedup();
        let half_width = match self.options.half_width {
            Some(w) => R::narrow(w),
            None => R::INFINITY,
        };
        for &p in &near {
            let owned = self.patches.patch(p as usize).owned();
            for (inside, phi) in self.band.inside[owned.clone()].iter_mut().zip(&self.phi[owned]) {
                *inside = phi.abs() < half_width;
            }
        }
        self.rebuild_band(&near);
    }

    /// Makes the band from the vertices inside it; no patch but those of `near` (ascending) holds
    /// one now or had a moving vertex before.
    pub(super) fn rebuild_band(&mut self, near: &[u32]) {
        let cpu = self.cpu.clone();
        cpu.run(|| match self.patches.arity() {
            3 => self.rebuild_band_among::<3>(near),
            _ => self.rebuild_band_among::<4>(near),
        });
    }

    fn rebuild_band_among<const N: usize>(&mut self, near: &[u32]) {
        let inside = std::mem::take(&mut self.band.inside);
        let mut moving = std::mem::take(&mut self.band.moving);
        let mut next = std::mem::take(&mut self.next);
        let parts: Vec<Part<R>> = {
            let moving = DisjointRows::new(&mut moving);
            let next = DisjointRows::new(&mut next);
            let (patches, phi, inside) = (&self.patches, &self.phi, &inside);
            near.par_iter()
                .map(|&p| {
                    let owned = patches.patch(p as usize).owned();
                    // SAFETY: `near` names a patch once, and patches own disjoint ranges.
                    let (moving, next) =
                        unsafe { (moving.range(owned.clone()), next.range(owned.clone())) };
                    next.copy_from_slice(&phi[owned]);
                    self.part::<N>(p as usize, inside, moving)
                })
                .collect()
        };
        self.next = next;
        let mut band: Band<R> = Band::empty(inside, moving);
        for (&p, part) in near.iter().zip(parts).filter(|(_, part)| part.n_moving > 0) {
            band.active.push(p);
            band.cells.extend(part.cells);
            band.cell_offsets.push(band.cells.len() as u32);
            band.n_vertices += part.n_moving;
            band.largest_step = band.largest_step.min(part.largest_step);
            band.largest_speed = band.largest_speed.max(part.largest_speed);
            band.largest_inradius = band.largest_inradius.max(part.largest_inradius);
        }
        self.band = band;
    }

    /// Looks at one patch: which of its vertices move, which cells they need, how long a step its
    /// active cells allow.
    fn part<const N: usize>(&self, p: usize, inside: &[bool], moving: &mut [bool]) -> Part<R> {
        let patch = self.patches.patch(p);
        let x = self.coordinates.of(&self.patches, p);
        let mut part = Part {
            cells: Vec::new(),
            n_moving: 0,
            largest_step: R::INFINITY,
            largest_speed: R::zero(),
            largest_inradius: R::zero(),
        };
        moving.fill(false);
        for corners in patch.corners.chunks_exact(N) {
            if !corners.iter().any(|&c| inside[patch.vertex(c as usize)]) {
                continue;
            }
            for &c in corners {
                if let Some(moving) = moving.get_mut(c as usize) {
                    *moving = true;
                }
            }
            let x: [Vec3<R>; N] = std::array::from_fn(|i| x[corners[i] as usize]);
            let inradius = Simplex::new(&x).inradius();
            let speed = self.speed::<N>(&patch, corners);
            let beta = self.curvature.as_ref().map_or(R::zero(), |beta| {
                let largest = |m: R, &c: &u32| m.max(beta.at(patch.vertex(c as usize))[0]);
                corners.iter().fold(R::zero(), largest)
            });
            let step = formulas::largest_step::<R, N>(inradius, speed, beta);
            part.largest_step = part.largest_step.min(step);
            part.largest_speed = part.largest_speed.max(speed);
            part.largest_inradius = part.largest_inradius.max(inradius);
        }
        part.n_moving = moving.iter().filter(|&&m| m).count();
        for (t, corners) in patch.corners.chunks_exact(N).enumerate() {
            if corners.iter().any(|&c| moving.get(c as usize) == Some(&true)) {
                part.cells.push(t as u32);
            }
        }
        part
    }

    /// `|a| + |eps|` of a cell.
    fn speed<const N: usize>(&self, patch: &crate::patches::Patch<'_>, corners: &[u32]) -> R {
        let mut speed = R::zero();
        if let Some(velocity) = &self.velocity {
            speed += Vec3::from(velocity.mean::<N>(patch, corners)).norm();
        }
        if let Some(normal_speed) = &self.normal_speed {
            speed += normal_speed.mean::<N>(patch, corners)[0].abs();
        }
        speed
    }
}
