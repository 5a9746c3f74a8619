//! Detects cells that are so flat that they determine the time step. Because of them, explicit
//! curvature can become semi-implicit (docs/level-set.md, section 3.2). For first-order terms,
//! there is only a warning.

use super::SLIVER_STEPS;
use crate::geometry::{Real, Vec3, simplex::Simplex};
use crate::parallel::*;
use crate::patches::{Coordinates, Patches};

/// The fraction of cells that may be smaller than a typical cell.
const TYPICAL: f64 = 0.1;

/// The factor by which first-order steps may be shortened without a warning.
const SLOW: f64 = 10.0;

/// The ratio of inradius to longest edge below which a cell is thin. That of a regular tetrahedron
/// is 0.2.
const THIN: f64 = 0.02;

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
    /// Whether the typical cell is thin: flat compared with its longest edge.
    pub typical_is_thin: bool,
    /// The median of the inradii, in mesh units.
    pub median_inradius: f64,
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

    /// Returns whether enough cells are thin to make steps much shorter than for cells of median
    /// size.
    pub(super) fn are_many(&self) -> bool {
        self.typical_is_thin && self.median_inradius > SLOW * self.typical_inradius
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
            3 => sizes::<R, 3>(patches, coordinates, p),
            _ => sizes::<R, 4>(patches, coordinates, p),
        };
        let mut sizes: Vec<Size> =
            (0..patches.len()).into_par_iter().flat_map_iter(of_patch).collect();
        let by_size =
            |a: &Size, b: &Size| a.inradius.total_cmp(&b.inradius).then(a.cell.cmp(&b.cell));
        let n = sizes.len();
        if n == 0 {
            return Slivers {
                cell: 0,
                inradius: 1.0,
                typical_inradius: 1.0,
                typical_is_thin: false,
                median_inradius: 1.0,
            };
        }
        // In a mesh of few cells, the smallest cell must not count as typical.
        let typical = ((TYPICAL * n as f64) as usize).max(1).min(n - 1);
        let median = sizes.select_nth_unstable_by((n / 2).max(typical), by_size).1.inradius;
        let (smaller, typical, _) = sizes.select_nth_unstable_by(typical, by_size);
        let typical = *typical;
        let Size { inradius, cell, .. } =
            smaller.iter().copied().min_by(by_size).unwrap_or(typical);
        Slivers {
            cell,
            inradius,
            typical_inradius: typical.inradius,
            typical_is_thin: typical.inradius < THIN * typical.longest,
            median_inradius: median,
        }
    }
}

/// The size of a cell.
#[derive(Clone, Copy)]
struct Size {
    inradius: f64,
    longest: f64,
    cell: u32,
}

/// Returns the sizes of the cells whose first vertex the patch owns, so that each cell counts
/// once.
fn sizes<R: Real, const N: usize>(
    patches: &Patches,
    coordinates: &Coordinates<R>,
    p: usize,
) -> Vec<Size> {
    let patch = patches.patch(p);
    let x = coordinates.of(patches, p);
    let cells = patch.corners.chunks_exact(N).zip(patch.cells);
    let owned = cells.filter(|(corners, _)| (corners[0] as usize) < patch.n_owned);
    owned
        .map(|(corners, &cell)| {
            let x: [Vec3<R>; N] = std::array::from_fn(|i| x[corners[i] as usize]);
            let lengths = (1..N).flat_map(|i| (0..i).map(move |j| (x[i] - x[j]).norm().to_f64()));
            let longest = lengths.fold(0.0, f64::max);
            Size { inradius: Simplex::new(&x).inradius().to_f64(), longest, cell }
        })
        .collect()
}
