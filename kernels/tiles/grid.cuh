// The tile set on the card: src/grid/cuda/grid.rs lays it out, src/grid/mod.rs is its twin.
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
#include "tiles/keys.cuh"

// What a tile asks for has changed; a tile that the next step needs is missing; the same as the pass under way
// sees it, which may not be the last one before that step.
enum { STIRRED = 1, PRESSING = 2, PRESSING_NOW = 4 };

// Steps after which tiles that are not needed go: src/levelset/tiled/motion.rs.
enum { TIDY_EVERY = 64 };

// Stands for a missing neighbor, by its sign: -1 and -2, where pools of values have what it holds.
const u32 MISSING_OUTSIDE = 0xffffffffu, MISSING_INSIDE = 0xfffffffeu;

// Why steps stop until the host says more.
enum Halt {
    RUNNING = 0,
    ARRIVED = 1,          // at the target, or all steps asked for are done
    GONE = 2,             // no interface is left
    BROKEN = 3,           // phi is not a number
    AT_REST = 4,          // nothing moves, so the step has no limit
    LOST = 5,             // the step is lost beside the time
    BAD_COEFFICIENT = 6,  // infinite or not a number
    NEGATIVE = 7,         // a curvature coefficient
    NO_ROOM = 8,          // for the tiles that are needed
    OUT_OF_RANGE = 9,     // the interface leaves the range of tiles
    STEADY = 10,          // nothing changes faster than asked
};

// What steers steps on tiles: src/grid/cuda/control.rs lays it out.
struct TileControl {
    // Set by the host before a stretch of steps.
    double clock;           // time of the schedule, which steps land on exactly
    double target;          // not to be passed
    double steady;          // rate of change at which to stop, voxels per time
    u64 steps_left;
    // Set once.
    double nu;              // of the step rule
    double uniform_speed;   // of coefficients that are the same everywhere; the others are looked at
    u64 every;              // steps between reinitializations; 0 for none
    // State.
    double time, dt, dt_done;
    double speed;           // that the next step is made for
    u64 step;
    u64 active;             // voxels well inside the band
    u64 inside;             // voxels with phi < 0
    double rate;            // largest change of phi per time next to the interface in the last step
    double bad_time;        // of coefficients that may not be so
    u64 not_a_number;       // voxels
    u64 tile_steps;         // tiles times steps
    u64 voxel_steps;        // voxels well inside the band times steps
    u64 reinitializations;
    u64 began, elapsed;     // nanoseconds of the card's clock
    u32 at[3];              // which array holds phi, the first and the second stage
    u32 due;                // phi is to become a distance
    u32 halt;
    u32 stirred;            // bits: STIRRED, PRESSING
    // The tile set.
    u32 list;               // which list is current
    u32 n_tiles;
    u32 next_id;            // no id from here on was ever given out
    u32 n_free;
    u32 background;         // what lies beyond all tiles is inside
    u32 updates;            // of the tile set
    u32 needed;             // ids there must be room for, where there is not
    u32 created, deleted;   // by the last update
    u32 changes;            // updates that changed the tile set
    // Of the pass under way.
    u64 next_active, next_inside, next_not_a_number, next_change;
    u64 speeds[3];          // of three passes that look for the length of a step, as bits
    u32 flaws;              // of coefficients; bits: infinite or not a number, negative
    u32 blocks_done;
    u32 arrived;            // at barriers of the grid
    u32 out_of_range;
    u32 changed;            // values, in a pass of distances
    u32 claims;             // of tiles to come
};

#ifdef TILE_CONTROL_BYTES
static_assert(sizeof(TileControl) == TILE_CONTROL_BYTES, "the host lays out the same");
#endif

struct TileGrid {
    TileControl* control;
    u64* keys[2];           // [capacity] each
    u32* ids[2];
    u32* borders[2];        // bit d: the neighbor in direction d is missing, and inside
    u32* activity[2];       // what tiles ask for
    u32* rows;              // [8][capacity] where the rows round that of the tile begin in the list
    u32* present;           // [capacity] bit d: the neighbor in direction d is there
    u32* near;              // [capacity][19] what a pass knows of the neighbors of a tile (near.cuh)
    u32* born;              // [capacity] by id: the update a tile came with
    u32* free;              // [capacity] unused ids; the last is taken first
    u32* created_at;        // [capacity] new positions of tiles that came with the last change; bit 31 if inside
    u32* block_counts;      // [2][blocks] tiles that go and tiles that ask
    u32 capacity;
    u32 padding;
};

#ifdef TILE_GRID_BYTES
static_assert(sizeof(TileGrid) == TILE_GRID_BYTES, "the host lays out the same");
#endif

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
