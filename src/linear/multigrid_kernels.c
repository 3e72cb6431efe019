// The loops of multigrid, eight cells of one color at a time. The layout is described in
// multigrid_internal.h.

#include "base/kernels.h"
#include "linear/colors.h"
#include "linear/multigrid_internal.h"
#include <math.h>

typedef struct Row {
    ptrdiff_t at; // of place 0
    int s;        // parity: cells are i = 2 m + s
} Row;

TARN_INLINE Row row_of(const MgLevel* l, int color, int j, int k)
{
    return (Row){ (ptrdiff_t)l->row * j + (ptrdiff_t)l->slab * k, (j + k + color) & 1 };
}

// Sum of the six neighbors, which have the other color: q is at the cell's own place of it.
TARN_INLINE TarnF8 neighbors(const MgLevel* l, const float* q, int s)
{
    TarnF8 x = f8_load(q + s - 1) + f8_load(q + s);
    TarnF8 y = f8_load(q - l->row) + f8_load(q + l->row);
    TarnF8 z = f8_load(q - l->slab) + f8_load(q + l->slab);
    return x + (y + z);
}
// The same with weights. A cell's faces towards + are those towards - of its neighbors.
TARN_INLINE TarnF8 neighbors_weighted(const MgLevel* l, int color, ptrdiff_t c, const float* q,
                                      int s)
{
    int o = 1 - color;
    const float *w = l->w[0][o] + c, *v = l->w[1][o] + c, *u = l->w[2][o] + c;
    TarnF8 x = f8_load(l->w[0][color] + c) * f8_load(q + s - 1) + f8_load(w + s) * f8_load(q + s);
    TarnF8 y = f8_load(l->w[1][color] + c) * f8_load(q - l->row) +
               f8_load(v + l->row) * f8_load(q + l->row);
    TarnF8 z = f8_load(l->w[2][color] + c) * f8_load(q - l->slab) +
               f8_load(u + l->slab) * f8_load(q + l->slab);
    return x + (y + z);
}

TARN_INLINE int sides_yz(const MgLevel* l, int j, int k)
{
    return tarn__mg_sides(l->ny, j, l->edge + 2) + tarn__mg_sides(l->nz, k, l->edge + 4);
}

static void relax_weighted(const MgLevel* l, int color, int k)
{
    TarnF8 keep = f8_set(1.0f - l->omega), none = f8_set(0.0f);
    for (int j = 0; j < l->ny; ++j) {
        Row r = row_of(l, color, j, k);
        float* p = l->p[color] + r.at;
        const float *q = l->p[1 - color] + r.at, *f = l->f[color] + r.at;
        const float* diag = l->diag[color] + r.at;
        for (int m = 0; m < l->half; m += TARN_LANES) {
            TarnF8 d = f8_load(diag + m);
            TarnI8 is_air = f8_less(none, d);
            TarnF8 sum = f8_load(f + m) + neighbors_weighted(l, color, r.at + m, q + m, r.s);
            TarnF8 step = l->omega * sum / f8_select(is_air, d, f8_set(1.0f));
            f8_store(p + m, f8_select(is_air, keep * f8_load(p + m) + step, none));
        }
    }
}

static void relax(const MgLevel* l, int color, int k)
{
    if (l->diag[0]) {
        relax_weighted(l, color, k);
        return;
    }
    TarnF8 keep = f8_set(1.0f - l->omega);
    for (int j = 0; j < l->ny; ++j) {
        Row r = row_of(l, color, j, k);
        float* p = l->p[color] + r.at;
        const float *q = l->p[1 - color] + r.at, *f = l->f[color] + r.at;
        const float* gain = l->gain + (ptrdiff_t)(2 * sides_yz(l, j, k) + r.s) * l->row;
        for (int m = 0; m < l->half; m += TARN_LANES) {
            TarnF8 sum = f8_load(f + m) + neighbors(l, q + m, r.s);
            f8_store(p + m, keep * f8_load(p + m) + f8_load(gain + m) * sum);
        }
    }
}

