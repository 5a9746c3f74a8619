//! An expression over named columns of numbers that are passed in blocks.

use std::cell::RefCell;

use super::program::{Program, Scratch};
use super::{Expression, Flaw};
use crate::error::{Error, Result};
use crate::words::suggest;

thread_local! {
    static SCRATCH: RefCell<Scratch<f64>> = RefCell::default();
}

/// An expression bound to column names. The numbers are passed with each call. This suits data that
/// are too large to be stored as `f64` arrays, such as the values and indices of voxels.
///
/// ```
/// use zeroset_core::expression::{Columns, Expression};
///
/// let expression: Expression = "v > 10*x && i < 2".parse().unwrap();
/// let columns = Columns::bind(&expression, &["v", "i"])?;
/// let mut values = [0.0; 2];
/// columns.evaluate_into(&[[1.0, 0.0, 0.0]; 2], &[&[11.0, 9.0], &[0.0, 1.0]], &mut values);
/// assert_eq!(values, [1.0, 0.0]);
/// # Ok::<(), zeroset_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Columns {
    program: Program,
    used: Vec<bool>,
}

impl Columns {
    /// Binds an expression in x, y, z and the given names, one for each column.
    ///
    /// # Errors
    /// Returns [`Error::Case`] if the expression uses time or any other name. The message points at
    /// that name.
    pub fn bind(expression: &Expression, names: &[&str]) -> Result<Self> {
        if expression.uses_time() {
            let what = format!("{expression}: the time t is not available here");
            return Err(Error::usage(what, "remove t"));
        }
        let number = |name: &str| names.iter().position(|known| *known == name);
        for name in expression.names() {
            if number(name).is_none() {
                let known: Vec<&str> = names.iter().chain(&["x", "y", "z"]).copied().collect();
                let span = expression.place_of(name);
                let what = format!("unknown name `{name}`");
                return Err(Flaw::new(expression.text(), span, what, suggest(name, &known)).into());
            }
        }
        let used = names.iter().map(|name| expression.names().contains(name)).collect();
        let program = Program::new(expression.tree(), &|name| number(name).unwrap_or(0));
        Ok(Columns { program, used })
    }

    /// Returns true if the expression uses a column. Columns that are not used may be empty.
    pub fn uses(&self, column: usize) -> bool {
        self.used[column]
    }

    /// Returns true if the expression uses a coordinate. If not, the list of points may be empty.
    pub fn uses_coordinates(&self) -> bool {
        self.program.uses_coordinates()
    }

    /// Evaluates the rows and writes the values to `out`, `[rows]`. `points` holds the coordinates
    /// of each row, and `columns` one array `[rows]` for each bound name. The bits of each value
    /// depend only on the numbers of its row.
    ///
    /// # Panics
    /// Panics if the points or a column that the expression uses are shorter than `out`.
    pub fn evaluate_into(&self, points: &[[f64; 3]], columns: &[&[f64]], out: &mut [f64]) {
        SCRATCH.with_borrow_mut(|scratch| {
            self.program.run(scratch, points, |k| columns[k], 0..out.len(), 0.0, out);
        });
    }
}
