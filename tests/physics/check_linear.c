// Checks of the solvers of Poisson's and Helmholtz's equations: factors per cycle against measured ones of the same scheme,
// transforms against theory.

#include "check.h"
#include "linear/cosine.h"
#include "linear/helmholtz.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

typedef struct Box {
    PoissonDef def;
    Grid3 grid;
    void* memory;
    Multigrid* multigrid;
    CosinePlan* cosine;
    float *rhs, *p, *w[3];
} Box;

static void* block(size_t size)
{
    void* memory = aligned_alloc(64, (size + 63) / 64 * 64);
    memset(memory, 0, size);
    return memory;
}
static float* field(const Grid3* g)
{
    return (float*)block(tarn__grid3_floats(g) * sizeof(float)) + tarn__grid3_first(g);
}
static float* cell(const Box* b, float* f, int i, int j, int k)
{
    return f + tarn__grid3_at(&b->grid, i, j, k);
}

// Noise on the right.
static Box make(CheckRun* run, PoissonDef def, bool is_cosine)
{
    Box b = { .def = def, .grid = tarn__grid3(def.nx, def.ny, def.nz) };
    b.memory = block(is_cosine ? tarn__cosine_size(&b.grid) : tarn__multigrid_size(&def));
    if (is_cosine)
        b.cosine = tarn__cosine_place(run->ctx, &b.grid, b.memory);
    else
        b.multigrid = tarn__multigrid_place(run->ctx, &def, b.memory);
    b.rhs = field(&b.grid), b.p = field(&b.grid);
    for (int a = 0; a < 3; ++a) b.w[a] = field(&b.grid);
    uint64_t n = 0;
    for (int k = 0; k < def.nz; ++k)
        for (int j = 0; j < def.ny; ++j)
            for (int i = 0; i < def.nx; ++i)
                *cell(&b, b.rhs, i, j, k) = 2.0f * tarn__random01(3, 5, n++) - 1.0f;
    return b;
}
static void drop(Box* b)
{
    size_t first = tarn__grid3_first(&b->grid);
    free(b->memory), free(b->rhs - first), free(b->p - first);
    for (int a = 0; a < 3; ++a) free(b->w[a] - first);
}

static void close_sphere(Box* b, double radius)
{
    int n[3] = { b->def.nx, b->def.ny, b->def.nz };
    for (int a = 0; a < 3; ++a) {
        for (int k = 0; k < n[2]; ++k) {
            for (int j = 0; j < n[1]; ++j) {
                for (int i = 0; i < n[0]; ++i) {
                    double x = (i + 0.5 * (a != 0)) / n[0] - 0.47;
                    double y = (j + 0.5 * (a != 1)) / n[1] - 0.5;
                    double z = (k + 0.5 * (a != 2)) / n[2] - 0.53;
                    bool is_solid = x * x + y * y + z * z < radius * radius;
                    *cell(b, b->w[a], i, j, k) = is_solid ? 0.0f : 1.0f;
                }
            }
        }
    }
    tarn__multigrid_set_weights(b->multigrid, b->w[0], b->w[1], b->w[2]);
}

// Residual after a cycle over that before, the worse of the second and the third. Of noise; or of the longest wave
// along x, which is the slowest, where the third already shows rounding and does not count.
static double factor(CheckRun* run, int n, unsigned open, bool has_sphere, bool is_wave)
{
    PoissonDef def = { .nx = n, .ny = n, .nz = n, .has_weights = has_sphere };
    for (int e = 0; e < 6; ++e) def.edge[e] = open >> e & 1u ? POISSON_OPEN : POISSON_CLOSED;
    double left[3] = { 0 };
    Box b = make(run, def, false);
    if (has_sphere) close_sphere(&b, 0.23);
    for (int c = 0; c < n * n * n && is_wave; ++c)
        *cell(&b, b.rhs, c % n, c / n % n, c / n / n) = (float)cos(PI * (c % n + 0.5) / n);
    for (int r = 0; r < (is_wave ? 2 : 3); ++r) {
        MultigridResult result;
        float* first = b.p - tarn__grid3_first(&b.grid);
        memset(first, 0, tarn__grid3_floats(&b.grid) * sizeof(float));
        tarn__multigrid_solve(b.multigrid, b.rhs, b.p, 0.0f, r + 1, false, &result);
        left[r] = (double)result.residual;
    }
    drop(&b);
    return fmax(left[1] / left[0], left[2] / left[1]);
}

