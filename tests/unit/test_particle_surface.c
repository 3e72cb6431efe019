// Surfaces of particles: closed, of the right size and place, smooth where the method promises it, the same bits
// for any workers and instruction set, and what is refused.

#include "counting.h"
#include "base/base.h"
#include "tarn/particle_surface.h"
#include <math.h>
#include <stdio.h>

enum { ROOM = 20000, CARRIED = 2 };
static const float D = 0.1f; // spacing [m]

typedef struct Cloud {
    int n;
    float x[ROOM], y[ROOM], z[ROOM], vx[ROOM], vy[ROOM], vz[ROOM], attribute[CARRIED * ROOM];
} Cloud;
static Cloud cloud;

static float noise(int i)
{
    return 2.0f * tarn__random01(7, 11, (uint64_t)i) - 1.0f;
}

// In spacings, off its place by a random offset of up to jitter.
static void add(float x, float y, float z, float jitter)
{
    int i = cloud.n++;
    cloud.x[i] = D * (x + jitter * noise(3 * i));
    cloud.y[i] = D * (y + jitter * noise(3 * i + 1));
    cloud.z[i] = D * (z + jitter * noise(3 * i + 2));
    cloud.vx[i] = 1.0f, cloud.vy[i] = -2.0f, cloud.vz[i] = 3.0f + cloud.x[i];
    cloud.attribute[CARRIED * i] = 5.0f;
    cloud.attribute[CARRIED * i + 1] = cloud.y[i];
}
static void add_ball(float at, float radius, float jitter)
{
    int r = (int)radius + 1;
    for (int k = -r; k <= r; ++k)
        for (int j = -r; j <= r; ++j)
            for (int i = -r; i <= r; ++i) {
                float x = (float)i + 0.3f, y = (float)j + 0.1f, z = (float)k - 0.2f;
                if (x * x + y * y + z * z < radius * radius) add(at + x, y, z, jitter);
            }
}
static void add_box(int nx, int ny, int nz, float jitter)
{
    for (int k = 0; k < nz; ++k)
        for (int j = 0; j < ny; ++j)
            for (int i = 0; i < nx; ++i)
                add((float)i + 0.5f, (float)j + 0.5f, (float)k + 0.5f, jitter);
}

static TarnPoints points(void)
{
    return (TarnPoints){ .n = cloud.n,
                         .x = cloud.x,
                         .y = cloud.y,
                         .z = cloud.z,
                         .vx = cloud.vx,
                         .vy = cloud.vy,
                         .vz = cloud.vz,
                         .attribute = cloud.attribute,
                         .n_attributes = CARRIED };
}

static TarnParticleSurfaceDef small_def(void)
{
    TarnParticleSurfaceDef def = tarn_particle_surface_default_def();
    def.max_particles = ROOM;
    def.max_blocks = 1500;
    def.spacing = D;
    return def;
}
static TarnParticleSurface* create(TarnContext* c, const TarnParticleSurfaceDef* def, int method)
{
    TarnParticleSurface* s;
    assert_int_equal(tarn_particle_surface_create(c, def, &s), TARN_OK);
    TarnParticleSurfaceParams params = tarn_particle_surface_params(s);
    params.method = method;
    assert_int_equal(tarn_particle_surface_set_params(s, &params), TARN_OK);
    return s;
}
static void update(TarnParticleSurface* s)
{
    TarnPoints p = points();
    assert_int_equal(tarn_particle_surface_update(s, &p, NULL), TARN_OK);
}

enum { MESH_ROOM = 60000 };
static TarnVec3 position[MESH_ROOM], normal[MESH_ROOM], velocity[MESH_ROOM];
static float attribute[CARRIED * MESH_ROOM];
static uint32_t index_buffer[6 * MESH_ROOM];

