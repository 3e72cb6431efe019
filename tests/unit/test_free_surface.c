// Pressure under a free surface: hydrostatic columns, a known field, what is not pressed, bodies.

#include "linear_common.h"
#include "linear/free_surface.h"

typedef struct Tank {
    Block block;
    FreeSurface s;
} Tank;

// A box of cells with a floor and walls, open at the top, or with air all around it.
static Tank make_tank(int nx, int ny, int nz, bool is_closed, float width)
{
    int dims = nz > 1 ? 3 : 2, n = nx * ny * nz, faces = 2 * dims;
    Tank t = { 0 };
    TarnLayout layout = { 0 };
    tarn__free_surface_lay_out(&t.s, &layout, NULL, dims, n, 64, 4, 0);
    t.block = block_make(layout.size);
    layout.size = 0;
    tarn__free_surface_lay_out(&t.s, &layout, t.block.memory, dims, n, 64, 4, 0);
    t.s.ctx = ctx;
    const int low[3] = { 0, 0, 0 }, high[3] = { nx - 1, ny - 1, nz - 1 };
    tarn__free_surface_clear(&t.s, low, high);
    for (int i = 0; i < n; ++i) {
        const int at[3] = { i % nx, i / nx % ny, i / (nx * ny) };
        assert_int_equal(tarn__free_surface_cell(&t.s, at), i);
    }
    SurfaceLevel* v = &t.s.level[0];
    const int step[3] = { 1, nx, nx * ny }, size[3] = { nx, ny, nz };
    for (int c = 0; c < n; ++c) {
        v->rhs[c] = v->phi[c] = v->open[c] = 0.0f;
        for (int f = 0; f < faces; ++f) {
            int a = f / 2, at = v->at[3 * c + a] + (f % 2 ? 1 : -1);
            bool is_in = at >= 0 && at < size[a], is_top = a == 1 && at == size[1];
            v->next[faces * c + f] = is_in ? c + (f % 2 ? step[a] : -step[a]) : n;
            v->weight[faces * c + f] = 1.0f / (width * width);
            if (is_in || !is_closed || is_top) continue;
            v->next[faces * c + f] = c;
            v->weight[faces * c + f] = 0.0f;
        }
    }
    return t;
}

// Water that falls with g dt onto a floor: the pressure of the depth, from nothing, whatever the sides are. Boxes of
// odd sides have coarse cells that are cut off; corrections from there once grew by 1.7 in each cycle.
static void test_column(void** state)
{
    (void)state;
    static const int sides[][3] = { { 7, 33, 1 }, { 100, 37, 1 }, { 7, 33, 5 }, { 20, 20, 20 } };
    for (int i = 0; i < (int)(sizeof sides / sizeof *sides); ++i) {
        int deep = sides[i][1];
        Tank t = make_tank(sides[i][0], deep, sides[i][2], true, 1.0f);
        SurfaceLevel* v = &t.s.level[0];
        for (int c = 0; c < v->n;
             ++c) // div u: only the floor's cells, whose lower face stands still
            v->rhs[c] = v->at[3 * c + 1] == 0 ? 1.0f : 0.0f;
        tarn__free_surface_solve(&t.s, 1);
        float first = tarn__free_surface_error(&t.s);
        tarn__free_surface_solve(&t.s, 15);
        for (int c = 0; c < v->n; ++c)
            assert_float_equal(v->phi[c], (float)(deep - v->at[3 * c + 1]), 1e-3 * deep);
        float error = tarn__free_surface_error(&t.s);
        print_message("%d x %d x %d cells: error %.3f after one cycle, %.1e after 16\n",
                      sides[i][0], deep, sides[i][2], (double)first, (double)error);
        assert_true(error < 1e-3f);
        block_free(&t.block);
    }
}

