// Reading particle systems: views, ledger, hash, snapshots.
//
// A snapshot holds the particles, emitters, attractors, parameters and counters. What belongs to the host
// is not in it: the flow, the solids, the event function.

#include "particles/particles_internal.h"

TarnParticlesView tarn_particles_view(const TarnParticles* set)
{
    if (set == NULL) return (TarnParticlesView){ 0 };
    return (TarnParticlesView){ .n = set->n,
                                .x = set->x,
                                .y = set->y,
                                .z = set->z,
                                .vx = set->vx,
                                .vy = set->vy,
                                .vz = set->vz,
                                .age = set->age,
                                .lifetime = set->lifetime,
                                .radius = set->radius,
                                .id = set->id,
                                .kind = set->kind };
}
double tarn_particles_time(const TarnParticles* set)
{
    return set ? set->time : 0.0;
}
TarnParticlesLedger tarn_particles_ledger(const TarnParticles* set)
{
    if (set == NULL) return (TarnParticlesLedger){ 0 };
    TarnParticlesLedger ledger = set->ledger;
    ledger.alive = (uint64_t)set->n;
    return ledger;
}
const TarnParticleEvent* tarn_particles_events(const TarnParticles* set, int* n)
{
    if (n) *n = set ? set->n_events : 0;
    return set ? set->events : NULL;
}

// ---- The arrays of the pool ----------------------------------------------------------------------

enum { N_FLOATS = 9, N_ARRAYS = 14 };

typedef struct PoolArray {
    void* data;
    size_t size; // of an element
} PoolArray;

// prev follows from next.
static void list_arrays(const TarnParticles* set, PoolArray out[N_ARRAYS])
{
    float* const floats[N_FLOATS] = { set->x,  set->y,   set->z,        set->vx,    set->vy,
                                      set->vz, set->age, set->lifetime, set->radius };
    for (int f = 0; f < N_FLOATS; ++f) out[f] = (PoolArray){ floats[f], sizeof(float) };
    out[9] = (PoolArray){ set->id, sizeof(uint32_t) };
    out[10] = (PoolArray){ set->next, sizeof(int) };
    out[11] = (PoolArray){ set->emitter, sizeof(uint16_t) };
    out[12] = (PoolArray){ set->stuck, sizeof(uint16_t) };
    out[13] = (PoolArray){ set->kind, 1 };
}

// ---- Hash ----------------------------------------------------------------------------------------

static uint64_t hash_emitter(const ParticleEmitter* e, uint64_t h)
{
    h = tarn__param_hash(tarn_particle_emitter_def_table(), &e->def, h);
    h = tarn_hash(&e->def.motion, sizeof e->def.motion, h);
    h = tarn_hash(&e->from, sizeof e->from, h);
    const double times[] = { e->begin, e->carry, (double)e->throttle };
    const uint64_t counts[] = { e->bursts, e->due, (uint64_t)(uint32_t)e->head,
                                (uint64_t)(uint32_t)e->tail };
    return tarn_hash(counts, sizeof counts, tarn_hash(times, sizeof times, h));
}

uint64_t tarn_particles_hash(const TarnParticles* set)
{
    if (set == NULL) return 0;
    PoolArray arrays[N_ARRAYS];
    list_arrays(set, arrays);
    uint64_t h = tarn_hash(&set->time, sizeof set->time, (uint64_t)set->n);
    for (int a = 0; a < N_ARRAYS; ++a)
        h = tarn_hash(arrays[a].data, (size_t)set->n * arrays[a].size, h);
    const uint64_t counts[] = { set->ledger.added,      set->ledger.died,     set->ledger.left,
                                set->ledger.killed,     set->ledger.recycled, set->ledger.refused,
                                set->ledger.lost_events };
    h = tarn_hash(counts, sizeof counts, h);
    h = tarn_hash(&set->throttle, sizeof set->throttle, h);
    h = tarn__handles_hash(&set->attractor_ids, tarn__handles_hash(&set->emitter_ids, h));
    for (int n = 0; n < set->emitter_ids.count; ++n)
        h = hash_emitter(&set->emitters[set->emitter_ids.order[n]], h);
    for (int n = 0; n < set->attractor_ids.count; ++n)
        h = tarn__param_hash(tarn_attractor_def_table(),
                             &set->attractors[set->attractor_ids.order[n]], h);
    return tarn__param_hash(tarn_particles_params_table(), &set->params, h);
}

