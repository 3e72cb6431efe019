// Virtual pipes with erosion. Parameters, creation, edits; the step is in pipes_step.c, its inner loops
// in pipes_kernels.c.
//
// Method   Columns of water joined by pipes [OBrien1995], one flow per face, driven by the difference
//          of the surface and limited by what the donor has [Mei2007]:
//              q += dt g h (surface fall) / dx;  q *= exp(-k dt);  d -= dt div q
//          Sediment goes with the water by its donor's concentration; the ground dissolves and settles
//          towards the capacity of the flow; slopes beyond the talus angle slip to all 8 neighbors.
// Differs  from [Mei2007]: one signed flow per face instead of two of one sign; the depth of the flow
//          in place of a constant pipe (waves run at sqrt(g d)); rates per second, not per step;
//          sediment in flux form instead of semi-Lagrangian; all amounts in whole grains, so that
//          water and ground are kept exactly. Reasons and numbers: docs/solvers/pipes.md.
// Checked  tests/physics/check_pipes.c, tests/unit/test_pipes.c, tests/robust/test_pipes_storms.c.
// Cost     one pass per substep and one more every eighth; bench/bench_pipes.c.

#include "waves/pipes_internal.h"
#include "base/def.h"
#include "base/maths.h"
#include "base/param.h"

static const char* const edge_names[] = { "closed", "open", NULL };

// The table is in reading order.
#define D TarnPipesDef
static const TarnParam def_params[] = {
    P_INT(D, nx, "cells", 2, 16384, 256, "Cells along x."),
    P_INT(D, nz, "cells", 2, 16384, 256, "Cells along z."),
    P_FLOAT(D, dx, "m", 1e-2, 1e4, 8, "Size of a cell."),
    P_VEC2(D, origin, "m", -1e6, 1e6, 0, 0, "World x and z of the corner of cell (0, 0)."),
    P_FLOAT(D, gravity, "m/s^2", 1e-3, 1e3, 9.81,
            "Downward acceleration; larger values make waves faster."),
    P_FLOAT(D, pipe_area, "m^2", 0, 1e8, 0,
            "Cross-section of the pipes, which makes waves travel at sqrt(g area / dx); 0 uses dx "
            "times the depth, so that waves travel at sqrt(g depth)."),
    P_ENUM(D, edge_x0, edge_names, 2, TARN_PIPES_OPEN, "Boundary condition at the -x edge."),
    P_ENUM(D, edge_x1, edge_names, 2, TARN_PIPES_OPEN, "Boundary condition at the +x edge."),
    P_ENUM(D, edge_z0, edge_names, 2, TARN_PIPES_OPEN, "Boundary condition at the -z edge."),
    P_ENUM(D, edge_z1, edge_names, 2, TARN_PIPES_OPEN, "Boundary condition at the +z edge."),
    P_FLOAT(D, level, "m", -1e5, 1e5, 0, "Height y of calm water, used if has_level is set."),
    P_BOOL(D, has_level, 0, "Fills everything below the level with water at the start."),
    P_BOOL(D, use_erosion, 1, "Lets water erode the ground; takes 16 bytes per cell more."),
    P_FLOAT(D, soil, "m", 0, 1e4, 2, "Thickness of the soil on the bed if no map is given."),
    P_FLOAT(D, max_depth, "m", 0.1, 1e4, 128,
            "Deepest water and thickest soil; ground heights must be within 60 times this, and a "
            "grain is 2^-24 of it."),
    P_FLOAT(D, courant, "", 0.01, 0.99, 0.8, "Substep as a share of the longest stable one."),
    P_INT(D, max_substeps, "", 1, 1000, 16,
          "Most substeps per step; time beyond them is dropped and reported."),
};
#undef D
#define P TarnPipesParams
static const TarnParam params_params[] = {
    P_FLOAT(P, friction, "1/s", 0, 1e3, 0.02, "Linear friction: how fast currents slow down."),
    P_FLOAT(P, drag, "", 0, 10, 0.1,
            "Quadratic drag of the bed; a mountain stream has 0.05 to 0.2."),
    P_FLOAT(P, steep_drag, "", 0, 100, 2.5,
            "Additional drag per slope of the ground: steep water then runs at sqrt(g depth / "
            "this), and above 2.25 it does not break up into waves."),
    P_FLOAT(P, rain, "mm/h", 0, 1e5, 0, "Rain on every cell."),
    P_FLOAT(P, evaporation, "mm/h", 0, 1e5, 0, "Evaporation, or seepage into the ground."),
    P_FLOAT(P, erosion_speed, "", 0, 1e6, 300,
            "Factor by which the ground changes faster than in nature; 0 stops erosion."),
    P_FLOAT(P, capacity, "s/m", 0, 100, 0.05,
            "Volume of sediment that a volume of water can hold at 1 m/s on a slope of 1; larger "
            "values erode more."),
    P_FLOAT(P, capacity_depth, "m", 1e-3, 1e4, 1,
            "Only water up to this depth counts for the capacity."),
    P_FLOAT(P, min_tilt, "", 0, 1, 0.02, "Flatter ground counts as having this slope, as a sine."),
    P_FLOAT(P, soil_rate, "1/s", 1e-6, 1e3, 0.2, "How fast water dissolves soil."),
    P_FLOAT(P, rock_rate, "1/s", 0, 1e3, 0.1,
            "How fast water dissolves rock; smaller values make harder rock."),
    P_FLOAT(P, deposit_rate, "1/s", 0, 1e3, 0.1,
            "How fast water deposits sediment beyond its capacity."),
    P_FLOAT(P, soil_talus, "deg", 0, 89, 33, "Steepest slope on which soil stays."),
    P_FLOAT(P, rock_talus, "deg", 0, 89, 50, "Steepest slope on which rock stays."),
    P_FLOAT(P, slip_rate, "1/s", 0, 1e3, 0.1, "How fast slopes that are too steep slip."),
    P_FLOAT(
        P, creep, "m^2/s", 0, 1e3, 1e-4,
        "Diffusion of the ground down any slope; larger values round ridges and widen valleys."),
};
#undef P
static const TarnParamTable def_table = PARAM_TABLE("pipes", TarnPipesDef, def_params);
static const TarnParamTable params_table = PARAM_TABLE("pipes", TarnPipesParams, params_params);

