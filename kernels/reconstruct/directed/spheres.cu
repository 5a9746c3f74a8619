// Signed distances from spheres that are fitted to the samples around each vertex. The counterpart
// of src/reconstruct/directed/spheres.rs.
//
// The order is spheres_reached, a sort, the search for runs (seeds.cu), field_around,
// spheres_values. Every vertex adds its samples in the same order as the CPU: by tile, by cube and
// in the order of the cloud. Results are therefore bitwise identical.
#include "generated/spheres.cuh"
#include "reconstruct/directed/lattice.cuh"

// Returns the bits of the tiles at offsets -1 to 1 from tile `own` along an axis that contain
// vertices within the radius of a sample at x. Bit s + 1 stands for offset s.
DEVICE u32 tiles_within(double x, double radius, i32 own) {
    const i32 from = max((i32)ceil(x - radius) / (i32)EDGE - own + 1, 0);
    const i32 to = min((i32)floor(x + radius) / (i32)EDGE - own + 1, 2);
    u32 bits = 0;
    for (i32 bit = from; bit <= to; bit++) bits |= 1u << bit;
    return bits;
}

// Writes the keys of the tiles that contain vertices within the radius of a sample of a tile.
// Unused entries repeat the key of the tile itself.
//
// Grid: one warp per tile with seeds. Block: 512 threads. Shared memory: none.
//
// radii  in cubes, in the order of the cloud, [n]
// keys   [tiles.n][27]
extern "C" __global__ void __launch_bounds__(BLOCK, 1)
spheres_reached(Lattice lattice, Samples samples, const double* radii, Runs cubes, Runs tiles, u64* keys) {
    const u32 lane = lane_of_thread();
    const u64 t = (u64)blockIdx.x * WARPS + warp_of_thread();
    if (t >= tiles.n) return;
    const u64 own = tiles.keys[t];
    const Place tile = tile_of(lattice, own);
    u32 reached = 0;
    const u32 last = cubes.starts[tiles.starts[t + 1]];
    for (u32 k = cubes.starts[tiles.starts[t]] + lane; k < last; k += WARP) {
        const double* point = samples.places + 3 * (u64)k;
        const double radius = radii[samples.numbers[k]];
        const u32 x = tiles_within(point[0], radius, tile.x);
        const u32 y = tiles_within(point[1], radius, tile.y);
        const u32 z = tiles_within(point[2], radius, tile.z);
        for (u32 d = 0; d < 27; d++) reached |= (x >> d % 3 & y >> d / 3 % 3 & z >> d / 9 & 1) << d;
    }
    for (u32 by = WARP / 2; by > 0; by /= 2) reached |= __shfl_xor_sync(0xffffffffu, reached, by);
    if (lane < 27) keys[27 * t + lane] = reached >> lane & 1 ? tile_key(lattice, beside(tile, step(lane))) : own;
}

// Samples that may lie within their radius of the vertices of a tile.
struct NearSamples {
    // Positions in lattice units.
    double x[BLOCK], y[BLOCK], z[BLOCK];
    double radius[BLOCK];
    // Indices into the sorted samples.
    u32 index[BLOCK];
    u32 n;
    u32 warp_sums[WARPS];
};

// Returns whether an interval of vertices meets those of a tile along an axis.
DEVICE bool meets(double x, double radius, i32 tile) {
    const double low = (double)(tile * (i32)EDGE);
    return ceil(x - radius) < low + EDGE && floor(x + radius) >= low;
}

// Selects the samples that may reach the tile, from `begin` up to, but not including, the smaller
// of `begin + BLOCK` and `end`. Stores them in `near`, in the same order. Every thread must call
// this function.
DEVICE void select_near(NearSamples& near, const Samples& samples, const double* radii, const Place& tile, u32 begin,
                        u32 end) {
    const u32 k = begin + threadIdx.x;
    double x = 0.0, y = 0.0, z = 0.0, radius = 0.0;
    bool is_near = false;
    if (k < end) {
        const double* point = samples.places + 3 * (u64)k;
        x = point[0];
        y = point[1];
        z = point[2];
        radius = radii[samples.numbers[k]];
        is_near = meets(x, radius, tile.x) && meets(y, radius, tile.y) && meets(z, radius, tile.z);
    }
    u32 sum;
    __syncthreads();
    const u32 to = exclusive_scan_of_block(is_near ? 1 : 0, near.warp_sums, sum);
    if (is_near) {
        near.x[to] = x;
        near.y[to] = y;
        near.z[to] = z;
        near.radius[to] = radius;
        near.index[to] = k;
    }
    if (threadIdx.x == 0) near.n = sum;
    __syncthreads();
}

// Weighted sums over the samples around a vertex. Positions are relative to the vertex.
struct Sums {
    double weight, px, py, pz, nx, ny, nz;
    // The products of position and normal, and the squared lengths of the positions.
    double along, square;
};

DEVICE void add(Sums& sums, double weight, const Vector& place, const Vector& normal) {
    sums.weight += weight;
    sums.px += weight * place.x;
    sums.nx += weight * normal.x;
    sums.py += weight * place.y;
    sums.ny += weight * normal.y;
    sums.pz += weight * place.z;
    sums.nz += weight * normal.z;
    sums.along += weight * (place.x * normal.x + place.y * normal.y + place.z * normal.z);
    sums.square += weight * (place.x * place.x + place.y * place.y + place.z * place.z);
}