// A row whose residual is asked for.
typedef struct ResidualRow {
    ptrdiff_t at;
    int color, s;
    TarnF8 sides; // what y and z add to the diagonal, without weights
} ResidualRow;

TARN_INLINE ResidualRow residual_row(const MgLevel* l, int color, int j, int k)
{
    Row r = row_of(l, color, j, k);
    return (ResidualRow){ r.at, color, r.s, f8_set((float)sides_yz(l, j, k)) };
}

// f - A p of eight places from m on.
TARN_INLINE TarnF8 residual8(const MgLevel* l, const ResidualRow* r, int m, bool has_weights)
{
    ptrdiff_t c = r->at + m;
    TarnF8 p = f8_load(l->p[r->color] + c), f = f8_load(l->f[r->color] + c);
    const float* q = l->p[1 - r->color] + c;
    if (has_weights) {
        TarnF8 d = f8_load(l->diag[r->color] + c), none = f8_set(0.0f);
        TarnF8 out = (f - d * p) + neighbors_weighted(l, r->color, c, q, r->s);
        return f8_select(f8_less(none, d), out, none);
    }
    ptrdiff_t t = (ptrdiff_t)r->s * l->row + m;
    TarnF8 d = f8_load(l->sides_x + t) + r->sides;
    return ((f - d * p) + neighbors(l, q, r->s)) * f8_load(l->inside + t);
}

// Mean of eight cells, times 4 for the spacing of the coarser grid. Of one coarse row; squares: of slabs 2 K,
// 2 K + 1.
TARN_INLINE void restrict_row(const MgLevel* l, const MgLevel* coarse, int J, int K,
                              bool has_weights, double squares[2])
{
    ResidualRow rows[8];
    for (int n = 0; n < 8; ++n)
        rows[n] = residual_row(l, n & 1, 2 * J + (n >> 1 & 1), 2 * K + (n >> 2));
    TarnF8 square[2] = { f8_set(0.0f), f8_set(0.0f) };
    Row to = row_of(coarse, 0, J, K);
    for (int I = 0; I < coarse->nx; I += 16) {
        float natural[16] = { 0.0f };
        for (int h = 0; h < 16 && I + h < l->half; h += TARN_LANES) {
            TarnF8 sum[2] = { f8_set(0.0f), f8_set(0.0f) };
            for (int n = 0; n < 8; ++n) {
                TarnF8 r = residual8(l, &rows[n], I + h, has_weights);
                sum[n >> 2] += r;
                square[n >> 2] += r * r;
            }
            f8_store(natural + h, 0.5f * (sum[0] + sum[1]));
        }
        ptrdiff_t c = to.at + I / 2;
        deal(natural, to.s, coarse->f[0] + c, coarse->f[1] + c);
    }
    squares[0] += sum_lanes(square[0]), squares[1] += sum_lanes(square[1]);
}

static void restrict_to(const MgLevel* l, const MgLevel* coarse, int K, double* squares)
{
    double total[2] = { 0.0, 0.0 };
    bool has_weights = l->diag[0] != NULL;
    for (int J = 0; J < coarse->ny; ++J) {
        if (has_weights)
            restrict_row(l, coarse, J, K, true, total);
        else
            restrict_row(l, coarse, J, K, false, total);
    }
    if (squares) squares[2 * K] = total[0], squares[2 * K + 1] = total[1];
}

