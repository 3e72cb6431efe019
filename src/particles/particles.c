// Particle systems: parameters, creation, the pool. The step is in particles_step.c, its inner loop in
// particles_kernels.c, collisions in particles_collide.c, emitters in particles_emit.c.
//
// Method   points under gravity, linear drag towards wind or a flow, and attractors: the simple particle
//          system of [Mueller2007]. One push per step, solved exactly; what depends on the place is
//          taken half way (leapfrog). Emission is counted in particles, not in frames: each is born at
//          its own moment and place on the emitter's way and lives the rest of the frame.
// Differs  from Euler steps with a factor per frame: parabolas and exponentials are exact for any dt,
//          and nothing depends on the frame rate.
// Checked  tests/physics/check_particles.c, tests/unit/test_particles.c,
//          tests/robust/test_particles_storms.c.
// Cost     54 bytes per particle, 60 bytes of traffic per particle and step; bench/bench_particles.c.

#include "particles/particles_internal.h"
#include "base/def.h"
#include "base/maths.h"
#include "base/param.h"

// The table is in reading order.
#define D TarnParticlesDef
static const TarnParam def_params[] = {
    P_INT(D, max_particles, "", 1, 1 << 26, 65536, "Most particles alive at once."),
    P_INT(D, max_emitters, "", 0, 4096, 16, "Most emitters at once."),
    P_INT(D, max_attractors, "", 0, 256, 8, "Most attractors at once."),
    P_INT(D, max_events, "", 0, 1 << 20, 1024,
          "Most events kept per step; more are counted and dropped."),
    P_INT(D, seed, "", 0, 2147483647, 1, "Seed of everything random."),
    P_FLOAT(D, max_speed, "m/s", 0.01, 1e5, 1000, "Faster particles are slowed down to this."),
};
#undef D
#define P TarnParticlesParams
static const TarnParam params_params[] = {
    P_VEC3(P, gravity, "m/s^2", -1e4, 1e4, 0, -9.81, 0, "Gravity."),
    P_VEC3(P, wind, "m/s", -1e4, 1e4, 0, 0, 0, "Velocity of the air that drag pulls toward."),
    P_FLOAT(P, drag, "1/s", 0, 1e4, 0,
            "Rate at which a particle takes on the velocity of the air or the flow; larger values "
            "follow more closely."),
    P_FLOAT(
        P, flow_drag, "1/s", 0, 1e4, 0,
        "Drag where a flow is present; 0 uses drag. The two blend at the boundary of the flow."),
    P_FLOAT(P, flow_gravity, "", 0, 1, 1,
            "Share of gravity that acts where a flow is present; 0 for smoke, which floats."),
    P_FLOAT(P, radius, "m", 0, 100, 0.01, "Distance kept between particles and solids."),
    P_FLOAT(P, restitution, "", 0, 1, 0,
            "Share of the speed that a particle keeps when it bounces off a solid; the larger of "
            "this and the solid's counts."),
    P_FLOAT(P, friction, "", 0, 1, 0,
            "Friction at solids: 0 slides freely, 1 does not slip; the larger of this and the "
            "solid's counts."),
    P_BOOL(P, use_collisions, 1, "Particles collide with the solids that were set."),
    P_VEC3(P, box_min, "m", -1e6, 1e6, -1e4, -1e4, -1e4,
           "Lower corner of the box; particles outside it die."),
    P_VEC3(P, box_max, "m", -1e6, 1e6, 1e4, 1e4, 1e4,
           "Upper corner of the box; particles outside it die."),
};
#undef P
static const TarnParamTable def_table = PARAM_TABLE("particles", TarnParticlesDef, def_params);
static const TarnParamTable params_table =
    PARAM_TABLE("particles", TarnParticlesParams, params_params);

