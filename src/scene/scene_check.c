// What a scene says in one section and what makes sense with another one: things that would silently lie off their
// grid, be drawn as nothing, or sink through water that does not know them.

#include "scene/scene_internal.h"
#include <stdio.h>

// The node, or the whole text for what only an override made.
static const TarnJson* node_or_root(const SceneReader* r, const TarnJson* node)
{
    return node ? node : r->doc.root;
}

// ---- Rivers and sources ------------------------------------------------------------------------------

// The area of a water, x and z [m].
typedef struct Area {
    const char* name;
    double x0, x1, z0, z1;
} Area;

static Area area_of(const char* name, TarnVec2 origin, int nx, int nz, float dx)
{
    double x = origin.x, z = origin.y;
    return (Area){ name, x, x + (double)nx * dx, z, z + (double)nz * dx };
}

// The line of a river or a beach.
static TarnResult check_line(SceneReader* r, const SceneLand* land, const Area* area)
{
    const TarnTerrainDef* t = &land->made;
    bool is_river = t->kind == TARN_TERRAIN_RIVER_VALLEY, is_beach = t->kind == TARN_TERRAIN_BEACH;
    if (!land->has_terrain || land->file || !(is_river || is_beach)) return TARN_OK;
    double at = is_river ? t->center.y : t->center.x;
    double lo = is_river ? area->z0 : area->x0, hi = is_river ? area->z1 : area->x1;
    if (at >= lo && at <= hi) return TARN_OK;
    const TarnJson* node = tarn__json_get(tarn__json_get(r->doc.root, area->name), "terrain");
    return tarn__scene_refuse_value(r, node_or_root(r, node),
                                    "%s.terrain.center: [%g, %g]: the %s at %c = %g m lies off the "
                                    "grid, which has %c from %g to %g m; "
                                    "move center, or the grid by origin",
                                    area->name, (double)t->center.x, (double)t->center.y,
                                    is_river ? "river" : "beach", is_river ? 'z' : 'x', at,
                                    is_river ? 'z' : 'x', lo, hi);
}

// Sources pour into the first of shallow and pipes.
static TarnResult check_sources(SceneReader* r, const Area* area)
{
    const TarnJson* list = tarn__json_get(r->doc.root, "emitters");
    const TarnJson* node = list ? list->child : NULL;
    for (int i = 0; i < r->n_emitters; ++i, node = node->next) {
        const TarnEmitterDef* e = &r->emitters[i];
        double reach = e->radius;
        bool is_on = e->a.x >= area->x0 - reach && e->a.x <= area->x1 + reach &&
                     e->a.y >= area->z0 - reach && e->a.y <= area->z1 + reach;
        if (e->kind != TARN_EMITTER_SOURCE || is_on) continue;
        return tarn__scene_refuse_value(r, node,
                                        "emitters[%d].a: the source at [%g, %g] m lies off the "
                                        "grid of %s, which has x from %g to %g m and "
                                        "z from %g to %g m; move it there",
                                        i, (double)e->a.x, (double)e->a.y, area->name, area->x0,
                                        area->x1, area->z0, area->z1);
    }
    return TARN_OK;
}

// A window that moves may come to what is off its grid at the start.
static TarnResult check_places(SceneReader* r)
{
    if (r->window.kind != TARN_WINDOW_FIXED) return TARN_OK;
    Area shallow =
        area_of("shallow", r->shallow.origin, r->shallow.nx, r->shallow.nz, r->shallow.dx);
    Area pipes = area_of("pipes", r->pipes.origin, r->pipes.nx, r->pipes.nz, r->pipes.dx);
    if (r->has_shallow) TARN_TRY(check_line(r, &r->lands[LAND_SHALLOW], &shallow));
    if (r->has_pipes) TARN_TRY(check_line(r, &r->lands[LAND_PIPES], &pipes));
    if (r->has_shallow) return check_sources(r, &shallow);
    return r->has_pipes ? check_sources(r, &pipes) : TARN_OK;
}

// ---- Looks -------------------------------------------------------------------------------------------

static TarnResult check_kind(SceneReader* r, const TarnJson* node, const char* path, int kind)
{
    int n = r->fluids.n_looks;
    if (kind < (n > 0 ? n : 3)) return TARN_OK;
    if (n == 0)
        return tarn__scene_refuse_value(r, node,
                                        "%s: no particle of kind %d can be drawn; without "
                                        "particles.looks there are 0 spray, 1 fire and "
                                        "2 smoke: choose one, or add looks",
                                        path, kind);
    return tarn__scene_refuse_value(r, node,
                                    "%s: kind %d has no look: particles.looks has %d, counted from "
                                    "0; add a look, or choose a kind that "
                                    "has one",
                                    path, kind, n);
}

static TarnResult check_looks(SceneReader* r)
{
    const SceneFluids* f = &r->fluids;
    char path[SCENE_PATH];
    const TarnJson* list = tarn__json_get(tarn__json_get(r->doc.root, "particles"), "emitters");
    const TarnJson* node = list ? list->child : NULL;
    for (int i = 0; i < f->n_emitters; ++i, node = node->next) {
        snprintf(path, sizeof path, "particles.emitters[%d].kind_of_particle", i);
        TARN_TRY(check_kind(r, node, path, f->emitters[i].def.kind_of_particle));
    }
    list = tarn__json_get(r->doc.root, "fires");
    node = list ? list->child : NULL;
    for (int i = 0; i < f->n_fires; ++i, node = node->next) {
        snprintf(path, sizeof path, "fires[%d].kind_of_flame", i);
        TARN_TRY(check_kind(r, node, path, f->fires[i].kind_of_flame));
        snprintf(path, sizeof path, "fires[%d].kind_of_smoke", i);
        TARN_TRY(check_kind(r, node, path, f->fires[i].kind_of_smoke));
    }
    return TARN_OK;
}

// ---- Bodies between two waters -----------------------------------------------------------------------

static bool knows_bodies(const SceneReader* r, const char* section)
{
    return tarn__scene_is_given(r, section, tarn__json_get(r->doc.root, section), "use_bodies");
}

// In a world with a liquid the bodies float in that, and fall through waves and shallow water as through air.
static TarnResult check_floaters(SceneReader* r)
{
    bool has_wave = r->has_wave && !knows_bodies(r, "wave");
    bool has_shallow = r->has_shallow && !knows_bodies(r, "shallow");
    if (!r->fluids.has_liquid || !(has_wave || has_shallow)) return TARN_OK;
    for (int i = 0; i < r->n_bodies; ++i) {
        const char* water = has_wave ? "wave" : "shallow";
        if (r->bodies[i].body.driven) continue;
        return tarn__scene_refuse_value(
            r, r->bodies[i].node,
            "bodies[%d]: in a scene with a liquid bodies float in the liquid only, and sink "
            "through the %s; "
            "remove one of the two waters, or accept it with %s.use_bodies false",
            i, water, water);
    }
    return TARN_OK;
}

TarnResult tarn__scene_check_whole(SceneReader* r)
{
    TARN_TRY(check_places(r));
    TARN_TRY(check_looks(r));
    return check_floaters(r);
}
