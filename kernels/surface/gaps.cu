// Computes exact distances from points to a surface of triangles. The counterpart of `Gaps` in
// src/surface/quality.rs. Distances are bitwise identical, except where rounding decides whether a
// box is visited.
//
// Triangles are sorted by the positions of the centers of their boxes along a Hilbert curve. Each
// leaf of a complete binary tree of boxes contains up to LEAF of them. The children of node k are 2
// k and 2 k + 1, and the root is 1. The index of the first leaf equals the number of leaves, a
// power of two. Leaves after the last triangle are empty. Points are visited along the same curve,
// so that the threads of a warp take similar paths.
//
// The order is gaps_middles, a sort, gaps_order, gaps_leaves, then gaps_join for each level,
// starting at the lowest, then gaps_nearest and gaps_sums.
//
// variants: REAL=double, CELL_SIZE=3
#include "generated/gaps.cuh"
#include "surface/closest_point.cuh"

struct Box {
    double low[3], high[3];
};

DEVICE void include(Box& box, const Vec3& x) {
    const double of[3] = {x.x, x.y, x.z};
    for (u32 k = 0; k < 3; k++) {
        box.low[k] = smaller(of[k], box.low[k]);
        box.high[k] = larger(of[k], box.high[k]);
    }
}

DEVICE Box no_box() {
    const double far = INFINITY_R;
    return {{far, far, far}, {-far, -far, -far}};
}

// Returns the squared distance from a point to a box, or infinity if the box is empty.
DEVICE double distance2_to(const Box& box, const Vec3& p) {
    const double of[3] = {p.x, p.y, p.z};
    double sum = 0.0;
    for (u32 k = 0; k < 3; k++) {
        const double off = larger(larger(box.low[k] - of[k], of[k] - box.high[k]), 0.0);
        sum += off * off;
    }
    return sum;
}

// Returns the square of twice the distance from a point to the center of a box.
DEVICE double to_middle2(const Box& box, const Vec3& p) {
    const double of[3] = {p.x, p.y, p.z};
    double sum = 0.0;
    for (u32 k = 0; k < 3; k++) {
        const double off = box.low[k] + box.high[k] - 2.0 * of[k];
        sum += off * off;
    }
    return sum;
}

// Returns whether to visit the second of two boxes first. The nearer box comes first. If both are
// equally near, for example because both contain the point, the one with the nearer center comes
// first. A good early result excludes most other boxes.
DEVICE bool is_second_first(const Box* boxes, double left, double right, const Vec3& p) {
    if (left != right) return right < left;
    return to_middle2(boxes[1], p) < to_middle2(boxes[0], p);
}

// Computes the centers of the boxes of triangles.
//
// Grid and block: any number of threads, which share the triangles. Shared memory: none.
//
// vertices  [n_vertices][3]
// corners   [n][3]
// middles   [n][3]
extern "C" __global__ void gaps_middles(const double* vertices, const u32* corners, u32 n, double* middles) {
    const u64 threads = (u64)gridDim.x * blockDim.x;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) {
        Box box = no_box();
        for (u32 k = 0; k < 3; k++) include(box, vertex(vertices, corners[3 * i + k]));
        for (u32 k = 0; k < 3; k++) middles[3 * i + k] = box.low[k] + (box.high[k] - box.low[k]) * 0.5;
    }
}

// Copies triangles in the given order.
//
// Grid and block: any number of threads, which share the triangles. Shared memory: none.
//
// corners, into  [n][3]
// order          [n]
extern "C" __global__ void gaps_order(const u32* corners, const u32* order, u32 n, u32* into) {
    const u64 threads = (u64)gridDim.x * blockDim.x;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) {
        for (u32 k = 0; k < 3; k++) into[3 * i + k] = corners[3 * (u64)order[i] + k];
    }
}

// Computes the boxes of the leaves.
//
// Grid and block: any number of threads, which share the leaves. Shared memory: none.
//
// vertices  [n_vertices][3]
// corners   in tree order, [n][3]
// boxes     [2 n_leaves]
extern "C" __global__ void gaps_leaves(const double* vertices, const u32* corners, u32 n, u32 n_leaves, Box* boxes) {
    const u64 threads = (u64)gridDim.x * blockDim.x;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < n_leaves; i += threads) {
        Box box = no_box();
        for (u64 t = LEAF * i; t < LEAF * (i + 1) && t < n; t++) {
            for (u32 k = 0; k < 3; k++) include(box, vertex(vertices, corners[3 * t + k]));
        }
        boxes[n_leaves + i] = box;
    }
}

