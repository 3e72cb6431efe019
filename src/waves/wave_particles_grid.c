// Wave particles on their grids: splats, filters, and the sum of all classes.
//
// Method   Each particle adds its amplitude to the four cells around it, as its place between them says. Filters along z
//          and then along x turn the points into bumps [Yuksel2007]: with t = pi p / R for the distance p in cells,
//              bump f1 = (cos t + 1) / 2,  slope f2 = -sin t / 2 (pi / R),  displacement along x 2 f1 f2, across f1^2.
//          A block of rows is filtered while it is in the cache. Coarser classes are interpolated onto the next finer
//          one, cubic in both directions, and added.
// Walls    What a bump loses behind an edge with a wall comes back as its mirror image, so that a wave stands twice as
//          high there: splats are mirrored into the padding.
// Differs  The bumps are products of two cosines, not round. Straight fronts along an axis are exact, and fronts across
//          the diagonal are rippled by what docs/solvers/wave_particles.md measures.

#include "waves/wave_particles_internal.h"
#include <math.h>

static const float pi = 3.1415927f;

void tarn__wave_levels_begin(TarnWaveParticles* w)
{
    for (int c = 0; c < w->def.radii; ++c) {
        WaveLevel* level = &w->levels[c];
        float cells = level->radius / level->dx;
        level->speed =
            sqrtf(w->def.gravity * level->radius / pi); // of a wave of length 2 r in deep water
        level->per_dx = 1.0f / level->dx;
        level->rise = 2.0f * level->speed / level->radius;
        level->reach = (int)ceilf(cells) - 1;
        if (level->reach > WP_MAX_REACH) level->reach = WP_MAX_REACH;
        if (level->reach < 1) level->reach = 1;
        float bump = 0.0f;
        for (int p = -level->reach; p <= level->reach; ++p) {
            float s, co;
            tarn_sincos(pi * (float)p / cells, &s, &co);
            int i = p + level->reach;
            float f1 = 0.5f * (co + 1.0f), f2 = -0.5f * s;
            level->bump[i] = f1;
            level->slope[i] = f2 * (pi / level->radius);
            level->along[i] = 2.0f * f1 * f2;
            level->across[i] = f1 * f1;
            bump += f1;
        }
        // Taps sum to the integral over the cells, so that the volume of a splat is exact.
        for (int i = 0; i <= 2 * level->reach; ++i) {
            level->bump[i] *= cells / bump;
            level->slope[i] *= cells / bump;
        }
    }
}

// ---- Splats --------------------------------------------------------------------------------------

static void clear_splats(WaveLevel* level)
{
    size_t cells = (size_t)level->stride * (size_t)(level->nz + 2 * WP_PAD);
    memset(level->splats - (size_t)WP_PAD * (size_t)level->stride - WP_PAD, 0,
           cells * sizeof(float));
}

// What a particle adds to the four cells around it.
typedef struct Splat {
    float* at;
    int stride;
    float near[2], far[2];
} Splat;

static bool splat_of(const TarnWaveParticles* w, const WaveMote* m, TarnVec2 origin, float now,
                     Splat* out)
{
    const WaveLevel* level = &w->levels[m->radius];
    TarnVec2 p = wave_mote_at(w, m, now);
    float x = (p.x - origin.x) * level->per_dx - 0.5f;
    float z = (p.y - origin.y) * level->per_dx - 0.5f;
    const float pad = (float)WP_PAD - 1.5f;
    if (!(x > -pad && z > -pad && x < (float)level->nx - 1.0f + pad &&
          z < (float)level->nz - 1.0f + pad))
        return false;
    int ix = (int)(x + (float)WP_PAD) - WP_PAD, iz = (int)(z + (float)WP_PAD) - WP_PAD; // floor
    float fx = x - (float)ix, fz = z - (float)iz;
    float a = wave_mote_height(w, m, now), near = a * (1.0f - fz), far = a * fz;
    *out = (Splat){ .at = level->splats + (ptrdiff_t)iz * level->stride + ix,
                    .stride = level->stride,
                    .near = { near * (1.0f - fx), near * fx },
                    .far = { far * (1.0f - fx), far * fx } };
    return true;
}

// Particles in the order of their slots: a sum of floats depends on it. Where a few of them add is known before the first
// one does, so that those cells are on their way from memory.
static void splat(TarnWaveParticles* w)
{
    enum { AHEAD = 32 };
    TarnVec2 origin = tarn_wave_particles_origin(w);
    float now = (float)(w->time - w->epoch);
    for (int first = 0; first < w->n; first += AHEAD) {
        Splat list[AHEAD];
        int end = first + AHEAD < w->n ? first + AHEAD : w->n, n = 0;
        for (int i = first; i < end; ++i) {
            if (!splat_of(w, &w->motes[i], origin, now, &list[n])) continue;
            __builtin_prefetch(list[n].at, 1);
            __builtin_prefetch(list[n].at + list[n].stride, 1);
            ++n;
        }
        for (int i = 0; i < n; ++i) {
            float *near = list[i].at, *far = near + list[i].stride;
            near[0] += list[i].near[0];
            near[1] += list[i].near[1];
            far[0] += list[i].far[0];
            far[1] += list[i].far[1];
        }
    }
}

