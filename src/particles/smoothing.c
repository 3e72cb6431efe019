// Smoothing kernels in 2-D and 3-D, what of them lies behind a wall, and their sums over lattices.
//
// Method   poly6, spiky and viscosity [Mueller2003], cubic spline [Monaghan1992], Wendland's C2
//          [Wendland1995]; shapes f(q) of q = r / h, so that no power of h over- or underflows.
// Differs  from [Mueller2003]: also in 2-D. There the viscosity kernel is not the 3-D bracket with another
//          constant, whose Laplacian would have a term h / (2 r^3), but the one whose 2-D Laplacian is
//          linear: f = q^2/4 - q^3/9 - 5/36 - ln(q)/6.
// Checked  tests/unit/test_smoothing.c: integrals, gradients, Laplacians, walls and sums.
// Cost     for set-up and single values. Loops over neighbors have their own, eight at a time.

#include "particles/smoothing.h"
#include "base/maths.h"

static const double pi = 3.14159265358979323846;
static const double least_q = 1.0 / 4096.0;

static double norm(int kind, int dims) // integral of f over the unit ball is 1 / norm
{
    switch (kind) {
    case SMOOTHING_POLY6:
        return dims == 2 ? 4.0 / pi : 315.0 / (64.0 * pi);
    case SMOOTHING_SPIKY:
        return dims == 2 ? 10.0 / pi : 15.0 / pi;
    case SMOOTHING_VISCOSITY:
        return dims == 2 ? 40.0 / pi : 15.0 / (2.0 * pi);
    case SMOOTHING_CUBIC:
        return dims == 2 ? 40.0 / (7.0 * pi) : 8.0 / pi;
    default:
        return dims == 2 ? 7.0 / pi : 21.0 / (2.0 * pi);
    }
}

// ---- Shapes: q in [0, 1) -----------------------------------------------------------------------------

static double shape(int kind, int dims, double q)
{
    double p = 1.0 - q, a = 1.0 - q * q;
    switch (kind) {
    case SMOOTHING_POLY6:
        return a * a * a;
    case SMOOTHING_SPIKY:
        return p * p * p;
    case SMOOTHING_VISCOSITY:
        q = q > least_q ? q : least_q;
        if (dims == 3) return q * q * (1.0 - 0.5 * q) + 0.5 / q - 1.0;
        return q * q * (0.25 - q / 9.0) - 5.0 / 36.0 - (double)tarn_log((float)q) / 6.0;
    case SMOOTHING_CUBIC:
        return q <= 0.5 ? 6.0 * q * q * (q - 1.0) + 1.0 : 2.0 * p * p * p;
    default:
        return p * p * p * p * (4.0 * q + 1.0);
    }
}

static double slope(int kind, int dims, double q)
{
    double p = 1.0 - q, a = 1.0 - q * q;
    switch (kind) {
    case SMOOTHING_POLY6:
        return -6.0 * q * a * a;
    case SMOOTHING_SPIKY:
        return -3.0 * p * p;
    case SMOOTHING_VISCOSITY:
        q = q > least_q ? q : least_q;
        if (dims == 3) return q * (2.0 - 1.5 * q) - 0.5 / (q * q);
        return q * (0.5 - q / 3.0) - 1.0 / (6.0 * q);
    case SMOOTHING_CUBIC:
        return q <= 0.5 ? q * (18.0 * q - 12.0) : -6.0 * p * p;
    default:
        return -20.0 * q * p * p * p;
    }
}

// f'' + (dims - 1) f' / q.
static double laplacian(int kind, int dims, double q)
{
    double p = 1.0 - q, a = 1.0 - q * q, d = dims;
    switch (kind) {
    case SMOOTHING_POLY6:
        return -6.0 * a * (d - (d + 4.0) * q * q);
    case SMOOTHING_SPIKY:
        q = q > least_q ? q : least_q;
        return 6.0 * p - (d - 1.0) * 3.0 * p * p / q;
    case SMOOTHING_VISCOSITY:
        return dims == 3 ? 6.0 * p : p;
    case SMOOTHING_CUBIC:
        if (q <= 0.5) return 36.0 * q - 12.0 + (d - 1.0) * (18.0 * q - 12.0);
        return 12.0 * p - (d - 1.0) * 6.0 * p * p / q;
    default:
        return 60.0 * q * p * p - d * 20.0 * p * p * p;
    }
}

