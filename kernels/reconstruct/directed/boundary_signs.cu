// Corrects signs at the boundary of the field. The counterpart of
// src/reconstruct/directed/boundary_signs.rs.
//
// The order is boundary_signs_border, then in each round boundary_signs_join, boundary_signs_sizes,
// boundary_signs_mark and boundary_signs_turn. boundary_signs_again prepares the next round. A
// patch is a connected set of boundary vertices on the same side of the surface. Vertices are
// numbered tile by tile. The name of a patch is its smallest vertex, so names do not depend on the
// order of threads.
#include "reconstruct/directed/lattice.cuh"
#include "primitives/disjoint_sets.cuh"

// A patch changes sides if an adjacent patch on the other side is more than this many times as
// large.
enum : u32 { RATIO = 20 };
// A bit above the size of a patch, which is below 2^31. It is set if the patch changes sides.
const u32 SMALL = 1u << 31;

// The number of positions along an axis of a tile with a layer of one vertex around it.
enum : u32 { WIDE = EDGE + 2 };

DEVICE void load_around(const u32* around, u32 (&tiles)[27]) {
    if (threadIdx.x < 27) tiles[threadIdx.x] = around[27 * (u64)blockIdx.x + threadIdx.x];
    __syncthreads();
}

// Names every boundary vertex after itself, and sets the names of the others to NO_SET. A boundary
// vertex has a distance and a neighbor without a distance.
//
// Grid: one block per tile. Block: 512 threads. Shared memory: 1.1 KB.
//
// values  [n][512]
// around  [n][27]
// names   [n][512]
extern "C" __global__ void __launch_bounds__(BLOCK, 1)
boundary_signs_border(const float* values, const u32* around, u32* names) {
    __shared__ u32 tiles[27];
    __shared__ u8 known[WIDE * WIDE * WIDE];
    load_around(around, tiles);
    for (u32 k = threadIdx.x; k < WIDE * WIDE * WIDE; k += BLOCK) {
        const Place at = {(i32)(k % WIDE) - 1, (i32)(k / WIDE % WIDE) - 1, (i32)(k / (WIDE * WIDE)) - 1};
        const Neighbor other = vertex_at(tiles, at);
        known[k] = other.tile != NONE && !is_nan(values[number_of(other)]);
    }
    __syncthreads();
    const Place at = within(threadIdx.x);
    u32 all = 1;
    for (u32 d = 0; d < 27; d++) {
        all &= known[(at.x + d % 3) + WIDE * ((at.y + d / 3 % 3) + WIDE * (at.z + d / 9))];
    }
    const u32 own = known[(at.x + 1) + WIDE * ((at.y + 1) + WIDE * (at.z + 1))];
    const u32 vertex = blockIdx.x * VERTICES + threadIdx.x;
    names[vertex] = own && !all ? vertex : NO_SET;
}

// Joins adjacent boundary vertices on the same side of the surface.
//
// Grid: one block per tile. Block: 512 threads. Shared memory: 108 bytes.
//
// values, names  [n][512]
// around         [n][27]
extern "C" __global__ void __launch_bounds__(BLOCK, 1)
boundary_signs_join(const float* values, const u32* around, u32* names) {
    __shared__ u32 tiles[27];
    load_around(around, tiles);
    const u32 vertex = blockIdx.x * VERTICES + threadIdx.x;
    if (names[vertex] == NO_SET) return;
    const bool is_inside = values[vertex] < 0.0f;
    const Place at = within(threadIdx.x);
    // Each pair is examined from only one of its ends.
    for (u32 d = 14; d < 27; d++) {
        const Neighbor other = vertex_at(tiles, beside(at, step(d)));
        if (other.tile == NONE) continue;
        const u32 number = number_of(other);
        if (names[number] != NO_SET && (values[number] < 0.0f) == is_inside) join_sets<InGlobal>(names, vertex, number);
    }
}

// Counts the vertices of each patch, and gives each boundary vertex the name of its patch.
//
// Grid: one block per tile. Block: 512 threads. Shared memory: none.
//
// names  [n][512]
// sizes  zero at the start, [n][512]
extern "C" __global__ void __launch_bounds__(BLOCK, 1) boundary_signs_sizes(u32* names, u32* sizes) {
    const u32 vertex = blockIdx.x * VERTICES + threadIdx.x;
    u32 name = names[vertex];
    if (name != NO_SET) names[vertex] = name = settled(names, name);
    // Most vertices of a warp belong to few patches, so the vertices of each patch are counted
    // together.
    for (u32 rest; (rest = __ballot_sync(0xffffffffu, name != NO_SET)) != 0;) {
        const u32 leader = __ffs((i32)rest) - 1;
        const u32 first = __shfl_sync(0xffffffffu, name, leader);
        const u32 same = __ballot_sync(0xffffffffu, name == first);
        if (lane_of_thread() == leader) atomicAdd(&sizes[first], (u32)__popc(same));
        if (name == first) name = NO_SET;
    }
}

// Marks patches that are small compared with an adjacent patch on the other side.
//
// Grid: one block per tile. Block: 512 threads. Shared memory: 108 bytes.
//
// values, names, sizes  [n][512]
// around                [n][27]
extern "C" __global__ void __launch_bounds__(BLOCK, 1)
boundary_signs_mark(const float* values, const u32* around, const u32* names, u32* sizes) {
    __shared__ u32 tiles[27];
    load_around(around, tiles);
    const u32 vertex = blockIdx.x * VERTICES + threadIdx.x;
    const u32 name = names[vertex];
    if (name == NO_SET) return;
    const bool is_inside = values[vertex] < 0.0f;
    const Place at = within(threadIdx.x);
    for (u32 d = 14; d < 27; d++) {
        const Neighbor other = vertex_at(tiles, beside(at, step(d)));
        if (other.tile == NONE) continue;
        const u32 number = number_of(other), its_name = names[number];
        if (its_name == NO_SET || (values[number] < 0.0f) == is_inside) continue;
        const u64 size = sizes[name] & ~SMALL, its_size = sizes[its_name] & ~SMALL;
        if (RATIO * size < its_size) atomicOr(&sizes[name], SMALL);
        if (RATIO * its_size < size) atomicOr(&sizes[its_name], SMALL);
    }
}

// Moves the vertices of marked patches to the other side.
//
// Grid: one block per tile. Block: 512 threads. Shared memory: none.
//
// values, names, sizes  [n][512]
// turned                the number of these vertices is added to it
extern "C" __global__ void __launch_bounds__(BLOCK, 1)
boundary_signs_turn(float* values, const u32* names, const u32* sizes, u32* turned) {
    const u32 vertex = blockIdx.x * VERTICES + threadIdx.x;
    const u32 name = names[vertex];
    const bool turns = name != NO_SET && (sizes[name] & SMALL) != 0;
    if (turns) {
        const float value = values[vertex];
        // Zero counts as outside. It becomes minus the smallest normal number.
        values[vertex] = value == 0.0f ? __uint_as_float(0x80800000u) : -value;
    }
    const u32 count = (u32)__syncthreads_count(turns);
    if (threadIdx.x == 0 && count > 0) atomicAdd(turned, count);
}

// Names every boundary vertex after itself again, and clears the sizes.
//
// Grid: one block per tile. Block: 512 threads. Shared memory: none.
//
// names, sizes  [n][512]
extern "C" __global__ void __launch_bounds__(BLOCK, 1) boundary_signs_again(u32* names, u32* sizes) {
    const u32 vertex = blockIdx.x * VERTICES + threadIdx.x;
    if (names[vertex] != NO_SET) names[vertex] = vertex;
    sizes[vertex] = 0;
}
