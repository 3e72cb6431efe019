// A world: its lifetime, bodies and solids, and what is set once. Members: members.c. The order of a step: step.c.
// State: state.c

#include "world/world_internal.h"
#include "base/maths.h"
#include "base/def.h"
#include "base/param.h"
#include "particles/solids_internal.h"
#include "tarn/coupling.h"

static const TarnParam world_params[] = {
    P_FLOAT(TarnWorldDef, gravity, "m/s^2", 0, 100, 9.81,
            "Downward gravity on bodies, and on solvers without a gravity of their own."),
    P_INT(TarnWorldDef, max_solvers, "", 1, 64, 16, "Most solvers of all kinds."),
    P_INT(TarnWorldDef, max_bodies, "", 1, 4096, 64, "Most bodies, about 5 kB each."),
    P_INT(TarnWorldDef, max_emitters, "", 1, 1024, 64, "Most emitters."),
    P_INT(TarnWorldDef, max_attached, "", 1, 1024, 64,
          "Most sources, jets and emitters that bodies can carry."),
    P_INT(TarnWorldDef, seed, "", 0, 2147483647, 1,
          "Seed of everything random; each value gives different rain."),
    P_FLOAT(TarnWorldDef, max_step, "s", 0.0001, 1, 1.0 / 60,
            "Longest substep; shorter ones couple bodies and water more tightly."),
    P_INT(TarnWorldDef, max_substeps, "", 1, 1000, 8,
          "Most substeps per step; time beyond them is dropped and reported."),
    P_INT(TarnWorldDef, max_solids, "", 1, 4095, 64,
          "Most solids, not counting those that stand for bodies."),
    P_INT(TarnWorldDef, solid_memory, "bytes", 0, 1 << 30, 4 << 20,
          "Memory for the shapes of all solids: planes, meshes, distance fields."),
};
static const TarnParamTable world_table = PARAM_TABLE("world", TarnWorldDef, world_params);

const TarnParamTable* tarn_world_def_table(void)
{
    return &world_table;
}

void tarn_world_init_def(TarnWorldDef* out, size_t size)
{
    TarnWorldDef def = { 0 };
    tarn_param_defaults(&world_table, &def);
    TARN_INIT_DEF(TarnWorldDef, out, size, &def);
}

// ---- Lifetime ----------------------------------------------------------------------------------

// Places the arrays of a world; with base NULL they are only counted.
static size_t lay_out(TarnWorld* world, const TarnWorldDef* def, char* base)
{
    TarnLayout layout = { 0 };
    size_t solvers = (size_t)def->max_solvers, bodies = (size_t)def->max_bodies;
    tarn__layout_place(&layout, base, 1, sizeof(TarnWorld));
    world->members = tarn__layout_place(&layout, base, solvers, sizeof(Member));
    world->retired = tarn__layout_place(&layout, base, solvers, sizeof(Retired));
    world->emitters = tarn__layout_place(&layout, base, (size_t)def->max_emitters, sizeof(Emitter));
    world->drivers = tarn__layout_place(&layout, base, bodies, sizeof(Driver));
    world->solid_drivers =
        tarn__layout_place(&layout, base, (size_t)def->max_solids, sizeof(SolidDriver));
    world->carried = tarn__layout_place(&layout, base, (size_t)def->max_attached, sizeof(Carried));
    world->throttle = tarn__layout_place(&layout, base, bodies, sizeof *world->throttle);
    world->throttled = tarn__layout_place(&layout, base, bodies, sizeof *world->throttled);
    tarn__handles_place(&world->emitter_ids, &layout, base, def->max_emitters);
    return layout.size;
}

static TarnResult make_parts(TarnContext* ctx, const TarnWorldDef* def, TarnBodies** bodies,
                             TarnSolids** solids)
{
    TarnBodiesDef bodies_def = tarn_bodies_default_def();
    bodies_def.max_bodies = def->max_bodies;
    bodies_def.gravity = (TarnVec3){ 0.0f, -def->gravity, 0.0f };
    TARN_TRY(tarn_bodies_create(ctx, &bodies_def, bodies));
    TarnSolidsDef solids_def = tarn_solids_default_def();
    int most = def->max_solids + def->max_bodies;
    solids_def.max_solids = most < 4096 ? most : 4096;
    solids_def.shape_memory = (size_t)def->solid_memory;
    TarnResult result = tarn_solids_create(ctx, &solids_def, solids);
    if (result != TARN_OK) tarn_bodies_destroy(*bodies);
    return result;
}

// Bodies come and go by calls on their own set. Their solids follow at once, and not with the next step: else a
// world would save solids of bodies that are gone, and refuse them later. Without room for one more solid the
// next step says so.
static void follow_bodies(void* user)
{
    TarnWorld* world = user;
    tarn__world_refresh(world);
    if (world->uses_solids) tarn_couple_solids_prepare(world->solids, world->bodies);
}

