// Breaking waves: parameters, creation, the step, reading.
//
// Method   [Thuerey2007b] Fronts of a height field that are too steep become lines; lines are tracked from step to
//          step and emit rows of ballistic nodes, which are joined to sheets; where a sheet lands, the water is pushed
//          aside without a net change of its volume.
// Differs  from [Thuerey2007b]: the threshold is a slope, because g dt / dx changes with the step and the cells. The
//          height of a wave is that of its crest above its foot, not above a level at rest, so that rivers and
//          sloping seas need no other setting. The start of a line is the steepest place of its region, not a random
//          one. What an impact moves follows from the volume of the sheet (thickness, span, speed, row_time), so that
//          it does not depend on the distance of rows and nodes; it goes from a disc to a wider one around it, which
//          is the -pm, +pm / 8 of the paper for any grid. Breaking spreads along a line at a speed in m/s.
// Checked  tests/unit/test_breakers.c, tests/physics/check_breakers.c
// Cost     bench/bench_breakers.c

#include "breakers/breakers_internal.h"
#include "base/def.h"
#include "base/param.h"

#define D TarnBreakersDef
static const TarnParam def_params[] = {
    P_INT(D, nx, "cells", 4, 2048, 128, "Cells along x of the grid on which fronts are searched."),
    P_INT(D, nz, "cells", 4, 2048, 128, "Cells along z of the grid on which fronts are searched."),
    P_FLOAT(D, dx, "m", 1e-3, 1e3, 0.5,
            "Size of a cell; that of the water below is a good choice."),
    P_VEC2(D, origin, "m", -1e6, 1e6, 0, 0, "World x and z of the corner of cell (0, 0)."),
    P_FLOAT(D, gravity, "m/s^2", 1e-3, 1e3, 9.81, "Gravity, for falling sheets and wave speeds."),
    P_INT(D, max_lines, "", 1, 1024, 64, "Breaking fronts at a time."),
    P_INT(D, max_points, "", 16, 65536, 2048, "Points of all lines together."),
    P_INT(D, max_rows, "", 16, 65536, 1024, "Rows of all sheets together."),
    P_INT(D, max_nodes, "", 64, 1048576, 16384, "Nodes of all sheets together."),
    P_INT(D, seed, "", 0, 1000000000, 1, "Seed of the irregularities of the sheets."),
};
#undef D
#define P TarnBreakersParams
static const TarnParam params_params[] = {
    P_FLOAT(
        P, slope, "m/m", 0.01, 100, 0.25,
        "Slope of the front at which a wave begins to break; below half of it the wave recovers."),
    P_FLOAT(P, min_height, "m", 0, 1e3, 0.1, "Lower waves do not break."),
    P_FLOAT(P, min_depth, "m", 0, 1e3, 0.05, "Waves in shallower water do not break."),
    P_FLOAT(P, gap, "cells", 1, 8, 2, "Steep places closer than this are one front."),
    P_FLOAT(P, interval, "s", 0, 10, 0.15, "Time between searches for new fronts."),
    P_FLOAT(P, row_time, "s", 1e-3, 10, 0.034, "Time between rows of a sheet; larger is coarser."),
    P_FLOAT(P, gain, "s^2/m^2", 0, 10, 0.03,
            "How much faster than the wave a sheet is, per g times the height of the wave; larger "
            "values throw it farther."),
    P_FLOAT(P, lift, "", 0, 2, 0.1, "Upward speed of a sheet as a share of its speed."),
    P_FLOAT(P, spread, "m/s", 1e-3, 1e4, 6, "Speed at which breaking spreads along a crest."),
    P_FLOAT(P, ramp, "s", 0, 100, 0.5, "Time until a sheet is at its full strength."),
    P_FLOAT(P, thickness, "", 0, 1, 0.16,
            "Thickness of a sheet as a share of the height of the wave."),
    P_FLOAT(P, ragged, "", 0, 1, 0.15, "Irregularity of the lip; 0 is a smooth one."),
    P_FLOAT(P, impact, "", 0, 10, 0.5,
            "How much water a landing sheet pushes aside, as a share of its own volume."),
    P_FLOAT(P, spray, "1/s", 0, 100, 0.2, "Share of its energy that the lip loses as spray."),
    P_FLOAT(P, life, "s", 1e-2, 100, 3, "Longest flight of a sheet."),
    P_FLOAT(P, density, "kg/m^3", 1, 1e5, 1000, "Density of the water."),
};
#undef P
static const TarnParamTable def_table = PARAM_TABLE("breakers", TarnBreakersDef, def_params);
static const TarnParamTable params_table =
    PARAM_TABLE("breakers", TarnBreakersParams, params_params);