// ---- Save ----------------------------------------------------------------------------------------

static void write_emitter(TarnWriter* w, const ParticleEmitter* e)
{
    tarn__write_table(w, tarn_particle_emitter_def_table(), &e->def);
    tarn__write(w, &e->def.motion, sizeof e->def.motion); // floats only: no padding
    tarn__write(w, &e->from, sizeof e->from);
    tarn__write_f64(w, e->begin);
    tarn__write_f64(w, e->carry);
    tarn__write_f64(w, (double)e->throttle);
    tarn__write_u64(w, e->bursts);
    tarn__write_u64(w, e->due);
    tarn__write_u32(w, (uint32_t)e->head);
}

static uint64_t def_hash(const TarnParticles* set)
{
    return tarn__param_hash(tarn_particles_def_table(), &set->def, 0);
}

TarnResult tarn_particles_save(const TarnParticles* set, void* buffer, size_t capacity,
                               size_t* size)
{
    if (size != NULL) *size = 0;
    if (set == NULL) return TARN_ERR_ARG;
    if (size == NULL) return tarn__snapshot_no_size(set->ctx);
    TarnWriter w = tarn__snapshot_begin(buffer, capacity);
    const TarnParticlesLedger* l = &set->ledger;
    const uint64_t counts[] = { l->added,    l->died,    l->left,       l->killed,
                                l->recycled, l->refused, l->lost_events };
    tarn__write_f64(&w, set->time);
    tarn__write_f64(&w, (double)set->throttle);
    tarn__write(&w, counts, sizeof counts);
    tarn__write_u32(&w, (uint32_t)set->n);
    tarn__write_table(&w, tarn_particles_params_table(), &set->params);
    tarn__handles_save(&set->emitter_ids, &w);
    tarn__handles_save(&set->attractor_ids, &w);
    for (int n = 0; n < set->emitter_ids.count; ++n)
        write_emitter(&w, &set->emitters[set->emitter_ids.order[n]]);
    for (int n = 0; n < set->attractor_ids.count; ++n)
        tarn__write_table(&w, tarn_attractor_def_table(),
                          &set->attractors[set->attractor_ids.order[n]]);
    PoolArray arrays[N_ARRAYS];
    list_arrays(set, arrays);
    for (int a = 0; a < N_ARRAYS; ++a)
        tarn__write(&w, arrays[a].data, (size_t)set->n * arrays[a].size);
    return tarn__snapshot_end(set->ctx, &w, "particle", def_hash(set), size);
}

// ---- Load ----------------------------------------------------------------------------------------

// Every value is read twice: once to check all, once to keep it. So a bad file changes nothing, and no
// memory is needed for a second state.

static bool read_emitter(TarnReader* r, const TarnParticles* set, ParticleEmitter* out)
{
    *out = (ParticleEmitter){ .def = tarn_particle_emitter_default_def(), .head = -1, .tail = -1 };
    bool is_good = tarn__read_table(r, tarn_particle_emitter_def_table(), &out->def);
    TarnParticleEmitterDef def = out->def; // its motion is checked with the rest of it
    tarn__read(r, &out->def.motion, sizeof out->def.motion);
    tarn__read(r, &out->from, sizeof out->from);
    def.motion = out->from;
    out->begin = tarn__read_f64(r);
    out->carry = tarn__read_f64(r);
    double throttle = tarn__read_f64(r);
    out->bursts = tarn__read_u64(r);
    out->due = tarn__read_u64(r);
    uint32_t head = tarn__read_u32(r);
    is_good = is_good && !r->is_bad && tarn__particles_check_emitter(NULL, &def) == TARN_OK &&
              tarn__particles_check_emitter(NULL, &out->def) == TARN_OK;
    is_good = is_good && throttle >= 0.0 && throttle <= 1.0 && out->begin >= 0.0 &&
              out->begin <= 1e12 && out->carry >= 0.0 && out->carry < 1.0 &&
              out->bursts <= (uint64_t)1 << 52 &&
              (head == UINT32_MAX || head < (uint32_t)set->def.max_particles);
    if (is_good) out->head = (int)head, out->throttle = (float)throttle;
    return is_good;
}

