// Spectra of the sea in real units, and random amplitudes that have them.
//
// Method   Frequency spectra of [Pierson1964], [Hasselmann1973] (JONSWAP) and [Bouws1985] (TMA), and the saturated
//          range of [Phillips1958] below a peak; directions by [Mitsuyasu1975] with the exponents of
//          [Hasselmann1980], or [Donelan1985] with the tail of [Banner1990]. Amplitudes as in [Tessendorf2001], with
//          the variance of each cell of wave numbers, so that heights are meters for any size and length.
// Differs  from [Tessendorf2001], whose constant for Phillips' spectrum has no unit: here it is half of Phillips' 0.0081,
//          which gives heights of 0.18 U^2 / g. Wind waves have the energy of gravity waves at any length; surface
//          tension only makes short ones faster.
// Checked  tests/physics/check_ocean.c

#include "ocean/ocean_internal.h"
#include "base/maths.h"

static const double TWO_PI = 6.283185307179586476925;
static const double TENSION = 7.4e-5; // over density [m^3/s^2]
static const double PHILLIPS = 0.0081;

// The C library's exp and pow differ between machines.
static double e(double x)
{
    return (double)tarn_exp((float)x);
}
static double power(double x, double y)
{
    return (double)tarn_pow((float)x, (float)y);
}

// ---- Dispersion ----------------------------------------------------------------------------------

static double gravity_frequency(const OceanSea* s, double k)
{
    return sqrt((double)s->gravity * k * (double)tarn_tanh((float)(k * (double)s->depth)));
}
double tarn__ocean_frequency(const OceanSea* s, double k)
{
    double th = (double)tarn_tanh((float)(k * (double)s->depth));
    return sqrt(((double)s->gravity * k + TENSION * k * k * k) * th);
}
double tarn__ocean_wave_number(const OceanSea* s, double w)
{
    double deep = w * w / (double)s->gravity, lo = deep, hi = deep;
    while (gravity_frequency(s, hi) < w && hi < 1e12) hi *= 2.0;
    for (int i = 0; i < 60; ++i) {
        double mid = 0.5 * (lo + hi);
        *(gravity_frequency(s, mid) < w ? &lo : &hi) = mid;
    }
    return 0.5 * (lo + hi);
}
// dw/dk of gravity waves
static double group_speed(const OceanSea* s, double k, double w)
{
    double kd = k * (double)s->depth, th = (double)tarn_tanh((float)kd);
    double sech2 = 1.0 - th * th;
    return (double)s->gravity * (th + kd * sech2) / (2.0 * w);
}

// ---- By frequency --------------------------------------------------------------------------------

static double jonswap(double g, double alpha, double peak, double sharpness, double w)
{
    if (!(w > 0.05 * peak)) return 0.0;
    double q = peak / w, width = w <= peak ? 0.07 : 0.09, off = (w - peak) / (width * peak);
    double r = e(-0.5 * off * off), w5 = w * w * w * w * w;
    return alpha * g * g / w5 * e(-1.25 * q * q * q * q) * power(sharpness, r);
}

// Attenuation in water of finite depth
static double kitaigorodskii(const OceanSea* s, double w)
{
    double wh = w * sqrt((double)s->depth / (double)s->gravity);
    if (wh >= 2.0) return 1.0;
    return wh <= 1.0 ? 0.5 * wh * wh : 1.0 - 0.5 * (2.0 - wh) * (2.0 - wh);
}

static double wind_spectrum(const OceanSea* s, double w)
{
    double g = (double)s->gravity;
    if (!(s->wind > 0.0f)) return 0.0;
    if (s->spectrum == TARN_OCEAN_PHILLIPS) {
        double k = w * w / g, kl = k * (double)s->wind * (double)s->wind / g;
        if (!(kl > 0.05)) return 0.0;
        return PHILLIPS * g * g / (w * w * w * w * w) * e(-1.0 / (kl * kl));
    }
    if (s->spectrum == TARN_OCEAN_PIERSON_MOSKOWITZ) return jonswap(g, PHILLIPS, s->peak, 1.0, w);
    double deep = jonswap(g, s->alpha, s->peak, 3.3, w);
    return s->spectrum == TARN_OCEAN_TMA ? deep * kitaigorodskii(s, w) : deep;
}
static double swell_spectrum(const OceanSea* s, double w)
{
    if (!(s->swell_scale > 0.0)) return 0.0;
    return s->swell_scale * jonswap((double)s->gravity, PHILLIPS, s->swell_peak, 7.0, w);
}

