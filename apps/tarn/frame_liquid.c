// Frames of liquids made of particles, of particle systems, and of gases with them.

#include "frame.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char* const look_names[] = { "particles", "resize",   "stretch", "refraction",
                                          "edges",     "splashes", "bubbles" };

#define LOOK_NAMES "particles,resize,stretch,refraction,edges,splashes,bubbles"
const char frame_look_names[] = LOOK_NAMES;
const char frame_look_help[] =
    "draw only these parts of a 2-D liquid: " LOOK_NAMES "; default: all";

const char frame_liquid_help[] = "how a 3-D liquid is drawn: screen_space, mesh, screen_mesh or "
                                 "particles; default: set by the scene";

bool frame_parse_look(const char* text, uint32_t* look)
{
    *look = 0;
    if (text == NULL) return true;
    for (const char* at = text; *at != '\0';) {
        size_t length = strcspn(at, ",");
        int found = -1;
        for (int i = 0; i < (int)(sizeof look_names / sizeof *look_names); ++i)
            if (strlen(look_names[i]) == length && strncmp(at, look_names[i], length) == 0)
                found = i;
        if (found < 0) return false;
        *look |= 1u << found;
        at += length;
        if (*at == ',') ++at;
    }
    return *look != 0;
}

#if defined(TARN_HAS_RENDER)

// ---- Liquid ----------------------------------------------------------------------------------------

// The more viscous, the less clear: water, oil, honey. 0: as water is.
static float clarity_of(float viscosity, float height)
{
    const float clear = 1e-5f, thick = 1e-2f; // [m^2/s]
    if (!(viscosity > clear)) return 0.0f;
    float t = fminf(logf(viscosity / clear) / logf(thick / clear), 1.0f);
    return height * 0.6f * powf(0.06f, t);
}

static void update_kinds(TarnFrameLiquid* out, const TarnLiquid* liquid)
{
    float all = tarn_liquid_params(liquid).viscosity;
    for (int k = 0; k < TARN_LIQUID_KINDS; ++k) {
        TarnLiquidKindDef kind;
        if (tarn_liquid_get_kind(liquid, k, &kind) != TARN_OK) continue;
        out->color[k] = kind.color;
        out->clarity[k] = clarity_of(kind.viscosity + all, out->box_max.y - out->box_min.y);
    }
}

static void update_liquid(SceneFrame* f, const TarnLiquid* liquid)
{
    const TarnLiquidDef* def = tarn_liquid_def(liquid);
    f->liquid = (TarnFrameLiquid){ .dimensions = def->dimensions,
                                   .view = tarn_liquid_view(liquid),
                                   .spacing = def->spacing,
                                   .box_min = def->box_min,
                                   .box_max = def->box_max,
                                   .walls = def->walls,
                                   .look = f->look };
    update_kinds(&f->liquid, liquid);
    const TarnParticles* splashes = tarn_liquid_splashes(liquid);
    if (splashes != NULL) f->liquid.splashes = tarn_particles_view(splashes);
    f->frame.liquids = &f->liquid;
    f->frame.n_liquids = 1;
}

static void update_particles(SceneFrame* f, TarnScene* scene, const TarnParticles* particles)
{
    TarnParticlesParams params = tarn_particles_params(particles);
    f->particles = (TarnFrameParticles){ .view = tarn_particles_view(particles),
                                         .box_min = params.box_min,
                                         .box_max = params.box_max };
    const float large = 100.0f; // a box that only catches what is lost [m]
    TarnVec3 *lo = &f->particles.box_min, *hi = &f->particles.box_max;
    if (hi->x - lo->x > large || hi->y - lo->y > large || hi->z - lo->z > large) {
        *lo = (TarnVec3){ -4.0f, 0.0f, -4.0f };
        *hi = (TarnVec3){ 4.0f, 5.0f, 4.0f };
    }
    frame_gas_box(scene, lo, hi); // if the scene says what it frames
    f->particles.n_looks = frame_looks(scene, f->looks);
    f->particles.looks = f->particles.n_looks > 0 ? f->looks : NULL;
    f->frame.particles = &f->particles;
    f->frame.n_particles = 1;
}

static void update_gases(SceneFrame* f, TarnScene* scene)
{
    f->frame.n_gases = frame_gases(scene, f->fades, f->gases);
    f->frame.gases = f->frame.n_gases > 0 ? f->gases : NULL;
}

// ---- The ground of a 2-D scene -----------------------------------------------------------------------

enum { GROUND_SIDE = 560 }; // values along the longer side

