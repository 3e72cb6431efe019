// Breaking waves: what becomes of fronts. Backs do not break, holes are closed, lines grow, shrink, meet and part; sheets
// have texture coordinates; splashes become drops and foam; a board rides; each kind of water may lie below.

#include "test_common.h"
#include "base/maths.h"
#include "tarn/scene.h"
#include "tarn/world.h"

// A host's own water: a front one meter high that runs along +x, or a ring around (8, 4) that opens or closes.
typedef struct Front {
    double time;
    float ring;           // 1: opens, -1: closes, 0: plane
    float start, speed;   // place or radius at time 0 [m], [m/s]
    float hole, hole_end; // width of a flat part around z = 4 [m], and when it is gone [s]
    float weak;           // half the width of a part around z = 4 that is less steep [m]
    bool is_back;         // its water runs up the slope
} Front;

static void front_query(const void* self, int n, const float* x, const float* z,
                        const TarnSurfaceSamples* out)
{
    const Front* f = self;
    for (int i = 0; i < n; ++i) {
        float ax = x[i] - 8.0f, az = z[i] - 4.0f, r = sqrtf(ax * ax + az * az) + 1e-6f;
        float side = f->ring == 0.0f ? 1.0f : f->ring;
        float dir_x = f->ring == 0.0f ? 1.0f : side * ax / r,
              dir_z = f->ring == 0.0f ? 0.0f : side * az / r;
        float at = f->ring == 0.0f ? x[i] : r;
        float s = side * (at - f->start) - f->speed * (float)f->time;
        float weak = f->weak > 0.0f ? fmaxf(1.0f - az * az / (f->weak * f->weak), 0.0f) : 0.0f;
        float wide = 1.2f + 0.3f * weak * weak; // slopes of 1.25 to 1
        float u = tarn_clampf(0.5f - s / wide, 0.0f, 1.0f), t = u * u * (3.0f - 2.0f * u);
        if (f->time < (double)f->hole_end && fabsf(az) < 0.5f * f->hole) t = 0.5f;
        float run = f->is_back ? -2.0f * t : 2.0f * t;
        if (out->height) out->height[i] = t;
        if (out->depth) out->depth[i] = 1.0f + t;
        if (out->velocity)
            out->velocity[i] = (TarnVec3){ run * dir_x, f->is_back ? -1.0f : 1.0f, run * dir_z };
        if (out->normal)
            out->normal[i] = vec3_normalize((TarnVec3){ 1.25f * dir_x, 1.0f, 1.25f * dir_z });
    }
}

static TarnBreakers* make(float gap)
{
    TarnBreakersDef def = tarn_breakers_default_def();
    def.nx = 64, def.nz = 32, def.dx = 0.25f;
    TarnBreakers* breakers;
    assert_ok(tarn_breakers_create(ctx, &def, &breakers));
    TarnBreakersParams params = tarn_breakers_default_params();
    params.gap = gap;
    assert_ok(tarn_breakers_set_params(breakers, &params));
    return breakers;
}

static void run(TarnBreakers* breakers, Front* front, int steps)
{
    TarnSurface water = { .self = front, .query = front_query };
    for (int s = 0; s < steps; ++s) {
        front->time += 1.0 / 60.0;
        assert_ok(tarn_breakers_step(breakers, &water, NULL, 1.0f / 60.0f, NULL));
    }
}

static TarnBreakerPoint points[2048];

static int line(const TarnBreakers* breakers, int number, bool* is_closed)
{
    int n;
    assert_ok(tarn_breakers_line(breakers, number, 2048, points, &n, is_closed));
    return n;
}

static float spacing(int n, bool is_closed, float* most)
{
    float least = 1e9f;
    *most = 0.0f;
    for (int i = is_closed ? 0 : 1; i < n; ++i) {
        TarnVec3 way = vec3_sub(points[i].position, points[i > 0 ? i - 1 : n - 1].position);
        way.y = 0.0f;
        least = fminf(least, vec3_length(way)), *most = fmaxf(*most, vec3_length(way));
    }
    return least;
}

