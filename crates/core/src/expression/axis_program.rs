//! Expressions compiled to a list of operations over the axes that they depend on.
//!
//! Equal subexpressions are computed once, even if they occur in different expressions. A value is
//! computed only over the product of the axes that it depends on. It is broadcast when it is
//! combined with a value over other axes. Values that are not needed at the same time share memory.

use std::collections::HashMap;
use std::ops::Range;

use super::axis_loops::{Mask, Row, Walk, map, map2};
use super::number::Number;
use super::operators::{with_binary, with_unary};
use super::syntax_tree::{Binary, Node, Unary, Variable};

/// The operation that computes a value. Its operands are the indices of earlier values, or of
/// memory slots once these are assigned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Operation {
    /// A number, as its bits.
    Number(u64),
    Time,
    Axis(usize),
    Unary(Unary, usize),
    Binary(Binary, usize, usize),
    Select([usize; 3]),
}

impl Operation {
    pub(super) fn operands(&self) -> impl Iterator<Item = usize> + use<> {
        let all = match *self {
            Operation::Number(_) | Operation::Time | Operation::Axis(_) => [None; 3],
            Operation::Unary(_, a) => [Some(a), None, None],
            Operation::Binary(_, a, b) => [Some(a), Some(b), None],
            Operation::Select(nodes) => nodes.map(Some),
        };
        all.into_iter().flatten()
    }

    /// Returns the operation with each operand replaced by `operand(index)`.
    fn over(self, operand: impl Fn(usize) -> usize) -> Self {
        match self {
            Operation::Number(_) | Operation::Time | Operation::Axis(_) => self,
            Operation::Unary(op, a) => Operation::Unary(op, operand(a)),
            Operation::Binary(op, a, b) => Operation::Binary(op, operand(a), operand(b)),
            Operation::Select(nodes) => Operation::Select(nodes.map(operand)),
        }
    }
}

/// The distinct values of several trees. Operands come before the values that use them.
#[derive(Default)]
pub(super) struct Values {
    pub(super) operations: Vec<Operation>,
    pub(super) masks: Vec<Mask>,
    known: HashMap<Operation, usize>,
}

impl Values {
    /// Returns the index of the value of `node`, and adds the value if it is new. If the node
    /// contains a data array, returns the name and span of the array as an error.
    pub(super) fn number(&mut self, node: &Node) -> Result<usize, (String, Range<usize>)> {
        let operation = match node {
            Node::Number(value) => Operation::Number(value.to_bits()),
            Node::Variable(Variable::X) => Operation::Axis(0),
            Node::Variable(Variable::Y) => Operation::Axis(1),
            Node::Variable(Variable::Z) => Operation::Axis(2),
            Node::Variable(Variable::T) => Operation::Time,
            Node::Array { name, span } => return Err((name.clone(), span.clone())),
            Node::Unary(op, a) => Operation::Unary(*op, self.number(a)?),
            Node::Binary(op, a, b) => Operation::Binary(*op, self.number(a)?, self.number(b)?),
            Node::If(nodes) => {
                let [c, a, b] = &**nodes;
                Operation::Select([self.number(c)?, self.number(a)?, self.number(b)?])
            }
        };
        if let Some(&known) = self.known.get(&operation) {
            return Ok(known);
        }
        let own = if let Operation::Axis(k) = operation { Mask::axis(k) } else { Mask::default() };
        let mask = operation.operands().fold(own, |mask, a| mask.with(self.masks[a]));
        self.operations.push(operation);
        self.masks.push(mask);
        self.known.insert(operation, self.masks.len() - 1);
        Ok(self.masks.len() - 1)
    }
}

/// A list of operations, each with the memory slot of its result. The slot of a result is never the
/// slot of one of its operands.
#[derive(Clone, Debug, Default)]
pub(super) struct Spread {
    steps: Vec<(usize, Operation)>,
    /// The axes that the values in each slot depend on.
    places: Vec<Mask>,
    /// The slot that holds the value of each expression at the end.
    results: Vec<usize>,
}

