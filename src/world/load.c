// Loading a snapshot of a world. Everything is read and checked first, into one block; then the parts are
// loaded, each with a copy to restore it if a later one fails; and only then the world changes.

#include "world/world_internal.h"
#include "base/param.h"
#include "base/snapshot.h"
#include <stdio.h>

enum { MAX_MEMBERS = 64 }; // world.max_solvers at most

// A nested snapshot.
typedef struct Part {
    const void* data;
    size_t size;
} Part;

// A member as the snapshot has it.
typedef struct SavedMember {
    bool is_there;
    char kind[WORLD_NAME];
    Member member; // name, flags, window, what passed; class and solver once it is found
    int window_slot;
    int retired; // index among the removed members; -1: it is in its place
    Part state;
} SavedMember;

// An object that can be loaded, and what restores it.
typedef struct Loading {
    void* object;
    TarnResult (*save)(const void* object, void* buffer, size_t capacity, size_t* size);
    TarnResult (*load)(void* object, const void* buffer, size_t size);
    Part part;
    void* undo;
    size_t undo_size;
} Loading;
enum { MAX_LOADINGS = 2 + MAX_MEMBERS };

typedef struct Staged {
    double time, emitted, gone;
    TarnCurlNoise noise;
    TarnWindDef wind;
    bool has_noise, has_wind;
    Foil foils[WORLD_MAX_FOILS];
    SavedHandles emitter_ids;
    Emitter* emitters;
    Driver* drivers;
    int* solid_numbers; // of solid drivers, counted from 1
    SolidDriver* solid_drivers;
    Carried* carried; // member, list, channel, id and def; body holds the slot, counted from 1
    float (*throttle)[TARN_THROTTLES];
    uint8_t* is_throttled;
    Spout spouts[WORLD_MAX_SPOUTS];
    Channel channels[WORLD_MAX_CHANNELS];
    Part bodies, solids;
    SavedMember members[MAX_MEMBERS];
} Staged;

static TarnResult damaged(TarnContext* ctx, const char* what)
{
    return tarn__fail(ctx, TARN_ERR_DATA, "snapshot of a world: damaged (%s)", what);
}

static bool is_within(double x, double lo, double hi) // false for NaN
{
    return x >= lo && x <= hi;
}

// ---- Reading -------------------------------------------------------------------------------------

static bool read_driver(TarnReader* r, TarnDriverDef* def, TarnMotion* rest)
{
    *def = tarn_driver_default_def();
    if (!tarn__read_table(r, tarn_driver_def_table(), def)) return false;
    tarn__read(r, rest, sizeof *rest);
    TarnQuat q = rest->rotation;
    double length2 = (double)q.x * q.x + (double)q.y * q.y + (double)q.z * q.z + (double)q.w * q.w;
    return !r->is_bad && tarn__all_within(rest, sizeof *rest / sizeof(float), 1e6f) &&
           is_within(length2, 0.999, 1.001) && tarn__driver_check(NULL, def) == TARN_OK;
}

static TarnResult read_emitters(const TarnWorld* world, TarnReader* r, Staged* staged)
{
    if (!tarn__handles_read(r, world->def.max_emitters, &staged->emitter_ids))
        return damaged(world->ctx, "emitters");
    for (int slot = 0; slot < world->def.max_emitters; ++slot) {
        Emitter* e = &staged->emitters[slot];
        if (!tarn__saved_is_used(&staged->emitter_ids, slot)) continue;
        e->def = tarn_emitter_default_def();
        e->begin = tarn__read_f64(r);
        uint32_t solver = tarn__read_u32(r);
        e->def.solver = (int)solver;
        bool is_good = tarn__read_table(r, tarn_emitter_def_table(), &e->def) &&
                       e->def.stop >= e->def.start && is_within(e->begin, e->def.start, 1e12) &&
                       solver <= (uint32_t)world->def.max_solvers;
        if (!is_good) return damaged(world->ctx, "emitter");
    }
    return TARN_OK;
}

