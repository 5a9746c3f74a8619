#!/usr/bin/env bash
# Runs a command with a GPU that the CPU plays (tests/emulator/). Linux.
set -euo pipefail

usage() {
    cat <<'TEXT'
Usage: scripts/emulated-gpu.sh COMMAND [ARGUMENT ...]

Runs COMMAND where CUDA's driver and compiler are those of tests/emulator/: kernels are compiled by
the C++ compiler of the host (c++, or what CXX names) and run thread by thread. No GPU and no CUDA
are needed. It is slow, and finds what a GPU hides: memory beyond the end of an array, values read
before they were written, orders of threads that matter.

  scripts/emulated-gpu.sh cargo test --release --test cuda points
  scripts/emulated-gpu.sh target/release/zeroset run configs/growing_disk.toml --device cuda

Environment: EMULATED_SEED shuffles threads in another order, EMULATED_MULTIPROCESSORS (4) is how
many blocks are on the GPU at once, EMULATED_TRACE=1 lists launches. Libraries and compiled kernels are kept in target/emulated-gpu.
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
# What was compiled with other words of CUDA is not taken again.
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
