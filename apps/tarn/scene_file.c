// Scene folders and the files in them.

#define _XOPEN_SOURCE 700 // opendir, readlink, stat
#include "scene_file.h"
#include "message.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#if !defined(TARN_SCENES_DIR)
#define TARN_SCENES_DIR "scenes"
#endif

typedef struct Folders {
    const char* path[4]; // the first one wins
    int n;
    char installed[4096];
} Folders;

// <prefix>/bin/tarn has its scenes in <prefix>/share/tarn/scenes, wherever the prefix was moved to.
static bool installed_folder(char* path, size_t size)
{
    static const char scenes[] = "/../share/tarn/scenes";
    ssize_t n = readlink("/proc/self/exe", path, size - sizeof scenes);
    if (n <= 0 || (size_t)n == size - sizeof scenes) return false;
    path[n] = '\0';
    char* slash = strrchr(path, '/');
    if (slash == NULL) return false;
    memcpy(slash, scenes, sizeof scenes);
    return true;
}

static void find_folders(Folders* folders)
{
    const char* wish = getenv("TARN_SCENES");
    folders->n = 0;
    if (wish != NULL && wish[0] != '\0') folders->path[folders->n++] = wish;
    folders->path[folders->n++] = "scenes";
    if (installed_folder(folders->installed, sizeof folders->installed))
        folders->path[folders->n++] = folders->installed;
    folders->path[folders->n++] = TARN_SCENES_DIR;
}

static bool is_regular(const char* path)
{
    struct stat info;
    return stat(path, &info) == 0 && !S_ISDIR(info.st_mode);
}

static char* join(const char* folder, const char* name, const char* extension)
{
    size_t size = strlen(folder) + strlen(name) + strlen(extension) + 2;
    char* path = malloc(size);
    if (path != NULL) snprintf(path, size, "%s/%s%s", folder, name, extension);
    return path;
}

// ---- The list ----------------------------------------------------------------------------------

static bool has_name(const SceneList* list, const char* name, size_t length)
{
    for (int i = 0; i < list->count; ++i) {
        const char* known = list->entries[i].name;
        if (strlen(known) == length && strncmp(known, name, length) == 0) return true;
    }
    return false;
}

static bool add_scene(SceneList* list, const char* folder, const char* file)
{
    size_t length = strlen(file);
    if (length < 6 || strcmp(file + length - 5, ".json") != 0 || file[0] == '.') return true;
    length -= 5;
    if (has_name(list, file, length)) return true;
    SceneEntry* entries = realloc(list->entries, (size_t)(list->count + 1) * sizeof *entries);
    if (entries == NULL) return false;
    list->entries = entries;
    SceneEntry entry = { .name = malloc(length + 1), .path = join(folder, file, "") };
    if (entry.name == NULL || entry.path == NULL) {
        free(entry.name);
        free(entry.path);
        return false;
    }
    memcpy(entry.name, file, length);
    entry.name[length] = '\0';
    entries[list->count++] = entry;
    return true;
}

static bool add_folder(SceneList* list, const char* folder)
{
    DIR* dir = opendir(folder);
    if (dir == NULL) return true; // a place without scenes
    bool is_good = true;
    for (struct dirent* item; is_good && (item = readdir(dir)) != NULL;) {
        is_good = add_scene(list, folder, item->d_name);
    }
    closedir(dir);
    return is_good;
}

static int compare_names(const void* a, const void* b)
{
    return strcmp(((const SceneEntry*)a)->name, ((const SceneEntry*)b)->name);
}

bool scene_list_create(SceneList* list)
{
    Folders folders;
    find_folders(&folders);
    int n = folders.n;
    *list = (SceneList){ 0 };
    for (int i = 0; i < n; ++i) {
        if (add_folder(list, folders.path[i])) continue;
        say("out of memory");
        scene_list_destroy(list);
        return false;
    }
    if (list->count > 0) {
        qsort(list->entries, (size_t)list->count, sizeof *list->entries, compare_names);
    }
    return true;
}

void scene_list_destroy(SceneList* list)
{
    for (int i = 0; i < list->count; ++i) {
        free(list->entries[i].name);
        free(list->entries[i].path);
    }
    free(list->entries);
    *list = (SceneList){ 0 };
}

// ---- One scene ---------------------------------------------------------------------------------

char* scene_find_quietly(const char* argument)
{
    Folders folders;
    find_folders(&folders);
    int n = folders.n;
    if (is_regular(argument)) return strdup(argument);
    if (strchr(argument, '/') != NULL) return NULL;
    size_t length = strlen(argument);
    bool has_extension = length > 5 && strcmp(argument + length - 5, ".json") == 0;
    for (int i = 0; i < n; ++i) {
        char* path = join(folders.path[i], argument, has_extension ? "" : ".json");
        if (path != NULL && is_regular(path)) return path;
        free(path);
    }
    return NULL;
}

static void say_unknown(const char* argument)
{
    SceneList list;
    if (!scene_list_create(&list)) return;
    const char* names[64];
    int n = list.count < 64 ? list.count : 64;
    for (int i = 0; i < n; ++i) names[i] = list.entries[i].name;
    char near[256];
    suggestion(near, sizeof near, argument, names, n);
    if (near[0] == '\0') snprintf(near, sizeof near, "; `tarn list` shows all scenes");
    say("there is no scene '%s'%s", argument, near);
    scene_list_destroy(&list);
}

char* scene_find(const char* argument)
{
    char* path = scene_find_quietly(argument);
    if (path == NULL) say_unknown(argument);
    return path;
}
