//! Kernels of surfaces from samples: the octree of the processor bit by bit, and velocities by sums over all
//! samples.
