// Integers by their size, and the word before a function of the device.
//
// Nothing is included: the run-time compiler has no headers.
#pragma once

#ifndef DEVICE
// Inlined always: arrays passed by reference stay in registers only then.
#define DEVICE __device__ __forceinline__
#endif

// Asserts where a field lies; run-time compiler and host have no word in common for that.
#ifdef __CUDACC_RTC__
#define ASSERT_OFFSET(type, field, bytes) \
    static_assert(__INTADDR__(&((type*)0)->field) == bytes, "place of " #type "::" #field)
#else
#define ASSERT_OFFSET(type, field, bytes) \
    static_assert(__builtin_offsetof(type, field) == bytes, "place of " #type "::" #field)
#endif

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef signed char i8;
typedef short i16;
typedef int i32;
typedef long long i64;
