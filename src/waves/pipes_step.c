// The step of the pipe model: substeps, sweeps over blocks of rows, and the ledger.

#include "waves/pipes_internal.h"
#include "base/maths.h"

// ---- Helpers -------------------------------------------------------------------------------------

void tarn__pipes_fill_ghosts(TarnPipes* pipes)
{
    int nx = pipes->def.nx, nz = pipes->def.nz;
    for (int k = 0; k < nz; ++k) {
        int32_t* row = pipes->ground + pipes_cell(pipes, 0, k);
        row[-1] = row[0];
        row[nx] = row[nx - 1];
    }
    size_t bytes = (size_t)(nx + 2) * sizeof(int32_t);
    memcpy(pipes->ground - pipes->stride - 1, pipes->ground - 1, bytes);
    memcpy(pipes->ground + pipes_cell(pipes, 0, nz) - 1,
           pipes->ground + pipes_cell(pipes, 0, nz - 1) - 1, bytes);
}

void tarn__pipes_draw_ground(TarnPipes* pipes)
{
    for (int k = 0; k < pipes->def.nz; ++k) {
        for (int i = 0; i < pipes->def.nx; ++i) {
            size_t c = pipes_cell(pipes, i, k);
            pipes->height[c] = (float)pipes->ground[c] * pipes->grain;
        }
    }
}

void tarn__pipes_find_deepest(TarnPipes* pipes)
{
    pipes->deepest = 0.0f;
    for (int k = 0; k < pipes->def.nz; ++k) {
        for (int i = 0; i < pipes->def.nx; ++i) {
            pipes->deepest = tarn_maxf(pipes->deepest, pipes->d[pipes_cell(pipes, i, k)]);
        }
    }
}

int64_t tarn__pipes_count(const TarnPipes* pipes, const float* field)
{
    int64_t sum = 0;
    for (int k = 0; k < pipes->def.nz; ++k) {
        double row = 0.0; // whole numbers: any order gives the same
        for (int i = 0; i < pipes->def.nx; ++i) {
            row += (double)(field[pipes_cell(pipes, i, k)] * pipes->per_grain);
        }
        sum += (int64_t)row;
    }
    return sum;
}

int64_t tarn__pipes_count_ground(const TarnPipes* pipes)
{
    int64_t sum = 0;
    for (int k = 0; k < pipes->def.nz; ++k) {
        for (int i = 0; i < pipes->def.nx; ++i) sum += pipes->ground[pipes_cell(pipes, i, k)];
    }
    return sum;
}

// ---- One substep -----------------------------------------------------------------------------------

// A number of [-0.5, 0.5) for every substep, spread evenly over any stretch of time: multiples of an
// irrational number.
static float dither(uint32_t tick, uint32_t irrational)
{
    return (float)((tick * irrational) >> 8) * 0x1p-24f - 0.5f;
}

// 1 - exp(-rate dt): the share of a difference that is gone after dt, for any dt.
static float gone(float rate, double dt)
{
    float x = (float)((double)rate * dt);
    return x < 1e-3f ? x - 0.5f * x * x : 1.0f - tarn_exp(-x);
}

// Whole grains of what has gathered; what is left stays. No more than a kernel counts in one go.
static float take_grains(const TarnPipes* pipes, double* gathered)
{
    double grains = floor(*gathered * (double)pipes->per_grain);
    grains = grains < 0x1p19 ? grains : 0x1p19;
    float meters = (float)grains * pipes->grain;
    *gathered -= (double)meters;
    return meters;
}

