// Distances to the faces between the two sides of a volume, the counterpart of
// crates/cloud/src/point_distance/edt/faces.rs.
//
// The kernels of edt.cu measure distances to the centers of voxels. A volume with 2 n + 1 places
// along an axis of n voxels has a place for each center (odd), face, edge and corner (even).
// Distances to the marked places of one side are then distances to its closed voxels.
#include "generated/edt.cuh"

// Returns the number of places along an axis of n voxels.
DEVICE u32 places(u32 n) { return 2 * n + 1; }

// Returns the first voxel that touches a place of an axis.
DEVICE u32 first_at(u32 place) { return (place == 0 ? 0 : place - 1) / 2; }

// Returns the end of the voxels that touch a place of an axis of n voxels: one at a center, and two
// at a face within the volume.
DEVICE u32 end_at(u32 place, u32 n) { return min(place / 2 + 1, n); }

// Marks the places that voxels of one side touch.
//
// Grid: one thread per place.
//
// inside  [nz][ny][nx], 0 or 1
// marks   [2 nz + 1][2 ny + 1][2 nx + 1], 0 or 1
extern "C" __global__ void __launch_bounds__(256) edt_faces_mark(Faces faces, const u8* inside, u8* marks) {
    const u64 place = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    const u32 nx = faces.shape[0], ny = faces.shape[1], nz = faces.shape[2];
    const u64 row = place / places(nx);
    const u32 x = (u32)(place % places(nx)), y = (u32)(row % places(ny));
    const u64 slab = row / places(ny);
    if (slab >= places(nz)) return;
    const u32 z = (u32)slab;
    u8 mark = 0;
    for (u32 k = first_at(z); k < end_at(z, nz); k++) {
        for (u32 j = first_at(y); j < end_at(y, ny); j++) {
            for (u32 i = first_at(x); i < end_at(x, nx); i++) {
                mark |= (u8)((inside[i + nx * (j + (u64)ny * k)] != 0) == (faces.side != 0));
            }
        }
    }
    marks[place] = mark;
}

// Copies the distances of the centers of the voxels that are not on the marked side.
//
// Grid: one thread per voxel.
//
// inside     [nz][ny][nx], 0 or 1
// found      [2 nz + 1][2 ny + 1][2 nx + 1], distances of the places
// distances  [nz][ny][nx]
extern "C" __global__ void __launch_bounds__(256)
edt_faces_take(Faces faces, const u8* inside, const float* found, float* distances) {
    const u64 voxel = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    const u32 nx = faces.shape[0], ny = faces.shape[1], nz = faces.shape[2];
    const u64 row = voxel / nx;
    const u64 x = voxel % nx, y = row % ny, z = row / ny;
    if (z >= nz || (inside[voxel] != 0) == (faces.side != 0)) return;
    const float distance = found[2 * x + 1 + places(nx) * (2 * y + 1 + places(ny) * (2 * z + 1))];
    distances[voxel] = faces.negative ? -distance : distance;
}
