// Solids: motion, ways, who is near, ids, memory, bad defs, questions, pushes, snapshots. Shapes:
// test_solids_shapes.c. Flows beside them, for they are two functions.

#include "solids_common.h"
#include "tarn/flow.h"

// ---- Motion -------------------------------------------------------------------------------------

static TarnMotion motion_of(const TarnSolids* set, TarnSolidId id)
{
    TarnSolidDef def;
    assert_ok(tarn_solids_get(set, id, &def));
    return def.motion;
}

// A wheel with eight blades about z, as a function that counts how often it is asked.
static float counted_wheel(TarnVec3 q, void* calls)
{
    ++*(int*)calls;
    float r = sqrtf(q.x * q.x + q.y * q.y), away = r - 0.25f;
    for (int blade = 0; blade < 4; ++blade) {
        float c = cosf(0.25f * 3.14159265f * (float)blade);
        float s = sinf(0.25f * 3.14159265f * (float)blade);
        float along = fabsf(c * q.x + s * q.y) - 0.4f, across = fabsf(c * q.y - s * q.x) - 0.02f;
        away = tarn_minf(away, tarn_maxf(along, across));
    }
    return tarn_maxf(away, fabsf(q.z) - 0.06f);
}

// Particles that are deep inside of a solid, with a turning wheel on the way out, stay where they are. That is
// found out once, not at each turn of each piece of the way.
static void test_buried_particles_cost_little(void** state)
{
    (void)state;
    enum { N = 64 };
    TarnSolids* set = make_set();
    int calls = 0, most = 0;
    TarnSolidDef tank = make(TARN_SHAPE_BOX, (TarnVec3){ 4, 0.1f, 4 });
    tank.is_inside_out = true;
    tank.motion.position = (TarnVec3){ 0, -0.1f, 0 };
    add(set, tank);
    TarnSolidDef wheel = make(TARN_SHAPE_FUNCTION, (TarnVec3){ 1, 1, 1 });
    wheel.shape.distance = counted_wheel;
    wheel.shape.user = &calls;
    wheel.shape.radius = 0.41f;
    wheel.motion.position = (TarnVec3){ 0, 1, 0 };
    wheel.motion.angular_velocity = (TarnVec3){ 0, 0, -30 };
    add(set, wheel);
    assert_ok(tarn_solids_advance(set, 1.0f / 60.0f));
    const int slots[2] = { 0, 1 };
    for (int i = 0; i < N; ++i) {
        TarnVec3 a = { -0.3f + 0.6f * (float)i / N, 1.2f + 0.01f * (float)(i % 16), 0 };
        TarnVec3 b = vec3_add(a, (TarnVec3){ 0.01f, 0.01f, 0 });
        int hit, before = calls;
        TarnVec3 p = tarn__solids_sweep(set, slots, 2, 0, 1, 3, a, b, 0.01f, &hit, NULL, NULL);
        assert_true(tarn__is_finite3(p));
        most = calls - before > most ? calls - before : most;
    }
    assert_true(most < 2000); // it was 4500
    tarn_solids_destroy(set);
}

