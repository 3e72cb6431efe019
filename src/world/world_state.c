// State of a world: hash, save, load. A snapshot holds the time, the emitters and drivers with their
// defs, fires, and whole snapshots of the bodies, of the waters, and of what is made of particles.

#include "world/world_internal.h"
#include "base/param.h"
#include "base/snapshot.h"

// ---- Hash --------------------------------------------------------------------------------------

static uint64_t hash_u64(uint64_t value, uint64_t seed)
{
    return tarn_hash(&value, sizeof value, seed);
}

static uint64_t hash_f64(double value, uint64_t seed)
{
    return tarn_hash(&value, sizeof value, seed);
}

// A window that stands adds nothing.
static uint64_t hash_window(const TarnWorld* world, uint64_t seed)
{
    if (world->window.kind == TARN_WINDOW_FIXED) return seed;
    seed = tarn__param_hash(tarn_window_def_table(), &world->window, seed);
    return hash_u64((uint64_t)world->window_slot, seed);
}

// What bodies carry and what follows them, by the slots of those that are still there.
static uint64_t hash_links(const TarnWorld* world, uint64_t h)
{
    for (int n = 0; n < world->n_gases; ++n) {
        const WorldGas* gas = &world->gases[n];
        int slot = gas->body.value ? tarn__bodies_slot_of(world->bodies, gas->body) : -1;
        if (slot < 0) continue;
        h = hash_u64((uint64_t)n << 32 | (uint64_t)slot, h);
        h = tarn_hash(&gas->offset, sizeof gas->offset, h);
    }
    for (int i = 0; i < world->n_carried; ++i) {
        const Carried* c = &world->carried[i];
        int slot = tarn__bodies_slot_of(world->bodies, c->body);
        if (slot < 0) continue;
        const uint64_t key[5] = { (uint64_t)i, (uint64_t)slot, (uint64_t)c->kind,
                                  (uint64_t)c->power, (uint64_t)c->gas };
        h = tarn_hash(key, sizeof key, h);
    }
    return h;
}

// Solids, liquid, particles, and what goes with them.
static uint64_t hash_fluids(const TarnWorld* world, uint64_t h)
{
    h = hash_u64(tarn_solids_hash(world->solids), h);
    h = hash_u64(world->liquid ? tarn_liquid_hash(world->liquid) : 0, h);
    h = hash_u64(world->particles ? tarn_particles_hash(world->particles) : 0, h);
    for (int n = 0; n < world->n_gases; ++n) h = hash_u64(tarn_gas_hash(world->gases[n].gas), h);
    if (world->has_noise) h = tarn__param_hash(tarn_curl_noise_table(), &world->noise, h);
    h = hash_links(world, h);
    for (int i = 0; i < world->def.max_solids; ++i) {
        const SolidDriver* driver = &world->solid_drivers[i];
        if (driver->solid.value == 0) continue;
        h = tarn__driver_hash(&driver->def, hash_u64((uint64_t)i, h));
        h = tarn_hash(&driver->rest, sizeof driver->rest, h);
    }
    for (int i = 0; i < world->n_fires; ++i) h = hash_f64(world->fires[i].soaked, h);
    return h;
}

uint64_t tarn_world_hash(const TarnWorld* world)
{
    if (world == NULL) return 0;
    uint64_t h = tarn__world_def_hash(world);
    h = hash_f64(world->time, h);
    h = hash_f64(world->emitted, h);
    for (int slot = 0; slot < world->def.max_emitters; ++slot) {
        const Emitter* emitter = &world->emitters[slot];
        if (!emitter->is_used) continue;
        h = hash_u64((uint64_t)slot, h);
        h = hash_f64(emitter->begin, h);
        h = tarn__emitter_hash(&emitter->def, h);
    }
    for (int slot = 0; slot < world->def.max_bodies; ++slot) {
        const Driver* driver = &world->drivers[slot];
        if (tarn__driver_body(world, slot) == NULL) continue;
        h = hash_u64((uint64_t)slot, h);
        h = hash_f64(driver->angle, h);
        h = tarn__driver_hash(&driver->def, h);
        if (tarn__driver_is_animation(driver->def.kind))
            h = tarn_hash(&driver->rest, sizeof driver->rest, h);
    }
    h = hash_u64(tarn_bodies_hash(world->bodies), h);
    for (int w = 0; w < N_WATERS; ++w) {
        const void* water = world->waters[w];
        if (water || w == WATER_WAVE)
            h = hash_u64(water ? tarn__water_classes[w].hash(water) : 0, h);
    }
    h = hash_window(world, h);
    if (tarn__window_body(world)) h = hash_u64(1, h);
    return world->solids ? hash_fluids(world, h) : h;
}

