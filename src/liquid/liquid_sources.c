// Nozzles. Layers of particles leave them one spacing apart along the jet, however long the step: the way
// that the jet has gone is counted, not the time, and each layer is put where it would be by now.

#include "liquid/liquid_driver.h"
#include "base/def.h"

static const TarnParam source_params[] = {
    P_VEC3(TarnLiquidSourceDef, position, "m", -1e5, 1e5, 0, 1, 0, "Center of the nozzle."),
    P_VEC3(TarnLiquidSourceDef, direction, "", -1e3, 1e3, 1, 0, 0,
           "Direction of the jet; any length but 0."),
    P_VEC3(TarnLiquidSourceDef, velocity, "m/s", -1e3, 1e3, 0, 0, 0,
           "Velocity of the nozzle, added to that of the jet."),
    P_FLOAT(TarnLiquidSourceDef, radius, "m", 1e-4, 1e3, 0.1, "Radius of the nozzle."),
    P_FLOAT(TarnLiquidSourceDef, speed, "m/s", 0, 1e3, 2,
            "Speed of the jet relative to the nozzle."),
    P_ANGLE(TarnLiquidSourceDef, spread, "deg", 0, 86, 0,
            "Half angle by which particles deviate from the direction, at random."),
    P_FLOAT(TarnLiquidSourceDef, start, "s", 0, 1e9, 0,
            "Time of the liquid at which the source opens."),
    P_FLOAT(TarnLiquidSourceDef, stop, "s", 0, 1e9, 1e9,
            "Time of the liquid at which the source closes."),
    P_INT(TarnLiquidSourceDef, limit, "particles", 0, 1000000000, 0,
          "Most particles that the source emits; 0 for no limit."),
    P_INT(TarnLiquidSourceDef, kind, "", 0, TARN_LIQUID_KINDS - 1, 0,
          "Kind of liquid that the source emits."),
    P_INT(TarnLiquidSourceDef, group, "", 0, 255, 0, "Group of the particles, for the host's use."),
    P_FLOAT(TarnLiquidSourceDef, temperature, "K", -1e4, 1e4, 0,
            "Temperature of the particles above ambient."),
};
static const TarnParamTable source_table =
    PARAM_TABLE("liquid_source", TarnLiquidSourceDef, source_params);

const TarnParamTable* tarn_liquid_source_def_table(void)
{
    return &source_table;
}
void tarn_liquid_source_init_def(TarnLiquidSourceDef* out, size_t size)
{
    TarnLiquidSourceDef def = { 0 };
    tarn_param_defaults(&source_table, &def);
    TARN_INIT_DEF(TarnLiquidSourceDef, out, size, &def);
}

// ---- Handles -----------------------------------------------------------------------------------

static TarnResult find_or_fail(const TarnLiquid* l, TarnLiquidSourceId id, LiquidSource** out)
{
    int slot = tarn__handles_find(l->ctx, &l->driver->source_ids, id.value);
    if (slot < 0) return TARN_ERR_ARG;
    *out = &l->driver->sources[slot];
    return TARN_OK;
}

TarnResult tarn__liquid_check_source(const TarnLiquid* l, const TarnLiquidSourceDef* def)
{
    TARN_TRY(TARN_CHECK_DEF(l->ctx, "liquid_source", "tarn/liquid.h", TarnLiquidSourceDef,
                            tarn_liquid_source_default_def, def));
    TARN_TRY(tarn_param_validate(l->ctx, &source_table, def));
    TarnVec3 direction = def->direction;
    if (l->def.dimensions == 2) direction.z = 0.0f;
    if (!(vec3_length(vec3_normalize(direction)) > 0.5f))
        return tarn__fail(l->ctx, TARN_ERR_ARG, "liquid_source.direction: it must not be zero");
    if (def->stop < def->start)
        return tarn__fail(l->ctx, TARN_ERR_ARG,
                          "liquid_source.stop: %g s is before liquid_source.start, %g s",
                          (double)def->stop, (double)def->start);
    return TARN_OK;
}

TarnResult tarn_liquid_add_source(TarnLiquid* l, const TarnLiquidSourceDef* def,
                                  TarnLiquidSourceId* out)
{
    if (out) *out = (TarnLiquidSourceId){ 0 };
    if (l == NULL) return TARN_ERR_ARG;
    TARN_TRY(tarn__liquid_check_source(l, def));
    LiquidDriver* d = l->driver;
    int slot = tarn__handles_add(&d->source_ids);
    if (slot < 0)
        return tarn__fail(l->ctx, TARN_ERR_CAPACITY,
                          "all %d sources are in use; raise liquid.max_sources",
                          l->def.max_sources);
    d->sources[slot] = (LiquidSource){ .def = *def };
    if (out) out->value = tarn__handles_id(&d->source_ids, slot);
    return TARN_OK;
}

