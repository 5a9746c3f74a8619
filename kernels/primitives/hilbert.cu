// Keys along a Hilbert curve: the counterpart of crates/core/src/primitives/hilbert.rs (after J.
// Skilling, "Programming the Hilbert curve", AIP Conf. Proc. 707), with bitwise identical keys.
//
// Coordinates are double, whatever the precision of the solver, because they are those of the mesh.
#include "generated/hilbert.cuh"

// Returns a word in which every bit equals the lowest bit of `bit`.
DEVICE u32 ones_if(u32 bit) { return 0u - (bit & 1); }

// Skilling's transform from axes to the transposed Hilbert index, without branches.
DEVICE void transpose(u32 (&axes)[3]) {
    u32 x = axes[0], y = axes[1], z = axes[2];
    for (u32 bit = BITS - 1; bit > 0; bit--) {
        const u32 p = (1u << bit) - 1;
        x ^= p & ones_if(x >> bit);
        // If the bit is set, the low bits of the first axis are inverted. Otherwise, they are
        // exchanged.
        u32 set = ones_if(y >> bit);
        u32 t = (x ^ y) & p & ~set;
        y ^= t;
        x ^= t | (p & set);
        set = ones_if(z >> bit);
        t = (x ^ z) & p & ~set;
        z ^= t;
        x ^= t | (p & set);
    }
    y ^= x;
    z ^= y;
    // Each bit of the last axis inverts all bits below it.
    u32 t = z;
    for (u32 shift = 1; shift <= 16; shift *= 2) t ^= t >> shift;
    t >>= 1;
    axes[0] = x ^ t;
    axes[1] = y ^ t;
    axes[2] = z ^ t;
}

// Spreads the lowest 21 bits, with two zero bits between neighbors.
DEVICE u64 spread(u32 axis) {
    u64 x = axis & 0x1fffff;
    x = (x | x << 32) & 0x001f00000000ffffull;
    x = (x | x << 16) & 0x001f0000ff0000ffull;
    x = (x | x << 8) & 0x100f00f00f00f00full;
    x = (x | x << 4) & 0x10c30c30c30c30c3ull;
    return (x | x << 2) & 0x1249249249249249ull;
}

// Returns the position of a coordinate on the lattice. Coordinates outside the lattice are moved to
// its boundary, and NaN becomes 0.
DEVICE u32 place_on_axis(double x, double low, double scale) {
    const u32 last = (1u << BITS) - 1;
    const double place = (x - low) * scale;
    return place >= last ? last : place > 0.0 ? (u32)place : 0;
}

// Computes the positions of points along the curve. Points outside the box of the lattice are moved
// to its boundary.
//
// Grid and block: any number of threads, which share the points. Shared memory: none.
//
// points  [n][3]
// keys    [n]
extern "C" __global__ void hilbert_keys(const double* points, u32 n, Lattice lattice, u64* keys) {
    const u64 threads = (u64)gridDim.x * blockDim.x;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) {
        u32 axes[3];
        for (u32 k = 0; k < 3; k++) {
            axes[k] = place_on_axis(points[3 * i + k], lattice.low[k], lattice.scale);
        }
        transpose(axes);
        keys[i] = spread(axes[0]) << 2 | spread(axes[1]) << 1 | spread(axes[2]);
    }
}
