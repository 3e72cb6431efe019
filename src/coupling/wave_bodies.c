// Bodies and heightfield waves, both ways.
//
// Method   [Mueller2007]: each column stores the length r that bodies displace below the surface. The
//          change of r is spread to the neighbors; each column lifts its body by rho g h^2 r. A body
//          that is fully under water and moves straight down changes no r, so it leaves no hole.
// Differs  1. r counts from a surface that follows the water slowly (calm_time), not from the present
//          one: that one is lifted by the push itself, and the loop excites noise under a floating box
//          (measured; a lag of one frame or two substeps per frame is enough for it to grow). A loop
//          through a slow surface grows at wave_gain / (2 calm_time) at most, which is far less than
//          what the waves carry away from under the body.
//          2. Half of a change is spread to the four neighbors, half stays (S = 1 + lap / 8), and the
//          surface that a body feels is smoothed with the same S: no grid-sized spikes.
//          3. A light body rides the waves and cannot push them: its share of wave_gain is m / (m + a)
//          with the added mass a of its footprint. What is held back from the waves lifts the level of
//          the whole basin instead, so that the volume is exact for any gain.
//          4. The stiffness of the waterplane and the drag are taken implicitly and handed out as plain
//          forces: light bodies of any size are stable in the host's explicit integrator.
// Source   [Mueller2007], and [Thuerey2007b] eq. (10).
// Checked  tests/physics/check_wave.c: Archimedes, neutral buoyancy, in and out, bathtub.

#include "tarn/coupling.h"
#include "coupling/floating.h"
#include "waves/wave_internal.h"
#include <math.h>

// ---- From bodies to columns --------------------------------------------------------------------

// What the columns of one body add up to.
typedef struct Sums {
    FloatSums all;
    double rise; // of the surface at the waterplane, times area [m^3/s]
} Sums;

static Columns columns_of(const TarnWave* wave)
{
    return (Columns){ wave->def.nx, wave->def.nz, wave->def.dx, tarn_wave_origin(wave) };
}

static bool is_water(const TarnWave* wave, int i, int k)
{
    return i >= 0 && k >= 0 && i < wave->def.nx && k < wave->def.nz &&
           wave_is_wet(wave, wave_cell(wave, i, k));
}

// S: half of a value stays, an eighth goes to each neighbor that is water. Symmetric, and keeps sums.
static float spread(const TarnWave* wave, const float* field, int i, int k)
{
    size_t c = wave_cell(wave, i, k);
    float here = field[c];
    float west = is_water(wave, i - 1, k) ? field[c - 1] - here : 0.0f;
    float east = is_water(wave, i + 1, k) ? field[c + 1] - here : 0.0f;
    float south = is_water(wave, i, k - 1) ? field[c - (size_t)wave->stride] - here : 0.0f;
    float north = is_water(wave, i, k + 1) ? field[c + (size_t)wave->stride] - here : 0.0f;
    return here + 0.125f * ((west + east) + (south + north));
}

// Surface slope along x or z. A wall counts as level with the water in front of it.
static float slope(const TarnWave* wave, int i, int k, int di, int dk)
{
    float here = wave->u[wave_cell(wave, i, k)];
    float ahead = is_water(wave, i + di, k + dk) ? wave->u[wave_cell(wave, i + di, k + dk)] : here;
    float behind = is_water(wave, i - di, k - dk) ? wave->u[wave_cell(wave, i - di, k - dk)] : here;
    return (ahead - behind) / (2.0f * wave->def.dx);
}

static float felt_surface(const TarnWave* wave, int i, int k)
{
    return tarn_wave_level(wave) + spread(wave, wave->u, i, k);
}

// The surface that displacement counts from: as felt when a body first comes, slow from then on.
static float calm_surface(const TarnWave* wave, int i, int k, float felt)
{
    size_t c = wave_cell(wave, i, k);
    return wave->displaced[c] != 0.0f ? wave->calm[c] : felt;
}

