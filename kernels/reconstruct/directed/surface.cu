// Marching cubes over the tiles of directed distances, and vertex attributes that come from
// samples. The counterpart of src/surface/cubes/extract.rs (here, values are missing outside the
// tiles) and of src/reconstruct/directed/vertex_attributes.rs.
//
// The order is surface_count, two scans, surface_vertices, surface_triangles, parts_join
// (surface/parts.cu), surface_near, surface_drop. Vertices are ordered by tile, then by
// the lower ends of their edges, then by axis. Triangles are ordered by tile, then by cube.
#include "reconstruct/directed/lattice.cuh"
#include "primitives/disjoint_sets.cuh"

// Bytes per row of the case table: the number of triangles, then the edges of their corners.
enum : u32 { CASE = 16 };

// Number of vertices along an axis of a tile, including one vertex of the next tile.
enum : u32 { HIGH = EDGE + 1 };

// Loads the neighbors of a tile and the values of its vertices, including those one step beyond the
// tile along each axis.
DEVICE void load_tile(const Distances& of, u32 (&tiles)[27], float (&values)[HIGH * HIGH * HIGH]) {
    if (threadIdx.x < 27) tiles[threadIdx.x] = of.around[27 * (u64)blockIdx.x + threadIdx.x];
    __syncthreads();
    for (u32 k = threadIdx.x; k < HIGH * HIGH * HIGH; k += BLOCK) {
        const Neighbor at = vertex_at(tiles, {(i32)(k % HIGH), (i32)(k / HIGH % HIGH), (i32)(k / (HIGH * HIGH))});
        values[k] = at.tile == NONE ? __uint_as_float(0x7fc00000u) : of.values[number_of(at)];
    }
    __syncthreads();
}

// Returns the index of a vertex among the values of a tile. Steps along the axes are 1, HIGH and
// HIGH^2.
DEVICE u32 place_of(const Place& at) { return at.x + HIGH * (at.y + HIGH * at.z); }

DEVICE u32 stride(u32 axis) { return axis == 0 ? 1 : axis == 1 ? HIGH : HIGH * HIGH; }

DEVICE bool is_crossed(float f, float g) { return (f < 0.0f) != (g < 0.0f) && !is_nan(f) && !is_nan(g); }

// Returns the crossed edges that start at a vertex, as bits. Bit a is set if the edge along axis a
// is crossed.
DEVICE u32 crossed_edges(const float* at) {
    u32 crossed = 0;
    for (u32 a = 0; a < 3; a++) crossed |= (u32)is_crossed(at[0], at[stride(a)]) << a;
    return crossed;
}

// Returns the corners of a cube that are inside, as bits, or 0 if a value is missing.
DEVICE u32 case_of(const float* at) {
    u32 inside = 0, missing = 0;
    for (u32 c = 0; c < 8; c++) {
        const float value = at[(c & 1) + HIGH * (c >> 1 & 1) + HIGH * HIGH * (c >> 2)];
        inside |= (u32)(value < 0.0f) << c;
        missing |= is_nan(value);
    }
    return missing ? 0 : inside;
}

// Counts the vertices and triangles of each tile.
//
// Grid: one block per tile. Block: 512 threads. Shared memory: 3.1 KB.
//
// cases                    [256][16]
// firsts                   for each lattice vertex: 8 times the number of vertices before it in its
//                          tile, plus the bits of its crossed edges, [n][512]
// n_vertices, n_triangles  [n]
extern "C" __global__ void __launch_bounds__(BLOCK, 1)
surface_count(Distances distances, const u8* cases, u32* firsts, u32* n_vertices, u32* n_triangles) {
    __shared__ u32 tiles[27];
    __shared__ float values[HIGH * HIGH * HIGH];
    __shared__ u32 warp_sums[WARPS];
    load_tile(distances, tiles, values);
    const float* at = values + place_of(within(threadIdx.x));
    const u32 crossed = crossed_edges(at);
    // Both counts share one word, because they are below 2^16.
    u32 sum;
    const u32 before = exclusive_scan_of_block(__popc(crossed) | (u32)cases[CASE * case_of(at)] << 16, warp_sums, sum);
    firsts[(u64)blockIdx.x * VERTICES + threadIdx.x] = (before & 0xffff) << 3 | crossed;
    if (threadIdx.x == 0) {
        n_vertices[blockIdx.x] = sum & 0xffff;
        n_triangles[blockIdx.x] = sum >> 16;
    }
}

