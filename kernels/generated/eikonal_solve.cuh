// Generated from src/levelset/eikonal/cuda/kernel_arguments.rs.
// To update this header, edit that file and run its test
// `cuda_header::is_current` with ZEROSET_BLESS=1.
#pragma once
#include "common/types.cuh"
#include "common/patches.cuh"

// The data of a solve.
struct Eikonal {
    u32 n_patches;
    u32 n_vertices;
    u32 largest_local;
    u32 largest_owned;
    // Number of repetitions of an update, for triangles.
    u32 repetitions;
    // Number of rounds, or of updates by one block of the queue, after which a solve fails.
    u32 most_rounds;
    u32 ring_mask;
    // Number of clock cycles that a block waits for work before it reports a broken queue.
    i64 patience;
    // Width of the band. Values beyond it are not needed. Infinite without a band.
    real width;
    // A patch waits if its pending value is later than the earliest one by more than this.
    real near;
    // Slowness if `slowness_of_cells` is null.
    real slowness;
    // Slowness per cell of a patch, in patch order.
    const real *slowness_of_cells;
    // Metric per cell of a patch, in patch order: six numbers, each `[n_cells]`. Null without
    // a tensor.
    const real *metrics;
    // Upper limit of the value of each vertex, or null.
    const real *caps;
    // `[n_patches]` longest time along an edge near a patch.
    const real *reach;
    // Shape data per cell of a patch, in patch order.
    CellShapes *shapes;
    // Tetrahedra: values when a patch was last updated, laid out like its coordinates.
    real *seen;
    // `[n_patches + 1]`
    const u32 *wake_offsets;
    // Local index of an owned vertex that another patch reads.
    const local_index *wake_vertices;
    // The patch that reads the vertex.
    const u32 *wake_readers;
    // Two buffers of `[n_vertices]`; the queue uses the first.
    real *u;
    // Two buffers of `[n_patches]`: smallest unprocessed value of each patch.
    real_bits *news;
    // `[n_patches]` round of the list that each patch was last put on.
    u32 *listed;
    // Two buffers of `[n_patches]`.
    u32 *lists;
    // `[3]` number of patches on the list of a round.
    u32 *counts;
    // `[3]` smallest pending value of a round.
    real_bits *first_news;
    // Counter of the grid barrier.
    u32 *arrived;
    // `[n_patches]` state of each patch in the queue.
    u32 *states;
    // `[ring_mask + 1]`
    u32 *ring;
    struct Queue *queue;
    // `[n_patches]` list of the patches that were updated.
    u32 *visited;
    // `[n_patches]` number of updates of each patch in this solve.
    u32 *n_updates;
    struct Stats *stats;
    // The solve is skipped if this is 0. If null, it is never skipped.
    const u32 *due;
    // `FAILED_*` if the solve failed, else 0.
    u32 *error;
};
static_assert(sizeof(Eikonal) == (sizeof(real) == 8 ? 256 : 248), "size of Eikonal");
ASSERT_OFFSET(Eikonal, n_patches, 0);
ASSERT_OFFSET(Eikonal, n_vertices, 4);
ASSERT_OFFSET(Eikonal, largest_local, 8);
ASSERT_OFFSET(Eikonal, largest_owned, 12);
ASSERT_OFFSET(Eikonal, repetitions, 16);
ASSERT_OFFSET(Eikonal, most_rounds, 20);
ASSERT_OFFSET(Eikonal, ring_mask, 24);
ASSERT_OFFSET(Eikonal, patience, 32);
ASSERT_OFFSET(Eikonal, width, 40);
ASSERT_OFFSET(Eikonal, near, (sizeof(real) == 8 ? 48 : 44));
ASSERT_OFFSET(Eikonal, slowness, (sizeof(real) == 8 ? 56 : 48));
ASSERT_OFFSET(Eikonal, slowness_of_cells, (sizeof(real) == 8 ? 64 : 56));
ASSERT_OFFSET(Eikonal, metrics, (sizeof(real) == 8 ? 72 : 64));
ASSERT_OFFSET(Eikonal, caps, (sizeof(real) == 8 ? 80 : 72));
ASSERT_OFFSET(Eikonal, reach, (sizeof(real) == 8 ? 88 : 80));
ASSERT_OFFSET(Eikonal, shapes, (sizeof(real) == 8 ? 96 : 88));
ASSERT_OFFSET(Eikonal, seen, (sizeof(real) == 8 ? 104 : 96));
ASSERT_OFFSET(Eikonal, wake_offsets, (sizeof(real) == 8 ? 112 : 104));
ASSERT_OFFSET(Eikonal, wake_vertices, (sizeof(real) == 8 ? 120 : 112));
ASSERT_OFFSET(Eikonal, wake_readers, (sizeof(real) == 8 ? 128 : 120));
ASSERT_OFFSET(Eikonal, u, (sizeof(real) == 8 ? 136 : 128));
ASSERT_OFFSET(Eikonal, news, (sizeof(real) == 8 ? 144 : 136));
ASSERT_OFFSET(Eikonal, listed, (sizeof(real) == 8 ? 152 : 144));
ASSERT_OFFSET(Eikonal, lists, (sizeof(real) == 8 ? 160 : 152));
ASSERT_OFFSET(Eikonal, counts, (sizeof(real) == 8 ? 168 : 160));
ASSERT_OFFSET(Eikonal, first_news, (sizeof(real) == 8 ? 176 : 168));
ASSERT_OFFSET(Eikonal, arrived, (sizeof(real) == 8 ? 184 : 176));
ASSERT_OFFSET(Eikonal, states, (sizeof(real) == 8 ? 192 : 184));
ASSERT_OFFSET(Eikonal, ring, (sizeof(real) == 8 ? 200 : 192));
ASSERT_OFFSET(Eikonal, queue, (sizeof(real) == 8 ? 208 : 200));
ASSERT_OFFSET(Eikonal, visited, (sizeof(real) == 8 ? 216 : 208));
ASSERT_OFFSET(Eikonal, n_updates, (sizeof(real) == 8 ? 224 : 216));
ASSERT_OFFSET(Eikonal, stats, (sizeof(real) == 8 ? 232 : 224));
ASSERT_OFFSET(Eikonal, due, (sizeof(real) == 8 ? 240 : 232));
ASSERT_OFFSET(Eikonal, error, (sizeof(real) == 8 ? 248 : 240));
