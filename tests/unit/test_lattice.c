// Lattices: defs, memory, bad arguments, units, obstacles, the free surface, snapshots, the same bits everywhere.

#include "test_common.h"
#include "lattice/lattice_surface.h"
#include <limits.h>

typedef enum Case { WIND, HALF, HEAT, FLAT, DAM, CASES } Case;

static TarnLatticeDef small_lattice(Case which)
{
    TarnLatticeDef def = tarn_lattice_default_def();
    def.nx = 24, def.ny = 14, def.nz = which == FLAT ? 1 : 12;
    def.dx = 0.1f;
    def.speed = 2.0f;
    def.storage = which == HALF ? TARN_LATTICE_FLOAT16 : TARN_LATTICE_FLOAT32;
    def.obstacles = which == FLAT ? TARN_LATTICE_INTERPOLATED : TARN_LATTICE_HALF_WAY;
    def.use_smoke = which != DAM;
    def.use_temperature = def.use_fuel = which == HEAT;
    def.use_surface = which == DAM;
    def.lattice_speed = which == DAM ? 0.2f : 0.1f;
    if (which == DAM) return def;
    def.face_x0 = TARN_LATTICE_INFLOW, def.face_x1 = TARN_LATTICE_OUTFLOW;
    def.face_y1 = TARN_LATTICE_SLIP;
    def.face_z0 = def.face_z1 = TARN_LATTICE_PERIODIC;
    return def;
}

typedef struct Stage {
    TarnContext* at;
    TarnLattice* l;
    TarnSolids* solids;
    TarnSolidId ball;
} Stage;

static void add_parts(Stage* s, Case which)
{
    TarnLatticeSourceDef source = tarn_lattice_source_default_def();
    source.motion.position = (TarnVec3){ -0.8f, 0.0f, 0.0f };
    source.temperature = 900.0f, source.fuel = which == HEAT;
    source.is_liquid = which == DAM;
    source.flow.x = which == DAM ? 0.5f : 0.0f;
    assert_ok(tarn_lattice_add_source(s->l, &source, NULL));
    if (which != DAM) return;
    TarnLatticeFillDef fill = tarn_lattice_fill_default_def();
    fill.shape = tarn_shape_box(0.4f, 0.35f, 0.6f);
    fill.motion.position = (TarnVec3){ 0.7f, -0.3f, 0.0f };
    assert_ok(tarn_lattice_add_fill(s->l, &fill, NULL));
}

static Stage make_stage(TarnContext* at, Case which)
{
    Stage s = { .at = at };
    TarnLatticeDef def = small_lattice(which);
    TarnResult result = tarn_lattice_create(at, &def, &s.l);
    if (result != TARN_OK) print_error("%s\n", tarn_last_error(at));
    assert_int_equal(result, TARN_OK);
    TarnSolidsDef solids = tarn_solids_default_def();
    assert_ok(tarn_solids_create(at, &solids, &s.solids));
    TarnSolidDef ball = tarn_solid_default_def();
    ball.shape = tarn_shape_sphere(0.22f);
    ball.motion.velocity = (TarnVec3){ 0.4f, 0.3f, 0.0f };
    ball.motion.angular_velocity = (TarnVec3){ 0.0f, 0.0f, 3.0f };
    assert_ok(tarn_solids_add(s.solids, &ball, &s.ball));
    assert_ok(tarn_lattice_set_solids(s.l, s.solids));
    TarnLatticeParams params = tarn_lattice_default_params();
    params.flow_x0.x = 1.0f, params.turbulence = 0.2f, params.surface_tension = 0.5f;
    params.density = which == DAM ? 1000.0f : 1.2f;
    assert_ok(tarn_lattice_set_params(s.l, &params));
    add_parts(&s, which);
    return s;
}

static void stage_steps(Stage* s, int n)
{
    for (int i = 0; i < n; ++i) {
        assert_ok(tarn_solids_advance(s->solids, frame));
        assert_ok(tarn_lattice_step(s->l, frame, NULL));
    }
}

