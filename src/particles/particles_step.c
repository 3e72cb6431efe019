// The step of a particle system, read it from the end: substeps, each a pass over the pool and one over
// every run of newborns. A pass moves, collides, notes events, removes the dead.

#include "particles/particles_internal.h"
#include "particles/solids_internal.h"
#include "base/maths.h"

// exp(-z), (1 - exp(-z)) / z and (1 - that) / z. The last is a short sum where quotients would cancel.
ParticleFactors tarn__particle_factors(float drag, double dt)
{
    double z = (double)drag * dt, e, phi1, phi2;
    if (z < 1.0) {
        phi2 = 0.0;
        for (int n = 18; n >= 2; --n) phi2 = (1.0 - z * phi2) / n;
        phi1 = 1.0 - z * phi2;
        e = 1.0 - z * phi1;
    } else {
        e = (double)tarn_exp((float)-z);
        phi1 = (1.0 - e) / z;
        phi2 = (1.0 - phi1) / z;
    }
    return (ParticleFactors){ (float)dt, (float)e, (float)(phi1 * dt), (float)(phi2 * dt * dt) };
}

// ---- A pass --------------------------------------------------------------------------------------

static bool is_colliding(const TarnParticles* set)
{
    return set->solids != NULL && set->params.use_collisions;
}
static bool has_flow_drag(const TarnParticles* set)
{
    return set->params.flow_drag > 0.0f && set->params.flow_drag != set->params.drag;
}
static bool is_flowing(const TarnParticles* set)
{
    const TarnParticlesParams* p = &set->params;
    return set->flow.query != NULL &&
           (p->drag > 0.0f || p->flow_drag > 0.0f || p->flow_gravity != 1.0f);
}
static float drag_at(const TarnParticles* set, float presence)
{
    float drag = set->params.drag;
    return has_flow_drag(set) ? drag + presence * (set->params.flow_drag - drag) : drag;
}

// Looked up for some particles: what a flow adds to their push.
typedef struct Around {
    float x[PARTICLE_BATCH], y[PARTICLE_BATCH], z[PARTICLE_BATCH]; // half way [m]
    TarnVec3 velocity[PARTICLE_BATCH];
    float presence[PARTICLE_BATCH];
    float push_x[PARTICLE_BATCH], push_y[PARTICLE_BATCH], push_z[PARTICLE_BATCH]; // [m/s^2]
} Around;

// A host's flow may say anything: what is absurd or not a number counts as not there.
static float presence_of(TarnVec3 v, float presence)
{
    const float absurd = 1e5f; // [m/s]
    bool is_fine = v.x >= -absurd && v.x <= absurd && v.y >= -absurd && v.y <= absurd &&
                   v.z >= -absurd && v.z <= absurd && presence > 0.0f;
    return is_fine ? tarn_minf(presence, 1.0f) : 0.0f;
}

static void look_around(const TarnParticles* set, int first, int n, const float* dt, Around* out)
{
    for (int j = 0; j < n; ++j) {
        float half = 0.5f * dt[j];
        out->x[j] = set->x[first + j] + half * set->vx[first + j];
        out->y[j] = set->y[first + j] + half * set->vy[first + j];
        out->z[j] = set->z[first + j] + half * set->vz[first + j];
        out->presence[j] = 0.0f;
        out->velocity[j] = (TarnVec3){ 0.0f, 0.0f, 0.0f };
    }
    TarnFlowSamples samples = { .velocity = out->velocity, .presence = out->presence };
    set->flow.query(set->flow.self, n, out->x, out->y, out->z, &samples);
    TarnVec3 wind = set->params.wind, gravity = set->params.gravity;
    bool is_other = has_flow_drag(set);
    for (int j = 0; j < n; ++j) {
        TarnVec3 v = out->velocity[j];
        float p = presence_of(v, out->presence[j]);
        float all = drag_at(set, p), k = all * p;
        if (!(p > 0.0f)) v = wind;
        out->push_x[j] = k * (v.x - wind.x);
        out->push_y[j] = k * (v.y - wind.y);
        out->push_z[j] = k * (v.z - wind.z);
        out->presence[j] = p;
        if (!is_other && set->params.flow_gravity == 1.0f) continue;
        float more = all - set->params.drag, less = p * (1.0f - set->params.flow_gravity);
        out->push_x[j] += more * wind.x - less * gravity.x; // of the wind m->push has drag times
        out->push_y[j] += more * wind.y - less * gravity.y;
        out->push_z[j] += more * wind.z - less * gravity.z;
    }
}