static void test_motion(void** state)
{
    (void)state;
    TarnSolids* set = make_set();
    TarnSolidDef def = make(TARN_SHAPE_BOX, (TarnVec3){ 1, 0.1f, 1 });
    def.motion.velocity = (TarnVec3){ 3, 0, 0 };
    def.motion.angular_velocity = (TarnVec3){ 0, 0, 2 };
    TarnSolidId id = add(set, def);
    assert_ok(tarn_solids_advance(set, 0.5f));
    TarnMotion m = motion_of(set, id);
    assert_near3(m.position, (TarnVec3){ 1.5f, 0, 0 }, 1e-6);
    assert_near3(quat_rotate(m.rotation, (TarnVec3){ 1, 0, 0 }), (TarnVec3){ cosf(1), sinf(1), 0 },
                 1e-6);
    SolidContact c; // half way, above: the surface moves by v + w x r
    int slot = 0;
    TarnVec3 p = { 0.75f - 0.5f * sinf(0.5f), 0.5f * cosf(0.5f), 0 };
    assert_int_equal(tarn__solids_contacts(set, &slot, 1, 0.5f, 3, p, 1.0f, &c, 1), 1);
    assert_near(c.distance, 0.4, 1e-5);
    assert_near3(c.normal, (TarnVec3){ -sinf(0.5f), cosf(0.5f), 0 }, 1e-5);
    assert_near3(c.velocity, (TarnVec3){ 3.0f - 0.2f * cosf(0.5f), -0.2f * sinf(0.5f), 0 }, 1e-5);
    // An engine moves it: from where it was before the advance.
    m.position = (TarnVec3){ 0, 1, 0 };
    m.rotation = quat_from_axis_angle((TarnVec3){ 0, 0, 1 }, -0.5f);
    m.angular_velocity = (TarnVec3){ 0, 0, -1 };
    assert_ok(tarn_solids_move(set, id, &m));
    assert_near3(tarn__solid_pose(&set->solid[0], 0.5f).position, (TarnVec3){ 0, 0.5f, 0 }, 1e-6);
    assert_near(set->solid[0].angle, 0.5, 1e-5);
    m.rotation =
        quat_from_axis_angle((TarnVec3){ 0, 0, 1 }, 4.0f); // the long way, as its spin says
    m.angular_velocity = (TarnVec3){ 0, 0, 8 };
    assert_ok(tarn_solids_move(set, id, &m));
    TarnVec3 half =
        quat_rotate(tarn__solid_pose(&set->solid[0], 0.5f).rotation, (TarnVec3){ 1, 0, 0 });
    assert_near3(half, (TarnVec3){ cosf(2), sinf(2), 0 }, 1e-5);
    assert_ok(tarn_solids_place(set, id, &m)); // at once
    assert_near3(tarn__solid_pose(&set->solid[0], 0.0f).position, m.position, 0);
    assert_ok(
        tarn_solids_set_velocity(set, id, (TarnVec3){ 0, 0, 1000 }, (TarnVec3){ 200, 200, 200 }));
    for (int i = 0; i < 2000; ++i)
        assert_ok(tarn_solids_advance(set, 10.0f)); // to the end of the world
    m = motion_of(set, id);
    assert_true(m.position.z == 1e6f && set->solid[0].angle < 12.6f);
    assert_near(m.rotation.x * m.rotation.x + m.rotation.y * m.rotation.y +
                    m.rotation.z * m.rotation.z + m.rotation.w * m.rotation.w,
                1, 1e-5);
    tarn_solids_destroy(set);
}

// ---- Ways ---------------------------------------------------------------------------------------

static void test_sweep_tells_hits(void** state)
{
    (void)state;
    TarnSolids* set = make_set();
    add(set, make(TARN_SHAPE_BOX, (TarnVec3){ 1, 1, 1 }));
    int hit, slot = 0;
    float at;
    TarnVec3 n, a = { 0.3f, 3, 0.2f }, b = { 0.5f, -1, 0.2f };
    TarnVec3 p = tarn__solids_sweep(set, &slot, 1, 0, 1, 3, a, b, 0.1f, &hit, &n, &at);
    assert_int_equal(hit, 0);
    assert_near3(n, (TarnVec3){ 0, 1, 0 }, 1e-5);
    assert_near(at, 1.9 / 4.0, 1e-3);
    assert_near3(p, (TarnVec3){ 0.5f, 1.1f, 0.2f }, 1e-3); // slid on
    b = (TarnVec3){ 2, 3, 2 };
    p = tarn__solids_sweep(set, &slot, 1, 0, 1, 3, a, b, 0.1f, &hit, &n, &at);
    assert_int_equal(hit, -1);
    assert_true(at == 1.0f && p.x == b.x && p.y == b.y && p.z == b.z);
    p = tarn__solids_sweep(set, &slot, 0, 0, 1, 3, a, (TarnVec3){ 0, -5, 0 }, 0.1f, NULL, NULL,
                           NULL);
    assert_true(p.y == -5.0f); // no slots: nothing there
    // Started inside: out by the shortest way.
    p = tarn__solids_sweep(set, &slot, 1, 0, 1, 3, (TarnVec3){ 0.9f, 0, 0 },
                           (TarnVec3){ 0.9f, 0, 0 }, 0.1f, NULL, NULL, NULL);
    assert_near3(p, (TarnVec3){ 1.1f, 0, 0 }, 1e-3);
    tarn_solids_destroy(set);
}

