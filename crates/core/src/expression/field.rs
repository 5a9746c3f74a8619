//! An expression bound to the data arrays that it names.

use std::cell::RefCell;
use std::ops::Range;
use std::sync::Arc;

use super::enclosure::Enclosure;
use super::program::{BLOCK, Program, Scratch};
use super::sampling::{self, Accuracy, Function, Sampling, TimeSpan};
use super::{Expression, Flaw, Node};
use crate::error::{Error, Result};
use crate::parallel::*;

/// The number of rows per parallel task.
const TASK: usize = 16 * BLOCK;

thread_local! {
    static SCRATCH: RefCell<Scratch<f64>> = RefCell::default();
    static ENCLOSURES: RefCell<(Scratch<Enclosure>, Vec<Enclosure>)> = RefCell::default();
}

/// An expression bound to its data arrays. It has one value per row at each time. Coordinates are
/// in mesh units, and times in the unit of the case.
///
/// The bits of each value depend only on the numbers of its row.
#[derive(Clone, Debug)]
pub struct Field {
    program: Arc<Program>,
    tree: Arc<Node>,
    arrays: Vec<Arc<[f64]>>,
    uses_time: bool,
}

impl Field {
    /// Binds an expression. `array(name)` returns a data array with one number per row, `[n_rows]`.
    ///
    /// # Errors
    /// Returns the errors of `array`. If an [`Error::Case`] of `array` has no file, the text of the
    /// expression is added to it, with the name marked. Returns [`Error::Case`] if two arrays have
    /// different numbers of rows.
    pub fn bind(
        expression: &Expression,
        mut array: impl FnMut(&str) -> Result<Arc<[f64]>>,
    ) -> Result<Self> {
        let names = expression.names();
        let mut arrays: Vec<Arc<[f64]>> = Vec::with_capacity(names.len());
        for name in &names {
            let pointed = |what: &str, remedy: &str| {
                let span = expression.place_of(name);
                Error::from(Flaw::new(expression.text(), span, what, remedy))
            };
            let rows = array(name).map_err(|error| match error {
                Error::Case { file: None, line: None, what, remedy, .. } => pointed(&what, &remedy),
                other => other,
            })?;
            if let Some(first) = arrays.first().filter(|first| first.len() != rows.len()) {
                let what = format!("{} rows, but `{}` has {}", rows.len(), names[0], first.len());
                return Err(pointed(&what, "use arrays of the same mesh"));
            }
            arrays.push(rows);
        }
        let number = |name: &str| names.iter().position(|known| *known == name).unwrap_or(0);
        Ok(Field::new(expression.tree().clone(), &number, arrays, expression.uses_time()))
    }

    pub(super) fn new(
        tree: Node,
        number: &dyn Fn(&str) -> usize,
        arrays: Vec<Arc<[f64]>>,
        uses_time: bool,
    ) -> Self {
        let program = Arc::new(Program::new(&tree, number));
        Field { program, tree: Arc::new(tree), arrays, uses_time }
    }

    /// Returns a field with the same value in every row.
    pub fn constant(value: f64) -> Self {
        Field::new(Node::Number(value), &|_| 0, Vec::new(), false)
    }

    /// Returns a field with one given value per row, `[n_rows]`.
    pub fn rows(values: Arc<[f64]>) -> Self {
        let array = Node::Array { name: String::new(), span: 0..0 };
        Field::new(array, &|_| 0, vec![values], false)
    }

    /// Returns true if values may change over time.
    pub fn uses_time(&self) -> bool {
        self.uses_time
    }

    /// Returns the syntax tree. Its data arrays are numbered in the order of their first
    /// appearance.
    pub fn tree(&self) -> &Node {
        &self.tree
    }

    /// Returns the data arrays, in the order in which the tree numbers them, each with one value
    /// per row, `[n_rows]`.
    pub fn arrays(&self) -> &[Arc<[f64]>] {
        &self.arrays
    }

    /// Returns the field with its rows in a different order: row i of the result is row `order[i]`
    /// of this field, `[n_rows]`.
    ///
    /// # Panics
    /// Panics if `order` contains a row that does not exist.
    pub fn reordered(&self, order: &[u32]) -> Field {
        let take = |rows: &Arc<[f64]>| order.iter().map(|&row| rows[row as usize]).collect();
        Field { arrays: self.arrays.iter().map(take).collect(), ..self.clone() }
    }