// ---- Save --------------------------------------------------------------------------------------

static uint64_t def_hash(const TarnWorld* world)
{
    uint64_t h = tarn__world_def_hash(world), kinds = 0;
    for (int w = 0; w < N_WATERS; ++w) kinds |= (uint64_t)(world->waters[w] != NULL) << w;
    if (world->solids) { // worlds without keep their snapshots
        kinds |= 16u | (world->liquid ? 32u : 0u) | (world->particles ? 64u : 0u);
        kinds |= (uint64_t)world->n_carried << 8 | (uint64_t)world->n_fires << 16 |
                 (uint64_t)world->n_gases << 24 | (uint64_t)world->has_noise << 32;
    }
    h = hash_links(world, hash_window(world, hash_u64(kinds, h)));
    for (int i = 0; i < world->n_fires; ++i)
        h = tarn__param_hash(tarn_fire_def_table(), &world->fires[i].def, h);
    for (int i = 0; world->solids && i < world->def.max_solids; ++i) {
        const SolidDriver* driver =
            &world->solid_drivers[i]; // which have one; how it moves is state
        if (driver->solid.value != 0) h = hash_u64((uint64_t)i, h);
    }
    return h;
}

// Values as doubles, in the order of the table: every int and float comes back exactly.
static void write_def(TarnWriter* w, const TarnParamTable* table, const void* object)
{
    for (int i = 0; i < table->count; ++i) {
        const TarnParam* p = &table->params[i];
        for (int c = 0; c < tarn__param_components(p->type); ++c)
            tarn__write_f64(w, tarn__param_get(p, object, c));
    }
}

// The parameters of circle and thrust come first; animations have more, and a place where they began.
enum { N_OF_CIRCLE = 4 };

static TarnParamTable part_of_driver(bool is_animation)
{
    TarnParamTable table = *tarn_driver_def_table();
    if (is_animation) table.params += N_OF_CIRCLE;
    table.count = is_animation ? table.count - N_OF_CIRCLE : N_OF_CIRCLE;
    return table;
}

static void write_driver(TarnWriter* w, const TarnDriverDef* def, const TarnMotion* rest)
{
    TarnParamTable first = part_of_driver(false), more = part_of_driver(true);
    write_def(w, &first, def);
    if (!tarn__driver_is_animation(def->kind)) return;
    write_def(w, &more, def);
    tarn__write(w, rest, sizeof *rest); // floats only: no padding
}

// The parts of a world that have snapshots of their own: the bodies, the waters, and what is made of
// particles.
enum {
    PART_BODIES,
    PART_WATERS,
    PART_SOLIDS = PART_WATERS + N_WATERS,
    PART_LIQUID,
    PART_PARTICLES,
    PART_GASES,
    N_PARTS = PART_GASES + TARN_WORLD_MAX_GASES
};

static bool has_part(const TarnWorld* world, int p)
{
    if (p == PART_SOLIDS) return world->solids != NULL;
    if (p == PART_LIQUID) return world->liquid != NULL;
    if (p == PART_PARTICLES) return world->particles != NULL;
    if (p >= PART_GASES) return p - PART_GASES < world->n_gases;
    return p == PART_BODIES || world->waters[p - PART_WATERS];
}

static TarnResult save_part(const TarnWorld* world, int p, void* buffer, size_t capacity,
                            size_t* size)
{
    if (p == PART_BODIES) return tarn_bodies_save(world->bodies, buffer, capacity, size);
    if (p == PART_SOLIDS) return tarn_solids_save(world->solids, buffer, capacity, size);
    if (p == PART_LIQUID) return tarn_liquid_save(world->liquid, buffer, capacity, size);
    if (p == PART_PARTICLES) return tarn_particles_save(world->particles, buffer, capacity, size);
    if (p >= PART_GASES)
        return tarn_gas_save(world->gases[p - PART_GASES].gas, buffer, capacity, size);
    int w = p - PART_WATERS;
    return tarn__water_classes[w].save(world->waters[w], buffer, capacity, size);
}

static TarnResult load_part(TarnWorld* world, int p, const void* data, size_t size)
{
    if (p == PART_BODIES) return tarn_bodies_load(world->bodies, data, size);
    if (p == PART_SOLIDS) return tarn_solids_load(world->solids, data, size);
    if (p == PART_LIQUID) return tarn_liquid_load(world->liquid, data, size);
    if (p == PART_PARTICLES) return tarn_particles_load(world->particles, data, size);
    if (p >= PART_GASES) return tarn_gas_load(world->gases[p - PART_GASES].gas, data, size);
    int w = p - PART_WATERS;
    return tarn__water_classes[w].load(world->waters[w], data, size);
}