static double ratio(const Smoothing* s, float r)
{
    return fabs((double)r) / (double)s->h;
}
float tarn__smoothing_w(const Smoothing* s, float r)
{
    double q = ratio(s, r);
    return q < 1.0 ? (float)((double)s->w * shape(s->kind, s->dims, q)) : 0.0f;
}
float tarn__smoothing_dw(const Smoothing* s, float r)
{
    double q = ratio(s, r);
    return q < 1.0 ? (float)((double)s->dw * slope(s->kind, s->dims, q)) : 0.0f;
}
float tarn__smoothing_lap(const Smoothing* s, float r)
{
    double q = ratio(s, r);
    return q < 1.0 ? (float)((double)s->lap * laplacian(s->kind, s->dims, q)) : 0.0f;
}

// ---- Walls -------------------------------------------------------------------------------------------

// Gauss's four points on [-1, 1].
static const double gauss_at[4] = { -0.861136311594052575, -0.339981043584856265,
                                    0.339981043584856265, 0.861136311594052575 };
static const double gauss_weight[4] = { 0.347854845137453857, 0.652145154862546143,
                                        0.652145154862546143, 0.347854845137453857 };
typedef struct Panel {
    int kind, dims;
    double q; // distance of the plane
} Panel;

// Of the integral of f over the plane at distance q: a line in 2-D, where the substitution t = u^3 takes
// the logarithm and the corner at the middle of the cubic spline out; a disc in 3-D, with r dr instead
// of t dt.
static double plane_part(const Panel* p, double u)
{
    if (p->dims == 3) return 2.0 * pi * u * shape(p->kind, 3, u);
    double t = u * u * u;
    return 2.0 * 3.0 * u * u * shape(p->kind, 2, sqrt(p->q * p->q + t * t));
}

static double quadrature(const Panel* p, double from, double to, int panels)
{
    double sum = 0.0, half = 0.5 * (to - from) / panels;
    for (int i = 0; i < panels; ++i) {
        double middle = from + (2 * i + 1) * half;
        for (int g = 0; g < 4; ++g)
            sum += gauss_weight[g] * plane_part(p, middle + half * gauss_at[g]);
    }
    return half * sum;
}

static double cube_root(double x) // of 0 .. 1
{
    double y = 0.5 + 0.5 * x; // Newton's, from above
    for (int i = 0; i < 64 && x > 0.0; ++i) y -= (y - x / (y * y)) / 3.0;
    return x > 0.0 ? y : 0.0;
}

// Integral of the normalized kernel over the plane at distance q.
static double plane(int kind, int dims, double q)
{
    Panel p = { kind, dims, q };
    double middle = q < 0.5 ? 0.5 : q; // the cubic spline has a corner there: panels end at it
    if (dims == 3)
        return norm(kind, 3) * (quadrature(&p, q, middle, 8) + quadrature(&p, middle, 1.0, 8));
    double corner = cube_root(sqrt(middle * middle - q * q)), end = cube_root(sqrt(1.0 - q * q));
    return norm(kind, 2) * (quadrature(&p, 0.0, corner, 8) + quadrature(&p, corner, end, 8));
}

static void make_wall(Smoothing* s)
{
    const int steps = SMOOTHING_WALL_STEPS;
    const double dq = 1.0 / steps;
    double share[SMOOTHING_WALL_STEPS + 1];
    share[steps] = 0.0;
    s->wall_slope[steps] = 0.0f;
    for (int i = steps - 1; i >= 0; --i) {
        double part = 0.0;
        for (int g = 0; g < 4; ++g)
            part += gauss_weight[g] * plane(s->kind, s->dims, (i + 0.5 + 0.5 * gauss_at[g]) * dq);
        share[i] = share[i + 1] + 0.5 * dq * part;
        s->wall_slope[i] = (float)-plane(s->kind, s->dims, i * dq);
    }
    for (int i = 0; i <= steps; ++i) s->wall[i] = (float)(0.5 * share[i] / share[0]);
    // A cubic with a steeper end than three times its drop would not fall all the way [Fritsch1980]. Only
    // the last pieces, which hold next to nothing.
    for (int i = 0; i < steps; ++i) {
        float steepest = 3.0f * (s->wall[i + 1] - s->wall[i]) * (float)steps;
        s->wall_slope[i] = tarn_maxf(s->wall_slope[i], steepest);
    }
}

