// Your physics engine moves the bodies, Tarn computes the forces of the water on them.
//
// Add bodies as driven, hand over their state each frame, read force and torque, integrate them
// yourself. Here the "engine" is one line of Euler for a ball dropped from 2 m.
#include "tarn/tarn.h"
#include <stdio.h>

int main(void)
{
    TarnContext* ctx;
    TarnContextDef context_def = tarn_context_default_def();
    if (tarn_context_create(&context_def, &ctx) != TARN_OK) return 1;
    TarnWaveDef water = tarn_wave_default_def();
    water.use_bodies = true;
    TarnWave* wave;
    TarnBodiesDef bodies_def = tarn_bodies_default_def();
    TarnBodies* bodies;
    if (tarn_wave_create(ctx, &water, &wave) != TARN_OK ||
        tarn_bodies_create(ctx, &bodies_def, &bodies) != TARN_OK) {
        puts(tarn_last_error(ctx));
        return 1;
    }

    TarnBodyDef ball = tarn_body_default_def();
    ball.shape = tarn_shape_sphere(0.3f);
    ball.density = 300.0f;
    ball.state.position = (TarnVec3){ 6.4f, 2.0f, 6.4f };
    ball.is_driven = true;
    TarnBodyId id;
    tarn_bodies_add(bodies, &ball, &id);
    float mass, volume;
    tarn_bodies_get_mass(bodies, id, &mass, &volume);

    TarnBodyState state = ball.state;
    const float dt = 1.0f / 120.0f;
    for (int frame = 0; frame < 120 * 20; ++frame) {
        tarn_bodies_set_state(bodies, id, &state); // engine -> Tarn
        tarn_couple_wave_bodies(wave, bodies, dt); // both ways
        TarnBodyForce force;                       // Tarn -> engine
        tarn_bodies_get_force(bodies, id, &force);
        state.velocity.y += dt * (force.force.y / mass - 9.81f);
        state.position.y += dt * state.velocity.y;
        tarn_wave_step(wave, dt, NULL);
        if (frame % 240 == 0) {
            printf("%4.1f s  ball at %6.3f m, %4.1f %% under water\n", (double)((float)frame * dt),
                   (double)state.position.y, 100.0 * (double)(force.submerged_volume / volume));
        }
    }
    tarn_bodies_destroy(bodies);
    tarn_wave_destroy(wave);
    tarn_context_destroy(ctx);
    return state.position.y > -0.1f && state.position.y < 0.3f ? 0 : 1;
}
