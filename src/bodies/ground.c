// Bodies on a height field.
//
// Method   Points of the body are held against the ground below them: corners of boxes and hulls,
//          balls along capsules. The other way round, nodes of the ground below the body are held
//          against its underside, so that a rock between the corners of a barge carries it. Each
//          gives a contact with the plane that touches the ground there; contacts.c does the rest.
// Limits   Large bodies on fine ground see at most NODES x NODES nodes. Overhangs do not exist.
// Checked  tests/unit/test_shallow_bodies.c: rest on slopes and rocks, sliding at the friction angle,
//          nothing falls through at any speed.

#include "bodies/bodies_internal.h"

enum { NODES = 7, MAX_FOUND = BODY_MAX_POINTS + NODES * NODES };

typedef struct Found {
    ContactPoint p[MAX_FOUND];
    int n;
    float margin;
} Found;

// ---- Setting it ---------------------------------------------------------------------------------

void tarn__bodies_set_basins(TarnBodies* set, const BodyBasin* basins, int n)
{
    set->n_basins = n < BODY_MAX_BASINS ? n : BODY_MAX_BASINS;
    for (int b = 0; b < set->n_basins; ++b) {
        BodyBasin* basin = &set->basins[b];
        *basin = basins[b];
        if (!(basin->size.x > 0.0f))
            basin->size = (TarnVec2){ (float)basin->nx * basin->dx, (float)basin->nz * basin->dx };
    }
}

void tarn__bodies_set_ground(TarnBodies* set, TarnView2 heights, TarnVec2 origin, float dx)
{
    BodyBasin basin = { .nx = heights.nx, .nz = heights.nz, .dx = dx, .origin = origin };
    basin.ground = heights;
    basin.is_endless = true;
    tarn__bodies_set_basins(set, &basin, heights.data != NULL ? 1 : 0);
}

TarnResult tarn_bodies_set_ground(TarnBodies* set, TarnView2 heights, TarnVec2 origin, float dx)
{
    if (set == NULL) return TARN_ERR_ARG;
    if (heights.data != NULL && (heights.nx < 1 || heights.nz < 1 || heights.stride < heights.nx)) {
        return tarn__fail(set->ctx, TARN_ERR_ARG,
                          "heights: %d x %d with stride %d is not a valid view; use sizes of at "
                          "least 1 and a stride of at least nx, or NULL for no ground",
                          heights.nx, heights.nz, heights.stride);
    }
    const float o[2] = { origin.x, origin.y };
    if (heights.data != NULL && !(dx > 0.0f && dx <= 1e6f && tarn__all_within(o, 2, 1e9f))) {
        return tarn__fail(set->ctx, TARN_ERR_ARG,
                          "dx %g m, origin (%g, %g) m: out of range; allowed: dx above 0 up to 1e6 "
                          "m, origin within +-1e9 m",
                          (double)dx, (double)origin.x, (double)origin.y);
    }
    tarn__bodies_set_ground(set, heights, origin, dx);
    return TARN_OK;
}

// ---- Height -------------------------------------------------------------------------------------

// Index below and share of the way to the next; beyond the border the ground goes on flat.
static int split(float x, int n, float* share, bool* is_inside)
{
    float most = (float)(n - 1);
    *is_inside = x > 0.0f && x < most;
    x = tarn_clampf(x, 0.0f, most);
    int i = (int)x;
    if (i > n - 2) i = n > 1 ? n - 2 : 0;
    *share = x - (float)i;
    return i;
}

// The four values around a point as heights. A wall takes the mean of those that are none, so that the ground
// is level beside it; among walls there is their top.
static void heights_around(const BodyBasin* g, const float* a, const float* b, int next,
                           float out[4])
{
    const float value[4] = { a[0], a[next], b[0], b[next] };
    float sum = 0.0f;
    int n = 0;
    for (int c = 0; c < 4; ++c) {
        out[c] = g->is_depth ? g->level - value[c] : g->level + value[c];
        if (g->has_walls && value[c] == g->wall_value) continue;
        sum += out[c];
        ++n;
    }
    for (int c = 0; n < 4 && c < 4; ++c) {
        if (value[c] == g->wall_value) out[c] = n > 0 ? sum / (float)n : g->wall_top;
    }
}

float tarn__ground_height(const BodyBasin* ground, float x, float z, TarnVec3* normal)
{
    float fx, fz, dx = ground->dx, y[4];
    bool has_x, has_z;
    int nx = ground->ground.nx, nz = ground->ground.nz;
    int i = split((x - ground->origin.x) / dx - 0.5f, nx, &fx, &has_x);
    int k = split((z - ground->origin.y) / dx - 0.5f, nz, &fz, &has_z);
    const float* a = ground->ground.data + (ptrdiff_t)k * ground->ground.stride + i;
    heights_around(ground, a, nz > 1 ? a + ground->ground.stride : a, nx > 1 ? 1 : 0, y);
    float slope_x = has_x ? ((y[1] - y[0]) * (1.0f - fz) + (y[3] - y[2]) * fz) / dx : 0.0f;
    float slope_z = has_z ? ((y[2] - y[0]) * (1.0f - fx) + (y[3] - y[1]) * fx) / dx : 0.0f;
    *normal = vec3_normalize((TarnVec3){ -slope_x, 1.0f, -slope_z });
    return (y[0] * (1.0f - fx) + y[1] * fx) * (1.0f - fz) + (y[2] * (1.0f - fx) + y[3] * fx) * fz;
}

