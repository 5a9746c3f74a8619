//! An expression compiled to a list of instructions over blocks of rows.
//!
//! Each instruction processes a whole block before the next one starts, so that [`BLOCK`] rows
//! share the cost of the dispatch. Parts that depend only on time are computed once per call.
//! Rows are independent: the bits of a row do not depend on its block.

use std::ops::Range;

use super::number::Number;
use super::operators::{with_binary, with_unary};
use super::syntax_tree::{Binary, Node, Unary, Variable};

/// The number of rows per block. A few registers of this size fit in the L1 cache.
pub(super) const BLOCK: usize = 256;

/// The source of an operand.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Source {
    /// A register, which holds an earlier result.
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
    /// Copies a source to the target register.
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
    /// The number of data arrays.
    arrays: usize,
}

/// Scratch memory that is reused from call to call.
#[derive(Default)]
pub(super) struct Scratch<T> {
    registers: Vec<T>,
    axes: Vec<T>,
    scalars: Vec<T>,
    columns: Vec<T>,
}

impl Program {
    /// Compiles a tree. `array` returns the index of the array with the given name.
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
            Node::Array { name, .. } => {
                let k = array(name);
                self.arrays = self.arrays.max(k + 1);
                Source::Array(k)
            }
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

    /// Evaluates the rows `rows` into `out`. `array(k)` returns data array k.
    pub(super) fn run<'a, T: Number>(
        &self,
        scratch: &mut Scratch<T>,
        points: &[[f64; 3]],
        array: impl Fn(usize) -> &'a [f64],
        rows: Range<usize>,
        t: T,
        out: &mut [T],
    ) {
        let Scratch { registers, axes, scalars, columns } = scratch;
        let zero = T::constant(0.0);
        if registers.len() < self.registers * BLOCK {
            registers.resize(self.registers * BLOCK, zero);
        }
        axes.resize(3 * BLOCK, zero);
        scalars.clear();
        let no_array = &mut |_: &str| T::constant(f64::NAN);
        scalars.extend(self.scalars.iter().map(|node| node.compute([0.0; 3], t, no_array)));
        let mut first = rows.start;
        for out in out.chunks_mut(BLOCK) {
            let n = out.len();
            for k in (0..3).filter(|&k| self.axes[k]) {
                let column = &mut axes[k * BLOCK..][..n];
                for (x, point) in column.iter_mut().zip(&points[first..first + n]) {
                    *x = T::constant(point[k]);
                }
            }
            columns.clear();
            (0..self.arrays).for_each(|k| T::convert(&array(k)[first..first + n], columns));
            for (target, instruction) in &self.instructions {
                let (lower, upper) = registers.split_at_mut((target + 1) * BLOCK);
                let upper: &[T] = upper;
                let result = &mut lower[target * BLOCK..][..n];
                let operand = |source: &Source| match *source {
                    Source::Register(r) if r == *target => Operand::Target,
                    Source::Register(r) => Operand::Rows(&upper[(r - target - 1) * BLOCK..][..n]),
                    Source::Axis(k) => Operand::Rows(&axes[k * BLOCK..][..n]),
                    Source::Array(k) => {
                        let values = &array(k)[first..first + n];
                        Operand::Rows(T::column(values, columns, k * n..(k + 1) * n))
                    }
                    Source::Scalar(k) => Operand::Scalar(scalars[k]),
                };
                match instruction {
                    Instruction::Unary(op, a) => unary(*op, result, operand(a)),
                    Instruction::Binary(op, a, b) => binary(*op, result, operand(a), operand(b)),
                    Instruction::Load(a) => map(result, operand(a), |a| a),
                    Instruction::Select => {
                        let (a, b) = (&upper[..n], &upper[BLOCK..][..n]);
                        for ((c, &a), &b) in result.iter_mut().zip(a).zip(b) {
                            *c = T::select(*c, a, b);
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

/// An operand of an instruction, for the rows of one block.
#[derive(Clone, Copy)]
enum Operand<'a, T> {
    /// The values that the result overwrites.
    Target,
    Rows(&'a [T]),
    Scalar(T),
}

#[inline(always)]
fn map<T: Number>(result: &mut [T], a: Operand<'_, T>, f: impl Fn(T) -> T) {
    match a {
        Operand::Target => result.iter_mut().for_each(|r| *r = f(*r)),
        Operand::Rows(a) => result.iter_mut().zip(a).for_each(|(r, &a)| *r = f(a)),
        Operand::Scalar(a) => result.fill(f(a)),
    }
}

#[inline(always)]
fn map2<T: Number>(result: &mut [T], a: Operand<'_, T>, b: Operand<'_, T>, f: impl Fn(T, T) -> T) {
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

fn unary<T: Number>(op: Unary, result: &mut [T], a: Operand<'_, T>) {
    with_unary!(op, |f| map(result, a, f));
}

fn binary<T: Number>(op: Binary, result: &mut [T], a: Operand<'_, T>, b: Operand<'_, T>) {
    with_binary!(op, |f| map2(result, a, b, f));
}
