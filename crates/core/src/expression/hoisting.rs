//! Fields on voxels printed as CUDA source. Parts that depend only on time, or only on one
//! coordinate and time, are computed once and shared by voxels.
//!
//! ```text
//! N_TIME_PARTS   number of parts that depend only on time, at least 1
//! N_AXIS_PARTS   number of parts of the axis that has the most, at least 1
//! time_parts(t, of_time)       computes the parts that depend only on time
//! axis_parts(axis, at, t, of_time, of_axis)   computes the parts of an axis at a coordinate
//! fields_of_parts(x, y, z, t, of_time, of_x, of_y, of_z, value)   computes all fields at a voxel
//! ```
//!
//! The operations and their order are the same as in [`Spread`](super::axis_program::Spread). The
//! results are therefore bitwise identical to those of a [`Field`](super::Field), except for
//! differences in the mathematical functions of the device.

use std::fmt::Write;

use super::axis_loops::Mask;
use super::axis_program::{Operation, Values};
use super::cuda::{binary, number, unary};
use super::syntax_tree::Node;

/// The largest number of parts of an axis, and the largest number of parts that depend only on
/// time. Shared memory has no room for more. Any further parts are computed for each voxel.
const MOST: usize = 8;

/// Returns the source of the functions for the trees, in order. Returns an empty string if a tree
/// has a data array, because voxels have no data arrays.
pub(super) fn functions(trees: &[&Node]) -> String {
    let mut values = Values::default();
    let numbers: Result<Vec<usize>, _> = trees.iter().map(|tree| values.number(tree)).collect();
    numbers.map_or_else(|_| String::new(), |results| Printer::new(&values, &results).print())
}

/// The place from which the generated code reads a value.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    /// A separate statement.
    Statement,
    /// An entry of the array of parts that depend only on time.
    Time(usize),
    /// An entry of the parts of an axis.
    Axis(usize, usize),
}

struct Printer<'v> {
    values: &'v Values,
    results: &'v [usize],
    places: Vec<Place>,
    /// The number of parts for each axis, and for time (index 3).
    counts: [usize; 4],
}

/// Returns the axis of a value that depends on only one axis, 3 if it depends on none, or `None` if
/// it depends on several.
fn axis_of(mask: Mask) -> Option<usize> {
    [Mask::axis(0), Mask::axis(1), Mask::axis(2), Mask::default()].iter().position(|m| *m == mask)
}

impl<'v> Printer<'v> {
    fn new(values: &'v Values, results: &'v [usize]) -> Self {
        let n = values.operations.len();
        let mut printer =
            Printer { values, results, places: vec![Place::Statement; n], counts: [0; 4] };
        let mut is_shared = vec![false; n];
        results.iter().for_each(|&k| is_shared[k] = true);
        for (k, operation) in values.operations.iter().enumerate() {
            let wider = |a: &usize| values.masks[*a] != values.masks[k];
            operation.operands().filter(wider).for_each(|a| is_shared[a] = true);
        }
        for k in (0..n).filter(|&k| is_shared[k] && values.operations[k].operands().count() > 0) {
            let Some(axis) = axis_of(values.masks[k]) else { continue };
            let at = printer.counts[axis];
            if at < MOST {
                printer.counts[axis] += 1;
                printer.places[k] = if axis == 3 { Place::Time(at) } else { Place::Axis(axis, at) };
            }
        }
        printer
    }

    /// Returns the C++ expression of value `k`. `within` is the function that uses it: `axis_parts`
    /// of an axis, `time_parts` (3) or `fields_of_parts` (`None`).
    fn operand(&self, k: usize, within: Option<usize>) -> String {
        match (self.values.operations[k], self.places[k]) {
            (Operation::Number(bits), _) => number(f64::from_bits(bits)),
            (Operation::Time, _) => "t".into(),
            (Operation::Axis(_), _) if within.is_some() => "at".into(),
            (Operation::Axis(axis), _) => ["x", "y", "z"][axis].into(),
            (_, Place::Time(n)) if within != Some(3) => format!("of_time[{n}]"),
            (_, Place::Axis(axis, n)) if within.is_none() => {
                format!("{}[{n}]", ["of_x", "of_y", "of_z"][axis])
            }
            _ => format!("v{k}"),
        }
    }