// Computes the positions of the vertices and their attributes. Each end of an edge has a sample
// that defines its distance. The attributes come from the sample that is nearer to the vertex.
//
// Grid: one block per tile. Block: 512 threads. Shared memory: 3 KB.
//
// keys     keys of the tiles, [n]
// nearest  [n][512]
// firsts   [n][512]
// starts   number of vertices before each tile, [n + 1]
extern "C" __global__ void __launch_bounds__(BLOCK, 1)
surface_vertices(Lattice lattice, Samples samples, Distances distances, const u64* keys, const u32* nearest, const u32* firsts,
                 const u32* starts, Surface surface) {
    __shared__ u32 tiles[27];
    __shared__ float values[HIGH * HIGH * HIGH];
    if (starts[blockIdx.x] == starts[blockIdx.x + 1]) return;
    load_tile(distances, tiles, values);
    const u32 first = firsts[(u64)blockIdx.x * VERTICES + threadIdx.x];
    if ((first & 7) == 0) return;
    u64 vertex = starts[blockIdx.x] + (first >> 3);
    const Place at = within(threadIdx.x);
    const Place tile = tile_of(lattice, keys[blockIdx.x]);
    const float* value = values + place_of(at);
    const Place low = {tile.x * (i32)EDGE + at.x, tile.y * (i32)EDGE + at.y, tile.z * (i32)EDGE + at.z};
    const u32 here = nearest[(u64)blockIdx.x * VERTICES + threadIdx.x];
    for (u32 a = 0; a < 3; a++) {
        if (!(first >> a & 1)) continue;
        const double f = value[0], g = value[stride(a)];
        const double t = f / (f - g);
        const double x = a == 0 ? (double)low.x + t : (double)low.x;
        const double y = a == 1 ? (double)low.y + t : (double)low.y;
        const double z = a == 2 ? (double)low.z + t : (double)low.z;
        const Place next = {at.x + (a == 0), at.y + (a == 1), at.z + (a == 2)};
        const u32 there = nearest[number_of(vertex_at(tiles, next))];
        const i32 lower = a == 0 ? low.x : a == 1 ? low.y : low.z;
        const double along = a == 0 ? x : a == 1 ? y : z;
        // A crossing that is rounded to an end uses only the sample of that end.
        const u32 ends[2] = {floor(along) == (double)lower ? here : there, ceil(along) == (double)lower ? here : there};
        double least = __longlong_as_double(0x7ff0000000000000ll);
        u32 best = NONE, sample = NONE;
        for (u32 e = 0; e < 2; e++) {
            const double* point = samples.places + 3 * (u64)ends[e];
            const double dx = point[0] - x, dy = point[1] - y, dz = point[2] - z;
            const double distance2 = (dx * dx + dy * dy) + dz * dz;
            const u32 number = samples.numbers[ends[e]];
            if (distance2 < least || (distance2 == least && number < best)) {
                least = distance2;
                best = number;
                sample = ends[e];
            }
        }
        const Vector normal = sample == NONE ? Vector{0.0, 0.0, 0.0} : normal_of(samples.normals, best);
        if (normal.x == 0.0 && normal.y == 0.0 && normal.z == 0.0) *surface.without = 1;
        surface.places[3 * vertex] = in_world(x, lattice.center[0], lattice.cube, lattice.size[0]);
        surface.places[3 * vertex + 1] = in_world(y, lattice.center[1], lattice.cube, lattice.size[1]);
        surface.places[3 * vertex + 2] = in_world(z, lattice.center[2], lattice.cube, lattice.size[2]);
        surface.normals[vertex] = normal.x;
        surface.normals[surface.n + vertex] = normal.y;
        surface.normals[2 * surface.n + vertex] = normal.z;
        surface.numbers[vertex] = best;
        surface.near[vertex] = least <= 0.25;
        surface.names[vertex] = NO_SET;
        vertex++;
    }
}

