// Heightfield waves: the membrane of [Mueller2007] on a grid. Parameters and creation; the step is in
// wave_step.c, its inner loops in wave_kernels.c.
//
// Method   d2u/dt2 = div(c^2 grad u) - k du/dt by leapfrog, which is the step of [Mueller2007],
//              v += (c^2 dt / h^2) lap(u);  v *= exp(-k dt);  u += dt v
//          with v = (u - prev) / dt. Keeping prev instead of v makes the step one pass in place.
// Differs  stable up to c dt / h = 1 / sqrt(2) with five points ([Mueller2007] prints the 1-D limit 1)
//          and sqrt(3) / 2 with nine; longer steps are cut. Calm tiles sleep.
// Checked  tests/physics/check_wave.c, tests/unit/test_wave.c, tests/golden.
// Cost     12 bytes of traffic per cell and step; bench/bench_wave.c, docs/performance.md.

#include "waves/wave_internal.h"
#include "base/def.h"
#include "base/param.h"

static const char* const edge_names[] = { "reflecting", "fixed", "periodic", "absorbing", NULL };
static const char* const laplacian_names[] = { "five", "nine", NULL };

// The table is in reading order.
#define D TarnWaveDef
static const TarnParam def_params[] = {
    P_INT(D, nx, "cells", 2, 16384, 256, "Cells along x."),
    P_INT(D, nz, "cells", 2, 16384, 256, "Cells along z."),
    P_FLOAT(D, dx, "m", 1e-4, 1e4, 0.05, "Size of a cell."),
    P_VEC2(D, origin, "m", -1e6, 1e6, 0, 0, "World x and z of the corner of cell (0, 0)."),
    P_FLOAT(D, level, "m", -1e5, 1e5, 0, "Height y of calm water."),
    P_FLOAT(D, depth, "m", 1e-4, 1e4, 1, "Depth of calm water if no bed is given."),
    P_FLOAT(D, speed, "m/s", 0, 1e4, 0,
            "Speed of waves; 0 uses sqrt(gravity * depth) in each cell."),
    P_FLOAT(D, gravity, "m/s^2", 1e-3, 1e3, 9.81,
            "Gravity, for the speed of waves and for buoyancy."),
    P_ENUM(D, laplacian, laplacian_names, 2, TARN_LAPLACIAN_NINE,
           "Neighbors in the stencil; nine gives rounder ripples and a longer stable step."),
    P_ENUM(D, edge_x0, edge_names, 4, TARN_EDGE_REFLECTING, "Boundary condition at the -x edge."),
    P_ENUM(D, edge_x1, edge_names, 4, TARN_EDGE_REFLECTING, "Boundary condition at the +x edge."),
    P_ENUM(D, edge_z0, edge_names, 4, TARN_EDGE_REFLECTING, "Boundary condition at the -z edge."),
    P_ENUM(D, edge_z1, edge_names, 4, TARN_EDGE_REFLECTING, "Boundary condition at the +z edge."),
    P_INT(D, sponge_cells, "cells", 0, 256, 32,
          "Width of the damping zone at absorbing edges; wider zones reflect less."),
    P_FLOAT(D, courant, "", 0.01, 0.99, 0.9,
            "Substep as a share of the longest stable one; noise would grow at exactly 1."),
    P_INT(D, max_substeps, "", 1, 1000, 16,
          "Most substeps per step; time beyond them is dropped and reported."),
    P_FLOAT(D, sleep_speed, "m/s", 0, 1, 1e-5,
            "Tiles whose water is slower than this fall asleep; 0 keeps all awake."),
    P_BOOL(D, use_bodies, 0, "Allocates the arrays that floating bodies need (16 bytes per cell)."),
};
#undef D
#define P TarnWaveParams
static const TarnParam params_params[] = {
    P_FLOAT(P, damping, "1/s", 0, 1e3, 0.3, "How fast waves decay."),
    P_FLOAT(P, wave_gain, "", 0, 1, 1,
            "Share of the displaced water that makes waves; the rest raises the whole level."),
    P_FLOAT(P, calm_time, "s", 0.1, 100, 2,
            "Time over which the surface that displacement is measured from is smoothed; larger "
            "values follow waves more slowly."),
    P_FLOAT(P, max_push, "m/s", 0.01, 1e3, 8,
            "Fastest rate at which a body may raise or lower a water column."),
    P_FLOAT(P, density, "kg/m^3", 1, 1e5, 1000, "Density of the water."),
    P_FLOAT(P, body_drag, "", 0, 100, 0.47,
            "Quadratic drag coefficient of bodies; a sphere has 0.47."),
    P_FLOAT(P, body_damping, "1/s", 0, 100, 0.4, "Linear drag of a fully submerged body."),
};
#undef P
static const TarnParamTable def_table = PARAM_TABLE("wave", TarnWaveDef, def_params);
static const TarnParamTable params_table = PARAM_TABLE("wave", TarnWaveParams, params_params);

