#!/usr/bin/env bash
# Runs all checks that a change must pass, lane by lane. The last line is always "<n> passed, <n> failed".
#
#     scripts/test.sh                  what `make test` runs
#     scripts/test.sh lanes            what `make lanes` runs: two lanes side by side, one core each
#     scripts/test.sh asan sweep       these lanes, one after the other
#     BUILD=/tmp/x JOBS=1 FUZZ_SECONDS=60 scripts/test.sh fuzz
set -euo pipefail
cd "$(dirname "$0")/.."

first="layers format release"
# Chains of lanes, each on one core; lanes in one string run in turn. The longest come first and the shortest last, so that
# both cores end together; web, browser and fuzz come late, because they need what wasm and asan have built.
rest=("asan sweep" "tsan" "clang" "wasm" "web" "pictures" "storms" "fuzz" "browser" "view")
build=${BUILD:-build}
jobs=${JOBS:-2}
export CMAKE_BUILD_PARALLEL_LEVEL=$jobs
mkdir -p "$build/logs"
build=$(cd "$build" && pwd)
# Drawing in software compiles shaders for seconds; all lanes share what one has compiled, wherever HOME is.
export MESA_SHADER_CACHE_DIR=$build/shaders

# compile <preset> [options]: configure with warnings as errors, and build; one at a time in a folder.
compile() {
    local preset=$1
    shift
    (
        flock 9
        cmake --preset "$preset" -B "$build/$preset" -DTARN_WERROR=ON -DTARN_QUICK_LINK=ON ${best_isa:+-DTARN_BEST_ISA=$best_isa} &&
            cmake --build "$build/$preset" "$@"
    ) 9>"$build/$preset.lock"
}
run_tests() { # <preset> [label...]
    local preset=$1 labels
    shift
    labels=$(IFS='|' && echo "$*")
    ctest --test-dir "$build/$preset" --output-on-failure --no-tests=error -j"$jobs" ${labels:+-L "$labels"}
}
later="robust|pictures|scenes" # labels of the optimized build that have lanes of their own
build_and_run() { # <preset> <label...>: builds only what these labels need
    local preset=$1
    shift
    compile "$preset" --target "${@/#/tests_}" && run_tests "$preset" "$@"
}

lane_layers() { tests/check_layers.sh; }
lane_format() { scripts/format.sh --check && echo "ok: format"; }
lane_release() {
    compile release && ctest --test-dir "$build/release" --output-on-failure --no-tests=error -j"$jobs" -LE "$later"
}
lane_storms() { compile release && run_tests release robust scenes; }
lane_pictures() { compile release && run_tests release pictures; }
# The unit tests and the renderer as clang builds them run in the lane of asan; `make clang` runs them optimized, too.
# Kernels that this machine cannot run are compiled by gcc only.
lane_clang() {
    local best_isa=avx2
    ! grep -q avx512vl /proc/cpuinfo || best_isa=avx512
    build_and_run clang threads golden
}
lane_asan() { compile asan && run_tests asan unit render robust golden apps examples; }
lane_tsan() { build_and_run tsan threads golden; }
lane_wasm() { NODE_PATH=/usr/share/nodejs compile wasm && run_tests wasm; }
lane_browser() {
    compile release --target tarn_cli compare_pictures &&
        NODE_PATH=/usr/share/nodejs compile wasm --target browser_page &&
        scripts/browser.sh "$build/release/tarn" "$build/release/tests/compare_pictures" "$build/wasm/browser"
}
lane_web() {
    compile release --target tarn_cli && NODE_PATH=/usr/share/nodejs compile wasm --target web_modules &&
        node apps/web/build.mjs "$build/wasm/web" "$build/web" && scripts/test_web.sh "$build/release/tarn" "$build/web" --quick
}
lane_view() {
    compile release --target tarn_cli tarn_viewer && tests/viewer/run.sh "$build/release/tarn" --quick
}
lane_packaging() { compile release && run_tests release packaging; }
lane_fuzz() {
    compile asan --target fuzzers && FUZZ_SEED=1 FUZZ_SECONDS=${FUZZ_SECONDS:-10} scripts/fuzz.sh "$build/asan"
}
lane_sweep() {
    compile asan --target sweep_scenes &&
        "$build/asan/tests/sweep_scenes" --seconds "${SWEEP_SECONDS:-90}" --seed "${SWEEP_SEED:-1}" --jobs "$jobs" &&
        echo "ok: sweep, nothing found"
}