// What slides along a wall keeps its way along it; what falls into a corner comes to rest in it.
static void test_slides(void** state)
{
    (void)state;
    TarnSolids* set = make_set();
    TarnSolidDef def = make(TARN_SHAPE_BOX, (TarnVec3){ 1, 1, 1 });
    def.is_inside_out = true;
    add(set, def);
    int slot = 0;
    TarnVec3 p = { -0.5f, -0.95f, 0 };
    for (int i = 0; i < 10; ++i) {
        TarnVec3 b = vec3_add(p, (TarnVec3){ 0.1f, -0.05f, 0.01f });
        p = tarn__solids_sweep(set, &slot, 1, 0, 1, 3, p, b, 0.05f, NULL, NULL, NULL);
    }
    assert_near3(p, (TarnVec3){ 0.5f, -0.95f, 0.1f }, 2e-3);
    for (int i = 0; i < 10; ++i)
        p = tarn__solids_sweep(set, &slot, 1, 0, 1, 3, p,
                               vec3_add(p, (TarnVec3){ 0.2f, -0.1f, 0.3f }), 0.05f, NULL, NULL,
                               NULL);
    assert_near3(p, (TarnVec3){ 0.95f, -0.95f, 0.95f }, 2e-3);
    tarn_solids_destroy(set);
}

static void test_near(void** state)
{
    (void)state;
    random_at = 8;
    TarnSolids* set = make_set();
    for (int i = 0; i < 20; ++i) {
        TarnSolidDef def = make(TARN_SHAPE_SPHERE + pick(3),
                                (TarnVec3){ scale(0.1f, 3), scale(0.1f, 3), scale(0.1f, 3) });
        def.is_inside_out = i % 5 == 0;
        def.motion.position = uniform3(3);
        def.motion.velocity = uniform3(60);
        def.motion.angular_velocity = uniform3(30);
        add(set, def);
    }
    assert_ok(tarn_solids_advance(set, frame));
    int n_none = 0;
    for (int i = 0; i < 3000; ++i) { // whoever has a contact at any time is in the list
        int slots[20];
        TarnVec3 a = uniform3(6),
                 b = vec3_add(a, (TarnVec3){ uniform(0, 1), uniform(0, 1), uniform(0, 1) });
        int n = tarn__solids_near(set, a, b, slots, 20), all[1];
        for (all[0] = 0; all[0] < 20; ++all[0]) {
            TarnVec3 p = { uniform(a.x, b.x), uniform(a.y, b.y), uniform(a.z, b.z) };
            SolidContact c;
            bool is_listed = false,
                 is_inside = tarn__solids_contacts(set, all, 1, uniform(0, 1), 3, p, 1e-6f, &c, 1);
            for (int k = 0; k < n; ++k) is_listed = is_listed || slots[k] == all[0];
            assert_true(is_listed || !is_inside);
            n_none += !is_listed;
        }
        for (int k = 1; k < n; ++k) assert_true(slots[k] > slots[k - 1]);
    }
    assert_true(n_none > 20000); // and most are not
    tarn_solids_destroy(set);
}

// ---- Ids, memory, bad defs ----------------------------------------------------------------------

