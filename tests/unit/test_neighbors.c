// The neighbor search against all pairs: flat and solid, crowded and far apart, for every number of
// workers and instruction set.

#include "counting.h"
#include "particles/quadrants.h"
#include "tests/sanitized.h"
#include <math.h>
#include <stdio.h>

// ---- Particles -----------------------------------------------------------------------------------------

enum { MAX = 120000, ARRAYS = 4 };

typedef struct Cloud {
    int n, dims;
    float *x, *y, *z; // MAX + 8
    int* id;          // place before the first sort
} Cloud;

static uint64_t random_at;
static float uniform(float lo, float hi)
{
    return lo + (hi - lo) * tarn__random01(11, 4, random_at++);
}

static Cloud cloud_make(int n, int dims)
{
    size_t size = (MAX + 8) * sizeof(float);
    Cloud c = { n, dims, malloc(size), malloc(size), malloc(size), malloc(size) };
    for (int i = 0; i < MAX + 8; ++i) c.x[i] = c.y[i] = c.z[i] = 0.0f, c.id[i] = i;
    return c;
}
static void cloud_free(Cloud* c)
{
    free(c->x), free(c->y), free(c->z), free(c->id);
}
static Cloud cloud_copy(const Cloud* c)
{
    Cloud copy = cloud_make(c->n, c->dims);
    size_t size = (MAX + 8) * sizeof(float);
    memcpy(copy.x, c->x, size), memcpy(copy.y, c->y, size);
    memcpy(copy.z, c->z, size), memcpy(copy.id, c->id, size);
    return copy;
}
static Cloud cloud_random(int n, int dims, float lo, float hi)
{
    Cloud c = cloud_make(n, dims);
    for (int i = 0; i < n; ++i) {
        c.x[i] = uniform(lo, hi), c.y[i] = uniform(lo, hi);
        c.z[i] = uniform(lo, hi); // in 2-D nobody looks at it
    }
    return c;
}

typedef struct Search {
    Neighbors nb;
    char* memory;
    Cloud cloud; // sorted
    TarnContext* ctx;
} Search;

static Search search_packed(const Cloud* cloud, int slots, int room, float support, int workers,
                            TarnIsa isa)
{
    Search s = { .ctx = make_context(workers, isa), .cloud = cloud_copy(cloud) };
    if (s.ctx == NULL) return s;
    Cloud* c = &s.cloud;
    TarnLayout layout = { 0 };
    tarn__neighbors_lay_out(&s.nb, &layout, NULL, c->dims, slots, room, c->n, support);
    size_t size = layout.size;
    s.memory = aligned_alloc(64, size + 64);
    memset(s.memory, 0xa5, size + 64);
    layout.size = 0;
    tarn__neighbors_lay_out(&s.nb, &layout, s.memory, c->dims, slots, room, c->n, support);
    assert_true(layout.size == size);
    int calls = memory.calls;
    const float* z = c->dims == 3 ? c->z : NULL;
    tarn__neighbors_sort(s.ctx, &s.nb, c->n, c->x, c->y, z);
    NeighborArray arrays[ARRAYS] = { { c->x, 4 }, { c->y, 4 }, { c->z, 4 }, { c->id, 4 } };
    size_t scratch_size = ((size_t)c->n + 8) * 4 * ARRAYS;
    void* scratch = malloc(scratch_size);
    tarn__neighbors_permute(s.ctx, &s.nb, arrays, ARRAYS, scratch, scratch_size);
    free(scratch);
    tarn__neighbors_find(s.ctx, &s.nb, c->x, c->y, z);
    assert_int_equal(memory.calls, calls); // none in a step
    for (int b = 0; b < 64; ++b) assert_true((unsigned char)s.memory[size + (size_t)b] == 0xa5);
    return s;
}
static Search search(const Cloud* cloud, int slots, float support, int workers, TarnIsa isa)
{
    return search_packed(cloud, slots, slots, support, workers, isa);
}
static void search_free(Search* s)
{
    free(s->memory), cloud_free(&s->cloud);
    tarn_context_destroy(s->ctx);
}

