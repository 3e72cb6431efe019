#!/usr/bin/env bash
# A compiler launcher: takes the object from the build of everything if that was made by the very same command, and
# compiles it otherwise.
#
#     COMMANDS=file OBJECTS=build-directory tests/packaging/reuse.sh cc ... -o OBJECT -c SOURCE
# COMMANDS has the commands of that build, one per line.
set -euo pipefail
object="" command=""
arguments=("$@")
while [[ $# != 0 ]]; do
    case $1 in
    -MD) ;;
    -MT | -MF) shift ;;
    -o)
        object=$2
        command+=" -o CMakeFiles/${2#*CMakeFiles/}" # in another project it lies deeper
        shift
        ;;
    *) command+=" $1" ;;
    esac
    shift
done
if [[ -n $object ]] && grep -qxF -e "${command# }" "$COMMANDS"; then
    exec cp "$OBJECTS/CMakeFiles/${object#*CMakeFiles/}" "$object"
fi
echo "compiled: $object"
exec "${arguments[@]}"
