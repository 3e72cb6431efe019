// Is everything that a world shows finite?
#pragma once

#include "base/base.h"
#include "tarn/tarn.h"

static inline bool are_finite(const float* values, int n) // NULL: there are none
{
    for (int i = 0; values && i < n; ++i)
        if (!tarn__is_finite(values[i])) return false;
    return true;
}

static inline bool is_finite_view2(TarnView2 view)
{
    for (int k = 0; view.data && k < view.nz; ++k)
        if (!are_finite(view.data + (size_t)view.stride * (size_t)k, view.nx)) return false;
    return true;
}

static inline bool is_finite_view3(TarnView3 view)
{
    for (int k = 0; view.data && k < view.nz; ++k)
        for (int j = 0; j < view.ny; ++j)
            if (!are_finite(view.data + view.row * j + view.slab * k, view.nx)) return false;
    return true;
}

static inline bool are_finite_particles(const TarnParticles* particles)
{
    TarnParticlesView v = tarn_particles_view(particles);
    const float* const all[] = { v.x, v.y, v.z, v.vx, v.vy, v.vz, v.age };
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        if (!are_finite(all[i], v.n)) return false;
    return true;
}

static inline const char* nonfinite_liquid(const TarnLiquid* liquid)
{
    TarnLiquidView v = tarn_liquid_view(liquid);
    const struct {
        const char* name;
        const float* values;
    } all[] = {
        { "liquid x", v.x },
        { "liquid y", v.y },
        { "liquid z", v.z },
        { "liquid vx", v.vx },
        { "liquid vy", v.vy },
        { "liquid vz", v.vz },
        { "liquid density", v.density },
        { "liquid pressure", v.pressure },
        { "liquid temperature", v.temperature },
        { "liquid size", v.size },
        { "liquid stretch", v.stretch },
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        if (!are_finite(all[i].values, v.n)) return all[i].name;
    const TarnParticles* splashes = tarn_liquid_splashes(liquid);
    return splashes == NULL || are_finite_particles(splashes) ? NULL : "splashes";
}

static inline bool is_finite_gas(const TarnGas* gas)
{
    TarnGasView v = tarn_gas_view(gas);
    const TarnView3 all[] = { v.u,    v.v,        v.w,   v.density, v.temperature,
                              v.fuel, v.pressure, v.red, v.green,   v.blue };
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        if (!is_finite_view3(all[i])) return false;
    return true;
}

static inline bool are_finite_bodies(const TarnBodies* bodies)
{
    for (int n = 0; n < tarn_bodies_count(bodies); ++n) {
        TarnBodyState s;
        if (tarn_bodies_get_state(bodies, tarn_bodies_at(bodies, n), &s) != TARN_OK) return false;
        if (!tarn__is_finite3(s.position) || !tarn__is_finite3(s.velocity)) return false;
        if (!tarn__is_finite3(s.angular_velocity)) return false;
    }
    return true;
}

// The part of the world that is not finite, or NULL.
static inline const char* nonfinite_part(TarnWorld* world)
{
    const TarnWave* wave = tarn_world_wave(world);
    const TarnShallow* shallow = tarn_world_shallow(world);
    const TarnPipes* pipes = tarn_world_pipes(world);
    const TarnLiquid* liquid = tarn_world_liquid(world);
    const TarnParticles* particles = tarn_world_particles(world);
    if (!are_finite_bodies(tarn_world_bodies(world))) return "bodies";
    if (wave && !is_finite_view2(tarn_wave_height(wave))) return "wave height";
    if (shallow && !is_finite_view2(tarn_shallow_depth(shallow))) return "shallow depth";
    if (shallow && !is_finite_view2(tarn_shallow_velocity_x(shallow))) return "shallow velocity";
    if (shallow && !is_finite_view2(tarn_shallow_velocity_z(shallow))) return "shallow velocity";
    if (pipes && !is_finite_view2(tarn_pipes_depth(pipes))) return "pipes depth";
    if (pipes && !is_finite_view2(tarn_pipes_ground(pipes))) return "pipes ground";
    if (pipes && !is_finite_view2(tarn_pipes_sediment(pipes))) return "pipes sediment";
    if (liquid && nonfinite_liquid(liquid)) return nonfinite_liquid(liquid);
    if (particles && !are_finite_particles(particles)) return "particles";
    for (int n = 0; n < tarn_world_gas_count(world); ++n)
        if (!is_finite_gas(tarn_world_gas(world, n))) return "gas";
    return NULL;
}