// Mean length of a cell's samples below the calm surface [m].
static float displaced_length(const TarnWave* wave, const TarnBody* body, const Footprint* f, int i,
                              int k)
{
    Columns grid = columns_of(wave);
    float calm = calm_surface(wave, i, k, felt_surface(wave, i, k)), sum = 0.0f;
    int n_samples = f->samples * f->samples;
    for (int n = 0; n < n_samples; ++n) {
        Span span;
        if (!tarn__footprint_sample(&grid, body, f, i, k, n, &span)) continue;
        sum += tarn_maxf(tarn_minf(span.hi, calm) - span.lo, 0.0f);
    }
    return sum / (float)n_samples;
}

// Mean over a cell's samples: length below the surface [m], and the share that pierces it.
typedef struct Column {
    float length, cut;
} Column;

static Column sample_cell(const TarnWave* wave, const TarnBody* body, const Footprint* f,
                          Sums* sums, int i, int k)
{
    Columns grid = columns_of(wave);
    float part = wave->def.dx / (float)f->samples;
    float nowhere = -2.0f * wave_limit;
    float felt = is_water(wave, i, k) ? felt_surface(wave, i, k) : nowhere;
    Column column = { 0.0f, 0.0f };
    int n_samples = f->samples * f->samples;
    for (int n = 0; n < n_samples; ++n) {
        Span span;
        if (!tarn__footprint_sample(&grid, body, f, i, k, n, &span)) continue;
        float length = tarn__float_column(&sums->all, body, &span, felt, part * part);
        column.length += length;
        column.cut += length > 0.0f && felt < span.hi ? 1.0f : 0.0f;
    }
    return (Column){ column.length / (float)n_samples, column.cut / (float)n_samples };
}

// Forces that act cell by cell: the slope of the surface pushes sideways.
static void add_slope_force(const TarnWave* wave, const TarnBody* body, const Footprint* f,
                            Sums* sums, int i, int k, Column column)
{
    float h = wave->def.dx, volume = column.length * h * h;
    float weight = wave->params.density * wave->def.gravity;
    TarnVec2 fall = { slope(wave, i, k, 1, 0), slope(wave, i, k, 0, 1) };
    float x = f->x0 + ((float)i + 0.5f) * h - body->state.position.x;
    float z = f->z0 + ((float)k + 0.5f) * h - body->state.position.z;
    size_t c = wave_cell(wave, i, k);
    float rise = wave->dt > 0.0f ? (wave->u[c] - wave->prev[c]) / wave->dt : 0.0f;
    sums->rise += (double)(rise * column.cut * h * h);
    tarn__float_weight(&sums->all, weight, volume, fall, x, z);
}

// Share of the displaced water that a body pushes into waves.
static float push_share(const TarnWave* wave, const TarnBody* body, const Footprint* f)
{
    float added = tarn__float_added_mass(f->narrow, f->wide, wave->params.density);
    return wave->params.wave_gain * body->mass / (body->mass + added);
}

static void press_cell(TarnWave* wave, int i, int k, float displaced, float share)
{
    if (!(displaced > 0.0f)) return;
    wave->displaced_sum += (double)displaced;
    if (share == 0.0f) return;
    wave->target[wave_cell(wave, i, k)] += share * displaced;
    wave->pressed[(size_t)(k / WAVE_TILE_Z) * (size_t)wave->tiles_x + (size_t)(i / WAVE_TILE_X)] =
        1;
}

// A body so thin that samples may miss it: one column through its center, with its true volume.
static bool center_column(const TarnWave* wave, const TarnBody* body, const Footprint* f,
                          int cell[2], Span* span, float* area)
{
    float h = wave->def.dx;
    TarnVec3 p = body->state.position;
    cell[0] = (int)floorf(tarn_clampf((p.x - f->x0) / h, -1.0f, (float)wave->def.nx));
    cell[1] = (int)floorf(tarn_clampf((p.z - f->z0) / h, -1.0f, (float)wave->def.nz));
    span->at = p;
    if (!is_water(wave, cell[0], cell[1])) return false;
    if (!tarn__body_span(body, p.x, p.z, &span->lo, &span->hi) || !(span->hi - span->lo > 1e-6f))
        return false;
    *area = body->volume / (span->hi - span->lo);
    return true;
}

