// Checks of the open sea: spectra, transforms, dispersion, time, queries, floating bodies.

#include "check.h"
#include "ocean/ocean_internal.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double TWO_PI = 6.283185307179586476925;
static const double G = 9.81;

static TarnOcean* make(CheckRun* run, const TarnOceanDef* def)
{
    TarnOcean* ocean;
    if (tarn_ocean_create(run->ctx, def, &ocean) != TARN_OK) {
        fprintf(stderr, "tarn: check: %s\n", tarn_last_error(run->ctx));
        exit(1);
    }
    return ocean;
}

// A wind over deep water, without foam.
static TarnOceanDef windy(int spectrum, float wind)
{
    TarnOceanDef def = tarn_ocean_default_def();
    def.size = 64, def.cascades = 1;
    def.depth = 1e4f;
    def.beaufort = -1, def.wind = wind, def.fetch = 1e5f;
    def.spectrum = spectrum;
    def.use_foam = def.use_velocity = false;
    return def;
}

static double mean_square(const TarnOceanCascade* c)
{
    double sum = 0.0;
    for (int i = 0; i < c->n * c->n; ++i)
        sum += pow((double)c->moved[i / c->n * c->row + i % c->n * c->stride + 1], 2.0);
    return sum / ((double)c->n * c->n);
}

// ---- Transforms ----------------------------------------------------------------------------------

// h(k, t) of the first cascade from the amplitudes, in full: rows of kx with kz fastest.
static void spectrum_of(const TarnOcean* o, double time, FftField to)
{
    const OceanCascade* c = &o->cascade[0];
    int n = o->def.size;
    for (int i = 0; i < n * n; ++i) {
        int ix = i / n < n / 2 ? i / n : i / n - n, iz = i % n < n / 2 ? i % n : i % n - n;
        to.re[i] = to.im[i] = 0.0f;
        if (ix == -n / 2 || iz == -n / 2) continue;
        bool is_mirror = iz < 0;
        if (is_mirror) ix = -ix, iz = -iz;
        OceanMode a, b;
        tarn__ocean_modes(o, c, ix, iz, &a, &b);
        double phase = 6.283185307179586 * (double)c->turns[ocean_at(n, ix, iz)] * time;
        double cs = cos(phase), sn = sin(phase), ar = a.re, ai = a.im, br = b.re, bi = b.im;
        to.re[i] = (float)((ar + br) * cs + (ai + bi) * sn);
        to.im[i] = (float)((ai - bi) * cs + (br - ar) * sn) * (is_mirror ? -1.0f : 1.0f);
    }
}

static void check_transforms(CheckRun* run)
{
    TarnOceanDef def = windy(TARN_OCEAN_JONSWAP, 10.0f);
    TarnOcean* o = make(run, &def);
    tarn_ocean_seek(o, 12.3);
    int n = def.size;
    size_t bytes = (size_t)n * (size_t)n * sizeof(float);
    FftField to = { aligned_alloc(64, bytes), aligned_alloc(64, bytes) };
    FftField from = { aligned_alloc(64, bytes), aligned_alloc(64, bytes) };
    spectrum_of(o, 12.3, from);
    void* memory = aligned_alloc(64, (tarn__fft_size(n, 0) + 63) / 64 * 64);
    tarn__fft_inverse(tarn__fft_place(run->ctx, n, 0, memory), 1, &from, &to);
    double re = 0.0, im = 0.0, spectrum = 0.0;
    for (int i = 0; i < n * n; ++i) {
        re += pow((double)to.re[i], 2.0), im = fmax(im, fabs((double)to.im[i]));
        spectrum += pow((double)from.re[i], 2.0) + pow((double)from.im[i], 2.0);
    }
    free(memory), free(from.re), free(from.im);
    TarnOceanCascade c;
    tarn_ocean_cascade(o, 0, &c);
    check_add(run, "ocean.transforms.imaginary", im / sqrt(re / n / n), 0.0, 1e-5);
    check_add(run, "ocean.transforms.parseval", mean_square(&c), spectrum, 1e-5);
    free(to.re), free(to.im);
    // All waves added up by the definition, at a few samples
    static TarnOceanWave waves[64 * 64];
    int n_waves = tarn_ocean_waves(o, 1e9f, waves, 64 * 64);
    double worst = 0.0;
    for (int s = 0; s < 5; ++s) {
        int i = 13 * s, k = 57 - 11 * s;
        double x = i * (double)c.length / n, z = k * (double)c.length / n, sum = 0.0;
        for (int w = 0; w < n_waves; ++w)
            sum += (double)waves[w].amplitude *
                   cos((double)waves[w].kx * x + (double)waves[w].kz * z -
                       (double)waves[w].frequency * 12.3 + (double)waves[w].phase);
        worst = fmax(worst, fabs(sum - (double)c.moved[c.row * k + c.stride * i + 1]));
    }
    check_add(run, "ocean.transforms.sum", worst / sqrt(mean_square(&c)), 0.0, 1e-4);
    tarn_ocean_destroy(o);
}

