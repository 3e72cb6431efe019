// Waves of bodies as wave particles.
//
// Method   [Yuksel2007] The outline of a body, seen from above, is walked along in steps of at most half a radius. Each
//          part of it pushes aside the water that it sweeps, its velocity through the water along its normal times its
//          length and the draft; what the body gains or loses in depth is shared by all parts. A part sheds a particle of
//          that volume along its normal, a trough where it retreats, whose angle is the one between its neighbors'
//          normals.
// Balance  The normals are those of the chords between the neighbors, so that a body that moves along sheds as much
//          trough as crest, to rounding, whatever its shape; too high waves lower all those of the body alike.
// Differs  from the paper's faces and pixels: bodies are convex, so their outline is a polygon, and the draft is the mean
//          one. A body under water sheds less, by exp(-pi depth / radius).
// Checked  tests/physics/check_wave_particles.c, tests/unit/test_wave_particles.c

#include "tarn/coupling.h"
#include "base/maths.h"
#include "bodies/bodies.h"
#include "waves/wave_particles_internal.h"
#include <math.h>

enum { MAX_CORNERS = 2 * BODY_MAX_POINTS, MAX_SAMPLES = 64, ROUND = 16 };
static const float pi = 3.1415927f;

typedef struct Outline {
    TarnVec2 p[MAX_CORNERS];
    int n;
    float length, area; // [m], [m^2]
    float lo, hi;       // y of the lowest and the highest point [m]
} Outline;

// ---- The outline seen from above -------------------------------------------------------------------

static void add_corner(Outline* o, TarnVec3 p)
{
    if (o->n == 0) o->lo = o->hi = p.y;
    o->lo = tarn_minf(o->lo, p.y), o->hi = tarn_maxf(o->hi, p.y);
    if (o->n < MAX_CORNERS) o->p[o->n++] = (TarnVec2){ p.x, p.z };
}

static void add_circle(Outline* o, TarnVec3 center, float radius, int n)
{
    for (int i = 0; i < n; ++i) {
        float s, c;
        tarn_sincos(2.0f * pi * (float)i / (float)n, &s, &c);
        add_corner(o, (TarnVec3){ center.x + radius * c, center.y, center.z + radius * s });
    }
    o->lo = tarn_minf(o->lo, center.y - radius), o->hi = tarn_maxf(o->hi, center.y + radius);
}

static void collect(const TarnBody* body, float surface, Outline* o)
{
    TarnVec3 at = body->state.position, s = body->shape.size;
    TarnQuat q = body->state.rotation;
    o->n = 0;
    switch (body->shape.kind) {
    case TARN_SHAPE_BOX:
        for (int i = 0; i < 8; ++i) {
            TarnVec3 p = { i & 1 ? s.x : -s.x, i & 2 ? s.y : -s.y, i & 4 ? s.z : -s.z };
            add_corner(o, vec3_add(at, quat_rotate(q, p)));
        }
        return;
    case TARN_SHAPE_CAPSULE:
        for (int i = -1; i <= 1; i += 2)
            add_circle(o, vec3_add(at, quat_rotate(q, (TarnVec3){ 0.0f, (float)i * s.y, 0.0f })),
                       s.x, ROUND);
        return;
    case TARN_SHAPE_HULL:
        for (int i = 0; i < body->shape.n_points; ++i)
            add_corner(o, vec3_add(at, quat_rotate(q, body->points[i])));
        return;
    default: { // a ball at its waterline
        float r = body->radius, up = tarn_clampf(surface - at.y, -0.98f * r, 0.98f * r);
        add_circle(o, at, sqrtf(r * r - (surface > at.y + r ? 0.0f : up * up)), ROUND);
        o->lo = at.y - r, o->hi = at.y + r;
    }
    }
}

