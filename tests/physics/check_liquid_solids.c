// Checks of particle liquids with solids and bodies: floating depth, neutral and light bodies,
// communicating vessels, liquids that part, and that nothing ever leaks.

#include "check_liquid.h"
#include "tarn/coupling.h"

enum { N_METHODS = TARN_LIQUID_LENNARD_JONES + 1 };
static const int float_methods[] = { TARN_LIQUID_CONSTRAINT, TARN_LIQUID_DFSPH, TARN_LIQUID_PCISPH,
                                     TARN_LIQUID_WCSPH };
enum { N_FLOAT_METHODS = sizeof float_methods / sizeof *float_methods };

typedef struct Scene {
    TarnSolids* solids;
    TarnLiquid* liquid;
    TarnBodies* bodies;
} Scene;

static Scene make_scene(CheckRun* run, const TarnLiquidDef* def)
{
    Scene scene = { 0 };
    TarnSolidsDef solids = tarn_solids_default_def();
    must(run, tarn_solids_create(run->ctx, &solids, &scene.solids));
    scene.liquid = make_liquid(run, def);
    must(run, tarn_liquid_set_solids(scene.liquid, scene.solids));
    TarnBodiesDef bodies = tarn_bodies_default_def();
    bodies.box_min = def->box_min, bodies.box_max = def->box_max;
    if (def->dimensions == 2) bodies.box_min.z = -10.0f, bodies.box_max.z = 10.0f;
    must(run, tarn_bodies_create(run->ctx, &bodies, &scene.bodies));
    return scene;
}

static void free_scene(Scene* scene)
{
    tarn_liquid_destroy(scene->liquid);
    tarn_bodies_destroy(scene->bodies);
    tarn_solids_destroy(scene->solids);
}

static void step_scene(CheckRun* run, Scene* scene, float dt)
{
    must(run, tarn_solids_advance(scene->solids, dt));
    must(run, tarn_couple_liquid_bodies(scene->liquid, scene->bodies, dt, NULL));
    must(run, tarn_bodies_step(scene->bodies, dt, NULL));
}

static TarnSolidId add_box(CheckRun* run, TarnSolids* solids, TarnVec3 half, TarnVec3 at)
{
    TarnSolidDef def = tarn_solid_default_def();
    def.shape.kind = TARN_SHAPE_BOX;
    def.shape.size = half;
    def.motion.position = at;
    TarnSolidId id;
    must(run, tarn_solids_add(solids, &def, &id));
    return id;
}

// ---- Floating ------------------------------------------------------------------------------------

// Share of a square that is under a level: by a grid of points. A square does not float upright, unless it is
// very light or very heavy.
static double share_under(const TarnBodyState* state, double side, double level)
{
    enum { N = 64 };
    double z = (double)state->rotation.z, w = (double)state->rotation.w;
    double sine = 2.0 * z * w, cosine = w * w - z * z;
    int under = 0;
    for (int i = 0; i < N * N; ++i) {
        double x = ((i % N + 0.5) / N - 0.5) * side, y = ((i / N + 0.5) / N - 0.5) * side;
        under += (double)state->position.y + sine * x + cosine * y < level;
    }
    return (double)under / (N * N);
}

// The same under the level that water has with what the square displaces: width level = liquid + share side^2.
static double share_afloat(const TarnBodyState* state, double side, double liquid, double width)
{
    double low = 0.0, high = 1.0;
    for (int i = 0; i < 20; ++i) {
        double share = 0.5 * (low + high);
        double found = share_under(state, side, (liquid + share * side * side) / width);
        if (found > share)
            low = share;
        else
            high = share;
    }
    return 0.5 * (low + high);
}