static void set_water(TarnPipes* pipes, PipesSweep* s, double dt)
{
    const TarnPipesParams* params = &pipes->params;
    float dx = pipes->def.dx;
    const double per_second = 1e-3 / 3600.0; // from mm/h
    pipes->rain += (double)params->rain * per_second * dt;
    pipes->drying += (double)params->evaporation * per_second * dt;
    s->push = (float)dt * pipes->def.gravity / dx;
    s->pipe = pipes->def.pipe_area / dx;
    s->keep = tarn_exp(-(float)((double)params->friction * dt));
    s->drag4 = 4.0f * (float)dt * params->drag;
    s->steep4 = 4.0f * (float)dt * params->steep_drag / dx;
    s->move = (float)dt / dx;
    s->still = 1e-6f * pipes->grain; // far below a grain in a day, far above the subnormals
    s->rain = take_grains(pipes, &pipes->rain);
    s->drying = take_grains(pipes, &pipes->drying);
    s->dither_water = dither(pipes->tick, 2654435769u);    // 2^32 (sqrt(5) - 1) / 2
    s->dither_sediment = dither(pipes->tick, 3242174889u); // 2^32 / p with p^3 = p + 1
    s->dither_ground = dither(pipes->tick, 2447445414u);   // 2^32 / p^2
}

static void set_erosion(const TarnPipes* pipes, PipesSweep* s, double dt)
{
    const TarnPipesParams* params = &pipes->params;
    float dx = pipes->def.dx, soil = gone(params->soil_rate, dt);
    s->min_depth = 1e-3f * dx;
    s->max_speed2 = (dx / (float)dt) * (dx / (float)dt);
    s->tilt = 1.0f / (8.0f * dx);
    s->min_tilt2 = params->min_tilt * params->min_tilt;
    s->capacity = params->capacity * params->erosion_speed;
    s->ramp = params->capacity_depth;
    s->thickest = tarn_maxf(1.0f, 0.3f * params->erosion_speed); // mud, as much faster as the rest
    s->most = 0x1p21f * pipes->grain;
    s->soil_rate = soil;
    s->rock_ratio = soil > 0.0f ? gone(params->rock_rate, dt) / soil : 0.0f;
    s->deposit_rate = gone(params->deposit_rate, dt);
}

static PipesSweep make_sweep(TarnPipes* pipes, double dt, bool is_last)
{
    PipesSweep s = { .nx = pipes->def.nx,
                     .nz = pipes->def.nz,
                     .stride = pipes->stride,
                     .has_erosion = pipes->def.use_erosion,
                     .is_last = is_last,
                     .is_open_x0 = pipes->def.edge_x0 == TARN_PIPES_OPEN,
                     .is_open_x1 = pipes->def.edge_x1 == TARN_PIPES_OPEN,
                     .is_open_z0 = pipes->def.edge_z0 == TARN_PIPES_OPEN,
                     .is_open_z1 = pipes->def.edge_z1 == TARN_PIPES_OPEN,
                     .ground = pipes->ground,
                     .ground1 = pipes->ground1,
                     .height = pipes->height,
                     .d = pipes->d,
                     .s = pipes->s,
                     .fx = pipes->fx,
                     .fz = pipes->fz,
                     .d1 = pipes->d1,
                     .s1 = pipes->s1,
                     .fx1 = pipes->fx1,
                     .fz1 = pipes->fz1,
                     .soil = pipes->soil,
                     .grain = pipes->grain,
                     .per_grain = pipes->per_grain };
    set_water(pipes, &s, dt);
    if (s.has_erosion) set_erosion(pipes, &s, dt);
    return s;
}

typedef struct Substep {
    TarnPipes* pipes;
    PipesSweep sweep; // of the water
    PipesSweep after; // of the ground: it reads what the water became
} Substep;

static int block_end(const TarnPipes* pipes, int block)
{
    int end = (block + 1) * PIPES_ROWS;
    return end < pipes->def.nz ? end : pipes->def.nz;
}

// The rows in work around row k of a block. Rows of a kind take turns.
static PipesRows rows_around(const TarnPipes* pipes, int block, int k)
{
    size_t stride = (size_t)pipes->stride;
    float* first = pipes->work + (size_t)block * PIPES_WORK_ROWS * stride;
    size_t south = (size_t)(k + 3) % PIPES_RING * stride,
           here = (size_t)(k + 4) % PIPES_RING * stride;
    size_t north = (size_t)(k + 5) % PIPES_RING * stride, ring = PIPES_RING * stride;
    return (PipesRows){ .fx = first + here,
                        .south = first + ring + here,
                        .north = first + ring + north,
                        .share_south = first + 2 * ring + south,
                        .share = first + 2 * ring + here,
                        .share_north = first + 2 * ring + north,
                        .load_south = first + 3 * ring + south,
                        .load = first + 3 * ring + here,
                        .load_north = first + 3 * ring + north,
                        .cross_flow = first + 4 * ring,
                        .cross_water = first + 4 * ring + stride,
                        .cross_sediment = first + 4 * ring + 2 * stride };
}

