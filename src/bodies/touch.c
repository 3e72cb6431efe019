// Finds contacts: floor and walls, basins, obstacles, pairs of bodies. contacts.c solves them.

#include "bodies/bodies_internal.h"

// A pair of which both bodies have been tested against that many others is skipped: so work grows with the
// number of bodies, not with its square, however many are in one place. A raft may carry more. Of one body at
// most MAX_PAIRS.
enum { CROWD = 64, MAX_PAIRS = 1024 };

static const float bounce_speed = 0.5f; // slower contacts do not bounce [m/s]

// Inverse mass along a direction, of which the body may follow the given part.
static float linear_ease(const TarnBody* body, float mass_inv, TarnVec3 part)
{
    return body->freedom == TARN_BODY_FREE ? mass_inv : mass_inv * vec3_dot(part, part);
}

static void set_row(ContactRow* row, const Contact* c, TarnVec3 direction, TarnVec3 ra, TarnVec3 rb)
{
    TarnVec3 zero = { 0, 0, 0 };
    row->direction = direction;
    row->arm_a = vec3_cross(ra, direction);
    row->arm_b = vec3_cross(rb, direction);
    row->push_a = tarn__body_free_part(c->a, direction);
    row->push_b = tarn__body_free_part(c->b, direction);
    row->spin_a = c->mass_inv_a > 0.0f ? tarn__body_inertia_inv(c->a, row->arm_a) : zero;
    row->spin_b = c->mass_inv_b > 0.0f ? tarn__body_inertia_inv(c->b, row->arm_b) : zero;
    float inverse = linear_ease(c->a, c->mass_inv_a, row->push_a) +
                    linear_ease(c->b, c->mass_inv_b, row->push_b) +
                    vec3_dot(row->arm_a, row->spin_a) + vec3_dot(row->arm_b, row->spin_b);
    row->mass = inverse > 0.0f ? 1.0f / inverse : 0.0f;
    row->drift = vec3_dot(direction, c->surface);
    row->impulse = 0.0f;
}

// Two directions along the surface, the first the way the bodies slide.
static void slide_directions(TarnVec3 n, TarnVec3 velocity, TarnVec3 out[2])
{
    TarnVec3 along = vec3_sub(velocity, vec3_scale(n, vec3_dot(n, velocity)));
    if (vec3_dot(along, along) < 1e-6f) {
        TarnVec3 axis = fabsf(n.x) < 0.6f ? (TarnVec3){ 1, 0, 0 } : (TarnVec3){ 0, 1, 0 };
        along = vec3_cross(axis, n);
    }
    out[0] = vec3_normalize(along);
    out[1] = vec3_cross(n, out[0]);
}

// obstacle: NULL for bodies, floors, walls and grounds.
static void add_contact(TarnBodies* set, TarnBody* a, TarnBody* b, const ContactPoint* p,
                        const BodyObstacle* obstacle)
{
    if (set->n_contacts == set->max_contacts) {
        set->flags |= TARN_STEP_CAPACITY_FULL;
        return;
    }
    Contact* c = &set->contacts[set->n_contacts++];
    bool is_world = b == &set->world;
    int slot_b = is_world ? set->def.max_bodies : (int)(b - set->body);
    *c = (Contact){ .a = a, .b = b, .distance = p->distance, .point = p->point };
    c->moved_a = &set->moved[a - set->body];
    c->moved_b = &set->moved[slot_b];
    c->mass_inv_a = a->is_driven ? 0.0f : 1.0f / a->mass;
    c->mass_inv_b = b->is_driven ? 0.0f : 1.0f / b->mass;
    c->slop = body_slop(is_world ? a->radius : tarn_minf(a->radius, b->radius));
    c->friction = is_world ? a->friction : sqrtf(a->friction * b->friction);
    c->restitution = is_world ? a->restitution : tarn_maxf(a->restitution, b->restitution);
    TarnVec3 ra = p->point;
    if (obstacle != NULL) {
        const TarnMotion* m = &obstacle->motion;
        TarnVec3 from = vec3_sub(vec3_add(a->state.position, ra), m->position);
        c->surface = vec3_add(m->velocity, vec3_cross(m->angular_velocity, from));
        c->friction = sqrtf(a->friction * obstacle->friction);
        c->restitution = tarn_maxf(a->restitution, obstacle->restitution);
    }
    TarnVec3 rb = is_world ? (TarnVec3){ 0, 0, 0 }
                           : vec3_sub(ra, vec3_sub(b->state.position, a->state.position));
    set_row(&c->normal, c, p->normal, ra, rb);
    c->approach = body_row_speed(c, &c->normal);
    c->is_blow = c->approach < -bounce_speed;
    TarnVec3 va = vec3_add(a->state.velocity, vec3_cross(a->state.angular_velocity, ra));
    TarnVec3 vb = vec3_add(b->state.velocity, vec3_cross(b->state.angular_velocity, rb));
    TarnVec3 slide[2];
    slide_directions(p->normal, vec3_sub(vec3_sub(va, vb), c->surface), slide);
    set_row(&c->slide[0], c, slide[0], ra, rb);
    set_row(&c->slide[1], c, slide[1], ra, rb);
}

