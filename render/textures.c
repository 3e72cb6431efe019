// Pictures for the materials: ripples of the wind and cloud noise, computed at creation; pool tiles, stone
// slabs, sand, and those of land, computed when they are first drawn. All of them repeat without a seam.

#include "fields.h"

enum { LARGE = 1024, SMALL = 512, RIPPLES = 256 };

static uint32_t mix_bits(uint32_t x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ (x >> 16);
}

static float random_in(uint32_t row, int i)
{
    return (float)(mix_bits((uint32_t)i + row) >> 8) * 0x1p-24f;
}

static float random01(int i, int k, uint32_t seed)
{
    return random_in(mix_bits((uint32_t)k + mix_bits(seed)), i);
}

// Value noise with `period` cells over x, y in 0..1.
static float noise(float x, float y, int period, uint32_t seed)
{
    x *= (float)period, y *= (float)period;
    int i0 = (int)x, k0 = (int)y;
    float u = smoothf(0, 1, x - (float)i0), v = smoothf(0, 1, y - (float)k0);
    int i1 = i0 + 1 < period ? i0 + 1 : 0, k1 = k0 + 1 < period ? k0 + 1 : 0;
    uint32_t base = mix_bits(seed);
    uint32_t row0 = mix_bits((uint32_t)k0 + base), row1 = mix_bits((uint32_t)k1 + base);
    float a = lerpf(random_in(row0, i0), random_in(row0, i1), u);
    float b = lerpf(random_in(row1, i0), random_in(row1, i1), u);
    return lerpf(a, b, v);
}

float tarn__fractal(float x, float y, int period, int octaves, uint32_t seed)
{
    float sum = 0.0f, weight = 0.5f, total = 0.0f;
    for (int o = 0; o < octaves; ++o, weight *= 0.5f, period *= 2) {
        sum += weight * noise(x, y, period, seed + (uint32_t)o);
        total += weight;
    }
    return sum / total;
}

// ---- Rows of noise: drawing the first basin takes fifteen million of them, so divisions and hashes matter --------

enum { MAX_LAYERS = 4, MAX_PERIOD = 256 };
typedef struct Layer { // a fractal, as tarn__fractal; one octave: value noise
    int period, octaves;
    uint32_t seed;
} Layer;

// Adds weight * noise() of the pixels of a row, whose corners are hashed once. The same bits as noise() gives.
static void add_noise(float* row, int side, float y, int period, uint32_t seed, float weight)
{
    float low[MAX_PERIOD + 1], high[MAX_PERIOD + 1];
    y *= (float)period;
    int k0 = (int)y, k1 = k0 + 1 < period ? k0 + 1 : 0;
    float v = smoothf(0, 1, y - (float)k0);
    uint32_t base = mix_bits(seed);
    uint32_t row0 = mix_bits((uint32_t)k0 + base), row1 = mix_bits((uint32_t)k1 + base);
    for (int i = 0; i < period; ++i) low[i] = random_in(row0, i), high[i] = random_in(row1, i);
    low[period] = low[0], high[period] = high[0];
    for (int i = 0; i < side; ++i) {
        float x = ((float)i + 0.5f) / (float)side * (float)period;
        int i0 = (int)x;
        float u = smoothf(0, 1, x - (float)i0);
        row[i] +=
            weight * lerpf(lerpf(low[i0], low[i0 + 1], u), lerpf(high[i0], high[i0 + 1], u), v);
    }
}

static void fractal_row(float* row, int side, int k, const Layer* layer)
{
    float y = ((float)k + 0.5f) / (float)side, weight = 0.5f, total = 0.0f;
    memset(row, 0, (size_t)side * sizeof *row);
    for (int o = 0, period = layer->period; o < layer->octaves; ++o, weight *= 0.5f, period *= 2) {
        add_noise(row, side, y, period, layer->seed + (uint32_t)o, weight);
        total += weight;
    }
    for (int i = 0; i < side; ++i) row[i] /= total;
}

// ---- Pixels ---------------------------------------------------------------------------------------------

static uint8_t byte(float x)
{
    return (uint8_t)(clampf(x, 0.0f, 1.0f) * 255.0f + 0.5f);
}

