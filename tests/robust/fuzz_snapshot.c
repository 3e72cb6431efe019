// libFuzzer target for snapshots of worlds: one with the waters of height fields; one with liquid,
// splashes, particles, fires, solids and bodies for each method of liquids, flat and solid by turns; and one
// with two gases, their particles and curl noise for each solver of the pressure; and one with a solver of each class
// that is registered. The first byte chooses the world, and how the rest is used:
//   0  as a snapshot
//   1  as the payload of one, with a header that fits
//   2  as patches of a good one (place, value), with all hashes set right again, so that the checks
//      behind the hashes are reached
// Refused: nothing changes. Accepted: the world steps and stays finite.

#include "tests/robust/sane_world.h"
#include "tests/unit/small_def.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static const char waters_text[] =
    "{\"tarn\":1,\"world\":{\"max_bodies\":6,\"max_emitters\":4},"
    "\"solvers\":[{\"kind\":\"wave\",\"nx\":24,\"nz\":16,\"dx\":0.25,"
    "\"depth\":1,\"edge_x1\":\"absorbing\",\"sponge_cells\":4,"
    "\"walls\":[{\"min\":[1,1],\"max\":[2,2]}]},{\"kind\":\"shallow\","
    "\"nx\":20,\"nz\":12,\"dx\":0.5,\"level\":0.6,\"has_level\":true,"
    "\"terrain\":{\"kind\":\"bowl\"},\"edge_x1\":\"open\","
    "\"spans\":[{\"side\":\"z0\",\"kind\":\"discharge\",\"value\":0.5}],"
    "\"gates\":[{\"a\":[4,0],\"b\":[5,6],\"top\":1}]},{\"kind\":\"pipes\","
    "\"nx\":16,\"nz\":12,\"dx\":2,\"rain\":500,"
    "\"terrain\":{\"kind\":\"ridged\"}}],\"bodies\":[{\"size\":0.3,"
    "\"position\":[3,0.3,2]},{\"shape\":\"box\",\"size\":0.2,\"position\":[4,0,"
    "2],\"driver\":{\"kind\":\"thrust\",\"radius\":1}},{\"size\":0.3,"
    "\"driven\":true,\"position\":[3,0,3],\"driver\":{\"kind\":\"circle\","
    "\"radius\":1}}],\"emitters\":[{\"kind\":\"rain\",\"b\":[6,4]},"
    "{\"kind\":\"stroke\",\"b\":[6,4]},{\"kind\":\"maker\",\"height\":0.1}]}";

// About 100 particles in 2-D, 200 in 3-D; everything that a snapshot of them can hold.
static const char liquid_text[] =
    "{\"tarn\":1,\"world\":{\"max_bodies\":4},"
    "\"solvers\":[{\"kind\":\"liquid\",\"carries\":true,\"spacing\":0.1,"
    "\"max_particles\":400,\"box_min\":[-1,0,-0.3],\"box_max\":[1,2,0.3],"
    "\"use_look\":true,\"max_splashes\":40,\"splash_speed\":0.01,"
    "\"cohesion\":0.1,\"surface_tension\":0.05,\"vorticity\":0.1,"
    "\"max_substeps\":20,\"kinds\":[{\"freezing_point\":-5,"
    "\"boiling_point\":90},{\"density\":800,\"viscosity\":0.01}],"
    "\"fill\":[{\"size\":[0.5,0.35,0.15],\"position\":[-0.5,0.35,-0.15]},{\"size\":[0.5,0.15,0.15],"
    "\"position\":[-0.5,0.85,-0.15],\"kind\":1,\"group\":3,\"temperature\":20}],"
    "\"sources\":[{\"position\":[-0.5,1.7,0]},{\"attach\":\"raft\","
    "\"position\":[0,0.3,0],\"direction\":[0,1,0],\"limit\":30,\"kind\":1}],"
    "\"regions\":[{\"action\":\"heat\",\"temperature\":100,\"rate\":5},"
    "{\"action\":\"freeze\",\"size\":[0.1,0.1,1],\"position\":[-0.9,0.1,0],\"roll\":10,"
    "\"temperature\":-50},{\"action\":\"delete\",\"shape\":\"cylinder\",\"size\":[0.05,0.5],"
    "\"position\":[0.95,0.05,0]}]},{\"kind\":\"particles\",\"max_particles\":60,\"drag\":0.5,"
    "\"emitters\":[{\"shape\":\"disc\",\"is_flared\":true,\"rate\":100,\"limit\":20,"
    "\"is_recycling\":true},{\"shape\":\"box\",\"burst\":5,\"burst_period\":0.1,"
    "\"attach\":\"raft\"}],\"attractors\":[{\"position\":[0,1,0],"
    "\"strength\":5}]},{\"kind\":\"fire\",\"position\":[0.3,0.2,0],"
    "\"water\":5}],\"solids\":[{\"shape\":\"path\",\"points\":[[-0.2,0.5],[0.3,"
    "0.3],[0.8,0.5]]},{\"shape\":\"wheel\",\"size\":[0.3,0.1],"
    "\"position\":[0.4,0.8,0],\"driver\":{\"kind\":\"spin\"}},{\"size\":0.1,"
    "\"position\":[-0.5,0.1,0],\"driver\":{\"kind\":\"shake\"}}],"
    "\"bodies\":[{\"name\":\"raft\",\"shape\":\"box\",\"size\":0.2,"
    "\"position\":[-0.5,1.2,0]},{\"size\":0.15,\"driven\":true,"
    "\"position\":[0.5,0.2,0],\"driver\":{\"kind\":\"slide\",\"from\":[0.2,0.2,"
    "0],\"to\":[0.6,0.4,0]}}]}";

