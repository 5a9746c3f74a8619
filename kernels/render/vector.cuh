// 3-vectors in double precision, the counterpart of crates/view/src/render/vector.rs. Operations
// and their order are the same, so that rays are bitwise identical to those of the CPU.
#pragma once
#include "common/types.cuh"

struct Triple {
    double at[3];
};

DEVICE double dot(const Triple& a, const Triple& b) {
    return a.at[0] * b.at[0] + a.at[1] * b.at[1] + a.at[2] * b.at[2];
}

DEVICE Triple operator-(const Triple& a, const Triple& b) {
    return Triple{a.at[0] - b.at[0], a.at[1] - b.at[1], a.at[2] - b.at[2]};
}

DEVICE Triple operator+(const Triple& a, const Triple& b) {
    return Triple{a.at[0] + b.at[0], a.at[1] + b.at[1], a.at[2] + b.at[2]};
}

DEVICE Triple operator*(const Triple& a, double s) { return Triple{a.at[0] * s, a.at[1] * s, a.at[2] * s}; }

DEVICE double infinity() { return __longlong_as_double(0x7ff0000000000000ll); }
DEVICE double not_a_number() { return __longlong_as_double(0x7ff8000000000000ll); }
DEVICE bool is_finite(double x) { return x - x == 0.0; }

// Returns the vector scaled to length 1, or the zero vector if its length is zero or not finite.
DEVICE Triple unit(const Triple& a) {
    const double norm = sqrt(dot(a, a));
    return norm > 0.0 && norm < infinity() ? a * (1.0 / norm) : Triple{0.0, 0.0, 0.0};
}
