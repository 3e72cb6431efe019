// Particle liquids and particle systems: checks, what is made once, what a frame needs first. The
// passes: stage.c in 3-D, flat_passes.c in 2-D.

#include "renderer.h"
#include <string.h>

// ---- Checks --------------------------------------------------------------------------------------

static TarnResult check_box(TarnContext* ctx, const char* name, TarnVec3 lo, TarnVec3 hi,
                            bool is_flat)
{
    bool is_ok = vec3_is_finite(lo) && vec3_is_finite(hi) && lo.x < hi.x && lo.y < hi.y &&
                 (is_flat || lo.z < hi.z);
    const float limit = 1e6f;
    is_ok = is_ok && fmaxf(vec3_length(lo), vec3_length(hi)) < limit;
    if (is_ok) return TARN_OK;
    return tarn__fail(ctx, TARN_ERR_ARG,
                      "frame.%s: box_min (%g, %g, %g) must be below box_max (%g, %g, %g), both "
                      "within 1e6 m",
                      name, (double)lo.x, (double)lo.y, (double)lo.z, (double)hi.x, (double)hi.y,
                      (double)hi.z);
}

static TarnResult check_view(TarnContext* ctx, const char* name, int n, bool has_places)
{
    const int limit = 1 << 22; // what a texture holds
    if (n < 0 || n > limit)
        return tarn__fail(ctx, TARN_ERR_ARG, "frame.%s: n is %d; allowed: 0 to %d", name, n, limit);
    if (n > 0 && !has_places)
        return tarn__fail(ctx, TARN_ERR_ARG, "frame.%s: x, y or z is NULL with n = %d", name, n);
    return TARN_OK;
}

static TarnResult check_solid(TarnContext* ctx, const TarnFrameLiquid* l)
{
    const TarnView2* s = &l->solid;
    if (!s->data) return TARN_OK;
    if (s->nx < 2 || s->nz < 2 || s->nx > 16384 || s->nz > 16384 || s->stride < s->nx ||
        !(l->solid_dx > 0.0f) || !isfinite(l->solid_origin.x + l->solid_origin.y + l->solid_dx))
        return tarn__fail(
            ctx, TARN_ERR_ARG,
            "frame.liquid.solid is %d x %d with stride %d, solid_dx %g m; allowed are "
            "2 to 16384 per side, a stride of at least nx, a size > 0",
            s->nx, s->nz, s->stride, (double)l->solid_dx);
    return TARN_OK;
}

bool tarn__is_mesh_mode(const TarnFrameLiquid* l)
{
    return l->mode == TARN_FRAME_SURFACE || l->mode == TARN_FRAME_SCREEN_MESH;
}

static TarnResult check_liquid(TarnContext* ctx, const TarnFrameLiquid* l)
{
    if (l->dimensions != 2 && l->dimensions != 3)
        return tarn__fail(ctx, TARN_ERR_ARG, "frame.liquid.dimensions is %d; allowed: 2, 3",
                          l->dimensions);
    if (!(l->spacing > 1e-6f && l->spacing < 1e6f))
        return tarn__fail(ctx, TARN_ERR_ARG, "frame.liquid.spacing is %g m; allowed: 1e-6 to 1e6",
                          (double)l->spacing);
    TARN_TRY(check_box(ctx, "liquid", l->box_min, l->box_max, l->dimensions == 2));
    const TarnLiquidView* v = &l->view;
    TARN_TRY(check_view(ctx, "liquid.view", v->n, v->x && v->y && (v->z || l->dimensions == 2)));
    const TarnParticlesView* s = &l->splashes;
    TARN_TRY(check_view(ctx, "liquid.splashes", s->n, s->x && s->y && s->z));
    for (int k = 0; k < TARN_LIQUID_KINDS; ++k)
        if (!vec3_is_finite(l->color[k]) || !isfinite(l->clarity[k]))
            return tarn__fail(ctx, TARN_ERR_ARG,
                              "frame.liquid.color[%d] or clarity[%d] is not finite", k, k);
    if (l->mode < TARN_FRAME_SCREEN_SPACE || l->mode > TARN_FRAME_BALLS)
        return tarn__fail(ctx, TARN_ERR_ARG, "frame.liquid.mode is %d, not a TarnFrameLiquidMode",
                          l->mode);
    if (l->dimensions == 3 && tarn__is_mesh_mode(l))
        TARN_TRY(tarn__check_mesh(ctx, "liquid.mesh", l->mesh));
    return check_solid(ctx, l);
}

static TarnResult check_particles(TarnContext* ctx, const TarnFrame* f, bool has_box)
{
    for (int i = 0; i < f->n_particles; ++i) {
        const TarnFrameParticles* p = &f->particles[i];
        TARN_TRY(check_view(ctx, "particles.view", p->view.n, p->view.x && p->view.y && p->view.z));
        TARN_TRY(tarn__check_looks(ctx, p));
        if (!has_box) TARN_TRY(check_box(ctx, "particles", p->box_min, p->box_max, p->is_flat));
    }
    return TARN_OK;
}

// In 2-D only what has a place in the plane can be shown.
static TarnResult check_flat(TarnContext* ctx, const TarnFrame* f)
{
    int flat = 0;
    for (int i = 0; i < f->n_liquids; ++i) flat += f->liquids[i].dimensions == 2;
    if (flat > 0 && (flat < f->n_liquids || f->n_waters + f->n_gases + f->n_meshes > 0))
        return tarn__fail(ctx, TARN_ERR_UNSUPPORTED,
                          "frame: a 2-D liquid is seen head-on in the plane z = 0, where %s; draw "
                          "them as two pictures",
                          f->n_waters > 0   ? "a height field has no place"
                          : f->n_gases > 0  ? "a gas has no place"
                          : f->n_meshes > 0 ? "a mesh has no place"
                                            : "a 3-D liquid has no place");
    if (flat > 1)
        return tarn__fail(ctx, TARN_ERR_UNSUPPORTED,
                          "frame: %d 2-D liquids in one picture; allowed: 1. Give them kinds of "
                          "one liquid",
                          flat);
    return TARN_OK;
}

