// Sets of vertices that are joined pair by pair, by many threads at once.
//
// Each vertex names another of its set with a smaller number, the smallest names itself. Only the
// smallest one of a set is joined to another set, so every join that succeeds leaves one set less.
#pragma once
#include "common/real.cuh"

// The name of a vertex that is in no set.
enum : u32 { NO_SET = 0xffffffffu };

// The smallest vertex of a set, unless another thread joins the set at this moment. What is found
// on the way is named directly, which shortens the next way.
DEVICE u32 smallest_of(volatile u32* names, u32 v) {
    u32 name = names[v];
    while (name != v) {
        u32 next = names[name];
        if (next != name) names[v] = next;
        v = name;
        name = next;
    }
    return v;
}

// Joins the sets of two vertices; false if they are one already.
DEVICE bool join_sets(u32* names, u32 a, u32 b) {
    a = smallest_of(names, a);
    b = smallest_of(names, b);
    while (a != b) {
        u32 low = a < b ? a : b;
        u32 high = a < b ? b : a;
        u32 name = atomicCAS(&names[high], high, low);
        if (name == high) return true;
        // Another thread joined that set.
        a = smallest_of(names, name);
        b = smallest_of(names, low);
    }
    return false;
}
