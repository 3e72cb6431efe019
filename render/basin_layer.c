// A basin: its fields, its shape with the meshes around it, and the constants of its shaders.

#include "renderer.h"
#include <string.h>

// ---- Fields ------------------------------------------------------------------------------------

static TarnResult fit_field(TarnRenderer* r, const TarnFrameWater* w)
{
    if (r->basin->nx == w->height.nx && r->basin->nz == w->height.nz) return TARN_OK;
    r->basin->nx = r->basin->nz = 0;
    TARN_TRY(tarn__field_resize(r->ctx, &r->basin->field, w->height.nx, w->height.nz));
    r->basin->nx = w->height.nx;
    r->basin->nz = w->height.nz;
    r->basin->is_built = false;
    GLuint old[] = { r->basin->surface, r->basin->bed, r->basin->foam };
    glDeleteTextures(3, old);
    r->basin->surface = tarn__texture_create(r->basin->field.nx, r->basin->field.nz, GL_RGBA32F,
                                             GL_RGBA, GL_FLOAT, NULL, true, GL_MIRRORED_REPEAT);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 5);
    r->basin->bed =
        tarn__texture_create(1, 1, GL_RGBA32F, GL_RGBA, GL_FLOAT, NULL, false, GL_CLAMP_TO_EDGE);
    r->basin->foam =
        tarn__texture_create(1, 1, GL_R8, GL_RED, GL_UNSIGNED_BYTE, NULL, false, GL_CLAMP_TO_EDGE);
    return TARN_OK;
}

static void upload_field(TarnRenderer* r, const TarnFrameWater* w)
{
    const Field* f = &r->basin->field;
    glBindTexture(GL_TEXTURE_2D, r->basin->surface);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, f->nx, f->nz, GL_RGBA, GL_FLOAT, f->surface);
    glGenerateMipmap(GL_TEXTURE_2D);
    const float flat[4] = { w->bed_level - w->rest_level, 0, 0, 0 };
    glBindTexture(GL_TEXTURE_2D, r->basin->bed);
    bool is_field = w->bed.data || f->has_walls;
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA32F, is_field ? f->nx : 1, is_field ? f->nz : 1, 0,
                 GL_RGBA, GL_FLOAT, is_field ? f->bed : flat);
    if (!w->foam.data) return;
    glBindTexture(GL_TEXTURE_2D, r->basin->foam);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_R8, f->nx / f->fine, f->nz / f->fine, 0, GL_RED,
                 GL_UNSIGNED_BYTE, f->foam);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
}

TarnResult tarn__basin_prepare(TarnRenderer* r, const TarnFrame* frame, const TarnFrameWater* w)
{
    Basin* b = r->basin;
    if (frame->mode != TARN_RENDER_BARS) TARN_TRY(tarn__basin_textures(r->ctx, &r->materials));
    TARN_TRY(fit_field(r, w));
    tarn__field_update(&b->field, w);
    upload_field(r, w);
    b->depth = tarn__mean_depth(w);
    b->has_foam = w->foam.data != NULL;
    TARN_TRY(tarn__basin_shape(r, w));
    return b->has_foam ? tarn__foam_program(r, b->shape.has_terrain) : TARN_OK;
}

void tarn__basin_destroy(Basin* b)
{
    Mesh* meshes[] = { &b->plan, &b->terrain, &b->pool, &b->coping, &b->deck, &b->quay, &b->walls };
    for (int i = 0; i < 7; ++i) tarn__mesh_destroy(meshes[i]);
    GLuint textures[] = { b->surface, b->bed, b->foam, b->bars };
    glDeleteTextures(4, textures);
}

