// The tile set on the GPU: src/grid/cuda/control.rs lays it out, src/grid/mod.rs is its twin.
//
// Lists are in the order of keys and stand twice: a change of the tile set reads one and writes the
// other, the control block says which is current. The other one is scratch until then.
//
// The neighbors of a tile lie in nine rows along x of three tiles each, whose keys follow each other, so that
// those that are there stand side by side in the list: where a row begins and a bit per neighbor find
// all of them. Passes over values ask for ids of neighbors across faces and edges; these stand together
// for each tile, but where they would be a large part of it (near.cuh). Both are made anew where the tile set has
// changed.
//
// The tile set need not change in every step: tiles come some layers of voxels before they are needed
// (src/grid/activity.rs). It does where one is missing, and now and then, so that others go.
#pragma once
#include "common/grid.cuh"
#include "generated/tile_grid.cuh"
#include "generated/tile_steps.cuh"
#include "tiles/keys.cuh"

// Stands for a missing neighbor, by its sign: -1 and -2, where pools of values have what it holds.
const u32 MISSING_OUTSIDE = 0xffffffffu, MISSING_INSIDE = 0xfffffffeu;

// Whether the kernels of a step have nothing to do.
DEVICE bool is_paused(const TileControl& c) { return c.halt != RUNNING; }

// Whether this block is the last of so many to come here; the whole block must ask. What others
// wrote before is then visible.
DEVICE bool is_last_block(TileControl& c, u32 blocks) {
    __shared__ u32 last;
    __syncthreads();
    if (threadIdx.x == 0) {
        last = count_arrival(&c.blocks_done) == blocks - 1;
        // Kernels whose blocks meet count from zero.
        if (last) c.blocks_done = c.arrived = 0;
    }
    __syncthreads();
    return last;
}

// The same of all blocks of the grid.
DEVICE bool is_last_block(TileControl& c) { return is_last_block(c, gridDim.x); }

// Place of a row in the look-up; that of the tile itself needs none.
DEVICE u64 row_at(const TileGrid& g, u32 row, u32 p) {
    return (u64)(row < TILE_ROWS / 2 ? row : row - 1) * g.capacity + p;
}

// Where the neighbors of a row begin in the list.
DEVICE u32 row_of(const TileGrid& g, u32 row, u32 p, u32 present) {
    return row == TILE_ROWS / 2 ? p - (present >> (CENTER - 1) & 1) : g.rows[row_at(g, row, p)];
}

// Which of the three tiles of a row are there: bits 0 to 2, the tile itself among them.
DEVICE u32 bits_of_row(u32 present, u32 row) { return (present | ACTIVE) >> (3 * row) & 7; }