static void backs_do_not_break(void** state)
{
    (void)state;
    for (int is_back = 0; is_back < 2; ++is_back) {
        Front front = { .start = 2.0f, .speed = 4.0f, .is_back = is_back };
        TarnBreakers* breakers = make(2.0f);
        run(breakers, &front, 30);
        assert_int_equal(tarn_breakers_line_count(breakers), is_back ? 0 : 1);
        tarn_breakers_destroy(breakers);
    }
}

// A few cells that are not quite steep enough part a front, unless the gap is wide enough to close them.
static void regions_are_closed_over_gaps(void** state)
{
    (void)state;
    for (int is_wide = 0; is_wide < 2; ++is_wide) {
        Front front = { .start = 2.0f, .speed = 4.0f, .weak = 1.5f };
        TarnBreakers* breakers = make(is_wide ? 4.0f : 1.0f);
        TarnBreakersParams params = tarn_breakers_params(breakers);
        params.slope = 1.05f;
        assert_ok(tarn_breakers_set_params(breakers, &params));
        run(breakers, &front, 1);
        assert_int_equal(tarn_breakers_line_count(breakers), is_wide ? 1 : 2);
        tarn_breakers_destroy(breakers);
    }
}

// Two lines beside a hole become one when it closes.
static void lines_that_meet_are_joined(void** state)
{
    (void)state;
    Front front = { .start = 2.0f, .speed = 3.0f, .hole = 1.5f, .hole_end = 0.5f };
    TarnBreakers* breakers = make(2.0f);
    run(breakers, &front, 20);
    assert_int_equal(tarn_breakers_line_count(breakers), 2);
    run(breakers, &front, 60);
    assert_int_equal(tarn_breakers_line_count(breakers), 1);
    bool is_closed;
    int n = line(breakers, 0, &is_closed);
    assert_true(fabsf(points[0].position.z - points[n - 1].position.z) > 6.0f);
    tarn_breakers_destroy(breakers);
}

// A ring that opens gets more points, one that closes fewer; either way they are half a cell to two cells apart.
static void rings_are_resampled(void** state)
{
    (void)state;
    for (int way = -1; way <= 1; way += 2) {
        Front front = { .ring = (float)way, .start = way > 0 ? 1.0f : 3.4f, .speed = 2.5f };
        TarnBreakers* breakers = make(2.0f);
        bool is_closed = false;
        run(breakers, &front, 6);
        assert_int_equal(tarn_breakers_line_count(breakers), 1);
        int before = line(breakers, 0, &is_closed);
        assert_true(is_closed);
        run(breakers, &front, 44);
        int after = line(breakers, 0, &is_closed);
        float radius = front.start + (float)way * 2.5f * (float)front.time;
        assert_true(is_closed);
        assert_true(way > 0 ? after > 3 * before / 2 : after < 3 * before / 4);
        for (int i = 0; i < after; ++i) {
            float r = hypotf(points[i].position.x - 8.0f, points[i].position.z - 4.0f);
            assert_true(fabsf(r - radius) < 0.25f);
        }
        float most, least = spacing(after, true, &most);
        assert_true(least > 0.4f * 0.25f && most < 2.2f * 0.25f);
        tarn_breakers_destroy(breakers);
    }
}

// Attributes: age from the crest to the lip, place along the crest, thickness as a share of the wave's height. Normals
// of unit length, velocities of the sheet.
static void sheets_have_texture_coordinates(void** state)
{
    (void)state;
    static TarnVec3 position[16384], normal[16384], velocity[16384];
    static float attribute[3 * 16384];
    Front front = { .start = 2.0f, .speed = 4.0f };
    TarnBreakers* breakers = make(2.0f);
    run(breakers, &front, 90);
    TarnMesh mesh = { .position = position, .normal = normal, .velocity = velocity };
    mesh.attribute = attribute, mesh.n_attributes = TARN_BREAKERS_ATTRIBUTES;
    mesh.max_vertices = 16384, mesh.max_triangles = 1 << 16;
    assert_ok(tarn_breakers_mesh(breakers, &mesh));
    bool is_closed;
    int n = line(breakers, 0, &is_closed);
    float farthest[2] = { 0.0f, 0.0f };
    float low[3] = { 1e9f, 1e9f, 1e9f }, high[3] = { -1e9f, -1e9f, -1e9f };
    for (int v = 0; v < mesh.n_vertices; ++v) {
        assert_true(fabsf(vec3_length(normal[v]) - 1.0f) < 1e-3f);
        assert_true(velocity[v].x > 3.0f);
        for (int a = 0; a < 3; ++a) {
            low[a] = fminf(low[a], attribute[3 * v + a]);
            high[a] = fmaxf(high[a], attribute[3 * v + a]);
        }
        bool is_old = attribute[3 * v] > 0.3f;
        farthest[is_old] = fmaxf(farthest[is_old], position[v].x);
    }
    assert_true(farthest[1] > farthest[0]); // the older a part is, the farther it has flown
    assert_true(low[TARN_BREAKERS_AGE] == 0.0f && high[TARN_BREAKERS_AGE] > 0.3f);
    float length = fabsf(points[n - 1].arc - points[0].arc);
    float arcs = high[TARN_BREAKERS_ARC] - low[TARN_BREAKERS_ARC];
    assert_true(arcs > 0.7f * length && arcs < 1.1f * length && length > 5.0f);
    assert_true(high[TARN_BREAKERS_THICKNESS] > 0.12f && high[TARN_BREAKERS_THICKNESS] < 0.2f);
    tarn_breakers_destroy(breakers);
}