static void test_ids(void** state)
{
    (void)state;
    random_at = 9;
    TarnSolids *set = make_set(), *other = make_set();
    TarnSolidDef mesh = ring_mesh(), convex = make(TARN_SHAPE_CONVEX, (TarnVec3){ 1, 1, 1 });
    TarnPlane planes[4] = {
        { { 1, 1, 1 }, 1 }, { { -1, -1, 1 }, 1 }, { { -1, 1, -1 }, 1 }, { { 1, -1, -1 }, 1 }
    };
    convex.shape.planes = planes, convex.shape.n_planes = 4;
    TarnSolidId a = add(set, mesh), b = add(set, convex), c = add(set, mesh);
    assert_int_equal(tarn_solids_count(set), 3);
    assert_true(tarn_solids_at(set, 1).value == b.value && tarn_solids_at(set, 3).value == 0);
    assert_result(tarn_solids_remove(other, b), TARN_ERR_ARG, "another set");
    TarnVec3 q[50];
    SolidContact was[50], is;
    int slot = 2;
    for (int i = 0; i < 50; ++i) {
        q[i] = uniform3(1.5f);
        tarn__solids_contacts(set, &slot, 1, 1, 3, q[i], 1e6f, &was[i], 1);
    }
    size_t used = set->shapes_used;
    assert_ok(tarn_solids_remove(set, a)); // the shapes behind it move up
    assert_true(set->shapes_used < used);
    for (int i = 0; i < 50; ++i) {
        tarn__solids_contacts(set, &slot, 1, 1, 3, q[i], 1e6f, &is, 1);
        assert_memory_equal(&was[i], &is, sizeof is);
    }
    TarnSolidDef got;
    assert_result(tarn_solids_get(set, a, &got), TARN_ERR_ARG, "stale");
    assert_result(tarn_solids_advance(NULL, 0), TARN_ERR_ARG, "");
    assert_ok(tarn_solids_get(set, b, &got));
    assert_true(got.shape.n_planes == 4 && got.shape.planes[1].normal.z > 0.5f &&
                got.shape.planes != planes);
    TarnSolidId d = add(set, mesh);
    assert_true(d.value != a.value && tarn_solids_at(set, 0).value == d.value);
    assert_ok(tarn_solids_remove(set, c));
    assert_int_equal(tarn_solids_count(set), 2);
    TarnSolidDef plain = tarn_solid_default_def(); // nobody wants to know its id
    assert_ok(tarn_solids_add(set, &plain, NULL));
    assert_int_equal(tarn_solids_count(set), 3);
    tarn_solids_destroy(set);
    tarn_solids_destroy(other);
    tarn_solids_destroy(NULL);
}

static void refuse(TarnSolids* set, const TarnSolidDef* def, TarnResult code, const char* word)
{
    TarnSolidId id = { 5 };
    uint64_t hash = tarn_solids_hash(set);
    size_t used = set->shapes_used;
    assert_result(tarn_solids_add(set, def, &id), code, word);
    assert_true(id.value == 0 && tarn_solids_hash(set) == hash && set->shapes_used == used);
}