// A nested snapshot behind its size.
static TarnResult write_part(const TarnWorld* world, TarnWriter* w, int p)
{
    size_t size = 0, room = w->size + 8 < w->capacity ? w->capacity - w->size - 8 : 0;
    uint8_t* at = room > 0 ? w->data + w->size + 8 : NULL;
    TarnResult result = save_part(world, p, at, room, &size);
    if (result != TARN_OK && result != TARN_ERR_CAPACITY) return result;
    tarn__write_u64(w, size);
    w->size += size;
    return TARN_OK;
}

// Which solids have drivers is part of the def hash.
static void write_fluids(TarnWriter* w, const TarnWorld* world)
{
    for (int i = 0; i < world->def.max_solids; ++i) {
        const SolidDriver* driver = &world->solid_drivers[i];
        if (driver->solid.value != 0) write_driver(w, &driver->def, &driver->rest);
    }
    for (int i = 0; i < world->n_fires; ++i) tarn__write_f64(w, world->fires[i].soaked);
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
    tarn__write_f64(&w, world->origin.x);
    tarn__write_f64(&w, world->origin.y);
    for (int slot = 0; slot < world->def.max_emitters; ++slot) {
        const Emitter* emitter = &world->emitters[slot];
        tarn__write_u32(&w, emitter->generation);
        tarn__write_u32(&w, emitter->is_used);
        if (!emitter->is_used) continue;
        tarn__write_f64(&w, emitter->begin);
        write_def(&w, tarn_emitter_def_table(), &emitter->def);
    }
    for (int slot = 0; slot < world->def.max_bodies; ++slot) {
        const Driver* driver = &world->drivers[slot];
        bool is_live = tarn__driver_body(world, slot) != NULL;
        tarn__write_u32(&w, is_live);
        if (!is_live) continue;
        tarn__write_f64(&w, driver->angle);
        write_driver(&w, &driver->def, &driver->rest);
    }
    if (world->solids) write_fluids(&w, world);
    if (world->window.kind == TARN_WINDOW_BODY)
        tarn__write_u32(&w, tarn__window_body(world) != NULL);
    for (int p = 0; p < N_PARTS; ++p) {
        if (has_part(world, p)) TARN_TRY(write_part(world, &w, p));
    }
    return tarn__snapshot_end(world->ctx, &w, "world", def_hash(world), size);
}

// ---- Load --------------------------------------------------------------------------------------

// Room for what is read before anything is changed, in one block.
typedef struct Staged {
    double time, emitted;
    TarnVec2 origin;
    uint32_t has_window_body; // does the window follow a body?
    Emitter* emitters;
    Driver* drivers;
    SolidDriver* solid_drivers;
    double soaked[TARN_WORLD_MAX_FIRES];
    const void* part[N_PARTS]; // nested snapshots, in the caller's buffer
    size_t part_size[N_PARTS];
    void* undo[N_PARTS]; // snapshots of the parts as they are, but for the last one
    size_t undo_size[N_PARTS];
} Staged;

static TarnResult damaged(TarnContext* ctx, const char* what)
{
    return tarn__fail(ctx, TARN_ERR_DATA, "the snapshot holds a bad %s", what);
}

static bool is_within(double value, double lo, double hi) // false for NaN
{
    return value >= lo && value <= hi;
}

static bool read_def(TarnReader* r, const TarnParamTable* table, void* object)
{
    for (int i = 0; i < table->count; ++i) {
        const TarnParam* p = &table->params[i];
        double value[3] = { 0 };
        int n = tarn__param_components(p->type);
        for (int c = 0; c < n; ++c) value[c] = tarn__read_f64(r);
        if (r->is_bad || !tarn__param_restore(p, object, value)) return false;
    }
    return true;
}

static TarnResult read_emitters(const TarnWorld* world, TarnReader* r, Emitter* out)
{
    for (int slot = 0; slot < world->def.max_emitters; ++slot) {
        Emitter* emitter = &out[slot];
        emitter->def = tarn_emitter_default_def();
        emitter->generation = tarn__read_u32(r);
        uint32_t is_used = tarn__read_u32(r);
        if (r->is_bad || is_used > 1) return damaged(world->ctx, "emitter");
        if (!is_used) continue;
        emitter->is_used = true;
        emitter->begin = tarn__read_f64(r);
        bool is_good = read_def(r, tarn_emitter_def_table(), &emitter->def) &&
                       is_within(emitter->begin, emitter->def.start, 1e12) &&
                       emitter->def.stop >= emitter->def.start &&
                       tarn__emitter_check_kind(world, emitter->def.kind) == TARN_OK;
        if (!is_good) return damaged(world->ctx, "emitter");
    }
    return TARN_OK;
}

