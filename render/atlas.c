// Pictures of particles, painted at start-up into one texture of 4 x 4 tiles, in the order of
// TarnParticleTexture. Red: how much a point covers. Green: how bright it is, 1 in the middle of a flame. Blue and
// alpha: slopes of its surface, 0.5 is level. Tiles end empty, so that neighbors do not show.

#include "fields.h"

enum { TILE = 128, TILES = 4, SIDE = TILE * TILES };

typedef struct Dot { // of a tile
    float cover, bright;
} Dot;

typedef struct Spot {    // x, y: -1 to 1; +x is where particles move to
    float x, y, r, soft; // distance from the middle; 1 there, 0 at the rim
    float u, v;          // 0 to 1
} Spot;

static float noise_of(const Spot* s, int period, uint32_t seed)
{
    return tarn__fractal(s->u, s->v, period, 5, seed);
}

static Dot paint_puff(const Spot* s)
{
    float n = noise_of(s, 3, 101);
    float body =
        smoothf(0.05f, 0.95f, s->soft * 0.95f + (n - 0.5f) * 0.7f * (1.0f - 0.4f * s->soft));
    return (Dot){ body * smoothf(0.0f, 0.12f, s->soft), s->soft * s->soft * (0.55f + 0.9f * n) };
}

static Dot paint_smoke(const Spot* s)
{
    float d[2], n = noise_of(s, 4, 111), m = noise_of(s, 9, 115);
    tarn__nearest_two(s->u, s->v, 6, 112, d);
    float billow = clampf(1.0f - 1.1f * d[0], 0.0f, 1.0f);
    float body = s->soft * 1.05f + 0.75f * (n - 0.5f) + 0.35f * (billow - 0.5f) + 0.4f * (m - 0.5f);
    return (Dot){ smoothf(0.15f, 0.85f, body) * smoothf(0.0f, 0.25f, s->soft),
                  clampf(0.25f + 0.6f * billow + 0.7f * (n - 0.5f), 0.0f, 1.0f) };
}

static Dot paint_wisp(const Spot* s)
{
    Spot bent = *s;
    bent.u = clampf(s->u + 0.25f * (noise_of(s, 3, 121) - 0.5f), 0.0f, 0.999f);
    bent.v = clampf(s->v + 0.25f * (noise_of(s, 3, 122) - 0.5f), 0.0f, 0.999f);
    float ridge = 1.0f - fabsf(2.0f * noise_of(&bent, 4, 123) - 1.0f);
    float thread = ridge * ridge * ridge * ridge;
    return (Dot){ smoothf(0.25f, 1.0f, thread) * smoothf(0.0f, 0.6f, s->soft),
                  0.3f + 0.6f * ridge };
}

static Dot paint_curl(const Spot* s)
{
    float n = noise_of(s, 4, 131), turn = atan2f(s->y, s->x) + 4.2f * s->r + 3.0f * (n - 0.5f);
    float arm = 0.5f + 0.5f * cosf(2.0f * turn);
    float body = (0.25f + 0.75f * arm * arm) * smoothf(0.0f, 0.7f, s->soft) * (0.45f + 1.1f * n);
    return (Dot){ clampf(body, 0.0f, 1.0f) * smoothf(0.0f, 0.2f, s->soft), 0.2f + 0.7f * arm };
}

static Dot paint_steam(const Spot* s)
{
    float n = noise_of(s, 3, 141);
    return (Dot){ s->soft * s->soft * clampf(0.2f + 1.3f * (n - 0.2f), 0.0f, 1.0f),
                  0.5f + 0.5f * n };
}

static Dot paint_flame(const Spot* s)
{
    float n = 0.65f * noise_of(s, 3, 151) + 0.35f * noise_of(s, 7, 152);
    float body = smoothf(0.25f, 0.62f, s->soft * 0.85f + (n - 0.5f) * 1.5f);
    float heart = smoothf(0.2f, 1.0f, s->soft * 0.9f + (n - 0.5f) * 0.9f);
    return (Dot){ body * smoothf(0.0f, 0.2f, s->soft), heart };
}

