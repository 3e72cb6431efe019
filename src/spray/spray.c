// Spray, splash, mist and foam. Parameters, creation, reading; the step is in spray_step.c, what throws water in
// spray_sources.c and spray_bodies.c, what drops hit in spray_solids.c, foam in spray_foam.c.
//
// Method   Particles on height-field water [Chentanez2010]: drops that carry volume, fine drops, mist, foam. Drops
//          move on their own and land where they come below the surface.
// Differs  from [Chentanez2010]: slope, rising speed and curvature only find a breaking front. How much it throws
//          follows from the energy that a bore of its height loses, per length of the front: thresholds of slope and
//          speed that depend on dt and dx, as there, give other amounts for other steps and cells. The volume is
//          counted in whole grains of the water.
// Checked  tests/unit/test_spray.c, tests/physics/check_spray.c, tests/golden.
// Cost     bench/bench_spray.c, docs/solvers/spray.md.

#include "spray/spray_internal.h"
#include "base/def.h"
#include "base/param.h"
#include "grid/window.h"

#define D TarnSprayDef
static const TarnParam def_params[] = {
    P_INT(D, nx, "cells", 4, 4096, 128, "Cells along x."),
    P_INT(D, nz, "cells", 4, 4096, 128, "Cells along z."),
    P_FLOAT(D, dx, "m", 0.01, 1e3, 1,
            "Size of a cell, in which breaking waves are looked for and foam is kept; about two "
            "cells of "
            "the water."),
    P_VEC2(D, origin, "m", -1e6, 1e6, 0, 0, "World x and z of the corner of cell (0, 0)."),
    P_INT(D, max_drops, "", 16, 4000000, 60000, "Most drops in the air, of all kinds together."),
    P_INT(D, max_foam, "", 16, 4000000, 60000, "Most particles of foam."),
    P_FLOAT(D, gravity, "m/s^2", 1e-3, 1e3, 9.81, "Downward acceleration."),
    P_INT(D, seed, "", 0, 1000000, 1, "Seed of all that is random."),
};
#undef D
#define P TarnSprayParams
static const TarnParam params_params[] = {
    P_FLOAT(P, radius, "m", 0.002, 10, 0.06,
            "Radius of a splash drop, a lump of water; smaller makes more of them."),
    P_FLOAT(P, steepness, "", 0.01, 10, 0.25,
            "Slope of the surface, over two cells, at which a front breaks."),
    P_FLOAT(P, rising, "m/s", 0, 100, 0.3, "Slowest rise of the surface at a breaking front."),
    P_FLOAT(P, crests, "", 0, 10, 0.15,
            "Share of the energy that a breaking front loses which throws water."),
    P_FLOAT(P, walls, "", 0, 1, 0.1,
            "Share of the water that hits a rock or a wall which is thrown up."),
    P_FLOAT(P, wall_speed, "m/s", 0.01, 100, 1.2, "Slower water does not splash at walls."),
    P_FLOAT(P, bodies, "", 0, 10, 0.3,
            "Share of the water that bodies push aside at the waterline which is thrown."),
    P_FLOAT(P, body_speed, "m/s", 0.01, 100, 1.0, "Slower bodies do not splash."),
    P_FLOAT(P, fine, "", 0, 100, 4, "Fine drops per splash drop."),
    P_FLOAT(P, mist, "", 0, 10, 0.03, "Clouds of mist per splash drop that lands hard."),
    P_FLOAT(P, foam, "", 0, 100, 1, "Amount of foam that white water leaves behind."),
    P_FLOAT(P, foam_life, "s", 0.05, 1e4, 8, "Time in which two thirds of the foam fade."),
    P_FLOAT(P, fine_life, "s", 0.05, 100, 2.5, "Longest life of a fine drop."),
    P_FLOAT(P, drag, "1/s", 0, 100, 1.2,
            "Drag of the air on fine drops; on mist, eight times as much."),
    P_VEC3(P, wind, "m/s", -100, 100, 0, 0, 0, "Velocity of the air."),
    P_FLOAT(P, jitter, "", 0, 2, 0.35, "Spread of the velocity of drops, as a share of it."),
    P_FLOAT(P, rain, "1/(m^2 s)", 0, 1000, 0,
            "Drops of rain that fall, per area and second; each makes a crown of fine drops and a "
            "ring."),
};
#undef P
static const TarnParamTable def_table = PARAM_TABLE("spray", TarnSprayDef, def_params);
static const TarnParamTable params_table = PARAM_TABLE("spray", TarnSprayParams, params_params);

