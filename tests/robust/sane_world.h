// Is all that a host can see of a world finite and in its range? And snapshots that were changed on purpose get
// good hashes again, so that only the checks of values stand in their way.
#pragma once

#include "base/base.h"
#include "base/snapshot.h"
#include "tarn/tarn.h"
#include <string.h>

// ---- Looking ---------------------------------------------------------------------------------------

static inline bool are_within(const float* values, int n, float lo, float hi) // false for NaN
{
    for (int i = 0; values && i < n; ++i) {
        if (!(values[i] >= lo && values[i] <= hi)) return false;
    }
    return true;
}
static inline bool is_view_within(TarnView2 view, float lo, float hi)
{
    for (int k = 0; k < view.nz && view.data; ++k) {
        if (!are_within(view.data + view.stride * k, view.nx, lo, hi)) return false;
    }
    return true;
}
static inline bool is_view3_within(TarnView3 view, float limit)
{
    for (int k = 0; view.data && k < view.nz; ++k) {
        for (int j = 0; j < view.ny; ++j) {
            if (!are_within(view.data + view.row * j + view.slab * k, view.nx, -limit, limit))
                return false;
        }
    }
    return true;
}

static const float anything = 1e30f; // any finite value that squares of it do not follow from

static inline bool are_particles_sane(const void* particles) // NULL: there are none
{
    if (particles == NULL) return true;
    TarnParticlesView v = tarn_particles_view(particles);
    const float* const all[] = { v.x, v.y, v.z, v.vx, v.vy, v.vz };
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
        if (!are_within(all[i], v.n, -1e8f, 1e8f)) return false;
    }
    return are_within(v.age, v.n, 0.0f, anything);
}

static inline bool is_liquid_sane(const void* liquid)
{
    TarnLiquidView v = tarn_liquid_view(liquid);
    const float* const all[] = { v.x,       v.y,        v.z,           v.vx,   v.vy,     v.vz,
                                 v.density, v.pressure, v.temperature, v.size, v.stretch };
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
        if (!are_within(all[i], v.n, i < 6 ? -1e7f : -anything, i < 6 ? 1e7f : anything))
            return false;
    }
    return are_particles_sane(tarn_liquid_splashes(liquid));
}

static inline bool is_gas_sane(const void* gas)
{
    TarnGasView v = tarn_gas_view(gas);
    const TarnView3 all[] = { v.u,    v.v,        v.w,   v.density, v.temperature,
                              v.fuel, v.pressure, v.red, v.green,   v.blue };
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
        if (!is_view3_within(all[i], anything)) return false;
    }
    return true;
}

static inline bool are_bodies_sane(const TarnBodies* bodies)
{
    for (int n = 0; n < tarn_bodies_count(bodies); ++n) {
        TarnBodyState s;
        if (tarn_bodies_get_state(bodies, tarn_bodies_at(bodies, n), &s) != TARN_OK) return false;
        if (!are_within(&s.position.x, 3, -1e6f, 1e6f) || !are_within(&s.rotation.x, 4, -2, 2) ||
            !are_within(&s.velocity.x, 3, -1.1e3f, 1.1e3f) ||
            !are_within(&s.angular_velocity.x, 3, -1.1e3f, 1.1e3f))
            return false;
    }
    return true;
}

static inline bool is_wave_sane(const void* wave)
{
    return is_view_within(tarn_wave_height(wave), -1e8f, 1e8f);
}

static inline bool is_shallow_sane(const void* shallow)
{
    return is_view_within(tarn_shallow_depth(shallow), 0.0f, 1e8f) &&
           is_view_within(tarn_shallow_velocity_x(shallow), -1e5f, 1e5f) &&
           is_view_within(tarn_shallow_velocity_z(shallow), -1e5f, 1e5f);
}

static inline bool is_pipes_sane(const void* pipes)
{
    return is_view_within(tarn_pipes_depth(pipes), 0.0f, 1e8f);
}

// By the name of the class; those that are not here show nothing but numbers (finite.h).
static const struct {
    const char* kind;
    bool (*is_sane)(const void* solver);
} sane_kinds[] = {
    { "wave", is_wave_sane },     { "shallow", is_shallow_sane },      { "pipes", is_pipes_sane },
    { "liquid", is_liquid_sane }, { "particles", are_particles_sane }, { "gas", is_gas_sane },
};

// NULL, or the part that is not finite or out of range.
static inline const char* what_is_mad(TarnWorld* world)
{
    if (!are_bodies_sane(tarn_world_bodies(world))) return "bodies";
    for (int n = 0; n < tarn_world_count(world, NULL); ++n) {
        const void* solver = tarn_world_get(world, NULL, n);
        const TarnSolverClass* of = tarn_world_class_of(world, solver);
        for (size_t i = 0; i < sizeof sane_kinds / sizeof *sane_kinds; ++i) {
            bool is_it = strcmp(sane_kinds[i].kind, of->name) == 0;
            if (is_it && !sane_kinds[i].is_sane(solver)) return of->name;
        }
    }
    return NULL;
}

// ---- Sealing ---------------------------------------------------------------------------------------

// Size and hashes of the header at `at`, for a snapshot of this size.
static inline void seal_one(uint8_t* at, size_t size)
{
    uint64_t payload = size - TARN_SNAPSHOT_HEADER;
    uint64_t hash = tarn_hash(at + TARN_SNAPSHOT_HEADER, payload, 0);
    memcpy(at + 32, &payload, 8);
    memcpy(at + 40, &hash, 8);
    hash = tarn_hash(at, 48, 1);
    memcpy(at + 48, &hash, 8);
}

// Of a snapshot made from a good one, and of those in it: each stands behind its size. From the end, because
// some hold others, and the inner ones stand farther back.
static inline void seal_all(uint8_t* snapshot, const uint8_t* good, size_t size)
{
    for (size_t at = size - TARN_SNAPSHOT_HEADER; at >= TARN_SNAPSHOT_HEADER; --at) {
        if (good[at] != 'T' || memcmp(good + at, "TARNSNAP", 8) != 0) continue;
        uint64_t inner;
        memcpy(&inner, good + at - 8, 8);
        seal_one(snapshot + at, (size_t)inner);
    }
    seal_one(snapshot, size);
}