Smoothing tarn__smoothing(int kind, int dims, float h)
{
    double size = h, w = norm(kind, dims) / (dims == 3 ? size * size * size : size * size);
    Smoothing s = { .kind = kind, .dims = dims, .h = h };
    s.w = (float)w;
    s.dw = (float)(w / size);
    s.lap = (float)(w / (size * size));
    make_wall(&s);
    return s;
}

// Cubic between the entries, with their values and slopes: so the slope is the derivative of the share.
typedef struct WallPiece {
    float t;                           // 0 .. 1 within the piece
    float here, there, rise_0, rise_1; // values and slopes times the length of the piece
} WallPiece;

static WallPiece wall_piece(const Smoothing* s, float q) // q in [0, 1)
{
    float at = q * (float)SMOOTHING_WALL_STEPS;
    int i = (int)at < SMOOTHING_WALL_STEPS - 1 ? (int)at : SMOOTHING_WALL_STEPS - 1;
    const float dq = 1.0f / (float)SMOOTHING_WALL_STEPS;
    return (WallPiece){ at - (float)i, s->wall[i], s->wall[i + 1], dq * s->wall_slope[i],
                        dq * s->wall_slope[i + 1] };
}

float tarn__smoothing_wall(const Smoothing* s, float d)
{
    float q = fabsf(d) / s->h, share = 0.0f;
    if (q < 1.0f) {
        WallPiece p = wall_piece(s, q);
        float t = p.t, drop = p.there - p.here;
        float c2 = 3.0f * drop - 2.0f * p.rise_0 - p.rise_1, c3 = p.rise_0 + p.rise_1 - 2.0f * drop;
        share = ((c3 * t + c2) * t + p.rise_0) * t + p.here;
    }
    return d < 0.0f ? 1.0f - share : share;
}

float tarn__smoothing_wall_slope(const Smoothing* s, float d)
{
    float q = fabsf(d) / s->h;
    if (!(q < 1.0f)) return 0.0f;
    WallPiece p = wall_piece(s, q);
    float t = p.t, drop = p.there - p.here;
    float c2 = 3.0f * drop - 2.0f * p.rise_0 - p.rise_1, c3 = p.rise_0 + p.rise_1 - 2.0f * drop;
    float slope_q = ((3.0f * c3 * t + 2.0f * c2) * t + p.rise_0) * (float)SMOOTHING_WALL_STEPS;
    return tarn_minf(slope_q, 0.0f) / s->h;
}

// ---- Lattices ----------------------------------------------------------------------------------------

static double w_at(const Smoothing* s, double r2)
{
    double q = sqrt(r2) / (double)s->h;
    return q < 1.0 ? (double)s->w * shape(s->kind, s->dims, q) : 0.0;
}

double tarn__smoothing_lattice_sum(const Smoothing* s, float spacing)
{
    double sum = 0.0, h = s->h;
    if (!(spacing >= s->h / 64.0f)) spacing = s->h / 64.0f;
    if (s->dims == 2) { // rows sqrt(3)/2 a apart, every other shifted by a/2
        double a = (double)spacing * 1.07456993182354;
        int n = (int)(h / (0.866 * a)) + 1;
        for (int j = -n; j <= n; ++j) {
            for (int i = -2 * n; i <= 2 * n; ++i) {
                double x = a * (i + 0.5 * (j & 1)), y = a * 0.866025403784438647 * j;
                if (i != 0 || j != 0) sum += w_at(s, x * x + y * y);
            }
        }
        return sum;
    }
    double a = (double)spacing * 0.793700525984099737; // half the edge of a cube with four points
    int n = (int)(h / a) + 1;
    for (int k = -n; k <= n; ++k) {
        for (int j = -n; j <= n; ++j) {
            for (int i = -n; i <= n; ++i) { // the points with an even sum of coordinates
                bool is_point = ((i + j + k) & 1) == 0 && (i != 0 || j != 0 || k != 0);
                if (is_point) sum += w_at(s, a * a * (double)(i * i + j * j + k * k));
            }
        }
    }
    return sum;
}
