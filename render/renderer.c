// The API of the renderer. The passes are in passes.c, the lighting in shaders_*.h.

#include "renderer.h"
#include <stdio.h>
#include <string.h>

// ---- Checks ------------------------------------------------------------------------------------

// Farther away, lengths and products of matrices exceed the range of floats.
static const float too_far = 1e9f; // [m]

static TarnResult check_place(TarnContext* ctx, int i, const TarnFrameWater* w,
                              const TarnView2* grid)
{
    if (!(w->dx > 1e-6f && w->dx < 1e6f))
        return tarn__fail(ctx, TARN_ERR_ARG, "frame.waters[%d].dx is %g m; allowed: 1e-6 to 1e6", i,
                          (double)w->dx);
    float x = w->origin.x, z = w->origin.y;
    if (!(fabsf(x) < too_far && fabsf(z) < too_far && fabsf(w->rest_level) < too_far))
        return tarn__fail(
            ctx, TARN_ERR_ARG,
            "frame.waters[%d]: origin (%g, %g) and rest_level (%g) must be within 1e9 m", i,
            (double)x, (double)z, (double)w->rest_level);
    if (!(x + w->dx * (float)grid->nx > x) || !(z + w->dx * (float)grid->nz > z))
        return tarn__fail(
            ctx, TARN_ERR_ARG,
            "frame.waters[%d]: floats cannot tell %d x %d cells of dx %g m apart so far "
            "away (origin %g, %g); move the origin",
            i, grid->nx, grid->nz, (double)w->dx, (double)x, (double)z);
    return TARN_OK;
}

static TarnResult check_land(TarnContext* ctx, int index, const TarnFrameWater* w)
{
    const TarnFrameLand* l = &w->land;
    const struct {
        const char* name;
        const TarnView2* view;
        int faces_x, faces_z; // how much larger it may be
    } list[] = {
        { "ground", &l->ground, 0, 0 },
        { "depth", &l->depth, 0, 0 },
        { "velocity_x", &l->velocity_x, 1, 0 },
        { "velocity_z", &l->velocity_z, 0, 1 },
        { "foam", &l->foam, 0, 0 },
        { "sediment", &l->sediment, 0, 0 },
        { "soil", &l->soil, 0, 0 },
    };
    int nx = l->ground.nx, nz = l->ground.nz;
    if (nx < 2 || nz < 2 || nx > 16384 || nz > 16384)
        return tarn__fail(
            ctx, TARN_ERR_ARG,
            "frame.waters[%d].land.ground is %d x %d; allowed are 2 to 16384 per side", index, nx,
            nz);
    for (int i = 0; i < (int)(sizeof list / sizeof *list); ++i) {
        const TarnView2* v = list[i].view;
        if (!v->data) continue;
        bool is_x = v->nx == nx || v->nx == nx + list[i].faces_x;
        bool is_z = v->nz == nz || v->nz == nz + list[i].faces_z;
        if (!is_x || !is_z || v->stride < v->nx)
            return tarn__fail(
                ctx, TARN_ERR_ARG,
                "frame.waters[%d].land.%s is %d x %d with stride %d; it must have the size "
                "of ground (%d x %d), or data NULL",
                index, list[i].name, v->nx, v->nz, v->stride, nx, nz);
    }
    if (!(l->sand >= 0.0f) || !isfinite(l->sand))
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "frame.waters[%d].land.sand is %g m; it must be finite and >= 0", index,
                          (double)l->sand);
    return check_place(ctx, index, w, &l->ground);
}

