// Viewers: everything that is in a world is in its frame, or an error says why not.

#include "view_fixture.h"

static const char mix[] =
    "{\"tarn\":1,\"view\":{\"sky\":\"dusk\",\"exposure\":2,\"fog\":0.1,\"floor\":false,"
    "\"water_color\":[0.1,0.2,0.3]},\"solvers\":["
    "{\"kind\":\"wave\",\"name\":\"pool\",\"nx\":32,\"nz\":32,\"dx\":0.1},"
    "{\"kind\":\"wave\",\"name\":\"pond\",\"nx\":24,\"nz\":16,\"dx\":0.1,\"origin\":[5,0],"
    "\"look\":{\"color\":[0.3,0.1,0.1],\"clarity\":0.7,\"wall_height\":0.5}},"
    "{\"kind\":\"shallow\",\"nx\":32,\"nz\":16,\"dx\":0.2,\"origin\":[0,5]},"
    "{\"kind\":\"pipes\",\"nx\":16,\"nz\":16,\"dx\":0.2,\"origin\":[8,5]},"
    "{\"kind\":\"liquid\",\"dimensions\":3,\"max_particles\":200,\"spacing\":0.1,"
    "\"box_min\":[-3,0,-1],\"box_max\":[-1,2,1],"
    "\"fill\":[{\"size\":[0.2,0.2,0.2],\"position\":[-2,0.5,0]}]},"
    "{\"kind\":\"liquid\",\"name\":\"honey\",\"dimensions\":3,\"max_particles\":200,"
    "\"spacing\":0.1,\"box_min\":[-6,0,-1],\"box_max\":[-4,2,1]},"
    "{\"kind\":\"particles\",\"max_particles\":64},"
    "{\"kind\":\"particles\",\"name\":\"spray\",\"max_particles\":64},"
    "{\"kind\":\"gas\",\"nx\":8,\"ny\":8,\"nz\":8,\"dx\":0.1},"
    "{\"kind\":\"gas\",\"name\":\"smoke\",\"nx\":8,\"ny\":16,\"nz\":8,\"dx\":0.1,"
    "\"center\":[3,1,0],\"look\":{\"opacity\":3}}],"
    "\"bodies\":[{\"shape\":\"sphere\",\"size\":0.2,\"position\":[1,0.5,1],"
    "\"color\":[0.9,0.1,0.1]}],"
    "\"solids\":[{\"shape\":\"box\",\"size\":[0.2,0.2,0.2],\"position\":[-2,0.2,0]}]}";

static void mixes_show_everything(void** state)
{
    (void)state;
    Fixture f;
    open_scene(&f, mix);
    step(&f, 2);
    const TarnFrame* frame = shown(&f);
    assert_int_equal(frame->n_waters, 4);
    assert_int_equal(frame->n_liquids, 2);
    assert_int_equal(frame->n_particles, 2);
    assert_int_equal(frame->n_gases, 2);
    assert_int_equal(frame->n_bodies, 1);
    assert_int_equal(frame->n_solids, 1);
    assert_int_equal(frame->waters[1].height.nx, 24);
    assert_true(frame->waters[2].land.ground.data != NULL && frame->waters[0].bed.data == NULL);
    assert_true(frame->liquids[0].view.n > 0);
    assert_float_equal(frame->gases[1].opacity, 3.0f, 0.0f);
    assert_float_equal(frame->bodies[0].color.x, 0.9f, 1e-6f);
    // Looks of their own, of the view, and chosen ones.
    assert_float_equal(frame->waters[0].water_color.z, 0.3f, 1e-6f);
    assert_true(frame->waters[0].clarity > 0.0f);
    assert_float_equal(frame->waters[1].water_color.x, 0.3f, 1e-6f);
    assert_float_equal(frame->waters[1].clarity, 0.7f, 1e-6f);
    assert_float_equal(frame->waters[1].wall_top - frame->waters[1].rest_level, 0.5f, 1e-5f);
    assert_int_equal(frame->sky.kind, TARN_SKY_DUSK);
    assert_true(frame->sky.exposure == 2.0f && frame->sky.fog == 0.1f);
    assert_true(frame->sky.hides_floor && !frame->sky.hides_tank);
    // The camera frames all of it: the corners of the outermost boxes are seen.
    TarnVec3 d = { frame->camera.target.x - 1.5f, 0.0f, frame->camera.target.z - 3.5f };
    assert_true(d.x * d.x + d.z * d.z < 9.0f);
    assert_true(frame->box_min.x <= -6.0f && frame->box_max.x >= 11.0f);
    close_all(&f);
}