const TarnParamTable* tarn_particles_def_table(void)
{
    return &def_table;
}
const TarnParamTable* tarn_particles_params_table(void)
{
    return &params_table;
}
void tarn_particles_init_def(TarnParticlesDef* out, size_t size)
{
    TarnParticlesDef def = { 0 };
    tarn_param_defaults(&def_table, &def);
    TARN_INIT_DEF(TarnParticlesDef, out, size, &def);
}
TarnParticlesParams tarn_particles_default_params(void)
{
    TarnParticlesParams params;
    memset(&params, 0, sizeof params);
    tarn_param_defaults(&params_table, &params);
    return params;
}

// ---- Create --------------------------------------------------------------------------------------

static TarnResult check_def(TarnContext* ctx, const TarnParticlesDef* def)
{
    TARN_TRY(TARN_CHECK_DEF(ctx, "particles", "tarn/particles.h", TarnParticlesDef,
                            tarn_particles_default_def, def));
    return tarn_param_validate(ctx, &def_table, def);
}

// The next array of n elements. With base NULL it only counts.
static void* place(TarnLayout* layout, char* base, size_t n, size_t size)
{
    size_t at = tarn__layout_add(layout, n * size);
    return base ? base + at : NULL;
}

// Places all arrays; with set NULL it only counts.
static size_t lay_out(const TarnParticlesDef* def, TarnParticles* set)
{
    TarnLayout layout = { 0 };
    TarnParticles only_counts = { 0 };
    char* base = (char*)set;
    TarnParticles* s = set ? set : &only_counts;
    tarn__layout_add(&layout, sizeof(TarnParticles));
    size_t n = (size_t)def->max_particles + TARN_LANES; // kernels read and write whole eights
    float** floats[] = { &s->x,  &s->y,   &s->z,        &s->vx,    &s->vy,
                         &s->vz, &s->age, &s->lifetime, &s->radius };
    for (int f = 0; f < 9; ++f) *floats[f] = place(&layout, base, n, sizeof(float));
    s->id = place(&layout, base, n, sizeof(uint32_t));
    s->prev = place(&layout, base, n, sizeof(int));
    s->next = place(&layout, base, n, sizeof(int));
    s->emitter = place(&layout, base, n, sizeof(uint16_t));
    s->stuck = place(&layout, base, n, sizeof(uint16_t));
    s->kind = place(&layout, base, n, 1);
    s->fate = place(&layout, base, n, 1);
    size_t attractors = (size_t)def->max_attractors, events = (size_t)def->max_events;
    s->emitters = place(&layout, base, (size_t)def->max_emitters, sizeof(ParticleEmitter));
    s->attractors = place(&layout, base, attractors, sizeof(TarnAttractorDef));
    tarn__handles_place(&s->emitter_ids, &layout, base, def->max_emitters);
    tarn__handles_place(&s->attractor_ids, &layout, base, def->max_attractors);
    s->pulls = place(&layout, base, attractors, sizeof(TarnAttractorDef));
    s->events = place(&layout, base, events, sizeof(TarnParticleEvent));
    s->n_blocks = (def->max_particles + PARTICLE_BLOCK - 1) / PARTICLE_BLOCK;
    int share = 2 * def->max_events / s->n_blocks; // hits are seldom spread evenly
    s->max_hits = share > PARTICLE_MIN_HITS ? share : PARTICLE_MIN_HITS;
    if (s->max_hits > def->max_events) s->max_hits = def->max_events;
    s->blocks = place(&layout, base, (size_t)s->n_blocks, sizeof(ParticleBlock));
    s->hits = place(&layout, base, (size_t)s->n_blocks * (size_t)s->max_hits, sizeof(ParticleHit));
    return layout.size;
}

size_t tarn_particles_memory(const TarnParticlesDef* def)
{
    return check_def(NULL, def) == TARN_OK ? lay_out(def, NULL) : 0;
}

