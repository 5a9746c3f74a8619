// Writes the vertices and triangles of a tile.
#pragma once
#include "surface/cubes/crossings.cuh"

// Computes the gradient of phi at a position, in units of phi per voxel.
DEVICE void central(const Block& b, const i32 (&place)[3], double (&gradient)[3]) {
#pragma unroll
    for (u32 k = 0; k < 3; k++) {
        i32 above[3] = {place[0], place[1], place[2]}, below[3] = {place[0], place[1], place[2]};
        above[k]++;
        below[k]--;
        gradient[k] = 0.5 * ((double)b.at(above) - (double)b.at(below));
    }
}

// Writes the vertex on the edge from `low` along axis `a`.
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

// Writes the vertices of a tile. Vertices on edges from its voxels come first, then those on edges
// that enter from missing tiles below.
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

// Returns the list position of the tile that contains a place at most one voxel beyond this tile,
// or MISSING_INSIDE or MISSING_OUTSIDE.
DEVICE u32 tile_at(const Block& b, const i32 (&place)[3]) {
    u32 d = CENTER;
#pragma unroll
    for (u32 k = 0; k < 3; k++) {
        const i32 step = k == 0 ? 1 : k == 1 ? 3 : 9;
        d += place[k] < 0 ? -step : place[k] >= E ? step : 0;
    }
    return b.room.near[d];
}

// Returns the index of the vertex on edge `e` of the cube whose lowest corner is `cube`.
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
        // This happens only if the surface is cut off. The host has already rejected such a
        // surface.
        if (p >= MISSING_INSIDE) return 0;
    }
    const u32 x = place[0] & (E - 1), y = place[1] & (E - 1), z = place[2] & (E - 1);
    const u32* record = b.s.records + (u64)p * RECORD;
    const u32 face = a == 0 ? y + E * z : a == 1 ? z + E * x : x + E * y;
    const u32 rank = comes_in ? rank_of_coming(record, face, a) : rank_of(record, x + E * (y + E * z), a);
    return b.s.first_vertex[p] + rank;
}

// Writes the triangles of a tile.
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
