// Marching cubes: closed and oriented surfaces of the right topology, dense and sparse the same, the same bits
// for any workers and instruction set, and what it refuses.

#include "counting.h"
#include "tarn/mesh.h"
#include <math.h>
#include <stdio.h>

typedef struct Grid {
    int n[3], row, slab;
    float* data;
} Grid;

static Grid make_grid(int nx, int ny, int nz)
{
    Grid g = { { nx, ny, nz }, nx + 3, (nx + 3) * (ny + 2), NULL }; // rows and slabs with padding
    size_t size = (size_t)g.slab * (size_t)nz;
    g.data = malloc(size * sizeof(float));
    for (size_t c = 0; c < size; ++c) g.data[c] = NAN; // padding must not be looked at
    return g;
}
static float* node(const Grid* g, int i, int j, int k)
{
    return &g->data[i + g->row * j + g->slab * k];
}
static TarnView3 view_of(const Grid* g)
{
    return (TarnView3){ g->data, g->n[0], g->n[1], g->n[2], g->row, g->slab };
}
static TarnField3 field_of(const Grid* g)
{
    return (TarnField3){ .value = view_of(g), .origin = { -1.0f, 0.5f, 2.0f }, .dx = 0.25f };
}

// Noise from a linear congruential generator, with nodes outside the fluid around it.
static Grid make_noise(int n, uint32_t seed)
{
    Grid g = make_grid(n, n, n);
    uint32_t s = seed;
    for (int k = 0; k < n; ++k) {
        for (int j = 0; j < n; ++j) {
            for (int i = 0; i < n; ++i) {
                s = s * 1664525u + 1013904223u;
                bool is_rim = i == 0 || j == 0 || k == 0 || i == n - 1 || j == n - 1 || k == n - 1;
                *node(&g, i, j, k) = is_rim ? 1.0f : 2.0f * ((float)(s >> 8) * 0x1p-24f) - 1.0f;
            }
        }
    }
    return g;
}
static Grid make_ball(int nx, int ny, int nz, float radius)
{
    Grid g = make_grid(nx, ny, nz);
    for (int k = 0; k < nz; ++k) {
        for (int j = 0; j < ny; ++j) {
            for (int i = 0; i < nx; ++i) {
                float x = (float)i - 0.487f * (float)(nx - 1),
                      y = (float)j - 0.51f * (float)(ny - 1);
                float z = (float)k - 0.5f * (float)(nz - 1);
                *node(&g, i, j, k) = sqrtf(x * x + y * y + z * z) - radius;
            }
        }
    }
    return g;
}

static TarnMarching* make_marching(TarnContext* with, int n, int max_blocks)
{
    TarnMarchingDef def = tarn_marching_default_def();
    def.nx = def.ny = def.nz = n;
    def.max_blocks = max_blocks;
    TarnMarching* m;
    assert_int_equal(tarn_marching_create(with, &def, &m), TARN_OK);
    return m;
}

static void drop_mesh(TarnMesh* mesh)
{
    free(mesh->position), free(mesh->normal), free(mesh->velocity), free(mesh->attribute);
    free(mesh->index);
    *mesh = (TarnMesh){ 0 };
}
// Buffers of exactly the size that the counts say.
static void give_room(TarnMesh* mesh, int n_attributes)
{
    size_t v = (size_t)mesh->n_vertices + 1;
    mesh->max_vertices = mesh->n_vertices, mesh->max_triangles = mesh->n_triangles;
    mesh->n_attributes = n_attributes;
    mesh->position = malloc(v * sizeof(TarnVec3)), mesh->normal = malloc(v * sizeof(TarnVec3));
    mesh->velocity = malloc(v * sizeof(TarnVec3));
    mesh->attribute = malloc(v * sizeof(float) * (size_t)(n_attributes + 1));
    mesh->index = malloc(((size_t)mesh->n_triangles + 1) * 3 * sizeof(uint32_t));
}
static TarnMesh march(TarnMarching* m, const TarnField3* field, TarnMarchingParams params)
{
    TarnMesh mesh = { 0 };
    assert_int_equal(tarn_marching_run(m, field, &params, &mesh), TARN_OK);
    give_room(&mesh, field->n_attributes);
    assert_int_equal(tarn_marching_run(m, field, &params, &mesh), TARN_OK);
    return mesh;
}
static TarnMesh march_blocks(TarnMarching* m, const TarnBlocks* blocks, TarnMarchingParams params)
{
    TarnMesh mesh = { 0 };
    assert_int_equal(tarn_marching_run_blocks(m, blocks, &params, &mesh), TARN_OK);
    give_room(&mesh, blocks->n_attributes);
    assert_int_equal(tarn_marching_run_blocks(m, blocks, &params, &mesh), TARN_OK);
    return mesh;
}

