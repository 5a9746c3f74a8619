//! Macros that fix an operator outside a loop, so that each operator gets its own compiled loop.

/// Evaluates `$body`, in which `$f` is the function of the unary operator `$op`.
macro_rules! with_unary {
    ($op:expr, |$f:ident| $body:expr) => {
        with_unary!(
            @ $op, $f, $body,
            Negate Not Abs Sqrt Exp Log Sin Cos Tan Asin Acos Tanh Floor Sign Step IsNan
        )
    };
    (@ $op:expr, $f:ident, $body:expr, $($name:ident)*) => {
        match $op {
            $(Unary::$name => {
                let $f = |a| Number::unary(Unary::$name, a);
                $body
            })*
        }
    };
}

/// Evaluates `$body`, in which `$f` is the function of the binary operator `$op`.
macro_rules! with_binary {
    ($op:expr, |$f:ident| $body:expr) => {
        with_binary!(
            @ $op, $f, $body,
            Add Subtract Multiply Divide Power Less LessEqual Greater GreaterEqual Equal NotEqual
            And Or Min Max Atan2
        )
    };
    (@ $op:expr, $f:ident, $body:expr, $($name:ident)*) => {
        match $op {
            $(Binary::$name => {
                let $f = |a, b| Number::binary(Binary::$name, a, b);
                $body
            })*
        }
    };
}

pub(super) use {with_binary, with_unary};
