// Emitters of particle systems. Particles are counted over time, not over frames: the fraction of one
// that is due is carried in double, each is born at its own moment on the emitter's way and then lives
// the rest of the frame, so that neither the number nor the pattern depends on the frame rate.
//
// What a particle draws depends on the seed, the emitter and the particle's number there only.

#include "particles/particles_internal.h"
#include "base/def.h"
#include "particles/solids_internal.h"
#include "base/maths.h"
#include "base/shape.h"

static const double shortest_period = 1e-3; // of bursts [s]
static const float shortest_life = 1e-3f;   // [s]

#define E TarnParticleEmitterDef
static const TarnParam emitter_params[] = {
    P_SHAPE(E, SHAPES_OF_EMITTERS, TARN_SHAPE_POINT,
            "Where particles are born. From a sphere and from the surface of a solid they fly "
            "outwards, else along local +y."),
    P_SHAPE_SIZE(E, 1e5, 0.1, 0.1, 0.1,
                 "Half length of a line, radius of a disc or sphere; half extents of a box; radius "
                 "and half length of a capsule or cylinder."),
    P_INT_IN(E, shape, solid, "", 0, 2147483647, 0,
             "Of a surface: the user number of the solid; a set without such a solid emits "
             "nothing."),
    P_FLOAT(E, start, "s", 0, 1e9, 0, "Time of the system at which it begins."),
    P_FLOAT(E, stop, "s", 0, 1e9, 1e9,
            "Time of the system at which the emitter ends; not before start."),
    P_FLOAT(E, rate, "1/s", 0, 1e8, 100, "Particles per second."),
    P_INT(E, burst, "", 0, 1 << 26, 0,
          "Number of particles emitted at once, at start and every burst_period."),
    P_FLOAT(E, burst_period, "s", 0, 1e6, 0,
            "Time between bursts, at least 1e-3; 0 for a single burst."),
    P_FLOAT(E, speed, "m/s", 0, 1e5, 5, "Speed along local +y, or outward."),
    P_FLOAT(E, speed_jitter, "", 0, 1, 0.1, "Share by which the speed varies to both sides."),
    P_ANGLE(E, spread, "deg", 0, 180, 0.2 / PARAM_DEGREE,
            "Half angle of the cone around local +y that particles leave in."),
    P_BOOL(E, is_flared, 0,
           "From a disc: the farther out, the larger the angle, up to the spread; else angles are "
           "random."),
    P_FLOAT(E, inherit, "", 0, 1, 1, "Share of the emitter's own velocity that particles get."),
    P_FLOAT(E, lifetime, "s", 1e-3, 1e9, 2, "Lifetime of particles."),
    P_FLOAT(E, lifetime_jitter, "", 0, 1, 0.1, "Share by which the lifetime varies to both sides."),
    P_FLOAT(E, radius, "m", 0, 1e3, 0.02, "Radius of a particle, for drawing."),
    P_INT(E, limit, "", 0, 1 << 26, 0,
          "Most particles alive from this emitter; 0 for no limit but the pool."),
    P_BOOL(E, is_recycling, 0,
           "At the limit, the oldest particles are replaced; otherwise the emitter pauses."),
    P_INT(E, kind_of_particle, "", 0, 255, 0,
          "Kind of the particles, for the host's use: how they look."),
};
#undef E
static const TarnParamTable emitter_table =
    PARAM_TABLE("particle_emitter", TarnParticleEmitterDef, emitter_params);

const TarnParamTable* tarn_particle_emitter_def_table(void)
{
    return &emitter_table;
}
void tarn_particle_emitter_init_def(TarnParticleEmitterDef* out, size_t size)
{
    TarnParticleEmitterDef def;
    memset(&def, 0, sizeof def);
    def.motion.rotation.w = 1.0f;
    tarn_param_defaults(&emitter_table, &def);
    TARN_INIT_DEF(TarnParticleEmitterDef, out, size, &def);
}

// ---- Ids and checks ------------------------------------------------------------------------------

static bool is_small(TarnVec3 v, float limit)
{
    return v.x >= -limit && v.x <= limit && v.y >= -limit && v.y <= limit && v.z >= -limit &&
           v.z <= limit;
}

