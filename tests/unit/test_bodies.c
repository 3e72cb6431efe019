// Bodies: mass properties, hulls, spans, motion, handles, bad input, snapshots, memory.
// Longer than most files because a set of bodies has many small promises; one section each.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "alone.h"
#include "bodies/bodies_internal.h"
#include "base/snapshot.h"

// ---- Set-up -------------------------------------------------------------------------------------

typedef struct Memory {
    size_t bytes, last;
    int calls, fail_at; // the call that gets NULL, counted from 1; 0: none
} Memory;

static void* counted_alloc(size_t size, size_t align, void* user)
{
    Memory* m = user;
    if (++m->calls == m->fail_at) return NULL;
    m->bytes += size;
    m->last = size;
    return aligned_alloc(align, (size + align - 1) / align * align);
}
static void counted_free(void* ptr, size_t size, size_t align, void* user)
{
    assert_int_equal(align, 64);
    ((Memory*)user)->bytes -= size;
    free(ptr);
}

static const double pi = 3.14159265358979323846;
static Memory memory;
static TarnContext* ctx;

static TarnContext* make_context(int workers)
{
    TarnContextDef def = tarn_context_default_def();
    def.workers = workers;
    def.alloc = counted_alloc;
    def.free = counted_free;
    def.alloc_user = &memory;
    TarnContext* made;
    assert_int_equal(tarn_context_create(&def, &made), TARN_OK);
    return made;
}

static int begin(void** state)
{
    (void)state;
    memory = (Memory){ 0 };
    ctx = make_context(1);
    return 0;
}
static int end(void** state)
{
    (void)state;
    tarn_context_destroy(ctx);
    return memory.bytes == 0 ? 0 : -1;
}

static TarnBodiesDef room(float half) // with a floor at y = 0
{
    TarnBodiesDef def = tarn_bodies_default_def();
    def.box_min = (TarnVec3){ -half, 0.0f, -half };
    def.box_max = (TarnVec3){ half, 2.0f * half, half };
    return def;
}

static TarnBodies* make_set(const TarnBodiesDef* def)
{
    TarnBodies* set;
    assert_int_equal(tarn_bodies_create(ctx, def, &set), TARN_OK);
    return set;
}

static TarnBodyId add(TarnBodies* set, TarnShape shape, TarnVec3 position)
{
    TarnBodyDef def = tarn_body_default_def();
    def.shape = shape;
    def.state.position = position;
    TarnBodyId id;
    TarnResult result = tarn_bodies_add(set, &def, &id);
    if (result != TARN_OK) print_error("%s\n", tarn_last_error(ctx));
    assert_int_equal(result, TARN_OK);
    return id;
}

static TarnBodyState get(const TarnBodies* set, TarnBodyId id)
{
    TarnBodyState s;
    assert_int_equal(tarn_bodies_get_state(set, id, &s), TARN_OK);
    return s;
}

static uint32_t advance(TarnBodies* set, float dt, int steps)
{
    uint32_t flags = 0;
    for (int i = 0; i < steps; ++i) {
        TarnStepReport report;
        assert_int_equal(tarn_bodies_step(set, dt, &report), TARN_OK);
        flags |= report.flags;
    }
    return flags;
}

static const TarnBody* body_of(TarnBodies* set, TarnBodyId id)
{
    return tarn__bodies_slot(set, (int)(id.value & 0xffff) - 1);
}

static uint64_t random_at; // the counter behind uniform()
static float uniform(float lo, float hi)
{
    return lo + (hi - lo) * tarn__random01(7, 1, random_at++);
}
static TarnVec3 uniform3(float size)
{
    float x = uniform(-size, size), y = uniform(-size, size);
    return (TarnVec3){ x, y, uniform(-size, size) };
}
static TarnQuat uniform_rotation(void)
{
    TarnVec3 v = uniform3(1.0f);
    return quat_normalize((TarnQuat){ v.x, v.y, v.z, uniform(-1.0f, 1.0f) });
}

static void cube_points(float hx, float hy, float hz, TarnVec3 shift, TarnVec3 out[8])
{
    for (int c = 0; c < 8; ++c) {
        out[c] = (TarnVec3){ shift.x + (c & 1 ? hx : -hx), shift.y + (c & 2 ? hy : -hy),
                             shift.z + (c & 4 ? hz : -hz) };
    }
}

static void assert_near(double a, double b, double tolerance)
{
    if (fabs(a - b) <= tolerance) return;
    print_error("%.9g is not %.9g within %g\n", a, b, tolerance);
    fail();
}

// ---- Mass ---------------------------------------------------------------------------------------

static void check_mass(TarnShape shape, double volume, double ix, double iy, double iz,
                       double tolerance)
{
    TarnBodiesDef def = tarn_bodies_default_def();
    TarnBodies* set = make_set(&def);
    TarnBodyId id = add(set, shape, (TarnVec3){ 0, 0, 0 });
    float mass, got_volume;
    assert_int_equal(tarn_bodies_get_mass(set, id, &mass, &got_volume), TARN_OK);
    assert_near(got_volume / volume, 1.0, tolerance);
    assert_near(mass / (500.0 * volume), 1.0, tolerance);
    const float* inv = body_of(set, id)->inertia_inv;
    const double inertia[3] = { ix, iy, iz }; // of unit density
    for (int i = 0; i < 9; ++i) {
        if (i % 4 == 0)
            assert_near(inv[i] * 500.0 * inertia[i / 4], 1.0, tolerance);
        else
            assert_near(inv[i] * 500.0 * inertia[i / 3], 0.0, tolerance);
    }
    tarn_bodies_destroy(set);
}

static void test_mass(void** state)
{
    (void)state;
    double r = 0.7, v = 4.0 / 3.0 * pi * r * r * r, i = 0.4 * v * r * r;
    check_mass(tarn_shape_sphere(0.7f), v, i, i, i, 1e-6);
    double x = 0.5, y = 0.25, z = 2.0;
    v = 8 * x * y * z;
    double ix = v / 3 * (y * y + z * z), iy = v / 3 * (x * x + z * z), iz = v / 3 * (x * x + y * y);
    check_mass(tarn_shape_box(0.5f, 0.25f, 2.0f), v, ix, iy, iz, 1e-6);
    TarnVec3 cube[8];
    cube_points(0.5f, 0.25f, 2.0f, (TarnVec3){ 3, -2, 1 }, cube);
    check_mass(tarn_shape_hull(cube, 8), v, ix, iy, iz, 1e-5);

    // The capsule against a sum over thin discs.
    double radius = 0.3, l = 0.8, along = 0, across = 0;
    const int n = 200000;
    v = 0;
    for (int k = 0; k < n; ++k) {
        double h = 2 * (l + radius) / n, at = -(l + radius) + (k + 0.5) * h;
        double past = fabs(at) > l ? fabs(at) - l : 0.0, r2 = radius * radius - past * past;
        double disc = pi * r2 * h;
        v += disc;
        along += disc * 0.5 * r2;
        across += disc * (0.25 * r2 + at * at);
    }
    check_mass(tarn_shape_capsule(0.3f, 0.8f), v, across, along, across, 1e-5);
}

// A tetrahedron has products of inertia: I about the centroid by the sum over its corners.
static void test_mass_tetrahedron(void** state)
{
    (void)state;
    const TarnVec3 p[4] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 2, 0 }, { 0, 0, 3 } };
    TarnBodiesDef def = tarn_bodies_default_def();
    TarnBodies* set = make_set(&def);
    TarnBodyId id = add(set, tarn_shape_hull(p, 4), (TarnVec3){ 0, 0, 0 });
    const TarnBody* b = body_of(set, id);
    assert_near(b->volume, 1.0, 1e-6);
    double c[3][3] = { { 0 } }; // second moments: V/20 sum of (p - g)(p - g)^T
    for (int k = 0; k < 4; ++k) {
        double d[3] = { p[k].x - 0.25, p[k].y - 0.5, p[k].z - 0.75 };
        assert_near(b->points[k].x, d[0], 1e-6);
        assert_near(b->points[k].y, d[1], 1e-6);
        assert_near(b->points[k].z, d[2], 1e-6);
        for (int i = 0; i < 9; ++i) c[i / 3][i % 3] += d[i / 3] * d[i % 3] / 20.0;
    }
    double trace = c[0][0] + c[1][1] + c[2][2];
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) { // inertia times inverse inertia is one
            double sum = 0.0;
            for (int k = 0; k < 3; ++k) {
                sum += 500.0 * ((i == k ? trace : 0.0) - c[i][k]) * b->inertia_inv[3 * k + j];
            }
            assert_near(sum, i == j, 1e-5);
        }
    }
    tarn_bodies_destroy(set);
}

// ---- Hulls --------------------------------------------------------------------------------------

static void check_closed(TarnBodies* set, TarnBodyId id)
{
    int triangles[3 * BODY_MAX_TRIANGLES];
    int n = tarn_bodies_hull_triangles(set, id, triangles, 3 * BODY_MAX_TRIANGLES);
    assert_int_equal(tarn_bodies_hull_triangles(set, id, NULL, 0), n);
    for (int t = 0; t < 3 * n; ++t) { // each edge has its twin, the other way round
        int p = triangles[t], q = triangles[t % 3 == 2 ? t - 2 : t + 1], twins = 0;
        for (int u = 0; u < 3 * n; ++u) {
            twins += triangles[u] == q && triangles[u % 3 == 2 ? u - 2 : u + 1] == p;
        }
        assert_int_equal(twins, 1);
    }
}