// First half of a frame: the water that bodies displace.
static void press(TarnWave* wave, const TarnBody* body)
{
    Columns grid = columns_of(wave);
    Footprint f = tarn__footprint(&grid, body);
    float h = wave->def.dx, area, share = push_share(wave, body, &f);
    int cell[2];
    Span span;
    if (tarn__footprint_is_thin(&grid, &f)) {
        if (!center_column(wave, body, &f, cell, &span, &area)) return;
        float calm = calm_surface(wave, cell[0], cell[1], felt_surface(wave, cell[0], cell[1]));
        press_cell(wave, cell[0], cell[1], (tarn_minf(span.hi, calm) - span.lo) * area / (h * h),
                   share);
        return;
    }
    for (int k = f.k0; k < f.k1; ++k) {
        for (int i = f.i0; i < f.i1; ++i) {
            if (is_water(wave, i, k))
                press_cell(wave, i, k, displaced_length(wave, body, &f, i, k), share);
        }
    }
}

// Second half: what the water, now pushed, does to the body.
static Sums measure(const TarnWave* wave, const TarnBody* body)
{
    Sums sums = { 0 };
    Columns grid = columns_of(wave);
    Footprint f = tarn__footprint(&grid, body);
    float h = wave->def.dx, area;
    int cell[2];
    Span span;
    if (tarn__footprint_is_thin(&grid, &f)) {
        if (!center_column(wave, body, &f, cell, &span, &area)) return sums;
        float felt = felt_surface(wave, cell[0], cell[1]), share = area / (h * h);
        float length = tarn__float_column(&sums.all, body, &span, felt, area);
        Column column = { length * share,
                          length > 0.0f && felt < span.hi ? tarn_minf(share, 1.0f) : 0.0f };
        add_slope_force(wave, body, &f, &sums, cell[0], cell[1], column);
        return sums;
    }
    for (int k = f.k0; k < f.k1; ++k) {
        for (int i = f.i0; i < f.i1; ++i) {
            Column column = sample_cell(wave, body, &f, &sums, i, k);
            if (column.length > 0.0f) add_slope_force(wave, body, &f, &sums, i, k, column);
        }
    }
    return sums;
}

// ---- From columns to forces --------------------------------------------------------------------

static void apply_forces(const TarnWave* wave, TarnBodies* bodies, TarnBody* body, const Sums* sums,
                         float dt)
{
    const TarnWaveParams* p = &wave->params;
    const FloatSums* all = &sums->all;
    if (!(all->volume > 0.0)) return;
    double right = tarn__float_right(body, all->all_volume);
    FloatLoads loads = { .force = to_vec3(all->force, right),
                         .torque = to_vec3(all->torque, right),
                         .volume = (float)(all->volume * right),
                         .slip = body->state.velocity };
    tarn__float_center(all, loads.force, &loads.torque);
    if (all->plane > 0.0) loads.slip.y -= (float)(sums->rise / all->plane);
    float share = tarn_minf(loads.volume / body->volume, 1.0f);
    float cross_section = 1.2090f * tarn_pow(body->volume, 0.6666667f); // pi R^2 for a sphere
    float speed = vec3_length(loads.slip), weight = p->density * wave->def.gravity;
    loads.drag = share * p->density *
                 (p->body_damping * body->volume + 0.5f * p->body_drag * cross_section * speed);
    loads.force = vec3_sub(loads.force, vec3_scale(loads.slip, loads.drag));
    loads.spring = weight * (float)(all->plane * right);
    loads.stiffness = 2.0f * loads.spring; // the water it pushes up lifts it, too
    loads.spin_stiffness = weight * (float)(all->plane_lever * right);
    loads.spin_decay = share * (p->body_damping + loads.drag / body->mass);
    tarn__float_apply(bodies, body, &loads, dt);
}

// ---- From columns to waves ---------------------------------------------------------------------

typedef struct Push {
    TarnWave* wave;
    float limit;  // of the change of a column in this frame [m]
    float follow; // share of the way that the calm surface goes in this frame
    float calm;   // pushes below this do not wake a tile [m]
    double* sums;
    bool is_start; // bodies that are in the water from the start have pushed it aside long ago
} Push;

