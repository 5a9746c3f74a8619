//! Fields printed as CUDA source: a tree becomes a function that calls the operators of
//! `kernels/expression.cuh`, with one statement per operator.
//!
//! Like [`Field`] on the CPU, the generated code computes in double precision, whatever the
//! precision of the solver. The results on the two devices may differ only by the rounding of the
//! transcendental functions: the GPU uses the CUDA library, the CPU uses `libm`.

use std::collections::HashMap;
use std::fmt::Write;
use std::sync::Arc;

use super::hoisting;
use super::syntax_tree::{Binary, Node, Unary, Variable};
use super::{Expression, Field};

/// The fields of one kernel module as CUDA source, with the data arrays that the code reads.
///
/// The text is a header, [`Generated::NAME`], for `kernels/coefficients.cu`. It contains a function
/// `field_<k>` for each field k; `fields_at`, which calls all of them; `field_at`, which calls one
/// of them; and `term_of`, which returns the range of fields that belong to the same term as a
/// given field. If no field reads a data array, it also contains the functions for voxels.
#[derive(Clone, Debug)]
pub struct Generated {
    text: String,
    arrays: Vec<Arc<[f64]>>,
    n_fields: usize,
}

impl Generated {
    /// The file name under which kernels include the header.
    pub const NAME: &str = "coefficients_generated.cuh";

    /// Generates the code for the fields of all terms, one field per component. The fields are
    /// numbered consecutively across terms, and their data arrays must have the same rows.
    /// Identical arrays are listed once.
    pub fn new(terms: &[&[Field]]) -> Self {
        let mut text = String::from("#pragma once\n#include \"enclosure.cuh\"\n\n");
        let mut arrays: Vec<Arc<[f64]>> = Vec::new();
        let (mut calls, mut choices, mut ranges) = (String::new(), String::new(), String::new());
        let mut n_fields = 0;
        for fields in terms {
            let (first, size) = (n_fields, fields.len());
            for field in *fields {
                let mut place = |array: &Arc<[f64]>| {
                    arrays.iter().position(|known| are_same(known, array)).unwrap_or_else(|| {
                        arrays.push(array.clone());
                        arrays.len() - 1
                    })
                };
                let places: Vec<usize> = field.arrays().iter().map(&mut place).collect();
                let name = format!("field_{n_fields}");
                text += &function(&name, field.tree(), &places);
                let call = format!("{name}(x, y, z, t, arrays, row)");
                let _ = writeln!(calls, "    value[{n_fields}] = {call};");
                let _ = writeln!(choices, "    if (field == {n_fields}) return {call};");
                n_fields += 1;
            }
            let range = format!("{{ first = {first}; size = {size}; return; }}");
            let _ = writeln!(ranges, "    if (field < {n_fields}) {range}");
        }
        let _ = write!(
            text,
            "constexpr u32 N_FIELDS = {n_fields};\n\n\
             // All fields at one row, in order.\n\
             template <class T>\n\
             DEVICE void fields_at({PARAMETERS}, T* value) {{\n{calls}}}\n\n\
             // One field at one row.\n\
             template <class T>\n\
             DEVICE T field_at(u32 field, {PARAMETERS}) {{\n{choices}    return T(0.0);\n}}\n\n\
             // The first field of the term of a field, and the size of the term.\n\
             DEVICE void term_of(u32 field, u32& first, u32& size) {{\n{ranges}}}\n"
        );
        let trees: Vec<_> =
            terms.iter().flat_map(|fields| fields.iter().map(Field::tree)).collect();
        text += &hoisting::functions(&trees);
        Generated { text, arrays, n_fields }
    }

    /// Returns the code of one term that uses time and the functions that need the most registers
    /// and code.
    ///
    /// It replaces the header of a case when kernels are compiled without one.
    pub fn example() -> Self {
        let x = || Box::new(Node::Variable(Variable::X));
        let power = Node::Binary(Binary::Power, Box::new(Node::Unary(Unary::Sin, x())), x());
        let t = Box::new(Node::Variable(Variable::T));
        let tree = Node::Binary(Binary::Atan2, Box::new(power), t);
        Generated::new(&[&[Field::new(tree, &|_| 0, Vec::new(), true)]])
    }

    /// Returns the text of the header.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the data arrays in the order of the parameter `arrays` of the generated functions.
    /// Each array has one number per row, in the row order of the fields.
    pub fn arrays(&self) -> &[Arc<[f64]>] {
        &self.arrays
    }

    /// Returns the number of fields of all terms.
    pub fn n_fields(&self) -> usize {
        self.n_fields
    }
}

/// A condition as CUDA source for `kernels/primitives/discriminator.cuh`.
///
/// The text is a header, [`Predicate::NAME`], with a function `holds` of x, y, z and the names. It
/// returns true if the value of the expression is neither 0 nor NaN.
#[derive(Clone, Debug)]
pub struct Predicate {
    text: String,
}

impl Predicate {
    /// The file name under which the kernel includes the header.
    pub const NAME: &str = "predicate_generated.cuh";

    /// Generates the code for an expression in x, y, z and `names`. The expression must not depend
    /// on time.
    pub fn new(expression: &Expression, names: &[&str]) -> Self {
        Self::of(expression.tree(), &expression.names(), names)
    }

    fn of(tree: &Node, used: &[&str], names: &[&str]) -> Self {
        let (body, result) = statements(tree, &mut str::to_string);
        let parameters: String = names.iter().map(|name| format!(", double {name}")).collect();
        let uses = |name: &&str| {
            let upper = name.to_uppercase();
            format!("constexpr bool USES_{upper} = {};\n", used.contains(name))
        };
        let uses: String = names.iter().map(uses).collect();
        let text = format!(
            "#pragma once\n#include \"expression.cuh\"\n\n// The names that the expression uses.\n{uses}\n\
             DEVICE bool holds(double x, double y, double z{parameters}) {{\n{body}\
             \x20   const double result = {result};\n\
             \x20   return expression::is_true(result);\n}}\n"
        );
        Predicate { text }
    }

