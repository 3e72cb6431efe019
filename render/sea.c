// The open sea: a fan of quads around the camera, moved by the fields of its cascades.
//
// Textures hold displacements and slopes with mip levels. Vertices read the level that suits the size of their quads,
// pixels that of their own size; the variance of slopes that a level has averaged away makes reflections wider instead of
// letting them flicker. Nothing repeats where it could be seen: the cascades' lengths have no common multiple.

#include "renderer.h"

enum { ALONG = 480, ACROSS = 288 }; // quads of the fan

static const float farthest = 60e3f; // [m], beyond the horizon of any wave

TarnResult tarn__check_sea(TarnContext* ctx, const TarnFrameSea* s)
{
    if (s->n < 1 || s->n > TARN_OCEAN_MAX_CASCADES)
        return tarn__fail(ctx, TARN_ERR_ARG, "frame.sea.n is %d; allowed: 1 to %d", s->n,
                          TARN_OCEAN_MAX_CASCADES);
    for (int i = 0; i < s->n; ++i) {
        const TarnOceanCascade* c = &s->cascades[i];
        if (c->n < 2 || c->n > 4096 || c->stride < 1 || c->row < c->n || c->moved == NULL ||
            c->slopes == NULL || !(c->length > 0.0f && c->length < 1e7f))
            return tarn__fail(ctx, TARN_ERR_ARG,
                              "frame.sea.cascades[%d]: %d samples over %g m, or its fields are "
                              "NULL; use tarn_ocean_cascade",
                              i, c->n, (double)c->length);
    }
    if (!isfinite(s->level) || fabsf(s->level) > 1e6f || !isfinite(s->wind.x + s->wind.y) ||
        !vec3_is_finite(s->color))
        return tarn__fail(ctx, TARN_ERR_ARG, "frame.sea: level, wind or color is not finite");
    const TarnView2* foam = &s->foam;
    if (foam->data && (foam->nx < 2 || foam->nx > 4096 || foam->nz < 2 || foam->nz > 4096 ||
                       foam->stride < foam->nx || !(s->foam_dx > 0.0f && s->foam_dx < 1e6f) ||
                       !isfinite(s->foam_origin.x + s->foam_origin.y)))
        return tarn__fail(
            ctx, TARN_ERR_ARG,
            "frame.sea.foam: %d x %d cells of %g m, stride %d; allowed: 2 to 4096 cells, above 0 "
            "to 1e6 m, and a stride of at least nx",
            foam->nx, foam->nz, (double)s->foam_dx, foam->stride);
    return tarn__check_waves(ctx, "frame.sea", &s->waves);
}

// ---- Textures ------------------------------------------------------------------------------------------

static TarnResult reserve(TarnRenderer* r, int n)
{
    size_t bytes = (size_t)n * (size_t)n * 4 * sizeof(float);
    if (bytes <= r->sea.bytes) return TARN_OK;
    float* texels = tarn__alloc(r->ctx, bytes);
    if (!texels) return tarn__fail(r->ctx, TARN_ERR_MEMORY, "renderer: no memory for the sea");
    tarn__free(r->ctx, r->sea.texels, r->sea.bytes);
    r->sea.texels = texels, r->sea.bytes = bytes;
    return TARN_OK;
}

static void upload(GLuint texture, int n, GLenum format, const float* texels)
{
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, n, n, format, GL_FLOAT, texels);
    glGenerateMipmap(GL_TEXTURE_2D);
}

// Slopes of the sharpened surface, the mean of their squares, and how much it is squeezed.
static void fill_slopes(const TarnOceanCascade* c, float* to)
{
    for (int i = 0; i < c->n * c->n; ++i) {
        const float* s = c->slopes + i / c->n * c->row + i % c->n * c->stride;
        float a = 1.0f, b = 1.0f, turn = 0.0f;
        if (c->fold_xx) a += c->fold_xx[i], b += c->fold_zz[i], turn = c->fold_xz[i];
        float area = fmaxf(a * b - turn * turn, 0.25f);
        float x = clampf((s[0] * b - s[1] * turn) / area, -3.0f, 3.0f);
        float z = clampf((s[1] * a - s[0] * turn) / area, -3.0f, 3.0f);
        to[4 * i] = x, to[4 * i + 1] = z, to[4 * i + 2] = x * x + z * z;
        to[4 * i + 3] = clampf(1.0f - area, -1.0f, 1.0f);
    }
}

static void fill_moved(const TarnOceanCascade* c, float* to)
{
    for (int i = 0; i < c->n * c->n; ++i)
        memcpy(to + 4 * i, c->moved + i / c->n * c->row + i % c->n * c->stride, 3 * sizeof(float));
}

static void make_textures(TarnRenderer* r, int i, int n)
{
    Sea* s = &r->sea;
    glDeleteTextures(1, &s->moved[i]);
    glDeleteTextures(1, &s->slopes[i]);
    s->moved[i] = tarn__texture_create(n, n, GL_RGBA16F, GL_RGBA, GL_FLOAT, NULL, true, GL_REPEAT);
    s->slopes[i] = tarn__texture_create(n, n, GL_RGBA16F, GL_RGBA, GL_FLOAT, NULL, true, GL_REPEAT);
    if (i < 2) {
        glDeleteTextures(1, &s->foam[i]);
        s->foam[i] = tarn__texture_create(n, n, GL_R16F, GL_RED, GL_FLOAT, NULL, true, GL_REPEAT);
    }
    s->size[i] = n;
}