// ---- Inside or not ----------------------------------------------------------------------------

static bool is_over(const BodyBasin* basin, TarnVec3 p)
{
    float u = p.x - basin->origin.x, v = p.z - basin->origin.y;
    return u >= 0.0f && u <= basin->size.x && v >= 0.0f && v <= basin->size.y;
}

static bool is_under(const BodyBasin* basin, TarnVec3 p)
{
    if (!(basin->thickness > 0.0f)) return false;
    TarnVec3 normal;
    float y = basin->ground.data ? tarn__ground_height(basin, p.x, p.z, &normal) : basin->floor;
    return p.y < y - basin->thickness;
}

bool tarn__basin_holds(const BodyBasin* basin, const TarnBody* body)
{
    TarnVec3 p = body->state.position;
    return (basin->is_endless || is_over(basin, p)) && !is_under(basin, p);
}

// ---- Points of the body -------------------------------------------------------------------------

static void add(Found* found, TarnVec3 arm, float distance, TarnVec3 normal)
{
    if (!(distance <= found->margin) || found->n == MAX_FOUND) return;
    TarnVec3 point = vec3_sub(arm, vec3_scale(normal, 0.5f * distance));
    found->p[found->n++] = (ContactPoint){ point, normal, distance };
}

static void add_corner(Found* found, const BodyBasin* ground, const TarnBody* body, TarnVec3 local)
{
    TarnVec3 arm = body_to_world(body, local), p = vec3_add(body->state.position, arm), normal;
    float height = tarn__ground_height(ground, p.x, p.z, &normal);
    add(found, arm, (p.y - height) * normal.y, normal);
}

// A ball touches where its own normal is that of the ground: found by going there twice.
static void add_ball(Found* found, const BodyBasin* ground, const TarnBody* body, TarnVec3 center,
                     float radius)
{
    static const TarnVec3 ways[5] = {
        { 0, 1, 0 }, { 0.7f, 0.7f, 0 }, { -0.7f, 0.7f, 0 }, { 0, 0.7f, 0.7f }, { 0, 0.7f, -0.7f }
    };
    TarnVec3 at = body->state.position;
    int first = found->n;
    for (int w = 0; w < 5; ++w) {
        TarnVec3 normal = ways[w], arm = center, below;
        float distance = 0.0f;
        for (int n = 0; n < 3; ++n) {
            arm = vec3_sub(center, vec3_scale(normal, radius));
            float height = tarn__ground_height(ground, at.x + arm.x, at.z + arm.z, &below);
            distance = (at.y + arm.y - height) * below.y;
            if (n < 2) normal = below;
        }
        bool is_new = vec3_dot(normal, below) > 0.9f; // else there is an edge, and no such place
        for (int i = first; i < found->n; ++i) {
            if (vec3_dot(found->p[i].normal, normal) > 0.95f) is_new = false;
        }
        if (is_new) add(found, arm, distance, normal);
    }
}

static void add_points(Found* found, const BodyBasin* ground, const TarnBody* body)
{
    TarnVec3 size = body->shape.size, none = { 0, 0, 0 };
    switch (body->shape.kind) {
    case TARN_SHAPE_BOX:
        for (int c = 0; c < 8; ++c) {
            TarnVec3 corner = { c & 1 ? size.x : -size.x, c & 2 ? size.y : -size.y,
                                c & 4 ? size.z : -size.z };
            add_corner(found, ground, body, corner);
        }
        return;
    case TARN_SHAPE_HULL:
        for (int i = 0; i < body->shape.n_points; ++i) {
            add_corner(found, ground, body, body->points[i]);
        }
        return;
    case TARN_SHAPE_CAPSULE: {
        TarnVec3 end = body_to_world(body, (TarnVec3){ 0.0f, size.y, 0.0f });
        float length = 2.0f * size.y, step = tarn_maxf(ground->dx, 2.0f * size.x);
        int n = (int)tarn_clampf(length / step, 0.0f, 4.0f) + 1;
        for (int i = 0; i <= n; ++i) {
            float t = 2.0f * (float)i / (float)n - 1.0f;
            add_ball(found, ground, body, vec3_scale(end, t), size.x);
        }
        return;
    }
    default:
        add_ball(found, ground, body, none, body->radius);
    }
}

// ---- Nodes of the ground ------------------------------------------------------------------------

static void node_range(float center, float reach, float origin, float dx, int n, int* from,
                       int* step)
{
    float lo = tarn_clampf(floorf((center - reach - origin) / dx - 0.5f) + 1.0f, 0.0f, (float)n);
    float hi = tarn_clampf(floorf((center + reach - origin) / dx - 0.5f), -1.0f, (float)(n - 1));
    *from = (int)lo;
    *step = ((int)hi - (int)lo) / NODES + 1;
}

