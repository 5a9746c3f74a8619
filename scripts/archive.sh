#!/usr/bin/env bash
# Makes the release archive for Linux: OUT_DIR/zeroset-VERSION-x86_64-linux.tar.gz and SHA256SUMS.
#
# The program in it runs on every Linux with glibc 2.17 or newer (RHEL 7, Ubuntu 14.04). It is linked
# by zig, whose linker can target an old glibc. The script first compares its results with those of
# the ordinary release build, byte by byte.
#
# Needs python3 with venv, to get zig and cargo-zigbuild from PyPI. Takes about ten minutes.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ $# -ne 1 ]; then
    echo "usage: scripts/archive.sh OUT_DIR" >&2
    exit 2
fi
out=$1
mkdir -p "$out"
out=$(cd "$out" && pwd)
target=x86_64-unknown-linux-gnu
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$PWD/target}"
ZEROSET_COMMIT=$(git rev-parse HEAD 2> /dev/null || echo unknown)
export ZEROSET_COMMIT

venv=$CARGO_TARGET_DIR/zig-venv
if [ ! -x "$venv/bin/cargo-zigbuild" ]; then
    python3 -m venv "$venv"
    "$venv/bin/python" -m pip install --quiet ziglang==0.17.1 cargo-zigbuild==0.24.1
fi
cargo build --locked --release
PATH=$venv/bin:$PATH cargo zigbuild --locked --release --target "$target.2.17"
ordinary=$CARGO_TARGET_DIR/release/zeroset
portable=$CARGO_TARGET_DIR/$target/release/zeroset

# The newest version of glibc that the program asks for.
needed=$(objdump -T "$portable" | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -1)
if [ "$(printf '%s\nGLIBC_2.17\n' "$needed" | sort -V | tail -1)" != GLIBC_2.17 ]; then
    echo "the portable program needs $needed" >&2
    exit 1
fi

# Both programs must write the same bytes. Reports and checkpoints are left out, because they record
# times and the hash of the program.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for case in shrinking_circle cortex_distance merging_circles expanding_flow regular_grid; do
    "$ordinary" -q run "configs/$case.toml" --device cpu -o "$work/ordinary/$case" > /dev/null
    "$portable" -q run "configs/$case.toml" --device cpu -o "$work/portable/$case" > /dev/null
done
find "$work" \( -name 'report.*' -o -name 'checkpoint*' \) -delete
diff -r "$work/ordinary" "$work/portable"
echo "same bytes: $(find "$work/ordinary" -type f | wc -l) files of 5 cases"

version=$("$portable" --version | cut -d' ' -f2)
name=zeroset-$version-x86_64-linux
folder=$work/$name
mkdir -p "$folder/man/man1" "$folder/completions"
cp "$portable" README.md CHANGELOG.md THIRD_PARTY.md LICENSE-MIT LICENSE-APACHE "$folder"
cp -r configs meshes "$folder"
"$portable" -q manual -o "$folder/man/man1" > /dev/null
for shell in bash zsh fish elvish powershell; do
    "$portable" completions "$shell" > "$folder/completions/zeroset.$shell"
done
# Fixed names, owners and times, so that the same program gives the same archive.
time=$(git log -1 --format=%ct 2> /dev/null || echo 0)
tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$time" -C "$work" -cf - "$name" \
    | gzip -9n > "$out/$name.tar.gz"
(cd "$out" && sha256sum "$name.tar.gz" > SHA256SUMS && cat SHA256SUMS)
