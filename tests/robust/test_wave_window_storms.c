// Dispersive waves, wave particles and ripples that flow, by their classes: bad defs, failing memory, storms of pushes with
// any parameters and dt, the same bits for any number of workers and instruction set, snapshots, good and damaged.

#include "tests/robust/damaged.h"
#include "tests/robust/finite.h"
#include "tests/sanitized.h"
#include "tests/unit/test_common.h"
#include "base/param.h"
#include "tarn/solver.h"

enum { CLASSES = 3, VARIANTS = 4, DEF_ROOM = 1024 };
static const char* const names[CLASSES] = { "ripple", "wave_particles", "flow_ripples" };
static const struct {
    int workers;
    TarnIsa isa;
} variants[VARIANTS] = {
    { 1, TARN_ISA_BASELINE }, { 1, TARN_ISA_AVX2 }, { 3, TARN_ISA_AVX512 }, { 4, TARN_ISA_AUTO }
};

typedef union Def {
    TarnRippleDef ripple;
    TarnWaveParticlesDef particles;
    TarnFlowRipplesDef flow;
    char room[DEF_ROOM];
} Def;

static uint8_t land[64 * 64];

// Small ones.
static Def small(const TarnSolverClass* of, int n)
{
    Def def;
    of->init_def(&def);
    if (of == tarn_ripple_class()) {
        def.ripple.n = 64, def.ripple.rim = 8 * (n % 3), def.ripple.dx = n % 2 ? 0.25f : 0.01f;
        for (int c = 0; c < 64 * 64; ++c) land[c] = tarn__random(3, 4, (uint64_t)c) % 7 == 0;
        if (n % 4 == 3) def.ripple.land = land;
    } else if (of == tarn_wave_particles_class()) {
        def.particles.nx = 50 + n % 9, def.particles.nz = 40 + n % 7,
        def.particles.radii = 1 + n % 4;
        def.particles.max_particles = 700;
        for (int e = 0; e < 4; ++e) *(&def.particles.edge_x0 + e) = n >> e & 1;
    } else {
        def.flow.nx = 20, def.flow.nz = 17, def.flow.tile = 64;
    }
    return def;
}

static void* make(TarnContext* where, const TarnSolverClass* of, const Def* def)
{
    void* solver;
    TarnResult result = of->create(where, def, &solver);
    if (result != TARN_OK) print_error("%s\n", tarn_last_error(where));
    assert_int_equal(result, TARN_OK);
    return solver;
}

static void random_params(const TarnSolverClass* of, void* solver)
{
    const TarnParamTable* table = of->params_table();
    Def params;
    of->get_params(solver, &params);
    for (int i = 0; i < table->count; ++i) {
        const TarnParam* p = &table->params[i];
        double value[3] = { p->min + (p->max - p->min) * (double)uniform(0.0f, 1.0f) };
        if (p->scale != 0.0) value[0] *= p->scale;
        if (pick(3) == 0) tarn__param_restore(p, &params, value);
    }
    assert_int_equal(of->set_params(solver, &params), TARN_OK);
}

static TarnVec2 somewhere(void)
{
    float far = pick(8) ? 5.0f : 1e6f;
    return (TarnVec2){ uniform(-far, far), uniform(-far, far) };
}

// What a host may do to one of them between two steps.
static void bother(const TarnSolverClass* of, void* solver)
{
    TarnSurface surface = of->surface(solver);
    TarnSurfacePush push = { .center = somewhere(),
                             .from = somewhere(),
                             .radius = scale(0.01f, 1e6f),
                             .from_radius = scale(0.01f, 1e3f),
                             .volume = uniform(-1, 1) * scale(1e-3f, 1e12f),
                             .impulse = { uniform(-1e15f, 1e15f), uniform(-1e6f, 1e6f), 3 },
                             .dt = uniform(0, 10) };
    TarnSurfacePour pour = { .center = somewhere(),
                             .radius = scale(0.01f, 1e4f),
                             .volume = uniform(-1e12f, 1e12f) };
    tarn_surface_push(surface, &push, NULL);
    tarn_surface_pour(surface, &pour, NULL);
    if (of == tarn_ripple_class()) {
        tarn_ripple_add_drop(solver, somewhere(), scale(0.001f, 1e4f), uniform(-1e4f, 1e4f));
        tarn_ripple_add_stroke(solver, somewhere(), somewhere(), uniform(0, 3), 0.3f);
        tarn_ripple_add_pressure(solver, somewhere(), uniform(0, 3), uniform(-1e9f, 1e9f),
                                 uniform(0, 10));
        tarn_ripple_shift(solver, pick(5) - 2, pick(9) - 4);
    }
    if (of == tarn_wave_particles_class()) {
        TarnWavePartitionDef wall = tarn_wave_partition_default_def();
        wall.a = somewhere(), wall.b = somewhere();
        tarn_wave_particles_add_partition(solver, &wall, NULL);
        tarn_wave_particles_add_drop(solver, somewhere(), uniform(0, 2), uniform(-1e4f, 1e4f));
        tarn_wave_particles_add_front(solver, somewhere(), somewhere(), pick(3), uniform(-1, 1));
        tarn_wave_particles_shift(solver, pick(5) - 2, pick(5) - 2);
    }
}

