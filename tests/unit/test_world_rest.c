// Free bodies of a world come to rest: on each kind of solid, and on the ground of each solver that is a basin, level or not.

#include "hall_common.h"
#include "base/maths.h"
#include "bodies/bodies_internal.h"

static const TarnVec3 gem[6] = { { -0.4f, -0.2f, -0.3f }, { 0.4f, -0.2f, -0.3f },
                                 { -0.4f, -0.2f, 0.3f },  { 0.4f, -0.2f, 0.3f },
                                 { 0.0f, 0.3f, -0.2f },   { 0.1f, 0.3f, 0.2f } };
enum { SHAPES = 4 };
static TarnShape shape_at(int n)
{
    return n == 0   ? tarn_shape_sphere(0.25f)
           : n == 1 ? tarn_shape_box(0.3f, 0.2f, 0.25f)
           : n == 2 ? tarn_shape_capsule(0.15f, 0.3f)
                    : tarn_shape_hull(gem, 6);
}

static TarnBodyId drop_body(TarnWorld* world, int shape, float x, float y)
{
    TarnBodyDef def = tarn_body_default_def();
    TarnBodyId id;
    def.shape = shape_at(shape);
    def.state.position = (TarnVec3){ x, y, 0.05f };
    def.density = 5000.0f; // it sinks
    def.restitution = 0.0f, def.friction = 0.5f;
    assert_ok(tarn_world_add_body(world, &def, &id));
    return id;
}

static float lowest(TarnWorld* world, TarnBodyId id)
{
    TarnBodies* bodies = tarn_world_bodies(world);
    const TarnBody* body = tarn__bodies_slot(bodies, tarn__bodies_slot_of(bodies, id));
    return body->state.position.y - tarn__body_reach(body, (TarnVec3){ 0, -1, 0 });
}

// It stays where it is: its lowest point at y, give or take, and it no longer moves.
static void check_rest(TarnWorld* world, TarnBodyId id, const char* on, int shape, float y,
                       float by)
{
    TarnBodyState before, after;
    assert_ok(tarn_bodies_get_state(tarn_world_bodies(world), id, &before));
    run(world, 30);
    assert_ok(tarn_bodies_get_state(tarn_world_bodies(world), id, &after));
    float moved = vec3_length(vec3_sub(after.position, before.position));
    float off = lowest(world, id) - y;
    // Round ones may roll on: a little on solids, and in water as long as that swings to and fro.
    bool is_round = shape == 0 || shape == 2, is_wet = tarn_world_surface(world).query != NULL;
    float most = !is_round ? 0.005f : is_wet ? 0.5f : 0.02f;
    if (!(fabsf(off) < by) || !(moved < most))
        fail_msg("on %s, shape %d: %g m over it at %g %g %g, moved %g m", on, shape, (double)off,
                 (double)after.position.x, (double)after.position.y, (double)after.position.z,
                 (double)moved);
}

// ---- Solids --------------------------------------------------------------------------------------

static float slab(TarnVec3 p, void* user)
{
    (void)user;
    TarnVec3 o = { fabsf(p.x) - 2.0f, fabsf(p.y) - 0.5f, fabsf(p.z) - 2.0f };
    float most = fmaxf(o.x, fmaxf(o.y, o.z));
    TarnVec3 out = { fmaxf(o.x, 0.0f), fmaxf(o.y, 0.0f), fmaxf(o.z, 0.0f) };
    return most <= 0.0f ? most : vec3_length(out);
}

static float samples[21 * 21 * 21], heights[64];

// A table whose top is at y = 0.5, of any kind. A sphere and a capsule are so large that they are level on top.
static TarnSolidDef table_of(int kind)
{
    static const TarnPlane planes[6] = { { { 1, 0, 0 }, 2 },    { { -1, 0, 0 }, 2 },
                                         { { 0, 1, 0 }, 0.5f }, { { 0, -1, 0 }, 0.5f },
                                         { { 0, 0, 1 }, 2 },    { { 0, 0, -1 }, 2 } };
    static const TarnVec3 points[4] = { { -2, 0, -2 }, { 2, 0, -2 }, { 2, 0, 2 }, { -2, 0, 2 } };
    static const int triangles[6] = { 0, 2, 1, 0, 3, 2 };
    TarnSolidDef def = tarn_solid_default_def();
    TarnShape* shape = &def.shape;
    shape->kind = kind, def.friction = 0.5f, def.restitution = 0.0f;
    shape->size = (TarnVec3){ 2.0f, 0.5f, 2.0f };
    if (kind == TARN_SHAPE_SPHERE || kind == TARN_SHAPE_CAPSULE) {
        shape->size = (TarnVec3){ 400.0f, 1.0f, 0.0f };
        def.motion.position.y = kind == TARN_SHAPE_SPHERE ? -399.5f : -400.5f;
    }
    shape->planes = planes, shape->n_planes = 6;
    shape->points = points, shape->n_points = 4;
    shape->triangles = triangles, shape->n_triangles = 2;
    if (kind == TARN_SHAPE_MESH) def.motion.position.y = 0.5f; // a sheet
    shape->dx = kind == TARN_SHAPE_TERRAIN ? 1.0f : 0.25f;
    shape->nx = shape->ny = shape->nz = 21;
    shape->origin =
        kind == TARN_SHAPE_TERRAIN ? (TarnVec3){ -4, 0, -4 } : (TarnVec3){ -2.5f, -2.5f, -2.5f };
    for (int c = 0; c < 21 * 21 * 21; ++c) {
        TarnVec3 p = { 0.25f * (float)(c % 21) - 2.5f, 0.25f * (float)(c / 21 % 21) - 2.5f,
                       0.25f * (float)(c / 441) - 2.5f };
        samples[c] = slab(p, NULL);
    }
    for (int c = 0; c < 64; ++c) heights[c] = 0.5f;
    shape->distances = samples;
    shape->distance = slab, shape->radius = 3.0f;
    shape->heights = (TarnView2){ heights, 8, 8, 8 };
    return def;
}

