// Printed from crates/gpu/src/primitives/hilbert.rs, which is what to change: ZEROSET_BLESS=1 lets its test
// `cuda_header::is_current` write this file.
#pragma once
#include "common/types.cuh"

// Bits per axis of a place along the curve.
enum { BITS = 21 };

// The lattice that a Hilbert curve runs through.
struct Lattice {
    // Lower corner.
    double low[3];
    // Steps per length, one for all axes.
    double scale;
};
static_assert(sizeof(Lattice) == 32, "size of Lattice");
ASSERT_OFFSET(Lattice, low, 0);
ASSERT_OFFSET(Lattice, scale, 24);
