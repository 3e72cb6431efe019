// Gates that a click opens and closes.

#include "tools.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

// Gates are items "gates" of a solver that takes gate emitters: their boxes are in the scene's tables.
typedef struct Gate {
    const ParamGroup* group;
    void* solver;
    int index;
} Gate;

static bool nth_gate(const TarnPlay* play, int n, Gate* out)
{
    for (int i = 0; i < play->params.n_groups; ++i) {
        const ParamGroup* g = &play->params.groups[i];
        const char* list = strstr(g->path, ".gates[");
        char name[SCENE_NAME];
        int index;
        if (list == NULL || sscanf(list, ".gates[%d]", &index) != 1) continue;
        snprintf(name, sizeof name, "%.*s", (int)(list - g->path), g->path);
        void* solver = tarn_world_find(play->world, name);
        if (solver == NULL ||
            !tool_emits(tarn_world_class_of(play->world, solver), TARN_EMITTER_GATE))
            continue;
        *out = (Gate){ g, solver, index };
        if (n-- == 0) return true;
    }
    return false;
}

bool tool_has_gates(const TarnPlay* play)
{
    Gate gate;
    return nth_gate(play, 0, &gate);
}

static double gate_value(const Gate* gate, const char* name, int component)
{
    const TarnParam* p = tarn_param_find(gate->group->table, name);
    double v[3] = { 0 };
    if (p) params_values(gate->group, p, gate->group->values, v);
    return v[component];
}

// How far a point is from the box of a gate, seen from above [m].
static float distance_to(const Gate* gate, TarnVec3 at)
{
    float far[2], p[2] = { at.x, at.z };
    for (int c = 0; c < 2; ++c) {
        float a = (float)gate_value(gate, "a", c), b = (float)gate_value(gate, "b", c);
        float lo = a < b ? a : b, hi = a < b ? b : a;
        far[c] = p[c] < lo ? lo - p[c] : p[c] > hi ? p[c] - hi : 0.0f;
    }
    return sqrtf(far[0] * far[0] + far[1] * far[1]);
}

bool tool_begin_gate(TarnPlay* play, Grip* g, bool is_auto)
{
    Gate gate, best = { 0 };
    float nearest = is_auto ? tool_radius(play, g) : INFINITY;
    if (g->pick.kind == TARN_PICK_NONE) return false;
    for (int n = 0; nth_gate(play, n, &gate); ++n) {
        float far = distance_to(&gate, g->pick.position);
        if (far < nearest) nearest = far, best = gate;
    }
    g->solver = best.solver;
    g->part_index = best.index;
    return best.solver != NULL;
}

// What the scene's own script says about this gate no longer holds.
static void drop_script(TarnPlay* play, void* solver, int gate)
{
    int number = tarn_world_number(play->world, solver);
    for (int n = tarn_world_emitter_count(play->world) - 1; n >= 0; --n) {
        TarnEmitterId id = tarn_world_emitter_at(play->world, n);
        TarnEmitterDef def;
        if (tarn_world_get_emitter(play->world, id, &def) != TARN_OK) continue;
        bool is_its = def.kind == TARN_EMITTER_GATE && def.gate == gate &&
                      (def.solver == number || def.solver == 0);
        if (is_its) tarn_world_remove_emitter(play->world, id);
    }
}

void tool_turn_gate(TarnPlay* play, Grip* g, float dt)
{
    GateMotion* m = &play->tools.gate;
    (void)dt;
    if (!g->is_fresh) return;
    drop_script(play, g->solver, g->part_index);
    bool is_shallow = tarn_world_class_of(play->world, g->solver) == tarn_shallow_class();
    float now = is_shallow ? tarn_shallow_gate_opening(g->solver, g->part_index) : 0.0f;
    *m = (GateMotion){ .is_moving = true,
                       .solver = g->solver,
                       .gate = g->part_index,
                       .opening = now,
                       .target = now > 0.5f ? 0.0f : 1.0f };
}

void tool_move_gate(TarnPlay* play, float dt)
{
    GateMotion* m = &play->tools.gate;
    if (!m->is_moving) return;
    float way = dt / 0.8f; // it takes 0.8 s
    float left = m->target - m->opening;
    m->opening = fabsf(left) <= way ? m->target : m->opening + (left > 0.0f ? way : -way);
    TarnEmitterDef def = tarn_emitter_default_def();
    def.kind = TARN_EMITTER_GATE;
    def.gate = m->gate;
    def.period = 1.0f;
    const TarnSolverClass* of = tarn_world_class_of(play->world, m->solver);
    TarnEmission e = { .def = &def, .begin = 0.0, .from = 0.0, .to = (double)m->opening };
    def.start = 0.0f, def.stop = 1e9f;
    of->emit(m->solver, &e);
    m->is_moving = m->opening != m->target;
}