// The fans of a hull are told apart by their triangles alone (collide.c); one for each plane.
static void check_fans(const TarnBody* b)
{
    int fans = 0;
    for (int t = 0; t < b->n_triangles; ++t) {
        const int* c = b->triangles + 3 * t;
        fans += t == 0 || c[0] != c[-3] || c[1] != c[-1];
    }
    assert_int_equal(fans, b->n_planes);
}

static void test_hull_random(void** state)
{
    (void)state;
    TarnBodiesDef def = tarn_bodies_default_def();
    TarnBodies* set = make_set(&def);
    for (int round = 0; round < 60; ++round) {
        int n = round == 0 ? 64 : 4 + (int)uniform(0.0f, 60.99f);
        float scale = round % 3 == 0 ? 0.01f : round % 3 == 1 ? 1.0f : 300.0f;
        TarnVec3 p[64];
        for (int i = 0; i < n; ++i) {
            p[i] = uniform3(scale);
            if (round % 2) p[i] = vec3_scale(vec3_normalize(p[i]), scale); // all are corners
        }
        TarnBodyId id = add(set, tarn_shape_hull(p, n), (TarnVec3){ 0, 0, 0 });
        const TarnBody* b = body_of(set, id);
        TarnVec3 shift = vec3_sub(b->points[0], p[0]);
        for (int i = 0; i < n; ++i) {
            assert_near(vec3_length(vec3_sub(vec3_sub(b->points[i], p[i]), shift)), 0,
                        1e-5 * scale);
            assert_true(vec3_length(b->points[i]) <= b->radius * 1.00001f);
            for (int f = 0; f < b->n_planes; ++f) {
                float d = vec3_dot(b->planes[f].normal, b->points[i]) - b->planes[f].offset;
                assert_true(d <= 1e-6f * scale);
            }
        }
        if (round % 2) assert_int_equal(b->n_triangles, 2 * n - 4); // Euler
        check_closed(set, id);
        check_fans(b);
        for (int t = 0; t < b->n_triangles; ++t) { // counter-clockwise seen from outside
            const int* c = b->triangles + 3 * t;
            TarnVec3 u = vec3_sub(b->points[c[1]], b->points[c[0]]);
            TarnVec3 v = vec3_sub(b->points[c[2]], b->points[c[0]]);
            assert_true(vec3_dot(vec3_cross(u, v), b->points[c[0]]) > 0.0f);
        }
        assert_int_equal(tarn_bodies_remove(set, id), TARN_OK);
    }
    tarn_bodies_destroy(set);
}

// Faces with many points on them, turned so that nothing is exactly flat.
static void test_hull_coplanar(void** state)
{
    (void)state;
    TarnBodiesDef def = tarn_bodies_default_def();
    TarnBodies* set = make_set(&def);
    for (int round = 0; round < 20; ++round) {
        TarnQuat q = uniform_rotation();
        TarnVec3 p[64];
        int n = 0;
        for (int i = 0; i < 64; ++i) { // a grid of 4 x 4 x 4: corners, edges, faces, inside
            TarnVec3 g = { (float)(i % 4) - 1.5f, (float)(i / 4 % 4) - 1.5f,
                           (float)(i / 16) - 1.5f };
            p[n++] = quat_rotate(q, g);
        }
        TarnBodyId id = add(set, tarn_shape_hull(p, n), (TarnVec3){ 0, 0, 0 });
        const TarnBody* b = body_of(set, id);
        assert_int_equal(b->n_planes, 6);
        check_fans(b);
        assert_near(b->volume, 27.0, 1e-3);
        assert_int_equal(tarn_bodies_remove(set, id), TARN_OK);
    }
    tarn_bodies_destroy(set);
}

// ---- Spans --------------------------------------------------------------------------------------

static bool is_inside(const TarnBody* b, TarnVec3 world)
{
    TarnVec3 p = quat_rotate_inverse(b->state.rotation, vec3_sub(world, b->state.position));
    TarnVec3 s = b->shape.size;
    float y = p.y;
    switch (b->shape.kind) {
    case TARN_SHAPE_SPHERE:
        return vec3_length(p) <= s.x;
    case TARN_SHAPE_BOX:
        return fabsf(p.x) <= s.x && fabsf(p.y) <= s.y && fabsf(p.z) <= s.z;
    case TARN_SHAPE_CAPSULE:
        y = y > s.y ? y - s.y : y < -s.y ? y + s.y : 0.0f;
        return vec3_length((TarnVec3){ p.x, y, p.z }) <= s.x;
    default:
        for (int f = 0; f < b->n_planes; ++f) {
            if (vec3_dot(b->planes[f].normal, p) > b->planes[f].offset) return false;
        }
        return true;
    }
}

static float bisect(const TarnBody* b, float x, float z, float in, float out)
{
    for (int i = 0; i < 40; ++i) {
        float mid = 0.5f * (in + out);
        if (is_inside(b, (TarnVec3){ x, mid, z }))
            in = mid;
        else
            out = mid;
    }
    return in;
}

static int check_span(const TarnBody* b, float x, float z) // 1: a proper chord
{
    enum { N = 400 };
    float top = b->state.position.y + b->radius, step = 2.0f * b->radius / N, lo, hi;
    int first = -1, last = -1;
    for (int i = 0; i <= N; ++i) {
        if (!is_inside(b, (TarnVec3){ x, top - (float)i * step, z })) continue;
        if (first < 0) first = i;
        last = i;
    }
    bool is_hit = tarn__body_span(b, x, z, &lo, &hi);
    if (first < 0) assert_true(!is_hit || hi - lo <= 1.01f * step);
    if (last - first < 20) return 0; // grazing: the height is not well defined in float
    assert_true(is_hit);
    float y0 = top - (float)first * step, y1 = top - (float)last * step;
    assert_near(hi, bisect(b, x, z, y0, y0 + step), 1e-4);
    assert_near(lo, bisect(b, x, z, y1, y1 - step), 1e-4);
    return 1;
}

static void test_spans(void** state)
{
    (void)state;
    TarnVec3 cube[8], cloud[30];
    cube_points(0.5f, 0.3f, 0.8f, (TarnVec3){ 0, 0, 0 }, cube);
    for (int i = 0; i < 30; ++i) cloud[i] = uniform3(0.8f);
    const TarnShape shapes[] = { tarn_shape_sphere(0.9f), tarn_shape_box(0.5f, 0.3f, 0.8f),
                                 tarn_shape_capsule(0.3f, 0.6f), tarn_shape_hull(cube, 8),
                                 tarn_shape_hull(cloud, 30) };
    const float h = 0.70710678f;
    const TarnQuat special[] = { { 0, 0, 0, 1 }, { 1, 0, 0, 0 }, { h, 0, 0, h },
                                 { 0, h, 0, h }, { 0, 0, h, h }, { 0.5f, 0.5f, 0.5f, 0.5f } };
    TarnBodiesDef def = tarn_bodies_default_def();
    TarnBodies* set = make_set(&def);
    for (int s = 0; s < 5; ++s) {
        TarnBodyId id = add(set, shapes[s], (TarnVec3){ 0, 0, 0 });
        int chords = 0;
        for (int pose = 0; pose < 40; ++pose) {
            TarnBodyState at = { .position = uniform3(3.0f) };
            at.rotation = pose < 6 ? special[pose] : uniform_rotation();
            assert_int_equal(tarn_bodies_set_state(set, id, &at), TARN_OK);
            for (int i = 0; i < 25; ++i) {
                float x = at.position.x + uniform(-0.9f, 0.9f);
                chords += check_span(body_of(set, id), x, at.position.z + uniform(-0.9f, 0.9f));
            }
        }
        assert_true(chords > 150);
    }
    tarn_bodies_destroy(set);
}

static bool pillar(float x, float z, TarnVec3 p, TarnQuat q, float* lo, float* hi, void* user)
{
    (void)q;
    float half = *(float*)user;
    *lo = p.y - half;
    *hi = p.y + half;
    return fabsf(x - p.x) < half && fabsf(z - p.z) < half;
}

static TarnShape pillar_shape(float* half)
{
    return (TarnShape){ .kind = TARN_SHAPE_SPAN,
                        .span = pillar,
                        .user = half,
                        .radius = 1.8f * *half,
                        .volume = 8.0f * *half * *half * *half };
}

static void test_span_callback(void** state)
{
    (void)state;
    float half = 0.5f, lo, hi;
    double i = 0.4 * 0.9 * 0.9;
    check_mass(pillar_shape(&half), 1.0, i, i, i, 1e-6);
    TarnBodiesDef def = tarn_bodies_default_def();
    TarnBodies* set = make_set(&def);
    TarnBodyId id = add(set, pillar_shape(&half), (TarnVec3){ 1, 2, 3 });
    assert_true(tarn__body_span(body_of(set, id), 1.2f, 3.1f, &lo, &hi));
    assert_near(lo, 1.5, 1e-6);
    assert_near(hi, 2.5, 1e-6);
    assert_false(tarn__body_span(body_of(set, id), 1.6f, 3.1f, &lo, &hi));
    half = NAN; // a callback that talks nonsense is not believed
    assert_false(tarn__body_span(body_of(set, id), 1.2f, 3.1f, &lo, &hi));
    tarn_bodies_destroy(set);
}

// ---- Contact points -----------------------------------------------------------------------------

