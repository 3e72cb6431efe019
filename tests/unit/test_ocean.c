// The open sea: bad input, memory, time, snapshots, foam, queries, and the same bits everywhere.

#include "base/base.h"
#include "tarn/coupling.h"
#include "tarn/ocean.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

static TarnContext* ctx;
static int n_allocations, fail_at; // counts calls; 0: never fails

static void* count_alloc(size_t size, size_t align, void* user)
{
    (void)user;
    ++n_allocations;
    if (fail_at > 0 && n_allocations >= fail_at) return NULL;
    return aligned_alloc(align, (size + align - 1) / align * align);
}
static void count_free(void* ptr, size_t size, size_t align, void* user)
{
    (void)size, (void)align, (void)user;
    free(ptr);
}

static int setup(void** state)
{
    (void)state;
    TarnContextDef def = tarn_context_default_def();
    def.alloc = count_alloc, def.free = count_free;
    return tarn_context_create(&def, &ctx) == TARN_OK ? 0 : -1;
}
static int teardown(void** state)
{
    (void)state;
    tarn_context_destroy(ctx);
    return 0;
}

static TarnOceanDef small(void)
{
    TarnOceanDef def = tarn_ocean_default_def();
    def.size = 64, def.cascades = 2, def.beaufort = 7, def.warm_steps = 4;
    return def;
}
static TarnOcean* make_in(TarnContext* where, const TarnOceanDef* def)
{
    TarnOcean* ocean;
    TarnResult result = tarn_ocean_create(where, def, &ocean);
    if (result != TARN_OK) print_error("%s\n", tarn_last_error(where));
    assert_int_equal(result, TARN_OK);
    return ocean;
}

static void test_bad_input(void** state)
{
    (void)state;
    TarnOceanDef def = small();
    TarnOcean* ocean;
    def.size = 100;
    assert_int_equal(tarn_ocean_create(ctx, &def, &ocean), TARN_ERR_ARG);
    assert_null(ocean);
    assert_non_null(strstr(tarn_last_error(ctx), "power of two"));
    assert_int_equal(tarn_ocean_memory(&def), 0);
    def = small(), def.length = 0.5f;
    assert_int_equal(tarn_ocean_create(ctx, &def, &ocean), TARN_ERR_ARG);
    def = small(), def.wind = NAN;
    assert_int_equal(tarn_ocean_create(ctx, &def, &ocean), TARN_ERR_ARG);
    def = small(), def.cookie = 0;
    assert_int_equal(tarn_ocean_create(ctx, &def, &ocean), TARN_ERR_ARG);
    def = small();
    ocean = make_in(ctx, &def);
    uint64_t before = tarn_ocean_hash(ocean);
    assert_int_equal(tarn_ocean_step(ocean, -1.0f, NULL), TARN_ERR_ARG);
    assert_int_equal(tarn_ocean_step(ocean, NAN, NULL), TARN_ERR_ARG);
    assert_int_equal(tarn_ocean_seek(ocean, 1e12), TARN_ERR_ARG);
    TarnOceanParams params = tarn_ocean_params(ocean);
    params.foam_time = 0.0f;
    assert_int_equal(tarn_ocean_set_params(ocean, &params), TARN_ERR_ARG);
    TarnOceanCascade cascade;
    assert_int_equal(tarn_ocean_cascade(ocean, 2, &cascade), TARN_ERR_ARG);
    assert_int_equal(tarn_ocean_waves(ocean, 1.0f, NULL, 3), 0);
    assert_true(tarn_ocean_hash(ocean) == before);
    tarn_ocean_destroy(ocean);
    tarn_ocean_destroy(NULL);
    tarn_ocean_reset(NULL);
}

static void test_memory(void** state)
{
    (void)state;
    TarnOceanDef def = small();
    TarnOcean* ocean;
    n_allocations = 0, fail_at = 1;
    assert_int_equal(tarn_ocean_create(ctx, &def, &ocean), TARN_ERR_MEMORY);
    assert_null(ocean);
    fail_at = 0;
    ocean = make_in(ctx, &def);
    n_allocations = 0;
    tarn_ocean_step(ocean, 0.1f, NULL);
    tarn_ocean_seek(ocean, 100.0);
    assert_int_equal(n_allocations, 0);
    tarn_ocean_destroy(ocean);
}

