//! An expression compiled to a list of instructions over blocks of rows.
//!
//! Each instruction processes a whole block before the next one starts, so that [`BLOCK`] rows
//! share the cost of the dispatch. Parts that depend only on the time are computed once per call.
//! Rows are independent: the bits of a row do not depend on its block.

use std::ops::Range;

use super::operators::{with_binary, with_unary};
use super::syntax_tree::{Binary, Node, Unary, Variable, select};

/// The number of rows per block. A few registers of this size fit in the L1 cache.
pub(super) const BLOCK: usize = 256;

/// The source of an operand.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Source {
    /// A result on the stack.
    Register(usize),
    /// A coordinate.
    Axis(usize),
    /// A data array.
    Array(usize),
    /// A value that is the same for all rows of a call.
    Scalar(usize),
}

#[derive(Clone, Debug)]
enum Instruction {
    Unary(Unary, Source),
    Binary(Binary, Source, Source),
    /// Copies a source.
    Load(Source),
    /// Selects one of the two registers above the target register, depending on the condition in
    /// the target register.
    Select,
}

/// A list of instructions, each with the register of its result. The operands of an instruction are
/// in its target register, in higher registers, or outside the registers.
#[derive(Clone, Debug, Default)]
pub(super) struct Program {
    instructions: Vec<(usize, Instruction)>,
    scalars: Vec<Node>,
    registers: usize,
    axes: [bool; 3],
}

/// Scratch memory that is reused from call to call.
#[derive(Default)]
pub(super) struct Scratch {
    registers: Vec<f64>,
    axes: Vec<f64>,
    scalars: Vec<f64>,
}

impl Program {
    /// Compiles a tree. `array` returns the number of an array.
    pub(super) fn new(tree: &Node, array: &dyn Fn(&str) -> usize) -> Self {
        let mut program = Program::default();
        let result = program.compile(tree, 0, array);
        if result != Source::Register(0) {
            program.push(0, Instruction::Load(result));
        }
        program
    }

    /// Returns true if the result depends on a coordinate.
    pub(super) fn uses_coordinates(&self) -> bool {
        self.axes.contains(&true)
    }

    fn push(&mut self, target: usize, instruction: Instruction) -> Source {
        self.registers = self.registers.max(target + 1);
        self.instructions.push((target, instruction));
        Source::Register(target)
    }

    /// Adds the instructions of `node` and returns the source of its result. Computed results go to
    /// the register `target`.
    fn compile(&mut self, node: &Node, target: usize, array: &dyn Fn(&str) -> usize) -> Source {
        if is_scalar(node) {
            self.scalars.push(node.clone());
            return Source::Scalar(self.scalars.len() - 1);
        }
        let mut axis = |k: usize| {
            self.axes[k] = true;
            Source::Axis(k)
        };
        match node {
            Node::Variable(Variable::X) => axis(0),
            Node::Variable(Variable::Y) => axis(1),
            Node::Variable(Variable::Z) => axis(2),
            Node::Array { name, .. } => Source::Array(array(name)),
            Node::Unary(op, a) => {
                let a = self.compile(a, target, array);
                self.push(target, Instruction::Unary(*op, a))
            }
            Node::Binary(op, a, b) => {
                let a = self.compile(a, target, array);
                let free = target + usize::from(a == Source::Register(target));
                let b = self.compile(b, free, array);
                self.push(target, Instruction::Binary(*op, a, b))
            }
            Node::If(nodes) => {
                for (k, node) in nodes.iter().enumerate() {
                    let source = self.compile(node, target + k, array);
                    if source != Source::Register(target + k) {
                        self.push(target + k, Instruction::Load(source));
                    }
                }
                self.push(target, Instruction::Select)
            }
            // These are scalars, which are handled above.
            Node::Number(_) | Node::Variable(Variable::T) => Source::Scalar(0),
        }
    }

