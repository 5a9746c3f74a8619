#!/usr/bin/env bash
# Tests, sanitizer runs, benches and profiles on a machine with an NVIDIA GPU, from prebuilt
# binaries: neither cargo nor python is needed there.
set -u

usage() {
    cat <<'TEXT'
Usage: scripts/gpu-suite.sh [options] BIN_DIR OUT_DIR

Runs the parity tests, compute-sanitizer on small cases, the benches and ncu with the binaries in
BIN_DIR, and writes one file per run to OUT_DIR, each with machine, driver, commit and command.

BIN_DIR holds, under these names or as cargo names them in target/release/deps (cuda-*, gpu-*):
  zeroset   the program            cargo build --release
  cuda      the test executable    cargo test --release --no-run --test cuda
  gpu       the bench executable   cargo bench --no-run --bench gpu

Options:
  --only LIST       parts, separated by commas: tests, sanitizer, benches, ncu (default: all)
  --tools LIST      of compute-sanitizer: memcheck, racecheck, initcheck, synccheck (default: all)
  --cases LIST      of the sanitizer: names below (default: all)
  --modes LIST      of the bench (default: band,fields,large,copy,sizes,start,atomics,tables,cores,
                    points,point-distance,edt,render,tiles; band runs with galerkin)
  --meshes LIST     of the bench (default: all)
  --vertices N      of the bench's mode copy (default: its own)
  --commit TEXT     named in the results where the checkout has no git
  --limit SECONDS   for each run; what takes longer is stopped and noted (default: 900)
  -h, --help        this text

Cases of the sanitizer: evolve-f64, evolve-f32, queue, cube, surface, galerkin, implicit, cone,
expressions, measures, distance, distance-queue, circular.

Environment: ZEROSET_DATA is the folder of test data (the meshes brain and irregcube need it),
ZEROSET_NVRTC the library file of NVRTC, ZEROSET_CACHE the cache of kernels (default: OUT_DIR/kernels).

The exit code is 0 if everything that ran passed, 1 if something failed, 2 for wrong usage. What could not run
for want of a tool is listed in OUT_DIR/summary.md and is not a failure.
TEXT
}

fail() {
    echo "gpu-suite: $*" >&2
    exit 2
}

parts=tests,sanitizer,benches,ncu
tools=memcheck,racecheck,initcheck,synccheck
cases=evolve-f64,evolve-f32,queue,cube,surface,galerkin,implicit,cone,expressions,measures
cases=$cases,distance,distance-queue,circular
modes=band,fields,large,copy,sizes,start,atomics,tables,cores,points,point-distance,edt,render,tiles
meshes=
vertices=
limit=900
commit=unknown
folders=()
while [ $# -gt 0 ]; do
    case $1 in
        -h | --help)
            usage
            exit 0
            ;;
        --only | --tools | --cases | --modes | --meshes | --vertices | --commit | --limit)
            [ $# -ge 2 ] || fail "$1 needs a value"
            case $1 in
                --only) parts=$2 ;;
                --tools) tools=$2 ;;
                --cases) cases=$2 ;;
                --modes) modes=$2 ;;
                --meshes) meshes=${2//,/ } ;;
                --vertices) vertices=vertices=$2 ;;
                --commit) commit=$2 ;;
                --limit) limit=$2 ;;
            esac
            shift
            ;;
        -*) fail "unknown option $1; see --help" ;;
        *) folders+=("$1") ;;
    esac
    shift
done
[ ${#folders[@]} -eq 2 ] || fail "give BIN_DIR and OUT_DIR; see --help"
for part in ${parts//,/ }; do
    case $part in
        tests | sanitizer | benches | ncu) ;;
        *) fail "there is no part $part; see --help" ;;
    esac
done

root=$(cd "$(dirname "$0")/.." && pwd)
bin=$(cd "${folders[0]}" 2>/dev/null && pwd) || fail "there is no folder ${folders[0]}"
mkdir -p "${folders[1]}" && out=$(cd "${folders[1]}" && pwd) || fail "cannot make ${folders[1]}"
cd "$root" || exit 2

# The newest executable of a name, or of a name with cargo's hash.
binary() {
    local found
    if [ -x "$bin/$1" ]; then
        echo "$bin/$1"
        return
    fi
    for found in $(ls -t "$bin/$1"-* "$bin/deps/$1"-* 2>/dev/null); do
        case $found in *.d) continue ;; esac
        [ -f "$found" ] && [ -x "$found" ] && echo "$found" && return
    done
}

zeroset=$(binary zeroset)
tests=$(binary cuda)
bench=$(binary gpu)

