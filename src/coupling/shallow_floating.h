// Inside src/coupling only: the two halves of bodies in shallow water.
#pragma once

#include "coupling/floating.h"
#include "shallow/shallow_internal.h"

TARN_INLINE Columns shallow_columns(const TarnShallow* water)
{
    return (Columns){ water->def.nx, water->def.nz, water->def.dx, tarn_shallow_origin(water) };
}
TARN_INLINE bool shallow_is_inside(const TarnShallow* water, int i, int k)
{
    return i >= 0 && k >= 0 && i < water->def.nx && k < water->def.nz;
}
// Water stands in the column, or a body has pushed it out.
TARN_INLINE bool shallow_is_open(const TarnShallow* water, size_t c)
{
    return water->h[c] > water->dry_depth || water->load[c] > 0.0f;
}
// Of TarnShallow.pressed: nothing displaced, something, and part of the running frame.
enum { TILE_FREE, TILE_HELD, TILE_OPEN };

// Scratch of a frame, for cells of open tiles: first the heights that bodies would displace, then
// the loads of the frame before. The solver's second set of speeds is idle between steps; in sleeping
// tiles it is zero and must be again, in the others it may hold anything.
TARN_INLINE float* shallow_work(const TarnShallow* water)
{
    return water->u1;
}
// The surface that a body feels: the pressure at its underside, as a height [m]. mix: how far the present is
// between the last loads (0) and the new ones (1). Where a grounded body has raised the floor above the
// water, that floor is no surface: calm is.
TARN_INLINE float shallow_felt(const TarnShallow* water, float mix, int i, int k)
{
    size_t c = shallow_cell(water, i, k);
    float load = water->load[c];
    if (water->pressed[shallow_tile(water, i / SHALLOW_TILE_X, k / SHALLOW_TILE_Z)] == TILE_OPEN) {
        float last = shallow_work(water)[c];
        load = last + mix * (load - last);
    }
    float floor = water->ground[c] + load;
    if (water->load[c] > 0.0f) floor = tarn_minf(floor, water->calm[c]);
    return floor + water->h[c];
}
// Surface of a column: what it is, or under bodies what they count from. False: there is no water.
TARN_INLINE bool shallow_column_surface(const TarnShallow* water, size_t c, float* surface)
{
    *surface = water->load[c] > 0.0f ? water->calm[c] : water->b[c] + water->h[c];
    return shallow_is_open(water, c);
}
TARN_INLINE float water_plane_at(const WaterPlane* a, float x, float z)
{
    float y = a->level + a->slope_x * (x - a->x0) + a->slope_z * (z - a->z0);
    return tarn_clampf(y, a->lowest, a->highest);
}

// The four cells around a point and how a column there is shared among them. n = 0: outside the grid.
// At a wall all stays on this side of it, so that a cell may come twice.
typedef struct SharedCells {
    int n, i[4], k[4];
    size_t c[4];
    float weight[4];
} SharedCells;

TARN_INLINE SharedCells shallow_share(const TarnShallow* water, const Columns* grid, float x,
                                      float z)
{
    SharedCells out = { .n = 0 };
    float gx = (x - grid->origin.x) / grid->dx - 0.5f, gz = (z - grid->origin.y) / grid->dx - 0.5f;
    int nx = grid->nx, nz = grid->nz;
    bool is_inside = gx >= -0.5f && gz >= -0.5f && gx <= (float)nx - 0.5f && gz <= (float)nz - 0.5f;
    if (!is_inside) return out;
    float fi = floorf(gx), fk = floorf(gz), fx = gx - fi, fz = gz - fk;
    for (; out.n < 4; ++out.n) {
        int i = (int)fi + (out.n & 1), k = (int)fk + (out.n >> 1);
        i = i < 0 ? 0 : i >= nx ? nx - 1 : i;
        k = k < 0 ? 0 : k >= nz ? nz - 1 : k;
        out.i[out.n] = i, out.k[out.n] = k;
        out.c[out.n] = shallow_cell(water, i, k);
        out.weight[out.n] = (out.n & 1 ? fx : 1.0f - fx) * (out.n >> 1 ? fz : 1.0f - fz);
    }
    return out;
}

WaterPlane tarn__shallow_around(const TarnShallow* water, const Columns* grid, const TarnBody* body,
                                const Footprint* f, float dt);

// What the water does to a body, before it is made stable.
typedef struct WetSums {
    double volume;                          // submerged [m^3]
    double force[3], torque[3];             // of pressure and lift [N], [N m]
    double drag[3], drag_torque[3];         // [N], [N m]
    double drag_rate, spin_rate;            // force per speed [kg/s], torque per spin [kg m^2/s]
    double plane, plane_lever;              // waterplane: area [m^2], second moment [m^4]
    double area, water_velocity[3], arm[3]; // wetted [m^2]; velocity and place, times area
    double all_volume;                      // of a span shape, as sampled [m^3]
} WetSums;

WetSums tarn__shallow_wet(const TarnShallow* water, const TarnBody* body, float dt);
