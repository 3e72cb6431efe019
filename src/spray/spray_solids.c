// Drops that hit bodies and solids: they bounce a little, and run off.
//
// Method   A drop that comes into a body is put back to the nearest place of its surface, and one that meets a solid stops
//          there. Of its speed into the surface a fifth comes back. Fine drops and rain end there. What has come to lie on a
//          level top runs towards the nearest rim, and what lies still for long seeps away to the water below, with its volume.
// Cost     Cells of the grid with a body over, in or under them are marked; only drops there are looked at.

#include "bodies/bodies.h"
#include "particles/solids_internal.h"
#include "spray/spray_internal.h"
#include <math.h>

static const float spring = 0.2f; // share of the speed into a surface that comes back
static const float slide = 10.0f; // rate at which the speed along it is lost [1/s]
static const float soak = 3.0f;   // what lies still is gone after this time [s]
enum {
    SAMPLES = 4,
    MAX_SLOTS = 64
}; // places on the way of a drop that are looked at; solids near a block

// ---- Bodies --------------------------------------------------------------------------------------

void tarn__spray_mark(TarnSpray* s)
{
    TarnBodies* bodies = s->around->bodies;
    s->n_bodies = 0;
    if (bodies == NULL) return;
    for (int b = 0; b < tarn__bodies_capacity(bodies); ++b) {
        const TarnBody* body = tarn__bodies_slot(bodies, b);
        if (!body->is_used) continue;
        TarnVec3 p = body->state.position;
        float r = body->radius, out = r + s->def.dx; // all of the cells
        if (s->n_bodies == 0) {
            memset(s->marks, 0, spray_cells(s));
            s->marked_min = s->marked_max = (TarnVec2){ p.x, p.z };
        }
        s->n_bodies = b + 1;
        s->marked_min.x = tarn_minf(s->marked_min.x, p.x - out);
        s->marked_min.y = tarn_minf(s->marked_min.y, p.z - out);
        s->marked_max.x = tarn_maxf(s->marked_max.x, p.x + out);
        s->marked_max.y = tarn_maxf(s->marked_max.y, p.z + out);
        size_t from = spray_cell(s, p.x - r, p.z - r), to = spray_cell(s, p.x + r, p.z + r);
        size_t nx = (size_t)s->def.nx;
        for (size_t k = from / nx; k <= to / nx; ++k)
            memset(s->marks + k * nx + from % nx, 1, to % nx - from % nx + 1);
    }
}

// How deep a place in the axes of a box is inside, and the way out.
static float box_depth(TarnVec3 half, TarnVec3 p, TarnVec3* out)
{
    const float depth[3] = { half.x - fabsf(p.x), half.y - fabsf(p.y), half.z - fabsf(p.z) };
    int a = depth[0] < depth[1] ? 0 : 1;
    if (depth[2] < depth[a]) a = 2;
    *out = (TarnVec3){ a == 0 ? (p.x < 0.0f ? -1.0f : 1.0f) : 0.0f,
                       a == 1 ? (p.y < 0.0f ? -1.0f : 1.0f) : 0.0f,
                       a == 2 ? (p.z < 0.0f ? -1.0f : 1.0f) : 0.0f };
    return depth[a];
}

static float hull_depth(const TarnBody* body, TarnVec3 p, TarnVec3* out)
{
    float depth = body->radius;
    for (int i = 0; i < body->n_planes; ++i) {
        float d = body->planes[i].offset - vec3_dot(body->planes[i].normal, p);
        if (d < depth) depth = d, *out = body->planes[i].normal;
    }
    return depth;
}

static float ball_depth(float radius, TarnVec3 p, TarnVec3* out)
{
    float far = vec3_length(p);
    if (far > 1e-6f) *out = vec3_scale(p, 1.0f / far);
    return radius - far;
}

