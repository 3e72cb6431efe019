// What bodies carry (nozzles, emitters, jets), and fires.

#include "world/world_internal.h"
#include "base/def.h"
#include "base/maths.h"
#include "base/param.h"
#include "particles/particles_internal.h"
#include "tarn/coupling.h"

// ---- Carried by bodies -----------------------------------------------------------------------------

static TarnResult check_place(const TarnWorld* world, TarnBodyId body)
{
    if (world->n_carried == TARN_WORLD_MAX_ATTACHED)
        return tarn__fail(world->ctx, TARN_ERR_CAPACITY,
                          "bodies of this world carry %d things already, all that they can",
                          world->n_carried);
    if (tarn__world_slot_of(world, body) >= 0) return TARN_OK;
    return tarn__fail(world->ctx, TARN_ERR_ARG,
                      "body: the id is stale, null, or of another set; use one of this world");
}

static TarnResult check_power(const TarnWorld* world, int use)
{
    if (use >= TARN_POWER_NONE && use <= TARN_POWER_CHANGES) return TARN_OK;
    return tarn__fail(world->ctx, TARN_ERR_ARG, "power: %d is no TarnPowerUse; allowed: 0 to 2",
                      use);
}

// The body that still carries it, or NULL.
static const TarnBody* carrier(const TarnWorld* world, const Carried* c)
{
    int slot = tarn__bodies_slot_of(world->bodies, c->body);
    return slot >= 0 ? tarn__bodies_slot(world->bodies, slot) : NULL;
}

// A local pose as the body carries it now.
static TarnMotion carried_motion(const TarnBody* body, const TarnMotion* pose)
{
    TarnMotion out;
    TarnQuat q = body->state.rotation;
    out.position = vec3_add(body->state.position, quat_rotate(q, pose->position));
    out.rotation = quat_normalize(quat_multiply(q, pose->rotation));
    out.velocity =
        vec3_add(tarn__body_velocity_at(body, out.position), quat_rotate(q, pose->velocity));
    out.angular_velocity = body->state.angular_velocity;
    return out;
}

// What the power of its body leaves of it, 0 to 1. Bodies that do not fly have all the power there is.
static float power_of(const TarnWorld* world, const Carried* c)
{
    int slot = tarn__bodies_slot_of(world->bodies, c->body);
    if (c->power == TARN_POWER_NONE || tarn__driver_body(world, slot) == NULL) return 1.0f;
    const Driver* driver = &world->drivers[slot];
    if (driver->def.kind != TARN_DRIVER_FLIGHT) return 1.0f;
    if (c->power == TARN_POWER_SCALES)
        return tarn__flight_power(&driver->def, &driver->rest, world->time);
    return tarn_minf(tarn__flight_change(&driver->def, &driver->rest, world->time), 1.0f);
}

static TarnResult place_source(TarnWorld* world, const Carried* c)
{
    const TarnBody* body = carrier(world, c);
    if (body == NULL) return TARN_OK;
    TarnMotion pose = { c->source.position, { 0, 0, 0, 1 }, c->source.velocity, { 0, 0, 0 } };
    TarnMotion now = carried_motion(body, &pose);
    TarnLiquidSourceDef def = c->source;
    def.position = now.position;
    def.velocity = now.velocity;
    def.direction = quat_rotate(body->state.rotation, def.direction);
    return tarn_liquid_set_source(world->liquid, c->source_id, &def);
}

static TarnResult place_emitter(TarnWorld* world, const Carried* c)
{
    const TarnBody* body = carrier(world, c);
    if (body == NULL) return TARN_OK;
    TarnMotion now = carried_motion(body, &c->pose);
    TARN_TRY(tarn_particles_move_emitter(world->particles, c->emitter_id, &now));
    if (c->power == TARN_POWER_NONE) return TARN_OK;
    return tarn_particles_throttle_emitter(world->particles, c->emitter_id, power_of(world, c));
}

static TarnResult place_gas_source(TarnWorld* world, const Carried* c)
{
    const TarnBody* body = carrier(world, c);
    if (body == NULL) return TARN_OK;
    TarnGasSourceDef def = c->gas_source;
    def.motion = carried_motion(body, &def.motion);
    float power = power_of(world, c);
    def.density *= power, def.temperature *= power, def.fuel *= power, def.speed *= power;
    return tarn_gas_set_source(world->gases[c->gas].gas, c->gas_source_id, &def);
}

