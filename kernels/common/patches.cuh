// Patches of a mesh in kernels; src/patches/cuda.rs uploads them.
#pragma once
#include "common/block.cuh"
#include "common/vector.cuh"
#include "generated/patches.cuh"

// The type of local vertex indices and gather columns. They fit in 16 bits unless a patch is very
// large.
#ifdef WIDE_PATCHES
typedef u32 local_index;
#else
typedef u16 local_index;
#endif

// Local indices of the corners of a cell, read and stored as one word. Triangles leave the fourth
// index unused.
#ifdef WIDE_PATCHES
struct __align__(16) Corners {
    u32 all[4];
    DEVICE u32 of(int k) const { return all[k]; }
};
#else
struct __align__(8) Corners {
    u64 all;
    DEVICE u32 of(int k) const { return (u32)(all >> 16 * k) & 0xffff; }
};
#endif

// Consecutive entries of the gather matrix (row starts, then columns) that are read as one word.
// The entries of each patch start at a new word.
struct __align__(16) Columns {
    enum { SIZE = 16 / sizeof(local_index) };
    local_index of[SIZE];
};

// Returns the number of words that hold n entries.
DEVICE u32 column_words(u32 n) { return (n + Columns::SIZE - 1) / Columns::SIZE; }

// The positions where a patch starts in the arrays of all patches, read as one word. The patch ends
// where the next one starts.
struct __align__(16) Start {
    u32 vertex;   // in patch order
    u32 halo;
    u32 cell;
    u32 columns;  // in words
};

// One patch. It stores array positions instead of addresses to save registers.
struct Patch {
    const Patches& all;
    u32 p, first, n_owned, n_local;
    u32 cells, n_cells;  // position of its first cell among the cells of all patches
    u32 halo_at, columns_at, n_column_words;

    // Converts a local vertex index to a vertex index in patch order.
    DEVICE u32 vertex(u32 local) const {
        return local < n_owned ? first + local : all.halo[halo_at + local - n_owned];
    }

    // Returns the local index of corner k of cell t.
    DEVICE u32 corner(u32 t, u32 k) const { return corners(t).of(k); }

    // Returns the local indices of all corners of cell t.
    DEVICE Corners corners(u32 t) const { return all.corners[cells + t]; }

    // Returns the start of the gather columns of an owned vertex. For `local` = n_owned, returns
    // the end of the columns of the last vertex.
    DEVICE u32 row(u32 local) const { return column(local); }

    // Returns entry `at` of the gather matrix. A column is 4 * cell + corner.
    DEVICE u32 column(u32 at) const { return ((const local_index*)columns())[at]; }

    DEVICE const Columns* columns() const { return all.columns + columns_at; }

    // Returns the position of the patch's first local vertex among the local vertices of all
    // patches.
    DEVICE u64 first_local() const { return (u64)first + halo_at; }

    // Returns the coordinates of all local vertices, one axis after the other.
    DEVICE const real* coordinates() const { return all.x + 3 * first_local(); }

    // Returns the position of a vertex, given the result of `coordinates` or a copy of it in shared
    // memory. The copy is faster for cells whose vertices are scattered.
    DEVICE Vec3 at(const real* x, u32 local) const {
#if PLANAR
        return Vec3{x[local], x[n_local + local], R(0)};
#else
        return Vec3{x[local], x[n_local + local], x[2 * n_local + local]};
#endif
    }

    DEVICE Vec3 at(u32 local) const { return at(coordinates(), local); }
};

// Returns patch p, given its start and the start of the next patch.
DEVICE Patch patch_between(const Patches& all, u32 p, const Start& start, const Start& end) {
    u32 n_owned = end.vertex - start.vertex, n_local = n_owned + end.halo - start.halo;
    return Patch{all, p, start.vertex, n_owned, n_local, start.cell, end.cell - start.cell, start.halo, start.columns,
                 end.columns - start.columns};
}

DEVICE Patch patch_of(const Patches& all, u32 p) {
    const Start start = all.starts[p], end = all.starts[p + 1];
    return patch_between(all, p, start, end);
}

// Prefetches the data of a patch that a step reads, and phi at the owned vertices of the patch,
// into the L2 cache. `end` is the start of the next patch. One thread calls this function.
DEVICE void prefetch(const Patches& all, const Start& start, const Start& end, const real* phi) {
    const u32 n_owned = end.vertex - start.vertex, n_halo = end.halo - start.halo;
    prefetch_range(all.corners + start.cell, end.cell - start.cell);
    prefetch_range(all.columns + start.columns, end.columns - start.columns);
    prefetch_range(all.x + 3 * ((u64)start.vertex + start.halo), (PLANAR ? 2 : 3) * (n_owned + n_halo));
    prefetch_range(all.halo + start.halo, n_halo);
    prefetch_range(phi + start.vertex, n_owned);
}
