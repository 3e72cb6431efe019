// The second surface of a particle liquid: a pool behind a splash, the far side of a crown, a jet before a wall of
// water. Where light enters the liquid again after it has left it.
//
// Method   On the CPU, a coarse grid over the picture holds how near the nearest particles of the surface are;
//          those well behind it that face the eye may be seen through it. If there are none, nothing is drawn.
//          Else they are drawn at half the size behind the first surface, smoothed, and brought to full size.
//          Thickness is then counted apart: up to the second surface, and from it on. The second is shaded into
//          the canvas before the first, which shows it bent as it shows all that is behind it. All of this
//          keeps to the rectangle of the picture that these particles cover.
// Checked  tests/render/test_liquid.c

#include "renderer.h"
#include "shaders_common.h"
#include "shaders_liquid.h"
#include "shaders_liquid_shade.h"
#include "shaders_screen.h"
#include "shaders_solid.h"

// ---- Which particles -------------------------------------------------------------------------------

enum { FEWEST = 6 }; // particles that are worth a surface

typedef struct Grid {
    float cell; // [pixels]
    int nx, ny;
    Nearest* at;
} Grid;

typedef struct Seen { // a particle as the eye sees it
    float x, y, z;    // [pixels], [m]
    float steep;      // cosine between its normal and the line of sight
    bool is_facing;   // the liquid is behind it, or it is thin there
} Seen;

static TarnResult reserve(TarnContext* ctx, Behind* b, int n)
{
    if (n <= b->capacity && b->indices) return TARN_OK;
    int capacity = maxi(n, 2 * b->capacity);
    size_t bytes = (size_t)capacity * POINT_VERTICES * sizeof(uint32_t);
    uint32_t* block = tarn__alloc(ctx, bytes);
    if (!block)
        return tarn__fail(ctx, TARN_ERR_MEMORY, "renderer: no memory for %d particles behind", n);
    tarn__liquid_behind_free(ctx, b);
    b->indices = block;
    b->bytes = bytes;
    b->capacity = capacity;
    return TARN_OK;
}

void tarn__liquid_behind_free(TarnContext* ctx, Behind* b)
{
    tarn__free(ctx, b->indices, b->bytes);
    b->indices = NULL;
    b->bytes = 0;
    b->capacity = 0;
}

// A particle without a normal of its own is thin: alone, torn, in a sheet; or it leans on glass; or it has all its
// neighbors, and then it is large.
static bool is_thin(const TarnFrameLiquid* l, const float* t)
{
    return t[7] < 1.0f || t[3] < 0.8f * l->spacing;
}

static bool is_at_glass(const TarnFrameLiquid* l, const float* t)
{
    float reach = 1.4f * l->spacing;
    return l->walls != TARN_LIQUID_OPEN &&
           (t[0] < l->box_min.x + reach || t[0] > l->box_max.x - reach ||
            t[2] < l->box_min.z + reach || t[2] > l->box_max.z - reach);
}

static bool look_at(const FrameBlock* f, const TarnFrameLiquid* l, const float* t, Seen* out)
{
    const float* m = f->view_proj.m;
    TarnVec3 to = vec3(t[0] - f->eye[0], t[1] - f->eye[1], t[2] - f->eye[2]);
    float z = vec3_dot(to, vec3(f->coast[0], f->coast[1], f->coast[2]));
    if (z < 2.0f * t[3]) return false;
    float w = m[3] * t[0] + m[7] * t[1] + m[11] * t[2] + m[15];
    float x = m[0] * t[0] + m[4] * t[1] + m[8] * t[2] + m[12];
    float y = m[1] * t[0] + m[5] * t[1] + m[9] * t[2] + m[13];
    out->x = (0.5f + 0.5f * x / w) * f->screen[0];
    out->y = (0.5f + 0.5f * y / w) * f->screen[1];
    out->z = z;
    bool has_normal = t[7] > 1.2f; // it is much flatter than a ball
    // The normals of particles point into the liquid.
    float cosine = vec3_dot(vec3(t[4], t[5], t[6]), to) / vec3_length(to);
    out->steep = has_normal ? fmaxf(fabsf(cosine), 0.1f) : 0.6f;
    out->is_facing = has_normal ? cosine > 0.0f : is_thin(l, t) && !is_at_glass(l, t);
    return out->x >= 0.0f && out->y >= 0.0f && out->x < f->screen[0] && out->y < f->screen[1];
}