    /// Evaluates the rows `rows` of `points` and `arrays` into `out`.
    pub(super) fn run<'a>(
        &self,
        scratch: &mut Scratch,
        points: &[[f64; 3]],
        array: impl Fn(usize) -> &'a [f64],
        rows: Range<usize>,
        t: f64,
        out: &mut [f64],
    ) {
        let Scratch { registers, axes, scalars } = scratch;
        if registers.len() < self.registers * BLOCK {
            registers.resize(self.registers * BLOCK, 0.0);
        }
        axes.resize(3 * BLOCK, 0.0);
        scalars.clear();
        scalars.extend(self.scalars.iter().map(|node| node.value([0.0; 3], t, &mut |_| f64::NAN)));
        let mut first = rows.start;
        for out in out.chunks_mut(BLOCK) {
            let n = out.len();
            for k in (0..3).filter(|&k| self.axes[k]) {
                let column = &mut axes[k * BLOCK..][..n];
                for (x, point) in column.iter_mut().zip(&points[first..first + n]) {
                    *x = point[k];
                }
            }
            for (target, instruction) in &self.instructions {
                let (lower, upper) = registers.split_at_mut((target + 1) * BLOCK);
                let upper: &[f64] = upper;
                let result = &mut lower[target * BLOCK..][..n];
                let operand = |source: &Source| match *source {
                    Source::Register(r) if r == *target => Operand::Target,
                    Source::Register(r) => Operand::Rows(&upper[(r - target - 1) * BLOCK..][..n]),
                    Source::Axis(k) => Operand::Rows(&axes[k * BLOCK..][..n]),
                    Source::Array(k) => Operand::Rows(&array(k)[first..first + n]),
                    Source::Scalar(k) => Operand::Scalar(scalars[k]),
                };
                match instruction {
                    Instruction::Unary(op, a) => unary(*op, result, operand(a)),
                    Instruction::Binary(op, a, b) => binary(*op, result, operand(a), operand(b)),
                    Instruction::Load(a) => map(result, operand(a), |a| a),
                    Instruction::Select => {
                        let (a, b) = (&upper[..n], &upper[BLOCK..][..n]);
                        for ((c, &a), &b) in result.iter_mut().zip(a).zip(b) {
                            *c = select(*c, a, b);
                        }
                    }
                }
            }
            out.copy_from_slice(&registers[..n]);
            first += n;
        }
    }
}

/// Returns true if the value of the node does not depend on the row.
fn is_scalar(node: &Node) -> bool {
    match node {
        Node::Number(_) | Node::Variable(Variable::T) => true,
        Node::Variable(_) | Node::Array { .. } => false,
        _ => node.below().all(is_scalar),
    }
}

/// An operand of one block.
#[derive(Clone, Copy)]
enum Operand<'a> {
    /// The values that the result overwrites.
    Target,
    Rows(&'a [f64]),
    Scalar(f64),
}

#[inline(always)]
fn map(result: &mut [f64], a: Operand<'_>, f: impl Fn(f64) -> f64) {
    match a {
        Operand::Target => result.iter_mut().for_each(|r| *r = f(*r)),
        Operand::Rows(a) => result.iter_mut().zip(a).for_each(|(r, &a)| *r = f(a)),
        Operand::Scalar(a) => result.fill(f(a)),
    }
}

#[inline(always)]
fn map2(result: &mut [f64], a: Operand<'_>, b: Operand<'_>, f: impl Fn(f64, f64) -> f64) {
    match (a, b) {
        (a, Operand::Scalar(b)) => map(result, a, |a| f(a, b)),
        (Operand::Scalar(a), b) => map(result, b, |b| f(a, b)),
        (Operand::Target, Operand::Rows(b)) => {
            result.iter_mut().zip(b).for_each(|(r, &b)| *r = f(*r, b));
        }
        (Operand::Rows(a), Operand::Target) => {
            result.iter_mut().zip(a).for_each(|(r, &a)| *r = f(a, *r));
        }
        (Operand::Rows(a), Operand::Rows(b)) => {
            result.iter_mut().zip(a).zip(b).for_each(|((r, &a), &b)| *r = f(a, b));
        }
        (Operand::Target, Operand::Target) => result.iter_mut().for_each(|r| *r = f(*r, *r)),
    }
}

fn unary(op: Unary, result: &mut [f64], a: Operand<'_>) {
    with_unary!(op, |f| map(result, a, f));
}

fn binary(op: Binary, result: &mut [f64], a: Operand<'_>, b: Operand<'_>) {
    with_binary!(op, |f| map2(result, a, b, f));
}