static TarnResult check_water(TarnContext* ctx, int index, const TarnFrameWater* w)
{
    TARN_TRY(tarn__check_waves(ctx, "frame.waters", &w->waves));
    if (w->sheets) TARN_TRY(tarn__check_mesh(ctx, "waters[].sheets", w->sheets));
    if (w->land.ground.data) return check_land(ctx, index, w);
    const TarnView2 *h = &w->height, *b = &w->bed, *foam = &w->foam;
    if (!h->data)
        return tarn__fail(ctx, TARN_ERR_ARG, "frame.waters[%d].height.data is NULL", index);
    if (h->nx < 2 || h->nz < 2 || h->nx > 16384 || h->nz > 16384 || h->stride < h->nx)
        return tarn__fail(
            ctx, TARN_ERR_ARG,
            "frame.waters[%d].height is %d x %d with stride %d; allowed are 2 to 16384 per "
            "side and a stride of at least nx",
            index, h->nx, h->nz, h->stride);
    if (b->data && (b->nx != h->nx || b->nz != h->nz || b->stride < b->nx))
        return tarn__fail(
            ctx, TARN_ERR_ARG,
            "frame.waters[%d].bed is %d x %d with stride %d; it must have the size of "
            "height (%d x %d), or data NULL for a flat floor",
            index, b->nx, b->nz, b->stride, h->nx, h->nz);
    if (foam->data && (foam->nx != h->nx || foam->nz != h->nz || foam->stride < foam->nx))
        return tarn__fail(
            ctx, TARN_ERR_ARG,
            "frame.waters[%d].foam is %d x %d with stride %d; it must have the size of "
            "height (%d x %d), or data NULL for none",
            index, foam->nx, foam->nz, foam->stride, h->nx, h->nz);
    if (!isfinite(w->bed_level) || (w->is_wall && !isfinite(w->wall_top)))
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "frame.waters[%d]: bed_level or wall_top is not finite", index);
    if (!vec3_is_finite(w->water_color) || !(w->clarity >= 0.0f) || !isfinite(w->clarity))
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "frame.waters[%d]: water_color must be finite, clarity (%g m) >= 0",
                          index, (double)w->clarity);
    return check_place(ctx, index, w, h);
}

static TarnResult check_body(TarnContext* ctx, const char* list, const TarnFrameBody* b, int i)
{
    char owner[48];
    snprintf(owner, sizeof owner, "frame.%s[%d]", list, i);
    TARN_TRY(tarn__shape_check_kind(ctx, owner, b->shape.kind, SHAPES_OF_FRAMES));
    TarnQuat q = b->rotation;
    if (!vec3_is_finite(b->position) || !isfinite(q.x + q.y + q.z + q.w) ||
        !vec3_is_finite(b->color))
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "frame.%s[%d]: position, rotation or color is not finite", list, i);
    const float glow[3] = { b->glow.x, b->glow.y, b->glow.z };
    for (int c = 0; c < 3; ++c)
        if (!(glow[c] >= 0.0f && glow[c] <= 1e4f))
            return tarn__fail(ctx, TARN_ERR_ARG,
                              "frame.%s[%d].glow is (%g, %g, %g); allowed: 0 to 1e4", list, i,
                              (double)glow[0], (double)glow[1], (double)glow[2]);
    if (b->shape.kind != TARN_SHAPE_MESH) {
        bool is_ok = vec3_is_finite(b->shape.size) && b->shape.size.x > 0.0f;
        if (b->shape.kind == TARN_SHAPE_BOX)
            is_ok = is_ok && b->shape.size.y > 0.0f && b->shape.size.z > 0.0f;
        if (b->shape.kind == TARN_SHAPE_CAPSULE) is_ok = is_ok && b->shape.size.y >= 0.0f;
        if (is_ok) return TARN_OK;
        return tarn__fail(ctx, TARN_ERR_ARG, "frame.%s[%d].size is (%g, %g, %g); must be > 0", list,
                          i, (double)b->shape.size.x, (double)b->shape.size.y,
                          (double)b->shape.size.z);
    }
    if (!b->shape.points || !b->shape.triangles || b->shape.n_points < 3 ||
        b->shape.n_triangles < 1)
        return tarn__fail(ctx, TARN_ERR_ARG, "frame.%s[%d]: a mesh needs vertices and triangles",
                          list, i);
    for (int t = 0; t < 3 * b->shape.n_triangles; ++t)
        if (b->shape.triangles[t] < 0 || b->shape.triangles[t] >= b->shape.n_points)
            return tarn__fail(ctx, TARN_ERR_ARG,
                              "frame.%s[%d].triangles[%d] is %d; allowed: 0 to %d", list, i, t,
                              b->shape.triangles[t], b->shape.n_points - 1);
    return TARN_OK;
}