static Grid grid_over(const FrameBlock* f, const Stage* s, float spacing, Nearest* at)
{
    TarnVec3 to =
        vec3_sub(vec3_scale(vec3_add(s->lo, s->hi), 0.5f), vec3(f->eye[0], f->eye[1], f->eye[2]));
    float away = vec3_dot(to, vec3(f->coast[0], f->coast[1], f->coast[2]));
    float wide = 1.5f * spacing * f->coast[3] / fmaxf(away, 0.5f * s->side);
    float most = fmaxf(f->screen[0], f->screen[1]);
    Grid g = { .cell = fmaxf(clampf(wide, 6.0f, 96.0f), most / BEHIND_GRID), .at = at };
    g.nx = mini((int)(f->screen[0] / g.cell) + 1, BEHIND_GRID);
    g.ny = mini((int)(f->screen[1] / g.cell) + 1, BEHIND_GRID);
    for (int i = 0; i < g.nx * g.ny; ++i) at[i].z = INFINITY;
    return g;
}

static int cell_of(const Grid* g, float pixel, int n)
{
    return mini((int)(pixel / g->cell), n - 1);
}

// The cells around count, too: particles are wider than one of them.
static Nearest nearest(const Grid* g, const Seen* s)
{
    int i = cell_of(g, s->x, g->nx), j = cell_of(g, s->y, g->ny);
    Nearest least = { INFINITY, 1.0f };
    for (int y = maxi(j - 1, 0); y <= mini(j + 1, g->ny - 1); ++y)
        for (int x = maxi(i - 1, 0); x <= mini(i + 1, g->nx - 1); ++x)
            if (g->at[x + g->nx * y].z < least.z) least = g->at[x + g->nx * y];
    return least;
}

static void widen(Behind* b, const FrameBlock* f, const Seen* s, const float* t)
{
    float r = 1.3f * t[3] * fmaxf(1.0f, 1.0f / t[7]) * f->coast[3] / s->z + 2.0f;
    b->x0 = mini(b->x0, (int)(s->x - r)), b->x1 = maxi(b->x1, (int)(s->x + r) + 1);
    b->y0 = mini(b->y0, (int)(s->y - r)), b->y1 = maxi(b->y1, (int)(s->y + r) + 1);
}

// Into one->behind, and its indices to the GPU.
static TarnResult find(TarnRenderer* r, const TarnFrameLiquid* l)
{
    OneLiquid* one = r->liquid.one;
    Behind* b = &one->behind;
    const LiquidPoints* p = &one->points;
    const FrameBlock* f = &r->frame;
    TARN_TRY(reserve(r->ctx, b, p->n_surface));
    Grid g = grid_over(f, &one->stage, l->spacing, r->liquid.nearest);
    int end = p->n_drops + p->n_surface;
    Seen s;
    for (int i = p->n_drops; i < end; ++i) {
        if (!look_at(f, l, p->texels + 16 * (size_t)i, &s)) continue;
        Nearest* at = &g.at[cell_of(&g, s.x, g.nx) + g.nx * cell_of(&g, s.y, g.ny)];
        if (s.z < at->z) *at = (Nearest){ s.z, s.steep };
    }
    b->x0 = r->width, b->y0 = r->height, b->x1 = b->y1 = 0;
    for (int i = p->n_drops; i < end; ++i) {
        const float* t = p->texels + 16 * (size_t)i;
        if (!look_at(f, l, t, &s) || !s.is_facing) continue;
        // The first surface itself is as deep within the cells around, seen at this angle.
        Nearest first = nearest(&g, &s);
        float deep = 2.2f * l->spacing + 1.5f * g.cell * s.z / f->coast[3];
        if (s.z - first.z < fmaxf(deep / first.steep, 2.2f * l->spacing / s.steep)) continue;
        uint32_t* to = b->indices + (size_t)POINT_VERTICES * (size_t)b->n++;
        for (int k = 0; k < POINT_VERTICES; ++k) to[k] = (uint32_t)(POINT_VERTICES * i + k);
        widen(b, f, &s, t);
    }
    if (b->n < FEWEST) b->n = 0;
    b->x0 = maxi(b->x0, 0) & ~1, b->y0 = maxi(b->y0, 0) & ~1; // whole pixels at half the size
    b->x1 = mini(b->x1, r->width), b->y1 = mini(b->y1, r->height);
    return TARN_OK;
}

