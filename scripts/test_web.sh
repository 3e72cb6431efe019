#!/usr/bin/env bash
# Drives the playground in a headless browser, and compares state hashes of native code, wasm and wasm with threads.
#
#     scripts/test_web.sh path/to/tarn path/to/web [--quick]      --quick: a few scenes
#     scripts/test_web.sh path/to/tarn path/to/web --bench        steps and frames per second instead
set -euo pipefail
cd "$(dirname "$0")/.."
tarn=$1
web=$2
mode=${3:-}
tests=$web-tests

mkdir -p "$tests"
cp tests/web/package.json tests/browser/.npmrc "$tests/"
if [[ ! -d $tests/node_modules/playwright-core || ! -d $tests/node_modules/axe-core || ! -d $tests/node_modules/three ]]; then
    command -v npm >/dev/null || { echo "web: npm is missing (scripts/setup.sh web)" >&2; exit 1; }
    echo "web: installing playwright-core, axe-core and three by npm"
    (cd "$tests" && npm install --silent --no-audit --no-fund)
fi
if [[ $mode == --bench ]]; then
    exec node tests/web/bench.mjs "$web" "$tests" "$tarn"
fi
failed=0
node tests/web/package.mjs "$web" "$tests" || failed=1
node tests/web/hashes.mjs "$web" "$tarn" $mode || failed=1
node tests/web/pages.mjs "$web" "$tests" $mode || failed=1
exit $failed