static Dot paint_tongue(const Spot* s)
{
    float t = s->u, n = noise_of(s, 4, 161);
    float width = 1.35f * sqrtf(t) * powf(1.0f - t, 0.8f) + 1e-3f;
    float y = s->y + 0.5f * t * (n - 0.5f),
          d = fabsf(y) / width + 0.8f * (noise_of(s, 8, 162) - 0.5f);
    float body = 1.0f - smoothf(0.45f, 1.0f, d);
    return (Dot){ body * smoothf(0.0f, 0.15f, s->soft),
                  clampf((1.0f - d) * (1.15f - 0.8f * t), 0.0f, 1.0f) };
}

static Dot paint_spark(const Spot* s)
{
    float core = expf(-28.0f * s->r * s->r), halo = s->soft * s->soft * s->soft * 0.18f;
    return (Dot){ clampf(core + halo, 0.0f, 1.0f), clampf(core + 3.0f * halo, 0.0f, 1.0f) };
}

static Dot paint_streak(const Spot* s)
{
    float line = expf(-9.0f * s->y * s->y);
    return (Dot){ s->soft * s->soft * (0.55f + 0.45f * line), 0.65f + 0.35f * line };
}

static Dot paint_drop(const Spot* s)
{
    float disc = 1.0f - smoothf(0.80f, 0.96f, s->r), rim = smoothf(0.45f, 0.85f, s->r);
    float dx = s->x + 0.30f, dy = s->y - 0.35f, gleam = expf(-22.0f * (dx * dx + dy * dy));
    return (Dot){ clampf(disc * (0.30f + 0.55f * rim) + gleam, 0.0f, 1.0f),
                  clampf(0.55f + 0.2f * s->y + gleam, 0.0f, 1.0f) };
}

static Dot paint_splash(const Spot* s)
{
    float d[2], e[2];
    tarn__nearest_two(s->u, s->v, 7, 171, d);
    tarn__nearest_two(s->u, s->v, 13, 173, e);
    float large = 1.0f - smoothf(0.22f, 0.34f, d[0]), small = 1.0f - smoothf(0.18f, 0.30f, e[0]);
    float edge = smoothf(0.05f, 0.6f, s->soft + 0.5f * (noise_of(s, 3, 175) - 0.5f));
    return (Dot){ fmaxf(large, 0.8f * small) * edge, 0.7f + 0.3f * large };
}

static Dot paint_foam(const Spot* s)
{
    float d[2], e[2], n = noise_of(s, 4, 181);
    tarn__nearest_two(s->u, s->v, 7, 182, d);
    tarn__nearest_two(s->u, s->v, 14, 184, e);
    float walls = clampf(1.0f - 3.0f * (d[1] - d[0]), 0.0f, 1.0f);
    float fine = clampf(1.0f - 3.0f * (e[1] - e[0]), 0.0f, 1.0f);
    float where = smoothf(0.2f, 0.7f, s->soft + 0.9f * (n - 0.5f));
    return (Dot){ where * clampf(0.25f + 0.6f * walls + 0.4f * fine, 0.0f, 1.0f),
                  0.6f + 0.4f * walls };
}

static Dot paint_dust(const Spot* s)
{
    float n = noise_of(s, 4, 191), grain = noise_of(s, 40, 192);
    float haze = s->soft * clampf(0.1f + 1.1f * (n - 0.1f), 0.0f, 1.0f);
    float grains = smoothf(0.62f, 0.72f, grain) * smoothf(0.0f, 0.5f, s->soft);
    return (Dot){ clampf(0.65f * haze + 0.6f * grains, 0.0f, 1.0f), 0.4f + 0.6f * n };
}

static Dot paint_star(const Spot* s)
{
    float core = expf(-30.0f * s->r * s->r);
    float across = expf(-22.0f * fabsf(s->y)) + expf(-22.0f * fabsf(s->x));
    float spikes = across * s->soft * s->soft * 0.55f;
    return (Dot){ clampf(core + spikes, 0.0f, 1.0f), clampf(core + spikes, 0.0f, 1.0f) };
}

