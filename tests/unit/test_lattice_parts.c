// Lattices: what boundaries, obstacles that move, fire, flows, meshes and bubbles do.

#include "test_common.h"
#include "lattice/lattice_surface.h"

static TarnLattice* make(const TarnLatticeDef* def, const TarnLatticeParams* params)
{
    TarnLattice* l = NULL;
    if (tarn_lattice_create(ctx, def, &l) != TARN_OK) print_error("%s\n", tarn_last_error(ctx));
    assert_non_null(l);
    assert_ok(tarn_lattice_set_params(l, params));
    return l;
}
static TarnLatticeDef box(int nx, int ny, int nz)
{
    TarnLatticeDef def = tarn_lattice_default_def();
    def.nx = nx, def.ny = ny, def.nz = nz;
    def.dx = 0.1f, def.speed = 2.0f;
    return def;
}
static void run(TarnLattice* l, int frames)
{
    for (int f = 0; f < frames; ++f) assert_ok(tarn_lattice_step(l, frame, NULL));
}
static double sum_of(TarnView3 v)
{
    double sum = 0.0;
    for (int k = 0; k < v.nz; ++k)
        for (int j = 0; j < v.ny; ++j)
            for (int i = 0; i < v.nx; ++i)
                sum += (double)v.data[i + v.row * (ptrdiff_t)j + v.slab * (ptrdiff_t)k];
    return sum;
}

// ---- Boundaries --------------------------------------------------------------------------------------

// The mean of u over the frames, and how much it varies, in a column of cells beside an inflow at -x.
static void inflow_of(int profile, float turbulence, double mean[24], double* varies)
{
    TarnLatticeDef def = box(48, 24, 1);
    def.obstacles = TARN_LATTICE_NO_OBSTACLES;
    def.face_x0 = TARN_LATTICE_INFLOW, def.face_x1 = TARN_LATTICE_OUTFLOW;
    if (profile == TARN_LATTICE_UNIFORM) def.face_y0 = TARN_LATTICE_SLIP;
    if (profile != TARN_LATTICE_PARABOLIC) def.face_y1 = TARN_LATTICE_SLIP;
    TarnLatticeParams params = tarn_lattice_default_params();
    params.flow_x0.x = 1.0f;
    params.profile = profile;
    params.turbulence = turbulence, params.turbulence_size = 0.5f;
    TarnLattice* l = make(&def, &params);
    double sum[24] = { 0 }, squares[24] = { 0 };
    run(l, 400); // until the sound of the beginning is gone
    enum { FRAMES = 240 };
    for (int f = 0; f < FRAMES; ++f) {
        run(l, 1);
        for (int j = 0; j < 24; ++j) {
            TarnVec3 u;
            assert_true(tarn_lattice_cell(l, 0, j, 0, NULL, &u));
            sum[j] += (double)u.x, squares[j] += (double)u.x * (double)u.x;
        }
    }
    *varies = 0.0;
    for (int j = 0; j < 24; ++j) {
        mean[j] = sum[j] / FRAMES;
        *varies += (squares[j] / FRAMES - mean[j] * mean[j]) / 24.0;
    }
    *varies = sqrt(*varies > 0.0 ? *varies : 0.0);
    tarn_lattice_destroy(l);
}

static void test_inflow(void** state)
{
    (void)state;
    double u[24], varies;
    inflow_of(TARN_LATTICE_UNIFORM, 0.0f, u, &varies);
    for (int j = 0; j < 24; ++j) assert_true(fabs(u[j] - 1.0) < 0.05);
    assert_true(varies < 0.01);
    inflow_of(TARN_LATTICE_PARABOLIC, 0.0f, u, &varies);
    for (int j = 2; j < 22; ++j) { // no speed at both edges, the one asked for in the middle
        double y = (j + 0.5) / 24.0;
        assert_true(fabs(u[j] - 4.0 * y * (1.0 - y)) < 0.1);
    }
    inflow_of(TARN_LATTICE_GROUND, 0.0f, u, &varies);
    assert_true(u[0] < 0.7 && u[21] > 0.8);
    for (int j = 1; j < 22; ++j) assert_true(u[j] > u[j - 1] - 0.02);
    inflow_of(TARN_LATTICE_UNIFORM, 0.2f, u, &varies);
    assert_true(varies > 0.05 && varies < 0.4);
}

