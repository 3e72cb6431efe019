// Breaking waves as a class: how worlds, scenes and tools reach tarn/breakers.h.

#include "registry/registry.h"
#include "tarn/breakers.h"

CLASS_CALLS(TarnBreakers, breakers)

static TarnResult step(void* solver, const TarnAround* around, float dt, TarnStepReport* report)
{
    return tarn_breakers_step(solver, &around->base, around->bodies, dt, report);
}
static void basin(const void* solver, TarnBasin* out)
{
    const TarnBreakersDef* def = tarn_breakers_def(solver);
    *out = (TarnBasin){ .min = def->origin,
                        .max = { def->origin.x + (float)def->nx * def->dx,
                                 def->origin.y + (float)def->nz * def->dx },
                        .floor = -1e4f,
                        .dx = def->dx };
}

// What a solver that catches water in the air gets of the splashes of the last step, each once.
static int throws(void* solver, int capacity, TarnThrow* out)
{
    TarnBreakerSplash splashes[64];
    int n = 0;
    while (n < capacity) {
        int room = capacity - n < COUNT_OF(splashes) ? capacity - n : COUNT_OF(splashes);
        int got = tarn_breakers_take_splashes(solver, room, splashes);
        for (int i = 0; i < got; ++i) {
            const TarnBreakerSplash* s = &splashes[i];
            float wide = 0.5f * s->size, high = 0.5f * s->thickness;
            out[n++] = (TarnThrow){ .position = s->position,
                                    .half = { wide, high, wide },
                                    .velocity = s->velocity,
                                    .power = s->power,
                                    .kind = s->is_impact ? TARN_THROW_IMPACT : TARN_THROW_LIP };
        }
        if (got < room) break;
    }
    return n;
}

static bool curl(const void* solver, TarnVec3 near, float reach, TarnCurl* out)
{
    return tarn_breakers_curl(solver, near, reach, out);
}

static double lines(const void* solver)
{
    return tarn_breakers_line_count(solver);
}
static double nodes(const void* solver)
{
    return tarn_breakers_node_count(solver);
}
static double power(const void* solver)
{
    const TarnBreakerSplash* splashes;
    int n = tarn_breakers_splashes(solver, &splashes);
    double sum = 0.0;
    for (int i = 0; i < n; ++i) sum += (double)splashes[i].power;
    return sum;
}
static double moved(const void* solver)
{
    return tarn_breakers_moved(solver);
}
static const TarnStat stats[] = {
    { "lines", "", "Breaking fronts.", lines },
    { "nodes", "", "Nodes of sheets in the air.", nodes },
    { "power", "W", "Power that sheets lost as splashes in the last step.", power },
    { "moved", "m^3", "Volume that landing sheets have pushed aside so far.", moved },
};

static const TarnSolverClass breakers_class = {
    CLASS_FIELDS(breakers),
    .about = "Breaking waves on another water: lips that curl over, barrels, surf.",
    .phase = TARN_PHASE_EFFECTS,
    .step = step,
    .stats = stats,
    .n_stats = COUNT_OF(stats),
    .basin = basin,
    .throws = throws,
    .curl = curl,
};

const TarnSolverClass* tarn_breakers_class(void)
{
    return &breakers_class;
}
