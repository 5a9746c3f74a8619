//! Semi-implicit curvature of second order in time on the CPU (docs/level-set.md, section 3.2).

use super::cell_passes::Pass;
use super::implicit::Implicit;
use crate::geometry::Real;
use crate::parallel::*;
use crate::primitives::DisjointRows;

/// The vectors of an extrapolated step, in patch order. Only active patches have defined values.
///
/// The step is extrapolated from a semi-implicit Euler step over its whole length and two over half
/// of it: twice the result of the two minus that of the one. The terms of first order in the errors
/// cancel. Each step starts afresh, so a reinitialization between steps does no harm.
pub(super) struct Extrapolation<R> {
    /// The values before the solves.
    start: Vec<R>,
    /// The solution over the whole length of the step.
    whole: Vec<R>,
}

impl<R: Real> Extrapolation<R> {
    /// Allocates memory for a mesh.
    pub fn new(n_vertices: usize) -> Self {
        Extrapolation { start: vec![R::zero(); n_vertices], whole: vec![R::zero(); n_vertices] }
    }

    /// Solves for the curvature part of a step; see [`Implicit::solve`].
    ///
    /// # Errors
    /// Returns the error of [`Implicit::solve`] if one of the three solves does not converge.
    pub fn solve(
        &mut self,
        implicit: &mut Implicit<R>,
        pass: &Pass<'_, R>,
        next: &mut [R],
        product: &mut [R],
        dt: R,
    ) -> Result<(), (f64, usize)> {
        let Extrapolation { start, whole } = self;
        for_each_owned(pass, next, start, |next, start| *start = *next);
        implicit.solve(pass, next, product, dt)?;
        for_each_owned(pass, next, whole, |next, whole| *whole = *next);
        for_each_owned(pass, next, start, |next, start| *next = *start);
        for _ in 0..2 {
            implicit.solve(pass, next, product, R::of(0.5) * dt)?;
        }
        for_each_owned(pass, next, whole, |next, whole| *next += *next - *whole);
        Ok(())
    }
}

/// Calls `work` with the values of two vectors at each vertex of the active patches.
fn for_each_owned<R: Real>(
    pass: &Pass<'_, R>,
    a: &mut [R],
    b: &mut [R],
    work: impl Fn(&mut R, &mut R) + Sync,
) {
    let (a, b) = (DisjointRows::new(a), DisjointRows::new(b));
    let of_patch = |&p: &u32| {
        let owned = pass.problem.patches.patch(p as usize).owned();
        // SAFETY: the list contains each patch once, and patches own disjoint ranges.
        let (a, b) = unsafe { (a.range(owned.clone()), b.range(owned)) };
        a.iter_mut().zip(b).for_each(|(a, b)| work(a, b));
    };
    pass.problem.cpu.run(|| pass.band.active().par_iter().for_each(of_patch));
}