// How deep a place is in a body, negative outside, and the shortest way out, in world axes.
static float depth_in(const TarnBody* body, TarnVec3 at, TarnVec3* out)
{
    TarnVec3 d = vec3_sub(at, body->state.position), size = body->shape.size;
    *out = (TarnVec3){ 0.0f, 1.0f, 0.0f };
    if (!(vec3_dot(d, d) < body->radius * body->radius)) return -1.0f;
    TarnVec3 p = quat_rotate_inverse(body->state.rotation, d);
    float depth = -1.0f, lo, hi;
    switch (body->shape.kind) {
    case TARN_SHAPE_SPHERE:
        depth = ball_depth(body->radius, p, out);
        break;
    case TARN_SHAPE_BOX:
        depth = box_depth(size, p, out);
        break;
    case TARN_SHAPE_CAPSULE:
        p.y -= tarn_clampf(p.y, -size.y, size.y);
        depth = ball_depth(size.x, p, out);
        break;
    case TARN_SHAPE_HULL:
        depth = hull_depth(body, p, out);
        break;
    default: // a span: up and down only
        if (!tarn__body_span(body, at.x, at.z, &lo, &hi)) return -1.0f;
        out->y = hi - at.y < at.y - lo ? 1.0f : -1.0f;
        return tarn_minf(hi - at.y, at.y - lo);
    }
    *out = quat_rotate(body->state.rotation, *out);
    return depth;
}

// ---- What a drop does at a surface -----------------------------------------------------------------

typedef struct Surface {
    TarnVec3 normal, velocity; // [m/s]
    TarnVec3 middle;           // of what has it [m]
} Surface;

static void touch(TarnSpray* s, int p, TarnVec3 at, const Surface* surface)
{
    SprayPool* d = &s->drops;
    TarnVec3 v = { d->vx[p], d->vy[p], d->vz[p] }, n = surface->normal;
    TarnVec3 way = vec3_sub(v, surface->velocity);
    float into = -vec3_dot(way, n);
    d->x[p] = at.x, d->y[p] = at.y, d->z[p] = at.z;
    if (d->kind[p] == TARN_SPRAY_FINE || d->kind[p] == TARN_SPRAY_RAIN) {
        d->fate[p] = SPRAY_ENDS;
        return;
    }
    if (!(into > 0.0f)) return;
    if (into > 2.0f && d->grains[p] > 0.0f) d->fate[p] = SPRAY_HITS;
    TarnVec3 along = vec3_scale(vec3_add(way, vec3_scale(n, into)), 1.0f / (1.0f + slide * s->dt));
    if (n.y > 0.7f && into < 1.0f) { // it lies there: off over the rim
        TarnVec3 off = { at.x - surface->middle.x, 0.0f, at.z - surface->middle.z };
        along = vec3_add(along, vec3_scale(vec3_normalize(off), s->def.gravity * s->dt * 0.5f));
        d->life[p] = tarn_minf(d->life[p], d->age[p] + soak);
    }
    v = vec3_add(surface->velocity,
                 vec3_add(along, vec3_scale(n, into > 1.0f ? spring * into : 0.0f)));
    d->vx[p] = tarn_clampf(v.x, -spray_fastest, spray_fastest);
    d->vy[p] = tarn_clampf(v.y, -spray_fastest, spray_fastest);
    d->vz[p] = tarn_clampf(v.z, -spray_fastest, spray_fastest);
}

static void hit_bodies(TarnSpray* s, int p, TarnVec3 from)
{
    const SprayPool* d = &s->drops;
    TarnBodies* bodies = s->around->bodies;
    TarnVec3 to = { d->x[p], d->y[p], d->z[p] }, way = vec3_sub(to, from);
    float far = vec3_length(way);
    for (int b = 0; b < s->n_bodies; ++b) {
        const TarnBody* body = tarn__bodies_slot(bodies, b);
        TarnVec3 gap = vec3_sub(to, body->state.position);
        float reach = body->radius + far;
        if (!body->is_used || !(vec3_dot(gap, gap) < reach * reach)) continue;
        for (int n = 1; n <= SAMPLES; ++n) {
            TarnVec3 at = vec3_add(from, vec3_scale(way, (float)n / (float)SAMPLES));
            Surface surface = { .velocity = tarn__body_velocity_at(body, at),
                                .middle = body->state.position };
            float depth = depth_in(body, at, &surface.normal);
            if (!(depth > 0.0f)) continue;
            touch(s, p, vec3_add(at, vec3_scale(surface.normal, depth)), &surface);
            break;
        }
    }
}

