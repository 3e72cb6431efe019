// Marching cubes: the object, what it accepts, and the passes of a run.
//
// Method   bricks of 8^3 nodes (marching_internal.h). Pass one makes a bit per node. Pass two counts: edges that
//          are cut are XORs of words, vertices their bits, and a vertex has the number of set bits before it,
//          which is why neighbors agree on it without a table. Sums over bricks then say where each may
//          write, and pass three writes. [Lorensen1987]; two passes that count first, [Schroeder2015].
// Checked  tests/unit/test_marching.c, `tarn check mesh`.
// Cost     `tarn bench mesh`.

#include "mesh/marching_internal.h"
#include "base/def.h"
#include "base/maths.h"
#include "base/param.h"
#include "mesh/mesh_check.h"

enum {
    COUNT_CHUNK = 64, // bricks of a task
    EMIT_CHUNK = 8,
    MAX_BRICKS = 1 << 27,
};

#define D TarnMarchingDef
static const TarnParam def_params[] = {
    P_INT(D, nx, "nodes", 0, 8192, 0,
          "Nodes of the largest dense field along x; 0 if there are none."),
    P_INT(D, ny, "nodes", 0, 8192, 0, "Nodes of the largest dense field along y."),
    P_INT(D, nz, "nodes", 0, 8192, 0, "Nodes of the largest dense field along z."),
    P_INT(D, max_blocks, "blocks", 0, 4e6, 0,
          "Blocks of the largest sparse field; 0 if there are none."),
};
#undef D
#define P TarnMarchingParams
static const TarnParam run_params[] = {
    P_FLOAT(P, iso, "", -1e18, 1e18, 0, "Value at the surface."),
    P_BOOL(P, is_fluid_above, 0,
           "Fluid has values above iso, as a density; otherwise below, as a distance."),
    P_BOOL(P, is_closed, 0, "Closes the mesh where fluid touches the edge of a dense grid."),
    P_FLOAT(P, snap, "cells", 0, 0.45, 0,
            "Merges vertices closer to a node than this, where the topology allows it; larger "
            "values remove more slivers and take longer."),
};
#undef P
static const TarnParamTable def_table = PARAM_TABLE("marching", TarnMarchingDef, def_params);
static const TarnParamTable params_table =
    PARAM_TABLE("marching_params", TarnMarchingParams, run_params);

const TarnParamTable* tarn_marching_def_table(void)
{
    return &def_table;
}
const TarnParamTable* tarn_marching_params_table(void)
{
    return &params_table;
}
void tarn_marching_init_def(TarnMarchingDef* out, size_t size)
{
    TarnMarchingDef def = { 0 };
    tarn_param_defaults(&def_table, &def);
    TARN_INIT_DEF(TarnMarchingDef, out, size, &def);
}
void tarn_marching_init_params(TarnMarchingParams* out, size_t size)
{
    TarnMarchingParams params = { 0 };
    tarn_param_defaults(&params_table, &params);
    TARN_INIT_DEF(TarnMarchingParams, out, size, &params);
}

// ---- Creation -----------------------------------------------------------------------------------

static bool has_dense(const TarnMarchingDef* def)
{
    return def->nx > 0 && def->ny > 0 && def->nz > 0;
}

// With the ring of a closed grid.
static int64_t dense_bricks(const TarnMarchingDef* def)
{
    if (!has_dense(def)) return 0;
    return (int64_t)((def->nx + 9) / 8) * ((def->ny + 9) / 8) * ((def->nz + 9) / 8);
}

static TarnResult check_def(TarnContext* ctx, const TarnMarchingDef* def)
{
    TARN_TRY(TARN_CHECK_DEF(ctx, "marching", "tarn/mesh.h", TarnMarchingDef,
                            tarn_marching_default_def, def));
    TARN_TRY(tarn_param_validate(ctx, &def_table, def));
    if (!has_dense(def) && (def->nx > 0 || def->ny > 0 || def->nz > 0))
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "marching: nx, ny, nz are %d, %d, %d; set all three, or all to 0 if "
                          "there are no dense fields",
                          def->nx, def->ny, def->nz);
    if (!has_dense(def) && def->max_blocks == 0)
        return tarn__fail(
            ctx, TARN_ERR_ARG,
            "marching: nx, ny, nz and max_blocks are all 0; set the size of the largest field");
    if (dense_bricks(def) > MAX_BRICKS)
        return tarn__fail(
            ctx, TARN_ERR_ARG,
            "marching: a field of %d x %d x %d nodes is too large; the limit is 4096^3", def->nx,
            def->ny, def->nz);
    return TARN_OK;
}

