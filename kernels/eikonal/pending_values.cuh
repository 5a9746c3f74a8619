// Notification of patches about new values.
//
// All threads of a warp call these functions together, and those that notify the same patch are
// adjacent. Only the first of these adjacent threads performs the updates that a patch needs only
// once, because frequent updates of shared counts and marks would limit the speed of a round.
#pragma once
#include "eikonal_arguments.cuh"

// Returns whether this lane notifies a patch and is the first lane to notify it.
DEVICE bool is_first_to_tell(bool tells, u32 p) {
    const u32 lanes = 0xffffffffu, before = __ballot_sync(lanes, tells) & ((1u << threadIdx.x % 32) - 1);
    const u32 told_before = __shfl_sync(lanes, p, before ? 31 - __clz(before) : 0);
    return tells && !(before && told_before == p);
}

#if QUEUED_SOLVE

// Puts a patch at the end of the queue. The patch must already be counted as outstanding.
DEVICE void push(const Eikonal& e, u32 p) {
    u32 at = atomicAdd(&e.queue->tail, 1u) & e.ring_mask;
    atomicExch(&e.ring[at], p + 1);
}

// Marks a patch as dirty, and queues it unless it is queued or running.
DEVICE void mark_and_queue(const Eikonal& e, u32 p) {
    if (atomicOr(&e.states[p], DIRTY | QUEUED) & QUEUED) return;
    atomicAdd(&e.queue->outstanding, 1u);
    push(e, p);
}

// Notifies a patch that a vertex it reads has a new value, which is already in memory.
DEVICE void tell(const Eikonal& e, bool tells, u32 p, real value) {
    if (tells && is_ordered(e)) atomic_min_bits(&e.news[p], to_bits(value));
    // The cut is read even if there is no order. The delay lets other values of this update arrive
    // before the patch is taken. Without the delay, a band on the sphere takes twice as long.
    const bool due = tells && value <= from_bits(*(volatile real_bits*)&e.queue->cut);
    if (is_first_to_tell(due, p)) mark_and_queue(e, p);
}

// Notifies a patch of a value before the solve begins.
DEVICE void seed(const Eikonal& e, bool tells, u32 p, real value) { tell(e, tells, p, value); }

#else

// Puts a patch on the list of a round, unless it is there already.
DEVICE void list_patch(const Eikonal& e, u32 round, u32 p) {
    if (atomicExch(&e.listed[p], round) != round) {
        e.lists[(round & 1) * e.n_patches + atomicAdd(&e.counts[round % 3], 1u)] = p;
    }
}

// Notifies a patch, for a later round, of a value that it has not processed.
DEVICE void tell(const Eikonal& e, u32 round, bool tells, u32 p, real value) {
    const bool is_first = is_first_to_tell(tells, p), ordered = is_ordered(e);
    // If there is no order, it is sufficient to know that there are pending values.
    if (ordered ? tells : is_first) atomic_min_bits(&e.news[(round & 1) * e.n_patches + p], to_bits(value));
    if (ordered) {
        real first = tells ? value : INFINITY_R;
        for (int by = 16; by > 0; by /= 2) first = fmin(first, __shfl_xor_sync(0xffffffffu, first, by));
        if (threadIdx.x % 32 == 0 && first < INFINITY_R) atomic_min_bits(&e.first_news[round % 3], to_bits(first));
    }
    if (is_first) list_patch(e, round, p);
}

// Notifies a patch of a value before the solve begins.
DEVICE void seed(const Eikonal& e, bool tells, u32 p, real value) { tell(e, 1, tells, p, value); }

#endif

// Notifies the patch itself, and those that read its vertices, of the values of its owned vertices.
// `u` holds the values in their stored form, in shared memory. All threads of a block must call
// this function.
DEVICE void seed_patch(const Patch& patch, const Eikonal& e, const real* u) {
    real limit = e.width + e.reach[patch.p], earliest = INFINITY_R;
    for (u32 v = threadIdx.x; v < patch.n_owned; v += blockDim.x) earliest = fmin(earliest, fabs(u[v]));
    seed(e, earliest < INFINITY_R, patch.p, earliest);
    const u32 begin = e.wake_offsets[patch.p], end = e.wake_offsets[patch.p + 1];
    for (u32 k = begin + threadIdx.x; __any_sync(0xffffffffu, k < end); k += blockDim.x) {
        real value = k < end ? fabs(u[e.wake_vertices[k]]) : INFINITY_R;
        bool tells = value < limit && value < INFINITY_R;
        seed(e, tells, tells ? e.wake_readers[k] : 0, value);
    }
}
