// State of a world: hash, save, load. A snapshot holds the time, emitters, drivers and what bodies carry with
// their defs, and whole snapshots of the bodies, the solids and the members. It follows what was in the world
// then: what was added since is removed, what was removed comes back.

#include "world/world_internal.h"
#include "base/param.h"
#include "base/snapshot.h"
#include <stdio.h>

// ---- Hash --------------------------------------------------------------------------------------

static uint64_t hash_u64(uint64_t value, uint64_t seed)
{
    return tarn_hash(&value, sizeof value, seed);
}

static uint64_t hash_f64(double value, uint64_t seed)
{
    return tarn_hash(&value, sizeof value, seed);
}

static uint64_t hash_driver(const TarnDriverDef* def, const TarnMotion* rest, uint64_t h)
{
    h = tarn__param_hash(tarn_driver_def_table(), def, h);
    return tarn_hash(rest, sizeof *rest, h); // floats only: no padding
}

// Bit 0: it is a carrier. From bit 8 on: number of the water it lies on, if that is saved.
static uint32_t member_flags(const TarnWorld* world, const Member* member)
{
    bool has_base = member->on > 0 && tarn__world_is_saved(world, member->on - 1);
    return (uint32_t)member->is_carrier | (has_base ? (uint32_t)member->on << 8 : 0u);
}

// Member numbers, not pointers; bodies by their slots.
static uint64_t hash_member(const TarnWorld* world, const Member* member, uint64_t h)
{
    h = tarn_hash(member->class->name, strlen(member->class->name), h);
    h = hash_u64(member->class->hash(member->solver), h);
    h = hash_u64(member_flags(world, member), h);
    const double passed[] = { member->got, member->given, member->pending };
    h = tarn_hash(passed, sizeof passed, h);
    if (member->has_push) h = tarn__param_hash(tarn_flow_push_table(), &member->push, h);
    if (member->window.kind == TARN_WINDOW_FIXED) return h;
    h = tarn__param_hash(tarn_window_def_table(), &member->window, h);
    return hash_u64((uint64_t)tarn__world_slot_of(world, member->window.body), h);
}

static int solid_number(const TarnWorld* world, TarnSolidId id) // in the order of the set; -1: gone
{
    for (int n = 0; n < tarn_solids_count(world->solids); ++n) {
        if (tarn_solids_at(world->solids, n).value == id.value) return n;
    }
    return -1;
}

static uint64_t hash_drivers(const TarnWorld* world, uint64_t h)
{
    for (int slot = 0; slot < world->def.max_bodies; ++slot) {
        const Driver* driver = &world->drivers[slot];
        if (tarn__driver_body(world, slot) == NULL) continue;
        h = hash_f64(driver->angle, hash_u64((uint64_t)slot, h));
        h = hash_driver(&driver->def, &driver->rest, h);
    }
    for (int i = 0; i < world->def.max_solids; ++i) {
        const SolidDriver* driver = &world->solid_drivers[i];
        if (driver->solid.value != 0 && solid_number(world, driver->solid) >= 0)
            h = hash_driver(&driver->def, &driver->rest, hash_u64((uint64_t)i, h));
    }
    return h;
}

// What bodies carry and how it is throttled, by the slots of bodies that are still there; and spouts.
static uint64_t hash_links(const TarnWorld* world, uint64_t h)
{
    for (int i = 0; i < world->def.max_attached; ++i) {
        const Carried* c = &world->carried[i];
        int slot = c->body.value ? tarn__world_slot_of(world, c->body) : -1;
        if (slot < 0 || !tarn__world_is_saved(world, c->member)) continue;
        const uint64_t key[5] = { (uint64_t)i, (uint64_t)slot, (uint64_t)c->channel,
                                  (uint64_t)c->member, (uint64_t)c->list };
        h = tarn_hash(key, sizeof key, h);
        if (world->throttled[slot] == c->body.value)
            h = tarn_hash(world->throttle[slot], sizeof world->throttle[slot], h);
    }
    for (int i = 0; i < WORLD_MAX_SPOUTS; ++i) {
        const Spout* spout = &world->spouts[i];
        if (!tarn__spout_is_saved(world, spout)) continue;
        const double values[] = { spout->liquid, spout->water, spout->place.x, spout->place.y,
                                  spout->radius, spout->given, spout->debt,    spout->is_paused };
        h = tarn_hash(values, sizeof values, h);
    }
    for (int i = 0; i < WORLD_MAX_CHANNELS; ++i) {
        const Channel* channel = &world->channels[i];
        if (!tarn__channel_is_saved(world, channel)) continue;
        h = hash_u64((uint64_t)channel->from << 32 | (uint64_t)channel->to, h);
        h = tarn__param_hash(tarn_channel_def_table(), &channel->def, h);
    }
    return h;
}