/// Scratch memory that is reused from call to call.
#[derive(Default)]
pub(super) struct Scratch<T> {
    values: Vec<T>,
    starts: Vec<usize>,
}

impl Spread {
    /// Compiles the trees.
    ///
    /// # Errors
    /// Returns the first data array in a tree: the index of the tree, the name and the span.
    pub(super) fn new(trees: &[&Node]) -> Result<Self, (usize, String, Range<usize>)> {
        let mut values = Values::default();
        let mut results = Vec::with_capacity(trees.len());
        for (k, node) in trees.iter().enumerate() {
            results.push(values.number(node).map_err(|(name, span)| (k, name, span))?);
        }
        Ok(Spread::placed(&values, &results))
    }

    /// Assigns slots to the values, and reuses slots that have become free.
    fn placed(values: &Values, results: &[usize]) -> Self {
        const NEVER: usize = usize::MAX;
        let mut last_use = vec![NEVER; values.operations.len()];
        for (k, operation) in values.operations.iter().enumerate() {
            operation.operands().for_each(|a| last_use[a] = k);
        }
        results.iter().for_each(|&a| last_use[a] = NEVER);
        let mut spread = Spread::default();
        let mut free: [Vec<usize>; Mask::COUNT] = Default::default();
        let mut place_of: Vec<usize> = Vec::with_capacity(last_use.len());
        for (k, (operation, &mask)) in values.operations.iter().zip(&values.masks).enumerate() {
            let place = free[mask.index()].pop().unwrap_or_else(|| {
                spread.places.push(mask);
                spread.places.len() - 1
            });
            place_of.push(place);
            spread.steps.push((place, operation.over(|a| place_of[a])));
            for a in operation.operands() {
                if last_use[a] == k {
                    free[values.masks[a].index()].push(place_of[a]);
                    // An operand that occurs twice in an operation frees its slot only once.
                    last_use[a] = NEVER;
                }
            }
        }
        spread.results = results.iter().map(|&a| place_of[a]).collect();
        spread
    }

    pub(super) fn results(&self) -> usize {
        self.results.len()
    }

    /// Returns the axes that the value of expression `k` depends on.
    pub(super) fn mask(&self, k: usize) -> Mask {
        self.places[self.results[k]]
    }

    pub(super) fn uses_time(&self) -> bool {
        self.steps.iter().any(|(_, operation)| *operation == Operation::Time)
    }

    /// Evaluates all expressions over the points of `axes` into `out`, one expression after the
    /// other. `store` converts the values.
    pub(super) fn run<T: Number, V: Copy>(
        &self,
        scratch: &mut Scratch<T>,
        axes: [&[f64]; 3],
        t: T,
        out: &mut [V],
        store: impl Fn(T) -> V,
    ) {
        let lengths = axes.map(<[f64]>::len);
        let points = Mask::ALL.size(lengths);
        if points == 0 {
            return;
        }
        let Scratch { values, starts } = scratch;
        starts.clear();
        starts.push(0);
        let mut end = 0;
        starts.extend(self.places.iter().map(|mask| {
            end += mask.size(lengths);
            end
        }));
        if values.len() < end {
            values.resize(end, T::constant(0.0));
        }
        for (place, operation) in &self.steps {
            let (lower, rest) = values.split_at_mut(starts[*place]);
            let (result, upper) = rest.split_at_mut(starts[place + 1] - starts[*place]);
            let after = starts[place + 1];
            let operand = |a: usize| {
                if a < *place {
                    &lower[starts[a]..starts[a + 1]]
                } else {
                    &upper[starts[a] - after..starts[a + 1] - after]
                }
            };
            let mask = |a: usize| self.places[a];
            match *operation {
                Operation::Number(bits) => result[0] = T::constant(f64::from_bits(bits)),
                Operation::Time => result[0] = t,
                Operation::Axis(k) => map(result, Row::Many(axes[k]), T::constant),
                Operation::Unary(op, a) => unary(op, result, operand(a)),
                Operation::Binary(op, a, b) => {
                    let walk = Walk::new(lengths, mask(*place), [a, b].map(mask));
                    binary(op, &walk, result, [a, b].map(operand));
                }
                Operation::Select(nodes) => {
                    let walk = Walk::new(lengths, mask(*place), nodes.map(mask));
                    walk.rows(result, nodes.map(operand), choose);
                }
            }
        }
        for (out, &place) in out.chunks_exact_mut(points).zip(&self.results) {
            let walk = Walk::new(lengths, Mask::ALL, [self.places[place]]);
            let value = &values[starts[place]..starts[place + 1]];
            walk.rows(out, [value], |row, [value]| map(row, value, &store));
        }
    }
}

