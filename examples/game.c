// A small game: a lake, a boat that the game's own code steers, a water gun that draws from the lake, a campfire, the
// game's allocator and threads, and rollback across objects that were spawned in the meantime.
#include "tarn/tarn.h"
#undef NDEBUG // these asserts are the test
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
typedef struct Game {
    size_t bytes; // allocated by Tarn
    int jobs;     // run by our threads
    TarnContext* ctx;
    TarnWorld* world;
    TarnBodyId boat;
} Game;

static void* game_alloc(size_t size, size_t align, void* user)
{
    ((Game*)user)->bytes += size;
    return aligned_alloc(align, (size + align - 1) / align * align);
}
static void game_free(void* ptr, size_t size, size_t align, void* user)
{
    (void)align;
    ((Game*)user)->bytes -= size;
    free(ptr);
}
typedef struct Job { // one thread per task; yours has a queue
    TarnTaskFn* fn;
    void* task;
    pthread_t thread;
} Job;
static void* run_job(void* argument)
{
    ((Job*)argument)->fn(((Job*)argument)->task);
    return NULL;
}
static void* start_job(TarnTaskFn* fn, void* task, void* user)
{
    Job* job = malloc(sizeof *job);
    *job = (Job){ .fn = fn, .task = task };
    ((Game*)user)->jobs += 1;
    return pthread_create(&job->thread, NULL, run_job, job) == 0 ? job : (abort(), NULL);
}
static void finish_job(void* handle, void* user)
{
    (void)user;
    pthread_join(((Job*)handle)->thread, NULL);
    free(handle);
}
static void must(Game* game, TarnResult result)
{
    if (result != TARN_OK) exit((puts(tarn_last_error(game->ctx)), 1));
}

// The helm: forward at 3 m/s. It runs in each substep.
static void steer(TarnWorld* world, float dt, void* user)
{
    (void)dt;
    TarnBodyState s;
    Game* game = user;
    must(game, tarn_bodies_get_state(tarn_world_bodies(world), game->boat, &s));
    TarnVec3 thrust = { 1500.0f * (3.0f - s.velocity.x), 0.0f, -800.0f * s.velocity.z };
    must(game, tarn_bodies_add_force(tarn_world_bodies(world), game->boat, thrust, s.position));
}

// A lake of 30 m x 20 m, 2 m deep, with a boat; the gun on it shoots ahead, and a spout fills it from the lake.
static void build(Game* game, TarnWorld* w)
{
    TarnLiquidSourceId id;
    TarnShallow* water;
    TarnLiquid* drops;
    const TarnVec3 camp = { 3.0f, 2.5f, 18.0f };
    TarnShallowDef lake = tarn_shallow_default_def();
    lake.nx = 120, lake.nz = 80, lake.dx = 0.25f, lake.use_bodies = lake.has_level = true;
    lake.level = 2.0f;
    must(game, tarn_world_add_shallow(w, &lake, &water));
    TarnBodyDef boat = tarn_body_default_def();
    boat.shape.kind = TARN_SHAPE_BOX, boat.shape.size = (TarnVec3){ 1.5f, 0.4f, 0.7f };
    boat.state.position = (TarnVec3){ 6.0f, 2.1f, 10.0f }, boat.density = 300.0f;
    must(game, tarn_world_add_body(w, &boat, &game->boat));
    must(game, tarn_world_set_script(w, steer, game));
    TarnLiquidDef def = tarn_liquid_default_def();
    def.dimensions = 3, def.max_particles = 4000, def.spacing = 0.12f;
    def.box_max = (TarnVec3){ 30.0f, 12.0f, 20.0f }, def.walls = TARN_LIQUID_OPEN;
    must(game, tarn_world_add_liquid(w, &def, &drops));
    TarnLiquidSourceDef gun = tarn_liquid_source_default_def();
    gun.position = (TarnVec3){ 1.6f, 0.9f, 0.0f }, gun.radius = 0.2f;
    gun.direction = (TarnVec3){ 1.0f, 0.5f, 0.0f }, gun.speed = 8.0f;
    must(game, tarn_liquid_add_source(drops, &gun, &id));
    must(game, tarn_world_attach(w, drops, "sources", id.value, &gun, game->boat, 0));
    TarnSpoutDef spout = { drops, id.value, water, { 15.0f, 10.0f }, 2.0f };
    must(game, tarn_world_add_spout(w, &spout));
    must(game, tarn_world_add_gas_preset(w, TARN_GAS_PRESET_FIRE, 0.6f, camp, NULL));
}

