// The list of drawers, and what they add layers with.

#include "registry/solvers.h"
#include "viewer.h"
#include <string.h>

// One for each solver whose line in registry/solvers.h says so: view/draw_NAME.c.
#define DECLARE(name, keys, drawer)                                                                \
    SOLVER_IF(drawer, extern const TarnDrawer tarn__view_draw_##name;)
#define ADDRESS(name, keys, drawer) SOLVER_IF(drawer, &tarn__view_draw_##name, )
SOLVERS(DECLARE)
static const TarnDrawer* const drawers[] = { SOLVERS(ADDRESS) };

const TarnDrawer* tarn__view_drawer_for(const TarnViewer* v, const TarnSolverClass* of)
{
    for (int i = 0; i < v->def.n_drawers; ++i)
        if (strcmp(v->drawers[i]->kind, of->name) == 0) return v->drawers[i];
    for (size_t i = 0; i < sizeof drawers / sizeof *drawers; ++i)
        if (strcmp(drawers[i]->kind, of->name) == 0) return drawers[i];
    return of->surface != NULL ? &tarn__view_draw_surface : NULL;
}

static uint64_t owner_of(const TarnDrawing* d)
{
    return (uint64_t)tarn_world_number(d->world, d->solver);
}

TarnResult tarn_drawing_add_water(TarnDrawing* d, const TarnFrameWater* water)
{
    return tarn__view_list_add(d->ctx, &d->viewer->target->waters, water, sizeof *water,
                               owner_of(d));
}

TarnResult tarn_drawing_add_sea(TarnDrawing* d, const TarnFrameSea* sea)
{
    TarnViewer* v = d->viewer;
    if (v->has_sea)
        return tarn__fail(d->ctx, TARN_ERR_UNSUPPORTED,
                          "%s: a picture shows one sea; draw only one of them (--only NAMES)",
                          tarn_world_name_of(d->world, d->solver));
    v->sea = *sea;
    v->has_sea = true;
    return TARN_OK;
}

TarnResult tarn_drawing_add_liquid(TarnDrawing* d, const TarnFrameLiquid* liquid)
{
    return tarn__view_list_add(d->ctx, &d->viewer->target->liquids, liquid, sizeof *liquid,
                               owner_of(d));
}

TarnResult tarn_drawing_add_particles(TarnDrawing* d, const TarnFrameParticles* particles)
{
    return tarn__view_list_add(d->ctx, &d->viewer->target->particles, particles, sizeof *particles,
                               owner_of(d));
}

TarnResult tarn_drawing_add_gas(TarnDrawing* d, const TarnFrameGas* gas)
{
    return tarn__view_list_add(d->ctx, &d->viewer->target->gases, gas, sizeof *gas, owner_of(d));
}

TarnResult tarn_drawing_add_mesh(TarnDrawing* d, const TarnFrameMesh* mesh)
{
    return tarn__view_list_add(d->ctx, &d->viewer->target->meshes, mesh, sizeof *mesh, owner_of(d));
}
