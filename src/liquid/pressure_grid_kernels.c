// The loops of the pressure grid over particles: what they give to the faces around their cell, and what they
// get back.
//
// A particle gives to 2^dims faces of each axis, linearly by distance. Those are among the two faces of its
// cell and the rows beside them: every cell sums up for all of them in memory of its own, and faces gather
// from the cells around (pressure_grid.c), so that no two workers write to one place.

#include "liquid/pressure_grid.h"

// Weights along one axis: of the lower and the upper face, and of the rows below, here and above. Where a
// wall closes the side of a row, its part stays here.
typedef struct Split {
    float face[2], row[3];
} Split;

TARN_INLINE Split split_at(const PressureGrid* g, int c, int axis, float x)
{
    int faces = 2 * g->dims;
    float at = (x - g->origin[axis]) * g->per_m[axis] -
               (float)g->surface.level[0].at[3 * c + axis];
    at = tarn_clampf(at, 0.0f, 1.0f);
    float off = at - 0.5f;
    float below = off < 0.0f && g->opening[faces * c + 2 * axis] > 0.5f ? -off : 0.0f;
    float above = off > 0.0f && g->opening[faces * c + 2 * axis + 1] > 0.5f ? off : 0.0f;
    return (Split){ { 1.0f - at, at }, { below, 1.0f - below - above, above } };
}

// Weight of a slot of an axis: face, and rows of the other axes.
TARN_INLINE float slot_weight(const Split split[3], int axis, int slot, bool is_3d)
{
    int b = axis == 0 ? 1 : 0, c = axis == 2 ? 1 : 2;
    float w = split[axis].face[slot & 1] * split[b].row[(slot >> 1) % 3];
    return is_3d ? w * split[c].row[(slot >> 1) / 3] : w;
}

TARN_INLINE void splat_cell(PressureGrid* g, int c, bool is_3d)
{
    const TarnLiquid* l = g->l;
    const float* x[3] = { l->x, l->y, l->z };
    const float* v[3] = { l->vx, l->vy, l->vz };
    int dims = is_3d ? 3 : 2, slots = is_3d ? 18 : 6;
    float* sums = g->sums + (size_t)c * (size_t)(2 * slots * dims);
    memset(sums, 0, (size_t)(2 * slots * dims) * sizeof(float));
    float error = 0.0f, guess = 0.0f, inverse_unit = 1.0f / g->unit;
    for (int i = g->begin[c]; i < g->begin[c + 1]; ++i) {
        int p = g->list[i];
        Split split[3];
        for (int a = 0; a < dims; ++a) split[a] = split_at(g, c, a, x[a][p]);
        float mass = l->mass[l->kind[p]] * inverse_unit;
        for (int a = 0; a < dims; ++a) {
            float* out = sums + 2 * slots * a;
            for (int s = 0; s < slots; ++s) {
                float w = mass * slot_weight(split, a, s, is_3d);
                out[2 * s] += w;
                out[2 * s + 1] += w * v[a][p];
            }
        }
        float e = g->ratio[p] - 1.0f;
        if (e > 0.0f)
            error += tarn_minf(g->stiffness * e, g->max_rate * g->dt);
        else
            error += g->stiffness * e + tarn_minf(0.0f, e + 0.1f);
        guess += l->memory_a[p];
    }
    float share = 1.0f / (float)(g->begin[c + 1] - g->begin[c]);
    g->surface.level[0].rhs[c] = error * share / g->dt;
    g->surface.level[0].phi[c] = guess * share * g->dt;
}

static void splat(PressureGrid* g, int begin, int end)
{
    for (int c = begin; c < end; ++c) {
        if (g->dims == 3)
            splat_cell(g, c, true);
        else
            splat_cell(g, c, false);
    }
}

// ---- Back ------------------------------------------------------------------------------------------

// Number of the cell in `around` that a slot's face belongs to, and which of its faces: the cell itself or one
// in the rows beside it. If that is not there, the cell on the other side of the face has it, too.
TARN_INLINE void face_of_slot(const PressureGrid* g, int c, int axis, int slot, bool is_3d,
                              float* change, float* velocity, float* is_there)
{
    static const int step[3] = { 1, 3, 9 };
    int b = axis == 0 ? 1 : 0, d = axis == 2 ? 1 : 2, side = slot & 1;
    int faces = is_3d ? 6 : 4, middle = is_3d ? 13 : 4;
    int at = middle + ((slot >> 1) % 3 - 1) * step[b];
    if (is_3d) at += ((slot >> 1) / 3 - 1) * step[d];
    const int* around = g->around + (is_3d ? 27 : 9) * (size_t)c;
    int cell = around[at], face = 2 * axis + side;
    if (cell == g->n) {
        cell = around[at + (side ? step[axis] : -step[axis])];
        face = 2 * axis + 1 - side;
    }
    *change = *velocity = *is_there = 0.0f;
    if (cell == g->n) return;
    *change = g->du[faces * cell + face];
    *velocity = g->u[faces * cell + face];
    *is_there = 1.0f;
}

TARN_INLINE float pressure_at(const PressureGrid* g, int c, const Split split[3], int dims)
{
    const SurfaceLevel* v = &g->surface.level[0];
    float here = v->phi[c], sum = here;
    for (int a = 0; a < dims; ++a) {
        const int* next = v->next + 2 * dims * c + 2 * a;
        float off = split[a].face[1] - 0.5f;
        int side = off > 0.0f;
        float slope = v->phi[next[side]] - here;
        if (next[side] == c) slope = here - v->phi[next[1 - side]];
        sum += fabsf(off) * slope;
    }
    return tarn_maxf(sum, 0.0f);
}

TARN_INLINE void apply_cell(PressureGrid* g, int c, bool is_3d)
{
    TarnLiquid* l = g->l;
    const float* x[3] = { l->x, l->y, l->z };
    float* v[3] = { l->vx, l->vy, l->vz };
    int dims = is_3d ? 3 : 2, slots = is_3d ? 18 : 6;
    float change[3][18], velocity[3][18], is_there[3][18];
    for (int a = 0; a < dims; ++a)
        for (int s = 0; s < slots; ++s)
            face_of_slot(g, c, a, s, is_3d, &change[a][s], &velocity[a][s], &is_there[a][s]);
    for (int i = g->begin[c]; i < g->begin[c + 1]; ++i) {
        int p = g->list[i];
        Split split[3];
        for (int a = 0; a < dims; ++a) split[a] = split_at(g, c, a, x[a][p]);
        for (int a = 0; a < dims; ++a) {
            float by_pressure = 0.0f, mean = 0.0f, there = 0.0f;
            for (int s = 0; s < slots; ++s) {
                float w = slot_weight(split, a, s, is_3d);
                by_pressure += w * change[a][s];
                mean += w * velocity[a][s];
                there += w * is_there[a][s];
            }
            v[a][p] += by_pressure + g->mingling * (mean - there * v[a][p]);
        }
        l->memory_a[p] = pressure_at(g, c, split, dims) / g->dt;
    }
}

static void apply(PressureGrid* g, int begin, int end)
{
    for (int c = begin; c < end; ++c) {
        if (g->dims == 3)
            apply_cell(g, c, true);
        else
            apply_cell(g, c, false);
    }
}

extern const GridKernels TARN_KERNEL(tarn__grid_kernels);
const GridKernels TARN_KERNEL(tarn__grid_kernels) = { splat, apply };
