// The end of a substep, in the order of the particles: pushes on solids, events, removals.

#include "liquid/liquid_driver.h"

void tarn__liquid_event(TarnLiquid* l, const TarnLiquidEvent* event)
{
    LiquidDriver* d = l->driver;
    if (!(d->wanted >> event->kind & 1u)) return;
    if (d->n_events == l->def.max_events)
        ++d->n_events_lost;
    else
        d->events[d->n_events++] = *event;
}

TarnResult tarn_liquid_want_events(TarnLiquid* l, uint32_t wanted)
{
    if (l == NULL) return TARN_ERR_ARG;
    if (wanted >> (TARN_LIQUID_DRAINED + 1)) {
        return tarn__fail(l->ctx, TARN_ERR_ARG,
                          "tarn_liquid_want_events: 0x%x has unknown bits; allowed: 0x%x",
                          (unsigned)wanted, (1u << (TARN_LIQUID_DRAINED + 1)) - 1u);
    }
    l->driver->wanted = wanted;
    return TARN_OK;
}

const TarnLiquidEvent* tarn_liquid_events(const TarnLiquid* l, int* n)
{
    *n = l->driver->n_events;
    return l->driver->events;
}

static TarnLiquidEvent event_at(const TarnLiquid* l, int kind, int p)
{
    return (TarnLiquidEvent){ .kind = kind,
                              .id = l->id[p],
                              .position = liquid_position(l, p),
                              .velocity = liquid_velocity(l, p) };
}

static void set_solid(const TarnLiquid* l, TarnLiquidEvent* event, int slot)
{
    if (slot < 0) return; // the box
    TarnSolidDef def;
    event->solid = tarn__solids_id(l->solids, slot);
    if (tarn_solids_get(l->solids, event->solid, &def) == TARN_OK) event->user = def.user;
}

// ---- Solids ------------------------------------------------------------------------------------

static void push(TarnSolids* solids, int slot, TarnVec3 impulse, TarnVec3 arm, int touching)
{
    double i[3] = { -(double)impulse.x, -(double)impulse.y, -(double)impulse.z };
    double a[3] = { arm.x, arm.y, arm.z };
    double angular[3] = { a[1] * i[2] - a[2] * i[1], a[2] * i[0] - a[0] * i[2],
                          a[0] * i[1] - a[1] * i[0] };
    tarn__solids_add_push(solids, slot, i, angular, touching);
}

// What the particle says about the volume of a solid, grown by 0.82 spacings, that is under water: div(x, z) integrated
// over it is twice (2-D: once) that volume, and the water's level adds nothing, as the field is horizontal. Particles
// within two spacings are the wet part of the surface, as thick as the integral of their weight: 1.6 spacings, of which
// a body under water counts 0.95.
static double wet_part(const TarnLiquid* l, const LiquidPlace* at, TarnVec3 up)
{
    float s = l->def.spacing, weight = tarn_clampf((2.0f - at->distance / s) / 0.8f, 0.0f, 1.0f);
    TarnVec3 from = vec3_add(at->arm, vec3_scale(at->normal, at->distance));
    float across = vec3_dot(from, at->normal) - vec3_dot(from, up) * vec3_dot(at->normal, up);
    float area = weight * s * (l->def.dimensions == 3 ? 0.5f * s : l->def.thickness) / 1.52f;
    return (double)(across * area);
}

static void push_solids(TarnLiquid* l, int p, TarnVec3 up, bool counts_touching)
{
    float near = liquid_touch_begin * l->def.spacing;
    int swept = l->flags[p] & LIQUID_SWEPT ? liquid_hit(l, p)->solid : -1;
    for (int c = 0; c < l->contact_count[p]; ++c) {
        const LiquidContact* contact = &l->contacts[l->contact_begin[p] + c];
        if (contact->at.solid < 0) continue;
        if (counts_touching)
            tarn__solids_add_wet(l->solids, contact->at.solid, wet_part(l, &contact->at, up));
        bool is_touching = counts_touching && contact->at.distance < near;
        if (contact->at.solid == swept) is_touching = false; // counted below
        push(l->solids, contact->at.solid, contact->impulse, contact->at.arm, is_touching);
    }
    if (swept < 0) return;
    const SweepHit* hit = liquid_hit(l, p);
    push(l->solids, swept, (TarnVec3){ hit->impulse[0], hit->impulse[1], hit->impulse[2] },
         (TarnVec3){ hit->arm[0], hit->arm[1], hit->arm[2] }, counts_touching);
}

