// Ground, walls, ghost cells, sponges and tile flags of the wave solver.

#include "waves/wave_internal.h"
#include "grid/window.h"
#include "base/maths.h"
#include <math.h>

float tarn__wave_cell_speed(const TarnWave* wave, size_t c)
{
    if (wave->def.speed > 0.0f) return wave->def.speed;
    float depth = wave->depth ? wave->depth[c] : wave->def.depth;
    return depth > 0.0f ? sqrtf(wave->def.gravity * depth) : 0.0f;
}

bool tarn__wave_is_closed(const TarnWave* wave)
{
    const int edges[4] = { wave->def.edge_x0, wave->def.edge_x1, wave->def.edge_z0,
                           wave->def.edge_z1 };
    for (int e = 0; e < 4; ++e) {
        if (edges[e] == TARN_EDGE_FIXED || edges[e] == TARN_EDGE_ABSORBING) return false;
    }
    return true;
}

void tarn__wave_touch(TarnWave* wave, int i0, int i1, int k0, int k1)
{
    if (i0 < 0) i0 = 0;
    if (k0 < 0) k0 = 0;
    if (i1 > wave->def.nx) i1 = wave->def.nx;
    if (k1 > wave->def.nz) k1 = wave->def.nz;
    if (i0 >= i1 || k0 >= k1) return;
    for (int tz = k0 / WAVE_TILE_Z; tz <= (k1 - 1) / WAVE_TILE_Z; ++tz) {
        for (int tx = i0 / WAVE_TILE_X; tx <= (i1 - 1) / WAVE_TILE_X; ++tx) {
            uint8_t* quiet = &wave->quiet[(size_t)tz * (size_t)wave->tiles_x + (size_t)tx];
            if (*quiet == WAVE_CALM_CHECKS) wave->row_loud[tz]++;
            *quiet = 0;
        }
    }
}

float tarn__wave_add(TarnWave* wave, size_t c, float amount)
{
    float old = wave->u[c], u = old + amount, speed = old - wave->prev[c];
    wave->u[c] = tarn_clampf(u, -wave_limit, wave_limit);
    wave->prev[c] = wave->u[c] - speed;
    return wave->u[c] == u ? amount : wave->u[c] - old;
}

// One line of ghost cells. step: from the ghost to the first cell inside, far: to the last one.
static void fill_line(float* field, ptrdiff_t ghost, ptrdiff_t step, ptrdiff_t far, ptrdiff_t along,
                      int n, int edge)
{
    for (int j = 0; j < n; ++j, ghost += along) {
        float near = field[ghost + step];
        switch (edge) {
        case TARN_EDGE_REFLECTING:
            field[ghost] = near;
            break;
        case TARN_EDGE_FIXED:
            field[ghost] = -near;
            break; // zero half way, on the edge itself
        case TARN_EDGE_PERIODIC:
            field[ghost] = field[ghost + far];
            break;
        default:
            break; // absorbing: the ghost has a life of its own
        }
    }
}

void tarn__wave_fill_sides(const TarnWave* wave, float* field, int k0, int k1)
{
    ptrdiff_t up = wave->stride, nx = wave->def.nx;
    fill_line(field, k0 * up - 1, 1, nx, up, k1 - k0, wave->def.edge_x0);
    fill_line(field, k0 * up + nx, -1, -nx, up, k1 - k0, wave->def.edge_x1);
}

void tarn__wave_fill_ghosts(TarnWave* wave, float* field)
{
    const TarnWaveDef* def = &wave->def;
    ptrdiff_t up = wave->stride, nx = def->nx, nz = def->nz;
    tarn__wave_fill_sides(wave, field, 0, def->nz);
    fill_line(field, -up, up, nz * up, 1, def->nx, def->edge_z0);
    fill_line(field, nz * up, -up, -nz * up, 1, def->nx, def->edge_z1);
    // Corners, which only the nine-point stencil reads.
    const ptrdiff_t i[2] = { -1, nx }, k[2] = { -1, nz };
    for (int c = 0; c < 4; ++c) {
        ptrdiff_t gi = i[c & 1], gk = k[c >> 1];
        int edge_x = c & 1 ? def->edge_x1 : def->edge_x0,
            edge_z = c >> 1 ? def->edge_z1 : def->edge_z0;
        ptrdiff_t inner_i =
            edge_x == TARN_EDGE_PERIODIC ? (gi < 0 ? nx - 1 : 0) : (gi < 0 ? 0 : nx - 1);
        ptrdiff_t inner_k =
            edge_z == TARN_EDGE_PERIODIC ? (gk < 0 ? nz - 1 : 0) : (gk < 0 ? 0 : nz - 1);
        float by_x = field[inner_i + gk * up], by_z = field[gi + inner_k * up];
        if (edge_x == TARN_EDGE_FIXED) by_x = -by_x;
        if (edge_z == TARN_EDGE_FIXED) by_z = -by_z;
        if (edge_x == TARN_EDGE_ABSORBING &&
            edge_z == TARN_EDGE_ABSORBING) { // on along the profile
            by_x *= 1.0f + (gi < 0 ? wave->pull_west[0] : wave->pull_east[nx - 1]);
            by_z *= 1.0f + (gk < 0 ? wave->pull_south[0] : wave->pull_north[nz - 1]);
        }
        // An absorbing edge may meet a wall, a periodic one wraps.
        float mean = 0.5f * (by_x + by_z);
        field[gi + gk * up] = edge_x == TARN_EDGE_PERIODIC   ? by_x
                              : edge_z == TARN_EDGE_PERIODIC ? by_z
                                                             : mean;
    }
}

