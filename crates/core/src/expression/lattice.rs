//! Expressions over the points of a lattice, given by coordinates along three axes.

use std::cell::RefCell;
use std::sync::Arc;

use super::axis_loops::Mask;
use super::axis_program::{Scratch, Spread};
use super::enclosure::Enclosure;
use super::sampling::{self, Accuracy, Function, Sampling, TimeSpan};
use super::{Expression, Flaw};
use crate::error::{Error, Result};
use crate::geometry::Real;

thread_local! {
    static SCRATCH: RefCell<Scratch<f64>> = RefCell::default();
    static ENCLOSURES: RefCell<Enclosures> = RefCell::default();
}

/// Scratch memory for bounds over a span of time.
#[derive(Default)]
struct Enclosures {
    scratch: Scratch<Enclosure>,
    /// The bounds of all expressions at all points.
    all: Vec<Enclosure>,
    /// The bounds of all expressions at one point.
    one: Vec<Enclosure>,
    /// The values of all expressions at one point.
    values: Vec<f64>,
    /// The values of all expressions at all points, for each node of Gauss's rule.
    nodes: Vec<f64>,
}

/// Expressions, such as the three components of a velocity, compiled for blocks of a lattice. A
/// block consists of all points `[x[i], y[j], z[k]]` of three lists of coordinates.
///
/// Each subexpression is computed only over the axes that it depends on: `sin(pi*x)*y` on a block
/// of 8 x 8 x 8 points takes 8 sines. Equal subexpressions are computed once, even if they occur in
/// different expressions. The results are bitwise identical to those of a [`Field`](super::Field)
/// at the same points.
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
    /// Returns [`Error::Case`] if an expression contains a data array. The message points at its
    /// name. Data arrays have one number per vertex of a mesh, and a lattice is not a mesh.
    pub fn bind(expressions: &[Expression]) -> Result<Self> {
        let trees: Vec<_> = expressions.iter().map(Expression::tree).collect();
        let spread = Spread::new(&trees).map_err(|(k, name, span)| {
            let what =
                format!("data array \"{name}\" is not available: only meshes have data arrays");
            let remedy = "on a grid, use a formula in x, y, z and t";
            Error::from(Flaw::new(expressions[k].text(), span, what, remedy))
        })?;
        Ok(Lattice { uses_time: spread.uses_time(), spread: Arc::new(spread) })
    }

    /// Returns the number of expressions.
    pub fn components(&self) -> usize {
        self.spread.results()
    }

    /// Returns true if values may change over time.
    pub fn varies_in_time(&self) -> bool {
        self.uses_time
    }

    /// Returns, for each of the axes x, y and z, whether any of the expressions depends on it.
    pub fn mask(&self) -> [bool; 3] {
        let all = (0..self.components()).map(|k| self.spread.mask(k));
        let mask = all.fold(Mask::default(), Mask::with);
        [0, 1, 2].map(|axis| mask.has(axis))
    }

    /// Evaluates all expressions at time `t`, in the unit of the case, over the points of `axes`,
    /// the coordinates along x, y and z in mesh units.
    ///
    /// `out` receives the values of one expression after the other, with one value per point and x
    /// fastest: `[components][z][y][x]`. Values are computed in `f64` and rounded once. Memory is
    /// allocated only in the first call of a thread and when a longer expression or a larger block
    /// is evaluated.
    ///
    /// # Panics
    /// Panics if the length of `out` is not the number of expressions times the number of points.
    pub fn evaluate_into<R: Real>(&self, axes: [&[f64]; 3], t: f64, out: &mut [R]) {
        let points = Mask::ALL.size(axes.map(<[f64]>::len));
        assert_eq!(out.len(), self.components() * points, "one value for each point");
        SCRATCH.with_borrow_mut(|scratch| self.spread.run(scratch, axes, t, out, R::of));
    }

    /// Computes what `sampling` specifies for all expressions: values at an instant, or bounds or
    /// means over a span of time. Writes the results to `out` in the order of
    /// [`Lattice::evaluate_into`]. Returns the length of the span times an upper bound on the
    /// change in any value over it, in the unit of the values times the unit of time. Returns 0 for
    /// an instant, or if no value depends on time.
    ///
    /// # Panics
    /// See [`Lattice::evaluate_into`].
    pub fn sample_into<R: Real>(
        &self,
        axes: [&[f64]; 3],
        sampling: Sampling,
        accuracy: &Accuracy,
        out: &mut [R],
    ) -> f64 {
        let span = match sampling {
            Sampling::At(t) => {
                self.evaluate_into(axes, t, out);
                return 0.0;
            }
            Sampling::Mean(span, t) => {
                self.evaluate_into(axes, t, out);
                if !self.uses_time {
                    return 0.0;
                }
                span
            }
            Sampling::Bound(span) => span,
        };
        let lengths = axes.map(<[f64]>::len);
        let n = Mask::ALL.size(lengths);
        if n == 0 {
            return 0.0;
        }
        let is_bound = matches!(sampling, Sampling::Bound(_));
        ENCLOSURES.with_borrow_mut(|Enclosures { scratch, all, one, values, nodes }| {
            all.resize(out.len(), Enclosure::default());
            self.spread.run(scratch, axes, Enclosure::of_time(span), all, |bounds| bounds);
            one.resize(self.components(), Enclosure::default());
            values.resize(self.components(), 0.0);
            let change = all.iter().fold(0.0f64, |most, bounds| most.max(bounds.width()));
            let change = change * span.length();
            // Where an expression is smooth in time, its mean is computed from values on the whole
            // block.
            let is_averaged = !is_bound && change > accuracy.slack;
            if is_averaged {
                let instants = sampling::instants(span);
                nodes.resize(instants.len() * out.len(), 0.0);
                for (t, nodes) in instants.into_iter().zip(nodes.chunks_exact_mut(out.len())) {
                    self.evaluate_into(axes, t, nodes);
                }
            }
            let size = out.len();
            for (k, (out, all)) in out.chunks_exact_mut(n).zip(all.chunks_exact(n)).enumerate() {
                // A component that is the same at all points is examined once.
                let is_uniform = self.spread.mask(k) == Mask::default();
                let examined = if is_uniform { 1 } else { n };
                for (at, bounds) in all[..examined].iter().enumerate() {
                    if !is_bound && bounds.width() * span.length() <= accuracy.slack {
                        continue;
                    }
                    let found = is_averaged.then(|| {
                        let values = std::array::from_fn(|node| nodes[node * size + k * n + at]);
                        sampling::smooth_mean(&values, *bounds, span, accuracy)
                    });
                    if let Some(mean) = found.flatten() {
                        out[at] = R::of(mean);
                        continue;
                    }
                    let [nx, ny, _] = lengths;
                    let at_axes = [at % nx, at / nx % ny, at / (nx * ny)];
                    let point = std::array::from_fn(|axis| axes[axis][at_axes[axis]]);
                    let mut point = Point {
                        lattice: self,
                        component: k,
                        point,
                        scratch: &mut *scratch,
                        bounds: &mut *one,
                        values: &mut *values,
                    };
                    out[at] = R::of(match is_bound {
                        true => sampling::bound(&mut point, *bounds, span, accuracy.max_step),
                        false => sampling::mean(&mut point, span, accuracy),
                    });
                }
                let first = out[0];
                out[examined..].fill(first);
            }
            change
        })
    }
}

/// One expression at one point, as a function of time.
struct Point<'a> {
    lattice: &'a Lattice,
    component: usize,
    point: [f64; 3],
    scratch: &'a mut Scratch<Enclosure>,
    bounds: &'a mut [Enclosure],
    values: &'a mut [f64],
}

impl Function for Point<'_> {
    fn value(&mut self, t: f64) -> f64 {
        let axes = self.point.each_ref().map(std::slice::from_ref);
        self.lattice.evaluate_into(axes, t, self.values);
        self.values[self.component]
    }

    fn bounds(&mut self, span: TimeSpan) -> Enclosure {
        let axes = self.point.each_ref().map(std::slice::from_ref);
        let t = Enclosure::of_time(span);
        self.lattice.spread.run(self.scratch, axes, t, self.bounds, |bounds| bounds);
        self.bounds[self.component]
    }
}
