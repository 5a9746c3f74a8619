// The data that an eikonal solve works on.
#pragma once
#include "common/patches.cuh"

// Statistics of a solve, for the host.
struct Stats {
    u32 rounds;
    u32 patch_updates;
    u32 n_visited;
    u32 unused;
};

// The state of the queue of patches.
struct Queue {
    real_bits cut;       // patches with only later pending values wait
    u32 head, tail;
    u32 outstanding;     // patches that are queued or being updated
    u32 done;
};

// Reasons why a solve fails: no block has work but the queue is not done, or values still change
// after `most_rounds`.
enum { FAILED_STALLED = 1, FAILED_ENDLESS = 2 };

// Bits of the state of a patch in the queue.
enum { DIRTY = 1, QUEUED = 2 };

// Shape data of cells. For triangles, the data of patch p start at SHAPE_SIZE * its first cell, and
// value k of cell t is at k * n_cells + t.
#if CELL_SIZE == 4
typedef struct Heights CellShapes;
#else
typedef real CellShapes;
#endif

#include "generated/eikonal_solve.cuh"

// The sign bit marks a given value, so that 0 can be given, too.
DEVICE bool is_given(real stored) { return to_bits(stored) >> (8 * sizeof(real) - 1); }

// Returns whether patches with later pending values wait for those with earlier ones.
DEVICE bool is_ordered(const Eikonal& e) { return e.near < INFINITY_R; }

DEVICE bool is_due(const Eikonal& e) { return !e.due || *e.due; }

// Counts an update of a patch. The first one adds it to the list of visited patches.
DEVICE void visit(const Eikonal& e, u32 p) {
    if (atomicAdd(&e.n_updates[p], 1u) == 0) e.visited[atomicAdd(&e.stats->n_visited, 1u)] = p;
}

// Prepares the state for the next solve. One thread calls it, after forget_patch has been called
// for all updated patches.
DEVICE void reset_solve(const Eikonal& e) {
    for (int k = 0; k < 3; k++) {
        e.counts[k] = 0;
        e.first_news[k] = to_bits(INFINITY_R);
    }
    *e.arrived = 0;
    e.queue->cut = to_bits(is_ordered(e) ? R(-1) : INFINITY_R);
    e.queue->head = e.queue->tail = e.queue->outstanding = e.queue->done = 0;
}

// Resets everything except the values of a patch, as if the patch had never been updated. All
// threads of a block must call it.
DEVICE void forget_patch(const Patch& patch, const Eikonal& e) {
#if CELL_SIZE == 4
    for (u32 v = threadIdx.x; v < patch.n_local; v += blockDim.x) e.seen[patch.first_local() + v] = INFINITY_R;
#endif
    if (threadIdx.x == 0) {
        e.listed[patch.p] = 0;
        e.states[patch.p] = 0;
        e.n_updates[patch.p] = 0;
        e.news[patch.p] = to_bits(INFINITY_R);
        e.news[e.n_patches + patch.p] = to_bits(INFINITY_R);
    }
}
