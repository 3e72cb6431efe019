// Liquid that passes between solvers, and the ledger that counts it.
//
// Drops of a liquid that fall into a height field are taken out and poured into it, with their impulse. A
// spout is a source that is fed from a height field. A height field may accept less than it is given (a disc
// that leaves the grid, whole grains), so what is in transit is counted: pending, per height field, and the
// debt of each spout. So nothing is ever lost, and the ledger closes to the last bit for solvers that count
// exactly.

#include "world/world_internal.h"
#include "base/maths.h"
#include "base/def.h"
#include "base/param.h"
#include <math.h>

// ---- Drops into waters ---------------------------------------------------------------------------

enum { BLOCK = 256, MOST_FALLEN = 1024 }; // per water and substep; more fall in the next one

// Indices of the drops of a block that are below the surface, in ascending order.
static int find_fallen(const TarnDrops* drops, TarnSurface water, int first, int n, int* out)
{
    float height[BLOCK], depth[BLOCK];
    TarnSurfaceSamples samples = { .height = height, .depth = depth };
    int found = 0;
    water.query(water.self, n, drops->x + first, drops->z + first, &samples);
    for (int i = 0; i < n; ++i) {
        int p = first + i;
        bool is_under =
            depth[i] > 0.0f && drops->y[p] < height[i] && drops->y[p] > height[i] - depth[i];
        if (is_under && tarn_surface_covers(water, drops->x[p], drops->z[p])) out[found++] = p;
    }
    return found;
}

// Pours one drop, together with what could not be poured before.
static void pour_drop(Member* water, TarnSurface surface, const TarnDrops* drops, int p)
{
    TarnSurfaceTaken taken = { 0 };
    float mass = drops->density * drops->volume;
    water->pending += (double)drops->volume;
    TarnSurfacePour pour = { .center = { drops->x[p], drops->z[p] },
                             .radius = drops->radius,
                             .volume = (float)water->pending,
                             .impulse = { mass * drops->vx[p], mass * drops->vy[p],
                                          mass * drops->vz[p] } };
    if (!(pour.radius > 0.0f)) return;
    if (tarn_surface_pour(surface, &pour, &taken) != TARN_OK) return;
    water->pending -= taken.volume;
    water->got += taken.volume;
}

static void fall_into(Member* liquid, Member* water)
{
    TarnSurface surface = water->class->surface(water->solver);
    TarnDrops drops;
    int fallen[MOST_FALLEN + BLOCK], n = 0;
    if (surface.pour == NULL || !liquid->class->drops(liquid->solver, &drops)) return;
    for (int first = 0; first < drops.n && n < MOST_FALLEN; first += BLOCK) {
        int m = drops.n - first < BLOCK ? drops.n - first : BLOCK;
        n += find_fallen(&drops, surface, first, m, fallen + n);
    }
    for (int i = 0; i < n; ++i) pour_drop(water, surface, &drops, fallen[i]);
    if (n == 0) return;
    drops.take(drops.self, n, fallen);
    liquid->given += n * (double)drops.volume;
}

void tarn__drops_fall(TarnWorld* world)
{
    for (int l = 0; l < world->def.max_solvers; ++l) {
        Member* liquid = &world->members[l];
        if (liquid->class == NULL || liquid->class->drops == NULL) continue;
        for (int w = 0; w < world->def.max_solvers; ++w) {
            Member* water = &world->members[w];
            if (water->class && water->class->surface && water->class->holding)
                fall_into(liquid, water);
        }
    }
}

// ---- Spouts --------------------------------------------------------------------------------------

static const TarnListClass* sources_of(const Member* member)
{
    for (int i = 0; member->class && i < member->class->n_lists; ++i) {
        const TarnListClass* list = &member->class->lists[i];
        if (strcmp(list->name, "sources") == 0 && list->given && list->pause) return list;
    }
    return NULL;
}

