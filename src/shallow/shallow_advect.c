// Advection as in [Thuerey2008] and [Chentanez2010]: u and w are carried along the flow. Semi-Lagrangian [Thuerey2008] looks back
// along the flow and takes what it finds there; MacCormack [Chentanez2010] corrects the error of that
// to second order, within the values that it was made of (the sign and the reverse step as in
// [Selle2008], not as printed in [Chentanez2010]). The inner loops are in shallow_advect_kernels.c.

#include "shallow/shallow_advect_kernels.h"
#include "shallow/shallow_kernels.h"

// One pass over all tiles: awake ones are computed, in sleeping ones nothing moves and fields are copied.
typedef struct Pass {
    const TarnShallow* water;
    ShallowCarry carry;
    ShallowCarryFn* run;
    const float* from[2]; // u and w
    float* to[2];
} Pass;

static void copy_run(const Pass* pass, int i0, int i1, int k0, int k1)
{
    size_t bytes = (size_t)(i1 - i0) * sizeof(float);
    for (int k = k0; k < k1; ++k) {
        size_t c = shallow_cell(pass->water, i0, k);
        for (int f = 0; f < 2; ++f) memcpy(pass->to[f] + c, pass->from[f] + c, bytes);
    }
}

// One row of tiles, in runs of tiles that are all awake or all asleep, no longer than a strip.
static void pass_tile_row(int tz, void* data)
{
    const Pass* pass = data;
    const TarnShallow* water = pass->water;
    enum { PER_STRIP = SHALLOW_STRIP / SHALLOW_TILE_X };
    int nx = water->def.nx, nz = water->def.nz, k0 = tz * SHALLOW_TILE_Z;
    int k1 = k0 + SHALLOW_TILE_Z < nz ? k0 + SHALLOW_TILE_Z : nz;
    float* scratch = water->scratch + (size_t)tz * SHALLOW_ROWS * (size_t)water->scratch_row;
    const uint8_t* awake = &water->awake[shallow_tile(water, 0, tz)];
    for (int tx = 0, end; tx < water->tiles_x; tx = end) {
        for (end = tx + 1; end < water->tiles_x && end % PER_STRIP != 0; ++end) {
            if (awake[end] != awake[tx]) break;
        }
        int i0 = tx * SHALLOW_TILE_X;
        int i1 = end * SHALLOW_TILE_X < nx ? end * SHALLOW_TILE_X : nx;
        if (awake[tx])
            pass->run(&pass->carry, i0, i1, k0, k1, scratch);
        else
            copy_run(pass, i0, i1, k0, k1);
    }
}

static void swap(float** a, float** b)
{
    float* t = *a;
    *a = *b;
    *b = t;
}

static const ShallowAdvectKernels* kernels_of(const TarnShallow* water)
{
    return TARN_KERNELS_PICK(water->ctx->isa, tarn__shallow_advect_kernels);
}

// One cell around a field where edges are periodic, which the correction of the first guess reads.
static void wrap(const ShallowCarry* m, float* q)
{
    ptrdiff_t up = m->stride, nx = m->nx, nz = m->nz;
    for (ptrdiff_t k = 0; k < nz && m->wraps_x; ++k) {
        q[k * up - 1] = q[k * up + nx - 1];
        q[k * up + nx] = q[k * up];
    }
    if (!m->wraps_z) return;
    size_t bytes = (size_t)(nx + 2) * sizeof(float);
    memcpy(q - up - 1, q + (nz - 1) * up - 1, bytes);
    memcpy(q + nz * up - 1, q - 1, bytes);
}

void tarn__shallow_advect(TarnShallow* water, float dt)
{
    const ShallowAdvectKernels* kernels = kernels_of(water);
    Pass pass = { .water = water,
                  .carry = { .h = water->h,
                             .u = water->u,
                             .w = water->w,
                             .out_u = water->u1,
                             .out_w = water->w1,
                             .fix_u = water->u2,
                             .fix_w = water->w2,
                             .stride = water->stride,
                             .nx = water->def.nx,
                             .nz = water->def.nz,
                             .wraps_x = water->def.edge_x0 == TARN_SHALLOW_PERIODIC,
                             .wraps_z = water->def.edge_z0 == TARN_SHALLOW_PERIODIC,
                             .scratch_row = water->scratch_row,
                             .k = dt / water->def.dx,
                             .dry = water->dry_depth },
                  .run = kernels->carry,
                  .from = { water->u, water->w },
                  .to = { water->u1, water->w1 } };
    tarn__parallel_for(water->ctx, water->tiles_z, pass_tile_row, &pass);
    if (water->def.advection != TARN_ADVECTION_MACCORMACK) {
        swap(&water->u, &water->u1);
        swap(&water->w, &water->w1);
        return;
    }
    wrap(&pass.carry, water->u1);
    wrap(&pass.carry, water->w1);
    pass.run = kernels->correct;
    pass.from[0] = water->u1, pass.from[1] = water->w1;
    pass.to[0] = water->u2, pass.to[1] = water->w2;
    tarn__parallel_for(water->ctx, water->tiles_z, pass_tile_row, &pass);
    swap(&water->u, &water->u2);
    swap(&water->w, &water->w2);
}