static void note_before(const TarnParticles* set, int first, int n, ParticleBefore* out)
{
    size_t bytes = (size_t)n * sizeof(float);
    memcpy(out->x, set->x + first, bytes);
    memcpy(out->y, set->y + first, bytes);
    memcpy(out->z, set->z + first, bytes);
    memcpy(out->vx, set->vx + first, bytes);
    memcpy(out->vy, set->vy + first, bytes);
    memcpy(out->vz, set->vz + first, bytes);
}

// Factors of some particles: eight times the same, or one set for each newborn.
typedef struct Timing {
    float keep[PARTICLE_BATCH], a1[PARTICLE_BATCH], a2[PARTICLE_BATCH];
} Timing;

static int whole_eights(int n)
{
    return (n + TARN_LANES - 1) / TARN_LANES * TARN_LANES;
}

static void set_dt(const ParticlePass* pass, int first, int n, float* dt)
{
    float* age = pass->set->age + first;
    for (int j = 0; j < whole_eights(n); ++j) {
        dt[j] = pass->all ? pass->all->dt : 0.0f;
        if (pass->all == NULL && j < n) dt[j] = age[j], age[j] = 0.0f;
    }
}

// Between the two nearest of the table: right at its ends, where nearly all particles are.
static ParticleFactors factors_between(const PresenceFactors* table, float presence)
{
    float at = presence * (float)PRESENCE_STEPS;
    int low = (int)at;
    if (low >= PRESENCE_STEPS) return table->at[PRESENCE_STEPS];
    float s = at - (float)low;
    const ParticleFactors *a = &table->at[low], *b = a + 1;
    return (ParticleFactors){ a->dt, a->keep + s * (b->keep - a->keep), a->a1 + s * (b->a1 - a->a1),
                              a->a2 + s * (b->a2 - a->a2) };
}

// presence NULL: there is no flow.
static void set_timing(const ParticlePass* pass, int n, const float* dt, const float* presence,
                       Timing* t)
{
    const TarnParticles* set = pass->set;
    for (int j = 0; j < whole_eights(n); ++j) {
        float p = presence && j < n ? presence[j] : 0.0f;
        ParticleFactors f = { 0 };
        if (pass->by_presence)
            f = factors_between(pass->by_presence, p);
        else if (pass->all)
            f = *pass->all;
        else if (j < n)
            f = tarn__particle_factors(drag_at(set, p), (double)dt[j]);
        t->keep[j] = f.keep, t->a1[j] = f.a1, t->a2[j] = f.a2;
    }
}

static ParticleMove make_move(const TarnParticles* set)
{
    const TarnParticlesParams* p = &set->params;
    return (ParticleMove){
        .push = vec3_add(p->gravity, vec3_scale(p->wind, p->drag)),
        .attractors = set->pulls,
        .n_attractors = set->n_pulls,
        .has_drag = p->drag > 0.0f || (set->flow.query != NULL && p->flow_drag > 0.0f),
        .has_bounds = is_colliding(set),
        .box_min = p->box_min,
        .box_max = p->box_max,
        .max_speed = set->def.max_speed,
    };
}

static void aim_move(ParticleMove* m, const TarnParticles* set, int first)
{
    m->x = set->x + first, m->y = set->y + first, m->z = set->z + first;
    m->vx = set->vx + first, m->vy = set->vy + first, m->vz = set->vz + first;
    m->age = set->age + first, m->lifetime = set->lifetime + first, m->fate = set->fate + first;
}

// Nothing to look up: the block in one go.
static void move_plainly(const ParticlePass* pass, ParticleMove* m, int first, int n)
{
    Timing timing;
    float dt[TARN_LANES];
    set_dt(pass, first, TARN_LANES, dt);
    set_timing(pass, TARN_LANES, dt, NULL, &timing);
    m->dt = dt, m->keep = timing.keep, m->a1 = timing.a1, m->a2 = timing.a2;
    aim_move(m, pass->set, first);
    pass->set->kernels->move(m, n);
}

static void move_batch(const ParticlePass* pass, ParticleMove* m, int block, int first, int n)
{
    TarnParticles* set = pass->set;
    Timing timing;
    ParticleBefore before;
    Around around;
    set_dt(pass, first, n, before.dt);
    if (is_flowing(set)) {
        look_around(set, first, n, before.dt, &around);
        m->flow_x = around.push_x, m->flow_y = around.push_y, m->flow_z = around.push_z;
    }
    set_timing(pass, n, before.dt, is_flowing(set) ? around.presence : NULL, &timing);
    m->dt = before.dt, m->keep = timing.keep, m->a1 = timing.a1, m->a2 = timing.a2;
    m->timing_step = TARN_LANES;
    if (m->has_bounds) note_before(set, first, n, &before);
    for (int d = 0; d < 3; ++d) m->lo[d] = particle_forever, m->hi[d] = -particle_forever;
    aim_move(m, set, first);
    set->kernels->move(m, n);
    if (!m->has_bounds) return;
    tarn__particles_collide(pass, block, first, n, &before, m->lo, m->hi);
}

