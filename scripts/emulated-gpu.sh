#!/usr/bin/env bash
# Runs a command with an emulated GPU: the CPU executes the kernels (tests/emulator/). Linux only.
set -euo pipefail

usage() {
    cat <<'TEXT'
Usage: scripts/emulated-gpu.sh COMMAND [ARGUMENT ...]

Runs COMMAND with the emulated CUDA driver and compiler of tests/emulator/. The host's C++ compiler
(c++, or the value of CXX) compiles the kernels, which run thread by thread. Neither a GPU nor CUDA is
needed. Emulation is slow, but it finds errors that a GPU hides: accesses beyond the end of an array,
reads of uninitialized values, and dependence on the order of threads.

  scripts/emulated-gpu.sh cargo test --release --test cuda points
  scripts/emulated-gpu.sh target/release/zeroset run configs/growing_disk.toml --device cuda

Environment: EMULATED_SEED selects another thread order, EMULATED_MULTIPROCESSORS (4) is the number of
thread blocks that run at once, EMULATED_TRACE=1 lists kernel launches. Libraries and compiled kernels
are kept in target/emulated-gpu.
TEXT
}

case ${1-} in
    "" | -h | --help)
        usage
        exit $(($# == 0 ? 2 : 0))
        ;;
esac

root=$(cd "$(dirname "$0")/.." && pwd)
sources=("$root"/tests/emulator/*.[ch]pp "$root"/tests/kernels/shim/*.hpp)
# The key changes, and the emulator is recompiled, if its sources or the compiler change.
key=$({ cat "${sources[@]}" && echo "$root ${CXX:-c++}"; } | cksum)
folder=$root/target/emulated-gpu/${key%% *}
mkdir -p "$folder"
build() {
    if [ ! -e "$folder/$2" ]; then
        "${CXX:-c++}" -std=c++17 -O2 -Wall -Wextra -Werror -fvisibility=hidden -shared -fPIC \
            "-DEMULATOR_ROOT=\"$root\"" "-DEMULATOR_FOLDER=\"$folder\"" "$root/tests/emulator/$1" -o "$folder/$2.part.$$" -ldl
        mv "$folder/$2.part.$$" "$folder/$2"
    fi
}
build driver.cpp libcuda.so
build compiler.cpp libnvrtc.so.13

export LD_LIBRARY_PATH=$folder${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export ZEROSET_NVRTC=$folder/libnvrtc.so.13
export ZEROSET_CACHE=$folder/kernels
export ZEROSET_REQUIRE_CUDA=1
exec "$@"
