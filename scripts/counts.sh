#!/usr/bin/env bash
# Counts lines of code, and measures the duration of builds that developers wait for.
#
#   scripts/counts.sh              counts lines of code per folder, public items, and cfgs
#   scripts/counts.sh --times      also times five release builds
#
# The builds run in a temporary clone of HEAD, so they measure the committed state and do not touch
# the checkout. They need the crates of Cargo.lock in cargo's cache, or a network.
set -euo pipefail
cd "$(dirname "$0")/.."

# Lists the Rust sources of the library and the program: src, the src folder of every crate, and
# kernels.
sources() {
    git ls-files 'src/*.rs' 'crates/*/src/*.rs' 'kernels/*.rs' ':!crates/c/header'
}

# Counts lines that are neither blank nor comments in the files named on standard input.
code_lines() {
    xargs -r cat | awk '!/^[ \t]*$/ && !/^[ \t]*\/\// { n++ } END { print n + 0 }'
}

# Counts public items, and how many of them have an example in their doc comment. Items are `pub`,
# not `pub(crate)`. Fields and re-exports do not count.
public_items() {
    xargs -r awk '
        FNR == 1 { example = 0 }
        /^[ \t]*\/\/[\/!]/ { if ($0 ~ /```/) example = 1; next }
        /^[ \t]*#/ { next }
        /^[ \t]*pub (const fn|unsafe fn|async fn|fn|struct|enum|trait|union|type|const|static|mod|macro) / {
            items++
            if (example) examples++
        }
        { example = 0 }
        END { print items + 0, examples + 0 }'
}

folders() {
    sources | sed -E 's|^(crates/[^/]+/src/[^/]+)/.*|\1|; s|^(crates/[^/]+/src)/[^/]+\.rs$|\1|; s|^(src/[^/]+)/.*|\1|; s|^(src)/[^/]+\.rs$|\1|; s|^(kernels)/.*|\1|' | sort -u
}

echo "commit            $(git rev-parse --short HEAD)"
echo "lines of code     (without blanks and comments)"
folders | while read -r folder; do
    case "$folder" in
        src | crates/*/src | kernels) lines=$(sources | grep -E "^$folder/[^/]+\.rs$" | code_lines) ;;
        *) lines=$(sources | grep "^$folder/" | code_lines) ;;
    esac
    printf '  %-42s %6d\n' "$folder" "$lines"
done
printf '  %-42s %6d\n' "all" "$(sources | code_lines)"
printf '  %-42s %6d\n' "CUDA sources" "$(git ls-files 'kernels/*.cu' 'kernels/*.cuh' | code_lines)"
median=$(sources | while read -r file; do wc -l < "$file"; done | sort -n | awk '{ n[NR] = $1 } END { print n[int((NR + 1) / 2)] }')
echo "files             $(sources | wc -l), median length $median lines"
read -r items examples < <(sources | public_items)
echo "public items      $items, with examples $examples"
cfgs=$(sources | xargs grep -hE 'cfg(_attr)?!?\(' | grep -vcE '^[ \t]*//|cfg\(test\)|cfg\(doctest\)' || true)
cuda=$( (sources | xargs grep -hE 'feature = "cuda"' || true) | wc -l)
cuda_files=$( (sources | xargs grep -lE 'feature = "cuda"' || true) | wc -l)
echo "cfgs              $cfgs without those of tests; $cuda for the feature cuda, in $cuda_files files"
echo "repr(C)           $( (sources | xargs grep -hE '^[ \t]*#\[repr\(.*C.*\)\]' || true) | wc -l) types, $( (sources | xargs grep -hE '^[ \t]*(zeroset_gpu::|crate::gpu::|crate::)?cuda_header!' || true) | wc -l) generated headers"

[ "${1:-}" = --times ] || exit 0

clone=$(mktemp -d)
trap 'rm -rf "$clone"' EXIT
git clone --quiet --shared . "$clone"
cd "$clone"
export CARGO_TARGET_DIR=$PWD/target
cargo fetch --locked --quiet

# Measures wall-clock and CPU seconds. Other load on the machine hardly changes CPU seconds.
build() {
    local TIMEFORMAT='%R %U %S' seconds
    seconds=$( { time cargo build --release --locked --quiet; } 2>&1 | tail -n 1)
    echo "$seconds" | awk -v what="$1" '{ printf "  %-42s %6.1f s, CPU %6.1f s\n", what, $1, $2 + $3 }'
}

# Touches the first tracked file with the given name, in any folder.
touched() {
    touch "$(git ls-files "$1" "*/$1" | grep -v '^fuzz/' | head -n 1)"
}

echo "release builds    on $(nproc) cores, $(rustc --version)"
build "clean"
touched off.rs
build "after touching a reader (off.rs)"
touched eikonal.cu
build "after touching a kernel (eikonal.cu)"
touched gradient.rs
build "after touching a solver (gradient.rs)"
git -c user.name=counts -c user.email=counts@localhost commit --quiet --allow-empty -m "A mere commit"
build "after a mere commit"