static TarnResult read_drivers(const TarnWorld* world, TarnReader* r, Staged* staged)
{
    for (int slot = 0; slot < world->def.max_bodies; ++slot) {
        Driver* driver = &staged->drivers[slot];
        uint32_t is_live = tarn__read_u32(r);
        driver->def = tarn_driver_default_def();
        if (r->is_bad || is_live > 1) return damaged(world->ctx, "driver");
        if (!is_live) continue;
        driver->angle = tarn__read_f64(r);
        bool is_good =
            read_driver(r, &driver->def, &driver->rest) && is_within(driver->angle, -10.0, 10.0);
        if (!is_good) return damaged(world->ctx, "driver");
    }
    for (int i = 0; i < world->def.max_solids; ++i) {
        SolidDriver* driver = &staged->solid_drivers[i];
        uint32_t number = tarn__read_u32(r);
        if (r->is_bad || number > 0xffff) return damaged(world->ctx, "driver of a solid");
        staged->solid_numbers[i] = (int)number;
        if (number == 0) continue;
        if (!read_driver(r, &driver->def, &driver->rest) ||
            !tarn__driver_is_animation(driver->def.kind))
            return damaged(world->ctx, "driver of a solid");
    }
    return TARN_OK;
}

static TarnResult read_carried(const TarnWorld* world, TarnReader* r, Staged* staged)
{
    for (int slot = 0; slot < world->def.max_bodies; ++slot) {
        uint32_t is_live = tarn__read_u32(r);
        if (r->is_bad || is_live > 1) return damaged(world->ctx, "throttle");
        staged->is_throttled[slot] = (uint8_t)is_live;
        if (!is_live) continue;
        tarn__read(r, staged->throttle[slot], sizeof staged->throttle[slot]);
        for (int c = 0; c < TARN_THROTTLES; ++c) {
            if (!is_within((double)staged->throttle[slot][c], 0.0, 1.0))
                return damaged(world->ctx, "throttle");
        }
    }
    for (int i = 0; i < world->def.max_attached; ++i) {
        Carried* c = &staged->carried[i];
        uint32_t slot = tarn__read_u32(r);
        c->body.value = slot;
        if (r->is_bad || slot > (uint32_t)world->def.max_bodies)
            return damaged(world->ctx, "what a body carries");
        if (slot == 0) continue;
        uint32_t member = tarn__read_u32(r), list = tarn__read_u32(r), channel = tarn__read_u32(r);
        c->id = tarn__read_u64(r);
        tarn__read(r, c->def, sizeof c->def);
        if (r->is_bad || member >= (uint32_t)world->def.max_solvers || list > 64 ||
            channel >= TARN_THROTTLES)
            return damaged(world->ctx, "what a body carries");
        c->member = (int)member, c->list = (int)list, c->channel = (int)channel;
    }
    return TARN_OK;
}

static TarnResult read_spouts(const TarnWorld* world, TarnReader* r, Staged* staged)
{
    for (int i = 0; i < WORLD_MAX_SPOUTS; ++i) {
        Spout* s = &staged->spouts[i];
        uint32_t liquid = tarn__read_u32(r);
        if (r->is_bad || liquid > (uint32_t)world->def.max_solvers)
            return damaged(world->ctx, "spout");
        *s = (Spout){ .liquid = (int)liquid - 1 };
        if (liquid == 0) continue;
        uint32_t water = tarn__read_u32(r);
        s->water = (int)water;
        s->source = tarn__read_u64(r);
        tarn__read(r, &s->place, sizeof s->place);
        s->radius = (float)tarn__read_f64(r);
        s->given = tarn__read_f64(r);
        s->debt = tarn__read_f64(r);
        uint32_t is_paused = tarn__read_u32(r);
        s->is_paused = is_paused;
        bool is_good = !r->is_bad && is_paused <= 1 && water < (uint32_t)world->def.max_solvers &&
                       tarn__all_within(&s->place, 2, 1e6f) &&
                       is_within((double)s->radius, 1e-30, 1e6) && is_within(s->given, 0.0, 1e15) &&
                       is_within(s->debt, -1e15, 1e15);
        if (!is_good) return damaged(world->ctx, "spout");
    }
    return TARN_OK;
}

