// Sails and keels of bodies: which body has which, their step, and their part of hashes and snapshots.

#include "world/world_internal.h"
#include "base/param.h"
#include "base/snapshot.h"

static bool is_live(const TarnWorld* world, const Foil* foil)
{
    return foil->body.value != 0 && tarn__world_slot_of(world, foil->body) >= 0;
}

static TarnFlow medium(const TarnWorld* world, const Foil* foil)
{
    return foil->def.medium == TARN_FOIL_WATER ? tarn_world_water(world) : tarn_world_air(world);
}

// The place of a foil; -1: there is none.
static int find(const TarnWorld* world, TarnBodyId body, int number)
{
    for (int i = 0; i < WORLD_MAX_FOILS; ++i) {
        const Foil* foil = &world->foils[i];
        if (is_live(world, foil) && foil->body.value == body.value && foil->number == number)
            return i;
    }
    return -1;
}

static TarnResult check_place(const TarnWorld* world, TarnBodyId body, int number)
{
    if (world == NULL) return TARN_ERR_ARG;
    if (tarn__world_slot_of(world, body) < 0)
        return tarn__fail(world->ctx, TARN_ERR_ARG,
                          "foil: the body's id is stale, null, or of another set");
    if (number >= 0 && number < TARN_BODY_FOILS) return TARN_OK;
    return tarn__fail(world->ctx, TARN_ERR_ARG, "foil: no foil %d; a body has foils 0 to %d",
                      number, TARN_BODY_FOILS - 1);
}

TarnResult tarn_world_set_foil(TarnWorld* world, TarnBodyId body, int number,
                               const TarnFoilDef* def)
{
    TARN_TRY(check_place(world, body, number));
    TarnVec3 still = { 0, 0, 0 };
    TarnFoilState state;
    if (def) // checks it, too
        TARN_TRY(tarn_foil_state(tarn_flow_uniform(&still), def, world->bodies, body, &state));
    int place = find(world, body, number);
    for (int i = 0; def && place < 0 && i < WORLD_MAX_FOILS; ++i) {
        if (!is_live(world, &world->foils[i])) place = i;
    }
    if (def && place < 0)
        return tarn__fail(world->ctx, TARN_ERR_CAPACITY,
                          "foil: this world has %d foils, all that it can hold; take one away",
                          WORLD_MAX_FOILS);
    if (place >= 0) world->foils[place] = def ? (Foil){ body, number, *def } : (Foil){ 0 };
    return TARN_OK;
}

TarnResult tarn_world_get_foil(const TarnWorld* world, TarnBodyId body, int number,
                               TarnFoilDef* def, TarnFoilState* state)
{
    TARN_TRY(check_place(world, body, number));
    int place = find(world, body, number);
    if (place < 0)
        return tarn__fail(world->ctx, TARN_ERR_ARG,
                          "foil: this body has no foil %d; give it one (tarn_world_set_foil)",
                          number);
    const Foil* foil = &world->foils[place];
    if (def) *def = foil->def;
    if (state == NULL) return TARN_OK;
    return tarn_foil_state(medium(world, foil), &foil->def, world->bodies, body, state);
}

TarnResult tarn__foils_push(TarnWorld* world, float dt)
{
    for (int i = 0; i < WORLD_MAX_FOILS; ++i) {
        const Foil* foil = &world->foils[i];
        if (!is_live(world, foil)) continue;
        TARN_TRY(tarn_couple_flow_foil(medium(world, foil), &foil->def, world->bodies, foil->body,
                                       dt, NULL));
    }
    return TARN_OK;
}

// ---- State ---------------------------------------------------------------------------------------

uint64_t tarn__foils_hash(const TarnWorld* world, uint64_t h)
{
    for (int i = 0; i < WORLD_MAX_FOILS; ++i) {
        const Foil* foil = &world->foils[i];
        if (!is_live(world, foil)) continue;
        const uint64_t key[3] = { (uint64_t)i, (uint64_t)tarn__world_slot_of(world, foil->body),
                                  (uint64_t)foil->number };
        h = tarn_hash(key, sizeof key, h);
        h = tarn__param_hash(tarn_foil_def_table(), &foil->def, h);
    }
    return h;
}

void tarn__foils_write(const TarnWorld* world, TarnWriter* w)
{
    for (int i = 0; i < WORLD_MAX_FOILS; ++i) {
        const Foil* foil = &world->foils[i];
        int slot = is_live(world, foil) ? tarn__world_slot_of(world, foil->body) : -1;
        tarn__write_u32(w, (uint32_t)(slot + 1));
        if (slot < 0) continue;
        tarn__write_u32(w, (uint32_t)foil->number);
        tarn__write_table(w, tarn_foil_def_table(), &foil->def);
    }
}

// Until the bodies are loaded, body holds the slot, counted from 1.
bool tarn__foils_read(const TarnWorld* world, TarnReader* r, Foil* out)
{
    for (int i = 0; i < WORLD_MAX_FOILS; ++i) {
        uint32_t slot = tarn__read_u32(r), number = 0;
        out[i] = (Foil){ { slot }, 0, tarn_foil_default_def() };
        if (r->is_bad || slot > (uint32_t)world->def.max_bodies) return false;
        if (slot == 0) continue;
        number = tarn__read_u32(r);
        if (number >= TARN_BODY_FOILS || !tarn__read_table(r, tarn_foil_def_table(), &out[i].def))
            return false;
        out[i].number = (int)number;
    }
    return true;
}
