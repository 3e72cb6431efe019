#!/usr/bin/env bash
# Renders dam breaks side by side: with 1, 2 and 4 sweeps per step and with each kernel (docs/sprinkle.md), and with each
# method (docs/choosing_a_liquid.md).
#
#     scripts/liquid_pictures.sh path/to/tarn [folder]
set -euo pipefail
tarn=$(realpath "${1:-build/release/tarn}")
cd "$(dirname "$0")/.."
folder=${2:-docs/images}
parts=$(mktemp -d)
trap 'rm -rf "$parts"' EXIT

draw() { # name, moment, settings
    local name=$1 at=$2
    shift 2
    "$tarn" render dam_break_2d --set liquid.spacing=0.05 "$@" --look particles --at "$at" --size 400x260 --quiet \
        -o "$parts/$name.png"
}
join() { # picture, columns, names: in two rows
    local picture=$1 columns=$2 inputs=() name
    shift 2
    for name; do inputs+=(-i "$parts/$name.png"); done
    local top='' bottom='' i
    for ((i = 0; i < columns; ++i)); do top+="[$i]" bottom+="[$((i + columns))]"; done
    ffmpeg -v error -y "${inputs[@]}" -filter_complex \
        "${top}hstack=$columns[a];${bottom}hstack=$columns[b];[a][b]vstack=2" \
        -compression_level 9 -pred mixed "$folder/$picture.png" </dev/null
    echo "$folder/$picture.png"
}

for n in 1 2 4; do
    for at in 0.7 4; do draw "$n.$at" $at --set liquid.iterations=$((4 * n)) --set liquid.warm_start=0; done
done
join sprinkle_iterations 3 1.0.7 2.0.7 4.0.7 1.4 2.4 4.4
for kernel in square talk; do
    for at in 0.7 4; do draw "$kernel.$at" $at --set liquid.kernel=$kernel; done
done
join sprinkle_kernels 2 square.0.7 talk.0.7 square.4 talk.4
methods="constraint dfsph pcisph wcsph sph lennard_jones"
for method in $methods; do draw $method 0.9 --set liquid.spacing=0.035 --set liquid.method=$method --set liquid.max_substeps=1000; done
join liquid_methods 3 $methods
