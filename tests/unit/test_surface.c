// The Surface plug: area, push and pour of every water, and what is refused; sums and patchworks against
// surfaces that are known, continuous at their rims.

#include "surface_common.h"

// ---- Push and pour -------------------------------------------------------------------------------

enum { WAVE, SHALLOW, PIPES, WATERS };
typedef struct Water {
    int kind;
    TarnWave* wave;
    TarnShallow* shallow;
    TarnPipes* pipes;
    TarnSurface surface;
} Water;

static Water make(int kind)
{
    TarnVec2 origin = { 3.0f, -2.0f };
    Water w = { .kind = kind };
    if (kind == WAVE)
        w.wave = small_wave(ctx, origin, false), w.surface = tarn_wave_surface(w.wave);
    if (kind == SHALLOW)
        w.shallow = small_shallow(ctx, origin, false), w.surface = tarn_shallow_surface(w.shallow);
    if (kind == PIPES) w.pipes = small_pipes(ctx, origin), w.surface = tarn_pipes_surface(w.pipes);
    return w;
}
static void destroy(Water* w)
{
    tarn_wave_destroy(w->wave);
    tarn_shallow_destroy(w->shallow);
    tarn_pipes_destroy(w->pipes);
}
static void advance(Water* w)
{
    if (w->wave) assert_ok(tarn_wave_step(w->wave, frame, NULL));
    if (w->shallow) assert_ok(tarn_shallow_step(w->shallow, frame, NULL));
    if (w->pipes) assert_ok(tarn_pipes_step(w->pipes, frame, NULL));
}
static double volume_of(const Water* w)
{
    if (w->wave) return tarn_wave_volume(w->wave);
    if (w->shallow) return tarn_shallow_ledger(w->shallow).volume;
    return tarn_pipes_ledger(w->pipes).volume;
}
static double sources_of(const Water* w)
{
    if (w->wave) return tarn_wave_ledger(w->wave).sourced;
    if (w->shallow) return tarn_shallow_ledger(w->shallow).sources;
    return tarn_pipes_ledger(w->pipes).sources;
}
static uint64_t hash_of(const Water* w)
{
    if (w->wave) return tarn_wave_hash(w->wave);
    if (w->shallow) return tarn_shallow_hash(w->shallow);
    return tarn_pipes_hash(w->pipes);
}
// Waves have no volume that is counted in grains.
static double exact(const Water* w)
{
    return w->wave ? 2e-5 : 0.0;
}

static TarnSurfacePush a_push(float volume)
{
    return (TarnSurfacePush){ .center = { 8.0f, 2.0f },
                              .from = { 11.0f, 1.0f },
                              .radius = 0.8f,
                              .from_radius = 1.1f,
                              .volume = volume,
                              .dt = frame };
}

static void test_area(void** state)
{
    (void)state;
    for (int kind = 0; kind < WATERS; ++kind) {
        Water w = make(kind);
        TarnVec2 min, max;
        assert_true(tarn_surface_area(w.surface, &min, &max));
        assert_true(min.x == 3.0f && min.y == -2.0f && max.x == 15.0f && max.y == 6.0f);
        assert_true(tarn_surface_covers(w.surface, 3.5f, 0.0f));
        assert_false(tarn_surface_covers(w.surface, 2.5f, 0.0f));
        if (w.shallow) { // a window answers for now
            assert_ok(tarn_shallow_shift(w.shallow, 4, -8));
            assert_true(tarn_surface_area(w.surface, &min, &max));
            assert_true(min.x == 4.0f && min.y == -4.0f);
        }
        destroy(&w);
    }
    Host host = { .depth = 1.0f };
    TarnVec2 min = { 7.0f, 7.0f }, max = min;
    assert_false(tarn_surface_area(host_surface(&host), &min, &max));
    assert_true(min.x == 7.0f && tarn_surface_covers(host_surface(&host), 1e5f, 0.0f));
    assert_false(tarn_surface_covers((TarnSurface){ 0 }, 0.0f, 0.0f));
}