static TarnMeshStats stats_of(const TarnMesh* mesh)
{
    TarnMeshStats stats;
    assert_int_equal(tarn_mesh_stats(ctx, mesh, &stats), TARN_OK);
    return stats;
}
static void expect_finite(const TarnMesh* mesh)
{
    for (int v = 0; v < mesh->n_vertices; ++v) {
        TarnVec3 p = mesh->position[v], n = mesh->normal[v];
        assert_true(fabsf(p.x) < 1e6f && fabsf(p.y) < 1e6f && fabsf(p.z) < 1e6f);
        assert_true(fabsf(sqrtf(n.x * n.x + n.y * n.y + n.z * n.z) - 1.0f) < 1e-5f);
    }
}
static void expect_closed(const TarnMesh* mesh)
{
    TarnMeshStats s = stats_of(mesh);
    assert_int_equal(s.open_edges, 0);
    assert_int_equal(s.crowded_edges, 0);
    assert_int_equal(s.flipped_edges, 0);
    assert_int_equal(s.degenerate, 0);
    assert_true(mesh->n_triangles == 0 || s.volume > 0.0);
    expect_finite(mesh);
}

// ---- Shapes -------------------------------------------------------------------------------------

static void test_ball(void** state)
{
    (void)state;
    Grid g = make_ball(30, 27, 41, 11.0f);
    TarnField3 field = field_of(&g);
    TarnMarching* m = make_marching(ctx, 48, 0);
    TarnMesh mesh = march(m, &field, tarn_marching_default_params());
    expect_closed(&mesh);
    TarnMeshStats s = stats_of(&mesh);
    assert_int_equal(s.euler, 2);
    assert_int_equal(s.parts, 1);
    double r = 11.0 * 0.25, pi = 3.14159265358979;
    assert_true(fabs(s.area / (4.0 * pi * r * r) - 1.0) < 0.004);
    assert_true(fabs(s.volume / (4.0 / 3.0 * pi * r * r * r) - 1.0) < 0.007);
    for (int v = 0; v < mesh.n_vertices; ++v) { // normals point away from the center
        TarnVec3 p = mesh.position[v], n = mesh.normal[v];
        double x = (p.x + 1.0) / 0.25 - 0.487 * 29, y = (p.y - 0.5) / 0.25 - 0.51 * 26;
        double z = (p.z - 2.0) / 0.25 - 0.5 * 40;
        assert_true(n.x * x + n.y * y + n.z * z > 0.995 * 11.0);
        assert_true(fabs(sqrt(x * x + y * y + z * z) - 11.0) < 0.02);
    }
    // The complement is the same surface, seen from the other side.
    TarnMarchingParams params = tarn_marching_default_params();
    params.is_fluid_above = true;
    TarnMesh other = march(m, &field, params);
    assert_int_equal(other.n_vertices, mesh.n_vertices);
    TarnMeshStats o = stats_of(&other);
    assert_true(fabs(o.volume + s.volume) < 1e-4);
    drop_mesh(&mesh), drop_mesh(&other);
    tarn_marching_destroy(m);
    free(g.data);
}

