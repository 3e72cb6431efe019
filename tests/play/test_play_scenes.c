// Every scene of the library under apps/play: it opens, steps and goes back to the bit; every tool that it offers changes
// the state as it is meant to; a storm of 10,000 random events, spread over the scenes, leaves everything finite.

#include "play_common.h"
#include "tarn/show.h"
#include "tools.h"
#include "base/maths.h"

// ---- Back and forth --------------------------------------------------------------------------------

static void steps_back(void** state)
{
    enum { STEPS = 5 };
    (void)state;
    find_scenes();
    for (int n = 0; n < n_scene_paths; ++n) {
        if (!is_turn(n)) continue;
        uint64_t hashes[STEPS + 1];
        TarnPlay* play = open_path(scene_paths[n], true);
        for (int i = 0; i <= STEPS; ++i) {
            hashes[i] = tarn_play_hash(play);
            if (i < STEPS) assert_true(tarn_play_step(play));
        }
        for (int i = STEPS - 1; i >= 1; --i) {
            if (!tarn_play_step_back(play))
                fail_msg("%s: %s", scene_paths[n], tarn_play_error(play));
            if (tarn_play_hash(play) != hashes[i])
                fail_msg("%s: step %d is another one", scene_paths[n], i);
            assert_int_equal(tarn_play_step_count(play), i);
        }
        for (int i = 2; i <= STEPS; ++i) {
            assert_true(tarn_play_step(play));
            if (tarn_play_hash(play) != hashes[i])
                fail_msg("%s: step %d leads elsewhere", scene_paths[n], i);
        }
        tarn_play_destroy(play);
    }
}

// ---- Tools -----------------------------------------------------------------------------------------

// Each tool is meant to raise what measure() returns for it, all but digging.
static const char* const tool_ids[] = { "waves", "grab", "pour",    "stir",   "smoke",
                                        "fire",  "blow", "attract", "sparks", "dig",
                                        "heap",  "gate", "drop" };
enum { N_TOOLS = sizeof tool_ids / sizeof *tool_ids };

static double stat_of(const TarnPlay* play, void* solver, const char* name)
{
    const TarnSolverClass* of = tarn_world_class_of(play->world, solver);
    for (int i = 0; i < of->n_stats; ++i)
        if (strcmp(of->stats[i].name, name) == 0) return of->stats[i].value(solver);
    return 0.0;
}

static double ground_at(const TarnPlay* play, void* solver, TarnVec3 at)
{
    TarnBasin basin = { 0 };
    tarn_world_class_of(play->world, solver)->basin(solver, &basin);
    int i = (int)((at.x - basin.min.x) / basin.dx), k = (int)((at.z - basin.min.y) / basin.dx);
    i = i < 0 ? 0 : i >= basin.ground.nx ? basin.ground.nx - 1 : i;
    k = k < 0 ? 0 : k >= basin.ground.nz ? basin.ground.nz - 1 : k;
    return (double)basin.ground.data[i + basin.ground.stride * k];
}

static TarnVec3 way_of(const Grip* g) // of the drag, of length 1
{
    return vec3_length(g->velocity) > 0.0f ? vec3_normalize(g->velocity) : (TarnVec3){ 1, 0, 0 };
}

// A drag heaps water up in front of the pointer, and takes it from behind; where water cannot be pushed, drops dent it.
static double heap_of_water(const TarnPlay* play, const Grip* g)
{
    TarnSurface water = tarn_world_class_of(play->world, g->solver)->surface(g->solver);
    float r = 0.8f * tool_radius(play, g);
    if (water.push == NULL) return -(double)tarn_surface_height(water, g->at.x, g->at.z);
    TarnVec3 way = way_of(g);
    float front = tarn_surface_height(water, g->at.x + r * way.x, g->at.z + r * way.z);
    float back = tarn_surface_height(water, g->at.x - r * way.x, g->at.z - r * way.z);
    return (double)(front - back);
}

