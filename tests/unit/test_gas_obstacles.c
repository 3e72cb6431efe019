// Obstacles and jets of a gas: what is closed, what holds, velocities on faces, smoke that is pushed out of
// the way, handles of jets, pulses, iterations.

#include "solids_common.h"
#include "gas/gas_obstacles.h"

static TarnGasDef box_def(int n, int obstacles)
{
    TarnGasDef def = tarn_gas_default_def();
    def.nx = def.ny = def.nz = n;
    def.dx = 0.1f;
    def.obstacles = obstacles;
    def.use_density = def.use_temperature = true;
    return def;
}

static TarnGas* make_gas(TarnContext* where, const TarnGasDef* def)
{
    TarnGas* gas;
    TarnResult result = tarn_gas_create(where, def, &gas);
    if (result != TARN_OK) print_error("%s\n", tarn_last_error(where));
    assert_int_equal(result, TARN_OK);
    return gas;
}

static bool is_open(const TarnGas* gas, int axis, ptrdiff_t c)
{
    if (gas->weight[0]) return gas->weight[axis][c] > 0.0f;
    return tarn__gas_solid_faces(gas, axis)[c] == 0;
}

// ---- Shapes --------------------------------------------------------------------------------------

static float wavy(TarnVec3 p, void* user)
{
    (void)user;
    return 0.7f * (sqrtf(p.x * p.x + p.y * p.y + p.z * p.z) - 0.7f - 0.1f * sinf(4.0f * p.x));
}

static float heights[32 * 32];

enum { SOLIDS = 9 };
static const int solid_kinds[SOLIDS] = { TARN_SHAPE_SPHERE,   TARN_SHAPE_BOX,
                                         TARN_SHAPE_CAPSULE,  TARN_SHAPE_CYLINDER,
                                         TARN_SHAPE_CONVEX,   TARN_SHAPE_MESH,
                                         TARN_SHAPE_DISTANCE, TARN_SHAPE_FUNCTION,
                                         TARN_SHAPE_TERRAIN };

static TarnSolidDef shape(int kind)
{
    static const TarnPlane wedge[4] = { { { 0, -1, 0 }, 0.5f },
                                        { { 1, 1, 0 }, 0.5f },
                                        { { -1, 1, 0.3f }, 0.5f },
                                        { { 0, 0, 1 }, 0.6f } };
    static float distances[16 * 16 * 16];
    TarnSolidDef def = make(kind, (TarnVec3){ 0.5f, 0.6f, 0.4f });
    if (kind == TARN_SHAPE_CONVEX) def.shape.planes = wedge, def.shape.n_planes = 4;
    if (kind == TARN_SHAPE_MESH) {
        def = ring_mesh();
    } else if (kind == TARN_SHAPE_DISTANCE) {
        for (int c = 0; c < 4096; ++c) {
            TarnVec3 p = { (float)(c % 16) - 7.5f, (float)(c / 16 % 16) - 7.5f,
                           (float)(c / 256) - 7.5f };
            distances[c] = 0.1f * vec3_length(p) - 0.5f;
        }
        def.shape.distances = distances;
        def.shape.nx = def.shape.ny = def.shape.nz = 16;
        def.shape.dx = 0.1f;
        def.shape.origin = (TarnVec3){ -0.75f, -0.75f, -0.75f };
    } else if (kind == TARN_SHAPE_FUNCTION) {
        def.shape.distance = wavy;
        def.shape.radius = 0.9f;
    } else if (kind == TARN_SHAPE_TERRAIN) {
        for (int c = 0; c < 1024; ++c)
            heights[c] = -0.5f + 0.4f * sinf(0.7f * (float)(c % 32)) * cosf(0.5f * (float)(c / 32));
        def.shape.heights = (TarnView2){ heights, 32, 32, 32 };
        def.shape.dx = 0.2f;
        def.shape.origin = (TarnVec3){ -3.2f, 0.0f, -3.2f };
    }
    return def;
}