static void pulse(int n, const float* x, const float* y, const float* z, TarnVec3* u, float* p,
                  void* user)
{
    (void)y, (void)z, (void)user;
    for (int i = 0; i < n; ++i) {
        float from = x[i] + 1.0f;
        u[i] = (TarnVec3){ 0.0f, 0.0f, 0.0f };
        p[i] = 0.05f * expf(-12.0f * from * from);
    }
}

// What is left of a wave of pressure after it met the outflow.
static double left_of_pulse(float sponge)
{
    TarnLatticeDef def = box(96, 8, 1);
    def.obstacles = TARN_LATTICE_NO_OBSTACLES;
    def.face_x0 = TARN_LATTICE_SLIP, def.face_x1 = TARN_LATTICE_OUTFLOW;
    def.face_y0 = def.face_y1 = TARN_LATTICE_PERIODIC;
    TarnLatticeParams params = tarn_lattice_default_params();
    params.collision = TARN_LATTICE_BGK, params.viscosity = 0.005f, params.smagorinsky = 0.0f;
    params.sponge = sponge;
    TarnLattice* l = make(&def, &params);
    assert_ok(tarn_lattice_set_flow(l, pulse, NULL));
    for (int s = 0; s < 400; ++s) assert_ok(tarn_lattice_step(l, (float)l->dt, NULL));
    double energy = tarn_lattice_stats(l).kinetic_energy;
    tarn_lattice_destroy(l);
    return energy;
}

static void test_sponge(void** state)
{
    (void)state;
    double bare = left_of_pulse(0.0f), swallowed = left_of_pulse(48.0f);
    assert_true(bare > 0.0 && swallowed < 0.7 * bare);
}

// ---- Obstacles that move -----------------------------------------------------------------------------

typedef struct Stirred {
    TarnLattice* l;
    TarnSolids* solids;
} Stirred;

static Stirred stir(const TarnLatticeDef* def, const TarnLatticeParams* params,
                    const TarnSolidDef* solid)
{
    Stirred s = { .l = make(def, params) };
    TarnSolidsDef solids = tarn_solids_default_def();
    assert_ok(tarn_solids_create(ctx, &solids, &s.solids));
    assert_ok(tarn_solids_add(s.solids, solid, NULL));
    assert_ok(tarn_lattice_set_solids(s.l, s.solids));
    return s;
}
static void stir_on(Stirred* s, int frames)
{
    for (int f = 0; f < frames; ++f) {
        assert_ok(tarn_solids_advance(s->solids, frame));
        run(s->l, 1);
    }
}
static void drop(Stirred* s)
{
    tarn_lattice_destroy(s->l);
    tarn_solids_destroy(s->solids);
}

// A ball goes through a box: cells that it leaves have a usual density, and in its wake the fluid follows it.
static void test_refill(void** state)
{
    (void)state;
    for (int obstacles = TARN_LATTICE_HALF_WAY; obstacles <= TARN_LATTICE_INTERPOLATED;
         ++obstacles) {
        TarnLatticeDef def = box(48, 24, 24);
        def.obstacles = obstacles;
        TarnLatticeParams params = tarn_lattice_default_params();
        TarnSolidDef ball = tarn_solid_default_def();
        ball.shape = tarn_shape_sphere(0.4f);
        ball.motion.position.x = -1.5f;
        ball.motion.velocity.x = 1.0f;
        Stirred s = stir(&def, &params, &ball);
        run(s.l, 1);
        double mass = tarn_lattice_stats(s.l).mass;
        int cells = tarn_lattice_stats(s.l).fluid_cells;
        for (int f = 0; f < (is_short_run() ? 30 : 150); ++f) { // it goes 25 cells
            stir_on(&s, 1);
            assert_int_equal(tarn_lattice_stats(s.l).limited, 0);
        }
        float rho;
        TarnVec3 u;
        for (int k = 0; k < 24; ++k)
            for (int j = 0; j < 24; ++j)
                for (int i = 0; i < 48; ++i) {
                    if (!tarn_lattice_cell(s.l, i, j, k, &rho, &u)) continue;
                    assert_true(rho > 0.9f && rho < 1.1f);
                    assert_true(u.x * u.x + u.y * u.y + u.z * u.z < 1.6f * 1.6f);
                }
        TarnLatticeStats after = tarn_lattice_stats(s.l);
        assert_true(fabs(after.mass / after.fluid_cells - mass / cells) < 0.01);
        assert_true(tarn_lattice_cell(s.l, 20, 12, 12, NULL, &u) && u.x > 0.2f); // its wake
        drop(&s);
    }
}

