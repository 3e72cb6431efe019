// Screen-space meshes: cameras of all kinds, level of detail, bits, memory, and what comes from outside.

#include "screen_common.h"

// ---- Cameras -------------------------------------------------------------------------------------

// Nodes lie on whole multiples of the spacing in the picture: what was unprojected projects back there.
static void nodes_project_back_to_their_pixels(const TarnScreenCamera* c, const TarnMesh* mesh)
{
    int n_on = 0;
    for (int v = 0; v < mesh->n_vertices; ++v) {
        TarnVec3 p = project(c, mesh->position[v]);
        float dx = p.x / 2.0f - roundf(p.x / 2.0f), dy = p.y / 2.0f - roundf(p.y / 2.0f);
        n_on += fabsf(dx) < 2e-3f && fabsf(dy) < 2e-3f;
        assert_true(p.x > -0.5f && p.x < (float)c->width + 2.5f && p.y > -0.5f &&
                    p.y < (float)c->height + 2.5f);
    }
    if (10 * n_on < 8 * mesh->n_vertices) print_error("%d of %d\n", n_on, mesh->n_vertices);
    assert_true(10 * n_on >= 8 * mesh->n_vertices);
}

// Turns the picture, shifts it, mirrors it, scales the view, moves the eye by the projection.
static TarnScreenCamera odd_camera(int kind)
{
    TarnScreenCamera c = around((TarnVec3){ 3.0f, 2.5f, 4.0f }, 400, 300);
    float* p = c.projection;
    if (kind == 1)
        c = around((TarnVec3){ 300.0f, 250.0f, 400.0f }, 400, 300), p[0] *= 90.0f, p[5] *= 90.0f;
    if (kind == 2) p[8] = 0.2f, p[9] = -0.1f; // off-center
    if (kind == 3)
        p[4] = -p[5], p[1] = p[0] * 4.0f / 3.0f, p[0] = p[5] = 0.0f, p[4] *= 0.75f; // turned
    if (kind == 4) p[5] = -p[5];                                                    // upside down
    if (kind == 5) {
        for (int i = 0; i < 16; ++i)
            if (i % 4 != 3) c.view[i] *= 7.0f;
    }
    if (kind == 6) p[12] = 0.2f, p[15] = 0.5f; // the eye half a meter back, and aside
    if (kind == 7) c.width = 333, c.height = 251;
    if (kind == 8) {
        TarnScreenCamera o = flat(400, 300, 2.0f);
        memcpy(p, o.projection, sizeof o.projection);
        p[12] = 0.3f;
    }
    return c;
}

static void cameras_of_all_kinds(void** state)
{
    (void)state;
    TarnScreenMesh* screen = make_in(ctx, 2);
    int n = pool();
    for (int kind = 0; kind < 9; ++kind) {
        TarnScreenCamera c = odd_camera(kind);
        TarnScreenMeshParams params = plain(0.1f);
        params.layers = 2;
        params.iterations = 0;
        TarnMesh mesh;
        int n_front = run(screen, n, &c, &params, &mesh);
        if (n_front < 1000) print_error("camera %d: %d triangles\n", kind, n_front);
        assert_true(n_front > 1000);
        nodes_project_back_to_their_pixels(&c, &mesh);
        double facing = 0.0; // normals of the front look at the eye, those of the back away
        for (int t = 0; t < mesh.n_triangles; ++t) {
            TarnVec3 v = position[indices[3 * t]];
            TarnVec3 tip = vec3_add(v, vec3_scale(normal[indices[3 * t]], 0.1f));
            double nearer = (double)project(&c, v).z - (double)project(&c, tip).z;
            facing += t < n_front ? nearer : -nearer;
        }
        assert_true(facing / mesh.n_triangles > 0.02);
    }
    tarn_screen_mesh_destroy(screen);
}

static void detail_falls_with_distance(void** state)
{
    (void)state;
    TarnScreenMesh* screen = make_in(ctx, 2);
    TarnScreenMeshParams params = plain(0.1f);
    TarnMesh mesh;
    int n = pool(), before = 1 << 28;
    for (int d = 0; d < 5; ++d) {
        float away = 4.0f * (float)(1 << d);
        TarnScreenCamera c = around((TarnVec3){ 0.6f * away, 0.5f * away, 0.62f * away }, 400, 300);
        run(screen, n, &c, &params, &mesh);
        assert_true(mesh.n_triangles > 0 && mesh.n_triangles < before * 2 / 5);
        before = mesh.n_triangles;
    }
    tarn_screen_mesh_destroy(screen);
}