// A box of side 0.6 m in a tank 2.4 m wide, 1 m deep: how much of it is under water after a while.
static double float_box(CheckRun* run, int method, double density)
{
    const double side = 0.6, width = 2.4, spacing = 0.03;
    TarnLiquidDef def = box_def(2, method, spacing, width, 3.0, 0.0, 3000);
    def.thickness = 1.0f;
    Scene scene = make_scene(run, &def);
    fill_box(run, scene.liquid, (TarnVec3){ 0.0f, 0.0f, 0.0f },
             (TarnVec3){ (float)width, 0.9f, 0.0f });
    for (int s = 0; s < 30; ++s) step_scene(run, &scene, frame);
    TarnBodyDef body = tarn_body_default_def();
    body.shape = tarn_shape_box((float)(0.5 * side), (float)(0.5 * side), 0.5f);
    body.density = (float)density;
    body.freedom = TARN_BODY_PLANAR;
    body.state.position = (TarnVec3){ (float)(0.5 * width), 1.25f, 0.0f };
    TarnBodyId id;
    must(run, tarn_bodies_add(scene.bodies, &body, &id));
    double share = 0.0, volume = tarn_liquid_view(scene.liquid).n * spacing * spacing;
    for (int s = 0; s < 480; ++s) {
        step_scene(run, &scene, frame);
        TarnBodyState state;
        must(run, tarn_bodies_get_state(scene.bodies, id, &state));
        if (s >= 240) share += share_afloat(&state, side, volume, width) / 240.0;
    }
    free_scene(&scene);
    return share;
}

static void floating(CheckRun* run)
{
    static const double densities[] = { 250.0, 500.0, 750.0 };
    for (int m = 0; m < N_FLOAT_METHODS; ++m) {
        for (int d = 0; d < 3; ++d) {
            double share = float_box(run, float_methods[m], densities[d]);
            char what[24];
            snprintf(what, sizeof what, "box_%.0f", densities[d]);
            // 5 % of the body's height
            add_row(run, "liquid.floating", what, float_methods[m], share - densities[d] / 1000.0,
                    0.0, 0.05);
        }
    }
}

// A body of the liquid's own density, put in the middle of a settled pool, stays about where it is; a
// very light one held down and let go rises, but is not thrown out of the tank.
static void bodies(CheckRun* run)
{
    for (int m = 0; m < N_FLOAT_METHODS; ++m) {
        for (int light = 0; light < 2; ++light) {
            TarnLiquidDef def = box_def(2, float_methods[m], 0.05, 2.4, 4.0, 0.0, 2500);
            Scene scene = make_scene(run, &def);
            TarnBodyDef body = tarn_body_default_def();
            body.shape = tarn_shape_box(0.25f, 0.25f, 0.5f);
            body.density = light ? 20.0f : 1000.0f;
            body.freedom = TARN_BODY_PLANAR;
            body.is_driven = true; // until the pool around it has settled
            body.state.position = (TarnVec3){ 1.2f, 0.7f, 0.0f };
            TarnBodyId id;
            must(run, tarn_bodies_add(scene.bodies, &body, &id));
            step_scene(run, &scene, 0.0f); // puts the body into the set of solids
            fill_box(run, scene.liquid, (TarnVec3){ 0.0f, 0.0f, 0.0f },
                     (TarnVec3){ 2.4f, 1.4f, 0.0f });
            for (int s = 0; s < 240; ++s) step_scene(run, &scene, frame);
            must(run, tarn_bodies_remove(scene.bodies, id));
            body.is_driven = false;
            must(run, tarn_bodies_add(scene.bodies, &body, &id));
            double highest = 0.0, y = 0.0;
            for (int s = 0; s < 300; ++s) {
                step_scene(run, &scene, frame);
                TarnBodyState state;
                must(run, tarn_bodies_get_state(scene.bodies, id, &state));
                y = (double)state.position.y;
                highest = fmax(highest, y);
            }
            if (light) // it may jump, as a ball held under water does: not higher than its own depth
                add_row(run, "liquid.bodies", "light_highest", float_methods[m], highest, 1.4, 0.5);
            else
                add_row(run, "liquid.bodies", "neutral_height", float_methods[m], y, 0.7, 0.5);
            free_scene(&scene);
        }
    }
}