// A bar that turns takes the fluid along.
static void test_turning(void** state)
{
    (void)state;
    TarnLatticeDef def = box(32, 32, 1);
    TarnLatticeParams params = tarn_lattice_default_params();
    TarnSolidDef bar = tarn_solid_default_def();
    bar.shape = tarn_shape_box(0.8f, 0.15f, 1.0f);
    bar.motion.angular_velocity.z = 1.5f;
    Stirred s = stir(&def, &params, &bar);
    stir_on(&s, 240);
    double angular = 0.0;
    for (int j = 0; j < 32; ++j)
        for (int i = 0; i < 32; ++i) {
            TarnVec3 u;
            if (!tarn_lattice_cell(s.l, i, j, 0, NULL, &u)) continue;
            angular += (i - 15.5) * (double)u.y - (j - 15.5) * (double)u.x;
        }
    assert_true(angular > 500.0);
    drop(&s);
}

// ---- Fire, flows, meshes -----------------------------------------------------------------------------

typedef struct Fire {
    double fuel, heat, smoke, hottest, coldest;
} Fire;

// Fuel at 900 K for 0.2 s, and 0.3 s more.
static Fire burn(float ignition, float speed)
{
    TarnLatticeDef def = box(24, 32, 24);
    def.speed = speed;
    def.use_smoke = def.use_temperature = def.use_fuel = true;
    TarnLatticeParams params = tarn_lattice_default_params();
    params.ignition = ignition;
    TarnLattice* l = make(&def, &params);
    TarnLatticeSourceDef source = tarn_lattice_source_default_def();
    source.motion.position.y = -1.0f;
    source.shape = tarn_shape_sphere(0.4f);
    source.fuel = 1.0f, source.temperature = 900.0f, source.smoke = 0.0f;
    source.stop = 0.2f;
    assert_ok(tarn_lattice_add_source(l, &source, NULL));
    run(l, is_short_run() ? 5 : 30);
    TarnLatticeView v = tarn_lattice_view(l);
    Fire fire = { sum_of(v.fuel), sum_of(v.temperature), sum_of(v.smoke), -1e9, 1e9 };
    for (size_t c = 0; c < l->grid.stride; ++c) {
        fire.hottest = fmax(fire.hottest, (double)l->temperature[c]);
        fire.coldest = fmin(fire.coldest, (double)l->temperature[c]);
    }
    tarn_lattice_destroy(l);
    return fire;
}

static void test_fire(void** state)
{
    (void)state;
    Fire cold = burn(5000.0f, 10.0f), hot = burn(400.0f, 10.0f);
    double burnt = hot.smoke / 0.6;
    assert_true(cold.smoke == 0.0 && cold.fuel > (is_short_run() ? 0.0 : 300.0));
    if (is_short_run()) return; // it has hardly begun to burn
    assert_true(hot.fuel < 0.6 * cold.fuel && burnt > 0.9 * (cold.fuel - hot.fuel));
    assert_true(fabs((hot.heat - cold.heat) / (2500.0 * burnt) - 1.0) < 0.1);
    assert_true(hot.hottest > 1500.0 && hot.hottest < 3500.0 && hot.coldest > -400.0);
    // Five times as fast as the lattice was made for.
    hot = burn(400.0f, 2.0f);
    assert_true(hot.hottest < 3500.0 && hot.coldest > -400.0);
}

