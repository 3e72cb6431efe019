// Solids, liquid and particles of a world. They share one set of solids, in which the bodies are, too.

#include "world/world_internal.h"
#include "tarn/coupling.h"
#include "base/param.h"

// ---- Adding ----------------------------------------------------------------------------------------

// Bodies come and go by calls on their own set. Their solids follow at once, and not with the next step: else a
// world would save solids of bodies that are gone, and refuse them later. Without room for one more solid the
// next step says so.
static void follow_bodies(void* user)
{
    TarnWorld* world = user;
    bool is_flat = world->liquid && tarn_liquid_def(world->liquid)->dimensions == 2;
    for (int slot = 0; is_flat && slot < world->def.max_bodies; ++slot)
        tarn__bodies_make_planar(world->bodies, slot);
    if (world->solids) tarn_couple_solids_prepare(world->solids, world->bodies);
}

TarnResult tarn__world_make_solids(TarnWorld* world)
{
    if (world->solids != NULL) return TARN_OK;
    TarnSolidsDef def = tarn_solids_default_def();
    int most = world->def.max_solids + world->def.max_bodies;
    def.max_solids = most < 4096 ? most : 4096;
    def.shape_memory = (size_t)world->def.solid_memory;
    TarnSolids* solids;
    TARN_TRY(tarn_solids_create(world->ctx, &def, &solids));
    TarnResult result = tarn_couple_solids_prepare(solids, world->bodies);
    world->solids = solids;
    tarn__bodies_on_change(world->bodies, follow_bodies, world);
    if (result != TARN_OK) tarn__world_drop_solids(world);
    return result;
}

void tarn__world_drop_solids(TarnWorld* world)
{
    tarn__bodies_on_change(world->bodies, NULL, NULL);
    for (int slot = 0; slot < world->def.max_bodies; ++slot)
        *tarn__bodies_solid(world->bodies, slot) = (BodySolid){ 0 };
    tarn_solids_destroy(world->solids);
    world->solids = NULL;
}

TarnResult tarn_world_add_solid(TarnWorld* world, const TarnSolidDef* def, TarnSolidId* out)
{
    TarnSolidId id;
    if (out) *out = (TarnSolidId){ 0 };
    if (world == NULL) return TARN_ERR_ARG;
    bool is_first = world->solids == NULL;
    TARN_TRY(tarn__world_make_solids(world));
    TarnResult result = tarn_solids_add(world->solids, def, &id);
    if (result != TARN_OK && is_first) tarn__world_drop_solids(world);
    if (result == TARN_OK && out) *out = id;
    return result;
}

// The walls of the liquid hold the bodies, too, in a world without another water.
static void set_box(TarnWorld* world)
{
    const float far_away = 1e4f;
    const TarnLiquidDef* def = tarn_liquid_def(world->liquid);
    TarnVec3 lo = { -far_away, -far_away, -far_away }, hi = { far_away, far_away, far_away };
    if (tarn__world_first_water(world) >= 0) return;
    if (def->walls != TARN_LIQUID_OPEN) {
        lo = def->box_min;
        hi.x = def->box_max.x;
        hi.z = def->box_max.z;
    }
    if (def->dimensions == 2) lo.z = -far_away, hi.z = far_away;
    tarn__bodies_set_box(world->bodies, lo, hi);
}

static TarnResult check_liquid(const TarnWorld* world, bool has_def)
{
    if (!has_def)
        return tarn__fail(world->ctx, TARN_ERR_ARG, "tarn_world_add_liquid: def must not be NULL");
    if (world->liquid != NULL)
        return tarn__fail(world->ctx, TARN_ERR_CAPACITY,
                          "this world has a liquid already; it holds one of each kind");
    for (int w = 0; w < N_WATERS; ++w) {
        const WaterClass* water = &tarn__water_classes[w];
        if (world->waters[w] && water->has_bodies(world->waters[w]))
            return tarn__fail(world->ctx, TARN_ERR_CAPACITY,
                              "the bodies of this world float in its %s solver, and a liquid wants "
                              "them, too; switch %s.use_bodies off",
                              water->name, water->name);
    }
    return TARN_OK;
}

