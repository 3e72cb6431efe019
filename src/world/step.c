// The step of a world. A substep goes through the phases in the order of TarnPhase; which solvers step in
// which, their classes declare: docs/architecture.md draws it.

#include "world/world_internal.h"
#include "base/maths.h"
#include "tarn/coupling.h"
#include <math.h>

// ---- Reports -------------------------------------------------------------------------------------

// Merges the report of one solver's substep into that of all.
static void merge_solver(TarnStepReport* sum, const TarnStepReport* one)
{
    if (one->substeps > sum->substeps) sum->substeps = one->substeps;
    bool is_shorter = sum->stable_dt == 0.0 || one->stable_dt < sum->stable_dt;
    if (one->stable_dt > 0.0 && is_shorter) sum->stable_dt = one->stable_dt;
    sum->flags |= one->flags;
    sum->tiles_awake += one->tiles_awake;
    sum->tiles_total += one->tiles_total;
    tarn__report_drop(sum, one->time_dropped, one->time_limit);
    tarn__report_limit(sum, &one->limited);
}

// Merges the reports of solvers and bodies of a substep into that of the step.
static void merge_substep(TarnStepReport* sum, TarnStepReport* solvers,
                          const TarnStepReport* bodies)
{
    int most = solvers->substeps > bodies->substeps ? solvers->substeps : bodies->substeps;
    // Bodies take parts of at most 8/60 s: shorter ones help.
    tarn__report_drop(solvers, bodies->time_dropped, "world.max_step");
    sum->time_dropped += solvers->time_dropped;
    tarn__report_limit(solvers, &bodies->limited);
    tarn__report_limit(sum, &solvers->limited);
    if (sum->time_limit == NULL) sum->time_limit = solvers->time_limit;
    sum->substeps += most > 1 ? most : 1;
    sum->flags |= solvers->flags | bodies->flags;
    sum->stable_dt = solvers->stable_dt;
    sum->tiles_awake = solvers->tiles_awake;
    sum->tiles_total = solvers->tiles_total;
}

// ---- Bodies --------------------------------------------------------------------------------------

// A wave solver does not know how high its walls are: high enough that no boat climbs them [m].
static const float wall_height = 2.0f;

BodyBasin tarn__world_basin(const TarnBasin* b)
{
    BodyBasin out = { .nx = 1, .nz = 1, .dx = b->dx, .origin = b->min, .floor = b->floor };
    out.size = (TarnVec2){ b->max.x - b->min.x, b->max.y - b->min.y };
    memcpy(out.is_closed, b->is_closed, sizeof out.is_closed);
    out.ground = b->ground.data ? b->ground : b->depth;
    out.is_depth = b->ground.data == NULL && b->depth.data != NULL;
    if (out.ground.data) out.nx = out.ground.nx, out.nz = out.ground.nz;
    out.level = b->rest_level;
    out.has_walls = out.is_depth; // a depth of 0 marks a wall
    out.wall_top = b->rest_level + wall_height;
    return out;
}

// An engine of the host knows the box of the bodies alone: with one basin that is its floor and its closed edges.
static void fit_box(const BodyBasin* basin, TarnVec3* lo, TarnVec3* hi)
{
    lo->y = basin->floor;
    if (basin->is_closed[0]) lo->x = basin->origin.x;
    if (basin->is_closed[1]) hi->x = basin->origin.x + basin->size.x;
    if (basin->is_closed[2]) lo->z = basin->origin.y;
    if (basin->is_closed[3]) hi->z = basin->origin.y + basin->size.y;
}

