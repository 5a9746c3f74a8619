#!/usr/bin/env bash
# Installs zig and a Python package that builds with it, and prints the folder of their programs.
#
# Usage: scripts/zig.sh PACKAGE==VERSION
# Needs python3 with venv. CARGO_TARGET_DIR is where the environment is kept.
set -euo pipefail
venv=$CARGO_TARGET_DIR/zig-venv
if [ ! -x "$venv/bin/${1%%=*}" ]; then
    python3 -m venv "$venv"
    "$venv/bin/python" -m pip install --quiet ziglang==0.17.1 "$1"
fi
echo "$venv/bin"
