// The step of the wave solver, read it top to bottom: which tiles are awake, the sweep, edges, level,
// pairs of substeps, and at the end tarn_wave_step. Method and sources: wave.c.

#include "waves/wave_internal.h"
#include "base/maths.h"
#include <math.h>

typedef struct Substep {
    TarnWave* wave;
    WaveSweep sweep;
    bool is_check; // look for tiles that have come to rest
    float calm;    // a tile whose largest change is below this is calm [m]
} Substep;

// A tile is computed if it or one of its eight neighbors is not calm.
static bool is_needed(const TarnWave* wave, int tx, int tz)
{
    for (int z = tz > 0 ? tz - 1 : 0; z <= tz + 1 && z < wave->tiles_z; ++z) {
        for (int x = tx > 0 ? tx - 1 : 0; x <= tx + 1 && x < wave->tiles_x; ++x) {
            if (wave->quiet[(size_t)z * (size_t)wave->tiles_x + (size_t)x] < WAVE_CALM_CHECKS) {
                return true;
            }
        }
    }
    return false;
}

// Around a periodic edge the neighbor is on the other side.
static bool is_needed_across(const TarnWave* wave, int tx, int tz)
{
    const TarnWaveDef* def = &wave->def;
    int last_x = wave->tiles_x - 1, last_z = wave->tiles_z - 1;
    bool is_wrapped_x = def->edge_x0 == TARN_EDGE_PERIODIC && (tx == 0 || tx == last_x);
    bool is_wrapped_z = def->edge_z0 == TARN_EDGE_PERIODIC && (tz == 0 || tz == last_z);
    return (is_wrapped_x && is_needed(wave, tx == 0 ? last_x : 0, tz)) ||
           (is_wrapped_z && is_needed(wave, tx, tz == 0 ? last_z : 0)) ||
           (is_wrapped_x && is_wrapped_z &&
            is_needed(wave, tx == 0 ? last_x : 0, tz == 0 ? last_z : 0));
}

// Both heights of a sleeping tile are equal, so that swapping them changes nothing.
static void put_to_sleep(TarnWave* wave, int tx, int tz)
{
    int i0 = tx * WAVE_TILE_X, k1 = (tz + 1) * WAVE_TILE_Z;
    int n = wave->def.nx - i0 < WAVE_TILE_X ? wave->def.nx - i0 : WAVE_TILE_X;
    for (int k = tz * WAVE_TILE_Z; k < k1 && k < wave->def.nz; ++k) {
        size_t c = wave_cell(wave, i0, k);
        memcpy(wave->prev + c, wave->u + c, (size_t)n * sizeof(float));
    }
}

static bool row_may_be_awake(const TarnWave* wave, int tz)
{
    int last = wave->tiles_z - 1;
    bool is_wrapped = wave->def.edge_z0 == TARN_EDGE_PERIODIC;
    int below = tz > 0 ? tz - 1 : is_wrapped ? last : tz;
    int above = tz < last ? tz + 1 : is_wrapped ? 0 : tz;
    return wave->row_loud[tz] > 0 || wave->row_loud[below] > 0 || wave->row_loud[above] > 0;
}

static int mark_awake(TarnWave* wave)
{
    int n_awake = 0;
    for (int tz = 0; tz < wave->tiles_z; ++tz) {
        uint8_t* awake = wave->awake + (size_t)tz * (size_t)wave->tiles_x;
        if (wave->row_loud[tz] == wave->tiles_x) { // no need to look around
            memset(awake, 1, (size_t)wave->tiles_x);
            n_awake += wave->tiles_x;
            continue;
        }
        bool may_be = row_may_be_awake(wave, tz);
        if (!may_be && memchr(awake, 1, (size_t)wave->tiles_x) == NULL) continue;
        for (int tx = 0; tx < wave->tiles_x; ++tx) {
            bool is_awake = may_be && (is_needed(wave, tx, tz) || is_needed_across(wave, tx, tz));
            if (awake[tx] && !is_awake) put_to_sleep(wave, tx, tz);
            awake[tx] = is_awake;
            n_awake += is_awake;
        }
    }
    return n_awake;
}

