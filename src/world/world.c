// A world: solvers, bodies, emitters and drivers in one step. The order of a substep is that of
// tarn_world_step below; everything else here is lifetime and bookkeeping. State: world_state.c

#include "world/world_inside.h"
#include "tarn/coupling.h"
#include "base/param.h"
#include <math.h>
#include <stdatomic.h>

static const TarnParam world_params[] = {
    P_FLOAT(TarnWorldDef, gravity, "m/s^2", 0, 100, 9.81,
            "Downwards, for bodies and for solvers that are added without their own."),
    P_INT(TarnWorldDef, max_bodies, "", 1, 4096, 64, "Room for bodies, about 5 kB each."),
    P_INT(TarnWorldDef, max_emitters, "", 1, 1024, 64, "Room for emitters."),
    P_INT(TarnWorldDef, seed, "", 0, 2147483647, 1,
          "Of everything random: another seed, another rain."),
    P_FLOAT(TarnWorldDef, max_step, "s", 0.0001, 0.1, 1.0 / 60,
            "Longer steps are cut into equal parts, so that bodies and water stay in touch."),
    P_INT(TarnWorldDef, max_substeps, "", 1, 1000, 8,
          "Parts of one step at most; time beyond them is dropped and reported."),
};
static const TarnParamTable world_table = PARAM_TABLE("world", TarnWorldDef, world_params);

const TarnParamTable* tarn_world_def_table(void)
{
    return &world_table;
}

TarnWorldDef tarn_world_default_def(void)
{
    TarnWorldDef def = { .cookie = WORLD_COOKIE };
    tarn_param_defaults(&world_table, &def);
    return def;
}

// ---- Lifetime ----------------------------------------------------------------------------------

TarnResult tarn_world_create(TarnContext* ctx, const TarnWorldDef* def, TarnWorld** out)
{
    static atomic_uint owners; // counts the worlds of the process; in no state, hash or snapshot
    if (out) *out = NULL;
    if (ctx == NULL || out == NULL)
        return tarn__fail(ctx, TARN_ERR_ARG, "tarn_world_create: ctx and out must not be NULL");
    if (def == NULL || def->cookie != WORLD_COOKIE)
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "world: start from tarn_world_default_def(), the cookie is missing");
    TARN_TRY(tarn_param_validate(ctx, &world_table, def));

    TarnBodiesDef bodies_def = tarn_bodies_default_def();
    bodies_def.max_bodies = def->max_bodies;
    bodies_def.gravity = (TarnVec3){ 0.0f, -def->gravity, 0.0f };
    TarnBodies* bodies;
    TARN_TRY(tarn_bodies_create(ctx, &bodies_def, &bodies));

    TarnLayout layout = { 0 };
    tarn__layout_add(&layout, sizeof(TarnWorld));
    size_t emitters = tarn__layout_add(&layout, (size_t)def->max_emitters * sizeof(Emitter));
    size_t drivers = tarn__layout_add(&layout, (size_t)def->max_bodies * sizeof(Driver));
    TarnWorld* world = tarn__alloc(ctx, layout.size);
    if (world == NULL) {
        tarn_bodies_destroy(bodies);
        return tarn__fail(ctx, TARN_ERR_MEMORY, "no memory for a world of %zu bytes", layout.size);
    }
    *world = (TarnWorld){ .ctx = ctx, .memory = layout.size, .def = *def, .bodies = bodies };
    world->owner = (uint16_t)atomic_fetch_add(&owners, 1u);
    world->emitters = (Emitter*)((char*)world + emitters);
    world->drivers = (Driver*)((char*)world + drivers);
    *out = world;
    return TARN_OK;
}

void tarn_world_destroy(TarnWorld* world)
{
    if (world == NULL) return;
    tarn_wave_destroy(world->wave);
    tarn_bodies_destroy(world->bodies);
    tarn__free(world->ctx, world, world->memory);
}

static bool is_closed(int edge)
{
    return edge == TARN_EDGE_REFLECTING || edge == TARN_EDGE_FIXED;
}

void tarn__world_set_box(TarnWorld* world, TarnVec2 origin)
{
    const float far_away = 1e4f;
    const TarnWaveDef* def = tarn_wave_def(world->wave);
    TarnVec3 lo = { -far_away, world->floor, -far_away }, hi = { far_away, far_away, far_away };
    if (is_closed(def->edge_x0)) lo.x = origin.x;
    if (is_closed(def->edge_x1)) hi.x = origin.x + (float)def->nx * def->dx;
    if (is_closed(def->edge_z0)) lo.z = origin.y;
    if (is_closed(def->edge_z1)) hi.z = origin.y + (float)def->nz * def->dx;
    tarn__bodies_set_box(world->bodies, lo, hi);
    world->origin = origin;
}

static float deepest(const TarnWave* wave)
{
    const TarnWaveDef* def = tarn_wave_def(wave);
    float depth = 0.0f;
    for (int k = 0; k < def->nz; ++k) {
        for (int i = 0; i < def->nx; ++i) {
            float d = tarn_wave_bed_depth(wave, i, k);
            depth = d > depth ? d : depth;
        }
    }
    return depth;
}