// -lap phi = rhs with phi = product of sines, 0 at the centers of the cells beyond: second order in the
// width.
static double error_of(int n)
{
    double width = 1.0 / (n + 1), worst = 0.0, pi = 3.141592653589793;
    Tank t = make_tank(n, n, 1, false, (float)width);
    SurfaceLevel* v = &t.s.level[0];
    for (int c = 0; c < v->n; ++c)
        v->rhs[c] = (float)(2.0 * pi * pi * sin(pi * width * (v->at[3 * c] + 1)) *
                            sin(pi * width * (v->at[3 * c + 1] + 1)));
    tarn__free_surface_solve(&t.s, 30);
    for (int c = 0; c < v->n; ++c) {
        double exact =
            sin(pi * width * (v->at[3 * c] + 1)) * sin(pi * width * (v->at[3 * c + 1] + 1));
        worst = fmax(worst, fabs((double)v->phi[c] - exact));
    }
    block_free(&t.block);
    return worst;
}
static void test_order(void** state)
{
    (void)state;
    double coarse = error_of(15), fine = error_of(31);
    print_message("known field: error %.2e with 15 cells, %.2e with 31\n", coarse, fine);
    assert_true(coarse < 5e-3);
    assert_true(coarse / fine > 3.5);
}

// Pulled apart on one side and pressed on the other: the complementarity holds, and the first has no pressure.
static void test_parting(void** state)
{
    (void)state;
    Tank t = make_tank(40, 12, 1, true, 1.0f);
    SurfaceLevel* v = &t.s.level[0];
    for (int c = 0; c < v->n; ++c) v->rhs[c] = v->at[3 * c] < 20 ? -1.0f : 0.2f;
    tarn__free_surface_solve(&t.s, 60);
    assert_true(tarn__free_surface_error(&t.s) < 1e-3f);
    assert_true(v->phi[0] == 0.0f);
    assert_true(v->phi[39] > 0.0f);
    // One cycle takes most of it.
    for (int c = 0; c < v->n; ++c) v->phi[c] = 0.0f;
    tarn__free_surface_solve(&t.s, 4);
    float four = tarn__free_surface_error(&t.s);
    print_message("parting water: error %.3f after four cycles from nothing\n", (double)four);
    assert_true(four < 0.2f);
    block_free(&t.block);
}

// The lid of a tank is a body that falls on it: light or heavy, the pressure stops it, as the water has nowhere to go.
static void test_lid(void** state)
{
    (void)state;
    for (int heavy = 0; heavy < 2; ++heavy) {
        Tank t = make_tank(8, 8, 1, true, 1.0f);
        SurfaceLevel* v = &t.s.level[0];
        for (int c = 0; c < v->n; ++c) {
            if (v->at[3 * c + 1] < 7) continue;
            v->next[4 * c + 3] = c;
            v->weight[4 * c + 3] = 0.0f;
            v->holds[v->n_holds++] = (SurfaceHold){ .cell = c, .k = { 0.0f, -1.0f } };
            v->rhs[c] = 1.0f; // it comes with speed 1
        }
        t.s.n_bodies = 1;
        memset(&t.s.bodies[0], 0, sizeof t.s.bodies[0]);
        t.s.bodies[0].answer[7] = heavy ? 0.01f : 10.0f; // 1 / mass
        tarn__free_surface_solve(&t.s, heavy ? 400 : 40);
        assert_float_equal(t.s.bodies[0].velocity[1], -1.0f,
                           0.01f); // what phi changes it by, downwards taken off
        float sum = 0.0f;
        for (int c = 56; c < 64; ++c) sum += v->phi[c];
        assert_float_equal(sum * t.s.bodies[0].answer[7], 1.0f,
                           0.01f); // the pressure has its momentum
        block_free(&t.block);
    }
}

// Cells far apart are found by a hash, and are the same cells.
static void test_sparse(void** state)
{
    (void)state;
    Tank t = make_tank(4, 4, 1, false, 1.0f);
    const int low[3] = { -1000000, -1000000, 0 }, high[3] = { 1000000, 1000000, 0 };
    tarn__free_surface_clear(&t.s, low, high);
    const int a[3] = { -1000000, 5, 0 }, b[3] = { 1000000, 5, 0 }, c[3] = { -999999, 5, 0 };
    assert_int_equal(tarn__free_surface_cell(&t.s, a), 0);
    assert_int_equal(tarn__free_surface_cell(&t.s, b), 1);
    assert_int_equal(tarn__free_surface_cell(&t.s, c), 2);
    assert_int_equal(tarn__free_surface_cell(&t.s, a), 0);
    int around[3 * 9];
    tarn__free_surface_around(&t.s, around);
    assert_int_equal(around[4], 0);
    assert_int_equal(around[5], 2);
    assert_int_equal(around[3], 3); // not there
    block_free(&t.block);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_column), TEST(test_order), TEST(test_parting), TEST(test_lid), TEST(test_sparse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
