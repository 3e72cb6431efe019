#!/usr/bin/env bash
# Runs every libFuzzer target, tests/robust/fuzz_*.c, for FUZZ_SECONDS (60) each. Findings are
# kept in the build directory: fuzz/corpus/<target>, and fuzz/<target>-crash-* for an input that fails.
#
#     scripts/fuzz.sh [build directory]          FUZZ_SECONDS=600 scripts/fuzz.sh
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build/fuzz}
seconds=${FUZZ_SECONDS:-60}
failed=0

for source in tests/robust/fuzz_*.c; do
    [[ -e $source ]] || break
    name=$(basename "$source" .c)
    corpus=$build/fuzz/corpus/$name
    mkdir -p "$corpus" "$build/fuzz/seeds"
    for seed in scenes/*.json tests/robust/seeds/*; do
        [[ -e $seed ]] && cp "$seed" "$build/fuzz/seeds/"
    done
    log=$build/fuzz/$name.log
    if "$build/fuzz/$name" -max_total_time="$seconds" -timeout=25 -rss_limit_mb=4096 -seed="${FUZZ_SEED:-0}" \
        -artifact_prefix="$build/fuzz/$name-" "$corpus" "$build/fuzz/seeds" >"$log" 2>&1; then
        echo "ok: $name, $(sed -n 's/^Done \([0-9]*\) runs.*/\1/p' "$log") runs in $seconds s, nothing found"
    else
        failed=$((failed + 1))
        tail -n 40 "$log"
        echo "fuzz: $name FAILED, see $log"
    fi
done
[[ $failed == 0 ]]