static void check_tile_row(const Substep* step, int tz, int k0, int rows)
{
    TarnWave* wave = step->wave;
    wave->row_loud[tz] = 0;
    for (int tx = 0; tx < wave->tiles_x; ++tx) {
        size_t t = (size_t)tz * (size_t)wave->tiles_x + (size_t)tx;
        if (!wave->awake[t]) continue;
        int i0 = tx * WAVE_TILE_X,
            n = wave->def.nx - i0 < WAVE_TILE_X ? wave->def.nx - i0 : WAVE_TILE_X;
        size_t c = wave_cell(wave, i0, k0);
        float peak =
            wave->kernels->largest_change(wave->u + c, wave->prev + c, wave->stride, n, rows);
        if (peak > step->calm)
            wave->quiet[t] = 0;
        else if (wave->quiet[t] < WAVE_CALM_CHECKS)
            ++wave->quiet[t];
        wave->row_loud[tz] += wave->quiet[t] < WAVE_CALM_CHECKS;
        if (peak > wave_limit) wave->row_wild[tz] = 1;
    }
}

static void note_limited(TarnWave* wave, int i, int k)
{
    if (wave->limited.what != NULL) return;
    TarnVec2 origin = tarn_wave_origin(wave);
    float dx = wave->def.dx;
    wave->limited =
        (TarnStepLimit){ .what = "height",
                         .solver = "wave",
                         .unit = "m",
                         .limit = wave_limit,
                         .index = i + wave->def.nx * k,
                         .position = { origin.x + ((float)i + 0.5f) * dx, wave->def.level,
                                       origin.y + ((float)k + 0.5f) * dx } };
}

// Only after absurd input: keep the heights of a wild tile within the limit. When all rows are done,
// because their neighbors read u. Each of both heights by itself: a ripple that turns over in every
// substep would gain energy if it were brought to rest.
static void clamp_tiles(TarnWave* wave, int tz)
{
    int k0 = tz * WAVE_TILE_Z,
        k1 = k0 + WAVE_TILE_Z < wave->def.nz ? k0 + WAVE_TILE_Z : wave->def.nz;
    for (int tx = 0; tx < wave->tiles_x; ++tx) {
        int i0 = tx * WAVE_TILE_X,
            i1 = i0 + WAVE_TILE_X < wave->def.nx ? i0 + WAVE_TILE_X : wave->def.nx;
        size_t first = wave_cell(wave, i0, k0);
        if (wave->kernels->largest_change(wave->u + first, wave->prev + first, wave->stride,
                                          i1 - i0, k1 - k0) <= wave_limit)
            continue;
        for (int k = k0; k < k1; ++k) {
            for (int i = i0; i < i1; ++i) {
                size_t c = wave_cell(wave, i, k);
                float u = wave->u[c], prev = wave->prev[c];
                wave->u[c] = tarn_clampf(u, -wave_limit, wave_limit);
                wave->prev[c] = tarn_clampf(prev, -wave_limit, wave_limit);
                if (wave->u[c] != u || wave->prev[c] != prev) note_limited(wave, i, k);
            }
        }
    }
}

// Rows [k0, k1) of one row of tiles: runs of awake tiles of the same kind are swept together.
static void sweep_runs(const TarnWave* wave, const WaveSweep* sweep, int k0, int k1)
{
    size_t first = (size_t)(k0 / WAVE_TILE_Z) * (size_t)wave->tiles_x;
    const uint8_t *awake = wave->awake + first, *kind = wave->kind + first;
    for (int tx = 0; tx < wave->tiles_x;) {
        int end = tx + 1;
        if (awake[tx]) {
            while (end < wave->tiles_x && awake[end] && kind[end] == kind[tx]) ++end;
            int i1 = end * WAVE_TILE_X < wave->def.nx ? end * WAVE_TILE_X : wave->def.nx;
            wave->kernels->sweep(sweep, kind[tx], tx * WAVE_TILE_X, i1, k0, k1);
        }
        tx = end;
    }
}

