// Emitters: what disturbs the water by itself. Each is a function of time alone: what happens
// between t0 and t1 depends on the two and on the def, so that steps of any length make the same
// drops, and a snapshot need not remember what has fallen already.

#include "world/world_internal.h"
#include "base/def.h"
#include "base/maths.h"
#include "base/param.h"
#include <math.h>

static const char* const kind_names[] = { "drop",   "rain", "stroke", "line", "maker",
                                          "source", "gate", "dig",    "jet",  NULL };
static const char* const edge_names[] = { "x0", "x1", "z0", "z1", NULL };
enum { N_KINDS = TARN_EMITTER_JET + 1 };

static const TarnParam emitter_params[] = {
    P_ENUM(
        TarnEmitterDef, kind, kind_names, N_KINDS, TARN_EMITTER_DROP,
        "Waves: one drop, rain, a brush drawn again and again, a swinging line, a wave maker along "
        "an edge. Shallow water: a drop, a source, a gate that opens, ground that heaps up, a jet. "
        "Pipes: a drop, a source."),
    P_FLOAT(TarnEmitterDef, start, "s", 0, 1e9, 0, "World time at which it begins."),
    P_FLOAT(TarnEmitterDef, stop, "s", 0, 1e9, 1e9,
            "World time at which it ends, not before start; a gate begins to close."),
    P_VEC2(TarnEmitterDef, a, "m", -1e5, 1e5, 0, 0,
           "x and z of the drop, source, mound or jet, of a corner of the rain, of the start of a "
           "stroke or line."),
    P_VEC2(TarnEmitterDef, b, "m", -1e5, 1e5, 0, 0,
           "x and z of the opposite corner of the rain, of the end of a stroke or line."),
    P_FLOAT(TarnEmitterDef, radius, "m", 0.001, 1000, 0.3,
            "Radius of drops, brushes, sources, mounds and jets."),
    P_FLOAT(
        TarnEmitterDef, height, "m", -100, 100, 0.05,
        "Depth of the dip under a drop or brush, amplitude of lines and makers; in shallow water "
        "and pipes mean height of the water that a drop brings; of a mound, negative: a pit."),
    P_FLOAT(TarnEmitterDef, rate, "1/s", 0, 10000, 4, "Drops of rain per second in the whole box."),
    P_FLOAT(
        TarnEmitterDef, period, "s", 0.05, 10000, 1,
        "Of the swing of lines and makers; of a stroke, how long the brush takes from a to b; how "
        "long a gate takes to open or close, and a mound to rise."),
    P_ENUM(TarnEmitterDef, edge, edge_names, 4, 0, "Edge of the grid that a maker drives."),
    P_FLOAT(TarnEmitterDef, flow, "m^3/s", -1e6, 1e6, 1,
            "Water that a source brings; negative: a drain."),
    P_INT(TarnEmitterDef, gate, "", 0, TARN_SHALLOW_MAX_GATES - 1, 0,
          "Which gate opens, counted from 0."),
    P_VEC2(TarnEmitterDef, velocity, "m/s", -100, 100, 1, 0,
           "What a jet adds to the speed of free water, x and z, within one period."),
};
static const TarnParamTable emitter_table = PARAM_TABLE("emitter", TarnEmitterDef, emitter_params);

const TarnParamTable* tarn_emitter_def_table(void)
{
    return &emitter_table;
}

void tarn_emitter_init_def(TarnEmitterDef* out, size_t size)
{
    TarnEmitterDef def = { 0 };
    tarn_param_defaults(&emitter_table, &def);
    TARN_INIT_DEF(TarnEmitterDef, out, size, &def);
}

// What waves know comes first in the table. What flowing water brought counts for its kinds only: the
// hashes of older scenes stay what they were.
uint64_t tarn__emitter_hash(const TarnEmitterDef* def, uint64_t seed)
{
    enum { N_OF_WAVES = 10 };
    TarnParamTable table = emitter_table;
    if (def->kind < TARN_EMITTER_SOURCE) table.count = N_OF_WAVES;
    return tarn__param_hash(&table, def, seed);
}

// ---- Which water ---------------------------------------------------------------------------------

