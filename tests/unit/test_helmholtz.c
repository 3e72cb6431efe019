// The Helmholtz solver: the true residual in doubles for sizes, edges and coefficients of all kinds, closed cells, its
// factor per cycle, reports, workers and instruction sets.

#include "linear_common.h"
#include "linear/helmholtz.h"

typedef struct Sheet {
    HelmholtzDef def;
    Block block;
    Helmholtz* h;
    int stride;
    size_t floats;
    float *memory, *mass, *ax, *az, *rhs, *d; // at cell (0, 0)
} Sheet;

static float noise(uint64_t n)
{
    return tarn__random01(7, 1, n);
}

static Sheet sheet_make(TarnContext* where, int nx, int nz, int edge_x, int edge_z, float alpha)
{
    Sheet s = { .def = { nx, nz, { 0 } }, .stride = nx + 3 };
    s.def.edge[0] = s.def.edge[1] = (uint8_t)edge_x;
    s.def.edge[2] = s.def.edge[3] = (uint8_t)edge_z;
    s.block = block_make(tarn__helmholtz_size(&s.def));
    s.h = tarn__helmholtz_place(where, &s.def, s.block.memory);
    s.floats = (size_t)s.stride * (size_t)(nz + 2);
    s.memory = calloc(5 * s.floats, sizeof(float));
    float** fields[5] = { &s.mass, &s.ax, &s.az, &s.rhs, &s.d };
    for (int f = 0; f < 5; ++f) *fields[f] = s.memory + (size_t)f * s.floats + s.stride + 1;
    uint64_t n = 0;
    for (int k = 0; k <= nz; ++k) {
        for (int i = 0; i <= nx; ++i) {
            int c = k * s.stride + i;
            s.mass[c] = 1.0f;
            s.ax[c] = alpha, s.az[c] = alpha;
            s.rhs[c] = 2.0f * noise(n++) - 1.0f;
        }
    }
    return s;
}
static void sheet_free(Sheet* s)
{
    block_free(&s->block);
    free(s->memory);
}

static HelmholtzResult solve(Sheet* s, float tolerance, int cycles)
{
    HelmholtzResult r;
    tarn__helmholtz_set(s->h, s->mass, s->ax, s->az, s->stride);
    tarn__helmholtz_solve(s->h, s->rhs, s->d, s->stride, tolerance, cycles, &r);
    return r;
}

// Coefficient of the face of (i, k) towards (di, dk), and the value behind it.
static double face(const Sheet* s, int i, int k, int di, int dk, double* behind)
{
    const HelmholtzDef* def = &s->def;
    int axis = di == 0, n = axis ? def->nz : def->nx, at = axis ? k : i, to = at + di + dk;
    const float* a = axis ? s->az : s->ax;
    int step = axis ? s->stride : 1, c = k * s->stride + i, edge = def->edge[2 * axis];
    *behind = 0.0;
    bool is_rim = to < 0 || to >= n;
    if (is_rim && (edge == HELMHOLTZ_CLOSED || (n == 1 && edge == HELMHOLTZ_PERIODIC))) return 0.0;
    int side = to > at ? c + step : c, other = c + (to - at) * step;
    if (is_rim && edge == HELMHOLTZ_OPEN) return 2.0 * (double)a[side];
    if (is_rim) {
        other = c + (to < 0 ? n - 1 : 1 - n) * step;
        side = to < 0 ? c : other;
    }
    if (!(s->mass[other] > 0.0f)) return 0.0;
    *behind = (double)s->d[other];
    return (double)a[side];
}

static double true_residual(const Sheet* s)
{
    static const int way[4][2] = { { -1, 0 }, { 1, 0 }, { 0, -1 }, { 0, 1 } };
    double left = 0.0, all = 0.0;
    for (int k = 0; k < s->def.nz; ++k) {
        for (int i = 0; i < s->def.nx; ++i) {
            int c = k * s->stride + i;
            if (!(s->mass[c] > 0.0f)) {
                assert_true(s->d[c] == 0.0f);
                continue;
            }
            double r = (double)s->rhs[c] - (double)s->mass[c] * (double)s->d[c];
            for (int w = 0; w < 4; ++w) {
                double behind, a = face(s, i, k, way[w][0], way[w][1], &behind);
                r -= a * ((double)s->d[c] - behind);
            }
            left += r * r, all += (double)s->rhs[c] * (double)s->rhs[c];
        }
    }
    return sqrt(left / all);
}

static void must_solve(Sheet* s, float tolerance, int cycles, double bound, const char* what)
{
    HelmholtzResult r = solve(s, tolerance, cycles);
    double left = true_residual(s);
    bool is_good = r.is_converged && left < bound;
    if (!is_good)
        print_error("%s, %d x %d, edges %d %d: %d cycles, %g, true %g\n", what, s->def.nx,
                    s->def.nz, s->def.edge[0], s->def.edge[2], r.cycles, (double)r.residual, left);
    assert_true(is_good);
}

static void test_sizes_and_edges(void** state)
{
    (void)state;
    static const int sizes[][2] = { { 1, 1 },   { 2, 1 },   { 1, 7 },   { 3, 3 },    { 8, 8 },
                                    { 16, 5 },  { 17, 33 }, { 31, 64 }, { 100, 70 }, { 93, 1 },
                                    { 65, 65 }, { 128, 4 }, { 5, 129 }, { 64, 64 },  { 15, 2 } };
    for (size_t n = 0; n < sizeof sizes / sizeof *sizes; ++n) {
        for (int edges = 0; edges < 9; ++edges) {
            Sheet s = sheet_make(ctx, sizes[n][0], sizes[n][1], edges % 3, edges / 3, 9.81f);
            must_solve(&s, 1e-5f, 20, 2e-5, "sizes");
            sheet_free(&s);
        }
    }
}