// ---- What is made once -----------------------------------------------------------------------------

static TarnResult make_parts(TarnRenderer* r)
{
    Liquid* l = &r->liquid;
    if (l->has_behind) return TARN_OK;
    tarn__behind_parts_destroy(r); // left by a failed attempt
    int w = (r->width + 1) / 2, h = (r->height + 1) / 2;
    const TargetDef far = { w, h, 0, { GL_RG32F }, true, false };
    const TargetDef thick = { w, h, 0, { GL_RGBA16F, GL_RGBA16F }, false, false };
    TARN_TRY(tarn__target_create(r->ctx, &far, &l->far[0]));
    TARN_TRY(tarn__target_create(r->ctx, &far, &l->far[1]));
    TARN_TRY(tarn__target_create(r->ctx, &thick, &l->far_thick));
    const char* screen_v[] = { glsl_screen_vertex, NULL };
    const char* surface_v[] = { glsl_frame, glsl_points, glsl_surface_vertex, NULL };
    const char* surface_f[] = { glsl_frame, glsl_tank, glsl_surface_fragment, NULL };
    const char* thick_v[] = { glsl_frame, glsl_points, glsl_thick_vertex, NULL };
    const char* thick_f[] = { glsl_frame, glsl_absorption, glsl_thick_fragment, NULL };
    const char* enlarge_f[] = { glsl_frame, glsl_enlarge_fragment, NULL };
    const char* composite_f[] = { glsl_frame,           glsl_veil,   glsl_rays,
                                  glsl_light,           glsl_shadow, glsl_tank,
                                  glsl_liquid_fragment, NULL };
    const ProgramDef list[] = {
        { "second surface of particles", "#define BEHIND\n", surface_v, surface_f,
          &l->far_surface },
        { "second surface at full size", "", screen_v, enlarge_f, &l->enlarge },
        { "thickness before the second surface", "#define BEFORE\n", thick_v, thick_f,
          &l->far_thick_program[0] },
        { "thickness behind the second surface", "#define BEHIND\n", thick_v, thick_f,
          &l->far_thick_program[1] },
        { "liquid behind liquid", "#define LAND\n#define BEHIND\n", screen_v, composite_f,
          &l->far_composite },
        { "liquid before liquid", "#define LAND\n#define BEFORE\n", screen_v, composite_f,
          &l->near_composite },
    };
    TARN_TRY(tarn__programs_create(r->shelf, list, (int)(sizeof list / sizeof *list)));
    l->has_behind = true;
    return TARN_OK;
}

void tarn__behind_parts_destroy(TarnRenderer* r)
{
    Liquid* l = &r->liquid;
    tarn__target_destroy(&l->far[0]);
    tarn__target_destroy(&l->far[1]);
    tarn__target_destroy(&l->far_thick);
    for (int i = 0; i < TARN_FRAME_MAX_LIQUIDS; ++i) tarn__mesh_destroy(&l->each[i].behind.quads);
    l->has_behind = false;
}

// ---- Passes ----------------------------------------------------------------------------------------

static void keep_to(const Behind* b, int share) // of the picture's size
{
    glEnable(GL_SCISSOR_TEST);
    glScissor(b->x0 / share, b->y0 / share, (b->x1 - b->x0 + share - 1) / share,
              (b->y1 - b->y0 + share - 1) / share);
}

static void draw_quads(Behind* b)
{
    Mesh* m = &b->quads;
    if (!m->vao) {
        glGenVertexArrays(1, &m->vao);
        glGenBuffers(1, &m->ibo);
    }
    glBindVertexArray(m->vao);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, m->ibo);
    GLsizei n = POINT_VERTICES * b->n;
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)((size_t)n * sizeof(uint32_t)), b->indices,
                 GL_STREAM_DRAW);
    glDrawElements(GL_TRIANGLES, n, GL_UNSIGNED_INT, NULL);
}

