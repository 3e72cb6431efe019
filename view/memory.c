// Blocks that only grow, lists of layers, and a map from ids to indices.

#include "viewer.h"
#include <string.h>

TarnResult tarn_drawing_reserve(TarnContext* ctx, TarnDrawingBlock* block, size_t size)
{
    if (size <= block->size) return TARN_OK;
    size_t more = size + size / 2; // so that what grows steadily is rarely copied
    void* data = tarn__alloc(ctx, more);
    if (data == NULL)
        return tarn__fail(ctx, TARN_ERR_MEMORY, "view: not enough memory for %zu bytes", more);
    if (block->data != NULL) memcpy(data, block->data, block->size);
    tarn__free(ctx, block->data, block->size);
    *block = (TarnDrawingBlock){ data, more };
    return TARN_OK;
}

void tarn_drawing_free(TarnContext* ctx, TarnDrawingBlock* block)
{
    tarn__free(ctx, block->data, block->size);
    *block = (TarnDrawingBlock){ 0 };
}

void* tarn__view_arena_take(Arena* arena, size_t bytes)
{
    void* at = arena->base ? arena->base + arena->used : NULL;
    arena->used += (bytes + 63) & ~(size_t)63;
    return at;
}

// ---- Lists of layers -------------------------------------------------------------------------------

TarnResult tarn__view_list_add(TarnContext* ctx, LayerList* list, const void* item, size_t size,
                               uint64_t owner)
{
    size_t n = (size_t)list->n;
    TARN_TRY(tarn_drawing_reserve(ctx, &list->items, (n + 1) * size));
    TARN_TRY(tarn_drawing_reserve(ctx, &list->owners, (n + 1) * sizeof owner));
    memcpy((char*)list->items.data + n * size, item, size);
    ((uint64_t*)list->owners.data)[n] = owner;
    ++list->n;
    return TARN_OK;
}

static LayerList* list_at(Layers* l, int n)
{
    LayerList* lists[] = { &l->waters, &l->liquids, &l->particles, &l->gases,
                           &l->meshes, &l->bodies,  &l->solids };
    return n < (int)(sizeof lists / sizeof *lists) ? lists[n] : NULL;
}

void tarn__view_layers_clear(Layers* layers)
{
    for (int i = 0; list_at(layers, i) != NULL; ++i) list_at(layers, i)->n = 0;
}

void tarn__view_layers_free(TarnContext* ctx, Layers* layers)
{
    for (int i = 0; list_at(layers, i) != NULL; ++i) {
        tarn_drawing_free(ctx, &list_at(layers, i)->items);
        tarn_drawing_free(ctx, &list_at(layers, i)->owners);
    }
}

static const void* items_of(const LayerList* list)
{
    return list->n > 0 ? list->items.data : NULL;
}

void tarn__view_layers_show(const Layers* l, TarnFrame* f)
{
    f->waters = items_of(&l->waters), f->n_waters = l->waters.n;
    f->liquids = items_of(&l->liquids), f->n_liquids = l->liquids.n;
    f->particles = items_of(&l->particles), f->n_particles = l->particles.n;
    f->gases = items_of(&l->gases), f->n_gases = l->gases.n;
    f->meshes = items_of(&l->meshes), f->n_meshes = l->meshes.n;
    f->bodies = items_of(&l->bodies), f->n_bodies = l->bodies.n;
    f->solids = items_of(&l->solids), f->n_solids = l->solids.n;
}

// ---- Ids -------------------------------------------------------------------------------------------

uint64_t tarn__view_thing_key(uint64_t id, int part)
{
    return id ^ (uint64_t)part * 0x9e3779b97f4a7c15u;
}

typedef struct IdEntry {
    uint64_t key;
    uint64_t index; // + 1; 0: free
} IdEntry;

TarnResult tarn__view_ids_clear(TarnContext* ctx, IdMap* map, int n)
{
    uint64_t room = 16;
    while (room < 2 * (uint64_t)n) room *= 2;
    size_t bytes = (size_t)room * sizeof(IdEntry);
    TARN_TRY(tarn_drawing_reserve(ctx, &map->block, bytes));
    memset(map->block.data, 0, bytes);
    map->mask = room - 1;
    return TARN_OK;
}

static IdEntry* entry_of(const IdMap* map,
                         uint64_t key) // its own, or the free one where it belongs
{
    IdEntry* entries = map->block.data;
    uint64_t at = (key * 0x9e3779b97f4a7c15u) >> 20;
    while (entries[at & map->mask].index != 0 && entries[at & map->mask].key != key) ++at;
    return &entries[at & map->mask];
}

void tarn__view_ids_add(IdMap* map, uint64_t key, int index)
{
    *entry_of(map, key) = (IdEntry){ key, (uint64_t)index + 1 };
}

int tarn__view_ids_find(const IdMap* map, uint64_t key)
{
    return (int)(int64_t)entry_of(map, key)->index - 1;
}
