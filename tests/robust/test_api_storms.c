// Storms of public calls on each solver, with saves and loads between. Two objects are made alike; calls at random,
// good and bad, go to the first, and to both where a snapshot only compares what they have (spans, gates,
// bodies, solids). Whatever was called:
//   a call that is refused changes nothing;
//   a snapshot of the first loads into the second, and gives the same hash and the same future.
//
//     test_api_storms            about ten seconds
//     test_api_storms 600        ten minutes; or TARN_API_STORMS_SECONDS=600
//     test_api_storms 0 1234     case 1234 alone
//
// Worlds: test_round_trip.c. Plain main.

#include "tests/robust/random_scene.h"

// ---- Values -----------------------------------------------------------------------------------------

// Mostly of a size, sometimes anything.
static float value(float size)
{
    static const float odd[] = { 0.0f, -1.0f, 1e6f, -1e6f, 1e30f, NAN, INFINITY, 1e-30f };
    if (draw(12) == 0) return odd[draw(8)];
    return (float)draw_between(-1.0, 1.0) * size;
}
static float positive(float size)
{
    return draw(12) == 0 ? value(size) : (float)draw_between(0.0, 1.0) * size + 1e-3f * size;
}
static TarnVec2 vec2(float size)
{
    return (TarnVec2){ value(size), value(size) };
}
static TarnVec3 vec3(float size)
{
    return (TarnVec3){ value(size), value(size), value(size) };
}

// One parameter of a struct as a host would write it, in its range or not.
static void change_param(const TarnParamTable* table, void* object)
{
    const TarnParam* p = &table->params[draw(table->count)];
    if (is_costly_param(p->name)) return;
    char* at = (char*)object + p->offset;
    double x = draw(8) == 0 ? p->max + 1.0 + fabs(p->max) : draw_value(p, 0);
    if (p->type == TARN_PARAM_BOOL)
        *(bool*)at = draw(2);
    else if (p->type == TARN_PARAM_INT || p->type == TARN_PARAM_ENUM)
        *(int*)at = x < 2e9 ? (int)x : 2000000000;
    else
        *(float*)at = (float)x;
}

// ---- Solvers ----------------------------------------------------------------------------------------

// make, step and so on as every solver has them; call does one thing at random to a, and to b what must be
// alike. Returns what the call on a returned.
typedef struct Solver {
    const char* name;
    void* (*make)(TarnContext* ctx, int variant);
    void (*destroy)(void* object);
    TarnResult (*call)(void* a, void* b, int which);
    TarnResult (*step)(void* object, float dt);
    uint64_t (*hash)(const void* object);
    TarnResult (*save)(const void* object, void* buffer, size_t capacity, size_t* size);
    TarnResult (*load)(void* object, const void* buffer, size_t size);
    int calls; // different ones
} Solver;

#define SOLVER(Type, name)                                                                         \
    static void name##_destroy(void* object)                                                       \
    {                                                                                              \
        tarn_##name##_destroy((Type*)object);                                                      \
    }                                                                                              \
    static TarnResult name##_step(void* object, float dt)                                          \
    {                                                                                              \
        return tarn_##name##_step((Type*)object, dt, NULL);                                        \
    }                                                                                              \
    static uint64_t name##_hash(const void* object)                                                \
    {                                                                                              \
        return tarn_##name##_hash((const Type*)object);                                            \
    }                                                                                              \
    static TarnResult name##_save(const void* object, void* buffer, size_t capacity, size_t* size) \
    {                                                                                              \
        return tarn_##name##_save((const Type*)object, buffer, capacity, size);                    \
    }                                                                                              \
    static TarnResult name##_load(void* object, const void* buffer, size_t size)                   \
    {                                                                                              \
        return tarn_##name##_load((Type*)object, buffer, size);                                    \
    }
#define tarn_solids_step(object, dt, report) tarn_solids_advance(object, dt) // their way to step
SOLVER(TarnWave, wave)
SOLVER(TarnShallow, shallow)
SOLVER(TarnPipes, pipes)
SOLVER(TarnGas, gas)
SOLVER(TarnParticles, particles)
SOLVER(TarnLiquid, liquid)
SOLVER(TarnSolids, solids)
SOLVER(TarnBodies, bodies)