const TarnParamTable* tarn_pipes_def_table(void)
{
    return &def_table;
}
const TarnParamTable* tarn_pipes_params_table(void)
{
    return &params_table;
}

void tarn_pipes_init_def(TarnPipesDef* out, size_t size)
{
    TarnPipesDef def = { 0 };
    tarn_param_defaults(&def_table, &def);
    TARN_INIT_DEF(TarnPipesDef, out, size, &def);
}
TarnPipesParams tarn_pipes_default_params(void)
{
    TarnPipesParams params;
    tarn_param_defaults(&params_table, &params);
    return params;
}

// ---- Create ------------------------------------------------------------------------------------

// Checks that all values of an array are within [lo, hi]. remedy: what else helps.
static TarnResult check_array(TarnContext* ctx, const char* name, const float* values, size_t n,
                              float lo, float hi, const char* remedy)
{
    for (size_t c = 0; values && c < n; ++c) {
        if (values[c] >= lo && values[c] <= hi) continue; // written so that NaN fails it
        return tarn__fail(ctx, TARN_ERR_DATA,
                          "pipes.%s: value %zu is %g; allowed: %g to %g m, set by max_depth; raise "
                          "it%s",
                          name, c, (double)values[c], (double)lo, (double)hi, remedy);
    }
    return TARN_OK;
}

