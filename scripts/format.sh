#!/usr/bin/env bash
# Formats all C and C++ files of the repository, or with --check only says which would change.
set -euo pipefail
cd "$(dirname "$0")/.."

list() { # tracked and new files, without what .gitignore names
    if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
        git ls-files -z --cached --others --exclude-standard -- '*.c' '*.h' '*.cpp'
    else
        find . \( -path ./build -o -path ./out \) -prune -o -name '*.[ch]' -print0 -o -name '*.cpp' -print0
    fi
}
existing() { while IFS= read -r -d '' file; do [[ -f $file ]] && printf '%s\0' "$file"; done; true; }

if [[ ${1:-} == --check ]]; then
    total=0
    bad=0
    while IFS= read -r -d '' file; do
        total=$((total + 1))
        clang-format --style=file --dry-run -Werror "$file" >/dev/null 2>&1 || { echo "$file"; bad=$((bad + 1)); }
    done < <(list | existing)
    echo "format: $bad of $total files would change"
    [[ $bad == 0 ]] || { echo "format: \`make format\` changes them"; exit 1; }
else
    list | existing | xargs -0 -r clang-format --style=file -i
fi