// ---- By direction: each integrates to 1 over a turn -----------------------------------------------

// Gamma(s + 1/2) / Gamma(s + 1), from its expansion beyond 8
static double gamma_ratio(double s)
{
    double factor = 1.0;
    for (; s < 8.0; s += 1.0) factor *= (s + 1.0) / (s + 0.5);
    return factor / sqrt(s + 0.25 + 1.0 / (32.0 * s + 8.0));
}
static double cos2s(double s, double angle)
{
    double c = (double)tarn_cos((float)(0.5 * angle));
    if (!(c > 0.0)) return 0.0;
    return power(c * c, s) / (2.0 * 1.7724538509055160273 * gamma_ratio(s)); // 2 sqrt(pi)
}
static double measured_exponent(const OceanSea* s, double w)
{
    double q = w / s->peak, age = (double)s->wind * s->peak / (double)s->gravity;
    double exponent = q <= 1.0 ? 6.97 * power(q, 4.06)
                               : 9.77 * power(q, -2.33 - 1.45 * (age > 1.17 ? age - 1.17 : 0.0));
    return exponent > 0.3 ? exponent : 0.3;
}
static double donelan_banner(const OceanSea* s, double w, double angle)
{
    double q = w / s->peak, b;
    if (q < 0.95)
        b = 2.61 * power(q > 0.56 ? q : 0.56, 1.3);
    else if (q < 1.6)
        b = 2.28 * power(q, -1.3);
    else // 10^(-0.4 + 0.8393 exp(-0.567 ln q^2))
        b = e(2.302585093 * (-0.4 + 0.8393 * power(q * q, -0.567)));
    double th = (double)tarn_tanh((float)(b * angle));
    return (1.0 - th * th) * b / (2.0 * (double)tarn_tanh((float)(b * 0.5 * TWO_PI)));
}
static double spread(const OceanSea* s, double w, double angle)
{
    if (s->spreading == TARN_OCEAN_DONELAN_BANNER) return donelan_banner(s, w, angle);
    if (s->spreading == TARN_OCEAN_COS2S) return cos2s(measured_exponent(s, w), angle);
    double c = (double)tarn_cos((float)angle);
    return c > 0.0 ? 4.0 / TWO_PI * c * c : 0.0;
}

static double angle_between(double kx, double kz, float direction)
{
    double c = (double)tarn_cos(direction), s = (double)tarn_sin(direction);
    return (double)tarn_atan2((float)(kz * c - kx * s), (float)(kx * c + kz * s));
}

static const double SWELL_EXPONENT = 40.0; // of cos^2s: it comes from far away

double tarn__ocean_density(const OceanSea* s, double kx, double kz)
{
    double k = sqrt(kx * kx + kz * kz);
    if (!(k > 0.0)) return 0.0;
    double w = gravity_frequency(s, k), per = group_speed(s, k, w) / k;
    if (!(w > 0.0)) return 0.0;
    double sum = 0.0, wind = wind_spectrum(s, w), swell = swell_spectrum(s, w);
    if (wind > 0.0) sum += wind * spread(s, w, angle_between(kx, kz, s->direction));
    if (swell > 0.0)
        sum += swell * cos2s(SWELL_EXPONENT, angle_between(kx, kz, s->swell_direction));
    // Viscosity takes ripples of millimeters.
    return sum * per * e(-k * k * 1e-6);
}

// ---- The whole sea -------------------------------------------------------------------------------

// Midpoints in the logarithm of the frequency, from a fifth of the lower peak to twenty times the higher one.
enum { OCEAN_INTEGRAL = 2000 };
static double integral(const OceanSea* s, double (*spectrum)(const OceanSea*, double), double peak)
{
    double sum = 0.0, ratio = 1.0 + 4.6 / OCEAN_INTEGRAL, w = 0.2 * peak;
    for (int i = 0; i < OCEAN_INTEGRAL; ++i) {
        double next = w * ratio;
        sum += (next - w) * spectrum(s, 0.5 * (w + next));
        w = next;
    }
    return sum;
}
double tarn__ocean_m0(const OceanSea* s)
{
    double m0 = s->wind > 0.0f ? integral(s, wind_spectrum, s->peak) : 0.0;
    return s->swell_scale > 0.0 ? m0 + integral(s, swell_spectrum, s->swell_peak) : m0;
}

