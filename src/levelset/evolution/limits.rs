//! Limits on the time step that follow from the cells of a mesh.

use super::formulas;
use super::problem::Problem;
use crate::geometry::{Real, Vec3, simplex::Simplex};
use crate::levelset::eikonal::Fit;
use crate::patches::Patch;

/// Upper bounds on the time step for a CFL factor of 1, and the data that the reinitialization
/// rules need.
#[derive(Clone, Copy)]
pub(super) struct Limits<R> {
    /// The bound from the first-order terms; infinite without first-order terms.
    pub first_order: R,
    /// The bound from the curvature term; infinite without a curvature term.
    pub curvature: R,
    /// The largest `|a| + |eps|`.
    pub speed: R,
    /// The largest inradius.
    pub inradius: R,
    /// The largest curvature coefficient.
    pub beta: R,
}

impl<R: Real> Limits<R> {
    /// Returns the limits of an empty set of cells.
    pub fn none() -> Self {
        let (never, zero) = (R::INFINITY, R::zero());
        Limits { first_order: never, curvature: never, speed: zero, inradius: zero, beta: zero }
    }

    /// Combines the limits of two sets of cells.
    pub fn and(self, other: Self) -> Self {
        Limits {
            first_order: self.first_order.min(other.first_order),
            curvature: self.curvature.min(other.curvature),
            speed: self.speed.max(other.speed),
            inradius: self.inradius.max(other.inradius),
            beta: self.beta.max(other.beta),
        }
    }
}

impl<R: Real> Problem<R> {
    /// Returns the limits that apply when no cell is in the band. If an interface may still enter,
    /// these are the limits from the boundary patches; otherwise there are none.
    pub fn limits_at_inflow(&self) -> Limits<R> {
        if !self.may_enter() {
            return Limits::none();
        }
        let of_patch = |&p: &u32| self.limits_of_patch(p as usize, |_| true);
        let patches = self.inflow.boundary_patches();
        patches.iter().map(of_patch).fold(Limits::none(), Limits::and)
    }

    /// Returns the limits from those cells of a patch that have a vertex for which `inside` holds.
    pub fn limits_of_patch(&self, p: usize, inside: impl Fn(usize) -> bool) -> Limits<R> {
        match self.patches.arity() {
            3 => self.limits_of::<3>(p, inside),
            _ => self.limits_of::<4>(p, inside),
        }
    }

    /// Returns the same limits as [`Self::limits_of_patch`], for cells with `N` vertices.
    pub fn limits_of<const N: usize>(&self, p: usize, inside: impl Fn(usize) -> bool) -> Limits<R> {
        let patch = self.patches.patch(p);
        let x = self.coordinates.of(&self.patches, p);
        let cells = patch.corners.chunks_exact(N);
        let active = cells.filter(|corners| is_active(&patch, corners, &inside));
        let limits = active.map(|corners| self.limits_of_cell::<N>(&patch, x, corners));
        limits.fold(Limits::none(), Limits::and)
    }

    /// Returns the limits from one cell.
    pub fn limits_of_cell<const N: usize>(
        &self,
        patch: &Patch<'_>,
        x: &[Vec3<R>],
        corners: &[u32],
    ) -> Limits<R> {
        let x: [Vec3<R>; N] = std::array::from_fn(|i| x[corners[i] as usize]);
        let simplex = Simplex::new(&x);
        let inradius = simplex.inradius();
        let speed = self.speed::<N>(patch, corners);
        let first_order = match &self.triangulation {
            Some(mesh) => self.largest_map_step::<N>(mesh, patch, &simplex, corners, speed),
            None => formulas::largest_step::<R, N>(inradius, speed),
        };
        let beta = self.motion.curvature.as_ref().map_or(R::zero(), |curvature| {
            let at = |&c: &u32| curvature.coefficient.at(patch.vertex(c as usize))[0];
            corners.iter().map(at).fold(R::zero(), |m, beta| m.max(beta))
        });
        // If explicit curvature steps would be too short because of slivers, the step is
        // semi-implicit, and cells smaller than a typical one count as typical.
        let size = inradius.max(self.least_inradius);
        let curvature = formulas::largest_diffusive_step::<R, N>(size, beta);
        Limits { first_order, curvature, speed, inradius, beta }
    }

    /// Returns `|a| + |eps|` of a cell.
    fn speed<const N: usize>(&self, patch: &Patch<'_>, corners: &[u32]) -> R {
        let mut speed = R::zero();
        if let Some(velocity) = &self.motion.velocity {
            speed += Vec3::from(velocity.mean::<N>(patch, corners)).norm();
        }
        if let Some(normal_speed) = &self.motion.normal_speed {
            speed += normal_speed.mean::<N>(patch, corners)[0].abs();
        }
        speed
    }

    /// Returns the displacement per time for which steps count because curvature of the largest
    /// coefficient `beta` carries errors inward from the edge of the band.
    ///
    /// They spread over a distance whose square is the sum of 2 beta dt. The displacement reaches
    /// half of the half width w when this sum reaches (w/2)^2. With [`Fit::Plane`], more frequent
    /// reinitialization would do more harm than these errors, so the rate is zero.
    pub fn spread(&self, beta: R) -> f64 {
        match self.options.half_width {
            Some(w) if self.options.fit == Fit::Quadratic => 4.0 * beta.to_f64() / w,
            _ => 0.0,
        }
    }

    /// Returns a vertex (patch order) of the cell in the listed patches that limits the step most,
    /// if there is such a cell.
    pub fn narrowest(&self, active: &[u32]) -> Option<usize> {
        let of_patch = |&p: &u32| match self.patches.arity() {
            3 => self.narrowest_of::<3>(p as usize),
            _ => self.narrowest_of::<4>(p as usize),
        };
        let cells = active.iter().filter_map(of_patch);
        cells.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, vertex)| vertex)
    }

    fn narrowest_of<const N: usize>(&self, p: usize) -> Option<(f64, usize)> {
        let patch = self.patches.patch(p);
        let x = self.coordinates.of(&self.patches, p);
        let cells = patch.corners.chunks_exact(N).map(|corners| {
            let limits = self.limits_of_cell::<N>(&patch, x, corners);
            let step = limits.first_order.min(limits.curvature).to_f64();
            (step, patch.vertex(corners[0] as usize))
        });
        cells.min_by(|a, b| a.0.total_cmp(&b.0))
    }
}

/// Returns whether a cell has a vertex inside the band.
pub(super) fn is_active(
    patch: &Patch<'_>,
    corners: &[u32],
    inside: impl Fn(usize) -> bool,
) -> bool {
    corners.iter().any(|&c| inside(patch.vertex(c as usize)))
}