// ---- Heights -------------------------------------------------------------------------------------

static double height_of(int spectrum, float wind, float fetch, float depth)
{
    TarnOceanDef def = windy(spectrum, wind);
    def.fetch = fetch, def.depth = depth;
    OceanSea sea = tarn__ocean_sea(&def);
    return 4.0 * sqrt(tarn__ocean_m0(&sea));
}

// 4 sqrt(m0) of JONSWAP times the limit of [Bouws1985] in its usual form: w^2 h / 2 g for long waves, and no limit from
// w sqrt(h / g) = 2 on.
static double tma_height(double alpha, double wp, double depth)
{
    double sum = 0.0, step = wp * 1e-4;
    for (double w = 0.5 * step; w < 40.0 * wp; w += step) {
        double wh = w * sqrt(depth / G), off = (w - wp) / ((w <= wp ? 0.07 : 0.09) * wp);
        double limit = wh <= 1.0 ? 0.5 * wh * wh : wh < 2.0 ? 1.0 - 0.5 * pow(2.0 - wh, 2.0) : 1.0;
        sum += limit * alpha * G * G / pow(w, 5.0) * exp(-1.25 * pow(wp / w, 4.0)) *
               pow(3.3, exp(-0.5 * off * off)) * step;
    }
    return 4.0 * sqrt(sum);
}

static void check_heights(CheckRun* run)
{
    double u = 12.0, peak = 0.855 * G / u;
    check_add(run, "ocean.height.pierson_moskowitz",
              height_of(TARN_OCEAN_PIERSON_MOSKOWITZ, (float)u, 1e5f, 1e4f),
              4.0 * sqrt(0.0081 * G * G / (5.0 * pow(peak, 4.0))), 2e-3);
    check_add(run, "ocean.height.phillips", height_of(TARN_OCEAN_PHILLIPS, (float)u, 1e5f, 1e4f),
              0.18 * u * u / G, 3e-3);
    // JONSWAP has 1.525 times the variance of its PM with the same level and peak.
    double alpha = 0.076 * pow(u * u / (1e5 * G), 0.22),
           wp = 22.0 * pow(G * G / (u * 1e5), 1.0 / 3.0);
    check_add(run, "ocean.height.jonswap", height_of(TARN_OCEAN_JONSWAP, (float)u, 1e5f, 1e4f),
              4.0 * sqrt(1.525 * alpha * G * G / (5.0 * pow(wp, 4.0))), 5e-3);
    // In deep water TMA is JONSWAP; over 5 m only a part is left: the integral of both.
    check_add(run, "ocean.height.tma_deep",
              height_of(TARN_OCEAN_TMA, (float)u, 1e5f, 1e4f) /
                  height_of(TARN_OCEAN_JONSWAP, (float)u, 1e5f, 1e4f),
              1.0, 1e-6);
    check_add(run, "ocean.height.tma_5m", height_of(TARN_OCEAN_TMA, (float)u, 1e5f, 5.0f),
              tma_height(alpha, wp, 5.0), 2e-3);
    static const double wanted[] = { 0.0, 0.1, 0.2, 0.6, 1.0,  2.0, 3.0,
                                     4.0, 5.5, 7.0, 9.0, 11.5, 14.0 };
    double worst = 0.0;
    for (int b = 1; b <= 12; ++b) {
        TarnOceanDef def = tarn_ocean_default_def();
        def.beaufort = b;
        OceanSea sea = tarn__ocean_sea(&def);
        worst = fmax(worst, fabs(4.0 * sqrt(tarn__ocean_m0(&sea)) / wanted[b] - 1.0));
    }
    check_add(run, "ocean.height.beaufort", worst, 0.0, 0.01);
}

