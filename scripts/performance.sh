#!/usr/bin/env bash
# Writes docs/performance.md: the benchmark of this machine, now. Run it on a quiet machine, several
# times, and write the spread below the line "<!-- by hand -->", which is kept: one run is not a
# measurement.
#
#     scripts/performance.sh [path/to/tarn]
set -euo pipefail
cd "$(dirname "$0")/.."
tarn=${1:-build/release/tarn}
out=docs/performance.md
table=$("$tarn" bench 2>/dev/null)
by_hand=$(sed -n '/^<!-- by hand -->$/,$p' "$out")

{
    cat <<'TEXT'
# Performance

Made by `make performance`, which runs `tarn bench`: the best step of many, with the machine's own memory bandwidth
measured in the same run. Benchmarks of a busy machine are worthless; so are those of another one.

TEXT
    echo "Machine: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) cores," \
        "$(awk '/MemTotal/ { printf "%.0f GB", $2 / 1e6 }' /proc/meminfo); $(gcc --version | head -n 1)," \
        "-O3, AVX2 kernels; $(date -u +%Y-%m-%d)."
    echo
    echo '```'
    echo "$table"
    echo '```'
    cat <<'TEXT'

How to read it:

- `memory.*`: copy, triad and in-place scaling of 128 MB arrays, each stream counted once. The best of the three with
  the same number of workers is the bandwidth that `roofline` is a share of.
- `roofline` of the wave solver: the rate against bandwidth / 12 bytes, because a step must read `u` and `prev` and write
  `prev`. Above 100 % the grid fits into a cache.
- `wave.five`, `wave.nine`: every cell in motion, five or nine points. `pair`: steps of two substeps, which share one pass
  over the grid; ms are of the step, the rate counts substeps. `wave.calm`: nothing moves. `wave.open`: four absorbing edges.
- `wave.query.100k`: height, normal, velocity and depth at 100,000 random points of a 512 x 512 pool.
- `wave.save`, `wave.load`: a snapshot with all its checks. `wave.couple.64`: 64 floating boxes, both ways.
- `shallow.step`: a full step of one substep over hills under water, momentum advection, every cell in motion. Its
  `roofline` is the rate against bandwidth / 28 bytes: depth, two speeds and the ground in, depth and two speeds out.
  The other advections have rows of their own; `shallow.calm` is a lake asleep.
- `pipes.erosion`: rain, flow, dissolving, transport, deposit, slippage, evaporation; `pipes.water`: without erosion.

What was asked of it, and what this run gives:

TEXT
    awk '
        { ms[$1, $2] = $3; rate[$1, $2] = $4; for (i = 5; i <= NF; ++i) if ($i == "%") share[$1, $2] = $(i - 1); bytes[$1, $2] = $6 }
        END {
            w = 2
            print "| asked | measured |"
            print "|---|---|"
            printf "| 4096 x 4096, 2 workers: at least 75 %% of the bound of 12 bytes per cell and step | five points %s %%, nine points %s %%; with two substeps per step %s %% and %s %% |\n", share["wave.five.4096", w], share["wave.nine.4096", w], share["wave.five.4096.pair", w], share["wave.nine.4096.pair", w]
            printf "| 512 x 512: at least twice the rate per cell of 4096 x 4096 | five points %.2f, nine points %.2f times |\n", rate["wave.five.512", w] / rate["wave.five.4096", w], rate["wave.nine.512", w] / rate["wave.nine.4096", w]
            printf "| calm 4096 x 4096 pond: under 1 %% of the active cost | %.3f %% |\n", 100 * ms["wave.calm.4096", w] / ms["wave.nine.4096", w]
            printf "| 100,000 surface queries on one worker: under 2 ms | %.2f ms |\n", ms["wave.query.100k", 1]
            printf "| snapshot of 512 x 512, save and load: under 1 ms each | %.2f and %.2f ms |\n", ms["wave.save.512", 1], ms["wave.load.512", 1]
            printf "| memory without bodies: at most 16 bytes per cell | %s, and 4 more with walls or a bed |\n", bytes["wave.nine.512", 1]
            printf "| shallow water 1024 x 1024, one worker: at least 250 million cells per second | %.0f |\n", rate["shallow.step.1024", 1]
            printf "| the same on two workers: at least 1.7 times | %.2f times |\n", rate["shallow.step.1024", 2] / rate["shallow.step.1024", 1]
            printf "| shallow water 4096 x 4096, 2 workers: at least 40 %% of the bound of 28 bytes per cell | %s %% |\n", share["shallow.step.4096", w]
            printf "| erosion step 1024 x 1024, one worker: under 10 ms | %.2f ms |\n", ms["pipes.erosion.1024", 1]
            printf "| memory at 1024 x 1024: at most 48 bytes per cell, 64 with erosion | %s and %s |\n", bytes["shallow.step.1024", 1], bytes["pipes.erosion.1024", 1]
        }' <<<"$table"
    echo
    echo "$by_hand"
} >"$out.part"
mv "$out.part" "$out"
echo "$out"
