// Direct reinitialization of phi: the counterpart of src/levelset/tiled/direct_reinitialization.rs.
//
// One cooperative kernel computes the distances of voxels next to the interface from phi itself. It
// then computes the values of all other voxels from the previous values of their neighbors, and
// repeats this second step until nothing changes or the limit on the number of passes is reached.
// The result does not depend on the order of blocks.
//
// variants: REAL=float, TILE_EDGE=4, BLOCK=128
//     | REAL=float, TILE_EDGE=8, BLOCK=128 | REAL=float, TILE_EDGE=4, STORAGE=16, BLOCK=128
//     | REAL=double, TILE_EDGE=4, BLOCK=64 | REAL=double, TILE_EDGE=8, BLOCK=128
#include "tiles/formulas/distance.cuh"

#define REACH 2
#define EDGES 1
#include "tiles/step_end.cuh"

enum { MIN_BLOCKS = (sizeof(real) == 8 ? 384 : 768) / BLOCK };

// Returns `v` or -`v`, so that values on the voxel's own side of the interface are positive.
DEVICE real outward(bool inside, real v) { return inside ? -v : v; }

// Returns whether a neighbor lies on the other side. phi = 0 counts as outside.
DEVICE bool is_near(const Around& at, bool inside) {
    real least = outward(inside, at(-1, 0, 0));
    least = smaller(least, outward(inside, at(1, 0, 0)));
    least = smaller(least, outward(inside, at(0, -1, 0)));
    least = smaller(least, outward(inside, at(0, 1, 0)));
    least = smaller(least, outward(inside, at(0, 0, -1)));
    least = smaller(least, outward(inside, at(0, 0, 1)));
    return inside ? !(least > R(0)) : R(0) > least;
}

// Returns the largest absolute value at the six points `by` voxels away along the axes.
DEVICE real largest_on_axes(const Around& at, i32 by) {
    const real x = larger(fabs(at(-by, 0, 0)), fabs(at(by, 0, 0)));
    const real y = larger(fabs(at(0, -by, 0)), fabs(at(0, by, 0)));
    return larger(larger(x, y), larger(fabs(at(0, 0, -by)), fabs(at(0, 0, by))));
}

DEVICE real largest_on_edges(const Around& at) {
    real largest = R(0);
#pragma unroll
    for (i32 i = -1; i <= 1; i += 2) {
#pragma unroll
        for (i32 j = -1; j <= 1; j += 2) {
            largest = larger(largest, fabs(at(i, j, 0)));
            largest = larger(largest, fabs(at(i, 0, j)));
            largest = larger(largest, fabs(at(0, i, j)));
        }
    }
    return largest;
}

DEVICE real square_of_axis(real value, real before, real behind) {
    const real a = crossing_slope(value, before), b = crossing_slope(value, behind);
    return larger(a * a, b * b);
}

// Returns the distance to the plane through the crossings on the axes, or a value above 2 if there
// are no crossings.
DEVICE real to_crossings(const Around& at, real value) {
    const real own = R(0) > value ? -value : value;
    real sum = R(0);
    sum = sum + square_of_axis(value, at(-1, 0, 0), at(1, 0, 0));
    sum = sum + square_of_axis(value, at(0, -1, 0), at(0, 1, 0));
    sum = sum + square_of_axis(value, at(0, 0, -1), at(0, 0, 1));
    return sum > R(0) ? own / sqrt(sum) : R(4);
}

// Returns the distance to the interface from a voxel next to it, clamped to the range from 1e-12 to
// gamma.
DEVICE real near_distance(const Around& at, real own, real gamma) {
    Central d = central(at);
    // The fourth-order derivatives are not valid if the stencil contains clamped values.
    if (gamma > largest_on_axes(at, 2)) {
        refine(d.x, d.xx, own, at(-2, 0, 0), at(2, 0, 0));
        refine(d.y, d.yy, own, at(0, -2, 0), at(0, 2, 0));
        refine(d.z, d.zz, own, at(0, 0, -2), at(0, 0, 2));
    }
    real smooth = R(4);
    if (gamma > larger(largest_on_axes(at, 1), largest_on_edges(at))) smooth = to_quadric(own, d);
    // The interface lies within one voxel, so a larger result is discarded.
    const real distance = R(1.01) > smooth ? smooth : to_crossings(at, own);
    return smaller(larger(distance, R(1e-12)), gamma);
}

