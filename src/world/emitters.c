// Emitters disturb the water by themselves. Each is a function of time only: what happens
// between t0 and t1 depends on these two and on the def, so that steps of any length make the same
// drops, and a snapshot need not store what has already fallen.

#include "world/world_internal.h"
#include "base/def.h"
#include "base/param.h"

static const char* const kind_names[TARN_EMITTER_KINDS + 1] = { "drop", "rain",  "stroke",
                                                                "line", "maker", "source",
                                                                "gate", "dig",   "jet" };
static const char* const edge_names[] = { "x0", "x1", "z0", "z1", NULL };

static const TarnParam emitter_params[] = {
    P_ENUM(TarnEmitterDef, kind, kind_names, TARN_EMITTER_KINDS, TARN_EMITTER_DROP,
           "Kind of disturbance. Waves: a drop, rain, a repeated brush stroke, an oscillating "
           "line, a wave maker along an edge. Shallow water: a drop, a source, a gate, a mound or "
           "pit, a jet. Pipes: a drop, a source."),
    P_FLOAT(TarnEmitterDef, start, "s", 0, 1e9, 0, "World time at which the emitter begins."),
    P_FLOAT(TarnEmitterDef, stop, "s", 0, 1e9, 1e9,
            "World time at which the emitter ends, or a gate begins to close; not before start."),
    P_VEC2(TarnEmitterDef, a, "m", -1e5, 1e5, 0, 0,
           "x and z of the drop, source, mound or jet, of one corner of the rain, or of the start "
           "of a stroke or line."),
    P_VEC2(TarnEmitterDef, b, "m", -1e5, 1e5, 0, 0,
           "x and z of the opposite corner of the rain, or of the end of a stroke or line."),
    P_FLOAT(TarnEmitterDef, radius, "m", 0.001, 1000, 0.3,
            "Radius of drops, brushes, sources, mounds and jets."),
    P_FLOAT(TarnEmitterDef, height, "m", -100, 100, 0.05,
            "Depth of the dip under a drop or brush; amplitude of lines and makers; in shallow "
            "water and pipes, mean height of the water that a drop adds; height of a mound, "
            "negative for a pit."),
    P_FLOAT(TarnEmitterDef, rate, "1/s", 0, 10000, 4, "Drops of rain per second in the whole box."),
    P_FLOAT(TarnEmitterDef, period, "s", 0.05, 10000, 1,
            "Period of lines and makers; duration of a stroke from a to b; time that a gate takes "
            "to open or close, or a mound to rise."),
    P_ENUM(TarnEmitterDef, edge, edge_names, 4, 0, "Edge of the grid that a maker drives."),
    P_FLOAT(TarnEmitterDef, flow, "m^3/s", -1e6, 1e6, 1,
            "Flow of a source; negative makes a drain."),
    P_INT(TarnEmitterDef, gate, "", 0, 1023, 0, "Index of the gate to open, from 0."),
    P_VEC2(TarnEmitterDef, velocity, "m/s", -100, 100, 1, 0,
           "Velocity, x and z, that a jet adds to free water within one period."),
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

const char* tarn_emitter_kind_name(int kind)
{
    return kind >= 0 && kind < TARN_EMITTER_KINDS ? kind_names[kind] : "?";
}

// ---- Which solver --------------------------------------------------------------------------------

static bool understands(const Member* member, int kind)
{
    return member->class && (member->class->emitters >> kind & 1u) != 0;
}

// The member that an emitter acts on: the one it names, or the first that supports it. NULL: none.
static const Member* target_of(const TarnWorld* world, const TarnEmitterDef* def)
{
    if (def->solver > 0) {
        const Member* named =
            def->solver <= world->def.max_solvers ? &world->members[def->solver - 1] : NULL;
        return named && understands(named, def->kind) ? named : NULL;
    }
    for (int m = 0; m < world->def.max_solvers; ++m) {
        if (understands(&world->members[m], def->kind)) return &world->members[m];
    }
    return NULL;
}

// The first candidate says what to use instead.
static TarnResult check_target(const TarnWorld* world, const TarnEmitterDef* def)
{
    if (target_of(world, def)) return TARN_OK;
    const char *name = kind_names[def->kind], *instead = NULL, *who = NULL;
    for (int m = 0; m < world->def.max_solvers; ++m) {
        const Member* member = &world->members[m];
        bool is_asked = member->class && (def->solver == 0 || def->solver == m + 1);
        if (!is_asked || who) continue;
        if (member->class->emitters == 0 && def->solver == 0) continue;
        who = member->name;
        instead = member->class->instead ? member->class->instead(def->kind) : NULL;
    }
    if (who == NULL)
        return tarn__fail(
            world->ctx, TARN_ERR_ARG,
            "emitter.kind: no solver of this world supports '%s' emitters; add one that does first",
            name);
    return tarn__fail(world->ctx, TARN_ERR_ARG,
                      "emitter.kind: '%s' emitters are not supported by %s%s%s", name, who,
                      instead ? "; " : "", instead ? instead : "");
}

// ---- Handles -----------------------------------------------------------------------------------

TarnResult tarn_world_add_emitter(TarnWorld* world, const TarnEmitterDef* def, TarnEmitterId* out)
{
    if (out) *out = (TarnEmitterId){ 0 };
    if (world == NULL) return TARN_ERR_ARG;
    TarnContext* ctx = world->ctx;
    TARN_TRY(TARN_CHECK_DEF(ctx, "emitter", "tarn/emitter.h", TarnEmitterDef,
                            tarn_emitter_default_def, def));
    TARN_TRY(tarn_param_validate(ctx, &emitter_table, def));
    if (def->stop < def->start)
        return tarn__fail(ctx, TARN_ERR_ARG, "emitter.stop: %g s is before emitter.start, %g s",
                          (double)def->stop, (double)def->start);
    if (def->solver < 0 || def->solver > world->def.max_solvers)
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "emitter.solver: %d is not the number of a solver; allowed: 0 to %d, see "
                          "tarn_world_number",
                          def->solver, world->def.max_solvers);
    TARN_TRY(check_target(world, def));
    int slot = tarn__handles_add(&world->emitter_ids);
    if (slot < 0)
        return tarn__fail(ctx, TARN_ERR_CAPACITY,
                          "all %d emitters are in use; raise world.max_emitters",
                          world->def.max_emitters);
    Emitter* emitter = &world->emitters[slot];
    emitter->def = *def;
    emitter->begin = def->start > world->emitted ? def->start : world->emitted;
    if (out) *out = (TarnEmitterId){ tarn__handles_id(&world->emitter_ids, slot) };
    return TARN_OK;
}