static bool read_attractor(TarnReader* r, TarnAttractorDef* out)
{
    *out = tarn_attractor_default_def();
    return tarn__read_table(r, tarn_attractor_def_table(), out);
}

typedef struct Loaded { // a snapshot that is being read
    double time, throttle;
    uint64_t counts[7];
    uint32_t n;
    TarnParticlesParams params;
    SavedHandles emitters, attractors;
    TarnReader things;               // at the emitters
    const uint8_t* arrays[N_ARRAYS]; // any alignment
} Loaded;

static float float_at(const Loaded* in, int array, uint32_t i)
{
    float value;
    memcpy(&value, in->arrays[array] + (size_t)i * sizeof value, sizeof value);
    return value;
}
static int int_at(const Loaded* in, int array, uint32_t i)
{
    int value;
    memcpy(&value, in->arrays[array] + (size_t)i * sizeof value, sizeof value);
    return value;
}
static uint16_t short_at(const Loaded* in, int array, uint32_t i)
{
    uint16_t value;
    memcpy(&value, in->arrays[array] + (size_t)i * sizeof value, sizeof value);
    return value;
}

static bool are_particles_good(const TarnParticles* set, const Loaded* in)
{
    bool is_good = true;
    for (int f = 0; f < 3; ++f)
        is_good = is_good && tarn__all_within(in->arrays[f], in->n, 2.0f * particle_reach);
    for (int f = 3; f < 6; ++f)
        is_good = is_good && tarn__all_within(in->arrays[f], in->n, 1.001f * set->def.max_speed);
    for (uint32_t i = 0; i < in->n && is_good; ++i) {
        float age = float_at(in, 6, i), lifetime = float_at(in, 7, i), radius = float_at(in, 8, i);
        is_good = age >= 0.0f && age <= particle_forever && lifetime > 0.0f &&
                  lifetime <= particle_forever && radius >= 0.0f && radius <= particle_reach &&
                  short_at(in, 12, i) <= 4096;
    }
    return is_good;
}

// Length of an emitter's chain of particles, or -1: one is not its own, or there is no end.
static int64_t count_chain(const Loaded* in, int slot, int head)
{
    int64_t n = 0;
    for (int i = head; i != -1; ++n) {
        if (i < 0 || (uint32_t)i >= in->n || n == (int64_t)in->n) return -1;
        if (short_at(in, 11, (uint32_t)i) != slot) return -1;
        i = int_at(in, 10, (uint32_t)i);
    }
    return n;
}

static bool are_things_good(const TarnParticles* set, const Loaded* in)
{
    TarnReader r = in->things;
    int64_t n_chained = 0;
    for (int e = 0; e < in->emitters.n; ++e) {
        ParticleEmitter emitter;
        if (!tarn__saved_is_used(&in->emitters, e)) continue;
        if (!read_emitter(&r, set, &emitter)) return false;
        int64_t n_own = count_chain(in, e, emitter.head);
        if (n_own < 0) return false;
        n_chained += n_own;
    }
    int64_t n_owned = 0;
    for (uint32_t i = 0; i < in->n; ++i) n_owned += short_at(in, 11, i) != PARTICLE_NO_EMITTER;
    return n_owned == n_chained; // each hangs on the chain of an emitter that is there
}

static bool skip_things(const TarnParticles* set, const Loaded* in, TarnReader* r)
{
    ParticleEmitter emitter;
    TarnAttractorDef attractor;
    for (int e = 0; e < in->emitters.n; ++e) {
        if (tarn__saved_is_used(&in->emitters, e) && !read_emitter(r, set, &emitter)) return false;
    }
    for (int a = 0; a < in->attractors.n; ++a) {
        if (tarn__saved_is_used(&in->attractors, a) && !read_attractor(r, &attractor)) return false;
    }
    return true;
}

