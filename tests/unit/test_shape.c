// Shapes: who takes which kind, as the table in tarn/shape.h says; insides of volumes at any pose.

#include "solids_common.h"
#include "base/shape.h"
#include "gas_common.h"
#include "liquid_common.h"

// ---- The table in the header --------------------------------------------------------------------

enum { BODY, SOLID, GAS_SOURCE, EMITTER, REGION_FILL, FRAME, OWNERS };

typedef struct Taken {
    bool is_taken[TARN_SHAPE_KINDS][OWNERS];
} Taken;

static int kind_of(const char* name)
{
    for (int kind = 0; kind < TARN_SHAPE_KINDS; ++kind)
        if (strcmp(tarn_shape_name(kind), name) == 0) return kind;
    return -1;
}

// Rows "//     | sphere   | x    |       | ...".
static Taken read_table(void)
{
    FILE* file = fopen(TARN_SOURCE_DIR "/include/tarn/shape.h", "r");
    Taken taken = { 0 };
    char line[256], name[32];
    int rows = 0;
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        if (sscanf(line, "// | %31[a-z] ", name) != 1 || strcmp(name, "kind") == 0) continue;
        int kind = kind_of(name);
        assert_true(kind >= 0);
        const char* cell = strchr(line, '|') + 1;
        for (int owner = 0; owner < OWNERS; ++owner) {
            cell = strchr(cell, '|') + 1;
            taken.is_taken[kind][owner] = cell[1] == 'x';
        }
        ++rows;
    }
    fclose(file);
    assert_int_equal(rows, TARN_SHAPE_KINDS);
    return taken;
}

// ---- One of each kind ---------------------------------------------------------------------------

static float ball(TarnVec3 local, void* user)
{
    (void)user;
    return (float)vec3__length(local) - 0.3f;
}
static bool column(float x, float z, TarnVec3 position, TarnQuat rotation, float* lo, float* hi,
                   void* user)
{
    (void)rotation, (void)user;
    *lo = position.y - 0.1f, *hi = position.y + 0.1f;
    return hypotf(x - position.x, z - position.z) < 0.2f;
}

static TarnShape one_of(int kind)
{
    static const TarnVec3 points[4] = {
        { 0, 0, 0 }, { 0.4f, 0, 0 }, { 0, 0.4f, 0 }, { 0, 0, 0.4f }
    };
    static const int triangles[12] = { 0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3 };
    static const TarnPlane planes[1] = { { { 0, 1, 0 }, 0 } };
    static const float values[8] = { -1, 1, 1, 1, 1, 1, 1, 1 };
    const TarnVec3 origin = { 0, 0, 0 };
    switch (kind) {
    case TARN_SHAPE_POINT:
        return tarn_shape_point();
    case TARN_SHAPE_LINE:
        return tarn_shape_line(0.3f);
    case TARN_SHAPE_DISC:
        return tarn_shape_disc(0.3f);
    case TARN_SHAPE_SPHERE:
        return tarn_shape_sphere(0.3f);
    case TARN_SHAPE_BOX:
        return tarn_shape_box(0.3f, 0.2f, 0.1f);
    case TARN_SHAPE_CAPSULE:
        return tarn_shape_capsule(0.1f, 0.2f);
    case TARN_SHAPE_CYLINDER:
        return tarn_shape_cylinder(0.2f, 0.3f);
    case TARN_SHAPE_HULL:
        return tarn_shape_hull(points, 4);
    case TARN_SHAPE_CONVEX:
        return tarn_shape_convex(planes, 1);
    case TARN_SHAPE_MESH:
        return tarn_shape_mesh(points, 4, triangles, 4);
    case TARN_SHAPE_DISTANCE:
        return tarn_shape_distance(values, 2, 2, 2, 0.5f, origin);
    case TARN_SHAPE_FUNCTION:
        return tarn_shape_function(ball, NULL, 0.5f);
    case TARN_SHAPE_TERRAIN:
        return tarn_shape_terrain((TarnView2){ values, 2, 4, 2 }, 0.5f, origin);
    case TARN_SHAPE_SPAN:
        return tarn_shape_span(column, NULL, 0.3f, 0.02f);
    default:
        return tarn_shape_surface(1);
    }
}

