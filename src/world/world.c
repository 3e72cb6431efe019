// A world: solvers, bodies, emitters and drivers in one step. The order of a substep is that of
// tarn_world_step below; everything else here is lifetime and bookkeeping. State: world_state.c

#include "world/world_internal.h"
#include "base/def.h"
#include "base/param.h"
#include "tarn/coupling.h"
#include <math.h>
#include <stdatomic.h>

static const TarnParam world_params[] = {
    P_FLOAT(TarnWorldDef, gravity, "m/s^2", 0, 100, 9.81,
            "Downwards, for bodies and for solvers that are added without their own."),
    P_INT(TarnWorldDef, max_bodies, "", 1, 4096, 64, "Room for bodies, about 5 kB each."),
    P_INT(TarnWorldDef, max_emitters, "", 1, 1024, 64, "Room for emitters."),
    P_INT(TarnWorldDef, seed, "", 0, 2147483647, 1,
          "Of everything random: another seed, another rain."),
    P_FLOAT(TarnWorldDef, max_step, "s", 0.0001, 1, 1.0 / 60,
            "Longer steps are cut into equal parts, so that bodies and water stay in touch."),
    P_INT(TarnWorldDef, max_substeps, "", 1, 1000, 8,
          "Parts of one step at most; time beyond them is dropped and reported."),
    P_INT(TarnWorldDef, max_solids, "", 1, 4095, 64, "Room for solids, besides those of bodies."),
    P_INT(TarnWorldDef, solid_memory, "bytes", 0, 1 << 30, 4 << 20,
          "Room for the shapes of all solids: planes, meshes, distances."),
};
static const TarnParamTable world_table = PARAM_TABLE("world", TarnWorldDef, world_params);

const TarnParamTable* tarn_world_def_table(void)
{
    return &world_table;
}

uint64_t tarn__world_def_hash(const TarnWorld* world)
{
    enum { N_WITHOUT_SOLIDS = 6 };
    TarnParamTable table = world_table;
    if (world->solids == NULL) table.count = N_WITHOUT_SOLIDS;
    return tarn__param_hash(&table, &world->def, 0);
}

void tarn_world_init_def(TarnWorldDef* out, size_t size)
{
    TarnWorldDef def = { 0 };
    tarn_param_defaults(&world_table, &def);
    TARN_INIT_DEF(TarnWorldDef, out, size, &def);
}

// ---- Lifetime ----------------------------------------------------------------------------------

TarnResult tarn_world_create(TarnContext* ctx, const TarnWorldDef* def, TarnWorld** out)
{
    static atomic_uint owners; // counts the worlds of the process; in no state, hash or snapshot
    if (out) *out = NULL;
    if (ctx == NULL || out == NULL)
        return tarn__fail(ctx, TARN_ERR_ARG, "tarn_world_create: ctx and out must not be NULL");
    TARN_TRY(
        TARN_CHECK_DEF(ctx, "world", "tarn/world.h", TarnWorldDef, tarn_world_default_def, def));
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
    size_t solids = tarn__layout_add(&layout, (size_t)def->max_solids * sizeof(SolidDriver));
    TarnWorld* world = tarn__alloc(ctx, layout.size);
    if (world == NULL) {
        tarn_bodies_destroy(bodies);
        return tarn__fail(ctx, TARN_ERR_MEMORY, "no memory for a world of %zu bytes", layout.size);
    }
    *world = (TarnWorld){ .ctx = ctx, .memory = layout.size, .def = *def, .bodies = bodies };
    world->owner = (uint16_t)atomic_fetch_add(&owners, 1u);
    world->emitters = (Emitter*)((char*)world + emitters);
    world->drivers = (Driver*)((char*)world + drivers);
    world->solid_drivers = (SolidDriver*)((char*)world + solids);
    world->window = tarn_window_default_def();
    *out = world;
    return TARN_OK;
}

