// Patches of a mesh as kernels see them: src/patches/cuda.rs lays them out.
#pragma once
#include "common/block.cuh"
#include "common/vector.cuh"

// Local vertices of a patch and slots of its cells fit 16 bits unless a patch is very large.
#ifdef WIDE_PATCHES
typedef u32 local_index;
#else
typedef u16 local_index;
#endif

// Local numbers of the corners of a cell, read as one; a triangle has no fourth.
struct __align__(4 * sizeof(local_index)) Corners {
    local_index of[4];
};

// Gather columns that are read as one: those of a patch begin at such a word.
struct __align__(16) Columns {
    enum { SIZE = 16 / sizeof(local_index) };
    local_index of[SIZE];
};

// Words of so many columns.
DEVICE u32 column_words(u32 n) { return (n + Columns::SIZE - 1) / Columns::SIZE; }

struct Patches {
    u32 n_patches;
    u32 n_vertices;
    const u32* vertex_offsets;     // [n_patches + 1], patch order
    const u32* halo_offsets;       // [n_patches + 1]
    const u32* halo;               // vertices in patch order
    const u32* cell_offsets;       // [n_patches + 1]
    const Corners* corners;        // of patch p from cell_offsets[p] on
    const u32* column_offsets;     // [n_patches + 1], words of columns
    const local_index* rows;       // of patch p from vertex_offsets[p] + p on, [n_owned + 1]
    const Columns* columns;        // 4 * t + k, ascending in each row
    const real* x;                 // of patch p from 3 * local offset on, coordinate c of vertex v at c * n_local + v
};

// One patch. It holds positions, not addresses, so that it takes few registers.
struct Patch {
    const Patches& all;
    u32 p, first, n_owned, n_local;
    u32 cells, n_cells;  // position of its first cell among those of all patches
    u32 halo_at, columns_at, n_column_words;

    // Vertex in patch order of a local number.
    DEVICE u32 vertex(u32 local) const {
        return local < n_owned ? first + local : all.halo[halo_at + local - n_owned];
    }

    // Local number of corner k of cell t.
    DEVICE u32 corner(u32 t, u32 k) const { return all.corners[cells + t].of[k]; }

    // Local numbers of all corners of cell t.
    DEVICE Corners corners(u32 t) const { return all.corners[cells + t]; }

    // First gather column of an owned vertex; of n_owned, the number of columns.
    DEVICE u32 row(u32 local) const { return all.rows[first + p + local]; }

    // Gather column: 4 * cell + corner.
    DEVICE u32 column(u32 at) const { return ((const local_index*)columns())[at]; }

    DEVICE const Columns* columns() const { return all.columns + columns_at; }

    // Position of its first local vertex among those of all patches.
    DEVICE u64 first_local() const { return (u64)first + halo_at; }

    // Coordinates: one after the other, each of all local vertices.
    DEVICE const real* coordinates() const { return all.x + 3 * first_local(); }

    // A vertex from these coordinates, or from a copy of them in shared memory, where cells whose
    // vertices are scattered read them faster.
    DEVICE Vec3 at(const real* x, u32 local) const {
#if PLANAR
        return Vec3{x[local], x[n_local + local], R(0)};
#else
        return Vec3{x[local], x[n_local + local], x[2 * n_local + local]};
#endif
    }

    DEVICE Vec3 at(u32 local) const { return at(coordinates(), local); }
};

DEVICE Patch patch_of(const Patches& all, u32 p) {
    u32 first = all.vertex_offsets[p], halo = all.halo_offsets[p], cells = all.cell_offsets[p];
    u32 n_owned = all.vertex_offsets[p + 1] - first;
    u32 n_local = n_owned + all.halo_offsets[p + 1] - halo;
    u32 n_cells = all.cell_offsets[p + 1] - cells;
    u32 columns = all.column_offsets[p], n_column_words = all.column_offsets[p + 1] - columns;
    return Patch{all, p, first, n_owned, n_local, cells, n_cells, halo, columns, n_column_words};
}
