#!/usr/bin/env bash
# Opens meshes written by tarn in other programs, and compares the result with `tarn mesh info`:
# assimp (Debian: assimp-utils), Blender (Debian: blender), three.js (npm: three), and for .glb Khronos' validator (npm:
# gltf-validator). A program that is not installed is skipped.
#
#     scripts/mesh_readers.sh path/to/tarn [folder for the meshes]
set -uo pipefail # no -e: a reader that fails is counted, and the next one runs
here=$(realpath "$(dirname "$0")")
tarn=$(realpath "${1:-build/release/tarn}")
folder=${2:-$(mktemp -d)}
[[ $# -ge 2 ]] || trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder" && cd "$folder" || exit 1
passed=0
failed=0
check() { # <what> <found> <expected>
    if [[ $2 == "$3" ]]; then
        passed=$((passed + 1))
        echo "ok: $1: $2"
    else
        failed=$((failed + 1))
        echo "FAILED: $1: '$2', not '$3'"
    fi
}

files=""
for ending in obj ply glb; do
    "$tarn" mesh dam_break_3d --at 0.4 -q -o "splash.$ending" || exit 1
    "$tarn" mesh beach --at 1 -q -o "beach.$ending" || exit 1
    files+=" splash.$ending beach.$ending"
done
"$tarn" mesh dam_break_3d --seconds 0.5 --fps 10 -q -o film.glb || exit 1
info() { # <file> <line>: its number
    "$tarn" mesh info "$1" | awk -v line="$2" '$1 == line { print $2 }'
}

if command -v assimp >/dev/null; then
    echo "assimp $(assimp version | grep -o 'Version [0-9.]*' | head -n 1 | cut -d' ' -f2)"
    for file in $files; do
        text=$(assimp info "$file" 2>/dev/null | tr -d '\r')
        check "assimp, $file, vertices" "$(awk '$1 == "Vertices:" { print $2 }' <<<"$text")" "$(info "$file" vertices)"
        check "assimp, $file, triangles" "$(awk '$1 == "Faces:" { print $2 }' <<<"$text")" "$(info "$file" triangles)"
    done
    text=$(assimp info film.glb 2>/dev/null)
    check "assimp, film.glb, meshes" "$(awk '$1 == "Meshes:" { print $2; exit }' <<<"$text")" 5
    check "assimp, film.glb, animations" "$(awk '$1 == "Animations:" { print $2; exit }' <<<"$text")" 1
else
    echo "skipped: assimp is not installed (assimp-utils)"
fi

if command -v blender >/dev/null; then
    # shellcheck disable=SC2086
    blender --background --factory-startup --python "$here/mesh_readers.py" -- $files film.glb >blender.log 2>&1
    grep -E '^Blender [0-9]|^blender:|^    (first|bounds|animation|at) ' blender.log
    for file in $files; do
        first=$(grep -A1 "^blender: $file:" blender.log | tail -n 1)
        check "Blender, $file, vertices" "$(sed 's/.*: \([0-9]*\) vertices.*/\1/' <<<"$first")" "$(info "$file" vertices)"
        check "Blender, $file, triangles" "$(sed 's/.* \([0-9]*\) faces.*/\1/' <<<"$first")" "$(info "$file" triangles)"
    done
    check "Blender, film.glb, a frame at a time" \
        "$(sed -n 's/.*it shows: //p' blender.log | tr '\n' ' ')" "frame_0000 frame_0001 frame_0002 frame_0003 frame_0004 "
else
    echo "skipped: blender is not installed"
fi

modules=$(npm root -g 2>/dev/null):$here/../node_modules:${NODE_PATH:-}
if NODE_PATH=$modules node -e 'require("gltf-validator")' 2>/dev/null; then
    for file in splash.glb beach.glb film.glb; do
        found=$(NODE_PATH=$modules node -e '
            require("gltf-validator").validateBytes(new Uint8Array(require("fs").readFileSync(process.argv[1])))
                .then(r => { console.log(r.issues.numErrors + " errors, " + r.issues.numWarnings + " warnings");
                             for (const m of r.issues.messages) console.error(m.code, m.message, m.pointer); })' "$file")
        check "Khronos glTF validator, $file" "$found" "0 errors, 0 warnings"
    done
else
    echo "skipped: the glTF validator is not installed (npm install -g gltf-validator)"
fi

three=$(NODE_PATH=$modules node -p 'require.resolve("three").replace(/.build.[^/]*$/, "")' 2>/dev/null)
if [[ -n $three ]]; then
    node "$here/mesh_readers.mjs" "$three" splash.glb beach.glb splash.ply beach.ply film.glb >three.log 2>&1
    line() { sed -n "s/^three: $1: //p" three.log; }
    for ending in glb ply; do
        check "three.js, splash.$ending" "$(line splash.$ending)" \
            "$(info splash.$ending vertices) vertices, $(info splash.$ending triangles) triangles, normal position velocity"
    done
    check "three.js, beach.glb" "$(line beach.glb)" \
        "$(info beach.glb vertices) vertices, $(info beach.glb triangles) triangles, depth normal position velocity"
    check "three.js, film.glb" "$(line film.glb)" "0.5 s: frame_0000 frame_0001 frame_0002 frame_0003 frame_0004"
else
    echo "skipped: three.js is not installed (npm install -g three)"
fi
echo "$passed passed, $failed failed"
[[ $failed == 0 ]]
