// Provides the parts of CUDA C++ that the kernels use, for a host compiler. It is included before a
// kernel.
//
// In warp operations, all threads named by a partial mask must pass the same mask. Memory accesses
// happen in program order. A missing barrier is therefore found (fibers.hpp), but a missing fence
// is not.
#pragma once

#include <math.h>

#include <tuple>
#include <type_traits>

#include "shim/fibers.hpp"

#ifndef __global__
#define __global__
#endif
#define __device__
#define DEVICE inline
#define DEVICE_CALL inline
#define __shared__ static __attribute__((section("zs_shared")))
#define __constant__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
#define DYN_SHARED(T, name) T *name = (T *)shim::dynamic_shared()
#define SPIN() shim::yield()

constexpr int warpSize = 32;

namespace shim {

template <typename T>
struct Same {
    typedef T Type;
};

// A type that is deduced from another argument, so that literals convert.
template <typename T>
using As = typename Same<T>::Type;

template <typename To, typename From>
To cast(From x) {
    static_assert(sizeof(To) == sizeof(From));
    To to;
    memcpy(&to, &x, sizeof to);
    return to;
}

inline unsigned at_barrier(bool vote, Site site) {
    Meeting &m = current->block->barrier;
    return m.votes[meet(m, site, vote, 0, 0)];
}

struct HandedOver {
    const Meeting &of;
    unsigned round;
};

// Returns the meeting of the warp's threads that the mask names. The calling thread must be one of
// them.
inline Meeting &named(uint32_t mask, Site site) {
    Warp &warp = current->block->warps[current->thread / 32];
    if (mask == ~0u) {
        return warp.all;
    }
    if (!(mask >> current->thread % 32 & 1)) {
        snprintf(message, sizeof message, "%s:%d: lane %u is not in the mask %#x", site.file,
                 site.line, current->thread % 32, mask);
        fail();
    }
    auto [found, is_new] = warp.some.try_emplace(mask);
    if (is_new) {
        found->second.living = (unsigned)__builtin_popcount(mask & warp.living);
    }
    return found->second;
}

// Hands a value to the threads of the warp that the mask names.
template <typename T>
HandedOver in_warp(uint32_t mask, T value, Site site) {
    static_assert(sizeof(T) <= 8);
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof value);
    Meeting &others = named(mask, site);
    return {others, meet(others, site, false, current->thread % 32, bits)};
}

// Returns the value that a lane handed over.
template <typename T>
T of_lane(const HandedOver &warp, unsigned lane) {
    T value;
    memcpy(&value, &warp.of.values[warp.round][lane], sizeof value);
    return value;
}

inline unsigned lane() { return current->thread % 32; }

// Returns the mask of the lanes that are present and satisfy the predicate.
inline uint32_t ballot(const HandedOver &warp) {
    uint32_t set = 0;
    for (unsigned i = 0; i < 32; i++) {
        bool there = warp.of.present[warp.round] >> i & 1;
        set |= (uint32_t)(there && of_lane<bool>(warp, i)) << i;
    }
    return set;
}

// Replaces a value and returns the old one.
template <typename T, typename F>
T update(T *at, F change) {
    maybe_yield();
    T old = *at;
    *at = change(old);
    return old;
}

// Calls a kernel with arguments given by address. Returns null, or an error message about the
// arguments or the kernel.
template <typename... A, size_t... I>
const char *call(void (*kernel)(A...), const Launch &launch, void *const *args, const size_t *sizes,
                 size_t n, std::index_sequence<I...>) {
    constexpr size_t wanted[] = {sizeof(A)..., 0};
    if (n != sizeof...(A)) {
        snprintf(message, sizeof message, "%zu arguments instead of %zu", n, sizeof...(A));
        return message;
    }
    for (size_t i = 0; i < n; i++) {
        if (sizes[i] != wanted[i]) {
            snprintf(message, sizeof message, "argument %zu has %zu bytes instead of %zu", i,
                     sizes[i], wanted[i]);
            return message;
        }
    }
    return run(launch, [=] { kernel(*(std::remove_cv_t<A> *)args[I]...); });
}

// Returns the number of parameters of a kernel, and their sizes in bytes.
template <typename... A>
size_t parameters(void (*)(A...), const size_t **sizes) {
    static constexpr size_t each[] = {sizeof(A)..., 0};
    *sizes = each;
    return sizeof...(A);
}

template <typename... A>
const char *launch(void (*kernel)(A...), const Launch &launch, void *const *args,
                   const size_t *sizes, size_t n) {
    return call(kernel, launch, args, sizes, n, std::index_sequence_for<A...>());
}

}  // namespace shim

// The position of a call in the source. It is the default value of the last parameter of a
// function.
#define SITE shim::Site site = {__builtin_FILE(), __builtin_LINE()}

