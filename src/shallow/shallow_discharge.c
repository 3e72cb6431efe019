// The discharge of shallow water through its faces, for hosts that need to know how much flows where: a mean
// over the last step, kept only if the def asks for it. It is what the sweep moves, computed once
// more by the same code: whole grains, so that sums over the substeps do not round.

#include "shallow/shallow_kernels.h"

void tarn__shallow_clear_discharge(TarnShallow* water)
{
    if (water->qx == NULL) return;
    size_t bytes = shallow_floats(water) * sizeof(float), first = shallow_first(water);
    memset(water->qx - first, 0, bytes);
    memset(water->qz - first, 0, bytes);
}

typedef struct Discharge {
    TarnShallow* water;
    const ShallowSweep* sweep;
    float scale; // of the mean
} Discharge;

// One row of tiles: runs of awake tiles, no longer than a strip. Nothing flows in sleeping ones.
static void add_tile_row(int tz, void* data)
{
    const Discharge* d = data;
    TarnShallow* water = d->water;
    int nx = water->def.nx, nz = water->def.nz, k0 = tz * SHALLOW_TILE_Z;
    int k1 = k0 + SHALLOW_TILE_Z < nz ? k0 + SHALLOW_TILE_Z : nz;
    float* scratch = water->scratch + (size_t)tz * SHALLOW_ROWS * (size_t)water->scratch_row;
    for (int tx = 0; tx < water->tiles_x; ++tx) {
        if (!water->awake[shallow_tile(water, tx, tz)]) continue;
        int i0 = tx * SHALLOW_TILE_X, i1 = i0 + SHALLOW_TILE_X < nx ? i0 + SHALLOW_TILE_X : nx;
        water->kernels->add_flux(d->sweep, i0, i1, k0, k1, water->qx, water->qz, scratch);
    }
    // The faces behind the last column and row belong to no cell.
    for (int k = k0; k < k1; ++k) {
        ptrdiff_t c = (ptrdiff_t)shallow_cell(water, nx, k);
        water->qx[c] += water->kernels->face_depth(d->sweep, d->sweep->u, c, 1);
    }
    for (int i = 0; k1 == nz && i < nx; ++i) {
        ptrdiff_t c = (ptrdiff_t)shallow_cell(water, i, nz);
        water->qz[c] += water->kernels->face_depth(d->sweep, d->sweep->w, c, water->stride);
    }
}

void tarn__shallow_add_discharge(TarnShallow* water, const ShallowSweep* sweep, bool is_first)
{
    if (water->qx == NULL) return;
    if (is_first) tarn__shallow_clear_discharge(water);
    Discharge d = { .water = water, .sweep = sweep };
    tarn__parallel_for(water->ctx, water->tiles_z, add_tile_row, &d);
}

static void scale_tile_row(int tz, void* data)
{
    const Discharge* d = data;
    const TarnShallow* water = d->water;
    int nx = water->def.nx, nz = water->def.nz, k0 = tz * SHALLOW_TILE_Z;
    int k1 = k0 + SHALLOW_TILE_Z < nz ? k0 + SHALLOW_TILE_Z : nz + 1;
    for (int k = k0; k < k1; ++k) {
        float *x = water->qx + shallow_cell(water, 0, k),
              *z = water->qz + shallow_cell(water, 0, k);
        for (int i = 0; i <= nx; ++i) x[i] *= d->scale, z[i] *= d->scale;
    }
}

void tarn__shallow_mean_discharge(TarnShallow* water, double time)
{
    if (water->qx == NULL || !(time > 0.0)) return;
    Discharge d = { .water = water, .scale = (float)((double)water->def.dx / time) };
    tarn__parallel_for(water->ctx, water->tiles_z, scale_tile_row, &d);
}
