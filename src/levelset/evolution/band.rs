//! Which patches, cells and vertices take part in a step, and how long the step may be.

use rayon::prelude::*;

use super::{Evolution, formulas};
use crate::geometry::{Real, Vec3, simplex::Simplex};
use crate::patches::{Patch, Patches};
use crate::primitives::{DisjointRows, Distinct};

/// The narrow band on patches.
///
/// All of it follows from `inside`; memory is taken once, for a band as large as the mesh.
pub(super) struct Band<R> {
    /// Vertices closer than the half width when the band was last made, in patch order.
    pub inside: Vec<bool>,
    /// Whether each vertex moves, in patch order: one of its cells has a vertex inside.
    pub moving: Vec<bool>,
    /// Patches with a moving vertex, ascending.
    pub active: Vec<u32>,
    /// Active patches, those of a boundary with given inflow, and the neighbors of both, ascending:
    /// those whose coefficients are read.
    pub reading: Distinct,
    /// Local cells that touch a moving vertex, those of each patch from its `cell_range` on.
    cells: Vec<u32>,
    /// How many they are in each patch.
    n_cells_of: Vec<u32>,
    /// Cells to be computed in all active patches.
    pub n_cells: usize,
    /// Number of moving vertices.
    pub n_vertices: usize,
    /// What its cells say about the time step.
    pub limits: Limits<R>,
    near: Distinct,
    parts: Vec<Part<R>>,
}

/// Bounds of the time step for C = 1, and what the rules of reinitialization need.
#[derive(Clone, Copy)]
pub(super) struct Limits<R> {
    /// Of the first-order terms; infinite without them.
    pub first_order: R,
    /// Of the curvature term; infinite without it.
    pub curvature: R,
    /// Largest `|a| + |eps|`.
    pub speed: R,
    /// Largest inradius.
    pub inradius: R,
}

impl<R: Real> Limits<R> {
    fn none() -> Self {
        let (never, zero) = (R::INFINITY, R::zero());
        Limits { first_order: never, curvature: never, speed: zero, inradius: zero }
    }

    fn and(self, other: Self) -> Self {
        Limits {
            first_order: self.first_order.min(other.first_order),
            curvature: self.curvature.min(other.curvature),
            speed: self.speed.max(other.speed),
            inradius: self.inradius.max(other.inradius),
        }
    }
}

/// What one patch contributes to the band.
#[derive(Clone, Copy)]
struct Part<R> {
    n_cells: usize,
    n_moving: usize,
    limits: Limits<R>,
}

impl<R: Real> Band<R> {
    /// The state before the first update: every patch has to be looked at.
    pub fn unknown(patches: &Patches) -> Self {
        Band {
            inside: vec![false; patches.n_vertices()],
            moving: vec![false; patches.n_vertices()],
            active: (0..patches.len() as u32).collect(),
            reading: Distinct::new(patches.len()),
            cells: vec![0; patches.n_patch_cells()],
            n_cells_of: vec![0; patches.len()],
            n_cells: 0,
            n_vertices: 0,
            limits: Limits::none(),
            near: Distinct::new(patches.len()),
            parts: Vec::with_capacity(patches.len()),
        }
    }

    /// The active patches and some more, ascending; to be given back.
    pub fn near(&mut self, some: &[u32], more: &[u32]) -> Distinct {
        let mut near = std::mem::take(&mut self.near);
        near.clear();
        for list in [&self.active[..], some, more] {
            near.extend(list.iter().copied());
        }
        near.sort();
        near
    }

    /// Takes back a list: the patches [`Evolution::follow_inside`] looks at.
    pub fn give_back(&mut self, near: Distinct) {
        self.near = near;
    }

    /// Local cells of patch `p` to be computed, ascending.
    pub fn cells_of(&self, patches: &Patches, p: usize) -> &[u32] {
        let start = patches.cell_range(p).start;
        &self.cells[start..start + self.n_cells_of[p] as usize]
    }
}