static TarnResult check_bodies(TarnContext* ctx, const char* list, const TarnFrameBody* b, int n)
{
    if (n < 0 || (n > 0 && !b))
        return tarn__fail(ctx, TARN_ERR_ARG, "frame.n_%s is %d with %s %s", list, n, list,
                          b ? "given" : "NULL");
    for (int i = 0; i < n; ++i) TARN_TRY(check_body(ctx, list, &b[i], i));
    return TARN_OK;
}

static TarnResult check_count(TarnContext* ctx, const char* name, const void* list, int n, int most)
{
    if (n >= 0 && n <= most && (n == 0 || list)) return TARN_OK;
    return tarn__fail(ctx, TARN_ERR_ARG, "frame.n_%s is %d with %s %s; allowed: 0 to %d", name, n,
                      name, list ? "given" : "NULL", most);
}

static TarnResult check_counts(TarnContext* ctx, const TarnFrame* f)
{
    TARN_TRY(check_count(ctx, "waters", f->waters, f->n_waters, TARN_FRAME_MAX_WATERS));
    TARN_TRY(check_count(ctx, "liquids", f->liquids, f->n_liquids, TARN_FRAME_MAX_LIQUIDS));
    TARN_TRY(check_count(ctx, "particles", f->particles, f->n_particles, TARN_FRAME_MAX_PARTICLES));
    TARN_TRY(check_count(ctx, "gases", f->gases, f->n_gases, TARN_FRAME_MAX_GASES));
    return TARN_OK;
}

static TarnResult check_frame(TarnContext* ctx, const TarnFrame* f)
{
    if (f->lines.n < 0 || (f->lines.n > 0 && (!f->lines.points || !f->lines.colors)))
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "frame.lines.n is %d; allowed: 0 and more, with points and colors",
                          f->lines.n);
    if (f->mode != TARN_RENDER_WATER && f->mode != TARN_RENDER_BARS)
        return tarn__fail(ctx, TARN_ERR_ARG, "frame.mode is %d, not a TarnRenderMode",
                          (int)f->mode);
    TARN_TRY(check_counts(ctx, f));
    TARN_TRY(tarn__check_stage(ctx, f));
    TARN_TRY(tarn__check_sky(ctx, &f->sky));
    for (int i = 0; i < f->n_waters; ++i) TARN_TRY(check_water(ctx, i, &f->waters[i]));
    TARN_TRY(check_bodies(ctx, "bodies", f->bodies, f->n_bodies));
    TARN_TRY(check_bodies(ctx, "solids", f->solids, f->n_solids));
    int n = f->n_waters + f->n_liquids + f->n_particles + f->n_gases;
    if (f->sea) TARN_TRY(tarn__check_sea(ctx, f->sea));
    n += f->sea != NULL;
    if (n + f->n_bodies + f->n_solids + f->n_meshes == 0)
        return tarn__fail(
            ctx, TARN_ERR_ARG,
            "frame: it shows nothing; give it waters, a sea, liquids, particles, gases, "
            "bodies, solids or meshes");
    const TarnCamera* c = &f->camera;
    if (!(vec3_length(c->eye) < too_far) || !(vec3_length(c->target) < too_far) ||
        !(vec3_length(vec3_sub(c->target, c->eye)) > 0.0f))
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "frame.camera: eye and target must be within 1e9 m and apart "
                          "(tarn_frame_defaults sets a good camera)");
    if (!(c->fov > 0.01f && c->fov < 3.1f))
        return tarn__fail(ctx, TARN_ERR_ARG, "frame.camera.fov is %g; allowed: 0.01 to 3.1 radians",
                          (double)c->fov);
    if (!vec3_is_finite(f->water_color) || !(f->clarity > 0.0f) || !isfinite(f->clarity) ||
        !isfinite(f->time))
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "frame: water_color and time must be finite, clarity (%g m) > 0",
                          (double)f->clarity);
    return TARN_OK;
}

