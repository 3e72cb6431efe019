// What tarn_mesh_stats says of shapes that are known, of broken ones, and of what no mesh may be.

#include "test_common.h"

static TarnVec3 corners[8];
static uint32_t triangles[36];
static TarnMesh mesh;

// Corner c of the unit cube lies at its bits x, y, z.
static void make_cube(void)
{
    static const uint32_t faces[12][3] = { { 0, 4, 6 }, { 0, 6, 2 }, { 1, 3, 7 }, { 1, 7, 5 },
                                           { 0, 1, 5 }, { 0, 5, 4 }, { 2, 6, 7 }, { 2, 7, 3 },
                                           { 0, 2, 3 }, { 0, 3, 1 }, { 4, 5, 7 }, { 4, 7, 6 } };
    for (int c = 0; c < 8; ++c)
        corners[c] = (TarnVec3){ (float)(c & 1), (float)(c >> 1 & 1), (float)(c >> 2) };
    memcpy(triangles, faces, sizeof triangles);
    mesh =
        (TarnMesh){ .position = corners, .index = triangles, .n_vertices = 8, .n_triangles = 12 };
}
static TarnMeshStats stats(void)
{
    TarnMeshStats out;
    assert_ok(tarn_mesh_stats(ctx, &mesh, &out));
    return out;
}

static void a_cube_is_closed(void** state)
{
    (void)state;
    make_cube();
    TarnMeshStats s = stats();
    assert_float_equal(s.area, 6.0, 1e-12);
    assert_float_equal(s.volume, 1.0, 1e-12);
    assert_int_equal(s.edges, 18);
    assert_int_equal(s.euler, 2);
    assert_int_equal(s.parts, 1);
    assert_int_equal(s.open_edges + s.crowded_edges + s.flipped_edges + s.degenerate, 0);
    assert_float_equal(s.min_angle, 0.78539816, 1e-6);
}

static void the_volume_does_not_depend_on_the_place(void** state)
{
    (void)state;
    make_cube();
    for (int c = 0; c < 8; ++c) corners[c].x += 7.0f, corners[c].y -= 3.0f, corners[c].z += 5.0f;
    assert_float_equal(stats().volume, 1.0, 1e-12);
}

static void what_is_broken_is_counted(void** state)
{
    (void)state;
    make_cube();
    mesh.n_triangles = 11;
    assert_int_equal(stats().open_edges, 3);

    make_cube();
    triangles[1] = 6, triangles[2] = 4; // the first one the wrong way around
    assert_int_equal(stats().flipped_edges, 3);

    make_cube();
    memcpy(triangles + 33, triangles, 3 * sizeof *triangles); // one twice, its neighbor missing
    TarnMeshStats s = stats();
    assert_int_equal(s.crowded_edges, 2);
    assert_int_equal(s.open_edges, 2);
    assert_int_equal(s.flipped_edges, 1);

    make_cube();
    triangles[1] = triangles[0];
    assert_int_equal(stats().degenerate, 1);
}

static void parts_are_what_triangles_connect(void** state)
{
    (void)state;
    make_cube();
    mesh.n_triangles = 2;
    memcpy(triangles + 3, (uint32_t[]){ 1, 3, 7 }, 3 * sizeof *triangles);
    TarnMeshStats s = stats();
    assert_int_equal(s.parts, 2);
    assert_int_equal(s.euler, 2); // a disc each
    mesh.n_triangles = 0;
    s = stats();
    assert_int_equal(s.parts, 0);
    assert_int_equal(s.euler, 0);
    assert_true(s.area == 0.0 && s.min_angle == 0.0);
}

static void what_is_no_mesh_is_refused(void** state)
{
    (void)state;
    TarnMeshStats out;
    make_cube();
    assert_result(tarn_mesh_stats(ctx, NULL, &out), TARN_ERR_ARG, "NULL");
    assert_result(tarn_mesh_stats(ctx, &mesh, NULL), TARN_ERR_ARG, "NULL");
    triangles[35] = 8;
    assert_result(tarn_mesh_stats(ctx, &mesh, &out), TARN_ERR_DATA,
                  "triangle 11 refers to vertex 8");
    mesh.n_triangles = -1;
    assert_result(tarn_mesh_stats(ctx, &mesh, &out), TARN_ERR_ARG, "-1 triangles");
    mesh.n_triangles = 1, mesh.position = NULL;
    assert_result(tarn_mesh_stats(ctx, &mesh, &out), TARN_ERR_ARG, "position");
}

static void the_hash_sees_everything(void** state)
{
    (void)state;
    TarnVec3 normal[8] = { { 0 } }, velocity[8] = { { 0 } };
    float attribute[16] = { 0 };
    make_cube();
    mesh.normal = normal, mesh.velocity = velocity, mesh.attribute = attribute;
    mesh.n_attributes = 2;
    uint64_t seen[6] = { tarn_mesh_hash(&mesh) };
    corners[7].z = 2.0f, seen[1] = tarn_mesh_hash(&mesh);
    normal[7].z = 1.0f, seen[2] = tarn_mesh_hash(&mesh);
    velocity[7].z = 1.0f, seen[3] = tarn_mesh_hash(&mesh);
    attribute[15] = 1.0f, seen[4] = tarn_mesh_hash(&mesh);
    triangles[35] = 0, seen[5] = tarn_mesh_hash(&mesh);
    for (int i = 1; i < 6; ++i) assert_true(seen[i] != seen[i - 1]);
    assert_true(tarn_mesh_hash(NULL) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_cube_is_closed),           TEST(the_volume_does_not_depend_on_the_place),
        TEST(what_is_broken_is_counted),  TEST(parts_are_what_triangles_connect),
        TEST(what_is_no_mesh_is_refused), TEST(the_hash_sees_everything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