// Water goes from one disc to the other, no drop is made or lost, and back again with the sign.
static void test_push_keeps_the_volume(void** state)
{
    (void)state;
    for (int kind = 0; kind < WATERS; ++kind) {
        Water w = make(kind);
        double before = volume_of(&w);
        TarnSurfacePush push = a_push(0.3f);
        TarnSurfaceTaken taken;
        assert_ok(tarn_surface_push(w.surface, &push, &taken));
        assert_true(fabs(taken.volume - 0.3) < 1e-3);
        assert_true(fabs(volume_of(&w) - before) <= exact(&w));
        assert_true(tarn_surface_height(w.surface, 8.0f, 2.0f) > deep + 0.1f);
        assert_true(tarn_surface_height(w.surface, 11.0f, 1.0f) < deep - 0.1f);
        push.volume = -0.3f;
        assert_ok(tarn_surface_push(w.surface, &push, &taken));
        assert_true(fabs(taken.volume + 0.3) < 1e-3);
        assert_true(fabs((double)tarn_surface_height(w.surface, 8.0f, 2.0f) - 2.0) < 0.02);
        // Anything, anywhere: over the rim, much too much, in one place.
        for (int n = 0; n < 200; ++n) {
            push.center = (TarnVec2){ uniform(0.0f, 18.0f), uniform(-5.0f, 9.0f) };
            push.from =
                pick(2) ? push.center : (TarnVec2){ uniform(0.0f, 18.0f), uniform(-5.0f, 9.0f) };
            push.radius = scale(0.01f, 10.0f), push.from_radius = scale(0.01f, 10.0f);
            push.volume = uniform(-1.0f, 1.0f) * scale(1e-6f, w.wave ? 10.0f : 1e6f);
            push.impulse = (TarnVec3){ uniform(-1e4f, 1e4f), 0.0f, uniform(-1e4f, 1e4f) };
            double now = volume_of(&w);
            assert_ok(tarn_surface_push(w.surface, &push, &taken));
            if (fabs(volume_of(&w) - now) > exact(&w))
                print_error("kind %d, push %d: %g m^3\n", kind, n, volume_of(&w) - now);
            assert_true(fabs(volume_of(&w) - now) <= exact(&w));
            assert_true(fabs(taken.volume) <= 1.001 * fabs((double)push.volume) + 1e-3);
            advance(&w);
        }
        // Columns that pile up beyond max_depth are not counted by the grain while they flow.
        assert_true(fabs(volume_of(&w) - before) <= (w.wave ? 1e-3 : 1e-5));
        assert_true(sources_of(&w) == 0.0);
        destroy(&w);
    }
}

// What is given is what the water has more of.
static double momentum_x(const Water* w)
{
    double sum = 0.0, mass = 1000.0 * (double)cell * (double)cell;
    if (w->pipes) {
        TarnView2 q = tarn_pipes_discharge_x(w->pipes);
        for (int c = 0; c < q.nx * q.nz; ++c)
            sum += mass * (double)q.data[c % q.nx + (ptrdiff_t)q.stride * (c / q.nx)];
        return sum;
    }
    TarnView2 u = tarn_shallow_velocity_x(w->shallow), h = tarn_shallow_depth(w->shallow);
    for (int k = 0; k < CELLS_Z; ++k) {
        for (int i = 1; i < CELLS_X; ++i) {
            ptrdiff_t c = i + (ptrdiff_t)h.stride * k;
            double depth = 0.5 * ((double)h.data[c] + (double)h.data[c - 1]);
            sum += mass * depth * (double)u.data[i + (ptrdiff_t)u.stride * k];
        }
    }
    return sum;
}