// The rotation may have any length but 0; it is normalized when it is used.
static TarnResult check_motion(TarnContext* ctx, const TarnMotion* m)
{
    if (m == NULL) {
        return tarn__fail(ctx, TARN_ERR_ARG, "particle_emitter.motion: NULL; give a motion");
    }
    double x = m->rotation.x, y = m->rotation.y, z = m->rotation.z, w = m->rotation.w;
    double length2 = x * x + y * y + z * z + w * w;
    if (!is_small(m->position, particle_reach)) {
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "particle_emitter.motion: position [%g, %g, %g] m; allowed: -1e6 to 1e6",
                          (double)m->position.x, (double)m->position.y, (double)m->position.z);
    }
    if (!(length2 > 0.25 && length2 < 4.0)) {
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "particle_emitter.motion: rotation [%g, %g, %g, %g] is not a unit "
                          "quaternion; no rotation is [0, 0, 0, 1]",
                          x, y, z, w);
    }
    if (!is_small(m->velocity, 1e5f) || !is_small(m->angular_velocity, 1e5f)) {
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "particle_emitter.motion: a velocity is out of range; allowed: -1e5 to "
                          "1e5 m/s or rad/s");
    }
    return TARN_OK;
}

TarnResult tarn__particles_check_emitter(TarnContext* ctx, const TarnParticleEmitterDef* def)
{
    TARN_TRY(TARN_CHECK_DEF(ctx, "particle_emitter", "tarn/particles.h", TarnParticleEmitterDef,
                            tarn_particle_emitter_default_def, def));
    TARN_TRY(tarn_param_validate(ctx, &emitter_table, def));
    TARN_TRY(tarn__shape_check_size(ctx, "particle_emitter", &def->shape, 0.0f, 1e5f));
    TARN_TRY(check_motion(ctx, &def->motion));
    if (def->stop < def->start) {
        return tarn__fail(ctx, TARN_ERR_ARG, "particle_emitter.stop: %g s is before start, %g s",
                          (double)def->stop, (double)def->start);
    }
    if (def->burst_period > 0.0f && (double)def->burst_period < shortest_period) {
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "particle_emitter.burst_period: %g s; allowed: 0 for one burst, or 1e-3 "
                          "and more",
                          (double)def->burst_period);
    }
    return TARN_OK;
}

static TarnResult find(const TarnParticles* set, TarnParticleEmitterId id, ParticleEmitter** out)
{
    int slot = tarn__handles_find(set->ctx, &set->emitter_ids, id.value);
    if (slot < 0) return TARN_ERR_ARG;
    *out = &set->emitters[slot];
    return TARN_OK;
}

TarnResult tarn_particles_add_emitter(TarnParticles* set, const TarnParticleEmitterDef* def,
                                      TarnParticleEmitterId* out)
{
    if (out) *out = (TarnParticleEmitterId){ 0 };
    if (set == NULL) return TARN_ERR_ARG;
    TARN_TRY(tarn__particles_check_emitter(set->ctx, def));
    int slot = tarn__handles_add(&set->emitter_ids);
    if (slot < 0) {
        return tarn__fail(set->ctx, TARN_ERR_CAPACITY,
                          "all %d emitters are in use; raise particles.max_emitters",
                          set->def.max_emitters);
    }
    double begin = (double)def->start > set->time ? (double)def->start : set->time;
    set->emitters[slot] = (ParticleEmitter){
        .def = *def, .from = def->motion, .begin = begin, .head = -1, .tail = -1, .throttle = 1.0f
    };
    if (out) out->value = tarn__handles_id(&set->emitter_ids, slot);
    return TARN_OK;
}

int tarn__particles_free_emitters(const TarnParticles* set)
{
    return set->emitter_ids.capacity - set->emitter_ids.count;
}

TarnResult tarn_particles_remove_emitter(TarnParticles* set, TarnParticleEmitterId id)
{
    ParticleEmitter* e = NULL;
    if (set == NULL) return TARN_ERR_ARG;
    TARN_TRY(find(set, id, &e));
    for (int i = e->head; i >= 0;) { // its particles live on, on their own
        int next = set->next[i];
        set->emitter[i] = PARTICLE_NO_EMITTER;
        set->prev[i] = set->next[i] = -1;
        i = next;
    }
    tarn__handles_remove(&set->emitter_ids, (int)(e - set->emitters));
    return TARN_OK;
}

