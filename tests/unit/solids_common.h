// What the tests of solids share. Include it once.
#pragma once

#include "test_common.h"
#include "base/maths.h"
#include "particles/solids_parts.h"

static inline TarnVec3 uniform3(float size)
{
    float x = uniform(-size, size), y = uniform(-size, size);
    return (TarnVec3){ x, y, uniform(-size, size) };
}
static inline TarnQuat uniform_rotation(void)
{
    TarnVec3 v = uniform3(1.0f);
    return quat_normalize((TarnQuat){ v.x, v.y, v.z, uniform(-1.0f, 1.0f) });
}
static inline TarnSolids* make_set(void)
{
    TarnSolidsDef def = tarn_solids_default_def();
    TarnSolids* set;
    assert_ok(tarn_solids_create(ctx, &def, &set));
    return set;
}
static inline TarnSolidId add(TarnSolids* set, TarnSolidDef def)
{
    TarnSolidId id;
    assert_ok(tarn_solids_add(set, &def, &id));
    return id;
}
static inline TarnSolidDef make(int kind, TarnVec3 size)
{
    TarnSolidDef def = tarn_solid_default_def();
    def.shape.kind = kind;
    def.shape.size = size;
    return def;
}
static inline SolidContact nearest_of(const TarnSolids* set, int dims, TarnVec3 p)
{
    SolidContact c;
    int slot = 0;
    assert_int_equal(tarn__solids_contacts(set, &slot, 1, 1.0f, dims, p, 1e6f, &c, 1), 1);
    return c;
}
static inline void assert_near(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance)) print_error("%.9g is not %.9g within %g\n", a, b, tolerance);
    assert_true(fabs(a - b) <= tolerance);
}
static inline void assert_near3(TarnVec3 a, TarnVec3 b, double tolerance)
{
    assert_near(a.x, b.x, tolerance);
    assert_near(a.y, b.y, tolerance);
    assert_near(a.z, b.z, tolerance);
}

// ---- A torus of triangles --------------------------------------------------------------------

enum { RINGS = 24, SIDES = 12 };
static TarnVec3 ring_points[RINGS * SIDES];
static int ring_triangles[RINGS * SIDES * 6];

static inline void make_ring_mesh(void) // a torus of radii 1 and 0.4
{
    int n = 0;
    for (int i = 0; i < RINGS; ++i) {
        for (int k = 0; k < SIDES; ++k) {
            float a = 6.2831853f * (float)i / RINGS, b = 6.2831853f * (float)k / SIDES;
            float r = 1.0f + 0.4f * cosf(b);
            ring_points[i * SIDES + k] = (TarnVec3){ r * cosf(a), 0.4f * sinf(b), r * sinf(a) };
            int next = (i + 1) % RINGS, up = (k + 1) % SIDES;
            const int c[4] = { i * SIDES + k, next * SIDES + k, next * SIDES + up, i * SIDES + up };
            const int t[6] = { c[0], c[2], c[1], c[0], c[3], c[2] };
            for (int m = 0; m < 6; ++m) ring_triangles[n++] = t[m];
        }
    }
}

static inline TarnSolidDef ring_mesh(void)
{
    make_ring_mesh();
    TarnSolidDef def = make(TARN_SHAPE_MESH, (TarnVec3){ 1, 1, 1 });
    def.shape.points = ring_points, def.shape.n_points = RINGS * SIDES;
    def.shape.triangles = ring_triangles, def.shape.n_triangles = RINGS * SIDES * 2;
    return def;
}