static TarnMesh mesh_of(TarnParticleSurface* s)
{
    TarnMesh mesh = { .position = position,
                      .normal = normal,
                      .velocity = velocity,
                      .attribute = attribute,
                      .index = index_buffer,
                      .n_attributes = CARRIED,
                      .max_vertices = MESH_ROOM,
                      .max_triangles = 2 * MESH_ROOM };
    assert_int_equal(tarn_particle_surface_mesh(s, &mesh), TARN_OK);
    return mesh;
}
static TarnMeshStats closed(const TarnMesh* mesh)
{
    TarnMeshStats stats;
    assert_int_equal(tarn_mesh_stats(ctx, mesh, &stats), TARN_OK);
    assert_int_equal(stats.open_edges + stats.crowded_edges + stats.flipped_edges, 0);
    for (int v = 0; v < mesh->n_vertices; ++v) {
        TarnVec3 p = mesh->position[v], n = mesh->normal[v];
        assert_true(isfinite(p.x + p.y + p.z) && isfinite(n.x + n.y + n.z));
    }
    return stats;
}
// Mesh of what is in the cloud, and what it is made of.
static TarnMeshStats surface_of(int method, TarnMesh* mesh)
{
    TarnParticleSurfaceDef def = small_def();
    TarnParticleSurface* s = create(ctx, &def, method);
    update(s);
    *mesh = mesh_of(s);
    TarnMeshStats stats = closed(mesh);
    tarn_particle_surface_destroy(s);
    return stats;
}

static const double PI = 3.14159265358979323846;

// ---- Shapes --------------------------------------------------------------------------------------------

static double normals_off(const TarnMesh* mesh) // of a ball around the origin [rad]
{
    double sum = 0.0;
    for (int v = 0; v < mesh->n_vertices; ++v) {
        TarnVec3 p = mesh->position[v], n = mesh->normal[v];
        double dot = (double)(p.x * n.x + p.y * n.y + p.z * n.z), r2;
        r2 = (double)(p.x * p.x + p.y * p.y + p.z * p.z);
        sum += acos(fmin(1.0, dot / sqrt(r2)));
    }
    return sum / mesh->n_vertices;
}

static void test_ball(void** state)
{
    (void)state;
    double off[3];
    cloud.n = 0;
    add_ball(0.0f, 8.3f, 0.2f);
    double volume = cloud.n * pow((double)D, 3.0), radius = cbrt(volume * 0.75 / PI);
    for (int method = 0; method < 3; ++method) {
        TarnMesh mesh;
        TarnMeshStats stats = surface_of(method, &mesh);
        assert_int_equal(stats.parts, 1);
        assert_int_equal(stats.euler, 2);
        assert_float_equal(stats.volume / volume, 1.0, 0.05);
        assert_float_equal(stats.area / (4.0 * PI * radius * radius), 1.0, 0.06);
        off[method] = normals_off(&mesh);
        assert_true(off[method] < 0.15);
    }
    assert_true(off[TARN_PARTICLE_SURFACE_ANISOTROPIC] <
                0.85 * off[TARN_PARTICLE_SURFACE_ZHU_BRIDSON]);
    assert_true(off[TARN_PARTICLE_SURFACE_ANISOTROPIC] < 0.85 * off[TARN_PARTICLE_SURFACE_DENSITY]);
}

// The level that was asked for, flat within 2 % of a spacing.
static void test_pool(void** state)
{
    (void)state;
    cloud.n = 0;
    add_box(20, 7, 20, 0.0f);
    for (int method = 0; method < 3; ++method) {
        TarnMesh mesh;
        TarnMeshStats stats = surface_of(method, &mesh);
        assert_int_equal(stats.parts, 1);
        int n = 0;
        for (int v = 0; v < mesh.n_vertices; ++v) {
            TarnVec3 p = mesh.position[v];
            if (p.y < 3.5f * D || fabsf(p.x - 10.0f * D) > 4.0f * D ||
                fabsf(p.z - 10.0f * D) > 4.0f * D)
                continue;
            assert_float_equal(p.y, 7.0f * D, 0.05f * D);
            assert_true(mesh.normal[v].y > 0.999f);
            ++n;
        }
        assert_true(n > 100);
    }
}

