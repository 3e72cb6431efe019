// Ids of things that live in slots of an object: bodies, solids, sources, emitters and the like.
//
//     id = owner << 48 | generation << 16 | slot + 1        0 is the null id
//
// A slot's generation goes up when it is taken and when it is given back, so that odd ones are in
// use and an old id never fits again. The owner comes from a counter over the process and tells the
// ids of one object from those of another; it is in no hash and in no snapshot.
//
// Generations are part of the state. A snapshot brings them back, and with them every id that was
// valid when it was saved; ids that were handed out after that are stale. A run that goes on from
// there with the same calls gets the same ids, as lockstep and replays need. The price: another
// course may give an id of the dropped future to another thing, so a host drops such ids with it.
//
// The owner of a pool keeps what is in the slots, in an array of its own.
#pragma once

#include "base/snapshot.h"

enum { HANDLES_MAX_SLOTS = 0xffff };

typedef struct TarnHandles {
    uint32_t* generation; // per slot; odd: in use
    int* order;           // the slots in use, ascending
    int capacity, count;
    uint16_t owner;       // not 0
    const char* what;     // for messages: "gas_jet"
    const char* whole;    // "gas"
    const char* added_by; // "tarn_gas_add_jet"
} TarnHandles;

// Places the arrays in the block of the object that has them; with base NULL they are only counted.
void tarn__handles_place(TarnHandles* handles, TarnLayout* layout, char* base, int capacity);
// Once, on zeroed memory: takes a new owner.
void tarn__handles_begin(TarnHandles* handles, const char* what, const char* whole,
                         const char* added_by);

TARN_INLINE bool tarn__handles_is_used(const TarnHandles* handles, int slot)
{
    return (handles->generation[slot] & 1u) != 0;
}
uint64_t tarn__handles_id(const TarnHandles* handles, int slot); // of a used slot
int tarn__handles_slot(const TarnHandles* handles, uint64_t id); // -1: stale, null or foreign
uint64_t tarn__handles_at(const TarnHandles* handles, int n);    // the n-th by slots; 0: none
int tarn__handles_find(TarnContext* ctx, const TarnHandles* handles,
                       uint64_t id); // the slot; -1: an error was reported
// The id of these handles with the slot and generation of one from another process.
TARN_INLINE uint64_t tarn__handles_renew(const TarnHandles* handles, uint64_t id)
{
    return (id & 0xffffffffffffu) | (uint64_t)handles->owner << 48;
}
int tarn__handles_add(TarnHandles* handles); // takes the lowest free slot; -1: all are in use
void tarn__handles_remove(TarnHandles* handles, int slot); // a used one

// ---- State --------------------------------------------------------------------------------------

uint64_t tarn__handles_hash(const TarnHandles* handles, uint64_t seed);
void tarn__handles_save(const TarnHandles* handles, TarnWriter* w);

// Generations in a snapshot, to look at before anything is changed. They lie in the reader's data.
typedef struct SavedHandles {
    const uint8_t* generations;
    int n; // slots behind the last one that was ever used are left out
} SavedHandles;
// False: the snapshot is cut short, or has more slots than the capacity.
bool tarn__handles_read(TarnReader* r, int capacity, SavedHandles* out);
uint32_t tarn__saved_generation(const SavedHandles* saved, int slot);
TARN_INLINE bool tarn__saved_is_used(const SavedHandles* saved, int slot)
{
    return (tarn__saved_generation(saved, slot) & 1u) != 0;
}
void tarn__handles_load(TarnHandles* handles, const SavedHandles* saved);
