// Printed from src/grid/cuda/control.rs, which is what to change: ZEROSET_BLESS=1 lets its test
// `cuda_header::is_current` write this file.
#pragma once
#include "common/types.cuh"

// Why steps stopped.
enum Halt {
    // They did not.
    RUNNING = 0,
    // At the target, or all steps asked for are done.
    ARRIVED = 1,
    // No interface is left: all voxels have one sign.
    GONE = 2,
    // phi is not a number.
    BROKEN = 3,
    // Nothing moves, so the step has no limit.
    AT_REST = 4,
    // The step is lost beside the time.
    LOST = 5,
    // A coefficient is infinite or not a number.
    BAD_COEFFICIENT = 6,
    // A curvature coefficient is negative.
    NEGATIVE = 7,
    // There is no room for the tiles that are needed.
    NO_ROOM = 8,
    // The interface leaves the range of tiles.
    OUT_OF_RANGE = 9,
    // Nothing changes faster than asked.
    STEADY = 10,
};

// What steers steps on tiles: times, what comes next, and the tile set.
//
// The program sets what comes first before a stretch of steps; the rest is the state of the motion.
struct TileControl {
    // Time of the schedule, which steps land on exactly.
    double clock;
    // Time not to be passed.
    double target;
    // Rate of change at which to stop, voxels per time.
    double steady;
    // Steps still to be taken.
    u64 steps_left;
    // Number of the step rule.
    double nu;
    // Speed of coefficients that are the same everywhere.
    double uniform_speed;
    // Steps between reinitializations; 0 for none.
    u64 every;
    // Time reached.
    double time;
    // Length of the next step.
    double dt;
    // Length of the last one.
    double dt_done;
    // Speed that the next step is made for.
    double speed;
    // Steps so far.
    u64 step;
    // Voxels well inside the band, |phi| < gamma - 1/16.
    u64 active;
    // Voxels with phi < 0.
    u64 inside;
    // Largest change of phi per time next to the interface in the last step, voxels.
    double rate;
    // Time of coefficients that may not be so.
    double bad_time;
    // Voxels that are not a number.
    u64 not_a_number;
    // Tiles computed, summed over the steps.
    u64 tile_steps;
    // Voxels well inside the band, summed over the steps.
    u64 voxel_steps;
    // Times phi was made a distance.
    u64 reinitializations;
    // When the stretch began, nanoseconds of the GPU's clock.
    u64 began;
    // Nanoseconds of the stretch up to the last step.
    u64 elapsed;
    // Which array holds phi, the first and the second stage.
    u32 at[3];
    // phi is to become a distance.
    u32 due;
    // Why steps stopped, as a number.
    u32 halt;
    // Bits: `STIRRED`, `PRESSING`, `PRESSING_NOW`.
    u32 stirred;
    // Which list is current.
    u32 list;
    // Number of tiles.
    u32 n_tiles;
    // No id from here on was ever given out.
    u32 next_id;
    // Unused ids below that.
    u32 n_free;
    // What lies beyond all tiles is inside.
    u32 background;
    // Updates of the tile set.
    u32 updates;
    // Ids there must be room for, where there is not.
    u32 needed;
    // Tiles that came with the last update.
    u32 created;
    // Tiles that went.
    u32 deleted;
    // Updates that changed the tile set.
    u32 changes;
    // Voxels well inside the band, as the pass under way counts them.
    u64 next_active;
    // Voxels with phi < 0, likewise.
    u64 next_inside;
    // Voxels that are not a number, likewise.
    u64 next_not_a_number;
    // Bits of the largest change, likewise.
    u64 next_change;
    // Bits of the speeds of three passes that look for the length of a step.
    u64 speeds[3];
    // Of coefficients, in the pass under way; bits: `NOT_FINITE`, `BELOW_ZERO`.
    u32 flaws;
    // Blocks that are done with the pass.
    u32 blocks_done;
    // Blocks at barriers of the grid.
    u32 arrived;
    // Whether the interface leaves the range of tiles.
    u32 out_of_range;
    // Whether values changed, in a pass of distances.
    u32 changed;
    // Claims of tiles to come.
    u32 claims;
};
static_assert(sizeof(TileControl) == 320, "size of TileControl");
ASSERT_OFFSET(TileControl, clock, 0);
ASSERT_OFFSET(TileControl, target, 8);
ASSERT_OFFSET(TileControl, steady, 16);
ASSERT_OFFSET(TileControl, steps_left, 24);
ASSERT_OFFSET(TileControl, nu, 32);
ASSERT_OFFSET(TileControl, uniform_speed, 40);
ASSERT_OFFSET(TileControl, every, 48);
ASSERT_OFFSET(TileControl, time, 56);
ASSERT_OFFSET(TileControl, dt, 64);
ASSERT_OFFSET(TileControl, dt_done, 72);
ASSERT_OFFSET(TileControl, speed, 80);
ASSERT_OFFSET(TileControl, step, 88);
ASSERT_OFFSET(TileControl, active, 96);
ASSERT_OFFSET(TileControl, inside, 104);
ASSERT_OFFSET(TileControl, rate, 112);
ASSERT_OFFSET(TileControl, bad_time, 120);
ASSERT_OFFSET(TileControl, not_a_number, 128);
ASSERT_OFFSET(TileControl, tile_steps, 136);
ASSERT_OFFSET(TileControl, voxel_steps, 144);
ASSERT_OFFSET(TileControl, reinitializations, 152);
ASSERT_OFFSET(TileControl, began, 160);
ASSERT_OFFSET(TileControl, elapsed, 168);
ASSERT_OFFSET(TileControl, at, 176);
ASSERT_OFFSET(TileControl, due, 188);
ASSERT_OFFSET(TileControl, halt, 192);
ASSERT_OFFSET(TileControl, stirred, 196);
ASSERT_OFFSET(TileControl, list, 200);
ASSERT_OFFSET(TileControl, n_tiles, 204);
ASSERT_OFFSET(TileControl, next_id, 208);
ASSERT_OFFSET(TileControl, n_free, 212);
ASSERT_OFFSET(TileControl, background, 216);
ASSERT_OFFSET(TileControl, updates, 220);
ASSERT_OFFSET(TileControl, needed, 224);
ASSERT_OFFSET(TileControl, created, 228);
ASSERT_OFFSET(TileControl, deleted, 232);
ASSERT_OFFSET(TileControl, changes, 236);
ASSERT_OFFSET(TileControl, next_active, 240);
ASSERT_OFFSET(TileControl, next_inside, 248);
ASSERT_OFFSET(TileControl, next_not_a_number, 256);
ASSERT_OFFSET(TileControl, next_change, 264);
ASSERT_OFFSET(TileControl, speeds, 272);
ASSERT_OFFSET(TileControl, flaws, 296);
ASSERT_OFFSET(TileControl, blocks_done, 300);
ASSERT_OFFSET(TileControl, arrived, 304);
ASSERT_OFFSET(TileControl, out_of_range, 308);
ASSERT_OFFSET(TileControl, changed, 312);
ASSERT_OFFSET(TileControl, claims, 316);

