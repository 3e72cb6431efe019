// What water over land mirrors: a picture from below each level of nearly flat water, with all that is above it,
// also what is outside of the picture that is drawn.
//
// Method   Planar reflection at half the size. Water at another height than the plane, or with waves, reads the
//          picture where its mirrored ray meets what is seen there (shaders_mirror.h). Land that is in the picture
//          comes from there, which is sharper; bodies come from the mirror, where thin ones stay whole.
// Checked  tests/render/test_land_mirror.c

#include "renderer.h"

enum { BINS = 64, SAMPLES = 48 };

// Water this far from the level of a mirror does not use it [m].
static float tolerance(const FrameBlock* f)
{
    return 0.025f * fmaxf(f->basin[2], f->basin[3]);
}

typedef struct Sample { // of the surface
    TarnVec3 p;
    float deep;
} Sample;

static Sample surface_at(const Land* land, const FrameBlock* f, float u, float v)
{
    const Field* g = &land->field;
    int i = (int)(u * (float)(g->nx - 1)), k = (int)(v * (float)(g->nz - 1));
    const float* s = g->surface + 4 * (i + g->nx * k);
    return (Sample){
        vec3(f->basin[0] + u * f->basin[2], land->base + s[0], f->basin[1] + v * f->basin[3]), s[3]
    };
}

// Within the picture, or within one that is larger by `margin`.
static bool is_seen(const FrameBlock* f, TarnVec3 p, float margin)
{
    const float* m = f->view_proj.m;
    float x = m[0] * p.x + m[4] * p.y + m[8] * p.z + m[12];
    float y = m[1] * p.x + m[5] * p.y + m[9] * p.z + m[13];
    float w = m[3] * p.x + m[7] * p.y + m[11] * p.z + m[15];
    return w > 0.0f && fmaxf(fabsf(x), fabsf(y)) < (1.0f + margin) * w;
}

// ---- Levels ----------------------------------------------------------------------------------------

// The bin with most water in it and beside it.
static int fullest(const float* weight)
{
    int best = 1;
    float most = 0.0f;
    for (int i = 1; i < BINS - 1; ++i) {
        float sum = weight[i - 1] + weight[i] + weight[i + 1];
        if (sum > most) most = sum, best = i;
    }
    return best;
}

// Levels at which much of the water lies that is seen, counted by its size in the picture. A torrent has none.
int tarn__mirror_levels(const Land* land, float levels[MAX_MIRRORS])
{
    const FrameBlock* f = &land->block;
    TarnVec3 eye = vec3(f->eye[0], f->eye[1], f->eye[2]);
    float low = INFINITY, all = 0.0f, bin = 0.5f * tolerance(f);
    float weight[BINS] = { 0 }, sum[BINS] = { 0 };
    for (int pass = 0; pass < 2; ++pass)
        for (int c = 0; c < SAMPLES * SAMPLES; ++c) {
            Sample s = surface_at(land, f, ((float)(c % SAMPLES) + 0.5f) / SAMPLES,
                                  ((float)(c / SAMPLES) + 0.5f) / SAMPLES);
            if (s.deep <= f->coast[0] || s.p.y >= eye.y || !is_seen(f, s.p, 0.1f)) continue;
            if (pass == 0) {
                low = fminf(low, s.p.y);
                continue;
            }
            float d = vec3_length(vec3_sub(s.p, eye)), w = (eye.y - s.p.y) / (d * d * d);
            int i = mini(1 + (int)((s.p.y - low) / bin), BINS - 1);
            weight[i] += w;
            sum[i] += w * (s.p.y - low);
            all += w;
        }
    int n = 0;
    while (n < MAX_MIRRORS) {
        int i = fullest(weight);
        float part = weight[i - 1] + weight[i] + weight[i + 1];
        if (!(part > 0.15f * all)) break;
        levels[n++] = low + (sum[i - 1] + sum[i] + sum[i + 1]) / part;
        for (int k = maxi(i - 2, 0); k <= mini(i + 2, BINS - 1); ++k) weight[k] = sum[k] = 0.0f;
    }
    return n;
}

// ---- What is mirrored ------------------------------------------------------------------------------

// Whether water at this level, within the picture, shows a point above it.
static bool is_mirrored(const Land* land, float level, TarnVec3 p)
{
    const FrameBlock* f = &land->block;
    float up = p.y - level, down = f->eye[1] - level;
    if (!(down > 0.0f) || up < 0.0f) return false;
    float t = down / (down + up); // of the way to the mirrored point
    float x = lerpf(f->eye[0], p.x, t), z = lerpf(f->eye[2], p.z, t);
    float u = (x - f->basin[0]) / f->basin[2], v = (z - f->basin[1]) / f->basin[3];
    if (!(u >= 0.0f && u <= 1.0f && v >= 0.0f && v <= 1.0f)) return false;
    Sample s = surface_at(land, f, u, v);
    return s.deep > 0.0f && fabsf(s.p.y - level) < tolerance(f) &&
           is_seen(f, vec3(x, level, z), 0.1f);
}

static bool is_body_mirrored(const Land* land, float level, const BodyDraw* d)
{
    float reach = 0.5f * (d->high - d->low);
    if (d->is_glass || d->high < level) return false;
    if (reach > 2.0f * tolerance(&land->block)) return true; // its points would lie too far apart
    for (int i = 0; i < 27; ++i) {
        TarnVec3 p = vec3(d->middle.x + reach * (float)(i % 3 - 1),
                          d->middle.y + reach * (float)(i / 3 % 3 - 1),
                          d->middle.z + reach * (float)(i / 9 - 1));
        p.y = fmaxf(p.y, level);
        if (is_mirrored(land, level, p)) return true;
    }
    return false;
}

