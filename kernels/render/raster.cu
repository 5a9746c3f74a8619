// Rasterization of triangles with a depth buffer, the counterpart of
// crates/view/src/picture/raster.rs. Integer coverage, heights and lighting are the same as there.
//
// The kernels run in the order raster_extent, raster_corners, raster_triangles, raster_wide,
// raster_paint. If lines are drawn, raster_heights follows. A sample is a 64-bit word. Its upper
// half encodes the height of the visible triangle, and its lower half is the complement of the
// index of the triangle. The largest word gives the result that the CPU obtains by drawing
// triangles in order.
#include "generated/raster.cuh"
#include "render/light.cuh"

// The number of samples per pixel along each axis.
#define SAMPLES 3
// The number of lattice steps per sample.
#define FINE 256
// Whole blocks draw the triangles whose bounding boxes contain more samples than this.
#define SMALL 256
// The number of parts into which a triangle is divided if whole blocks draw it.
#define PARTS 16
// The number of colors in the color map, and the number of steps in the sRGB curve.
#define MAP_STEPS 512
#define SCREEN_STEPS 4096

// A corner of a triangle: its lattice coordinates and its height.
struct Corner {
    i32 x, y;
    float z;
};

// Converts a double to bits that have the same order. The result is never 0, because 0 stands for
// no value.
DEVICE u64 ordered(double x) {
    const u64 bits = (u64)__double_as_longlong(x);
    return bits >> 63 ? ~bits : bits | (u64)1 << 63;
}

// Finds how far the points extend to the left, down, to the right, up, and toward the eye, in mesh
// units. The scale and origin of the frame are not used.
//
// Grid and block: any number of whole warps, which share the points. Shared memory: none.
//
// extent  [5] initially zeros; ordered bits, the first two of negated coordinates
extern "C" __global__ void raster_extent(Drawing drawing, Frame frame, u64* extent) {
    const u32 threads = gridDim.x * blockDim.x;
    u64 most[5] = {0, 0, 0, 0, 0};
    for (u32 n = blockIdx.x * blockDim.x + threadIdx.x; n < drawing.n_points; n += threads) {
        Triple x = {drawing.points[3 * (u64)n], drawing.points[3 * (u64)n + 1], drawing.points[3 * (u64)n + 2]};
        if (frame.perspective) x = x - frame.middle;
        const double toward = dot(x, frame.toward);
        const double shrink = frame.perspective ? frame.distance / (frame.distance - toward) : 1.0;
        const double right = dot(x, frame.right) * shrink, up = dot(x, frame.up) * shrink;
        const double numbers[5] = {-right, -up, right, up, toward};
#pragma unroll
        for (u32 k = 0; k < 5; k++) {
            // NaN is skipped, as on the CPU.
            if (numbers[k] == numbers[k]) most[k] = max(most[k], ordered(numbers[k]));
        }
    }
#pragma unroll
    for (u32 k = 0; k < 5; k++) {
        for (u32 by = 16; by > 0; by /= 2) most[k] = max(most[k], __shfl_xor_sync(0xffffffffu, most[k], by));
        if (threadIdx.x % 32 == 0 && most[k] > extent[k]) atomicMax(extent + k, most[k]);
    }
}

DEVICE i32 lattice(double x) {
    const double limit = (double)(1 << 29), y = floor(x * (double)(SAMPLES * FINE) + 0.5);
    return y != y ? 0 : (i32)(y < -limit ? -limit : y > limit ? limit : y);
}

// Projects all points to corners in the picture.
//
// Grid and block: any number of threads, which share the points. Shared memory: none.
//
// corners  [n_points]
extern "C" __global__ void raster_corners(Drawing drawing, Frame frame, Corner* corners) {
    const u32 threads = gridDim.x * blockDim.x;
    for (u32 n = blockIdx.x * blockDim.x + threadIdx.x; n < drawing.n_points; n += threads) {
        Triple x = {drawing.points[3 * (u64)n], drawing.points[3 * (u64)n + 1], drawing.points[3 * (u64)n + 2]};
        double px, py, pz;
        if (frame.perspective) {
            x = x - frame.middle;
            const double grown = frame.distance / (frame.distance - dot(x, frame.toward));
            px = frame.origin[0] + dot(x, frame.right) * grown * frame.scale;
            py = frame.origin[1] - dot(x, frame.up) * grown * frame.scale;
            pz = (grown - 1.0) * frame.distance * frame.scale;
        } else {
            px = frame.origin[0] + dot(x, frame.right) * frame.scale;
            py = frame.origin[1] - dot(x, frame.up) * frame.scale;
            pz = dot(x, frame.toward) * frame.scale;
        }
        corners[n] = Corner{lattice(px), lattice(py), (float)pz};
    }
}