// Two boxes of air, one of which goes with a body; everything that a snapshot of them can hold.
static const char gases_text[] =
    "{\"tarn\":1,\"world\":{\"max_bodies\":2},\"curl_noise\":{\"speed\":2},"
    "\"solvers\":[{\"kind\":\"particles\",\"max_particles\":60,\"drag\":0.5,"
    "\"flow_drag\":8,\"flow_gravity\":0,\"emitters\":[{\"attach\":\"pilot\","
    "\"throttle\":\"change\",\"rate\":200},{\"shape\":\"disc\",\"is_flared\":true,\"rate\":100,"
    "\"limit\":20,\"is_recycling\":true}]},{\"kind\":\"gas\",\"nx\":8,"
    "\"ny\":16,\"nz\":8,\"dx\":0.2,\"levels\":2,\"use_fuel\":true,"
    "\"use_color\":true,\"max_sources\":2,\"max_jets\":2,\"expansion\":1,"
    "\"turbulence\":0.2,\"wind\":[1,0,0.5],\"wind_turn\":28.64789,"
    "\"viscosity\":0.01,\"window\":{\"body\":\"pilot\",\"offset\":[0,0.5,0]},"
    "\"sources\":[{\"size\":0.4,\"temperature\":900,\"fuel\":1,\"noise\":0.5,"
    "\"expansion\":1},{\"attach\":\"pilot\",\"throttle\":\"steady\","
    "\"size\":0.3}],\"jets\":[{\"attach\":\"pilot\",\"throttle\":\"steady\","
    "\"direction\":[0,-1,0],\"pulse_period\":0.1}]},{\"kind\":\"gas\",\"nx\":8,"
    "\"ny\":8,\"nz\":8,\"dx\":0.25,\"center\":[0.5,0,0],"
    "\"follow\":\"translate\",\"obstacles\":\"direct\",\"edge_y0\":\"closed\","
    "\"edge_x0\":\"wind\",\"update_every\":2}],\"solids\":[{\"shape\":\"box\","
    "\"size\":0.2,\"driver\":{\"kind\":\"spin\"}},{\"size\":0.1,"
    "\"position\":[0.5,0.1,0],\"driver\":{\"kind\":\"shake\"}}],"
    "\"bodies\":[{\"name\":\"pilot\",\"shape\":\"capsule\",\"size\":[0.2,0.3],"
    "\"driven\":true,\"flight\":{\"amplitude\":[2,2,1],\"start\":0,"
    "\"stop\":3}}]}";

enum {
    METHODS = 6,
    FIRST_GAS = 1 + METHODS,
    PRESSURES = 3,
    ALL_CLASSES = FIRST_GAS + PRESSURES,
    WORLDS,
    WAYS = 3
};

typedef struct Target {
    TarnWorld* world;
    TarnScene* scene;
    uint8_t *good, *buffer; // a good snapshot, and room for a damaged one
    size_t good_size;
    uint64_t good_hash;
} Target;

static Target targets[WORLDS]; // for good: leak checkers still see what they hold

static void require(bool condition)
{
    if (!condition) abort();
}

// One solver of each class, in a row, with something of each of its lists and a ball over it.
static TarnWorld* all_classes(TarnContext* ctx)
{
    TarnWorld* world;
    TarnWorldDef def = tarn_world_default_def();
    const TarnSolverClass* of;
    require(tarn_world_create(ctx, &def, &world) == TARN_OK);
    for (int n = 0; (of = tarn_solver_class_at(ctx, n)) != NULL; ++n) {
        float x = 3.0f * (float)n; // they overlap
        AnyDef solver_def = small_def(of, x), part;
        void* solver;
        uint64_t id;
        require(tarn_world_add(world, of, NULL, solver_def.bytes, &solver) == TARN_OK);
        for (int l = 0; l < of->n_lists; ++l) {
            of->lists[l].init(part.bytes);
            require(of->lists[l].add(solver, part.bytes, &id) == TARN_OK);
        }
        TarnBodyDef ball = tarn_body_default_def();
        TarnBodyId body;
        ball.shape = tarn_shape_sphere(0.3f), ball.state.position = (TarnVec3){ x, 1.5f, 0.0f };
        require(tarn_world_add_body(world, &ball, &body) == TARN_OK);
    }
    return world;
}