// Functions that return the axis of an edge of a cube, and the corner of the cube at the lower end
// of the edge. Edges are numbered as in src/surface/cubes/tables.rs.
DEVICE u32 axis_of(u32 edge) { return edge / 4; }

DEVICE u32 lower_end(u32 edge) {
    const u32 a = edge / 4, side = edge % 4;
    return (side & 1) << (a == 2 ? 0 : a + 1) | (side >> 1) << (a == 0 ? 2 : a - 1);
}

// Writes the triangles, and creates a set for each vertex that is a corner of a triangle.
//
// Grid: one block per tile. Block: 512 threads. Shared memory: 3.1 KB.
//
// cases            [256][16]
// firsts           [n][512]
// starts           number of vertices before each tile, [n + 1]
// triangle_starts  number of triangles before each tile, [n + 1]
// corners          corners of the triangles, [n_triangles][3]
// names            [n_vertices]
extern "C" __global__ void __launch_bounds__(BLOCK, 1)
surface_triangles(Distances distances, const u8* cases, const u32* firsts, const u32* starts, const u32* triangle_starts,
                  u32* corners, u32* names) {
    __shared__ u32 tiles[27];
    __shared__ float values[HIGH * HIGH * HIGH];
    __shared__ u32 warp_sums[WARPS];
    if (triangle_starts[blockIdx.x] == triangle_starts[blockIdx.x + 1]) return;
    load_tile(distances, tiles, values);
    const Place at = within(threadIdx.x);
    const u8* drawn = cases + CASE * case_of(values + place_of(at));
    const u32 n = drawn[0];
    u32 sum;
    u64 next = 3 * (u64)(triangle_starts[blockIdx.x] + exclusive_scan_of_block(n, warp_sums, sum));
    for (u32 k = 0; k < 3 * n; k++) {
        const u32 edge = drawn[1 + k], c = lower_end(edge), a = axis_of(edge);
        const Neighbor owner = vertex_at(tiles, {at.x + (i32)(c & 1), at.y + (i32)(c >> 1 & 1), at.z + (i32)(c >> 2)});
        const u32 first = firsts[number_of(owner)];
        const u32 vertex = starts[owner.tile] + (first >> 3) + (u32)__popc(first & ((1u << a) - 1));
        corners[next++] = vertex;
        names[vertex] = vertex;
    }
}

// Gives each vertex the name of its component, and marks components that have a sample nearby.
//
// Grid and block: any number of threads, which share the vertices. Shared memory: none.
//
// near, names  [n]
// kept         zero at the start, [n]
extern "C" __global__ void surface_near(const u8* near, u32 n, u32* names, u8* kept) {
    const u64 threads = (u64)gridDim.x * blockDim.x;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) {
        if (names[i] == NO_SET) continue;
        const u32 name = settled(names, (u32)i);
        names[i] = name;
        if (near[i]) kept[name] = 1;
    }
}

// Counts the components that are not marked.
//
// Grid and block: any number of threads, which share the vertices. Shared memory: none.
//
// names, kept  [n]
// dropped      the count is added to it
extern "C" __global__ void surface_drop(const u32* names, const u8* kept, u32 n, u32* dropped) {
    const u64 threads = (u64)gridDim.x * blockDim.x;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) {
        if (names[i] == i && !kept[i]) atomicAdd(dropped, 1u);
    }
}
