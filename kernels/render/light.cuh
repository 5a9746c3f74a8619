// Lighting, the counterpart of crates/view/src/render/light.rs.
#pragma once
#include "render/projection.cuh"

struct Shade {
    float strength, gloss;
};

// Computes the lighting of a surface with a normal of any length. Both sides of the surface are
// lit.
DEVICE Shade shade_of(Triple normal, const Frame& frame, const Triple& to_eye) {
    normal = unit(normal);
    Triple n = {dot(normal, frame.right), dot(normal, frame.up), dot(normal, frame.toward)};
    double head = dot(normal, to_eye);
    if (head < 0.0) {
        n = n * -1.0;
        head = -head;
    }
    const double towards = dot(n, frame.lamp);
    const double lit = towards > 0.0 ? towards : 0.0;
    const double glossy = dot(n, unit(frame.lamp + Triple{0.0, 0.0, 1.0}));
    double gloss = glossy > 0.0 ? glossy : 0.0;
    for (u32 k = 0; k < 4; k++) gloss = gloss * gloss;
    return Shade{(float)(0.30 + 0.36 * head + 0.42 * lit), (float)gloss};
}