// Smaller than a node, wherever it is: no drop is lost.
static void far_drops_do_not_flicker(void** state)
{
    (void)state;
    TarnScreenMesh* screen = make_in(ctx, 4);
    TarnScreenCamera c = straight(400, 300);
    TarnScreenMeshParams params = plain(0.01f);
    for (int t = 0; t < 200; ++t) {
        TarnMesh mesh;
        put(0, uniform(-8.0f, 8.0f), uniform(-6.0f, 6.0f), -40.0f);
        run(screen, 1, &c, &params, &mesh);
        assert_true(mesh.n_triangles >= 2 && mesh.n_triangles <= 24);
    }
    tarn_screen_mesh_destroy(screen);
}

// ---- Bits, memory, capacity ----------------------------------------------------------------------

static uint64_t hash_with(int workers, TarnIsa isa)
{
    TarnContext* where = make_context(workers, isa);
    if (!where) return 0;
    TarnScreenMesh* screen = make_in(where, 2);
    TarnScreenCamera c = around((TarnVec3){ 1.5f, 1.2f, 2.0f }, 399, 300);
    TarnScreenMeshParams params = plain(0.1f);
    params.layers = 2;
    random_at = 0;
    TarnPoints points = points_of(pool());
    TarnMesh mesh = empty_mesh();
    uint64_t hash = 0;
    for (int frames = 0; frames < 2; ++frames) { // the second over what the first left
        assert_int_equal(tarn_screen_mesh_run(screen, &points, &c, &params, &mesh, NULL), TARN_OK);
        hash = tarn_mesh_hash(&mesh);
    }
    tarn_screen_mesh_destroy(screen);
    tarn_context_destroy(where);
    return hash;
}

static void bits_are_the_same_for_workers_and_instruction_sets(void** state)
{
    (void)state;
    uint64_t one = hash_with(1, TARN_ISA_BASELINE);
    for (int w = 0; w < 4; ++w) {
        static const int workers[] = { 1, 2, 3, 8 };
        assert_true(hash_with(workers[w], TARN_ISA_BASELINE) == one);
        for (int isa = TARN_ISA_AVX2; isa < TARN_ISA_COUNT; ++isa) {
            uint64_t wide = hash_with(workers[w], (TarnIsa)isa);
            assert_true(wide == one || wide == 0);
        }
    }
}

static void too_little_room_says_how_much(void** state)
{
    (void)state;
    TarnScreenMesh* screen = make_in(ctx, 2);
    TarnScreenCamera c = around((TarnVec3){ 3.0f, 2.5f, 4.0f }, 400, 300);
    TarnScreenMeshParams params = plain(0.1f);
    TarnPoints points = points_of(pool());
    TarnMesh mesh;
    run(screen, points.n, &c, &params, &mesh);
    int vertices = mesh.n_vertices, triangles = mesh.n_triangles, calls = memory.calls;
    for (int k = 0; k < 3; ++k) {
        mesh = empty_mesh();
        memset(position, 0x5a, sizeof position), memset(indices, 0x5a, sizeof indices);
        mesh.max_vertices = k == 0 ? vertices - 1 : vertices;
        mesh.max_triangles = k == 1 ? triangles - 1 : triangles;
        TarnResult result = tarn_screen_mesh_run(screen, &points, &c, &params, &mesh, NULL);
        assert_int_equal(result, k == 2 ? TARN_OK : TARN_ERR_CAPACITY);
        assert_int_equal(mesh.n_vertices, vertices);
        assert_int_equal(mesh.n_triangles, triangles);
        bool is_touched = indices[0] != 0x5a5a5a5au;
        assert_true(is_touched == (k == 2));
    }
    assert_int_equal(memory.calls, calls); // a run takes no memory
    // Buffers that are not there are not written, and the counts are the same.
    mesh = (TarnMesh){ .max_vertices = vertices, .max_triangles = triangles };
    assert_ok(tarn_screen_mesh_run(screen, &points, &c, &params, &mesh, NULL));
    assert_int_equal(mesh.n_vertices, vertices);
    tarn_screen_mesh_destroy(screen);
}

