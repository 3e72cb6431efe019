// The loops of the Helmholtz solver, eight cells of one color at a time. The layout is described in
// helmholtz_internal.h.

#include "base/kernels.h"
#include "linear/colors.h"
#include "linear/helmholtz_internal.h"

typedef struct Row {
    ptrdiff_t at; // of place 0
    int s;        // parity: cells are i = 2 m + s
} Row;

TARN_INLINE Row row_of(const HhLevel* l, int color, int k)
{
    return (Row){ (ptrdiff_t)l->row * k, (k + color) & 1 };
}

// The four coefficients around eight cells of a color at place c, towards -x, +x, -z, +z: a cell's faces
// towards + are those towards - of its neighbors.
typedef struct Faces {
    TarnF8 x0, x1, z0, z1;
} Faces;

TARN_INLINE Faces faces_at(const HhLevel* l, int color, ptrdiff_t c, int s)
{
    int o = 1 - color;
    return (Faces){ f8_load(l->a[0][color] + c), f8_load(l->a[0][o] + c + s),
                    f8_load(l->a[1][color] + c), f8_load(l->a[1][o] + c + l->row) };
}

// What flows out to the four neighbors: by differences, which keeps all digits where the field is smooth.
// q: the field's other color.
TARN_INLINE TarnF8 outflow(const HhLevel* l, const Faces* a, TarnF8 here, const float* q, int s)
{
    TarnF8 x = a->x0 * (here - f8_load(q + s - 1)) + a->x1 * (here - f8_load(q + s));
    TarnF8 z = a->z0 * (here - f8_load(q - l->row)) + a->z1 * (here - f8_load(q + l->row));
    return x + z;
}
TARN_INLINE TarnF8 neighbors(const HhLevel* l, const Faces* a, const float* q, int s)
{
    return (a->x0 * f8_load(q + s - 1) + a->x1 * f8_load(q + s)) +
           (a->z0 * f8_load(q - l->row) + a->z1 * f8_load(q + l->row));
}

static void relax(const HhLevel* l, int color, bool from_zero, int k0, int k1)
{
    TarnF8 none = f8_set(0.0f), one = f8_set(1.0f);
    for (int k = k0; k < k1; ++k) {
        Row r = row_of(l, color, k);
        for (int m = 0; m < l->half; m += TARN_LANES) {
            ptrdiff_t c = r.at + m;
            TarnF8 mass = f8_load(l->mass[color] + c), sum = f8_load(l->f[color] + c);
            Faces a = faces_at(l, color, c, r.s);
            TarnI8 is_open = f8_less(none, mass);
            TarnF8 diag = f8_select(is_open, mass + ((a.x0 + a.x1) + (a.z0 + a.z1)), one);
            if (!from_zero) sum += neighbors(l, &a, l->p[1 - color] + c, r.s);
            f8_store(l->p[color] + c, f8_select(is_open, sum / diag, none));
        }
    }
}

TARN_INLINE TarnF8 residual(const HhLevel* l, int color, int k, int m)
{
    Row r = row_of(l, color, k);
    ptrdiff_t c = r.at + m;
    TarnF8 mass = f8_load(l->mass[color] + c), p = f8_load(l->p[color] + c), none = f8_set(0.0f);
    Faces a = faces_at(l, color, c, r.s);
    TarnF8 out =
        (f8_load(l->f[color] + c) - mass * p) - outflow(l, &a, p, l->p[1 - color] + c, r.s);
    return f8_select(f8_less(none, mass), out, none);
}

static void restrict_to(const HhLevel* l, const HhLevel* coarse, int k0, int k1)
{
    for (int k = k0; k < k1; ++k) {
        Row to = row_of(coarse, 0, k);
        for (int i = 0; i < coarse->nx; i += 16) {
            float natural[16] = { 0.0f };
            for (int n = 0; n < 16 && i + n < l->half; n += TARN_LANES) {
                TarnF8 sum = f8_set(0.0f);
                for (int color = 0; color < l->colors; ++color) {
                    sum += residual(l, color, 2 * k, i + n);
                    if (2 * k + 1 < l->nz) sum += residual(l, color, 2 * k + 1, i + n);
                }
                f8_store(natural + n, sum);
            }
            ptrdiff_t c = to.at + i / 2;
            deal(natural, to.s, coarse->f[0] + c, coarse->f[1] + c);
        }
    }
}