// Mean wind of each Beaufort number [m/s], and the height of waves that is probable in the open sea [m].
static const float BEAUFORT[13][2] = { { 0.0f, 0.0f },  { 0.9f, 0.1f },  { 2.4f, 0.2f },
                                       { 4.4f, 0.6f },  { 6.7f, 1.0f },  { 9.3f, 2.0f },
                                       { 12.3f, 3.0f }, { 15.5f, 4.0f }, { 19.0f, 5.5f },
                                       { 22.6f, 7.0f }, { 26.5f, 9.0f }, { 30.6f, 11.5f },
                                       { 34.8f, 14.0f } };

static void set_wind(OceanSea* s, float wind, float fetch)
{
    double u = (double)wind, f = (double)fetch, g = (double)s->gravity;
    s->wind = wind, s->fetch = fetch;
    if (!(wind > 0.0f)) return;
    s->alpha = 0.076 * power(u * u / (f * g), 0.22);
    s->peak = 22.0 * power(g * g / (u * f), 1.0 / 3.0);
    if (s->spectrum == TARN_OCEAN_PIERSON_MOSKOWITZ) s->peak = 0.855 * g / u;
    // The maximum of w^-5 exp(-(g / (U w))^4): w^4 = (4 / 5) (g / U)^4
    if (s->spectrum == TARN_OCEAN_PHILLIPS) s->peak = 0.94574 * g / u;
}

OceanSea tarn__ocean_sea(const TarnOceanDef* def)
{
    OceanSea s = { .gravity = def->gravity,
                   .depth = def->depth,
                   .direction = def->direction,
                   .spectrum = def->spectrum,
                   .spreading = def->spreading,
                   .swell_peak = TWO_PI / (double)def->swell_period,
                   .swell_direction = def->swell_direction };
    if (def->beaufort < 0) {
        set_wind(&s, def->wind, def->fetch);
    } else {
        // The fetch that raises the probable height; those without a fetch only have the wind.
        float wind = BEAUFORT[def->beaufort][0], lo = 1e2f, hi = 5e6f;
        double height = (double)BEAUFORT[def->beaufort][1];
        for (int i = 0; i < 40 && wind > 0.0f; ++i) {
            float mid = sqrtf(lo * hi);
            OceanSea deep = s;
            deep.spectrum = TARN_OCEAN_JONSWAP;
            set_wind(&deep, wind, mid);
            *(4.0 * sqrt(integral(&deep, wind_spectrum, deep.peak)) < height ? &lo : &hi) = mid;
        }
        set_wind(&s, wind, sqrtf(lo * hi));
    }
    if (def->swell_height > 0.0f) {
        s.swell_scale = 1.0;
        double one = integral(&s, swell_spectrum, s.swell_peak), h = (double)def->swell_height;
        s.swell_scale = one > 0.0 ? h * h / 16.0 / one : 0.0;
    }
    return s;
}

// ---- Amplitudes ----------------------------------------------------------------------------------

// Two independent normal numbers [Box1958], by wave and not by place in memory: a finer grid keeps the long waves.
static void normal_pair(uint64_t seed, int cascade, int ix, int iz, float* a, float* b)
{
    uint64_t at = (uint64_t)(uint32_t)(ix + 4096) << 16 | (uint32_t)(iz + 4096);
    float u = 1.0f - tarn__random01(seed, (uint64_t)cascade, 2 * at);
    float v = tarn__random01(seed, (uint64_t)cascade, 2 * at + 1);
    float size = sqrtf(-2.0f * tarn_log(u)), s, c;
    tarn_sincos((float)TWO_PI * v, &s, &c);
    *a = size * c, *b = size * s;
}