static TarnResult make_fan(TarnRenderer* r)
{
    MeshData data = { .ctx = r->ctx };
    tarn__mesh_grid(&data, vec3(0, 0, 0), vec3(1, 0, 0), vec3(0, 0, 1), ACROSS, ALONG,
                    vec3(0, 1, 0));
    TarnResult result = tarn__mesh_upload(&data, &r->sea.fan);
    tarn__mesh_free(&data);
    return result;
}

static TarnResult upload_froth(TarnRenderer* r, const TarnFrameSea* sea)
{
    Sea* s = &r->sea;
    const TarnView2* f = &sea->foam;
    memset(s->froth_area, 0, sizeof s->froth_area);
    if (f->data == NULL) return TARN_OK;
    TARN_TRY(reserve(r, f->nx > f->nz ? f->nx : f->nz));
    if (s->froth == 0 || s->froth_nx != f->nx || s->froth_nz != f->nz) {
        glDeleteTextures(1, &s->froth);
        s->froth = tarn__texture_create(f->nx, f->nz, GL_R16F, GL_RED, GL_FLOAT, NULL, true,
                                        GL_CLAMP_TO_EDGE);
        s->froth_nx = f->nx, s->froth_nz = f->nz;
    }
    for (int k = 0; k < f->nz; ++k) {
        for (int i = 0; i < f->nx; ++i) {
            float value = f->data[(size_t)k * (size_t)f->stride + (size_t)i];
            s->texels[(size_t)k * (size_t)f->nx + (size_t)i] =
                value > 0.0f ? fminf(value, 1.0f) : 0.0f;
        }
    }
    glBindTexture(GL_TEXTURE_2D, s->froth);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, f->nx, f->nz, GL_RED, GL_FLOAT, s->texels);
    glGenerateMipmap(GL_TEXTURE_2D);
    s->froth_area[0] = sea->foam_origin.x, s->froth_area[1] = sea->foam_origin.y;
    s->froth_area[2] = 1.0f / ((float)f->nx * sea->foam_dx);
    s->froth_area[3] = 1.0f / ((float)f->nz * sea->foam_dx);
    return TARN_OK;
}

TarnResult tarn__sea_prepare(TarnRenderer* r, const TarnFrameSea* sea)
{
    Sea* s = &r->sea;
    if (!s->is_ready) {
        tarn__sea_destroy(r); // left by a failed attempt
        TARN_TRY(tarn__sea_programs(r));
        TARN_TRY(make_fan(r));
        s->is_ready = true;
    }
    s->n = sea->n;
    glActiveTexture(GL_TEXTURE0 + MAX_UNITS - 1); // for uploads
    for (int i = 0; i < sea->n; ++i) {
        const TarnOceanCascade* c = &sea->cascades[i];
        TARN_TRY(reserve(r, c->n));
        if (s->size[i] != c->n) make_textures(r, i, c->n);
        fill_moved(c, s->texels);
        upload(s->moved[i], c->n, GL_RGBA, s->texels);
        fill_slopes(c, s->texels);
        upload(s->slopes[i], c->n, GL_RGBA, s->texels);
        if (i < 2 && c->foam) upload(s->foam[i], c->n, GL_RED, c->foam);
    }
    tarn__waves_upload(&s->waves, &sea->waves);
    TARN_TRY(upload_froth(r, sea));
    glBindTexture(GL_TEXTURE_2D, 0);
    return TARN_OK;
}

void tarn__sea_destroy(TarnRenderer* r)
{
    Sea* s = &r->sea;
    tarn__mesh_destroy(&s->fan);
    glDeleteTextures(TARN_OCEAN_MAX_CASCADES, s->moved);
    glDeleteTextures(TARN_OCEAN_MAX_CASCADES, s->slopes);
    glDeleteTextures(2, s->foam);
    glDeleteTextures(1, &s->froth);
    tarn__waves_destroy(&s->waves);
    tarn__free(r->ctx, s->texels, s->bytes);
    *s = (Sea){ 0 };
}

// ---- Drawing -------------------------------------------------------------------------------------------

static float crest(const TarnFrameSea* sea) // highest that is likely near the camera
{
    return fmaxf(sea->significant_height, 0.1f);
}

void tarn__sea_reach(const TarnFrame* frame, float* near, float* far)
{
    float above = frame->camera.eye.y - frame->sea->level - crest(frame->sea);
    *near = clampf(0.3f * above, 0.1f, 20.0f);
    *far = farthest;
}

void tarn__sea_sky(TarnRenderer* r)
{
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_ALWAYS);
    tarn__draw_screen_back(r, &r->sea.sky);
    glDepthFunc(GL_LESS);
}

