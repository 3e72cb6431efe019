// A jetpack, as in Dark Void: the pilot flies an erratic path and lands. A grid of air follows the pilot, two
// nozzles blow into it, and the air carries particles: smoke when the power changes, heat while the jets run. Behind
// the grid, particles continue by inertia and drag.
#include "tarn/tarn.h"
#include <stdio.h>

enum { SMOKE, HEAT };

typedef struct Show {
    TarnContext* ctx;
    TarnWorld* world;
    TarnFlights* flights;
    TarnGas* air;
    TarnParticles* particles;
    TarnBodyId pilot;
} Show;

static TarnResult add_pilot(Show* show)
{
    TarnBodyDef pilot = tarn_body_default_def();
    pilot.shape.kind = TARN_SHAPE_CAPSULE;
    pilot.shape.size = (TarnVec3){ 0.26f, 0.6f, 0.0f };
    pilot.state.position.y = 0.95f;
    pilot.is_driven = true;
    TarnResult result = tarn_world_add_body(show->world, &pilot, &show->pilot);
    if (result == TARN_OK) result = tarn_flights_create(show->ctx, show->world, &show->flights);
    if (result != TARN_OK) return result;
    TarnFlightDef flight = tarn_flight_default_def();
    flight.amplitude = (TarnVec3){ 4.2f, 4.8f, 2.2f };
    flight.period = 1.5f, flight.phase = 0.31f;
    flight.start = 0.5f, flight.stop = 3.0f, flight.ramp = 1.2f;
    return tarn_flights_add(show->flights, show->pilot, &flight);
}

// The grid of the preset, around the pilot, and a nozzle at each shoulder.
static TarnResult add_air(Show* show)
{
    TarnGasDef def;
    TarnGasParams params;
    TarnGasJetDef jet;
    TarnResult result =
        tarn_gas_preset(show->ctx, TARN_GAS_PRESET_JET_EXHAUST, 0.28f, &def, &params, NULL, &jet);
    if (result != TARN_OK) return result;
    def.use_density = false; // only the particles are drawn
    def.center = (TarnVec3){ 0.0f, 0.05f, 0.0f };
    result = tarn_world_add_gas(show->world, &def, &show->air);
    if (result == TARN_OK) result = tarn_gas_set_params(show->air, &params);
    TarnWindowDef window = tarn_window_default_def();
    window.kind = TARN_WINDOW_BODY, window.body = show->pilot;
    window.offset = (TarnVec3){ 0.0f, -0.9f, 0.0f };
    if (result == TARN_OK) result = tarn_world_set_window(show->world, show->air, &window);
    for (int side = -1; side <= 1 && result == TARN_OK; side += 2) {
        TarnGasJetId id;
        jet.motion.position = (TarnVec3){ 0.16f * (float)side, -0.2f, -0.32f };
        result = tarn_gas_add_jet(show->air, &jet, &id);
        if (result == TARN_OK)
            result = tarn_world_attach(show->world, show->air, "jets", id.value, &jet, show->pilot,
                                       TARN_THROTTLE_STEADY);
    }
    return result;
}

static TarnResult add_emitter(Show* show, int side, int kind)
{
    TarnParticleEmitterId id;
    TarnParticleEmitterDef e = tarn_particle_emitter_default_def();
    e.shape = tarn_shape_disc(0.1f);
    e.motion.position = (TarnVec3){ 0.16f * (float)side, -0.35f, -0.32f };
    e.motion.rotation = (TarnQuat){ 1.0f, 0.0f, 0.0f, 0.0f }; // down
    e.kind_of_particle = kind;
    e.rate = kind == SMOKE ? 9000.0f : 3000.0f;
    e.speed = kind == SMOKE ? 6.0f : 9.0f, e.speed_jitter = 0.3f, e.spread = 0.2f;
    e.lifetime = kind == SMOKE ? 2.6f : 0.16f, e.lifetime_jitter = 0.4f;
    e.limit = kind == SMOKE ? 24000 : 0, e.is_recycling = true;
    TarnResult result = tarn_particles_add_emitter(show->particles, &e, &id);
    int channel = kind == SMOKE ? TARN_THROTTLE_CHANGE : TARN_THROTTLE_STEADY;
    if (result != TARN_OK) return result;
    return tarn_world_attach(show->world, show->particles, "emitters", id.value, &e, show->pilot,
                             channel);
}

static TarnResult add_particles(Show* show)
{
    TarnParticlesDef def = tarn_particles_default_def();
    def.max_particles = 48000;
    TarnResult result = tarn_world_add_particles(show->world, &def, &show->particles);
    if (result != TARN_OK) return result;
    TarnParticlesParams params = tarn_particles_params(show->particles);
    params.gravity = (TarnVec3){ 0.0f, 0.5f, 0.0f }; // smoke rises a little
    params.drag = 1.6f, params.flow_drag = 9.0f, params.flow_gravity = 0.0f;
    result = tarn_particles_set_params(show->particles, &params);
    for (int side = -1; side <= 1; side += 2)
        for (int kind = SMOKE; kind <= HEAT && result == TARN_OK; ++kind)
            result = add_emitter(show, side, kind);
    return result;
}

static TarnResult create(Show* show)
{
    TarnContextDef context_def = tarn_context_default_def();
    context_def.workers = 0; // one per core
    TarnWorldDef world_def = tarn_world_default_def();
    TarnResult result = tarn_context_create(&context_def, &show->ctx);
    if (result == TARN_OK) result = tarn_world_create(show->ctx, &world_def, &show->world);
    if (result == TARN_OK) result = add_pilot(show);
    if (result == TARN_OK) result = add_air(show);
    return result == TARN_OK ? add_particles(show) : result;
}

int main(void)
{
    Show show = { 0 };
    if (create(&show) != TARN_OK) return puts(tarn_last_error(show.ctx)), 1;
    float highest = 0.0f;
    int most = 0;
    double fastest = 0.0;
    TarnBodyState pilot = { 0 };
    for (int frame = 0; frame < 210; ++frame) { // 3.5 s
        if (tarn_world_step(show.world, 1.0f / 60.0f, NULL) != TARN_OK)
            return puts(tarn_last_error(show.ctx)), 1;
        tarn_bodies_get_state(tarn_world_bodies(show.world), show.pilot, &pilot);
        int alive = tarn_particles_view(show.particles).n;
        if (alive > most) most = alive;
        if (pilot.position.y > highest) highest = pilot.position.y;
        if (frame % 30 != 29) continue;
        TarnGasStats stats = tarn_gas_stats(show.air);
        if (stats.max_speed > fastest) fastest = stats.max_speed;
        TarnVec3 box = tarn_gas_center(show.air);
        printf(
            "%.1f s: pilot at %5.2f %5.2f %5.2f, the grid at %5.2f %5.2f %5.2f, air %4.1f m/s, %5d "
            "particles\n",
            tarn_world_time(show.world), (double)pilot.position.x, (double)pilot.position.y,
            (double)pilot.position.z, (double)box.x, (double)box.y, (double)box.z, stats.max_speed,
            alive);
    }
    bool is_fine = highest > 2.5f && pilot.position.y < 0.96f && most > 5000 && fastest > 5.0;
    printf("up to %.1f m and %s, at most %d particles\n", (double)highest,
           pilot.position.y < 0.96f ? "landed" : "not landed", most);
    tarn_flights_destroy(show.flights);
    tarn_world_destroy(show.world);
    tarn_context_destroy(show.ctx);
    return is_fine ? 0 : 1;
}