// Flow wanted at -z of row k.
static void flow_south(const Substep* sub, int k, float* out)
{
    const TarnPipesDef* def = &sub->pipes->def;
    bool is_closed = (k == 0 && def->edge_z0 == TARN_PIPES_CLOSED) ||
                     (k == def->nz && def->edge_z1 == TARN_PIPES_CLOSED);
    if (is_closed)
        memset(out, 0, (size_t)def->nx * sizeof(float));
    else
        sub->pipes->kernels->flow_z(&sub->sweep, k, out);
}

// Flow wanted around row k, and what its cells can give; beyond the edges nothing.
static void limit_row(const Substep* sub, int block, int k)
{
    TarnPipes* pipes = sub->pipes;
    PipesRows rows = rows_around(pipes, block, k);
    size_t nx = (size_t)pipes->def.nx;
    if (k + 1 >= 0 && k < pipes->def.nz) flow_south(sub, k + 1, rows.north);
    if (k < 0 || k == pipes->def.nz) {
        memset(rows.share, 0, nx * sizeof(float));
        memset(rows.load, 0, nx * sizeof(float));
        return;
    }
    pipes->kernels->flow_x(&sub->sweep, k, rows.fx);
    if (pipes->def.edge_x0 == TARN_PIPES_CLOSED) rows.fx[0] = 0.0f;
    if (pipes->def.edge_x1 == TARN_PIPES_CLOSED) rows.fx[nx] = 0.0f;
    pipes->kernels->limit(&sub->sweep, k, &rows);
}

// Power (kind 0) or surface (kind 1) of row k in the block's work.
static float* ground_place(const TarnPipes* pipes, int block, int kind, int k)
{
    size_t stride = (size_t)pipes->stride, before = (size_t)(4 + kind) * PIPES_RING + 3;
    float* first = pipes->work + ((size_t)block * PIPES_WORK_ROWS + before) * stride;
    return first + (size_t)k % PIPES_RING * stride;
}
static void make_power(const Substep* sub, int block, int k)
{
    const TarnPipes* pipes = sub->pipes;
    int nx = pipes->def.nx;
    float* rows[2] = { ground_place(pipes, block, 0, k), ground_place(pipes, block, 1, k) };
    pipes->kernels->power(&sub->after, k, rows[0], rows[1]);
    for (int r = 0; r < 2; ++r) { // beyond the edges as at the edge
        rows[r][-1] = rows[r][0];
        rows[r][nx] = rows[r][nx - 1];
    }
}

// The ground of row k, when the power of the rows around it is known.
static void erode_row(const Substep* sub, int block, int k)
{
    const TarnPipes* pipes = sub->pipes;
    int last = pipes->def.nz - 1, south = k > 0 ? k - 1 : 0, north = k < last ? k + 1 : last;
    PipesGround rows = { .power_south = ground_place(pipes, block, 0, south),
                         .power = ground_place(pipes, block, 0, k),
                         .power_north = ground_place(pipes, block, 0, north),
                         .surface_south = ground_place(pipes, block, 1, south),
                         .surface = ground_place(pipes, block, 1, k),
                         .surface_north = ground_place(pipes, block, 1, north) };
    pipes->kernels->erode(&sub->after, k, &rows);
}