TarnResult tarn_world_create(TarnContext* ctx, const TarnWorldDef* def, TarnWorld** out)
{
    if (out) *out = NULL;
    if (ctx == NULL || out == NULL)
        return tarn__fail(ctx, TARN_ERR_ARG, "tarn_world_create: ctx and out must not be NULL");
    TARN_TRY(
        TARN_CHECK_DEF(ctx, "world", "tarn/world.h", TarnWorldDef, tarn_world_default_def, def));
    TARN_TRY(tarn_param_validate(ctx, &world_table, def));
    TarnBodies* bodies;
    TarnSolids* solids;
    TARN_TRY(make_parts(ctx, def, &bodies, &solids));
    TarnWorld counted = { 0 };
    size_t size = lay_out(&counted, def, NULL);
    TarnWorld* world = tarn__alloc(ctx, size);
    if (world == NULL) {
        tarn_bodies_destroy(bodies);
        tarn_solids_destroy(solids);
        return tarn__fail(ctx, TARN_ERR_MEMORY, "world: out of memory for %zu bytes", size);
    }
    world->ctx = ctx;
    world->memory = size;
    world->def = *def;
    world->bodies = bodies;
    world->solids = solids;
    lay_out(world, def, (char*)world);
    tarn__handles_begin(&world->emitter_ids, "emitter", "world", "tarn_world_add_emitter");
    for (int i = 0; i < WORLD_MAX_SPOUTS; ++i) world->spouts[i].liquid = -1;
    for (int i = 0; i < WORLD_MAX_CHANNELS; ++i) world->channels[i].from = -1;
    tarn__bodies_on_change(bodies, follow_bodies, world);
    tarn_couple_bodies_solids(bodies, solids);
    *out = world;
    return TARN_OK;
}

void tarn_world_destroy(TarnWorld* world)
{
    if (world == NULL) return;
    tarn_world_forget(world);
    tarn__bodies_on_change(world->bodies, NULL, NULL);
    for (int m = world->def.max_solvers - 1; m >= 0; --m) { // those that use others come later
        const Member* member = &world->members[m];
        if (member->class) member->class->destroy(member->solver);
    }
    tarn_bodies_destroy(world->bodies);
    tarn_solids_destroy(world->solids);
    tarn__free(world->ctx, world, world->memory);
}

TarnContext* tarn_world_context(const TarnWorld* world)
{
    return world ? world->ctx : NULL;
}
const TarnWorldDef* tarn_world_def(const TarnWorld* world)
{
    return world ? &world->def : NULL;
}
double tarn_world_time(const TarnWorld* world)
{
    return world ? world->time : 0.0;
}

// ---- Bodies and solids ---------------------------------------------------------------------------

TarnBodies* tarn_world_bodies(TarnWorld* world)
{
    return world ? world->bodies : NULL;
}
TarnSolids* tarn_world_solids(TarnWorld* world)
{
    return world ? world->solids : NULL;
}

int tarn__world_slot_of(const TarnWorld* world, TarnBodyId id)
{
    return tarn__bodies_slot_of(world->bodies, id);
}

TarnResult tarn_world_add_body(TarnWorld* world, const TarnBodyDef* def, TarnBodyId* out)
{
    TarnBodyId id = { 0 };
    if (out) *out = id;
    if (world == NULL) return TARN_ERR_ARG;
    TARN_TRY(tarn_bodies_add(world->bodies, def, &id));
    TarnResult result =
        world->uses_solids ? tarn_couple_solids_prepare(world->solids, world->bodies) : TARN_OK;
    if (result != TARN_OK) tarn__bodies_take_back(world->bodies, id);
    if (result == TARN_OK && out) *out = id;
    return result;
}

// Those of the host: the rest of the set is room for solids that stand for bodies.
static int own_solids(const TarnWorld* world)
{
    int n = 0;
    for (int slot = 0; slot < tarn__solids_capacity(world->solids); ++slot)
        n +=
            tarn__solids_is_used(world->solids, slot) && !tarn__solids_is_body(world->solids, slot);
    return n;
}

TarnResult tarn_world_add_solid(TarnWorld* world, const TarnSolidDef* def, TarnSolidId* out)
{
    TarnSolidId id = { 0 };
    if (out) *out = id;
    if (world == NULL) return TARN_ERR_ARG;
    if (own_solids(world) >= world->def.max_solids)
        return tarn__fail(world->ctx, TARN_ERR_CAPACITY,
                          "%d solids are there already, besides those of bodies; raise "
                          "world.max_solids or remove some",
                          world->def.max_solids);
    TARN_TRY(tarn_solids_add(world->solids, def, &id));
    if (out) *out = id;
    return TARN_OK;
}

TarnResult tarn_world_set_body_engine(TarnWorld* world, TarnBodyEngineFn* engine, void* user)
{
    if (world == NULL) return TARN_ERR_ARG;
    world->engine = engine;
    world->engine_user = user;
    return TARN_OK;
}

TarnResult tarn_world_set_script(TarnWorld* world, TarnScriptFn* script, void* user)
{
    if (world == NULL) return TARN_ERR_ARG;
    world->script = script;
    world->script_user = user;
    return TARN_OK;
}
