// The image that the emulated compiler hands to the emulated driver in place of machine code: a
// shared library, preceded by its length.
#pragma once

#include <stdint.h>

namespace emulator {

constexpr uint64_t MAGIC = 0x31424c454e52454b;

struct Header {
    uint64_t magic;
    uint64_t bytes;
};

}  // namespace emulator
