#!/usr/bin/env bash
# Runs tests, sanitizer, benches and profiles on a machine with an NVIDIA GPU. The script uses
# prebuilt binaries, so the machine needs neither cargo nor Python.
set -u

usage() {
    cat <<'TEXT'
Usage: scripts/gpu-suite.sh [options] BIN_DIR OUT_DIR

Runs the parity tests, compute-sanitizer on small cases, the benches and ncu with the binaries in
BIN_DIR. Writes one file per run to OUT_DIR, with machine, driver, commit and command.

BIN_DIR contains these files, or their names in target/release/deps (cuda-*, gpu-*):
  zeroset   the program            cargo build --release
  cuda      the test executable    cargo test --release --no-run --test cuda
  gpu       the bench executable   cargo bench --no-run --bench gpu

Options:
  --only LIST       parts to run, separated by commas: tests, sanitizer, benches, ncu (default: all)
  --tools LIST      tools of compute-sanitizer: memcheck, racecheck, initcheck, synccheck (default: all)
  --cases LIST      sanitizer cases, listed below (default: all)
  --modes LIST      bench modes (default: band,fields,large,copy,sizes,start,atomics,tables,cores,
                    points,point-distance,edt,render,tiles; band runs with galerkin)
  --meshes LIST     bench meshes (default: all)
  --vertices N      size of the mesh in the bench mode copy (default: chosen by the bench)
  --commit TEXT     commit to record if the checkout has no git
  --limit SECONDS   time limit of each run; a longer run is stopped and recorded (default: 900)
  -h, --help        print this text

Cases of the sanitizer: evolve-f64, evolve-f32, queue, cube, surface, galerkin, implicit, cone,
expressions, measures, distance, distance-queue, circular.

Environment: ZEROSET_DATA is the folder of test data (needed for the meshes brain and irregcube),
ZEROSET_NVRTC the NVRTC library, ZEROSET_CACHE the kernel cache (default: OUT_DIR/kernels).

The exit code is 0 if all runs passed, 1 if a run failed, 2 for wrong usage. Runs that were skipped
because a tool is missing are listed in OUT_DIR/summary.md and do not count as failures.
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

# Finds the newest executable with the given name, with or without cargo's hash.
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

# Finds a tool in PATH or in a CUDA toolkit.
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

# head_of FILE COMMAND...: writes the header of a result file.
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

# run NAME FILE COMMAND...: runs a command with the time limit, stores its output and records the
# outcome.
run() {
    local name=$1 file=$out/$2 begun=$SECONDS code
    shift 2
    head_of "$file" "$@"
    timeout "$limit" "$@" >>"$file" 2>&1
    code=$?
    echo >>"$file"
    echo "exit code $code after $((SECONDS - begun)) s" >>"$file"
    local verdict=passed
    # A bench continues after a failed row, so its output must be searched.
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

# Small cases for the sanitizer: a few hundred vertices in about ten patches.
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

# Sets `arguments` to the case and the settings of the sanitizer case with the given name.
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
            # This run compiles the kernels outside of the sanitizer.
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
            # shellcheck disable=SC2086 # intentional word splitting
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
        # shellcheck disable=SC2086 # empty means no argument
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
