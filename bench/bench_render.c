// Pictures of 1280 x 720: a basin, land, a liquid, a gas, particles, and all of them in one; what each layer of
// them costs. Without GL, or without a renderer, there are no rows.

#include "bench/bench.h"

#if defined(TARN_HAS_RENDER)

#include "fire_frame.h"
#include "tarn/render.h"
#include <math.h>
#include <stdlib.h>

enum { WIDTH = 1280, HEIGHT = 720, CELLS = 128, POINTS = 20000, SPARKS = 2000, GAS = 32 };

typedef struct RenderBench {
    TarnContext* ctx;
    TarnRenderer* renderer;
    uint8_t* rgb;
    float heights[CELLS * CELLS], ground[CELLS * CELLS], depth[CELLS * CELLS];
    float smoke[GAS * GAS * GAS], heat[GAS * GAS * GAS];
    float at[3][POINTS], sparks[3][SPARKS];
    TarnFrameWater waters[2];
    TarnFrameLiquid liquid;
    TarnFrameParticles particles;
    TarnFrameGas gas;
    TarnFrame frame;
} RenderBench;

static float noise(int i)
{
    uint32_t h = (uint32_t)i * 2654435761u;
    h = (h ^ (h >> 15)) * 2246822519u;
    return (float)((h ^ (h >> 13)) >> 8) * 0x1p-24f;
}

static void make_waters(RenderBench* b)
{
    for (int c = 0; c < CELLS * CELLS; ++c) {
        float i = (float)(c % CELLS), k = (float)(c / CELLS);
        b->heights[c] = 0.04f * sinf(0.2f * i) * cosf(0.17f * k);
        b->ground[c] = 0.8f * sinf(0.05f * i) * cosf(0.04f * k) - 0.2f;
        b->depth[c] = fmaxf(-b->ground[c], 0.0f);
    }
    TarnView2 grid = { b->heights, CELLS, CELLS, CELLS };
    b->waters[0] = (TarnFrameWater){ .height = grid, .dx = 0.05f, .bed_level = -1.0f };
    for (int e = 0; e < 4; ++e) b->waters[0].has_rim[e] = true;
    b->waters[1] = (TarnFrameWater){ .origin = { 7.4f, 0.0f }, .dx = 0.05f };
    b->waters[1].land.ground = b->waters[1].land.depth = grid;
    b->waters[1].land.ground.data = b->ground;
    b->waters[1].land.depth.data = b->depth;
}

static void make_stage(RenderBench* b)
{
    for (int n = 0; n < POINTS; ++n) {
        b->at[0][n] = 0.5f + 0.05f * ((float)(n % 40) + 0.4f * noise(3 * n));
        b->at[1][n] = 0.2f + 0.05f * ((float)(n / 1600) + 0.4f * noise(3 * n + 1));
        b->at[2][n] = 0.5f + 0.05f * ((float)(n / 40 % 40) + 0.4f * noise(3 * n + 2));
    }
    b->liquid = (TarnFrameLiquid){
        .dimensions = 3,
        .view = { .n = POINTS, .x = b->at[0], .y = b->at[1], .z = b->at[2] },
        .spacing = 0.05f,
        .box_min = { 0.5f, 0.2f, 0.5f },
        .box_max = { 2.5f, 1.4f, 2.5f },
        .walls = TARN_LIQUID_TANK,
    };
    b->liquid.color[0] = (TarnVec3){ 0.02f, 0.22f, 0.36f };
    for (int n = 0; n < SPARKS; ++n)
        for (int a = 0; a < 3; ++a)
            b->sparks[a][n] = (a == 0 ? 4.5f : 0.5f) + 1.5f * noise(3 * n + a);
    b->particles = (TarnFrameParticles){
        .view = { .n = SPARKS, .x = b->sparks[0], .y = b->sparks[1], .z = b->sparks[2] },
        .box_min = { 4.0f, 0.2f, 0.0f },
        .box_max = { 6.4f, 2.4f, 2.4f },
    };
    for (int c = 0; c < GAS * GAS * GAS; ++c) {
        float x = (float)(c % GAS - GAS / 2), z = (float)(c / (GAS * GAS) - GAS / 2);
        bool is_in = x * x + z * z < 0.06f * GAS * GAS;
        b->smoke[c] = is_in ? 0.5f + 0.5f * noise(c) : 0.0f;
        b->heat[c] = is_in && c / GAS % GAS < GAS / 3 ? 1500.0f : 300.0f;
    }
    b->gas = fire_frame(b->smoke, b->heat, GAS, (TarnVec3){ 2.7f, 0.1f, 0.5f }, 1.6f);
}