static void only_names_are_drawn(void** state)
{
    (void)state;
    Fixture f;
    open_scene(&f, mix);
    tarn_viewer_destroy(f.viewer);
    open_viewer(&f, "pond,smoke");
    const TarnFrame* frame = shown(&f);
    assert_int_equal(frame->n_waters, 1);
    assert_int_equal(frame->n_gases, 1);
    assert_int_equal(frame->n_liquids + frame->n_particles, 0);
    assert_int_equal(frame->n_bodies, 1);
    TarnViewerDef def = tarn_viewer_default_def();
    TarnViewer* none = NULL;
    def.scene = f.scene;
    def.only = "pond,lake";
    assert_error(&f, tarn_viewer_create(f.ctx, &def, &none), TARN_ERR_ARG, "'lake'");
    assert_null(none);
    def.only = "pond,,smoke";
    assert_error(&f, tarn_viewer_create(f.ctx, &def, &none), TARN_ERR_ARG, "commas");
    close_all(&f);
}

// A 2-D liquid fills the picture; an error says what cannot be shown with it, and what to do.
static void flat_liquids_refuse_lakes(void** state)
{
    (void)state;
    static const char text[] =
        "{\"tarn\":1,\"solvers\":[{\"kind\":\"wave\",\"name\":\"lake\",\"nx\":16,\"nz\":16},"
        "{\"kind\":\"liquid\",\"name\":\"slice\",\"dimensions\":2,\"max_particles\":10},"
        "{\"kind\":\"particles\",\"max_particles\":10}]}";
    Fixture f;
    const TarnFrame* frame;
    open_scene(&f, text);
    assert_error(&f, tarn_viewer_update(f.viewer, &frame), TARN_ERR_UNSUPPORTED, "--only slice");
    assert_error(&f, tarn_viewer_keep(f.viewer), TARN_ERR_UNSUPPORTED, "lake");
    assert_null(frame);
    TarnPick pick;
    assert_error(&f, tarn_viewer_pick(f.viewer, 0.5f, 0.5f, &pick), TARN_ERR_ARG, "no frame");
    TarnSolverLook look;
    void* lake = tarn_world_find(f.world, "lake");
    assert_int_equal(tarn_viewer_get_look(f.viewer, lake, &look), TARN_OK);
    look.is_hidden = true;
    assert_int_equal(tarn_viewer_set_look(f.viewer, lake, &look), TARN_OK);
    frame = shown(&f);
    assert_true(frame->n_waters == 0 && frame->n_liquids == 1 && frame->n_particles == 1);
    assert_true(frame->camera.eye.x == frame->camera.target.x && frame->camera.target.z == 0.0f);
    close_all(&f);
}