// A triangle on the lattice, oriented so that its area is positive.
struct Flat {
    i64 x[3], y[3];
    double z[3];
    i64 area;       // twice the area
    bool turned;

    // Returns twice the area of the triangle formed by a point and the edge opposite corner k.
    DEVICE i64 edge(u32 k, i64 px, i64 py) const {
        const u32 a = (k + 1) % 3, b = (k + 2) % 3;
        return (x[b] - x[a]) * (py - y[a]) - (y[b] - y[a]) * (px - x[a]);
    }

    // Returns 0 for an edge whose points belong to this triangle, and -1 for an edge whose points
    // belong to the neighbor.
    DEVICE i64 bias(u32 k) const {
        const u32 a = (k + 1) % 3, b = (k + 2) % 3;
        const i64 dx = x[b] - x[a], dy = y[b] - y[a];
        return dy > 0 || (dy == 0 && dx < 0) ? 0 : -1;
    }
};

// Computes triangle `t` on the lattice. Returns false if it has no area.
DEVICE bool flat_of(const Drawing& drawing, const Corner* corners, u32 t, Flat& flat) {
#pragma unroll
    for (u32 k = 0; k < 3; k++) {
        const Corner corner = corners[drawing.triangles[3 * (u64)t + k]];
        flat.x[k] = corner.x;
        flat.y[k] = corner.y;
        flat.z[k] = (double)corner.z;
    }
    const i64 area = (flat.x[1] - flat.x[0]) * (flat.y[2] - flat.y[0]) - (flat.y[1] - flat.y[0]) * (flat.x[2] - flat.x[0]);
    flat.turned = area < 0;
    flat.area = area < 0 ? -area : area;
    if (flat.turned) {
        const i64 x = flat.x[1], y = flat.y[1];
        const double z = flat.z[1];
        flat.x[1] = flat.x[2];
        flat.y[1] = flat.y[2];
        flat.z[1] = flat.z[2];
        flat.x[2] = x;
        flat.y[2] = y;
        flat.z[2] = z;
    }
    return area != 0;
}

DEVICE i64 least(const i64* x) { return min(min(x[0], x[1]), x[2]); }
DEVICE i64 most(const i64* x) { return max(max(x[0], x[1]), x[2]); }

// Finds the range of samples along one axis, out of `all`, whose centers lie within the extent of a
// triangle.
DEVICE void ends(const i64* x, i64 all, i64& from, i64& to) {
    from = (least(x) + FINE / 2 - 1) >> 8;
    to = ((most(x) - FINE / 2) >> 8) + 1;
    from = min(max(from, (i64)0), all);
    to = min(max(to, (i64)0), all);
}

// Converts a float to bits that have the same order.
DEVICE u32 ordered(float x) {
    const u32 bits = __float_as_uint(x + 0.0f);
    return bits >> 31 ? ~bits : bits | 0x80000000u;
}

DEVICE float height_of(u64 sample) {
    const u32 bits = (u32)(sample >> 32);
    return __uint_as_float(bits >> 31 ? bits & 0x7fffffffu : ~bits);
}

DEVICE u32 triangle_of(u64 sample) { return ~(u32)sample; }

// Draws a triangle at every `step`-th sample starting at `first`, in every `stride`-th row starting
// at `row`. `first` and `row` are counted from the lower corner of the triangle's bounding box.
DEVICE void draw(const Flat& flat, u32 t, i64 wide, i64 tall, u32 first, u32 step, u32 row, u32 stride, u64* samples) {
    i64 low_x, high_x, low_y, high_y;
    ends(flat.x, wide, low_x, high_x);
    ends(flat.y, tall, low_y, high_y);
    const double area = (double)flat.area;
    const double lowest = fmin(fmin(flat.z[0], flat.z[1]), flat.z[2]);
    const double highest = fmax(fmax(flat.z[0], flat.z[1]), flat.z[2]);
    i64 along[3];
    double slope = 0.0;
#pragma unroll
    for (u32 k = 0; k < 3; k++) {
        along[k] = (flat.y[(k + 1) % 3] - flat.y[(k + 2) % 3]) * FINE;
        slope = slope + (double)along[k] * flat.z[k];
    }
    slope = slope / area;
    for (i64 y = low_y + row; y < high_y; y += stride) {
        i64 edges[3];
        double z_row = 0.0;
#pragma unroll
        for (u32 k = 0; k < 3; k++) {
            edges[k] = flat.edge(k, low_x * FINE + FINE / 2, y * FINE + FINE / 2);
            z_row = z_row + (double)edges[k] * flat.z[k];
            edges[k] += flat.bias(k) + along[k] * first;
        }
        z_row = z_row / area;
        for (i64 x = low_x + first; x < high_x; x += step) {
            if ((edges[0] | edges[1] | edges[2]) >= 0) {
                const double z = z_row + (double)(x - low_x) * slope;
                // If a corner is NaN, the triangle has no height there and is not drawn, as on the
                // CPU.
                if (z != z) break;
                const float height = (float)(z < lowest ? lowest : z > highest ? highest : z);
                // At equal heights, the triangle with the smaller index wins.
                const u64 sample = (u64)ordered(height) << 32 | ~t;
                u64* at = samples + (y * wide + x);
                if (sample > *at) atomicMax(at, sample);
            }
#pragma unroll
            for (u32 k = 0; k < 3; k++) edges[k] += along[k] * step;
        }
    }
}

