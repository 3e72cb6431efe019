// CSV: time, water, bodies. Floats with nine digits, so that they can be read back exactly.

#include "csv.h"
#include <inttypes.h>

void csv_header(FILE* out, TarnWorld* world)
{
    fputs("time", out);
    if (tarn_world_wave(world) != NULL) fputs(",volume,level,height_min,height_max", out);
    if (tarn_world_shallow(world) != NULL) fputs(",water,water_in,depth_max", out);
    if (tarn_world_pipes(world) != NULL) fputs(",water,water_in,ground,sediment,carried_out", out);
    if (tarn_world_liquid(world) != NULL)
        fputs(",particles,compression,kinetic_energy,max_speed,top", out);
    if (tarn_world_particles(world) != NULL) fputs(",sparks", out);
    int gases = tarn_world_gas_count(world);
    for (int g = 0; g < gases; ++g) {
        fprintf(out, ",gas%d_x,gas%d_y,gas%d_z,gas%d_speed,gas%d_heat,gas%d_density", g, g, g, g, g,
                g);
        fprintf(out, ",gas%d_cycles,gas%d_divergence", g, g);
    }
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

static float deepest(TarnView2 depth) // [m]
{
    float most = 0.0f;
    for (int k = 0; k < depth.nz; ++k) {
        const float* row = depth.data + (size_t)depth.stride * (size_t)k;
        for (int i = 0; i < depth.nx; ++i) most = row[i] > most ? row[i] : most;
    }
    return most;
}

static void shallow_columns(FILE* out, const TarnShallow* water)
{
    TarnShallowLedger l = tarn_shallow_ledger(water);
    fprintf(out, ",%.12g,%.12g,%.9g", l.volume, l.volume - l.initial,
            deepest(tarn_shallow_depth(water)));
}

static void pipes_columns(FILE* out, const TarnPipes* water)
{
    TarnPipesLedger l = tarn_pipes_ledger(water);
    fprintf(out, ",%.12g,%.12g,%.12g,%.12g,%.12g", l.volume, l.volume - l.initial, l.ground,
            l.sediment, l.carried_out);
}

// Count, mean compression, energy [J], fastest [m/s], highest particle [m].
static void liquid_columns(FILE* out, const TarnLiquid* liquid)
{
    TarnLiquidStats stats = tarn_liquid_stats(liquid);
    TarnLiquidView view = tarn_liquid_view(liquid);
    float top = view.n > 0 ? view.y[0] : 0.0f;
    for (int i = 1; i < view.n; ++i) top = view.y[i] > top ? view.y[i] : top;
    fprintf(out, ",%d,%.9g,%.9g,%.9g,%.9g", view.n, stats.mean_compression, stats.kinetic_energy,
            stats.max_speed, top);
}

// Center of the box [m], fastest [m/s], hottest over the ambient [K], sum of the density [m^3], cycles of
// multigrid, divergence that is left [1/s].
static void gas_columns(FILE* out, const TarnGas* gas)
{
    TarnGasStats s = tarn_gas_stats(gas);
    TarnVec3 c = tarn_gas_center(gas);
    fprintf(out, ",%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%d,%.9g", c.x, c.y, c.z, s.max_speed,
            s.max_temperature, s.density_sum, s.cycles, s.divergence);
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
    if (tarn_world_shallow(world) != NULL) shallow_columns(out, tarn_world_shallow(world));
    if (tarn_world_pipes(world) != NULL) pipes_columns(out, tarn_world_pipes(world));
    if (tarn_world_liquid(world) != NULL) liquid_columns(out, tarn_world_liquid(world));
    if (tarn_world_particles(world) != NULL)
        fprintf(out, ",%d", tarn_particles_view(tarn_world_particles(world)).n);
    for (int g = 0; g < tarn_world_gas_count(world); ++g)
        gas_columns(out, tarn_world_gas(world, g));
    fprintf(out, ",%d,%d,%" PRIu32, report->tiles_awake, report->substeps, report->flags);
    const TarnBodies* bodies = tarn_world_bodies(world);
    int n = tarn_bodies_count(bodies);
    for (int b = 0; b < n; ++b) body_columns(out, bodies, tarn_bodies_at(bodies, b));
    fputc('\n', out);
}