const TarnParamTable* tarn_breakers_def_table(void)
{
    return &def_table;
}
const TarnParamTable* tarn_breakers_params_table(void)
{
    return &params_table;
}
void tarn_breakers_init_def(TarnBreakersDef* out, size_t size)
{
    TarnBreakersDef def = { 0 };
    tarn_param_defaults(&def_table, &def);
    TARN_INIT_DEF(TarnBreakersDef, out, size, &def);
}
TarnBreakersParams tarn_breakers_default_params(void)
{
    TarnBreakersParams params;
    tarn_param_defaults(&params_table, &params);
    return params;
}

// ---- Create ------------------------------------------------------------------------------------

static TarnResult check_def(TarnContext* ctx, const TarnBreakersDef* def)
{
    TARN_TRY(TARN_CHECK_DEF(ctx, "breakers", "tarn/breakers.h", TarnBreakersDef,
                            tarn_breakers_default_def, def));
    return tarn_param_validate(ctx, &def_table, def);
}

static int32_t power_of_two(int64_t least)
{
    int64_t n = 64;
    while (n < least) n *= 2;
    return (int32_t)n;
}

// Places all arrays; with base NULL it only counts.
static size_t lay_out(const TarnBreakersDef* def, TarnBreakers* b, char* base)
{
    TarnLayout l = { 0 };
    size_t cells = (size_t)def->nx * (size_t)def->nz, points = (size_t)def->max_points;
    size_t lines = (size_t)def->max_lines, all = (size_t)def->max_nodes + points;
    size_t f = sizeof(float), i = sizeof(int32_t);
    b->ask_capacity = 6 * def->max_points;
    b->max_triangles = 2 * ((int32_t)def->max_nodes + (int32_t)def->max_points);
    b->edge_slots = power_of_two(4 * (int64_t)b->max_triangles);
    size_t asked = (size_t)b->ask_capacity;
    tarn__layout_place(&l, base, 1, sizeof(TarnBreakers));
    b->points = tarn__layout_place(&l, base, points, sizeof(LinePoint));
    b->spare = tarn__layout_place(&l, base, points, sizeof(LinePoint));
    b->lines = tarn__layout_place(&l, base, lines, sizeof(Line));
    b->spare_lines = tarn__layout_place(&l, base, lines, sizeof(Line));
    b->rows = tarn__layout_place(&l, base, (size_t)def->max_rows, sizeof(Row));
    b->nodes = tarn__layout_place(&l, base, (size_t)def->max_nodes, sizeof(Node));
    b->roots = tarn__layout_place(&l, base, points, sizeof(Node));
    b->root_rows = tarn__layout_place(&l, base, points, sizeof(Row));
    b->splashes = tarn__layout_place(&l, base, MAX_SPLASHES, sizeof(TarnBreakerSplash));
    float** fields[] = { &b->height, &b->depth, &b->gx, &b->gz, &b->steep_x, &b->steep_z };
    for (int n = 0; n < 6; ++n) *fields[n] = tarn__layout_place(&l, base, cells, f);
    int32_t** numbers[] = { &b->steep_cell, &b->region, &b->stack, &b->owner };
    for (int n = 0; n < 4; ++n) *numbers[n] = tarn__layout_place(&l, base, cells, i);
    b->velocity = tarn__layout_place(&l, base, cells, sizeof(TarnVec3));
    b->mark = tarn__layout_place(&l, base, cells, 1);
    b->is_dead = tarn__layout_place(&l, base, points, 1);
    float** batches[] = { &b->ask_x, &b->ask_z, &b->ask_y, &b->ask_d };
    for (int n = 0; n < 4; ++n) *batches[n] = tarn__layout_place(&l, base, asked, f);
    b->ask_n = tarn__layout_place(&l, base, asked, sizeof(TarnVec3));
    b->try_at = tarn__layout_place(&l, base, points, f);
    b->try_step = tarn__layout_place(&l, base, points, f);
    b->tries = tarn__layout_place(&l, base, points, sizeof(Tries));
    b->normal = tarn__layout_place(&l, base, all, sizeof(TarnVec3));
    b->vertex = tarn__layout_place(&l, base, all, i);
    b->triangles = tarn__layout_place(&l, base, 3 * (size_t)b->max_triangles, i);
    b->edges = tarn__layout_place(&l, base, (size_t)b->edge_slots, sizeof(MeshEdge));
    b->corner = tarn__layout_place(&l, base, 3 * (size_t)b->max_triangles, i);
    b->rims = tarn__layout_place(&l, base, all, 1);
    b->open = tarn__layout_place(&l, base, (size_t)b->max_triangles, 1);
    return l.size;
}

