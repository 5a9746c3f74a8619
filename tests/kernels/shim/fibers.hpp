// Runs the threads of a kernel as fibers of one host thread.
//
// A fiber runs until it waits (at a barrier or in a warp operation), yields or ends. Then the
// scheduler randomly picks another fiber of the block that can continue, and now and then a fiber
// of another block. The order depends only on the seed, so a failure can be reproduced. Blocks also
// start in random order, and at most `resident` of them run at a time.
//
// Static shared memory is one section of the library. If several blocks run at a time, each block
// has a copy of the section. The copy is swapped in when the block is picked. Stacks are kept from
// launch to launch.
#pragma once

#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

// The bounds of the section, provided by the linker. They are null if no kernel has static shared
// memory.
extern "C" char __start_zs_shared[] __attribute__((weak, visibility("hidden")));
extern "C" char __stop_zs_shared[] __attribute__((weak, visibility("hidden")));

struct uint3 {
    uint32_t x, y, z;
};

static uint3 threadIdx, blockIdx, blockDim, gridDim;

namespace shim {

// The launch configuration. Its counterpart is `Launch` in tests/kernels/library.rs.
struct Launch {
    uint32_t grid, block, shared_bytes, resident;
    uint64_t seed;
};

struct Site {
    const char *file;
    int line;
};

struct Fiber;

// The threads of a block or a warp that wait for each other. The values that they hand over are
// stored twice. A thread may reach the next meeting before another thread has left the current one,
// but it can never reach the meeting after that.
struct Meeting {
    unsigned living = 0, round = 0;
    Site site = {};
    std::vector<Fiber *> waiting;
    unsigned votes[2] = {0, 0};
    uint32_t present[2] = {0, 0};
    uint64_t values[2][32];
};

// A warp. Either all of its threads meet, or only the threads of a mask.
struct Warp {
    Meeting all;
    std::map<uint32_t, Meeting> some;
    uint32_t living = 0;
};

struct Block;

// A stack, and the point at which its current fiber left it. The stack of a fiber that has ended is
// reused.
struct Stack {
    jmp_buf at;
    char *memory;
    bool started;
};

struct Fiber {
    Block *block;
    uint32_t thread;
    Stack *stack;
    bool done;
};

struct Block {
    uint32_t index;
    unsigned living;
    Meeting barrier;
    std::vector<Warp> warps;
    std::vector<Fiber> fibers;
    std::vector<Fiber *> ready;
    std::vector<char> statics, dynamic;
};

constexpr size_t STACK = 64 << 10;
constexpr size_t FENCE = 256;
// The initial content of memory: NaN as a number, and out of range as an index.
constexpr char UNSET = (char)0xff;
// The content of the guard zones around memory that may be written.
constexpr char MARK = (char)0xa7;
// The largest number of switches in one launch. A kernel that needs more is considered endless.
#ifndef MOST_SWITCHES
#define MOST_SWITCHES 10'000'000
#endif
// On average, one switch in this many goes to another block.
constexpr uint64_t STAYS = 64;

static jmp_buf scheduler;
static ucontext_t start;
static Fiber *current;
static std::vector<Stack> stacks;
static std::function<void()> body;
static uint64_t random_state, switches;
static char message[512];

// The generator SplitMix64.
static uint64_t random_bits() {
    uint64_t z = (random_state += 0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

// Ends the launch. The message must have been written before.
[[noreturn]] static void fail() { _longjmp(scheduler, 2); }

// Leaves the fiber. Returns when the fiber is picked again.
__attribute__((noinline)) static void leave() {
    asm volatile("" ::: "memory");
    if (_setjmp(current->stack->at) == 0) {
        _longjmp(scheduler, 1);
    }
    asm volatile("" ::: "memory");
}

static void yield() {
    current->block->ready.push_back(current);
    leave();
}

// Occasionally lets other threads continue. It is called where threads of a GPU may be interleaved.
static void maybe_yield() {
    if (random_bits() % 8 == 0) {
        yield();
    }
}

static void release(Meeting &m, std::vector<Fiber *> &ready) {
    m.round++;
    m.votes[m.round % 2] = 0;
    m.present[m.round % 2] = 0;
    ready.insert(ready.end(), m.waiting.begin(), m.waiting.end());
    m.waiting.clear();
}

// Waits until all living threads have arrived. Returns which of the two stored rounds to read.
static unsigned meet(Meeting &m, Site site, bool vote, unsigned lane, uint64_t value) {
    if (m.waiting.empty()) {
        m.site = site;
    } else if (m.site.line != site.line ||
               (m.site.file != site.file && strcmp(m.site.file, site.file) != 0)) {
        snprintf(message, sizeof message, "threads of block %u wait at %s:%d and at %s:%d",
                 current->block->index, m.site.file, m.site.line, site.file, site.line);
        fail();
    }
    unsigned round = m.round % 2;
    m.votes[round] += vote;
    m.present[round] |= 1u << lane;
    m.values[round][lane] = value;
    m.waiting.push_back(current);
    if (m.waiting.size() == m.living) {
        release(m, current->block->ready);
    }
    leave();
    return round;
}

// The entry of every fiber. It runs one thread after the other.
static void enter() {
    for (;;) {
        body();
        current->done = true;
        leave();
    }
}

// Runs a fiber until it leaves. Returns 2 if the launch failed.
__attribute__((noinline)) static int resume(Fiber *fiber) {
    current = fiber;
    threadIdx = {fiber->thread, 0, 0};
    blockIdx = {fiber->block->index, 0, 0};
    int how = _setjmp(scheduler);
    if (how != 0) {
        return how;
    }
    Stack &stack = *current->stack;
    if (stack.started) {
        _longjmp(stack.at, 1);
    }
    stack.started = true;
    getcontext(&start);
    start.uc_stack.ss_sp = stack.memory;
    start.uc_stack.ss_size = STACK;
    start.uc_link = nullptr;
    makecontext(&start, enter, 0);
    setcontext(&start);
    abort();
}

static void end_of_thread(Fiber *fiber) {
    Block &block = *fiber->block;
    block.living--;
    auto leaves = [&](Meeting &m) {
        m.living--;
        if (m.living > 0 && m.waiting.size() == m.living) {
            release(m, block.ready);
        }
    };
    leaves(block.barrier);
    Warp &warp = block.warps[fiber->thread / 32];
    uint32_t bit = 1u << fiber->thread % 32;
    warp.living &= ~bit;
    leaves(warp.all);
    for (auto &[mask, m] : warp.some) {
        if (mask & bit) {
            leaves(m);
        }
    }
}

static std::unique_ptr<Block> start_block(uint32_t index, const Launch &launch, Stack *stacks) {
    auto block = std::make_unique<Block>();
    block->index = index;
    block->living = block->barrier.living = launch.block;
    block->warps.resize((launch.block + 31) / 32);
    block->fibers.resize(launch.block);
    block->statics.assign(__stop_zs_shared - __start_zs_shared, UNSET);
    block->dynamic.assign(launch.shared_bytes + 2 * FENCE, UNSET);
    memset(block->dynamic.data() + launch.shared_bytes, MARK, 2 * FENCE);
    for (uint32_t t = 0; t < launch.block; t++) {
        block->warps[t / 32].all.living++;
        block->warps[t / 32].living |= 1u << t % 32;
        block->fibers[t] = Fiber{block.get(), t, stacks + t, false};
        block->ready.push_back(&block->fibers[t]);
    }
    return block;
}

static bool all_marked(const char *at, size_t n) {
    return at[0] == MARK && memcmp(at, at + 1, n - 1) == 0;
}

// Returns the start of the dynamic shared memory of the block. `new` aligns it to 16 bytes.
static char *dynamic_shared() { return current->block->dynamic.data(); }

// Returns whether the block stayed within its memory. If it did not, stores a message.
static bool within_bounds(const Block &block, const Launch &launch) {
    if (!all_marked(block.dynamic.data() + launch.shared_bytes, 2 * FENCE)) {
        snprintf(message, sizeof message, "block %u wrote beyond its %u bytes of shared memory",
                 block.index, launch.shared_bytes);
        return false;
    }
    for (const Fiber &fiber : block.fibers) {
        if (!all_marked(fiber.stack->memory, FENCE)) {
            snprintf(message, sizeof message, "a thread of block %u needs more than %zu KB of stack",
                     block.index, STACK >> 10);
            return false;
        }
    }
    return true;
}

static bool is_stuck(const Block &block) {
    if (block.living == 0) {
        return false;
    }
    int n = snprintf(message, sizeof message, "block %u is stuck:", block.index);
    auto say = [&](const Meeting &m, const char *what) {
        if (!m.waiting.empty() && n < (int)sizeof message) {
            n += snprintf(message + n, sizeof message - n, " %zu of %u threads wait %s, %s:%d;",
                          m.waiting.size(), m.living, what, m.site.file, m.site.line);
        }
    };
    say(block.barrier, "at a barrier");
    for (const Warp &warp : block.warps) {
        say(warp.all, "for their warp");
        for (const auto &[mask, m] : warp.some) {
            say(m, "for others of their warp");
        }
    }
    return true;
}

// Saves the section to the block whose static shared memory it holds, and loads that of `wanted`.
static void swap_statics(Block *&held, Block *wanted) {
    size_t n = __stop_zs_shared - __start_zs_shared;
    if (held != wanted && n > 0) {
        if (held) {
            memcpy(held->statics.data(), __start_zs_shared, n);
        }
        memcpy(__start_zs_shared, wanted->statics.data(), n);
    }
    held = wanted;
}

// Runs all threads of a launch. Returns false and stores a message if the kernel is faulty.
static bool run_all(const Launch &launch) {
    std::vector<uint32_t> order(launch.grid);
    for (uint32_t b = 0; b < launch.grid; b++) {
        order[b] = b;
        std::swap(order[b], order[random_bits() % (b + 1)]);
    }
    std::vector<std::unique_ptr<Block>> resident(launch.resident);
    Block *held = nullptr;
    size_t next = 0;
    auto fill = [&](size_t slot) {
        resident[slot].reset();
        if (next < order.size()) {
            resident[slot] = start_block(order[next++], launch, &stacks[slot * launch.block]);
        }
    };
    // Picks the slot of a random block with a thread that can continue.
    auto any = [&]() -> size_t {
        size_t n = resident.size(), first = n > 1 ? random_bits() % n : 0;
        for (size_t i = 0; i < n; i++) {
            size_t slot = (first + i) % n;
            if (resident[slot] && !resident[slot]->ready.empty()) {
                return slot;
            }
        }
        return n;
    };
    for (size_t slot = 0; slot < resident.size(); slot++) {
        fill(slot);
    }
    for (size_t slot = any(); slot < resident.size();) {
        if (++switches > MOST_SWITCHES) {
            snprintf(message, sizeof message, "no end after %llu switches between threads",
                     (unsigned long long)MOST_SWITCHES);
            return false;
        }
        Block &block = *resident[slot];
        std::swap(block.ready[random_bits() % block.ready.size()], block.ready.back());
        Fiber *fiber = block.ready.back();
        block.ready.pop_back();
        swap_statics(held, &block);
        if (resume(fiber) == 2) {
            return false;
        }
        if (fiber->done) {
            end_of_thread(fiber);
            if (block.living == 0) {
                if (!within_bounds(block, launch)) {
                    return false;
                }
                held = nullptr;
                fill(slot);
            }
        }
        Block *same = resident[slot].get();
        bool leaves = !same || same->ready.empty();
        if (leaves || (resident.size() > 1 && random_bits() % STAYS == 0)) {
            slot = any();
        }
    }
    for (const auto &block : resident) {
        if (block && is_stuck(*block)) {
            return false;
        }
    }
    return true;
}

// Creates at least `n` stacks. Returns false if there is not enough memory.
static bool make_stacks(size_t n) {
    while (stacks.size() < n) {
        void *memory = mmap(nullptr, STACK, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED) {
            return false;
        }
        memset(memory, MARK, FENCE);
        stacks.push_back({{}, (char *)memory, false});
    }
    return true;
}

// Launches a kernel. Returns null or a description of its fault.
static const char *run(const Launch &launch, std::function<void()> kernel) {
    if (!make_stacks((size_t)launch.resident * launch.block)) {
        return "not enough memory for the stacks";
    }
    gridDim = {launch.grid, 1, 1};
    blockDim = {launch.block, 1, 1};
    random_state = launch.seed;
    switches = 0;
    body = std::move(kernel);
    bool fine = run_all(launch);
    if (!fine) {
        // The threads were interrupted, so the content of the stacks is invalid.
        for (Stack &stack : stacks) {
            stack.started = false;
            memset(stack.memory, MARK, FENCE);
        }
    }
    return fine ? nullptr : message;
}

}  // namespace shim
