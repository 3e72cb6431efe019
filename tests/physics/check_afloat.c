// Checks of bodies in shallow water: Archimedes, volume to the last grain, current, wake, and that
// nothing drifts without a force or is thrown.

#include "check.h"
#include "tarn/coupling.h"
#include "tarn/shallow.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const float frame = 1.0f / 60.0f;
static const double gravity = 9.81;

typedef struct Scene {
    TarnShallow* water;
    TarnBodies* bodies;
    float dx;
    int nx, nz;
} Scene;

static void must(CheckRun* run, TarnResult result)
{
    if (result == TARN_OK) return;
    fprintf(stderr, "tarn: check: %s\n", tarn_last_error(run->ctx));
    exit(1);
}

// Water of the given depth over flat ground at y = 0; edge is a TarnShallowEdge for all four sides.
static TarnShallowDef flat_def(int nx, int nz, float dx, float depth, int edge)
{
    TarnShallowDef def = tarn_shallow_default_def();
    def.nx = nx, def.nz = nz, def.dx = dx;
    def.level = depth, def.has_level = true;
    def.edge_x0 = def.edge_x1 = def.edge_z0 = def.edge_z1 = edge;
    def.use_bodies = true;
    def.max_substeps = 64;
    return def;
}

static Scene make_scene(CheckRun* run, const TarnShallowDef* def, float drag)
{
    Scene scene = { .dx = def->dx, .nx = def->nx, .nz = def->nz };
    TarnBodiesDef bodies = tarn_bodies_default_def();
    bool is_closed = def->edge_x0 == TARN_SHALLOW_REFLECTING;
    bodies.box_min = (TarnVec3){ is_closed ? 0.0f : -1e4f, -10.0f, 0.0f };
    bodies.box_max =
        (TarnVec3){ is_closed ? (float)def->nx * def->dx : 1e4f, 1e3f, (float)def->nz * def->dx };
    must(run, tarn_shallow_create(run->ctx, def, &scene.water));
    must(run, tarn_bodies_create(run->ctx, &bodies, &scene.bodies));
    TarnShallowParams params = tarn_shallow_default_params();
    params.drag = drag;
    params.damping = 0.0f;
    params.body_push = 1.0f;
    must(run, tarn_shallow_set_params(scene.water, &params));
    return scene;
}

static void end_scene(Scene* scene)
{
    tarn_bodies_destroy(scene->bodies);
    tarn_shallow_destroy(scene->water);
}

static TarnBodyId add(CheckRun* run, Scene* scene, TarnShape shape, float density, TarnVec3 at,
                      TarnVec3 velocity, bool is_driven)
{
    TarnBodyDef def = tarn_body_default_def();
    TarnBodyId id;
    def.shape = shape;
    def.density = density;
    def.is_driven = is_driven;
    def.state.position = at;
    def.state.velocity = velocity;
    must(run, tarn_bodies_add(scene->bodies, &def, &id));
    return id;
}

static TarnBodyState state_of(const Scene* scene, TarnBodyId id)
{
    TarnBodyState state = { 0 };
    tarn_bodies_get_state(scene->bodies, id, &state);
    return state;
}

static void step(CheckRun* run, Scene* scene, float dt)
{
    must(run, tarn_couple_shallow_bodies(scene->water, scene->bodies, dt));
    must(run, tarn_shallow_step(scene->water, dt, NULL));
    must(run, tarn_bodies_set_ground(scene->bodies, tarn_shallow_bed(scene->water),
                                     tarn_shallow_origin(scene->water), scene->dx));
    must(run, tarn_bodies_step(scene->bodies, dt, NULL));
}

static void run_for(CheckRun* run, Scene* scene, double seconds)
{
    for (int n = (int)lround(seconds * 60.0); n > 0; --n) step(run, scene, frame);
}

static void drive(CheckRun* run, Scene* scene, TarnBodyId id, float dt)
{
    TarnBodyState s = state_of(scene, id);
    s.position.x += dt * s.velocity.x;
    must(run, tarn_bodies_set_state(scene->bodies, id, &s));
}

static double value(TarnView2 view, int i, int k)
{
    return (double)view.data[i + (ptrdiff_t)view.stride * k];
}

// Surface in a cell that no body is near to.
static double surface(const Scene* scene, int i, int k)
{
    return value(tarn_shallow_bed(scene->water), i, k) +
           value(tarn_shallow_depth(scene->water), i, k);
}

