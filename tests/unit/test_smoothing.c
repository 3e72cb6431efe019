// Smoothing kernels: integrals, gradients, Laplacians, walls, lattices, by quadrature and differences.

#include "counting.h"
#include "particles/smoothing.h"
#include <math.h>

static const double pi = 3.14159265358979323846;
static const float sizes[] = { 1.0f, 0.025f, 3.0f };

static void for_all(void (*check)(const Smoothing* s))
{
    for (int kind = 0; kind < N_SMOOTHINGS; ++kind) {
        for (int dims = 2; dims <= 3; ++dims) {
            for (int n = 0; n < 3; ++n) {
                Smoothing s = tarn__smoothing(kind, dims, sizes[n]);
                check(&s);
            }
        }
    }
}

static void assert_near(double value, double wanted, double tolerance, const char* what,
                        const Smoothing* s)
{
    if (fabs(value - wanted) <= tolerance) return;
    print_error("%s of kernel %d, %d-D, h %g: %.9g, not %.9g\n", what, s->kind, s->dims,
                (double)s->h, value, wanted);
    fail();
}

// In units where h and the integral are 1.
static double w(const Smoothing* s, double q)
{
    return (double)tarn__smoothing_w(s, (float)(q * (double)s->h)) * pow((double)s->h, s->dims);
}
static double dw(const Smoothing* s, double q)
{
    return (double)tarn__smoothing_dw(s, (float)(q * (double)s->h)) *
           pow((double)s->h, s->dims + 1);
}
static double lap(const Smoothing* s, double q)
{
    return (double)tarn__smoothing_lap(s, (float)(q * (double)s->h)) *
           pow((double)s->h, s->dims + 2);
}

// ---- Integrals ---------------------------------------------------------------------------------------

static double ball(const Smoothing* s, double q) // surface of radius q times W
{
    return (s->dims == 3 ? 4.0 * pi * q * q : 2.0 * pi * q) * w(s, q);
}

static void check_integral(const Smoothing* s)
{
    const int n = 20000; // Simpson
    double sum = 0.0;
    for (int i = 1; i < n; ++i) sum += ball(s, (double)i / n) * (i % 2 ? 4.0 : 2.0);
    assert_near(sum / (3.0 * n), 1.0, 1e-6, "integral", s);
    assert_true(tarn__smoothing_w(s, s->h) == 0.0f && tarn__smoothing_dw(s, s->h) == 0.0f);
    assert_true(tarn__smoothing_w(s, 2.0f * s->h) == 0.0f && tarn__smoothing_lap(s, s->h) == 0.0f);
}

static void check_derivatives(const Smoothing* s)
{
    const double e = 1.0 / 512.0; // floats go in and out: a finer step would measure their rounding
    double scale = w(s, 0.25);
    for (double q = 0.1; q < 0.99; q += 0.0371) {
        if (s->kind == SMOOTHING_CUBIC && fabs(q - 0.5) < 2.0 * e)
            continue; // its third derivative jumps
        double up = w(s, q + e), here = w(s, q), down = w(s, q - e);
        double far_up = w(s, q + 2.0 * e), far_down = w(s, q - 2.0 * e);
        double first = (8.0 * (up - down) - (far_up - far_down)) / (12.0 * e);
        double second = (16.0 * (up + down) - (far_up + far_down) - 30.0 * here) / (12.0 * e * e);
        double got = dw(s, q);
        assert_true(got <= 0.0);
        assert_near(got, first, 2e-4 * scale, "slope", s);
        assert_near(lap(s, q), second + (s->dims - 1) * first / q, 0.2 * scale, "Laplacian", s);
    }
    for (double q = 0.0; q < 1.0; q += 0.001)
        assert_true(isfinite(w(s, q)) && isfinite(dw(s, q)) && isfinite(lap(s, q)));
}

// By the divergence theorem the Laplacian over a ball is the slope at its surface times the surface:
// exact, so this is the sharp test of the two against one another.
static void check_laplacian(const Smoothing* s)
{
    const double from = 0.125;
    for (double to = 0.2; to < 1.0; to += 0.15) {
        const int n = 4000;
        double sum = 0.0;
        for (int i = 0; i <= n; ++i) {
            double q = from + (to - from) * i / n, weight = i == 0 || i == n ? 1 : i % 2 ? 4 : 2;
            sum += weight * lap(s, q) * pow(q, s->dims - 1);
        }
        double inside = sum * (to - from) / (3.0 * n);
        double through = dw(s, to) * pow(to, s->dims - 1) - dw(s, from) * pow(from, s->dims - 1);
        assert_near(inside, through, 2e-3, "flow through a shell", s);
    }
}