const TarnParamTable* tarn_spray_def_table(void)
{
    return &def_table;
}
const TarnParamTable* tarn_spray_params_table(void)
{
    return &params_table;
}
void tarn_spray_init_def(TarnSprayDef* out, size_t size)
{
    TarnSprayDef def = { 0 };
    tarn_param_defaults(&def_table, &def);
    TARN_INIT_DEF(TarnSprayDef, out, size, &def);
}
TarnSprayParams tarn_spray_default_params(void)
{
    TarnSprayParams params;
    tarn_param_defaults(&params_table, &params);
    return params;
}

// ---- Create ------------------------------------------------------------------------------------

static TarnResult check_def(TarnContext* ctx, const TarnSprayDef* def)
{
    TARN_TRY(
        TARN_CHECK_DEF(ctx, "spray", "tarn/spray.h", TarnSprayDef, tarn_spray_default_def, def));
    return tarn_param_validate(ctx, &def_table, def);
}

static void place_pool(TarnLayout* layout, char* base, SprayPool* pool, int capacity, bool is_drops)
{
    size_t n = (size_t)capacity + TARN_LANES, f = sizeof(float);
    float** arrays[] = { &pool->x,      &pool->y,      &pool->z,   &pool->vx,
                         &pool->vy,     &pool->vz,     &pool->age, &pool->life,
                         &pool->radius, &pool->grains, &pool->drag };
    pool->capacity = capacity;
    for (int a = 0; a < (is_drops ? 11 : 9); ++a)
        *arrays[a] = tarn__layout_place(layout, base, n, f);
    pool->id = tarn__layout_place(layout, base, n, sizeof(uint32_t));
    pool->kind = tarn__layout_place(layout, base, n, 1);
    pool->fate = tarn__layout_place(layout, base, n, 1);
}

// Places all arrays; with base NULL it only counts.
static size_t lay_out(const TarnSprayDef* def, TarnSpray* s, char* base)
{
    TarnLayout layout = { 0 };
    size_t cells = (size_t)def->nx * (size_t)def->nz, f = sizeof(float);
    tarn__layout_place(&layout, base, 1, sizeof(TarnSpray));
    place_pool(&layout, base, &s->drops, def->max_drops, true);
    place_pool(&layout, base, &s->foam_parts, def->max_foam, false);
    float** fields[] = { &s->cells.height, &s->cells.depth, &s->foam,   &s->foam_next,
                         &s->power,        &s->fresh,       &s->ceiling };
    for (int n = 0; n < 7; ++n) *fields[n] = tarn__layout_place(&layout, base, cells + 8, f);
    s->cells.velocity = tarn__layout_place(&layout, base, cells, sizeof(TarnVec3));
    s->landing = tarn__layout_place(&layout, base, cells, sizeof(SprayLanding));
    s->marks = tarn__layout_place(&layout, base, cells, 1);
    s->landed = tarn__layout_place(&layout, base, cells, sizeof(int32_t));
    s->sources = tarn__layout_place(&layout, base, 2 * cells, sizeof(SpraySource));
    s->n_sources = tarn__layout_place(&layout, base, (size_t)def->nz, sizeof(int));
    s->throws = tarn__layout_place(&layout, base, TARN_SPRAY_MAX_THROWS, sizeof(TarnThrow));
    return layout.size;
}

size_t tarn_spray_memory(const TarnSprayDef* def)
{
    TarnSpray counted = { 0 };
    return check_def(NULL, def) == TARN_OK ? lay_out(def, &counted, NULL) : 0;
}

TarnResult tarn_spray_create(TarnContext* ctx, const TarnSprayDef* def, TarnSpray** out)
{
    if (out == NULL) return tarn__fail(ctx, TARN_ERR_ARG, "tarn_spray_create: out is NULL");
    *out = NULL;
    if (ctx == NULL) return TARN_ERR_ARG;
    TARN_TRY(check_def(ctx, def));
    TarnSpray counted = { 0 };
    size_t size = lay_out(def, &counted, NULL);
    TarnSpray* s = tarn__alloc(ctx, size);
    if (s == NULL)
        return tarn__fail(
            ctx, TARN_ERR_MEMORY,
            "spray: out of memory for %d x %d cells, %d drops and %d particles of foam "
            "(%zu bytes)",
            def->nx, def->nz, def->max_drops, def->max_foam, size);
    s->ctx = ctx;
    s->memory = size;
    s->def = *def;
    s->params = tarn_spray_default_params();
    s->kernels = TARN_KERNELS_PICK(ctx->isa, tarn__spray_kernels);
    lay_out(def, s, (char*)s);
    tarn_spray_reset(s);
    *out = s;
    return TARN_OK;
}