TarnResult tarn_particles_create(TarnContext* ctx, const TarnParticlesDef* def, TarnParticles** out)
{
    if (out == NULL) return tarn__fail(ctx, TARN_ERR_ARG, "tarn_particles_create: out is NULL");
    *out = NULL;
    if (ctx == NULL) return TARN_ERR_ARG;
    TARN_TRY(check_def(ctx, def));
    size_t size = lay_out(def, NULL);
    TarnParticles* set = tarn__alloc(ctx, size);
    if (set == NULL) {
        return tarn__fail(ctx, TARN_ERR_MEMORY,
                          "particles: out of memory for %d particles (%zu bytes)",
                          def->max_particles, size);
    }
    set->ctx = ctx;
    set->memory = size;
    set->def = *def;
    set->params = tarn_particles_default_params();
    set->throttle = 1.0f;
    tarn__handles_begin(&set->emitter_ids, "particle_emitter", "particle system",
                        "tarn_particles_add_emitter");
    tarn__handles_begin(&set->attractor_ids, "attractor", "particle system",
                        "tarn_particles_add_attractor");
    // With AVX-512 the tests for the dead and the fast go through mask registers, which costs more than it saves: 84
    // instead of 80 us for a step of 100,000 particles (tarn bench particles.ballistic).
    set->kernels = TARN_KERNELS_PICK_NO_MASKS(ctx->isa, tarn__particle_kernels);
    lay_out(def, set);
    *out = set;
    return TARN_OK;
}

void tarn_particles_destroy(TarnParticles* set)
{
    if (set != NULL) tarn__free(set->ctx, set, set->memory);
}

TarnResult tarn_particles_set_params(TarnParticles* set, const TarnParticlesParams* params)
{
    if (set == NULL || params == NULL) return TARN_ERR_ARG;
    TARN_TRY(tarn_param_validate(set->ctx, &params_table, params));
    const float* lo = &params->box_min.x;
    const float* hi = &params->box_max.x;
    for (int d = 0; d < 3; ++d) {
        if (lo[d] < hi[d]) continue;
        return tarn__fail(set->ctx, TARN_ERR_ARG,
                          "particles.box_min: %g m is not below box_max, %g m, along %c",
                          (double)lo[d], (double)hi[d], "xyz"[d]);
    }
    set->params = *params;
    return TARN_OK;
}
TarnParticlesParams tarn_particles_params(const TarnParticles* set)
{
    return set->params;
}
const TarnParticlesDef* tarn_particles_def(const TarnParticles* particles)
{
    return particles ? &particles->def : NULL;
}

void tarn_particles_reset(TarnParticles* set)
{
    if (set == NULL || set->is_stepping) return;
    memset(set->fate, 0, (size_t)set->def.max_particles + TARN_LANES);
    set->n = set->n_stuck = set->n_events = 0;
    set->time = 0.0;
    set->ledger = (TarnParticlesLedger){ 0 };
    for (int n = 0; n < set->emitter_ids.count; ++n) {
        ParticleEmitter* emitter = &set->emitters[set->emitter_ids.order[n]];
        emitter->from = emitter->def.motion;
        emitter->begin = emitter->def.start;
        emitter->carry = 0.0;
        emitter->bursts = emitter->due = 0;
        emitter->head = emitter->tail = -1;
        emitter->alive = 0;
    }
}

// ---- The pool ------------------------------------------------------------------------------------

static void unlink_particle(TarnParticles* set, int i)
{
    if (set->emitter[i] == PARTICLE_NO_EMITTER) return;
    ParticleEmitter* e = &set->emitters[set->emitter[i]];
    int prev = set->prev[i], next = set->next[i];
    *(prev >= 0 ? &set->next[prev] : &e->head) = next;
    *(next >= 0 ? &set->prev[next] : &e->tail) = prev;
    e->alive--;
}

// Everything of a particle but its fate, and the links of its neighbors.
static void relocate(TarnParticles* set, int from, int to)
{
    float* const floats[] = { set->x,  set->y,   set->z,        set->vx,    set->vy,
                              set->vz, set->age, set->lifetime, set->radius };
    for (int f = 0; f < 9; ++f) floats[f][to] = floats[f][from];
    set->id[to] = set->id[from];
    set->kind[to] = set->kind[from];
    set->stuck[to] = set->stuck[from];
    set->emitter[to] = set->emitter[from];
    int prev = set->prev[to] = set->prev[from], next = set->next[to] = set->next[from];
    if (set->emitter[to] == PARTICLE_NO_EMITTER) return;
    ParticleEmitter* e = &set->emitters[set->emitter[to]];
    *(prev >= 0 ? &set->next[prev] : &e->head) = to;
    *(next >= 0 ? &set->prev[next] : &e->tail) = to;
}