declare -A heading=(
    [layers]="include order, forbidden calls"
    [format]="clang-format"
    [release]="gcc, optimized: all tests but storms and pictures, and packaging"
    [storms]="gcc, optimized: storms of random input, damaged files, round trips, every tool in every scene"
    [pictures]="gcc, optimized: each scene against its reference picture"
    [clang]="clang, optimized: the same golden hashes, and what runs on several workers"
    [asan]="address and undefined-behavior sanitizers: unit, renderer, robust, golden, command line, examples"
    [tsan]="thread sanitizer: what runs on several workers, storms among it"
    [wasm]="WebAssembly under node: maths, the same golden hashes"
    [browser]="WebGL 2 in Chromium: the same pictures"
    [web]="the playground in Chromium, the npm package, the same state hashes with and without threads"
    [view]="the viewer under Xvfb, with real events: a few scenes"
    [packaging]="install, then use it from CMake, pkg-config, C and C++"
    [fuzz]="every fuzzer for a short while"
    [sweep]="a sample of all parameters of all scenes, under the sanitizers"
)

# count <log>: how many passed and failed, from ctest's closing lines, and from lines "ok: ..." of what is not ctest.
count() {
    local passed=0 failed=0 line total bad
    while read -r line; do
        total=${line##*out of }
        bad=${line%% tests failed*}
        bad=${bad##* }
        passed=$((passed + total - bad))
        failed=$((failed + bad))
    done < <(grep -E 'tests passed, [0-9]+ tests failed out of' "$1" || true)
    passed=$((passed - $(grep -c '\*\*\*Skipped' "$1" || true)))
    [[ $failed != 0 ]] || passed=$((passed + $(grep -c '^ok: ' "$1" || true)))
    echo "$passed $failed"
}

# lane <name>: runs lane_<name> with its output in a log, and writes passed, failed, seconds and seconds of CPU beside it.
lane() {
    local log=$build/logs/$1.log start=$SECONDS status=0 passed failed cpu TIMEFORMAT='%U %S'
    echo "== $1: ${heading[$1]}"
    { time "lane_$1" >"$log" 2>&1 || status=$?; } 2>"$build/logs/$1.cpu"
    cpu=$(awk '{ printf "%.0f", $1 + $2 }' "$build/logs/$1.cpu")
    read -r passed failed < <(count "$log")
    [[ $status == 0 || $failed != 0 ]] || failed=1
    echo "$1 $passed $failed $((SECONDS - start)) $cpu" >"$build/logs/$1.result"
    if [[ $failed != 0 ]]; then
        tail -n "${TAIL:-60}" "$log"
        echo "== $1 FAILED after $((SECONDS - start)) s; the whole log: $log"
        return 1
    fi
    grep -E '^(ok: |[a-z]+: |100% )' "$log" | sed "s/^/   $1: /" || true
    echo "== $1 done in $((SECONDS - start)) s"
}

# summary <lanes>: the result of each. A lane that did not run because another failed before it is not a success.
summary() {
    local passed=0 failed=0 missing=0 name good bad seconds cpu
    echo
    echo "== summary"
    for name in "$@"; do
        if [[ ! -f $build/logs/$name.result ]]; then
            printf '%-10s has not run\n' "$name"
            missing=1
            continue
        fi
        read -r name good bad seconds cpu <"$build/logs/$name.result"
        printf '%-10s %4d passed %3d failed %5d s, %5d s of CPU\n' "$name" "$good" "$bad" "$seconds" "$cpu"
        passed=$((passed + good))
        failed=$((failed + bad))
    done
    [[ $failed != 0 ]] || failed=$missing
    echo "$passed passed, $failed failed"
    [[ $failed == 0 ]]
}

if [[ ${1:-} == --chain ]]; then # one of several side by side; 255 keeps xargs from starting more
    for name in $2; do lane "$name" || exit 255; done
    exit 0
fi
chains=("${*:-$first}")
[[ $* != lanes ]] || chains=("${rest[@]}")
for name in ${chains[*]}; do
    [[ -n ${heading[$name]:-} ]] || { echo "test: there is no lane '$name'; there are ${!heading[*]}" >&2; exit 2; }
    rm -f "$build/logs/$name.result"
done
if [[ ${#chains[@]} == 1 ]]; then
    for name in ${chains[0]}; do lane "$name" || break; done
else
    printf '%s\0' "${chains[@]}" | JOBS=1 BUILD=$build xargs -0 -P "$jobs" -n 1 scripts/test.sh --chain || true
fi
summary ${chains[*]}
