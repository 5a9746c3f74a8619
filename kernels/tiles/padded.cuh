// A tile with the voxels round it in shared memory: the twin of src/grid/padded.rs, by rows along x.
//
// REACH layers beyond the faces; with EDGES the voxels beyond the edges of the tile, one deep.
#pragma once
#include "tiles/grid.cuh"
#include "common/real.cuh"
#include "tiles/storage.cuh"

enum {
    E = TILE_EDGE,
    TILE_VALUES = E * E * E,
    SIDE = E + 2 * REACH,
    // Rows of few layers begin at multiples of four values, so that four are read at once.
    IS_ALIGNED = REACH == 1,
    BEFORE = IS_ALIGNED ? QUAD : REACH,
    ROW = E + 2 * BEFORE,
    PADDED = SIDE * SIDE * ROW,
    // Threads of a tile, each of four voxels in a row.
    GROUP = TILE_VALUES / QUAD,
    TILES = BLOCK / GROUP,
    QUADS = E / QUAD,
};

// Four values in a row.
struct __align__(16) Four {
    real v[QUAD];
};

// Stands for a missing neighbor, by its sign.
const u32 MISSING_OUTSIDE = 0xffffffffu, MISSING_INSIDE = 0xfffffffeu;

// What a thread knows of one row of neighbors: the first threads of a tile find one row each. Loads
// come in two halves, so that others can be under way meanwhile.
struct NearRow {
    u32 begin, present, border;
    u32 id[3];

    // Where the row begins in the list.
    DEVICE void find(const TileGrid& g, u32 list, u32 row, u32 p, u32 n) {
        present = border = begin = 0;
        if (row >= TILE_ROWS || p >= n) return;
        present = g.present[p];
        border = g.borders[list][p];
        // The row of the tile itself: as if the neighbor before it were missing.
        begin = row_of(g, row, p, 0);
    }

    // Ids of its tiles.
    DEVICE void read(const TileGrid& g, u32 list, u32 row, u32 p, u32 n) {
        if (row >= TILE_ROWS || p >= n) return;
        const u32 bits = bits_of_row(present, row);
        const u32 first = row == TILE_ROWS / 2 ? begin - (bits & 1) : begin;
#pragma unroll
        for (u32 k = 0; k < 3; k++) {
            const u32 before = __popc(bits & ((1u << k) - 1));
            const bool inside = border >> (3 * row + k) & 1;
            id[k] = inside ? MISSING_INSIDE : MISSING_OUTSIDE;
            if (bits >> k & 1) id[k] = g.ids[list][first + before];
        }
    }

    DEVICE void keep(u32* near, u32 row) const {
        if (row >= TILE_ROWS) return;
#pragma unroll
        for (u32 k = 0; k < 3; k++) near[3 * row + k] = id[k];
    }
};

// Values of a tile that may be missing.
struct Source {
    const stored* values;  // null for a missing one
    real far;

    DEVICE Source(const stored* phi, u32 id, real gamma)
        : values(id >= MISSING_INSIDE ? nullptr : phi + (u64)id * TILE_VALUES),
          far(id == MISSING_INSIDE ? -gamma : gamma) {}

    DEVICE real at(u32 k, real gamma) const { return values ? load_value(values[k], gamma) : far; }

    // Four voxels from a multiple of four on.
    DEVICE void quad(u32 k, real gamma, real (&out)[QUAD]) const {
        if (values) {
            const Quad q = *(const Quad*)(values + k);
#pragma unroll
            for (int i = 0; i < QUAD; i++) out[i] = load_value(q.v[i], gamma);
        } else {
#pragma unroll
            for (int i = 0; i < QUAD; i++) out[i] = far;
        }
    }
};

#if REACH > 1
// Which side of the tile a coordinate lies on, and how deep.
struct Side {
    i32 step;   // -1, 0, 1
    u32 depth;  // beyond the tile
    u32 at;     // in the neighbor
    DEVICE explicit Side(i32 c)
        : step(c < 0 ? -1 : c >= E ? 1 : 0),
          depth(c < 0 ? -c : c >= E ? c - E + 1 : 0),
          at(c < 0 ? c + E : c >= E ? c - E : c) {}
};
#endif