static void test_noise_is_closed(void** state)
{
    (void)state;
    TarnMarching* m = make_marching(ctx, 20, 0);
    for (uint32_t seed = 0; seed < 400; ++seed) {
        Grid g = make_noise(seed % 40 == 0 ? 20 : 6, seed);
        TarnField3 field = field_of(&g);
        TarnMesh mesh = march(m, &field, tarn_marching_default_params());
        expect_closed(&mesh);
        assert_true(mesh.n_triangles > 0);
        drop_mesh(&mesh);
        free(g.data);
    }
    tarn_marching_destroy(m);
}

static void test_closed_at_the_edges(void** state)
{
    (void)state;
    TarnMarching* m = make_marching(ctx, 20, 0);
    TarnMarchingParams params = tarn_marching_default_params();
    params.is_closed = true;
    for (int n = 1; n <= 18; ++n) { // noise up to the edge, in grids of every width
        Grid g = make_grid(n, 1 + n / 2, 1 + 17 % n);
        for (int k = 0; k < g.n[2]; ++k)
            for (int j = 0; j < g.n[1]; ++j)
                for (int i = 0; i < n; ++i)
                    *node(&g, i, j, k) = (float)((i * 7919 + j * 104729 + k * 1299709) % 11) - 5.0f;
        TarnField3 field = field_of(&g);
        TarnMesh mesh = march(m, &field, params);
        expect_closed(&mesh);
        drop_mesh(&mesh);
        free(g.data);
    }
    Grid g = make_grid(9, 8, 7); // full: a box around the grid
    for (int k = 0; k < 7; ++k)
        for (int j = 0; j < 8; ++j)
            for (int i = 0; i < 9; ++i) *node(&g, i, j, k) = -1.0f;
    TarnField3 field = field_of(&g);
    TarnMesh mesh = march(m, &field, params);
    expect_closed(&mesh);
    TarnMeshStats s = stats_of(&mesh);
    assert_int_equal(s.euler, 2);
    double box = 8.0 * 7.0 * 6.0 * 0.25 * 0.25 * 0.25;
    assert_true(fabs(s.volume / box - 1.0) < 2e-3);
    drop_mesh(&mesh);
    params.is_closed = false; // open: nothing at all
    mesh = march(m, &field, params);
    assert_int_equal(mesh.n_triangles, 0);
    drop_mesh(&mesh);
    free(g.data);
    tarn_marching_destroy(m);
}

// ---- Sparse blocks ------------------------------------------------------------------------------

typedef struct Sparse {
    TarnBlocks blocks;
    int32_t place[64][3];
    float *value, *velocity, *attribute;
} Sparse;

// The blocks of a grid of 8 w nodes that are wanted, places from (1, 1, 1) on; the others are 2 in the grid.
static Sparse* make_sparse(Grid* g, int w, uint64_t wanted)
{
    Sparse* s = calloc(1, sizeof *s);
    size_t most = (size_t)(w * w * w) * TARN_BLOCK_NODES;
    s->value = malloc(most * sizeof(float)), s->velocity = malloc(3 * most * sizeof(float));
    s->attribute = malloc(2 * most * sizeof(float));
    int n = 0;
    for (int b = 0; b < w * w * w; ++b) {
        int x = b % w, y = b / w % w, z = b / w / w;
        bool is_in = wanted >> b & 1;
        if (is_in) s->place[n][0] = x + 1, s->place[n][1] = y + 1, s->place[n][2] = z + 1;
        for (int c = 0; c < TARN_BLOCK_NODES; ++c) {
            int i = 8 * x + c % 8, j = 8 * y + c / 8 % 8, k = 8 * z + c / 64;
            float* v = node(g, i, j, k);
            if (!is_in) *v = 2.0f;
            if (!is_in) continue;
            s->value[n * TARN_BLOCK_NODES + c] = *v;
            for (int a = 0; a < 3; ++a)
                s->velocity[(3 * n + a) * TARN_BLOCK_NODES + c] = (float)(i + 2 * j + 3 * k + a);
            s->attribute[2 * n * TARN_BLOCK_NODES + c] = (float)i;
            s->attribute[(2 * n + 1) * TARN_BLOCK_NODES + c] = (float)(j - k);
        }
        n += is_in;
    }
    s->blocks = (TarnBlocks){ .n_blocks = n,
                              .place = (const int32_t(*)[3])s->place,
                              .value = s->value,
                              .velocity = s->velocity,
                              .attribute = s->attribute,
                              .n_attributes = 2,
                              .outside = 2.0f,
                              .dx = 0.25f };
    s->blocks.origin = (TarnVec3){ -3.0f, -1.5f, 0.0f }; // eight nodes before that of the grid
    return s;
}
static void drop_sparse(Sparse* s)
{
    free(s->value), free(s->velocity), free(s->attribute), free(s);
}

