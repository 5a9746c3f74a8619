// Marching cubes over the tiles of a sparse grid: the twin of src/surface/cubes/{walk,extract}.rs, vertex for vertex
// and triangle for triangle. A warp works on a tile.
//
// A cube belongs to the first tile that holds one of its corners, a crossing to the tile of the lower end of
// its edge, or of the upper end where that of the lower one is missing.
#define BLOCK_THREADS 128
#include "primitives/block.cuh"
#include "tiles/grid.cuh"
#include "common/real.cuh"
#include "tiles/storage.cuh"

enum {
    E = TILE_EDGE,
    VOXELS = E * E * E,
    // Rows of voxels along x of a tile and the layer round it, bit x + 1 for voxel x, and of cubes.
    SIDE = E + 2,
    ROWS = SIDE * SIDE,
    CUBE_SIDE = E + 1,
    CUBE_ROWS = CUBE_SIDE * CUBE_SIDE,
    // What is kept of the crossings of a tile: bits of its voxels for each axis, how many crossings there are before each
    // word of them, those that come in from missing tiles, for each axis, and how many there are of the others.
    WORDS = VOXELS / 32,
    FACE_WORDS = (E * E + 31) / 32,
    BEFORE = 3 * WORDS,
    COMING = 4 * WORDS,
    INNER = COMING + 3 * FACE_WORDS,
    RECORD = INNER + 1,
};

// Stands for a missing neighbor, by its sign.
const u32 MISSING_OUTSIDE = 0xffffffffu, MISSING_INSIDE = 0xfffffffeu;

// What the host looks at; zero at the start.
struct Found {
    u64 vertices, triangles;
    u32 is_cut_off;  // phi changes its sign between two missing tiles
    u32 padding;
};

// src/surface/cubes/cuda/state.rs lays it out.
struct TileSurface {
    const stored* phi;
    u32* records;         // [tiles][RECORD]
    u32* vertices_of;     // [tiles]
    u32* triangles_of;    // [tiles]
    u32* first_vertex;    // [tiles + 1]
    u32* first_triangle;  // [tiles + 1]
    Found* found;
    double* vertices;     // [..][3]
    double* normals;      // [..][3], or null
    u32* triangles;       // [..][3]
    double gamma, spacing;
    double origin[3];
};

#ifdef TILE_SURFACE_BYTES
static_assert(sizeof(TileSurface) == TILE_SURFACE_BYTES, "the host lays out the same");
#endif

// What a warp needs of shared memory.
struct Room {
    u32 near[DIRECTIONS], ids[DIRECTIONS];  // places in the list, and ids; or which sign is missing
    u32 record[RECORD];
    u16 inside[ROWS], gaps[ROWS];
};

// A tile with what is round it.
struct Block {
    const TileSurface& s;
    Room& room;
    u32 list, p;
    u32 present;  // with the tile itself
    real gamma;

    // The whole warp comes.
    DEVICE Block(const TileGrid& g, const TileSurface& s, Room& room, u32 p)
        : s(s), room(room), list(g.control->list), p(p), present(g.present[p] | ACTIVE), gamma(R(s.gamma)) {
        const u32 row = lane_of_thread();
        if (row < TILE_ROWS) {
            const u32 border = g.borders[list][p], bits = bits_of_row(present, row);
            const u32 begin = row_of(g, row, p, present);
#pragma unroll
            for (u32 k = 0; k < 3; k++) {
                const u32 d = 3 * row + k;
                u32 at = border >> d & 1 ? MISSING_INSIDE : MISSING_OUTSIDE, id = at;
                if (bits >> k & 1) {
                    at = begin + __popc(bits & ((1u << k) - 1));
                    id = g.ids[list][at];
                }
                room.near[d] = at;
                room.ids[d] = id;
            }
        }
        __syncwarp();
    }