static void test_impulse(void** state)
{
    (void)state;
    for (int kind = SHALLOW; kind < WATERS; ++kind) {
        Water w = make(kind);
        TarnSurfacePush push = a_push(0.0f);
        push.impulse = (TarnVec3){ 700.0f, -300.0f, 0.0f };
        TarnSurfaceTaken taken;
        assert_ok(tarn_surface_push(w.surface, &push, &taken));
        assert_true(fabs((double)taken.impulse.x - 700.0) < 0.1 && taken.impulse.y == 0.0f);
        assert_true(fabs(momentum_x(&w) - 700.0) < 0.1);
        // Far too much is taken in part.
        push.impulse.x = 1e14f;
        assert_ok(tarn_surface_push(w.surface, &push, &taken));
        assert_true(taken.impulse.x < 1e10f && taken.impulse.x > 0.0f);
        for (int n = 0; n < 5; ++n) advance(&w);
        destroy(&w);
    }
    // Waves have it as a slope that goes the way of the impulse: up in front, down behind.
    Water w = make(WAVE);
    TarnSurfacePush push = a_push(0.0f);
    push.impulse.x = 700.0f;
    TarnSurfaceTaken taken;
    for (int n = 0; n < 3; ++n) advance(&w);
    assert_ok(tarn_wave_add_drop(w.wave, (TarnVec2){ 4.0f, -1.0f }, 0.5f, 1e-3f)); // it is awake
    advance(&w);
    assert_ok(tarn_surface_push(w.surface, &push, &taken));
    assert_true(fabs((double)taken.impulse.x - 700.0) < 0.1);
    for (int n = 0; n < 6; ++n) advance(&w);
    assert_true(tarn_surface_height(w.surface, 8.5f, 2.0f) > deep + 0.01f);
    assert_true(tarn_surface_height(w.surface, 7.5f, 2.0f) < deep - 0.01f);
    assert_true(fabs(volume_of(&w)) < 1e-5);
    destroy(&w);
}

// What is poured stands in the ledger, to the last grain.
static void test_pour(void** state)
{
    (void)state;
    for (int kind = 0; kind < WATERS; ++kind) {
        Water w = make(kind);
        double before = volume_of(&w), in = 0.0;
        TarnSurfacePour pour = { .center = { 9.0f, 2.0f }, .radius = 1.0f, .volume = 0.5f };
        TarnSurfaceTaken taken;
        pour.impulse.x = 200.0f;
        for (int n = 0; n < 3; ++n) advance(&w);
        assert_ok(tarn_surface_pour(w.surface, &pour, &taken));
        assert_true(fabs(taken.volume - 0.5) < 1e-3);
        if (!w.wave) assert_true(fabs(momentum_x(&w) - 200.0) < 0.1);
        if (!w.wave) assert_true(fabs((double)taken.impulse.x - 200.0) < 0.1);
        in += taken.volume;
        assert_true(fabs(volume_of(&w) - before - in) <= exact(&w));
        assert_true(fabs(sources_of(&w) - in) <= 1e-12);
        pour.volume = -0.2f; // what goes out takes its momentum along
        assert_ok(tarn_surface_pour(w.surface, &pour, &taken));
        assert_true(fabs(taken.volume + 0.2) < 1e-3);
        if (!w.wave) assert_true(taken.impulse.x < 0.0f && taken.impulse.x > -100.0f);
        in += taken.volume;
        if (!w.wave) { // no more than there is
            double left = volume_of(&w);
            pour = (TarnSurfacePour){ .center = { 9.0f, 2.0f }, .radius = 50.0f, .volume = -1e6f };
            assert_ok(tarn_surface_pour(w.surface, &pour, &taken));
            assert_true(taken.volume < 0.0 && taken.volume >= -left);
            in += taken.volume;
        }
        pour = (TarnSurfacePour){ .center = { 99.0f, 2.0f }, .radius = 1.0f, .volume = 1.0f };
        assert_ok(tarn_surface_pour(w.surface, &pour, &taken)); // not in the water
        assert_true(taken.volume == 0.0);
        for (int n = 0; n < 20; ++n) advance(&w);
        assert_true(fabs(volume_of(&w) - before - in) <= (w.wave ? 1e-4 : 0.0));
        destroy(&w);
    }
}

