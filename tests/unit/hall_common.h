// What the tests of the hall share: small solvers of any class, made from nothing but its tables, and worlds of all of
// them. Include it first.
#pragma once

#include "results.h"
#include "small_def.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/snapshot.h"
#include "../robust/finite.h"
#include "tarn/show.h"
#include "tarn/tarn.h"

static const float frame = 1.0f / 60.0f; // [s]

// ---- Small solvers of any class ------------------------------------------------------------------

static inline void* add_named(TarnWorld* world, const TarnSolverClass* of, const char* name,
                              float x)
{
    AnyDef def = small_def(of, x);
    void* solver = NULL;
    assert_ok(tarn_world_add(world, of, name, def.bytes, &solver));
    return solver;
}
static inline void* add_small(TarnWorld* world, const char* kind, float x)
{
    return add_named(world, tarn_solver_class_find(ctx, kind), NULL, x);
}

// Something happens in it: the n-th time at another place.
static inline void stir(TarnWorld* world, void* solver, float x, int n)
{
    const char* kind = tarn_world_class_of(world, solver)->name;
    float off = 0.3f * (float)(n % 5) - 0.6f;
    if (strcmp(kind, "wave") == 0)
        assert_ok(tarn_wave_add_drop(solver, (TarnVec2){ x + off, off }, 0.8f, 0.1f));
    if (strcmp(kind, "shallow") == 0)
        assert_ok(tarn_shallow_add_water(solver, (TarnVec2){ x + off, off }, 0.8f, 0.2f, NULL));
    if (strcmp(kind, "pipes") == 0)
        assert_ok(tarn_pipes_add_water(solver, (TarnVec2){ x + off, off }, 0.8f, 0.2f, NULL));
    if (strcmp(kind, "liquid") == 0) {
        TarnLiquidFill fill = tarn_liquid_fill_default();
        fill.shape = tarn_shape_box_between((TarnVec3){ x - 1.5f, 0.0f, -1.0f },
                                            (TarnVec3){ x + off, 0.8f, 1.0f }, &fill.pose.position);
        fill.velocity = (TarnVec3){ 1.0f, 0.0f, off };
        assert_ok(tarn_liquid_fill(solver, &fill, NULL));
    }
    if (strcmp(kind, "particles") == 0) {
        TarnParticleEmitterDef def = tarn_particle_emitter_default_def();
        def.motion.position = (TarnVec3){ x + off, 1.0f, 0.0f };
        def.rate = 100.0f, def.speed = 3.0f, def.spread = 0.5f;
        assert_ok(tarn_particles_add_emitter(solver, &def, NULL));
    }
    if (strcmp(kind, "gas") == 0) {
        TarnGasSourceDef def = tarn_gas_source_default_def();
        def.motion.position = (TarnVec3){ x + off, 1.0f, 0.0f };
        def.shape.size.x = 0.5f, def.density = 1.0f, def.temperature = 300.0f;
        assert_ok(tarn_gas_add_source(solver, &def, NULL));
    }
}

// ---- Worlds --------------------------------------------------------------------------------------

static inline TarnWorld* new_world_in(TarnContext* context, int max_solvers)
{
    TarnWorldDef def = tarn_world_default_def();
    TarnWorld* world;
    def.max_solvers = max_solvers;
    def.max_bodies = 16, def.max_emitters = 16, def.max_solids = 16, def.max_attached = 16;
    assert_ok(tarn_world_create(context, &def, &world));
    return world;
}
static inline TarnWorld* new_world(int max_solvers)
{
    return new_world_in(ctx, max_solvers);
}

static inline void run(TarnWorld* world, int steps)
{
    for (int i = 0; i < steps; ++i) assert_ok(tarn_world_step(world, frame, NULL));
}

static inline TarnBodyId add_ball(TarnWorld* world, float x, float y, float z)
{
    TarnBodyDef def = tarn_body_default_def();
    TarnBodyId id;
    def.shape = tarn_shape_sphere(0.3f);
    def.state.position = (TarnVec3){ x, y, z };
    assert_ok(tarn_world_add_body(world, &def, &id));
    return id;
}

static inline TarnSolidId add_block(TarnWorld* world, float x)
{
    TarnSolidDef def = tarn_solid_default_def();
    TarnSolidId id;
    def.shape.kind = TARN_SHAPE_BOX;
    def.shape.size = (TarnVec3){ 0.2f, 0.3f, 0.4f };
    def.motion.position = (TarnVec3){ x, 0.2f, 0.0f };
    assert_ok(tarn_world_add_solid(world, &def, &id));
    return id;
}

// One solver of each class of the library, side by side and stirred, with a ball over each.
static inline TarnWorld* all_in_one(TarnContext* context, int max_solvers)
{
    TarnWorld* world = new_world_in(context, max_solvers);
    const TarnSolverClass* of;
    for (int n = 0; (of = tarn_solver_class_at(context, n)) != NULL; ++n) {
        void* solver = add_named(world, of, NULL, 10.0f * (float)n);
        stir(world, solver, 10.0f * (float)n, n);
        if (of->surface || of->drops) add_ball(world, 10.0f * (float)n, 1.5f, 0.1f);
    }
    add_block(world, 31.0f);
    return world;
}

static inline uint8_t* save(const TarnWorld* world, size_t* size)
{
    assert_int_equal(tarn_world_save(world, NULL, 0, size), TARN_ERR_CAPACITY);
    uint8_t* buffer = malloc(*size);
    size_t same = *size;
    assert_int_equal(tarn_world_save(world, buffer, *size - 1, size), TARN_ERR_CAPACITY);
    assert_int_equal(*size, same);
    assert_ok(tarn_world_save(world, buffer, *size, size));
    assert_int_equal(*size, same);
    return buffer;
}