// Blocks may be reached into from below: the places below them count too, eight per block at worst.
static size_t lay_out(const TarnMarchingDef* def, TarnMarching* m)
{
    TarnLayout layout = { 0 };
    size_t dense = (size_t)dense_bricks(def), blocks = (size_t)def->max_blocks;
    size_t bricks = dense > 8 * blocks ? dense : 8 * blocks, bits = dense > blocks ? dense : blocks;
    char* base = (char*)m;
    TarnMarching counted, *to = m ? m : &counted;
    tarn__layout_add(&layout, sizeof(TarnMarching));
    to->cases = tarn__layout_place(&layout, base, 256, sizeof *to->cases);
    to->case_edges = tarn__layout_place(&layout, base, 256, sizeof *to->case_edges);
    to->bits = tarn__layout_place(&layout, base, bits, sizeof *to->bits);
    to->state = tarn__layout_place(&layout, base, bits, sizeof *to->state);
    to->bricks = tarn__layout_place(&layout, base, bricks, sizeof *to->bricks);
    to->taken = tarn__layout_place(&layout, base, bricks, sizeof *to->taken);
    to->active = tarn__layout_place(&layout, base, bricks, sizeof *to->active);
    to->rows = tarn__layout_place(&layout, base, bricks, sizeof *to->rows);
    to->reach = tarn__layout_place(&layout, base, blocks, sizeof *to->reach);
    to->keys = tarn__layout_place(&layout, base, 8 * blocks, sizeof *to->keys);
    to->block = tarn__layout_place(&layout, base, 8 * blocks, sizeof *to->block);
    return layout.size;
}

size_t tarn_marching_memory(const TarnMarchingDef* def)
{
    return check_def(NULL, def) == TARN_OK ? lay_out(def, NULL) : 0;
}

TarnResult tarn_marching_create(TarnContext* ctx, const TarnMarchingDef* def, TarnMarching** out)
{
    if (out == NULL) return tarn__fail(ctx, TARN_ERR_ARG, "tarn_marching_create: out is NULL");
    *out = NULL;
    if (ctx == NULL) return TARN_ERR_ARG;
    TARN_TRY(check_def(ctx, def));
    size_t size = lay_out(def, NULL);
    TarnMarching* m = tarn__alloc(ctx, size);
    if (m == NULL)
        return tarn__fail(
            ctx, TARN_ERR_MEMORY,
            "marching: out of memory for %d x %d x %d nodes and %d blocks (%zu bytes)", def->nx,
            def->ny, def->nz, def->max_blocks, size);
    m->ctx = ctx;
    m->memory = size;
    m->def = *def;
    m->kernels = TARN_KERNELS_PICK(ctx->isa, tarn__marching_kernels);
    lay_out(def, m);
    tarn__marching_make_cases(m->cases, m->case_edges);
    *out = m;
    return TARN_OK;
}

void tarn_marching_destroy(TarnMarching* marching)
{
    if (marching) tarn__free(marching->ctx, marching, marching->memory);
}

// ---- What a run accepts -------------------------------------------------------------------------

static TarnResult check_params(TarnContext* ctx, const TarnMarchingParams* params)
{
    TARN_TRY(TARN_CHECK_DEF(ctx, "marching", "tarn/mesh.h", TarnMarchingParams,
                            tarn_marching_default_params, params));
    return tarn_param_validate(ctx, &params_table, params);
}

// So that positions are finite, wherever a node is.
static TarnResult check_place(TarnContext* ctx, TarnVec3 origin, float dx)
{
    const float most = 1e30f;
    if (!(dx > 0.0f && dx <= 1e12f))
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "marching: dx %g m is out of range; allowed: above 0 up to 1e12 m",
                          (double)dx);
    if (!(fabsf(origin.x) <= most && fabsf(origin.y) <= most && fabsf(origin.z) <= most))
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "marching: origin (%g, %g, %g) is out of range; allowed: +-1e30 m",
                          (double)origin.x, (double)origin.y, (double)origin.z);
    return TARN_OK;
}

