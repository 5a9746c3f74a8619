// Quadtrees and octrees whose leaves are blocks of equal values: the counterpart of
// crates/core/src/primitives/histopyramid/octree.rs. The levels count the largest blocks of equal
// values. The count of a cell is 1 if all its children have the same single value. Otherwise, it is
// the sum of the counts of its children.
//
// Defines: FAN, 4 for pictures and 8 for volumes. VALUE, the type of the values.
//
// variants: FAN=4 | FAN=8
// variants: VALUE=u8 | VALUE=double
#include "primitives/pyramid.cuh"

// Returns the coordinate of the first cell of the base below a cell of a level. Level 32 has the
// single cell 0, but a shift by 32 needs 64 bits.
DEVICE u32 first_of(u32 cell, u32 level) { return (u32)((u64)cell << level); }

// Returns the first cell of the base below a cell of a level.
DEVICE u64 first_cell(Shape base, Shape cell, u32 level) {
    return raster(base, first_of(cell.x, level), first_of(cell.y, level), FAN == 8 ? first_of(cell.z, level) : cell.z);
}

// Computes the numbers of leaves below the children of a cell. The level of the cell is at least 1.
// The children of a cell of level 1 are cells of the base, with one leaf each.
DEVICE void counts_below(const u32* below, Shape base, Shape shape, Shape cell, u32 level, u32 (&counts)[FAN]) {
#pragma unroll
    for (u32 c = 0; c < FAN; c++) {
        const Shape child = child_of(cell, c);
        const bool is_inside = child.x < base.x && child.y < base.y && child.z < base.z;
        counts[c] = level > 1 ? below[raster(shape, cell.x, cell.y, cell.z) * FAN + c] : is_inside;
    }
}

// Returns the number of leaves below a cell.
DEVICE u32 leaves_of(const VALUE* values, const u32* below, Shape base, Shape shape, Shape cell, u32 level) {
    u32 counts[FAN], sum = 0;
    counts_below(below, base, shape, cell, level, counts);
    bool is_one = true;
    const VALUE first = values[first_cell(base, cell, level)];
#pragma unroll
    for (u32 c = 0; c < FAN; c++) {
        sum += counts[c];
        // If a child has a single value, its first cell has that value.
        if (counts[c] > 0 && is_one) {
            is_one = counts[c] == 1 && values[first_cell(base, child_of(cell, c), level - 1)] == first;
        }
    }
    return is_one ? 1 : sum;
}

// Computes the numbers of leaves of all cells of a level, as records of the level above. Slots
// without a cell get 0.
//
// Grid: one thread per slot, rounded up. Block: 256 threads. Shared memory: none.
//
// values   values of a grid of shape `base`, x fastest
// below    [cells][FAN], of the level below; not read for level 1
// cells    shape of the level
// level    at least 1
// counts   [records][FAN]
extern "C" __global__ void __launch_bounds__(BLOCK, 1)
tree_level(const VALUE* values, Shape base, const u32* below, Shape cells, u32 level, Shape records, u32* counts) {
    const u64 slot = (u64)blockIdx.x * BLOCK + threadIdx.x;
    if (slot >= raster(records, 0, 0, records.z) * FAN) return;
    const Shape cell = cell_of_slot(records, slot);
    const bool is_cell = cell.x < cells.x && cell.y < cells.y && cell.z < cells.z;
    counts[slot] = is_cell ? leaves_of(values, below, base, cells, cell, level) : 0;
}

// Lists the leaves in Z-order: the first cell of each, and its level.
//
// Grid: any number of threads, which share the leaves. Block: 256 threads. Shared memory: none.
//
// leaves   x, y, z and level of each, [n][4]
extern "C" __global__ void __launch_bounds__(BLOCK, 1) tree_leaves(Tree tree, u32 n, u32* leaves) {
    const u64 threads = (u64)gridDim.x * BLOCK;
    for (u64 leaf = (u64)blockIdx.x * BLOCK + threadIdx.x; leaf < n; leaf += threads) {
        u32 key = (u32)leaf, level = tree.n_levels, sum = n;
        Shape cell = {0, 0, 0};
        while (level > 0 && sum > 1) {
            u32 counts[FAN], chosen = 0, before = 0, upto = 0;
            const u32 below = level > 1 ? level - 2 : 0;
            counts_below(tree.counts[below], tree.base, tree.records[below], cell, level, counts);
            // Choose the child whose range contains the key. Empty children have no range.
#pragma unroll
            for (u32 c = 0; c < FAN; c++) {
                if (counts[c] > 0 && upto <= key) {
                    chosen = c;
                    before = upto;
                    sum = counts[c];
                }
                upto += counts[c];
            }
            key -= before;
            level--;
            cell = child_of(cell, chosen);
        }
        leaves[4 * leaf] = first_of(cell.x, level);
        leaves[4 * leaf + 1] = first_of(cell.y, level);
        leaves[4 * leaf + 2] = FAN == 8 ? first_of(cell.z, level) : cell.z;
        leaves[4 * leaf + 3] = level;
    }
}
