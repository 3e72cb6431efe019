// Flowing water for the renderer: surface, depth, speed, and the land. Buildings stand in the solver as
// raised ground; they are drawn as solid things, on the ground that lies under them.

#include "frame.h"
#include <math.h>
#include <string.h>

#if defined(TARN_HAS_RENDER)

static float at(TarnView2 view, int i, int k)
{
    return view.data[(size_t)i + (size_t)view.stride * (size_t)k];
}

static size_t cell(const SceneFrame* f, int i, int k)
{
    return (size_t)k * (size_t)f->nx + (size_t)i;
}

static TarnView2 view_of(const SceneFrame* f, const float* data)
{
    return (TarnView2){ data, f->nx, f->nz, f->nx };
}

static void copy_view(const SceneFrame* f, TarnView2 from, float* to)
{
    for (int k = 0; k < f->nz; ++k)
        memcpy(to + cell(f, 0, k), from.data + (size_t)from.stride * (size_t)k,
               (size_t)f->nx * sizeof *to);
}

// ---- Buildings -----------------------------------------------------------------------------------

// Which cells are built on. They do not move, but the window may.
static void find_buildings(SceneFrame* f, const TarnScene* scene)
{
    const TarnFrameWater* water = &f->water;
    bool is_here = f->is_placed && f->origin.x == water->origin.x && f->origin.y == water->origin.y;
    if (is_here || tarn_scene_block_count(scene) == 0) return;
    for (int k = 0; k < f->nz; ++k) {
        for (int i = 0; i < f->nx; ++i) {
            float x = water->origin.x + ((float)i + 0.5f) * water->dx;
            float z = water->origin.y + ((float)k + 0.5f) * water->dx;
            f->fields.is_wall[cell(f, i, k)] = tarn_scene_is_built(scene, x, z, NULL);
        }
    }
    f->origin = water->origin;
    f->is_placed = true;
}

// Mean surface of the wet cells around a built one, so that water reaches the wall; false: none is.
static bool surface_around(const SceneFrame* f, int i, int k, float* out)
{
    const SceneFields* fields = &f->fields;
    float sum = 0.0f;
    int n = 0;
    for (int dk = -1; dk <= 1; ++dk) {
        for (int di = -1; di <= 1; ++di) {
            if (i + di < 0 || i + di >= f->nx || k + dk < 0 || k + dk >= f->nz) continue;
            size_t c = cell(f, i + di, k + dk);
            if (fields->is_wall[c] || !(fields->depth[c] > 0.0f)) continue;
            sum += fields->height[c];
            ++n;
        }
    }
    *out = n > 0 ? sum / (float)n : 0.0f;
    return n > 0;
}

// Inside a building the ground goes on as if it were not there, and so does the water at its walls.
static void clear_buildings(SceneFrame* f, const TarnScene* scene)
{
    SceneFields* fields = &f->fields;
    const TarnFrameWater* water = &f->water;
    for (int k = 0; k < f->nz; ++k) {
        for (int i = 0; i < f->nx; ++i) {
            size_t c = cell(f, i, k);
            if (!fields->is_wall[c] || fields->depth[c] > 0.0f) continue; // or a gate under water
            float x = water->origin.x + ((float)i + 0.5f) * water->dx;
            float z = water->origin.y + ((float)k + 0.5f) * water->dx, surface;
            tarn_scene_is_built(scene, x, z, &fields->bed[c]);
            bool is_wet = surface_around(f, i, k, &surface) && surface > fields->bed[c];
            fields->height[c] = is_wet ? surface : fields->bed[c] - 0.25f * water->dx;
        }
    }
    for (size_t c = 0, n = cell(f, 0, f->nz); c < n; ++c) {
        bool is_dry = fields->is_wall[c] && !(fields->depth[c] > 0.0f);
        float depth = fields->height[c] - fields->bed[c];
        if (is_dry && depth > 0.0f) fields->depth[c] = depth;
    }
}

static void place_land(SceneFrame* f, const TarnScene* scene, TarnVec2 origin, float dx,
                       float level)
{
    TarnFrameWater* water = &f->water;
    water->origin = origin;
    water->dx = dx;
    water->rest_level = level;
    find_buildings(f, scene);
    if (f->is_placed) clear_buildings(f, scene);
    water->height = view_of(f, f->fields.height);
    water->land.ground = view_of(f, f->fields.bed);
    water->land.depth = view_of(f, f->fields.depth);
    water->land.has_beach = tarn_scene_view(scene).beach;
}

