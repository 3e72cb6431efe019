// Dispersive waves of a scene: walls besides their tables.

#include "scene/scene_internal.h"
#include "tarn/ripple.h"

typedef struct SceneRipple {
    TarnSceneWaterLook look; // first, as in all that waters stage
    int n_walls;
    SceneWall* walls;
} SceneRipple;

static TarnResult read_ripple(SceneReader* r, SceneSolver* s)
{
    SceneRipple* ripple = s->staged;
    TARN_TRY(tarn__scene_read_water_look(r, s, &ripple->look));
    return tarn__scene_read_walls(r, s, &ripple->n_walls, &ripple->walls);
}

static TarnResult build_ripple(SceneReader* r, SceneSolver* s, TarnWorld* world)
{
    TarnRippleDef* def = s->def;
    const SceneRipple* ripple = s->staged;
    const SceneWallGrid grid = { def->n, def->n, def->dx, def->origin };
    size_t bytes = ripple->n_walls ? (size_t)def->n * (size_t)def->n : 0;
    uint8_t* land = bytes ? tarn__alloc(r->ctx, bytes) : NULL;
    if (bytes && land == NULL)
        return tarn__fail(r->ctx, TARN_ERR_MEMORY, "%s: out of memory for walls of %d x %d cells",
                          r->name, def->n, def->n);
    for (int n = 0; n < ripple->n_walls; ++n) tarn__scene_put_wall(&ripple->walls[n], &grid, land);
    def->land = land;
    TarnResult result = tarn__scene_make_solver(r, s, world);
    tarn__free(r->ctx, land, bytes);
    return result;
}

static void free_ripple(TarnContext* ctx, void* staged)
{
    SceneRipple* ripple = staged;
    tarn__free(ctx, ripple->walls, (size_t)ripple->n_walls * sizeof(SceneWall));
}

static const char* const keys[] = { "walls", "look", NULL };
static const TarnParamTable* (*const tables[])(void) = { tarn__scene_wall_table,
                                                         tarn_scene_water_look_table };
const SceneKind tarn__scene_ripple = { .name = "ripple",
                                       .size = sizeof(SceneRipple),
                                       .keys = keys,
                                       .tables = tables,
                                       .n_tables = 2,
                                       .read = read_ripple,
                                       .build = build_ripple,
                                       .free = free_ripple };