// Variance over the tile, for many seeds, against the integral of the spectrum.
static void check_variance(CheckRun* run)
{
    int seeds = run->is_quick ? 24 : 64;
    for (int spreading = 0; spreading < 3; ++spreading) {
        TarnOceanDef def = windy(TARN_OCEAN_JONSWAP, 10.0f);
        def.spreading = spreading;
        def.cascades = 2;
        OceanSea sea = tarn__ocean_sea(&def);
        double sum = 0.0;
        for (int s = 0; s < seeds; ++s) {
            def.seed = s;
            TarnOcean* o = make(run, &def);
            for (int i = 0; i < def.cascades; ++i) {
                TarnOceanCascade c;
                tarn_ocean_cascade(o, i, &c);
                sum += mean_square(&c) / seeds;
            }
            tarn_ocean_destroy(o);
        }
        static const char* const names[] = { "cos2", "cos2s", "donelan_banner" };
        char name[56];
        snprintf(name, sizeof name, "ocean.variance.%s", names[spreading]);
        check_add(run, name, sum, tarn__ocean_m0(&sea), run->is_quick ? 0.06 : 0.03);
    }
    TarnOceanDef def = windy(TARN_OCEAN_JONSWAP, 10.0f);
    def.method = TARN_OCEAN_GERSTNER, def.waves = 32;
    OceanSea sea = tarn__ocean_sea(&def);
    TarnOcean* o = make(run, &def);
    check_add(run, "ocean.variance.fit", tarn_ocean_state(o).variance, tarn__ocean_m0(&sea), 1e-4);
    tarn_ocean_destroy(o);
}

// ---- Speeds --------------------------------------------------------------------------------------

// One wave: its phase at two times, from the cosine and sine over the tile.
static double phase_of(const TarnOcean* o, const TarnOceanWave* w)
{
    TarnOceanCascade c;
    tarn_ocean_cascade(o, 0, &c);
    double re = 0.0, im = 0.0;
    for (int k = 0; k < c.n; ++k) {
        for (int i = 0; i < c.n; ++i) {
            double at = ((double)w->kx * i + (double)w->kz * k) * (double)c.length / c.n;
            double y = (double)c.moved[c.row * k + c.stride * i + 1];
            re += y * cos(at), im += y * sin(at);
        }
    }
    return atan2(im, re); // cos(k x - f): the phase grows with time
}

static void check_speeds(CheckRun* run)
{
    const struct {
        const char* name;
        float wind, depth, length;
    } cases[] = { { "deep", 10.0f, 1e4f, 200.0f },
                  { "2m", 10.0f, 2.0f, 200.0f },
                  { "capillary", 0.9f, 1e4f, 1.0f } };
    for (int i = 0; i < 3; ++i) {
        TarnOceanDef def = windy(TARN_OCEAN_JONSWAP, cases[i].wind);
        def.method = TARN_OCEAN_SINES, def.waves = 1;
        def.depth = cases[i].depth, def.length = cases[i].length;
        if (i == 2) def.fetch = 100.0f;
        TarnOcean* o = make(run, &def);
        TarnOceanWave w;
        tarn_ocean_waves(o, 1e9f, &w, 1);
        double k = sqrt((double)w.kx * (double)w.kx + (double)w.kz * (double)w.kz), dt = 0.02;
        double exact = sqrt((G * k + 7.4e-5 * k * k * k) * tanh(k * (double)def.depth));
        tarn_ocean_seek(o, 5.0);
        double before = phase_of(o, &w);
        tarn_ocean_seek(o, 5.0 + dt);
        double turned = phase_of(o, &w) - before;
        turned -= TWO_PI * floor(turned / TWO_PI + 0.5);
        char name[56];
        snprintf(name, sizeof name, "ocean.speed.phase_%s", cases[i].name);
        check_add(run, name, turned / dt / k, exact / k, 2e-3);
        double d = 1e-3 * k, group = (tarn__ocean_frequency(&o->sea, k + d) -
                                      tarn__ocean_frequency(&o->sea, k - d)) /
                                     (2.0 * d);
        double th = tanh(k * (double)def.depth), s = 7.4e-5;
        double square = (G + 3.0 * s * k * k) * th +
                        (G * k + s * k * k * k) * (double)def.depth * (1.0 - th * th);
        snprintf(name, sizeof name, "ocean.speed.group_%s", cases[i].name);
        check_add(run, name, group, square / (2.0 * exact), 2e-3);
        tarn_ocean_destroy(o);
    }
}

