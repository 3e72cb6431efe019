// The coarse level of dfsph and pcisph: its rows are those of the particles summed up, its solve finds the pressures that
// belong to given errors, a column of any depth weighs what it should after as many iterations, and the bits are
// the same for any number of workers.

#include "tests/sanitized.h"
#include "liquid_common.h"
#include "liquid/sph.h"
#include "liquid/sph_coarse.h"

// A column of so many rows of particles in a box that is as wide, `columns` particles along the other axes.
static TarnLiquid* make_column(TarnContext* where, int dims, int method, int columns, int rows)
{
    TarnLiquidDef def = tank_def(dims);
    def.method = method;
    def.spacing = 0.01f;
    def.max_particles = columns * rows * (dims == 3 ? columns : 1) + 64;
    float width = 0.01f * (float)columns, height = 0.01f * (float)rows;
    def.box_max = (TarnVec3){ width, 2.0f * height, width };
    def.walls = TARN_LIQUID_BOX;
    TarnLiquid* l;
    assert_int_equal(tarn_liquid_create(where, &def, &l), TARN_OK);
    TarnLiquidFill fill = tarn_liquid_fill_default();
    fill.shape = tarn_shape_box_between((TarnVec3){ 0.0f, 0.0f, 0.0f },
                                        (TarnVec3){ width, height, width }, &fill.pose.position);
    fill.jitter = 0.02f; // a perfect lattice has motions that no density sees
    assert_int_equal(tarn_liquid_fill(l, &fill, NULL), TARN_OK);
    TarnLiquidParams params = tarn_liquid_params(l);
    params.friction = 0.0f;
    assert_int_equal(tarn_liquid_set_params(l, &params), TARN_OK);
    return l;
}

// All that comes before a solve; nothing moves.
static void make_ready(TarnLiquid* l, float dt)
{
    Substep s = { .l = l, .dt = dt, .t1 = 1.0f };
    tarn__liquid_sort(l);
    tarn__neighbors_find(l->ctx, &l->neighbors, l->x, l->y, l->def.dimensions == 3 ? l->z : NULL);
    tarn__liquid_find_contacts(&s);
}

// ---- Rows ----------------------------------------------------------------------------------------

// A sweep with gradients; all but every seventh particle are active.
static SphSweep make_sweep(TarnLiquid* l)
{
    make_ready(l, 1e-3f);
    SphSweep s = tarn__sph_sweep(l, SMOOTHING_CUBIC, 1e-3f);
    tarn__sph_pack(&s);
    tarn__sph_run(tarn__sph_kernels(l)->gradients, &s);
    s.residual = l->scratch[16];
    s.active = l->scratch[17];
    s.p = l->memory_a;
    for (int i = 0; i < l->n; ++i) s.active[i] = i % 7 == 3 ? 0.0f : 1.0f;
    return s;
}

static double entry_between(const SphCoarse* c, int a, int b)
{
    int from = a < b ? a : b, step = a < b ? b - a : a - b;
    for (int k = 0; k < c->entries; ++k)
        if (c->step[k] == step) return (double)c->entry[k][from];
    return 0.0;
}

// What the pressure of all active particles of a cell does to the particles: gradients, summed up in double.
static void add_gradients(const SphCoarse* c, const SphSweep* s, int cell, double (*out)[3])
{
    const Neighbors* nb = &s->l->neighbors;
    for (int i = 0; i < s->l->n; ++i) {
        const float* here = s->packed + SPH_PACK * (size_t)i;
        for (int a = 0; a < 3; ++a)
            out[i][a] = c->cell[i] == cell ? (double)s->own[4 * (size_t)i + (size_t)a] : 0.0;
        for (int k = 0; k < nb->count[i]; ++k) {
            size_t slot = (size_t)i * (size_t)nb->slots + (size_t)k;
            if (c->cell[nb->list[slot]] != cell) continue;
            const float* there = s->packed + SPH_PACK * (size_t)nb->list[slot];
            for (int a = 0; a < 3; ++a)
                out[i][a] += (double)s->pairs[slot] * ((double)here[a] - (double)there[a]);
        }
    }
}

static double product(const SphSweep* s, double (*a)[3], double (*b)[3])
{
    double sum = 0.0, ease = (double)s->gain * (double)s->dt;
    for (int i = 0; i < s->l->n; ++i)
        sum += ease * (double)s->packed[SPH_PACK * (size_t)i + 3] *
               (a[i][0] * b[i][0] + a[i][1] * b[i][1] + a[i][2] * b[i][2]);
    return sum;
}

static void test_rows(void** state)
{
    (void)state;
    static double of[2][2048][3];
    for (int dims = 2; dims <= 3; ++dims) {
        TarnLiquid* l = make_column(ctx, dims, TARN_LIQUID_DFSPH, 10, 18);
        SphSweep s = make_sweep(l);
        SphCoarse c;
        tarn__sph_coarse_make(&c, &s, l->scratch + 18);
        assert_true(l->n <= 2048 && c.n >= (dims == 2 ? 12 : 36));
        double count = 0.0, active = 0.0;
        for (int u = 0; u < c.n; ++u) count += (double)c.count[c.used[u]];
        for (int i = 0; i < l->n; ++i) active += (double)s.active[i];
        assert_true(count == active);
        for (int u = 0; u < c.n; ++u) {
            add_gradients(&c, &s, c.used[u], of[0]);
            double own = product(&s, of[0], of[0]);
            for (int w = 0; w < c.n; ++w) {
                add_gradients(&c, &s, c.used[w], of[1]);
                double exact = product(&s, of[0], of[1]);
                assert_true(fabs(entry_between(&c, c.used[u], c.used[w]) - exact) < 1e-4 * own);
            }
        }
        tarn_liquid_destroy(l);
    }
}