static void test_particles(void** state)
{
    (void)state;
    TarnLatticeDef def = box(32, 16, 1);
    def.obstacles = TARN_LATTICE_NO_OBSTACLES;
    def.face_x0 = def.face_x1 = def.face_y0 = def.face_y1 = TARN_LATTICE_PERIODIC;
    TarnLatticeParams params = tarn_lattice_default_params();
    params.force.x = 1.0f;
    TarnLattice* l = make(&def, &params);
    TarnParticlesDef particles_def = tarn_particles_default_def();
    TarnParticlesParams falling = tarn_particles_default_params();
    falling.gravity = (TarnVec3){ 0, 0, 0 };
    falling.drag = falling.flow_drag = 200.0f;
    TarnParticles* p;
    assert_ok(tarn_particles_create(ctx, &particles_def, &p));
    assert_ok(tarn_particles_set_params(p, &falling));
    assert_ok(tarn_particles_set_flow(p, tarn_lattice_flow(l)));
    const TarnVec3 at = { -1.0f, 0.0f, 0.0f }, still = { 0 };
    assert_int_equal(tarn_particles_add(p, 1, &at, &still, NULL, 0.01f, 0), 1);
    for (int f = 0; f < 60; ++f) {
        run(l, 1);
        assert_ok(tarn_particles_step(p, frame, NULL));
    }
    TarnParticlesView v = tarn_particles_view(p); // after a second: 1 m/s and half a meter
    assert_int_equal(v.n, 1);
    assert_true(fabsf(v.vx[0] - 1.0f) < 0.05f && fabsf(v.x[0] + 0.5f) < 0.05f);
    tarn_particles_destroy(p);
    tarn_lattice_destroy(l);
}

// Marching cubes of the fill level enclose the volume of the liquid.
static void test_mesh(void** state)
{
    (void)state;
    TarnLatticeDef def = box(24, 24, 24);
    def.use_surface = true;
    TarnLatticeParams params = tarn_lattice_default_params();
    params.gravity = (TarnVec3){ 0, 0, 0 };
    params.density = 1000.0f;
    TarnLattice* l = make(&def, &params);
    TarnLatticeFillDef drop_def = tarn_lattice_fill_default_def();
    drop_def.shape = tarn_shape_sphere(0.7f);
    assert_ok(tarn_lattice_add_fill(l, &drop_def, NULL));
    run(l, 10);
    TarnLatticeView v = tarn_lattice_view(l);
    TarnMarchingDef marching_def = tarn_marching_default_def();
    marching_def.nx = marching_def.ny = marching_def.nz = 24;
    TarnMarching* marching;
    assert_ok(tarn_marching_create(ctx, &marching_def, &marching));
    TarnMarchingParams iso = tarn_marching_default_params();
    iso.iso = 0.5f, iso.is_fluid_above = true;
    enum { MOST = 20000 };
    static TarnVec3 position[MOST];
    static uint32_t index[3 * MOST];
    TarnMesh mesh = {
        .position = position, .index = index, .max_vertices = MOST, .max_triangles = MOST
    };
    TarnField3 field = { .value = v.fill, .origin = v.origin, .dx = v.dx };
    assert_ok(tarn_marching_run(marching, &field, &iso, &mesh));
    TarnMeshStats stats;
    assert_ok(tarn_mesh_stats(ctx, &mesh, &stats));
    double volume = tarn_lattice_stats(l).volume;
    assert_true(stats.open_edges == 0 && stats.parts == 1 && stats.euler == 2);
    assert_true(fabs(stats.volume / volume - 1.0) < 0.03);
    tarn_marching_destroy(marching);
    tarn_lattice_destroy(l);
}

// ---- Bubbles -----------------------------------------------------------------------------------------

