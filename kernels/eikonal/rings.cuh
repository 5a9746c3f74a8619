// The cells around the owned vertices of a patch: kinks of phi, and distances from it. The
// counterpart of src/levelset/eikonal/quadratic/cut_cells.rs.
#pragma once
#include "common/patches.cuh"
#include "eikonal/quadratic_fit.cuh"

// The cosines below which there is a kink, and above which there is none (cut_cells.rs).
#define KINK 0.85
#define SMOOTH 0.93

// The number of unknowns of a fit.
enum { UNKNOWNS = N == 3 ? 5 : 9 };

// The measure, the gradient of phi and, for triangles, the unit normal of a cell.
struct RingCell {
    double measure;
    Wide gradient, normal;
};

// Returns the properties of a cell with the vertices x and the values phi.
template <int M>
DEVICE RingCell ring_cell(const Wide (&x)[M], const double (&phi)[M]) {
    RingCell cell;
    const Wide e1 = x[1] - x[0], e2 = x[2] - x[0];
    const Wide normal = cross(e1, e2);
    if constexpr (M == 3) {
        const double det = dot(normal, normal);
        cell.measure = sqrt(det) * 0.5;
        const double inverse = 1.0 / det;
        cell.gradient = cross(e2, normal) * inverse * (phi[1] - phi[0]);
        cell.gradient = cell.gradient + cross(normal, e1) * inverse * (phi[2] - phi[0]);
        cell.normal = normal / norm(normal);
    } else {
        const Wide e3 = x[3] - x[0];
        const double det = dot(normal, e3);
        cell.measure = fabs(det) * (1.0 / 6.0);
        const double inverse = 1.0 / det;
        cell.gradient = cross(e2, e3) * inverse * (phi[1] - phi[0]);
        cell.gradient = cell.gradient + cross(e3, e1) * inverse * (phi[2] - phi[0]);
        cell.gradient = cell.gradient + normal * inverse * (phi[3] - phi[0]);
        cell.normal = Wide{0.0, 0.0, 0.0};
    }
    return cell;
}

DEVICE Wide widened(const Vec3& x) { return Wide{(double)x.x, (double)x.y, (double)x.z}; }

DEVICE Vec3 narrowed(const Wide& x) { return Vec3{(real)x.x, (real)x.y, (real)x.z}; }

// The cells around the vertices of a patch, and phi in patch order.
struct Rings {
    const Patch& patch;
    const real* phi;

    // Returns phi at a local vertex.
    DEVICE double at(u32 local) const { return (double)phi[patch.vertex(local)]; }

    // Returns the vector from vertex k to another local vertex.
    DEVICE Wide edge(u32 k, u32 local) const { return widened(patch.at(local) - patch.at(k)); }

    DEVICE RingCell cell(u32 t) const {
        const Corners corners = patch.corners(t);
        Wide x[N];
        double values[N];
#pragma unroll
        for (int i = 0; i < N; i++) {
            x[i] = widened(patch.at(corners.of(i)));
            values[i] = at(corners.of(i));
        }
        return ring_cell(x, values);
    }

    // Calls `what` for each corner of the cells around vertex k, including k itself. Corners of
    // several cells are repeated. Stops when `what` returns true, and then returns true.
    template <class What>
    DEVICE bool any_corner(u32 k, const What& what) const {
        for (u32 at = patch.row(k); at < patch.row(k + 1); at++) {
            const Corners corners = patch.corners(patch.column(at) / 4);
            for (int i = 0; i < N; i++) {
                if (what(corners.of(i))) return true;
            }
        }
        return false;
    }

    // Returns whether a local vertex is a corner of a cell around vertex k before entry `end` of
    // its row.
    DEVICE bool is_repeated(u32 k, u32 end, u32 local) const {
        for (u32 at = patch.row(k); at < end; at++) {
            const Corners corners = patch.corners(patch.column(at) / 4);
            for (int i = 0; i < N; i++) {
                if (corners.of(i) == local) return true;
            }
        }
        return false;
    }