static void test_on_solids(void** state)
{
    (void)state;
    static const int kinds[] = { TARN_SHAPE_SPHERE,   TARN_SHAPE_BOX,      TARN_SHAPE_CAPSULE,
                                 TARN_SHAPE_CYLINDER, TARN_SHAPE_CONVEX,   TARN_SHAPE_MESH,
                                 TARN_SHAPE_DISTANCE, TARN_SHAPE_FUNCTION, TARN_SHAPE_TERRAIN };
    for (int k = 0; k < (int)(sizeof kinds / sizeof *kinds); ++k) {
        int kind = kinds[k];
        for (int shape = 0; shape < SHAPES; ++shape) {
            TarnWorld* world = new_world(2);
            TarnSolidDef table = table_of(kind);
            assert_ok(tarn_world_add_solid(world, &table, NULL));
            TarnBodyId id = drop_body(world, shape, 0.0f, 1.1f);
            run(world, 240);
            check_rest(world, id, tarn_shape_name(kind), shape, 0.5f, 4e-3f);
            add_small(world, "liquid", 50.0f); // bodies have solids, too, then: nothing changes
            check_rest(world, id, tarn_shape_name(kind), shape, 0.5f, 4e-3f);
            tarn_world_destroy(world);
        }
    }
}

// ---- Basins --------------------------------------------------------------------------------------

// y of the ground of a basin at (x, 0.05).
static float ground_at(const TarnBasin* b, float x)
{
    TarnView2 view = b->ground.data ? b->ground : b->depth;
    if (view.data == NULL) return b->floor;
    int i = (int)((x - b->min.x) / b->dx), k = (int)((0.05f - b->min.y) / b->dx);
    float value = view.data[i + view.stride * k];
    return b->ground.data ? value : b->rest_level - value;
}

// With a bed: 0 at -x, a terrace 0.4 m high from the middle on. Only some solvers take one.
static bool give_bed(const TarnSolverClass* of, void* def, const float* bed)
{
    if (strcmp(of->name, "wave") == 0) return ((TarnWaveDef*)def)->bed = bed, true;
    if (strcmp(of->name, "shallow") == 0) return ((TarnShallowDef*)def)->bed = bed, true;
    if (strcmp(of->name, "pipes") == 0) return ((TarnPipesDef*)def)->bed = bed, true;
    return false; // its floor is level
}

static void test_in_basins(void** state)
{
    (void)state;
    const TarnSolverClass* of;
    int n_beds = 0, n_basins = 0;
    for (int n = 0; (of = tarn_solver_class_at(ctx, n)) != NULL; ++n) {
        if (of->basin == NULL) continue;
        for (int has_bed = 0; has_bed < 2; ++has_bed) {
            for (int shape = 0; shape < SHAPES; ++shape) {
                float bed[256];
                AnyDef def = small_def(of, 0.0f);
                give(of->def_table(), def.bytes, "use_erosion", 0, 0, 0); // the ground stays
                bool is_wave = strcmp(of->name, "wave") == 0;
                for (int c = 0; c < 256; ++c)
                    bed[c] = (is_wave ? -1.0f : 0.0f) + (c % 16 >= 8 ? 0.4f : 0.0f);
                if (has_bed && !give_bed(of, def.bytes, bed)) continue;
                TarnWorld* world = new_world(2);
                void* solver;
                assert_ok(tarn_world_add(world, of, NULL, def.bytes, &solver));
                TarnBasin basin;
                of->basin(solver, &basin);
                if (basin.floor <= -1e4f && !basin.ground.data && !basin.depth.data) {
                    tarn_world_destroy(world); // a window without ground of its own
                    continue;
                }
                TarnBodyId ids[2] = { drop_body(world, shape, -1.05f, 1.6f),
                                      drop_body(world, shape, 1.05f, 1.6f) };
                run(world, 360);
                of->basin(solver, &basin);
                float y[2] = { ground_at(&basin, -1.05f), ground_at(&basin, 1.05f) };
                if (has_bed) assert_true(y[1] - y[0] > 0.35f);
                for (int i = 0; i < 2; ++i) { // what rolls may have rolled off the terrace
                    bool is_low = shape == 0 && lowest(world, ids[i]) < y[0] + 0.1f;
                    check_rest(world, ids[i], of->name, shape, is_low ? y[0] : y[i], 0.02f);
                }
                n_beds += has_bed, n_basins += !has_bed;
                tarn_world_destroy(world);
            }
        }
    }
    assert_true(n_basins >= 4 * SHAPES && n_beds >= 3 * SHAPES);
}

int main(void)
{
    const struct CMUnitTest tests[] = { TEST(test_on_solids), TEST(test_in_basins) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
