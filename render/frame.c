// What one frame needs before it is drawn: the shape of the basin with its meshes, the bodies, and
// the constants of all shaders.

#include "internal.h"
#include <string.h>

// ---- Shape of the basin ------------------------------------------------------------------------

// Along the closed sides: share of the bed above calm water, and its mean height.
typedef struct Edges {
    float land, height;
} Edges;

static Edges closed_edges(const Field* f, const bool is_closed[4])
{
    int n = 0, land = 0;
    double sum = 0.0;
    for (int s = 0; s < 4; ++s)
        for (int a = 0; is_closed[s] && a < (s < 2 ? f->nz : f->nx); ++a, ++n) {
            int i = s < 2 ? (s ? f->nx - 1 : 0) : a, k = s < 2 ? a : (s > 2 ? f->nz - 1 : 0);
            float y = f->bed[4 * (i + f->nx * k)];
            land += y > 0.0f;
            sum += y;
        }
    return n ? (Edges){ (float)land / (float)n, (float)(sum / n) } : (Edges){ 1.0f, 0.0f };
}

static BasinShape shape_of(const TarnRenderer* r, const TarnFrameWater* w)
{
    BasinShape s;
    memset(&s, 0, sizeof s); // shapes are compared as bytes
    s.x0 = w->origin.x;
    s.z0 = w->origin.y;
    s.rest = w->rest_level;
    s.x1 = s.x0 + w->dx * (float)w->height.nx;
    s.z1 = s.z0 + w->dx * (float)w->height.nz;
    float side = fmaxf(s.x1 - s.x0, s.z1 - s.z0);
    bool is_any_open = false;
    for (int i = 0; i < 4; ++i) {
        s.is_open[i] = !w->has_rim[i];
        is_any_open |= s.is_open[i];
    }
    float relief = r->field.bed_max - r->field.bed_min;
    bool is_varied = w->bed.data && relief > 0.01f * tarn__mean_depth(w);
    s.has_terrain = is_varied || is_any_open || r->field.has_walls;
    Edges edges = closed_edges(&r->field, w->has_rim);
    s.is_natural = is_varied && edges.land > 0.5f;
    s.plain = fmaxf(edges.height, 0.01f * side);
    s.bottom = s.rest + r->field.bed_min;
    float freeboard = 0.042f * sqrtf(side);
    if (w->is_wall && w->wall_top > s.rest)
        freeboard = fmaxf(w->wall_top - s.rest, 0.3f * freeboard);
    s.rim_top = s.rest + freeboard;
    s.deck = s.rim_top - 0.2f * fminf(freeboard, 0.042f * sqrtf(side));
    s.coping = 0.06f * sqrtf(side) + 0.008f * side;
    s.far = 10.0f * side;
    return s;
}

static TarnResult rebuild(TarnRenderer* r, void (*build)(MeshData*, const BasinShape*), Mesh* mesh)
{
    MeshData data = { .ctx = r->ctx };
    build(&data, &r->shape);
    TarnResult result = tarn__mesh_upload(&data, mesh);
    tarn__mesh_free(&data);
    return result;
}

static TarnResult rebuild_plan(TarnRenderer* r, int most, const bool is_open[4], Mesh* mesh)
{
    MeshData data = { .ctx = r->ctx };
    const BasinShape* s = &r->shape;
    float wx = s->x1 - s->x0, wz = s->z1 - s->z0;
    float longer = fmaxf(wx, wz);
    int nx = mini(r->field.nx, maxi((int)(most * wx / longer), 8));
    int nz = mini(r->field.nz, maxi((int)(most * wz / longer), 8));
    tarn__build_plan(&data, nx, nz, is_open, s->far / fminf(wx, wz));
    TarnResult result = tarn__mesh_upload(&data, mesh);
    tarn__mesh_free(&data);
    return result;
}

