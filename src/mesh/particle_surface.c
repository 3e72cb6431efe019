// The surface of particles: parameters, creation, and the update.
//
// Method   Density: the sum of kernels. zhu_bridson: [Zhu2005], with the ball shrunk where the mean of the
//          particles runs away from the node [Solenthaler2007]. anisotropic: [Yu2013], kernels stretched by the
//          covariance of the neighbors, and particles moved to the mean of theirs.
// Differs  anisotropic: axes as the spread of the neighbors, the root of their variance, and all kernels of the
//          same volume: those at a surface get wider along it, and the surface calmer; a particle with few
//          neighbors grows from a ball into what they say, so that nothing pops; the level of the surface is
//          measured on a flat pool with the same kernels, which takes back what the smoothing moved inwards
//          (particle_shape.c). zhu_bridson: the gradient of the mean by the covariance of the weights, see
//          ball_left in particle_field_kernels.c. The field is the root of the sum: kernels end as a cube does,
//          its root is closer to a distance, and a vertex between two nodes is where it should be.
// Checked  tests/unit/test_particle_surface.c, tests/physics/check_mesh_particles.c.
// Cost     bench/bench_mesh_particles.c, docs/meshes/particle_surface.md.

#include "mesh/particle_surface_internal.h"
#include "base/def.h"
#include "base/maths.h"
#include "base/param.h"

enum { TASK = 4096, ROWS = 16 }; // points, rows of cells

static const char* const method_names[] = { "density", "zhu_bridson", "anisotropic", NULL };

#define D TarnParticleSurfaceDef
static const TarnParam def_params[] = {
    P_INT(D, max_particles, "particles", 1, 4000000, 50000, "Most points of an update."),
    P_INT(D, max_blocks, "blocks", 0, 1000000, 0,
          "Capacity for blocks of 8 x 8 x 8 nodes, 2 KB each and more with velocities and "
          "attributes; 0 estimates it from max_particles and cell."),
    P_FLOAT(D, spacing, "m", 1e-4, 10, 0.02, "Distance between particles at rest."),
    P_FLOAT(D, cell, "spacings", 0.2, 2, 0.65,
            "Cell size of the field: 0.5 for close views, 1 for a third of the triangles."),
    P_BOOL(D, use_velocity, 0, "Vertices get the velocity of the points."),
    P_INT(D, n_attributes, "", 0, SURFACE_MAX_ATTRIBUTES, 0,
          "Number of attributes that vertices get from the points."),
};
#undef D
#define P TarnParticleSurfaceParams
static const TarnParam params_params[] = {
    P_ENUM(P, method, method_names, 3, TARN_PARTICLE_SURFACE_ANISOTROPIC,
           "How the field is built. density: cheap, bumpy; zhu_bridson: smoother; anisotropic: "
           "flat where the liquid is flat."),
    P_FLOAT(P, radius, "spacings", 1.5, 4, 2.5,
            "Radius of a kernel at the surface, larger is smoother; anisotropic searches 1.2 times "
            "as far for neighbors."),
    P_FLOAT(P, level, "spacings", 0, 1.5, 0.5,
            "How far a calm surface lies outside the centers of the outermost particles."),
    P_FLOAT(P, smoothing, "", 0, 1, 0.9,
            "For anisotropic: how far particles move toward the mean of their neighbors; larger is "
            "smoother."),
    P_FLOAT(P, stretch, "", 1, 16, 4,
            "For anisotropic: largest ratio of the longest to the shortest axis of a kernel; 1 "
            "keeps them round."),
    P_FLOAT(P, snap, "", 0, 0.45, 0,
            "Merges vertices closer to a node than this share of a cell; larger values remove more "
            "slivers."),
};
#undef P
static const TarnParamTable def_table =
    PARAM_TABLE("particle_surface", TarnParticleSurfaceDef, def_params);
static const TarnParamTable params_table =
    PARAM_TABLE("particle_surface", TarnParticleSurfaceParams, params_params);

