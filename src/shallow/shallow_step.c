// The step of the shallow-water solver, read it top to bottom: which tiles are awake, the sweep,
// weather, how long a substep may be, and at the end tarn_shallow_step. Method: shallow.c.

#include "shallow/shallow_kernels.h"
#include "base/maths.h"
#include <math.h>

// ---- Tiles --------------------------------------------------------------------------------------

static int clamp_int(int x, int lo, int hi)
{
    return x < lo ? lo : x > hi ? hi : x;
}

void tarn__shallow_touch(TarnShallow* water, int i0, int i1, int k0, int k1)
{
    if (i0 >= i1 || k0 >= k1) return;
    int tx0 = clamp_int(i0 / SHALLOW_TILE_X, 0, water->tiles_x - 1);
    int tx1 = clamp_int((i1 - 1) / SHALLOW_TILE_X, 0, water->tiles_x - 1);
    int tz0 = clamp_int(k0 / SHALLOW_TILE_Z, 0, water->tiles_z - 1);
    int tz1 = clamp_int((k1 - 1) / SHALLOW_TILE_Z, 0, water->tiles_z - 1);
    for (int tz = tz0; tz <= tz1; ++tz) {
        memset(&water->quiet[shallow_tile(water, tx0, tz)], 0, (size_t)(tx1 - tx0 + 1));
    }
}

// The neighbor of a tile, around periodic edges too; -1: none.
static ptrdiff_t neighbor(const TarnShallow* water, int tx, int tz)
{
    bool wraps_x = water->def.edge_x0 == TARN_SHALLOW_PERIODIC;
    bool wraps_z = water->def.edge_z0 == TARN_SHALLOW_PERIODIC;
    if (wraps_x) tx = (tx + water->tiles_x) % water->tiles_x;
    if (wraps_z) tz = (tz + water->tiles_z) % water->tiles_z;
    bool is_inside = tx >= 0 && tx < water->tiles_x && tz >= 0 && tz < water->tiles_z;
    return is_inside ? (ptrdiff_t)shallow_tile(water, tx, tz) : -1;
}

// A tile is computed if it or one of its eight neighbors is not calm.
static bool is_needed(const TarnShallow* water, int tx, int tz)
{
    for (int z = tz - 1; z <= tz + 1; ++z) {
        for (int x = tx - 1; x <= tx + 1; ++x) {
            ptrdiff_t t = neighbor(water, x, z);
            if (t >= 0 && water->quiet[t] < SHALLOW_CALM_CHECKS) return true;
        }
    }
    return false;
}

static ShallowExtremes larger(ShallowExtremes a, ShallowExtremes b)
{
    return (ShallowExtremes){ .h = a.h > b.h ? a.h : b.h,
                              .u_min = a.u_min < b.u_min ? a.u_min : b.u_min,
                              .u_max = a.u_max > b.u_max ? a.u_max : b.u_max,
                              .w_min = a.w_min < b.w_min ? a.w_min : b.w_min,
                              .w_max = a.w_max > b.w_max ? a.w_max : b.w_max };
}

// A sleeping tile has no speed, neither through the faces that its neighbors own, and both sets of
// fields are equal, so that swapping them changes nothing.
static void put_to_sleep(TarnShallow* water, int tx, int tz)
{
    int i0 = tx * SHALLOW_TILE_X, k0 = tz * SHALLOW_TILE_Z, nx = water->def.nx, nz = water->def.nz;
    int i1 = i0 + SHALLOW_TILE_X < nx ? i0 + SHALLOW_TILE_X : nx;
    int k1 = k0 + SHALLOW_TILE_Z < nz ? k0 + SHALLOW_TILE_Z : nz;
    int right = i1 == nx && water->def.edge_x0 == TARN_SHALLOW_PERIODIC ? 0 : i1;
    int above = k1 == nz && water->def.edge_z0 == TARN_SHALLOW_PERIODIC ? 0 : k1;
    size_t bytes = (size_t)(i1 - i0) * sizeof(float);
    for (int k = k0; k < k1; ++k) {
        size_t c = shallow_cell(water, i0, k), side = shallow_cell(water, right, k);
        memcpy(water->h1 + c, water->h + c, bytes);
        memset(water->u + c, 0, bytes);
        memset(water->w + c, 0, bytes);
        memset(water->u1 + c, 0, bytes);
        memset(water->w1 + c, 0, bytes);
        water->u[side] = water->u1[side] = 0.0f;
    }
    memset(water->w + shallow_cell(water, i0, above), 0, bytes);
    memset(water->w1 + shallow_cell(water, i0, above), 0, bytes);
}

