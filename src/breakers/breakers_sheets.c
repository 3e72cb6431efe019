// Sheets: rows of nodes that leave the crest, fly, and land in the water or on a body.

#include "breakers/breakers_internal.h"
#include <math.h>

static const float least_strength = 0.02f; // a weaker part of a line has no sheet

// ---- Splashes --------------------------------------------------------------------------------------

static void splash(TarnBreakers* b, const Node* n, float energy, float dt, int is_impact)
{
    if (!(energy > 0.0f)) return;
    if (b->n_splashes == MAX_SPLASHES) {
        b->flags |= TARN_STEP_CAPACITY_FULL;
        return;
    }
    b->splashes[b->n_splashes++] = (TarnBreakerSplash){ .position = n->at,
                                                        .velocity = n->v,
                                                        .size = n->span,
                                                        .thickness = n->thick,
                                                        .power = tarn_minf(energy / dt, 1e12f),
                                                        .is_impact = is_impact };
}

// What a node stands for: the part of the sheet that was emitted in one row_time.
static float volume_of(const TarnBreakers* b, const Node* n)
{
    return tarn_minf(n->thick * n->span * vec3_length(n->v) * b->params.row_time, 1e6f);
}

static float energy_of(const TarnBreakers* b, const Node* n, TarnVec3 v)
{
    return 0.5f * b->params.density * volume_of(b, n) * vec3_dot(v, v);
}

// ---- Landing ---------------------------------------------------------------------------------------

// D.7: the water is pushed aside: from a disc to one twice as wide around it, to the last grain.
static void push_water(TarnBreakers* b, const Node* n)
{
    float volume = b->params.impact * volume_of(b, n), dx = b->def.dx;
    if (b->water == NULL || b->water->push == NULL || !(volume > 0.0f)) return;
    if (!tarn_surface_covers(*b->water, n->at.x, n->at.z)) return;
    TarnSurfacePush push = { .center = { n->at.x, n->at.z },
                             .from = { n->at.x, n->at.z },
                             .radius = 3.0f * dx,
                             .from_radius = 1.5f * dx,
                             .volume = volume };
    TarnSurfaceTaken taken = { 0 };
    if (tarn_surface_push(*b->water, &push, &taken) == TARN_OK) b->moved += taken.volume;
}

// All bodies, and a box around them, because most nodes are far from any.
typedef struct Obstacles {
    TarnBodies* bodies; // NULL: none
    int end;            // slots from here on are free
    TarnVec3 min, max;
} Obstacles;

static Obstacles obstacles_of(TarnBodies* bodies)
{
    Obstacles o = { .min = { 1e30f, 1e30f, 1e30f }, .max = { -1e30f, -1e30f, -1e30f } };
    if (bodies == NULL || tarn_bodies_count(bodies) == 0) return o;
    o.bodies = bodies;
    for (int slot = 0; slot < tarn__bodies_capacity(bodies); ++slot) {
        const TarnBody* body = tarn__bodies_slot(bodies, slot);
        if (!body->is_used) continue;
        o.end = slot + 1;
        TarnVec3 at = body->state.position;
        float r = body->radius;
        o.min = (TarnVec3){ tarn_minf(o.min.x, at.x - r), tarn_minf(o.min.y, at.y - r),
                            tarn_minf(o.min.z, at.z - r) };
        o.max = (TarnVec3){ tarn_maxf(o.max.x, at.x + r), tarn_maxf(o.max.y, at.y + r),
                            tarn_maxf(o.max.z, at.z + r) };
    }
    return o;
}

// Whether a node is in a body; if so, that takes the momentum of the node, but is not thrown by it: together the
// nodes of a step give it no more than half of what would carry it along.
static bool hit_bodies(TarnBreakers* b, const Obstacles* obstacles, const Node* n, float dt)
{
    TarnBodies* bodies = obstacles->bodies;
    bool is_near = bodies && n->at.x > obstacles->min.x && n->at.x < obstacles->max.x &&
                   n->at.y > obstacles->min.y && n->at.y < obstacles->max.y &&
                   n->at.z > obstacles->min.z && n->at.z < obstacles->max.z;
    if (!is_near) return false;
    for (int slot = 0; slot < obstacles->end; ++slot) {
        TarnBody* body = tarn__bodies_slot(bodies, slot);
        if (!body->is_used) continue;
        TarnVec3 arm = vec3_sub(n->at, body->state.position);
        if (!(vec3_dot(arm, arm) < body->radius * body->radius)) continue;
        float lo, hi;
        if (!tarn__body_span(body, n->at.x, n->at.z, &lo, &hi)) continue;
        if (!(n->at.y > lo && n->at.y < hi)) continue;
        TarnVec3 v = vec3_sub(n->v, tarn__body_velocity_at(body, n->at));
        float mass = tarn_minf(b->params.density * volume_of(b, n), 0.05f * body->mass);
        TarnVec3 force = vec3_scale(v, mass / dt);
        splash(b, n, energy_of(b, n, v), dt, 2);
        if (!body->is_driven)
            tarn_bodies_add_force(bodies, tarn__bodies_id(bodies, slot), force,
                                  vec3_cross(arm, force));
        return true;
    }
    return false;
}