const TarnParamTable* tarn_particle_surface_def_table(void)
{
    return &def_table;
}
const TarnParamTable* tarn_particle_surface_params_table(void)
{
    return &params_table;
}
void tarn_particle_surface_init_def(TarnParticleSurfaceDef* out, size_t size)
{
    TarnParticleSurfaceDef def = { 0 };
    tarn_param_defaults(&def_table, &def);
    TARN_INIT_DEF(TarnParticleSurfaceDef, out, size, &def);
}
void tarn_particle_surface_init_params(TarnParticleSurfaceParams* out, size_t size)
{
    TarnParticleSurfaceParams params = { 0 };
    tarn_param_defaults(&params_table, &params);
    TARN_INIT_DEF(TarnParticleSurfaceParams, out, size, &params);
}
TarnPoints tarn_liquid_points(const TarnLiquidView* view)
{
    if (view == NULL) return (TarnPoints){ 0 };
    return (TarnPoints){ .n = view->n,
                         .x = view->x,
                         .y = view->y,
                         .z = view->z,
                         .vx = view->vx,
                         .vy = view->vy,
                         .vz = view->vz };
}

// ---- Create --------------------------------------------------------------------------------------------

static TarnResult check_def(TarnContext* ctx, const TarnParticleSurfaceDef* def)
{
    TARN_TRY(TARN_CHECK_DEF(ctx, "particle_surface", "tarn/particle_surface.h",
                            TarnParticleSurfaceDef, tarn_particle_surface_default_def, def));
    return tarn_param_validate(ctx, &def_table, def);
}

// A splash of 50,000 particles takes three to four times the blocks that they fill. A lone drop reaches up to
// eight; there is room for some, a spray of nothing else says how much it needs.
static int guess_blocks(const TarnParticleSurfaceDef* def)
{
    double side = (double)def->cell * TARN_BLOCK_SIDE, n = def->max_particles; // in spacings
    double drops = 8.0 * n < 1024.0 ? 8.0 * n : 1024.0;
    double guess = drops + 0.03 * n + 8.0 * n / (side * side * side);
    return guess < 1e6 ? (int)guess : 1000000;
}

// Fills in all pointers of *s; with base NULL it only counts.
static size_t lay_out(TarnParticleSurface* s, char* base)
{
    const TarnParticleSurfaceDef* def = &s->def;
    TarnLayout layout = { 0 };
    size_t n = (size_t)def->max_particles + SURFACE_PAD, blocks = (size_t)def->max_blocks;
    size_t nodes = blocks * TARN_BLOCK_NODES, n_carried = (size_t)s->n_carried;
    tarn__layout_place(&layout, base, 1, sizeof(TarnParticleSurface));
    s->neighbors_at = layout.size;
    float support = tarn_particle_surface_default_params().radius * def->spacing;
    tarn__neighbors_lay_out(&s->nb, &layout, base, 3, TARN_LANES, TARN_LANES, def->max_particles,
                            support);
    float** floats[] = { &s->raw_x, &s->raw_y, &s->raw_z, &s->x,  &s->y,  &s->z,
                         &s->px,    &s->py,    &s->pz,    &s->ex, &s->ey, &s->ez };
    for (size_t f = 0; f < sizeof floats / sizeof floats[0]; ++f)
        *floats[f] = tarn__layout_place(&layout, base, n, sizeof(float));
    s->source = tarn__layout_place(&layout, base, n, sizeof(int));
    s->particles = tarn__layout_place(&layout, base, n, sizeof(SurfaceParticle));
    s->carried = tarn__layout_place(&layout, base, n * n_carried, sizeof(float));
    s->is_deep = tarn__layout_place(&layout, base, (size_t)s->nb.max_cells, 1);
    s->task_count = tarn__layout_place(&layout, base, n / TASK + 2, sizeof(int));
    s->task_reach = tarn__layout_place(&layout, base, n / SURFACE_SHAPE_TASK + 2, sizeof(float));
    for (s->table_size = 64; (size_t)s->table_size < 2 * blocks;) s->table_size *= 2;
    s->table = tarn__layout_place(&layout, base, (size_t)s->table_size, sizeof(uint64_t));
    s->keys = tarn__layout_place(&layout, base, blocks, sizeof(uint64_t));
    s->keys_scratch = tarn__layout_place(&layout, base, blocks, sizeof(uint64_t));
    s->place = tarn__layout_place(&layout, base, blocks, sizeof *s->place);
    s->value = tarn__layout_place(&layout, base, nodes, sizeof(float));
    s->velocity =
        tarn__layout_place(&layout, base, nodes, def->use_velocity ? 3 * sizeof(float) : 0);
    s->attribute =
        tarn__layout_place(&layout, base, nodes, (size_t)def->n_attributes * sizeof(float));
    s->has_mean = tarn__layout_place(&layout, base, n_carried > 0 ? nodes / 8 : 0, 1);
    return layout.size;
}

