// The point-wise distance transform with a k-d tree, the counterpart of
// crates/cloud/src/point_distance/tree.rs. It uses the same tree and finds the same sites. LANES
// neighboring threads of a warp descend the tree together for one query and share the sites of a
// leaf. Most of the time is spent waiting for reads, so a few queries take no longer than one. For
// the same reason, both children of a node are read at once.
//
// Defines: REAL; KEY and NORM, with values from generated/distance_keys.cuh; LANES: 1, 8 or 32.
//
// variants: REAL=float, KEY=0, NORM=1
//     | REAL=float, KEY=0, NORM=2 | REAL=float, KEY=0, NORM=3 | REAL=float, KEY=2, NORM=1
//     | REAL=float, KEY=2, NORM=2 | REAL=float, KEY=2, NORM=3 | REAL=double, KEY=3, NORM=1
//     | REAL=double, KEY=3, NORM=2 | REAL=double, KEY=3, NORM=3
// variants: LANES=1 | LANES=8 | LANES=32
#include "point_distance/keys.cuh"

// The size of the stack of pending nodes. At most one node per level is pending, and a tree of 2^32
// sites has 29 levels.
#define STACK 32

struct Node {
    number low[3], high[3];
    u32 begin, end;
    u32 second;             // the index of the second child; 0 for a leaf
    u32 least;              // the smallest index of a site in the box
};

struct Entry {
    number point[3];
    u32 site;
};

DEVICE key to_box(const Node& node, const number (&q)[3]) {
    number d[3];
#pragma unroll
    for (int k = 0; k < 3; k++) {
        d[k] = q[k] < node.low[k] ? node.low[k] - q[k] : q[k] > node.high[k] ? node.high[k] - q[k] : (number)0;
    }
    return exact_key(d);
}

// Returns the mask of the lanes of a warp that share the query of this thread.
DEVICE u32 lanes_of_query() {
    return (u32)((1ull << LANES) - 1) << (threadIdx.x % 32 / LANES * LANES);
}

// Compares the sites of a leaf with the best site so far and keeps the nearest one. All lanes of
// the query get the result.
DEVICE void visit_leaf(const Node& leaf, const Entry* entries, const number (&q)[3], key& best, u32& site) {
    for (u32 k = leaf.begin + threadIdx.x % LANES; k < leaf.end; k += LANES) {
        const Entry entry = entries[k];
        const number d[3] = {entry.point[0] - q[0], entry.point[1] - q[1], entry.point[2] - q[2]};
        const key found = exact_key(d);
        if (found < best || (found == best && entry.site < site)) {
            best = found;
            site = entry.site;
        }
    }
    for (u32 with = LANES / 2; with > 0; with /= 2) {
        const key other = __shfl_xor_sync(lanes_of_query(), best, with);
        const u32 number_of_other = __shfl_xor_sync(lanes_of_query(), site, with);
        if (other < best || (other == best && number_of_other < site)) {
            best = other;
            site = number_of_other;
        }
    }
}

// Finds the nearest site of each query and its key.
//
// Grid: LANES threads per query, rounded up. Block: 32 threads.
//
// nodes, entries  the tree
// queries         [n_queries, 3]
// keys, sites     [n_queries]
extern "C" __global__ void point_distance_index(const Node* nodes, const Entry* entries, const number* queries,
                                                key* keys, u32* sites, u32 n_queries) {
    const u32 i = (u32)(((u64)blockIdx.x * 32 + threadIdx.x) / LANES);
    if (i >= n_queries) return;
    const number* const x = queries + 3 * (u64)i;
    const number q[3] = {x[0], x[1], x[2]};
    key best = FAR;
    u32 site = 0xffffffffu;
    // The pending nodes, and lower bounds on the keys of their sites.
    u32 stack[STACK];
    key bounds[STACK];
    u32 waiting = 0, at = 0;
    Node node = nodes[0];
    key bound = to_box(node, q);
    for (;;) {
        // A box at the same distance as the best site may contain a site at that distance with a
        // smaller index. The comparison of indices keeps the search short if many sites are at one
        // position.
        if (bound < best || (bound == best && node.least < site)) {
            if (node.second != 0) {
                const Node first = nodes[at + 1], second = nodes[node.second];
                const key a = to_box(first, q), b = to_box(second, q);
                const bool is_second = b < a;
                stack[waiting] = is_second ? at + 1 : node.second;
                bounds[waiting] = is_second ? a : b;
                waiting++;
                at = is_second ? node.second : at + 1;
                bound = is_second ? b : a;
                node = is_second ? second : first;
                continue;
            }
            visit_leaf(node, entries, q, best, site);
        }
        do {
            if (waiting == 0) {
                if (threadIdx.x % LANES == 0) {
                    keys[i] = best;
                    sites[i] = site;
                }
                return;
            }
            waiting--;
            bound = bounds[waiting];
        } while (bound > best);
        at = stack[waiting];
        node = nodes[at];
    }
}