// Ground below the ghost cells: no flow through reflecting edges, else what the nearest cell has.
static void fill_bed_ghosts(TarnWave* wave)
{
    const TarnWaveDef* def = &wave->def;
    float* d = wave->depth;
    ptrdiff_t up = wave->stride, nx = def->nx, nz = def->nz;
    for (ptrdiff_t k = 0; k < nz; ++k) {
        float *row = d + k * up, west = row[0], east = row[nx - 1];
        row[-1] = def->edge_x0 == TARN_EDGE_PERIODIC ? east : west;
        row[nx] = def->edge_x1 == TARN_EDGE_PERIODIC ? west : east;
        if (def->edge_x0 == TARN_EDGE_REFLECTING) row[-1] = 0.0f;
        if (def->edge_x1 == TARN_EDGE_REFLECTING) row[nx] = 0.0f;
    }
    for (ptrdiff_t i = -1; i <= nx; ++i) {
        float south = d[i], north = d[i + (nz - 1) * up];
        d[i - up] = def->edge_z0 == TARN_EDGE_PERIODIC ? north : south;
        d[i + nz * up] = def->edge_z1 == TARN_EDGE_PERIODIC ? south : north;
        if (def->edge_z0 == TARN_EDGE_REFLECTING) d[i - up] = 0.0f;
        if (def->edge_z1 == TARN_EDGE_REFLECTING) d[i + nz * up] = 0.0f;
    }
}

// The sponge. With a decay rate s(x) that grows outwards, outgoing waves obey
//     (d/dt + s - c d/dx)(d/dt + s + c d/dx) u = u_tt + 2 s u_t + (s^2 - c s') u - c^2 u_xx = 0
// which has no reflected part at normal incidence, however short the ramp is against the wave. (A
// sponge on the speed alone sends 20 % back of a wave twice as long as it is wide.) What gets through
// meets Mur's condition. The pull s^2 - c s' is c^2 f'' / f for the profile f = exp(-integral of s / c)
// that a wave gets; with the grid's own f'' it can never feed energy in, because then f is the
// lowest mode of the grid and has frequency zero. Over a bed, f'' is the sum over the neighbors that
// are water, for the same reason: with all of f'' beside a wall, waves in the corner grow.
static const float sponge_strength = 1.5f; // a wave loses exp(-this) one way

static float
sponge_profile(float x) // f; x: 0 at the inner end, 1 at the edge. s = 3 strength c x^2
{
    return x > 0.0f ? tarn_exp(-sponge_strength * x * x * x) : 1.0f;
}

float tarn__wave_sponge_decay(const TarnWave* wave, float dt)
{
    if (wave->def.sponge_cells == 0) return 1.0f;
    float courant = wave->wave_speed * dt / wave->def.dx;
    return tarn_exp(-3.0f * sponge_strength * courant / (float)wave->def.sponge_cells);
}

// The sponge along one axis: factor, pull, and the pull by neighbor (back: n - 1, ahead: n + 1).
typedef struct SpongeAxis {
    float *factor, *pull, *back, *ahead;
} SpongeAxis;