static void prolong(const HhLevel* l, const HhLevel* coarse, int k0, int k1)
{
    TarnF8 none = f8_set(0.0f);
    for (int k = k0; k < k1; ++k) {
        Row from = row_of(coarse, 0, k / 2);
        for (int m = 0; m < l->half; m += 16) {
            float natural[16];
            ptrdiff_t at = from.at + m / 2;
            gather_row(coarse->p[0] + at, coarse->p[1] + at, from.s, natural);
            for (int n = 0; n < 16 && m + n < l->half; n += TARN_LANES) {
                ptrdiff_t c = (ptrdiff_t)l->row * k + m + n;
                for (int color = 0; color < l->colors; ++color) {
                    TarnI8 is_open = f8_less(none, f8_load(l->mass[color] + c));
                    TarnF8 add = f8_select(is_open, f8_load(natural + n), none);
                    f8_store(l->p[color] + c, f8_load(l->p[color] + c) + add);
                }
            }
        }
    }
}

// ---- Conjugate gradients ---------------------------------------------------------------------------------

static void apply(const HhLevel* l, float* const d[2], float* const q[2], double* sums, int k0,
                  int k1)
{
    TarnF8 none = f8_set(0.0f);
    for (int k = k0; k < k1; ++k) {
        TarnF8 dot = none;
        for (int color = 0; color < 2; ++color) {
            Row r = row_of(l, color, k);
            for (int m = 0; m < l->half; m += TARN_LANES) {
                ptrdiff_t c = r.at + m;
                TarnF8 mass = f8_load(l->mass[color] + c), here = f8_load(d[color] + c);
                Faces a = faces_at(l, color, c, r.s);
                TarnF8 out = mass * here + outflow(l, &a, here, d[1 - color] + c, r.s);
                out = f8_select(f8_less(none, mass), out, none);
                f8_store(q[color] + c, out);
                dot += here * out;
            }
        }
        sums[k] = sum_lanes(dot);
    }
}

static void advance(const HhLevel* l, float s, float* const x[2], float* const d[2],
                    float* const q[2], double* sums, int k0, int k1)
{
    for (int k = k0; k < k1; ++k) {
        TarnF8 dot = f8_set(0.0f);
        for (int color = 0; color < 2; ++color) {
            ptrdiff_t at = (ptrdiff_t)l->row * k;
            for (ptrdiff_t c = at; c < at + l->half; c += TARN_LANES) {
                f8_store(x[color] + c, f8_load(x[color] + c) + s * f8_load(d[color] + c));
                TarnF8 left = f8_load(l->f[color] + c) - s * f8_load(q[color] + c);
                f8_store(l->f[color] + c, left);
                dot += left * left;
            }
        }
        sums[k] = sum_lanes(dot);
    }
}

static void dot(const HhLevel* l, double* sums, int k0, int k1)
{
    for (int k = k0; k < k1; ++k) {
        TarnF8 sum = f8_set(0.0f);
        for (int color = 0; color < 2; ++color) {
            ptrdiff_t at = (ptrdiff_t)l->row * k;
            for (ptrdiff_t c = at; c < at + l->half; c += TARN_LANES)
                sum += f8_load(l->p[color] + c) * f8_load(l->f[color] + c);
        }
        sums[k] = sum_lanes(sum);
    }
}

// Ghosts of d hold what they held; what lies beyond a row stays 0 because there is no mass.
static void turn(const HhLevel* l, float s, float* const d[2], int k0, int k1)
{
    TarnF8 none = f8_set(0.0f);
    for (int k = k0; k < k1; ++k) {
        for (int color = 0; color < 2; ++color) {
            ptrdiff_t at = (ptrdiff_t)l->row * k;
            for (ptrdiff_t c = at; c < at + l->half; c += TARN_LANES) {
                TarnF8 next = f8_load(l->p[color] + c) + s * f8_load(d[color] + c);
                TarnI8 is_open = f8_less(none, f8_load(l->mass[color] + c));
                f8_store(d[color] + c, f8_select(is_open, next, none));
            }
        }
    }
}

// ---- Coefficients ----------------------------------------------------------------------------------------

// Half a sum over a face of the coarser grid: twice as long, and its cells are twice as far apart. The rim
// and the last column and row, which may be narrower, are set right afterwards.
static void coarsen(const HhLevel* l, const HhLevel* coarse, int k0, int k1)
{
    for (int k = k0; k < k1; ++k) {
        Row to = row_of(coarse, 0, k);
        ptrdiff_t low = (ptrdiff_t)l->row * (2 * k), high = low + l->row; // beyond the last: zeros
        bool has_high = 2 * k + 1 < l->nz;
        for (int i = 0; i < coarse->nx; i += 16) {
            float mass[16] = { 0.0f }, ax[16] = { 0.0f }, az[16] = { 0.0f };
            for (int n = 0; n < 16 && i + n < l->half; n += TARN_LANES) {
                int m = i + n;
                // Of the two cells of a row the one at even i has the face: color 0 in even rows.
                TarnF8 x = f8_load(l->a[0][0] + low + m);
                TarnF8 sum = f8_load(l->mass[0] + low + m) + f8_load(l->mass[1] + low + m);
                if (has_high) {
                    x += f8_load(l->a[0][1] + high + m);
                    sum += f8_load(l->mass[0] + high + m) + f8_load(l->mass[1] + high + m);
                }
                TarnF8 z = f8_load(l->a[1][0] + low + m) + f8_load(l->a[1][1] + low + m);
                f8_store(mass + n, sum);
                f8_store(ax + n, 0.5f * x);
                f8_store(az + n, 0.5f * z);
            }
            for (int n = coarse->nx - i; n < 16; ++n) mass[n] = ax[n] = az[n] = 0.0f;
            ptrdiff_t c = to.at + i / 2;
            deal(mass, to.s, coarse->mass[0] + c, coarse->mass[1] + c);
            deal(ax, to.s, coarse->a[0][0] + c, coarse->a[0][1] + c);
            deal(az, to.s, coarse->a[1][0] + c, coarse->a[1][1] + c);
        }
    }
}