static void test_integrals(void** state)
{
    (void)state;
    for_all(check_integral);
}
static void test_derivatives(void** state)
{
    (void)state;
    for_all(check_derivatives);
    for_all(check_laplacian);
}

// ---- Walls ---------------------------------------------------------------------------------------------

// The share of each shell beyond the plane: an arc in 2-D, a cap in 3-D. Another way than the tables'.
static double share_beyond(const Smoothing* s, double d)
{
    const int n = 4000;
    double sum = 0.0, u1 = sqrt(1.0 - d); // q = d + u^2: the arc begins as a square root
    for (int i = 0; i < n; ++i) {
        double u = u1 * (i + 0.5) / n, q = d + u * u;
        double part = s->dims == 3 ? 0.5 * (1.0 - d / q) : acos(d / q) / pi;
        sum += part * ball(s, q) * 2.0 * u;
    }
    return sum * u1 / n;
}

static void check_wall(const Smoothing* s)
{
    assert_true(fabsf(tarn__smoothing_wall(s, 0.0f) - 0.5f) < 1e-6f);
    assert_true(tarn__smoothing_wall(s, s->h) == 0.0f && tarn__smoothing_wall(s, -s->h) == 1.0f);
    assert_true(tarn__smoothing_wall(s, 1e6f) == 0.0f && tarn__smoothing_wall(s, -1e6f) == 1.0f);
    assert_true(tarn__smoothing_wall_slope(s, 1.5f * s->h) == 0.0f);
    float before = 1.0f;
    for (double d = -0.995; d < 1.0; d += 0.0107) {
        float at = (float)(d * (double)s->h);
        double share = d < 0.0 ? 1.0 - share_beyond(s, -d) : share_beyond(s, d);
        float got = tarn__smoothing_wall(s, at);
        assert_near(got, share, 1e-4, "wall", s);
        assert_true(got <= before);
        before = got;
        // The slope of the function itself, and of the quadrature.
        double e = 0.004, slope = (double)tarn__smoothing_wall_slope(s, at) * (double)s->h;
        double up = (double)tarn__smoothing_wall(s, (float)((d + e) * (double)s->h));
        double down = (double)tarn__smoothing_wall(s, (float)((d - e) * (double)s->h));
        bool is_sharp = s->kind == SMOOTHING_VISCOSITY && fabs(d) < 0.05; // a peak at the middle
        assert_near(slope, (up - down) / (2.0 * e), is_sharp ? 0.2 : 1e-2, "wall's slope", s);
        assert_true(slope <= 0.0);
    }
}

static void test_walls(void** state)
{
    (void)state;
    for_all(check_wall);
}

// ---- Lattices ------------------------------------------------------------------------------------------

// A lattice that is fine against h integrates the kernel: sum + W(0) is one point per spacing^dims.
static void check_fine_lattice(const Smoothing* s)
{
    if (s->kind == SMOOTHING_VISCOSITY) return; // W(0) is infinite
    float spacing = s->h / 12.0f;
    double sum = tarn__smoothing_lattice_sum(s, spacing) + (double)tarn__smoothing_w(s, 0.0f);
    assert_near(sum * pow((double)spacing, s->dims), 1.0, 2e-3, "lattice sum", s);
}

static void test_lattices(void** state)
{
    (void)state;
    for_all(check_fine_lattice);
    // Coarse ones by hand: six points at the distance a of the hexagon, twelve of the cube.
    Smoothing flat = tarn__smoothing(SMOOTHING_POLY6, 2, 1.0f);
    double a = 0.6 * sqrt(2.0 / sqrt(3.0));
    assert_near(tarn__smoothing_lattice_sum(&flat, 0.6f), 6.0 * w(&flat, a), 1e-5, "hexagon",
                &flat);
    Smoothing solid = tarn__smoothing(SMOOTHING_CUBIC, 3, 1.0f);
    a = 0.7 * cbrt(4.0) / sqrt(2.0);
    assert_near(tarn__smoothing_lattice_sum(&solid, 0.7f), 12.0 * w(&solid, a), 1e-5, "cube",
                &solid);
    assert_true(tarn__smoothing_lattice_sum(&solid, 2.0f) == 0.0);
    assert_true(isfinite(tarn__smoothing_lattice_sum(&flat, 0.0f)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_integrals),
        cmocka_unit_test(test_derivatives),
        cmocka_unit_test(test_walls),
        cmocka_unit_test(test_lattices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
