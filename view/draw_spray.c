// Spray: drops as particles, foam as a part of the water that it lies on.

#include "tarn/spray.h"
#include "viewer.h"
#include <math.h>

typedef struct SprayDrawing {
    Block foam; // per cell of the water
} SprayDrawing;

// White water is lit like a cloud: bright, with soft edges. Drops are streaks along their way.
static const TarnParticleLook looks[] = {
    [TARN_SPRAY_FALL] = { .color = { { 0.82f, 0.9f, 0.94f },
                                     { 0.86f, 0.92f, 0.95f },
                                     { 0.9f, 0.95f, 0.97f } },
                          .opacity = { 0.5f, 0.5f, 0.5f },
                          .size = { 1.6f, 1.6f, 1.6f },
                          .stretch = 0.05f,
                          .softness = 0.1f,
                          .texture = { TARN_TEXTURE_SPLASH } },
    [TARN_SPRAY_SPLASH] = { .color = { { 0.88f, 0.93f, 0.96f },
                                       { 0.88f, 0.93f, 0.96f },
                                       { 0.9f, 0.95f, 0.97f } },
                            .opacity = { 0.5f, 0.5f, 0.5f },
                            .size = { 1.8f, 1.8f, 1.8f },
                            .stretch = 0.06f,
                            .softness = 0.1f,
                            .texture = { TARN_TEXTURE_SPLASH } },
    [TARN_SPRAY_FINE] = { .color = { { 0.9f, 0.95f, 0.98f },
                                     { 0.9f, 0.95f, 0.98f },
                                     { 0.9f, 0.95f, 0.98f } },
                          .opacity = { 0.75f, 0.6f, 0.0f },
                          .size = { 1.4f, 1.5f, 2.2f },
                          .stretch = 0.03f,
                          .softness = 0.05f,
                          .texture = { TARN_TEXTURE_DROP, TARN_TEXTURE_SPLASH } },
    [TARN_SPRAY_MIST] = { .color = { { 0.9f, 0.94f, 0.96f },
                                     { 0.9f, 0.94f, 0.96f },
                                     { 0.9f, 0.94f, 0.96f } },
                          .opacity = { 0.05f, 0.12f, 0.0f },
                          .size = { 0.8f, 1.8f, 3.0f },
                          .softness = 0.5f,
                          .texture = { TARN_TEXTURE_STEAM, TARN_TEXTURE_STEAM, TARN_TEXTURE_WISP },
                          .turn = 0.4f },
    [TARN_SPRAY_RAIN] = { .color = { { 0.75f, 0.8f, 0.84f },
                                     { 0.75f, 0.8f, 0.84f },
                                     { 0.75f, 0.8f, 0.84f } },
                          .opacity = { 0.35f, 0.35f, 0.35f },
                          .size = { 1.0f, 1.0f, 1.0f },
                          .stretch = 0.03f,
                          .texture = { TARN_TEXTURE_STREAK } },
};

// The density between cells, 0 outside.
static float density_at(TarnView2 foam, float x, float z)
{
    if (!(x >= -0.5f && z >= -0.5f && x <= (float)foam.nx - 0.5f && z <= (float)foam.nz - 0.5f))
        return 0.0f;
    x = fminf(fmaxf(x, 0.0f), (float)foam.nx - 1.001f);
    z = fminf(fmaxf(z, 0.0f), (float)foam.nz - 1.001f);
    int i = (int)x, k = (int)z;
    float s = x - (float)i, t = z - (float)k;
    const float *a = foam.data + (size_t)foam.stride * (size_t)k + i, *b = a + foam.stride;
    return (1.0f - t) * ((1.0f - s) * a[0] + s * a[1]) + t * ((1.0f - s) * b[0] + s * b[1]);
}

