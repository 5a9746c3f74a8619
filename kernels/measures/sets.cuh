// Sets of vertices that are joined pair by pair, by many threads at once.
//
// Each vertex names another of its set with a smaller number, the smallest names itself. Only the
// smallest one of a set is joined to another set, so every join that succeeds leaves one set less.
#pragma once
#include "common/types.cuh"

// The name of a vertex that is in no set.
enum : u32 { NO_SET = 0xffffffffu };

// Names in shared memory: threads meet at few addresses, each access is atomic.
struct InShared {
    DEVICE static u32 read(u32* at) { return atomicOr(at, 0u); }
    DEVICE static void lower(u32* at, u32 name) { atomicMin(at, name); }
};

// Names in global memory. An old name is as good as a new one, it only leads a longer way: names
// may come out of the cache of a multiprocessor, which keeps a set that all threads ask for from
// being one busy address. Only the exchange in join_sets has to see what is there.
struct InGlobal {
    DEVICE static u32 read(u32* at) { return *at; }
    DEVICE static void lower(u32* at, u32 name) { *at = name; }
};

// The smallest vertex of a set, unless another thread joins the set at this moment. What is found
// on the way is named directly, which shortens the next way.
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

// Joins the sets of two vertices; false if they are one already.
template <class Memory>
DEVICE bool join_sets(u32* names, u32 a, u32 b) {
    a = smallest_of<Memory>(names, a);
    b = smallest_of<Memory>(names, b);
    while (a != b) {
        u32 low = a < b ? a : b;
        u32 high = a < b ? b : a;
        u32 name = atomicCAS(&names[high], high, low);
        if (name == high) return true;
        // Another thread joined that set.
        a = smallest_of<Memory>(names, name);
        b = smallest_of<Memory>(names, low);
    }
    return false;
}

// The smallest vertex of a set while no thread joins any.
DEVICE u32 settled(const u32* names, u32 v) {
    while (names[v] != v) v = names[v];
    return v;
}
