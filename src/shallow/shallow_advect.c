// Advection of the decks: u and w are carried along the flow. Semi-Lagrangian [Thuerey2008] looks back
// along the flow and takes what it finds there; MacCormack [Chentanez2010] corrects the error of that
// to second order, within the values that it was made of (ALGORITHMS: the sign and the reverse step
// as in [Selle2008], not as printed in the decks).
//
// Substeps are so short that the way back ends within the neighboring cell. Positions are offsets from
// a face, signed, so that mirrored and transposed flows give the same bits.

#include "shallow/shallow_kernels.h"
#include <math.h>

// Speed fields on their faces and the step along rows.
typedef struct Carry {
    TarnShallow* water;
    const float *u, *w;
    float *out_u, *out_w; // the first guess
    float *fix_u, *fix_w; // corrected; MacCormack only
    float k;              // dt / dx
} Carry;

// Four values around an offset of at most one cell, and their weights.
typedef struct Foot {
    ptrdiff_t x, z; // to the neighbors
    float a, b;     // how far towards them
} Foot;

static Foot foot_at(float dx, float dz, ptrdiff_t up)
{
    float a = fabsf(dx), b = fabsf(dz);
    return (Foot){ dx > 0.0f ? 1 : -1, dz > 0.0f ? up : -up, a < 1.0f ? a : 1.0f,
                   b < 1.0f ? b : 1.0f };
}

static float sample(const float* q, Foot f)
{
    float q00 = q[0], q10 = q[f.x], q01 = q[f.z], q11 = q[f.x + f.z];
    return (q00 + (f.a * (q10 - q00) + f.b * (q01 - q00))) +
           (f.a * f.b) * ((q00 + q11) - (q10 + q01));
}

// Mean of the other speed at a face: of w at a face of u, or the other way round. to: across the
// face's own axis, by: along the other's.
static float mean(const float* q, ptrdiff_t to, ptrdiff_t by)
{
    return 0.25f * ((q[-to] + q[0]) + (q[by - to] + q[by]));
}

static float sample_mean(const float* q, ptrdiff_t to, ptrdiff_t by, Foot f)
{
    float q00 = mean(q, to, by), q10 = mean(q + f.x, to, by), q01 = mean(q + f.z, to, by);
    float q11 = mean(q + f.x + f.z, to, by);
    return (q00 + (f.a * (q10 - q00) + f.b * (q01 - q00))) +
           (f.a * f.b) * ((q00 + q11) - (q10 + q01));
}

// Where the water at face c was before (sign -1) or will be (+1), by the midpoint rule.
static Foot trace(const Carry* m, ptrdiff_t c, bool is_u, float sign)
{
    ptrdiff_t up = m->water->stride;
    float k = sign * m->k, u, w;
    if (is_u) {
        u = m->u[c], w = mean(m->w + c, 1, up);
        Foot half = foot_at(0.5f * k * u, 0.5f * k * w, up);
        u = sample(m->u + c, half), w = sample_mean(m->w + c, 1, up, half);
    } else {
        w = m->w[c], u = mean(m->u + c, up, 1);
        Foot half = foot_at(0.5f * k * u, 0.5f * k * w, up);
        w = sample(m->w + c, half), u = sample_mean(m->u + c, up, 1, half);
    }
    return foot_at(k * u, k * w, up);
}

static float within(float x, const float* q, Foot f)
{
    // Only values that count: with no way to go in x or z it does not matter what lies there.
    ptrdiff_t dx = f.a > 0.0f ? f.x : 0, dz = f.b > 0.0f ? f.z : 0;
    float q00 = q[0], q10 = q[dx], q01 = q[dz], q11 = q[dx + dz];
    float lo = fminf(fminf(q00, q11), fminf(q10, q01)),
          hi = fmaxf(fmaxf(q00, q11), fmaxf(q10, q01));
    return x < lo ? lo : x > hi ? hi : x;
}

// Next to dry land and to edges the correction would reach over: the first guess stays.
static bool is_deep(const TarnShallow* water, int i, int k, bool is_u)
{
    int i0 = is_u ? i - 3 : i - 2, k0 = is_u ? k - 2 : k - 3; // as far on either side of the face
    if (i0 < 0 || k0 < 0 || i + 2 >= water->def.nx || k + 2 >= water->def.nz) return false;
    for (int z = k0; z <= k + 2; ++z) {
        for (int x = i0; x <= i + 2; ++x) {
            if (!(water->h[shallow_cell(water, x, z)] > water->dry_depth)) return false;
        }
    }
    return true;
}

// The first guess, carried back again, shows its error: take half of it out, but stay within the values
// that it was made of.
static float corrected(const Carry* m, ptrdiff_t c, bool is_u)
{
    const float *q = is_u ? m->u : m->w, *guess = is_u ? m->out_u : m->out_w;
    float back = sample(guess + c, trace(m, c, is_u, 1.0f));
    return within(guess[c] + 0.5f * (q[c] - back), q + c, trace(m, c, is_u, -1.0f));
}

static void carry_row(int tz, void* data)
{
    const Carry* m = data;
    const TarnShallow* water = m->water;
    int k1 = (tz + 1) * SHALLOW_TILE_Z < water->def.nz ? (tz + 1) * SHALLOW_TILE_Z : water->def.nz;
    for (int k = tz * SHALLOW_TILE_Z; k < k1; ++k) {
        for (int i = 0; i < water->def.nx; ++i) {
            ptrdiff_t c = (ptrdiff_t)shallow_cell(water, i, k);
            bool is_awake = water->awake[shallow_tile(water, i / SHALLOW_TILE_X, tz)];
            m->out_u[c] = m->u[c], m->out_w[c] = m->w[c];
            if (!is_awake) continue;
            if (m->u[c] != 0.0f) m->out_u[c] = sample(m->u + c, trace(m, c, true, -1.0f));
            if (m->w[c] != 0.0f) m->out_w[c] = sample(m->w + c, trace(m, c, false, -1.0f));
        }
    }
}

static void correct_row(int tz, void* data)
{
    const Carry* m = data;
    const TarnShallow* water = m->water;
    int k1 = (tz + 1) * SHALLOW_TILE_Z < water->def.nz ? (tz + 1) * SHALLOW_TILE_Z : water->def.nz;
    for (int k = tz * SHALLOW_TILE_Z; k < k1; ++k) {
        for (int i = 0; i < water->def.nx; ++i) {
            ptrdiff_t c = (ptrdiff_t)shallow_cell(water, i, k);
            m->fix_u[c] = is_deep(water, i, k, true) ? corrected(m, c, true) : m->out_u[c];
            m->fix_w[c] = is_deep(water, i, k, false) ? corrected(m, c, false) : m->out_w[c];
        }
    }
}

static void swap(float** a, float** b)
{
    float* t = *a;
    *a = *b;
    *b = t;
}

void tarn__shallow_advect(TarnShallow* water, float dt)
{
    Carry m = { .water = water,
                .u = water->u,
                .w = water->w,
                .out_u = water->u1,
                .out_w = water->w1,
                .k = dt / water->def.dx,
                .fix_u = water->u2,
                .fix_w = water->w2 };
    tarn__parallel_for(water->ctx, water->tiles_z, carry_row, &m);
    if (water->def.advection == TARN_ADVECTION_MACCORMACK) {
        tarn__parallel_for(water->ctx, water->tiles_z, correct_row, &m);
        swap(&water->u, &water->u2);
        swap(&water->w, &water->w2);
    } else {
        swap(&water->u, &water->u1);
        swap(&water->w, &water->w1);
    }
}
