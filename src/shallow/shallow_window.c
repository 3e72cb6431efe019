// The moving window of the shallow water, and starting over.

#include "shallow/shallow_kernels.h"
#include "grid/window.h"

static void fill_to_level(TarnShallow* water, size_t c)
{
    float y = tarn__shallow_snap(water, water->def.level);
    bool is_wet = water->def.has_level && water->b[c] < y;
    water->h[c] = is_wet ? tarn__shallow_snap(water, y - water->b[c]) : 0.0f;
    water->u[c] = water->w[c] = 0.0f;
    if (water->calm) water->calm[c] = water->b[c] + water->h[c];
}

// Is the cell new after the window went by (di, dk)?
static bool is_new(const TarnShallow* water, int i, int k, int di, int dk)
{
    return i < -di || i >= water->def.nx - di || k < -dk || k >= water->def.nz - dk;
}

static void enter_cells(TarnShallow* water, int di, int dk)
{
    TarnVec2 origin = tarn_shallow_origin(water);
    const TarnShallowDef* def = &water->def;
    for (int k = 0; k < def->nz && def->bed_fn; ++k) {
        for (int i = 0; i < def->nx; ++i) {
            if (!is_new(water, i, k, di, dk)) continue;
            float y = def->bed_fn(origin.x + ((float)i + 0.5f) * def->dx,
                                  origin.y + ((float)k + 0.5f) * def->dx, def->bed_user);
            bool is_good = y >= -shallow_limit && y <= shallow_limit; // not for NaN
            water->natural[shallow_cell(water, i, k)] =
                is_good ? tarn__shallow_snap(water, y) : 0.0f;
        }
    }
    tarn__shallow_update_bed(water, 0, def->nx, 0, def->nz);
    for (int k = 0; k < def->nz; ++k) {
        for (int i = 0; i < def->nx; ++i) {
            if (is_new(water, i, k, di, dk)) fill_to_level(water, shallow_cell(water, i, k));
        }
    }
    // Faces between old and new cells start still: what they carried belongs to what left.
    for (int k = 0; di < 0 && k < def->nz; ++k) {
        if (-di < def->nx) water->u[shallow_cell(water, -di, k)] = 0.0f;
    }
    for (int i = 0; dk < 0 && i < def->nx; ++i) {
        if (-dk < def->nz) water->w[shallow_cell(water, i, -dk)] = 0.0f;
    }
}

TarnResult tarn_shallow_shift(TarnShallow* water, int di, int dk)
{
    if (water == NULL) return TARN_ERR_ARG;
    const int limit = 1 << 24;
    int to_i = water->shift_i + (di > -limit && di < limit ? di : limit);
    int to_k = water->shift_k + (dk > -limit && dk < limit ? dk : limit);
    if (to_i <= -limit || to_i >= limit || to_k <= -limit || to_k >= limit) {
        return tarn__fail(
            water->ctx, TARN_ERR_ARG,
            "tarn_shallow_shift: %d, %d cells would move the window beyond +-16777215 cells", di,
            dk);
    }
    if (water->def.edge_x0 == TARN_SHALLOW_PERIODIC ||
        water->def.edge_z0 == TARN_SHALLOW_PERIODIC) {
        return tarn__fail(water->ctx, TARN_ERR_ARG,
                          "tarn_shallow_shift: a periodic grid cannot move");
    }
    if (di == 0 && dk == 0) return TARN_OK;
    if (water->falls) tarn__shallow_land_throws(water);
    double area = (double)water->def.dx * (double)water->def.dx;
    double before = tarn_shallow_ledger(water).volume;
    water->shift_i = to_i;
    water->shift_k = to_k;
    float* fields[] = { water->h, water->u, water->w, water->load, water->calm, water->natural };
    for (int f = 0; f < 6; ++f) {
        if (fields[f] == NULL) continue;
        tarn__grid_shift(fields[f], water->stride, water->def.nx, water->def.nz, di, dk, 0.0f,
                         fields[f] == water->natural);
    }
    enter_cells(water, di, dk);
    tarn__shallow_clear_discharge(water);
    tarn__shallow_map_spans(water);
    if (water->load) memset(water->pressed, 1, (size_t)water->tiles_x * (size_t)water->tiles_z);
    memset(water->awake, 1, (size_t)water->tiles_x * (size_t)water->tiles_z);
    water->is_unknown = true;
    water->sums.window += (tarn_shallow_ledger(water).volume - before) / area;
    return TARN_OK;
}

void tarn_shallow_reset(TarnShallow* water)
{
    if (water == NULL) return;
    for (int g = 0; g < water->n_gates; ++g) water->gates[g].def.opening = 0.0f;
    if (water->load)
        memset(water->load - shallow_first(water), 0, shallow_floats(water) * sizeof(float));
    tarn__shallow_update_bed(water, 0, water->def.nx, 0, water->def.nz);
    for (int k = 0; k < water->def.nz; ++k) {
        for (int i = 0; i < water->def.nx; ++i) fill_to_level(water, shallow_cell(water, i, k));
    }
    tarn__shallow_start_flow(water, NULL, NULL);
    if (water->falls) tarn__shallow_forget_throws(water);
    tarn__shallow_clear_discharge(water);
    memset(water->awake, 0, (size_t)water->tiles_x * (size_t)water->tiles_z);
    memset(water->pressed, 0, (size_t)water->tiles_x * (size_t)water->tiles_z);
    water->time = water->rain_due = water->evaporation_due = water->source_due = 0.0;
    water->ticks = 0;
    memset(water->incoming[0], 0,
           2 * ((size_t)water->def.nx + (size_t)water->def.nz) * sizeof(float));
    water->edited = water->edge = water->known = (ShallowExtremes){ 0 };
    water->is_unknown = true;
    water->sums = (ShallowSums){ 0 };
    water->sums.initial =
        tarn_shallow_ledger(water).volume / ((double)water->def.dx * (double)water->def.dx);
}