// A good motion of a driver, or false.
static bool read_driver(TarnReader* r, TarnDriverDef* def, TarnMotion* rest)
{
    TarnParamTable first = part_of_driver(false), more = part_of_driver(true);
    if (!read_def(r, &first, def)) return false;
    if (tarn__driver_is_animation(def->kind)) {
        if (!read_def(r, &more, def)) return false;
        tarn__read(r, rest, sizeof *rest);
        TarnQuat q = rest->rotation;
        double length2 =
            (double)q.x * q.x + (double)q.y * q.y + (double)q.z * q.z + (double)q.w * q.w;
        if (r->is_bad || !tarn__all_within(rest, sizeof *rest / sizeof(float), 1e6f) ||
            !is_within(length2, 0.999, 1.001))
            return false;
    }
    return tarn__driver_check(NULL, def) == TARN_OK;
}

static TarnResult read_fluids(const TarnWorld* world, TarnReader* r, Staged* staged)
{
    for (int i = 0; world->solids && i < world->def.max_solids; ++i) {
        SolidDriver* driver = &staged->solid_drivers[i];
        *driver = world->solid_drivers[i]; // ids are this world's own
        if (driver->solid.value == 0) continue;
        driver->def = tarn_driver_default_def();
        if (!read_driver(r, &driver->def, &driver->rest) ||
            !tarn__driver_is_animation(driver->def.kind))
            return damaged(world->ctx, "driver of a solid");
    }
    for (int i = 0; i < world->n_fires; ++i) {
        staged->soaked[i] = tarn__read_f64(r);
        if (r->is_bad || !is_within(staged->soaked[i], 0.0, world->fires[i].def.water))
            return damaged(world->ctx, "fire");
    }
    return TARN_OK;
}

static TarnResult read_drivers(const TarnWorld* world, TarnReader* r, Driver* out)
{
    for (int slot = 0; slot < world->def.max_bodies; ++slot) {
        Driver* driver = &out[slot];
        driver->def = tarn_driver_default_def();
        uint32_t is_live = tarn__read_u32(r);
        if (r->is_bad || is_live > 1) return damaged(world->ctx, "driver");
        if (!is_live) continue;
        driver->angle = tarn__read_f64(r);
        bool is_good =
            read_driver(r, &driver->def, &driver->rest) && is_within(driver->angle, -10.0, 10.0);
        if (!is_good) return damaged(world->ctx, "driver");
    }
    return TARN_OK;
}

static TarnResult read_part(const TarnWorld* world, TarnReader* r, const void** data, size_t* size)
{
    *size = (size_t)tarn__read_u64(r);
    *data = tarn__read_view(r, *size);
    return *data ? TARN_OK : damaged(world->ctx, "size of a part");
}

static TarnResult read_all(const TarnWorld* world, TarnReader* r, Staged* staged)
{
    staged->time = tarn__read_f64(r);
    staged->emitted = tarn__read_f64(r);
    if (!is_within(staged->time, 0.0, 1e12) ||
        !is_within(staged->emitted, staged->time, staged->time + 1.0))
        return damaged(world->ctx, "time");
    double x = tarn__read_f64(r), z = tarn__read_f64(r);
    if (!is_within(x, -1e9, 1e9) || !is_within(z, -1e9, 1e9)) return damaged(world->ctx, "origin");
    staged->origin = (TarnVec2){ (float)x, (float)z };
    TARN_TRY(read_emitters(world, r, staged->emitters));
    TARN_TRY(read_drivers(world, r, staged->drivers));
    TARN_TRY(read_fluids(world, r, staged));
    if (world->window.kind == TARN_WINDOW_BODY) staged->has_window_body = tarn__read_u32(r);
    if (r->is_bad || staged->has_window_body > 1) return damaged(world->ctx, "window");
    for (int p = 0; p < N_PARTS; ++p) {
        if (has_part(world, p))
            TARN_TRY(read_part(world, r, &staged->part[p], &staged->part_size[p]));
    }
    return r->at == r->size ? TARN_OK : damaged(world->ctx, "size");
}

static void set_box(TarnWorld* world, TarnVec2 origin)
{
    if (tarn__world_first_water(world) >= 0) tarn__world_set_box(world, origin);
}