#if REACH == 1

// What a thread copies of a tile and the layer round it: a quad of the tile, one of the rows beyond its
// faces, and the first threads one of the rows beyond its edges. The same for all tiles.
struct Part {
    // Quads of rows beyond the faces, and beyond the edges along x.
    enum { OUTER = 4 * E * QUADS, CORNERS = 4 * QUADS };
    u32 voxel, to;
    u32 outer, outer_from, outer_to;
    u32 corner, corner_from, corner_to;

    DEVICE explicit Part(u32 thread) {
        voxel = QUAD * thread;
        to = place_at(voxel % E, voxel / E % E, voxel / (E * E));
        const u32 part = QUAD * (thread % QUADS);
        // Below and above along y, then along z.
        const u32 side = thread / (E * QUADS) % 4, along = thread / QUADS % E;
        const i32 step = side % 2 ? 1 : -1, beyond = side % 2 ? E : -1;
        const u32 within = side % 2 ? 0 : E - 1;
        outer = side < 2 ? CENTER + 3 * step : CENTER + 9 * step;
        outer_from = part + (side < 2 ? E * (within + E * along) : E * (along + E * within));
        outer_to = side < 2 ? place_at(part, beyond, along) : place_at(part, along, beyond);
        const u32 high_y = thread / QUADS % 2, high_z = thread / (2 * QUADS) % 2;
        corner = CENTER + (high_y ? 3 : -3) + (high_z ? 9 : -9);
        corner_from = part + E * ((high_y ? 0 : E - 1) + E * (high_z ? 0 : E - 1));
        corner_to = place_at(part, high_y ? E : -1, high_z ? E : -1);
    }

    DEVICE static u32 place_at(i32 x, i32 y, i32 z) { return ((z + REACH) * SIDE + y + REACH) * ROW + x + BEFORE; }

    // Copies; the threads of the tile come.
    DEVICE void copy(real* out, const u32* near, const stored* phi, real gamma, u32 thread) const {
        Four own, beyond, edge;
        real ends[2] = {R(0), R(0)}, outer_ends[2] = {R(0), R(0)};
        const bool is_outer = GROUP == OUTER || thread < OUTER, is_corner = EDGES && thread < CORNERS;
        const bool is_first = thread % QUADS == 0, is_last = thread % QUADS == QUADS - 1;
        Source(phi, near[CENTER], gamma).quad(voxel, gamma, own.v);
        if (is_outer) Source(phi, near[outer], gamma).quad(outer_from, gamma, beyond.v);
        if (is_corner) Source(phi, near[corner], gamma).quad(corner_from, gamma, edge.v);
        if (is_first) ends[0] = Source(phi, near[CENTER - 1], gamma).at(voxel + E - 1, gamma);
        if (is_last) ends[1] = Source(phi, near[CENTER + 1], gamma).at(voxel + QUAD - E, gamma);
        if (EDGES && is_outer) {
            if (is_first) outer_ends[0] = Source(phi, near[outer - 1], gamma).at(outer_from + E - 1, gamma);
            if (is_last) outer_ends[1] = Source(phi, near[outer + 1], gamma).at(outer_from + QUAD - E, gamma);
        }
        *(Four*)(out + to) = own;
        if (is_first) out[to - 1] = ends[0];
        if (is_last) out[to + QUAD] = ends[1];
        if (is_corner) *(Four*)(out + corner_to) = edge;
        if (!is_outer) return;
        *(Four*)(out + outer_to) = beyond;
        if (EDGES && is_first) out[outer_to - 1] = outer_ends[0];
        if (EDGES && is_last) out[outer_to + QUAD] = outer_ends[1];
    }
};

#else

// What a thread copies of a tile and the layers round it, row by row.
struct Part {
    DEVICE explicit Part(u32) {}

