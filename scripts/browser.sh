#!/usr/bin/env bash
# Draws scenes with WebGL 2 in a headless browser and compares them with the pictures of the command line.
#
#     scripts/browser.sh path/to/tarn path/to/compare_pictures path/to/wasm/browser
set -euo pipefail
cd "$(dirname "$0")/.."
tarn=$1
compare=$2
folder=$3 # with browser_page.js in it

cp tests/browser/page.html tests/browser/package.json tests/browser/.npmrc "$folder/"
if [[ ! -d $folder/node_modules/playwright-core ]]; then
    command -v npm >/dev/null || { echo "browser: npm is missing (scripts/setup.sh browser)" >&2; exit 1; }
    echo "browser: installing playwright-core by npm"
    (cd "$folder" && npm install --silent --no-audit --no-fund)
fi
node tests/browser/run.mjs "$folder" scenes "$tarn" "$compare"