static double fastest(const Scene* scene)
{
    double most = 0.0;
    for (int axis = 0; axis < 2; ++axis) {
        TarnView2 v =
            axis ? tarn_shallow_velocity_z(scene->water) : tarn_shallow_velocity_x(scene->water);
        for (int c = 0; c < v.nx * v.nz; ++c) {
            double speed = fabs(value(v, c % v.nx, c / v.nx));
            if (!(speed <= most)) most = speed; // NaN stays
        }
    }
    return most;
}

// ---- Archimedes ----------------------------------------------------------------------------------

enum { SPHERE, BOX, CAPSULE, HULL, SHAPES };
static const char* const shape_names[] = { "sphere", "box", "capsule", "hull" };
static const TarnVec3 hull_points[8] = {
    { -1.0f, -0.3f, -0.4f }, { 1.0f, -0.3f, -0.4f }, { -1.0f, -0.3f, 0.4f }, { 1.0f, -0.3f, 0.4f },
    { -1.2f, 0.3f, -0.6f },  { 1.2f, 0.3f, -0.6f },  { -1.2f, 0.3f, 0.6f },  { 1.2f, 0.3f, 0.6f },
};

// Area of the horizontal section at height y above the lowest point, of the upright shape; the
// capsule lies. The heights of the shapes are 0.8, 0.5, 0.6, 0.6 m.
static double section(int shape, double y)
{
    const double pi = 3.14159265358979323846;
    if (shape == SPHERE) return pi * y * (0.8 - y);
    if (shape == BOX) return 0.8;
    double half = sqrt(fmax(y * (0.6 - y), 0.0)), t = y / 0.6;
    if (shape == CAPSULE) return 2.0 * half * 1.0 + pi * half * half;
    return (2.0 + 0.4 * t) * (0.8 + 0.4 * t);
}

// Depth of the lowest point of a body of this share of the density of water.
static double draft_of(int shape, double height, double share)
{
    enum { SLICES = 20000 };
    double whole = 0.0, sum = 0.0, dy = height / SLICES;
    for (int n = 0; n < SLICES; ++n) whole += section(shape, (n + 0.5) * dy) * dy;
    for (int n = 0; n < SLICES; ++n) {
        sum += section(shape, (n + 0.5) * dy) * dy;
        if (sum >= share * whole) return (n + 1) * dy;
    }
    return height;
}

static void check_archimedes(CheckRun* run)
{
    const double heights[SHAPES] = { 0.8, 0.5, 0.6, 0.6 };
    for (int kind = 0; kind < SHAPES; ++kind) {
        for (int r = 1; r < 4; ++r) {
            TarnShallowDef def = flat_def(64, 64, 0.125f, 2.0f, TARN_SHALLOW_ABSORBING);
            Scene scene = make_scene(run, &def, 0.003f);
            TarnShape shape = kind == SPHERE    ? tarn_shape_sphere(0.4f)
                              : kind == BOX     ? tarn_shape_box(0.5f, 0.25f, 0.4f)
                              : kind == CAPSULE ? tarn_shape_capsule(0.3f, 0.5f)
                                                : tarn_shape_hull(hull_points, 8);
            TarnVec3 still = { 0.0f, 0.0f, 0.0f };
            TarnBodyId id = add(run, &scene, shape, 250.0f * (float)r,
                                (TarnVec3){ 4.0f, 2.3f, 4.01f }, still, false);
            if (kind == CAPSULE) {
                TarnBodyState s = state_of(&scene, id);
                s.rotation = (TarnQuat){ 0.70710678f, 0.0f, 0.0f, 0.70710678f };
                must(run, tarn_bodies_set_state(scene.bodies, id, &s));
            }
            double below = 0.5 * heights[kind]; // from the lowest point to the center of mass
            if (kind == HULL) below = -(double)tarn_bodies_shape(scene.bodies, id)->points[0].y;
            run_for(run, &scene, run->is_quick ? 8.0 : 20.0);
            double draft = 0.0;
            for (int n = 0; n < 120; ++n) {
                step(run, &scene, frame);
                draft += (2.0 - (double)state_of(&scene, id).position.y + below) / 120.0;
            }
            char name[64];
            snprintf(name, sizeof name, "shallow_bodies.archimedes.%s.%.2f", shape_names[kind],
                     0.25 * r);
            check_add(run, name, draft, draft_of(kind, heights[kind], 0.25 * r), 0.02);
            end_scene(&scene);
        }
    }
}

// ---- Volume and level ----------------------------------------------------------------------------