TarnResult tarn_liquid_set_source(TarnLiquid* l, TarnLiquidSourceId id,
                                  const TarnLiquidSourceDef* def)
{
    LiquidSource* source;
    if (l == NULL) return TARN_ERR_ARG;
    TARN_TRY(find_or_fail(l, id, &source));
    TARN_TRY(tarn__liquid_check_source(l, def));
    source->def = *def;
    return TARN_OK;
}

TarnResult tarn_liquid_remove_source(TarnLiquid* l, TarnLiquidSourceId id)
{
    LiquidSource* source;
    if (l == NULL) return TARN_ERR_ARG;
    TARN_TRY(find_or_fail(l, id, &source));
    tarn__handles_remove(&l->driver->source_ids, (int)(source - l->driver->sources));
    return TARN_OK;
}

// ---- Spouts ------------------------------------------------------------------------------------

int64_t tarn__liquid_given(const TarnLiquid* l, TarnLiquidSourceId id)
{
    int slot = tarn__handles_slot(&l->driver->source_ids, id.value);
    return slot < 0 ? -1 : (int64_t)l->driver->sources[slot].given;
}

void tarn__liquid_pause_source(TarnLiquid* l, TarnLiquidSourceId id, bool is_paused)
{
    int slot = tarn__handles_slot(&l->driver->source_ids, id.value);
    if (slot >= 0) l->driver->sources[slot].is_paused = is_paused;
}

// ---- Emission ----------------------------------------------------------------------------------

typedef struct Jet {
    TarnVec3 ahead, side, up; // unit, at right angles
    TarnVec3 nozzle;          // at the end of the substep
    float speed;
} Jet;

static Jet jet_of(const Substep* s, const TarnLiquidSourceDef* def)
{
    bool is_3d = s->l->def.dimensions == 3;
    Jet j = { .ahead = def->direction, .speed = def->speed };
    if (!is_3d) j.ahead.z = 0.0f;
    j.ahead = vec3_normalize(j.ahead);
    // Any axis that is not along the jet will do; the least one is surely not.
    TarnVec3 axis = { 0.0f, 0.0f, 1.0f };
    float ax = fabsf(j.ahead.x), ay = fabsf(j.ahead.y), az = fabsf(j.ahead.z);
    if (is_3d && (ax < az || ay < az))
        axis = ax < ay ? (TarnVec3){ 1.0f, 0.0f, 0.0f } : (TarnVec3){ 0.0f, 1.0f, 0.0f };
    j.side = vec3_normalize(vec3_cross(axis, j.ahead));
    j.up = vec3_cross(j.ahead, j.side);
    float moved = (float)(s->begin + (double)s->dt);
    j.nozzle = vec3_add(def->position, vec3_scale(def->velocity, moved));
    return j;
}

// Place number k of n in the mouth of the nozzle: evenly along the line, or on the disc in the pattern
// of a sunflower, where each has the same area around it; it turns from layer to layer.
static TarnVec3 mouth_place(const TarnLiquid* l, const LiquidSource* source, const Jet* j, int k,
                            int n)
{
    float share = ((float)k + 0.5f) / (float)n, radius = source->def.radius;
    if (l->def.dimensions == 2) return vec3_scale(j->side, radius * (2.0f * share - 1.0f));
    const float golden = 2.39996323f; // angle [rad]
    float s, c, r = radius * sqrtf(share);
    tarn_sincos(golden * (float)k + 0.7f * (float)(source->layers % 1024), &s, &c);
    return vec3_add(vec3_scale(j->side, r * c), vec3_scale(j->up, r * s));
}

// The direction, somewhere within the spread.
static TarnVec3 spread_ahead(const TarnLiquid* l, const TarnLiquidSourceDef* def, const Jet* j)
{
    if (!(def->spread > 0.0f)) return j->ahead;
    uint64_t seed = (uint64_t)l->def.seed;
    float a = tarn__random01(seed, 8, l->next_id), b = tarn__random01(seed, 9, l->next_id);
    float s, c, around_s = 1.0f, around_c = 0.0f;
    if (l->def.dimensions == 2) {
        tarn_sincos(def->spread * (2.0f * a - 1.0f), &s, &c);
        return vec3_add(vec3_scale(j->ahead, c), vec3_scale(j->side, s));
    }
    tarn_sincos(def->spread * sqrtf(a), &s, &c);
    tarn_sincos(6.2831853f * b, &around_s, &around_c);
    TarnVec3 across = vec3_add(vec3_scale(j->side, around_c), vec3_scale(j->up, around_s));
    return vec3_add(vec3_scale(j->ahead, c), vec3_scale(across, s));
}

