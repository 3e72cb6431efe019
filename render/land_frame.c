// The constants of the shaders for one picture of land: camera, light, sizes.

#include "renderer.h"

// Least distance of the near plane, which is the lens: where there is water to dive into, it is so large that
// the water line takes some frames to cross it.
static float least_near(const Land* land, const FrameBlock* f, TarnVec3 eye, float side)
{
    float x = (eye.x - f->basin[0]) / f->basin[2], z = (eye.z - f->basin[1]) / f->basin[3];
    if (!(x >= 0.0f && x <= 1.0f && z >= 0.0f && z <= 1.0f)) return 2e-4f * side;
    const Field* g = &land->field;
    int i = (int)(x * (float)(g->nx - 1)), k = (int)(z * (float)(g->nz - 1));
    float deep = g->surface[4 * (i + g->nx * k) + 3];
    return clampf(0.1f * deep, 2e-4f * side, 1.5e-3f * side);
}

// Distance from the eye to the nearest thing it may see: from outside to the block, from inside to
// the ground or water below.
static float clearance(const Land* land, const FrameBlock* f, TarnVec3 eye)
{
    float x = (eye.x - f->basin[0]) / f->basin[2], z = (eye.z - f->basin[1]) / f->basin[3];
    float ox = fmaxf(fmaxf(-x, x - 1.0f), 0.0f) * f->basin[2];
    float oz = fmaxf(fmaxf(-z, z - 1.0f), 0.0f) * f->basin[3];
    const Field* g = &land->field;
    int i = (int)(clampf(x, 0.0f, 1.0f) * (float)(g->nx - 1));
    int k = (int)(clampf(z, 0.0f, 1.0f) * (float)(g->nz - 1));
    int c = 4 * (i + g->nx * k);
    float above = eye.y - land->base - fmaxf(g->bed[c], g->surface[c]);
    if (ox + oz > 0.0f) above = fmaxf(eye.y - land->high, 0.0f);
    return sqrtf(ox * ox + oz * oz + above * above);
}

static float far_of(const TarnRenderer* r, TarnVec3 eye, float side)
{
    const FrameBlock* f = &r->land->block;
    const Land* land = r->land;
    float far = 0.0f;
    for (int i = 0; i < 8; ++i) {
        TarnVec3 corner =
            vec3(f->basin[0] + (i & 1 ? f->basin[2] : 0.0f), i & 2 ? land->high : f->levels[1],
                 f->basin[1] + (i & 4 ? f->basin[3] : 0.0f));
        far = fmaxf(far, vec3_length(vec3_sub(corner, eye)));
    }
    for (int i = 0; i < r->n_body_draws; ++i) {
        const BodyDraw* d = &r->body_draws[i];
        float size = d->high - d->low;
        far = fmaxf(far, fminf(vec3_length(vec3_sub(d->middle, eye)) + size, 8.0f * side));
    }
    return 1.05f * far + 0.01f * side;
}

static void place(const TarnRenderer* r, const TarnFrameWater* w)
{
    FrameBlock* f = &r->land->block;
    const Land* land = r->land;
    float foot = tarn__land_foot(tarn__larger_side(w), land->low, land->high);
    tarn__set4(f->basin, w->origin.x, w->origin.y, w->dx * (float)land->nx,
               w->dx * (float)land->nz);
    tarn__set4(f->levels, land->base, foot, w->rest_level, land->high - foot);
}

void tarn__land_reach(const TarnRenderer* r, const TarnFrame* frame, const TarnFrameWater* w,
                      float* near, float* far)
{
    float side = tarn__larger_side(w);
    TarnVec3 eye = frame->camera.eye;
    place(r, w);
    const FrameBlock* f = &r->land->block;
    *far = far_of(r, eye, side);
    float least = least_near(r->land, f, eye, side);
    *near = clampf(0.35f * clearance(r->land, f, eye), least, 0.3f * *far);
}

