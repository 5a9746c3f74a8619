//! Detects cells that are so flat that they determine the time step. Because of them, explicit
//! curvature can become semi-implicit (docs/level-set.md, section 3.2). For first-order terms there
//! is only a warning.

use rayon::prelude::*;

use super::SLIVER_STEPS;
use crate::geometry::{Real, Vec3, simplex::Simplex};
use crate::patches::{Coordinates, Patches};

/// The fraction of cells that may be smaller than a typical cell.
const TYPICAL: f64 = 0.1;

/// The factor by which first-order steps may be shortened without a warning.
const SLOW: f64 = 10.0;

/// The flattest cell, and the size of a typical one.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Slivers {
    /// The index of the cell with the smallest inradius, in mesh order.
    pub cell: u32,
    /// The inradius of that cell, in mesh units.
    pub inradius: f64,
    /// The inradius of a typical cell (the tenth percentile), in mesh units.
    pub typical_inradius: f64,
}

impl Slivers {
    /// Returns the factor by which the flattest cell would shorten explicit curvature steps,
    /// compared with a typical cell.
    pub fn factor(&self) -> f64 {
        let ratio = self.typical_inradius / self.inradius;
        ratio * ratio
    }

    /// Returns the factor by which the flattest cell, if it is in the band, shortens first-order
    /// steps compared with a typical cell.
    pub fn first_order_factor(&self) -> f64 {
        self.typical_inradius / self.inradius
    }

    /// Returns whether explicit curvature steps would be too short.
    pub(super) fn matter(&self) -> bool {
        self.factor() > SLIVER_STEPS
    }

    /// Returns whether first-order steps may become so short that a warning is due.
    pub(super) fn are_slow(&self) -> bool {
        self.first_order_factor() > SLOW
    }

    /// Finds the flattest and the typical cell among all cells.
    pub(super) fn find<R: Real>(patches: &Patches, coordinates: &Coordinates<R>) -> Slivers {
        let of_patch = |p: usize| match patches.arity() {
            3 => inradii::<R, 3>(patches, coordinates, p),
            _ => inradii::<R, 4>(patches, coordinates, p),
        };
        let mut inradii: Vec<(f64, u32)> =
            (0..patches.len()).into_par_iter().flat_map_iter(of_patch).collect();
        let by_size = |a: &(f64, u32), b: &(f64, u32)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
        // In a mesh of few cells, the smallest cell must not count as typical.
        let typical = (TYPICAL * inradii.len() as f64) as usize;
        let typical = typical.max(1).min(inradii.len().saturating_sub(1));
        if inradii.is_empty() {
            return Slivers { cell: 0, inradius: 1.0, typical_inradius: 1.0 };
        }
        let (smaller, typical, _) = inradii.select_nth_unstable_by(typical, by_size);
        let typical = *typical;
        let (inradius, cell) = smaller.iter().copied().min_by(by_size).unwrap_or(typical);
        Slivers { cell, inradius, typical_inradius: typical.0 }
    }
}

/// Returns the inradii of the cells whose first vertex the patch owns, so that each cell counts
/// once.
fn inradii<R: Real, const N: usize>(
    patches: &Patches,
    coordinates: &Coordinates<R>,
    p: usize,
) -> Vec<(f64, u32)> {
    let patch = patches.patch(p);
    let x = coordinates.of(patches, p);
    let cells = patch.corners.chunks_exact(N).zip(patch.cells);
    let owned = cells.filter(|(corners, _)| (corners[0] as usize) < patch.n_owned);
    owned
        .map(|(corners, &cell)| {
            let x: [Vec3<R>; N] = std::array::from_fn(|i| x[corners[i] as usize]);
            (Simplex::new(&x).inradius().to_f64(), cell)
        })
        .collect()
}
