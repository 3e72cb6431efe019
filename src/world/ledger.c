// Liquid that passes between solvers, and the ledger that counts it.
//
// Drops of a liquid that fall into a height field are taken out and poured into it, with their impulse. A spout is a
// source that takes what it gives out of a water. Waters may take less than they are given (a disc that leaves the
// grid, whole grains), so what is on its way is counted: pending, per water, and the debt of each spout. So
// nothing is ever lost, and the ledger closes to the last bit for solvers that count exactly.

#include "world/world_internal.h"
#include "base/maths.h"
#include <math.h>

// ---- Drops into waters ---------------------------------------------------------------------------

enum { BLOCK = 256, MOST_FALLEN = 1024 }; // per water and substep; more fall in the next one

// Indices of the drops of a block that are below the surface, in rising order.
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

// Pours one drop, with what could not be poured before.
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

TarnResult tarn_world_add_spout(TarnWorld* world, const TarnSpoutDef* def)
{
    Member *liquid, *water;
    if (world == NULL) return TARN_ERR_ARG;
    if (def == NULL) return tarn__fail(world->ctx, TARN_ERR_ARG, "spout: def must not be NULL");
    TARN_TRY(tarn__world_member_or_fail(world, def->liquid, &liquid));
    TARN_TRY(tarn__world_member_or_fail(world, def->water, &water));
    const TarnListClass* list = sources_of(liquid);
    TarnSurface surface = { 0 };
    if (water->class->surface) surface = water->class->surface(water->solver);
    if (list == NULL || surface.pour == NULL)
        return tarn__fail(
            world->ctx, TARN_ERR_UNSUPPORTED,
            "spout: it needs a liquid with sources and a water that can be poured; a %s "
            "and a %s are not",
            liquid->class->name, water->class->name);
    bool is_place = tarn__all_within(&def->place, 2, 1e6f);
    if (!is_place || !(def->radius > 0.0f && def->radius <= 1e6f))
        return tarn__fail(
            world->ctx, TARN_ERR_ARG,
            "spout: place (%g, %g) m, radius %g m; allowed: within 1e6 m, radius above 0",
            (double)def->place.x, (double)def->place.y, (double)def->radius);
    double given = list->given(liquid->solver, def->source);
    if (!(given >= 0.0))
        return tarn__fail(world->ctx, TARN_ERR_ARG,
                          "spout.source: the id is stale, null, or of another solver");
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
    return tarn__fail(world->ctx, TARN_ERR_CAPACITY, "all %d spouts are in use", WORLD_MAX_SPOUTS);
}

// What the source gave in this substep is taken out of the water. While that is too little the source rests, so that it is
// never ahead by more than a substep.
static void step_spout(TarnWorld* world, Spout* spout)
{
    Member *liquid = &world->members[spout->liquid], *water = &world->members[spout->water];
    const TarnListClass* list = sources_of(liquid);
    if (list == NULL || water->class == NULL || water->class->surface == NULL) return;
    double given = list->given(liquid->solver, spout->source);
    if (!(given >= 0.0)) return; // the source is gone
    double drawn = given - spout->given;
    spout->given = given;
    spout->debt += drawn;
    liquid->got += drawn;
    if (!(spout->debt > 0.0)) return;
    TarnSurfacePour pour = { .center = spout->place,
                             .radius = spout->radius,
                             .volume = -(float)spout->debt };
    TarnSurfaceTaken taken = { 0 };
    if (tarn_surface_pour(water->class->surface(water->solver), &pour, &taken) == TARN_OK) {
        spout->debt += taken.volume;
        water->given -= taken.volume;
    }
    // A debt of less than a drop is only rounding.
    list->pause(liquid->solver, spout->source, spout->debt > drawn && spout->debt > 0.0);
}

void tarn__spouts_step(TarnWorld* world)
{
    for (int i = 0; i < WORLD_MAX_SPOUTS; ++i) {
        if (world->spouts[i].liquid >= 0) step_spout(world, &world->spouts[i]);
    }
}

// ---- Ledger --------------------------------------------------------------------------------------

TarnResult tarn_world_ledger(const TarnWorld* world, TarnLedger* out, TarnLedgerEntry* entries,
                             int capacity)
{
    if (world == NULL || out == NULL) return TARN_ERR_ARG;
    double passed = 0.0; // out of members, and not into others
    *out = (TarnLedger){ 0 };
    for (int m = 0; m < world->def.max_solvers; ++m) {
        const Member* member = &world->members[m];
        TarnHolding h = { 0 };
        if (member->class == NULL || member->class->holding == NULL) continue;
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
        out->transit += member->pending;
        out->error += h.error;
        passed += member->given - member->got;
    }
    for (int i = 0; i < WORLD_MAX_SPOUTS; ++i) {
        if (world->spouts[i].liquid >= 0) out->transit -= world->spouts[i].debt;
    }
    out->error += out->transit - passed;
    return TARN_OK;
}