// Nobody knows how deep it is until it is computed again.
static void wake(TarnShallow* water, int tx, int tz)
{
    int i0 = tx * SHALLOW_TILE_X, k0 = tz * SHALLOW_TILE_Z;
    int n = water->def.nx - i0 < SHALLOW_TILE_X ? water->def.nx - i0 : SHALLOW_TILE_X;
    int rows = water->def.nz - k0 < SHALLOW_TILE_Z ? water->def.nz - k0 : SHALLOW_TILE_Z;
    size_t c = shallow_cell(water, i0, k0);
    ShallowExtremes x =
        water->kernels->extremes(water->h + c, water->u + c, water->w + c, water->stride, n, rows);
    water->known = larger(water->known, x);
}

// Within an implicit substep water may answer everywhere: its tiles sleep all together or not at all.
static bool is_any_loud(const TarnShallow* water)
{
    for (int t = 0; t < water->tiles_x * water->tiles_z; ++t)
        if (water->quiet[t] < SHALLOW_CALM_CHECKS) return true;
    return false;
}

static int mark_awake(TarnShallow* water)
{
    int n_awake = 0;
    bool wakes_all = shallow_is_implicit(water) && is_any_loud(water);
    for (int tz = 0; tz < water->tiles_z; ++tz) {
        for (int tx = 0; tx < water->tiles_x; ++tx) {
            size_t t = shallow_tile(water, tx, tz);
            bool is_awake =
                wakes_all || water->quiet[t] < SHALLOW_CALM_CHECKS || is_needed(water, tx, tz);
            if (water->awake[t] && !is_awake) put_to_sleep(water, tx, tz);
            if (!water->awake[t] && is_awake) wake(water, tx, tz);
            water->awake[t] = is_awake;
            n_awake += is_awake;
        }
    }
    return n_awake;
}

// Could water flow between two cells whose face is held still because one of them sleeps?
static bool would_flow(const TarnShallow* water, size_t c, size_t d, float least)
{
    float step = (water->b[d] - water->b[c]) + (water->h[d] - water->h[c]);
    size_t high = step > 0.0f ? d : c, low = step > 0.0f ? c : d;
    float sill = water->b[low] - water->b[high];
    float over = water->h[high] - (sill > 0.0f ? sill : 0.0f);
    return over > water->dry_depth && fabsf(step) > least;
}

// Along the border of an awake tile with a sleeping one. The face between them does not move, so the
// tile is loud as soon as it should.
static bool presses(const TarnShallow* water, int tx, int tz, int dx, int dz, float least)
{
    ptrdiff_t other = neighbor(water, tx + dx, tz + dz);
    if (other < 0 || water->awake[other]) return false;
    int i0 = tx * SHALLOW_TILE_X, k0 = tz * SHALLOW_TILE_Z;
    int i1 = i0 + SHALLOW_TILE_X < water->def.nx ? i0 + SHALLOW_TILE_X : water->def.nx;
    int k1 = k0 + SHALLOW_TILE_Z < water->def.nz ? k0 + SHALLOW_TILE_Z : water->def.nz;
    if (dx != 0) i0 = dx < 0 ? i0 : i1 - 1, i1 = i0 + 1;
    if (dz != 0) k0 = dz < 0 ? k0 : k1 - 1, k1 = k0 + 1;
    for (int k = k0; k < k1; ++k) {
        for (int i = i0; i < i1; ++i) {
            int at_i = (i + dx + water->def.nx) % water->def.nx; // around periodic edges
            int at_k = (k + dz + water->def.nz) % water->def.nz;
            if (would_flow(water, shallow_cell(water, i, k), shallow_cell(water, at_i, at_k),
                           least))
                return true;
        }
    }
    return false;
}

