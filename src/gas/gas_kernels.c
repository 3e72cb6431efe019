// The other passes of a gas, eight cells at a time: forces, fire, divergence and gradient, sums.

#include "gas/gas_kernels.h"
#include "base/kernels.h"
#include "base/maths8.h"

static const float tiny = 1e-15f; // smaller values are 0: subnormal numbers are slow

TARN_INLINE TarnF8 snap(TarnF8 v)
{
    return f8_select(f8_less(f8_abs(v), f8_set(tiny)), f8_set(0.0f), v);
}

// ---- Forces ------------------------------------------------------------------------------------

TARN_INLINE TarnF8 pushed(const GasPush* p, ptrdiff_t c, ptrdiff_t behind)
{
    TarnF8 v = f8_load(p->velocity + c), a = f8_set(0.0f);
    const float *t = p->temperature, *d = p->density, *f = p->acceleration; // NULL: none
    if (t) a += p->lift * (f8_load(t + c - behind) + f8_load(t + c));
    if (d) a += p->weight * (f8_load(d + c - behind) + f8_load(d + c));
    if (f) a += f8_load(f + c - behind) + f8_load(f + c);
    v += (0.5f * p->dt) * a;
    return p->wind + (v - p->wind) * p->keep;
}
TARN_INLINE TarnF8 limited(const GasPush* p, TarnF8 v)
{
    return snap(f8_min(f8_max(v, f8_set(-p->max_speed)), f8_set(p->max_speed)));
}

static float push(const GasPush* push, int k0, int k1)
{
    const GasPush p = *push;
    ptrdiff_t behind = gas_stride(&p.grid, p.component);
    int ny = p.grid.ny + (p.component == 1 ? 1 : 0);
    TarnF8 peak = f8_set(0.0f);
    for (int k = k0; k < k1; ++k) {
        for (int j = 0; j < ny; ++j) {
            ptrdiff_t c = tarn__grid3_at(&p.grid, 0, j, k);
            TarnF8 last = pushed(&p, c + p.grid.nx, behind); // before its neighbors change
            for (int i = 0; i < p.grid.nx; i += TARN_LANES) {
                TarnF8 v = pushed(&p, c + i, behind);
                peak = f8_max(peak, f8_abs(v));
                f8_store(p.velocity + c + i, limited(&p, v));
            }
            if (p.component == 0) p.velocity[c + p.grid.nx] = limited(&p, last)[0];
        }
    }
    return f8_max_lane(peak);
}

static void diffuse(const Grid3* g, const float* from, float* to, float gain, int component, int k0,
                    int k1)
{
    int j0 = component == 1 ? 1 : 0, i0 = component == 0 ? 1 : 0;
    for (int k = k0; k < k1; ++k) {
        bool is_rim_z = component == 2 && (k == 0 || k == g->nz);
        for (int j = 0; j < g->ny + j0; ++j) {
            bool is_rim = is_rim_z || (component == 1 && (j == 0 || j == g->ny));
            ptrdiff_t c0 = tarn__grid3_at(g, 0, j, k);
            for (int i = 0; i < g->nx; i += TARN_LANES) {
                const float* p = from + c0 + i;
                TarnF8 here = f8_load(p);
                TarnF8 x = f8_load(p - 1) + f8_load(p + 1), y = here, z = here;
                if (!is_rim) {
                    y = f8_load(p - g->row) + f8_load(p + g->row);
                    z = f8_load(p - g->slab) + f8_load(p + g->slab);
                }
                TarnF8 next = here + gain * (((x + y) + z) - 6.0f * here);
                f8_store(to + c0 + i, is_rim ? here : snap(next));
            }
            if (i0 == 1) to[c0] = from[c0], to[c0 + g->nx] = from[c0 + g->nx];
        }
    }
}

// Differences of cell-centered velocities, over two cells.
TARN_INLINE TarnF8 slope(const float* v, ptrdiff_t c, ptrdiff_t own, ptrdiff_t along)
{
    TarnF8 ahead = f8_load(v + c + along) + f8_load(v + c + along + own);
    TarnF8 back = f8_load(v + c - along) + f8_load(v + c - along + own);
    return 0.25f * (ahead - back);
}

static void curl(const Grid3* g, float* const v[3], float* const out[3], float* length, int k0,
                 int k1)
{
    const ptrdiff_t x = 1, y = g->row, z = g->slab;
    for (int k = k0; k < k1; ++k) {
        for (int j = 0; j < g->ny; ++j) {
            for (int i = 0; i < g->nx; i += TARN_LANES) {
                ptrdiff_t c = tarn__grid3_at(g, i, j, k);
                TarnF8 a = slope(v[2], c, z, y) - slope(v[1], c, y, z);
                TarnF8 b = slope(v[0], c, x, z) - slope(v[2], c, z, x);
                TarnF8 d = slope(v[1], c, y, x) - slope(v[0], c, x, y);
                f8_store(out[0] + c, a);
                f8_store(out[1] + c, b);
                f8_store(out[2] + c, d);
                f8_store(length + c, f8_sqrt((a * a + b * b) + d * d));
            }
        }
    }
}