static void test_bad_defs(void** state)
{
    (void)state;
    TarnSolids* set = make_set();
    add(set, ring_mesh());
    const TarnSolidDef good = tarn_solid_default_def();
    TarnSolidDef d = { 0 };
    refuse(set, &d, TARN_ERR_ARG, "tarn_solid_default_def");
    refuse(set, NULL, TARN_ERR_ARG, "NULL");
    d = good, d.shape.kind = 99, refuse(set, &d, TARN_ERR_ARG, "solid.shape");
    d = good, d.shape.size.y = 0, refuse(set, &d, TARN_ERR_ARG, "solid.shape.size.y");
    d = good, d.shape.size.x = NAN, refuse(set, &d, TARN_ERR_ARG, "solid.size");
    d = good, d.friction = 1.5f, refuse(set, &d, TARN_ERR_ARG, "solid.friction");
    d = good, d.motion.velocity.x = 1001, refuse(set, &d, TARN_ERR_ARG, "motion.velocity");
    d = good, d.motion.angular_velocity.x = -201, refuse(set, &d, TARN_ERR_ARG, "angular_velocity");
    d = good, d.motion.rotation.w = 0, refuse(set, &d, TARN_ERR_ARG, "no rotation");
    d = good, d.shape.kind = TARN_SHAPE_CONVEX, refuse(set, &d, TARN_ERR_ARG, "n_planes");
    TarnPlane planes[2] = { { { 0, 1, 0 }, -1 }, { { 0, -1, 0 }, -1 } }; // y <= -1 and y >= 1
    d.shape.planes = planes, d.shape.n_planes = 2, refuse(set, &d, TARN_ERR_ARG, "no point");
    planes[0].normal.y = 0, refuse(set, &d, TARN_ERR_ARG, "planes[0]");
    d = good, d.shape.kind = TARN_SHAPE_MESH, refuse(set, &d, TARN_ERR_ARG, "mesh");
    d = ring_mesh(), ring_triangles[7] = 5000, refuse(set, &d, TARN_ERR_DATA, "triangles[7]");
    d = ring_mesh(), ring_points[3].y = INFINITY,
    refuse(set, &d, TARN_ERR_DATA, "solid.shape.points");
    d = ring_mesh();
    for (int i = 0; i < d.shape.n_triangles; ++i) {
        int keep = ring_triangles[3 * i];
        ring_triangles[3 * i] = ring_triangles[3 * i + 1];
        ring_triangles[3 * i + 1] = keep;
    }
    refuse(set, &d, TARN_ERR_ARG, "inside out");
    d = ring_mesh(), d.shape.n_triangles -= 1, d.is_inside_out = true;
    refuse(set, &d, TARN_ERR_ARG, "open");
    d = good, d.shape.kind = TARN_SHAPE_DISTANCE, refuse(set, &d, TARN_ERR_ARG, "nx, ny, nz");
    float values[8] = { 1, 2, 3, NAN, 5, 6, 7, 8 };
    d.shape.nx = d.shape.ny = d.shape.nz = 2, d.shape.distances = values,
    refuse(set, &d, TARN_ERR_DATA, "distances");
    d = good, d.shape.kind = TARN_SHAPE_FUNCTION,
    refuse(set, &d, TARN_ERR_ARG, "solid.shape.distance");
    d = good, d.shape.kind = TARN_SHAPE_TERRAIN, refuse(set, &d, TARN_ERR_ARG, "heights");
    d.shape.heights = (TarnView2){ values, 2, 4, 2 }, refuse(set, &d, TARN_ERR_DATA, "row 1");
    TarnSolidId id = tarn_solids_at(set, 0);
    TarnMotion m = good.motion;
    m.position.x = 2e6f;
    uint64_t hash = tarn_solids_hash(set);
    assert_result(tarn_solids_move(set, id, &m), TARN_ERR_ARG, "motion.position");
    assert_result(tarn_solids_place(set, id, NULL), TARN_ERR_ARG, "motion");
    assert_result(tarn_solids_set_velocity(set, id, (TarnVec3){ NAN, 0, 0 }, m.velocity),
                  TARN_ERR_ARG, "velocity");
    assert_result(tarn_solids_advance(set, -1), TARN_ERR_ARG, "dt");
    assert_result(tarn_solids_advance(set, NAN), TARN_ERR_ARG, "dt");
    assert_true(tarn_solids_hash(set) == hash);
    tarn_solids_destroy(set);
}