static void keep_good(Target* t)
{
    for (int i = 0; i < 12; ++i) require(tarn_world_step(t->world, 1.0f / 60, NULL) == TARN_OK);
    tarn_world_save(t->world, NULL, 0, &t->good_size);
    t->good = malloc(t->good_size);
    t->buffer = malloc(t->good_size);
    require(tarn_world_save(t->world, t->good, t->good_size, &t->good_size) == TARN_OK);
    t->good_hash = tarn_world_hash(t->world);
}

// A world when it is first asked for.
static void create_world(int n)
{
    static TarnContext* ctx;
    TarnContextDef def = tarn_context_default_def();
    if (ctx == NULL) require(tarn_context_create(&def, &ctx) == TARN_OK);
    if (n == ALL_CLASSES) {
        targets[n].world = all_classes(ctx);
        keep_good(&targets[n]);
        return;
    }
    static const char* const methods[METHODS] = { "constraint", "dfsph", "pcisph",
                                                  "wcsph",      "sph",   "lennard_jones" };
    static const char* const edges[6] = { "gas.edge_x0", "gas.edge_x1", "gas.edge_y0",
                                          "gas.edge_y1", "gas.edge_z0", "gas.edge_z1" };
    static const char* const pressures[PRESSURES] = { "multigrid", "spectral", "transform" };
    Target* t = &targets[n];
    bool is_gas = n >= FIRST_GAS, is_liquid = n > 0 && !is_gas;
    const char* text = is_gas ? gases_text : is_liquid ? liquid_text : waters_text;
    TarnSceneOverride liquid[] = { { "liquid.method", is_liquid ? methods[n - 1] : NULL },
                                   { "liquid.dimensions", n % 2 == 0 ? "2" : "3" } };
    const char* pressure = is_gas ? pressures[n - FIRST_GAS] : NULL;
    bool is_box = n == FIRST_GAS + PRESSURES - 1; // of transforms: closed, and nothing in it
    TarnSceneOverride gas[9] = { { "gas.pressure", pressure },
                                 { "gas.use_fuel", is_box ? "false" : "true" },
                                 { "gas.obstacles", is_box ? "none" : "iterated" } };
    for (int e = 0; e < 6; ++e)
        gas[3 + e] = (TarnSceneOverride){ edges[e], is_box ? "closed" : "open" };
    require(tarn_scene_create(ctx, text, strlen(text), "fuzz.json", is_gas ? gas : liquid,
                              is_gas      ? 9
                              : is_liquid ? 2
                                          : 0,
                              &t->scene) == TARN_OK);
    t->world = tarn_scene_world(t->scene);
    keep_good(t);
}

static void patch(Target* t, const uint8_t* data, size_t size)
{
    memcpy(t->buffer, t->good, t->good_size);
    for (; size >= 4; data += 4, size -= 4) { // three bytes of place, one to turn bits with
        size_t at = (size_t)data[0] | (size_t)data[1] << 8 | (size_t)data[2] << 16;
        t->buffer[at % t->good_size] ^= data[3];
    }
    seal_all(t->buffer, t->good, t->good_size);
}

static TarnResult load(Target* t, int way, const uint8_t* data, size_t size)
{
    if (way == 0) return tarn_world_load(t->world, data, size);
    if (way == 1) {
        uint8_t* framed = malloc(TARN_SNAPSHOT_HEADER + size);
        memcpy(framed, t->good, TARN_SNAPSHOT_HEADER);
        memcpy(framed + TARN_SNAPSHOT_HEADER, data, size);
        seal_one(framed, TARN_SNAPSHOT_HEADER + size);
        TarnResult result = tarn_world_load(t->world, framed, TARN_SNAPSHOT_HEADER + size);
        free(framed);
        return result;
    }
    patch(t, data, size);
    return tarn_world_load(t->world, t->buffer, t->good_size);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    if (size == 0) return 0;
    int n = data[0] / WAYS % WORLDS;
    Target* t = &targets[n];
    if (t->world == NULL) create_world(n);
    if (load(t, data[0] % WAYS, data + 1, size - 1) != TARN_OK) {
        require(tarn_world_hash(t->world) == t->good_hash); // refused: nothing changed
        return 0;
    }
    for (int i = 0; i < 3; ++i) require(tarn_world_step(t->world, 1.0f / 60, NULL) == TARN_OK);
    require(what_is_mad(t->world) == NULL);
    require(tarn_world_load(t->world, t->good, t->good_size) == TARN_OK);
    require(tarn_world_hash(t->world) == t->good_hash);
    return 0;
}
