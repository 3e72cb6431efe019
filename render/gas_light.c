// How light passes through smoke: a coarse grid with the light that arrives at each point.
//
// Method   Sweeps: slice by slice away from a light, each cell takes what the slice before it let through,
//          bilinearly where the ray comes from, and absorbs its share. One sweep to the sun, five to the
//          sky, one to the ground. What glows spreads by recursive filters along the axes.
// Differs  from rays per cell: the blur that the interpolation adds grows with the distance, as the blur of
//          a real shadow does, and a sweep costs one look at each cell.
// Checked  tests/render/test_gas.c: exp(-depth) behind a slab, symmetric light, any input.
// Cost     23 ms of one core for 66^3 cells that are all full, much less where most are empty.

#include "liquids.h"
#include <string.h>

enum { PAD = 2 };

// ---- Cells -----------------------------------------------------------------------------------------

static TarnResult reserve(TarnContext* ctx, GasLight* l, int cells)
{
    if (cells <= l->capacity) return TARN_OK;
    size_t n = (size_t)cells, side = LIGHT_CELLS + 8 + 2 * PAD, slice = side * side;
    size_t floats = 6 * n + 2 * slice, bytes = floats * sizeof(float) + 4 * n * sizeof(uint16_t);
    float* block = tarn__alloc(ctx, bytes);
    if (!block) return tarn__fail(ctx, TARN_ERR_MEMORY, "renderer: no memory for %d cells", cells);
    tarn__free(ctx, l->extinction, l->bytes);
    l->extinction = block;
    l->glow = block + n;
    l->light = block + 2 * n;
    l->slices[0] = block + 6 * n;
    l->slices[1] = l->slices[0] + slice;
    l->halves = (uint16_t*)(void*)(block + floats);
    l->bytes = bytes;
    l->capacity = cells;
    return TARN_OK;
}

void tarn__gas_light_free(TarnContext* ctx, GasLight* l)
{
    tarn__free(ctx, l->extinction, l->bytes);
    *l = (GasLight){ 0 };
}

TarnResult tarn__gas_light_begin(TarnContext* ctx, GasLight* l, const GasBounds* b)
{
    l->is_empty = true;
    l->n_fires = 0;
    l->fire_color = vec3(0, 0, 0);
    TarnVec3 size = vec3_sub(b->hi, b->lo);
    float longest = fmaxf(fmaxf(size.x, size.y), size.z);
    if (!(longest > 0.0f)) return TARN_OK;
    l->s = fmaxf(longest / LIGHT_CELLS, b->finest);
    l->nx = (int)ceilf(size.x / l->s) + 2;
    l->ny = (int)ceilf(size.y / l->s) + 2;
    l->nz = (int)ceilf(size.z / l->s) + 2;
    int cells = l->nx * l->ny * l->nz;
    TARN_TRY(reserve(ctx, l, cells));
    TarnVec3 middle = vec3_scale(vec3_add(b->lo, b->hi), 0.5f);
    l->lo = vec3_sub(middle, vec3(0.5f * l->s * (float)l->nx, 0.5f * l->s * (float)l->ny,
                                  0.5f * l->s * (float)l->nz));
    memset(l->extinction, 0, (size_t)cells * sizeof(float));
    memset(l->glow, 0, (size_t)cells * sizeof(float));
    l->is_empty = false;
    return TARN_OK;
}

// The cells of a volume that lie in cell i of the light along one axis; at least the one in its middle.
static void overlap(float from, float s, float origin, float dx, int n, int* begin, int* end)
{
    float a = (from - origin) / dx, b = (from + s - origin) / dx;
    *begin = (int)clampf(ceilf(a - 0.5f), 0.0f, (float)n);
    *end = (int)clampf(ceilf(b - 0.5f), 0.0f, (float)n);
    float middle = floorf(0.5f * (a + b));
    if (*end <= *begin && middle >= 0.0f && middle < (float)n)
        *begin = (int)middle, *end = *begin + 1;
}

static float luminance_of(TarnVec3 c)
{
    return 0.2126f * c.x + 0.7152f * c.y + 0.0722f * c.z;
}