// Cells are solid where the center is in a solid, whatever the shape, and so are faces beside them.
static void test_shapes(void** state)
{
    (void)state;
    for (int n = 0; n < 2 * SOLIDS; ++n) {
        int kind = solid_kinds[n / 2];
        TarnGasDef def = box_def(32, TARN_GAS_ITERATED);
        TarnGas* gas = make_gas(ctx, &def);
        TarnSolids* set = make_set();
        TarnSolidDef solid = shape(kind);
        if (kind != TARN_SHAPE_TERRAIN) {
            solid.motion.rotation = uniform_rotation();
            solid.motion.position = uniform3(0.3f);
        }
        solid.is_inside_out = n % 2 == 1 && kind < TARN_SHAPE_MESH;
        add(set, solid);
        assert_ok(tarn_gas_set_solids(gas, set));
        tarn__gas_find_obstacles(gas, 0.01f);
        int inside = 0;
        for (int c = 0; c < 32 * 32 * 32; ++c) {
            int i = c % 32, j = c / 32 % 32, k = c / 1024;
            TarnVec3 p = gas_point(gas, (float)i + 0.5f, (float)j + 0.5f, (float)k + 0.5f);
            float d;
            assert_ok(tarn_solids_query(set, 1, &p.x, &p.y, &p.z, 1.0f, &d, NULL, NULL));
            ptrdiff_t at = tarn__grid3_at(&gas->grid, i, j, k);
            // Sharp edges of shapes whose thickness is not known fill the cells they pass through.
            float edge = kind >= TARN_SHAPE_CONVEX && kind != TARN_SHAPE_TERRAIN ? 0.087f : 1e-5f;
            if (d < -1e-5f || d > edge) assert_int_equal(gas->solid_cell[at] != 0, d < 0.0f);
            inside += d < 0.0f;
            for (int axis = 0; axis < 3 && d < -1e-5f; ++axis) {
                ptrdiff_t step = gas_stride(&gas->grid, axis);
                assert_true(!is_open(gas, axis, at) && !is_open(gas, axis, at + step));
            }
        }
        assert_true(inside > 100);
        assert_near(gas->n_solid_cells, inside, kind < TARN_SHAPE_CONVEX ? 2.0 : 0.1 * inside);
        assert_int_equal(tarn_gas_stats(gas).solid_cells, gas->n_solid_cells);
        tarn_gas_destroy(gas);
        tarn_solids_destroy(set);
    }
}

// The open share of faces across a ball adds up to what the ball leaves open.
static void test_shares(void** state)
{
    (void)state;
    TarnGasDef def = box_def(32, TARN_GAS_DIRECT);
    TarnGas* gas = make_gas(ctx, &def);
    TarnSolids* set = make_set();
    TarnSolidDef ball = make(TARN_SHAPE_SPHERE, (TarnVec3){ 0.83f, 0, 0 });
    ball.motion.position = (TarnVec3){ 0.031f, -0.017f, 0.044f };
    add(set, ball);
    assert_ok(tarn_gas_set_solids(gas, set));
    tarn__gas_find_obstacles(gas, 0.01f);
    const float center[3] = { 0.031f, -0.017f, 0.044f };
    for (int axis = 0; axis < 3; ++axis) {
        for (int at = 0; at <= 32; ++at) {
            double closed = 0.0, off = -1.6 + 0.1 * at - (double)center[axis];
            for (int c = 0; c < 1024; ++c) {
                int ijk[3] = { c % 32, c % 32, c / 32 };
                if (axis == 1) ijk[0] = c / 32, ijk[2] = c % 32;
                if (axis == 0) ijk[1] = c % 32;
                ijk[axis] = at;
                if (axis == 2) ijk[1] = c / 32;
                ptrdiff_t f = tarn__grid3_at(&gas->grid, ijk[0], ijk[1], ijk[2]);
                closed += 0.01 * (1.0 - (double)gas->weight[axis][f]);
            }
            double r2 = 0.83 * 0.83 - off * off;
            assert_near(closed, r2 > 0.0 ? 3.14159265 * r2 : 0.0, 0.08); // slivers are closed
        }
    }
    tarn_gas_destroy(gas);
    tarn_solids_destroy(set);
}

// ---- Walls hold ----------------------------------------------------------------------------------

// Can one get from the middle to the rim through open faces?
static bool leaks(const TarnGas* gas)
{
    int n = gas->grid.nx, top = 0;
    int* stack = malloc((size_t)(n * n * n) * sizeof(int));
    uint8_t* seen = calloc((size_t)(n * n * n), 1);
    bool is_out = false;
    int middle = n / 2 + n * (n / 2) + n * n * (n / 2);
    stack[top++] = middle, seen[middle] = 1;
    while (top > 0 && !is_out) {
        int c = stack[--top], at[3] = { c % n, c / n % n, c / (n * n) };
        const int next[3] = { 1, n, n * n };
        ptrdiff_t f = tarn__grid3_at(&gas->grid, at[0], at[1], at[2]);
        for (int s = 0; s < 6; ++s) {
            int axis = s / 2, up = s % 2;
            ptrdiff_t face = f + (up ? gas_stride(&gas->grid, axis) : 0);
            if (!is_open(gas, axis, face)) continue;
            if (at[axis] == (up ? n - 1 : 0)) {
                is_out = true;
                break;
            }
            int to = c + (up ? next[axis] : -next[axis]);
            if (!seen[to]) seen[to] = 1, stack[top++] = to;
        }
    }
    free(stack);
    free(seen);
    return is_out;
}