// In front of the pointer and behind it; at the shore a drag does nothing.
static bool is_over_water(const TarnPlay* play, const Grip* g)
{
    TarnSurface water = tarn_world_class_of(play->world, g->solver)->surface(g->solver);
    TarnVec3 d = vec3_scale(way_of(g), 0.8f * tool_radius(play, g));
    float x[2] = { g->at.x - d.x, g->at.x + d.x }, z[2] = { g->at.z - d.z, g->at.z + d.z };
    float depth[2] = { 0.0f, 0.0f };
    tarn_surface_query(water, 2, x, z, &(TarnSurfaceSamples){ .depth = depth });
    return depth[0] > 0.0f && depth[1] > 0.0f;
}

// How near the place where a body is held is to the pointer.
static double nearness(const TarnPlay* play, const Grip* g)
{
    TarnBodyState s = { 0 };
    tarn_bodies_get_state(tarn_world_bodies(play->world), g->body, &s);
    TarnVec3 held = vec3_add(s.position, quat_rotate(s.rotation, g->local));
    return -(double)vec3_length(vec3_sub(g->at, held));
}

// Mean speed along the drag of the liquid that the tool reaches.
static double stirred(const TarnPlay* play, const Grip* g, int* reached)
{
    TarnLiquidView v = tarn_liquid_view(g->solver);
    TarnVec3 way = way_of(g);
    float r = 2.0f * tool_radius(play, g);
    double sum = 0.0;
    int n = 0;
    for (int i = 0; i < v.n; ++i) {
        TarnVec3 off = { v.x[i] - g->at.x, v.y[i] - g->at.y, v.z[i] - g->at.z };
        if (vec3_length(off) > r) continue;
        sum += (double)(v.vx[i] * way.x + v.vy[i] * way.y + v.vz[i] * way.z);
        ++n;
    }
    *reached = n;
    return n > 0 ? sum / n : 0.0;
}

// Speed along the drag, the mean over its way; the pointer may have left the gas.
static double wind(const TarnPlay* play, const Grip* g, TarnVec3 from)
{
    enum { POINTS = 8 };
    TarnFlow flow = tarn_world_class_of(play->world, g->solver)->flow(g->solver);
    TarnVec3 way = way_of(g), sum = { 0 };
    for (int i = 0; i <= POINTS; ++i) {
        TarnVec3 u = { 0 },
                 p = vec3_add(from, vec3_scale(vec3_sub(g->at, from), (float)i / POINTS));
        tarn_flow_query(flow, 1, &p.x, &p.y, &p.z, &(TarnFlowSamples){ .velocity = &u });
        sum = vec3_add(sum, u);
    }
    return (double)vec3_dot(sum, way);
}

static double gathered(const Grip* g) // mean speed of particles toward the pointer
{
    TarnParticlesView v = tarn_particles_view(g->solver);
    double sum = 0.0;
    for (int i = 0; i < v.n; ++i) {
        TarnVec3 to = { g->at.x - v.x[i], g->at.y - v.y[i], g->at.z - v.z[i] };
        TarnVec3 u = { v.vx[i], v.vy[i], v.vz[i] };
        sum += (double)vec3_dot(u, vec3_normalize(to));
    }
    return v.n > 0 ? sum / v.n : 0.0;
}

