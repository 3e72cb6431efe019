// Cameras and defaults that look good without tuning.

#include "internal.h"

static float larger_side(const TarnFrameWater* w)
{
    return w->dx * (float)maxi(w->height.nx, w->height.nz);
}

float tarn__mean_depth(const TarnFrameWater* w)
{
    float side = larger_side(w), depth = w->rest_level - w->bed_level;
    if (w->bed.data) {
        double sum = 0.0;
        int n = 0;
        int step_x = maxi(w->bed.nx / 64, 1), step_z = maxi(w->bed.nz / 64, 1);
        for (int k = 0; k < w->bed.nz; k += step_z)
            for (int i = 0; i < w->bed.nx; i += step_x) {
                float d = w->rest_level - w->bed.data[i + (size_t)w->bed.stride * (size_t)k];
                if (!(d > 0.0f) || !isfinite(d)) continue; // dry, or not a number
                sum += d;
                ++n;
            }
        depth = n ? (float)(sum / n) : 0.05f * side;
    }
    if (!isfinite(depth)) depth = 0.1f * side;
    return clampf(depth, 1e-3f * side, 2.0f * side);
}

// Mean height of the bed along the edge above calm water, 0 if it is below.
static float edge_height(const TarnFrameWater* w)
{
    const TarnView2* b = &w->bed;
    double sum = 0.0;
    int n = 0;
    for (int k = 0; k < b->nz; ++k)
        for (int i = 0; i < b->nx; i += k == 0 || k == b->nz - 1 ? 1 : maxi(b->nx - 1, 1)) {
            float y = b->data[i + (size_t)b->stride * (size_t)k] - w->rest_level;
            if (!isfinite(y)) continue;
            sum += y;
            ++n;
        }
    float mean = n ? (float)(sum / n) : 0.0f;
    return clampf(mean, 0.0f, 0.5f * larger_side(w));
}

// Where a point is in the picture, -1 to 1 across both sides.
static TarnVec2 in_picture(TarnVec3 p, const TarnCamera* c, float tan_x, float tan_y)
{
    TarnVec3 forward = vec3_unit(vec3_sub(c->target, c->eye));
    TarnVec3 right = vec3_unit(vec3_cross(forward, vec3(0, 1, 0)));
    TarnVec3 up = vec3_cross(right, forward), d = vec3_sub(p, c->eye);
    float z = fmaxf(vec3_dot(d, forward), 1e-3f * vec3_length(d));
    return (TarnVec2){ vec3_dot(d, right) / (z * tan_x), vec3_dot(d, up) / (z * tan_y) };
}