// Steps and a seek to the same time agree in all but foam; so do all workers and instruction sets, in everything.
static void test_same_bits(void** state)
{
    (void)state;
    TarnOceanDef def = small();
    uint64_t first = 0;
    for (int isa = TARN_ISA_BASELINE; isa <= TARN_ISA_AVX512; ++isa) {
        if (!tarn__isa_is_supported((TarnIsa)isa)) continue;
        for (int workers = 1; workers <= 3; workers += 2) {
            TarnContextDef context = tarn_context_default_def();
            context.isa = (TarnIsa)isa, context.workers = workers;
            TarnContext* where;
            assert_int_equal(tarn_context_create(&context, &where), TARN_OK);
            TarnOcean* ocean = make_in(where, &def);
            for (int i = 0; i < 3; ++i) tarn_ocean_step(ocean, 0.125f, NULL);
            uint64_t hash = tarn_ocean_hash(ocean);
            if (first == 0) first = hash;
            assert_true(hash == first);
            tarn_ocean_destroy(ocean);
            tarn_context_destroy(where);
        }
    }
    TarnOcean *a = make_in(ctx, &def), *b = make_in(ctx, &def);
    for (int i = 0; i < 8; ++i) tarn_ocean_step(a, 0.125f, NULL);
    tarn_ocean_seek(b, 1.0);
    for (int i = 0; i < def.cascades; ++i) {
        TarnOceanCascade ca, cb;
        tarn_ocean_cascade(a, i, &ca), tarn_ocean_cascade(b, i, &cb);
        for (int s = 0; s < ca.n * ca.row; s += ca.stride) {
            assert_memory_equal(ca.moved + s, cb.moved + s, 3 * sizeof(float));
            assert_memory_equal(ca.slopes + s, cb.slopes + s, 2 * sizeof(float));
            assert_memory_equal(ca.velocity + s, cb.velocity + s, 3 * sizeof(float));
        }
        size_t bytes = (size_t)ca.n * (size_t)ca.n * sizeof(float);
        assert_memory_equal(ca.fold_xx, cb.fold_xx, bytes);
        assert_memory_equal(ca.fold_zz, cb.fold_zz, bytes);
        assert_memory_equal(ca.fold_xz, cb.fold_xz, bytes);
    }
    tarn_ocean_destroy(a), tarn_ocean_destroy(b);
}

static void test_snapshots(void** state)
{
    (void)state;
    TarnOceanDef def = small();
    TarnOcean *a = make_in(ctx, &def), *b = make_in(ctx, &def);
    TarnOceanParams params = tarn_ocean_params(a);
    params.choppiness = 1.3f;
    assert_int_equal(tarn_ocean_set_params(a, &params), TARN_OK);
    for (int i = 0; i < 3; ++i) tarn_ocean_step(a, 0.1f, NULL);
    size_t size;
    assert_int_equal(tarn_ocean_save(a, NULL, 0, &size), TARN_ERR_CAPACITY);
    uint8_t* data = malloc(size);
    assert_int_equal(tarn_ocean_save(a, data, size, &size), TARN_OK);
    assert_int_equal(tarn_ocean_load(b, data, size), TARN_OK);
    assert_true(tarn_ocean_hash(a) == tarn_ocean_hash(b));
    tarn_ocean_step(a, 0.1f, NULL), tarn_ocean_step(b, 0.1f, NULL);
    assert_true(tarn_ocean_hash(a) == tarn_ocean_hash(b));
    uint64_t before = tarn_ocean_hash(b);
    assert_int_equal(tarn_ocean_load(b, data, size - 1), TARN_ERR_DATA);
    data[size / 2] ^= 1;
    assert_int_equal(tarn_ocean_load(b, data, size), TARN_ERR_DATA);
    assert_true(tarn_ocean_hash(b) == before);
    free(data);
    tarn_ocean_destroy(a), tarn_ocean_destroy(b);
}

// Foam covers more in a gale than in a breeze, fades when nothing makes more, and stays within 0 and 1.
static void test_foam(void** state)
{
    (void)state;
    double cover[2];
    for (int i = 0; i < 2; ++i) {
        TarnOceanDef def = small();
        def.beaufort = i ? 9 : 5;
        TarnOcean* ocean = make_in(ctx, &def);
        TarnOceanCascade c;
        tarn_ocean_cascade(ocean, 0, &c);
        double sum = 0.0;
        for (int s = 0; s < c.n * c.n; ++s) {
            assert_true(c.foam[s] >= 0.0f && c.foam[s] <= 1.0f);
            sum += (double)c.foam[s];
        }
        cover[i] = sum;
        TarnOceanParams params = tarn_ocean_params(ocean);
        params.foam = 0.0f, params.foam_time = 1.0f;
        tarn_ocean_set_params(ocean, &params);
        for (int s = 0; s < 10; ++s) tarn_ocean_step(ocean, 1.0f, NULL);
        tarn_ocean_cascade(ocean, 0, &c);
        double left = 0.0;
        for (int s = 0; s < c.n * c.n; ++s) left += (double)c.foam[s];
        assert_true(left <= 1e-3 * sum);
        tarn_ocean_destroy(ocean);
    }
    assert_true(cover[1] > 3.0 * cover[0]);
}

