#!/usr/bin/env bash
# What a frame of each scene costs to draw, with two builds: milliseconds of CPU time, without simulation, shaders and
# files. Says which scenes have become slower by more than a tenth.
#
#     scripts/draw_cost.sh OLD_TARN OLD_SCENES NEW_TARN NEW_SCENES [scene ...]     all scenes of OLD_SCENES if none is named
#     SIZE=640x360 FRAMES=20 TURNS=3 scripts/draw_cost.sh ...
#
# CPU time of all threads, so that other programs disturb little; the two builds take turns, the smallest counts.
set -euo pipefail
tarn=([0]="$1" [1]="$3") scenes=([0]="$2" [1]="$4")
shift 4
here=$(cd "$(dirname "$0")/.." && pwd)
size=${SIZE:-1280x720} frames=${FRAMES:-8} turns=${TURNS:-2}
[[ $# -gt 0 ]] || set -- $(cd "${scenes[0]}" && ls ./*.json | sed 's|^\./||; s|\.json$||')
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LIBGL_ALWAYS_SOFTWARE=1
# Frames go through a pipe to ffmpeg: one that swallows them costs nothing.
mkdir "$work/bin"
printf '#!/bin/sh\nfor last; do :; done\ncat >/dev/null\necho film >"${last#file:}"\n' >"$work/bin/ffmpeg"
chmod +x "$work/bin/ffmpeg"
export PATH="$work/bin:$PATH"

cpu() { # command: its CPU time [s]
    local TIMEFORMAT='%U %S'
    { time "$@" >"$work/said" 2>&1; } 2>"$work/time" || { cat "$work/said" >&2; return 1; }
    tail -1 "$work/time" | awk '{ print $1 + $2 }'
}

lapse() { # build, scene: simulated seconds in a second of its film
    awk 'match($0, /"lapse": *[0-9.]+/) { text = substr($0, RSTART, RLENGTH); sub(/.*: */, "", text); found = text }
         END { print found ? found : 1 }' "${scenes[$1]}/$2.json"
}

# CPU time of so many frames of a scene from its moment on: drawn, less not drawn.
once() { # build, scene, frames
    local part=("${tarn[$1]}" run "${scenes[$1]}/$2.json" --load "$work/$1.snapshot" --threads 1 --engine builtin --quiet
        --seconds "$(awk "BEGIN { print $3 / 60 * $(lapse "$1" "$2") }")")
    local drawn plain
    drawn=$(cpu "${part[@]}" --fps 60 --size "$size" --video "$work/film.mp4")
    plain=$(cpu "${part[@]}")
    awk "BEGIN { print $drawn - $plain }"
}

frame() { # build, scene: CPU time of one frame [ms]
    local few many
    few=$(once "$1" "$2" 2)
    many=$(once "$1" "$2" $((2 + frames)))
    awk "BEGIN { print ($many - $few) / $frames * 1000 }"
}

printf '%-22s %9s %9s\n' scene 'old [ms]' 'new [ms]'
for scene; do
    at=$(awk -v scene="$scene" '$1 == scene { print $2 }' "$here/tests/pictures/moments.txt")
    best=([0]=1e9 [1]=1e9)
    for b in 0 1; do
        "${tarn[$b]}" run "${scenes[$b]}/$scene.json" --seconds "${at:-0.5}" --threads 1 --engine builtin --quiet --save "$work/$b.snapshot"
    done
    for ((turn = 0; turn < turns; ++turn)); do
        for b in 0 1; do
            now=$(frame $b "$scene") || { best[b]=nan; continue; }
            best[b]=$(awk "BEGIN { print $now < ${best[b]} ? $now : ${best[b]} }")
        done
    done
    awk -v name="$scene" -v old="${best[0]}" -v new="${best[1]}" 'BEGIN {
        printf "%-22s %9.1f %9.1f %+6.1f %%%s\n", name, old, new, 100 * (new / old - 1), (new > 1.1 * old ? " SLOWER" : "") }'
done
