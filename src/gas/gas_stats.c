// What a gas can tell about itself, and levels of detail.

#include "gas/gas_kernels.h"
#include "base/maths.h"

// ---- Statistics --------------------------------------------------------------------------------

typedef struct Sums {
    double energy, density, heat, speed2, hottest, div;
} Sums;

// Divergence is ignored inside solids, and where direct obstacles close a share of a face.
static bool is_cut(const TarnGas* gas, ptrdiff_t c)
{
    if (gas->n_solid_faces == 0) return false;
    if (gas->solid_cell[c]) return true;
    for (int a = 0; a < 3 && gas->weight[0]; ++a) {
        if (gas->weight[a][c] < 1.0f || gas->weight[a][c + gas_stride(&gas->grid, a)] < 1.0f)
            return true;
    }
    return false;
}

static void add_slab(const TarnGas* gas, int k, Sums* out)
{
    const Grid3* g = &gas->grid;
    const float *density = gas->scalar[GAS_DENSITY], *heat = gas->scalar[GAS_TEMPERATURE];
    Sums s = { 0 };
    for (int j = 0; j < g->ny; ++j) {
        for (int i = 0; i < g->nx; ++i) {
            ptrdiff_t c = tarn__grid3_at(g, i, j, k);
            double speed2 = 0.0, flux = gas->has_expansion ? -(double)gas->expansion[c] : 0.0;
            for (int a = 0; a < 3;
                 ++a) { // squares of faces, not of means: what the projection holds
                double v0 = (double)gas->velocity[a][c];
                double v1 = (double)gas->velocity[a][c + gas_stride(g, a)];
                s.energy += 0.25 * (v0 * v0 + v1 * v1);
                speed2 += 0.25 * (v0 + v1) * (v0 + v1);
                flux += v1 - v0;
            }
            out->speed2 = speed2 > out->speed2 ? speed2 : out->speed2;
            if (fabs(flux) > out->div && !is_cut(gas, c)) out->div = fabs(flux);
            if (density) s.density += (double)density[c];
            if (heat) s.heat += (double)heat[c];
            if (heat && (double)heat[c] > out->hottest) out->hottest = (double)heat[c];
        }
    }
    out->energy += s.energy, out->density += s.density, out->heat += s.heat;
}

static double net_flux(const TarnGas* gas)
{
    const Grid3* g = &gas->grid;
    double sum = 0.0;
    for (int k = 0; k < g->nz; ++k) {
        double slab = 0.0;
        for (int j = 0; j < g->ny; ++j) {
            ptrdiff_t c = tarn__grid3_at(g, 0, j, k);
            slab += (double)gas->velocity[0][c + g->nx] - (double)gas->velocity[0][c];
        }
        for (int i = 0; i < g->nx; ++i) {
            ptrdiff_t c = tarn__grid3_at(g, i, 0, k), top = tarn__grid3_at(g, i, g->ny, k);
            slab += (double)gas->velocity[1][top] - (double)gas->velocity[1][c];
        }
        sum += slab;
    }
    for (int j = 0; j < g->ny; ++j) {
        double row = 0.0;
        for (int i = 0; i < g->nx; ++i) {
            ptrdiff_t c = tarn__grid3_at(g, i, j, 0), end = tarn__grid3_at(g, i, j, g->nz);
            row += (double)gas->velocity[2][end] - (double)gas->velocity[2][c];
        }
        sum += row;
    }
    return sum * (double)gas->dx * (double)gas->dx;
}

TarnGasStats tarn_gas_stats(const TarnGas* gas)
{
    TarnGasStats stats = gas->last;
    Sums sums = { 0 };
    for (int k = 0; k < gas->grid.nz; ++k) add_slab(gas, k, &sums);
    double dx = (double)gas->dx, volume = dx * dx * dx;
    stats.kinetic_energy = sums.energy * volume;
    stats.density_sum = sums.density * volume;
    stats.heat_sum = sums.heat * volume;
    stats.max_speed = sqrt(sums.speed2);
    stats.max_temperature = sums.hottest;
    stats.divergence = sums.div / dx;
    stats.net_flux = net_flux(gas);
    stats.leak = gas->solid ? tarn__gas_leak(gas) : 0.0;
    stats.solid_cells = gas->n_solid_cells;
    return stats;
}

// ---- Levels ------------------------------------------------------------------------------------

