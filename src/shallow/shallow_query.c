// Reading the shallow-water solver: views, the Surface plug, the surface to draw.

#include "shallow/shallow_draw.h"
#include "base/maths.h"

// ---- Views ---------------------------------------------------------------------------------------

TarnView2 tarn_shallow_depth(const TarnShallow* water)
{
    return (TarnView2){ water->h, water->def.nx, water->def.nz, water->stride };
}
TarnView2 tarn_shallow_bed(const TarnShallow* water)
{
    return (TarnView2){ water->ground, water->def.nx, water->def.nz, water->stride };
}
TarnView2 tarn_shallow_velocity_x(const TarnShallow* water)
{
    return (TarnView2){ water->u, water->def.nx + 1, water->def.nz, water->stride };
}
TarnView2 tarn_shallow_velocity_z(const TarnShallow* water)
{
    return (TarnView2){ water->w, water->def.nx, water->def.nz + 1, water->stride };
}
TarnView2 tarn_shallow_discharge_x(const TarnShallow* water)
{
    if (water->qx == NULL) return (TarnView2){ 0 };
    return (TarnView2){ water->qx, water->def.nx + 1, water->def.nz, water->stride };
}
TarnView2 tarn_shallow_discharge_z(const TarnShallow* water)
{
    if (water->qz == NULL) return (TarnView2){ 0 };
    return (TarnView2){ water->qz, water->def.nx, water->def.nz + 1, water->stride };
}
TarnVec2 tarn_shallow_origin(const TarnShallow* water)
{
    return (TarnVec2){ water->def.origin.x + (float)water->shift_i * water->def.dx,
                       water->def.origin.y + (float)water->shift_k * water->def.dx };
}
const TarnShallowDef* tarn_shallow_def(const TarnShallow* water)
{
    return &water->def;
}
double tarn_shallow_time(const TarnShallow* water)
{
    return water->time;
}

// ---- Surface -------------------------------------------------------------------------------------

static ShallowDraw draw_of(const TarnShallow* water)
{
    const TarnShallowDef* def = &water->def;
    TarnVec2 origin = tarn_shallow_origin(water);
    ShallowDraw draw = {
        .h = water->h,
        .u = water->u,
        .w = water->w,
        .b = water->b,
        .ground = water->ground,
        .stride = water->stride,
        .nx = def->nx,
        .nz = def->nz,
        .wraps_x = def->edge_x0 == TARN_SHALLOW_PERIODIC,
        .wraps_z = def->edge_z0 == TARN_SHALLOW_PERIODIC,
        .x0 = origin.x,
        .z0 = origin.y,
        .per_cell = 1.0f / def->dx,
        .gravity = def->gravity,
        .dry = water->dry_depth,
        .quorum = 4.0f * water->dry_depth,
        .hair = 0.25f * water->dry_depth,
    };
    // Chosen by points that get wet and are dry again in the next frame, in a dam break over hills:
    // 1115 with a film of 4 dry depths, 619 with 0.005 cells, 1025 with 0.02 cells.
    draw.film = tarn_maxf(4.0f * draw.dry, 0.005f * def->dx);
    draw.cap = tarn_maxf(draw.film, 0.05f * def->dx);
    draw.fall = 0.1f * def->dx;
    draw.margin = tarn_maxf(draw.film, 0.1f * def->dx);
    draw.per_film = 1.0f / (draw.film - draw.dry);
    draw.per_cap = 1.0f / draw.cap;
    draw.hair_per_dry = draw.hair / draw.dry;
    return draw;
}

static const ShallowDrawKernels* kernels_of(const TarnShallow* water)
{
    return TARN_KERNELS_PICK(water->ctx->isa, tarn__shallow_draw_kernels);
}

static void query(const void* self, int n, const float* x, const float* z,
                  const TarnSurfaceSamples* out)
{
    const TarnShallow* water = self;
    ShallowDraw draw = draw_of(water);
    kernels_of(water)->query(&draw, n, x, z, out);
}

TarnSurface tarn_shallow_surface(const TarnShallow* water)
{
    double area = (double)water->def.dx * (double)water->def.dx;
    return (TarnSurface){ .self = water,
                          .query = query,
                          .area = tarn__shallow_area,
                          .push = tarn__shallow_push,
                          .pour = tarn__shallow_pour,
                          .grain = (double)water->grain * area };
}

typedef struct DrawJob {
    ShallowDraw draw;
    const ShallowDrawKernels* kernels;
    float* out;
} DrawJob;

static void draw_block(int block, void* data)
{
    DrawJob* job = data;
    int k0 = block * SHALLOW_TILE_Z, k1 = k0 + SHALLOW_TILE_Z;
    job->kernels->rows(&job->draw, k0, k1 < job->draw.nz ? k1 : job->draw.nz, job->out);
}

TarnResult tarn_shallow_drawn_surface(const TarnShallow* water, float* out)
{
    if (water == NULL) return TARN_ERR_ARG;
    if (out == NULL) {
        return tarn__fail(
            water->ctx, TARN_ERR_ARG,
            "tarn_shallow_drawn_surface: out is NULL; pass an array of %d * %d floats",
            water->def.nx, water->def.nz);
    }
    DrawJob job = { draw_of(water), kernels_of(water), out };
    tarn__parallel_for(water->ctx, (water->def.nz + SHALLOW_TILE_Z - 1) / SHALLOW_TILE_Z,
                       draw_block, &job);
    return TARN_OK;
}