fn unary<T: Number>(op: Unary, result: &mut [T], a: &[T]) {
    with_unary!(op, |f| map(result, Row::Many(a), f));
}

fn binary<T: Number>(op: Binary, walk: &Walk<2>, result: &mut [T], operands: [&[T]; 2]) {
    with_binary!(op, |f| walk.rows(result, operands, |row, [a, b]| map2(row, a, b, f)));
}

/// Evaluates `if` along a row.
fn choose<T: Number>(row: &mut [T], [c, a, b]: [Row<'_, T>; 3]) {
    match (c, a, b) {
        (Row::One(c), a, b) => map2(row, a, b, |a, b| T::select(c, a, b)),
        (c, a, Row::One(b)) => map2(row, c, a, |c, a| T::select(c, a, b)),
        (c, Row::One(a), b) => map2(row, c, b, |c, b| T::select(c, a, b)),
        (Row::Many(c), Row::Many(a), Row::Many(b)) => {
            for (((r, &c), &a), &b) in row.iter_mut().zip(c).zip(a).zip(b) {
                *r = T::select(c, a, b);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expression::Expression;

    fn spread(texts: &[&str]) -> Spread {
        let all: Vec<Expression> = texts.iter().map(|text| text.parse().unwrap()).collect();
        Spread::new(&all.iter().map(Expression::tree).collect::<Vec<_>>()).unwrap()
    }

    fn sines(spread: &Spread) -> usize {
        let is_sine = |op: &Operation| matches!(op, Operation::Unary(Unary::Sin, _));
        spread.steps.iter().filter(|(_, op)| is_sine(op)).count()
    }

    #[test]
    fn equal_parts_of_all_expressions_are_worked_out_once() {
        let enright = spread(&[
            "2*sin(pi*x)^2*sin(2*pi*y)*sin(2*pi*z)*cos(pi*t/3)",
            "-sin(2*pi*x)*sin(pi*y)^2*sin(2*pi*z)*cos(pi*t/3)",
            "-sin(2*pi*x)*sin(2*pi*y)*sin(pi*z)^2*cos(pi*t/3)",
        ]);
        assert_eq!(sines(&enright), 6);
        let lengths = [8, 8, 8];
        for (place, op) in &enright.steps {
            if let Operation::Unary(Unary::Sin | Unary::Cos, _) = op {
                assert!(enright.places[*place].size(lengths) <= 8, "{op:?}");
            }
        }
        // 0 and -0 are different values.
        let zeros = spread(&["1/(0*x)", "1/(-0*x)"]);
        assert_ne!(zeros.results[0], zeros.results[1]);
    }

    #[test]
    fn places_are_taken_again() {
        let long = spread(&["((((x*y + z)*x + y)*z + 1)*x + 2)*y"]);
        let full = |spread: &Spread| spread.places.iter().filter(|m| **m == Mask::ALL).count();
        assert_eq!(full(&long), 2);
        // Both results are kept to the end, even though one is part of the other.
        let nested = spread(&["x*y*z", "sin(x*y*z) + x*y*z"]);
        assert_eq!(nested.mask(0), Mask::ALL);
        assert_ne!(nested.results[0], nested.results[1]);
    }
}