void tarn_world_destroy(TarnWorld* world)
{
    if (world == NULL) return;
    for (int w = 0; w < N_WATERS; ++w) tarn__water_classes[w].destroy(world->waters[w]);
    tarn_particles_destroy(world->particles);
    for (int n = 0; n < world->n_gases; ++n) tarn_gas_destroy(world->gases[n].gas);
    tarn_liquid_destroy(world->liquid);
    tarn_solids_destroy(world->solids);
    tarn_bodies_destroy(world->bodies);
    tarn__free(world->ctx, world, world->memory);
}

// ---- Waters ------------------------------------------------------------------------------------

int tarn__world_first_water(const TarnWorld* world)
{
    for (int w = 0; w < N_WATERS; ++w) {
        if (world->waters[w]) return w;
    }
    return -1;
}

void tarn__world_set_box(TarnWorld* world, TarnVec2 origin)
{
    const float far_away = 1e4f;
    int w = tarn__world_first_water(world);
    Basin basin = tarn__water_classes[w].basin(world->waters[w]);
    TarnVec3 lo = { -far_away, world->floor, -far_away }, hi = { far_away, far_away, far_away };
    if (basin.is_closed[0]) lo.x = origin.x;
    if (basin.is_closed[1]) hi.x = origin.x + (float)basin.nx * basin.dx;
    if (basin.is_closed[2]) lo.z = origin.y;
    if (basin.is_closed[3]) hi.z = origin.y + (float)basin.nz * basin.dx;
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

// Is there room for a water of this kind, and do the emitters of the world suit it?
static TarnResult check_room(const TarnWorld* world, WaterKind kind, bool has_def, bool has_bodies)
{
    const char* name = tarn__water_classes[kind].name;
    if (!has_def)
        return tarn__fail(world->ctx, TARN_ERR_ARG, "tarn_world_add_%s: def must not be NULL",
                          name);
    if (world->waters[kind])
        return tarn__fail(world->ctx, TARN_ERR_CAPACITY,
                          "this world has a %s solver already; it holds one of each kind", name);
    if (has_bodies && world->liquid)
        return tarn__fail(
            world->ctx, TARN_ERR_CAPACITY,
            "%s.use_bodies: the bodies of this world float in its liquid; switch it off", name);
    for (int w = 0; has_bodies && w < N_WATERS; ++w) {
        const WaterClass* other = &tarn__water_classes[w];
        if (world->waters[w] && other->has_bodies(world->waters[w]))
            return tarn__fail(world->ctx, TARN_ERR_CAPACITY,
                              "%s.use_bodies: the bodies of this world float in its %s solver; "
                              "switch one of the two off",
                              name, other->name);
    }
    return TARN_OK;
}

// The new water goes into the world, or is destroyed if what is there does not suit it.
static TarnResult take_in(TarnWorld* world, WaterKind kind, void* water, float floor)
{
    world->waters[kind] = water;
    for (int slot = 0; slot < world->def.max_emitters; ++slot) {
        const Emitter* e = &world->emitters[slot];
        TarnResult result = e->is_used ? tarn__emitter_check_kind(world, e->def.kind) : TARN_OK;
        if (result == TARN_OK) continue;
        tarn__water_classes[kind].destroy(water);
        world->waters[kind] = NULL;
        return result;
    }
    if (tarn__world_first_water(world) != (int)kind) return TARN_OK;
    world->floor = floor;
    tarn__world_set_box(world, tarn__water_classes[kind].basin(water).origin);
    return TARN_OK;
}

TarnResult tarn_world_add_wave(TarnWorld* world, const TarnWaveDef* def, TarnWave** out)
{
    TarnWave* wave;
    if (out) *out = NULL;
    if (world == NULL) return TARN_ERR_ARG;
    TARN_TRY(check_room(world, WATER_WAVE, def != NULL, def && def->use_bodies));
    TarnWaveDef copy = *def;
    if (copy.gravity == 0.0f) copy.gravity = world->def.gravity;
    TARN_TRY(tarn_wave_create(world->ctx, &copy, &wave));
    TARN_TRY(take_in(world, WATER_WAVE, wave, copy.level - deepest(wave)));
    if (out) *out = wave;
    return TARN_OK;
}

// Terrain can be dug, and windows move to deeper valleys: bodies rest on the ground itself, and the
// floor of their box is far below.
static const float below_all = -1e4f;

TarnResult tarn_world_add_shallow(TarnWorld* world, const TarnShallowDef* def, TarnShallow** out)
{
    TarnShallow* water;
    if (out) *out = NULL;
    if (world == NULL) return TARN_ERR_ARG;
    TARN_TRY(check_room(world, WATER_SHALLOW, def != NULL, def && def->use_bodies));
    TarnShallowDef copy = *def;
    if (copy.gravity == 0.0f) copy.gravity = world->def.gravity;
    TARN_TRY(tarn_shallow_create(world->ctx, &copy, &water));
    TARN_TRY(take_in(world, WATER_SHALLOW, water, below_all));
    if (out) *out = water;
    return TARN_OK;
}

TarnResult tarn_world_add_pipes(TarnWorld* world, const TarnPipesDef* def, TarnPipes** out)
{
    TarnPipes* water;
    if (out) *out = NULL;
    if (world == NULL) return TARN_ERR_ARG;
    TARN_TRY(check_room(world, WATER_PIPES, def != NULL, false));
    TarnPipesDef copy = *def;
    if (copy.gravity == 0.0f) copy.gravity = world->def.gravity;
    TARN_TRY(tarn_pipes_create(world->ctx, &copy, &water));
    TARN_TRY(take_in(world, WATER_PIPES, water, below_all));
    if (out) *out = water;
    return TARN_OK;
}

TarnResult tarn_world_add_body(TarnWorld* world, const TarnBodyDef* def, TarnBodyId* out)
{
    if (out) *out = (TarnBodyId){ 0 };
    if (world == NULL) return TARN_ERR_ARG;
    TARN_TRY(tarn_bodies_add(world->bodies, def, out));
    if (world->solids == NULL) return TARN_OK;
    TarnResult result = tarn_couple_solids_prepare(world->solids, world->bodies);
    if (result == TARN_OK) return TARN_OK;
    tarn_bodies_remove(world->bodies, *out);
    *out = (TarnBodyId){ 0 };
    return result;
}

// ---- Access ------------------------------------------------------------------------------------

TarnWave* tarn_world_wave(TarnWorld* world)
{
    return world ? world->waters[WATER_WAVE] : NULL;
}
TarnShallow* tarn_world_shallow(TarnWorld* world)
{
    return world ? world->waters[WATER_SHALLOW] : NULL;
}
TarnPipes* tarn_world_pipes(TarnWorld* world)
{
    return world ? world->waters[WATER_PIPES] : NULL;
}
TarnBodies* tarn_world_bodies(TarnWorld* world)
{
    return world ? world->bodies : NULL;
}
TarnSurface tarn_world_surface(const TarnWorld* world)
{
    int w = world ? tarn__world_first_water(world) : -1;
    return w >= 0 ? tarn__water_classes[w].surface(world->waters[w]) : (TarnSurface){ 0 };
}
double tarn_world_time(const TarnWorld* world)
{
    return world ? world->time : 0.0;
}

// ---- Step --------------------------------------------------------------------------------------

// What the waters did in a substep, and then the bodies.
static void merge_water(TarnStepReport* sum, const TarnStepReport* water)
{
    if (water->substeps > sum->substeps) sum->substeps = water->substeps;
    bool is_shorter = sum->stable_dt == 0.0 || water->stable_dt < sum->stable_dt;
    if (is_shorter) sum->stable_dt = water->stable_dt;
    sum->flags |= water->flags;
    sum->tiles_awake += water->tiles_awake;
    sum->tiles_total += water->tiles_total;
    tarn__report_drop(sum, water->time_dropped, water->time_limit);
    tarn__report_limit(sum, &water->limited);
}

static void merge(TarnStepReport* sum, TarnStepReport* water, const TarnStepReport* bodies)
{
    int most = water->substeps > bodies->substeps ? water->substeps : bodies->substeps;
    // Bodies take parts of at most 8/60 s: shorter ones help.
    tarn__report_drop(water, bodies->time_dropped, "world.max_step");
    sum->time_dropped += water->time_dropped;
    tarn__report_limit(water, &bodies->limited);
    tarn__report_limit(sum, &water->limited);
    if (sum->time_limit == NULL) sum->time_limit = water->time_limit;
    sum->substeps += most > 1 ? most : 1;
    sum->flags |= water->flags | bodies->flags;
    sum->stable_dt = water->stable_dt;
    sum->tiles_awake = water->tiles_awake;
    sum->tiles_total = water->tiles_total;
}

// Walls and ground for the bodies, where the window of the first water is now.
static void place_bodies(TarnWorld* world)
{
    int w = tarn__world_first_water(world);
    if (w < 0) return;
    Basin basin = tarn__water_classes[w].basin(world->waters[w]);
    TarnVec2 at = basin.origin;
    if (at.x != world->origin.x || at.y != world->origin.y) tarn__world_set_box(world, at);
    tarn__bodies_set_ground(world->bodies, basin.ground, basin.origin, basin.dx);
}

static TarnResult step_bodies(TarnWorld* world, float dt, TarnStepReport* report)
{
    if (tarn_bodies_count(world->bodies) == 0) return TARN_OK; // they would ask for shorter steps
    if (world->engine == NULL) return tarn_bodies_step(world->bodies, dt, report);
    TARN_TRY(world->engine(world->bodies, dt, world->engine_user));
    tarn_bodies_clear_forces(world->bodies);
    report->substeps = 1;
    return TARN_OK;
}

// Waves, shallow water and pipes, those with bodies coupled to them. *moved: what the liquid managed before,
// then what all of them managed; each stays with those that were cut before it.
static TarnResult step_waters(TarnWorld* world, float* moved, TarnStepReport* waters)
{
    for (int w = 0; w < N_WATERS; ++w) {
        const WaterClass* class = &tarn__water_classes[w];
        void* water = world->waters[w];
        TarnStepReport report = { 0 };
        if (water == NULL) continue;
        if (class->has_bodies(water)) TARN_TRY(class->couple(water, world->bodies, *moved));
        TARN_TRY(class->step(water, *moved, &report));
        if (report.flags & TARN_STEP_TIME_CUT && (float)report.time_advanced < *moved)
            *moved = (float)report.time_advanced; // bodies stay with it
        merge_water(waters, &report);
    }
    return TARN_OK;
}

// One substep from the world's time to t1, of dt [s]. *lost: what the solvers could not advance.
static TarnResult substep(TarnWorld* world, double t1, float dt, double* lost, TarnStepReport* sum)
{
    TarnStepReport waters = { 0 }, liquid = { 0 }, gases = { 0 }, particles = { 0 }, bodies = { 0 };
    float moved = dt;
    tarn__window_step(world);
    tarn__emitters_step(world, t1);
    TARN_TRY(tarn__drivers_step(world, dt, t1));
    place_bodies(world);
    TARN_TRY(tarn__world_step_liquid(world, t1, dt, &moved, &liquid));
    TARN_TRY(step_waters(world, &moved, &waters));
    TARN_TRY(tarn__world_step_gases(world, moved, &gases));
    TARN_TRY(tarn__world_step_particles(world, moved, &particles));
    if (world->liquid) merge_water(&waters, &liquid);
    if (world->n_gases > 0) merge_water(&waters, &gases);
    waters.flags |= particles.flags;
    tarn__report_limit(&waters, &particles.limited);
    place_bodies(world); // a step may have moved the fields
    TARN_TRY(step_bodies(world, moved, &bodies));
    merge(sum, &waters, &bodies);
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
    // A thousandth of tolerance: 1/30 is two steps of 1/60 in float, too.
    double max_step = world->def.max_step, asked = dt, lost = 0.0, start = world->time;
    int n = (int)ceil(asked / max_step - 0.001);
    if (n < 1) n = dt > 0.0f;
    if (n > world->def.max_substeps) {
        n = world->def.max_substeps;
        asked = n * max_step;
        sum.flags |= TARN_STEP_TIME_CUT;
        sum.time_dropped = (double)dt - asked;
        sum.time_limit = "world.max_substeps";
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
