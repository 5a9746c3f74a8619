//! Formulas in coordinates, time and data arrays, such as `0.1*(1 + sin(x)*y)`. The grammar is in
//! docs/expressions.md.
//!
//! An [`Expression`] is a parsed string with a syntax tree ([`Node`]). The tree can be walked, for
//! example to print it in another language. A [`Field`] is an expression bound to its arrays and
//! compiled for fast evaluation of many rows. A [`Lattice`] holds expressions compiled for blocks
//! of a regular grid, and [`Columns`] holds an expression whose data are passed in blocks.
//! [`Unary`] and [`Binary`] define the operators.
//!
//! ```
//! use zeroset_core::expression::{Expression, Field};
//!
//! let expression: Expression = "1 + depth*x^2".parse().unwrap();
//! assert_eq!(expression.names(), ["depth"]);
//! let field = Field::bind(&expression, |_name| Ok(vec![0.5, 2.0].into()))?;
//! assert_eq!(field.values(&[[1.0, 0.0, 0.0], [3.0, 0.0, 0.0]], 0.0), [1.5, 19.0]);
//!
//! let flaw = Expression::parse("2*sinn(x)").unwrap_err();
//! assert!(flaw.to_string().contains("did you mean `sin`?"));
//! assert!(flaw.to_string().ends_with("\n    | 2*sinn(x)\n    |   ^^^^"));
//! # Ok::<(), zeroset_core::Error>(())
//! ```
//!
//! zeroset has its own parser because no crate with a permissive license was found that meets all
//! requirements: this grammar (comparisons, `if`, functions of several arguments, names in braces,
//! `^` above the unary minus), access to the tree and to positions in the text, and bitwise
//! identical values on every machine. The other parsers hide the tree, support only operators with
//! one or two operands, or call the mathematical functions of the system.

mod axis_loops;
mod axis_program;
mod columns;
mod cuda;
mod enclosure;
mod field;
mod flaw;
mod hoisting;
mod lattice;
mod number;
mod operators;
mod parse;
mod program;
mod sampling;
mod syntax_tree;
#[cfg(test)]
mod tests;
mod token;

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Visitor};
use serde::ser::{Serialize, Serializer};

pub use columns::Columns;
#[doc(hidden)]
pub use cuda::{Generated, Predicate};
pub use field::Field;
pub use flaw::Flaw;
pub use lattice::Lattice;
pub use sampling::{Accuracy, Sampling, TimeSpan};
pub use syntax_tree::{Binary, Node, Unary, Variable, is_true, select};

/// A parsed formula. Two expressions are equal if their texts are equal.
#[derive(Clone)]
pub struct Expression {
    text: String,
    tree: Node,
}

impl Expression {
    /// Parses a string.
    ///
    /// # Errors
    /// Returns a [`Flaw`] that points at the first error.
    pub fn parse(text: &str) -> Result<Self, Flaw> {
        Ok(Expression { tree: parse::parse(text)?, text: text.to_string() })
    }

    /// Returns the flaws in a string, at most one for each function with an unknown name or a wrong
    /// number of arguments, and one for the first other error. The list is empty if
    /// [`Expression::parse`] succeeds. Otherwise, it begins with the error that
    /// [`Expression::parse`] returns.
    pub fn flaws(text: &str) -> Vec<Flaw> {
        parse::flaws(text)
    }

    /// Returns the text that the expression was parsed from.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the names of the data arrays, each once, in the order of their first appearance.
    pub fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        self.tree.walk(&mut |node| {
            if let Node::Array { name, .. } = node
                && !names.contains(&name.as_str())
            {
                names.push(name);
            }
        });
        names
    }

    /// Returns true if the expression uses `t`.
    pub fn uses_time(&self) -> bool {
        let mut found = false;
        self.tree.walk(&mut |node| found |= *node == Node::Variable(Variable::T));
        found
    }

    /// Returns the value if the expression contains neither variables nor data arrays.
    pub fn constant(&self) -> Option<f64> {
        match self.tree {
            Node::Number(value) => Some(value),
            _ => None,
        }
    }

    /// Returns the syntax tree, with constant parts replaced by their values.
    pub fn tree(&self) -> &Node {
        &self.tree
    }

    /// Creates a flaw for the value at a point, in mesh units, at time `t`, in the unit of the
    /// case. It points at the data array that makes the value infinite or NaN, or else at the first
    /// subexpression whose value is not finite, or at the whole text if all are finite. `array`
    /// returns the numbers of the data arrays at that point.
    pub fn flaw_at(
        &self,
        point: [f64; 3],
        t: f64,
        array: &mut dyn FnMut(&str) -> f64,
        what: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Flaw {
        if let Some((_, span)) = self.tree.array_at_fault(point, t, array) {
            return Flaw::new(&self.text, span, what, remedy);
        }
        let parts = parse::parts(&self.text);
        let broken = parts.iter().find(|(_, node)| !node.value(point, t, array).is_finite());
        let text = self.text.trim();
        let start = self.text.len() - self.text.trim_start().len();
        let span = broken.map_or(start..start + text.len(), |(span, _)| span.clone());
        Flaw::new(&self.text, span, what, remedy)
    }

    /// Returns the byte range of the first occurrence of an array in the text, or `0..0` if there
    /// is none.
    fn place_of(&self, array: &str) -> Range<usize> {
        let mut place = None;
        self.tree.walk(&mut |node| match node {
            Node::Array { name, span } if name == array && place.is_none() => {
                place = Some(span.clone());
            }
            _ => {}
        });
        place.unwrap_or(0..0)
    }
}

impl From<f64> for Expression {
    /// Converts a number. The text of a finite number parses to the same number.
    fn from(value: f64) -> Self {
        Expression { text: value.to_string(), tree: Node::Number(value) }
    }
}

impl FromStr for Expression {
    type Err = Flaw;
    fn from_str(text: &str) -> Result<Self, Flaw> {
        Expression::parse(text)
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Expression").field(&self.text).finish()
    }
}

impl PartialEq for Expression {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl JsonSchema for Expression {
    fn schema_name() -> Cow<'static, str> {
        "Expression".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "description": "formula in x, y, z, t and names of data arrays, see docs/expressions.md",
            "examples": ["1 + 0.5*sin(x)"],
        })
    }
}

impl Serialize for Expression {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

impl<'de> Deserialize<'de> for Expression {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;
        impl Visitor<'_> for Text {
            type Value = Expression;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("an expression as a string, such as \"1 + x^2\"")
            }
            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Expression, E> {
                Expression::parse(text).map_err(E::custom)
            }
        }
        deserializer.deserialize_str(Text)
    }
}