static void worlds_without_a_scene_look_sane(void** state)
{
    (void)state;
    Fixture f;
    open_world(&f);
    open_viewer(&f, NULL);
    const TarnFrame* frame;
    assert_error(&f, tarn_viewer_update(f.viewer, &frame), TARN_ERR_UNSUPPORTED, "nothing");
    TarnBodyDef ball = tarn_body_default_def();
    ball.shape = tarn_shape_sphere(0.3f);
    ball.state.position = (TarnVec3){ 1, 2, 3 };
    TarnBodyId id;
    assert_int_equal(tarn_world_add_body(f.world, &ball, &id), TARN_OK);
    frame = shown(&f); // a ball alone is framed, too
    assert_int_equal(frame->n_bodies, 1);
    assert_true(frame->box_min.y < 1.9f && frame->box_max.y > 2.1f && frame->box_max.y < 3.0f);
    TarnWaveDef wave = tarn_wave_default_def();
    TarnGasDef gas = tarn_gas_default_def();
    gas.nx = gas.ny = gas.nz = 8;
    TarnWave* water;
    TarnGas* smoke;
    wave.use_bodies = true;
    assert_int_equal(tarn_world_add_wave(f.world, &wave, &water), TARN_OK);
    assert_int_equal(tarn_world_add_gas(f.world, &gas, &smoke), TARN_OK);
    frame = shown(&f);
    assert_true(frame->n_waters == 1 && frame->n_gases == 1 && frame->n_bodies == 1);
    assert_true(frame->gases[0].opacity > 0.0f && frame->gases[0].color.x > 0.1f);
    assert_true(frame->waters[0].clarity > 0.0f && frame->waters[0].water_color.z > 0.0f);
    assert_true(frame->waters[0].wall_top > wave.level);
    assert_true(frame->bodies[0].color.x == 0.5f && frame->sky.sun.y > 0.0f);
    assert_true(frame->sky.kind == TARN_SKY_AUTO && frame->sky.exposure == 1.0f);
    // A solver that is removed is gone from the frame; another one in its place is drawn.
    assert_int_equal(tarn_world_remove(f.world, water), TARN_OK);
    assert_int_equal(shown(&f)->n_waters, 0);
    wave.nx = 48;
    assert_int_equal(tarn_world_add_wave(f.world, &wave, &water), TARN_OK);
    assert_int_equal(shown(&f)->waters[0].height.nx, 48);
    close_all(&f);
}

static void paint(TarnBodyId body, TarnSolidId solid, TarnThingLook* look, void* user)
{
    const TarnBodyId* hidden = user;
    look->color = body.value != 0 ? (TarnVec3){ 1, 0, 0 } : (TarnVec3){ 0, 1, 0 };
    look->is_hidden = body.value == hidden->value && body.value != 0;
    look->is_glass = solid.value != 0;
}

static void hosts_choose_looks(void** state)
{
    (void)state;
    Fixture f;
    open_scene(&f, mix);
    TarnBodyId hidden = { 0 };
    TarnViewerDef def = tarn_viewer_default_def();
    tarn_viewer_destroy(f.viewer);
    def.world = f.world;
    def.thing_look = paint, def.user = &hidden;
    assert_int_equal(tarn_viewer_create(f.ctx, &def, &f.viewer), TARN_OK);
    const TarnFrame* frame = shown(&f);
    assert_true(frame->bodies[0].color.x == 1.0f && frame->solids[0].color.y == 1.0f);
    assert_true(frame->solids[0].is_glass);
    hidden = tarn_bodies_at(tarn_world_bodies(f.world), 0);
    assert_int_equal(shown(&f)->n_bodies, 0);

    void* spray = tarn_world_find(f.world, "spray");
    TarnParticleLook looks[2] = { { .stretch = 0.1f }, { .stretch = 0.2f } };
    TarnSolverLook look;
    assert_int_equal(tarn_viewer_get_look(f.viewer, spray, &look), TARN_OK);
    look.particles = looks, look.n_particles = 2;
    assert_int_equal(tarn_viewer_set_look(f.viewer, spray, &look), TARN_OK);
    looks[1].stretch = 9.0f; // was copied
    frame = shown(&f);
    assert_true(frame->particles[1].n_looks == 2 && frame->particles[1].looks[1].stretch == 0.2f);
    assert_int_equal(frame->particles[0].n_looks, 0);

    TarnWave* pool = tarn_world_wave(f.world, 0);
    assert_int_equal(tarn_viewer_get_look(f.viewer, pool, &look), TARN_OK);
    look.color = (TarnVec3){ 0.5f, 0.4f, 0.3f };
    assert_int_equal(tarn_viewer_set_look(f.viewer, pool, &look), TARN_OK);
    assert_float_equal(shown(&f)->waters[0].water_color.y, 0.4f, 0.0f);
    assert_int_equal(tarn_viewer_set_look(f.viewer, pool, NULL), TARN_OK);
    assert_true(shown(&f)->waters[0].water_color.y != 0.4f);

    TarnFrameSky sky = { .kind = TARN_SKY_NIGHT, .exposure = 0.5f };
    assert_int_equal(tarn_viewer_set_sky(f.viewer, &sky), TARN_OK);
    frame = shown(&f);
    assert_true(frame->sky.kind == TARN_SKY_NIGHT && frame->sky.sun.y != 0.0f);
    close_all(&f);
}