// from: where the drag began.
static double measure(TarnPlay* play, const char* id, const Grip* g, TarnVec3 from)
{
    TarnLedger ledger;
    TarnBodies* bodies = tarn_world_bodies(play->world);
    const TarnSolverClass* of = g->solver ? tarn_world_class_of(play->world, g->solver) : NULL;
    if (strcmp(id, "waves") == 0) return heap_of_water(play, g);
    if (strcmp(id, "grab") == 0) return nearness(play, g);
    if (strcmp(id, "pour") == 0 && of->holding == NULL) return stat_of(play, g->solver, "volume");
    if (strcmp(id, "pour") == 0) {
        tarn_world_ledger(play->world, &ledger, NULL, 0);
        return ledger.held;
    }
    int reached;
    if (strcmp(id, "stir") == 0) return stirred(play, g, &reached);
    if (strcmp(id, "blow") == 0) return wind(play, g, from);
    if (strcmp(id, "attract") == 0) return gathered(g);
    if (strcmp(id, "smoke") == 0)
        return stat_of(play, g->solver, "density") + stat_of(play, g->solver, "smoke");
    if (strcmp(id, "fire") == 0)
        return of == tarn_fire_class() ? (double)tarn_fire_strength(g->solver)
                                       : stat_of(play, g->solver, "heat_sum");
    if (strcmp(id, "sparks") == 0) return stat_of(play, g->solver, "count");
    if (strcmp(id, "dig") == 0 || strcmp(id, "heap") == 0)
        return ground_at(play, g->solver, g->pick.position);
    if (strcmp(id, "gate") == 0) return (double)tarn_shallow_gate_opening(g->solver, g->part_index);
    assert_string_equal(id, "drop");
    return tarn_bodies_count(bodies);
}

// Where a body is in the picture.
static bool see(const TarnPlay* play, TarnVec3 p, float* x, float* y)
{
    for (int i = 0; i < 64 * 36;
         ++i) { // looks along rays: no second projection that could be wrong
        TarnVec3 eye, along;
        float u = ((float)(i % 64) + 0.5f) / 64.0f, v = ((float)(i / 64) + 0.5f) / 36.0f;
        if (!play_ray(play, u, v, &eye, &along)) return false;
        TarnVec3 d = { p.x - eye.x, p.y - eye.y, p.z - eye.z };
        float t = d.x * along.x + d.y * along.y + d.z * along.z;
        TarnVec3 off = { d.x - t * along.x, d.y - t * along.y, d.z - t * along.z };
        float far = sqrtf(off.x * off.x + off.y * off.y + off.z * off.z);
        if (t > 0.0f && far < 0.012f * t) return *x = u, *y = v, true;
    }
    return false;
}

static bool press(TarnPlay* play, float x, float y)
{
    tarn_play_pointer(play, 0, TARN_PLAY_DOWN, x, y, TARN_PLAY_LEFT, 0);
    if (play->tools.grip.tool != NULL) return true;
    tarn_play_pointer(play, 0, TARN_PLAY_CANCEL, x, y, TARN_PLAY_LEFT, 0);
    return false;
}

static bool find_place(TarnPlay* play, const char* id, int attempt, float* x, float* y)
{
    TarnBodies* bodies = tarn_world_bodies(play->world);
    assert_non_null(tarn_play_redraw(play)); // something to pick from
    for (int i = 0; strcmp(id, "grab") == 0 && i < tarn_bodies_count(bodies); ++i) {
        TarnBodyState state;
        tarn_bodies_get_state(bodies, tarn_bodies_at(bodies, i), &state);
        if (see(play, state.position, x, y) && press(play, *x, *y)) return true;
    }
    for (int i = 0; i < 12 * 8; ++i) { // from the middle outwards, so to say
        int k = (i * 37 + 42 + 19 * attempt) % 96;
        *x = ((float)(k % 12) + 0.5f) / 12.0f, *y = ((float)(k / 12) + 0.5f) / 8.0f;
        if (press(play, *x, *y)) return true;
    }
    return false;
}