// The same with p = 0: of f itself.
static void restrict_f(const MgLevel* l, const MgLevel* coarse, int K)
{
    for (int J = 0; J < coarse->ny; ++J) {
        Row to = row_of(coarse, 0, J, K), from = row_of(l, 0, 2 * J, 2 * K);
        for (int I = 0; I < coarse->nx; I += 16) {
            float natural[16] = { 0.0f };
            for (int h = 0; h < 16 && I + h < l->half; h += TARN_LANES) {
                TarnF8 sum[2] = { f8_set(0.0f), f8_set(0.0f) };
                for (int n = 0; n < 8; ++n) {
                    ptrdiff_t c = from.at + (n >> 1 & 1) * l->row + (n >> 2) * l->slab;
                    sum[n >> 2] += f8_load(l->f[n & 1] + c + I + h);
                }
                f8_store(natural + h, 0.5f * (sum[0] + sum[1]));
            }
            ptrdiff_t c = to.at + I / 2;
            deal(natural, to.s, coarse->f[0] + c, coarse->f[1] + c);
        }
    }
}

static double square_f(const MgLevel* l, int k)
{
    double total = 0.0;
    for (int j = 0; j < l->ny; ++j) {
        TarnF8 square = f8_set(0.0f);
        for (int color = 0; color < 2; ++color) {
            const float* f = l->f[color] + row_of(l, color, j, k).at;
            for (int m = 0; m < l->half; m += TARN_LANES) square += f8_load(f + m) * f8_load(f + m);
        }
        total += sum_lanes(square);
    }
    return total;
}

TARN_INLINE double residual_rows(const MgLevel* l, int j, int k, bool has_weights)
{
    TarnF8 square = f8_set(0.0f);
    for (int color = 0; color < 2; ++color) {
        ResidualRow r = residual_row(l, color, j, k);
        for (int m = 0; m < l->half; m += TARN_LANES) {
            TarnF8 v = residual8(l, &r, m, has_weights);
            square += v * v;
        }
    }
    return sum_lanes(square);
}
static double residual(const MgLevel* l, int k)
{
    double total = 0.0;
    bool has_weights = l->diag[0] != NULL;
    for (int j = 0; j < l->ny; ++j)
        total += has_weights ? residual_rows(l, j, k, true) : residual_rows(l, j, k, false);
    return total;
}

// Constant: each of the eight cells gets what the coarse one has. Where the air is, with weights.
static void prolong(const MgLevel* l, const MgLevel* coarse, int k)
{
    TarnF8 none = f8_set(0.0f);
    for (int j = 0; j < l->ny; ++j) {
        Row from = row_of(coarse, 0, j / 2, k / 2);
        ptrdiff_t at = row_of(l, 0, j, k).at;
        for (int I = 0; I < coarse->nx; I += 16) {
            float natural[16];
            ptrdiff_t c = from.at + I / 2;
            gather_row(coarse->p[0] + c, coarse->p[1] + c, from.s, natural);
            for (int n = 0; n < 4; ++n) {
                int h = 8 * (n >> 1), color = n & 1;
                if (I + h >= l->half) continue;
                float* p = l->p[color] + at + I + h;
                TarnF8 next = f8_load(p) + f8_load(natural + h);
                if (l->diag[0])
                    next =
                        f8_select(f8_less(none, f8_load(l->diag[color] + at + I + h)), next, none);
                f8_store(p, next);
            }
        }
    }
}

// ---- Conjugate gradients, with weights only --------------------------------------------------------

static double apply(const MgLevel* l, float* const in[2], float* const out[2], int k)
{
    double total = 0.0;
    for (int j = 0; j < l->ny; ++j) {
        TarnF8 dot = f8_set(0.0f), none = f8_set(0.0f);
        for (int color = 0; color < 2; ++color) {
            Row r = row_of(l, color, j, k);
            for (int m = 0; m < l->half; m += TARN_LANES) {
                ptrdiff_t c = r.at + m;
                TarnF8 d = f8_load(l->diag[color] + c), p = f8_load(in[color] + c);
                TarnF8 v = d * p - neighbors_weighted(l, color, c, in[1 - color] + c, r.s);
                v = f8_select(f8_less(none, d), v, none);
                f8_store(out[color] + c, v);
                dot += p * v;
            }
        }
        total += sum_lanes(dot);
    }
    return total;
}

