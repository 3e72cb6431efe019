// Where the liquid meets solids and the walls of its box: contacts before the solve, and the motion after
// it, which nothing gets through.
//
// Method   Block by block: the box around some particles finds the solids near them, and most blocks
//          have none. Contacts are for the methods, which treat a surface as liquid that moves with it.
//          The motion is swept against the moving solids (solids_internal.h) and kept in the box.
// Differs  from boundary particles [Akinci2012]: a surface has no samples, so it may move, turn and be as
//          thin as it likes, and costs nothing where no liquid is.
// Checked  tests/unit/test_liquid.c, test_liquid_regions.c, test_liquid_state.c.
// Cost     bench/bench_liquid.c.

#include "liquid/liquid_driver.h"
#include "base/simd.h"
#include <stdatomic.h>

bool tarn__liquid_has_wall(const TarnLiquid* l, int axis, int side)
{
    if (axis >= l->def.dimensions) return false;
    if (l->def.walls == TARN_LIQUID_TANK) return axis != 1 || side == 0;
    return l->def.walls == TARN_LIQUID_BOX;
}

typedef struct Wall {
    int axis;
    float sign; // of the normal along the axis, into the liquid
    float at;   // [m]
} Wall;

// Walls that come closer than reach to a box.
static int walls_near(const TarnLiquid* l, const float lo[3], const float hi[3], float reach,
                      Wall out[6])
{
    const float min[3] = { l->def.box_min.x, l->def.box_min.y, l->def.box_min.z };
    const float max[3] = { l->def.box_max.x, l->def.box_max.y, l->def.box_max.z };
    int n = 0;
    for (int a = 0; a < 3; ++a) {
        if (tarn__liquid_has_wall(l, a, 0) && lo[a] - min[a] < reach)
            out[n++] = (Wall){ a, 1.0f, min[a] };
        if (tarn__liquid_has_wall(l, a, 1) && max[a] - hi[a] < reach)
            out[n++] = (Wall){ a, -1.0f, max[a] };
    }
    return n;
}

typedef struct Bounds {
    float lo[3], hi[3];
} Bounds;

static Bounds bounds_of(const TarnLiquid* l, int begin, int end)
{
    const float* at[3] = { l->x, l->y, l->z };
    Bounds b = { { 0 }, { 0 } };
    for (int a = 0; a < l->def.dimensions; ++a)
        tarn__neighbors_bounds(l->ctx, at[a] + begin, end - begin, &b.lo[a], &b.hi[a]);
    return b;
}

static int solids_near(const TarnLiquid* l, const Bounds* b, float reach, int* slots)
{
    if (l->solids == NULL) return 0;
    return tarn__solids_near(
        l->solids, (TarnVec3){ b->lo[0] - reach, b->lo[1] - reach, b->lo[2] - reach },
        (TarnVec3){ b->hi[0] + reach, b->hi[1] + reach, b->hi[2] + reach }, slots, LIQUID_NEAR);
}

// ---- Contacts ----------------------------------------------------------------------------------

// Nearest first; where there are too many the farthest is left out. Returns how many there are now.
static int insert(SolidContact* list, int n, const SolidContact* new, int* lost)
{
    if (n == LIQUID_MAX_CONTACTS) {
        ++*lost;
        if (!(new->distance < list[n - 1].distance)) return n;
        --n;
    }
    int at = n;
    for (; at > 0 && new->distance < list[at - 1].distance; --at) list[at] = list[at - 1];
    list[at] = *new;
    return n + 1;
}

static int wall_contacts(const TarnLiquid* l, int p, const Wall* walls, int n_walls,
                         SolidContact* out)
{
    const float at[3] = { l->x[p], l->y[p], l->z[p] };
    int n = 0, lost = 0;
    for (int w = 0; w < n_walls; ++w) {
        float distance = walls[w].sign * (at[walls[w].axis] - walls[w].at);
        if (!(distance < l->support)) continue;
        SolidContact c = { .solid = LIQUID_WALL_SLOT, .distance = distance };
        float normal[3] = { 0.0f, 0.0f, 0.0f };
        normal[walls[w].axis] = walls[w].sign;
        c.normal = (TarnVec3){ normal[0], normal[1], normal[2] };
        n = insert(out, n, &c, &lost);
    }
    return n;
}

