// Rollback: a snapshot restores who was there. For everything that has ids: save, add and remove, step, load,
// and all goes on as without the detour, with the ids of then; the same calls get the same ids again.

#include "solids_common.h"
#include "bodies/bodies_internal.h"
#include "gas/gas_internal.h"
#include "liquid/liquid_driver.h"
#include "particles/particles_internal.h"
#include "tests/sanitized.h"

// ---- Subjects ------------------------------------------------------------------------------------

typedef struct Subject {
    const char* name;
    void* (*create)(TarnContext* where);
    uint64_t (*add)(void* object, int which); // one of several kinds; the id
    TarnResult (*remove)(void* object, uint64_t id);
    const TarnHandles* (*ids)(const void* object);
    TarnResult (*step)(void* object);
    uint64_t (*hash)(const void* object);
    TarnResult (*save)(const void* object, void* buffer, size_t capacity, size_t* size);
    TarnResult (*load)(void* object, const void* buffer, size_t size);
    void (*destroy)(void* object);
} Subject;

// The functions of an object with their types left out.
#define OBJECT(prefix, Type)                                                                       \
    static uint64_t prefix##_hash_of(const void* o)                                                \
    {                                                                                              \
        return tarn_##prefix##_hash((const Type*)o);                                               \
    }                                                                                              \
    static TarnResult prefix##_save_of(const void* o, void* buffer, size_t capacity, size_t* size) \
    {                                                                                              \
        return tarn_##prefix##_save((const Type*)o, buffer, capacity, size);                       \
    }                                                                                              \
    static TarnResult prefix##_load_of(void* o, const void* buffer, size_t size)                   \
    {                                                                                              \
        return tarn_##prefix##_load((Type*)o, buffer, size);                                       \
    }                                                                                              \
    static void prefix##_destroy_of(void* o)                                                       \
    {                                                                                              \
        tarn_##prefix##_destroy((Type*)o);                                                         \
    }
OBJECT(bodies, TarnBodies)
OBJECT(solids, TarnSolids)
OBJECT(liquid, TarnLiquid)
OBJECT(gas, TarnGas)
OBJECT(particles, TarnParticles)
#define STATE(prefix) prefix##_hash_of, prefix##_save_of, prefix##_load_of, prefix##_destroy_of

static void* create_bodies(TarnContext* where)
{
    TarnBodiesDef def = tarn_bodies_default_def();
    TarnBodies* set;
    def.max_bodies = 8;
    def.box_min = (TarnVec3){ -2, 0, -2 }, def.box_max = (TarnVec3){ 2, 9, 2 };
    assert_int_equal(tarn_bodies_create(where, &def, &set), TARN_OK);
    return set;
}
static TarnBodyDef body_of(int which)
{
    static const TarnVec3 wedge[6] = { { 0, 0, 0 }, { 0.9f, 0, 0 },       { 0, 0, 0.7f },
                                       { 0, 1, 0 }, { 0.9f, 0.8f, 0.1f }, { 0.1f, 0.9f, 0.6f } };
    TarnBodyDef def = tarn_body_default_def();
    if (which % 4 == 0) def.shape = tarn_shape_hull(wedge, 6);
    if (which % 4 == 1) def.shape = tarn_shape_sphere(0.3f);
    if (which % 4 == 2) def.shape = tarn_shape_capsule(0.2f, 0.3f);
    def.state.position = (TarnVec3){ 0.1f * (float)which, 0.6f + 0.7f * (float)which, 0 };
    def.state.angular_velocity = (TarnVec3){ 1, (float)which, 2 };
    def.freedom = which % 3, def.friction = 0.1f * (float)(which % 7);
    def.axis = (TarnVec3){ 1, 2, (float)which };
    return def;
}
static uint64_t add_body(void* set, int which)
{
    TarnBodyDef def = body_of(which);
    TarnBodyId id;
    tarn_bodies_add(set, &def, &id);
    return id.value;
}
static TarnResult remove_body(void* set, uint64_t id)
{
    return tarn_bodies_remove(set, (TarnBodyId){ id });
}
static const TarnHandles* body_ids(const void* set)
{
    return &((const TarnBodies*)set)->ids;
}
static TarnResult step_bodies(void* set)
{
    return tarn_bodies_step(set, frame, NULL);
}