TarnResult tarn_world_add_liquid(TarnWorld* world, const TarnLiquidDef* def, TarnLiquid** out)
{
    TarnLiquid* liquid;
    if (out) *out = NULL;
    if (world == NULL) return TARN_ERR_ARG;
    TARN_TRY(check_liquid(world, def != NULL));
    TARN_TRY(tarn_liquid_create(world->ctx, def, &liquid));
    TarnLiquidParams params = tarn_liquid_params(liquid);
    params.gravity = (TarnVec3){ 0.0f, -world->def.gravity, 0.0f };
    TarnResult result = tarn_liquid_set_params(liquid, &params);
    if (result == TARN_OK) result = tarn__world_make_solids(world);
    if (result == TARN_OK) result = tarn_liquid_set_solids(liquid, world->solids);
    if (result == TARN_OK && def->dimensions == 2) {
        for (int slot = 0; slot < world->def.max_bodies; ++slot)
            tarn__bodies_make_planar(world->bodies, slot);
    }
    if (result != TARN_OK) {
        tarn_liquid_destroy(liquid);
        return result;
    }
    world->liquid = liquid;
    set_box(world);
    if (out) *out = liquid;
    return TARN_OK;
}

TarnResult tarn_world_add_particles(TarnWorld* world, const TarnParticlesDef* def,
                                    TarnParticles** out)
{
    TarnParticles* particles;
    if (out) *out = NULL;
    if (world == NULL) return TARN_ERR_ARG;
    if (world->particles != NULL)
        return tarn__fail(world->ctx, TARN_ERR_CAPACITY,
                          "this world has a particle system already; it holds one of each kind");
    TARN_TRY(tarn_particles_create(world->ctx, def, &particles));
    TarnParticlesParams params = tarn_particles_params(particles);
    params.gravity = (TarnVec3){ 0.0f, -world->def.gravity, 0.0f };
    TarnResult result = tarn_particles_set_params(particles, &params);
    if (result == TARN_OK) result = tarn__world_make_solids(world);
    if (result == TARN_OK) result = tarn_particles_set_solids(particles, world->solids);
    if (result != TARN_OK) {
        tarn_particles_destroy(particles);
        return result;
    }
    world->particles = particles;
    tarn__world_set_flow(world);
    if (out) *out = particles;
    return TARN_OK;
}

TarnResult tarn_world_set_body_engine(TarnWorld* world, TarnBodyEngineFn* engine, void* user)
{
    if (world == NULL) return TARN_ERR_ARG;
    world->engine = engine;
    world->engine_user = user;
    return TARN_OK;
}

TarnLiquid* tarn_world_liquid(TarnWorld* world)
{
    return world ? world->liquid : NULL;
}
TarnParticles* tarn_world_particles(TarnWorld* world)
{
    return world ? world->particles : NULL;
}
TarnSolids* tarn_world_solids(TarnWorld* world)
{
    return world ? world->solids : NULL;
}

// ---- Step ------------------------------------------------------------------------------------------

TarnResult tarn__world_step_liquid(TarnWorld* world, double t1, float dt, float* moved,
                                   TarnStepReport* report)
{
    if (world->solids == NULL) return TARN_OK;
    TARN_TRY(tarn_solids_advance(world->solids, dt));
    TARN_TRY(tarn__solid_drivers_step(world, t1));
    if (world->liquid == NULL) return tarn_couple_solids_bodies(world->solids, world->bodies, dt);
    tarn__carry_sources(world);
    TARN_TRY(tarn_couple_liquid_bodies(world->liquid, world->bodies, dt, report));
    if (report->flags & TARN_STEP_TIME_CUT) *moved = (float)report->time_advanced;
    return TARN_OK;
}

TarnResult tarn__world_step_particles(TarnWorld* world, float dt, TarnStepReport* report)
{
    if (world->particles == NULL) return TARN_OK;
    tarn__carry_emitters(world);
    tarn__fires_step(world, dt);
    return tarn_particles_step(world->particles, dt, report);
}
