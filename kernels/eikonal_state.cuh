// What a solve works on: src/levelset/eikonal/cuda.rs lays it out.
#pragma once
#include "common/real.cuh"

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

struct Eikonal {
    u32 n_patches, n_vertices;
    u32 largest_local, largest_owned;
    u32 repetitions;
    u32 ring_mask;
    long long patience;             // clocks a block waits for work before it calls the queue broken
    real width;                     // values from here on do not matter; infinite for whole fields
    real near;                      // news later than the first by more than this wait
    real slowness;                  // where slowness_of_cells is null
    const real* slowness_of_cells;  // per cell of a patch, in the order of cell_offsets
    const u32* cell_offsets;
    const real* caps;               // no value from here on for a vertex, or null
    const real* reach;              // [n_patches] longest time along an edge near a patch
    const u32* wake_offsets;        // [n_patches + 1]
    const u16* wake_vertices;       // local number of an owned vertex that another patch reads
    const u32* wake_readers;        // that patch
    real* u;                        // two buffers of [n_vertices]; the queue uses the first
    real_bits* news;                // two buffers of [n_patches]: smallest value not worked on
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
    const u32* skip;                // nothing is to be done if this is not 0
    u32* error;                     // set if the queue broke
};

// A given value has its sign bit set, so that 0 can be given too.
DEVICE bool is_given(real stored) { return to_bits(stored) >> (8 * sizeof(real) - 1); }

// Remembers that a patch was updated.
DEVICE void visit(const Eikonal& e, u32 p) {
    if (atomicExch(&e.is_visited[p], 1u) == 0) e.visited[atomicAdd(&e.stats->n_visited, 1u)] = p;
}
