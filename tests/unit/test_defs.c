// Structs with a cookie: one size, one kind each, nothing written beyond what the program has, and a program that was
// compiled against another version is told so.

#include "counting.h"
#include "tarn/tarn.h"
#include <stdio.h>

// ---- Every one of them ---------------------------------------------------------------------------

typedef void InitFn(void* out, size_t size);
typedef struct Kind {
    const char* name;
    size_t size;
    InitFn* init;
} Kind;

// struct, init
#define KINDS(X)                                                                                   \
    X(TarnContextDef, tarn_context_init_def)                                                       \
    X(TarnBodiesDef, tarn_bodies_init_def)                                                         \
    X(TarnBodyDef, tarn_body_init_def)                                                             \
    X(TarnSolidsDef, tarn_solids_init_def)                                                         \
    X(TarnSolidDef, tarn_solid_init_def)                                                           \
    X(TarnWaveDef, tarn_wave_init_def)                                                             \
    X(TarnPipesDef, tarn_pipes_init_def)                                                           \
    X(TarnShallowDef, tarn_shallow_init_def)                                                       \
    X(TarnShallowSpanDef, tarn_shallow_init_span)                                                  \
    X(TarnShallowGateDef, tarn_shallow_init_gate)                                                  \
    X(TarnLiquidDef, tarn_liquid_init_def)                                                         \
    X(TarnLiquidKindDef, tarn_liquid_kind_init_def)                                                \
    X(TarnLiquidSourceDef, tarn_liquid_source_init_def)                                            \
    X(TarnLiquidFill, tarn_liquid_init_fill)                                                       \
    X(TarnRegionDef, tarn_region_init_def)                                                         \
    X(TarnGasDef, tarn_gas_init_def)                                                               \
    X(TarnGasSourceDef, tarn_gas_source_init_def)                                                  \
    X(TarnGasJetDef, tarn_gas_jet_init_def)                                                        \
    X(TarnParticlesDef, tarn_particles_init_def)                                                   \
    X(TarnParticleEmitterDef, tarn_particle_emitter_init_def)                                      \
    X(TarnAttractorDef, tarn_attractor_init_def)                                                   \
    X(TarnTerrainDef, tarn_terrain_init_def)                                                       \
    X(TarnTerrainFileDef, tarn_terrain_init_file_def)                                              \
    X(TarnMarchingDef, tarn_marching_init_def)                                                     \
    X(TarnMarchingParams, tarn_marching_init_params)                                               \
    X(TarnParticleSurfaceDef, tarn_particle_surface_init_def)                                      \
    X(TarnParticleSurfaceParams, tarn_particle_surface_init_params)                                \
    X(TarnScreenMeshDef, tarn_screen_mesh_init_def)                                                \
    X(TarnScreenMeshParams, tarn_screen_mesh_init_params)                                          \
    X(TarnHeightMeshDef, tarn_height_mesh_init_def)                                                \
    X(TarnHeightMeshSource, tarn_height_mesh_init_source)                                          \
    X(TarnWorldDef, tarn_world_init_def)                                                           \
    X(TarnEmitterDef, tarn_emitter_init_def)                                                       \
    X(TarnDriverDef, tarn_driver_init_def)                                                         \
    X(TarnWindowDef, tarn_window_init_def)                                                         \
    X(TarnWindDef, tarn_wind_init_def)                                                             \
    X(TarnFoilDef, tarn_foil_init_def)                                                             \
    X(TarnFireDef, tarn_fire_init_def)                                                             \
    X(TarnLinkageDef, tarn_linkage_init_def)                                                       \
    X(TarnLinkagePartDef, tarn_linkage_part_init_def)                                              \
    X(TarnCurlNoise, curl_noise_init)

static void curl_noise_init(TarnCurlNoise* out, size_t size)
{
    tarn_curl_noise_init(out, size, NULL);
}

// Functions of one signature, so that a loop can call them.
#define WRAP(Struct, init)                                                                         \
    static void wrap_##init(void* out, size_t size)                                                \
    {                                                                                              \
        init((Struct*)out, size);                                                                  \
    }
KINDS(WRAP)
#define ENTRY(Struct, init) { #Struct, sizeof(Struct), wrap_##init },
static const Kind kinds[] = { KINDS(ENTRY) };
enum { N_KINDS = sizeof kinds / sizeof kinds[0], ROOM = 4096 };

