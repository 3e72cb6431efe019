// Scenes of the library with random parameters, small enough to step in a few milliseconds. A number makes a
// scene: the same one gives the same scene, so that a failure can be repeated.
#pragma once

#include "random_params.h"
#include "scene/scene_internal.h"
#include "tarn/tarn.h"
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// Seconds of CPU so far: how many cases fit into a while does not depend on what else the machine does.
static inline double now(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

// ---- The library ---------------------------------------------------------------------------------

enum { MAX_LIBRARY = 64, MAX_OVERRIDES = 24, MAX_OBJECTS = 256 };

// An object of a scene and a table that it is read by.
typedef struct Object {
    char path[SCENE_PATH];
    const TarnParamTable* table;
} Object;

typedef struct LibraryScene {
    char path[512];
    Object* objects;
    int n_objects;
    char small[MAX_OVERRIDES][2][64]; // what makes it smaller
    int n_small;
} LibraryScene;

static LibraryScene library[MAX_LIBRARY];
static int n_library;

static inline int by_path(const void* a, const void* b)
{
    return strcmp(((const LibraryScene*)a)->path, ((const LibraryScene*)b)->path);
}

static inline void note_object(const char* path, const TarnParamTable* table, const void* values,
                               void* user)
{
    (void)values;
    LibraryScene* s = user;
    if (s->n_objects == MAX_OBJECTS) return;
    Object* object = &s->objects[s->n_objects++];
    snprintf(object->path, sizeof object->path, "%s", path);
    object->table = table;
}

static inline void note_small(LibraryScene* s, const char* name, const char* key, double value)
{
    if (s->n_small == MAX_OVERRIDES) return;
    snprintf(s->small[s->n_small][0], 64, "%.32s.%s", name, key);
    snprintf(s->small[s->n_small++][1], 64, "%.9g", value);
}

// Grids in space get half the cells along each axis, and liquids an eighth of the particles. Those in the plane:
// make_small.
static inline void look_at_solver(LibraryScene* s, const TarnWorld* world, const void* solver)
{
    static const char* const axes[] = { "nx", "ny", "nz" };
    const TarnSolverClass* of = tarn_world_class_of(world, solver);
    const TarnParamTable* table = of->def_table();
    const char* name = tarn_world_name_of(world, solver);
    const TarnParam* spacing = tarn_param_find(table, "spacing");
    if (spacing) note_small(s, name, "spacing", 2.0 * tarn__param_get(spacing, of->def(solver), 0));
    if (!tarn_param_find(table, "ny")) return;
    for (int a = 0; a < 3; ++a) {
        const TarnParam* p = tarn_param_find(table, axes[a]);
        int n = (int)tarn__param_get(p, of->def(solver), 0) / 16 * 8;
        note_small(s, name, axes[a], n > 16 ? n : 16);
    }
    const TarnParam* dx = tarn_param_find(table, "dx");
    note_small(s, name, "dx", 2.0 * tarn__param_get(dx, of->def(solver), 0));
}

// What has to be known to make it smaller and to change it; once, when it is first wanted, because a scene in full size
// takes up to a second.
static inline bool look_at_scene(TarnContext* ctx, LibraryScene* s)
{
    TarnScene* scene;
    if (s->objects) return true;
    const SceneVisitor visitor = { .visit = note_object, .user = s };
    s->objects = calloc(MAX_OBJECTS, sizeof(Object));
    if (tarn__scene_visit_file(ctx, s->path, &visitor) != TARN_OK) return false;
    if (tarn_scene_create_from_file(ctx, s->path, NULL, 0, &scene) != TARN_OK) return false;
    TarnWorld* world = tarn_scene_world(scene);
    for (int n = 0; n < tarn_world_count(world, NULL); ++n)
        look_at_solver(s, world, tarn_world_get(world, NULL, n));
    tarn_scene_destroy(scene);
    return true;
}

static inline bool open_library(void)
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
    return n_library > 0;
}

static inline void close_library(void)
{
    for (int s = 0; s < n_library; ++s) free(library[s].objects);
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

// Fewer cells and particles, with grids down to the smallest.
static inline void make_small(Case* c)
{
    static const int sizes[] = { 4, 5, 6, 8, 17, 32, 40, 64, 72 };
    const LibraryScene* s = c->scene;
    char path[SCENE_PATH + 8];
    for (int n = 0; n < s->n_small; ++n) set_override(c, s->small[n][0], s->small[n][1]);
    for (int n = 0; n < s->n_objects; ++n) {
        const TarnParamTable* table = s->objects[n].table;
        bool is_flat = tarn_param_find(table, "nx") && tarn_param_find(table, "nz");
        if (!is_flat || tarn_param_find(table, "ny")) continue;
        bool is_tiny = draw(3) == 0;
        snprintf(path, sizeof path, "%s.nx", s->objects[n].path);
        set_number(c, path, sizes[is_tiny ? draw(4) : 4 + draw(5)]);
        snprintf(path, sizeof path, "%s.nz", s->objects[n].path);
        set_number(c, path, sizes[is_tiny ? draw(9) : 4 + draw(5)]);
    }
}

// What has gone wrong before, in every other case: grids that skip updates, liquids that freeze.
static inline void make_special(Case* c, int n)
{
    const char* key = n % 2 ? "update_every" : "freezing_point";
    char path[SCENE_PATH + 16];
    for (int i = 0; i < c->scene->n_objects; ++i) {
        const Object* object = &c->scene->objects[i];
        if (!tarn_param_find(object->table, key)) continue;
        snprintf(path, sizeof path, "%s.%s", object->path, key);
        set_number(c, path, n % 2 ? 2 + draw(2) : 1);
    }
}

static inline void draw_override(Case* c)
{
    for (int attempt = 0; attempt < 100; ++attempt) {
        const Object* object = &c->scene->objects[draw(c->scene->n_objects)];
        const TarnParam* p = &object->table->params[draw(object->table->count)];
        char path[128], text[96];
        bool is_shown = strcmp(object->path, "run") == 0 || strcmp(object->path, "view") == 0;
        if (is_costly_param(p->name) || is_shown) continue;
        snprintf(path, sizeof path, "%s.%s", object->path, p->name);
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
    if (!look_at_scene(ctx, &library[n % n_library])) {
        printf("%s: %s\n", c->scene->path, tarn_last_error(ctx));
        return NULL;
    }
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