static TarnParticleSurface head_of(TarnContext* ctx, const TarnParticleSurfaceDef* def)
{
    TarnParticleSurface head = { .ctx = ctx, .def = *def, .dx = def->cell * def->spacing };
    if (def->max_blocks == 0) head.def.max_blocks = guess_blocks(def);
    head.n_carried = (def->use_velocity ? 3 : 0) + def->n_attributes;
    return head;
}

static TarnMarchingDef marching_def(const TarnParticleSurface* s)
{
    TarnMarchingDef def = tarn_marching_default_def();
    def.nx = def.ny = def.nz = 0;
    def.max_blocks = s->def.max_blocks;
    return def;
}

size_t tarn_particle_surface_memory(const TarnParticleSurfaceDef* def)
{
    if (check_def(NULL, def) != TARN_OK) return 0;
    TarnParticleSurface head = head_of(NULL, def);
    TarnMarchingDef marching = marching_def(&head);
    return lay_out(&head, NULL) + tarn_marching_memory(&marching);
}

TarnResult tarn_particle_surface_create(TarnContext* ctx, const TarnParticleSurfaceDef* def,
                                        TarnParticleSurface** out)
{
    if (out == NULL)
        return tarn__fail(ctx, TARN_ERR_ARG, "tarn_particle_surface_create: out is NULL");
    *out = NULL;
    if (ctx == NULL) return TARN_ERR_ARG;
    TARN_TRY(check_def(ctx, def));
    TarnParticleSurface head = head_of(ctx, def);
    head.memory = lay_out(&head, NULL);
    char* base = tarn__alloc(ctx, head.memory);
    if (base == NULL) {
        return tarn__fail(
            ctx, TARN_ERR_MEMORY,
            "particle_surface: out of memory for %d particles and %d blocks (%zu bytes)",
            def->max_particles, head.def.max_blocks, head.memory);
    }
    lay_out(&head, base);
    TarnParticleSurface* s = (TarnParticleSurface*)(void*)base;
    *s = head;
    TarnParticleSurfaceParams params = tarn_particle_surface_default_params();
    tarn_particle_surface_set_params(s, &params);
    s->outside = s->shape.outside;
    TarnMarchingDef marching = marching_def(s);
    TarnResult result = tarn_marching_create(ctx, &marching, &s->marching);
    if (result != TARN_OK) {
        tarn_particle_surface_destroy(s);
        return result;
    }
    *out = s;
    return TARN_OK;
}

void tarn_particle_surface_destroy(TarnParticleSurface* s)
{
    if (s == NULL) return;
    tarn_marching_destroy(s->marching);
    tarn__free(s->ctx, s, s->memory);
}

TarnResult tarn_particle_surface_set_params(TarnParticleSurface* s,
                                            const TarnParticleSurfaceParams* params)
{
    if (s == NULL) return TARN_ERR_ARG;
    TARN_TRY(TARN_CHECK_DEF(s->ctx, "particle_surface", "tarn/particle_surface.h",
                            TarnParticleSurfaceParams, tarn_particle_surface_default_params,
                            params));
    TARN_TRY(tarn_param_validate(s->ctx, &params_table, params));
    s->params = *params;
    s->shape = tarn__surface_shape(&s->def, params);
    TarnLayout layout = { s->neighbors_at }; // the same places, cells of the new size
    tarn__neighbors_lay_out(&s->nb, &layout, (char*)s, 3, TARN_LANES, TARN_LANES,
                            s->def.max_particles, s->shape.look);
    return TARN_OK;
}

TarnParticleSurfaceParams tarn_particle_surface_params(const TarnParticleSurface* s)
{
    return s != NULL ? s->params : tarn_particle_surface_default_params();
}

// ---- Points ----------------------------------------------------------------------------------------------

typedef struct Taking {
    TarnParticleSurface* s;
    const TarnPoints* points;
    float limit; // farther from the world's origin there are no blocks [m]
} Taking;

static int end_of(int task, int n)
{
    return (task + 1) * TASK < n ? (task + 1) * TASK : n;
}

static bool is_of_use(const Taking* t, int i)
{
    const TarnPoints* p = t->points; // comparisons are false for what is not a number
    return fabsf(p->x[i]) < t->limit && fabsf(p->y[i]) < t->limit &&
           (p->z == NULL || fabsf(p->z[i]) < t->limit);
}