static void fill_sponge(SpongeAxis axis, const TarnWave* wave, int n, int edge0, int edge1,
                        float dt)
{
    float width = (float)wave->def.sponge_cells, courant = wave->wave_speed * dt / wave->def.dx;
    float scale = wave->def.laplacian == TARN_LAPLACIAN_NINE ? 6.0f : 1.0f;
    const int edges[2] = { edge0, edge1 };
    for (int i = 0; i < n; ++i) {
        axis.factor[i] = 1.0f;
        axis.pull[i] = axis.back[i] = axis.ahead[i] = 0.0f;
        for (int e = 0; e < 2; ++e) {
            float in = width - 0.5f - (float)(e == 0 ? i : n - 1 - i); // cells into the sponge
            if (edges[e] != TARN_EDGE_ABSORBING || in <= 0.0f) continue;
            float ramp = in / width, step = 1.0f / width;
            float f = sponge_profile(ramp), inner = sponge_profile(ramp - step),
                  outer = sponge_profile(ramp + step);
            float curve = outer - 2.0f * f + inner;
            float rest = 0.1f / width; // and slowly back to the rest level
            axis.factor[i] *= tarn_exp(-6.0f * sponge_strength * ramp * ramp / width * courant);
            axis.pull[i] += scale * (curve / f + rest * rest);
            axis.back[i] += ((e == 0 ? outer : inner) - f) / f + 0.5f * rest * rest;
            axis.ahead[i] += ((e == 0 ? inner : outer) - f) / f + 0.5f * rest * rest;
        }
    }
}

// The factors are computed for one dt, and again when it changes.
void tarn__wave_set_sponge(TarnWave* wave, float dt)
{
    const TarnWaveDef* def = &wave->def;
    if (wave->sponge_dt == dt) return;
    SpongeAxis x = { wave->sponge_x, wave->pull_x, wave->pull_west, wave->pull_east };
    SpongeAxis z = { wave->sponge_z, wave->pull_z, wave->pull_south, wave->pull_north };
    fill_sponge(x, wave, def->nx, def->edge_x0, def->edge_x1, dt);
    fill_sponge(z, wave, def->nz, def->edge_z0, def->edge_z1, dt);
    wave->sponge_dt = dt;
}

static bool has_sponge(const TarnWave* wave, int tx, int tz)
{
    int i0 = tx * WAVE_TILE_X, k0 = tz * WAVE_TILE_Z;
    for (int i = i0; i < i0 + WAVE_TILE_X && i < wave->def.nx; ++i) {
        if (wave->sponge_x[i] != 1.0f) return true;
    }
    for (int k = k0; k < k0 + WAVE_TILE_Z && k < wave->def.nz; ++k) {
        if (wave->sponge_z[k] != 1.0f) return true;
    }
    return false;
}

// A tile of one depth, with the same around it, needs no bed.
static bool has_bed(const TarnWave* wave, int tx, int tz)
{
    if (wave->depth == NULL) return false;
    int i0 = tx * WAVE_TILE_X, k0 = tz * WAVE_TILE_Z;
    int i1 = i0 + WAVE_TILE_X < wave->def.nx ? i0 + WAVE_TILE_X : wave->def.nx;
    int k1 = k0 + WAVE_TILE_Z < wave->def.nz ? k0 + WAVE_TILE_Z : wave->def.nz;
    bool is_any_depth = wave->def.speed > 0.0f;
    for (int k = k0 - 1; k <= k1; ++k) {
        for (int i = i0 - 1; i <= i1; ++i) {
            float d = wave->depth[(ptrdiff_t)k * wave->stride + i];
            if (is_any_depth ? d <= 0.0f : true) return true;
        }
    }
    return false;
}

void tarn__wave_update_bed(TarnWave* wave)
{
    TarnWaveDef* def = &wave->def;
    float deepest = wave->depth ? 0.0f : def->depth;
    wave->wet_cells = wave->depth ? 0 : def->nx * def->nz;
    for (int k = 0; wave->depth && k < def->nz; ++k) {
        for (int i = 0; i < def->nx; ++i) {
            float d = wave->depth[wave_cell(wave, i, k)];
            deepest = tarn_maxf(deepest, d);
            wave->wet_cells += d > 0.0f;
        }
    }
    wave->wave_speed = def->speed > 0.0f ? def->speed : sqrtf(def->gravity * deepest);
    float limit = def->laplacian == TARN_LAPLACIAN_NINE ? 0.8660254f : 0.70710678f; // c dt / h
    float stable = limit * def->dx * def->courant / tarn_maxf(wave->wave_speed, 1e-6f);
    wave->stable_dt = tarn_clampf(stable, 1e-9f, 10.0f);
    if (wave->depth) fill_bed_ghosts(wave);
    wave->sponge_dt = 0.0f;
    tarn__wave_set_sponge(wave, wave->stable_dt);
    for (int tz = 0; tz < wave->tiles_z; ++tz) {
        for (int tx = 0; tx < wave->tiles_x; ++tx) {
            bool is_sponge = has_sponge(wave, tx, tz);
            wave->kind[(size_t)tz * (size_t)wave->tiles_x + (size_t)tx] =
                has_bed(wave, tx, tz) ? (is_sponge ? WAVE_TILE_BED_SPONGE : WAVE_TILE_BED)
                : is_sponge           ? WAVE_TILE_SPONGE
                                      : WAVE_TILE_PLAIN;
        }
    }
}