const TarnParamTable* tarn_wave_def_table(void)
{
    return &def_table;
}
const TarnParamTable* tarn_wave_params_table(void)
{
    return &params_table;
}

void tarn_wave_init_def(TarnWaveDef* out, size_t size)
{
    TarnWaveDef def = { 0 };
    tarn_param_defaults(&def_table, &def);
    TARN_INIT_DEF(TarnWaveDef, out, size, &def);
}
TarnWaveParams tarn_wave_default_params(void)
{
    TarnWaveParams params;
    tarn_param_defaults(&params_table, &params);
    return params;
}

// ---- Create ------------------------------------------------------------------------------------

static TarnResult check_def(TarnContext* ctx, const TarnWaveDef* def)
{
    TARN_TRY(TARN_CHECK_DEF(ctx, "wave", "tarn/wave.h", TarnWaveDef, tarn_wave_default_def, def));
    TARN_TRY(tarn_param_validate(ctx, &def_table, def));
    if ((def->edge_x0 == TARN_EDGE_PERIODIC) != (def->edge_x1 == TARN_EDGE_PERIODIC)) {
        return tarn__fail(
            ctx, TARN_ERR_ARG,
            "wave.edge_x0, edge_x1: periodic edges come in pairs; set both to periodic or neither");
    }
    if ((def->edge_z0 == TARN_EDGE_PERIODIC) != (def->edge_z1 == TARN_EDGE_PERIODIC)) {
        return tarn__fail(
            ctx, TARN_ERR_ARG,
            "wave.edge_z0, edge_z1: periodic edges come in pairs; set both to periodic or neither");
    }
    size_t n = (size_t)def->nx * (size_t)def->nz;
    if (def->bed && !tarn__all_within(def->bed, n, wave_limit)) {
        return tarn__fail(ctx, TARN_ERR_DATA,
                          "wave.bed: contains a NaN or a height beyond +-1e5 m");
    }
    if (def->height && !tarn__all_within(def->height, n, wave_limit)) {
        return tarn__fail(ctx, TARN_ERR_DATA,
                          "wave.height: contains a NaN or a height beyond +-1e5 m");
    }
    return TARN_OK;
}

static int tile_count(int cells, int tile)
{
    return (cells + tile - 1) / tile;
}

// Places all arrays; with wave NULL it only counts.
static size_t lay_out(const TarnWaveDef* def, TarnWave* wave)
{
    TarnLayout layout = { 0 };
    tarn__layout_add(&layout, sizeof(TarnWave));
    int stride = WAVE_PAD + (def->nx + 1 + 7) / 8 * 8;
    size_t field = (size_t)stride * (size_t)(def->nz + 2) * sizeof(float) + 64;
    size_t first = (size_t)stride + WAVE_PAD; // cell (0, 0) behind the ghost row
    int tiles_x = tile_count(def->nx, WAVE_TILE_X), tiles_z = tile_count(def->nz, WAVE_TILE_Z);
    size_t tiles = (size_t)tiles_x * (size_t)tiles_z;
    bool has_depth = def->wall || def->bed || def->bed_fn;
    char* base = (char*)wave;
    // A macro would hide the pattern: offset, then pointer if there is something to point into.
    size_t at_u = tarn__layout_add(&layout, field), at_prev = tarn__layout_add(&layout, field);
    size_t at_depth = has_depth ? tarn__layout_add(&layout, field) : 0;
    size_t at_body[4] = { 0 };
    for (int b = 0; def->use_bodies && b < 4; ++b) at_body[b] = tarn__layout_add(&layout, field);
    size_t along_x = ((size_t)def->nx + 8) * sizeof(float),
           along_z = (size_t)def->nz * sizeof(float);
    size_t at_sx = tarn__layout_add(&layout, along_x), at_px = tarn__layout_add(&layout, along_x);
    size_t at_sz = tarn__layout_add(&layout, along_z), at_pz = tarn__layout_add(&layout, along_z);
    size_t at_west = tarn__layout_add(&layout, along_x),
           at_east = tarn__layout_add(&layout, along_x);
    size_t at_south = tarn__layout_add(&layout, along_z),
           at_north = tarn__layout_add(&layout, along_z);
    size_t at_sums = tarn__layout_add(&layout, 2 * (size_t)tiles_z * sizeof(double));
    size_t at_loud = tarn__layout_add(&layout, (size_t)tiles_z * sizeof(int));
    size_t at_wild = tarn__layout_add(&layout, (size_t)tiles_z);
    size_t at_tiles = tarn__layout_add(&layout, 4 * tiles);
    if (wave == NULL) return layout.size;

    wave->stride = stride;
    wave->tiles_x = tiles_x;
    wave->tiles_z = tiles_z;
    wave->u = (float*)(base + at_u) + first;
    wave->prev = (float*)(base + at_prev) + first;
    if (has_depth) wave->depth = (float*)(base + at_depth) + first;
    float** body[4] = { &wave->displaced, &wave->calm, &wave->target, &wave->change };
    for (int b = 0; def->use_bodies && b < 4; ++b) *body[b] = (float*)(base + at_body[b]) + first;
    wave->sponge_x = (float*)(base + at_sx);
    wave->sponge_z = (float*)(base + at_sz);
    wave->pull_x = (float*)(base + at_px);
    wave->pull_z = (float*)(base + at_pz);
    wave->pull_west = (float*)(base + at_west);
    wave->pull_east = (float*)(base + at_east);
    wave->pull_south = (float*)(base + at_south);
    wave->pull_north = (float*)(base + at_north);
    wave->row_sums = (double*)(base + at_sums);
    wave->row_loud = (int*)(base + at_loud);
    wave->row_wild = (uint8_t*)(base + at_wild);
    wave->quiet = (uint8_t*)(base + at_tiles);
    wave->awake = wave->quiet + tiles;
    wave->pressed = wave->awake + tiles;
    wave->kind = wave->pressed + tiles;
    return layout.size;
}