TarnResult tarn_particles_move_emitter(TarnParticles* set, TarnParticleEmitterId id,
                                       const TarnMotion* motion)
{
    ParticleEmitter* e = NULL;
    if (set == NULL) return TARN_ERR_ARG;
    TARN_TRY(find(set, id, &e));
    TARN_TRY(check_motion(set->ctx, motion));
    e->def.motion = *motion;
    return TARN_OK;
}

static TarnResult check_share(TarnContext* ctx, float share)
{
    if (share >= 0.0f && share <= 1.0f) return TARN_OK;
    return tarn__fail(ctx, TARN_ERR_ARG, "throttle: %g is out of range; allowed: 0 to 1",
                      (double)share);
}
TarnResult tarn_particles_throttle_emitter(TarnParticles* set, TarnParticleEmitterId id,
                                           float share)
{
    ParticleEmitter* e = NULL;
    if (set == NULL) return TARN_ERR_ARG;
    TARN_TRY(find(set, id, &e));
    TARN_TRY(check_share(set->ctx, share));
    e->throttle = share;
    return TARN_OK;
}
TarnResult tarn_particles_throttle(TarnParticles* set, float share)
{
    if (set == NULL) return TARN_ERR_ARG;
    TARN_TRY(check_share(set->ctx, share));
    set->throttle = share;
    return TARN_OK;
}

TarnResult tarn_particles_set_emitter(TarnParticles* set, TarnParticleEmitterId id,
                                      const TarnParticleEmitterDef* def)
{
    ParticleEmitter* e = NULL;
    if (set == NULL) return TARN_ERR_ARG;
    TARN_TRY(find(set, id, &e));
    TARN_TRY(tarn__particles_check_emitter(set->ctx, def));
    bool is_new_beat = e->def.start != def->start || e->def.burst_period != def->burst_period;
    e->def = *def;
    e->from = def->motion; // put there, not moved
    if (is_new_beat) {
        e->begin = (double)def->start > set->time ? (double)def->start : set->time;
        e->bursts = 0;
    }
    return TARN_OK;
}

void tarn__particles_settle_emitters(TarnParticles* set)
{
    for (int e = 0; e < set->def.max_emitters; ++e)
        set->emitters[e].from = set->emitters[e].def.motion;
}

// ---- Births --------------------------------------------------------------------------------------

// Some particles of one emitter, born between two moments of a frame.
typedef struct Births {
    TarnParticles* set;
    const ParticleEmitter* emitter;
    int slot, begin, count; // places in the pool
    uint64_t first;         // number of the first one at this emitter
    double at, apart;       // moment of the first, and between two [s from the start of the frame]
    double end, frame;      // end of the substep and length of the frame [s]
    int solid;              // slot of the solid of a surface
} Births;

enum { DRAW_A, DRAW_B, DRAW_C, DRAW_ANGLE, DRAW_TURN, DRAW_SPEED, DRAW_LIFE, N_DRAWS };

// Of random numbers: another one for each emitter that a slot has held.
static uint64_t stream_of(const Births* b)
{
    return (uint64_t)b->slot | (uint64_t)b->set->emitter_ids.generation[b->slot] << 16;
}

static float draw(const Births* b, uint64_t number, int what)
{
    uint64_t stream = stream_of(b);
    return tarn__random01((uint64_t)b->set->def.seed, stream, number * N_DRAWS + (uint64_t)what);
}

static TarnVec3 tilted(float cosine, float turn) // from +y, turned by a share of a circle
{
    float s, c, sine = sqrtf(tarn_maxf(0.0f, 1.0f - cosine * cosine));
    tarn_sincos(6.2831853f * turn, &s, &c);
    return (TarnVec3){ sine * c, cosine, sine * s };
}

// Even over a capsule: w chooses between the part between its ends, 2 pi r^2 half, and the ball of both ends,
// 4/3 pi r^3, and says where in it.
static TarnVec3 draw_capsule(float radius, float half, float u, float v, float w)
{
    float ball = 2.0f / 3.0f * radius, pick = w * (half + ball);
    TarnVec3 place;
    if (pick < half) {
        place = vec3_scale(tilted(0.0f, v), radius * sqrtf(u));
        place.y = 2.0f * pick - half;
    } else {
        float share = ball > 0.0f ? tarn_minf((pick - half) / ball, 1.0f) : 0.0f;
        place = vec3_scale(tilted(1.0f - 2.0f * u, v), radius * tarn_pow(share, 1.0f / 3.0f));
        place.y += place.y < 0.0f ? -half : half;
    }
    return place;
}

