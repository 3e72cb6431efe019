// Scenes of the library with random parameters, small enough to step in a few milliseconds. A number makes a
// scene: the same one gives the same scene, so that a failure can be repeated.
#pragma once

#include "base/base.h"
#include "tarn/tarn.h"
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- Random numbers ------------------------------------------------------------------------------

static uint64_t draw_seed, draw_at;
static inline int draw(int n) // 0 .. n - 1
{
    return (int)(tarn__random(draw_seed, 1, draw_at++) % (uint32_t)n);
}
static inline double draw_between(double lo, double hi)
{
    return lo + (hi - lo) * (double)tarn__random01(draw_seed, 1, draw_at++);
}

// ---- The library ---------------------------------------------------------------------------------

enum { MAX_LIBRARY = 64, MAX_OVERRIDES = 24 };

typedef struct LibraryScene {
    char path[512];
    char* text; // to see which sections it has
    float spacing;
    int gas_n[TARN_WORLD_MAX_GASES][3];
    float gas_dx[TARN_WORLD_MAX_GASES];
    int n_gases;
} LibraryScene;

static LibraryScene library[MAX_LIBRARY];
static int n_library;

static inline int by_path(const void* a, const void* b)
{
    return strcmp(((const LibraryScene*)a)->path, ((const LibraryScene*)b)->path);
}

static inline char* read_text(const char* path)
{
    FILE* file = fopen(path, "rb");
    char* text = calloc(1, 1 << 16);
    if (file && fread(text, 1, (1 << 16) - 1, file) == 0) text[0] = '\0';
    if (file) fclose(file);
    return text;
}

// What has to be known to make it smaller.
static inline bool look_at_scene(TarnContext* ctx, LibraryScene* s)
{
    TarnScene* scene;
    s->text = read_text(s->path);
    if (tarn_scene_create_from_file(ctx, s->path, NULL, 0, &scene) != TARN_OK) return false;
    TarnWorld* world = tarn_scene_world(scene);
    if (tarn_world_liquid(world)) s->spacing = tarn_liquid_def(tarn_world_liquid(world))->spacing;
    s->n_gases = tarn_world_gas_count(world);
    for (int g = 0; g < s->n_gases; ++g) {
        const TarnGasDef* def = tarn_gas_def(tarn_world_gas(world, g));
        s->gas_n[g][0] = def->nx, s->gas_n[g][1] = def->ny, s->gas_n[g][2] = def->nz;
        s->gas_dx[g] = def->dx;
    }
    tarn_scene_destroy(scene);
    return true;
}

static inline bool open_library(TarnContext* ctx)
{
    DIR* folder = opendir(TARN_SCENES_DIR);
    for (struct dirent* e; folder && (e = readdir(folder)) != NULL && n_library < MAX_LIBRARY;) {
        size_t length = strlen(e->d_name);
        if (length < 6 || strcmp(e->d_name + length - 5, ".json") != 0) continue;
        snprintf(library[n_library++].path, sizeof library[0].path, "%s/%.100s", TARN_SCENES_DIR,
                 e->d_name);
    }
    if (folder) closedir(folder);
    qsort(library, (size_t)n_library, sizeof library[0], by_path); // folders have no order
    for (int s = 0; s < n_library; ++s) {
        if (look_at_scene(ctx, &library[s])) continue;
        printf("%s: %s\n", library[s].path, tarn_last_error(ctx));
        return false;
    }
    return n_library > 0;
}

static inline void close_library(void)
{
    for (int s = 0; s < n_library; ++s) free(library[s].text);
}

// ---- A case --------------------------------------------------------------------------------------

typedef struct Case {
    const LibraryScene* scene;
    char path[MAX_OVERRIDES][128], value[MAX_OVERRIDES][96];
    TarnSceneOverride overrides[MAX_OVERRIDES];
    int n;
} Case;

static inline void set_override(Case* c, const char* path, const char* value)
{
    if (c->n == MAX_OVERRIDES) return;
    for (int i = 0; i < c->n; ++i) {
        if (strcmp(c->path[i], path) == 0) return; // the first one stands
    }
    snprintf(c->path[c->n], sizeof c->path[0], "%s", path);
    snprintf(c->value[c->n], sizeof c->value[0], "%s", value);
    c->overrides[c->n] = (TarnSceneOverride){ c->path[c->n], c->value[c->n] };
    c->n += 1;
}

