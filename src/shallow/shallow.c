// Shallow water over terrain. Parameters and creation; the step is in shallow_step.c, its inner loops
// in shallow_kernels.c, the implicit gravity step in shallow_implicit.c, edges in shallow_edges.c, edits in
// shallow_edit.c.
//
// Method   Staggered grid, upwind mass flux with limited slopes, momentum in conservation form
//          [Stelling2003] [Doyen2014], gravity from the new depths, implicit drag.
// Differs  from [Thuerey2008], [Chentanez2010] and [Chentanez2011]: their steps lose volume and momentum (semi-Lagrangian depth, clamps to
//          zero, limiters per cell). Here water is counted in grains, each flux a whole number of
//          them, and the substep is short enough that no cell gives more than it has.
// Checked  tests/physics/check_shallow*.c, tests/unit/test_shallow.c, tests/golden.
// Cost     bench/bench_shallow.c, docs/solvers/shallow.md.

#include "shallow/shallow_kernels.h"
#include "base/def.h"
#include "base/param.h"
#include <math.h>

static const char* const advection_names[] = { "none", "semi_lagrangian", "maccormack", "momentum",
                                               NULL };
static const char* const gravity_names[] = { "explicit", "implicit", NULL };
static const char* const side_edge_names[] = { "reflecting", "open",     "fall",
                                               "absorbing",  "periodic", NULL };
static const char* const edge_names[] = { "reflecting", "open",      "fall",
                                          "absorbing",  "periodic",  "level",
                                          "depth",      "discharge", NULL };
static const char* const side_names[] = { "x0", "x1", "z0", "z1", NULL };