// false: there was nothing to act on at the place that was found, or no such place.
static bool use_tool(TarnPlay* play, const char* scene, const char* id, int attempt)
{
    enum { STEPS = 4 };
    float x, y;
    size_t size;
    if (!tarn_play_set_tool(play, id) || !find_place(play, id, attempt, &x, &y)) return false;
    TarnVec3 from = play->tools.grip.at;
    void* kept = malloc(1);
    const void* saved = tarn_play_save(play, &size);
    kept = realloc(kept, size);
    memcpy(kept, saved, size);
    for (int i = 0; i < STEPS; ++i) {
        tarn_play_pointer(play, 0, TARN_PLAY_MOVE, x + 0.02f * (float)i, y, TARN_PLAY_LEFT, 0);
        assert_true(tarn_play_step(play));
    }
    Grip grip = play->tools.grip;
    if (strstr(tarn_play_notice(play), "; raise ")) { // a full list: the user is told what to do
        tarn_play_pointer(play, 0, TARN_PLAY_UP, x, y, TARN_PLAY_LEFT, 0);
        assert_true(tarn_play_step(play));
        free(kept);
        return false;
    }
    if (grip.tool == NULL) fail_msg("%s: %s was let go", scene, id);
    // Beside the water, or where there are no particles yet, there is nothing to act on.
    int reached = 1;
    if (strcmp(id, "stir") == 0) stirred(play, &grip, &reached);
    bool acts = !(strcmp(id, "waves") == 0 && !is_over_water(play, &grip)) && reached > 0 &&
                !(strcmp(id, "attract") == 0 && tarn_particles_view(grip.solver).n == 0);
    double with = measure(play, id, &grip, from);
    tarn_play_pointer(play, 0, TARN_PLAY_UP, x, y, TARN_PLAY_LEFT, 0);
    assert_true(tarn_play_step(play));
    assert_null(play->tools.grip.tool); // it has let go
    assert_true(tarn_play_load(play, kept, size));
    for (int i = 0; i < STEPS; ++i) assert_true(tarn_play_step(play));
    double without = measure(play, id, &grip, from);
    free(kept);
    bool is_relit = strcmp(id, "fire") == 0 && with == 1.0; // a fire that had not gone out
    bool lowers = strcmp(id, "dig") == 0 || (strcmp(id, "gate") == 0 && without > 0.5);
    if (!(lowers ? with < without : with > without) && !is_relit && acts)
        fail_msg("%s: %s at (%g, %g) gives %.9g, and %.9g without it", scene, id, (double)x,
                 (double)y, with, without);
    return acts;
}

// Tools that a scene offers, but that have nothing to act on in its first steps: bodies that are a few pixels large or out
// of sight, water and particles that have yet to come, a liquid behind glass, a list that is full (the user is told).
static bool may_idle(const char* path, const char* id)
{
    static const char* const idle[] = {
        "alchemist.json stir",
        "beach.json grab",
        "calm_bay.json grab",
        "coast.json grab",
        "eroding_mountain.json waves",
        "fountain_square.json stir",
        "honey_coil.json stir",
        "jetpack.json attract",
        "rain_bowl.json pour",
        "sprinkle_level.json stir",
        "surfer.json grab",
        "waterfall.json grab",
        "waterfall_basin.json stir",
    };
    char pair[600];
    snprintf(pair, sizeof pair, "%s %s", strrchr(path, '/') + 1, id);
    for (size_t i = 0; i < sizeof idle / sizeof *idle; ++i)
        if (strcmp(idle[i], pair) == 0) return true;
    return false;
}

static void tools_act(void** state)
{
    enum { ATTEMPTS = 4 };
    int used[N_TOOLS] = { 0 };
    (void)state;
    find_scenes();
    for (int n = 0; n < n_scene_paths; ++n) {
        if (!is_turn(n)) continue;
        TarnPlay* play = open_path(scene_paths[n], true);
        assert_true(tarn_play_step(play) && tarn_play_step(play));
        for (int e = 0; e < N_TOOLS; ++e) {
            bool acted = false;
            if (!tarn_play_set_tool(play, tool_ids[e])) continue; // not offered
            for (int a = 0; a < ATTEMPTS && !acted; ++a)
                acted = use_tool(play, scene_paths[n], tool_ids[e], a);
            used[e] += acted;
            if (!acted && !may_idle(scene_paths[n], tool_ids[e]))
                fail_msg("%s: %s has nothing to act on", scene_paths[n], tool_ids[e]);
            if (nonfinite_part(play->world))
                fail_msg("%s: %s", scene_paths[n], nonfinite_part(play->world));
        }
        assert_true(tarn_play_tool_count(play) >=
                    3); // every scene has something to do, and looking
        tarn_play_destroy(play);
    }
    for (int e = 0; e < N_TOOLS && !is_short_run(); ++e)
        if (used[e] == 0) fail_msg("the tool %s was used nowhere", tool_ids[e]);
}