static TarnResult read_channels(const TarnWorld* world, TarnReader* r, Staged* staged)
{
    for (int i = 0; i < WORLD_MAX_CHANNELS; ++i) {
        Channel* channel = &staged->channels[i];
        uint32_t from = tarn__read_u32(r), to = 0;
        bool is_good = !r->is_bad && from <= (uint32_t)world->def.max_solvers;
        *channel = (Channel){ is_good ? (int)from - 1 : -1, 0, tarn_channel_default_def() };
        if (is_good && from > 0) {
            to = tarn__read_u32(r);
            is_good = tarn__read_table(r, tarn_channel_def_table(), &channel->def) &&
                      to < (uint32_t)world->def.max_solvers;
            channel->to = (int)to;
        }
        if (!is_good) return damaged(world->ctx, "channel");
    }
    return TARN_OK;
}

static TarnResult read_noise(const TarnWorld* world, TarnReader* r, Staged* staged)
{
    uint32_t has_noise = tarn__read_u32(r);
    if (r->is_bad || has_noise > 1) return damaged(world->ctx, "curl noise");
    staged->has_noise = has_noise;
    if (!has_noise) return TARN_OK;
    staged->noise = tarn_curl_noise_default(world->ctx);
    staged->noise.solids = world->solids;
    bool is_good = tarn__read_table(r, tarn_curl_noise_table(), &staged->noise);
    return is_good ? TARN_OK : damaged(world->ctx, "curl noise");
}

static TarnResult read_wind(const TarnWorld* world, TarnReader* r, Staged* staged)
{
    uint32_t has_wind = tarn__read_u32(r);
    staged->wind = tarn_wind_default_def();
    staged->has_wind = has_wind;
    bool is_good = !r->is_bad && has_wind <= 1 &&
                   (!has_wind || tarn__read_table(r, tarn_wind_def_table(), &staged->wind));
    return is_good ? TARN_OK : damaged(world->ctx, "wind");
}

static TarnResult read_part(const TarnWorld* world, TarnReader* r, Part* part)
{
    part->size = (size_t)tarn__read_u64(r);
    part->data = tarn__read_view(r, part->size);
    return part->data ? TARN_OK : damaged(world->ctx, "size of a part");
}

// The solver that this state belongs to: in its place, or removed.
static TarnResult find_solver(const TarnWorld* world, int slot, SavedMember* saved)
{
    const Member* now = &world->members[slot];
    uint64_t hash = saved->member.def_hash;
    saved->retired = -1;
    const Member* found = NULL;
    if (now->class && strcmp(now->class->name, saved->kind) == 0 && now->def_hash == hash &&
        !now->is_cosmetic)
        found = now;
    for (int i = world->def.max_solvers - 1; found == NULL && i >= 0; --i) { // the newest first
        const Retired* old = &world->retired[i];
        const Member* member = &old->member;
        bool is_it = member->class && old->slot == slot && member->def_hash == hash &&
                     strcmp(member->class->name, saved->kind) == 0;
        if (is_it) found = member, saved->retired = i;
    }
    bool is_now = now->class && strcmp(now->class->name, saved->kind) == 0 && now->def_hash == hash;
    if (found == NULL && is_now) found = now; // it became cosmetic since, and is no longer
    if (found == NULL)
        return tarn__fail(world->ctx, TARN_ERR_DATA,
                          "snapshot of a world: solver %d ('%s', a %s) is not in this world, and "
                          "the world no longer keeps it; load the snapshot into the world it was "
                          "saved from, or build that world again",
                          slot + 1, saved->member.name, saved->kind);
    saved->member.class = found->class;
    saved->member.solver = found->solver;
    return TARN_OK;
}

