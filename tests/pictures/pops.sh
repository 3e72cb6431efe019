#!/usr/bin/env bash
# Renders a short video of each scene, frame by frame as a game would show it, and reports pops and flicker.
#
#     tests/pictures/pops.sh TARN FILM_POPS FOLDER [scene ...]       all scenes if none is named
#     SECONDS_LONG=2 FROM=3 tests/pictures/pops.sh ...               2 s of film, 3 s after the beginning
#
# The frames stay in FOLDER/<scene>.
set -euo pipefail
tarn=$1 pops=$2
mkdir -p "$3"
folder=$(cd "$3" && pwd)
shift 3
cd "$(dirname "$0")/../.."
[[ $# -gt 0 ]] || set -- $(cd scenes && ls ./*.json | sed 's|^\./||; s|\.json$||')
long=${SECONDS_LONG:-1.5} from=${FROM:-0}

lapse() { # simulated seconds in a second of the film of a scene
    awk 'match($0, /"lapse": *[0-9.]+/) { text = substr($0, RSTART, RLENGTH); sub(/.*: */, "", text); found = text }
         END { print found ? found : 1 }' "scenes/$1.json"
}

for scene; do
    rm -rf "${folder:?}/$scene"
    begin=()
    if [[ $from != 0 ]]; then
        "$tarn" run "$scene" --seconds "$from" --quiet --save "$folder/$scene.snapshot"
        begin=(--load "$folder/$scene.snapshot")
    fi
    "$tarn" run "$scene" "${begin[@]}" --seconds "$(awk "BEGIN { print $long * $(lapse "$scene") }")" --fps "${FPS:-60}" --size 160x90 --quiet --png "$folder/$scene"
    rm -f "$folder/$scene.snapshot"
    echo "$scene, from $from s: $("$pops" "$folder/$scene"/frame_*.png)"
done
