// Disjoint sets of vertices that many threads join pair by pair.
//
// Each vertex names a vertex of its set with a smaller index; the smallest vertex (the one with the
// smallest index) names itself. Only the smallest vertex of a set is joined to another set, so
// every successful join reduces the number of sets by one.
#pragma once
#include "common/types.cuh"

// The name of a vertex that is in no set.
enum : u32 { NO_SET = 0xffffffffu };

// Names in shared memory. Threads contend for few addresses, and each access is atomic.
struct InShared {
    DEVICE static u32 read(u32* at) { return atomicOr(at, 0u); }
    DEVICE static void lower(u32* at, u32 name) { atomicMin(at, name); }
};

// Names in global memory. An outdated name is as good as a current one. It only makes the path to
// the smallest vertex longer. Names may therefore come from the cache of a multiprocessor, which
// avoids contention at the address of a set that all threads read. Only the exchange in join_sets
// needs the current value.
struct InGlobal {
    DEVICE static u32 read(u32* at) { return *at; }
    DEVICE static void lower(u32* at, u32 name) { *at = name; }
};

// Returns the smallest vertex of the set of v, unless another thread is just joining this set to a
// different one. Also shortens the path to that vertex.
template <class Memory>
DEVICE u32 smallest_of(u32* names, u32 v) {
    u32 name = Memory::read(&names[v]);
    while (name != v) {
        u32 next = Memory::read(&names[name]);
        if (next != name) Memory::lower(&names[v], next);
        v = name;
        name = next;
    }
    return v;
}

// Joins the sets of two vertices. Returns false if both are already in the same set.
template <class Memory>
DEVICE bool join_sets(u32* names, u32 a, u32 b) {
    a = smallest_of<Memory>(names, a);
    b = smallest_of<Memory>(names, b);
    while (a != b) {
        u32 low = a < b ? a : b;
        u32 high = a < b ? b : a;
        u32 name = atomicCAS(&names[high], high, low);
        if (name == high) return true;
        // Another thread has already joined the set of `high` to a different one.
        a = smallest_of<Memory>(names, name);
        b = smallest_of<Memory>(names, low);
    }
    return false;
}

// Returns the smallest vertex of the set of v. No thread may join sets at the same time.
DEVICE u32 settled(const u32* names, u32 v) {
    while (names[v] != v) v = names[v];
    return v;
}