static void test_collide_edges(void** state) // two roofs, crosswise, edge on edge
{
    (void)state;
    TarnVec3 cube[8];
    cube_points(0.5f, 0.5f, 0.5f, (TarnVec3){ 0, 0, 0 }, cube);
    for (int kind = 0; kind < 4; ++kind) {
        TarnBodiesDef def = tarn_bodies_default_def();
        TarnBodies* set = make_set(&def);
        TarnShape box = tarn_shape_box(0.5f, 0.5f, 0.5f), hull = tarn_shape_hull(cube, 8);
        TarnBodyId id[2] = { add(set, kind & 1 ? hull : box, (TarnVec3){ 0, 0, 0 }),
                             add(set, kind & 2 ? hull : box, (TarnVec3){ 0, 0, 0 }) };
        TarnBodyState s = get(set, id[0]);
        s.rotation = quat_from_axis_angle((TarnVec3){ 0, 0, 1 }, 0.785398163f);
        assert_int_equal(tarn_bodies_set_state(set, id[0], &s), TARN_OK);
        ContactPoint p[CONTACT_MAX_POINTS];
        for (float gap = -0.05f; gap < 0.06f; gap += 0.02f) {
            s.position.y = 1.41421356f + gap;
            s.rotation = quat_from_axis_angle((TarnVec3){ 1, 0, 0 }, 0.785398163f);
            assert_int_equal(tarn_bodies_set_state(set, id[1], &s), TARN_OK);
            const TarnBody *a = body_of(set, id[0]), *b = body_of(set, id[1]);
            assert_int_equal(tarn__collide(a, b, gap + 0.005f, p), 1);
            assert_near(p[0].distance, gap, 1e-5);
            assert_near(p[0].normal.y, -1.0, 1e-5);
            assert_near(vec3_length(p[0].point), 0.70710678 + 0.5 * gap, 1e-5);
            assert_int_equal(tarn__collide(a, b, gap - 0.005f, p), 0);
        }
        tarn_bodies_destroy(set);
    }
}

// A ball or a capsule finds a box and the hull of its corners at the same distance.
static void test_collide_round(void** state)
{
    (void)state;
    TarnVec3 cube[8];
    cube_points(0.5f, 0.3f, 0.4f, (TarnVec3){ 0, 0, 0 }, cube);
    TarnBodiesDef def = tarn_bodies_default_def();
    TarnBodies* set = make_set(&def);
    TarnBodyId round[2] = { add(set, tarn_shape_sphere(0.2f), (TarnVec3){ 0, 0, 0 }),
                            add(set, tarn_shape_capsule(0.2f, 0.3f), (TarnVec3){ 0, 0, 0 }) };
    TarnBodyId box = add(set, tarn_shape_box(0.5f, 0.3f, 0.4f), (TarnVec3){ 0, 0, 0 });
    TarnBodyId hull = add(set, tarn_shape_hull(cube, 8), (TarnVec3){ 0, 0, 0 });
    int met = 0;
    for (int i = 0; i < 400; ++i) {
        TarnBodyState s = { .position = uniform3(1.0f), .rotation = uniform_rotation() };
        TarnBodyState t = { .position = { 0.1f, 0, 0 }, .rotation = uniform_rotation() };
        assert_int_equal(tarn_bodies_set_state(set, round[i & 1], &s), TARN_OK);
        assert_int_equal(tarn_bodies_set_state(set, box, &t), TARN_OK);
        assert_int_equal(tarn_bodies_set_state(set, hull, &t), TARN_OK);
        ContactPoint p[CONTACT_MAX_POINTS], q[CONTACT_MAX_POINTS];
        const TarnBody* a = body_of(set, round[i & 1]);
        int n = tarn__collide(a, body_of(set, box), 0.05f, p);
        int m = tarn__collide(body_of(set, hull), a, 0.05f, q);
        float near_p = INFINITY, near_q = INFINITY;
        for (int k = 0; k < n; ++k) near_p = tarn_minf(near_p, p[k].distance);
        for (int k = 0; k < m; ++k) near_q = tarn_minf(near_q, q[k].distance);
        if (n == 0 && m == 0) continue;
        ++met;
        assert_near(near_p, near_q, i & 1 ? 1e-4 : 1e-5);
        if (n == 1 && m == 1 && near_p > -0.1f) {
            assert_true(vec3_dot(p[0].normal, q[0].normal) < -0.9f); // the other way round
        }
    }
    assert_true(met > 80);
    tarn_bodies_destroy(set);
}

// ---- Motion -------------------------------------------------------------------------------------

static void test_free_fall(void** state)
{
    (void)state;
    TarnBodiesDef def = room(100.0f);
    TarnBodies* set = make_set(&def);
    TarnBodyId id = add(set, tarn_shape_sphere(0.5f), (TarnVec3){ 0, 50, 0 });
    assert_int_equal(advance(set, 1.0f / 60.0f, 60), 0);
    assert_near(get(set, id).velocity.y, -9.81, 1e-3);
    assert_near(get(set, id).position.y, 50.0 - 0.5 * 9.81, 0.1); // first order: g dt / 2
    float mass;
    tarn_bodies_get_mass(set, id, &mass, NULL);
    TarnVec3 lift = { 0.0f, 2.0f * 9.81f * mass, 0.0f }, none = { 0, 0, 0 };
    assert_int_equal(tarn_bodies_add_force(set, id, lift, none), TARN_OK);
    advance(set, 0.1f, 1);
    assert_near(get(set, id).velocity.y, -9.81 * 0.9, 1e-3);
    advance(set, 0.1f, 1); // the added force is gone
    assert_near(get(set, id).velocity.y, -9.81, 1e-3);
    tarn_bodies_destroy(set);
}

static void assert_at_rest(const TarnBodies* set, TarnBodyId id, TarnVec3 position, float tolerance)
{
    TarnBodyState s = get(set, id);
    if (vec3_length(s.velocity) > 5e-3f || vec3_length(s.angular_velocity) > 1e-2f ||
        vec3_length(vec3_sub(s.position, position)) > tolerance) {
        print_error("at (%g, %g, %g), speed %g, spin %g\n", s.position.x, s.position.y,
                    s.position.z, vec3_length(s.velocity), vec3_length(s.angular_velocity));
        fail();
    }
}

static void test_rest(void** state)
{
    (void)state;
    TarnVec3 cube[8];
    cube_points(0.5f, 0.5f, 0.5f, (TarnVec3){ 0, 0, 0 }, cube);
    const TarnShape shapes[] = { tarn_shape_box(0.5f, 0.5f, 0.5f), tarn_shape_hull(cube, 8),
                                 tarn_shape_sphere(0.5f), tarn_shape_capsule(0.5f, 0.5f) };
    for (int s = 0; s < 4; ++s) {
        TarnBodiesDef def = room(10.0f);
        TarnBodies* set = make_set(&def);
        TarnBodyId id = add(set, shapes[s], (TarnVec3){ 1, 3, 2 });
        assert_int_equal(advance(set, 1.0f / 60.0f, 300), 0);
        float height = s == 3 ? 1.0f : 0.5f;
        assert_near(get(set, id).position.y, height, 1e-3);
        assert_at_rest(set, id, (TarnVec3){ 1, height, 2 },
                       5e-2f); // the blow is not solved exactly
        tarn_bodies_destroy(set);
    }
}

static void test_tumbled_box_rests(void** state)
{
    (void)state;
    TarnBodiesDef def = room(10.0f);
    for (int round = 0; round < 10; ++round) {
        TarnBodies* set = make_set(&def);
        TarnBodyId id = add(set, tarn_shape_box(0.5f, 0.3f, 0.4f), (TarnVec3){ 0, 2, 0 });
        TarnBodyState s = get(set, id);
        s.rotation = uniform_rotation();
        s.angular_velocity = uniform3(3.0f);
        assert_int_equal(tarn_bodies_set_state(set, id, &s), TARN_OK);
        advance(set, 1.0f / 60.0f, 600);
        s = get(set, id);
        assert_at_rest(set, id, s.position, 1.0f);
        float y = s.position.y; // it lies on one of its faces
        assert_true(fabsf(y - 0.5f) < 2e-3f || fabsf(y - 0.3f) < 2e-3f || fabsf(y - 0.4f) < 2e-3f);
        tarn_bodies_destroy(set);
    }
}

static void test_stack(void** state)
{
    (void)state;
    TarnVec3 cube[8];
    cube_points(0.25f, 0.25f, 0.25f, (TarnVec3){ 0, 0, 0 }, cube);
    for (int kind = 0; kind < 2; ++kind) {
        TarnShape shape = kind ? tarn_shape_hull(cube, 8) : tarn_shape_box(0.25f, 0.25f, 0.25f);
        TarnBodiesDef def = room(10.0f);
        TarnBodies* set = make_set(&def);
        TarnBodyId id[3];
        for (int i = 0; i < 3; ++i) {
            id[i] = add(set, shape, (TarnVec3){ 0.02f * (float)i, 0.25f + 0.52f * (float)i, 0 });
        }
        advance(set, 1.0f / 60.0f, 600);
        for (int i = 0; i < 3; ++i) {
            TarnVec3 at = { 0.02f * (float)i, 0.25f + 0.5f * (float)i, 0 };
            assert_at_rest(set, id[i], at, 5e-3f);
        }
        tarn_bodies_destroy(set);
    }
}

static void test_crossed_planks(void** state) // no corner of one is near the other
{
    (void)state;
    TarnBodiesDef def = room(10.0f);
    TarnBodies* set = make_set(&def);
    add(set, tarn_shape_box(2.0f, 0.1f, 0.2f), (TarnVec3){ 0, 0.1f, 0 });
    TarnBodyId over = add(set, tarn_shape_box(0.2f, 0.1f, 2.0f), (TarnVec3){ 0.3f, 0.35f, 0.05f });
    TarnBodyId log = add(set, tarn_shape_capsule(0.1f, 1.0f), (TarnVec3){ 0.3f, 0.55f, 0.5f });
    TarnBodyState s = get(set, log);
    s.rotation = (TarnQuat){ 0.70710678f, 0, 0, 0.70710678f }; // along the upper plank
    assert_int_equal(tarn_bodies_set_state(set, log, &s), TARN_OK);
    advance(set, 1.0f / 60.0f, 600);
    assert_at_rest(set, over, (TarnVec3){ 0.3f, 0.3f, 0.05f }, 5e-3f);
    assert_near(get(set, log).position.y, 0.5, 5e-3);
    tarn_bodies_destroy(set);
}