// ---- Life --------------------------------------------------------------------------------------

static TarnResult create_targets(TarnRenderer* r)
{
    int w = r->width, h = r->height;
    int qw = maxi(w / 4, 1), qh = maxi(h / 4, 1);
    const struct {
        Target* target;
        TargetDef def;
    } list[] = {
        { &r->output, { w, h, 0, { GL_RGBA8 }, false, false } },
        { &r->glow[0], { qw, qh, 0, { GL_RGBA8 }, false, false } },
        { &r->glow[1], { qw, qh, 0, { GL_RGBA8 }, false, false } },
        { &r->under, { w, h, 0, { GL_RGBA16F }, true, false } },
        { &r->mirror, { maxi(w / 2, 1), maxi(h / 2, 1), 0, { GL_RGBA16F, GL_R16F }, true, true } },
        { &r->water_depth, { w, h, 0, { GL_RGBA8 }, true, true } },
        { &r->shadow, { SHADOW_SIDE, SHADOW_SIDE, 0, { GL_RG32F }, true, false } },
        { &r->soft_shadow, { SHADOW_SIDE, SHADOW_SIDE, 0, { GL_RG32F }, false, false } },
        { &r->caustics[0], { CAUSTICS_SIDE, CAUSTICS_SIDE, 0, { GL_R16F }, false, false } },
        { &r->caustics[1], { CAUSTICS_SIDE, CAUSTICS_SIDE, 0, { GL_R16F }, false, false } },
        { &r->sky, { SKY_SIDE, SKY_SIDE, 0, { GL_RGBA16F }, false, false } },
    };
    for (int i = 0; i < (int)(sizeof list / sizeof *list); ++i)
        TARN_TRY(tarn__target_create(r->ctx, &list[i].def, list[i].target));
    TARN_TRY(tarn__mirror_create(r));
    return tarn__canvas_create(r);
}

static TarnResult create_body_meshes(TarnRenderer* r)
{
    MeshData data = { .ctx = r->ctx };
    const struct {
        void (*build)(MeshData*);
        Mesh* mesh;
    } list[] = {
        { tarn__build_sphere, &r->sphere },
        { tarn__build_box, &r->box },
        { tarn__build_capsule, &r->capsule },
    };
    TarnResult result = TARN_OK;
    for (int i = 0; i < 3 && result == TARN_OK; ++i) {
        list[i].build(&data);
        result = tarn__mesh_upload(&data, list[i].mesh);
        tarn__mesh_free(&data);
    }
    // A bar: the five sides of a box that can be seen.
    for (int side = 0; side < 5; ++side) {
        TarnVec3 n = side < 2   ? vec3(side ? 1.0f : -1.0f, 0, 0)
                     : side < 4 ? vec3(0, 0, side & 1 ? 1.0f : -1.0f)
                                : vec3(0, 1, 0);
        TarnVec3 u = side < 2 ? vec3(0, 0, 2) : vec3(2, 0, 0);
        TarnVec3 v = side < 4 ? vec3(0, 2, 0) : vec3(0, 0, 2);
        TarnVec3 corner = vec3_sub(n, vec3_scale(vec3_add(u, v), 0.5f));
        tarn__mesh_grid(&data, corner, u, v, 1, 1, n);
    }
    if (result == TARN_OK) result = tarn__mesh_upload(&data, &r->bar);
    tarn__mesh_free(&data);
    bool closed[4] = { false };
    tarn__build_plan(&data, CAUSTICS_PLAN, CAUSTICS_PLAN, closed, 0.0f);
    if (result == TARN_OK) result = tarn__mesh_upload(&data, &r->caustic_plan);
    tarn__mesh_free(&data);
    return result;
}