static TarnResult check_def(TarnContext* ctx, const TarnPipesDef* def)
{
    TARN_TRY(
        TARN_CHECK_DEF(ctx, "pipes", "tarn/pipes.h", TarnPipesDef, tarn_pipes_default_def, def));
    TARN_TRY(tarn_param_validate(ctx, &def_table, def));
    float most = def->max_depth, high = 60.0f * most;
    // Soil that does not move is ground, and may be as thick as that is high.
    float thickest = def->use_erosion ? most : high;
    if (def->soil > thickest) {
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "pipes.soil: %g m is more than %s, %g m; raise max_depth or lower soil",
                          (double)def->soil, def->use_erosion ? "max_depth" : "60 times max_depth",
                          (double)thickest);
    }
    if (def->has_level && !(def->level >= -high && def->level <= high)) {
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "pipes.level: %g m is beyond 60 times max_depth, %g m; raise max_depth",
                          (double)def->level, (double)most);
    }
    size_t n = (size_t)def->nx * (size_t)def->nz;
    float top = def->soil > most ? high - def->soil : high;
    TARN_TRY(check_array(ctx, "bed", def->bed, n, -high, top,
                         ", or keep the ground lower (in a scene pipes.terrain, pipes.bed and "
                         "pipes.walls)"));
    TARN_TRY(check_array(ctx, "soil_map", def->soil_map, n, 0.0f, most, " or use less soil"));
    return check_array(ctx, "depth", def->depth, n, 0.0f, most, " or pour in less water");
}

// Places all arrays; with pipes NULL it only counts.
static size_t lay_out(const TarnPipesDef* def, TarnPipes* pipes)
{
    TarnLayout layout = { 0 };
    tarn__layout_add(&layout, sizeof(TarnPipes));
    int stride = PIPES_PAD + (def->nx + 1 + 7) / 8 * 8;
    size_t field = (size_t)stride * (size_t)(def->nz + 2) * sizeof(float) + 64;
    size_t first = (size_t)stride + PIPES_PAD; // cell (0, 0) behind the ghost row
    int n = def->use_erosion ? PIPES_ARRAYS : PIPES_ARRAYS - 4;
    size_t at[PIPES_ARRAYS] = { 0 };
    for (int a = 0; a < n; ++a) at[a] = tarn__layout_add(&layout, field);
    int blocks = (def->nz + PIPES_ROWS - 1) / PIPES_ROWS;
    size_t rows = (size_t)blocks * PIPES_WORK_ROWS; // in work
    size_t at_work = tarn__layout_add(&layout, (rows * (size_t)stride + PIPES_PAD) * sizeof(float));
    size_t at_tallies = tarn__layout_add(&layout, (size_t)blocks * sizeof(PipesTally));
    if (pipes == NULL) return layout.size;

    char* base = (char*)pipes;
    pipes->stride = stride;
    pipes->blocks = blocks;
    pipes->ground = (int32_t*)(base + at[0]) + first;
    float** fields[PIPES_ARRAYS - 2] = { &pipes->height, &pipes->d,   &pipes->fx,  &pipes->fz,
                                         &pipes->d1,     &pipes->fx1, &pipes->fz1, &pipes->s,
                                         &pipes->s1,     &pipes->soil };
    for (int a = 1; a < n && a < PIPES_ARRAYS - 1; ++a) {
        *fields[a - 1] = (float*)(base + at[a]) + first;
    }
    pipes->ground1 = pipes->ground; // which never changes, unless:
    if (def->use_erosion) pipes->ground1 = (int32_t*)(base + at[PIPES_ARRAYS - 1]) + first;
    pipes->work = (float*)(base + at_work) + PIPES_PAD;
    pipes->tallies = (PipesTally*)(base + at_tallies);
    return layout.size;
}

size_t tarn_pipes_memory(const TarnPipesDef* def)
{
    return check_def(NULL, def) == TARN_OK ? lay_out(def, NULL) : 0;
}

static int32_t to_grains(const TarnPipes* pipes, float meters)
{
    double grains = (double)meters * (double)pipes->per_grain;
    return (int32_t)(grains < 0.0 ? grains - 0.5 : grains + 0.5);
}

