// The box of a gas that follows a target.
//
// Method   Velocities are stored absolute, so that no frame needs a force.
//          SHIFT: the grid lies on a lattice that stands in the world; when the target is most of a cell off,
//          all fields move by whole cells, and what comes in is ambient air. What stands still in the world
//          is only copied. TRANSLATE: the grid goes with the target, and the air is advected along its
//          velocity less that of the grid. Never both.
// Differs  The target may be up to 0.75 cells off before a shift, so that one that trembles about the middle
//          between two places does not wipe the rims of the box with every frame.
// Checked  tests/unit/test_gas_window.c, tarn check gas.moving.
// Cost     one copy of all fields per shift: 0.2 ms for 48^3 on one worker.

#include "gas/gas_internal.h"
#include "base/maths.h"

static const float max_place = 1e6f, max_speed = 1000.0f;

TarnVec3 tarn_gas_center(const TarnGas* gas)
{
    if (gas == NULL) return (TarnVec3){ 0.0f, 0.0f, 0.0f };
    float half = 0.5f * gas->dx;
    return (TarnVec3){ gas->origin.x + half * (float)gas->grid.nx,
                       gas->origin.y + half * (float)gas->grid.ny,
                       gas->origin.z + half * (float)gas->grid.nz };
}

static bool is_walled(const TarnGas* gas, int axis)
{
    return gas_edge(gas, axis, 0) == TARN_GAS_CLOSED || gas_edge(gas, axis, 1) == TARN_GAS_CLOSED;
}

TarnResult tarn_gas_move(TarnGas* gas, TarnVec3 center, TarnVec3 velocity)
{
    if (gas == NULL) return TARN_ERR_ARG;
    if (!tarn__all_within(&center, 3, max_place)) {
        return tarn__fail(gas->ctx, TARN_ERR_ARG,
                          "center: (%g, %g, %g) m is out of range; allowed: -1e6 to 1e6",
                          (double)center.x, (double)center.y, (double)center.z);
    }
    if (!tarn__all_within(&velocity, 3, max_speed)) {
        return tarn__fail(gas->ctx, TARN_ERR_ARG,
                          "velocity: (%g, %g, %g) m/s is out of range; allowed: -1000 to 1000",
                          (double)velocity.x, (double)velocity.y, (double)velocity.z);
    }
    // Walls do not travel: along an axis with a closed edge the box stays.
    TarnVec3 now = tarn_gas_center(gas);
    if (is_walled(gas, 0)) center.x = now.x;
    if (is_walled(gas, 1)) center.y = now.y;
    if (is_walled(gas, 2)) center.z = now.z;
    gas->target = center;
    gas->target_velocity = velocity;
    gas->is_moving = true;
    return TARN_OK;
}

// ---- Whole cells --------------------------------------------------------------------------------

typedef struct Shift {
    const Grid3* grid;
    int d[3]; // field(i, j, k) becomes field(i + d[0], j + d[1], k + d[2])
    struct {
        void* data;
        int size; // bytes of a value
        int n[3]; // values that count
        float fresh;
    } fields[24];
    int n;
} Shift;

static void add_field(Shift* shift, void* data, int size, int axis, float fresh)
{
    if (data == NULL) return;
    const Grid3* g = shift->grid;
    int f = shift->n++;
    shift->fields[f].data = data;
    shift->fields[f].size = size;
    shift->fields[f].fresh = fresh;
    shift->fields[f].n[0] = g->nx + (axis == 0);
    shift->fields[f].n[1] = g->ny + (axis == 1);
    shift->fields[f].n[2] = g->nz + (axis == 2);
}

static void fill(void* row, int size, int from, int to, float fresh)
{
    if (size == 1) {
        if (from < to) memset((char*)row + from, 0, (size_t)(to - from));
        return;
    }
    float* values = row;
    for (int i = from; i < to; ++i) values[i] = fresh;
}

// Row (j, k) from row (j + dj, k + dk), or fresh.
static void shift_row(const Shift* shift, int f, int j, int k)
{
    const int *n = shift->fields[f].n, *d = shift->d;
    int size = shift->fields[f].size;
    char* base = shift->fields[f].data;
    char* to = base + tarn__grid3_at(shift->grid, 0, j, k) * size;
    int sj = j + d[1], sk = k + d[2], first = d[0] < 0 ? -d[0] : 0;
    int end = d[0] > 0 ? n[0] - d[0] : n[0];
    bool is_inside = sj >= 0 && sj < n[1] && sk >= 0 && sk < n[2] && first < end;
    if (!is_inside) {
        fill(to, size, 0, n[0], shift->fields[f].fresh);
        return;
    }
    const char* from = base + tarn__grid3_at(shift->grid, d[0], sj, sk) * size;
    memmove(to + (ptrdiff_t)first * size, from + (ptrdiff_t)first * size,
            (size_t)(end - first) * (size_t)size);
    fill(to, size, 0, first, shift->fields[f].fresh);
    fill(to, size, end, n[0], shift->fields[f].fresh);
}