// A room of six plates that overlap at the edges, turned and placed at random.
static void add_room(TarnSolids* set, float thickness, TarnQuat turn, TarnVec3 place)
{
    for (int s = 0; s < 6; ++s) {
        float half = 0.5f * thickness, off[3] = { 0.0f, 0.0f, 0.0f };
        float size[3] = { 0.8f + half, 0.8f + half, 0.8f + half };
        size[s / 2] = half;
        off[s / 2] = s % 2 ? 0.8f : -0.8f;
        TarnSolidDef plate = make(TARN_SHAPE_BOX, (TarnVec3){ size[0], size[1], size[2] });
        plate.motion.rotation = turn;
        plate.motion.position =
            vec3_add(place, quat_rotate(turn, (TarnVec3){ off[0], off[1], off[2] }));
        add(set, plate);
    }
}

static void test_walls_hold(void** state)
{
    (void)state;
    const float thickness[] = { 0.002f, 0.03f, 0.07f, 0.1f, 0.13f, 0.2f, 0.31f };
    for (int n = 0; n < 7 * 6; ++n) {
        TarnGasDef def = box_def(32, n % 2 ? TARN_GAS_DIRECT : TARN_GAS_ITERATED);
        TarnGas* gas = make_gas(ctx, &def);
        TarnSolids* set = make_set();
        TarnQuat turn = n % 6 < 2 ? (TarnQuat){ 0, 0, 0, 1 } : uniform_rotation();
        TarnVec3 place = n % 6 == 0 ? (TarnVec3){ 0, 0, 0 } : uniform3(0.07f);
        assert_true(leaks(gas));
        add_room(set, thickness[n / 6], turn, place);
        assert_ok(tarn_gas_set_solids(gas, set));
        tarn__gas_find_obstacles(gas, 0.01f);
        if (leaks(gas)) print_error("walls of %g m leak, case %d\n", (double)thickness[n / 6], n);
        assert_false(leaks(gas));
        tarn_gas_destroy(gas);
        tarn_solids_destroy(set);
    }
}

static void test_shells_hold(void** state) // meshes: of no thickness, and closed
{
    (void)state;
    static const TarnVec3 points[6] = { { 1, 0, 0 },  { -1, 0, 0 }, { 0, 1, 0 },
                                        { 0, -1, 0 }, { 0, 0, 1 },  { 0, 0, -1 } };
    static const int triangles[24] = { 0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4,
                                       2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5 };
    for (int n = 0; n < 8; ++n) {
        TarnGasDef def = box_def(32, n % 2 ? TARN_GAS_DIRECT : TARN_GAS_ITERATED);
        TarnGas* gas = make_gas(ctx, &def);
        TarnSolids* set = make_set();
        TarnSolidDef shell = make(TARN_SHAPE_MESH, (TarnVec3){ 1, 1, 1 });
        TarnQuat turn = n < 2 ? (TarnQuat){ 0, 0, 0, 1 } : uniform_rotation();
        // Two shells with one triangle missing each, not the same: open, and together without a hole.
        for (int part = 0; part < 2; ++part) {
            shell.shape.points = points;
            shell.shape.n_points = 6;
            shell.shape.triangles = part ? triangles + 3 : triangles;
            shell.shape.n_triangles = 7;
            shell.motion.rotation = turn;
            add(set, shell);
        }
        assert_ok(tarn_gas_set_solids(gas, set));
        tarn__gas_find_obstacles(gas, 0.01f);
        assert_false(leaks(gas));
        tarn_gas_destroy(gas);
        tarn_solids_destroy(set);
    }
}

// ---- Motion --------------------------------------------------------------------------------------