TarnResult tarn__frame_shape(TarnRenderer* r, const TarnFrame* frame)
{
    const TarnFrameWater* w = tarn__water_of(frame);
    BasinShape shape = shape_of(r, w);
    if (!r->is_built || memcmp(&shape, &r->shape, sizeof shape) != 0) {
        r->is_built = false;
        r->shape = shape;
        const bool all_open[4] = { true, true, true, true };
        const bool* is_open = shape.is_natural ? all_open : shape.is_open;
        TARN_TRY(rebuild(r, tarn__build_pool, &r->pool));
        TARN_TRY(rebuild(r, tarn__build_coping, &r->coping));
        TARN_TRY(rebuild(r, tarn__build_deck, &r->deck));
        TARN_TRY(rebuild(r, tarn__build_quay, &r->quay));
        TARN_TRY(rebuild_plan(r, MAX_PLAN, is_open, &r->plan));
        int terrain = r->field.bed_max > r->field.bed_min ? MAX_TERRAIN : MAX_TERRAIN / 2;
        TARN_TRY(rebuild_plan(r, terrain, is_open, &r->terrain));
        r->field.is_wall_changed = true;
        r->is_built = true;
    }
    if (r->wall_top != w->wall_top) r->field.is_wall_changed = true;
    if (!r->field.is_wall_changed) return TARN_OK;
    MeshData data = { .ctx = r->ctx };
    int fine = r->field.fine;
    if (r->field.has_walls)
        tarn__build_walls(&data, r->field.mask, r->field.nx / fine, r->field.nz / fine, &r->shape,
                          w->wall_top);
    TarnResult result = tarn__mesh_upload(&data, &r->walls);
    tarn__mesh_free(&data);
    r->field.is_wall_changed = result != TARN_OK;
    r->wall_top = w->wall_top;
    return result;
}

// ---- Bodies ------------------------------------------------------------------------------------

static TarnResult reserve_bodies(TarnRenderer* r, int n)
{
    if (n <= r->body_capacity) return TARN_OK;
    int capacity = maxi(n, 2 * r->body_capacity);
    Mesh* meshes = tarn__alloc(r->ctx, (size_t)capacity * sizeof *meshes);
    BodyDraw* draws = tarn__alloc(r->ctx, (size_t)capacity * sizeof *draws);
    if (!meshes || !draws) {
        tarn__free(r->ctx, meshes, (size_t)capacity * sizeof *meshes);
        tarn__free(r->ctx, draws, (size_t)capacity * sizeof *draws);
        return tarn__fail(r->ctx, TARN_ERR_MEMORY, "renderer: no memory for %d bodies", n);
    }
    memset(meshes, 0, (size_t)capacity * sizeof *meshes);
    if (r->n_body_meshes) memcpy(meshes, r->body_meshes, (size_t)r->n_body_meshes * sizeof *meshes);
    tarn__free(r->ctx, r->body_meshes, (size_t)r->body_capacity * sizeof *meshes);
    tarn__free(r->ctx, r->body_draws, (size_t)r->body_capacity * sizeof *draws);
    r->body_meshes = meshes;
    r->body_draws = draws;
    r->body_capacity = capacity;
    return TARN_OK;
}

static TarnResult upload_body_mesh(TarnRenderer* r, const TarnFrameBody* b, Mesh* mesh)
{
    MeshData data = { .ctx = r->ctx };
    for (int v = 0; v < b->shape.n_points; ++v)
        tarn__mesh_vertex(&data, b->shape.points[v], vec3_unit(b->shape.points[v]));
    for (int t = 0; t < b->shape.n_triangles; ++t)
        tarn__mesh_triangle(&data, b->shape.triangles[3 * t], b->shape.triangles[3 * t + 1],
                            b->shape.triangles[3 * t + 2]);
    TarnResult result = tarn__mesh_upload(&data, mesh);
    tarn__mesh_free(&data);
    return result;
}

static float bound_of(const TarnFrameBody* b)
{
    if (b->shape.kind == TARN_SHAPE_SPHERE) return b->shape.size.x;
    if (b->shape.kind == TARN_SHAPE_BOX) return vec3_length(b->shape.size);
    if (b->shape.kind == TARN_SHAPE_CAPSULE) return b->shape.size.x + b->shape.size.y;
    float most = 0.0f;
    for (int v = 0; v < b->shape.n_points; ++v) most = fmaxf(most, vec3_length(b->shape.points[v]));
    return most;
}