static void test_sheet_and_string(void** state)
{
    (void)state;
    TarnMesh mesh;
    cloud.n = 0;
    add_box(20, 1, 20, 0.2f);
    TarnMeshStats stats = surface_of(TARN_PARTICLE_SURFACE_ANISOTROPIC, &mesh);
    assert_int_equal(stats.parts, 1);
    assert_int_equal(stats.euler, 2); // no holes
    assert_true(stats.volume < 1.8 * cloud.n * pow((double)D, 3.0));
    cloud.n = 0;
    add_box(20, 1, 1, 0.1f);
    stats = surface_of(TARN_PARTICLE_SURFACE_ANISOTROPIC, &mesh);
    assert_int_equal(stats.parts, 1);
    assert_int_equal(stats.euler, 2);
}

// The sheet of test_sheet, given without z, as flat liquids may.
static void test_flat(void** state)
{
    (void)state;
    TarnParticleSurfaceDef def = small_def();
    cloud.n = 0;
    add_box(20, 20, 1, 0.2f);
    TarnPoints p = points();
    p.z = NULL;
    TarnParticleSurface* s = create(ctx, &def, TARN_PARTICLE_SURFACE_ANISOTROPIC);
    assert_int_equal(tarn_particle_surface_update(s, &p, NULL), TARN_OK);
    TarnMesh mesh = mesh_of(s);
    TarnMeshStats stats = closed(&mesh);
    assert_int_equal(stats.parts, 1);
    assert_int_equal(stats.euler, 2);
    tarn_particle_surface_destroy(s);
}

static void test_drops(void** state)
{
    (void)state;
    for (int method = 0; method < 3; ++method) {
        TarnMesh mesh;
        cloud.n = 0;
        add(0.2f, 0.1f, 0.3f, 0.0f);
        add(12.0f, 3.0f, 0.0f, 0.0f);
        TarnMeshStats stats = surface_of(method, &mesh);
        if (method == TARN_PARTICLE_SURFACE_DENSITY) continue; // too thin for its level: none
        assert_int_equal(stats.parts, 2);
        assert_int_equal(stats.euler, 4);
        double share = stats.volume / (2.0 * pow((double)D, 3.0));
        assert_true(share > 0.3 && share < 1.6);
    }
}

// Cells of the neighbor search wrap around: both halves are as they are alone.
static void test_far_apart(void** state)
{
    (void)state;
    TarnMesh mesh;
    cloud.n = 0;
    add_ball(0.0f, 4.3f, 0.1f);
    TarnMeshStats alone = surface_of(TARN_PARTICLE_SURFACE_ANISOTROPIC, &mesh);
    int n = cloud.n;
    for (int i = 0; i < n; ++i) { // the copy lies as the first does in its cells
        float shift = 8.0f * 0.65f * D * 4096.0f;
        cloud.x[n + i] = cloud.x[i] + shift, cloud.y[n + i] = cloud.y[i] + shift;
        cloud.z[n + i] = cloud.z[i] - shift;
    }
    cloud.n = 2 * n;
    TarnMeshStats both = surface_of(TARN_PARTICLE_SURFACE_ANISOTROPIC, &mesh);
    assert_int_equal(both.parts, 2);
    assert_int_equal(both.euler, 4);
    assert_float_equal(both.area / alone.area, 2.0, 0.02);
}

// Blocks without a look at particles, in the middle of a large ball, make no surface.
static void test_deep(void** state)
{
    (void)state;
    TarnMesh mesh;
    cloud.n = 0;
    add_ball(0.0f, 16.2f, 0.2f);
    TarnMeshStats stats = surface_of(TARN_PARTICLE_SURFACE_ANISOTROPIC, &mesh);
    assert_int_equal(stats.parts, 1);
    assert_int_equal(stats.euler, 2);
    assert_float_equal(stats.volume / (cloud.n * pow((double)D, 3.0)), 1.0, 0.03);
}

