// The solvers of a world, of any class: adding, naming, removing.

#include "world/world_internal.h"
#include "base/def.h"
#include "base/param.h"
#include "tarn/coupling.h"
#include <stdio.h>

// ---- Finding -------------------------------------------------------------------------------------

Member* tarn__world_member(const TarnWorld* world, const void* solver)
{
    for (int m = 0; world && solver && m < world->def.max_solvers; ++m) {
        if (world->members[m].class && world->members[m].solver == solver)
            return &world->members[m];
    }
    return NULL;
}

TarnResult tarn__world_member_or_fail(const TarnWorld* world, const void* solver, Member** out)
{
    if (world == NULL) return TARN_ERR_ARG;
    *out = tarn__world_member(world, solver);
    if (*out != NULL) return TARN_OK;
    return tarn__fail(world->ctx, TARN_ERR_ARG,
                      "solver: it is NULL or not in this world; add it first (tarn_world_add)");
}

void* tarn_world_get(const TarnWorld* world, const TarnSolverClass* solver_class, int n)
{
    for (int m = 0; world && n >= 0 && m < world->def.max_solvers; ++m) {
        const Member* member = &world->members[m];
        bool is_it = member->class && (solver_class == NULL || member->class == solver_class);
        if (is_it && n-- == 0) return member->solver;
    }
    return NULL;
}

int tarn_world_count(const TarnWorld* world, const TarnSolverClass* solver_class)
{
    int n = 0;
    while (tarn_world_get(world, solver_class, n)) ++n;
    return n;
}

void* tarn_world_find(const TarnWorld* world, const char* name)
{
    for (int m = 0; world && name && m < world->def.max_solvers; ++m) {
        const Member* member = &world->members[m];
        if (member->class && strcmp(member->name, name) == 0) return member->solver;
    }
    return NULL;
}

const TarnSolverClass* tarn_world_class_of(const TarnWorld* world, const void* solver)
{
    const Member* member = tarn__world_member(world, solver);
    return member ? member->class : NULL;
}

const char* tarn_world_name_of(const TarnWorld* world, const void* solver)
{
    const Member* member = tarn__world_member(world, solver);
    return member ? member->name : NULL;
}

int tarn_world_number(const TarnWorld* world, const void* solver)
{
    const Member* member = tarn__world_member(world, solver);
    return member ? (int)(member - world->members) + 1 : 0;
}

TarnSurface tarn_world_surface(const TarnWorld* world)
{
    for (int m = 0; world && m < world->def.max_solvers; ++m) {
        const Member* member = &world->members[m];
        if (member->class && member->class->surface && tarn__world_base(world, member) == NULL)
            return tarn__world_water(world, member);
    }
    return (TarnSurface){ 0 };
}

// ---- Names ---------------------------------------------------------------------------------------

TarnResult tarn__world_check_name(TarnContext* ctx, const char* name)
{
    size_t n = name ? strlen(name) : 0;
    bool is_good = n > 0 && n < WORLD_NAME;
    for (size_t i = 0; is_good && i < n; ++i) {
        char c = name[i];
        is_good =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    }
    if (is_good) return TARN_OK;
    return tarn__fail(ctx, TARN_ERR_ARG,
                      "name: '%.40s' is not a valid name; allowed: 1 to %d letters, digits and _",
                      name ? name : "", WORLD_NAME - 1);
}

static TarnResult check_new_name(const TarnWorld* world, const char* name, const void* self)
{
    TARN_TRY(tarn__world_check_name(world->ctx, name));
    const void* other = tarn_world_find(world, name);
    if (other == NULL || other == self) return TARN_OK;
    return tarn__fail(
        world->ctx, TARN_ERR_ARG,
        "name: another solver of this world is called '%s' already; choose another name", name);
}

// "wave", then "wave2", "wave3" ...
static void make_name(const TarnWorld* world, const TarnSolverClass* solver_class,
                      char out[WORLD_NAME])
{
    snprintf(out, WORLD_NAME, "%s", solver_class->name);
    for (int n = 2; tarn_world_find(world, out); ++n)
        snprintf(out, WORLD_NAME, "%.20s%d", solver_class->name, n);
}