static void test_rolling(void** state)
{
    (void)state;
    const float angle = 0.3f, r = 0.2f;
    TarnBodiesDef def = room(100.0f);
    TarnBodies* set = make_set(&def);
    TarnBodyDef ramp = tarn_body_default_def();
    ramp.shape = tarn_shape_box(20.0f, 0.5f, 2.0f);
    ramp.is_driven = true;
    ramp.friction = 1.0f;
    ramp.state.position.y = 30.0f;
    ramp.state.rotation = quat_from_axis_angle((TarnVec3){ 0, 0, 1 }, -angle); // down along +x
    TarnBodyId unused, ball;
    assert_int_equal(tarn_bodies_add(set, &ramp, &unused), TARN_OK);
    TarnVec3 n = { tarn_sin(angle), tarn_cos(angle), 0 }, along = { n.y, -n.x, 0 };
    TarnVec3 start = vec3_add(ramp.state.position, vec3_scale(n, 0.5f + r));
    ball = add(set, tarn_shape_sphere(r), vec3_sub(start, vec3_scale(along, 15.0f)));
    for (int i = 0; i < 120; ++i) {
        advance(set, 1.0f / 60.0f, 1);
        TarnVec3 d = vec3_sub(get(set, ball).position, ramp.state.position);
        assert_near(vec3_dot(d, n), 0.5 + r, 2e-3);
    }
    TarnBodyState s = get(set, ball); // 5/7 g sin(angle), without slip
    assert_near(vec3_dot(s.velocity, along), 5.0 / 7.0 * 9.81 * tarn_sin(angle) * 2.0, 0.05);
    assert_near(-s.angular_velocity.z * r, vec3_dot(s.velocity, along), 0.01);
    tarn_bodies_destroy(set);
}

static TarnVec3 total_momentum(const TarnBodies* set)
{
    TarnVec3 sum = { 0, 0, 0 };
    for (int i = 0; i < tarn_bodies_count(set); ++i) {
        float mass;
        tarn_bodies_get_mass(set, tarn_bodies_at(set, i), &mass, NULL);
        sum = vec3_add(sum, vec3_scale(get(set, tarn_bodies_at(set, i)).velocity, mass));
    }
    return sum;
}

static double total_energy(TarnBodies* set) // of the linear motion
{
    double sum = 0.0;
    for (int i = 0; i < tarn_bodies_count(set); ++i) {
        float mass;
        tarn_bodies_get_mass(set, tarn_bodies_at(set, i), &mass, NULL);
        TarnVec3 v = get(set, tarn_bodies_at(set, i)).velocity;
        sum += 0.5 * mass * vec3_dot(v, v);
    }
    return sum;
}

static void test_collision(void** state)
{
    (void)state;
    TarnVec3 cloud[20];
    for (int i = 0; i < 20; ++i) cloud[i] = uniform3(0.5f);
    const TarnShape shapes[] = { tarn_shape_sphere(0.4f), tarn_shape_box(0.4f, 0.3f, 0.2f),
                                 tarn_shape_capsule(0.2f, 0.4f), tarn_shape_hull(cloud, 20) };
    for (int pair = 0; pair < 16; ++pair) {
        TarnBodiesDef def = tarn_bodies_default_def();
        def.gravity = (TarnVec3){ 0, 0, 0 };
        TarnBodies* set = make_set(&def);
        TarnBodyDef body = tarn_body_default_def();
        TarnBodyId a, b;
        body.shape = shapes[pair % 4];
        body.state.velocity = (TarnVec3){ 3, 0.1f, 0 };
        body.state.rotation = uniform_rotation();
        assert_int_equal(tarn_bodies_add(set, &body, &a), TARN_OK);
        body.shape = shapes[pair / 4];
        body.density = 1500.0f;
        body.state.position = (TarnVec3){ 2, 0.05f, 0.05f };
        body.state.velocity = (TarnVec3){ -1, 0, 0.2f };
        assert_int_equal(tarn_bodies_add(set, &body, &b), TARN_OK);
        TarnVec3 before = total_momentum(set);
        double energy = total_energy(set);
        advance(set, 1.0f / 60.0f, 60);
        TarnVec3 after = total_momentum(set);
        assert_true(vec3_length(vec3_sub(after, before)) < 1e-4f * vec3_length(before) + 1e-3f);
        assert_true(fabsf(get(set, a).velocity.x - 3.0f) > 0.5f); // they did meet
        assert_true(total_energy(set) <= energy * 1.0001);
        tarn_bodies_destroy(set);
    }
}

static void test_bounce(void** state)
{
    (void)state;
    TarnBodiesDef def = room(10.0f);
    TarnBodies* set = make_set(&def);
    TarnBodyDef ball = tarn_body_default_def();
    ball.shape = tarn_shape_sphere(0.1f);
    ball.restitution = 0.8f;
    ball.state.position.y = 2.1f; // falls 2 m, comes back to 0.64 of that
    TarnBodyId id;
    assert_int_equal(tarn_bodies_add(set, &ball, &id), TARN_OK);
    float top = 0.0f;
    for (int i = 0; i < 90; ++i) {
        advance(set, 1.0f / 60.0f, 1);
        TarnBodyState s = get(set, id);
        if (i > 40) top = tarn_maxf(top, s.position.y - 0.1f);
    }
    assert_near(top, 1.28, 0.12);
    tarn_bodies_destroy(set);
}

// Anything at random, kicked about in a small room.
static void test_stays_in_room(void** state)
{
    (void)state;
    TarnVec3 cloud[20];
    for (int i = 0; i < 20; ++i) cloud[i] = uniform3(0.4f);
    float half = 0.2f;
    const TarnShape shapes[] = { tarn_shape_sphere(0.3f),          tarn_shape_box(0.4f, 0.1f, 0.2f),
                                 tarn_shape_capsule(0.1f, 0.4f),   tarn_shape_hull(cloud, 20),
                                 tarn_shape_box(0.2f, 0.2f, 0.2f), pillar_shape(&half) };
    const float steps[] = { 1.0f / 60.0f, 5.0f, 0.05f, 1e-6f };
    for (int run = 0; run < 4; ++run) {
        TarnBodiesDef def = room(2.0f);
        TarnBodies* set = make_set(&def);
        for (int i = 0; i < 24; ++i) {
            TarnVec3 p = uniform3(1.5f);
            p.y += 2.0f;
            add(set, shapes[i % 6], p);
        }
        for (int i = 0; i < 400; ++i) {
            TarnBodyId id = tarn_bodies_at(set, (int)uniform(0.0f, 23.9f));
            TarnVec3 push = uniform3(i % 50 == 49 ? 1e15f : 2e4f);
            assert_int_equal(tarn_bodies_add_force(set, id, push, uniform3(2e3f)), TARN_OK);
            advance(set, steps[run], 1);
            for (int slot = 0; slot < 24; ++slot) {
                const TarnBody* b = tarn__bodies_slot(set, slot);
                TarnVec3 p = b->state.position;
                assert_true(tarn__is_finite3(p) && tarn__is_finite3(b->state.velocity));
                assert_true(tarn__is_finite3(b->state.angular_velocity));
                assert_true(fabsf(p.x) < 2.0f && fabsf(p.z) < 2.0f && p.y > 0.0f);
                for (int v = 0; v < b->shape.n_points; ++v) {
                    TarnVec3 w = vec3_add(p, quat_rotate(b->state.rotation, b->points[v]));
                    assert_true(fabsf(w.x) < 2.001f && fabsf(w.z) < 2.001f && w.y > -0.001f);
                }
            }
        }
        tarn_bodies_destroy(set);
    }
}

// Extremes of every range at once: the state must stay finite, nothing else is asked.
static void test_extremes(void** state)
{
    (void)state;
    TarnBodiesDef def = room(5e5f);
    def.gravity = (TarnVec3){ 1000, -1000, 1000 };
    TarnBodies* set = make_set(&def);
    TarnBodyDef body = tarn_body_default_def();
    const TarnShape shapes[] = { tarn_shape_sphere(1e-3f), tarn_shape_sphere(1e3f),
                                 tarn_shape_box(1e-3f, 1e-3f, 1e3f),
                                 tarn_shape_box(1e3f, 1e3f, 1e3f),
                                 tarn_shape_capsule(1e-3f, 1e3f) };
    for (int i = 0; i < 20; ++i) {
        TarnBodyId id;
        body.shape = shapes[i % 5];
        body.density = i % 2 ? 1.0f : 1e5f;
        body.state.position = (TarnVec3){ i < 10 ? 0.0f : 1e6f, -1e6f, 0.0f };
        body.state.velocity = (TarnVec3){ 1000, -1000, 1000 };
        body.state.angular_velocity = (TarnVec3){ 200, 200, -200 };
        assert_int_equal(tarn_bodies_add(set, &body, &id), TARN_OK);
    }
    uint32_t flags = 0;
    for (int i = 0; i < 60; ++i) {
        TarnVec3 f = { 1e20f, -1e20f, 1e20f };
        TarnBodyId id = tarn_bodies_at(set, i % 20);
        assert_int_equal(tarn_bodies_add_force(set, id, f, f), TARN_OK);
        flags |= advance(set, i % 3 == 0 ? 1e-30f : i % 3 == 1 ? 10.0f : 0.01f, 1);
        for (int k = 0; k < 20; ++k) {
            TarnBodyState s = get(set, tarn_bodies_at(set, k));
            assert_int_equal(tarn_bodies_set_state(set, tarn_bodies_at(set, k), &s), TARN_OK);
        }
    }
    assert_true(flags & TARN_STEP_CLAMPED && flags & TARN_STEP_TIME_CUT);
    tarn_bodies_destroy(set);
}

