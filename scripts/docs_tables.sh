#!/usr/bin/env bash
# Updates the parameter tables of the docs from `tarn describe --markdown`; with --check it changes nothing and
# reports stale tables.
#
#     scripts/docs_tables.sh path/to/tarn [--check] [folder of the docs]
#
# A table is between two marks, which name one or more structs:
#
#     <!-- table: TarnWaveDef TarnWaveParams -->
#     <!-- /table -->
set -euo pipefail

if [[ $# -lt 1 || $# -gt 3 ]]; then
    echo "usage: $0 path/to/tarn [--check] [folder of the docs]" >&2
    exit 2
fi
tarn=$(realpath "$1")
shift
is_check=
if [[ ${1:-} == --check ]]; then
    is_check=1
    shift
fi
docs=${1:-$(dirname "$0")/../docs}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$tarn" describe --markdown >"$work/tables"

# Reads the tables first (`### name (`Struct`)` and rows below it), then a page; prints the page.
cat >"$work/fill.awk" <<'END'
function fail(text) {
    printf "%s:%d: %s\n", FILENAME, FNR, text > "/dev/stderr"
    failed = 1
    exit 1
}
NR == FNR {
    if ($0 ~ /^### /) {
        name = $0
        sub(/^[^`]*`/, "", name)
        sub(/`.*$/, "", name)
    } else if ($0 ~ /^\| `/) {
        rows[name] = rows[name] $0 "\n"
    } else if ($0 ~ /^\|/) {
        if (!(name in rows)) heading[name] = heading[name] $0 "\n"
    }
    next
}
/^<!-- table: .* -->$/ {
    if (inside) fail("a table begins inside another one; <!-- /table --> is missing")
    print
    for (i = 3; i < NF; ++i) {
        if (!($i in rows)) fail("`tarn describe` has no table of " $i)
        printf "%s%s", i == 3 ? heading[$i] : "", rows[$i]
        print $i > used
    }
    inside = 1
    next
}
/^<!-- \/table -->$/ {
    if (!inside) fail("a table ends that did not begin")
    inside = 0
}
!inside {
    if ($0 ~ /^\| (key|name) \|.*\| default \|/) fail("a table of parameters without <!-- table: STRUCT -->")
    print
}
END {
    if (!failed && inside) fail("the last table does not end; <!-- /table --> is missing")
}
END

stale=0
n=0
: >"$work/used"
while IFS= read -r page; do
    awk -v used="$work/used_here" -f "$work/fill.awk" "$work/tables" "$page" >"$work/page"
    [[ -e $work/used_here ]] && cat "$work/used_here" >>"$work/used" && rm "$work/used_here"
    cmp -s "$work/page" "$page" && continue
    stale=$((stale + 1))
    if [[ -n $is_check ]]; then
        echo "$page: its parameter tables are stale"
        diff "$page" "$work/page" | head -n 6 || true
    else
        cat "$work/page" >"$page"
        echo "$page: tables updated"
    fi
done < <(find "$docs" -name '*.md' | LC_ALL=C sort)

# Every table must be in a page.
missing=0
for struct in $(sed -n 's/^### .*(`\(.*\)`)$/\1/p' "$work/tables"); do
    n=$((n + 1))
    grep -qx "$struct" "$work/used" && continue
    missing=$((missing + 1))
    echo "docs: no page has the table of $struct"
done
echo "docs: $n tables, $missing in no page, $stale pages $([[ -n $is_check ]] && echo stale || echo changed)"
[[ $missing == 0 ]] || exit 1
[[ -z $is_check || $stale == 0 ]] || { echo "docs: \`make docs\` updates them"; exit 1; }