void tarn_spray_destroy(TarnSpray* s)
{
    if (s != NULL) tarn__free(s->ctx, s, s->memory);
}

TarnResult tarn_spray_set_params(TarnSpray* s, const TarnSprayParams* params)
{
    if (s == NULL || params == NULL) return TARN_ERR_ARG;
    TARN_TRY(tarn_param_validate(s->ctx, &params_table, params));
    s->params = *params;
    return TARN_OK;
}
TarnSprayParams tarn_spray_params(const TarnSpray* s)
{
    return s->params;
}

void tarn_spray_reset(TarnSpray* s)
{
    if (s == NULL) return;
    s->time = s->owed = s->foam_owed = s->rain_owed = 0.0;
    s->grain = s->rest = s->loose = 0.0;
    s->births = 0;
    s->turn = 0;
    s->shift_i = s->shift_k = s->n_throws = s->n_rain = s->n_landed = 0;
    s->is_anchored = false;
    s->anchor = (TarnVec2){ 0.0f, 0.0f };
    s->sums = (SpraySums){ 0 };
    s->drops.n = s->foam_parts.n = 0;
    memset(s->foam, 0, spray_cells(s) * sizeof(float));
    memset(s->power, 0, spray_cells(s) * sizeof(float));
}

// ---- Throws, rain, foam of a host ----------------------------------------------------------------

bool tarn__spray_is_throw(const TarnThrow* t)
{
    return tarn__all_within(&t->position, 3, spray_reach) &&
           tarn__all_within(&t->half, 3, spray_reach) &&
           tarn__all_within(&t->velocity, 3, spray_reach) && t->volume >= 0.0 && t->volume <= 1e6 &&
           t->power >= 0.0f && t->power <= 1e15f && t->kind >= TARN_THROW_FALL &&
           t->kind <= TARN_THROW_IMPACT;
}

TarnResult tarn_spray_throw(TarnSpray* s, int n, const TarnThrow* throws)
{
    if (s == NULL || n < 0 || (n > 0 && throws == NULL)) return TARN_ERR_ARG;
    for (int i = 0; i < n; ++i) {
        if (!tarn__spray_is_throw(&throws[i]))
            return tarn__fail(s->ctx, TARN_ERR_ARG,
                              "tarn_spray_throw: throw %d has a value that is not finite or beyond "
                              "+-1e6, a negative volume or power, or an unknown kind",
                              i);
    }
    if (n > TARN_SPRAY_MAX_THROWS - s->n_throws)
        return tarn__fail(s->ctx, TARN_ERR_CAPACITY,
                          "tarn_spray_throw: %d throws and %d that wait exceed %d; step in between",
                          n, s->n_throws, TARN_SPRAY_MAX_THROWS);
    for (int i = 0; i < n; ++i) s->throws[s->n_throws++] = throws[i];
    return TARN_OK;
}

// What does not fit is poured in with the next drops that land: nothing is lost.
void tarn__spray_catch_all(TarnSpray* s, int n, const TarnThrow* throws)
{
    for (int i = 0; i < n; ++i) {
        if (tarn_spray_throw(s, 1, &throws[i]) == TARN_OK) continue;
        double grains = tarn__spray_whole(s, throws[i].volume);
        s->sums.caught += grains;
        s->rest += grains;
    }
}

TarnResult tarn_spray_add_rain(TarnSpray* s, TarnVec2 place)
{
    if (s == NULL) return TARN_ERR_ARG;
    if (!tarn__all_within(&place, 2, spray_reach))
        return tarn__fail(
            s->ctx, TARN_ERR_ARG,
            "tarn_spray_add_rain: place (%g, %g) m is out of range; allowed: -1e6 to 1e6 m",
            (double)place.x, (double)place.y);
    if (s->n_rain < SPRAY_MAX_RAIN)
        s->rain[s->n_rain++] = place; // a cloudburst looks alike with fewer
    return TARN_OK;
}