static float hills(float x, float z, void* user)
{
    (void)user;
    float s, c;
    s = x - 4.0f * floorf(0.25f * x) - 2.0f, c = z - 3.0f * floorf(z / 3.0f) - 1.5f;
    return -1.0f + 0.3f * s * s - 0.2f * c;
}

static void* wave_make(TarnContext* ctx, int variant)
{
    TarnWaveDef def = tarn_wave_default_def();
    TarnWave* wave = NULL;
    def.nx = 20 + variant % 7 * 12, def.nz = 17 + variant % 5 * 9, def.dx = 0.2f;
    def.edge_x0 = variant % 3 == 0 ? TARN_EDGE_ABSORBING : TARN_EDGE_REFLECTING;
    def.sponge_cells = 4;
    if (variant % 2) def.bed_fn = hills;
    def.use_bodies = variant % 4 == 0;
    tarn_wave_create(ctx, &def, &wave);
    return wave;
}
static TarnResult wave_call(void* a, void* b, int which)
{
    TarnWave* wave = a;
    TarnWaveParams params = tarn_wave_params(wave);
    (void)b;
    switch (which) {
    case 0:
        return tarn_wave_add_drop(wave, vec2(8), positive(1), value(0.3f));
    case 1:
        return tarn_wave_add_stroke(wave, vec2(8), vec2(8), positive(1), value(0.2f));
    case 2:
        return tarn_wave_add_line(wave, vec2(8), vec2(8), value(0.2f), positive(0.05f));
    case 3:
        return tarn_wave_drive_edge(wave, draw(5), value(0.2f), positive(0.05f));
    case 4:
        return tarn_wave_shift(wave, draw(9) - 4, draw(9) - 4);
    case 5:
        change_param(tarn_wave_params_table(), &params);
        return tarn_wave_set_params(wave, &params);
    case 6:
        return tarn_wave_step(wave, value(1.0f), NULL);
    default:
        if (draw(4) == 0) tarn_wave_reset(wave);
        return TARN_OK;
    }
}

static void* shallow_make(TarnContext* ctx, int variant)
{
    TarnShallowDef def = tarn_shallow_default_def();
    TarnShallow* water = NULL;
    def.nx = 4 + variant % 7 * 13, def.nz = 6 + variant % 5 * 9, def.dx = 0.4f;
    def.level = 0.3f, def.has_level = true;
    def.edge_x0 = variant % 4, def.edge_z1 = variant / 4 % 4;
    if (variant % 2) def.bed_fn = hills;
    def.use_bodies = variant % 4 == 0;
    tarn_shallow_create(ctx, &def, &water);
    return water;
}
static TarnResult shallow_call(void* a, void* b, int which)
{
    TarnShallow* water = a;
    TarnShallowParams params = tarn_shallow_params(water);
    TarnShallowSpanDef span = tarn_shallow_default_span();
    TarnShallowGateDef gate = tarn_shallow_default_gate();
    TarnResult result;
    switch (which) {
    case 0:
        return tarn_shallow_add_water(water, vec2(15), positive(3), value(5), NULL);
    case 1:
        return tarn_shallow_fill(water, vec2(15), vec2(15), value(1));
    case 2:
        return tarn_shallow_dig(water, vec2(15), positive(3), value(1));
    case 3:
        return tarn_shallow_add_velocity(water, vec2(15), positive(4), vec2(3));
    case 4:
        return tarn_shallow_shift(water, draw(9) - 4, draw(9) - 4);
    case 5:
        change_param(tarn_shallow_params_table(), &params);
        return tarn_shallow_set_params(water, &params);
    case 6:
        return tarn_shallow_set_span(water, draw(4), value(1));
    case 7:
        return tarn_shallow_set_gate(water, draw(3), positive(1));
    case 8:
        return tarn_shallow_step(water, value(1.0f), NULL);
    case 9:
        if (tarn_shallow_span_count(water) == 3) return TARN_OK;
        span.side = draw(5), span.kind = draw(8), span.value = value(0.6f);
        span.from = value(4), span.to = value(8);
        result = tarn_shallow_add_span(water, &span, NULL);
        return tarn_shallow_add_span(b, &span, NULL) == result ? result : TARN_ERR_VERSION;
    case 10:
        // Where the window is decides about it: only while it has not moved, in both.
        if (tarn_shallow_gate_count(water) == 2 || tarn_shallow_origin(water).x != 0.0f ||
            tarn_shallow_origin(water).y != 0.0f || tarn_shallow_origin(b).x != 0.0f ||
            tarn_shallow_origin(b).y != 0.0f)
            return TARN_OK;
        gate.a = vec2(10), gate.b = vec2(10), gate.top = value(2), gate.opening = positive(1);
        result = tarn_shallow_add_gate(water, &gate, NULL);
        return tarn_shallow_add_gate(b, &gate, NULL) == result ? result : TARN_ERR_VERSION;
    default:
        if (draw(4) == 0) tarn_shallow_reset(water);
        return TARN_OK;
    }
}

