// Triangles of a body's surface, for forces of water on its faces.
//
// Method   Boxes and hulls have theirs. A sphere is an octahedron whose faces were cut twice in four
//          and put on the sphere; a capsule is one cut at the equator, with a wall of 32 triangles
//          between the halves. Both are blown up until they hold the volume of the smooth shape, so
//          that a body that is all under water is lifted by exactly its volume.
// Checked  tests/unit/test_shallow_bodies.c: closed, outward, volume, no torque on a sphere.

#include "bodies/bodies_internal.h"

// Of the cut octahedron in the unit sphere: volume, and area of its equator (16 corners).
static const double octa_volume = 3.817729619828364, octa_equator = 3.0614674589207183;

typedef struct Maker {
    const TarnBody* body;
    BodyTriangle* out;
    int n;
    float radius; // blown up [m]
    float half;   // of a capsule's axis [m]
} Maker;

static void emit(Maker* m, TarnVec3 a, TarnVec3 b, TarnVec3 c) // local corners
{
    m->out[m->n++] = (BodyTriangle){ { body_to_world(m->body, a), body_to_world(m->body, b),
                                       body_to_world(m->body, c) } };
}

static TarnVec3 middle(TarnVec3 a, TarnVec3 b) // of two directions
{
    return vec3_normalize(vec3_add(a, b));
}

static void cut(Maker* m, TarnVec3 a, TarnVec3 b, TarnVec3 c, int level)
{
    if (level > 0) {
        TarnVec3 ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
        cut(m, a, ab, ca, level - 1);
        cut(m, ab, b, bc, level - 1);
        cut(m, ca, bc, c, level - 1);
        cut(m, ab, bc, ca, level - 1);
        return;
    }
    TarnVec3 up = { 0.0f, a.y + b.y + c.y > 0.0f ? m->half : -m->half, 0.0f };
    emit(m, vec3_add(vec3_scale(a, m->radius), up), vec3_add(vec3_scale(b, m->radius), up),
         vec3_add(vec3_scale(c, m->radius), up));
}

static void make_ball(Maker* m)
{
    for (int octant = 0; octant < 8; ++octant) {
        TarnVec3 x = { octant & 1 ? 1.0f : -1.0f, 0.0f, 0.0f };
        TarnVec3 y = { 0.0f, octant & 2 ? 1.0f : -1.0f, 0.0f };
        TarnVec3 z = { 0.0f, 0.0f, octant & 4 ? 1.0f : -1.0f };
        bool is_mirrored = x.x * y.y * z.z < 0.0f;
        cut(m, x, is_mirrored ? z : y, is_mirrored ? y : z, 2);
    }
}

static void make_wall(Maker* m) // of a capsule
{
    TarnVec3 ring[17] = { [0] = { 1, 0, 0 }, [4] = { 0, 0, 1 }, [8] = { -1, 0, 0 } };
    ring[12] = (TarnVec3){ 0, 0, -1 }, ring[16] = ring[0];
    for (int step = 2; step >= 1; --step) {
        for (int n = step; n < 16; n += 2 * step) ring[n] = middle(ring[n - step], ring[n + step]);
    }
    TarnVec3 up = { 0.0f, m->half, 0.0f };
    for (int n = 0; n < 16; ++n) {
        TarnVec3 a = vec3_scale(ring[n], m->radius), b = vec3_scale(ring[n + 1], m->radius);
        emit(m, vec3_sub(a, up), vec3_add(a, up), vec3_add(b, up));
        emit(m, vec3_sub(a, up), vec3_add(b, up), vec3_sub(b, up));
    }
}

// The radius at which octa_volume r^3 + 2 half octa_equator r^2 is the body's volume, by Newton.
static float blown_up(const TarnBody* body, double half)
{
    double r = body->shape.size.x;
    for (int n = 0; n < 6; ++n) {
        double f = (octa_volume * r + 2.0 * half * octa_equator) * r * r - (double)body->volume;
        r -= f / ((3.0 * octa_volume * r + 4.0 * half * octa_equator) * r);
    }
    return (float)r;
}

static void make_box(Maker* m)
{
    // Corner c has bit 0, 1, 2 for the positive side along x, y, z. Counter-clockwise from outside.
    static const uint8_t faces[6][4] = { { 0, 4, 6, 2 }, { 1, 3, 7, 5 }, { 0, 1, 5, 4 },
                                         { 2, 6, 7, 3 }, { 0, 2, 3, 1 }, { 4, 5, 7, 6 } };
    TarnVec3 half = m->body->shape.size, corner[8];
    for (int c = 0; c < 8; ++c) {
        corner[c] = (TarnVec3){ c & 1 ? half.x : -half.x, c & 2 ? half.y : -half.y,
                                c & 4 ? half.z : -half.z };
    }
    for (int f = 0; f < 6; ++f) {
        const uint8_t* c = faces[f];
        emit(m, corner[c[0]], corner[c[1]], corner[c[2]]);
        emit(m, corner[c[0]], corner[c[2]], corner[c[3]]);
    }
}

int tarn__body_surface(const TarnBody* body, BodyTriangle* out)
{
    Maker m = { .body = body, .out = out };
    switch (body->shape.kind) {
    case TARN_SHAPE_SPHERE:
        m.radius = blown_up(body, 0.0);
        make_ball(&m);
        break;
    case TARN_SHAPE_CAPSULE:
        m.half = body->shape.size.y;
        m.radius = blown_up(body, (double)m.half);
        make_ball(&m);
        make_wall(&m);
        break;
    case TARN_SHAPE_BOX:
        make_box(&m);
        break;
    case TARN_SHAPE_HULL:
        for (int t = 0; t < body->n_triangles; ++t) {
            const int* c = body->triangles + 3 * t;
            emit(&m, body->points[c[0]], body->points[c[1]], body->points[c[2]]);
        }
        break;
    case TARN_SHAPE_SPAN: // known by its columns only
        break;
    }
    return m.n;
}