// After a seek foam is what a fixed number of steps of 0.25 s makes, whatever was there before: two machines that seek to
// the same time agree in everything.
static void test_warm_up(void** state)
{
    (void)state;
    const double time = 37.25;
    TarnOceanDef def = small(), cold = small();
    def.beaufort = cold.beaufort = 9, cold.warm_steps = 0;
    TarnOcean *a = make_in(ctx, &def), *b = make_in(ctx, &def), *c = make_in(ctx, &cold);
    for (int i = 0; i < 5; ++i) tarn_ocean_step(a, 0.3f, NULL);
    tarn_ocean_seek(a, -1000.0), tarn_ocean_seek(a, time), tarn_ocean_seek(b, time);
    assert_true(tarn_ocean_hash(a) == tarn_ocean_hash(b));
    tarn_ocean_seek(c, time - 0.25 * (def.warm_steps + 1));
    TarnOceanCascade warm, stepped;
    tarn_ocean_cascade(c, 0, &stepped);
    size_t n = (size_t)stepped.n * (size_t)stepped.n;
    for (size_t i = 0; i < n; ++i) assert_true(stepped.foam[i] == 0.0f);
    for (int i = 0; i < def.warm_steps + 1; ++i) tarn_ocean_step(c, 0.25f, NULL);
    double sum = 0.0;
    for (int i = 0; i < def.cascades; ++i) {
        tarn_ocean_cascade(b, i, &warm), tarn_ocean_cascade(c, i, &stepped);
        assert_memory_equal(warm.foam, stepped.foam, n * sizeof(float));
        for (size_t f = 0; f < n; ++f) sum += (double)warm.foam[f];
    }
    assert_true(sum > 10.0);
    tarn_ocean_destroy(a), tarn_ocean_destroy(b), tarn_ocean_destroy(c);
}

// Foam drifts with its share of the wind, along the wind, and only fades on its way.
static void test_foam_drifts(void** state)
{
    (void)state;
    TarnOceanDef def = small();
    def.beaufort = 9, def.direction = 0.5f;
    TarnOcean* ocean = make_in(ctx, &def);
    TarnOceanParams params = tarn_ocean_params(ocean);
    params.foam = 0.0f, params.foam_time = 10.0f, params.foam_drift = 0.25f;
    tarn_ocean_set_params(ocean, &params);
    TarnOceanCascade from, to;
    tarn_ocean_cascade(ocean, 0, &from);
    enum { N = 64 * 64 };
    static float before[N];
    memcpy(before, from.foam, sizeof before);
    tarn_ocean_step(ocean, 2.0f, NULL);
    tarn_ocean_cascade(ocean, 0, &to);
    float way = 2.0f * 0.25f * tarn_ocean_state(ocean).wind, keep = expf(-0.2f);
    assert_true(fabsf(to.foam_at.x - from.foam_at.x - way * cosf(0.5f)) < 1e-3f);
    assert_true(fabsf(to.foam_at.y - from.foam_at.y - way * sinf(0.5f)) < 1e-3f);
    double most = 0.0;
    for (int i = 0; i < N; ++i) {
        assert_true(fabsf(to.foam[i] - keep * before[i]) < 2e-6f);
        most = fmax(most, (double)to.foam[i]);
    }
    assert_true(most > 0.2);
    tarn_ocean_destroy(ocean);
}

// Heights have the variance of the waves; points move towards crests and away from troughs; the calm sea is flat.
static void test_shape(void** state)
{
    (void)state;
    TarnOceanDef def = small();
    def.beaufort = 8;
    TarnOcean* ocean = make_in(ctx, &def);
    enum { N = 4000 };
    static float x[N], z[N], height[N];
    for (int i = 0; i < N; ++i) {
        x[i] = 3000.0f * tarn__random01(1, 0, (uint64_t)i);
        z[i] = 3000.0f * tarn__random01(1, 1, (uint64_t)i);
    }
    TarnSurfaceSamples out = { .height = height };
    assert_int_equal(tarn_surface_query(tarn_ocean_surface(ocean), N, x, z, &out), TARN_OK);
    double mean = 0.0, two = 0.0;
    for (int i = 0; i < N; ++i) mean += (double)height[i] / N;
    for (int i = 0; i < N; ++i) two += pow((double)height[i] - mean, 2.0) / N;
    TarnOceanCascade c;
    tarn_ocean_cascade(ocean, 0, &c);
    int top = 0, bottom = 0;
    const float* y = c.moved + 1;
    for (int i = 0; i < c.n * c.n; ++i) {
        int at = i / c.n * c.row + i % c.n * c.stride;
        if (y[at] > y[top / c.n * c.row + top % c.n * c.stride]) top = i;
        if (y[at] < y[bottom / c.n * c.row + bottom % c.n * c.stride]) bottom = i;
    }
    assert_true(c.fold_xx[top] + c.fold_zz[top] < 0.0f);
    assert_true(c.fold_xx[bottom] + c.fold_zz[bottom] > 0.0f);
    double rms = sqrt(tarn_ocean_state(ocean).variance);
    assert_true(fabs(sqrt(two) / rms - 1.0) < 0.15);
    tarn_ocean_destroy(ocean);
    def.beaufort = 0;
    ocean = make_in(ctx, &def);
    tarn_ocean_step(ocean, 1.0f, NULL);
    assert_true(tarn_surface_height(tarn_ocean_surface(ocean), 12.0f, NAN) == 0.0f);
    tarn_ocean_destroy(ocean);
}

