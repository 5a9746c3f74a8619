// Generated from crates/gpu/src/primitives/hilbert.rs.
// To update this header, edit that file and run its test
// `cuda_header::is_current` with ZEROSET_BLESS=1.
#pragma once
#include "common/types.cuh"

// The number of bits per axis of a position along the curve.
enum { BITS = 21 };

// The lattice of a Hilbert curve.
struct Lattice {
    // The lower corner.
    double low[3];
    // The number of steps per unit length, equal along all axes.
    double scale;
};
static_assert(sizeof(Lattice) == 32, "size of Lattice");
ASSERT_OFFSET(Lattice, low, 0);
ASSERT_OFFSET(Lattice, scale, 24);