    // phi at a place at most two voxels beyond the tile.
    DEVICE real at(const i32 (&place)[3]) const {
        u32 d = CENTER, k = 0;
#pragma unroll
        for (i32 axis = 2; axis >= 0; axis--) {
            const i32 c = place[axis], step = axis == 0 ? 1 : axis == 1 ? 3 : 9;
            d += c < 0 ? -step : c >= E ? step : 0;
            k = k * E + (u32)(c & (E - 1));
        }
        const u32 id = room.ids[d];
        if (id >= MISSING_INSIDE) return id == MISSING_INSIDE ? -gamma : gamma;
        return load_value(s.phi[(u64)id * VOXELS + k], gamma);
    }

    // Finds which voxels are inside, and which are no numbers; false where all are on one side. The whole warp comes.
    DEVICE bool read() const {
        bool some_in = false, some_out = false;
        for (u32 r = lane_of_thread(); r < ROWS; r += WARP) {
            const i32 y = (i32)(r % SIDE) - 1, z = (i32)(r / SIDE) - 1;
            const u32 d = CENTER + (y < 0 ? -3 : y >= E ? 3 : 0) + (z < 0 ? -9 : z >= E ? 9 : 0);
            const u32 from = E * ((y & (E - 1)) + E * (z & (E - 1)));
            u32 inside = 0, gaps = 0;
            const auto note = [&](stored value, u32 bit) {
                const real phi = load_value(value, gamma);
                inside |= (u32)(phi < R(0)) << bit;
                gaps |= (u32)(phi != phi) << bit;
            };
#pragma unroll
            for (u32 k = 0; k < 3; k++) {
                const u32 id = room.ids[d + k - 1];
                const u32 bits = k == 0 ? 1 : k == 1 ? ((1u << E) - 1) << 1 : 1u << (E + 1);
                const stored* values = s.phi + (u64)id * VOXELS + from;
                if (id >= MISSING_INSIDE) {
                    inside |= id == MISSING_INSIDE ? bits : 0;
                } else if (k == 1) {
#pragma unroll
                    for (u32 q = 0; q < E / QUAD; q++) {
                        const Quad quad = ((const Quad*)values)[q];
#pragma unroll
                        for (u32 i = 0; i < QUAD; i++) note(quad.v[i], 1 + QUAD * q + i);
                    }
                } else {
                    note(values[k == 0 ? E - 1 : 0], k == 0 ? 0 : E + 1);
                }
            }
            room.inside[r] = (u16)inside;
            room.gaps[r] = (u16)gaps;
            some_in = some_in || inside != 0;
            some_out = some_out || inside != (1u << (E + 2)) - 1;
        }
        __syncwarp();
        return __any_sync(0xffffffffu, some_in) && __any_sync(0xffffffffu, some_out);
    }

    // Bits of the voxels of a row that are in missing tiles.
    DEVICE u32 absent(u32 row) const {
        const i32 y = (i32)(row % SIDE) - 1, z = (i32)(row / SIDE) - 1;
        const u32 d = CENTER + (y < 0 ? -3 : y >= E ? 3 : 0) + (z < 0 ? -9 : z >= E ? 9 : 0);
        const u32 there = present >> (d - 1);
        return (there & 1 ? 0 : 1) | (there & 2 ? 0 : ((1u << E) - 1) << 1) | (there & 4 ? 0 : 1u << (E + 1));
    }
};

// A row of cubes along x, bit x + 1 for the cube whose lowest corner is voxel x.
struct Cubes {
    i32 y, z;
    u32 inside[4];  // of the voxels at (y, z), (y + 1, z), (y, z + 1) and (y + 1, z + 1)
    u32 cut;        // that the surface passes, which belong to the tile, and all of whose corners are numbers
    u32 cut_off;    // those of them with a crossing between two missing tiles