// Draws small triangles and lists the large ones.
//
// Grid and block: any number of threads, which share the triangles. Shared memory: none.
//
// samples  [tall][wide] initially zeros
// large    [n_triangles] triangles for raster_wide, in any order
// n_large  initially zero
extern "C" __global__ void __launch_bounds__(128)
    raster_triangles(Drawing drawing, Frame frame, const Corner* corners, u64* samples, u32* large, u32* n_large) {
    const u32 threads = gridDim.x * blockDim.x;
    for (u32 t = blockIdx.x * blockDim.x + threadIdx.x; t < drawing.n_triangles; t += threads) {
        Flat flat;
        if (!flat_of(drawing, corners, t, flat)) continue;
        // The corners of a wall are in counterclockwise order when seen from outside. Because y
        // points downward here, `turned` means that the wall faces the viewer.
        if (drawing.open && t < drawing.n_colored && flat.turned) continue;
        i64 low_x, high_x, low_y, high_y;
        ends(flat.x, frame.wide, low_x, high_x);
        ends(flat.y, frame.tall, low_y, high_y);
        if (low_x >= high_x || low_y >= high_y) continue;
        if ((high_x - low_x) * (high_y - low_y) > SMALL) {
            large[atomicAdd(n_large, 1u)] = t;
        } else {
            draw(flat, t, frame.wide, frame.tall, 0, 1, 0, 1, samples);
        }
    }
}

// Draws the large triangles listed by raster_triangles.
//
// Grid and block: any number of blocks, which share the parts of triangles. Shared memory: none.
extern "C" __global__ void __launch_bounds__(128)
    raster_wide(Drawing drawing, Frame frame, const Corner* corners, u64* samples, const u32* large, const u32* n_large) {
    const u64 parts = (u64)*n_large * PARTS;
    for (u64 part = blockIdx.x; part < parts; part += gridDim.x) {
        const u32 t = large[part / PARTS];
        Flat flat;
        if (!flat_of(drawing, corners, t, flat)) continue;
        draw(flat, t, frame.wide, frame.tall, threadIdx.x, blockDim.x, (u32)(part % PARTS), PARTS, samples);
    }
}

struct Color {
    float at[3];
};

// Interpolates the color of a value between the steps of the map. Values outside the range get the
// color of the nearer end, and values that are not finite get the color `no_value`.
DEVICE Color color_of(const Drawing& drawing, double value) {
    if (!is_finite(value)) return Color{drawing.no_value[0], drawing.no_value[1], drawing.no_value[2]};
    const double last = (double)(MAP_STEPS - 1);
    const double place = (value - drawing.low) / (drawing.high - drawing.low) * last;
    const double at = place < 0.0 ? 0.0 : place > last ? last : place;
    const u32 k = (u32)at < MAP_STEPS - 2 ? (u32)at : MAP_STEPS - 2;
    const float t = (float)(at - (double)k);
    Color color;
#pragma unroll
    for (u32 c = 0; c < 3; c++) {
        const float a = drawing.map[3 * k + c], b = drawing.map[3 * k + 3 + c];
        color.at[c] = a + (b - a) * t;
    }
    return color;
}

// Returns the magnification of objects at the projected height z, relative to those at the middle.
DEVICE double growth(const Frame& frame, double z) { return z / (frame.distance * frame.scale) + 1.0; }

