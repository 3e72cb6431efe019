// Fires that a liquid puts out: a class like any other, on top of worlds. Its flames are emitters of the first particle
// system of the world, and a region of the first liquid senses what flows through it.

#include "tarn/show.h"
#include "base/base.h"
#include "base/def.h"
#include "base/param.h"
#include "base/snapshot.h"
#include "particles/particles_internal.h"
#include "tarn/liquid_regions.h"
#include "tarn/particles.h"

struct TarnFire {
    TarnContext* ctx;
    TarnFireDef def;
    TarnLiquid* liquid; // NULL until it has joined a world
    TarnParticles* particles;
    TarnRegionId region;
    TarnParticleEmitterId flames, smoke;
    double soaked; // [kg s]; from def.water on it is out
};

static const TarnParam fire_params[] = {
    P_VEC3(TarnFireDef, position, "m", -1e5, 1e5, 0, 0, 0, "Base of the flames."),
    P_FLOAT(TarnFireDef, radius, "m", 0.001, 1000, 0.3,
            "Radius of the ball around the fire that liquid must enter."),
    P_FLOAT(TarnFireDef, water, "kg s", 1e-6, 1e9, 20,
            "Liquid mass in the ball times its time there that puts the fire out; larger fires "
            "need more."),
    P_FLOAT(TarnFireDef, recovery, "1/s", 0, 100, 0.1,
            "Share of its strength that a burning fire regains per second."),
    P_FLOAT(TarnFireDef, rate, "1/s", 0, 1e6, 120, "Flames per second at full strength."),
    P_FLOAT(TarnFireDef, speed, "m/s", 0, 1000, 1, "Upward speed of flames."),
    P_FLOAT(TarnFireDef, lifetime, "s", 0.01, 1000, 0.7,
            "Lifetime of flames; smoke lives three times as long."),
    P_FLOAT(TarnFireDef, size, "m", 0.0001, 1000, 0.06, "Size of a flame, for drawing."),
    P_INT(TarnFireDef, kind_of_flame, "", 0, 255, 1, "Kind of the particles used for flames."),
    P_INT(TarnFireDef, kind_of_smoke, "", 0, 255, 2,
          "Kind of the particles used for smoke and steam."),
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

static double strength(const TarnFire* fire)
{
    double left = 1.0 - fire->soaked / fire->def.water;
    return left > 0.0 ? left : 0.0;
}

// Smoke rises from what is being put out, and for a while from what was.
static TarnParticleEmitterDef emitter_of(const TarnFire* fire, bool is_smoke)
{
    const TarnFireDef* def = &fire->def;
    float burns = (float)strength(fire);
    TarnParticleEmitterDef out = tarn_particle_emitter_default_def();
    out.shape = tarn_shape_disc(0.5f * def->radius);
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

static void apply(TarnFire* fire)
{
    TarnParticleEmitterDef flames = emitter_of(fire, false), smoke = emitter_of(fire, true);
    tarn_particles_set_emitter(fire->particles, fire->flames, &flames);
    tarn_particles_set_emitter(fire->particles, fire->smoke, &smoke);
}

static TarnResult light(TarnFire* fire)
{
    TarnRegionDef ball = tarn_region_default_def();
    ball.shape = tarn_shape_sphere(fire->def.radius);
    ball.pose.position = fire->def.position;
    ball.action = TARN_REGION_SENSE;
    TarnParticleEmitterDef flames = emitter_of(fire, false), smoke = emitter_of(fire, true);
    // Looked at first: an emitter that was added and taken back would leave its generation behind.
    TARN_TRY(tarn__particles_check_emitter(fire->ctx, &flames));
    TARN_TRY(tarn__particles_check_emitter(fire->ctx, &smoke));
    if (tarn__particles_free_emitters(fire->particles) < 2)
        return tarn__fail(fire->ctx, TARN_ERR_CAPACITY,
                          "a fire needs two emitters of particles; raise particles.max_emitters");
    TARN_TRY(tarn_liquid_add_region(fire->liquid, &ball, &fire->region));
    TarnResult result = tarn_particles_add_emitter(fire->particles, &flames, &fire->flames);
    if (result == TARN_OK) {
        result = tarn_particles_add_emitter(fire->particles, &smoke, &fire->smoke);
        if (result != TARN_OK) tarn_particles_remove_emitter(fire->particles, fire->flames);
    }
    if (result != TARN_OK) tarn_liquid_remove_region(fire->liquid, fire->region);
    return result;
}

// ---- The class -------------------------------------------------------------------------------------

static void fire_init_def(void* def)
{
    *(TarnFireDef*)def = tarn_fire_default_def();
}

static size_t fire_memory(const void* def)
{
    return tarn_param_validate(NULL, &fire_table, def) == TARN_OK ? sizeof(TarnFire) : 0;
}

static TarnResult fire_create(TarnContext* ctx, const void* def, void** out)
{
    const TarnFireDef* d = def;
    *out = NULL;
    TARN_TRY(TARN_CHECK_DEF(ctx, "fire", "tarn/show.h", TarnFireDef, tarn_fire_default_def, d));
    TARN_TRY(tarn_param_validate(ctx, &fire_table, def));
    TarnFire* fire = tarn__alloc(ctx, sizeof *fire);
    if (fire == NULL) return tarn__fail(ctx, TARN_ERR_MEMORY, "fire: out of memory");
    fire->ctx = ctx;
    fire->def = *d;
    *out = fire;
    return TARN_OK;
}

// Emitters and region stay with their solvers, which may be gone already.
static void fire_destroy(void* solver)
{
    TarnFire* fire = solver;
    if (fire) tarn__free(fire->ctx, fire, sizeof *fire);
}

static TarnResult fire_join(void* solver, const TarnAround* around)
{
    TarnFire* fire = solver;
    fire->liquid = tarn_world_liquid(around->world, 0);
    fire->particles = tarn_world_particles(around->world, 0);
    if (fire->liquid == NULL || fire->particles == NULL)
        return tarn__fail(
            fire->ctx, TARN_ERR_UNSUPPORTED,
            "fire: it needs a liquid and a particle system; add both to the world first");
    return light(fire);
}

// Are its liquid and its particles still here? They may be gone, and the memory of either that of another solver.
static bool is_lit(const TarnFire* fire, const TarnWorld* world)
{
    return tarn_world_class_of(world, fire->liquid) == tarn_liquid_class() &&
           tarn_world_class_of(world, fire->particles) == tarn_particles_class() &&
           tarn_liquid_region_count(fire->liquid, fire->region) >= 0 &&
           tarn__handles_slot(&fire->particles->emitter_ids, fire->flames.value) >= 0;
}

static TarnResult fire_step(void* solver, const TarnAround* around, float dt,
                            TarnStepReport* report)
{
    TarnFire* fire = solver;
    *report = (TarnStepReport){ .substeps = 1, .time_advanced = dt };
    if (!is_lit(fire, around->world) || !(fire->soaked < fire->def.water))
        return TARN_OK; // what is out stays out
    int n = tarn_liquid_region_count(fire->liquid, fire->region);
    double mass = n > 0 ? n * (double)tarn_liquid_particle_mass(fire->liquid, 0) : 0.0;
    double before = fire->soaked, dried = (double)fire->def.recovery * fire->def.water * dt;
    fire->soaked += mass * dt - (n > 0 ? 0.0 : dried);
    if (!(fire->soaked > 0.0)) fire->soaked = 0.0;
    if (fire->soaked > fire->def.water) fire->soaked = fire->def.water;
    if (fire->soaked != before) apply(fire);
    return TARN_OK;
}

static void fire_reset(void* solver)
{
    TarnFire* fire = solver;
    fire->soaked = 0.0;
    if (fire->particles) apply(fire);
}

static uint64_t fire_hash(const void* solver)
{
    const TarnFire* fire = solver;
    return tarn_hash(&fire->soaked, sizeof fire->soaked,
                     tarn__param_hash(&fire_table, &fire->def, 0));
}

static TarnResult fire_save(const void* solver, void* buffer, size_t capacity, size_t* size)
{
    const TarnFire* fire = solver;
    if (size == NULL) return tarn__snapshot_no_size(fire->ctx);
    TarnWriter w = tarn__snapshot_begin(buffer, capacity);
    tarn__write_f64(&w, fire->soaked);
    return tarn__snapshot_end(fire->ctx, &w, "fire", tarn__param_hash(&fire_table, &fire->def, 0),
                              size);
}

// The emitters come back with their particle system.
static TarnResult fire_load(void* solver, const void* buffer, size_t size)
{
    TarnFire* fire = solver;
    TarnReader r;
    TARN_TRY(tarn__snapshot_open(fire->ctx, buffer, size, "fire",
                                 tarn__param_hash(&fire_table, &fire->def, 0), &r));
    double soaked = tarn__read_f64(&r);
    if (r.is_bad || r.at != r.size || !(soaked >= 0.0 && soaked <= (double)fire->def.water))
        return tarn__fail(fire->ctx, TARN_ERR_DATA, "fire: the snapshot is damaged");
    fire->soaked = soaked;
    return TARN_OK;
}

static const void* fire_def(const void* solver)
{
    return &((const TarnFire*)solver)->def;
}

float tarn_fire_strength(const TarnFire* fire)
{
    return fire ? (float)strength(fire) : 0.0f;
}

static double stat_strength(const void* solver)
{
    return strength(solver);
}
static const TarnStat stats[] = {
    { "strength", "", "Strength of the fire: 1 at full strength, 0 when it is out.", stat_strength }
};

static const TarnSolverClass fire_class = {
    .size = sizeof(TarnSolverClass),
    .name = "fire",
    .has_cookie = true,
    .about = "A fire of particles that a liquid can put out.",
    .phase = TARN_PHASE_EFFECTS,
    .def_table = tarn_fire_def_table,
    .init_def = fire_init_def,
    .create = fire_create,
    .destroy = fire_destroy,
    .step = fire_step,
    .hash = fire_hash,
    .save = fire_save,
    .load = fire_load,
    .reset = fire_reset,
    .memory = fire_memory,
    .def = fire_def,
    .join = fire_join,
    .stats = stats,
    .n_stats = 1,
};

const TarnSolverClass* tarn_fire_class(void)
{
    return &fire_class;
}
