// Options about the surface of a liquid.

#include "surface_options.h"
#include "message.h"
#include "options.h"
#include "tarn/liquid.h"
#include "tarn/world.h"
#include <string.h>

void surface_take_options(Overrides* all, Overrides* surface)
{
    static const char prefix[] = "surface.";
    const size_t length = sizeof prefix - 1;
    int kept = 0;
    for (int i = 0; i < all->count; ++i) {
        TarnSceneOverride item = all->items[i];
        if (strncmp(item.path, prefix, length) == 0) {
            item.path += length;
            surface->items[surface->count++] = item;
        } else
            all->items[kept++] = item;
    }
    all->count = kept;
}

int surface_set_params(TarnContext* ctx, const Overrides* surface,
                       TarnParticleSurfaceParams* params)
{
    const TarnParamTable* table = tarn_particle_surface_params_table();
    TarnResult result = TARN_OK;
    for (int i = 0; i < surface->count && result == TARN_OK; ++i)
        result = tarn_param_set_text(ctx, table, params, surface->items[i].path,
                                     surface->items[i].value);
    if (result == TARN_OK) result = tarn_param_validate(ctx, table, params);
    if (result == TARN_OK) return EXIT_OK;
    say("%s", tarn_last_error(ctx));
    return EXIT_USAGE;
}

// Does the scene have one?
static bool has_liquid(TarnScene* scene, int dimensions)
{
    const TarnWorld* world = tarn_scene_world(scene);
    for (int i = 0; i < tarn_world_liquid_count(world); ++i)
        if (tarn_liquid_def(tarn_world_liquid(world, i))->dimensions == dimensions) return true;
    return false;
}

int surface_check_looks(const Command* command, TarnScene* scene, const char* liquid,
                        const char* look)
{
    if (liquid != NULL && !has_liquid(scene, 3))
        return usage_error(command, "--liquid only works with 3-D liquids, and the scene has none");
    if (look != NULL && !has_liquid(scene, 2))
        return usage_error(command, "--look only works with 2-D liquids, and the scene has none");
    return EXIT_OK;
}

bool surface_is_drawn(TarnScene* scene, bool is_closed)
{
    int mode = tarn_scene_view(scene).liquid;
    return has_liquid(scene, 3) && (mode == 1 || (mode == 2 && !is_closed));
}

int surface_set_picture(TarnContext* ctx, TarnScene* scene, const Overrides* surface,
                        TarnParticleSurfaceParams* params)
{
    if (surface->count == 0) return EXIT_OK;
    if (!surface_is_drawn(scene, true)) {
        say("--set surface.* only works with 3-D liquids that are drawn as a mesh, and the scene "
            "has none; add --liquid mesh");
        return EXIT_USAGE;
    }
    *params = tarn_particle_surface_default_params();
    return surface_set_params(ctx, surface, params);
}