static const bool is_for[N_WATERS][N_KINDS] = {
    [WATER_WAVE] = { [TARN_EMITTER_DROP] = true,
                     [TARN_EMITTER_RAIN] = true,
                     [TARN_EMITTER_STROKE] = true,
                     [TARN_EMITTER_LINE] = true,
                     [TARN_EMITTER_MAKER] = true },
    [WATER_SHALLOW] = { [TARN_EMITTER_DROP] = true,
                        [TARN_EMITTER_SOURCE] = true,
                        [TARN_EMITTER_GATE] = true,
                        [TARN_EMITTER_DIG] = true,
                        [TARN_EMITTER_JET] = true },
    [WATER_PIPES] = { [TARN_EMITTER_DROP] = true, [TARN_EMITTER_SOURCE] = true },
};

static int water_for(const TarnWorld* world, int kind) // -1: none
{
    for (int w = 0; w < N_WATERS; ++w) {
        if (world->waters[w] && is_for[w][kind]) return w;
    }
    return -1;
}

TarnResult tarn__emitter_check_kind(const TarnWorld* world, int kind)
{
    int first = tarn__world_first_water(world);
    if (first < 0 || water_for(world, kind) >= 0) return TARN_OK;
    const char* instead = "";
    if (kind == TARN_EMITTER_RAIN) instead = "; its parameter rain [mm/h] makes rain there";
    if (kind == TARN_EMITTER_MAKER && first == WATER_SHALLOW)
        instead = "; a span with a wave_height sends waves in";
    return tarn__fail(world->ctx, TARN_ERR_ARG, "emitter.kind: %s is nothing for %s%s",
                      kind_names[kind], tarn__water_classes[first].name, instead);
}

// ---- Handles -----------------------------------------------------------------------------------

static TarnEmitterId id_of(const TarnWorld* world, int slot)
{
    return (TarnEmitterId){ (uint64_t)world->owner << 48 |
                            (uint64_t)world->emitters[slot].generation << 16 |
                            (uint64_t)(slot + 1) };
}

static Emitter* find(const TarnWorld* world, TarnEmitterId id)
{
    int slot = (int)(id.value & 0xffff) - 1;
    if (slot < 0 || slot >= world->def.max_emitters) return NULL;
    Emitter* emitter = &world->emitters[slot];
    return emitter->is_used && id_of(world, slot).value == id.value ? emitter : NULL;
}

TarnResult tarn_world_add_emitter(TarnWorld* world, const TarnEmitterDef* def, TarnEmitterId* out)
{
    if (out) *out = (TarnEmitterId){ 0 };
    if (world == NULL) return TARN_ERR_ARG;
    TarnContext* ctx = world->ctx;
    TARN_TRY(TARN_CHECK_DEF(ctx, "emitter", "tarn/world.h", TarnEmitterDef,
                            tarn_emitter_default_def, def));
    TARN_TRY(tarn_param_validate(ctx, &emitter_table, def));
    if (def->stop < def->start)
        return tarn__fail(ctx, TARN_ERR_ARG, "emitter.stop: %g s is before start, %g s",
                          (double)def->stop, (double)def->start);
    TARN_TRY(tarn__emitter_check_kind(world, def->kind));

    int slot = 0;
    while (slot < world->def.max_emitters && world->emitters[slot].is_used) ++slot;
    if (slot == world->def.max_emitters)
        return tarn__fail(ctx, TARN_ERR_CAPACITY,
                          "all %d emitters are in use; raise world.max_emitters", slot);
    Emitter* emitter = &world->emitters[slot];
    emitter->def = *def;
    emitter->begin = def->start > world->emitted ? def->start : world->emitted;
    emitter->is_used = true;
    if (++emitter->generation == 0) emitter->generation = 1;
    if (out) *out = id_of(world, slot);
    return TARN_OK;
}

static TarnResult find_or_fail(const TarnWorld* world, TarnEmitterId id, Emitter** out)
{
    *out = find(world, id);
    if (*out != NULL) return TARN_OK;
    return tarn__fail(world->ctx, TARN_ERR_ARG,
                      "emitter: the id is stale, null, or of another world");
}

TarnResult tarn_world_remove_emitter(TarnWorld* world, TarnEmitterId id)
{
    Emitter* emitter;
    if (world == NULL) return TARN_ERR_ARG;
    TARN_TRY(find_or_fail(world, id, &emitter));
    emitter->is_used = false;
    return TARN_OK;
}