static bool is_near_pressed(const TarnWave* wave, int tx, int tz)
{
    for (int z = tz > 0 ? tz - 1 : 0; z <= tz + 1 && z < wave->tiles_z; ++z) {
        for (int x = tx > 0 ? tx - 1 : 0; x <= tx + 1 && x < wave->tiles_x; ++x) {
            if (wave->pressed[(size_t)z * (size_t)wave->tiles_x + (size_t)x]) return true;
        }
    }
    return false;
}

// Calls fn for the rows of the pressed tiles in a row of tiles, and with is_wide of their neighbors.
typedef void RowFn(Push* push, int i0, int i1, int k);
static void for_pressed(Push* push, int tz, bool is_wide, RowFn* fn)
{
    TarnWave* wave = push->wave;
    for (int tx = 0; tx < wave->tiles_x; ++tx) {
        bool is_pressed = wave->pressed[(size_t)tz * (size_t)wave->tiles_x + (size_t)tx];
        if (!(is_wide ? is_near_pressed(wave, tx, tz) : is_pressed)) continue;
        int i0 = tx * WAVE_TILE_X, k0 = tz * WAVE_TILE_Z;
        int i1 = i0 + WAVE_TILE_X < wave->def.nx ? i0 + WAVE_TILE_X : wave->def.nx;
        for (int k = k0; k < k0 + WAVE_TILE_Z && k < wave->def.nz; ++k) fn(push, i0, i1, k);
    }
}

// The scratch fields are zero between frames, so that a frame depends on the state alone.
static void clear_row(Push* push, int i0, int i1, int k)
{
    TarnWave* wave = push->wave;
    size_t c = wave_cell(wave, i0, k), bytes = (size_t)(i1 - i0) * sizeof(float);
    memset(wave->target + c, 0, bytes);
    memset(wave->change + c, 0, bytes);
}

static void change_row(Push* push, int i0, int i1, int k)
{
    TarnWave* wave = push->wave;
    for (int i = i0; i < i1; ++i) {
        size_t c = wave_cell(wave, i, k);
        if (wave->target[c] == 0.0f && wave->displaced[c] == 0.0f) continue; // change is zero too
        if (wave->target[c] != 0.0f) {
            float felt = felt_surface(wave, i, k), calm = calm_surface(wave, i, k, felt);
            wave->calm[c] = calm + push->follow * (felt - calm);
        }
        wave->change[c] =
            tarn_clampf(wave->target[c] - wave->displaced[c], -push->limit, push->limit);
        if (push->is_start) {
            wave->displaced[c] += wave->change[c];
            wave->change[c] = 0.0f;
        }
    }
}

static bool has_change(const TarnWave* wave, int i0, int i1, int k)
{
    const float* row = wave->change + (ptrdiff_t)k * wave->stride;
    int32_t any = 0;
    for (int i = i0; i < i1; ++i) {
        int32_t bits;
        memcpy(&bits, row + i, sizeof bits);
        any |= bits;
    }
    return any != 0;
}

static void inject_row(Push* push, int i0, int i1, int k)
{
    TarnWave* wave = push->wave;
    if (!has_change(wave, i0 - 1, i1 + 1, k) && !has_change(wave, i0, i1, k - 1) &&
        !has_change(wave, i0, i1, k + 1)) {
        return; // most rows: a body is smaller than a tile
    }
    double sum = 0.0;
    float peak = 0.0f;
    for (int i = i0; i < i1; ++i) {
        if (!is_water(wave, i, k)) continue;
        size_t c = wave_cell(wave, i, k);
        float amount = spread(wave, wave->change, i, k);
        wave->displaced[c] += wave->change[c];
        if (amount == 0.0f) continue;
        sum += (double)tarn__wave_add(wave, c, amount);
        peak = tarn_maxf(peak, fabsf(amount));
    }
    push->sums[k / WAVE_TILE_Z] += sum;
    if (peak > push->calm) tarn__wave_touch(wave, i0, i1, k, k + 1);
}