static void test_report(void** state)
{
    (void)state;
    TarnBodiesDef def = room(10.0f);
    TarnBodies* set = make_set(&def);
    add(set, tarn_shape_sphere(0.5f), (TarnVec3){ 0, 5, 0 });
    TarnStepReport r;
    uint64_t hash = tarn_bodies_hash(set);
    assert_int_equal(tarn_bodies_step(set, 0.0f, &r), TARN_OK);
    assert_int_equal(r.substeps, 0);
    assert_true(hash == tarn_bodies_hash(set));
    assert_int_equal(tarn_bodies_step(set, 1.0f / 60.0f, &r), TARN_OK);
    assert_int_equal(r.substeps, 1);
    assert_int_equal(tarn_bodies_step(set, 0.1f, &r), TARN_OK);
    assert_int_equal(r.substeps, 6);
    assert_int_equal(r.flags, 0);
    assert_near(r.time_advanced, 0.1, 1e-6);
    assert_int_equal(tarn_bodies_step(set, 1.0f, &r), TARN_OK);
    assert_int_equal(r.flags, TARN_STEP_TIME_CUT);
    assert_near(r.time_advanced, 8.0 / 60.0, 1e-6);
    assert_int_equal(tarn_bodies_step(set, 1.0f, NULL), TARN_OK);
    tarn_bodies_destroy(set);
}

// One body in the middle of many: more contacts than the pool has room for.
static void test_pool_full(void** state)
{
    (void)state;
    TarnBodiesDef def = room(10.0f);
    def.max_bodies = 40;
    TarnBodies* set = make_set(&def);
    for (int i = 0; i < 40; ++i) {
        add(set, tarn_shape_box(1.0f, 1.0f, 1.0f), (TarnVec3){ 0.01f * (float)i, 1.0f, 0.0f });
    }
    assert_true(advance(set, 1.0f / 60.0f, 1) & TARN_STEP_CAPACITY_FULL);
    advance(set, 1.0f / 60.0f, 120);
    for (int i = 0; i < 40; ++i) assert_true(get(set, tarn_bodies_at(set, i)).position.y < 40.0f);
    tarn_bodies_destroy(set);
}

static void test_driven(void** state)
{
    (void)state;
    TarnBodiesDef def = room(10.0f);
    TarnBodies* set = make_set(&def);
    TarnBodyDef wall = tarn_body_default_def();
    wall.is_driven = true;
    wall.state.position = (TarnVec3){ 0, 1, 0 };
    wall.state.velocity = (TarnVec3){ 1, 0, 0 };
    TarnBodyId pusher;
    assert_int_equal(tarn_bodies_add(set, &wall, &pusher), TARN_OK);
    TarnBodyId box = add(set, tarn_shape_box(0.5f, 0.5f, 0.5f), (TarnVec3){ 1.001f, 0.9f, 0 });
    for (int i = 0; i < 60; ++i) {
        assert_int_equal(tarn_bodies_set_state(set, pusher, &wall.state), TARN_OK);
        advance(set, 1.0f / 60.0f, 1);
        TarnBodyState s = get(set, pusher);
        assert_memory_equal(&s, &wall.state, sizeof s); // only the host moves it
        wall.state.position.x += 1.0f / 60.0f;
    }
    assert_near(get(set, box).position.x, 2.0, 0.05);
    tarn_bodies_destroy(set);
}

// ---- Handles and arguments ----------------------------------------------------------------------

static void assert_refused(TarnBodies* set, TarnBodyId id, const char* word)
{
    TarnBodyState s = { .position = { 1, 1, 1 }, .rotation = { 0, 0, 0, 1 } };
    TarnBodyForce f = { .submerged_volume = 1.0f };
    TarnVec3 v = { 1, 1, 1 };
    float mass = 1.0f, volume = 1.0f;
    uint64_t hash = tarn_bodies_hash(set);
    assert_int_equal(tarn_bodies_set_state(set, id, &s), TARN_ERR_ARG);
    assert_non_null(strstr(tarn_last_error(ctx), word));
    assert_int_equal(tarn_bodies_get_state(set, id, &s), TARN_ERR_ARG);
    assert_int_equal(tarn_bodies_get_force(set, id, &f), TARN_ERR_ARG);
    assert_int_equal(tarn_bodies_get_mass(set, id, &mass, &volume), TARN_ERR_ARG);
    assert_int_equal(tarn_bodies_add_force(set, id, v, v), TARN_ERR_ARG);
    assert_int_equal(tarn_bodies_remove(set, id), TARN_ERR_ARG);
    assert_null(tarn_bodies_shape(set, id));
    assert_int_equal(tarn_bodies_hull_triangles(set, id, NULL, 0), 0);
    assert_true(s.rotation.w == 0.0f && f.submerged_volume == 0.0f);
    assert_true(mass == 0.0f && volume == 0.0f);
    assert_true(hash == tarn_bodies_hash(set));
}

static void test_handles(void** state)
{
    (void)state;
    TarnBodiesDef def = tarn_bodies_default_def();
    def.max_bodies = 2;
    TarnBodies *set = make_set(&def), *other = make_set(&def);
    TarnBodyId a = add(set, tarn_shape_sphere(1.0f), (TarnVec3){ 0, 0, 0 });
    TarnBodyId b = add(set, tarn_shape_sphere(1.0f), (TarnVec3){ 5, 0, 0 });
    TarnBodyId foreign = add(other, tarn_shape_sphere(1.0f), (TarnVec3){ 0, 0, 0 });
    TarnBodyDef body = tarn_body_default_def();
    TarnBodyId c = { 5 };
    assert_int_equal(tarn_bodies_add(set, &body, &c), TARN_ERR_CAPACITY);
    assert_true(c.value == 0);
    assert_refused(set, foreign, "another set");
    assert_refused(set, (TarnBodyId){ 0 }, "null");
    assert_refused(set, (TarnBodyId){ ~(uint64_t)0 }, "id");
    assert_int_equal(tarn_bodies_remove(set, a), TARN_OK);
    assert_refused(set, a, "stale");
    assert_int_equal(tarn_bodies_count(set), 1);
    assert_true(tarn_bodies_at(set, 0).value == b.value);
    c = add(set, tarn_shape_box(1.0f, 1.0f, 1.0f), (TarnVec3){ 0, 0, 0 }); // the same slot again
    assert_true(c.value != a.value);
    assert_refused(set, a, "stale");
    assert_int_equal(tarn_bodies_shape(set, c)->kind, TARN_SHAPE_BOX);
    assert_true(tarn_bodies_at(set, 0).value == c.value);
    assert_true(tarn_bodies_at(set, 2).value == 0 && tarn_bodies_at(set, -1).value == 0);
    tarn_bodies_destroy(set);
    tarn_bodies_destroy(other);
}

static void test_null(void** state)
{
    (void)state;
    TarnBodiesDef def = tarn_bodies_default_def();
    TarnBodies* set = make_set(&def);
    TarnBodyId id = add(set, tarn_shape_sphere(1.0f), (TarnVec3){ 0, 0, 0 });
    TarnBodies* out = set;
    TarnBodyDef body = tarn_body_default_def();
    TarnBodyState s;
    TarnStepReport report = { .substeps = 3 };
    TarnVec3 v = { 0, 0, 0 };
    size_t size = 1;
    assert_int_equal(tarn_bodies_create(NULL, &def, &out), TARN_ERR_ARG);
    assert_null(out);
    assert_int_equal(tarn_bodies_create(ctx, &def, NULL), TARN_ERR_ARG);
    assert_int_equal(tarn_bodies_create(ctx, NULL, &out), TARN_ERR_ARG);
    assert_true(tarn_bodies_memory(NULL) == 0);
    tarn_bodies_destroy(NULL);
    assert_int_equal(tarn_bodies_add(NULL, &body, &id), TARN_ERR_ARG);
    id = tarn_bodies_at(set, 0);
    assert_int_equal(tarn_bodies_add(set, NULL, &id), TARN_ERR_ARG);
    id = tarn_bodies_at(set, 0);
    assert_int_equal(tarn_bodies_add(set, &body, NULL), TARN_ERR_ARG);
    assert_int_equal(tarn_bodies_get_state(NULL, id, &s), TARN_ERR_ARG);
    assert_int_equal(tarn_bodies_get_state(set, id, NULL), TARN_ERR_ARG);
    assert_int_equal(tarn_bodies_set_state(set, id, NULL), TARN_ERR_ARG);
    assert_int_equal(tarn_bodies_get_force(set, id, NULL), TARN_ERR_ARG);
    assert_int_equal(tarn_bodies_add_force(NULL, id, v, v), TARN_ERR_ARG);
    assert_int_equal(tarn_bodies_step(NULL, 0.1f, &report), TARN_ERR_ARG);
    assert_int_equal(report.substeps, 0);
    assert_int_equal(tarn_bodies_save(NULL, NULL, 0, &size), TARN_ERR_ARG);
    assert_int_equal(tarn_bodies_save(set, NULL, 0, NULL), TARN_ERR_ARG);
    assert_int_equal(tarn_bodies_load(NULL, &size, 1), TARN_ERR_ARG);
    assert_int_equal(tarn_bodies_load(set, NULL, 0), TARN_ERR_ARG);
    assert_true(tarn_bodies_hash(NULL) == 0 && tarn_bodies_count(NULL) == 0);
    assert_true(tarn_bodies_at(NULL, 0).value == 0 && tarn_bodies_shape(NULL, id) == NULL);
    assert_int_equal(tarn_bodies_count(set), 1);
    tarn_bodies_destroy(set);
}