// Value of a node, of the whole grid.
static float value_at(const TarnBlocks* b, const int32_t place[3], int node)
{
    for (int i = 0; i < b->n_blocks; ++i)
        if (memcmp(b->place[i], place, 3 * sizeof(int32_t)) == 0)
            return b->value[i * TARN_BLOCK_NODES + node];
    return b->outside;
}

// A drop elsewhere moves the cells of the neighbor search and with them what counts as deep. The surface does not
// notice: no popping from frame to frame.
static void test_calm(void** state)
{
    (void)state;
    TarnParticleSurfaceDef def = small_def();
    cloud.n = 0;
    add_box(26, 12, 26, 0.25f);
    TarnParticleSurface* alone = create(ctx, &def, TARN_PARTICLE_SURFACE_ANISOTROPIC);
    TarnParticleSurface* other = create(ctx, &def, TARN_PARTICLE_SURFACE_ANISOTROPIC);
    update(alone);
    add(-7.3f, -6.1f, -5.4f, 0.0f);
    update(other);
    TarnBlocks a = tarn_particle_surface_blocks(alone), b = tarn_particle_surface_blocks(other);
    float most = 0.0f;
    int n = 0;
    for (int i = 0; i < a.n_blocks; ++i) {
        for (int node = 0; node < TARN_BLOCK_NODES; ++node) {
            float v = a.value[i * TARN_BLOCK_NODES + node];
            if (fabsf(v) > 0.3f * D) continue;
            most = fmaxf(most, fabsf(v - value_at(&b, a.place[i], node)));
            ++n;
        }
    }
    assert_true(n > 3000);
    if (most > 1e-3f * D) print_error("off by %g spacings\n", (double)(most / D));
    assert_true(most < 1e-3f * D);
    tarn_particle_surface_destroy(alone);
    tarn_particle_surface_destroy(other);
}

// ---- What vertices carry -------------------------------------------------------------------------------

static void test_carried(void** state)
{
    (void)state;
    TarnParticleSurfaceDef def = small_def();
    def.use_velocity = true;
    def.n_attributes = CARRIED;
    for (int method = 0; method < 3; ++method) {
        cloud.n = 0;
        add_ball(0.0f, 5.3f, 0.2f);
        cloud.vx[7] = NAN; // counts as 0
        TarnParticleSurface* s = create(ctx, &def, method);
        update(s);
        TarnMesh mesh = mesh_of(s);
        for (int v = 0; v < mesh.n_vertices; ++v) {
            TarnVec3 at = mesh.position[v], u = mesh.velocity[v];
            assert_true(u.x > 0.4f && u.x < 1.0001f);
            assert_float_equal(u.y, -2.0f, 1e-4f);
            assert_float_equal(u.z, 3.0f + at.x, 1.5f * D);
            assert_float_equal(mesh.attribute[CARRIED * v], 5.0f, 1e-3f);
            assert_float_equal(mesh.attribute[CARRIED * v + 1], at.y, 1.5f * D);
        }
        tarn_particle_surface_destroy(s);
    }
}

// ---- Odd input -----------------------------------------------------------------------------------------

static uint64_t field_hash(const TarnParticleSurface* s)
{
    TarnBlocks b = tarn_particle_surface_blocks(s);
    size_t nodes = (size_t)b.n_blocks * TARN_BLOCK_NODES;
    uint64_t hash = tarn_hash(b.place, (size_t)b.n_blocks * sizeof b.place[0], 1);
    hash = tarn_hash(b.value, nodes * sizeof(float), hash);
    if (b.velocity) hash = tarn_hash(b.velocity, 3 * nodes * sizeof(float), hash);
    if (b.attribute)
        hash = tarn_hash(b.attribute, (size_t)b.n_attributes * nodes * sizeof(float), hash);
    return tarn_hash(&b.outside, sizeof b.outside, hash);
}

