// Meshes of liquids for pictures: makers that are made again when the liquid has outgrown them, and buffers
// that grow when a mesh asks for more.

#include "liquid_mesh.h"
#include "base/base.h"
#include <math.h>

// Makes room for what the mesh needed last, and a little more.
static TarnResult grow(TarnContext* ctx, LiquidMesh* m)
{
    TarnMesh* mesh = &m->mesh;
    int v = mesh->n_vertices + mesh->n_vertices / 4 + 4096,
        t = mesh->n_triangles + mesh->n_triangles / 4 + 8192;
    mesh->max_vertices = mesh->max_triangles = 0;
    TARN_TRY(tarn_drawing_reserve(ctx, &m->positions, (size_t)v * sizeof *mesh->position));
    TARN_TRY(tarn_drawing_reserve(ctx, &m->normals, (size_t)v * sizeof *mesh->normal));
    TARN_TRY(tarn_drawing_reserve(ctx, &m->indices, 3 * (size_t)t * sizeof *mesh->index));
    mesh->position = m->positions.data;
    mesh->normal = m->normals.data;
    mesh->index = m->indices.data;
    mesh->max_vertices = v;
    mesh->max_triangles = t;
    return TARN_OK;
}

// At the walls of a tank particles have few neighbors also where it is full.
static bool is_at_wall(const TarnFrameLiquid* l, int i)
{
    float x = l->view.x[i], z = l->view.z[i], near = 1.2f * l->spacing;
    return l->walls != TARN_LIQUID_OPEN && (x - l->box_min.x < near || l->box_max.x - x < near ||
                                            z - l->box_min.z < near || l->box_max.z - z < near);
}

// Particles that are almost alone are left out, if the liquid says which they are: the renderer draws them as
// drops.
static TarnResult gather(TarnContext* ctx, LiquidMesh* m, const TarnFrameLiquid* l, TarnPoints* out)
{
    const float least = 0.3f; // of TarnLiquidView.size
    const TarnLiquidView* v = &l->view;
    *out = (TarnPoints){ .n = v->n, .x = v->x, .y = v->y, .z = v->z };
    if (v->size == NULL || v->n == 0) return TARN_OK; // nothing to choose from
    TARN_TRY(tarn_drawing_reserve(ctx, &m->places, 3 * (size_t)v->n * sizeof(float)));
    float *x = m->places.data, *y = x + v->n, *z = y + v->n;
    int n = 0;
    for (int i = 0; i < v->n; ++i) {
        if (!(v->size[i] >= least) && !is_at_wall(l, i)) continue;
        x[n] = v->x[i], y[n] = v->y[i], z[n] = v->z[i];
        ++n;
    }
    *out = (TarnPoints){ .n = n, .x = x, .y = y, .z = z };
    return TARN_OK;
}

// ---- The closed surface --------------------------------------------------------------------------------

static TarnResult make_surface(LiquidMesh* m, TarnContext* ctx, int n, int blocks, float spacing)
{
    TarnParticleSurfaceDef* def = &m->surface_def;
    if (m->surface != NULL && n <= def->max_particles && blocks <= def->max_blocks &&
        def->spacing == spacing)
        return TARN_OK;
    tarn_particle_surface_destroy(m->surface);
    m->surface = NULL;
    *def = tarn_particle_surface_default_def();
    def->max_particles = n + n / 4 + 1024;
    def->max_blocks = blocks;
    def->spacing = spacing;
    TarnResult result = tarn_particle_surface_create(ctx, def, &m->surface);
    if (result != TARN_OK || m->params.cookie == 0) return result;
    return tarn_particle_surface_set_params(m->surface, &m->params);
}

TarnResult tarn__view_mesh_surface(TarnContext* ctx, LiquidMesh* m, const TarnFrameLiquid* l)
{
    TarnPoints points;
    TARN_TRY(gather(ctx, m, l, &points));
    if (m->mesh.index == NULL) TARN_TRY(grow(ctx, m));
    int blocks = m->surface != NULL ? m->surface_def.max_blocks : 0;
    TarnResult result = make_surface(m, ctx, points.n, blocks, l->spacing);
    if (result != TARN_OK) return result;
    int needed = 0;
    result = tarn_particle_surface_update(m->surface, &points, &needed);
    if (result == TARN_ERR_CAPACITY) {
        result = make_surface(m, ctx, points.n, needed + needed / 4, l->spacing);
        if (result == TARN_OK) result = tarn_particle_surface_update(m->surface, &points, &needed);
    }
    if (result != TARN_OK) return result;
    result = tarn_particle_surface_mesh(m->surface, &m->mesh);
    if (result != TARN_ERR_CAPACITY) return result;
    TARN_TRY(grow(ctx, m));
    return tarn_particle_surface_mesh(m->surface, &m->mesh);
}

