// A window that follows: the grid of a water goes with a body or along a path, by whole cells, so that
// the water itself stays where it is. Where the target is follows from the time and the bodies, so a
// snapshot need not remember anything of it.

#include "world/world_internal.h"
#include "base/def.h"
#include "base/param.h"
#include <math.h>

static const char* const kind_names[] = { "fixed", "body", "path", NULL };

static const TarnParam window_params[] = {
    P_ENUM(TarnWindowDef, kind, kind_names, 3, TARN_WINDOW_FIXED,
           "Fixed, or following a body or a point that goes from a to b."),
    P_VEC2(TarnWindowDef, a, "m", -1e6, 1e6, 0, 0, "x and z where a path starts, at time 0."),
    P_VEC2(TarnWindowDef, b, "m", -1e6, 1e6, 0, 0, "x and z where a path ends."),
    P_FLOAT(TarnWindowDef, speed, "m/s", 0, 1000, 5, "Along the path."),
    P_FLOAT(TarnWindowDef, slack, "", 0, 0.45, 0.05,
            "How far the target goes from the middle before the window follows, as a share of it."),
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

// The first water that can move; -1: there is none.
static int movable(const TarnWorld* world)
{
    for (int kind = 0; kind < N_WATERS; ++kind) {
        if (world->waters[kind] && tarn__water_classes[kind].shift) return kind;
    }
    return -1;
}

TarnResult tarn_world_set_window(TarnWorld* world, const TarnWindowDef* def)
{
    if (world == NULL) return TARN_ERR_ARG;
    TarnContext* ctx = world->ctx;
    TARN_TRY(
        TARN_CHECK_DEF(ctx, "window", "tarn/world.h", TarnWindowDef, tarn_window_default_def, def));
    TARN_TRY(tarn_param_validate(ctx, &window_table, def));
    if (def->kind != TARN_WINDOW_FIXED && movable(world) < 0)
        return tarn__fail(
            ctx, TARN_ERR_UNSUPPORTED,
            "window: no water of this world can move its window; add waves or shallow "
            "water first");
    int slot = def->kind == TARN_WINDOW_BODY ? tarn__world_slot_of(world, def->body) : 0;
    if (slot < 0)
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "window.body: the id is stale, null, or of another set");
    int kind = movable(world); // asked for no cells, a water says whether it could
    if (def->kind != TARN_WINDOW_FIXED)
        TARN_TRY(tarn__water_classes[kind].shift(world->waters[kind], 0, 0));
    world->window = *def;
    world->window_slot = slot;
    world->window_generation = tarn__bodies_slot(world->bodies, slot)->generation;
    return TARN_OK;
}

const TarnBody* tarn__window_body(const TarnWorld* world)
{
    if (world->window.kind != TARN_WINDOW_BODY) return NULL;
    const TarnBody* body = tarn__bodies_slot(world->bodies, world->window_slot);
    return body->is_used && body->generation == world->window_generation ? body : NULL;
}

bool tarn_world_window_target(const TarnWorld* world, TarnVec2* out)
{
    if (out) *out = (TarnVec2){ 0.0f, 0.0f };
    if (world == NULL || out == NULL) return false;
    const TarnWindowDef* def = &world->window;
    if (def->kind == TARN_WINDOW_PATH) {
        double ux = (double)def->b.x - def->a.x, uz = (double)def->b.y - def->a.y;
        double length = sqrt(ux * ux + uz * uz), way = def->speed * world->time;
        double s = length > way ? way / length : 1.0;
        *out = (TarnVec2){ (float)(def->a.x + s * ux), (float)(def->a.y + s * uz) };
        return true;
    }
    const TarnBody* body = tarn__window_body(world);
    if (body) *out = (TarnVec2){ body->state.position.x, body->state.position.z };
    return body != NULL;
}

// Cells to go along one axis: none within the slack, else so many that the target is in the middle.
static int cells_off(float target, float origin, float dx, int n, float slack)
{
    double off = ((double)target - origin) / dx - 0.5 * n;
    if (!(fabs(off) > (double)slack * n)) return 0;
    return fabs(off) < 1e6 ? (int)floor(off + 0.5) : 0; // beyond is a body that left the world
}

void tarn__window_step(TarnWorld* world)
{
    TarnVec2 target;
    int kind = movable(world);
    if (kind < 0 || !tarn_world_window_target(world, &target)) return;
    Basin basin = tarn__water_classes[kind].basin(world->waters[kind]);
    float slack = world->window.slack;
    int di = cells_off(target.x, basin.origin.x, basin.dx, basin.nx, slack);
    int dk = cells_off(target.y, basin.origin.y, basin.dx, basin.nz, slack);
    // Refused at the end of the numbers only, and then the window stands.
    if (di != 0 || dk != 0) tarn__water_classes[kind].shift(world->waters[kind], di, dk);
}