static void draw(void* data)
{
    RenderBench* b = data;
    if (tarn_renderer_draw(b->renderer, &b->frame, b->rgb) == TARN_OK) return;
    fprintf(stderr, "tarn: bench: %s\n", tarn_last_error(b->ctx));
    exit(1);
}

enum { HAS_BASIN = 1, HAS_LAND = 2, HAS_LIQUID = 4, HAS_GAS = 8, HAS_PARTICLES = 16 };

static void bench_frame(BenchRun* run, RenderBench* b, const char* what, int parts)
{
    char name[48];
    snprintf(name, sizeof name, "render.%s", what);
    if (!bench_wants(run, name)) return;
    int first = parts & HAS_BASIN ? 0 : 1;
    b->frame = (TarnFrame){ .waters = &b->waters[first],
                            .n_waters = (parts & HAS_BASIN) + (parts & HAS_LAND) / HAS_LAND,
                            .liquids = &b->liquid,
                            .n_liquids = (parts & HAS_LIQUID) / HAS_LIQUID,
                            .gases = &b->gas,
                            .n_gases = (parts & HAS_GAS) / HAS_GAS,
                            .particles = &b->particles,
                            .n_particles = (parts & HAS_PARTICLES) / HAS_PARTICLES };
    tarn_frame_defaults(&b->frame);
    tarn_renderer_set_timing(b->renderer, false);
    double seconds = bench_best(run->is_quick ? 2 : 10, draw, b), pixels = WIDTH * HEIGHT;
    bench_rate(run, name, 1, seconds, pixels, "pixel", 0.0, 0.0);
    TarnLayerTime layers[TARN_RENDER_LAYERS];
    tarn_renderer_set_timing(b->renderer, true);
    draw(b);
    int n = tarn_renderer_timing(b->renderer, layers);
    for (int i = 0; i < n; ++i) {
        if (layers[i].ms < 0.05f) continue;
        snprintf(name, sizeof name, "render.%s.%s", what, layers[i].layer);
        bench_rate(run, name, 1, 1e-3 * (double)layers[i].ms, pixels, "pixel", 0.0, 0.0);
    }
}

void bench_render(BenchRun* run)
{
    static const struct {
        const char* name;
        int parts;
    } frames[] = {
        { "basin", HAS_BASIN },
        { "land", HAS_LAND },
        { "liquid", HAS_LIQUID },
        { "gas", HAS_GAS },
        { "particles", HAS_PARTICLES },
        { "mix", HAS_BASIN | HAS_LAND | HAS_LIQUID | HAS_GAS | HAS_PARTICLES },
    };
    bool is_any = false;
    for (size_t i = 0; i < sizeof frames / sizeof *frames; ++i) {
        char name[48];
        snprintf(name, sizeof name, "render.%s", frames[i].name);
        is_any = is_any || bench_wants(run, name);
    }
    if (!is_any) return;
    RenderBench* b = calloc(1, sizeof *b);
    if (!b) return;
    b->ctx = bench_context(1);
    b->rgb = malloc((size_t)WIDTH * HEIGHT * 3);
    make_waters(b);
    make_stage(b);
    if (b->rgb && tarn_renderer_create(b->ctx, WIDTH, HEIGHT, &b->renderer) == TARN_OK)
        for (size_t i = 0; i < sizeof frames / sizeof *frames; ++i)
            bench_frame(run, b, frames[i].name, frames[i].parts);
    else
        fprintf(stderr, "tarn: bench: no pictures: %s\n", tarn_last_error(b->ctx));
    tarn_renderer_destroy(b->renderer);
    free(b->rgb);
    tarn_context_destroy(b->ctx);
    free(b);
}

#else

void bench_render(BenchRun* run)
{
    (void)run;
}

#endif
