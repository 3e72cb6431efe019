// What a scene tells about itself: texts, view, colors, and what is drawn as a building.

#include "scene/scene_internal.h"
#include "base/param.h"
#include "tarn/coupling.h"
#include <math.h>

TarnWorld* tarn_scene_world(TarnScene* scene)
{
    return scene ? scene->world : NULL;
}
const char* tarn_scene_title(const TarnScene* scene)
{
    return scene ? scene->title : "";
}
const char* tarn_scene_about(const TarnScene* scene)
{
    return scene ? scene->about : "";
}
TarnSceneRun tarn_scene_run(const TarnScene* scene)
{
    TarnSceneRun run;
    tarn_param_defaults(tarn_scene_run_table(), &run);
    return scene ? scene->run : run;
}
TarnSceneView tarn_scene_view(const TarnScene* scene)
{
    TarnSceneView view;
    tarn_param_defaults(tarn_scene_view_table(), &view);
    return scene ? scene->view : view;
}

const char* tarn_scene_engine(const TarnScene* scene)
{
    return scene ? scene->engine : "builtin";
}

static const SceneColor* find_color(const SceneColor* colors, int n, uint64_t id) // NULL: none
{
    int lo = 0, hi = n;
    while (lo < hi) {
        int middle = (lo + hi) / 2;
        if (colors[middle].body < id)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo < n && colors[lo].body == id ? &colors[lo] : NULL;
}

static const TarnVec3 gray = { 0.5f, 0.5f, 0.5f };

TarnVec3 tarn_scene_body_color(const TarnScene* scene, TarnBodyId body)
{
    const SceneColor* c = scene ? find_color(scene->colors, scene->n_colors, body.value) : NULL;
    return c ? c->color : gray;
}

bool tarn_scene_body_is_hidden(const TarnScene* scene, TarnBodyId body)
{
    const SceneColor* c = scene ? find_color(scene->colors, scene->n_colors, body.value) : NULL;
    return c != NULL && c->is_hidden;
}

static TarnBodyId body_of(const TarnScene* scene, TarnSolidId solid)
{
    return scene ? tarn_couple_body_of(tarn_world_bodies(scene->world), solid) : (TarnBodyId){ 0 };
}

TarnVec3 tarn_scene_solid_color(const TarnScene* scene, TarnSolidId solid)
{
    TarnBodyId body = body_of(scene, solid);
    if (body.value != 0) return tarn_scene_body_color(scene, body);
    const SceneColor* c =
        scene ? find_color(scene->solid_colors, scene->n_solid_colors, solid.value) : NULL;
    return c ? c->color : gray;
}

bool tarn_scene_solid_is_hidden(const TarnScene* scene, TarnSolidId solid)
{
    TarnBodyId body = body_of(scene, solid);
    if (body.value != 0) return !tarn_scene_body_is_hidden(scene, body); // one of the two is drawn
    const SceneColor* c =
        scene ? find_color(scene->solid_colors, scene->n_solid_colors, solid.value) : NULL;
    return c != NULL && c->is_hidden;
}

bool tarn_scene_solid_is_glass(const TarnScene* scene, TarnSolidId solid)
{
    const SceneColor* c =
        scene ? find_color(scene->solid_colors, scene->n_solid_colors, solid.value) : NULL;
    return c != NULL && c->is_glass;
}

// ---- Buildings -----------------------------------------------------------------------------------------

static const SceneLand* land_of(const TarnScene* scene) // NULL: none
{
    bool is_shallow = scene && tarn_world_shallow(scene->world);
    bool is_pipes = scene && tarn_world_pipes(scene->world);
    return is_shallow ? &scene->lands[LAND_SHALLOW] : is_pipes ? &scene->lands[LAND_PIPES] : NULL;
}

static bool is_drawn(const SceneBlock* block)
{
    return block->color.x + block->color.y + block->color.z > 0.0f;
}

static bool is_in_gate(const TarnShallowGateDef* gate, float x, float z)
{
    float x0 = gate->a.x < gate->b.x ? gate->a.x : gate->b.x, x1 = gate->a.x + gate->b.x - x0;
    float z0 = gate->a.y < gate->b.y ? gate->a.y : gate->b.y, z1 = gate->a.y + gate->b.y - z0;
    return x >= x0 && x <= x1 && z >= z0 && z <= z1;
}

int tarn_scene_block_count(const TarnScene* scene)
{
    const SceneLand* land = land_of(scene);
    int n = land ? land->n_gates : 0;
    for (int b = 0; land && b < land->n_blocks; ++b) n += is_drawn(&land->blocks[b]);
    return n;
}

// Lowest ground under the corners and the middle of a block [m].
static float foot(const SceneLand* land, TarnVec2 center, float half_x, float half_z)
{
    float lowest = tarn__scene_bare_ground(center.x, center.y, (void*)land);
    for (int c = 0; c < 4; ++c) {
        float x = center.x + (c & 1 ? half_x : -half_x), z = center.y + (c & 2 ? half_z : -half_z);
        float y = tarn__scene_bare_ground(x, z, (void*)land);
        lowest = y < lowest ? y : lowest;
    }
    return lowest;
}

static TarnSceneBlock upright(const SceneLand* land, TarnVec2 center, float half_x, float half_z,
                              float top)
{
    float bottom = foot(land, center, half_x, half_z);
    TarnSceneBlock out = { .center = { center.x, 0.5f * (top + bottom), center.y },
                           .size = { half_x, 0.5f * (top - bottom), half_z } };
    if (out.size.y < 0.0f) out.size.y = 0.0f; // an open gate
    return out;
}

// A gate is a board as high as it stands now.
static TarnSceneBlock gate_block(const TarnScene* scene, const SceneLand* land, int n)
{
    const TarnShallowGateDef* gate = &land->gates[n];
    TarnVec2 center = { 0.5f * (gate->a.x + gate->b.x), 0.5f * (gate->a.y + gate->b.y) };
    float half_x = 0.5f * fabsf(gate->b.x - gate->a.x),
          half_z = 0.5f * fabsf(gate->b.y - gate->a.y);
    float open = tarn_shallow_gate_opening(tarn_world_shallow(scene->world), n);
    float bottom = foot(land, center, half_x, half_z);
    float top = gate->top + (bottom - gate->top) * (open > 0.0f ? open : 0.0f);
    TarnSceneBlock out = upright(land, center, half_x, half_z, top);
    out.color = (TarnVec3){ 0.16f, 0.1f, 0.06f };
    return out;
}

static TarnSceneBlock wall_block(const SceneLand* land, const SceneBlock* block)
{
    bool is_round = block->shape == SCENE_WALL_DISC;
    TarnVec2 middle = { 0.5f * (block->min.x + block->max.x),
                        0.5f * (block->min.y + block->max.y) };
    float half_x = is_round ? block->radius : 0.5f * (block->max.x - block->min.x);
    float half_z = is_round ? block->radius : 0.5f * (block->max.y - block->min.y);
    TarnSceneBlock out =
        upright(land, is_round ? block->center : middle, half_x, half_z, block->top);
    out.is_round = is_round;
    out.yaw = is_round ? 0.0f : block->yaw * 0.017453292519943295f;
    out.roof = block->roof;
    out.color = block->color;
    return out;
}

TarnSceneBlock tarn_scene_block_at(const TarnScene* scene, int n)
{
    const SceneLand* land = land_of(scene);
    for (int b = 0; land && b < land->n_blocks; ++b) {
        if (is_drawn(&land->blocks[b]) && n-- == 0) return wall_block(land, &land->blocks[b]);
    }
    return land && n >= 0 && n < land->n_gates ? gate_block(scene, land, n) : (TarnSceneBlock){ 0 };
}

bool tarn_scene_is_built(const TarnScene* scene, float x, float z, float* ground)
{
    const SceneLand* land = land_of(scene);
    bool is_built = false;
    for (int b = 0; land && !is_built && b < land->n_blocks; ++b)
        is_built = is_drawn(&land->blocks[b]) && tarn__scene_is_in_block(&land->blocks[b], x, z);
    for (int g = 0; land && !is_built && g < land->n_gates; ++g)
        is_built = is_in_gate(&land->gates[g], x, z);
    if (is_built && ground) *ground = tarn__scene_bare_ground(x, z, (void*)land);
    return is_built;
}

// ---- Looks -----------------------------------------------------------------------------------------

TarnSceneGasLook tarn_scene_gas_look(const TarnScene* scene, int n)
{
    bool is_there = scene && n >= 0 && n < TARN_WORLD_MAX_GASES;
    return is_there ? scene->gas_looks[n] : (TarnSceneGasLook){ 0 };
}

const TarnSceneLook* tarn_scene_looks(const TarnScene* scene, int* n)
{
    int count = scene ? scene->n_looks : 0;
    if (n) *n = count;
    return count > 0 ? scene->looks : NULL;
}
