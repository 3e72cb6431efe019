// The loops of the pressure grid over particles: what they give to the faces around their cell, and what they
// get back.
//
// A particle gives to 2^dims faces of each axis, linearly by distance. Those are among the two faces of its
// cell and the rows beside them: every cell sums up for all of them in memory of its own, and faces gather
// from the cells around (pressure_grid.c), so that no two workers write to one place.

#include "liquid/pressure_grid.h"

// Where a particle is along one axis: weights of the lower and the upper face, and of the row it is in and of
// the nearer one beside it (-1 or 1). Where a wall closes that side, its part stays here.
typedef struct Split {
    float face[2], here, beside;
    int side;
} Split;

TARN_INLINE Split split_at(const PressureGrid* g, int c, int axis, float x)
{
    float at = (x - g->origin[axis]) * g->per_m[axis] - (float)g->surface.level[0].at[3 * c + axis];
    at = tarn_clampf(at, 0.0f, 1.0f);
    float off = at - 0.5f, far = fabsf(off);
    int side = off > 0.0f;
    float beside = g->opening[2 * g->dims * c + 2 * axis + side] > 0.5f ? far : 0.0f;
    return (Split){ { 1.0f - at, at }, 1.0f - beside, beside, 2 * side - 1 };
}

// Rows that a particle gives to along an axis, by the other axes: 0 to 2, in 3-D 0 to 8, and their weights.
TARN_INLINE int rows_of(const Split split[3], int axis, bool is_3d, int row[4], float weight[4])
{
    const Split* b = &split[axis == 0 ? 1 : 0];
    if (!is_3d) {
        row[0] = 1, weight[0] = b->here;
        row[1] = 1 + b->side, weight[1] = b->beside;
        return 2;
    }
    const Split* d = &split[axis == 2 ? 1 : 2];
    row[0] = 4, weight[0] = b->here * d->here;
    row[1] = 4 + b->side, weight[1] = b->beside * d->here;
    row[2] = 4 + 3 * d->side, weight[2] = b->here * d->beside;
    row[3] = row[2] + b->side, weight[3] = b->beside * d->beside;
    return 4;
}

// Of the density, by which a cell has to grow in the step: the mean of this over its particles.
TARN_INLINE float growth_of(const PressureGrid* g, float error)
{
    if (error > 0.0f) return tarn_minf(g->stiffness * error, g->max_rate * g->dt);
    return g->stiffness * error + tarn_minf(0.0f, error + 0.1f);
}

TARN_INLINE void splat_cell(PressureGrid* g, int c, bool is_3d)
{
    const TarnLiquid* l = g->l;
    const float* x[3] = { l->x, l->y, l->z };
    const float* v[3] = { l->vx, l->vy, l->vz };
    const int dims = is_3d ? 3 : 2, rows = is_3d ? 9 : 3;
    float* sums = g->sums + (size_t)c * (size_t)(4 * rows * dims);
    TarnF4 sum[3][9];
    for (int a = 0; a < dims; ++a)
        for (int r = 0; r < rows; ++r) sum[a][r] = f4_set(0.0f);
    float growth = 0.0f, guess = 0.0f, lightness = 0.0f;
    for (int i = g->begin[c]; i < g->begin[c + 1]; ++i) {
        int p = g->list[i], row[4];
        float weight[4];
        Split split[3];
        for (int a = 0; a < dims; ++a) split[a] = split_at(g, c, a, x[a][p]);
        for (int a = 0; a < dims; ++a) {
            float low = split[a].face[0], high = split[a].face[1];
            TarnF4 gift = { low, low * v[a][p], high, high * v[a][p] };
            int n = rows_of(split, a, is_3d, row, weight);
            for (int r = 0; r < n; ++r) sum[a][row[r]] += gift * weight[r];
        }
        growth += growth_of(g, g->ratio[p] - 1.0f);
        guess += l->memory_a[p];
        lightness += g->lightness_of[l->kind[p]];
    }
    for (int a = 0; a < dims; ++a)
        for (int r = 0; r < rows; ++r) f4_store(sums + 4 * (rows * a + r), sum[a][r] * g->part);
    int n = g->begin[c + 1] - g->begin[c];
    float share = 1.0f / (float)(n > 0 ? n : 1);
    g->lightness[c] = lightness * share;
    g->surface.level[0].rhs[c] = growth * share / g->dt;
    g->surface.level[0].phi[c] = guess * share * g->warm;
}

static void splat(PressureGrid* g, int begin, int end)
{
    if (g->dims == 3)
        for (int c = begin; c < end; ++c) splat_cell(g, c, true);
    else
        for (int c = begin; c < end; ++c) splat_cell(g, c, false);
}

// ---- Faces -----------------------------------------------------------------------------------------

