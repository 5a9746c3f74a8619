//! Expressions over the points of a lattice: products of coordinates along three axes.

use std::cell::RefCell;
use std::sync::Arc;

use super::axis_program::{Scratch, Spread};
use super::walk::Mask;
use super::{Expression, Flaw};
use crate::error::{Error, Result};
use crate::geometry::Real;

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// Expressions, such as the three components of a velocity, compiled for blocks of a lattice: all
/// points `[x[i], y[j], z[k]]` of three lists of coordinates.
///
/// Each part of an expression is computed over those axes only that it depends on: `sin(pi*x)*y`
/// on a block of 8 x 8 x 8 points takes 8 sines. Parts that are equal, in one expression or in
/// several, are computed once. The bits are those of a [`Field`](super::Field) at the same points.
///
/// ```
/// use zeroset_core::expression::{Expression, Lattice};
///
/// let velocity: [Expression; 2] = ["2*x + z".parse().unwrap(), 0.5.into()];
/// let lattice = Lattice::bind(&velocity)?;
/// assert_eq!(lattice.mask(), [true, false, true]);
/// let mut values = [0.0_f32; 8];
/// lattice.evaluate_into([&[0.0, 1.0], &[7.0], &[0.0, 10.0]], 0.0, &mut values);
/// assert_eq!(values, [0.0, 2.0, 10.0, 12.0, 0.5, 0.5, 0.5, 0.5]);
/// # Ok::<(), zeroset_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Lattice {
    spread: Arc<Spread>,
    uses_time: bool,
}

impl Lattice {
    /// Compiles expressions.
    ///
    /// # Errors
    /// [`Error::Case`] if there is a data array in one of them, pointing at its name: an array has
    /// a number per vertex of a mesh, and a lattice has none.
    pub fn bind(expressions: &[Expression]) -> Result<Self> {
        let trees: Vec<_> = expressions.iter().map(Expression::tree).collect();
        let spread = Spread::new(&trees).map_err(|(k, name, span)| {
            let what = format!("there is no data array \"{name}\": arrays belong to meshes");
            let remedy = "on a grid, write a formula in x, y, z and t";
            Error::from(Flaw::new(expressions[k].text(), span, what, remedy))
        })?;
        Ok(Lattice { uses_time: spread.uses_time(), spread: Arc::new(spread) })
    }

    /// Number of expressions.
    pub fn components(&self) -> usize {
        self.spread.results()
    }

    /// True if values may change with the time.
    pub fn varies_in_time(&self) -> bool {
        self.uses_time
    }

    /// The axes x, y, z that the value of some expression depends on.
    pub fn mask(&self) -> [bool; 3] {
        let all = (0..self.components()).map(|k| self.spread.mask(k));
        let mask = all.fold(Mask::default(), Mask::with);
        [0, 1, 2].map(|axis| mask.has(axis))
    }

    /// Evaluates all expressions at time `t` over the points of `axes`, the coordinates along x, y
    /// and z in mesh units. In `out` each expression has as many values as there are points, one
    /// expression after the other, x fastest; computed in `f64` and rounded once.
    ///
    /// It allocates in the first call of a thread only, and when a longer expression or a larger
    /// block comes.
    ///
    /// # Panics
    /// If `out` has another length.
    pub fn evaluate_into<R: Real>(&self, axes: [&[f64]; 3], t: f64, out: &mut [R]) {
        let points = Mask::ALL.size(axes.map(<[f64]>::len));
        assert_eq!(out.len(), self.components() * points, "one value for each point");
        SCRATCH.with_borrow_mut(|scratch| self.spread.run(scratch, axes, t, out));
    }
}
