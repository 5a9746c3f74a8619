// Quotients and square roots.
//
// They are rounded as on the CPU, except in compilation units with QUICK. There they are correct to
// a few units in the last place and need a fifth of the instructions. Divisors and radicands must
// not be subnormal. A radicand, but not a divisor, may be zero.
#pragma once

#include "common/real.cuh"

#if QUICK && defined(__CUDA_ARCH__)
// A first approximation with 20 correct bits, refined by one third-order step.
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
// The small offset avoids 0 times infinity, so that the root of zero is zero.
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

// A divisor prepared before the dividend is known; of(a) is bitwise identical to quotient(a, b).
struct Divisor {
    real kept;
    DEVICE explicit Divisor(real b) : kept(divisor(b)) {}
    DEVICE real of(real a) const { return divided(a, kept); }
};
