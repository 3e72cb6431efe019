#!/usr/bin/env bash
# Everything that must hold before a change goes in, lane by lane; stops at the first lane that fails.
# The last line is always "<n> passed, <n> failed".
#
#     scripts/test.sh [lane ...]       all lanes but fuzz if none is named
#     BUILD=/tmp/x JOBS=1 FUZZ_SECONDS=60 scripts/test.sh fuzz
set -euo pipefail
cd "$(dirname "$0")/.."

all="layers format release clang asan tsan wasm packaging" # and fuzz by name: all together stay below 20 minutes
build=${BUILD:-build}
export CMAKE_BUILD_PARALLEL_LEVEL=${JOBS:-2}
mkdir -p "$build/logs"
build=$(cd "$build" && pwd)
passed=0
failed=0
times=""

finish() {
    echo
    echo "== summary"
    printf '%s' "$times"
    echo "$passed passed, $failed failed"
    [[ $failed == 0 ]]
}

# lane <name> <heading>: runs lane_<name> with its output in a log, counts, and stops if it fails.
# Tests are counted from ctest's closing line, or from lines "ok: ..." where there is no ctest.
lane() {
    local log=$build/logs/$1.log start=$SECONDS status=0 line total bad
    echo "== $1: $2"
    "lane_$1" >"$log" 2>&1 || status=$?
    while read -r line; do
        total=${line##*out of }
        bad=${line%% tests failed*}
        bad=${bad##* }
        passed=$((passed + total - bad))
        failed=$((failed + bad))
        [[ $bad == 0 ]] || status=8
    done < <(grep -E 'tests passed, [0-9]+ tests failed out of' "$log" || true)
    if grep -q 'tests failed out of' "$log"; then
        passed=$((passed - $(grep -c '\*\*\*Skipped' "$log" || true)))
    else
        passed=$((passed + $(grep -c '^ok: ' "$log" || true)))
    fi
    times+=$(printf '%-10s %4d s' "$1" $((SECONDS - start)))$'\n'
    if [[ $status != 0 ]]; then
        [[ $failed != 0 ]] || failed=1
        tail -n "${TAIL:-60}" "$log"
        echo "== $1 FAILED after $((SECONDS - start)) s; the whole log: $log"
        finish
        exit 1
    fi
    grep -E '^(ok: |[a-z]+: |100% )' "$log" | sed 's/^/   /' || true
    echo "   $((SECONDS - start)) s"
}

# compile <preset> [options]: configure with warnings as errors, and build.
compile() {
    local preset=$1
    shift
    cmake --preset "$preset" -B "$build/$preset" -DTARN_WERROR=ON &&
        cmake --build "$build/$preset" "$@"
}
run_tests() { # <preset> [label regex] [label regex to leave out]
    ctest --test-dir "$build/$1" --output-on-failure --no-tests=error -j2 ${2:+-L "$2"} ${3:+-LE "$3"}
}

lane_layers() { tests/check_layers.sh; }
lane_format() { scripts/format.sh --check && echo "ok: format"; }
lane_release() { compile release && run_tests release; }
lane_clang() { compile clang && run_tests clang 'unit|golden' long; }
# Those labeled long run in the release lane only, as they take minutes under sanitizers, and storms and examples not with
# the thread sanitizer: `make asan` and `make tsan` run all.
lane_asan() { compile asan && run_tests asan 'unit|render|robust|golden|apps|examples' "${TARN_LEAVE_OUT-long}"; }
lane_tsan() { compile tsan --target threads_tests && run_tests tsan 'threads|golden' 'long|robust'; }
lane_wasm() { NODE_PATH=/usr/share/nodejs compile wasm && run_tests wasm; }
lane_packaging() { compile release && tests/packaging/run.sh "$build/packaging" "$build/release"; }
lane_fuzz() {
    compile fuzz --target fuzzers && FUZZ_SEED=1 FUZZ_SECONDS=${FUZZ_SECONDS:-10} scripts/fuzz.sh "$build/fuzz"
}

declare -A heading=(
    [layers]="include order, forbidden calls"
    [format]="clang-format"
    [release]="gcc, optimized: all tests"
    [clang]="clang, optimized: unit tests, the same golden hashes"
    [asan]="address and undefined-behavior sanitizers: unit, robust, golden, command line, examples"
    [tsan]="thread sanitizer: what runs on several workers"
    [wasm]="WebAssembly under node: maths, the same golden hashes"
    [packaging]="install, then use it from CMake, pkg-config, C and C++"
    [fuzz]="every fuzzer for a short while"
)
for name in "${@:-$all}"; do
    for one in $name; do
        [[ -n ${heading[$one]:-} ]] || { echo "test: there is no lane '$one'; there are $all fuzz" >&2; exit 2; }
        lane "$one" "${heading[$one]}"
    done
done
finish
