// Multigrid: against transforms, its factor per cycle, edges, guesses, sizes of all kinds; with weights: spheres, rooms,
// mazes, single cells.

#include "linear_common.h"

typedef struct Solver {
    Block block;
    PoissonDef def;
    Multigrid* mg;
    Field rhs, p;
} Solver;

static Solver solver_make(TarnContext* where, PoissonDef def)
{
    Solver s = { .block = block_make(tarn__multigrid_size(&def)), .def = def };
    s.mg = tarn__multigrid_place(where, &def, s.block.memory);
    s.rhs = field_make(def.nx, def.ny, def.nz);
    s.p = field_make(def.nx, def.ny, def.nz);
    field_random(&s.rhs);
    field_set(&s.p, 0.0f);
    return s;
}
static void solver_free(Solver* s)
{
    block_free(&s->block);
    field_free(&s->rhs), field_free(&s->p);
}
static MultigridResult solve(Solver* s, float tolerance, int cycles, bool is_full)
{
    MultigridResult result;
    tarn__multigrid_solve(s->mg, s->rhs.at, s->p.at, tolerance, cycles, is_full, &result);
    return result;
}

// ---- The plain box -------------------------------------------------------------------------------------

static double distance_from_transforms(Solver* s)
{
    Block block = block_make(tarn__cosine_size(&s->p.grid));
    CosinePlan* plan = tarn__cosine_place(ctx, &s->p.grid, block.memory);
    Field exact = field_make(s->def.nx, s->def.ny, s->def.nz);
    tarn__poisson_spectral(plan, &s->def, s->rhs.at, exact.at);
    double distance = field_distance(&s->p, &exact);
    field_free(&exact);
    block_free(&block);
    return distance;
}

static void test_against_transforms(void** state)
{
    (void)state;
    for (int n = 0; n < N_SHAPES; ++n) {
        unsigned stride = SHAPES[n][0] > 20 || is_short_run() ? 7 : 1;
        for (unsigned open = 0; open < 64; open += stride) {
            Solver s = solver_make(ctx, box(SHAPES[n][0], SHAPES[n][1], SHAPES[n][2], open));
            for (int is_full = 0; is_full < 2; ++is_full) {
                field_set(&s.p, 0.0f);
                MultigridResult r = solve(&s, 0.0f, 30, is_full); // as far as floats go
                double far = distance_from_transforms(&s),
                       left = residual_of(&s.p, &s.rhs, open == 0);
                bool is_good = far < 2e-5 && left < 5e-6 && r.cycles < 12;
                if (!is_good)
                    print_error("shape %d open %u: %d cycles, %g left, %g true, %g off\n", n, open,
                                r.cycles, (double)r.residual, left, far);
                assert_true(is_good);
            }
            assert_true(is_rim_marked(&s.p, true) && is_rim_marked(&s.rhs, false));
            if (open == 0) assert_true(fabs(field_mean(&s.p)) < 1e-6);
            solver_free(&s);
        }
    }
}

static void test_flat_box(void** state)
{
    (void)state;
    Solver s = solver_make(ctx, box(128, 32, 128, 0));
    MultigridResult r = solve(&s, 1e-5f, 30, true);
    assert_true(r.is_converged);
    assert_true(distance_from_transforms(&s) < 1e-4);
    solver_free(&s);
}

// Residual after the second cycle over that after the first. Of noise, or of the longest wave along x, which is the slowest;
// a third cycle would show rounding there.
static double factor(PoissonDef def, bool is_wave)
{
    Solver s = solver_make(ctx, def);
    if (is_wave)
        EACH_CELL(&s.rhs, i, j, k) * cell(&s.rhs, i, j, k) = (float)cos(PI * (i + 0.5) / def.nx);
    double first = (double)solve(&s, 0.0f, 1, false).residual;
    field_set(&s.p, 0.0f);
    double second = (double)solve(&s, 0.0f, 2, false).residual;
    solver_free(&s);
    return second / first;
}

static void test_factor(void** state)
{
    (void)state;
    for (int is_wave = 0; is_wave < 2; ++is_wave) {
        double small = factor(box(32, 32, 32, 0), is_wave),
               mid = factor(box(64, 64, 64, 0), is_wave);
        double large = factor(box(128, 128, 128, 0), is_wave);
        print_message("factor per cycle, %s: 32^3 %.3f, 64^3 %.3f, 128^3 %.3f\n",
                      is_wave ? "long wave" : "noise", small, mid, large);
        assert_true(small < 0.12 && mid < 0.12 && large < 0.12);
        assert_true(mid < 1.2 * small && large < 1.2 * small); // it does not grow with the box
    }
    for (int is_wave = 0; is_wave < 2; ++is_wave) {
        assert_true(factor(box(64, 64, 64, 63), is_wave) < 0.15);
        assert_true(factor(box(64, 64, 64, 8), is_wave) < 0.15);
        assert_true(factor(box(48, 48, 48, 0), is_wave) < 0.12);
        assert_true(factor(box(128, 32, 128, 0), is_wave) < 0.12);
    }
}