// Whether something in these cells is faster than water that may sleep. A few rows at a time: where
// water flows the first ones tell.
static bool moves(const TarnShallow* water, int i0, int k0, int n, int rows)
{
    float limit = water->def.sleep_speed;
    bool is_loud = limit == 0.0f;
    for (int k = 0; k < rows && !is_loud; k += 4) {
        size_t c = shallow_cell(water, i0, k0 + k);
        ShallowExtremes x = water->kernels->extremes(water->h + c, water->u + c, water->w + c,
                                                     water->stride, n, rows - k < 4 ? rows - k : 4);
        is_loud = x.u_max > limit || x.u_min < -limit || x.w_max > limit || x.w_min < -limit;
    }
    return is_loud;
}

static void check_tile_row(int tz, void* data)
{
    TarnShallow* water = data;
    const TarnShallowDef* def = &water->def;
    float least = 15.0f * def->sleep_speed * def->dx / def->gravity; // a kick in 1/15 s
    int k0 = tz * SHALLOW_TILE_Z;
    int rows = def->nz - k0 < SHALLOW_TILE_Z ? def->nz - k0 : SHALLOW_TILE_Z;
    for (int tx = 0; tx < water->tiles_x; ++tx) {
        size_t t = shallow_tile(water, tx, tz);
        if (!water->awake[t]) continue;
        int i0 = tx * SHALLOW_TILE_X;
        int n = def->nx - i0 < SHALLOW_TILE_X ? def->nx - i0 : SHALLOW_TILE_X;
        bool is_loud = moves(water, i0, k0, n, rows) || presses(water, tx, tz, -1, 0, least) ||
                       presses(water, tx, tz, 1, 0, least) ||
                       presses(water, tx, tz, 0, -1, least) || presses(water, tx, tz, 0, 1, least);
        if (is_loud)
            water->quiet[t] = 0;
        else if (water->quiet[t] < SHALLOW_CALM_CHECKS)
            ++water->quiet[t];
    }
}

// ---- Sweep --------------------------------------------------------------------------------------

typedef struct Substep {
    TarnShallow* water;
    ShallowSweep sweep;
} Substep;

// The faces that awake tiles share with sleeping ones stay still.
static void hold_faces(const Substep* step, int tx, int tz, int k0, int k1)
{
    const TarnShallow* water = step->water;
    int i0 = tx * SHALLOW_TILE_X;
    int n = water->def.nx - i0 < SHALLOW_TILE_X ? water->def.nx - i0 : SHALLOW_TILE_X;
    ptrdiff_t left = neighbor(water, tx - 1, tz), below = neighbor(water, tx, tz - 1);
    if (left >= 0 && !water->awake[left]) {
        for (int k = k0; k < k1; ++k) water->u1[shallow_cell(water, i0, k)] = 0.0f;
    }
    if (below >= 0 && !water->awake[below]) {
        memset(&water->w1[shallow_cell(water, i0, k0)], 0, (size_t)n * sizeof(float));
    }
}