// ---- Events ------------------------------------------------------------------------------------

static void tell_touch(TarnLiquid* l, int p)
{
    TarnLiquidEvent event = event_at(l, TARN_LIQUID_HIT, p);
    int slot = -1;
    if (l->flags[p] & LIQUID_SWEPT)
        slot = liquid_hit(l, p)->solid;
    else if (l->contact_count[p] > 0)
        slot = l->contacts[l->contact_begin[p]].at.solid;
    set_solid(l, &event, slot);
    tarn__liquid_event(l, &event);
}

static void tell_regions(TarnLiquid* l, int p, uint32_t now)
{
    LiquidDriver* d = l->driver;
    uint32_t changed = now ^ l->inside[p];
    for (int r = 0; r < l->def.max_regions; ++r) {
        if (!(changed >> r & 1u)) continue;
        bool is_in = now >> r & 1u;
        d->regions[r].count += is_in ? 1 : -1;
        TarnLiquidEvent event = event_at(l, is_in ? TARN_LIQUID_ENTER : TARN_LIQUID_LEAVE, p);
        event.region = tarn__liquid_region_id(l, r);
        event.user = d->regions[r].def.user;
        tarn__liquid_event(l, &event);
    }
    l->inside[p] = now;
}

static void tell_gone(TarnLiquid* l, int p)
{
    LiquidDriver* d = l->driver;
    int reason = l->neighbors.cell_of[p] & 3, which = l->neighbors.cell_of[p] >> 2;
    TarnLiquidEvent event = event_at(l, TARN_LIQUID_DRAINED, p);
    if (reason == GONE_LEFT) {
        ++d->ledger.left;
    } else if (reason == GONE_BOILED) {
        event.kind = TARN_LIQUID_BOILED;
        ++d->ledger.boiled;
    } else {
        ++d->ledger.drained;
        if (reason == GONE_SOLID) set_solid(l, &event, which);
        if (reason == GONE_REGION) {
            event.region = tarn__liquid_region_id(l, which);
            event.user = d->regions[which].def.user;
        }
    }
    tarn__liquid_event(l, &event);
}

void tarn__liquid_settle(const Substep* s)
{
    TarnLiquid* l = s->l;
    const int inner = LIQUID_INNER_FLAGS;
    bool has_regions = tarn__liquid_has_regions(l), is_end = s->t1 >= 1.0f;
    TarnVec3 up = vec3_scale(l->params.gravity, -1.0f);
    float g = vec3_length(up);
    up = g > 0.0f && g < INFINITY ? vec3_scale(up, 1.0f / g) : (TarnVec3){ 0.0f, 1.0f, 0.0f };
    int n_gone = 0;
    for (int p = 0; p < l->n; ++p) {
        if (l->solids && (l->contact_count[p] > 0 || (l->flags[p] & LIQUID_SWEPT)))
            push_solids(l, p, up, is_end);
        if (l->flags[p] & LIQUID_BEGINS) tell_touch(l, p);
        if (has_regions && (uint32_t)l->neighbors.order[p] != l->inside[p])
            tell_regions(l, p, (uint32_t)l->neighbors.order[p]);
        if (!(l->flags[p] & inner)) continue;
        if (l->flags[p] & LIQUID_GONE) {
            tell_gone(l, p);
            ++n_gone;
        }
        l->flags[p] &= (uint8_t) ~(LIQUID_SWEPT | LIQUID_BEGINS);
    }
    for (int p = l->n - 1; n_gone > 0 && p >= 0; --p) { // from behind: see remove_group
        if (!(l->flags[p] & LIQUID_GONE)) continue;
        tarn__liquid_remove_at(l, p);
        --n_gone;
    }
}