// Makes our own context current; the host's is, by contract.
static bool bind_context(const TarnRenderer* r)
{
    return !r->platform || tarn__platform_bind(r->platform);
}

static TarnResult create_parts(TarnRenderer* r)
{
    TARN_TRY(tarn__gl_check(r->ctx));
    r->has_gl = true;
    tarn__gl_reset();
    GLint limit = 0;
    glGetIntegerv(GL_MAX_RENDERBUFFER_SIZE, &limit);
    if (r->width > limit || r->height > limit)
        return tarn__fail(r->ctx, TARN_ERR_ARG,
                          "renderer: a picture of %d x %d is larger than this driver's %d per side",
                          r->width, r->height, limit);
    TARN_TRY(create_targets(r));
    TARN_TRY(tarn__textures_create(r->ctx, &r->materials));
    TARN_TRY(create_body_meshes(r));
    if (!r->shelf) TARN_TRY(tarn__shelf_create(r->ctx, &r->shelf));
    TARN_TRY(tarn__renderer_programs(r));
    glGenBuffers(1, &r->frame_buffer);
    glBindBuffer(GL_UNIFORM_BUFFER, r->frame_buffer);
    glBufferData(GL_UNIFORM_BUFFER, sizeof(FrameBlock), NULL, GL_DYNAMIC_DRAW);
    glGenVertexArrays(1, &r->empty.vao);
    r->pixels = tarn__alloc(r->ctx, (size_t)r->width * (size_t)r->height * 4);
    r->bar_data = tarn__alloc(r->ctx, sizeof(float) * 4 * MAX_BARS * MAX_BARS);
    if (!r->pixels || !r->bar_data)
        return tarn__fail(r->ctx, TARN_ERR_MEMORY, "renderer: no memory for a picture of %d x %d",
                          r->width, r->height);
    return TARN_OK;
}

// A renderer without anything in it.
static TarnResult begin_create(TarnContext* ctx, const char* name, int width, int height,
                               TarnRenderer** out)
{
    if (width < 16 || height < 16 || width > 16384 || height > 16384)
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "%s: a picture of %d x %d; allowed: 16 to 16384 per side", name, width,
                          height);
    TarnRenderer* r = tarn__alloc(ctx, sizeof *r);
    if (!r) return tarn__fail(ctx, TARN_ERR_MEMORY, "%s: no memory", name);
    memset(r, 0, sizeof *r);
    r->ctx = ctx;
    r->bound = &r->slots;
    r->width = width;
    r->height = height;
    *out = r;
    return TARN_OK;
}

static TarnResult create(TarnContext* ctx, const char* name, int width, int height, bool is_here,
                         TarnRenderer** out)
{
    TarnRenderer* r = NULL;
    if (!out) return tarn__fail(ctx, TARN_ERR_ARG, "%s: out is NULL", name);
    *out = NULL;
    TARN_TRY(begin_create(ctx, name, width, height, &r));
    TarnResult result = is_here ? TARN_OK : tarn__platform_create(ctx, &r->platform);
    if (result == TARN_OK && !bind_context(r))
        result = tarn__fail(ctx, TARN_ERR_UNSUPPORTED,
                            "renderer: the GL context cannot be made current without a surface");
    if (result == TARN_OK) result = create_parts(r);
    if (r->has_gl) tarn__gl_reset();
    if (result == TARN_OK)
        *out = r;
    else
        tarn_renderer_destroy(r);
    return result;
}

TarnResult tarn_renderer_create(TarnContext* ctx, int width, int height, TarnRenderer** out)
{
    return create(ctx, "tarn_renderer_create", width, height, false, out);
}