// ---- Checks --------------------------------------------------------------------------------------------

static float distance2(const Cloud* c, int i, int j)
{
    float dx = c->x[j] - c->x[i], dy = c->y[j] - c->y[i], dz = c->z[j] - c->z[i];
    float d2 = dx * dx + dy * dy;
    return c->dims == 3 ? d2 + dz * dz : d2;
}

static void check_sort(const Search* s)
{
    const Neighbors* nb = &s->nb;
    const Cloud* c = &s->cloud;
    int n_cells = nb->cells[0] * nb->cells[1] * nb->cells[2], n = 0, before = -1;
    assert_true(n_cells <= nb->max_cells && nb->cell_begin[0] == 0);
    assert_int_equal(nb->cell_begin[n_cells], c->n);
    for (int a = 0; a < 3; ++a) assert_true(!nb->wraps[a] || nb->cells[a] % 6 == 0);
    for (int cell = 0; cell < n_cells; ++cell) {
        before = -1;
        for (; n < nb->cell_begin[cell + 1]; ++n) {
            int at[3];
            tarn__neighbors_cell(nb, c->x[n], c->y[n], c->z[n], at);
            assert_int_equal((at[2] * nb->cells[1] + at[1]) * nb->cells[0] + at[0], cell);
            assert_true(nb->order[n] > before && nb->order[n] == c->id[n]); // stable
            before = nb->order[n];
        }
    }
}

// The lists of some or all particles against all pairs.
static void check_lists(const Search* s, int every)
{
    const Neighbors* nb = &s->nb;
    float support2 = nb->support * nb->support;
    int64_t total = 0;
    for (int i = 0; i < s->cloud.n; ++i) total += nb->count[i];
    assert_true(s->cloud.n == 0 || fabs(nb->mean - (double)total / s->cloud.n) < 1e-9);
    for (int i = 0; i < s->cloud.n; i += every) {
        const int* list = nb->list + neighbors_at(nb, i);
        int n = 0;
        for (int j = 0; j < s->cloud.n; ++j) {
            if (j == i || !(distance2(&s->cloud, i, j) < support2)) continue;
            assert_true(n < nb->count[i]);
            assert_int_equal(list[n++], j);
        }
        assert_int_equal(n, nb->count[i]);
        for (; n % 8 != 0; ++n) assert_int_equal(list[n], s->cloud.n);
    }
    assert_int_equal(nb->overflowed, 0);
}

// Every particle closer than the support to a point is in a run, and in one only.
static void check_runs(const Search* s, float x, float y, float z)
{
    const Cloud* c = &s->cloud;
    NeighborRun runs[NEIGHBOR_MAX_RUNS];
    int n = tarn__neighbors_runs(&s->nb, x, y, z, runs);
    assert_true(n >= 0 && n <= NEIGHBOR_MAX_RUNS);
    for (int r = 0; r < n; ++r) {
        assert_true(runs[r].begin >= 0 && runs[r].begin < runs[r].end && runs[r].end <= c->n);
        assert_true(r == 0 || runs[r].begin >= runs[r - 1].end);
    }
    for (int i = 0; i < c->n; ++i) {
        float dx = c->x[i] - x, dy = c->y[i] - y, dz = c->dims == 3 ? c->z[i] - z : 0.0f;
        if (!(dx * dx + dy * dy + dz * dz < s->nb.support * s->nb.support)) continue;
        int found = 0;
        for (int r = 0; r < n; ++r) found += i >= runs[r].begin && i < runs[r].end;
        assert_int_equal(found, 1);
    }
}

static void check_cloud(Cloud* c, int slots, float support, int every)
{
    for (int isa = TARN_ISA_BASELINE; isa < TARN_ISA_COUNT; ++isa) {
        Search s = search(c, slots, support, 1, (TarnIsa)isa);
        if (s.ctx != NULL) {
            check_sort(&s);
            check_lists(&s, is_short_run() ? 9 * every : every);
            for (int i = 0; i < (is_short_run() ? 20 : 200) && i < c->n; ++i)
                check_runs(&s, c->x[i] + support * uniform(-0.9f, 0.9f), c->y[i],
                           c->z[i] - support * uniform(0.0f, 0.5f));
            check_runs(&s, 1e30f, -1e30f, 1e30f);
            check_runs(&s, NAN, INFINITY, -INFINITY);
        }
        search_free(&s);
    }
    cloud_free(c);
}

