#!/usr/bin/env bash
# Installs the Debian packages that Tarn needs; does nothing if all are installed.
#
#     scripts/setup.sh [core] [tests] [apps] [view] [wasm] [web] [browser] [peers]      the first five if none is named
set -euo pipefail

core="make gcc g++ libc6-dev clang cmake ninja-build pkg-config clang-format"
tests="libcmocka-dev libjansson-dev libclang-rt-14-dev lld"
apps="libstb-dev libepoxy-dev libegl-dev libgl1-mesa-dri libgles-dev ffmpeg libchipmunk-dev libode-dev"
view="libglfw3-dev libimgui-dev fonts-dejavu-core xvfb xdotool"
wasm="emscripten nodejs"
web="ffmpeg" # makes the small pictures of the playground
browser="chromium"
command -v npm >/dev/null || web+=" npm" browser+=" npm" # some nodejs packages bring it along, and refuse another
peers="libvtk9-dev libfftw3-dev"

packages=""
for group in "${@:-core tests apps view wasm}"; do
    for name in $group; do
        case $name in
        core) packages+=" $core" ;;
        tests) packages+=" $tests" ;;
        apps) packages+=" $apps" ;;
        view) packages+=" $view" ;;
        wasm) packages+=" $wasm" ;;
        web) packages+=" $web" ;;
        browser) packages+=" $browser" ;;
        peers) packages+=" $peers" ;;
        *) echo "setup: there is no group '$name'; there are core, tests, apps, view, wasm, web, browser, peers" >&2; exit 2 ;;
        esac
    done
done

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    echo "setup: not a Debian system, so nothing is installed. Tarn needs what Debian calls:$packages"
    exit 0
fi

installed=" $(dpkg-query -W -f '${db:Status-Status}:${Package} ' $packages 2>/dev/null || true)"
missing=""
for package in $packages; do
    [[ $installed == *" installed:$package "* ]] || missing+=" $package"
done
[[ -n $missing ]] || exit 0

root=""
if [[ $(id -u) != 0 ]]; then
    if ! command -v sudo >/dev/null; then
        echo "setup: these packages are missing and installing them needs root:$missing" >&2
        exit 1
    fi
    root="sudo"
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
run() {
    if ! $root env DEBIAN_FRONTEND=noninteractive "$@" >"$log" 2>&1 </dev/null; then
        tail -n 20 "$log" >&2
        echo "setup: '$*' failed" >&2
        exit 1
    fi
}
echo "setup: reading the package lists"
run apt-get update -q
echo "setup: installing$missing"
run apt-get install -q -y --no-install-recommends $missing