    // Copies; the threads of the tile come, number `thread` of GROUP.
    DEVICE void copy(real* out, const u32* near, const stored* phi, real gamma, u32 thread) const {
        constexpr u32 ROUNDS = (SIDE * SIDE * QUADS + GROUP - 1) / GROUP;
#pragma unroll
        for (u32 round = 0; round < ROUNDS; round++) {
            const u32 n = round * GROUP + thread, row = n / QUADS, part = n % QUADS;
            if (row >= SIDE * SIDE) break;
            const Side y((i32)(row % SIDE) - REACH), z((i32)(row / SIDE) - REACH);
            const bool is_edge = y.depth && z.depth;
            if (is_edge && !(EDGES && y.depth == 1 && z.depth == 1)) continue;
            const u32 direction = CENTER + 3 * y.step + 9 * z.step;
            const u32 from = E * (y.at + E * z.at);
            real* to = out + row * ROW + BEFORE;
            real values[QUAD];
            Source(phi, near[direction], gamma).quad(from + QUAD * part, gamma, values);
#pragma unroll
            for (int i = 0; i < QUAD; i++) to[QUAD * part + i] = values[i];
            // Beyond the ends of the row.
            const u32 deepest = y.depth > z.depth ? y.depth : z.depth;
            if (is_edge || deepest > (EDGES ? 1u : 0u)) continue;
            const u32 depth = deepest ? 1 : REACH;
            if (part == 0) {
                const Source left(phi, near[direction - 1], gamma);
                for (u32 k = 1; k <= depth; k++) to[-(i32)k] = left.at(from + E - k, gamma);
            }
            if (part == QUADS - 1) {
                const Source right(phi, near[direction + 1], gamma);
                for (u32 k = 0; k < depth; k++) to[E + k] = right.at(from + k, gamma);
            }
        }
    }
};

#endif

// Place of a voxel in a padded tile.
DEVICE u32 place_of(u32 voxel) {
    const u32 x = voxel % E, y = voxel / E % E, z = voxel / (E * E);
    return ((z + REACH) * SIDE + y + REACH) * ROW + x + BEFORE;
}

// The values around a voxel of a padded tile.
struct Around {
    const real* here;
    DEVICE real operator()(i32 dx, i32 dy, i32 dz) const { return here[dx + (i32)ROW * (dy + (i32)SIDE * dz)]; }
};

// Those around four voxels in a row, one layer deep, in registers; those of corners are not there.
struct AroundQuad {
    real rows[9][QUAD + 2];

    // With those beyond edges if there are.
    DEVICE AroundQuad(const real* here, bool with_edges) {
#pragma unroll
        for (i32 row = 0; row < 9; row++) {
            const i32 y = row % 3 - 1, z = row / 3 - 1;
            if (y && z && !with_edges) continue;
            const real* from = here + (i32)ROW * (y + (i32)SIDE * z);
            const Four values = *(const Four*)from;
#pragma unroll
            for (int i = 0; i < QUAD; i++) rows[row][i + 1] = values.v[i];
            if ((y || z) && !(with_edges && !(y && z))) continue;
            rows[row][0] = from[-1];
            rows[row][QUAD + 1] = from[QUAD];
        }
    }
};

// One of the four.
struct AroundOne {
    const AroundQuad& quad;
    int i;
    DEVICE real operator()(i32 dx, i32 dy, i32 dz) const { return quad.rows[dy + 1 + 3 * (dz + 1)][i + dx + 1]; }
};

// Whether the voxel or one of its six neighbors lies well inside the band.
template <typename At>
DEVICE bool is_moving(const At& at, real core) {
    real least = fabs(at(0, 0, 0));
    least = smaller(least, smaller(fabs(at(-1, 0, 0)), fabs(at(1, 0, 0))));
    least = smaller(least, smaller(fabs(at(0, -1, 0)), fabs(at(0, 1, 0))));
    least = smaller(least, smaller(fabs(at(0, 0, -1)), fabs(at(0, 0, 1))));
    return core > least;
}
