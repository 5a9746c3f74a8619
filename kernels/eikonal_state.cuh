// What a solve works on: src/levelset/eikonal/cuda.rs lays it out.
#pragma once
#include "common/patches.cuh"

// Counts of a solve, for the host.
struct Stats {
    u32 rounds;
    u32 patch_updates;
    u32 n_visited;
    u32 unused;
};

// Ends of the queue, and how much is under way.
struct Queue {
    real_bits cut;       // news later than this wait
    u32 head, tail;
    u32 outstanding;     // patches queued or being updated
    u32 done;
};

// Bits of the state of a patch in the queue.
enum { DIRTY = 1, QUEUED = 2 };

struct Heights;

struct Eikonal {
    u32 n_patches, n_vertices;
    u32 largest_local, largest_owned;
    u32 repetitions;                // of an update, among triangles
    u32 ring_mask;
    long long patience;             // clocks a block waits for work before it calls the queue broken
    real width;                     // values from here on do not matter; infinite for whole fields
    real near;                      // news later than the first by more than this wait
    real slowness;                  // where slowness_of_cells is null
    const real* slowness_of_cells;  // per cell of a patch, in the order of patches
    const real* caps;               // no value from here on for a vertex, or null
    const real* reach;              // [n_patches] longest time along an edge near a patch
#if CELL_SIZE == 4
    Heights* shapes;                // per cell of a patch, in the order of patches
#else
    real* shapes;                   // of patch p from SHAPE_SIZE * its first cell on, number k of cell t at k * n_cells + t
#endif
    real* seen;                     // tetrahedra: values when a patch was last updated, as its coordinates lie
    const u32* wake_offsets;        // [n_patches + 1]
    const local_index* wake_vertices;  // local number of an owned vertex that another patch reads
    const u32* wake_readers;        // that patch
    real* u;                        // two buffers of [n_vertices]; the queue uses the first
    real_bits* news;                // two buffers of [n_patches]: smallest value not worked on; the queue needs it for its order
    u32* listed;                    // [n_patches] round of the list a patch was last put on
    u32* lists;                     // two buffers of [n_patches]
    u32* counts;                    // [3] patches on the list of a round
    real_bits* first_news;          // [3] smallest news of a round
    u32* arrived;                   // of the grid's barrier
    u32* states;                    // [n_patches] of the queue
    u32* ring;                      // [ring_mask + 1]
    Queue* queue;
    u32* visited;                   // [n_patches] list of patches updated
    u32* is_visited;                // [n_patches]
    Stats* stats;
    const u32* due;                 // nothing is to be done if this is 0; null for always
    u32* error;                     // set if the queue broke
};

// A given value has its sign bit set, so that 0 can be given too.
DEVICE bool is_given(real stored) { return to_bits(stored) >> (8 * sizeof(real) - 1); }

// Whether late news wait for earlier ones.
DEVICE bool is_ordered(const Eikonal& e) { return e.near < INFINITY_R; }

DEVICE bool is_due(const Eikonal& e) { return !e.due || *e.due; }

// Remembers that a patch was updated.
DEVICE void visit(const Eikonal& e, u32 p) {
    if (atomicExch(&e.is_visited[p], 1u) == 0) e.visited[atomicAdd(&e.stats->n_visited, 1u)] = p;
}

// Makes a solve ready for the next one; one thread, after the last patch was forgotten.
DEVICE void reset_solve(const Eikonal& e) {
    for (int k = 0; k < 3; k++) {
        e.counts[k] = 0;
        e.first_news[k] = to_bits(INFINITY_R);
    }
    *e.arrived = 0;
    e.queue->cut = to_bits(is_ordered(e) ? R(-1) : INFINITY_R);
    e.queue->head = e.queue->tail = e.queue->outstanding = e.queue->done = 0;
}

// Makes a patch as if it had never been updated, but for its values; all threads of a block.
DEVICE void forget_patch(const Patch& patch, const Eikonal& e) {
#if CELL_SIZE == 4
    for (u32 v = threadIdx.x; v < patch.n_local; v += blockDim.x) e.seen[patch.first_local() + v] = INFINITY_R;
#endif
    if (threadIdx.x == 0) {
        e.listed[patch.p] = 0;
        e.states[patch.p] = 0;
        e.is_visited[patch.p] = 0;
        e.news[patch.p] = to_bits(INFINITY_R);
        e.news[e.n_patches + patch.p] = to_bits(INFINITY_R);
    }
}

#ifdef EIKONAL_BYTES
static_assert(sizeof(Eikonal) == EIKONAL_BYTES, "the host lays out the same");
#endif
