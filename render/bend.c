// Liquids and particles above the water, for an eye that is under it: each particle goes to where calm water shows
// it. Their passes draw them there as they draw any others.

#include "renderer.h"

// As `apparent` of shaders_solid.h does from below: on the line to the place where the light passes the surface, as far
// away as the bent line is long. Snell's law, by Newton's method.
static TarnVec3 seen_from_below(TarnVec3 p, TarnVec3 eye, float level)
{
    const float ior = 1.333f, edge = 1.1344f; // tangent of the edge of the window
    float high = p.y - level, deep = fmaxf(level - eye.y, 1e-3f);
    if (high <= 0.0f) return p;
    float dx = p.x - eye.x, dz = p.z - eye.z, l = fmaxf(sqrtf(dx * dx + dz * dz), 1e-5f);
    float most = fminf(l * deep / (deep + high), edge * deep);
    float x = fminf(l * deep / (deep + high * ior), most);
    for (int i = 0; i < 5; ++i) {
        float a = 1.0f / sqrtf(x * x + deep * deep);
        float b = 1.0f / sqrtf((l - x) * (l - x) + high * high);
        float f = ior * x * a - (l - x) * b;
        float g = ior * deep * deep * a * a * a + high * high * b * b * b;
        x = clampf(x - f / g, 0.0f, most);
    }
    TarnVec3 s = vec3(eye.x + dx * (x / l), level, eye.z + dz * (x / l)), ray = vec3_sub(s, eye);
    float wet = vec3_length(ray), dry = vec3_length(vec3_sub(p, s));
    return vec3_add(eye, vec3_scale(ray, (wet + dry) / wet));
}

static void bend(TarnRenderer* r, PointTexture* texture, float* texels, int n, TarnVec3 eye,
                 float level)
{
    for (int i = 0; i < n; ++i) {
        float* t = texels + (size_t)i * POINT_TEXELS * 4;
        TarnVec3 p = seen_from_below(vec3(t[0], t[1], t[2]), eye, level);
        t[0] = p.x, t[1] = p.y, t[2] = p.z;
    }
    tarn__upload_points(r, texture, texels, n);
}

void tarn__bend_points(TarnRenderer* r, const TarnFrame* frame, float level)
{
    Liquid* l = &r->liquid;
    TarnVec3 eye = frame->camera.eye;
    for (int i = 0; i < frame->n_liquids; ++i) {
        OneLiquid* one = &l->each[i];
        if (one->points.n > 0)
            bend(r, &one->texture, one->points.texels, one->points.n, eye, level);
    }
    if (l->sprites.n > 0) bend(r, &l->sprite_texture, l->sprites.texels, l->sprites.n, eye, level);
}
