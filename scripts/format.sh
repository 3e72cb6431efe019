#!/usr/bin/env bash
# Formats all C and C++ files of the repository, or with --check only lists those that would change.
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
    total=$(list | existing | tr -cd '\0' | wc -c)
    # Many files per run: a process for each takes twice the time.
    said=$(list | existing | xargs -0 -r clang-format --style=file --dry-run 2>&1) || { echo "$said"; exit 1; }
    bad=$(sed -n 's/^\(.*\):[0-9]*:[0-9]*: .*clang-format.*/\1/p' <<<"$said" | sort -u)
    [[ -z $bad ]] || echo "$bad"
    echo "format: $(grep -c . <<<"$bad" || true) of $total files would change"
    [[ -z $bad ]] || { echo "format: \`make format\` changes them"; exit 1; }
else
    list | existing | xargs -0 -r clang-format --style=file -i
fi
