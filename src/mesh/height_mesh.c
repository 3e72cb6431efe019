// The surface of height-field water as triangles: the object, its memory, and a run as a list of steps.
//
// Method   Rings around the camera (height_mesh_rings.c), points on the surface by its own queries, edges
//          cut at the shore (height_mesh_shore.c), numbers and buffers (height_mesh_write.c). Work is in
//          fixed blocks of rows; what a block makes goes to places that are known before, or to room of
//          its own.
// Checked  tests/unit/test_height_mesh.c, tests/physics/check_mesh_height.c.
// Cost     bench/bench_mesh_height.c, docs/meshes/height_mesh.md.

#include "base/param.h"
#include "base/def.h"
#include "mesh/height_mesh_internal.h"
#include "mesh/mesh_check.h"
#include "waves/wave_internal.h"

// ---- Parameters ----------------------------------------------------------------------------------

#define D TarnHeightMeshDef
static const TarnParam def_params[] = {
    P_INT(D, cells, "", 16, 1024, 64,
          "Quads along one side of a ring, a multiple of 4; more are finer."),
    P_INT(D, levels, "", 1, HEIGHT_MAX_LEVELS, 5,
          "Number of rings, each twice as coarse as the one inside it; the outermost is cells * "
          "cell * 2^(levels - 1) wide."),
};
#undef D
static const TarnParamTable def_table = PARAM_TABLE("height_mesh", TarnHeightMeshDef, def_params);

#define S TarnHeightMeshSource
static const TarnParam source_params[] = {
    P_VEC2(S, min, "m", -1e7, 1e7, 0, 0,
           "Corner of the water's rectangle with the lowest x and z."),
    P_VEC2(S, max, "m", -1e7, 1e7, 64, 64,
           "Corner of the water's rectangle with the highest x and z."),
    P_FLOAT(S, cell, "m", 1e-3, 1e5, 0.5,
            "Size of the finest quads: that of the solver's cells, or half of it."),
    P_VEC2(S, anchor, "m", -1e7, 1e7, 0, 0,
           "Position of a grid vertex, such as the center of a solver's cell; keep it constant so "
           "that vertices stay in place."),
    P_VEC3(S, camera, "m", -1e9, 1e9, 0, 0, 0,
           "Position of the camera, around which the rings lie."),
    P_FLOAT(S, level, "m", -1e7, 1e7, 0, "Height from which the camera's height is measured."),
    P_FLOAT(S, altitude_weight, "", 0, 10, 0,
            "Share of the camera's height that coarsens the mesh, as distance does."),
    P_BOOL(S, has_shore, 1,
           "Cuts the mesh where the depth falls to dry_depth; otherwise all is water."),
    P_FLOAT(S, dry_depth, "m", 0, 1e3, 0, "Thinner water counts as land."),
    P_FLOAT(S, skirt, "m", 0, 1e5, 0,
            "How far faces hang down at the edges of the rectangle; 0 makes none."),
};
#undef S
static const TarnParamTable source_table =
    PARAM_TABLE("height_mesh_source", TarnHeightMeshSource, source_params);

const TarnParamTable* tarn_height_mesh_def_table(void)
{
    return &def_table;
}
const TarnParamTable* tarn_height_mesh_source_table(void)
{
    return &source_table;
}

void tarn_height_mesh_init_def(TarnHeightMeshDef* out, size_t size)
{
    TarnHeightMeshDef def = { 0 };
    tarn_param_defaults(&def_table, &def);
    TARN_INIT_DEF(TarnHeightMeshDef, out, size, &def);
}
void tarn_height_mesh_init_source(TarnHeightMeshSource* out, size_t size)
{
    TarnHeightMeshSource source = { 0 };
    tarn_param_defaults(&source_table, &source);
    TARN_INIT_DEF(TarnHeightMeshSource, out, size, &source);
}

// ---- Sources -------------------------------------------------------------------------------------