// A member that a field of a def names.
static TarnResult find_end(const TarnWorld* world, const char* field, const void* solver,
                           Member** out)
{
    *out = tarn__world_member(world, solver);
    if (*out != NULL) return TARN_OK;
    return tarn__fail(world->ctx, TARN_ERR_ARG,
                      "%s: NULL, or none of this world; use a solver that tarn_world_add made here",
                      field);
}

static bool can_be_poured(const Member* member)
{
    return member->class && member->class->surface &&
           member->class->surface(member->solver).pour != NULL;
}

// The same, of a water that water can be taken out of and poured into.
static TarnResult find_water(const TarnWorld* world, const char* field, const void* solver,
                             Member** out)
{
    TARN_TRY(find_end(world, field, solver, out));
    if (can_be_poured(*out)) return TARN_OK;
    return tarn__fail(
        world->ctx, TARN_ERR_UNSUPPORTED,
        "%s: %s is a %s, which no water can be poured into; use a solver whose Surface "
        "has a pour",
        field, (*out)->name, (*out)->class->name);
}

static TarnResult check_spout(const TarnWorld* world, const TarnSpoutDef* def)
{
    if (!tarn__all_within(&def->place, 2, 1e6f))
        return tarn__fail(world->ctx, TARN_ERR_ARG,
                          "spout.place: (%g, %g) m is out of range; allowed: -1e6 to 1e6 m",
                          (double)def->place.x, (double)def->place.y);
    if (!(def->radius > 0.0f && def->radius <= 1e6f))
        return tarn__fail(world->ctx, TARN_ERR_ARG,
                          "spout.radius: %g m is out of range; allowed: above 0, to 1e6 m",
                          (double)def->radius);
    return TARN_OK;
}

TarnResult tarn_world_add_spout(TarnWorld* world, const TarnSpoutDef* def)
{
    Member *liquid, *water;
    if (world == NULL) return TARN_ERR_ARG;
    if (def == NULL) return tarn__fail(world->ctx, TARN_ERR_ARG, "spout: def must not be NULL");
    TARN_TRY(find_end(world, "spout.liquid", def->liquid, &liquid));
    TARN_TRY(find_water(world, "spout.water", def->water, &water));
    const TarnListClass* list = sources_of(liquid);
    if (list == NULL)
        return tarn__fail(world->ctx, TARN_ERR_UNSUPPORTED,
                          "spout.liquid: %s is a %s, whose sources emit no liquid; use a particle "
                          "liquid",
                          liquid->name, liquid->class->name);
    TARN_TRY(check_spout(world, def));
    double given = list->given(liquid->solver, def->source);
    if (!(given >= 0.0))
        return tarn__fail(world->ctx, TARN_ERR_ARG,
                          "spout.source: the id is null, stale or belongs to another solver; use "
                          "one of the sources of %s",
                          liquid->name);
    for (int i = 0; i < WORLD_MAX_SPOUTS; ++i) {
        Spout* spout = &world->spouts[i];
        if (spout->liquid >= 0) continue;
        *spout = (Spout){ .liquid = (int)(liquid - world->members),
                          .water = (int)(water - world->members),
                          .source = def->source,
                          .place = def->place,
                          .radius = def->radius,
                          .given = given };
        return TARN_OK;
    }
    return tarn__fail(world->ctx, TARN_ERR_CAPACITY,
                      "all %d spouts are in use; remove a liquid or a water that has one",
                      WORLD_MAX_SPOUTS);
}

