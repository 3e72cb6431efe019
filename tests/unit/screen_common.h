// What the tests of screen-space meshes share: buffers, particles, cameras, and what must hold for any mesh.
#pragma once

#include "test_common.h"
#include "mesh/screen_mesh_internal.h"

enum { MAX_POINTS = 4096, MAX_VERTICES = 300000, MAX_TRIANGLES = 600000 };
static float at[3][MAX_POINTS], speed[3][MAX_POINTS], shade[2 * MAX_POINTS];
static TarnVec3 position[MAX_VERTICES], normal[MAX_VERTICES], velocity[MAX_VERTICES];
static float attribute[2 * MAX_VERTICES];
static uint32_t indices[3 * MAX_TRIANGLES];

// ---- What is drawn -------------------------------------------------------------------------------

static inline TarnMesh empty_mesh(void)
{
    return (TarnMesh){ .position = position,
                       .normal = normal,
                       .velocity = velocity,
                       .attribute = attribute,
                       .n_attributes = 2,
                       .index = indices,
                       .max_vertices = MAX_VERTICES,
                       .max_triangles = MAX_TRIANGLES };
}
static inline TarnPoints points_of(int n)
{
    return (TarnPoints){ .n = n,
                         .x = at[0],
                         .y = at[1],
                         .z = at[2],
                         .vx = speed[0],
                         .vy = speed[1],
                         .vz = speed[2],
                         .attribute = shade,
                         .n_attributes = 2 };
}
static inline void put(int p, float x, float y, float z)
{
    at[0][p] = x, at[1][p] = y, at[2][p] = z;
    for (int a = 0; a < 3; ++a) speed[a][p] = (float)(10 * p + a);
    shade[2 * p] = (float)p, shade[2 * p + 1] = -(float)p;
}

// A camera at `eye` that looks along -z of the world, half as wide as far in both directions of a square.
static inline TarnScreenCamera straight(int width, int height)
{
    TarnScreenCamera c = { .width = width, .height = height };
    for (int a = 0; a < 4; ++a) c.view[5 * a] = 1.0f;
    c.projection[0] = 2.0f * (float)height / (float)width, c.projection[5] = 2.0f;
    c.projection[10] = -1.0f, c.projection[11] = -1.0f, c.projection[14] = -0.1f;
    return c;
}
static inline TarnScreenCamera flat(int width, int height,
                                    float half) // orthographic, half a height [m]
{
    TarnScreenCamera c = straight(width, height);
    memset(c.projection, 0, sizeof c.projection);
    c.projection[0] = (float)height / (float)width / half, c.projection[5] = 1.0f / half;
    c.projection[10] = -0.01f, c.projection[15] = 1.0f;
    return c;
}
// From `eye` towards the origin, y up.
static inline TarnScreenCamera around(TarnVec3 eye, int width, int height)
{
    TarnScreenCamera c = straight(width, height);
    TarnVec3 back = vec3_normalize(eye);
    TarnVec3 right = vec3_normalize(vec3_cross((TarnVec3){ 0.0f, 1.0f, 0.0f }, back));
    TarnVec3 up = vec3_cross(back, right), axes[3] = { right, up, back };
    for (int a = 0; a < 3; ++a) {
        c.view[a] = axes[a].x, c.view[a + 4] = axes[a].y, c.view[a + 8] = axes[a].z;
        c.view[a + 12] = -vec3_dot(axes[a], eye);
    }
    return c;
}

// Pixels, and the depth, of a point of the world.
static inline TarnVec3 project(const TarnScreenCamera* c, TarnVec3 p)
{
    double eye[4], clip[4];
    const double world[4] = { (double)p.x, (double)p.y, (double)p.z, 1.0 };
    for (int r = 0; r < 4; ++r) {
        eye[r] = 0.0;
        for (int k = 0; k < 4; ++k) eye[r] += (double)c->view[r + 4 * k] * world[k];
    }
    for (int r = 0; r < 4; ++r) {
        clip[r] = 0.0;
        for (int k = 0; k < 4; ++k) clip[r] += (double)c->projection[r + 4 * k] * eye[k];
    }
    return (TarnVec3){ (float)(c->width * (0.5 + 0.5 * clip[0] / clip[3])),
                       (float)(c->height * (0.5 + 0.5 * clip[1] / clip[3])), (float)-eye[2] };
}

