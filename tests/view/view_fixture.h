// A context that counts its allocations, with a world or a scene in it and a viewer on that.
#pragma once

#include "tarn/tarn.h"
#include "tarn/view.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

typedef struct Fixture {
    TarnContext* ctx;
    TarnScene* scene; // NULL: none
    TarnWorld* world;
    TarnViewer* viewer;
    int n_allocated;       // so far
    bool is_out_of_memory; // nothing more can be allocated
} Fixture;

static void* count_alloc(size_t size, size_t align, void* user)
{
    Fixture* f = user;
    if (f->is_out_of_memory) return NULL;
    ++f->n_allocated;
    return aligned_alloc(align, (size + align - 1) / align * align);
}

static void count_free(void* block, size_t size, size_t align, void* user)
{
    (void)size, (void)align, (void)user;
    free(block);
}

static inline void open_context(Fixture* f)
{
    TarnContextDef def = tarn_context_default_def();
    *f = (Fixture){ 0 };
    def.alloc = count_alloc;
    def.free = count_free;
    def.alloc_user = f;
    assert_int_equal(tarn_context_create(&def, &f->ctx), TARN_OK);
}

static inline void open_viewer(Fixture* f, const char* only)
{
    TarnViewerDef def = tarn_viewer_default_def();
    def.world = f->world;
    def.scene = f->scene;
    def.only = only;
    assert_int_equal(tarn_viewer_create(f->ctx, &def, &f->viewer), TARN_OK);
}

static inline void open_scene(Fixture* f, const char* text)
{
    open_context(f);
    if (tarn_scene_create(f->ctx, text, strlen(text), "test.json", NULL, 0, &f->scene) != TARN_OK)
        fail_msg("%s", tarn_last_error(f->ctx));
    f->world = tarn_scene_world(f->scene);
    open_viewer(f, NULL);
}

static inline void open_world(Fixture* f)
{
    TarnWorldDef def = tarn_world_default_def();
    open_context(f);
    assert_int_equal(tarn_world_create(f->ctx, &def, &f->world), TARN_OK);
}

static inline void close_all(Fixture* f)
{
    tarn_viewer_destroy(f->viewer);
    if (f->scene == NULL) tarn_world_destroy(f->world);
    tarn_scene_destroy(f->scene);
    tarn_context_destroy(f->ctx);
}

static inline void step(Fixture* f, int n)
{
    while (n-- > 0) assert_int_equal(tarn_world_step(f->world, 1.0f / 60.0f, NULL), TARN_OK);
}

static inline const TarnFrame* shown(Fixture* f)
{
    const TarnFrame* frame;
    if (tarn_viewer_update(f->viewer, &frame) != TARN_OK) fail_msg("%s", tarn_last_error(f->ctx));
    return frame;
}

static inline const TarnFrame* between(Fixture* f, float share)
{
    const TarnFrame* frame;
    if (tarn_viewer_update_between(f->viewer, share, &frame) != TARN_OK)
        fail_msg("%s", tarn_last_error(f->ctx));
    return frame;
}

static inline void assert_error(const Fixture* f, TarnResult result, TarnResult expected,
                                const char* word)
{
    assert_int_equal(result, expected);
    if (strstr(tarn_last_error(f->ctx), word) == NULL)
        fail_msg("'%s' does not say '%s'", tarn_last_error(f->ctx), word);
}