    DEVICE Cubes(const Block& b, u32 row) : y((i32)(row % CUBE_SIDE) - 1), z((i32)(row / CUBE_SIDE) - 1), cut(0), cut_off(0) {
        if (row >= CUBE_ROWS) return;
        const u32 first = SIDE * (z + 1) + y + 1;
        u32 any = 0, every = ~0u, gaps = 0, absent[4];
#pragma unroll
        for (u32 k = 0; k < 4; k++) {
            const u32 r = first + (k & 1) + SIDE * (k >> 1);
            inside[k] = b.room.inside[r];
            any |= inside[k] | inside[k] >> 1;
            every &= inside[k] & inside[k] >> 1;
            gaps |= b.room.gaps[r] | b.room.gaps[r] >> 1;
        }
        cut = any & ~every & ~gaps & ((1u << CUBE_SIDE) - 1);
        if (cut == 0) return;
        // Neighbors that hold corners, of those before this tile in the list: as products of steps.
        const u32 ys = (y < 0 ? 1u : 0) | 1u << 3 | (y == E - 1 ? 1u << 6 : 0);
        const u32 zs = (z < 0 ? 1u : 0) | 1u << 9 | (z == E - 1 ? 1u << 18 : 0);
        const u32 before = present_before(b);
        if (3 * ys * zs & before) cut &= ~1u;
        if (2 * ys * zs & before) cut &= ~(((1u << (E - 1)) - 1) << 1);
        if (6 * ys * zs & before) cut &= ~(1u << E);
        if (cut == 0 || (y >= 0 && y < E - 1 && z >= 0 && z < E - 1 && (b.present >> (CENTER - 1) & 5) == 5)) return;
        u32 bad = 0;
#pragma unroll
        for (u32 k = 0; k < 4; k++) {
            absent[k] = b.absent(first + (k & 1) + SIDE * (k >> 1));
            bad |= (inside[k] ^ inside[k] >> 1) & absent[k] & absent[k] >> 1;
        }
#pragma unroll
        for (u32 k = 0; k < 2; k++) {
            const u32 along_y = (inside[2 * k] ^ inside[2 * k + 1]) & absent[2 * k] & absent[2 * k + 1];
            const u32 along_z = (inside[k] ^ inside[k + 2]) & absent[k] & absent[k + 2];
            bad |= along_y | along_y >> 1 | along_z | along_z >> 1;
        }
        cut_off = bad & cut;
    }

    DEVICE static u32 present_before(const Block& b) { return b.present & ((1u << CENTER) - 1); }

    DEVICE u32 case_at(u32 bit) const {
        u32 found = 0;
#pragma unroll
        for (u32 k = 0; k < 4; k++) found |= (inside[k] >> bit & 3) << (2 * k);
        return found;
    }
};

// Marks the crossings that belong to the tile and says how many there are. The whole warp comes.
DEVICE u32 mark_crossings(const Block& b) {
    Room& room = b.room;
    const u32 lane = lane_of_thread(), full = (1u << E) - 1;
    for (u32 k = lane; k < RECORD; k += WARP) room.record[k] = 0;
    __syncwarp();
    for (u32 n = lane; n < E * E; n += WARP) {
        const u32 y = n % E, z = n / E, r = SIDE * (z + 1) + y + 1;
        const u32 in = room.inside[r], gap = room.gaps[r];
        const u32 place = E * (y + E * z), word = place / 32, shift = place % 32;
        const auto crossed = [&](u32 other, u32 by) {
            return ((in ^ room.inside[other] >> by) & ~(gap | room.gaps[other] >> by)) >> 1 & full;
        };
        const u32 along[3] = {crossed(r, 1), crossed(r + 1, 0), crossed(r + SIDE, 0)};
#pragma unroll
        for (u32 a = 0; a < 3; a++) {
            if (along[a]) atomicOr(&room.record[a * WORDS + word], along[a] << shift);
        }
        // From missing tiles below: along x into this row, along y and z into the first rows.
        u32* coming = room.record + COMING;
        if (!(b.present >> (CENTER - 1) & 1) && ((in ^ in >> 1) & ~(gap | gap >> 1) & 1)) {
            const u32 at = y + E * z;
            atomicOr(&coming[at / 32], 1u << at % 32);
        }
        if (y == 0 && !(b.present >> (CENTER - 3) & 1)) {
            for (u32 bits = crossed(r - 1, 0); bits != 0; bits &= bits - 1) {
                const u32 at = z + E * (__ffs(bits) - 1);
                atomicOr(&coming[FACE_WORDS + at / 32], 1u << at % 32);
            }
        }
        if (z == 0 && !(b.present >> (CENTER - 9) & 1)) {
            const u32 at = E * y;
            atomicOr(&coming[2 * FACE_WORDS + at / 32], crossed(r - SIDE, 0) << at % 32);
        }
    }
    __syncwarp();
    u32 n = 0;
    if (lane < WORDS) {
        for (u32 a = 0; a < 3; a++) n += __popc(room.record[a * WORDS + lane]);
    }
    const u32 upto = inclusive_scan_of_warp(n);
    if (lane < WORDS) room.record[BEFORE + lane] = upto - n;
    const u32 inner = __shfl_sync(0xffffffffu, upto, WARP - 1);
    if (lane == 0) room.record[INNER] = inner;
    __syncwarp();
    u32 all = inner;
    for (u32 k = 0; k < 3 * FACE_WORDS; k++) all += __popc(room.record[COMING + k]);
    return all;
}

