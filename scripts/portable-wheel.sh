#!/usr/bin/env bash
# Makes a portable Python wheel: OUT_DIR/zeroset-VERSION-cp310-abi3-PLATFORM.whl.
#
# Usage: scripts/portable-wheel.sh OUT_DIR [TARGET]
#
# The wheel runs with CPython 3.10 or newer. Without TARGET, it is for Linux on this kind of CPU.
# TARGET can be x86_64-unknown-linux-gnu, aarch64-unknown-linux-gnu or x86_64-pc-windows-gnu. Wheels
# for Linux run with glibc 2.17 (manylinux2014) or newer. Wheels for macOS are made on a Mac, because
# the linker needs Apple's SDK.
#
# As in scripts/archive.sh, zig links. maturin fails if the module needs a newer glibc, and this
# script if the wheel is too large or has other tags.
#
# Needs Linux, a C compiler, rustup for TARGET, and python3 with venv, which gets zig, maturin and
# libdeflate from PyPI. The build takes longer than that of an ordinary wheel (`[profile.wheel]` in
# Cargo.toml).
set -euo pipefail
cd "$(dirname "$0")/.."
if [ $# -lt 1 ] || [ $# -gt 2 ]; then
    echo "usage: scripts/portable-wheel.sh OUT_DIR [TARGET]" >&2
    exit 2
fi
target=${2:-$(uname -m)-unknown-linux-gnu}
case $target in
    *-unknown-linux-gnu) platform=manylinux2014_${target%%-*}.manylinux_2_17_${target%%-*} ;;
    x86_64-pc-windows-gnu) platform=win_amd64 ;;
    *)
        echo "this script makes no wheels for $target" >&2
        exit 2
        ;;
esac
mkdir -p "$1"
out=$(cd "$1" && pwd)
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$PWD/target}"
ZEROSET_COMMIT=$(git rev-parse HEAD)
export ZEROSET_COMMIT

programs=$(scripts/zig.sh maturin==1.16.0)
cd python
options=(--profile wheel --locked --zig --compression-level 9)
if [ $# -eq 2 ]; then
    rustup target add "$target"
    options+=(--target "$target")
fi
PATH=$programs:$PATH maturin build "${options[@]}" --compatibility manylinux2014 --out "$out"
"$programs/python" -m pip install --quiet deflate==0.9.0
wheel=$(echo "$out"/zeroset-*-"$platform".whl)
"$programs/python" ../scripts/compress-wheel.py "$wheel"
"$programs/python" ../scripts/check-wheel.py "$wheel" "$platform"