// A block of rows, one after the other: what row k gives and gets is known when its neighbors' shares
// are. The rows beside the block are worked out here as well, so that no block waits for another. The
// ground follows two rows behind, while all is still in the cache; its rows next to another block have
// to wait for that one (erode_seam).
static void advance_block(int block, void* data)
{
    const Substep* sub = data;
    TarnPipes* pipes = sub->pipes;
    PipesTally tally = { 0 };
    int k0 = block * PIPES_ROWS, k1 = block_end(pipes, block), nz = pipes->def.nz;
    bool has_erosion = pipes->def.use_erosion;
    int first = block > 0 ? k0 + 1 : 0; // whose ground can be done here
    if (k0 > 0) flow_south(sub, k0 - 1, rows_around(pipes, block, k0 - 1).south);
    limit_row(sub, block, k0 - 1);
    limit_row(sub, block, k0);
    PipesRows rows = rows_around(pipes, block, k0);
    pipes->kernels->cross_south(&sub->sweep, &rows);
    for (int k = k0; k < k1; ++k) {
        limit_row(sub, block, k + 1);
        rows = rows_around(pipes, block, k);
        pipes->kernels->advance(&sub->sweep, k, &rows, &tally);
        if (has_erosion && k > k0) make_power(sub, block, k - 1);
        if (has_erosion && k - 2 >= first) erode_row(sub, block, k - 2);
    }
    if (has_erosion && k1 == nz) {
        make_power(sub, block, nz - 1);
        for (int k = nz - 2 > first ? nz - 2 : first; k < nz; ++k) erode_row(sub, block, k);
    }
    pipes->tallies[block] = tally;
}

// The three rows of ground around the start of a block that none of the two could do.
static void erode_seam(int seam, void* data)
{
    const Substep* sub = data;
    int block = seam + 1, k = block * PIPES_ROWS;
    for (int r = k - 3; r < k; ++r) make_power(sub, block, r);
    erode_row(sub, block, k - 2);
    make_power(sub, block, k);
    erode_row(sub, block, k - 1);
    if (k + 1 < sub->pipes->def.nz) make_power(sub, block, k + 1);
    erode_row(sub, block, k);
}

static void slip_block(int block, void* data)
{
    const Substep* sub = data;
    TarnPipes* pipes = sub->pipes;
    for (int k = block * PIPES_ROWS; k < block_end(pipes, block); ++k) {
        pipes->kernels->slip(&sub->sweep, k, k > 0, k + 1 < pipes->def.nz);
    }
}

// What fell, dried and went over the edges.
static void count_substep(TarnPipes* pipes, const PipesSweep* s)
{
    double deepest = 0.0;
    pipes->rained += (int64_t)s->nx * s->nz * (int64_t)(s->rain * pipes->per_grain);
    for (int b = 0; b < pipes->blocks; ++b) {
        const PipesTally* tally = &pipes->tallies[b];
        pipes->dried += tally->dried;
        pipes->edges += tally->edge_water;
        pipes->carried_out -= tally->edge_sediment;
        deepest = tally->deepest > deepest ? tally->deepest : deepest;
    }
    pipes->deepest = (float)deepest;
}

static void swap(float** a, float** b)
{
    float* t = *a;
    *a = *b;
    *b = t;
}
static void swap_ground(TarnPipes* pipes)
{
    int32_t* t = pipes->ground;
    pipes->ground = pipes->ground1;
    pipes->ground1 = t;
    tarn__pipes_fill_ghosts(pipes);
}

// Steep slopes give way, for all the time since they last did.
static void slip_slopes(Substep* sub)
{
    TarnPipes* pipes = sub->pipes;
    const TarnPipesParams* params = &pipes->params;
    const float radians = 0.0174532925f;
    float step = pipes->def.dx * pipes->per_grain;
    PipesSweep* s = &sub->sweep;
    s->ground = pipes->ground;
    s->ground1 = pipes->ground1;
    s->soil = pipes->soil;
    s->soil1 = pipes->s1;                                        // free until the next substep
    s->slip = gone(params->slip_rate, pipes->slip_time) / 16.0f; // to 8 neighbors: half of all
    // Nine points, weights 4 and 1 of 6: as round as it gets. At most what is stable.
    double creep = 4.0 / 6.0 * (double)params->creep * pipes->slip_time;
    creep /= (double)pipes->def.dx * (double)pipes->def.dx;
    s->creep = creep < 0.05 ? (float)creep : 0.05f;
    s->soil_steep = step * tarn_tan(radians * params->soil_talus);
    s->rock_steep = step * tarn_tan(radians * params->rock_talus);
    tarn__parallel_for(pipes->ctx, pipes->blocks, slip_block, sub);
    swap(&pipes->soil, &pipes->s1);
    swap_ground(pipes);
    pipes->slip_time = 0.0;
}