static int compare_points(const void* a, const void* b)
{
    return memcmp(a, b, 6 * sizeof(float));
}
// Positions and normals of all corners of triangles, each triangle from its least corner on, sorted.
static float (*sorted_triangles(const TarnMesh* mesh))[18]
{
    float(*list)[18] = malloc(((size_t)mesh->n_triangles + 1) * sizeof *list);
    for (int t = 0; t < mesh->n_triangles; ++t) {
        float corner[3][6];
        int least = 0;
        for (int c = 0; c < 3; ++c) {
            uint32_t v = mesh->index[3 * t + c];
            memcpy(corner[c], &mesh->position[v], 12);
            memcpy(corner[c] + 3, &mesh->normal[v], 12);
            if (compare_points(corner[c], corner[least]) < 0) least = c;
        }
        for (int c = 0; c < 3; ++c) memcpy(list[t] + 6 * c, corner[(least + c) % 3], 24);
    }
    qsort(list, (size_t)mesh->n_triangles, sizeof *list, compare_points);
    return list;
}

static void test_blocks_as_dense(void** state)
{
    (void)state;
    TarnMarching* m = make_marching(ctx, 33, 64);
    const uint64_t wanted[5] = { 0x7ffffff, 0x2000, 0x5aa5f0f, 0x4104041, 0x1 };
    for (int w = 0; w < 5; ++w) {
        Grid inner = make_noise(24, 77u + (unsigned)w), g = make_grid(33, 33, 33);
        Sparse* s = make_sparse(&inner, 3, wanted[w]);
        for (int k = 0; k < 33; ++k) // as far as the surface may go, with what is outside
            for (int j = 0; j < 33; ++j)
                for (int i = 0; i < 33; ++i) {
                    bool is_rim = i < 8 || j < 8 || k < 8 || i == 32 || j == 32 || k == 32;
                    *node(&g, i, j, k) = is_rim ? 2.0f : *node(&inner, i - 8, j - 8, k - 8);
                }
        TarnField3 field = field_of(&g);
        field.origin = s->blocks.origin;
        TarnMarchingParams params = tarn_marching_default_params();
        TarnMesh dense = march(m, &field, params), sparse = march_blocks(m, &s->blocks, params);
        expect_closed(&sparse);
        assert_int_equal(dense.n_vertices, sparse.n_vertices);
        assert_int_equal(dense.n_triangles, sparse.n_triangles);
        assert_true(dense.n_triangles > 100);
        float(*a)[18] = sorted_triangles(&dense), (*b)[18] = sorted_triangles(&sparse);
        for (int t = 0; t < dense.n_triangles; ++t) // to the bit
            for (int c = 0; c < 18; ++c) assert_true(a[t][c] == b[t][c]);
        free(a), free(b);
        drop_mesh(&dense), drop_mesh(&sparse);
        drop_sparse(s);
        free(g.data), free(inner.data);
    }
    tarn_marching_destroy(m);
}

