// Signed distances beyond the sharp edges of a sampled surface. The counterpart of
// src/reconstruct/directed/edges.rs.
#pragma once
#include "generated/edges.cuh"
#include "reconstruct/directed/lattice.cuh"

DEVICE double dot(const Vector& a, const Vector& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

// One side of an edge, seen from a vertex.
struct Side {
    // The nearest sample of the side: its index among the sorted samples, its position in lattice
    // units, and its normal.
    u32 sample;
    Vector point, normal;
    // The weighted center of the samples, relative to the vertex.
    Vector center;
    // The signed distance of the vertex from the side.
    double distance;
};

// The edge between two sides. Convex: each side lies below the other one. Concave: each side lies
// above the other one.
enum Edge : u32 { NO_EDGE, CONVEX, CONCAVE };

// Returns whether a vertex lies beyond the samples on the side of its nearest sample, which has
// this radius. `center` is the center of these samples, relative to the vertex.
DEVICE bool is_beyond(const Vector& center, const Vector& normal, double radius) {
    const double up = dot(center, normal);
    const double across2 = dot(center, center) - up * up;
    return across2 > BEYOND * BEYOND * (radius * radius);
}

// Returns the height of a center above the tangent plane of the sample of a side. `at` is the
// position of the vertex to which the center is relative.
DEVICE double height(const Vector& center, const Vector& at, const Side& of) {
    const Vector from = {center.x - (of.point.x - at.x), center.y - (of.point.y - at.y),
                         center.z - (of.point.z - at.z)};
    return dot(from, of.normal);
}

// Returns the edge between two sides, seen from a vertex at `at`.
DEVICE Edge edge_between(const Side& a, const Side& b, const Vector& at) {
    const bool a_is_below = height(a.center, at, b) < 0.0, b_is_below = height(b.center, at, a) < 0.0;
    if (a_is_below != b_is_below) return NO_EDGE;
    return a_is_below ? CONVEX : CONCAVE;
}

// Returns the side that determines the distance, as an index: the farther one at a convex edge, the
// nearer one at a concave edge, and the first one without an edge.
DEVICE u32 choose(Edge edge, const Side* sides, u32 a, u32 b) {
    const bool is_other = edge == CONVEX    ? sides[b].distance > sides[a].distance
                          : edge == CONCAVE ? sides[b].distance < sides[a].distance
                                            : false;
    return is_other ? b : a;
}

// Returns the side that determines the distance where n sides meet, as an index. If one edge
// differs from the two others, its two sides are combined first.
DEVICE u32 choose_side(const Side* sides, u32 n, const Vector& at) {
    if (n < 2) return 0;
    const Edge to_first = edge_between(sides[0], sides[1], at);
    if (n == 2) return choose(to_first, sides, 0, 1);
    const Edge to_second = edge_between(sides[0], sides[2], at);
    const Edge across = edge_between(sides[1], sides[2], at);
    if (to_first == NO_EDGE || to_second == NO_EDGE || across == NO_EDGE)
        return choose(to_second, sides, choose(to_first, sides, 0, 1), 2);
    if (to_first == to_second) return choose(to_first, sides, 0, choose(across, sides, 1, 2));
    if (across == to_first) return choose(across, sides, choose(to_second, sides, 0, 2), 1);
    return choose(across, sides, choose(to_first, sides, 0, 1), 2);
}