// ---- Tests ---------------------------------------------------------------------------------------------

static void test_few(void** state)
{
    (void)state;
    for (int n = 0; n < 20; ++n) {
        for (int dims = 2; dims <= 3; ++dims) {
            Cloud c = cloud_random(n, dims, -1.0f, 1.0f);
            check_cloud(&c, 24, 0.6f, 1);
        }
    }
}

static void test_random(void** state)
{
    (void)state;
    Cloud flat = cloud_random(4000, 2, -3.0f, 2.0f), solid = cloud_random(4000, 3, -3.0f, 2.0f);
    check_cloud(&flat, 64, 0.2f, 1);
    check_cloud(&solid, 64, 0.5f, 1);
    Cloud sparse = cloud_random(3000, 2, -1e4f, 1e4f), thin = cloud_random(3000, 3, -50.0f, 50.0f);
    check_cloud(&sparse, 8, 2.0f, 1); // wraps
    check_cloud(&thin, 8, 2.0f, 1);
}

// Exactly a support apart is no neighbor, a bit less is; points on the edges of cells.
static void test_edges(void** state)
{
    (void)state;
    for (int dims = 2; dims <= 3; ++dims) {
        Cloud c = cloud_make(0, dims);
        for (int k = 0; k < (dims == 3 ? 12 : 1); ++k) {
            for (int j = 0; j < 12; ++j) {
                for (int i = 0; i < 12; ++i, ++c.n) {
                    c.x[c.n] = 0.25f * (float)(i - 6), c.y[c.n] = 0.25f * (float)(j - 20);
                    c.z[c.n] = 0.25f * (float)k;
                    if (c.n % 3 == 0) c.x[c.n] = nextafterf(c.x[c.n], c.n % 2 ? -9.0f : 9.0f);
                }
            }
        }
        Cloud finer = cloud_copy(&c);
        check_cloud(&c, 32, 0.25f, 1);
        check_cloud(&finer, 64, 0.5f, 1);
    }
}

// Large coordinates, where floats are coarser than the support or nearly so, on both sides of zero.
static void test_far(void** state)
{
    (void)state;
    for (int dims = 2; dims <= 3; ++dims) {
        Cloud c = cloud_random(2000, dims, -1.0f, 1.0f);
        for (int i = 0; i < c.n; ++i) {
            float far = i % 4 == 0 ? 1e6f : i % 4 == 1 ? -1e6f : i % 4 == 2 ? 1e3f : 0.0f;
            float size = i % 4 == 3 ? 1e-3f : i % 4 == 2 ? 2e-3f : 1.0f;
            c.x[i] = far + size * c.x[i], c.y[i] = size * c.y[i] - far, c.z[i] = 1e-3f * c.z[i];
        }
        Cloud third = cloud_copy(&c), fourth = cloud_copy(&c);
        check_cloud(&c, 256, 1e-4f, 1);
        for (int i = 0; i < 10; ++i) third.x[i] = i % 2 ? 3e38f : -3e38f, third.y[i] = 0.0f;
        check_cloud(&third, 256, 3e-4f, 1);
        fourth.x[0] = fourth.y[1] = fourth.z[2] =
            -1e12f; // where doubles are as coarse as the support
        check_cloud(&fourth, 256, 3e-4f, 1);
    }
}

// A chain of neighbors that are nearly a support apart meets the edge between cells at every place.
static void test_chains(void** state)
{
    (void)state;
    for (int n = 0; n < 6; ++n) {
        Cloud c = cloud_make(3000, n < 3 ? 2 : 3);
        float* axis = n % 3 == 0 ? c.x : n % 3 == 1 ? c.y : c.dims == 3 ? c.z : c.x;
        for (int i = 0; i < c.n; ++i) axis[i] = -17.3f + 0.0999f * (float)i;
        if (n % 3 == 1) c.x[7] = 1e6f; // wraps
        Search s = search(&c, 8, 0.1f, 1, TARN_ISA_AUTO);
        assert_true(s.nb.mean > 1.9);
        search_free(&s);
        check_cloud(&c, 8, 0.1f, 1);
    }
}

