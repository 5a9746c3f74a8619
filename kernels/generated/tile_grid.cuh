// Generated from src/grid/cuda/control.rs.
// To update this header, edit that file and run its test
// `cuda_header::is_current` with ZEROSET_BLESS=1.
#pragma once
#include "common/types.cuh"

// The reason why the steps stopped.
enum Halt {
    // The steps have not stopped.
    RUNNING = 0,
    // The target time is reached, or all requested steps are done.
    ARRIVED = 1,
    // No interface is left: all voxels have one sign.
    GONE = 2,
    // phi is NaN.
    BROKEN = 3,
    // Nothing moves, so the time step has no limit.
    AT_REST = 4,
    // The time step is too small to advance the time.
    LOST = 5,
    // A coefficient is not finite.
    BAD_COEFFICIENT = 6,
    // A curvature coefficient is negative.
    NEGATIVE = 7,
    // There is no room for the tiles that are needed.
    NO_ROOM = 8,
    // The interface leaves the range of tiles.
    OUT_OF_RANGE = 9,
    // The rate of change has fallen to the requested limit or below.
    STEADY = 10,
};

// The control block of steps on tiles: times, limits and the state of the tile set.
//
// The host sets the first fields before it launches a series of steps. The rest is the state
// of the motion.
struct TileControl {
    // The scheduled time, which the steps reach exactly.
    double clock;
    // The time that no step may pass.
    double target;
    // The rate of change at or below which the steps stop, in voxels per time.
    double steady;
    // The number of steps left.
    u64 steps_left;
    // The CFL factor nu.
    double nu;
    // The longest step that is allowed while a coefficient depends on time.
    double max_step;
    // The speed that results from the uniform coefficients.
    double uniform_speed;
    // The number of steps between reinitializations; 0 for none.
    u64 every;
    // The time reached.
    double time;
    // The next time step.
    double dt;
    // The last time step.
    double dt_done;
    // The speed from which the next time step is computed.
    double speed;
    // The number of steps done.
    u64 step;
    // The number of voxels well inside the band, |phi| < gamma - 1/16.
    u64 active;
    // The number of voxels with phi < 0.
    u64 inside;
    // The largest change in phi per time next to the interface in the last step, in voxels.
    double rate;
    // The time at which a coefficient is invalid.
    double bad_time;
    // The number of voxels whose value is NaN.
    u64 not_a_number;
    // The number of tiles computed, summed over the steps.
    u64 tile_steps;
    // The number of voxels well inside the band, summed over the steps.
    u64 voxel_steps;
    // The number of reinitializations.
    u64 reinitializations;
    // The start of the series of steps, in nanoseconds of the GPU's clock.
    u64 began;
    // The time from `began` to the end of the last step, in nanoseconds.
    u64 elapsed;
    // The indices of the arrays that hold phi, the first stage and the second stage.
    u32 at[3];
    // Whether reinitialization is due.
    u32 due;
    // The reason why the steps stopped, as a number.
    u32 halt;
    // Bits: `STIRRED`, `PRESSING`, `PRESSING_NOW`.
    u32 stirred;
    // The index of the current list.
    u32 list;
    // The number of tiles.
    u32 n_tiles;
    // The smallest id that has never been assigned.
    u32 next_id;
    // The number of unused ids below `next_id`.
    u32 n_free;
    // Whether the space beyond all tiles is inside.
    u32 background;
    // The number of updates of the tile set.
    u32 updates;
    // The number of ids for which room is needed, if there is not enough.
    u32 needed;
    // The number of tiles that the last update created.
    u32 created;
    // The number of tiles that the last update deleted.
    u32 deleted;
    // The number of updates that changed the tile set.
    u32 changes;
    // The number of voxels well inside the band, counted by the current pass.
    u64 next_active;
    // The number of voxels with phi < 0, counted by the current pass.
    u64 next_inside;
    // The number of voxels whose value is NaN, counted by the current pass.
    u64 next_not_a_number;
    // The bits of the largest change, found by the current pass.
    u64 next_change;
    // The bits of the largest speeds found by the three passes that choose a time step.
    u64 speeds[3];
    // The bits of the largest product, found by each of these passes, of the change in a
    // coefficient over a span of time and the length of the span.
    u64 variations[3];
    // Whether a coefficient changes so much during the step that its mean is needed.
    u32 averages;
    // Flaws of the coefficients in the current pass; bits: `NOT_FINITE`, `BELOW_ZERO`.
    u32 flaws;
    // The number of thread blocks that have finished the pass.
    u32 blocks_done;
    // The number of thread blocks at a grid barrier.
    u32 arrived;
    // Whether the interface leaves the range of tiles.
    u32 out_of_range;
    // Whether a distance pass changed a value.
    u32 changed;
    // The number of claims of tiles to create.
    u32 claims;
};
static_assert(sizeof(TileControl) == 360, "size of TileControl");
ASSERT_OFFSET(TileControl, clock, 0);
ASSERT_OFFSET(TileControl, target, 8);
ASSERT_OFFSET(TileControl, steady, 16);
ASSERT_OFFSET(TileControl, steps_left, 24);
ASSERT_OFFSET(TileControl, nu, 32);
ASSERT_OFFSET(TileControl, max_step, 40);
ASSERT_OFFSET(TileControl, uniform_speed, 48);
ASSERT_OFFSET(TileControl, every, 56);
ASSERT_OFFSET(TileControl, time, 64);
ASSERT_OFFSET(TileControl, dt, 72);
ASSERT_OFFSET(TileControl, dt_done, 80);
ASSERT_OFFSET(TileControl, speed, 88);
ASSERT_OFFSET(TileControl, step, 96);
ASSERT_OFFSET(TileControl, active, 104);
ASSERT_OFFSET(TileControl, inside, 112);
ASSERT_OFFSET(TileControl, rate, 120);
ASSERT_OFFSET(TileControl, bad_time, 128);
ASSERT_OFFSET(TileControl, not_a_number, 136);
ASSERT_OFFSET(TileControl, tile_steps, 144);
ASSERT_OFFSET(TileControl, voxel_steps, 152);
ASSERT_OFFSET(TileControl, reinitializations, 160);
ASSERT_OFFSET(TileControl, began, 168);
ASSERT_OFFSET(TileControl, elapsed, 176);
ASSERT_OFFSET(TileControl, at, 184);
ASSERT_OFFSET(TileControl, due, 196);
ASSERT_OFFSET(TileControl, halt, 200);
ASSERT_OFFSET(TileControl, stirred, 204);
ASSERT_OFFSET(TileControl, list, 208);
ASSERT_OFFSET(TileControl, n_tiles, 212);
ASSERT_OFFSET(TileControl, next_id, 216);
ASSERT_OFFSET(TileControl, n_free, 220);
ASSERT_OFFSET(TileControl, background, 224);
ASSERT_OFFSET(TileControl, updates, 228);
ASSERT_OFFSET(TileControl, needed, 232);
ASSERT_OFFSET(TileControl, created, 236);
ASSERT_OFFSET(TileControl, deleted, 240);
ASSERT_OFFSET(TileControl, changes, 244);
ASSERT_OFFSET(TileControl, next_active, 248);
ASSERT_OFFSET(TileControl, next_inside, 256);
ASSERT_OFFSET(TileControl, next_not_a_number, 264);
ASSERT_OFFSET(TileControl, next_change, 272);
ASSERT_OFFSET(TileControl, speeds, 280);
ASSERT_OFFSET(TileControl, variations, 304);
ASSERT_OFFSET(TileControl, averages, 328);
ASSERT_OFFSET(TileControl, flaws, 332);
ASSERT_OFFSET(TileControl, blocks_done, 336);
ASSERT_OFFSET(TileControl, arrived, 340);
ASSERT_OFFSET(TileControl, out_of_range, 344);
ASSERT_OFFSET(TileControl, changed, 348);
ASSERT_OFFSET(TileControl, claims, 352);