// The table is in reading order.
#define D TarnShallowDef
static const TarnParam def_params[] = {
    P_INT(D, nx, "cells", 4, 16384, 256, "Cells along x."),
    P_INT(D, nz, "cells", 4, 16384, 256, "Cells along z."),
    P_FLOAT(D, dx, "m", 1e-4, 1e4, 0.5, "Size of a cell."),
    P_VEC2(D, origin, "m", -1e6, 1e6, 0, 0, "World x and z of the corner of cell (0, 0)."),
    P_FLOAT(D, level, "m", -1e5, 1e5, 0, "Height y of calm water, used if has_level is set."),
    P_BOOL(D, has_level, 0, "Fills all ground below the level with water at the start."),
    P_FLOAT(D, gravity, "m/s^2", 1e-3, 1e3, 9.81,
            "Downward acceleration; larger values make waves faster."),
    P_ENUM(D, advection, advection_names, 4, TARN_ADVECTION_MOMENTUM,
           "How velocity is advected; momentum gives correct bores and jumps."),
    P_ENUM(D, gravity_step, gravity_names, 2, TARN_GRAVITY_EXPLICIT,
           "How gravity is integrated; implicit lets waves cross many cells in a substep and damps "
           "short ones."),
    P_FLOAT(
        D, implicitness, "", 0.5, 1, 0.6,
        "Weight of the new surface in the implicit step; 0.5 preserves waves, 1 damps them most."),
    P_FLOAT(D, tolerance, "", 1e-6, 0.1, 1e-4,
            "Residual at which the implicit solve ends, relative to its start; smaller values are "
            "more accurate and slower."),
    P_INT(D, max_cycles, "", 1, 1000, 20,
          "Most cycles of an implicit solve; the step reports if they are not enough."),
    P_ENUM(D, edge_x0, side_edge_names, 5, TARN_SHALLOW_REFLECTING,
           "Boundary condition at the -x edge."),
    P_ENUM(D, edge_x1, side_edge_names, 5, TARN_SHALLOW_REFLECTING,
           "Boundary condition at the +x edge."),
    P_ENUM(D, edge_z0, side_edge_names, 5, TARN_SHALLOW_REFLECTING,
           "Boundary condition at the -z edge."),
    P_ENUM(D, edge_z1, side_edge_names, 5, TARN_SHALLOW_REFLECTING,
           "Boundary condition at the +z edge."),
    P_INT(D, sponge_cells, "cells", 0, 256, 32,
          "Width of the damping zone at absorbing edges; wider zones reflect less."),
    P_FLOAT(D, max_depth, "m", 1e-3, 1e5, 16,
            "Deepest water that is counted exactly; a grain of water is 2^-24 of it."),
    P_FLOAT(D, dry_depth, "m", 1e-7, 10, 1e-4,
            "Thinner water does not flow; never less than 32 grains."),
    P_FLOAT(D, courant, "", 0.01, 0.9, 0.8, "Substep as a share of the longest stable one."),
    P_INT(D, max_substeps, "", 1, 1000, 16,
          "Most substeps per step; time beyond them is dropped and reported."),
    P_FLOAT(D, sleep_speed, "m/s", 0, 1, 0.0005,
            "Tiles whose water is slower than this fall asleep; 0 keeps all awake."),
    P_BOOL(D, use_bodies, 0, "Allocates the arrays that floating bodies need (12 bytes per cell)."),
    P_BOOL(D, use_discharge, 0, "Stores the discharge through faces (8 bytes per cell)."),
    P_FLOAT(D, fall_drop, "m", 0, 1e4, 0,
            "Edges of the ground higher than this are waterfalls: what flows over them is thrown, "
            "for a "
            "spray solver to catch; 0 turns this off."),
    P_VEC2(D, velocity, "m/s", -1e4, 1e4, 0, 0, "Initial velocity of all water, x and z."),
};
#undef D
#define P TarnShallowParams
static const TarnParam params_params[] = {
    P_FLOAT(P, drag, "", 0, 10, 0.003,
            "Quadratic drag of the bed; larger values slow rivers down."),
    P_FLOAT(P, damping, "1/s", 0, 100, 0.01,
            "Linear damping of all motion; larger values calm a lake faster."),
    P_FLOAT(P, rain, "mm/h", 0, 1e6, 0, "Rain on every cell."),
    P_FLOAT(P, evaporation, "mm/h", 0, 1e6, 0, "Evaporation, or seepage into the ground."),
    P_FLOAT(P, max_speed, "m/s", 0.01, 1e4, 60,
            "Faster water is slowed down to this and reported."),
    P_VEC2(P, wind, "m/s^2", -100, 100, 0, 0, "Acceleration of the water along x and z."),
    P_FLOAT(P, density, "kg/m^3", 1, 1e5, 1000, "Density of the water."),
    P_FLOAT(P, body_drag, "", 0, 100, 0.6,
            "Drag coefficient of wet faces that move into the water."),
    P_FLOAT(P, body_lift, "", 0, 100, 0.4, "Lift coefficient of wet faces."),
    P_FLOAT(P, body_damping, "1/s", 0, 100, 0.4, "Linear drag of a fully submerged body."),
    P_FLOAT(P, body_push, "", 0, 1, 1,
            "Share of the drag on a body that acts back on the water under it."),
    P_FLOAT(P, max_push, "m/s", 0.01, 1e3, 8,
            "Fastest rate at which a body may raise or lower a water column."),
};
#undef P
#define S TarnShallowSpanDef
static const TarnParam span_params[] = {
    P_ENUM(S, side, side_names, 4, TARN_SIDE_X0, "Edge of the grid that the span belongs to."),
    P_ENUM(S, kind, edge_names, 8, TARN_SHALLOW_DISCHARGE,
           "Boundary condition of the span; anything but periodic."),
    P_FLOAT(S, from, "m", -1e7, 1e7, -1e7, "Start of the span along the side, world x or z."),
    P_FLOAT(S, to, "m", -1e7, 1e7, 1e7, "End of the span along the side, world x or z."),
    P_FLOAT(S, value, "", -1e6, 1e6, 0,
            "Level [m], depth [m] or discharge [m^3/s], depending on kind."),
    P_FLOAT(S, inflow_depth, "m", 0, 1e4, 0,
            "Depth of supercritical inflow of kind discharge; 0 lets the flow decide."),
    P_FLOAT(S, wave_height, "m", 0, 100, 0,
            "Amplitude of incoming waves, for kinds absorbing and level."),
    P_FLOAT(S, wave_period, "s", 0.01, 1e4, 8, "Period of these waves."),
};
#undef S
#define G TarnShallowGateDef
static const TarnParam gate_params[] = {
    P_VEC2(G, a, "m", -1e7, 1e7, 0, 0, "One corner of the gate, x and z."),
    P_VEC2(G, b, "m", -1e7, 1e7, 0, 0, "The opposite corner of the gate, x and z."),
    P_FLOAT(G, top, "m", -1e5, 1e5, 0, "Height y of the top of the closed gate."),
    P_FLOAT(G, opening, "", 0, 1, 0, "Initial opening, from 0 (closed) to 1 (open)."),
};
#undef G
static const TarnParamTable def_table = PARAM_TABLE("shallow", TarnShallowDef, def_params);
static const TarnParamTable params_table = PARAM_TABLE("shallow", TarnShallowParams, params_params);
static const TarnParamTable span_table = PARAM_TABLE("span", TarnShallowSpanDef, span_params);
static const TarnParamTable gate_table = PARAM_TABLE("gate", TarnShallowGateDef, gate_params);

