// Semi-Lagrangian and MacCormack advection of shallow water: the eight-wide kernels against the method
// written down for one face, bit for bit, over every kind of ground, edge and way.

#include "shallow_common.h"

// ---- The method, one face at a time ---------------------------------------------------------------

typedef struct Speeds {
    const float *u, *w; // now, at cell (0, 0)
    ptrdiff_t up;
    float k; // dt / dx [s/m]
} Speeds;

typedef struct Foot {
    ptrdiff_t x, z; // to the neighbors
    float a, b;     // how far toward them
} Foot;

static Foot foot_at(float dx, float dz, ptrdiff_t up)
{
    float a = fabsf(dx), b = fabsf(dz);
    return (Foot){ dx > 0.0f ? 1 : -1, dz > 0.0f ? up : -up, a < 1.0f ? a : 1.0f,
                   b < 1.0f ? b : 1.0f };
}

static float bilinear(float q00, float q10, float q01, float q11, Foot f)
{
    return (q00 + (f.a * (q10 - q00) + f.b * (q01 - q00))) +
           (f.a * f.b) * ((q00 + q11) - (q10 + q01));
}
static float sample(const float* q, Foot f)
{
    return bilinear(q[0], q[f.x], q[f.z], q[f.x + f.z], f);
}

// Mean of the other speed at a face. to: across the face, by: along it.
static float mean(const float* q, ptrdiff_t to, ptrdiff_t by)
{
    return 0.25f * ((q[-to] + q[0]) + (q[by - to] + q[by]));
}
static float sample_mean(const float* q, ptrdiff_t to, ptrdiff_t by, Foot f)
{
    return bilinear(mean(q, to, by), mean(q + f.x, to, by), mean(q + f.z, to, by),
                    mean(q + f.x + f.z, to, by), f);
}

// Where the water at face c was (sign -1) or will be (1), by the midpoint rule.
static Foot trace(const Speeds* s, ptrdiff_t c, bool is_u, float sign)
{
    float k = sign * s->k;
    ptrdiff_t up = s->up;
    float u = is_u ? s->u[c] : mean(s->u + c, up, 1), w = is_u ? mean(s->w + c, 1, up) : s->w[c];
    Foot half = foot_at(0.5f * k * u, 0.5f * k * w, up);
    u = is_u ? sample(s->u + c, half) : sample_mean(s->u + c, up, 1, half);
    w = is_u ? sample_mean(s->w + c, 1, up, half) : sample(s->w + c, half);
    return foot_at(k * u, k * w, up);
}

static float carried(const Speeds* s, ptrdiff_t c, bool is_u)
{
    const float* q = (is_u ? s->u : s->w) + c;
    return *q != 0.0f ? sample(q, trace(s, c, is_u, -1.0f)) : *q;
}

static bool is_deep(const TarnShallow* water, int i, int k, bool is_u)
{
    int i0 = is_u ? i - 3 : i - 2, k0 = is_u ? k - 2 : k - 3;
    if (i0 < 0 || k0 < 0 || i + 2 >= water->def.nx || k + 2 >= water->def.nz) return false;
    for (int z = k0; z <= k + 2; ++z) {
        for (int x = i0; x <= i + 2; ++x)
            if (!(water->h[shallow_cell(water, x, z)] > water->dry_depth)) return false;
    }
    return true;
}

static float corrected(const Speeds* s, const float* guess, ptrdiff_t c, bool is_u)
{
    const float* q = (is_u ? s->u : s->w) + c;
    float x = guess[c] + 0.5f * (q[0] - sample(guess + c, trace(s, c, is_u, 1.0f)));
    Foot f = trace(s, c, is_u, -1.0f);
    ptrdiff_t dx = f.a > 0.0f ? f.x : 0, dz = f.b > 0.0f ? f.z : 0;
    float lo = fminf(fminf(q[0], q[dx + dz]), fminf(q[dx], q[dz]));
    float hi = fmaxf(fmaxf(q[0], q[dx + dz]), fmaxf(q[dx], q[dz]));
    return x < lo ? lo : x > hi ? hi : x;
}

// ---- Against the kernels --------------------------------------------------------------------------

// Random water over hills, some dry, some still, some asleep; ghosts are random too.
static TarnShallow* make_random(TarnContext* where, int advection, int nx, int nz, float speed)
{
    TarnShallowDef def = water_def();
    def.nx = nx, def.nz = nz;
    def.advection = advection;
    def.bed_fn = water_hills;
    def.level = 1.5f, def.has_level = true;
    TarnShallow* water = make_water_in(where, &def);
    size_t first = shallow_first(water), n = shallow_floats(water);
    for (size_t c = 0; c < n; ++c) {
        bool flows = uniform(0.0f, 1.0f) > 0.1f;
        (water->u - first)[c] = flows ? uniform(-speed, speed) : 0.0f;
        (water->w - first)[c] = flows ? uniform(-speed, speed) : 0.0f;
    }
    for (int t = 0; t < water->tiles_x * water->tiles_z; ++t)
        water->awake[t] = t == 0 || uniform(0.0f, 1.0f) > 0.25f;
    return water;
}

