// Elementary functions: error against the C library's double functions, special values, equal bits
// of scalar and eight-lane code for each instruction set, and one hash over all results that must
// come out the same from every compiler and machine. Plain main: it runs as WebAssembly too.

#include "base/base.h"
#include "base/maths.h"
#include "base/maths_kernels.h"
#include <float.h>
#include <stdbool.h>
#include <stdio.h>

// Update only with a reason: a new value means that results changed bits everywhere.
static const uint64_t expected_hash = 0xc24fe3a3afdac6f9;
static const double allowed_ulp = 0.5001; // the promise of maths.h

enum { STEP = 1021, RANDOM_PAIRS = 400000, CHUNK = 4096 };

static uint64_t hash = 0xcbf29ce484222325u; // FNV-1a over the bytes of all results
static int failures;

typedef float Fn1(float);
typedef float Fn2(float, float);
typedef double Ref1(double);
typedef double Ref2(double, double);
typedef void Kernel1(const float*, float*, int);
typedef void Kernel2(const float*, const float*, float*, int);

typedef float Exact[3]; // x, y, result

typedef struct Function { // of one argument or of two, the other three pointers are NULL
    const char* name;
    Fn1* f1;
    Ref1* ref1;
    Kernel1* k1[TARN_ISA_COUNT]; // of each instruction set that this machine has, else NULL
    Fn2* f2;
    Ref2* ref2;
    Kernel2* k2[TARN_ISA_COUNT];
    const Exact* exact;
    int n_exact;
    int n; // waiting in x, y
    long count;
    double worst;
    float worst_x, worst_y;
    float x[CHUNK], y[CHUNK];
} Function;

static uint32_t to_bits(float f)
{
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    return u;
}
static float from_bits(uint32_t u)
{
    float f;
    memcpy(&f, &u, sizeof f);
    return f;
}

static void fail(const Function* f, const char* what, float x, float y, float got, double want)
{
    if (++failures > 20) return;
    printf("FAIL %s: %s, x %a (%08x) y %a (%08x): got %a (%08x), want %a\n", f->name, what, x,
           to_bits(x), y, to_bits(y), got, to_bits(got), want);
}

// In units of the last place of a float at want. Infinity counts as 2^128.
static double ulp_error(float got, double want)
{
    double g = isinf(got) ? copysign(0x1p128, got) : got;
    double w = fabs(want) > 0x1p128 ? copysign(0x1p128, want) : want;
    int e = -126;
    if (fabs(w) >= FLT_MIN) {
        frexp(w, &e);
        e = e - 1 > 127 ? 127 : e - 1;
    }
    return ldexp(fabs(g - w), 23 - e);
}

static void check(Function* f, float x, float y, float got)
{
    for (int i = 0; i < 4; ++i) hash = (hash ^ (to_bits(got) >> 8 * i & 255)) * 0x100000001b3u;
    double want = f->f1 ? f->ref1(x) : f->ref2(x, y);
    ++f->count;
    if (isnan(want) || isnan(got)) {
        if (!isnan(want) || to_bits(got) != 0x7fc00000) fail(f, "NaN", x, y, got, want);
        return;
    }
    if (!signbit(got) != !signbit(want)) fail(f, "sign", x, y, got, want);
    double error = ulp_error(got, want);
    if (!(error <= allowed_ulp)) fail(f, "accuracy", x, y, got, want);
    if (error > f->worst) {
        f->worst = error;
        f->worst_x = x;
        f->worst_y = y;
    }
}

static void flush(Function* f)
{
    static float got[CHUNK], wide[CHUNK];
    for (int i = f->n; i % TARN_LANES; ++i) f->x[i] = f->y[i] = 1.0f; // to whole vectors
    int n = (f->n + TARN_LANES - 1) / TARN_LANES * TARN_LANES;
    for (int i = 0; i < n; ++i) got[i] = f->f1 ? f->f1(f->x[i]) : f->f2(f->x[i], f->y[i]);
    for (int k = 0; k < TARN_ISA_COUNT; ++k) {
        if (f->k1[k] == NULL && f->k2[k] == NULL) continue;
        if (f->f1)
            f->k1[k](f->x, wide, n);
        else
            f->k2[k](f->x, f->y, wide, n);
        for (int i = 0; i < n; ++i)
            if (to_bits(got[i]) != to_bits(wide[i]))
                fail(f, tarn_isa_name((TarnIsa)k), f->x[i], f->y[i], wide[i], got[i]);
    }
    for (int i = 0; i < f->n; ++i) check(f, f->x[i], f->y[i], got[i]);
    f->n = 0;
}

