// The distance of a vertex to the zero set of a quadratic polynomial that fits phi around it, in
// double precision. The counterpart of src/levelset/eikonal/quadratic/fit.rs.
#pragma once
#include "common/types.cuh"

// A vector in double precision, with the operations of Vec3.
struct Wide {
    double x, y, z;
};

DEVICE Wide operator+(const Wide& a, const Wide& b) { return Wide{a.x + b.x, a.y + b.y, a.z + b.z}; }
DEVICE Wide operator-(const Wide& a, const Wide& b) { return Wide{a.x - b.x, a.y - b.y, a.z - b.z}; }
DEVICE Wide operator-(const Wide& a) { return Wide{-a.x, -a.y, -a.z}; }
DEVICE Wide operator*(const Wide& a, double s) { return Wide{a.x * s, a.y * s, a.z * s}; }
DEVICE Wide operator/(const Wide& a, double s) { return Wide{a.x / s, a.y / s, a.z / s}; }
DEVICE double dot(const Wide& a, const Wide& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
DEVICE Wide cross(const Wide& a, const Wide& b) {
    return Wide{a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
DEVICE double norm(const Wide& a) { return sqrt(dot(a, a)); }

// fit.rs gives the reasons for these weights and for the limit.
#define FIT_SLOPE 1e-10
#define FIT_ACROSS 1e-7
#define FIT_ALONG 1e-4
#define FIT_UNCERTAIN 0.5

// The point of the zero set closest to a vertex: its distance, in mesh units, and the unit gradient
// of the polynomial there, in the coordinates of the fit.
struct Closest {
    double distance;
    double gradient[3];
};

// The normal equations of a quadratic polynomial with U unknowns: the slopes and the second
// derivatives, 5 on surfaces and 9 in tetrahedral meshes.
template <int U>
struct Fit {
    enum { DIMENSION = U == 5 ? 2 : 3 };
    double scale;
    double matrix[U][U];  // the lower half
    double right[U];

    DEVICE explicit Fit(double scale) : scale(scale) {
        for (int i = 0; i < U; i++) {
            right[i] = 0.0;
            for (int j = 0; j <= i; j++) matrix[i][j] = 0.0;
        }
    }

    // Computes the monomials at a point: slopes, second derivatives that involve the first
    // coordinate, and the others.
    DEVICE static void row_of(const double (&p)[3], double (&row)[U]) {
        const double x = p[0], y = p[1], z = p[2];
        row[0] = x;
        row[1] = y;
        if constexpr (U == 5) {
            row[2] = 0.5 * x * x;
            row[3] = x * y;
            row[4] = 0.5 * y * y;
        } else {
            row[2] = z;
            row[3] = 0.5 * x * x;
            row[4] = x * y;
            row[5] = x * z;
            row[6] = 0.5 * y * y;
            row[7] = y * z;
            row[8] = 0.5 * z * z;
        }
    }

    // Adds a neighbor, given by its position in mesh units and the difference of phi.
    DEVICE void add(const double (&position)[3], double difference) {
        const double x[3] = {position[0] / scale, position[1] / scale, position[2] / scale};
        const double weight = 1.0 / (x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
        double row[U];
        row_of(x, row);
#pragma unroll
        for (int i = 0; i < U; i++) {
            const double weighted = weight * row[i];
            right[i] += weighted * difference;
#pragma unroll
            for (int j = 0; j <= i; j++) matrix[i][j] += weighted * row[j];
        }
    }

    // Replaces the matrix by its Cholesky factor, with the inverses of the diagonal. Returns false
    // if it is not positive definite.
    DEVICE bool factorize() {
        for (int k = 0; k < U; k++) {
            double sum = 0.0;
            for (int j = 0; j < k; j++) sum += matrix[k][j] * matrix[k][j];
            const double pivot = matrix[k][k] - sum;
            // This form of the condition also rejects NaN.
            if (!(pivot > 0.0)) return false;
            const double inverse = 1.0 / sqrt(pivot);
            matrix[k][k] = inverse;
            for (int i = k + 1; i < U; i++) {
                sum = 0.0;
                for (int j = 0; j < k; j++) sum += matrix[i][j] * matrix[k][j];
                matrix[i][k] = (matrix[i][k] - sum) * inverse;
            }
        }
        return true;
    }

    // Computes the unknowns, from the factors of the matrix.
    DEVICE void unknowns(double (&b)[U]) const {
        for (int k = 0; k < U; k++) b[k] = right[k];
        for (int k = 0; k < U; k++) {
            double sum = 0.0;
            for (int j = 0; j < k; j++) sum += matrix[k][j] * b[j];
            b[k] = (b[k] - sum) * matrix[k][k];
        }
        for (int k = U - 1; k >= 0; k--) {
            double sum = 0.0;
            for (int j = k + 1; j < U; j++) sum += matrix[j][k] * b[j];
            b[k] = (b[k] - sum) * matrix[k][k];
        }
    }

    DEVICE static void gradient_at(const double (&z)[U], const double (&p)[3], double (&g)[3]) {
        const double x = p[0], y = p[1], w = p[2];
        if constexpr (U == 5) {
            g[0] = z[0] + z[2] * x + z[3] * y;
            g[1] = z[1] + z[3] * x + z[4] * y;
            g[2] = 0.0;
        } else {
            g[0] = z[0] + z[3] * x + z[4] * y + z[5] * w;
            g[1] = z[1] + z[4] * x + z[6] * y + z[7] * w;
            g[2] = z[2] + z[5] * x + z[7] * y + z[8] * w;
        }
    }

    // Returns the largest second derivative across the gradient, relative to the slope: the
    // curvature of the zero set times `scale`.
    DEVICE static double curvature(const double (&z)[U]) {
        double slope2 = 0.0, most = 0.0;
        for (int k = 0; k < DIMENSION; k++) slope2 += z[k] * z[k];
        for (int k = 2 * DIMENSION; k < U; k++) most = fmax(most, fabs(z[k]));
        return most / sqrt(slope2);
    }

    // Finds the closest point of the zero set. Returns false if the polynomial has none near the
    // vertex with the value `phi`.
    DEVICE bool find_closest(double phi, Closest& found) {
#pragma unroll
        for (int i = 0; i < U; i++) {
            matrix[i][i] += i < DIMENSION ? FIT_SLOPE : i < 2 * DIMENSION ? FIT_ALONG : FIT_ACROSS;
        }
        if (!factorize()) return false;
        double z[U];
        unknowns(z);
        double x[3] = {0.0, 0.0, 0.0};
        for (int step = 0; step < 20; step++) {
            double row[U], g[3];
            row_of(x, row);
            double sum = 0.0;
            for (int k = 0; k < U; k++) sum += row[k] * z[k];
            const double value = phi + sum;
            gradient_at(z, x, g);
            const double inverse = 1.0 / (g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
            const double along = x[0] * g[0] + x[1] * g[1] + x[2] * g[2];
            // One Newton step to the zero set, and one along it toward the foot of the vertex.
            const double to_foot = (along - value) * inverse;
            double change = 0.0;
            for (int k = 0; k < 3; k++) {
                const double move = to_foot * g[k] - x[k];
                x[k] += move;
                change += move * move;
            }
            const double far = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
            // This form of the condition also rejects NaN.
            if (!(far < 16.0)) return false;
            if (change < 1e-24) {
                gradient_at(z, x, g);
                const double length = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
                const double distance = sqrt(far) * scale, bend = curvature(z);
                const bool keeps = fabs(distance - fabs(phi)) <= FIT_UNCERTAIN * (bend * bend) * fabs(phi);
                found.distance = keeps ? fabs(phi) : distance;
                for (int k = 0; k < 3; k++) found.gradient[k] = g[k] / length;
                return true;
            }
        }
        return false;
    }
};

// The directions along and across the gradient at a vertex.
struct Frame {
    Wide axes[3];
    bool is_flat;  // on a surface

    // Sets the frame with the first axis along `gradient`. On a surface, `normal` is the unit
    // normal at the vertex. Returns false if the gradient has no direction.
    DEVICE bool set(const Wide& gradient, const Wide& normal, bool flat) {
        is_flat = flat;
        const Wide tangential = flat ? gradient - normal * dot(gradient, normal) : gradient;
        const double length = norm(tangential);
        if (length <= 0.0) return false;
        axes[0] = tangential / length;
        if (flat) {
            axes[1] = cross(normal, axes[0]);
        } else {
            const double x = fabs(axes[0].x), y = fabs(axes[0].y), z = fabs(axes[0].z);
            const bool is_x = x <= y && x <= z, is_y = !is_x && y <= z;
            const Wide across = cross(axes[0], Wide{is_x ? 1.0 : 0.0, is_y ? 1.0 : 0.0, is_x || is_y ? 0.0 : 1.0});
            axes[1] = across / norm(across);
        }
        axes[2] = cross(axes[0], axes[1]);
        return true;
    }

    // Computes the coordinates of an edge from the vertex. On a surface, the edge is turned into
    // the tangent plane and keeps its length.
    DEVICE void coordinates(const Wide& edge, double (&x)[3]) const {
        for (int k = 0; k < 3; k++) x[k] = dot(axes[k], edge);
        if (!is_flat) return;
        x[2] = 0.0;
        const double flat = sqrt(x[0] * x[0] + x[1] * x[1]);
        if (flat > 0.0) {
            const double factor = norm(edge) / flat;
            for (int k = 0; k < 3; k++) x[k] *= factor;
        }
    }

    // Returns the vector with these coordinates.
    DEVICE Wide vector(const double (&x)[3]) const { return axes[0] * x[0] + axes[1] * x[1] + axes[2] * x[2]; }
};