// A flat pool with two bubbles between floors, which keep apart or let them merge.
static TarnLattice* make_bubbles(float gap)
{
    TarnLatticeDef def = box(64, 48, 1);
    def.dx = 0.005f, def.speed = 1.0f, def.lattice_speed = 0.2f;
    def.obstacles = TARN_LATTICE_NO_OBSTACLES;
    def.use_surface = true;
    TarnLatticeParams params = tarn_lattice_default_params();
    params.gravity = (TarnVec3){ 0, 0, 0 };
    params.density = 1000.0f, params.viscosity = 1e-4f, params.surface_tension = 0.07f;
    TarnLattice* l = make(&def, &params);
    // The pool is what is left between two gaps of 0.04 x 0.04 m: below, above, left, between, right.
    const float x = 0.04f + 0.5f * gap, boxes[5][4] = {
        { -1, -1, 1, -0.06f },      { -1, -0.02f, 1, 0.06f },
        { -1, -0.07f, -x, -0.01f }, { -0.5f * gap, -0.07f, 0.5f * gap, -0.01f },
        { x, -0.07f, 1, -0.01f },
    };
    for (int b = 0; b < 5; ++b) {
        if (boxes[b][2] <= boxes[b][0]) continue;
        TarnLatticeFillDef fill = tarn_lattice_fill_default_def();
        fill.shape = tarn_shape_box_between((TarnVec3){ boxes[b][0], boxes[b][1], -1 },
                                            (TarnVec3){ boxes[b][2], boxes[b][3], 1 },
                                            &fill.motion.position);
        assert_ok(tarn_lattice_add_fill(l, &fill, NULL));
    }
    return l;
}
// Pressure times volume of all enclosed gas, the volume from the fills of cells.
static double gas_in(const TarnLattice* l, double* volume)
{
    const LatticeSurface* s = l->surface;
    double sum = 0.0;
    *volume = 0.0;
    for (int j = 0; j < l->grid.ny; ++j)
        for (int i = 0; i < l->grid.nx; ++i) {
            ptrdiff_t c = lattice_at(&l->grid, i, j, 0);
            const LatticeBubble* b = &s->bubbles[s->bubble[c]];
            if (s->type[c] == LATTICE_FLUID || b->is_open) continue;
            *volume += 1.0 - (double)s->fill[c];
            sum += (1.0 - (double)s->fill[c]) * (double)b->rho;
        }
    return sum;
}

// Bubbles that are squeezed keep pressure times volume; the volume does change.
static void test_capsules(void** state)
{
    (void)state;
    TarnLattice* l = make_bubbles(0.03f);
    assert_int_equal(tarn_lattice_stats(l).bubbles, 2);
    double volume, gas = gas_in(l, &volume), before = volume;
    assert_true(fabs(gas - 128.0) < 6.0);
    TarnLatticeParams params = tarn_lattice_params(l);
    params.gravity.y = -9.81f; // the water above weighs on them
    assert_ok(tarn_lattice_set_params(l, &params));
    double worst = 0.0, least = before;
    for (int f = 0; f < 6; ++f) {
        run(l, 1);
        double now = gas_in(l, &volume);
        worst = fmax(worst, fabs(now / gas - 1.0));
        least = fmin(least, volume);
    }
    assert_true(worst < 0.001 && least < 0.99 * before);
    tarn_lattice_destroy(l);
}

// Two that touch become one with the gas of both; a wall of liquid through it makes two of one.
static void test_merge_and_split(void** state)
{
    (void)state;
    double volume;
    TarnLattice* l = make_bubbles(0.0f);
    assert_int_equal(tarn_lattice_stats(l).bubbles, 1);
    double gas = gas_in(l, &volume);
    l->surface->bubbles[l->surface->bubble[lattice_at(&l->grid, 32, 16, 0)]].amount *= 1.1;
    run(l, 1); // its pressure rises by a tenth
    assert_true(fabs(gas_in(l, &volume) / (1.1 * gas) - 1.0) < 0.03);
    gas = gas_in(l, &volume);
    TarnLatticeFillDef wall = tarn_lattice_fill_default_def();
    wall.shape = tarn_shape_box(0.01f, 0.04f, 1.0f);
    wall.motion.position.y = -0.04f;
    double before = volume;
    assert_ok(tarn_lattice_add_fill(l, &wall, NULL));
    assert_int_equal(tarn_lattice_stats(l).bubbles, 2);
    // The wall takes the gas of its place; both parts go on with the pressure that they had.
    double parts = gas_in(l, &volume);
    assert_true(volume < 0.9 * before && fabs(parts / gas - volume / before) < 0.02);
    tarn_lattice_destroy(l);
}

