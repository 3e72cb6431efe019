// Solids as things to draw: what meshes are made of shapes that are no meshes.

#include "tarn/view.h"
#include <math.h>
#include <stdlib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static const char text[] = "{\"tarn\":1,\"solvers\":[{\"kind\":\"liquid\",\"dimensions\":3,"
                           "\"max_particles\":10,\"box_min\":[-1,0,-1],\"box_max\":[1,2,1],"
                           "\"spacing\":0.1}]}";

typedef struct Fixture {
    TarnContext* ctx;
    TarnScene* scene;
    TarnViewer* viewer;
    int n_solids;
} Fixture;

enum { TANK_BARS = 12 };

static int setup(void** state)
{
    static Fixture f;
    TarnContextDef def = tarn_context_default_def();
    f = (Fixture){ 0 };
    if (tarn_context_create(&def, &f.ctx) != TARN_OK) return -1;
    if (tarn_scene_create(f.ctx, text, sizeof text - 1, "test.json", NULL, 0, &f.scene) != TARN_OK)
        return -1;
    TarnViewerDef view = tarn_viewer_default_def();
    view.scene = f.scene;
    if (tarn_viewer_create(f.ctx, &view, &f.viewer) != TARN_OK) return -1;
    *state = &f;
    return 0;
}

static int teardown(void** state)
{
    Fixture* f = *state;
    tarn_viewer_destroy(f->viewer);
    tarn_scene_destroy(f->scene);
    tarn_context_destroy(f->ctx);
    return 0;
}

// What the last solid is drawn as, at least so many things.
static const TarnFrameBody* drawn(Fixture* f, const TarnSolidDef* def, int n)
{
    int before = f->n_solids;
    const TarnFrame* frame;
    assert_int_equal(tarn_world_add_solid(tarn_scene_world(f->scene), def, NULL), TARN_OK);
    assert_int_equal(tarn_viewer_update(f->viewer, &frame), TARN_OK);
    assert_int_equal(frame->n_solids, before + n);
    f->n_solids = frame->n_solids;
    return frame->solids + before;
}

static double volume_of(const TarnFrameBody* b) // below 0: seen from inside
{
    double sum = 0.0;
    for (int t = 0; t < b->shape.n_triangles; ++t) {
        TarnVec3 p = b->shape.points[b->shape.triangles[3 * t]],
                 q = b->shape.points[b->shape.triangles[3 * t + 1]],
                 r = b->shape.points[b->shape.triangles[3 * t + 2]];
        sum += (double)p.x * ((double)q.y * r.z - (double)q.z * r.y) +
               (double)p.y * ((double)q.z * r.x - (double)q.x * r.z) +
               (double)p.z * ((double)q.x * r.y - (double)q.y * r.x);
    }
    return sum / 6.0;
}

// Each edge is used once in each direction.
static void assert_closed(const TarnFrameBody* b)
{
    int n = b->shape.n_points;
    uint8_t* edges = calloc((size_t)n * (size_t)n, 1);
    for (int t = 0; t < 3 * b->shape.n_triangles; ++t) {
        int from = b->shape.triangles[t], to = b->shape.triangles[t % 3 == 2 ? t - 2 : t + 1];
        assert_true(from >= 0 && from < n && to >= 0 && to < n);
        ++edges[(size_t)from * (size_t)n + (size_t)to];
    }
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            int there = edges[(size_t)i * (size_t)n + (size_t)j];
            assert_true(there <= 1 && there == edges[(size_t)j * (size_t)n + (size_t)i]);
        }
    free(edges);
}

static float length_of(TarnVec3 v)
{
    return sqrtf(v.x * v.x + v.y * v.y + v.z * v.z);
}

static const float radius = 0.4f;

static float ball(TarnVec3 p, void* user)
{
    (void)user;
    return length_of(p) - radius;
}

static void assert_ball(const TarnFrameBody* b, float slack)
{
    const double whole = 4.18879 * (double)(radius * radius * radius);
    assert_int_equal(b->shape.kind, TARN_SHAPE_MESH);
    assert_true(b->shape.n_triangles > 100);
    for (int i = 0; i < b->shape.n_points; ++i)
        assert_true(fabsf(length_of(b->shape.points[i]) - radius) < slack);
    assert_closed(b);
    assert_true(fabs(volume_of(b) / whole - 1.0) < 0.06);
}