    // Calls `what` for each neighbor of vertex k, in the order of its cells.
    template <class What>
    DEVICE void for_each_neighbor(u32 k, const What& what) const {
        for (u32 at = patch.row(k); at < patch.row(k + 1); at++) {
            const Corners corners = patch.corners(patch.column(at) / 4);
            for (int i = 0; i < N; i++) {
                const u32 local = corners.of(i);
                if (local != k && !is_repeated(k, at, local)) what(local);
            }
        }
    }

    // Computes the mean gradient of phi and, on a surface, the unit normal.
    DEVICE void mean(u32 k, Wide& gradient, Wide& normal) const {
        gradient = normal = Wide{0.0, 0.0, 0.0};
        for (u32 at = patch.row(k); at < patch.row(k + 1); at++) {
            const RingCell ring = cell(patch.column(at) / 4);
            gradient = gradient + ring.gradient * ring.measure;
            // Cells need not be oriented alike.
            const bool turned = dot(ring.normal, normal) < 0.0;
            normal = normal + ring.normal * (turned ? -ring.measure : ring.measure);
        }
        if (N == 3) normal = normal / norm(normal);
    }

    // Returns 1 if phi and the surface are smooth, 0 if one of them has a kink, and values in
    // between.
    DEVICE double smoothness(u32 k) const {
        Wide gradient, normal;
        mean(k, gradient, normal);
        const Wide along = gradient / norm(gradient);
        double least = 1.0;
        for (u32 at = patch.row(k); at < patch.row(k + 1); at++) {
            const RingCell ring = cell(patch.column(at) / 4);
            const double flat = N == 3 ? fabs(dot(normal, ring.normal)) : 1.0;
            const double cosine = dot(along, ring.gradient) / norm(ring.gradient);
            // A cell without a gradient counts as a kink.
            const bool has_gradient = fabs(cosine) < Precision<double>::infinity();
            least = has_gradient ? fmin(fmin(least, cosine), flat) : -1.0;
        }
        const double x = fmin(fmax((least - KINK) / (SMOOTH - KINK), 0.0), 1.0);
        return x * x * (3.0 - 2.0 * x);
    }

    // Returns the unit vector away from the interface, or zero if phi has no gradient.
    DEVICE Vec3 direction(u32 k) const {
        Wide gradient, normal;
        mean(k, gradient, normal);
        Frame frame;
        if (!frame.set(gradient, normal, N == 3)) return Vec3{R(0), R(0), R(0)};
        const double first[3] = {at(k) < 0.0 ? -1.0 : 1.0, 0.0, 0.0};
        return narrowed(frame.vector(first));
    }

    // Returns the distance of vertex k from the interface, and sets `direction` to the unit vector
    // away from it. `planes` is the distance by equation (5), which remains at kinks. `smooth`
    // holds the smoothness in patch order.
    DEVICE real distance(u32 k, real planes, const double* smooth, Vec3& direction) const {
        Wide gradient, normal;
        mean(k, gradient, normal);
        Frame frame;
        direction = Vec3{R(0), R(0), R(0)};
        if (!frame.set(gradient, normal, N == 3)) return planes;
        const double own = at(k);
        double weight = fmin(smooth[patch.vertex(k)], 1.0), sum = 0.0;
        u32 n = 0;
        for_each_neighbor(k, [&](u32 local) {
            weight = fmin(smooth[patch.vertex(local)], weight);
            const Wide way = edge(k, local);
            sum += dot(way, way);
            n++;
        });
        const double sign = own < 0.0 ? -1.0 : 1.0;
        real found = planes;
        Closest closest = {0.0, {1.0, 0.0, 0.0}};
        if (weight > 0.0) {
            Fit<UNKNOWNS> fit(sqrt(sum / (double)n));
            for_each_neighbor(k, [&](u32 local) {
                double x[3];
                frame.coordinates(edge(k, local), x);
                fit.add(x, at(local) - own);
            });
            if (fit.find_closest(own, closest)) {
                const double from = (double)planes;
                found = (real)(from + weight * (closest.distance - from));
            }
        }
        direction = narrowed(frame.vector(closest.gradient) * sign);
        return found;
    }
};
