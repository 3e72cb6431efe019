// Bodies that slam or plough: water is thrown along their waterline, where a face moves into it.

#include "bodies/bodies.h"
#include "spray/spray_internal.h"
#include <math.h>

typedef struct Face {
    TarnVec3 corner[3], normal; // world
    float area;                 // [m^2]
    float above[3];             // of each corner over the water [m]
    TarnVec3 water;             // velocity at its middle [m/s]
    bool is_wet;                // there is water
} Face;

static void measure(const TarnSpray* s, const TarnVec3 corner[3], Face* f)
{
    float x[4], z[4], height[4], depth[4];
    TarnVec3 v[4];
    TarnVec3 mid = { 0.0f, 0.0f, 0.0f };
    for (int n = 0; n < 3; ++n) {
        f->corner[n] = corner[n];
        mid = vec3_add(mid, vec3_scale(f->corner[n], 1.0f / 3.0f));
        x[n] = f->corner[n].x, z[n] = f->corner[n].z;
    }
    x[3] = mid.x, z[3] = mid.z;
    TarnSurfaceSamples out = { .height = height, .depth = depth, .velocity = v };
    tarn__spray_ask(s, 4, x, z, &out);
    for (int n = 0; n < 3; ++n) f->above[n] = f->corner[n].y - height[n];
    f->is_wet = depth[3] > 0.0f && !spray_is_outside(s, mid.x, mid.z);
    f->water = v[3];
    TarnVec3 cross =
        vec3_cross(vec3_sub(f->corner[1], f->corner[0]), vec3_sub(f->corner[2], f->corner[0]));
    f->area = 0.5f * vec3_length(cross);
    f->normal = vec3_normalize(cross);
}

// The ends of the waterline on a face; false: it does not cross.
static bool waterline(const Face* f, TarnVec3 end[2])
{
    int n = 0;
    for (int a = 0; a < 3 && n < 2; ++a) {
        int b = (a + 1) % 3;
        if ((f->above[a] > 0.0f) == (f->above[b] > 0.0f)) continue;
        float t = f->above[a] / (f->above[a] - f->above[b]);
        end[n++] = vec3_add(f->corner[a], vec3_scale(vec3_sub(f->corner[b], f->corner[a]), t));
    }
    return n == 2;
}

// Along the waterline a sheet is thrown outwards and up, as thick as the speed into the water asks for.
static void plough(TarnSpray* s, const TarnBody* body, const Face* f)
{
    TarnVec3 end[2];
    if (!waterline(f, end)) return;
    TarnVec3 mid = vec3_scale(vec3_add(end[0], end[1]), 0.5f);
    TarnVec3 way = vec3_sub(tarn__body_velocity_at(body, mid), f->water);
    float into = vec3_dot(way, f->normal), speed = vec3_length(way);
    float length = vec3_length(vec3_sub(end[1], end[0]));
    float low = tarn_minf(f->above[0], tarn_minf(f->above[1], f->above[2]));
    if (speed > s->params.body_speed) // it churns whatever it passes
        tarn__spray_foam_at(s, mid.x, mid.z, s->params.foam * 0.35f * speed * length * s->dt);
    if (!(into > s->params.body_speed)) return;
    // A wave that is stopped by a wall turns its head into speed, upwards. own: how much of the motion is the water's.
    float own = tarn_minf(vec3_length(f->water) / speed, 1.0f);
    float head = tarn_clampf(mid.y - s->level, 0.0f, 20.0f);
    float rise = own * own * sqrtf(2.0f * s->def.gravity * head);
    into += 0.4f * rise;
    float thick = tarn_minf(0.05f * into * into / s->def.gravity, -0.25f * low);
    // Out of the way to the side, unless the face meets the water head-on.
    TarnVec3 flat = { f->normal.x, 0.0f, f->normal.z };
    TarnVec3 ahead = vec3_normalize((TarnVec3){ way.x, 0.0f, way.z });
    TarnVec3 out = vec3_normalize(vec3_sub(flat, vec3_scale(ahead, 0.9f * vec3_dot(flat, ahead))));
    SpraySource src = { .at = mid,
                        .along = vec3_scale(vec3_sub(end[1], end[0]), 0.5f),
                        .rate = s->params.bodies * into * length * thick,
                        .power = 0.5f * spray_density * into * into * into * length * thick,
                        .most = 0.5f * s->def.dx * s->def.dx * s->def.dx,
                        .foam = s->params.foam * length * into * 0.5f };
    // Fast sheets are torn by the air: their speed grows more slowly than that of the body.
    float fast = into / (1.0f + 0.06f * into);
    TarnVec3 up = { 0.3f * fast * ahead.x, 0.5f * fast + 1.5f * rise, 0.3f * fast * ahead.z };
    src.velocity = vec3_add(f->water, vec3_add(vec3_scale(out, 0.8f * fast), up));
    src.at = vec3_add(src.at, vec3_scale(out, 0.05f));
    tarn__spray_source(s, &src);
}

