// Implements the part of the CUDA driver that the program uses, for a GPU that the CPU emulates.
//
// Kernels run immediately, thread by thread (tests/kernels/shim/fibers.hpp), in a new random order
// for every launch. Each array ends directly before an inaccessible page, so accesses beyond its
// end are detected. Functions that the program does not call are missing. Streams execute
// everything immediately, and a graph is a list of operations.
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "image.hpp"
#include "memory.hpp"

#define API extern "C" __attribute__((visibility("default")))

namespace {

using emulator::Header;
using emulator::MAGIC;
using emulator::Memory;

enum Result {
    SUCCESS = 0,
    INVALID_VALUE = 1,
    OUT_OF_MEMORY = 2,
    NO_DEVICE = 100,
    INVALID_DEVICE = 101,
    INVALID_IMAGE = 200,
    NOT_FOUND = 500,
    LAUNCH_FAILED = 719,
    COOPERATIVE_LAUNCH_TOO_LARGE = 720,
};

// The emulated GPU has compute capability 8.9 and a CUDA 12.2 driver. Its kernels do not overlap.
constexpr int MAJOR = 8, MINOR = 9, DRIVER = 12020;
constexpr unsigned MOST_SHARED = 99 << 10, MOST_THREADS = 1024;
constexpr char NAME[] = "emulated GPU";

unsigned multiprocessors() {
    const char *asked = getenv("EMULATED_MULTIPROCESSORS");
    return asked && atoi(asked) > 0 ? (unsigned)atoi(asked) : 4;
}

// See tests/kernels/shim/fibers.hpp.
struct Launch {
    uint32_t grid, block, shared_bytes, resident;
    uint64_t seed;
};

typedef const char *(*Entry)(const Launch *, void *const *args, const size_t *sizes, size_t n);
typedef size_t (*Parameters)(const size_t **sizes);

// A loaded image. Its kernels share static memory and the scheduler, so only one launch runs at a
// time.
struct Module {
    void *library;
    std::mutex lock;
    uint64_t launches = 0;
};

struct Function {
    Module *module;
    std::string name;
    Entry entry;
    const size_t *sizes;
    size_t n;
};

typedef std::vector<std::function<int()>> Graph;

struct Stream {
    Graph *recorded = nullptr;
};

struct Event {
    double milliseconds = 0;
};

// The memory is never destroyed because other threads may still run while the process ends.
Memory &memory() {
    static Memory *all = new Memory;
    return *all;
}

Stream &stream_of(void *handle) {
    static Stream *standard = new Stream;
    return handle ? *(Stream *)handle : *standard;
}

thread_local const Function *running;

void explain_fault(int, siginfo_t *info, void *) {
    fprintf(stderr, "emulated GPU: %s accesses memory outside of its arrays\n",
            running ? running->name.c_str() : "the host");
    memory().explain((const char *)info->si_addr);
    signal(SIGSEGV, SIG_DFL);
}

// Runs the work now or, if the stream records a graph, adds it to the graph.
int in_order(void *stream, std::function<int()> work) {
    if (Graph *graph = stream_of(stream).recorded) {
        graph->push_back(std::move(work));
        return SUCCESS;
    }
    return work();
}

uint64_t mixed(uint64_t seed, const std::string &name) {
    for (char c : name) {
        seed = (seed ^ (unsigned char)c) * 0x100000001b3;
    }
    return seed;
}

int run(Function *function, Launch launch, void *const *args) {
    Module &module = *function->module;
    std::lock_guard<std::mutex> guard(module.lock);
    static const char *asked = getenv("EMULATED_SEED");
    launch.seed = mixed((asked ? strtoull(asked, nullptr, 10) : 0) + ++module.launches, function->name);
    static const bool traced = getenv("EMULATED_TRACE");
    if (traced) {
        fprintf(stderr, "emulated GPU: %s, %u x %u threads, %u bytes\n", function->name.c_str(),
                launch.grid, launch.block, launch.shared_bytes);
    }
    const Function *outer = running;
    running = function;
    const char *fault = function->entry(&launch, args, function->sizes, function->n);
    running = outer;
    if (fault) {
        fprintf(stderr, "emulated GPU: %s: %s\n", function->name.c_str(), fault);
        return LAUNCH_FAILED;
    }
    return SUCCESS;
}

int launch(Function *function, unsigned grid, unsigned block, unsigned shared, void *stream,
           void **args, bool cooperative) {
    if (grid == 0 || block == 0 || block > MOST_THREADS || shared > MOST_SHARED) {
        return INVALID_VALUE;
    }
    if (cooperative && grid > multiprocessors()) {
        return COOPERATIVE_LAUNCH_TOO_LARGE;
    }
    // Arguments belong to the caller, so each of them is copied.
    std::vector<std::vector<char>> copies;
    for (size_t i = 0; i < function->n; i++) {
        copies.emplace_back((char *)args[i], (char *)args[i] + function->sizes[i]);
    }
    // If all blocks are resident, they may wait for each other, as the blocks of a queue do.
    Launch how = {grid, block, shared, grid > multiprocessors() ? 2 : grid, 0};
    return in_order(stream, [=]() mutable {
        std::vector<void *> addresses;
        for (auto &copy : copies) {
            addresses.push_back(copy.data());
        }
        return run(function, how, addresses.data());
    });
}

int copy(void *to, const void *from, size_t bytes, void *stream, bool to_gpu, bool from_gpu) {
    if ((to_gpu && bytes && !memory().holds((char *)to, bytes)) ||
        (from_gpu && bytes && !memory().holds((char *)from, bytes))) {
        fprintf(stderr, "emulated GPU: a copy of %zu bytes does not lie in an array\n", bytes);
        return INVALID_VALUE;
    }
    return in_order(stream, [=] {
        memmove(to, from, bytes);
        return (int)SUCCESS;
    });
}

int fill(char *at, unsigned char value, size_t bytes, void *stream) {
    if (bytes && !memory().holds(at, bytes)) {
        fprintf(stderr, "emulated GPU: %zu bytes to fill do not lie in an array\n", bytes);
        return INVALID_VALUE;
    }
    return in_order(stream, [=] {
        memset(at, value, bytes);
        return (int)SUCCESS;
    });
}

}  // namespace