    /// Returns a condition that uses every kind of name. It replaces the generated header when
    /// kernels are compiled without an expression.
    pub fn example() -> Self {
        let variable = |name: &str| Box::new(Node::Array { name: name.into(), span: 0..0 });
        let tree =
            Node::Binary(Binary::Power, variable("v"), Box::new(Node::Variable(Variable::X)));
        let indices = Node::Binary(Binary::Atan2, variable("i"), variable("k"));
        let tree = Node::Binary(Binary::Less, Box::new(tree), Box::new(indices));
        Self::of(&tree, &["v", "i", "k"], &["v", "i", "j", "k"])
    }

    /// Returns the text of the header.
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// Returns true if two arrays hold the same bits and can therefore share memory on the device.
fn are_same(a: &Arc<[f64]>, b: &Arc<[f64]>) -> bool {
    let equal = || a.iter().zip(b.iter()).all(|(a, b)| a.to_bits() == b.to_bits());
    Arc::ptr_eq(a, b) || a.len() == b.len() && equal()
}

const PARAMETERS: &str = "double x, double y, double z, T t, const double* const* arrays, u32 row";

/// Returns the source of a `__device__` function that computes the value of `tree` at one row.
/// Array k of the tree is `arrays[places[k]]`.
fn function(name: &str, tree: &Node, places: &[usize]) -> String {
    let mut arrays: HashMap<String, usize> = HashMap::new();
    let (body, result) = statements(tree, &mut |name| {
        let first_seen = arrays.len();
        let k = *arrays.entry(name.to_string()).or_insert(first_seen);
        format!("arrays[{}][row]", places[k])
    });
    format!(
        "template <class T>\nDEVICE T {name}({PARAMETERS}) {{\n{body}    return {result};\n}}\n\n"
    )
}

/// Returns the statements for a tree, and the C++ expression of its value. `column` returns the
/// code that reads a data array.
fn statements(tree: &Node, column: &mut dyn FnMut(&str) -> String) -> (String, String) {
    let mut printer = Printer { body: String::new(), next: 0, column };
    let result = printer.print(tree);
    (printer.body, result)
}

/// The statements printed so far. There is one per operator, because a tree may be deeper than the
/// nesting of parentheses that compilers are guaranteed to accept.
struct Printer<'c> {
    body: String,
    /// The index of the next result.
    next: usize,
    column: &'c mut dyn FnMut(&str) -> String,
}

impl Printer<'_> {
    /// Prints the statements of a node and returns the C++ expression of its value.
    fn print(&mut self, node: &Node) -> String {
        let call = match node {
            Node::Number(value) => return number(*value),
            Node::Variable(Variable::X) => return "x".into(),
            Node::Variable(Variable::Y) => return "y".into(),
            Node::Variable(Variable::Z) => return "z".into(),
            Node::Variable(Variable::T) => return "t".into(),
            Node::Array { name, .. } => return (self.column)(name),
            Node::Unary(op, a) => format!("{}({})", unary(*op), self.print(a)),
            Node::Binary(op, a, b) => {
                let a = self.print(a);
                format!("{}({a}, {})", binary(*op), self.print(b))
            }
            Node::If(nodes) => {
                let [c, a, b] = nodes.each_ref().map(|node| self.print(node));
                format!("select({c}, {a}, {b})")
            }
        };
        let result = format!("v{}", self.next);
        self.next += 1;
        let _ = writeln!(self.body, "    const auto {result} = expression::{call};");
        result
    }
}

/// Returns a C++ expression with the bits of `value`, except for the sign and payload of a NaN.
pub(super) fn number(value: f64) -> String {
    if value.is_nan() {
        "(0.0 * expression::infinity())".into()
    } else if value.is_infinite() {
        format!("({}expression::infinity())", if value < 0.0 { "-" } else { "" })
    } else {
        // The shortest text that parses to the same number. It always has a point or an exponent.
        format!("({value:?})")
    }
}

/// Returns the name of the operator in `expression.cuh`.
pub(super) fn unary(op: Unary) -> &'static str {
    match op {
        Unary::Negate => "negate",
        Unary::Not => "logical_not",
        Unary::Abs => "absolute",
        Unary::Sqrt => "square_root",
        Unary::Exp => "exponential",
        Unary::Log => "logarithm",
        Unary::Sin => "sine",
        Unary::Cos => "cosine",
        Unary::Tan => "tangent",
        Unary::Asin => "arc_sine",
        Unary::Acos => "arc_cosine",
        Unary::Tanh => "hyperbolic_tangent",
        Unary::Floor => "round_down",
        Unary::Sign => "sign",
        Unary::Step => "step",
        Unary::IsNan => "is_nan",
    }
}

/// Returns the name of the operator in `expression.cuh`.
pub(super) fn binary(op: Binary) -> &'static str {
    match op {
        Binary::Add => "add",
        Binary::Subtract => "subtract",
        Binary::Multiply => "multiply",
        Binary::Divide => "divide",
        Binary::Power => "power",
        Binary::Less => "less",
        Binary::LessEqual => "less_equal",
        Binary::Greater => "greater",
        Binary::GreaterEqual => "greater_equal",
        Binary::Equal => "equal",
        Binary::NotEqual => "not_equal",
        Binary::And => "logical_and",
        Binary::Or => "logical_or",
        Binary::Min => "minimum",
        Binary::Max => "maximum",
        Binary::Atan2 => "angle",
    }
}