// Clusters far apart that share the cells of a torus; and a single stray.
static void test_wrapped(void** state)
{
    (void)state;
    for (int dims = 2; dims <= 3; ++dims) {
        Cloud c = cloud_random(4000, dims, 0.0f, 1.0f);
        for (int i = 0; i < c.n; ++i)
            c.x[i] += 1000.0f * (float)(i % 5), c.y[i] -= 777.0f * (float)(i % 3);
        check_cloud(&c, 128, dims == 2 ? 0.1f : 0.2f, 3);
        Cloud stray = cloud_random(4000, dims, -2.0f, 2.0f);
        stray.x[17] = 1e6f;
        Cloud slim = cloud_copy(&stray);
        check_cloud(&stray, 128, dims == 2 ? 0.15f : 0.4f, 3);
        slim.y[1] = -1e5f, slim.z[2] = 1e4f;
        check_cloud(&slim, 128, dims == 2 ? 0.15f : 0.4f, 3);
    }
}

static void test_coincident(void** state)
{
    (void)state;
    Cloud c = cloud_random(600, 2, 0.0f, 1.0f);
    for (int i = 0; i < 600; i += 3) c.x[i] = c.x[i + 1], c.y[i] = c.y[i + 1];
    for (int i = 0; i < 30; ++i) c.x[i] = 0.5f, c.y[i] = -0.0f;
    check_cloud(&c, 64, 0.1f, 1);
}

// ---- Crowds --------------------------------------------------------------------------------------------

static bool is_nearer(const Cloud* c, int i, int a, int b)
{
    float da = distance2(c, i, a), db = distance2(c, i, b);
    return da < db || (da == db && a < b);
}

// Of more than slots neighbors the nearest stay, of equally near ones the first, in ascending order.
static void test_overflow(void** state)
{
    (void)state;
    for (int n = 0; n < 8; ++n) {
        int dims = n < 4 ? 2 : 3, slots = n % 2 ? 24 : 8;
        Cloud c = cloud_random(900, dims, 0.0f, dims == 2 ? 1.0f : 0.8f);
        if (n % 4 >= 2) { // many ties
            for (int i = 0; i < c.n; ++i) {
                c.x[i] = 0.1f * floorf(10.0f * c.x[i]), c.y[i] = 0.1f * floorf(10.0f * c.y[i]);
                c.z[i] = 0.2f * floorf(5.0f * c.z[i]);
            }
        }
        Search s = search(&c, slots, 0.3f, 1, n % 3 ? TARN_ISA_AUTO : TARN_ISA_BASELINE);
        int overflowed = 0;
        for (int i = 0; i < c.n; ++i) {
            const int* list = s.nb.list + (size_t)i * (size_t)slots;
            int near = 0;
            for (int j = 0; j < c.n; ++j) near += j != i && distance2(&s.cloud, i, j) < 0.3f * 0.3f;
            overflowed += near > slots;
            assert_int_equal(s.nb.count[i], near < slots ? near : slots);
            int farthest = list[0];
            for (int k = 0; k < s.nb.count[i]; ++k) {
                assert_true(list[k] != i && (k == 0 || list[k] > list[k - 1]));
                if (is_nearer(&s.cloud, i, farthest, list[k])) farthest = list[k];
            }
            int nearer = 0; // and none that is nearer was left out
            for (int j = 0; near > slots && j < c.n; ++j)
                nearer += j != i && is_nearer(&s.cloud, i, j, farthest);
            assert_true(near <= slots || nearer == slots - 1);
        }
        assert_true(overflowed > 100);
        assert_int_equal(s.nb.overflowed, overflowed);
        search_free(&s), cloud_free(&c);
    }
}