static void drop_stage(Stage* s)
{
    tarn_lattice_destroy(s->l);
    tarn_solids_destroy(s->solids);
}

// ---- Defs ----------------------------------------------------------------------------------------

static void assert_bad_def(const TarnLatticeDef* def, const char* word)
{
    TarnLattice* out = (TarnLattice*)&memory;
    int calls = memory.calls;
    assert_result(tarn_lattice_create(ctx, def, &out), TARN_ERR_ARG, word);
    assert_null(out);
    assert_true(memory.calls == calls && tarn_lattice_memory(def) == 0);
}

static void test_bad_defs(void** state)
{
    (void)state;
    const TarnParamTable* table = tarn_lattice_def_table();
    for (int i = 0; i < table->count; ++i) {
        const TarnParam* p = &table->params[i];
        bool is_whole = p->type == TARN_PARAM_INT || p->type == TARN_PARAM_ENUM;
        double bad[] = { p->min - 1, p->max * 2 + 1, -1e9, 1e9, NAN, INFINITY, -INFINITY };
        char word[64];
        snprintf(word, sizeof word, "lattice.%s: ", p->name);
        for (int n = 0; n < (is_whole ? 3 : 7) && p->type != TARN_PARAM_BOOL; ++n) {
            if (is_whole && (bad[n] > INT_MAX || bad[n] < INT_MIN)) continue;
            TarnLatticeDef def = small_lattice(WIND);
            poke(p, &def, p->type == TARN_PARAM_VEC3 ? n % 3 : 0, bad[n]);
            assert_bad_def(&def, word);
        }
    }
    TarnLatticeDef def = small_lattice(WIND);
    def.nx = 20;
    assert_bad_def(&def, "lattice.nx: 20 is not a multiple of 8; use 24");
    def = small_lattice(WIND);
    def.face_z1 = TARN_LATTICE_WALL;
    assert_bad_def(&def, "only one of them is periodic");
    def = small_lattice(DAM);
    def.face_x0 = TARN_LATTICE_INFLOW;
    assert_bad_def(&def, "let liquid in by a source");
    def = small_lattice(DAM);
    def.use_smoke = true;
    assert_bad_def(&def, "lattice.use_surface");
    def = small_lattice(WIND);
    def.use_flow = false;
    assert_bad_def(&def, "lattice.use_flow");
    def = small_lattice(WIND);
    def.use_fuel = true;
    assert_bad_def(&def, "lattice.use_fuel");
    def.cookie ^= 1;
    assert_bad_def(&def, "tarn_lattice_default_def");
    assert_bad_def(NULL, "tarn_lattice_default_def");
}

static void test_memory(void** state)
{
    (void)state;
    for (int which = 0; which < CASES; ++which) {
        TarnLatticeDef def = small_lattice((Case)which);
        size_t before = memory.bytes;
        TarnLattice* l;
        assert_ok(tarn_lattice_create(ctx, &def, &l));
        assert_int_equal(memory.bytes - before, tarn_lattice_memory(&def));
        tarn_lattice_destroy(l);
        memory.fail_at = memory.calls + 1;
        assert_result(tarn_lattice_create(ctx, &def, &l), TARN_ERR_MEMORY, "out of memory");
        assert_null(l);
        memory.fail_at = 0;
    }
    // The goals: 80 bytes per cell, 44 in 16 bits.
    TarnLatticeDef def = tarn_lattice_default_def();
    def.nx = def.ny = def.nz = 128;
    def.obstacles = TARN_LATTICE_NO_OBSTACLES;
    def.use_flow = false;
    assert_true(tarn_lattice_memory(&def) <= (size_t)80 * 128 * 128 * 128);
    def.storage = TARN_LATTICE_FLOAT16;
    assert_true(tarn_lattice_memory(&def) <= (size_t)44 * 128 * 128 * 128);
    tarn_lattice_destroy(NULL);
}