# A tool in PATH or in a toolkit.
tool() {
    local found
    found=$(command -v "$1") && echo "$found" && return
    for found in "${CUDA_HOME:-/none}/bin/$1" "${CUDA_PATH:-/none}/bin/$1" /usr/local/cuda/bin/"$1" \
        /usr/local/cuda/compute-sanitizer/"$1" /usr/local/cuda-*/bin/"$1" /opt/nvidia/nsight-compute/*/"$1"; do
        [ -x "$found" ] && echo "$found" && return
    done
}

export ZEROSET_CACHE="${ZEROSET_CACHE:-$out/kernels}"
export ZEROSET_REQUIRE_CUDA=1
if [ -z "${ZEROSET_DATA:-}" ] && [ -d "$root/shared/data" ]; then
    export ZEROSET_DATA=$root/shared/data
fi

if git -C "$root" rev-parse HEAD >/dev/null 2>&1; then
    commit=$(git -C "$root" rev-parse HEAD)
    [ -z "$(git -C "$root" status --porcelain 2>/dev/null)" ] || commit="$commit and changes"
fi
gpu=unknown
driver=unknown
if command -v nvidia-smi >/dev/null 2>&1; then
    gpu=$(nvidia-smi --query-gpu=name,memory.total --format=csv,noheader 2>/dev/null | head -n 1)
    driver=$(nvidia-smi --query-gpu=driver_version --format=csv,noheader 2>/dev/null | head -n 1)
fi
cpu=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo 2>/dev/null | head -n 1)
memory=$(sed -n 's/^MemTotal: *//p' /proc/meminfo 2>/dev/null)
cores=$(nproc 2>/dev/null || echo unknown)

summary=$out/summary.md
failures=0
missing() {
    echo "gpu-suite: not run: $1" >&2
    echo "| $1 | not run | |" >>"$summary"
}

# head FILE COMMAND...: what every file of results begins with.
head_of() {
    local file=$1
    shift
    {
        echo "- machine: ${gpu:-unknown}; ${cpu:-unknown}, $cores cores, ${memory:-unknown}"
        echo "- driver: ${driver:-unknown}"
        echo "- commit of the checkout: $commit"
        [ -n "$zeroset" ] && echo "- program: $("$zeroset" --version 2>/dev/null)"
        echo "- date: $(date -u +%Y-%m-%dT%H:%M:%SZ)"
        echo "- command: \`$*\`"
        echo
    } >"$file"
}

# run NAME FILE COMMAND...: runs with the time limit, into a file, and notes what came of it.
run() {
    local name=$1 file=$out/$2 begun=$SECONDS code
    shift 2
    head_of "$file" "$@"
    timeout "$limit" "$@" >>"$file" 2>&1
    code=$?
    echo >>"$file"
    echo "exit code $code after $((SECONDS - begun)) s" >>"$file"
    local verdict=passed
    # Benches go on after a row that fails.
    [ $code -ne 0 ] || ! grep -q '| failed: ' "$file" || code=1
    [ $code -eq 0 ] || verdict="FAILED, exit code $code"
    [ $code -ne 124 ] || verdict="STOPPED after $limit s"
    [ $code -eq 0 ] || failures=$((failures + 1))
    printf '%-40s %s (%d s)\n' "$name" "$verdict" $((SECONDS - begun))
    echo "| $name | $verdict | $((SECONDS - begun)) s, ${file##*/} |" >>"$summary"
}

wants() {
    case ",$parts," in *",$1,"*) return 0 ;; *) return 1 ;; esac
}

head_of "$summary" "$0"
echo "| run | outcome | |" >>"$summary"
echo "|---|---|---|" >>"$summary"
if [ -n "$zeroset" ]; then
    run "devices" devices.txt "$zeroset" devices
else
    missing "devices: no zeroset in BIN_DIR"
fi

if wants tests; then
    if [ -n "$tests" ]; then
        run "parity tests" tests.txt "$tests" --test-threads=4
    else
        missing "parity tests: no cuda in BIN_DIR"
    fi
fi

# Small cases for the sanitizer: some hundred vertices in about ten patches.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
evolve_case() {
    cat <<TOML
version = 1
[domain.mesh]
generate.$1
[initial]
ball = { center = $2, radius = $3 }
[evolve]
normal_speed = 0.3
curvature = 0.02
curvature_step = "explicit"
max_steps = 12
$4
[reinitialize]
half_width = 4.0
rule = { every = 4 }
[output]
checkpoint = "never"
TOML
}
wind=$'velocity = [0.4, 0.2, 0.1]\nadvection = "positive-coefficient"'
evolve_case 'square = { cells = [24, 24], min = [-1.0, -1.0], jitter = 0.2 }' \
    '[-0.1, 0.05, 0.0]' 0.4 "$wind" >"$work/square.toml"