TarnResult tarn_world_set_name(TarnWorld* world, const void* solver, const char* name)
{
    Member* member;
    TARN_TRY(tarn__world_member_or_fail(world, solver, &member));
    TARN_TRY(check_new_name(world, name, solver));
    snprintf(member->name, sizeof member->name, "%s", name);
    return TARN_OK;
}

// ---- Adding --------------------------------------------------------------------------------------

TarnAround tarn__world_around(TarnWorld* world)
{
    return (TarnAround){ .world = world,
                         .bodies = world->bodies,
                         .solids = world->solids,
                         .gravity = world->def.gravity,
                         .time = world->time };
}

// A solver whose def has gravity 0 uses the world's.
static void give_gravity_to_def(const TarnWorld* world, const TarnSolverClass* c, void* def)
{
    const TarnParam* p = tarn_param_find(c->def_table(), "gravity");
    float value;
    if (p == NULL || p->type != TARN_PARAM_FLOAT) return;
    memcpy(&value, (char*)def + p->offset, sizeof value);
    if (value == 0.0f) memcpy((char*)def + p->offset, &world->def.gravity, sizeof value);
}

// A solver with a gravity vector in its params gets the world's.
static TarnResult give_gravity(const TarnWorld* world, const TarnSolverClass* c, void* solver)
{
    const TarnParam* p = c->params_table ? tarn_param_find(c->params_table(), "gravity") : NULL;
    if (p == NULL || p->type != TARN_PARAM_VEC3) return TARN_OK;
    TarnVec3 gravity = { 0.0f, -world->def.gravity, 0.0f };
    size_t size = c->params_table()->struct_size;
    char* params = tarn__alloc(world->ctx, size);
    if (params == NULL)
        return tarn__fail(world->ctx, TARN_ERR_MEMORY, "%s: out of memory for its params", c->name);
    c->get_params(solver, params);
    memcpy(params + p->offset, &gravity, sizeof gravity);
    TarnResult result = c->set_params(solver, params);
    tarn__free(world->ctx, params, size);
    return result;
}

// Before anything of a def is read: a program of another version may have a shorter one.
static TarnResult check_cookie(TarnContext* ctx, const TarnSolverClass* c, const void* def)
{
    char header[64], maker[80];
    snprintf(header, sizeof header, "tarn/%s.h", c->name);
    snprintf(maker, sizeof maker, "tarn_%s_default_def", c->name);
    const TarnParamTable* table = c->def_table();
    TarnDefKind kind = { c->name, header, table->struct_name, maker, table->struct_size };
    return tarn__check_def(ctx, &kind, def);
}

static TarnResult create(TarnWorld* world, const TarnSolverClass* c, const void* def, void** out)
{
    size_t size = c->def_table()->struct_size;
    char* copy = tarn__alloc(world->ctx, size);
    if (copy == NULL)
        return tarn__fail(world->ctx, TARN_ERR_MEMORY, "%s: out of memory for its def", c->name);
    memcpy(copy, def, size);
    give_gravity_to_def(world, c, copy);
    TarnResult result = c->create(world->ctx, copy, out);
    tarn__free(world->ctx, copy, size);
    return result;
}

static TarnResult take_in(TarnWorld* world, Member* member)
{
    TarnAround around = tarn__world_around(world);
    TARN_TRY(give_gravity(world, member->class, member->solver));
    return member->class->join ? member->class->join(member->solver, &around) : TARN_OK;
}