// ---- Solids --------------------------------------------------------------------------------------

static void hit_solids(TarnSpray* s, int p, TarnVec3 from, const int* slots, int n)
{
    const SprayPool* d = &s->drops;
    const TarnSolids* solids = s->around->solids;
    TarnVec3 to = { d->x[p], d->y[p], d->z[p] };
    float radius = tarn_minf(d->radius[p], 0.05f), at;
    int slot = -1;
    Surface surface = { .middle = from };
    TarnVec3 end = tarn__solids_sweep(solids, slots, n, 0.0f, 1.0f, 3, from, to, radius, &slot,
                                      &surface.normal, &at);
    TarnVec3 turn, off = vec3_sub(end, to);
    if (slot < 0 && vec3_dot(off, off) < 1e-10f) return;
    if (slot < 0) { // it slides along one
        SolidContact contact;
        if (tarn__solids_contacts(solids, slots, n, 1.0f, 3, end, 2.0f * radius, &contact, 1) == 0)
            return;
        slot = contact.solid, surface.normal = contact.normal;
    }
    tarn__solids_get_velocity(solids, slot, &surface.velocity, &turn);
    touch(s, p, end, &surface);
}

// ---- A block of drops ----------------------------------------------------------------------------

static int solids_near(const TarnSpray* s, int first, int n, const SprayBefore* before, int* slots)
{
    const SprayPool* d = &s->drops;
    const float *now[3] = { d->x, d->y, d->z }, *then[3] = { before->x, before->y, before->z };
    float lo[3], hi[3];
    if (s->around->solids == NULL || n == 0 || tarn_solids_count(s->around->solids) == 0) return 0;
    for (int a = 0; a < 3; ++a) {
        lo[a] = hi[a] = then[a][0];
        for (int p = 0; p < n; ++p) {
            lo[a] = tarn_minf(lo[a], tarn_minf(then[a][p], now[a][first + p]));
            hi[a] = tarn_maxf(hi[a], tarn_maxf(then[a][p], now[a][first + p]));
        }
        lo[a] -= 0.1f, hi[a] += 0.1f;
    }
    return tarn__solids_near(s->around->solids, (TarnVec3){ lo[0], lo[1], lo[2] },
                             (TarnVec3){ hi[0], hi[1], hi[2] }, slots, MAX_SLOTS);
}

// Whether a body may be there. Most drops are far from all of them.
static bool is_marked(const TarnSpray* s, float x, float z)
{
    if (x < s->marked_min.x || x > s->marked_max.x || z < s->marked_min.y || z > s->marked_max.y)
        return false;
    return s->marks[spray_cell(s, x, z)];
}

void tarn__spray_collide(TarnSpray* s, int first, int n, const SprayBefore* before)
{
    const SprayPool* d = &s->drops;
    int slots[MAX_SLOTS], near = solids_near(s, first, n, before, slots);
    if (s->n_bodies == 0 && near == 0) return;
    for (int p = first; p < first + n; ++p) {
        TarnVec3 from = { before->x[p - first], before->y[p - first], before->z[p - first] };
        if (s->n_bodies > 0 && is_marked(s, d->x[p], d->z[p])) hit_bodies(s, p, from);
        if (near > 0 && d->fate[p] != SPRAY_ENDS) hit_solids(s, p, from, slots, near);
    }
}
