// Golden hashes: every scene, the same bits for any number of workers, instruction set and compiler.
//
// The hashes are in golden_scenes.txt, made by one build and asserted by all: gcc, clang, baseline,
// AVX2, WebAssembly under node. `golden_scenes --update` writes the file anew; a commit that does so
// says [HASH] and why. Plain main, because it also runs where cmocka does not.

#include "tests/sanitized.h"
#include "tarn/tarn.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Particle liquids cost more per step and part sooner: they run shorter.
enum { STEPS = 150, LIQUID_STEPS = 8, GAS_STEPS = 45, MAX_SCENES = 64 };

typedef struct Golden {
    char name[64];
    unsigned long long hash;
} Golden;

static const char golden_path[] = TARN_SOURCE_DIR "/tests/golden/golden_scenes.txt";

static int read_golden(Golden* golden)
{
    FILE* file = fopen(golden_path, "r");
    int n = 0;
    while (file && n < MAX_SCENES &&
           fscanf(file, "%63s %llx", golden[n].name, &golden[n].hash) == 2)
        ++n;
    if (file) fclose(file);
    return n;
}

static TarnResult open_scene(TarnContext* ctx, const char* name, TarnScene** out)
{
    char path[512];
    const char* method =
        strchr(name, '@'); // "scene@method": with another method of its liquid, or gas
    int length = method ? (int)(method - name) : (int)strlen(name);
    bool is_gas = method && strcmp(method, "@reflection") == 0;
    TarnSceneOverride override = { is_gas ? "gases[0].step" : "liquid.method",
                                   method ? method + 1 : "" };
    snprintf(path, sizeof path, "%s/%.*s.json", TARN_SCENES_DIR, length, name);
    return tarn_scene_create_from_file(ctx, path, &override, method ? 1 : 0, out);
}

// Runs a scene; half way it may be saved and loaded into a fresh world, which must change nothing.
static int run_scene(const char* name, int workers, TarnIsa isa, bool has_restore,
                     unsigned long long* hash)
{
    TarnContextDef def = tarn_context_default_def();
    def.workers = workers;
    def.isa = isa;
    TarnContext* ctx;
    TarnResult result = tarn_context_create(&def, &ctx);
    if (result == TARN_ERR_UNSUPPORTED) return 0;
    TarnScene* scene = NULL;
    if (result != TARN_OK || open_scene(ctx, name, &scene) != TARN_OK) {
        printf("%s: %s\n", name, tarn_last_error(ctx));
        exit(1);
    }
    TarnWorld* world = tarn_scene_world(scene);
    int steps = tarn_world_liquid(world)          ? LIQUID_STEPS
                : tarn_world_gas_count(world) > 0 ? GAS_STEPS
                                                  : STEPS;
    for (int n = 0; n < steps; ++n) {
        tarn_world_step(tarn_scene_world(scene), tarn_scene_run(scene).dt, NULL);
        if (!has_restore || n != steps / 2) continue;
        size_t bytes;
        tarn_world_save(tarn_scene_world(scene), NULL, 0, &bytes);
        void* buffer = malloc(bytes);
        TarnScene* fresh;
        if (tarn_world_save(tarn_scene_world(scene), buffer, bytes, &bytes) != TARN_OK ||
            open_scene(ctx, name, &fresh) != TARN_OK ||
            tarn_world_load(tarn_scene_world(fresh), buffer, bytes) != TARN_OK) {
            printf("%s: restore: %s\n", name, tarn_last_error(ctx));
            exit(1);
        }
        free(buffer);
        tarn_scene_destroy(scene);
        scene = fresh;
    }
    *hash = tarn_world_hash(tarn_scene_world(scene));
    tarn_scene_destroy(scene);
    tarn_context_destroy(ctx);
    return 1;
}

// Liquids and gases are costly: not every way.
static bool is_costly_scene(const char* name)
{
    TarnContextDef def = tarn_context_default_def();
    TarnContext* ctx;
    TarnScene* scene = NULL;
    if (tarn_context_create(&def, &ctx) != TARN_OK) return false;
    bool has = open_scene(ctx, name, &scene) == TARN_OK &&
               (tarn_world_liquid(tarn_scene_world(scene)) != NULL ||
                tarn_world_gas_count(tarn_scene_world(scene)) > 0);
    tarn_scene_destroy(scene);
    tarn_context_destroy(ctx);
    return has;
}

// Every way to run a scene. Returns how many hashes differ from the wanted one.
static int check_scene(const Golden* golden)
{
    static const struct {
        int workers;
        TarnIsa isa;
        bool has_restore;
    } ways[] = {
        { 1, TARN_ISA_BASELINE, false },
        { 2, TARN_ISA_AVX2, true },
        { 3, TARN_ISA_AVX2, false },
        { 8, TARN_ISA_BASELINE, true },
    };
    int wrong = 0, ran = 0;
    bool is_costly = is_costly_scene(golden->name);
    bool is_example = strcmp(golden->name, "dam_break_2d") == 0 ||
                      strcmp(golden->name, "disintegration_gun") == 0;
    if (is_costly && is_sanitized && !is_example) return 0;
    for (size_t w = 0; w < sizeof ways / sizeof ways[0]; ++w) {
        unsigned long long hash;
        // With sanitizers, which look for other things, the two ways that do the most.
        if (is_sanitized && !ways[w].has_restore) continue;
        if (is_costly && !ways[w].has_restore) continue;
        if (!run_scene(golden->name, ways[w].workers, ways[w].isa, ways[w].has_restore, &hash))
            continue;
        ++ran;
        if (hash == golden->hash) continue;
        printf("%s: %d workers, %s%s: %016llx, expected %016llx\n", golden->name, ways[w].workers,
               tarn_isa_name(ways[w].isa), ways[w].has_restore ? ", restored" : "", hash,
               golden->hash);
        ++wrong;
    }
    printf("%-26s %016llx %d ways %s\n", golden->name, golden->hash, ran,
           wrong ? "DIFFER" : "agree");
    return wrong;
}

static int update(const Golden* golden, int n, char** names, int n_names)
{
    FILE* file = fopen(golden_path, "w");
    if (file == NULL) return 1;
    for (int g = 0; g < (n_names ? n_names : n); ++g) {
        const char* name = n_names ? names[g] : golden[g].name;
        unsigned long long hash = 0;
        run_scene(name, 1, TARN_ISA_BASELINE, false, &hash);
        fprintf(file, "%s %016llx\n", name, hash);
    }
    return fclose(file) != 0;
}

int main(int argc, char** argv)
{
    Golden golden[MAX_SCENES];
    int n = read_golden(golden), wrong = 0;
    if (argc > 1 && strcmp(argv[1], "--update") == 0) return update(golden, n, argv + 2, argc - 2);
    for (int g = 0; g < n; ++g) wrong += check_scene(&golden[g]);
    if (n == 0) printf("%s is missing or empty\n", golden_path);
    return n == 0 || wrong > 0;
}