// A body of half density in a pool of 2 x 0.8 m, after it has come to rest: energy of the water [J], how far the body
// swings [m], the share that is said to be under water, and its tilt [degrees].
typedef struct Afloat {
    double energy, swing, share, tilt;
} Afloat;

static Afloat lie_afloat(CheckRun* run, double half_x, double half_y, bool has_crates)
{
    const double spacing = 0.02;
    TarnLiquidDef def = box_def(2, TARN_LIQUID_CONSTRAINT, spacing, 2.0, 2.2, 0.0, 4500);
    def.thickness = 1.0f;
    Scene scene = make_scene(run, &def);
    TarnBodyDef body = tarn_body_default_def();
    TarnBodyId id, crate;
    body.freedom = TARN_BODY_PLANAR;
    body.shape = tarn_shape_box((float)half_x, (float)half_y, 0.5f);
    body.density = has_crates ? 300.0f : 500.0f;
    body.state.position = (TarnVec3){ 1.0f, (float)(0.8 + half_y), 0.0f };
    must(run, tarn_bodies_add(scene.bodies, &body, &id));
    for (int i = 0; has_crates && i < 2; ++i) { // as heavy as the raft lacks, on both sides
        TarnBodyDef load = body;
        load.shape = tarn_shape_box(0.08f, 0.08f, 0.5f);
        load.state.position.x = i == 0 ? 0.8f : 1.2f;
        load.state.position.y = (float)(0.8 + 2.0 * half_y + 0.085);
        must(run, tarn_bodies_add(scene.bodies, &load, &crate));
    }
    step_scene(run, &scene, 0.0f);
    fill_box(run, scene.liquid, (TarnVec3){ 0.0f, 0.0f, 0.0f }, (TarnVec3){ 2.0f, 0.8f, 0.0f });
    Afloat a = { 0 };
    double low = 1e9, high = -1e9, volume = 4.0 * half_x * half_y;
    for (int s = 0; s < 720; ++s) {
        step_scene(run, &scene, frame);
        if (s < 600) continue;
        TarnBodyState state;
        TarnBodyForce force;
        must(run, tarn_bodies_get_state(scene.bodies, id, &state));
        must(run, tarn_bodies_get_force(scene.bodies, id, &force));
        low = fmin(low, (double)state.position.y);
        high = fmax(high, (double)state.position.y);
        a.energy += tarn_liquid_stats(scene.liquid).kinetic_energy / 120.0;
        a.share += (double)force.submerged_volume / volume / 120.0;
        a.tilt = fmax(a.tilt, fabs(2.0 * asin((double)state.rotation.z)) * 57.29577951308232);
    }
    a.swing = high - low;
    free_scene(&scene);
    return a;
}

static void afloat(CheckRun* run)
{
    Afloat box = lie_afloat(run, 0.15, 0.15, false), raft = lie_afloat(run, 0.4, 0.1, false);
    Afloat loaded = lie_afloat(run, 0.4, 0.1, true);
    add_row(run, "liquid.afloat", "box_energy", TARN_LIQUID_CONSTRAINT, box.energy, 0.0, 1.0);
    add_row(run, "liquid.afloat", "box_swing", TARN_LIQUID_CONSTRAINT, box.swing, 0.0, 0.03);
    add_row(run, "liquid.afloat", "box_wet", TARN_LIQUID_CONSTRAINT, box.share - 0.5, 0.0, 0.05);
    add_row(run, "liquid.afloat", "raft_energy", TARN_LIQUID_CONSTRAINT, raft.energy, 0.0, 1.0);
    add_row(run, "liquid.afloat", "raft_swing", TARN_LIQUID_CONSTRAINT, raft.swing, 0.0, 0.03);
    add_row(run, "liquid.afloat", "raft_wet", TARN_LIQUID_CONSTRAINT, raft.share - 0.5, 0.0, 0.05);
    add_row(run, "liquid.afloat", "raft_tilt", TARN_LIQUID_CONSTRAINT, raft.tilt, 0.0, 2.0);
    // 300 kg/m^3 of raft and two crates of 0.16 m: 0.3 (1 + 2 * 0.0256 / 0.16) of it
    add_row(run, "liquid.afloat", "crates_wet", TARN_LIQUID_CONSTRAINT, loaded.share - 0.396, 0.0,
            0.1);
    add_row(run, "liquid.afloat", "crates_tilt", TARN_LIQUID_CONSTRAINT, loaded.tilt, 0.0, 3.0);
}