int tarn_world_emitter_count(const TarnWorld* world)
{
    int n = 0;
    for (int s = 0; world && s < world->def.max_emitters; ++s) n += world->emitters[s].is_used;
    return n;
}

TarnEmitterId tarn_world_emitter_at(const TarnWorld* world, int n)
{
    for (int s = 0; world && s < world->def.max_emitters; ++s) {
        if (world->emitters[s].is_used && n-- == 0) return id_of(world, s);
    }
    return (TarnEmitterId){ 0 };
}

TarnResult tarn_world_get_emitter(const TarnWorld* world, TarnEmitterId id, TarnEmitterDef* out)
{
    if (world == NULL || out == NULL) return TARN_ERR_ARG;
    *out = (TarnEmitterDef){ 0 };
    Emitter* emitter;
    TARN_TRY(find_or_fail(world, id, &emitter));
    *out = emitter->def;
    return TARN_OK;
}

// ---- Step --------------------------------------------------------------------------------------

static TarnVec2 between(TarnVec2 a, TarnVec2 b, double s)
{
    return (TarnVec2){ (float)(a.x + s * ((double)b.x - a.x)),
                       (float)(a.y + s * ((double)b.y - a.y)) };
}

// The n-th drop falls 1/rate, 2/rate ... after begin, at a place that depends on the seed, the slot
// and n only.
static void rain(const TarnWorld* world, const Emitter* e, double t0, double t1)
{
    TarnWave* wave = world->waters[WATER_WAVE];
    double rate = e->def.rate;
    uint64_t n0 = (uint64_t)floor(rate * (t0 - e->begin)),
             n1 = (uint64_t)floor(rate * (t1 - e->begin));
    for (uint64_t n = n0; n < n1; ++n) {
        uint64_t seed = (uint64_t)world->def.seed, stream = (uint64_t)(e - world->emitters);
        TarnVec2 at;
        at.x = between(e->def.a, e->def.b, tarn__random01(seed, stream, 2 * n)).x;
        at.y = between(e->def.a, e->def.b, tarn__random01(seed, stream, 2 * n + 1)).y;
        tarn_wave_add_drop(wave, at, e->def.radius, e->def.height);
    }
}

// The brush is at b after each whole period and back at a at once. A step draws only a piece of the
// way, often much shorter than the brush is wide, and the pieces overlap. So each digs its share, such
// that still water would keep a furrow of the full height.
static void stroke(TarnWave* wave, const Emitter* e, double t0, double t1)
{
    const TarnEmitterDef* def = &e->def;
    float radius = tarn_maxf(def->radius, 1.5f * tarn_wave_def(wave)->dx); // the finest brush
    double s0 = (t0 - e->begin) / def->period, s1 = (t1 - e->begin) / def->period;
    while (s0 < s1) {
        double lap = floor(s0), end = s1 < lap + 1.0 ? s1 : lap + 1.0;
        TarnVec2 from = between(def->a, def->b, s0 - lap), to = between(def->a, def->b, end - lap);
        float length = vec3_length((TarnVec3){ to.x - from.x, 0.0f, to.y - from.y });
        float share = length / (length + 0.8f * radius); // 0.8: the dip less the ring around it
        tarn_wave_add_stroke(wave, from, to, def->radius, def->height * share);
        s0 = end;
    }
}

// Height at the middle of the substep: a sine that swells over its first period and, before stop,
// dies down over its last.
static float swing(const Emitter* e, double t)
{
    double turns = (t - e->begin) / e->def.period, left = (e->def.stop - t) / e->def.period;
    double s = turns < left ? turns : left;
    double ramp = s >= 1.0 ? 1.0 : s * s * (3.0 - 2.0 * s);
    double phase = 6.283185307179586 * (turns - floor(turns));
    return (float)(ramp * e->def.height) * tarn_sin((float)phase);
}

// ---- Emitting: one function per water -------------------------------------------------------------

// What an emitter does between from and to [s]. is_first: it begins here.
typedef struct Due {
    const Emitter* emitter;
    double from, to;
    bool is_first;
} Due;