// Place and direction in the emitter's own axes.
static void draw_local(const Births* b, uint64_t number, TarnVec3* place, TarnVec3* direction)
{
    const TarnParticleEmitterDef* def = &b->emitter->def;
    float u = draw(b, number, DRAW_A), v = draw(b, number, DRAW_B), w = draw(b, number, DRAW_C);
    TarnVec3 size = def->shape.size;
    float edge = tarn_cos(def->spread), r = 0.0f;
    *place = (TarnVec3){ 0.0f, 0.0f, 0.0f };
    *direction = tilted(1.0f - draw(b, number, DRAW_ANGLE) * (1.0f - edge), // even over the cap
                        draw(b, number, DRAW_TURN));
    switch (def->shape.kind) {
    case TARN_SHAPE_LINE:
        place->x = size.x * (2.0f * u - 1.0f);
        break;
    case TARN_SHAPE_BOX:
        *place = (TarnVec3){ size.x * (2.0f * u - 1.0f), size.y * (2.0f * v - 1.0f),
                             size.z * (2.0f * w - 1.0f) };
        break;
    case TARN_SHAPE_SPHERE: // even over the ball
        *direction = tilted(1.0f - 2.0f * u, v);
        *place = vec3_scale(*direction, size.x * tarn_pow(w, 1.0f / 3.0f));
        break;
    case TARN_SHAPE_DISC:
        r = sqrtf(u);
        *place = vec3_scale(tilted(0.0f, v), size.x * r);
        if (def->is_flared && size.x > 0.0f)
            *direction = tilted(tarn_cos(def->spread * r), v); // straight out of the opening
        break;
    case TARN_SHAPE_CYLINDER:
        *place = vec3_scale(tilted(0.0f, v), size.x * sqrtf(u));
        place->y = size.y * (2.0f * w - 1.0f);
        break;
    case TARN_SHAPE_CAPSULE:
        *place = draw_capsule(size.x, size.y, u, v, w);
        break;
    default:
        break;
    }
}

static TarnVec3 lerp3(TarnVec3 a, TarnVec3 b, float s)
{
    return vec3_add(vec3_scale(a, 1.0f - s), vec3_scale(b, s));
}

// Where the emitter is at a share s of the frame. The shorter way around.
static TarnMotion motion_at(const ParticleEmitter* e, float s)
{
    TarnQuat a = quat_normalize(e->from.rotation), b = quat_normalize(e->def.motion.rotation);
    float t = (a.x * b.x + a.y * b.y) + (a.z * b.z + a.w * b.w) < 0.0f ? -s : s, r = 1.0f - s;
    return (TarnMotion){
        .position = lerp3(e->from.position, e->def.motion.position, s),
        .rotation = quat_normalize((TarnQuat){ r * a.x + t * b.x, r * a.y + t * b.y,
                                               r * a.z + t * b.z, r * a.w + t * b.w }),
        .velocity = lerp3(e->from.velocity, e->def.motion.velocity, s),
        .angular_velocity = lerp3(e->from.angular_velocity, e->def.motion.angular_velocity, s),
    };
}

static float jittered(float value, float share, float u)
{
    return value * (1.0f + share * (2.0f * u - 1.0f));
}

// Where a newborn is, which way it flies off, and the velocity of what it leaves.
typedef struct Start {
    TarnVec3 place, direction, carried;
} Start;

static Start start_of_emitter(const Births* b, uint64_t number, float share)
{
    TarnMotion m = motion_at(b->emitter, share);
    TarnVec3 place, direction;
    draw_local(b, number, &place, &direction);
    TarnVec3 arm = quat_rotate(m.rotation, place);
    return (Start){ .place = vec3_add(m.position, arm),
                    .direction = quat_rotate(m.rotation, direction),
                    .carried = vec3_add(m.velocity, vec3_cross(m.angular_velocity, arm)) };
}