static TarnResult read_member(const TarnWorld* world, TarnReader* r, int slot, SavedMember* saved)
{
    Member* member = &saved->member;
    uint32_t is_there = tarn__read_u32(r);
    if (r->is_bad || is_there > 1) return damaged(world->ctx, "solver");
    saved->is_there = is_there;
    if (!is_there) return TARN_OK;
    tarn__read(r, saved->kind, sizeof saved->kind);
    tarn__read(r, member->name, sizeof member->name);
    bool is_text = saved->kind[WORLD_NAME - 1] == '\0' && member->name[WORLD_NAME - 1] == '\0' &&
                   tarn__world_check_name(NULL, saved->kind) == TARN_OK &&
                   tarn__world_check_name(NULL, member->name) == TARN_OK;
    if (r->is_bad || !is_text) return damaged(world->ctx, "name of a solver");
    member->def_hash = tarn__read_u64(r);
    uint32_t flags = tarn__read_u32(r), is_carrier = flags & 0xff, on = flags >> 8;
    uint32_t has_push = tarn__read_u32(r);
    member->has_push = has_push;
    member->push = tarn_flow_push_default();
    member->window = tarn_window_default_def();
    bool is_good = has_push <= 1 &&
                   (!has_push || tarn__read_table(r, tarn_flow_push_table(), &member->push)) &&
                   tarn__read_table(r, tarn_window_def_table(), &member->window);
    uint32_t window_slot = tarn__read_u32(r); // counted from 1
    member->got = tarn__read_f64(r);
    member->given = tarn__read_f64(r);
    member->pending = tarn__read_f64(r);
    is_good = is_good && !r->is_bad && is_carrier <= 1 && on <= (uint32_t)world->def.max_solvers &&
              on != (uint32_t)slot + 1 && window_slot <= (uint32_t)world->def.max_bodies &&
              is_within(member->got, -1e15, 1e15) && is_within(member->given, -1e15, 1e15) &&
              is_within(member->pending, -1e15, 1e15);
    if (!is_good) return damaged(world->ctx, "solver");
    member->is_carrier = is_carrier;
    member->on = (int)on;
    saved->window_slot = (int)window_slot - 1;
    TARN_TRY(read_part(world, r, &saved->state));
    return find_solver(world, slot, saved);
}

// A byte from a file may not be a valid bool and must not be read as one.
static bool has_bools(const TarnParamTable* table, const unsigned char* def)
{
    for (int i = 0; i < table->count; ++i) {
        const TarnParam* p = &table->params[i];
        if (p->type == TARN_PARAM_BOOL && def[p->offset] > 1) return false;
    }
    return true;
}

// Names must be unique, and carried parts must belong to a list that supports it.
static TarnResult check_links(const TarnWorld* world, const Staged* staged)
{
    for (int a = 0; a < world->def.max_solvers; ++a) {
        for (int b = 0; staged->members[a].is_there && b < a; ++b) {
            if (staged->members[b].is_there &&
                strcmp(staged->members[a].member.name, staged->members[b].member.name) == 0)
                return damaged(world->ctx, "name of a solver");
        }
    }
    for (int m = 0; m < world->def.max_solvers; ++m) {
        const SavedMember* top = &staged->members[m];
        if (!top->is_there || top->member.on == 0) continue;
        const SavedMember* base = &staged->members[top->member.on - 1];
        bool is_good =
            base->is_there && base->member.on == 0 && base->member.class->surface &&
            (top->member.class->surface || top->member.class->catches || top->member.class->throws);
        if (!is_good) return damaged(world->ctx, "water that another lies on");
    }
    for (int i = 0; i < world->def.max_attached; ++i) {
        const Carried* c = &staged->carried[i];
        if (c->body.value == 0) continue;
        const SavedMember* saved = &staged->members[c->member];
        bool is_good = saved->is_there && c->list < saved->member.class->n_lists &&
                       saved->member.class->lists[c->list].carry;
        if (!is_good) return damaged(world->ctx, "what a body carries");
        const TarnParamTable* table = saved->member.class->lists[c->list].table();
        if (!has_bools(table, c->def) || tarn_param_validate(NULL, table, c->def) != TARN_OK)
            return damaged(world->ctx, "what a body carries");
    }
    for (int i = 0; i < WORLD_MAX_SPOUTS; ++i) {
        const Spout* s = &staged->spouts[i];
        if (s->liquid >= 0 &&
            (!staged->members[s->liquid].is_there || !staged->members[s->water].is_there))
            return damaged(world->ctx, "spout");
    }
    for (int i = 0; i < WORLD_MAX_CHANNELS; ++i) {
        const Channel* c = &staged->channels[i];
        if (c->from >= 0 &&
            (!staged->members[c->from].is_there || !staged->members[c->to].is_there))
            return damaged(world->ctx, "channel");
    }
    return TARN_OK;
}