static void test_velocities(void** state)
{
    (void)state;
    TarnGasDef def = box_def(32, TARN_GAS_ITERATED);
    TarnGas* gas = make_gas(ctx, &def);
    TarnSolids* set = make_set();
    TarnSolidDef box = make(TARN_SHAPE_BOX, (TarnVec3){ 0.5f, 0.4f, 0.3f });
    TarnVec3 v = { 1.0f, -2.0f, 0.5f }, w = { 0.3f, 2.0f, -1.0f };
    box.motion.velocity = v;
    box.motion.angular_velocity = w;
    box.motion.position = (TarnVec3){ 0.1f, 0.2f, -0.1f };
    TarnSolidId id = add(set, box);
    assert_ok(tarn_gas_set_solids(gas, set));
    tarn__gas_find_obstacles(gas, 0.01f);
    tarn__gas_enforce_obstacles(gas);
    assert_true(tarn__gas_leak(gas) == 0.0);
    int n = 0;
    for (int k = 0; k < 32; ++k) {
        for (int c = 0; c < 3 * 1024; ++c) {
            int axis = c / 1024, i = c % 32, j = c / 32 % 32;
            ptrdiff_t at = tarn__grid3_at(&gas->grid, i, j, k);
            float offset[3] = { 0.5f, 0.5f, 0.5f };
            offset[axis] = 0.0f;
            TarnVec3 p =
                gas_point(gas, (float)i + offset[0], (float)j + offset[1], (float)k + offset[2]);
            TarnVec3 u = vec3_add(v, vec3_cross(w, vec3_sub(p, box.motion.position)));
            float want = axis == 0 ? u.x : axis == 1 ? u.y : u.z;
            float got = gas->velocity[axis][at];
            if (tarn__gas_solid_faces(gas, axis)[at]) assert_near(got, want, 1e-5), ++n;
        }
    }
    assert_true(n > 1000);
    // The same again is not done twice; what has moved is, and smoke in its way is kept.
    gas->has_new_solids = false;
    tarn__gas_find_obstacles(gas, 0.01f);
    assert_false(gas->has_new_solids);
    assert_ok(tarn_solids_advance(set, 0.05f));
    tarn__gas_find_obstacles(gas, 0.05f);
    assert_true(gas->has_new_solids);
    assert_ok(tarn_solids_remove(set, id));
    tarn__gas_find_obstacles(gas, 0.05f);
    assert_int_equal(gas->n_solid_faces, 0);
    assert_int_equal(gas->n_solid_cells, 0);
    tarn_gas_destroy(gas);
    tarn_solids_destroy(set);
}

static double sum_of(const TarnGas* gas, const float* field)
{
    double sum = 0.0;
    for (int k = 0; k < gas->grid.nz; ++k) {
        for (int j = 0; j < gas->grid.ny; ++j) {
            for (int i = 0; i < gas->grid.nx; ++i)
                sum += (double)field[tarn__grid3_at(&gas->grid, i, j, k)];
        }
    }
    return sum;
}

static void test_pushed_out(void** state)
{
    (void)state;
    TarnGasDef def = box_def(32, TARN_GAS_ITERATED);
    TarnGas* gas = make_gas(ctx, &def);
    TarnSolids* set = make_set();
    TarnSolidDef ball = make(TARN_SHAPE_SPHERE, (TarnVec3){ 0.6f, 0, 0 });
    ball.motion.velocity = (TarnVec3){ 1.0f, 0.0f, 0.0f };
    add(set, ball);
    assert_ok(tarn_gas_set_solids(gas, set));
    tarn__gas_find_obstacles(gas, 0.1f);
    static float smoke[32 * 32 * 32];
    for (int c = 0; c < 32 * 32 * 32; ++c) smoke[c] = 1.0f;
    assert_ok(tarn_gas_set_fields(gas, NULL, smoke, smoke, NULL));
    // What is in a solid from the first is not there.
    tarn__gas_clear_obstacles(gas, gas->scalar[GAS_DENSITY]);
    assert_near(sum_of(gas, gas->scalar[GAS_DENSITY]), 32768.0 - gas->n_solid_cells, 1e-6);
    // What it covers on its way goes ahead of it.
    double before = sum_of(gas, gas->scalar[GAS_DENSITY]);
    assert_ok(tarn_solids_advance(set, 0.1f));
    tarn__gas_find_obstacles(gas, 0.1f);
    tarn__gas_clear_obstacles(gas, gas->scalar[GAS_DENSITY]);
    tarn__gas_clear_obstacles(gas, gas->scalar[GAS_TEMPERATURE]);
    assert_near(sum_of(gas, gas->scalar[GAS_DENSITY]), before, 1e-2);
    for (int k = 0; k < 32; ++k) {
        for (int c = 0; c < 1024; ++c) {
            ptrdiff_t at = tarn__grid3_at(&gas->grid, c % 32, c / 32, k);
            assert_true(gas->scalar[GAS_TEMPERATURE][at] <= 1.0f);
            if (gas->solid_cell[at]) assert_true(gas->scalar[GAS_DENSITY][at] == 0.0f);
        }
    }
    tarn_gas_destroy(gas);
    tarn_solids_destroy(set);
}