impl<R: Real> Evolution<R> {
    /// Finds the band anew among the patches of the old one and those the last redistancing
    /// visited; phi elsewhere is plus or minus the half width.
    pub(super) fn update_band(&mut self) {
        let near = self.band.near(self.inflow.patches(), self.eikonal.visited());
        let half_width = self.half_width();
        let inside = DisjointRows::new(&mut self.band.inside);
        let next = DisjointRows::new(&mut self.next);
        let (patches, phi) = (&self.patches, &self.phi);
        self.cpu.run(|| {
            near.list().par_iter().for_each(|&p| {
                let owned = patches.patch(p as usize).owned();
                // SAFETY: `near` names a patch once, and patches own disjoint ranges.
                let (inside, next) =
                    unsafe { (inside.range(owned.clone()), next.range(owned.clone())) };
                next.copy_from_slice(&phi[owned.clone()]);
                for (inside, phi) in inside.iter_mut().zip(&phi[owned]) {
                    *inside = phi.abs() < half_width;
                }
            });
        });
        self.band.give_back(near);
        self.follow_inside();
    }

    /// Half width of the band; infinite without one.
    pub(super) fn half_width(&self) -> R {
        self.options.half_width.map_or(R::INFINITY, R::narrow)
    }

    /// Makes all of the band that follows from the vertices inside, in the patches `near`.
    pub(super) fn follow_inside(&mut self) {
        let cpu = self.cpu.clone();
        let mut band = std::mem::replace(&mut self.band, Band::empty());
        let arity = self.patches.arity();
        cpu.run(|| match arity {
            3 => self.mark_cells::<3>(&mut band),
            _ => self.mark_cells::<4>(&mut band),
        });
        // Patches that leave the band are read by their neighbors: as vertices that do not move.
        for &p in band.near.list() {
            let owned = self.patches.patch(p as usize).owned();
            if let Some(galerkin) = &mut self.galerkin {
                galerkin.forget(owned.clone());
            }
            if let Some(implicit) = &mut self.implicit {
                implicit.forget(owned);
            }
        }
        self.band = band;
    }

    fn mark_cells<const N: usize>(&self, band: &mut Band<R>) {
        let patches = &*self.patches;
        let moving = DisjointRows::new(&mut band.moving);
        let cells = DisjointRows::new(&mut band.cells);
        let marked = &band.inside;
        let inside = |v: usize| marked[v];
        let part = |&p: &u32| {
            let p = p as usize;
            let patch = patches.patch(p);
            // SAFETY: `near` names a patch once, and patches own disjoint ranges.
            let (moving, cells) =
                unsafe { (moving.range(patch.owned()), cells.range(patches.cell_range(p))) };
            moving.fill(false);
            for corners in patch.corners.chunks_exact(N) {
                if is_active(&patch, corners, inside) {
                    for &c in corners {
                        if let Some(moving) = moving.get_mut(c as usize) {
                            *moving = true;
                        }
                    }
                }
            }
            let mut n_cells = 0;
            for (t, corners) in patch.corners.chunks_exact(N).enumerate() {
                if corners.iter().any(|&c| moving.get(c as usize) == Some(&true)) {
                    cells[n_cells] = t as u32;
                    n_cells += 1;
                }
            }
            let n_moving = moving.iter().filter(|&&m| m).count();
            Part { n_cells, n_moving, limits: self.limits_of::<N>(p, inside) }
        };
        band.near.list().par_iter().map(part).collect_into_vec(&mut band.parts);

        band.active.clear();
        (band.n_cells, band.n_vertices, band.limits) = (0, 0, Limits::none());
        for (&p, part) in band.near.list().iter().zip(&band.parts) {
            band.n_cells_of[p as usize] = part.n_cells as u32;
            if part.n_moving > 0 {
                band.active.push(p);
                band.n_cells += part.n_cells;
                band.n_vertices += part.n_moving;
                band.limits = band.limits.and(part.limits);
            }
        }
        if band.active.is_empty() {
            band.limits = self.limits_at_inflow();
        }
        band.reading.clear();
        if self.motion.varies() {
            band.read(patches, self.inflow.boundary_patches());
        }
    }

    /// The limits of the band with the coefficients of now.
    pub(super) fn refresh_limits(&mut self) {
        let mut parts = std::mem::take(&mut self.band.parts);
        let (band, patches) = (&self.band, &self.patches);
        let part = |&p: &u32| {
            let p = p as usize;
            let inside = |v: usize| band.inside[v];
            let limits = match patches.arity() {
                3 => self.limits_of::<3>(p, inside),
                _ => self.limits_of::<4>(p, inside),
            };
            Part { n_cells: 0, n_moving: 0, limits }
        };
        self.cpu.run(|| band.active.par_iter().map(part).collect_into_vec(&mut parts));
        self.band.limits = match self.band.active.is_empty() {
            true => self.limits_at_inflow(),
            false => parts.iter().fold(Limits::none(), |all, part| all.and(part.limits)),
        };
        self.band.parts = parts;
    }