static float bed_at(const TarnWave* wave, int i, int k) // asks the host [m]
{
    const TarnWaveDef* def = &wave->def;
    TarnVec2 origin = tarn_wave_origin(wave);
    float x = origin.x + ((float)i + 0.5f) * def->dx, z = origin.y + ((float)k + 0.5f) * def->dx;
    float y = def->bed_fn(x, z, def->bed_user);
    return tarn__is_finite(y) ? tarn_clampf(y, -wave_limit, wave_limit) : def->level - def->depth;
}

void tarn__wave_set_bed(TarnWave* wave, const float* bed, const uint8_t* wall)
{
    const TarnWaveDef* def = &wave->def;
    for (int k = 0; wave->depth && k < def->nz; ++k) {
        for (int i = 0; i < def->nx; ++i) {
            size_t n = (size_t)k * (size_t)def->nx + (size_t)i;
            float ground = def->level - def->depth;
            if (bed) ground = bed[n];
            if (def->bed_fn) ground = bed_at(wave, i, k);
            float depth = def->level - ground;
            if (wall && wall[n]) depth = tarn_minf(depth, 0.0f);
            wave->depth[wave_cell(wave, i, k)] = depth;
        }
    }
    tarn__wave_update_bed(wave);
}

bool tarn_wave_is_wall(const TarnWave* wave, int i, int k)
{
    if (i < 0 || k < 0 || i >= wave->def.nx || k >= wave->def.nz) return true;
    return !wave_is_wet(wave, wave_cell(wave, i, k));
}

float tarn_wave_bed_depth(const TarnWave* wave, int i, int k)
{
    i = i < 0 ? 0 : i >= wave->def.nx ? wave->def.nx - 1 : i;
    k = k < 0 ? 0 : k >= wave->def.nz ? wave->def.nz - 1 : k;
    return wave->depth ? wave->depth[wave_cell(wave, i, k)] : wave->def.depth;
}

TarnView2 tarn_wave_bed_depths(const TarnWave* wave)
{
    return (TarnView2){ wave->depth, wave->def.nx, wave->def.nz, wave->stride };
}

// ---- Moving window -----------------------------------------------------------------------------

TarnVec2 tarn_wave_origin(const TarnWave* wave)
{
    return (TarnVec2){ wave->def.origin.x + (float)wave->shift_i * wave->def.dx,
                       wave->def.origin.y + (float)wave->shift_k * wave->def.dx };
}

static void shift_field(TarnWave* wave, float* field, int di, int dk, bool is_border)
{
    tarn__grid_shift(field, wave->stride, wave->def.nx, wave->def.nz, di, dk, 0.0f, is_border);
}

// Edges move with the window, through the water, and would feed what they meet:
// - A sponge lets a height rest that falls off along its profile. Carried on, the water behind stands higher
//   than the profile there, and lifts the whole basin a little with each shift (at a third of the waves'
//   speed e times in 14 s). So what comes farther into a sponge is scaled down to its profile.
// - A wall that waves run into sends them back shorter and higher, and walls keep them in (at that speed the
//   energy grew a million times in a minute). So the water before walls is calmed with each cell that the
//   window goes, by more than a wave gains: at M of the waves' speed that is (1 + M) / (1 - M), about 2 M,
//   and while a wave goes through the band and back the window goes 2 M WALL_BAND cells.
enum { WALL_BAND = 12 };

static float profile_at(const TarnWave* wave, int at, int n, int edge0, int edge1)
{
    float width = (float)wave->def.sponge_cells, profile = 1.0f;
    for (int e = 0; e < 2; ++e) {
        float in = width - 0.5f - (float)(e == 0 ? at : n - 1 - at);
        if ((e == 0 ? edge0 : edge1) == TARN_EDGE_ABSORBING && in > 0.0f)
            profile *= sponge_profile(in / width);
    }
    return profile;
}