// Whether it touches something, and what that does.
static void touch(TarnLiquid* l, int p, const SolidContact* list, int n)
{
    bool was = (l->flags[p] & TARN_LIQUID_TOUCHING) != 0;
    float limit = (was ? liquid_touch_end : liquid_touch_begin) * l->def.spacing;
    bool is = n > 0 && list[0].distance < limit;
    uint8_t flags = l->flags[p] & (uint8_t)~TARN_LIQUID_TOUCHING;
    if (is) flags |= TARN_LIQUID_TOUCHING;
    if (is && !was) flags |= LIQUID_BEGINS;
    l->flags[p] = flags;
    for (int c = 0; c < n; ++c) {
        bool is_near = list[c].distance < liquid_touch_begin * l->def.spacing;
        if (is_near && list[c].solid >= 0 &&
            tarn__solids_touch(l->solids, list[c].solid) == TARN_TOUCH_KILL)
            liquid_mark_gone(l, p, GONE_SOLID, list[c].solid);
    }
}

// Where contacts are put. Groups of particles take what they need from the pool, in whatever order they
// come: nobody looks at the order. If that is not enough for all, everything is found once more, and
// each block takes no more than its share.
typedef struct Search {
    const Substep* s;
    bool is_shared; // the pool; else the shares
    int capacity;
    atomic_int used; // may become larger than capacity
} Search;

// Contacts of the particles of one group.
typedef struct Group {
    SolidContact list[LIQUID_GROUP][LIQUID_MAX_CONTACTS];
    int count[LIQUID_GROUP], total, lost;
} Group;

static void find_at(const Substep* s, Group* g, int i, int p, const Wall* walls, int n_walls,
                    const int* slots, int n_slots)
{
    TarnLiquid* l = s->l;
    SolidContact* list = g->list[i];
    SolidContact more[LIQUID_MAX_CONTACTS];
    int m = 0, n = n_walls > 0 ? wall_contacts(l, p, walls, n_walls, list) : 0;
    if (n_slots > 0) {
        m = tarn__solids_contacts(l->solids, slots, n_slots, s->t0, l->def.dimensions,
                                  liquid_position(l, p), l->support, more, LIQUID_MAX_CONTACTS);
    }
    for (int c = 0; c < m; ++c) n = insert(list, n, &more[c], &g->lost);
    if (n > 0 || (l->flags[p] & TARN_LIQUID_TOUCHING)) touch(l, p, list, n);
    g->count[i] = n;
    g->total += n;
}

// Puts the contacts of particles [first, last) there, *at being the next free place. n_follow particles
// come behind these: one of the places before end is kept back for each; -1: there are enough.
static void keep_group(TarnLiquid* l, Group* g, int first, int last, int* at, int end, int n_follow)
{
    for (int p = first; p < last; ++p) {
        const SolidContact* list = g->list[p - first];
        int n = g->count[p - first], room = end - *at;
        if (n_follow >= 0) room -= n_follow + (last - 1 - p);
        if (n > room) g->lost += n - room, n = room;
        l->contact_begin[p] = *at;
        l->contact_count[p] = (uint8_t)n;
        for (int c = 0; c < n; ++c, ++*at) {
            LiquidPlace place = { list[c].solid, list[c].distance, list[c].normal, list[c].arm };
            l->contacts[*at] = (LiquidContact){ .at = place };
            if (l->contact_velocity != NULL) l->contact_velocity[*at] = list[c].velocity;
        }
    }
}

static void keep_none(TarnLiquid* l, int first, int last)
{
    for (int p = first; p < last; ++p) {
        if (l->flags[p] & TARN_LIQUID_TOUCHING) touch(l, p, NULL, 0);
        l->contact_begin[p] = 0;
        l->contact_count[p] = 0;
    }
}

