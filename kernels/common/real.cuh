// The scalar type of kernels: `real` is REAL (double or float), the counterpart of
// crates/core/src/geometry/real.rs.
//
// N is CELL_SIZE, the number of vertices of a cell (3 or 4). Kernels on tiles have no cells.
// Compiler options define REAL and CELL_SIZE.
//
// No standard header is included, because the run-time compiler has none. In that compiler, sqrt,
// fabs, fmin and fmax are overloaded for float and double, so calls with arguments of type real
// stay in that type. Literals do not: write R(0.5), or a float kernel computes in double precision.
#pragma once

#include "common/types.cuh"

typedef REAL real;

#ifdef CELL_SIZE
// The number of vertices of a cell.
enum { N = CELL_SIZE };
#endif

// The real nearest to a compile-time constant.
#define R(x) ((real)(x))

DEVICE u64 to_bits(double x) { return (u64)__double_as_longlong(x); }
DEVICE u32 to_bits(float x) { return (u32)__float_as_int(x); }
DEVICE double from_bits(u64 bits) { return __longlong_as_double((i64)bits); }
DEVICE float from_bits(u32 bits) { return __int_as_float((i32)bits); }

// Products that are rounded separately, even if other products and sums are fused.
#ifdef __CUDA_ARCH__
DEVICE double product(double a, double b) { return __dmul_rn(a, b); }
DEVICE float product(float a, float b) { return __fmul_rn(a, b); }
#else
DEVICE double product(double a, double b) { return a * b; }
DEVICE float product(float a, float b) { return a * b; }
#endif

// The larger and the smaller of two numbers. If one is NaN, the functions for doubles return the
// second argument, as the SIMD lanes of the CPU code do (src/levelset/tiled/lanes.rs), and the
// functions for floats return the argument that is not NaN. For doubles, fmax and fmin would need
// several times as many instructions.
DEVICE double larger(double a, double b) { return a > b ? a : b; }
DEVICE double smaller(double a, double b) { return a < b ? a : b; }
DEVICE float larger(float a, float b) { return fmax(a, b); }
DEVICE float smaller(float a, float b) { return fmin(a, b); }

// Constants of a scalar type. They are functions because the compiler stores static members in
// global memory.
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

// An unsigned integer that has the size of a real. For reals whose sign bit is not set, the bits
// have the same order as the reals.
typedef Precision<real>::Bits real_bits;

// Plus infinity.
#define INFINITY_R (Precision<real>::infinity())
// Relative size below which the integral over a cell counts as zero (docs/level-set.md, section
// 2.2, item 5).
#define ZERO_TEST (Precision<real>::zero_test())
// Relative distance between neighboring reals.
#define ROUNDING (Precision<real>::rounding())
// Relative decrease that a value must exceed to count as changed (docs/distances.md, section 6).
#define DECREASE (Precision<real>::decrease())
// A denominator of at most this value counts as zero, because its inverse may overflow.
#define LEAST (Precision<real>::least())