// Takes what the source emitted in this substep out of the water. If the water has too little the source
// pauses, so that it is never ahead by more than a substep.
static void step_spout(TarnWorld* world, Spout* spout)
{
    Member *liquid = &world->members[spout->liquid], *water = &world->members[spout->water];
    const TarnListClass* list = sources_of(liquid);
    if (list == NULL || water->class == NULL || water->class->surface == NULL) return;
    double given = list->given(liquid->solver, spout->source);
    if (!(given >= 0.0)) return; // the source was removed
    double drawn = given - spout->given;
    spout->given = given;
    spout->debt += drawn;
    liquid->got += drawn;
    spout->is_paused = false;
    if (!(spout->debt > 0.0)) return;
    TarnSurfacePour pour = { .center = spout->place,
                             .radius = spout->radius,
                             .volume = -(float)spout->debt };
    TarnSurfaceTaken taken = { 0 };
    if (tarn_surface_pour(water->class->surface(water->solver), &pour, &taken) == TARN_OK) {
        spout->debt += taken.volume;
        water->given -= taken.volume;
    }
    spout->is_paused =
        spout->debt > 0.5 * drawn && spout->debt > 1e-9; // less is rounding to grains
}

void tarn__spouts_hold(TarnWorld* world)
{
    for (int i = 0; i < WORLD_MAX_SPOUTS; ++i) {
        const Spout* spout = &world->spouts[i];
        const TarnListClass* list =
            spout->liquid >= 0 ? sources_of(&world->members[spout->liquid]) : NULL;
        if (list)
            list->pause(world->members[spout->liquid].solver, spout->source, spout->is_paused);
    }
}

void tarn__spouts_step(TarnWorld* world)
{
    for (int i = 0; i < WORLD_MAX_SPOUTS; ++i) {
        if (world->spouts[i].liquid >= 0) step_spout(world, &world->spouts[i]);
    }
}

// ---- Channels ------------------------------------------------------------------------------------

static const TarnParam channel_params[] = {
    P_VEC2(TarnChannelDef, from_place, "m", -1e6, 1e6, 0, 0,
           "x and z of the disc that water is taken from."),
    P_FLOAT(TarnChannelDef, from_radius, "m", 0.001, 1e4, 1,
            "Radius of the disc that water is taken from."),
    P_VEC2(TarnChannelDef, to_place, "m", -1e6, 1e6, 0, 0,
           "x and z of the disc that the water flows to."),
    P_FLOAT(TarnChannelDef, to_radius, "m", 0.001, 1e4, 1,
            "Radius of the disc that the water flows to."),
    P_FLOAT(TarnChannelDef, flow, "m^3/s", 0, 1e6, 0.1, "Largest flow through the channel."),
    P_VEC3(TarnChannelDef, velocity, "m/s", -100, 100, 0, 0, 0,
           "Velocity of the water on arrival."),
};
static const TarnParamTable channel_table = PARAM_TABLE("channel", TarnChannelDef, channel_params);

const TarnParamTable* tarn_channel_def_table(void)
{
    return &channel_table;
}

void tarn_channel_init_def(TarnChannelDef* out, size_t size)
{
    TarnChannelDef def = { 0 };
    tarn_param_defaults(&channel_table, &def);
    TARN_INIT_DEF(TarnChannelDef, out, size, &def);
}

TarnResult tarn_world_add_channel(TarnWorld* world, const TarnChannelDef* def)
{
    Member *from, *to;
    if (world == NULL) return TARN_ERR_ARG;
    TARN_TRY(TARN_CHECK_DEF(world->ctx, "channel", "tarn/world.h", TarnChannelDef,
                            tarn_channel_default_def, def));
    TARN_TRY(tarn_param_validate(world->ctx, &channel_table, def));
    TARN_TRY(find_water(world, "channel.from", def->from, &from));
    TARN_TRY(find_water(world, "channel.to", def->to, &to));
    if (from == to)
        return tarn__fail(
            world->ctx, TARN_ERR_ARG,
            "channel.to: %s is also the start of the channel; use another water, or two "
            "'source' emitters to pump within one",
            to->name);
    for (int i = 0; i < WORLD_MAX_CHANNELS; ++i) {
        Channel* channel = &world->channels[i];
        if (channel->from >= 0) continue;
        *channel = (Channel){ (int)(from - world->members), (int)(to - world->members), *def };
        return TARN_OK;
    }
    return tarn__fail(world->ctx, TARN_ERR_CAPACITY,
                      "all %d channels are in use; remove a water at one of their ends",
                      WORLD_MAX_CHANNELS);
}

