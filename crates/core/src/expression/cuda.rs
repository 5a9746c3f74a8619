//! Fields as CUDA source: a tree becomes a function of calls to the operators of
//! `kernels/expression.cuh`, one statement per node.
//!
//! The generated code computes in double, whatever the precision of the solver, as [`Field`] does
//! on the CPU. Results may differ from the CPU's by the rounding of the transcendental functions,
//! which are the device library's there and those of `libm` here; all else is the same.

use std::collections::HashMap;
use std::fmt::Write;
use std::sync::Arc;

use super::hoisting;
use super::tree::{Binary, Node, Unary, Variable};
use super::{Expression, Field};

/// Fields printed for one module, and the data arrays their code reads.
///
/// The text is a header, [`Generated::NAME`], for `kernels/coefficients.cu`: a function `field_<k>`
/// for the field of number k, `fields_at`, which calls all of them, and `term_of`, which says what
/// fields make up a term.
#[derive(Clone, Debug)]
pub struct Generated {
    text: String,
    arrays: Vec<Arc<[f64]>>,
    n_fields: usize,
}

impl Generated {
    /// What kernels include the header as.
    pub const NAME: &str = "coefficients_generated.cuh";

    /// Prints the fields of terms, one field per component, numbered through; all over the same
    /// rows. Arrays with the same numbers are listed once.
    pub fn new(terms: &[&[Field]]) -> Self {
        let mut text = String::from("#pragma once\n#include \"expression.cuh\"\n\n");
        let mut arrays: Vec<Arc<[f64]>> = Vec::new();
        let (mut calls, mut ranges) = (String::new(), String::new());
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
                let _ = writeln!(calls, "    value[{n_fields}] = {name}(x, y, z, t, arrays, row);");
                n_fields += 1;
            }
            let range = format!("{{ first = {first}; size = {size}; return; }}");
            let _ = writeln!(ranges, "    if (field < {n_fields}) {range}");
        }
        let _ = write!(
            text,
            "constexpr u32 N_FIELDS = {n_fields};\n\n\
             // The fields at one row, in their order.\n\
             DEVICE void fields_at({PARAMETERS}, double* value) {{\n{calls}}}\n\n\
             // First field of the term of a field, and how many it has.\n\
             DEVICE void term_of(u32 field, u32& first, u32& size) {{\n{ranges}}}\n"
        );
        let trees: Vec<_> =
            terms.iter().flat_map(|fields| fields.iter().map(Field::tree)).collect();
        text += &hoisting::functions(&trees);
        Generated { text, arrays, n_fields }
    }

    /// One term with the functions that take most registers and code, and the time.
    ///
    /// It stands for the header of a case where kernels are compiled without one.
    pub fn example() -> Self {
        let x = || Box::new(Node::Variable(Variable::X));
        let power = Node::Binary(Binary::Power, Box::new(Node::Unary(Unary::Sin, x())), x());
        let t = Box::new(Node::Variable(Variable::T));
        let tree = Node::Binary(Binary::Atan2, Box::new(power), t);
        Generated::new(&[&[Field::new(tree, &|_| 0, Vec::new(), true)]])
    }

    /// The header.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Data arrays in the order of the parameter `arrays` of the generated functions, one number
    /// per row, rows in the order of the fields.
    pub fn arrays(&self) -> &[Arc<[f64]>] {
        &self.arrays
    }

    /// Number of fields of all terms.
    pub fn n_fields(&self) -> usize {
        self.n_fields
    }
}

/// A condition printed for `kernels/primitives/discriminator.cuh`.
///
/// The text is a header, [`Predicate::NAME`], with a function `holds` of x, y, z and the names: whether
/// the expression is neither 0 nor no number.
#[derive(Clone, Debug)]
pub struct Predicate {
    text: String,
}

impl Predicate {
    /// What the kernel includes the header as.
    pub const NAME: &str = "predicate_generated.cuh";

    /// Prints an expression of x, y, z and these names, without the time.
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
            "#pragma once\n#include \"expression.cuh\"\n\n// What the expression has.\n{uses}\n\
             DEVICE bool holds(double x, double y, double z{parameters}) {{\n{body}\
             \x20   const double result = {result};\n\
             \x20   return result != 0.0 && result == result;\n}}\n"
        );
        Predicate { text }
    }

    /// A condition of all names, which stands for that of a call where kernels are compiled without one.
    pub fn example() -> Self {
        let variable = |name: &str| Box::new(Node::Array { name: name.into(), span: 0..0 });
        let tree =
            Node::Binary(Binary::Power, variable("v"), Box::new(Node::Variable(Variable::X)));
        let indices = Node::Binary(Binary::Atan2, variable("i"), variable("k"));
        let tree = Node::Binary(Binary::Less, Box::new(tree), Box::new(indices));
        Self::of(&tree, &["v", "i", "k"], &["v", "i", "j", "k"])
    }

    /// The header.
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// Whether two arrays hold the same bits, and so can be one on the device.
fn are_same(a: &Arc<[f64]>, b: &Arc<[f64]>) -> bool {
    let equal = || a.iter().zip(b.iter()).all(|(a, b)| a.to_bits() == b.to_bits());
    Arc::ptr_eq(a, b) || a.len() == b.len() && equal()
}

const PARAMETERS: &str =
    "double x, double y, double z, double t, const double* const* arrays, u32 row";

/// A `__device__` function with the value of `tree` at one row; its array of number k is
/// `arrays[places[k]]`.
fn function(name: &str, tree: &Node, places: &[usize]) -> String {
    let mut arrays: HashMap<String, usize> = HashMap::new();
    let (body, result) = statements(tree, &mut |name| {
        let first_seen = arrays.len();
        let k = *arrays.entry(name.to_string()).or_insert(first_seen);
        format!("arrays[{}][row]", places[k])
    });
    format!("DEVICE double {name}({PARAMETERS}) {{\n{body}    return {result};\n}}\n\n")
}

/// Statements for a tree, and the C++ expression of its value; `column` says how a name is read.
fn statements(tree: &Node, column: &mut dyn FnMut(&str) -> String) -> (String, String) {
    let mut printer = Printer { body: String::new(), next: 0, column };
    let result = printer.print(tree);
    (printer.body, result)
}

/// Statements so far. One per node: parentheses as deep as a tree may be are more than compilers
/// promise to read.
struct Printer<'c> {
    body: String,
    /// Number of the next result.
    next: usize,
    column: &'c mut dyn FnMut(&str) -> String,
}

impl Printer<'_> {
    /// Adds what a node needs; gives the C++ expression of its value.
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
        let _ = writeln!(self.body, "    const double {result} = expression::{call};");
        result
    }
}

/// A literal of the same bits; the sign and payload of what is not a number do not matter.
pub(super) fn number(value: f64) -> String {
    if value.is_nan() {
        "(0.0 * expression::infinity())".into()
    } else if value.is_infinite() {
        format!("({}expression::infinity())", if value < 0.0 { "-" } else { "" })
    } else {
        // The shortest text that reads as the same number, always with a point or an exponent.
        format!("({value:?})")
    }
}

/// Name in `expression.cuh`.
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
    }
}

/// Name in `expression.cuh`.
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
