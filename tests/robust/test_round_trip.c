// Every scene of the library: save, load, and both go on alike, at many moments, with parameters at random and
// with what a host does in between. Loaded into a second world that was built the same way and has been
// elsewhere since, and into the first one again.
//
//     test_round_trip              as many cases as fit into half a minute; ten seconds with sanitizers
//     test_round_trip 600          ten minutes; or TARN_ROUND_TRIP_SECONDS=600
//     test_round_trip 0 1234       case 1234 alone
//
// A case is a number, the same one on every machine: see random_scene.h. Plain main.

#include "tests/robust/random_scene.h"
#include "tests/sanitized.h"

typedef struct Pair {
    TarnContext* ctx;
    TarnScene* scenes[2];
    TarnWorld* worlds[2];
    uint8_t* snapshot;
    size_t size, room;
    float dt;
} Pair;

// ---- What a host does -----------------------------------------------------------------------------

static TarnBodyId any_body(TarnWorld* world, int which)
{
    TarnBodies* bodies = tarn_world_bodies(world);
    int n = tarn_bodies_count(bodies);
    return n > 0 ? tarn_bodies_at(bodies, which % n) : (TarnBodyId){ 0 };
}

static void remove_body(TarnWorld* world, int which, float amount)
{
    (void)amount;
    tarn_bodies_remove(tarn_world_bodies(world), any_body(world, which));
}
static void add_body(TarnWorld* world, int which, float amount)
{
    TarnBodyDef def = tarn_body_default_def();
    def.shape = which % 2 ? tarn_shape_box(0.1f, 0.2f, 0.1f) : tarn_shape_sphere(0.15f);
    def.state.position = (TarnVec3){ 2.0f * amount, 1.0f + amount, -amount };
    TarnBodyId id;
    tarn_world_add_body(world, &def, &id);
}
static void throw_body(TarnWorld* world, int which, float amount)
{
    TarnBodyState state;
    TarnBodyId id = any_body(world, which);
    if (tarn_bodies_get_state(tarn_world_bodies(world), id, &state) != TARN_OK) return;
    float speed = which % 3 == 0 ? 900.0f : 5.0f;
    state.velocity = (TarnVec3){ speed * amount, speed * (1.0f - amount), 0.0f };
    tarn_bodies_set_state(tarn_world_bodies(world), id, &state);
}
static void push_body(TarnWorld* world, int which, float amount)
{
    TarnVec3 force = { 1e7f * amount, 1e7f, 0.0f }; // far beyond what moves it sensibly
    tarn_bodies_add_force(tarn_world_bodies(world), any_body(world, which), force,
                          (TarnVec3){ 0.0f, 0.0f, 1e5f * amount });
}
static void shift_waters(TarnWorld* world, int which, float amount)
{
    int di = which % 5 - 2, dk = (int)(5.0f * amount) - 2;
    if (tarn_world_wave(world, 0)) tarn_wave_shift(tarn_world_wave(world, 0), di, dk);
    if (tarn_world_shallow(world, 0)) tarn_shallow_shift(tarn_world_shallow(world, 0), di, dk);
}
static void move_gas(TarnWorld* world, int which, float amount)
{
    TarnGas* gas = tarn_world_gas(world, which % 4);
    if (gas == NULL) return;
    TarnVec3 at = tarn_gas_center(gas);
    at.x += amount * 4.0f * tarn_gas_def(gas)->dx;
    tarn_gas_move(gas, at, (TarnVec3){ amount, 0.0f, 0.0f });
}
static void skip_gas(TarnWorld* world, int which, float amount)
{
    (void)amount;
    for (int n = 0; n < tarn_world_gas_count(world); ++n) {
        TarnGasParams params = tarn_gas_params(tarn_world_gas(world, n));
        params.update_every = 1 + (which + n) % 4;
        tarn_gas_set_params(tarn_world_gas(world, n), &params);
    }
}
static void set_level(TarnWorld* world, int which, float amount)
{
    (void)amount;
    TarnGas* gas = tarn_world_gas(world, which % 4);
    if (gas) tarn_gas_set_level(gas, which / 4 % tarn_gas_def(gas)->levels);
}
static void spend_less(TarnWorld* world, int which, float amount)
{
    TarnBudget budget = tarn_budget_default(1.0f);
    if (which % 3 == 0) {
        tarn_world_set_budget(world, NULL);
        return;
    }
    budget.dwell = 0.01f;
    tarn_world_set_budget(world, &budget);
    for (int n = 0; n < which % 7; ++n) tarn_world_note_cost(world, 10.0f * amount, 0.02f);
}
static void move_solid(TarnWorld* world, int which, float amount)
{
    TarnSolids* solids = tarn_world_solids(world);
    int n = tarn_solids_count(solids);
    TarnSolidDef def;
    if (n == 0) return;
    TarnSolidId id = tarn_solids_at(solids, which % n);
    if (tarn_solids_get(solids, id, &def) != TARN_OK) return;
    def.motion.position.x += 0.3f * amount;
    def.motion.velocity.y = amount - 0.5f;
    if (which % 2)
        tarn_solids_move(solids, id, &def.motion);
    else
        tarn_solids_place(solids, id, &def.motion);
}
static void drop(TarnWorld* world, int which, float amount)
{
    TarnVec2 at = { 3.0f * amount, 2.0f };
    if (tarn_world_wave(world, 0)) tarn_wave_add_drop(tarn_world_wave(world, 0), at, 0.5f, 0.1f);
    if (tarn_world_shallow(world, 0))
        tarn_shallow_add_water(tarn_world_shallow(world, 0), at, 2.0f, which % 2 ? 3.0f : -3.0f,
                               NULL);
}
static void remove_emitter(TarnWorld* world, int which, float amount)
{
    (void)amount;
    int n = tarn_world_emitter_count(world);
    if (n > 0) tarn_world_remove_emitter(world, tarn_world_emitter_at(world, which % n));
}
static void bad_solid(TarnWorld* world, int which, float amount) // is refused
{
    TarnSolidDef def = tarn_solid_default_def();
    def.shape.size.x = -amount - 1.0f;
    def.shape.size.y = (float)-which;
    tarn_world_add_solid(world, &def, NULL);
}

