// Queries of a HistoPyramid that need no list: cells of keys, keys of cells, and counts in boxes.
// This file is the counterpart of cells.rs and regions.rs in
// crates/core/src/primitives/histopyramid.
//
// variants: FAN=4, LINES=0 | FAN=8, LINES=0 | FAN=4, LINES=1
// variants: PARTIAL=0 | PARTIAL=1
#include "primitives/histopyramid/records.cuh"

// Marks a missing key or coordinate.
enum : u32 { NONE = 0xffffffffu };

DEVICE u64 record_of(const Pyramid& pyramid, u32 level, Shape cell) {
    return raster(pyramid.records[level], cell.x, cell.y, cell.z);
}

// Returns the number of active cells.
DEVICE u32 total_of(const Pyramid& pyramid) {
    return ends_of_record(pyramid.sums[pyramid.n_levels - 1], 0).sums[FAN - 1];
}

// Returns the position of the set bit that has `n` set bits below it.
DEVICE u32 nth_bit(u64 word, u32 n) {
    u32 at = 0;
    for (u32 width = 32; width > 0; width /= 2) {
        const u32 here = count_bits(word >> at & ((1ull << width) - 1));
        if (n >= here) {
            n -= here;
            at += width;
        }
    }
    return at;
}

// Returns the cell that a bit of a word represents.
DEVICE Shape cell_of_bit(const Pyramid& pyramid, Shape word, u32 bit) {
    if (LINES) {
        const u32 number = word.x * 64 + bit, row = number / pyramid.shape.x;
        return {number % pyramid.shape.x, row % pyramid.shape.y, row / pyramid.shape.y};
    }
    return cell_of_word(word, bit);
}

// Returns the cell of a key, which must be below the number of active cells. It descends to the
// child whose range contains the key.
DEVICE Shape cell_of_key(const Pyramid& pyramid, u32 key) {
    Shape cell = {0, 0, 0};
    u64 slot = 0;
    for (u32 level = pyramid.n_levels; level-- > 0;) {
        const u64 record = record_of(pyramid, level, cell);
        const Record ends = ends_of_record(pyramid.sums[level], record);
        u32 child = 0, before = 0;
#pragma unroll
        for (u32 c = 0; c + 1 < FAN; c++) {
            if (ends.sums[c] <= key) {
                child = c + 1;
                before = ends.sums[c];
            }
        }
        key -= before;
        cell = child_of(cell, child);
        slot = record * FAN + child;
    }
    return cell_of_bit(pyramid, cell, nth_bit(pyramid.words[slot], key));
}

// Finds the cells of keys. A key that is not below the number of active cells gives NONE, NONE,
// NONE.
//
// Grid: any number of threads, which share the keys. Block: 256 threads. Shared memory: none.
//
// keys     [n]; null for `first`, `first + 1` and so on
// cells    [n]
extern "C" __global__ void __launch_bounds__(BLOCK, 1)
histopyramid_cells(Pyramid pyramid, const u32* keys, u64 first, u64 n, Shape* cells) {
    const u64 threads = (u64)gridDim.x * BLOCK;
    const u32 total = total_of(pyramid);
    for (u64 i = (u64)blockIdx.x * BLOCK + threadIdx.x; i < n; i += threads) {
        const u64 key = keys ? keys[i] : first + i;
        Shape cell = {NONE, NONE, NONE};
        if (key < total) cell = cell_of_key(pyramid, (u32)key);
        cells[i] = cell;
    }
}

// A cell and the index of one of its copies.
struct __align__(16) Entry {
    Shape cell;
    u32 copy;
};

// Finds the cells of entries, where each active cell has `copies` consecutive entries (Ziegler et
// al. 2006, section 6.2).
//
// Grid, block and shared memory: as for histopyramid_cells.
//
// entries  [n]; null for `first`, `first + 1` and so on
// found    [n]; all members are NONE for entries beyond the last
extern "C" __global__ void __launch_bounds__(BLOCK, 1)
histopyramid_entries(Pyramid pyramid, const u64* entries, u64 first, u64 n, u32 copies, Entry* found) {
    const u64 threads = (u64)gridDim.x * BLOCK;
    const u32 total = total_of(pyramid);
    for (u64 i = (u64)blockIdx.x * BLOCK + threadIdx.x; i < n; i += threads) {
        const u64 entry = entries ? entries[i] : first + i;
        const u64 key = entry / copies;
        Entry here = {{NONE, NONE, NONE}, NONE};
        if (key < total) here = {cell_of_key(pyramid, (u32)key), (u32)(entry % copies)};
        found[i] = here;
    }
}

// A word, and the number of active cells before a position in it.
struct Before {
    u64 word;
    u32 sum;
};

