// Particle liquids: in 3-D from their particles or as a mesh, in 2-D in front of a painted sky with the ground of the solids.

#include "liquid_mesh.h"
#include "viewer.h"
#include <math.h>

typedef struct LiquidMemory {
    LiquidMesh mesh;
    Block ground, row; // 2-D: signed distances to all solids
    int ground_nx, ground_ny;
    uint64_t ground_hash;
} LiquidMemory;

// ---- The liquid ------------------------------------------------------------------------------------

// The more viscous, the less clear: water, oil, honey. 0: as water is.
static float clarity_of(float viscosity, float height)
{
    const float clear = 1e-5f, thick = 1e-2f; // [m^2/s]
    if (!(viscosity > clear)) return 0.0f;
    float t = fminf(logf(viscosity / clear) / logf(thick / clear), 1.0f);
    return height * 0.6f * powf(0.06f, t);
}

static TarnResult update(TarnDrawing* d)
{
    const TarnLiquid* liquid = d->solver;
    const TarnLiquidDef* def = tarn_liquid_def(liquid);
    TarnFrameLiquid l = { .dimensions = def->dimensions,
                          .view = tarn_liquid_view(liquid),
                          .spacing = def->spacing,
                          .box_min = def->box_min,
                          .box_max = def->box_max,
                          // An unbounded liquid has no walls to draw either.
                          .walls =
                              def->walls == TARN_LIQUID_UNBOUNDED ? TARN_LIQUID_OPEN : def->walls,
                          .look = d->viewer->def.look };
    float viscosity = tarn_liquid_params(liquid).viscosity;
    for (int k = 0; k < TARN_LIQUID_KINDS; ++k) {
        TarnLiquidKindDef kind;
        if (tarn_liquid_get_kind(liquid, k, &kind) != TARN_OK) continue;
        l.color[k] = kind.color;
        l.clarity[k] = clarity_of(kind.viscosity + viscosity, l.box_max.y - l.box_min.y);
    }
    const TarnParticles* splashes = tarn_liquid_splashes(liquid);
    if (splashes != NULL) l.splashes = tarn_particles_view(splashes);
    if (l.dimensions == 3) l.mode = d->look->liquid;
    return tarn_drawing_add_liquid(d, &l);
}

// ---- The ground of a 2-D scene -----------------------------------------------------------------------

enum { GROUND_SIDE = 560 }; // values along the longer side

// Signed distances on a grid that is a little larger than the box; nothing is computed as long as no
// solid has moved.
static TarnResult add_ground(TarnDrawing* d, TarnFrameLiquid* l)
{
    LiquidMemory* m = d->memory;
    const TarnSolids* solids = tarn_world_solids(d->world);
    uint64_t hash = tarn_solids_hash(solids);
    float wx = l->box_max.x - l->box_min.x, wy = l->box_max.y - l->box_min.y;
    float side = fmaxf(wx, wy), dx = 1.3f * side / GROUND_SIDE;
    int nx = (int)(1.3f * wx / dx) + 2, ny = (int)(1.3f * wy / dx) + 2;
    size_t n = (size_t)nx * (size_t)ny;
    bool is_old = m->ground.data == NULL || hash != m->ground_hash;
    l->solid_origin = (TarnVec2){ l->box_min.x - 0.15f * wx, l->box_min.y - 0.15f * wy };
    l->solid_dx = dx;
    TARN_TRY(tarn_drawing_reserve(d->ctx, &m->ground, n * sizeof(float)));
    TARN_TRY(tarn_drawing_reserve(d->ctx, &m->row, 3 * (size_t)nx * sizeof(float)));
    float *x = m->row.data, *y = x + nx, *z = y + nx, *ground = m->ground.data;
    for (int k = 0; k < ny && is_old; ++k) {
        for (int i = 0; i < nx; ++i) {
            x[i] = l->solid_origin.x + (float)i * dx;
            y[i] = l->solid_origin.y + (float)k * dx;
            z[i] = 0.0f;
        }
        tarn_solids_query(solids, nx, x, y, z, 0.15f * side, ground + (size_t)k * (size_t)nx, NULL,
                          NULL);
    }
    m->ground_hash = hash;
    l->solid = (TarnView2){ ground, nx, ny, nx };
    return TARN_OK;
}

// ---- Meshes ----------------------------------------------------------------------------------------

static TarnResult add_mesh(TarnDrawing* d, TarnFrameLiquid* l)
{
    const TarnViewer* v = d->viewer;
    LiquidMesh* m = &((LiquidMemory*)d->memory)->mesh;
    bool is_mesh = l->mode == TARN_FRAME_SURFACE || l->mode == TARN_FRAME_SCREEN_MESH;
    m->params = v->surface;
    if (l->mode == TARN_FRAME_SURFACE) TARN_TRY(tarn__view_mesh_surface(d->ctx, m, l));
    if (l->mode == TARN_FRAME_SCREEN_MESH)
        TARN_TRY(
            tarn__view_mesh_screen(d->ctx, m, l, &d->frame->camera, v->def.width, v->def.height));
    l->mesh = &m->mesh;
    if (!is_mesh || !v->def.has_wires) return TARN_OK;
    TarnFrameMesh wired = { .mesh = &m->mesh, .color = l->color[0], .has_wires = true };
    l->mode = TARN_FRAME_SCREEN_SPACE;
    l->view.n = l->splashes.n = 0;
    return tarn_drawing_add_mesh(d, &wired);
}

static TarnResult finish(TarnDrawing* d)
{
    LayerList* liquids = &d->viewer->target->liquids;
    uint64_t owner = (uint64_t)tarn_world_number(d->world, d->solver);
    for (int i = 0; i < liquids->n; ++i) {
        TarnFrameLiquid* l = LAYER(TarnFrameLiquid, liquids, i);
        if (layer_owner(liquids, i) != owner) continue;
        if (l->dimensions == 3) return add_mesh(d, l);
        if (d->viewer->things.has_sections) return add_ground(d, l);
    }
    return TARN_OK;
}

static void destroy(TarnDrawing* d)
{
    LiquidMemory* m = d->memory;
    tarn__view_mesh_free(d->ctx, &m->mesh);
    tarn_drawing_free(d->ctx, &m->ground);
    tarn_drawing_free(d->ctx, &m->row);
}

const TarnDrawer tarn__view_draw_liquid = { .size = sizeof(TarnDrawer),
                                            .kind = "liquid",
                                            .memory = sizeof(LiquidMemory),
                                            .update = update,
                                            .finish = finish,
                                            .destroy = destroy };