static float turn_of(TarnVec2 a, TarnVec2 b, TarnVec2 c)
{
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

// Leaves the corners of the convex hull, in the order of rising angles (Andrew's monotone chain).
static void make_convex(Outline* o)
{
    TarnVec2 hull[2 * MAX_CORNERS];
    int n = 0;
    for (int i = 1; i < o->n; ++i) { // few: insertion sort by x, then z
        TarnVec2 p = o->p[i];
        int k = i;
        for (; k > 0 && (o->p[k - 1].x > p.x || (o->p[k - 1].x == p.x && o->p[k - 1].y > p.y)); --k)
            o->p[k] = o->p[k - 1];
        o->p[k] = p;
    }
    for (int pass = 0, base = 0; pass < 2; ++pass, base = n - 1) {
        for (int j = pass; j < o->n; ++j) {
            TarnVec2 p = o->p[pass ? o->n - 1 - j : j];
            while (n >= base + 2 && turn_of(hull[n - 2], hull[n - 1], p) <= 0.0f) --n;
            hull[n++] = p;
        }
    }
    o->n = n > 1 ? n - 1 : n; // the first one closes it
    if (o->n > MAX_CORNERS) o->n = MAX_CORNERS;
    memcpy(o->p, hull, (size_t)o->n * sizeof *hull);
    o->length = o->area = 0.0f;
    for (int i = 0; i < o->n; ++i) {
        TarnVec2 a = o->p[i], b = o->p[(i + 1) % o->n];
        o->length += sqrtf((b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y));
        o->area +=
            0.5f * ((a.x - o->p[0].x) * (b.y - o->p[0].y) - (a.y - o->p[0].y) * (b.x - o->p[0].x));
    }
}

// Points at even distances along the outline.
static void walk(const Outline* o, int n, TarnVec2* out)
{
    float step = o->length / (float)n, at = 0.5f * step, from = 0.0f;
    int made = 0;
    for (int i = 0; i < o->n && made < n; ++i) {
        TarnVec2 a = o->p[i], b = o->p[(i + 1) % o->n];
        float side = sqrtf((b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y));
        for (; made < n && at <= from + side; at += step) {
            float share = side > 0.0f ? (at - from) / side : 0.0f;
            out[made++] = (TarnVec2){ a.x + share * (b.x - a.x), a.y + share * (b.y - a.y) };
        }
        from += side;
    }
    for (; made < n; ++made) out[made] = o->p[0]; // rounding at the end
}

// ---- What it sheds -----------------------------------------------------------------------------------

typedef struct Water {
    float height, depth;
    TarnVec3 velocity;
} Water;

static Water water_at(const TarnSurface* surface, TarnVec3 p)
{
    Water out = { 0 };
    TarnSurfaceSamples samples = { .height = &out.height,
                                   .velocity = &out.velocity,
                                   .depth = &out.depth };
    out.depth = INFINITY;
    tarn_surface_query(*surface, 1, &p.x, &p.z, &samples);
    if (!tarn__is_finite3(out.velocity)) out.velocity = (TarnVec3){ 0.0f, 0.0f, 0.0f };
    return out;
}

static int class_of(const TarnWaveParticles* w, const Outline* o)
{
    float size = sqrtf(o->area / pi);
    int c = 0;
    while (c + 1 < w->def.radii && size > 1.4f * w->levels[c].radius) ++c;
    return c;
}

// Ticks of the clock of a class within the frame: it sheds once per half radius of travel.
static int ticks(const TarnWaveParticles* w, int c, float dt, float* period)
{
    const WaveLevel* level = &w->levels[c];
    *period = 0.5f * level->radius / level->speed;
    double n = floor((w->time + (double)dt) / (double)*period) - floor(w->time / (double)*period);
    return n < 8.0 ? (int)n : 8;
}

static void shed(TarnWaveParticles* w, const TarnBody* body, const Outline* o, const Water* water,
                 int c, float time)
{
    const WaveLevel* level = &w->levels[c];
    float r = level->radius, high = o->hi - o->lo, wet = water->height - o->lo;
    if (!(wet > 0.0f && o->area > 0.0f && high > 0.0f)) return;
    bool is_under = wet > high;
    float fill = tarn_minf(body->volume / (o->area * high), 1.0f);
    float draft = fill * tarn_minf(wet, high);
    float weak = is_under ? tarn_exp(-pi * (wet - high) / r) : 1.0f;
    int n = (int)tarn_clampf(ceilf(o->length / (0.5f * r)), 8.0f, (float)MAX_SAMPLES);
    TarnVec2 p[MAX_SAMPLES], normal[MAX_SAMPLES];
    TarnWaveParticle out[MAX_SAMPLES];
    walk(o, n, p);
    TarnVec3 slip = vec3_sub(body->state.velocity, water->velocity);
    float sink = is_under ? 0.0f : -slip.y * o->area * fill / (float)n, most = 0.0f;
    for (int i = 0; i < n; ++i) { // corners go round with rising angles: outward is to the right
        TarnVec2 a = p[(i + n - 1) % n], b = p[(i + 1) % n];
        normal[i] = (TarnVec2){ 0.5f * (b.y - a.y), -0.5f * (b.x - a.x) };
        TarnVec3 arm = { p[i].x - body->state.position.x, 0.0f, p[i].y - body->state.position.z };
        TarnVec3 v = vec3_add(slip, vec3_cross(body->state.angular_velocity, arm));
        float flow = (v.x * normal[i].x + v.z * normal[i].y) * draft + sink; // [m^3/s]
        out[i] = (TarnWaveParticle){
            .position = p[i],
            .direction = normal[i],
            .amplitude = w->params.wave_gain * weak * flow * time / (r * r),
            .radius = c,
        };
        most = tarn_maxf(most, fabsf(out[i].amplitude));
    }
    float limit = w->params.max_height * r, scale = most > limit ? limit / most : 1.0f;
    for (int i = 0; i < n; ++i) {
        TarnVec2 a = normal[(i + n - 1) % n], b = normal[(i + 1) % n];
        float sine = a.x * b.y - a.y * b.x, cosine = a.x * b.x + a.y * b.y;
        float angle = 0.5f * tarn_atan2(sine, cosine), step = o->length / (float)n;
        out[i].amplitude *= scale;
        out[i].angle = angle > 1e-3f ? angle : 0.0f;
        out[i].distance = angle > 1e-3f ? step / angle : 0.0f;
        bool is_going = normal[i].x != 0.0f || normal[i].y != 0.0f;
        if (is_going && out[i].amplitude != 0.0f) tarn_wave_particles_add(w, &out[i], 1);
    }
}

static void shed_body(TarnWaveParticles* w, const TarnSurface* surface, const TarnBody* body,
                      float dt)
{
    Outline o;
    TarnVec3 at = body->state.position;
    if (!body->is_used || body->shape.kind == TARN_SHAPE_SPAN) return;
    if (!tarn_surface_covers(tarn_wave_particles_surface(w), at.x, at.z)) return;
    Water water = water_at(surface, at);
    bool is_wet = water.depth > 0.0f && at.y - body->radius < water.height;
    if (!is_wet || !(at.y > water.height - 20.0f * body->radius)) return;
    collect(body, water.height, &o);
    make_convex(&o);
    float period;
    int c = class_of(w, &o), n = ticks(w, c, dt, &period);
    if (o.n >= 3 && n > 0) shed(w, body, &o, &water, c, (float)n * period);
}

TarnResult tarn_couple_wave_particles_bodies(TarnWaveParticles* w, const TarnSurface* surface,
                                             TarnBodies* bodies, float dt)
{
    if (w == NULL || bodies == NULL) return TARN_ERR_ARG;
    if (!(dt >= 0.0f && dt <= 10.0f))
        return tarn__fail(w->ctx, TARN_ERR_ARG,
                          "tarn_couple_wave_particles_bodies: dt %g s is out of range; allowed: 0 "
                          "to 10 s",
                          (double)dt);
    TarnSurface own = tarn_wave_particles_surface(w);
    if (surface == NULL || surface->query == NULL) surface = &own;
    for (int b = 0; b < tarn__bodies_capacity(bodies); ++b)
        shed_body(w, surface, tarn__bodies_slot(bodies, b), dt);
    return TARN_OK;
}
