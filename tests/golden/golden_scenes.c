// Golden hashes: every scene, the same bits for any number of workers, instruction set and compiler.
//
// The hashes are in golden_scenes.txt, made by one build and asserted by all: gcc, clang, baseline,
// AVX2, WebAssembly under node. `golden_scenes --help` says how to update it; a commit that does so
// says [HASH] and why. Plain main, because it also runs where cmocka does not.

#include "tests/sanitized.h"
#include "tarn/tarn.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Particle liquids cost more per step and part sooner: they run shorter. So do gases, oceans, and lattices, whose frames
// have many steps.
enum {
    STEPS = 150,
    LIQUID_STEPS = 8,
    GAS_STEPS = 45,
    OCEAN_STEPS = 30,
    LATTICE_STEPS = 5,
    MAX_SCENES = 128
};

typedef struct Golden {
    char name[64];
    unsigned long long hash, early; // early: after the few steps of a short run
} Golden;

static const char golden_path[] = TARN_SOURCE_DIR "/tests/golden/golden_scenes.txt";

static int read_golden(Golden* golden)
{
    FILE* file = fopen(golden_path, "r");
    int n = 0;
    while (file && n < MAX_SCENES &&
           fscanf(file, "%63s %llx %llx", golden[n].name, &golden[n].hash, &golden[n].early) == 3)
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
    TarnSceneOverride override = { is_gas ? "gas.step" : "liquid.method",
                                   method ? method + 1 : "" };
    snprintf(path, sizeof path, "%s/%.*s.json", TARN_SCENES_DIR, length, name);
    return tarn_scene_create_from_file(ctx, path, &override, method ? 1 : 0, out);
}

typedef struct Half {
    int workers;
    TarnIsa isa;
} Half;

// The first half of the steps; then the world is saved and loaded into a fresh one of another context, for the second
// half. This must change nothing: the hashes of the file come from runs without it.
typedef struct Way {
    Half first, second;
} Way;

// How many steps make the hash. Sanitizers look for other things: a few will do for them in a short run.
static int steps_of(TarnWorld* world, bool is_short)
{
    bool has_liquid = tarn_world_liquid(world, 0) != NULL;
    bool has_gas = tarn_world_gas_count(world) > 0;
    bool has_ocean = tarn_world_ocean(world, 0) != NULL;
    if (tarn_world_lattice_count(world) > 0) return is_short ? 2 : LATTICE_STEPS;
    if (is_short) return has_liquid ? 3 : has_gas || has_ocean ? 6 : 30;
    return has_liquid ? LIQUID_STEPS : has_gas ? GAS_STEPS : has_ocean ? OCEAN_STEPS : STEPS;
}

typedef struct Run {
    TarnContext* ctx;
    TarnScene* scene;
} Run;

static Run open_run(const char* name, Half half)
{
    TarnContextDef def = tarn_context_default_def();
    def.workers = half.workers;
    def.isa = half.isa;
    Run run = { NULL, NULL };
    if (tarn_context_create(&def, &run.ctx) != TARN_OK ||
        open_scene(run.ctx, name, &run.scene) != TARN_OK) {
        printf("%s: %s\n", name, tarn_last_error(run.ctx));
        exit(1);
    }
    return run;
}

static void close_run(Run* run)
{
    tarn_scene_destroy(run->scene);
    tarn_context_destroy(run->ctx);
}

static void step(const Run* run, int n)
{
    while (n-- > 0)
        tarn_world_step(tarn_scene_world(run->scene), tarn_scene_run(run->scene).dt, NULL);
}

static void restore(const char* name, const Run* from, const Run* to)
{
    size_t bytes;
    TarnWorld* world = tarn_scene_world(from->scene);
    tarn_world_save(world, NULL, 0, &bytes);
    void* buffer = malloc(bytes);
    if (tarn_world_save(world, buffer, bytes, &bytes) != TARN_OK ||
        tarn_world_load(tarn_scene_world(to->scene), buffer, bytes) != TARN_OK) {
        printf("%s: restore: %s\n", name, tarn_last_error(to->ctx));
        exit(1);
    }
    free(buffer);
}

// Runs a scene one way, or without a second half all of it as the first.
static unsigned long long run_scene(const char* name, const Way* way, bool is_short)
{
    Run run = open_run(name, way->first);
    int steps = steps_of(tarn_scene_world(run.scene), is_short);
    int half = (steps + 1) / 2;
    step(&run, half);
    if (way->second.workers > 0) {
        Run fresh = open_run(name, way->second);
        restore(name, &run, &fresh);
        close_run(&run);
        run = fresh;
    }
    step(&run, steps - half);
    unsigned long long hash = tarn_world_hash(tarn_scene_world(run.scene));
    close_run(&run);
    return hash;
}

// Two ways run all steps on the baseline and all on the best instruction set, with one worker, an odd number and many:
// each is held against the hash in the file, so that whichever of them matters shows.
static const Way ways[] = { { { 8, TARN_ISA_BASELINE }, { 3, TARN_ISA_AUTO } },
                            { { 1, TARN_ISA_AUTO }, { 8, TARN_ISA_BASELINE } },
                            { { 3, TARN_ISA_AVX2 }, { 1, TARN_ISA_AVX2 } } };

