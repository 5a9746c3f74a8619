// A level set in the potential of samples: velocities of tiles, and phi at the samples. The
// counterpart of src/reconstruct/potential/{sum,field,fit_residual}.rs.
//
// EXPONENT is p, 2 to 5. HULL is 1 if the interface stops at a given distance from the samples, and
// 0 if it stops on them. A warp traverses the tree for one tile, and each lane sums for two voxels.
//
// variants: REAL=float
// variants: EXPONENT=5, HULL=0
//     | EXPONENT=5, HULL=1 | EXPONENT=4, HULL=1 | EXPONENT=3, HULL=0 | EXPONENT=2, HULL=1
// variants: TILE_EDGE=4 | TILE_EDGE=4, STORAGE=16
// fused: always
#include "primitives/block.cuh"
#include "common/division.cuh"
#include "generated/potential.cuh"
#include "reconstruct/octree_nodes.cuh"
#include "tiles/stationary_values.cuh"
#include "tiles/storage.cuh"

// The edge length of a tile in voxels, and the numbers of voxels per tile and per lane.
enum { E = TILE_EDGE, TILE_VALUES = E * E * E, OWN = TILE_VALUES / WARP };
static_assert(E == 4, "two voxels for each lane");

// The speed, per voxel of distance from the place where a hull stops.
#define GAIN R(2)

// Returns a sum that is never fused with a product, so that the same nodes are opened as on the
// CPU.
#ifdef __CUDA_ARCH__
DEVICE float sum(float a, float b) { return __fadd_rn(a, b); }
#else
DEVICE float sum(float a, float b) { return a + b; }
#endif

// The sums N, B and C for a voxel (docs/potential.md).
struct Totals {
    float pull[3];
    float weight, near;

    DEVICE void add(float dx, float dy, float dz, float square, float count) {
        const float over = inverse(square);
        float w = count * over;
#pragma unroll
        for (int k = 0; k < (EXPONENT - 1) / 2; k++) w = w * over;
        if (EXPONENT % 2 == 0) w = w * root(over);
        pull[0] = pull[0] + w * dx;
        pull[1] = pull[1] + w * dy;
        pull[2] = pull[2] + w * dz;
        weight = weight + w;
        near = near + w * over;
    }

    DEVICE void velocity(const Field& f, float (&u)[3]) const {
        const float length = root((pull[0] * pull[0] + pull[1] * pull[1]) + pull[2] * pull[2]);
        float speed = R(1);
        if (HULL) {
            speed = GAIN * (root(quotient(f.share * weight, near)) - f.stop);
            speed = speed > R(1) ? R(1) : speed < R(-1) ? R(-1) : speed;
        }
        const float factor = quotient(speed, larger(weight, length));
        for (u32 k = 0; k < 3; k++) u[k] = pull[k] * factor;
    }
};

// Adds the contributions of the nodes of the octree to the sums of the voxels of a lane. Both
// voxels have the same x and y, and their z coordinates differ by two.
DEVICE void walk(const Field& f, const float (&middle)[3], u32 lane, Totals (&totals)[OWN]) {
    const float half = R(E - 1) / R(2), radius = sqrt(R(3)) * half;
    const float x = R(lane % E) - half, y = R(lane / E % E) - half, z = R(lane / (E * E)) - half;
    const float reach = product(f.theta, radius), theta2 = product(f.theta, f.theta);
    u32 at = 0;
    while (at < f.nodes) {
        const Center center = f.centers[at];
        const Link link = f.links[at];
        // The scale is a power of two, so these products are exact.
        const float cx = center.at[0] * f.scale - middle[0];
        const float cy = center.at[1] * f.scale - middle[1];
        const float cz = center.at[2] * f.scale - middle[2];
        if (link.next != at + 1 && link.level < f.level) {
            const float edge = (float)(1u << (f.level - link.level));
            const float far = sum(edge, reach);
            const float distance = sum(sum(product(cx, cx), product(cy, cy)), product(cz, cz));
            if (product(theta2, distance) <= product(far, far)) {
                at++;
                continue;
            }
        }
        const float dx = cx - x, dy = cy - y, dz = cz - z;
        const float flat = dx * dx + dy * dy;
#pragma unroll
        for (u32 k = 0; k < OWN; k++) {
            const float d = dz - R(k * (E / OWN));
            totals[k].add(dx, dy, d, flat + (d * d + f.square), center.count);
        }
        at = link.next;
    }
}

// Two reductions over the lanes of a warp: the largest value, and the sum.
DEVICE float largest_of_warp(float value) {
    for (u32 by = WARP / 2; by > 0; by /= 2) value = larger(value, __shfl_xor_sync(0xffffffffu, value, by));
    return value;
}
DEVICE float sum_of_warp(float value) {
    for (u32 by = WARP / 2; by > 0; by /= 2) value = value + __shfl_xor_sync(0xffffffffu, value, by);
    return value;
}