// ---- Time ----------------------------------------------------------------------------------------

static double difference(const TarnOcean* a, const TarnOcean* b)
{
    double worst = 0.0;
    for (int i = 0; i < a->def.cascades; ++i) {
        int n = a->def.size * a->row;
        for (int s = 0; s < n; ++s)
            worst = fmax(worst, fabs((double)(a->cascade[i].sample[s] - b->cascade[i].sample[s])));
    }
    return worst;
}

static void check_time(CheckRun* run)
{
    TarnOceanDef def = windy(TARN_OCEAN_JONSWAP, 10.0f);
    def.cascades = 2, def.loop = 20.0f;
    TarnOcean *a = make(run, &def), *b = make(run, &def);
    tarn_ocean_seek(a, 3.25);
    tarn_ocean_seek(b, 3.25 + 20.0);
    check_add(run, "ocean.time.loop", difference(a, b), 0.0, 0.0);
    tarn_ocean_seek(b, 3.25 + 20.0 * 3e6);
    check_add(run, "ocean.time.loop_far", difference(a, b), 0.0, 0.0);
    tarn_ocean_reset(a);
    for (int i = 0; i < 100; ++i) tarn_ocean_step(a, 0.25f, NULL);
    tarn_ocean_seek(b, 25.0);
    check_add(run, "ocean.time.seek", difference(a, b), 0.0, 0.0);
    tarn_ocean_destroy(a), tarn_ocean_destroy(b);
    // Days later it still moves evenly.
    def.loop = 0.0f, def.cascades = 1;
    a = make(run, &def);
    double time = 1e6 + 0.37;
    tarn_ocean_seek(a, time + 1e-3);
    double late = (double)a->cascade[0].sample[1];
    tarn_ocean_seek(a, time - 1e-3);
    double early = (double)a->cascade[0].sample[1];
    tarn_ocean_seek(a, time);
    check_add(run, "ocean.time.smooth", (double)a->cascade[0].sample[1] - 0.5 * (late + early), 0.0,
              1e-5);
    tarn_ocean_destroy(a);
}

// ---- Queries -------------------------------------------------------------------------------------

// Samples are points of the drawn mesh: where one is displaced to, the query must find its height and its slopes.
static void check_query(CheckRun* run)
{
    for (int beaufort = 4; beaufort <= 9; beaufort += 5) {
        TarnOceanDef def = tarn_ocean_default_def();
        def.size = 128, def.cascades = 1, def.beaufort = beaufort, def.warm_steps = 0;
        TarnOcean* o = make(run, &def);
        TarnOceanCascade c;
        tarn_ocean_cascade(o, 0, &c);
        double sum = 0.0, worst = 0.0, off = 0.0, steep = 0.0;
        int n = 0;
        for (int s = 0; s < c.n * c.n; s += 37) {
            const float *m = c.moved + s / c.n * c.row + s % c.n * c.stride, turn = c.fold_xz[s];
            if ((1.0f + c.fold_xx[s]) * (1.0f + c.fold_zz[s]) - turn * turn < 0.3f)
                continue; // about to fold
            float x = (float)(s % c.n) * c.length / (float)c.n + m[0],
                  z = (float)(s / c.n) * c.length / (float)c.n + m[2];
            float height;
            TarnVec3 up;
            TarnSurfaceSamples out = { .height = &height, .normal = &up };
            tarn_surface_query(tarn_ocean_surface(o), 1, &x, &z, &out);
            double e = fabs((double)(height - m[1]));
            sum += e * e, worst = fmax(worst, e), ++n;
            double a = 1.0 + (double)c.fold_xx[s], b = 1.0 + (double)c.fold_zz[s];
            double t = (double)turn, sx = (double)m[3], sz = (double)m[4], area = a * b - t * t;
            double dx = (sx * b - sz * t) / area, dz = (sz * a - sx * t) / area;
            off += pow(dx + (double)(up.x / up.y), 2.0) + pow(dz + (double)(up.z / up.y), 2.0);
            steep += dx * dx + dz * dz;
        }
        double height = (double)tarn_ocean_state(o).significant_height;
        char name[56];
        snprintf(name, sizeof name, "ocean.query.mesh_b%d", beaufort);
        check_add(run, name, sqrt(sum / n) / height, 0.0, 2e-4);
        snprintf(name, sizeof name, "ocean.query.worst_b%d", beaufort);
        check_add(run, name, worst / height, 0.0, 2e-3);
        snprintf(name, sizeof name, "ocean.query.slope_b%d", beaufort);
        check_add(run, name, sqrt(off / steep), 0.0, 0.1);
        tarn_ocean_destroy(o);
    }
}