// All of a volume's heat as one lamp.
static void add_heat(GasLight* l, const GasVolume* v)
{
    double sum[4] = { 0 }, color[3] = { 0 }, square = 0.0;
    const float* cell = v->cells;
    for (int k = 0; k < v->nz; ++k)
        for (int j = 0; j < v->ny; ++j)
            for (int i = 0; i < v->nx; ++i, cell += 2) {
                if (v->ambient + cell[1] < 650.0f) continue;
                TarnVec3 c = vec3_scale(tarn__heat_color(v->heat, v->ambient + cell[1]),
                                        v->glow * v->dx * v->dx * v->dx);
                double w = luminance_of(c), p[3] = { i + 0.5, j + 0.5, k + 0.5 };
                sum[3] += w;
                color[0] += c.x, color[1] += c.y, color[2] += c.z;
                for (int a = 0; a < 3; ++a) sum[a] += w * p[a], square += w * p[a] * p[a];
            }
    if (!(sum[3] > 0.0)) return;
    double x = sum[0] / sum[3], y = sum[1] / sum[3], z = sum[2] / sum[3];
    double spread = fmax(square / sum[3] - x * x - y * y - z * z, 0.0);
    // What glows absorbs its own light, as the march has it: soot.
    float radius = v->dx * (float)sqrt(spread + 1.0), depth = 2.0f * v->soot * radius;
    double out = depth > 0.0f ? (1.0 - exp(-(double)depth)) / (double)depth : 1.0;
    Fire f = { .place = vec3_add(v->origin, vec3_scale(vec3((float)x, (float)y, (float)z), v->dx)),
               .color =
                   vec3((float)(out * color[0]), (float)(out * color[1]), (float)(out * color[2])),
               .radius = radius,
               .is_in_mirrors = true };
    tarn__gas_light_fire(l, &f);
}

// Mean extinction and glow of the cells of the volume in one cell of the light.
static void add_cell(GasLight* l, const GasVolume* v, int c, const int b[3], const int e[3])
{
    int n = (e[0] - b[0]) * (e[1] - b[1]) * (e[2] - b[2]);
    float absorb = 0.0f, glow = 0.0f;
    for (int k = b[2]; k < e[2]; ++k)
        for (int j = b[1]; j < e[1]; ++j) {
            const float* cell =
                v->cells +
                2 * ((size_t)b[0] + (size_t)v->nx * ((size_t)j + (size_t)v->ny * (size_t)k));
            for (int i = b[0]; i < e[0]; ++i, cell += 2) {
                absorb += cell[0];
                if (v->has_heat && v->ambient + cell[1] > 650.0f)
                    glow += v->glow * luminance_of(tarn__heat_color(v->heat, v->ambient + cell[1]));
            }
        }
    l->extinction[c] += absorb / (float)n;
    l->glow[c] += glow / (float)n;
}

void tarn__gas_light_add(GasLight* l, const GasVolume* v)
{
    if (l->is_empty || v->is_empty) return;
    int c = 0, b[3], e[3];
    for (int k = 0; k < l->nz; ++k) {
        overlap(l->lo.z + l->s * (float)k, l->s, v->origin.z, v->dx, v->nz, &b[2], &e[2]);
        for (int j = 0; j < l->ny; ++j) {
            overlap(l->lo.y + l->s * (float)j, l->s, v->origin.y, v->dx, v->ny, &b[1], &e[1]);
            for (int i = 0; i < l->nx; ++i, ++c) {
                overlap(l->lo.x + l->s * (float)i, l->s, v->origin.x, v->dx, v->nx, &b[0], &e[0]);
                if (e[0] > b[0] && e[1] > b[1] && e[2] > b[2]) add_cell(l, v, c, b, e);
            }
        }
    }
    if (v->has_heat) add_heat(l, v);
}

// Shared by the eight cells around it.
void tarn__gas_light_splat(GasLight* l, TarnVec3 at, float area, TarnVec3 glow)
{
    if (l->is_empty) return;
    TarnVec3 q = vec3_scale(vec3_sub(at, l->lo), 1.0f / l->s);
    q = vec3_sub(q, vec3(0.5f, 0.5f, 0.5f));
    if (!(q.x >= 0.0f && q.y >= 0.0f && q.z >= 0.0f)) return; // NaN too
    if (!(q.x < (float)(l->nx - 1) && q.y < (float)(l->ny - 1) && q.z < (float)(l->nz - 1))) return;
    int i = (int)q.x, j = (int)q.y, k = (int)q.z;
    float x = q.x - (float)i, y = q.y - (float)j, z = q.z - (float)k;
    float shine = luminance_of(glow), volume = l->s * l->s * l->s;
    for (int n = 0; n < 8; ++n) {
        float w = (n & 1 ? x : 1.0f - x) * (n & 2 ? y : 1.0f - y) * (n & 4 ? z : 1.0f - z) / volume;
        int c = i + (n & 1) + l->nx * (j + (n >> 1 & 1) + l->ny * (k + (n >> 2)));
        l->extinction[c] += w * area;
        l->glow[c] += w * shine;
    }
}