static void memory_is_as_told(void** state)
{
    (void)state;
    TarnScreenMeshDef def = tarn_screen_mesh_default_def();
    size_t before = memory.bytes, told = tarn_screen_mesh_memory(&def);
    TarnScreenMesh* screen;
    assert_ok(tarn_screen_mesh_create(ctx, &def, &screen));
    assert_int_equal(memory.bytes - before, told);
    tarn_screen_mesh_destroy(screen);
    tarn_screen_mesh_destroy(NULL);
    memory.fail_at = memory.calls + 1;
    assert_result(tarn_screen_mesh_create(ctx, &def, &screen), TARN_ERR_MEMORY, "out of memory");
    assert_null(screen);
}

// ---- What comes from outside ---------------------------------------------------------------------

static void bad_defs_are_refused(void** state)
{
    (void)state;
    TarnScreenMesh* screen;
    TarnScreenMeshDef def = { 0 };
    assert_result(tarn_screen_mesh_create(ctx, &def, &screen), TARN_ERR_ARG, "default_def");
    assert_result(tarn_screen_mesh_create(ctx, NULL, &screen), TARN_ERR_ARG, "default_def");
    def = tarn_screen_mesh_default_def();
    def.spacing = 0;
    assert_result(tarn_screen_mesh_create(ctx, &def, &screen), TARN_ERR_ARG, "spacing");
    def.spacing = 1, def.max_width = def.max_height = 16384;
    assert_result(tarn_screen_mesh_create(ctx, &def, &screen), TARN_ERR_ARG, "nodes");
    assert_int_equal(tarn_screen_mesh_memory(&def), 0);
}

// Points that carry no numbers, and attributes that no point has.
static void what_is_no_number_is_0(void** state)
{
    (void)state;
    TarnScreenMesh* screen = make_in(ctx, 2);
    TarnScreenMeshParams params = plain(0.1f);
    TarnScreenCamera c = straight(400, 300);
    for (int with_attributes = 0; with_attributes < 2; ++with_attributes) {
        put(0, 0.0f, 0.0f, -2.0f);
        TarnPoints points = points_of(1);
        TarnMesh mesh = empty_mesh();
        speed[0][0] = NAN, speed[1][0] = INFINITY, shade[0] = NAN, shade[1] = 7.0f;
        if (!with_attributes) points.attribute = NULL, points.n_attributes = 0;
        assert_ok(tarn_screen_mesh_run(screen, &points, &c, &params, &mesh, NULL));
        assert_true(mesh.n_vertices > 0);
        for (int v = 0; v < mesh.n_vertices; ++v) {
            TarnVec3 u = mesh.velocity[v];
            assert_true(u.x == 0.0f && u.y == 0.0f && u.z == 2.0f);
            assert_true(mesh.attribute[2 * v] == 0.0f);
            assert_true(mesh.attribute[2 * v + 1] == (with_attributes ? 7.0f : 0.0f));
        }
    }
    tarn_screen_mesh_destroy(screen);
}

static void bad_runs_are_refused(void** state)
{
    (void)state;
    TarnScreenMesh* screen = make_in(ctx, 2);
    TarnScreenMeshParams good = plain(0.1f), params;
    TarnPoints points = points_of(1);
    TarnMesh mesh = empty_mesh();
    put(0, 0.0f, 0.0f, -2.0f);
    const TarnScreenCamera right = straight(400, 300);
    TarnScreenCamera c;
#define REFUSED(change, word)                                                                      \
    c = right, params = good, points = points_of(1), mesh = empty_mesh(), change;                  \
    assert_result(tarn_screen_mesh_run(screen, &points, &c, &params, &mesh, NULL), TARN_ERR_ARG,   \
                  word)
    REFUSED(c.width = 0, "width");
    REFUSED(c.height = 301, "max_height");
    REFUSED(c.view[5] = NAN, "view[5]");
    REFUSED(c.projection[0] = INFINITY, "projection[0]");
    REFUSED(c.view[0] = 0.0f, "length 0");
    REFUSED(c.view[0] = 2.0f, "scale uniformly");
    REFUSED(c.view[4] = 0.5f, "scale uniformly");
    REFUSED(c.view[3] = 0.5f, "last row");
    REFUSED(c.projection[0] = 0.0f, "no width");
    REFUSED(c.projection[4] = 1.0f, "shear");
    REFUSED(c.projection[11] = 1.0f, "-z");
    REFUSED(c.projection[3] = 1.0f, "last row");
    REFUSED(memset(c.projection, 0, sizeof c.projection), "-z");
    REFUSED(params.radius = 0.0f, "radius");
    REFUSED(params.layers = 3, "layers");
    REFUSED(params.cookie = 0, "default_params");
    REFUSED(points.n = -1, "max_particles");
    REFUSED(points.attribute = NULL, "n_attributes");
    REFUSED(mesh.max_vertices = -1, "max_vertices");
#undef REFUSED
    c = right, points = points_of(1), points.n = MAX_POINTS + 1;
    assert_result(tarn_screen_mesh_run(screen, &points, &c, &good, &mesh, NULL), TARN_ERR_CAPACITY,
                  "max_particles");
    assert_result(tarn_screen_mesh_run(screen, NULL, &c, &good, &mesh, NULL), TARN_ERR_ARG, "NULL");
    assert_int_equal(tarn_screen_mesh_run(NULL, &points, &c, &good, &mesh, NULL), TARN_ERR_ARG);
    tarn_screen_mesh_destroy(screen);
}

