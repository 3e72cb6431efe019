// Slots and ids: see the head of handles.h. Checked: tests/unit/test_handles.c.

#include "base/handles.h"
#include <stdatomic.h>

void tarn__handles_place(TarnHandles* h, TarnLayout* layout, char* base, int capacity)
{
    h->generation = tarn__layout_place(layout, base, (size_t)capacity, sizeof *h->generation);
    h->order = tarn__layout_place(layout, base, (size_t)capacity, sizeof *h->order);
    h->capacity = capacity;
}

void tarn__handles_begin(TarnHandles* h, const char* what, const char* whole, const char* added_by)
{
    static atomic_uint owners;
    h->owner = (uint16_t)(1u + atomic_fetch_add(&owners, 1u) % 0xffffu);
    h->what = what;
    h->whole = whole;
    h->added_by = added_by;
}

// ---- Ids ----------------------------------------------------------------------------------------

uint64_t tarn__handles_id(const TarnHandles* h, int slot)
{
    return (uint64_t)h->owner << 48 | (uint64_t)h->generation[slot] << 16 | (uint64_t)(slot + 1);
}

int tarn__handles_slot(const TarnHandles* h, uint64_t id)
{
    int slot = (int)(id & 0xffff) - 1;
    if (slot < 0 || slot >= h->capacity || !tarn__handles_is_used(h, slot)) return -1;
    return tarn__handles_id(h, slot) == id ? slot : -1;
}

uint64_t tarn__handles_at(const TarnHandles* h, int n)
{
    return n >= 0 && n < h->count ? tarn__handles_id(h, h->order[n]) : 0;
}

int tarn__handles_find(TarnContext* ctx, const TarnHandles* h, uint64_t id)
{
    int slot = tarn__handles_slot(h, id);
    if (slot >= 0) return slot;
    const char* why =
        id == 0 ? "is the null id"
        : id >> 48 != h->owner
            ? "belongs to another "
            : "is stale: it was removed, or is newer than the snapshot that was loaded";
    bool is_foreign = id != 0 && id >> 48 != h->owner;
    tarn__fail(ctx, TARN_ERR_ARG, "%s: the id %#llx %s%s; use an id that %s of this %s returned",
               h->what, (unsigned long long)id, why, is_foreign ? h->whole : "", h->added_by,
               h->whole);
    return -1;
}

// ---- Add and remove -----------------------------------------------------------------------------

int tarn__handles_add(TarnHandles* h)
{
    if (h->count == h->capacity) return -1;
    int slot = 0; // the first that the ascending list skips
    while (slot < h->count && h->order[slot] == slot) ++slot;
    ++h->generation[slot];
    memmove(h->order + slot + 1, h->order + slot, (size_t)(h->count - slot) * sizeof *h->order);
    h->order[slot] = slot;
    ++h->count;
    return slot;
}

void tarn__handles_remove(TarnHandles* h, int slot)
{
    int at = 0;
    while (h->order[at] != slot) ++at;
    --h->count;
    memmove(h->order + at, h->order + at + 1, (size_t)(h->count - at) * sizeof *h->order);
    ++h->generation[slot];
}

// ---- State --------------------------------------------------------------------------------------

static int slots_ever_used(const TarnHandles* h)
{
    int n = h->capacity;
    while (n > 0 && h->generation[n - 1] == 0) --n;
    return n;
}

uint64_t tarn__handles_hash(const TarnHandles* h, uint64_t seed)
{
    size_t n = (size_t)slots_ever_used(h);
    return tarn_hash(h->generation, n * sizeof *h->generation, seed);
}

void tarn__handles_save(const TarnHandles* h, TarnWriter* w)
{
    int n = slots_ever_used(h);
    tarn__write_u32(w, (uint32_t)n);
    tarn__write(w, h->generation, (size_t)n * sizeof *h->generation);
}

bool tarn__handles_read(TarnReader* r, int capacity, SavedHandles* out)
{
    uint32_t n = tarn__read_u32(r);
    if (r->is_bad || n > (uint32_t)capacity) return false;
    out->n = (int)n;
    out->generations = tarn__read_view(r, (size_t)n * sizeof(uint32_t));
    return !r->is_bad;
}

uint32_t tarn__saved_generation(const SavedHandles* saved, int slot)
{
    uint32_t generation = 0;
    if (slot < saved->n)
        memcpy(&generation, saved->generations + (size_t)slot * sizeof generation,
               sizeof generation); // any alignment
    return generation;
}

void tarn__handles_load(TarnHandles* h, const SavedHandles* saved)
{
    h->count = 0;
    for (int slot = 0; slot < h->capacity; ++slot) {
        h->generation[slot] = tarn__saved_generation(saved, slot);
        if (tarn__handles_is_used(h, slot)) h->order[h->count++] = slot;
    }
}