// How far a body looks for walls and ground, so that it cannot pass them in one substep.
static float reach_of(const TarnBodies* set, const TarnBody* body, float h)
{
    float speed = vec3_length(body->state.velocity) + h * vec3_length(set->def.gravity);
    float turn = tarn_minf(h * vec3_length(body->state.angular_velocity), 1.0f);
    return body_margin(body->radius) + h * speed + turn * body->radius;
}

static void touch_wall(TarnBodies* set, TarnBody* body, TarnVec3 normal, float height, float h)
{
    float reach = reach_of(set, body, h);
    if (height > body->radius + reach) return;
    ContactPoint p[CONTACT_MAX_POINTS];
    int n = tarn__collide_wall(body, normal, height, reach, p);
    for (int i = 0; i < n; ++i) add_contact(set, body, &set->world, &p[i], NULL);
}

static void touch_box(TarnBodies* set, TarnBody* body, float h)
{
    TarnVec3 p = body->state.position, lo = set->def.box_min, hi = set->def.box_max;
    touch_wall(set, body, (TarnVec3){ 0, 1, 0 }, p.y - lo.y, h);
    touch_wall(set, body, (TarnVec3){ 1, 0, 0 }, p.x - lo.x, h);
    touch_wall(set, body, (TarnVec3){ -1, 0, 0 }, hi.x - p.x, h);
    if (body->freedom == TARN_BODY_PLANAR) return;
    touch_wall(set, body, (TarnVec3){ 0, 0, 1 }, p.z - lo.z, h);
    touch_wall(set, body, (TarnVec3){ 0, 0, -1 }, hi.z - p.z, h);
}

static void touch_ground(TarnBodies* set, const BodyBasin* basin, TarnBody* body, float h)
{
    ContactPoint p[GROUND_MAX_POINTS];
    int n = tarn__collide_ground(basin, body, reach_of(set, body, h), p);
    for (int i = 0; i < n; ++i) add_contact(set, body, &set->world, &p[i], NULL);
}

static void touch_edges(TarnBodies* set, const BodyBasin* basin, TarnBody* body, float h)
{
    TarnVec3 p = body->state.position;
    float x = p.x - basin->origin.x, z = p.z - basin->origin.y;
    float width = basin->size.x, depth = basin->size.y;
    if (basin->is_closed[0]) touch_wall(set, body, (TarnVec3){ 1, 0, 0 }, x, h);
    if (basin->is_closed[1]) touch_wall(set, body, (TarnVec3){ -1, 0, 0 }, width - x, h);
    if (body->freedom == TARN_BODY_PLANAR) return;
    if (basin->is_closed[2]) touch_wall(set, body, (TarnVec3){ 0, 0, 1 }, z, h);
    if (basin->is_closed[3]) touch_wall(set, body, (TarnVec3){ 0, 0, -1 }, depth - z, h);
}

// ---- Obstacles ----------------------------------------------------------------------------------

static void touch_obstacles(TarnBodies* set, TarnBody* body, float h)
{
    enum { MOST = 32 };
    BodyObstacle near[MOST];
    const BodyObstacles* o = &set->obstacles;
    float reach = reach_of(set, body, h), margin = body_margin(body->radius);
    int n = o->near(o->self, body->state.position, body->radius + reach, set->step_t0,
                    body->freedom == TARN_BODY_PLANAR, near, MOST);
    if (n == MOST) set->flags |= TARN_STEP_CAPACITY_FULL;
    for (int i = 0; i < n; ++i) {
        // What comes to the body counts as if the body went there.
        TarnVec3 from = vec3_sub(body->state.position, near[i].motion.position);
        TarnVec3 turn = vec3_cross(near[i].motion.angular_velocity, from);
        float coming = h * vec3_length(vec3_add(near[i].motion.velocity, turn));
        ContactPoint p[CONTACT_MAX_POINTS];
        int found = tarn__collide_obstacle(o, &near[i], body, margin, reach + coming, h, p);
        for (int k = 0; k < found; ++k) add_contact(set, body, &set->world, &p[k], &near[i]);
    }
}