// The reported residual is the true one.
static void test_report(void** state)
{
    (void)state;
    for (int cycles = 0; cycles < 4; ++cycles) {
        Solver s = solver_make(ctx, box(32, 24, 16, cycles & 1 ? 9 : 0));
        MultigridResult r = solve(&s, 0.0f, cycles, false);
        double left = residual_of(&s.p, &s.rhs, !(cycles & 1));
        assert_int_equal(r.cycles, cycles);
        assert_false(r.is_converged);
        assert_true(fabs(left / (double)r.residual - 1.0) < 0.01);
        solver_free(&s);
    }
}

static void test_guess(void** state)
{
    (void)state;
    Solver s = solver_make(ctx, box(32, 32, 32, 0));
    solve(&s, 1e-5f, 30, true);
    MultigridResult r = solve(&s, 1e-4f, 30, false); // from the answer
    assert_true(r.is_converged);
    assert_int_equal(r.cycles, 0);
    static const float bad[] = { 1e9f, -3e38f, INFINITY, NAN };
    for (int b = 0; b < 4; ++b) { // worse than none
        field_set(&s.p, 0.0f);
        for (int c = 0; c < 40; ++c)
            *cell(&s.p, (c * 7) % 32, (c * 5) % 32, (c * 3) % 32) = c & 1 ? bad[b] : 0.0f;
        r = solve(&s, 1e-4f, 30, false);
        assert_true(r.is_converged);
        assert_true(residual_of(&s.p, &s.rhs, true) < 2e-4);
    }
    solver_free(&s);
}

static void test_sizes(void** state)
{
    (void)state;
    static const float scales[] = { 0.0f, 1e-38f, 1e-30f, 1e-3f, 1e30f, 3e38f };
    for (int n = 0; n < 6; ++n) {
        for (int has_weights = 0; has_weights < 2; ++has_weights) {
            PoissonDef def = box(16, 16, 16, n & 1 ? 4 : 0);
            def.has_weights = has_weights;
            Solver s = solver_make(ctx, def);
            EACH_CELL(&s.rhs, i, j, k) * cell(&s.rhs, i, j, k) *= scales[n];
            MultigridResult r = solve(&s, 1e-4f, 30, n & 1);
            assert_true(r.is_converged);
            int n_bad = 0;
            EACH_CELL(&s.p, i, j, k) n_bad += !tarn__is_finite(*cell(&s.p, i, j, k));
            assert_int_equal(n_bad, 0);
            if (n == 0) assert_true(field_norm(&s.p) == 0.0);
            if (n == 3) assert_true(residual_of(&s.p, &s.rhs, false) < 2e-4);
            solver_free(&s);
        }
    }
    Solver s = solver_make(ctx, box(16, 16, 16, 0)); // nothing but a mean
    field_set(&s.rhs, 0.3f);
    assert_true(solve(&s, 1e-4f, 30, true).is_converged);
    assert_true(field_norm(&s.p) == 0.0);
    solver_free(&s);
}

// ---- Weights -------------------------------------------------------------------------------------------------

typedef struct Weights {
    Field w[3];
} Weights;

static Weights weights_make(const PoissonDef* def)
{
    Weights w;
    for (int a = 0; a < 3; ++a) {
        w.w[a] = field_make(def->nx, def->ny, def->nz); // the rim is marked: nobody may look at it
        field_set(&w.w[a], 1.0f);
    }
    return w;
}
static void weights_free(Weights* w)
{
    for (int a = 0; a < 3; ++a) field_free(&w->w[a]);
}
static void weights_use(Solver* s, Weights* w)
{
    tarn__multigrid_set_weights(s->mg, w->w[0].at, w->w[1].at, w->w[2].at);
}
static void close_cell(Weights* w, int i, int j, int k)
{
    const Grid3* g = &w->w[0].grid;
    int at[3] = { i, j, k }, n[3] = { g->nx, g->ny, g->nz };
    for (int a = 0; a < 3; ++a) {
        *cell(&w->w[a], i, j, k) = 0.0f;
        if (at[a] + 1 < n[a]) *cell(&w->w[a], i + (a == 0), j + (a == 1), k + (a == 2)) = 0.0f;
    }
}
static void close_sphere(Weights* w, double radius)
{
    const Grid3* g = &w->w[0].grid;
    EACH_CELL(&w->w[0], i, j, k)
    {
        double x = (i + 0.5) / g->nx - 0.47, y = (j + 0.5) / g->ny - 0.5,
               z = (k + 0.5) / g->nz - 0.53;
        if (x * x + y * y + z * z < radius * radius) close_cell(w, i, j, k);
    }
}