// y of the water at a node, and what follows from it.
static void meet_water(TarnBreakers* b, Node* n, float water, float dt)
{
    float above = n->at.y - water;
    if (!(n->flags & NODE_OUT)) {
        if (above > 0.0f) n->flags |= NODE_OUT;
        if (n->age > 0.6f)
            n->flags |= NODE_GONE; // its wave has broken down: it never left the water
        return;
    }
    if (above > -0.25f * n->thick) return;
    if (!(n->flags & NODE_SUNK)) {
        n->flags |= NODE_SUNK;
        push_water(b, n);
        splash(b, n, energy_of(b, n, n->v), dt, 1);
    }
    if (above < -(n->thick + 0.5f * b->def.dx)) n->flags |= NODE_GONE;
}

// ---- Flight ----------------------------------------------------------------------------------------

TARN_INLINE void move(const TarnBreakers* b, Node* n, float dt)
{
    float g = b->def.gravity;
    n->at.x = tarn_clampf(n->at.x + n->v.x * dt, -2e6f, 2e6f);
    n->at.z = tarn_clampf(n->at.z + n->v.z * dt, -2e6f, 2e6f);
    n->at.y = tarn_clampf(n->at.y + (n->v.y - 0.5f * g * dt) * dt, -2e6f, 2e6f);
    n->v.y = tarn_clampf(n->v.y - g * dt, -1e4f, 1e4f);
    n->age += dt;
    if (n->age > b->params.life) n->flags |= NODE_GONE;
}

// The lip: of each row that no row is in front of any more.
static void tear_lip(TarnBreakers* b, const Row* r, float dt)
{
    float share = tarn_minf(b->params.spray * dt, 1.0f);
    for (int k = 0; k < 2; ++k)
        if (breakers_has_row(b, r->next[k]) && breakers_row(b, r->next[k])->live > 0) return;
    for (int i = 0; i < r->n && share > 0.0f; ++i) {
        const Node* n = breakers_node(b, r->first + (uint32_t)i);
        if ((n->flags & (NODE_OUT | NODE_SUNK | NODE_GONE)) != NODE_OUT) continue;
        splash(b, n, share * energy_of(b, n, n->v), dt, 0);
    }
}

static void drop_dead_rows(TarnBreakers* b)
{
    while (b->row_head < b->row_end && breakers_row(b, b->row_head)->live == 0) {
        b->node_head =
            breakers_row(b, b->row_head)->first + (uint32_t)breakers_row(b, b->row_head)->n;
        ++b->row_head;
    }
}

// Nodes side by side in memory, the first one with its number. All of them move and are asked for before the first one
// meets the water, because it may push that away under the others. Rows lie in the order of their nodes: *row, which
// only goes on, is that of the last node that was lost.
static void fly_span(TarnBreakers* b, const Obstacles* obstacles, uint32_t number, int n, float dt,
                     uint32_t* row)
{
    Node* nodes = breakers_node(b, number);
    int32_t* moving = b->vertex;
    int asked = 0;
    for (int i = 0; i < n; ++i) {
        Node* node = &nodes[i];
        if (node->flags & NODE_GONE) continue;
        b->ask_x[asked] = node->at.x + node->v.x * dt; // as `move` does
        b->ask_z[asked] = node->at.z + node->v.z * dt;
        moving[asked++] = i;
        move(b, node, dt);
    }
    if (b->water && asked > 0) tarn__breakers_ask(b, asked, false, false);
    for (int m = 0; m < asked; ++m) {
        Node* node = &nodes[moving[m]];
        if (b->water && !(node->flags & NODE_GONE)) meet_water(b, node, b->ask_y[m], dt);
        bool is_flying = (node->flags & (NODE_OUT | NODE_SUNK | NODE_GONE)) == NODE_OUT;
        if (is_flying && hit_bodies(b, obstacles, node, dt)) node->flags |= NODE_GONE;
        if (!(node->flags & NODE_GONE)) continue;
        uint32_t lost = number + (uint32_t)moving[m];
        while (lost - breakers_row(b, *row)->first >= (uint32_t)breakers_row(b, *row)->n) ++*row;
        --breakers_row(b, *row)->live;
    }
}

