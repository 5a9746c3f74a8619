// The end of a step: the findings of its blocks, and how the next step determines the progress from
// them.
#pragma once

#include "evolution_arguments.cuh"

// The outcomes for the vertices of one thread: the largest change in phi near the interface, and
// the first vertex whose new value is not sound (0xffffffff if there is none).
struct Outcome {
    real change_near;
    u32 broken;
};

DEVICE void account(Outcome& outcome, const Evolution& s, u32 vertex, real old, real fresh) {
    // A stable step leaves no |phi| above four times the half width with its margin.
    const bool is_sound = fabs(fresh) < INFINITY_R && fabs(fresh) <= R(4) * s.width;
    if (!is_sound) outcome.broken = outcome.broken < vertex ? outcome.broken : vertex;
    if (fabs(old) < s.near) outcome.change_near = fmax(outcome.change_near, fabs(fresh - old));
}

// Adds the outcomes of a block to the trace of the step, and records there whether one of the
// block's cells is cut; whole warps must call it.
DEVICE void leave(Trace& trace, const Outcome& outcome, int cut) {
    if (cut && threadIdx.x == 0) atomicOr(&trace.cut, 1u);
    if (outcome.broken != 0xffffffffu) atomicMax(&trace.broken, ~outcome.broken);
    // Most warps have no vertices. A change that is NaN is ignored, because its vertex is recorded
    // as broken.
    real change = outcome.change_near;
    if (!__any_sync(0xffffffffu, change > R(0))) return;
#pragma unroll
    for (int by = 16; by > 0; by /= 2) change = fmax(change, __shfl_xor_sync(0xffffffffu, change, by));
    if (threadIdx.x % 32 == 0) atomic_max_bits(&trace.change_near, to_bits(change));
}

// Data about step `turn` - 1 of a cycle, available once that step has ended.
struct Ahead {
    Progress progress;  // before step `turn` - 1; before step 0 if `turn` is 0
    Trace trace;        // trace of step `turn` - 1
};

// Returns the progress before step `turn` - 1, which must have ended. If `turn` is 0, returns the
// progress before step 0.
DEVICE const Progress* progress_ahead(const Evolution& s, u32 turn) {
    return turn < 2 ? &s.control->progress : &s.chain[(turn - 1) & 1];
}

// Copies word k of `ahead` (the progress, then the trace), bypassing the L1 cache, which may hold
// outdated values. A warp has enough lanes to copy all words.
DEVICE void look_ahead(const Evolution& s, u32 turn, u32 k, Ahead& ahead) {
    enum { OF_PROGRESS = sizeof(Progress) / sizeof(u32), OF_TRACE = sizeof(Trace) / sizeof(u32) };
    static_assert(OF_PROGRESS + OF_TRACE <= 32, "a word for each thread of a warp");
    const Progress* progress = progress_ahead(s, turn);
    const u32* trace = (const u32*)&s.traces[(turn + 2) % 3];
    if (k < OF_PROGRESS) ((u32*)&ahead.progress)[k] = __ldcg((const u32*)progress + k);
    else if (turn > 0 && k < OF_PROGRESS + OF_TRACE) ((u32*)&ahead.trace)[k - OF_PROGRESS] = __ldcg(trace + k - OF_PROGRESS);
}

// Returns the progress before step `turn`.
DEVICE Progress progress_after(const Control& c, const Ahead& ahead, u32 turn) {
    Progress progress = ahead.progress;
    if (turn > 0 && !is_paused(progress)) end_step(c, progress, ahead.trace);
    return progress;
}

// Passes the progress before step `turn` on to the step after it, and clears the trace of that
// later step. The whole block must call it. The overwritten data are no longer read, because the
// previous step has ended.
DEVICE void hand_on(const Evolution& s, const Control& c, u32 turn, Ahead& ahead) {
    look_ahead(s, turn, threadIdx.x, ahead);
    __syncthreads();
    if (threadIdx.x != 0) return;
    if (turn > 0) s.chain[turn & 1] = progress_after(c, ahead, turn);
    s.traces[(turn + 1) % 3] = Trace{0, 0, 0};
}
