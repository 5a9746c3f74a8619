// The faces through which straight fronts reach the vertices of a patch; the counterpart of
// `earliest` in src/levelset/eikonal/quadratic/straight.rs and of `nearby_face` in faces.rs.
#pragma once
#include "common/patches.cuh"
#include "eikonal.cuh"
#include "eikonal/curved.cuh"

// A vertex that the straight front does not reach through the inside of a face.
enum : u32 { NO_FACE = 0xffffffffu };

// The largest part of a straight front's value by which a curved front may change it, and how much
// earlier a front that misses a face may arrive through its plane, relative to the way (faces.rs).
#define LARGEST_CHANGE R(0.1)
#define WIDEST_GAP R(0.03)

// Straight fronts in a patch. `u` holds their values in patch order; the sign bit is ignored.
struct Straight {
    const Patch& patch;
    const real* u;

    DEVICE real value(u32 local) const { return fabs(__ldcg(u + patch.vertex(local))); }

    // Returns the gather column of owned vertex k for the cell whose opposite face the earliest
    // front before `limit` passes, or NO_FACE if it comes along an edge or a face of the cell.
    DEVICE u32 earliest(u32 k, real limit) const {
        real best = INFINITY_R;
        u32 found = NO_FACE;
        const Vec3 x = patch.at(k);
        for (u32 row = patch.row(k); row < patch.row(k + 1); row++) {
            const u32 column = patch.column(row), i = column % 4;
            const Corners corners = patch.corners(column / 4);
            const u32 a = corners.of((i + 1) % N), b = corners.of((i + 2) % N), c = corners.of((i + N - 1) % N);
            const real from[3] = {value(a), value(b), value(c)};
            const real smallest = fmin(fmin(from[0], from[1]), from[2]);
            if (smallest >= best || smallest >= limit) continue;
            bool is_inside;
            real arrival;
            if constexpr (N == 3) {
                real at;
                arrival = triangle_foot(from[0], from[1], patch.at(a), patch.at(b), x, R(1), at);
                is_inside = at > R(0) && at < R(1);
            } else {
                arrival = tetrahedron_foot(from, patch.at(a), patch.at(b), patch.at(c), x, R(1), is_inside);
            }
            if (arrival < best) {
                best = arrival;
                found = is_inside ? column : (u32)NO_FACE;
            }
        }
        return found;
    }

    // Returns the gather column of owned vertex k for the cell whose opposite face the straight
    // front misses by the smallest distance, or NO_FACE. Sets `direction` to that from the neighbor
    // over which the front arrives first.
    DEVICE u32 nearby(u32 k, Vec3& direction) const {
        const real own = value(k);
        const Vec3 x = patch.at(k);
        u32 found = NO_FACE;
        real outside = INFINITY_R, foot_value = INFINITY_R, first = INFINITY_R;
        direction = Vec3{R(0), R(0), R(0)};
        for (u32 row = patch.row(k); row < patch.row(k + 1); row++) {
            const u32 column = patch.column(row);
            const Corners corners = patch.corners(column / 4);
            Vec3 points[3];
            real values[3];
#pragma unroll
            for (u32 j = 0; j < 3; j++) {
                const u32 local = corners.of(other(column % 4, j));
                points[j] = patch.at(local);
                values[j] = value(local);
                const Vec3 way = x - points[j];
                const real length = norm(way), arrival = values[j] + length;
                if (arrival < first) {
                    first = arrival;
                    direction = over(way, length);
                }
            }
            if (!(fmax(fmax(values[0], values[1]), values[2]) < own)) continue;
            Foot foot;
            if (!find_foot(face_of(points[0], points[1], points[2], x), values, foot)) continue;
            // Next to the face, the front would arrive earlier than over an edge, but only a
            // little.
            if (!(foot.value >= own - WIDEST_GAP * norm(x - points[0]))) continue;
            if (foot.outside < outside || (foot.outside == outside && foot.value < foot_value)) {
                outside = foot.outside;
                foot_value = foot.value;
                found = column;
            }
        }
        return found;
    }
};