// Computes the boxes of a level from those of the level below.
//
// Grid and block: any number of threads, which share the nodes. Shared memory: none.
//
// boxes  at least [4 n]; must contain nodes 2 n to 4 n - 1
extern "C" __global__ void gaps_join(u32 n, Box* boxes) {
    const u64 threads = (u64)gridDim.x * blockDim.x;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) {
        const Box a = boxes[2 * (n + i)], b = boxes[2 * (n + i) + 1];
        Box box;
        for (u32 k = 0; k < 3; k++) {
            box.low[k] = smaller(a.low[k], b.low[k]);
            box.high[k] = larger(a.high[k], b.high[k]);
        }
        boxes[n + i] = box;
    }
}

// Returns the smallest squared distance to the triangles of a leaf, but at most `least`.
DEVICE double in_leaf(const Facets& facets, u32 leaf, const Vec3& p, double least) {
    for (u64 t = LEAF * (u64)leaf; t < LEAF * ((u64)leaf + 1) && t < facets.n; t++) {
        const u32* corner = facets.corners + 3 * t;
        const Vec3 a = vertex(facets.vertices, corner[0]);
        const Vec3 b = vertex(facets.vertices, corner[1]);
        const Vec3 c = vertex(facets.vertices, corner[2]);
        Box box = no_box();
        include(box, a);
        include(box, b);
        include(box, c);
        if (distance2_to(box, p) >= least) continue;
        const double found = norm_squared(closest_in_triangle(p, a, b, c) - p);
        least = found < least ? found : least;
    }
    return least;
}

// Computes the distances of points to the surface. Each thread walks down to the nearer child. The
// bits of a word record the other children, at most one per level, that may be nearer than the
// current result.
//
// Grid and block: any number of threads, which share the points. Shared memory: none.
//
// points, distances  [n][3], [n]
// order              order in which the points are visited, [n]
extern "C" __global__ void gaps_nearest(Facets facets, const double* points, const u32* order, u32 n, double* distances) {
    const u64 threads = (u64)gridDim.x * blockDim.x;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) {
        const Vec3 p = vertex(points, order[i]);
        double least = INFINITY_R;
        u32 node = 1, waiting = 0;
        while (true) {
            bool is_below = false;
            if (node < facets.n_leaves) {
                const Box* children = facets.boxes + 2 * (u64)node;
                const double left = distance2_to(children[0], p), right = distance2_to(children[1], p);
                is_below = smaller(left, right) < least;
                if (is_below) {
                    node = 2 * node + is_second_first(children, left, right, p);
                    waiting = waiting << 1 | (larger(left, right) < least);
                }
            } else {
                least = in_leaf(facets, node - facets.n_leaves, p, least);
            }
            // Go up to the first other child that may still be nearer.
            while (!is_below && waiting) {
                const u32 up = (u32)__ffs((i32)waiting) - 1;
                node = node >> up ^ 1;
                waiting = waiting >> up ^ 1;
                is_below = distance2_to(facets.boxes[node], p) < least;
            }
            if (!is_below) break;
        }
        distances[order[i]] = sqrt(least);
    }
}

// Computes the sum and the maximum of the distances in each group of `size` points, in the order of
// the points.
//
// Grid and block: any number of threads, which share the groups. Shared memory: none.
//
// distances  [n]
// found      [n / size, rounded up][2]
extern "C" __global__ void gaps_sums(const double* distances, u32 n, u32 size, double* found) {
    const u64 threads = (u64)gridDim.x * blockDim.x;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i * size < n; i += threads) {
        double sum = 0.0, most = 0.0;
        for (u64 k = i * size; k < (i + 1) * size && k < n; k++) {
            sum += distances[k];
            most = larger(distances[k], most);
        }
        found[2 * i] = sum;
        found[2 * i + 1] = most;
    }
}
