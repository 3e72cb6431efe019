// Benchmarks that every water solver has: surface queries and snapshots.

#include "bench/bench.h"
#include <stdlib.h>

enum { QUERIES = 100000 };

typedef struct Queries {
    TarnSurface surface;
    float *x, *z;
    TarnSurfaceSamples out;
} Queries;

static void ask(void* data)
{
    const Queries* q = data;
    tarn_surface_query(q->surface, QUERIES, q->x, q->z, &q->out);
}

void bench_queries(BenchRun* run, const char* name, TarnSurface surface, float width)
{
    size_t n = QUERIES;
    float *x = malloc(n * sizeof(float)), *z = malloc(n * sizeof(float));
    float *height = malloc(n * sizeof(float)), *depth = malloc(n * sizeof(float));
    TarnVec3 *normal = malloc(n * sizeof(TarnVec3)), *velocity = malloc(n * sizeof(TarnVec3));
    for (uint32_t i = 0, r = 1; i < n; ++i) {
        r = r * 1664525u + 1013904223u;
        x[i] = width * (float)(r >> 8) * 0x1p-24f;
        r = r * 1664525u + 1013904223u;
        z[i] = width * (float)(r >> 8) * 0x1p-24f;
    }
    Queries q = { surface, x, z, { height, normal, velocity, depth } };
    double seconds = bench_best(run->is_quick ? 5 : 50, ask, &q);
    double bytes = 2.0 * sizeof *x + 2.0 * sizeof *height + 2.0 * sizeof *normal; // asked, answered
    bench_rate(run, name, 1, seconds, (double)n, "query", bytes, 0.0);
    free(x), free(z), free(height), free(depth), free(normal), free(velocity);
}

typedef struct Snapshot {
    void* object;
    BenchSaveFn* save;
    BenchLoadFn* load;
    void* buffer;
    size_t size;
} Snapshot;

static void save_state(void* data)
{
    Snapshot* s = data;
    s->save(s->object, s->buffer, s->size, &s->size);
}
static void load_state(void* data)
{
    const Snapshot* s = data;
    if (s->load(s->object, s->buffer, s->size) != TARN_OK)
        fprintf(stderr, "tarn: bench: a snapshot was refused\n");
}

static void row_name(char out[48], const char* name, const char* what)
{
    snprintf(out, 48, "%s.%s.512", name, what);
}

bool bench_wants_snapshot(const BenchRun* run, const char* name)
{
    char save[48], load[48];
    row_name(save, name, "save"), row_name(load, name, "load");
    return bench_wants(run, save) || bench_wants(run, load);
}

void bench_snapshot(BenchRun* run, const char* name, double cells, void* object, BenchSaveFn* save,
                    BenchLoadFn* load)
{
    Snapshot s = { .object = object, .save = save, .load = load };
    save(object, NULL, 0, &s.size);
    s.buffer = malloc(s.size);
    char row[48];
    double each = (double)s.size / cells;
    row_name(row, name, "save");
    bench_rate(run, row, 1, bench_best(50, save_state, &s), cells, "cell", each, 0.0);
    row_name(row, name, "load");
    bench_rate(run, row, 1, bench_best(50, load_state, &s), cells, "cell", each, 0.0);
    free(s.buffer);
}
