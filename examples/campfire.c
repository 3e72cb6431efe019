// A campfire from a preset: flames between two logs, smoke in the breeze, and embers carried by the hot air.
// A game would draw tarn_gas_view for the volume, tarn_particles_view for the embers.
#include "tarn/tarn.h"
#include <stdio.h>

// Two logs across each other; the air goes around them.
static TarnResult add_logs(TarnSolids* solids, float size)
{
    const TarnQuat along_z = { 0.7071068f, 0.0f, 0.0f, 0.7071068f };
    const TarnQuat along_x = { 0.0f, 0.0f, 0.7071068f, 0.7071068f };
    for (int i = 0; i < 2; ++i) {
        TarnSolidDef log = tarn_solid_default_def();
        log.shape = tarn_shape_capsule(0.09f * size, 0.5f * size);
        log.motion.position.y = (0.1f + 0.1f * (float)i) * size;
        log.motion.rotation = i == 0 ? along_z : along_x;
        TarnResult result = tarn_solids_add(solids, &log, NULL);
        if (result != TARN_OK) return result;
    }
    return TARN_OK;
}

static TarnResult add_embers(TarnParticles* embers, const TarnGas* fire, float size)
{
    TarnParticlesParams params = tarn_particles_default_params();
    params.drag = 2.5f;         // in still air
    params.flow_drag = 9.0f;    // where the fire's air carries them
    params.flow_gravity = 0.1f; // and nearly all of their weight
    TarnResult result = tarn_particles_set_params(embers, &params);
    if (result != TARN_OK) return result;
    TarnParticleEmitterDef emitter = tarn_particle_emitter_default_def();
    emitter.shape = tarn_shape_disc(0.35f * size);
    emitter.motion.position.y = 0.35f * size;
    emitter.rate = 60.0f, emitter.speed = 1.0f, emitter.spread = 0.6f;
    emitter.lifetime = 2.5f, emitter.lifetime_jitter = 0.5f;
    result = tarn_particles_add_emitter(embers, &emitter, NULL);
    return result == TARN_OK ? tarn_particles_set_flow(embers, tarn_gas_flow(fire)) : result;
}

// The highest cell that glows [m].
static float flame_height(const TarnGas* fire)
{
    TarnGasView view = tarn_gas_view(fire);
    const TarnView3* t = &view.temperature;
    for (int j = t->ny - 1; j >= 0; --j)
        for (int k = 0; k < t->nz; ++k)
            for (int i = 0; i < t->nx; ++i)
                if (t->data[i + t->row * j + t->slab * k] > 500.0f)
                    return view.origin.y + view.dx * ((float)j + 0.5f);
    return 0.0f;
}

int main(void)
{
    const float size = 0.6f; // [m]
    const TarnVec3 place = { 0.0f, 0.0f, 0.0f };
    TarnContext* ctx;
    TarnContextDef context_def = tarn_context_default_def();
    context_def.workers = 0; // one per core
    if (tarn_context_create(&context_def, &ctx) != TARN_OK) return 1;
    TarnGas* fire;
    TarnSolids* logs;
    TarnParticles* embers;
    TarnSolidsDef solids_def = tarn_solids_default_def();
    TarnParticlesDef embers_def = tarn_particles_default_def();
    embers_def.max_particles = 1000;
    if (tarn_gas_create_preset(ctx, TARN_GAS_PRESET_FIRE, size, place, &fire) != TARN_OK ||
        tarn_solids_create(ctx, &solids_def, &logs) != TARN_OK ||
        tarn_particles_create(ctx, &embers_def, &embers) != TARN_OK ||
        add_logs(logs, size) != TARN_OK || tarn_gas_set_solids(fire, logs) != TARN_OK ||
        add_embers(embers, fire, size) != TARN_OK) {
        puts(tarn_last_error(ctx));
        return 1;
    }
    TarnGasParams params = tarn_gas_params(fire); // a breeze
    params.wind = (TarnVec3){ 0.25f, 0.0f, 0.1f };
    params.wind_rate = 0.15f;
    tarn_gas_set_params(fire, &params);

    float highest_ember = 0.0f, highest_flame = 0.0f;
    for (int frame = 0; frame < 90; ++frame) { // 1.5 s
        const float dt = 1.0f / 60.0f;
        tarn_solids_advance(logs, dt);
        if (tarn_gas_step(fire, dt, NULL) != TARN_OK) return puts(tarn_last_error(ctx)), 1;
        if (tarn_particles_step(embers, dt, NULL) != TARN_OK) return 1;
        TarnParticlesView view = tarn_particles_view(embers);
        for (int i = 0; i < view.n; ++i)
            if (view.y[i] > highest_ember) highest_ember = view.y[i];
        if (frame % 30 != 29) continue;
        TarnGasStats stats = tarn_gas_stats(fire);
        float flames = flame_height(fire);
        if (flames > highest_flame) highest_flame = flames;
        printf(
            "%.1f s: flames %.2f m high, hottest %4.0f K, air up to %.1f m/s, smoke %.3f m^3, %3d "
            "embers\n",
            tarn_gas_time(fire), (double)flames, stats.max_temperature, stats.max_speed,
            stats.density_sum, view.n);
    }
    TarnGasStats end = tarn_gas_stats(fire);
    bool is_fine = highest_flame > size && highest_ember > 2.0f * size &&
                   end.max_temperature > 700.0 && end.density_sum > 0.0;
    printf("flames up to %.2f m, embers up to %.2f m: %s\n", (double)highest_flame,
           (double)highest_ember, is_fine ? "a fire" : "not a fire");
    tarn_particles_destroy(embers);
    tarn_gas_destroy(fire);
    tarn_solids_destroy(logs);
    tarn_context_destroy(ctx);
    return is_fine ? 0 : 1;
}