// A view of the size of the field, without rows or slabs that overlap.
static TarnResult check_view(TarnContext* ctx, const TarnField3* field, TarnView3 v,
                             const char* name)
{
    TarnView3 f = field->value;
    if (v.data == NULL) return tarn__fail(ctx, TARN_ERR_ARG, "marching: %s has no data", name);
    if (v.nx != f.nx || v.ny != f.ny || v.nz != f.nz)
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "marching: %s has %d x %d x %d nodes, but the field has %d x %d x %d",
                          name, v.nx, v.ny, v.nz, f.nx, f.ny, f.nz);
    if ((v.ny > 1 && v.row < v.nx) || (v.nz > 1 && v.slab < (int64_t)v.row * (v.ny - 1) + v.nx))
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "marching: %s has row %d and slab %d; rows of %d floats and slabs of %d "
                          "rows must not overlap",
                          name, v.row, v.slab, v.nx, v.ny);
    return TARN_OK;
}

static TarnResult check_field(TarnMarching* m, const TarnField3* field)
{
    TarnContext* ctx = m->ctx;
    if (field == NULL) return tarn__fail(ctx, TARN_ERR_ARG, "marching: field is NULL");
    TarnView3 v = field->value;
    if (v.nx < 1 || v.ny < 1 || v.nz < 1 || v.nx > m->def.nx || v.ny > m->def.ny ||
        v.nz > m->def.nz)
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "marching: the field has %d x %d x %d nodes; this object was created for "
                          "1 to %d x %d x %d: create it with larger nx, ny, nz",
                          v.nx, v.ny, v.nz, m->def.nx, m->def.ny, m->def.nz);
    TARN_TRY(check_view(ctx, field, v, "value"));
    TARN_TRY(check_place(ctx, field->origin, field->dx));
    if (field->n_attributes < 0 || (field->n_attributes > 0 && field->attribute == NULL))
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "marching: the field has n_attributes %d, and attribute is%s NULL",
                          field->n_attributes, field->attribute ? " not" : "");
    for (int c = 0; c < 3 && field->velocity[0].data; ++c)
        TARN_TRY(check_view(ctx, field, field->velocity[c], "velocity"));
    for (int a = 0; a < field->n_attributes; ++a)
        TARN_TRY(check_view(ctx, field, field->attribute[a], "attribute"));
    return TARN_OK;
}

static TarnResult check_places(TarnContext* ctx, const TarnBlocks* blocks)
{
    uint64_t last = 0;
    for (int b = 0; b < blocks->n_blocks; ++b) {
        const int32_t* p = blocks->place[b];
        for (int a = 0; a < 3; ++a) {
            if (p[a] <= -MARCHING_MAX_PLACE + 2 || p[a] >= MARCHING_MAX_PLACE - 2)
                return tarn__fail(ctx, TARN_ERR_DATA,
                                  "marching: block %d is at place %d; allowed: %d to %d", b, p[a],
                                  -MARCHING_MAX_PLACE + 3, MARCHING_MAX_PLACE - 3);
        }
        uint64_t key = marching_key(p[0], p[1], p[2]);
        if (b > 0 && key <= last)
            return tarn__fail(ctx, TARN_ERR_DATA,
                              "marching: block %d at (%d, %d, %d) %s the one before; sort places "
                              "by z, then y, then x, without duplicates",
                              b, p[0], p[1], p[2],
                              key == last ? "is at the same place as" : "must come before");
        last = key;
    }
    return TARN_OK;
}

static TarnResult check_blocks(TarnMarching* m, const TarnBlocks* blocks)
{
    TarnContext* ctx = m->ctx;
    if (blocks == NULL) return tarn__fail(ctx, TARN_ERR_ARG, "marching: blocks is NULL");
    if (blocks->n_blocks < 0 || blocks->n_blocks > m->def.max_blocks)
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "marching: %d blocks; this object was created for 0 to %d: create it "
                          "with a larger max_blocks",
                          blocks->n_blocks, m->def.max_blocks);
    if (blocks->n_blocks > 0 && (blocks->place == NULL || blocks->value == NULL))
        return tarn__fail(ctx, TARN_ERR_ARG, "marching: place or value of the blocks is NULL");
    if (blocks->n_attributes < 0 ||
        (blocks->n_attributes > 0 && blocks->n_blocks > 0 && blocks->attribute == NULL))
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "marching: the blocks have n_attributes %d, and attribute is%s NULL",
                          blocks->n_attributes, blocks->attribute ? " not" : "");
    TARN_TRY(check_place(ctx, blocks->origin, blocks->dx));
    return check_places(ctx, blocks);
}