static void* pipes_make(TarnContext* ctx, int variant)
{
    TarnPipesDef def = tarn_pipes_default_def();
    TarnPipes* pipes = NULL;
    def.nx = 4 + variant % 7 * 6, def.nz = 5 + variant % 5 * 7, def.dx = 1.0f;
    def.use_erosion = variant % 2;
    tarn_pipes_create(ctx, &def, &pipes);
    return pipes;
}
static TarnResult pipes_call(void* a, void* b, int which)
{
    TarnPipes* pipes = a;
    TarnPipesParams params = tarn_pipes_params(pipes);
    (void)b;
    switch (which) {
    case 0:
        return tarn_pipes_add_water(pipes, vec2(25), positive(5), value(20), NULL);
    case 1:
        change_param(tarn_pipes_params_table(), &params);
        return tarn_pipes_set_params(pipes, &params);
    case 2:
        return tarn_pipes_step(pipes, value(1.0f), NULL);
    default:
        if (draw(8) == 0) tarn_pipes_reset(pipes);
        return TARN_OK;
    }
}

// Solids that gases of a case share; the host's, so they are not in snapshots of gases.
static TarnSolids* obstacles;

static void* gas_make(TarnContext* ctx, int variant)
{
    TarnGasDef def = tarn_gas_default_def();
    TarnGas* gas = NULL;
    def.nx = 16, def.ny = 16 + variant % 2 * 8, def.nz = 16, def.dx = 0.1f;
    def.levels = 1 + variant % 2, def.use_fuel = variant % 3 == 0, def.use_color = variant % 4 == 1;
    def.obstacles = variant % 3, def.follow = variant / 3 % 2;
    def.max_sources = 3, def.max_jets = 2;
    for (int e = 0; e < 6; ++e) (&def.edge_x0)[e] = variant % 5 == 0 ? TARN_GAS_CLOSED : e % 3;
    if (tarn_gas_create(ctx, &def, &gas) != TARN_OK) return NULL;
    if (def.obstacles != TARN_GAS_NO_OBSTACLES) tarn_gas_set_solids(gas, obstacles);
    return gas;
}
static TarnResult gas_call(void* a, void* b, int which)
{
    TarnGas* gas = a;
    TarnGasParams params = tarn_gas_params(gas);
    TarnGasSourceDef source = tarn_gas_source_default_def();
    TarnGasJetDef jet = tarn_gas_jet_default_def();
    (void)b;
    switch (which) {
    case 0:
        change_param(tarn_gas_params_table(), &params);
        return tarn_gas_set_params(gas, &params);
    case 1:
        params.update_every = draw(5);
        return tarn_gas_set_params(gas, &params);
    case 2:
        change_param(tarn_gas_source_def_table(), &source);
        source.motion.position = vec3(0.6f);
        return tarn_gas_add_source(gas, &source, NULL);
    case 3:
        change_param(tarn_gas_jet_def_table(), &jet);
        jet.motion.position = vec3(0.6f);
        return tarn_gas_add_jet(gas, &jet, NULL);
    case 4:
        return tarn_gas_move(gas, vec3(0.8f), vec3(2));
    case 5:
        return tarn_gas_set_level(gas, draw(4) - 1);
    case 6:
        return tarn_gas_burst(gas, vec3(0.5f), positive(0.4f), positive(1), value(300), 0.0f,
                              positive(0.1f));
    case 7:
        return tarn_gas_step(gas, value(0.2f), NULL);
    case 8: { // the host moves an obstacle, whether the gas has looked or not
        TarnMotion motion = { { 0.5f * (float)draw_between(-1, 1), 0.1f, 0.0f },
                              { 0, 0, 0, 1 },
                              { 1, 0, 0 },
                              { 0, 0, 0 } };
        tarn_solids_place(obstacles, tarn_solids_at(obstacles, 0), &motion);
        return TARN_OK;
    }
    default:
        if (draw(6) == 0) tarn_gas_reset(gas);
        return TARN_OK;
    }
}