// Land that is outside of the picture.
static bool is_land_missed(const Land* land, float level)
{
    const FrameBlock* f = &land->block;
    const Field* g = &land->field;
    for (int c = 0; c < SAMPLES * SAMPLES; ++c) {
        float u = ((float)(c % SAMPLES) + 0.5f) / SAMPLES;
        float v = ((float)(c / SAMPLES) + 0.5f) / SAMPLES;
        int i = (int)(u * (float)(g->nx - 1)), k = (int)(v * (float)(g->nz - 1));
        TarnVec3 p = vec3(f->basin[0] + u * f->basin[2], land->base + g->bed[4 * (i + g->nx * k)],
                          f->basin[1] + v * f->basin[3]);
        if (!is_seen(f, p, 0.0f) && is_mirrored(land, level, p)) return true;
    }
    return false;
}

static bool is_needed(const TarnRenderer* r, float level)
{
    if (r->is_mixed && r->has_stage) return true;
    for (int i = 0; i < r->n_body_draws; ++i)
        if (is_body_mirrored(r->land, level, &r->body_draws[i])) return true;
    return is_land_missed(r->land, level);
}

// ---- Bodies ----------------------------------------------------------------------------------------

// A body thinner than a pixel of the mirror is drawn in dashes, or not at all. It is made as wide as a pixel, and
// what shines through it is told by glow[3].
static BodyDraw widened(const TarnRenderer* r, const BodyDraw* d)
{
    BodyDraw b = *d;
    const float* eye = r->frame.eye;
    float away = vec3_length(vec3_sub(d->middle, vec3(eye[0], eye[1], eye[2])));
    float least = 1.3f * away / (r->view.proj.m[5] * (float)r->mirror.height), thinnest = INFINITY;
    if (d->mesh != &r->box && d->mesh != &r->capsule && d->mesh != &r->sphere) return b;
    for (int k = 0; k < 3; ++k) {
        float half = b.core_size[k] + b.core_size[3];
        thinnest = fminf(thinnest, half);
        if (d->mesh == &r->box) b.core_size[k] += fmaxf(least - half, 0.0f);
    }
    if (d->mesh != &r->box) b.core_size[3] = fmaxf(b.core_size[3], least);
    b.glow[3] = fmaxf(1.0f - thinnest / least, 0.0f);
    return b;
}

static void draw_bodies(const TarnRenderer* r, const Program* p, float level)
{
    tarn__use(r, p, NULL);
    for (int i = 0; i < r->n_body_draws; ++i) {
        const BodyDraw* d = &r->body_draws[i];
        if (!is_body_mirrored(r->land, level, d)) continue;
        BodyDraw b = widened(r, d);
        tarn__draw_body(p, &b);
    }
}

// ---- The pass --------------------------------------------------------------------------------------

// Of r->land, whose fields are bound. *is_drawn: there is something to see in it.
TarnResult tarn__land_mirror(TarnRenderer* r, float level, bool* is_drawn)
{
    const float nothing[4] = { 0 };
    const float clear[4] = { 0, 0, 0, 1 }; // all of the sky shines through
    FrameBlock* f = &r->land->block;
    *is_drawn = is_needed(r, level);
    if (!*is_drawn) return TARN_OK;
    bool has_stage = r->is_mixed && r->has_stage;
    Mat4 mirror = mat4_mirror_y(level);
    f->mirror_view_proj = mat4_mul(&f->view_proj, &mirror);
    tarn__set4(f->open_side, f->open_side[0], level, tolerance(f),
               (has_stage ? 1.0f : 0.0f) + (r->n_waters > 1 ? 2.0f : 0.0f));
    tarn__use_block(r, f);
    tarn__target_bind(&r->mirror);
    glClearBufferfv(GL_COLOR, 0, clear);
    glClearBufferfv(GL_COLOR, 1, nothing);
    glClear(GL_DEPTH_BUFFER_BIT);
    const LandParts* l = &r->land_parts;
    tarn__bind_texture(r, SLOT_SCENE_DEPTH, r->canvas.depth);
    glColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_FALSE);
    glDepthFunc(GL_ALWAYS);
    tarn__draw_screen_back(r, &l->mirror_mask);
    glDepthFunc(GL_LESS);
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    glEnable(GL_CULL_FACE);
    glFrontFace(GL_CW);
    draw_bodies(r, r->is_mixed ? &r->mixed.mirror_body : &l->mirror_body, level);
    glFrontFace(GL_CCW);
    glDisable(GL_CULL_FACE);
    // The march corrects a coarse shore; where it is not asked, the mesh must be fine.
    const Mesh* ground = has_stage ? &r->land->plan : &r->land->coarse;
    glColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_FALSE);
    tarn__use(r, &l->mirror_depth, NULL);
    tarn__mesh_draw(ground);
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    glDepthFunc(GL_EQUAL);
    tarn__use(r, &l->mirror_ground, NULL);
    tarn__mesh_draw(ground);
    glDepthFunc(GL_LESS);
    tarn__bind_texture(r, SLOT_MIRROR, r->mirror.color[0]);
    tarn__bind_texture(r, SLOT_MIRROR_HEIGHT, r->mirror.color[1]);
    if (!has_stage) return TARN_OK;
    TARN_TRY(tarn__stage_mirrored(r, level));
    glDisable(GL_CULL_FACE);
    return TARN_OK;
}
