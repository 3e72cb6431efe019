// Semi-Lagrangian and MacCormack advection of shallow water, eight faces at a time. Method:
// shallow_advect.c.
//
// Substeps are so short (a Courant number of the flow of 0.3 at most, see fastest_rate) that the way back
// ends within the neighboring cell, and it is cut there in any case. So nothing is gathered: of the
// values around a face the four that count are selected by the signs of the way.
//
// Ways are signed offsets from a face, and sums are of two terms or of such pairs: mirrored and
// transposed flows give the same bits.

#include "base/kernels.h"
#include "shallow/shallow_advect_kernels.h"
#include "shallow/shallow_kernels.h"

// Three rows of a field; all point at the same column.
typedef struct Field {
    const float *below, *here, *above;
} Field;

// A point within one cell of a face: towards which neighbors, and how far, 0 to 1.
typedef struct Foot {
    TarnI8 right, above;
    TarnF8 a, b;
} Foot;

// Values at the corners of the square that a foot lies in: 00 is the face itself.
typedef struct Corners {
    TarnF8 q00, q10, q01, q11;
} Corners;

TARN_INLINE Field field_at(const float* q, ptrdiff_t c, ptrdiff_t up)
{
    return (Field){ q + c - up, q + c, q + c + up };
}

TARN_INLINE Foot foot_at(TarnF8 dx, TarnF8 dz)
{
    TarnF8 zero = f8_set(0.0f), one = f8_set(1.0f);
    return (Foot){ f8_less(zero, dx), f8_less(zero, dz), f8_min(f8_abs(dx), one),
                   f8_min(f8_abs(dz), one) };
}

TARN_INLINE TarnF8 beside(const float* q, TarnI8 right)
{
    return f8_select(right, f8_load(q + 1), f8_load(q - 1));
}

TARN_INLINE Corners corners(Field q, Foot f)
{
    return (Corners){ f8_load(q.here), beside(q.here, f.right),
                      f8_select(f.above, f8_load(q.above), f8_load(q.below)),
                      f8_select(f.above, beside(q.above, f.right), beside(q.below, f.right)) };
}

TARN_INLINE TarnF8 sample(Field q, Foot f)
{
    Corners c = corners(q, f);
    return (c.q00 + (f.a * (c.q10 - c.q00) + f.b * (c.q01 - c.q00))) +
           (f.a * f.b) * ((c.q00 + c.q11) - (c.q10 + c.q01));
}

// Where the water at a face goes in the time that k stands for (negative: was), by the midpoint rule.
// q: the speed through the faces; other: the mean of the other speed there.
TARN_INLINE Foot trace(Field q, Field other, bool is_u, float k)
{
    TarnF8 own = (0.5f * k) * f8_load(q.here), side = (0.5f * k) * f8_load(other.here);
    Foot half = is_u ? foot_at(own, side) : foot_at(side, own);
    own = k * sample(q, half), side = k * sample(other, half);
    return is_u ? foot_at(own, side) : foot_at(side, own);
}

// x, kept within the values that a foot lies between. With no way to go in x or z it does not matter what
// lies there.
TARN_INLINE TarnF8 within(TarnF8 x, Field q, Foot f)
{
    Corners c = corners(q, f);
    TarnI8 goes_x = f8_less(f8_set(0.0f), f.a), goes_z = f8_less(f8_set(0.0f), f.b);
    TarnF8 q10 = f8_select(goes_x, c.q10, c.q00), q01 = f8_select(goes_z, c.q01, c.q00);
    TarnF8 q11 = f8_select(goes_x, f8_select(goes_z, c.q11, q10), q01);
    TarnF8 lo = f8_min(f8_min(c.q00, q11), f8_min(q10, q01));
    TarnF8 hi = f8_max(f8_max(c.q00, q11), f8_max(q10, q01));
    return f8_min(hi, f8_max(lo, x));
}

// ---- Rows ---------------------------------------------------------------------------------------

// Scratch rows of one run, indexed by column i: the mean of w at faces of u and of u at faces of w, of
// rows k - 1, k, k + 1; the least depth around the faces of u and of w.
enum { ADVECT_ROWS = 8 };
_Static_assert((int)ADVECT_ROWS <= (int)SHALLOW_ROWS, "the sweep's scratch is used");
typedef struct Rows {
    float *w_at_u[3], *u_at_w[3];
    float *low_u, *low_w;
} Rows;

static Rows make_rows(float* scratch, int length, int i0)
{
    float* row[ADVECT_ROWS];
    for (int r = 0; r < ADVECT_ROWS; ++r) row[r] = scratch + r * length + 16 - i0;
    return (Rows){ { row[0], row[1], row[2] }, { row[3], row[4], row[5] }, row[6], row[7] };
}

// The means of row k become the last of three.
static void mean_row(const ShallowCarry* m, Rows* r, int i0, int end, int k)
{
    ptrdiff_t up = m->stride;
    const float *u = m->u + k * up, *w = m->w + k * up;
    float *w_at_u = r->w_at_u[0], *u_at_w = r->u_at_w[0];
    for (int i = i0 - TARN_LANES; i < end + TARN_LANES; i += TARN_LANES) {
        f8_store(w_at_u + i, 0.25f * ((f8_load(w + i - 1) + f8_load(w + i)) +
                                      (f8_load(w + i + up - 1) + f8_load(w + i + up))));
        f8_store(u_at_w + i, 0.25f * ((f8_load(u + i - up) + f8_load(u + i)) +
                                      (f8_load(u + i + 1 - up) + f8_load(u + i + 1))));
    }
    r->w_at_u[0] = r->w_at_u[1], r->w_at_u[1] = r->w_at_u[2], r->w_at_u[2] = w_at_u;
    r->u_at_w[0] = r->u_at_w[1], r->u_at_w[1] = r->u_at_w[2], r->u_at_w[2] = u_at_w;
}