// Returns the color of a triangle at a sample, including lighting.
DEVICE Color shaded(const Drawing& drawing, const Frame& frame, const Corner* corners, u32 t, u32 x, u32 y) {
    Flat flat;
    if (!flat_of(drawing, corners, t, flat)) return Color{1.0f, 1.0f, 1.0f};
    double weights[3];
#pragma unroll
    for (u32 k = 0; k < 3; k++) {
        weights[k] = (double)flat.edge(k, (i64)x * FINE + FINE / 2, (i64)y * FINE + FINE / 2) / (double)flat.area;
    }
    if (flat.turned) {
        const double weight = weights[1], z = flat.z[1];
        weights[1] = weights[2];
        weights[2] = weight;
        flat.z[1] = flat.z[2];
        flat.z[2] = z;
    }
    if (frame.perspective) {
        // In perspective, functions that are linear on a triangle are not linear in the picture.
#pragma unroll
        for (u32 k = 0; k < 3; k++) weights[k] = weights[k] * growth(frame, flat.z[k]);
        const double sum = weights[0] + weights[1] + weights[2];
#pragma unroll
        for (u32 k = 0; k < 3; k++) weights[k] = weights[k] / sum;
    }
    Color color = {drawing.solid[0], drawing.solid[1], drawing.solid[2]};
    if (t < drawing.n_colored) {
        double mean = 0.0;
#pragma unroll
        for (u32 k = 0; k < 3; k++) mean = mean + weights[k] * drawing.values[drawing.triangles[3 * (u64)t + k]];
        color = color_of(drawing, mean);
    }
    if (!drawing.normals) return color;
    Triple normal = {0.0, 0.0, 0.0};
#pragma unroll
    for (u32 k = 0; k < 3; k++) {
        const float* n = drawing.normals + 9 * (u64)t + 3 * k;
        normal = normal + Triple{(double)n[0], (double)n[1], (double)n[2]} * weights[k];
    }
    const Triple to_eye = frame.perspective ? ray_of(frame, x, y).along * -1.0 : frame.toward;
    const Shade shade = shade_of(normal, frame, to_eye);
#pragma unroll
    for (u32 c = 0; c < 3; c++) {
        const float light = color.at[c] * shade.strength + 0.05f * shade.gloss;
        color.at[c] = light < 1.0f ? light : 1.0f;
    }
    return color;
}

// Converts linear light to screen brightness from 0 to 255.
DEVICE float encoded(const Drawing& drawing, float light) {
    const float inside = light < 0.0f ? 0.0f : light > 1.0f ? 1.0f : light;
    const float x = inside * (float)SCREEN_STEPS;
    const u32 k = (u32)x;
    const float a = drawing.screen[k], b = drawing.screen[k + 1];
    return a + (b - a) * (x - (float)k);
}

struct __align__(16) Pixel {
    float at[4];
};

// Computes the colors of all pixels.
//
// Grid: the picture in rectangles of RAYS_WIDE x RAYS_TALL pixels. Block: 128. Shared memory: none.
//
// samples  [tall][wide]
// pixels   [tall / SAMPLES][wide / SAMPLES] red, green and blue, 0 to 255, and opacity, 0 to 1
extern "C" __global__ void __launch_bounds__(128, 4)
    raster_paint(Drawing drawing, Frame frame, const Corner* corners, const u64* samples, Pixel* pixels) {
    u32 column, row;
    Frame of_pixels = frame;
    of_pixels.wide = frame.wide / SAMPLES;
    of_pixels.tall = frame.tall / SAMPLES;
    if (!place_of(of_pixels, column, row)) return;
    float light[3] = {0.0f, 0.0f, 0.0f};
    u32 n = 0, covered = 0;
    // Consecutive samples in a pixel that show the same triangle get the color of the first one.
    u32 last = 0xffffffffu;
    Color color = {1.0f, 1.0f, 1.0f};
#pragma unroll 1
    for (u32 k = 0; k < SAMPLES * SAMPLES; k++) {
        const u32 x = column * SAMPLES + k % SAMPLES, y = row * SAMPLES + k / SAMPLES;
        const u64 sample = samples[(u64)y * frame.wide + x];
        const u32 t = triangle_of(sample);
        const bool shows = sample != 0;
        if (t != last) {
            last = t;
            color = shows ? shaded(drawing, frame, corners, t, x, y) : Color{1.0f, 1.0f, 1.0f};
        }
        if (shows || !drawing.transparent) {
#pragma unroll
            for (u32 c = 0; c < 3; c++) light[c] = light[c] + color.at[c];
            n++;
            covered += shows;
        }
    }
    Pixel pixel = {255.0f, 255.0f, 255.0f, drawing.transparent ? 0.0f : 1.0f};
    if (covered > 0) {
#pragma unroll
        for (u32 c = 0; c < 3; c++) pixel.at[c] = encoded(drawing, light[c] / (float)n);
        pixel.at[3] = (float)n / (float)(SAMPLES * SAMPLES);
    }
    pixels[(u64)row * of_pixels.wide + column] = pixel;
}

// Extracts the heights of all samples, which are needed to draw lines. Samples without a triangle
// get minus infinity.
//
// Grid and block: any number of threads, which share the samples. Shared memory: none.
extern "C" __global__ void raster_heights(const u64* samples, u64 n, float* heights) {
    const u64 threads = (u64)gridDim.x * blockDim.x;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) {
        heights[i] = samples[i] ? height_of(samples[i]) : __uint_as_float(0xff800000u);
    }
}
