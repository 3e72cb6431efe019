// Light and sky of a frame: one place for all layers.

#include "renderer.h"

static void light(FrameBlock* f, const float sun[3], const float sky[3], const float ground[3],
                  const float haze[3])
{
    tarn__set4(f->sun_color, sun[0], sun[1], sun[2], 0.0f);
    tarn__set4(f->sky_color, sky[0], sky[1], sky[2], 0.0f);
    tarn__set4(f->ground_color, ground[0], ground[1], ground[2], 0.0f);
    tarn__set4(f->haze_color, haze[0], haze[1], haze[2], 0.0f);
}

static void colors(const TarnRenderer* r, FrameBlock* f, bool has_gas, bool has_sea)
{
    if (r->ground == GROUND_BARS) {
        light(f, (float[]){ 2.0f, 1.92f, 1.80f }, (float[]){ 0.95f, 1.00f, 1.08f },
              (float[]){ 0.50f, 0.49f, 0.48f }, (float[]){ 1.75f, 1.76f, 1.77f });
        f->haze_color[3] = 1.0f;
    } else if (r->ground == GROUND_BASIN) {
        light(f, (float[]){ 2.75f, 2.55f, 2.20f }, (float[]){ 0.40f, 0.54f, 0.74f },
              (float[]){ 0.26f, 0.25f, 0.23f }, (float[]){ 0.38f, 0.67f, 1.10f });
    } else if (r->ground == GROUND_LAND || has_sea) {
        light(f, (float[]){ 2.85f, 2.60f, 2.18f }, (float[]){ 0.42f, 0.54f, 0.72f },
              (float[]){ 0.22f, 0.21f, 0.19f }, (float[]){ 0.40f, 0.67f, 1.08f });
    } else { // a darker day behind gases, so that white smoke and fire stand out
        light(f, (float[]){ 2.55f, 2.38f, 2.08f }, (float[]){ 0.52f, 0.60f, 0.72f },
              (float[]){ 0.42f, 0.39f, 0.36f },
              has_gas ? (float[]){ 0.36f, 0.48f, 0.62f } : (float[]){ 0.66f, 0.92f, 1.20f });
    }
}

bool tarn__has_gas(const TarnFrame* frame)
{
    bool has_looks = false;
    for (int i = 0; i < frame->n_particles; ++i)
        has_looks |= frame->particles[i].looks && frame->particles[i].n_looks > 0;
    return frame->n_gases > 0 || has_looks;
}

TarnVec3 tarn__sun_of(const TarnRenderer* r, const TarnFrame* frame)
{
    return tarn__sky_sun(frame, r->ground == GROUND_STUDIO ? 0.2f : 0.08f);
}

void tarn__environment(TarnRenderer* r, const TarnFrame* frame)
{
    FrameBlock* f = &r->common;
    TarnVec3 sun = tarn__sun_of(r, frame);
    tarn__set4(f->sun, sun.x, sun.y, sun.z, 1.0f);
    tarn__set4(f->light_down, -sun.x, -sun.y, -sun.z, 1.0f);
    colors(r, f, tarn__has_gas(frame), frame->sea != NULL);
    float exposure = r->ground == GROUND_LAND ? 0.82f : 0.80f;
    if (frame->sky.exposure > 0.0f) exposure *= frame->sky.exposure;
    tarn__set4(f->water_color, frame->water_color.x, frame->water_color.y, frame->water_color.z,
               exposure);
    tarn__sky(frame, f);
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