static void confine(const Grid3* g, float* const w[3], const float* length, float gain,
                    float* const out[3], int k0, int k1)
{
    for (int k = k0; k < k1; ++k) {
        for (int j = 0; j < g->ny; ++j) {
            for (int i = 0; i < g->nx; i += TARN_LANES) {
                ptrdiff_t c = tarn__grid3_at(g, i, j, k);
                const float* l = length + c;
                TarnF8 x = f8_load(l + 1) - f8_load(l - 1);
                TarnF8 y = f8_load(l + g->row) - f8_load(l - g->row);
                TarnF8 z = f8_load(l + g->slab) - f8_load(l - g->slab);
                TarnF8 s = gain / (f8_sqrt((x * x + y * y) + z * z) + 1e-6f);
                TarnF8 a = f8_load(w[0] + c), b = f8_load(w[1] + c), d = f8_load(w[2] + c);
                f8_store(out[0] + c, s * (y * d - z * b));
                f8_store(out[1] + c, s * (z * a - x * d));
                f8_store(out[2] + c, s * (x * b - y * a));
            }
        }
    }
}

// ---- Fire --------------------------------------------------------------------------------------

// dT/dt = -c (T / T_max)^4 exactly: T / (1 + 3 dt c T^3 / T_max^4)^(1/3). Only what is warm glows.
TARN_INLINE TarnF8 glow(TarnF8 t, float rate)
{
    TarnF8 warm = f8_max(t, f8_set(0.0f));
    TarnF8 q = rate * ((warm * warm) * warm);
    if (i8_mask_bits(f8_less(f8_set(1e-4f), q)) == 0) return t - t * q * (1.0f / 3.0f);
    return t / f8_pow(1.0f + q, f8_set(1.0f / 3.0f));
}

static const float most_smoke = 1e6f; // of density, however much burns

TARN_INLINE TarnF8 burn_fuel(const GasBurn* b, ptrdiff_t c, TarnF8* heat)
{
    TarnF8 zero = f8_set(0.0f), fuel = f8_load(b->scalar[GAS_FUEL] + c);
    TarnI8 is_hot = f8_less(f8_set(b->ignition), *heat) & f8_less(zero, fuel);
    TarnF8 burnt = f8_select(is_hot, f8_min(fuel, b->share * f8_max(fuel, f8_set(0.1f))), zero);
    TarnF8 hotter = *heat + b->heat * burnt;
    *heat = f8_max(*heat, f8_min(hotter, f8_set(b->max_temperature)));
    f8_store(b->scalar[GAS_FUEL] + c, snap(fuel - burnt));
    return burnt;
}

static void burn_at(const GasBurn* b, ptrdiff_t c)
{
    TarnF8 burnt = f8_set(0.0f);
    if (b->scalar[GAS_TEMPERATURE]) {
        TarnF8 heat = f8_load(b->scalar[GAS_TEMPERATURE] + c);
        if (b->scalar[GAS_FUEL]) burnt = burn_fuel(b, c, &heat);
        heat *= b->keep_heat;
        if (b->fire_cooling > 0.0f) heat = glow(heat, b->fire_cooling);
        f8_store(b->scalar[GAS_TEMPERATURE] + c, snap(heat));
    }
    if (b->expansion) f8_store(b->expansion + c, b->volume * burnt);
    if (b->scalar[GAS_DENSITY]) {
        float* density = b->scalar[GAS_DENSITY] + c;
        TarnF8 smoke = f8_min(f8_load(density) + b->smoke * burnt, f8_set(most_smoke));
        f8_store(density, snap(smoke * b->keep_density));
    }
    for (int s = GAS_RED; s <= GAS_BLUE && b->scalar[s]; ++s) {
        float* color = b->scalar[s] + c;
        TarnF8 soot = f8_min(f8_load(color) + b->soot * burnt, f8_set(most_smoke));
        f8_store(color, snap(soot * b->keep_density));
    }
}

static void burn(const GasBurn* burn, int k0, int k1)
{
    const GasBurn b = *burn;
    for (int k = k0; k < k1; ++k) {
        for (int j = 0; j < b.grid.ny; ++j) {
            for (int i = 0; i < b.grid.nx; i += TARN_LANES)
                burn_at(&b, tarn__grid3_at(&b.grid, i, j, k));
        }
    }
}

// ---- Pressure ----------------------------------------------------------------------------------

TARN_INLINE TarnF8 through(const float* v, const float* w, ptrdiff_t c)
{
    return w ? f8_load(v + c) * f8_load(w + c) : f8_load(v + c);
}

