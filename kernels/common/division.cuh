// Quotients and roots. Exact, as those of the CPU, but in units that are compiled with QUICK: there
// they are right to some units in the last place in a fifth of the instructions, and want what they divide by or
// take the root of to be a number that is not denormal, or, of a root, zero.
#pragma once

#include "common/real.cuh"

#if QUICK && defined(__CUDA_ARCH__)
// A first guess, right to 20 bits, and a step of third order.
DEVICE double inverse(double x) {
    double guess;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(guess) : "d"(x));
    double error = fma(-x, guess, 1.0);
    return fma(fma(error, error, error), guess, guess);
}
DEVICE double inverse_root(double x) {
    double guess;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(guess) : "d"(x));
    double error = fma(-x * guess, guess, 1.0);
    return fma(fma(0.375, error, 0.5), guess * error, guess);
}
DEVICE float inverse(float x) {
    float y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
DEVICE float inverse_root(float x) {
    float y;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
// The root of zero is zero.
DEVICE double root(double x) { return x * inverse_root(x + 1e-300); }
DEVICE float root(float x) {
    float y;
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
DEVICE real quotient(real a, real b) { return a * inverse(b); }
DEVICE real divisor(real b) { return inverse(b); }
DEVICE real divided(real a, real divisor) { return a * divisor; }
#else
DEVICE real inverse(real x) { return R(1) / x; }
DEVICE real root(real x) { return sqrt(x); }
DEVICE real inverse_root(real x) { return R(1) / sqrt(x); }
DEVICE real quotient(real a, real b) { return a / b; }
DEVICE real divisor(real b) { return b; }
DEVICE real divided(real a, real divisor) { return a / divisor; }
#endif

// What numbers are to be divided by, known before they are: quotient(a, b) to the bit.
struct Divisor {
    real kept;
    DEVICE explicit Divisor(real b) : kept(divisor(b)) {}
    DEVICE real of(real a) const { return divided(a, kept); }
};