static inline TarnScreenMesh* make_in(TarnContext* where, int spacing)
{
    TarnScreenMeshDef def = tarn_screen_mesh_default_def();
    def.max_particles = MAX_POINTS, def.spacing = spacing;
    def.max_width = 400, def.max_height = 300;
    TarnScreenMesh* screen;
    assert_int_equal(tarn_screen_mesh_create(where, &def, &screen), TARN_OK);
    return screen;
}
static inline TarnScreenMeshParams plain(float radius)
{
    TarnScreenMeshParams p = tarn_screen_mesh_default_params();
    p.radius = radius;
    return p;
}

// Twice the signed area of a triangle in the picture.
static inline double turn(const TarnScreenCamera* c, const TarnMesh* mesh, int t)
{
    TarnVec3 v[3];
    for (int k = 0; k < 3; ++k) v[k] = project(c, mesh->position[mesh->index[3 * t + k]]);
    double ux = (double)v[1].x - (double)v[0].x, uy = (double)v[1].y - (double)v[0].y;
    double wx = (double)v[2].x - (double)v[0].x, wy = (double)v[2].y - (double)v[0].y;
    return ux * wy - uy * wx;
}

// Everything that must hold for any mesh: finite, in front of the camera, sound edges, triangles of the front
// counter-clockwise and of the back clockwise (in a mirrored picture the other way), normals of length 1.
static inline void assert_sound(const TarnScreenCamera* c, const TarnMesh* mesh, int n_front)
{
    TarnMeshStats stats;
    assert_ok(tarn_mesh_stats(ctx, mesh, &stats));
    assert_int_equal(stats.crowded_edges, 0);
    assert_int_equal(stats.flipped_edges, 0);
    assert_int_equal(stats.degenerate, 0);
    int n_bad = 0, n_turned = 0;
    const float* p4 = c->projection;
    double way = p4[0] * p4[5] - p4[1] * p4[4] < 0.0f ? -1.0 : 1.0;
    for (int v = 0; v < mesh->n_vertices; ++v) {
        TarnVec3 p = mesh->position[v], n = mesh->normal[v];
        n_bad += !tarn__is_finite3(p) || !(project(c, p).z > 0.0f);
        n_bad += !(fabsf(vec3_length(n) - 1.0f) < 1e-4f);
        n_bad += !tarn__is_finite3(mesh->velocity[v]);
    }
    for (int t = 0; t < mesh->n_triangles; ++t) {
        double area = way * turn(c, mesh, t);
        n_turned += t < n_front ? !(area > -1e-2) : !(area < 1e-2);
    }
    assert_int_equal(n_bad, 0);
    assert_int_equal(n_turned, 0);
}

static inline int run(TarnScreenMesh* screen, int n, const TarnScreenCamera* c,
                      const TarnScreenMeshParams* params, TarnMesh* mesh)
{
    int n_front;
    TarnPoints points = points_of(n);
    *mesh = empty_mesh();
    assert_ok(tarn_screen_mesh_run(screen, &points, c, params, mesh, &n_front));
    assert_sound(c, mesh, n_front);
    return n_front;
}

// A pool with waves and drops over it.
static inline int pool(void)
{
    int n = 0;
    for (int k = 0; k < 20; ++k) {
        for (int j = 0; j < 6; ++j) {
            for (int i = 0; i < 30; ++i, ++n) {
                float x = 0.1f * (float)(i - 15), z = 0.1f * (float)(k - 10);
                put(n, x + 0.03f * uniform(-1.0f, 1.0f),
                    0.1f * (float)j + 0.1f * sinf(3.0f * x) * cosf(2.0f * z), z);
            }
        }
    }
    for (int d = 0; d < 60; ++d, ++n)
        put(n, uniform(-1.5f, 1.5f), uniform(0.6f, 1.4f), uniform(-1.0f, 1.0f));
    return n;
}