TarnResult tarn_renderer_create_in_current_context(TarnContext* ctx, int width, int height,
                                                   TarnRenderer** out)
{
    return create(ctx, "tarn_renderer_create_in_current_context", width, height, true, out);
}

// Everything but programs, textures of materials and context is made anew and takes the place of the old when all of it has worked.
TarnResult tarn_renderer_resize(TarnRenderer* r, int width, int height)
{
    TarnRenderer* fresh = NULL;
    if (!r) return TARN_ERR_ARG;
    if (width == r->width && height == r->height) return TARN_OK;
    TARN_TRY(begin_create(r->ctx, "tarn_renderer_resize", width, height, &fresh));
    fresh->platform = r->platform;
    fresh->shelf = r->shelf;
    fresh->materials = r->materials;
    fresh->timing.is_on = r->timing.is_on;
    tarn__shelf_take(r->shelf, false);
    TarnResult result = bind_context(r) ? create_parts(fresh)
                                        : tarn__fail(r->ctx, TARN_ERR_UNSUPPORTED,
                                                     "renderer: the GL context is in use by "
                                                     "another thread");
    if (result == TARN_OK) {
        TarnRenderer old = *r;
        *r = *fresh, *fresh = old;
        r->bound = &r->slots, fresh->bound = &fresh->slots;
    } else {
        tarn__shelf_take(r->shelf, true);
    }
    fresh->platform = NULL, fresh->shelf = NULL, fresh->materials = (MaterialTextures){ 0 }; // stay
    tarn_renderer_destroy(fresh);
    if (result == TARN_OK) tarn__gl_reset();
    return result;
}

static void destroy_gl(TarnRenderer* r)
{
    Target* targets[] = { &r->output, &r->glow[0],     &r->glow[1],     &r->under,
                          &r->mirror, &r->shadow,      &r->caustics[0], &r->caustics[1],
                          &r->sky,    &r->water_depth, &r->soft_shadow };
    for (int i = 0; i < (int)(sizeof targets / sizeof *targets); ++i)
        tarn__target_destroy(targets[i]);
    Mesh* meshes[] = { &r->sphere, &r->box, &r->capsule, &r->bar, &r->caustic_plan, &r->empty };
    for (int i = 0; i < (int)(sizeof meshes / sizeof *meshes); ++i) tarn__mesh_destroy(meshes[i]);
    for (int i = 0; i < r->n_body_meshes; ++i) tarn__mesh_destroy(&r->body_meshes[i]);
    tarn__canvas_destroy(r);
    glDeleteFramebuffers(2, r->mirror_fbo);
    tarn__lines_destroy(r);
    tarn__dive_destroy(r);
    tarn__land_destroy(r);
    tarn__sea_destroy(r);
    tarn__liquid_destroy(r);
    tarn__gas_destroy(r);
    tarn__textures_destroy(&r->materials);
    for (int i = 0; i < TARN_FRAME_MAX_WATERS; ++i) tarn__basin_destroy(&r->basins[i]);
    glDeleteBuffers(1, &r->frame_buffer);
}

void tarn_renderer_destroy(TarnRenderer* r)
{
    if (!r) return;
    TarnContext* ctx = r->ctx;
    bool is_current = r->has_gl && bind_context(r);
    if (is_current) destroy_gl(r);
    tarn__shelf_destroy(r->shelf, is_current);
    tarn__platform_destroy(ctx, r->platform);
    for (int i = 0; i < TARN_FRAME_MAX_WATERS; ++i) {
        tarn__field_free(ctx, &r->basins[i].field);
        tarn__land_free(ctx, &r->lands[i]);
    }
    tarn__liquid_free(ctx, &r->liquid);
    tarn__gas_free(ctx, &r->gas);
    tarn__free(ctx, r->body_meshes, (size_t)r->body_capacity * sizeof(Mesh));
    tarn__free(ctx, r->body_draws, (size_t)r->body_capacity * sizeof(BodyDraw));
    tarn__free(ctx, r->bar_data, sizeof(float) * 4 * MAX_BARS * MAX_BARS);
    tarn__free(ctx, r->pixels, (size_t)r->width * (size_t)r->height * 4);
    tarn__free(ctx, r, sizeof *r);
}

