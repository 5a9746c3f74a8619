// Computes signed distances of points to a surface of triangles. The counterpart of
// src/surface/signed_distance.rs and src/surface/winding.rs, with the same trees and the same
// operations in the same order.
//
// Distances are bitwise identical to those of the CPU. Winding numbers differ by the rounding of
// the arctangent, which matters only next to the limits with which they are compared. If several
// triangles are equally near, another one may be found.
//
// variants: REAL=double, CELL_SIZE=3
#include "generated/signed_distance.cuh"
#include "surface/closest_point.cuh"

// The ratio of a circle's circumference to its diameter.
#define PI 3.141592653589793

// The largest number of nodes that wait for a visit: one per level of a tree.
enum : u32 { MOST_WAITING = 64u };

DEVICE Vec3 vector_of(const double (&x)[3]) { return {x[0], x[1], x[2]}; }

// Returns the squared distance from a point to the box of a node.
DEVICE double distance2_to(const TreeNode& node, const Vec3& p) {
    const double of[3] = {p.x, p.y, p.z};
    double sum = 0.0;
    for (u32 k = 0; k < 3; k++) {
        const double off = larger(larger(node.low[k] - of[k], of[k] - node.high[k]), 0.0);
        sum += off * off;
    }
    return sum;
}

struct ClosestPoint {
    double distance2;
    Vec3 point;
    // The position of its triangle in tree order.
    u32 triangle;
};

// Returns the point of the surface closest to p.
DEVICE ClosestPoint closest_point(const SignedSurface& surface, const Vec3& p) {
    u32 nodes[MOST_WAITING];
    double bounds[MOST_WAITING];
    ClosestPoint best = {INFINITY_R, p, 0};
    nodes[0] = 0;
    bounds[0] = distance2_to(surface.nodes[0], p);
    u32 waiting = 1;
    while (waiting > 0) {
        waiting--;
        if (bounds[waiting] >= best.distance2) continue;
        const u32 k = nodes[waiting];
        const TreeNode& node = surface.nodes[k];
        if (node.second == 0) {
            for (u64 t = node.begin; t < node.end; t++) {
                const double* corners = surface.corners + 9 * t;
                const Vec3 a = vertex(corners, 0), b = vertex(corners, 1), c = vertex(corners, 2);
                const Vec3 point = closest_in_triangle(p, a, b, c);
                const double distance2 = norm_squared(point - p);
                if (distance2 < best.distance2) best = {distance2, point, (u32)t};
            }
            continue;
        }
        const double first = distance2_to(surface.nodes[k + 1], p);
        const double second = distance2_to(surface.nodes[node.second], p);
        const bool is_second_nearer = second < first;
        // The nearer child is visited first.
        nodes[waiting] = is_second_nearer ? k + 1 : node.second;
        bounds[waiting] = is_second_nearer ? first : second;
        waiting += bounds[waiting] < best.distance2;
        nodes[waiting] = is_second_nearer ? node.second : k + 1;
        bounds[waiting] = is_second_nearer ? second : first;
        waiting += bounds[waiting] < best.distance2;
    }
    return best;
}

// The sum of solid angles of triangles, as a product of complex numbers and a number of turns.
struct SolidAngle {
    double re, im;
    i32 turns;
};

DEVICE void add(SolidAngle& sum, const Vec3& p, const double* corners) {
    const Vec3 a = vertex(corners, 0) - p, b = vertex(corners, 1) - p, c = vertex(corners, 2) - p;
    const double la = norm(a), lb = norm(b), lc = norm(c);
    double im = dot(a, cross(b, c));
    double re = la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb;
    const double rounding = ON_TRIANGLE * la * lb * lc;
    if (fabs(im) <= rounding && re <= rounding) return;
    double scale = larger(fabs(re), fabs(im));
    re /= scale;
    im /= scale;
    const double product_re = sum.re * re - sum.im * im, product_im = sum.re * im + sum.im * re;
    if (sum.im >= 0.0 && im >= 0.0 && product_im < 0.0) {
        sum.turns++;
    } else if (sum.im < 0.0 && im < 0.0 && product_im >= 0.0) {
        sum.turns--;
    }
    scale = larger(fabs(product_re), fabs(product_im));
    sum.re = product_re / scale;
    sum.im = product_im / scale;
}