// A moving solid adds what it displaces, and all of it: nothing in the sum.
static void test_flux(void** state)
{
    (void)state;
    TarnGasDef def = box_def(32, TARN_GAS_DIRECT);
    TarnGas* gas = make_gas(ctx, &def);
    TarnSolids* set = make_set();
    TarnSolidDef ball = make(TARN_SHAPE_SPHERE, (TarnVec3){ 0.63f, 0, 0 });
    ball.motion.velocity = (TarnVec3){ 1.0f, 0.5f, -0.25f };
    ball.motion.position = (TarnVec3){ 0.02f, 0.01f, 0.03f };
    add(set, ball);
    assert_ok(tarn_gas_set_solids(gas, set));
    tarn__gas_find_obstacles(gas, 0.1f);
    float* rhs = gas->divergence;
    memset(rhs - tarn__grid3_first(&gas->grid), 0, tarn__grid3_floats(&gas->grid) * sizeof(float));
    tarn__gas_add_solid_flux(gas, rhs);
    double ahead = 0.0;
    for (int k = 0; k < 32; ++k) {
        for (int c = 0; c < 1024; ++c) {
            float r = rhs[tarn__grid3_at(&gas->grid, c % 32, c / 32, k)];
            if (r > 0.0f) ahead += (double)r;
        }
    }
    assert_near(sum_of(gas, rhs), 0.0, 1e-3);
    // Through the disc across its way: pi r^2 |v|, in faces.
    double speed = sqrt(1.0 + 0.25 + 0.0625);
    assert_near(ahead, 3.14159 * 0.63 * 0.63 / 0.01 * speed, 0.05 * 143.0);
    tarn_gas_destroy(gas);
    tarn_solids_destroy(set);
}

static void test_workers(void** state)
{
    (void)state;
    uint64_t first[2] = { 0, 0 };
    const int workers[] = { 1, 2, 3, 8 };
    for (int n = 0; n < 8; ++n) {
        TarnContext* where = make_context(workers[n / 2], TARN_ISA_AUTO);
        TarnGasDef def = box_def(40, n % 2 ? TARN_GAS_DIRECT : TARN_GAS_ITERATED);
        TarnGas* gas = make_gas(where, &def);
        TarnSolids* set = make_set();
        make_ring_mesh();
        for (int k = 0; solid_kinds[k] <= TARN_SHAPE_FUNCTION; ++k) {
            TarnSolidDef solid = shape(solid_kinds[k]);
            float a = 0.7f * (float)k;
            solid.motion.position = (TarnVec3){ cosf(a), sinf(a), 0.3f * (float)k - 1.0f };
            add(set, solid);
        }
        assert_ok(tarn_gas_set_solids(gas, set));
        tarn__gas_find_obstacles(gas, 0.01f);
        tarn__gas_enforce_obstacles(gas);
        uint64_t hash = tarn_hash(gas->solid, 3 * tarn__grid3_floats(&gas->grid), 0);
        size_t bytes = tarn__grid3_floats(&gas->grid) * sizeof(float);
        size_t at = tarn__grid3_first(&gas->grid);
        for (int a = 0; a < 3; ++a) {
            hash = tarn_hash(gas->velocity[a] - at, bytes, hash);
            if (gas->weight[a]) hash = tarn_hash(gas->weight[a] - at, bytes, hash);
        }
        if (n < 2) first[n] = hash;
        assert_true(hash == first[n % 2]);
        tarn_gas_destroy(gas);
        tarn_solids_destroy(set);
        tarn_context_destroy(where);
    }
}

static int slot_at(const TarnGas* gas, int axis,
                   ptrdiff_t c) // of the solid that closes a face, -1: none
{
    uint8_t mark = tarn__gas_solid_faces(gas, axis)[c];
    return mark ? gas->solid_record[mark - 1].slot : -1;
}

static void assert_same_obstacles(const TarnGas* a, const TarnGas* b)
{
    const Grid3* g = &a->grid;
    assert_int_equal(a->n_solid_faces, b->n_solid_faces);
    assert_int_equal(a->n_solid_cells, b->n_solid_cells);
    for (int k = 0; k <= g->nz; ++k) {
        for (int j = 0; j <= g->ny; ++j) {
            for (int i = 0; i <= g->nx; ++i) {
                ptrdiff_t c = tarn__grid3_at(g, i, j, k);
                assert_true((a->solid_cell[c] != 0) == (b->solid_cell[c] != 0));
                for (int axis = 0; axis < 3; ++axis) {
                    bool is_face = (i < g->nx || axis == 0) && (j < g->ny || axis == 1) &&
                                   (k < g->nz || axis == 2);
                    if (!is_face) continue;
                    assert_int_equal(slot_at(a, axis, c), slot_at(b, axis, c));
                    if (a->weight[0]) assert_true(a->weight[axis][c] == b->weight[axis][c]);
                }
            }
        }
    }
}