// ---- Worlds ----------------------------------------------------------------------------------------

static TarnWorld* make_world(void)
{
    TarnWorldDef def = tarn_world_default_def();
    TarnWorld* world;
    assert_ok(tarn_world_create(ctx, &def, &world));
    return world;
}

// Depths of a step of water, of 64 x 32 cells.
static const float* step_depths(void)
{
    static float depth[64 * 32];
    for (int c = 0; c < 64 * 32; ++c) depth[c] = c % 64 < 20 ? 2.5f : 1.0f;
    return depth;
}

static TarnShallow* add_step(TarnWorld* world)
{
    TarnShallowDef def = tarn_shallow_default_def();
    TarnShallow* water;
    def.nx = 64, def.nz = 32, def.dx = 0.25f;
    def.depth = step_depths();
    assert_ok(tarn_world_add_shallow(world, &def, &water));
    return water;
}

static TarnBreakers* add_breakers(TarnWorld* world, void* on)
{
    TarnBreakersDef def = tarn_breakers_default_def();
    TarnBreakers* breakers;
    def.nx = 64, def.nz = 32, def.dx = 0.25f;
    assert_ok(tarn_world_add_breakers(world, &def, &breakers));
    assert_ok(tarn_world_set_on(world, breakers, on));
    return breakers;
}

// Spray that would throw nothing by itself gets drops from the lip, and drops and foam where sheets land.
static void splashes_become_drops_and_foam(void** state)
{
    (void)state;
    for (int has_sheets = 0; has_sheets < 2; ++has_sheets) {
        TarnWorld* world = make_world();
        TarnShallow* water = add_step(world);
        TarnSprayDef def = tarn_spray_default_def();
        TarnSpray* spray;
        def.nx = 16, def.nz = 8, def.dx = 1.0f, def.max_drops = def.max_foam = 4096;
        if (has_sheets) add_breakers(world, water);
        assert_ok(tarn_world_add_spray(world, &def, &spray));
        assert_ok(tarn_world_set_on(world, spray, water));
        TarnSprayParams params = tarn_spray_params(spray);
        params.walls = params.bodies = 0.0f, params.steepness = 10.0f;
        assert_ok(tarn_spray_set_params(spray, &params));
        int drops = 0, foam = 0;
        for (int s = 0; s < 90; ++s) {
            assert_ok(tarn_world_step(world, 1.0f / 60.0f, NULL));
            drops += tarn_spray_drops(spray).n, foam += tarn_spray_foam_particles(spray).n;
        }
        assert_true(has_sheets ? drops > 0 && foam > 0 : drops == 0 && foam == 0);
        tarn_world_destroy(world);
    }
}