static void test_refused(void** state)
{
    (void)state;
    const float bad[] = { NAN, INFINITY, -INFINITY, 1e30f };
    for (int kind = 0; kind < WATERS; ++kind) {
        Water w = make(kind);
        uint64_t hash = hash_of(&w);
        for (int n = 0; n < 4; ++n) {
            for (int field = 0; field < 7; ++field) {
                TarnSurfacePush push = a_push(0.1f);
                TarnSurfacePour pour = { .center = { 9, 2 }, .radius = 1.0f, .volume = 0.1f };
                TarnSurfaceTaken taken = { .volume = 3.0 };
                if (field == 0) push.center.x = pour.center.x = bad[n];
                if (field == 1) push.radius = pour.radius = bad[n];
                if (field == 2) push.volume = pour.volume = bad[n];
                if (field == 3) push.impulse.z = pour.impulse.z = bad[n];
                if (field == 4) push.radius = pour.radius = 0.0f;
                if (field == 5) push.from.y = bad[n], pour.radius = -1.0f;
                if (field == 6) push.dt = bad[n], pour.center.y = bad[n];
                assert_result(tarn_surface_push(w.surface, &push, &taken), TARN_ERR_ARG, "push.");
                assert_true(taken.volume == 0.0);
                assert_result(tarn_surface_pour(w.surface, &pour, NULL), TARN_ERR_ARG, "pour.");
            }
        }
        assert_int_equal(tarn_surface_push(w.surface, NULL, NULL), TARN_ERR_ARG);
        assert_int_equal(tarn_surface_pour(w.surface, NULL, NULL), TARN_ERR_ARG);
        assert_true(hash_of(&w) == hash);
        destroy(&w);
    }
    Host host = { .depth = 1.0f };
    TarnSurface read_only = { .self = &host, .query = host_query };
    TarnSurfacePush push = a_push(0.1f);
    TarnSurfacePour pour = { .center = { 9, 2 }, .radius = 1.0f, .volume = 0.1f };
    assert_int_equal(tarn_surface_push(read_only, &push, NULL), TARN_ERR_UNSUPPORTED);
    assert_int_equal(tarn_surface_pour(read_only, &pour, NULL), TARN_ERR_UNSUPPORTED);
}

// ---- Sums ----------------------------------------------------------------------------------------

typedef struct Sample {
    float height, depth;
    TarnVec3 normal, velocity;
} Sample;

static Sample sample(TarnSurface surface, float x, float z)
{
    Sample s = { 0 };
    TarnSurfaceSamples out = { &s.height, &s.normal, &s.velocity, &s.depth };
    assert_int_equal(tarn_surface_query(surface, 1, &x, &z, &out), TARN_OK);
    return s;
}

static bool is_near(double a, double b, double tolerance)
{
    if (fabs(a - b) <= tolerance) return true;
    print_error("%.9g is not %.9g +- %g\n", a, b, tolerance);
    return false;
}

// The normal is that of the heights around.
static void assert_normal(TarnSurface surface, float x, float z, double tolerance)
{
    const float h = 4e-3f;
    Sample s = sample(surface, x, z);
    double sx = (double)(sample(surface, x + h, z).height - sample(surface, x - h, z).height);
    double sz = (double)(sample(surface, x, z + h).height - sample(surface, x, z - h).height);
    assert_true(is_near((double)(-s.normal.x / s.normal.y), sx / (2.0 * (double)h), tolerance));
    assert_true(is_near((double)(-s.normal.z / s.normal.y), sz / (2.0 * (double)h), tolerance));
    TarnVec3 n = s.normal;
    assert_true(is_near((double)(n.x * n.x + n.y * n.y + n.z * n.z), 1.0, 1e-5));
}

