// Operators of coefficient expressions; the counterparts of Unary::apply, Binary::apply and select
// in crates/core/src/expression/syntax_tree.rs, with the same names. The generated code
// (crates/core/src/expression/cuda.rs) consists of calls to them.
//
// Everything is double, whatever the precision of the solver, because the CPU evaluates expressions
// in f64 and rounds the result once. Generated expressions therefore use double arithmetic even in
// a build for f32.
#pragma once

#include "common/types.cuh"

namespace expression {

// Infinity has no literal, and compilers warn about a constant that overflows.
DEVICE double infinity() {
    double large = 1e308;
    return large * 10.0;
}

DEVICE double truth(bool holds) { return holds ? 1.0 : 0.0; }
// NaN counts as false.
DEVICE bool is_true(double a) { return a < 0.0 || a > 0.0; }

// The CPU rounds every product, so a product must not be fused with a following sum.
DEVICE double multiply(double a, double b) {
#ifdef __CUDA_ARCH__
    return __dmul_rn(a, b);
#else
    return a * b;
#endif
}

DEVICE double negate(double a) { return -a; }
// (`not` is a keyword of C++.)
DEVICE double logical_not(double a) { return truth(!is_true(a)); }
DEVICE double absolute(double a) { return fabs(a); }
DEVICE double square_root(double a) { return sqrt(a); }
DEVICE double exponential(double a) { return exp(a); }
DEVICE double logarithm(double a) { return log(a); }
DEVICE double sine(double a) { return sin(a); }
DEVICE double cosine(double a) { return cos(a); }
DEVICE double tangent(double a) { return tan(a); }
DEVICE double arc_sine(double a) { return asin(a); }
DEVICE double arc_cosine(double a) { return acos(a); }
DEVICE double hyperbolic_tangent(double a) { return tanh(a); }
DEVICE double round_down(double a) { return floor(a); }

// Returns 0 for zeros of both signs, and NaN for NaN.
DEVICE double sign(double a) { return a > 0.0 ? 1.0 : a < 0.0 ? -1.0 : a + 0.0; }
DEVICE double step(double a) { return truth(a >= 0.0); }
DEVICE double is_nan(double a) { return truth(a != a); }

DEVICE double add(double a, double b) { return a + b; }
DEVICE double subtract(double a, double b) { return a - b; }
DEVICE double divide(double a, double b) { return a / b; }

DEVICE double less(double a, double b) { return truth(a < b); }
DEVICE double less_equal(double a, double b) { return truth(a <= b); }
DEVICE double greater(double a, double b) { return truth(a > b); }
DEVICE double greater_equal(double a, double b) { return truth(a >= b); }
DEVICE double equal(double a, double b) { return truth(a == b); }
// Like the other comparisons, it is false for NaN.
DEVICE double not_equal(double a, double b) { return truth(a < b || a > b); }
DEVICE double logical_and(double a, double b) { return truth(is_true(a) && is_true(b)); }
DEVICE double logical_or(double a, double b) { return truth(is_true(a) || is_true(b)); }

// Unlike fmin and fmax, these return NaN if an operand is NaN.
DEVICE double minimum(double a, double b) { return a < b || a != a ? a : b; }
DEVICE double maximum(double a, double b) { return a > b || a != a ? a : b; }

DEVICE double angle(double a, double b) { return atan2(a, b); }

// Returns a to the power of n by repeated squaring, from the lowest bit of n.
DEVICE double multiplied(double a, u32 n) {
    double product = 1.0, square = a;
    while (n > 0) {
        if (n & 1) product = multiply(product, square);
        square = multiply(square, square);
        n >>= 1;
    }
    return product;
}

// Uses multiplications for integer b from -16 to 16, as the CPU does.
DEVICE double power(double a, double b) {
    if (b == 2.0) return multiply(a, a);
    if (fabs(b) <= 16.0 && b == trunc(b)) {
        const double product = multiplied(a, static_cast<u32>(fabs(b)));
        return b < 0.0 ? 1.0 / product : product;
    }
    return pow(a, b);
}

DEVICE double select(double c, double a, double b) { return is_true(c) ? a : b; }

}  // namespace expression