static bool read_all(const TarnParticles* set, TarnReader* r, Loaded* in)
{
    in->time = tarn__read_f64(r);
    in->throttle = tarn__read_f64(r);
    tarn__read(r, in->counts, sizeof in->counts);
    in->n = tarn__read_u32(r);
    in->params = tarn_particles_default_params();
    if (!tarn__read_table(r, tarn_particles_params_table(), &in->params) ||
        !tarn__handles_read(r, set->def.max_emitters, &in->emitters) ||
        !tarn__handles_read(r, set->def.max_attractors, &in->attractors))
        return false;
    in->things = *r;
    if (in->n > (uint32_t)set->def.max_particles || !skip_things(set, in, r)) return false;
    PoolArray arrays[N_ARRAYS];
    list_arrays(set, arrays);
    for (int a = 0; a < N_ARRAYS; ++a)
        in->arrays[a] = tarn__read_view(r, (size_t)in->n * arrays[a].size);
    const TarnVec3 lo = in->params.box_min, hi = in->params.box_max;
    bool is_good = !r->is_bad && r->at == r->size && in->time >= 0.0 && in->time <= 1e12 &&
                   in->throttle >= 0.0 && in->throttle <= 1.0 && lo.x < hi.x && lo.y < hi.y &&
                   lo.z < hi.z;
    const uint64_t* c = in->counts; // the ledger must close
    is_good = is_good && c[0] == (uint64_t)in->n + c[1] + c[2] + c[3] + c[4];
    return is_good && are_particles_good(set, in) && are_things_good(set, in);
}

// The links backwards, and how many there are.
static void relink(TarnParticles* set, ParticleEmitter* e)
{
    int prev = -1;
    for (int i = e->head; i >= 0; i = set->next[i]) {
        set->prev[i] = prev;
        prev = i;
        e->alive++;
    }
    e->tail = prev;
}

TarnResult tarn_particles_load(TarnParticles* set, const void* buffer, size_t size)
{
    if (set == NULL) return TARN_ERR_ARG;
    if (set->is_stepping) {
        return tarn__fail(set->ctx, TARN_ERR_ARG,
                          "tarn_particles_load: it was called from an event of the same system; "
                          "load after the step");
    }
    TarnReader r;
    Loaded in;
    TARN_TRY(tarn__snapshot_open(set->ctx, buffer, size, "particle", def_hash(set), &r));
    if (!read_all(set, &r, &in)) {
        return tarn__fail(
            set->ctx, TARN_ERR_DATA,
            "particles: the snapshot is damaged: it contains values that no run can produce");
    }
    set->time = in.time;
    set->throttle = (float)in.throttle;
    set->ledger = (TarnParticlesLedger){ .added = in.counts[0],
                                         .died = in.counts[1],
                                         .left = in.counts[2],
                                         .killed = in.counts[3],
                                         .recycled = in.counts[4],
                                         .refused = in.counts[5],
                                         .lost_events = in.counts[6] };
    set->n = (int)in.n;
    set->params = in.params;
    set->n_events = 0;
    PoolArray arrays[N_ARRAYS];
    list_arrays(set, arrays);
    for (int a = 0; a < N_ARRAYS; ++a) {
        if (in.n > 0) memcpy(arrays[a].data, in.arrays[a], (size_t)in.n * arrays[a].size);
    }
    memset(set->fate, 0, (size_t)set->def.max_particles + TARN_LANES);
    set->n_stuck = 0;
    for (int i = 0; i < set->n; ++i) {
        set->n_stuck += set->stuck[i] != 0;
        if (set->emitter[i] == PARTICLE_NO_EMITTER) set->prev[i] = set->next[i] = -1;
    }
    tarn__handles_load(&set->emitter_ids, &in.emitters);
    tarn__handles_load(&set->attractor_ids, &in.attractors);
    for (int n = 0; n < set->emitter_ids.count; ++n) {
        ParticleEmitter* emitter = &set->emitters[set->emitter_ids.order[n]];
        read_emitter(&in.things, set, emitter);
        relink(set, emitter);
    }
    for (int n = 0; n < set->attractor_ids.count; ++n)
        read_attractor(&in.things, &set->attractors[set->attractor_ids.order[n]]);
    tarn__particles_gather_pulls(set);
    return TARN_OK;
}
