// Implements the part of NVRTC that the program uses, with the C++ compiler of the host. A source
// becomes a shared library, which driver.cpp loads.
//
// The environment variable CXX names the compiler (default c++). Two macros must be defined when
// this file is compiled. EMULATOR_ROOT is the root of the repository, which contains the CUDA
// definitions for the host (tests/kernels/shim/cuda.hpp). EMULATOR_FOLDER is a folder for the
// precompiled header of these definitions.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <regex>
#include <string>
#include <vector>

#include "image.hpp"

#define API extern "C" __attribute__((visibility("default")))

namespace {

namespace fs = std::filesystem;

enum Status { SUCCESS = 0, OUT_OF_MEMORY = 1, INVALID_INPUT = 3, COMPILATION = 6 };

struct Program {
    std::string source, log, image;
    std::vector<std::pair<std::string, std::string>> headers;
};

bool write_file(const fs::path &path, const std::string &text) {
    fs::create_directories(path.parent_path());
    std::ofstream file(path, std::ios::binary);
    file << text;
    return file.good();
}

std::string read_file(const fs::path &path) {
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
}

// Runs the compiler and appends its output to `log`. Returns whether it succeeded.
bool compile(const fs::path &folder, std::vector<std::string> options, std::string &log) {
    const char *named = getenv("CXX");
    std::string compiler = named && *named ? named : "c++";
    std::vector<char *> words = {compiler.data()};
    for (auto &option : options) {
        words.push_back(option.data());
    }
    words.push_back(nullptr);
    fs::path said = folder / "log";
    pid_t child = fork();
    if (child == 0) {
        // The compiler must not load the emulated libraries.
        unsetenv("LD_LIBRARY_PATH");
        if (freopen(said.c_str(), "w", stderr)) {
            execvp(words[0], words.data());
        }
        _exit(127);
    }
    int status = -1;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    log += read_file(said);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127) {
        log += compiler + " cannot be started: install a C++ compiler or name one in CXX\n";
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// Returns the names of the kernels in a source in which all macros except `__global__` are
// expanded.
std::vector<std::string> kernels(const std::string &text) {
    std::vector<std::string> names;
    std::regex marked(R"(ZS_KERNEL\s+void\s+(\w+)\s*\()");
    for (std::sregex_iterator at(text.begin(), text.end(), marked), end; at != end; ++at) {
        names.push_back((*at)[1]);
    }
    return names;
}

// Options of every compilation. Fused multiply-adds are disabled because the CPU code does not use
// them.
std::vector<std::string> options() {
    std::string root = EMULATOR_ROOT;
    return {"-std=c++17", "-O1", "-ffp-contract=off", "-U_FORTIFY_SOURCE", "-w", "-fPIC",
            "-DMOST_SWITCHES=20'000'000'000", std::string("-I") + EMULATOR_FOLDER,
            "-I" + root + "/tests/kernels"};
}

// Precompiles the CUDA definitions. If that fails, each compilation reads them again.
void read_words(const fs::path &folder) {
    fs::path kept = fs::path(EMULATOR_FOLDER) / "shim/cuda.hpp.gch", made = folder / "words.gch";
    std::string ignored;
    auto words = options();
    words.insert(words.end(), {"-x", "c++-header", std::string(EMULATOR_ROOT) + "/tests/kernels/shim/cuda.hpp",
                               "-o", made.string()});
    std::error_code none;
    if (!fs::exists(kept, none) && compile(folder, words, ignored)) {
        fs::create_directories(kept.parent_path(), none);
        fs::path beside = kept.string() + "." + std::to_string(getpid());
        fs::copy_file(made, beside, none);
        fs::rename(beside, kept, none);
    }
}

bool build(Program &program, const std::vector<std::string> &defines, const fs::path &folder) {
    std::vector<std::string> shared = options();
    shared.push_back("-I" + (folder / "headers").string());
    shared.insert(shared.end(), defines.begin(), defines.end());
    for (auto &[name, text] : program.headers) {
        if (!write_file(folder / "headers" / name, text)) {
            return false;
        }
    }
    static std::once_flag once;
    std::call_once(once, read_words, folder);
    // The kernels are in a namespace. This keeps their functions out of sections that the linker
    // merges, because shared memory cannot be placed in such sections.
    std::string body = "#include \"shim/cuda.hpp\"\nnamespace {\n#include \"source.cu\"\n}\n";
    fs::path main = folder / "main.cpp", expanded = folder / "expanded.ii", out = folder / "kernels.so";
    if (!write_file(folder / "source.cu", program.source) || !write_file(main, body)) {
        return false;
    }
    auto step = [&](std::vector<std::string> more) {
        more.insert(more.begin(), shared.begin(), shared.end());
        return compile(folder, more, program.log);
    };
    std::string source = (folder / "source.cu").string();
    if (!step({"-E", "-P", "-D__global__=ZS_KERNEL", "-D__launch_bounds__(...)=", "-o", expanded.string(),
               "-x", "c++", source})) {
        return false;
    }
    for (auto &name : kernels(read_file(expanded))) {
        body += "extern \"C\" const char *launch_" + name +
                "(const shim::Launch *how, void *const *args, const size_t *sizes, size_t n) { "
                "return shim::launch(" + name + ", *how, args, sizes, n); }\n"
                "extern \"C\" size_t parameters_" + name +
                "(const size_t **sizes) { return shim::parameters(" + name + ", sizes); }\n";
    }
    if (!write_file(main, body) || !step({"-shared", "-o", out.string(), main.string()})) {
        return false;
    }
    std::string library = read_file(out);
    emulator::Header header = {emulator::MAGIC, library.size()};
    program.image.assign((char *)&header, sizeof header);
    program.image += library;
    return true;
}

int hand_out(const std::string &text, char *to) {
    memcpy(to, text.c_str(), text.size() + 1);
    return SUCCESS;
}

}  // namespace

API int nvrtcVersion(int *major, int *minor) {
    *major = 13;
    *minor = 0;
    return SUCCESS;
}
API const char *nvrtcGetErrorString(int status) {
    switch (status) {
        case SUCCESS: return "NVRTC_SUCCESS";
        case OUT_OF_MEMORY: return "NVRTC_ERROR_OUT_OF_MEMORY";
        case INVALID_INPUT: return "NVRTC_ERROR_INVALID_INPUT";
        case COMPILATION: return "NVRTC_ERROR_COMPILATION";
    }
    return "NVRTC_ERROR_INTERNAL_ERROR";
}
API int nvrtcCreateProgram(void **program, const char *source, const char *, int n,
                           const char *const *texts, const char *const *names) {
    auto made = new Program{source, "", "", {}};
    for (int i = 0; i < n; i++) {
        made->headers.emplace_back(names[i], texts[i]);
    }
    *program = made;
    return SUCCESS;
}
API int nvrtcDestroyProgram(void **program) {
    delete (Program *)*program;
    *program = nullptr;
    return SUCCESS;
}
API int nvrtcCompileProgram(void *program, int n, const char *const *options) {
    std::vector<std::string> defines;
    for (int i = 0; i < n; i++) {
        std::string option = options[i];
        if (option.rfind("--define-macro=", 0) == 0) {
            defines.push_back("-D" + option.substr(15));
        } else if (option.rfind("-D", 0) == 0) {
            defines.push_back(option);
        }
    }
    std::string folder = (fs::temp_directory_path() / "emulated-XXXXXX").string();
    if (!mkdtemp(folder.data())) {
        return OUT_OF_MEMORY;
    }
    bool fine = build(*(Program *)program, defines, folder);
    fs::remove_all(folder);
    return fine ? SUCCESS : COMPILATION;
}
API int nvrtcGetProgramLogSize(void *program, size_t *bytes) {
    *bytes = ((Program *)program)->log.size() + 1;
    return SUCCESS;
}
API int nvrtcGetProgramLog(void *program, char *to) { return hand_out(((Program *)program)->log, to); }
API int nvrtcGetCUBINSize(void *program, size_t *bytes) {
    *bytes = ((Program *)program)->image.size();
    return SUCCESS;
}
API int nvrtcGetCUBIN(void *program, char *to) {
    const std::string &image = ((Program *)program)->image;
    memcpy(to, image.data(), image.size());
    return SUCCESS;
}
API int nvrtcGetPTXSize(void *, size_t *) { return INVALID_INPUT; }
API int nvrtcGetPTX(void *, char *) { return INVALID_INPUT; }
