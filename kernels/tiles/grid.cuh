// The tile set on the GPU: the counterpart of src/grid/mod.rs, with the layout of
// src/grid/cuda/control.rs.
//
// Lists are in key order. There are two copies of each list: a change to the tile set reads one and
// writes the other. The control block states which copy is current. The other copy serves as
// scratch memory until it is written.
//
// The neighbors of a tile lie in nine rows of three tiles along x. The keys of a row are
// consecutive, so the tiles that are present are adjacent in the list. The position where a row
// begins and one bit per neighbor locate all neighbors. Passes over values need the ids of
// neighbors across faces and edges. These ids are stored side by side for each tile, unless they
// would take a lot of memory compared with the values of the tile (neighbor_ids.cuh). Both the rows
// and the ids are recomputed whenever the tile set changes.
//
// The tile set need not change in every step, because tiles are already created while the band is
// still a few layers of voxels away (src/grid/activity.rs). It changes if a needed tile is missing,
// and at regular intervals to remove tiles.
#pragma once
#include "common/grid.cuh"
#include "generated/tile_grid.cuh"
#include "generated/tile_steps.cuh"
#include "tiles/keys.cuh"

// The ids of missing neighbors, -1 and -2. The arrays of values hold the values of missing tiles at
// these ids.
const u32 MISSING_OUTSIDE = 0xffffffffu, MISSING_INSIDE = 0xfffffffeu;

// Returns whether the kernels of a step have nothing to do.
DEVICE bool is_paused(const TileControl& c) { return c.halt != RUNNING; }

// Returns whether this block is the last of `blocks` to arrive. The whole block must call it.
// Earlier writes of the other blocks are then visible.
DEVICE bool is_last_block(TileControl& c, u32 blocks) {
    __shared__ u32 last;
    __syncthreads();
    if (threadIdx.x == 0) {
        last = count_arrival(&c.blocks_done) == blocks - 1;
        // Kernels with grid barriers count from zero.
        if (last) c.blocks_done = c.arrived = 0;
    }
    __syncthreads();
    return last;
}

// Returns whether this block is the last block of the grid to arrive.
DEVICE bool is_last_block(TileControl& c) { return is_last_block(c, gridDim.x); }

// Returns the index of a row in the look-up. The middle row, which contains the tile itself, is not
// stored.
DEVICE u64 row_at(const TileGrid& g, u32 row, u32 p) {
    return (u64)(row < TILE_ROWS / 2 ? row : row - 1) * g.capacity + p;
}

// Returns the list position where the neighbors of tile `p` in a row begin.
DEVICE u32 row_of(const TileGrid& g, u32 row, u32 p, u32 present) {
    return row == TILE_ROWS / 2 ? p - (present >> (CENTER - 1) & 1) : g.rows[row_at(g, row, p)];
}

// Returns which of the three tiles of a row are present, in bits 0 to 2. The tile itself, in the
// middle of the nine rows, counts as present.
DEVICE u32 bits_of_row(u32 present, u32 row) { return (present | ACTIVE) >> (3 * row) & 7; }