static void check_factors(CheckRun* run)
{
    double at[3];
    static const int n[3] = { 32, 64, 128 };
    for (int is_wave = 0; is_wave < 2; ++is_wave) {
        const char* what = is_wave ? "wave" : "noise";
        char name[48];
        for (int s = 0; s < 3; ++s) {
            snprintf(name, sizeof name, "linear.factor.%s.%d", what, n[s]);
            check_add(run, name, at[s] = factor(run, n[s], 0, false, is_wave), 0.0, 0.12);
        }
        double most = fmax(at[0], fmax(at[1], at[2])); // 1: it does not grow with the box
        snprintf(name, sizeof name, "linear.factor.%s.growth", what);
        check_add(run, name, most / at[0], 1.0, 0.2);
    }
    check_add(run, "linear.factor.open.64", factor(run, 64, 63, false, false), 0.0, 0.15);
    check_add(run, "linear.factor.open_top.64", factor(run, 64, 8, false, true), 0.0, 0.15);
    check_add(run, "linear.factor.sphere.64", factor(run, 64, 0, true, false), 0.0, 0.4);
    check_add(run, "linear.factor.sphere.wave.64", factor(run, 64, 0, true, true), 0.0, 0.4);
    check_add(run, "linear.factor.sphere.open_top.64", factor(run, 64, 8, true, false), 0.0, 0.4);
}

// One wave between closed faces: p = rhs / (2 cos - 2).
static void check_mode(CheckRun* run)
{
    PoissonDef def = { .nx = 64, .ny = 48, .nz = 40 };
    Box b = make(run, def, true);
    double waves[3] = { PI * 3 / 64, PI * 2 / 48, PI * 1 / 40 }, wave = 0.0;
    for (int a = 0; a < 3; ++a) wave += 2.0 * cos(waves[a]) - 2.0;
    for (int k = 0; k < 40; ++k)
        for (int j = 0; j < 48; ++j)
            for (int i = 0; i < 64; ++i)
                *cell(&b, b.rhs, i, j, k) =
                    (float)(cos(waves[0] * (i + 0.5)) * cos(waves[1] * (j + 0.5)) *
                            cos(waves[2] * (k + 0.5)));
    tarn__poisson_spectral(b.cosine, &def, b.rhs, b.p);
    double far = 0.0;
    for (int k = 0; k < 40; ++k)
        for (int j = 0; j < 48; ++j)
            for (int i = 0; i < 64; ++i)
                far = fmax(far, fabs((double)*cell(&b, b.p, i, j, k) * wave -
                                     (double)*cell(&b, b.rhs, i, j, k)));
    check_add(run, "linear.transform.mode", far, 0.0, 1e-5);
    drop(&b);
}

static double residual_of(const Box* b, double mean)
{
    double left = 0.0, all = 0.0;
    for (int k = 0; k < b->def.nz; ++k) {
        for (int j = 0; j < b->def.ny; ++j) {
            for (int i = 0; i < b->def.nx; ++i) {
                const float* c = cell(b, b->p, i, j, k);
                ptrdiff_t row = b->grid.row, slab = b->grid.slab;
                double lap = (double)c[-1] + (double)c[1] + (double)c[-row] + (double)c[row] +
                             (double)c[-slab] + (double)c[slab] - 6.0 * (double)c[0];
                double f = (double)*cell(b, b->rhs, i, j, k) - mean;
                left += (f - lap) * (f - lap), all += f * f;
            }
        }
    }
    return sqrt(left / all);
}