static void contacts_block(int block, void* data)
{
    Search* search = data;
    TarnLiquid* l = search->s->l;
    int begin = block * LIQUID_BLOCK, end = liquid_block_end(l, block), slots[LIQUID_NEAR];
    Bounds bounds = bounds_of(l, begin, end);
    Wall walls[6];
    int n_walls = walls_near(l, bounds.lo, bounds.hi, l->support, walls);
    int n_slots = solids_near(l, &bounds, l->support, slots);
    int share = block * l->places, lost = 0;
    bool is_near = n_walls > 0 || n_slots > 0;
    if (!is_near) keep_none(l, begin, end);
    // A block may be long and meet walls and solids with a few of its particles only.
    for (int first = begin; is_near && first < end; first += LIQUID_GROUP) {
        int last = first + LIQUID_GROUP < end ? first + LIQUID_GROUP : end;
        bounds = bounds_of(l, first, last);
        n_walls = walls_near(l, bounds.lo, bounds.hi, l->support, walls);
        int n_near = n_slots > 0 ? solids_near(l, &bounds, l->support, slots) : 0;
        if (n_walls == 0 && n_near == 0) {
            keep_none(l, first, last);
            continue;
        }
        Group g;
        g.total = g.lost = 0;
        for (int p = first; p < last; ++p)
            find_at(search->s, &g, p - first, p, walls, n_walls, slots, n_near);
        int at = share, places = (block + 1) * l->places;
        if (search->is_shared) {
            at = atomic_fetch_add(&search->used, g.total);
            places = at + g.total;
        }
        if (places <= search->capacity)
            keep_group(l, &g, first, last, &at, places, search->is_shared ? -1 : end - last);
        share = at;
        lost += g.lost;
    }
    l->driver->block_lost[block] = lost;
}

void tarn__liquid_find_contacts(const Substep* s)
{
    TarnLiquid* l = s->l;
    int blocks = liquid_blocks(l->n);
    Search search = { .s = s, .is_shared = true };
    search.capacity = liquid_blocks(l->def.max_particles) * l->places;
    atomic_init(&search.used, 0);
    tarn__parallel_for(l->ctx, blocks, contacts_block, &search);
    if (atomic_load(&search.used) > search.capacity) {
        search.is_shared = false;
        tarn__parallel_for(l->ctx, blocks, contacts_block, &search);
    }
    l->n_contacts_lost = 0;
    for (int b = 0; b < blocks; ++b) l->n_contacts_lost += l->driver->block_lost[b];
}

TarnVec3 tarn__liquid_contact_velocity(const TarnLiquid* l, int contact)
{
    if (l->contact_velocity != NULL) return l->contact_velocity[contact];
    const LiquidPlace* at = &l->contacts[contact].at;
    if (at->solid < 0) return (TarnVec3){ 0.0f, 0.0f, 0.0f };
    TarnVec3 v, spin;
    tarn__solids_get_velocity(l->solids, at->solid, &v, &spin);
    v = vec3_add(v, vec3_cross(spin, at->arm));
    if (l->def.dimensions == 2) v.z = 0.0f;
    return v;
}

// ---- Motion ------------------------------------------------------------------------------------

// Velocity after a surface was met: not into it, a lone drop bounces, both slide with friction. Returns
// the change.
static TarnVec3 deflect(TarnVec3* velocity, TarnVec3 surface, TarnVec3 normal, float friction,
                        float restitution)
{
    TarnVec3 relative = vec3_sub(*velocity, surface);
    float into = -vec3_dot(relative, normal);
    if (!(into > 0.0f)) return (TarnVec3){ 0.0f, 0.0f, 0.0f };
    TarnVec3 along = vec3_add(relative, vec3_scale(normal, into));
    float push = (1.0f + restitution) * into, slip = vec3_length(along);
    float stop = slip > 0.0f ? tarn_minf(1.0f, friction * push / slip) : 0.0f;
    TarnVec3 change = vec3_sub(vec3_scale(normal, push), vec3_scale(along, stop));
    *velocity = vec3_add(*velocity, change);
    return change;
}

// Few neighbors: a drop of its own.
static bool is_lone(const TarnLiquid* l, int p)
{
    if (l->method->needs_lists) return l->neighbors.count[p] <= (l->def.dimensions == 2 ? 3 : 5);
    return l->density[p] < 0.4f * l->kinds[l->kind[p]].density;
}

