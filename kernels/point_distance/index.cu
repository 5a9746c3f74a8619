// The point-wise distance transform through an index, twin of src/point_distance/tree.rs: the same tree
// and the same sites. One thread for each query; a warp reads what is near the root once.
//
// Defines: REAL (float). KEY: 0 for real coordinates in single precision, 2 for whole ones in u32. NORM: 1, 2, or 3
// for the largest difference.
#include "common/types.cuh"

// Nodes waiting at most: one per level, and 2^32 sites make 29 levels.
#define STACK 32

#if KEY == 2
typedef int number;
typedef u32 key;
#define FAR 0xffffffffu
#else
typedef float number;
typedef float key;
#define FAR __int_as_float(0x7f800000)
#endif

struct Node {
    number low[3], high[3];
    u32 begin, end;
    u32 second;             // its second child; 0 for a leaf
};

struct Entry {
    number point[3];
    u32 site;
};

DEVICE key key_of(const number (&d)[3]) {
#if KEY == 2
    const u32 x = (u32)abs(d[0]), y = (u32)abs(d[1]), z = (u32)abs(d[2]);
    return NORM == 2 ? x * x + y * y + z * z : NORM == 1 ? x + y + z : max(max(x, y), z);
#else
    const float x = fabsf(d[0]), y = fabsf(d[1]), z = fabsf(d[2]);
    // Rounded as on the processor.
    if (NORM == 2) return __fadd_rn(__fadd_rn(__fmul_rn(x, x), __fmul_rn(y, y)), __fmul_rn(z, z));
    return NORM == 1 ? __fadd_rn(__fadd_rn(x, y), z) : fmaxf(fmaxf(x, y), z);
#endif
}

DEVICE key to_box(const Node& node, const number (&q)[3]) {
    number d[3];
#pragma unroll
    for (int k = 0; k < 3; k++) {
        d[k] = q[k] < node.low[k] ? node.low[k] - q[k] : q[k] > node.high[k] ? node.high[k] - q[k] : (number)0;
    }
    return key_of(d);
}

// Keys and sites of the nearest.
// Grid: ceil(n_queries / 32) blocks of 32 threads.
extern "C" __global__ void point_distance_index(const Node* nodes, const Entry* entries, const number* queries,
                                                key* keys, u32* sites, u32 n_queries) {
    const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n_queries) return;
    const number q[3] = {queries[3 * i], queries[3 * i + 1], queries[3 * i + 2]};
    key best = FAR;
    u32 site = 0xffffffffu;
    u32 stack[STACK];
    key bounds[STACK];
    u32 waiting = 0, at = 0;
    key bound = to_box(nodes[0], q);
    for (;;) {
        // A box as far as the best site may hold one of the same distance and a smaller number.
        if (bound > best) {
            if (waiting == 0) break;
            waiting--;
            at = stack[waiting];
            bound = bounds[waiting];
            continue;
        }
        const Node node = nodes[at];
        if (node.second == 0) {
            for (u32 k = node.begin; k < node.end; k++) {
                const Entry entry = entries[k];
                const number d[3] = {entry.point[0] - q[0], entry.point[1] - q[1], entry.point[2] - q[2]};
                const key found = key_of(d);
                if (found < best || (found == best && entry.site < site)) {
                    best = found;
                    site = entry.site;
                }
            }
            if (waiting == 0) break;
            waiting--;
            at = stack[waiting];
            bound = bounds[waiting];
            continue;
        }
        const key a = to_box(nodes[at + 1], q), b = to_box(nodes[node.second], q);
        const bool second = b < a;
        stack[waiting] = second ? at + 1 : node.second;
        bounds[waiting] = second ? a : b;
        waiting++;
        at = second ? node.second : at + 1;
        bound = second ? b : a;
    }
    keys[i] = best;
    sites[i] = site;
}