static void disturb_wave(const TarnWorld* world, const Due* due)
{
    TarnWave* wave = world->waters[WATER_WAVE];
    const Emitter* e = due->emitter;
    const TarnEmitterDef* def = &e->def;
    double middle = 0.5 * (due->from + due->to);
    float dt = (float)(due->to - due->from);
    switch (def->kind) {
    case TARN_EMITTER_DROP:
        if (due->is_first) tarn_wave_add_drop(wave, def->a, def->radius, def->height);
        break;
    case TARN_EMITTER_RAIN:
        rain(world, e, due->from, due->to);
        break;
    case TARN_EMITTER_STROKE:
        stroke(wave, e, due->from, due->to);
        break;
    case TARN_EMITTER_LINE:
        tarn_wave_add_line(wave, def->a, def->b, swing(e, middle), dt);
        break;
    default:
        tarn_wave_drive_edge(wave, def->edge, swing(e, middle), dt);
    }
}

static double part(double t, double begin, double period) // 0 before, 1 after
{
    double s = (t - begin) / period;
    return s < 0.0 ? 0.0 : s > 1.0 ? 1.0 : s;
}

// A gate that is told to close before it is open closes from where it is.
static float opening(const Emitter* e, double t)
{
    double stop = e->def.stop, period = e->def.period;
    double opened = part(t < stop ? t : stop, e->begin, period);
    double closed = t > stop ? part(t, stop, period) : 0.0;
    return (float)(opened > closed ? opened - closed : 0.0);
}

// Volume that comes in [m^3]: all of a drop, or what a source gives in this time.
static float volume_of(const Due* due)
{
    const TarnEmitterDef* def = &due->emitter->def;
    if (def->kind == TARN_EMITTER_SOURCE) return (float)(def->flow * (due->to - due->from));
    return due->is_first ? 3.14159265f * def->radius * def->radius * def->height : 0.0f;
}

static void disturb_shallow(const TarnWorld* world, const Due* due)
{
    TarnShallow* water = world->waters[WATER_SHALLOW];
    const Emitter* e = due->emitter;
    const TarnEmitterDef* def = &e->def;
    float share = (float)((due->to - due->from) / def->period);
    double rise = part(due->to, e->begin, def->period) - part(due->from, e->begin, def->period);
    switch (def->kind) {
    case TARN_EMITTER_GATE: // an open gate is left alone, so that the water behind it may sleep
        if (def->gate < tarn_shallow_gate_count(water) &&
            tarn_shallow_gate_opening(water, def->gate) != opening(e, due->to))
            tarn_shallow_set_gate(water, def->gate, opening(e, due->to));
        break;
    case TARN_EMITTER_DIG:
        if (rise > 0.0) tarn_shallow_dig(water, def->a, def->radius, (float)(def->height * rise));
        break;
    case TARN_EMITTER_JET: {
        TarnVec2 push = { share * def->velocity.x, share * def->velocity.y };
        tarn_shallow_add_velocity(water, def->a, def->radius, push);
        break;
    }
    default: {
        float volume = volume_of(due);
        if (volume != 0.0f) tarn_shallow_add_water(water, def->a, def->radius, volume, NULL);
    }
    }
}

static void disturb_pipes(const TarnWorld* world, const Due* due)
{
    const TarnEmitterDef* def = &due->emitter->def;
    float volume = volume_of(due);
    if (volume != 0.0f)
        tarn_pipes_add_water(world->waters[WATER_PIPES], def->a, def->radius, volume, NULL);
}

void tarn__emitters_step(TarnWorld* world, double t1)
{
    static void (*const disturb[N_WATERS])(
        const TarnWorld*, const Due*) = { disturb_wave, disturb_shallow, disturb_pipes };
    double t0 = world->emitted;
    if (!(t0 < t1)) return;
    world->emitted = t1;
    for (int slot = 0; slot < world->def.max_emitters; ++slot) {
        const Emitter* e = &world->emitters[slot];
        if (!e->is_used || !(e->begin < t1)) continue;
        double stop = e->def.stop;
        if (e->def.kind == TARN_EMITTER_GATE) stop += e->def.period; // until it is closed
        Due due = { .emitter = e, .is_first = e->begin >= t0 };
        due.from = due.is_first ? e->begin : t0;
        due.to = t1 < stop ? t1 : stop;
        int water = water_for(world, e->def.kind);
        bool is_due = due.from < due.to || e->def.kind == TARN_EMITTER_DROP;
        if (water >= 0 && is_due) disturb[water](world, &due);
    }
}