static void sweep_tile_row(int tz, void* data)
{
    const Substep* step = data;
    TarnWave* wave = step->wave;
    int k0 = tz * WAVE_TILE_Z, k1 = k0 + WAVE_TILE_Z;
    if (k1 > wave->def.nz) k1 = wave->def.nz;
    sweep_runs(wave, &step->sweep, k0, k1);
    if (step->is_check) check_tile_row(step, tz, k0, k1 - k0);
}

static void swap(float** a, float** b)
{
    float* t = *a;
    *a = *b;
    *b = t;
}

// Mur's condition moves the ghost cells of absorbing edges from the old field to the new one:
// (d/dt + s + c d/dn) u = 0 between the ghost and the first cell, with the decay s of the sponge.
static void absorb_line(const TarnWave* wave, const float* old, float* now, ptrdiff_t edge,
                        ptrdiff_t inward, ptrdiff_t along, int n, float dt)
{
    float h = wave->def.dx;
    float decay = tarn__wave_sponge_decay(wave, dt);
    for (int j = 0; j < n; ++j) {
        ptrdiff_t ghost = edge + j * along, cell = ghost + inward;
        float cdt = tarn__wave_cell_speed(wave, (size_t)cell) * dt;
        float mur = (cdt - h) / (cdt + h);
        now[ghost] = decay * (old[cell] - mur * old[ghost]) + mur * now[cell];
    }
}

static void absorb_sides(const TarnWave* wave, const float* old, float* now, int k0, int k1,
                         float dt)
{
    const TarnWaveDef* def = &wave->def;
    ptrdiff_t up = wave->stride, row = k0 * up;
    if (def->edge_x0 == TARN_EDGE_ABSORBING)
        absorb_line(wave, old, now, row - 1, 1, up, k1 - k0, dt);
    if (def->edge_x1 == TARN_EDGE_ABSORBING)
        absorb_line(wave, old, now, row + def->nx, -1, up, k1 - k0, dt);
}

static void absorb_ends(const TarnWave* wave, const float* old, float* now, float dt)
{
    const TarnWaveDef* def = &wave->def;
    ptrdiff_t up = wave->stride, north = def->nz * up;
    if (def->edge_z0 == TARN_EDGE_ABSORBING) absorb_line(wave, old, now, -up, up, 1, def->nx, dt);
    if (def->edge_z1 == TARN_EDGE_ABSORBING)
        absorb_line(wave, old, now, north, -up, 1, def->nx, dt);
}

// Rounding makes the mean height drift, ever faster, because it enters the speed (0.04 % of the
// amplitude in ten minutes). Between closed edges the sums of height and speed are known, so the
// drift is taken out now and then, as soon as it can be written in floats.
typedef struct LevelFix {
    TarnWave* wave;
    float height, speed; // to add to u, and to u - prev
} LevelFix;

static void sum_level_row(int tz, void* data)
{
    TarnWave* wave = data;
    int k1 = (tz + 1) * WAVE_TILE_Z < wave->def.nz ? (tz + 1) * WAVE_TILE_Z : wave->def.nz;
    wave->kernels->sums(wave->u + wave_cell(wave, 0, tz * WAVE_TILE_Z),
                        wave->prev + wave_cell(wave, 0, tz * WAVE_TILE_Z), wave->stride,
                        wave->def.nx, k1 - tz * WAVE_TILE_Z, &wave->row_sums[tz],
                        &wave->row_sums[wave->tiles_z + tz]);
}

static void fix_level_row(int tz, void* data)
{
    const LevelFix* fix = data;
    TarnWave* wave = fix->wave;
    for (int k = tz * WAVE_TILE_Z; k < (tz + 1) * WAVE_TILE_Z && k < wave->def.nz; ++k) {
        for (int i = 0; i < wave->def.nx; ++i) {
            size_t c = wave_cell(wave, i, k);
            if (!wave_is_wet(wave, c)) continue;
            bool is_awake =
                wave->awake[(size_t)tz * (size_t)wave->tiles_x + (size_t)(i / WAVE_TILE_X)];
            wave->u[c] += fix->height;
            wave->prev[c] = is_awake ? wave->prev[c] + (fix->height - fix->speed) : wave->u[c];
        }
    }
}