static void* create_solids(TarnContext* where)
{
    TarnSolidsDef def = tarn_solids_default_def();
    TarnSolids* set;
    def.max_solids = 8, def.shape_memory = 1 << 19;
    assert_int_equal(tarn_solids_create(where, &def, &set), TARN_OK);
    return set;
}
static uint64_t add_solid(void* set, int which)
{
    static const TarnPlane planes[5] = { { { 1, 0, 0 }, 1 },
                                         { { -1, 0.1f, 0 }, 1 },
                                         { { 0, 0, 1 }, 2 },
                                         { { 0, 1, -1 }, 1 },
                                         { { 0, -2, 0 }, 1 } };
    static const float distances[8] = { 1, 1, 1, 1, -1, -1, 0.5f, -1 };
    TarnSolidDef def = make(TARN_SHAPE_BOX, (TarnVec3){ 0.3f, 0.2f, 0.5f });
    if (which % 5 == 0) def = ring_mesh();
    if (which % 5 == 1)
        def.shape.kind = TARN_SHAPE_CONVEX, def.shape.planes = planes, def.shape.n_planes = 5;
    if (which % 5 == 2)
        def.shape.kind = TARN_SHAPE_DISTANCE, def.shape.distances = distances,
        def.shape.nx = def.shape.ny = def.shape.nz = 2;
    if (which % 5 == 3)
        def = ring_mesh(), def.shape.n_triangles -= 7, def.shape.thickness = 0.1f; // open
    def.user = (uint32_t)which;
    def.motion.position = (TarnVec3){ (float)which, 0, 0 };
    def.motion.velocity = (TarnVec3){ 1, 0, (float)which };
    def.motion.angular_velocity = (TarnVec3){ 0, (float)which, 3 };
    TarnSolidId id;
    tarn_solids_add(set, &def, &id);
    return id.value;
}
static TarnResult remove_solid(void* set, uint64_t id)
{
    return tarn_solids_remove(set, (TarnSolidId){ id });
}
static const TarnHandles* solid_ids(const void* set)
{
    return &((const TarnSolids*)set)->ids;
}
static TarnResult step_solids(void* set)
{
    return tarn_solids_advance(set, frame);
}

static void* create_liquid(TarnContext* where)
{
    TarnLiquidDef def = tarn_liquid_default_def();
    TarnLiquid* l;
    def.dimensions = 2, def.spacing = 0.1f, def.max_particles = 400;
    def.box_min = (TarnVec3){ 0, 0, 0 }, def.box_max = (TarnVec3){ 2, 2, 1 };
    def.max_sources = def.max_regions = 8;
    assert_int_equal(tarn_liquid_create(where, &def, &l), TARN_OK);
    TarnLiquidFill fill = tarn_liquid_fill_default();
    fill.shape =
        tarn_shape_box_between((TarnVec3){ 0, 0, 0 }, (TarnVec3){ 1, 1, 1 }, &fill.pose.position);
    assert_int_equal(tarn_liquid_fill(l, &fill, NULL), TARN_OK);
    return l;
}
static uint64_t add_liquid_source(void* l, int which)
{
    TarnLiquidSourceDef def = tarn_liquid_source_default_def();
    def.position = (TarnVec3){ 0.3f + 0.1f * (float)which, 1.5f, 0 };
    def.speed = 1.0f + 0.5f * (float)which, def.spread = 0.1f, def.group = which;
    TarnLiquidSourceId id;
    tarn_liquid_add_source(l, &def, &id);
    return id.value;
}
static TarnResult remove_liquid_source(void* l, uint64_t id)
{
    return tarn_liquid_remove_source(l, (TarnLiquidSourceId){ id });
}
static const TarnHandles* liquid_source_ids(const void* l)
{
    return &((const TarnLiquid*)l)->driver->source_ids;
}
static uint64_t add_region(void* l, int which)
{
    TarnRegionDef def = tarn_region_default_def();
    def.shape.size.x = 0.25f, def.pose.position.x = 0.25f + 0.2f * (float)(which % 4);
    def.pose.position.y = 0.5f;
    def.action = which % 6, def.push.y = 20, def.user = (uint32_t)which;
    TarnRegionId id;
    tarn_liquid_add_region(l, &def, &id);
    return id.value;
}
static TarnResult remove_region(void* l, uint64_t id)
{
    return tarn_liquid_remove_region(l, (TarnRegionId){ id });
}
static const TarnHandles* region_ids(const void* l)
{
    return &((const TarnLiquid*)l)->driver->region_ids;
}
static TarnResult step_liquid(void* l)
{
    return tarn_liquid_step(l, frame, NULL);
}

