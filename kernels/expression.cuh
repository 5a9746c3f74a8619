// Operators of coefficient expressions: the twins of Unary::apply, Binary::apply and select in
// src/expression/tree.rs, under the same names. Generated code (src/expression/cuda.rs) is made of
// calls to them.
//
// Everything is double, whatever the precision of the solver: the CPU evaluates expressions in f64
// and rounds the result once. Units that include generated expressions are the only ones with double
// arithmetic in a build for f32.
#pragma once

typedef unsigned int u32;

namespace expression {

// There is no literal for it, and compilers warn of a constant that overflows.
__device__ inline double infinity() {
    double large = 1e308;
    return large * 10.0;
}

__device__ inline double truth(bool holds) { return holds ? 1.0 : 0.0; }

// The CPU rounds every product, so that none may be fused with a sum that follows.
__device__ inline double multiply(double a, double b) {
#ifdef __CUDA_ARCH__
    return __dmul_rn(a, b);
#else
    return a * b;
#endif
}

__device__ inline double negate(double a) { return -a; }
// (`not` is a word of C++.)
__device__ inline double logical_not(double a) { return truth(a == 0.0); }
__device__ inline double absolute(double a) { return fabs(a); }
__device__ inline double square_root(double a) { return sqrt(a); }
__device__ inline double exponential(double a) { return exp(a); }
__device__ inline double logarithm(double a) { return log(a); }
__device__ inline double sine(double a) { return sin(a); }
__device__ inline double cosine(double a) { return cos(a); }
__device__ inline double tangent(double a) { return tan(a); }
__device__ inline double arc_sine(double a) { return asin(a); }
__device__ inline double arc_cosine(double a) { return acos(a); }
__device__ inline double hyperbolic_tangent(double a) { return tanh(a); }
__device__ inline double round_down(double a) { return floor(a); }

// Zeros of both signs give 0; what is not a number stays so.
__device__ inline double sign(double a) { return a > 0.0 ? 1.0 : a < 0.0 ? -1.0 : a + 0.0; }
__device__ inline double step(double a) { return truth(a >= 0.0); }

__device__ inline double add(double a, double b) { return a + b; }
__device__ inline double subtract(double a, double b) { return a - b; }
__device__ inline double divide(double a, double b) { return a / b; }

__device__ inline double less(double a, double b) { return truth(a < b); }
__device__ inline double less_equal(double a, double b) { return truth(a <= b); }
__device__ inline double greater(double a, double b) { return truth(a > b); }
__device__ inline double greater_equal(double a, double b) { return truth(a >= b); }
__device__ inline double equal(double a, double b) { return truth(a == b); }
__device__ inline double not_equal(double a, double b) { return truth(a != b); }
__device__ inline double logical_and(double a, double b) { return truth(a != 0.0 && b != 0.0); }
__device__ inline double logical_or(double a, double b) { return truth(a != 0.0 || b != 0.0); }

// Unlike fmin and fmax: not a number if an operand is not.
__device__ inline double minimum(double a, double b) { return a < b || a != a ? a : b; }
__device__ inline double maximum(double a, double b) { return a > b || a != a ? a : b; }

__device__ inline double angle(double a, double b) { return atan2(a, b); }

// a to the n by squaring: bits of n from the lowest on.
__device__ inline double multiplied(double a, u32 n) {
    double product = 1.0, square = a;
    while (n > 0) {
        if (n & 1) product = multiply(product, square);
        square = multiply(square, square);
        n >>= 1;
    }
    return product;
}

// By multiplications for whole b from -16 to 16, as the CPU does.
__device__ inline double power(double a, double b) {
    if (b == 2.0) return multiply(a, a);
    if (fabs(b) <= 16.0 && b == trunc(b)) {
        const double product = multiplied(a, static_cast<u32>(fabs(b)));
        return b < 0.0 ? 1.0 / product : product;
    }
    return pow(a, b);
}

__device__ inline double select(double c, double a, double b) { return c != 0.0 ? a : b; }

}  // namespace expression