// ---- Walls inside basins ------------------------------------------------------------------------

static bool is_wall(const BodyBasin* basin, int i, int k)
{
    if (i < 0 || k < 0 || i >= basin->nx || k >= basin->nz) return false;
    return basin->ground.data[i + (ptrdiff_t)basin->ground.stride * k] == basin->wall_value;
}

static int cell_of(float x, float dx, int n)
{
    return (int)tarn_clampf(floorf(x / dx), 0.0f, (float)(n - 1));
}

// Blocks of cells as one box, as high as the wall and as deep as the body can see.
static BodyObstacle block_of(const BodyBasin* basin, const TarnBody* body, int i0, int i1, int k0,
                             int k1, float depth)
{
    float x0 = basin->origin.x + (float)i0 * basin->dx,
          x1 = basin->origin.x + (float)i1 * basin->dx;
    float z0 = basin->origin.y + (float)k0 * basin->dx,
          z1 = basin->origin.y + (float)k1 * basin->dx;
    float top = tarn_minf(basin->wall_top, body->state.position.y + depth);
    float low = tarn_minf(top, body->state.position.y) - depth;
    return (BodyObstacle){ .kind = BODY_OBSTACLE_SHAPE,
                           .shape = TARN_SHAPE_BOX,
                           .size = { 0.5f * (x1 - x0), 0.5f * (top - low), 0.5f * (z1 - z0) },
                           .motion = { .position = { 0.5f * (x0 + x1), 0.5f * (top + low),
                                                     0.5f * (z0 + z1) },
                                       .rotation = { 0, 0, 0, 1 } } };
}

static void touch_block(TarnBodies* set, const BodyBasin* basin, TarnBody* body,
                        const BodyObstacle* block, float h)
{
    ContactPoint p[CONTACT_MAX_POINTS];
    int n = tarn__collide_obstacle(NULL, block, body, body_margin(body->radius),
                                   reach_of(set, body, h), h, p);
    for (int i = 0; i < n; ++i) {
        // A side that touches another block of the wall does not count: bodies slide along the seam.
        TarnVec3 from = vec3_add(vec3_add(body->state.position, p[i].point),
                                 vec3_scale(p[i].normal, 0.5f * p[i].distance));
        TarnVec3 half = block->size, center = block->motion.position, nl = p[i].normal;
        float x = from.x, z = from.z, out = 0.5f * basin->dx;
        if (fabsf(nl.x) > 0.7f) x = center.x + (nl.x > 0.0f ? half.x + out : -half.x - out);
        if (fabsf(nl.z) > 0.7f) z = center.z + (nl.z > 0.0f ? half.z + out : -half.z - out);
        bool is_seam =
            fabsf(nl.y) < 0.7f && is_wall(basin, (int)floorf((x - basin->origin.x) / basin->dx),
                                          (int)floorf((z - basin->origin.y) / basin->dx));
        if (!is_seam) add_contact(set, body, &set->world, &p[i], NULL);
    }
}

// Rows of wall cells around the body, each run with the rows behind it that are all wall, too.
static void touch_walls(TarnBodies* set, const BodyBasin* basin, TarnBody* body, float h)
{
    TarnVec3 p = body->state.position;
    float reach = body->radius + reach_of(set, body, h), dx = basin->dx;
    float x = p.x - basin->origin.x, z = p.z - basin->origin.y;
    if (p.y - reach > basin->wall_top) return;
    int i0 = cell_of(x - reach, dx, basin->nx), i1 = cell_of(x + reach, dx, basin->nx);
    int k0 = cell_of(z - reach, dx, basin->nz), k1 = cell_of(z + reach, dx, basin->nz);
    for (int k = k0; k <= k1; ++k) {
        for (int i = i0; i <= i1; ++i) {
            int end = i;
            while (end <= i1 && is_wall(basin, end, k)) ++end;
            if (end == i) continue;
            bool is_done = k > k0; // the row before had the same run, and its block goes on here
            for (int c = i - 1; c <= end && is_done; ++c) {
                bool is_run = c >= i && c < end;
                if (is_wall(basin, c, k - 1) != is_run && c >= i0 && c <= i1) is_done = false;
            }
            int last = k + 1;
            for (bool goes_on = true; last <= k1 && goes_on; last += goes_on) {
                for (int c = i - 1; c <= end; ++c) {
                    bool is_run = c >= i && c < end;
                    if (is_wall(basin, c, last) != is_run && c >= i0 && c <= i1) goes_on = false;
                }
            }
            BodyObstacle block = block_of(basin, body, i, end, k, last, 2.0f * reach);
            if (!is_done) touch_block(set, basin, body, &block, h);
            i = end;
        }
    }
}