static float apart(TarnVec3 a, TarnVec3 b)
{
    float x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
    return sqrtf(x * x + y * y + z * z);
}

static void cameras(void** state)
{
    (void)state;
    Fixture f;
    open_scene(&f, mix);
    TarnCamera first = shown(&f)->camera;
    TarnViewerCamera orbit = {
        .mode = TARN_CAMERA_ORBIT, .yaw = 0.3f, .pitch = 0.5f, .distance = 1.0f
    };
    assert_int_equal(tarn_viewer_set_camera(f.viewer, &orbit), TARN_OK);
    TarnCamera whole = shown(&f)->camera;
    orbit.distance = 0.5f;
    assert_int_equal(tarn_viewer_set_camera(f.viewer, &orbit), TARN_OK);
    TarnCamera near = shown(&f)->camera;
    assert_float_equal(apart(near.eye, near.target), 0.5f * apart(whole.eye, whole.target), 1e-3f);
    assert_true(apart(near.target, whole.target) < 1e-4f);
    orbit.has_target = true;
    orbit.target = (TarnVec3){ 1, 2, 3 };
    orbit.distance = 4.0f;
    assert_int_equal(tarn_viewer_set_camera(f.viewer, &orbit), TARN_OK);
    TarnCamera around = shown(&f)->camera;
    assert_float_equal(apart(around.eye, orbit.target), 4.0f, 1e-4f);
    assert_float_equal(around.eye.y, 2.0f + 4.0f * sinf(0.5f), 1e-4f);

    TarnBodyId ball = tarn_bodies_at(tarn_world_bodies(f.world), 0);
    TarnMotion at;
    TarnViewerCamera chase = {
        .mode = TARN_CAMERA_PLACED, .eye = { 0, 1, -3 }, .follow = ball, .fov = 1.0f
    };
    assert_int_equal(tarn_viewer_set_camera(f.viewer, &chase), TARN_OK);
    for (int n = 0; n < 3; ++n) {
        step(&f, 5);
        tarn_bodies_get_state(tarn_world_bodies(f.world), ball, &at);
        TarnCamera c = shown(&f)->camera;
        assert_true(apart(c.target, at.position) < 1e-5f && c.fov == 1.0f);
        assert_float_equal(c.eye.z, at.position.z - 3.0f, 1e-4f);
    }
    assert_int_equal(tarn_viewer_set_camera(f.viewer, &(TarnViewerCamera){ 0 }), TARN_OK);
    assert_true(apart(shown(&f)->camera.eye, first.eye) < 1e-3f);
    close_all(&f);
}

