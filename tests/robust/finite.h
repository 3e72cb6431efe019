// Is everything that a world shows finite?
#pragma once

#include "base/base.h"
#include "tarn/tarn.h"
#include <string.h>

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

static inline const char* nonfinite_liquid(const void* liquid)
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

static inline const char* nonfinite_gas(const void* gas)
{
    TarnGasView v = tarn_gas_view(gas);
    const TarnView3 all[] = { v.u,    v.v,        v.w,   v.density, v.temperature,
                              v.fuel, v.pressure, v.red, v.green,   v.blue };
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        if (!is_finite_view3(all[i])) return "gas";
    return NULL;
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

static inline const char* nonfinite_wave(const void* wave)
{
    return is_finite_view2(tarn_wave_height(wave)) ? NULL : "wave height";
}

static inline const char* nonfinite_shallow(const void* shallow)
{
    if (!is_finite_view2(tarn_shallow_depth(shallow))) return "shallow depth";
    bool is_good = is_finite_view2(tarn_shallow_velocity_x(shallow)) &&
                   is_finite_view2(tarn_shallow_velocity_z(shallow));
    return is_good ? NULL : "shallow velocity";
}

static inline const char* nonfinite_pipes(const void* pipes)
{
    if (!is_finite_view2(tarn_pipes_depth(pipes))) return "pipes depth";
    if (!is_finite_view2(tarn_pipes_ground(pipes))) return "pipes ground";
    return is_finite_view2(tarn_pipes_sediment(pipes)) ? NULL : "pipes sediment";
}

static inline const char* nonfinite_wave_particles(const void* waves)
{
    const TarnView2 all[] = { tarn_wave_particles_height(waves), tarn_wave_particles_shift_x(waves),
                              tarn_wave_particles_shift_z(waves),
                              tarn_wave_particles_slope_x(waves),
                              tarn_wave_particles_slope_z(waves) };
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        if (!is_finite_view2(all[i])) return "wave particles";
    return NULL;
}

static inline const char* nonfinite_ripple(const void* ripple)
{
    bool is_good = is_finite_view2(tarn_ripple_height(ripple)) &&
                   is_finite_view2(tarn_ripple_potential(ripple));
    return is_good ? NULL : "ripple";
}

static inline const char* nonfinite_flow_ripples(const void* ripples)
{
    if (!is_finite_view2(tarn_flow_ripples_tile(ripples))) return "flow ripples tile";
    for (int n = 0; n < TARN_FLOW_RIPPLES_COPIES; ++n) {
        TarnFlowRipplesCopy copy;
        if (tarn_flow_ripples_copy(ripples, n, &copy) != TARN_OK) return "flow ripples copy";
        bool is_good = is_finite_view2(copy.shift_x) && is_finite_view2(copy.shift_z) &&
                       is_finite_view2(copy.fade);
        if (!is_good) return "flow ripples shift";
    }
    return is_finite_view2(tarn_flow_ripples_strength(ripples)) ? NULL : "flow ripples strength";
}

static inline const char* nonfinite_ocean(const void* ocean)
{
    TarnOceanCascade c;
    for (int i = 0; i < tarn_ocean_def(ocean)->cascades; ++i) {
        if (tarn_ocean_cascade(ocean, i, &c) != TARN_OK) return "ocean cascade";
        int n = c.n * c.n;
        if (!are_finite(c.moved, c.row * c.n)) return "ocean surface or velocity";
        if (!are_finite(c.foam, n)) return "ocean foam";
    }
    return NULL;
}

static inline const char* nonfinite_particles(const void* particles)
{
    return are_finite_particles(particles) ? NULL : "particles";
}

static inline const char* nonfinite_lattice(const void* lattice)
{
    TarnLatticeView v = tarn_lattice_view(lattice);
    const TarnView3 all[] = { v.u, v.v, v.w, v.smoke, v.temperature, v.fuel, v.fill };
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        if (!is_finite_view3(all[i])) return "lattice";
    return NULL;
}

static inline const char* nonfinite_spray(const void* spray)
{
    TarnParticlesView all[] = { tarn_spray_drops(spray), tarn_spray_foam_particles(spray) };
    for (int p = 0; p < 2; ++p) {
        const float* const values[] = { all[p].x,  all[p].y,  all[p].z,   all[p].vx,
                                        all[p].vy, all[p].vz, all[p].age, all[p].radius };
        for (size_t i = 0; i < sizeof values / sizeof *values; ++i)
            if (!are_finite(values[i], all[p].n)) return p ? "foam" : "drops";
    }
    if (!are_finite(tarn_spray_grains(spray), all[0].n)) return "grains of drops";
    bool is_good =
        is_finite_view2(tarn_spray_foam(spray)) && is_finite_view2(tarn_spray_power(spray));
    return is_good ? NULL : "spray fields";
}

static inline const char* nonfinite_breakers(const void* breakers)
{
    for (int l = 0; l < tarn_breakers_line_count(breakers); ++l) {
        TarnBreakerPoint points[256];
        int n;
        if (tarn_breakers_line(breakers, l, 256, points, &n, NULL) != TARN_OK) continue;
        for (int i = 0; i < n; ++i)
            if (!are_finite(&points[i].position.x, 14)) return "lines of breakers";
    }
    const TarnBreakerSplash* splashes;
    int n = tarn_breakers_splashes(breakers, &splashes);
    for (int i = 0; i < n; ++i)
        if (!are_finite(&splashes[i].position.x, 9)) return "splashes of breakers";
    return NULL;
}

// What a class shows of its own, by its name. Of any other its stats and its surface are looked at.
static const struct {
    const char* kind;
    const char* (*part)(const void* solver);
} nonfinite_of[] = {
    { "wave", nonfinite_wave },
    { "shallow", nonfinite_shallow },
    { "pipes", nonfinite_pipes },
    { "liquid", nonfinite_liquid },
    { "particles", nonfinite_particles },
    { "gas", nonfinite_gas },
    { "wave_particles", nonfinite_wave_particles },
    { "ripple", nonfinite_ripple },
    { "flow_ripples", nonfinite_flow_ripples },
    { "breakers", nonfinite_breakers },
    { "ocean", nonfinite_ocean },
    { "spray", nonfinite_spray },
    { "lattice", nonfinite_lattice },
};

static inline const char* nonfinite_surface(TarnSurface surface)
{
    const float x[] = { -1e6f, -1.0f, 0.0f, 0.7f, 3.0f, 1e6f }, z[] = { 0, 1, 0, -2, 4, 1e6f };
    float height[6], depth[6];
    TarnVec3 normal[6], velocity[6];
    const TarnSurfaceSamples out = { height, normal, velocity, depth };
    if (surface.query == NULL || tarn_surface_query(surface, 6, x, z, &out) != TARN_OK) return NULL;
    bool is_good = are_finite(height, 6) && are_finite(depth, 6) && are_finite(&normal->x, 18) &&
                   are_finite(&velocity->x, 18);
    return is_good ? NULL : "surface";
}

static inline const char* nonfinite_solver(const TarnSolverClass* of, const void* solver)
{
    for (int i = 0; i < of->n_stats; ++i) {
        double value = of->stats[i].value(solver);
        if (!(value - value == 0.0)) return of->stats[i].name;
    }
    for (size_t i = 0; i < sizeof nonfinite_of / sizeof *nonfinite_of; ++i) {
        const char* part = NULL;
        if (strcmp(nonfinite_of[i].kind, of->name) == 0) part = nonfinite_of[i].part(solver);
        if (part) return part;
    }
    return of->surface ? nonfinite_surface(of->surface(solver)) : NULL;
}

// The part of the world that is not finite, or NULL.
static inline const char* nonfinite_part(TarnWorld* world)
{
    if (!are_finite_bodies(tarn_world_bodies(world))) return "bodies";
    for (int n = 0; n < tarn_world_count(world, NULL); ++n) {
        void* solver = tarn_world_get(world, NULL, n);
        const char* part = nonfinite_solver(tarn_world_class_of(world, solver), solver);
        if (part) return part;
    }
    return NULL;
}