static void fill_cells(TarnPipes* pipes, const TarnPipesDef* def)
{
    int32_t level = def->has_level ? to_grains(pipes, def->level) : INT32_MIN;
    int32_t most = 1 << 24;
    for (int k = 0; k < def->nz; ++k) {
        for (int i = 0; i < def->nx; ++i) {
            size_t from = (size_t)k * (size_t)def->nx + (size_t)i, c = pipes_cell(pipes, i, k);
            int32_t soil = to_grains(pipes, def->soil_map ? def->soil_map[from] : def->soil);
            int32_t ground = (def->bed ? to_grains(pipes, def->bed[from]) : 0) + soil;
            int32_t depth = level > ground ? level - ground : 0;
            if (def->depth) depth = to_grains(pipes, def->depth[from]);
            depth = depth < most ? depth : most;
            pipes->ground[c] = ground;
            pipes->d[c] = (float)depth * pipes->grain;
            if (pipes->soil) pipes->soil[c] = (float)soil * pipes->grain;
        }
    }
}

static void choose_kernels(TarnPipes* pipes)
{
    pipes->kernels = TARN_KERNELS_PICK(pipes->ctx->isa, tarn__pipes_kernels);
}

TarnResult tarn_pipes_create(TarnContext* ctx, const TarnPipesDef* def, TarnPipes** out)
{
    if (out == NULL) return tarn__fail(ctx, TARN_ERR_ARG, "tarn_pipes_create: out is NULL");
    *out = NULL;
    if (ctx == NULL) return TARN_ERR_ARG;
    TARN_TRY(check_def(ctx, def));
    size_t size = lay_out(def, NULL);
    TarnPipes* pipes = tarn__alloc(ctx, size);
    if (pipes == NULL) {
        return tarn__fail(ctx, TARN_ERR_MEMORY,
                          "pipes: out of memory for %d x %d cells (%zu bytes)", def->nx, def->nz,
                          size);
    }
    pipes->ctx = ctx;
    pipes->memory = size;
    pipes->def = *def;
    pipes->params = tarn_pipes_default_params();
    choose_kernels(pipes);
    lay_out(def, pipes);
    pipes->def.bed = pipes->def.soil_map = pipes->def.depth = NULL;
    pipes->grain = 0x1p-40f; // the power of two with max_depth <= 2^24 grains
    while (pipes->grain * 0x1p24f < def->max_depth) pipes->grain *= 2.0f;
    pipes->per_grain = 1.0f / pipes->grain;
    fill_cells(pipes, def);
    tarn__pipes_fill_ghosts(pipes);
    tarn__pipes_draw_ground(pipes);
    tarn__pipes_find_deepest(pipes);
    pipes->initial = tarn__pipes_count(pipes, pipes->d);
    pipes->ground_initial = tarn__pipes_count_ground(pipes);
    *out = pipes;
    return TARN_OK;
}

void tarn_pipes_destroy(TarnPipes* pipes)
{
    if (pipes != NULL) tarn__free(pipes->ctx, pipes, pipes->memory);
}

TarnResult tarn_pipes_set_params(TarnPipes* pipes, const TarnPipesParams* params)
{
    if (pipes == NULL || params == NULL) return TARN_ERR_ARG;
    TARN_TRY(tarn_param_validate(pipes->ctx, &params_table, params));
    pipes->params = *params;
    return TARN_OK;
}
TarnPipesParams tarn_pipes_params(const TarnPipes* pipes)
{
    return pipes->params;
}

// Sediment becomes soil in place; beyond the greatest thickness the lowest soil turns to rock.
static void settle(TarnPipes* pipes)
{
    for (int k = 0; pipes->s && k < pipes->def.nz; ++k) {
        for (int i = 0; i < pipes->def.nx; ++i) {
            size_t c = pipes_cell(pipes, i, k);
            pipes->ground[c] += (int32_t)(pipes->s[c] * pipes->per_grain);
            pipes->soil[c] = tarn_minf(pipes->soil[c] + pipes->s[c], 0x1p24f * pipes->grain);
            pipes->s[c] = 0.0f;
        }
    }
}

void tarn_pipes_reset(TarnPipes* pipes)
{
    if (pipes == NULL) return;
    settle(pipes);
    size_t first = (size_t)pipes->stride + PIPES_PAD;
    size_t bytes = (size_t)pipes->stride * (size_t)(pipes->def.nz + 2) * sizeof(float);
    memset(pipes->d - first, 0, bytes);
    memset(pipes->fx - first, 0, bytes);
    memset(pipes->fz - first, 0, bytes);
    pipes->time = pipes->dt = pipes->rain = pipes->drying = pipes->slip_time = 0.0;
    pipes->tick = 0;
    pipes->initial = pipes->rained = pipes->dried = pipes->edges = pipes->sources = 0;
    pipes->carried_out = 0;
    tarn__pipes_fill_ghosts(pipes);
    tarn__pipes_draw_ground(pipes);
    tarn__pipes_find_deepest(pipes);
    pipes->ground_initial = tarn__pipes_count_ground(pipes);
}