// Into the box, a skin away from its walls. Changes the velocity only where it was outside.
static void keep_in_box(const TarnLiquid* l, int p, TarnVec3* at, TarnVec3* velocity)
{
    const float min[3] = { l->def.box_min.x, l->def.box_min.y, l->def.box_min.z };
    const float max[3] = { l->def.box_max.x, l->def.box_max.y, l->def.box_max.z };
    float* x[3] = { &at->x, &at->y, &at->z };
    float skin = liquid_skin * l->def.spacing;
    for (int a = 0; a < l->def.dimensions; ++a) {
        for (int side = 0; side < 2; ++side) {
            float sign = side == 0 ? 1.0f : -1.0f;
            float limit = side == 0 ? min[a] + skin : max[a] - skin;
            if (!(sign * (*x[a] - limit) < 0.0f) || !tarn__liquid_has_wall(l, a, side)) continue;
            *x[a] = limit;
            float normal[3] = { 0.0f, 0.0f, 0.0f };
            normal[a] = sign;
            deflect(velocity, (TarnVec3){ 0.0f, 0.0f, 0.0f },
                    (TarnVec3){ normal[0], normal[1], normal[2] }, l->params.friction,
                    is_lone(l, p) ? liquid_wall_restitution : 0.0f);
        }
    }
}

// Speed and place within their limits; true: they were not.
static bool limit(const TarnLiquid* l, TarnVec3* velocity)
{
    float most = l->params.max_speed;
    if (!tarn__is_finite3(*velocity)) {
        *velocity = (TarnVec3){ 0.0f, 0.0f, 0.0f };
        return true;
    }
    float sum = vec3_dot(*velocity, *velocity); // infinity is larger, too
    if (!(sum > most * most)) return false;
    *velocity = vec3_scale(*velocity, (float)((double)most / vec3__length(*velocity)));
    return true;
}

static float within_place(float x)
{
    return tarn_clampf(x, -liquid_max_place, liquid_max_place);
}

// Particles at the very same place would stay together for ever: a step aside, by id.
static TarnVec3 step_aside(const TarnLiquid* l, int p)
{
    float reach = 0.02f * l->def.spacing, out[3] = { 0.0f, 0.0f, 0.0f };
    for (unsigned a = 0; a < (unsigned)l->def.dimensions; ++a)
        out[a] = reach * (tarn__random01((uint64_t)l->def.seed, 4 + a, l->id[p]) - 0.5f);
    return (TarnVec3){ out[0], out[1], out[2] };
}

// Where particles may be: between the walls, a skin away from them.
typedef struct Inside {
    TarnVec3 lo, hi;
} Inside;

static Inside inside_of(const TarnLiquid* l)
{
    const float min[3] = { l->def.box_min.x, l->def.box_min.y, l->def.box_min.z };
    const float max[3] = { l->def.box_max.x, l->def.box_max.y, l->def.box_max.z };
    float lo[3], hi[3], skin = liquid_skin * l->def.spacing;
    for (int a = 0; a < 3; ++a) {
        lo[a] = tarn__liquid_has_wall(l, a, 0) ? min[a] + skin : -liquid_max_place;
        hi[a] = tarn__liquid_has_wall(l, a, 1) ? max[a] - skin : liquid_max_place;
    }
    return (Inside){ { lo[0], lo[1], lo[2] }, { hi[0], hi[1], hi[2] } };
}

TARN_INLINE bool is_inside(const Inside* in, TarnVec3 at)
{
    return at.x >= in->lo.x && at.x <= in->hi.x && at.y >= in->lo.y && at.y <= in->hi.y &&
           at.z >= in->lo.z && at.z <= in->hi.z;
}

// The end of a particle's path without solids; the velocity follows. True: something was
// limited.
static bool plan(const Substep* s, int p, bool is_twin, TarnVec3* velocity, TarnVec3* to)
{
    TarnLiquid* l = s->l;
    bool is_clamped = false;
    if (l->flags[p] & TARN_LIQUID_FROZEN)
        *velocity = (TarnVec3){ 0.0f, 0.0f, 0.0f };
    else
        is_clamped = limit(l, velocity);
    *to = vec3_add(liquid_position(l, p), vec3_scale(*velocity, s->dt));
    if (is_twin) *to = vec3_add(*to, step_aside(l, p));
    *to = (TarnVec3){ within_place(to->x), within_place(to->y), within_place(to->z) };
    keep_in_box(l, p, to, velocity);
    return is_clamped;
}