// ---- Vessels and layers --------------------------------------------------------------------------

// A wall with a gap at the bottom parts a tank; what is poured in on one side levels out.
static void vessels(CheckRun* run)
{
    for (int method = 0; method < N_METHODS; ++method) {
        if (method == TARN_LIQUID_LENNARD_JONES) continue;
        TarnLiquidDef def = box_def(2, method, 0.04, 2.0, 2.0, 0.0, 1500);
        Scene scene = make_scene(run, &def);
        add_box(run, scene.solids, (TarnVec3){ 0.1f, 0.8f, 1.0f }, (TarnVec3){ 1.0f, 1.12f, 0.0f });
        fill_box(run, scene.liquid, (TarnVec3){ 0.0f, 0.0f, 0.0f },
                 (TarnVec3){ 0.88f, 1.4f, 0.0f });
        for (int s = 0; s < 900; ++s) step_scene(run, &scene, frame);
        TarnLiquidView v = tarn_liquid_view(scene.liquid);
        double level[2] = { 0.0, 0.0 };
        for (int side = 0; side < 2; ++side) { // the level below which 95 % of a side lies
            int n = 0;
            for (int i = 0; i < v.n; ++i) n += side ? v.x[i] > 1.1f : v.x[i] < 0.9f;
            for (double y = 2.0; y > 0.0; y -= 0.005) {
                int above = 0;
                for (int i = 0; i < v.n; ++i)
                    above += (side ? v.x[i] > 1.1f : v.x[i] < 0.9f) && (double)v.y[i] > y;
                level[side] = y;
                if (above > n / 20) break;
            }
        }
        add_row(run, "liquid.vessels", "difference", method, level[1] - level[0], 0.0, 0.06);
        free_scene(&scene);
    }
}

// Oil below water: after a while it is on top. Mean height of the oil's particles over that of the water's.
// How far the middle of the oil is over that of the water after 20 s [m].
static double oil_over_water(CheckRun* run, int method, int seed)
{
    TarnLiquidDef def = box_def(2, method, 0.04, 1.0, 1.6, 0.0, 1000);
    def.seed = seed;
    TarnLiquid* liquid = make_liquid(run, &def);
    TarnLiquidKindDef oil = tarn_liquid_kind_default_def();
    oil.density = 700.0f;
    must(run, tarn_liquid_set_kind(liquid, 1, &oil));
    TarnLiquidFill fill = tarn_liquid_fill_default();
    fill.shape = tarn_shape_box_between((TarnVec3){ 0, 0, 0 }, (TarnVec3){ 1.0f, 0.4f, 0.0f },
                                        &fill.pose.position);
    fill.kind = 1;
    fill.jitter = 0.05f; // on a perfect lattice nothing says where to break through
    must(run, tarn_liquid_fill(liquid, &fill, NULL));
    fill.shape = tarn_shape_box_between((TarnVec3){ 0.0f, 0.4f, 0.0f },
                                        (TarnVec3){ 1.0f, 0.8f, 0.0f }, &fill.pose.position);
    fill.kind = 0;
    must(run, tarn_liquid_fill(liquid, &fill, NULL));
    run_liquid(run, liquid, 20.0, frame);
    TarnLiquidView v = tarn_liquid_view(liquid);
    double sum[2] = { 0.0, 0.0 };
    int n[2] = { 0, 0 };
    for (int i = 0; i < v.n; ++i) sum[v.kind[i]] += (double)v.y[i], ++n[v.kind[i]];
    tarn_liquid_destroy(liquid);
    return sum[1] / n[1] - sum[0] / n[0];
}