static void test_memory(void** state)
{
    (void)state;
    TarnSolidsDef def = tarn_solids_default_def();
    TarnSolids* set;
    def.max_solids = 2;
    def.shape_memory = 1000;
    size_t before = memory.bytes;
    assert_ok(tarn_solids_create(ctx, &def, &set));
    assert_int_equal(memory.bytes - before, tarn_solids_memory(&def));
    int calls = memory.calls;
    TarnSolidId id;
    TarnSolidDef d = ring_mesh();
    assert_result(tarn_solids_add(set, &d, &id), TARN_ERR_CAPACITY, "shape_memory");
    d = tarn_solid_default_def();
    add(set, d);
    add(set, d);
    assert_result(tarn_solids_add(set, &d, &id), TARN_ERR_CAPACITY, "max_solids");
    assert_ok(tarn_solids_advance(set, frame));
    assert_int_equal(memory.calls, calls); // nothing more is ever taken
    tarn_solids_destroy(set);
    memory.fail_at = memory.calls + 1;
    assert_result(tarn_solids_create(ctx, &def, &set), TARN_ERR_MEMORY, "max_solids");
    assert_null(set);
    def.max_solids = 0;
    assert_result(tarn_solids_create(ctx, &def, &set), TARN_ERR_ARG, "solids.max_solids");
    assert_int_equal(tarn_solids_memory(&def), 0);
    def.cookie = 0;
    assert_result(tarn_solids_create(ctx, &def, &set), TARN_ERR_ARG, "default_def");
}

// ---- Questions, pushes, snapshots ---------------------------------------------------------------

static void test_query(void** state)
{
    (void)state;
    TarnSolids* set = make_set();
    TarnSolidDef def = make(TARN_SHAPE_SPHERE, (TarnVec3){ 1, 0, 0 });
    def.motion.velocity.y = 2;
    add(set, def);
    def.motion.position.x = 4;
    def.motion.velocity.y = -1;
    add(set, def);
    const float x[4] = { 1.5f, 2.6f, 30, NAN }, zero[4] = { 0 };
    float d[4];
    TarnVec3 n[4], v[4];
    assert_ok(tarn_solids_query(set, 4, x, zero, zero, 2.0f, d, n, v));
    assert_near(d[0], 0.5, 1e-6);
    assert_near(d[1], 0.4, 1e-6);
    assert_near3(n[1], (TarnVec3){ -1, 0, 0 }, 1e-6);
    assert_near3(v[0], (TarnVec3){ 0, 2, 0 }, 1e-6);
    assert_near3(v[1], (TarnVec3){ 0, -1, 0 }, 1e-6);
    assert_true(d[2] == 2.0f && d[3] == 2.0f && n[2].x == 0.0f);
    assert_ok(tarn_solids_query(set, 4, x, zero, zero, 2.0f, NULL, NULL, NULL));
    assert_result(tarn_solids_query(set, 4, x, NULL, zero, 2.0f, d, n, v), TARN_ERR_ARG,
                  "coordinates");
    assert_result(tarn_solids_query(set, 4, x, zero, zero, -1.0f, d, n, v), TARN_ERR_ARG, "reach");
    tarn_solids_destroy(set);
}

