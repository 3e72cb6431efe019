#!/usr/bin/env bash
# Installs Tarn to a fresh prefix and uses it as a user would: find_package and pkg-config, C and
# C++, static and shared. All programs must print the same line, and tarn::tarn of CMake is the library that
# pkg-config links.
#
# Three builds are tested: alone with both libraries, all with the static one, and as a part of another project. Objects
# whose command is that of the build of everything are taken from there.
#
#     tests/packaging/run.sh [work directory [build directory of everything]]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
work=${1:-$(mktemp -d)}
full=${2:+$(cd "$2" && pwd)}
rm -rf "$work/prefix" "$work/static" "$work/destdir" "$work/moved" "$work/consumer" "$work/core" "$work/sub"
mkdir -p "$work"
work=$(cd "$work" && pwd)
cd "$work"
export CMAKE_BUILD_PARALLEL_LEVEL=${JOBS:-2}
warnings="-Wall -Wextra -Wshadow -Wpedantic -Werror"

fail() {
    echo "packaging: $*" >&2
    exit 1
}
expected=""
same_line() { # <what> <command...>: runs it and compares its line with the first one
    local what=$1 line
    shift
    line=$("$@") || fail "$what: '$*' failed"
    [[ -n $expected ]] || expected=$line
    [[ $line == "$expected" ]] || fail "$what printed '$line', not '$expected'"
    echo "ok: $what: $line"
}

# ---- Build and install the core ------------------------------------------------
options="-G Ninja -DTARN_WERROR=ON"
kind="-DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O0 -DTARN_BEST_ISA=baseline" # compiles soonest
if [[ -n $full ]]; then
    of_full() { sed -n "s/^$1:[A-Z]*=//p" "$full/CMakeCache.txt"; }
    export COMMANDS=$work/commands OBJECTS=$full
    sed -n 's/^ *"command": "\(.*\)",*$/\1/p' "$full/compile_commands.json" >"$COMMANDS"
    options+=" -DCMAKE_C_COMPILER=$(of_full CMAKE_C_COMPILER) -DCMAKE_C_COMPILER_LAUNCHER=$here/reuse.sh"
    kind="-DCMAKE_BUILD_TYPE=$(of_full CMAKE_BUILD_TYPE) -DTARN_BEST_ISA=$(of_full TARN_BEST_ISA)"
fi
cmake -S "$root" -B core $options -DTARN_CORE_ONLY=ON -DBUILD_SHARED_LIBS=ON -DCMAKE_INSTALL_PREFIX=/usr
grep -q '^CMAKE_BUILD_TYPE:STRING=Release' core/CMakeCache.txt || fail "the build is not optimized unless one asks for it"
cmake -S "$root" -B core $kind
cmake --build core
cmake --install core --prefix "$work/prefix"
DESTDIR=$work/destdir cmake --install core
echo "ok: the core alone builds and installs"

version=$(sed -n 's/^Version: //p' core/tarn.pc)
library=$(find prefix -name "libtarn.so.$version")
[[ -n $library ]] || fail "libtarn.so.$version is not installed"
[[ -n $(find prefix -name libtarn.a) ]] || fail "libtarn.a is not installed"
[[ -n $(find prefix -path '*/share/tarn/scenes/*.json') ]] || fail "no scenes are installed"

# ---- What the shared library shows and needs ---------------------------------------------------------
soname=$(objdump -p "$library" | sed -n 's/^ *SONAME *//p')
[[ $soname == "libtarn.so.${version%.*}" ]] || fail "the soname is '$soname'"
needed=$(objdump -p "$library" | sed -n 's/^ *NEEDED *//p')
for one in $needed; do
    case $one in
    libc.so.* | libm.so.* | libpthread.so.* | ld-linux*) ;;
    *) fail "libtarn.so needs $one" ;;
    esac
done
echo "ok: libtarn.so needs only" $needed