// Two with a thin wall of liquid between them, one at a higher pressure: the wall breaks, and one is left with the gas of both.
static void test_wall_breaks(void** state)
{
    (void)state;
    TarnLattice* l = make_bubbles(0.01f);
    assert_int_equal(tarn_lattice_stats(l).bubbles, 2);
    LatticeSurface* s = l->surface;
    s->bubbles[s->bubble[lattice_at(&l->grid, 26, 16, 0)]].amount *= 1.04;
    double gas = 0.0, volume;
    for (int b = 1; b < s->n_bubbles; ++b) gas += s->bubbles[b].amount;
    assert_true(gas > 128.0);
    for (int f = 0; f < 20; ++f) {
        run(l, 1);
        double now = gas_in(l, &volume);
        assert_true(fabs(now / gas - 1.0) < 0.001 && volume > 120.0);
    }
    assert_int_equal(tarn_lattice_stats(l).bubbles, 1);
    tarn_lattice_destroy(l);
}

// ---- A surface at an obstacle ------------------------------------------------------------------------

// A pool of 48 x 24 cells of 0.1 m, 1.2 m deep, with a bar 0.8 m wide that goes down to `bottom`. The pool stays flat up to the
// bar, nothing is in it, and what lifts it is the weight of the water in its place. On the floor, too: water seeps under it.
static void dip(float bottom, int obstacles)
{
    TarnLatticeDef def = box(48, 24, 1);
    def.use_surface = true, def.obstacles = obstacles;
    TarnLatticeParams params = tarn_lattice_default_params();
    params.density = 1000.0f, params.viscosity = 0.01f;
    TarnSolidDef bar = tarn_solid_default_def();
    bar.shape = tarn_shape_box(0.4f, 0.5f * (1.1f - bottom), 1.0f);
    bar.motion.position.y = 0.5f * (1.1f + bottom);
    Stirred s = stir(&def, &params, &bar);
    TarnLatticeFillDef fill = tarn_lattice_fill_default_def();
    fill.shape = tarn_shape_box(3.0f, 0.6f, 3.0f);
    fill.motion.position.y = -0.6f;
    assert_ok(tarn_lattice_add_fill(s.l, &fill, NULL));
    run(s.l, 1);
    double before = tarn_lattice_stats(s.l).mass, lift = 0.0;
    enum { FRAMES = 120, MEAN = 60 };
    for (int f = 0; f < FRAMES; ++f) {
        TarnVec3 force;
        run(s.l, 1);
        assert_ok(tarn_lattice_force(s.l, tarn_solids_at(s.solids, 0), &force, NULL));
        if (f >= FRAMES - MEAN) lift += (double)force.y / MEAN;
    }
    assert_true(fabs(tarn_lattice_stats(s.l).mass / before - 1.0) < 1e-6);
    double weight = 9810.0 * 0.8 * -(double)bottom;
    if (!(fabs(lift / weight - 1.0) < 0.01)) print_error("lift %g of %g N\n", lift, weight);
    assert_true(fabs(lift / weight - 1.0) < 0.01);
    TarnSurface surface = tarn_lattice_surface(s.l);
    const float x[4] = { -1.6f, -0.46f, 0.46f, 1.6f };
    for (int n = 0; n < 4; ++n)
        assert_float_equal(tarn_surface_height(surface, x[n], 0.0f), 0.0f, 0.002f);
    for (int j = 0; j < 24; ++j)
        for (int i = 0; i < 48; ++i) {
            ptrdiff_t c = lattice_at(&s.l->grid, i, j, 0);
            if (s.l->solid[c]) assert_true(s.l->surface->fill[c] == 0.0f);
        }
    drop(&s);
}

static void test_contact(void** state)
{
    (void)state;
    for (int o = TARN_LATTICE_HALF_WAY; o <= TARN_LATTICE_INTERPOLATED; ++o) {
        dip(-0.5f, o);
        dip(-1.2f, o);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_inflow),      TEST(test_sponge),   TEST(test_refill),
        TEST(test_turning),     TEST(test_fire),     TEST(test_particles),
        TEST(test_mesh),        TEST(test_capsules), TEST(test_merge_and_split),
        TEST(test_wall_breaks), TEST(test_contact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
