// A river: shallow water over a generated valley, fed at one end, with a barrel that drifts past a gauge.
#include "tarn/tarn.h"
#include <stdio.h>

// Ground, with water that flows in at -x and off at +x. Returns NULL on failure; the log says why.
static TarnShallow* make_river(TarnContext* ctx, TarnWorld* world)
{
    TarnTerrainDef valley = tarn_terrain_kind_def(TARN_TERRAIN_RIVER_VALLEY);
    valley.nx = 192, valley.nz = 96, valley.dx = 0.5f;
    valley.center = (TarnVec2){ 48.0f, 24.0f };
    valley.width = 9.0f, valley.depth = 2.0f, valley.floor_width = 20.0f, valley.height = 8.0f;
    valley.slope = 0.016f, valley.meander = 4.0f, valley.size = 60.0f, valley.noise = 0.2f;
    TarnTerrain* land;
    if (tarn_terrain_create(ctx, &valley, &land) != TARN_OK) return NULL;

    TarnShallowDef def = tarn_shallow_default_def();
    def.nx = valley.nx, def.nz = valley.nz, def.dx = valley.dx;
    def.bed = tarn_terrain_heights(land).data; // copied by create
    def.edge_x1 = TARN_SHALLOW_FALL;
    def.use_bodies = true;
    TarnShallow* river;
    TarnResult result = tarn_world_add_shallow(world, &def, &river);
    tarn_terrain_destroy(land);
    if (result != TARN_OK) return NULL;

    TarnShallowParams params = tarn_shallow_params(river);
    params.drag = 0.03f; // a bed of stones
    tarn_shallow_set_params(river, &params);
    TarnShallowSpanDef inflow = tarn_shallow_default_span();
    inflow.side = TARN_SIDE_X0, inflow.kind = TARN_SHALLOW_DISCHARGE;
    inflow.value = 12.0f; // [m^3/s], spread over the side: deep parts get most
    return tarn_shallow_add_span(river, &inflow, NULL) == TARN_OK ? river : NULL;
}

// A gauge: queries the water at any point.
static float read_gauge(TarnSurface surface, float x, float z, TarnVec3* velocity)
{
    float depth;
    TarnSurfaceSamples out = { .velocity = velocity, .depth = &depth };
    tarn_surface_query(surface, 1, &x, &z, &out);
    return depth;
}

// The deepest point of the channel at this x.
static float channel_at(const TarnShallow* river, float x)
{
    TarnView2 bed = tarn_shallow_bed(river);
    float dx = tarn_shallow_def(river)->dx;
    int i = (int)(x / dx), low = 0;
    for (int k = 1; k < bed.nz; ++k) {
        if (bed.data[k * bed.stride + i] < bed.data[low * bed.stride + i]) low = k;
    }
    return ((float)low + 0.5f) * dx;
}

int main(void)
{
    TarnContext* ctx;
    TarnContextDef context_def = tarn_context_default_def();
    if (tarn_context_create(&context_def, &ctx) != TARN_OK) return 1;
    TarnWorld* world;
    TarnWorldDef world_def = tarn_world_default_def();
    if (tarn_world_create(ctx, &world_def, &world) != TARN_OK) return 1;
    TarnShallow* river = make_river(ctx, world);
    if (river == NULL) return puts(tarn_last_error(ctx)), 1;

    TarnBodyDef barrel = tarn_body_default_def(); // half as dense as water
    barrel.shape = tarn_shape_capsule(0.4f, 0.35f);
    TarnBodyId id = { 0 };
    TarnBodyState state = barrel.state;
    const float gauge_x = 60.0f, gauge_z = channel_at(river, gauge_x);
    float depth = 0.0f;
    for (int frame = 0; frame <= 60 * 30; ++frame) {
        if (frame == 30 * 30) { // the river has filled: let the barrel go
            float z = channel_at(river, 10.0f);
            float y = tarn_surface_height(tarn_world_surface(world), 10.0f, z);
            barrel.state.position = (TarnVec3){ 10.0f, y, z };
            tarn_world_add_body(world, &barrel, &id);
        }
        if (frame % (10 * 30) == 0) {
            TarnVec3 speed;
            depth = read_gauge(tarn_world_surface(world), gauge_x, gauge_z, &speed);
            printf("%2d s  gauge: %.2f m deep, %.2f m/s", frame / 30, (double)depth,
                   (double)speed.x);
            if (tarn_bodies_get_state(tarn_world_bodies(world), id, &state) == TARN_OK)
                printf("   barrel at x = %.1f m, %.1f m/s", (double)state.position.x,
                       (double)state.velocity.x);
            puts("");
        }
        tarn_world_step(world, 1.0f / 30.0f, NULL);
    }

    TarnShallowLedger ledger = tarn_shallow_ledger(river);
    double missing = ledger.volume - (ledger.initial + ledger.edges);
    printf("%.1f m^3 in the valley, %g of it unaccounted for\n", ledger.volume, missing);
    tarn_world_destroy(world);
    tarn_context_destroy(ctx);
    return depth > 0.2f && state.position.x > 20.0f && missing < 1e-6 && missing > -1e-6 ? 0 : 1;
}
