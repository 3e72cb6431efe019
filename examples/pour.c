// Pouring: a jet of water fills a glass in 2-D, then honey sinks into it.
#include "tarn/tarn.h"
#include <stdio.h>

static const float dt = 1.0f / 60.0f;

// A glass made of three walls. Any solids work; the liquid cannot get through.
static bool add_glass(TarnSolids* solids, float x, float width, float height)
{
    const TarnVec3 centers[3] = { { x - 0.5f * width, 0.5f * height, 0.0f },
                                  { x + 0.5f * width, 0.5f * height, 0.0f },
                                  { x, 0.02f, 0.0f } };
    const TarnVec3 halves[3] = { { 0.01f, 0.5f * height, 0.5f },
                                 { 0.01f, 0.5f * height, 0.5f },
                                 { 0.5f * width, 0.02f, 0.5f } };
    for (int w = 0; w < 3; ++w) {
        TarnSolidDef wall = tarn_solid_default_def();
        TarnSolidId id;
        wall.shape = tarn_shape_box(halves[w].x, halves[w].y, halves[w].z);
        wall.motion.position = centers[w];
        if (tarn_solids_add(solids, &wall, &id) != TARN_OK) return false;
    }
    return true;
}

static TarnLiquid* make_liquid(TarnContext* ctx, TarnSolids* solids)
{
    TarnLiquidDef def = tarn_liquid_default_def();
    def.spacing = 0.015f;
    def.box_min = (TarnVec3){ -0.5f, 0.0f, 0.0f };
    def.box_max = (TarnVec3){ 0.5f, 1.2f, 0.0f };
    def.max_particles = 4000;
    def.max_splashes = 500;
    TarnLiquid* liquid;
    if (tarn_liquid_create(ctx, &def, &liquid) != TARN_OK) return NULL;
    tarn_liquid_set_solids(liquid, solids);
    TarnLiquidKindDef honey = tarn_liquid_kind_default_def();
    honey.density = 1400.0f;
    honey.viscosity = 5e-3f;
    tarn_liquid_set_kind(liquid, 1, &honey);
    return liquid;
}

// A nozzle that is open for a second and a half.
static void pour(TarnLiquid* liquid, int kind, float start)
{
    TarnLiquidSourceDef jet = tarn_liquid_source_default_def();
    jet.position = (TarnVec3){ -0.3f, 1.0f, 0.0f };
    jet.direction = (TarnVec3){ 1.0f, 0.0f, 0.0f };
    jet.radius = 0.03f;
    jet.speed = 1.0f;
    jet.start = start;
    jet.stop = start + 1.5f;
    jet.kind = kind;
    tarn_liquid_add_source(liquid, &jet, NULL);
}

// Height of the liquid in the glass: the highest point where a probe finds liquid.
static float level(TarnLiquid* liquid, float x)
{
    enum { N = 100 };
    float px[N], py[N], pz[N], presence[N];
    for (int i = 0; i < N; ++i) px[i] = x, py[i] = 0.01f * (float)i, pz[i] = 0.0f;
    TarnFlowSamples out = { .presence = presence };
    tarn_flow_query(tarn_liquid_flow(liquid), N, px, py, pz, &out);
    float top = 0.0f;
    for (int i = 0; i < N; ++i) top = presence[i] > 0.5f ? py[i] : top;
    return top;
}

int main(void)
{
    TarnContext* ctx;
    TarnContextDef context_def = tarn_context_default_def();
    if (tarn_context_create(&context_def, &ctx) != TARN_OK) return 1;
    TarnSolids* solids;
    TarnSolidsDef solids_def = tarn_solids_default_def();
    if (tarn_solids_create(ctx, &solids_def, &solids) != TARN_OK) return 1;
    TarnLiquid* liquid = make_liquid(ctx, solids);
    if (liquid == NULL || !add_glass(solids, 0.1f, 0.4f, 0.4f)) {
        printf("%s\n", tarn_last_error(ctx));
        return 1;
    }
    pour(liquid, 0, 0.0f);
    pour(liquid, 1, 2.5f);
    for (int frame = 1; frame <= 6 * 60; ++frame) {
        tarn_solids_advance(solids, dt);
        tarn_liquid_step(liquid, dt, NULL);
        if (frame % 60 != 0) continue;
        TarnLiquidStats stats = tarn_liquid_stats(liquid);
        printf("%2d s: %4d particles, %.0f %% too dense, level %.2f m\n", frame / 60,
               tarn_liquid_view(liquid).n, 100.0 * stats.mean_compression, level(liquid, 0.1f));
    }
    TarnLiquidLedger ledger = tarn_liquid_ledger(liquid);
    bool is_closed = ledger.added == ledger.alive + ledger.left && ledger.added > 0;
    tarn_liquid_destroy(liquid);
    tarn_solids_destroy(solids);
    tarn_context_destroy(ctx);
    return is_closed ? 0 : 1;
}
