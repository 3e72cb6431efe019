// Fourier transforms against sums over all elements, inverses, real pairs, hooks, workers and instruction sets.

#include "base/base.h"
#include "linear/fft.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

static const double TWO_PI = 6.283185307179586476925;

typedef struct Fixture {
    TarnContext* ctx;
    int n;
    void* memory;
    Fft* fft;
} Fixture;

static float* plane(int n)
{
    return aligned_alloc(64, (size_t)n * (size_t)n * sizeof(float));
}
static FftField field(int n)
{
    return (FftField){ plane(n), plane(n) };
}
static void drop(FftField f)
{
    free(f.re), free(f.im);
}
static void randomize(float* f, int n, uint64_t seed)
{
    for (int i = 0; i < n * n; ++i) f[i] = 2.0f * tarn__random01(seed, 0, (uint64_t)i) - 1.0f;
}

static Fixture make(int n, int workers, TarnIsa isa)
{
    TarnContextDef def = tarn_context_default_def();
    def.workers = workers;
    def.isa = isa;
    Fixture fix = { .n = n };
    assert_int_equal(tarn_context_create(&def, &fix.ctx), TARN_OK);
    size_t size = tarn__fft_size(n);
    fix.memory = aligned_alloc(64, size);
    fix.fft = tarn__fft_place(fix.ctx, n, fix.memory);
    return fix;
}
static void unmake(Fixture* fix)
{
    free(fix->memory);
    tarn_context_destroy(fix->ctx);
}

// One element by the definition; sign +1: inverse.
static void sum(const FftField* f, int n, int a, int b, double sign, double* re, double* im)
{
    *re = *im = 0.0;
    for (int u = 0; u < n; ++u) {
        for (int v = 0; v < n; ++v) {
            double angle = sign * TWO_PI * ((a * u + b * v) % n) / n;
            double c = cos(angle), s = sin(angle), x = f->re[u * n + v], y = f->im[u * n + v];
            *re += c * x - s * y, *im += c * y + s * x;
        }
    }
}

static void test_against_sums(void** state)
{
    (void)state;
    for (int n = FFT_MIN; n <= FFT_MAX; n *= 2) {
        Fixture fix = make(n, 1, TARN_ISA_AUTO);
        FftField from = field(n), to = field(n);
        randomize(from.re, n, 1), randomize(from.im, n, 2);
        for (int is_forward = 0; is_forward < 2; ++is_forward) {
            if (is_forward)
                tarn__fft_forward(fix.fft, 1, &from, &to);
            else
                tarn__fft_inverse(fix.fft, 1, &from, &to);
            double worst = 0.0;
            for (int i = 0; i < 7; ++i) {
                int a = (37 * i + 5 * i * i) % n, b = (n - 1 - 61 * i * i % n) % n;
                double re, im;
                // rows of `from` are the first axis; `to` has them as columns
                sum(&from, n, a, b, is_forward ? -1.0 : 1.0, &re, &im);
                worst = fmax(worst, fabs(to.re[b * n + a] - re));
                worst = fmax(worst, fabs(to.im[b * n + a] - im));
            }
            if (!(worst < 1e-6 * n)) print_error("n %d, forward %d: %g\n", n, is_forward, worst);
            assert_true(worst < 1e-6 * n); // of sums whose rms is 0.8 n
        }
        drop(from), drop(to);
        unmake(&fix);
    }
}

static void test_there_and_back(void** state)
{
    (void)state;
    enum { N_FIELDS = 3 };
    for (int n = FFT_MIN; n <= FFT_MAX; n *= 2) {
        Fixture fix = make(n, 2, TARN_ISA_AUTO);
        FftField a[N_FIELDS], b[N_FIELDS], c[N_FIELDS];
        for (int f = 0; f < N_FIELDS; ++f) {
            a[f] = field(n), b[f] = field(n), c[f] = field(n);
            randomize(a[f].re, n, 10 + (uint64_t)f), randomize(a[f].im, n, 20 + (uint64_t)f);
        }
        tarn__fft_forward(fix.fft, N_FIELDS, a, b);
        tarn__fft_inverse(fix.fft, N_FIELDS, b, c);
        for (int f = 0; f < N_FIELDS; ++f) {
            float worst = 0.0f, scale = 1.0f / (float)(n * n);
            for (int i = 0; i < n * n; ++i) {
                worst = fmaxf(worst, fabsf(c[f].re[i] * scale - a[f].re[i]));
                worst = fmaxf(worst, fabsf(c[f].im[i] * scale - a[f].im[i]));
            }
            assert_true(worst < 2e-6f);
            drop(a[f]), drop(b[f]), drop(c[f]);
        }
        unmake(&fix);
    }
}

