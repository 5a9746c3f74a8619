//! The numbers that programs compute with: values at an instant, or bounds over a span of time.

use std::ops::Range;

use super::enclosure::Enclosure;
use super::syntax_tree::{Binary, Unary, select};

/// A number with the operators of expressions.
pub(super) trait Number: Copy + Default + Send + Sync + 'static {
    /// Converts a value that does not depend on time.
    fn constant(value: f64) -> Self;
    fn unary(op: Unary, a: Self) -> Self;
    fn binary(op: Binary, a: Self, b: Self) -> Self;
    fn select(c: Self, a: Self, b: Self) -> Self;

    /// Appends a column of a data array to `converted` if [`Number::column`] needs it there.
    fn convert(values: &[f64], converted: &mut Vec<Self>);

    /// Returns a column of a data array as numbers of this type. [`Number::convert`] must have been
    /// called for all columns, in column order. `at` is the range of the column in `converted`.
    fn column<'a>(values: &'a [f64], converted: &'a [Self], at: Range<usize>) -> &'a [Self];
}

impl Number for f64 {
    #[inline(always)]
    fn constant(value: f64) -> Self {
        value
    }

    #[inline(always)]
    fn unary(op: Unary, a: Self) -> Self {
        op.apply(a)
    }

    #[inline(always)]
    fn binary(op: Binary, a: Self, b: Self) -> Self {
        op.apply(a, b)
    }

    #[inline(always)]
    fn select(c: Self, a: Self, b: Self) -> Self {
        select(c, a, b)
    }

    #[inline(always)]
    fn convert(_: &[f64], _: &mut Vec<Self>) {}

    #[inline(always)]
    fn column<'a>(values: &'a [f64], _: &'a [Self], _: Range<usize>) -> &'a [Self] {
        values
    }
}

impl Number for Enclosure {
    fn constant(value: f64) -> Self {
        Enclosure::constant(value)
    }

    #[inline(always)]
    fn unary(op: Unary, a: Self) -> Self {
        Enclosure::unary(op, a)
    }

    #[inline(always)]
    fn binary(op: Binary, a: Self, b: Self) -> Self {
        Enclosure::binary(op, a, b)
    }

    #[inline(always)]
    fn select(c: Self, a: Self, b: Self) -> Self {
        Enclosure::select(c, a, b)
    }

    fn convert(values: &[f64], converted: &mut Vec<Self>) {
        converted.extend(values.iter().map(|&value| Enclosure::constant(value)));
    }

    fn column<'a>(_: &'a [f64], converted: &'a [Self], at: Range<usize>) -> &'a [Self] {
        &converted[at]
    }
}