static void nothing_makes_an_empty_mesh(void** state)
{
    (void)state;
    TarnScreenMesh* screen = make_in(ctx, 2);
    TarnScreenMeshParams params = plain(0.1f);
    TarnScreenCamera c = straight(400, 300);
    TarnMesh mesh;
    run(screen, 0, &c, &params, &mesh);
    assert_int_equal(mesh.n_vertices, 0);
    const float odd[] = { NAN, INFINITY, -INFINITY, 3e38f, 1.0f };
    int n = 0;
    for (int k = 0; k < 5; ++k) // behind the eye, across the near plane, beside, no numbers
        for (int a = 0; a < 3; ++a)
            put(n++, a == 0 ? odd[k] : 0.0f, a == 1 ? odd[k] : 0.0f, a == 2 ? odd[k] : -0.1f);
    run(screen, n, &c, &params, &mesh);
    assert_int_equal(mesh.n_vertices, 0);
    TarnPoints none = { .n = 5 }; // at the eye
    assert_ok(tarn_screen_mesh_run(screen, &none, &c, &params, &mesh, NULL));
    assert_int_equal(mesh.n_vertices, 0);
    tarn_screen_mesh_destroy(screen);
}

// Clouds of any size in pictures of any size, sane in every case.
static void storms(void** state)
{
    (void)state;
    for (int t = 0; t < 60; ++t) {
        TarnScreenMesh* screen = make_in(ctx, 1 + pick(6));
        int width = 1 + pick(pick(2) ? 8 : 400), height = 1 + pick(pick(2) ? 8 : 300);
        TarnScreenCamera c =
            pick(3) ? around((TarnVec3){ uniform(1, 4), uniform(-3, 3), 2 }, width, height)
                    : flat(width, height, scale(0.1f, 100.0f));
        if (pick(2)) c.projection[0] *= scale(1e-2f, 1e2f);
        TarnScreenMeshParams params = plain(scale(1e-3f, 3.0f));
        params.max_step = scale(1.0f, 100.0f);
        params.filter = pick(SCREEN_MAX_FILTER + 1);
        params.iterations = pick(10);
        params.layers = 1 + pick(2);
        params.nearest = scale(1e-4f, 1.0f);
        int n = 1 + pick(400);
        float size = scale(1e-2f, 1e3f);
        for (int p = 0; p < n; ++p)
            put(p, uniform(-size, size), uniform(-size, size), uniform(-size, size));
        TarnMesh mesh;
        run(screen, n, &c, &params, &mesh);
        tarn_screen_mesh_destroy(screen);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(cameras_of_all_kinds),
        TEST(detail_falls_with_distance),
        TEST(far_drops_do_not_flicker),
        TEST(bits_are_the_same_for_workers_and_instruction_sets),
        TEST(too_little_room_says_how_much),
        TEST(memory_is_as_told),
        TEST(bad_defs_are_refused),
        TEST(what_is_no_number_is_0),
        TEST(bad_runs_are_refused),
        TEST(nothing_makes_an_empty_mesh),
        TEST(storms),
    };
    return cmocka_run_group_tests_name("screen_cameras", tests, NULL, NULL);
}