static void pass_block(int block, void* data)
{
    const ParticlePass* pass = data;
    TarnParticles* set = pass->set;
    set->blocks[block] = (ParticleBlock){ 0 };
    int first = pass->begin + block * PARTICLE_BLOCK, end = pass->begin + pass->count;
    if (first + PARTICLE_BLOCK < end) end = first + PARTICLE_BLOCK;
    ParticleMove m = make_move(set);
    if (pass->all != NULL && !m.has_bounds && !is_flowing(set)) {
        move_plainly(pass, &m, first, end - first);
    } else {
        for (int b = first; b < end; b += PARTICLE_BATCH) {
            move_batch(pass, &m, block, b, end - b < PARTICLE_BATCH ? end - b : PARTICLE_BATCH);
        }
    }
    set->blocks[block].n_dead += m.n_dead;
    set->blocks[block].is_clamped |= m.is_clamped;
}

// ---- After a pass: events, and the dead make room ------------------------------------------------

static void add_event(TarnParticles* set, const TarnParticleEvent* event)
{
    if (set->n_events < set->def.max_events)
        set->events[set->n_events++] = *event;
    else
        set->ledger.lost_events++;
}

static void note_hits(TarnParticles* set, int block)
{
    const ParticleHit* hits = set->hits + (size_t)block * (size_t)set->max_hits;
    for (int h = 0; h < set->blocks[block].n_hits; ++h) {
        int i = hits[h].particle;
        TarnParticleEvent event = { .kind = hits[h].kind,
                                    .id = set->id[i],
                                    .position = hits[h].position,
                                    .velocity = hits[h].velocity,
                                    .normal = hits[h].normal,
                                    .solid = tarn__solids_id(set->solids, hits[h].solid),
                                    .kind_of_particle = set->kind[i] };
        add_event(set, &event);
    }
    set->ledger.lost_events += (uint64_t)set->blocks[block].n_lost;
}

static void note_death(TarnParticles* set, int i)
{
    int kind = set->fate[i] - 1;
    if (kind == TARN_PARTICLE_DIED) set->ledger.died++;
    if (kind == TARN_PARTICLE_LEFT) set->ledger.left++;
    if (kind == TARN_PARTICLE_KILLED) set->ledger.killed++;
    // Those killed have been noted as hits, with the solid.
    if (kind == TARN_PARTICLE_KILLED || (set->wanted & 1u << kind) == 0) return;
    TarnParticleEvent event = { .kind = kind,
                                .id = set->id[i],
                                .position = { set->x[i], set->y[i], set->z[i] },
                                .velocity = { set->vx[i], set->vy[i], set->vz[i] },
                                .kind_of_particle = set->kind[i] };
    add_event(set, &event);
}

// The next dead from i on, or end. Most are alive: eight bytes at a time.
static int next_dead(const TarnParticles* set, int i, int end)
{
    while (i < end) {
        uint64_t eight;
        memcpy(&eight, set->fate + i, sizeof eight); // the array has room behind the last
        if (eight == 0) {
            i += 8;
            continue;
        }
        for (int l = 0; l < 8 && i + l < end; ++l) {
            if (set->fate[i + l] != 0) return i + l;
        }
        i += 8;
    }
    return end;
}

// From the end, so that what is moved into a gap is alive. The places of a block's dead are noted first.
static void bury_block(TarnParticles* set, int first, int end)
{
    int dead[PARTICLE_BLOCK], n = 0;
    for (int i = next_dead(set, first, end); i < end; i = next_dead(set, i + 1, end)) dead[n++] = i;
    while (n > 0) {
        set->fate[dead[--n]] = 0;
        tarn__particles_remove(set, dead[n]);
    }
}

void tarn__particles_pass(ParticlePass* pass)
{
    TarnParticles* set = pass->set;
    int n_blocks = (pass->count + PARTICLE_BLOCK - 1) / PARTICLE_BLOCK;
    tarn__parallel_for(set->ctx, n_blocks, pass_block, pass);
    int end = pass->begin + pass->count;
    for (int b = 0; b < n_blocks; ++b) {
        const ParticleBlock* block = &set->blocks[b];
        note_hits(set, b);
        set->n_stuck += block->n_glued;
        pass->is_clamped |= block->is_clamped;
        int first = pass->begin + b * PARTICLE_BLOCK;
        int last = first + PARTICLE_BLOCK < end ? first + PARTICLE_BLOCK : end;
        if (block->n_dead == 0) continue;
        for (int i = next_dead(set, first, last); i < last; i = next_dead(set, i + 1, last))
            note_death(set, i);
    }
    for (int b = n_blocks - 1; b >= 0; --b) {
        int first = pass->begin + b * PARTICLE_BLOCK;
        int last = first + PARTICLE_BLOCK < end ? first + PARTICLE_BLOCK : end;
        if (set->blocks[b].n_dead > 0) bury_block(set, first, last);
    }
}