TarnResult tarn__check_stage(TarnContext* ctx, const TarnFrame* f)
{
    for (int i = 0; i < f->n_liquids; ++i) TARN_TRY(check_liquid(ctx, &f->liquids[i]));
    TARN_TRY(tarn__check_gases(ctx, f));
    TARN_TRY(tarn__check_meshes(ctx, f));
    TARN_TRY(check_flat(ctx, f));
    bool has_box = !vec3_is_equal(f->box_min, f->box_max);
    if (has_box) TARN_TRY(check_box(ctx, "box", f->box_min, f->box_max, true));
    has_box = has_box || f->n_waters > 0; // which give one
    for (int i = 0; i < f->n_gases && !has_box; ++i)
        TARN_TRY(check_box(ctx, "gases", f->gases[i].box_min, f->gases[i].box_max, false));
    return check_particles(ctx, f, has_box || f->n_liquids + f->n_gases > 0);
}

// ---- Life ----------------------------------------------------------------------------------------

TarnResult tarn__stage_parts(TarnRenderer* r)
{
    Liquid* l = &r->liquid;
    if (l->is_ready) return TARN_OK;
    tarn__liquid_destroy(r); // left by a failed attempt
    int w = r->width, h = r->height, hw = (w + 1) / 2, hh = (h + 1) / 2;
    const struct {
        Target* target;
        TargetDef def;
    } list[] = {
        { &l->light, { LIGHT_SIDE, LIGHT_SIDE, 0, { GL_RGBA16F, GL_R16F }, false, false } },
        { &l->soft_light[0], { SOFT_SIDE, SOFT_SIDE, 0, { GL_RGBA16F }, false, false } },
        { &l->soft_light[1], { SOFT_SIDE, SOFT_SIDE, 0, { GL_RGBA16F }, false, false } },
        { &l->surface[0], { w, h, 0, { GL_RG32F }, true, false } },
        { &l->surface[1], { w, h, 0, { GL_RG32F }, false, false } },
        { &l->thick, { hw, hh, 0, { GL_RGBA16F, GL_RGBA16F }, false, false } },
        { &l->field, { w, h, 0, { GL_RGBA16F, GL_RGBA16F }, false, false } },
    };
    for (int i = 0; i < (int)(sizeof list / sizeof *list); ++i)
        TARN_TRY(tarn__target_create(r->ctx, &list[i].def, list[i].target));
    TARN_TRY(tarn__liquid_programs(r));
    l->is_ready = true;
    return TARN_OK;
}

void tarn__liquid_destroy(TarnRenderer* r)
{
    Liquid* l = &r->liquid;
    Target* targets[] = { &l->light,      &l->soft_light[0], &l->soft_light[1], &l->surface[0],
                          &l->surface[1], &l->thick,         &l->field };
    for (int i = 0; i < (int)(sizeof targets / sizeof *targets); ++i)
        tarn__target_destroy(targets[i]);
    tarn__mesh_parts_destroy(r);
    tarn__behind_parts_destroy(r);
    for (int i = 0; i < TARN_FRAME_MAX_LIQUIDS; ++i) {
        glDeleteTextures(1, &l->each[i].texture.id);
        l->each[i].texture = (PointTexture){ 0 };
        tarn__mesh_destroy(&l->each[i].mesh);
    }
    GLuint textures[] = { l->sprite_texture.id, l->solid_texture };
    glDeleteTextures(2, textures);
    l->sprite_texture = (PointTexture){ 0 };
    l->solid_texture = 0;
    l->is_ready = false;
}

void tarn__liquid_free(TarnContext* ctx, Liquid* l)
{
    for (int i = 0; i < TARN_FRAME_MAX_LIQUIDS; ++i) {
        tarn__liquid_points_free(ctx, &l->each[i].points);
        tarn__liquid_behind_free(ctx, &l->each[i].behind);
    }
    tarn__free(ctx, l->sprites.texels, l->sprites.bytes);
    l->sprites = (Sprites){ 0 };
}

// ---- Points --------------------------------------------------------------------------------------

void tarn__upload_points(TarnRenderer* r, PointTexture* t, const float* texels, int n)
{
    int rows = maxi((n + POINTS_PER_ROW - 1) / POINTS_PER_ROW, 1),
        width = POINTS_PER_ROW * POINT_TEXELS;
    if (t->rows < rows) {
        glDeleteTextures(1, &t->id);
        t->rows = rows + rows / 2;
        t->id = tarn__texture_create(width, t->rows, GL_RGBA32F, GL_RGBA, GL_FLOAT, NULL, false,
                                     GL_CLAMP_TO_EDGE);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    }
    tarn__bind_texture(r, SLOT_POINTS, t->id);
    int full = n / POINTS_PER_ROW, left = n % POINTS_PER_ROW;
    if (full) glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, width, full, GL_RGBA, GL_FLOAT, texels);
    if (left)
        glTexSubImage2D(GL_TEXTURE_2D, 0, 0, full, left * POINT_TEXELS, 1, GL_RGBA, GL_FLOAT,
                        texels + (size_t)full * (size_t)width * 4);
}

void tarn__draw_points(const TarnRenderer* r, int first, int n)
{
    glBindVertexArray(r->empty.vao);
    glDrawArrays(GL_TRIANGLES, POINT_VERTICES * first, POINT_VERTICES * n);
}