// One row of tiles, strip by strip: runs of awake tiles are swept together.
static void sweep_tile_row(int tz, void* data)
{
    const Substep* step = data;
    TarnShallow* water = step->water;
    enum { PER_STRIP = SHALLOW_STRIP / SHALLOW_TILE_X };
    int k0 = tz * SHALLOW_TILE_Z;
    int k1 = k0 + SHALLOW_TILE_Z < water->def.nz ? k0 + SHALLOW_TILE_Z : water->def.nz;
    float* scratch = water->scratch + (size_t)tz * SHALLOW_ROWS * (size_t)water->scratch_row;
    const uint8_t* awake = &water->awake[shallow_tile(water, 0, tz)];
    ShallowExtremes x = { 0 };
    for (int strip = 0; strip < water->strips; ++strip) {
        int tx = strip * PER_STRIP,
            last = tx + PER_STRIP < water->tiles_x ? tx + PER_STRIP : water->tiles_x;
        while (tx < last) {
            int end = tx + 1;
            if (awake[tx]) {
                while (end < last && awake[end]) ++end;
                int i1 =
                    end * SHALLOW_TILE_X < water->def.nx ? end * SHALLOW_TILE_X : water->def.nx;
                x = larger(x, water->kernels->sweep(&step->sweep, tx * SHALLOW_TILE_X, i1, k0, k1,
                                                    scratch));
                for (int t = tx; t < end; ++t) hold_faces(step, t, tz, k0, k1);
            }
            tx = end;
        }
    }
    water->row_extremes[tz] = x;
}

static void swap(float** a, float** b)
{
    float* t = *a;
    *a = *b;
    *b = t;
}

// Extremes of the whole grid, so that a mirrored or transposed grid takes the same substeps.
static ShallowExtremes all_extremes(const TarnShallow* water)
{
    return larger(water->known, larger(water->edge, water->edited));
}
static float larger_size(float min, float max)
{
    return max > -min ? max : -min;
}

static const float bore_strength = 0.5f;

static ShallowSweep make_sweep(const TarnShallow* water, float dt)
{
    const TarnShallowDef* def = &water->def;
    const TarnShallowParams* params = &water->params;
    static const float squeeze[4] = {
        [TARN_ADVECTION_NONE] = 0.5f, [TARN_ADVECTION_MOMENTUM] = 1.0f
    };
    ShallowExtremes x = all_extremes(water);
    float u = larger_size(x.u_min, x.u_max), w = larger_size(x.w_min, x.w_max), k = dt / def->dx;
    return (ShallowSweep){
        .h = water->h,
        .u = water->u,
        .w = water->w,
        .b = water->b,
        .h1 = water->h1,
        .u1 = water->u1,
        .w1 = water->w1,
        .stride = water->stride,
        .nx = def->nx,
        .nz = def->nz,
        .holds_x0 = def->edge_x0 != TARN_SHALLOW_PERIODIC,
        .holds_z0 = def->edge_z0 != TARN_SHALLOW_PERIODIC,
        .scratch_row = water->scratch_row,
        .has_momentum = def->advection == TARN_ADVECTION_MOMENTUM,
        .k = k,
        .squeeze_k = squeeze[def->advection] * k,
        .share_x = 0.5f - 0.5f * (k * w),
        .share_z = 0.5f - 0.5f * (k * u),
        .share = 0.5f - 0.5f * (k * (u + w)),
        .gravity_k = def->gravity * dt / def->dx,
        .snap = 1.5f * 0x1p23f * water->grain,
        .bore_k = 2.0f * bore_strength * dt / def->dx,
        .climb = 1.0f / def->gravity,
        .dry = water->dry_depth,
        .steep = def->dx,
        .fall = def->fall_drop,
        .resist = 1.0f + params->damping * dt,
        .half_drag_dt = 0.5f * params->drag * dt,
        .wind_x = params->wind.x * dt,
        .wind_z = params->wind.y * dt,
        .max_speed = params->max_speed,
    };
}

// ---- Weather ------------------------------------------------------------------------------------

typedef struct Weather {
    TarnShallow* water;
    float rain, evaporation; // whole grains [m]
} Weather;

