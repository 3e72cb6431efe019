// Windows that follow: the grid of a height field goes with a body or along a path, by whole cells, so that
// the water itself stays where it is; the box of a volume is moved by its solver. Where the target is follows
// from the time and the bodies, so a snapshot need not store it.

#include "world/world_internal.h"
#include "base/maths.h"
#include "base/def.h"
#include "base/param.h"
#include <math.h>

static const char* const kind_names[] = { "fixed", "body", "path", NULL };

static const TarnParam window_params[] = {
    P_ENUM(
        TarnWindowDef, kind, kind_names, 3, TARN_WINDOW_FIXED,
        "Whether the window is fixed, follows a body, or follows a point that moves from a to b."),
    P_VEC2(TarnWindowDef, a, "m", -1e6, 1e6, 0, 0, "x and z of the start of the path, at time 0."),
    P_VEC2(TarnWindowDef, b, "m", -1e6, 1e6, 0, 0, "x and z of the end of the path."),
    P_FLOAT(TarnWindowDef, speed, "m/s", 0, 1000, 5, "Speed along the path."),
    P_FLOAT(TarnWindowDef, slack, "", 0, 0.45, 0.05,
            "For height fields: how far the target may be from the center before the window "
            "follows, as a share of the window."),
    P_VEC3(TarnWindowDef, offset, "m", -1e5, 1e5, 0, 0, 0,
           "For boxes: offset of the center of the box from the body or the point on the path."),
};
static const TarnParamTable window_table = PARAM_TABLE("window", TarnWindowDef, window_params);

const TarnParamTable* tarn_window_def_table(void)
{
    return &window_table;
}

void tarn_window_init_def(TarnWindowDef* out, size_t size)
{
    TarnWindowDef def = { 0 };
    tarn_param_defaults(&window_table, &def);
    TARN_INIT_DEF(TarnWindowDef, out, size, &def);
}

TarnResult tarn_world_set_window(TarnWorld* world, const void* solver, const TarnWindowDef* def)
{
    Member* member;
    TARN_TRY(tarn__world_member_or_fail(world, solver, &member));
    TarnContext* ctx = world->ctx;
    TARN_TRY(TARN_CHECK_DEF(ctx, "window", "tarn/driver.h", TarnWindowDef, tarn_window_default_def,
                            def));
    TARN_TRY(tarn_param_validate(ctx, &window_table, def));
    const TarnSolverClass* c = member->class;
    bool is_moving = def->kind != TARN_WINDOW_FIXED;
    if (is_moving && c->shift == NULL && c->follow == NULL)
        return tarn__fail(ctx, TARN_ERR_UNSUPPORTED,
                          "window: a %s solver cannot move; remove the window", c->name);
    if (def->kind == TARN_WINDOW_BODY && tarn__world_slot_of(world, def->body) < 0)
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "window.body: the id is null, stale or belongs to another set");
    // A shift by no cells tells whether a height field can move at all.
    if (is_moving && c->shift) TARN_TRY(c->shift(member->solver, 0, 0));
    member->window = *def;
    if (def->kind != TARN_WINDOW_BODY) member->window.body = (TarnBodyId){ 0 };
    return TARN_OK;
}

const TarnBody* tarn__window_body(const TarnWorld* world, const Member* member)
{
    if (member->window.kind != TARN_WINDOW_BODY) return NULL;
    int slot = tarn__world_slot_of(world, member->window.body);
    return slot >= 0 ? tarn__bodies_slot(world->bodies, slot) : NULL;
}

// Finds the position and velocity of the target; false: there is no target.
static bool target_of(const TarnWorld* world, const Member* member, TarnVec3* at,
                      TarnVec3* velocity)
{
    const TarnWindowDef* def = &member->window;
    *velocity = (TarnVec3){ 0 };
    if (def->kind == TARN_WINDOW_PATH) {
        double ux = (double)def->b.x - def->a.x, uz = (double)def->b.y - def->a.y;
        double length = sqrt(ux * ux + uz * uz), way = def->speed * world->time;
        double s = length > way ? way / length : 1.0;
        *at = (TarnVec3){ (float)(def->a.x + s * ux), 0.0f, (float)(def->a.y + s * uz) };
        if (length > way)
            *velocity = (TarnVec3){ (float)(ux / length * def->speed), 0.0f,
                                    (float)(uz / length * def->speed) };
    } else {
        const TarnBody* body = tarn__window_body(world, member);
        if (body == NULL) return false;
        *at = body->state.position;
        *velocity = body->state.velocity;
    }
    *at = vec3_add(*at, def->offset);
    return true;
}

bool tarn_world_window_target(const TarnWorld* world, const void* solver, TarnVec3* out)
{
    TarnVec3 velocity;
    const Member* member = tarn__world_member(world, solver);
    if (out) *out = (TarnVec3){ 0 };
    return member && out && target_of(world, member, out, &velocity);
}

// Cells to shift along one axis: none within the slack, otherwise enough to center the target.
static int cells_off(float target, float lo, float hi, float dx, float slack)
{
    double n = ((double)hi - lo) / dx, off = ((double)target - lo) / dx - 0.5 * n;
    if (!(fabs(off) > (double)slack * n)) return 0;
    return fabs(off) < 1e6 ? (int)floor(off + 0.5) : 0; // farther away, the body has left the world
}

void tarn__windows_step(TarnWorld* world)
{
    for (int m = 0; m < world->def.max_solvers; ++m) {
        const Member* member = &world->members[m];
        TarnVec3 target, velocity;
        TarnBasin basin;
        if (member->class == NULL || member->class->shift == NULL ||
            !target_of(world, member, &target, &velocity))
            continue;
        member->class->basin(member->solver, &basin);
        float slack = member->window.slack;
        int di = cells_off(target.x, basin.min.x, basin.max.x, basin.dx, slack);
        int dk = cells_off(target.z, basin.min.y, basin.max.y, basin.dx, slack);
        // It only fails at the end of the range of cells, where the window then stays.
        if (di != 0 || dk != 0) member->class->shift(member->solver, di, dk);
    }
}

TarnResult tarn__window_follow(TarnWorld* world, Member* member)
{
    TarnVec3 target, velocity;
    if (member->class->follow == NULL || !target_of(world, member, &target, &velocity))
        return TARN_OK;
    return member->class->follow(member->solver, target, velocity);
}