// Where the particles of a block go.
typedef struct Ways {
    float at[3][LIQUID_BLOCK];
} Ways;

TARN_INLINE TarnVec3 end_of(const Ways* ways, int i)
{
    return (TarnVec3){ ways->at[0][i], ways->at[1][i], ways->at[2][i] };
}
TARN_INLINE void set_end(Ways* ways, int i, TarnVec3 to)
{
    ways->at[0][i] = to.x, ways->at[1][i] = to.y, ways->at[2][i] = to.z;
}

static bool plan_one(const Substep* s, const Inside* inside, int p, bool is_first, TarnVec3* to)
{
    TarnLiquid* l = s->l;
    const float most = l->params.max_speed * l->params.max_speed;
    TarnVec3 at = liquid_position(l, p), v = liquid_velocity(l, p);
    bool is_twin = !is_first && at.x == l->x[p - 1] && at.y == l->y[p - 1] && at.z == l->z[p - 1];
    *to = vec3_add(at, vec3_scale(v, s->dt));
    bool is_plain = vec3_dot(v, v) <= most && is_inside(inside, *to) && !is_twin &&
                    !(l->flags[p] & TARN_LIQUID_FROZEN);
    if (is_plain) return false;
    bool is_clamped = plan(s, p, is_twin, &v, to);
    l->vx[p] = v.x, l->vy[p] = v.y, l->vz[p] = v.z;
    return is_clamped;
}

// The same for eight, false: some of them need a closer look.
static bool plan_eight(const Substep* s, const Inside* inside, int p, Ways* ways, int i)
{
    const TarnLiquid* l = s->l;
    const float *x[3] = { l->x + p, l->y + p, l->z + p },
                *v[3] = { l->vx + p, l->vy + p, l->vz + p };
    const float lo[3] = { inside->lo.x, inside->lo.y, inside->lo.z };
    const float hi[3] = { inside->hi.x, inside->hi.y, inside->hi.z };
    TarnF8 here = f8_load(x[0]), before = f8_load(x[0] - 1), speed2 = f8_set(0.0f);
    TarnI8 is_plain = f8_less(here, before) | f8_less(before, here); // no twin of the one before
    for (int a = 0; a < l->def.dimensions; ++a) {
        TarnF8 speed = f8_load(v[a]), to = f8_load(x[a]) + speed * s->dt;
        is_plain &= f8_less(f8_set(lo[a]), to) & f8_less(to, f8_set(hi[a]));
        speed2 += speed * speed;
        f8_store(ways->at[a] + i, to);
    }
    if (l->def.dimensions == 2) f8_store(ways->at[2] + i, f8_load(x[2]));
    is_plain &= f8_less(speed2, f8_set(l->params.max_speed * l->params.max_speed));
    bool is_frozen = false;
    for (int k = 0; k < TARN_LANES; ++k) is_frozen |= (l->flags[p + k] & TARN_LIQUID_FROZEN) != 0;
    return i8_mask_bits(is_plain) == 255u && !is_frozen;
}

// Ends of the ways of the particles of a block; true: something was limited.
static bool plan_ways(const Substep* s, int begin, int end, Ways* ways)
{
    const Inside inside = inside_of(s->l);
    bool is_clamped = false;
    for (int p = begin; p < end;) {
        int stop = p + TARN_LANES;
        if (p > begin && stop <= end && plan_eight(s, &inside, p, ways, p - begin)) {
            p = stop;
            continue;
        }
        for (; p < end && p < stop; ++p) {
            TarnVec3 to;
            is_clamped |= plan_one(s, &inside, p, p == begin, &to);
            set_end(ways, p - begin, to);
        }
    }
    return is_clamped;
}