static TarnResult read_all(const TarnWorld* world, TarnReader* r, Staged* staged)
{
    staged->time = tarn__read_f64(r);
    staged->emitted = tarn__read_f64(r);
    if (!is_within(staged->time, 0.0, 1e12) ||
        !is_within(staged->emitted, staged->time, staged->time + 1.0))
        return damaged(world->ctx, "time");
    staged->gone = tarn__read_f64(r);
    if (!is_within(staged->gone, -1e15, 1e15)) return damaged(world->ctx, "ledger");
    TARN_TRY(read_emitters(world, r, staged));
    TARN_TRY(read_drivers(world, r, staged));
    TARN_TRY(read_carried(world, r, staged));
    TARN_TRY(read_spouts(world, r, staged));
    TARN_TRY(read_channels(world, r, staged));
    TARN_TRY(read_noise(world, r, staged));
    TARN_TRY(read_wind(world, r, staged));
    if (!tarn__foils_read(world, r, staged->foils)) return damaged(world->ctx, "foil");
    TARN_TRY(read_part(world, r, &staged->bodies));
    TARN_TRY(read_part(world, r, &staged->solids));
    for (int m = 0; m < world->def.max_solvers; ++m)
        TARN_TRY(read_member(world, r, m, &staged->members[m]));
    if (r->at != r->size) return damaged(world->ctx, "size");
    return check_links(world, staged);
}

// ---- Loading the parts ---------------------------------------------------------------------------

static TarnResult load_bodies(void* o, const void* buffer, size_t size)
{
    return tarn_bodies_load(o, buffer, size);
}
static TarnResult load_solids(void* o, const void* buffer, size_t size)
{
    return tarn_solids_load(o, buffer, size);
}

static int list_loadings(TarnWorld* world, const Staged* staged, Loading* out)
{
    int n = 0;
    out[n++] = (Loading){ world->bodies, tarn__save_bodies, load_bodies, staged->bodies, NULL, 0 };
    out[n++] = (Loading){ world->solids, tarn__save_solids, load_solids, staged->solids, NULL, 0 };
    for (int m = 0; m < world->def.max_solvers; ++m) {
        const SavedMember* saved = &staged->members[m];
        const Member* member = &saved->member;
        if (!saved->is_there) continue;
        out[n++] = (Loading){
            member->solver, member->class->save, member->class->load, saved->state, NULL, 0
        };
    }
    return n;
}

// A part that fails has not changed; the ones before it are then restored.
static TarnResult load_parts(TarnWorld* world, const Staged* staged)
{
    Loading loadings[MAX_LOADINGS];
    int n = list_loadings(world, staged, loadings), done = 0;
    size_t offsets[MAX_LOADINGS];
    TarnLayout layout = { 0 };
    TarnResult result = TARN_OK;
    for (int i = 0; i < n - 1; ++i) { // the last one needs no way back
        loadings[i].save(loadings[i].object, NULL, 0, &loadings[i].undo_size); // gets the size
        offsets[i] = tarn__layout_add(&layout, loadings[i].undo_size);
    }
    char* block = tarn__alloc(world->ctx, layout.size);
    if (block == NULL)
        return tarn__fail(world->ctx, TARN_ERR_MEMORY,
                          "out of memory for loading a snapshot: %zu bytes", layout.size);
    for (int i = 0; i < n - 1 && result == TARN_OK; ++i) {
        size_t size = loadings[i].undo_size;
        loadings[i].undo = block + offsets[i];
        result = loadings[i].save(loadings[i].object, loadings[i].undo, size, &size);
    }
    for (; done < n && result == TARN_OK; ++done) {
        const Loading* l = &loadings[done];
        result = l->load(l->object, l->part.data, l->part.size);
    }
    for (int i = 0; result != TARN_OK && i < done - 1; ++i) { // done - 1 is the one that refused
        TarnResult undone =
            loadings[i].load(loadings[i].object, loadings[i].undo, loadings[i].undo_size);
        TARN_ASSERT(world->ctx, undone == TARN_OK);
    }
    tarn__free(world->ctx, block, layout.size);
    return result;
}

