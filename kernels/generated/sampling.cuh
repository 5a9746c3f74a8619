// Generated from src/levelset/evolution/cuda/coefficients.rs.
// To update this header, edit that file and run its test
// `cuda_header::is_current` with ZEROSET_BLESS=1.
#pragma once
#include "common/types.cuh"

// A coefficient counts as constant during a step if its change moves the interface by at most
// this fraction of the local edge length.
#define SLACK 0.01

// The permitted error of a mean, as a fraction of `SLACK`.
#define PRECISION 0.0001

// The maximum number of halvings of a span.
enum : u32 { MOST_HALVINGS = 52u };

// The number of evaluations after which pieces are not halved beyond `ENOUGH_HALVINGS`.
enum : u32 { MANY_EVALUATIONS = 20000u };

// The number of halvings after which a coefficient that oscillates fast is only sampled.
enum : u32 { ENOUGH_HALVINGS = 10u };

// The maximum number of pieces of a span in which a coefficient has no bounds.
#define MOST_PIECES 64.0

// The relative precision of double.
#define EPSILON 2.220446049250313e-16