static inline void set_number(Case* c, const char* path, double value)
{
    char text[64];
    snprintf(text, sizeof text, "%.9g", value);
    set_override(c, path, text);
}

static inline bool has_section(const LibraryScene* s, const char* name)
{
    char key[64];
    snprintf(key, sizeof key, "\"%.*s\":", (int)strcspn(name, "[."), name);
    return strstr(s->text, key) != NULL;
}

// Fewer cells and particles, with grids down to the smallest.
static inline void make_small(Case* c)
{
    static const char* const waters[] = { "wave", "shallow", "pipes" };
    static const int sizes[] = { 4, 5, 6, 8, 17, 32, 40, 64, 72 };
    const LibraryScene* s = c->scene;
    char path[64];
    for (int w = 0; w < 3; ++w) {
        if (!has_section(s, waters[w])) continue;
        bool is_tiny = draw(3) == 0;
        snprintf(path, sizeof path, "%s.nx", waters[w]);
        set_number(c, path, sizes[is_tiny ? draw(4) : 4 + draw(5)]);
        snprintf(path, sizeof path, "%s.nz", waters[w]);
        set_number(c, path, sizes[is_tiny ? draw(9) : 4 + draw(5)]);
    }
    if (s->spacing > 0.0f) set_number(c, "liquid.spacing", 2.0 * (double)s->spacing);
    for (int g = 0; g < s->n_gases; ++g) {
        for (int a = 0; a < 3; ++a) {
            int n = s->gas_n[g][a] / 16 * 8;
            snprintf(path, sizeof path, "gases[%d].n%c", g, "xyz"[a]);
            set_number(c, path, n > 16 ? n : 16);
        }
        snprintf(path, sizeof path, "gases[%d].dx", g);
        set_number(c, path, 2.0 * (double)s->gas_dx[g]);
    }
}

// What has gone wrong before, in every other case: grids that skip updates, liquids that freeze.
static inline void make_special(Case* c, int n)
{
    char path[64];
    for (int g = 0; g < c->scene->n_gases && n % 2; ++g) {
        snprintf(path, sizeof path, "gases[%d].update_every", g);
        set_number(c, path, 2 + draw(2));
    }
    if (has_section(c->scene, "kinds") && n % 2 == 0)
        set_number(c, "liquid.kinds[0].freezing_point", 1.0);
}

// Where the values of a table stand in a scene; #: an index.
static const struct {
    const char *table, *path;
} table_paths[] = {
    { "world", "world" },
    { "wave", "wave" },
    { "shallow", "shallow" },
    { "pipes", "pipes" },
    { "terrain", "shallow.terrain" },
    { "pool", "shallow.pools[#]" },
    { "span", "shallow.spans[#]" },
    { "gate", "shallow.gates[#]" },
    { "liquid", "liquid" },
    { "liquid_kind", "liquid.kinds[#]" },
    { "fill", "liquid.fill[#]" },
    { "liquid_source", "liquid.sources[#]" },
    { "region", "liquid.regions[#]" },
    { "particles", "particles" },
    { "particle_emitter", "particles.emitters[#]" },
    { "attractor", "particles.attractors[#]" },
    { "fire", "fires[#]" },
    { "solid", "solids[#]" },
    { "gas", "gases[#]" },
    { "gas_source", "gases[#].sources[0]" },
    { "gas_jet", "gases[#].jets[0]" },
    { "around", "gases[#].around" },
    { "curl_noise", "curl_noise" },
    { "window", "window" },
    { "body", "bodies[#]" },
    { "driver", "bodies[#].driver" },
    { "driver", "solids[#].driver" },
    { "emitter", "emitters[#]" },
};