typedef unsigned long long Address;

API int cuInit(unsigned) {
    static bool once = [] {
        struct sigaction action = {};
        action.sa_sigaction = explain_fault;
        action.sa_flags = SA_SIGINFO | SA_NODEFER;
        return sigaction(SIGSEGV, &action, nullptr) == 0;
    }();
    (void)once;
    const char *shown = getenv("CUDA_VISIBLE_DEVICES");
    return shown && (!*shown || *shown == '-') ? NO_DEVICE : SUCCESS;
}
API int cuDriverGetVersion(int *version) {
    *version = DRIVER;
    return SUCCESS;
}
API int cuGetErrorName(int error, const char **name) {
    switch (error) {
        case SUCCESS: *name = "CUDA_SUCCESS"; break;
        case INVALID_VALUE: *name = "CUDA_ERROR_INVALID_VALUE"; break;
        case OUT_OF_MEMORY: *name = "CUDA_ERROR_OUT_OF_MEMORY"; break;
        case NO_DEVICE: *name = "CUDA_ERROR_NO_DEVICE"; break;
        case INVALID_DEVICE: *name = "CUDA_ERROR_INVALID_DEVICE"; break;
        case INVALID_IMAGE: *name = "CUDA_ERROR_INVALID_IMAGE"; break;
        case NOT_FOUND: *name = "CUDA_ERROR_NOT_FOUND"; break;
        case LAUNCH_FAILED: *name = "CUDA_ERROR_LAUNCH_FAILED"; break;
        case COOPERATIVE_LAUNCH_TOO_LARGE: *name = "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE"; break;
        default: return INVALID_VALUE;
    }
    return SUCCESS;
}
API int cuGetErrorString(int error, const char **text) { return cuGetErrorName(error, text); }