// ---- Drawing -----------------------------------------------------------------------------------

static TarnResult draw(TarnRenderer* r, const TarnFrame* frame)
{
    r->timing = (Timing){ .is_on = r->timing.is_on };
    if (r->timing.is_on) tarn__layer(r, LAYER_SETUP);
    r->timing.ms[LAYER_SETUP] = 0.0; // it began just now
    TarnResult result = tarn__layers_draw(r, frame);
    if (result == TARN_OK) result = tarn__lines_draw(r, frame);
    tarn__layer(r, LAYER_SETUP);
    return result;
}

static TarnResult begin(TarnRenderer* r, const TarnFrame* frame)
{
    TARN_TRY(check_frame(r->ctx, frame));
    if (!bind_context(r))
        return tarn__fail(r->ctx, TARN_ERR_UNSUPPORTED,
                          "renderer: the GL context is in use by another thread");
    for (int i = 0; i < 16 && glGetError() != GL_NO_ERROR; ++i) {} // the host's own
    tarn__gl_reset();
    r->shelf->result = TARN_OK;
    return TARN_OK;
}

// Leaves the context as tarn_renderer_draw_to promises.
static TarnResult finish(TarnRenderer* r, TarnResult result)
{
    GLenum error = glGetError();
    tarn__slots_clear(r);
    glBindBufferBase(GL_UNIFORM_BUFFER, 0, 0);
    tarn__gl_reset();
    if (result == TARN_OK) result = r->shelf->result;
    if (result != TARN_OK || error == GL_NO_ERROR) return result;
    return tarn__fail(r->ctx, TARN_ERR_UNSUPPORTED, "renderer: GL error 0x%04x while drawing",
                      error);
}

TarnResult tarn_renderer_draw(TarnRenderer* r, const TarnFrame* frame, uint8_t* rgb)
{
    if (!r) return TARN_ERR_ARG;
    if (!frame || !rgb)
        return tarn__fail(r->ctx, TARN_ERR_ARG, "tarn_renderer_draw: frame or rgb is NULL");
    TARN_TRY(begin(r, frame));
    TarnResult result = draw(r, frame);
    if (result == TARN_OK) {
        tarn__target_bind(&r->output);
        glReadPixels(0, 0, r->width, r->height, GL_RGBA, GL_UNSIGNED_BYTE, r->pixels);
    }
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    TARN_TRY(finish(r, result));
    tarn__read_out(r->pixels, r->width, r->height, rgb);
    return TARN_OK;
}

// What is behind shows through: the share of it that a brighter background adds is what is not covered. Colors are
// divided by the rest, so that the picture over black and over this gray is what was drawn before them.
static void cut_out(const uint8_t* black, const uint8_t* gray, int level, uint8_t* rgba, size_t n)
{
    for (size_t i = 0; i < n; ++i, black += 3, gray += 3, rgba += 4) {
        int more = 0;
        for (int c = 0; c < 3; ++c) more += gray[c] - black[c];
        float alpha = clampf(1.0f - (float)more / (3.0f * (float)level), 0.0f, 1.0f);
        if (alpha > 0.985f) alpha = 1.0f; // rounding of the two pictures
        if (alpha < 0.015f) alpha = 0.0f;
        for (int c = 0; c < 3; ++c)
            rgba[c] =
                alpha > 0.0f ? (uint8_t)clampf((float)black[c] / alpha + 0.5f, 0.0f, 255.0f) : 0;
        rgba[3] = (uint8_t)(255.0f * alpha + 0.5f);
    }
}

