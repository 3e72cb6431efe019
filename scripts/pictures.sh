#!/usr/bin/env bash
# Makes the pictures of README and docs anew: one still per scene, and a sheet of the flagship.
#
#     scripts/pictures.sh path/to/tarn [folder]
set -euo pipefail
cd "$(dirname "$0")/.."
tarn=${1:-build/release/tarn}
folder=${2:-docs/images}
mkdir -p "$folder"

for scene in scenes/*.json; do
    name=$(basename "$scene" .json)
    # Two thirds of the way through what the scene says it runs.
    at=$(awk -F'[:,}]' '/"seconds"/ { for (i = 1; i < NF; ++i) if ($i ~ /"seconds"/) { print $(i + 1) * 2 / 3; exit } }' "$scene")
    "$tarn" render "$name" --at "${at:-4}" --size 960x540 --quiet -o "$folder/$name.png"
    echo "$folder/$name.png"
done
"$tarn" run flagship --size 640x360 --quiet --sheet "$folder/flagship_sheet.png"
echo "$folder/flagship_sheet.png"