// Each part refuses without changing itself; those before it are taken back then. A snapshot of bodies
// fits only into the same box, so that is set first.
static TarnResult load_parts(TarnWorld* world, const Staged* staged)
{
    TarnVec2 origin = world->origin;
    TarnResult result = TARN_OK;
    int n = 0;
    for (int p = 0; p < N_PARTS; ++p) {
        size_t size = staged->undo_size[p];
        if (size > 0) TARN_TRY(save_part(world, p, staged->undo[p], size, &size));
    }
    set_box(world, staged->origin);
    for (; n < N_PARTS && result == TARN_OK; ++n) {
        if (has_part(world, n)) result = load_part(world, n, staged->part[n], staged->part_size[n]);
    }
    if (result == TARN_OK) return TARN_OK;
    set_box(world, origin);
    for (int p = 0; p < n - 1; ++p) { // n - 1 is the one that refused
        TarnResult undone = has_part(world, p)
                                ? load_part(world, p, staged->undo[p], staged->undo_size[p])
                                : TARN_OK;
        TARN_ASSERT(world->ctx, undone == TARN_OK);
    }
    return result;
}

// The snapshot knows slots; ids and generations are this world's own.
static void take_drivers(TarnWorld* world, const Driver* drivers)
{
    int n = 0;
    for (int slot = 0; slot < world->def.max_bodies; ++slot) {
        const TarnBody* body = tarn__bodies_slot(world->bodies, slot);
        Driver* driver = &world->drivers[slot];
        *driver = drivers[slot];
        driver->generation = body->generation;
        if (driver->def.kind != TARN_DRIVER_NONE) driver->body = tarn_bodies_at(world->bodies, n);
        n += body->is_used;
    }
}

static TarnResult load_staged(TarnWorld* world, TarnReader* r, Staged* staged)
{
    TARN_TRY(read_all(world, r, staged));
    TARN_TRY(load_parts(world, staged));
    memcpy(world->emitters, staged->emitters, (size_t)world->def.max_emitters * sizeof(Emitter));
    take_drivers(world, staged->drivers);
    if (world->solids)
        memcpy(world->solid_drivers, staged->solid_drivers,
               (size_t)world->def.max_solids * sizeof(SolidDriver));
    for (int i = 0; i < world->n_fires; ++i) world->fires[i].soaked = staged->soaked[i];
    uint32_t generation = tarn__bodies_slot(world->bodies, world->window_slot)->generation;
    world->window_generation = staged->has_window_body ? generation : ~generation;
    world->time = staged->time;
    world->emitted = staged->emitted;
    return TARN_OK; // the box of the bodies is where it was: the next step moves it after the window
}

TarnResult tarn_world_load(TarnWorld* world, const void* buffer, size_t size)
{
    if (world == NULL) return TARN_ERR_ARG;
    TarnReader r;
    TARN_TRY(tarn__snapshot_open(world->ctx, buffer, size, "world", def_hash(world), &r));

    Staged staged = { 0 };
    TarnLayout layout = { 0 };
    size_t emitters = tarn__layout_add(&layout, (size_t)world->def.max_emitters * sizeof(Emitter));
    size_t drivers = tarn__layout_add(&layout, (size_t)world->def.max_bodies * sizeof(Driver));
    size_t solids = tarn__layout_add(&layout, (size_t)world->def.max_solids * sizeof(SolidDriver));
    size_t undo[N_PARTS];
    int last = PART_BODIES; // refuses without a change and needs no way back
    for (int p = 0; p < N_PARTS; ++p) last = has_part(world, p) ? p : last;
    for (int p = 0; p < N_PARTS; ++p) {
        if (has_part(world, p) && p != last)
            save_part(world, p, NULL, 0, &staged.undo_size[p]); // asks for the size
        undo[p] = tarn__layout_add(&layout, staged.undo_size[p]);
    }
    char* block = tarn__alloc(world->ctx, layout.size);
    if (block == NULL)
        return tarn__fail(world->ctx, TARN_ERR_MEMORY, "no memory to load a snapshot: %zu bytes",
                          layout.size);
    staged.emitters = (Emitter*)(block + emitters);
    staged.drivers = (Driver*)(block + drivers);
    staged.solid_drivers = (SolidDriver*)(block + solids);
    for (int p = 0; p < N_PARTS; ++p) staged.undo[p] = block + undo[p];
    TarnResult result = load_staged(world, &r, &staged);
    tarn__free(world->ctx, block, layout.size);
    return result;
}