static TarnResult place_jet(TarnWorld* world, const Carried* c)
{
    const TarnBody* body = carrier(world, c);
    if (body == NULL) return TARN_OK;
    TarnGasJetDef def = c->jet;
    def.motion = carried_motion(body, &def.motion);
    def.speed *= power_of(world, c);
    return tarn_gas_set_jet(world->gases[c->gas].gas, c->jet_id, &def);
}

TarnResult tarn_world_attach_source(TarnWorld* world, TarnLiquidSourceId source,
                                    const TarnLiquidSourceDef* def, TarnBodyId body)
{
    if (world == NULL) return TARN_ERR_ARG;
    if (world->liquid == NULL)
        return tarn__fail(world->ctx, TARN_ERR_UNSUPPORTED,
                          "this world has no liquid; add one before its sources");
    if (def == NULL)
        return tarn__fail(world->ctx, TARN_ERR_ARG, "def: NULL; give the source's own def");
    TARN_TRY(check_place(world, body));
    Carried c = { .body = body, .kind = CARRIED_SOURCE, .source_id = source, .source = *def };
    TARN_TRY(place_source(world, &c)); // refuses a stale source
    world->carried[world->n_carried++] = c;
    return TARN_OK;
}

// An emitter of kind surface sits on the solid that stands for its body.
static TarnResult put_on_surface(TarnWorld* world, TarnParticleEmitterId emitter,
                                 const TarnParticleEmitterDef* def, TarnBodyId body)
{
    TarnParticleEmitterDef on = *def;
    TarnSolidDef solid;
    TARN_TRY(tarn_solids_get(world->solids, tarn_couple_solid_of(world->bodies, body), &solid));
    on.solid = (int)solid.user;
    return tarn_particles_set_emitter(world->particles, emitter, &on);
}

TarnResult tarn_world_attach_emitter(TarnWorld* world, TarnParticleEmitterId emitter,
                                     const TarnParticleEmitterDef* def, TarnBodyId body)
{
    if (world == NULL) return TARN_ERR_ARG;
    if (world->particles == NULL)
        return tarn__fail(world->ctx, TARN_ERR_UNSUPPORTED,
                          "this world has no particles; add them before their emitters");
    if (def == NULL)
        return tarn__fail(world->ctx, TARN_ERR_ARG, "def: NULL; give the emitter's own def");
    TARN_TRY(check_place(world, body));
    Carried c = {
        .body = body, .kind = CARRIED_EMITTER, .emitter_id = emitter, .pose = def->motion
    };
    if (def->kind == TARN_PARTICLES_SURFACE) TARN_TRY(put_on_surface(world, emitter, def, body));
    TARN_TRY(place_emitter(world, &c));
    world->carried[world->n_carried++] = c;
    return TARN_OK;
}

TarnResult tarn_world_power_emitter(TarnWorld* world, TarnParticleEmitterId emitter, int use)
{
    if (world == NULL) return TARN_ERR_ARG;
    TARN_TRY(check_power(world, use));
    for (int i = 0; i < world->n_carried; ++i) {
        Carried* c = &world->carried[i];
        if (c->kind != CARRIED_EMITTER || c->emitter_id.value != emitter.value) continue;
        int before = c->power;
        c->power = use;
        TarnResult result = place_emitter(world, c);
        if (result != TARN_OK) c->power = before;
        return result;
    }
    return tarn__fail(world->ctx, TARN_ERR_ARG,
                      "power: no body carries this emitter; attach it first "
                      "(tarn_world_attach_emitter)");
}

static TarnResult check_gas_part(const TarnWorld* world, int n, bool has_def, TarnBodyId body,
                                 int power)
{
    if (n < 0 || n >= world->n_gases)
        return tarn__fail(world->ctx, TARN_ERR_ARG,
                          "gas: %d is none of the %d gases of this world; they count from 0", n,
                          world->n_gases);
    if (!has_def) return tarn__fail(world->ctx, TARN_ERR_ARG, "def: NULL; give its own def");
    TARN_TRY(check_power(world, power));
    return check_place(world, body);
}

TarnResult tarn_world_attach_gas_source(TarnWorld* world, int n, TarnGasSourceId source,
                                        const TarnGasSourceDef* def, TarnBodyId body, int power)
{
    if (world == NULL) return TARN_ERR_ARG;
    TARN_TRY(check_gas_part(world, n, def != NULL, body, power));
    Carried c = { .body = body,
                  .kind = CARRIED_GAS_SOURCE,
                  .power = power,
                  .gas = n,
                  .gas_source_id = source,
                  .gas_source = *def };
    TARN_TRY(place_gas_source(world, &c));
    world->carried[world->n_carried++] = c;
    return TARN_OK;
}

