// Loading a scene: find the file, read it, build the world, report errors.

#define _POSIX_C_SOURCE 200809L // posix_memalign
#include "loaded_scene.h"
#include "context.h"
#include "message.h"
#include "scene_file.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char* const isa_names[] = { "auto", "baseline", "avx2", "avx512", NULL };

// ---- Memory, counted. The library allocates while it creates, never from two threads -----------

static void* counted_alloc(size_t size, size_t align, void* user)
{
    void* block = NULL;
    if (align < sizeof(void*)) align = sizeof(void*);
    if (posix_memalign(&block, align, size) != 0) return NULL;
    *(size_t*)user += size;
    return block;
}

static void counted_free(void* ptr, size_t size, size_t align, void* user)
{
    (void)align;
    *(size_t*)user -= size;
    free(ptr);
}

// ---- Opening -----------------------------------------------------------------------------------

static bool open_context(LoadedScene* loaded, const SceneLoadDef* def)
{
    TarnContextDef context = tarn_context_default_def();
    context.workers = def->threads;
    context.isa = (TarnIsa)def->isa;
    context.measure_phases = def->has_phases;
    if (def->memory != NULL) { // otherwise the library's own allocator, which is faster: huge pages
        *def->memory = 0;
        context.alloc = counted_alloc;
        context.free = counted_free;
        context.alloc_user = def->memory;
    }
    return context_open(&context, true, &loaded->ctx);
}

static int open_scene(LoadedScene* loaded, const SceneLoadDef* def)
{
    loaded->path = scene_find(def->scene);
    if (loaded->path == NULL) return EXIT_USAGE;
    const TarnSceneOverride* items = def->overrides ? def->overrides->items : NULL;
    int count = def->overrides ? def->overrides->count : 0;
    TarnResult result =
        tarn_scene_create_from_file(loaded->ctx, loaded->path, items, count, &loaded->scene);
    if (result == TARN_OK && !def->has_engine) return EXIT_OK;
    if (result == TARN_OK)
        return engine_open(&loaded->engine, loaded->scene, def->engine, def->is_quiet)
                   ? EXIT_OK
                   : EXIT_FAILED;
    say("%s", tarn_last_error(loaded->ctx));
    return result == TARN_ERR_ARG ? EXIT_USAGE : EXIT_FAILED; // a bad --set, or a bad file
}

int scene_load(LoadedScene* loaded, const SceneLoadDef* def)
{
    *loaded = (LoadedScene){ 0 };
    int code = open_context(loaded, def) ? open_scene(loaded, def) : EXIT_FAILED;
    if (code != EXIT_OK) scene_unload(loaded);
    return code;
}

void scene_unload(LoadedScene* loaded)
{
    engine_close(&loaded->engine);
    tarn_scene_destroy(loaded->scene);
    tarn_context_destroy(loaded->ctx);
    free(loaded->path);
    *loaded = (LoadedScene){ 0 };
}

const char* scene_short_name(const char* path, char* name, size_t size)
{
    const char* slash = strrchr(path, '/');
    snprintf(name, size, "%s", slash ? slash + 1 : path);
    char* dot = strrchr(name, '.');
    if (dot != NULL && dot != name) *dot = '\0';
    return name;
}
