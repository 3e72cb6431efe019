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
    size_t size = tarn__fft_size(n, 0);
    fix.memory = aligned_alloc(64, size);
    fix.fft = tarn__fft_place(fix.ctx, n, 0, fix.memory);
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

// Related fields: f, df/dz, and a second pair of a field and its negative. Spectra are those of real fields.
typedef struct Related {
    int n;
    FftField spectrum[2];
    FftField field[2]; // A and B of a transform
} Related;

static void fill(void* user, int first, float* const* base)
{
    const Related* r = user;
    for (int b = 0; b < 2; ++b) {
        for (int i = 0; i < r->n; ++i) {
            memcpy(base[b] + 16 * i, r->spectrum[b].re + i * r->n + first, 32);
            memcpy(base[b] + 16 * i + 8, r->spectrum[b].im + i * r->n + first, 32);
        }
    }
}
static void combine(void* user, int first, float* const* base, float* const* tiles)
{
    int n = ((const Related*)user)->n;
    for (int e = 0; e < 8 * n; ++e) {
        int x = e / 8, kz = first + e % 8, at = 16 * x + e % 8;
        for (int t = 0; t < 2; ++t) {
            float re = base[t][at], im = base[t][at + 8]; // of A
            float bre = t ? -re : -im * (float)kz, bim = t ? -im : re * (float)kz;
            float* row = tiles[t] + ((ptrdiff_t)(x / 8) * n + kz) * 16 + x % 8;
            row[0] = re - bim, row[8] = im + bre;
            if (kz == 0) continue;
            row += (n - 2 * kz) * 16;
            row[0] = re + bim, row[8] = bre - im;
        }
    }
}
static void take(void* user, int first, float* const* field)
{
    const Related* r = user;
    for (int t = 0; t < 2; ++t) {
        for (int i = 0; i < r->n; ++i) {
            memcpy(r->field[t].re + i * r->n + first, field[t] + 16 * i, 32);
            memcpy(r->field[t].im + i * r->n + first, field[t] + 16 * i + 8, 32);
        }
    }
}

// Spectra of random fields, 0 from some kz on.
static void random_spectra(Fixture* fix, int end, const FftField* to)
{
    int n = fix->n;
    float* from[2] = { plane(n), plane(n) };
    for (int f = 0; f < 2; ++f) randomize(from[f], n, 60 + (uint64_t)f);
    tarn__fft_forward_real(fix->fft, 2, (const float* const*)from, to);
    for (int i = 0; i < n * n; ++i) {
        int kz = i % n;
        if (kz < end || kz > n - end) continue;
        for (int f = 0; f < 2; ++f) to[f].re[i] = to[f].im[i] = 0.0f;
    }
    free(from[0]), free(from[1]);
}

static void run_related(int n, int n_groups)
{
    Fixture fix = make(n, 2, TARN_ISA_AUTO);
    Related r = { n, { field(n), field(n) }, { field(n), field(n) } };
    FftField slope = field(n);
    random_spectra(&fix, 8 * n_groups, r.spectrum);
    for (int i = 0; i < n * n; ++i) {
        float kz = (float)(i % n < n / 2 ? i % n : i % n - n);
        slope.re[i] = -kz * r.spectrum[0].im[i], slope.im[i] = kz * r.spectrum[0].re[i];
    }
    FftField spectra[4] = { r.spectrum[0], slope, r.spectrum[1], r.spectrum[1] };
    float* want[4] = { plane(n), plane(n), plane(n), plane(n) };
    tarn__fft_inverse_real(fix.fft, 4, spectra, want);
    void* memory = aligned_alloc(64, (tarn__fft_size(n, 2) + 63) / 64 * 64);
    FftRelated related = { 2, 2, n_groups, fill, combine, take, &r, { NULL } };
    for (int t = 0; t < 2; ++t)
        related.tiles[t] = aligned_alloc(64, sizeof(float) * 2 * (size_t)n * (size_t)n);
    tarn__fft_inverse_related(tarn__fft_place(fix.ctx, n, 2, memory), &related);
    double worst = 0.0, most = 0.0;
    for (int i = 0; i < n * n; ++i) {
        const float got[4] = { r.field[0].re[i], r.field[0].im[i], r.field[1].re[i],
                               -r.field[1].im[i] };
        for (int f = 0; f < 4; ++f) {
            worst = fmax(worst, fabs((double)got[f] - (double)want[f][i]));
            most = fmax(most, fabs((double)want[f][i]));
        }
    }
    assert_true(worst < 1e-6 * most);
    for (int f = 0; f < 4; ++f) free(want[f]);
    for (int t = 0; t < 2; ++t) drop(r.spectrum[t]), drop(r.field[t]), free(related.tiles[t]);
    drop(slope), free(memory);
    unmake(&fix);
}
static void test_related(void** state)
{
    (void)state;
    run_related(64, 4);
    run_related(256, 16);
    run_related(512, 5);
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
    assert_int_equal(tarn__fft_size(32, 0), 0);
    assert_int_equal(tarn__fft_size(2048, 0), 0);
    assert_int_equal(tarn__fft_size(96, 0), 0);
    assert_int_equal(tarn__fft_size(-64, 0), 0);
    assert_true(tarn__fft_size(1024, 0) > tarn__fft_size(64, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_sums), cmocka_unit_test(test_there_and_back),
        cmocka_unit_test(test_real_pairs),   cmocka_unit_test(test_related),
        cmocka_unit_test(test_same_bits),    cmocka_unit_test(test_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