static void* particles_make(TarnContext* ctx, int variant)
{
    TarnParticlesDef def = tarn_particles_default_def();
    TarnParticles* particles = NULL;
    def.max_particles = 200 + variant % 3 * 300, def.max_emitters = 3, def.max_attractors = 2;
    tarn_particles_create(ctx, &def, &particles);
    tarn_particles_set_solids(particles, variant % 2 ? obstacles : NULL);
    return particles;
}
static TarnResult particles_call(void* a, void* b, int which)
{
    TarnParticles* particles = a;
    TarnParticlesParams params = tarn_particles_params(particles);
    TarnParticleEmitterDef emitter = tarn_particle_emitter_default_def();
    TarnAttractorDef attractor = tarn_attractor_default_def();
    (void)b;
    switch (which) {
    case 0:
        change_param(tarn_particles_params_table(), &params);
        return tarn_particles_set_params(particles, &params);
    case 1:
        change_param(tarn_particle_emitter_def_table(), &emitter);
        emitter.rate = positive(500), emitter.motion.position = vec3(1);
        emitter.limit = draw(100), emitter.is_recycling = draw(2);
        return tarn_particles_add_emitter(particles, &emitter, NULL);
    case 2:
        change_param(tarn_attractor_def_table(), &attractor);
        return tarn_particles_add_attractor(particles, &attractor, NULL);
    case 3: {
        TarnVec3 at[4] = { vec3(1), vec3(1), vec3(1), vec3(1) };
        tarn_particles_add(particles, 4, at, NULL, NULL, 0.01f, draw(256));
        return TARN_OK;
    }
    case 4:
        return tarn_particles_throttle(particles, positive(1));
    case 5:
        return tarn_particles_step(particles, value(0.5f), NULL);
    default:
        if (draw(6) == 0) tarn_particles_reset(particles);
        return TARN_OK;
    }
}

static void* liquid_make(TarnContext* ctx, int variant)
{
    TarnLiquidDef def = tarn_liquid_default_def();
    TarnLiquid* liquid = NULL;
    def.method = variant % 6, def.dimensions = 2 + variant / 6 % 2, def.spacing = 0.1f;
    def.max_particles = 300, def.box_min = (TarnVec3){ -1, 0, -0.3f };
    def.box_max = (TarnVec3){ 1, 2, 0.3f }, def.max_splashes = variant % 2 ? 50 : 0;
    tarn_liquid_create(ctx, &def, &liquid);
    return liquid;
}
static TarnResult liquid_call(void* a, void* b, int which)
{
    TarnLiquid* liquid = a;
    TarnLiquidParams params = tarn_liquid_params(liquid);
    TarnLiquidKindDef kind = tarn_liquid_kind_default_def();
    TarnLiquidFill fill = tarn_liquid_fill_default();
    TarnLiquidSourceDef source = tarn_liquid_source_default_def();
    TarnRegionDef region = tarn_region_default_def();
    (void)b;
    switch (which) {
    case 0:
        change_param(tarn_liquid_params_table(), &params);
        return tarn_liquid_set_params(liquid, &params);
    case 1:
        change_param(tarn_liquid_kind_def_table(), &kind);
        return tarn_liquid_set_kind(liquid, draw(9), &kind);
    case 2:
        fill.shape.size = vec3(1), fill.pose.position = vec3(1), fill.kind = draw(9);
        fill.shape.kind = draw(TARN_SHAPE_KINDS + 1);
        fill.pose.rotation.x = draw(3) ? 0.0f : value(1);
        fill.temperature = draw(2) ? value(200) : 0.0f;
        return tarn_liquid_fill(liquid, &fill, NULL);
    case 3:
        change_param(tarn_liquid_source_def_table(), &source);
        source.position = vec3(1);
        return tarn_liquid_add_source(liquid, &source, NULL);
    case 4:
        change_param(tarn_region_def_table(), &region);
        region.action = draw(7), region.temperature = value(200);
        return tarn_liquid_add_region(liquid, &region, NULL);
    case 5:
        return tarn_liquid_push_group(liquid, draw(3) - 1, vec3(2));
    case 6:
        return tarn_liquid_step(liquid, value(0.05f), NULL);
    case 7:
        return tarn_liquid_remove(liquid, (uint32_t)draw(100));
    default:
        if (draw(8) == 0) tarn_liquid_reset(liquid);
        return TARN_OK;
    }
}