static void add_nodes(Found* found, const BodyBasin* ground, const TarnBody* body)
{
    TarnVec3 at = body->state.position;
    TarnVec3 x = { 1, 0, 0 }, z = { 0, 0, 1 };
    float reach_x = tarn__body_reach(body, x), reach_z = tarn__body_reach(body, z);
    float dx = ground->dx;
    int i0, k0, di, dk;
    node_range(at.x, reach_x, ground->origin.x, dx, ground->ground.nx, &i0, &di);
    node_range(at.z, reach_z, ground->origin.y, dx, ground->ground.nz, &k0, &dk);
    for (int n = 0; n < NODES * NODES; ++n) {
        int i = i0 + di * (n % NODES), k = k0 + dk * (n / NODES);
        if (i >= ground->ground.nx || k >= ground->ground.nz) continue;
        TarnVec3 p = { ground->origin.x + ((float)i + 0.5f) * dx, 0.0f,
                       ground->origin.y + ((float)k + 0.5f) * dx };
        float value = ground->ground.data[i + (ptrdiff_t)ground->ground.stride * k];
        if (ground->has_walls && value == ground->wall_value) continue;
        p.y = ground->is_depth ? ground->level - value : ground->level + value;
        float lo, hi;
        if (!tarn__body_span(body, p.x, p.z, &lo, &hi) || lo - p.y > found->margin) continue;
        TarnVec3 normal, before, after;
        tarn__ground_height(ground, p.x - 0.25f * dx, p.z - 0.25f * dx, &before);
        tarn__ground_height(ground, p.x + 0.25f * dx, p.z + 0.25f * dx, &after);
        normal = vec3_normalize(vec3_add(before, after));
        TarnVec3 arm = { p.x - at.x, lo - at.y, p.z - at.z };
        add(found, arm, (lo - p.y) * normal.y, normal);
    }
}

static void find(Found* found, const BodyBasin* ground, const TarnBody* body, float margin)
{
    found->n = 0;
    found->margin = margin;
    add_points(found, ground, body);
    bool is_round = body->shape.kind == TARN_SHAPE_SPHERE || body->shape.kind == TARN_SHAPE_CAPSULE;
    // Balls smaller than a cell meet no node that their own points do not see.
    if (!is_round || body->shape.size.x > ground->dx) add_nodes(found, ground, body);
}

// ---- Contacts -----------------------------------------------------------------------------------

static int deepest_of(const ContactPoint* p, int n)
{
    int best = 0;
    for (int i = 1; i < n; ++i) {
        if (p[i].distance < p[best].distance) best = i;
    }
    return best;
}

int tarn__spread_points(const ContactPoint* found, int n, float radius, float by_normal,
                        ContactPoint* out, int max)
{
    enum { MOST = 128 };
    float away[MOST], near = 1e-4f * radius * radius, weight = by_normal * radius * radius;
    if (n > MOST) n = MOST;
    if (n == 0) return 0;
    for (int i = 0; i < n; ++i) away[i] = INFINITY;
    int best = deepest_of(found, n), taken = 0;
    while (taken < max && away[best] > near) {
        out[taken++] = found[best];
        int next = 0;
        for (int i = 0; i < n; ++i) {
            TarnVec3 d = vec3_sub(found[i].point, found[best].point);
            TarnVec3 turn = vec3_sub(found[i].normal, found[best].normal);
            float apart = vec3_dot(d, d) + weight * vec3_dot(turn, turn);
            away[i] = tarn_minf(away[i], apart);
            if (away[i] > away[next]) next = i;
        }
        best = next;
    }
    return taken;
}

int tarn__collide_ground(const BodyBasin* ground, const TarnBody* body, float margin,
                         ContactPoint* out)
{
    Found found;
    find(&found, ground, body, margin);
    return tarn__spread_points(found.p, found.n, body->radius, 0.0f, out, GROUND_MAX_POINTS);
}

// What contacts could not hold: bodies that came so fast that they are in the ground.
void tarn__keep_above_ground(const BodyBasin* ground, TarnBody* body, float slop)
{
    Found found;
    TarnBodyState* s = &body->state;
    for (int n = 0; n < 4; ++n) {
        TarnVec3 normal;
        float height = tarn__ground_height(ground, s->position.x, s->position.z, &normal);
        if (s->position.y < height) {
            s->position.y = height;
            if (s->velocity.y < 0.0f) s->velocity.y = 0.0f;
        }
        find(&found, ground, body, 0.0f);
        if (found.n == 0) return;
        const ContactPoint* p = &found.p[deepest_of(found.p, found.n)];
        if (p->distance > -slop - 0.05f * body->radius) return;
        s->position = vec3_add(s->position, vec3_scale(p->normal, -p->distance - slop));
        float speed = vec3_dot(s->velocity, p->normal);
        if (speed < 0.0f) s->velocity = vec3_sub(s->velocity, vec3_scale(p->normal, speed));
    }
}
