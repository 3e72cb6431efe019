// Sine and cosine transforms against sums over all elements, and Poisson's equation by them.

#include "linear_common.h"

// The definition, orthonormal.
static double element(CosineKind kind, int n, int l, int i)
{
    double c = sqrt(2.0 / n), half = sqrt(1.0 / n);
    switch (kind) {
    case COSINE_II:
        return (l ? c : half) * cos(PI * l * (i + 0.5) / n);
    case COSINE_III:
        return element(COSINE_II, n, i, l);
    case SINE_I:
        return c * sin(PI * l * i / n);
    case COSINE_IV:
        return c * cos(PI * (l + 0.5) * (i + 0.5) / n);
    case SINE_II:
        return (l == n - 1 ? half : c) * sin(PI * (l + 1) * (i + 0.5) / n);
    case SINE_III:
        return element(SINE_II, n, i, l);
    case SINE_IV:
        return c * sin(PI * (l + 0.5) * (i + 0.5) / n);
    }
    return 0.0;
}
static const CosineKind KINDS[] = { COSINE_II, COSINE_III, SINE_I, COSINE_IV,
                                    SINE_II,   SINE_III,   SINE_IV };
static const CosineKind INVERSE[] = { COSINE_III, COSINE_II, SINE_I, COSINE_IV,
                                      SINE_III,   SINE_II,   SINE_IV };
enum { N_KINDS = 7 };

typedef struct Plan {
    Block block;
    CosinePlan* plan;
} Plan;
static Plan plan_make(TarnContext* where, const Grid3* grid)
{
    Plan p = { .block = block_make(tarn__cosine_size(grid)) };
    p.plan = tarn__cosine_place(where, grid, p.block.memory);
    return p;
}

// Every element of a few lines.
static double worst_against_sums(const Field* before, const Field* after, int axis, CosineKind kind)
{
    const Grid3* g = &before->grid;
    int n[3] = { g->nx, g->ny, g->nz }, len = n[axis], a = (axis + 1) % 3, b = (axis + 2) % 3;
    ptrdiff_t step[3] = { 1, g->row, g->slab };
    double worst = 0.0;
    for (int u = 0; u<n[a]; u += n[a]> 12 ? 5 : 1) {
        for (int v = 0; v<n[b]; v += n[b]> 12 ? 7 : 1) {
            ptrdiff_t first = u * step[a] + v * step[b];
            for (int l = kind == SINE_I; l < len; ++l) {
                double sum = 0.0;
                for (int i = kind == SINE_I; i < len; ++i)
                    sum += element(kind, len, l, i) * (double)before->at[first + i * step[axis]];
                worst = fmax(worst, fabs(sum - (double)after->at[first + l * step[axis]]));
            }
        }
    }
    return worst;
}

static void test_against_sums(void** state)
{
    (void)state;
    for (int s = 0; s < N_SHAPES; ++s) {
        Field f = field_make(SHAPES[s][0], SHAPES[s][1], SHAPES[s][2]);
        Field g = field_make(SHAPES[s][0], SHAPES[s][1], SHAPES[s][2]);
        Plan plan = plan_make(ctx, &f.grid);
        for (int axis = 0; axis < 3; ++axis) {
            for (int k = 0; k < N_KINDS; ++k) {
                field_random(&f);
                field_copy(&g, &f);
                tarn__cosine(plan.plan, g.at, axis, KINDS[k]);
                double worst = worst_against_sums(&f, &g, axis, KINDS[k]);
                if (!(worst < 2e-6))
                    print_error("shape %d axis %d kind %d: %g\n", s, axis, k, worst);
                assert_true(worst < 2e-6);
                assert_true(is_rim_marked(&g, false));
                // There and back, the norm kept on the way.
                if (KINDS[k] != SINE_I)
                    assert_true(fabs(field_norm(&g) / field_norm(&f) - 1.0) < 1e-6);
                tarn__cosine(plan.plan, g.at, axis, INVERSE[k]);
                assert_true(field_distance(&g, &f) < 1e-6);
            }
        }
        field_free(&f), field_free(&g);
        block_free(&plan.block);
    }
}

// Long lines, as many factors as there are.
static void test_long(void** state)
{
    (void)state;
    static const int lengths[] = { 2,   3,   4,   5,   6,   10,  75,  81,  96,
                                   100, 120, 125, 128, 144, 160, 256, 360, 512 };
    for (size_t n = 0; n < sizeof lengths / sizeof lengths[0]; ++n) {
        Field f = field_make(lengths[n], 3, 2), g = field_make(lengths[n], 3, 2);
        Plan plan = plan_make(ctx, &f.grid);
        for (int k = 0; k < N_KINDS; ++k) {
            field_random(&f);
            field_copy(&g, &f);
            tarn__cosine(plan.plan, g.at, 0, KINDS[k]);
            double worst = worst_against_sums(&f, &g, 0, KINDS[k]);
            if (!(worst < 4e-6)) print_error("n %d kind %d: %g\n", lengths[n], k, worst);
            assert_true(worst < 4e-6);
        }
        field_free(&f), field_free(&g);
        block_free(&plan.block);
    }
}

