// Connected components of a surface of triangles: the component of each vertex, the extent of each
// component, and the surface without removed components. The counterpart of
// src/surface/connected_parts.rs.
//
// The order is parts_alone, parts_use, parts_join, parts_settle and a scan, which numbers
// components by their first vertices. parts_extents and parts_volumes follow. Components are
// removed by parts_kept, parts_kept_triangles, a scan of the results of each, parts_take_vertices
// and parts_take_triangles. Triangles that share a vertex are connected.
//
// variants: REAL=double
#include "common/vector.cuh"
#include "primitives/disjoint_sets.cuh"
#include "generated/parts.cuh"

// Marks every vertex as belonging to no set.
//
// Grid and block: any number of threads, which share the vertices. Shared memory: none.
//
// names  [n]
extern "C" __global__ void parts_alone(u32 n, u32* names) {
    const u64 threads = (u64)gridDim.x * blockDim.x;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) names[i] = NO_SET;
}

// Creates a set for each vertex that is a corner of a triangle.
//
// Grid and block: any number of threads, which share the triangles. Shared memory: none.
//
// corners  [n][3]
// names    [n_vertices]
extern "C" __global__ void parts_use(const u32* corners, u32 n, u32* names) {
    const u64 threads = (u64)gridDim.x * blockDim.x;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) {
        for (u32 k = 0; k < 3; k++) {
            const u32 v = corners[3 * i + k];
            names[v] = v;
        }
    }
}

// Joins the sets of the corners of triangles.
//
// Grid and block: any number of threads, which share the triangles. Shared memory: none.
//
// corners  [n][3]
// names    [n_vertices]
extern "C" __global__ void parts_join(const u32* corners, u32 n, u32* names) {
    const u64 threads = (u64)gridDim.x * blockDim.x;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) {
        const u32 a = corners[3 * i];
        join_sets<InGlobal>(names, a, corners[3 * i + 1]);
        join_sets<InGlobal>(names, a, corners[3 * i + 2]);
    }
}

// Gives each vertex the name of its component, and marks the first vertex of each component.
//
// Grid and block: any number of threads, which share the vertices. Shared memory: none.
//
// names, is_first  [n]
extern "C" __global__ void parts_settle(u32 n, u32* names, u32* is_first) {
    const u64 threads = (u64)gridDim.x * blockDim.x;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) {
        if (names[i] == NO_SET) {
            is_first[i] = 0;
            continue;
        }
        const u32 name = settled(names, (u32)i);
        names[i] = name;
        is_first[i] = name == (u32)i;
    }
}

// Converts numbers to words that sort in the same order. No word is zero.
DEVICE u64 ordered(double x) {
    const u64 bits = to_bits(x);
    return bits >> 63 ? ~bits : bits | 1ull << 63;
}

DEVICE double number_of(u64 ordered) { return from_bits(ordered >> 63 ? ordered & ~(1ull << 63) : ~ordered); }

// The smallest and largest coordinates of those vertices of a warp that are in the same component.
struct Reach {
    u64 high[3], low[3];

    DEVICE void clear() {
        for (u32 k = 0; k < 3; k++) high[k] = low[k] = 0;
    }

    DEVICE void include(const double* x) {
        for (u32 k = 0; k < 3; k++) {
            const u64 word = ordered(x[k]);
            high[k] = word > high[k] ? word : high[k];
            low[k] = ~word > low[k] ? ~word : low[k];
        }
    }

    // Combines the values of all lanes in the first lane. The whole warp must call this.
    DEVICE void gather() {
        for (u32 k = 0; k < 3; k++) {
            for (u32 offset = 16; offset > 0; offset /= 2) {
                const u64 h = __shfl_down_sync(~0u, high[k], offset), l = __shfl_down_sync(~0u, low[k], offset);
                high[k] = h > high[k] ? h : high[k];
                low[k] = l > low[k] ? l : low[k];
            }
        }
    }

    DEVICE void add_to(Part& part) const {
        for (u32 k = 0; k < 3; k++) {
            if (high[k]) atomicMax(&part.high[k], high[k]);
            if (low[k]) atomicMax(&part.low[k], low[k]);
        }
    }
};

// The volume, the area and the number of those triangles of a warp that are in the same component.
struct Content {
    u64 volume, area, triangles;

    DEVICE void clear() { volume = area = triangles = 0; }

    DEVICE void include(const Content& other) {
        volume += other.volume;
        area += other.area;
        triangles += other.triangles;
    }

    DEVICE void gather() {
        for (u32 offset = 16; offset > 0; offset /= 2) {
            volume += __shfl_down_sync(~0u, volume, offset);
            area += __shfl_down_sync(~0u, area, offset);
            triangles += __shfl_down_sync(~0u, triangles, offset);
        }
    }

    DEVICE void add_to(Part& part) const {
        if (volume) atomicAdd(&part.volume, volume);
        if (area) atomicAdd(&part.area, area);
        if (triangles) atomicAdd(&part.triangles, triangles);
    }
};

// Adds the contributions of a warp's lanes to their components. Most warps see a single component
// and write once.
template <class Share>
struct OfWarp {
    Share kept;
    u32 part;

    DEVICE void start() {
        kept.clear();
        part = NO_SET;
    }

    // Adds the contribution of a lane to a component. Lanes with NO_SET contribute nothing. The
    // whole warp must call this function.
    template <class What>
    DEVICE void add(Part* parts, u32 of, const What& what) {
        const u32 first = __shfl_sync(~0u, of, 0);
        const bool is_one = __all_sync(~0u, of == first);
        if (!is_one || first != part) {
            finish(parts);
            part = is_one ? first : NO_SET;
        }
        if (of == NO_SET) return;
        if (is_one) {
            kept.include(what);
        } else {
            Share alone;
            alone.clear();
            alone.include(what);
            alone.add_to(parts[of]);
        }
    }

