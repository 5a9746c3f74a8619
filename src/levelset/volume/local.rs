//! Undoes the changes of volume by a reinitialization in the cells where they arise (Mut, Buscaglia
//! and Dari 2006; Ausas, Dari and Buscaglia 2011, section 3).

use super::complex::Complex;
use crate::geometry::Real;
use crate::parallel::*;
use crate::surface::{share, share_gradient};

/// The largest number of Newton steps and bisections in a cell.
const MOST_STEPS: usize = 60;

/// The inside before a reinitialization.
pub(super) struct Kept {
    /// The volume of each component, if it is needed.
    pub volumes: Option<Vec<f64>>,
    /// The cells that the interface cuts, in ascending order, and the fractions of them that are
    /// inside.
    cut: Vec<(u32, f64)>,
}

impl Kept {
    pub fn new<R: Real>(complex: &Complex, phi: &[R], needs_volumes: bool) -> Self {
        let cut = match complex.arity() {
            3 => cut::<R, 3>(complex, phi),
            _ => cut::<R, 4>(complex, phi),
        };
        let volumes = needs_volumes.then(|| complex.components(phi).volumes);
        Kept { volumes, cut }
    }

    /// Changes phi next to the interface so that each cut cell approximately gets its old volume.
    ///
    /// The shift that restores the volume of a cell is averaged over the cut cells around each
    /// vertex, weighted by their measure. No vertex changes sides: a shift that would do so is
    /// reduced to half of the distance.
    pub fn undo<R: Real>(&self, complex: &Complex, phi: &mut [R]) {
        let shifts: Vec<f64> = match complex.arity() {
            3 => self.cut.par_iter().map(|cell| restore::<R, 3>(complex, phi, *cell)).collect(),
            _ => self.cut.par_iter().map(|cell| restore::<R, 4>(complex, phi, *cell)).collect(),
        };
        let mut vertices: Vec<(u32, f64, f64)> = Vec::new();
        for (&(cell, _), shift) in self.cut.iter().zip(shifts) {
            let measure = complex.measure_of(cell as usize);
            let corners = complex.corners(cell as usize).iter();
            vertices.extend(corners.map(|&v| (v, measure, measure * shift)));
        }
        // The sort is stable, so each vertex sums its cells in ascending order.
        vertices.sort_by_key(|&(v, ..)| v);
        for same in vertices.chunk_by(|a, b| a.0 == b.0) {
            let sums = same.iter().fold([0.0; 2], |s, &(_, m, x)| [s[0] + m, s[1] + x]);
            let value = &mut phi[same[0].0 as usize];
            let old = value.to_f64();
            let new = old + sums[1] / sums[0];
            let changes_sides = (new < 0.0) != (old < 0.0);
            *value = R::of(if changes_sides { 0.5 * old } else { new });
        }
    }
}

/// Returns the cut cells and the fractions of them that are inside.
fn cut<R: Real, const N: usize>(complex: &Complex, phi: &[R]) -> Vec<(u32, f64)> {
    let inside = |cell: usize| {
        let values = complex.values::<R, N>(cell, phi);
        let n_inside = values.iter().filter(|&&v| v < 0.0).count();
        (n_inside > 0 && n_inside < N).then(|| (cell as u32, share(&values)))
    };
    (0..complex.n_cells()).into_par_iter().filter_map(inside).collect()
}

/// Returns the shift of phi in a cell that restores the fraction of it that is inside.
fn restore<R: Real, const N: usize>(complex: &Complex, phi: &[R], (cell, old): (u32, f64)) -> f64 {
    let values = complex.values::<R, N>(cell as usize, phi);
    let largest = |sign: f64| values.iter().fold(0.0, |most: f64, v| most.max(sign * v));
    // At these shifts, the cell is completely inside or outside.
    let (mut low, mut high) = (-largest(1.0), largest(-1.0));
    let mut shift = 0.0;
    for _ in 0..MOST_STEPS {
        let values = values.map(|v| v + shift);
        let excess = share(&values) - old;
        if excess.abs() <= 1e-14 {
            break;
        }
        if excess > 0.0 {
            low = shift;
        } else {
            high = shift;
        }
        let slope: f64 = share_gradient(&values).iter().sum();
        let newton = shift - excess / slope;
        shift = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
    }
    shift
}