static void put(uint8_t* to, float r, float g, float b, float a)
{
    to[0] = byte(r), to[1] = byte(g), to[2] = byte(b), to[3] = byte(a);
}

// n: of the layers of the picture.
typedef void Painter(float x, float y, const float n[MAX_LAYERS], uint8_t* to);

// 16 x 16 glazed tiles with grout. Alpha: gloss.
static const Layer tile_layers[MAX_LAYERS] = { { 32, 3, 7 } };
static void paint_tile(float x, float y, const float n[MAX_LAYERS], uint8_t* to)
{
    float u = x * 16.0f, v = y * 16.0f;
    int i = (int)u, k = (int)v;
    float du = fabsf(u - (float)i - 0.5f), dv = fabsf(v - (float)k - 0.5f);
    float edge = 0.5f - (du > dv ? du : dv);            // distance to the joint's middle
    float grout = 1.0f - smoothf(0.022f, 0.050f, edge); // 1 in the joint
    float rounded = smoothf(0.03f, 0.14f, edge);        // the glaze thins out to the rim
    float shade = 0.93f + 0.07f * random01(i, k, 5);
    float tint = random01(i, k, 6);
    float mottle = 0.97f + 0.03f * n[0];
    float s = shade * mottle * (0.93f + 0.07f * rounded);
    float r = s * (0.66f + 0.05f * tint), g = s * (0.81f + 0.02f * tint), b = s * 0.86f;
    put(to, lerpf(r, 0.50f, grout), lerpf(g, 0.62f, grout), lerpf(b, 0.66f, grout), 1.0f - grout);
}

// 4 x 4 slabs, every second row shifted by half a slab.
static const Layer stone_layers[MAX_LAYERS] = { { 32, 3, 21 }, { 16, 5, 12 }, { 256, 1, 13 } };
static void paint_stone(float x, float y, const float n[MAX_LAYERS], uint8_t* to)
{
    float v = y * 4.0f;
    int k = (int)v;
    float u = x * 4.0f + (k & 1 ? 0.5f : 0.0f);
    int i = (int)u % 4;
    float fu = u - floorf(u), fv = v - (float)k;
    float du = 0.5f - fabsf(fu - 0.5f), dv = 0.5f - fabsf(fv - 0.5f);
    float wobble = 0.004f * (n[0] - 0.5f);
    float edge = (du < dv ? du : dv) + wobble;
    float joint = 1.0f - smoothf(0.006f, 0.018f, edge);
    float shade = 0.86f + 0.14f * random01(i, k, 11);
    float grain = n[1], speck = n[2];
    float s = shade * (0.86f + 0.18f * grain) * (0.97f + 0.05f * speck);
    s *= lerpf(1.0f, 0.62f, joint);
    float warm = random01(i, k, 14);
    put(to, s * 0.86f, s * (0.82f + 0.01f * warm), s * (0.745f + 0.035f * warm), 1.0f - joint);
}

// Grains and soft patches. Red, green, blue are brightness at three grain sizes.
static const Layer sand_layers[MAX_LAYERS] = {
    { 256, 1, 31 }, { 128, 1, 32 }, { 4, 5, 33 }, { 16, 4, 34 }
};
static void paint_sand(float x, float y, const float n[MAX_LAYERS], uint8_t* to)
{
    (void)x, (void)y;
    put(to, n[0] * 0.6f + n[1] * 0.4f, n[2], n[3], 1.0f);
}

// Four unrelated fractals: clouds and everything that wants to look irregular.
static const Layer noise_layers[MAX_LAYERS] = {
    { 4, 6, 41 }, { 8, 5, 42 }, { 3, 5, 43 }, { 64, 1, 44 }
};
static void paint_noise(float x, float y, const float n[MAX_LAYERS], uint8_t* to)
{
    (void)x, (void)y;
    put(to, n[0], n[1], n[2], n[3]);
}

// Distances to the nearest and second nearest of points strewn over n x n cells [cells].
void tarn__nearest_two(float x, float y, int n, uint32_t seed, float out[2])
{
    x *= (float)n, y *= (float)n;
    int i = (int)x, k = (int)y;
    out[0] = out[1] = 9.0f;
    for (int b = k - 1; b <= k + 1; ++b)
        for (int a = i - 1; a <= i + 1; ++a) {
            int wa = (a + n) % n, wb = (b + n) % n;
            float px = (float)a + random01(wa, wb, seed),
                  py = (float)b + random01(wa, wb, seed + 1);
            float d = sqrtf((px - x) * (px - x) + (py - y) * (py - y));
            if (d < out[0])
                out[1] = out[0], out[0] = d;
            else if (d < out[1])
                out[1] = d;
        }
}