// Into a free place, or together with the nearest.
void tarn__gas_light_fire(GasLight* l, const Fire* fire)
{
    if (l->n_fires < MAX_FIRES) {
        l->fires[l->n_fires++] = *fire;
        return;
    }
    Fire* f = &l->fires[0];
    for (int i = 1; i < MAX_FIRES; ++i)
        if (vec3_length(vec3_sub(l->fires[i].place, fire->place)) <
            vec3_length(vec3_sub(f->place, fire->place)))
            f = &l->fires[i];
    float a = luminance_of(f->color), b = luminance_of(fire->color), t = b / fmaxf(a + b, 1e-20f);
    float apart = vec3_length(vec3_sub(f->place, fire->place));
    f->radius = lerpf(f->radius, fire->radius, t) + t * (1.0f - t) * apart;
    f->place = vec3_add(vec3_scale(f->place, 1.0f - t), vec3_scale(fire->place, t));
    f->color = vec3_add(f->color, fire->color);
    if (b > a) f->is_in_mirrors = fire->is_in_mirrors;
}

// ---- Sweeps ----------------------------------------------------------------------------------------

typedef struct Sweep {
    int n, nb, nc;            // slices, cells across
    int step, step_b, step_c; // from cell to cell
    int start;
    float db, dc; // how far the light comes from aside per slice [cells]
    float way;    // through a cell [m]
} Sweep;

static Sweep sweep_of(const GasLight* l, TarnVec3 to)
{
    const int n[3] = { l->nx, l->ny, l->nz }, steps[3] = { 1, l->nx, l->nx * l->ny };
    const float d[3] = { to.x, to.y, to.z };
    int a = fabsf(d[0]) > fabsf(d[1]) ? 0 : 1;
    if (fabsf(d[2]) > fabsf(d[a])) a = 2;
    int b = (a + 1) % 3, c = (a + 2) % 3;
    Sweep s = { .n = n[a], .nb = n[b], .nc = n[c], .step_b = steps[b], .step_c = steps[c] };
    s.step = d[a] > 0.0f ? -steps[a] : steps[a]; // away from the light
    s.start = d[a] > 0.0f ? (n[a] - 1) * steps[a] : 0;
    s.db = d[b] / fabsf(d[a]), s.dc = d[c] / fabsf(d[a]);
    s.way = l->s / fabsf(d[a]);
    return s;
}

// Adds weight times the share of the light from there that arrives, to one of the four values.
static void sweep(GasLight* l, TarnVec3 to, int value, float weight)
{
    const Sweep s = sweep_of(l, to);
    int row = s.nb + 2 * PAD, size = row * (s.nc + 2 * PAD);
    float *before = l->slices[0], *after = l->slices[1];
    for (int i = 0; i < size; ++i) before[i] = after[i] = 1.0f;
    int ib = (int)floorf(s.db), ic = (int)floorf(s.dc);
    float fb = s.db - (float)ib, fc = s.dc - (float)ic;
    for (int m = 0; m < s.n; ++m) {
        for (int k = 0; k < s.nc; ++k) {
            const float* from = before + PAD + ib + row * (k + PAD + ic);
            float* to_row = after + PAD + row * (k + PAD);
            int c = s.start + m * s.step + k * s.step_c;
            for (int j = 0; j < s.nb; ++j, c += s.step_b) {
                float x = from[j] * (1.0f - fb) + from[j + 1] * fb;
                float y = from[j + row] * (1.0f - fb) + from[j + row + 1] * fb;
                float in = m == 0 ? 1.0f : x * (1.0f - fc) + y * fc, half = 1.0f;
                if (l->extinction[c] > 0.0f) half = expf(-0.5f * l->extinction[c] * s.way);
                l->light[4 * c + value] += weight * in * half;
                to_row[j] = in * half * half;
            }
        }
        float* swap = before;
        before = after;
        after = swap;
    }
}