    /// Evaluates the rows `rows` at time `t` into `out`, `[rows.len()]`. `points` are the points of
    /// all rows, `[n_rows]`.
    ///
    /// Memory is allocated only in the first call of a thread and when a longer expression is
    /// evaluated.
    ///
    /// # Panics
    /// Panics if the lengths of `out` and `rows` differ, or if a row has no point or no value in an
    /// array.
    pub fn evaluate_into(&self, points: &[[f64; 3]], rows: Range<usize>, t: f64, out: &mut [f64]) {
        assert_eq!(rows.len(), out.len(), "one value for each row");
        SCRATCH.with_borrow_mut(|scratch| {
            self.program.run(scratch, points, |k| &self.arrays[k], rows, t, out);
        });
    }

    /// Computes what `sampling` specifies for the rows `rows`: values at an instant, or bounds or
    /// means over a span of time. Writes the results to `out`, `[rows.len()]`. `points` are the
    /// points of all rows, `[n_rows]`. `accuracy(k)` is the accuracy for entry k of `out`. If the
    /// expression contains neither coordinates nor data arrays, it is examined once, with the
    /// accuracy whose `slack` is smallest.
    ///
    /// Memory is allocated as in [`Field::evaluate_into`].
    ///
    /// # Panics
    /// See [`Field::evaluate_into`].
    pub fn sample_into(
        &self,
        points: &[[f64; 3]],
        rows: Range<usize>,
        sampling: Sampling,
        accuracy: impl Fn(usize) -> Accuracy,
        out: &mut [f64],
    ) {
        let span = match sampling {
            Sampling::At(t) => return self.evaluate_into(points, rows, t, out),
            Sampling::Bound(_) | Sampling::Mean(..) if rows.is_empty() => return,
            Sampling::Mean(_, t) if !self.uses_time => {
                return self.evaluate_into(points, rows, t, out);
            }
            Sampling::Bound(span) | Sampling::Mean(span, _) => span,
        };
        if let Sampling::Mean(_, t) = sampling {
            self.evaluate_into(points, rows.clone(), t, out);
        }
        ENCLOSURES.with_borrow_mut(|(scratch, bounds)| {
            // A field that is the same in all rows is examined once, with the strictest accuracy.
            let is_uniform = self.is_uniform();
            let n = if is_uniform { 1 } else { rows.len() };
            let accuracies = (0..rows.len()).map(&accuracy);
            let strictest = accuracies.reduce(|a, b| if b.slack < a.slack { b } else { a });
            let mut shared = None;
            bounds.clear();
            bounds.resize(n, Enclosure::default());
            let arrays = |k: usize| &*self.arrays[k];
            let first = rows.start..rows.start + n;
            self.program.run(scratch, points, arrays, first, Enclosure::of_time(span), bounds);
            for (k, out) in out.iter_mut().enumerate() {
                let (own, bounds) = (accuracy(k), bounds[k.min(n - 1)]);
                let mean = matches!(sampling, Sampling::Mean(..));
                // Where the change is small enough, the value at the instant that `sampling` gives
                // is kept.
                if mean && bounds.width() * span.length() <= own.slack {
                    continue;
                }
                let mut row = Row { field: self, points, row: rows.start + k, scratch };
                let mut found = |accuracy: Accuracy| match mean {
                    true => sampling::mean(&mut row, span, &accuracy),
                    false => sampling::bound(&mut row, bounds, span, accuracy.max_step),
                };
                *out = match is_uniform {
                    true => *shared.get_or_insert_with(|| found(strictest.unwrap_or(own))),
                    false => found(own),
                };
            }
        });
    }

    /// Returns true if all rows have the same value.
    fn is_uniform(&self) -> bool {
        self.arrays.is_empty() && !self.program.uses_coordinates()
    }

    /// Evaluates all rows at time `t` in parallel. Returns one value for each point.
    ///
    /// # Panics
    /// Panics if an array has fewer rows than there are points.
    pub fn values(&self, points: &[[f64; 3]], t: f64) -> Vec<f64> {
        let mut values = vec![0.0; points.len()];
        values.par_chunks_mut(TASK).enumerate().for_each(|(k, out)| {
            let start = k * TASK;
            self.evaluate_into(points, start..start + out.len(), t, out);
        });
        values
    }
}

/// One row of a field as a function of time.
struct Row<'a> {
    field: &'a Field,
    points: &'a [[f64; 3]],
    row: usize,
    scratch: &'a mut Scratch<Enclosure>,
}

impl Function for Row<'_> {
    fn value(&mut self, t: f64) -> f64 {
        let mut value = [0.0];
        self.field.evaluate_into(self.points, self.row..self.row + 1, t, &mut value);
        value[0]
    }

    fn bounds(&mut self, span: TimeSpan) -> Enclosure {
        let Row { field, points, row, scratch } = self;
        let mut bounds = [Enclosure::default()];
        let (arrays, rows) = (|k: usize| &*field.arrays[k], *row..*row + 1);
        field.program.run(scratch, points, arrays, rows, Enclosure::of_time(span), &mut bounds);
        bounds[0]
    }
}