// The anchor is where the solver's window was at first: coarse rings stay when it moves.
static TarnHeightMeshSource source_of(TarnSurface surface, TarnVec2 origin, TarnVec2 first_origin,
                                      int nx, int nz, float dx)
{
    TarnHeightMeshSource source = tarn_height_mesh_default_source();
    source.surface = surface;
    source.min = origin;
    source.max = (TarnVec2){ origin.x + (float)nx * dx, origin.y + (float)nz * dx };
    source.cell = dx;
    source.anchor = (TarnVec2){ first_origin.x + 0.5f * dx, first_origin.y + 0.5f * dx };
    return source;
}

void tarn_height_mesh_init_source_of_wave(TarnHeightMeshSource* out, size_t size,
                                          const TarnWave* wave)
{
    if (wave == NULL) {
        tarn_height_mesh_init_source(out, size);
        return;
    }
    const TarnWaveDef* def = tarn_wave_def(wave);
    TarnHeightMeshSource source = source_of(tarn_wave_surface(wave), tarn_wave_origin(wave),
                                            def->origin, def->nx, def->nz, def->dx);
    source.level = def->level;
    source.has_shore =
        wave->depth != NULL; // a basin with neither bed nor walls is water everywhere
    TARN_INIT_DEF(TarnHeightMeshSource, out, size, &source);
}

void tarn_height_mesh_init_source_of_shallow(TarnHeightMeshSource* out, size_t size,
                                             const TarnShallow* water)
{
    if (water == NULL) {
        tarn_height_mesh_init_source(out, size);
        return;
    }
    const TarnShallowDef* def = tarn_shallow_def(water);
    TarnHeightMeshSource source = source_of(tarn_shallow_surface(water), tarn_shallow_origin(water),
                                            def->origin, def->nx, def->nz, def->dx);
    source.level = def->level;
    TARN_INIT_DEF(TarnHeightMeshSource, out, size, &source);
}

// Pipes tell depths that fall to 0 at the center of the next dry cell, and rain is a film everywhere; the shore
// of a thin layer is smoother, and leaves the film out.
void tarn_height_mesh_init_source_of_pipes(TarnHeightMeshSource* out, size_t size,
                                           const TarnPipes* pipes)
{
    if (pipes == NULL) {
        tarn_height_mesh_init_source(out, size);
        return;
    }
    const TarnPipesDef* def = tarn_pipes_def(pipes);
    TarnHeightMeshSource source = source_of(tarn_pipes_surface(pipes), tarn_pipes_origin(pipes),
                                            def->origin, def->nx, def->nz, def->dx);
    source.level = def->level;
    source.dry_depth = 0.002f * def->dx;
    TARN_INIT_DEF(TarnHeightMeshSource, out, size, &source);
}

// ---- Memory --------------------------------------------------------------------------------------

typedef struct Sizes {
    int rows, blocks_per_level, n_nodes, n_triangles, max_cuts, max_table, max_hanging;
} Sizes;

// A cut edge belongs to two mixed triangles, one on an edge of the mesh to one; a mixed triangle has two. All
// triangles of all rings may be mixed.
static Sizes sizes_of(const TarnHeightMeshDef* def)
{
    int n = def->cells, levels = def->levels;
    Sizes s = { .rows = (HEIGHT_BATCH + n) / (n + 1) };
    s.blocks_per_level = (n + s.rows) / s.rows;
    s.n_nodes = levels * (n + 1) * (n + 1);
    s.n_triangles = levels * (n + 1) * n * 2;
    s.max_hanging = 4 * (n + 1) * levels;
    s.max_cuts = 2 * n * n + (levels - 1) * (3 * n * n / 2) + s.max_hanging;
    for (s.max_table = 64; s.max_table < 2 * s.max_cuts;) s.max_table *= 2;
    return s;
}