// ---- The step ------------------------------------------------------------------------------------

// Parabolas and exponentials are exact in one piece; what depends on the way is cut.
static int count_substeps(const TarnParticles* set, float dt)
{
    bool is_exact = !is_colliding(set) && !is_flowing(set) && set->n_pulls == 0 &&
                    !tarn__particles_is_emitting(set, set->time, dt);
    if (dt <= particle_max_dt || is_exact) return 1;
    return (int)(dt / particle_max_dt * 0.9999f) + 1;
}

static void free_glued(TarnParticles* set)
{
    if (set->n_stuck == 0 || is_colliding(set)) return;
    memset(set->stuck, 0, (size_t)set->n * sizeof set->stuck[0]);
    set->n_stuck = 0;
}

// The fastest particle, after some were too fast; the first of equals.
static TarnStepLimit find_limited(const TarnParticles* set)
{
    TarnStepLimit limited = { .what = "speed",
                              .solver = "particles",
                              .parameter = "particles.max_speed",
                              .unit = "m/s",
                              .limit = set->def.max_speed,
                              .index = -1 };
    float most = 0.0f;
    for (int p = 0; p < set->n; ++p) {
        float square =
            (set->vx[p] * set->vx[p] + set->vy[p] * set->vy[p]) + set->vz[p] * set->vz[p];
        if (!(square > most)) continue;
        most = square;
        limited.index = p;
        limited.position = (TarnVec3){ set->x[p], set->y[p], set->z[p] };
    }
    return limited;
}

TarnResult tarn_particles_step(TarnParticles* set, float dt, TarnStepReport* report)
{
    if (report) *report = (TarnStepReport){ 0 };
    if (set == NULL) return TARN_ERR_ARG;
    if (!(dt >= 0.0f && dt <= 10.0f)) {
        return tarn__fail(set->ctx, TARN_ERR_ARG,
                          "tarn_particles_step: dt %g s is out of range; allowed: 0 to 10 s",
                          (double)dt);
    }
    if (set->is_stepping) {
        return tarn__fail(set->ctx, TARN_ERR_ARG,
                          "tarn_particles_step: it was called from an event of the same system; "
                          "step again after the step");
    }
    set->is_stepping = true;
    set->n_events = 0;
    uint64_t full = set->ledger.refused + set->ledger.lost_events;
    bool is_clamped = false;
    free_glued(set);
    int n = dt > 0.0f ? count_substeps(set, dt) : 0;
    for (int s = 0; s < n; ++s) {
        float f0 = (float)s / (float)n, f1 = (float)(s + 1) / (float)n;
        double each = ((double)f1 - (double)f0) * (double)dt;
        ParticleFactors all = tarn__particle_factors(set->params.drag, each);
        ParticlePass pass = {
            .set = set, .count = set->n, .longest = (float)each, .t0 = f0, .t1 = f1, .all = &all
        };
        PresenceFactors table;
        if (is_flowing(set) && has_flow_drag(set)) {
            for (int p = 0; p <= PRESENCE_STEPS; ++p) {
                float drag = drag_at(set, (float)p / (float)PRESENCE_STEPS);
                table.at[p] = tarn__particle_factors(drag, each);
            }
            pass.by_presence = &table;
        }
        tarn__particles_pass(&pass);
        is_clamped |= pass.is_clamped;
        tarn__particles_emit(set, set->time, dt, f0, f1);
    }
    tarn__particles_settle_emitters(set);
    set->time += (double)dt;
    if (report) {
        bool is_full = set->ledger.refused + set->ledger.lost_events != full;
        *report = (TarnStepReport){ .substeps = n,
                                    .flags = (is_full ? TARN_STEP_CAPACITY_FULL : 0u) |
                                             (is_clamped ? TARN_STEP_CLAMPED : 0u),
                                    .time_advanced = (double)dt,
                                    .stable_dt = 10.0,
                                    .tiles_awake = (set->n + PARTICLE_BLOCK - 1) / PARTICLE_BLOCK,
                                    .tiles_total = set->n_blocks };
        if (is_clamped) report->limited = find_limited(set);
    }
    for (int e = 0; set->event_fn != NULL && e < set->n_events; ++e) {
        set->event_fn(set, &set->events[e], set->event_user);
    }
    set->is_stepping = false;
    return TARN_OK;
}