void tarn__breakers_fly(TarnBreakers* b, TarnBodies* bodies, float dt)
{
    Obstacles obstacles = obstacles_of(bodies);
    uint32_t row = b->row_head;
    for (uint32_t from = b->node_head; from < b->node_end;) {
        uint32_t left = b->node_end - from, slot = from % (uint32_t)b->def.max_nodes;
        uint32_t n = (uint32_t)b->ask_capacity, to_end = (uint32_t)b->def.max_nodes - slot;
        n = left < n ? left : n;
        n = to_end < n ? to_end : n;
        fly_span(b, &obstacles, from, (int)n, dt, &row);
        from += n;
    }
    drop_dead_rows(b);
    for (uint32_t r = b->row_head; r < b->row_end; ++r) tear_lip(b, breakers_row(b, r), dt);
}

// ---- Emission --------------------------------------------------------------------------------------

// A smooth random number of a place along the line, -1 to 1.
static float wobble(const TarnBreakers* b, float arc, float size, uint64_t stream)
{
    float x = arc / size, at = floorf(x), t = x - at;
    uint64_t n = (uint64_t)(int64_t)at;
    float u = tarn__random01((uint64_t)b->def.seed, stream, n);
    float v = tarn__random01((uint64_t)b->def.seed, stream, n + 1);
    t = t * t * (3.0f - 2.0f * t);
    return 2.0f * (u + t * (v - u)) - 1.0f;
}

static float span_of(const Line* l, const LinePoint* p, int i)
{
    int a = i > 0 ? i - 1 : l->is_closed ? l->n - 1 : i;
    int c = i < l->n - 1 ? i + 1 : l->is_closed ? 0 : i;
    float x0 = p[i].x - p[a].x, z0 = p[i].z - p[a].z, x1 = p[c].x - p[i].x, z1 = p[c].z - p[i].z;
    return 0.5f * (sqrtf(x0 * x0 + z0 * z0) + sqrtf(x1 * x1 + z1 * z1));
}

// D.6: inside the crest, where it will be under the surface until it passes the crest a row_time later.
static Node leave_crest(const TarnBreakers* b, const Line* l, const LinePoint* p, int i)
{
    const TarnBreakersParams* q = &b->params;
    const LinePoint* at = &p[i];
    float size = tarn_maxf(at->height, 4.0f * b->def.dx), s = at->strength;
    float more = q->gain * b->def.gravity * at->height * s;
    more *= 1.0f + q->ragged * (0.8f * wobble(b, at->arc, size, 1) +
                                0.2f * wobble(b, at->arc, 0.4f * size, 2));
    float speed = tarn_minf((1.0f + more) * at->speed, 1e3f);
    float back = at->back + speed * q->row_time;
    Node n = { .at = { at->x - at->dir_x * back, at->crest_y, at->z - at->dir_z * back },
               .v = { at->dir_x * speed, q->lift * s * speed, at->dir_z * speed },
               .arc = at->arc,
               .thick = q->thickness * at->height * s,
               .span = span_of(l, p, i),
               .key = at->key };
    n.thick *= 1.0f + q->ragged * wobble(b, at->arc, 0.5f * size, 3);
    return n;
}

// Under the surface of the water there, by a little.
static void sink_in(TarnBreakers* b, Node* nodes, int n, const uint32_t* first)
{
    for (int from = 0; from < n; from += b->ask_capacity) {
        int count = n - from < b->ask_capacity ? n - from : b->ask_capacity;
        for (int i = 0; i < count; ++i) {
            const Node* node =
                first ? breakers_node(b, *first + (uint32_t)(from + i)) : &nodes[from + i];
            b->ask_x[i] = node->at.x, b->ask_z[i] = node->at.z;
        }
        tarn__breakers_ask(b, count, false, false);
        for (int i = 0; i < count; ++i) {
            Node* node = first ? breakers_node(b, *first + (uint32_t)(from + i)) : &nodes[from + i];
            float under = 0.05f * node->thick + 1e-3f * b->def.dx;
            node->at.y = tarn_minf(node->at.y, b->ask_y[i]) - under;
        }
    }
}