static void* solids_make(TarnContext* ctx, int variant)
{
    TarnSolidsDef def = tarn_solids_default_def();
    TarnSolids* solids = NULL;
    def.max_solids = 4 + variant % 3;
    tarn_solids_create(ctx, &def, &solids);
    return solids;
}
static TarnResult solids_call(void* a, void* b, int which)
{
    TarnSolids *solids = a, *twin = b;
    int n = draw(6);
    TarnSolidId id = tarn_solids_at(solids, n), other = tarn_solids_at(twin, n);
    TarnSolidDef def = tarn_solid_default_def();
    TarnMotion motion = { vec3(3), { 0, 0, 0, 1 }, vec3(3), vec3(3) };
    if (draw(2)) motion.rotation = (TarnQuat){ value(1), value(1), value(1), value(1) };
    TarnResult result;
    switch (which) {
    case 0:
        change_param(tarn_solid_def_table(), &def);
        result = tarn_solids_add(solids, &def, NULL);
        return tarn_solids_add(twin, &def, NULL) == result ? result : TARN_ERR_VERSION;
    case 1:
        if (draw(3)) return TARN_OK;
        result = tarn_solids_remove(solids, id);
        return tarn_solids_remove(twin, other) == result ? result : TARN_ERR_VERSION;
    case 2:
        return tarn_solids_move(solids, id, &motion);
    case 3:
        return tarn_solids_place(solids, id, &motion);
    case 4:
        return tarn_solids_set_velocity(solids, id, vec3(10), vec3(50));
    default:
        return tarn_solids_advance(solids, value(1));
    }
}

static void* bodies_make(TarnContext* ctx, int variant)
{
    TarnBodiesDef def = tarn_bodies_default_def();
    TarnBodies* bodies = NULL;
    def.max_bodies = 4 + variant % 4;
    tarn_bodies_create(ctx, &def, &bodies);
    return bodies;
}
static TarnResult bodies_call(void* a, void* b, int which)
{
    TarnBodies *bodies = a, *twin = b;
    int n = draw(6);
    TarnBodyId id = tarn_bodies_at(bodies, n), other = tarn_bodies_at(twin, n), made;
    TarnBodyDef def = tarn_body_default_def();
    TarnBodyState state = { vec3(3), { 0, 0, 0, 1 }, vec3(10), vec3(20) };
    TarnResult result;
    switch (which) {
    case 0:
        def.shape = draw(2) ? tarn_shape_sphere(positive(0.5f))
                            : tarn_shape_box(positive(1), positive(1), positive(1));
        def.state = state, def.density = positive(2000), def.freedom = draw(4);
        def.is_driven = draw(4) == 0;
        result = tarn_bodies_add(bodies, &def, &made);
        return tarn_bodies_add(twin, &def, &made) == result ? result : TARN_ERR_VERSION;
    case 1:
        if (draw(3)) return TARN_OK;
        result = tarn_bodies_remove(bodies, id);
        return tarn_bodies_remove(twin, other) == result ? result : TARN_ERR_VERSION;
    case 2:
        return tarn_bodies_set_state(bodies, id, &state);
    case 3:
        return tarn_bodies_add_force(bodies, id, vec3(1e4f), vec3(1e3f));
    case 4:
        tarn_bodies_clear_forces(bodies);
        return TARN_OK;
    default:
        return tarn_bodies_step(bodies, value(0.1f), NULL);
    }
}

#define ENTRY(name, calls)                                                                         \
    {                                                                                              \
#name, name##_make, name##_destroy, name##_call, name##_step, name##_hash, name##_save,    \
            name##_load, calls                                                                     \
    }