// Sizes are set by make_small, and what makes a step take long is left to the sweep.
static inline bool is_costly_param(const char* name)
{
    static const char* const names[] = {
        "nx",           "ny",         "nz",         "dx",         "spacing",    "max_particles",
        "max_substeps", "max_cycles", "iterations", "max_solids", "max_bodies", "max_splashes",
        "solid_memory", "rate",       "burst",      "max_step",   "loops",      "levels",
        "tolerance",    "count",      "box_min",    "box_max",    "octaves",    "smoothing_radius"
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        if (strcmp(name, names[i]) == 0) return true;
    }
    return strstr(name, "iterations") != NULL;
}

static inline double draw_value(const TarnParam* p, int component)
{
    double def = p->value[component], lo = p->min, hi = p->max;
    int way = draw(8);
    if (way == 0) return lo;
    if (way == 1) return hi;
    if (p->type == TARN_PARAM_INT || p->type == TARN_PARAM_BOOL || p->type == TARN_PARAM_ENUM) {
        double most = hi - lo < 8.0 ? hi : lo + 8.0;
        return floor(draw_between(lo, most + 0.999));
    }
    double size = fabs(def) > 0.0 ? fabs(def) : fabs(hi) < 1.0 ? fabs(hi) : 1.0;
    double value = way < 6 ? def + size * draw_between(-1.0, 1.0)
                           : size * exp(draw_between(-6.0, 6.0)) * (draw(2) ? 1.0 : -1.0);
    return value < lo ? lo : value > hi ? hi : value;
}

static inline void draw_override(Case* c)
{
    const TarnParamTable* const* tables;
    int n_tables = tarn_scene_tables(&tables), n_paths = sizeof table_paths / sizeof table_paths[0];
    for (int attempt = 0; attempt < 100; ++attempt) {
        int at = draw(n_paths), first = draw(n_tables), t = -1;
        if (!has_section(c->scene, table_paths[at].path)) continue;
        for (int i = 0; i < n_tables && t < 0; ++i) {
            int j = (first + i) % n_tables;
            if (strcmp(tables[j]->name, table_paths[at].table) == 0) t = j;
        }
        if (t < 0) continue;
        const TarnParam* p = &tables[t]->params[draw(tables[t]->count)];
        if (is_costly_param(p->name)) continue;
        char path[128], text[96];
        snprintf(path, sizeof path, "%s.%s", table_paths[at].path, p->name);
        char* index = strchr(path, '#');
        if (index) *index = (char)('0' + draw(2));
        double value[3];
        for (int i = 0; i < 3; ++i) value[i] = draw_value(p, i);
        tarn_param_format(p, value, text, sizeof text);
        set_override(c, path, text);
        return;
    }
}

static inline void print_case(const Case* c)
{
    const char* name = strrchr(c->scene->path, '/') + 1;
    printf("  tarn run %.*s", (int)(strlen(name) - 5), name);
    for (int i = 0; i < c->n; ++i) printf(" --set '%s=%s'", c->path[i], c->value[i]);
    printf("\n");
}

// The n-th scene; what a scene refuses is left out again. NULL: the text is printed.
static inline TarnScene* open_case(TarnContext* ctx, int n, Case* c)
{
    draw_seed = (uint64_t)n, draw_at = 0;
    *c = (Case){ .scene = &library[n % n_library] };
    make_small(c);
    if (n >= n_library) make_special(c, n);
    TarnScene* scene = NULL;
    int wanted = n < n_library ? 0 : 1 + draw(5), small = c->n;
    for (int i = 0; i < 3 * wanted && c->n < small + wanted; ++i) {
        int before = c->n;
        draw_override(c);
        if (c->n == before) continue;
        TarnResult result =
            tarn_scene_create_from_file(ctx, c->scene->path, c->overrides, c->n, &scene);
        if (result != TARN_OK) c->n = before;
        tarn_scene_destroy(scene);
        scene = NULL;
    }
    if (tarn_scene_create_from_file(ctx, c->scene->path, c->overrides, c->n, &scene) == TARN_OK)
        return scene;
    // Too small for what stands in it: as it is then.
    c->n = 0;
    if (tarn_scene_create_from_file(ctx, c->scene->path, NULL, 0, &scene) == TARN_OK) return scene;
    printf("%s: %s\n", c->scene->path, tarn_last_error(ctx));
    return NULL;
}