static void bad_body(int n, TarnBodyDef* d, const char** word)
{
    static TarnVec3 flat[5] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 1, 1, 0 }, { 2, 1, 0 } };
    static TarnVec3 nan[4] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, NAN } };
    static TarnVec3 line[5] = { { 0 } };
    *d = tarn_body_default_def();
#define BAD(number, text, change)                                                                  \
    case number:                                                                                   \
        *word = text;                                                                              \
        change;                                                                                    \
        break
    switch (n) {
        BAD(0, "cookie", d->cookie = 0);
        BAD(1, "density", d->density = 0.5f);
        BAD(2, "density", d->density = NAN);
        BAD(3, "friction", d->friction = -0.1f);
        BAD(4, "restitution", d->restitution = 1.5f);
        BAD(5, "position", d->state.position.y = INFINITY);
        BAD(6, "position", d->state.position.x = 2e6f);
        BAD(7, "velocity", d->state.velocity.z = -NAN);
        BAD(8, "angular_velocity", d->state.angular_velocity.x = 201.0f);
        BAD(9, "rotation", d->state.rotation = (TarnQuat){ 0 });
        BAD(10, "rotation", d->state.rotation.y = NAN);
        BAD(11, "rotation", d->state.rotation.y = INFINITY);
        BAD(12, "shape", d->shape.kind = 99);
        BAD(13, "shape", d->shape.kind = -1);
        BAD(14, "size.y", d->shape.size.y = 0.0f);
        BAD(15, "size.z", d->shape.size.z = NAN);
        BAD(16, "radius", d->shape = tarn_shape_sphere(2000.0f));
        BAD(17, "radius", d->shape = tarn_shape_capsule(-1.0f, 1.0f));
        BAD(18, "half length", d->shape = tarn_shape_capsule(1.0f, INFINITY));
        BAD(19, "points", d->shape = tarn_shape_hull(NULL, 4));
        BAD(20, "n_points", d->shape = tarn_shape_hull(flat, 3));
        BAD(21, "n_points", d->shape = tarn_shape_hull(flat, 65));
        BAD(22, "flat", d->shape = tarn_shape_hull(flat, 5));
        BAD(23, "points[3]", d->shape = tarn_shape_hull(nan, 4));
        BAD(24, "flat", d->shape = tarn_shape_hull(line, 5));
        BAD(25, "span", d->shape.kind = TARN_SHAPE_SPAN);
        BAD(26, "shape.radius", d->shape.kind = TARN_SHAPE_SPAN; d->shape.span = pillar);
        BAD(27, "shape.volume", d->shape.kind = TARN_SHAPE_SPAN; d->shape.span = pillar;
            d->shape.radius = 1.0f; d->shape.volume = 5.0f);
    default:
        *word = NULL;
    }
#undef BAD
}

static void test_bad_bodies(void** state)
{
    (void)state;
    TarnBodiesDef def = tarn_bodies_default_def();
    TarnBodies* set = make_set(&def);
    uint64_t hash = tarn_bodies_hash(set);
    for (int n = 0;; ++n) {
        TarnBodyDef body;
        const char* word;
        bad_body(n, &body, &word);
        if (word == NULL) {
            assert_int_equal(n, 28);
            break;
        }
        TarnBodyId id = { 1 };
        TarnResult result = tarn_bodies_add(set, &body, &id);
        if (result != TARN_ERR_ARG || id.value != 0 || !strstr(tarn_last_error(ctx), word)) {
            print_error("case %d: %d, '%s'\n", n, result, tarn_last_error(ctx));
            fail();
        }
        assert_true(hash == tarn_bodies_hash(set));
    }
    tarn_bodies_destroy(set);
}

static void assert_bad_set(TarnBodiesDef def, const char* word)
{
    TarnBodies* set = (TarnBodies*)&def;
    assert_int_equal(tarn_bodies_create(ctx, &def, &set), TARN_ERR_ARG);
    assert_null(set);
    assert_non_null(strstr(tarn_last_error(ctx), word));
    assert_true(tarn_bodies_memory(&def) == 0);
}

static void test_bad_calls(void** state)
{
    (void)state;
    TarnBodiesDef def = tarn_bodies_default_def();
    def.max_bodies = 0, assert_bad_set(def, "max_bodies");
    def.max_bodies = 4097, assert_bad_set(def, "max_bodies");
    def = tarn_bodies_default_def(), def.gravity.x = NAN, assert_bad_set(def, "gravity");
    def = tarn_bodies_default_def(), def.box_min.z = 2e4f, assert_bad_set(def, "box_min.z");
    def = tarn_bodies_default_def(), def.box_max.y = INFINITY, assert_bad_set(def, "box_max");
    def = tarn_bodies_default_def(), def.cookie = 1, assert_bad_set(def, "cookie");

    def = tarn_bodies_default_def();
    TarnBodies* set = make_set(&def);
    TarnBodyId id = add(set, tarn_shape_sphere(1.0f), (TarnVec3){ 0, 0, 0 });
    uint64_t hash = tarn_bodies_hash(set);
    const float dts[] = { -0.1f, NAN, INFINITY, 11.0f };
    for (int i = 0; i < 4; ++i) {
        assert_int_equal(tarn_bodies_step(set, dts[i], NULL), TARN_ERR_ARG);
        assert_non_null(strstr(tarn_last_error(ctx), "dt"));
    }
    TarnVec3 bad = { 0, NAN, 0 }, big = { 9e19f, 0, 0 }, none = { 0, 0, 0 };
    assert_int_equal(tarn_bodies_add_force(set, id, bad, none), TARN_ERR_ARG);
    assert_non_null(strstr(tarn_last_error(ctx), "force"));
    assert_int_equal(tarn_bodies_add_force(set, id, none, bad), TARN_ERR_ARG);
    assert_non_null(strstr(tarn_last_error(ctx), "torque"));
    TarnBodyState s = get(set, id);
    s.velocity.x = 1001.0f;
    assert_int_equal(tarn_bodies_set_state(set, id, &s), TARN_ERR_ARG);
    assert_non_null(strstr(tarn_last_error(ctx), "velocity"));
    assert_true(hash == tarn_bodies_hash(set));
    assert_int_equal(tarn_bodies_add_force(set, id, big, none), TARN_OK); // twice is too much
    assert_int_equal(tarn_bodies_add_force(set, id, big, none), TARN_ERR_ARG);
    s = (TarnBodyState){ .rotation = { 0, 0, 0, -3.0f } }; // normalized, not refused
    assert_int_equal(tarn_bodies_set_state(set, id, &s), TARN_OK);
    assert_true(get(set, id).rotation.w == -1.0f);
    tarn_bodies_destroy(set);
}

// ---- Hash, snapshots, memory --------------------------------------------------------------------

static TarnBodies* pile(TarnContext* where, int n)
{
    TarnBodiesDef def = room(3.0f);
    TarnBodies* set;
    assert_int_equal(tarn_bodies_create(where, &def, &set), TARN_OK);
    TarnVec3 cube[8];
    cube_points(0.2f, 0.2f, 0.2f, (TarnVec3){ 0, 0, 0 }, cube);
    for (int i = 0; i < n; ++i) {
        float x = 0.35f * (float)(i % 3 - 1), z = 0.33f * (float)(i / 3 % 3 - 1);
        TarnShape shape = i % 5 == 3   ? tarn_shape_sphere(0.2f)
                          : i % 5 == 4 ? tarn_shape_hull(cube, 8)
                                       : tarn_shape_box(0.2f, 0.2f, 0.2f);
        add(set, shape, (TarnVec3){ x, 0.3f + 0.4f * (float)(i / 4), z });
    }
    return set;
}

static void test_workers(void** state)
{
    (void)state;
    TarnContext* eight = make_context(8);
    TarnBodies *a = pile(ctx, 20), *b = pile(eight, 20);
    for (int i = 0; i < 120; ++i) {
        advance(a, 1.0f / 60.0f, 1);
        advance(b, 1.0f / 60.0f, 1);
        assert_true(tarn_bodies_hash(a) == tarn_bodies_hash(b));
    }
    // The same from every compiler and machine. A new value means that results changed bits.
    const uint64_t expected = 0x52fb483efd489b89;
    if (tarn_bodies_hash(a) != expected) {
        print_error("hash of the pile: %016llx\n", (unsigned long long)tarn_bodies_hash(a));
        fail();
    }
    tarn_bodies_destroy(a);
    tarn_bodies_destroy(b);
    tarn_context_destroy(eight);
}

static void test_hash_sees_everything(void** state)
{
    (void)state;
    TarnBodies* set = pile(ctx, 2);
    TarnBody* b = tarn__bodies_slot(set, 1);
    uint64_t hash = tarn_bodies_hash(set);
    TarnVec3* v[] = { &b->state.position, &b->state.velocity, &b->state.angular_velocity,
                      &b->force.force,    &b->force.torque,   &b->added_force,
                      &b->added_torque };
    float* f[26];
    int n = 0;
    for (int i = 0; i < 7; ++i) f[n++] = &v[i]->x, f[n++] = &v[i]->y, f[n++] = &v[i]->z;
    f[n++] = &b->state.rotation.x, f[n++] = &b->state.rotation.y, f[n++] = &b->state.rotation.z;
    f[n++] = &b->state.rotation.w, f[n++] = &b->force.submerged_volume;
    assert_int_equal(n, 26);
    for (int i = 0; i < n; ++i) {
        float old = *f[i];
        *f[i] = nextafterf(old, 1e9f);
        assert_true(tarn_bodies_hash(set) != hash);
        *f[i] = old;
    }
    assert_true(tarn_bodies_hash(set) == hash);
    set->touches[0] = (Touch){ .a = 0, .b = 1, .normal = 1.0f };
    set->n_touches = 1;
    assert_true(tarn_bodies_hash(set) != hash);
    set->n_touches = 0;
    tarn__bodies_set_box(set, (TarnVec3){ -3, 0, -3 }, (TarnVec3){ 3, 6, 3.5f });
    assert_true(tarn_bodies_hash(set) != hash);
    tarn_bodies_destroy(set);
}