static void test_real_pairs(void** state)
{
    (void)state;
    enum { N = 128, N_FIELDS = 4 };
    Fixture fix = make(N, 1, TARN_ISA_AUTO);
    float *a[N_FIELDS], *c[N_FIELDS];
    FftField b[N_FIELDS];
    for (int f = 0; f < N_FIELDS; ++f) {
        a[f] = plane(N), b[f] = field(N), c[f] = plane(N);
        randomize(a[f], N, 30 + (uint64_t)f);
    }
    tarn__fft_forward_real(fix.fft, N_FIELDS, (const float* const*)a, b);
    FftField whole = field(N), spectrum = field(N);
    for (int f = 0; f < N_FIELDS; ++f) {
        memcpy(whole.re, a[f], sizeof(float) * N * N);
        memset(whole.im, 0, sizeof(float) * N * N);
        tarn__fft_forward(fix.fft, 1, &whole, &spectrum);
        for (int i = 0; i < N * N; ++i) {
            assert_true(fabsf(spectrum.re[i] - b[f].re[i]) < 1e-6f * N);
            assert_true(fabsf(spectrum.im[i] - b[f].im[i]) < 1e-6f * N);
            int mirror = (N - i / N) % N * N + (N - i % N) % N; // Hermitian to the bit
            assert_true(b[f].re[i] == b[f].re[mirror] && b[f].im[i] == -b[f].im[mirror]);
        }
    }
    tarn__fft_inverse_real(fix.fft, N_FIELDS, b, c);
    for (int f = 0; f < N_FIELDS; ++f) {
        for (int i = 0; i < N * N; ++i) assert_true(fabsf(c[f][i] / (N * N) - a[f][i]) < 2e-6f);
        free(a[f]), drop(b[f]), free(c[f]);
    }
    drop(whole), drop(spectrum);
    unmake(&fix);
}

typedef struct Hooked {
    int n;
    FftField spectrum, field;
} Hooked;

static void fill(void* user, int f, int first, float* re, float* im)
{
    Hooked* h = (Hooked*)user + f;
    for (int i = 0; i < h->n; ++i) {
        memcpy(re + 8 * i, h->spectrum.re + i * h->n + first, 32);
        memcpy(im + 8 * i, h->spectrum.im + i * h->n + first, 32);
    }
}
static void take(void* user, int f, int first, float* re, float* im)
{
    Hooked* h = (Hooked*)user + f;
    for (int i = 0; i < h->n; ++i) {
        memcpy(h->field.re + i * h->n + first, re + 8 * i, 32);
        memcpy(h->field.im + i * h->n + first, im + 8 * i, 32);
    }
}

static void test_hooks(void** state)
{
    (void)state;
    for (int n = 256; n <= 512; n *= 2) { // two stages and three
        Fixture fix = make(n, 2, TARN_ISA_AUTO);
        Hooked h[2];
        FftField from[2], to[2], scratch[2];
        for (int f = 0; f < 2; ++f) {
            h[f] = (Hooked){ n, field(n), field(n) };
            from[f] = h[f].spectrum, to[f] = field(n), scratch[f] = field(n);
            randomize(from[f].re, n, 40 + (uint64_t)f), randomize(from[f].im, n, 50 + (uint64_t)f);
        }
        tarn__fft_inverse(fix.fft, 2, from, to);
        size_t bytes = sizeof(float) * (size_t)n * (size_t)n;
        for (int has_take = 0; has_take < 2; ++has_take) {
            FftHooks hooks = { fill, has_take ? take : NULL, h };
            tarn__fft_inverse_hooked(fix.fft, 2, &hooks, scratch);
            for (int f = 0; f < 2; ++f) {
                FftField got = has_take ? h[f].field : scratch[f];
                assert_memory_equal(got.re, to[f].re, bytes);
                assert_memory_equal(got.im, to[f].im, bytes);
            }
        }
        for (int f = 0; f < 2; ++f)
            drop(h[f].spectrum), drop(h[f].field), drop(to[f]), drop(scratch[f]);
        unmake(&fix);
    }
}

static void test_same_bits(void** state)
{
    (void)state;
    for (int n = FFT_MIN; n <= FFT_MAX; n *= 2) {
        FftField from = field(n), first = field(n), to = field(n);
        randomize(from.re, n, 3), randomize(from.im, n, 4);
        size_t bytes = sizeof(float) * (size_t)n * (size_t)n;
        bool has_first = false;
        for (int isa = TARN_ISA_BASELINE; isa <= TARN_ISA_AVX512; ++isa) {
            if (!tarn__isa_is_supported((TarnIsa)isa)) continue;
            for (int workers = 1; workers <= 3; workers += 2) {
                Fixture fix = make(n, workers, (TarnIsa)isa);
                tarn__fft_inverse(fix.fft, 1, &from, has_first ? &to : &first);
                if (has_first) {
                    assert_memory_equal(to.re, first.re, bytes);
                    assert_memory_equal(to.im, first.im, bytes);
                }
                has_first = true;
                unmake(&fix);
            }
        }
        drop(from), drop(first), drop(to);
    }
}

static void test_sizes(void** state)
{
    (void)state;
    assert_int_equal(tarn__fft_size(32), 0);
    assert_int_equal(tarn__fft_size(2048), 0);
    assert_int_equal(tarn__fft_size(96), 0);
    assert_int_equal(tarn__fft_size(-64), 0);
    assert_true(tarn__fft_size(1024) > tarn__fft_size(64));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_sums), cmocka_unit_test(test_there_and_back),
        cmocka_unit_test(test_real_pairs),   cmocka_unit_test(test_hooks),
        cmocka_unit_test(test_same_bits),    cmocka_unit_test(test_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