// Breaking waves lie on each kind of water; those that can be steep break.
static void lies_on_other_waters(void** state)
{
    (void)state;
    TarnWorld* world = make_world();
    TarnWaveDef wave_def = tarn_wave_default_def();
    TarnWave* wave;
    wave_def.nx = 64, wave_def.nz = 32, wave_def.dx = 0.25f;
    assert_ok(tarn_world_add_wave(world, &wave_def, &wave));
    TarnBreakers* breakers = add_breakers(world, wave);
    assert_ok(tarn_wave_add_drop(wave, (TarnVec2){ 8.0f, 4.0f }, 1.5f, 1.2f));
    int most = 0;
    for (int s = 0; s < 60; ++s) {
        assert_ok(tarn_world_step(world, 1.0f / 60.0f, NULL));
        int n = tarn_breakers_line_count(breakers);
        most = n > most ? n : most;
    }
    assert_true(most > 0);
    tarn_world_destroy(world);

    world = make_world();
    TarnPipesDef pipes_def = tarn_pipes_default_def();
    TarnPipes* pipes;
    pipes_def.nx = 64, pipes_def.nz = 32, pipes_def.dx = 0.25f;
    pipes_def.depth = step_depths();
    assert_ok(tarn_world_add_pipes(world, &pipes_def, &pipes));
    breakers = add_breakers(world, pipes);
    most = 0;
    for (int s = 0; s < 60; ++s) {
        assert_ok(tarn_world_step(world, 1.0f / 60.0f, NULL));
        int n = tarn_breakers_line_count(breakers);
        most = n > most ? n : most;
    }
    assert_true(most > 0);
    tarn_world_destroy(world);

    world =
        make_world(); // the open sea is never steep enough for the default slope in a light breeze
    TarnOceanDef ocean_def = tarn_ocean_default_def();
    TarnOcean* ocean;
    assert_ok(tarn_world_add_ocean(world, &ocean_def, &ocean));
    breakers = add_breakers(world, ocean);
    for (int s = 0; s < 30; ++s) assert_ok(tarn_world_step(world, 1.0f / 60.0f, NULL));

    TarnGasDef gas_def = tarn_gas_default_def(); // no water: refused
    TarnGas* gas;
    gas_def.nx = gas_def.ny = gas_def.nz = 8;
    assert_ok(tarn_world_add_gas(world, &gas_def, &gas));
    assert_int_equal(tarn_world_set_on(world, breakers, gas), TARN_ERR_UNSUPPORTED);
    assert_non_null(strstr(tarn_last_error(ctx), "breakers cannot lie on gas"));
    tarn_world_destroy(world);
}

// The board of `surfer` is in the curl for two seconds while it peels along the reef.
static void a_board_rides(void** state)
{
    (void)state;
    TarnScene* scene;
    assert_ok(tarn_scene_create_from_file(ctx, TARN_SCENES_DIR "/surfer.json", NULL, 0, &scene));
    TarnWorld* world = tarn_scene_world(scene);
    TarnBreakers* breakers = tarn_world_breakers(world, 0);
    TarnBodyState board = { 0 };
    TarnVec3 from = { 0.0f, 0.0f, 0.0f };
    int riding = 0;
    for (int s = 0; s < 360; ++s) {
        assert_ok(tarn_world_step(world, 1.0f / 60.0f, NULL));
        TarnCurl curl;
        assert_ok(tarn_bodies_get_state(tarn_world_bodies(world),
                                        tarn_bodies_at(tarn_world_bodies(world), 0), &board));
        if (!tarn_breakers_curl(breakers, board.position, 30.0f, &curl)) continue;
        TarnVec3 top = quat_rotate(board.rotation, (TarnVec3){ 0.0f, 1.0f, 0.0f });
        float water =
            tarn_surface_height(tarn_world_surface(world), board.position.x, board.position.z);
        float off = (board.position.y - water) / sqrtf(1.0f + curl.slope * curl.slope);
        bool is_up = top.y > 0.5f && fabsf(off) < 0.4f;
        if (riding == 0) from = board.position;
        riding += curl.distance < 2.0f && is_up;
    }
    print_message("riding for %d steps, over %.1f m\n", riding,
                  (double)vec3_length(vec3_sub(board.position, from)));
    assert_true(riding > 120);
    assert_true(vec3_length(vec3_sub(board.position, from)) > 10.0f);
    tarn_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(backs_do_not_break),
        TEST(regions_are_closed_over_gaps),
        TEST(lines_that_meet_are_joined),
        TEST(rings_are_resampled),
        TEST(sheets_have_texture_coordinates),
        TEST(splashes_become_drops_and_foam),
        TEST(lies_on_other_waters),
        TEST(a_board_rides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
