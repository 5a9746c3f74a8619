//! The syntax tree of an expression and the definition of its operators.
//!
//! Every evaluation of an expression, including constant folding, uses the functions
//! [`Unary::apply`], [`Binary::apply`] and [`select`]. They define the operators.

use std::ops::Range;

use super::number::Number;

/// A node of a syntax tree whose constant parts have been replaced by their values.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Node {
    /// A number.
    Number(f64),
    /// A coordinate or the time.
    Variable(Variable),
    /// A data array.
    Array {
        /// The name, without braces.
        name: String,
        /// The byte range in the text where the array occurs, including braces.
        span: Range<usize>,
    },
    /// A prefix operator or a function of one argument.
    Unary(Unary, Box<Node>),
    /// An operator between two operands, or a function of two arguments.
    Binary(Binary, Box<Node>, Box<Node>),
    /// `if(c, a, b)`: a where c is true, b elsewhere.
    If(Box<[Node; 3]>),
}

/// A coordinate or the time: `x`, `y`, `z` or `t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Variable {
    /// First coordinate, mesh units.
    X,
    /// Second coordinate, mesh units.
    Y,
    /// Third coordinate, mesh units.
    Z,
    /// Time, in the unit of the case.
    T,
}

/// An operation with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Unary {
    /// `-a`.
    Negate,
    /// `!a`: 1 where a is 0 or NaN, 0 elsewhere.
    Not,
    /// `abs(a)`.
    Abs,
    /// `sqrt(a)`.
    Sqrt,
    /// `exp(a)`.
    Exp,
    /// `log(a)`, to base e.
    Log,
    /// `sin(a)`, radians.
    Sin,
    /// `cos(a)`, radians.
    Cos,
    /// `tan(a)`, radians.
    Tan,
    /// `asin(a)`, radians.
    Asin,
    /// `acos(a)`, radians.
    Acos,
    /// `tanh(a)`.
    Tanh,
    /// `floor(a)`: the largest integer that is not greater than a.
    Floor,
    /// `sign(a)`: -1, 0 or 1; 0 at 0.
    Sign,
    /// `step(a)`: 1 where a >= 0, 0 elsewhere.
    Step,
    /// `isnan(a)`: 1 where a is NaN, 0 elsewhere.
    IsNan,
}

/// An operation with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Binary {
    /// `a + b`.
    Add,
    /// `a - b`.
    Subtract,
    /// `a * b`.
    Multiply,
    /// `a / b`.
    Divide,
    /// `a ^ b`.
    Power,
    /// `a < b`.
    Less,
    /// `a <= b`.
    LessEqual,
    /// `a > b`.
    Greater,
    /// `a >= b`.
    GreaterEqual,
    /// `a == b`.
    Equal,
    /// `a != b`, which is 0 if an operand is NaN, as for the other comparisons.
    NotEqual,
    /// `a && b`.
    And,
    /// `a || b`.
    Or,
    /// `min(a, b)`; more arguments nest to the left.
    Min,
    /// `max(a, b)`; more arguments nest to the left.
    Max,
    /// `atan2(a, b)`: the angle of the point (b, a), in radians.
    Atan2,
}

impl Unary {
    /// Returns the result for the operand `a`. Transcendental functions are computed by the crate
    /// `libm`, whose results are the same on every machine.
    #[inline(always)]
    pub fn apply(self, a: f64) -> f64 {
        match self {
            Unary::Negate => -a,
            Unary::Not => truth(!is_true(a)),
            Unary::Abs => a.abs(),
            Unary::Sqrt => a.sqrt(),
            Unary::Exp => libm::exp(a),
            Unary::Log => libm::log(a),
            Unary::Sin => libm::sin(a),
            Unary::Cos => libm::cos(a),
            Unary::Tan => libm::tan(a),
            Unary::Asin => libm::asin(a),
            Unary::Acos => libm::acos(a),
            Unary::Tanh => libm::tanh(a),
            Unary::Floor => a.floor(),
            Unary::Sign if a > 0.0 => 1.0,
            Unary::Sign if a < 0.0 => -1.0,
            // Zeros of both signs give 0, and NaN gives NaN.
            Unary::Sign => a + 0.0,
            Unary::Step => truth(a >= 0.0),
            Unary::IsNan => truth(a.is_nan()),
        }
    }
}

impl Binary {
    /// Returns true if the result is 1 or 0 for all operands, including NaN.
    pub(super) fn is_condition(self) -> bool {
        use Binary::*;
        matches!(self, Less | LessEqual | Greater | GreaterEqual | Equal | NotEqual | And | Or)
    }

    /// Returns the result for the operands `a` and `b`. Comparisons and logic give 1 or 0.
    /// Comparisons with NaN give 0.
    #[inline(always)]
    pub fn apply(self, a: f64, b: f64) -> f64 {
        match self {
            Binary::Add => a + b,
            Binary::Subtract => a - b,
            Binary::Multiply => a * b,
            Binary::Divide => a / b,
            Binary::Power => power(a, b),
            Binary::Less => truth(a < b),
            Binary::LessEqual => truth(a <= b),
            Binary::Greater => truth(a > b),
            Binary::GreaterEqual => truth(a >= b),
            Binary::Equal => truth(a == b),
            Binary::NotEqual => truth(a != b && !a.is_nan() && !b.is_nan()),
            Binary::And => truth(is_true(a) && is_true(b)),
            Binary::Or => truth(is_true(a) || is_true(b)),
            // Unlike f64::min, the result is NaN if an operand is NaN.
            Binary::Min => {
                if a < b || a.is_nan() {
                    a
                } else {
                    b
                }
            }
            Binary::Max => {
                if a > b || a.is_nan() {
                    a
                } else {
                    b
                }
            }
            Binary::Atan2 => libm::atan2(a, b),
        }
    }
}