// Parted completely, the middles of the two layers are 0.4 m apart; at the start they are -0.4. The bulk changes places
// within seconds, single particles of the one in the other take minutes. The mean of three: when it begins is chance.
static void layers(CheckRun* run)
{
    enum { RUNS = 3 };
    for (int m = 0; m < N_FLOAT_METHODS; ++m) {
        double sum = 0.0;
        for (int seed = 1; seed <= RUNS; ++seed) sum += oil_over_water(run, float_methods[m], seed);
        add_row(run, "liquid.layers", "apart", float_methods[m], sum / RUNS, 0.4, 0.5);
    }
}

// Honey, water and oil stand side by side, 0.4 x 0.6 m each, and flow over one another: mean heights of two of
// them, one over the other. In layers they are 0.2 m apart.
static void stack(CheckRun* run)
{
    static const float densities[] = { 1400.0f, 1000.0f, 700.0f };
    static const float viscosities[] = { 5e-3f, 1e-6f,
                                         1e-4f }; // as docs/solvers/liquid.md has them
    for (int m = 0; m < N_FLOAT_METHODS; ++m) {
        TarnLiquidDef def = box_def(2, float_methods[m], 0.04, 1.2, 1.2, 0.0, 600);
        TarnLiquid* liquid = make_liquid(run, &def);
        for (int k = 0; k < 3; ++k) {
            TarnLiquidKindDef kind = tarn_liquid_kind_default_def();
            kind.density = densities[k];
            kind.viscosity = viscosities[k];
            must(run, tarn_liquid_set_kind(liquid, k, &kind));
            TarnLiquidFill fill = tarn_liquid_fill_default();
            float left = 0.4f * (float)k;
            fill.shape =
                tarn_shape_box_between((TarnVec3){ left, 0.0f, 0.0f },
                                       (TarnVec3){ left + 0.4f, 0.6f, 0.0f }, &fill.pose.position);
            fill.kind = k;
            must(run, tarn_liquid_fill(liquid, &fill, NULL));
        }
        run_liquid(run, liquid, 10.0, frame);
        TarnLiquidView v = tarn_liquid_view(liquid);
        double sum[3] = { 0.0, 0.0, 0.0 };
        int n[3] = { 0, 0, 0 };
        for (int i = 0; i < v.n; ++i) sum[v.kind[i]] += (double)v.y[i], ++n[v.kind[i]];
        add_row(run, "liquid.stack", "water_over_honey", float_methods[m],
                sum[1] / n[1] - sum[0] / n[0], 0.2, 0.3);
        add_row(run, "liquid.stack", "oil_over_water", float_methods[m],
                sum[2] / n[2] - sum[1] / n[1], 0.2, 0.3);
        tarn_liquid_destroy(liquid);
    }
}

// ---- No leak -------------------------------------------------------------------------------------

typedef enum Vessel { CUP, CUP_SHAKEN, PADDLE, FAST_WALL, N_VESSELS } Vessel;
static const char* const vessel_names[] = { "cup", "cup_shaken", "paddle", "wall_50_mph" };

// A cup of five (in 2-D three) thin boxes that move as one; lid too, so that shaking keeps all in.
enum { MAX_CUP = 6 };
typedef struct Cup {
    TarnSolidId id[MAX_CUP];
    TarnVec3 at[MAX_CUP];
    int n;
} Cup;

