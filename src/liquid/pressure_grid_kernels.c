// The loops of the pressure grid over particles: what they give to the faces around their cell, and what they
// get back.
//
// A particle gives to 2^dims faces of each axis, linearly by distance. Those are among the two faces of its
// cell and the rows beside them: every cell sums up for all of them in memory of its own, and faces gather
// from the cells around (pressure_grid.c), so that no two workers write to one place.

#include "liquid/pressure_grid.h"

// ---- Cells -------------------------------------------------------------------------------------------

// See coordinate() in pressure_grid.c. Returns which of the eight are beyond the cells that have numbers.
TARN_INLINE TarnI8 cells_of_eight(const PressureGrid* g, int p, TarnI8 cell[3])
{
    const TarnLiquid* l = g->l;
    const float* x[3] = { l->x, l->y, l->z };
    TarnF8 most = f8_set((float)GRID_FARTHEST);
    TarnI8 is_far = i8_set(0);
    cell[2] = is_far;
    for (int a = g->dims - 1; a >= 0; --a) {
        TarnF8 at = (f8_load(x[a] + p) - g->origin[a]) * g->per_m[a];
        at = f8_min(f8_max(at, -most), most);
        TarnI8 i = __builtin_convertvector(at, TarnI8);
        i += f8_less(at, __builtin_convertvector(i, TarnF8)); // -1 where it was rounded up
        if (g->has_wall[a][0]) i &= ~(i < 0);
        TarnI8 last = i8_set(g->last[a]), is_beyond = i > last;
        cell[a] = (i & ~is_beyond) | (last & is_beyond);
        is_far |= (cell[a] <= -GRID_FARTHEST) | (cell[a] >= GRID_FARTHEST);
    }
    return is_far;
}

static void places(PressureGrid* g, int begin, int end)
{
    for (int p = begin; p < end; p += TARN_LANES) {
        TarnI8 cell[3], is_far = cells_of_eight(g, p, cell), place = i8_set(0);
        for (int a = g->dims - 1; a >= 0; --a) { // ghosts are outside the table
            TarnI8 i = (cell[a] - g->surface.low[a]) & ~is_far;
            place = place * g->surface.side[a] + i;
        }
        place |= is_far;
        for (int k = 0; k < TARN_LANES && p + k < end; ++k)
            g->cell_of[p + k] = g->l->flags[p + k] & TARN_LIQUID_FROZEN ? -1 : place[k];
    }
}

static void keys(PressureGrid* g, int begin, int end)
{
    for (int p = begin; p < end; p += TARN_LANES) {
        TarnI8 cell[3], is_far = cells_of_eight(g, p, cell);
        for (int a = 0; a < 3; ++a) cell[a] += GRID_KEY_ZERO;
        TarnI8 low = (cell[0] | cell[1] << GRID_KEY_BITS) | is_far;
        TarnI8 high =
            (cell[1] >> (32 - GRID_KEY_BITS) | cell[2] << (2 * GRID_KEY_BITS - 32)) | is_far;
        for (int k = 0; k < TARN_LANES && p + k < end; ++k) {
            bool is_alone = (g->l->flags[p + k] & TARN_LIQUID_FROZEN) != 0;
            g->cell_of[p + k] = is_alone ? -1 : low[k];
            g->list[p + k] = is_alone ? -1 : high[k];
        }
    }
}

// ---- Weights -----------------------------------------------------------------------------------------

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

// Rows that a particle gives to along an axis, by the other axes: 0 to 8, and their weights.
TARN_INLINE void rows_of(const Split split[3], int axis, int row[4], float weight[4])
{
    const Split *b = &split[axis == 0 ? 1 : 0], *d = &split[axis == 2 ? 1 : 2];
    row[0] = 4, weight[0] = b->here * d->here;
    row[1] = 4 + b->side, weight[1] = b->beside * d->here;
    row[2] = 4 + 3 * d->side, weight[2] = b->here * d->beside;
    row[3] = row[2] + b->side, weight[3] = b->beside * d->beside;
}

// Of the density, by which a cell has to grow in the step: the mean of this over its particles.
TARN_INLINE float growth_of(const PressureGrid* g, float error)
{
    if (error > 0.0f) return tarn_minf(g->stiffness * error, g->max_rate * g->dt);
    return g->stiffness * error + tarn_minf(0.0f, error + 0.1f);
}

// ---- Eight particles of a cell in 2-D ----------------------------------------------------------------
//
// A cell has some seven particles there: all of them at once, with weights for each of the three rows, of which one is
// 0. In 3-D that would be nine rows with five zeros, and no gain.

typedef struct Eight {
    int index[TARN_LANES];  // beyond the last the ghost
    TarnI8 is_there;        // mask
    TarnF8 face[2][2];      // by axis: weights of the lower and the upper face
    TarnF8 off[2];          // by axis: from the middle of the cell, in cells
    TarnF8 row[2][3], v[2]; // by axis: weights of the rows below, at and above it; velocities
} Eight;