// Bit of `stirred`: what a tile asks for has changed.
enum : u32 { STIRRED = 1u };

// Bit of `stirred`: a tile that the next step needs is missing.
enum : u32 { PRESSING = 2u };

// The same as the pass under way sees it, which may not be the last one before that step.
enum : u32 { PRESSING_NOW = 4u };

// Bit of `flaws`: a coefficient is infinite or not a number.
enum : u32 { NOT_FINITE = 1u };

// Bit of `flaws`: a curvature coefficient is negative.
enum : u32 { BELOW_ZERO = 2u };

// Addresses of the lists of tiles. Those with two parts are in the order of keys: the control block says which part is
// current.
struct TileGrid {
    // One `TileControl`.
    TileControl *control;
    // `[2][capacity]`
    u64 *keys[2];
    // `[2][capacity]`
    u32 *ids[2];
    // `[2][capacity]` bit d: the neighbor in direction d is missing, and inside.
    u32 *borders[2];
    // `[2][capacity]` what tiles ask for.
    u32 *activity[2];
    // `[8][capacity]` where the rows round that of the tile begin in the list.
    u32 *rows;
    // `[capacity]` bit d: the neighbor in direction d is there.
    u32 *present;
    // `[capacity][19]` what a pass knows of the neighbors of a tile (near.cuh), which scratch of a change shares; null
    // where ids do not stand together.
    u32 *near;
    // `[capacity]` by id: the update a tile came with.
    u32 *born;
    // `[capacity]` unused ids; the last is taken first.
    u32 *free;
    // `[capacity]` new positions of tiles that came with the last change; bit 31 if inside.
    u32 *created_at;
    // `[2][blocks]` tiles that go and tiles that ask.
    u32 *block_counts;
    // Tiles and ids there is room for.
    u32 capacity;
    // Zero.
    u32 padding;
};
static_assert(sizeof(TileGrid) == 136, "size of TileGrid");
ASSERT_OFFSET(TileGrid, control, 0);
ASSERT_OFFSET(TileGrid, keys, 8);
ASSERT_OFFSET(TileGrid, ids, 24);
ASSERT_OFFSET(TileGrid, borders, 40);
ASSERT_OFFSET(TileGrid, activity, 56);
ASSERT_OFFSET(TileGrid, rows, 72);
ASSERT_OFFSET(TileGrid, present, 80);
ASSERT_OFFSET(TileGrid, near, 88);
ASSERT_OFFSET(TileGrid, born, 96);
ASSERT_OFFSET(TileGrid, free, 104);
ASSERT_OFFSET(TileGrid, created_at, 112);
ASSERT_OFFSET(TileGrid, block_counts, 120);
ASSERT_OFFSET(TileGrid, capacity, 128);
ASSERT_OFFSET(TileGrid, padding, 132);
