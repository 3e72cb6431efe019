// Cameras and defaults that look good without tuning.

#include "framing.h"

// What the grid is the grid of.
static const TarnView2* grid_of(const TarnFrameWater* w)
{
    return w->land.ground.data ? &w->land.ground : &w->height;
}

float tarn__larger_side(const TarnFrameWater* w)
{
    return w->dx * (float)maxi(grid_of(w)->nx, grid_of(w)->nz);
}

HeightRange tarn__land_range(const TarnFrameLand* land)
{
    const TarnView2* g = &land->ground;
    HeightRange range = { INFINITY, -INFINITY };
    for (int k = 0; k < g->nz; ++k)
        for (int i = 0; i < g->nx; ++i) {
            float y = g->data[i + (size_t)g->stride * (size_t)k];
            if (!(fabsf(y) < 1e6f)) continue; // NaN too
            range.low = fminf(range.low, y);
            range.high = fmaxf(range.high, y);
        }
    return range.low <= range.high ? range : (HeightRange){ 0.0f, 0.0f };
}

float tarn__mean_depth(const TarnFrameWater* w)
{
    float side = tarn__larger_side(w), depth = w->rest_level - w->bed_level;
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
    return clampf(mean, 0.0f, 0.5f * tarn__larger_side(w));
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

enum { LAND_POINTS = 13, MAX_POINTS = 8 + LAND_POINTS * LAND_POINTS };

// What must be in the picture: the corners of the plan at two heights, and the shape of the land.
static int points_of(const TarnFrameWater* water, float rim, float low, float high,
                     TarnVec3* points)
{
    const TarnView2* grid = grid_of(water);
    float wx = water->dx * (float)grid->nx, wz = water->dx * (float)grid->nz;
    TarnVec2 o = water->origin;
    int n = 0;
    for (int i = 0; i < 8; ++i)
        points[n++] = vec3(i & 1 ? o.x + wx + rim : o.x - rim, i & 4 ? high : low,
                           i & 2 ? o.y + wz + rim : o.y - rim);
    const TarnView2* g = &water->land.ground;
    for (int c = 0; g->data && c < LAND_POINTS * LAND_POINTS; ++c) {
        float u = (float)(c % LAND_POINTS) / (LAND_POINTS - 1);
        float v = (float)(c / LAND_POINTS) / (LAND_POINTS - 1);
        int i = (int)(u * (float)(g->nx - 1)), k = (int)(v * (float)(g->nz - 1));
        float y = g->data[i + (size_t)g->stride * (size_t)k];
        if (fabsf(y) < 1e6f) points[n++] = vec3(o.x + u * wx, fmaxf(y, low), o.y + v * wz);
    }
    return n;
}

// Frames what stands on the plan between two heights.
static TarnCamera fit(const TarnFrameWater* water, float yaw, float pitch, float aspect, float low,
                      float high)
{
    TarnCamera camera = { .eye = { 0, 1, 1 }, .fov = 0.45f };
    const TarnView2* grid = water ? grid_of(water) : NULL;
    if (!water || !(water->dx > 0.0f) || grid->nx < 1 || grid->nz < 1) return camera;
    if (!(aspect > 0.0f)) aspect = 16.0f / 9.0f;
    pitch = clampf(pitch, 0.03f, 1.55f);
    float wx = water->dx * (float)grid->nx, wz = water->dx * (float)grid->nz;
    bool is_land = water->land.ground.data != NULL;
    float middle = is_land ? 0.5f * (low + high) : water->rest_level;
    TarnVec3 center = vec3(water->origin.x + 0.5f * wx, middle, water->origin.y + 0.5f * wz);
    TarnVec3 back = vec3(sinf(yaw) * cosf(pitch), sinf(pitch), cosf(yaw) * cosf(pitch));
    float tan_y = tanf(0.5f * camera.fov), tan_x = tan_y * aspect;
    bool is_closed =
        water->has_rim[0] && water->has_rim[1] && water->has_rim[2] && water->has_rim[3];
    float fill = is_land || is_closed ? 1.0f : 1.18f; // open water may run out a little
    float side = fmaxf(wx, wz), rim = is_closed && !is_land ? 0.05f * sqrtf(side) : 0.0f;
    TarnVec3 points[MAX_POINTS];
    int n = points_of(water, rim, low, is_land ? low : high, points);

    // Step by step: put the middle of the picture of it into the middle of the frame, then come as
    // close as its points allow.
    TarnVec3 right = vec3(cosf(yaw), 0.0f, -sinf(yaw)), ahead = vec3(-sinf(yaw), 0.0f, -cosf(yaw));
    float distance = 3.0f * side;
    camera.target = center;
    for (int step = 0; step < 60; ++step) {
        camera.eye = vec3_add(camera.target, vec3_scale(back, distance));
        TarnVec2 lo = { 1e9f, 1e9f }, hi = { -1e9f, -1e9f };
        for (int i = 0; i < n; ++i) {
            TarnVec2 q = in_picture(points[i], &camera, tan_x, tan_y);
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

float tarn__land_foot(float side, float low, float high)
{
    return low - 0.035f * side - 0.10f * (high - low);
}

TarnCamera tarn_frame_camera(const TarnFrameWater* water, float yaw, float pitch, float aspect)
{
    if (water && water->land.ground.data) {
        HeightRange range = tarn__land_range(&water->land);
        float foot = tarn__land_foot(tarn__larger_side(water), range.low, range.high);
        return fit(water, yaw, pitch, aspect, foot, range.high);
    }
    float level = water ? water->rest_level : 0.0f;
    return fit(water, yaw, pitch, aspect, level, level);
}

TarnCamera tarn_frame_camera_box(TarnVec3 lo, TarnVec3 hi, bool is_flat, float yaw, float pitch,
                                 float aspect)
{
    TarnCamera camera = { .eye = { 0, 1, 1 }, .fov = 0.45f };
    TarnVec3 size = vec3_sub(hi, lo), center = vec3_scale(vec3_add(lo, hi), 0.5f);
    if (!vec3_is_finite(size) || !(size.x > 0.0f && size.y > 0.0f)) return camera;
    if (!(aspect > 0.0f)) aspect = 16.0f / 9.0f;
    float tan_y = tanf(0.5f * camera.fov), tan_x = tan_y * aspect;
    if (is_flat) {
        float half = 0.5f * fmaxf(size.y, size.x / aspect) * 1.06f;
        camera.target = vec3(center.x, center.y, 0.0f);
        camera.eye = vec3(center.x, center.y, half / tan_y);
        return camera;
    }
    pitch = clampf(pitch, 0.03f, 1.55f);
    TarnVec3 back = vec3(sinf(yaw) * cosf(pitch), sinf(pitch), cosf(yaw) * cosf(pitch));
    TarnVec3 right = vec3(cosf(yaw), 0.0f, -sinf(yaw)), up = vec3_cross(back, right);
    float side = fmaxf(fmaxf(size.x, size.y), size.z), distance = 3.0f * side;
    camera.target = center;
    for (int step = 0; step < 40; ++step) { // as in `fit`
        camera.eye = vec3_add(camera.target, vec3_scale(back, distance));
        TarnVec2 low = { 1e9f, 1e9f }, high = { -1e9f, -1e9f };
        for (int i = 0; i < 8; ++i) {
            TarnVec3 p = vec3(i & 1 ? hi.x : lo.x, i & 2 ? hi.y : lo.y, i & 4 ? hi.z : lo.z);
            TarnVec2 q = in_picture(p, &camera, tan_x, tan_y);
            low.x = fminf(low.x, q.x), low.y = fminf(low.y, q.y);
            high.x = fmaxf(high.x, q.x), high.y = fmaxf(high.y, q.y);
        }
        float filled = fmaxf(high.x - low.x, high.y - low.y) * 0.5f * 1.12f;
        float shift_x = 0.5f * (low.x + high.x) * distance * tan_x;
        float shift_y = 0.5f * (low.y + high.y) * distance * tan_y;
        camera.target = vec3_add(camera.target, vec3_scale(right, 0.6f * shift_x));
        camera.target = vec3_add(camera.target, vec3_scale(up, 0.6f * shift_y));
        distance = clampf(distance * lerpf(1.0f, filled, 0.6f), 0.3f * side, 40.0f * side);
    }
    camera.eye = vec3_add(camera.target, vec3_scale(back, distance));
    return camera;
}

// ---- The box that a picture shows ------------------------------------------------------------------

float tarn__body_bound(const TarnFrameBody* b)
{
    if (b->shape.kind == TARN_SHAPE_SPHERE) return b->shape.size.x;
    if (b->shape.kind == TARN_SHAPE_BOX) return vec3_length(b->shape.size);
    if (b->shape.kind == TARN_SHAPE_CAPSULE) return b->shape.size.x + b->shape.size.y;
    float most = 0.0f;
    for (int v = 0; v < b->shape.n_points; ++v) most = fmaxf(most, vec3_length(b->shape.points[v]));
    return most;
}

static bool is_box(TarnVec3 lo, TarnVec3 hi)
{
    return lo.x < hi.x && lo.y < hi.y;
}

static void join_box(Stage* s, TarnVec3 lo, TarnVec3 hi)
{
    if (!is_box(lo, hi)) return;
    s->lo = vec3(fminf(s->lo.x, lo.x), fminf(s->lo.y, lo.y), fminf(s->lo.z, lo.z));
    s->hi = vec3(fmaxf(s->hi.x, hi.x), fmaxf(s->hi.y, hi.y), fmaxf(s->hi.z, hi.z));
}

// Of all waters.
static void join_waters(Stage* s, const TarnFrame* frame)
{
    for (int i = 0; i < frame->n_waters; ++i) {
        const TarnFrameWater* w = &frame->waters[i];
        const TarnView2* grid = w->land.ground.data ? &w->land.ground : &w->height;
        float side = tarn__larger_side(w), high = w->rest_level + 0.1f * side;
        float low = w->rest_level - (w->land.ground.data ? 0.1f * side : tarn__mean_depth(w));
        join_box(s, vec3(w->origin.x, low, w->origin.y),
                 vec3(w->origin.x + w->dx * (float)grid->nx, high,
                      w->origin.y + w->dx * (float)grid->nz));
    }
}

static void join_bodies(Stage* s, const TarnFrame* frame)
{
    for (int i = 0; i < frame->n_bodies + frame->n_solids; ++i) {
        const TarnFrameBody* b =
            i < frame->n_bodies ? &frame->bodies[i] : &frame->solids[i - frame->n_bodies];
        float m = tarn__body_bound(b);
        TarnVec3 p = b->position;
        join_box(s, vec3(p.x - m, p.y - m, p.z - m), vec3(p.x + m, p.y + m, p.z + m));
    }
    for (int i = 0; i < frame->n_meshes; ++i) {
        const TarnMesh* m = frame->meshes[i].mesh;
        for (int v = 0; m && m->position && v < m->n_vertices; ++v) {
            TarnVec3 p = m->position[v];
            const float e = 1e-3f;
            if (fabsf(p.x) < 1e6f && fabsf(p.y) < 1e6f && fabsf(p.z) < 1e6f)
                join_box(s, vec3(p.x - e, p.y - e, p.z - e), vec3(p.x + e, p.y + e, p.z + e));
        }
    }
}

bool tarn__is_night(const TarnFrame* frame)
{
    return frame->sky.kind == TARN_SKY_NIGHT ||
           ((frame->sky.kind == TARN_SKY_AUTO || frame->sky.kind == TARN_SKY_NONE) &&
            frame->n_waters == 0 && frame->sky.sun.y < 0.0f);
}

Stage tarn__stage_of(const TarnFrame* frame)
{
    Stage s = { .lo = { 1e30f, 1e30f, 1e30f }, .hi = { -1e30f, -1e30f, -1e30f } };
    bool is_flat = frame->n_gases == 0 && frame->n_liquids + frame->n_particles > 0;
    for (int i = 0; i < frame->n_liquids; ++i) {
        join_box(&s, frame->liquids[i].box_min, frame->liquids[i].box_max);
        is_flat = is_flat && frame->liquids[i].dimensions == 2;
    }
    for (int i = 0; i < frame->n_gases; ++i)
        join_box(&s, frame->gases[i].box_min, frame->gases[i].box_max);
    for (int i = 0; i < frame->n_particles; ++i) {
        join_box(&s, frame->particles[i].box_min, frame->particles[i].box_max);
        is_flat = is_flat && (frame->n_liquids > 0 || frame->particles[i].is_flat);
    }
    if (!is_box(s.lo, s.hi)) join_waters(&s, frame);
    if (!is_box(s.lo, s.hi)) join_bodies(&s, frame);
    if (is_box(frame->box_min, frame->box_max)) s.lo = frame->box_min, s.hi = frame->box_max;
    if (!is_box(s.lo, s.hi)) s.lo = vec3(-1, -1, -1), s.hi = vec3(1, 1, 1);
    s.is_flat = is_flat;
    s.is_night = tarn__is_night(frame);
    if (s.is_flat) s.lo.z = s.hi.z = 0.0f;
    s.side = fmaxf(fmaxf(s.hi.x - s.lo.x, s.hi.z - s.lo.z), s.hi.y - s.lo.y);
    return s;
}

// ---- Defaults ----------------------------------------------------------------------------------------

static void stage_defaults(TarnFrame* frame)
{
    Stage s = tarn__stage_of(frame);
    frame->camera = tarn_frame_camera_box(s.lo, s.hi, s.is_flat, 0.45f, 0.30f, 16.0f / 9.0f);
    // From behind, to the left: light comes through the liquid and glitters on it.
    float elevation = 0.86f, azimuth = 0.45f - 1.75f;
    frame->sky.sun =
        vec3(sinf(azimuth) * cosf(elevation), sinf(elevation), cosf(azimuth) * cosf(elevation));
    frame->water_color = vec3(0.012f, 0.200f, 0.285f);
    frame->clarity = fmaxf(s.side, 1e-3f);
}

// Only sizes decide, not the water or the ground: both move, and the light must not.
static void land_defaults(TarnFrame* frame)
{
    float side = tarn__larger_side(tarn__water_of(frame));
    frame->camera = tarn_frame_camera(tarn__water_of(frame), 0.45f, 0.52f, 16.0f / 9.0f);
    float elevation = 0.66f, azimuth = 0.45f - 1.45f; // from the left: slopes show
    frame->sky.sun =
        vec3(sinf(azimuth) * cosf(elevation), sinf(elevation), cosf(azimuth) * cosf(elevation));
    frame->water_color = vec3(0.011f, 0.074f, 0.085f);
    frame->clarity = 0.085f * powf(fmaxf(side, 1.0f), 0.65f);
}

// Of a frame with waters that is to show a box, or several waters: all of it, from the same side.
static void frame_all(TarnFrame* frame)
{
    bool has_box = !vec3_is_equal(frame->box_min, frame->box_max);
    if (!has_box && frame->n_waters < 2) return;
    Stage s = tarn__stage_of(frame);
    TarnVec3 lo = s.lo, hi = s.hi;
    for (int i = 0; i < frame->n_waters && !has_box; ++i) {
        const TarnFrameWater* w = &frame->waters[i];
        const TarnView2* g = grid_of(w);
        lo = vec3(fminf(lo.x, w->origin.x), fminf(lo.y, w->rest_level), fminf(lo.z, w->origin.y));
        hi = vec3(fmaxf(hi.x, w->origin.x + w->dx * (float)g->nx), fmaxf(hi.y, w->rest_level),
                  fmaxf(hi.z, w->origin.y + w->dx * (float)g->nz));
    }
    TarnVec3 back = vec3_unit(vec3_sub(frame->camera.eye, frame->camera.target));
    frame->camera =
        tarn_frame_camera_box(lo, hi, false, atan2f(back.x, back.z), asinf(back.y), 16.0f / 9.0f);
}

static void water_defaults(TarnFrame* frame);

void tarn_frame_defaults(TarnFrame* frame)
{
    if (!frame) return;
    if (frame->n_waters == 0) {
        stage_defaults(frame);
        return;
    }
    water_defaults(frame);
    frame_all(frame);
}

static void water_defaults(TarnFrame* frame)
{
    const TarnFrameWater* w = frame->waters;
    if (w->land.ground.data && frame->mode == TARN_RENDER_WATER) {
        land_defaults(frame);
        return;
    }
    float side = tarn__larger_side(w);
    if (!(side > 0.0f)) side = 10.0f;
    bool is_closed = w->has_rim[0] && w->has_rim[1] && w->has_rim[2] && w->has_rim[3];
    bool is_pool = is_closed && !w->is_wall && !(w->bed.data && edge_height(w) > 0.0f);
    float pitch = 0.58f + (w->bed.data ? 0.9f * edge_height(w) / side : 0.0f); // over the bank
    frame->camera = tarn_frame_camera(w, 0.17f, is_closed ? pitch : 0.40f, 16.0f / 9.0f);
    if (frame->mode == TARN_RENDER_BARS) {
        float low = w->rest_level - tarn__mean_depth(w), high = w->rest_level + 0.04f * side;
        if (w->land.ground.data) {
            HeightRange range = tarn__land_range(&w->land);
            low = tarn__land_foot(side, range.low, range.high), high = range.high;
        }
        frame->camera = fit(w, 0.62f, 0.60f, 16.0f / 9.0f, low, high);
    }

    // The sun stands behind the water, to the left: it glitters and the caustics come forward.
    float elevation = 0.74f, azimuth = 0.17f + 3.14159265f + 0.62f;
    if (frame->mode == TARN_RENDER_BARS) azimuth = 0.62f - 1.15f;
    frame->sky.sun =
        vec3(sinf(azimuth) * cosf(elevation), sinf(elevation), cosf(azimuth) * cosf(elevation));
    float depth = tarn__mean_depth(w);
    frame->water_color = is_pool ? vec3(0.012f, 0.200f, 0.285f) : vec3(0.008f, 0.066f, 0.085f);
    frame->clarity = is_pool ? 2.8f * depth : 1.3f * depth;
}
