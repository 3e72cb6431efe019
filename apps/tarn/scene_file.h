// Finding scenes by name or path.
//
// A bare name is looked for in $TARN_SCENES, in ./scenes and in the folder that was there when the
// program was built; the first one that has it wins.
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef struct SceneEntry {
    char *name, *path;
} SceneEntry; // "pool_drops", "scenes/pool_drops.json"

typedef struct SceneList {
    SceneEntry* entries; // sorted by name
    int count;
} SceneList;

// Every scene that a bare name can reach. False: out of memory, which has been said.
bool scene_list_create(SceneList* list);
void scene_list_destroy(SceneList* list);

// The path of a scene that is given as a path or as a bare name, in new memory. NULL: there is
// none, which has been said with the nearest name.
char* scene_find(const char* argument);
// The same without a word, for asking whether something is a scene.
char* scene_find_quietly(const char* argument);