// ---- Taking it over ------------------------------------------------------------------------------

static TarnBodyId body_at(const TarnWorld* world, int slot) // 0: no body
{
    bool is_there = slot >= 0 && tarn__bodies_slot(world->bodies, slot)->is_used;
    return is_there ? tarn__bodies_id(world->bodies, slot) : (TarnBodyId){ 0 };
}

// Restored members leave the removed ones; members added since join those.
static void take_members(TarnWorld* world, const Staged* staged)
{
    for (int m = 0; m < world->def.max_solvers; ++m) {
        const SavedMember* saved = &staged->members[m];
        if (saved->is_there && saved->retired >= 0) world->retired[saved->retired] = (Retired){ 0 };
    }
    int n = 0; // in order, without gaps: tarn__world_retire counts on it
    for (int i = 0; i < world->def.max_solvers; ++i) {
        Retired old = world->retired[i];
        world->retired[i] = (Retired){ 0 };
        if (old.member.class) world->retired[n++] = old;
    }
    for (int m = 0; m < world->def.max_solvers; ++m) {
        const SavedMember* saved = &staged->members[m];
        Member* now = &world->members[m];
        bool is_kept = now->class &&
                       (saved->is_there ? now->solver == saved->member.solver : now->is_cosmetic);
        if (now->class && !is_kept) tarn__world_retire(world, m);
        if (!saved->is_there) continue;
        *now = saved->member;
        now->window.body = body_at(world, saved->window_slot);
    }
}

static uint64_t renewed(const TarnWorld* world, int member, const TarnListClass* list, uint64_t id)
{
    return list->renew ? list->renew(world->members[member].solver, id) : id;
}

// Between two members that are here, one of them cosmetic.
static bool is_cosmetic_link(const TarnWorld* world, int a, int b)
{
    if (a < 0) return false;
    const Member *one = &world->members[a], *other = &world->members[b];
    return one->class && other->class && (one->is_cosmetic || other->is_cosmetic);
}

static void take_links(TarnWorld* world, const Staged* staged)
{
    for (int slot = 0; slot < world->def.max_bodies; ++slot) {
        world->drivers[slot] = staged->drivers[slot];
        world->drivers[slot].body = body_at(world, slot);
        memcpy(world->throttle[slot], staged->throttle[slot], sizeof world->throttle[slot]);
        world->throttled[slot] = staged->is_throttled[slot] ? body_at(world, slot).value : 0;
    }
    for (int i = 0; i < world->def.max_solids; ++i) {
        int n = staged->solid_numbers[i] - 1;
        world->solid_drivers[i] = staged->solid_drivers[i];
        world->solid_drivers[i].solid =
            n >= 0 ? tarn_solids_at(world->solids, n) : (TarnSolidId){ 0 };
    }
    for (int i = 0; i < world->def.max_attached; ++i) {
        Carried c = staged->carried[i];
        const Member* carrier = &world->members[world->carried[i].member];
        bool is_cosmetic = world->carried[i].body.value && carrier->class && carrier->is_cosmetic;
        if (is_cosmetic && c.body.value == 0) continue; // as it is
        c.body = c.body.value ? body_at(world, (int)c.body.value - 1) : c.body;
        if (c.body.value)
            c.id = renewed(world, c.member, &world->members[c.member].class->lists[c.list], c.id);
        world->carried[i] = c;
    }
    for (int i = 0; i < WORLD_MAX_SPOUTS; ++i) {
        Spout s = staged->spouts[i];
        const TarnSolverClass* c = s.liquid >= 0 ? world->members[s.liquid].class : NULL;
        for (int l = 0; c && l < c->n_lists; ++l) {
            if (strcmp(c->lists[l].name, "sources") == 0)
                s.source = renewed(world, s.liquid, &c->lists[l], s.source);
        }
        // Those of cosmetic solvers are in no snapshot, and stay as they are.
        bool is_kept = s.liquid < 0 &&
                       is_cosmetic_link(world, world->spouts[i].liquid, world->spouts[i].water);
        if (!is_kept) world->spouts[i] = s;
    }
    for (int i = 0; i < WORLD_MAX_CHANNELS; ++i) {
        const Channel *now = &world->channels[i], *saved = &staged->channels[i];
        bool is_kept = saved->from < 0 && is_cosmetic_link(world, now->from, now->to);
        if (!is_kept) world->channels[i] = *saved;
    }
    for (int i = 0; i < WORLD_MAX_FOILS; ++i) {
        world->foils[i] = staged->foils[i];
        world->foils[i].body = body_at(world, (int)staged->foils[i].body.value - 1);
    }
}

