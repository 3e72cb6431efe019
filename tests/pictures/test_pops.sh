#!/usr/bin/env bash
# film_pops finds a cut and a flash in films that are made of two reference pictures, and none in a still.
#
#     tests/pictures/test_pops.sh FILM_POPS
set -euo pipefail
pops=$1
cd "$(dirname "$0")"
a=flagship.png b=floating_bodies.png
bad=0

expect() { # exit code, words of the answer, frames
    local code=$1 words=$2 got=0 said
    shift 2
    said=$("$pops" --limit 2 "$@" 2>&1) || got=$?
    if [[ $got != "$code" || $said != *"$words"* ]]; then
        echo "FAILED: film_pops $*: exit code $got, '$said'; expected $code and '$words'"
        bad=1
    fi
}
expect 0 "a change of 0.00" $a $a $a $a $a $a
expect 1 "all pops" $a $a $a $b $b $b            # a cut
expect 1 "at frame 3" $a $a $a $b $b $b          # before this frame
expect 1 "all flash" $a $a $a $b $a $a $a        # one frame of something else
expect 1 "flicker 1.00" $a $b $b $a $b $a $a $b $b $a $b $a $a $b # by chance
expect 2 "four at least" $a $a
expect 2 "no_such.png" $a $a $a no_such.png
[[ $bad == 1 ]] || echo "ok: film_pops"
exit $bad