// Only what has changed is done again, in a window that moves, with solids that come, go, move and stay: the
// same as all of it anew.
static void test_only_what_changed(void** state)
{
    (void)state;
    for (int mode = TARN_GAS_ITERATED; mode <= TARN_GAS_DIRECT; ++mode) {
        TarnGasDef def = box_def(24, mode);
        TarnGas *gas = make_gas(ctx, &def), *anew = make_gas(ctx, &def);
        TarnSolids* set = make_set();
        TarnSolidId ids[8] = { { 0 } };
        add(set, shape(TARN_SHAPE_TERRAIN));
        add(set, shape(TARN_SHAPE_MESH));
        assert_ok(tarn_gas_set_solids(gas, set));
        assert_ok(tarn_gas_set_solids(anew, set));
        TarnVec3 at = { 0, 0, 0 };
        for (int n = 0; n < 40; ++n) {
            int which = pick(8);
            if (ids[which].value && pick(3) == 0) {
                assert_ok(tarn_solids_remove(set, ids[which]));
                ids[which].value = 0;
            } else if (!ids[which].value) {
                TarnSolidDef solid = shape(solid_kinds[pick(5)]);
                if (pick(2)) solid.shape.size = (TarnVec3){ 0.02f, 0.5f, 0.6f };
                solid.motion.position = uniform3(1.4f);
                solid.motion.rotation = uniform_rotation();
                if (pick(2)) solid.motion.velocity = uniform3(20.0f);
                ids[which] = add(set, solid);
            }
            assert_ok(tarn_solids_advance(set, 0.02f));
            if (pick(3) == 0) {
                at = vec3_add(at, pick(6) == 0 ? uniform3(4.0f) : uniform3(0.3f));
                assert_ok(tarn_gas_move(gas, at, (TarnVec3){ 0, 0, 0 }));
                tarn__gas_follow(gas, 0.02f);
            }
            tarn__gas_find_obstacles(gas, 0.02f);
            anew->origin = gas->origin;
            tarn__gas_place_obstacles(anew, NULL);
            tarn__gas_find_obstacles(anew, 0.02f);
            assert_same_obstacles(gas, anew);
        }
        tarn_gas_destroy(gas);
        tarn_gas_destroy(anew);
        tarn_solids_destroy(set);
    }
}

static void test_no_obstacles(void** state)
{
    (void)state;
    TarnGasDef def = box_def(16, TARN_GAS_NO_OBSTACLES);
    TarnGas* gas = make_gas(ctx, &def);
    TarnSolids* set = make_set();
    assert_result(tarn_gas_set_solids(gas, set), TARN_ERR_ARG, "gas.obstacles");
    assert_ok(tarn_gas_set_solids(gas, NULL));
    assert_int_equal(tarn_gas_set_solids(NULL, set), TARN_ERR_ARG);
    tarn_gas_destroy(gas);
    tarn_solids_destroy(set);
}

// ---- Jets ----------------------------------------------------------------------------------------

static TarnGasJetDef steady_jet(void)
{
    TarnGasJetDef def = tarn_gas_jet_default_def();
    def.wobble = def.flutter = 0.0f;
    def.radius = 0.3f;
    def.length = 1.0f;
    def.motion.position = (TarnVec3){ 0.0f, -0.5f, 0.0f };
    return def;
}