// Errors that known pressures would take away: these are found. Their sizes differ from cell to cell.
static void test_solve(void** state)
{
    (void)state;
    static double wanted[4096];
    for (int dims = 2; dims <= 3; ++dims) {
        TarnLiquid* l = make_column(ctx, dims, TARN_LIQUID_DFSPH, dims == 2 ? 40 : 12, 40);
        SphSweep s = make_sweep(l);
        SphCoarse c;
        tarn__sph_coarse_make(&c, &s, l->scratch + 18);
        assert_true(c.n > 0 && c.n <= 4096);
        memset(s.residual, 0, (size_t)l->n * sizeof(float));
        double squares = 0.0, off = 0.0;
        for (int u = 0; u < c.n; ++u) {
            wanted[u] = 1000.0 + 500.0 * sin(1.7 * u);
            squares += wanted[u] * wanted[u] * (double)c.count[c.used[u]];
        }
        for (int u = 0; u < c.n; ++u) { // the error of a cell lies with its first particle
            double sum = 0.0;
            for (int w = 0; w < c.n; ++w)
                sum += entry_between(&c, c.used[u], c.used[w]) * wanted[w];
            for (int i = 0; i < l->n; ++i) {
                if (c.cell[i] != c.used[u]) continue;
                s.residual[i] = (float)sum;
                break;
            }
        }
        double found = tarn__sph_coarse_solve(&c, &s);
        for (int u = 0; u < c.n; ++u) off = fmax(off, fabs((double)c.x[c.used[u]] - wanted[u]));
        if (off > 15.0) print_error("%d-D: %g Pa off\n", dims, off);
        assert_true(off <= 15.0); // 1 %
        assert_true(fabs(found / squares - 1.0) < 0.02);
        tarn_liquid_destroy(l);
    }
}

// ---- Columns -------------------------------------------------------------------------------------

// Pressure over that of the weight above, in the lower half, where the solve must know of all rows above.
static double pressure_share(const TarnLiquid* l, int rows)
{
    double sum = 0.0, exact = 0.0, height = 0.01 * rows;
    for (int i = 0; i < l->n; ++i) {
        if ((double)l->y[i] > 0.5 * height) continue;
        sum += (double)l->pressure[i];
        exact += 1000.0 * 9.81 * (height - (double)l->y[i]);
    }
    return sum / exact;
}

// Columns that begin without any pressure: a fifth of a second later their mean pressure is that of their weight,
// whatever their depth, and iterations do not grow with it.
static void test_depth(void** state)
{
    (void)state;
    static const int depths[] = { 60, 120, 240 };
    static const int methods[] = { TARN_LIQUID_DFSPH, TARN_LIQUID_PCISPH };
    for (int m = 0; m < 2; ++m) {
        for (int d = 0; d < (is_short_run() ? 1 : 3 - m); ++d) {
            TarnLiquid* l = make_column(ctx, 2, methods[m], 10, depths[d]);
            enum { STEPS = 200 };
            int iterations = 0;
            double share = 0.0;
            for (int k = 0; k < STEPS; ++k) {
                step_liquid(l, 1e-3f);
                iterations += l->iterations;
                if (k >= STEPS / 2) share += pressure_share(l, depths[d]) / (STEPS - STEPS / 2);
            }
            if (fabs(share - 1.0) > 0.08 || iterations > 30 * STEPS)
                print_error("%s, %d rows: %g of the pressure, %d iterations\n", l->method->name,
                            depths[d], share, iterations / STEPS);
            assert_true(fabs(share - 1.0) <= 0.08);
            assert_true(iterations <= 30 * STEPS);
            tarn_liquid_destroy(l);
        }
    }
}

static uint64_t hash_of_column(int dims, int workers)
{
    TarnContext* where = make_context(workers, TARN_ISA_AUTO);
    TarnLiquid* l = make_column(where, dims, TARN_LIQUID_DFSPH, 8, dims == 2 ? 90 : 50);
    for (int k = 0; k < 2; ++k) assert_int_equal(tarn_liquid_step(l, 2e-3f, NULL), TARN_OK);
    return end_with_hash(l, where);
}

static void test_same_bits(void** state)
{
    (void)state;
    for (int dims = 2; dims <= 3; ++dims) {
        uint64_t hash = hash_of_column(dims, 1);
        assert_true(hash_of_column(dims, 2) == hash);
        assert_true(hash_of_column(dims, 7) == hash);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { TEST_ALONE(test_rows), TEST_ALONE(test_solve),
                                        TEST_ALONE(test_depth), TEST(test_same_bits) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