evolve_case 'cube = { cells = [8, 8, 8], min = [-1.0, -1.0, -1.0], jitter = 0.1 }' \
    '[0.0, 0.0, 0.0]' 0.5 "$wind" >"$work/cube.toml"
evolve_case 'sphere = { subdivisions = 3 }' '[0.0, 0.0, 1.0]' 0.9 '' >"$work/sphere.toml"
cat >"$work/distance.toml" <<'TOML'
version = 1
[domain.mesh]
generate.sphere = { subdivisions = 3 }
[distance]
from = ["vertex:0"]
front = "plane"
TOML

# Sets `arguments` to the case and the settings of a name.
arguments_of() {
    local case settings=()
    case $1 in
        evolve-f64) case=square ;;
        evolve-f32) case=square settings=(precision=f32) ;;
        queue) case=square settings=(device.reproducible=false) ;;
        cube) case=cube ;;
        surface) case=sphere ;;
        galerkin) case=square settings=(evolve.advection=taylor-galerkin) ;;
        implicit) case=square settings=(evolve.curvature_step=implicit) ;;
        cone) case=square settings=(evolve.advection=cone evolve.normal_motion=hopf-lax) ;;
        expressions) case=square settings=('evolve.normal_speed=0.3+0.1*x') ;;
        measures) case=cube settings=(output.measures_every=1) ;;
        distance) case=distance ;;
        distance-queue) case=distance settings=(device.reproducible=false) ;;
        circular) case=distance settings=(distance.front=circular) ;;
        *) return 1 ;;
    esac
    arguments=(run "$work/$case.toml" --device cuda --overwrite -o "$work/out")
    local setting
    for setting in ${settings[@]+"${settings[@]}"}; do arguments+=(--set "$setting"); done
}

if wants sanitizer; then
    sanitizer=$(tool compute-sanitizer)
    if [ -z "$sanitizer" ]; then
        missing "sanitizer: compute-sanitizer is not installed (it comes with the CUDA toolkit)"
    elif [ -z "$zeroset" ]; then
        missing "sanitizer: no zeroset in BIN_DIR"
    else
        for name in ${cases//,/ }; do
            arguments_of "$name" || fail "there is no case $name; see --help"
            # Kernels are compiled outside the sanitizer.
            run "plain $name" "sanitizer-none-$name.txt" "$zeroset" -q "${arguments[@]}"
            for check in ${tools//,/ }; do
                run "$check $name" "sanitizer-$check-$name.txt" \
                    "$sanitizer" --tool "$check" --error-exitcode 9 \
                    "$zeroset" -q "${arguments[@]}"
            done
        done
        for check in ${tools//,/ }; do
            [ -n "$tests" ] || break
            run "$check short tests" "sanitizer-$check-short.txt" \
                "$sanitizer" --tool "$check" --error-exitcode 9 "$tests" short
        done
    fi
fi

if wants benches; then
    if [ -n "$bench" ]; then
        for mode in ${modes//,/ }; do
            words=$mode
            [ "$mode" != band ] || words="band galerkin"
            [ "$mode" != copy ] || words="copy $vertices"
            # shellcheck disable=SC2086 # words are several arguments
            run "bench $mode" "bench-$mode.md" "$bench" $words $meshes
        done
    else
        missing "benches: no gpu in BIN_DIR"
    fi
fi

if wants ncu; then
    ncu=$(tool ncu)
    if [ -z "$ncu" ]; then
        missing "ncu: Nsight Compute is not installed"
    elif [ -z "$bench" ]; then
        missing "ncu: no gpu in BIN_DIR"
    else
        metrics=SpeedOfLight,Occupancy,LaunchStats,WarpStateStats,MemoryWorkloadAnalysis
        sections=()
        for section in ${metrics//,/ }; do sections+=(--section "$section"); done
        profile() {
            local name=$1 kernel=$2
            shift 2
            run "ncu $name" "ncu-$name.txt" "$ncu" --target-processes all --graph-profiling node \
                --kernel-name "regex:$kernel" --launch-skip 10 --launch-count 3 "${sections[@]}" "$bench" "$@"
        }
        # shellcheck disable=SC2086 # vertices may be no argument
        {
            profile step-domain '^evolution_step$' copy $vertices
            profile step-band '^evolution_step$' band ${meshes:-brain}
            profile solve-queue '^eikonal_queue$' band ${meshes:-brain}
            profile solve-rounds '^eikonal_rounds$' band ${meshes:-brain}
            profile galerkin '^galerkin_' band galerkin ${meshes:-irregsquare}
        }
    fi
fi

echo "results: $out"
[ $failures -eq 0 ]