API int cuDeviceGetCount(int *count) {
    *count = 1;
    return SUCCESS;
}
API int cuDeviceGet(int *device, int ordinal) {
    *device = ordinal;
    return ordinal == 0 ? SUCCESS : INVALID_DEVICE;
}
API int cuDeviceGetName(char *name, int room, int) {
    snprintf(name, (size_t)room, "%s", NAME);
    return SUCCESS;
}
API int cuDeviceTotalMem_v2(size_t *bytes, int) {
    *bytes = memory().total();
    return SUCCESS;
}
API int cuDeviceGetAttribute(int *value, int attribute, int) {
    switch (attribute) {
        case 1: *value = MOST_THREADS; break;
        case 10: *value = 32; break;
        case 16: *value = (int)multiprocessors(); break;
        case 75: *value = MAJOR; break;
        case 76: *value = MINOR; break;
        case 97: *value = MOST_SHARED; break;   // for blocks that request it
        case 115: *value = 1; break;            // memory pools
        default:
            fprintf(stderr, "emulated GPU: attribute %d is not known\n", attribute);
            return INVALID_VALUE;
    }
    return SUCCESS;
}
API int cuDeviceGetDefaultMemPool(void **pool, int) {
    *pool = pool;
    return SUCCESS;
}
API int cuMemPoolSetAttribute(void *, int, void *) { return SUCCESS; }

API int cuDevicePrimaryCtxRetain(void **context, int) {
    static char only;
    *context = &only;
    return SUCCESS;
}
API int cuDevicePrimaryCtxRelease_v2(int) { return SUCCESS; }
API int cuCtxSetCurrent(void *) { return SUCCESS; }
API int cuCtxGetCurrent(void **context) { return cuDevicePrimaryCtxRetain(context, 0); }
API int cuCtxSynchronize() { return SUCCESS; }

API int cuMemGetInfo_v2(size_t *free, size_t *total) {
    *free = memory().free();
    *total = memory().total();
    return SUCCESS;
}
API int cuMemAlloc_v2(Address *at, size_t bytes) {
    if (bytes == 0) {
        return INVALID_VALUE;
    }
    char *taken = memory().take(bytes);
    *at = (Address)taken;
    return taken ? SUCCESS : OUT_OF_MEMORY;
}
API int cuMemAllocAsync(Address *at, size_t bytes, void *) { return cuMemAlloc_v2(at, bytes); }
API int cuMemFree_v2(Address at) { return memory().give_back((char *)at) ? SUCCESS : INVALID_VALUE; }
API int cuMemFreeAsync(Address at, void *) { return cuMemFree_v2(at); }
API int cuMemHostAlloc(void **at, size_t bytes, unsigned) {
    *at = aligned_alloc(emulator::PAGE, (bytes + emulator::PAGE - 1) / emulator::PAGE * emulator::PAGE);
    return *at ? SUCCESS : OUT_OF_MEMORY;
}
API int cuMemFreeHost(void *at) {
    free(at);
    return SUCCESS;
}
API int cuMemcpyHtoDAsync_v2(Address to, const void *from, size_t bytes, void *stream) {
    return copy((void *)to, from, bytes, stream, true, false);
}
API int cuMemcpyDtoHAsync_v2(void *to, Address from, size_t bytes, void *stream) {
    return copy(to, (const void *)from, bytes, stream, false, true);
}
API int cuMemcpyDtoDAsync_v2(Address to, Address from, size_t bytes, void *stream) {
    return copy((void *)to, (const void *)from, bytes, stream, true, true);
}
API int cuMemsetD8Async(Address at, unsigned char value, size_t bytes, void *stream) {
    return fill((char *)at, value, bytes, stream);
}

API int cuStreamCreate(void **stream, unsigned) {
    *stream = new Stream;
    return SUCCESS;
}
API int cuStreamDestroy_v2(void *stream) {
    delete (Stream *)stream;
    return SUCCESS;
}
API int cuStreamSynchronize(void *) { return SUCCESS; }
API int cuStreamWaitEvent(void *, void *, unsigned) { return SUCCESS; }
API int cuStreamBeginCapture_v2(void *stream, int) {
    stream_of(stream).recorded = new Graph;
    return SUCCESS;
}
API int cuStreamEndCapture(void *stream, void **graph) {
    *graph = stream_of(stream).recorded;
    stream_of(stream).recorded = nullptr;
    return *graph ? SUCCESS : INVALID_VALUE;
}
API int cuStreamIsCapturing(void *stream, int *status) {
    *status = stream_of(stream).recorded != nullptr;
    return SUCCESS;
}
API int cuGraphInstantiateWithFlags(void **executable, void *graph, unsigned long long) {
    *executable = new Graph(*(Graph *)graph);
    return SUCCESS;
}
API int cuGraphUpload(void *, void *) { return SUCCESS; }
API int cuGraphLaunch(void *executable, void *) {
    for (auto &work : *(Graph *)executable) {
        if (int failed = work()) {
            return failed;
        }
    }
    return SUCCESS;
}
API int cuGraphDestroy(void *graph) {
    delete (Graph *)graph;
    return SUCCESS;
}
API int cuGraphExecDestroy(void *executable) { return cuGraphDestroy(executable); }

