#!/usr/bin/env bash
# Renders the pictures of README and docs: one still per scene, a sheet of the flagship, the
# mountain before and after the rain, the three surfaces of a splash, checks against theory and
# measurement, and maps of terrain.
#
#     scripts/pictures.sh path/to/tarn [folder]                  all of them: five minutes on two cores
#     scripts/pictures.sh path/to/tarn folder scene [scene ...]  only stills of these scenes, or surfaces
set -euo pipefail
cd "$(dirname "$0")/.."
tarn=${1:-build/release/tarn}
folder=${2:-docs/images}
mkdir -p "$folder"

# The duration of the scene; empty if it does not set one.
run_seconds() {
    awk -F'[:,}]' '/"seconds"/ { for (i = 1; i < NF; ++i) if ($i ~ /"seconds"/) { print $(i + 1) + 0; exit } }' "$1"
}

# The best moment of a scene; by default two thirds of its duration.
moment() {
    case $1 in
        alchemist) echo 2 ;;      # smoke has risen, the rod turns
        beach) echo 31 ;;         # the backwash meets the next wave
        beach_surf) echo 8.8 ;;   # white water rushes up the sand
        blender) echo 6 ;;
        boat_fast) echo 18.5 ;;   # the wake in full
        calm_bay) echo 19 ;;      # the wakes have met
        campfire) echo 5 ;;
        chimney) echo 8 ;;        # the plume bends over
        chimney_city) echo 12 ;;  # smoke has reached the last houses
        coast) echo 20 ;;
        crates_chipmunk) echo 1.6 ;; # the wall comes down
        crossing_grids) echo 3.2 ;; # the clouds have met
        dam_break_2d) echo 1.2 ;; # over the step, up the far wall
        dam_break_3d) echo 1.5 ;; # around the post and back
        dam_break_lattice) echo 0.9 ;; # around the pillar, up the far wall
        dam_village) echo 12 ;;   # the front between the houses
        deep_lake) echo 9 ;;      # the wave is at the far shore
        disintegration_gun) echo 1.3 ;; # it has come down
        duck_race) echo 14 ;;     # the tug is among the ducks
        explosion) echo 0.8 ;;    # the crates are in the air
        falling_drop) echo 0.1 ;; # the crown
        floating_crates) echo 2.5 ;;
        fountain) echo 5 ;;
        harbor_night) echo 4.2 ;; # the wake crosses the moon's path
        helicopter_dust) echo 3.2 ;; # the dust rolls up at the rim
        hourglass) echo 6 ;;
        open_sea) echo 10 ;;      # a crest breaks beside the boat
        storm) echo 9 ;;
        jetpack) echo 4 ;;        # in the air, smoke behind it
        karman_street) echo 15 ;; # the street is there
        lake_gate) echo 22.5 ;;   # the gate is open, buoys go through
        lennard_jones_drops) echo 4 ;;
        lid_cavity) echo 5 ;;
        mug_pour) echo 1.2 ;;     # bubbles are on their way down
        oil_and_water) echo 4 ;; # plumes break through
        raft_ode) echo 5 ;;
        rain_lake) echo 2.5 ;;
        rapids) echo 12 ;;        # barrels and the log go over the step
        rain_bowl) echo 10 ;;
        river_ripples) echo 9 ;;
        sailboat) echo 9 ;;       # it heels, the wake behind it
        speedboat) echo 8 ;;
        surfer) echo 5.2 ;;      # in the barrel
        storm_pier) echo 4.4 ;;   # a wave hits the head of the pier
        waterfall) echo 10 ;;     # the log goes over
        sparks) echo 6.1 ;;       # a rocket has burst
        sprinkle_level) echo 6 ;; # the fire burns, the wheel turns, the crate is on its way
        sprinkle_switches) echo 2.8 ;; # the bucket is on its way
        river_rocks) echo 26 ;;   # what drifts is in the middle of the picture
        under_water) echo 6.2 ;;  # waves break up the window to the sky
        valley_flood) echo 56 ;;  # the fields are under water, the bed still shows
        waterfall_basin) echo 4 ;; # the rings have reached the far side
        *) run_seconds "scenes/$1.json" | awk '{ at = $1 } END { print at ? at * 2 / 3 : 4 }' ;;
    esac
}

# The same pixels in two thirds of the bytes, if ffmpeg is installed.
shrink() { # picture
    command -v ffmpeg >/dev/null || return 0
    if ffmpeg -v error -y -i "$1" -compression_level 9 -pred mixed "$1.small.png" </dev/null; then
        mv "$1.small.png" "$1"
    else
        rm -f "$1.small.png"
    fi
}

still() { # scene, moment, name of the picture
    "$tarn" render "scenes/$1.json" --at "$2" --size 960x540 --quiet -o "$folder/$3.png"
    shrink "$folder/$3.png"
}

surfaces() { # a splash close up, by each method, side by side
    local method parts=() view=(--set 'view.eye=[4.4,2.2,5.6]' --set 'view.look_at=[2.4,0.45,0.6]' --set view.fov=14)
    for method in density zhu_bridson anisotropic; do
        "$tarn" render dam_break_3d --at 0.9 --liquid mesh --wires --set surface.method=$method "${view[@]}" \
            --size 400x380 --quiet -o "$folder/surface_$method.png"
        parts+=(-i "$folder/surface_$method.png")
    done
    ffmpeg -v error -y "${parts[@]}" -filter_complex \
        '[0]pad=404:380:0:0:white[a];[1]pad=404:380:0:0:white[b];[a][b][2]hstack=3' \
        -compression_level 9 -pred mixed "$folder/particle_surface_methods.png" </dev/null
    rm -f "$folder"/surface_{density,zhu_bridson,anisotropic}.png
}

stills() { # scenes
    local name n=0 begin
    for name; do
        n=$((n + 1))
        begin=$SECONDS
        if [ "$name" = surfaces ]; then
            surfaces
        elif [ "$name" = eroding_mountain ]; then
            still "$name" 0 "${name}_before"
            still "$name" "$(run_seconds "scenes/$name.json")" "${name}_after"
        else
            still "$name" "$(moment "$name")" "$name"
        fi
        echo "[$n/$#] $folder/$name, $((SECONDS - begin)) s"
    done
}

if [ $# -gt 2 ]; then
    shift 2
    stills "$@"
    exit
fi
stills $(cd scenes && ls ./*.json | sed 's|^\./||; s|\.json$||') surfaces
"$tarn" run flagship --size 640x360 --quiet --sheet "$folder/flagship_sheet.png"
echo "$folder/flagship_sheet.png"

plots=$(mktemp -d)
trap 'rm -rf "$plots"' EXIT
for plot in stoker monai.ch5 thacker.planar jump; do
    "$tarn" check "shallow.${plot%%.*}" --plot "$plots" > "$plots/log" || { cat "$plots/log"; exit 1; }
    cp "$plots/shallow.$plot.png" "$folder/check_${plot%%.*}.png"
    echo "$folder/check_${plot%%.*}.png"
done

for kind in ridged river_valley crater island beach steps; do
    more=()
    case $kind in
        river_valley) more=(--set rocks=0.3) ;;
        island | beach) more=(--level 0) ;;
    esac
    "$tarn" terrain make "$kind" --set nx=320 --set nz=320 --set dx=0.8 "${more[@]}" \
        --preview "$folder/terrain_$kind.png" # says itself what it wrote
done