// Signed distances on a grid that is a little larger than the box; nothing is computed as long as no
// solid has moved.
static bool update_ground(SceneFrame* f, const TarnSolids* solids)
{
    TarnFrameLiquid* l = &f->liquid;
    if (!f->has_ground) return true;
    uint64_t hash = tarn_solids_hash(solids);
    float wx = l->box_max.x - l->box_min.x, wy = l->box_max.y - l->box_min.y;
    float side = fmaxf(wx, wy), dx = 1.3f * side / GROUND_SIDE;
    int nx = (int)(1.3f * wx / dx) + 2, ny = (int)(1.3f * wy / dx) + 2;
    size_t n = (size_t)nx * (size_t)ny;
    l->solid_origin = (TarnVec2){ l->box_min.x - 0.15f * wx, l->box_min.y - 0.15f * wy };
    l->solid_dx = dx;
    if (f->ground == NULL) f->ground = malloc(n * sizeof *f->ground);
    float* row = malloc(3 * (size_t)nx * sizeof *row);
    if (f->ground == NULL || row == NULL) {
        free(row);
        return false;
    }
    float *x = row, *y = row + nx, *z = y + nx;
    for (int k = 0; k < ny && hash != f->ground_hash; ++k) {
        for (int i = 0; i < nx; ++i) {
            x[i] = l->solid_origin.x + (float)i * dx;
            y[i] = l->solid_origin.y + (float)k * dx;
            z[i] = 0.0f;
        }
        tarn_solids_query(solids, nx, x, y, z, 0.15f * side, f->ground + (size_t)k * (size_t)nx,
                          NULL, NULL);
    }
    free(row);
    f->ground_hash = hash;
    l->solid = (TarnView2){ f->ground, nx, ny, nx };
    return true;
}

// Meshes of 3-D liquids, if the scene asks for one. They need the camera.
TarnResult frame_mesh_stage(SceneFrame* f, const TarnScene* scene)
{
    static const int modes[] = { TARN_FRAME_SCREEN_SPACE, TARN_FRAME_SURFACE,
                                 TARN_FRAME_SCREEN_MESH, TARN_FRAME_BALLS };
    TarnFrameLiquid* l = &f->liquid;
    f->frame.meshes = NULL;
    f->frame.n_meshes = 0;
    if (f->frame.n_liquids == 0 || l->dimensions != 3 || f->ctx == NULL) return TARN_OK;
    l->mode = modes[tarn_scene_view(scene).liquid];
    TarnResult result = TARN_OK;
    if (l->mode == TARN_FRAME_SURFACE) result = liquid_mesh_surface(&f->liquid_mesh, f->ctx, l);
    if (l->mode == TARN_FRAME_SCREEN_MESH)
        result =
            liquid_mesh_screen(&f->liquid_mesh, f->ctx, l, &f->frame.camera, f->width, f->height);
    l->mesh = &f->liquid_mesh.mesh;
    bool is_mesh = l->mode == TARN_FRAME_SURFACE || l->mode == TARN_FRAME_SCREEN_MESH;
    if (result != TARN_OK || !is_mesh || !f->has_wires) return result;
    f->wired = (TarnFrameMesh){ .mesh = l->mesh, .color = l->color[0], .has_wires = true };
    f->frame.meshes = &f->wired;
    f->frame.n_meshes = 1;
    l->mode = TARN_FRAME_SCREEN_SPACE;
    l->view.n = l->splashes.n = 0;
    return TARN_OK;
}

bool frame_update_stage(SceneFrame* f, TarnScene* scene)
{
    TarnWorld* world = tarn_scene_world(scene);
    const TarnLiquid* liquid = f->pick.liquid;
    if (liquid != NULL) update_liquid(f, liquid);
    if (f->pick.particles != NULL) update_particles(f, scene, f->pick.particles);
    update_gases(f, scene);
    bool is_flat = liquid != NULL && tarn_liquid_def(liquid)->dimensions == 2;
    if (!frame_update_solids(f, scene, is_flat)) return false;
    return !is_flat || update_ground(f, tarn_world_solids(world));
}

// ---- View ----------------------------------------------------------------------------------------------

// In 2-D target is x and y, and there is nothing to turn.
void frame_view_stage(SceneFrame* f, TarnScene* scene, float aspect)
{
    static const float radians = 3.14159265f / 180.0f;
    TarnSceneView view = tarn_scene_view(scene);
    TarnFrame* frame = &f->frame;
    bool is_flat = frame->n_liquids > 0 && f->liquid.dimensions == 2;
    TarnVec3 lo = frame->n_liquids > 0 ? f->liquid.box_min : f->particles.box_min;
    TarnVec3 hi = frame->n_liquids > 0 ? f->liquid.box_max : f->particles.box_max;
    if (frame->n_liquids == 0) frame_gas_box(scene, &lo, &hi);
    frame->box_min = lo, frame->box_max = hi;
    tarn_frame_defaults(frame);
    if (view.sun.x != 0.0f || view.sun.y != 0.0f || view.sun.z != 0.0f) frame->sky.sun = view.sun;
    TarnCamera c =
        tarn_frame_camera_box(lo, hi, is_flat, view.yaw * radians, view.pitch * radians, aspect);
    TarnVec3 back = { c.eye.x - c.target.x, c.eye.y - c.target.y, c.eye.z - c.target.z };
    c.target.x += view.target.x;
    *(is_flat ? &c.target.y : &c.target.z) += view.target.y;
    c.eye = (TarnVec3){ c.target.x + view.distance * back.x, c.target.y + view.distance * back.y,
                        c.target.z + view.distance * back.z };
    frame->camera = c;
}

#endif
