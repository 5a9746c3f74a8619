// Traversal of unit cubes along a ray, the counterpart of crates/view/src/render/grid_traversal.rs.
#pragma once
#include "render/vector.cuh"

struct GridTraversal {
    Triple from, along, inverse;
    double begin, end;

    // Returns the t at which the ray crosses the boundary between cubes `plane - 1` and `plane`
    // along an axis, in either direction.
    DEVICE double border(u32 k, i32 plane) const { return ((double)plane - 0.5 - from.at[k]) * inverse.at[k]; }

    DEVICE double leaves(u32 k, i32 cube) const {
        const double d = along.at[k];
        return d > 0.0 ? border(k, cube + 1) : d < 0.0 ? border(k, cube) : infinity();
    }

    DEVICE double enters(u32 k, i32 cube) const {
        const double d = along.at[k];
        return d > 0.0 ? border(k, cube) : d < 0.0 ? border(k, cube + 1) : -infinity();
    }

    DEVICE Triple at(double t) const { return from + along * t; }

    DEVICE double cube_along(u32 k, double t) const { return floor(from.at[k] + t * along.at[k] + 0.5); }

    // Finds the cube at `t`. Cubes that the ray only touches there do not count.
    DEVICE void cube(double t, i32* found) const {
#pragma unroll
        for (u32 k = 0; k < 3; k++) {
            const i32 forward = along.at[k] > 0.0 ? 1 : -1;
            // Rounding can make `cube_along` return a neighboring cube.
            i32 c = (i32)cube_along(k, t);
            while (leaves(k, c) <= t) c += forward;
            while (enters(k, c) > t) c -= forward;
            found[k] = c;
        }
    }

    // Starts the traversal of the cubes from `low` to `high`, both included. Returns false if the
    // ray misses them.
    DEVICE bool through(const Triple& start, const Triple& direction, const u32* low, const u32* high) {
        from = start;
        begin = 0.0;
        end = infinity();
        bool meets = true;
#pragma unroll
        for (u32 k = 0; k < 3; k++) {
            inverse.at[k] = 1.0 / direction.at[k];
            along.at[k] = is_finite(inverse.at[k]) ? direction.at[k] : 0.0;
            if (along.at[k] == 0.0) {
                const double c = cube_along(k, 0.0);
                meets = meets && c >= (double)low[k] && c <= (double)high[k];
                continue;
            }
            const double a = border(k, (i32)low[k]), b = border(k, (i32)high[k] + 1);
            begin = fmax(begin, along.at[k] > 0.0 ? a : b);
            end = fmin(end, along.at[k] > 0.0 ? b : a);
        }
        return meets && begin < end;
    }
};