API int cuEventCreate(void **event, unsigned) {
    *event = new Event;
    return SUCCESS;
}
API int cuEventDestroy_v2(void *event) {
    delete (Event *)event;
    return SUCCESS;
}
API int cuEventRecord(void *event, void *) {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    ((Event *)event)->milliseconds = (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
    return SUCCESS;
}
API int cuEventSynchronize(void *) { return SUCCESS; }
API int cuEventQuery(void *) { return SUCCESS; }
API int cuEventElapsedTime_v2(float *milliseconds, void *from, void *to) {
    *milliseconds = (float)(((Event *)to)->milliseconds - ((Event *)from)->milliseconds);
    return SUCCESS;
}
API int cuEventElapsedTime(float *milliseconds, void *from, void *to) {
    return cuEventElapsedTime_v2(milliseconds, from, to);
}

API int cuModuleLoadData(void **module, const void *image) {
    const Header *header = (const Header *)image;
    if (header->magic != MAGIC) {
        return INVALID_IMAGE;
    }
    // Each image gets a new file name because the loader identifies libraries by name.
    std::string path = (std::filesystem::temp_directory_path() / "kernels-XXXXXX").string();
    int file = mkstemp(path.data());
    if (file < 0) {
        return OUT_OF_MEMORY;
    }
    bool whole = write(file, header + 1, header->bytes) == (ssize_t)header->bytes;
    close(file);
    void *library = whole ? dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
    unlink(path.c_str());
    if (!library) {
        fprintf(stderr, "emulated GPU: %s\n", whole ? dlerror() : "no space for kernels");
        return INVALID_IMAGE;
    }
    *module = new Module{library, {}, 0};
    return SUCCESS;
}
// The few functions of a module are never freed, and neither is their module.
API int cuModuleUnload(void *) { return SUCCESS; }
API int cuModuleGetFunction(void **function, void *module, const char *name) {
    void *library = ((Module *)module)->library;
    auto entry = (Entry)dlsym(library, ("launch_" + std::string(name)).c_str());
    auto parameters = (Parameters)dlsym(library, ("parameters_" + std::string(name)).c_str());
    if (!entry || !parameters) {
        return NOT_FOUND;
    }
    const size_t *sizes;
    size_t n = parameters(&sizes);
    *function = new Function{(Module *)module, name, entry, sizes, n};
    return SUCCESS;
}
API int cuFuncSetAttribute(void *, int attribute, int value) {
    bool too_much = attribute == 8 && (unsigned)value > MOST_SHARED;
    return too_much ? INVALID_VALUE : SUCCESS;
}
API int cuFuncGetAttribute(int *value, int, void *) {
    *value = 0;
    return SUCCESS;
}
API int cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, void *, int block,
                                                             size_t shared, unsigned) {
    *blocks = block <= (int)MOST_THREADS && shared <= MOST_SHARED;
    return SUCCESS;
}
API int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *function, int block,
                                                    size_t shared) {
    return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, block, shared, 0);
}
API int cuLaunchKernel(void *function, unsigned grid, unsigned, unsigned, unsigned block, unsigned,
                       unsigned, unsigned shared, void *stream, void **args, void **) {
    return launch((Function *)function, grid, block, shared, stream, args, false);
}
API int cuLaunchCooperativeKernel(void *function, unsigned grid, unsigned, unsigned, unsigned block,
                                  unsigned, unsigned, unsigned shared, void *stream, void **args) {
    return launch((Function *)function, grid, block, shared, stream, args, true);
}