static void substep_water(Substep* sub)
{
    TarnPipes* pipes = sub->pipes;
    tarn__parallel_for(pipes->ctx, pipes->blocks, advance_block, sub);
    count_substep(pipes, &sub->sweep);
    swap(&pipes->d, &pipes->d1);
    swap(&pipes->fx, &pipes->fx1);
    swap(&pipes->fz, &pipes->fz1);
    if (!pipes->def.use_erosion) return;
    tarn__parallel_for(pipes->ctx, pipes->blocks - 1, erode_seam, sub);
    swap(&pipes->s, &pipes->s1);
    swap_ground(pipes);
}

static void substep(TarnPipes* pipes, double dt, bool is_last)
{
    bool is_slipping = pipes->def.use_erosion && pipes->params.erosion_speed > 0.0f &&
                       pipes->tick % PIPES_SLIP_EVERY == PIPES_SLIP_EVERY - 1;
    pipes->slip_time += dt * (double)pipes->params.erosion_speed;
    Substep sub = { .pipes = pipes, .sweep = make_sweep(pipes, dt, is_last && !is_slipping) };
    sub.after = sub.sweep;
    sub.after.d = sub.sweep.d1;
    sub.after.fx = sub.sweep.fx1;
    sub.after.fz = sub.sweep.fz1;
    substep_water(&sub);
    sub.sweep.is_last = is_last;
    if (is_slipping) slip_slopes(&sub);
    pipes->dt = dt;
    ++pipes->tick;
}

// ---- The step ----------------------------------------------------------------------------------------

// Waves cross at most courant / sqrt(2) of a cell.
static double stable_dt(const TarnPipes* pipes)
{
    float depth = pipes->def.pipe_area > 0.0f ? pipes->def.pipe_area / pipes->def.dx
                                              : tarn_maxf(pipes->deepest, 1e-6f);
    float speed = sqrtf(2.0f * pipes->def.gravity * depth);
    return (double)pipes->def.courant * (double)pipes->def.dx / (double)speed;
}

TarnResult tarn_pipes_step(TarnPipes* pipes, float dt, TarnStepReport* report)
{
    if (report) *report = (TarnStepReport){ 0 };
    if (pipes == NULL) return TARN_ERR_ARG;
    if (!(dt >= 0.0f && dt <= 10.0f)) {
        return tarn__fail(pipes->ctx, TARN_ERR_ARG,
                          "tarn_pipes_step: dt %g s is out of range; allowed: 0 to 10 s",
                          (double)dt);
    }
    // The depth changes, and with it the stable step: each substep computes it again.
    double left = (double)dt, stable = stable_dt(pipes), shortest = stable;
    int n = 0;
    while (left > 0.0 && n < pipes->def.max_substeps) {
        stable = stable_dt(pipes);
        shortest = stable < shortest ? stable : shortest;
        int more = pipes->def.max_substeps - n;
        double parts =
            left < stable * more ? floor(left / stable * (1.0 - 1e-6)) + 1.0 : more + 1.0;
        double each = parts <= more ? left / parts : stable;
        bool is_last = parts < 1.5 || more == 1;
        substep(pipes, each, is_last);
        left = parts < 1.5 ? 0.0 : left - each;
        ++n;
    }
    if (report) {
        *report = (TarnStepReport){ .substeps = n,
                                    .flags = left > 0.0 ? TARN_STEP_TIME_CUT : 0u,
                                    .time_advanced = (double)dt - left,
                                    .time_dropped = left,
                                    .time_limit = left > 0.0 ? "pipes.max_substeps" : NULL,
                                    .stable_dt = shortest,
                                    .tiles_awake = pipes->blocks,
                                    .tiles_total = pipes->blocks };
    }
    pipes->time += (double)dt - left;
    return TARN_OK;
}
