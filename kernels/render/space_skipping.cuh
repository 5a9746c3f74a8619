// Space skipping: the distance by which a ray can safely advance without examining cubes. This is
// the counterpart of crates/view/src/render/space_skipping.rs and
// crates/view/src/render/occupancy_pyramid.rs.
//
// RULE has a value from generated/render.cuh.
#pragma once
#include "render/solid_cubes.cuh"

// The distance from the center of a unit cube to its corners, sqrt(3)/2.
#define HALF_DIAGONAL 0.8660254037844386
// The amount by which steps are shortened, in voxels.
#define MARGIN (1.0 / 1024.0)
// The tolerance for rounding errors in the distance between a cube center and the ray.
#define SLACK 1e-6
// The size of the stack of pending nodes: 7 per level, and one more.
#define PYRAMID_STACK (7 * PYRAMID_LEVELS + 1)

// Returns the increase in t from the point `at` until the ray leaves a ball around the origin, or 0
// if `at` is outside the ball.
DEVICE double way_out(const Triple& at, const Triple& along, double radius) {
    if (radius == infinity()) return radius;
    const double behind = dot(at, at) - radius * radius;
    if (radius <= 0.0 || behind >= 0.0) return 0.0;
    const double a = dot(along, along), b = dot(at, along);
    return (sqrt(b * b - a * behind) - b) / a;
}

// Returns whether the cube whose center is at `offset` from the point on the ray is a candidate:
// the ray may meet the cube ahead of the point, or the center is in the cone around the direction
// of the ray.
DEVICE bool counts(const SpaceSkipping& guide, const Triple& offset, const Triple& along) {
    const double ahead = dot(offset, along), square = dot(offset, offset);
    const double aside = square - ahead * ahead, reach = HALF_DIAGONAL + SLACK;
    return (ahead > -reach && aside <= reach * reach) || ahead >= guide.cosine * sqrt(square);
}

// Returns false only if no cube center within `radius` of `offset` can be a candidate.
DEVICE bool may_count(const SpaceSkipping& guide, const Triple& offset, const Triple& along, double radius) {
    const double ahead = dot(offset, along), square = dot(offset, offset);
    const double rest = square - ahead * ahead;
    const double aside = sqrt(rest > 0.0 ? rest : 0.0), reach = HALF_DIAGONAL + SLACK;
    radius = radius + SLACK;
    return (ahead > -reach - radius && aside <= reach + radius) ||
           aside * guide.cosine - ahead * guide.sine <= radius;
}

#if RULE == RULE_DIRECTIONAL
// Returns the number of nodes in a level along an axis of n cubes.
DEVICE u32 fields(u32 n, u32 level) { return (u32)(((u64)n + (((u64)1 << level) - 1)) >> level); }

// Returns whether a node is occupied.
DEVICE bool holds(const Solid& solid, const SpaceSkipping& guide, u32 level, const u32* at) {
    const u64 nx = fields(solid.shape[0], level), ny = fields(solid.shape[1], level);
    const u64 n = at[0] + nx * (at[1] + ny * at[2]);
    return level == 0 ? solid.inside[n] != 0 : guide.pyramid[guide.starts[level - 1] + n] != 0;
}

// Returns a lower bound on the squared distance from a point to the nearest cube center in a node.
// Also returns the center of the box of these cube centers, relative to the point, as `middle`, and
// half its diagonal as `half`.
DEVICE double to_field(const Solid& solid, const Triple& from, u32 level, const u32* at, Triple& middle, double& half) {
    Triple gap, halves;
    const double width = (double)((1u << level) - 1);
#pragma unroll
    for (u32 k = 0; k < 3; k++) {
        const double low = (double)(at[k] << level), end = low + width, last = (double)(solid.shape[k] - 1);
        const double high = end < last ? end : last;
        const double before = low - from.at[k], behind = from.at[k] - high;
        const double most = before > behind ? before : behind;
        gap.at[k] = most > 0.0 ? most : 0.0;
        halves.at[k] = 0.5 * (high - low);
        middle.at[k] = low + halves.at[k] - from.at[k];
    }
    half = sqrt(dot(halves, halves));
    return dot(gap, gap);
}