    /// Returns the statements that compute the values `goals`.
    fn body(&self, goals: &[usize], within: Option<usize>, indent: &str) -> String {
        let mut needed = vec![false; self.values.operations.len()];
        goals.iter().for_each(|&k| needed[k] = true);
        let mut lines = Vec::new();
        for (k, operation) in self.values.operations.iter().enumerate().rev() {
            let name = format!("v{k}");
            if !needed[k] || self.operand(k, within) != name {
                continue;
            }
            operation.operands().for_each(|a| needed[a] = true);
            let of = |a: usize| self.operand(a, within);
            let call = match *operation {
                Operation::Unary(op, a) => format!("{}({})", unary(op), of(a)),
                Operation::Binary(op, a, b) => format!("{}({}, {})", binary(op), of(a), of(b)),
                Operation::Select([c, a, b]) => format!("select({}, {}, {})", of(c), of(a), of(b)),
                Operation::Number(_) | Operation::Time | Operation::Axis(_) => continue,
            };
            lines.push(format!("{indent}const double {name} = expression::{call};\n"));
        }
        lines.into_iter().rev().collect()
    }

    /// Returns the statements that write the parts for an axis, or for time (3), to an array.
    fn parts(&self, axis: usize, into: &str, indent: &str) -> String {
        let is_part = |k: &usize| match self.places[*k] {
            Place::Time(_) => axis == 3,
            Place::Axis(own, _) => own == axis,
            Place::Statement => false,
        };
        let goals: Vec<usize> = (0..self.places.len()).filter(is_part).collect();
        let mut text = self.body(&goals, Some(axis), indent);
        for (n, k) in goals.iter().enumerate() {
            let _ = writeln!(text, "{indent}{into}[{n}] = v{k};");
        }
        text
    }

    fn print(&self) -> String {
        let along = self.counts[..3].iter().max().copied().unwrap_or(0);
        let mut text = format!(
            "\nconstexpr u32 N_TIME_PARTS = {};\nconstexpr u32 N_AXIS_PARTS = {};\n\n",
            self.counts[3].max(1),
            along.max(1)
        );
        let _ = write!(
            text,
            "// Parts of the fields that depend only on the time.\n\
             DEVICE void time_parts(double t, double* of_time) {{\n{}}}\n\n\
             // Parts of the fields that depend only on one coordinate and the time.\n\
             DEVICE void axis_parts(u32 axis, double at, double t, const double* of_time, double* of_axis) {{\n",
            self.parts(3, "of_time", "    ")
        );
        for axis in 0..3 {
            let _ = writeln!(text, "    if (axis == {axis}) {{");
            text += &self.parts(axis, "of_axis", "        ");
            text += "    }\n";
        }
        let _ = write!(
            text,
            "}}\n\n// All fields at a voxel, in order.\n\
             DEVICE void fields_of_parts(double x, double y, double z, double t, const double* of_time, \
             const double* of_x,\n                            const double* of_y, const double* of_z, \
             double* value) {{\n{}",
            self.body(self.results, None, "    ")
        );
        for (n, &k) in self.results.iter().enumerate() {
            let _ = writeln!(text, "    value[{n}] = {};", self.operand(k, None));
        }
        text + "}\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expression::Expression;

    fn text(fields: &[&str]) -> String {
        let all: Vec<Expression> = fields.iter().map(|text| text.parse().unwrap()).collect();
        functions(&all.iter().map(Expression::tree).collect::<Vec<_>>())
    }

    #[test]
    fn sines_of_one_coordinate_are_parts_of_its_axis() {
        let text = text(&[
            "2*sin(pi*x)^2*sin(2*pi*y)*sin(2*pi*z)*cos(pi*t/3)",
            "-sin(2*pi*x)*sin(pi*y)^2*sin(2*pi*z)*cos(pi*t/3)",
            "-sin(2*pi*x)*sin(2*pi*y)*sin(pi*z)^2*cos(pi*t/3)",
        ]);
        let (parts, fields) = text.split_once("void fields_of_parts").unwrap();
        assert_eq!(parts.matches("sine(").count(), 7, "{text}");
        assert!(!fields.contains("sine("), "{text}");
        assert!(text.contains("N_TIME_PARTS = 1;") && text.contains("N_AXIS_PARTS = 2;"), "{text}");
    }

    #[test]
    fn what_is_too_much_for_tables_is_left_to_the_voxels() {
        let long: Vec<String> = (1..12).map(|k| format!("sin({k}*x)*y")).collect();
        let text = text(&[&long.join("+")]);
        let (parts, fields) = text.split_once("void fields_of_parts").unwrap();
        assert_eq!(parts.matches("sine(").count(), MOST, "{text}");
        assert_eq!(fields.matches("sine(").count(), 11 - MOST, "{text}");
    }

    #[test]
    fn a_data_array_has_no_voxels() {
        assert_eq!(text(&["x", "a"]), "");
    }
}