// Collects beds and walls of all members at the current places of their windows.
static void place_basins(TarnWorld* world)
{
    const float far_away = 1e4f;
    BodyBasin basins[BODY_MAX_BASINS];
    float floor = 0.0f;
    int n = 0;
    if (tarn_bodies_count(world->bodies) == 0) return;
    for (int m = 0; m < world->def.max_solvers && n < BODY_MAX_BASINS; ++m) {
        const Member* member = &world->members[m];
        TarnBasin basin;
        if (member->class == NULL || member->class->basin == NULL) continue;
        if (tarn__world_base(world, member)) continue; // the ground is that of the water below
        member->class->basin(member->solver, &basin);
        floor = n == 0 ? basin.floor : tarn_minf(floor, basin.floor);
        basins[n++] = tarn__world_basin(&basin);
    }
    // One floor for all bodies lies a meter below the deepest one, so that bodies that leave over an open
    // edge sink no deeper. It is so far below that no body in a basin feels it.
    TarnVec3 lo = { -far_away, n > 0 ? floor - 1.0f : -far_away, -far_away };
    TarnVec3 hi = { far_away, lo.y < far_away ? far_away : lo.y + far_away, far_away };
    if (world->engine != NULL && n == 1) fit_box(&basins[0], &lo, &hi);
    tarn__bodies_set_box(world->bodies, lo, hi);
    tarn__bodies_set_basins(world->bodies, basins, n);
}

static TarnResult step_bodies(TarnWorld* world, float dt, TarnStepReport* report)
{
    if (tarn_bodies_count(world->bodies) == 0) return TARN_OK; // they would ask for shorter steps
    if (world->engine == NULL) return tarn_bodies_step(world->bodies, dt, report);
    TARN_TRY(world->engine(world->bodies, dt, world->engine_user));
    tarn_bodies_clear_forces(world->bodies);
    report->substeps = 1;
    return TARN_OK;
}

// Moves solids to where they are at the end of the substep, including those that stand for bodies.
static TarnResult step_solids(TarnWorld* world, double t1, float dt)
{
    if (tarn_solids_count(world->solids) == 0 && !world->uses_solids) return TARN_OK;
    TARN_TRY(tarn_solids_advance(world->solids, dt));
    TARN_TRY(tarn__solid_drivers_step(world, t1));
    return world->uses_solids ? tarn_couple_solids_bodies(world->solids, world->bodies, dt)
                              : TARN_OK;
}

// ---- Solvers -------------------------------------------------------------------------------------

// Bodies float in the surfaces of solvers that do not move them themselves, together with all that lies on these.
static bool floats_bodies(const TarnWorld* world, const Member* member)
{
    if (tarn__world_base(world, member)) return false;
    const TarnSolverClass* c = member->class;
    bool is_asked = c->has_bodies == NULL || c->has_bodies(member->solver);
    return c->surface && !c->floats_bodies && is_asked;
}

// Everything that a member does in a substep. *moved [s] is the time that all before it advanced; it shrinks
// if this one advanced less, so that later solvers and the bodies do not get ahead.
static TarnResult step_member(TarnWorld* world, int m, float* moved, TarnStepReport* sum)
{
    Member* member = &world->members[m];
    TarnStepReport report = { 0 };
    TarnAround around = tarn__world_around(world);
    tarn__carry_parts(world, m);
    TARN_TRY(tarn__window_follow(world, member));
    around.water = tarn__world_water(world, member);
    Member* base = tarn__world_base(world, member);
    around.base = tarn__ledger_below(member, base);
    if (base && base->class->basin) {
        TarnBasin basin = { 0 };
        base->class->basin(base->solver, &basin);
        memcpy(around.is_closed, basin.is_closed, sizeof around.is_closed);
    }
    if (member->class->catches) tarn__throws_step(world, member);
    if (floats_bodies(world, member)) {
        TarnFloatParams params = tarn_float_default_params();
        TARN_TRY(tarn_couple_surface_bodies(&around.water, &params, world->bodies, *moved));
    }
    TARN_TRY(member->class->step(member->solver, &around, *moved, &report));
    if (report.flags & TARN_STEP_TIME_CUT && (float)report.time_advanced < *moved)
        *moved = (float)report.time_advanced;
    merge_solver(sum, &report);
    return TARN_OK;
}