#define FIRST(Struct, init) assert_int_equal(offsetof(Struct, cookie), 0);
static void cookies_come_first_and_differ(void** state)
{
    (void)state;
    KINDS(FIRST)
    uint32_t cookies[N_KINDS];
    for (int k = 0; k < N_KINDS; ++k) {
        char room[ROOM];
        assert_true(kinds[k].size <= ROOM);
        kinds[k].init(room, kinds[k].size);
        memcpy(&cookies[k], room, sizeof cookies[k]);
        assert_int_equal(cookies[k] >> 16, kinds[k].size);
        assert_int_not_equal(cookies[k] & 0xffff, 0);
        for (int j = 0; j < k; ++j) {
            if ((cookies[j] & 0xffff) != (cookies[k] & 0xffff)) continue;
            print_error("%s and %s have the same cookie\n", kinds[j].name, kinds[k].name);
            fail();
        }
    }
}

// Any size, smaller and larger: the bytes that a program has are filled, and not one more.
static void init_keeps_to_the_size(void** state)
{
    (void)state;
    for (int k = 0; k < N_KINDS; ++k) {
        char full[ROOM], room[ROOM];
        kinds[k].init(full, kinds[k].size);
        for (size_t size = 0; size < kinds[k].size + 64; ++size) {
            memset(room, 0x5a, sizeof room);
            kinds[k].init(room, size);
            for (size_t b = size; b < ROOM; ++b) assert_int_equal(room[b], 0x5a);
            for (size_t b = sizeof(uint32_t); b < size && b < kinds[k].size; ++b)
                assert_int_equal(room[b], full[b]);
            for (size_t b = kinds[k].size; b < size; ++b) assert_int_equal(room[b], 0);
            uint32_t cookie;
            memcpy(&cookie, room, sizeof cookie);
            if (size >= sizeof cookie) assert_int_equal(cookie >> 16, size);
        }
        kinds[k].init(NULL, kinds[k].size);
    }
}

// ---- Refusals ------------------------------------------------------------------------------------

// What a program has that was compiled with fewer or more members.
static void wave_of_another_version(void** state)
{
    (void)state;
    for (int more = -8; more <= 8; more += 16) {
        size_t size = sizeof(TarnWaveDef) + (size_t)more;
        TarnWaveDef* def = malloc(size); // the sanitizer guards its end
        tarn_wave_init_def(def, size);
        TarnWave* wave = (TarnWave*)def;
        assert_int_equal(tarn_wave_create(ctx, def, &wave), TARN_ERR_VERSION);
        assert_null(wave);
        char wanted[256];
        snprintf(wanted, sizeof wanted,
                 "wave: this TarnWaveDef has %zu bytes, but that of the library has %zu; the "
                 "program was compiled against another version of tarn/wave.h: rebuild it",
                 size, sizeof(TarnWaveDef));
        assert_string_equal(tarn_last_error(ctx), wanted);
        free(def);
    }
    TarnWaveDef zero = { 0 };
    TarnWave* wave;
    assert_int_equal(tarn_wave_create(ctx, &zero, &wave), TARN_ERR_ARG);
    assert_string_equal(
        tarn_last_error(ctx),
        "wave: the cookie of the TarnWaveDef is not set; start from tarn_wave_default_def()");
    assert_int_equal(tarn_wave_create(ctx, NULL, &wave), TARN_ERR_ARG);
    assert_string_equal(tarn_last_error(ctx),
                        "wave: the TarnWaveDef is NULL; start from tarn_wave_default_def()");
    TarnPipesDef other = tarn_pipes_default_def(); // another kind, though of the right size
    zero.cookie = (other.cookie & 0xffff) | (uint32_t)sizeof zero << 16;
    assert_int_equal(tarn_wave_create(ctx, &zero, &wave), TARN_ERR_ARG);
}

static void context_of_another_version(void** state)
{
    (void)state;
    size_t size =
        sizeof(TarnContextDef) - 16; // its last members, the hooks of assert, are not there
    TarnContextDef* def = malloc(size);
    tarn_context_init_def(def, size);
    TarnContext* made;
    assert_int_equal(tarn_context_create(def, &made), TARN_ERR_VERSION);
    assert_null(made);
    assert_non_null(strstr(tarn_last_error(NULL), "another version of tarn/base.h: rebuild it"));
    free(def);
}

