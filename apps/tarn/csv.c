// CSV: time, water, bodies. Floats with nine digits, so that they can be read back exactly.

#include "csv.h"
#include <inttypes.h>

void csv_header(FILE* out, TarnWorld* world)
{
    fputs("time", out);
    if (tarn_world_wave(world) != NULL) fputs(",volume,level,height_min,height_max", out);
    fputs(",tiles_awake,substeps,flags", out);
    int n = tarn_bodies_count(tarn_world_bodies(world));
    for (int b = 0; b < n; ++b) {
        fprintf(out, ",body%d_x,body%d_y,body%d_z,body%d_vx,body%d_vy,body%d_vz,body%d_submerged",
                b, b, b, b, b, b, b);
    }
    fputc('\n', out);
}

// Lowest and highest surface over the calm level [m].
static void height_range(const TarnWave* wave, float* lowest, float* highest)
{
    TarnView2 u = tarn_wave_height(wave);
    float lo = u.data[0], hi = u.data[0];
    for (int k = 0; k < u.nz; ++k) {
        const float* row = u.data + (size_t)u.stride * (size_t)k;
        for (int i = 0; i < u.nx; ++i) {
            lo = row[i] < lo ? row[i] : lo;
            hi = row[i] > hi ? row[i] : hi;
        }
    }
    *lowest = lo;
    *highest = hi;
}

static void body_columns(FILE* out, const TarnBodies* bodies, TarnBodyId id)
{
    TarnBodyState state;
    TarnBodyForce force;
    tarn_bodies_get_state(bodies, id, &state);
    tarn_bodies_get_force(bodies, id, &force);
    TarnVec3 x = state.position, v = state.velocity;
    fprintf(out, ",%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g", x.x, x.y, x.z, v.x, v.y, v.z,
            force.submerged_volume);
}

void csv_row(FILE* out, TarnWorld* world, const TarnStepReport* report)
{
    const TarnWave* wave = tarn_world_wave(world);
    fprintf(out, "%.12g", tarn_world_time(world));
    if (wave != NULL) {
        float lo, hi;
        height_range(wave, &lo, &hi);
        fprintf(out, ",%.9g,%.9g,%.9g,%.9g", tarn_wave_volume(wave), tarn_wave_level(wave), lo, hi);
    }
    fprintf(out, ",%d,%d,%" PRIu32, report->tiles_awake, report->substeps, report->flags);
    const TarnBodies* bodies = tarn_world_bodies(world);
    int n = tarn_bodies_count(bodies);
    for (int b = 0; b < n; ++b) body_columns(out, bodies, tarn_bodies_at(bodies, b));
    fputc('\n', out);
}