// The first surface is in l->surface[0]; the second one goes to l->surface[1].
TarnResult tarn__pass_second_surface(TarnRenderer* r, const TarnFrameLiquid* liquid)
{
    Liquid* l = &r->liquid;
    Behind* b = &l->one->behind;
    b->n = 0;
    if (liquid->mode != TARN_FRAME_SCREEN_SPACE || l->one->points.n_surface == 0) return TARN_OK;
    TARN_TRY(find(r, liquid));
    if (b->n == 0) return TARN_OK;
    TARN_TRY(make_parts(r));
    const FrameBlock full = r->frame;
    FrameBlock half = full;
    float w = (float)l->far[0].width, h = (float)l->far[0].height;
    tarn__set4(half.screen, w, h, 1.0f / w, 1.0f / h);
    half.coast[3] *= 0.5f;
    tarn__use_block(r, &half);
    keep_to(b, 2);
    tarn__target_bind(&l->far[0]);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glEnable(GL_DEPTH_TEST);
    tarn__bind_texture(r, SLOT_POINTS, l->one->texture.id);
    tarn__bind_texture(r, SLOT_LIQUID, l->surface[0].color[0]);
    tarn__use(r, &l->far_surface, NULL);
    draw_quads(b);
    glDisable(GL_DEPTH_TEST);
    tarn__smooth_surface(r, l->far);
    glDisable(GL_SCISSOR_TEST);

    tarn__use_block(r, &full);
    tarn__target_bind(&l->surface[1]);
    glClear(GL_COLOR_BUFFER_BIT);
    keep_to(b, 1);
    tarn__bind_texture(r, SLOT_LIQUID, l->surface[0].color[0]);
    tarn__bind_texture(r, SLOT_AGAIN, l->far[0].color[0]);
    tarn__use(r, &l->enlarge, NULL);
    tarn__draw_screen(r);
    glDisable(GL_SCISSOR_TEST);
    return TARN_OK;
}

// Apart: up to the second surface into l->thick, from it on into l->far_thick.
void tarn__pass_thick_apart(TarnRenderer* r)
{
    Liquid* l = &r->liquid;
    const float all[4] = { 1, 1, 0, 0 };
    int first = l->one->points.n_drops, n = l->one->points.n - first;
    tarn__bind_texture(r, SLOT_POINTS, l->one->texture.id);
    tarn__bind_texture(r, SLOT_LIQUID, l->surface[0].color[0]);
    tarn__bind_texture(r, SLOT_AGAIN, l->surface[1].color[0]);
    tarn__begin_adding(&l->thick);
    tarn__draw_dots(r, &l->far_thick_program[0], all, first, n);
    keep_to(&l->one->behind, 2);
    tarn__begin_adding(&l->far_thick);
    tarn__draw_dots(r, &l->far_thick_program[1], all, first, n);
    glDisable(GL_SCISSOR_TEST);
    glDisable(GL_BLEND);
}

// The second surface into the current picture, by way of the other one.
void tarn__composite_second(TarnRenderer* r)
{
    Liquid* l = &r->liquid;
    const Behind* b = &l->one->behind;
    Canvas* c = &r->canvas;
    keep_to(b, 1);
    tarn__canvas_turn(r, CANVAS_OVER);
    tarn__bind_texture(r, SLOT_LIQUID, l->surface[1].color[0]);
    tarn__bind_texture(r, SLOT_FIRST, l->surface[0].color[0]);
    tarn__bind_texture(r, SLOT_FIRST_THICK, l->thick.color[0]);
    tarn__bind_texture(r, SLOT_THICK, l->far_thick.color[0]);
    tarn__bind_texture(r, SLOT_TINT, l->far_thick.color[1]);
    tarn__draw_screen_back(r, &l->far_composite);
    glDisable(GL_SCISSOR_TEST);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, c->fbo[c->now][CANVAS_OVER]);
    c->now = 1 - c->now;
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, c->fbo[c->now][CANVAS_OVER]);
    glBlitFramebuffer(b->x0, b->y0, b->x1, b->y1, b->x0, b->y0, b->x1, b->y1, GL_COLOR_BUFFER_BIT,
                      GL_NEAREST);
    tarn__canvas_read(r);
    tarn__bind_texture(r, SLOT_AGAIN_THICK, l->far_thick.color[0]);
    tarn__bind_texture(r, SLOT_AGAIN_TINT, l->far_thick.color[1]);
    tarn__bind_texture(r, SLOT_LIQUID, l->surface[0].color[0]);
    tarn__bind_texture(r, SLOT_THICK, l->thick.color[0]);
    tarn__bind_texture(r, SLOT_TINT, l->thick.color[1]);
}