// Number of a crossing among those of its tile: along axis `a` from a voxel of the tile.
DEVICE u32 rank_of(const u32* record, u32 voxel, u32 a) {
    const u32 word = voxel / 32, bit = voxel % 32, below = (1u << bit) - 1;
    const u32 x = record[word], y = record[WORDS + word], z = record[2 * WORDS + word];
    const u32 before = record[BEFORE + word] + __popc(x & below) + __popc(y & below) + __popc(z & below);
    return before + (a > 0 ? x >> bit & 1 : 0) + (a > 1 ? y >> bit & 1 : 0);
}

// The same of one that comes in along axis `a` at a place of the face.
DEVICE u32 rank_of_coming(const u32* record, u32 place, u32 a) {
    u32 rank = record[INNER];
    for (u32 k = 0; k < a * FACE_WORDS + place / 32; k++) rank += __popc(record[COMING + k]);
    return rank + __popc(record[COMING + a * FACE_WORDS + place / 32] & ((1u << place % 32) - 1));
}

// Counts the vertices and triangles of each tile.
//
// Grid: any. Block: 128 threads.
//
// cases   [256] edges of the corners of a case, four bits each, and how many triangles in the four highest bits
extern "C" __global__ void __launch_bounds__(BLOCK, RESIDENT(4)) cubes_count(TileGrid g, TileSurface s, const u64* cases) {
    __shared__ Room rooms[WARPS];
    __shared__ u8 triangles_of[256];
    for (u32 k = threadIdx.x; k < 256; k += BLOCK) triangles_of[k] = (u8)(cases[k] >> 60);
    __syncthreads();
    const u32 n_tiles = g.control->n_tiles, n_warps = gridDim.x * WARPS;
    u64 all_vertices = 0, all_triangles = 0;
    bool is_cut_off = false;
    for (u32 p = blockIdx.x * WARPS + warp_of_thread(); p < n_tiles; p += n_warps) {
        const Block b(g, s, rooms[warp_of_thread()], p);
        u32 vertices = 0, triangles = 0;
        if (b.read()) {
            vertices = mark_crossings(b);
            for (u32 k = lane_of_thread(); k < RECORD; k += WARP) s.records[(u64)p * RECORD + k] = b.room.record[k];
            for (u32 row = lane_of_thread(); row < CUBE_ROWS; row += WARP) {
                const Cubes cubes(b, row);
                for (u32 cut = cubes.cut; cut != 0; cut &= cut - 1) {
                    triangles += triangles_of[cubes.case_at(__ffs(cut) - 1)];
                }
                is_cut_off = is_cut_off || cubes.cut_off != 0;
            }
            __syncwarp();
            for (u32 by = WARP / 2; by > 0; by /= 2) triangles += __shfl_xor_sync(0xffffffffu, triangles, by);
        }
        if (lane_of_thread() == 0) {
            s.vertices_of[p] = vertices;
            s.triangles_of[p] = triangles;
        }
        all_vertices += vertices;
        all_triangles += triangles;
    }
    if (is_cut_off) atomicOr(&s.found->is_cut_off, 1u);
    if (lane_of_thread() == 0 && all_vertices + all_triangles > 0) {
        atomicAdd(&s.found->vertices, all_vertices);
        atomicAdd(&s.found->triangles, all_triangles);
    }
}

