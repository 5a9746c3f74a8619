// A tile with the voxels around it in shared memory: the counterpart of src/grid/padded.rs.
//
// It has REACH layers beyond the faces. If EDGES is 1, it also has the voxels beyond the edges of
// the tile, one layer deep.
#pragma once
#include "tiles/storage.cuh"
#include "tiles/neighbor_ids.cuh"
#include "common/compute_once.cuh"
#include "common/real.cuh"
#include "common/shared.cuh"

enum {
    E = TILE_EDGE,
    TILE_VALUES = E * E * E,
    SIDE = E + 2 * REACH,
    // With one layer, the values of the tile begin at multiples of four in each row, so that four
    // are read at once. The value after a row occupies the unused start of the next row. Planes of
    // small tiles are shifted by four, so that eight threads read from all banks.
    IS_ALIGNED = REACH == 1,
    BEFORE = IS_ALIGNED ? QUAD : REACH,
    ROW = IS_ALIGNED ? E + QUAD : E + 2 * REACH,
    PLANE = SIDE * ROW + (IS_ALIGNED && E == QUAD ? QUAD : 0),
    PADDED = SIDE * PLANE + (IS_ALIGNED ? QUAD : 0),
    // The number of threads of a tile. Each thread handles four voxels of a row.
    GROUP = TILE_VALUES / QUAD,
    TILES = BLOCK / GROUP,
    QUADS = E / QUAD,
};

// Four values in a row.
struct __align__(16) Four {
    real v[QUAD];
};

// Returns the address of the values of a tile or of a missing neighbor.
DEVICE const stored* values_of(const stored* phi, u32 id) { return phi + (i64)(i32)id * TILE_VALUES; }

// Loads four values, starting at a multiple of four.
DEVICE Four four_of(const stored* values, real gamma) {
    const Quad q = *(const Quad*)values;
    Four four;
#pragma unroll
    for (int i = 0; i < QUAD; i++) four.v[i] = load_value(q.v[i], gamma);
    return four;
}

#if REACH > 1
// The side of the tile on which a coordinate lies, and its depth.
struct Side {
    i32 step;   // -1, 0, 1
    u32 depth;  // distance beyond the tile
    u32 at;     // coordinate in the neighbor
    DEVICE explicit Side(i32 c)
        : step(c < 0 ? -1 : c >= E ? 1 : 0),
          depth(c < 0 ? -c : c >= E ? c - E + 1 : 0),
          at(c < 0 ? c + E : c >= E ? c - E : c) {}
};
#endif

#if REACH == 1

// The parts of a tile and of the layer around it that a thread copies: four values of the tile and,
// for the first threads, also four values of a row beyond its faces and four of a row beyond its
// edges. Threads at the ends of rows also copy the values beyond these ends. The positions are the
// same for all tiles.
struct Part {
    // The number of quads in rows beyond the faces, and in rows along x beyond the edges.
    enum { OUTER = 4 * E * QUADS, CORNERS = 4 * QUADS };
    u32 voxel, to;
    u32 outer, outer_from, outer_to;
    u32 corner, corner_from, corner_to;
    bool is_outer, is_corner, is_first, is_last;

    DEVICE explicit Part(u32 thread)
        : is_outer(GROUP == OUTER || thread < OUTER), is_corner(EDGES && thread < CORNERS),
          is_first(thread % QUADS == 0), is_last(thread % QUADS == QUADS - 1) {
        voxel = QUAD * thread;
        to = place_at(voxel % E, voxel / E % E, voxel / (E * E));
        const u32 part = QUAD * (thread % QUADS);
        // The sides are below and above along y, then below and above along z.
        const u32 side = thread / (E * QUADS) % 4, along = thread / QUADS % E;
        const i32 step = side % 2 ? 1 : -1, beyond = side % 2 ? E : -1;
        const u32 within = side % 2 ? 0 : E - 1;
        outer = side < 2 ? near_of(0, step, 0) : near_of(0, 0, step);
        outer_from = part + (side < 2 ? E * (within + E * along) : E * (along + E * within));
        outer_to = side < 2 ? place_at(part, beyond, along) : place_at(part, along, beyond);
        const u32 high_y = thread / QUADS % 2, high_z = thread / (2 * QUADS) % 2;
        corner = near_of(0, high_y ? 1 : -1, high_z ? 1 : -1);
        corner_from = part + E * ((high_y ? 0 : E - 1) + E * (high_z ? 0 : E - 1));
        corner_to = place_at(part, high_y ? E : -1, high_z ? E : -1);
        // If edges are copied, no registers are left to pin these values.
        if (!EDGES) {
            pin(outer_from);
            pin(outer_to);
            pin(outer);
        }
    }

