// From what a scene says about particles to a world: solids, liquid, particle system, fires, and what bodies
// carry. Solids come first, because a fill leaves them free.

#include "scene/scene_internal.h"
#include "base/maths.h"
#include <stdio.h>

static const TarnJson* item_of(const SceneReader* r, const char* section, const char* key, int n)
{
    const TarnJson* list = section ? tarn__json_get(r->doc.root, section) : r->doc.root;
    const TarnJson* node = tarn__json_get(list, key);
    for (node = node ? node->child : NULL; node && n > 0; --n) node = node->next;
    return node;
}

// A failure at the n-th item of a list.
static TarnResult refuse_item(SceneReader* r, const char* section, const char* key, int n,
                              TarnResult result)
{
    char path[SCENE_PATH];
    snprintf(path, sizeof path, section ? "%s.%s[%d]" : "%s%s[%d]", section ? section : "", key, n);
    return tarn__scene_refuse_made(r, item_of(r, section, key, n), path, result);
}

static TarnResult build_solid(SceneReader* r, TarnWorld* world, const SceneSolidEntry* entry,
                              SceneColor* color)
{
    SceneShape shape;
    TarnSolidId id = { 0 };
    TARN_TRY(tarn__scene_make_solid(r, entry, &shape));
    TarnResult result = tarn_world_add_solid(world, &shape.def, &id);
    tarn__scene_free_shape(r, &shape);
    if (result == TARN_OK && entry->driver.kind != TARN_DRIVER_NONE)
        result = tarn_world_set_solid_driver(world, id, &entry->driver);
    *color = (SceneColor){ .body = id.value,
                           .color = entry->solid.color,
                           .is_hidden = entry->solid.hidden,
                           .is_glass = entry->solid.glass };
    return result;
}

// ---- Liquid ----------------------------------------------------------------------------------------

static TarnResult add_kind(SceneReader* r, TarnLiquid* liquid, int n)
{
    return tarn_liquid_set_kind(liquid, n, &r->fluids.kinds[n]);
}
static TarnResult add_fill(SceneReader* r, TarnLiquid* liquid, int n)
{
    return tarn_liquid_fill(liquid, &r->fluids.fills[n], NULL);
}
static TarnResult add_region(SceneReader* r, TarnLiquid* liquid, int n)
{
    TarnRegionId id;
    return tarn_liquid_add_region(liquid, &r->fluids.regions[n], &id);
}

typedef TarnResult AddFn(SceneReader* r, TarnLiquid* liquid, int n);

static TarnResult add_all(SceneReader* r, TarnLiquid* liquid, const char* key, int count,
                          AddFn* add)
{
    for (int n = 0; n < count; ++n) {
        TarnResult result = add(r, liquid, n);
        if (result != TARN_OK) return refuse_item(r, "liquid", key, n, result);
    }
    return TARN_OK;
}

static TarnResult build_liquid(SceneReader* r, TarnWorld* world)
{
    SceneFluids* f = &r->fluids;
    TarnLiquid* liquid;
    TarnResult result = tarn_world_add_liquid(world, &f->liquid, &liquid);
    if (result == TARN_OK) result = tarn_liquid_set_params(liquid, &f->liquid_params);
    if (result != TARN_OK)
        return tarn__scene_refuse_made(r, tarn__json_get(r->doc.root, "liquid"), "liquid", result);
    TARN_TRY(add_all(r, liquid, "kinds", f->n_kinds, add_kind));
    return add_all(r, liquid, "regions", f->n_regions, add_region);
}

// ---- Particles -------------------------------------------------------------------------------------

// The turn that brings +y to a direction.
static TarnQuat turn_to(TarnVec3 direction)
{
    const TarnVec3 up = { 0.0f, 1.0f, 0.0f };
    TarnVec3 d = vec3_normalize(direction), axis = vec3_cross(up, d);
    if (d.y < -0.99999f) return (TarnQuat){ 1.0f, 0.0f, 0.0f, 0.0f };
    return quat_normalize((TarnQuat){ axis.x, axis.y, axis.z, 1.0f + d.y });
}

TarnMotion tarn__scene_nozzle_motion(const SceneNozzle* nozzle)
{
    return (TarnMotion){ .position = nozzle->position,
                         .rotation = turn_to(nozzle->direction),
                         .velocity = nozzle->velocity };
}