static void* create_gas(TarnContext* where)
{
    TarnGasDef def = tarn_gas_default_def();
    TarnGas* gas;
    def.nx = def.nz = 8, def.ny = 16, def.dx = 0.2f;
    def.max_sources = def.max_jets = 8;
    assert_int_equal(tarn_gas_create(where, &def, &gas), TARN_OK);
    return gas;
}
static uint64_t add_gas_source(void* gas, int which)
{
    TarnGasSourceDef def = tarn_gas_source_default_def();
    def.motion.position.y = 0.2f * (float)(which - 3), def.shape.size.x = 0.4f, def.noise = 0.5f;
    def.temperature = 100.0f * (float)which;
    TarnGasSourceId id;
    tarn_gas_add_source(gas, &def, &id);
    return id.value;
}
static TarnResult remove_gas_source(void* gas, uint64_t id)
{
    return tarn_gas_remove_source(gas, (TarnGasSourceId){ id });
}
static const TarnHandles* gas_source_ids(const void* gas)
{
    return &((const TarnGas*)gas)->source_ids;
}
static uint64_t add_jet(void* gas, int which)
{
    TarnGasJetDef def = tarn_gas_jet_default_def();
    def.motion.position.y = 0.2f * (float)(which - 3), def.frequency = (float)which;
    TarnGasJetId id;
    tarn_gas_add_jet(gas, &def, &id);
    return id.value;
}
static TarnResult remove_jet(void* gas, uint64_t id)
{
    return tarn_gas_remove_jet(gas, (TarnGasJetId){ id });
}
static const TarnHandles* jet_ids(const void* gas)
{
    return &((const TarnGas*)gas)->jet_ids;
}
static TarnResult step_gas(void* gas)
{
    return tarn_gas_step(gas, frame, NULL);
}

static void* create_particles(TarnContext* where)
{
    TarnParticlesDef def = tarn_particles_default_def();
    TarnParticles* set;
    def.max_particles = 300, def.max_emitters = def.max_attractors = 8;
    assert_int_equal(tarn_particles_create(where, &def, &set), TARN_OK);
    TarnParticleEmitterDef first = tarn_particle_emitter_default_def();
    first.rate = 300;
    assert_int_equal(tarn_particles_add_emitter(set, &first, NULL), TARN_OK);
    return set;
}
static uint64_t add_emitter(void* set, int which)
{
    TarnParticleEmitterDef def = tarn_particle_emitter_default_def();
    def.rate = 100.0f * (float)(1 + which), def.motion.position.x = (float)which;
    TarnParticleEmitterId id;
    tarn_particles_add_emitter(set, &def, &id);
    return id.value;
}
static TarnResult remove_emitter(void* set, uint64_t id)
{
    return tarn_particles_remove_emitter(set, (TarnParticleEmitterId){ id });
}
static const TarnHandles* emitter_ids(const void* set)
{
    return &((const TarnParticles*)set)->emitter_ids;
}
static uint64_t add_attractor(void* set, int which)
{
    TarnAttractorDef def = tarn_attractor_default_def();
    def.strength = 5.0f * (float)(which + 1), def.position.x = (float)(which - 3);
    TarnAttractorId id;
    tarn_particles_add_attractor(set, &def, &id);
    return id.value;
}
static TarnResult remove_attractor(void* set, uint64_t id)
{
    return tarn_particles_remove_attractor(set, (TarnAttractorId){ id });
}
static const TarnHandles* attractor_ids(const void* set)
{
    return &((const TarnParticles*)set)->attractor_ids;
}
static TarnResult step_particles(void* set)
{
    return tarn_particles_step(set, frame, NULL);
}