// The gradient of phi at a place, per voxel.
DEVICE void central(const Block& b, const i32 (&place)[3], double (&gradient)[3]) {
#pragma unroll
    for (u32 k = 0; k < 3; k++) {
        i32 above[3] = {place[0], place[1], place[2]}, below[3] = {place[0], place[1], place[2]};
        above[k]++;
        below[k]--;
        gradient[k] = 0.5 * ((double)b.at(above) - (double)b.at(below));
    }
}

// Writes a vertex on the edge from `low` along axis `a`.
DEVICE void write_vertex(const Block& b, const i32 (&corner)[3], const i32 (&low)[3], u32 a, u64 number) {
    const i32 high[3] = {low[0] + (a == 0), low[1] + (a == 1), low[2] + (a == 2)};
    const double f = (double)b.at(low), g = (double)b.at(high), t = f / (f - g);
    const TileSurface& s = b.s;
#pragma unroll
    for (u32 k = 0; k < 3; k++) {
        const double at = (double)(corner[k] + low[k]);
        s.vertices[3 * number + k] = s.origin[k] + s.spacing * (a == k ? at + t : at);
    }
    if (!s.normals) return;
    double here[3], there[3];
    central(b, low, here);
    central(b, high, there);
#pragma unroll
    for (u32 k = 0; k < 3; k++) here[k] = here[k] * (1.0 - t) + there[k] * t;
    const double length = sqrt(here[0] * here[0] + here[1] * here[1] + here[2] * here[2]);
#pragma unroll
    for (u32 k = 0; k < 3; k++) s.normals[3 * number + k] = here[k] / length;
}

// Vertices of a tile: those on edges from its voxels, then those that come in.
DEVICE void write_vertices(const Block& b, u64 key) {
    const i32 corner[3] = {coordinate_of(key, 0) * E, coordinate_of(key, 1) * E, coordinate_of(key, 2) * E};
    const u32* record = b.room.record;
    const u32 lane = lane_of_thread();
    const u64 first = b.s.first_vertex[b.p];
    for (u32 n = lane; n < VOXELS; n += WARP) {
        const i32 low[3] = {(i32)(n % E), (i32)(n / E % E), (i32)(n / (E * E))};
        for (u32 a = 0; a < 3; a++) {
            if (record[a * WORDS + n / 32] >> n % 32 & 1) write_vertex(b, corner, low, a, first + rank_of(record, n, a));
        }
    }
    for (u32 n = lane; n < 3 * E * E; n += WARP) {
        const u32 a = n / (E * E), place = n % (E * E);
        if (!(record[COMING + a * FACE_WORDS + place / 32] >> place % 32 & 1)) continue;
        const i32 u = (i32)(place % E), w = (i32)(place / E);
        const i32 low[3] = {a == 0 ? -1 : a == 1 ? w : u, a == 0 ? u : a == 1 ? -1 : w, a == 0 ? w : a == 1 ? u : -1};
        write_vertex(b, corner, low, a, first + rank_of_coming(record, place, a));
    }
}

// The tile that a place at most one voxel beyond this one lies in.
DEVICE u32 tile_at(const Block& b, const i32 (&place)[3]) {
    u32 d = CENTER;
#pragma unroll
    for (u32 k = 0; k < 3; k++) {
        const i32 step = k == 0 ? 1 : k == 1 ? 3 : 9;
        d += place[k] < 0 ? -step : place[k] >= E ? step : 0;
    }
    return b.room.near[d];
}