size_t tarn_breakers_memory(const TarnBreakersDef* def)
{
    TarnBreakers counted = { 0 };
    return check_def(NULL, def) == TARN_OK ? lay_out(def, &counted, NULL) : 0;
}

TarnResult tarn_breakers_create(TarnContext* ctx, const TarnBreakersDef* def, TarnBreakers** out)
{
    if (out == NULL) return tarn__fail(ctx, TARN_ERR_ARG, "tarn_breakers_create: out is NULL");
    *out = NULL;
    if (ctx == NULL) return TARN_ERR_ARG;
    TARN_TRY(check_def(ctx, def));
    TarnBreakers counted = { 0 };
    size_t size = lay_out(def, &counted, NULL);
    TarnBreakers* b = tarn__alloc(ctx, size);
    if (b == NULL)
        return tarn__fail(ctx, TARN_ERR_MEMORY,
                          "breakers: out of memory for %d x %d cells and %d nodes (%zu bytes)",
                          def->nx, def->nz, def->max_nodes, size);
    b->ctx = ctx;
    b->memory = size;
    b->def = *def;
    b->params = tarn_breakers_default_params();
    lay_out(def, b, (char*)b);
    tarn_breakers_reset(b);
    *out = b;
    return TARN_OK;
}

void tarn_breakers_destroy(TarnBreakers* b)
{
    if (b != NULL) tarn__free(b->ctx, b, b->memory);
}

TarnResult tarn_breakers_set_params(TarnBreakers* b, const TarnBreakersParams* params)
{
    if (b == NULL || params == NULL) return TARN_ERR_ARG;
    TARN_TRY(tarn_param_validate(b->ctx, &params_table, params));
    b->params = *params;
    return TARN_OK;
}
TarnBreakersParams tarn_breakers_params(const TarnBreakers* b)
{
    return b->params;
}

void tarn_breakers_reset(TarnBreakers* b)
{
    if (b == NULL) return;
    b->time = b->moved = 0.0;
    b->since_search = 1e6f; // at the first step
    b->since_row = 0.0f;
    b->emissions = b->next_key = b->next_line = 1;
    b->n_points = b->n_lines = b->n_roots = b->n_root_rows = b->n_splashes = 0;
    b->row_head = b->row_end = 1;
    b->node_head = b->node_end = 0;
}

// ---- Step ----------------------------------------------------------------------------------------

// A surface of a host may answer anything.
static float sound(float x, float limit)
{
    return x == x ? tarn_clampf(x, -limit, limit) : 0.0f;
}

typedef struct Asked {
    TarnBreakers* b;
    int n;
    bool wants_depth, wants_normal;
} Asked;
// Fewer are not worth the wait for another thread: it takes 25 us for them, and often sleeps until then.
enum { ASK_BLOCK = 8192 };

static void ask_block(int block, void* data)
{
    const Asked* a = data;
    TarnBreakers* b = a->b;
    int from = block * ASK_BLOCK, n = a->n - from < ASK_BLOCK ? a->n - from : ASK_BLOCK;
    float *height = b->ask_y + from, *depth = b->ask_d + from;
    TarnVec3* normal = b->ask_n + from;
    TarnSurfaceSamples out = { .height = height,
                               .depth = a->wants_depth ? depth : NULL,
                               .normal = a->wants_normal ? normal : NULL };
    b->water->query(b->water->self, n, b->ask_x + from, b->ask_z + from, &out);
    for (int i = 0; i < n; ++i) height[i] = sound(height[i], 1e6f);
    for (int i = 0; i < n && a->wants_depth; ++i) depth[i] = tarn_maxf(sound(depth[i], 1e6f), 0.0f);
    for (int i = 0; i < n && a->wants_normal; ++i) {
        TarnVec3* v = &normal[i];
        *v = vec3_normalize((TarnVec3){ sound(v->x, 1.0f), sound(v->y, 1.0f), sound(v->z, 1.0f) });
        if (!(v->y > 1e-3f)) *v = (TarnVec3){ 0.0f, 1.0f, 0.0f };
    }
}

void tarn__breakers_ask(TarnBreakers* b, int n, bool wants_depth, bool wants_normal)
{
    Asked asked = { b, n, wants_depth, wants_normal };
    tarn__parallel_for(b->ctx, (n + ASK_BLOCK - 1) / ASK_BLOCK, ask_block, &asked);
}

