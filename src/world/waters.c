// The waters of a world behind one table of functions. Solvers know nothing of it: each stays a plain
// object with its own header, and here is the one place that knows all of them.

#include "world/world_internal.h"
#include "tarn/coupling.h"

// ---- Waves ---------------------------------------------------------------------------------------

static void wave_destroy(void* water)
{
    tarn_wave_destroy(water);
}
static TarnResult wave_step(void* water, float dt, TarnStepReport* report)
{
    return tarn_wave_step(water, dt, report);
}
static uint64_t wave_hash(const void* water)
{
    return tarn_wave_hash(water);
}
static TarnResult wave_save(const void* water, void* buffer, size_t capacity, size_t* size)
{
    return tarn_wave_save(water, buffer, capacity, size);
}
static TarnResult wave_load(void* water, const void* buffer, size_t size)
{
    return tarn_wave_load(water, buffer, size);
}
static TarnSurface wave_surface(const void* water)
{
    return tarn_wave_surface(water);
}
static bool wave_is_closed(int edge)
{
    return edge == TARN_EDGE_REFLECTING || edge == TARN_EDGE_FIXED;
}
static Basin wave_basin(const void* water)
{
    const TarnWaveDef* def = tarn_wave_def(water);
    return (Basin){ .nx = def->nx,
                    .nz = def->nz,
                    .dx = def->dx,
                    .origin = tarn_wave_origin(water),
                    .is_closed = { wave_is_closed(def->edge_x0), wave_is_closed(def->edge_x1),
                                   wave_is_closed(def->edge_z0), wave_is_closed(def->edge_z1) } };
}
static bool wave_has_bodies(const void* water)
{
    return tarn_wave_def(water)->use_bodies;
}
static TarnResult wave_couple(void* water, TarnBodies* bodies, float dt)
{
    return tarn_couple_wave_bodies(water, bodies, dt);
}
static TarnResult wave_shift(void* water, int di, int dk)
{
    return tarn_wave_shift(water, di, dk);
}

// ---- Shallow water -------------------------------------------------------------------------------

static void shallow_destroy(void* water)
{
    tarn_shallow_destroy(water);
}
static TarnResult shallow_step(void* water, float dt, TarnStepReport* report)
{
    return tarn_shallow_step(water, dt, report);
}
static uint64_t shallow_hash(const void* water)
{
    return tarn_shallow_hash(water);
}
static TarnResult shallow_save(const void* water, void* buffer, size_t capacity, size_t* size)
{
    return tarn_shallow_save(water, buffer, capacity, size);
}
static TarnResult shallow_load(void* water, const void* buffer, size_t size)
{
    return tarn_shallow_load(water, buffer, size);
}
static TarnSurface shallow_surface(const void* water)
{
    return tarn_shallow_surface(water);
}
static Basin shallow_basin(const void* water)
{
    const TarnShallowDef* def = tarn_shallow_def(water);
    const int wall = TARN_SHALLOW_REFLECTING;
    return (Basin){ .nx = def->nx,
                    .nz = def->nz,
                    .dx = def->dx,
                    .origin = tarn_shallow_origin(water),
                    .is_closed = { def->edge_x0 == wall, def->edge_x1 == wall, def->edge_z0 == wall,
                                   def->edge_z1 == wall },
                    .ground = tarn_shallow_bed(water) };
}
static bool shallow_has_bodies(const void* water)
{
    return tarn_shallow_def(water)->use_bodies;
}
static TarnResult shallow_couple(void* water, TarnBodies* bodies, float dt)
{
    return tarn_couple_shallow_bodies(water, bodies, dt);
}
static TarnResult shallow_shift(void* water, int di, int dk)
{
    return tarn_shallow_shift(water, di, dk);
}

// ---- Pipes ---------------------------------------------------------------------------------------

static void pipes_destroy(void* water)
{
    tarn_pipes_destroy(water);
}
static TarnResult pipes_step(void* water, float dt, TarnStepReport* report)
{
    return tarn_pipes_step(water, dt, report);
}
static uint64_t pipes_hash(const void* water)
{
    return tarn_pipes_hash(water);
}
static TarnResult pipes_save(const void* water, void* buffer, size_t capacity, size_t* size)
{
    return tarn_pipes_save(water, buffer, capacity, size);
}
static TarnResult pipes_load(void* water, const void* buffer, size_t size)
{
    return tarn_pipes_load(water, buffer, size);
}
static TarnSurface pipes_surface(const void* water)
{
    return tarn_pipes_surface(water);
}
static Basin pipes_basin(const void* water)
{
    const TarnPipesDef* def = tarn_pipes_def(water);
    const int wall = TARN_PIPES_CLOSED;
    return (Basin){ .nx = def->nx,
                    .nz = def->nz,
                    .dx = def->dx,
                    .origin = tarn_pipes_origin(water),
                    .is_closed = { def->edge_x0 == wall, def->edge_x1 == wall, def->edge_z0 == wall,
                                   def->edge_z1 == wall },
                    .ground = tarn_pipes_ground(water) };
}
static bool pipes_has_bodies(const void* water)
{
    (void)water;
    return false;
}

const WaterClass tarn__water_classes[N_WATERS] = {
    { "wave", wave_destroy, wave_step, wave_hash, wave_save, wave_load, wave_surface, wave_basin,
      wave_has_bodies, wave_couple, wave_shift },
    { "shallow", shallow_destroy, shallow_step, shallow_hash, shallow_save, shallow_load,
      shallow_surface, shallow_basin, shallow_has_bodies, shallow_couple, shallow_shift },
    { "pipes", pipes_destroy, pipes_step, pipes_hash, pipes_save, pipes_load, pipes_surface,
      pipes_basin, pipes_has_bodies, NULL, NULL },
};
