// Particle systems: sparks, spray, smoke.

#include "tarn/view.h"

static TarnResult update(TarnDrawing* d)
{
    TarnParticlesParams params = tarn_particles_params(d->solver);
    TarnFrameParticles p = { .view = tarn_particles_view(d->solver),
                             .looks = d->look->particles,
                             .n_looks = d->look->n_particles,
                             .box_min = params.box_min,
                             .box_max = params.box_max };
    const float large = 100.0f; // a box that only catches what is lost [m]
    TarnVec3 *lo = &p.box_min, *hi = &p.box_max;
    if (hi->x - lo->x > large || hi->y - lo->y > large || hi->z - lo->z > large) {
        *lo = (TarnVec3){ -4.0f, 0.0f, -4.0f };
        *hi = (TarnVec3){ 4.0f, 5.0f, 4.0f };
    }
    return tarn_drawing_add_particles(d, &p);
}

const TarnDrawer tarn__view_draw_particles = { .size = sizeof(TarnDrawer),
                                               .kind = "particles",
                                               .update = update };