// In place, in the order in which no row is overwritten before it is read.
static void shift_field(int f, void* data)
{
    const Shift* shift = data;
    const int* n = shift->fields[f].n;
    for (int kk = 0; kk < n[2]; ++kk) {
        int k = shift->d[2] >= 0 ? kk : n[2] - 1 - kk;
        for (int jj = 0; jj < n[1]; ++jj)
            shift_row(shift, f, shift->d[1] >= 0 ? jj : n[1] - 1 - jj, k);
    }
}

static void shift_cells(TarnGas* gas, int di, int dj, int dk)
{
    const Grid3* g = &gas->grid;
    Shift shift = { .grid = g, .d = { di, dj, dk } };
    const float wind[3] = { gas_wind(gas).x, gas_wind(gas).y, gas_wind(gas).z };
    for (int a = 0; a < 3; ++a) add_field(&shift, gas->velocity[a], 4, a, wind[a]);
    for (int s = 0; s < GAS_SCALARS; ++s) add_field(&shift, gas->scalar[s], 4, 3, 0.0f);
    add_field(&shift, gas->pressure, 4, 3, 0.0f);
    if (gas->solid_cell) { // the advection looks at them, and they tell what is newly covered
        add_field(&shift, gas->solid_cell, 1, 3, 0.0f);
        for (int a = 0; a < 3; ++a) {
            add_field(&shift, tarn__gas_solid_faces(gas, a), 1, a, 0.0f);
            add_field(&shift, gas->weight[a], 4, a, 1.0f);
            // Beyond the box it does not matter how far, and sums stay small.
            int d = shift.d[a] + gas->solid_shift[a];
            gas->solid_shift[a] = d > 2048 ? 2048 : d < -2048 ? -2048 : d;
        }
    }
    tarn__parallel_for(gas->ctx, shift.n, shift_field, &shift);
}

// Cells from here to the target, 0 while it is near enough; beyond the box all the same.
static int cells_off(float target, float now, float dx)
{
    float off = (target - now) / dx;
    if (!(fabsf(off) > 0.75f)) return 0;
    const float limit = 1e8f;
    return (int)tarn_clampf(floorf(off + 0.5f), -limit, limit);
}

// The lattice stands where the def put it; places are counted from there, so that rounding does not add up.
static float on_lattice(float center, int n_cells, float dx, float origin, int d, int level)
{
    double base = (double)center - 0.5 * (double)n_cells * (double)dx;
    double at = floor(((double)origin - base) / (double)dx + 0.5);
    return (float)(base + (at + (double)d * (double)(1 << level)) * (double)dx);
}

static void follow_by_shifts(TarnGas* gas)
{
    const TarnGasDef* def = &gas->def;
    TarnVec3 now = tarn_gas_center(gas), to = gas->target;
    int di = cells_off(to.x, now.x, gas->dx);
    int dj = cells_off(to.y, now.y, gas->dx);
    int dk = cells_off(to.z, now.z, gas->dx);
    if (di == 0 && dj == 0 && dk == 0) return;
    TarnVec3 o = gas->origin;
    gas->origin.x = on_lattice(def->center.x, def->nx, def->dx, o.x, di, gas->level);
    gas->origin.y = on_lattice(def->center.y, def->ny, def->dx, o.y, dj, gas->level);
    gas->origin.z = on_lattice(def->center.z, def->nz, def->dx, o.z, dk, gas->level);
    shift_cells(gas, di, dj, dk);
}

// ---- Both ways ----------------------------------------------------------------------------------

// Share of the way that is left which this substep goes.
static float share_of_way(const TarnGas* gas)
{
    if (!(gas->way_end > 0.0f) || gas->way_end >= 1.0f) return 1.0f;
    return (gas->way_end - gas->way_begin) / (1.0f - gas->way_begin);
}

void tarn__gas_follow(TarnGas* gas, float dt)
{
    gas->frame_velocity = (TarnVec3){ 0.0f, 0.0f, 0.0f };
    if (!gas->is_moving) return;
    if (gas->def.follow == TARN_GAS_SHIFT) {
        follow_by_shifts(gas);
        gas->is_moving = false;
        return;
    }
    if (!(dt > 0.0f)) return;
    TarnVec3 way = vec3_sub(gas->target, tarn_gas_center(gas));
    const float extent[3] = { gas->dx * (float)gas->grid.nx, gas->dx * (float)gas->grid.ny,
                              gas->dx * (float)gas->grid.nz };
    if (fabsf(way.x) >= extent[0] || fabsf(way.y) >= extent[1] || fabsf(way.z) >= extent[2]) {
        gas->origin = vec3_add(gas->origin, way); // a jump: nothing of the box remains
        shift_cells(gas, gas->grid.nx + 1, gas->grid.ny + 1, gas->grid.nz + 1);
        gas->is_moving = false;
        return;
    }
    gas->frame_velocity = vec3_scale(way, share_of_way(gas) / dt);
}

void tarn__gas_moved(TarnGas* gas, float dt)
{
    if (gas->def.follow != TARN_GAS_TRANSLATE || !gas->is_moving || !(dt > 0.0f)) return;
    TarnVec3 half = vec3_sub(tarn_gas_center(gas), gas->origin);
    if (share_of_way(gas) >= 1.0f) { // the last substep: there, without rounding
        gas->origin = vec3_sub(gas->target, half);
        gas->is_moving = false;
    } else {
        gas->origin = vec3_add(gas->origin, vec3_scale(gas->frame_velocity, dt));
    }
}
