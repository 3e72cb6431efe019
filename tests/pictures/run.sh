#!/usr/bin/env bash
# Draws each scene small and early, and compares it with its reference, tests/pictures/<scene>.png; some are
# drawn with desktop GL as well. Pictures that differ are kept in FOLDER: <scene>.png, and
# <scene>.difference.png with the picture, the reference and the difference.
#
#     tests/pictures/run.sh TARN COMPARE_PICTURES FOLDER             compares; exits with 1 if one differs
#     tests/pictures/run.sh TARN COMPARE_PICTURES FOLDER --update    renders the references again
#     SCENES="bars beach" tests/pictures/run.sh ...                  only these
set -euo pipefail
tarn=$1 compare=$2
mkdir -p "$3"
folder=$(cd "$3" && pwd)
update=${4:-}
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."
export tarn compare folder update here
export LIBGL_ALWAYS_SOFTWARE=1 # the same pixels on every machine
unset TARN_GL

# Two jobs side by side with a thread each take less time than one after the other with two.
export size=160x90
desktop="bars pool_drops under_water river_rocks dam_break_2d dam_break_3d campfire sparks"

draw() { # scene, file
    local at
    at=$(awk -v scene="$1" '$1 == scene { print $2 }' "$here/moments.txt")
    "$tarn" render "$here/../../scenes/$1.json" --at "${at:-0.5}" --size $size --threads 1 --engine builtin --quiet -o "$2"
}

one() { # scene, gl: one line that says how it went
    local name=$1 gl=$2 picture=$folder/$1.png reference=$here/$1.png verdict
    if [[ $gl == desktop ]]; then
        picture=$folder/$1.desktop.png
        reference=$folder/$1.es.png
    fi
    rm -f "$picture" "${picture%.png}.difference.png"
    if ! verdict=$(TARN_GL=$gl draw "$name" "$picture" 2>&1); then
        echo "FAILED: $name ($gl): $verdict"
    elif [[ $update == --update ]]; then
        mv "$picture" "$reference"
        echo "ok: $name: updated"
    elif [[ ! -f $reference ]]; then
        echo "FAILED: $name: no reference $reference; look at $picture, then make references"
    elif verdict=$("$compare" "$picture" "$reference" --show "${picture%.png}.difference.png" 2>&1); then
        echo "ok: $name ($gl): $verdict"
        [[ $gl == desktop ]] || mv "$picture" "$folder/$name.es.png"
    else
        echo "FAILED: $name ($gl): $verdict; see ${picture%.png}.difference.png"
        [[ $gl == desktop ]] || cp "$picture" "$folder/$name.es.png"
    fi
}
export -f one draw

run() { # <gl> <scenes>
    printf '%s\n' $2 | xargs -P 2 -I {} bash -c "one {} $1"
}
log=$folder/log.txt
run es "${SCENES:-$(cd scenes && ls ./*.json | sed 's|^\./||; s|\.json$||')}" | tee "$log"
if [[ $update != --update ]]; then
    [[ -n ${SCENES:-} ]] || run desktop "$desktop" | tee -a "$log"
    for picture in "$here"/*.png; do # of scenes that are no more
        [[ -f scenes/$(basename "$picture" .png).json ]] || echo "FAILED: $picture is of no scene" | tee -a "$log"
    done
fi
! grep -q '^FAILED' "$log"