// With block NULL: only the size.
static size_t lay_out(const TarnHeightMeshDef* def, TarnHeightMesh* h, char* block)
{
    Sizes s = sizes_of(def);
    TarnLayout layout = { 0 };
    size_t side = (size_t)def->cells + 1, points = (size_t)s.n_nodes + (size_t)s.max_cuts;
    tarn__layout_place(&layout, block, 1, sizeof *h);
    for (int l = 0; l < def->levels; ++l) {
        h->level[l].x = tarn__layout_place(&layout, block, side, sizeof(double));
        h->level[l].z = tarn__layout_place(&layout, block, side, sizeof(double));
        h->level[l].side_x = tarn__layout_place(&layout, block, side, 1);
        h->level[l].side_z = tarn__layout_place(&layout, block, side, 1);
    }
    size_t n_blocks = (size_t)s.blocks_per_level * (size_t)def->levels;
    size_t n_cut_blocks = (size_t)s.max_cuts / HEIGHT_CUTS_BATCH + 1;
    h->blocks = tarn__layout_place(&layout, block, n_blocks, sizeof *h->blocks);
    h->cut_blocks = tarn__layout_place(&layout, block, n_cut_blocks, sizeof *h->cut_blocks);
    h->point = tarn__layout_place(&layout, block, (size_t)s.n_nodes, sizeof *h->point);
    h->x = tarn__layout_place(&layout, block, points, sizeof(float));
    h->z = tarn__layout_place(&layout, block, points, sizeof(float));
    h->height = tarn__layout_place(&layout, block, points, sizeof(float));
    h->depth = tarn__layout_place(&layout, block, points, sizeof(float));
    h->normal = tarn__layout_place(&layout, block, points, sizeof(TarnVec3));
    h->velocity = tarn__layout_place(&layout, block, points, sizeof(TarnVec3));
    h->side = tarn__layout_place(&layout, block, points, 1);
    h->is_wet = tarn__layout_place(&layout, block, points, 1);
    h->is_used = tarn__layout_place(&layout, block, points, 1);
    h->is_hanging = tarn__layout_place(&layout, block, points, 1);
    h->vertex = tarn__layout_place(&layout, block, points, sizeof(int32_t));
    h->skirt_vertex = tarn__layout_place(&layout, block, points, sizeof(int32_t));
    h->triangle = tarn__layout_place(&layout, block, 3 * (size_t)s.n_triangles, sizeof(int32_t));
    h->wet_end = tarn__layout_place(&layout, block, (size_t)s.max_cuts, sizeof(int32_t));
    h->dry_end = tarn__layout_place(&layout, block, (size_t)s.max_cuts, sizeof(int32_t));
    h->table = tarn__layout_place(&layout, block, (size_t)s.max_table, sizeof(int32_t));
    return layout.size;
}

static TarnResult check_def(TarnContext* ctx, const TarnHeightMeshDef* def)
{
    TARN_TRY(TARN_CHECK_DEF(ctx, "height_mesh", "tarn/height_mesh.h", TarnHeightMeshDef,
                            tarn_height_mesh_default_def, def));
    TARN_TRY(tarn_param_validate(ctx, &def_table, def));
    if (def->cells % 4 != 0) {
        return tarn__fail(ctx, TARN_ERR_ARG, "height_mesh.cells: %d is not a multiple of 4; use %d",
                          def->cells, def->cells / 4 * 4);
    }
    return TARN_OK;
}

size_t tarn_height_mesh_memory(const TarnHeightMeshDef* def)
{
    TarnHeightMesh unused;
    return check_def(NULL, def) == TARN_OK ? lay_out(def, &unused, NULL) : 0;
}

void tarn_height_mesh_max_size(const TarnHeightMeshDef* def, int* max_vertices, int* max_triangles)
{
    bool is_good = check_def(NULL, def) == TARN_OK;
    Sizes s = is_good ? sizes_of(def) : (Sizes){ 0 };
    // A cell without shore is two triangles, one with it at most four; an edge of the rectangle hangs in two
    // parts at most.
    int n = is_good ? def->cells : 0, levels = is_good ? def->levels : 1;
    int triangles = 2 * (n * n + (levels - 1) * (3 * n * n / 4));
    if (max_vertices) *max_vertices = s.n_nodes + s.max_cuts + 2 * s.max_hanging;
    if (max_triangles) *max_triangles = 2 * triangles + 4 * s.max_hanging;
}

static void cut_in_blocks(TarnHeightMesh* h, const Sizes* s)
{
    int n = h->def.cells + 1;
    h->n_blocks = s->blocks_per_level * h->def.levels;
    for (int b = 0; b < h->n_blocks; ++b) {
        int l = b / s->blocks_per_level, k0 = b % s->blocks_per_level * s->rows;
        h->blocks[b] = (HeightBlock){ .level = l,
                                      .k0 = k0,
                                      .k1 = k0 + s->rows < n ? k0 + s->rows : n,
                                      .first_point = (l * n + k0) * n,
                                      .first_triangle = (l * n + k0) * (n - 1) * 2 };
    }
}