static void weather_row(int tz, void* data)
{
    const Weather* weather = data;
    TarnShallow* water = weather->water;
    double lost = 0.0, gained = 0.0;
    for (int k = tz * SHALLOW_TILE_Z; k < (tz + 1) * SHALLOW_TILE_Z && k < water->def.nz; ++k) {
        float* h = water->h + shallow_cell(water, 0, k);
        for (int i = 0; i < water->def.nx; ++i) {
            float wet = h[i] + weather->rain;
            float dry = wet < weather->evaporation ? wet : weather->evaporation;
            gained += (double)wet - (double)h[i]; // beyond max_depth even this rounds
            lost += (double)dry;
            h[i] = wet - dry;
        }
    }
    water->row_sums[tz] = lost;
    water->row_sums[water->tiles_z + tz] = gained;
}

// Rain and evaporation for dt [s], in whole grains; the rest waits.
static void weather(TarnShallow* water, double dt)
{
    const double mm_per_hour = 1e-3 / 3600.0;
    double grain = water->grain;
    water->rain_due += (double)water->params.rain * mm_per_hour * dt;
    water->evaporation_due += (double)water->params.evaporation * mm_per_hour * dt;
    double rain = floor(water->rain_due / grain) * grain;
    double evaporation = floor(water->evaporation_due / grain) * grain;
    if (rain == 0.0 && evaporation == 0.0) return;
    water->rain_due -= rain;
    water->evaporation_due -= evaporation;
    Weather now = { water, (float)rain, (float)evaporation };
    tarn__parallel_for(water->ctx, water->tiles_z, weather_row, &now);
    water->sums.rain += tarn__sum(water->row_sums + water->tiles_z, water->tiles_z);
    water->sums.evaporated -= tarn__sum(water->row_sums, water->tiles_z);
    water->known.h += (float)rain;
    tarn__shallow_touch(water, 0, water->def.nx, 0, water->def.nz);
}

// ---- Step ---------------------------------------------------------------------------------------

static void find_extremes_row(int tz, void* data)
{
    TarnShallow* water = data;
    int k0 = tz * SHALLOW_TILE_Z;
    int rows = water->def.nz - k0 < SHALLOW_TILE_Z ? water->def.nz - k0 : SHALLOW_TILE_Z;
    size_t c = shallow_cell(water, 0, k0);
    water->row_extremes[tz] = water->kernels->extremes(water->h + c, water->u + c, water->w + c,
                                                       water->stride, water->def.nx, rows);
}

static void join_extremes(TarnShallow* water)
{
    water->known = (ShallowExtremes){ 0 };
    for (int tz = 0; tz < water->tiles_z; ++tz)
        water->known = larger(water->known, water->row_extremes[tz]);
}

// Two conditions. Waves and flow must not cross a cell: sqrt(2) c + |u| + |w|, where the root belongs to two
// dimensions; with implicit gravity only the flow counts. And no cell may give more than it has: six tenths
// through its faces, which with the slope at a face is nine tenths. Extremes of the whole grid, so that a
// mirrored or transposed grid takes the same substeps.
static float fastest_rate(const TarnShallow* water)
{
    ShallowExtremes x = all_extremes(water);
    float u = larger_size(x.u_min, x.u_max), w = larger_size(x.w_min, x.w_max);
    float out = (x.u_max - x.u_min) + (x.w_max - x.w_min);
    bool is_carried = water->def.advection == TARN_ADVECTION_SEMI_LAGRANGIAN ||
                      water->def.advection == TARN_ADVECTION_MACCORMACK;
    if (is_carried) out = 2.0f * (u + w); // carried along, any speed may come to any place
    float c = shallow_is_implicit(water) ? 0.0f : sqrtf(water->def.gravity * x.h);
    float waves = 1.4142136f * c + (u + w);
    return waves > 1.5f * out ? waves : 1.5f * out;
}

float tarn__shallow_stable_dt(const TarnShallow* water)
{
    float rate = fastest_rate(water);
    float dt = rate > 0.0f ? water->def.courant * water->def.dx / rate : 10.0f;
    return dt < 10.0f ? dt : 10.0f;
}

