// The vertices of a patch in shared memory, where cells read them.
#pragma once

#include "common/shared.cuh"
#include "common/vector.cuh"

// Numbers that a thread reads from shared memory at once.
struct __align__(16) Group {
    enum { SIZE = 16 / sizeof(real) };
    real of[SIZE];
};

// The local vertices of a patch with phi there, in shared memory: group k of all of them, then the
// next.
struct Points {
    Group* groups;
    u32 largest;

    enum { GROUPS = 4 / Group::SIZE };

    // Number k of a vertex: a coordinate, or phi.
    DEVICE real& number(u32 v, u32 k) const { return groups[k / Group::SIZE * largest + v].of[k % Group::SIZE]; }

    DEVICE real& phi(u32 v) const { return number(v, 3); }

    // Sends for the place of a vertex, whose coordinates lie `apart` behind x.
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