// ---- A box in a regular wave ---------------------------------------------------------------------

// Strip theory for waves much longer than the box: its lift is that of the water's mean height over the box, and its mass
// and the water that it carries along answer as a spring's, so that heave overshoots by the square of the frequencies'
// ratio. It follows the slope. 20 samples per wave: coarser seas are flatter between samples.
static void check_heave(CheckRun* run)
{
    TarnWorld* world;
    TarnWorldDef world_def = tarn_world_default_def();
    TarnOceanDef def = windy(TARN_OCEAN_PIERSON_MOSKOWITZ, 10.0f);
    def.method = TARN_OCEAN_SINES, def.waves = 1, def.use_velocity = true, def.size = 256;
    def.spreading = TARN_OCEAN_COS2;
    TarnOcean* o;
    TarnBodyDef box = tarn_body_default_def();
    TarnBodyId id;
    box.shape = tarn_shape_box(3.0f, 0.5f, 3.0f);
    if (tarn_world_create(run->ctx, &world_def, &world) != TARN_OK ||
        tarn_world_add_ocean(world, &def, &o) != TARN_OK ||
        tarn_world_add_body(world, &box, &id) != TARN_OK) {
        fprintf(stderr, "tarn: check: %s\n", tarn_last_error(run->ctx));
        exit(1);
    }
    TarnOceanWave w;
    tarn_ocean_waves(o, 1e9f, &w, 1);
    double low = 1e9, high = -1e9, tilt = 0.0;
    double period = TWO_PI / (double)w.frequency;
    int n = (int)(6.0 * period * 60.0);
    for (int i = 0; i < n; ++i) {
        tarn_world_step(world, 1.0f / 60.0f, NULL);
        if (i < n / 3) continue;
        TarnBodyState s;
        tarn_bodies_get_state(tarn_world_bodies(world), id, &s);
        low = fmin(low, (double)s.position.y), high = fmax(high, (double)s.position.y);
        TarnQuat q = s.rotation;
        double up = 1.0 - 2.0 * ((double)q.x * (double)q.x + (double)q.z * (double)q.z);
        tilt = fmax(tilt, acos(fmin(up, 1.0)));
    }
    double k = sqrt((double)w.kx * (double)w.kx + (double)w.kz * (double)w.kz);
    double side = 6.0, carried = 0.5 * side * side * 0.5; // half sunk; TarnFloatParams.added_mass
    double mass = (double)box.density * side * side + 1000.0 * carried;
    double x = 0.5 * side * fabs((double)w.kx), z = 0.5 * side * fabs((double)w.kz);
    double mean = (x > 0.0 ? sin(x) / x : 1.0) * (z > 0.0 ? sin(z) / z : 1.0);
    double ratio = mass * (double)w.frequency * (double)w.frequency / (1000.0 * 9.81 * side * side);
    check_add(run, "ocean.heave.height", 0.5 * (high - low),
              (double)w.amplitude * mean / (1.0 - ratio), 0.03);
    check_add(run, "ocean.heave.tilt", tilt, k * (double)w.amplitude, 0.05);
    tarn_world_destroy(world);
}

void check_ocean(CheckRun* run, const char* group)
{
    if (strcmp(group, "ocean.transforms") == 0) check_transforms(run);
    if (strcmp(group, "ocean.height") == 0) check_heights(run);
    if (strcmp(group, "ocean.variance") == 0) check_variance(run);
    if (strcmp(group, "ocean.speed") == 0) check_speeds(run);
    if (strcmp(group, "ocean.time") == 0) check_time(run);
    if (strcmp(group, "ocean.query") == 0) check_query(run);
    if (strcmp(group, "ocean.heave") == 0) check_heave(run);
}