static void hold_level(TarnWave* wave)
{
    if (!tarn__wave_is_closed(wave) || wave->wet_cells == 0) return;
    tarn__parallel_for(wave->ctx, wave->tiles_z, sum_level_row, wave);
    double sum = tarn__sum(wave->row_sums, wave->tiles_z);
    double before = tarn__sum(wave->row_sums + wave->tiles_z, wave->tiles_z);
    if (!wave->is_expected) wave->expected = sum;
    wave->is_expected = true;
    LevelFix fix = { .wave = wave };
    fix.height = (float)((wave->expected - sum) / wave->wet_cells);
    fix.speed = (float)((before - sum) / wave->wet_cells);
    double tiny = 1e-9; // [m]: below it nothing is seen, and the pass is saved
    if (fabsf(fix.height) > tiny || fabsf(fix.speed) > 0.01 * tiny) {
        tarn__parallel_for(wave->ctx, wave->tiles_z, fix_level_row, &fix);
    }
}

// last_dt: of the substep before, which made u out of prev.
static Substep make_substep(TarnWave* wave, float dt, float last_dt, const float* u, float* prev)
{
    const TarnWaveDef* def = &wave->def;
    float c2 =
        wave->depth && def->speed == 0.0f ? def->gravity : wave->wave_speed * wave->wave_speed;
    float decay = tarn_exp(-wave->params.damping * dt);
    float rescale = last_dt > 0.0f ? dt / last_dt : 1.0f; // prev is one old substep back
    float kick = 0.5f * (last_dt + dt); // from the middle of the last substep; from rest: half
    bool is_nine = def->laplacian == TARN_LAPLACIAN_NINE;
    Substep step = { .wave = wave, .is_check = wave->ticks % WAVE_CHECK_EVERY == 0 };
    step.calm = def->sleep_speed > 0.0f ? def->sleep_speed * dt : -1.0f;
    step.sweep = (WaveSweep){
        .u = u,
        .prev = prev,
        .depth = wave->depth,
        .stride = wave->stride,
        .keep = decay * rescale,
        .gain = decay * (c2 * dt * kick / (def->dx * def->dx)) / (is_nine ? 6.0f : 1.0f),
        .is_nine = is_nine,
        .is_speed_from_depth = def->speed == 0.0f,
        .sponge_x = wave->sponge_x,
        .sponge_z = wave->sponge_z,
        .pull_x = wave->pull_x,
        .pull_z = wave->pull_z,
        .pull_west = wave->pull_west,
        .pull_east = wave->pull_east,
        .pull_south = wave->pull_south,
        .pull_north = wave->pull_north,
    };
    return step;
}

// After the last sweep: the new heights are in prev.
static void finish_substep(TarnWave* wave, const Substep* step, float dt)
{
    for (int tz = 0; step->is_check && tz < wave->tiles_z; ++tz) {
        if (wave->row_wild[tz]) clamp_tiles(wave, tz);
    }
    swap(&wave->u, &wave->prev);
    absorb_sides(wave, wave->prev, wave->u, 0, wave->def.nz, dt);
    absorb_ends(wave, wave->prev, wave->u, dt);
    if (wave->ticks == 0) hold_level(wave);
    tarn__wave_fill_ghosts(wave, wave->u); // for the next substep, and for queries
    wave->dt = dt;
}

static int substep(TarnWave* wave, float dt)
{
    int n_awake = mark_awake(wave);
    if (n_awake == 0) {
        wave->dt = dt;
        return 0;
    }
    if (wave->is_edited) tarn__wave_fill_ghosts(wave, wave->u);
    wave->is_edited = false;
    tarn__wave_set_sponge(wave, dt);
    wave->ticks = (wave->ticks + 1) % WAVE_LEVEL_EVERY;
    Substep step = make_substep(wave, dt, wave->dt, wave->u, wave->prev);
    tarn__parallel_for(wave->ctx, wave->tiles_z, sweep_tile_row, &step);
    finish_substep(wave, &step, dt);
    return n_awake;
}