static void bad_arguments(void** state)
{
    (void)state;
    Fixture f;
    open_scene(&f, mix);
    TarnViewer* none = NULL;
    TarnViewerDef def = tarn_viewer_default_def();
    assert_error(&f, tarn_viewer_create(f.ctx, &def, &none), TARN_ERR_ARG, "set world");
    def.scene = f.scene;
    def.width = 0;
    assert_error(&f, tarn_viewer_create(f.ctx, &def, &none), TARN_ERR_ARG, "0 x 720");
    def.width = 64, def.liquid = 9;
    assert_error(&f, tarn_viewer_create(f.ctx, &def, &none), TARN_ERR_ARG, "liquid is 9");
    def.liquid = -1, def.look = 1u << 20;
    assert_error(&f, tarn_viewer_create(f.ctx, &def, &none), TARN_ERR_ARG, "look");
    def.look = 0, def.n_drawers = 1;
    assert_error(&f, tarn_viewer_create(f.ctx, &def, &none), TARN_ERR_ARG, "drawers");
    const TarnDrawer nameless = { .size = sizeof nameless };
    const TarnDrawer* drawers[] = { &nameless };
    def.drawers = drawers;
    assert_error(&f, tarn_viewer_create(f.ctx, &def, &none), TARN_ERR_ARG, "drawers[0]");
    def.n_drawers = 0, def.cookie = 0;
    assert_error(&f, tarn_viewer_create(f.ctx, &def, &none), TARN_ERR_ARG, "default_def");
    assert_int_equal(tarn_viewer_create(f.ctx, NULL, &none), TARN_ERR_ARG);
    assert_int_equal(tarn_viewer_create(f.ctx, &def, NULL), TARN_ERR_ARG);
    assert_null(none);
    const TarnFrame* frame = NULL;
    const float shares[] = { -0.1f, 1.1f, NAN, INFINITY };
    for (int i = 0; i < 4; ++i)
        assert_error(&f, tarn_viewer_update_between(f.viewer, shares[i], &frame), TARN_ERR_ARG,
                     "share");
    TarnSolverLook look = { 0 };
    assert_error(&f, tarn_viewer_set_look(f.viewer, &look, &look), TARN_ERR_ARG,
                 "not in the world");
    look.opacity = NAN;
    TarnWave* pool = tarn_world_wave(f.world, 0);
    assert_error(&f, tarn_viewer_set_look(f.viewer, pool, &look), TARN_ERR_ARG, "opacity");
    look.opacity = 0, look.n_particles = 99;
    assert_error(&f, tarn_viewer_set_look(f.viewer, pool, &look), TARN_ERR_ARG, "n_particles");
    TarnViewerCamera camera = { .mode = 7 };
    assert_error(&f, tarn_viewer_set_camera(f.viewer, &camera), TARN_ERR_ARG, "mode is 7");
    camera.mode = TARN_CAMERA_PLACED;
    assert_error(&f, tarn_viewer_set_camera(f.viewer, &camera), TARN_ERR_ARG, "differ");
    camera.eye.x = NAN;
    assert_error(&f, tarn_viewer_set_camera(f.viewer, &camera), TARN_ERR_ARG, "camera.eye");
    camera = (TarnViewerCamera){ .mode = TARN_CAMERA_ORBIT, .pitch = 0.5f };
    assert_error(&f, tarn_viewer_set_camera(f.viewer, &camera), TARN_ERR_ARG, "distance");
    TarnFrameSky sky = { .kind = (TarnSky)42 };
    assert_error(&f, tarn_viewer_set_sky(f.viewer, &sky), TARN_ERR_ARG, "42");
    sky = (TarnFrameSky){ .exposure = NAN };
    assert_error(&f, tarn_viewer_set_sky(f.viewer, &sky), TARN_ERR_ARG, "exposure");
    assert_error(&f, tarn_viewer_resize(f.viewer, 10, -1), TARN_ERR_ARG, "10 x -1");
    shown(&f); // and all is as before
    close_all(&f);
}

// Running out of memory is an error, and the viewer works again afterwards.
static void memory_runs_out(void** state)
{
    (void)state;
    Fixture f;
    open_scene(&f, mix);
    const TarnFrame* frame;
    f.is_out_of_memory = true;
    assert_int_equal(tarn_viewer_update(f.viewer, &frame), TARN_ERR_MEMORY);
    assert_null(frame);
    f.is_out_of_memory = false;
    assert_int_equal(shown(&f)->n_waters, 4);
    int before = f.n_allocated;
    for (int n = 0; n < 10; ++n) shown(&f);
    assert_int_equal(f.n_allocated, before);
    close_all(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mixes_show_everything),
        cmocka_unit_test(only_names_are_drawn),
        cmocka_unit_test(flat_liquids_refuse_lakes),
        cmocka_unit_test(worlds_without_a_scene_look_sane),
        cmocka_unit_test(hosts_choose_looks),
        cmocka_unit_test(cameras),
        cmocka_unit_test(bad_arguments),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