// Velocities and attributes that are linear in space come out so, also where one end is in no block.
static void test_carried_values(void** state)
{
    (void)state;
    TarnMarching* m = make_marching(ctx, 32, 64);
    Grid g = make_ball(24, 24, 24, 8.2f);
    Sparse* s = make_sparse(&g, 3, 0x7ffffff);
    TarnMesh mesh = march_blocks(m, &s->blocks, tarn_marching_default_params());
    assert_true(mesh.n_vertices > 500);
    Grid v[3], a[2];
    TarnView3 attribute[2];
    TarnField3 field = field_of(&g);
    for (int c = 0; c < 3; ++c) {
        v[c] = make_grid(24, 24, 24);
        for (int n = 0; n < 24 * 24 * 24; ++n) {
            int i = n % 24, j = n / 24 % 24, k = n / 576;
            *node(&v[c], i, j, k) = (float)(i + 2 * j + 3 * k + c);
        }
        field.velocity[c] = view_of(&v[c]);
    }
    for (int c = 0; c < 2; ++c) {
        a[c] = make_grid(24, 24, 24);
        for (int n = 0; n < 24 * 24 * 24; ++n)
            *node(&a[c], n % 24, n / 24 % 24, n / 576) =
                (float)(c == 0 ? n % 24 : n / 24 % 24 - n / 576);
        attribute[c] = view_of(&a[c]);
    }
    field.attribute = attribute, field.n_attributes = 2;
    TarnMesh dense = march(m, &field, tarn_marching_default_params());
    const TarnMesh* both[2] = { &mesh, &dense };
    for (int w = 0; w < 2; ++w) {
        for (int n = 0; n < both[w]->n_vertices; ++n) {
            TarnVec3 p = both[w]->position[n], u = both[w]->velocity[n];
            float x = (p.x + 1.0f) / 0.25f, y = (p.y - 0.5f) / 0.25f, z = (p.z - 2.0f) / 0.25f;
            float expected = x + 2 * y + 3 * z;
            assert_true(fabsf(u.x - expected) < 1e-3f && fabsf(u.y - expected - 1) < 1e-3f);
            assert_true(fabsf(u.z - expected - 2) < 1e-3f);
            assert_true(fabsf(both[w]->attribute[2 * n] - x) < 1e-3f);
            assert_true(fabsf(both[w]->attribute[2 * n + 1] - (y - z)) < 1e-3f);
        }
    }
    for (int c = 0; c < 3; ++c) free(v[c].data);
    for (int c = 0; c < 2; ++c) free(a[c].data);
    drop_mesh(&mesh), drop_mesh(&dense);
    drop_sparse(s);
    free(g.data);
    tarn_marching_destroy(m);
}

// A block that is all fluid in a world that is not, and the other way round: a box, closed on all sides.
static void test_blocks_alone(void** state)
{
    (void)state;
    TarnMarching* m = make_marching(ctx, 8, 1);
    float value[TARN_BLOCK_NODES];
    int32_t place[1][3] = { { -5, 0, 7 } };
    for (int c = 0; c < TARN_BLOCK_NODES; ++c) value[c] = -1.0f;
    TarnBlocks blocks = { .n_blocks = 1,
                          .place = (const int32_t(*)[3])place,
                          .value = value,
                          .outside = 1.0f,
                          .dx = 1.0f };
    TarnMarchingParams params = tarn_marching_default_params();
    for (int w = 0; w < 2; ++w) {
        TarnMesh mesh = march_blocks(m, &blocks, params);
        TarnMeshStats s = stats_of(&mesh);
        assert_int_equal(s.euler, 2);
        assert_int_equal(s.open_edges + s.crowded_edges + s.flipped_edges, 0);
        assert_true(fabs(fabs(s.volume) - 506.666) < 8.0); // 8^3 less its edges
        assert_true(w == 0 ? s.volume > 0 : s.volume < 0);
        drop_mesh(&mesh);
        params.is_fluid_above = true;
    }
    blocks.n_blocks = 0;
    TarnMesh mesh = march_blocks(m, &blocks, params);
    assert_int_equal(mesh.n_vertices, 0);
    drop_mesh(&mesh);
    tarn_marching_destroy(m);
}

