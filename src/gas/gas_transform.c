// Pressure and viscosity by sine and cosine transforms: the whole solver of Long and Reinhard.
//
// Method   [Long2009]. In a closed box without friction each velocity is a sum of waves that are
//          sines along its own axis, which are 0 at the walls, and cosines along the others. With the wave
//          numbers k = pi (l / nx, m / ny, n / nz) / dx viscosity multiplies a wave by exp(-nu k^2 dt), and
//          what has divergence is the part along k:  U -= k (k . U) / k^2.  Both are exact and stable for
//          any step and any viscosity.
// Differs  from the paper, which has all velocities at cell centers: on faces the sines of u and the
//          cosines of the divergence fall on points of the grid, and with 2 sin(k dx / 2) / dx in place of k
//          the projection is that of the discrete divergence, which then is 0 to rounding. Viscosity keeps
//          the true k.
// Checked  tests/unit/test_gas_transform.c: decay of single waves, twice is once, walls, against multigrid.
// Cost     six transforms of the whole box, 18 passes; tarn bench gas.

#include "gas/gas_kernels.h"
#include "base/maths.h"

// Tables along the axes, rebuilt in each step: a few hundred numbers.
typedef struct Waves {
    TarnGas* gas;
    const float* slope[3]; // 2 sin(k dx / 2): the difference of a wave over a cell
    const float* keep[3];  // exp(-nu k^2 dt), the part of one axis
} Waves;

static void project_row(const Waves* w, int j, int k)
{
    const Grid3* g = &w->gas->grid;
    ptrdiff_t at = tarn__grid3_at(g, 0, j, k);
    float *u = w->gas->velocity[0] + at, *v = w->gas->velocity[1] + at,
          *z = w->gas->velocity[2] + at;
    float sy = w->slope[1][j], sz = w->slope[2][k], keep = w->keep[1][j] * w->keep[2][k];
    for (int i = 0; i < g->nx; ++i) {
        float sx = w->slope[0][i], all = keep * w->keep[0][i];
        float k2 = (sx * sx + sy * sy) + sz * sz;
        float q = ((sx * u[i] + sy * v[i]) + sz * z[i]) / (k2 > 0.0f ? k2 : 1.0f);
        u[i] = (u[i] - sx * q) * all;
        v[i] = (v[i] - sy * q) * all;
        z[i] = (z[i] - sz * q) * all;
    }
}

static void project_block(int block, void* data)
{
    Waves* w = data;
    int k0, k1;
    gas_block_slabs(w->gas, block, false, &k0, &k1);
    for (int k = k0; k < k1; ++k) {
        for (int j = 0; j < w->gas->grid.ny; ++j) project_row(w, j, k);
    }
}

// There and back: sines are their own inverse. The faces of the walls, which hold 0, are not in it, and in
// their places stand the waves that a component does not have.
static void transform(TarnGas* gas, bool is_back)
{
    CosinePlan* plan = gas->levels[gas->level].cosine;
    for (int c = 0; c < 3; ++c) {
        for (int axis = 0; axis < 3; ++axis)
            tarn__cosine(plan, gas->velocity[c], axis,
                         axis == c ? SINE_I
                         : is_back ? COSINE_III
                                   : COSINE_II);
    }
}

static void fill_tables(const TarnGas* gas, float dt, float* const slope[3], float* const keep[3])
{
    const int n[3] = { gas->grid.nx, gas->grid.ny, gas->grid.nz };
    double nu_dt = (double)gas->params.viscosity * (double)dt, dx = (double)gas->dx;
    for (int axis = 0; axis < 3; ++axis) {
        for (int l = 0; l < n[axis]; ++l) {
            double wave = 3.14159265358979323846 * l / n[axis];
            slope[axis][l] = 2.0f * tarn_sin((float)(0.5 * wave));
            keep[axis][l] = tarn_exp((float)(-nu_dt * wave * wave / (dx * dx)));
        }
    }
}

void tarn__gas_project_waves(TarnGas* gas, float dt)
{
    // The scratch field is longer than six tables for any box of 8 cells or more along each side.
    const Grid3* g = &gas->grid;
    float* at = gas->first[2];
    float *slopes[3], *keeps[3];
    const int n[3] = { g->nx, g->ny, g->nz };
    for (int axis = 0; axis < 3; ++axis) {
        slopes[axis] = at, at += n[axis];
        keeps[axis] = at, at += n[axis];
    }
    fill_tables(gas, dt, slopes, keeps);
    Waves w = { .gas = gas };
    for (int axis = 0; axis < 3; ++axis) w.slope[axis] = slopes[axis], w.keep[axis] = keeps[axis];
    transform(gas, false);
    tarn__parallel_for(gas->ctx, gas_blocks(gas), project_block, &w);
    transform(gas, true);
    tarn__gas_set_edges(gas); // the walls, to the bit
}