// Number of the vertex on edge `e` of the cube whose lowest corner is `cube`.
DEVICE u32 vertex_on(const Block& b, const i32 (&cube)[3], u32 e) {
    const u32 a = e / 4, side = e % 4;
    i32 place[3] = {cube[0], cube[1], cube[2]};
#pragma unroll
    for (u32 k = 0; k < 3; k++) {
        if (k == (a + 1) % 3) place[k] += side & 1;
        if (k == (a + 2) % 3) place[k] += side >> 1;
    }
    u32 p = tile_at(b, place);
    const bool comes_in = p >= MISSING_INSIDE;
    if (comes_in) {
#pragma unroll
        for (u32 k = 0; k < 3; k++) place[k] += k == a;
        p = tile_at(b, place);
        // Of a surface that is cut off; the host has refused it.
        if (p >= MISSING_INSIDE) return 0;
    }
    const u32 x = place[0] & (E - 1), y = place[1] & (E - 1), z = place[2] & (E - 1);
    const u32* record = b.s.records + (u64)p * RECORD;
    const u32 face = a == 0 ? y + E * z : a == 1 ? z + E * x : x + E * y;
    const u32 rank = comes_in ? rank_of_coming(record, face, a) : rank_of(record, x + E * (y + E * z), a);
    return b.s.first_vertex[p] + rank;
}

// Triangles of a tile.
DEVICE void write_triangles(const Block& b, const u64* cases) {
    u32 begun = b.s.first_triangle[b.p];
    for (u32 start = 0; start < CUBE_ROWS; start += WARP) {
        const Cubes cubes(b, start + lane_of_thread());
        u32 n = 0;
        for (u32 cut = cubes.cut; cut != 0; cut &= cut - 1) n += (u32)(cases[cubes.case_at(__ffs(cut) - 1)] >> 60);
        const u32 upto = inclusive_scan_of_warp(n);
        u64 at = 3 * (u64)(begun + upto - n);
        for (u32 cut = cubes.cut; cut != 0; cut &= cut - 1) {
            const u32 bit = __ffs(cut) - 1;
            const i32 cube[3] = {(i32)bit - 1, cubes.y, cubes.z};
            u64 edges = cases[cubes.case_at(bit)];
            for (u64 end = at + 3 * (edges >> 60); at < end; at++, edges >>= 4) {
                b.s.triangles[at] = vertex_on(b, cube, (u32)edges & 15);
            }
        }
        begun += __shfl_sync(0xffffffffu, upto, WARP - 1);
    }
}

// Writes the vertices and triangles of each tile.
//
// Grid: any. Block: 128 threads.
extern "C" __global__ void __launch_bounds__(BLOCK, RESIDENT(4)) cubes_generate(TileGrid g, TileSurface s, const u64* cases) {
    __shared__ Room rooms[WARPS];
    __shared__ u64 all_cases[256];
    for (u32 k = threadIdx.x; k < 256; k += BLOCK) all_cases[k] = cases[k];
    __syncthreads();
    const u32 n_tiles = g.control->n_tiles, n_warps = gridDim.x * WARPS;
    for (u32 p = blockIdx.x * WARPS + warp_of_thread(); p < n_tiles; p += n_warps) {
        const bool has_vertices = s.first_vertex[p + 1] != s.first_vertex[p];
        if (!has_vertices && s.first_triangle[p + 1] == s.first_triangle[p]) continue;
        const Block b(g, s, rooms[warp_of_thread()], p);
        b.read();
        for (u32 k = lane_of_thread(); k < RECORD; k += WARP) b.room.record[k] = s.records[(u64)p * RECORD + k];
        __syncwarp();
        if (has_vertices) write_vertices(b, g.keys[b.list][p]);
        write_triangles(b, all_cases);
        __syncwarp();
    }
}
