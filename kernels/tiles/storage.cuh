// Storage formats of a value of phi: floating point or 16 bits (STORAGE_FIXED16). The counterpart
// of src/grid/storage.rs.
#pragma once
#include "common/real.cuh"
#include "generated/tile_storage.cuh"

#ifndef STORAGE
#define STORAGE STORAGE_REAL
#endif

#if STORAGE == STORAGE_FIXED16

// round(phi / gamma * 32767). The smallest integer represents NaN.
typedef short stored;

DEVICE real load_value(stored value, real gamma) {
    if (value == -32768) return (real)__longlong_as_double(0x7ff8000000000000);
    // Divide first: 32767 / 32767 is exactly 1, so gamma is restored exactly.
    return (real)((double)value / 32767.0) * gamma;
}

DEVICE stored store_value(real value, real gamma) {
    const double scaled = (double)(value / gamma) * 32767.0;
    if (scaled != scaled) return -32768;
    const double clamped = scaled > 32767.0 ? 32767.0 : scaled < -32767.0 ? -32767.0 : scaled;
    return (stored)(clamped + (scaled < 0.0 ? -0.5 : 0.5));
}

DEVICE bool is_active(stored value, real) { return value != 32767 && value != -32767; }
DEVICE bool is_inside(stored value) { return value < 0 && value != -32768; }

#else

typedef real stored;

DEVICE real load_value(stored value, real) { return value; }
DEVICE stored store_value(real value, real) { return value; }

// Returns whether a value is inside the band or NaN.
DEVICE bool is_active(stored value, real gamma) { return !(value >= gamma || value <= -gamma); }
DEVICE bool is_inside(stored value) { return value < R(0); }

#endif

// The number of values that are read and written at once.
enum { QUAD = 4 };

struct __align__(sizeof(stored) * QUAD > 16 ? 16 : sizeof(stored) * QUAD) Quad {
    stored v[QUAD];
};