static void test_bad_arguments(void** state)
{
    (void)state;
    Stage s = make_stage(ctx, WIND);
    uint64_t hash = tarn_lattice_hash(s.l);
    assert_result(tarn_lattice_step(s.l, NAN, NULL), TARN_ERR_ARG, "dt");
    assert_result(tarn_lattice_step(s.l, -1.0f, NULL), TARN_ERR_ARG, "dt");
    TarnLatticeFillDef fill = tarn_lattice_fill_default_def();
    assert_result(tarn_lattice_add_fill(s.l, &fill, NULL), TARN_ERR_ARG, "use_surface");
    TarnLatticeSourceDef source = tarn_lattice_source_default_def();
    source.is_liquid = true;
    assert_result(tarn_lattice_add_source(s.l, &source, NULL), TARN_ERR_ARG, "use_surface");
    source.is_liquid = false, source.shape.size.x = NAN;
    assert_result(tarn_lattice_add_source(s.l, &source, NULL), TARN_ERR_ARG, "size");
    TarnLatticeParams params = tarn_lattice_params(s.l);
    params.viscosity = -1.0f;
    assert_result(tarn_lattice_set_params(s.l, &params), TARN_ERR_ARG, "lattice.viscosity");
    assert_result(tarn_lattice_set_flow(s.l, NULL, NULL), TARN_ERR_ARG, "NULL");
    assert_int_equal(tarn_lattice_remove_source(s.l, (TarnLatticeSourceId){ 77 }), TARN_ERR_ARG);
    assert_false(tarn_lattice_cell(s.l, -1, 0, 0, NULL, NULL));
    assert_true(tarn_lattice_hash(s.l) == hash);
    drop_stage(&s);
}

// ---- Steps -----------------------------------------------------------------------------------------

static void test_time(void** state)
{
    (void)state;
    Stage a = make_stage(ctx, WIND), b = make_stage(ctx, WIND);
    int calls = memory.calls;
    for (int i = 0; i < 4; ++i) assert_ok(tarn_lattice_step(a.l, frame, NULL));
    for (int i = 0; i < 8; ++i) assert_ok(tarn_lattice_step(b.l, 0.5f * frame, NULL));
    assert_int_equal(memory.calls, calls); // a step allocates nothing
    assert_true(fabs(tarn_lattice_time(a.l) - tarn_lattice_time(b.l)) < 1e-9);
    TarnStepReport report;
    assert_ok(tarn_lattice_step(a.l, 10.0f, &report));
    assert_true((report.flags & TARN_STEP_TIME_CUT) &&
                strcmp(report.time_limit, "lattice.max_substeps") == 0);
    assert_true(report.time_advanced + report.time_dropped > 9.99);
    drop_stage(&a);
    drop_stage(&b);
}

static void test_same_bits(void** state)
{
    (void)state;
    static const TarnIsa isas[] = { TARN_ISA_AUTO, TARN_ISA_BASELINE, TARN_ISA_AVX2 };
    for (int which = 0; which < CASES; ++which) {
        uint64_t hash = 0;
        for (int n = 0; n < 4; ++n) {
            TarnContext* at = make_context(n + 1, isas[n % 3]);
            if (at == NULL) continue;
            Stage s = make_stage(at, (Case)which);
            stage_steps(&s, 6);
            if (n == 0) hash = tarn_lattice_hash(s.l);
            assert_true(tarn_lattice_hash(s.l) == hash);
            drop_stage(&s);
            tarn_context_destroy(at);
        }
    }
}