// What the weight of a face is for the equation: the rim is what its edge says.
static double face(const PoissonDef* def, const Weights* w, int axis, int side, const int at[3])
{
    int n[3] = { def->nx, def->ny, def->nz }, c[3] = { at[0], at[1], at[2] };
    if (side ? at[axis] == n[axis] - 1 : at[axis] == 0)
        return def->edge[2 * axis + side] == POISSON_OPEN ? 2.0 : 0.0;
    c[axis] += side;
    double v = (double)*cell(&w->w[axis], c[0], c[1], c[2]);
    return v >= 1e-3 ? fmin(v, 1.0) : 0.0;
}
// The largest |div(w grad p) - rhs|, over the norm of rhs per cell. Parts of rhs that cannot be solved for are
// taken off first: parts is 0 for solids and else counts from 1, sealed ones only.
static double weighted_residual(const Solver* s, const Weights* w, const int* parts, int n_parts)
{
    double sum[64] = { 0.0 }, count[64] = { 0.0 }, left = 0.0, all = 0.0;
    int c = 0;
    EACH_CELL(&s->p, i, j, k)
    {
        int part = parts ? parts[c++] : 1;
        sum[part] += (double)*cell(&s->rhs, i, j, k), count[part] += 1.0;
    }
    c = 0;
    EACH_CELL(&s->p, i, j, k)
    {
        int part = parts ? parts[c++] : 1, at[3] = { i, j, k };
        if (part == 0) {
            assert_true(*cell(&s->p, i, j, k) == 0.0f);
            continue;
        }
        double f = (double)*cell(&s->rhs, i, j, k), p = (double)*cell(&s->p, i, j, k);
        if (part <= n_parts) f -= sum[part] / count[part];
        double lap = 0.0;
        for (int a = 0; a < 3; ++a) {
            ptrdiff_t step = a == 0 ? 1 : a == 1 ? s->p.grid.row : s->p.grid.slab;
            for (int side = 0; side < 2; ++side) {
                double weight = face(&s->def, w, a, side, at);
                bool is_rim = weight == 2.0;
                double q = is_rim ? 0.0 : (double)cell(&s->p, i, j, k)[side ? step : -step];
                lap += weight * (q - p);
            }
        }
        left += (f - lap) * (f - lap), all += f * f;
    }
    return sqrt(left / all);
}

static Solver weighted_solver(TarnContext* where, int nx, int ny, int nz, unsigned open)
{
    PoissonDef def = box(nx, ny, nz, open);
    def.has_weights = true;
    return solver_make(where, def);
}

// Weights of 1 are the plain box.
static void test_ones(void** state)
{
    (void)state;
    for (int n = 0; n < N_SHAPES; ++n) {
        for (unsigned open = 0; open < 64; open += 9) {
            Solver s = weighted_solver(ctx, SHAPES[n][0], SHAPES[n][1], SHAPES[n][2], open);
            Weights w = weights_make(&s.def);
            if (open & 1) weights_use(&s, &w); // else as it was made
            MultigridResult r = solve(&s, 0.0f, 30, open & 1);
            double far = distance_from_transforms(&s);
            bool is_good = far < 3e-5 && residual_of(&s.p, &s.rhs, open == 0) < 5e-6;
            if (!is_good)
                print_error("shape %d open %u: %g %g\n", n, open, (double)r.residual, far);
            assert_true(is_good);
            solver_free(&s), weights_free(&w);
        }
    }
}

