// A motor boat on calm water, followed by a window of dispersive waves: how high is the wake beside it, and how wide?
#include "tarn/tarn.h"
#include <math.h>
#include <stdio.h>

static TarnBodyId add_boat(TarnWorld* world)
{
    static const TarnVec3 hull[] = { { 2.6f, 0.8f, 0 },        { 1.2f, 0.7f, 0.85f },
                                     { 1.2f, 0.7f, -0.85f },   { -2.2f, 0.65f, 0.95f },
                                     { -2.2f, 0.65f, -0.95f }, { 1.7f, -0.4f, 0 },
                                     { 0.7f, -0.5f, 0.45f },   { 0.7f, -0.5f, -0.45f },
                                     { -2.0f, -0.5f, 0.6f },   { -2.0f, -0.5f, -0.6f } };
    TarnBodyDef def = tarn_body_default_def();
    def.shape = tarn_shape_hull(hull, sizeof hull / sizeof *hull);
    def.density = 330.0f;
    def.state.position = (TarnVec3){ 0, 0.1f, 0 };
    TarnBodyId boat = { 0 };
    tarn_world_add_body(world, &def, &boat);
    TarnDriverDef driver = tarn_driver_default_def();
    driver.kind = TARN_DRIVER_THRUST;
    driver.center = (TarnVec2){ 0, 400 }, driver.radius = 400, driver.speed = -5; // almost straight
    tarn_world_set_driver(world, boat, &driver);
    return boat;
}

int main(void)
{
    TarnContext* ctx;
    TarnContextDef context_def = tarn_context_default_def();
    if (tarn_context_create(&context_def, &ctx) != TARN_OK) return 1;
    TarnWorld* world;
    TarnWorldDef world_def = tarn_world_default_def();
    tarn_world_create(ctx, &world_def, &world);

    TarnRippleDef water = tarn_ripple_default_def(); // 256 x 256 cells of 25 cm
    water.origin = (TarnVec2){ -32, -32 };
    water.use_bodies = true;
    TarnRipple* ripple;
    if (tarn_world_add_ripple(world, &water, &ripple) != TARN_OK)
        return puts(tarn_last_error(ctx)), 1;
    TarnBodyId boat = add_boat(world);
    TarnWindowDef window = tarn_window_default_def();
    window.kind = TARN_WINDOW_BODY, window.body = boat;
    tarn_world_set_window(world, ripple, &window);

    for (int frame = 0; frame < 15 * 60; ++frame) tarn_world_step(world, 1.0f / 60.0f, NULL);

    TarnBodyState state;
    tarn_bodies_get_state(tarn_world_bodies(world), boat, &state);
    TarnVec3 v = state.velocity;
    float speed = sqrtf(v.x * v.x + v.z * v.z), highest = 0.0f, side = 0.0f;
    for (float across = 0.5f; across < 14.0f; across += 0.1f) { // 15 m behind the boat
        float x = state.position.x - (15.0f * v.x - across * v.z) / speed;
        float z = state.position.z - (15.0f * v.z + across * v.x) / speed;
        float height = fabsf(tarn_surface_height(tarn_world_surface(world), x, z));
        if (height > highest) highest = height, side = across;
    }
    printf("boat at %.1f m/s, wake 15 m behind it: %.0f mm high, %.1f m to the side\n",
           (double)speed, 1000.0 * (double)highest, (double)side);
    tarn_world_destroy(world);
    tarn_context_destroy(ctx);
    return 0;
}