// What is left of a height that came by d cells to column (or row) at of n.
static float kept_at(const TarnWave* wave, int at, int d, int n, int edge0, int edge1)
{
    const float rate = 0.4f;                    // at the wall, per cell, falling to 0 over the band
    if (at + d < 0 || at + d >= n) return 1.0f; // new, and calm
    float keep = profile_at(wave, at, n, edge0, edge1) / profile_at(wave, at + d, n, edge0, edge1);
    if (!(keep < 1.0f)) keep = 1.0f;
    int way = WALL_BAND;
    if (edge0 != TARN_EDGE_ABSORBING && at < way) way = at;
    if (edge1 != TARN_EDGE_ABSORBING && n - 1 - at < way) way = n - 1 - at;
    float each = 1.0f - rate * (float)(WALL_BAND - way) / (float)WALL_BAND;
    for (int c = 0; c < (d < 0 ? -d : d) && c < 64; ++c) keep *= each;
    return keep;
}

static void calm_edges(TarnWave* wave, int di, int dk)
{
    const TarnWaveDef* def = &wave->def;
    for (int i = 0; i < def->nx && di != 0; ++i) {
        float keep = kept_at(wave, i, di, def->nx, def->edge_x0, def->edge_x1);
        for (int k = 0; k < def->nz && keep < 1.0f; ++k) {
            wave->u[wave_cell(wave, i, k)] *= keep;
            wave->prev[wave_cell(wave, i, k)] *= keep;
        }
    }
    for (int k = 0; k < def->nz && dk != 0; ++k) {
        float keep = kept_at(wave, k, dk, def->nz, def->edge_z0, def->edge_z1);
        for (int i = 0; i < def->nx && keep < 1.0f; ++i) {
            wave->u[wave_cell(wave, i, k)] *= keep;
            wave->prev[wave_cell(wave, i, k)] *= keep;
        }
    }
}

// The ground of a window that has moved. Walls of the def stay where they are; they have depth 0.
static void ask_bed(TarnWave* wave, int di, int dk)
{
    int nx = wave->def.nx, nz = wave->def.nz;
    for (int k = 0; k < nz; ++k) {
        for (int i = 0; i < nx; ++i) {
            bool is_new = i < -di || i >= nx - di || k < -dk || k >= nz - dk;
            float* depth = &wave->depth[wave_cell(wave, i, k)];
            if (is_new || *depth != 0.0f) *depth = wave->def.level - bed_at(wave, i, k);
        }
    }
}

TarnResult tarn_wave_shift(TarnWave* wave, int di, int dk)
{
    if (wave == NULL) return TARN_ERR_ARG;
    const int limit = 1 << 24;
    int to_i = wave->shift_i + (di > -limit && di < limit ? di : limit);
    int to_k = wave->shift_k + (dk > -limit && dk < limit ? dk : limit);
    if (to_i <= -limit || to_i >= limit || to_k <= -limit || to_k >= limit) {
        return tarn__fail(
            wave->ctx, TARN_ERR_ARG,
            "tarn_wave_shift: %d, %d cells would move the window beyond +-16777215 cells", di, dk);
    }
    if (wave->def.edge_x0 == TARN_EDGE_PERIODIC || wave->def.edge_z0 == TARN_EDGE_PERIODIC) {
        return tarn__fail(wave->ctx, TARN_ERR_ARG, "tarn_wave_shift: a periodic grid cannot move");
    }
    if (di == 0 && dk == 0) return TARN_OK;
    wave->shift_i = to_i;
    wave->shift_k = to_k;
    shift_field(wave, wave->u, di, dk, false);
    shift_field(wave, wave->prev, di, dk, false);
    calm_edges(wave, di, dk);
    if (wave->displaced) {
        shift_field(wave, wave->displaced, di, dk, false);
        shift_field(wave, wave->calm, di, dk, false);
        memset(wave->pressed, 1, (size_t)wave->tiles_x * (size_t)wave->tiles_z);
    }
    if (wave->depth) {
        shift_field(wave, wave->depth, di, dk, true);
        if (wave->def.bed_fn) ask_bed(wave, di, dk);
        tarn__wave_update_bed(wave);
        for (int k = 0; k < wave->def.nz; ++k) {
            for (int i = 0; i < wave->def.nx; ++i) {
                size_t c = wave_cell(wave, i, k);
                if (!wave_is_wet(wave, c)) wave->u[c] = wave->prev[c] = 0.0f;
            }
        }
    }
    wave->is_expected = false;
    // Ghosts of absorbing edges restart from their neighbors.
    TarnWave mirror = *wave;
    mirror.def.edge_x0 = mirror.def.edge_x1 = TARN_EDGE_REFLECTING;
    mirror.def.edge_z0 = mirror.def.edge_z1 = TARN_EDGE_REFLECTING;
    tarn__wave_fill_ghosts(&mirror, wave->u);
    tarn__wave_fill_ghosts(&mirror, wave->prev);
    tarn__wave_touch(wave, 0, wave->def.nx, 0, wave->def.nz);
    wave->is_edited = true;
    return TARN_OK;
}