// Bit of `stirred`: the requests of some tile have changed.
enum : u32 { STIRRED = 1u };

// Bit of `stirred`: a tile that the next step needs is missing.
enum : u32 { PRESSING = 2u };

// Bit of `stirred`: `PRESSING` as found by the current pass, which may not be the last pass
// before the next step.
enum : u32 { PRESSING_NOW = 4u };

// Bit of `flaws`: a coefficient is not finite.
enum : u32 { NOT_FINITE = 1u };

// Bit of `flaws`: a curvature coefficient is negative.
enum : u32 { BELOW_ZERO = 2u };

// The addresses of the tile lists. Lists with two parts are in key order, and the control
// block says which part is current.
struct TileGrid {
    // The control block, one `TileControl`.
    TileControl *control;
    // `[2][capacity]` keys.
    u64 *keys[2];
    // `[2][capacity]` ids.
    u32 *ids[2];
    // `[2][capacity]` bit d: the neighbor in direction d is missing and inside.
    u32 *borders[2];
    // `[2][capacity]` request masks.
    u32 *activity[2];
    // `[8][capacity]` list positions where the rows around the tile's own row begin.
    u32 *rows;
    // `[capacity]` bit d: the neighbor in direction d is present.
    u32 *present;
    // `[capacity][19]` ids and flags of the neighbors of a tile (neighbor_ids.cuh). Changes of
    // the tile set use this memory as scratch. Null if the ids are not stored side by side.
    u32 *near;
    // `[capacity]` by id: the update that created the tile.
    u32 *born;
    // `[capacity]` unused ids. The last one is reused first.
    u32 *free;
    // `[capacity]` new positions of the tiles that the last change created. Bit 31 is set if
    // the tile is inside.
    u32 *created_at;
    // `[2][blocks]` numbers of tiles to delete and of tiles that request neighbors.
    u32 *block_counts;
    // The number of tiles and ids that fit.
    u32 capacity;
    // Padding, zero.
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