// A stone in a closed basin lifts the level by its volume over the area; no water is made or lost.
static void check_level(CheckRun* run)
{
    TarnShallowDef def = flat_def(64, 64, 0.1f, 2.0f, TARN_SHALLOW_REFLECTING);
    Scene scene = make_scene(run, &def, 0.3f);
    TarnVec3 still = { 0.0f, 0.0f, 0.0f }, fast = { 2.0f, 0.0f, 1.0f };
    add(run, &scene, tarn_shape_box(0.4f, 0.4f, 0.4f), 2500.0f, (TarnVec3){ 3.2f, 3.0f, 3.2f },
        still, false);
    add(run, &scene, tarn_shape_sphere(0.3f), 500.0f, (TarnVec3){ 1.0f, 2.0f, 1.0f }, fast, false);
    double volume = tarn_shallow_ledger(scene.water).volume, worst = 0.0, level = 0.0;
    for (int n = 0; n < 60 * 60; ++n) {
        step(run, &scene, frame);
        double now = tarn_shallow_ledger(scene.water).volume;
        if (!(fabs(now - volume) <= worst)) worst = fabs(now - volume);
        for (int i = 0; n >= 40 * 60 && i < 64; ++i) // along the walls, where no body is
            level += (surface(&scene, i, 63) + surface(&scene, 63, i)) / (20.0 * 60.0 * 128.0);
    }
    double displaced = 0.512 + 0.5 * 4.0 / 3.0 * 3.14159265358979 * 0.027;
    check_add(run, "shallow_bodies.level.rise_m", level - 2.0, displaced / (6.4 * 6.4), 0.03);
    check_add(run, "shallow_bodies.level.volume_error_m3", worst, 0.0, 0.0);
    end_scene(&scene);
}

// ---- Rest ----------------------------------------------------------------------------------------

// A floating box, and bodies as heavy as water, stay where they are.
static void check_rest(CheckRun* run)
{
    TarnVec3 still = { 0.0f, 0.0f, 0.0f };
    TarnShallowDef def = flat_def(64, 64, 0.125f, 1.0f, TARN_SHALLOW_ABSORBING);
    Scene scene = make_scene(run, &def, 0.003f);
    TarnBodyId id = add(run, &scene, tarn_shape_box(0.5f, 0.25f, 0.4f), 500.0f,
                        (TarnVec3){ 4.03f, 1.0f, 4.05f }, still, false);
    run_for(run, &scene, 20.0);
    TarnVec3 from = state_of(&scene, id).position;
    double up = 0.0, along = 0.0;
    for (int n = 0; n < 600; ++n) {
        step(run, &scene, frame);
        TarnVec3 p = state_of(&scene, id).position;
        up = fmax(up, fabs((double)(p.y - from.y)));
        along = fmax(along, hypot((double)(p.x - from.x), (double)(p.z - from.z)));
    }
    check_add(run, "shallow_bodies.rest.box_heave_m", up, 0.0, 1e-3);
    check_add(run, "shallow_bodies.rest.box_drift_m", along, 0.0, 5e-3);
    end_scene(&scene);
    for (int is_box = 0; is_box < 2; ++is_box) {
        def = flat_def(64, 64, 0.125f, 3.0f, TARN_SHALLOW_ABSORBING);
        scene = make_scene(run, &def, 0.003f);
        TarnShape shape = is_box ? tarn_shape_box(0.3f, 0.2f, 0.4f) : tarn_shape_sphere(0.4f);
        from = (TarnVec3){ 4.01f, 1.5f, 4.03f };
        id = add(run, &scene, shape, 1000.0f, from, still, false);
        run_for(run, &scene, 10.0);
        TarnVec3 p = state_of(&scene, id).position;
        double moved =
            hypot(hypot((double)(p.x - from.x), (double)(p.z - from.z)), (double)(p.y - from.y));
        check_add(run,
                  is_box ? "shallow_bodies.rest.neutral_box_m"
                         : "shallow_bodies.rest.neutral_sphere_m",
                  moved, 0.0, 0.01);
        end_scene(&scene);
    }
}

// ---- Current -------------------------------------------------------------------------------------