static void test_snapshots(void** state)
{
    (void)state;
    for (int which = 0; which < CASES; ++which) {
        Stage a = make_stage(ctx, (Case)which), b = make_stage(ctx, (Case)which);
        stage_steps(&a, 5);
        size_t size, again, solid_size;
        assert_int_equal(tarn_lattice_save(a.l, NULL, 0, &size), TARN_ERR_CAPACITY);
        uint8_t* bytes = malloc(size);
        assert_ok(tarn_lattice_save(a.l, bytes, size, &again));
        tarn_solids_save(a.solids, NULL, 0, &solid_size);
        uint8_t* solids = malloc(solid_size);
        assert_ok(tarn_solids_save(a.solids, solids, solid_size, &solid_size));
        assert_ok(tarn_solids_load(b.solids, solids, solid_size));
        assert_ok(tarn_lattice_load(b.l, bytes, size));
        assert_true(tarn_lattice_hash(a.l) == tarn_lattice_hash(b.l));
        stage_steps(&a, 3);
        stage_steps(&b, 3);
        assert_true(tarn_lattice_hash(a.l) == tarn_lattice_hash(b.l));
        bytes[size / 2] ^= 0x40;
        uint64_t hash = tarn_lattice_hash(b.l);
        assert_int_equal(tarn_lattice_load(b.l, bytes, size), TARN_ERR_DATA);
        assert_true(tarn_lattice_hash(b.l) == hash);
        free(bytes);
        free(solids);
        drop_stage(&a);
        drop_stage(&b);
    }
}

// ---- Halves ----------------------------------------------------------------------------------------

// All halves come back, and halfway cases go to the even one.
static void test_halves(void** state)
{
    (void)state;
    for (int h = 0; h < 0x7c00; ++h) {
        TarnH8 bits = { (uint16_t)h, (uint16_t)(h + 0x8000) };
        TarnF8 wide = half8_widen(bits);
        int exponent = h >> 10;
        float exact =
            exponent ? ldexpf((float)(1024 + (h & 1023)), exponent - 25) : ldexpf((float)h, -24);
        assert_true(wide[0] == exact && wide[1] == -exact);
        TarnH8 back = half8_narrow(wide);
        assert_int_equal(back[0], h);
        assert_int_equal(back[1], h + 0x8000);
        TarnH8 next = { (uint16_t)(h + 1) };
        if (h + 1 == 0x7c00) continue;
        float above = half8_widen(next)[0], middle = exact + 0.5f * (above - exact);
        TarnF8 three = { middle, nextafterf(middle, 0.0f), nextafterf(middle, 1e9f) };
        TarnH8 to = half8_narrow(three);
        assert_int_equal(to[0], h + (h & 1));
        assert_int_equal(to[1], h);
        assert_int_equal(to[2], h + 1);
    }
    TarnF8 large = { 1e9f, -1e9f, 65504.0f };
    TarnH8 most = half8_narrow_limited(large), beyond = half8_narrow(large);
    assert_true(most[0] == 0x7bff && most[1] == 0xfbff && most[2] == 0x7bff);
    assert_true(beyond[0] == 0x7c00 && beyond[1] == 0xfc00 && beyond[2] == 0x7bff);
}

// Populations at the largest half, which a collision throws beyond it, stay finite, with the same bits everywhere.
static void test_large_halves(void** state)
{
    (void)state;
    static const TarnIsa isas[] = { TARN_ISA_AUTO, TARN_ISA_BASELINE, TARN_ISA_AVX2 };
    uint64_t hash = 0;
    for (int n = 0; n < 3; ++n) {
        TarnContext* at = make_context(n + 1, isas[n]);
        if (at == NULL) continue;
        TarnLatticeDef def = small_lattice(HALF);
        TarnLattice* l;
        assert_ok(tarn_lattice_create(at, &def, &l));
        TarnLatticeParams params = tarn_lattice_default_params();
        params.collision = TARN_LATTICE_BGK, params.smagorinsky = 0.0f, params.viscosity = 0.0f;
        assert_ok(tarn_lattice_set_params(l, &params));
        uint16_t* f = l->f;
        size_t stride = l->grid.stride;
        for (size_t c = 0; c < stride; ++c) { // of density 1.5, at rest
            f[c] = 0x7400;
            for (size_t s = 1; s < 19; ++s) f[c + s * stride] = s < 7 ? 0xfbff : 0x77ff;
        }
        assert_ok(tarn_lattice_step(l, (float)l->dt, NULL));
        int largest = 0;
        for (size_t c = 0; c < 19 * stride; ++c) {
            assert_true((f[c] & 0x7c00) != 0x7c00);
            largest += (f[c] & 0x7fff) == 0x7bff;
        }
        assert_true(largest > 1000);
        if (n == 0) hash = tarn_lattice_hash(l);
        assert_true(tarn_lattice_hash(l) == hash);
        tarn_lattice_destroy(l);
        tarn_context_destroy(at);
    }
}

