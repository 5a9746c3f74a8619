// Signed distances from spheres that are fitted to the samples around each vertex. The counterpart
// of src/reconstruct/directed/spheres.rs.
//
// The order is spheres_reached, a sort, the search for runs (seeds.cu), field_around,
// spheres_values. Every vertex adds its samples in the same order as the CPU: by tile, by cube and
// in the order of the cloud. Results are therefore bitwise identical.
#include "generated/spheres.cuh"
#include "reconstruct/directed/edges.cuh"
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

DEVICE void add(Sums& sums, double radius, const Vector& place, const Vector& normal) {
    const double share = 1.0 - ((place.z * place.z + place.y * place.y) + place.x * place.x) / (radius * radius);
    const double weight = share * share * (share * share);
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

// The vertex of a thread.
struct VertexInTile {
    // Lower corner of the tile and position within it, in lattice units.
    double ox, oy, oz, x, y, z;
};

// Calls `visit` with each sample whose radius reaches the vertex: its index among the sorted
// samples, its number in the cloud, its position relative to the vertex, the square of its
// distance, and its radius. Every thread must call this function. It does nothing for threads that
// are not active.
template <typename Visit>
DEVICE void visit_near(NearSamples& near, const Lattice& lattice, const Samples& samples, const double* radii,
                       const Runs& cubes, const Runs& tiles, const Place& tile, const VertexInTile& v, bool is_active,
                       Visit visit) {
    for (u32 d = 0; d < 27; d++) {
        const Place other = beside(tile, step(d));
        if (is_below_zero(other)) continue;
        const u32 t = position_of(tiles.keys, (u32)tiles.n, tile_key(lattice, other));
        if (t == NONE) continue;
        const u32 end = cubes.starts[tiles.starts[t + 1]];
        for (u32 begin = cubes.starts[tiles.starts[t]]; begin < end; begin += BLOCK) {
            select_near(near, samples, radii, tile, begin, end);
            if (!is_active) continue;
            for (u32 k = 0; k < near.n; k++) {
                const double radius = near.radius[k];
                const Vector place = {(near.x[k] - v.ox) - v.x, (near.y[k] - v.oy) - v.y, (near.z[k] - v.oz) - v.z};
                const double distance2 = (place.z * place.z + place.y * place.y) + place.x * place.x;
                if (!(distance2 < radius * radius)) continue;
                // Rounding may place a vertex within the radius but outside its box.
                const double x = v.ox + v.x, y = v.oy + v.y, z = v.oz + v.z;
                if (x < near.x[k] - radius || x > near.x[k] + radius || y < near.y[k] - radius ||
                    y > near.y[k] + radius || z < near.z[k] - radius || z > near.z[k] + radius)
                    continue;
                visit(near.index[k], samples.numbers[near.index[k]], place, distance2, radius);
            }
        }
    }
}

// Finds the sample nearest to each vertex, and the signed distance of the vertex from the sphere
// fitted to the samples around it. Far from the tangent plane of the nearest sample, the distance
// from that plane replaces it. Beyond a sharp edge, the distance combines the sides of the edge
// (edges.cuh).
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
    const Place place = within(threadIdx.x);
    const VertexInTile v = {(double)(tile.x * (i32)EDGE), (double)(tile.y * (i32)EDGE), (double)(tile.z * (i32)EDGE),
                            (double)place.x,              (double)place.y,              (double)place.z};
    const Vector at = {v.ox + v.x, v.oy + v.y, v.oz + v.z};
    Side sides[SIDES];
    u32 n_sides = 0;
    float value = __uint_as_float(0x7fc00000u);
    u32 owner = NONE;
    // The first round finds the side of the nearest sample. The next rounds find the other sides of
    // an edge.
    for (u32 round = 0; round < SIDES; round++) {
        const bool is_sought = round == 0 || n_sides > 0;
        if (round > 0 && !__syncthreads_or(is_sought)) break;
        double least = __longlong_as_double(0x7ff0000000000000ll);
        u32 found = NONE;
        visit_near(near, lattice, samples, radii, cubes, tiles, tile, v, is_sought,
                   [&](u32 k, u32 number, const Vector&, double distance2, double) {
                       if (n_sides > 0) {
                           const Vector normal = normal_of(samples.normals, number);
                           if (dot(sides[0].normal, normal) <= OPPOSITE) return;
                           for (u32 s = 0; s < n_sides; s++)
                               if (dot(sides[s].normal, normal) >= SAME_SIDE) return;
                       }
                       if (distance2 < least || (distance2 == least && number < samples.numbers[found])) {
                           least = distance2;
                           found = k;
                       }
                   });
        Side side = {found, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, 0.0};
        double radius = 0.0;
        if (found != NONE) {
            const double* point = samples.places + 3 * (u64)found;
            side.point = {point[0], point[1], point[2]};
            side.normal = normal_of(samples.normals, samples.numbers[found]);
            radius = radii[samples.numbers[found]];
        }
        // The distance from the tangent plane of the nearest sample.
        const double plane = ((at.x - side.point.x) * side.normal.x + (at.y - side.point.y) * side.normal.y) +
                             (at.z - side.point.z) * side.normal.z;
        const bool is_fitted = found != NONE && (round > 0 || fabs(plane) <= FITTED);
        if (round > 0 && !__syncthreads_or(is_fitted)) break;
        Sums sums = {};
        visit_near(near, lattice, samples, radii, cubes, tiles, tile, v, is_fitted,
                   [&](u32, u32 number, const Vector& of_sample, double, double radius) {
                       const Vector normal = normal_of(samples.normals, number);
                       if (dot(side.normal, normal) >= SAME_SIDE) add(sums, radius, of_sample, normal);
                   });
        const double none = __longlong_as_double(0x7ff8000000000000ll);
        side.distance = distance_of(sums, round == 0 ? plane : none);
        if (round == 0 && found != NONE) {
            owner = found;
            value = (float)side.distance;
        }
        if (!(sums.weight > 0.0) || isnan(side.distance)) continue;
        side.center = {sums.px / sums.weight, sums.py / sums.weight, sums.pz / sums.weight};
        if (round == 0 && !is_beyond(side.center, side.normal, radius)) continue;
        sides[n_sides++] = side;
    }
    if (n_sides > 1) {
        const Side& side = sides[choose_side(sides, n_sides, at)];
        value = (float)side.distance;
        owner = side.sample;
    }
    const u64 vertex = (u64)blockIdx.x * VERTICES + threadIdx.x;
    values[vertex] = value;
    nearest[vertex] = owner;
}