// All in one point: bounded work, full lists.
static void test_heap(void** state)
{
    (void)state;
    for (int n = 0; n < 4; ++n) {
        Cloud c = cloud_random(100000, n % 2 + 2, 0.0f, n < 2 ? 0.0f : 0.001f);
        if (n >= 2) c.x[5] = 1.0f, c.y[77] = -1.0f; // two strays, and no point is another's
        Search s = search(&c, 32, 0.1f, 1, TARN_ISA_AUTO);
        check_sort(&s);
        int full = 0;
        for (int i = 0; i < c.n; ++i) {
            const int* list = s.nb.list + (size_t)i * 32;
            full += s.nb.count[i] == 32;
            for (int k = 0; k < s.nb.count[i]; ++k) {
                assert_true(list[k] != i && (k == 0 || list[k] > list[k - 1]));
                assert_true(list[k] >= 0 && list[k] < c.n);
                assert_true(distance2(&s.cloud, i, list[k]) < 0.1f * 0.1f);
            }
        }
        assert_true(full >= c.n - 2);
        assert_true(s.nb.overflowed >= full);
        search_free(&s), cloud_free(&c);
    }
}

// A heap beside a few others: its neighbors still see some of it.
static void test_heap_beside(void** state)
{
    (void)state;
    Cloud c = cloud_random(5000, 2, 0.0f, 0.01f);
    for (int i = 0; i < 3; ++i) c.x[i] = -0.05f * (float)i, c.y[i] = 0.0f;
    Search s = search(&c, 16, 0.1f, 1, TARN_ISA_AUTO);
    for (int i = 0; i < c.n; ++i) assert_true(s.nb.count[i] >= 1);
    search_free(&s), cloud_free(&c);
}

// Packed lists are the same as long as there is memory for them, even if most of the particles have more than `room`
// neighbors; then they are those of a search for so many.
static void test_packed(void** state)
{
    (void)state;
    for (int n = 0; n < 4; ++n) {
        Cloud c = cloud_random(3000, 2, 0.0f, n < 2 ? 2.8f : 1.0f);        // 10 or many neighbors
        for (int i = 0; i < c.n / 8; ++i) c.x[i] += 4.0f, c.y[i] *= 0.07f; // 20 or more
        bool is_full = n >= 2;
        Search packed = search_packed(&c, 24, 16, 0.1f, n % 2 ? 4 : 1, TARN_ISA_AUTO);
        Search plain = search(&c, is_full ? 16 : 24, 0.1f, 1, TARN_ISA_AUTO);
        int64_t slots = 0, above = 0;
        assert_int_equal(packed.nb.overflowed, plain.nb.overflowed);
        assert_true(packed.nb.mean == plain.nb.mean);
        for (int i = 0; i < c.n; ++i) {
            int count = plain.nb.count[i];
            const int* list = packed.nb.list + neighbors_at(&packed.nb, i);
            assert_int_equal(packed.nb.count[i], count);
            assert_true(list + (count + 7) / 8 * 8 <= packed.nb.list + 16 * (size_t)c.n);
            for (int k = 0; k < (count + 7) / 8 * 8; ++k)
                assert_true(
                    list[k] ==
                    (k < count ? plain.nb.list[neighbors_at(&plain.nb, i) + (size_t)k] : c.n));
            slots += (count + 7) / 8 * 8;
            above += count > 16;
        }
        assert_true(is_full ? above == 0 && plain.nb.overflowed > c.n / 2 : above > c.n / 20);
        assert_true(slots <= 16 * (int64_t)c.n);
        search_free(&packed), search_free(&plain), cloud_free(&c);
    }
}

// ---- The same for all ------------------------------------------------------------------------------------