static double advance(const MgLevel* l, float a, float* const x[2], float* const d[2],
                      float* const q[2], int k)
{
    double total = 0.0;
    for (int j = 0; j < l->ny; ++j) {
        TarnF8 square = f8_set(0.0f);
        for (int color = 0; color < 2; ++color) {
            ptrdiff_t at = row_of(l, color, j, k).at;
            for (ptrdiff_t c = at; c < at + l->half; c += TARN_LANES) {
                f8_store(x[color] + c, f8_load(x[color] + c) + a * f8_load(d[color] + c));
                TarnF8 r = f8_load(l->f[color] + c) - a * f8_load(q[color] + c);
                f8_store(l->f[color] + c, r);
                square += r * r;
            }
        }
        total += sum_lanes(square);
    }
    return total;
}

static void turn(const MgLevel* l, float b, float* const d[2], int k)
{
    for (int j = 0; j < l->ny; ++j) {
        for (int color = 0; color < 2; ++color) {
            ptrdiff_t at = row_of(l, color, j, k).at;
            for (ptrdiff_t c = at; c < at + l->half; c += TARN_LANES)
                f8_store(d[color] + c, f8_load(l->p[color] + c) + b * f8_load(d[color] + c));
        }
    }
}

static double dot(const MgLevel* l, float shift, int k)
{
    double total = 0.0;
    TarnF8 none = f8_set(0.0f);
    for (int j = 0; j < l->ny; ++j) {
        TarnF8 sum = none;
        for (int color = 0; color < 2; ++color) {
            ptrdiff_t at = row_of(l, color, j, k).at;
            for (ptrdiff_t c = at; c < at + l->half; c += TARN_LANES) {
                TarnI8 is_air = f8_less(none, f8_load(l->diag[color] + c));
                TarnF8 p = f8_select(is_air, f8_load(l->p[color] + c) - shift, none);
                f8_store(l->p[color] + c, p);
                sum += p * f8_load(l->f[color] + c);
            }
        }
        total += sum_lanes(sum);
    }
    return total;
}

// ---- Weights ---------------------------------------------------------------------------------------

// Each coarse face has the mean weight of four. Of cells 2 I the first is at place I of the color that begins
// its row.
static void coarsen(const MgLevel* l, const MgLevel* coarse, int K)
{
    for (int J = 0; J < coarse->ny; ++J) {
        Row to = row_of(coarse, 0, J, K);
        for (int I = 0; I < coarse->nx; I += 16) {
            float natural[3][16] = { { 0.0f } };
            for (int h = 0; h < 16 && I + h < l->half; h += TARN_LANES) {
                TarnF8 x = f8_set(0.0f), y = x, z = x;
                for (int n = 0; n < 4; ++n) {
                    int a = n & 1, b = n >> 1;
                    Row r = row_of(l, 0, 2 * J + a, 2 * K + b);
                    x += f8_load(l->w[0][r.s] + r.at + I + h);
                    y += f8_load(l->w[1][a] + row_of(l, a, 2 * J, 2 * K + b).at + I + h);
                    z += f8_load(l->w[2][a] + row_of(l, a, 2 * J + b, 2 * K).at + I + h);
                }
                f8_store(natural[0] + h, 0.25f * x);
                f8_store(natural[1] + h, 0.25f * y);
                f8_store(natural[2] + h, 0.25f * z);
            }
            ptrdiff_t c = to.at + I / 2;
            for (int a = 0; a < 3; ++a)
                deal(natural[a], to.s, coarse->w[a][0] + c, coarse->w[a][1] + c);
        }
    }
}