static const Solver solvers[] = { ENTRY(wave, 8),   ENTRY(shallow, 12),  ENTRY(pipes, 4),
                                  ENTRY(gas, 10),   ENTRY(particles, 7), ENTRY(liquid, 9),
                                  ENTRY(solids, 6), ENTRY(bodies, 6) };
enum { N_SOLVERS = sizeof solvers / sizeof solvers[0] };

// ---- A case -----------------------------------------------------------------------------------------

static const char* check_round_trip(TarnContext* context, const Solver* s, void* a, void* b)
{
    size_t size = 0;
    uint64_t hash = s->hash(a);
    if (s->save(a, NULL, 0, &size) != TARN_ERR_CAPACITY) return "the size is not told";
    tarn__fail(context, TARN_ERR_ARG, "of another call");
    if (s->save(a, NULL, 0, NULL) != TARN_ERR_ARG || !strstr(tarn_last_error(context), "size"))
        return "a missing size is not told";
    uint8_t* snapshot = malloc(size);
    const char* wrong = NULL;
    if (s->save(a, snapshot, size, &size) != TARN_OK)
        wrong = "save failed";
    else if (s->load(b, snapshot, size) != TARN_OK)
        wrong = "its twin refuses the snapshot";
    else if (s->hash(b) != hash)
        wrong = "the load gives another hash";
    for (int i = draw(4); i > 0 && wrong == NULL; --i) {
        float dt = 1.0f / 60;
        if (s->step(a, dt) != TARN_OK || s->step(b, dt) != TARN_OK) wrong = "a step failed";
        if (wrong == NULL && s->hash(a) != s->hash(b)) wrong = "equal hashes, another future";
    }
    if (wrong == NULL && draw(4) == 0) { // back again
        if (s->load(a, snapshot, size) != TARN_OK)
            wrong = "it refuses its own snapshot";
        else if (s->hash(a) != hash)
            wrong = "going back gives another hash";
    }
    free(snapshot);
    return wrong;
}

static bool run_case(TarnContext* ctx, int n, bool is_told)
{
    const Solver* s = &solvers[n % N_SOLVERS];
    draw_seed = (uint64_t)n, draw_at = 0;
    TarnSolidsDef solids = tarn_solids_default_def();
    TarnSolidDef ball = tarn_solid_default_def();
    tarn_solids_create(ctx, &solids, &obstacles);
    ball.shape.size.x = 0.2f;
    tarn_solids_add(obstacles, &ball, NULL);
    int variant = n / N_SOLVERS;
    void *a = s->make(ctx, variant), *b = s->make(ctx, variant);
    const char* wrong = a && b ? NULL : tarn_last_error(ctx);
    int which = 0;
    for (int i = 0; i < 60 && wrong == NULL; ++i) {
        which = draw(s->calls);
        uint64_t before = s->hash(a);
        TarnResult result = s->call(a, b, which);
        if (is_told) printf("  call %d: %s\n", which, tarn_result_name(result));
        if (result == TARN_ERR_VERSION) wrong = "twins answer differently";
        if (result != TARN_OK && s->hash(a) != before) wrong = "refused, and yet something changed";
        if (wrong == NULL && draw(4) == 0) wrong = check_round_trip(ctx, s, a, b);
    }
    if (wrong)
        printf("case %d: %s: %s, after call %d (%s)\n", n, s->name, wrong, which,
               tarn_last_error(ctx));
    s->destroy(a);
    s->destroy(b);
    tarn_solids_destroy(obstacles);
    return wrong == NULL;
}

int main(int argc, char** argv)
{
    const char* asked = argc > 1 ? argv[1] : getenv("TARN_API_STORMS_SECONDS");
    double seconds = asked ? atof(asked) : 10.0, end = now() + seconds;
    int only = argc > 2 ? atoi(argv[2]) : -1, bad = 0, n = 0;
    TarnContextDef def = tarn_context_default_def();
    TarnContext* ctx;
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (tarn_context_create(&def, &ctx) != TARN_OK) return 1;
    if (only >= 0) bad += !run_case(ctx, only, true);
    for (; only < 0 && bad < 20 && (now() < end || n < 3 * N_SOLVERS); ++n)
        bad += !run_case(ctx, n, false);
    if (only < 0) printf("%d storms on %d solvers, %d bad\n", n, N_SOLVERS, bad);
    tarn_context_destroy(ctx);
    return bad > 0;
}