static void wild_flow(const void* self, int n, const float* x, const float* z,
                      const TarnSurfaceSamples* out)
{
    (void)self;
    for (int i = 0; i < n; ++i) {
        float v = x[i] * 3.0f > z[i] ? 1e30f : -20.0f;
        if (out->velocity) out->velocity[i] = (TarnVec3){ v, 0, i % 5 ? z[i] : NAN };
        if (out->depth) out->depth[i] = i % 3 ? 0.5f : NAN;
    }
}

static void advance(const TarnSolverClass* of, void* solver, TarnBodies* bodies, float dt)
{
    TarnAround around = { .bodies = bodies, .base = { .query = wild_flow } };
    TarnStepReport report;
    around.water = of->surface(solver);
    assert_int_equal(of->step(solver, &around, dt, &report), TARN_OK);
}

static TarnBodies* make_bodies(TarnContext* where)
{
    TarnBodies* bodies;
    TarnBodiesDef def = tarn_bodies_default_def();
    def.max_bodies = 4;
    assert_int_equal(tarn_bodies_create(where, &def, &bodies), TARN_OK);
    for (int i = 0; i < 4; ++i) {
        TarnBodyDef body = tarn_body_default_def();
        body.shape = i == 0   ? tarn_shape_sphere(0.3f)
                     : i == 1 ? tarn_shape_capsule(0.1f, 0.3f)
                              : tarn_shape_box(0.3f, 0.1f, 0.2f);
        body.state.position = (TarnVec3){ 1.0f + (float)i * 0.3f, i == 3 ? -1.0f : 0.0f, 1.0f };
        body.state.velocity = (TarnVec3){ (float)i - 1.5f, -0.5f, 0.7f };
        body.state.angular_velocity = (TarnVec3){ 0, (float)i, 0 };
        tarn_bodies_add(bodies, &body, NULL);
    }
    return bodies;
}

// A storm: the same calls give the same hash; nothing is allocated, and all stays finite.
static uint64_t storm(TarnContext* where, const TarnSolverClass* of, int n)
{
    Def def = small(of, n);
    if (of == tarn_wave_particles_class()) def.particles.use_bodies = true;
    void* solver = make(where, of, &def);
    TarnBodies* bodies = make_bodies(where);
    const float steps[] = { 1.0f / 60.0f, 0.0f, 0.3f, 10.0f, 1e-6f };
    random_at = (uint64_t)n * 1000;
    int calls = memory.calls;
    for (int s = 0; s < 12; ++s) {
        if (s % 4 == 3) random_params(of, solver);
        bother(of, solver);
        advance(of, solver, bodies, steps[s % 5]);
        assert_null(nonfinite_solver(of, solver));
    }
    assert_int_equal(memory.calls, calls);
    uint64_t hash = of->hash(solver);
    tarn_bodies_destroy(bodies);
    of->destroy(solver);
    return hash;
}

static void test_storms(void** state)
{
    (void)state;
    for (int c = 0; c < CLASSES; ++c) {
        const TarnSolverClass* of = tarn_solver_class_find(NULL, names[c]);
        for (int n = 0; n < (is_sanitized ? 3 : 12); ++n) {
            uint64_t hash = storm(ctx, of, n);
            for (int v = 0; v < VARIANTS; ++v) {
                TarnContext* other = make_context(variants[v].workers, variants[v].isa);
                if (other == NULL) continue;
                if (storm(other, of, n) != hash)
                    fail_msg("%s, storm %d, variant %d", names[c], n, v);
                tarn_context_destroy(other);
            }
        }
    }
}

// ---- Defs and memory -----------------------------------------------------------------------------

