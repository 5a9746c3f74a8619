//! The syntax tree of an expression, and what its operators mean.
//!
//! Every way to evaluate an expression, the folding of constants included, comes down to the
//! functions [`Unary::apply`], [`Binary::apply`] and [`select`]: they are the definition.

use std::ops::Range;

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
        /// Its name, without braces.
        name: String,
        /// Bytes of the text where it stands, braces included.
        span: Range<usize>,
    },
    /// A prefix operator or a function of one argument.
    Unary(Unary, Box<Node>),
    /// An operator between two operands, or a function of two arguments.
    Binary(Binary, Box<Node>, Box<Node>),
    /// `if(c, a, b)`: a where c is not 0, b elsewhere.
    If(Box<[Node; 3]>),
}

/// `x`, `y`, `z`, `t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Variable {
    /// First coordinate, mesh units.
    X,
    /// Second coordinate, mesh units.
    Y,
    /// Third coordinate, mesh units.
    Z,
    /// Time.
    T,
}

/// What has one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Unary {
    /// `-a`.
    Negate,
    /// `!a`: 1 where a is 0, 0 elsewhere.
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
    /// `floor(a)`: the largest integer that is not greater.
    Floor,
    /// `sign(a)`: -1, 0 or 1; 0 at 0.
    Sign,
    /// `step(a)`: 1 where a >= 0, 0 elsewhere.
    Step,
}

/// What has two operands.
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
    /// `a != b`.
    NotEqual,
    /// `a && b`.
    And,
    /// `a || b`.
    Or,
    /// `min(a, b)`; more arguments nest to the left.
    Min,
    /// `max(a, b)`; more arguments nest to the left.
    Max,
    /// `atan2(a, b)`: angle of the point (b, a), radians.
    Atan2,
}

impl Unary {
    /// The value. Transcendental functions are those of the crate `libm`, which are the same on
    /// every machine.
    #[inline(always)]
    pub fn apply(self, a: f64) -> f64 {
        match self {
            Unary::Negate => -a,
            Unary::Not => truth(a == 0.0),
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
            // Zeros of both signs give 0; what is not a number stays so.
            Unary::Sign => a + 0.0,
            Unary::Step => truth(a >= 0.0),
        }
    }
}

impl Binary {
    /// The value. Comparisons and logic give 1 or 0; whatever is not 0 counts as true.
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
            Binary::NotEqual => truth(a != b),
            Binary::And => truth(a != 0.0 && b != 0.0),
            Binary::Or => truth(a != 0.0 || b != 0.0),
            // Unlike f64::min: not a number if an operand is not.
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

/// `if(c, a, b)`.
#[inline(always)]
pub fn select(c: f64, a: f64, b: f64) -> f64 {
    if c != 0.0 { a } else { b }
}

#[inline(always)]
fn truth(holds: bool) -> f64 {
    f64::from(u8::from(holds))
}

/// Largest integer exponent that is worked out by multiplications.
const MULTIPLIED: f64 = 16.0;

/// `a ^ b`: by multiplications for whole b from -16 to 16 (1 divided by the product for negative
/// ones), by `libm` otherwise. It depends on the value of b only, not on how b is written.
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

/// `a` to the n by squaring: bits of n from the lowest on.
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
    /// The value at one point; `array` gives the numbers of the data arrays there.
    ///
    /// For many points, [`Field`](super::Field) is faster and gives the same bits.
    pub fn value(&self, point: [f64; 3], t: f64, array: &mut dyn FnMut(&str) -> f64) -> f64 {
        match self {
            Node::Number(value) => *value,
            Node::Variable(variable) => match variable {
                Variable::X => point[0],
                Variable::Y => point[1],
                Variable::Z => point[2],
                Variable::T => t,
            },
            Node::Array { name, .. } => array(name),
            Node::Unary(op, a) => op.apply(a.value(point, t, array)),
            Node::Binary(op, a, b) => {
                let a = a.value(point, t, array);
                op.apply(a, b.value(point, t, array))
            }
            Node::If(nodes) => {
                let [c, a, b] = nodes.each_ref().map(|node| node.value(point, t, array));
                select(c, a, b)
            }
        }
    }

    /// The nodes directly below.
    pub fn below(&self) -> impl Iterator<Item = &Node> {
        let (first, more): (Option<&Node>, &[Node]) = match self {
            Node::Number(_) | Node::Variable(_) | Node::Array { .. } => (None, &[]),
            Node::Unary(_, a) => (Some(&**a), &[]),
            Node::Binary(_, a, b) => (Some(&**a), std::slice::from_ref(&**b)),
            Node::If(nodes) => (None, nodes.as_slice()),
        };
        first.into_iter().chain(more)
    }

    /// Calls `visit` for this node and all below it, in the order of the text.
    pub fn walk<'n>(&'n self, visit: &mut dyn FnMut(&'n Node)) {
        visit(self);
        for node in self.below() {
            node.walk(visit);
        }
    }

    /// A node with its value in its place if all below it are numbers.
    pub(super) fn folded(self) -> Node {
        let constant = !matches!(self, Node::Variable(_) | Node::Array { .. })
            && self.below().all(|node| matches!(node, Node::Number(_)));
        if constant { Node::Number(self.value([0.0; 3], 0.0, &mut |_| f64::NAN)) } else { self }
    }
}