// The directions that the picture shows: their middle, and half of what they span. All of them if it shows what is below
// the camera.
static void fan_of(const TarnRenderer* r, float* middle, float* half)
{
    const View* v = &r->view;
    *middle = atan2f(v->forward.z, v->forward.x);
    *half = 0.0f;
    Mat4 back = mat4_inverse(&r->frame.view_proj);
    for (int i = 0; i < 16; ++i) {
        float x = (float)(i % 4) / 1.5f - 1.0f, y = (float)(i / 4) / 1.5f - 1.0f, q[4];
        for (int k = 0; k < 4; ++k)
            q[k] = back.m[k] * x + back.m[4 + k] * y + back.m[8 + k] + back.m[12 + k];
        TarnVec3 d = vec3_unit(vec3(q[0] / q[3] - r->frame.eye[0], q[1] / q[3] - r->frame.eye[1],
                                    q[2] / q[3] - r->frame.eye[2]));
        float off = atan2f(d.z, d.x) - *middle;
        while (off > 3.1415927f) off -= 6.2831853f;
        while (off < -3.1415927f) off += 6.2831853f;
        *half = fmaxf(*half, fabsf(off));
        if (d.y < -0.90f) *half = 3.1415927f;
    }
    *half = fminf(*half + 0.08f, 3.1415927f); // waves move sideways
}

static const Program* program_of(const Sea* s)
{
    if (!(s->froth_area[2] > 0.0f)) return &s->program;
    if (s->n < TARN_OCEAN_MAX_CASCADES) return &s->white[0];
    return s->waves.area[2] > 0.0f ? &s->program : &s->white[1];
}

void tarn__sea_draw(TarnRenderer* r, const TarnFrame* frame)
{
    const Sea* s = &r->sea;
    const TarnFrameSea* sea = frame->sea;
    bool is_coast = r->ground == GROUND_LAND;
    const Program* p = is_coast ? &s->coast : program_of(s);
    float m[16] = { 0 }, fan[4],
          wind = sqrtf(sea->wind.x * sea->wind.x + sea->wind.y * sea->wind.y);
    for (int i = 0; i < TARN_OCEAN_MAX_CASCADES; ++i) {
        // Cascades that are not there have no texture, and read as zero.
        const TarnOceanCascade* c = &sea->cascades[i < sea->n ? i : sea->n - 1];
        bool is_there = i < sea->n;
        m[i] = is_there ? 1.0f / c->length : 0.0f;
        m[4 + i] = is_there ? (float)c->n / c->length : 1e9f;
        if (is_there && i < 2) {
            m[8 + 2 * i] = c->foam_at.x / c->length, m[9 + 2 * i] = c->foam_at.y / c->length;
        }
        tarn__bind_texture(r, (Slot)(SLOT_MOVED0 + i), is_there ? s->moved[i] : 0);
        tarn__bind_texture(r, (Slot)(SLOT_SLOPES0 + i), is_there ? s->slopes[i] : 0);
    }
    tarn__bind_texture(r, SLOT_FOAM0, s->foam[0]);
    tarn__bind_texture(r, SLOT_FOAM1, s->foam[sea->n > 1 ? 1 : 0]);
    tarn__bind_texture(r, SLOT_FOAM, s->froth_area[2] > 0.0f ? s->froth : 0);
    tarn__bind_texture(r, SLOT_WAVES, s->waves.area[2] > 0.0f ? s->waves.texture : 0);
    m[12] = wind > 0.0f ? sea->wind.x / wind : 1.0f,
    m[13] = wind > 0.0f ? sea->wind.y / wind : 0.0f;
    m[14] = wind, m[15] = sea->level;
    fan_of(r, &fan[0], &fan[1]);
    float above = fmaxf(frame->camera.eye.y - sea->level, 0.0f);
    fan[2] = fmaxf(0.25f * (above - crest(sea)), 0.3f);
    if (fan[1] > 3.1f) fan[2] = fminf(fan[2], 0.5f);
    fan[3] = logf(farthest / fan[2]);
    int foams = (sea->cascades[0].foam != NULL) + (sea->n > 1 && sea->cascades[1].foam != NULL);
    const float param[4] = { ALONG, ACROSS, sea->significant_height, (float)foams };
    const float color[4] = { sea->color.x, sea->color.y, sea->color.z, 0.0f };
    glEnable(GL_DEPTH_TEST);
    glDisable(GL_CULL_FACE);
    if (is_coast) tarn__bind_texture(r, SLOT_SURFACE, r->lands[r->ground_water].surface_texture);
    tarn__use(r, p, param);
    glUniformMatrix4fv(p->gl->model, 1, GL_FALSE, m);
    glUniform4fv(p->gl->core_size, 1, fan);
    glUniform4fv(p->gl->color, 1, color);
    glUniform4fv(p->gl->emitted, 1, s->waves.area);
    glUniform4fv(p->gl->area, 1, s->froth_area);
    if (is_coast) { // over the water of the land, which fades in
        glEnable(GL_BLEND);
        glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    }
    tarn__mesh_draw(&s->fan);
    glDisable(GL_BLEND);
}