static uint64_t hash_of(const Search* s)
{
    const Neighbors* nb = &s->nb;
    int n_cells = nb->cells[0] * nb->cells[1] * nb->cells[2];
    uint64_t hash = tarn_hash(nb->order, (size_t)nb->n * sizeof(int), 1);
    hash = tarn_hash(nb->cell_begin, ((size_t)n_cells + 1) * sizeof(int), hash);
    hash = tarn_hash(nb->count, (size_t)nb->n, hash);
    for (int i = 0; i < nb->n; ++i) {
        size_t padded = ((size_t)nb->count[i] + 7) / 8 * 8;
        hash = tarn_hash(nb->list + neighbors_at(nb, i), padded * sizeof(int), hash);
    }
    hash = tarn_hash(s->cloud.x, (size_t)nb->n * sizeof(float), hash);
    hash = tarn_hash(&nb->overflowed, sizeof(int), hash);
    return tarn_hash(&nb->mean, sizeof(double), hash);
}

static void test_workers(void** state)
{
    (void)state;
    const int workers[] = { 1, 2, 3, 8 };
    for (int n = 0; n < 6; ++n) {
        int dims = n % 2 + 2;
        Cloud c = cloud_random(30000, dims, 0.0f, dims == 2 ? 4.0f : 1.0f);
        for (int i = 0; n >= 2 && n < 4 && i < c.n; i += 100) c.x[i] = uniform(-1e5f, 1e5f);
        if (n >= 4) // in order, as from one step to the next
            for (int i = 0; i < c.n; ++i) c.y[i] = (float)i * 1e-4f;
        uint64_t hash = 0;
        for (int isa = TARN_ISA_BASELINE; isa < TARN_ISA_COUNT; ++isa) {
            for (int w = 0; w < 4; ++w) {
                Search s = search(&c, n == 5 ? 8 : 32, dims == 2 ? 0.05f : 0.08f, workers[w],
                                  (TarnIsa)isa);
                if (s.ctx != NULL) {
                    check_sort(&s);
                    uint64_t got = hash_of(&s);
                    if (hash == 0) hash = got;
                    assert_true(got == hash);
                }
                search_free(&s);
            }
        }
        cloud_free(&c);
    }
}

// All sizes of elements, with room for everything at once or for one array at a time.
static void test_permute(void** state)
{
    (void)state;
    Cloud c = cloud_random(10000, 2, 0.0f, 1.0f);
    for (int tight = 0; tight < 2; ++tight) {
        Search s = search(&c, 8, 0.03f, tight ? 3 : 1, TARN_ISA_AUTO);
        uint8_t* bytes = malloc(10000);
        int32_t *words = malloc(4 * 10000), *quads = malloc(16 * 10000);
        for (int i = 0; i < 10000; ++i) {
            bytes[i] = (uint8_t)(i * 7), words[i] = i * 3 - 5;
            for (int k = 0; k < 4; ++k) quads[4 * i + k] = 4 * i - k;
        }
        NeighborArray arrays[3] = { { bytes, 1 }, { words, 4 }, { quads, 16 } };
        size_t size = tight ? 16 * 10000 : 22 * 10000;
        void* scratch = malloc(size);
        tarn__neighbors_permute(s.ctx, &s.nb, arrays, 3, scratch, size);
        for (int i = 0; i < 10000; ++i) {
            int from = s.nb.order[i];
            assert_true(bytes[i] == (uint8_t)(from * 7) && words[i] == from * 3 - 5);
            for (int k = 0; k < 4; ++k) assert_int_equal(quads[4 * i + k], 4 * from - k);
        }
        free(bytes), free(words), free(quads), free(scratch);
        search_free(&s);
    }
    cloud_free(&c);
}

// ---- Sprinkle's scheme -----------------------------------------------------------------------------------

static int compare_ints(const void* a, const void* b)
{
    return *(const int*)a - *(const int*)b;
}

// The neighbors of each particle by the names they had before both sorts, ascending.
static int* lists_by_id(const Neighbors* nb, const int* id)
{
    int width = nb->slots + 1, *out = malloc((size_t)(nb->n * width + 1) * sizeof(int));
    for (int i = 0; i < nb->n; ++i) {
        int* to = out + (size_t)id[i] * (size_t)width;
        to[0] = nb->count[i];
        for (int k = 0; k < to[0]; ++k) to[k + 1] = id[nb->list[neighbors_at(nb, i) + (size_t)k]];
        for (int k = to[0]; k < nb->slots; ++k) to[k + 1] = -1;
        qsort(to + 1, (size_t)to[0], sizeof(int), compare_ints);
    }
    return out;
}

