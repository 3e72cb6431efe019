#!/usr/bin/env bash
# The command line from outside: help, exit codes, good and bad input, files that are whole or not
# there, the same hash for every number of threads.
#
#     tests/apps/test_cli.sh path/to/tarn path/to/scenes
#
# One line per case; the last line is "N passed, N failed". What the machine cannot do (no renderer,
# no ffmpeg, no python3) is said and skipped.
set -uo pipefail

if [[ $# != 2 ]]; then
    echo "usage: $0 path/to/tarn path/to/scenes" >&2
    exit 2
fi
tarn=$(realpath "$1")
scenes=$(realpath "$2")
if ! "$tarn" --version >/dev/null; then
    echo "$0: '$1' does not run" >&2
    exit 2
fi
work=$(mktemp -d)
small=$work/small_ram
trap 'mountpoint -q "$small" && umount "$small"; chmod -R u+w "$work"; rm -rf "$work"' EXIT
cd "$work" || exit 1
unset TARN_SCENES TARN_ISA

passed=0
failed=0
out=$work/stdout
err=$work/stderr
code=0

ok() {
    passed=$((passed + 1))
    echo "ok: $1"
}
bad() { # <case> <why>
    failed=$((failed + 1))
    echo "FAILED: $1: $2"
    sed 's/^/    stdout: /' "$out" | head -n 5
    sed 's/^/    stderr: /' "$err" | head -n 5
}
skip() { echo "skipped: $1: $2"; }

# t <arguments>: runs tarn, its output in $out and $err, its exit code in $code.
t() {
    "$tarn" "$@" >"$out" 2>"$err" </dev/null
    code=$?
}
# expect <case> <exit code> [<pattern in stderr>]: judges what t did.
expect() {
    if [[ $code != "$2" ]]; then
        bad "$1" "exit code $code, not $2"
    elif [[ $# == 3 ]] && ! grep -qE -- "$3" "$err"; then
        bad "$1" "stderr has no '$3'"
    elif [[ $2 != 0 ]] && grep -qvE '^tarn: ' "$err"; then
        bad "$1" "a line on stderr does not begin with 'tarn: '"
    elif [[ $2 != 0 && -s $out ]]; then
        bad "$1" "something on stdout although it failed"
    else
        ok "$1"
    fi
}
# holds <case> <why> <command...>
holds() {
    local name=$1 why=$2
    shift 2
    if "$@"; then ok "$name"; else bad "$name" "$why"; fi
}
out_has() { grep -qE -- "$1" "$out"; }
out_is_empty() { [[ ! -s $out ]]; }
missing() { [[ ! -e $1 ]]; }
lines() { wc -l <"$1"; }
file_size() { stat -c %s "$1" 2>/dev/null || echo 0; }
larger() { [[ $(file_size "$1") -gt $2 ]]; }
is_png() { [[ $(head -c 8 "$1" | od -An -tx1 | tr -d ' \n') == 89504e470d0a1a0a ]]; }
# width x height from the header of a PNG
png_size() {
    local b
    read -ra b < <(od -An -tu1 -j16 -N8 "$1")
    echo "$((b[2] * 256 + b[3]))x$((b[6] * 256 + b[7]))"
}
# number of files that a run must not leave behind
leftovers() { find "$work" -name '*.part*' | wc -l; }
is_json() { python3 -m json.tool "$1" >/dev/null 2>>"$err"; }

# ---- A small scene of our own, so that the cases take milliseconds ---------------------------------
mkdir own
cat >own/basin.json <<'END'
{
  "tarn": 1,
  "title": "Small basin",
  "about": "Drops, rain and two bodies in a closed basin.",
  "run": { "seconds": 1, "dt": 0.02 },
  "solvers": [ { "kind": "wave", "nx": 48, "nz": 40, "dx": 0.1, "depth": 0.6, "use_bodies": true, "origin": [-2.4, -2] } ],
  "bodies": [
    { "shape": "sphere", "size": 0.3, "position": [0.5, 0.4, 0.2], "density": 400 },
    { "shape": "box", "size": [0.3, 0.2, 0.4], "position": [-1, 0.3, -0.5], "density": 300 }
  ],
  "emitters": [
    { "kind": "drop", "start": 0.1, "a": [-1, 0.5], "radius": 0.3, "height": 0.1 },
    { "kind": "rain", "start": 0.2, "a": [-2, -1.5], "b": [2, 1.5], "radius": 0.2, "rate": 20 }
  ]
}
END
sed 's/"damping"//; s/"nx": 48/"nx": -4/' own/basin.json >broken.json
sed 's/"depth"/"dpeth"/' own/basin.json >typo.json
echo 'no scene at all' >garbage.json
scene=own/basin.json

# ---- Help --------------------------------------------------------------------------------------------
t
expect "tarn alone explains itself" 0
holds "tarn alone shows examples" "no examples" out_has '^examples:'
for arguments in "--help" "-h" "help" "help help"; do
    # shellcheck disable=SC2086
    t $arguments
    expect "tarn $arguments" 0
done
for command in list describe run render mesh terrain bench check; do
    t help "$command"
    expect "tarn help $command" 0
    holds "tarn help $command has usage and examples" "not there" \
        grep -qzE "usage: tarn $command.*examples:" "$out"
    cp "$out" help_text
    t "$command" --help
    holds "tarn $command --help says the same" "differs" cmp -s help_text "$out"
done
t run nonsense --seconds 5 --help
expect "--help wins over everything else" 0
t --version
holds "tarn --version" "not 'tarn x.y.z'" grep -qxE 'tarn [0-9]+\.[0-9]+\.[0-9]+' "$out"

# ---- Bad usage: exit code 2, a sentence, nothing on stdout -----------------------------------------
t rn
expect "unknown command, nearest named" 2 "no command 'rn'; did you mean 'run'\? See"
t zzzzzz
expect "unknown command, nothing near" 2 "no command 'zzzzzz'; see"
t --versoin
expect "unknown option before a command" 2 "did you mean '--version'"
t help rnder
expect "help for an unknown command" 2 "did you mean 'render'"
t run
expect "run without a scene" 2 "tarn run SCENE"
t run $scene --secnds 3
expect "unknown option, nearest named" 2 "unknown option '--secnds'; did you mean '--seconds'\? See .tarn run --help"
t run $scene --zzzzzzzz=3
expect "unknown option with a value, nothing near" 2 "unknown option '--zzzzzzzz'; see .tarn run"
t run $scene -z
expect "unknown letter" 2 "unknown option '-z'"
t run $scene other
expect "one argument too many" 2 "unexpected argument 'other'"
t run $scene --seconds
expect "a value is missing" 2 "--seconds needs a value"
t run $scene --csv --hash
expect "a value is missing before another option" 2 "--csv needs a value"
t run $scene --csv ""
expect "an empty value" 2 "must not be empty"
t run $scene --hash=yes
expect "a flag takes no value" 2 "takes no value"
for value in abc 1x "1 " " 1" nan inf -inf 0x10 1e999 -1 1e9 "" --; do
    t run $scene "--seconds=$value"
    expect "--seconds '$value' is refused" 2 "--seconds: '?$value"
done
for value in 0 65 1.5 x 99999999999999999999 -1; do
    t run $scene --threads "$value"
    expect "--threads $value is refused" 2 "--threads: '?$value"
done
t run $scene --threads 65
expect "the range is named" 2 "allowed: 1 to 64"
t run $scene --isa avx
expect "an unknown isa" 2 "not one of: auto, baseline, avx2, avx512; did you mean 'avx2'"
for value in 10 x 10x 1x1 640x480x3 640X480 -640x480 0x10 100000x10 640x; do
    t run $scene --sheet s.png --size "$value"
    expect "--size $value is refused" 2 "--size: '?$value"
done
t run $scene --video v.mp4 --size 321x200
expect "an odd size for a video" 2 "must be even"
t run $scene --size 320x200
expect "--size without pictures" 2 "--size needs --png, --sheet or --video"
t run $scene --look particles
expect "--look without pictures" 2 "--look needs --png, --sheet or --video"
t run $scene --sheet s.png --look particles,fog
expect "an unknown part of --look" 2 "--look: 'particles,fog' is not a comma-separated list of: particles,resize,"
t run $scene --fps 10
expect "--fps without pictures" 2 "--fps needs --png or --video"
t run $scene --every 2
expect "--every without --png" 2 "--every needs --png"
t run $scene --sheet picture.jpg
expect "a sheet that is no .png" 2 "must end in .png"
t run $scene --video film.webm
expect "a video that is no .mp4" 2 "must end in .mp4"
t render $scene -o picture.jpg
expect "a picture that is no .png" 2 "must end in .png"
t run $scene --csv same --save same
expect "two outputs with one name" 2 "two outputs"
t run $scene --csv ./same --save same
expect "two outputs with one name, spelled differently" 2 "two outputs"
t list one
expect "list takes no argument" 2 "unexpected argument"
t describe a b
expect "describe takes one argument" 2 "unexpected argument"
t bench --quik
expect "bench: unknown option" 2 "did you mean '--quick'"
t check --jason
expect "check: unknown option" 2 "did you mean '--json'"

t check --list
expect "check --list" 0
holds "check --list names groups" "it does not" grep -qx 'wave.standing' "$out"
holds "check --list says what --quick leaves out" "it does not" grep -qx 'liquid.layers  (not with --quick)' "$out"
t check --list shallow_bodies
holds "check --list takes a filter" "other groups are there" [ "$(grep -cv '^shallow_bodies\.' "$out")" = 0 ]
holds "check --list shallow_bodies has rows" "it has none" out_has '^shallow_bodies.wake$'
t check --list particles.
holds "check: a filter with a dot at its end begins names" "others are there" [ "$(grep -cv '^particles\.' "$out")" = 0 ]
t check --list zzz
expect "check --list: nothing matches" 2 "no check matches 'zzz'; .tarn check --list. shows all"
t check zzz
expect "check: nothing matches" 2 "no check matches 'zzz'"
t check --list --plot plots
expect "check --list --plot" 2 "runs no checks"
TARN_VALIDATION=$work/nowhere t check wave.standing --quick
expect "a reference that is not there" 0 \
    "missing reference '.*/nowhere/04_wave/discrete_standing_wave.csv': its formula is used instead.*TARN_VALIDATION"

# ---- Scenes: found, missing, broken ----------------------------------------------------------------
t list
expect "tarn list" 0
TARN_SCENES=$work/own t list
holds "TARN_SCENES adds a folder" "basin is not listed" grep -q '^basin  *Small basin$' "$out"
holds "list says what a scene shows" "no about" out_has 'two bodies in a closed basin'
TARN_SCENES=$work/own t run basin --seconds 0.1 --quiet
expect "a scene by its bare name" 0
mkdir -p elsewhere/scenes && cp own/basin.json elsewhere/scenes/nearby.json
(cd elsewhere && "$tarn" run nearby --seconds 0.1 --quiet) >"$out" 2>"$err"
code=$?
expect "a scene in ./scenes" 0
TARN_SCENES=$work/own t run basim
expect "a scene that is not there, nearest named" 2 "no scene 'basim'; did you mean 'basin'"
t run nowhere/at_all.json
expect "a path that is not there" 2 "no scene 'nowhere/at_all.json'"
t run broken.json
expect "a value out of range in a scene" 1 "broken.json:[0-9]+:[0-9]+: .*nx"
t run typo.json
expect "an unknown key in a scene" 1 "typo.json:[0-9]+:[0-9]+: .*depth"
t run garbage.json
expect "a file that is no scene" 1 "garbage.json"
t run own
expect "a folder is no scene" 2 "no scene 'own'"
mkdir half && cp own/basin.json garbage.json half
TARN_SCENES=$work/half t list
holds "list names a broken scene and goes on" "exit code $code" [ "$code" = 1 ]
holds "list still shows the good ones" "basin is missing" out_has '^basin '

n=0
for file in "$scenes"/*.json; do
    [[ -e $file ]] || continue
    n=$((n + 1))
    name=$(basename "$file" .json)
    t describe "$file"
    [[ $code == 0 && ! -s $err ]] || bad "tarn describe $name" "exit code $code"
done
ok "all $n scenes of the folder can be described"

# ---- Describe ------------------------------------------------------------------------------------------
t describe
expect "tarn describe lists the tables" 0
tables=$(awk '/ parameters?$/ { print $1 }' "$out" | sort -u)
solvers=$(awk '/^Solvers/ { on = 1 } /^Parameter tables/ { on = 0 } on && /^  / { print $1 }' "$out")
holds "tarn describe lists the solvers" "$solvers" [ "$(grep -cxE 'wave|liquid|gas|fire' <<<"$solvers")" = 4 ]
for solver in $solvers; do
    t describe "$solver"
    holds "describe $solver shows its purpose, stats and emitter kinds" "it does not" \
        grep -qzE "^$solver: [A-Z].*stats, which are columns.*emitter kinds that it supports" "$out"
done
for table in $tables; do
    t describe "$table"
    expect "tarn describe $table" 0
    holds "describe $table has aligned columns" "no heading" out_has '^  name +type +unit +range +default +meaning$'
done
t describe wave
holds "describe wave shows both tables" "not two" [ "$(grep -c '^wave (Tarn' "$out")" = 2 ]
t describe liquid
holds "describe liquid has the tables of its lists" "it does not" out_has '^liquid_source \(TarnLiquidSourceDef\)'
t describe pipes
holds "describe pipes lists its emitters" "others" out_has '^emitter kinds that it supports: drop, source$'
t describe wave --markdown
holds "describe --markdown is a table" "no rows" grep -qE '^\| `nx` \| int \|.*\|$' "$out"
t describe waev
expect "describe: unknown name" 2 "'waev'; did you mean 'wave'\?"
t describe wave --json --markdown
expect "describe: two styles" 2 "cannot be combined"
t describe $scene
expect "describe a scene" 0
for word in 'Small basin' 'wave +wave +[0-9.]+ MB' 'nx 48 cells, nz 40 cells, dx 0.1 m' 'level 0 m' 'memory +[0-9.]+ MB' 'bodies +2' 'emitters +2' sphere rain; do
    holds "describe a scene shows '$word'" "not there" out_has "$word"
done
t describe $scene --markdown
expect "describe: a scene is no table" 2 "is a scene"

has_python=$(python3 -c 'print("yes")' 2>/dev/null)
if [[ -n $has_python ]]; then
    mkdir json # one python3 for all of them
    t describe --json
    cp "$out" json/describe
    for table in $tables; do
        t describe "$table" --json
        cp "$out" "json/describe $table"
    done
    t describe $scene --json
    cp "$out" "json/describe SCENE"
    t list --json
    cp "$out" json/list
    python3 - json/* >valid 2>>"$err" <<'END'
import json, sys
for name in sys.argv[1:]:
    try:
        json.load(open(name))
        print(name)
    except ValueError as why:
        print(name, why, file=sys.stderr)
END
    for file in json/*; do
        holds "${file#json/} --json is JSON" "not valid" grep -qxF "$file" valid
    done
else
    skip "JSON" "python3 is not there"
fi

# ---- Run: results ----------------------------------------------------------------------------------------
t run $scene
expect "a run" 0 "50 steps to 1.000 s"
holds "a run without --hash is silent on stdout" "it is not" out_is_empty
t run $scene --quiet
holds "--quiet says nothing" "it does" [ ! -s "$err" ]
t run $scene --hash --quiet
holds "--hash prints 16 hex digits and nothing else" "it does not" grep -qxE '[0-9a-f]{16}' "$out"
hash=$(cat "$out")
for threads in 1 2 3 8; do
    for isa in baseline avx2 avx512; do
        name="the same hash with --threads $threads --isa $isa"
        t run $scene --hash --threads $threads --isa $isa --quiet
        if [[ $isa != baseline && $code != 0 ]] && grep -q "cannot run the $isa" "$err"; then
            skip "$name" "no $isa here"
        else
            holds "$name" "it is $(cat "$out"), not $hash" [ "$(cat "$out")" = "$hash" ]
        fi
    done
done
TARN_ISA=baseline t run $scene --hash --quiet
holds "the same hash with TARN_ISA" "it is not" [ "$(cat "$out")" = "$hash" ]
TARN_ISA=nonsense t run $scene
expect "a bad TARN_ISA" 1 "TARN_ISA is 'nonsense'"

# A run reaches the time that was asked for, however long a step is and whoever limits it.
t run $scene --set run.dt=0.5 --seconds 3
expect "steps longer than world.max_step times its substeps" 0 "6 steps to 3.000 s"
holds "the limit of the world is named" "it is not" \
    grep -q '6 of 6 steps took several calls to reach their time; the limit was world.max_substeps' "$err"
t run $scene --set run.dt=0.1 --set wave.courant=0.02 --set wave.max_substeps=2 --seconds 0.5
expect "steps that the solver cuts" 0 "5 steps to 0.500 s"
holds "the limit of the solver is named" "it is not" grep -q 'the limit was wave.max_substeps' "$err"
t run $scene --set run.dt=0.5 --seconds 1.7
expect "a time that is no multiple of dt" 0 "4 steps to 1.700 s"
t run $scene --seconds 0.013
expect "a time shorter than dt" 0 "1 step to 0.013 s"
t run $scene --set run.dt=0.5 --set world.max_step=0.5 --seconds 1
expect "bodies that fall behind are said" 0 "bodies fell 0.733 s behind; lower world.max_step"
t mesh $scene --set run.dt=0.5 --at 1.7 -o time.obj
expect "tarn mesh reaches its time" 0 'at 1.700 s'
rm -f time.obj

t run $scene --hash --quiet --set wave.damping=2
expect "--set a float" 0
holds "--set changes the result" "it does not" [ "$(cat "$out")" != "$hash" ]
t run $scene --quiet --set wave.edge_x0=absorbing --set "wave.origin=-2,-2" --set bodies[1].density=900 \
    --set=run.seconds=0.1
expect "--set an enum, a vector, a list item" 0
t run $scene --set wave.dampng=2
expect "--set an unknown key, nearest named" 2 "did you mean 'damping'"
t run $scene --set wave.damping=abc
expect "--set no number" 2 "wave.damping"
t run $scene --set wave.damping=-5
expect "--set out of range" 2 "allowed"
t run $scene --set bodies[7].density=5
expect "--set a body that is not there" 2 "bodies\[7\]"
t run $scene --set nonsense
expect "--set without =" 2 "PATH=VALUE"
t run $scene --set =5
expect "--set without a path" 2 "PATH=VALUE"

t run $scene --seconds 0.5 --save half.snap --quiet
expect "--save" 0
t run $scene --load half.snap --hash --quiet
holds "saved half way and loaded: the same hash" "it is not" [ "$(cat "$out")" = "$hash" ]
t run $scene --load half.snap --seconds 0.5 --hash --quiet --isa baseline --threads 3
holds "the same with --seconds, threads and isa" "it is not" [ "$(cat "$out")" = "$hash" ]
t run $scene --seconds 0.5 --save again.snap --quiet --threads 1
holds "snapshots have the same bytes" "they differ" cmp -s half.snap again.snap
t run $scene --save whole.snap --hash --quiet
t run $scene --load whole.snap --hash
expect "a snapshot of the end has nothing left to run" 0 "to continue from there"
holds "and keeps its hash" "it does not" [ "$(cat "$out")" = "$hash" ]
t run $scene --seconds 0.5 --load half.snap --save half.snap --quiet
holds "a snapshot may replace the one it came from" "it is not the end" cmp -s half.snap whole.snap
head -c 1000 whole.snap >short.snap
t run $scene --load short.snap
expect "a snapshot that is cut off" 1 "short.snap"
{ head -c 3000 whole.snap && printf 'XXXX' && tail -c +3005 whole.snap; } >damaged.snap
t run $scene --load damaged.snap
expect "a damaged snapshot" 1 "damaged.snap"
t run $scene --load $scene
expect "a snapshot that is none" 1 "not a Tarn snapshot"
t run $scene --load whole.snap --set wave.nx=64
expect "a snapshot of another world" 1 "whole.snap"
t run $scene --load nowhere.snap
expect "a snapshot that is not there" 1 "cannot read 'nowhere.snap': No such file"
t run $scene --load own
expect "a folder as snapshot" 1 "cannot read 'own'"
: >empty.snap
t run $scene --load empty.snap
expect "an empty snapshot" 1 "empty.snap"

t run $scene --csv run.csv --quiet
expect "--csv" 0
holds "the CSV has a header and a row per step" "$(lines run.csv) lines" [ "$(lines run.csv)" = 51 ]
holds "the header names time, water and bodies" "it does not" grep -qE \
    '^time,wave_volume,wave_level,wave_height_min,wave_height_max,tiles_awake,substeps,.*body0_x,.*body1_submerged$' run.csv
holds "all rows have the same columns" "they do not" \
    [ "$(awk -F, '{ print NF }' run.csv | sort -u | wc -l)" = 1 ]
holds "no number in it is broken" "one is" [ "$(grep -ciE 'nan|inf' run.csv)" = 0 ]
t run $scene --csv - --quiet
holds "--csv - is stdout" "not the same" cmp -s run.csv "$out"
t run $scene --csv /dev/stdout --hash --quiet
holds "--csv /dev/stdout and --hash" "not 52 lines" [ "$(lines "$out")" = 52 ]
t run $scene --csv - --hash --quiet
holds "--csv - and --hash" "the hash is not last" [ "$(tail -n 1 "$out")" = "$hash" ]
t run $scene --seconds 0 --csv none.csv --hash --quiet
holds "--seconds 0 runs nothing" "it does" [ "$(lines none.csv)" = 1 ]

# ---- Gases -----------------------------------------------------------------------------------------------
mkdir gases
cat >gases/puff.json <<'END'
{
  "tarn": 1,
  "title": "Puff",
  "run": { "seconds": 1.2, "dt": 0.02 },
  "solvers": [
    { "kind": "gas", "nx": 16, "ny": 24, "nz": 16, "dx": 0.1, "levels": 2,
      "sources": [ { "size": 0.3, "position": [0, -0.6, 0], "temperature": 200 } ] },
    { "kind": "particles", "name": "sparks", "max_particles": 500, "emitters": [ { "rate": 200 } ] }
  ]
}
END
puff=gases/puff.json
t run $puff
expect "a run of a gas" 0 "gas: .*nx 16, ny 24, nz 16, dx 0.1 m, speed .* m/s, heat [0-9]+.* K, heat_sum [0-9].* K m\^3, density .* m\^3, cycles [0-9]+, residual [0-9.e-]+, divergence"
holds "the particles are said by their name" "they are not" grep -qE 'sparks \(particles\): count [0-9]+' "$err"
t run $puff --hash --quiet --threads 1 --isa baseline
puff_hash=$(cat "$out")
t run $puff --hash --quiet --threads 3
holds "a gas has the same hash with more threads" "it does not" [ "$(cat "$out")" = "$puff_hash" ]
t run $puff --budget 0.01
expect "--budget: too small a one ends with the cheapest setting" 0 \
    "budget: .* setting [1-9].*grid level [01], update every [1-9], [0-9]+ % of the particles"
t run $puff --budget 10000
expect "--budget: a large one changes nothing" 0 "setting 0 .grid level 0, update every 1, 100 %.* 0 changes"
t run $scene --budget 5
expect "--budget needs a gas or particles" 1 "--budget only works with gases and particles"
t run $puff --budget 0
expect "--budget 0 is refused" 2 "--budget"
t run $puff --csv - --quiet
holds "--csv has columns of gases" "it does not" \
    out_has '^time,.*gas_x,.*gas_nx,gas_ny,gas_nz,gas_dx,.*gas_heat_sum,.*gas_residual,gas_divergence,sparks_count,'
t describe $puff
holds "describe shows gases" "it does not" grep -qzE '  gas +gas .*nx 16 cells, ny 24 cells, nz 16 cells.*  sparks +particles ' "$out"
t describe gas
holds "describe gas shows both tables" "not two" [ "$(grep -c '^gas (Tarn' "$out")" = 2 ]

# ---- Files that cannot be written ----------------------------------------------------------------------
t run $scene --csv /dev/full --quiet
expect "CSV to a full disk" 1 "cannot write '/dev/full': No space left"
t run $scene --save /dev/full --quiet
expect "snapshot to a full disk" 1 "cannot write '/dev/full': No space left"
holds "/dev/full is still a device" "it was replaced" [ -c /dev/full ]
"$tarn" run $scene --hash --quiet >/dev/full 2>"$err"
code=$?
: >"$out"
expect "stdout on a full disk" 1 "standard output: No space left"
"$tarn" describe wave >/dev/full 2>"$err"
code=$?
expect "describe to a full disk" 1 "standard output: No space left"
t run $scene --csv nowhere/run.csv
expect "a folder that is not there" 1 "cannot create 'nowhere/run.csv': No such file"
t run $scene --save own
expect "a folder under the name" 1 "cannot create 'own': Is a directory"
t run $scene --csv $scene/run.csv
expect "a file where a folder should be" 1 "Not a directory"
echo old >kept.csv
(ulimit -f 2 && "$tarn" run $scene --csv kept.csv --quiet >"$out" 2>"$err")
code=$?
expect "a file that may not grow" 1 "cannot write '.*kept.csv': File too large"
holds "the old file is still there" "it is not" [ "$(cat kept.csv)" = old ]
(ulimit -f 2 && "$tarn" run $scene --save kept.csv --quiet >"$out" 2>"$err")
code=$?
expect "a snapshot that may not grow" 1 "File too large"
holds "the old file is still there, again" "it is not" [ "$(cat kept.csv)" = old ]
ln -s kept.csv link.csv
t run $scene --csv link.csv --quiet
holds "a link stays a link" "it does not" [ -L link.csv ]
holds "and its target is replaced" "it is not" cmp -s run.csv kept.csv
mkfifo pipe.csv
timeout 20 cat pipe.csv >from_pipe.csv &
reader=$!
t run $scene --csv pipe.csv --quiet
wait $reader
holds "a pipe is written to, not replaced" "it is not" [ -p pipe.csv ]
holds "and everything comes out" "it does not" cmp -s run.csv from_pipe.csv
if [[ $(id -u) != 0 ]]; then
    mkdir locked && chmod a-w locked
    t run $scene --csv locked/run.csv
    expect "a folder without permission" 1 "Permission denied"
    t run $scene --png locked/frames
    expect "stills in a folder without permission" 1 "Permission denied|without its renderer"
elif command -v setpriv >/dev/null && setpriv --reuid=65534 --clear-groups "$tarn" --version \
    >/dev/null 2>&1; then
    mkdir locked && chmod 755 "$work" locked
    setpriv --reuid=65534 --clear-groups "$tarn" run "$work/$scene" --csv "$work/locked/run.csv" \
        >"$out" 2>"$err"
    code=$?
    expect "a folder without permission" 1 "Permission denied"
else
    skip "a folder without permission" "root may write anywhere"
fi
mkdir "$small"
if [[ $(id -u) == 0 ]] && mount -t tmpfs -o size=4k tmpfs "$small" 2>/dev/null; then
    t run $scene --save "$small/end.snap" --quiet
    expect "snapshot to a small disk" 1 "No space left"
    t run $scene --csv "$small/run.csv" --quiet
    expect "CSV to a small disk" 1 "No space left"
    holds "nothing is left on the small disk" "$(ls "$small")" [ -z "$(ls -A "$small")" ]
    small_disk=yes
else
    skip "a small disk" "cannot mount a tmpfs here"
    small_disk=no
fi
holds "no half-written files so far" "$(find "$work" -name '*.part*')" [ "$(leftovers)" = 0 ]

# ---- Ctrl-C ------------------------------------------------------------------------------------------------
# stop <signal> <pattern> <arguments>: runs tarn, sends the signal once a file with such a name exists.
stop() {
    local signal=$1 pattern=$2 pid
    shift 2
    if [[ $signal == KILL ]]; then # nobody can ignore it
        "$tarn" "$@" >"$out" 2>"$err" </dev/null &
    else
        env --default-signal="$signal" "$tarn" "$@" >"$out" 2>"$err" </dev/null &
    fi
    pid=$!
    for _ in {1..600}; do
        compgen -G "$pattern" >/dev/null && break
        sleep 0.1
    done
    sleep 0.3
    kill -s "$signal" $pid
    wait $pid 2>/dev/null
    code=$?
}
echo old >stopped.csv
for signal in INT TERM HUP; do
    stop $signal 'stopped.csv.part*' run $scene --seconds 900000 --csv stopped.csv \
        --save stopped.snap --hash
    expect "SIG$signal stops a run" $((128 + $(kill -l $signal))) "stopped at"
    holds "SIG$signal leaves the old file and no new one" "it does not" \
        [ "$(cat stopped.csv)$(find . -name 'stopped.snap*')" = old ]
done

# The second signal does not wait for the end of the step: here one of many seconds.
env --default-signal=INT "$tarn" run "$scenes/dam_break_3d.json" --set liquid.iterations=1000 --set run.dt=1 \
    --csv slow.csv >"$out" 2>"$err" </dev/null &
pid=$!
for _ in {1..600}; do
    compgen -G 'slow.csv.part*' >/dev/null && break
    sleep 0.1
done
sleep 0.3
kill -s INT $pid
sleep 0.2
kill -s INT $pid
for tenth in {1..50}; do
    kill -0 $pid 2>/dev/null || break
    sleep 0.1
done
kill -9 $pid 2>/dev/null
wait $pid 2>/dev/null
code=$?
expect "a second SIGINT stops at once" $((128 + $(kill -l INT)))
rm -f slow.csv.part-$pid

# SIGKILL leaves a half-written file. The next run with the same output removes it, and spares that of a run
# that still writes.
stop KILL 'killed.csv.part*' run $scene --seconds 900000 --csv killed.csv
holds "SIGKILL leaves a half-written file" "it does not" [ "$(find . -name 'killed.csv.part*' | wc -l)" = 1 ]
touch killed.csv.part-none killed.csv.partial
"$tarn" run $scene --seconds 900000 --csv killed.csv >"$out" 2>"$err" </dev/null &
pid=$!
for _ in {1..600}; do
    [[ -e killed.csv.part-$pid ]] && break
    sleep 0.1
done
t run $scene --seconds 0.1 --csv killed.csv --quiet
expect "a run after that" 0
left=$(find . -name 'killed.csv.p*' | sort | tr '\n' ' ')
holds "what was left is removed, what is being written is not" "there are $left" \
    [ "$left" = "./killed.csv.part-$pid ./killed.csv.part-none ./killed.csv.partial " ]
kill -9 $pid
wait $pid 2>/dev/null
t run $scene --seconds 0.1 --csv killed.csv --quiet
rm killed.csv.partial killed.csv.part-none

# ---- Pictures ------------------------------------------------------------------------------------------------
picture_cases() {
    t render $scene --at 0.5 -o still.png --size 160x90 --quiet
    expect "render" 0
    holds "the still is a PNG of 160x90" "$(png_size still.png)" [ "$(png_size still.png)" = 160x90 ]
    holds "with something on it" "$(file_size still.png) bytes" larger still.png 5000
    t render $scene --at 0.5 -o again.png --size 160x90 --quiet
    holds "the same picture twice" "they differ" cmp -s still.png again.png
    t render $scene --at 0.5 -o turned.png --size 160x90 --quiet --yaw 100 --pitch 60
    holds "--yaw and --pitch turn it" "they do not" [ "$(cmp -s still.png turned.png; echo $?)" = 1 ]
    t render $scene --at 0.5 -o bars.png --size 160x90 --quiet --set view.mode=bars
    holds "bars" "as water" [ "$(cmp -s still.png bars.png; echo $?)" = 1 ]
    t render $scene --size 64x48 --at 0
    expect "render without -o" 0 "wrote basin.png"
    holds "goes to SCENE.png" "not there" is_png basin.png
    t render $scene --at -1
    expect "render before the beginning" 2 "--at: -1 is out of range"
    t render $scene --pitch 95
    expect "render from below" 2 "--pitch: 95 is out of range"
    t render $scene -o nowhere/a.png
    expect "render to a folder that is not there" 1 "cannot create"
    t render $scene -o /dev/full.d/a.png
    expect "render to nowhere" 1 "cannot create"

    t run $scene --png frames --fps 10 --size 64x48 --hash
    expect "--png" 0 "wrote 10 pictures to frames"
    holds "pictures do not change the hash" "they do" [ "$(cat "$out")" = "$hash" ]
    holds "one still per frame" "$(ls frames)" [ "$(echo frames/*)" = "$(echo frames/frame_000{0..9}.png)" ]
    holds "all are PNG" "not all" is_png frames/frame_0009.png
    t run $scene --png some --fps 10 --every 4 --size 64x48 --quiet
    holds "--every 4" "$(ls some)" [ "$(ls some | wc -l)" = 3 ]
    holds "--every 4 takes frames 0, 4, 8" "it does not" cmp -s some/frame_0002.png frames/frame_0008.png
    t run $scene --seconds 0.1 --png frames --fps 10 --size 64x48
    expect "--png over older stills says so" 0 "stills of an earlier run"
    t run $scene --png frames/frame_0000.png
    expect "--png to a file" 1 "is not a folder"
    t run $scene --png nowhere/frames
    expect "--png below nowhere" 1 "cannot create the folder"
    (ulimit -f 8 && "$tarn" run $scene --png limited --size 160x90 --quiet >"$out" 2>"$err")
    code=$?
    expect "stills that may not grow" 1 "File too large"
    holds "leave no folder behind" "limited is there" missing limited
    if [[ $small_disk == yes ]]; then
        t run $scene --png "$small" --fps 10 --size 160x90 --quiet
        expect "stills to a small disk" 1 "No space left"
        t render $scene -o "$small/a.png" --size 160x90 --quiet
        expect "a picture to a small disk" 1 "No space left"
        t run $scene --seconds 0.1 --sheet "$small/a.png" --size 240x135 --quiet
        expect "a sheet to a small disk" 1 "No space left"
        holds "nothing is left on the small disk" "$(ls "$small")" [ -z "$(ls -A "$small")" ]
    fi

    t run $scene --sheet sheet.png --size 240x135
    expect "--sheet" 0 "wrote sheet.png"
    holds "the sheet is 240x135" "$(png_size sheet.png)" [ "$(png_size sheet.png)" = 240x135 ]
    holds "with something on it" "$(file_size sheet.png) bytes" larger sheet.png 10000
}

film_cases() {
    t run $scene --seconds 0.4 --video film.mp4 --fps 25 --size 160x90 --sheet too.png
    expect "--video" 0 "wrote film.mp4"
    holds "the film is not empty" "$(file_size film.mp4) bytes" larger film.mp4 2000
    holds "nothing on stdout" "something" out_is_empty
    if command -v ffprobe >/dev/null; then
        local seconds
        seconds=$(ffprobe -v error -show_entries format=duration -of csv=p=0 film.mp4)
        holds "the film takes 0.4 s" "$seconds" [ "${seconds%???}" = 0.400 ]
        holds "h264, 160x90, 10 frames" "it is not" [ "$(ffprobe -v error -count_frames -of csv=p=0 \
            -show_entries stream=codec_name,width,height,nb_read_frames film.mp4)" = h264,160,90,10 ]
    else
        skip "duration of the film" "ffprobe is not there"
    fi
    t run $scene --video nowhere/film.mp4
    expect "a film in a folder that is not there" 1 "cannot create"
    mkdir folder.mp4
    t run $scene --video folder.mp4
    expect "a folder under the name of the film" 1 "Is a directory"
    echo old >kept.mp4
    (ulimit -f 1 && "$tarn" run $scene --seconds 0.2 --video kept.mp4 --size 160x90 --quiet >"$out" 2>"$err")
    code=$?
    expect "a film that may not grow" 1 "ffmpeg could not write"
    holds "the old film is still there" "it is not" [ "$(cat kept.mp4)" = old ]
    if [[ $small_disk == yes ]]; then
        t run $scene --seconds 0.4 --video "$small/film.mp4" --fps 25 --size 160x90 --quiet
        expect "a film to a small disk" 1 "ffmpeg could not write"
        holds "nothing is left on the small disk" "$(ls "$small")" [ -z "$(ls -A "$small")" ]
    fi
    stop INT 'stopped_frames/frame_0002.png' run $scene --seconds 90000 --video stopped.mp4 \
        --sheet stopped.png --png stopped_frames --size 160x90
    expect "Ctrl-C stops a film" 130 "stopped at"
    holds "and leaves no film" "it does" [ -z "$(find . -name 'stopped.mp4*' -o -name 'stopped.png*')" ]
    holds "but whole stills" "not one" is_png stopped_frames/frame_0000.png
}

mkdir fake
cat >fake/ffmpeg <<'END'
#!/bin/sh
head -c 1000 >/dev/null
echo "this ffmpeg cannot do anything" >&2
exit 3
END
chmod +x fake/ffmpeg

# In a build with AddressSanitizer its search for leaks crashes inside the GL driver; only here.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
t render $scene --at 0 -o probe.png --size 64x48
if [[ $code == 0 ]]; then
    picture_cases
    PATH=/nowhere t run $scene --video film_without.mp4
    expect "no ffmpeg" 1 "needs ffmpeg, which was not found"
    holds "no ffmpeg, no film" "there is one" missing film_without.mp4
    PATH=$work/fake:$PATH t run $scene --video film_without.mp4 --size 160x90
    expect "an ffmpeg that fails" 1 "film_without.mp4': this ffmpeg cannot do anything"
    holds "a failing ffmpeg, no film" "there is one" missing film_without.mp4
    if command -v ffmpeg >/dev/null; then film_cases; else skip "video" "ffmpeg is not there"; fi
elif grep -qE 'built without its renderer|cannot draw' "$err"; then
    skip "pictures" "$(sed 's/^tarn: //' "$err")"
    t run $scene --sheet sheet.png
    expect "pictures without a renderer" 1 "renderer|cannot draw"
    holds "and no file" "there is one" missing sheet.png
else
    expect "render" 0
fi

# ---- Terrain -----------------------------------------------------------------------------------------------
for kind in flat slope bowl steps crater island beach river_valley ridged; do
    t terrain make $kind --set nx=64 --set nz=48 --set dx=4 -o "land_$kind.asc"
    expect "terrain make $kind" 0 "wrote land_$kind.asc"
done
t terrain make beach --set nx=64 --set nz=48 --set dx=4 -o land.png --preview land_map.png --level 0
expect "terrain make to a PNG with a map" 0 "wrote land_map.png"
holds "terrain: both are PNG" "one is not" eval 'is_png land.png && is_png land_map.png'
holds "terrain: the PNG has the cells" "$(png_size land.png)" [ "$(png_size land.png)" = 64x48 ]
t terrain info land.png
holds "terrain info knows the cell size" "it does not" out_has 'cells +64 x 48 of 4 m'
t terrain convert land_ridged.asc there.raw
t terrain convert there.raw back.asc --nx 64 --nz 48 --dx 4
expect "terrain convert from raw" 0
holds "terrain: .asc to raw and back is the same" "differs" \
    cmp -s <(tail -n +7 land_ridged.asc) <(tail -n +7 back.asc)
t terrain convert land_ridged.asc half.png --resample 32x24 --low -100 --high 200
expect "terrain convert with fewer cells" 0
holds "terrain: fewer cells" "$(png_size half.png)" [ "$(png_size half.png)" = 32x24 ]
if [[ -n $has_python ]]; then
    holds "terrain: a PNG that others can read" "zlib disagrees" python3 - land.png <<'END'
import struct, sys, zlib
data, at, packed = open(sys.argv[1], "rb").read(), 8, b""
while at < len(data):
    n, kind = struct.unpack(">I4s", data[at:at + 8])
    body = data[at + 8:at + 8 + n]
    assert struct.unpack(">I", data[at + 8 + n:at + 12 + n])[0] == zlib.crc32(kind + body)
    packed += body if kind == b"IDAT" else b""
    at += n + 12
assert len(zlib.decompress(packed)) == 48 * (1 + 2 * 64)
END
fi
t terrain make rigded -o x.png
expect "terrain: unknown kind, nearest named" 2 "did you mean 'ridged'"
t terrain paint x.png
expect "terrain: unknown action" 2 "make, convert or info"
t terrain make ridged -o x.tif
expect "terrain: unknown ending" 2 "x.tif' must end in"
t terrain make ridged --set heigth=3 -o x.png
expect "terrain: unknown parameter, nearest named" 2 "did you mean 'height'"
t terrain make ridged --set height=-3 -o x.png
expect "terrain: parameter out of range" 2 "terrain.height"
t terrain convert land.png x.png --low 5
expect "terrain: half a scale" 2 "must be given together"
t terrain info there.raw
expect "terrain: raw without a size" 2 "--nx and --nz"
t terrain info missing.asc
expect "terrain: no such file" 1 "missing.asc"
head -c 300 land.png >cut.png
t terrain info cut.png
expect "terrain: a damaged PNG" 1 "cut.png: the file ends"
sed 's/^cellsize.*/cellsize none/' land_ridged.asc >odd.asc
t terrain info odd.asc
expect "terrain: a damaged grid, with its line" 1 "odd.asc:5: 'none'"
holds "terrain: nothing written by what failed" "there is" missing x.png

# ---- Gauges and height files of a run ----------------------------------------------------------------------
t run $scene --quiet --seconds 0.2 --gauge middle=0,0 --gauge corner=-2.3,-1.9 --gauges g.csv --depth d.png --surface s.asc
expect "run --gauges --depth --surface" 0
holds "gauges: heading" "wrong" \
    grep -qx "time,middle_height,middle_depth,middle_vx,middle_vy,middle_vz,corner_height,corner_depth,corner_vx,corner_vy,corner_vz" g.csv
holds "gauges: a row for the beginning and each step" "$(lines g.csv)" [ "$(lines g.csv)" = 12 ]
holds "depth: one pixel per cell" "$(png_size d.png)" [ "$(png_size d.png)" = 48x40 ]
holds "surface: an .asc of the grid" "no header" grep -qx "ncols 48" s.asc
t run $scene --gauge middle=0,0
expect "--gauge without --gauges" 2 "must be given together"
t run $scene --gauge middle=0 --gauges g2.csv
expect "--gauge without a place" 2 "X,Z"
t run $scene --gauge a=0,0 --gauge a=1,1 --gauges g2.csv
expect "two gauges of one name" 2 "is used twice"
t run $scene --gauge far=99,0 --gauges g2.csv
expect "a gauge outside of the water" 1 "outside"
t run $scene --gauge a=lake:0,0 --gauges g2.csv
expect "a gauge of a solver that is not there" 1 "no solver 'lake'"
t run $scene --water wave
expect "--water without anything that reads water" 2 "--water needs --gauges"
cat >ponds.json <<'JSON'
{ "tarn": 1, "title": "Two ponds", "run": { "seconds": 0.2, "dt": 0.02 }, "solvers": [
  { "kind": "wave", "name": "low", "nx": 16, "nz": 16, "dx": 0.1, "level": 0 },
  { "kind": "wave", "name": "high", "nx": 24, "nz": 24, "dx": 0.1, "level": 2, "origin": [10, 0] },
  { "kind": "particles", "emitters": [ { "rate": 100 } ] } ] }
JSON
t run ponds.json --quiet --gauge a=0.5,0.5 --gauge b=high:10.5,0.5 --gauges two.csv --water high --depth two.asc
expect "a gauge outside of the solver of --water" 1 "outside 'high'"
t run ponds.json --quiet --gauge a=low:0.5,0.5 --gauge b=10.5,0.5 --gauges two.csv --water high --depth two.asc --csv all.csv
expect "gauges of two solvers" 0
holds "each gauge reads its own solver" "$(tail -n 1 two.csv)" \
    awk -F, 'END { exit !($2 > -0.1 && $2 < 0.1 && $7 > 1.9 && $7 < 2.1) }' two.csv
holds "--water says whose depth is written" "another" grep -qx "ncols 24" two.asc
columns=$(head -n 1 all.csv)
holds "CSV columns have the names of solvers" "$columns" \
    grep -qE ',low_volume,.*,high_volume,.*,particles_count,' all.csv
holds "CSV columns are there once" "$columns" [ "$(tr ',' '\n' <<<"$columns" | sort | uniq -d | wc -l)" = 0 ]
t run ponds.json
expect "a run of two waters says the ledger" 0 "ledger: high holds"
t run $scene
holds "a run of one water does not" "it does" [ "$(grep -c ledger "$err")" = 0 ]
t run $scene --phases
expect "--phases" 0 "phase waters +[0-9.]+ ms per step, +[0-9.]+ %"
t run $scene --phases --hash --quiet
holds "--phases does not change the hash" "it does" [ "$(cat "$out")" = "$hash" ]
t run $scene --ledger
expect "--ledger" 0 "ledger: in total .* error"
t describe ponds.json
holds "describe lists solvers by name" "it does not" grep -qzE '  low +wave .*  high +wave .*level 2 m' "$out"
t run ponds.json --quiet --set high.damping=3 --hash
expect "--set by the name of a solver" 0
t mesh ponds.json --at 0 -o two.obj
expect "mesh of two waters says which is left out" 0 "shows 'low' but not 'high'; choose another with --solver"
t mesh ponds.json --at 0 --solver high -o two.obj
holds "mesh --solver takes the other" "$(cat "$err")" [ "$code$(grep -c 'but not' "$err")" = 00 ]
t mesh ponds.json --at 0 --solver hgih -o two.obj
expect "mesh --solver: unknown" 2 "no solver 'hgih'"
holds "gauges: no file by what failed" "there is" missing g2.csv

# ---- Liquids, particles, engines -------------------------------------------------------------------------
cat >drops.json <<'JSON'
{ "tarn": 1, "title": "Drops", "about": "A few drops, a crate, a wheel, a spark.", "run": { "seconds": 0.5 },
  "solvers": [
    { "kind": "liquid", "dimensions": 2, "spacing": 0.05, "max_particles": 900, "box_min": [-1, 0, 0], "box_max": [1, 2, 0],
      "fill": [ { "size": 0.5, "position": [-0.5, 0.5, 0] } ] },
    { "kind": "particles", "emitters": [ { "rate": 100 } ] } ],
  "solids": [ { "shape": "wheel", "size": [0.2, 0.06], "thickness": 0.02, "position": [0.5, 0.5, 0],
    "driver": { "kind": "spin" } } ],
  "bodies": [ { "shape": "box", "size": 0.1, "position": [0.5, 1.2, 0] } ] }
JSON
t run drops.json --threads 1 --hash --csv drops.csv
expect "run a liquid" 0 "liquid: particles 400, compression [0-9.e-]+, max_compression [0-9.e-]+, neighbors [1-9][0-9.]*, drained 0,"
one=$(cat "$out")
holds "a liquid says what the particles did" "no line" grep -q "particles: count" "$err"
holds "csv has the liquid's columns" "$(head -n 1 drops.csv)" \
    grep -q "liquid_particles,liquid_compression,liquid_max_compression,liquid_neighbors,liquid_drained" drops.csv
cat >drain.json <<'JSON'
{ "tarn": 1, "run": { "seconds": 0.5 }, "solvers": [
    { "kind": "liquid", "dimensions": 2, "spacing": 0.05, "max_particles": 900, "box_min": [-1, 0, 0], "box_max": [1, 2, 0],
      "fill": [ { "size": [0.5, 0.5, 0.5], "position": [-0.5, 0.5, 0] } ] } ],
  "solids": [ { "shape": "sphere", "size": 0.2, "position": [-0.5, 0, 0], "touch": "kill" } ] }
JSON
t run drain.json
expect "a liquid says what was drained" 0 "liquid: particles [1-9][0-9]+, .*, drained [1-9][0-9]*,"
t run drops.json --threads 3 --isa baseline --hash --quiet
expect "run a liquid with other threads" 0
holds "a liquid: the same hash" "$(cat "$out") is not $one" [ "$(cat "$out")" = "$one" ]
t run drops.json --quiet --seconds 0.2 --save drops.snap
t run drops.json --quiet --load drops.snap --hash
expect "a liquid goes on from a snapshot" 0
holds "and ends where it would have" "$(cat "$out") is not $one" [ "$(cat "$out")" = "$one" ]
t run drops.json --quiet --set liquid.fill[0].velocity=1,0,0 --set solids[0].driver.turn=180 --seconds 0.1
expect "run --set of a liquid" 0
t run drops.json --quiet --set liquid.spacng=0.1
expect "run --set: unknown key of a liquid" 2 "did you mean 'spacing'"
if [[ -f probe.png ]]; then # pictures can be drawn here
    t render ponds.json --at 0 --quiet --size 96x64 --only high -o ponds.png
    expect "render --only" 0
    t render ponds.json --at 0 --only hihg -o ponds.png
    expect "render --only: unknown name" 1 "names 'hihg', and the world has no such solver"
    t render drops.json --at 0 --set liquid.gravity=0,0,0 --background 0.5,0.5 -o ponds.png
    expect "render --background: two numbers" 2 "background"
    t render ponds.json --at 0 --quiet --size 96x64 --only high --background none -o clear.png
    expect "render --background none" 0
    holds "a picture without background has alpha" "another color type" [ "$(od -An -tu1 -j25 -N1 clear.png | tr -d ' ')" = 6 ]
    t render drops.json --at 0 --sky day --background none -o ponds.png
    expect "render --sky with --background" 2 "leave out --sky"
    t render drops.json --at 0 --sky dawn -o ponds.png
    expect "render --sky: unknown" 2 "dusk"
    t run drops.json --quiet --only liquid
    expect "run --only without pictures" 2 "--only needs --png, --sheet or --video"
    t run drops.json --quiet --seconds 0 --sheet all.png --size 192x108
    expect "a sheet of a liquid" 0
    t run drops.json --quiet --seconds 0 --sheet some.png --size 192x108 --look particles
    expect "run --look" 0
    holds "run --look changes the pictures" "it does not" [ "$(cmp -s all.png some.png; echo $?)" = 1 ]
fi
t describe drops.json
expect "describe a scene with a liquid" 0
holds "describe says what it is made of" "no line" grep -qzE 'liquid +liquid .*spacing 0.05 m.*initially +particles 400,' "$out"
t describe liquid
expect "describe liquid" 0
holds "describe liquid has both tables" "one is missing" out_has "TarnLiquidParams"
t run drops.json --engine havok
expect "run --engine: unknown" 2 "chipmunk"
t run drops.json --quiet --engine builtin --hash
holds "the built-in engine is the default" "another hash" [ "$(cat "$out")" = "$one" ]
for engine in chipmunk ode; do
    t run drops.json --engine $engine --csv engine.csv
    if grep -q "not built in" "$err"; then
        expect "run --engine $engine, not built in" 1 "install lib$engine-dev"
    else
        expect "run --engine $engine" 0 "bodies were moved by $engine"
        holds "$engine: the crate fell" "it did not" \
            awk -F, 'NR == 1 { for (i = 1; i <= NF; ++i) if ($i == "body0_y") c = i } END { exit !($c < 1.0) }' engine.csv
        holds "$engine: nothing on stdout" "$(cat "$out")" [ ! -s "$out" ]
    fi
done

# ---- Meshes ----------------------------------------------------------------------------------------------
cat >cube.json <<'END'
{ "tarn": 1, "title": "a small drop of water", "run": { "seconds": 0.2 },
  "solvers": [ { "kind": "liquid", "dimensions": 3, "max_particles": 2000, "spacing": 0.05, "box_min": [-0.5, 0, -0.5], "box_max": [0.5, 1, 0.5],
                 "walls": "box", "fill": [ { "size": 0.2, "position": [0, 0.5, 0] } ] } ] }
END
t mesh cube.json
expect "mesh of a liquid" 0 "wrote cube.glb, the scene at 0.100 s"
t mesh info cube.glb
expect "mesh info" 0
holds "mesh info: it is closed" "no" out_has 'closed +yes'
holds "mesh info: one part" "not one" out_has 'parts +1$'
holds "mesh info: what it carries" "not that" out_has 'carries +normals, velocities$'
holds "mesh info: about its volume" "$(grep volume "$out")" awk '$1 == "volume" { v = $2 } END { exit !(v > 0.05 && v < 0.09) }' "$out"
cp cube.glb first.glb
t mesh cube.json --threads 1 -q -o cube.glb
expect "mesh with other threads" 0
holds "mesh: the same bytes" "others" cmp -s cube.glb first.glb
for method in density zhu_bridson; do
    t mesh cube.json --at 0 --method $method --cell 0.04 --set surface.smoothing=0.5 -o $method.ply
    expect "mesh --method $method" 0 "wrote $method.ply, the scene at 0.000 s"
done
t mesh cube.json --at 0 --set surface.smoothng=0.5
expect "mesh --set: unknown parameter of the surface" 2 "smoothing"
t mesh cube.json --at 0 --cell 100
expect "mesh --cell: out of range" 2 "allowed: 0.01 to 0.1 m"
t mesh pool_drops --method density
expect "mesh --method of water" 2 "only work with particle liquids"
t mesh cube.json --seconds 0.1 --fps 40 -o film.glb
expect "mesh: an animation" 0 "an animation of 4 frames"
t mesh info film.glb --frame 3
expect "mesh info of a frame" 0
holds "mesh info: how many there are" "not 4" out_has 'frames +4; showing frame 3'
t mesh info film.glb --frame 4
expect "mesh info: no such frame" 1 "no mesh 4"
t mesh cube.json --seconds 0.1 --fps 20 -o frames_of/%03d.obj
expect "mesh: numbered frames" 0 "wrote 2 meshes"
t mesh info frames_of/001.obj
expect "mesh: the frames are there" 0
t mesh pool_drops --at 0.1 --set wave.nx=64 --set wave.nz=64 --up z -o water.ply
expect "mesh of water" 0 "wrote water.ply"
t mesh info water.ply
holds "mesh of calm water: all of its cells, z is up" "$(grep bounds "$out")" out_has 'bounds +-5 2\.5 -?0 to -2\.5 5 -?0 m$'
t mesh pool_drops --at 0.5 --set wave.nx=64 --set wave.nz=64 --set "emitters[1].start=0" --set "emitters[1].a=[-3.8,-3.8]" \
    --up z -o wavy.ply
expect "mesh of waves" 0 "wrote wavy.ply"
t mesh info wavy.ply
# The drop is a dip of 0.3 m: half a second later there are crests and troughs of centimeters.
holds "mesh of waves: it is not flat" "$(grep bounds "$out")" awk '$1 == "bounds" { is_wavy = $4 < -0.01 && $8 > 0.01 } END { exit !is_wavy }' "$out"
t mesh info water.ply
holds "mesh of water: it has depths" "none" out_has 'carries +normals, velocities, depth$'
t mesh drops.json
expect "mesh of a liquid in 2-D" 1 "is 2-D"
t mesh sparks
expect "mesh of a scene without a surface" 1 "no surface to mesh"
t mesh cube.json -o cube.stl
expect "mesh: unknown format" 2 "must end in .obj, .ply or .glb"
t mesh cube.json --at 0.1 --seconds 1
expect "mesh --at and --seconds" 2 "--at writes one mesh"
t mesh cube.json --seconds 0.1 -o one.ply
expect "mesh: many into one" 2 "add a number"
t mesh cube.json -o a%d%d.ply
expect "mesh: two numbers" 2 "one number"
t mesh cube.json --at 0 -o no/such/folder.ply
expect "mesh where no file can be" 1 "no/such"
t mesh cube.json --seconds 0.1 -o no/such/folder.glb
expect "mesh: a film where no file can be" 1 "no/such"
head -c 700 cube.glb >cut.glb
t mesh info cut.glb
expect "mesh info of a damaged file" 1 "is cut off"
t mesh info cube.json
expect "mesh info of something else" 2 "must end in"
for option in "--fps 10" "--cell 0.1" "--method density" "--up z" "--set surface.radius=2"; do
    # shellcheck disable=SC2086
    t mesh info cube.glb $option
    expect "mesh info $option" 2 "has only the option --frame"
done

# ---- Liquids as meshes in pictures -----------------------------------------------------------------------
t run cube.json --liquid mesh
expect "--liquid without pictures" 2 "--liquid needs --png"
t run cube.json --set surface.method=density
expect "--set surface without pictures" 2 "needs --png"
t render cube.json --liquid mseh
expect "a way to draw a liquid that is none" 2 "view.liquid: 'mseh' is not one of: .*did you mean 'mesh'"
t render cube.json --wires
expect "--wires without a mesh" 2 "add --liquid mesh"
t render $scene --wires --set view.liquid=mesh
expect "--wires of water" 2 "add --liquid mesh"
t render $scene --liquid mesh
expect "--liquid of water" 2 "the scene has none"
t render cube.json --look particles
expect "--look of a liquid in 3-D" 2 "the scene has none"
t render cube.json --set surface.method=density
expect "--set surface of a liquid that is no mesh" 2 "add --liquid mesh"
t render cube.json --liquid mesh --set surface.methd=density
expect "--set surface: unknown parameter" 2 "did you mean 'method'"
t render cube.json --liquid mesh --set surface.radius=100
expect "--set surface: out of range" 2 "allowed: 1.5 to 4"
t render cube.json --set view.eye=[1,2]
expect "view.eye: two numbers" 2 "view.eye"
t render cube.json --set view.fov=180
expect "view.fov: out of range" 2 "view.fov.* 0 to 120"
if [[ -f probe.png ]]; then # pictures can be drawn here
    for mode in screen_space mesh screen_mesh particles; do
        t render cube.json --at 0 --quiet --size 96x64 --liquid $mode -o $mode.png
        expect "render --liquid $mode" 0
        holds "--liquid $mode is not as the others" "it is" [ "$(cksum ./*_space.png mesh.png screen_mesh.png particles.png \
            2>/dev/null | awk '{ print $1 }' | sort | uniq -d | wc -l)" = 0 ]
    done
    t render cube.json --at 0 --quiet --size 96x64 --liquid mesh --wires -o wires.png
    expect "render --wires" 0
    holds "--wires changes it" "it does not" [ "$(cmp -s mesh.png wires.png; echo $?)" = 1 ]
    t render cube.json --at 0 --quiet --size 96x64 --liquid mesh --set surface.method=density -o surface.png
    expect "render --set surface" 0
    holds "--set surface changes it" "it does not" [ "$(cmp -s mesh.png surface.png; echo $?)" = 1 ]
    t run cube.json --quiet --seconds 0 --size 288x192 --liquid mesh --set surface.method=density --sheet surfaces.png
    expect "run --set surface" 0
    t render cube.json --at 0 --quiet --size 96x64 --set view.eye=[1,0.5,1] --set view.look_at=[0,0.5,0] --set view.fov=60 -o near.png
    expect "a camera that the scene places" 0
    holds "view.eye moves it" "it does not" [ "$(cmp -s screen_space.png near.png; echo $?)" = 1 ]
fi

# ---- Bench and check are reached -------------------------------------------------------------------------
t bench no_such_benchmark --quick
expect "bench: nothing is called that" 2 "no_such_benchmark"
t check no_such_check
expect "check: nothing is called that" 2 "no_such_check"
t bench fft --quick --threads 1 --skip fft
expect "bench: nothing is left" 2 "skip"
t bench fft --quick --threads 1 --json
expect "bench --json" 0
holds "bench --json has rows" "none" out_has '"name": *"linear.fft'
[[ -z $has_python ]] || holds "bench --json is JSON" "not valid" is_json "$out"
t check wave.stability --plot plots/deep
expect "check --plot where no folder can be" 1 "plots/deep"
t check wave.stability --plot plots
expect "check --plot" 0
t check wave.stability --json
expect "check --json" 0
holds "check --json has rows" "none" out_has '"name": *"wave.stability'
[[ -z $has_python ]] || holds "check --json is JSON" "not valid" is_json "$out"

holds "no half-written files at the end" "$(find "$work" -name '*.part*')" [ "$(leftovers)" = 0 ]
echo "$passed passed, $failed failed"
[[ $failed == 0 ]]