// ---- Two substeps in one pass --------------------------------------------------------------------

// Large grids are bound by memory. The second substep follows the first through a block of rows, two
// rows behind, while they are in the cache: it needs the new rows around its own, and may write over
// an old row when nobody needs that any more. The first and the last row of a block wait until all
// blocks are done with the first substep. Same bits as one by one.
enum { PAIR_ROWS = 64, PAIR_STRIDE = 4 }; // rows of a block; rows of the first substep at a time

typedef struct Pair {
    TarnWave* wave;
    Substep first, second;
    float dt;
} Pair;

static void sweep_between(const TarnWave* wave, const WaveSweep* sweep, int k0, int k1)
{
    while (k0 < k1) { // a row of tiles at a time
        int end = (k0 / WAVE_TILE_Z + 1) * WAVE_TILE_Z;
        sweep_runs(wave, sweep, k0, end < k1 ? end : k1);
        k0 = end;
    }
}

static void pair_block(int block, void* data)
{
    const Pair* pair = data;
    TarnWave* wave = pair->wave;
    int k0 = block * PAIR_ROWS, k1 = k0 + PAIR_ROWS < wave->def.nz ? k0 + PAIR_ROWS : wave->def.nz;
    float *old = wave->u, *now = wave->prev;
    int second = k0 + 1; // next row of the second substep
    for (int k = k0; k < k1; k += PAIR_STRIDE) {
        int end = k + PAIR_STRIDE < k1 ? k + PAIR_STRIDE : k1;
        sweep_runs(wave, &pair->first.sweep, k, end);
        absorb_sides(wave, old, now, k, end, pair->dt);
        tarn__wave_fill_sides(wave, now, k, end);
        if (end - 1 > second) {
            sweep_between(wave, &pair->second.sweep, second, end - 1);
            second = end - 1;
        }
    }
}

static void pair_seams(int block, void* data)
{
    const Pair* pair = data;
    const TarnWave* wave = pair->wave;
    int k0 = block * PAIR_ROWS, k1 = k0 + PAIR_ROWS < wave->def.nz ? k0 + PAIR_ROWS : wave->def.nz;
    sweep_runs(wave, &pair->second.sweep, k0, k0 + 1);
    if (k1 - 1 > k0) sweep_runs(wave, &pair->second.sweep, k1 - 1, k1);
}

static void pair_check(int tz, void* data)
{
    const Pair* pair = data;
    int k0 = tz * WAVE_TILE_Z, rows = pair->wave->def.nz - k0;
    check_tile_row(&pair->second, tz, k0, rows < WAVE_TILE_Z ? rows : WAVE_TILE_Z);
}

// Returns false, having done nothing, where two at a time do not pay or would not be the same.
static bool substep_pair(TarnWave* wave, float dt)
{
    const int64_t large = 1 << 20; // cells: beyond the caches
    int tiles = wave->tiles_x * wave->tiles_z;
    bool is_check_first =
        (wave->ticks + 1) % WAVE_CHECK_EVERY == 0; // tiles may fall asleep after it
    if ((int64_t)wave->def.nx * wave->def.nz < large || is_check_first) return false;
    if (mark_awake(wave) != tiles) return false;
    if (wave->is_edited) tarn__wave_fill_ghosts(wave, wave->u);
    wave->is_edited = false;
    tarn__wave_set_sponge(wave, dt);
    Pair pair = { .wave = wave, .dt = dt };
    pair.first = make_substep(wave, dt, wave->dt, wave->u, wave->prev);
    wave->ticks = (wave->ticks + 2) % WAVE_LEVEL_EVERY;
    pair.second = make_substep(wave, dt, dt, wave->prev, wave->u);
    int blocks = (wave->def.nz + PAIR_ROWS - 1) / PAIR_ROWS;
    tarn__parallel_for(wave->ctx, blocks, pair_block, &pair);
    absorb_ends(wave, wave->u, wave->prev, dt);
    tarn__wave_fill_ghosts(wave, wave->prev);
    tarn__parallel_for(wave->ctx, blocks, pair_seams, &pair);
    swap(&wave->u, &wave->prev); // the heights of the first substep are in u, of the second in prev
    if (pair.second.is_check) tarn__parallel_for(wave->ctx, wave->tiles_z, pair_check, &pair);
    finish_substep(wave, &pair.second, dt);
    return true;
}