static void feed(Function* f, float x, float y)
{
    f->x[f->n] = x;
    f->y[f->n] = y;
    if (++f->n == CHUNK) flush(f);
}

// ---- Arguments ---------------------------------------------------------------------------------

// Where something happens; each is tried with both signs and with three neighbors on either side.
// 0x1.f37c8ap95 is of all floats the nearest to a multiple of pi/2: 2^-29 away.
static const float points[] = {
    0.0f,        0x1p-149f,   0x1p-127f,   FLT_MIN,     0x1p-60f,     0x1p-26f,    0x1p-12f,
    0.1f,        0.25f,       0.5f,        0.70710677f, 1.0f,         1.41421354f, 2.0f,
    2.5f,        3.0f,        4.0f,        5.0f,        0.414213562f, 2.41421356f, 0.785398163f,
    1.57079633f, 3.14159265f, 6.28318531f, 9.01091385f, 20.0f,        88.7228394f, 87.3365479f,
    103.972084f, 103.278929f, 127.0f,      128.0f,      149.0f,       150.0f,      1e3f,
    0x1p20f,     0x1p23f,     0x1p24f,     0x1p25f,     0x1p31f,      0x1p52f,     0x1.f37c8ap95f,
    1e30f,       FLT_MAX,     INFINITY,    NAN
};
enum { N_POINTS = sizeof points / sizeof points[0] };

static float neighbor(int i) // of all 2 * 7 * N_POINTS
{
    uint32_t u = to_bits(points[i / 14]) + (uint32_t)(i / 2 % 7) - 3;
    return from_bits((u & 0x7fffffff) | (uint32_t)i << 31);
}