void tarn__basin_bind(const TarnRenderer* r)
{
    tarn__bind_texture(r, SLOT_SURFACE, r->basin->surface);
    tarn__bind_texture(r, SLOT_BED, r->basin->bed);
    tarn__bind_texture(r, SLOT_FOAM, r->basin->foam);
}

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
    float relief = r->basin->field.bed_max - r->basin->field.bed_min;
    bool is_varied = w->bed.data && relief > 0.01f * tarn__mean_depth(w);
    s.has_terrain = is_varied || is_any_open || r->basin->field.has_walls;
    Edges edges = closed_edges(&r->basin->field, w->has_rim);
    s.is_natural = is_varied && edges.land > 0.5f;
    s.plain = fmaxf(edges.height, 0.01f * side);
    s.bottom = s.rest + r->basin->field.bed_min;
    float freeboard = 0.042f * sqrtf(side);
    if (w->is_wall && w->wall_top > s.rest)
        freeboard = fmaxf(w->wall_top - s.rest, 0.3f * freeboard);
    s.rim_top = s.rest + freeboard;
    s.deck = s.rim_top - 0.2f * fminf(freeboard, 0.042f * sqrtf(side));
    s.coping = 0.06f * sqrtf(side) + 0.008f * side;
    s.far = 10.0f * side;
    s.is_block = w->is_block || r->ground == GROUND_LAND;
    if (s.is_block) { // its walls go down to what it stands on
        s.deck = s.bottom - 0.3f * s.coping;
        s.far = 2.0f * side;
        s.is_natural = false;
    }
    return s;
}

static void no_deck(MeshData* data, const BasinShape* shape)
{
    (void)data, (void)shape;
}

static TarnResult rebuild(TarnRenderer* r, void (*build)(MeshData*, const BasinShape*), Mesh* mesh)
{
    MeshData data = { .ctx = r->ctx };
    build(&data, &r->basin->shape);
    TarnResult result = tarn__mesh_upload(&data, mesh);
    tarn__mesh_free(&data);
    return result;
}

static TarnResult rebuild_plan(TarnRenderer* r, int most, const bool is_open[4], Mesh* mesh)
{
    MeshData data = { .ctx = r->ctx };
    const BasinShape* s = &r->basin->shape;
    float wx = s->x1 - s->x0, wz = s->z1 - s->z0;
    float longer = fmaxf(wx, wz);
    int nx = mini(r->basin->field.nx, maxi((int)(most * wx / longer), 8));
    int nz = mini(r->basin->field.nz, maxi((int)(most * wz / longer), 8));
    tarn__build_plan(&data, nx, nz, is_open, s->far / fminf(wx, wz));
    TarnResult result = tarn__mesh_upload(&data, mesh);
    tarn__mesh_free(&data);
    return result;
}

TarnResult tarn__basin_shape(TarnRenderer* r, const TarnFrameWater* w)
{
    BasinShape shape = shape_of(r, w);
    if (!r->basin->is_built || memcmp(&shape, &r->basin->shape, sizeof shape) != 0) {
        r->basin->is_built = false;
        r->basin->shape = shape;
        const bool all_open[4] = { true, true, true, true };
        const bool* is_open = shape.is_natural ? all_open : shape.is_open;
        TARN_TRY(rebuild(r, tarn__build_pool, &r->basin->pool));
        TARN_TRY(rebuild(r, tarn__build_coping, &r->basin->coping));
        TARN_TRY(rebuild(r, shape.is_block ? no_deck : tarn__build_deck, &r->basin->deck));
        TARN_TRY(rebuild(r, tarn__build_quay, &r->basin->quay));
        TARN_TRY(rebuild_plan(r, MAX_PLAN, is_open, &r->basin->plan));
        int terrain =
            r->basin->field.bed_max > r->basin->field.bed_min ? MAX_TERRAIN : MAX_TERRAIN / 2;
        TARN_TRY(rebuild_plan(r, terrain, is_open, &r->basin->terrain));
        r->basin->field.is_wall_changed = true;
        r->basin->is_built = true;
    }
    if (r->basin->wall_top != w->wall_top) r->basin->field.is_wall_changed = true;
    if (!r->basin->field.is_wall_changed) return TARN_OK;
    MeshData data = { .ctx = r->ctx };
    int fine = r->basin->field.fine;
    if (r->basin->field.has_walls)
        tarn__build_walls(&data, r->basin->field.mask, r->basin->field.nx / fine,
                          r->basin->field.nz / fine, &r->basin->shape, w->wall_top);
    TarnResult result = tarn__mesh_upload(&data, &r->basin->walls);
    tarn__mesh_free(&data);
    r->basin->field.is_wall_changed = result != TARN_OK;
    r->basin->wall_top = w->wall_top;
    return result;
}

