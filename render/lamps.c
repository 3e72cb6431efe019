// Bodies that give off light: lamps, lanterns, embers. Each becomes a point light among the fires.

#include "renderer.h"

static float area_of(const TarnShape* s) // of its outline, over pi [m^2]
{
    switch (s->kind) {
    case TARN_SHAPE_SPHERE:
        return s->size.x * s->size.x;
    case TARN_SHAPE_BOX:
        return (s->size.x * s->size.y + s->size.y * s->size.z + s->size.z * s->size.x) * 0.4f;
    case TARN_SHAPE_CAPSULE:
        return s->size.x * (s->size.x + s->size.y);
    default: {
        float most = 0.0f;
        for (int i = 0; i < s->n_points; ++i) most = fmaxf(most, vec3_length(s->points[i]));
        return 0.4f * most * most;
    }
    }
}

static bool is_lamp(const TarnFrameBody* b)
{
    return b->glow.x + b->glow.y + b->glow.z > 0.0f;
}

static int add(const TarnFrameBody* list, int n, GasLight* light)
{
    int count = 0;
    for (int i = 0; i < n; ++i) {
        if (!is_lamp(&list[i])) continue;
        ++count;
        if (!light) continue;
        float area = area_of(&list[i].shape);
        // A disc of radiance L and area A lights a wall at d with L A / d^2; what walls throw back makes it more.
        Fire f = { .place = list[i].position,
                   .color = vec3_scale(list[i].glow, 5.0f * area),
                   .radius = sqrtf(area) };
        tarn__gas_light_splat(light, f.place, 0.0f, vec3_scale(list[i].glow, area));
        tarn__gas_light_fire(light, &f);
    }
    return count;
}

int tarn__lamps(const TarnFrame* frame, GasLight* light)
{
    return add(frame->bodies, frame->n_bodies, light) + add(frame->solids, frame->n_solids, light);
}