// Returns a word, and the number of active cells whose keys precede the key of one of its bits.
DEVICE Before before_bit(const Pyramid& pyramid, Shape word, u32 bit) {
    Before before = {0, 0};
    Shape cell = word;
    for (u32 level = 0; level < pyramid.n_levels; level++) {
        u32 child;
        cell = parent_of(cell, child);
        const u64 record = record_of(pyramid, level, cell);
        if (level == 0) {
            before.word = pyramid.words[record * FAN + child];
            before.sum = count_bits(before.word & ((1ull << bit) - 1));
        }
        const Record ends = ends_of_record(pyramid.sums[level], record);
        u32 sum = 0;
#pragma unroll
        for (u32 c = 0; c + 1 < FAN; c++) {
            if (c < child) sum = ends.sums[c];
        }
        before.sum += sum;
    }
    return before;
}

// Finds the keys of cells. The key is NONE for cells that are not active or that lie outside the
// grid.
//
// Grid: any number of threads, which share the cells. Block: 256 threads. Shared memory: none.
//
// cells    [n]
// keys     [n]
extern "C" __global__ void __launch_bounds__(BLOCK, 1)
histopyramid_keys(Pyramid pyramid, const Shape* cells, u64 n, u32* keys) {
    const u64 threads = (u64)gridDim.x * BLOCK;
    const Shape shape = pyramid.shape;
    for (u64 i = (u64)blockIdx.x * BLOCK + threadIdx.x; i < n; i += threads) {
        const Shape cell = cells[i];
        u32 key = NONE;
        if (cell.x < shape.x && cell.y < shape.y && cell.z < shape.z) {
            Shape word = {cell.x / EDGE, cell.y / EDGE, FAN == 8 ? cell.z / EDGE : cell.z};
            u32 bit = bit_of_cell(cell.x % EDGE, cell.y % EDGE, cell.z % EDGE);
            if (LINES) {
                const u32 number = (u32)raster(shape, cell.x, cell.y, cell.z);
                word = {number / 64, 0, 0};
                bit = number % 64;
            }
            const Before before = before_bit(pyramid, word, bit);
            if (before.word >> bit & 1) key = before.sum;
        }
        keys[i] = key;
    }
}

// A box that includes `low` and excludes `high` along each axis.
struct Box {
    Shape low, high;
};

// Returns the number of active cells among the first `n` cells. Keys must be ordered by lines.
DEVICE u32 up_to(const Pyramid& pyramid, u64 n) {
    if (n >= raster(pyramid.shape, 0, 0, pyramid.shape.z)) return total_of(pyramid);
    return before_bit(pyramid, {(u32)(n / 64), 0, 0}, (u32)(n % 64)).sum;
}

// Returns the number of low binary digits of a coordinate that vary within a cell of a level.
DEVICE u32 shift_of(u32 level) { return AXIS_BITS + level; }

// Returns the bits of a word whose cells have a coordinate below `end` along an axis. Coordinates
// are relative to the first cell of the word.
DEVICE u64 bits_below(u32 axis, u64 end) {
    if (end >= EDGE) return ~0ull;
    u64 below = 0, equal = ~0ull;
    for (u32 k = AXIS_BITS; k-- > 0;) {
        const u32 span = 1u << (AXES * k + axis);
        // The bits of the cells whose coordinate has bit k set.
        const u64 set = ~0ull / ((1ull << span) + 1) << span;
        if (end >> k & 1) {
            below |= equal & ~set;
            equal &= set;
        } else {
            equal &= ~set;
        }
    }
    return below;
}

// The position of a cell relative to a box along one axis.
struct AxisOverlap {
    bool is_apart, is_within;
    u64 bits;   // the bits of a word whose cells are inside the range
};

// Compares the coordinates from `cell << shift` up to, but not including, `(cell + 1) << shift`
// with the range from `low` up to, but not including, `high`, in a grid that ends before `end`.
DEVICE AxisOverlap stretch_of(u32 axis, u32 cell, u32 shift, u32 low, u32 high, u32 end, bool is_word) {
    const u64 from = (u64)cell << shift, all = from + (1ull << shift), upto = all < end ? all : end;
    AxisOverlap stretch;
    stretch.is_apart = all <= low || from >= high;
    // The part beyond the grid is empty.
    stretch.is_within = from >= low && upto <= high;
    stretch.bits = ~0ull;
    if (is_word && !stretch.is_apart && !stretch.is_within) {
        stretch.bits = bits_below(axis, high - from);
        if (low > from) stretch.bits &= ~bits_below(axis, low - from);
    }
    return stretch;
}