TarnResult tarn_world_add(TarnWorld* world, const TarnSolverClass* solver_class, const char* name,
                          const void* def, void** out)
{
    if (out) *out = NULL;
    if (world == NULL) return TARN_ERR_ARG;
    TarnContext* ctx = world->ctx;
    if (solver_class == NULL || tarn_solver_class_find(ctx, solver_class->name) != solver_class)
        return tarn__fail(
            ctx, TARN_ERR_ARG,
            "solver class: it is NULL or not registered; register it with tarn_solver_register");
    if (def == NULL)
        return tarn__fail(ctx, TARN_ERR_ARG, "%s: def must not be NULL", solver_class->name);
    if (solver_class->has_cookie) TARN_TRY(check_cookie(ctx, solver_class, def));
    if (name) TARN_TRY(check_new_name(world, name, NULL));
    int slot = 0;
    while (slot < world->def.max_solvers && world->members[slot].class) ++slot;
    if (slot == world->def.max_solvers)
        return tarn__fail(ctx, TARN_ERR_CAPACITY,
                          "this world holds %d solvers already; raise world.max_solvers", slot);
    Member member = { .class = solver_class, .is_carrier = solver_class->carries_particles };
    member.window = tarn_window_default_def();
    member.def_hash = tarn__param_hash(solver_class->def_table(), def, 0);
    if (name)
        snprintf(member.name, sizeof member.name, "%s", name);
    else
        make_name(world, solver_class, member.name);
    TARN_TRY(create(world, solver_class, def, &member.solver));
    TarnResult result = take_in(world, &member);
    if (result != TARN_OK) {
        solver_class->destroy(member.solver);
        return result;
    }
    world->members[slot] = member;
    tarn__world_refresh(world);
    if (world->uses_solids) result = tarn_couple_solids_prepare(world->solids, world->bodies);
    if (result != TARN_OK) { // no room for the solids of the bodies: as if it had never been added
        world->members[slot] = (Member){ 0 };
        tarn__world_refresh(world);
        solver_class->destroy(member.solver);
        return result;
    }
    if (out) *out = member.solver;
    return TARN_OK;
}

// ---- Taking out ----------------------------------------------------------------------------------

static void destroy_retired(Retired* retired)
{
    if (retired->member.class == NULL) return;
    retired->member.class->destroy(retired->member.solver);
    *retired = (Retired){ 0 };
}

void tarn__world_retire(TarnWorld* world, int slot)
{
    tarn__ledger_leave(world, slot);
    tarn__carried_leave(world, slot);
    int n = world->def.max_solvers, place = 0;
    while (place < n && world->retired[place].member.class) ++place;
    if (place == n) { // the oldest one goes
        destroy_retired(&world->retired[0]);
        memmove(world->retired, world->retired + 1, (size_t)(n - 1) * sizeof(Retired));
        world->retired[n - 1] = (Retired){ 0 };
        place = n - 1;
    }
    world->retired[place] = (Retired){ world->members[slot], slot };
    world->members[slot] = (Member){ 0 };
    tarn__world_refresh(world);
}

TarnResult tarn_world_remove(TarnWorld* world, void* solver)
{
    Member* member;
    TARN_TRY(tarn__world_member_or_fail(world, solver, &member));
    tarn__world_retire(world, (int)(member - world->members));
    return TARN_OK;
}

void tarn_world_forget(TarnWorld* world)
{
    for (int i = 0; world && i < world->def.max_solvers; ++i) destroy_retired(&world->retired[i]);
}

// ---- Flags ---------------------------------------------------------------------------------------

TarnResult tarn_world_set_cosmetic(TarnWorld* world, const void* solver, bool is_cosmetic)
{
    Member* member;
    TARN_TRY(tarn__world_member_or_fail(world, solver, &member));
    member->is_cosmetic = is_cosmetic;
    return TARN_OK;
}

bool tarn__world_is_saved(const TarnWorld* world, int slot)
{
    return world->members[slot].class && !world->members[slot].is_cosmetic;
}

bool tarn_world_is_cosmetic(const TarnWorld* world, const void* solver)
{
    const Member* member = tarn__world_member(world, solver);
    return member && member->is_cosmetic;
}

TarnResult tarn_world_set_carrier(TarnWorld* world, const void* solver, bool is_carrier)
{
    Member* member;
    TARN_TRY(tarn__world_member_or_fail(world, solver, &member));
    if (is_carrier && member->class->flow == NULL)
        return tarn__fail(world->ctx, TARN_ERR_UNSUPPORTED,
                          "%s: a %s solver has no flow that could carry particles", member->name,
                          member->class->name);
    member->is_carrier = is_carrier;
    tarn__world_refresh(world);
    return TARN_OK;
}