/// Returns the value of `if(c, a, b)`.
#[inline(always)]
pub fn select(c: f64, a: f64, b: f64) -> f64 {
    if is_true(c) { a } else { b }
}

/// Returns true if a value counts as true: if it is neither 0 nor NaN.
#[inline(always)]
pub fn is_true(a: f64) -> bool {
    a != 0.0 && !a.is_nan()
}

#[inline(always)]
fn truth(holds: bool) -> f64 {
    f64::from(u8::from(holds))
}

/// The largest absolute value of an integer exponent for which a power is computed by
/// multiplications.
const MULTIPLIED: f64 = 16.0;

/// Computes `a ^ b`: by multiplications for integer b from -16 to 16 (as 1 divided by the product
/// if b is negative), and by `libm` otherwise. The result depends only on the value of b, not on
/// how b is written.
#[inline(always)]
fn power(a: f64, b: f64) -> f64 {
    if b == 2.0 {
        return a * a;
    }
    if b.abs() <= MULTIPLIED && b == b.trunc() {
        let product = multiplied(a, b.abs() as u32);
        return if b < 0.0 { 1.0 / product } else { product };
    }
    libm::pow(a, b)
}

/// Computes `a` to the power n by squaring, from the lowest bit of n to the highest.
#[inline]
fn multiplied(a: f64, mut n: u32) -> f64 {
    let (mut product, mut square) = (1.0, a);
    while n > 0 {
        if n & 1 == 1 {
            product *= square;
        }
        square *= square;
        n >>= 1;
    }
    product
}

impl Node {
    /// Returns the value at one point, in mesh units, at time `t`, in the unit of the case. `array`
    /// returns the numbers of the data arrays at that point.
    ///
    /// For many points, [`Field`](super::Field) is faster and gives bitwise identical values.
    pub fn value(&self, point: [f64; 3], t: f64, array: &mut dyn FnMut(&str) -> f64) -> f64 {
        self.compute(point, t, array)
    }

    /// Computes the value of the node at one point.
    pub(super) fn compute<T: Number>(
        &self,
        point: [f64; 3],
        t: T,
        array: &mut dyn FnMut(&str) -> T,
    ) -> T {
        match self {
            Node::Number(value) => T::constant(*value),
            Node::Variable(variable) => match variable {
                Variable::X => T::constant(point[0]),
                Variable::Y => T::constant(point[1]),
                Variable::Z => T::constant(point[2]),
                Variable::T => t,
            },
            Node::Array { name, .. } => array(name),
            Node::Unary(op, a) => T::unary(*op, a.compute(point, t, array)),
            Node::Binary(op, a, b) => {
                let a = a.compute(point, t, array);
                T::binary(*op, a, b.compute(point, t, array))
            }
            Node::If(nodes) => {
                let [c, a, b] = nodes.each_ref().map(|node| node.compute(point, t, array));
                T::select(c, a, b)
            }
        }
    }

    /// Returns the data array that makes the value at one point (see [`Node::value`]) infinite or
    /// NaN, with its span. Returns `None` if the value is finite, or if all array values on which
    /// it depends are finite.
    pub fn array_at_fault(
        &self,
        point: [f64; 3],
        t: f64,
        array: &mut dyn FnMut(&str) -> f64,
    ) -> Option<(&str, Range<usize>)> {
        if self.value(point, t, array).is_finite() {
            return None;
        }
        match self {
            Node::Array { name, span } => Some((name, span.clone())),
            Node::If(nodes) => {
                let [c, a, b] = &**nodes;
                let selected = if is_true(c.value(point, t, array)) { a } else { b };
                selected.array_at_fault(point, t, array)
            }
            _ => self.below().find_map(|node| node.array_at_fault(point, t, array)),
        }
    }

    /// Returns the child nodes.
    pub fn below(&self) -> impl Iterator<Item = &Node> {
        let (first, more): (Option<&Node>, &[Node]) = match self {
            Node::Number(_) | Node::Variable(_) | Node::Array { .. } => (None, &[]),
            Node::Unary(_, a) => (Some(&**a), &[]),
            Node::Binary(_, a, b) => (Some(&**a), std::slice::from_ref(&**b)),
            Node::If(nodes) => (None, nodes.as_slice()),
        };
        first.into_iter().chain(more)
    }

    /// Calls `visit` for this node and all nodes below it, each node before its operands. Variables
    /// and arrays are visited in the order of the text.
    pub fn walk<'n>(&'n self, visit: &mut dyn FnMut(&'n Node)) {
        visit(self);
        for node in self.below() {
            node.walk(visit);
        }
    }

    /// Replaces the node by its value if all its operands are numbers.
    pub(super) fn folded(self) -> Node {
        let constant = !matches!(self, Node::Variable(_) | Node::Array { .. })
            && self.below().all(|node| matches!(node, Node::Number(_)));
        if constant { Node::Number(self.value([0.0; 3], 0.0, &mut |_| f64::NAN)) } else { self }
    }
}