static void step_channel(TarnWorld* world, const Channel* channel, float dt)
{
    Member *from = &world->members[channel->from], *to = &world->members[channel->to];
    const TarnChannelDef* def = &channel->def;
    TarnSurfaceTaken taken = { 0 };
    if (!can_be_poured(from) || !can_be_poured(to)) return;
    TarnSurfacePour out = { .center = def->from_place,
                            .radius = def->from_radius,
                            .volume = -def->flow * dt };
    if (tarn_surface_pour(from->class->surface(from->solver), &out, &taken) != TARN_OK) return;
    from->given -= taken.volume;
    to->pending -= taken.volume;
    float mass = -1000.0f * (float)taken.volume;
    TarnSurfacePour in = { .center = def->to_place,
                           .radius = def->to_radius,
                           .volume = (float)to->pending,
                           .impulse = vec3_scale(def->velocity, mass) };
    taken = (TarnSurfaceTaken){ 0 };
    if (!(to->pending > 0.0) ||
        tarn_surface_pour(to->class->surface(to->solver), &in, &taken) != TARN_OK)
        return;
    to->pending -= taken.volume;
    to->got += taken.volume;
}

void tarn__channels_step(TarnWorld* world, float dt)
{
    for (int i = 0; i < WORLD_MAX_CHANNELS; ++i) {
        if (world->channels[i].from >= 0) step_channel(world, &world->channels[i], dt);
    }
}

// ---- Water that is thrown ------------------------------------------------------------------------

static void below_query(const void* self, int n, const float* x, const float* z,
                        const TarnSurfaceSamples* out)
{
    const Member* member = self;
    member->below.query(member->below.self, n, x, z, out);
}
static bool below_area(const void* self, TarnVec2* min, TarnVec2* max)
{
    const Member* member = self;
    return member->below.area(member->below.self, min, max);
}
static TarnResult below_push(void* self, const TarnSurfacePush* push, TarnSurfaceTaken* taken)
{
    const Member* member = self;
    return member->below.push((void*)(uintptr_t)member->below.self, push, taken);
}
static TarnResult below_pour(void* self, const TarnSurfacePour* pour, TarnSurfaceTaken* taken)
{
    Member* member = self;
    TARN_TRY(member->below.pour((void*)(uintptr_t)member->below.self, pour, taken));
    Member *from = taken->volume > 0.0 ? member : member->base,
           *to = taken->volume > 0.0 ? member->base : member;
    double volume = taken->volume > 0.0 ? taken->volume : -taken->volume;
    from->given += volume;
    to->got += volume;
    return TARN_OK;
}

TarnSurface tarn__ledger_below(Member* member, Member* base)
{
    if (base == NULL) return (TarnSurface){ 0 };
    member->base = base;
    member->below = base->class->surface(base->solver);
    return (TarnSurface){ .self = member,
                          .query = below_query,
                          .area = member->below.area ? below_area : NULL,
                          .push = member->below.push ? below_push : NULL,
                          .pour = member->below.pour ? below_pour : NULL,
                          .grain = member->below.grain };
}

void tarn__throws_step(TarnWorld* world, Member* catcher)
{
    enum { BATCH = 64 };
    TarnThrow batch[BATCH];
    const Member* water = tarn__world_base(world, catcher);
    for (int m = 0; water && m < world->def.max_solvers; ++m) {
        Member* thrower = &world->members[m];
        bool is_same =
            thrower == water || (thrower->class && tarn__world_base(world, thrower) == water);
        if (!is_same || thrower == catcher || thrower->class->throws == NULL) continue;
        for (int n; (n = thrower->class->throws(thrower->solver, BATCH, batch)) > 0;) {
            catcher->class->catches(catcher->solver, n, batch);
            for (int i = 0; i < n; ++i) {
                thrower->given += batch[i].volume;
                catcher->got += batch[i].volume;
            }
            if (n < BATCH) break;
        }
    }
}