// One of each that something is created from or added with, with a forged size.
#define FORGED(Struct, make, call)                                                                 \
    do {                                                                                           \
        Struct def = make;                                                                         \
        def.cookie += 4u << 16;                                                                    \
        assert_int_equal(call, TARN_ERR_VERSION);                                                  \
        assert_non_null(strstr(tarn_last_error(ctx), "this " #Struct " has "));                    \
        assert_non_null(strstr(tarn_last_error(ctx), ": rebuild it"));                             \
    } while (0)

static void forged_sizes_of_solvers(void** state)
{
    (void)state;
    TarnShallow* shallow;
    TarnPipes* pipes;
    TarnLiquid* liquid;
    TarnGas* gas;
    TarnParticles* particles;
    FORGED(TarnShallowDef, tarn_shallow_default_def(), tarn_shallow_create(ctx, &def, &shallow));
    FORGED(TarnPipesDef, tarn_pipes_default_def(), tarn_pipes_create(ctx, &def, &pipes));
    FORGED(TarnLiquidDef, tarn_liquid_default_def(), tarn_liquid_create(ctx, &def, &liquid));
    FORGED(TarnGasDef, tarn_gas_default_def(), tarn_gas_create(ctx, &def, &gas));
    FORGED(TarnParticlesDef, tarn_particles_default_def(),
           tarn_particles_create(ctx, &def, &particles));

    TarnShallowDef water = tarn_shallow_default_def();
    water.nx = water.nz = 16;
    assert_int_equal(tarn_shallow_create(ctx, &water, &shallow), TARN_OK);
    FORGED(TarnShallowSpanDef, tarn_shallow_default_span(),
           tarn_shallow_add_span(shallow, &def, NULL));
    FORGED(TarnShallowGateDef, tarn_shallow_default_gate(),
           tarn_shallow_add_gate(shallow, &def, NULL));
    tarn_shallow_destroy(shallow);

    TarnLiquidDef drops = tarn_liquid_default_def();
    drops.max_particles = 64;
    assert_int_equal(tarn_liquid_create(ctx, &drops, &liquid), TARN_OK);
    TarnLiquidSourceId source;
    TarnRegionId region;
    int added;
    FORGED(TarnLiquidKindDef, tarn_liquid_kind_default_def(),
           tarn_liquid_set_kind(liquid, 0, &def));
    FORGED(TarnLiquidSourceDef, tarn_liquid_source_default_def(),
           tarn_liquid_add_source(liquid, &def, &source));
    FORGED(TarnRegionDef, tarn_region_default_def(), tarn_liquid_add_region(liquid, &def, &region));
    FORGED(TarnLiquidFill, tarn_liquid_fill_default(), tarn_liquid_fill(liquid, &def, &added));
    tarn_liquid_destroy(liquid);
}

static void forged_sizes_of_the_rest(void** state)
{
    (void)state;
    TarnBodies* bodies;
    TarnSolids* solids;
    TarnWorld* world;
    FORGED(TarnBodiesDef, tarn_bodies_default_def(), tarn_bodies_create(ctx, &def, &bodies));
    FORGED(TarnSolidsDef, tarn_solids_default_def(), tarn_solids_create(ctx, &def, &solids));
    FORGED(TarnWorldDef, tarn_world_default_def(), tarn_world_create(ctx, &def, &world));
    TarnMarching* marching;
    TarnScreenMesh* screen;
    TarnHeightMesh* heights;
    TarnParticleSurface* surface;
    FORGED(TarnMarchingDef, tarn_marching_default_def(),
           tarn_marching_create(ctx, &def, &marching));
    FORGED(TarnScreenMeshDef, tarn_screen_mesh_default_def(),
           tarn_screen_mesh_create(ctx, &def, &screen));
    FORGED(TarnHeightMeshDef, tarn_height_mesh_default_def(),
           tarn_height_mesh_create(ctx, &def, &heights));
    FORGED(TarnParticleSurfaceDef, tarn_particle_surface_default_def(),
           tarn_particle_surface_create(ctx, &def, &surface));

    TarnWorldDef world_def = tarn_world_default_def();
    assert_int_equal(tarn_world_create(ctx, &world_def, &world), TARN_OK);
    TarnBodyId body;
    TarnEmitterId emitter;
    FORGED(TarnBodyDef, tarn_body_default_def(), tarn_world_add_body(world, &def, &body));
    FORGED(TarnEmitterDef, tarn_emitter_default_def(),
           tarn_world_add_emitter(world, &def, &emitter));
    tarn_world_destroy(world);

    TarnCurlNoise noise = tarn_curl_noise_default(ctx);
    assert_non_null(tarn_curl_noise_flow(&noise).query);
    noise.cookie += 4u << 16;
    assert_null(tarn_curl_noise_flow(&noise).query);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(cookies_come_first_and_differ), TEST(init_keeps_to_the_size),
        TEST(wave_of_another_version),       TEST(context_of_another_version),
        TEST(forged_sizes_of_solvers),       TEST(forged_sizes_of_the_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