static void test_jet_arguments(void** state)
{
    (void)state;
    TarnGasDef def = box_def(16, TARN_GAS_ITERATED);
    def.max_jets = 2;
    TarnGas *gas = make_gas(ctx, &def), *other = make_gas(ctx, &def);
    TarnGasJetDef jet = steady_jet();
    TarnGasJetId a, b, c;
    const TarnParamTable* table = tarn_gas_jet_def_table();
    for (int i = 0; i < table->count; ++i) {
        const TarnParam* p = &table->params[i];
        const double bad[] = { p->min - 1, p->max * 2 + 1, NAN, INFINITY, -INFINITY };
        char word[64];
        snprintf(word, sizeof word, "gas_jet.%s", p->name);
        for (int n = 0; n < 5; ++n) {
            TarnGasJetDef wrong = jet;
            poke(p, &wrong, 0, bad[n]);
            assert_result(tarn_gas_add_jet(gas, &wrong, &a), TARN_ERR_ARG, word);
            assert_true(a.value == 0);
        }
    }
    TarnGasJetDef wrong = jet;
    wrong.motion.rotation.w = NAN;
    assert_result(tarn_gas_add_jet(gas, &wrong, &a), TARN_ERR_ARG, "rotation");
    wrong = jet, wrong.motion.position.x = INFINITY;
    assert_result(tarn_gas_add_jet(gas, &wrong, &a), TARN_ERR_ARG, "position");
    wrong = jet, wrong.motion.velocity.y = 1e4f;
    assert_result(tarn_gas_add_jet(gas, &wrong, &a), TARN_ERR_ARG, "velocity");
    wrong = jet, wrong.start = 2.0f, wrong.stop = 1.0f;
    assert_result(tarn_gas_add_jet(gas, &wrong, &a), TARN_ERR_ARG, "stop");
    wrong = jet, wrong.cookie ^= 1;
    assert_result(tarn_gas_add_jet(gas, &wrong, &a), TARN_ERR_ARG, "tarn_gas_jet_default_def");
    assert_ok(tarn_gas_add_jet(gas, &jet, &a));
    assert_ok(tarn_gas_add_jet(gas, &jet, &b));
    assert_result(tarn_gas_add_jet(gas, &jet, &c), TARN_ERR_CAPACITY, "gas.max_jets");
    assert_ok(tarn_gas_move_jet(gas, a, &jet.motion));
    assert_ok(tarn_gas_remove_jet(gas, a));
    assert_result(tarn_gas_remove_jet(gas, a), TARN_ERR_ARG, "stale");
    assert_result(tarn_gas_set_jet(gas, a, &jet), TARN_ERR_ARG, "stale");
    assert_ok(tarn_gas_add_jet(gas, &jet, &c));
    assert_true(c.value != a.value);
    assert_result(tarn_gas_move_jet(gas, a, &jet.motion), TARN_ERR_ARG, "stale");
    assert_ok(tarn_gas_add_jet(other, &jet, NULL));
    assert_result(tarn_gas_move_jet(other, c, &jet.motion), TARN_ERR_ARG, "another gas");
    assert_result(tarn_gas_move_jet(gas, (TarnGasJetId){ 0 }, &jet.motion), TARN_ERR_ARG, "null");
    tarn_gas_destroy(gas);
    tarn_gas_destroy(other);
}

// Speed up along the axis, in the middle of the cylinder, after n iterations without a projection.
static float blown(TarnGas* gas, float dt, int n)
{
    tarn_gas_reset(gas);
    for (int i = 0; i < n; ++i) tarn__gas_jets(gas, dt, n);
    return gas->velocity[1][tarn__grid3_at(&gas->grid, 16, 16, 16)];
}

static void test_jets(void** state)
{
    (void)state;
    TarnGasDef def = box_def(32, TARN_GAS_ITERATED);
    TarnGas* gas = make_gas(ctx, &def);
    TarnGasJetDef jet = steady_jet();
    TarnGasJetId id;
    assert_ok(tarn_gas_add_jet(gas, &jet, &id));
    for (int n = 1; n <= 4; ++n) assert_near(blown(gas, 0.02f, n), 10.0, 1e-5);
    // The rim: half on the surface, nothing well outside, the same for any number of iterations.
    float once = 0.0f;
    for (int n = 1; n <= 4; ++n) {
        blown(gas, 0.02f, n);
        float rim = gas->velocity[1][tarn__grid3_at(&gas->grid, 18, 16, 16)];
        if (n == 1) once = rim;
        assert_true(rim > 1.0f && rim < 9.9f);
        assert_near(rim, once, 0.02);
        assert_true(gas->velocity[1][tarn__grid3_at(&gas->grid, 22, 16, 16)] == 0.0f);
    }
    // A rate is exact, whatever the iterations.
    jet.rate = 20.0f;
    jet.motion.velocity.y = 2.0f;
    assert_ok(tarn_gas_set_jet(gas, id, &jet));
    for (int n = 1; n <= 4; ++n) assert_near(blown(gas, 0.02f, n), 12.0 * (1.0 - exp(-0.4)), 1e-4);
    // Turned: along local y. And thinner than a cell it still blows.
    jet.rate = 0.0f;
    jet.motion.velocity.y = 0.0f;
    jet.motion.position = (TarnVec3){ 0.55f, 0.049f, 0.049f };
    jet.motion.rotation = quat_from_axis_angle((TarnVec3){ 0, 0, 1 }, 1.5707964f);
    jet.radius = 0.01f;
    assert_ok(tarn_gas_set_jet(gas, id, &jet));
    blown(gas, 0.02f, 2);
    float most = 0.0f;
    for (int i = 0; i < 32; ++i)
        most = tarn_minf(most, gas->velocity[0][tarn__grid3_at(&gas->grid, i, 16, 16)]);
    assert_true(most < -3.0f && most >= -10.01f);
    tarn_gas_destroy(gas);
}

