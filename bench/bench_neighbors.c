// The neighbor search: sort, permutation of ten arrays and lists, in 2-D and 3-D; and Sprinkle's scheme
// [Gustafsson2014] for the same particles.
//
// Particles at spacing d, off their lattice by up to a fifth of it, support 2 d. Each run moves them a
// little, as a step would, so that the sort finds them nearly in order but not quite.

#include "bench/bench.h"
#include "particles/quadrants.h"
#include <stdlib.h>
#include <string.h>

enum { FLAT = 20000, SOLID = 59319, ARRAYS = 10 };
static const float SPACING = 0.0125f; // d [m]

typedef struct Case {
    TarnContext* ctx;
    Quadrants q;
    Neighbors nb;
    void *memory, *memory_q;
    size_t size, size_q;
    int n, dims;
    float* fields[ARRAYS]; // x, y, z and others
    void* scratch;
    size_t scratch_size;
    uint32_t random;
} Case;

static float uniform(Case* c)
{
    c->random = c->random * 1664525u + 1013904223u;
    return (float)(c->random >> 8) * 0x1p-24f;
}

static void place(Case* c)
{
    const float d = SPACING;
    int side = c->dims == 3 ? 39 : 125;
    for (int i = 0; i < c->n; ++i) {
        c->fields[0][i] = d * ((float)(i % side) + 0.4f * uniform(c));
        c->fields[1][i] =
            d * ((float)(c->dims == 3 ? i / side % side : i / side) + 0.4f * uniform(c));
        c->fields[2][i] = d * ((float)(i / (side * side)) + 0.4f * uniform(c));
        for (int f = 3; f < ARRAYS; ++f) c->fields[f][i] = (float)i;
    }
}

static Case make(int dims, int workers)
{
    Case c = { .ctx = bench_context(workers), .dims = dims, .n = dims == 3 ? SOLID : FLAT };
    c.random = 1;
    TarnLayout layout = { 0 };
    int slots = dims == 3 ? 64 : 32;
    tarn__neighbors_lay_out(&c.nb, &layout, NULL, dims, slots, slots, c.n, 2.0f * SPACING);
    c.size = layout.size;
    c.memory = aligned_alloc(64, c.size);
    layout.size = 0;
    tarn__neighbors_lay_out(&c.nb, &layout, c.memory, dims, slots, slots, c.n, 2.0f * SPACING);
    layout.size = 0;
    tarn__quadrants_lay_out(&c.q, &layout, NULL, slots, c.n, 2.0f * SPACING);
    c.size_q = layout.size;
    c.memory_q = aligned_alloc(64, c.size_q);
    layout.size = 0;
    tarn__quadrants_lay_out(&c.q, &layout, c.memory_q, slots, c.n, 2.0f * SPACING);
    for (int f = 0; f < ARRAYS; ++f) c.fields[f] = calloc((size_t)c.n + 8, sizeof(float));
    c.scratch_size = ((size_t)c.n + 8) * sizeof(float) * ARRAYS;
    c.scratch = malloc(c.scratch_size);
    place(&c);
    return c;
}

static void unmake(Case* c)
{
    free(c->memory), free(c->memory_q), free(c->scratch);
    for (int f = 0; f < ARRAYS; ++f) free(c->fields[f]);
    tarn_context_destroy(c->ctx);
}

static void permute(Case* c, const Neighbors* nb)
{
    NeighborArray arrays[ARRAYS];
    for (int f = 0; f < ARRAYS; ++f) arrays[f] = (NeighborArray){ c->fields[f], 4 };
    tarn__neighbors_permute(c->ctx, nb, arrays, ARRAYS, c->scratch, c->scratch_size);
}

static void search(Case* c)
{
    const float* z = c->dims == 3 ? c->fields[2] : NULL;
    tarn__neighbors_sort(c->ctx, &c->nb, c->n, c->fields[0], c->fields[1], z);
    permute(c, &c->nb);
    tarn__neighbors_find(c->ctx, &c->nb, c->fields[0], c->fields[1], z);
}

static void search_quadrants(Case* c)
{
    tarn__quadrants_sort(c->ctx, &c->q, c->n, c->fields[0], c->fields[1]);
    permute(c, &c->q.nb);
    tarn__quadrants_find(c->ctx, &c->q, c->fields[0], c->fields[1]);
}

// Best of several searches, each after a move of up to 0.01 d, which is not counted.
static double best_of(Case* c, void (*fn)(Case* c), int repeats)
{
    double best = 1e30;
    fn(c);
    for (int r = 0; r < repeats; ++r) {
        for (int f = 0; f < 3; ++f)
            for (int i = 0; i < c->n; ++i) c->fields[f][i] += 0.02f * SPACING * (uniform(c) - 0.5f);
        double start = bench_seconds();
        fn(c);
        double took = bench_seconds() - start;
        if (took < best) best = took;
    }
    return best;
}

static double mean_count(const Case* c, const Neighbors* nb)
{
    double sum = 0.0;
    for (int i = 0; i < c->n; ++i) sum += nb->count[i];
    return sum / c->n;
}

static void measure(BenchRun* run, const char* name, int dims, void (*fn)(Case* c))
{
    if (!bench_wants(run, name)) return;
    double one = 0.0;
    for (int workers = 1; workers <= run->max_workers && workers <= 2; ++workers) {
        Case c = make(dims, workers);
        double seconds = best_of(&c, fn, run->is_quick ? 20 : 200);
        double bytes = (double)(fn == search ? c.size : c.size_q) / c.n;
        bench_rate(run, name, workers, seconds, c.n, "particle", bytes, 0.0);
        one = workers == 1 ? seconds : one;
        bench_note(run, "%.1f neighbors, %.2f times one",
                   mean_count(&c, fn == search ? &c.nb : &c.q.nb), one / seconds);
        unmake(&c);
    }
}

void bench_neighbors(BenchRun* run)
{
    measure(run, "neighbors.2d.20000", 2, search);
    measure(run, "neighbors.quadrants.20000", 2, search_quadrants);
    measure(run, "neighbors.3d.59319", 3, search);
}
