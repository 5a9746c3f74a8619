#!/usr/bin/env bash
# Makes the release archive for Linux on this kind of CPU: OUT_DIR/zeroset-VERSION-TARGET.tar.gz and
# OUT_DIR/SHA256SUMS.
#
# The program in the archive needs only glibc 2.17 (RHEL 7, Ubuntu 14.04) or newer. It is linked by
# zig, which can link against an old glibc. It must write the same bytes as the ordinary release
# build; otherwise, the script fails.
#
# Needs Linux, a C compiler, and python3 with venv, which gets zig and cargo-zigbuild from PyPI.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ $# -ne 1 ]; then
    echo "usage: scripts/archive.sh OUT_DIR" >&2
    exit 2
fi
mkdir -p "$1"
out=$(cd "$1" && pwd)
target=$(rustc -vV | sed -n 's/^host: //p')
case $target in
    *-linux-gnu) ;;
    *)
        echo "this script makes archives for Linux with glibc, not for $target" >&2
        exit 2
        ;;
esac
oldest=2.17
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$PWD/target}"
ZEROSET_COMMIT=$(git rev-parse HEAD)
export ZEROSET_COMMIT

programs=$(scripts/zig.sh cargo-zigbuild==0.24.1)
cargo build --locked --release -p zeroset --bin zeroset
PATH=$programs:$PATH cargo zigbuild --locked --release --target "$target.$oldest" -p zeroset --bin zeroset
ordinary=$CARGO_TARGET_DIR/release/zeroset
portable=$CARGO_TARGET_DIR/$target/release/zeroset

# The newest version of glibc that the program needs.
needed=$(objdump -T "$portable" | grep -o 'GLIBC_[0-9][0-9.]*' | sort -uV | tail -n 1)
echo "the portable program needs ${needed/_/ }"
if [ "$(printf '%s\n' "$needed" "GLIBC_$oldest" | sort -V | tail -n 1)" != "GLIBC_$oldest" ]; then
    exit 1
fi

# Reports and checkpoints are left out, because they record times and the hash of the program.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for case in cortex_curvature_flow cortex_distance expanding_sphere_tets merging_circles; do
    for program in ordinary portable; do
        "${!program}" -q run "configs/$case.toml" --device cpu -o "$work/$program/$case" > /dev/null
    done
done
find "$work" \( -name 'report.*' -o -name 'checkpoint*' \) -delete
diff -r "$work/ordinary" "$work/portable"
echo "bitwise identical: $(find "$work/ordinary" -type f | wc -l) files of $(ls "$work/ordinary" | wc -l) cases"

name=zeroset-$("$portable" --version | cut -d' ' -f2)-$target
folder=$work/$name
mkdir -p "$folder/man/man1" "$folder/completions"
cp "$portable" README.md CHANGELOG.md THIRD_PARTY.md LICENSE-MIT LICENSE-APACHE "$folder"
cp -r configs meshes "$folder"
"$portable" -q manual -o "$folder/man/man1" > /dev/null
for shell in bash zsh fish elvish powershell; do
    "$portable" completions "$shell" > "$folder/completions/zeroset.$shell"
done
# Names, owners and times are fixed, so that the same program gives the same archive.
tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$(git log -1 --format=%ct)" \
    -C "$work" -cf - "$name" | gzip -9n > "$out/$name.tar.gz"
(cd "$out" && sha256sum "$name.tar.gz" > SHA256SUMS)
echo "$out/$name.tar.gz: $(stat -c %s "$out/$name.tar.gz") bytes"