TarnResult tarn_renderer_draw_rgba(TarnRenderer* r, const TarnFrame* frame, uint8_t* rgba)
{
    if (!r) return TARN_ERR_ARG;
    if (!frame || !rgba)
        return tarn__fail(r->ctx, TARN_ERR_ARG, "tarn_renderer_draw_rgba: frame or rgba is NULL");
    size_t n = (size_t)r->width * (size_t)r->height;
    uint8_t* rgb = tarn__alloc(r->ctx, 6 * n);
    if (!rgb) return tarn__fail(r->ctx, TARN_ERR_MEMORY, "renderer: no memory for a picture");
    TarnFrame again = *frame;
    bool is_clear = frame->sky.is_transparent;
    if (is_clear) again.sky.background = vec3(0, 0, 0);
    TarnResult result = tarn_renderer_draw(r, &again, rgb);
    if (result == TARN_OK && is_clear) {
        // About half of white when shown, where the tone curve is steepest.
        float light = 0.2136f / (0.8f * (frame->sky.exposure > 0.0f ? frame->sky.exposure : 1.0f));
        again.sky.background = vec3(light, light, light);
        result = tarn_renderer_draw(r, &again, rgb + 3 * n);
    }
    if (result == TARN_OK && is_clear) {
        int level = 125; // layers differ a little in exposure: that of a pixel with nothing in it
        for (size_t i = 0; i < n; ++i) {
            const uint8_t *a = rgb + 3 * i, *b = a + 3 * n;
            level = maxi(level, (b[0] - a[0] + b[1] - a[1] + b[2] - a[2]) / 3);
        }
        cut_out(rgb, rgb + 3 * n, mini(level, 135), rgba, n);
    } else if (result == TARN_OK) {
        for (size_t i = 0; i < n; ++i) {
            memcpy(rgba + 4 * i, rgb + 3 * i, 3);
            rgba[4 * i + 3] = 255;
        }
    }
    tarn__free(r->ctx, rgb, 6 * n);
    return result;
}

TarnResult tarn_renderer_draw_to(TarnRenderer* r, const TarnFrame* frame, uint32_t framebuffer)
{
    if (!r) return TARN_ERR_ARG;
    if (!frame) return tarn__fail(r->ctx, TARN_ERR_ARG, "tarn_renderer_draw_to: frame is NULL");
    if (r->platform)
        return tarn__fail(
            r->ctx, TARN_ERR_ARG,
            "tarn_renderer_draw_to: this renderer has a context of its own and no "
            "framebuffer of yours in it; make it with tarn_renderer_create_in_current_context");
    TARN_TRY(begin(r, frame));
    TarnResult result = draw(r, frame);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glViewport(0, 0, r->width, r->height);
    if (result == TARN_OK) {
        glDisable(GL_DEPTH_TEST);
        glDisable(GL_CULL_FACE);
        glDisable(GL_BLEND);
        tarn__bind_texture(r, SLOT_IMAGE, r->output.color[0]);
        tarn__use(r, &r->edges, NULL);
        tarn__draw_screen(r);
    }
    return finish(r, result);
}

// ---- Timing ------------------------------------------------------------------------------------

void tarn_renderer_on_compiling(TarnRenderer* r, TarnCompilingFn* call, void* user)
{
    if (!r) return;
    r->shelf->on_compiling = call;
    r->shelf->user = user;
}

void tarn_renderer_set_timing(TarnRenderer* r, bool is_on)
{
    if (r) r->timing = (Timing){ .is_on = is_on };
}

int tarn_renderer_timing(const TarnRenderer* r, TarnLayerTime out[TARN_RENDER_LAYERS])
{
    static const char* const names[N_LAYERS] = { "setup", "shadows",   "solids",
                                                 "water", "liquids",   "glass",
                                                 "gases", "particles", "post" };
    for (int i = 0; i < N_LAYERS && r; ++i)
        out[i] = (TarnLayerTime){ names[i], (float)r->timing.ms[i] };
    return r && r->timing.is_on ? N_LAYERS : 0;
}