uint64_t tarn_world_hash(const TarnWorld* world)
{
    if (world == NULL) return 0;
    uint64_t h = tarn__param_hash(tarn_world_def_table(), &world->def, 0);
    h = hash_f64(world->emitted, hash_f64(world->time, h));
    for (int slot = 0; slot < world->def.max_emitters; ++slot) {
        const Emitter* emitter = &world->emitters[slot];
        if (!tarn__handles_is_used(&world->emitter_ids, slot)) continue;
        h = hash_u64((uint64_t)emitter->def.solver, hash_u64((uint64_t)slot, h));
        h = tarn__param_hash(tarn_emitter_def_table(), &emitter->def, hash_f64(emitter->begin, h));
    }
    h = hash_links(world, hash_drivers(world, h));
    h = hash_u64(tarn_bodies_hash(world->bodies), h);
    h = hash_u64(tarn_solids_hash(world->solids), h);
    if (world->has_noise) h = tarn__param_hash(tarn_curl_noise_table(), &world->noise, h);
    if (world->has_wind) h = tarn__param_hash(tarn_wind_def_table(), &world->wind, h);
    h = tarn__foils_hash(world, h);
    for (int m = 0; m < world->def.max_solvers; ++m) {
        const Member* member = &world->members[m];
        if (tarn__world_is_saved(world, m))
            h = hash_member(world, member, hash_u64((uint64_t)m, h));
    }
    return h;
}

// ---- Save --------------------------------------------------------------------------------------

static void write_driver(TarnWriter* w, const TarnDriverDef* def, const TarnMotion* rest)
{
    tarn__write_table(w, tarn_driver_def_table(), def);
    tarn__write(w, rest, sizeof *rest);
}

static void write_emitters(TarnWriter* w, const TarnWorld* world)
{
    tarn__handles_save(&world->emitter_ids, w);
    for (int slot = 0; slot < world->def.max_emitters; ++slot) {
        const Emitter* e = &world->emitters[slot];
        if (!tarn__handles_is_used(&world->emitter_ids, slot)) continue;
        tarn__write_f64(w, e->begin);
        tarn__write_u32(w, (uint32_t)e->def.solver);
        tarn__write_table(w, tarn_emitter_def_table(), &e->def);
    }
}

static void write_drivers(TarnWriter* w, const TarnWorld* world)
{
    for (int slot = 0; slot < world->def.max_bodies; ++slot) {
        const Driver* driver = &world->drivers[slot];
        bool is_live = tarn__driver_body(world, slot) != NULL;
        tarn__write_u32(w, is_live);
        if (!is_live) continue;
        tarn__write_f64(w, driver->angle);
        write_driver(w, &driver->def, &driver->rest);
    }
    for (int i = 0; i < world->def.max_solids; ++i) {
        const SolidDriver* driver = &world->solid_drivers[i];
        int n = driver->solid.value ? solid_number(world, driver->solid) : -1;
        tarn__write_u32(w, (uint32_t)(n + 1));
        if (n >= 0) write_driver(w, &driver->def, &driver->rest);
    }
}

enum { ID_BITS = 48 }; // of an id, without its owner: see base/handles.h
static const uint64_t id_mask = ((uint64_t)1 << ID_BITS) - 1;

static void write_links(TarnWriter* w, const TarnWorld* world)
{
    for (int slot = 0; slot < world->def.max_bodies; ++slot) {
        TarnBodyId body = { world->throttled[slot] };
        bool is_live = body.value != 0 && tarn__world_slot_of(world, body) == slot;
        tarn__write_u32(w, is_live);
        if (is_live) tarn__write(w, world->throttle[slot], sizeof world->throttle[slot]);
    }
    for (int i = 0; i < world->def.max_attached; ++i) {
        const Carried* c = &world->carried[i];
        int slot = c->body.value ? tarn__world_slot_of(world, c->body) : -1;
        if (!tarn__world_is_saved(world, c->member)) slot = -1;
        tarn__write_u32(w, (uint32_t)(slot + 1));
        if (slot < 0) continue;
        tarn__write_u32(w, (uint32_t)c->member);
        tarn__write_u32(w, (uint32_t)c->list);
        tarn__write_u32(w, (uint32_t)c->channel);
        tarn__write_u64(w, c->id & id_mask);
        tarn__write(w, c->def, sizeof c->def);
    }
    for (int i = 0; i < WORLD_MAX_SPOUTS; ++i) {
        const Spout* s = &world->spouts[i];
        bool is_saved = tarn__spout_is_saved(world, s);
        tarn__write_u32(w, is_saved ? (uint32_t)(s->liquid + 1) : 0);
        if (!is_saved) continue;
        tarn__write_u32(w, (uint32_t)s->water);
        tarn__write_u64(w, s->source & id_mask);
        tarn__write(w, &s->place, sizeof s->place);
        tarn__write_f64(w, s->radius);
        tarn__write_f64(w, s->given);
        tarn__write_f64(w, s->debt);
        tarn__write_u32(w, s->is_paused);
    }
    for (int i = 0; i < WORLD_MAX_CHANNELS; ++i) {
        const Channel* channel = &world->channels[i];
        bool is_saved = tarn__channel_is_saved(world, channel);
        tarn__write_u32(w, is_saved ? (uint32_t)(channel->from + 1) : 0);
        if (!is_saved) continue;
        tarn__write_u32(w, (uint32_t)channel->to);
        tarn__write_table(w, tarn_channel_def_table(), &channel->def);
    }
}