// ---- Water from outside ----------------------------------------------------------------------------

typedef struct Disc {
    int i0, i1, k0, k1;
    float x, z, radius2; // in cells: cell (i, k) is at i, k
} Disc;

static Disc make_disc(const TarnPipes* pipes, TarnVec2 center, float radius)
{
    float h = pipes->def.dx, r = tarn_maxf(radius / h, 0.75f); // some cell is always within
    Disc disc = { .x = (center.x - pipes->def.origin.x) / h - 0.5f,
                  .z = (center.y - pipes->def.origin.y) / h - 0.5f,
                  .radius2 = r * r };
    float nx = (float)pipes->def.nx, nz = (float)pipes->def.nz;
    disc.i0 = (int)tarn_clampf(disc.x - r, 0.0f, nx);
    disc.i1 = (int)tarn_clampf(disc.x + r + 1.0f, 0.0f, nx);
    disc.k0 = (int)tarn_clampf(disc.z - r, 0.0f, nz);
    disc.k1 = (int)tarn_clampf(disc.z + r + 1.0f, 0.0f, nz);
    return disc;
}
static bool is_inside(const Disc* disc, int i, int k)
{
    float x = (float)i - disc->x, z = (float)k - disc->z;
    return x * x + z * z <= disc->radius2;
}

TarnResult tarn_pipes_add_water(TarnPipes* pipes, TarnVec2 center, float radius, float volume,
                                double* done)
{
    if (done) *done = 0.0;
    if (pipes == NULL) return TARN_ERR_ARG;
    const float far = 1e7f, huge = 1e15f;
    bool is_good = center.x >= -far && center.x <= far && center.y >= -far && center.y <= far;
    is_good = is_good && radius > 0.0f && radius <= far && volume >= -huge && volume <= huge;
    if (!is_good) {
        return tarn__fail(pipes->ctx, TARN_ERR_ARG,
                          "tarn_pipes_add_water: center (%g, %g), radius %g m, volume %g m^3; "
                          "allowed: within +-1e7 m, above 0 up to 1e7 m, within +-1e15 m^3",
                          (double)center.x, (double)center.y, (double)radius, (double)volume);
    }
    Disc disc = make_disc(pipes, center, radius);
    int64_t cells = 0, added = 0;
    for (int k = disc.k0; k < disc.k1; ++k) {
        for (int i = disc.i0; i < disc.i1; ++i) cells += is_inside(&disc, i, k);
    }
    double grain_volume = (double)pipes->grain * (double)pipes->def.dx * (double)pipes->def.dx;
    double left = (double)volume / grain_volume; // [grains], spread so that the sum comes out right
    for (int k = disc.k0; k < disc.k1 && cells > 0; ++k) {
        for (int i = disc.i0; i < disc.i1; ++i) {
            if (!is_inside(&disc, i, k)) continue;
            size_t c = pipes_cell(pipes, i, k);
            double now = (double)pipes->d[c] * (double)pipes->per_grain;
            double each = left / (double)cells, low = -now, high = 0x1p24 - now;
            each = each < low ? low : each > high ? high : each;
            if (each < 0.0 && now > 0x1p24) each = 0.0; // beyond what is counted: left alone
            int64_t grains = (int64_t)(each < 0.0 ? each - 0.5 : each + 0.5);
            if (now > 0x1p24) grains = 0;
            pipes->d[c] = (float)((double)grains + now) * pipes->grain;
            left -= (double)grains;
            added += grains;
            --cells;
        }
    }
    pipes->sources += added;
    tarn__pipes_find_deepest(pipes);
    if (done) *done = (double)added * grain_volume;
    return TARN_OK;
}