typedef struct Bounds { // in the plan of the light: x and z where a ray of the sun meets y = 0; y
    float lo[3], hi[3];
} Bounds;

static void grow(Bounds* b, TarnVec3 p, TarnVec3 sun, float reach)
{
    const float at[3] = { p.x - sun.x / sun.y * p.y, p.z - sun.z / sun.y * p.y, p.y };
    for (int k = 0; k < 3; ++k) {
        b->lo[k] = fminf(b->lo[k], at[k] - reach);
        b->hi[k] = fmaxf(b->hi[k], at[k] + reach);
    }
}

static const Bounds nothing = { { 1e30f, 1e30f, 1e30f }, { -1e30f, -1e30f, -1e30f } };

// Of the bodies that are large enough in the picture.
static Bounds bounds_of_bodies(const TarnRenderer* r, TarnVec3 sun)
{
    Bounds b = nothing;
    TarnVec3 eye = vec3(r->frame.eye[0], r->frame.eye[1], r->frame.eye[2]);
    for (int i = 0; i < r->n_body_draws; ++i) {
        const BodyDraw* d = &r->body_draws[i];
        TarnVec3 p = vec3(d->model.m[12], d->model.m[13], d->model.m[14]);
        float reach = 0.5f * (d->high - d->low) / sun.y;
        if (reach > 2e-3f * vec3_length(vec3_sub(p, eye))) grow(&b, p, sun, reach);
    }
    return b;
}

// Of the part of the block that the camera sees, between two heights: rays through the picture,
// followed down to both.
static Bounds bounds_of_view(const TarnRenderer* r, TarnVec3 sun, float low, float high)
{
    enum { N = 4 };
    Bounds b = nothing;
    const FrameBlock* f = &r->frame;
    Mat4 back = mat4_inverse(&f->view_proj);
    TarnVec3 eye = vec3(f->eye[0], f->eye[1], f->eye[2]);
    for (int j = 0; j <= N; ++j)
        for (int i = 0; i <= N; ++i) {
            float x = 2.0f * (float)i / N - 1.0f, y = 2.0f * (float)j / N - 1.0f, q[4];
            for (int k = 0; k < 4; ++k)
                q[k] = back.m[k] * x + back.m[4 + k] * y + back.m[8 + k] + back.m[12 + k];
            TarnVec3 far = vec3(q[0] / q[3], q[1] / q[3], q[2] / q[3]);
            for (int side = 0; side < 2; ++side) {
                float level = side ? high : low, fall = far.y - eye.y;
                float t = (level - eye.y) / (fabsf(fall) > 1e-6f ? fall : 1e-6f);
                if (t < 0.0f || t > 1.0f) t = 1.0f; // towards the sky: as far as can be seen
                float px = clampf(lerpf(eye.x, far.x, t), f->basin[0], f->basin[0] + f->basin[2]);
                float pz = clampf(lerpf(eye.z, far.z, t), f->basin[1], f->basin[1] + f->basin[3]);
                grow(&b, vec3(px, level, pz), sun, 0.0f);
            }
        }
    return b;
}

// Sheets throw shadows, too: it is dark in a barrel.
static void grow_by_sheets(Bounds* b, const TarnMesh* sheets, TarnVec3 sun)
{
    for (int i = 0; sheets && i < sheets->n_vertices; ++i)
        if (vec3_is_finite(sheets->position[i])) grow(b, sheets->position[i], sun, 0.0f);
}