// Wandering is continuous, stays within its angle and its share, and comes again in each run.
static void test_jets_wander(void** state)
{
    (void)state;
    TarnGasDef def = box_def(32, TARN_GAS_ITERATED);
    TarnGas* gas = make_gas(ctx, &def);
    TarnGasJetDef jet = steady_jet();
    jet.wobble = 0.3f;
    jet.flutter = 0.5f;
    jet.frequency = 4.0f;
    TarnGasJetId id;
    assert_ok(tarn_gas_add_jet(gas, &jet, &id));
    TarnVec3 last = { 0, 0, 0 };
    float widest = 0.0f, slowest = 1e9f, fastest = 0.0f;
    ptrdiff_t c = tarn__grid3_at(&gas->grid, 16, 16, 16);
    for (int n = 0; n < 4000; ++n) {
        gas->time = 0.001 * n;
        tarn__gas_jets(gas, 0.001f, 1);
        TarnVec3 v = { gas->velocity[0][c], gas->velocity[1][c], gas->velocity[2][c] };
        float speed = vec3_length(v), angle = atan2f(sqrtf(v.x * v.x + v.z * v.z), v.y);
        if (n > 0) assert_true(vec3_length(vec3_sub(v, last)) < 0.3f);
        last = v;
        widest = tarn_maxf(widest, angle);
        slowest = tarn_minf(slowest, speed), fastest = tarn_maxf(fastest, speed);
    }
    assert_true(widest > 0.1f && widest < 0.301f);
    assert_true(slowest >= 4.99f && slowest < 8.5f && fastest > 11.5f && fastest <= 15.01f);
    // Pulses: blows for its share of the time, and ramps.
    jet.wobble = jet.flutter = 0.0f;
    jet.pulse_period = 0.5f;
    jet.pulse_share = 0.4f;
    jet.start = 1.0f;
    jet.stop = 3.0f;
    assert_ok(tarn_gas_set_jet(gas, id, &jet));
    double on = 0.0;
    float before = 0.0f;
    for (int n = 0; n < 4000; ++n) {
        tarn_gas_reset(gas);
        gas->time = 0.001 * n;
        tarn__gas_jets(gas, 0.001f, 1);
        float v = gas->velocity[1][c];
        assert_true(fabsf(v - before) < 0.5f);
        before = v;
        on += 0.001 * (double)v / 10.0;
        if (n < 1000 || n >= 3000) assert_true(v == 0.0f);
    }
    assert_near(on, 4.0 * (0.2 - 0.05), 0.01); // four pulses of 0.2 s, less two halves of a ramp
    tarn_gas_destroy(gas);
}

// A cap that is hit is told, and one that is just reached is not.
static void test_too_many_solids(void** state)
{
    (void)state;
    TarnSolidsDef solids_def = tarn_solids_default_def();
    solids_def.max_solids = 300;
    TarnSolids* set;
    assert_ok(tarn_solids_create(ctx, &solids_def, &set));
    TarnGasDef def = box_def(8, TARN_GAS_ITERATED);
    TarnGas* gas = make_gas(ctx, &def);
    assert_ok(tarn_gas_set_solids(gas, set));
    for (int n = 0; n < GAS_MAX_SOLIDS + 1; ++n) {
        TarnStepReport report;
        assert_ok(tarn_gas_step(gas, 0.01f, &report));
        assert_int_equal(report.flags & TARN_STEP_CAPACITY_FULL, 0);
        TarnSolidDef ball = make(TARN_SHAPE_SPHERE, (TarnVec3){ 0.05f, 0.05f, 0.05f });
        ball.motion.position = uniform3(0.3f);
        add(set, ball);
        if (n < GAS_MAX_SOLIDS - 2) continue;
        assert_ok(tarn_gas_step(gas, 0.01f, &report));
        assert_int_equal((report.flags & TARN_STEP_CAPACITY_FULL) != 0, n == GAS_MAX_SOLIDS);
    }
    tarn_gas_destroy(gas);
    tarn_solids_destroy(set);
}

int main(void)
{
    make_ring_mesh();
    const struct CMUnitTest tests[] = {
        TEST_ALONE(test_shapes),
        TEST_ALONE(test_shares),
        TEST_ALONE(test_walls_hold),
        TEST_ALONE(test_shells_hold),
        TEST_ALONE(test_velocities),
        TEST_ALONE(test_pushed_out),
        TEST_ALONE(test_flux),
        TEST(test_workers),
        TEST_ALONE(test_only_what_changed),
        TEST_ALONE(test_no_obstacles),
        TEST_ALONE(test_jet_arguments),
        TEST_ALONE(test_jets),
        TEST_ALONE(test_jets_wander),
        TEST_ALONE(test_too_many_solids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