// ---- Fire ------------------------------------------------------------------------------------------

// What glows, spread along one axis: the sum of a^|distance|, smoke on the way absorbs some.
static void spread(GasLight* l, int n, int step, int first, float a)
{
    float *g = l->glow + first, keep = (1.0f - a) / (1.0f + a), sum = 0.0f, there[LIGHT_CELLS + 8];
    for (int i = 0; i < n; ++i) {
        float through = a / (1.0f + 0.5f * l->extinction[first + i * step] * l->s);
        there[i] = sum = g[i * step] + through * sum;
    }
    sum = 0.0f;
    for (int i = n - 1; i >= 0; --i) {
        float through = a / (1.0f + 0.5f * l->extinction[first + i * step] * l->s);
        float own = g[i * step];
        sum = own + through * sum;
        g[i * step] = keep * (there[i] + sum - own);
    }
}

static void spread_all(GasLight* l)
{
    const int n[3] = { l->nx, l->ny, l->nz }, steps[3] = { 1, l->nx, l->nx * l->ny };
    float reach = 0.09f * l->s * (float)maxi(maxi(l->nx, l->ny), l->nz), a = expf(-l->s / reach);
    for (int pass = 0; pass < 6; ++pass) {
        int x = pass % 3, y = (x + 1) % 3, z = (x + 2) % 3;
        for (int k = 0; k < n[z]; ++k)
            for (int j = 0; j < n[y]; ++j)
                spread(l, n[x], steps[x], j * steps[y] + k * steps[z], a);
    }
    int cells = l->nx * l->ny * l->nz;
    for (int c = 0; c < cells; ++c) l->light[4 * c + 3] = 2.0f * reach * l->glow[c];
}

void tarn__gas_light_finish(GasLight* l, TarnVec3 sun)
{
    if (l->is_empty) return;
    size_t cells = (size_t)l->nx * (size_t)l->ny * (size_t)l->nz;
    memset(l->light, 0, 4 * cells * sizeof(float));
    sweep(l, sun, 0, 1.0f);
    sweep(l, vec3(0, 1, 0), 1, 0.36f);
    for (int i = 0; i < 4; ++i) {
        float side = i & 1 ? 0.8f : -0.8f;
        sweep(l, i < 2 ? vec3(side, 0.6f, 0) : vec3(0, 0.6f, side), 1, 0.16f);
    }
    sweep(l, vec3(0, -1, 0), 2, 1.0f);
    TarnVec3 sum = vec3(0, 0, 0);
    for (int i = 0; i < l->n_fires; ++i) sum = vec3_add(sum, l->fires[i].color);
    float luminance = luminance_of(sum);
    if (!(luminance > 0.0f)) return;
    l->fire_color = vec3_scale(sum, 1.0f / luminance);
    spread_all(l);
}

// As the shaders read it: beyond the last cells as in them.
void tarn__gas_light_at(const GasLight* l, TarnVec3 p, float out[4])
{
    const int n[3] = { l->nx, l->ny, l->nz }, steps[3] = { 4, 4 * l->nx, 4 * l->nx * l->ny };
    TarnVec3 d = vec3_scale(vec3_sub(p, l->lo), 1.0f / l->s);
    const float q[3] = { d.x, d.y, d.z };
    int at = 0, next[3];
    float t[3];
    for (int a = 0; a < 3; ++a) {
        float x = clampf(q[a] - 0.5f, 0.0f, (float)(n[a] - 1));
        int i = mini((int)x, n[a] - 1);
        t[a] = x - (float)i;
        at += i * steps[a];
        next[a] = i + 1 < n[a] ? steps[a] : 0;
    }
    for (int v = 0; v < 4; ++v) {
        const float* x = l->light + at + v;
        float e[4];
        for (int i = 0; i < 4; ++i) {
            const float* y = x + (i & 1 ? next[1] : 0) + (i & 2 ? next[2] : 0);
            e[i] = lerpf(y[0], y[next[0]], t[0]);
        }
        out[v] = lerpf(lerpf(e[0], e[1], t[1]), lerpf(e[2], e[3], t[1]), t[2]);
    }
}