// The map of shadows lies over the bodies that are seen. Depth is the height y alone, which
// orders points along a ray of the sun as well as the distance along it, and stays precise over
// kilometers. The borders move in steps, so that shadows at rest stay at rest.
Mat4 tarn__land_light(const TarnRenderer* r, TarnVec3 sun, const TarnVec3* boxes, int n_boxes,
                      float* range)
{
    Mat4 m = { { 0 } };
    m.m[15] = 1.0f;
    m.m[12] = m.m[13] = 4.0f; // no bodies: everything is outside the map
    *range = 1.0f;
    Bounds b = bounds_of_bodies(r, sun);
    grow_by_sheets(&b, r->land->sheets, sun);
    for (int i = 0; i < 8 * n_boxes; ++i) {
        TarnVec3 lo = boxes[2 * (i / 8)], hi = boxes[2 * (i / 8) + 1];
        grow(&b, vec3(i & 1 ? hi.x : lo.x, i & 2 ? hi.y : lo.y, i & 4 ? hi.z : lo.z), sun, 0.0f);
    }
    if (b.hi[0] <= b.lo[0]) return m;
    Bounds seen = bounds_of_view(r, sun, r->land->low, fmaxf(b.hi[2], r->land->high));
    float *lo = b.lo, *hi = b.hi;
    for (int k = 0; k < 2 && n_boxes == 0; ++k) { // boxes lie beyond the block
        lo[k] = fmaxf(lo[k], seen.lo[k]);
        hi[k] = fminf(hi[k], seen.hi[k]);
        if (hi[k] <= lo[k]) return m;
    }
    for (int k = 0; k < 3; ++k) {
        float step = exp2f(ceilf(log2f((hi[k] - lo[k]) / 8.0f)));
        lo[k] = step * floorf(lo[k] / step - 0.25f);
        hi[k] = step * ceilf(hi[k] / step + 0.25f);
    }
    lo[2] -= 0.5f * (hi[2] - lo[2]);
    *range = hi[2] - lo[2];
    float a = sun.x / sun.y, c = sun.z / sun.y;
    float sx = 2.0f / (hi[0] - lo[0]), sz = 2.0f / (hi[1] - lo[1]), sy = -2.0f / *range;
    m.m[0] = sx, m.m[4] = -a * sx, m.m[12] = -0.5f * (lo[0] + hi[0]) * sx;
    m.m[9] = sz, m.m[5] = -c * sz, m.m[13] = -0.5f * (lo[1] + hi[1]) * sz;
    m.m[6] = sy, m.m[14] = -0.5f * (lo[2] + hi[2]) * sy;
    return m;
}

void tarn__land_constants(TarnRenderer* r, const TarnFrame* frame, const TarnFrameWater* w)
{
    FrameBlock* f = &r->land->block;
    const Land* land = r->land;
    float side = tarn__larger_side(w), relief = land->high - land->low;
    *f = r->common;
    place(r, w);
    f->mirror_view_proj = f->view_proj;
    f->fog[2] = land->high - land->low;
    bool is_own = w->clarity > 0.0f;
    TarnVec3 color = is_own ? w->water_color : frame->water_color;
    tarn__set4(f->water_color, color.x, color.y, color.z, f->water_color[3]);
    tarn__absorption(color, is_own ? w->clarity : frame->clarity, f->absorb);

    float ripple = 0.12f * powf(side, 0.8f), film = tarn__land_film(w);
    float band = tarn__land_band(w);
    bool is_high = !w->land.has_beach && relief > 150.0f && relief > 0.15f * side; // it wears snow
    tarn__set4(f->scale, side / 1.6f, side / 26.0f, ripple, 0.075f);
    float sand = w->land.sand > 0.0f ? w->land.sand : 2.0f * band;
    tarn__set4(f->coast, film, band, w->land.has_beach ? w->rest_level + sand : -1e9f,
               is_high ? land->low + 0.80f * relief : 1e9f);
    tarn__set4(f->flow, 0.9f * sqrtf(ripple / 9.81f) + 0.1f, side / 150.0f,
               w->land.soil.data ? 0.03f + 0.01f * w->dx : 0.0f, 1.1f * sqrtf(fminf(w->dx, 16.0f)));
    tarn__set4(f->open_side, w->land.has_sea && !frame->sea ? 1.0f : 0.0f, 0.0f, 0.0f, 0.0f);
}