static void count_task(int task, void* data)
{
    const Taking* t = data;
    int n = 0;
    for (int i = task * TASK, end = end_of(task, t->points->n); i < end; ++i) n += is_of_use(t, i);
    t->s->task_count[task] = n;
}

static void take_task(int task, void* data)
{
    const Taking* t = data;
    TarnParticleSurface* s = t->s;
    const TarnPoints* p = t->points;
    int to = s->task_count[task];
    for (int i = task * TASK, end = end_of(task, p->n); i < end; ++i) {
        if (!is_of_use(t, i)) continue;
        s->raw_x[to] = p->x[i], s->raw_y[to] = p->y[i], s->raw_z[to] = p->z ? p->z[i] : 0.0f;
        s->source[to++] = i;
    }
}

// The points that are finite, in their order.
static void take_points(TarnParticleSurface* s, const TarnPoints* points)
{
    Taking t = { s, points, 0.0f };
    t.limit = (float)((SURFACE_MAX_PLACE - 8) * TARN_BLOCK_SIDE) * s->dx;
    int tasks = (points->n + TASK - 1) / TASK;
    tarn__parallel_for(s->ctx, tasks, count_task, &t);
    s->n = 0;
    for (int k = 0; k < tasks; ++k) {
        int count = s->task_count[k];
        s->task_count[k] = s->n;
        s->n += count;
    }
    tarn__parallel_for(s->ctx, tasks, take_task, &t);
}

static float tame(float v) // so that sums stay finite
{
    return tarn__is_finite(v) ? tarn_clampf(v, -1e25f, 1e25f) : 0.0f;
}

static void carry(const TarnParticleSurface* s, const TarnPoints* p, int point, float* out)
{
    size_t i = (size_t)point;
    if (s->def.use_velocity) {
        *out++ = p->vx ? tame(p->vx[i]) : 0.0f;
        *out++ = p->vy ? tame(p->vy[i]) : 0.0f;
        *out++ = p->vz ? tame(p->vz[i]) : 0.0f;
    }
    for (int a = 0; a < s->def.n_attributes; ++a) {
        bool is_there = p->attribute != NULL && a < p->n_attributes;
        *out++ = is_there ? tame(p->attribute[i * (size_t)p->n_attributes + (size_t)a]) : 0.0f;
    }
}

// Within a cell by its eight parts: particles that follow one another are then close together, and have most of
// their neighbors in common.
static void sort_cell(const TarnParticleSurface* s, int* order, int n, const double middle[3])
{
    enum { MOST = 256 };
    int old[MOST], part[MOST], begin[9] = { 0 };
    if (n > MOST) return;
    for (int i = 0; i < n; ++i) {
        int p = old[i] = order[i];
        part[i] = ((double)s->raw_x[p] > middle[0]) + 2 * ((double)s->raw_y[p] > middle[1]) +
                  4 * ((double)s->raw_z[p] > middle[2]);
        begin[part[i] + 1]++;
    }
    for (int k = 0; k < 8; ++k) begin[k + 1] += begin[k];
    for (int i = 0; i < n; ++i) order[begin[part[i]]++] = old[i];
}

static void sort_row(const TarnParticleSurface* s, int row)
{
    const Neighbors* nb = &s->nb;
    double side = 1.0 / nb->cells_per_m;
    int at[3] = { 0, row % nb->cells[1], row / nb->cells[1] };
    const int* begin = nb->cell_begin + row * nb->cells[0];
    for (at[0] = 0; at[0] < nb->cells[0]; ++at[0], ++begin) {
        double middle[3];
        if (begin[1] - begin[0] <= TARN_LANES) continue;
        for (int a = 0; a < 3; ++a) middle[a] = (double)nb->origin[a] + (at[a] + 0.5) * side;
        sort_cell(s, nb->order + begin[0], begin[1] - begin[0], middle);
    }
}

static void sort_rows_task(int task, void* data)
{
    const Taking* t = data;
    int rows = t->s->nb.cells[1] * t->s->nb.cells[2], end = (task + 1) * ROWS;
    for (int row = task * ROWS; row < end && row < rows; ++row) sort_row(t->s, row);
}