// ---- Waters --------------------------------------------------------------------------------------

void frame_update_shallow(SceneFrame* f, const TarnScene* scene, TarnShallow* water)
{
    const TarnShallowDef* def = tarn_shallow_def(water);
    TarnFrameLand* land = &f->water.land;
    tarn_shallow_drawn_surface(water, f->fields.height);
    copy_view(f, tarn_shallow_bed(water), f->fields.bed);
    copy_view(f, tarn_shallow_depth(water), f->fields.depth);
    land->velocity_x = tarn_shallow_velocity_x(water);
    land->velocity_z = tarn_shallow_velocity_z(water);
    place_land(f, scene, tarn_shallow_origin(water), def->dx, def->level);
    land->has_sea =
        def->edge_x0 == TARN_SHALLOW_ABSORBING && def->edge_x1 == TARN_SHALLOW_ABSORBING &&
        def->edge_z0 == TARN_SHALLOW_ABSORBING && def->edge_z1 == TARN_SHALLOW_ABSORBING;
}

// Rain wets every slope. A film that is thin against the cells is not seen as water.
static void hide_film(SceneFrame* f, float film)
{
    for (size_t c = 0, n = cell(f, 0, f->nz); c < n; ++c) {
        float depth = f->fields.depth[c] - film;
        f->fields.depth[c] = depth > 0.0f ? depth : 0.0f;
    }
}

// Pipes have no drawn surface of their own: on land it lies just under the ground, near water as high
// as the water beside it at most.
static void draw_pipes(SceneFrame* f, float dx)
{
    const SceneFields* fields = &f->fields;
    for (int k = 0; k < f->nz; ++k) {
        for (int i = 0; i < f->nx; ++i) {
            size_t c = cell(f, i, k);
            float ground = fields->bed[c], lowest = ground - 0.1f * dx;
            for (int n = 0; n < 4; ++n) {
                int j = i + (n == 0) - (n == 1), l = k + (n == 2) - (n == 3);
                if (j < 0 || j >= f->nx || l < 0 || l >= f->nz) continue;
                size_t d = cell(f, j, l);
                float surface = fields->bed[d] + fields->depth[d];
                if (fields->depth[d] > 0.0f && surface < ground && surface > lowest)
                    lowest = surface;
            }
            float depth = fields->depth[c];
            fields->height[c] = depth > 0.0f ? ground + depth : lowest;
        }
    }
}

// How muddy the water is, from what it carries: a tenth of its volume is mud.
static void mix_mud(SceneFrame* f, TarnView2 sediment)
{
    for (int k = 0; k < f->nz; ++k) {
        for (int i = 0; i < f->nx; ++i) {
            size_t c = cell(f, i, k);
            float share = 10.0f * at(sediment, i, k) / (f->fields.depth[c] + 0.01f);
            f->fields.mud[c] = share < 1.0f ? share : 1.0f;
        }
    }
}

static void split_velocity(SceneFrame* f, const TarnPipes* water)
{
    const SceneFields* fields = &f->fields;
    if (tarn_pipes_velocity(water, fields->flow) != TARN_OK) return;
    for (size_t c = 0, n = cell(f, 0, f->nz); c < n; ++c) {
        fields->flow_x[c] = fields->flow[c].x;
        fields->flow_z[c] = fields->flow[c].y;
    }
}

void frame_update_pipes(SceneFrame* f, const TarnScene* scene, TarnPipes* water)
{
    const TarnPipesDef* def = tarn_pipes_def(water);
    TarnFrameLand* land = &f->water.land;
    copy_view(f, tarn_pipes_ground(water), f->fields.bed);
    copy_view(f, tarn_pipes_depth(water), f->fields.depth);
    split_velocity(f, water);
    TarnView2 sediment = tarn_pipes_sediment(water);
    if (sediment.data) mix_mud(f, sediment);
    hide_film(f, 0.02f * def->dx);
    draw_pipes(f, def->dx);
    land->velocity_x = view_of(f, f->fields.flow_x);
    land->velocity_z = view_of(f, f->fields.flow_z);
    if (sediment.data) {
        land->sediment = view_of(f, f->fields.mud);
        land->soil = tarn_pipes_soil(water);
    }
    place_land(f, scene, tarn_pipes_origin(water), def->dx, def->level);
}