// Packs the level and the position of a node into one number.
DEVICE u64 packed(u32 level, const u32* at) {
    return (u64)level << 48 | (u64)at[2] << 32 | (u64)at[1] << 16 | (u64)at[0];
}

// Returns the distance from `from` to the nearest center of an occupied candidate cube, or infinity
// if there is none. The result does not depend on the order in which nodes are visited.
DEVICE double nearest_ahead(const Solid& solid, const SpaceSkipping& guide, const Triple& from, const Triple& along) {
    u64 stack[PYRAMID_STACK];
    stack[0] = (u64)guide.levels << 48;
    u32 waiting = 1;
    double best = infinity();
    // The first child along the ray is examined first.
    const u32 first = (along.at[0] < 0.0 ? 1 : 0) | (along.at[1] < 0.0 ? 2 : 0) | (along.at[2] < 0.0 ? 4 : 0);
    while (waiting > 0) {
        const u64 field = stack[--waiting];
        const u32 level = (u32)(field >> 48);
        const u32 at[3] = {(u32)field & 0xffffu, (u32)(field >> 16) & 0xffffu, (u32)(field >> 32) & 0xffffu};
        Triple middle;
        double half;
        const double square = to_field(solid, from, level, at, middle, half);
        if (square >= best || !holds(solid, guide, level, at)) continue;
        if (level == 0) {
            if (counts(guide, middle, along)) best = square;
            continue;
        }
        for (u32 n = 8; n-- > 0;) {
            const u32 child = n ^ first;
            u32 place[3];
            bool is_there = true;
#pragma unroll
            for (u32 k = 0; k < 3; k++) {
                place[k] = 2 * at[k] + (child >> k & 1);
                is_there = is_there && place[k] < fields(solid.shape[k], level - 1);
            }
            if (!is_there) continue;
            const double there = to_field(solid, from, level - 1, place, middle, half);
            if (there < best && may_count(guide, middle, along, half)) stack[waiting++] = packed(level - 1, place);
        }
    }
    return sqrt(best);
}
#endif

#if RULE == RULE_ALL
// Returns the distance to the center of the nearest candidate. Examines every occupied cube. If
// `guide.all` is set, all occupied cubes are candidates.
DEVICE double nearest_of_all(const SpaceSkipping& guide, const Triple& from, const Triple& along) {
    double best = infinity();
    for (u64 n = 0; n < guide.n_sites; n++) {
        const u32* site = guide.sites + 3 * n;
        const Triple offset = Triple{(double)site[0], (double)site[1], (double)site[2]} - from;
        const double square = dot(offset, offset);
        if (square < best && (guide.all || counts(guide, offset, along))) best = square;
    }
    return sqrt(best);
}
#endif

// Returns a value of t before which the ray certainly hits nothing. At the given t, the ray is in
// `cube`.
DEVICE double free_to(const Solid& solid, const SpaceSkipping& guide, const GridTraversal& course, const i32* cube, double t) {
#if RULE == RULE_WALK
    return t;
#else
    const Triple at = course.at(t);
#if RULE == RULE_ISOTROPIC
    const double distance = (double)guide.distances[number_of(solid, cube[0], cube[1], cube[2])];
    const Triple middle = {(double)cube[0], (double)cube[1], (double)cube[2]};
    return t + way_out(at - middle, course.along, distance - HALF_DIAGONAL - MARGIN);
#else
    const double speed = sqrt(dot(course.along, course.along));
    const Triple along = course.along * (1.0 / speed);
#if RULE == RULE_DIRECTIONAL
    const double nearest = nearest_ahead(solid, guide, at, along);
#else
    const double nearest = nearest_of_all(guide, at, along);
#endif
    return t + (nearest - HALF_DIAGONAL - MARGIN) / speed;
#endif
#endif
}