static void test_sum(void** state)
{
    (void)state;
    Host ocean = {
        .level = 10.0f, .slope_x = 0.1f, .depth = 5.0f, .velocity = { 1.0f, 0.0f, 0.0f }
    };
    Host wakes = { .level = 3.0f, .amplitude = 0.5f, .k = 0.7f, .velocity = { 0.0f, 2.0f, 0.5f } };
    Host ripples = { .level = -1.0f, .slope_z = -0.2f };
    wakes.is_bounded = true;
    wakes.min = (TarnVec2){ 0.0f, 0.0f }, wakes.max = (TarnVec2){ 20.0f, 10.0f };
    TarnSurfaceSum sum = { .members = { host_surface(&ocean), host_surface(&wakes),
                                        host_surface(&ripples) },
                           .level = { 99.0f, 3.0f, -1.0f },
                           .n = 3,
                           .rim = 2.0f };
    TarnSurface surface = tarn_surface_sum(&sum);
    // Well inside: plain sums.
    Sample s = sample(surface, 7.0f, 5.0f);
    double offset = 0.5 * sin(0.7 * 7.0) - 0.2 * 5.0;
    assert_true(is_near((double)s.height, 10.0 + 0.7 + offset, 1e-5));
    assert_true(is_near((double)s.depth, 5.0 + offset, 1e-5));
    assert_true(is_near((double)s.velocity.x, 1.0, 1e-6) &&
                is_near((double)s.velocity.y, 2.0, 1e-6) &&
                is_near((double)s.velocity.z, 0.5, 1e-6));
    double slope = 0.1 + 0.35 * cos(0.7 * 7.0);
    assert_true(is_near((double)(-s.normal.x / s.normal.y), slope, 1e-5));
    assert_true(is_near((double)(-s.normal.z / s.normal.y), -0.2, 1e-5));
    // Outside of the wakes there are none; at their rim they fade in, and the normal knows.
    s = sample(surface, -3.0f, 5.0f);
    assert_true(is_near((double)s.height, 10.0 - 0.3 - 1.0, 1e-5) && s.velocity.y == 0.0f);
    for (int n = 0; n < 200; ++n)
        assert_normal(surface, uniform(-1.0f, 21.0f), uniform(-1.0f, 11.0f), 4e-3);
    for (float x = -0.5f; x < 21.0f; x += 0.01f) { // no steps
        double step =
            (double)(sample(surface, x + 0.01f, 5.0f).height - sample(surface, x, 5.0f).height);
        assert_true(fabs(step) < 0.015);
    }
    // Dry land stays dry, and no sum has less than no water.
    ocean.depth = 0.0f;
    s = sample(surface, 7.0f, 5.0f);
    assert_true(s.depth == 0.0f && is_near((double)s.height, 10.7, 1e-5));
    ocean.depth = 0.25f;
    s = sample(surface, 7.0f, 9.0f);
    assert_true(s.depth == 0.0f && is_near((double)s.height, 10.7 - 0.25, 1e-5));
    // A push goes to the first that takes it: the ocean, then the wakes where they are.
    TarnSurfacePush push = a_push(0.1f);
    push.center = (TarnVec2){ 5.0f, 5.0f };
    assert_int_equal(tarn_surface_push(surface, &push, NULL), TARN_OK);
    assert_int_equal(ocean.pushes, 1);
    sum.members[0].push = NULL;
    assert_int_equal(tarn_surface_push(surface, &push, NULL), TARN_OK);
    push.center.x = -5.0f;
    assert_int_equal(tarn_surface_push(surface, &push, NULL), TARN_OK);
    assert_true(ocean.pushes == 1 && wakes.pushes == 1 && ripples.pushes == 1);
    sum.members[2].push = NULL;
    assert_int_equal(tarn_surface_push(surface, &push, NULL), TARN_ERR_UNSUPPORTED);
    TarnSurfacePour pour = { .center = { 5.0f, 5.0f }, .radius = 1.0f, .volume = 1.0f };
    assert_int_equal(tarn_surface_pour(surface, &pour, NULL), TARN_OK);
    assert_int_equal(ocean.pours, 1);
    // Members that are not there, and none at all.
    sum.n = 1000;
    assert_true(tarn__is_finite(sample(surface, 7.0f, 5.0f).height));
    sum.n = 0;
    assert_true(sample(surface, 7.0f, 5.0f).height == 0.0f);
    assert_true(tarn_surface_sum(NULL).query == NULL);
}

// ---- Patchworks ----------------------------------------------------------------------------------