static float rounded_turns(const TarnOcean* ocean, double k)
{
    double turns = tarn__ocean_frequency(&ocean->sea, k) / TWO_PI, loop = (double)ocean->def.loop;
    if (turns > 1e4) turns = 1e4;
    return (float)(loop > 0.0 ? floor(turns * loop + 0.5) / loop : turns);
}

static OceanMode random_mode(const TarnOcean* ocean, int index, int ix, int iz)
{
    const OceanCascade* c = &ocean->cascade[index];
    double dk = TWO_PI / (double)c->length, kx = dk * ix, kz = dk * iz;
    double k = sqrt(kx * kx + kz * kz);
    if (!(k >= (double)c->k_min && k < (double)c->k_max)) return (OceanMode){ 0.0f, 0.0f };
    // Half of the variance: h(k) and h(-k) both hold it. Another half for each of two normal numbers.
    double variance = 0.5 * tarn__ocean_density(&ocean->sea, kx, kz) * dk * dk;
    float size = (float)sqrt(0.5 * variance), a, b;
    normal_pair((uint64_t)(uint32_t)ocean->def.seed, index, ix, iz, &a, &b);
    return (OceanMode){ size * a, size * b };
}

void tarn__ocean_modes(const TarnOcean* ocean, const OceanCascade* c, int ix, int iz, OceanMode* a,
                       OceanMode* b)
{
    size_t at = ocean_at(ocean->def.size, ix, iz);
    float p = c->wave[0][at], q = c->wave[1][at], u = c->wave[2][at], v = c->wave[3][at];
    *a = (OceanMode){ 0.5f * (p - v), 0.5f * (q + u) };
    *b = (OceanMode){ 0.5f * (p + v), 0.5f * (q - u) };
}
static void set_mode(TarnOcean* ocean, OceanCascade* c, int ix, int iz, OceanMode a, OceanMode b)
{
    if (iz < 0) return; // the conjugate of its mirror
    size_t at = ocean_at(ocean->def.size, ix, iz);
    double dk = TWO_PI / (double)c->length, k = dk * sqrt((double)(ix * ix + iz * iz));
    // a exp(-i w t) + conj(b) exp(i w t), sorted by cosine and sine
    c->wave[0][at] = a.re + b.re, c->wave[1][at] = a.im + b.im;
    c->wave[2][at] = a.im - b.im, c->wave[3][at] = b.re - a.re;
    c->turns[at] = rounded_turns(ocean, k);
}

// A row of wave numbers with their mirrors. The Nyquist lines stay empty.
static void make_row(int ix, void* data)
{
    TarnOcean* ocean = data;
    int n = ocean->def.size, half = n / 2;
    for (int index = 0; index < ocean->def.cascades; ++index) {
        OceanCascade* c = &ocean->cascade[index];
        for (int iz = -half + 1; iz < half; ++iz) {
            if (ix == 0 && iz <= 0) continue;
            OceanMode a = random_mode(ocean, index, ix, iz),
                      b = random_mode(ocean, index, -ix, -iz);
            set_mode(ocean, c, ix, iz, a, b);
            set_mode(ocean, c, -ix, -iz, b, a);
        }
    }
}

// ---- A fit by n waves ----------------------------------------------------------------------------

// Each wave has the same energy: frequencies are the middles of n equal parts of the integral, and directions follow the
// spreading at equal shares that jump by the golden ratio, so that neighbors in frequency run apart.
void tarn__ocean_fit(const OceanSea* s, int seed, int n, int wave, double* frequency,
                     float* direction)
{
    double m0 = tarn__ocean_m0(s), low = s->peak;
    if (s->swell_scale > 0.0 && (s->swell_peak < low || !(s->wind > 0.0f))) low = s->swell_peak;
    double target = m0 * ((double)wave + 0.5) / n, sum = 0.0, ratio = 1.0 + 4.6 / OCEAN_INTEGRAL;
    double w = 0.2 * low;
    while (w < 100.0 * low) {
        double next = w * ratio, mid = 0.5 * (w + next);
        sum += (next - w) * (wind_spectrum(s, mid) + swell_spectrum(s, mid));
        w = next;
        if (sum >= target) break;
    }
    *frequency = w;
    double share = ((double)wave + 0.5) * 0.6180339887 +
                   (double)tarn__random01((uint64_t)(uint32_t)seed, 99, 0);
    share -= floor(share);
    double wind = wind_spectrum(s, w), swell = swell_spectrum(s, w);
    enum { ANGLES = 256 };
    bool is_swell = swell > wind;
    double part = 0.0, step = TWO_PI / ANGLES, angle = -0.5 * TWO_PI;
    for (int i = 0; i < ANGLES && part < share; ++i) {
        angle = -0.5 * TWO_PI + (i + 0.5) * step;
        part += step * (is_swell ? cos2s(SWELL_EXPONENT, angle) : spread(s, w, angle));
    }
    *direction = (float)angle + (is_swell ? s->swell_direction : s->direction);
}