const TarnParamTable* tarn_shallow_def_table(void)
{
    return &def_table;
}
const TarnParamTable* tarn_shallow_params_table(void)
{
    return &params_table;
}
const TarnParamTable* tarn_shallow_span_table(void)
{
    return &span_table;
}
const TarnParamTable* tarn_shallow_gate_table(void)
{
    return &gate_table;
}
void tarn_shallow_init_def(TarnShallowDef* out, size_t size)
{
    TarnShallowDef def = { 0 };
    tarn_param_defaults(&def_table, &def);
    TARN_INIT_DEF(TarnShallowDef, out, size, &def);
}
TarnShallowParams tarn_shallow_default_params(void)
{
    TarnShallowParams params;
    tarn_param_defaults(&params_table, &params);
    return params;
}
void tarn_shallow_init_span(TarnShallowSpanDef* out, size_t size)
{
    TarnShallowSpanDef def = { 0 };
    tarn_param_defaults(&span_table, &def);
    TARN_INIT_DEF(TarnShallowSpanDef, out, size, &def);
}
void tarn_shallow_init_gate(TarnShallowGateDef* out, size_t size)
{
    TarnShallowGateDef def = { 0 };
    tarn_param_defaults(&gate_table, &def);
    TARN_INIT_DEF(TarnShallowGateDef, out, size, &def);
}

// ---- Create ------------------------------------------------------------------------------------

static TarnResult check_pair(TarnContext* ctx, int a, int b, char axis)
{
    if ((a == TARN_SHALLOW_PERIODIC) == (b == TARN_SHALLOW_PERIODIC)) return TARN_OK;
    return tarn__fail(
        ctx, TARN_ERR_ARG,
        "shallow.edge_%c0, edge_%c1: periodic edges come in pairs; set both to periodic or neither",
        axis, axis);
}

static TarnResult check_velocity(TarnContext* ctx, const TarnShallowDef* def, const float* speeds,
                                 char axis)
{
    for (size_t c = 0; speeds && c < (size_t)def->nx * (size_t)def->nz; ++c) {
        if (speeds[c] >= -shallow_max_speed && speeds[c] <= shallow_max_speed) continue; // not NaN
        return tarn__fail(ctx, TARN_ERR_DATA,
                          "shallow.velocity_%c: %g m/s in cell (%d, %d) is out of range; allowed: "
                          "-1e4 to 1e4 m/s",
                          axis, (double)speeds[c], (int)(c % (size_t)def->nx),
                          (int)(c / (size_t)def->nx));
    }
    return TARN_OK;
}

// Levels, depths and discharges are given to spans of an edge.
static TarnResult check_edges(TarnContext* ctx, const TarnShallowDef* def)
{
    const int edges[4] = { def->edge_x0, def->edge_x1, def->edge_z0, def->edge_z1 };
    for (int e = 0; e < 4; ++e) {
        if (edges[e] < TARN_SHALLOW_LEVEL || edges[e] > TARN_SHALLOW_DISCHARGE) continue;
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "shallow.edge_%s: %s is for spans only; leave the edge reflecting or "
                          "open and call tarn_shallow_add_span with side %s and kind %s",
                          side_names[e], edge_names[edges[e]], side_names[e], edge_names[edges[e]]);
    }
    return TARN_OK;
}

