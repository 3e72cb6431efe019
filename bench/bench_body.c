// Bodies: 200 crates at rest on solids, and 200 bodies in a flow.

#include "bench/bench.h"
#include <math.h>
#include <stdlib.h>

static const float frame = 1.0f / 60.0f;

typedef struct BodiesBench {
    TarnContext* ctx;
    TarnBodies* bodies;
    TarnSolids* solids;
    TarnGas* gas;
    TarnVec3 wind;
    TarnFlow flow;
} BodiesBench;

static void must(TarnContext* ctx, TarnResult result)
{
    if (result == TARN_OK) return;
    fprintf(stderr, "tarn: bench: %s\n", tarn_last_error(ctx));
    exit(1);
}

static void make_bench(BodiesBench* b, int workers)
{
    *b = (BodiesBench){ .ctx = bench_context(workers), .wind = { 6, 0, 2 } };
    TarnBodiesDef bodies = tarn_bodies_default_def();
    TarnSolidsDef solids = tarn_solids_default_def();
    bodies.max_bodies = 256;
    must(b->ctx, tarn_bodies_create(b->ctx, &bodies, &b->bodies));
    must(b->ctx, tarn_solids_create(b->ctx, &solids, &b->solids));
    must(b->ctx, tarn_couple_bodies_solids(b->bodies, b->solids));
}

static void drop_bench(BodiesBench* b)
{
    tarn_gas_destroy(b->gas);
    tarn_bodies_destroy(b->bodies);
    tarn_solids_destroy(b->solids);
    tarn_context_destroy(b->ctx);
}

// 100 places, stacks of two.
static void add_crates(BodiesBench* b)
{
    for (int n = 0; n < 200; ++n) {
        TarnBodyDef def = tarn_body_default_def();
        TarnBodyId id;
        def.shape = tarn_shape_box(0.25f, 0.25f, 0.25f);
        def.state.position = (TarnVec3){ (float)(n % 10) - 4.5f, 0.76f + 0.501f * (float)(n / 100),
                                         (float)(n / 10 % 10) - 4.5f };
        must(b->ctx, tarn_bodies_add(b->bodies, &def, &id));
    }
}

enum { GRID = 41 }; // nodes along a side of the mesh

// A table of 10 m, its top at y = 0.5, as one of: a box, six planes, a sheet of 3200 triangles, a function.
static const char* const tables[] = { "box", "convex", "mesh", "function" };

static float slab(TarnVec3 p, void* user)
{
    (void)user;
    TarnVec3 o = { fabsf(p.x) - 6.0f, fabsf(p.y) - 0.5f, fabsf(p.z) - 6.0f };
    float most = fmaxf(o.x, fmaxf(o.y, o.z));
    float x = fmaxf(o.x, 0.0f), y = fmaxf(o.y, 0.0f), z = fmaxf(o.z, 0.0f);
    return most <= 0.0f ? most : sqrtf(x * x + y * y + z * z);
}

static void add_table(BodiesBench* b, int kind)
{
    static TarnVec3 points[GRID * GRID];
    static int triangles[6 * (GRID - 1) * (GRID - 1)];
    static const TarnPlane planes[6] = { { { 1, 0, 0 }, 6 },    { { -1, 0, 0 }, 6 },
                                         { { 0, 1, 0 }, 0.5f }, { { 0, -1, 0 }, 0.5f },
                                         { { 0, 0, 1 }, 6 },    { { 0, 0, -1 }, 6 } };
    TarnSolidDef def = tarn_solid_default_def();
    int n = 0;
    for (int c = 0; c < GRID * GRID; ++c)
        points[c] =
            (TarnVec3){ -6.0f + 0.3f * (float)(c % GRID), 0.5f, -6.0f + 0.3f * (float)(c / GRID) };
    for (int c = 0; c < GRID * (GRID - 1); ++c) {
        if (c % GRID == GRID - 1) continue;
        const int t[6] = { c, c + GRID, c + 1, c + 1, c + GRID, c + GRID + 1 };
        for (int i = 0; i < 6; ++i) triangles[n++] = t[i];
    }
    def.shape.kind = kind == 0   ? TARN_SHAPE_BOX
                     : kind == 1 ? TARN_SHAPE_CONVEX
                     : kind == 2 ? TARN_SHAPE_MESH
                                 : TARN_SHAPE_FUNCTION;
    def.shape.size = (TarnVec3){ 6.0f, 0.5f, 6.0f };
    def.shape.planes = planes, def.shape.n_planes = 6;
    def.shape.points = points, def.shape.n_points = GRID * GRID;
    def.shape.triangles = triangles, def.shape.n_triangles = n / 3;
    def.shape.distance = slab, def.shape.radius = 9.0f;
    must(b->ctx, tarn_solids_add(b->solids, &def, NULL));
}

static void step(void* data)
{
    BodiesBench* b = data;
    must(b->ctx, tarn_solids_advance(b->solids, frame));
    must(b->ctx, tarn_bodies_step(b->bodies, frame, NULL));
}

static void push(void* data)
{
    BodiesBench* b = data;
    TarnFlowPush params = tarn_flow_push_default();
    tarn_bodies_clear_forces(b->bodies);
    must(b->ctx, tarn_couple_flow_bodies(b->flow, &params, b->bodies, frame));
}

static void bench_push(BenchRun* run, const char* name, bool has_gas, bool is_away)
{
    if (!bench_wants(run, name)) return;
    for (int workers = 1; workers <= run->max_workers; workers *= 2) {
        BodiesBench b;
        make_bench(&b, workers);
        add_crates(&b);
        b.flow = tarn_flow_uniform(&b.wind);
        if (has_gas) {
            TarnGasDef def = tarn_gas_default_def();
            def.nx = def.ny = def.nz = 64, def.dx = 0.2f;
            def.center = (TarnVec3){ is_away ? 100.0f : 0.0f, 0.0f, 0.0f };
            must(b.ctx, tarn_gas_create(b.ctx, &def, &b.gas));
            b.flow = tarn_gas_flow(b.gas);
        }
        bench_rate(run, name, workers, bench_best(100, push, &b), 200.0, "body", -1.0, 0.0);
        drop_bench(&b);
    }
}

void bench_body(BenchRun* run)
{
    for (int kind = 0; kind < 4; ++kind) {
        char name[48];
        snprintf(name, sizeof name, "bodies.on_%s.200", tables[kind]);
        if (!bench_wants(run, name)) continue;
        BodiesBench b;
        make_bench(&b, 1);
        add_crates(&b);
        add_table(&b, kind);
        for (int n = 0; n < 60; ++n) step(&b);
        bench_rate(run, name, 1, bench_best(60, step, &b), 200.0, "body", -1.0, 0.0);
        drop_bench(&b);
    }
    bench_push(run, "push.uniform.200", false, false);
    bench_push(run, "push.gas.200", true, false);
    bench_push(run, "push.outside.200", true, true);
}