// How much of a blow the particle takes itself; the rest of it would only throw a solid that is lighter than
// the particle. 1: the solid does not react.
static float share_of_blow(const TarnLiquid* l, int p, const SolidContact* c, int slot,
                           TarnVec3 normal)
{
    const SolidMass* body = tarn__solids_mass(l->solids, slot);
    if (!(body->inverse_mass > 0.0f)) return 1.0f;
    const float* i = body->inverse_inertia;
    TarnVec3 t = vec3_cross(c->arm, normal);
    TarnVec3 turn = { i[0] * t.x + i[1] * t.y + i[2] * t.z, i[3] * t.x + i[4] * t.y + i[5] * t.z,
                      i[6] * t.x + i[7] * t.y + i[8] * t.z };
    float own = 1.0f / l->mass[l->kind[p]];
    return own / (own + tarn_maxf(body->inverse_mass + vec3_dot(t, turn), 0.0f));
}

// After the sweep met a solid: the velocity follows, the solid feels it.
static void answer_hit(const Substep* s, int p, TarnVec3 at, int slot, TarnVec3 normal)
{
    TarnLiquid* l = s->l;
    const TarnSolids* solids = l->solids;
    SolidContact c;
    TarnVec3 v = liquid_velocity(l, p), surface, spin;
    float reach = l->def.spacing;
    if (tarn__solids_contacts(solids, &slot, 1, s->t1, l->def.dimensions, at, reach, &c, 1) > 0) {
        normal = c.normal;
    } else { // it slid past: the solid's own velocity is near enough
        tarn__solids_get_velocity(solids, slot, &surface, &spin);
        if (l->def.dimensions == 2) surface.z = 0.0f;
        c = (SolidContact){ .velocity = surface };
    }
    bool is_stuck = tarn__solids_touch(solids, slot) == TARN_TOUCH_STICK;
    float friction = is_stuck ? 1e6f : tarn__solids_friction(solids, slot);
    float restitution = is_lone(l, p) ? tarn__solids_restitution(solids, slot) : 0.0f;
    TarnVec3 change = deflect(&v, c.velocity, normal, friction, restitution);
    change = vec3_scale(change, share_of_blow(l, p, &c, slot, normal));
    v = vec3_add(liquid_velocity(l, p), change);
    limit(l, &v);
    l->vx[p] = v.x, l->vy[p] = v.y, l->vz[p] = v.z;
    float mass = l->mass[l->kind[p]];
    *liquid_hit(l, p) = (SweepHit){ slot,
                                    { mass * change.x, mass * change.y, mass * change.z },
                                    { c.arm.x, c.arm.y, c.arm.z } };
    uint8_t flags = l->flags[p] | LIQUID_SWEPT | TARN_LIQUID_TOUCHING;
    if (!(l->flags[p] & TARN_LIQUID_TOUCHING)) flags |= LIQUID_BEGINS;
    l->flags[p] = flags;
    if (tarn__solids_touch(solids, slot) == TARN_TOUCH_KILL)
        liquid_mark_gone(l, p, GONE_SOLID, slot);
}

static bool has_left(const TarnLiquid* l, TarnVec3 at)
{
    TarnVec3 lo = l->driver->domain_min, hi = l->driver->domain_max;
    bool is_out = at.x < lo.x || at.x > hi.x || at.y < lo.y || at.y > hi.y;
    return is_out || (l->def.dimensions == 3 && (at.z < lo.z || at.z > hi.z));
}

// One particle past the solids near it.
static TarnVec3 sweep(const Substep* s, int p, TarnVec3 to, const int* slots, int n_slots)
{
    TarnLiquid* l = s->l;
    int hit = -1;
    TarnVec3 normal;
    to = tarn__solids_sweep(l->solids, slots, n_slots, s->t0, s->t1, l->def.dimensions,
                            liquid_position(l, p), to, liquid_skin * l->def.spacing, &hit, &normal,
                            NULL);
    if (hit < 0) return to;
    answer_hit(s, p, to, hit, normal);
    TarnVec3 v = liquid_velocity(l, p);
    keep_in_box(l, p, &to, &v); // it may have slid out
    l->vx[p] = v.x, l->vy[p] = v.y, l->vz[p] = v.z;
    return to;
}

