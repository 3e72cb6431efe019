#!/usr/bin/env bash
# Writes docs/performance.md: the benchmarks on this machine. It does RUNS (3) runs, because a single run is not
# reliable: the table shows the first one, and the goals are compared with each. Liquids come to rest in the first
# run only, since every run gives the same bits. Three runs take a quarter of an hour on a quiet machine; on a busy
# one they mean nothing. Everything below the line "<!-- by hand -->" is kept.
#
#     scripts/performance.sh [path/to/tarn]          RUNS=5 scripts/performance.sh
set -euo pipefail
cd "$(dirname "$0")/.."
tarn=${1:-build/release/tarn}
out=docs/performance.md
runs=${RUNS:-3}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
start=$SECONDS
for ((r = 1; r <= runs; ++r)); do
    "$tarn" bench $([[ $r == 1 ]] || echo --skip .rest) >"$scratch/$r" 2>/dev/null
    echo "run $r of $runs, after $((SECONDS - start)) s" >&2
done
by_hand=$(sed -n '/^<!-- by hand -->$/,$p' "$out")

{
    cat <<TEXT
# Performance

Made by \`make performance\`, which ran \`tarn bench\` $([[ $runs == 1 ]] && echo once || echo "$runs times") in $(((SECONDS - start + 59) / 60)) minutes: the best step of many (the
mean of a run for liquids), together with the memory bandwidth of the machine. Benchmarks of a busy machine or of another machine are
not comparable.

TEXT
    echo "Machine: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) cores," \
        "$(awk '/MemTotal/ { printf "%.0f GB", $2 / 1e6 }' /proc/meminfo); $(gcc --version | head -n 1)," \
        "-O3; $(date -u +%Y-%m-%d). The first run:"
    echo
    echo '```'
    sed 's/ *$//' "$scratch/1"
    echo '```'
    cat <<'TEXT'

How to read it:

- `memory.*`: copy, triad and in-place scaling of 128 MB arrays, each stream counted once. The best of the three with
  the same number of workers is the bandwidth that `roofline` refers to.
- `roofline` of the wave solver: the rate against bandwidth / 12 bytes, because a step must read `u` and `prev` and write
  `prev`. Above 100 % the grid fits into a cache.
- `wave.five`, `wave.nine`: every cell in motion, five or nine points. `pair`: steps of two substeps, which share one pass
  over the grid; ms are per step, and the rate counts substeps. `wave.calm`: nothing moves. `wave.open`: four absorbing edges.
- `wave.query.100k`: height, normal, velocity and depth at 100,000 random points of a 512 x 512 pool.
- `wave.save`, `wave.load`: a snapshot with all its checks. `wave.couple.64`: 64 floating boxes with two-way coupling.
- `shallow.step`: a full step of one substep over hills under water, momentum advection, every cell in motion. Its
  `roofline` is the rate against bandwidth / 28 bytes: depth, two speeds and the ground in, depth and two speeds out.
  The other advections have their own rows; `shallow.calm` is a sleeping lake.
- `pipes.erosion`: rain, flow, dissolving, transport, deposit, slippage, evaporation; `pipes.water`: without erosion.
- `neighbors`: sort, permutation of ten arrays and neighbor lists; `quadrants`: the same with Sprinkle's scheme.
- `particles.ballistic`: gravity only. `drag`: drag and wind. `flow`: carried by a Flow. `bounce`: a floor and three spheres.
  `fountain`: a million alive, 4,000 born and as many dead per step.
- `liquid.*.2d`: a block of 1.6 x 2 m falls in a box of 4 x 4 m, g 10; ms of a frame of 1/60 s, constraint with 4 iterations,
  the mean of frames 60 to 360; frames 10 to 20 for `lennard_jones`, and 2 to 4 for the other methods, which take seconds per frame.
  `liquid.constraint.3d`: a cube of 1 m in a tank of 3 x 2 x 1 m, frames 30 to 180. `liquid.sph.3d`: one substep of density and
  forces. `liquid.dfsph.3d`: ms of a simulated second at 0.1 % density error. `rest`: the mean of all frames until it is
  still; `height lost`: relative to the mean height of a level pool.
- `linear.*`: one solve; `gas.plume`: a step of smoke with everything on; `gas.jetpack`, `gas.gun`: steps of those scenes.
- `mesh.sphere`, `mesh.gyroid`: marching cubes of a dense field with normals. `make peers` adds VTK's FlyingEdges3D for comparison.
  `mesh.particles`: field and mesh of 50,000 particles of a dam break. `mesh.screen`: a screen-space mesh of 50,000, 641 x 361
  nodes. `mesh.height`: rings of a lake or a sea. `mesh_file`: 98,000 triangles.

Goals, and what each run measured:

TEXT
    awk -v runs="$runs" '
        FNR == 1 { ++run }
        { k = run SUBSEP $1 SUBSEP $2; ms[k] = $3; rate[k] = $4; bytes[k] = $6 }
        { for (i = 7; i <= NF && i <= 8; ++i) if ($i == "%") share[k] = $(i - 1) }
        match($0, /ms, [0-9]+ % of the water/) { sheets[run, $2] = substr($0, RSTART + 4) + 0 }

        # One row from v[1] to v[runs].
        function row(text, compare, limit, format, unit,    r, list, reached) {
            for (r = 1; r <= runs; ++r) {
                list = list (r > 1 ? ", " : "") sprintf(format, v[r])
                reached += v[r] > 0 && (compare == "<" ? v[r] <= limit : v[r] >= limit)
            }
            printf "| %s | %s%s | %d of %d |\n", text, list, unit, reached, runs
        }
        function take(array, name, workers, scale,    r) {
            for (r = 1; r <= runs; ++r) v[r] = scale * array[r, name, workers]
        }
        function quotient(a, name_a, workers_a, b, name_b, workers_b,    r) {
            for (r = 1; r <= runs; ++r)
                v[r] = b[r, name_b, workers_b] > 0 ? a[r, name_a, workers_a] / b[r, name_b, workers_b] : 0
        }
        function goal(text, array, name, workers, compare, limit, format, unit) {
            take(array, name, workers, 1)
            row(text, compare, limit, format, unit)
        }
        function speed_up(text, name) {
            quotient(ms, name, 1, ms, name, 2)
            row(text ": two workers at least 1.7 times one", ">", 1.7, "%.2f", "")
        }

        END {
            print "| goal | measured | reached |"
            print "|---|---|---|"
            text = "4096 x 4096, 2 workers: at least 75 % of the bound of 12 bytes per cell and step: "
            goal(text "five points", share, "wave.five.4096", 2, ">", 75, "%.1f", " %")
            goal(text "nine points", share, "wave.nine.4096", 2, ">", 75, "%.1f", " %")
            goal("the same, two substeps per step: five points", share, "wave.five.4096.pair", 2, ">", 75, "%.1f", " %")
            goal("the same, two substeps per step: nine points", share, "wave.nine.4096.pair", 2, ">", 75, "%.1f", " %")
            quotient(rate, "wave.five.512", 2, rate, "wave.five.4096", 2)
            row("512 x 512: at least twice the rate per cell of 4096 x 4096: five points", ">", 2, "%.2f", " times")
            quotient(rate, "wave.nine.512", 2, rate, "wave.nine.4096", 2)
            row("the same: nine points", ">", 2, "%.2f", " times")
            quotient(ms, "wave.calm.4096", 2, ms, "wave.nine.4096", 2)
            for (r = 1; r <= runs; ++r) v[r] *= 100
            row("calm 4096 x 4096 pond: under 1 % of the active cost", "<", 1, "%.3f", " %")
            goal("100,000 surface queries on one worker: under 2 ms", ms, "wave.query.100k", 1, "<", 2, "%.2f", " ms")
            goal("snapshot of 512 x 512, save: under 1 ms", ms, "wave.save.512", 1, "<", 1, "%.2f", " ms")
            goal("snapshot of 512 x 512, load: under 1 ms", ms, "wave.load.512", 1, "<", 1, "%.2f", " ms")
            goal("memory without bodies: at most 16 bytes per cell", bytes, "wave.nine.512", 1, "<", 16, "%.2f", "")
            goal("shallow water 1024 x 1024, one worker: at least 250 million cells per second", rate, "shallow.step.1024", 1, ">", 250, "%.0f", "")
            speed_up("the same", "shallow.step.1024")
            goal("shallow water 4096 x 4096, 2 workers: at least 40 % of the bound of 28 bytes per cell", share, "shallow.step.4096", 2, ">", 40, "%.1f", " %")
            goal("erosion step 1024 x 1024, one worker: under 10 ms", ms, "pipes.erosion.1024", 1, "<", 10, "%.2f", " ms")
            goal("memory of shallow water at 1024 x 1024: at most 48 bytes per cell", bytes, "shallow.step.1024", 1, "<", 48, "%.2f", "")
            goal("memory of pipes with erosion at 1024 x 1024: at most 64 bytes per cell", bytes, "pipes.erosion.1024", 1, "<", 64, "%.2f", "")
            quotient(ms, "neighbors.quadrants.20000", 1, ms, "neighbors.2d.20000", 1)
            row("the faster search is used: Sprinkle'"'"'s scheme takes longer by a factor of", ">", 1, "%.2f", " times")
            goal("a million ballistic particles, 2 workers: under 6 ms", ms, "particles.ballistic.1000000", 2, "<", 6, "%.2f", " ms")
            goal("memory of ballistic particles: at most 64 bytes", bytes, "particles.ballistic.1000000", 1, "<", 64, "%.2f", "")
            goal("constraint, 2-D dam break, 20,000 particles, one worker: at most 4.5 ms", ms, "liquid.constraint.2d.20000", 1, "<", 4.5, "%.2f", " ms")
            goal("the same, 2 workers: at most 2.7 ms", ms, "liquid.constraint.2d.20000", 2, "<", 2.7, "%.2f", " ms")
            goal("the same, 50,000 particles, one worker: at most 13 ms", ms, "liquid.constraint.2d.50000", 1, "<", 13, "%.1f", " ms")
            goal("the same, 200,000 particles, 2 workers: at most 60 ms", ms, "liquid.constraint.2d.200000", 2, "<", 60, "%.1f", " ms")
            goal("constraint, 3-D dam break, 39^3 particles, 2 workers: at most 16 ms", ms, "liquid.constraint.3d.59319", 2, "<", 16, "%.1f", " ms")
            goal("sph, a step at 27^3, one worker: at most 4.5 ms", ms, "liquid.sph.3d.19683", 1, "<", 4.5, "%.2f", " ms")
            take(ms, "liquid.dfsph.3d.19683", 1, 0.001)
            row("dfsph, 27^3, one worker: at most 2 s per simulated second", "<", 2, "%.2f", " s")
            take(ms, "liquid.dfsph.3d.59319", 1, 0.001)
            row("dfsph, 39^3, one worker: at most 9 s per simulated second", "<", 9, "%.1f", " s")
            n = split("dfsph pcisph wcsph sph lennard_jones", method, " ")
            split("500 500 1974 629 263", limit, " ") # of the last three, two thirds of what they took at first
            for (m = 1; m <= n; ++m)
                goal(method[m] ", 50,000 particles in 2-D, a frame, one worker: at most " limit[m] " ms", ms, "liquid." method[m] ".2d.50000", 1, "<", limit[m], "%.0f", " ms")
            n = split("constraint dfsph pcisph wcsph sph lennard_jones", method, " ")
            for (m = 1; m <= n; ++m) {
                name = "liquid." method[m] ".2d.50000"
                speed_up(method[m] ", 50,000 particles", name)
                goal(method[m] ", 2-D: at most " (m == 1 ? 300 : 512) " bytes per particle", bytes, name, 1, "<", m == 1 ? 300 : 512, "%.0f", "")
            }
            n = split("constraint.3d.59319 dfsph.3d.59319 sph.3d.19683", method, " ")
            for (m = 1; m <= n; ++m)
                goal(substr(method[m], 1, index(method[m], ".") - 1) ", 3-D: at most " (m == 1 ? 600 : 1024) " bytes per particle", bytes, "liquid." method[m], 1, "<", m == 1 ? 600 : 1024, "%.0f", "")
            goal("a frame of the open sea, 256 x 256, 5 fields, one worker: at most 0.8 ms", ms, "ocean.frame.256", 1, "<", 0.8, "%.2f", " ms")
            goal("four cascades of it, one worker: at most 3.2 ms", ms, "ocean.cascades.256", 1, "<", 3.2, "%.2f", " ms")
            speed_up("the same", "ocean.cascades.256")
            goal("100,000 queries of it: at most 4 ms", ms, "ocean.query", 1, "<", 4, "%.2f", " ms")
            goal("dispersive waves, 512 x 512, one worker: at most 3 ms", ms, "ripple.step.512", 1, "<", 3, "%.2f", " ms")
            goal("50,000 wave particles, one worker: at most 2 ms", ms, "wave_particles.step.50000", 1, "<", 2, "%.2f", " ms")
            goal("lattice of 128^3, BGK, one worker: at least 160 million cells per second", rate, "lattice.d3q19.bgk.128", 1, ">", 160, "%.0f", "")
            goal("the same, 2 workers: at least 230", rate, "lattice.d3q19.bgk.128", 2, ">", 230, "%.0f", "")
            quotient(rate, "lattice.d3q19.bgk.128.half", 2, rate, "lattice.d3q19.bgk.128", 2)
            row("the same in 16 bits, 2 workers: at least 1.3 times that", ">", 1.3, "%.2f", " times")
            quotient(rate, "lattice.d3q19.regular.128", 2, rate, "lattice.d3q19.bgk.128", 2)
            row("regularised with eddies, 2 workers: at least 0.8 times that", ">", 0.8, "%.2f", " times")
            goal("its memory: at most 80 bytes per cell", bytes, "lattice.d3q19.bgk.128", 1, "<", 80, "%.1f", "")
            goal("its memory in 16 bits: at most 44 bytes per cell", bytes, "lattice.d3q19.bgk.128.half", 1, "<", 44, "%.1f", "")
            goal("lattice of 1024^2, BGK, one worker: at least 400 million cells per second", rate, "lattice.d2q9.bgk.1024", 1, ">", 400, "%.0f", "")
            goal("the same, 2 workers: at least 600", rate, "lattice.d2q9.bgk.1024", 2, ">", 600, "%.0f", "")
            goal("lattice of 128^3, dam break, one worker: at least 60 million wet cells per second", rate, "lattice.free_surface.128", 1, ">", 60, "%.0f", "")
            goal("a frame of a dam break in 64^3 cells, 2 workers: at most 16.7 ms", ms, "lattice.dam.64", 2, "<", 16.7, "%.1f", " ms")
            goal("a frame of wind_tunnel, 2 workers: at most 16.7 ms", ms, "lattice.scene.wind_tunnel", 2, "<", 16.7, "%.1f", " ms")
            goal("a step of beach_surf, 2 workers: at most 4 ms", ms, "spray.beach_surf", 2, "<", 4, "%.2f", " ms")
            goal("a step of speedboat, 2 workers: at most 12 ms", ms, "spray.speedboat", 2, "<", 12, "%.1f", " ms")
            goal("a step of surfer, 2 workers: at most 2 ms", ms, "spray.surfer", 2, "<", 2, "%.2f", " ms")
            for (w = 1; w <= 2; ++w) {
                for (r = 1; r <= runs; ++r) v[r] = sheets[r, w]
                row("its sheets, " (w == 1 ? "one worker" : "2 workers") ": at most 25 % of the step of their water", "<", 25, "%.0f", " %")
            }
            goal("smoke 64^3, one worker: at most 20 ms", ms, "gas.plume.64", 1, "<", 20, "%.1f", " ms")
            goal("smoke 128^3, one worker: at most 200 ms", ms, "gas.plume.128", 1, "<", 200, "%.0f", " ms")
            goal("multigrid 64^3, one worker: at most 12 ms", ms, "linear.multigrid.64", 1, "<", 12, "%.1f", " ms")
            goal("multigrid 128^3, one worker: at most 110 ms", ms, "linear.multigrid.128", 1, "<", 110, "%.1f", " ms")
            goal("jetpack, 2 workers: at most 13 ms", ms, "gas.jetpack.48", 2, "<", 13, "%.1f", " ms")
            goal("gun, 2 workers: at most 5 ms", ms, "gas.gun.32", 2, "<", 5, "%.1f", " ms")
            n = split("sphere.128 gyroid.128 sphere.256 gyroid.256", field, " ")
            split("8.7 16 51 142", limit, " ") # two thirds of what FlyingEdges3D was measured to take
            for (m = 1; m <= n; ++m) {
                goal("marching cubes, " field[m] ", one worker: at most " limit[m] " ms", ms, "mesh." field[m], 1, "<", limit[m], "%.1f", " ms")
                speed_up("the same", "mesh." field[m])
            }
            goal("surface of 50,000 particles, 2 workers: under 33 ms", ms, "mesh.particles.anisotropic", 2, "<", 33, "%.1f", " ms")
            goal("screen-space mesh of 50,000 particles, 2 workers: under 10 ms", ms, "mesh.screen.50000", 2, "<", 10, "%.1f", " ms")
        }' $(seq -f "$scratch/%g" "$runs")
    echo
    echo "$by_hand"
} >"$out.part"
mv "$out.part" "$out"
echo "$out"
