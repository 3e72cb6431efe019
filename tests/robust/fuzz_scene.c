// libFuzzer target for scenes: any text is refused with its place, or makes a world that runs.
// Seeds: the files in scenes/, and small worlds in tests/robust/seeds/, which are stepped, too. The allocator gives 64 MB, so that a grid of 16384 x 16384 cells is
// refused as it would be on a small machine.

#include "base/base.h"
#include "tarn/tarn.h"
#include <math.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static const size_t most_bytes = (size_t)64 << 20, busy_bytes = (size_t)2 << 20;
static size_t bytes_live;

static void* small_alloc(size_t size, size_t align, void* user)
{
    (void)user;
    if (size > most_bytes - bytes_live) return NULL;
    void* block = aligned_alloc(align, (size + align - 1) / align * align);
    if (block) bytes_live += size;
    return block;
}

static void small_free(void* ptr, size_t size, size_t align, void* user)
{
    (void)align, (void)user;
    bytes_live -= size;
    free(ptr);
}

static void require(bool condition)
{
    if (!condition) abort();
}

static void require_finite_view(TarnView2 h)
{
    for (int k = 0; k < h.nz; ++k)
        for (int i = 0; i < h.nx; ++i)
            require(tarn__is_finite(h.data[(size_t)i + (size_t)h.stride * (size_t)k]));
}

static void require_values(const float* values, int n)
{
    for (int i = 0; values && i < n; ++i) require(tarn__is_finite(values[i]));
}

static void require_finite_particles(const TarnParticles* particles)
{
    TarnParticlesView v = tarn_particles_view(particles);
    const float* const all[] = { v.x, v.y, v.z, v.vx, v.vy, v.vz, v.age };
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) require_values(all[i], v.n);
}

static void require_finite_liquid(const TarnLiquid* liquid)
{
    TarnLiquidView v = tarn_liquid_view(liquid);
    const float* const all[] = { v.x,       v.y,        v.z,           v.vx,   v.vy,     v.vz,
                                 v.density, v.pressure, v.temperature, v.size, v.stretch };
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) require_values(all[i], v.n);
    if (tarn_liquid_splashes(liquid)) require_finite_particles(tarn_liquid_splashes(liquid));
}

static void require_finite_view3(TarnView3 view)
{
    for (int k = 0; view.data && k < view.nz; ++k)
        for (int j = 0; j < view.ny; ++j)
            require_values(view.data + view.row * j + view.slab * k, view.nx);
}

static void require_finite_gas(const TarnGas* gas)
{
    TarnGasView v = tarn_gas_view(gas);
    const TarnView3 all[] = { v.u,    v.v,        v.w,   v.density, v.temperature,
                              v.fuel, v.pressure, v.red, v.green,   v.blue };
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) require_finite_view3(all[i]);
}

static void require_finite(TarnWorld* world)
{
    TarnBodies* bodies = tarn_world_bodies(world);
    for (int n = 0; n < tarn_bodies_count(bodies); ++n) {
        TarnBodyState s;
        require(tarn_bodies_get_state(bodies, tarn_bodies_at(bodies, n), &s) == TARN_OK);
        require(tarn__is_finite3(s.position) && tarn__is_finite3(s.velocity));
        require(tarn__is_finite3(s.angular_velocity));
    }
    const TarnWave* wave = tarn_world_wave(world);
    const TarnShallow* shallow = tarn_world_shallow(world);
    const TarnPipes* pipes = tarn_world_pipes(world);
    if (wave) require_finite_view(tarn_wave_height(wave));
    if (shallow) require_finite_view(tarn_shallow_depth(shallow));
    if (shallow) require_finite_view(tarn_shallow_velocity_x(shallow));
    if (pipes) require_finite_view(tarn_pipes_depth(pipes));
    if (pipes) require_finite_view(tarn_pipes_ground(pipes));
    if (tarn_world_liquid(world)) require_finite_liquid(tarn_world_liquid(world));
    if (tarn_world_particles(world)) require_finite_particles(tarn_world_particles(world));
    for (int n = 0; n < tarn_world_gas_count(world); ++n)
        require_finite_gas(tarn_world_gas(world, n));
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    static TarnContext* ctx;
    if (ctx == NULL) {
        TarnContextDef def = tarn_context_default_def();
        def.alloc = small_alloc;
        def.free = small_free;
        require(tarn_context_create(&def, &ctx) == TARN_OK);
    }
    size_t before = bytes_live;
    TarnScene* scene;
    TarnResult result =
        tarn_scene_create(ctx, (const char*)data, size, "fuzz.json", NULL, 0, &scene);
    if (result == TARN_OK) {
        TarnWorld* world = tarn_scene_world(scene);
        int steps = bytes_live - before < busy_bytes ? 2 : 0; // the large ones only take time
        for (int i = 0; i < steps; ++i)
            require(tarn_world_step(world, 1.0f / 240, NULL) == TARN_OK);
        if (steps > 0) require_finite(world);
        tarn_scene_destroy(scene);
    } else {
        require(scene == NULL);
        require(result == TARN_ERR_MEMORY || strncmp(tarn_last_error(ctx), "fuzz.json:", 10) == 0);
    }
    require(bytes_live == before);
    return 0;
}