static void test_save_load(void** state)
{
    (void)state;
    TarnBodies *a = pile(ctx, 12), *b = pile(ctx, 12), *other = pile(ctx, 11);
    advance(a, 1.0f / 60.0f, 50);
    TarnVec3 f = { 10, 20, 30 };
    assert_int_equal(tarn_bodies_add_force(a, tarn_bodies_at(a, 3), f, f), TARN_OK);
    tarn__bodies_slot(a, 2)->force = (TarnBodyForce){ { 1, 2, 3 }, { 4, 5, 6 }, 0.25f };
    size_t size, again;
    assert_int_equal(tarn_bodies_save(a, NULL, 0, &size), TARN_ERR_CAPACITY);
    uint8_t* buffer = malloc(size);
    assert_int_equal(tarn_bodies_save(a, buffer, size - 1, &again), TARN_ERR_CAPACITY);
    assert_true(again == size);
    assert_int_equal(tarn_bodies_save(a, buffer, size, &again), TARN_OK);
    assert_true(again == size && tarn_bodies_hash(a) != tarn_bodies_hash(b));
    assert_int_equal(tarn_bodies_load(b, buffer, size), TARN_OK);
    assert_true(tarn_bodies_hash(a) == tarn_bodies_hash(b));
    for (int i = 0; i < 120; ++i) {
        advance(a, 1.0f / 60.0f, 1);
        advance(b, 1.0f / 60.0f, 1);
        assert_true(tarn_bodies_hash(a) == tarn_bodies_hash(b));
    }
    assert_int_equal(tarn_bodies_load(a, buffer, size), TARN_OK);
    assert_int_equal(tarn_bodies_load(other, buffer, size), TARN_OK); // the missing body comes
    assert_true(tarn_bodies_count(other) == 12 && tarn_bodies_hash(other) == tarn_bodies_hash(a));
    free(buffer);
    tarn_bodies_destroy(a);
    tarn_bodies_destroy(b);
    tarn_bodies_destroy(other);
}

// Gives damaged content a good hash again, so that only the range checks stand in its way.
static void seal(uint8_t* buffer, size_t size)
{
    uint64_t hash = tarn_hash(buffer + TARN_SNAPSHOT_HEADER, size - TARN_SNAPSHOT_HEADER, 0);
    memcpy(buffer + TARN_SNAPSHOT_HEADER - 16, &hash, sizeof hash);
    hash = tarn_hash(buffer, TARN_SNAPSHOT_HEADER - 8, 1);
    memcpy(buffer + TARN_SNAPSHOT_HEADER - 8, &hash, sizeof hash);
}

static void test_damaged_snapshots(void** state)
{
    (void)state;
    TarnBodies* set = pile(ctx, 4);
    uint8_t good[8192], bad[8193];
    size_t size;
    advance(set, 1.0f / 60.0f, 30); // so that there are contacts
    assert_true(set->n_touches > 8);
    assert_int_equal(tarn_bodies_save(set, good, sizeof good, &size), TARN_OK);
    advance(set, 1.0f / 60.0f, 10);
    uint64_t hash = tarn_bodies_hash(set);
    for (size_t i = 0; i < size; ++i) {
        memcpy(bad, good, size);
        bad[i] ^= (uint8_t)(1u << i % 8);
        assert_true(tarn_bodies_load(set, bad, size) != TARN_OK);
        assert_true(tarn_bodies_hash(set) == hash);
        assert_true(tarn_bodies_load(set, good, i) != TARN_OK); // cut short
        assert_true(tarn_bodies_hash(set) == hash);
    }
    memcpy(bad, good, size);
    assert_int_equal(tarn_bodies_load(set, bad, size + 1), TARN_ERR_DATA);
    const float wrong[] = { NAN, INFINITY, -1e30f };
    for (size_t at = TARN_SNAPSHOT_HEADER; at < size; at += 4) { // all is made of four bytes
        for (int w = 0; w < 3; ++w) {
            memcpy(bad, good, size);
            memcpy(bad + at, &wrong[w], 4);
            seal(bad, size);
            assert_int_equal(tarn_bodies_load(set, bad, size), TARN_ERR_DATA);
            assert_true(tarn_bodies_hash(set) == hash);
        }
    }
    memcpy(bad, good, size);
    seal(bad, size); // the seal itself is right
    assert_int_equal(tarn_bodies_load(set, bad, size), TARN_OK);
    assert_true(tarn_bodies_hash(set) != hash);
    tarn_bodies_destroy(set);
}

static void test_memory(void** state)
{
    (void)state;
    const int sizes[] = { 1, 7, 64, 500 };
    for (int i = 0; i < 4; ++i) {
        TarnBodiesDef def = tarn_bodies_default_def();
        def.max_bodies = sizes[i];
        size_t before = memory.bytes;
        int calls = memory.calls;
        TarnBodies* set = make_set(&def);
        assert_true(memory.bytes - before == tarn_bodies_memory(&def));
        assert_int_equal(memory.calls, calls + 1);
        tarn_bodies_destroy(set);
        assert_true(memory.bytes == before);
    }
    TarnBodies* set = pile(ctx, 20);
    int calls = memory.calls;
    advance(set, 1.0f / 60.0f, 60);
    advance(set, 5.0f, 2);
    tarn_bodies_hash(set);
    assert_int_equal(memory.calls, calls);
    tarn_bodies_destroy(set);
}

static void test_no_memory(void** state)
{
    (void)state;
    for (int n = 1; n < 10; ++n) {
        size_t before = memory.bytes;
        memory.fail_at = memory.calls + n;
        TarnBodiesDef def = tarn_bodies_default_def();
        TarnBodies* set = (TarnBodies*)&def;
        TarnResult result = tarn_bodies_create(ctx, &def, &set);
        memory.fail_at = 0;
        assert_int_equal(result, n == 1 ? TARN_ERR_MEMORY : TARN_OK);
        if (result != TARN_OK) assert_null(set);
        if (result != TARN_OK) assert_non_null(strstr(tarn_last_error(ctx), "max_bodies"));
        tarn_bodies_destroy(set);
        assert_true(memory.bytes == before);
    }
}