static TarnResult build_particles(SceneReader* r, TarnWorld* world)
{
    SceneFluids* f = &r->fluids;
    TarnParticles* particles;
    const TarnJson* node = tarn__json_get(r->doc.root, "particles");
    TarnResult result = tarn_world_add_particles(world, &f->particles, &particles);
    if (result == TARN_OK) result = tarn_particles_set_params(particles, &f->particles_params);
    if (result == TARN_OK && f->use_flow && f->has_liquid)
        result = tarn_particles_set_flow(particles, tarn_liquid_flow(tarn_world_liquid(world)));
    if (result != TARN_OK) return tarn__scene_refuse_made(r, node, "particles", result);
    for (int n = 0; n < f->n_attractors; ++n) {
        TarnAttractorId id;
        result = tarn_particles_add_attractor(particles, &f->attractors[n], &id);
        if (result != TARN_OK) return refuse_item(r, "particles", "attractors", n, result);
    }
    return TARN_OK;
}

TarnResult tarn__scene_build_fluids(SceneReader* r, TarnWorld* world, SceneColor* solid_colors)
{
    SceneFluids* f = &r->fluids;
    for (int n = 0; n < f->n_solids; ++n) {
        TarnResult result = build_solid(r, world, &f->solids[n], &solid_colors[n]);
        if (result != TARN_OK) return refuse_item(r, NULL, "solids", n, result);
    }
    if (f->has_liquid) TARN_TRY(build_liquid(r, world));
    if (f->has_particles) TARN_TRY(build_particles(r, world));
    TARN_TRY(tarn__scene_build_gases(r, world));
    for (int n = 0; n < f->n_fires; ++n) {
        TarnResult result = tarn_world_add_fire(world, &f->fires[n], NULL);
        if (result != TARN_OK) return refuse_item(r, NULL, "fires", n, result);
    }
    return TARN_OK;
}

// ---- With bodies -----------------------------------------------------------------------------------

static TarnResult build_source(SceneReader* r, TarnWorld* world, const SceneLiquidSource* source,
                               const SceneColor* colors)
{
    TarnLiquidSourceId id;
    TarnBodyId body;
    TARN_TRY(tarn_liquid_add_source(tarn_world_liquid(world), &source->def, &id));
    if (source->attach == NULL) return TARN_OK;
    TARN_TRY(tarn__scene_find_body(r, source->attach, "attach", colors, &body));
    return tarn_world_attach_source(world, id, &source->def, body);
}

static TarnResult build_emitter(SceneReader* r, TarnWorld* world, SceneParticleEmitter* emitter,
                                const SceneColor* colors)
{
    TarnParticleEmitterId id;
    TarnBodyId body;
    emitter->def.motion = tarn__scene_nozzle_motion(&emitter->nozzle);
    TARN_TRY(tarn_particles_add_emitter(tarn_world_particles(world), &emitter->def, &id));
    if (emitter->attach == NULL) return TARN_OK;
    TARN_TRY(tarn__scene_find_body(r, emitter->attach, "attach", colors, &body));
    TARN_TRY(tarn_world_attach_emitter(world, id, &emitter->def, body));
    return tarn_world_power_emitter(world, id, emitter->nozzle.power);
}

// A sentence that has its place already is passed on.
static TarnResult refuse_carried(SceneReader* r, const char* section, const char* key, int n,
                                 TarnResult result)
{
    return result == TARN_ERR_DATA ? result : refuse_item(r, section, key, n, result);
}

// Fills come last: they leave the bodies free, too.
TarnResult tarn__scene_build_carried(SceneReader* r, TarnWorld* world, const SceneColor* colors)
{
    SceneFluids* f = &r->fluids;
    for (int n = 0; n < f->n_sources; ++n) {
        TarnResult result = build_source(r, world, &f->sources[n], colors);
        if (result != TARN_OK) return refuse_carried(r, "liquid", "sources", n, result);
    }
    for (int n = 0; n < f->n_emitters; ++n) {
        TarnResult result = build_emitter(r, world, &f->emitters[n], colors);
        if (result != TARN_OK) return refuse_carried(r, "particles", "emitters", n, result);
    }
    TARN_TRY(tarn__scene_build_gas_parts(r, world, colors));
    if (!f->has_liquid) return TARN_OK;
    return add_all(r, tarn_world_liquid(world), "fill", f->n_fills, add_fill);
}