static bool differs(float a, float b) // the sign of zero does not count: fminf may choose it
{
    return !(a == b);
}

static void compare(TarnContext* where, int advection, int nx, int nz, float speed)
{
    TarnShallow* water = make_random(where, advection, nx, nz, speed);
    size_t first = shallow_first(water), n = shallow_floats(water);
    float* want[4]; // u, w carried; u, w corrected
    for (int f = 0; f < 4; ++f) want[f] = calloc(n, sizeof(float));
    for (int f = 0; f < 4; ++f) want[f] += first;
    Speeds s = { water->u, water->w, water->stride, 0.1f / water->def.dx };
    for (int pass = 0; pass < 2; ++pass) {
        for (int c = 0; c < nx * nz; ++c) {
            int i = c % nx, k = c / nx;
            ptrdiff_t at = (ptrdiff_t)shallow_cell(water, i, k);
            bool awake = water->awake[shallow_tile(water, i / SHALLOW_TILE_X, k / SHALLOW_TILE_Z)];
            for (int f = 0; f < 2; ++f) {
                const float* q = f == 0 ? s.u : s.w;
                if (pass == 0)
                    want[f][at] = awake ? carried(&s, at, f == 0) : q[at];
                else
                    want[2 + f][at] = awake && is_deep(water, i, k, f == 0)
                                          ? corrected(&s, want[f], at, f == 0)
                                          : want[f][at];
            }
        }
    }
    tarn__shallow_advect(water, 0.1f);
    int second = advection == TARN_ADVECTION_MACCORMACK ? 2 : 0, moved = 0;
    for (int c = 0; c < nx * nz; ++c) {
        size_t at = shallow_cell(water, c % nx, c / nx);
        if (differs(water->u[at], want[second][at]) ||
            differs(water->w[at], want[second + 1][at])) {
            print_error("%d x %d, speed %g, cell (%d, %d): u %.9g, not %.9g; w %.9g, not %.9g\n",
                        nx, nz, (double)speed, c % nx, c / nx, (double)water->u[at],
                        (double)want[second][at], (double)water->w[at],
                        (double)want[second + 1][at]);
            fail();
        }
        moved += differs(water->u[at], (second == 0 ? water->u1 : water->u2)[at]);
    }
    assert_true(nx * nz < 1000 || moved > nx * nz / 8);
    for (int f = 0; f < 4; ++f) free(want[f] - first);
    tarn_shallow_destroy(water);
}

static void test_kernels(void** state)
{
    (void)state;
    const int sizes[][2] = {
        { 4, 4 }, { 5, 37 }, { 64, 32 }, { 100, 40 }, { 131, 70 }, { 601, 45 }
    };
    const float speeds[] = { 0.3f, 2.0f, 60.0f }; // the way is 0.06, 0.4 and up to 12 cells
    for (int isa = 0; isa < 2; ++isa) {
        TarnContext* where = make_context(1 + 2 * isa, isa ? TARN_ISA_AUTO : TARN_ISA_BASELINE);
        for (int n = 0; n < 6 * 3; ++n) {
            for (int advection = 1; advection <= 2; ++advection)
                compare(where, advection, sizes[n / 3][0], sizes[n / 3][1], speeds[n % 3]);
        }
        tarn_context_destroy(where);
    }
}

// A whole run: hills, a shore, sleeping tiles, an open edge, a hit; the same for all workers and lanes.
static uint64_t run_hash(int advection, int workers, int isa)
{
    TarnContext* where = make_context(workers, isa);
    TarnShallowDef def = water_def();
    def.nx = 300, def.nz = 150;
    def.advection = advection;
    def.bed_fn = water_hills;
    def.level = 1.0f, def.has_level = true;
    def.edge_x1 = TARN_SHALLOW_OPEN;
    TarnShallow* water = make_water_in(where, &def);
    assert_ok(tarn_shallow_add_water(water, water_middle, 6.0f, 100.0f, NULL));
    TarnStepReport report = { 0 };
    int frames = is_short_run() ? 24 : 120;
    for (int n = 0; n < frames; ++n) {
        report = advance(water, frame);
        assert_water_sane(water);
        if (n == frames / 2) assert_ok(tarn_shallow_shift(water, 5, -3));
    }
    assert_true(report.tiles_awake > 0);
    if (!is_short_run()) assert_true(report.tiles_awake < report.tiles_total); // it takes a second
    assert_closed(water, 1e5);
    uint64_t hash = tarn_shallow_hash(water);
    tarn_shallow_destroy(water);
    tarn_context_destroy(where);
    return hash;
}

static void test_same_bits(void** state)
{
    (void)state;
    for (int advection = 1; advection <= 2; ++advection) {
        uint64_t hash = run_hash(advection, 1, TARN_ISA_AUTO);
        assert_true(run_hash(advection, 1, TARN_ISA_BASELINE) == hash);
        assert_true(run_hash(advection, 3, TARN_ISA_AUTO) == hash);
        assert_true(run_hash(advection, 8, TARN_ISA_BASELINE) == hash);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { TEST(test_kernels), TEST(test_same_bits) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
