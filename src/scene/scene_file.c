// A scene from a file: the text, and the folder that the files it names are relative to.

#include "scene/scene_internal.h"
#include <errno.h>
#include <stdio.h>

enum { FIRST_BYTES = 1 << 16 };

static TarnResult refuse_io(TarnContext* ctx, const char* path)
{
    return tarn__fail(ctx, TARN_ERR_IO, "cannot read '%s': %s", path, strerror(errno));
}

// Reads to the end, which for a pipe is not known before. *room: size of the block of memory.
static TarnResult read_all(TarnContext* ctx, FILE* file, const char* path, char** text,
                           size_t* size, size_t* room)
{
    *room = FIRST_BYTES;
    *text = tarn__alloc(ctx, *room);
    while (*text) {
        errno = 0;
        *size += fread(*text + *size, 1, *room - *size, file);
        if (ferror(file)) return refuse_io(ctx, path);
        if (*size < *room) return TARN_OK;
        if (*size > TARN_JSON_MAX_BYTES) return TARN_OK; // the parser says what is too much
        char* larger = tarn__alloc(ctx, 2 * *room);
        if (larger) memcpy(larger, *text, *size);
        tarn__free(ctx, *text, *room);
        *text = larger;
        *room *= 2;
    }
    return tarn__fail(ctx, TARN_ERR_MEMORY, "out of memory for reading '%s'", path);
}

static TarnResult create_from_file(TarnContext* ctx, const char* path,
                                   const TarnSceneOverride* overrides, int n_overrides,
                                   const SceneVisitor* visitor, TarnScene** out)
{
    char folder[512], *text = NULL;
    size_t size = 0, room = 0;
    const char* slash = strrchr(path, '/');
    int length = slash == NULL ? 1 : slash == path ? 1 : (int)(slash - path);
    if (length >= (int)sizeof folder)
        return tarn__fail(ctx, TARN_ERR_ARG, "the path of the scene is longer than %d characters",
                          (int)sizeof folder - 1);
    snprintf(folder, sizeof folder, "%.*s", length, slash ? path : ".");
    FILE* file = fopen(path, "rb");
    if (file == NULL) return refuse_io(ctx, path);
    TarnResult result = read_all(ctx, file, path, &text, &size, &room);
    fclose(file);
    if (result == TARN_OK)
        result =
            tarn__scene_create(ctx, text, size, path, folder, overrides, n_overrides, visitor, out);
    tarn__free(ctx, text, room);
    return result;
}

TarnResult tarn_scene_create_from_file(TarnContext* ctx, const char* path,
                                       const TarnSceneOverride* overrides, int n_overrides,
                                       TarnScene** out)
{
    if (out) *out = NULL;
    if (!ctx || !out || !path || !tarn__scene_are_good(overrides, n_overrides))
        return tarn__fail(
            ctx, TARN_ERR_ARG,
            "tarn_scene_create_from_file: a pointer is NULL or n_overrides is negative");
    return create_from_file(ctx, path, overrides, n_overrides, NULL, out);
}

static void visit_nothing(const char* path, const TarnParamTable* table, const void* values,
                          void* user)
{
    (void)path, (void)table, (void)values, (void)user;
}

TarnResult tarn_scene_read_texts(TarnContext* ctx, const char* path, TarnSceneTexts* out)
{
    const SceneVisitor reads = { .visit = visit_nothing };
    TarnScene* scene = NULL;
    if (!ctx || !path || !out)
        return tarn__fail(ctx, TARN_ERR_ARG, "tarn_scene_read_texts: a pointer is NULL");
    TARN_TRY(create_from_file(ctx, path, NULL, 0, &reads, &scene));
    snprintf(out->title, sizeof out->title, "%s", tarn_scene_title(scene));
    snprintf(out->about, sizeof out->about, "%s", tarn_scene_about(scene));
    tarn_scene_destroy(scene);
    return TARN_OK;
}

TarnResult tarn__scene_visit_file(TarnContext* ctx, const char* path, const SceneVisitor* visitor)
{
    TarnScene* scene = NULL;
    TARN_TRY(create_from_file(ctx, path, NULL, 0, visitor, &scene));
    tarn_scene_destroy(scene);
    return TARN_OK;
}