static const Subject subjects[] = {
    { "bodies", create_bodies, add_body, remove_body, body_ids, step_bodies, STATE(bodies) },
    { "solids", create_solids, add_solid, remove_solid, solid_ids, step_solids, STATE(solids) },
    { "liquid sources", create_liquid, add_liquid_source, remove_liquid_source, liquid_source_ids,
      step_liquid, STATE(liquid) },
    { "regions", create_liquid, add_region, remove_region, region_ids, step_liquid, STATE(liquid) },
    { "gas sources", create_gas, add_gas_source, remove_gas_source, gas_source_ids, step_gas,
      STATE(gas) },
    { "jets", create_gas, add_jet, remove_jet, jet_ids, step_gas, STATE(gas) },
    { "emitters", create_particles, add_emitter, remove_emitter, emitter_ids, step_particles,
      STATE(particles) },
    { "attractors", create_particles, add_attractor, remove_attractor, attractor_ids,
      step_particles, STATE(particles) },
};
enum { SUBJECTS = sizeof subjects / sizeof subjects[0] };

static void run(const Subject* s, void* object, int n)
{
    for (int i = 0; i < n; ++i) assert_int_equal(s->step(object), TARN_OK);
}

// Three of them that have been through some changes. The last one is in a slot that was used before.
static void populate(const Subject* s, void* object, uint64_t ids[3])
{
    ids[0] = s->add(object, 0);
    uint64_t gone = s->add(object, 1);
    ids[1] = s->add(object, 2);
    run(s, object, 3);
    assert_int_equal(s->remove(object, gone), TARN_OK);
    ids[2] = s->add(object, 3);
    assert_true(ids[0] && ids[1] && ids[2]);
    run(s, object, 3);
}

static uint8_t* save(const Subject* s, const void* object, size_t* size)
{
    assert_int_equal(s->save(object, NULL, 0, size), TARN_ERR_CAPACITY);
    uint8_t* snapshot = malloc(*size);
    assert_int_equal(s->save(object, snapshot, *size, size), TARN_OK);
    return snapshot;
}

static bool is_there(const Subject* s, const void* object, uint64_t id)
{
    return tarn__handles_slot(s->ids(object), id) >= 0;
}

#define check(s, condition)                                                                        \
    do {                                                                                           \
        if (!(condition)) print_error("%s: ", (s)->name);                                          \
        assert_true(condition);                                                                    \
    } while (0)

// ---- Tests ---------------------------------------------------------------------------------------

// Added and removed after the save; the load undoes it, and a second run of the same calls gets the same ids.
static void test_detour(void** state)
{
    (void)state;
    for (const Subject* s = subjects; s < subjects + SUBJECTS; ++s) {
        void *object = s->create(ctx), *straight = s->create(ctx);
        uint64_t ids[3], twins[3], later[2];
        size_t size;
        populate(s, object, ids);
        populate(s, straight, twins);
        uint8_t* snapshot = save(s, object, &size);
        uint64_t hash = s->hash(object), reached[2];
        check(s, hash == s->hash(straight));
        for (int time = 0; time < 2; ++time) {
            int calls = memory.calls;
            assert_int_equal(s->remove(object, ids[1]), TARN_OK);
            for (int n = 0; n < 2; ++n) {
                uint64_t id = s->add(object, 5 + n);
                check(s, id != 0 && id != ids[1] && (time == 0 || id == later[n]));
                later[n] = id;
            }
            run(s, object, 4);
            reached[time] = s->hash(object);
            assert_int_equal(s->load(object, snapshot, size), TARN_OK);
            check(s, memory.calls == calls); // nothing was allocated
            check(s, s->hash(object) == hash);
            for (int n = 0; n < 3; ++n) check(s, is_there(s, object, ids[n]));
            for (int n = 0; n < 2; ++n) check(s, !is_there(s, object, later[n]));
        }
        check(s, reached[0] == reached[1] && reached[0] != hash);
        run(s, object, 5);
        run(s, straight, 5);
        check(s, s->hash(object) == s->hash(straight));
        uint64_t low = 0xffffffffffff;
        check(s, (s->add(object, 4) & low) == (s->add(straight, 4) & low));
        run(s, object, 5);
        run(s, straight, 5);
        check(s, s->hash(object) == s->hash(straight));
        free(snapshot);
        s->destroy(object);
        s->destroy(straight);
    }
}