    DEVICE static u32 place_at(i32 x, i32 y, i32 z) { return (z + REACH) * PLANE + (y + REACH) * ROW + x + BEFORE; }
};

// The tile and the neighbors from which a thread copies.
struct NearPart {
    u32 own, missing;  // the tile's id, and the directions without a neighbor
    u32 sides[2], outer, outer_sides[2], corner;

    // Reads the ids for the tile at position `p`. If `p` is beyond the end of the list, the last
    // tile is read instead, so that no thread waits at a branch.
    DEVICE void read(const u32* ids, NearList all_near, const Part& part, u32 p, u32 n) {
        p = p < n ? p : n - 1;
        NearWords near = words_of(all_near, p);
        own = ids[p];
        missing = near[NEAR_CENTER];
        if (part.is_first) sides[0] = near[NEAR_CENTER - 1];
        if (part.is_last) sides[1] = near[NEAR_CENTER + 1];
        if (part.is_corner) corner = near[part.corner];
        if (!part.is_outer) return;
        near += part.outer;
        outer = near[0];
        if (EDGES && part.is_first) outer_sides[0] = near[-1];
        if (EDGES && part.is_last) outer_sides[1] = near[1];
    }

    // Starts copying this thread's parts. All threads of the tile must take part. The values are
    // available after await_copies and a barrier.
    DEVICE void copy(const Part& part, real* out, const stored* phi, real gamma) const {
        const u32 voxel = part.voxel, from = part.outer_from;
        const stored* at_voxel = phi + voxel;
        copy_quad(out + part.to, values_of(at_voxel, own), gamma);
        if (part.is_first) copy_one(out + part.to - 1, values_of(at_voxel, sides[0]) + (E - 1), gamma);
        if (part.is_last) copy_one(out + part.to + QUAD, values_of(at_voxel, sides[1]) - (E - QUAD), gamma);
        if (part.is_corner) copy_quad(out + part.corner_to, values_of(phi, corner) + part.corner_from, gamma);
        if (!part.is_outer) return;
        real* beyond = out + part.outer_to;
        copy_quad(beyond, values_of(phi + from, outer), gamma);
        if (EDGES && part.is_first) copy_one(beyond - 1, values_of(phi, outer_sides[0]) + from + (E - 1), gamma);
        if (EDGES && part.is_last) copy_one(beyond + QUAD, values_of(phi, outer_sides[1]) + from - (E - QUAD), gamma);
    }

    DEVICE static void copy_one(real* out, const stored* from, real gamma) {
#if STORAGE == STORAGE_FIXED16
        *out = load_value(*from, gamma);
#else
        copy_async(out, from);
#endif
    }

    DEVICE static void copy_quad(real* out, const stored* from, real gamma) {
#if STORAGE == STORAGE_FIXED16
        *(Four*)out = four_of(from, gamma);
#else
        copy_async((Quad*)out, (const Quad*)from);
#endif
    }
};

#else

// The neighbors of the tiles of a block. For each tile, these are the ids across faces and edges,
// with the tile's own id in the middle, and the directions without a neighbor.
struct Near {
    u32 ids[TILES][NEAR_WORDS];
    u32 missing[TILES];
};

// The ids that a thread of a tile loads. Loads are issued early, and their results are stored
// later, after other work.
struct NearPart {
    enum { ROUNDS = (NEAR_WORDS + GROUP - 1) / GROUP };
    u32 word[ROUNDS], own;

    DEVICE void read(const TileGrid& g, u32 list, u32 thread, u32 p, u32 n) {
        if (p >= n) return;
        const NearWords words = words_of(near_list(g, list), p);
#pragma unroll
        for (u32 round = 0; round < ROUNDS; round++) {
            const u32 k = round * GROUP + thread;
            if (k < NEAR_WORDS) word[round] = words[k];
        }
        if (thread == NEAR_CENTER) own = g.ids[list][p];
    }

    DEVICE void keep(Near& near, u32 slot, u32 thread) const {
#pragma unroll
        for (u32 round = 0; round < ROUNDS; round++) {
            const u32 k = round * GROUP + thread;
            if (k >= NEAR_WORDS) continue;
            near.ids[slot][k] = k == NEAR_CENTER ? own : word[round];
            if (k == NEAR_CENTER) near.missing[slot] = word[round];
        }
    }
};