static void test_push_and_snapshots(void** state)
{
    (void)state;
    random_at = 10;
    TarnSolids *set = make_set(), *twin = make_set();
    for (int i = 0; i < 5; ++i) {
        TarnSolidDef def =
            i == 4 ? ring_mesh() : make(TARN_SHAPE_SPHERE + i % 3, (TarnVec3){ 1, 1, 1 });
        def.motion.velocity = uniform3(3);
        def.motion.angular_velocity = uniform3(9);
        add(set, def);
        add(twin, def);
    }
    assert_true(tarn_solids_hash(set) == tarn_solids_hash(twin));
    TarnSolidId id = tarn_solids_at(set, 3);
    assert_ok(tarn_solids_advance(set, frame));
    const double j[3] = { 1, 2, 3 }, l[3] = { 4, 5, 6 };
    tarn__solids_add_push(set, 3, j, l, 7);
    tarn__solids_add_push(set, 3, j, l, 1);
    TarnSolidPush push;
    assert_ok(tarn_solids_get_push(set, id, &push));
    assert_near3(push.impulse, (TarnVec3){ 2, 4, 6 }, 0);
    assert_near3(push.angular_impulse, (TarnVec3){ 8, 10, 12 }, 0);
    assert_int_equal(push.touching, 8);
    size_t size;
    assert_int_equal(tarn_solids_save(set, NULL, 0, &size), TARN_ERR_CAPACITY);
    uint8_t* snapshot = malloc(size);
    assert_result(tarn_solids_save(set, snapshot, size - 1, &size), TARN_ERR_CAPACITY, "bytes");
    assert_ok(tarn_solids_save(set, snapshot, size, &size));
    assert_ok(tarn_solids_load(twin, snapshot, size));
    assert_true(tarn_solids_hash(set) == tarn_solids_hash(twin));
    for (int i = 0; i < 10; ++i) {
        TarnVec3 a = uniform3(2), b = uniform3(2);
        int slots[5] = { 0, 1, 2, 3, 4 };
        TarnVec3 p = tarn__solids_sweep(set, slots, 5, 0, 1, 3, a, b, 0.01f, NULL, NULL, NULL);
        TarnVec3 q = tarn__solids_sweep(twin, slots, 5, 0, 1, 3, a, b, 0.01f, NULL, NULL, NULL);
        assert_memory_equal(&p, &q, sizeof p);
    }
    assert_ok(tarn_solids_advance(set, frame)); // forgets pushes
    assert_ok(tarn_solids_get_push(set, id, &push));
    assert_int_equal(push.touching, 0);
    assert_ok(tarn_solids_advance(twin, frame));
    assert_true(tarn_solids_hash(set) == tarn_solids_hash(twin));
    assert_ok(tarn_solids_remove(twin, tarn_solids_at(twin, 0))); // it comes back with the load
    assert_ok(tarn_solids_load(set, snapshot, size));
    assert_ok(tarn_solids_load(twin, snapshot, size));
    assert_true(tarn_solids_hash(set) == tarn_solids_hash(twin));
    TarnSolidsDef small = tarn_solids_default_def();
    small.max_solids = 63;
    tarn_solids_destroy(twin);
    assert_ok(tarn_solids_create(ctx, &small, &twin));
    assert_result(tarn_solids_load(twin, snapshot, size), TARN_ERR_DATA, "another def");
    free(snapshot);
    tarn_solids_destroy(set);
    tarn_solids_destroy(twin);
}

// ---- Flows --------------------------------------------------------------------------------------

static void test_flow(void** state)
{
    (void)state;
    TarnVec3 wind = { 3, 0, -1 }, v[2];
    TarnFlow flow = tarn_flow_uniform(&wind);
    const float x[2] = { 1, NAN }, zero[2] = { 0 };
    float presence[2], density[2], temperature[2];
    TarnFlowSamples out = { v, presence, density, temperature };
    assert_int_equal(tarn_flow_query(flow, 2, x, zero, zero, &out), TARN_OK);
    assert_near3(v[0], wind, 0);
    assert_true(presence[0] == 1 && presence[1] == 0 && density[0] == 0 && v[1].x == 0);
    wind.x = 7; // the pointer is kept
    out = (TarnFlowSamples){ .velocity = v };
    assert_int_equal(tarn_flow_query(flow, 1, x, zero, zero, &out), TARN_OK);
    assert_true(v[0].x == 7);
    assert_int_equal(tarn_flow_query(flow, 1, x, NULL, zero, &out), TARN_ERR_ARG);
    assert_int_equal(tarn_flow_query(flow, 1, x, zero, zero, NULL), TARN_ERR_ARG);
    assert_int_equal(tarn_flow_query((TarnFlow){ 0 }, 1, x, zero, zero, &out), TARN_ERR_ARG);
    assert_int_equal(tarn_flow_query(tarn_flow_uniform(NULL), 1, x, zero, zero, &out),
                     TARN_ERR_ARG);
    assert_int_equal(tarn_flow_query(flow, 0, NULL, NULL, NULL, &out), TARN_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_motion),   TEST(test_sweep_tells_hits),
        TEST(test_slides),   TEST(test_buried_particles_cost_little),
        TEST(test_near),     TEST(test_ids),
        TEST(test_bad_defs), TEST(test_memory),
        TEST(test_query),    TEST(test_push_and_snapshots),
        TEST(test_flow),
    };
    return cmocka_run_group_tests_name("solids", tests, NULL, NULL);
}
