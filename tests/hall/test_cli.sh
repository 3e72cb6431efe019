#!/bin/bash
# The command line knows a solver that was linked with it: it describes, runs, draws and reports it like any other.
set -e
tarn=$1 scene=$(dirname "$0")/slosh.json
"$tarn" describe slosh | grep -q damping
"$tarn" run "$scene" --seconds 0.5 --csv slosh.csv > slosh.txt
head -1 slosh.csv | tr , '\n' | grep -qx 'trough.slope_x'
[ "$(head -1 slosh.csv | tr , '\n' | sort | uniq -d)" = "" ]
if "$tarn" run "$scene" --set trough.damping=-1 2> slosh.err; then exit 1; fi
grep -q 'damping' slosh.err
if ! "$tarn" render "$scene" --at 0.2 --size 160x90 --quiet -o slosh.png 2> slosh.err; then
    grep -qE 'built without its renderer|EGL' slosh.err # where nothing can be drawn, it says so
fi
if "$tarn" render "$scene" --only pond 2> slosh.err; then exit 1; fi
grep -qE "'pond'|built without" slosh.err