static double seconds(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void test_cost(void** state)
{
    (void)state;
    TarnBodiesDef def = room(3.0f);
    TarnBodies* set = make_set(&def);
    for (int i = 0; i < 20; ++i) {
        float x = 0.35f * (float)(i % 3 - 1), z = 0.33f * (float)(i / 3 % 3 - 1);
        add(set, tarn_shape_box(0.2f, 0.2f, 0.2f), (TarnVec3){ x, 0.3f + 0.3f * (float)i, z });
    }
    double best = 1e9;
    for (int i = 0; i < 20; ++i) {
        double start = seconds();
        advance(set, 1.0f / 60.0f, 60);
        double took = (seconds() - start) / 60.0;
        if (i > 5 && took < best) best = took;
    }
    printf("20 boxes in a pile: %.1f us per step\n", best * 1e6);
    float y_max = 0.0f, speed = 0.0f;
    for (int i = 0; i < 20; ++i) {
        TarnBodyState s = get(set, tarn_bodies_at(set, i));
        y_max = tarn_maxf(y_max, s.position.y);
        speed = tarn_maxf(speed, vec3_length(s.velocity));
    }
    printf("highest at %.2f m, fastest %.4f m/s\n", y_max, speed);
    assert_true(speed < 0.05f); // a pile that does not settle costs more than time
    tarn_bodies_destroy(set);
}

// However many bodies are in one place, the work grows with their number, not with its square, and the step says
// that it left contacts out. A raft under many crates is no crowd.
static void test_crowds_are_bounded(void** state)
{
    (void)state;
    enum { N = 2048 };
    const TarnShape shapes[] = { tarn_shape_box(0.2f, 0.2f, 0.2f), tarn_shape_sphere(0.2f),
                                 tarn_shape_capsule(0.01f, 1.0f) };
    for (int s = 0; s < 3; ++s) {
        TarnBodiesDef def = room(3.0f);
        def.max_bodies = N;
        TarnBodies* set = make_set(&def);
        for (int i = 0; i < N; ++i) {
            // Rods side by side: their balls overlap, they do not touch.
            float x = s == 2 ? 0.03f * (float)(i % 64) : 0.0f,
                  z = s == 2 ? 0.03f * (float)(i / 64) : 0.0f;
            add(set, shapes[s], (TarnVec3){ x, 1.5f, z });
        }
        TarnStepReport report;
        assert_int_equal(tarn_bodies_step(set, 1.0f / 60.0f, &report), TARN_OK);
        assert_true(report.flags & TARN_STEP_CAPACITY_FULL);
        assert_true(set->n_tests > N && set->n_tests <= 64 * N); // of 2 million pairs
        tarn_bodies_destroy(set);
    }
    TarnBodiesDef def = room(30.0f);
    def.max_bodies = 402;
    TarnBodies* set = make_set(&def);
    add(set, tarn_shape_box(6.0f, 0.1f, 6.0f), (TarnVec3){ 0, 0.1f, 0 });
    for (int i = 0; i < 400; ++i)
        add(set, tarn_shape_box(0.2f, 0.2f, 0.2f),
            (TarnVec3){ 0.5f * (float)(i % 20 - 10), 0.4f, 0.5f * (float)(i / 20 - 10) });
    for (int i = 0; i < 30; ++i) {
        TarnStepReport report;
        assert_int_equal(tarn_bodies_step(set, 1.0f / 60.0f, &report), TARN_OK);
        assert_int_equal(report.flags, 0);
    }
    for (int i = 1; i < 401; ++i)
        assert_near(get(set, tarn_bodies_at(set, i)).position.y, 0.4, 5e-3);
    tarn_bodies_destroy(set);
}

// ---- Freedom --------------------------------------------------------------------------------------

static TarnBodyId add_with(TarnBodies* set, int freedom, TarnVec3 axis, TarnVec3 position)
{
    TarnBodyDef def = tarn_body_default_def();
    TarnBodyId id;
    def.shape = tarn_shape_box(0.5f, 0.2f, 0.3f);
    def.freedom = freedom;
    def.axis = axis;
    def.state.position = position;
    def.state.velocity = (TarnVec3){ 1, 0, 2 };
    def.state.angular_velocity = (TarnVec3){ 1, 2, 3 };
    assert_int_equal(tarn_bodies_add(set, &def, &id), TARN_OK);
    return id;
}

// A planar body falls, slides and turns, and never leaves its plane, whatever pushes it.
static void test_planar(void** state)
{
    (void)state;
    TarnBodiesDef def = tarn_bodies_default_def();
    TarnBodies* set;
    def.box_min = (TarnVec3){ -3, 0, -0.1f }; // thinner than the body: no wall along z
    def.box_max = (TarnVec3){ 3, 9, 0.1f };
    assert_int_equal(tarn_bodies_create(ctx, &def, &set), TARN_OK);
    const TarnVec3 z = { 0, 0, 1 };
    TarnBodyId id = add_with(set, TARN_BODY_PLANAR, z, (TarnVec3){ 0, 1, 0 });
    TarnBodyId other = add_with(set, TARN_BODY_PLANAR, z, (TarnVec3){ 0.2f, 2, 0.05f });
    TarnBodyState s;
    tarn_bodies_get_state(set, id, &s);
    assert_true(s.velocity.x == 1 && s.velocity.z == 0 && s.angular_velocity.z == 3);
    assert_true(s.angular_velocity.x == 0 && s.angular_velocity.y == 0);
    for (int i = 0; i < 200; ++i) {
        tarn_bodies_add_force(set, id, (TarnVec3){ 10, 0, 500 }, (TarnVec3){ 90, 90, 5 });
        assert_int_equal(tarn_bodies_step(set, 1.0f / 60, NULL), TARN_OK);
    }
    tarn_bodies_get_state(set, id, &s);
    assert_true(s.position.z == 0 && s.velocity.z == 0 && s.rotation.x == 0 && s.rotation.y == 0);
    assert_true(s.position.y < 0.75f && s.position.y > 0.15f); // it lies, and turned
    tarn_bodies_get_state(set, other, &s);
    assert_float_equal(s.position.z, 0.05f, 0);
    tarn_bodies_destroy(set);
}

// A hinged body turns as its inertia about the axis says, and goes nowhere.
static void test_hinge(void** state)
{
    (void)state;
    TarnBodiesDef def = tarn_bodies_default_def();
    TarnBodies* set;
    assert_int_equal(tarn_bodies_create(ctx, &def, &set), TARN_OK);
    const TarnVec3 at = { 1, 2, 3 }, axis = { 0, 0, 5 };
    TarnBodyId id = add_with(set, TARN_BODY_HINGE, axis, at);
    TarnBodyState s;
    tarn_bodies_get_state(set, id, &s);
    assert_true(s.velocity.x == 0 && s.angular_velocity.z == 3 && s.angular_velocity.x == 0);
    s.angular_velocity = (TarnVec3){ 0, 0, 0 };
    tarn_bodies_set_state(set, id, &s);
    float mass, inertia;
    tarn_bodies_get_mass(set, id, &mass, NULL);
    inertia = mass / 3.0f * (0.5f * 0.5f + 0.2f * 0.2f);
    for (int i = 0; i < 60; ++i) {
        tarn_bodies_add_force(set, id, (TarnVec3){ 50, 0, 0 }, (TarnVec3){ 7, 7, inertia });
        assert_int_equal(tarn_bodies_step(set, 1.0f / 60, NULL), TARN_OK);
    }
    tarn_bodies_get_state(set, id, &s);
    assert_float_equal(s.angular_velocity.z, 1, 1e-3); // 1 rad/s^2 for a second
    assert_true(s.angular_velocity.x == 0 && s.angular_velocity.y == 0);
    assert_memory_equal(&s.position, &at, sizeof at);
    int freedom;
    TarnVec3 unit;
    assert_int_equal(tarn_bodies_get_freedom(set, id, &freedom, &unit), TARN_OK);
    assert_true(freedom == TARN_BODY_HINGE && unit.z == 1);
    TarnBodyDef bad = tarn_body_default_def();
    bad.freedom = TARN_BODY_HINGE;
    bad.axis = (TarnVec3){ 0, 0, 0 };
    assert_int_equal(tarn_bodies_add(set, &bad, &id), TARN_ERR_ARG);
    assert_non_null(strstr(tarn_last_error(ctx), "body.axis"));
    bad.freedom = 7;
    assert_int_equal(tarn_bodies_add(set, &bad, &id), TARN_ERR_ARG);
    tarn_bodies_destroy(set);
}

// A ball that falls on one end of a hinged plank turns it; both hashes and snapshots know freedoms.
static void test_hinge_contact(void** state)
{
    (void)state;
    TarnBodiesDef def = tarn_bodies_default_def();
    TarnBodies *set, *twin;
    def.box_min.y = 0;
    assert_int_equal(tarn_bodies_create(ctx, &def, &set), TARN_OK);
    assert_int_equal(tarn_bodies_create(ctx, &def, &twin), TARN_OK);
    TarnBodyDef plank = tarn_body_default_def(), ball = tarn_body_default_def();
    TarnBodyId a, b, c;
    plank.shape = tarn_shape_box(1, 0.05f, 0.3f);
    plank.freedom = TARN_BODY_HINGE;
    plank.state.position.y = 1;
    ball.shape = tarn_shape_sphere(0.1f);
    ball.state.position = (TarnVec3){ 0.7f, 1.5f, 0 };
    assert_int_equal(tarn_bodies_add(set, &plank, &a), TARN_OK);
    assert_int_equal(tarn_bodies_add(set, &ball, &b), TARN_OK);
    plank.freedom = TARN_BODY_FREE;
    assert_int_equal(tarn_bodies_add(twin, &plank, &c), TARN_OK);
    assert_int_equal(tarn_bodies_add(twin, &ball, &c), TARN_OK);
    assert_true(tarn_bodies_hash(set) != tarn_bodies_hash(twin));
    for (int i = 0; i < 60; ++i) assert_int_equal(tarn_bodies_step(set, 1.0f / 60, NULL), TARN_OK);
    TarnBodyState s;
    tarn_bodies_get_state(set, a, &s);
    assert_true(s.rotation.z < -0.1f && s.position.y == 1);
    size_t size;
    char* data = malloc(1 << 16);
    assert_int_equal(tarn_bodies_save(set, data, 1 << 16, &size), TARN_OK);
    uint64_t hash = tarn_bodies_hash(set);
    assert_int_equal(tarn_bodies_load(twin, data, size), TARN_OK); // its plank was free
    assert_true(tarn_bodies_hash(twin) == hash);
    tarn_bodies_step(set, 0.1f, NULL);
    assert_int_equal(tarn_bodies_load(set, data, size), TARN_OK);
    assert_true(tarn_bodies_hash(set) == hash);
    free(data);
    tarn_bodies_destroy(set);
    tarn_bodies_destroy(twin);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST_ALONE(test_mass),
        TEST_ALONE(test_mass_tetrahedron),
        TEST_ALONE(test_hull_random),
        TEST_ALONE(test_hull_coplanar),
        TEST_ALONE(test_spans),
        TEST_ALONE(test_span_callback),
        TEST_ALONE(test_collide_edges),
        TEST_ALONE(test_collide_round),
        TEST_ALONE(test_free_fall),
        TEST_ALONE(test_rest),
        TEST_ALONE(test_tumbled_box_rests),
        TEST_ALONE(test_stack),
        TEST_ALONE(test_crossed_planks),
        TEST_ALONE(test_rolling),
        TEST_ALONE(test_collision),
        TEST_ALONE(test_bounce),
        TEST_ALONE(test_stays_in_room),
        TEST_ALONE(test_extremes),
        TEST_ALONE(test_report),
        TEST_ALONE(test_pool_full),
        TEST_ALONE(test_driven),
        TEST_ALONE(test_handles),
        TEST_ALONE(test_null),
        TEST_ALONE(test_bad_bodies),
        TEST_ALONE(test_bad_calls),
        TEST(test_workers),
        TEST_ALONE(test_hash_sees_everything),
        TEST_ALONE(test_save_load),
        TEST_ALONE(test_damaged_snapshots),
        TEST_ALONE(test_memory),
        TEST_ALONE(test_no_memory),
        TEST_ALONE(test_planar),
        TEST_ALONE(test_hinge),
        TEST_ALONE(test_hinge_contact),
        TEST_ALONE(test_cost),
        TEST_ALONE(test_crowds_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