static void check_transforms(CheckRun* run)
{
    check_mode(run);
    PoissonDef def = { .nx = 96, .ny = 64, .nz = 80 };
    Box b = make(run, def, true);
    double mean = 0.0;
    for (int k = 0; k < def.nz; ++k)
        for (int j = 0; j < def.ny; ++j)
            for (int i = 0; i < def.nx; ++i) mean += (double)*cell(&b, b.rhs, i, j, k);
    mean /= 96.0 * 64.0 * 80.0;
    tarn__poisson_spectral(b.cosine, &def, b.rhs, b.p);
    check_add(run, "linear.transform.residual", residual_of(&b, mean), 0.0, 1e-5);
    Box m = make(run, def, false);
    MultigridResult result;
    tarn__multigrid_solve(m.multigrid, m.rhs, m.p, 0.0f, 20, true, &result);
    double far = 0.0, all = 0.0;
    for (int k = 0; k < def.nz; ++k) {
        for (int j = 0; j < def.ny; ++j) {
            for (int i = 0; i < def.nx; ++i) {
                double p = (double)*cell(&b, b.p, i, j, k), q = (double)*cell(&m, m.p, i, j, k);
                far += (p - q) * (p - q), all += p * p;
            }
        }
    }
    check_add(run, "linear.transform.multigrid", sqrt(far / all), 0.0, 1e-5);
    drop(&b), drop(&m);
}

// ---- Helmholtz's equation in the plane -------------------------------------------------------------------

typedef struct Sheet {
    HelmholtzDef def;
    void* memory;
    Helmholtz* h;
    float *mass, *ax, *az, *rhs, *d;
    int stride;
} Sheet;

// The same coefficient at all faces, noise on the right.
static Sheet sheet(CheckRun* run, int n, int edge, double alpha)
{
    Sheet s = { .def = { n, n, { 0 } }, .stride = n + 1 };
    memset(s.def.edge, edge, sizeof s.def.edge);
    s.memory = block(tarn__helmholtz_size(&s.def));
    s.h = tarn__helmholtz_place(run->ctx, &s.def, s.memory);
    size_t cells = (size_t)s.stride * (size_t)(n + 1);
    float** fields[5] = { &s.mass, &s.ax, &s.az, &s.rhs, &s.d };
    for (int f = 0; f < 5; ++f) *fields[f] = block(cells * sizeof(float));
    for (size_t c = 0; c < cells; ++c) {
        s.mass[c] = 1.0f;
        s.ax[c] = s.az[c] = (float)alpha;
        s.rhs[c] = 2.0f * tarn__random01(3, 5, (uint64_t)c) - 1.0f;
    }
    return s;
}
static void drop_sheet(Sheet* s)
{
    free(s->memory), free(s->mass), free(s->ax), free(s->az), free(s->rhs), free(s->d);
}
static HelmholtzResult solve_sheet(Sheet* s, float tolerance, int cycles)
{
    HelmholtzResult result;
    tarn__helmholtz_set(s->h, s->mass, s->ax, s->az, s->stride);
    tarn__helmholtz_solve(s->h, s->rhs, s->d, s->stride, tolerance, cycles, &result);
    return result;
}

// A hilly bed with islands: depths from 0 to alpha.
static void add_islands(Sheet* s, double alpha)
{
    for (int k = 0; k < s->def.nz; ++k) {
        for (int i = 0; i < s->def.nx; ++i) {
            double depth = sin(0.11 * i) * cos(0.07 * k) + sin(0.31 * k + 0.05 * i);
            int c = k * s->stride + i;
            s->mass[c] = depth > -0.7 ? 1.0f : 0.0f;
            s->ax[c] = s->az[c] = (float)(alpha * fmax(0.0, depth + 0.7) / 2.7);
        }
    }
}

// Mean factor per cycle to 1e-5.
static double sheet_factor(CheckRun* run, int n, int edge, double alpha, bool has_islands)
{
    Sheet s = sheet(run, n, edge, alpha);
    if (has_islands) add_islands(&s, alpha);
    HelmholtzResult r = solve_sheet(&s, 1e-5f, 50);
    drop_sheet(&s);
    return pow((double)r.residual, 1.0 / r.cycles);
}