static void test_sphere(void** state)
{
    (void)state;
    for (unsigned open = 0; open < 2; ++open) {
        double left[2];
        for (int run = 0; run < 2; ++run) {
            Solver s = weighted_solver(ctx, 64, 64, 64, open ? 8 : 0);
            Weights w = weights_make(&s.def);
            close_sphere(&w, 0.23);
            weights_use(&s, &w);
            int* parts = calloc((size_t)64 * 64 * 64, sizeof(int));
            int c = 0;
            EACH_CELL(&s.p, i, j, k)
            {
                int at[3] = { i, j, k };
                for (int f = 0; f < 6; ++f) parts[c] |= face(&s.def, &w, f / 2, f % 2, at) > 0.0;
                ++c;
            }
            MultigridResult r = solve(&s, 0.0f, run ? 3 : 1, true);
            left[run] = weighted_residual(&s, &w, parts, open ? 0 : 1);
            assert_true(fabs(left[run] / (double)r.residual - 1.0) < 0.01);
            free(parts);
            solver_free(&s), weights_free(&w);
        }
        print_message("factor with a sphere: %.3f\n", sqrt(left[1] / left[0]));
        assert_true(sqrt(left[1] / left[0]) < 0.4);
    }
}

// Two rooms, a pocket of three cells and a single cell, all sealed; or the first room with an open face.
static void test_rooms(void** state)
{
    (void)state;
    for (unsigned open = 0; open < 2; ++open) {
        Solver s = weighted_solver(ctx, 24, 16, 16, open);
        Weights w = weights_make(&s.def);
        int* parts = calloc((size_t)24 * 16 * 16, sizeof(int));
        for (int k = 0; k < 16; ++k)
            for (int j = 0; j < 16; ++j)
                *cell(&w.w[0], 11, j, k) = 0.0f; // thin, inside of a coarse cell
        for (int k = 4; k < 11; ++k)
            for (int j = 4; j < 10; ++j)
                for (int i = 14; i < 20; ++i) close_cell(&w, i, j, k);
        *cell(&w.w[0], 16, 6, 6) = *cell(&w.w[0], 17, 6, 6) = 0.5f; // 15, 16, 17
        int c = 0;
        EACH_CELL(&s.p, i, j, k)
        {
            bool is_block = i >= 14 && i < 20 && j >= 4 && j < 10 && k >= 4 && k < 11;
            bool is_pocket = i >= 15 && i < 18 && j == 6 && k == 6;
            // Sealed parts come first in number.
            parts[c++] = is_pocket ? 1 : is_block ? 0 : i < 11 ? 3 : 2;
        }
        close_cell(&w, 3, 3, 3), parts[3 + 24 * (3 + 16 * 3)] = 0;
        weights_use(&s, &w);
        MultigridResult r = solve(&s, 1e-5f, 200, true);
        double left = weighted_residual(&s, &w, parts, open ? 2 : 3);
        print_message("rooms: %d cycles, %.1e left\n", r.cycles, left);
        assert_true(r.is_converged && left < 2e-5);
        free(parts);
        solver_free(&s), weights_free(&w);
    }
}

// Faces closed at random, odd weights among them. It may take long, it must not get worse.
static void test_mazes(void** state)
{
    (void)state;
    for (int n = 0; n < 12; ++n) {
        Solver s = weighted_solver(ctx, 24 + 8 * (n % 2), 16, 16 + n % 3, n % 4 == 0 ? 5 : 0);
        Weights w = weights_make(&s.def);
        float share = 0.1f * (float)(n + 1);
        for (int a = 0; a < 3; ++a) EACH_CELL(&w.w[a], i, j, k)
            {
                float* v = cell(&w.w[a], i, j, k);
                if (random_between(0.0f, 1.0f) < share)
                    *v = n % 3 == 0 ? 0.0f : random_between(-0.1f, 0.3f);
                if (n == 5 && random_between(0.0f, 1.0f) < 0.01f) *v = NAN;
            }
        weights_use(&s, &w);
        float last = 1.0f;
        for (int cycles = 4; cycles <= 1024; cycles *= 4) {
            field_set(&s.p, 0.0f);
            MultigridResult r = solve(&s, 1e-4f, cycles, true);
            assert_true(r.residual <= 1.0f && tarn__is_finite(r.residual));
            last = r.residual;
        }
        if (!(last < 2e-4f)) print_error("maze %d: %g\n", n, (double)last);
        assert_true(last < 2e-4f);
        int n_bad = 0;
        EACH_CELL(&s.p, i, j, k) n_bad += !tarn__is_finite(*cell(&s.p, i, j, k));
        assert_int_equal(n_bad, 0);
        assert_true(is_rim_marked(&s.p, true));
        solver_free(&s), weights_free(&w);
    }
}