// A face that has just come under water squeezes it out at the rim of the body.
static void slam(TarnSpray* s, const TarnBody* body, const Face* f)
{
    TarnVec3 mid = { 0.0f, 0.0f, 0.0f };
    float deep = 0.0f;
    for (int n = 0; n < 3; ++n) {
        mid = vec3_add(mid, vec3_scale(f->corner[n], 1.0f / 3.0f));
        deep = tarn_maxf(deep, -f->above[n]);
        if (f->above[n] > 0.0f) return;
    }
    TarnVec3 way = vec3_sub(tarn__body_velocity_at(body, mid), f->water);
    float into = way.y < 0.0f ? way.y * f->normal.y : 0.0f; // ahead, it ploughs
    if (!(into > 2.0f * s->params.body_speed) || f->normal.y > -0.3f || deep > 0.12f * into) return;
    TarnVec3 out = vec3_normalize(
        (TarnVec3){ mid.x - body->state.position.x, 0.0f, mid.z - body->state.position.z });
    SpraySource src = { .at = vec3_add(body->state.position, vec3_scale(out, 0.8f * body->radius)),
                        .along = { 0.4f * body->radius * -out.z, 0.0f,
                                   0.4f * body->radius * out.x },
                        .velocity = { 0.6f * into * out.x, 0.8f * into, 0.6f * into * out.z },
                        .rate = 0.5f * s->params.bodies * into * f->area,
                        .power = 0.5f * spray_density * into * into * into * f->area,
                        .most = 0.5f * s->def.dx * s->def.dx * s->def.dx,
                        .foam = s->params.foam * into * f->area };
    src.at.y = mid.y + deep;
    tarn__spray_source(s, &src);
}

// Faces are cut until they are no longer than two cells: the water differs along them. Those that are far from it are left.
static void cut(TarnSpray* s, const TarnBody* body, const TarnVec3 c[3], int level)
{
    float longest = 0.0f, low = tarn_minf(c[0].y, tarn_minf(c[1].y, c[2].y));
    float high = tarn_maxf(c[0].y, tarn_maxf(c[1].y, c[2].y));
    int edge = 0;
    if (low > s->highest || high < s->lowest - 2.0f) return;
    for (int n = 0; n < 3; ++n) {
        float length = vec3_length(vec3_sub(c[(n + 1) % 3], c[n]));
        if (length > longest) longest = length, edge = n;
    }
    if (level > 0 && longest > 2.0f * s->def.dx) {
        TarnVec3 a = c[edge], b = c[(edge + 1) % 3], far = c[(edge + 2) % 3];
        TarnVec3 mid = vec3_scale(vec3_add(a, b), 0.5f);
        const TarnVec3 one[3] = { a, mid, far }, other[3] = { mid, b, far };
        cut(s, body, one, level - 1);
        cut(s, body, other, level - 1);
        return;
    }
    Face face;
    measure(s, c, &face);
    if (!face.is_wet) return;
    plough(s, body, &face);
    slam(s, body, &face);
}

void tarn__spray_bodies(TarnSpray* s)
{
    enum { CUTS = 8 };
    TarnBodies* bodies = s->around->bodies;
    for (int b = 0; b < tarn__bodies_capacity(bodies); ++b) {
        const TarnBody* body = tarn__bodies_slot(bodies, b);
        if (!body->is_used || body->state.position.y - body->radius > s->highest) continue;
        BodyTriangle triangles[BODY_MAX_SURFACE];
        int n = tarn__body_surface(body, triangles);
        for (int t = 0; t < n; ++t) {
            TarnVec3 corner[3];
            for (int p = 0; p < 3; ++p)
                corner[p] = vec3_add(triangles[t].p[p], body->state.position);
            cut(s, body, corner, CUTS);
        }
    }
}