// A fit holds as many waves as asked for, or fewer where two have the same wave number, and nothing else.
static void test_fit(void** state)
{
    (void)state;
    TarnOceanDef def = small();
    def.method = TARN_OCEAN_GERSTNER, def.waves = 12, def.cascades = 1;
    def.use_foam = def.use_velocity = false;
    TarnOcean* ocean = make_in(ctx, &def);
    TarnOceanWave waves[32];
    int n = tarn_ocean_waves(ocean, 1e9f, waves, 32);
    assert_true(n > 6 && n <= 12);
    for (int i = 1; i < n; ++i) assert_true(waves[i].amplitude <= waves[i - 1].amplitude);
    TarnOceanCascade c;
    tarn_ocean_cascade(ocean, 0, &c);
    double sum = 0.0;
    for (int i = 0; i < n; ++i) sum += (double)waves[i].amplitude * cos((double)waves[i].phase);
    assert_true(fabs(sum - (double)c.moved[1]) < 1e-4);
    def.method = TARN_OCEAN_SINES;
    TarnOcean* flat = make_in(ctx, &def);
    tarn_ocean_cascade(flat, 0, &c);
    for (int i = 0; i < c.n * c.row; i += c.stride) assert_true(c.moved[i] == 0.0f);
    tarn_ocean_destroy(ocean), tarn_ocean_destroy(flat);
}

// Long waves reach the middle of a window; a deep sea sends none.
static void test_coast(void** state)
{
    (void)state;
    for (int is_deep = 0; is_deep < 2; ++is_deep) {
        TarnOceanDef def = small();
        def.beaufort = 0, def.swell_height = 0.4f, def.swell_period = 14.0f;
        def.swell_direction = 0.0f, def.depth = is_deep ? 500.0f : 4.0f, def.level = 4.0f;
        def.use_foam = false;
        TarnOcean* ocean = make_in(ctx, &def);
        TarnShallowDef window = tarn_shallow_default_def();
        window.nx = window.nz = 32, window.dx = 3.0f, window.has_level = true, window.level = 4.0f;
        window.edge_x0 = window.edge_x1 = TARN_SHALLOW_ABSORBING;
        window.edge_z0 = window.edge_z1 = TARN_SHALLOW_ABSORBING;
        TarnShallow* water;
        assert_int_equal(tarn_shallow_create(ctx, &window, &water), TARN_OK);
        float most = 0.0f;
        for (int i = 0; i < 200; ++i) {
            tarn_ocean_step(ocean, 0.1f, NULL);
            assert_int_equal(tarn_couple_ocean_shallow(ocean, water), TARN_OK);
            tarn_shallow_step(water, 0.1f, NULL);
            TarnView2 h = tarn_shallow_depth(water);
            most = fmaxf(most, fabsf(h.data[16 + h.stride * 16] - 4.0f));
        }
        assert_true(is_deep ? most < 1e-3f : most > 0.05f && most < 0.6f);
        float heights[32] = { 0 };
        heights[3] = INFINITY;
        assert_int_equal(tarn_shallow_send_waves(water, 0, heights), TARN_ERR_DATA);
        assert_int_equal(tarn_shallow_send_waves(water, 4, NULL), TARN_ERR_ARG);
        tarn_shallow_destroy(water), tarn_ocean_destroy(ocean);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad_input),   cmocka_unit_test(test_memory),
        cmocka_unit_test(test_same_bits),   cmocka_unit_test(test_snapshots),
        cmocka_unit_test(test_foam),        cmocka_unit_test(test_warm_up),
        cmocka_unit_test(test_foam_drifts), cmocka_unit_test(test_shape),
        cmocka_unit_test(test_fit),         cmocka_unit_test(test_coast),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
