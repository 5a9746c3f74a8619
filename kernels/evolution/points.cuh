// The vertices of a patch in shared memory, where cells read them.
#pragma once

#include "common/patches.cuh"
#include "common/compute_once.cuh"
#include "common/shared.cuh"
#include "common/vector.cuh"

// The values that a thread reads from shared memory at once.
struct __align__(16) Group {
    enum { SIZE = 16 / sizeof(real) };
    real of[SIZE];
};

// The coordinates and phi of the local vertices of a patch, in shared memory. Group k of all
// vertices precedes group k + 1.
struct Points {
    Group* groups;
    u32 largest;

    enum { GROUPS = 4 / Group::SIZE };

    // Returns coordinate k of a vertex, or phi for k = 3.
    DEVICE real& number(u32 v, u32 k) const { return groups[k / Group::SIZE * largest + v].of[k % Group::SIZE]; }

    DEVICE real& phi(u32 v) const { return number(v, 3); }

    // Starts copying the coordinates of a vertex. `x` holds one axis after the other, and each axis
    // starts `apart` values after the previous one.
    DEVICE void fetch_place(u32 v, const real* x, u32 apart) const {
#pragma unroll
        for (int k = 0; k < (PLANAR ? 2 : 3); k++) copy_async(&number(v, k), x + k * apart + v);
    }

    DEVICE void get(u32 v, Vec3& x, real& phi) const {
        real numbers[4];
#pragma unroll
        for (int k = 0; k < GROUPS; k++) {
            const Group group = groups[k * largest + v];
#pragma unroll
            for (int i = 0; i < Group::SIZE; i++) numbers[k * Group::SIZE + i] = group.of[i];
        }
        x = Vec3{numbers[0], numbers[1], numbers[2]};
        phi = numbers[3];
    }
};

// Calls `what` for each of `n` items, which are divided among the threads of a block. The first
// AT_ONCE items of a thread need no loop; most patches have no more.
template <int AT_ONCE, class Do>
DEVICE void for_each_of(u32 n, const Do& what) {
#pragma unroll
    for (int i = 0; i < AT_ONCE; i++) {
        const u32 k = threadIdx.x + i * BLOCK;
        if (k < n) what(k);
    }
#pragma unroll 1
    for (u32 k = threadIdx.x + AT_ONCE * BLOCK; k < n; k += BLOCK) what(k);
}

// The values at the first AT_ONCE local vertices of a thread, requested before they are needed.
template <int AT_ONCE>
struct Asked {
    u32 vertices[AT_ONCE];
    real values[AT_ONCE];

    DEVICE static u32 local(int i) { return threadIdx.x + i * BLOCK; }

    // Finds the indices of the vertices in patch order, which are the same in all steps.
    DEVICE void find(const Patch& patch) {
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++) {
            if (local(i) < patch.n_local) vertices[i] = patch.vertex(local(i));
        }
    }

    // Requests the values of these vertices, bypassing the L1 cache.
    DEVICE void load(const real* from, u32 n_local) {
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++) {
            if (local(i) < n_local) values[i] = __ldcg(from + vertices[i]);
        }
    }

    // Stores the values of all local vertices at the positions that `at` returns.
    template <class At>
    DEVICE void put(const Patch& patch, const real* from, const At& at) const {
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++) {
            if (local(i) < patch.n_local) at(local(i)) = values[i];
        }
        for (u32 v = local(AT_ONCE); v < patch.n_local; v += BLOCK) at(v) = __ldcg(from + patch.vertex(v));
    }
};