// ---- A storm ---------------------------------------------------------------------------------------

static uint32_t seed = 17;
static uint32_t draw(uint32_t n)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % n;
}
static float anywhere(void)
{
    return (float)draw(1200) / 1000.0f - 0.1f;
}

static void strike(TarnPlay* play)
{
    TarnPlayTool tool;
    static const int buttons[] = { TARN_PLAY_LEFT, TARN_PLAY_LEFT, TARN_PLAY_LEFT, TARN_PLAY_RIGHT,
                                   TARN_PLAY_MIDDLE };
    int pointer = (int)draw(8) == 0 ? 1 : 0, button = buttons[draw(5)];
    switch (draw(16)) {
    case 0:
    case 1:
    case 2:
        tarn_play_pointer(play, pointer, TARN_PLAY_DOWN, anywhere(), anywhere(), button,
                          (int)draw(8));
        break;
    case 3:
        tarn_play_pointer(play, pointer, TARN_PLAY_UP, anywhere(), anywhere(), button, 0);
        break;
    case 4:
        tarn_play_pointer(play, pointer, TARN_PLAY_CANCEL, anywhere(), anywhere(), button, 0);
        break;
    case 5:
        if (tarn_play_tool_at(play, (int)draw((uint32_t)tarn_play_tool_count(play)), &tool))
            tarn_play_set_tool(play, tool.id);
        break;
    case 6:
        tarn_play_wheel(play, anywhere(), anywhere(), (float)draw(9) - 4.0f);
        break;
    case 7:
        tarn_play_set_tool_strength(play, 0.1f + 0.1f * (float)draw(99));
        tarn_play_set_tool_size(play, 0.1f + 0.02f * (float)draw(99));
        break;
    case 8:
        tarn_play_pointer(play, pointer, (int)draw(4), NAN, INFINITY, button, 0);
        tarn_play_fly(play, (float)draw(3) - 1.0f, (float)draw(3) - 1.0f, (float)draw(3) - 1.0f);
        break;
    case 9:
        if (draw(4) == 0) tarn_play_step_back(play);
        break;
    default:
        tarn_play_pointer(play, pointer, TARN_PLAY_MOVE, anywhere(), anywhere(), 0, 0);
    }
}

static void storm(void** state)
{
    (void)state;
    find_scenes();
    int each = getenv("TARN_LONG") ? 2000 : 10000 / n_scene_paths + 1, total = 0;
    if (is_short_run()) each /= 2;
    for (int n = 0; n < n_scene_paths; ++n) {
        if (!is_turn(n)) continue;
        TarnPlay* play = open_path(scene_paths[n], true);
        for (int i = 0; i < each; ++i, ++total) {
            strike(play);
            if (i % 8 != 7) continue;
            tarn_play_pause(play, false);
            if (tarn_play_frame(play, 1.01 * tarn_play_dt(play)) == NULL)
                fail_msg("%s: %s", scene_paths[n], tarn_play_error(play));
        }
        const char* bad = nonfinite_part(play->world);
        if (bad) fail_msg("%s: %s is not finite after %d events", scene_paths[n], bad, each);
        tarn_play_destroy(play);
    }
    if (!is_short_run()) assert_true(total >= 10000);
}

int main(int argc, char** argv)
{
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    const struct CMUnitTest tests[] = { cmocka_unit_test(steps_back), cmocka_unit_test(tools_act),
                                        cmocka_unit_test(storm) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