// The first face of a field of velocities, row by row, that is as fast as allowed. Faces lie at the near edge
// of their cells, along x or z.
static bool find_limited(TarnShallow* water, const float* field, bool is_z)
{
    int nx = water->def.nx + (is_z ? 0 : 1), nz = water->def.nz + (is_z ? 1 : 0);
    float limit = water->params.max_speed, dx = water->def.dx;
    TarnVec2 origin = tarn_shallow_origin(water);
    for (int k = 0; k < nz; ++k) {
        for (int i = 0; i < nx; ++i) {
            size_t c = shallow_cell(water, i, k);
            if (field[c] < limit && field[c] > -limit) continue;
            int at_i = i < water->def.nx ? i : i - 1, at_k = k < water->def.nz ? k : k - 1;
            size_t cell = shallow_cell(water, at_i, at_k);
            water->limited.index = at_i + water->def.nx * at_k;
            water->limited.position =
                (TarnVec3){ origin.x + ((float)i + (is_z ? 0.5f : 0.0f)) * dx,
                            water->ground[cell] + water->h[cell],
                            origin.y + ((float)k + (is_z ? 0.0f : 0.5f)) * dx };
            return true;
        }
    }
    return false;
}

static void note_clamped(TarnShallow* water)
{
    if (water->limited.what != NULL) return;
    ShallowExtremes x = water->known;
    float limit = water->params.max_speed;
    bool is_fast = x.u_max >= limit || x.u_min <= -limit || x.w_max >= limit || x.w_min <= -limit;
    if (!is_fast) return;
    water->limited = (TarnStepLimit){ .what = "speed",
                                      .solver = "shallow",
                                      .parameter = "shallow.max_speed",
                                      .unit = "m/s",
                                      .limit = limit,
                                      .index = -1 };
    if (!find_limited(water, water->u, false)) find_limited(water, water->w, true);
}

static void explicit_sweep(TarnShallow* water, float dt, bool is_first)
{
    Substep step = { water, make_sweep(water, dt) };
    water->sums.edges += tarn__shallow_edge_flow(water, &step.sweep);
    tarn__shallow_add_discharge(water, &step.sweep, is_first);
    if (water->falls) tarn__shallow_throw(water, &step.sweep);
    tarn__parallel_for(water->ctx, water->tiles_z, sweep_tile_row, &step);
}

// The sweep without forces carries momentum along; the depths that it finds on the way are dropped. Gravity
// follows with the speeds that came of it.
static void implicit_sweep(TarnShallow* water, float dt, bool is_first)
{
    if (water->def.advection == TARN_ADVECTION_MOMENTUM) {
        Substep step = { water, make_sweep(water, dt) };
        step.sweep.gravity_k = step.sweep.half_drag_dt = 0.0f;
        step.sweep.wind_x = step.sweep.wind_z = 0.0f;
        step.sweep.resist = 1.0f;
        step.sweep.squeeze_k = 0.0f; // as where the flow is carried before: gravity comes after it
        tarn__parallel_for(water->ctx, water->tiles_z, sweep_tile_row, &step);
        swap(&water->u, &water->u1);
        swap(&water->w, &water->w1);
        tarn__shallow_fill_edges(water);
    }
    water->sums.edges += tarn__shallow_gravity(water, dt, is_first);
}