static void test_odd_points(void** state)
{
    (void)state;
    TarnParticleSurfaceDef def = small_def();
    for (int method = 0; method < 3; ++method) {
        TarnParticleSurface* s = create(ctx, &def, method);
        cloud.n = 0;
        update(s);
        assert_int_equal(tarn_particle_surface_blocks(s).n_blocks, 0);
        assert_int_equal(mesh_of(s).n_triangles, 0);

        add_ball(0.0f, 3.3f, 0.2f);
        update(s);
        uint64_t clean = field_hash(s);
        static const float bad[] = { NAN, INFINITY, -INFINITY, 1e30f, -3e38f };
        for (int b = 0; b < 5; ++b) {
            add(1.0f, 1.0f, 1.0f, 0.0f);
            (b % 3 == 0 ? cloud.x : b % 3 == 1 ? cloud.y : cloud.z)[cloud.n - 1] = bad[b];
        }
        update(s);
        assert_true(field_hash(s) == clean);

        cloud.n = 0; // thousands in one point
        for (int i = 0; i < 5000; ++i) add(1.0f, 2.0f, 3.0f, 0.0f);
        update(s);
        TarnMesh mesh = mesh_of(s);
        assert_int_equal(closed(&mesh).parts, 1);
        tarn_particle_surface_destroy(s);
    }
}

static void test_far_away(void** state)
{
    (void)state;
    TarnParticleSurfaceDef def = small_def();
    def.spacing = 4.0f;
    TarnParticleSurface* s = create(ctx, &def, TARN_PARTICLE_SURFACE_ANISOTROPIC);
    cloud.n = 0;
    add_ball(0.0f, 4.3f, 0.1f);
    for (int i = 0; i < cloud.n; ++i) {
        cloud.x[i] = cloud.x[i] * 40.0f + 1e6f, cloud.y[i] = cloud.y[i] * 40.0f - 1e6f;
        cloud.z[i] = cloud.z[i] * 40.0f + 1e6f;
    }
    update(s);
    TarnMesh mesh = mesh_of(s);
    TarnMeshStats stats = closed(&mesh);
    assert_int_equal(stats.parts, 1);
    assert_int_equal(stats.euler, 2);
    tarn_particle_surface_destroy(s);
}

static void test_capacity(void** state)
{
    (void)state;
    TarnParticleSurfaceDef def = small_def();
    TarnParticleSurface* s = create(ctx, &def, TARN_PARTICLE_SURFACE_ANISOTROPIC);
    cloud.n = 0;
    add_ball(0.0f, 8.3f, 0.2f);
    TarnPoints p = points(), few = points();
    int needed, all;
    few.n = 40;
    assert_int_equal(tarn_particle_surface_update(s, &p, &all), TARN_OK);
    assert_int_equal(all, tarn_particle_surface_blocks(s).n_blocks);
    tarn_particle_surface_destroy(s);
    for (int room = 30; room <= all;
         room = room < all ? (2 * room < all ? 2 * room : all) : all + 1) {
        def.max_blocks = room;
        s = create(ctx, &def, TARN_PARTICLE_SURFACE_ANISOTROPIC);
        assert_int_equal(tarn_particle_surface_update(s, &few, &needed), TARN_OK);
        uint64_t before = field_hash(s);
        TarnResult result = tarn_particle_surface_update(s, &p, &needed);
        assert_int_equal(needed, all);
        assert_int_equal(result, room < all ? TARN_ERR_CAPACITY : TARN_OK);
        assert_true((field_hash(s) == before) == (room < all));
        if (room < all) assert_non_null(strstr(tarn_last_error(ctx), "max_blocks"));
        tarn_particle_surface_destroy(s);
    }
    // A spray far beyond the room: told at once, and what is told is enough.
    cloud.n = 0;
    for (int i = 0; i < 6000; ++i) add(noise(i) * 300.0f, noise(i + 6000) * 300.0f, 7.0f * i, 0.0f);
    p = points();
    def.max_blocks = 1;
    s = create(ctx, &def, TARN_PARTICLE_SURFACE_ANISOTROPIC);
    assert_int_equal(tarn_particle_surface_update(s, &p, &needed), TARN_ERR_CAPACITY);
    assert_in_range(needed, 6000, 48000);
    tarn_particle_surface_destroy(s);
    def.max_blocks = needed;
    s = create(ctx, &def, TARN_PARTICLE_SURFACE_ANISOTROPIC);
    assert_int_equal(tarn_particle_surface_update(s, &p, NULL), TARN_OK);
    tarn_particle_surface_destroy(s);
    def.max_particles = cloud.n - 1;
    s = create(ctx, &def, TARN_PARTICLE_SURFACE_ANISOTROPIC);
    assert_int_equal(tarn_particle_surface_update(s, &p, NULL), TARN_ERR_CAPACITY);
    assert_non_null(strstr(tarn_last_error(ctx), "max_particles"));
    tarn_particle_surface_destroy(s);
}