TarnVec3 tarn__liquid_put(const TarnLiquid* l, int p, TarnVec3 to)
{
    int slots[LIQUID_NEAR];
    TarnVec3 at = liquid_position(l, p);
    Bounds b = { { tarn_minf(at.x, to.x), tarn_minf(at.y, to.y), tarn_minf(at.z, to.z) },
                 { tarn_maxf(at.x, to.x), tarn_maxf(at.y, to.y), tarn_maxf(at.z, to.z) } };
    int n_slots = solids_near(l, &b, l->def.spacing, slots);
    if (n_slots == 0) return to;
    return tarn__solids_sweep(l->solids, slots, n_slots, l->solids_at, l->solids_at,
                              l->def.dimensions, at, to, liquid_skin * l->def.spacing, NULL, NULL,
                              NULL);
}

static Bounds bounds_of_ways(const TarnLiquid* l, const Ways* ways, int first, int begin, int end)
{
    Bounds b = bounds_of(l, begin, end);
    for (int a = 0; a < l->def.dimensions; ++a) {
        float lo, hi;
        tarn__neighbors_bounds(l->ctx, ways->at[a] + (begin - first), end - begin, &lo, &hi);
        b.lo[a] = tarn_minf(lo, b.lo[a]);
        b.hi[a] = tarn_maxf(hi, b.hi[a]);
    }
    return b;
}

static void move_block(int block, void* data)
{
    const Substep* s = data;
    TarnLiquid* l = s->l;
    int begin = block * LIQUID_BLOCK, end = liquid_block_end(l, block), slots[LIQUID_NEAR];
    Ways ways;
    l->driver->block_clamped[block] = plan_ways(s, begin, end, &ways);
    int n_slots = 0;
    float reach = 2.0f * liquid_skin * l->def.spacing;
    if (l->solids) {
        Bounds bounds = bounds_of_ways(l, &ways, begin, begin, end);
        n_slots = solids_near(l, &bounds, reach, slots);
    }
    for (int first = begin; n_slots > 0 && first < end; first += LIQUID_GROUP) {
        int last = first + LIQUID_GROUP < end ? first + LIQUID_GROUP : end;
        Bounds bounds = bounds_of_ways(l, &ways, begin, first, last);
        int n_near = solids_near(l, &bounds, reach, slots);
        for (int p = first; n_near > 0 && p < last; ++p)
            set_end(&ways, p - begin, sweep(s, p, end_of(&ways, p - begin), slots, n_near));
    }
    float* to[3] = { l->x, l->y, l->z };
    for (int a = 0; a < 3; ++a)
        memcpy(to[a] + begin, ways.at[a], (size_t)(end - begin) * sizeof(float));
    bool may_leave = l->def.walls != TARN_LIQUID_BOX;
    for (int p = begin; may_leave && p < end; ++p)
        if (has_left(l, liquid_position(l, p))) liquid_mark_gone(l, p, GONE_LEFT, 0);
}

// The fastest particle of the first block in which one was limited.
static void note_limited(TarnLiquid* l, int block)
{
    int fastest = block * LIQUID_BLOCK;
    float most = -1.0f;
    for (int p = fastest; p < liquid_block_end(l, block); ++p) {
        TarnVec3 v = liquid_velocity(l, p);
        float square = vec3_dot(v, v);
        if (square > most) most = square, fastest = p;
    }
    l->limited = (TarnStepLimit){ .what = "speed",
                                  .solver = "liquid",
                                  .parameter = "liquid.max_speed",
                                  .unit = "m/s",
                                  .limit = l->params.max_speed,
                                  .index = fastest,
                                  .position = liquid_position(l, fastest) };
}

void tarn__liquid_move(const Substep* s)
{
    TarnLiquid* l = s->l;
    int blocks = liquid_blocks(l->n);
    tarn__parallel_for(l->ctx, blocks, move_block, (void*)s);
    for (int b = 0; b < blocks; ++b) {
        if (!l->driver->block_clamped[b]) continue;
        l->flags_of_step |= TARN_STEP_CLAMPED;
        if (l->limited.what == NULL) note_limited(l, b);
    }
}