// ---- Obstacles and the free surface -----------------------------------------------------------------

static void test_drag(void** state)
{
    (void)state;
    Stage s = make_stage(ctx, WIND);
    TarnMotion still = { .rotation = { 0, 0, 0, 1 } };
    assert_ok(tarn_solids_place(s.solids, s.ball, &still));
    stage_steps(&s, 60);
    TarnVec3 force;
    TarnSolidPush push;
    float mean = 0.0f;
    for (int n = 0; n < 60; ++n) { // sound runs to and fro in so short a box
        stage_steps(&s, 1);
        assert_ok(tarn_lattice_force(s.l, s.ball, &force, NULL));
        assert_ok(tarn_solids_get_push(s.solids, s.ball, &push));
        assert_true(fabsf(push.impulse.x / frame - force.x) < 0.01f + 0.05f * fabsf(force.x));
        mean += force.x / 60.0f;
    }
    assert_true(mean > 0.02f && mean < 1.0f); // 1.2 kg/m^3, 1 m/s, 0.15 m^2, in a narrow channel
    TarnVec3 u;
    assert_false(tarn_lattice_cell(s.l, 12, 7, 6, NULL, &u)); // in the ball
    assert_true(tarn_lattice_cell(s.l, 2, 7, 6, NULL, &u) && u.x > 0.3f);
    drop_stage(&s);
}

static void test_closed_interface(void** state)
{
    (void)state;
    Stage s = make_stage(ctx, DAM);
    for (int n = 0; n < 20; ++n) {
        stage_steps(&s, 1);
        const LatticeSurface* f = s.l->surface;
        for (int r = 0; r < lattice_rows(s.l); ++r) {
            for (int i = 0; i < s.l->grid.nx; ++i) {
                int j = r % s.l->grid.ny, k = r / s.l->grid.ny;
                ptrdiff_t c = lattice_at(&s.l->grid, i, j, k), beside;
                assert_true(f->fill[c] >= 0.0f && f->fill[c] <= 1.0f);
                if (f->type[c] != LATTICE_FLUID) continue;
                for (int way = 0; way < 2 * s.l->kind->pairs; ++way)
                    if (lattice_neighbor(s.l, i, j, k, way, &beside))
                        assert_int_not_equal(f->type[beside], LATTICE_GAS);
            }
        }
        assert_true(fabs(tarn_lattice_stats(s.l).mass - f->ledger) < 1e-6 * f->ledger);
    }
    drop_stage(&s);
}

static void test_surface(void** state)
{
    (void)state;
    TarnLatticeDef def = small_lattice(DAM);
    TarnLattice* l;
    assert_ok(tarn_lattice_create(ctx, &def, &l));
    TarnLatticeFillDef fill = tarn_lattice_fill_default_def();
    fill.shape = tarn_shape_box(3.0f, 0.35f, 3.0f);
    fill.motion.position.y = -0.35f;
    assert_ok(tarn_lattice_add_fill(l, &fill, NULL));
    for (int n = 0; n < 10; ++n) assert_ok(tarn_lattice_step(l, frame, NULL));
    assert_float_equal(tarn_surface_height(tarn_lattice_surface(l), 0.2f, 0.1f), 0.0f, 0.03f);
    float x[2] = { 0.0f, 0.0f }, y[2] = { -0.4f, 0.5f }, z[2] = { 0.0f, 0.0f }, presence[2];
    TarnFlowSamples out = { .presence = presence };
    assert_ok(tarn_flow_query(tarn_lattice_flow(l), 2, x, y, z, &out));
    assert_true(presence[0] == 1.0f && presence[1] == 0.0f);
    uint64_t hash = tarn_lattice_hash(l);
    tarn_lattice_reset(l);
    assert_true(tarn_lattice_hash(l) != hash && tarn_lattice_time(l) == 0.0);
    assert_float_equal(tarn_surface_height(tarn_lattice_surface(l), 0.2f, 0.1f), 0.0f, 0.01f);
    tarn_lattice_destroy(l);
}