    /// The limits that count while no cell is in the band, but an interface may still enter:
    /// those of the patches it would enter through.
    fn limits_at_inflow(&self) -> Limits<R> {
        if !self.may_enter() {
            return Limits::none();
        }
        let of_patch = |&p: &u32| match self.patches.arity() {
            3 => self.limits_of::<3>(p as usize, |_| true),
            _ => self.limits_of::<4>(p as usize, |_| true),
        };
        let patches = self.inflow.boundary_patches();
        patches.iter().map(of_patch).fold(Limits::none(), Limits::and)
    }

    /// How long a step those cells of a patch allow that have a vertex which is `inside`.
    fn limits_of<const N: usize>(&self, p: usize, inside: impl Fn(usize) -> bool) -> Limits<R> {
        let patch = self.patches.patch(p);
        let x = self.coordinates.of(&self.patches, p);
        let cells = patch.corners.chunks_exact(N);
        let active = cells.filter(|corners| is_active(&patch, corners, &inside));
        let limits = active.map(|corners| self.limits_of_cell::<N>(&patch, x, corners));
        limits.fold(Limits::none(), Limits::and)
    }

    /// How long a step a cell allows.
    pub(super) fn limits_of_cell<const N: usize>(
        &self,
        patch: &Patch<'_>,
        x: &[Vec3<R>],
        corners: &[u32],
    ) -> Limits<R> {
        let x: [Vec3<R>; N] = std::array::from_fn(|i| x[corners[i] as usize]);
        let inradius = Simplex::new(&x).inradius();
        let speed = self.speed::<N>(patch, corners);
        let first_order = formulas::largest_step::<R, N>(inradius, speed);
        let curvature = self.motion.curvature.as_ref().map_or(R::INFINITY, |curvature| {
            let at = |&c: &u32| curvature.coefficient.at(patch.vertex(c as usize))[0];
            let beta = corners.iter().map(at).fold(R::zero(), |m, beta| m.max(beta));
            // Slivers count as typical cells where steps are semi-implicit.
            let size = inradius.max(self.least_inradius);
            formulas::largest_diffusive_step::<R, N>(size, beta)
        });
        Limits { first_order, curvature, speed, inradius }
    }

    /// `|a| + |eps|` of a cell.
    pub(super) fn speed<const N: usize>(&self, patch: &Patch<'_>, corners: &[u32]) -> R {
        let mut speed = R::zero();
        if let Some(velocity) = &self.motion.velocity {
            speed += Vec3::from(velocity.mean::<N>(patch, corners)).norm();
        }
        if let Some(normal_speed) = &self.motion.normal_speed {
            speed += normal_speed.mean::<N>(patch, corners)[0].abs();
        }
        speed
    }
}

/// Whether a cell has a vertex inside the band.
fn is_active(patch: &Patch<'_>, corners: &[u32], inside: impl Fn(usize) -> bool) -> bool {
    corners.iter().any(|&c| inside(patch.vertex(c as usize)))
}

impl<R: Real> Band<R> {
    /// Lists the patches whose coefficients a step reads: the active ones, those of the inflow, and
    /// their neighbors.
    pub(super) fn read(&mut self, patches: &Patches, inflow: &[u32]) {
        self.reading.clear();
        for &p in self.active.iter().chain(inflow) {
            self.reading.extend([p]);
            self.reading.extend(patches.neighbors(p as usize).iter().copied());
        }
        self.reading.sort();
    }

    /// Stands in while the band is rebuilt; owns nothing.
    fn empty() -> Self {
        Band {
            inside: Vec::new(),
            moving: Vec::new(),
            active: Vec::new(),
            reading: Distinct::default(),
            cells: Vec::new(),
            n_cells_of: Vec::new(),
            n_cells: 0,
            n_vertices: 0,
            limits: Limits::none(),
            near: Distinct::default(),
            parts: Vec::new(),
        }
    }
}