typedef TarnResult SaveFn(const void* object, void* buffer, size_t capacity, size_t* size);

TarnResult tarn__save_bodies(const void* object, void* buffer, size_t capacity, size_t* size)
{
    return tarn_bodies_save(object, buffer, capacity, size);
}
TarnResult tarn__save_solids(const void* object, void* buffer, size_t capacity, size_t* size)
{
    return tarn_solids_save(object, buffer, capacity, size);
}

// A nested snapshot, preceded by its size.
static TarnResult write_part(TarnWriter* w, SaveFn* save, const void* object)
{
    size_t size = 0, room = w->size + 8 < w->capacity ? w->capacity - w->size - 8 : 0;
    uint8_t* at = room > 0 ? w->data + w->size + 8 : NULL;
    TarnResult result = save(object, at, room, &size);
    if (result != TARN_OK && result != TARN_ERR_CAPACITY) return result;
    tarn__write_u64(w, size);
    w->size += size;
    return TARN_OK;
}

static TarnResult write_members(TarnWriter* w, const TarnWorld* world)
{
    for (int m = 0; m < world->def.max_solvers; ++m) {
        const Member* member = &world->members[m];
        bool is_saved = tarn__world_is_saved(world, m);
        tarn__write_u32(w, is_saved);
        if (!is_saved) continue;
        char kind[WORLD_NAME] = { 0 };
        snprintf(kind, sizeof kind, "%s", member->class->name);
        tarn__write(w, kind, sizeof kind);
        tarn__write(w, member->name, sizeof member->name);
        tarn__write_u64(w, member->def_hash);
        tarn__write_u32(w, member_flags(world, member));
        tarn__write_u32(w, member->has_push);
        if (member->has_push) tarn__write_table(w, tarn_flow_push_table(), &member->push);
        tarn__write_table(w, tarn_window_def_table(), &member->window);
        int slot =
            tarn__window_body(world, member) ? tarn__world_slot_of(world, member->window.body) : -1;
        tarn__write_u32(w, (uint32_t)(slot + 1));
        tarn__write_f64(w, member->got);
        tarn__write_f64(w, member->given);
        tarn__write_f64(w, member->pending);
        TARN_TRY(write_part(w, member->class->save, member->solver));
    }
    return TARN_OK;
}

// Only what is fixed at creation.
static uint64_t def_hash(const TarnWorld* world)
{
    return tarn__param_hash(tarn_world_def_table(), &world->def, 0);
}

TarnResult tarn_world_save(const TarnWorld* world, void* buffer, size_t capacity, size_t* size)
{
    size_t needed;
    if (size == NULL) size = &needed;
    *size = 0;
    if (world == NULL) return TARN_ERR_ARG;
    TarnWriter w = tarn__snapshot_begin(buffer, capacity);
    tarn__write_f64(&w, world->time);
    tarn__write_f64(&w, world->emitted);
    tarn__write_f64(&w, world->gone + tarn__ledger_unsaved(world));
    write_emitters(&w, world);
    write_drivers(&w, world);
    write_links(&w, world);
    tarn__write_u32(&w, world->has_noise);
    if (world->has_noise) tarn__write_table(&w, tarn_curl_noise_table(), &world->noise);
    tarn__write_u32(&w, world->has_wind);
    if (world->has_wind) tarn__write_table(&w, tarn_wind_def_table(), &world->wind);
    tarn__foils_write(world, &w);
    TARN_TRY(write_part(&w, tarn__save_bodies, world->bodies));
    TARN_TRY(write_part(&w, tarn__save_solids, world->solids));
    TARN_TRY(write_members(&w, world));
    return tarn__snapshot_end(world->ctx, &w, "world", def_hash(world), size);
}