// ---- The passes ---------------------------------------------------------------------------------

static void find_state(TarnMarching* m, int brick)
{
    uint64_t any = 0, all = ~(uint64_t)0;
    for (int z = 0; z < 8; ++z) any |= m->bits[brick][z], all &= m->bits[brick][z];
    m->state[brick] = any == 0 ? BRICK_EMPTY : all == ~(uint64_t)0 ? BRICK_FULL : BRICK_MIXED;
}

// Bits of one row of nodes; those beyond the grid are 0.
static void classify_row(TarnMarching* m, int j, int k, uint8_t* out)
{
    const TarnView3 v = m->field->value;
    const size_t stride = sizeof m->bits[0];
    bool is_inside = j >= 0 && j < v.ny && k >= 0 && k < v.nz;
    const float* row =
        v.data + (is_inside ? (size_t)k * (size_t)v.slab + (size_t)j * (size_t)v.row : 0);
    int first = m->shift ? 1 : 0, whole = is_inside ? (v.nx + m->shift) / 8 - first : 0;
    if (whole < 0) whole = 0;
    m->kernels->classify(row + 8 * first - m->shift, whole, m->iso, m->is_fluid_above,
                         out + (size_t)first * stride, stride);
    for (int b = 0; b < m->per[0]; ++b) {
        if (b >= first && b < first + whole) continue;
        unsigned bits = 0;
        for (int x = 0; x < 8 && is_inside; ++x) {
            int i = 8 * b - m->shift + x;
            if (i >= 0 && i < v.nx && marching_level(m, row[i]) < 0.0f) bits |= 1u << x;
        }
        out[(size_t)b * stride] = (uint8_t)bits;
    }
}

static void classify_dense(int task, void* data) // bricks of one row
{
    TarnMarching* m = data;
    int first = task * m->per[0], y = task % m->per[1], z = task / m->per[1];
    uint8_t* out = (uint8_t*)m->bits[first];
    for (int k = 0; k < 8; ++k)
        for (int j = 0; j < 8; ++j)
            classify_row(m, 8 * y + j - m->shift, 8 * z + k - m->shift, out + 8 * k + j);
    for (int b = first; b < first + m->per[0]; ++b) find_state(m, b);
}

static void classify_blocks(int task, void* data)
{
    TarnMarching* m = data;
    for (int b = task * COUNT_CHUNK; b < (task + 1) * COUNT_CHUNK && b < m->blocks->n_blocks; ++b) {
        m->kernels->classify(m->blocks->value + (size_t)b * TARN_BLOCK_NODES, 64, m->iso,
                             m->is_fluid_above, (uint8_t*)m->bits[b], 1);
        find_state(m, b);
        m->reach[b] = tarn__marching_reach(m, b);
    }
}

static int state_of(const TarnMarching* m, int brick, int outside)
{
    if (brick < 0) return outside;
    if (m->field) return m->state[brick];
    return m->block[brick] < 0 ? outside : m->state[m->block[brick]];
}

static void count_chunk(int task, void* data)
{
    TarnMarching* m = data;
    MarchingCursor cursor = { .is_set = false };
    MarchingNear near;
    int outside = m->outside ? BRICK_FULL : BRICK_EMPTY;
    for (int b = task * COUNT_CHUNK; b < (task + 1) * COUNT_CHUNK && b < m->n_bricks; ++b) {
        MarchingBrick* brick = &m->bricks[b];
        tarn__marching_near(m, b, false, &cursor, &near);
        int state = state_of(m, b, outside);
        bool is_uniform = state != BRICK_MIXED;
        for (int d = 1; d < 8 && is_uniform; ++d) {
            int at = near.at[NEAR_SELF + (d & 1) + 3 * (d >> 1 & 1) + 9 * (d >> 2)];
            is_uniform = state_of(m, at, m->field ? state : outside) == state;
        }
        brick->n_edge_vertices = brick->n_vertices = brick->n_triangles = 0;
        brick->has_merged = false;
        if (!is_uniform) m->kernels->count(m, &near, brick);
    }
}