static uint64_t play(Game* game, int frames, bool has_spawns)
{
    TarnWorld* w = game->world;
    TarnBodyDef crate = tarn_body_default_def();
    TarnVec3 shore = { 28.0f, 2.5f, 3.0f };
    crate.state.position = (TarnVec3){ 20.0f, 4.0f, 6.0f };
    for (int c = 0; c < 3 && has_spawns; ++c, crate.state.position.z += 3.0f)
        must(game, tarn_world_add_body(w, &crate, NULL));
    if (has_spawns)
        must(game, tarn_world_add_gas_preset(w, TARN_GAS_PRESET_SMOKE, 0.5f, shore, NULL));
    for (int f = 0; f < frames; ++f) must(game, tarn_world_step(w, 1.0f / 60.0f, NULL));
    return tarn_world_hash(w);
}

int main(void)
{
    Game game = { 0 };
    TarnWorldDef world = tarn_world_default_def();
    TarnContextDef context = tarn_context_default_def();
    context.workers = 2, context.alloc = game_alloc, context.free = game_free;
    context.enqueue = start_job, context.finish = finish_job;
    context.alloc_user = context.task_user = &game;
    must(&game, tarn_context_create(&context, &game.ctx));
    must(&game, tarn_world_create(game.ctx, &world, &game.world));
    build(&game, game.world);
    play(&game, 90, false);
    TarnBodyState boat;
    TarnLedgerEntry who[2]; // the lake, the drops
    TarnLedger all;
    must(&game, tarn_bodies_get_state(tarn_world_bodies(game.world), game.boat, &boat));
    must(&game, tarn_world_ledger(game.world, &all, who, 2));
    double x = (double)boat.position.x, y = (double)boat.position.y;
    double heat = tarn_gas_stats(tarn_world_gas(game.world, 0)).max_temperature;
    printf("After 1.5 s the boat has come to x = %.1f m, and floats at y = %.2f m.\n", x, y);
    printf("The gun drew %.3f m^3, %.3f m^3 have fallen back.\n", who[1].got, who[0].got);
    printf("The ledger closes to %.1g m^3, and the fire is %.0f K hot.\n", all.error, heat);
    assert(x > 7.0 && y > 1.5 && y < 2.6 && who[1].got > 0.1 && who[0].got > 0.01);
    assert(heat > 300.0 && all.error < 1e-6 && all.error > -1e-6 && game.jobs > 0);
    size_t size = 0;
    tarn_world_save(game.world, NULL, 0, &size); // asks for the size
    void* before = malloc(size);
    must(&game, tarn_world_save(game.world, before, size, &size));
    uint64_t quiet = play(&game, 10, false); // we guess that nothing happens
    must(&game, tarn_world_load(game.world, before, size));
    uint64_t eventful = play(&game, 10, true); // a packet says: crates fall, smoke rises
    must(&game, tarn_world_load(game.world, before, size));
    uint64_t again = play(&game, 10, false); // the snapshot of another game is rejected
    puts(again == quiet ? "The replay is identical, across crates and smoke." : "It differs.");
    free(before);
    tarn_world_destroy(game.world);
    tarn_context_destroy(game.ctx);
    printf("Our threads ran %d jobs; our allocator holds %zu bytes.\n", game.jobs, game.bytes);
    assert(again == quiet && eventful != quiet && game.bytes == 0);
}