static TarnResult check_def(TarnContext* ctx, const TarnShallowDef* def)
{
    TARN_TRY(TARN_CHECK_DEF(ctx, "shallow", "tarn/shallow.h", TarnShallowDef,
                            tarn_shallow_default_def, def));
    TARN_TRY(check_edges(ctx, def));
    TARN_TRY(tarn_param_validate(ctx, &def_table, def));
    TARN_TRY(check_pair(ctx, def->edge_x0, def->edge_x1, 'x'));
    TARN_TRY(check_pair(ctx, def->edge_z0, def->edge_z1, 'z'));
    if (def->fall_drop > 0.0f && def->gravity_step == TARN_GRAVITY_IMPLICIT)
        return tarn__fail(
            ctx, TARN_ERR_UNSUPPORTED,
            "shallow.fall_drop: waterfalls need gravity_step explicit; set fall_drop to 0 "
            "or gravity_step to explicit");
    size_t n = (size_t)def->nx * (size_t)def->nz;
    if (def->bed && !tarn__all_within(def->bed, n, shallow_limit)) {
        return tarn__fail(ctx, TARN_ERR_DATA,
                          "shallow.bed: contains a NaN or a height beyond +-1e5 m");
    }
    if (def->depth && !tarn__all_within(def->depth, n, shallow_limit)) {
        return tarn__fail(ctx, TARN_ERR_DATA,
                          "shallow.depth: contains a NaN or a depth beyond 1e5 m");
    }
    for (size_t c = 0; def->depth && c < n; ++c) {
        if (def->depth[c] < 0.0f) {
            return tarn__fail(
                ctx, TARN_ERR_DATA,
                "shallow.depth: %g m in cell (%d, %d) is negative; allowed: 0 to 1e5 m",
                (double)def->depth[c], (int)(c % (size_t)def->nx), (int)(c / (size_t)def->nx));
        }
    }
    TARN_TRY(check_velocity(ctx, def, def->velocity_x, 'x'));
    return check_velocity(ctx, def, def->velocity_z, 'z');
}

static int count(int cells, int tile)
{
    return (cells + tile - 1) / tile;
}

