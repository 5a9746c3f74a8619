// The map from positions in a picture to rays, the counterpart of
// crates/view/src/render/projection.rs and of `place` in crates/view/src/render/march.rs.
#pragma once
#include "generated/render.cuh"

struct Ray {
    Triple from, along;
};

DEVICE Ray ray_of(const Frame& frame, u32 column, u32 row) {
    const double x = ((double)column + 0.5) / (double)frame.samples;
    const double y = ((double)row + 0.5) / (double)frame.samples;
    const Triple aside =
        frame.right * ((x - frame.origin[0]) / frame.scale) + frame.up * ((frame.origin[1] - y) / frame.scale);
    if (!frame.perspective) return Ray{aside + frame.toward * frame.front, frame.toward * -1.0};
    const Triple back = frame.toward * frame.distance;
    return Ray{frame.middle + back, unit(aside - back)};
}

// Finds the ray of a thread. Returns false if it is outside the picture.
DEVICE bool place_of(const Frame& frame, u32& column, u32& row) {
    const u32 blocks = (frame.wide + RAYS_WIDE - 1) / RAYS_WIDE;
    const u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    column = blockIdx.x % blocks * RAYS_WIDE + warp % 2 * 8 + lane % 8;
    row = blockIdx.x / blocks * RAYS_TALL + warp / 2 * 4 + lane / 8;
    return column < frame.wide && row < frame.tall;
}
