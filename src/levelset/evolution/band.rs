//! The narrow band on the CPU: the patches, cells and vertices that take part in a step.

use super::breakdown::Flaw;
use super::limits::{Limits, is_active};
use super::problem::Problem;
use super::time_step::{Chosen, Part, Window};
use crate::geometry::Real;
use crate::parallel::*;
use crate::patches::Patches;
use crate::primitives::{DisjointRows, SparseSet};

/// The narrow band on patches.
///
/// All other fields follow from `inside` and the coefficients. The memory is allocated once, for a
/// band as large as the mesh.
pub(super) struct Band<R> {
    /// Whether |phi| at each vertex was below the half width when the band was last updated, in
    /// patch order.
    pub inside: Vec<bool>,
    /// Whether each vertex moves, in patch order. A vertex moves if one of its cells has a vertex
    /// inside the half width.
    pub moving: Vec<bool>,
    /// The patches with a moving vertex, and the limits they put on the time step.
    pub window: Window<R>,
    /// Local indices of the cells with a moving vertex. The indices for each patch start at the
    /// beginning of its `cell_range`.
    cells: Vec<u32>,
    /// The number of cells with a moving vertex in each patch.
    n_cells_of: Vec<u32>,
    /// The total number of cells with a moving vertex in all active patches.
    pub n_cells: usize,
    /// The number of moving vertices.
    pub n_vertices: usize,
    near: SparseSet,
}

impl<R: Real> Band<R> {
    /// Returns the state before the first update, in which every patch has to be examined.
    pub fn unknown(patches: &Patches) -> Self {
        Band {
            inside: vec![false; patches.n_vertices()],
            moving: vec![false; patches.n_vertices()],
            window: Window::new((0..patches.len() as u32).collect(), patches),
            cells: vec![0; patches.n_patch_cells()],
            n_cells_of: vec![0; patches.len()],
            n_cells: 0,
            n_vertices: 0,
            near: SparseSet::new(patches.len()),
        }
    }

    /// Returns the patches with a moving vertex, in ascending order.
    pub fn active(&self) -> &[u32] {
        &self.window.active
    }

    /// Returns the active patches and the patches in `some` and `more`, in ascending order. The
    /// caller returns the list with [`Band::give_back`].
    pub fn near(&mut self, some: &[u32], more: &[u32]) -> SparseSet {
        let mut near = std::mem::take(&mut self.near);
        near.clear();
        for list in [&self.window.active[..], some, more] {
            near.extend(list.iter().copied());
        }
        near.sort();
        near
    }

    /// Takes back the list from [`Band::near`]. [`Band::follow_inside`] examines the patches on it.
    pub fn give_back(&mut self, near: SparseSet) {
        self.near = near;
    }

    /// Returns the patches that the last update examined, in ascending order.
    pub fn looked_at(&self) -> &[u32] {
        self.near.list()
    }

    /// Returns the local indices of the cells of patch `p` that a step computes, in ascending
    /// order.
    pub fn cells_of(&self, patches: &Patches, p: usize) -> &[u32] {
        let start = patches.cell_range(p).start;
        &self.cells[start..start + self.n_cells_of[p] as usize]
    }

    /// Updates the band, and copies phi to `next` in the patches that it examines.
    ///
    /// These are the patches of the old band, those through which an interface may enter, and those
    /// `visited` by the last reinitialization. Elsewhere, phi is plus or minus the half width.
    pub fn update(&mut self, problem: &Problem<R>, phi: &[R], next: &mut [R], visited: &[u32]) {
        let near = self.near(problem.inflow.patches(), visited);
        let half_width = problem.half_width();
        let inside = DisjointRows::new(&mut self.inside);
        let next = DisjointRows::new(next);
        problem.cpu.run(|| {
            near.list().par_iter().for_each(|&p| {
                let owned = problem.patches.patch(p as usize).owned();
                // SAFETY: `near` contains each patch once, and patches own disjoint ranges.
                let (inside, next) =
                    unsafe { (inside.range(owned.clone()), next.range(owned.clone())) };
                next.copy_from_slice(&phi[owned.clone()]);
                for (inside, phi) in inside.iter_mut().zip(&phi[owned]) {
                    *inside = phi.abs() < half_width;
                }
            });
        });
        self.give_back(near);
        self.follow_inside(problem);
    }

    /// Restores the band of all patches from `inside`, in patch order.
    pub fn restore(&mut self, problem: &Problem<R>, inside: Vec<bool>) {
        self.inside = inside;
        let mut all = SparseSet::new(problem.patches.len());
        all.extend(0..problem.patches.len() as u32);
        self.give_back(all);
        self.follow_inside(problem);
    }

    /// Recomputes the band in the patches `near` from the flags in `inside`.
    fn follow_inside(&mut self, problem: &Problem<R>) {
        problem.cpu.run(|| match problem.patches.arity() {
            3 => self.mark_cells::<3>(problem),
            _ => self.mark_cells::<4>(problem),
        });
        self.window.read(problem);
    }

    fn mark_cells<const N: usize>(&mut self, problem: &Problem<R>) {
        let Band { inside, moving, window, cells, near, .. } = self;
        let patches = &*problem.patches;
        let moving = DisjointRows::new(moving);
        let cells = DisjointRows::new(cells);
        let inside = |v: usize| inside[v];
        let part = |&p: &u32| {
            let p = p as usize;
            let patch = patches.patch(p);
            // SAFETY: `near` contains each patch once, and patches own disjoint ranges.
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
            Part { n_cells, n_moving, limits: problem.limits_of::<N>(p, inside) }
        };
        near.list().par_iter().map(part).collect_into_vec(&mut window.parts);

        window.active.clear();
        (self.n_cells, self.n_vertices, window.limits) = (0, 0, Limits::none());
        for (&p, part) in near.list().iter().zip(&window.parts) {
            self.n_cells_of[p as usize] = part.n_cells as u32;
            if part.n_moving > 0 {
                window.active.push(p);
                self.n_cells += part.n_cells;
                self.n_vertices += part.n_moving;
                window.limits = window.limits.and(part.limits);
            }
        }
        if window.active.is_empty() {
            window.limits = problem.limits_at_inflow();
        }
    }

    /// Returns the length of the next step, and evaluates the coefficients for it: at its midpoint,
    /// or as means over the step where they change noticeably.
    ///
    /// # Errors
    /// Returns a [`Flaw`] if a coefficient has an invalid value.
    pub fn choose_step(
        &mut self,
        problem: &mut Problem<R>,
        time: f64,
        max_dt: f64,
    ) -> Result<Chosen, Flaw> {
        let Band { inside, window, .. } = self;
        window.choose_step(problem, &|v| inside[v], time, max_dt)
    }

    /// Returns the failure for a step that is too short to advance time.
    pub fn lost_step(&mut self, problem: &mut Problem<R>, limited_at: f64, dt: f64) -> Flaw {
        let Band { inside, window, .. } = self;
        window.lost_step(problem, &|v| inside[v], limited_at, dt)
    }
}