// ---- Buildings as solid things -------------------------------------------------------------------

static TarnQuat turn(float yaw)
{
    return (TarnQuat){ 0.0f, sinf(0.5f * yaw), 0.0f, cosf(0.5f * yaw) };
}

// A gable over the box, with eaves: two ends up at the ridge, along the longer side.
static TarnFrameBody roof_of(const TarnSceneBlock* block, TarnVec3* v)
{
    static const int triangles[] = { 0, 1, 4, 1, 5, 4, 2, 4, 5, 2, 5, 3, // the two planes
                                     0, 4, 2, 1, 3, 5,                   // gables
                                     0, 2, 1, 1, 2, 3 };                 // below
    const float eaves = 1.12f;
    TarnVec3 size = block->size;
    bool is_long_x = size.x >= size.z;
    float along = eaves * (is_long_x ? size.x : size.z),
          across = eaves * (is_long_x ? size.z : size.x);
    const float corners[6][3] = { { -1, 0, 1 }, { 1, 0, 1 },  { -1, 0, -1 },
                                  { 1, 0, -1 }, { -1, 1, 0 }, { 1, 1, 0 } };
    for (int n = 0; n < 6; ++n) {
        float a = corners[n][0] * along, y = size.y + corners[n][1] * block->roof;
        float c = corners[n][2] * across;
        v[n] = is_long_x ? (TarnVec3){ a, y, c } : (TarnVec3){ -c, y, a }; // a turn, so no mirror
    }
    return (TarnFrameBody){ .shape = tarn_shape_mesh(v, 6, triangles, 8),
                            .position = block->center,
                            .rotation = turn(block->yaw),
                            .color = { 0.32f, 0.085f, 0.045f } };
}

enum { SIDES = 16 };

static const int* pillar_triangles(void)
{
    static int triangles[3 * (3 * SIDES)];
    for (int s = 0, n = 0; s < SIDES; ++s) {
        int next = (s + 1) % SIDES;
        const int of_side[9] = { s,         SIDES + s,    next,
                                 next,      SIDES + s,    SIDES + next, // wall
                                 2 * SIDES, SIDES + next, SIDES + s };  // top
        for (int j = 0; j < 9; ++j) triangles[n++] = of_side[j];
    }
    return triangles;
}

static TarnFrameBody pillar_of(const TarnSceneBlock* block, TarnVec3* v)
{
    float r = block->size.x, y = block->size.y;
    for (int s = 0; s < SIDES; ++s) {
        float angle = 6.2831853f * (float)s / SIDES;
        v[s] = (TarnVec3){ r * cosf(angle), -y, r * sinf(angle) };
        v[SIDES + s] = (TarnVec3){ v[s].x, y, v[s].z };
    }
    v[2 * SIDES] = (TarnVec3){ 0.0f, y, 0.0f };
    return (TarnFrameBody){ .shape =
                                tarn_shape_mesh(v, 2 * SIDES + 1, pillar_triangles(), 3 * SIDES),
                            .position = block->center,
                            .rotation = { 0.0f, 0.0f, 0.0f, 1.0f },
                            .color = block->color };
}

int frame_add_blocks(SceneFrame* f, const TarnScene* scene, TarnFrameBody* out)
{
    int n = 0;
    for (int b = 0; b < f->n_blocks; ++b) {
        TarnSceneBlock block = tarn_scene_block_at(scene, b);
        TarnVec3* v = f->vertices + (size_t)b * BLOCK_VERTICES;
        if (!(block.size.y > 0.01f)) continue; // a gate that is open
        if (block.is_round) {
            out[n++] = pillar_of(&block, v);
            continue;
        }
        out[n++] =
            (TarnFrameBody){ .shape = tarn_shape_box(block.size.x, block.size.y, block.size.z),
                             .position = block.center,
                             .rotation = turn(block.yaw),
                             .color = block.color };
        if (block.roof > 0.0f) out[n++] = roof_of(&block, v);
    }
    return n;
}

#endif