static void order_task(int task, void* data)
{
    const Taking* t = data;
    TarnParticleSurface* s = t->s;
    for (int i = task * TASK, end = end_of(task, s->n); i < end; ++i) {
        int from = s->nb.order[i];
        s->x[i] = s->raw_x[from], s->y[i] = s->raw_y[from], s->z[i] = s->raw_z[from];
        if (s->n_carried > 0)
            carry(s, t->points, s->source[from], s->carried + (size_t)i * (size_t)s->n_carried);
    }
}

// In the order of the cells, and what they carry.
static void order_points(TarnParticleSurface* s, const TarnPoints* points)
{
    Taking t = { s, points, 0.0f };
    tarn__neighbors_sort(s->ctx, &s->nb, s->n, s->raw_x, s->raw_y, s->raw_z);
    bool is_wrapped = s->nb.wraps[0] || s->nb.wraps[1] || s->nb.wraps[2];
    int rows = s->nb.cells[1] * s->nb.cells[2];
    if (s->shape.method == TARN_PARTICLE_SURFACE_ANISOTROPIC && !is_wrapped)
        tarn__parallel_for(s->ctx, (rows + ROWS - 1) / ROWS, sort_rows_task, &t);
    tarn__parallel_for(s->ctx, (s->n + TASK - 1) / TASK, order_task, &t);
}

// ---- Update ----------------------------------------------------------------------------------------------

static TarnResult check_points(TarnParticleSurface* s, const TarnPoints* points)
{
    if (points == NULL)
        return tarn__fail(s->ctx, TARN_ERR_ARG, "tarn_particle_surface_update: points is NULL");
    if (points->n < 0 || (points->n > 0 && (points->x == NULL || points->y == NULL))) {
        return tarn__fail(
            s->ctx, TARN_ERR_ARG,
            "particle_surface: points.n is %d; it must not be negative, and x and y are required",
            points->n);
    }
    if (points->n_attributes < 0) {
        return tarn__fail(s->ctx, TARN_ERR_ARG,
                          "particle_surface: points.n_attributes is %d; it must not be negative",
                          points->n_attributes);
    }
    if (points->n > s->def.max_particles) {
        return tarn__fail(
            s->ctx, TARN_ERR_CAPACITY,
            "particle_surface: %d points, but there is room for %d; raise def.max_particles",
            points->n, s->def.max_particles);
    }
    return TARN_OK;
}

TarnResult tarn_particle_surface_update(TarnParticleSurface* s, const TarnPoints* points,
                                        int* needed_blocks)
{
    if (needed_blocks) *needed_blocks = 0;
    if (s == NULL) return TARN_ERR_ARG;
    TARN_TRY(check_points(s, points));
    take_points(s, points);
    order_points(s, points);
    tarn__surface_shape_particles(s);
    int needed = tarn__surface_find_blocks(s);
    if (needed_blocks) *needed_blocks = needed;
    if (needed > s->def.max_blocks) {
        return tarn__fail(s->ctx, TARN_ERR_CAPACITY,
                          "particle_surface: the field needs %d blocks, but there is room for %d; "
                          "raise def.max_blocks or def.cell",
                          needed, s->def.max_blocks);
    }
    s->n_blocks = needed;
    s->outside = s->shape.outside;
    for (int b = 0; b < needed; ++b) surface_place(s->keys[b], s->place[b]);
    tarn__surface_evaluate(s);
    return TARN_OK;
}

TarnBlocks tarn_particle_surface_blocks(const TarnParticleSurface* s)
{
    if (s == NULL) return (TarnBlocks){ .dx = 1.0f };
    return (TarnBlocks){ .n_blocks = s->n_blocks,
                         .place = (const int32_t(*)[3])s->place,
                         .value = s->value,
                         .velocity = s->def.use_velocity ? s->velocity : NULL,
                         .attribute = s->def.n_attributes > 0 ? s->attribute : NULL,
                         .n_attributes = s->def.n_attributes,
                         .outside = s->outside,
                         .dx = s->dx };
}

TarnResult tarn_particle_surface_mesh(TarnParticleSurface* s, TarnMesh* mesh)
{
    if (s == NULL) return TARN_ERR_ARG;
    TarnMarchingParams params = tarn_marching_default_params();
    params.iso = 0.0f;
    params.is_fluid_above = false;
    params.is_closed = true;
    params.snap = s->params.snap;
    TarnBlocks blocks = tarn_particle_surface_blocks(s);
    return tarn_marching_run_blocks(s->marching, &blocks, &params, mesh);
}