// d = cos(pi x) cos(2 pi z) on the unit square with closed edges and a wave length that the grid resolves: the
// error of second order, at cell centers.
static double sheet_error(CheckRun* run, int n)
{
    double alpha = 0.02 * n * n;
    Sheet s = sheet(run, n, HELMHOLTZ_CLOSED, alpha);
    for (int c = 0; c < n * n; ++c) {
        double d = cos(PI * (c % n + 0.5) / n) * cos(2.0 * PI * (c / n + 0.5) / n);
        s.rhs[c / n * s.stride + c % n] = (float)(d * (1.0 + 0.02 * 5.0 * PI * PI));
    }
    solve_sheet(&s, 1e-6f, 50);
    double far = 0.0;
    for (int c = 0; c < n * n; ++c) {
        double d = cos(PI * (c % n + 0.5) / n) * cos(2.0 * PI * (c / n + 0.5) / n);
        far = fmax(far, fabs((double)s.d[c / n * s.stride + c % n] - d));
    }
    drop_sheet(&s);
    return far;
}

// What one cell does to another the other does to it.
static double sheet_asymmetry(CheckRun* run)
{
    Sheet s = sheet(run, 96, HELMHOLTZ_PERIODIC, 40.0);
    add_islands(&s, 40.0);
    int at[2] = { 30 * s.stride + 41, 38 * s.stride + 50 };
    double answer[2];
    for (int n = 0; n < 2; ++n) {
        memset(s.rhs, 0, (size_t)s.stride * 96 * sizeof(float));
        s.rhs[at[n]] = 1.0f;
        solve_sheet(&s, 1e-6f, 50);
        answer[n] = (double)s.d[at[1 - n]];
    }
    drop_sheet(&s);
    return answer[0] > 0.0 ? fabs(answer[0] / answer[1] - 1.0) : 1.0;
}

static void check_helmholtz(CheckRun* run)
{
    // 9.81: water of 100 m over cells of 1 m at 1/10 s.
    static const double alphas[3] = { 9.81, 981.0, 98100.0 };
    char name[64];
    for (int a = 0; a < 3; ++a) {
        snprintf(name, sizeof name, "linear.helmholtz.factor.256.alpha_%g", alphas[a]);
        double f = sheet_factor(run, 256, HELMHOLTZ_CLOSED, alphas[a], false);
        check_add(run, name, f, 0.0, 0.15);
    }
    double small = sheet_factor(run, 128, HELMHOLTZ_CLOSED, 981.0, false);
    double large = sheet_factor(run, 512, HELMHOLTZ_CLOSED, 981.0, false);
    check_add(run, "linear.helmholtz.factor.growth", large / small, 1.0, 0.2);
    check_add(run, "linear.helmholtz.factor.odd.255",
              sheet_factor(run, 255, HELMHOLTZ_CLOSED, 981.0, false), 0.0, 0.2);
    check_add(run, "linear.helmholtz.factor.open.256",
              sheet_factor(run, 256, HELMHOLTZ_OPEN, 981.0, false), 0.0, 0.2);
    check_add(run, "linear.helmholtz.factor.periodic.256",
              sheet_factor(run, 256, HELMHOLTZ_PERIODIC, 981.0, false), 0.0, 0.15);
    check_add(run, "linear.helmholtz.factor.islands.256",
              sheet_factor(run, 256, HELMHOLTZ_CLOSED, 981.0, true), 0.0, 0.4);
    check_add(run, "linear.helmholtz.order", log2(sheet_error(run, 16) / sheet_error(run, 32)), 2.0,
              0.1);
    check_add(run, "linear.helmholtz.symmetric", sheet_asymmetry(run), 0.0, 1e-4);
}

void check_linear(CheckRun* run, const char* group)
{
    if (strcmp(group, "linear.factor") == 0)
        check_factors(run);
    else if (strcmp(group, "linear.helmholtz") == 0)
        check_helmholtz(run);
    else
        check_transforms(run);
}