static void test_distances(void** state)
{
    Fixture* f = *state;
    enum { N = 21 };
    static float values[N * N * N];
    TarnSolidDef def = tarn_solid_default_def();
    def.shape.kind = TARN_SHAPE_DISTANCE;
    def.shape.nx = def.shape.ny = def.shape.nz = N, def.shape.dx = 0.05f;
    def.shape.origin = (TarnVec3){ -0.5f, -0.5f, -0.5f };
    for (int c = 0; c < N * N * N; ++c) {
        TarnVec3 p = { -0.5f + 0.05f * (float)(c % N), -0.5f + 0.05f * (float)(c / N % N),
                       -0.5f + 0.05f * (float)(c / (N * N)) };
        values[c] = ball(p, NULL);
    }
    def.shape.distances = values;
    assert_ball(drawn(f, &def, 1), 0.01f);
    def.shape.distances = NULL;
    def.shape.kind = TARN_SHAPE_FUNCTION;
    def.shape.distance = ball, def.shape.radius = radius;
    assert_ball(drawn(f, &def, 1), 0.01f);
}

static void test_convex_and_tank(void** state)
{
    Fixture* f = *state;
    TarnPlane planes[6] = { { { 1, 0, 0 }, 1 },  { { -1, 0, 0 }, 1 }, { { 0, 2, 0 }, 1 },
                            { { 0, -1, 0 }, 1 }, { { 0, 0, 1 }, 1 },  { { 0, 0, -1 }, 1 } };
    TarnSolidDef def = tarn_solid_default_def();
    def.shape.kind = TARN_SHAPE_CONVEX;
    def.shape.planes = planes, def.shape.n_planes = 6;
    const TarnFrameBody* b = drawn(f, &def, 1);
    assert_int_equal(b->shape.n_triangles, 12);
    assert_true(fabs(volume_of(b) - 6.0) < 1e-4); // 2 x 1.5 x 2, seen from outside
    TarnSolidDef tank = tarn_solid_default_def();
    tank.shape.kind = TARN_SHAPE_BOX, tank.is_inside_out = true;
    tank.shape.size = (TarnVec3){ 1.0f, 0.5f, 1.0f };
    tank.motion.position.y = 0.5f;
    b = drawn(f, &tank, TANK_BARS);
    for (int i = 0; i < TANK_BARS; ++i) { // none stands in what is hollow
        TarnVec3 p = b[i].position, h = b[i].shape.size;
        bool is_out = fabsf(p.x) - h.x > 0.999f || fabsf(p.y - 0.5f) - h.y > 0.499f ||
                      fabsf(p.z) - h.z > 0.999f;
        assert_true(is_out);
    }
}

static void test_bowl_and_terrain(void** state)
{
    Fixture* f = *state;
    TarnSolidDef bowl = tarn_solid_default_def();
    bowl.shape.kind = TARN_SHAPE_SPHERE, bowl.is_inside_out = true;
    bowl.shape.size.x = radius;
    const TarnFrameBody* b = drawn(f, &bowl, 1);
    assert_int_equal(b->shape.kind, TARN_SHAPE_MESH);
    for (int i = 0; i < b->shape.n_points; ++i) {
        assert_true(fabsf(length_of(b->shape.points[i]) - radius) < 1e-5f);
        assert_true(b->shape.points[i].y < 1e-5f); // open above: one looks into it
    }
    float heights[12];
    for (int c = 0; c < 12; ++c) heights[c] = 0.1f * (float)c;
    TarnSolidDef land = tarn_solid_default_def();
    land.shape.kind = TARN_SHAPE_TERRAIN;
    land.shape.heights = (TarnView2){ heights, 4, 3, 4 };
    land.shape.dx = 0.5f;
    b = drawn(f, &land, 1);
    assert_int_equal(b->shape.n_points, 12);
    assert_int_equal(b->shape.n_triangles, 12);
    for (int i = 0; i < 12; ++i) assert_true(b->shape.points[i].y == heights[i]);
    assert_true(b->shape.points[5].x == 0.75f && b->shape.points[5].z == 0.75f);
    TarnVec3 p = b->shape.points[b->shape.triangles[0]], q = b->shape.points[b->shape.triangles[1]],
             r = b->shape.points[b->shape.triangles[2]];
    assert_true((q.z - p.z) * (r.x - p.x) - (q.x - p.x) * (r.z - p.z) > 0.0f); // faces up
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_distances, setup, teardown),
        cmocka_unit_test_setup_teardown(test_convex_and_tank, setup, teardown),
        cmocka_unit_test_setup_teardown(test_bowl_and_terrain, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