static Cup make_cup(CheckRun* run, TarnSolids* solids, int dims)
{
    const float half = 0.5f, thin = 0.01f, out = half + thin;
    Cup cup = { 0 };
    for (int axis = 0; axis < dims; ++axis) {
        for (int side = -1; side <= 1; side += 2) {
            float s = (float)side;
            TarnVec3 size = { out + thin, out + thin, out + thin }, at = { 0.0f, 0.0f, 0.0f };
            if (axis == 0) size.x = thin, at.x = s * out;
            if (axis == 1) size.y = thin, at.y = s * out;
            if (axis == 2) size.z = thin, at.z = s * out;
            cup.at[cup.n] = (TarnVec3){ 2.0f + at.x, 2.0f + at.y, at.z };
            cup.id[cup.n] = add_box(run, solids, size, cup.at[cup.n]);
            ++cup.n;
        }
    }
    return cup;
}

// Sways by 0.3 m twice a second and more, about as a shaker does.
static TarnVec3 shaken(double t, int dims)
{
    return (TarnVec3){ (float)(0.3 * sin(13.0 * t)), (float)(0.2 * sin(17.0 * t)),
                       dims == 3 ? (float)(0.2 * sin(11.0 * t)) : 0.0f };
}

static void shake(CheckRun* run, TarnSolids* solids, const Cup* cup, double t, int dims)
{
    TarnVec3 now = shaken(t, dims), before = shaken(t - (double)frame, dims);
    for (int i = 0; i < cup->n; ++i) {
        TarnMotion motion = { .rotation = { 0.0f, 0.0f, 0.0f, 1.0f } };
        motion.position =
            (TarnVec3){ cup->at[i].x + now.x, cup->at[i].y + now.y, cup->at[i].z + now.z };
        motion.velocity = (TarnVec3){ (now.x - before.x) / frame, (now.y - before.y) / frame,
                                      (now.z - before.z) / frame };
        must(run, tarn_solids_move(solids, cup->id[i], &motion));
    }
}

// Particles that are not inside the cup, or not inside the tank, or gone.
static int lost(const TarnLiquid* liquid, int n_before, TarnVec3 center, float half, int dims)
{
    TarnLiquidView v = tarn_liquid_view(liquid);
    int count = n_before - v.n;
    for (int i = 0; i < v.n; ++i) {
        bool is_in = fabsf(v.x[i] - center.x) <= half && fabsf(v.y[i] - center.y) <= half;
        if (dims == 3) is_in = is_in && fabsf(v.z[i] - center.z) <= half;
        count += !is_in;
    }
    return count;
}

static int leaks_of_cup(CheckRun* run, int method, int dims, bool is_shaken, double seconds)
{
    double spacing = dims == 2 ? 0.05 : 0.1;
    TarnLiquidDef def = box_def(dims, method, spacing, 4.0, 4.0, 2.0, 600);
    def.box_min.z = -2.0f;
    Scene scene = make_scene(run, &def);
    Cup cup = make_cup(run, scene.solids, dims);
    int n = fill_box(run, scene.liquid, (TarnVec3){ 1.5f, 1.5f, -0.5f },
                     (TarnVec3){ 2.5f, 2.0f, 0.5f });
    int steps = (int)(seconds * 60.0);
    for (int s = 1; s <= steps; ++s) {
        must(run, tarn_solids_advance(scene.solids, frame));
        if (is_shaken) shake(run, scene.solids, &cup, s * (double)frame, dims);
        must(run, tarn_liquid_step(scene.liquid, frame, NULL));
    }
    TarnVec3 center = { 2.0f, 2.0f, 0.0f };
    if (is_shaken) {
        TarnVec3 by = shaken(steps * (double)frame, dims);
        center = (TarnVec3){ 2.0f + by.x, 2.0f + by.y, by.z };
    }
    int count = lost(scene.liquid, n, center, 0.5f, dims);
    free_scene(&scene);
    return count;
}