inline void __syncthreads(SITE) { shim::at_barrier(false, site); }
inline int __syncthreads_count(int p, SITE) { return (int)shim::at_barrier(p != 0, site); }
inline int __syncthreads_or(int p, SITE) { return shim::at_barrier(p != 0, site) != 0; }
inline int __syncthreads_and(int p, SITE) { return shim::at_barrier(p == 0, site) == 0; }

inline void __syncwarp(uint32_t mask = ~0u, SITE) { shim::in_warp(mask, false, site); }
inline uint32_t __activemask() { return ~0u; }

inline uint32_t __ballot_sync(uint32_t mask, int p, SITE) {
    return shim::ballot(shim::in_warp(mask, p != 0, site));
}
inline int __any_sync(uint32_t mask, int p, SITE) {
    return shim::ballot(shim::in_warp(mask, p != 0, site)) != 0;
}
inline int __all_sync(uint32_t mask, int p, SITE) {
    return shim::ballot(shim::in_warp(mask, p == 0, site)) == 0;
}

// The lanes form groups of `width`. In shuffles up and down, a thread keeps its own value if the
// other lane is outside of its group, and in shuffles by exclusive or, if it is in a later group.
template <typename T>
T __shfl_sync(uint32_t mask, T value, int from, int width = 32, SITE) {
    auto warp = shim::in_warp(mask, value, site);
    return shim::of_lane<T>(warp, shim::lane() / width * width + from % width);
}
template <typename T>
T __shfl_up_sync(uint32_t mask, T value, unsigned by, int width = 32, SITE) {
    auto warp = shim::in_warp(mask, value, site);
    unsigned lane = shim::lane();
    return lane % width >= by ? shim::of_lane<T>(warp, lane - by) : value;
}
template <typename T>
T __shfl_down_sync(uint32_t mask, T value, unsigned by, int width = 32, SITE) {
    auto warp = shim::in_warp(mask, value, site);
    unsigned lane = shim::lane();
    return lane % width + by < (unsigned)width ? shim::of_lane<T>(warp, lane + by) : value;
}
template <typename T>
T __shfl_xor_sync(uint32_t mask, T value, unsigned with, int width = 32, SITE) {
    auto warp = shim::in_warp(mask, value, site);
    unsigned lane = shim::lane(), other = lane ^ with;
    return other / width <= lane / width ? shim::of_lane<T>(warp, other) : value;
}

template <typename T>
T atomicAdd(T *at, shim::As<T> x) {
    return shim::update(at, [=](T old) { return (T)(old + x); });
}
template <typename T>
T atomicSub(T *at, shim::As<T> x) {
    return shim::update(at, [=](T old) { return (T)(old - x); });
}
template <typename T>
T atomicMin(T *at, shim::As<T> x) {
    return shim::update(at, [=](T old) { return x < old ? x : old; });
}
template <typename T>
T atomicMax(T *at, shim::As<T> x) {
    return shim::update(at, [=](T old) { return x > old ? x : old; });
}
template <typename T>
T atomicOr(T *at, shim::As<T> x) {
    return shim::update(at, [=](T old) { return (T)(old | x); });
}
template <typename T>
T atomicAnd(T *at, shim::As<T> x) {
    return shim::update(at, [=](T old) { return (T)(old & x); });
}
template <typename T>
T atomicExch(T *at, shim::As<T> x) {
    return shim::update(at, [=](T) { return x; });
}
template <typename T>
T atomicCAS(T *at, shim::As<T> expected, shim::As<T> x) {
    return shim::update(at, [=](T old) { return old == expected ? x : old; });
}

template <typename T>
T __ldg(const T *at) {
    return *at;
}
template <typename T>
T __ldcg(const T *at) {
    shim::maybe_yield();
    return *(const volatile T *)at;
}
template <typename T>
void __stcg(T *at, shim::As<T> x) {
    *(volatile T *)at = x;
    shim::maybe_yield();
}

inline void __threadfence() { shim::maybe_yield(); }
inline void __threadfence_block() { shim::maybe_yield(); }
inline void __nanosleep(unsigned) { shim::yield(); }
// Counts the switches between threads. The shim itself ends a kernel that hangs.
inline long long clock64() { return (long long)shim::switches; }

inline long long __double_as_longlong(double x) { return shim::cast<long long>(x); }
inline double __longlong_as_double(long long x) { return shim::cast<double>(x); }
inline int __float_as_int(float x) { return shim::cast<int>(x); }
inline float __int_as_float(int x) { return shim::cast<float>(x); }
inline unsigned __float_as_uint(float x) { return shim::cast<unsigned>(x); }
inline float __uint_as_float(unsigned x) { return shim::cast<float>(x); }

inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
inline float __fdividef(float a, float b) { return a / b; }

inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz((unsigned)x); }

template <typename T>
T min(T a, T b) {
    return b < a ? b : a;
}
template <typename T>
T max(T a, T b) {
    return b > a ? b : a;
}