// ---- Constants ---------------------------------------------------------------------------------

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

// Per channel: the color that water has is the one it absorbs least.
void tarn__absorption(TarnVec3 color, float clarity, float to[3])
{
    float c[3] = { color.x, color.y, color.z };
    float most = fmaxf(fmaxf(c[0], c[1]), fmaxf(c[2], 1e-4f)), sum = 0.0f;
    for (int i = 0; i < 3; ++i) {
        to[i] = 1.75f - 1.25f * clampf(c[i] / most, 0.0f, 1.0f);
        sum += to[i];
    }
    for (int i = 0; i < 3; ++i) to[i] *= 1.1f * 3.0f / (sum * clarity);
}

static float side_of(const BasinShape* s)
{
    return fmaxf(s->x1 - s->x0, s->z1 - s->z0);
}

void tarn__basin_reach(const TarnRenderer* r, float distance, float* near, float* far)
{
    float side = side_of(&r->basin->shape);
    *near = clampf(0.012f * distance, 0.002f * side, 0.1f * side);
    *far = distance + 1.6f * r->basin->shape.far;
}

void tarn__basin_box(const TarnRenderer* r, const TarnFrame* frame, const TarnFrameWater* w,
                     TarnVec3* lo, TarnVec3* hi)
{
    const BasinShape* s = &r->basin->shape;
    bool is_bars = frame->mode == TARN_RENDER_BARS;
    float high = s->rim_top, m = s->coping * 1.1f;
    if (r->basin->field.has_walls) high = fmaxf(high, w->wall_top);
    for (int i = 0; i < r->n_body_draws; ++i)
        high = fmaxf(high, fminf(r->body_draws[i].high, s->rest + side_of(s)));
    if (is_bars) high = fmaxf(high, s->rest + r->basin->depth);
    float low = is_bars || s->is_block ? s->bottom : s->rest;
    *lo = vec3(s->x0 - m, low, s->z0 - m);
    *hi = vec3(s->x1 + m, high, s->z1 + m);
}

void tarn__basin_constants(TarnRenderer* r, const TarnFrame* frame, const TarnFrameWater* w)
{
    FrameBlock* f = &r->basin->block;
    const BasinShape* s = &r->basin->shape;
    float side = side_of(s);
    *f = r->common;
    Mat4 mirror = mat4_mirror_y(s->rest);
    f->mirror_view_proj = mat4_mul(&f->view_proj, &mirror);
    if (frame->mode != TARN_RENDER_BARS) {
        TarnVec3 down = refracted_down(vec3(f->sun[0], f->sun[1], f->sun[2]));
        tarn__set4(f->light_down, down.x, down.y, down.z, 1.0f);
    }
    f->fog[2] = s->is_natural ? 1.0f : 0.0f;
    f->fog[3] = s->plain;
    tarn__set4(f->basin, s->x0, s->z0, s->x1 - s->x0, s->z1 - s->z0);
    tarn__set4(f->levels, s->rest, s->bottom, s->rim_top, r->basin->depth);
    bool is_own = w->clarity > 0.0f;
    TarnVec3 color = is_own ? w->water_color : frame->water_color;
    tarn__set4(f->water_color, color.x, color.y, color.z, f->water_color[3]);
    tarn__absorption(color, is_own ? w->clarity : frame->clarity, f->absorb);
    f->absorb[3] = 0.010f + 0.0032f * side;
    float ripple = s->has_terrain ? 0.06f : 0.02f;
    tarn__set4(f->scale, 16.0f * round_size(side / 34.0f),
               4.0f * round_size(fminf(side / 9.0f, 1.2f + 0.015f * side)),
               0.12f * powf(side, 0.8f), ripple);
    for (int i = 0; i < 4; ++i) f->open_side[i] = s->is_open[i] ? 1.0f : 0.0f;
}