TarnResult tarn_world_add_wave(TarnWorld* world, const TarnWaveDef* def, TarnWave** out)
{
    if (out) *out = NULL;
    if (world == NULL) return TARN_ERR_ARG;
    if (def == NULL)
        return tarn__fail(world->ctx, TARN_ERR_ARG, "tarn_world_add_wave: def must not be NULL");
    if (world->wave)
        return tarn__fail(world->ctx, TARN_ERR_CAPACITY,
                          "this world has a wave solver already; this version holds one per world");
    TarnWaveDef copy = *def;
    if (copy.gravity == 0.0f) copy.gravity = world->def.gravity;
    TARN_TRY(tarn_wave_create(world->ctx, &copy, &world->wave));
    world->floor = copy.level - deepest(world->wave);
    tarn__world_set_box(world, tarn_wave_origin(world->wave));
    if (out) *out = world->wave;
    return TARN_OK;
}

TarnResult tarn_world_add_body(TarnWorld* world, const TarnBodyDef* def, TarnBodyId* out)
{
    if (out) *out = (TarnBodyId){ 0 };
    return world ? tarn_bodies_add(world->bodies, def, out) : TARN_ERR_ARG;
}

// ---- Access ------------------------------------------------------------------------------------

TarnWave* tarn_world_wave(TarnWorld* world)
{
    return world ? world->wave : NULL;
}
TarnBodies* tarn_world_bodies(TarnWorld* world)
{
    return world ? world->bodies : NULL;
}
TarnSurface tarn_world_surface(const TarnWorld* world)
{
    return world && world->wave ? tarn_wave_surface(world->wave) : (TarnSurface){ 0 };
}
double tarn_world_time(const TarnWorld* world)
{
    return world ? world->time : 0.0;
}

// ---- Step --------------------------------------------------------------------------------------

static void merge(TarnStepReport* sum, const TarnStepReport* wave, const TarnStepReport* bodies)
{
    int most = wave->substeps > bodies->substeps ? wave->substeps : bodies->substeps;
    sum->substeps += most > 1 ? most : 1;
    sum->flags |= wave->flags | bodies->flags;
    sum->stable_dt = wave->stable_dt;
    sum->tiles_awake = wave->tiles_awake;
    sum->tiles_total = wave->tiles_total;
}

// One substep from the world's time to t1, of dt [s]. *lost: what the solver could not advance.
static TarnResult substep(TarnWorld* world, double t1, float dt, double* lost, TarnStepReport* sum)
{
    TarnStepReport wave = { 0 }, bodies = { 0 };
    tarn__emitters_step(world, t1);
    TARN_TRY(tarn__drivers_step(world, dt));
    float moved = dt;
    if (world->wave) {
        bool has_bodies = tarn_wave_def(world->wave)->use_bodies;
        if (has_bodies) TARN_TRY(tarn_couple_wave_bodies(world->wave, world->bodies, dt));
        TARN_TRY(tarn_wave_step(world->wave, dt, &wave));
        if (wave.flags & TARN_STEP_TIME_CUT)
            moved = (float)wave.time_advanced; // bodies stay with it
    }
    TARN_TRY(tarn_bodies_step(world->bodies, moved, &bodies));
    merge(sum, &wave, &bodies);
    *lost += (double)dt - (double)moved;
    return TARN_OK;
}

TarnResult tarn_world_step(TarnWorld* world, float dt, TarnStepReport* report)
{
    TarnStepReport sum = { 0 };
    if (report) *report = sum;
    if (world == NULL) return TARN_ERR_ARG;
    if (!(dt >= 0.0f && dt <= 10.0f)) // written so that NaN fails it too
        return tarn__fail(world->ctx, TARN_ERR_ARG,
                          "tarn_world_step: dt %g s is out of range; allowed: 0 to 10 s",
                          (double)dt);
    if (world->wave) {
        TarnVec2 at = tarn_wave_origin(world->wave);
        if (at.x != world->origin.x || at.y != world->origin.y) tarn__world_set_box(world, at);
    }

    // A thousandth of tolerance: 1/30 is two steps of 1/60 in float, too.
    double max_step = world->def.max_step, asked = dt, lost = 0.0, start = world->time;
    int n = (int)ceil(asked / max_step - 0.001);
    if (n < 1) n = dt > 0.0f;
    if (n > world->def.max_substeps) {
        n = world->def.max_substeps;
        asked = n * max_step;
        sum.flags |= TARN_STEP_TIME_CUT;
    }
    for (int j = 0; j < n; ++j) {
        double t1 = start + asked * (j + 1) / n - lost;
        TARN_TRY(substep(world, t1, (float)(asked / n), &lost, &sum));
        world->time = start + asked * (j + 1) / n - lost;
    }
    sum.time_advanced = asked - lost;
    if (report) *report = sum;
    return TARN_OK;
}