TarnResult tarn_spray_add_foam(TarnSpray* s, TarnVec2 center, float radius, float amount)
{
    if (s == NULL) return TARN_ERR_ARG;
    const float values[] = { center.x, center.y, radius, amount };
    if (!tarn__all_within(values, 4, spray_reach) || !(radius > 0.0f) || amount < 0.0f)
        return tarn__fail(
            s->ctx, TARN_ERR_ARG,
            "tarn_spray_add_foam: center (%g, %g) m, radius %g m or amount %g is out of "
            "range; allowed: +-1e6 m, above 0 to 1e6 m, 0 to 1e6",
            (double)center.x, (double)center.y, (double)radius, (double)amount);
    TarnVec2 o = tarn_spray_origin(s);
    for (int k = 0; k < s->def.nz; ++k) {
        for (int i = 0; i < s->def.nx; ++i) {
            float dx = o.x + ((float)i + 0.5f) * s->def.dx - center.x;
            float dz = o.y + ((float)k + 0.5f) * s->def.dx - center.y;
            if (dx * dx + dz * dz > radius * radius) continue;
            float* foam = &s->foam[spray_at(s, i, k)];
            *foam = tarn_minf(*foam + amount, 100.0f);
        }
    }
    return TARN_OK;
}

// ---- Reading ------------------------------------------------------------------------------------

static TarnParticlesView view_of(const SprayPool* p)
{
    return (TarnParticlesView){ .n = p->n,
                                .x = p->x,
                                .y = p->y,
                                .z = p->z,
                                .vx = p->vx,
                                .vy = p->vy,
                                .vz = p->vz,
                                .age = p->age,
                                .lifetime = p->life,
                                .radius = p->radius,
                                .id = p->id,
                                .kind = p->kind };
}
TarnParticlesView tarn_spray_drops(const TarnSpray* s)
{
    return view_of(&s->drops);
}
const float* tarn_spray_grains(const TarnSpray* s)
{
    return s->drops.grains;
}
double tarn_spray_grain(const TarnSpray* s)
{
    return s->grain > 0.0 ? s->grain : spray_own_grain;
}
TarnParticlesView tarn_spray_foam_particles(const TarnSpray* s)
{
    return view_of(&s->foam_parts);
}
TarnView2 tarn_spray_foam(const TarnSpray* s)
{
    return (TarnView2){ s->foam, s->def.nx, s->def.nz, s->def.nx };
}
TarnView2 tarn_spray_power(const TarnSpray* s)
{
    return (TarnView2){ s->power, s->def.nx, s->def.nz, s->def.nx };
}
TarnVec2 tarn_spray_origin(const TarnSpray* s)
{
    return (TarnVec2){ s->def.origin.x + (float)s->shift_i * s->def.dx,
                       s->def.origin.y + (float)s->shift_k * s->def.dx };
}
const TarnSprayDef* tarn_spray_def(const TarnSpray* s)
{
    return &s->def;
}
double tarn_spray_time(const TarnSpray* s)
{
    return s->time;
}

TarnSprayLedger tarn_spray_ledger(const TarnSpray* s)
{
    const SpraySums* n = &s->sums;
    double grain = tarn_spray_grain(s), held = s->rest, waiting = s->loose;
    for (int p = 0; p < s->drops.n; ++p) held += (double)s->drops.grains[p]; // whole: exact
    for (int i = 0; i < s->n_throws; ++i) waiting += s->throws[i].volume;
    double error = held - (n->thrown + n->caught + n->from_sea - n->landed - n->to_sea - n->left);
    return (TarnSprayLedger){ .held = held * grain + waiting,
                              .thrown = n->thrown * grain,
                              .landed = n->landed * grain,
                              .caught = n->caught * grain + waiting,
                              .from_sea = n->from_sea * grain,
                              .to_sea = n->to_sea * grain,
                              .left = n->left * grain,
                              .error = error * grain };
}

// ---- Window --------------------------------------------------------------------------------------

TarnResult tarn_spray_shift(TarnSpray* s, int di, int dk)
{
    if (s == NULL) return TARN_ERR_ARG;
    int64_t to_i = (int64_t)s->shift_i + di, to_k = (int64_t)s->shift_k + dk;
    if (to_i <= -SPRAY_FAR || to_i >= SPRAY_FAR || to_k <= -SPRAY_FAR || to_k >= SPRAY_FAR)
        return tarn__fail(
            s->ctx, TARN_ERR_ARG,
            "tarn_spray_shift: %d, %d cells would move the grid beyond +-16777215 cells", di, dk);
    s->shift_i = (int)to_i, s->shift_k = (int)to_k;
    if (di == 0 && dk == 0) return TARN_OK;
    tarn__grid_shift(s->foam, s->def.nx, s->def.nx, s->def.nz, di, dk, 0.0f, false);
    tarn__grid_shift(s->power, s->def.nx, s->def.nx, s->def.nz, di, dk, 0.0f, false);
    return TARN_OK;
}