// Returns the signed distance of the vertex from the fitted sphere c + n . x + q x . x = 0, or
// `otherwise` if no sphere is determined.
DEVICE double distance_of(const Sums& sums, double otherwise) {
    if (!(sums.weight > 0.0)) return otherwise;
    const double spread = sums.square - (sums.px * sums.px + sums.py * sums.py + sums.pz * sums.pz) / sums.weight;
    const double turn = sums.along - (sums.px * sums.nx + sums.py * sums.ny + sums.pz * sums.nz) / sums.weight;
    // A single sample, or several samples at one place, determine only a plane.
    const double q = spread > SPREAD * sums.weight ? 0.5 * turn / spread : 0.0;
    const double nx = (sums.nx - 2.0 * q * sums.px) / sums.weight;
    const double ny = (sums.ny - 2.0 * q * sums.py) / sums.weight;
    const double nz = (sums.nz - 2.0 * q * sums.pz) / sums.weight;
    const double c = -(nx * sums.px + ny * sums.py + nz * sums.pz + q * sums.square) / sums.weight;
    const double square = nx * nx + ny * ny + nz * nz;
    const double length = sqrt(square) + sqrt(fmax(square - 4.0 * c * q, 0.0));
    return length > SHORTEST_GRADIENT ? 2.0 * c / length : otherwise;
}

// Finds the sample nearest to each vertex, and the signed distance of the vertex from the sphere
// fitted to the samples around it. Far from the tangent plane of the nearest sample, the distance
// from that plane replaces it.
//
// Grid: one block per tile. Block: 512 threads. Shared memory: 19 KB.
//
// radii    in cubes, in the order of the cloud, [n]
// keys     keys of the tiles, [n]
// values   NaN far from all samples, [n][512]
// nearest  indices into the sorted samples, [n][512]
extern "C" __global__ void __launch_bounds__(BLOCK, 1)
spheres_values(Lattice lattice, Samples samples, const double* radii, Runs cubes, Runs tiles, const u64* keys,
               float* values, u32* nearest) {
    __shared__ NearSamples near;
    const Place tile = tile_of(lattice, keys[blockIdx.x]);
    const Place at = within(threadIdx.x);
    const double ox = (double)(tile.x * (i32)EDGE), oy = (double)(tile.y * (i32)EDGE), oz = (double)(tile.z * (i32)EDGE);
    const double x = (double)at.x, y = (double)at.y, z = (double)at.z;
    double least = __longlong_as_double(0x7ff0000000000000ll);
    double plane = 0.0;
    Vector own = {0.0, 0.0, 0.0};
    u32 found = NONE;
    Sums sums = {};
    // The first pass finds the nearest sample. The second pass sums over the samples on the same
    // side of the surface as that sample.
    for (u32 pass = 0; pass < 2; pass++) {
        const bool is_fitted = pass == 1 && found != NONE && fabs(plane) <= FITTED;
        for (u32 d = 0; d < 27; d++) {
            const Place other = beside(tile, step(d));
            if (is_below_zero(other)) continue;
            const u32 t = position_of(tiles.keys, (u32)tiles.n, tile_key(lattice, other));
            if (t == NONE) continue;
            const u32 end = cubes.starts[tiles.starts[t + 1]];
            for (u32 begin = cubes.starts[tiles.starts[t]]; begin < end; begin += BLOCK) {
                select_near(near, samples, radii, tile, begin, end);
                if (pass == 1 && !is_fitted) continue;
                for (u32 k = 0; k < near.n; k++) {
                    const double radius = near.radius[k];
                    const double dx = (near.x[k] - ox) - x, dy = (near.y[k] - oy) - y, dz = (near.z[k] - oz) - z;
                    const double distance2 = (dz * dz + dy * dy) + dx * dx;
                    if (!(distance2 < radius * radius)) continue;
                    // Rounding may place a vertex within the radius but outside its box.
                    const double vx = ox + x, vy = oy + y, vz = oz + z;
                    if (vx < near.x[k] - radius || vx > near.x[k] + radius || vy < near.y[k] - radius ||
                        vy > near.y[k] + radius || vz < near.z[k] - radius || vz > near.z[k] + radius)
                        continue;
                    const u32 number = samples.numbers[near.index[k]];
                    if (pass == 0) {
                        if (distance2 < least || (distance2 == least && number < samples.numbers[found])) {
                            least = distance2;
                            found = near.index[k];
                        }
                        continue;
                    }
                    const Vector normal = normal_of(samples.normals, number);
                    if (own.x * normal.x + own.y * normal.y + own.z * normal.z < SAME_SIDE) continue;
                    const double share = 1.0 - distance2 / (radius * radius);
                    add(sums, share * share * (share * share), {dx, dy, dz}, normal);
                }
            }
        }
        if (pass == 0 && found != NONE) {
            own = normal_of(samples.normals, samples.numbers[found]);
            const double* point = samples.places + 3 * (u64)found;
            const double along_x = (ox + x - point[0]) * own.x, along_y = (oy + y - point[1]) * own.y;
            plane = (along_x + along_y) + (oz + z - point[2]) * own.z;
        }
    }
    const u64 vertex = (u64)blockIdx.x * VERTICES + threadIdx.x;
    values[vertex] = found == NONE ? __uint_as_float(0x7fc00000u) : (float)distance_of(sums, plane);
    nearest[vertex] = found;
}