// A paddle 1 cm thick turns twice a second in a closed tank; or a wall comes and goes at 50 mph, and as
// the liquid is swept along it must be in front of it, not behind: the wall fills the whole section.
static int leaks_of_tank(CheckRun* run, int method, bool is_wall, double seconds)
{
    TarnLiquidDef def = box_def(2, method, 0.05, 2.0, 1.0, 0.0, 600);
    if (is_wall) def.box_max.x = 40.0f;
    Scene scene = make_scene(run, &def);
    TarnSolidDef solid = tarn_solid_default_def();
    solid.shape.kind = TARN_SHAPE_BOX;
    solid.shape.size =
        is_wall ? (TarnVec3){ 0.005f, 2.0f, 1.0f } : (TarnVec3){ 0.35f, 0.005f, 1.0f };
    solid.motion.position =
        is_wall ? (TarnVec3){ 0.1f, 0.5f, 0.0f } : (TarnVec3){ 1.0f, 0.5f, 0.0f };
    TarnSolidId id;
    must(run, tarn_solids_add(scene.solids, &solid, &id));
    if (!is_wall)
        must(run, tarn_solids_set_velocity(scene.solids, id, (TarnVec3){ 0.0f, 0.0f, 0.0f },
                                           (TarnVec3){ 0.0f, 0.0f, 12.6f }));
    int n = fill_box(run, scene.liquid, (TarnVec3){ is_wall ? 1.0f : 0.0f, 0.0f, 0.0f },
                     (TarnVec3){ 2.0f, 0.5f, 0.0f });
    int count = 0, steps = (int)(seconds * 60.0);
    double x = 0.1, v = 22.352; // 50 mph
    for (int s = 1; s <= steps; ++s) {
        if (is_wall) { // forth until 3 m are left, then slowly back
            if (x > 37.0) v = -1.0;
            if (x < 0.5) v = 22.352;
            must(run, tarn_solids_set_velocity(scene.solids, id, (TarnVec3){ (float)v, 0.0f, 0.0f },
                                               (TarnVec3){ 0.0f, 0.0f, 0.0f }));
            x += v * (double)frame;
        }
        must(run, tarn_solids_advance(scene.solids, frame));
        must(run, tarn_liquid_step(scene.liquid, frame, NULL));
        if (!is_wall) continue;
        TarnLiquidView now = tarn_liquid_view(scene.liquid);
        int behind = 0;
        for (int i = 0; i < now.n; ++i) behind += (double)now.x[i] < x;
        count = behind > count ? behind : count;
    }
    TarnVec3 center = { is_wall ? 20.0f : 1.0f, is_wall ? 0.5f : 0.5f, 0.0f };
    count += lost(scene.liquid, n, center, is_wall ? 20.0f : 1.0f, 2);
    free_scene(&scene);
    return count;
}

static void leak(CheckRun* run)
{
    for (int method = 0; method < N_METHODS; ++method) {
        double seconds = run->is_quick ? 6.0 : 60.0;
        for (int vessel = 0; vessel < N_VESSELS; ++vessel) {
            int count = vessel <= CUP_SHAKEN
                            ? leaks_of_cup(run, method, 2, vessel == CUP_SHAKEN, seconds)
                            : leaks_of_tank(run, method, vessel == FAST_WALL, seconds);
            add_row(run, "liquid.leak", vessel_names[vessel], method, count, 0.0, 0.0);
        }
        add_row(run, "liquid.leak", "cup_shaken_3d", method,
                leaks_of_cup(run, method, 3, true, seconds), 0.0, 0.0);
    }
}

void check_liquid_solids(CheckRun* run, const char* group)
{
    if (strcmp(group, "liquid.floating") == 0) floating(run);
    if (strcmp(group, "liquid.afloat") == 0) afloat(run);
    if (strcmp(group, "liquid.bodies") == 0) bodies(run);
    if (strcmp(group, "liquid.vessels") == 0) vessels(run);
    if (strcmp(group, "liquid.layers") == 0) layers(run);
    if (strcmp(group, "liquid.stack") == 0) stack(run);
    if (strcmp(group, "liquid.leak") == 0) leak(run);
}