static TarnResult load_staged(TarnWorld* world, TarnReader* r, Staged* staged)
{
    TARN_TRY(read_all(world, r, staged));
    TARN_TRY(load_parts(world, staged));
    take_members(world, staged);
    take_links(world, staged);
    tarn__handles_load(&world->emitter_ids, &staged->emitter_ids);
    memcpy(world->emitters, staged->emitters, (size_t)world->def.max_emitters * sizeof(Emitter));
    world->time = staged->time;
    world->emitted = staged->emitted;
    world->gone = staged->gone - tarn__ledger_unsaved(world);
    world->has_noise = staged->has_noise;
    world->has_wind = staged->has_wind;
    world->wind = staged->wind;
    if (staged->has_noise) world->noise = staged->noise; // its time is the world's, each substep
    tarn__world_refresh(world);
    return TARN_OK;
}

TarnResult tarn_world_load(TarnWorld* world, const void* buffer, size_t size)
{
    if (world == NULL) return TARN_ERR_ARG;
    TarnReader r;
    uint64_t hash = tarn__param_hash(tarn_world_def_table(), &world->def, 0);
    TARN_TRY(tarn__snapshot_open(world->ctx, buffer, size, "world", hash, &r));
    size_t bodies = (size_t)world->def.max_bodies, solids = (size_t)world->def.max_solids;
    TarnLayout layout = { 0 };
    size_t at[8];
    at[0] = tarn__layout_add(&layout, sizeof(Staged));
    at[1] = tarn__layout_add(&layout, (size_t)world->def.max_emitters * sizeof(Emitter));
    at[2] = tarn__layout_add(&layout, bodies * sizeof(Driver));
    at[3] = tarn__layout_add(&layout, solids * sizeof(int));
    at[4] = tarn__layout_add(&layout, solids * sizeof(SolidDriver));
    at[5] = tarn__layout_add(&layout, (size_t)world->def.max_attached * sizeof(Carried));
    at[6] = tarn__layout_add(&layout, bodies * sizeof(float[TARN_THROTTLES]));
    at[7] = tarn__layout_add(&layout, bodies);
    char* block = tarn__alloc(world->ctx, layout.size);
    if (block == NULL)
        return tarn__fail(world->ctx, TARN_ERR_MEMORY,
                          "out of memory for loading a snapshot: %zu bytes", layout.size);
    Staged* staged = (Staged*)(block + at[0]);
    staged->emitters = (Emitter*)(block + at[1]);
    staged->drivers = (Driver*)(block + at[2]);
    staged->solid_numbers = (int*)(block + at[3]);
    staged->solid_drivers = (SolidDriver*)(block + at[4]);
    staged->carried = (Carried*)(block + at[5]);
    staged->throttle = (float(*)[TARN_THROTTLES])(block + at[6]);
    staged->is_throttled = (uint8_t*)(block + at[7]);
    TarnResult result = load_staged(world, &r, staged);
    tarn__free(world->ctx, block, layout.size);
    return result;
}