// A step is cut in equal substeps, as few as are stable. But lengths that change all the time pump
// energy into the shortest waves (frames of 1/90 to 1/40 s at random made 100 km of 5 cm within half a
// minute). So while there are waves, the length goes to the one that is wanted by 1 % per step.
static double substep_length(const TarnWave* wave, double want)
{
    double stable = (double)wave->stable_dt, most = wave->def.max_substeps;
    double n = want < stable * most ? floor(want / stable * (1.0 - 1e-6)) + 1.0 : most;
    double each = want / n < stable ? want / n : stable;
    bool is_moving = false;
    for (int tz = 0; tz < wave->tiles_z; ++tz) is_moving = is_moving || wave->row_loud[tz] > 0;
    if (!is_moving || wave->dt == 0.0f) return each;
    double least = 0.99 * (double)wave->dt, longest = 1.01 * (double)wave->dt;
    each = each < least ? least : each > longest ? longest : each;
    if (each * most < want) each = want / most; // rather a jolt than lost time
    return each < stable ? each : stable;
}

TarnResult tarn_wave_step(TarnWave* wave, float dt, TarnStepReport* report)
{
    if (report) *report = (TarnStepReport){ 0 };
    if (wave == NULL) return TARN_ERR_ARG;
    if (!(dt >= 0.0f && dt <= 10.0f)) {
        return tarn__fail(wave->ctx, TARN_ERR_ARG,
                          "tarn_wave_step: dt %g s is out of range; allowed: 0 to 10 s",
                          (double)dt);
    }
    // A very short substep would drown the speed (u - prev) / dt in rounding: save time up instead.
    double want = wave->carry + (double)dt, each = substep_length(wave, want);
    double stable = (double)wave->stable_dt;
    int n = dt > 0.0f && want >= stable / 64.0 ? (int)(want / each * (1.0 + 1e-6)) : 0;
    if (n > wave->def.max_substeps) n = wave->def.max_substeps;
    double left = want - n * each;
    bool is_cut = n == wave->def.max_substeps && left > 1e-6 * want;
    double carry = is_cut || left < 1e-6 * each ? 0.0 : left;
    memset(wave->row_wild, 0, (size_t)wave->tiles_z);
    wave->limited = (TarnStepLimit){ 0 };
    int n_awake = 0;
    for (int s = 0; s < n;) {
        bool is_pair = s + 2 <= n && substep_pair(wave, (float)each);
        if (is_pair)
            n_awake = wave->tiles_x * wave->tiles_z;
        else
            n_awake = substep(wave, (float)each);
        s += is_pair ? 2 : 1;
    }
    bool is_wild = memchr(wave->row_wild, 1, (size_t)wave->tiles_z) != NULL;
    if (is_wild &&
        wave->limited.what == NULL) { // between two heights, neither of them beyond the limit
        int tz = (int)((uint8_t*)memchr(wave->row_wild, 1, (size_t)wave->tiles_z) - wave->row_wild);
        note_limited(wave, 0, tz * WAVE_TILE_Z);
    }
    double advanced = is_cut ? n * each : want - carry;
    if (report) {
        *report = (TarnStepReport){ .substeps = n,
                                    .flags = (is_cut ? TARN_STEP_TIME_CUT : 0u) |
                                             (is_wild ? TARN_STEP_CLAMPED : 0u),
                                    .time_advanced = is_cut ? advanced - wave->carry : (double)dt,
                                    .time_dropped = is_cut ? left : 0.0,
                                    .time_limit = is_cut ? "wave.max_substeps" : NULL,
                                    .stable_dt = stable,
                                    .tiles_awake = n_awake,
                                    .tiles_total = wave->tiles_x * wave->tiles_z,
                                    .limited = wave->limited };
    }
    wave->time += advanced;
    wave->carry = carry;
    return TARN_OK;
}
