//! An expression compiled for rows that are handed in block by block.

use std::cell::RefCell;

use super::program::{Program, Scratch};
use super::{Expression, Flaw};
use crate::error::Result;
use crate::words::suggest;

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// An expression over more rows than its arrays should be in memory for at once, such as the voxels
/// of a volume: a [`Field`](super::Field) whose arrays come with each block. The bits are the same.
#[derive(Clone, Debug)]
pub struct Rows {
    program: Program,
}

impl Rows {
    /// Compiles an expression whose data arrays are among `names`.
    ///
    /// # Errors
    /// [`crate::Error::Case`] for another array, pointing at its name; `there_are` says what the names mean.
    pub fn compile(expression: &Expression, names: &[&str], there_are: &str) -> Result<Self> {
        if let Some(name) = expression.names().into_iter().find(|name| !names.contains(name)) {
            let span = expression.place_of(name);
            let what = format!("there is no `{name}` here: there are {there_are}");
            return Err(Flaw::new(expression.text(), span, what, suggest(name, names)).into());
        }
        let number = |name: &str| names.iter().position(|known| *known == name).unwrap_or(0);
        Ok(Rows { program: Program::new(expression.tree(), &number) })
    }

    /// True if values depend on coordinates.
    pub fn uses_coordinates(&self) -> bool {
        self.program.uses_coordinates()
    }

    /// Evaluates a block of rows at time `t`: `arrays` are those of the names, in their order.
    /// `points` may be empty if no coordinate is used.
    ///
    /// # Panics
    /// If an array, or the points where they are used, are fewer than the rows of `out`.
    pub fn evaluate_into(&self, points: &[[f64; 3]], arrays: &[&[f64]], t: f64, out: &mut [f64]) {
        SCRATCH.with_borrow_mut(|scratch| {
            self.program.run(scratch, points, |k| arrays[k], 0..out.len(), t, out);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expression::Field;

    #[test]
    fn blocks_have_the_bits_of_a_field() {
        let expression: Expression = "if(v > 3, x*v, y - w/7)".parse().unwrap();
        let rows = Rows::compile(&expression, &["v", "w"], "v and w").unwrap();
        assert!(rows.uses_coordinates());
        let column = |a: f64| (0..1000).map(|i| (a * f64::from(i)).sin() * 9.0).collect::<Vec<_>>();
        let (v, w) = (column(0.3), column(0.7));
        let points: Vec<[f64; 3]> = column(1.1).into_iter().map(|x| [x, 1.0 / x, 0.0]).collect();
        let field = Field::bind(&expression, |name| {
            Ok(if name == "v" { v.clone() } else { w.clone() }.into())
        });
        let mut out = vec![0.0; 1000];
        for start in [0, 600] {
            let end = (start + 600).min(1000);
            rows.evaluate_into(
                &points[start..end],
                &[&v[start..end], &w[start..end]],
                0.0,
                &mut out[start..end],
            );
        }
        assert_eq!(out, field.unwrap().values(&points, 0.0));
    }

    #[test]
    fn other_names_are_pointed_at() {
        let expression: Expression = "1 + vv".parse().unwrap();
        let error = Rows::compile(&expression, &["v"], "v, the value").unwrap_err().to_string();
        assert!(error.contains("there is no `vv` here: there are v, the value"), "{error}");
        assert!(error.contains("did you mean `v`?") && error.contains("^^"), "{error}");
    }
}