// Places all arrays; with water NULL it only counts.
static size_t lay_out(const TarnShallowDef* def, TarnShallow* water)
{
    TarnLayout layout = { 0 };
    tarn__layout_add(&layout, sizeof(TarnShallow));
    int stride = SHALLOW_PAD + (def->nx + 7) / 8 * 8;
    int strip = def->nx < SHALLOW_STRIP ? (def->nx + 7) / 8 * 8 : SHALLOW_STRIP;
    size_t field = ((size_t)stride * (size_t)(def->nz + 2 * SHALLOW_GHOSTS) + 32) * sizeof(float);
    size_t first = (size_t)SHALLOW_GHOSTS * (size_t)stride + SHALLOW_PAD;
    int tiles_x = count(def->nx, SHALLOW_TILE_X), tiles_z = count(def->nz, SHALLOW_TILE_Z);
    int strips = count(def->nx, SHALLOW_STRIP);
    size_t tiles = (size_t)tiles_x * (size_t)tiles_z, rows = (size_t)tiles_z;
    bool is_implicit = def->gravity_step == TARN_GRAVITY_IMPLICIT;
    int n_fields = 8 + 2 * (def->advection == TARN_ADVECTION_MACCORMACK) + 3 * def->use_bodies +
                   2 * def->use_discharge + 5 * is_implicit + 2 * (def->fall_drop > 0.0f);
    size_t at_field[20];
    for (int f = 0; f < n_fields; ++f) at_field[f] = tarn__layout_add(&layout, field);
    size_t at_tiles = tarn__layout_add(&layout, 3 * tiles);
    size_t at_extremes = tarn__layout_add(&layout, rows * sizeof(ShallowExtremes));
    size_t at_sums = tarn__layout_add(&layout, 2 * rows * sizeof(double));
    size_t at_scratch =
        tarn__layout_add(&layout, rows * SHALLOW_ROWS * (size_t)(strip + 32) * sizeof(float));
    size_t at_times = tarn__layout_add(&layout, 2 * SHALLOW_HYDROGRAPHS * sizeof(float));
    size_t along = 2 * ((size_t)def->nx + (size_t)def->nz);
    size_t at_spans = tarn__layout_add(&layout, along);
    size_t at_out = tarn__layout_add(&layout, along * sizeof(float));
    size_t at_sent = tarn__layout_add(&layout, along * sizeof(float));
    size_t n_faces = def->fall_drop > 0.0f ? 2 * (size_t)def->nx * (size_t)def->nz : 0;
    size_t at_falls = tarn__layout_add(&layout, n_faces * sizeof(int32_t));
    size_t at_implicit = tarn__layout_add(&layout, tarn__shallow_implicit_size(def));
    if (water == NULL) return layout.size;

    char* base = (char*)water;
    water->stride = stride;
    water->tiles_x = tiles_x;
    water->tiles_z = tiles_z;
    water->strips = strips;
    water->scratch_row = strip + 32;
    float** fields[20] = { &water->h,  &water->u,  &water->w, &water->h1,
                           &water->u1, &water->w1, &water->b, &water->natural };
    int n = 8;
    if (def->advection == TARN_ADVECTION_MACCORMACK)
        fields[n++] = &water->u2, fields[n++] = &water->w2;
    if (def->use_bodies)
        fields[n++] = &water->ground, fields[n++] = &water->load, fields[n++] = &water->calm;
    if (def->use_discharge) fields[n++] = &water->qx, fields[n++] = &water->qz;
    if (def->fall_drop > 0.0f) {
        fields[n++] = &water->thrown_x, fields[n++] = &water->thrown_z;
        water->falls = (int32_t*)(base + at_falls);
    }
    if (is_implicit) {
        fields[n++] = &water->face_x, fields[n++] = &water->face_z, fields[n++] = &water->give_x;
        fields[n++] = &water->give_z, fields[n++] = &water->lift;
        tarn__shallow_implicit_place(water, base + at_implicit);
    }
    for (int f = 0; f < n; ++f) *fields[f] = (float*)(base + at_field[f]) + first;
    if (!def->use_bodies) water->ground = water->b;
    water->quiet = (uint8_t*)(base + at_tiles);
    water->awake = water->quiet + tiles;
    water->pressed = water->awake + tiles;
    water->row_extremes = (ShallowExtremes*)(base + at_extremes);
    water->row_sums = (double*)(base + at_sums);
    water->scratch = (float*)(base + at_scratch);
    water->times = (float*)(base + at_times);
    water->values = water->times + SHALLOW_HYDROGRAPHS;
    uint8_t* span = (uint8_t*)(base + at_spans);
    float *out = (float*)(base + at_out), *sent = (float*)(base + at_sent);
    for (int s = 0; s < 4; ++s) {
        int cells = s < 2 ? def->nz : def->nx;
        water->span_of[s] = span, span += cells;
        water->incoming[s] = out, out += cells;
        water->sent[s] = sent, sent += cells;
    }
    return layout.size;
}

size_t tarn_shallow_memory(const TarnShallowDef* def)
{
    return check_def(NULL, def) == TARN_OK ? lay_out(def, NULL) : 0;
}

float tarn__shallow_snap(const TarnShallow* water, float x)
{
    return floorf(x / water->grain + 0.5f) * water->grain; // the grain is a power of two
}

static float ground_at(const TarnShallowDef* def, int i, int k)
{
    if (def->bed_fn) {
        float x = def->origin.x + ((float)i + 0.5f) * def->dx;
        float z = def->origin.y + ((float)k + 0.5f) * def->dx;
        float y = def->bed_fn(x, z, def->bed_user);
        return y >= -shallow_limit && y <= shallow_limit ? y : 0.0f; // NaN: flat
    }
    return def->bed ? def->bed[(size_t)k * (size_t)def->nx + (size_t)i] : 0.0f;
}