TARN_INLINE Eight eight_of(const PressureGrid* g, int c, int first)
{
    const TarnLiquid* l = g->l;
    const float* x[2] = { l->x, l->y };
    const float* v[2] = { l->vx, l->vy };
    TarnF8 none = f8_set(0.0f), one = f8_set(1.0f);
    Eight e;
    for (int i = 0; i < TARN_LANES; ++i)
        e.index[i] = first + i < g->begin[c + 1] ? g->list[first + i] : l->n;
    e.is_there = i8_lanes() < g->begin[c + 1] - first;
    for (int a = 0; a < 2; ++a) {
        const float* open = g->opening + 4 * c + 2 * a;
        TarnF8 low = f8_set(open[0] > 0.5f ? 1.0f : 0.0f),
               high = f8_set(open[1] > 0.5f ? 1.0f : 0.0f);
        TarnF8 at = (f8_gather_at(x[a], e.index) - g->origin[a]) * g->per_m[a] -
                    (float)g->surface.level[0].at[3 * c + a];
        at = f8_min(f8_max(at, none), one);
        e.off[a] = at - 0.5f;
        e.face[a][0] = one - at;
        e.face[a][1] = at;
        e.row[a][0] = f8_max(-e.off[a], none) * low;
        e.row[a][2] = f8_max(e.off[a], none) * high;
        e.row[a][1] = one - (e.row[a][0] + e.row[a][2]);
        e.v[a] = f8_gather_at(v[a], e.index);
    }
    return e;
}

TARN_INLINE TarnF8 lightness_of(const PressureGrid* g, const Eight* e)
{
    TarnF8 light = f8_set(g->lightness_of[0]);
    for (int i = 0; !g->is_even && i < TARN_LANES; ++i)
        light[i] = g->lightness_of[g->l->kind[e->index[i]]];
    return light;
}

TARN_INLINE TarnF8 growth_of_eight(const PressureGrid* g, TarnF8 error)
{
    TarnF8 none = f8_set(0.0f), soft = error * g->stiffness;
    TarnF8 more = f8_min(soft, f8_set(g->max_rate * g->dt));
    return f8_select(f8_less(none, error), more, soft + f8_min(error + 0.1f, none));
}

static void splat_flat(PressureGrid* g, int c)
{
    const TarnLiquid* l = g->l;
    TarnF4 sum[2][3], others = f4_set(0.0f);
    TarnF8 none = f8_set(0.0f);
    for (int a = 0; a < 2; ++a)
        for (int r = 0; r < 3; ++r) sum[a][r] = f4_set(0.0f);
    for (int i = g->begin[c]; i < g->begin[c + 1]; i += TARN_LANES) {
        Eight e = eight_of(g, c, i);
        for (int a = 0; a < 2; ++a) {
            TarnF8 low = f8_select(e.is_there, e.face[a][0], none);
            TarnF8 high = f8_select(e.is_there, e.face[a][1], none);
            for (int r = 0; r < 3; ++r) {
                TarnF8 lower = low * e.row[1 - a][r], upper = high * e.row[1 - a][r];
                sum[a][r] += f8_sums(lower, lower * e.v[a], upper, upper * e.v[a]);
            }
        }
        TarnF8 growth = growth_of_eight(g, f8_gather_at(g->ratio, e.index) - 1.0f);
        TarnF8 guess = f8_gather_at(l->memory_a, e.index), light = lightness_of(g, &e);
        others += f8_sums(f8_select(e.is_there, growth, none), f8_select(e.is_there, guess, none),
                          f8_select(e.is_there, light, none), none);
    }
    for (int a = 0; a < 2; ++a)
        for (int r = 0; r < 3; ++r)
            f4_store(g->sums + 24 * (size_t)c + 4 * (3 * a + r), sum[a][r] * g->part);
    int n = g->begin[c + 1] - g->begin[c];
    float share = 1.0f / (float)(n > 0 ? n : 1);
    g->surface.level[0].rhs[c] = others[0] * share / g->dt;
    g->surface.level[0].phi[c] = others[1] * share * g->warm;
    g->lightness[c] = others[2] * share;
}

// ---- There -------------------------------------------------------------------------------------------

