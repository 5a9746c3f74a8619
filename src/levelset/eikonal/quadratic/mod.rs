//! Distances of second order: values next to the interface from quadratic polynomials, and curved
//! fronts (docs/distances.md, section 5.13).
//!
//! A vertex of a cut cell gets the distance to the zero set of a quadratic polynomial that fits phi
//! at the vertices around it (`cut_cells`, `fit`). Where phi or the surface has a kink, it
//! keeps the value of equation (5). Straight fronts from these values (`straight`) then decide
//! through which face the front reaches each other vertex. Finally, curved fronts (`curved`) run
//! through these faces (`faces`). Every value that a patch reads from another patch was written
//! in an earlier round, so the results are bitwise identical for any number of threads.

pub mod curved;
mod cut_cells;
mod faces;
pub mod fit;
mod straight;

use super::{EikonalState, Problem};
use crate::geometry::{Real, Vec3};
use crate::patches::Patches;
use crate::primitives::PerThread;
use curved::Arrival;

pub(super) use cut_cells::fit_cut_cells;
pub(super) use faces::bend;
pub(super) use straight::WINDOW;

/// A vertex that the straight front does not reach through the inside of a face.
const NO_FACE: u32 = u32::MAX;

/// The arrays for second-order distances, in patch order.
pub(super) struct Quadratic<R: Real> {
    /// 1 where phi is smooth, 0 at a kink.
    smooth: Vec<f64>,
    /// |phi| before the call, in the patches whose entry in `keyed` is the number of this call.
    keys: Vec<R>,
    keyed: Vec<u32>,
    call: u32,
    /// For each patch, the values before which its last update has propagated.
    reached: Vec<R>,
    /// The unit vectors away from the interface.
    directions: Vec<Vec3<R>>,
    /// The slot of each vertex in the cell whose opposite face the front passes, or [`NO_FACE`].
    slots: Vec<u32>,
    /// Local indices of the owned vertices of each patch, in the order in which they are computed.
    order: Vec<u32>,
    /// Whether the value and the direction of each vertex are final.
    done: Vec<bool>,
    /// The number of vertices of each patch that still wait for a curved front. They come first in
    /// `order`.
    waiting: Vec<u32>,
    /// The values written in the current round.
    next: Vec<Arrival<R>>,
    /// The patches of a pass, and the number of vertices that wait in each of them after it.
    active: Vec<u32>,
    left: Vec<u32>,
    threads: PerThread<LocalScratch<R>>,
}

/// The values of one patch in local order.
#[derive(Default)]
struct LocalScratch<R: Real> {
    arrivals: Vec<Arrival<R>>,
    done: Vec<bool>,
    waiting: Vec<u32>,
    computed: Vec<u32>,
    cells: cut_cells::Cells,
}

impl<R: Real> Quadratic<R> {
    pub fn new(patches: &Patches) -> Self {
        let n = patches.n_vertices();
        Quadratic {
            smooth: vec![0.0; n],
            keys: vec![R::zero(); n],
            keyed: vec![0; patches.len()],
            call: 0,
            reached: vec![R::zero(); patches.len()],
            directions: vec![Vec3::zeros(); n],
            slots: vec![NO_FACE; n],
            order: vec![0; n],
            done: vec![false; n],
            waiting: vec![0; patches.len()],
            next: vec![Arrival { value: R::zero(), direction: Vec3::zeros() }; n],
            active: Vec::new(),
            left: Vec::new(),
            threads: PerThread::default(),
        }
    }

    /// Stores |phi| in the patches `near`, which decides the order of straight fronts in a patch.
    /// It affects the values only by rounding errors.
    pub fn begin(&mut self, patches: &Patches, phi: &[R], near: &[u32]) {
        self.call += 1;
        for &p in near {
            self.keyed[p as usize] = self.call;
            for v in patches.patch(p as usize).owned() {
                self.keys[v] = phi[v].abs();
            }
        }
    }
}