static void test_patchwork(void** state)
{
    (void)state;
    Host lake = { .level = 1.0f, .amplitude = 0.2f, .k = 0.3f, .depth = 8.0f };
    Host fine = {
        .level = 1.5f, .slope_z = 0.05f, .depth = 6.0f, .velocity = { 3.0f, 0.0f, 0.0f }
    };
    fine.is_bounded = true;
    fine.min = (TarnVec2){ 10.0f, 10.0f }, fine.max = (TarnVec2){ 30.0f, 22.0f };
    Host top = fine;
    top.level = 2.0f, top.min = (TarnVec2){ 25.0f, 12.0f }, top.max = (TarnVec2){ 35.0f, 20.0f };
    TarnSurfacePatchwork work = { .base = host_surface(&lake),
                                  .patches = { host_surface(&fine), host_surface(&top) },
                                  .n = 2,
                                  .rim = 3.0f };
    TarnSurface surface = tarn_surface_patchwork(&work);
    Sample in = sample(surface, 18.0f, 16.0f), out = sample(surface, 4.0f, 4.0f);
    assert_true(is_near((double)in.height, 1.5 + 0.8, 1e-5) &&
                is_near((double)in.depth, 6.0, 1e-5));
    assert_true(is_near((double)in.velocity.x, 3.0, 1e-5));
    assert_true(is_near((double)out.height, 1.0 + 0.2 * sin(1.2), 1e-5));
    assert_true(is_near((double)out.depth, 8.0, 1e-6) && out.velocity.x == 0.0f);
    // Half way in it is half of each: 11.5 is 1.5 m from the rim.
    Sample mid = sample(surface, 11.5f, 16.0f);
    assert_true(is_near((double)mid.height, 0.5 * (1.0 + 0.2 * sin(3.45) + 2.3), 1e-5));
    assert_true(is_near((double)mid.depth, 7.0, 1e-5) &&
                is_near((double)mid.velocity.x, 1.5, 1e-5));
    // The upper patch hides the lower one.
    assert_true(is_near((double)sample(surface, 29.0f, 16.0f).height, 2.0 + 0.8, 1e-5));
    for (int n = 0; n < 300; ++n)
        assert_normal(surface, uniform(5.0f, 40.0f), uniform(5.0f, 27.0f), 6e-3);
    Sample last = sample(surface, 5.0f, 15.3f);
    for (float x = 5.0f; x < 40.0f; x += 0.01f) { // no steps, in anything
        Sample s = sample(surface, x, 15.3f);
        assert_true(fabsf(s.height - last.height) < 0.02f && fabsf(s.depth - last.depth) < 0.02f);
        assert_true(fabsf(s.velocity.x - last.velocity.x) < 0.03f);
        assert_true(fabsf(s.normal.x - last.normal.x) < 0.02f);
        last = s;
    }
    TarnSurfacePush push = a_push(0.1f);
    push.center = (TarnVec2){ 28.0f, 16.0f };
    assert_int_equal(tarn_surface_push(surface, &push, NULL), TARN_OK);
    push.center.x = 20.0f;
    assert_int_equal(tarn_surface_push(surface, &push, NULL), TARN_OK);
    push.center.x = 2.0f;
    assert_int_equal(tarn_surface_push(surface, &push, NULL), TARN_OK);
    assert_true(top.pushes == 1 && fine.pushes == 1 && lake.pushes == 1);
    TarnSurfacePour pour = { .center = { 20.0f, 16.0f }, .radius = 1.0f, .volume = 1.0f };
    assert_int_equal(tarn_surface_pour(surface, &pour, NULL), TARN_OK);
    assert_int_equal(fine.pours, 1);
    // A rim of nothing, and one that is no number, are sharp.
    work.rim = NAN;
    assert_true(is_near((double)sample(surface, 10.01f, 16.0f).height, 2.3, 1e-5));
    assert_true(tarn_surface_patchwork(NULL).query == NULL);
}

// A real solver as a patch over a real one, in batches of any size: as point by point.
static void test_patchwork_of_solvers(void** state)
{
    (void)state;
    TarnWave* wide = small_wave(ctx, (TarnVec2){ 0.0f, 0.0f }, false);
    TarnShallow* fine = small_shallow(ctx, (TarnVec2){ 5.0f, 3.0f }, false);
    assert_ok(tarn_wave_add_drop(wide, (TarnVec2){ 6.0f, 4.0f }, 1.0f, 0.2f));
    for (int n = 0; n < 20; ++n) assert_ok(tarn_wave_step(wide, frame, NULL));
    TarnSurfacePatchwork work = { .base = tarn_wave_surface(wide),
                                  .patches = { tarn_shallow_surface(fine) },
                                  .n = 1,
                                  .rim = 1.0f };
    TarnSurface surface = tarn_surface_patchwork(&work);
    enum { N = 301 };
    float x[N], z[N], height[N];
    for (int n = 0; n < N; ++n) x[n] = uniform(-2.0f, 20.0f), z[n] = uniform(-2.0f, 14.0f);
    x[7] = NAN, z[9] = INFINITY;
    assert_ok(tarn_surface_query(surface, N, x, z, &(TarnSurfaceSamples){ .height = height }));
    for (int n = 0; n < N; ++n) {
        assert_true(tarn__is_finite(height[n]));
        assert_true(height[n] == sample(surface, x[n], z[n]).height);
    }
    tarn_wave_destroy(wide);
    tarn_shallow_destroy(fine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_area),      TEST(test_push_keeps_the_volume),
        TEST(test_impulse),   TEST(test_pour),
        TEST(test_refused),   TEST(test_sum),
        TEST(test_patchwork), TEST(test_patchwork_of_solvers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