static Dot paint_snow(const Spot* s)
{
    const float sixth = 1.04719755f;
    float angle = atan2f(s->y, s->x), fold = fabsf(angle - sixth * roundf(angle / sixth));
    float x = s->r * cosf(fold), y = s->r * sinf(fold);
    float arm = 1.0f - smoothf(0.02f, 0.06f, y), twig = 0.0f;
    for (int i = 0; i < 3; ++i) { // twigs leave the arm at 60 degrees
        float from = 0.3f + 0.2f * (float)i, across = fabsf(0.866f * (x - from) - 0.5f * y);
        twig = fmaxf(twig, (1.0f - smoothf(0.015f, 0.05f, across)) *
                               (y < 0.25f - 0.07f * (float)i ? 1.0f : 0.0f));
    }
    float edge = 1.0f - smoothf(0.85f, 0.97f, x);
    return (Dot){ fmaxf(arm, twig) * edge * smoothf(0.0f, 0.1f, s->soft), 0.9f };
}

typedef Dot Painter(const Spot* s);
static Painter* const painters[TILES * TILES] = {
    paint_puff,  paint_puff,   paint_smoke, paint_wisp,   paint_curl, paint_steam,
    paint_flame, paint_tongue, paint_spark, paint_streak, paint_drop, paint_splash,
    paint_foam,  paint_dust,   paint_star,  paint_snow,
};
_Static_assert(TARN_TEXTURES == TILES * TILES, "each texture has a tile");

static void paint_tile(uint8_t* pixels, Dot* dots, int tile)
{
    for (int k = 0; k < TILE; ++k)
        for (int i = 0; i < TILE; ++i) {
            Spot s = { .u = ((float)i + 0.5f) / TILE, .v = ((float)k + 0.5f) / TILE };
            s.x = 2.0f * s.u - 1.0f, s.y = 2.0f * s.v - 1.0f;
            s.r = sqrtf(s.x * s.x + s.y * s.y);
            s.soft = fmaxf(1.0f - s.r * s.r, 0.0f);
            dots[i + TILE * k] = s.soft > 0.0f ? painters[tile](&s) : (Dot){ 0.0f, 0.0f };
        }
    for (int k = 0; k < TILE; ++k)
        for (int i = 0; i < TILE; ++i) {
            const Dot* d = &dots[i + TILE * k];
            const Dot *e = &dots[mini(i + 1, TILE - 1) + TILE * k],
                      *w = &dots[maxi(i - 1, 0) + TILE * k];
            const Dot *n = &dots[i + TILE * mini(k + 1, TILE - 1)],
                      *s = &dots[i + TILE * maxi(k - 1, 0)];
            const float values[4] = { d->cover, d->bright,
                                      0.5f + 3.0f * (w->cover * w->bright - e->cover * e->bright),
                                      0.5f + 3.0f * (s->cover * s->bright - n->cover * n->bright) };
            size_t at =
                (size_t)(tile % TILES * TILE + i) + (size_t)(tile / TILES * TILE + k) * SIDE;
            for (int c = 0; c < 4; ++c)
                pixels[4 * at + (size_t)c] =
                    (uint8_t)(clampf(values[c], 0.0f, 1.0f) * 255.0f + 0.5f);
        }
}

TarnResult tarn__particle_atlas(TarnContext* ctx, GLuint* out)
{
    if (*out) return TARN_OK;
    size_t picture = (size_t)SIDE * SIDE * 4, bytes = picture + sizeof(Dot) * TILE * TILE;
    uint8_t* pixels = tarn__alloc(ctx, bytes);
    if (!pixels) return tarn__fail(ctx, TARN_ERR_MEMORY, "renderer: no memory for its textures");
    for (int tile = 0; tile < TILES * TILES; ++tile)
        paint_tile(pixels, (Dot*)(void*)(pixels + picture), tile);
    *out = tarn__texture_create(SIDE, SIDE, GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, pixels, true,
                                GL_CLAMP_TO_EDGE);
    tarn__free(ctx, pixels, bytes);
    return TARN_OK;
}