// Particles give the density its grain: each covers a little of the cells around it.
static void add_particles(const TarnSpray* spray, const TarnFrameWater* w, int nx, int nz,
                          float* to)
{
    TarnParticlesView v = tarn_spray_foam_particles(spray);
    float per = 1.0f / w->dx;
    for (int p = 0; p < v.n; ++p) {
        float x = (v.x[p] - w->origin.x) * per - 0.5f, z = (v.z[p] - w->origin.y) * per - 0.5f;
        if (!(x >= 0.0f && z >= 0.0f && x < (float)(nx - 1) && z < (float)(nz - 1))) continue;
        int i = (int)x, k = (int)z;
        float s = x - (float)i, t = z - (float)k, left = 1.0f - v.age[p] / v.lifetime[p];
        float cover = 8.0f * v.radius[p] * v.radius[p] * per * per * left;
        float* a = to + (size_t)nx * (size_t)k + i;
        a[0] += cover * (1.0f - s) * (1.0f - t), a[1] += cover * s * (1.0f - t);
        a[nx] += cover * (1.0f - s) * t, a[nx + 1] += cover * s * t;
    }
}

static TarnResult foam_on(TarnDrawing* d, TarnFrameWater* w)
{
    SprayDrawing* s = d->memory;
    TarnView2 foam = tarn_spray_foam(d->solver);
    const TarnSprayDef* def = tarn_spray_def(d->solver);
    TarnVec2 o = tarn_spray_origin(d->solver);
    int nx = w->height.nx, nz = w->height.nz;
    TARN_TRY(tarn_drawing_reserve(d->ctx, &s->foam, (size_t)nx * (size_t)nz * sizeof(float)));
    float* to = s->foam.data;
    for (int k = 0; k < nz; ++k) {
        for (int i = 0; i < nx; ++i) {
            float x = w->origin.x + ((float)i + 0.5f) * w->dx - o.x;
            float z = w->origin.y + ((float)k + 0.5f) * w->dx - o.y;
            to[(size_t)k * (size_t)nx + (size_t)i] =
                0.6f * density_at(foam, x / def->dx - 0.5f, z / def->dx - 0.5f);
        }
    }
    add_particles(d->solver, w, nx, nz, to);
    // Even thick foam has holes.
    for (size_t c = 0; c < (size_t)nx * (size_t)nz; ++c)
        to[c] = 0.8f * (1.0f - expf(-1.2f * to[c]));
    TarnView2 view = { to, nx, nz, nx };
    if (w->land.ground.data)
        w->land.foam = view;
    else
        w->foam = view;
    return TARN_OK;
}

static TarnResult update(TarnDrawing* d)
{
    const void* base = tarn_world_on(d->world, d->solver);
    LayerList* waters = &d->viewer->target->waters;
    bool is_on_water = false;
    uint64_t number = base ? (uint64_t)tarn_world_number(d->world, base) : 0;
    for (int n = 0; base && n < waters->n; ++n) {
        if (layer_owner(waters, n) != number) continue;
        TARN_TRY(foam_on(d, LAYER(TarnFrameWater, waters, n)));
        is_on_water = true;
        break;
    }
    TarnFrameParticles p = { .view = tarn_spray_drops(d->solver),
                             .looks = d->look->n_particles ? d->look->particles : looks,
                             .n_looks = d->look->n_particles ? d->look->n_particles : 5 };
    if (!is_on_water) {
        const TarnSprayDef* def = tarn_spray_def(d->solver);
        TarnVec2 o = tarn_spray_origin(d->solver);
        p.box_min = (TarnVec3){ o.x, -1.0f, o.y };
        p.box_max =
            (TarnVec3){ o.x + (float)def->nx * def->dx, 5.0f, o.y + (float)def->nz * def->dx };
    }
    return tarn_drawing_add_particles(d, &p);
}

static void destroy(TarnDrawing* d)
{
    SprayDrawing* s = d->memory;
    tarn_drawing_free(d->ctx, &s->foam);
}

const TarnDrawer tarn__view_draw_spray = { .size = sizeof(TarnDrawer),
                                           .kind = "spray",
                                           .memory = sizeof(SprayDrawing),
                                           .update = update,
                                           .destroy = destroy };