static void test_bad_input(void** state)
{
    (void)state;
    TarnParticleSurface* s;
    TarnParticleSurfaceDef def = small_def();
    assert_int_equal(tarn_particle_surface_create(ctx, NULL, &s), TARN_ERR_ARG);
    assert_int_equal(tarn_particle_surface_create(ctx, &def, NULL), TARN_ERR_ARG);
    def.cell = 0.0f;
    assert_int_equal(tarn_particle_surface_create(ctx, &def, &s), TARN_ERR_ARG);
    assert_null(s);
    assert_non_null(strstr(tarn_last_error(ctx), "cell"));
    assert_true(tarn_particle_surface_memory(&def) == 0);
    def = small_def();
    s = create(ctx, &def, TARN_PARTICLE_SURFACE_ANISOTROPIC);
    TarnParticleSurfaceParams params = tarn_particle_surface_params(s), was = params;
    params.radius = NAN;
    assert_int_equal(tarn_particle_surface_set_params(s, &params), TARN_ERR_ARG);
    assert_int_equal(tarn_particle_surface_set_params(s, NULL), TARN_ERR_ARG);
    params = tarn_particle_surface_params(s);
    assert_memory_equal(&params, &was, sizeof was);
    TarnPoints p = { .n = 3 };
    assert_int_equal(tarn_particle_surface_update(s, &p, NULL), TARN_ERR_ARG);
    assert_int_equal(tarn_particle_surface_update(s, NULL, NULL), TARN_ERR_ARG);
    assert_int_equal(tarn_particle_surface_update(NULL, &p, NULL), TARN_ERR_ARG);
    p = points();
    p.n = -1;
    assert_int_equal(tarn_particle_surface_update(s, &p, NULL), TARN_ERR_ARG);
    tarn_particle_surface_destroy(s);
    tarn_particle_surface_destroy(NULL);
}

// Any params within their ranges: closed, finite.
static void test_any_params(void** state)
{
    (void)state;
    const TarnParamTable* table = tarn_particle_surface_params_table();
    cloud.n = 0;
    add_ball(0.0f, 3.3f, 0.2f);
    add_box(4, 1, 4, 0.3f);
    for (int cell = 0; cell < 2; ++cell) {
        TarnParticleSurfaceDef def = small_def();
        def.cell = cell ? 2.0f : 0.4f;
        def.max_blocks = 4000;
        TarnParticleSurface* s = create(ctx, &def, 0);
        for (int i = 0; i < 3 * 5 * 2; ++i) {
            TarnParticleSurfaceParams params = tarn_particle_surface_default_params();
            params.method = i % 3;
            const TarnParam* p = &table->params[1 + i / 3 % 5];
            double v = i / 15 ? p->max : p->min;
            assert_int_equal(tarn_param_set(ctx, table, &params, p->name, &v, 1), TARN_OK);
            assert_int_equal(tarn_particle_surface_set_params(s, &params), TARN_OK);
            update(s);
            TarnMesh mesh = mesh_of(s);
            closed(&mesh);
        }
        tarn_particle_surface_destroy(s);
    }
}