// Each takes it, or refuses with a message that names the field, the kind and all that it takes.
static void check(const Taken* taken, int owner, int kind, const char* field, TarnResult result)
{
    bool is_taken = taken->is_taken[kind][owner];
    if (is_taken != (result == TARN_OK))
        print_error("%s, %s: %s (%s)\n", field, tarn_shape_name(kind), tarn_result_name(result),
                    tarn_last_error(ctx));
    assert_true(is_taken == (result == TARN_OK));
    if (is_taken) return;
    char text[128];
    const char* sentence = tarn_last_error(ctx);
    snprintf(text, sizeof text, "%s.shape: '%s' is not supported", field, tarn_shape_name(kind));
    assert_non_null(strstr(sentence, text));
    const char* list = strstr(sentence, "use one of: ");
    assert_non_null(list);
    for (int other = 0; other < TARN_SHAPE_KINDS; ++other)
        assert_true(taken->is_taken[other][owner] ==
                    (strstr(list, tarn_shape_name(other)) != NULL));
}

static void test_owners(void** state)
{
    (void)state;
    Taken taken = read_table();
    TarnBodiesDef bodies_def = tarn_bodies_default_def();
    TarnParticlesDef particles_def = tarn_particles_default_def();
    TarnGasDef gas_def = small_gas();
    TarnLiquidDef liquid_def = tank_def(3);
    TarnBodies* bodies;
    TarnParticles* particles;
    gas_def.max_sources = particles_def.max_emitters = liquid_def.max_regions = 16;
    assert_ok(tarn_bodies_create(ctx, &bodies_def, &bodies));
    assert_ok(tarn_particles_create(ctx, &particles_def, &particles));
    TarnSolids* solids = make_set();
    TarnGas* gas = make_gas(ctx, gas_def);
    TarnLiquid* liquid = make_liquid(ctx, &liquid_def);
    for (int kind = 0; kind < TARN_SHAPE_KINDS; ++kind) {
        TarnShape shape = one_of(kind);
        assert_int_equal(shape.kind, kind);
        TarnBodyDef body = tarn_body_default_def();
        TarnSolidDef solid = tarn_solid_default_def();
        TarnGasSourceDef source = tarn_gas_source_default_def();
        TarnParticleEmitterDef emitter = tarn_particle_emitter_default_def();
        TarnRegionDef region = tarn_region_default_def();
        TarnLiquidFill fill = tarn_liquid_fill_default();
        TarnBodyId id;
        body.shape = solid.shape = source.shape = emitter.shape = region.shape = fill.shape = shape;
        check(&taken, BODY, kind, "body", tarn_bodies_add(bodies, &body, &id));
        check(&taken, SOLID, kind, "solid", tarn_solids_add(solids, &solid, NULL));
        check(&taken, GAS_SOURCE, kind, "gas_source", tarn_gas_add_source(gas, &source, NULL));
        check(&taken, EMITTER, kind, "particle_emitter",
              tarn_particles_add_emitter(particles, &emitter, NULL));
        check(&taken, REGION_FILL, kind, "region", tarn_liquid_add_region(liquid, &region, NULL));
        check(&taken, REGION_FILL, kind, "fill", tarn_liquid_fill(liquid, &fill, NULL));
        // What tarn_renderer_draw asks, which runs where there is GL only.
        check(&taken, FRAME, kind, "frame.bodies[0]",
              tarn__shape_check_kind(ctx, "frame.bodies[0]", kind, SHAPES_OF_FRAMES));
    }
    assert_string_equal(tarn_shape_name(-1), "none");
    assert_string_equal(tarn_shape_name(TARN_SHAPE_KINDS), "none");
    tarn_liquid_destroy(liquid);
    tarn_gas_destroy(gas);
    tarn_solids_destroy(solids);
    tarn_particles_destroy(particles);
    tarn_bodies_destroy(bodies);
}