static float depth_at(const TarnShallowDef* def, int i, int k, float ground)
{
    if (def->depth) return def->depth[(size_t)k * (size_t)def->nx + (size_t)i];
    return def->has_level && ground < def->level ? def->level - ground : 0.0f;
}

// The grain is a power of two, so that dividing by it is exact; 2^24 of them make max_depth.
static float choose_grain(const TarnShallowDef* def)
{
    float deepest = def->max_depth;
    for (int k = 0; k < def->nz; ++k) {
        for (int i = 0; i < def->nx; ++i) {
            float d = depth_at(def, i, k, ground_at(def, i, k));
            deepest = d > deepest ? d : deepest;
        }
    }
    float grain = 0x1p-34f;
    while (grain * 0x1p24f < deepest) grain *= 2.0f;
    return grain;
}

// Ground and water in whole grains. The surface is rounded, not the depth: where the host's surface
// is flat ours is flat to the bit, and a lake at rest stays at rest.
static void fill_fields(TarnShallow* water, const TarnShallowDef* def)
{
    for (int k = 0; k < def->nz; ++k) {
        for (int i = 0; i < def->nx; ++i) {
            size_t c = shallow_cell(water, i, k);
            float ground = ground_at(def, i, k), depth = depth_at(def, i, k, ground);
            double surface = (double)ground + (double)depth;
            float b = tarn__shallow_snap(water, ground);
            float y = tarn__shallow_snap(water, (float)surface);
            water->natural[c] = b;
            water->h[c] = depth > 0.0f && y > b ? tarn__shallow_snap(water, y - b) : 0.0f;
        }
    }
}

TarnResult tarn_shallow_create(TarnContext* ctx, const TarnShallowDef* def, TarnShallow** out)
{
    if (out == NULL) return tarn__fail(ctx, TARN_ERR_ARG, "tarn_shallow_create: out is NULL");
    *out = NULL;
    if (ctx == NULL) return TARN_ERR_ARG;
    TARN_TRY(check_def(ctx, def));
    size_t size = lay_out(def, NULL);
    TarnShallow* water = tarn__alloc(ctx, size);
    if (water == NULL) {
        return tarn__fail(ctx, TARN_ERR_MEMORY,
                          "shallow: out of memory for %d x %d cells (%zu bytes)", def->nx, def->nz,
                          size);
    }
    water->ctx = ctx;
    water->memory = size;
    water->def = *def;
    water->def.bed = water->def.depth = water->def.velocity_x = water->def.velocity_z = NULL;
    water->params = tarn_shallow_default_params();
    water->kernels = TARN_KERNELS_PICK(ctx->isa, tarn__shallow_kernels);
    lay_out(def, water);
    water->grain = choose_grain(def);
    float least = 32.0f * water->grain;
    water->dry_depth = def->dry_depth > least ? def->dry_depth : least;
    fill_fields(water, def);
    tarn__shallow_update_bed(water, 0, def->nx, 0, def->nz);
    tarn__shallow_start_flow(water, def->velocity_x, def->velocity_z);
    water->is_unknown = true;
    water->sums.initial = tarn_shallow_ledger(water).volume / ((double)def->dx * (double)def->dx);
    *out = water;
    return TARN_OK;
}

void tarn_shallow_destroy(TarnShallow* water)
{
    if (water != NULL) tarn__free(water->ctx, water, water->memory);
}

TarnResult tarn_shallow_set_params(TarnShallow* water, const TarnShallowParams* params)
{
    if (water == NULL || params == NULL) return TARN_ERR_ARG;
    TARN_TRY(tarn_param_validate(water->ctx, &params_table, params));
    bool is_wind_new =
        params->wind.x != water->params.wind.x || params->wind.y != water->params.wind.y;
    water->params = *params;
    if (is_wind_new) tarn__shallow_touch(water, 0, water->def.nx, 0, water->def.nz);
    return TARN_OK;
}
TarnShallowParams tarn_shallow_params(const TarnShallow* water)
{
    return water->params;
}