// Ghosts are filled and dt is stable. is_first: of the step.
static void substep(TarnShallow* water, float dt, bool is_first)
{
    int advection = water->def.advection;
    if (advection == TARN_ADVECTION_SEMI_LAGRANGIAN || advection == TARN_ADVECTION_MACCORMACK) {
        tarn__shallow_advect(water, dt);
        tarn__shallow_fill_edges(water);
    }
    bool is_implicit = shallow_is_implicit(water);
    if (!is_implicit)
        explicit_sweep(water, dt, is_first);
    else if (water->n_awake > 0) // all tiles are, or none
        implicit_sweep(water, dt, is_first);
    swap(&water->h, &water->h1);
    swap(&water->u, &water->u1);
    swap(&water->w, &water->w1);
    water->edited = (ShallowExtremes){ 0 };
    if (is_implicit) tarn__parallel_for(water->ctx, water->tiles_z, find_extremes_row, water);
    join_extremes(water);
    tarn__shallow_sponge(water, dt);
    tarn__shallow_radiate(water, dt);
    note_clamped(water);
    if (water->ticks % SHALLOW_CHECK_EVERY == 0)
        tarn__parallel_for(water->ctx, water->tiles_z, check_tile_row, water);
    ++water->ticks;
}

// Without time nothing changes, not even what is known of the water.
static TarnResult report_only(TarnShallow* water, TarnStepReport* report)
{
    ShallowExtremes known = water->known;
    if (water->is_unknown) {
        tarn__parallel_for(water->ctx, water->tiles_z, find_extremes_row, water);
        join_extremes(water);
    }
    if (report) {
        report->stable_dt = (double)tarn__shallow_stable_dt(water);
        report->tiles_awake = water->n_awake;
        report->tiles_total = water->tiles_x * water->tiles_z;
    }
    water->known = known;
    return TARN_OK;
}

TarnResult tarn_shallow_step(TarnShallow* water, float dt, TarnStepReport* report)
{
    if (report) *report = (TarnStepReport){ 0 };
    if (water == NULL) return TARN_ERR_ARG;
    if (!(dt >= 0.0f && dt <= 10.0f)) {
        return tarn__fail(water->ctx, TARN_ERR_ARG,
                          "tarn_shallow_step: dt %g s is out of range; allowed: 0 to 10 s",
                          (double)dt);
    }
    if (dt == 0.0f) return report_only(water, report);
    TarnStepReport done = { .tiles_total = water->tiles_x * water->tiles_z };
    if (water->falls) tarn__shallow_land_throws(water);
    if (water->is_unknown) {
        tarn__parallel_for(water->ctx, water->tiles_z, find_extremes_row, water);
        join_extremes(water);
        water->is_unknown = false;
    }
    water->limited = (TarnStepLimit){ 0 };
    water->is_unsolved = false;
    done.stable_dt = (double)tarn__shallow_stable_dt(water);
    double left = (double)dt;
    while (left > 1e-7 * (double)dt && done.substeps < water->def.max_substeps) {
        tarn__shallow_fill_edges(water); // may wake tiles
        water->n_awake = mark_awake(water);
        double longest = (double)tarn__shallow_stable_dt(water);
        double n = ceil(left / longest - 1e-6);
        double each = n > 1.0 ? left / n : left;
        substep(water, (float)each, done.substeps == 0);
        water->time += each;
        left -= each;
        done.stable_dt = longest;
        ++done.substeps;
    }
    tarn__shallow_fill_edges(water); // for readers of the boundary faces
    for (int side = 0; side < 4; ++side) water->is_sent[side] = false;
    bool is_cut = left > 1e-7 * (double)dt;
    done.time_advanced = is_cut ? (double)dt - left : (double)dt;
    tarn__shallow_mean_discharge(water, done.time_advanced);
    water->thrown_for = (float)done.time_advanced;
    done.time_dropped = is_cut ? left : 0.0;
    done.time_limit = is_cut ? "shallow.max_substeps" : NULL;
    weather(water, done.time_advanced);
    done.flags = (is_cut ? TARN_STEP_TIME_CUT : 0u) |
                 (water->limited.what ? TARN_STEP_CLAMPED : 0u) |
                 (water->is_unsolved ? TARN_STEP_NOT_CONVERGED : 0u);
    done.limited = water->limited;
    done.tiles_awake = water->n_awake;
    if (report) *report = done;
    return TARN_OK;
}