// Copies a tile and the layers around it, row by row. All GROUP threads of the tile must take part.
// `thread` is the index of this thread.
DEVICE void copy_padded(real* out, const u32 (&near)[NEAR_WORDS], const stored* phi, real gamma, u32 thread) {
    constexpr u32 ROUNDS = (SIDE * SIDE * QUADS + GROUP - 1) / GROUP;
#pragma unroll
    for (u32 round = 0; round < ROUNDS; round++) {
        const u32 n = round * GROUP + thread, row = n / QUADS, part = n % QUADS;
        if (row >= SIDE * SIDE) break;
        const Side y((i32)(row % SIDE) - REACH), z((i32)(row / SIDE) - REACH);
        const bool is_edge = y.depth && z.depth;
        if (is_edge && !(EDGES && y.depth == 1 && z.depth == 1)) continue;
        const u32* source = near + near_of(0, y.step, z.step);
        const u32 from = E * (y.at + E * z.at);
        real* to = out + row / SIDE * PLANE + row % SIDE * ROW + BEFORE;
        const Four values = four_of(values_of(phi, source[0]) + from + QUAD * part, gamma);
#pragma unroll
        for (int i = 0; i < QUAD; i++) to[QUAD * part + i] = values.v[i];
        // Values beyond the ends of the row.
        const u32 deepest = y.depth > z.depth ? y.depth : z.depth;
        if (is_edge || deepest > (EDGES ? 1u : 0u)) continue;
        const u32 depth = deepest ? 1 : REACH;
        if (part == 0) {
            const stored* left = values_of(phi, source[-1]) + from + E;
            for (i32 k = 1; k <= (i32)depth; k++) to[-k] = load_value(left[-k], gamma);
        }
        if (part == QUADS - 1) {
            const stored* right = values_of(phi, source[1]) + from;
            for (u32 k = 0; k < depth; k++) to[E + k] = load_value(right[k], gamma);
        }
    }
}

#endif

// Returns the index of a voxel in a padded tile.
DEVICE u32 place_of(u32 voxel) {
    const u32 x = voxel % E, y = voxel / E % E, z = voxel / (E * E);
    return (z + REACH) * PLANE + (y + REACH) * ROW + x + BEFORE;
}

// The values around a voxel of a padded tile.
struct Around {
    const real* here;
    DEVICE real operator()(i32 dx, i32 dy, i32 dz) const { return here[dx + (i32)ROW * dy + (i32)PLANE * dz]; }
};

// The values around four voxels in a row, one layer deep, in registers. Corners are not included.
struct AroundQuad {
    real rows[9][QUAD + 2];

    // Loads the values. Values that are only diagonal neighbors of the voxels are loaded only if
    // `with_edges` is set.
    DEVICE AroundQuad(const real* here, bool with_edges) {
#pragma unroll
        for (i32 row = 0; row < 9; row++) {
            const i32 y = row % 3 - 1, z = row / 3 - 1;
            if (y && z && !with_edges) continue;
            const real* from = here + (i32)ROW * y + (i32)PLANE * z;
            const Four values = *(const Four*)from;
#pragma unroll
            for (int i = 0; i < QUAD; i++) rows[row][i + 1] = values.v[i];
            if ((y || z) && !(with_edges && !(y && z))) continue;
            rows[row][0] = from[-1];
            rows[row][QUAD + 1] = from[QUAD];
        }
    }
};

// The values around one of the four voxels.
struct AroundOne {
    const AroundQuad& quad;
    int i;
    DEVICE real operator()(i32 dx, i32 dy, i32 dz) const { return quad.rows[dy + 1 + 3 * (dz + 1)][i + dx + 1]; }
};

// Returns whether the voxel or one of its six neighbors lies well inside the band.
template <typename At>
DEVICE bool is_moving(const At& at, real core) {
    real least = fabs(at(0, 0, 0));
    least = smaller(least, smaller(fabs(at(-1, 0, 0)), fabs(at(1, 0, 0))));
    least = smaller(least, smaller(fabs(at(0, -1, 0)), fabs(at(0, 1, 0))));
    least = smaller(least, smaller(fabs(at(0, 0, -1)), fabs(at(0, 0, 1))));
    return core > least;
}