// Returns the number of active cells that are in a box and below a cell of a level, where the cells
// of level 0 are the words. Only cells that the surface of the box cuts are subdivided.
DEVICE u32 count_below(const Pyramid& pyramid, u32 top, Shape cell, const Box& box) {
    const Shape shape = pyramid.shape;
    u32 level = top, sum = 0;
    for (;;) {
        u32 child = 0;
        u32 here = 0;
        u64 slot = 0;
        Shape parent = {0, 0, 0};
        if (level == pyramid.n_levels) {
            here = total_of(pyramid);
        } else {
            parent = parent_of(cell, child);
            slot = record_of(pyramid, level, parent) * FAN + child;
            here = pyramid.sums[level][slot] - (PARTIAL && child > 0 ? pyramid.sums[level][slot - 1] : 0);
        }
        if (here > 0) {
            const u32 shift = shift_of(level);
            const bool is_word = level == 0;
            const AxisOverlap x = stretch_of(0, cell.x, shift, box.low.x, box.high.x, shape.x, is_word);
            const AxisOverlap y = stretch_of(1, cell.y, shift, box.low.y, box.high.y, shape.y, is_word);
            AxisOverlap z = {cell.z < box.low.z || cell.z >= box.high.z, true, ~0ull};
            if (FAN == 8) z = stretch_of(2, cell.z, shift, box.low.z, box.high.z, shape.z, is_word);
            if (!(x.is_apart || y.is_apart || z.is_apart)) {
                if (x.is_within && y.is_within && z.is_within) {
                    sum += here;
                } else if (is_word) {
                    sum += count_bits(pyramid.words[slot] & x.bits & y.bits & z.bits);
                } else {
                    level--;
                    cell = child_of(cell, 0);
                    continue;
                }
            }
        }
        // Go up until there is a next child, and go to that child.
        while (level < top && child == FAN - 1) {
            level++;
            cell = parent;
            if (level < top) parent = parent_of(cell, child);
        }
        if (level == top) return sum;
        cell = child_of(parent, child + 1);
    }
}

// Counts the active cells in part `part` of the `parts` parts of a box. The box must not be empty
// and must lie inside the grid. The lanes share the part, and each returns its own count.
DEVICE u32 count_part(const Pyramid& pyramid, const Box& box, u32 part, u32 parts) {
    const u64 first = (u64)part * WARP + lane_of_thread(), step = (u64)parts * WARP;
    u32 sum = 0;
    if (LINES) {
        const u32 rows = box.high.y - box.low.y;
        const u64 n = (u64)rows * (box.high.z - box.low.z);
        for (u64 i = first; i < n; i += step) {
            const u64 row = raster(pyramid.shape, 0, box.low.y + (u32)(i % rows), box.low.z + (u32)(i / rows));
            sum += up_to(pyramid, row + box.high.x) - up_to(pyramid, row + box.low.x);
        }
        return sum;
    }
    // Find the highest level on which the box has at least one cell for each lane of each part, or
    // level 0 if there is no such level.
    u32 level = pyramid.n_levels;
    Shape low, n;
    for (;; level--) {
        const u32 shift = shift_of(level), shift_z = FAN == 8 ? shift : 0;
        low = {(u32)((u64)box.low.x >> shift), (u32)((u64)box.low.y >> shift), (u32)((u64)box.low.z >> shift_z)};
        n.x = (u32)((u64)(box.high.x - 1) >> shift) - low.x + 1;
        n.y = (u32)((u64)(box.high.y - 1) >> shift) - low.y + 1;
        n.z = (u32)((u64)(box.high.z - 1) >> shift_z) - low.z + 1;
        if (level == 0 || raster(n, 0, 0, n.z) >= step) break;
    }
    for (u64 i = first; i < raster(n, 0, 0, n.z); i += step) {
        const u64 row = i / n.x;
        const Shape cell = {low.x + (u32)(i % n.x), low.y + (u32)(row % n.y), low.z + (u32)(row / n.y)};
        sum += count_below(pyramid, level, cell, box);
    }
    return sum;
}

// Counts the active cells of boxes. Cells outside the grid are not active. Several warps share a
// box.
//
// Grid: any number of warps, which share the boxes and their parts. Block: 256 threads. Shared
// memory: none.
//
// boxes   [n]
// parts   number of parts of each box, at least 1
// counts  [n], zero at the start
extern "C" __global__ void __launch_bounds__(BLOCK, 1)
histopyramid_counts(Pyramid pyramid, const Box* boxes, u64 n, u32 parts, u32* counts) {
    const u64 warps = (u64)gridDim.x * WARPS;
    const Shape shape = pyramid.shape;
    for (u64 item = (u64)blockIdx.x * WARPS + warp_of_thread(); item < n * parts; item += warps) {
        Box box = boxes[item / parts];
        box.high.x = box.high.x < shape.x ? box.high.x : shape.x;
        box.high.y = box.high.y < shape.y ? box.high.y : shape.y;
        box.high.z = box.high.z < shape.z ? box.high.z : shape.z;
        const bool is_empty = box.low.x >= box.high.x || box.low.y >= box.high.y || box.low.z >= box.high.z;
        if (is_empty) continue;
        u32 sum = count_part(pyramid, box, (u32)(item % parts), parts);
        for (u32 by = WARP / 2; by > 0; by /= 2) sum += __shfl_down_sync(0xffffffffu, sum, by);
        // The order of integer sums does not matter.
        if (lane_of_thread() == 0 && sum > 0) atomicAdd(&counts[item / parts], sum);
    }
}