static uint32_t random_bits(uint32_t counter)
{
    uint64_t z = (counter + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (uint32_t)(z >> 32);
}

static void sweep1(Function* f)
{
    for (uint64_t u = 0; u < 0x100000000u; u += STEP) feed(f, from_bits((uint32_t)u), 0.0f);
    for (int i = 0; i < 14 * N_POINTS; ++i) feed(f, neighbor(i), 0.0f);
    for (int k = 1; k < 20000; ++k) { // next to the multiples of pi/2, and these times 2^j
        float x = (float)(k * 1.5707963267948966);
        for (int j = -1; j <= 1; ++j) feed(f, from_bits(to_bits(x) + (uint32_t)j), 0.0f);
        feed(f, x * ldexpf(1.0f, k % 110), 0.0f);
    }
    flush(f);
}

static void sweep2(Function* f)
{
    for (int i = 0; i < 14 * N_POINTS; ++i)
        for (int j = 0; j < 14 * N_POINTS; ++j) feed(f, neighbor(i), neighbor(j));
    for (int i = -40; i <= 40; ++i) // small integers and halves
        for (int j = -40; j <= 40; ++j) feed(f, 0.5f * (float)i, 0.5f * (float)j);
    for (uint32_t i = 0; i < RANDOM_PAIRS; ++i) {
        uint32_t a = random_bits(2 * i), b = random_bits(2 * i + 1);
        float x = from_bits(a);
        feed(f, x, from_bits(b));                                     // anything
        feed(f, x, from_bits((a & 0x7f800000) + (b & 0x80ffffff)));   // of like size
        float near_one = from_bits(0x3f000000 + (a & 0xffffff));      // in [0.5, 2)
        float z = (float)(b & 0xffff) * (290.0f / 65536.0f) - 155.0f; // x^y from 2^-155 to 2^135
        feed(f, fabsf(x), z * 0.693147181f / tarn_log(fabsf(x)));
        feed(f, near_one, z * 0.693147181f / tarn_log(near_one));
    }
    flush(f);
}

// ---- Values that must be exact -----------------------------------------------------------------

// x, y, result. Functions of one argument do not look at y.
#define INF  INFINITY
#define PI   3.14159265f
#define TINY 0x1p-149f // the smallest subnormal

// clang-format off
static const Exact sin_exact[] = {
    { -0.0f, 0, -0.0f }, { TINY, 0, TINY }, { INF, 0, NAN }, { FLT_MAX, 0, -0.52187652f },
    { NAN, 0, NAN },
};
static const Exact cos_exact[] = {
    { -0.0f, 0, 1 }, { -INF, 0, NAN }, { FLT_MAX, 0, 0.85302104f }, { NAN, 0, NAN },
};
static const Exact tan_exact[] = {
    { -0.0f, 0, -0.0f }, { -TINY, 0, -TINY }, { INF, 0, NAN },
};
static const Exact exp_exact[] = {
    { 0, 0, 1 }, { -0.0f, 0, 1 }, { INF, 0, INF }, { -INF, 0, 0 }, { 89, 0, INF }, { -104, 0, 0 },
    { -103.5f, 0, TINY }, { NAN, 0, NAN },
};
static const Exact log_exact[] = {
    { 1, 0, 0 }, { 0, 0, -INF }, { -0.0f, 0, -INF }, { INF, 0, INF }, { -1, 0, NAN },
    { -TINY, 0, NAN }, { -INF, 0, NAN }, { TINY, 0, -103.27893f },
};
static const Exact tanh_exact[] = {
    { -0.0f, 0, -0.0f }, { INF, 0, 1 }, { -INF, 0, -1 }, { TINY, 0, TINY }, { NAN, 0, NAN },
};
// first y, then x
static const Exact atan2_exact[] = {
    { 0, 1, 0 }, { -0.0f, 1, -0.0f }, { 0, -1, PI }, { -0.0f, -1, -PI }, { 0, 0, 0 },
    { -0.0f, 0, -0.0f }, { 0, -0.0f, PI }, { -0.0f, -0.0f, -PI }, { 1, 0, PI / 2 },
    { -1, -0.0f, -PI / 2 }, { 1, INF, 0 }, { -1, INF, -0.0f }, { 1, -INF, PI }, { INF, 1, PI / 2 },
    { -INF, -1, -PI / 2 }, { INF, INF, PI / 4 }, { INF, -INF, 0.75f * PI },
    { -INF, -INF, -0.75f * PI }, { NAN, 0, NAN }, { 0, NAN, NAN }, { INF, NAN, NAN },
};
static const Exact pow_exact[] = {
    { 0, 0, 1 }, { NAN, 0, 1 }, { NAN, -0.0f, 1 }, { 1, NAN, 1 }, { 1, INF, 1 }, { -1, INF, 1 },
    { -1, -INF, 1 }, { -1, NAN, NAN }, { NAN, 1, NAN }, { 0, 3, 0 }, { -0.0f, 3, -0.0f },
    { -0.0f, 2, 0 }, { -0.0f, 0.5f, 0 }, { 0, -3, INF }, { -0.0f, -3, -INF }, { -0.0f, -2, INF },
    { -0.0f, -INF, INF }, { 0, INF, 0 }, { 0.5f, INF, 0 }, { -0.5f, -INF, INF }, { 2, INF, INF },
    { -2, -INF, 0 }, { INF, 1, INF }, { INF, -1, 0 }, { -INF, 3, -INF }, { -INF, 2, INF },
    { -INF, 0.5f, INF }, { -INF, -3, -0.0f }, { -INF, -0.5f, 0 }, { -2, 3, -8 }, { -2, -2, 0.25f },
    { -2, 0.5f, NAN }, { 2, -149, TINY }, { -2, -149, -TINY }, { 2, 127, 0x1p127f },
    { 2, 128, INF }, { -2, 16777215, -INF }, { 3, 5, 243 }, { 9, 0.5f, 3 }, { 10, 10, 1e10f },
    { 2, -151, 0 }, { TINY, 1, TINY },
};
// clang-format on

static void check_exact(const Function* f)
{
    for (int i = 0; i < f->n_exact; ++i) {
        const float* e = f->exact[i];
        float got = f->f1 ? f->f1(e[0]) : f->f2(e[0], e[1]);
        uint32_t want = isnan(e[2]) ? 0x7fc00000 : to_bits(e[2]);
        if (to_bits(got) != want) fail(f, "exact value", e[0], e[1], got, e[2]);
    }
}

static void check_sincos(void)
{
    for (uint32_t i = 0; i < 100000; ++i) {
        float x = from_bits(random_bits(i)), s, c;
        tarn_sincos(x, &s, &c);
        if (to_bits(s) == to_bits(tarn_sin(x)) && to_bits(c) == to_bits(tarn_cos(x))) continue;
        ++failures;
        printf("FAIL sincos(%g)\n", x);
    }
}

// ---- Helpers -----------------------------------------------------------------------------------

static void expect(bool is_true, const char* what)
{
    if (is_true) return;
    ++failures;
    printf("FAIL %s\n", what);
}

static bool near3(TarnVec3 a, TarnVec3 b)
{
    return vec3_length(vec3_sub(a, b)) < 1e-6f;
}

static void check_helpers(void)
{
    TarnVec3 x = { 1, 0, 0 }, y = { 0, 1, 0 }, z = { 0, 0, 1 }, v = { 0.3f, -0.4f, 1.2f };
    TarnVec3 zero = { 0, 0, 0 }, huge = { 3e38f, 0, 0 };
    TarnQuat about_y = quat_from_axis_angle(vec3_scale(y, 5.0f), PI / 2);
    TarnQuat about_x = quat_from_axis_angle(x, PI / 2);
    TarnQuat none = { 0, 0, 0, 1 };
    expect(tarn_minf(NAN, 1) == 1 && isnan(tarn_minf(1, NAN)), "minf takes the second");
    expect(tarn_maxf(NAN, 1) == 1 && tarn_maxf(2, 1) == 2, "maxf takes the second");
    expect(tarn_clampf(NAN, 2, 3) == 2 && tarn_clampf(9, 2, 3) == 3, "clampf");
    expect(near3(vec3_cross(x, y), z) && vec3_dot(v, v) > 1.68f, "cross, dot");
    expect(fabsf(vec3_length(v) - 1.3f) < 1e-6f && vec3_length(huge) == 3e38f, "length");
    expect(near3(vec3_normalize(huge), x) && vec3_length(vec3_normalize(zero)) == 0, "normalize");
    expect(near3(vec3_normalize((TarnVec3){ TINY, 0, 0 }), x), "normalize a denormal");
    expect(near3(quat_rotate(about_y, z), x), "turn z about y");
    expect(near3(quat_rotate_inverse(about_y, quat_rotate(about_y, v)), v), "there and back");
    expect(near3(quat_rotate(quat_multiply(about_x, about_y), v),
                 quat_rotate(about_x, quat_rotate(about_y, v))),
           "first b, then a");
    TarnQuat bad[4] = { { 0 }, { NAN, 0, 0, 1 }, { INFINITY, 0, 0, 1 }, none };
    bad[3] = quat_from_axis_angle(zero, 1.0f);
    for (int i = 0; i < 4; ++i) {
        TarnQuat q = quat_normalize(bad[i]);
        expect(memcmp(&q, &none, sizeof q) == 0, "a quaternion without direction");
    }
}

// ------------------------------------------------------------------------------------------------

static void test(Function* f)
{
    if (f->f1)
        sweep1(f);
    else
        sweep2(f);
    check_exact(f);
    printf("%-6s %8ld arguments, largest error %.7f ulp at %a", f->name, f->count, f->worst,
           f->worst_x);
    if (f->f2) printf(", %a", f->worst_y);
    printf("\n");
}

#define EXACT(table) .exact = table, .n_exact = sizeof table / sizeof table[0]

int main(void)
{
    static Function functions[] = {
        { .name = "sin", .f1 = tarn_sin, .ref1 = sin, EXACT(sin_exact) },
        { .name = "cos", .f1 = tarn_cos, .ref1 = cos, EXACT(cos_exact) },
        { .name = "tan", .f1 = tarn_tan, .ref1 = tan, EXACT(tan_exact) },
        { .name = "exp", .f1 = tarn_exp, .ref1 = exp, EXACT(exp_exact) },
        { .name = "log", .f1 = tarn_log, .ref1 = log, EXACT(log_exact) },
        { .name = "tanh", .f1 = tarn_tanh, .ref1 = tanh, EXACT(tanh_exact) },
        { .name = "atan2", .f2 = tarn_atan2, .ref2 = atan2, EXACT(atan2_exact) },
        { .name = "pow", .f2 = tarn_pow, .ref2 = pow, EXACT(pow_exact) },
    };
    for (int k = TARN_ISA_BASELINE; k < TARN_ISA_COUNT; ++k) {
        if (!tarn__isa_is_supported((TarnIsa)k)) continue;
        printf("eight lanes of %s\n", tarn_isa_name((TarnIsa)k));
        const TarnMathKernels* t = TARN_KERNELS_PICK((TarnIsa)k, tarn__math_kernels);
        Kernel1* const one[6] = { t->sin8, t->cos8, t->tan8, t->exp8, t->log8, t->tanh8 };
        for (int i = 0; i < 6; ++i) functions[i].k1[k] = one[i];
        functions[6].k2[k] = t->atan28;
        functions[7].k2[k] = t->pow8;
    }
    for (int i = 0; i < 8; ++i) test(&functions[i]);
    check_sincos();
    check_helpers();

    printf("hash %016llx\n", (unsigned long long)hash);
    expect(hash == expected_hash, "the hash is not the expected one: some result changed bits");
    printf("%s\n", failures ? "FAILED" : "ok");
    return failures != 0;
}
