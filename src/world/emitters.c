// Emitters: what disturbs the water by itself. Each is a function of time alone: what happens
// between t0 and t1 depends on the two and on the def, so that steps of any length make the same
// drops, and a snapshot need not remember what has fallen already.

#include "world/world_inside.h"
#include "base/maths.h"
#include "base/param.h"
#include <math.h>

static const char* const kind_names[] = { "drop", "rain", "stroke", "line", "maker", NULL };
static const char* const edge_names[] = { "x0", "x1", "z0", "z1", NULL };

static const TarnParam emitter_params[] = {
    P_ENUM(TarnEmitterDef, kind, kind_names, 5, TARN_EMITTER_DROP,
           "One drop, rain, a brush drawn again and again, a swinging line, or a wave maker along "
           "an edge."),
    P_FLOAT(TarnEmitterDef, start, "s", 0, 1e9, 0, "World time at which it begins."),
    P_FLOAT(TarnEmitterDef, stop, "s", 0, 1e9, 1e9,
            "World time at which it ends, not before start."),
    P_VEC2(TarnEmitterDef, a, "m", -1e5, 1e5, 0, 0,
           "x and z of the drop, of a corner of the rain, of the start of a stroke or line."),
    P_VEC2(TarnEmitterDef, b, "m", -1e5, 1e5, 0, 0,
           "x and z of the opposite corner of the rain, of the end of a stroke or line."),
    P_FLOAT(TarnEmitterDef, radius, "m", 0.001, 1000, 0.3, "Radius of drops and brushes."),
    P_FLOAT(TarnEmitterDef, height, "m", -100, 100, 0.05,
            "Depth of the dip under a drop or brush, amplitude of lines and makers."),
    P_FLOAT(TarnEmitterDef, rate, "1/s", 0, 10000, 4, "Drops of rain per second in the whole box."),
    P_FLOAT(TarnEmitterDef, period, "s", 0.05, 10000, 1,
            "Of the swing of lines and makers; of a stroke, how long the brush takes from a to b."),
    P_ENUM(TarnEmitterDef, edge, edge_names, 4, 0, "Edge of the grid that a maker drives."),
};
static const TarnParamTable emitter_table = PARAM_TABLE("emitter", TarnEmitterDef, emitter_params);

const TarnParamTable* tarn_emitter_def_table(void)
{
    return &emitter_table;
}

TarnEmitterDef tarn_emitter_default_def(void)
{
    TarnEmitterDef def = { .cookie = EMITTER_COOKIE };
    tarn_param_defaults(&emitter_table, &def);
    return def;
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
    if (def == NULL || def->cookie != EMITTER_COOKIE)
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "emitter: start from tarn_emitter_default_def(), the cookie is missing");
    TARN_TRY(tarn_param_validate(ctx, &emitter_table, def));
    if (def->stop < def->start)
        return tarn__fail(ctx, TARN_ERR_ARG, "emitter.stop: %g s is before start, %g s",
                          (double)def->stop, (double)def->start);

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
static void rain(const TarnWorld* world, int slot, double t0, double t1)
{
    const Emitter* e = &world->emitters[slot];
    double rate = e->def.rate;
    uint64_t n0 = (uint64_t)floor(rate * (t0 - e->begin)),
             n1 = (uint64_t)floor(rate * (t1 - e->begin));
    for (uint64_t n = n0; n < n1; ++n) {
        uint64_t seed = (uint64_t)world->def.seed, stream = (uint64_t)slot;
        TarnVec2 at;
        at.x = between(e->def.a, e->def.b, tarn__random01(seed, stream, 2 * n)).x;
        at.y = between(e->def.a, e->def.b, tarn__random01(seed, stream, 2 * n + 1)).y;
        tarn_wave_add_drop(world->wave, at, e->def.radius, e->def.height);
    }
}

// The brush is at b after each whole period and back at a at once. A step draws only a piece of the
// way, often much shorter than the brush is wide, and the pieces overlap. So each digs its share, such
// that still water would keep a furrow of the full height.
static void stroke(const TarnWorld* world, const Emitter* e, double t0, double t1)
{
    const TarnEmitterDef* def = &e->def;
    float radius =
        tarn_maxf(def->radius, 1.5f * tarn_wave_def(world->wave)->dx); // the finest brush
    double s0 = (t0 - e->begin) / def->period, s1 = (t1 - e->begin) / def->period;
    while (s0 < s1) {
        double lap = floor(s0), end = s1 < lap + 1.0 ? s1 : lap + 1.0;
        TarnVec2 from = between(def->a, def->b, s0 - lap), to = between(def->a, def->b, end - lap);
        float length = vec3_length((TarnVec3){ to.x - from.x, 0.0f, to.y - from.y });
        float share = length / (length + 0.8f * radius); // 0.8: the dip less the ring around it
        tarn_wave_add_stroke(world->wave, from, to, def->radius, def->height * share);
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

void tarn__emitters_step(TarnWorld* world, double t1)
{
    double t0 = world->emitted;
    if (!(t0 < t1)) return;
    world->emitted = t1;
    if (world->wave == NULL) return;
    for (int slot = 0; slot < world->def.max_emitters; ++slot) {
        const Emitter* e = &world->emitters[slot];
        const TarnEmitterDef* def = &e->def;
        bool is_first = e->begin >= t0, is_drop = def->kind == TARN_EMITTER_DROP;
        double from = is_first ? e->begin : t0, to = t1 < def->stop ? t1 : def->stop;
        float dt = (float)(to - from);
        if (!e->is_used || !(e->begin < t1) || (from >= to && !is_drop)) continue;
        switch (def->kind) {
        case TARN_EMITTER_DROP:
            if (is_first) tarn_wave_add_drop(world->wave, def->a, def->radius, def->height);
            break;
        case TARN_EMITTER_RAIN:
            rain(world, slot, from, to);
            break;
        case TARN_EMITTER_STROKE:
            stroke(world, e, from, to);
            break;
        case TARN_EMITTER_LINE:
            tarn_wave_add_line(world->wave, def->a, def->b, swing(e, 0.5 * (from + to)), dt);
            break;
        default:
            tarn_wave_drive_edge(world->wave, def->edge, swing(e, 0.5 * (from + to)), dt);
        }
    }
}
