// The levels of a HistoPyramid above the lowest: the counterpart of
// crates/core/src/primitives/histopyramid.
//
// At the end of an axis, records may have empty slots, which count as 0.
//
// Defines: those of primitives/histopyramid/records.cuh.
//
// variants: FAN=4, LINES=0 | FAN=8, LINES=0 | FAN=4, LINES=1
// variants: PARTIAL=0 | PARTIAL=1
#include "primitives/histopyramid/records.cuh"

// Computes a level from the level below. The sum of each record below is the sum of one cell here.
//
// Grid: one thread per slot of this level, rounded up. Block: 256 threads. Shared memory: none.
//
// below    [cells][FAN], where `cells` is the shape of the records below
// sums     [records][FAN]
extern "C" __global__ void __launch_bounds__(BLOCK, 1)
histopyramid_level(const u32* below, Shape cells, Shape records, u32* sums) {
    const u64 slot = (u64)blockIdx.x * BLOCK + threadIdx.x;
    const u64 n_slots = raster(records, 0, 0, records.z) * FAN;
    u32 sum = 0;
    if (slot < n_slots) {
        const Shape at = cell_of_slot(records, slot);
        if (at.x < cells.x && at.y < cells.y && at.z < cells.z) {
            sum = ends_of_record(below, raster(cells, at.x, at.y, at.z)).sums[FAN - 1];
        }
    }
    sum = stored_sum(sum);
    if (slot < n_slots) sums[slot] = sum;
}