size_t tarn_wave_memory(const TarnWaveDef* def)
{
    return check_def(NULL, def) == TARN_OK ? lay_out(def, NULL) : 0;
}

TarnResult tarn_wave_create(TarnContext* ctx, const TarnWaveDef* def, TarnWave** out)
{
    if (out == NULL) return tarn__fail(ctx, TARN_ERR_ARG, "tarn_wave_create: out is NULL");
    *out = NULL;
    if (ctx == NULL) return TARN_ERR_ARG;
    TARN_TRY(check_def(ctx, def));
    size_t size = lay_out(def, NULL);
    TarnWave* wave = tarn__alloc(ctx, size);
    if (wave == NULL) {
        return tarn__fail(ctx, TARN_ERR_MEMORY, "wave: out of memory for %d x %d cells (%zu bytes)",
                          def->nx, def->nz, size);
    }
    wave->ctx = ctx;
    wave->memory = size;
    wave->def = *def;
    wave->params = tarn_wave_default_params();
    wave->kernels = TARN_KERNELS_PICK(ctx->isa, tarn__wave_kernels);
    lay_out(def, wave);
    wave->def.wall = NULL;
    wave->def.bed = wave->def.height = NULL;
    tarn__wave_set_bed(wave, def->bed, def->wall);
    for (int k = 0; def->height && k < def->nz; ++k) {
        for (int i = 0; i < def->nx; ++i) {
            size_t c = wave_cell(wave, i, k);
            float u = def->height[(size_t)k * (size_t)def->nx + (size_t)i];
            if (wave_is_wet(wave, c)) wave->u[c] = wave->prev[c] = u;
        }
    }
    memset(wave->quiet, WAVE_CALM_CHECKS, (size_t)wave->tiles_x * (size_t)wave->tiles_z);
    wave->began_calm = def->height == NULL;
    wave->is_expected = def->height == NULL; // else it is summed when first needed
    if (def->height) tarn__wave_touch(wave, 0, def->nx, 0, def->nz);
    wave->is_edited = true;
    *out = wave;
    return TARN_OK;
}

void tarn_wave_destroy(TarnWave* wave)
{
    if (wave != NULL) tarn__free(wave->ctx, wave, wave->memory);
}

TarnResult tarn_wave_set_params(TarnWave* wave, const TarnWaveParams* params)
{
    if (wave == NULL || params == NULL) return TARN_ERR_ARG;
    TARN_TRY(tarn_param_validate(wave->ctx, &params_table, params));
    wave->params = *params;
    return TARN_OK;
}
TarnWaveParams tarn_wave_params(const TarnWave* wave)
{
    return wave->params;
}

void tarn_wave_reset(TarnWave* wave)
{
    if (wave == NULL) return;
    size_t first = (size_t)wave->stride + WAVE_PAD;
    size_t bytes = (size_t)wave->stride * (size_t)(wave->def.nz + 2) * sizeof(float);
    memset(wave->u - first, 0, bytes);
    memset(wave->prev - first, 0, bytes);
    if (wave->displaced) memset(wave->displaced - first, 0, bytes);
    if (wave->calm) memset(wave->calm - first, 0, bytes);
    size_t tiles = (size_t)wave->tiles_x * (size_t)wave->tiles_z;
    memset(wave->quiet, WAVE_CALM_CHECKS, tiles);
    memset(wave->awake, 0, tiles);
    memset(wave->pressed, 0, tiles);
    memset(wave->row_loud, 0, (size_t)wave->tiles_z * sizeof(int));
    wave->injected = wave->displaced_sum = wave->sourced = wave->time = wave->carry = 0.0;
    wave->dt = wave->lift = 0.0f;
    wave->ticks = 0;
    wave->expected = 0.0;
    wave->is_expected = true;
}
