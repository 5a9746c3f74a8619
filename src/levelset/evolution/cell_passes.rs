//! Scratch memory and inputs of the CPU passes over the patches of the band: cells write to slots
//! of their patch, and vertices gather them.

use super::band::Band;
use super::problem::Problem;
use super::step_result::Outcome;
use crate::geometry::Real;
use crate::patches::{Patch, Patches};
use crate::primitives::PerThread;

/// The inputs of all passes of a step.
#[derive(Clone, Copy)]
pub(super) struct Pass<'a, R: Real> {
    pub problem: &'a Problem<R>,
    pub band: &'a Band<R>,
    /// phi^n in patch order.
    pub phi: &'a [R],
    /// The scratch memory of each thread.
    pub threads: &'a PerThread<LocalScratch<R>>,
}

/// Scratch memory of the passes over patches, reused from step to step.
pub(super) struct Scratch<R: Real> {
    /// Whether each active patch has a cell that the interface cuts.
    pub cut: Vec<bool>,
    pub outcomes: Vec<Outcome<R>>,
    pub threads: PerThread<LocalScratch<R>>,
}

impl<R: Real> Scratch<R> {
    /// Allocates memory for all patches and the given number of threads.
    pub fn new(patches: &Patches, threads: usize) -> Self {
        let (vertices, corners) = patches.largest();
        let scratch = Scratch {
            cut: Vec::with_capacity(patches.len()),
            outcomes: Vec::with_capacity(patches.len()),
            threads: PerThread::<LocalScratch<R>>::default(),
        };
        scratch.threads.prepare(threads, |local| {
            local.phi.reserve(vertices);
            local.slots.resize(corners);
        });
        scratch
    }
}

/// The working memory of one patch.
pub(super) struct LocalScratch<R> {
    /// The values of phi, or of another vector that a pass works on, at owned and halo vertices.
    pub phi: Vec<R>,
    /// The contributions of the cells to their corners.
    pub slots: Slots<R>,
}

impl<R> Default for LocalScratch<R> {
    fn default() -> Self {
        LocalScratch { phi: Vec::new(), slots: Slots::default() }
    }
}

impl<R: Real> LocalScratch<R> {
    /// Loads an array in patch order into `phi`, and makes room for one slot per corner.
    ///
    /// Slots of cells that are not computed keep values of a patch processed earlier. No moving
    /// vertex reads them.
    pub fn load(&mut self, patch: &Patch<'_>, from: &[R]) {
        patch.load(from, &mut self.phi);
        self.slots.resize(patch.corners.len());
    }
}

/// The contributions of the cells to their corners: numerators and denominators of the first-order
/// terms, and the residual and lumped mass of the curvature term (docs/level-set.md, sections 2.3
/// and 3.1). Other schemes store other pairs in the same arrays. Each array has room for one pair
/// per corner of the cells of a patch.
///
/// The terms have separate arrays, so that a step reads only those of its own terms.
pub(super) struct Slots<R> {
    pub advection: Vec<[R; 2]>,
    pub normal: Vec<[R; 2]>,
    pub curvature: Vec<[R; 2]>,
}

impl<R> Default for Slots<R> {
    fn default() -> Self {
        Slots { advection: Vec::new(), normal: Vec::new(), curvature: Vec::new() }
    }
}

impl<R: Real> Slots<R> {
    /// Makes room for the contributions to `corners` corners.
    fn resize(&mut self, corners: usize) {
        if self.curvature.len() < corners {
            for term in [&mut self.advection, &mut self.normal, &mut self.curvature] {
                term.resize(corners, [R::zero(); 2]);
            }
        }
    }
}

/// Sums the contributions to one term over the slots of a vertex, in the mesh order of its cells.
#[inline]
pub(super) fn sum<R: Real>(row: &[u32], term: &[[R; 2]]) -> [R; 2] {
    row.iter().fold([R::zero(); 2], |sum, &slot| {
        let [a, b] = term[slot as usize];
        [sum[0] + a, sum[1] + b]
    })
}

/// Returns `num / den`, or 0 if `den` does not exceed `R::LEAST`, as at a vertex to which no cell
/// contributes.
#[inline]
pub(super) fn ratio<R: Real>([num, den]: [R; 2]) -> R {
    if den > R::LEAST { num / den } else { R::zero() }
}
