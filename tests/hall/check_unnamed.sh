#!/bin/bash
# No file of the library, its tools or its renderer knows the solver of this folder. The word sloshing is allowed.
cd "$(dirname "$0")/../.." || exit 1
if grep -rnE 'slosh_class|"slosh"' src apps render view include; then
    echo "a file above names the solver that lives in tests/hall only" >&2
    exit 1
fi