TarnResult tarn_height_mesh_create(TarnContext* ctx, const TarnHeightMeshDef* def,
                                   TarnHeightMesh** out)
{
    if (out) *out = NULL;
    if (ctx == NULL || out == NULL) return TARN_ERR_ARG;
    TARN_TRY(check_def(ctx, def));
    TarnHeightMesh layout;
    size_t bytes = lay_out(def, &layout, NULL);
    TarnHeightMesh* h = tarn__alloc(ctx, bytes);
    if (h == NULL)
        return tarn__fail(ctx, TARN_ERR_MEMORY,
                          "height_mesh: out of memory for %zu bytes; use fewer cells or levels",
                          bytes);
    Sizes s = sizes_of(def);
    lay_out(def, h, (char*)h);
    h->ctx = ctx;
    h->def = *def;
    h->bytes = bytes;
    h->n_nodes = s.n_nodes;
    h->max_cuts = s.max_cuts;
    h->max_table = s.max_table;
    cut_in_blocks(h, &s);
    *out = h;
    return TARN_OK;
}

void tarn_height_mesh_destroy(TarnHeightMesh* mesh)
{
    if (mesh) tarn__free(mesh->ctx, mesh, mesh->bytes);
}

// ---- Run -----------------------------------------------------------------------------------------

static TarnResult check_foam(TarnContext* ctx, const TarnView2* foam)
{
    if (foam->data == NULL || (foam->nx >= 1 && foam->nz >= 1 && foam->stride >= foam->nx &&
                               foam->nx <= 1 << 24 && foam->nz <= 1 << 24))
        return TARN_OK;
    return tarn__fail(ctx, TARN_ERR_ARG,
                      "height_mesh_source.foam: %d x %d values with a stride of %d; there must be "
                      "at least one value, and the stride must not be below nx",
                      foam->nx, foam->nz, foam->stride);
}

static TarnResult check_source(TarnContext* ctx, const TarnHeightMeshSource* s)
{
    TARN_TRY(TARN_CHECK_DEF(ctx, "height_mesh", "tarn/height_mesh.h", TarnHeightMeshSource,
                            tarn_height_mesh_default_source, s));
    if (s->surface.query == NULL) {
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "height_mesh_source.surface: it has no query; use the surface of a "
                          "solver, such as tarn_wave_surface");
    }
    TARN_TRY(tarn_param_validate(ctx, &source_table, s));
    if (!(s->max.x - s->min.x >= s->cell && s->max.y - s->min.y >= s->cell)) {
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "height_mesh_source: the rectangle from %g, %g to %g, %g is smaller than "
                          "a cell of %g m; set min and max, or use a smaller cell",
                          (double)s->min.x, (double)s->min.y, (double)s->max.x, (double)s->max.y,
                          (double)s->cell);
    }
    return check_foam(ctx, &s->foam);
}

TarnResult tarn_height_mesh_run(TarnHeightMesh* heights, const TarnHeightMeshSource* source,
                                TarnMesh* mesh)
{
    if (heights == NULL) return TARN_ERR_ARG;
    TarnHeightMesh* h = heights;
    TARN_TRY(check_source(h->ctx, source));
    TARN_TRY(tarn__mesh_accepts(h->ctx, "height_mesh", mesh));
    h->source = source;
    h->mesh = mesh;
    tarn__height_place_levels(h);
    tarn__parallel_for(h->ctx, h->n_blocks, tarn__height_make_points, h);
    tarn__parallel_for(h->ctx, h->n_blocks, tarn__height_make_triangles, h);
    tarn__height_find_cuts(h);
    tarn__parallel_for(h->ctx, h->n_cut_blocks, tarn__height_make_cuts, h);
    tarn__height_count(h);
    TARN_TRY(tarn__mesh_room(h->ctx, "height_mesh", mesh, mesh->n_vertices, mesh->n_triangles));
    tarn__height_write(h);
    return TARN_OK;
}