// Particles that a layer brings, of the room that it takes: the fraction is carried on.
static int layer_count(const TarnLiquid* l, LiquidSource* source)
{
    double s = l->def.spacing, r = source->def.radius;
    double area = l->def.dimensions == 2 ? 2.0 * r / s : 3.14159265358979 * r * r / (s * s);
    double due = source->carry + area;
    if (!(due < 1e9)) due = 1e9;
    int n = (int)due;
    source->carry = due - n;
    if (source->def.limit > 0) {
        uint64_t left = (uint64_t)source->def.limit - source->emitted;
        if ((uint64_t)n > left) n = (int)left;
    }
    return n;
}

// A layer that left `ago` seconds before the end of the substep.
static bool emit_layer(const Substep* s, LiquidSource* source, const Jet* j, float ago)
{
    TarnLiquid* l = s->l;
    const TarnLiquidSourceDef* def = &source->def;
    int n = layer_count(l, source), room = l->def.max_particles - l->n;
    if (l->next_id > UINT32_MAX - (uint32_t)n) room = 0;
    source->emitted += (uint64_t)n;
    source->given += (uint64_t)(n < room ? n : room);
    if (n > room) l->driver->ledger.refused += (uint64_t)(n - room);
    int slots[LIQUID_NEAR], n_slots = 0;
    float reach = def->radius + l->def.spacing + j->speed * ago;
    TarnVec3 far = { reach, reach, reach };
    if (l->solids)
        n_slots = tarn__solids_near(l->solids, vec3_sub(j->nozzle, far), vec3_add(j->nozzle, far),
                                    slots, LIQUID_NEAR);
    for (int k = 0; k < n && k < room; ++k) {
        TarnVec3 mouth = vec3_add(j->nozzle, mouth_place(l, source, j, k, n));
        TarnVec3 v = vec3_scale(spread_ahead(l, def, j), j->speed);
        TarnVec3 fall = vec3_scale(l->params.gravity, 0.5f * ago);
        TarnVec3 to = vec3_add(mouth, vec3_scale(vec3_add(v, fall), ago));
        if (n_slots > 0) // not through what is in front of the nozzle
            to = tarn__solids_sweep(l->solids, slots, n_slots, s->t1, s->t1, l->def.dimensions,
                                    mouth, to, liquid_skin * l->def.spacing, NULL, NULL, NULL);
        v = vec3_add(vec3_add(v, def->velocity), vec3_scale(l->params.gravity, ago));
        tarn__liquid_append(l, &(LiquidNew){ to, v, def->kind, def->group, def->temperature });
    }
    ++source->layers;
    return n <= room;
}

static bool emit(const Substep* s, LiquidSource* source)
{
    const TarnLiquidSourceDef* def = &source->def;
    TarnLiquid* l = s->l;
    double begin = l->time, end = begin + (double)s->dt; // l->time is that of the substep's start
    double from = begin > (double)def->start ? begin : (double)def->start;
    double to = end < (double)def->stop ? end : (double)def->stop;
    if (!(to > from) || !(def->speed > 0.0f) || source->is_paused) return true;
    if (def->limit > 0 && source->emitted >= (uint64_t)def->limit) return true;
    Jet j = jet_of(s, def);
    double way = (to - from) * (double)def->speed;
    bool is_good = true;
    for (; source->way < way; source->way += (double)l->def.spacing) {
        double at = from + source->way / (double)def->speed;
        is_good = emit_layer(s, source, &j, (float)(end - at)) && is_good;
    }
    source->way -= way;
    return is_good;
}

bool tarn__liquid_emit(const Substep* s)
{
    bool is_good = true;
    int before = s->l->n;
    LiquidDriver* d = s->l->driver;
    for (int n = 0; n < d->source_ids.count; ++n)
        is_good = emit(s, &d->sources[d->source_ids.order[n]]) && is_good;
    if (s->l->n != before) tarn__liquid_ghosts(s->l);
    return is_good;
}
