// Benchmarks of `tarn bench`: best step of several, with the machine's bandwidth from the same run.
#pragma once

#include "tarn/tarn.h"
#include <stdbool.h>
#include <stdio.h>

// One row of the result. Negative roofline or bandwidth: does not apply.
typedef struct BenchRow {
    char name[48];
    int workers;
    double ms;                // best step
    double rate;              // elements per second
    const char* unit;         // of an element: "cell", "query", "byte"
    double bytes_per_element; // of memory held
    double roofline;          // share of the rate that the bandwidth allows
    double bandwidth_gbs;     // the best seen with this many workers
    char note[96];            // a remark; may be empty
} BenchRow;

typedef struct BenchRun {
    const char* filter; // only benchmarks whose name contains it; NULL: all
    const char* skip;   // skips benchmarks whose name contains it; NULL: none
    int max_workers;
    bool is_quick;
    BenchRow rows[512];
    int n_rows;
    double bandwidth[TARN_MAX_WORKERS + 1]; // [GB/s] by workers, 0: not measured yet
} BenchRun;

double bench_seconds(void); // monotonic
bool bench_wants(const BenchRun* run, const char* name);
void bench_add(BenchRun* run, BenchRow row);
// Adds a row: elements processed by a call that took this many seconds. held_bytes: memory per element;
// roofline_bytes: bytes per element that must cross the memory bus, 0: does not apply.
void bench_rate(BenchRun* run, const char* name, int workers, double seconds, double elements,
                const char* unit, double held_bytes, double roofline_bytes);
// Adds a remark to the last row.
void bench_note(BenchRun* run, const char* format, ...) __attribute__((format(printf, 2, 3)));
double bench_bandwidth(BenchRun* run, int workers); // best of copy, triad and in-place scale
// Shortest of several calls [s]: at least ten, and as many as fit in 4 s; fn is called once before to warm up.
double bench_best(int repeats, void (*fn)(void* data), void* data);
// Height, normal, velocity and depth at 100,000 random points of a square from (0, 0), on one worker.
void bench_queries(BenchRun* run, const char* name, TarnSurface surface, float width);
// Save and load of a solver of this many cells, rows NAME.save.512 and NAME.load.512.
typedef TarnResult BenchSaveFn(const void* object, void* buffer, size_t capacity, size_t* size);
typedef TarnResult BenchLoadFn(void* object, const void* buffer, size_t size);
bool bench_wants_snapshot(const BenchRun* run, const char* name);
void bench_snapshot(BenchRun* run, const char* name, double cells, void* object, BenchSaveFn* save,
                    BenchLoadFn* load);
TarnContext* bench_context(int workers); // never NULL: exits if it fails

// The parts, each bench_NAME in a file of its own, in the order in which they run. A new one adds its name here.
// clang-format off
#define BENCH_PARTS(X)                                                                             \
    X(memory) X(wave) X(ocean) X(ripple) X(wave_particles) X(flow_ripples) X(pipes) X(body)        \
    X(shallow) X(spray) X(breakers) X(neighbors) X(particles) X(liquid)                                                 \
    X(mesh_height) X(mesh_file) X(linear) X(gas) X(gas_effects) X(lattice) X(mesh_screen) X(mesh)  \
    X(mesh_particles) X(render)
// clang-format on
#define BENCH_DECLARE(name) void bench_##name(BenchRun* run);
BENCH_PARTS(BENCH_DECLARE)

// The methods of particle liquids side by side, as a table of Markdown. Exit code.
int bench_compare_liquids(FILE* out);
// Exit code for the command line.
int bench_run(const char* filter, const char* skip, bool is_json, int threads, bool is_quick,
              FILE* out);