// Frames what stands on the basin's plan between two heights.
static TarnCamera fit(const TarnFrameWater* water, float yaw, float pitch, float aspect, float low,
                      float high)
{
    TarnCamera camera = { .eye = { 0, 1, 1 }, .fov = 0.45f };
    if (!water || !(water->dx > 0.0f) || water->height.nx < 1 || water->height.nz < 1)
        return camera;
    if (!(aspect > 0.0f)) aspect = 16.0f / 9.0f;
    pitch = clampf(pitch, 0.03f, 1.55f);
    float wx = water->dx * (float)water->height.nx, wz = water->dx * (float)water->height.nz;
    TarnVec3 center =
        vec3(water->origin.x + 0.5f * wx, water->rest_level, water->origin.y + 0.5f * wz);
    TarnVec3 back = vec3(sinf(yaw) * cosf(pitch), sinf(pitch), cosf(yaw) * cosf(pitch));
    float tan_y = tanf(0.5f * camera.fov), tan_x = tan_y * aspect;
    bool is_closed =
        water->has_rim[0] && water->has_rim[1] && water->has_rim[2] && water->has_rim[3];
    float fill = is_closed ? 1.0f : 1.18f; // open water may run out of the picture a little
    float side = fmaxf(wx, wz), rim = is_closed ? 0.05f * sqrtf(side) : 0.0f;
    TarnVec3 corner[8];
    for (int i = 0; i < 8; ++i)
        corner[i] = vec3(center.x + (i & 1 ? 1.0f : -1.0f) * (0.5f * wx + rim), i & 4 ? high : low,
                         center.z + (i & 2 ? 1.0f : -1.0f) * (0.5f * wz + rim));

    // Step by step: put the middle of the basin's picture into the middle of the frame, then come
    // as close as its corners allow.
    TarnVec3 right = vec3(cosf(yaw), 0.0f, -sinf(yaw)), ahead = vec3(-sinf(yaw), 0.0f, -cosf(yaw));
    float distance = 3.0f * side;
    camera.target = center;
    for (int step = 0; step < 60; ++step) {
        camera.eye = vec3_add(camera.target, vec3_scale(back, distance));
        TarnVec2 lo = { 1e9f, 1e9f }, hi = { -1e9f, -1e9f };
        for (int i = 0; i < 8; ++i) {
            TarnVec2 q = in_picture(corner[i], &camera, tan_x, tan_y);
            lo.x = fminf(lo.x, q.x), lo.y = fminf(lo.y, q.y);
            hi.x = fmaxf(hi.x, q.x), hi.y = fmaxf(hi.y, q.y);
        }
        float size = fmaxf(hi.x - lo.x, 1.06f * (hi.y - lo.y)) * 0.5f / fill;
        float shift_x = 0.5f * (lo.x + hi.x) * distance * tan_x;
        float shift_y = 0.5f * (lo.y + hi.y) * distance * tan_y / fmaxf(sinf(pitch), 0.2f);
        camera.target = vec3_add(camera.target, vec3_scale(right, 0.6f * shift_x));
        camera.target = vec3_add(camera.target, vec3_scale(ahead, 0.6f * shift_y));
        distance = clampf(distance * lerpf(1.0f, size, 0.6f), 0.3f * side, 40.0f * side);
    }
    camera.eye = vec3_add(camera.target, vec3_scale(back, distance));
    return camera;
}

TarnCamera tarn_frame_camera(const TarnFrameWater* water, float yaw, float pitch, float aspect)
{
    float level = water ? water->rest_level : 0.0f;
    return fit(water, yaw, pitch, aspect, level, level);
}

void tarn_frame_defaults(TarnFrame* frame)
{
    if (!frame) return;
    const TarnFrameWater* w = &frame->water;
    float side = larger_side(w);
    if (!(side > 0.0f)) side = 10.0f;
    bool is_closed = w->has_rim[0] && w->has_rim[1] && w->has_rim[2] && w->has_rim[3];
    bool is_pool = is_closed && !w->is_wall && !(w->bed.data && edge_height(w) > 0.0f);
    float pitch = 0.58f + (w->bed.data ? 0.9f * edge_height(w) / side : 0.0f); // over the bank
    frame->camera = tarn_frame_camera(w, 0.17f, is_closed ? pitch : 0.40f, 16.0f / 9.0f);
    if (frame->mode == TARN_RENDER_BARS) {
        float low = w->rest_level - tarn__mean_depth(w), high = w->rest_level + 0.04f * side;
        frame->camera = fit(w, 0.62f, 0.60f, 16.0f / 9.0f, low, high);
    }

    // The sun stands behind the water, to the left: it glitters and the caustics come forward.
    float elevation = 0.74f, azimuth = 0.17f + 3.14159265f + 0.62f;
    if (frame->mode == TARN_RENDER_BARS) azimuth = 0.62f - 1.15f;
    frame->sun =
        vec3(sinf(azimuth) * cosf(elevation), sinf(elevation), cosf(azimuth) * cosf(elevation));
    float depth = tarn__mean_depth(w);
    frame->water_color = is_pool ? vec3(0.012f, 0.200f, 0.285f) : vec3(0.008f, 0.066f, 0.085f);
    frame->clarity = is_pool ? 2.8f * depth : 1.3f * depth;
}
