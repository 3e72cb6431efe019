// Fireworks: rockets rise from a moving barge; where one dies, a callback sets off a shell of stars that
// drift with the wind. A torch beside the mortar throws sparks that bounce off the platform.
#include "tarn/particles.h"
#include <math.h>
#include <stdio.h>

enum { ROCKET, SPARK, STAR };

typedef struct Show {
    int shells, stars, hits;
    float highest;
} Show;

// Where a rocket died: 300 stars in all directions.
static void on_event(TarnParticles* sky, const TarnParticleEvent* event, void* user)
{
    Show* show = user;
    show->hits += event->kind == TARN_PARTICLE_HIT;
    if (event->kind != TARN_PARTICLE_DIED || event->kind_of_particle != ROCKET) return;
    if (event->position.y > show->highest) show->highest = event->position.y;
    show->shells++;
    float x = 1.0f, y = 0.0f;
    for (int star = 0; star < 300; ++star) { // a spiral over the sphere, by the golden angle
        float z = ((float)star + 0.5f) / 150.0f - 1.0f, ring = 18.0f * sqrtf(1.0f - z * z);
        TarnVec3 v = { event->velocity.x + ring * x, event->velocity.y + 18.0f * z,
                       event->velocity.z + ring * y };
        float next = -0.7373688f * x - 0.6754903f * y;
        y = 0.6754903f * x - 0.7373688f * y;
        x = next;
        float lifetime = 1.5f + 0.002f * (float)star;
        show->stars += tarn_particles_add(sky, 1, &event->position, &v, &lifetime, 0.05f, STAR);
    }
}

int main(void)
{
    TarnContext* ctx;
    TarnContextDef context_def = tarn_context_default_def();
    context_def.workers = 0; // one per core
    if (tarn_context_create(&context_def, &ctx) != TARN_OK) return 1;
    TarnParticlesDef def = tarn_particles_default_def();
    TarnParticles* sky;
    if (tarn_particles_create(ctx, &def, &sky) != TARN_OK) return puts(tarn_last_error(ctx)), 1;
    TarnParticlesParams air = tarn_particles_default_params();
    air.drag = 0.4f;
    air.wind = (TarnVec3){ 3.0f, 0.0f, 0.0f };
    tarn_particles_set_params(sky, &air);

    TarnSolids* solids;
    TarnSolidsDef solids_def = tarn_solids_default_def();
    if (tarn_solids_create(ctx, &solids_def, &solids) != TARN_OK) return 1;
    TarnSolidDef deck = tarn_solid_default_def();
    deck.shape = tarn_shape_box(30.0f, 0.5f, 30.0f);
    deck.motion.position.y = -0.5f;
    TarnSolidId deck_id;
    tarn_solids_add(solids, &deck, &deck_id);
    tarn_particles_set_solids(sky, solids);

    TarnParticleEmitterDef mortar = tarn_particle_emitter_default_def();
    mortar.rate = 2.0f, mortar.speed = 38.0f, mortar.spread = 0.15f;
    mortar.lifetime = 2.0f, mortar.kind_of_particle = ROCKET;
    TarnParticleEmitterId mortar_id, torch_id;
    tarn_particles_add_emitter(sky, &mortar, &mortar_id);
    TarnParticleEmitterDef torch = tarn_particle_emitter_default_def();
    torch.shape = tarn_shape_disc(0.1f), torch.is_flared = true, torch.rate = 400.0f,
    torch.spread = 0.5f;
    torch.lifetime = 1.6f, torch.kind_of_particle = SPARK;
    tarn_particles_add_emitter(sky, &torch, &torch_id);

    Show show = { 0 };
    uint32_t wanted = 1u << TARN_PARTICLE_DIED | 1u << TARN_PARTICLE_HIT;
    tarn_particles_set_events(sky, wanted, on_event, &show);
    for (int frame = 0; frame < 600; ++frame) { // 10 s
        TarnMotion barge = mortar.motion;
        barge.position = (TarnVec3){ -10.0f + (float)frame / 30.0f, 0.5f, 0.0f };
        barge.velocity.x = 2.0f;
        tarn_particles_move_emitter(sky, mortar_id, &barge);
        tarn_particles_move_emitter(sky, torch_id, &barge);
        tarn_solids_advance(solids, 1.0f / 60.0f);
        if (tarn_particles_step(sky, 1.0f / 60.0f, NULL) != TARN_OK) return 1;
        if (frame % 120 == 119)
            printf("%4.1f s: %5d alive, %2d shells\n", tarn_particles_time(sky),
                   tarn_particles_view(sky).n, show.shells);
    }
    printf("%d shells of %d stars, the highest at %.1f m, %d hits on the platform\n", show.shells,
           show.stars, (double)show.highest, show.hits);
    bool is_fine = show.shells >= 15 && show.stars == 300 * show.shells && show.highest > 30.0f &&
                   show.hits > 100;
    tarn_particles_destroy(sky);
    tarn_solids_destroy(solids);
    tarn_context_destroy(ctx);
    return is_fine ? 0 : 1;
}