// A crate of half the liquid's density, let go above its rest, comes to rest half under water.
static void test_floating(void** state)
{
    (void)state;
    Stage s = { .at = ctx };
    TarnLatticeDef def = small_lattice(DAM);
    def.nz = 1;
    assert_ok(tarn_lattice_create(ctx, &def, &s.l));
    TarnSolidsDef solids = tarn_solids_default_def();
    assert_ok(tarn_solids_create(ctx, &solids, &s.solids));
    assert_ok(tarn_lattice_set_solids(s.l, s.solids));
    TarnLatticeParams params = tarn_lattice_default_params();
    params.density = 1000.0f, params.viscosity = 0.01f;
    assert_ok(tarn_lattice_set_params(s.l, &params));
    TarnLatticeFillDef fill = tarn_lattice_fill_default_def();
    fill.shape = tarn_shape_box(3.0f, 0.35f, 3.0f);
    fill.motion.position.y = -0.35f;
    assert_ok(tarn_lattice_add_fill(s.l, &fill, NULL));
    TarnBodiesDef bodies_def = tarn_bodies_default_def();
    TarnBodies* bodies;
    assert_ok(tarn_bodies_create(ctx, &bodies_def, &bodies));
    TarnBodyDef crate = tarn_body_default_def();
    crate.shape = tarn_shape_box(0.3f, 0.2f, 0.3f);
    crate.density = 500.0f;
    crate.state.position.y = 0.15f;
    TarnBodyId id;
    assert_ok(tarn_bodies_add(bodies, &crate, &id));
    TarnBodyState at;
    double mean = 0.0, level = 0.0; // it bobs, and the water sloshes on: over four seconds
    for (int n = 0; n < 480; ++n) {
        assert_ok(tarn_solids_advance(s.solids, frame));
        assert_ok(tarn_couple_lattice_bodies(s.l, bodies, frame, NULL));
        assert_ok(tarn_bodies_step(bodies, frame, NULL));
        assert_ok(tarn_bodies_get_state(bodies, id, &at));
        if (n < 240) continue;
        mean += (double)at.position.y / 240.0;
        for (int side = -1; side <= 1; side += 2)
            level +=
                (double)tarn_surface_height(tarn_lattice_surface(s.l), (float)side, 0.0f) / 480.0;
    }
    if (!(fabs(mean - level) < 0.06)) print_error("crate at %g, level %g\n", mean, level);
    assert_true(fabs(mean - level) < 0.06); // of 0.4 m
    assert_true(fabsf(at.position.x) < 0.5f);
    tarn_bodies_destroy(bodies);
    drop_stage(&s);
}

// ---- Absurd input ------------------------------------------------------------------------------------

