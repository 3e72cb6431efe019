#!/usr/bin/env bash
# Drives the playground in a headless browser, and compares state hashes of native code, wasm and wasm with threads.
#
#     scripts/test_web.sh path/to/tarn path/to/web [--quick] [PART...]   --quick: a few scenes
#     scripts/test_web.sh path/to/tarn path/to/web --bench               steps and frames per second instead
#
# Parts, all if none is named: package, hashes, scenes (every scene on its page), controls (everything else on the pages).
# SCENES="beach harbor": only these.
set -euo pipefail
cd "$(dirname "$0")/.."
tarn=$1
web=$2
mode=""
shift 2
case ${1:-} in --quick | --bench) mode=$1; shift ;; esac
parts=" ${*:-package hashes scenes controls} "
tests=$web-tests
for part in $parts; do
    [[ " package hashes scenes controls " == *" $part "* ]] || { echo "web: there is no part '$part'" >&2; exit 2; }
done

mkdir -p "$tests"
cp tests/web/package.json tests/browser/.npmrc "$tests/"
if [[ ! -d $tests/node_modules/playwright-core || ! -d $tests/node_modules/axe-core || ! -d $tests/node_modules/three ]]; then
    command -v npm >/dev/null || { echo "web: npm is missing (scripts/setup.sh web)" >&2; exit 1; }
    echo "web: installing playwright-core, axe-core and three by npm"
    (cd "$tests" && npm install --silent --no-audit --no-fund)
fi
read -r -a scenes <<<"${SCENES:-}"
if [[ $mode == --bench ]]; then
    exec node tests/web/bench.mjs "$web" "$tests" "$tarn" "${scenes[@]}"
fi
failed=0
[[ $parts != *" package "* ]] || node tests/web/package.mjs "$web" "$tests" || failed=1
[[ $parts != *" hashes "* ]] || node tests/web/hashes.mjs "$web" "$tarn" $mode "${scenes[@]}" || failed=1
pages=""
[[ $parts == *" controls "* ]] || pages=scenes
[[ $parts == *" scenes "* ]] || pages=controls
if [[ $parts == *" scenes "* || $parts == *" controls "* ]]; then
    node tests/web/pages.mjs "$web" "$tests" $mode $pages || failed=1
fi
exit $failed
