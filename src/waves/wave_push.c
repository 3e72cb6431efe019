// Pushing waves, and pouring into them: what tarn/surface.h asks of a water.
//
// A volume goes to the heights and leaves their speed alone, like drops do. An impulse m per area [N s/m^2]
// moves water at m / rho through a vertical section of the layer, whatever its depth, so that the surface
// rises at -div(m) / rho: that goes to the speed of the heights. Waves have no momentum upwards: of an
// impulse the vertical part is not taken. Walls give and take nothing.

#include "base/maths.h"
#include "base/surface.h"
#include "grid/disc.h"
#include "waves/wave_internal.h"

static Disc disc_of(const TarnWave* wave, TarnVec2 center, float radius)
{
    DiscField field = {
        .nx = wave->def.nx, .nz = wave->def.nz, .dx = wave->def.dx, .origin = tarn_wave_origin(wave)
    };
    return tarn__disc(&field, center, radius);
}

static double wet_weight(const TarnWave* wave, const Disc* d)
{
    double sum = 0.0;
    for (int k = d->k0; k < d->k1; ++k) {
        for (int i = d->i0; i < d->i1; ++i) {
            if (wave_is_wet(wave, wave_cell(wave, i, k))) sum += (double)disc_bump(d, i, k);
        }
    }
    return sum;
}

// Adds a height, summed over the cells [m]. Returns what was added: less only at the limit of heights.
static double lift(TarnWave* wave, const Disc* d, double weight, double sum)
{
    double added = 0.0;
    for (int k = d->k0; k < d->k1; ++k) {
        for (int i = d->i0; i < d->i1; ++i) {
            size_t c = wave_cell(wave, i, k);
            float part = disc_bump(d, i, k);
            if (!(part > 0.0f) || !wave_is_wet(wave, c)) continue;
            added += (double)tarn__wave_add(wave, c, (float)(sum * (double)part / weight));
        }
    }
    tarn__wave_touch(wave, d->i0, d->i1, d->k0, d->k1);
    wave->is_edited = true;
    return added;
}

// ---- Impulse -------------------------------------------------------------------------------------

// The face at -x, or at -z, of a cell lets water through.
static bool is_open(const TarnWave* wave, int i, int k, bool is_z)
{
    size_t c = wave_cell(wave, i, k);
    if ((is_z ? k : i) == 0) return false; // the edges' own
    return wave_is_wet(wave, c) && wave_is_wet(wave, c - (is_z ? (size_t)wave->stride : 1));
}

static double push_faces(TarnWave* wave, const Disc* d, bool is_z, double impulse)
{
    double weight = 0.0, dx = (double)wave->def.dx;
    size_t back = is_z ? (size_t)wave->stride : 1;
    for (int k = d->k0; k < d->k1; ++k) {
        for (int i = d->i0; i < d->i1; ++i)
            weight += is_open(wave, i, k, is_z) ? (double)disc_bump(d, i, k) : 0.0;
    }
    if (!(weight > 0.0) || !(wave->dt > 0.0f)) return 0.0;
    // What goes through a face in a substep, as a height of the cells beside it.
    double most = 0.1 * (double)wave_limit;
    double gain = impulse / (weight * (double)wave->params.density * dx * dx * dx) * wave->dt;
    gain = gain > most ? most : gain < -most ? -most : gain;
    for (int k = d->k0; k < d->k1; ++k) {
        for (int i = d->i0; i < d->i1; ++i) {
            if (!is_open(wave, i, k, is_z)) continue;
            size_t c = wave_cell(wave, i, k);
            float through = (float)(gain * (double)disc_bump(d, i, k));
            float* p[2] = { &wave->prev[c], &wave->prev[c - back] }; // speed is (u - prev) / dt
            *p[0] = tarn_clampf(*p[0] - through, -wave_limit, wave_limit);
            *p[1] = tarn_clampf(*p[1] + through, -wave_limit, wave_limit);
        }
    }
    int west = d->i0 > 0 ? d->i0 - 1 : 0, south = d->k0 > 0 ? d->k0 - 1 : 0;
    tarn__wave_touch(wave, west, d->i1, south, d->k1);
    wave->is_edited = true;
    return gain / wave->dt * (weight * (double)wave->params.density * dx * dx * dx);
}

static TarnVec3 push_speed(TarnWave* wave, const Disc* d, TarnVec3 impulse)
{
    TarnVec3 taken = { 0.0f, 0.0f, 0.0f };
    if (impulse.x != 0.0f) taken.x = (float)push_faces(wave, d, false, (double)impulse.x);
    if (impulse.z != 0.0f) taken.z = (float)push_faces(wave, d, true, (double)impulse.z);
    return taken;
}

// ---- The plug ------------------------------------------------------------------------------------

bool tarn__wave_area(const void* self, TarnVec2* min, TarnVec2* max)
{
    const TarnWave* wave = self;
    *min = tarn_wave_origin(wave);
    max->x = min->x + (float)wave->def.nx * wave->def.dx;
    max->y = min->y + (float)wave->def.nz * wave->def.dx;
    return true;
}

TarnResult tarn__wave_push(void* self, const TarnSurfacePush* push, TarnSurfaceTaken* taken)
{
    TarnWave* wave = self;
    TARN_TRY(tarn__surface_check_push(wave->ctx, push));
    Disc to = disc_of(wave, push->center, push->radius);
    Disc from = disc_of(wave, push->from, push->from_radius);
    double to_weight = wet_weight(wave, &to), from_weight = wet_weight(wave, &from);
    double area = (double)wave->def.dx * (double)wave->def.dx, sum = (double)push->volume / area;
    if (sum != 0.0 && to_weight > 0.0 && from_weight > 0.0) {
        double moved = -lift(wave, &from, from_weight, -sum);
        double put = lift(wave, &to, to_weight, moved);
        wave->expected += put - moved; // not 0 at the limit of heights only
        taken->volume = put * area;
    }
    taken->impulse = push_speed(wave, &to, push->impulse);
    return TARN_OK;
}

TarnResult tarn__wave_pour(void* self, const TarnSurfacePour* pour, TarnSurfaceTaken* taken)
{
    TarnWave* wave = self;
    TARN_TRY(tarn__surface_check_pour(wave->ctx, pour));
    Disc disc = disc_of(wave, pour->center, pour->radius);
    double weight = wet_weight(wave, &disc);
    double area = (double)wave->def.dx * (double)wave->def.dx;
    if (!(weight > 0.0)) return TARN_OK;
    double added = lift(wave, &disc, weight, (double)pour->volume / area);
    wave->sourced += added;
    wave->expected += added;
    taken->volume = added * area;
    // The water of a wave has no mass of its own that could take momentum away.
    if (pour->volume > 0.0f) taken->impulse = push_speed(wave, &disc, pour->impulse);
    return TARN_OK;
}
