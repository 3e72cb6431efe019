// Rollback of what belongs together, and of what is the host's: bodies with their solids, in liquids, waves and
// shallow water; span shapes, terrain and functions; spans and gates of shallow water.

#include "shallow_common.h"
#include "particles/particles_internal.h"
#include "tarn/coupling.h"

// ---- Saving several at once ------------------------------------------------------------------------

typedef struct Saved {
    uint8_t* data[4];
    size_t size[4];
} Saved;

#define SAVE(saved, n, prefix, object)                                                             \
    do {                                                                                           \
        assert_int_equal(tarn_##prefix##_save(object, NULL, 0, &(saved)->size[n]),                 \
                         TARN_ERR_CAPACITY);                                                       \
        (saved)->data[n] = malloc((saved)->size[n]);                                               \
        assert_ok(                                                                                 \
            tarn_##prefix##_save(object, (saved)->data[n], (saved)->size[n], &(saved)->size[n]));  \
    } while (0)
#define LOAD(saved, n, prefix, object)                                                             \
    assert_int_equal(tarn_##prefix##_load(object, (saved)->data[n], (saved)->size[n]), TARN_OK)

static void drop(Saved* saved)
{
    for (int n = 0; n < 4; ++n) free(saved->data[n]);
    *saved = (Saved){ 0 };
}

static TarnBodies* make_bodies(TarnContext* where)
{
    TarnBodiesDef def = tarn_bodies_default_def();
    TarnBodies* bodies;
    def.max_bodies = 8;
    assert_int_equal(tarn_bodies_create(where, &def, &bodies), TARN_OK);
    return bodies;
}

static TarnBodyId add_body(TarnBodies* bodies, int which, TarnVec3 at, float size)
{
    const TarnVec3 roof[5] = { { -size, 0, -size },
                               { size, 0, -size },
                               { 0, 0, size },
                               { 0, size, 0 },
                               { 0.3f * size, 0.9f * size, 0 } };
    TarnBodyDef def = tarn_body_default_def();
    TarnBodyId id;
    def.shape = which % 3 == 0   ? tarn_shape_hull(roof, 5)
                : which % 3 == 1 ? tarn_shape_box(size, 0.5f * size, size)
                                 : tarn_shape_sphere(size);
    def.state.position = at;
    assert_int_equal(tarn_bodies_add(bodies, &def, &id), TARN_OK);
    return id;
}

// ---- Bodies in a liquid ----------------------------------------------------------------------------

typedef struct Tank {
    TarnLiquid* liquid;
    TarnSolids* solids;
    TarnBodies* bodies;
} Tank;

static Tank make_tank(TarnContext* where)
{
    Tank t;
    TarnLiquidDef def = tarn_liquid_default_def();
    TarnSolidsDef solids = tarn_solids_default_def();
    def.dimensions = 2, def.spacing = 0.05f, def.max_particles = 1000;
    def.box_min = (TarnVec3){ 0, 0, 0 }, def.box_max = (TarnVec3){ 2, 2, 1 };
    solids.max_solids = 12;
    assert_int_equal(tarn_liquid_create(where, &def, &t.liquid), TARN_OK);
    assert_int_equal(tarn_solids_create(where, &solids, &t.solids), TARN_OK);
    assert_int_equal(tarn_liquid_set_solids(t.liquid, t.solids), TARN_OK);
    t.bodies = make_bodies(where);
    return t;
}
static void fill_tank(Tank* t)
{
    TarnLiquidFill fill = tarn_liquid_fill_default();
    fill.shape = tarn_shape_box_between((TarnVec3){ 0, 0, 0 }, (TarnVec3){ 2, 0.6f, 1 },
                                        &fill.pose.position);
    assert_ok(tarn_liquid_fill(t->liquid, &fill, NULL));
}
static void step_tank(Tank* t, int n)
{
    for (int i = 0; i < n; ++i) {
        assert_ok(tarn_solids_advance(t->solids, frame));
        assert_int_equal(tarn_couple_liquid_bodies(t->liquid, t->bodies, frame, NULL), TARN_OK);
        assert_ok(tarn_bodies_step(t->bodies, frame, NULL));
    }
}
static uint64_t hash_tank(const Tank* t)
{
    const uint64_t parts[3] = { tarn_liquid_hash(t->liquid), tarn_solids_hash(t->solids),
                                tarn_bodies_hash(t->bodies) };
    return tarn_hash(parts, sizeof parts, 0);
}
static void save_tank(const Tank* t, Saved* saved)
{
    SAVE(saved, 0, bodies, t->bodies);
    SAVE(saved, 1, solids, t->solids);
    SAVE(saved, 2, liquid, t->liquid);
}
static void load_tank(Tank* t, const Saved* saved)
{
    LOAD(saved, 0, bodies, t->bodies);
    LOAD(saved, 1, solids, t->solids);
    LOAD(saved, 2, liquid, t->liquid);
}
static void destroy_tank(Tank* t)
{
    tarn_liquid_destroy(t->liquid);
    tarn_bodies_destroy(t->bodies);
    tarn_solids_destroy(t->solids);
}

// Each body has one solid and each solid is that of a body, but for `others`.
static void assert_linked(const Tank* t, int others)
{
    int n = tarn_bodies_count(t->bodies);
    assert_int_equal(tarn_solids_count(t->solids), n + others);
    for (int i = 0; i < n; ++i) {
        TarnBodyId id = tarn_bodies_at(t->bodies, i);
        TarnSolidDef def;
        assert_ok(tarn_solids_get(t->solids, tarn_couple_solid_of(t->bodies, id), &def));
        assert_true(tarn_couple_body_of(t->bodies, tarn_couple_solid_of(t->bodies, id)).value ==
                    id.value);
    }
}

static void test_liquid_bodies(void** state)
{
    (void)state;
    Tank tanks[2] = { make_tank(ctx), make_tank(ctx) };
    for (int n = 0; n < 2; ++n) {
        Tank* t = &tanks[n];
        fill_tank(t);
        for (int i = 0; i < 3; ++i)
            add_body(t->bodies, i, (TarnVec3){ 0.5f * (float)(i + 1), 0.8f, 0 }, 0.15f);
        TarnSolidDef keel = tarn_solid_default_def();
        keel.shape.size = (TarnVec3){ 0.1f, 0.05f, 1.0f };
        TarnBodyId id = tarn_bodies_at(t->bodies, 1);
        assert_ok(tarn_couple_solid_shape(t->solids, t->bodies, id, &keel));
        step_tank(t, 10);
    }
    Tank *t = &tanks[0], *straight = &tanks[1];
    const TarnBodyId ids[2] = { tarn_bodies_at(t->bodies, 0), tarn_bodies_at(t->bodies, 1) };
    TarnSolidId keel = tarn_couple_solid_of(t->bodies, ids[1]);
    Saved saved = { 0 };
    save_tank(t, &saved);
    uint64_t hash = hash_tank(t);
    assert_true(hash == hash_tank(straight));
    // A body goes, two come, the host adds a solid; then all is taken back.
    assert_ok(tarn_bodies_remove(t->bodies, ids[0]));
    add_body(t->bodies, 1, (TarnVec3){ 0.3f, 1.2f, 0 }, 0.1f);
    add_body(t->bodies, 2, (TarnVec3){ 1.3f, 1.3f, 0 }, 0.1f);
    TarnSolidDef stone = tarn_solid_default_def();
    stone.shape.size = (TarnVec3){ 0.2f, 0.2f, 1.0f };
    assert_ok(tarn_solids_add(t->solids, &stone, NULL));
    step_tank(t, 10);
    assert_linked(t, 1);
    load_tank(t, &saved);
    assert_true(hash_tank(t) == hash);
    assert_linked(t, 0);
    assert_true(tarn_couple_solid_of(t->bodies, ids[1]).value == keel.value);
    assert_ok(tarn_couple_solids_prepare(t->solids, t->bodies)); // has nothing to do
    assert_true(hash_tank(t) == hash);
    step_tank(t, 20);
    step_tank(straight, 20);
    assert_true(hash_tank(t) == hash_tank(straight));
    // Into new ones of another context, which have never met.
    TarnContext* elsewhere = make_context(2, TARN_ISA_AUTO);
    Tank other = make_tank(elsewhere);
    load_tank(&other, &saved);
    assert_true(hash_tank(&other) == hash);
    step_tank(&other, 20);
    assert_true(hash_tank(&other) == hash_tank(straight));
    assert_linked(&other, 0);
    drop(&saved);
    for (int n = 0; n < 2; ++n) destroy_tank(&tanks[n]);
    destroy_tank(&other);
    tarn_context_destroy(elsewhere);
}

// A body that went after the last coupling left its solid: it is removed by the next one, also after a load.
static void test_left_behind(void** state)
{
    (void)state;
    Tank t = make_tank(ctx);
    fill_tank(&t);
    TarnBodyId id = add_body(t.bodies, 1, (TarnVec3){ 1, 0.8f, 0 }, 0.15f);
    step_tank(&t, 2);
    assert_ok(tarn_bodies_remove(t.bodies, id));
    assert_int_equal(tarn_solids_count(t.solids), 1);
    Saved saved = { 0 };
    save_tank(&t, &saved);
    step_tank(&t, 1);
    assert_int_equal(tarn_solids_count(t.solids), 0);
    uint64_t hash = hash_tank(&t);
    add_body(t.bodies, 2, (TarnVec3){ 1, 0.8f, 0 }, 0.1f);
    step_tank(&t, 3);
    load_tank(&t, &saved);
    assert_int_equal(tarn_solids_count(t.solids), 1);
    step_tank(&t, 1);
    assert_true(tarn_solids_count(t.solids) == 0 && hash_tank(&t) == hash);
    drop(&saved);
    destroy_tank(&t);
}

// ---- Bodies in height fields -----------------------------------------------------------------------

static void test_height_fields(void** state)
{
    (void)state;
    for (int kind = 0; kind < 2; ++kind) {
        TarnWaveDef wave_def = tarn_wave_default_def();
        TarnShallowDef def = water_def();
        TarnWave* wave;
        TarnBodies* bodies = make_bodies(ctx);
        wave_def.nx = wave_def.nz = 64, wave_def.dx = 0.1f, wave_def.use_bodies = true;
        def.level = 3.0f, def.has_level = true, def.use_bodies = true;
        TarnShallow* water = make_water(&def);
        assert_ok(tarn_wave_create(ctx, &wave_def, &wave));
        float top = kind == 0 ? 0.0f : 3.0f, x = kind == 0 ? 2.0f : 20.0f;
        TarnBodyId ids[2] = { add_body(bodies, 0, (TarnVec3){ x, top, 3 }, 0.6f),
                              add_body(bodies, 1, (TarnVec3){ x + 2, top, 3 }, 0.6f) };
        Saved saved = { 0 };
        uint64_t ends[3] = { 0 };
        for (int time = 0; time < 3; ++time) { // straight on; then a detour; then again
            for (int n = 0; n < 60; ++n) {
                if (time == 0 && n == 20) {
                    SAVE(&saved, 0, bodies, bodies);
                    SAVE(&saved, 1, wave, wave);
                    SAVE(&saved, 2, shallow, water);
                }
                if (time > 0 && n < 20) continue;
                if (kind == 0)
                    assert_ok(tarn_couple_wave_bodies(wave, bodies, frame));
                else
                    assert_ok(tarn_couple_shallow_bodies(water, bodies, frame));
                assert_ok(tarn_wave_step(wave, frame, NULL));
                assert_ok(tarn_shallow_step(water, frame, NULL));
                assert_ok(tarn_bodies_step(bodies, frame, NULL));
                bool is_late = n == 50;
                if (is_late) {
                    const uint64_t parts[3] = { tarn_bodies_hash(bodies), tarn_wave_hash(wave),
                                                tarn_shallow_hash(water) };
                    ends[time] = tarn_hash(parts, sizeof parts, 0);
                    assert_ok(tarn_bodies_remove(bodies, ids[time % 2]));
                    add_body(bodies, 2, (TarnVec3){ x + 1, top + 1, 4 }, 0.5f);
                }
            }
            LOAD(&saved, 0, bodies, bodies);
            LOAD(&saved, 1, wave, wave);
            LOAD(&saved, 2, shallow, water);
        }
        assert_true(ends[1] == ends[0] && ends[2] == ends[0]);
        drop(&saved);
        tarn_wave_destroy(wave);
        tarn_shallow_destroy(water);
        tarn_bodies_destroy(bodies);
    }
}

// ---- What only the host has ------------------------------------------------------------------------

static bool cube_span(float x, float z, TarnVec3 p, TarnQuat q, float* lo, float* hi, void* user)
{
    (void)q;
    float half = *(const float*)user;
    *lo = p.y - half, *hi = p.y + half;
    return fabsf(x - p.x) < half && fabsf(z - p.z) < half;
}

static void test_span_shapes(void** state)
{
    (void)state;
    float half = 0.5f, other_half = 0.25f;
    TarnBodies *bodies = make_bodies(ctx), *twin = make_bodies(ctx);
    TarnBodyDef def = tarn_body_default_def();
    def.shape = (TarnShape){
        .kind = TARN_SHAPE_SPAN, .span = cube_span, .user = &half, .radius = 0.9f, .volume = 1.0f
    };
    add_body(bodies, 0, (TarnVec3){ 3, 3, 3 }, 0.5f);
    Saved before = { 0 }, saved = { 0 };
    SAVE(&before, 0, bodies, bodies);
    TarnBodyId id;
    assert_ok(tarn_bodies_add(bodies, &def, &id));
    SAVE(&saved, 0, bodies, bodies);
    uint64_t hash = tarn_bodies_hash(bodies);
    assert_ok(tarn_bodies_step(bodies, frame, NULL));
    LOAD(&saved, 0, bodies, bodies); // it is there
    assert_true(tarn_bodies_hash(bodies) == hash);
    assert_true(tarn_bodies_shape(bodies, id)->user == &half);
    LOAD(&before, 0, bodies, bodies); // it goes
    uint64_t gone = tarn_bodies_hash(bodies);
    assert_int_equal(tarn_bodies_count(bodies), 1);
    assert_result(tarn_bodies_load(bodies, saved.data[0], saved.size[0]), TARN_ERR_DATA,
                  "body 1: the callback of its span shape");
    assert_true(tarn_bodies_hash(bodies) == gone);
    def.shape.user = &other_half; // the same calls, with the host's callback of now
    assert_ok(tarn_bodies_add(bodies, &def, &id));
    LOAD(&saved, 0, bodies, bodies);
    assert_true(tarn_bodies_hash(bodies) == hash);
    assert_true(tarn_bodies_shape(bodies, id)->user == &other_half);
    assert_ok(tarn_bodies_remove(bodies, id)); // another body in its slot has no callback for it
    assert_ok(tarn_bodies_add(bodies, &def, &id));
    assert_result(tarn_bodies_load(bodies, saved.data[0], saved.size[0]), TARN_ERR_DATA, "body 1");
    add_body(twin, 0, (TarnVec3){ 0, 9, 0 }, 0.3f); // a set that was built alike
    assert_ok(tarn_bodies_add(twin, &def, &id));
    LOAD(&saved, 0, bodies, twin);
    assert_true(tarn_bodies_hash(twin) == hash);
    drop(&before);
    drop(&saved);
    tarn_bodies_destroy(bodies);
    tarn_bodies_destroy(twin);
}

static float ball_distance(TarnVec3 p, void* user)
{
    return sqrtf(p.x * p.x + p.y * p.y + p.z * p.z) - *(const float*)user;
}

static void test_host_solids(void** state)
{
    (void)state;
    static const float heights[9] = { 0, 1, 0, 0, 2, 0, 0, 0, 1 };
    float radius = 0.5f;
    for (int kind = 0; kind < 2; ++kind) {
        TarnSolidsDef set_def = tarn_solids_default_def();
        TarnSolidDef def = tarn_solid_default_def(), box = def;
        TarnSolids* solids;
        TarnSolidId id;
        assert_ok(tarn_solids_create(ctx, &set_def, &solids));
        assert_ok(tarn_solids_add(solids, &box, NULL));
        def.shape.kind = kind == 0 ? TARN_SHAPE_TERRAIN : TARN_SHAPE_FUNCTION;
        def.shape.heights = (TarnView2){ heights, 3, 3, 3 };
        def.shape.distance = ball_distance, def.shape.user = &radius;
        assert_ok(tarn_solids_add(solids, &def, &id));
        Saved saved = { 0 };
        SAVE(&saved, 0, solids, solids);
        uint64_t hash = tarn_solids_hash(solids);
        assert_ok(tarn_solids_set_velocity(solids, id, (TarnVec3){ 1, 0, 0 }, (TarnVec3){ 0 }));
        assert_ok(tarn_solids_advance(solids, 1.0f));
        assert_ok(tarn_solids_add(solids, &box, NULL));
        LOAD(&saved, 0, solids, solids);
        assert_true(tarn_solids_hash(solids) == hash && tarn_solids_count(solids) == 2);
        TarnSolidDef got;
        assert_ok(tarn_solids_get(solids, id, &got));
        assert_true(kind == 0 ? got.shape.heights.data == heights : got.shape.user == &radius);
        float x = 0.2f, y = 3.0f, z = 0.1f, distance;
        assert_ok(tarn_solids_query(solids, 1, &x, &y, &z, 10.0f, &distance, NULL, NULL));
        assert_ok(tarn_solids_remove(solids, id));
        uint64_t gone = tarn_solids_hash(solids);
        assert_result(tarn_solids_load(solids, saved.data[0], saved.size[0]), TARN_ERR_DATA,
                      kind == 0 ? "solid 1: the terrain of the host"
                                : "solid 1: the distance function of the host");
        assert_true(tarn_solids_hash(solids) == gone);
        assert_ok(tarn_solids_add(solids, &def, &id)); // another one in its slot may be another's
        assert_result(tarn_solids_load(solids, saved.data[0], saved.size[0]), TARN_ERR_DATA,
                      "solid 1");
        drop(&saved);
        tarn_solids_destroy(solids);
    }
}

// Shapes that are loaded need room, too.
static void test_shape_memory(void** state)
{
    (void)state;
    static float distances[16 * 16 * 16];
    TarnSolidsDef set_def = tarn_solids_default_def();
    TarnSolids *solids, *small;
    assert_ok(tarn_solids_create(ctx, &set_def, &solids));
    set_def.shape_memory = 1000;
    assert_ok(tarn_solids_create(ctx, &set_def, &small));
    TarnSolidDef def = tarn_solid_default_def();
    def.shape.kind = TARN_SHAPE_DISTANCE, def.shape.distances = distances,
    def.shape.nx = def.shape.ny = def.shape.nz = 16;
    assert_ok(tarn_solids_add(solids, &def, NULL));
    Saved saved = { 0 };
    SAVE(&saved, 0, solids, solids);
    uint64_t hash = tarn_solids_hash(small);
    assert_result(tarn_solids_load(small, saved.data[0], saved.size[0]), TARN_ERR_CAPACITY,
                  "raise solids.shape_memory");
    assert_true(tarn_solids_hash(small) == hash);
    drop(&saved);
    tarn_solids_destroy(solids);
    tarn_solids_destroy(small);
}

// What lay in the shape memory before leaves no trace.
static void test_used_memory(void** state)
{
    (void)state;
    static float distances[8 * 8 * 8];
    const TarnPlane planes[3] = { { { 1, 0, 0 }, 1 }, { { 0, 1, 0 }, 1 }, { { 0, 0, 1 }, 1 } };
    for (int i = 0; i < 512; ++i) distances[i] = 1.0f;
    uint64_t hashes[2];
    for (int n = 0; n < 2; ++n) {
        TarnSolidsDef set_def = tarn_solids_default_def();
        TarnSolidDef first = tarn_solid_default_def(), def = first;
        TarnSolids* solids;
        TarnSolidId id;
        assert_ok(tarn_solids_create(ctx, &set_def, &solids));
        if (n == 1) first.shape.kind = TARN_SHAPE_DISTANCE;
        first.shape.distances = distances, first.shape.nx = first.shape.ny = first.shape.nz = 8;
        assert_ok(tarn_solids_add(solids, &first, &id));
        assert_ok(tarn_solids_remove(solids, id));
        def.shape.kind = TARN_SHAPE_CONVEX, def.shape.planes = planes, def.shape.n_planes = 3;
        assert_ok(tarn_solids_add(solids, &def, &id));
        hashes[n] = tarn_solids_hash(solids);
        tarn_solids_destroy(solids);
    }
    assert_true(hashes[0] == hashes[1]);
}

// ---- What meets solids -----------------------------------------------------------------------------

typedef struct Room {
    TarnSolids* solids;
    TarnGas* gas;
    TarnParticles* dust;
} Room;

static TarnSolidId add_box(Room* room, float x, int touch)
{
    TarnSolidDef def = tarn_solid_default_def();
    TarnSolidId id;
    def.shape.size = (TarnVec3){ 0.3f, 0.2f, 0.3f }, def.touch = touch;
    def.motion.position.x = x;
    def.motion.velocity = (TarnVec3){ -0.5f * x, 0.3f, 0 };
    assert_ok(tarn_solids_add(room->solids, &def, &id));
    return id;
}

static Room make_room(void)
{
    Room room;
    TarnSolidsDef solids = tarn_solids_default_def();
    TarnGasDef gas = tarn_gas_default_def();
    TarnParticlesDef dust = tarn_particles_default_def();
    TarnGasSourceDef smoke = tarn_gas_source_default_def();
    TarnParticleEmitterDef rain = tarn_particle_emitter_default_def();
    gas.nx = gas.ny = gas.nz = 16, gas.dx = 0.15f, gas.obstacles = TARN_GAS_ITERATED;
    dust.max_particles = 500;
    rain.shape.kind = TARN_SHAPE_BOX, rain.shape.size = (TarnVec3){ 1, 0.1f, 1 };
    rain.rate = 600, rain.speed = 0.0f, rain.motion.position.y = 1.0f;
    assert_ok(tarn_solids_create(ctx, &solids, &room.solids));
    assert_ok(tarn_gas_create(ctx, &gas, &room.gas));
    assert_ok(tarn_particles_create(ctx, &dust, &room.dust));
    assert_ok(tarn_gas_set_solids(room.gas, room.solids));
    assert_ok(tarn_particles_set_solids(room.dust, room.solids));
    smoke.temperature = 300, smoke.shape.size.x = 0.4f, smoke.motion.position.y = -0.8f;
    assert_ok(tarn_gas_add_source(room.gas, &smoke, NULL));
    assert_ok(tarn_particles_add_emitter(room.dust, &rain, NULL));
    return room;
}
static void step_room(Room* room, int n)
{
    for (int i = 0; i < n; ++i) {
        assert_ok(tarn_solids_advance(room->solids, frame));
        assert_ok(tarn_gas_step(room->gas, frame, NULL));
        assert_ok(tarn_particles_step(room->dust, frame, NULL));
    }
}
static uint64_t hash_room(const Room* room)
{
    const uint64_t parts[3] = { tarn_solids_hash(room->solids), tarn_gas_hash(room->gas),
                                tarn_particles_hash(room->dust) };
    return tarn_hash(parts, sizeof parts, 0);
}

static void test_gas_and_particles(void** state)
{
    (void)state;
    Room rooms[2] = { make_room(), make_room() };
    TarnSolidId id = { 0 };
    for (int n = 1; n >= 0; --n) {
        id = add_box(&rooms[n], 0.4f, TARN_TOUCH_STICK);
        add_box(&rooms[n], -0.4f, TARN_TOUCH_BOUNCE);
        step_room(&rooms[n], 40);
    }
    Saved saved = { 0 };
    SAVE(&saved, 0, solids, rooms[0].solids);
    SAVE(&saved, 1, gas, rooms[0].gas);
    SAVE(&saved, 2, particles, rooms[0].dust);
    uint64_t hash = hash_room(&rooms[0]);
    assert_true(rooms[0].dust->n_stuck > 0 && hash == hash_room(&rooms[1]));
    assert_ok(tarn_solids_remove(rooms[0].solids, id)); // what stuck to it falls
    add_box(&rooms[0], 0.1f, TARN_TOUCH_KILL);
    step_room(&rooms[0], 20);
    LOAD(&saved, 0, solids, rooms[0].solids);
    LOAD(&saved, 1, gas, rooms[0].gas);
    LOAD(&saved, 2, particles, rooms[0].dust);
    assert_true(hash_room(&rooms[0]) == hash);
    for (int n = 0; n < 2; ++n) step_room(&rooms[n], 30);
    assert_true(hash_room(&rooms[0]) == hash_room(&rooms[1]));
    drop(&saved);
    for (int n = 0; n < 2; ++n) {
        tarn_gas_destroy(rooms[n].gas);
        tarn_particles_destroy(rooms[n].dust);
        tarn_solids_destroy(rooms[n].solids);
    }
}

// ---- Shallow water ---------------------------------------------------------------------------------

static void test_spans_and_gates(void** state)
{
    (void)state;
    const float times[3] = { 0, 1, 5 }, values[3] = { 0, 3, 1 }, less[3] = { 0, 1, 0 };
    TarnShallowDef def = water_def();
    def.level = 1.0f, def.has_level = true;
    TarnShallow* waters[2] = { make_water(&def), make_water(&def) };
    TarnShallowSpanDef span = span_of(TARN_SIDE_X0, TARN_SHALLOW_DISCHARGE, 0.0f);
    span.times = times, span.values = values, span.n_times = 3;
    TarnShallowGateDef gate = tarn_shallow_default_gate();
    gate.a = (TarnVec2){ 20, 0 }, gate.b = (TarnVec2){ 22, 20 }, gate.top = 3.0f;
    for (int n = 0; n < 2; ++n) {
        assert_ok(tarn_shallow_add_span(waters[n], &span, NULL));
        assert_ok(tarn_shallow_add_gate(waters[n], &gate, NULL));
        advance_frames(waters[n], 10);
    }
    Saved saved = { 0 }, more = { 0 };
    SAVE(&saved, 0, shallow, waters[0]);
    uint64_t hash = tarn_shallow_hash(waters[0]);
    span.side = TARN_SIDE_Z1, span.values = less;
    assert_ok(tarn_shallow_add_span(waters[0], &span, NULL));
    gate.a.x = 30, gate.b.x = 1e7f;
    assert_ok(tarn_shallow_add_gate(waters[0], &gate, NULL));
    assert_ok(tarn_shallow_set_gate(waters[0], 0, 1.0f));
    assert_ok(tarn_shallow_shift(waters[0], 3, -2));
    advance_frames(waters[0], 10);
    SAVE(&more, 0, shallow, waters[0]);
    uint64_t more_hash = tarn_shallow_hash(waters[0]);
    int calls = memory.calls;
    LOAD(&saved, 0, shallow, waters[0]);
    assert_true(tarn_shallow_hash(waters[0]) == hash && memory.calls == calls);
    assert_int_equal(tarn_shallow_span_count(waters[0]), 1);
    assert_int_equal(tarn_shallow_gate_count(waters[0]), 1);
    for (int n = 0; n < 2; ++n) advance_frames(waters[n], 100);
    assert_true(tarn_shallow_hash(waters[0]) == tarn_shallow_hash(waters[1]));
    for (int n = 0; n < 2; ++n) { // the other way round
        LOAD(&more, 0, shallow, waters[n]);
        assert_true(tarn_shallow_hash(waters[n]) == more_hash);
        assert_true(tarn_shallow_span_count(waters[n]) == 2 &&
                    tarn_shallow_gate_count(waters[n]) == 2);
        advance_frames(waters[n], 50);
    }
    assert_true(tarn_shallow_hash(waters[0]) == tarn_shallow_hash(waters[1]));
    drop(&saved);
    drop(&more);
    for (int n = 0; n < 2; ++n) tarn_shallow_destroy(waters[n]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_liquid_bodies),         TEST_ALONE(test_left_behind),
        TEST_ALONE(test_height_fields),   TEST_ALONE(test_span_shapes),
        TEST_ALONE(test_host_solids),     TEST_ALONE(test_shape_memory),
        TEST_ALONE(test_used_memory),     TEST_ALONE(test_gas_and_particles),
        TEST_ALONE(test_spans_and_gates),
    };
    return cmocka_run_group_tests_name("rollback_together", tests, NULL, NULL);
}