TarnResult tarn_breakers_step(TarnBreakers* b, const TarnSurface* water, TarnBodies* bodies,
                              float dt, TarnStepReport* report)
{
    if (report) *report = (TarnStepReport){ 0 };
    if (b == NULL) return TARN_ERR_ARG;
    if (!(dt >= 0.0f && dt <= 10.0f))
        return tarn__fail(b->ctx, TARN_ERR_ARG,
                          "tarn_breakers_step: dt %g s is out of range; allowed: 0 to 10 s",
                          (double)dt);
    if (report) *report = (TarnStepReport){ .substeps = 1, .time_advanced = (double)dt };
    if (dt == 0.0f) return TARN_OK;
    b->water = water && water->query ? water : NULL;
    b->flags = 0;
    b->n_splashes = 0;
    if (b->water) {
        tarn__breakers_track(b, dt);
        tarn__breakers_resample(b);
        b->since_search += dt;
        if (b->since_search >= b->params.interval) {
            b->since_search = 0.0f;
            tarn__breakers_search(b);
        }
        tarn__breakers_ramp(b, dt);
    } else {
        b->n_lines = b->n_points = 0;
    }
    tarn__breakers_fly(b, bodies, dt);
    tarn__breakers_emit(b, dt);
    tarn__breakers_root(b);
    b->water = NULL;
    b->time += (double)dt;
    if (report) report->flags = b->flags;
    return TARN_OK;
}

// ---- Reading -------------------------------------------------------------------------------------

int tarn_breakers_line_count(const TarnBreakers* b)
{
    return b ? b->n_lines : 0;
}

static TarnBreakerPoint point_of(const LinePoint* p)
{
    return (TarnBreakerPoint){
        .position = { p->x, p->y, p->z },
        .crest = { p->x - p->dir_x * p->back, p->crest_y, p->z - p->dir_z * p->back },
        .direction = { p->dir_x, p->dir_z },
        .height = p->height,
        .speed = p->speed,
        .slope = p->slope,
        .strength = p->strength,
        .arc = p->arc,
        .id = p->key,
    };
}

TarnResult tarn_breakers_line(const TarnBreakers* b, int line, int capacity,
                              TarnBreakerPoint* points, int* n, bool* is_closed)
{
    if (n) *n = 0;
    if (is_closed) *is_closed = false;
    if (b == NULL || n == NULL) return TARN_ERR_ARG;
    if (line < 0 || line >= b->n_lines)
        return tarn__fail(b->ctx, TARN_ERR_ARG,
                          "tarn_breakers_line: no line %d; there are %d, counted from 0", line,
                          b->n_lines);
    if (capacity < 0 || (capacity > 0 && points == NULL))
        return tarn__fail(
            b->ctx, TARN_ERR_ARG,
            "tarn_breakers_line: capacity is %d with points %s; give a buffer of that "
            "many points, or capacity 0",
            capacity, points ? "set" : "NULL");
    const Line* l = &b->lines[line];
    *n = l->n;
    if (is_closed) *is_closed = l->is_closed != 0;
    if (l->n > capacity) return TARN_ERR_CAPACITY;
    for (int i = 0; i < l->n; ++i) points[i] = point_of(&b->points[l->first + i]);
    return TARN_OK;
}

int tarn_breakers_row_count(const TarnBreakers* b)
{
    return b ? (int)(b->row_end - b->row_head) : 0;
}

int tarn_breakers_node_count(const TarnBreakers* b)
{
    int n = 0;
    for (uint32_t r = b ? b->row_head : 0; b && r < b->row_end; ++r) n += breakers_row(b, r)->live;
    return n;
}

int tarn_breakers_splashes(const TarnBreakers* b, const TarnBreakerSplash** out)
{
    if (out) *out = b ? b->splashes : NULL;
    return b ? b->n_splashes : 0;
}

int tarn_breakers_take_splashes(TarnBreakers* b, int capacity, TarnBreakerSplash* out)
{
    if (b == NULL || out == NULL) return 0;
    int n = 0;
    while (n < capacity && b->n_splashes > 0) out[n++] = b->splashes[--b->n_splashes];
    return n;
}

double tarn_breakers_moved(const TarnBreakers* b)
{
    return b ? b->moved : 0.0;
}
const TarnBreakersDef* tarn_breakers_def(const TarnBreakers* b)
{
    return &b->def;
}
double tarn_breakers_time(const TarnBreakers* b)
{
    return b->time;
}