// Filling and velocity of a face of a cell: the same sum from both sides of it.
TARN_INLINE void gather_face(const PressureGrid* g, int c, int face, bool is_3d)
{
    static const int step[3] = { 1, 3, 9 };
    int axis = face / 2, side = face % 2, dims = is_3d ? 3 : 2, rows = is_3d ? 9 : 3;
    int b = axis == 0 ? 1 : 0, d = axis == 2 ? 1 : 2, middle = is_3d ? 13 : 4;
    const int* around = g->around + (is_3d ? 27 : 9) * (size_t)c;
    float volume = 0.0f, flow = 0.0f;
    for (int from = 0; from < 2; ++from) { // the cells below, then above the face
        int at = middle + (side - 1 + from) * step[axis];
        for (int row = 0; row < rows; ++row) {
            int i = at + (row % 3 - 1) * step[b] + (is_3d ? (row / 3 - 1) * step[d] : 0);
            if (around[i] == g->n) continue;
            int back = rows - 1 - row; // this row, seen from there
            const float* s = g->sums + 4 * ((size_t)around[i] * (size_t)(rows * dims) +
                                            (size_t)(rows * axis + back));
            volume += s[2 * (1 - from)];
            flow += s[2 * (1 - from) + 1];
        }
    }
    g->fill[2 * dims * c + face] = volume;
    g->u[2 * dims * c + face] = volume > 0.0f ? flow / volume : 0.0f;
}

// A face that two cells share is computed once, by the upper one.
static void gather(PressureGrid* g, int begin, int end)
{
    const int dims = g->dims, middle = dims == 3 ? 13 : 4, all = dims == 3 ? 27 : 9;
    static const int step[3] = { 1, 3, 9 };
    for (int c = begin; c < end; ++c) {
        for (int f = 0; f < 2 * dims; ++f) {
            if (f % 2 == 1 && g->around[all * c + middle + step[f / 2]] < g->n) continue;
            if (dims == 3)
                gather_face(g, c, f, true);
            else
                gather_face(g, c, f, false);
        }
    }
}

// ---- Back ------------------------------------------------------------------------------------------

// The faces of a row of an axis, as particles of the cell see them: change by the pressure, grip times
// velocity, grip, and change by solids, of the lower and the upper one. A face that is not there is in the air.
TARN_INLINE void faces_of_row(const PressureGrid* g, int c, int axis, int row, bool is_3d,
                              float out[TARN_LANES])
{
    static const int step[3] = { 1, 3, 9 };
    int b = axis == 0 ? 1 : 0, d = axis == 2 ? 1 : 2;
    int faces = is_3d ? 6 : 4, at = (is_3d ? 13 : 4) + (row % 3 - 1) * step[b];
    if (is_3d) at += (row / 3 - 1) * step[d];
    const int* around = g->around + (is_3d ? 27 : 9) * (size_t)c;
    for (int side = 0; side < 2;
         ++side) { // a face belongs to two cells, of which one may be missing
        int cell = around[at], face = 2 * axis + side;
        if (cell == g->n) {
            cell = around[at + (side ? step[axis] : -step[axis])];
            face = 2 * axis + 1 - side;
        }
        bool is_there = cell != g->n;
        float grip = is_there ? g->grip[faces * cell + face] : 0.0f;
        out[side] = is_there ? g->du[faces * cell + face] : 0.0f;
        out[2 + side] = is_there ? grip * g->u[faces * cell + face] : 0.0f;
        out[4 + side] = grip;
        out[6 + side] = is_there ? g->dw[faces * cell + face] : 0.0f;
    }
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
    const int dims = is_3d ? 3 : 2, rows = is_3d ? 9 : 3;
    float per_dt = 1.0f / g->kept_dt;
    float face[3][9][TARN_LANES];
    for (int a = 0; a < dims; ++a)
        for (int r = 0; r < rows; ++r) faces_of_row(g, c, a, r, is_3d, face[a][r]);
    for (int i = g->begin[c]; i < g->begin[c + 1]; ++i) {
        int p = g->list[i], row[4];
        float weight[4], light = g->lightness_of[l->kind[p]];
        Split split[3];
        for (int a = 0; a < dims; ++a) split[a] = split_at(g, c, a, x[a][p]);
        for (int a = 0; a < dims; ++a) {
            int n = rows_of(split, a, is_3d, row, weight);
            float low = split[a].face[0], high = split[a].face[1];
            TarnF8 sum = f8_load(face[a][row[0]]) * weight[0];
            for (int r = 1; r < n; ++r) sum += f8_load(face[a][row[r]]) * weight[r];
            sum *= (TarnF8){ low, high, low, high, low, high, low, high };
            float change = (sum[0] + sum[1]) + ((sum[2] + sum[3]) - (sum[4] + sum[5]) * v[a][p]);
            v[a][p] += light * change + (sum[6] + sum[7]);
        }
        l->memory_a[p] = pressure_at(g, c, split, dims) * per_dt;
    }
}

static void apply(PressureGrid* g, int begin, int end)
{
    if (g->dims == 3)
        for (int c = begin; c < end; ++c) apply_cell(g, c, true);
    else
        for (int c = begin; c < end; ++c) apply_cell(g, c, false);
}

extern const GridKernels TARN_KERNEL(tarn__grid_kernels);
const GridKernels TARN_KERNEL(tarn__grid_kernels) = { splat, gather, apply };