// The rotation that takes +y to a unit vector, the shortest way.
static TarnQuat turn_up_to(TarnVec3 n)
{
    if (n.y < -0.9999f) return (TarnQuat){ 1.0f, 0.0f, 0.0f, 0.0f };
    return quat_normalize((TarnQuat){ n.z, 0.0f, -n.x, 1.0f + n.y });
}

static Start start_of_surface(const Births* b, uint64_t number, float share)
{
    const TarnParticleEmitterDef* def = &b->emitter->def;
    uint64_t stream = stream_of(b) | (uint64_t)1 << 62;
    SurfacePoint at;
    if (!tarn__solids_surface(b->set->solids, b->solid, share, (uint64_t)b->set->def.seed, stream,
                              number << 9, &at)) {
        return start_of_emitter(b, number, share);
    }
    float cosine = 1.0f - draw(b, number, DRAW_ANGLE) * (1.0f - tarn_cos(def->spread));
    TarnVec3 direction = tilted(cosine, draw(b, number, DRAW_TURN));
    return (Start){ .place = vec3_add(at.position, vec3_scale(at.normal, b->set->params.radius)),
                    .direction = quat_rotate(turn_up_to(at.normal), direction),
                    .carried = at.velocity };
}

static void bear(const Births* b, int j)
{
    TarnParticles* set = b->set;
    const TarnParticleEmitterDef* def = &b->emitter->def;
    uint64_t number = b->first + (uint64_t)j;
    double at = b->at + b->apart * j;
    at = at < b->end ? at : b->end;
    float share = b->frame > 0.0 ? (float)(at / b->frame) : 1.0f;
    Start start = def->shape.kind == TARN_SHAPE_SURFACE ? start_of_surface(b, number, share)
                                                        : start_of_emitter(b, number, share);
    TarnVec3 x = start.place;
    float speed = jittered(def->speed, def->speed_jitter, draw(b, number, DRAW_SPEED));
    TarnVec3 v =
        vec3_add(vec3_scale(start.direction, speed), vec3_scale(start.carried, def->inherit));
    double fast = vec3__length(v), most = (double)set->def.max_speed;
    if (fast > most) {
        double s = most / fast;
        v = (TarnVec3){ (float)(s * v.x), (float)(s * v.y), (float)(s * v.z) };
    }
    int i = b->begin + j;
    set->x[i] = x.x, set->y[i] = x.y, set->z[i] = x.z;
    set->vx[i] = v.x, set->vy[i] = v.y, set->vz[i] = v.z;
    set->age[i] = (float)(b->end - at); // what it has yet to live of this substep
    float life = jittered(def->lifetime, def->lifetime_jitter, draw(b, number, DRAW_LIFE));
    set->lifetime[i] = tarn_maxf(life, shortest_life);
    set->radius[i] = def->radius;
    set->id[i] = (uint32_t)(set->ledger.added + (uint64_t)j);
    set->prev[i] = j > 0 ? i - 1 : b->emitter->tail;
    set->next[i] = j + 1 < b->count ? i + 1 : -1;
    set->emitter[i] = (uint16_t)b->slot;
    set->stuck[i] = 0;
    set->kind[i] = (uint8_t)def->kind_of_particle;
    set->fate[i] = 0;
}

static void bear_block(int block, void* data)
{
    const Births* b = data;
    int end = (block + 1) * PARTICLE_BATCH < b->count ? (block + 1) * PARTICLE_BATCH : b->count;
    for (int j = block * PARTICLE_BATCH; j < end; ++j) bear(b, j);
}

// How many of count find room, after the oldest made some if that is wanted.
static int make_room(TarnParticles* set, ParticleEmitter* e, int64_t count)
{
    int64_t limit = e->def.limit > 0 ? e->def.limit : set->def.max_particles;
    if (limit > set->def.max_particles) limit = set->def.max_particles;
    if (set->throttle < 1.0f) limit = (int64_t)((double)limit * (double)set->throttle);
    int64_t want = count < limit ? count : limit;
    if (!e->def.is_recycling) {
        int64_t below = limit - e->alive > 0 ? limit - e->alive : 0;
        if (want > below && e->def.limit > 0) want = below; // it pauses
        int64_t room = set->def.max_particles - set->n;
        if (want > room) set->ledger.refused += (uint64_t)(want - room);
        return (int)(want < room ? want : room);
    }
    // Under a throttle that was just pulled they go two by two, not all at once.
    int64_t most = set->throttle < 1.0f ? 2 * want : INT64_MAX, n = 0;
    while (e->head >= 0 && n < most &&
           (e->alive + want > limit || set->n + want > set->def.max_particles)) {
        tarn__particles_remove(set, e->head);
        set->ledger.recycled++;
        ++n;
    }
    int64_t room = set->def.max_particles - set->n;
    if (want > room) set->ledger.refused += (uint64_t)(want - room);
    return (int)(want < room ? want : room);
}

