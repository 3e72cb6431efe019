// Spray: drops as particles, foam as a part of the water that it lies on.

#include "tarn/spray.h"
#include "viewer.h"
#include <math.h>

typedef struct SprayDrawing {
    Block foam;  // per cell of the water
    Block sheet; // of falls: places and velocities
} SprayDrawing;

static const float sheet_spacing =
    2.6f; // of falls, in radii of drops: the sheet closes until it is torn

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
    [TARN_SPRAY_SPLASH] = { .color = { { 0.74f, 0.8f, 0.84f },
                                       { 0.74f, 0.8f, 0.84f },
                                       { 0.78f, 0.83f, 0.86f } },
                            .opacity = { 0.45f, 0.45f, 0.45f },
                            .size = { 1.5f, 1.5f, 1.5f },
                            .stretch = 0.04f,
                            .softness = 0.1f,
                            .texture = { TARN_TEXTURE_SPLASH } },
    [TARN_SPRAY_FINE] = { .color = { { 0.8f, 0.86f, 0.9f },
                                     { 0.8f, 0.86f, 0.9f },
                                     { 0.84f, 0.89f, 0.92f } },
                          .opacity = { 0.6f, 0.45f, 0.0f },
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
static void add_particles(const TarnSpray* spray, TarnVec2 origin, float dx, int nx, int nz,
                          float* to)
{
    TarnParticlesView v = tarn_spray_foam_particles(spray);
    float per = 1.0f / dx;
    for (int p = 0; p < v.n; ++p) {
        float x = (v.x[p] - origin.x) * per - 0.5f, z = (v.z[p] - origin.y) * per - 0.5f;
        if (!(x >= 0.0f && z >= 0.0f && x < (float)(nx - 1) && z < (float)(nz - 1))) continue;
        int i = (int)x, k = (int)z;
        float s = x - (float)i, t = z - (float)k, left = 1.0f - v.age[p] / v.lifetime[p];
        float cover = 8.0f * v.radius[p] * v.radius[p] * per * per * left;
        float* a = to + (size_t)nx * (size_t)k + i;
        a[0] += cover * (1.0f - s) * (1.0f - t), a[1] += cover * s * (1.0f - t);
        a[nx] += cover * (1.0f - s) * t, a[nx + 1] += cover * s * t;
    }
}

// How much foam there is in each cell of a grid, 0 to 1.
static TarnResult foam_in(TarnDrawing* d, TarnVec2 origin, float dx, int nx, int nz, TarnView2* out)
{
    SprayDrawing* s = d->memory;
    TarnView2 foam = tarn_spray_foam(d->solver);
    const TarnSprayDef* def = tarn_spray_def(d->solver);
    TarnVec2 o = tarn_spray_origin(d->solver);
    TARN_TRY(tarn_drawing_reserve(d->ctx, &s->foam, (size_t)nx * (size_t)nz * sizeof(float)));
    float* to = s->foam.data;
    for (int k = 0; k < nz; ++k) {
        for (int i = 0; i < nx; ++i) {
            float x = origin.x + ((float)i + 0.5f) * dx - o.x;
            float z = origin.y + ((float)k + 0.5f) * dx - o.y;
            to[(size_t)k * (size_t)nx + (size_t)i] =
                0.6f * density_at(foam, x / def->dx - 0.5f, z / def->dx - 0.5f);
        }
    }
    add_particles(d->solver, origin, dx, nx, nz, to);
    // Even thick foam has holes.
    for (size_t c = 0; c < (size_t)nx * (size_t)nz; ++c)
        to[c] = 0.8f * (1.0f - expf(-1.2f * to[c]));
    *out = (TarnView2){ to, nx, nz, nx };
    return TARN_OK;
}

static TarnResult foam_on_water(TarnDrawing* d, TarnFrameWater* w)
{
    return foam_in(d, w->origin, w->dx, w->height.nx, w->height.nz,
                   w->land.ground.data ? &w->land.foam : &w->foam);
}

// On the sea: half as large as the cells of the spray, since its particles are finer.
static TarnResult foam_on_sea(TarnDrawing* d, TarnFrameSea* sea)
{
    const TarnSprayDef* def = tarn_spray_def(d->solver);
    sea->foam_origin = tarn_spray_origin(d->solver);
    int finer = def->nx <= 1024 && def->nz <= 1024 ? 2 : 1;
    sea->foam_dx = def->dx / (float)finer;
    return foam_in(d, sea->foam_origin, sea->foam_dx, finer * def->nx, finer * def->nz, &sea->foam);
}

// ---- Falls ---------------------------------------------------------------------------------------

// What falls over an edge is drawn as a liquid: a sheet, which the renderer joins, and turns white and into drops where it
// tears.
static TarnResult add_sheet(TarnDrawing* d)
{
    SprayDrawing* s = d->memory;
    TarnParticlesView v = tarn_spray_drops(d->solver);
    const float* from[6] = { v.x, v.y, v.z, v.vx, v.vy, v.vz };
    int n = 0;
    for (int p = 0; p < v.n; ++p) n += v.kind[p] == TARN_SPRAY_FALL;
    if (n == 0) return TARN_OK;
    TARN_TRY(tarn_drawing_reserve(d->ctx, &s->sheet, (size_t)n * 7 * sizeof(float)));
    float* to = s->sheet.data;
    uint32_t* id = (uint32_t*)(void*)(to + 6 * (size_t)n);
    float radius = tarn_spray_params(d->solver).radius;
    TarnVec3 lo = { 1e6f, 1e6f, 1e6f }, hi = { -1e6f, -1e6f, -1e6f };
    for (int p = 0, m = 0; p < v.n; ++p) {
        if (v.kind[p] != TARN_SPRAY_FALL) continue;
        for (int a = 0; a < 6; ++a) to[(size_t)a * (size_t)n + (size_t)m] = from[a][p];
        id[m++] = v.id[p];
        lo = (TarnVec3){ fminf(lo.x, v.x[p]), fminf(lo.y, v.y[p]), fminf(lo.z, v.z[p]) };
        hi = (TarnVec3){ fmaxf(hi.x, v.x[p]), fmaxf(hi.y, v.y[p]), fmaxf(hi.z, v.z[p]) };
    }
    TarnFrameLiquid l = { .dimensions = 3,
                          .view = { .n = n,
                                    .x = to,
                                    .y = to + n,
                                    .z = to + 2 * (size_t)n,
                                    .vx = to + 3 * (size_t)n,
                                    .vy = to + 4 * (size_t)n,
                                    .vz = to + 5 * (size_t)n,
                                    .id = id },
                          .spacing = sheet_spacing * radius,
                          .box_min = lo,
                          .box_max = { hi.x, fmaxf(hi.y, lo.y + 1.0f), hi.z },
                          .walls = TARN_LIQUID_OPEN,
                          .color = { { 0.25f, 0.55f, 0.6f } },
                          .mode = TARN_FRAME_SCREEN_SPACE };
    return tarn_drawing_add_liquid(d, &l);
}

// ---- All of it -----------------------------------------------------------------------------------

static TarnResult update(TarnDrawing* d)
{
    const void* base = tarn_world_on(d->world, d->solver);
    LayerList* waters = &d->viewer->target->waters;
    bool is_on_water = false;
    uint64_t number = base ? (uint64_t)tarn_world_number(d->world, base) : 0;
    for (int n = 0; base && n < waters->n; ++n) {
        if (layer_owner(waters, n) != number) continue;
        TARN_TRY(foam_on_water(d, LAYER(TarnFrameWater, waters, n)));
        is_on_water = true;
        break;
    }
    if (base && !is_on_water && d->viewer->has_sea) TARN_TRY(foam_on_sea(d, &d->viewer->sea));
    TARN_TRY(add_sheet(d));
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
    tarn_drawing_free(d->ctx, &s->sheet);
}

const TarnDrawer tarn__view_draw_spray = { .size = sizeof(TarnDrawer),
                                           .kind = "spray",
                                           .memory = sizeof(SprayDrawing),
                                           .update = update,
                                           .destroy = destroy };