// Saved with some and loaded when there are none, and the other way round; into new ones of another context.
static void test_all_and_none(void** state)
{
    (void)state;
    TarnContext* elsewhere = make_context(3, TARN_ISA_AUTO);
    for (const Subject* s = subjects; s < subjects + SUBJECTS; ++s) {
        void *object = s->create(ctx), *other = s->create(elsewhere);
        uint64_t ids[3];
        size_t size, empty_size;
        run(s, object, 1);
        uint8_t* empty = save(s, object, &empty_size);
        uint64_t empty_hash = s->hash(object);
        populate(s, object, ids);
        uint8_t* full = save(s, object, &size);
        uint64_t hash = s->hash(object);
        assert_int_equal(s->load(object, empty, empty_size), TARN_OK);
        check(s, s->hash(object) == empty_hash);
        for (int n = 0; n < 3; ++n) check(s, !is_there(s, object, ids[n]));
        run(s, object, 2);
        assert_int_equal(s->load(object, full, size), TARN_OK);
        check(s, s->hash(object) == hash);
        for (int n = 0; n < 3; ++n) assert_int_equal(s->remove(object, ids[n]), TARN_OK);
        run(s, object, 2);
        assert_int_equal(s->load(object, full, size), TARN_OK);
        assert_int_equal(s->load(other, full, size), TARN_OK);
        check(s, s->hash(other) == hash);
        for (int n = 0; n < 3; ++n)
            check(s, is_there(s, object, ids[n]) && !is_there(s, other, ids[n])); // owners differ
        run(s, object, 10);
        run(s, other, 10);
        check(s, s->hash(object) == s->hash(other));
        free(full);
        free(empty);
        s->destroy(object);
        s->destroy(other);
    }
    tarn_context_destroy(elsewhere);
}

// Wild values in every place, with good hashes around them: refused without a change, or something that lives.
static void test_damage(void** state)
{
    (void)state;
    const uint32_t wild[] = { 0u,          1u,          3u,          0x7fffffffu,
                              0xffffffffu, 0x7fc00000u, 0x7149f2cau, 0x40490fdbu };
    for (const Subject* s = subjects; s < subjects + SUBJECTS; ++s) {
        void* object = s->create(ctx);
        uint64_t ids[3];
        size_t size;
        populate(s, object, ids);
        uint8_t *good = save(s, object, &size), *bad = malloc(size);
        uint64_t hash = s->hash(object);
        size_t stride = is_sanitized ? 28 : 4, refused = 0, taken = 0;
        for (size_t at = TARN_SNAPSHOT_HEADER; at + 4 <= size && at < 40000; at += stride) {
            uint32_t value = wild[(at / 4 + at / 512) % 8];
            memcpy(bad, good, size);
            memcpy(bad + at, &value, 4);
            seal(bad, size);
            if (s->load(object, bad, size) != TARN_OK) {
                ++refused;
                check(s, s->hash(object) == hash);
                continue;
            }
            ++taken;
            run(s, object, 1);
            assert_int_equal(s->load(object, good, size), TARN_OK);
            check(s, s->hash(object) == hash);
        }
        check(s, refused > 0 && taken > 0);
        for (size_t cut = TARN_SNAPSHOT_HEADER; cut < size && cut < 6000; ++cut) {
            uint64_t payload = cut - TARN_SNAPSHOT_HEADER;
            uint8_t* exact = malloc(cut);
            memcpy(exact, good, cut);
            memcpy(exact + 32, &payload, sizeof payload);
            seal(exact, cut);
            check(s, s->load(object, exact, cut) == TARN_ERR_DATA && s->hash(object) == hash);
            free(exact);
        }
        free(good);
        free(bad);
        s->destroy(object);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_ALONE(test_detour),
        TEST(test_all_and_none),
        TEST_ALONE(test_damage),
    };
    return cmocka_run_group_tests_name("rollback", tests, NULL, NULL);
}