// One run of births, count of them from the moment `at` on.
static void bring_forth(TarnParticles* set, int slot, int64_t count, Births b, float t0, float t1)
{
    ParticleEmitter* e = &set->emitters[slot];
    int taken = make_room(set, e, count);
    int64_t skipped = e->def.is_recycling ? count - taken : 0; // of these the newest stay
    b.set = set;
    b.emitter = e;
    b.slot = slot;
    b.begin = set->n;
    b.count = taken;
    b.first = e->due + (uint64_t)skipped;
    b.at += b.apart * (double)skipped;
    e->due += (uint64_t)count;
    if (taken == 0) return;
    tarn__parallel_for(set->ctx, (taken + PARTICLE_BATCH - 1) / PARTICLE_BATCH, bear_block, &b);
    *(e->tail >= 0 ? &set->next[e->tail] : &e->head) = b.begin;
    e->tail = b.begin + taken - 1;
    e->alive += taken;
    set->n += taken;
    set->ledger.added += (uint64_t)taken;
    ParticlePass pass = { .set = set,
                          .begin = b.begin,
                          .count = taken,
                          .longest = (float)(b.end - (double)t0 * b.frame),
                          .t0 = t0,
                          .t1 = t1 };
    tarn__particles_pass(&pass);
}

bool tarn__particles_is_emitting(const TarnParticles* set, double t, float dt)
{
    for (int n = 0; n < set->emitter_ids.count; ++n) {
        const ParticleEmitter* e = &set->emitters[set->emitter_ids.order[n]];
        if (e->begin < t + (double)dt && t < (double)e->def.stop) return true;
    }
    return false;
}

static void emit_one(TarnParticles* set, int slot, double t, float dt, float f0, float f1)
{
    ParticleEmitter* e = &set->emitters[slot];
    const TarnParticleEmitterDef* def = &e->def;
    double frame = dt, begin = (double)f0 * frame, end = (double)f1 * frame;
    double from = e->begin - t > begin ? e->begin - t : begin; // it is on from here
    double to = (double)def->stop - t < end ? (double)def->stop - t : end;
    if (!(from < to)) return;
    Births b = { .end = end, .frame = frame, .solid = -1 };
    if (def->shape.kind == TARN_SHAPE_SURFACE) {
        if (set->solids) b.solid = tarn__solids_by_user(set->solids, (uint32_t)def->shape.solid);
        if (b.solid < 0) return; // it is not there, or not any more
    }
    double share = (double)e->throttle * (double)set->throttle;
    double beat = (double)def->burst_period, passed = t + begin - e->begin;
    if (beat > 0.0 && beat * (double)e->bursts < passed - beat) { // none is made up for
        e->bursts = (uint64_t)(passed / beat) + 1;
    }
    for (;;) { // bursts
        double at = e->begin + beat * (double)e->bursts - t;
        if (def->burst == 0 || !(at < to) || (e->bursts > 0 && beat == 0.0)) break;
        e->bursts++;
        b.at = at > from ? at : from;
        b.apart = 0.0;
        bring_forth(set, slot, (int64_t)((double)def->burst * share), b, f0, f1);
    }
    double rate = (double)def->rate * share;
    if (!(rate > 0.0)) return;
    double due = e->carry + rate * (to - from);
    int64_t count = (int64_t)due;
    b.apart = 1.0 / rate;
    b.at = from + (1.0 - e->carry) * b.apart;
    e->carry = due - (double)count;
    bring_forth(set, slot, count, b, f0, f1);
}

void tarn__particles_emit(TarnParticles* set, double t, float dt, float f0, float f1)
{
    for (int slot = 0; slot < set->def.max_emitters; ++slot) {
        if (tarn__handles_is_used(&set->emitter_ids, slot)) emit_one(set, slot, t, dt, f0, f1);
    }
}