    DEVICE void finish(Part* parts) {
        if (part != NO_SET) {
            kept.gather();
            if ((threadIdx.x & 31) == 0) kept.add_to(parts[part]);
        }
        kept.clear();
    }
};

// Computes the smallest and largest coordinates of the vertices of each component.
//
// Grid and block: any number of warps, which share the vertices. Shared memory: none.
//
// vertices  [n][3]
// names     [n]
// numbers   index of each component at its first vertex, [n]
// parts     [n_parts]
extern "C" __global__ void parts_extents(const double* vertices, u32 n, const u32* names, const u32* numbers, Part* parts) {
    const u64 threads = (u64)gridDim.x * blockDim.x;
    OfWarp<Reach> warp;
    warp.start();
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i / 32 * 32 < n; i += threads) {
        const u32 name = i < n ? names[i] : NO_SET;
        warp.add(parts, name == NO_SET ? NO_SET : numbers[name], vertices + 3 * (i < n ? i : 0));
    }
    warp.finish(parts);
}

DEVICE Vec3 vertex(const double* vertices, u32 v) {
    const double* x = vertices + 3 * (u64)v;
    return {x[0], x[1], x[2]};
}

// Computes the volume, the area and the number of triangles in each component. The volume is the
// sum over tetrahedra whose common apex is the center of the component's box. With a distant apex,
// large volumes would nearly cancel each other.
//
// Grid and block: any number of warps, which share the triangles. Shared memory: none.
//
// vertices        [n_vertices][3]
// corners         [n][3]
// names, numbers  as above
// volumes, areas  integer units per cubic length (for 6 V) and per square length (for 2 A)
// parts           must hold the extents, [n_parts]
extern "C" __global__ void parts_volumes(const double* vertices, const u32* corners, u32 n, const u32* names, const u32* numbers,
                                         double volumes, double areas, Part* parts) {
    const u64 threads = (u64)gridDim.x * blockDim.x;
    OfWarp<Content> warp;
    warp.start();
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i / 32 * 32 < n; i += threads) {
        Content content;
        content.clear();
        u32 of = NO_SET;
        if (i < n) {
            of = numbers[names[corners[3 * i]]];
            double middle[3];
            for (u32 k = 0; k < 3; k++) {
                const double low = number_of(~parts[of].low[k]), high = number_of(parts[of].high[k]);
                middle[k] = low + (high - low) * 0.5;
            }
            const Vec3 from = {middle[0], middle[1], middle[2]};
            const Vec3 a = vertex(vertices, corners[3 * i]) - from;
            const Vec3 b = vertex(vertices, corners[3 * i + 1]) - from;
            const Vec3 c = vertex(vertices, corners[3 * i + 2]) - from;
            content.volume = (u64)(i64)rint(dot(a, cross(b, c)) * volumes);
            content.area = (u64)(i64)rint(norm(cross(b - a, c - a)) * areas);
            content.triangles = 1;
        }
        warp.add(parts, of, content);
    }
    warp.finish(parts);
}

// Marks the vertices of kept components.
//
// Grid and block: any number of threads, which share the vertices. Shared memory: none.
//
// names, is_kept  [n]
// numbers         as above
// kept            1 for each component that stays, [n_parts]
extern "C" __global__ void parts_kept(u32 n, const u32* names, const u32* numbers, const u32* kept, u32* is_kept) {
    const u64 threads = (u64)gridDim.x * blockDim.x;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) {
        is_kept[i] = names[i] == NO_SET ? 0 : kept[numbers[names[i]]];
    }
}

// Marks the triangles of kept components.
//
// Grid and block: any number of threads, which share the triangles. Shared memory: none.
//
// corners  [n][3]
// is_kept  marks of the vertices
// stays    [n]
extern "C" __global__ void parts_kept_triangles(const u32* corners, u32 n, const u32* is_kept, u32* stays) {
    const u64 threads = (u64)gridDim.x * blockDim.x;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) stays[i] = is_kept[corners[3 * i]];
}

// Copies the kept vertices in order.
//
// Grid and block: any number of threads, which share the vertices. Shared memory: none.
//
// from    [n][3]
// places  number of kept vertices before each one, [n + 1]
// into    [places[n]][3]
extern "C" __global__ void parts_take_vertices(const double* from, u32 n, const u32* places, double* into) {
    const u64 threads = (u64)gridDim.x * blockDim.x;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) {
        const u64 place = places[i];
        if (place == places[i + 1]) continue;
        for (u32 k = 0; k < 3; k++) into[3 * place + k] = from[3 * i + k];
    }
}

// Copies the kept triangles in order, with the new indices of their vertices.
//
// Grid and block: any number of threads, which share the triangles. Shared memory: none.
//
// from      [n][3]
// places    number of kept triangles before each one, [n + 1]
// vertices  number of kept vertices before each one
// into      [places[n]][3]
extern "C" __global__ void parts_take_triangles(const u32* from, u32 n, const u32* places, const u32* vertices, u32* into) {
    const u64 threads = (u64)gridDim.x * blockDim.x;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) {
        const u64 place = places[i];
        if (place == places[i + 1]) continue;
        for (u32 k = 0; k < 3; k++) into[3 * place + k] = vertices[from[3 * i + k]];
    }
}