// Computes the approximate solid angle of the triangles of a node seen from p. Returns false if p
// is too near for the expansion.
DEVICE bool distant_angle(const NodeDipole& dipole, const Vec3& p, double& angle) {
    const Vec3 d = vector_of(dipole.center) - p;
    const double r2 = norm_squared(d);
    if (r2 <= FAR * FAR * dipole.radius * dipole.radius) return false;
    const double r3 = r2 * sqrt(r2);
    const double trace = dipole.moment[0][0] + dipole.moment[1][1] + dipole.moment[2][2];
    const Vec3 turned = {dot(vector_of(dipole.moment[0]), d), dot(vector_of(dipole.moment[1]), d), dot(vector_of(dipole.moment[2]), d)};
    const double first = dot(vector_of(dipole.normal), d) + trace;
    angle = (first - 3.0 * dot(d, turned) / r2) / r3;
    return true;
}

// Returns the winding number of p.
DEVICE double winding_number(const SignedSurface& surface, const Vec3& p) {
    u32 nodes[MOST_WAITING];
    SolidAngle near = {1.0, 0.0, 0};
    double far = 0.0;
    nodes[0] = 0;
    u32 waiting = 1;
    while (waiting > 0) {
        waiting--;
        const u32 k = nodes[waiting];
        double angle;
        if (distant_angle(surface.dipoles[k], p, angle)) {
            far += angle;
            continue;
        }
        const TreeNode& node = surface.whole_nodes[k];
        if (node.second == 0) {
            for (u64 t = node.begin; t < node.end; t++) add(near, p, surface.whole_corners + 9 * t);
        } else {
            nodes[waiting] = node.second;
            nodes[waiting + 1] = k + 1;
            waiting += 2;
        }
    }
    return (far + 2.0 * (atan2(near.im, near.re) + 2.0 * PI * near.turns)) / (4.0 * PI);
}

// Returns the direction in which the distance grows at p. On the surface, it is the normal of the
// triangle.
DEVICE Vec3 growth(const SignedSurface& surface, const Vec3& p, double distance, const ClosestPoint& closest) {
    const Vec3 way = (p - closest.point) * (distance < 0.0 ? -1.0 : 1.0);
    const double length = norm(way);
    if (distance != 0.0 && length > 0.0) return {way.x / length, way.y / length, way.z / length};
    return vertex(surface.normals, closest.triangle);
}

// Computes the signed distances of points, and what else is requested. Points that are NaN get NaN.
//
// Grid and block: any number of threads, which share the points. Shared memory: none.
//
// points     [n][3]
// values     [n], negative inside
// normals    directions in which the distance grows, [n][3], or null
// triangles  nearest triangles of the mesh, [n], or null
// doubts     numbers of points whose side is uncertain, and of those with negative winding numbers
extern "C" __global__ void __launch_bounds__(128)
signed_distance_at(SignedSurface surface, const double* points, u64 n, double* values, double* normals, i64* triangles, u64* doubts) {
    const u64 threads = (u64)gridDim.x * blockDim.x;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) {
        const Vec3 p = vertex(points, i);
        // Infinite if a coordinate is infinite, and NaN if one is NaN.
        const double size = fabs(p.x) + fabs(p.y) + fabs(p.z);
        ClosestPoint closest = {size, p, 0};
        double distance = size;
        if (size < INFINITY_R) {
            closest = closest_point(surface, p);
            distance = sqrt(closest.distance2);
            const double largest = larger(larger(fabs(p.x), fabs(p.y)), larger(fabs(p.z), surface.reach));
            if (distance <= surface.rounding * largest) {
                distance = 0.0;
            } else {
                const double winding = winding_number(surface, p);
                if (distance > surface.on) {
                    if (fabs(winding) >= UNDECIDED_FROM && fabs(winding) < UNDECIDED_TO) atomicAdd(&doubts[0], 1ull);
                    if (winding < -0.5) atomicAdd(&doubts[1], 1ull);
                }
                if (fabs(winding) > 0.5) distance = -distance;
            }
        }
        values[i] = distance;
        if (normals) {
            const Vec3 normal = growth(surface, p, distance, closest);
            normals[3 * i] = normal.x;
            normals[3 * i + 1] = normal.y;
            normals[3 * i + 2] = normal.z;
        }
        if (triangles) triangles[i] = (i64)surface.names[closest.triangle];
    }
}