// ---- Insides ------------------------------------------------------------------------------------

static bool is_inside(const TarnShape* s, TarnVec3 q)
{
    double x = q.x, y = q.y, z = q.z, around = sqrt(x * x + z * z);
    double rest = fmax(fabs(y) - (double)s->size.y, 0.0);
    switch (s->kind) {
    case TARN_SHAPE_SPHERE:
        return sqrt(x * x + y * y + z * z) <= (double)s->size.x;
    case TARN_SHAPE_BOX:
        return fabs(x) <= (double)s->size.x && rest == 0.0 && fabs(z) <= (double)s->size.z;
    case TARN_SHAPE_CYLINDER:
        return around <= (double)s->size.x && rest == 0.0;
    default:
        return hypot(around, rest) <= (double)s->size.x;
    }
}

// Turned and shifted volumes hold the points of their formula; the share of the points inside is the volume.
static void test_volumes(void** state)
{
    (void)state;
    random_at = 3;
    for (int kind = TARN_SHAPE_SPHERE; kind <= TARN_SHAPE_CYLINDER; ++kind) {
        TarnShape shape = one_of(kind);
        for (int round = 0; round < 20; ++round) {
            TarnPose pose = { uniform3(2.0f), uniform_rotation() };
            if (round % 4 == 0) pose.rotation = (TarnQuat){ 0, 0, 0, 1 };
            PlacedShape placed = tarn__shape_place(&shape, &pose);
            int inside = 0;
            enum { N = 4000 };
            for (int i = 0; i < N; ++i) {
                TarnVec3 q = uniform3(0.5f);
                TarnVec3 p = vec3_add(quat_rotate(pose.rotation, q), pose.position);
                bool is_near = fabsf(tarn__shape_depth(&shape, q)) < 1e-4f; // rounding decides
                inside += is_inside(&shape, q);
                if (!is_near) assert_true(shape__holds(&placed, p) == is_inside(&shape, q));
            }
            assert_near(inside / (double)N, tarn__shape_volume(&shape), 0.035);
        }
    }
}