TARN_INLINE Field mean_at(float* const rows[3], int i)
{
    return (Field){ rows[0] + i, rows[1] + i, rows[2] + i };
}

static int last_vector(int i0, int i1) // one past it
{
    return i0 + (i1 - i0 + TARN_LANES - 1) / TARN_LANES * TARN_LANES;
}

// ---- Carry --------------------------------------------------------------------------------------

// Faces without flow stay so: those on dry land.
TARN_INLINE void carry_faces(float* out, Field q, Field other, bool is_u, float k)
{
    TarnF8 now = f8_load(q.here);
    TarnI8 flows = f8_less(f8_set(0.0f), f8_abs(now));
    if (i8_mask_bits(flows) != 0) now = f8_select(flows, sample(q, trace(q, other, is_u, -k)), now);
    f8_store(out, now);
}

static void carry(const ShallowCarry* m, int i0, int i1, int k0, int k1, float* scratch)
{
    Rows r = make_rows(scratch, m->scratch_row, i0);
    int end = last_vector(i0, i1);
    ptrdiff_t up = m->stride;
    mean_row(m, &r, i0, end, k0 - 1);
    mean_row(m, &r, i0, end, k0);
    for (int k = k0; k < k1; ++k) {
        mean_row(m, &r, i0, end, k + 1);
        for (int i = i0; i < end; i += TARN_LANES) {
            ptrdiff_t c = k * up + i;
            carry_faces(m->out_u + c, field_at(m->u, c, up), mean_at(r.w_at_u, i), true, m->k);
            carry_faces(m->out_w + c, field_at(m->w, c, up), mean_at(r.u_at_w, i), false, m->k);
        }
    }
}

// ---- Correct ------------------------------------------------------------------------------------

// Next to dry land and to edges the correction would reach over: the first guess stays. A face is deep if
// three cells on either side of it, and two along it, are wet and inside.

static void low_row(const ShallowCarry* m, const Rows* r, int i0, int end, int k)
{
    ptrdiff_t up = m->stride;
    const float* h = m->h + k * up;
    for (int i = i0 - TARN_LANES; i < end + TARN_LANES; i += TARN_LANES) {
        TarnF8 low = f8_min(f8_load(h + i - 2 * up), f8_load(h + i - up));
        low = f8_min(low, f8_min(f8_load(h + i), f8_load(h + i + up)));
        low = f8_min(low, f8_load(h + i + 2 * up));
        f8_store(r->low_u + i, low);
        f8_store(r->low_w + i, f8_min(low, f8_load(h + i - 3 * up)));
    }
}

TARN_INLINE TarnI8 are_deep(const ShallowCarry* m, const float* low, int i, bool is_u)
{
    TarnF8 least = f8_min(f8_load(low - 2), f8_load(low - 1));
    least = f8_min(least, f8_min(f8_load(low), f8_load(low + 1)));
    least = f8_min(least, f8_load(low + 2));
    if (is_u) least = f8_min(least, f8_load(low - 3));
    TarnI8 deep = f8_less(f8_set(m->dry), least);
    int first = is_u ? 3 : 2, end = m->nx - 2;
    if (!m->wraps_x && (i < first || i + TARN_LANES > end))
        deep &= (i8_lanes() >= first - i) & (i8_lanes() < end - i);
    return deep;
}

// The first guess, carried back again, shows its error: take half of it out, but stay within the values
// that it was made of.
TARN_INLINE void correct_faces(float* out, Field q, Field guess, Field other, TarnI8 deep,
                               bool is_u, float k)
{
    TarnF8 first = f8_load(guess.here), fixed = first;
    if (i8_mask_bits(deep) != 0) {
        TarnF8 back = sample(guess, trace(q, other, is_u, k));
        fixed = within(first + 0.5f * (f8_load(q.here) - back), q, trace(q, other, is_u, -k));
        fixed = f8_select(deep, fixed, first);
    }
    f8_store(out, fixed);
}

static void correct(const ShallowCarry* m, int i0, int i1, int k0, int k1, float* scratch)
{
    Rows r = make_rows(scratch, m->scratch_row, i0);
    int end = last_vector(i0, i1);
    ptrdiff_t up = m->stride;
    mean_row(m, &r, i0, end, k0 - 1);
    mean_row(m, &r, i0, end, k0);
    for (int k = k0; k < k1; ++k) {
        mean_row(m, &r, i0, end, k + 1);
        low_row(m, &r, i0, end, k);
        bool is_deep_u = m->wraps_z || (k >= 2 && k + 2 < m->nz);
        bool is_deep_w = m->wraps_z || (k >= 3 && k + 2 < m->nz);
        for (int i = i0; i < end; i += TARN_LANES) {
            ptrdiff_t c = k * up + i;
            TarnI8 none = i8_set(0);
            correct_faces(m->fix_u + c, field_at(m->u, c, up), field_at(m->out_u, c, up),
                          mean_at(r.w_at_u, i),
                          is_deep_u ? are_deep(m, r.low_u + i, i, true) : none, true, m->k);
            correct_faces(m->fix_w + c, field_at(m->w, c, up), field_at(m->out_w, c, up),
                          mean_at(r.u_at_w, i),
                          is_deep_w ? are_deep(m, r.low_w + i, i, false) : none, false, m->k);
        }
    }
}

const ShallowAdvectKernels TARN_KERNEL(tarn__shallow_advect_kernels) = { carry, correct };