strange=$(nm -D --defined-only "$library" | awk '{ print $3 }' | grep -Ev '^tarn_[a-z0-9]' || true)
[[ -z $strange ]] || fail "libtarn.so shows internal symbols:" $strange
nm -D --defined-only "$library" | awk '{ print $3 }' | sort >exported
# What the headers declare, after the preprocessor: some functions are declared by macros.
for header in $(ls "$root"/include/tarn/*.h | grep -vE "/(render|view).h"); do echo "#include \"$header\""; done >all.c
gcc -E -P -I"$root/include" all.c | tr '\n' ' ' |
    grep -oE '__attribute__\(\(visibility\("default"\)\)\)[^(;]*\(' |
    grep -oE 'tarn_[a-z0-9_]*\($' | tr -d '(' | sort -u >declared
[[ $(wc -l <declared) -gt 300 ]] || fail "only $(wc -l <declared) functions found in the headers"
missing=$(comm -23 declared exported)
[[ -z $missing ]] || fail "declared in the headers, but not in libtarn.so:" $missing
extra=$(comm -13 declared exported)
[[ -z $extra ]] || fail "in libtarn.so, but not in the headers:" $extra
echo "ok: libtarn.so shows what the headers declare, $(wc -l <exported) functions, and nothing else"

# of_ours <libtarn.a>
of_ours() {
    local global
    global=$(nm --defined-only -g "$1" 2>/dev/null | awk 'NF == 3 { print $3 }' | grep -Ev '^(tarn_|Tarn)' | sort -u || true)
    [[ -z $global ]] || fail "$1 takes global names that are not ours:" $global
    echo "ok: $1 takes no global name without tarn_"
}
of_ours "$(find prefix -name libtarn.a)"

# ---- find_package, from the prefix, from a DESTDIR tree, and after the tree has moved --------------------
export LD_LIBRARY_PATH=
with_cmake() { # <prefix> <what>
    rm -rf consumer
    cmake -S "$here" -B consumer -G Ninja -DCMAKE_PREFIX_PATH="$1" -DCMAKE_BUILD_TYPE=Release \
        -DCMAKE_C_FLAGS="$warnings" -DCMAKE_CXX_FLAGS="$warnings"
    cmake --build consumer
    for program in consumer/c_* consumer/cpp_*; do
        same_line "find_package, $2, $(basename "$program")" "$program"
    done
    is_shared consumer/c_static && fail "tarn::static is not static"
    [[ ! -e consumer/c_shared ]] || is_shared consumer/c_shared || fail "tarn::shared is not shared"
}
is_shared() { objdump -p "$1" | grep -q 'NEEDED.*libtarn'; }
# agree <what> <yes or no>: programs of CMake (tarn::tarn) and of pkg-config both link the shared library, or neither
agree() {
    local program
    for program in consumer/c_tarn consumer/cpp_tarn consumer/pc_default consumer/pc_default_cpp; do
        if is_shared "$program"; then [[ $2 == yes ]]; else [[ $2 == no ]]; fi ||
            fail "$1: $program links the $([[ $2 == yes ]] && echo static || echo shared) library"
    done
    echo "ok: $1: find_package and pkg-config link the $([[ $2 == yes ]] && echo shared || echo static) library"
}
with_cmake "$work/prefix" "prefix"
with_cmake "$work/destdir/usr" "DESTDIR"

# ---- pkg-config ---------------------------------------------------------------------------------------
with_pkg_config() { # <prefix> <what>
    local pc lib
    pc=$(dirname "$(find "$1" -name tarn.pc)")
    lib=$(dirname "$pc")
    flags() { PKG_CONFIG_PATH=$pc PKG_CONFIG_ALLOW_SYSTEM_LIBS=1 PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 pkg-config "$@" tarn; }
    [[ $(flags --modversion) == "$version" ]] || fail "tarn.pc says version $(flags --modversion)"
    local shared=0
    [[ -z $(find "$1" -name libtarn.so) ]] || shared=1
    local expect=-DEXPECT_SHARED=$shared
    gcc -std=c17 $warnings $expect "$here/consumer.c" $(flags --cflags --libs) -o consumer/pc_default
    LD_LIBRARY_PATH=$lib same_line "pkg-config, $2, C" consumer/pc_default
    g++ -std=c++17 $warnings $expect "$here/consumer.cpp" $(flags --cflags --libs) -o consumer/pc_default_cpp
    LD_LIBRARY_PATH=$lib same_line "pkg-config, $2, C++" consumer/pc_default_cpp
    # Where both are installed, --static has the flags of the shared one, which matter on Windows only.
    gcc -std=c17 -static $warnings $expect "$here/consumer.c" $(flags --static --cflags --libs) -o consumer/pc_static
    same_line "pkg-config, $2, static, C" consumer/pc_static
}
with_pkg_config "$work/prefix" "prefix"
agree "BUILD_SHARED_LIBS=ON" yes
with_pkg_config "$work/destdir/usr" "DESTDIR"
mv prefix moved
with_cmake "$work/moved" "moved"
with_pkg_config "$work/moved" "moved"

# ---- The static library alone, as it is by default --------------------------------------------------------
everything=$full
if [[ -z $full ]] || ! grep -q '^BUILD_SHARED_LIBS:BOOL=OFF' "$full/CMakeCache.txt"; then
    cmake -S "$root" -B core -G Ninja -DBUILD_SHARED_LIBS=OFF
    cmake --build core
    everything=core
fi
cmake --install "$everything" --prefix "$work/static"
of_ours "$(find static -name libtarn.a)"
[[ -z $(find static -name 'libtarn.so*') ]] || fail "BUILD_SHARED_LIBS=OFF installs a shared library"
with_cmake "$work/static" "static only"
with_pkg_config "$work/static" "static only"
agree "BUILD_SHARED_LIBS=OFF" no

# ---- As a part of another project -----------------------------------------------------------------------
mkdir -p sub
cat >sub/CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.21)
project(game LANGUAGES C)
add_subdirectory("$root" tarn)
add_executable(game "$here/consumer.c")
target_compile_definitions(game PRIVATE EXPECT_SHARED=0)
target_link_libraries(game PRIVATE tarn::tarn)
END
cmake -S sub -B sub/build $options $kind
cmake --build sub/build --target game
same_line "add_subdirectory" sub/build/game

# ---- The command line, away from the source --------------------------------------------------------------
if [[ -n $full ]]; then
    rm -rf tools
    cmake --install "$full" --prefix "$work/tools"
    # Under a name that the source does not have, and after a move: only the installed folder can give it.
    mv tools/share/tarn/scenes/pool_drops.json tools/share/tarn/scenes/only_installed.json
    rm -rf moved_tools && mv tools moved_tools
    hash=$(cd / && env -u TARN_ISA -u TARN_SCENES "$work/moved_tools/bin/tarn" \
        run only_installed --seconds 0.2 --hash --quiet) || fail "the installed command line fails"
    echo "ok: the installed command line runs an installed scene: $hash"
fi