// A net of bright lines with a soft glow around them, as the sun draws it under ripples.
static float light_net(float x, float y)
{
    float wx = x + 0.035f * (tarn__fractal(x, y, 5, 3, 71) - 0.5f);
    float wy = y + 0.035f * (tarn__fractal(x, y, 5, 3, 72) - 0.5f), d[2];
    tarn__nearest_two(wx < 0 ? wx + 1 : wx, wy < 0 ? wy + 1 : wy, 7, 73, d);
    float line = clampf(d[1] - d[0], 0.0f, 1.0f);
    return clampf(0.10f + 0.9f * expf(-9.0f * line), 0.0f, 1.0f);
}

// Bubbles of several sizes that stick together: 1 where foam stays longest.
static float bubbles(float x, float y)
{
    float d[2], e[2];
    tarn__nearest_two(x, y, 11, 81, d);
    tarn__nearest_two(x, y, 29, 83, e);
    float cells = 1.0f - clampf(1.1f * d[0], 0.0f, 1.0f), small = clampf(1.2f * e[0], 0.0f, 1.0f);
    float clumps = tarn__fractal(x, y, 6, 4, 85);
    return clampf(0.25f + 1.2f * (clumps - 0.5f) + 0.45f * (1.0f - cells) * small + 0.15f, 0.0f,
                  1.0f);
}

// Slopes of many small waves that fit the square, red along x, green along y; 0.5 is level. Blue: the
// net of light, alpha: bubbles of foam.
enum { N_WAVES = 28 };
typedef struct Ripples {
    int kx[N_WAVES], ky[N_WAVES];
    float height[N_WAVES], cosine[N_WAVES][RIPPLES]; // over one wavelength
    uint8_t* pixels;
} Ripples;

static void paint_ripple_row(int k, void* data)
{
    const Ripples* r = data;
    for (int i = 0; i < RIPPLES; ++i) {
        float sx = 0.0f, sy = 0.0f;
        for (int w = 0; w < N_WAVES; ++w) {
            float c = r->cosine[w][(unsigned)(r->kx[w] * i + r->ky[w] * k) % RIPPLES];
            sx += r->height[w] * (float)r->kx[w] * c;
            sy += r->height[w] * (float)r->ky[w] * c;
        }
        float x = ((float)i + 0.5f) / RIPPLES, y = ((float)k + 0.5f) / RIPPLES;
        put(r->pixels + 4 * (i + RIPPLES * k), 0.5f + 0.11f * sx, 0.5f + 0.11f * sy,
            light_net(x, y), bubbles(x, y));
    }
}

static void paint_ripples(TarnContext* ctx, uint8_t* pixels)
{
    Ripples r = { .pixels = pixels };
    for (int w = 0; w < N_WAVES; ++w) {
        float angle = 6.2831853f * random01(w, 0, 51);
        float number = 3.0f + 13.0f * random01(w, 1, 51) * random01(w, 2, 51);
        r.kx[w] = (int)roundf(number * cosf(angle));
        r.ky[w] = (int)roundf(number * sinf(angle));
        float phase = 6.2831853f * random01(w, 3, 51);
        r.height[w] = 1.0f / powf(2.0f + number, 1.3f);
        for (int n = 0; n < RIPPLES; ++n)
            r.cosine[w][n] = cosf(6.2831853f * (float)n / RIPPLES + phase);
    }
    tarn__parallel_for(ctx, RIPPLES, paint_ripple_row, &r);
}

typedef struct Painting {
    uint8_t* pixels;
    int side;
    const Layer* layers;
    Painter* painter;
} Painting;