TarnResult tarn_world_attach_gas_jet(TarnWorld* world, int n, TarnGasJetId jet,
                                     const TarnGasJetDef* def, TarnBodyId body, int power)
{
    if (world == NULL) return TARN_ERR_ARG;
    TARN_TRY(check_gas_part(world, n, def != NULL, body, power));
    Carried c = {
        .body = body, .kind = CARRIED_GAS_JET, .power = power, .gas = n, .jet_id = jet, .jet = *def
    };
    TARN_TRY(place_jet(world, &c));
    world->carried[world->n_carried++] = c;
    return TARN_OK;
}

// A source or emitter that was removed is carried no more; the others go on.
void tarn__carry_sources(TarnWorld* world)
{
    for (int i = 0; i < world->n_carried; ++i) {
        if (world->carried[i].kind == CARRIED_SOURCE) place_source(world, &world->carried[i]);
    }
}

void tarn__carry_emitters(TarnWorld* world)
{
    for (int i = 0; i < world->n_carried; ++i) {
        if (world->carried[i].kind == CARRIED_EMITTER) place_emitter(world, &world->carried[i]);
    }
}

void tarn__carry_gas_parts(TarnWorld* world)
{
    for (int i = 0; i < world->n_carried; ++i) {
        const Carried* c = &world->carried[i];
        if (c->kind == CARRIED_GAS_SOURCE) place_gas_source(world, c);
        if (c->kind == CARRIED_GAS_JET) place_jet(world, c);
    }
}

// ---- Fires -----------------------------------------------------------------------------------------

static const TarnParam fire_params[] = {
    P_VEC3(TarnFireDef, position, "m", -1e5, 1e5, 0, 0, 0, "Base of the flames."),
    P_FLOAT(TarnFireDef, radius, "m", 0.001, 1000, 0.3, "Ball around it that water must get into."),
    P_FLOAT(TarnFireDef, water, "kg s", 1e-6, 1e9, 20,
            "What puts it out: liquid in the ball times the time that it is there."),
    P_FLOAT(TarnFireDef, recovery, "1/s", 0, 100, 0.1,
            "Share of its strength that a fire that still burns wins back."),
    P_FLOAT(TarnFireDef, rate, "1/s", 0, 1e6, 120, "Flames at full strength."),
    P_FLOAT(TarnFireDef, speed, "m/s", 0, 1000, 1, "Of flames, upwards."),
    P_FLOAT(TarnFireDef, lifetime, "s", 0.01, 1000, 0.7,
            "Of flames; smoke lives three times as long."),
    P_FLOAT(TarnFireDef, size, "m", 0.0001, 1000, 0.06, "Of a flame, for drawing."),
    P_INT(TarnFireDef, kind_of_flame, "", 0, 255, 1, "Kind of the particles that are flames."),
    P_INT(TarnFireDef, kind_of_smoke, "", 0, 255, 2, "Kind of those that are smoke and steam."),
};
static const TarnParamTable fire_table = PARAM_TABLE("fire", TarnFireDef, fire_params);

const TarnParamTable* tarn_fire_def_table(void)
{
    return &fire_table;
}

void tarn_fire_init_def(TarnFireDef* out, size_t size)
{
    TarnFireDef def = { 0 };
    tarn_param_defaults(&fire_table, &def);
    TARN_INIT_DEF(TarnFireDef, out, size, &def);
}

static double strength(const Fire* fire)
{
    double left = 1.0 - fire->soaked / fire->def.water;
    return left > 0.0 ? left : 0.0;
}

// Smoke rises from what is being put out, and for a while from what was.
static TarnParticleEmitterDef emitter_of(const Fire* fire, bool is_smoke)
{
    const TarnFireDef* def = &fire->def;
    float burns = (float)strength(fire);
    TarnParticleEmitterDef out = tarn_particle_emitter_default_def();
    out.kind = TARN_PARTICLES_DISC;
    out.size = (TarnVec3){ 0.5f * def->radius, 0.0f, 0.0f };
    out.motion.position = def->position;
    out.motion.rotation = (TarnQuat){ 0.0f, 0.0f, 0.0f, 1.0f };
    out.speed = def->speed * (is_smoke ? 0.7f : 0.4f + 0.6f * burns);
    out.speed_jitter = 0.4f;
    out.spread = 0.25f;
    out.lifetime = is_smoke ? 3.0f * def->lifetime : def->lifetime;
    out.lifetime_jitter = 0.4f;
    out.radius = is_smoke ? 1.5f * def->size : def->size;
    out.rate = is_smoke ? 0.5f * def->rate * burns * (1.0f - burns) * 4.0f : def->rate * burns;
    out.kind_of_particle = is_smoke ? def->kind_of_smoke : def->kind_of_flame;
    return out;
}

