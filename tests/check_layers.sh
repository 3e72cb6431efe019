#!/usr/bin/env bash
# Checks the rules of docs/architecture.md that a compiler does not: who may include whom, no heap
# outside src/base, no libm transcendental and no libc random numbers in src (their bits differ
# between machines), no clocks but the one of reports, no notes to self left in the code, and only
# sources that docs/bibliography.md lists.
set -euo pipefail
cd "$(dirname "$0")/.."

# A folder may include itself and every lower layer, but none of its own layer: families never
# know one another. A public header counts as the folder that implements it.
awk_layers='
function layers_init() {
    split("base", l0); split("grid particles bodies", l1)
    split("waves shallow liquid gas", l2)
    split("detail coupling mesh", l3); split("world", l4); split("scene io", l5); split("render apps bridges bench tests", l6)
    rank["registry"] = 3.5; rank["show"] = 4.5 # classes of solvers, below worlds; small game logic, on top of them
    for (i in l0) rank[l0[i]] = 0; for (i in l1) rank[l1[i]] = 1; for (i in l2) rank[l2[i]] = 2
    for (i in l3) rank[l3[i]] = 3; for (i in l4) rank[l4[i]] = 4; for (i in l5) rank[l5[i]] = 5
    for (i in l6) rank[l6[i]] = 6
    rank["linear"] = 1.5 # solves on grids
    rank["breakers"] = 3.2 # makes meshes of sheets that push bodies and water
    rank["view"] = 6.5 # fills the frames that render draws
    split("base:base member:base shape:base budget:base emitter:registry solver:registry driver:world show:show surface:base throw:base flow:base gas:gas gas_presets:gas curl_noise:detail mesh:mesh particle_surface:mesh screen_mesh:mesh height_mesh:mesh mesh_file:io solids:particles particles:particles liquid:liquid liquid_regions:liquid terrain:grid body:bodies wave:waves wave_particles:waves flow_ripples:waves ripple:waves pipes:waves shallow:shallow coupling:coupling push:coupling world:world " \
          "scene:scene render:render view:view tarn:apps", pairs, " ")
    for (i in pairs) { split(pairs[i], kv, ":"); public_of[kv[1]] = kv[2] }
    # A solver of the registry that has a folder and a header of its own name needs no line here.
    n = split(solvers, names, " ")
    for (i = 1; i <= n; ++i) { if (!(names[i] in rank)) rank[names[i]] = 2; if (!(names[i] in public_of)) public_of[names[i]] = names[i] }
}
function folder_of(path,    parts, n, name) {
    n = split(path, parts, "/")
    if (path ~ /^include\/tarn\//) { name = parts[3]; sub(/\.h$/, "", name); return public_of[name] }
    if (parts[1] == "src") return parts[2]
    return parts[1] # render, view, apps, bench, tests
}
'
solvers=$(sed -nE 's/^ +X\(([a-z0-9_]+),.*/\1/p' src/registry/solvers.h | tr '\n' ' ')
bad=0
report() { # <rule> <lines>
    if [[ -n $2 ]]; then
        echo "layers: $1:"
        sed 's/^/    /' <<<"$2"
        bad=1
    else
        echo "ok: $1"
    fi
}

mapfile -t files < <(find include src render view apps bridges -name '*.[ch]' | sort)
mapfile -t core < <(find src -name '*.[ch]' | sort)

report "every include goes down the layers" "$(awk -v solvers="$solvers" "$awk_layers"'
BEGIN { layers_init() }
FNR == 1 { from = folder_of(FILENAME) }
FNR == 1 && !(from in rank) { print FILENAME ": its folder is in no layer; add it to tests/check_layers.sh" }
/^[ \t]*#[ \t]*include[ \t]*"/ {
    split($0, q, "\""); target = q[2]
    if (target ~ /^tarn\//) path = "include/" target
    else if (target ~ /^(render|view|apps|bridges|bench|tests)\//) path = target
    else if (target ~ /\//) path = "src/" target
    else next # beside the file itself
    to = folder_of(path)
    if (!(to in rank)) { print FILENAME ":" FNR ": \"" target "\" is in no layer; add it to tests/check_layers.sh"; next }
    if (from == to || !(from in rank) || from == "apps") next
    if (FILENAME == "include/tarn/tarn.h") next
    if (rank[to] >= rank[from]) print FILENAME ":" FNR ": " from " must not include " to " (\"" target "\")"
}' "${files[@]}")"

# The code without comments and string literals, as file:line:text.
bare() {
    awk '
    FNR == 1 { inside = 0 }
    {
        text = $0; out = ""
        while (text != "") {
            if (inside) {
                end = index(text, "*/")
                if (!end) break
                text = substr(text, end + 2); inside = 0
            } else if (match(text, /"([^"\\]|\\.)*"|\/\/|\/\*/)) {
                token = substr(text, RSTART, 2)
                out = out substr(text, 1, RSTART - 1)
                if (token == "//") { text = ""; break }
                if (token == "/*") { inside = 1; text = substr(text, RSTART + 2) }
                else { out = out "\"\""; text = substr(text, RSTART + RLENGTH) }
            } else { out = out text; text = "" }
        }
        print FILENAME ":" FNR ":" out
    }' "$@"
}
calls() { # <names as a regex>: lines that call one of them, not as a member and not with a prefix
    bare "${core[@]}" | grep -E "(^|[^A-Za-z0-9_.>])($1)[[:space:]]*\(" || true
}
report "no heap outside src/base" \
    "$(calls 'malloc|calloc|realloc|aligned_alloc|posix_memalign|strn?dup' | grep -v '^src/base/' || true)"
report "no libm transcendental in src" \
    "$(calls '(a?(sin|cos|tan)h?|atan2|sincos|exp|exp2|exp10|expm1|log|log2|log10|log1p|pow|cbrt|hypot|erfc?|[tl]gamma|fma)[fl]?')"
report "no libc random numbers in src, no clocks but in src/base/clock.c" \
    "$(calls 's?rand|rand_r|s?random|[dlm]rand48|time|clock|gettimeofday|clock_gettime|timespec_get' |
        grep -v '^src/base/clock\.c:.*clock_gettime' || true)"
report "no notes to self" \
    "$(grep -nwE 'TO''DO|FIX''ME|XX''X' -r include src render view apps tests bench examples cmake scripts scenes docs \
        CMakeLists.txt Makefile 2>/dev/null || true)"

# ---- Sources -----------------------------------------------------------------------------------

# Everything but the bibliography itself, this script, and what a build makes.
mapfile -t texts < <(find include src render view apps bridges bench tests examples scripts scenes docs README.md CHANGELOG.md \
    -type f -regextype posix-extended -regex '.*\.(c|h|cpp|md|json|sh|py|js|html)' |
    grep -vxE 'docs/bibliography\.md|tests/check_layers\.sh' | LC_ALL=C sort)
key='[A-Z][A-Za-z]+[0-9]{4}[a-z]*'
listed=$(grep -oE "^- \*\*\[$key\]" docs/bibliography.md | grep -oE "$key")
report "docs/bibliography.md is sorted and lists each source once" \
    "$(diff <(echo "$listed") <(LC_ALL=C sort -u <<<"$listed") || true)"
report "every cited source is in docs/bibliography.md" \
    "$(grep -noE "\[$key[],]" "${texts[@]}" | grep -vwF "$listed" || true)"
report "every source in docs/bibliography.md is cited" \
    "$(grep -vxF "$(grep -hoE "\[$key[],]" "${texts[@]}" | grep -oE "$key" | sort -u)" <<<"$listed" || true)"
report "sources are named, not hinted at" \
    "$(grep -nE "ALGORITHMS|^// Seed  |\b[Tt]he decks?('s)?\b|the slides\b|design notes|validation[ /][0-9]" "${texts[@]}" || true)"
exit $bad