static void paint_row(int k, void* data)
{
    const Painting* p = data;
    float rows[MAX_LAYERS][LARGE] = { 0 };
    for (int l = 0; l < MAX_LAYERS; ++l)
        if (p->layers[l].octaves > 0) fractal_row(rows[l], p->side, k, &p->layers[l]);
    for (int i = 0; i < p->side; ++i) {
        const float n[MAX_LAYERS] = { rows[0][i], rows[1][i], rows[2][i], rows[3][i] };
        p->painter(((float)i + 0.5f) / (float)p->side, ((float)k + 0.5f) / (float)p->side, n,
                   p->pixels + 4 * (i + p->side * k));
    }
}

static GLuint paint(TarnContext* ctx, uint8_t* pixels, int side, const Layer* layers,
                    Painter* painter)
{
    Painting painting = { pixels, side, layers, painter };
    tarn__parallel_for(ctx, side, paint_row, &painting);
    return tarn__texture_create(side, side, GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, pixels, true,
                                GL_REPEAT);
}

TarnResult tarn__textures_create(TarnContext* ctx, MaterialTextures* out)
{
    if (out->ripple) return TARN_OK;
    size_t bytes = (size_t)SMALL * SMALL * 4;
    uint8_t* pixels = tarn__alloc(ctx, bytes);
    if (!pixels) return tarn__fail(ctx, TARN_ERR_MEMORY, "renderer: no memory for its textures");
    out->noise = paint(ctx, pixels, SMALL, noise_layers, paint_noise);
    paint_ripples(ctx, pixels);
    out->ripple = tarn__texture_create(RIPPLES, RIPPLES, GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE,
                                       pixels, true, GL_REPEAT);
    tarn__free(ctx, pixels, bytes);
    return TARN_OK;
}

TarnResult tarn__basin_textures(TarnContext* ctx, MaterialTextures* out)
{
    if (out->tile) return TARN_OK;
    size_t bytes = (size_t)LARGE * LARGE * 4;
    uint8_t* pixels = tarn__alloc(ctx, bytes);
    if (!pixels) return tarn__fail(ctx, TARN_ERR_MEMORY, "renderer: no memory for its textures");
    out->tile = paint(ctx, pixels, LARGE, tile_layers, paint_tile);
    out->stone = paint(ctx, pixels, LARGE, stone_layers, paint_stone);
    out->sand = paint(ctx, pixels, SMALL, sand_layers, paint_sand);
    tarn__free(ctx, pixels, bytes);
    return TARN_OK;
}

// ---- Land ---------------------------------------------------------------------------------------

// Slopes of a rough ground along x and y, its height, and patches larger than it. 0.5 is the mean.
static void paint_rough(uint8_t* pixels, float* heights)
{
    static const Layer ground = { 8, 6, 61 }, patches = { 3, 4, 62 };
    float patch[SMALL];
    for (int k = 0; k < SMALL; ++k) fractal_row(heights + SMALL * k, SMALL, k, &ground);
    for (int k = 0; k < SMALL; ++k) {
        fractal_row(patch, SMALL, k, &patches);
        for (int i = 0; i < SMALL; ++i) {
            float h = heights[i + SMALL * k];
            float sx = heights[(i + 1) % SMALL + SMALL * k] - h;
            float sy = heights[i + SMALL * ((k + 1) % SMALL)] - h;
            put(pixels + 4 * (i + SMALL * k), 0.5f + 8.0f * sx, 0.5f + 8.0f * sy,
                0.5f + 1.3f * (h - 0.5f), 0.5f + 1.5f * (patch[i] - 0.5f));
        }
    }
}

TarnResult tarn__land_textures(TarnContext* ctx, MaterialTextures* out)
{
    size_t bytes = (size_t)SMALL * SMALL * 8;
    uint8_t* pixels = tarn__alloc(ctx, bytes);
    if (!pixels) return tarn__fail(ctx, TARN_ERR_MEMORY, "renderer: no memory for its textures");
    paint_rough(pixels, (float*)(void*)(pixels + bytes / 2));
    out->rough = tarn__texture_create(SMALL, SMALL, GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, pixels,
                                      true, GL_REPEAT);
    tarn__free(ctx, pixels, bytes);
    return TARN_OK;
}

void tarn__textures_destroy(MaterialTextures* t)
{
    GLuint ids[] = { t->tile, t->stone, t->sand, t->noise, t->ripple, t->rough, t->atlas };
    glDeleteTextures(7, ids);
    *t = (MaterialTextures){ 0 };
}