// ---- The same bits ------------------------------------------------------------------------------

static uint64_t hash_with(int workers, TarnIsa isa, int which)
{
    TarnContext* own = make_context(workers, isa);
    if (own == NULL) return 0;
    TarnMarching* m = make_marching(own, 48, 27);
    Grid g = which == 0 ? make_ball(48, 45, 43, 19.3f) : make_noise(24, 5);
    TarnField3 field = field_of(&g);
    TarnMarchingParams params = tarn_marching_default_params();
    params.is_closed = which == 2;
    Sparse* s = which == 1 ? make_sparse(&g, 3, 0x7f7dfef) : NULL;
    TarnMesh mesh = s ? march_blocks(m, &s->blocks, params) : march(m, &field, params);
    uint64_t hash = tarn_mesh_hash(&mesh);
    drop_mesh(&mesh);
    if (s) drop_sparse(s);
    free(g.data);
    tarn_marching_destroy(m);
    tarn_context_destroy(own);
    return hash;
}

static void test_same_bits(void** state)
{
    (void)state;
    for (int which = 0; which < 3; ++which) {
        uint64_t expected = hash_with(1, TARN_ISA_BASELINE, which);
        const int workers[4] = { 1, 2, 3, 8 };
        for (int w = 0; w < 4; ++w) {
            for (int isa = TARN_ISA_BASELINE; isa < TARN_ISA_COUNT; ++isa) {
                uint64_t hash = hash_with(workers[w], (TarnIsa)isa, which);
                if (hash != 0 || isa == TARN_ISA_BASELINE) assert_int_equal(hash, expected);
            }
        }
    }
}

// ---- Hostile input ------------------------------------------------------------------------------

static void test_odd_values(void** state)
{
    (void)state;
    TarnMarching* m = make_marching(ctx, 12, 0);
    const float odd[8] = { NAN, INFINITY, -INFINITY, 3e38f, -3e38f, 0.0f, -0.0f, 1e-44f };
    TarnMarchingParams params = tarn_marching_default_params();
    for (uint32_t seed = 0; seed < 60; ++seed) {
        Grid g = make_noise(11, seed);
        uint32_t s = seed;
        for (int c = 0; c < 300; ++c) { // not at the rim: the surface stays closed
            int at[3];
            for (int a = 0; a < 3; ++a)
                s = s * 1664525u + 1013904223u, at[a] = 1 + (int)(s >> 16) % 9;
            *node(&g, at[0], at[1], at[2]) = odd[(s >> 8) % 8];
        }
        params.is_fluid_above = seed % 2;
        if (params.is_fluid_above)
            for (int k = 0; k < 11; ++k)
                for (int j = 0; j < 11; ++j)
                    for (int i = 0; i < 11; ++i) *node(&g, i, j, k) *= -1.0f;
        TarnField3 field = field_of(&g);
        TarnMesh mesh = march(m, &field, params);
        expect_closed(&mesh);
        drop_mesh(&mesh);
        for (int c = 0; c < 11 * g.slab; ++c) g.data[c] = NAN; // nothing but that
        mesh = march(m, &field, params);
        assert_int_equal(mesh.n_triangles, 0);
        drop_mesh(&mesh);
        free(g.data);
    }
    tarn_marching_destroy(m);
}