// ---- Bits, memory --------------------------------------------------------------------------------------

static void test_same_bits(void** state)
{
    (void)state;
    static const int workers[] = { 1, 2, 3, 8 };
    TarnParticleSurfaceDef def = small_def();
    def.use_velocity = true;
    def.n_attributes = CARRIED;
    cloud.n = 0;
    add_box(30, 12, 12, 0.4f);
    for (int i = 0; i < 200; ++i) add(40.0f + 10.0f * noise(i), 8.0f * noise(i + 500), 3.0f, 2.0f);
    for (int method = 0; method < 3; ++method) {
        uint64_t field = 0, mesh_bits = 0;
        for (int c = 0; c < 4 * (TARN_ISA_COUNT - TARN_ISA_BASELINE); ++c) {
            TarnContext* other = make_context(workers[c % 4], (TarnIsa)(TARN_ISA_BASELINE + c / 4));
            if (other == NULL) continue; // not on this machine
            TarnParticleSurface* s = create(other, &def, method);
            update(s);
            TarnMesh mesh = mesh_of(s);
            if (c == 0) field = field_hash(s), mesh_bits = tarn_mesh_hash(&mesh);
            assert_true(field_hash(s) == field);
            assert_true(tarn_mesh_hash(&mesh) == mesh_bits);
            tarn_particle_surface_destroy(s);
            tarn_context_destroy(other);
        }
    }
}

static void test_memory(void** state)
{
    (void)state;
    TarnParticleSurfaceDef def = small_def();
    def.use_velocity = true;
    size_t before = memory.bytes;
    TarnParticleSurface* s = create(ctx, &def, TARN_PARTICLE_SURFACE_ANISOTROPIC);
    assert_true(memory.bytes - before == tarn_particle_surface_memory(&def));
    cloud.n = 0;
    add_ball(0.0f, 5.3f, 0.2f);
    int calls = memory.calls;
    update(s);
    mesh_of(s);
    TarnMesh none = { .position = position, .index = index_buffer, .max_vertices = 3 };
    assert_int_equal(tarn_particle_surface_mesh(s, &none), TARN_ERR_CAPACITY);
    assert_true(none.n_vertices > 3);
    assert_int_equal(memory.calls, calls);
    tarn_particle_surface_destroy(s);
    int n = memory.calls - calls + 2;
    for (int fail = 1; fail <= n; ++fail) {
        memory.fail_at = memory.calls + fail;
        TarnResult result = tarn_particle_surface_create(ctx, &def, &s);
        memory.fail_at = 0;
        if (result == TARN_OK) break;
        assert_int_equal(result, TARN_ERR_MEMORY);
        assert_null(s);
        assert_true(memory.bytes == before);
    }
    tarn_particle_surface_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_ball, begin, end),
        cmocka_unit_test_setup_teardown(test_pool, begin, end),
        cmocka_unit_test_setup_teardown(test_sheet_and_string, begin, end),
        cmocka_unit_test_setup_teardown(test_flat, begin, end),
        cmocka_unit_test_setup_teardown(test_drops, begin, end),
        cmocka_unit_test_setup_teardown(test_far_apart, begin, end),
        cmocka_unit_test_setup_teardown(test_deep, begin, end),
        cmocka_unit_test_setup_teardown(test_calm, begin, end),
        cmocka_unit_test_setup_teardown(test_carried, begin, end),
        cmocka_unit_test_setup_teardown(test_odd_points, begin, end),
        cmocka_unit_test_setup_teardown(test_far_away, begin, end),
        cmocka_unit_test_setup_teardown(test_capacity, begin, end),
        cmocka_unit_test_setup_teardown(test_bad_input, begin, end),
        cmocka_unit_test_setup_teardown(test_any_params, begin, end),
        cmocka_unit_test_setup_teardown(test_same_bits, begin, end),
        cmocka_unit_test_setup_teardown(test_memory, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