TarnResult tarn__frame_bodies(TarnRenderer* r, const TarnFrame* frame)
{
    TARN_TRY(reserve_bodies(r, frame->n_bodies + frame->n_solids + frame->n_meshes));
    int n_meshes = 0;
    r->n_body_draws = 0;
    for (int i = 0; i < frame->n_bodies + frame->n_solids; ++i) {
        bool is_body = i < frame->n_bodies;
        const TarnFrameBody* b = is_body ? &frame->bodies[i] : &frame->solids[i - frame->n_bodies];
        BodyDraw d = { .model = mat4_pose(b->position, b->rotation),
                       .color = { b->color.x, b->color.y, b->color.z, 0 },
                       .param = { tarn__shader_shape(b->shape.kind), b->shape.size.x,
                                  b->shape.size.y, is_body ? 0.0f : 1.0f },
                       .is_glass = b->is_glass };
        float bound = bound_of(b);
        d.low = b->position.y - bound;
        d.high = b->position.y + bound;
        float least = fminf(b->shape.size.x, fminf(b->shape.size.y, b->shape.size.z));
        float edge = 0.10f * least;
        switch (b->shape.kind) {
        case TARN_SHAPE_SPHERE:
            d.mesh = &r->sphere;
            d.core_size[3] = b->shape.size.x;
            break;
        case TARN_SHAPE_BOX:
            d.mesh = &r->box;
            d.core_size[0] = b->shape.size.x - edge;
            d.core_size[1] = b->shape.size.y - edge;
            d.core_size[2] = b->shape.size.z - edge;
            d.core_size[3] = edge;
            break;
        case TARN_SHAPE_CAPSULE:
            d.mesh = &r->capsule;
            d.core_size[1] = b->shape.size.y;
            d.core_size[3] = b->shape.size.x;
            break;
        default:
            TARN_TRY(upload_body_mesh(r, b, &r->body_meshes[n_meshes]));
            d.mesh = &r->body_meshes[n_meshes++];
            r->n_body_meshes = maxi(r->n_body_meshes, n_meshes);
            d.core_size[0] = d.core_size[1] = d.core_size[2] = 1.0f;
            d.color[3] = 1.0f;
        }
        r->body_draws[r->n_body_draws++] = d;
    }
    return tarn__is_stage(frame) ? tarn__add_meshes(r, frame, n_meshes) : TARN_OK;
}

// ---- Constants ---------------------------------------------------------------------------------

static void set4(float to[4], float x, float y, float z, float w)
{
    to[0] = x, to[1] = y, to[2] = z, to[3] = w;
}

// The nearest of 1, 2, 2.5, 5 times a power of ten.
static float round_size(float x)
{
    float p = powf(10.0f, floorf(log10f(x))), m = x / p;
    return p * (m < 1.5f ? 1.0f : m < 2.25f ? 2.0f : m < 3.5f ? 2.5f : m < 7.5f ? 5.0f : 10.0f);
}

static TarnVec3 refracted_down(TarnVec3 sun) // the sun's light in calm water
{
    TarnVec3 d = vec3_scale(sun, -1.0f / 1.333f);
    return vec3(d.x, -sqrtf(fmaxf(1.0f - d.x * d.x - d.z * d.z, 0.01f)), d.z);
}

Mat4 tarn__light_matrix(TarnVec3 from, TarnVec3 to, TarnVec3 sun, float* range)
{
    TarnVec3 x = vec3_unit(fabsf(sun.y) > 0.999f ? vec3(1, 0, 0) : vec3_cross(vec3(0, 1, 0), sun));
    TarnVec3 y = vec3_cross(sun, x);
    TarnVec3 axes[3] = { x, y, sun };
    float lo[3] = { 1e30f, 1e30f, 1e30f }, hi[3] = { -1e30f, -1e30f, -1e30f };
    for (int c = 0; c < 8; ++c) {
        TarnVec3 p = vec3(c & 1 ? to.x : from.x, c & 2 ? to.y : from.y, c & 4 ? to.z : from.z);
        for (int a = 0; a < 3; ++a) {
            lo[a] = fminf(lo[a], vec3_dot(p, axes[a]));
            hi[a] = fmaxf(hi[a], vec3_dot(p, axes[a]));
        }
    }
    float depth = hi[2] - lo[2];
    lo[2] -= 0.5f * depth, hi[2] += 0.05f * depth; // bent rays are longer
    *range = hi[2] - lo[2];
    Mat4 r = { { 0 } };
    for (int a = 0; a < 3; ++a) {
        float scale = 2.0f / (hi[a] - lo[a]) * (a == 2 ? -1.0f : 1.0f);
        r.m[a] = axes[a].x * scale;
        r.m[4 + a] = axes[a].y * scale;
        r.m[8 + a] = axes[a].z * scale;
        r.m[12 + a] = -0.5f * (hi[a] + lo[a]) * scale;
    }
    r.m[15] = 1.0f;
    return r;
}

// Over everything that throws a shadow.
static Mat4 basin_light(const BasinShape* s, TarnVec3 sun, float low, float high, float* range)
{
    float m = s->coping * 1.1f;
    return tarn__light_matrix(vec3(s->x0 - m, low, s->z0 - m), vec3(s->x1 + m, high, s->z1 + m),
                              sun, range);
}