// Behind a wall: what lies there counts in front of it, then all is mirrored. Behind an open edge splats stay.
static void mirror_rows(WaveLevel* level, int inside, int outside)
{
    float* in = level->splats + (ptrdiff_t)inside * level->stride - WP_PAD;
    float* out = level->splats + (ptrdiff_t)outside * level->stride - WP_PAD;
    for (int i = 0; i < level->stride; ++i) {
        in[i] += out[i];
        out[i] = in[i];
    }
}
static void mirror_columns(WaveLevel* level, int inside, int outside)
{
    for (int k = -WP_PAD; k < level->nz + WP_PAD; ++k) {
        float* row = level->splats + (ptrdiff_t)k * level->stride;
        row[inside] += row[outside];
        row[outside] = row[inside];
    }
}
static void mirror(const TarnWaveParticlesDef* def, WaveLevel* level)
{
    int wall = TARN_WAVE_PARTICLES_WALL;
    for (int n = 0; n < WP_MAX_REACH + 1; ++n) {
        if (def->edge_x0 == wall) mirror_columns(level, n, -1 - n);
        if (def->edge_x1 == wall) mirror_columns(level, level->nx - 1 - n, level->nx + n);
    }
    for (int n = 0; n < WP_MAX_REACH + 1; ++n) {
        if (def->edge_z0 == wall) mirror_rows(level, n, -1 - n);
        if (def->edge_z1 == wall) mirror_rows(level, level->nz - 1 - n, level->nz + n);
    }
}

// ---- Filters -------------------------------------------------------------------------------------

typedef struct DrawJob {
    TarnWaveParticles* w;
    int c; // class
} DrawJob;

static float* work_of(TarnWaveParticles* w, int block)
{
    return w->work + (size_t)block * 4 * (size_t)(w->def.nx + 8 + 2 * WP_PAD);
}

static void add_coarser(TarnWaveParticles* w, int c, int k, float* work)
{
    static const float weights[4] = { -0.0703125f, 0.8671875f, 0.2265625f, -0.0234375f };
    const WaveLevel *fine = &w->levels[c], *coarse = &w->levels[c + 1];
    int near = k / 2, step = k % 2 ? 1 : -1; // a quarter of a cell off its center
    for (int f = 0; f < 5; ++f) {
        const float* rows[4];
        for (int t = 0; t < 4; ++t) {
            int row = near + (t - 1) * step;
            row = row < 0 ? 0 : row >= coarse->nz ? coarse->nz - 1 : row;
            rows[t] = coarse->field[f] + (size_t)row * (size_t)coarse->nx;
        }
        w->kernels->refine_row(rows, weights, coarse->nx, fine->nx, work,
                               fine->field[f] + (size_t)k * (size_t)fine->nx);
    }
}

static void filter_rows(int block, void* data)
{
    DrawJob* job = data;
    TarnWaveParticles* w = job->w;
    const WaveLevel* level = &w->levels[job->c];
    float* work = work_of(w, block);
    int end = (block + 1) * WP_ROWS < level->nz ? (block + 1) * WP_ROWS : level->nz;
    for (int k = block * WP_ROWS; k < end; ++k) {
        WaveRow row = { .level = level, .work = work };
        for (int t = 0; t <= 2 * level->reach; ++t)
            row.rows[t] = level->splats + (ptrdiff_t)(k + t - level->reach) * level->stride;
        for (int f = 0; f < 5; ++f) row.out[f] = level->field[f] + (size_t)k * (size_t)level->nx;
        w->kernels->filter_row(&row);
        if (job->c + 1 < w->def.radii) add_coarser(w, job->c, k, work);
    }
}

void tarn__wave_draw(TarnWaveParticles* w)
{
    for (int c = 0; c < w->def.radii; ++c) clear_splats(&w->levels[c]);
    splat(w);
    for (int c = w->def.radii - 1; c >= 0; --c) { // the coarsest first
        DrawJob job = { w, c };
        mirror(&w->def, &w->levels[c]);
        tarn__parallel_for(w->ctx, (w->levels[c].nz + WP_ROWS - 1) / WP_ROWS, filter_rows, &job);
    }
    w->is_stale = false;
}