static void test_lengths(void** state)
{
    (void)state;
    static const int bad[] = { 7, 14, 22, 26, 49, 34, 121 };
    for (int a = 0; a < 3; ++a) {
        for (size_t n = 0; n < sizeof bad / sizeof bad[0]; ++n) {
            Grid3 g = tarn__grid3(a == 0 ? bad[n] : 8, a == 1 ? bad[n] : 8, a == 2 ? bad[n] : 8);
            assert_int_equal(tarn__cosine_size(&g), 0);
        }
    }
}

// A wave of the kind that belongs to the edges is an eigenvector of the seven points.
static CosineKind kind_of(PoissonDef def, int axis)
{
    bool a = def.edge[2 * axis] == POISSON_OPEN, b = def.edge[2 * axis + 1] == POISSON_OPEN;
    return a ? (b ? SINE_II : SINE_IV) : (b ? COSINE_IV : COSINE_II);
}
static double turns_of(CosineKind kind, int l)
{
    return kind == COSINE_II ? l : kind == SINE_II ? l + 1.0 : l + 0.5;
}

static void test_modes(void** state)
{
    (void)state;
    static const unsigned open[] = { 0, 63, 1, 2, 4, 40, 22, 48 };
    for (size_t e = 0; e < sizeof open / sizeof open[0]; ++e) {
        PoissonDef def = box(24, 16, 20, open[e]);
        Field rhs = field_make(24, 16, 20), p = field_make(24, 16, 20),
              want = field_make(24, 16, 20);
        Plan plan = plan_make(ctx, &p.grid);
        int n[3] = { 24, 16, 20 }, l[3] = { 3, 0, 5 };
        CosineKind kind[3];
        double wave = 0.0;
        for (int a = 0; a < 3; ++a) {
            kind[a] = kind_of(def, a);
            wave += 2.0 * cos(PI * turns_of(kind[a], l[a]) / n[a]) - 2.0;
        }
        EACH_CELL(&p, i, j, k)
        {
            double v = element(kind[0], n[0], l[0], i) * element(kind[1], n[1], l[1], j) *
                       element(kind[2], n[2], l[2], k);
            *cell(&rhs, i, j, k) = (float)v, *cell(&want, i, j, k) = (float)(v / wave);
        }
        tarn__poisson_spectral(plan.plan, &def, rhs.at, p.at);
        assert_true(field_distance(&p, &want) < 2e-6);
        field_free(&rhs), field_free(&p), field_free(&want);
        block_free(&plan.block);
    }
}

// All combinations of edges, boxes of many shapes, in place and not.
static void test_poisson(void** state)
{
    (void)state;
    for (int s = 0; s < N_SHAPES; ++s) {
        const int* n = SHAPES[s];
        Field rhs = field_make(n[0], n[1], n[2]), p = field_make(n[0], n[1], n[2]);
        Plan plan = plan_make(ctx, &p.grid);
        for (unsigned open = 0; open<64; open += n[0]> 20 ? 5 : 1) {
            PoissonDef def = box(n[0], n[1], n[2], open);
            field_random(&rhs);
            tarn__poisson_spectral(plan.plan, &def, rhs.at, p.at);
            double residual = residual_of(&p, &rhs, open == 0);
            if (!(residual < 1e-5)) print_error("shape %d open %u: %g\n", s, open, residual);
            assert_true(residual < 1e-5);
            if (open == 0) assert_true(fabs(field_mean(&p)) < 1e-5 * field_norm(&p));
            assert_true(is_rim_marked(&p, true) && is_rim_marked(&rhs, false));
            uint64_t hash = field_hash(&p);
            tarn__poisson_spectral(plan.plan, &def, rhs.at, rhs.at);
            assert_true(field_hash(&rhs) == hash);
            field_free(&rhs);
            rhs = field_make(n[0], n[1], n[2]);
        }
        field_free(&rhs), field_free(&p);
        block_free(&plan.block);
    }
}

static void test_workers(void** state)
{
    (void)state;
    static const int workers[] = { 1, 2, 3, 8 };
    uint64_t first = 0;
    Field rhs = field_make(60, 36, 32), p = field_make(60, 36, 32);
    field_random(&rhs);
    PoissonDef def = box(60, 36, 32, 9);
    for (int isa = TARN_ISA_BASELINE; isa < TARN_ISA_COUNT; ++isa) {
        for (int w = 0; w < 4; ++w) {
            TarnContext* other = make_context(workers[w], (TarnIsa)isa);
            if (other == NULL) continue;
            Plan plan = plan_make(other, &p.grid);
            tarn__poisson_spectral(plan.plan, &def, rhs.at, p.at);
            for (int k = 0; k < N_KINDS; ++k) tarn__cosine(plan.plan, p.at, k % 3, KINDS[k]);
            if (first == 0) first = field_hash(&p);
            assert_true(field_hash(&p) == first);
            block_free(&plan.block);
            tarn_context_destroy(other);
        }
    }
    field_free(&rhs), field_free(&p);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_ALONE(test_against_sums), TEST_ALONE(test_long),    TEST_ALONE(test_lengths),
        TEST_ALONE(test_modes),        TEST_ALONE(test_poisson), TEST(test_workers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
