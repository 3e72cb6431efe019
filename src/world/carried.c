// Parts that bodies carry: sources, jets and emitters of any member, moved before it steps.

#include "world/world_internal.h"
#include "base/maths.h"
#include "tarn/coupling.h"

// Strength of the parts of this channel on a body.
static float throttle_of(const TarnWorld* world, int slot, uint64_t body, int channel)
{
    bool is_set = channel != TARN_THROTTLE_NONE && world->throttled[slot] == body;
    return is_set ? world->throttle[slot][channel] : 1.0f;
}

// Moves a part to where its body is now. If the part or the body was removed, nothing
// happens.
static TarnResult place(TarnWorld* world, const Carried* c, bool is_new)
{
    const Member* member = &world->members[c->member];
    const TarnListClass* list = &member->class->lists[c->list];
    int slot = tarn__world_slot_of(world, c->body);
    if (slot < 0) return TARN_OK;
    TarnCarrier carrier = { .motion = tarn__bodies_slot(world->bodies, slot)->state };
    carrier.throttle = throttle_of(world, slot, c->body.value, c->channel);
    TarnSolidDef solid;
    TarnSolidId solid_id = tarn_couple_solid_of(world->bodies, c->body);
    if (solid_id.value && tarn_solids_get(world->solids, solid_id, &solid) == TARN_OK)
        carrier.solid_user = solid.user;
    _Alignas(16) unsigned char def[TARN_LIST_MAX_DEF];
    memcpy(def, c->def, sizeof def);
    list->carry(def, &carrier);
    if (is_new || list->move == NULL) TARN_TRY(list->set(member->solver, c->id, def));
    return list->move ? list->move(member->solver, c->id, def, &carrier) : TARN_OK;
}

void tarn__carry_parts(TarnWorld* world, int member)
{
    for (int i = 0; i < world->def.max_attached; ++i) {
        const Carried* c = &world->carried[i];
        if (c->body.value != 0 && c->member == member) place(world, c, false);
    }
}

void tarn__carried_leave(TarnWorld* world, int slot)
{
    for (int i = 0; i < world->def.max_attached; ++i) {
        if (world->carried[i].member == slot) world->carried[i] = (Carried){ 0 };
    }
}

static TarnResult find_list(const TarnWorld* world, const Member* member, const char* name,
                            int* out)
{
    for (int i = 0; name && i < member->class->n_lists; ++i) {
        *out = i;
        if (strcmp(member->class->lists[i].name, name) != 0) continue;
        if (member->class->lists[i].carry) return TARN_OK;
        return tarn__fail(world->ctx, TARN_ERR_UNSUPPORTED, "%s: bodies cannot carry its %s",
                          member->name, name);
    }
    return tarn__fail(world->ctx, TARN_ERR_ARG,
                      "list: a %s solver has no '%.40s' that a body could carry",
                      member->class->name, name ? name : "");
}

static TarnResult check_channel(const TarnWorld* world, int channel, int least)
{
    if (channel >= least && channel < TARN_THROTTLES) return TARN_OK;
    return tarn__fail(world->ctx, TARN_ERR_ARG,
                      "channel: %d is not valid here; allowed: %d to %d (TarnThrottle)", channel,
                      least, TARN_THROTTLES - 1);
}

static TarnResult check_body(const TarnWorld* world, TarnBodyId body)
{
    if (tarn__world_slot_of(world, body) >= 0) return TARN_OK;
    return tarn__fail(
        world->ctx, TARN_ERR_ARG,
        "body: the id is null, stale or belongs to another set; use one of this world");
}

// A part that is attached again changes its carrier. Places of removed bodies are free again.
static Carried* find_place(TarnWorld* world, int member, int list, uint64_t id)
{
    Carried* free_one = NULL;
    for (int i = 0; i < world->def.max_attached; ++i) {
        Carried* c = &world->carried[i];
        if (c->body.value != 0 && c->member == member && c->list == list && c->id == id) return c;
        bool is_free = c->body.value == 0 || tarn__world_slot_of(world, c->body) < 0;
        if (is_free && free_one == NULL) free_one = c;
    }
    return free_one;
}

TarnResult tarn_world_attach(TarnWorld* world, void* solver, const char* list, uint64_t id,
                             const void* def, TarnBodyId body, int channel)
{
    Member* member;
    int number = 0;
    TARN_TRY(tarn__world_member_or_fail(world, solver, &member));
    TARN_TRY(find_list(world, member, list, &number));
    if (def == NULL)
        return tarn__fail(world->ctx, TARN_ERR_ARG,
                          "def: it is NULL; pass the def of the part, in the axes of the body");
    TARN_TRY(check_channel(world, channel, TARN_THROTTLE_NONE));
    TARN_TRY(check_body(world, body));
    int slot = (int)(member - world->members);
    Carried* at = find_place(world, slot, number, id);
    if (at == NULL)
        return tarn__fail(world->ctx, TARN_ERR_CAPACITY,
                          "bodies of this world carry %d parts already; raise world.max_attached",
                          world->def.max_attached);
    Carried c = { .member = slot, .list = number, .id = id, .body = body, .channel = channel };
    memcpy(c.def, def, member->class->lists[number].table()->struct_size);
    TARN_TRY(place(world, &c, true)); // refuses a stale part
    *at = c;
    return TARN_OK;
}

TarnResult tarn_world_throttle(TarnWorld* world, TarnBodyId body, int channel, float share)
{
    if (world == NULL) return TARN_ERR_ARG;
    TARN_TRY(check_channel(world, channel, TARN_THROTTLE_STEADY));
    TARN_TRY(check_body(world, body));
    if (!(share >= 0.0f && share <= 1.0f))
        return tarn__fail(world->ctx, TARN_ERR_ARG, "share: %g is out of range; allowed: 0 to 1",
                          (double)share);
    int slot = tarn__world_slot_of(world, body);
    for (int i = 0; world->throttled[slot] != body.value && i < TARN_THROTTLES; ++i)
        world->throttle[slot][i] = 1.0f;
    world->throttled[slot] = body.value;
    world->throttle[slot][channel] = share;
    return TARN_OK;
}