// A row that a point of this one was in last lies in front of it.
static void note_next(const TarnBreakers* b, Row* row, uint32_t number)
{
    bool is_new = breakers_has_row(b, number) && number != row->next[0] && number != row->next[1];
    if (is_new && row->next[0] == 0)
        row->next[0] = number;
    else if (is_new && row->next[1] == 0)
        row->next[1] = number;
}

typedef struct Run { // of points with a sheet
    int first, n;    // the first may be anywhere in a closed line
    bool is_closed;  // all of a loop
} Run;

// The next run of a line from point *at on, which is moved behind it. False: there is none.
static bool next_run(const TarnBreakers* b, const Line* l, int* at, Run* run)
{
    const LinePoint* p = b->points + l->first;
    int n = l->n, begin = 0;
    if (l->is_closed) { // begin where there is no sheet
        while (begin < n && p[begin].strength > least_strength) ++begin;
        if (begin == n) {
            *run = (Run){ 0, n, true };
            bool is_first = *at == 0;
            *at = n;
            return is_first;
        }
    }
    while (*at < n && !(p[(begin + *at) % n].strength > least_strength)) ++*at;
    int first = *at;
    while (*at < n && p[(begin + *at) % n].strength > least_strength) ++*at;
    *run = (Run){ (begin + first) % n, *at - first, false };
    return run->n > 0;
}

// One row of nodes in front of the crests of a run.
static void emit_row(TarnBreakers* b, const Line* l, const Run* run, float late)
{
    LinePoint* p = b->points + l->first;
    uint32_t used = b->node_end - b->node_head;
    bool is_full = b->row_end - b->row_head >= (uint32_t)b->def.max_rows ||
                   used + (uint32_t)run->n > (uint32_t)b->def.max_nodes;
    if (is_full) {
        b->flags |= TARN_STEP_CAPACITY_FULL;
        return;
    }
    Row* row = breakers_row(b, b->row_end);
    *row = (Row){ .first = b->node_end,
                  .n = run->n,
                  .live = run->n,
                  .is_closed = run->is_closed,
                  .number = b->row_end };
    for (int i = 0; i < run->n; ++i) {
        LinePoint* at = &p[(run->first + i) % l->n];
        *breakers_node(b, b->node_end++) = leave_crest(b, l, p, (run->first + i) % l->n);
        note_next(b, row, at->row);
        at->row = row->number;
    }
    ++b->row_end;
    sink_in(b, NULL, run->n, &row->first);
    for (int i = 0; i < run->n && late > 0.0f; ++i)
        move(b, breakers_node(b, row->first + (uint32_t)i), late);
}

void tarn__breakers_emit(TarnBreakers* b, float dt)
{
    float every = b->params.row_time;
    b->since_row += dt;
    if (b->since_row < every || b->water == NULL) {
        b->since_row = tarn_minf(b->since_row, every);
        return;
    }
    float late = b->since_row - floorf(b->since_row / every) * every; // it was due a little earlier
    b->since_row = late;
    ++b->emissions;
    for (int m = 0; m < b->n_lines; ++m) {
        const Line* l = &b->lines[m];
        Run run;
        for (int at = 0; next_run(b, l, &at, &run);) emit_row(b, l, &run, tarn_minf(late, every));
    }
}

// Rows in the making, which join the sheets to the crests as they are now.
void tarn__breakers_root(TarnBreakers* b)
{
    b->n_roots = b->n_root_rows = 0;
    if (b->water == NULL) return;
    for (int m = 0; m < b->n_lines; ++m) {
        const Line* l = &b->lines[m];
        const LinePoint* p = b->points + l->first;
        Run run;
        for (int at = 0; next_run(b, l, &at, &run);) {
            Row* row = &b->root_rows[b->n_root_rows++];
            *row = (Row){ .first = (uint32_t)b->n_roots, .n = run.n, .live = run.n };
            row->is_closed = run.is_closed;
            for (int i = 0; i < run.n; ++i) {
                int j = (run.first + i) % l->n;
                b->roots[b->n_roots++] = leave_crest(b, l, p, j);
                note_next(b, row, p[j].row);
            }
        }
    }
    if (b->n_roots > 0) sink_in(b, b->roots, b->n_roots, NULL);
}