static void test_capacity(void** state)
{
    (void)state;
    TarnMarching* m = make_marching(ctx, 16, 0);
    Grid g = make_ball(16, 16, 16, 5.3f);
    TarnField3 field = field_of(&g);
    TarnMarchingParams params = tarn_marching_default_params();
    TarnMesh mesh = march(m, &field, params);
    int n_vertices = mesh.n_vertices, n_triangles = mesh.n_triangles;
    for (int w = 0; w < 2; ++w) {
        mesh.max_vertices = n_vertices - (w == 0), mesh.max_triangles = n_triangles - (w == 1);
        memset(mesh.position, 0x5a, (size_t)n_vertices * 12);
        memset(mesh.index, 0x5a, (size_t)n_triangles * 12);
        mesh.n_vertices = mesh.n_triangles = 0;
        int calls = memory.calls;
        assert_int_equal(tarn_marching_run(m, &field, &params, &mesh), TARN_ERR_CAPACITY);
        assert_int_equal(memory.calls, calls);
        assert_int_equal(mesh.n_vertices, n_vertices);
        assert_int_equal(mesh.n_triangles, n_triangles);
        for (int b = 0; b < n_vertices * 12; ++b)
            assert_int_equal(((unsigned char*)mesh.position)[b], 0x5a);
        for (int b = 0; b < n_triangles * 12; ++b)
            assert_int_equal(((unsigned char*)mesh.index)[b], 0x5a);
        char needed[16];
        snprintf(needed, sizeof needed, "%d", w == 0 ? n_vertices : n_triangles);
        assert_non_null(strstr(tarn_last_error(ctx), needed));
    }
    mesh.max_vertices = n_vertices, mesh.max_triangles = n_triangles;
    int calls = memory.calls;
    assert_int_equal(tarn_marching_run(m, &field, &params, &mesh), TARN_OK);
    assert_int_equal(memory.calls, calls); // a run allocates nothing
    // Any of the buffers may be missing, the others stay the same.
    TarnVec3 first = mesh.position[0];
    TarnMesh only = { .position = mesh.position, .max_vertices = n_vertices };
    memset(mesh.position, 0, (size_t)n_vertices * 12);
    assert_int_equal(tarn_marching_run(m, &field, &params, &only), TARN_OK);
    assert_memory_equal(&first, mesh.position, sizeof first);
    drop_mesh(&mesh);
    free(g.data);
    tarn_marching_destroy(m);
}

static void test_sizes(void** state)
{
    (void)state;
    TarnMarching* m = make_marching(ctx, 20, 0);
    for (int n = 0; n < 6 * 5 * 18; ++n) {
        Grid g = make_grid(1 + n % 18, 1 + n / 18 % 5, 1 + n / 90);
        for (int k = 0; k < g.n[2]; ++k)
            for (int j = 0; j < g.n[1]; ++j)
                for (int i = 0; i < g.n[0]; ++i)
                    *node(&g, i, j, k) = (float)((i * 5 + j * 3 + k * 7 + n) % 4) - 1.5f;
        TarnField3 field = field_of(&g);
        TarnMesh mesh = march(m, &field, tarn_marching_default_params());
        expect_finite(&mesh);
        if (g.n[0] < 2 || g.n[1] < 2 || g.n[2] < 2) assert_int_equal(mesh.n_vertices, 0);
        assert_int_equal(stats_of(&mesh).crowded_edges, 0);
        drop_mesh(&mesh);
        free(g.data);
    }
    tarn_marching_destroy(m);
}

static void expect_refused(TarnResult result, TarnResult code, const char* word)
{
    assert_int_equal(result, code);
    if (strstr(tarn_last_error(ctx), word) == NULL)
        fail_msg("%s: no %s", tarn_last_error(ctx), word);
}

