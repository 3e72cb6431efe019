#!/usr/bin/env bash
# Writes docs/gallery.md: every scene with its picture, its description and the command that runs it.
#
#     scripts/gallery.sh path/to/tarn               writes the page
#     scripts/gallery.sh path/to/tarn --pictures    renders the pictures again, then writes the page
#     scripts/gallery.sh path/to/tarn --check       reports what is missing or stale; exits with 1 if anything is
set -euo pipefail
tarn=$(realpath "${1:-build/release/tarn}")
cd "$(dirname "$0")/.."
page=docs/gallery.md
scenes=$(cd scenes && ls ./*.json | sed 's|^\./||; s|\.json$||')

group_of() { # scene: by what it is made of
    local key
    # Several waters or liquids in one scene.
    if [[ $(grep -cE '"kind": "(wave|shallow|pipes|ocean|liquid)"' "scenes/$1.json") -gt 1 ]]; then
        echo mix
        return
    fi
    for key in lattice gas liquid shallow pipes wave ocean ripple wave_particles particles; do
        if grep -q "\"kind\": \"$key\"" "scenes/$1.json"; then
            echo $key
            return
        fi
    done
    echo none
}

picture_of() { # scene
    case $1 in
    eroding_mountain) echo images/eroding_mountain_after.png ;;
    *) echo "images/$1.png" ;;
    esac
}

entry() { # scene: a cell of a table
    local title about
    title=$(awk -v name="$1" -F '\t' '$1 == name { print $2 }' <<<"$list")
    about=$(awk -v name="$1" -F '\t' '$1 == name { print $3 }' <<<"$list")
    printf '![%s](%s)<br>**%s** %s<br>`tarn run %s --video %s.mp4`' "$title" "$(picture_of "$1")" "$title" "$about" "$1" "$1"
}

section() { # heading, groups: two scenes beside each other
    local heading=$1 name column=0 key
    shift
    printf '\n## %s\n\n| | |\n|---|---|\n' "$heading"
    for name in $scenes; do
        key=$(group_of "$name")
        [[ " $* " == *" $key "* ]] || continue
        printf '| %s ' "$(entry "$name")"
        column=$((1 - column))
        [[ $column == 1 ]] || printf '|\n'
    done
    [[ $column == 0 ]] || printf '| |\n'
}

write_page() {
    printf '# The gallery\n\n'
    printf 'Every scene of [scenes/](../scenes) as `tarn render` draws it. `make gallery` makes this page in about five\n'
    printf 'minutes, because it simulates each scene up to the moment shown.\n'
    section "Waves on pools and harbors" wave
    section "The sea, wakes and ponds" ocean ripple wave_particles
    section "Shallow water: rivers, floods, shores" shallow pipes
    section "Particle liquids" liquid
    section "Particles" particles
    section "Smoke and fire" gas
    section "Lattice Boltzmann" lattice
    section "Several waters in one world" mix
}

# name, title and sentence of each scene in a line, with tabs between.
list=$(TARN_SCENES=scenes "$tarn" list | awk '
    /^[^ ]/ { if (line) print line; name = $1; title = $0; sub(/^[^ ]+ +/, "", title); line = name "\t" title; next }
    { sub(/^ +/, ""); line = line "\t" $0 }
    END { print line }')

case ${2:-} in
--check)
    bad=0
    for name in $scenes; do
        [[ $(group_of "$name") != none ]] || { echo "gallery: scenes/$name.json belongs to no group"; bad=1; }
        [[ -f docs/$(picture_of "$name") ]] || { echo "gallery: docs/$(picture_of "$name") is missing: scripts/pictures.sh $tarn docs/images $name"; bad=1; }
    done
    write_page | diff -u "$page" - || { echo "gallery: $page is stale; run scripts/gallery.sh $tarn"; bad=1; }
    [[ $bad == 0 ]] && echo "ok: gallery, $(wc -w <<<"$scenes") scenes"
    exit $bad
    ;;
--pictures)
    echo "gallery: $(wc -w <<<"$scenes") scenes are simulated and drawn; heavy ones take minutes each"
    scripts/pictures.sh "$tarn" docs/images $scenes
    ;;
esac
write_page >"$page"
echo "gallery: wrote $page"