// A barrel floats downstream as fast as the water; what it takes from the water the water loses.
static void check_current(CheckRun* run)
{
    for (int size = 0; size < 2; ++size) {
        TarnShallowDef def = flat_def(128, 48, 0.25f, 1.5f, TARN_SHALLOW_REFLECTING);
        def.edge_x0 = def.edge_x1 = TARN_SHALLOW_PERIODIC;
        Scene scene = make_scene(run, &def, 0.0f);
        TarnVec3 still = { 0.0f, 0.0f, 0.0f };
        must(run, tarn_shallow_add_velocity(scene.water, (TarnVec2){ 16.0f, 6.0f }, 1e4f,
                                            (TarnVec2){ 2.0f, 0.0f }));
        run_for(run, &scene, 1.0); // the speeds of the disc are as good as the same everywhere
        float radius = size ? 0.3f : 0.1f, mass, volume;
        TarnBodyId id = add(run, &scene, tarn_shape_capsule(radius, 0.4f), 500.0f,
                            (TarnVec3){ 4.0f, 1.5f, 6.0f }, still, false);
        must(run, tarn_bodies_get_mass(scene.bodies, id, &mass, &volume));
        run_for(run, &scene, 10.0);
        double mean = 0.0, water = 0.0;
        for (int n = 0; n < 120; ++n) {
            step(run, &scene, frame);
            mean += (double)state_of(&scene, id).velocity.x / 120.0;
        }
        TarnView2 u = tarn_shallow_velocity_x(scene.water);
        // In the middle, where the barrel is: along the walls the water is slower.
        for (int c = 0; c < 128 * 8; ++c) water += value(u, c % 128, 20 + c / 128) / (128 * 8);
        check_add(run, size ? "shallow_bodies.current.barrel" : "shallow_bodies.current.pole", mean,
                  water, 0.02);
        // The barrel stays 2.5 % behind the water, and 2.0 % after 26 s in a longer channel; why is not known.
        if (size) check_not_reached(run);
        end_scene(&scene);
    }
}

// ---- Speed ---------------------------------------------------------------------------------------

// 50 miles per hour through water of any depth: it stays in order, a body that is free too.
static void check_fast(CheckRun* run)
{
    const float speed = 22.352f, depths[] = { 0.2f, 0.5f, 1.0f, 5.0f };
    const float steps[] = { 1.0f / 60.0f, 1.0f / 20.0f };
    for (int s = 0; s < 2; ++s) {
        double water = 0.0, body = 0.0;
        for (int n = 0; n < 8; ++n) {
            TarnShallowDef def = flat_def(192, 48, 0.25f, depths[n / 2], TARN_SHALLOW_REFLECTING);
            Scene scene = make_scene(run, &def, 0.003f);
            bool is_driven = n % 2 == 0;
            TarnShape shape =
                is_driven ? tarn_shape_sphere(0.8f) : tarn_shape_box(1.5f, 0.5f, 0.8f);
            TarnBodyId id = add(run, &scene, shape, 400.0f, (TarnVec3){ 5.0f, depths[n / 2], 6.0f },
                                (TarnVec3){ speed, 0.0f, 0.0f }, is_driven);
            for (int f = 0; f < (int)(1.6f / steps[s]); ++f) {
                step(run, &scene, steps[s]);
                if (is_driven) drive(run, &scene, id, steps[s]);
                TarnVec3 v = state_of(&scene, id).velocity;
                double now = fastest(&scene),
                       own = hypot(hypot((double)v.x, (double)v.y), (double)v.z);
                if (!(now / (double)speed <= water)) water = now / (double)speed;
                if (!(own / (double)speed <= body)) body = own / (double)speed;
            }
            end_scene(&scene);
        }
        char name[64];
        snprintf(name, sizeof name, "shallow_bodies.fast.water.dt%.3f", (double)steps[s]);
        check_add(run, name, water, 0.0, 2.0); // times the speed of the body
        snprintf(name, sizeof name, "shallow_bodies.fast.body.dt%.3f", (double)steps[s]);
        check_add(run, name, body, 0.0, 1.01);
    }
}

// ---- Wake ----------------------------------------------------------------------------------------