typedef void EventFn(TarnWorld* world, int which, float amount);
static const struct Event {
    EventFn* fn;
    const char* name;
} events[] = {
    { shift_waters, "shift_waters" },
    { remove_body, "remove_body" },
    { skip_gas, "skip_gas" },
    { push_body, "push_body" },
    { move_solid, "move_solid" },
    { bad_solid, "bad_solid" },
    { spend_less, "spend_less" },
    { add_body, "add_body" },
    { throw_body, "throw_body" },
    { move_gas, "move_gas" },
    { set_level, "set_level" },
    { drop, "drop" },
    { remove_emitter, "remove_emitter" },
};
enum { N_EVENTS = sizeof events / sizeof events[0] };

// The same to both worlds, so that they are still built alike.
static void do_something(Pair* pair, int e, bool is_told)
{
    int which = draw(60);
    float amount = (float)draw_between(0.0, 1.0);
    for (int w = 0; w < 2; ++w) events[e].fn(pair->worlds[w], which, amount);
    if (is_told) printf("  %s %d %g\n", events[e].name, which, (double)amount);
}

// The parts of a world whose hashes differ, to look at.
static void print_parts(Pair* pair)
{
    TarnWorld *a = pair->worlds[0], *b = pair->worlds[1];
    printf("  differ:");
    if (tarn_bodies_hash(tarn_world_bodies(a)) != tarn_bodies_hash(tarn_world_bodies(b)))
        printf(" bodies");
    if (tarn_world_wave(a, 0) &&
        tarn_wave_hash(tarn_world_wave(a, 0)) != tarn_wave_hash(tarn_world_wave(b, 0)))
        printf(" wave");
    if (tarn_world_shallow(a, 0) &&
        tarn_shallow_hash(tarn_world_shallow(a, 0)) != tarn_shallow_hash(tarn_world_shallow(b, 0)))
        printf(" shallow");
    if (tarn_world_pipes(a, 0) &&
        tarn_pipes_hash(tarn_world_pipes(a, 0)) != tarn_pipes_hash(tarn_world_pipes(b, 0)))
        printf(" pipes");
    if (tarn_world_liquid(a, 0) &&
        tarn_liquid_hash(tarn_world_liquid(a, 0)) != tarn_liquid_hash(tarn_world_liquid(b, 0)))
        printf(" liquid");
    if (tarn_world_particles(a, 0) && tarn_particles_hash(tarn_world_particles(a, 0)) !=
                                          tarn_particles_hash(tarn_world_particles(b, 0)))
        printf(" particles");
    if (tarn_solids_hash(tarn_world_solids(a)) != tarn_solids_hash(tarn_world_solids(b)))
        printf(" solids");
    for (int n = 0; n < tarn_world_gas_count(a); ++n) {
        if (tarn_gas_hash(tarn_world_gas(a, n)) != tarn_gas_hash(tarn_world_gas(b, n)))
            printf(" gas %d", n);
    }
    printf("\n");
}

// ---- A case ---------------------------------------------------------------------------------------

static bool step_world(Pair* pair, int w)
{
    return tarn_world_step(pair->worlds[w], pair->dt, NULL) == TARN_OK;
}