static void clear_tiles(int tz, void* data)
{
    for_pressed(data, tz, true, clear_row);
}
static void change_tiles(int tz, void* data)
{
    for_pressed(data, tz, false, change_row);
}
static void inject_tiles(int tz, void* data)
{
    ((Push*)data)->sums[tz] = 0.0;
    for_pressed(data, tz, true, inject_row);
}
// A tile in which nothing is displaced any more is let go, after its scratch fields are cleared.
static void release_tiles(TarnWave* wave)
{
    for (int t = 0; t < wave->tiles_x * wave->tiles_z; ++t) {
        if (!wave->pressed[t]) continue;
        int i0 = t % wave->tiles_x * WAVE_TILE_X, k0 = t / wave->tiles_x * WAVE_TILE_Z;
        bool is_free = true;
        for (int k = k0; k < k0 + WAVE_TILE_Z && k < wave->def.nz && is_free; ++k) {
            for (int i = i0; i < i0 + WAVE_TILE_X && i < wave->def.nx; ++i) {
                size_t c = wave_cell(wave, i, k);
                if (wave->displaced[c] != 0.0f) is_free = false;
            }
        }
        if (is_free) wave->pressed[t] = 0;
    }
}

static void push_water(TarnWave* wave, float dt)
{
    TarnContext* ctx = wave->ctx;
    Push push = { .wave = wave,
                  .limit = wave->params.max_push * dt,
                  .follow = 1.0f - tarn_exp(-dt / wave->params.calm_time),
                  .calm = wave->def.sleep_speed * dt,
                  .is_start = wave->time == 0.0 && wave->carry == 0.0,
                  .sums = wave->row_sums };
    if (push.is_start) push.limit = wave_limit;
    tarn__parallel_for(ctx, wave->tiles_z, change_tiles, &push);
    tarn__parallel_for(ctx, wave->tiles_z, inject_tiles, &push);
    double injected = tarn__sum(push.sums, wave->tiles_z);
    wave->injected += injected;
    wave->expected += injected;
    wave->is_edited = true;
    tarn__parallel_for(ctx, wave->tiles_z, clear_tiles, &push);
    release_tiles(wave);
    if (tarn__wave_is_closed(wave) && wave->wet_cells > 0) {
        wave->lift = (float)((wave->displaced_sum - wave->injected) / wave->wet_cells);
    }
}

typedef struct Measure {
    const TarnWave* wave;
    TarnBodies* bodies;
    float dt;
} Measure;

static void measure_body(int slot, void* data)
{
    const Measure* all = data;
    TarnBody* body = tarn__bodies_slot(all->bodies, slot);
    if (!body->is_used) return;
    Sums sums = measure(all->wave, body);
    apply_forces(all->wave, all->bodies, body, &sums, all->dt);
}

TarnResult tarn_couple_wave_bodies(TarnWave* wave, TarnBodies* bodies, float dt)
{
    if (wave == NULL || bodies == NULL) return TARN_ERR_ARG;
    if (wave->displaced == NULL) {
        return tarn__fail(wave->ctx, TARN_ERR_ARG,
                          "tarn_couple_wave_bodies: the wave solver has no arrays for bodies; "
                          "create it with use_bodies");
    }
    if (!(dt >= 0.0f && dt <= 10.0f)) {
        return tarn__fail(wave->ctx, TARN_ERR_ARG,
                          "tarn_couple_wave_bodies: dt %g s is out of range; allowed: 0 to 10 s",
                          (double)dt);
    }
    // Push, then measure: both sides then see the same water, and the pair is symplectic. The other way
    // round each lags the other, and floating bodies gain energy.
    wave->displaced_sum = 0.0;
    for (int b = 0; b < tarn__bodies_capacity(bodies); ++b) {
        const TarnBody* body = tarn__bodies_slot(bodies, b);
        if (body->is_used) press(wave, body);
    }
    push_water(wave, dt);
    Measure all = { wave, bodies, dt };
    tarn__bodies_open_forces(bodies);
    tarn__parallel_for(wave->ctx, tarn__bodies_capacity(bodies), measure_body, &all);
    return TARN_OK;
}