DEVICE Axis axis_along(const Around& at, bool inside, i32 x, i32 y, i32 z) {
    return axis_of(outward(inside, at(-2 * x, -2 * y, -2 * z)), outward(inside, at(-x, -y, -z)),
                   outward(inside, at(x, y, z)), outward(inside, at(2 * x, 2 * y, 2 * z)));
}

// Returns the signed distance computed from the neighbors. A voxel keeps its own value if it is
// next to the interface, or if neither it nor a neighbor lies well inside the band.
DEVICE real relaxed(const Around& at, real own, real gamma, real core) {
    const bool inside = R(0) > own;
    if (is_near(at, inside) || !is_moving(at, core)) return own;
    const real u = solve(axis_along(at, inside, 1, 0, 0), axis_along(at, inside, 0, 1, 0),
                         axis_along(at, inside, 0, 0, 1));
    return outward(inside, smaller(u, gamma));
}

// Reinitializes phi if a reinitialization is due, with at most `most` passes after the first pass.
// Grid: cooperative. Block: BLOCK threads. Shared memory: static.
extern "C" __global__ void __launch_bounds__(BLOCK, MIN_BLOCKS)
tiles_reinitialize(TileGrid g, TileMotion m, u32 most) {
    __shared__ __align__(16) real padded[TILES][PADDED];
    __shared__ Near near;
    __shared__ u32 bits_of_tile[TILES];
    TileControl& c = *g.control;
    if (!c.due) return;
    const u32 list = c.list, n = c.n_tiles;
    const u32 thread = threadIdx.x % GROUP, slot = threadIdx.x / GROUP, voxel = QUAD * thread;
    const real* here = padded[slot] + place_of(voxel);
    stored* arrays[2] = {array_of(m, c, 0), array_of(m, c, 1)};
    if (thread == 0) bits_of_tile[slot] = 0;
    Outcome outcome = {0, 0, 0, 0, R(0)};
    for (u32 pass = 0;; pass++) {
        const stored* from = pass % 2 ? arrays[1] : arrays[0];
        stored* out = pass % 2 ? arrays[0] : arrays[1];
        bool changed = false;
        for (u32 first = blockIdx.x * TILES; first < n; first += gridDim.x * TILES) {
            const u32 p = first + slot;
            NearPart found;
            found.read(g, list, thread, p, n);
            if (p < n) found.keep(near, slot, thread);
            __syncthreads();
            if (p < n) copy_padded(padded[slot], near.ids[slot], from, m.gamma, thread);
            __syncthreads();
            if (p < n) {
                Quad fresh;
#pragma unroll
                for (int i = 0; i < QUAD; i++) {
                    const Around at = {here + i};
                    const real own = at(0, 0, 0);
                    real value;
                    if (pass == 0) {
                        const bool inside = R(0) > own;
                        value = outward(inside, is_near(at, inside) ? near_distance(at, own, m.gamma) : m.gamma);
                    } else {
                        value = relaxed(at, own, m.gamma, m.core);
                        changed = changed || fabs(value - own) > R(0);
                    }
                    fresh.v[i] = store_value(value, m.gamma);
                }
                *(Quad*)(out + (u64)near.ids[slot][NEAR_CENTER] * TILE_VALUES + voxel) = fresh;
            }
            __syncthreads();
        }
        changed = __syncthreads_or(changed);
        // Each of three successive passes has its own bit. The bit of the previous pass is cleared
        // while no block reads it.
        if (changed && threadIdx.x == 0) atomicOr(&c.changed, 1u << (pass % 3));
        grid_barrier(&c.arrived);
        const bool is_last = pass > 0 && (pass == most || !(*(volatile u32*)&c.changed >> (pass % 3) & 1));
        if (blockIdx.x == 0 && threadIdx.x == 0) atomicAnd(&c.changed, ~(1u << ((pass + 2) % 3)));
        if (!is_last) continue;
        // Examine the final values.
        look_at_all(g, m, list, n, out, bits_of_tile, outcome);
        if (!join(c, outcome)) return;
        c.changed = 0;
        take_over(c);
        // After an odd number of passes, phi is in the array of the stage.
        end_reinitialization(c, pass % 2 == 0 ? 1 : 0);
        return;
    }
}
