#!/bin/bash
# No file of the library, its tools or its renderer knows the solver of this folder. The word sloshing is allowed.
# Worlds know no solver at all: they reach all of them through their class, in code as well as in includes.
cd "$(dirname "$0")/../.." || exit 1
if grep -rnE 'slosh_class|"slosh"' src apps render view include; then
    echo "a file above names the solver that lives in tests/hall only" >&2
    exit 1
fi
solvers=$(sed -nE 's/^ +X\(([a-z0-9_]+),.*/\1/p' src/registry/solvers.h | paste -sd '|')
if [[ $solvers != *shallow*\|*breakers* ]]; then
    echo "src/registry/solvers.h does not list the solvers as expected" >&2
    exit 1
fi
# The folder src/particles also has what all solvers share, such as solids.
folders=${solvers//|particles|/|}
if grep -rnE "#include \"(tarn/($solvers)\.h|($folders)/)|\btarn_(world_)?($solvers)(_[a-z]|\()" src/world; then
    echo "src/world names a solver above; reach it through a member of TarnSolverClass" >&2
    exit 1
fi
