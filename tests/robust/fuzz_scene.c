// libFuzzer target for scenes: any text is refused with its place, or makes a world that runs.
// Seeds: the files in scenes/, and small worlds in tests/robust/seeds/, which are stepped, too. The allocator gives 64 MB, so that a grid of 16384 x 16384 cells is
// refused as it would be on a small machine.

#include "finite.h"
#include <math.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static const size_t most_bytes = (size_t)64 << 20, busy_bytes = (size_t)2 << 20;
static size_t bytes_live;

static void* small_alloc(size_t size, size_t align, void* user)
{
    (void)user;
    if (size > most_bytes - bytes_live) return NULL;
    void* block = aligned_alloc(align, (size + align - 1) / align * align);
    if (block) bytes_live += size;
    return block;
}

static void small_free(void* ptr, size_t size, size_t align, void* user)
{
    (void)align, (void)user;
    bytes_live -= size;
    free(ptr);
}

static void require(bool condition)
{
    if (!condition) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    static TarnContext* ctx;
    if (ctx == NULL) {
        TarnContextDef def = tarn_context_default_def();
        def.alloc = small_alloc;
        def.free = small_free;
        require(tarn_context_create(&def, &ctx) == TARN_OK);
    }
    size_t before = bytes_live;
    TarnScene* scene;
    TarnResult result =
        tarn_scene_create(ctx, (const char*)data, size, "fuzz.json", NULL, 0, &scene);
    if (result == TARN_OK) {
        TarnWorld* world = tarn_scene_world(scene);
        int steps = bytes_live - before < busy_bytes ? 2 : 0; // the large ones only take time
        for (int i = 0; i < steps; ++i)
            require(tarn_world_step(world, 1.0f / 240, NULL) == TARN_OK);
        if (steps > 0) require(nonfinite_part(world) == NULL);
        tarn_scene_destroy(scene);
    } else {
        require(scene == NULL);
        require(result == TARN_ERR_MEMORY || strncmp(tarn_last_error(ctx), "fuzz.json:", 10) == 0);
    }
    require(bytes_live == before);
    return 0;
}