static void compare_quadrants(Cloud* c, int slots, float support, int workers, TarnIsa isa)
{
    Search s = search(c, slots, support, 1, TARN_ISA_AUTO);
    TarnContext* other = make_context(workers, isa);
    if (other != NULL) {
        Quadrants q;
        TarnLayout layout = { 0 };
        tarn__quadrants_lay_out(&q, &layout, NULL, slots, c->n, support);
        char* block = aligned_alloc(64, layout.size + 64);
        memset(block, 0xa5, layout.size + 64);
        layout.size = 0;
        tarn__quadrants_lay_out(&q, &layout, block, slots, c->n, support);
        Cloud sorted = cloud_copy(c);
        tarn__quadrants_sort(other, &q, c->n, sorted.x, sorted.y);
        NeighborArray arrays[3] = { { sorted.x, 4 }, { sorted.y, 4 }, { sorted.id, 4 } };
        size_t size = ((size_t)c->n + 8) * 12;
        void* scratch = malloc(size);
        tarn__neighbors_permute(other, &q.nb, arrays, 3, scratch, size);
        tarn__quadrants_find(other, &q, sorted.x, sorted.y);
        for (int b = 0; b < 64; ++b)
            assert_true((unsigned char)block[layout.size + (size_t)b] == 0xa5);
        int *one = lists_by_id(&s.nb, s.cloud.id), *two = lists_by_id(&q.nb, sorted.id);
        assert_memory_equal(one, two, (size_t)c->n * (size_t)(slots + 1) * sizeof(int));
        assert_int_equal(q.nb.overflowed, s.nb.overflowed);
        free(one), free(two), free(scratch), free(block);
        cloud_free(&sorted);
        tarn_context_destroy(other);
    }
    search_free(&s);
}

static void test_quadrants(void** state)
{
    (void)state;
    for (int n = 0; n < 12; ++n) {
        int count = n == 0 ? 0 : n == 1 ? 1 : n == 2 ? 9 : 6000;
        Cloud c = cloud_random(count, 2, -2.0f, 2.0f);
        if (n == 4) // on the edges of quadrants
            for (int i = 0; i < count; ++i) c.x[i] = 0.125f * floorf(8.0f * c.x[i]);
        if (n == 5) // wrapped
            for (int i = 0; i < count; ++i)
                c.x[i] += 1000.0f * (float)(i % 7), c.y[i] -= 5e4f * (float)(i % 3);
        if (n == 9) // all in one point, and few enough to look at all of them
            for (int i = c.n = 0; i < 900; ++i, ++c.n) c.x[i] = c.y[i] = 0.0f;
        if (n == 6) c.x[3] = 1e6f, c.y[9] = -1e6f;
        if (n == 7) // a thin line
            for (int i = 0; i < count; ++i) c.y[i] = 0.3f, c.x[i] *= 200.0f;
        for (int isa = TARN_ISA_BASELINE; isa < TARN_ISA_COUNT; ++isa)
            compare_quadrants(&c, n == 8 ? 8 : 128, n == 4 ? 0.125f : 0.1f, n % 3 + 1,
                              (TarnIsa)isa);
        cloud_free(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST_ALONE(test_few),        UNIT_TEST_ALONE(test_random),
        UNIT_TEST_ALONE(test_edges),      UNIT_TEST_ALONE(test_far),
        UNIT_TEST_ALONE(test_chains),     UNIT_TEST_ALONE(test_wrapped),
        UNIT_TEST_ALONE(test_coincident), UNIT_TEST_ALONE(test_overflow),
        UNIT_TEST_ALONE(test_heap),       UNIT_TEST_ALONE(test_heap_beside),
        UNIT_TEST_ALONE(test_packed),     cmocka_unit_test(test_workers),
        cmocka_unit_test(test_permute),   UNIT_TEST_ALONE(test_quadrants),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
