// Finding scenes by name or path.
//
// A bare name is looked for in $TARN_SCENES, in ./scenes and in the folder of the installation or
// build; the first match wins.
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

// Every scene that can be opened by name. Returns false and reports the error if memory runs out.
bool scene_list_create(SceneList* list);
void scene_list_destroy(SceneList* list);

// The path of a scene that is given as a path or as a bare name, in new memory. Returns NULL
// and reports the error, with the nearest name, if there is none.
char* scene_find(const char* argument);
// The same without a message, to test whether something is a scene.
char* scene_find_quietly(const char* argument);