// Nothing passes the faces of closed cells. Copies of mass are set.
static void close_faces(const HhLevel* l, int k0, int k1)
{
    TarnF8 none = f8_set(0.0f);
    for (int k = k0; k < k1; ++k) {
        for (int color = 0; color < 2; ++color) {
            Row r = row_of(l, color, k);
            for (int m = 0; m < l->half; m += TARN_LANES) {
                ptrdiff_t c = r.at + m;
                const float* other = l->mass[1 - color] + c;
                TarnI8 is_open = f8_less(none, f8_load(l->mass[color] + c));
                TarnI8 x = is_open & f8_less(none, f8_load(other + r.s - 1));
                TarnI8 z = is_open & f8_less(none, f8_load(other - l->row));
                float *ax = l->a[0][color] + c, *az = l->a[1][color] + c;
                f8_store(ax, f8_select(x, f8_max(f8_load(ax), none), none));
                f8_store(az, f8_select(z, f8_max(f8_load(az), none), none));
            }
        }
    }
}

// ---- Rows of the caller ----------------------------------------------------------------------------------

static void split(const HhLevel* l, const float* from, int stride, float scale, float* const to[2],
                  int k0, int k1)
{
    for (int k = k0; k < k1; ++k) {
        Row r = row_of(l, 0, k);
        const float* row = from ? from + (ptrdiff_t)stride * k : NULL;
        for (int i = 0; i < l->nx; i += 16) {
            float natural[16] = { 0.0f };
            int n = l->nx - i < 16 ? l->nx - i : 16;
            for (int j = 0; j < n; ++j) natural[j] = row ? scale * row[i + j] : 1.0f;
            deal(natural, r.s, to[0] + r.at + i / 2, to[1] + r.at + i / 2);
        }
    }
}

// 0 in closed cells: what the caller has there does not count.
static void clear_closed(const HhLevel* l, float* const field[2], int k0, int k1)
{
    TarnF8 none = f8_set(0.0f);
    for (int k = k0; k < k1; ++k) {
        for (int color = 0; color < 2; ++color) {
            ptrdiff_t at = (ptrdiff_t)l->row * k;
            for (ptrdiff_t c = at; c < at + l->half; c += TARN_LANES) {
                TarnI8 is_open = f8_less(none, f8_load(l->mass[color] + c));
                f8_store(field[color] + c, f8_select(is_open, f8_load(field[color] + c), none));
            }
        }
    }
}

static void join(const HhLevel* l, float* const from[2], float scale, float* to, int stride, int k0,
                 int k1)
{
    for (int k = k0; k < k1; ++k) {
        Row r = row_of(l, 0, k);
        float* row = to + (ptrdiff_t)stride * k;
        for (int i = 0; i < l->nx; i += 16) {
            float natural[16];
            gather_row(from[0] + r.at + i / 2, from[1] + r.at + i / 2, r.s, natural);
            int n = l->nx - i < 16 ? l->nx - i : 16;
            for (int j = 0; j < n; ++j) row[i + j] = scale * natural[j];
        }
    }
}

// Of open cells only: those of closed ones do not count.
static float largest(const HhLevel* l, const float* from, int stride, int k0, int k1)
{
    float most = 0.0f;
    for (int k = k0; k < k1; ++k) {
        const float* row = from + (ptrdiff_t)stride * k;
        Row r = row_of(l, 0, k);
        for (int i = 0; i < l->nx; ++i) {
            float size = row[i] < 0.0f ? -row[i] : row[i];
            bool is_open = l->mass[(i + r.s) & 1][r.at + i / 2] > 0.0f;
            if (is_open && size > most) most = size;
        }
    }
    return most;
}

const HhKernels TARN_KERNEL(tarn__helmholtz_kernels) = {
    relax,   restrict_to, prolong, apply,        advance, dot,     turn,
    coarsen, close_faces, split,   clear_closed, join,    largest,
};