TarnResult tarn_world_remove_emitter(TarnWorld* world, TarnEmitterId id)
{
    if (world == NULL) return TARN_ERR_ARG;
    int slot = tarn__handles_find(world->ctx, &world->emitter_ids, id.value);
    if (slot < 0) return TARN_ERR_ARG;
    tarn__handles_remove(&world->emitter_ids, slot);
    return TARN_OK;
}

int tarn_world_emitter_count(const TarnWorld* world)
{
    return world ? world->emitter_ids.count : 0;
}

TarnEmitterId tarn_world_emitter_at(const TarnWorld* world, int n)
{
    return (TarnEmitterId){ world ? tarn__handles_at(&world->emitter_ids, n) : 0 };
}

TarnResult tarn_world_get_emitter(const TarnWorld* world, TarnEmitterId id, TarnEmitterDef* out)
{
    if (world == NULL || out == NULL) return TARN_ERR_ARG;
    *out = (TarnEmitterDef){ 0 };
    int slot = tarn__handles_find(world->ctx, &world->emitter_ids, id.value);
    if (slot < 0) return TARN_ERR_ARG;
    *out = world->emitters[slot].def;
    return TARN_OK;
}

// ---- Step --------------------------------------------------------------------------------------

void tarn__emitters_step(TarnWorld* world, double t1)
{
    double t0 = world->emitted;
    if (!(t0 < t1)) return;
    world->emitted = t1;
    for (int slot = 0; slot < world->def.max_emitters; ++slot) {
        const Emitter* e = &world->emitters[slot];
        if (!tarn__handles_is_used(&world->emitter_ids, slot) || !(e->begin < t1)) continue;
        double stop = e->def.stop;
        if (e->def.kind == TARN_EMITTER_GATE) stop += e->def.period; // until it is closed
        TarnEmission due = { .def = &e->def,
                             .begin = e->begin,
                             .is_first = e->begin >= t0,
                             .seed = (uint64_t)world->def.seed,
                             .stream = (uint64_t)slot };
        due.from = due.is_first ? e->begin : t0;
        due.to = t1 < stop ? t1 : stop;
        const Member* target = target_of(world, &e->def);
        bool is_due = due.from < due.to || e->def.kind == TARN_EMITTER_DROP;
        if (target && is_due) target->class->emit(target->solver, &due);
    }
}
