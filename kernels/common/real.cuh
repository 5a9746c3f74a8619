// Scalars of kernels: `real` is REAL (double or float), N is CELL_SIZE (vertices of a cell, 3 or
// 4; on tiles there are no cells), both defined by the compiler's options. The twin of crates/core/src/geometry/real.rs.
//
// Nothing is included: the run-time compiler has no headers. sqrt, fabs, fmin and fmax are
// overloaded for float and double there, so calls with arguments of type real stay in that type.
// Literals do not: write R(0.5), or a float kernel computes in double.
#pragma once

#include "common/types.cuh"

typedef REAL real;

#ifdef CELL_SIZE
// Vertices of a cell.
enum { N = CELL_SIZE };
#endif

// Nearest real of a number that is known when compiled.
#define R(x) ((real)(x))

DEVICE u64 to_bits(double x) { return (u64)__double_as_longlong(x); }
DEVICE u32 to_bits(float x) { return (u32)__float_as_int(x); }
DEVICE double from_bits(u64 bits) { return __longlong_as_double((i64)bits); }
DEVICE float from_bits(u32 bits) { return __int_as_float((i32)bits); }

// Rounded for itself, also where products and sums are fused.
#ifdef __CUDA_ARCH__
DEVICE double product(double a, double b) { return __dmul_rn(a, b); }
DEVICE float product(float a, float b) { return __fmul_rn(a, b); }
#else
DEVICE double product(double a, double b) { return a * b; }
DEVICE float product(float a, float b) { return a * b; }
#endif

// The larger and the smaller of two; where one is not a number, the second, as the lanes of the CPU
// choose (src/levelset/tiled/lanes.rs). fmax and fmin of doubles
// take several times the instructions.
DEVICE double larger(double a, double b) { return a > b ? a : b; }
DEVICE double smaller(double a, double b) { return a < b ? a : b; }
DEVICE float larger(float a, float b) { return fmax(a, b); }
DEVICE float smaller(float a, float b) { return fmin(a, b); }

// Constants of a type, as functions: the compiler stores static members in global memory.
template <typename T>
struct Precision;

template <>
struct Precision<double> {
    typedef u64 Bits;
    DEVICE static double infinity() { return from_bits((u64)0x7ff0000000000000); }
    DEVICE static double zero_test() { return 1e-14; }
    DEVICE static double decrease() { return 0.0; }
    DEVICE static double rounding() { return 2.3e-16; }
    DEVICE static double least() { return 1e-300; }
};

template <>
struct Precision<float> {
    typedef u32 Bits;
    DEVICE static float infinity() { return from_bits((u32)0x7f800000); }
    DEVICE static float zero_test() { return 1e-6f; }
    DEVICE static float decrease() { return 6e-8f; }
    DEVICE static float rounding() { return 1.2e-7f; }
    DEVICE static float least() { return 1e-36f; }
};

// Unsigned integer of the size of a real. Where no real has its sign bit set, the bits are ordered
// as the reals are.
typedef Precision<real>::Bits real_bits;

// Plus infinity.
#define INFINITY_R (Precision<real>::infinity())
// Relative size below which an element integral counts as zero (numerics 2.2, step 5).
#define ZERO_TEST (Precision<real>::zero_test())
// Relative distance of neighboring reals.
#define ROUNDING (Precision<real>::rounding())
// Relative decrease a value must exceed to count as changed (numerics 6).
#define DECREASE (Precision<real>::decrease())
// Below this a sum of shares is nothing: its inverse need not be a number.
#define LEAST (Precision<real>::least())