typedef struct Resample {
    Grid3 from, to;
    const float* in;
    float* out;
    int component;
    bool is_coarser;
} Resample;

// Where point i of the new grid lies on the old one, and the share of the next one. Cells of a finer grid
// are a quarter beside the coarse ones, faces on them or half between.
static int place(const Resample* r, int axis, int i, int n, float* part)
{
    bool is_face = axis == r->component;
    float shift = is_face ? 0.0f : 0.5f;
    float at =
        r->is_coarser ? 2.0f * ((float)i + shift) - shift : 0.5f * ((float)i + shift) - shift;
    at = tarn_clampf(at, 0.0f, (float)(is_face ? n : n - 1));
    int low = (int)at < (is_face ? n : n - 1) - 1 ? (int)at : (is_face ? n : n - 1) - 1;
    *part = at - (float)low;
    return low;
}

static float value_at(const Resample* r, int i, int j, int k)
{
    const Grid3* g = &r->from;
    float x, y, z;
    int a = place(r, 0, i, g->nx, &x), b = place(r, 1, j, g->ny, &y), c = place(r, 2, k, g->nz, &z);
    const float* p = r->in + tarn__grid3_at(g, a, b, c);
    float line[4];
    for (int l = 0; l < 4; ++l) {
        const float* q = p + (l & 1 ? g->row : 0) + (l & 2 ? g->slab : 0);
        line[l] = q[0] + x * (q[1] - q[0]);
    }
    float low = line[0] + y * (line[1] - line[0]), high = line[2] + y * (line[3] - line[2]);
    return low + z * (high - low);
}

static void resample_slab(int k, void* data)
{
    Resample* r = data;
    const Grid3* g = &r->to;
    if (k == g->nz && r->component != 2) return;
    for (int j = 0; j < g->ny + (r->component == 1); ++j) {
        for (int i = 0; i < g->nx + (r->component == 0); ++i)
            r->out[tarn__grid3_at(g, i, j, k)] = value_at(r, i, j, k);
    }
}

// Into a scratch array, which then changes places with the field.
static void resample(TarnGas* gas, float** field, int component, int level)
{
    Resample r = {
        .from = gas->grid, .to = gas->levels[level].grid, .in = *field, .component = component
    };
    r.is_coarser = level > gas->level;
    ptrdiff_t was = (ptrdiff_t)tarn__grid3_first(&r.from), is = (ptrdiff_t)tarn__grid3_first(&r.to);
    r.out = gas->next[0] + (is - was);
    tarn__parallel_for(gas->ctx, r.to.nz + 1, resample_slab, &r);
    float* free = *field;
    *field = gas->next[0];
    gas->next[0] = free;
}

// One level up or down. Arrays keep the offsets of the old level until tarn__gas_use_level.
static void change_level(TarnGas* gas, int level)
{
    for (int a = 0; a < 3; ++a) resample(gas, &gas->velocity[a], a, level);
    for (int s = 0; s < GAS_SCALARS; ++s) {
        if (gas->scalar[s]) resample(gas, &gas->scalar[s], GAS_CELLS, level);
    }
    gas->energy = 0.0;
    gas->density_owed *= level > gas->level ? 0.125 : 8.0;
    tarn__gas_use_level(gas, level);
    memset(gas->pressure - tarn__grid3_first(&gas->grid), 0,
           tarn__grid3_floats(&gas->grid) * sizeof(float));
}

TarnResult tarn_gas_set_level(TarnGas* gas, int level)
{
    if (gas == NULL) return TARN_ERR_ARG;
    if (level < 0 || level >= gas->def.levels)
        return tarn__fail(
            gas->ctx, TARN_ERR_ARG,
            "tarn_gas_set_level: %d is out of range; allowed: 0 to %d, set by gas.levels", level,
            gas->def.levels - 1);
    if (level == gas->level) return TARN_OK;
    while (gas->level != level) change_level(gas, gas->level + (level > gas->level ? 1 : -1));
    if (gas->solid) {
        tarn__gas_place_obstacles(gas, NULL);
        tarn__gas_find_obstacles(gas, 0.0f);
    }
    tarn__gas_project(gas, 0.0f);
    gas->has_guess = false;
    tarn__gas_fill_all(gas);
    return TARN_OK;
}

int tarn_gas_level(const TarnGas* gas)
{
    return gas->level;
}