void tarn__fire_apply(TarnWorld* world, Fire* fire)
{
    TarnParticleEmitterDef flames = emitter_of(fire, false), smoke = emitter_of(fire, true);
    tarn_particles_set_emitter(world->particles, fire->flames, &flames);
    tarn_particles_set_emitter(world->particles, fire->smoke, &smoke);
}

static TarnResult light(TarnWorld* world, Fire* fire)
{
    TarnRegionDef ball = tarn_region_default_def();
    TarnVec3 p = fire->def.position;
    float r = fire->def.radius;
    ball.is_sphere = true;
    ball.min = (TarnVec3){ p.x - r, p.y - r, p.z - r };
    ball.max = (TarnVec3){ p.x + r, p.y + r, p.z + r };
    ball.action = TARN_REGION_SENSE;
    TarnParticleEmitterDef flames = emitter_of(fire, false), smoke = emitter_of(fire, true);
    // Looked at first: an emitter that was added and taken back would leave its generation behind.
    TARN_TRY(tarn__particles_check_emitter(world->ctx, &flames));
    TARN_TRY(tarn__particles_check_emitter(world->ctx, &smoke));
    if (tarn__particles_free_emitters(world->particles) < 2)
        return tarn__fail(world->ctx, TARN_ERR_CAPACITY,
                          "a fire needs two emitters of particles; raise particles.max_emitters");
    TARN_TRY(tarn_liquid_add_region(world->liquid, &ball, &fire->region));
    TarnResult result = tarn_particles_add_emitter(world->particles, &flames, &fire->flames);
    if (result == TARN_OK) {
        result = tarn_particles_add_emitter(world->particles, &smoke, &fire->smoke);
        if (result != TARN_OK) tarn_particles_remove_emitter(world->particles, fire->flames);
    }
    if (result != TARN_OK) tarn_liquid_remove_region(world->liquid, fire->region);
    return result;
}

TarnResult tarn_world_add_fire(TarnWorld* world, const TarnFireDef* def, int* index)
{
    if (index) *index = -1;
    if (world == NULL) return TARN_ERR_ARG;
    TarnContext* ctx = world->ctx;
    TARN_TRY(TARN_CHECK_DEF(ctx, "fire", "tarn/world.h", TarnFireDef, tarn_fire_default_def, def));
    TARN_TRY(tarn_param_validate(ctx, &fire_table, def));
    if (world->liquid == NULL || world->particles == NULL)
        return tarn__fail(ctx, TARN_ERR_UNSUPPORTED,
                          "fire: it needs a liquid to be put out and particles as flames; add both "
                          "to the world first");
    if (world->n_fires == TARN_WORLD_MAX_FIRES)
        return tarn__fail(ctx, TARN_ERR_CAPACITY, "%d fires burn already, all that can",
                          world->n_fires);
    Fire fire = { .def = *def };
    TARN_TRY(light(world, &fire));
    if (index) *index = world->n_fires;
    world->fires[world->n_fires++] = fire;
    return TARN_OK;
}

int tarn_world_fire_count(const TarnWorld* world)
{
    return world ? world->n_fires : 0;
}

float tarn_world_fire_strength(const TarnWorld* world, int index)
{
    bool is_there = world && index >= 0 && index < world->n_fires;
    return is_there ? (float)strength(&world->fires[index]) : 0.0f;
}

void tarn__fires_step(TarnWorld* world, float dt)
{
    for (int i = 0; i < world->n_fires; ++i) {
        Fire* fire = &world->fires[i];
        int n = tarn_liquid_region_count(world->liquid, fire->region);
        if (!(fire->soaked < fire->def.water)) continue; // what is out stays out
        double mass = n > 0 ? n * (double)tarn_liquid_particle_mass(world->liquid, 0) : 0.0;
        double before = fire->soaked, dried = (double)fire->def.recovery * fire->def.water * dt;
        fire->soaked += mass * dt - (n > 0 ? 0.0 : dried);
        if (!(fire->soaked > 0.0)) fire->soaked = 0.0;
        if (fire->soaked > fire->def.water) fire->soaked = fire->def.water;
        if (fire->soaked != before) tarn__fire_apply(world, fire);
    }
}
