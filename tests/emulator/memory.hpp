// The memory of the emulated GPU. Each array, rounded up to a multiple of ALIGNMENT bytes, ends
// where an inaccessible page begins. New arrays, except for very large ones, are filled with bytes
// that are NaN as a number and out of range as an index.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <map>
#include <mutex>

namespace emulator {

constexpr size_t PAGE = 4096;
// The alignment that the widest loads of kernels need. The end of an array is therefore less than
// this many bytes before the inaccessible page.
constexpr size_t ALIGNMENT = 16;
// Larger arrays are not filled.
constexpr size_t MOST_FILLED = size_t(1) << 28;

class Memory {
  public:
    // Allocates an array. Returns its address, or null if there is not enough memory.
    char *take(size_t bytes) {
        size_t used = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        size_t pages = (used + PAGE - 1) / PAGE * PAGE;
        std::lock_guard<std::mutex> guard(lock_);
        if (pages > total_ - taken_) {
            return nullptr;
        }
        void *base = mmap(nullptr, pages + PAGE, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (base == MAP_FAILED) {
            return nullptr;
        }
        mprotect((char *)base + pages, PAGE, PROT_NONE);
        if (pages <= MOST_FILLED) {
            memset(base, 0xff, pages);
        }
        char *at = (char *)base + pages - used;
        taken_ += pages;
        arrays_[at] = {(char *)base, pages, bytes};
        return at;
    }

    // Frees an array. Returns false if there is no such array. Later accesses to it are detected.
    bool give_back(char *at) {
        std::lock_guard<std::mutex> guard(lock_);
        auto found = arrays_.find(at);
        if (found == arrays_.end()) {
            return false;
        }
        taken_ -= found->second.pages;
        munmap(found->second.base, found->second.pages + PAGE);
        arrays_.erase(found);
        return true;
    }

    // Returns whether the bytes lie in one array.
    bool holds(const char *at, size_t bytes) {
        std::lock_guard<std::mutex> guard(lock_);
        auto next = arrays_.upper_bound(const_cast<char *>(at));
        if (next == arrays_.begin()) {
            return false;
        }
        auto &[start, array] = *--next;
        return at + bytes <= start + array.bytes;
    }

    size_t total() const { return total_; }

    size_t free() {
        std::lock_guard<std::mutex> guard(lock_);
        return total_ - taken_;
    }

    // Prints the position of an accessed address relative to the last array that starts at or
    // before it. A signal handler calls this.
    void explain(const char *at) {
        auto next = arrays_.upper_bound(const_cast<char *>(at));
        if (next == arrays_.begin()) {
            fprintf(stderr, "emulated GPU: %p lies before all arrays\n", (const void *)at);
            return;
        }
        auto &[start, array] = *--next;
        fprintf(stderr, "emulated GPU: %p is %td bytes after the start of an array of %zu bytes\n",
                (const void *)at, at - start, array.bytes);
    }

  private:
    struct Array {
        char *base;
        size_t pages, bytes;
    };
    std::mutex lock_;
    std::map<char *, Array> arrays_;
    size_t total_ = size_t(8) << 30, taken_ = 0;
};

}  // namespace emulator