static TarnResult step_solvers(TarnWorld* world, int phase, float* moved, TarnStepReport* sum)
{
    for (int m = 0; m < world->def.max_solvers; ++m) {
        const TarnSolverClass* c = world->members[m].class;
        if (c && c->phase == phase) TARN_TRY(step_member(world, m, moved, sum));
    }
    return TARN_OK;
}

// ---- The substep ---------------------------------------------------------------------------------

typedef struct Substep {
    double t1;   // its end [s]
    float dt;    // [s]
    float moved; // time that all solvers so far have advanced [s]
    TarnStepReport solvers, bodies;
} Substep;

static TarnResult step_phase(TarnWorld* world, int phase, Substep* s)
{
    switch (phase) {
    case TARN_PHASE_EMITTERS:
        if (world->script) world->script(world, s->dt, world->script_user);
        tarn__windows_step(world);
        tarn__emitters_step(world, s->t1);
        return TARN_OK;
    case TARN_PHASE_DRIVERS:
        return tarn__drivers_step(world, s->dt, s->t1);
    case TARN_PHASE_SOLIDS:
        if (world->has_noise) world->noise.time = world->time;
        tarn__wind_update(world);
        tarn_bodies_begin_forces(world->bodies);
        tarn__spouts_hold(world);
        return step_solids(world, s->t1, s->dt);
    case TARN_PHASE_WIND:
        if (tarn_bodies_count(world->bodies) == 0) return TARN_OK;
        TARN_TRY(tarn__flows_push(world, s->moved));
        return tarn__foils_push(world, s->moved);
    case TARN_PHASE_HANDOVER:
        tarn__spouts_step(world);
        tarn__channels_step(world, s->moved);
        tarn__drops_fall(world);
        return TARN_OK;
    case TARN_PHASE_BODIES:
        place_basins(world);
        return step_bodies(world, s->moved, &s->bodies);
    default:
        return step_solvers(world, phase, &s->moved, &s->solvers);
    }
}

// One substep of dt [s], from the world's time to t1. *lost grows by what the solvers could not advance.
static TarnResult substep(TarnWorld* world, double t1, float dt, double* lost, TarnStepReport* sum)
{
    Substep s = { .t1 = t1, .dt = dt, .moved = dt };
    double clock = tarn__clock_ms(world->ctx);
    for (int phase = 0; phase < TARN_PHASES; ++phase) {
        TARN_TRY(step_phase(world, phase, &s));
        tarn__report_phase(world->ctx, sum, (TarnPhase)phase, &clock);
    }
    merge_substep(sum, &s.solvers, &s.bodies);
    *lost += (double)dt - (double)s.moved;
    return TARN_OK;
}

TarnResult tarn_world_step(TarnWorld* world, float dt, TarnStepReport* report)
{
    TarnStepReport sum = { 0 };
    if (report) *report = sum;
    if (world == NULL) return TARN_ERR_ARG;
    if (!(dt >= 0.0f && dt <= 10.0f)) // written so that NaN fails it too
        return tarn__fail(world->ctx, TARN_ERR_ARG,
                          "tarn_world_step: dt %g s is out of range; allowed: 0 to 10 s",
                          (double)dt);
    // A thousandth of tolerance, so that 1/30 is two steps of 1/60 in float as well.
    double max_step = world->def.max_step, asked = dt, lost = 0.0, start = world->time;
    int n = (int)ceil(asked / max_step - 0.001);
    if (n < 1) n = dt > 0.0f;
    if (n > world->def.max_substeps) {
        n = world->def.max_substeps;
        asked = n * max_step;
        sum.flags |= TARN_STEP_TIME_CUT;
        sum.time_dropped = (double)dt - asked;
        sum.time_limit = "world.max_substeps";
    }
    for (int j = 0; j < n; ++j) {
        double t1 = start + asked * (j + 1) / n - lost;
        TARN_TRY(substep(world, t1, (float)(asked / n), &lost, &sum));
        world->time = start + asked * (j + 1) / n - lost;
    }
    sum.time_advanced = asked - lost;
    if (report) *report = sum;
    return TARN_OK;
}