// A region and a fill that are turned by 45 degrees about z: a square on its corner.
static void test_turned_region(void** state)
{
    (void)state;
    for (int dims = 2; dims <= 3; ++dims) {
        TarnLiquidDef def = tank_def(dims);
        def.max_regions = 4, def.max_particles = 10000;
        TarnLiquid* l = make_falling(&def);
        TarnLiquidParams params = tarn_liquid_params(l);
        params.gravity = (TarnVec3){ 0, 0, 0 };
        assert_ok(tarn_liquid_set_params(l, &params));
        TarnLiquidFill fill = tarn_liquid_fill_default();
        fill.pose.position = (TarnVec3){ 0.5f, 0.5f, 0.5f };
        assert_ok(tarn_liquid_fill(l, &fill, NULL));
        TarnRegionDef region = tarn_region_default_def();
        TarnRegionId id;
        region.shape = tarn_shape_box(0.3f, 0.1f, 1.0f);
        region.pose.position = (TarnVec3){ 0.5f, 0.5f, 0.0f };
        region.pose.rotation = quat_from_axis_angle((TarnVec3){ 0, 0, 1 }, 0.78539816f);
        assert_ok(tarn_liquid_add_region(l, &region, &id));
        run_liquid(l, 1);
        int expected = 0;
        for (int p = 0; p < l->n; ++p) {
            double x = l->x[p] - 0.5, y = l->y[p] - 0.5;
            bool is_in = fabs(x + y) < 0.3 * sqrt(2.0) && fabs(y - x) < 0.1 * sqrt(2.0);
            expected += is_in;
            assert_true((l->inside[p] != 0) == is_in);
        }
        assert_true(expected > 40 && tarn_liquid_region_count(l, id) == expected);
        // The same for a snapshot that is loaded, and for a fill.
        size_t size;
        assert_int_equal(tarn_liquid_save(l, NULL, 0, &size), TARN_ERR_CAPACITY);
        uint8_t* saved = malloc(size);
        uint64_t hash = tarn_liquid_hash(l);
        assert_ok(tarn_liquid_save(l, saved, size, &size));
        region.pose.rotation = (TarnQuat){ 0, 0, 0, 1 };
        assert_ok(tarn_liquid_set_region(l, id, &region));
        assert_true(tarn_liquid_hash(l) != hash);
        run_liquid(l, 1);
        assert_ok(tarn_liquid_load(l, saved, size));
        assert_true(tarn_liquid_hash(l) == hash);
        run_liquid(l, 1);
        assert_int_equal(tarn_liquid_region_count(l, id), expected);
        free(saved);
        tarn_liquid_reset(l);
        int n;
        fill.shape = tarn_shape_cylinder(0.2f, 0.4f);
        fill.pose = region.pose;
        fill.pose.rotation = quat_from_axis_angle((TarnVec3){ 0, 0, 1 }, 0.78539816f);
        if (dims == 3) fill.pose.position.z = 0.5f;
        assert_ok(tarn_liquid_fill(l, &fill, &n));
        double cell = pow(0.05, dims), share = dims == 2 ? 0.4 * 0.8 : 0.8 * 3.14159 * 0.04;
        assert_near(n * cell / share, 1.0, 0.05);
        tarn_liquid_destroy(l);
    }
}

// A cylinder and a capsule of smoke that lie on their sides have their volume, and their cells.
static void test_gas_sources(void** state)
{
    (void)state;
    for (int kind = TARN_SHAPE_CAPSULE; kind <= TARN_SHAPE_CYLINDER; ++kind) {
        TarnGasDef def = tarn_gas_default_def();
        def.nx = def.ny = def.nz = 48, def.dx = 0.05f, def.use_temperature = false;
        TarnGas* gas = make_gas(ctx, def);
        TarnGasSourceDef source = tarn_gas_source_default_def();
        source.shape = kind == TARN_SHAPE_CAPSULE ? tarn_shape_capsule(0.4f, 0.4f)
                                                  : tarn_shape_cylinder(0.4f, 0.8f);
        source.motion.rotation = quat_from_axis_angle((TarnVec3){ 0, 0, 1 }, 1.5707963f);
        source.softness = 0.0f, source.density = 1.0f;
        assert_ok(tarn_gas_add_source(gas, &source, NULL));
        tarn__gas_sources(gas, 0.01f);
        TarnGasView v = tarn_gas_view(gas);
        double sum = 0.0;
        for (int k = 0; k < 48; ++k)
            for (int j = 0; j < 48; ++j)
                for (int i = 0; i < 48; ++i) {
                    TarnVec3 q = { v.origin.y + ((float)j + 0.5f) * 0.05f,
                                   -v.origin.x - ((float)i + 0.5f) * 0.05f,
                                   v.origin.z + ((float)k + 0.5f) * 0.05f };
                    float density = gas->scalar[0][tarn__grid3_at(&gas->grid, i, j, k)];
                    if (fabsf(tarn__shape_depth(&source.shape, q)) > 1e-3f)
                        assert_true((density == 1.0f) == is_inside(&source.shape, q));
                    sum += (double)density;
                }
        assert_near(sum * 0.05 * 0.05 * 0.05 / tarn__shape_volume(&source.shape), 1.0, 0.04);
        tarn_gas_destroy(gas);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { TEST(test_owners), TEST(test_volumes),
                                        TEST(test_turned_region), TEST(test_gas_sources) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