// ---- What a camera sees --------------------------------------------------------------------------------

static TarnVec3 unit(TarnVec3 a)
{
    float l = sqrtf(a.x * a.x + a.y * a.y + a.z * a.z);
    return l > 0.0f ? (TarnVec3){ a.x / l, a.y / l, a.z / l } : (TarnVec3){ 0.0f, 1.0f, 0.0f };
}

static TarnVec3 cross(TarnVec3 a, TarnVec3 b)
{
    return (TarnVec3){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}

static float dot(TarnVec3 a, TarnVec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

// As the renderer sees it.
static TarnScreenCamera camera_of(const TarnCamera* c, int width, int height)
{
    TarnVec3 e = c->eye;
    TarnVec3 f = unit((TarnVec3){ c->target.x - e.x, c->target.y - e.y, c->target.z - e.z });
    bool is_steep = fabsf(f.y) > 0.9995f;
    TarnVec3 x = unit(cross(f, is_steep ? (TarnVec3){ 0, 0, -1 } : (TarnVec3){ 0, 1, 0 }));
    TarnVec3 y = cross(x, f);
    float wide = 1.0f / tanf(0.5f * c->fov);
    TarnScreenCamera out = { .view = { x.x, y.x, -f.x, 0, x.y, y.y, -f.y, 0, x.z, y.z, -f.z, 0,
                                       -dot(x, e), -dot(y, e), dot(f, e), 1 },
                             .width = width,
                             .height = height };
    out.projection[0] = wide * (float)height / (float)width;
    out.projection[5] = wide;
    out.projection[10] = out.projection[11] = -1.0f;
    return out;
}

static TarnResult make_screen(LiquidMesh* m, TarnContext* ctx, int n, int width, int height)
{
    TarnScreenMeshDef* def = &m->screen_def;
    if (m->screen != NULL && n <= def->max_particles && width == def->max_width &&
        height == def->max_height)
        return TARN_OK;
    tarn_screen_mesh_destroy(m->screen);
    m->screen = NULL;
    *def = tarn_screen_mesh_default_def();
    def->max_particles = n + n / 4 + 1024;
    def->max_width = width;
    def->max_height = height;
    return tarn_screen_mesh_create(ctx, def, &m->screen);
}

// Smoothed over about one and a half spacings as they are seen in the middle of the picture.
static int filter_of(const TarnCamera* c, float spacing, int height, int nodes)
{
    TarnVec3 to = { c->target.x - c->eye.x, c->target.y - c->eye.y, c->target.z - c->eye.z };
    float focal = 0.5f * (float)height / tanf(0.5f * c->fov);
    float pixels = spacing * focal / fmaxf(sqrtf(dot(to, to)), 1e-6f);
    return (int)fminf(fmaxf(1.5f * pixels / (float)nodes, 2.0f), 12.0f);
}

TarnResult tarn__view_mesh_screen(TarnContext* ctx, LiquidMesh* m, const TarnFrameLiquid* l,
                                  const TarnCamera* camera, int width, int height)
{
    TarnPoints points;
    TARN_TRY(gather(ctx, m, l, &points));
    if (m->mesh.index == NULL) TARN_TRY(grow(ctx, m));
    TarnScreenCamera seen = camera_of(camera, width, height);
    TarnResult result = make_screen(m, ctx, points.n, width, height);
    if (result != TARN_OK) return result;
    TarnScreenMeshParams params = tarn_screen_mesh_default_params();
    params.radius = 0.9f * l->spacing;
    params.filter = filter_of(camera, l->spacing, height, m->screen_def.spacing);
    result = tarn_screen_mesh_run(m->screen, &points, &seen, &params, &m->mesh, NULL);
    if (result != TARN_ERR_CAPACITY) return result;
    TARN_TRY(grow(ctx, m));
    return tarn_screen_mesh_run(m->screen, &points, &seen, &params, &m->mesh, NULL);
}

void tarn__view_mesh_free(TarnContext* ctx, LiquidMesh* m)
{
    tarn_particle_surface_destroy(m->surface);
    tarn_screen_mesh_destroy(m->screen);
    tarn_drawing_free(ctx, &m->positions);
    tarn_drawing_free(ctx, &m->normals);
    tarn_drawing_free(ctx, &m->indices);
    tarn_drawing_free(ctx, &m->places);
    *m = (LiquidMesh){ 0 };
}