// A light crate on the floor under water: water seeps under it and lifts it, and nothing throws it about.
static void test_crate_on_floor(void** state)
{
    (void)state;
    Stage s = { .at = ctx };
    TarnLatticeDef def = tarn_lattice_default_def();
    def.nx = 24, def.ny = 16, def.nz = 24, def.dx = 0.05f;
    def.center.y = 0.4f, def.speed = 3.0f, def.lattice_speed = 0.2f;
    def.use_surface = true;
    assert_ok(tarn_lattice_create(ctx, &def, &s.l));
    TarnSolidsDef solids = tarn_solids_default_def();
    assert_ok(tarn_solids_create(ctx, &solids, &s.solids));
    assert_ok(tarn_lattice_set_solids(s.l, s.solids));
    TarnLatticeParams params = tarn_lattice_default_params();
    params.density = 1000.0f, params.viscosity = 1e-6f;
    assert_ok(tarn_lattice_set_params(s.l, &params));
    TarnLatticeFillDef fill = tarn_lattice_fill_default_def();
    fill.shape = tarn_shape_box(3.0f, 0.4f, 3.0f); // up to 0.4 m
    assert_ok(tarn_lattice_add_fill(s.l, &fill, NULL));
    TarnBodiesDef bodies_def = tarn_bodies_default_def();
    TarnBodies* bodies;
    assert_ok(tarn_bodies_create(ctx, &bodies_def, &bodies));
    TarnBodyDef crate = tarn_body_default_def();
    crate.shape = tarn_shape_box(0.1f, 0.1f, 0.1f);
    crate.density = 350.0f;
    crate.state.position.y = 0.1f;
    TarnBodyId id;
    assert_ok(tarn_bodies_add(bodies, &crate, &id));
    TarnBodyState at, before = { 0 };
    float jump = 0.0f;
    for (int n = 0; n < 120; ++n) {
        assert_ok(tarn_solids_advance(s.solids, frame));
        assert_ok(tarn_couple_lattice_bodies(s.l, bodies, frame, NULL));
        assert_ok(tarn_bodies_step(bodies, frame, NULL));
        assert_ok(tarn_bodies_get_state(bodies, id, &at));
        jump = fmaxf(jump, fabsf(at.velocity.y - before.velocity.y));
        before = at;
    }
    if (!(at.position.y > 0.3f) || !(jump < 0.6f))
        print_error("crate at %g, jumps %g m/s\n", (double)at.position.y, (double)jump);
    assert_true(at.position.y > 0.3f);
    assert_true(jump < 0.6f);
    tarn_bodies_destroy(bodies);
    drop_stage(&s);
}

static void test_storm(void** state)
{
    (void)state;
    const TarnParamTable* table = tarn_lattice_params_table();
    for (int round = 0; round < 15; ++round) {
        Stage s = make_stage(ctx, (Case)(round % CASES));
        for (int n = 0; n < 4; ++n) {
            TarnLatticeParams params = tarn_lattice_params(s.l);
            for (int i = 0; i < 6; ++i) {
                const TarnParam* p = &table->params[pick(table->count)];
                double value =
                    p->min + (p->max - p->min) *
                                 (pick(3) == 0 ? (double)pick(2) : (double)uniform(0.0f, 1.0f));
                for (int c = 0; c < (p->type == TARN_PARAM_VEC3 ? 3 : 1); ++c)
                    if (p->type != TARN_PARAM_BOOL) poke(p, &params, c, value);
            }
            params.max_substeps = 20;
            assert_ok(tarn_lattice_set_params(s.l, &params));
            stage_steps(&s, 2);
            TarnLatticeStats stats = tarn_lattice_stats(s.l);
            assert_true(stats.mass - stats.mass == 0.0 && stats.max_speed - stats.max_speed == 0.0);
            assert_true(stats.heat_sum - stats.heat_sum == 0.0);
        }
        drop_stage(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_ALONE(test_bad_defs),
        TEST_ALONE(test_memory),
        TEST_ALONE(test_bad_arguments),
        TEST_ALONE(test_time),
        TEST(test_same_bits),
        TEST_ALONE(test_snapshots),
        TEST_ALONE(test_halves),
        TEST(test_large_halves),
        TEST_ALONE(test_drag),
        TEST_ALONE(test_closed_interface),
        TEST_ALONE(test_surface),
        TEST_ALONE(test_floating),
        TEST_ALONE(test_crate_on_floor),
        TEST_ALONE(test_storm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
