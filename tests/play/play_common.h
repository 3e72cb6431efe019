// What the tests of apps/play share: all scenes of the library, made small.
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "../robust/finite.h"
#include "../sanitized.h"
#include "play_internal.h"
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_TEST_SCENES = 256 };
static char scene_paths[MAX_TEST_SCENES][512];
static int n_scene_paths;

static inline int by_name(const void* a, const void* b)
{
    return strcmp(a, b);
}

static inline void find_scenes(void)
{
    if (n_scene_paths > 0) return;
    DIR* dir = opendir(TARN_SCENES_DIR);
    assert_non_null(dir);
    for (struct dirent* e; (e = readdir(dir)) != NULL && n_scene_paths < MAX_TEST_SCENES;) {
        if (strstr(e->d_name, ".json") == NULL) continue;
        snprintf(scene_paths[n_scene_paths++], 512, "%s/%.200s", TARN_SCENES_DIR, e->d_name);
    }
    closedir(dir);
    qsort(scene_paths, (size_t)n_scene_paths, sizeof scene_paths[0], by_name);
    assert_true(n_scene_paths > 40);
}

static inline void add_change(char* text, size_t size, const char* solver, const char* key,
                              double value)
{
    size_t at = strlen(text);
    snprintf(text + at, size - at, "%s%s.%s=%.9g", at > 0 ? "\n" : "", solver, key, value);
}

// Half the cells along each axis, twice the spacing, in the same box; seas of the fewest samples.
static inline void make_small(TarnPlay* play)
{
    static const char* const sides[] = { "nx", "ny", "nz" };
    char changes[4096] = "", path[128];
    void* solver;
    for (int i = 0; (solver = tarn_world_get(play->world, NULL, i)) != NULL; ++i) {
        const char* name = tarn_world_name_of(play->world, solver);
        const TarnSolverClass* of = tarn_world_class_of(play->world, solver);
        snprintf(path, sizeof path, "%s.spacing", name);
        double spacing = atof(tarn_play_value(play, path));
        if (spacing > 0.0) add_change(changes, sizeof changes, name, "spacing", 1.8 * spacing);
        if (tarn_param_find(of->def_table(), "cascades"))
            add_change(changes, sizeof changes, name, "size", 64);
        if (!tarn_param_find(of->def_table(), "dx") || !tarn_param_find(of->def_table(), "nx"))
            continue;
        int unit = tarn_param_find(of->def_table(), "ny") ? 16 : 4;
        bool fits = true;
        int cells[3] = { 0 };
        for (int a = 0; a < 3; ++a) {
            snprintf(path, sizeof path, "%s.%s", name, sides[a]);
            cells[a] = atoi(tarn_play_value(play, path));
            fits = fits && cells[a] % unit == 0 && (cells[a] == 0 || cells[a] >= 2 * unit);
        }
        if (!fits) continue;
        snprintf(path, sizeof path, "%s.dx", name);
        add_change(changes, sizeof changes, name, "dx", 2.0 * atof(tarn_play_value(play, path)));
        for (int a = 0; a < 3; ++a)
            if (cells[a] > 0) add_change(changes, sizeof changes, name, sides[a], cells[a] / 2);
    }
    tarn_play_set_changes(play, changes); // a scene that refuses some of it stays as it is
}

static inline TarnPlay* open_path(const char* path, bool is_small)
{
    TarnPlayDef def = tarn_play_default_def();
    def.workers = 2;
    def.width = 320, def.height = 180;
    def.max_step_ms = 1e6;
    TarnPlay* play = tarn_play_create(&def);
    assert_non_null(play);
    if (!tarn_play_open_file(play, path)) fail_msg("%s", tarn_play_error(play));
    if (is_small) make_small(play);
    if (tarn_play_frame(play, 0.0) == NULL) fail_msg("%s: %s", path, tarn_play_error(play));
    return play;
}

static inline TarnPlay* open_named(const char* name, bool is_small)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s.json", TARN_SCENES_DIR, name);
    return open_path(path, is_small);
}
static inline TarnPlay* open_scene(const char* name)
{
    return open_named(name, false);
}
static inline TarnPlay* open_scene_small(const char* name)
{
    return open_named(name, true);
}

// Sanitizers look at code paths, so a share of the scenes will do.
static inline bool is_turn(int n)
{
    return !is_short_run() || n % 8 == 0;
}