// The caller's weights of slab k along one axis. The faces of the box's rim are not theirs.
static void weigh(const MgLevel* l, int axis, const float* from, int k)
{
    Grid3 g = tarn__grid3(l->nx, l->ny, l->nz);
    TarnF8 none = f8_set(0.0f), one = f8_set(1.0f), least = f8_set(MG_LEAST_WEIGHT);
    float* const* to = l->w[axis];
    for (int j = 0; j < l->ny; ++j) {
        Row r = row_of(l, 0, j, k);
        bool is_rim = (axis == 1 && j == 0) || (axis == 2 && k == 0);
        for (int i = 0; i < l->nx; i += 16) {
            float natural[16];
            for (int h = 0; h < 16; h += TARN_LANES) {
                float some[8] = { 0.0f };
                const float* in = some;
                if (from && i + h + 8 <= l->nx)
                    in = from + tarn__grid3_at(&g, i + h, j, k);
                else
                    for (int n = 0; n < 8 && i + h + n < l->nx; ++n)
                        some[n] = from ? from[tarn__grid3_at(&g, i + h + n, j, k)] : 1.0f;
                TarnF8 w = f8_load(in); // NaN: 0
                w = f8_select(f8_less(w, least) | ~f8_less(w, f8_set(INFINITY)), none,
                              f8_min(w, one));
                f8_store(natural + h, is_rim ? none : w);
            }
            deal(natural, r.s, to[0] + r.at + i / 2, to[1] + r.at + i / 2);
        }
        if (axis == 0) to[r.s][r.at] = 0.0f;
    }
}

// Faces of the rim that are open, for cell j of n.
TARN_INLINE int open_sides(int n, int j, const uint8_t* edge)
{
    return (j == 0 && edge[0] == POISSON_OPEN) + (j == n - 1 && edge[1] == POISSON_OPEN);
}

// Sum of the six weights. An open face of the box counts twice for a cell that has another one.
static void diagonal(const MgLevel* l, int k)
{
    TarnF8 none = f8_set(0.0f);
    for (int n = 0; n < 2 * l->ny; ++n) {
        int color = n & 1, j = n >> 1, o = 1 - color;
        float open =
            2.0f * (float)(open_sides(l->ny, j, l->edge + 2) + open_sides(l->nz, k, l->edge + 4));
        Row r = row_of(l, color, j, k);
        float* diag = l->diag[color] + r.at;
        for (int m = 0; m < l->half; m += TARN_LANES) {
            ptrdiff_t c = r.at + m;
            TarnF8 x = f8_load(l->w[0][color] + c) + f8_load(l->w[0][o] + c + r.s);
            TarnF8 y = f8_load(l->w[1][color] + c) + f8_load(l->w[1][o] + c + l->row);
            TarnF8 z = f8_load(l->w[2][color] + c) + f8_load(l->w[2][o] + c + l->slab);
            TarnF8 sum = x + (y + z);
            f8_store(diag + m, f8_select(f8_less(none, sum), sum + open, none));
        }
        for (int side = 0; side < 2; ++side) { // both may be the same cell
            int i = side ? l->nx - 1 : 0;
            bool is_open = l->edge[side] == POISSON_OPEN && (i & 1) == r.s;
            if (is_open && diag[i / 2] > 0.0f) diag[i / 2] += 2.0f;
        }
    }
}

static float largest_air(const MgLevel* l, const float* from, int k)
{
    Grid3 g = tarn__grid3(l->nx, l->ny, l->nz);
    TarnF8 most = f8_set(0.0f), none = most;
    for (int j = 0; j < l->ny; ++j) {
        const float* in = from + tarn__grid3_at(&g, 0, j, k);
        Row r = row_of(l, 0, j, k);
        for (int i = 0; i < l->nx; i += 16) {
            float natural[16], some[16] = { 0.0f };
            ptrdiff_t c = r.at + i / 2;
            int n = l->nx - i < 16 ? l->nx - i : 16;
            gather_row(l->diag[0] + c, l->diag[1] + c, r.s, natural);
            memcpy(some, in + i, (size_t)n * sizeof(float));
            for (int h = 0; h < 16; h += TARN_LANES) {
                TarnI8 is_air = f8_less(none, f8_load(natural + h));
                most = f8_max(f8_select(is_air, f8_abs(f8_load(some + h)), none), most);
            }
        }
    }
    return f8_max_lane(most);
}