// The first way walks all code: it will do for sanitizers in a short run, and for WebAssembly, which has one
// instruction set and here one thread. AVX2 has a way of its own where AVX-512 is the best.
static int count_ways(void)
{
#if defined(__EMSCRIPTEN__)
    return 1;
#endif
    TarnContextDef def = tarn_context_default_def();
    def.isa = TARN_ISA_AVX512;
    TarnContext* ctx;
    if (is_short_run()) return 1;
    if (tarn_context_create(&def, &ctx) != TARN_OK) return 2;
    tarn_context_destroy(ctx);
    return 3;
}

// Every way to run a scene. Returns how many hashes differ from the wanted one.
static int check_scene(const Golden* golden)
{
    int wrong = 0, n = count_ways();
    unsigned long long wanted = is_short_run() ? golden->early : golden->hash;
    for (int w = 0; w < n; ++w) {
        const Way* way = &ways[w];
        unsigned long long hash = run_scene(golden->name, way, is_short_run());
        if (hash == wanted) continue;
        printf("%s: %d workers, %s, then %d workers, %s: %016llx, expected %016llx\n", golden->name,
               way->first.workers, tarn_isa_name(way->first.isa), way->second.workers,
               tarn_isa_name(way->second.isa), hash, wanted);
        ++wrong;
    }
    printf("%-26s %016llx %d ways %s\n", golden->name, wanted, n, wrong ? "DIFFER" : "agree");
    return wrong;
}

static const char usage[] =
    "usage: golden_scenes [NAME ...]             compares these lines of golden_scenes.txt, or "
    "all\n"
    "       golden_scenes --update [NAME ...]    writes these lines anew, or all; other lines "
    "stay;\n"
    "                                            a NAME without a line gets one at the end\n"
    "       golden_scenes --help\n"
    "NAME is a scene, or scene@method for another method of its liquid or gas.\n";

static bool is_asked(const char* name, char** names, int n_names)
{
    for (int i = 0; i < n_names; ++i)
        if (strcmp(names[i], name) == 0) return true;
    return n_names == 0;
}

// The line of a name; n if there is none.
static int line_of(const Golden* golden, int n, const char* name)
{
    int g = 0;
    while (g < n && strcmp(golden[g].name, name) != 0) ++g;
    return g;
}

// Adds a line for each name that has none. Returns how many lines there are then, or -1 if they do not fit.
static int add_names(Golden* golden, int n, char** names, int n_names)
{
    for (int i = 0; i < n_names; ++i) {
        if (line_of(golden, n, names[i]) < n) continue;
        if (n == MAX_SCENES || strlen(names[i]) >= sizeof golden->name) return -1;
        golden[n] = (Golden){ .hash = 0 };
        strcpy(golden[n++].name, names[i]);
    }
    return n;
}

// All hashes are made before the file is opened: a scene that fails leaves it as it was.
static int update(Golden* golden, int n, char** names, int n_names)
{
    n = add_names(golden, n, names, n_names);
    if (n < 0) return printf("a name is too long, or there are more than %d\n", MAX_SCENES), 1;
    const Way plain = { .first = { 1, TARN_ISA_BASELINE } };
    for (int g = 0; g < n; ++g) {
        if (!is_asked(golden[g].name, names, n_names)) continue;
        golden[g].hash = run_scene(golden[g].name, &plain, false);
        golden[g].early = run_scene(golden[g].name, &plain, true);
    }
    FILE* file = fopen(golden_path, "w");
    if (file == NULL) return printf("%s cannot be written\n", golden_path), 1;
    for (int g = 0; g < n; ++g)
        fprintf(file, "%s %016llx %016llx\n", golden[g].name, golden[g].hash, golden[g].early);
    return fclose(file) != 0;
}

// The names that a run without --update is about all have a line.
static bool are_known(const Golden* golden, int n, char** names, int n_names)
{
    for (int i = 0; i < n_names; ++i) {
        if (line_of(golden, n, names[i]) == n)
            return printf("%s has no line in %s\n%s", names[i], golden_path, usage), false;
    }
    return true;
}

int main(int argc, char** argv)
{
    Golden golden[MAX_SCENES];
    int n = read_golden(golden), wrong = 0;
    bool is_update = argc > 1 && strcmp(argv[1], "--update") == 0;
    char** names = argv + 1 + is_update;
    int n_names = argc - 1 - is_update;
    if (argc > 1 && strcmp(argv[1], "--help") == 0) return fputs(usage, stdout), 0;
    for (int i = 0; i < n_names; ++i)
        if (names[i][0] == '-') return fputs(usage, stdout), 2;
    if (is_update) return update(golden, n, names, n_names);
    if (!are_known(golden, n, names, n_names)) return 2;
    for (int g = 0; g < n; ++g)
        if (is_asked(golden[g].name, names, n_names)) wrong += check_scene(&golden[g]);
    if (n == 0) printf("%s is missing or empty\n", golden_path);
    return n == 0 || wrong > 0;
}