// Per channel: the color that water has is the one it absorbs least.
void tarn__absorption(const TarnFrame* frame, float to[3])
{
    float c[3] = { frame->water_color.x, frame->water_color.y, frame->water_color.z };
    float most = fmaxf(fmaxf(c[0], c[1]), fmaxf(c[2], 1e-4f)), sum = 0.0f;
    for (int i = 0; i < 3; ++i) {
        to[i] = 1.75f - 1.25f * clampf(c[i] / most, 0.0f, 1.0f);
        sum += to[i];
    }
    for (int i = 0; i < 3; ++i) to[i] *= 1.1f * 3.0f / (sum * frame->clarity);
}

static void camera_constants(FrameBlock* f, const TarnRenderer* r, const TarnFrame* frame)
{
    const TarnCamera* c = &frame->camera;
    const BasinShape* s = &r->shape;
    float side = fmaxf(s->x1 - s->x0, s->z1 - s->z0);
    float distance = vec3_length(vec3_sub(c->target, c->eye));
    float near = clampf(0.012f * distance, 0.002f * side, 0.1f * side);
    Mat4 view = mat4_look_at(c->eye, c->target);
    Mat4 proj = mat4_perspective(c->fov, (float)r->width / (float)r->height, near,
                                 distance + 1.6f * s->far);
    Mat4 mirror = mat4_mirror_y(s->rest);
    f->view_proj = mat4_mul(&proj, &view);
    f->mirror_view_proj = mat4_mul(&f->view_proj, &mirror);
    set4(f->eye, c->eye.x, c->eye.y, c->eye.z, (float)fmod(frame->time, 3600.0));
    bool is_closed = !s->is_open[0] && !s->is_open[1] && !s->is_open[2] && !s->is_open[3];
    float start = is_closed && !s->is_natural ? 1.0f : 0.35f;
    set4(f->fog, distance + start * side, 1.0f / (3.2f * side), s->is_natural ? 1.0f : 0.0f,
         s->plain);
    set4(f->screen, (float)r->width, (float)r->height, 1.0f / (float)r->width,
         1.0f / (float)r->height);
}

void tarn__frame_constants(TarnRenderer* r, const TarnFrame* frame)
{
    FrameBlock* f = &r->frame;
    const BasinShape* s = &r->shape;
    bool is_bars = frame->mode == TARN_RENDER_BARS;
    float side = fmaxf(s->x1 - s->x0, s->z1 - s->z0);
    r->depth = tarn__mean_depth(tarn__water_of(frame));
    camera_constants(f, r, frame);

    TarnVec3 sun = tarn__sky_sun(frame, 0.08f);
    float high = s->rim_top, range;
    if (r->field.has_walls) high = fmaxf(high, tarn__water_of(frame)->wall_top);
    for (int i = 0; i < r->n_body_draws; ++i)
        high = fmaxf(high, fminf(r->body_draws[i].high, s->rest + side));
    if (is_bars) high = fmaxf(high, s->rest + r->depth);
    f->light_proj = basin_light(s, sun, is_bars ? s->bottom : s->rest, high, &range);
    set4(f->sun, sun.x, sun.y, sun.z, 1.0f / range);
    TarnVec3 down = is_bars ? vec3_scale(sun, -1.0f) : refracted_down(sun);
    set4(f->light_down, down.x, down.y, down.z, 1.0f);
    if (is_bars) {
        set4(f->sun_color, 2.0f, 1.92f, 1.80f, 0);
        set4(f->sky_color, 0.95f, 1.00f, 1.08f, 0);
        set4(f->ground_color, 0.50f, 0.49f, 0.48f, 0);
        set4(f->haze_color, 1.75f, 1.76f, 1.77f, 1.0f);
    } else {
        set4(f->sun_color, 2.75f, 2.55f, 2.20f, 0);
        set4(f->sky_color, 0.40f, 0.54f, 0.74f, 0);
        set4(f->ground_color, 0.26f, 0.25f, 0.23f, 0);
        set4(f->haze_color, 0.38f, 0.67f, 1.10f, 0.0f);
    }
    set4(f->basin, s->x0, s->z0, s->x1 - s->x0, s->z1 - s->z0);
    set4(f->levels, s->rest, s->bottom, s->rim_top, r->depth);
    set4(f->water_color, frame->water_color.x, frame->water_color.y, frame->water_color.z, 0.80f);
    tarn__absorption(frame, f->absorb);
    f->absorb[3] = 0.010f + 0.0032f * side;
    float ripple = s->has_terrain ? 0.06f : 0.02f;
    set4(f->scale, 16.0f * round_size(side / 34.0f),
         4.0f * round_size(fminf(side / 9.0f, 1.2f + 0.015f * side)), 0.12f * powf(side, 0.8f),
         ripple);
    for (int i = 0; i < 4; ++i) f->open_side[i] = s->is_open[i] ? 1.0f : 0.0f;
    tarn__sky(frame, f);
}
