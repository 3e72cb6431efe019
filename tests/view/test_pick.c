// Picking: what a point of the picture shows, against places that are known.

#include "view_fixture.h"

static const char pool[] =
    "{\"tarn\":1,\"solvers\":[{\"kind\":\"wave\",\"nx\":64,\"nz\":64,\"dx\":0.1,\"level\":1,"
    "\"depth\":1,\"walls\":[{\"shape\":\"box\",\"min\":[5,2],\"max\":[6,4]}]}],"
    "\"bodies\":[{\"shape\":\"sphere\",\"size\":0.3,\"position\":[2,2.5,2]},"
    "{\"shape\":\"box\",\"size\":[0.4,0.2,0.3],\"position\":[4,2.5,1],\"yaw\":40},"
    "{\"shape\":\"capsule\",\"size\":[0.2,0.4],\"position\":[1,2.5,4]}],"
    "\"solids\":[{\"shape\":\"sphere\",\"size\":0.25,\"position\":[3,2.5,5]}]}";

static TarnVec3 minus(TarnVec3 a, TarnVec3 b)
{
    return (TarnVec3){ a.x - b.x, a.y - b.y, a.z - b.z };
}
static float dot(TarnVec3 a, TarnVec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static TarnVec3 cross(TarnVec3 a, TarnVec3 b)
{
    return (TarnVec3){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}
static TarnVec3 unit(TarnVec3 a)
{
    float l = sqrtf(dot(a, a));
    return (TarnVec3){ a.x / l, a.y / l, a.z / l };
}

// Where a place is in the picture of 1280 x 720, 0 to 1 from the upper left.
static TarnVec2 in_picture(const TarnCamera* c, TarnVec3 place)
{
    TarnVec3 f = unit(minus(c->target, c->eye)), r = unit(cross(f, (TarnVec3){ 0, 1, 0 })),
             u = cross(r, f), d = minus(place, c->eye);
    float high = tanf(0.5f * c->fov) * dot(d, f), wide = high * 1280.0f / 720.0f;
    return (TarnVec2){ 0.5f + 0.5f * dot(d, r) / wide, 0.5f - 0.5f * dot(d, u) / high };
}

static TarnPick pick_at(Fixture* f, const TarnFrame* frame, TarnVec3 place)
{
    TarnVec2 p = in_picture(&frame->camera, place);
    TarnPick pick;
    assert_int_equal(tarn_viewer_pick(f->viewer, p.x, p.y, &pick), TARN_OK);
    return pick;
}

static float length(TarnVec3 a)
{
    return sqrtf(dot(a, a));
}

static void bodies_and_solids(void** state)
{
    (void)state;
    Fixture f;
    open_scene(&f, pool);
    const TarnBodies* bodies = tarn_world_bodies(f.world);
    for (int view = 0; view < 3; ++view) {
        TarnViewerCamera camera = { .mode = TARN_CAMERA_ORBIT,
                                    .yaw = 0.4f + 2.0f * (float)view,
                                    .pitch = 0.5f + 0.3f * (float)view,
                                    .distance = 1.8f };
        assert_int_equal(tarn_viewer_set_camera(f.viewer, &camera), TARN_OK);
        const TarnFrame* frame = shown(&f);
        TarnVec3 eye = frame->camera.eye;
        for (int b = 0; b < 3; ++b) {
            TarnBodyId id = tarn_bodies_at(bodies, b);
            TarnMotion at;
            tarn_bodies_get_state(bodies, id, &at);
            TarnPick pick = pick_at(&f, frame, at.position);
            assert_int_equal(pick.kind, TARN_PICK_BODY);
            assert_true(pick.body.value == id.value && pick.solid.value == 0);
            float to_center = length(minus(at.position, eye));
            if (b == 0) assert_float_equal(pick.distance, to_center - 0.3f, 1e-3f);
            assert_true(pick.distance < to_center - 0.19f && pick.distance > to_center - 0.61f);
            assert_float_equal(length(minus(pick.position, eye)), pick.distance, 1e-3f);
        }
        TarnVec3 center = { 3, 2.5f, 5 };
        TarnPick pick = pick_at(&f, frame, center);
        assert_int_equal(pick.kind, TARN_PICK_SOLID);
        assert_int_equal(tarn_solids_count(tarn_world_solids(f.world)), 1);
        assert_true(pick.solid.value == tarn_solids_at(tarn_world_solids(f.world), 0).value);
        assert_float_equal(pick.distance, length(minus(center, eye)) - 0.25f, 1e-3f);
        // The faces of the box that is turned: a little inside of an edge, and outside of it.
        float a = 40.0f * 3.14159265f / 180.0f;
        for (int side = 0; side < 2; ++side) {
            float x = side ? 0.47f : 0.38f; // of a half width of 0.4, on top
            TarnVec3 top = { 4.0f + x * cosf(a), 2.7f, 1.0f - x * sinf(a) };
            pick = pick_at(&f, frame, top);
            bool is_box =
                pick.kind == TARN_PICK_BODY && pick.body.value == tarn_bodies_at(bodies, 1).value;
            float at_top = length(minus(top, eye));
            if (side == 0) assert_true(is_box && pick.distance < at_top + 1e-3f);
            if (side == 1) assert_true(!is_box || pick.distance > at_top);
        }
    }
    close_all(&f);
}

static void water_ground_and_sky(void** state)
{
    (void)state;
    Fixture f;
    open_scene(&f, pool);
    const TarnFrame* frame = shown(&f);
    TarnWave* wave = tarn_world_wave(f.world, 0);
    TarnVec3 place = { 2.5f, 1.0f, 3.4f };
    TarnPick pick = pick_at(&f, frame, place);
    assert_int_equal(pick.kind, TARN_PICK_WATER);
    assert_true(pick.solver == wave && pick.body.value == 0);
    assert_true(length(minus(pick.position, place)) < 1e-3f);
    // With waves, where the surface of the water says.
    assert_int_equal(tarn_wave_add_drop(wave, (TarnVec2){ 3, 3 }, 0.8f, 0.2f), TARN_OK);
    step(&f, 10);
    frame = shown(&f);
    for (int n = 0; n < 20; ++n) {
        place = (TarnVec3){ 1.5f + 0.15f * (float)n, 1.0f, 3.0f };
        pick = pick_at(&f, frame, place);
        if (pick.kind != TARN_PICK_WATER) continue; // behind a body
        float y = tarn_surface_height(tarn_wave_surface(wave), pick.position.x, pick.position.z);
        assert_float_equal(pick.position.y, y, 2e-3f);
    }
    TarnVec3 wall = { 5.5f, 1.25f, 3.0f };
    pick = pick_at(&f, frame, wall);
    assert_int_equal(pick.kind, TARN_PICK_GROUND);
    assert_true(length(minus(pick.position, wall)) < 2e-3f);
    TarnViewerCamera up = {
        .mode = TARN_CAMERA_PLACED, .eye = { 3, 4, 3 }, .target = { 3, 8, 4 }, .fov = 0.5f
    };
    assert_int_equal(tarn_viewer_set_camera(f.viewer, &up), TARN_OK);
    shown(&f);
    assert_int_equal(tarn_viewer_pick(f.viewer, 0.5f, 0.5f, &pick), TARN_OK);
    assert_true(pick.kind == TARN_PICK_NONE && isinf(pick.distance) && pick.solver == NULL);
    // From below the surface, looking up through it.
    up.eye.y = 0.5f;
    assert_int_equal(tarn_viewer_set_camera(f.viewer, &up), TARN_OK);
    shown(&f);
    assert_int_equal(tarn_viewer_pick(f.viewer, 0.5f, 0.5f, &pick), TARN_OK);
    assert_int_equal(pick.kind, TARN_PICK_WATER);
    TarnVec3 eye, along;
    assert_int_equal(tarn_viewer_ray(f.viewer, 0.5f, 0.5f, &eye, &along), TARN_OK);
    assert_true(eye.y == 0.5f);
    assert_float_equal(dot(along, unit(minus(up.target, eye))), 1.0f, 1e-5f);
    assert_error(&f, tarn_viewer_pick(f.viewer, 1.01f, 0.5f, &pick), TARN_ERR_ARG, "1.01");
    assert_error(&f, tarn_viewer_pick(f.viewer, 0.5f, NAN, &pick), TARN_ERR_ARG, "picture");
    assert_int_equal(tarn_viewer_pick(f.viewer, 0.5f, 0.5f, NULL), TARN_ERR_ARG);
    close_all(&f);
}

// A slope that rises along x, with water up to a level.
static void land(void** state)
{
    (void)state;
    static const char slope[] =
        "{\"tarn\":1,\"solvers\":[{\"kind\":\"shallow\",\"nx\":64,\"nz\":32,\"dx\":0.5,\"level\":2,"
        "\"bed\":[{\"kind\":\"slope\",\"from\":[0,0],\"to\":[32,0],\"rise\":4}]}]}";
    Fixture f;
    open_scene(&f, slope);
    const TarnFrame* frame = shown(&f);
    const TarnFrameWater* w = &frame->waters[0];
    int n_wet = 0, n_dry = 0;
    for (int n = 0; n < 12; ++n) {
        int i = 4 + 5 * n, k = 16;
        float ground = w->land.ground.data[i + w->land.ground.stride * k];
        float depth = w->land.depth.data[i + w->land.depth.stride * k];
        TarnVec3 place = { w->origin.x + ((float)i + 0.5f) * w->dx, ground + depth,
                           w->origin.y + ((float)k + 0.5f) * w->dx };
        TarnPick pick = pick_at(&f, frame, place);
        bool is_wet = depth > 0.0f;
        n_wet += is_wet, n_dry += !is_wet;
        assert_int_equal(pick.kind, is_wet ? TARN_PICK_WATER : TARN_PICK_GROUND);
        assert_true(length(minus(pick.position, place)) < 1e-2f);
        assert_true(pick.solver == tarn_world_shallow(f.world, 0));
    }
    assert_true(n_wet > 2 && n_dry > 2);
    close_all(&f);
}

static void liquids(void** state)
{
    (void)state;
    static const char text[] =
        "{\"tarn\":1,\"solvers\":[{\"kind\":\"liquid\",\"dimensions\":%d,\"max_particles\":2000,"
        "\"spacing\":0.1,\"box_min\":[-1,0,-1],\"box_max\":[1,2,1],"
        "\"fill\":[{\"size\":[0.4,0.4,0.4],\"position\":[0,0.5,0]}]}],"
        "\"bodies\":[{\"shape\":\"sphere\",\"size\":0.2,\"position\":[-0.5,1.6,0]}]}";
    for (int dimensions = 2; dimensions <= 3; ++dimensions) {
        char json[512];
        snprintf(json, sizeof json, text, dimensions);
        Fixture f;
        open_scene(&f, json);
        const TarnFrame* frame = shown(&f);
        TarnPick pick = pick_at(&f, frame, (TarnVec3){ 0.1f, 0.6f, 0.0f });
        assert_int_equal(pick.kind, TARN_PICK_LIQUID);
        assert_true(pick.solver == tarn_world_liquid(f.world, 0));
        assert_true(pick.particle >= 0 && pick.particle < frame->liquids[0].view.n);
        if (dimensions == 2) {
            assert_float_equal(pick.position.x, 0.1f, 1e-3f);
            assert_float_equal(pick.position.z, 0.0f, 1e-3f);
        }
        pick = pick_at(&f, frame, (TarnVec3){ -0.5f, 1.6f, 0.0f });
        assert_int_equal(pick.kind, TARN_PICK_BODY);
        pick = pick_at(&f, frame, (TarnVec3){ 0.7f, 1.7f, 0.0f });
        assert_true(pick.kind == TARN_PICK_NONE || pick.kind == TARN_PICK_GROUND);
        if (dimensions == 3) {
            pick = pick_at(&f, frame, (TarnVec3){ 0.9f, 0.0f, 0.9f }); // the floor
            assert_int_equal(pick.kind, TARN_PICK_GROUND);
            assert_float_equal(pick.position.y, 0.0f, 1e-3f);
        }
        close_all(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_and_solids),
        cmocka_unit_test(water_ground_and_sky),
        cmocka_unit_test(land),
        cmocka_unit_test(liquids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