// A boat that is faster than the waves has them in a wedge of asin(c / v) behind it.
static void check_wake(CheckRun* run)
{
    const float speed = 8.0f;
    TarnShallowDef def = flat_def(300, 160, 0.25f, 1.0f, TARN_SHALLOW_REFLECTING);
    Scene scene = make_scene(run, &def, 0.0f);
    TarnBodyId id = add(run, &scene, tarn_shape_box(0.8f, 0.15f, 0.4f), 500.0f,
                        (TarnVec3){ 5.0f, 1.1f, 20.0f }, (TarnVec3){ speed, 0.0f, 0.0f }, true);
    for (int n = 0; n < 60 * 7; ++n) {
        step(run, &scene, frame);
        drive(run, &scene, id, frame);
    }
    double boat = (double)state_of(&scene, id).position.x, sx = 0.0, sz = 0.0, sxx = 0.0, sxz = 0.0;
    double height = 0.0;
    int count = 0;
    for (int i = (int)((boat - 36.0) * 4.0); i < (int)((boat - 12.0) * 4.0); ++i) {
        int crest = 82;
        for (int k = 82; k < 158; ++k)
            crest = surface(&scene, i, k) > surface(&scene, i, crest) ? k : crest;
        // Between the cells: the top of the parabola through three.
        double a = surface(&scene, i, crest - 1), b = surface(&scene, i, crest);
        double c = surface(&scene, i, crest + 1), bend = a - 2.0 * b + c;
        double z = (crest + 0.5 + (bend < 0.0 ? 0.5 * (a - c) / bend : 0.0)) * 0.25 - 20.0;
        double x = boat - (i + 0.5) * 0.25;
        sx += x, sz += z, sxx += x * x, sxz += x * z, ++count;
        height += b - 1.0;
    }
    height /= count;
    double slope = (count * sxz - sx * sz) / (count * sxx - sx * sx);
    const double degree = 180.0 / 3.14159265358979323846;
    // The crest is a bore: it runs at the speed of waves of its own height.
    double c = sqrt(gravity * (1.0 + 1.5 * height));
    check_add(run, "shallow_bodies.wake.angle_deg", atan(slope) * degree,
              asin(c / (double)speed) * degree, 0.06);
    check_add(run, "shallow_bodies.wake.is_there", height > 0.005 && height < 0.3, 1.0, 0.0);
    end_scene(&scene);
}

// ---- Dam -----------------------------------------------------------------------------------------

// Two rows of boxes hold water back, until it takes them along.
static void check_dam(CheckRun* run)
{
    enum { NX = 160, NZ = 48, BOXES = 12 };
    float* depth = calloc((size_t)NX * NZ, sizeof *depth);
    if (depth == NULL) exit(1);
    for (int c = 0; c < NX * NZ; ++c) depth[c] = c % NX < 60 ? 1.2f : 0.0f;
    TarnShallowDef def = flat_def(NX, NZ, 0.125f, 0.0f, TARN_SHALLOW_REFLECTING);
    def.depth = depth;
    Scene scene = make_scene(run, &def, 0.003f);
    TarnBodyId ids[BOXES];
    TarnVec3 still = { 0.0f, 0.0f, 0.0f };
    for (int b = 0; b < BOXES; ++b) {
        TarnVec3 at = { 8.0f, 0.355f + 0.705f * (float)(b / 6), 0.5f + (float)(b % 6) };
        ids[b] = add(run, &scene, tarn_shape_box(0.5f, 0.35f, 0.495f), 600.0f, at, still, false);
    }
    double volume = tarn_shallow_ledger(scene.water).volume, moved = 0.0, most = 0.0;
    run_for(run, &scene, 0.5);
    double leaked = 0.0;
    for (int k = 0; k < NZ; ++k) {
        for (int i = 76; i < NX; ++i) leaked += value(tarn_shallow_depth(scene.water), i, k);
    }
    for (int n = 0; n < 5 * 60; ++n) {
        step(run, &scene, frame);
        double now = fastest(&scene);
        if (!(now <= most)) most = now;
    }
    for (int b = 0; b < BOXES; ++b)
        moved += ((double)state_of(&scene, ids[b]).position.x - 8.0) / BOXES;
    // Without boxes 2.9e-3 of the water is past them by then.
    check_add(run, "shallow_bodies.dam.leak", leaked * 0.125 * 0.125 / volume, 0.0, 3e-4);
    check_add(run, "shallow_bodies.dam.boxes_moved", moved > 1.0 && moved < 12.0, 1.0, 0.0);
    check_add(run, "shallow_bodies.dam.fastest", most, 0.0, 9.0);
    check_add(run, "shallow_bodies.dam.volume_error_m3",
              tarn_shallow_ledger(scene.water).volume - volume, 0.0, 0.0);
    end_scene(&scene);
    free(depth);
}

void check_shallow_bodies(CheckRun* run, const char* group)
{
    const struct {
        const char* name;
        void (*fn)(CheckRun*);
    } checks[] = {
        { "shallow_bodies.archimedes", check_archimedes },
        { "shallow_bodies.level", check_level },
        { "shallow_bodies.rest", check_rest },
        { "shallow_bodies.current", check_current },
        { "shallow_bodies.fast", check_fast },
        { "shallow_bodies.wake", check_wake },
        { "shallow_bodies.dam", check_dam },
    };
    for (size_t c = 0; c < sizeof checks / sizeof checks[0]; ++c) {
        if (strcmp(group, checks[c].name) == 0) checks[c].fn(run);
    }
}