static float divergence(const Grid3* g, float* const v[3], float* const weight[3],
                        const float* expansion, float* rhs, int k0, int k1)
{
    const float* const none[3] = { NULL, NULL, NULL };
    const float* const* w = weight ? (const float* const*)weight : none;
    TarnF8 peak = f8_set(0.0f);
    float rest = 0.0f;
    for (int k = k0; k < k1; ++k) {
        for (int j = 0; j < g->ny; ++j) {
            for (int i = 0; i < g->nx; i += TARN_LANES) {
                ptrdiff_t c = tarn__grid3_at(g, i, j, k);
                TarnF8 x = through(v[0], w[0], c + 1) - through(v[0], w[0], c);
                TarnF8 y = through(v[1], w[1], c + g->row) - through(v[1], w[1], c);
                TarnF8 z = through(v[2], w[2], c + g->slab) - through(v[2], w[2], c);
                TarnF8 d = (x + y) + z;
                if (expansion) d -= f8_load(expansion + c);
                f8_store(rhs + c, d);
                if (i + TARN_LANES <= g->nx) {
                    peak = f8_max(peak, f8_abs(d));
                    continue;
                }
                for (int l = 0; i + l < g->nx; ++l) {
                    float size = d[l] < 0.0f ? -d[l] : d[l];
                    rest = size > rest ? size : rest;
                }
            }
        }
    }
    float most = f8_max_lane(peak);
    return most > rest ? most : rest;
}

static void subtract(const Grid3* g, const float* p, float* v, const float* weight, int component,
                     int k0, int k1)
{
    ptrdiff_t behind = gas_stride(g, component);
    int ny = g->ny + (component == 1 ? 1 : 0);
    for (int k = k0; k < k1; ++k) {
        for (int j = 0; j < ny; ++j) {
            ptrdiff_t c0 = tarn__grid3_at(g, 0, j, k);
            int i = 0;
            for (; i + TARN_LANES <= g->nx; i += TARN_LANES) {
                ptrdiff_t c = c0 + i;
                TarnF8 here = f8_load(v + c);
                TarnF8 next = here - (f8_load(p + c) - f8_load(p + c - behind));
                if (weight)
                    next = f8_select(f8_less(f8_set(0.0f), f8_load(weight + c)), next, here);
                f8_store(v + c, next);
            }
            for (int n = component == 0 ? g->nx + 1 : g->nx; i < n; ++i) {
                ptrdiff_t c = c0 + i;
                if (weight == NULL || weight[c] > 0.0f) v[c] -= p[c] - p[c - behind];
            }
        }
    }
}

// ---- Sums --------------------------------------------------------------------------------------

static double sum(const Grid3* g, const float* field, int k0, int k1)
{
    double total = 0.0;
    for (int k = k0; k < k1; ++k) {
        for (int j = 0; j < g->ny; ++j) {
            const float* row = field + tarn__grid3_at(g, 0, j, k);
            TarnD4 low = { 0.0 }, high = { 0.0 };
            int i = 0;
            for (; i + TARN_LANES <= g->nx; i += TARN_LANES) {
                low += d4_load(row + i);
                high += d4_load(row + i + 4);
            }
            total += d4_sum(low) + d4_sum(high);
            for (; i < g->nx; ++i) total += (double)row[i];
        }
    }
    return total;
}

static double sum_squares(const Grid3* g, const float* field, int k0, int k1)
{
    double total = 0.0;
    for (int k = k0; k < k1; ++k) {
        for (int j = 0; j < g->ny; ++j) {
            const float* row = field + tarn__grid3_at(g, 0, j, k);
            TarnD4 low = { 0.0 }, high = { 0.0 };
            int i = 0;
            for (; i + TARN_LANES <= g->nx; i += TARN_LANES) {
                TarnD4 a = d4_load(row + i), b = d4_load(row + i + 4);
                low += a * a;
                high += b * b;
            }
            total += d4_sum(low) + d4_sum(high);
            for (; i < g->nx; ++i) total += (double)row[i] * (double)row[i];
        }
    }
    return total;
}

static void scale(const Grid3* g, float* field, float factor, int k0, int k1)
{
    for (int k = k0; k < k1; ++k) {
        for (int j = 0; j < g->ny; ++j) {
            float* row = field + tarn__grid3_at(g, 0, j, k);
            for (int i = 0; i < g->nx; i += TARN_LANES)
                f8_store(row + i, f8_load(row + i) * factor);
        }
    }
}

static void add(const Grid3* g, const float* from, float* to, int k0, int k1)
{
    for (int k = k0; k < k1; ++k) {
        for (int j = 0; j < g->ny; ++j) {
            ptrdiff_t c = tarn__grid3_at(g, 0, j, k);
            for (int i = 0; i < g->nx; i += TARN_LANES)
                f8_store(to + c + i, f8_load(to + c + i) + f8_load(from + c + i));
        }
    }
}

const GasKernels TARN_KERNEL(tarn__gas_kernels) = { .push = push,
                                                    .burn = burn,
                                                    .divergence = divergence,
                                                    .subtract = subtract,
                                                    .sum = sum,
                                                    .sum_squares = sum_squares,
                                                    .scale = scale,
                                                    .add = add,
                                                    .diffuse = diffuse,
                                                    .curl = curl,
                                                    .confine = confine };