// Where each brick may write; false: more than an int can count.
static bool sum_up(TarnMarching* m, int* n_vertices, int* n_triangles)
{
    int64_t vertices = 0, triangles = 0;
    m->n_active = 0;
    for (int b = 0; b < m->n_bricks; ++b) {
        MarchingBrick* brick = &m->bricks[b];
        if (brick->n_vertices == 0 && brick->n_triangles == 0) continue;
        m->active[m->n_active++] = b;
        brick->first_vertex = (int)vertices;
        brick->first_triangle = (int)triangles;
        vertices += brick->n_vertices;
        triangles += brick->n_triangles;
        if (vertices > INT32_MAX || triangles > INT32_MAX) return false;
    }
    *n_vertices = (int)vertices, *n_triangles = (int)triangles;
    return true;
}

static void emit_chunk(int task, void* data)
{
    TarnMarching* m = data;
    MarchingCursor cursor = { .is_set = false };
    MarchingNear near;
    for (int a = task * EMIT_CHUNK; a < (task + 1) * EMIT_CHUNK && a < m->n_active; ++a) {
        tarn__marching_near(m, m->active[a], true, &cursor, &near);
        m->kernels->emit(m, &near, &m->bricks[m->active[a]]);
    }
}

static int tasks_of(int n, int chunk)
{
    return (n + chunk - 1) / chunk;
}

// Counts, asks for room, writes.
static TarnResult run(TarnMarching* m, TarnMesh* mesh)
{
    int n_vertices, n_triangles;
    tarn__parallel_for(m->ctx, tasks_of(m->n_bricks, COUNT_CHUNK), count_chunk, m);
    if (m->snap > 0.0f) tarn__marching_snap(m);
    if (!sum_up(m, &n_vertices, &n_triangles))
        return tarn__fail(
            m->ctx, TARN_ERR_UNSUPPORTED,
            "marching: more than %d vertices or triangles; split the field into parts", INT32_MAX);
    TARN_TRY(tarn__mesh_room(m->ctx, "marching", mesh, n_vertices, n_triangles));
    m->mesh = mesh;
    tarn__parallel_for(m->ctx, tasks_of(m->n_active, EMIT_CHUNK), emit_chunk, m);
    m->mesh = NULL;
    return TARN_OK;
}

static void begin(TarnMarching* m, const TarnField3* field, const TarnBlocks* blocks,
                  const TarnMarchingParams* params)
{
    m->field = field;
    m->blocks = blocks;
    m->iso = params->iso;
    m->is_fluid_above = params->is_fluid_above;
    m->snap = params->snap;
    m->origin = field ? field->origin : blocks->origin;
    m->dx = field ? field->dx : blocks->dx;
    m->outside = 0;
}

TarnResult tarn_marching_run(TarnMarching* m, const TarnField3* field,
                             const TarnMarchingParams* params, TarnMesh* mesh)
{
    if (m == NULL) return TARN_ERR_ARG;
    TARN_TRY(tarn__mesh_accepts(m->ctx, "marching", mesh));
    TARN_TRY(check_params(m->ctx, params));
    TARN_TRY(check_field(m, field));
    begin(m, field, NULL, params);
    const int n[3] = { field->value.nx, field->value.ny, field->value.nz };
    m->shift = params->is_closed ? 1 : 0;
    m->n_bricks = 1;
    for (int a = 0; a < 3; ++a) {
        m->n_nodes[a] = n[a] + 2 * m->shift;
        m->per[a] = (m->n_nodes[a] + 7) / 8;
        m->n_bricks *= m->per[a];
    }
    // Without a cell there is nothing, not even vertices on edges.
    if (m->n_nodes[0] < 2 || m->n_nodes[1] < 2 || m->n_nodes[2] < 2) m->n_bricks = 0;
    if (m->n_bricks > 0) tarn__parallel_for(m->ctx, m->per[1] * m->per[2], classify_dense, m);
    return run(m, mesh);
}

TarnResult tarn_marching_run_blocks(TarnMarching* m, const TarnBlocks* blocks,
                                    const TarnMarchingParams* params, TarnMesh* mesh)
{
    if (m == NULL) return TARN_ERR_ARG;
    TARN_TRY(tarn__mesh_accepts(m->ctx, "marching", mesh));
    TARN_TRY(check_params(m->ctx, params));
    TARN_TRY(check_blocks(m, blocks));
    begin(m, NULL, blocks, params);
    m->shift = 0;
    m->outside = marching_level(m, blocks->outside) < 0.0f ? ~(uint64_t)0 : 0;
    tarn__parallel_for(m->ctx, tasks_of(blocks->n_blocks, COUNT_CHUNK), classify_blocks, m);
    tarn__marching_list(m);
    return run(m, mesh);
}