static void test_bad_input(void** state)
{
    (void)state;
    TarnMarchingDef def = tarn_marching_default_def();
    TarnMarching* m;
    expect_refused(tarn_marching_create(ctx, &def, &m), TARN_ERR_ARG, "max_blocks");
    def.nx = 8;
    expect_refused(tarn_marching_create(ctx, &def, &m), TARN_ERR_ARG, "all three");
    def.nx = def.ny = def.nz = 8192;
    expect_refused(tarn_marching_create(ctx, &def, &m), TARN_ERR_ARG, "too large");
    assert_int_equal(tarn_marching_memory(&def), 0);
    def.nx = def.ny = def.nz = 8, def.max_blocks = 2;
    size_t before = memory.bytes;
    assert_int_equal(tarn_marching_create(ctx, &def, &m), TARN_OK);
    assert_int_equal(memory.bytes - before, tarn_marching_memory(&def));
    Grid g = make_ball(8, 8, 8, 2.5f);
    TarnField3 field = field_of(&g), bad = field;
    TarnMarchingParams params = tarn_marching_default_params();
    TarnMesh mesh = { 0 };
    bad.value.nx = 9;
    expect_refused(tarn_marching_run(m, &bad, &params, &mesh), TARN_ERR_ARG, "larger nx");
    bad = field, bad.value.row = 7;
    expect_refused(tarn_marching_run(m, &bad, &params, &mesh), TARN_ERR_ARG, "overlap");
    bad = field, bad.value.data = NULL;
    expect_refused(tarn_marching_run(m, &bad, &params, &mesh), TARN_ERR_ARG, "value");
    bad = field, bad.dx = NAN;
    expect_refused(tarn_marching_run(m, &bad, &params, &mesh), TARN_ERR_ARG, "dx");
    bad = field, bad.velocity[0] = field.value;
    expect_refused(tarn_marching_run(m, &bad, &params, &mesh), TARN_ERR_ARG, "velocity");
    bad = field, bad.n_attributes = 1;
    expect_refused(tarn_marching_run(m, &bad, &params, &mesh), TARN_ERR_ARG, "n_attributes");
    params.iso = NAN;
    expect_refused(tarn_marching_run(m, &field, &params, &mesh), TARN_ERR_ARG, "iso");
    params.iso = 0.0f, params.snap = 0.5f;
    expect_refused(tarn_marching_run(m, &field, &params, &mesh), TARN_ERR_ARG, "snap");
    params = tarn_marching_default_params();
    expect_refused(tarn_marching_run(m, &field, &params, NULL), TARN_ERR_ARG, "mesh");
    expect_refused(tarn_marching_run(m, NULL, &params, &mesh), TARN_ERR_ARG, "field");
    float value[2 * TARN_BLOCK_NODES] = { 0 };
    int32_t place[3][3] = { { 1, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 } };
    TarnBlocks blocks = {
        .n_blocks = 2, .place = (const int32_t(*)[3])place, .value = value, .dx = 1
    };
    expect_refused(tarn_marching_run_blocks(m, &blocks, &params, &mesh), TARN_ERR_DATA, "sort");
    blocks.place = (const int32_t(*)[3])(place + 1);
    expect_refused(tarn_marching_run_blocks(m, &blocks, &params, &mesh), TARN_ERR_DATA,
                   "without duplicates");
    place[2][1] = 1 << 20;
    expect_refused(tarn_marching_run_blocks(m, &blocks, &params, &mesh), TARN_ERR_DATA,
                   "is at place");
    blocks.n_blocks = 3;
    expect_refused(tarn_marching_run_blocks(m, &blocks, &params, &mesh), TARN_ERR_ARG,
                   "max_blocks");
    assert_int_equal(tarn_marching_run(NULL, &field, &params, &mesh), TARN_ERR_ARG);
    tarn_marching_destroy(m);
    tarn_marching_destroy(NULL);
    memory.fail_at = memory.calls + 1;
    expect_refused(tarn_marching_create(ctx, &def, &m), TARN_ERR_MEMORY, "memory");
    assert_null(m);
    free(g.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_ball, begin, end),
        cmocka_unit_test_setup_teardown(test_noise_is_closed, begin, end),
        cmocka_unit_test_setup_teardown(test_closed_at_the_edges, begin, end),
        cmocka_unit_test_setup_teardown(test_blocks_as_dense, begin, end),
        cmocka_unit_test_setup_teardown(test_carried_values, begin, end),
        cmocka_unit_test_setup_teardown(test_blocks_alone, begin, end),
        cmocka_unit_test_setup_teardown(test_same_bits, begin, end),
        cmocka_unit_test_setup_teardown(test_odd_values, begin, end),
        cmocka_unit_test_setup_teardown(test_capacity, begin, end),
        cmocka_unit_test_setup_teardown(test_sizes, begin, end),
        cmocka_unit_test_setup_teardown(test_bad_input, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
