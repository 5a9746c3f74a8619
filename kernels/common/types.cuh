// Integer types by size, and the qualifier of device functions.
//
// Nothing is included, because the run-time compiler has no headers.
#pragma once

#ifndef DEVICE
// Always inlined, because only then do arrays passed by reference stay in registers.
#define DEVICE __device__ __forceinline__
#endif

#ifndef DEVICE_CALL
// Never inlined, so that a rarely taken path costs its caller few registers.
#define DEVICE_CALL __device__ __noinline__
#endif

// Asserts the offset of a field. The run-time compiler and the host need different expressions for
// it.
#ifdef __CUDACC_RTC__
#define ASSERT_OFFSET(type, field, bytes) \
    static_assert(__INTADDR__(&((type*)0)->field) == bytes, "offset of " #type "::" #field)
#else
#define ASSERT_OFFSET(type, field, bytes) \
    static_assert(__builtin_offsetof(type, field) == bytes, "offset of " #type "::" #field)
#endif

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef signed char i8;
typedef short i16;
typedef int i32;
typedef long long i64;