void tarn__particles_remove(TarnParticles* set, int i)
{
    unlink_particle(set, i);
    if (set->stuck[i] != 0) set->n_stuck--;
    int last = --set->n;
    if (last != i) relocate(set, last, i);
}

static bool is_within(TarnVec3 v, float limit)
{
    return v.x >= -limit && v.x <= limit && v.y >= -limit && v.y <= limit && v.z >= -limit &&
           v.z <= limit;
}

static TarnVec3 slowed(TarnVec3 v, float max_speed)
{
    double speed = vec3__length(v), s = speed > max_speed ? max_speed / speed : 1.0;
    return (TarnVec3){ (float)(s * v.x), (float)(s * v.y), (float)(s * v.z) };
}

int tarn_particles_add(TarnParticles* set, int n, const TarnVec3* position,
                       const TarnVec3* velocity, const float* lifetime, float radius, int kind)
{
    if (set == NULL || position == NULL || kind < 0 || kind > 255) return 0;
    if (!(radius >= 0.0f && radius <= particle_reach)) return 0;
    int taken = 0;
    for (int p = 0; p < n; ++p) {
        TarnVec3 v = velocity ? velocity[p] : (TarnVec3){ 0 };
        float life = lifetime ? lifetime[p] : particle_forever;
        if (!is_within(position[p], particle_reach) || !tarn__is_finite3(v) || !(life > 0.0f))
            continue;
        if (set->n == set->def.max_particles) {
            set->ledger.refused++;
            continue;
        }
        int i = set->n++;
        v = slowed(v, set->def.max_speed);
        set->x[i] = position[p].x, set->y[i] = position[p].y, set->z[i] = position[p].z;
        set->vx[i] = v.x, set->vy[i] = v.y, set->vz[i] = v.z;
        set->age[i] = 0.0f;
        set->lifetime[i] = tarn_minf(life, particle_forever);
        set->radius[i] = radius;
        set->id[i] = (uint32_t)set->ledger.added++;
        set->prev[i] = set->next[i] = -1;
        set->emitter[i] = PARTICLE_NO_EMITTER;
        set->stuck[i] = 0;
        set->kind[i] = (uint8_t)kind;
        ++taken;
    }
    return taken;
}

// ---- What acts on them ---------------------------------------------------------------------------

TarnResult tarn_particles_set_flow(TarnParticles* set, TarnFlow flow)
{
    if (set == NULL) return TARN_ERR_ARG;
    set->flow = flow;
    return TARN_OK;
}
TarnResult tarn_particles_set_solids(TarnParticles* set, const TarnSolids* solids)
{
    if (set == NULL) return TARN_ERR_ARG;
    if (set->solids != solids) { // whatever was glued to the old ones is free
        memset(set->stuck, 0, (size_t)set->n * sizeof set->stuck[0]);
        set->n_stuck = 0;
    }
    set->solids = solids;
    return TARN_OK;
}
TarnResult tarn_particles_set_events(TarnParticles* set, uint32_t wanted, TarnParticleEventFn* fn,
                                     void* user)
{
    if (set == NULL) return TARN_ERR_ARG;
    if (wanted >> (TARN_PARTICLE_KILLED + 1) != 0) {
        return tarn__fail(set->ctx, TARN_ERR_ARG,
                          "tarn_particles_set_events: wanted %#x has unknown bits; use 1 << "
                          "TARN_PARTICLE_DIED and so on",
                          (unsigned)wanted);
    }
    set->wanted = wanted;
    set->event_fn = fn;
    set->event_user = user;
    return TARN_OK;
}