// ---- Basins -------------------------------------------------------------------------------------

static void touch_basins(TarnBodies* set, TarnBody* body, float h)
{
    uint64_t inside = 0;
    for (int b = 0; b < set->n_basins; ++b) {
        const BodyBasin* basin = &set->basins[b];
        if (!tarn__basin_holds(basin, body)) continue;
        inside |= (uint64_t)1 << b;
        touch_edges(set, basin, body, h);
        if (basin->has_walls && basin->ground.data != NULL) touch_walls(set, basin, body, h);
        float height = body->state.position.y - basin->floor;
        if (basin->ground.data != NULL)
            touch_ground(set, basin, body, h);
        else
            touch_wall(set, body, (TarnVec3){ 0, 1, 0 }, height, h);
    }
    set->inside[body - set->body] = inside;
}

static void touch_pair(TarnBodies* set, TarnBody* a, TarnBody* b, float h)
{
    if (a->is_driven && b->is_driven) return;
    TarnVec3 between = vec3_sub(b->state.position, a->state.position);
    float closing = h * vec3_length(vec3_sub(b->state.velocity, a->state.velocity));
    float smaller = tarn_minf(a->radius, b->radius);
    // Looking far ahead would stop bodies that pass each other, so a quarter of a radius it is.
    float margin = body_margin(smaller) + tarn_minf(closing, 0.25f * smaller);
    float near = a->radius + b->radius + margin;
    if (!(vec3_dot(between, between) <= near * near)) return;
    int *pairs_a = &set->n_pairs[a - set->body], *pairs_b = &set->n_pairs[b - set->body];
    bool is_crowd = *pairs_a >= CROWD && *pairs_b >= CROWD;
    if (is_crowd || *pairs_a >= MAX_PAIRS || *pairs_b >= MAX_PAIRS) {
        set->flags |= TARN_STEP_CAPACITY_FULL;
        return;
    }
    ++*pairs_a, ++*pairs_b, ++set->n_tests;
    ContactPoint p[CONTACT_MAX_POINTS];
    int n = tarn__collide(a, b, margin, p);
    for (int i = 0; i < n; ++i) add_contact(set, a, b, &p[i], NULL);
}

// Sweep along x. The order is total (x, then slot): the same whatever it was before.
static bool is_before(const TarnBodies* set, int p, int q)
{
    return set->x_min[p] != set->x_min[q] ? set->x_min[p] < set->x_min[q] : p < q;
}

static void sort_along_x(TarnBodies* set, float h)
{
    for (int i = 0; i < set->ids.count; ++i) {
        int slot = set->order[i];
        const TarnBody* body = &set->body[slot];
        float reach =
            body->radius + body_margin(body->radius) + h * vec3_length(body->state.velocity);
        set->x_min[slot] = body->state.position.x - reach;
        set->x_max[slot] = body->state.position.x + reach;
    }
    for (int i = 1; i < set->ids.count; ++i) { // nearly sorted from the last time
        int slot = set->order[i], at = i;
        for (; at > 0 && is_before(set, slot, set->order[at - 1]); --at) {
            set->order[at] = set->order[at - 1];
        }
        set->order[at] = slot;
    }
}

void tarn__find_contacts(TarnBodies* set, float h)
{
    set->n_contacts = 0;
    for (int slot = 0; slot < set->def.max_bodies; ++slot) { // walls first: they get their contacts
        TarnBody* body = &set->body[slot];
        if (!body->is_used || body->is_driven) continue;
        touch_box(set, body, h);
        touch_basins(set, body, h);
        if (set->obstacles.near != NULL) touch_obstacles(set, body, h);
    }
    sort_along_x(set, h);
    memset(set->n_pairs, 0, (size_t)set->def.max_bodies * sizeof *set->n_pairs);
    set->n_tests = 0;
    for (int i = 0; i < set->ids.count; ++i) {
        int p = set->order[i];
        for (int j = i + 1; j < set->ids.count; ++j) {
            int q = set->order[j];
            if (set->x_min[q] > set->x_max[p]) break;
            if (set->flags & TARN_STEP_CAPACITY_FULL && set->n_contacts == set->max_contacts)
                return;
            touch_pair(set, &set->body[p < q ? p : q], &set->body[p < q ? q : p], h);
        }
    }
}