// Waves of the fit are moved to the nearest wave number of the cascade whose band they are in.
static void make_fit(TarnOcean* ocean)
{
    int n = ocean->def.waves, half = ocean->def.size / 2;
    double m0 = tarn__ocean_m0(&ocean->sea);
    float amplitude = (float)sqrt(2.0 * m0 / n);
    for (int w = 0; w < n && m0 > 0.0; ++w) {
        double frequency;
        float direction, s, c;
        tarn__ocean_fit(&ocean->sea, ocean->def.seed, n, w, &frequency, &direction);
        double k = tarn__ocean_wave_number(&ocean->sea, frequency);
        int index = 0;
        while (index + 1 < ocean->def.cascades && k >= (double)ocean->cascade[index].k_max) ++index;
        OceanCascade* in = &ocean->cascade[index];
        double dk = TWO_PI / (double)in->length;
        tarn_sincos(direction, &s, &c);
        int ix = (int)floor(k * (double)c / dk + 0.5), iz = (int)floor(k * (double)s / dk + 0.5);
        if (ix == 0 && iz == 0) ix = 1;
        ix = ix > half - 1 ? half - 1 : ix < 1 - half ? 1 - half : ix;
        iz = iz > half - 1 ? half - 1 : iz < 1 - half ? 1 - half : iz;
        float phase =
            (float)TWO_PI * tarn__random01((uint64_t)(uint32_t)ocean->def.seed, 98, (uint64_t)w);
        // cos(k x - w t + phase) = (a exp(i (k x - w t)) + conj) / 2. Waves may share a wave number.
        float ps, pc;
        tarn_sincos(phase, &ps, &pc);
        OceanMode a, b; // what is there
        bool is_mirror = iz < 0;
        tarn__ocean_modes(ocean, in, is_mirror ? -ix : ix, is_mirror ? -iz : iz,
                          is_mirror ? &b : &a, is_mirror ? &a : &b);
        a.re += 0.5f * amplitude * pc, a.im += 0.5f * amplitude * ps;
        set_mode(ocean, in, ix, iz, a, b);
        set_mode(ocean, in, -ix, -iz, b, a);
    }
}

// Means of squares over space and time: of height, and of both slopes together.
static void measure(TarnOcean* ocean)
{
    int n = ocean->def.size, half = n / 2;
    for (int index = 0; index < ocean->def.cascades; ++index) {
        OceanCascade* c = &ocean->cascade[index];
        double dk = TWO_PI / (double)c->length, sum = 0.0, slopes = 0.0;
        int most = -1;
        for (int ix = -half + 1; ix < half; ++ix) {
            for (int iz = 0; iz < half; ++iz) {
                size_t at = ocean_at(n, ix, iz);
                double v = 0.0, kx = dk * ix, kz = dk * iz;
                for (int p = 0; p < 4; ++p)
                    v += 0.5 * (double)c->wave[p][at] * (double)c->wave[p][at];
                if (v > 0.0 && iz > most) most = iz;
                if (iz > 0) v *= 2.0; // and its mirror
                sum += v, slopes += v * (kx * kx + kz * kz);
            }
        }
        c->n_groups = most < 0 ? 1 : most / 8 + 1;
        c->variance = sum, c->slope_variance = slopes;
        c->is_calm = !(sum > 1e-14);
    }
}

void tarn__ocean_make_waves(TarnOcean* ocean)
{
    if (ocean->def.method == TARN_OCEAN_FFT)
        tarn__parallel_for(ocean->ctx, ocean->def.size / 2, make_row, ocean);
    else
        make_fit(ocean);
    measure(ocean);
}