static bool save(Pair* pair)
{
    tarn_world_save(pair->worlds[0], NULL, 0, &pair->size);
    if (pair->size > pair->room) {
        free(pair->snapshot);
        pair->room = 2 * pair->size;
        pair->snapshot = malloc(pair->room);
    }
    return tarn_world_save(pair->worlds[0], pair->snapshot, pair->room, &pair->size) == TARN_OK;
}

// Goes on, saves, loads into the twin, and both go on; then back and once more. NULL, or what is wrong.
static const char* check_moment(Pair* pair)
{
    uint64_t hash, last = 0;
    int n = 1 + draw(6);
    for (int s = draw(12); s > 0; --s) {
        if (!step_world(pair, 0)) return "a step failed";
    }
    if (draw(3) == 0) step_world(pair, 1); // it is elsewhere
    if (!save(pair)) return "save failed";
    hash = tarn_world_hash(pair->worlds[0]);
    if (tarn_world_load(pair->worlds[1], pair->snapshot, pair->size) != TARN_OK)
        return "its twin refuses the snapshot";
    if (tarn_world_hash(pair->worlds[1]) != hash) return "the load gives another hash";
    for (int s = 0; s < n; ++s) {
        if (!step_world(pair, 0) || !step_world(pair, 1)) return "a step after the load failed";
        last = tarn_world_hash(pair->worlds[0]);
        if (tarn_world_hash(pair->worlds[1]) != last) return "equal hashes, another future";
    }
    if (tarn_world_load(pair->worlds[0], pair->snapshot, pair->size) != TARN_OK)
        return "the world refuses its own snapshot";
    if (tarn_world_hash(pair->worlds[0]) != hash) return "going back gives another hash";
    for (int s = 0; s < n; ++s) {
        if (!step_world(pair, 0)) return "a step after going back failed";
    }
    return tarn_world_hash(pair->worlds[0]) == last ? NULL : "going back gives another future";
}

static bool run_case(TarnContext* ctx, int n, bool is_told)
{
    Case c;
    Pair pair = { .ctx = ctx };
    pair.scenes[0] = open_case(ctx, n, &c);
    if (pair.scenes[0] == NULL || tarn_scene_create_from_file(ctx, c.scene->path, c.overrides, c.n,
                                                              &pair.scenes[1]) != TARN_OK)
        return false;
    for (int w = 0; w < 2; ++w) pair.worlds[w] = tarn_scene_world(pair.scenes[w]);
    pair.dt = tarn_scene_run(pair.scenes[0]).dt;
    const char* wrong = NULL;
    if (is_told) print_case(&c);
    double start = now();
    int moments = c.n == 0 ? 2 : 4;
    for (int m = 0; m < moments && wrong == NULL; ++m) {
        // First everything once with each scene, then at random.
        for (int e = 3 * m - 3; n < 2 * n_library && m > 0 && e < 3 * m; ++e)
            do_something(&pair, e, is_told);
        for (int e = draw(3); e > 0 && m > 0; --e) do_something(&pair, draw(N_EVENTS), is_told);
        wrong = check_moment(&pair);
    }
    if (wrong) {
        printf("case %d: %s (%s)\n", n, wrong, tarn_last_error(ctx));
        print_case(&c);
        print_parts(&pair);
    } else if (is_told) {
        printf("  good, %.2f s\n", now() - start);
    }
    free(pair.snapshot);
    for (int w = 0; w < 2; ++w) tarn_scene_destroy(pair.scenes[w]);
    return wrong == NULL;
}

int main(int argc, char** argv)
{
    const char* asked = argc > 1 ? argv[1] : getenv("TARN_ROUND_TRIP_SECONDS");
    double seconds = asked ? atof(asked) : is_short_run() ? 10.0 : 25.0, end = now() + seconds;
    int only = argc > 2 ? atoi(argv[2]) : -1, bad = 0, n = 0;
    TarnContextDef def = tarn_context_default_def();
    TarnContext* ctx;
    setvbuf(stdout, NULL, _IOLBF, 0); // a run that is stopped has said what it found
    if (tarn_context_create(&def, &ctx) != TARN_OK || !open_library()) return 1;
    if (only >= 0) bad += !run_case(ctx, only, true);
    // Each scene once in any case, unless sanitizers make that too long.
    for (; only < 0 && bad < 20 && (now() < end || (n < n_library && !is_sanitized)); ++n)
        bad += !run_case(ctx, n, false);
    if (only < 0) printf("%d cases of %d scenes, %d bad\n", n, n_library, bad);
    close_library();
    tarn_context_destroy(ctx);
    return bad > 0;
}
