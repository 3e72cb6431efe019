// Waters on top of waters: a window of wakes, wave particles or ripples adds its waves to another water of the world.
// Surfaces do the adding (tarn_surface_sum); a world keeps who lies on whom, and one sum per water. The order of the sum
// is that of the slots.

#include "world/world_internal.h"
#include "base/maths.h"
#include "tarn/coupling.h"

Member* tarn__world_base(const TarnWorld* world, const Member* member)
{
    if (member->on == 0) return NULL;
    Member* base = &world->members[member->on - 1];
    return base->class && base->class->surface ? base : NULL;
}

static float rest_level(const Member* member)
{
    TarnBasin basin = { 0 };
    if (member->class->basin) member->class->basin(member->solver, &basin);
    return basin.rest_level;
}

static float cell_of(const Member* member)
{
    TarnBasin basin = { 0 };
    if (member->class->basin) member->class->basin(member->solver, &basin);
    return basin.dx;
}

// The sum of a water and all that lies on it; n is 1 if nothing does.
static void add_up(TarnWorld* world, Member* base)
{
    TarnSurfaceSum* sum = &base->sum;
    *sum = (TarnSurfaceSum){ .n = 1 };
    sum->members[0] = base->class->surface(base->solver);
    for (int m = 0; m < world->def.max_solvers && sum->n < TARN_SURFACE_MAX; ++m) {
        const Member* top = &world->members[m];
        if (top->class == NULL || tarn__world_base(world, top) != base) continue;
        if (top->class->surface == NULL) continue; // spray and sheets: they add no waves
        sum->level[sum->n] = rest_level(top);
        sum->members[sum->n++] = top->class->surface(top->solver);
        sum->rim = tarn_maxf(sum->rim, 2.0f * cell_of(top)); // a wave must not end in a cliff
    }
}

void tarn__world_stack(TarnWorld* world)
{
    for (int m = 0; m < world->def.max_solvers; ++m) {
        Member* member = &world->members[m];
        if (member->class && member->on && tarn__world_base(world, member) == NULL)
            member->on = 0; // it has left
    }
    for (int m = 0; m < world->def.max_solvers; ++m) {
        Member* member = &world->members[m];
        if (member->class && member->class->surface) add_up(world, member);
    }
}

TarnSurface tarn__world_water(const TarnWorld* world, const Member* member)
{
    const Member* base = tarn__world_base(world, member);
    if (base == NULL) base = member;
    if (base->class->surface == NULL) return (TarnSurface){ 0 };
    return base->sum.n > 1 ? tarn_surface_sum(&base->sum) : base->class->surface(base->solver);
}

// ---- Public --------------------------------------------------------------------------------------

static TarnResult check_stack(const TarnWorld* world, const Member* top, const Member* base)
{
    TarnContext* ctx = world->ctx;
    bool can_lie = top->class->surface || top->class->catches || top->class->throws;
    const Member* bad = !can_lie ? top : base->class->surface == NULL ? base : NULL;
    if (bad)
        return tarn__fail(ctx, TARN_ERR_UNSUPPORTED,
                          "%s cannot lie on %s: %s (%s) offers no surface", top->name, base->name,
                          bad->name, bad->class->name);
    if (top == base) return tarn__fail(ctx, TARN_ERR_ARG, "%s cannot lie on itself", top->name);
    if (base->on != 0)
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "%s cannot lie on %s, which itself lies on %s; choose that instead",
                          top->name, base->name, world->members[base->on - 1].name);
    int below = 0;
    for (int m = 0; m < world->def.max_solvers; ++m) {
        const Member* other = &world->members[m];
        if (other->class == NULL || other->on == 0) continue;
        const Member* its = &world->members[other->on - 1];
        if (its == top)
            return tarn__fail(ctx, TARN_ERR_ARG,
                              "%s cannot lie on %s, because %s lies on it; take that away first",
                              top->name, base->name, other->name);
        below += its == base && other != top;
    }
    if (below < TARN_SURFACE_MAX - 1) return TARN_OK;
    return tarn__fail(ctx, TARN_ERR_CAPACITY, "%d solvers lie on %s already, which is the limit",
                      below, base->name);
}

TarnResult tarn_world_set_on(TarnWorld* world, const void* solver, const void* base)
{
    Member *top, *under = NULL;
    TARN_TRY(tarn__world_member_or_fail(world, solver, &top));
    if (base != NULL) {
        TARN_TRY(tarn__world_member_or_fail(world, base, &under));
        TARN_TRY(check_stack(world, top, under));
    }
    top->on = under ? (int)(under - world->members) + 1 : 0;
    tarn__world_refresh(world);
    return TARN_OK;
}

void* tarn_world_on(const TarnWorld* world, const void* solver)
{
    const Member* member = tarn__world_member(world, solver);
    const Member* base = member ? tarn__world_base(world, member) : NULL;
    return base ? base->solver : NULL;
}

TarnSurface tarn_world_water_surface(const TarnWorld* world, const void* solver)
{
    const Member* member = tarn__world_member(world, solver);
    return member ? tarn__world_water(world, member) : (TarnSurface){ 0 };
}
