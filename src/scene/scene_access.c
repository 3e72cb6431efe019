// What a scene tells about itself: texts, view, colors, and what is drawn as a building.

#include "scene/scene_internal.h"
#include "tarn/coupling.h"
#include "tarn/gas.h"
#include "tarn/lattice.h"
#include "tarn/particles.h"
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

TarnVec3 tarn_scene_body_glow(const TarnScene* scene, TarnBodyId body)
{
    const SceneColor* c = scene ? find_color(scene->colors, scene->n_colors, body.value) : NULL;
    return c ? c->glow : (TarnVec3){ 0 };
}

bool tarn_scene_body_is_hidden(const TarnScene* scene, TarnBodyId body)
{
    const SceneColor* c = scene ? find_color(scene->colors, scene->n_colors, body.value) : NULL;
    return c != NULL && c->is_hidden;
}

int tarn_scene_body_trim(const TarnScene* scene, TarnBodyId body, const TarnSceneTrim** out)
{
    const SceneColor* c = scene ? find_color(scene->colors, scene->n_colors, body.value) : NULL;
    *out = c ? c->trim : NULL;
    return c ? c->n_trim : 0;
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

TarnVec3 tarn_scene_solid_glow(const TarnScene* scene, TarnSolidId solid)
{
    TarnBodyId body = body_of(scene, solid);
    if (body.value != 0) return tarn_scene_body_glow(scene, body);
    const SceneColor* c =
        scene ? find_color(scene->solid_colors, scene->n_solid_colors, solid.value) : NULL;
    return c ? c->glow : (TarnVec3){ 0 };
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

// The land of a solver that is still in the world; NULL: it has none.
static const SceneLand* land_of(const TarnScene* scene, int n)
{
    const SceneSolver* s = &scene->solvers[n];
    bool is_land = s->kind == &tarn__scene_shallow || s->kind == &tarn__scene_pipes;
    return is_land && tarn_world_number(scene->world, s->solver) > 0 ? s->staged : NULL;
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

static int count_blocks(const SceneLand* land)
{
    int n = land ? land->n_gates : 0;
    for (int b = 0; land && b < land->n_blocks; ++b) n += is_drawn(&land->blocks[b]);
    return n;
}

int tarn_scene_block_count(const TarnScene* scene)
{
    int n = 0;
    for (int i = 0; scene && i < scene->n_solvers; ++i) n += count_blocks(land_of(scene, i));
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
static TarnSceneBlock gate_block(const TarnShallow* water, const SceneLand* land, int n)
{
    const TarnShallowGateDef* gate = &land->gates[n];
    TarnVec2 center = { 0.5f * (gate->a.x + gate->b.x), 0.5f * (gate->a.y + gate->b.y) };
    float half_x = 0.5f * fabsf(gate->b.x - gate->a.x),
          half_z = 0.5f * fabsf(gate->b.y - gate->a.y);
    float open = tarn_shallow_gate_opening(water, n);
    float bottom = foot(land, center, half_x, half_z);
    float top = gate->top + (bottom - gate->top) * (open > 0.0f ? open : 0.0f);
    TarnSceneBlock out = upright(land, center, half_x, half_z, top);
    out.color = (TarnVec3){ 0.16f, 0.1f, 0.06f };
    return out;
}

static TarnSceneBlock wall_block(const SceneLand* land, const SceneBlock* block)
{
    bool is_round = block->shape == TARN_SHAPE_DISC;
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

static TarnSceneBlock block_at(const SceneSolver* s, const SceneLand* land, int n)
{
    for (int b = 0; b < land->n_blocks; ++b) {
        if (is_drawn(&land->blocks[b]) && n-- == 0) return wall_block(land, &land->blocks[b]);
    }
    return gate_block(s->solver, land, n);
}

TarnSceneBlock tarn_scene_block_at(const TarnScene* scene, int n)
{
    for (int i = 0; scene && n >= 0 && i < scene->n_solvers; ++i) {
        const SceneLand* land = land_of(scene, i);
        int count = count_blocks(land);
        if (n < count) return block_at(&scene->solvers[i], land, n);
        n -= count;
    }
    return (TarnSceneBlock){ 0 };
}

static bool is_built_on(const SceneLand* land, float x, float z)
{
    for (int b = 0; b < land->n_blocks; ++b) {
        if (is_drawn(&land->blocks[b]) && tarn__scene_is_in_block(&land->blocks[b], x, z))
            return true;
    }
    for (int g = 0; g < land->n_gates; ++g) {
        if (is_in_gate(&land->gates[g], x, z)) return true;
    }
    return false;
}

bool tarn_scene_is_built(const TarnScene* scene, float x, float z, float* ground)
{
    for (int i = 0; scene && i < scene->n_solvers; ++i) {
        const SceneLand* land = land_of(scene, i);
        if (land == NULL || !is_built_on(land, x, z)) continue;
        if (ground) *ground = tarn__scene_bare_ground(x, z, (void*)land);
        return true;
    }
    return false;
}

// ---- Looks -----------------------------------------------------------------------------------------

// What the kind of the n-th solver of a class staged; NULL: the scene did not make it.
static const void* staged_of(const TarnScene* scene, const TarnSolverClass* of, int n)
{
    const void* solver = scene ? tarn_world_get(scene->world, of, n) : NULL;
    for (int i = 0; solver && i < scene->n_solvers; ++i) {
        if (scene->solvers[i].solver == solver) return scene->solvers[i].staged;
    }
    return NULL;
}

TarnSceneWaterLook tarn_scene_water_look(const TarnScene* scene, const void* solver)
{
    TarnSceneWaterLook look;
    tarn_param_defaults(tarn_scene_water_look_table(), &look);
    for (int i = 0; scene && solver && i < scene->n_solvers; ++i) {
        const SceneSolver* s = &scene->solvers[i];
        bool is_water = s->kind == &tarn__scene_wave || s->kind == &tarn__scene_shallow ||
                        s->kind == &tarn__scene_pipes;
        if (s->solver == solver && is_water) return *(const TarnSceneWaterLook*)s->staged;
    }
    return look;
}

TarnSceneGasLook tarn_scene_gas_look(const TarnScene* scene, int n)
{
    const SceneGas* gas = staged_of(scene, tarn_gas_class(), n);
    return gas ? gas->look : (TarnSceneGasLook){ 0 };
}

TarnSceneGasLook tarn_scene_lattice_look(const TarnScene* scene, int n)
{
    const TarnSceneGasLook* look = staged_of(scene, tarn_lattice_class(), n);
    return look ? *look : (TarnSceneGasLook){ 0 };
}

const TarnSceneLook* tarn_scene_looks(const TarnScene* scene, int n, int* count)
{
    const SceneParticles* particles = staged_of(scene, tarn_particles_class(), n);
    if (count) *count = particles ? particles->n_looks : 0;
    return particles ? particles->looks : NULL;
}
