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

struct Patches {
    u32 n_patches;
    u32 n_vertices;
    const u32* vertex_offsets;     // [n_patches + 1], patch order
    const u32* halo_offsets;       // [n_patches + 1]
    const u32* halo;               // vertices in patch order
    const u32* cell_offsets;       // [n_patches + 1]
    const local_index* corners;    // of patch p from N * cell_offsets[p] on, corner k of cell t at k * n_cells + t
    const u32* column_offsets;     // [n_patches + 1]
    const local_index* rows;       // of patch p from vertex_offsets[p] + p on, [n_owned + 1]
    const local_index* columns;    // 4 * t + k, ascending in each row
    const real* x;                 // of patch p from 3 * local offset on, coordinate c of vertex v at c * n_local + v
};

// One patch.
struct Patch {
    u32 p, first, n_owned, n_local;
    u32 cells, n_cells;  // position of its first cell among those of all patches
    const u32* halo;
    const local_index* corners;
    const local_index* rows;
    const local_index* columns;
    const real* x;

    // Vertex in patch order of a local number.
    DEVICE u32 vertex(u32 local) const { return local < n_owned ? first + local : halo[local - n_owned]; }

    // Local number of corner k of cell t.
    DEVICE u32 corner(u32 t, u32 k) const { return corners[k * n_cells + t]; }

    DEVICE Vec3 at(u32 local) const {
        Vec3 point = {x[local], x[n_local + local], x[2 * n_local + local]};
        return point;
    }
};

DEVICE Patch patch_of(const Patches& all, u32 p) {
    Patch patch;
    patch.p = p;
    patch.first = all.vertex_offsets[p];
    patch.n_owned = all.vertex_offsets[p + 1] - patch.first;
    u32 halo = all.halo_offsets[p];
    patch.halo = all.halo + halo;
    patch.n_local = patch.n_owned + all.halo_offsets[p + 1] - halo;
    patch.cells = all.cell_offsets[p];
    patch.n_cells = all.cell_offsets[p + 1] - patch.cells;
    patch.corners = all.corners + (u64)N * patch.cells;
    patch.rows = all.rows + patch.first + p;
    patch.columns = all.columns + all.column_offsets[p];
    patch.x = all.x + 3 * ((u64)patch.first + halo);
    return patch;
}