// What the right-hand side holds in solids means nothing.
static void test_rubbish_in_solids(void** state)
{
    (void)state;
    static const float rubbish[] = { 0.0f, 1e20f, INFINITY, NAN };
    uint64_t hash = 0;
    for (int n = 0; n < 4; ++n) {
        random_at = 400;
        Solver s = weighted_solver(ctx, 24, 16, 20, 0);
        Weights w = weights_make(&s.def);
        for (int c = 0; c < 64; ++c) {
            int i = 8 + c % 4, j = 4 + c / 4 % 4, k = 9 + c / 16;
            close_cell(&w, i, j, k);
            *cell(&s.rhs, i, j, k) = *cell(&s.p, i, j, k) = rubbish[n];
        }
        weights_use(&s, &w);
        MultigridResult r = solve(&s, 1e-5f, 30, false);
        assert_true(r.is_converged);
        if (n == 0) hash = field_hash(&s.p);
        assert_true(field_hash(&s.p) == hash);
        solver_free(&s), weights_free(&w);
    }
}

static void test_all_solid(void** state)
{
    (void)state;
    for (unsigned open = 0; open < 2; ++open) {
        Solver s = weighted_solver(ctx, 16, 8, 8, open ? 63 : 0);
        Weights w = weights_make(&s.def);
        for (int a = 0; a < 3; ++a) field_set(&w.w[a], 0.0f);
        weights_use(&s, &w);
        field_set(&s.p, 5.0f);
        MultigridResult r = solve(&s, 1e-4f, 30, false);
        assert_true(r.is_converged && field_norm(&s.p) == 0.0);
        for (int a = 0; a < 3; ++a) field_set(&w.w[a], 1.0f); // and open again
        weights_use(&s, &w);
        assert_true(solve(&s, 1e-4f, 30, true).is_converged);
        assert_true(residual_of(&s.p, &s.rhs, !open) < 2e-4);
        solver_free(&s), weights_free(&w);
    }
}

// ---- The same bits -----------------------------------------------------------------------------------------

static uint64_t hash_of(int workers, TarnIsa isa, int n, bool has_weights)
{
    TarnContext* other = make_context(workers, isa);
    if (other == NULL) return 0;
    random_at = 1000;
    PoissonDef def = box(n, n == 96 ? 24 : n, n, has_weights ? 2 : 0);
    def.has_weights = has_weights;
    Solver s = solver_make(other, def);
    Weights w = weights_make(&def);
    close_sphere(&w, 0.3);
    if (has_weights) weights_use(&s, &w);
    solve(&s, 1e-5f, 3, true);
    uint64_t hash = field_hash(&s.p);
    solve(&s, 1e-6f, 2, false);
    hash ^= 3 * field_hash(&s.p);
    solver_free(&s), weights_free(&w);
    tarn_context_destroy(other);
    return hash;
}

static void test_workers(void** state)
{
    (void)state;
    static const int workers[] = { 1, 2, 3, 8 }, sizes[] = { 40, 64, 96 };
    for (int n = 0; n < (is_short_run() ? 1 : 3); ++n) {
        for (int has_weights = 0; has_weights < 2; ++has_weights) {
            uint64_t first = hash_of(1, TARN_ISA_BASELINE, sizes[n], has_weights);
            for (int isa = TARN_ISA_BASELINE; isa < TARN_ISA_COUNT; ++isa) {
                for (int k = 0; k < 4; ++k) {
                    uint64_t hash = hash_of(workers[k], (TarnIsa)isa, sizes[n], has_weights);
                    assert_true(hash == first || hash == 0);
                }
            }
        }
    }
}

// A second solve of the same gives the same: nothing stays behind but the guess.
static void test_again(void** state)
{
    (void)state;
    Solver s = weighted_solver(ctx, 32, 32, 32, 0);
    Weights w = weights_make(&s.def);
    close_sphere(&w, 0.3);
    weights_use(&s, &w);
    solve(&s, 1e-5f, 30, true);
    uint64_t hash = field_hash(&s.p);
    for (int a = 0; a < 3; ++a) field_set(&w.w[a], 1.0f);
    weights_use(&s, &w);
    field_random(&s.p);
    solve(&s, 1e-3f, 30, false);
    close_sphere(&w, 0.3);
    weights_use(&s, &w);
    solve(&s, 1e-5f, 30, true);
    assert_true(field_hash(&s.p) == hash);
    solver_free(&s), weights_free(&w);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_ALONE(test_against_transforms),
        TEST_ALONE(test_flat_box),
        TEST_ALONE(test_factor),
        TEST_ALONE(test_report),
        TEST_ALONE(test_guess),
        TEST_ALONE(test_sizes),
        TEST_ALONE(test_ones),
        TEST_ALONE(test_sphere),
        TEST_ALONE(test_rooms),
        TEST_ALONE(test_mazes),
        TEST_ALONE(test_all_solid),
        TEST_ALONE(test_rubbish_in_solids),
        TEST(test_workers),
        TEST_ALONE(test_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