static void test_bad_defs(void** state)
{
    (void)state;
    for (int c = 0; c < CLASSES; ++c) {
        const TarnSolverClass* of = tarn_solver_class_find(NULL, names[c]);
        const TarnParamTable* table = of->def_table();
        for (int i = 0; i < table->count; ++i) {
            const TarnParam* p = &table->params[i];
            bool is_whole = p->type == TARN_PARAM_INT || p->type == TARN_PARAM_ENUM;
            const double bad[] = { p->min - 1, p->max * 2 + 1, NAN, INFINITY };
            for (int n = 0; n < (is_whole ? 2 : 4) && p->type != TARN_PARAM_BOOL; ++n) {
                Def def = small(of, 0);
                void* out = &def;
                char word[64];
                snprintf(word, sizeof word, "%s.%s", names[c], p->name);
                poke(p, &def, 0, bad[n]);
                assert_result(of->create(ctx, &def, &out), TARN_ERR_ARG, word);
                assert_null(out);
                assert_true(of->memory(&def) == 0);
            }
        }
        Def def = small(of, 1);
        size_t before = memory.bytes;
        void* solver = make(ctx, of, &def);
        assert_true(memory.bytes - before == of->memory(&def));
        TarnStepReport report;
        TarnAround around = { 0 };
        assert_result(of->step(solver, &around, NAN, &report), TARN_ERR_ARG, "out of range");
        assert_result(of->step(solver, &around, 11.0f, &report), TARN_ERR_ARG, "out of range");
        of->destroy(solver);
        of->destroy(NULL);
        memory.fail_at = memory.calls + 1;
        assert_result(of->create(ctx, &def, &solver), TARN_ERR_MEMORY, "memory");
        assert_null(solver);
        memory.fail_at = 0;
    }
    TarnRippleDef odd = tarn_ripple_default_def();
    TarnRipple* ripple;
    odd.n = 100;
    assert_result(tarn_ripple_create(ctx, &odd, &ripple), TARN_ERR_ARG, "power of two");
    odd.n = 64, odd.rim = 20;
    assert_result(tarn_ripple_create(ctx, &odd, &ripple), TARN_ERR_ARG, "ripple.rim");
    TarnWaveParticlesDef wide = tarn_wave_particles_default_def();
    TarnWaveParticles* waves;
    wide.radius = 0.05f;
    assert_result(tarn_wave_particles_create(ctx, &wide, &waves), TARN_ERR_ARG, "2 to 8 cells");
}

// ---- Snapshots -----------------------------------------------------------------------------------

static const TarnSolverClass* loading;
static TarnResult load_object(void* object, const void* buffer, size_t size)
{
    return loading->load(object, buffer, size);
}
static uint64_t hash_object(const void* object)
{
    return loading->hash(object);
}

static void test_snapshots(void** state)
{
    (void)state;
    for (int c = 0; c < CLASSES; ++c) {
        const TarnSolverClass* of = loading = tarn_solver_class_find(NULL, names[c]);
        for (int n = 0; n < (is_sanitized ? 1 : 4); ++n) {
            Def def = small(of, 3 * n + 3);
            void *a = make(ctx, of, &def), *b = make(ctx, of, &def);
            TarnBodies* bodies = make_bodies(ctx);
            random_at = (uint64_t)n;
            for (int s = 0; s < 5; ++s) bother(of, a), advance(of, a, bodies, 0.05f);
            size_t size = 0;
            assert_int_equal(of->save(a, NULL, 0, &size), TARN_ERR_CAPACITY);
            uint8_t* saved = malloc(size);
            assert_ok(of->save(a, saved, size, &size));
            assert_ok(of->load(b, saved, size));
            assert_true(of->hash(a) == of->hash(b));
            for (int s = 0; s < 3; ++s)
                advance(of, a, bodies, 0.04f), advance(of, b, bodies, 0.04f);
            assert_true(of->hash(a) == of->hash(b));
            // The whole walk takes as long as the square of the size: a short one is enough here.
            if (size < 60000 && n == 0)
                assert_damage_refused((Loader){ a, load_object, hash_object }, saved, size);
            for (size_t at = TARN_SNAPSHOT_HEADER; at < size; at += 101 + size / 200) {
                saved[at] ^= 0xff; // sealed: either refused, or a state that still runs
                seal(saved, size);
                if (of->load(b, saved, size) == TARN_OK) {
                    advance(of, b, bodies, 0.1f);
                    assert_null(nonfinite_solver(of, b));
                }
                saved[at] ^= 0xff;
            }
            free(saved);
            tarn_bodies_destroy(bodies);
            of->destroy(a);
            of->destroy(b);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { TEST(test_storms), TEST_ALONE(test_bad_defs),
                                        TEST_ALONE(test_snapshots) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
