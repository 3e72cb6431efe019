// The ground of a land as a function of (x, z): terrain, parts of a bed, walls. Solvers ask it when
// they are made and when their window moves, so it is one pure function, and not an array.

#include "scene/scene_internal.h"
#include "base/maths.h"
#include <math.h>
#include <stdio.h>

// A raised cosine: level at the top and where it meets the ground.
static float mound_at(const SceneBed* bed, double x, double z)
{
    double dx = x - bed->center.x, dz = z - bed->center.y, r = bed->radius;
    double s2 = (dx * dx + dz * dz) / (r * r);
    if (s2 >= 1.0) return 0.0f;
    return bed->height * (0.5f + 0.5f * tarn_cos((float)(3.141592653589793 * sqrt(s2))));
}

static float slope_at(const SceneBed* bed, double x, double z)
{
    double ax = bed->from.x, az = bed->from.y, ux = bed->to.x - ax, uz = bed->to.y - az;
    double s = ((x - ax) * ux + (z - az) * uz) / (ux * ux + uz * uz);
    return (float)((s < 0.0 ? 0.0 : s > 1.0 ? 1.0 : s) * bed->rise);
}

float tarn__scene_add_bed(float y, const SceneBed* parts, int n, double x, double z)
{
    for (int i = 0; i < n; ++i)
        y += parts[i].kind == SCENE_BED_MOUND ? mound_at(&parts[i], x, z)
                                              : slope_at(&parts[i], x, z);
    return y;
}

float tarn__scene_bare_ground(float x, float z, void* user)
{
    SceneLand* land = user;
    float y = 0.0f;
    if (land->terrain)
        y = tarn_terrain_sample(land->terrain, x, z);
    else if (land->has_terrain)
        y = tarn_terrain_made_ground(x, z, &land->made);
    return tarn__scene_add_bed(y, land->parts, land->n_parts, x, z);
}

bool tarn__scene_is_in_block(const SceneBlock* block, float x, float z)
{
    if (block->shape == TARN_SHAPE_DISC) {
        double dx = (double)x - block->center.x, dz = (double)z - block->center.y;
        return dx * dx + dz * dz <= (double)block->radius * block->radius;
    }
    double dx = x - 0.5 * ((double)block->min.x + block->max.x);
    double dz = z - 0.5 * ((double)block->min.y + block->max.y);
    if (block->yaw != 0.0f) { // seen from the box itself
        float s, c;
        double u = dx, w = dz;
        tarn_sincos(block->yaw * 0.017453292519943295f, &s, &c);
        dx = c * u - s * w;
        dz = s * u + c * w;
    }
    return fabs(dx) <= 0.5 * ((double)block->max.x - block->min.x) &&
           fabs(dz) <= 0.5 * ((double)block->max.y - block->min.y);
}

float tarn__scene_ground(float x, float z, void* user)
{
    const SceneLand* land = user;
    float y = tarn__scene_bare_ground(x, z, user);
    for (int n = 0; n < land->n_blocks; ++n) {
        const SceneBlock* block = &land->blocks[n];
        if (block->top > y && tarn__scene_is_in_block(block, x, z)) y = block->top;
    }
    return y;
}

// ---- Cells -----------------------------------------------------------------------------------------

static int cell_after(double x, float origin, float dx, int n) // the first center not below x
{
    double c = ceil((x - (double)origin) / (double)dx - 0.5);
    return c < 0.0 ? 0 : c > n ? n : (int)c;
}

SceneCells tarn__scene_cells(double lo, double hi, float origin, float dx, int n)
{
    SceneCells cells = { cell_after(lo, origin, dx, n), cell_after(hi, origin, dx, n) };
    if (cells.end < n && tarn__scene_center(cells.end, origin, dx) == hi) ++cells.end;
    return cells;
}

double tarn__scene_center(int i, float origin, float dx)
{
    return (double)origin + (i + 0.5) * (double)dx;
}

TarnResult tarn__scene_read_water_look(SceneReader* r, const SceneSolver* s,
                                       TarnSceneWaterLook* out)
{
    char path[SCENE_PATH];
    snprintf(path, sizeof path, "%s.look", s->name);
    tarn_param_defaults(tarn_scene_water_look_table(), out);
    return tarn__scene_read_plain(r, path, tarn__json_get(s->node, "look"),
                                  tarn_scene_water_look_table(), out);
}