static void splat_deep(PressureGrid* g, int c)
{
    const TarnLiquid* l = g->l;
    const float* x[3] = { l->x, l->y, l->z };
    const float* v[3] = { l->vx, l->vy, l->vz };
    enum { dims = 3, rows = 9 };
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
            rows_of(split, a, row, weight);
            for (int r = 0; r < 4; ++r) sum[a][row[r]] += gift * weight[r];
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
        for (int c = begin; c < end; ++c) splat_deep(g, c);
    else
        for (int c = begin; c < end; ++c) splat_flat(g, c);
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

// What the pressure gains from the middle of a cell towards its lower and its upper side, in a cell.
TARN_INLINE void slopes_of(const PressureGrid* g, int c, int axis, float slope[2])
{
    const SurfaceLevel* v = &g->surface.level[0];
    const int* next = v->next + 2 * g->dims * c + 2 * axis;
    float here = v->phi[c];
    for (int side = 0; side < 2; ++side)
        slope[side] = next[side] == c ? here - v->phi[next[1 - side]] : v->phi[next[side]] - here;
}

static void apply_flat(PressureGrid* g, int c)
{
    TarnLiquid* l = g->l;
    float* v[2] = { l->vx, l->vy };
    float face[2][3][TARN_LANES], slope[2][2], per_dt = 1.0f / g->kept_dt;
    bool has_solids = false;
    for (int a = 0; a < 2; ++a) {
        slopes_of(g, c, a, slope[a]);
        for (int r = 0; r < 3; ++r) {
            faces_of_row(g, c, a, r, false, face[a][r]);
            has_solids |= face[a][r][6] != 0.0f || face[a][r][7] != 0.0f;
        }
    }
    TarnF8 none = f8_set(0.0f);
    for (int i = g->begin[c]; i < g->begin[c + 1]; i += TARN_LANES) {
        Eight e = eight_of(g, c, i);
        TarnF8 light = lightness_of(g, &e), pressure = f8_set(g->surface.level[0].phi[c]);
        for (int a = 0; a < 2; ++a) {
            TarnF8 sum[4] = { none, none, none, none };
            for (int r = 0; r < 3; ++r) {
                TarnF8 low = e.face[a][0] * e.row[1 - a][r], high = e.face[a][1] * e.row[1 - a][r];
                for (int k = 0; k < (has_solids ? 4 : 3); ++k)
                    sum[k] += low * face[a][r][2 * k] + high * face[a][r][2 * k + 1];
            }
            e.v[a] += light * (sum[0] + (sum[1] - sum[2] * e.v[a])) + sum[3];
            TarnI8 is_upper = f8_less(none, e.off[a]);
            pressure +=
                f8_abs(e.off[a]) * f8_select(is_upper, f8_set(slope[a][1]), f8_set(slope[a][0]));
        }
        pressure = f8_max(pressure, none) * per_dt;
        for (int k = 0; k < TARN_LANES && i + k < g->begin[c + 1]; ++k) {
            int p = e.index[k];
            v[0][p] = e.v[0][k];
            v[1][p] = e.v[1][k];
            l->memory_a[p] = pressure[k];
        }
    }
}

static void apply_deep(PressureGrid* g, int c)
{
    TarnLiquid* l = g->l;
    const float* x[3] = { l->x, l->y, l->z };
    float* v[3] = { l->vx, l->vy, l->vz };
    enum { dims = 3, rows = 9 };
    float face[dims][rows][TARN_LANES], slope[dims][2], per_dt = 1.0f / g->kept_dt;
    for (int a = 0; a < dims; ++a) {
        slopes_of(g, c, a, slope[a]);
        for (int r = 0; r < rows; ++r) faces_of_row(g, c, a, r, true, face[a][r]);
    }
    for (int i = g->begin[c]; i < g->begin[c + 1]; ++i) {
        int p = g->list[i], row[4];
        float weight[4], light = g->lightness_of[l->kind[p]];
        float pressure = g->surface.level[0].phi[c];
        Split split[dims];
        for (int a = 0; a < dims; ++a) split[a] = split_at(g, c, a, x[a][p]);
        for (int a = 0; a < dims; ++a) {
            rows_of(split, a, row, weight);
            float low = split[a].face[0], high = split[a].face[1], off = high - 0.5f;
            TarnF8 sum = f8_load(face[a][row[0]]) * weight[0];
            for (int r = 1; r < 4; ++r) sum += f8_load(face[a][row[r]]) * weight[r];
            sum *= (TarnF8){ low, high, low, high, low, high, low, high };
            float change = (sum[0] + sum[1]) + ((sum[2] + sum[3]) - (sum[4] + sum[5]) * v[a][p]);
            v[a][p] += light * change + (sum[6] + sum[7]);
            pressure += fabsf(off) * slope[a][off > 0.0f];
        }
        l->memory_a[p] = tarn_maxf(pressure, 0.0f) * per_dt;
    }
}

static void apply(PressureGrid* g, int begin, int end)
{
    if (g->dims == 3)
        for (int c = begin; c < end; ++c) apply_deep(g, c);
    else
        for (int c = begin; c < end; ++c) apply_flat(g, c);
}

extern const GridKernels TARN_KERNEL(tarn__grid_kernels);
const GridKernels TARN_KERNEL(tarn__grid_kernels) = { places, keys, splat, gather, apply };
