// Waves of a scene: walls and a bed besides their tables.

#include "scene/scene_internal.h"
#include "tarn/wave.h"
#include <stdio.h>

// What waves stage.
typedef struct SceneWave {
    TarnSceneWaterLook look; // first, as in all that waters stage
    int n_walls, n_parts;
    SceneWall* walls;
    SceneBed* parts; // of the bed
} SceneWave;

static TarnResult read_wall(SceneReader* r, const TarnJson* node, const char* path, void* item)
{
    SceneWall* wall = item;
    tarn_param_defaults(tarn__scene_wall_table(), wall);
    TARN_TRY(tarn__scene_read_plain(r, path, node, tarn__scene_wall_table(), wall));
    bool is_upright = wall->min.x < wall->max.x && wall->min.y < wall->max.y;
    if (wall->shape != TARN_SHAPE_BOX || is_upright) return TARN_OK;
    return tarn__scene_refuse_value(r, node, "%s: min [%g, %g] must be below max [%g, %g]", path,
                                    (double)wall->min.x, (double)wall->min.y, (double)wall->max.x,
                                    (double)wall->max.y);
}

TarnResult tarn__scene_read_walls(SceneReader* r, SceneSolver* s, int* n, SceneWall** out)
{
    const SceneList walls = { s->name,         "walls",           s->node,
                              SCENE_MAX_WALLS, sizeof(SceneWall), read_wall };
    return tarn__scene_read_items(r, &walls, n, out);
}

static TarnResult read_wave(SceneReader* r, SceneSolver* s)
{
    SceneWave* wave = s->staged;
    TARN_TRY(tarn__scene_read_water_look(r, s, &wave->look));
    TARN_TRY(tarn__scene_read_walls(r, s, &wave->n_walls, &wave->walls));
    return tarn__scene_read_parts_of_bed(r, s, &wave->n_parts, &wave->parts);
}

void tarn__scene_put_wall(const SceneWall* wall, const SceneWallGrid* def, uint8_t* out)
{
    bool is_disc = wall->shape == TARN_SHAPE_DISC;
    double r = wall->radius, cx = wall->center.x, cz = wall->center.y;
    double x0 = is_disc ? cx - r : wall->min.x, x1 = is_disc ? cx + r : wall->max.x;
    double z0 = is_disc ? cz - r : wall->min.y, z1 = is_disc ? cz + r : wall->max.y;
    SceneCells x = tarn__scene_cells(x0, x1, def->origin.x, def->dx, def->nx);
    SceneCells z = tarn__scene_cells(z0, z1, def->origin.y, def->dx, def->nz);
    for (int k = z.first; k < z.end; ++k) {
        double dz = tarn__scene_center(k, def->origin.y, def->dx) - cz;
        for (int i = x.first; i < x.end; ++i) {
            double dx = tarn__scene_center(i, def->origin.x, def->dx) - cx;
            if (is_disc && dx * dx + dz * dz > r * r) continue;
            out[(size_t)k * (size_t)def->nx + (size_t)i] = 1;
        }
    }
}

static void put_bed(const TarnWaveDef* def, const SceneWave* wave, float* out)
{
    for (int k = 0; k < def->nz; ++k) {
        double z = tarn__scene_center(k, def->origin.y, def->dx);
        for (int i = 0; i < def->nx; ++i) {
            double x = tarn__scene_center(i, def->origin.x, def->dx);
            *out++ = tarn__scene_add_bed(def->level - def->depth, wave->parts, wave->n_parts, x, z);
        }
    }
}

static TarnResult build_wave(SceneReader* r, SceneSolver* s, TarnWorld* world)
{
    TarnWaveDef* def = s->def;
    const SceneWave* wave = s->staged;
    size_t cells = (size_t)def->nx * (size_t)def->nz;
    size_t wall_bytes = wave->n_walls ? cells : 0;
    size_t bed_bytes = wave->n_parts ? cells * sizeof(float) : 0;
    uint8_t* wall = wall_bytes ? tarn__alloc(r->ctx, wall_bytes) : NULL;
    float* bed = bed_bytes ? tarn__alloc(r->ctx, bed_bytes) : NULL;
    TarnResult result = TARN_OK;
    if ((wall_bytes && !wall) || (bed_bytes && !bed)) {
        result = tarn__fail(r->ctx, TARN_ERR_MEMORY,
                            "%s: out of memory for walls or bed of %d x %d cells", r->name, def->nx,
                            def->nz);
    } else {
        const SceneWallGrid grid = { def->nx, def->nz, def->dx, def->origin };
        for (int n = 0; n < wave->n_walls; ++n) tarn__scene_put_wall(&wave->walls[n], &grid, wall);
        if (bed) put_bed(def, wave, bed);
        def->wall = wall;
        def->bed = bed;
        result = tarn__scene_make_solver(r, s, world);
    }
    tarn__free(r->ctx, wall, wall_bytes);
    tarn__free(r->ctx, bed, bed_bytes);
    return result;
}

static void free_wave(TarnContext* ctx, void* staged)
{
    SceneWave* wave = staged;
    tarn__free(ctx, wave->walls, (size_t)wave->n_walls * sizeof(SceneWall));
    tarn__free(ctx, wave->parts, (size_t)wave->n_parts * sizeof(SceneBed));
}

static const char* const keys[] = { "walls", "bed", "look", NULL };
static const TarnParamTable* (*const tables[])(void) = { tarn__scene_wall_table,
                                                         tarn__scene_bed_table,
                                                         tarn_scene_water_look_table };
const SceneKind tarn__scene_wave = { .name = "wave",
                                     .size = sizeof(SceneWave),
                                     .keys = keys,
                                     .tables = tables,
                                     .n_tables = 3,
                                     .read = read_wave,
                                     .build = build_wave,
                                     .free = free_wave };