// ---- Members that leave --------------------------------------------------------------------------

bool tarn__spout_is_saved(const TarnWorld* world, const Spout* spout)
{
    return spout->liquid >= 0 && tarn__world_is_saved(world, spout->liquid) &&
           tarn__world_is_saved(world, spout->water);
}

bool tarn__channel_is_saved(const TarnWorld* world, const Channel* channel)
{
    return channel->from >= 0 && tarn__world_is_saved(world, channel->from) &&
           tarn__world_is_saved(world, channel->to);
}

// What a member gave to others, less what it got and what still waits for it.
static double net_given(const Member* member)
{
    return member->given - member->got - member->pending;
}

void tarn__ledger_leave(TarnWorld* world, int slot)
{
    world->gone += net_given(&world->members[slot]);
    for (int i = 0; i < WORLD_MAX_SPOUTS; ++i) {
        Spout* spout = &world->spouts[i];
        if (spout->liquid < 0 || (spout->liquid != slot && spout->water != slot)) continue;
        const TarnListClass* list = sources_of(&world->members[spout->liquid]);
        if (list) list->pause(world->members[spout->liquid].solver, spout->source, false);
        world->gone += spout->debt;
        *spout = (Spout){ .liquid = -1 };
    }
    for (int i = 0; i < WORLD_MAX_CHANNELS; ++i) {
        Channel* channel = &world->channels[i];
        if (channel->from == slot || channel->to == slot) channel->from = -1;
    }
}

double tarn__ledger_unsaved(const TarnWorld* world)
{
    double sum = 0.0;
    for (int m = 0; m < world->def.max_solvers; ++m) {
        const Member* member = &world->members[m];
        if (member->class && member->is_cosmetic) sum += net_given(member);
    }
    for (int i = 0; i < WORLD_MAX_SPOUTS; ++i) {
        const Spout* spout = &world->spouts[i];
        if (spout->liquid >= 0 && !tarn__spout_is_saved(world, spout)) sum += spout->debt;
    }
    return sum;
}

// ---- Ledger --------------------------------------------------------------------------------------

TarnResult tarn_world_ledger(const TarnWorld* world, TarnLedger* out, TarnLedgerEntry* entries,
                             int capacity)
{
    if (world == NULL || out == NULL) return TARN_ERR_ARG;
    double passed = world->gone; // out of members, and not into others
    *out = (TarnLedger){ 0 };
    for (int m = 0; m < world->def.max_solvers; ++m) {
        const Member* member = &world->members[m];
        TarnHolding h = { 0 };
        if (member->class == NULL) continue;
        out->transit += member->pending;
        passed += member->given - member->got;
        if (member->class->holding == NULL) { // counts no water: what passes is from and to outside
            out->brought += member->given;
            out->taken += member->got;
            continue;
        }
        member->class->holding(member->solver, &h);
        // What passed between solvers went through calls, too: the rest of those is the host's.
        double host = h.edits - (member->got - member->given);
        TarnLedgerEntry entry = { .name = member->name,
                                  .held = h.held,
                                  .brought = h.brought + (host > 0.0 ? host : 0.0),
                                  .taken = h.taken - (host < 0.0 ? host : 0.0),
                                  .got = member->got,
                                  .given = member->given,
                                  .error = h.error,
                                  .is_exact = h.is_exact };
        if (entries && out->n < capacity) entries[out->n] = entry;
        ++out->n;
        out->held += entry.held;
        out->brought += entry.brought;
        out->taken += entry.taken;
        out->error += h.error;
    }
    for (int i = 0; i < WORLD_MAX_SPOUTS; ++i) {
        if (world->spouts[i].liquid >= 0) out->transit -= world->spouts[i].debt;
    }
    out->error += out->transit - passed;
    return TARN_OK;
}