// Depths from puddles to trenches, dry cells, walls one cell thin with a gap, and single cells.
static void test_rough(void** state)
{
    (void)state;
    for (int edges = 0; edges < 9; ++edges) {
        Sheet s = sheet_make(ctx, 93, 70, edges % 3, edges / 3, 0.0f);
        for (int k = 0; k <= 70; ++k) {
            for (int i = 0; i <= 93; ++i) {
                int c = k * s.stride + i;
                float x = noise((uint64_t)c), z = noise((uint64_t)c + 9999u);
                s.ax[c] = 100.0f * x * x * x * x, s.az[c] = 100.0f * z * z * z * z;
                s.mass[c] = 1.0f + 3.0f * (x < 0.1f);
                bool is_wall = (i == 40 && k != 11) || noise((uint64_t)c + 77777u) < 0.2f;
                if (is_wall) s.mass[c] = 0.0f;
            }
        }
        must_solve(&s, 1e-5f, 40, 2e-5, "rough");
        sheet_free(&s);
    }
}

// From a diagonal to all but Poisson's equation, where the digits of d set the limit: half a unit in its last place,
// once per cycle, counts with the coefficients of its four faces, here and in the neighbors.
static void test_stiffness(void** state)
{
    (void)state;
    for (float alpha = 1e-6f; alpha < 1e8f; alpha *= 10.0f) {
        Sheet s = sheet_make(ctx, 96, 80, HELMHOLTZ_CLOSED, HELMHOLTZ_PERIODIC, alpha);
        int cycles = solve(&s, 1e-4f, 20).cycles;
        double most = 0.0;
        for (int c = 0; c < 96 * 80; ++c)
            most = fmax(most, fabs((double)s.d[c / 96 * s.stride + c % 96]));
        must_solve(&s, 1e-4f, 20, 2e-4 + 8.0 * cycles * (double)alpha * 0x1p-25 * most,
                   "stiffness");
        sheet_free(&s);
    }
}

static void test_rest_and_report(void** state)
{
    (void)state;
    Sheet s = sheet_make(ctx, 50, 40, HELMHOLTZ_CLOSED, HELMHOLTZ_CLOSED, 10.0f);
    HelmholtzResult r = solve(&s, 1e-6f, 2);
    assert_true(r.cycles == 2 && !r.is_converged && r.residual > 1e-6f && r.residual < 0.1f);
    for (int k = 0; k < 40; ++k) memset(s.rhs + k * s.stride, 0, 50 * sizeof(float));
    r = solve(&s, 1e-6f, 2);
    assert_true(r.cycles == 0 && r.is_converged);
    for (int c = 0; c < 50 * 40; ++c) assert_true(s.d[c / 50 * s.stride + c % 50] == 0.0f);
    sheet_free(&s);
}

// In place, with right sides of any size: the same digits.
static void test_scale(void** state)
{
    (void)state;
    Sheet s = sheet_make(ctx, 33, 21, HELMHOLTZ_OPEN, HELMHOLTZ_CLOSED, 5.0f);
    solve(&s, 1e-5f, 20);
    for (int e = -60; e <= 60; e += 30) {
        Sheet t = sheet_make(ctx, 33, 21, HELMHOLTZ_OPEN, HELMHOLTZ_CLOSED, 5.0f);
        float scale = ldexpf(1.0f, e);
        for (int c = 0; c < 21 * t.stride - 3; ++c) t.rhs[c] *= scale;
        HelmholtzResult r;
        tarn__helmholtz_set(t.h, NULL, t.ax, t.az, t.stride);
        tarn__helmholtz_solve(t.h, t.rhs, t.rhs, t.stride, 1e-5f, 20, &r);
        for (int k = 0; k < 21; ++k)
            for (int i = 0; i < 33; ++i)
                assert_true(t.rhs[k * t.stride + i] == scale * s.d[k * s.stride + i]);
        sheet_free(&t);
    }
    sheet_free(&s);
}

static uint64_t hash_of(TarnContext* where)
{
    Sheet s = sheet_make(where, 301, 203, HELMHOLTZ_PERIODIC, HELMHOLTZ_CLOSED, 20.0f);
    for (int c = 0; c < 200 * s.stride; ++c) s.ax[c] *= noise((uint64_t)c);
    solve(&s, 1e-5f, 20);
    uint64_t hash = 0;
    for (int k = 0; k < 203; ++k) hash = tarn_hash(s.d + k * s.stride, 301 * sizeof(float), hash);
    sheet_free(&s);
    return hash;
}

static void test_workers(void** state)
{
    (void)state;
    uint64_t hash = hash_of(ctx);
    for (int workers = 1; workers <= 4; ++workers) {
        for (int isa = 0; isa < 2; ++isa) {
            TarnContextDef def = tarn_context_default_def();
            def.workers = workers;
            def.isa = isa ? TARN_ISA_BASELINE : TARN_ISA_AUTO;
            TarnContext* where;
            assert_int_equal(tarn_context_create(&def, &where), TARN_OK);
            assert_true(hash_of(where) == hash);
            tarn_context_destroy(where);
        }
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_ALONE(test_sizes_and_edges), TEST_ALONE(test_rough), TEST_ALONE(test_stiffness),
        TEST_ALONE(test_rest_and_report), TEST_ALONE(test_scale), TEST(test_workers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
