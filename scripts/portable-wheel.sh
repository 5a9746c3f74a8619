#!/usr/bin/env bash
# Makes the portable Python wheel: OUT_DIR/zeroset-VERSION-cp310-abi3-manylinux_2_17_*.whl.
#
# The wheel runs on Linux with glibc 2.17 (manylinux2014) or newer and CPython 3.10 or newer. As in
# scripts/archive.sh, zig links it. maturin fails if the module needs a newer glibc, and this script
# if the wheel is too large or has other tags.
#
# Needs Linux, a C compiler, and python3 with venv, which gets zig, maturin and libdeflate from PyPI.
# The build takes longer than that of an ordinary wheel (`[profile.wheel]` in Cargo.toml).
set -euo pipefail
cd "$(dirname "$0")/.."
if [ $# -ne 1 ]; then
    echo "usage: scripts/portable-wheel.sh OUT_DIR" >&2
    exit 2
fi
mkdir -p "$1"
out=$(cd "$1" && pwd)
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$PWD/target}"
ZEROSET_COMMIT=$(git rev-parse HEAD)
export ZEROSET_COMMIT

programs=$(scripts/zig.sh maturin==1.16.0)
cd python
PATH=$programs:$PATH maturin build --profile wheel --locked --zig --compatibility manylinux2014 \
    --compression-level 9 --out "$out"
"$programs/python" -m pip install --quiet deflate==0.9.0
cpu=$(uname -m)
for wheel in "$out"/zeroset-*.whl; do
    "$programs/python" ../scripts/compress-wheel.py "$wheel"
    "$programs/python" ../scripts/check-wheel.py "$wheel" \
        "manylinux2014_$cpu.manylinux_2_17_$cpu"
done