static double sum_air(const MgLevel* l, float* const field[2], int k)
{
    double total = 0.0;
    for (int n = 0; n < 2 * l->ny; ++n) {
        const float* f = field[n & 1] + row_of(l, 0, n >> 1, k).at;
        TarnD4 sum[2] = { { 0.0, 0.0, 0.0, 0.0 }, { 0.0, 0.0, 0.0, 0.0 } };
        for (int m = 0; m < l->half; m += TARN_LANES)
            sum[0] += d4_load(f + m), sum[1] += d4_load(f + m + 4);
        total += d4_sum(sum[0] + sum[1]);
    }
    return total;
}

static void shift_air(const MgLevel* l, float* const field[2], float shift, int k)
{
    for (int n = 0; n < 2 * l->ny; ++n) {
        ptrdiff_t at = row_of(l, 0, n >> 1, k).at;
        float* f = field[n & 1] + at;
        const float* diag = l->diag[n & 1] + at;
        for (int m = 0; m < l->half; m += TARN_LANES) {
            TarnI8 is_air = f8_less(f8_set(0.0f), f8_load(diag + m));
            f8_store(f + m, f8_select(is_air, f8_load(f + m) - shift, f8_set(0.0f)));
        }
    }
}

// ---- The caller's fields -----------------------------------------------------------------------------

// Whatever the caller's floats are: these are finite. What is beyond is no pressure.
TARN_INLINE TarnF8 within(TarnF8 v, float limit)
{
    return f8_min(f8_max(v, f8_set(-limit)), f8_set(limit));
}
static const float LARGEST_IN = 1e15f, LARGEST_OUT = 3e38f;

static void split(const MgLevel* l, const float* from, float scale, float shift, float* const to[2],
                  int k)
{
    Grid3 g = tarn__grid3(l->nx, l->ny, l->nz);
    for (int j = 0; j < l->ny; ++j) {
        const float* in = from + tarn__grid3_at(&g, 0, j, k);
        Row r = row_of(l, 0, j, k);
        int i = 0;
        for (; i + 16 <= l->nx; i += 16) {
            float natural[16];
            f8_store(natural, within(scale * (f8_load(in + i) - shift), LARGEST_IN));
            f8_store(natural + 8, within(scale * (f8_load(in + i + 8) - shift), LARGEST_IN));
            deal(natural, r.s, to[0] + r.at + i / 2, to[1] + r.at + i / 2);
        }
        for (; i < l->nx; ++i)
            to[(i + r.s) & 1][r.at + i / 2] =
                within(f8_set(scale * (in[i] - shift)), LARGEST_IN)[0];
    }
}

static void join(const MgLevel* l, float* const from[2], float scale, float shift, float* to,
                 int to_row, int to_slab, int k)
{
    for (int j = 0; j < l->ny; ++j) {
        float* out = to + (ptrdiff_t)to_row * j + (ptrdiff_t)to_slab * k;
        Row r = row_of(l, 0, j, k);
        int i = 0;
        for (; i + 16 <= l->nx; i += 16) {
            float natural[16];
            gather_row(from[0] + r.at + i / 2, from[1] + r.at + i / 2, r.s, natural);
            f8_store(out + i, within(scale * (f8_load(natural) - shift), LARGEST_OUT));
            f8_store(out + i + 8, within(scale * (f8_load(natural + 8) - shift), LARGEST_OUT));
        }
        for (; i < l->nx; ++i) {
            float v = scale * (from[(i + r.s) & 1][r.at + i / 2] - shift);
            out[i] = within(f8_set(v), LARGEST_OUT)[0];
        }
    }
}

const MgKernels TARN_KERNEL(tarn__multigrid_kernels) = {
    relax, restrict_to, restrict_f, prolong,  residual,    square_f, apply,     advance, turn,
    dot,   weigh,       coarsen,    diagonal, largest_air, sum_air,  shift_air, split,   join,
};