// Computes the velocities of the tiles that the last change to the tile set created, or of all
// tiles.
//
// Grid: any number of blocks, whose warps share the tiles.
extern "C" __global__ void __launch_bounds__(BLOCK)
potential_velocity(TileGrid g, StationaryValues kept, Field f, u32 of_all) {
    const TileControl& c = *g.control;
    if (is_paused(c) && !of_all) return;
    const u32 list = c.list, n = of_all ? c.n_tiles : c.created, lane = lane_of_thread();
    for (u32 k = blockIdx.x * WARPS + warp_of_thread(); k < n; k += gridDim.x * WARPS) {
        const u32 p = of_all ? k : position_of_created(g, k);
        const u64 key = g.keys[list][p];
        const u32 id = g.ids[list][p];
        float middle[3];
        for (u32 axis = 0; axis < 3; axis++) {
            middle[axis] = (float)(coordinate_of(key, axis) * E) + R(E - 1) / R(2);
        }
        Totals totals[OWN] = {};
        walk(f, middle, lane, totals);
        float u[OWN][3], most = R(0), largest = R(0), wrong = R(0);
        for (u32 v = 0; v < OWN; v++) {
            totals[v].velocity(f, u[v]);
            float size = R(0);
            for (u32 axis = 0; axis < 3; axis++) {
                size = size + fabs(u[v][axis]);
                largest = larger(fabs(u[v][axis]), largest);
                wrong = wrong + u[v][axis] * R(0);
            }
            most = larger(size, most);
        }
        largest = largest_of_warp(largest);
        most = largest_of_warp(most);
        wrong = sum_of_warp(wrong);
        const float up = largest > R(0) ? R(KEPT_MOST) / largest : R(0);
        short* values = kept.values + (u64)id * 3 * TILE_VALUES;
        for (u32 v = 0; v < OWN; v++) {
            for (u32 axis = 0; axis < 3; axis++) {
                const float scaled = u[v][axis] * up;
                values[axis * TILE_VALUES + v * WARP + lane] = kept_from(scaled);
            }
        }
        if (lane != 0) continue;
        extreme_of(kept, id, KEPT_UNIT) = largest / R(KEPT_MOST) + wrong;
        extreme_of(kept, id, KEPT_LARGEST) = most + wrong;
    }
}

// Interpolates phi at any position, and remembers the last tile that was read.
struct View {
    const TileGrid& g;
    const stored* phi;
    float gamma;
    u32 list, n;
    u64 key;
    u32 id;
    float far;

    DEVICE View(const TileGrid& g, const stored* phi, float gamma)
        : g(g), phi(phi), gamma(gamma), list(g.control->list), n(g.control->n_tiles), key(~(u64)0), id(0), far(gamma) {}

    DEVICE bool is_in_row(u32 p) const { return p < n && g.keys[list][p] >> KEY_BITS == key >> KEY_BITS; }

    // Looks up a tile. Sets `id` to its id, or to MISSING; `far` is then the value in the missing
    // tile.
    DEVICE void find(u64 wanted) {
        key = wanted;
        const u32 p = lower_bound(g.keys[list], 0u, n, key);
        id = MISSING;
        if (p < n && g.keys[list][p] == key) id = g.ids[list][p];
        else if (p > 0 && is_in_row(p - 1)) far = value_of(g.borders[list][p - 1] >> (CENTER + 1));
        else if (is_in_row(p)) far = value_of(g.borders[list][p] >> (CENTER - 1));
        else far = value_of(g.control->background);
    }

    DEVICE float value_of(u32 inside) const { return inside & 1 ? -gamma : gamma; }

    DEVICE float voxel(const i32 (&v)[3]) {
        u64 wanted = 0;
        u32 place = 0;
        for (u32 k = 0; k < 3; k++) {
            // A multiple of the tile edge is added to make the coordinate positive, so that the
            // division rounds down.
            const u32 up = (u32)(v[k] + (1 << KEY_BITS) * E);
            wanted |= (u64)(up / E - (1u << KEY_BITS) + (1u << (KEY_BITS - 1))) << (k * KEY_BITS);
            place |= up % E << (2 * k);
        }
        if (wanted != key) find(wanted);
        if (id == MISSING) return far;
        const float value = (float)phi[(u64)id * TILE_VALUES + place];
        return STORAGE == STORAGE_FIXED16 ? value * (gamma / R(32767)) : value;
    }

    DEVICE float at(const float (&u)[3]) {
        float part[3];
        i32 low[3];
        for (u32 k = 0; k < 3; k++) {
            const float down = floor(u[k]);
            part[k] = u[k] - down;
            low[k] = (i32)down;
        }
        float sum = R(0);
#pragma unroll 1
        for (u32 corner = 0; corner < 8; corner++) {
            i32 v[3];
            float weight[3];
            for (u32 k = 0; k < 3; k++) {
                const u32 high = corner >> k & 1;
                v[k] = low[k] + (i32)high;
                weight[k] = high ? part[k] : R(1) - part[k];
            }
            sum = sum + weight[0] * weight[1] * weight[2] * voxel(v);
        }
        return sum;
    }

    enum { MISSING = 0xffffffffu };
};

// Sums |phi| at samples in units of 2^-30 voxels, and counts the samples outside the band.
//
// Grid: any number of blocks, which share the samples.
//
// samples in voxels of the finest level, [n][3]
// found    zero at the start, [2]
extern "C" __global__ void __launch_bounds__(BLOCK)
potential_at_samples(TileGrid g, const stored* phi, float gamma, const float* samples, u32 n, float scale,
                     u64* found) {
    View view(g, phi, gamma);
    const u64 threads = (u64)gridDim.x * BLOCK;
    u64 sum = 0, outside = 0;
    for (u64 i = (u64)blockIdx.x * BLOCK + threadIdx.x; i < n; i += threads) {
        const float u[3] = {samples[3 * i] * scale, samples[3 * i + 1] * scale, samples[3 * i + 2] * scale};
        const float value = fabs(view.at(u));
        sum += (u64)(value * R(1 << 30));
        outside += value >= gamma;
    }
    for (u32 by = WARP / 2; by > 0; by /= 2) {
        sum += __shfl_xor_sync(0xffffffffu, sum, by);
        outside += __shfl_xor_sync(0xffffffffu, outside, by);
    }
    if (lane_of_thread() != 0) return;
    atomicAdd(&found[0], sum);
    if (outside) atomicAdd(&found[1], outside);
}
