// Opening a scene: find the file, read it, build the world, explain what went wrong.

#define _POSIX_C_SOURCE 200809L // posix_memalign
#include "stage.h"
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

static bool open_context(Stage* stage, const StageDef* def)
{
    TarnContextDef context = tarn_context_default_def();
    context.workers = def->threads;
    context.isa = (TarnIsa)def->isa;
    context.measure_phases = def->has_phases;
    if (def->memory != NULL) { // else the library's own, which is faster: huge pages
        *def->memory = 0;
        context.alloc = counted_alloc;
        context.free = counted_free;
        context.alloc_user = def->memory;
    }
    return context_open(&context, true, &stage->ctx);
}

static int open_scene(Stage* stage, const StageDef* def)
{
    stage->path = scene_find(def->scene);
    if (stage->path == NULL) return EXIT_USAGE;
    const TarnSceneOverride* items = def->overrides ? def->overrides->items : NULL;
    int count = def->overrides ? def->overrides->count : 0;
    TarnResult result =
        tarn_scene_create_from_file(stage->ctx, stage->path, items, count, &stage->scene);
    if (result == TARN_OK && !def->has_engine) return EXIT_OK;
    if (result == TARN_OK)
        return engine_open(&stage->engine, stage->scene, def->engine, def->is_quiet) ? EXIT_OK
                                                                                     : EXIT_FAILED;
    say("%s", tarn_last_error(stage->ctx));
    return result == TARN_ERR_ARG ? EXIT_USAGE : EXIT_FAILED; // a bad --set, or a bad file
}

int stage_open(Stage* stage, const StageDef* def)
{
    *stage = (Stage){ 0 };
    int code = open_context(stage, def) ? open_scene(stage, def) : EXIT_FAILED;
    if (code != EXIT_OK) stage_close(stage);
    return code;
}

void stage_close(Stage* stage)
{
    engine_close(&stage->engine);
    tarn_scene_destroy(stage->scene);
    tarn_context_destroy(stage->ctx);
    free(stage->path);
    *stage = (Stage){ 0 };
}

const char* scene_short_name(const char* path, char* name, size_t size)
{
    const char* slash = strrchr(path, '/');
    snprintf(name, size, "%s", slash ? slash + 1 : path);
    char* dot = strrchr(name, '.');
    if (dot != NULL && dot != name) *dot = '\0';
    return name;
}
