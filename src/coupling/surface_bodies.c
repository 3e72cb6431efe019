// Bodies in anything that offers a Surface.
//
// Method   The footprint of a body is cut into columns of its own, along its own axes, and the surface is
//          asked at all of them at once. Buoyancy and the slope of the surface act column by column; drag
//          is linear and quadratic in the speed through the water, with the wet area that is seen along
//          it: an ellipsoid's, sqrt(sum (A_i v_i)^2), of the areas A_i that the columns show along the
//          three axes. Water that moves along (added_mass) and the stiffness of the waterplane are taken
//          implicitly (floating.c), for any mass and dt.
// Push     What a body displaces is held against what it would displace one frame back, under the same
//          surface. Where it gained, water is lifted, at the cost of where it lost: a body that travels
//          moves water from its stern to its bow, one that dives lifts the water at its place from a disc
//          three times as wide. Nothing has to be remembered from frame to frame, so that bodies may come
//          and go, jump, and be in several waters. Horizontally the way through the water counts, and not
//          over ground: a body that drifts with a current leaves no wake. Vertically it is the body's own:
//          with that through the water the push drives itself, since it lifts the surface. A light body
//          rides the waves and pushes the share m / (m + a) only (see wave_bodies.c).
// Why up   A dip under a diving body, as if its place were empty, would be nearer to the eye, but is felt
//          by the body as less lift on its way down and more on its way up, and feeds its heaving.
// Checked  tests/physics/check_couple.c, tests/unit/test_surface_bodies.c

#include "tarn/coupling.h"
#include "base/param.h"
#include "coupling/floating.h"
#include <math.h>

#define P TarnFloatParams
static const TarnParam params_params[] = {
    P_FLOAT(P, density, "kg/m^3", 1, 1e5, 1000, "Density of the water."),
    P_FLOAT(P, damping, "1/s", 0, 1e3, 0.5, "Linear drag per displaced mass."),
    P_FLOAT(P, drag, "", 0, 100, 0.5, "Quadratic drag coefficient; a sphere has about 0.5."),
    P_FLOAT(P, added_mass, "", 0, 10, 0.5,
            "Mass of water that moves with a body, per displaced mass; a sphere has 0.5."),
    P_FLOAT(P, push, "", 0, 1, 1,
            "Share of displacement and drag that acts on the water; 0 makes no waves."),
};
#undef P
static const TarnParamTable params_table = PARAM_TABLE("float", TarnFloatParams, params_params);

const TarnParamTable* tarn_float_params_table(void)
{
    return &params_table;
}
TarnFloatParams tarn_float_default_params(void)
{
    TarnFloatParams params;
    tarn_param_defaults(&params_table, &params);
    return params;
}

// ---- Columns -------------------------------------------------------------------------------------

enum { MAX_COLUMNS = 144, MAX_SIDE = 36, MIN_SIDE = 4 };
static const float max_slope = 4.0f;   // of the surface: steeper is a break, and pushes no further
static const float max_flow = 1000.0f; // [m/s], as bodies
static const float calm_speed = 1e-3f; // slower bodies leave the water in peace [m/s]

// Columns over the footprint of a body: along the unit vector (ex, ez), and across it.
typedef struct Raster {
    float ex, ez, along, across; // half widths [m]
    int n_along, n_across;
    float area; // of a column [m^2]
} Raster;

typedef struct ColumnSet {
    int n;
    int a[MAX_COLUMNS], c[MAX_COLUMNS]; // number along and across
    float x[MAX_COLUMNS], z[MAX_COLUMNS], lo[MAX_COLUMNS], hi[MAX_COLUMNS];
    float height[MAX_COLUMNS], depth[MAX_COLUMNS]; // of the water; depth 0: dry
    TarnVec3 normal[MAX_COLUMNS], velocity[MAX_COLUMNS];
} ColumnSet;

// Half width along a horizontal unit vector.
static float half_width(const TarnBody* body, float ex, float ez)
{
    const float* r = body->rotation;
    float a[3]; // parts of the local axes along the vector
    for (int i = 0; i < 3; ++i) a[i] = r[i] * ex + r[6 + i] * ez;
    TarnVec3 s = body->shape.size;
    float most = 0.0f;
    switch (body->shape.kind) {
    case TARN_SHAPE_BOX:
        return fabsf(a[0]) * s.x + fabsf(a[1]) * s.y + fabsf(a[2]) * s.z;
    case TARN_SHAPE_CAPSULE:
        return fabsf(a[1]) * s.y + s.x;
    case TARN_SHAPE_HULL:
        for (int n = 0; n < body->shape.n_points; ++n) {
            TarnVec3 p = body->points[n];
            most = tarn_maxf(most, fabsf(a[0] * p.x + a[1] * p.y + a[2] * p.z));
        }
        return most;
    default:
        return body->radius;
    }
}

// Along the local axis that is the longest seen from above, so that the columns of a thin body lie in it.
static void choose_direction(const TarnBody* body, Raster* r)
{
    const float* m = body->rotation;
    float best = 0.0f;
    r->ex = 1.0f, r->ez = 0.0f;
    if (body->shape.kind == TARN_SHAPE_SPHERE || body->shape.kind == TARN_SHAPE_SPAN) return;
    for (int axis = 0; axis < 3; ++axis) {
        float x = m[axis], z = m[6 + axis], length = sqrtf(x * x + z * z);
        if (!(length > 0.1f)) continue;
        float reach = half_width(body, x / length, z / length);
        if (reach > best) best = reach, r->ex = x / length, r->ez = z / length;
    }
}

static Raster make_raster(const TarnBody* body, float margin)
{
    Raster r = { 0 };
    choose_direction(body, &r);
    r.along = tarn_maxf(half_width(body, r.ex, r.ez), 1e-4f) + margin;
    r.across = tarn_maxf(half_width(body, -r.ez, r.ex), 1e-4f) + margin;
    float n = sqrtf((float)MAX_COLUMNS * r.along / r.across);
    r.n_along = (int)tarn_clampf(n + 0.5f, MIN_SIDE, MAX_SIDE);
    r.n_across = MAX_COLUMNS / r.n_along;
    r.area = 4.0f * r.along * r.across / (float)(r.n_along * r.n_across);
    return r;
}

typedef struct Floating {
    TarnSurface surface;
    TarnFloatParams params;
    TarnBodies* bodies;
    bool is_bounded;
    TarnVec2 min, max;
    float weight; // density times gravity [N/m^3]
    float dt;
} Floating;

// Asks for the water at all columns. What a surface does not answer is deep water at rest, and what is not
// a number is no water.
static void ask(const Floating* f, ColumnSet* set)
{
    for (int n = 0; n < set->n; ++n) {
        set->depth[n] = INFINITY;
        set->normal[n] = (TarnVec3){ 0.0f, 1.0f, 0.0f };
        set->velocity[n] = (TarnVec3){ 0.0f, 0.0f, 0.0f };
        set->height[n] = 0.0f;
    }
    TarnSurfaceSamples out = { set->height, set->normal, set->velocity, set->depth };
    f->surface.query(f->surface.self, set->n, set->x, set->z, &out);
    for (int n = 0; n < set->n; ++n) {
        bool is_in = !f->is_bounded || (set->x[n] >= f->min.x && set->x[n] <= f->max.x &&
                                        set->z[n] >= f->min.y && set->z[n] <= f->max.y);
        TarnVec3* v = &set->velocity[n];
        v->x = v->x == v->x ? tarn_clampf(v->x, -max_flow, max_flow) : 0.0f;
        v->y = v->y == v->y ? tarn_clampf(v->y, -max_flow, max_flow) : 0.0f;
        v->z = v->z == v->z ? tarn_clampf(v->z, -max_flow, max_flow) : 0.0f;
        bool is_water = set->depth[n] > 0.0f && set->height[n] >= -1e9f && set->height[n] <= 1e9f;
        if (!is_in || !is_water) set->depth[n] = 0.0f;
    }
}

static void place(const TarnBody* body, const Raster* r, int a, int c, float* x, float* z)
{
    float s = r->along * (2.0f * ((float)a + 0.5f) / (float)r->n_along - 1.0f);
    float t = r->across * (2.0f * ((float)c + 0.5f) / (float)r->n_across - 1.0f);
    *x = body->state.position.x + s * r->ex - t * r->ez;
    *z = body->state.position.z + s * r->ez + t * r->ex;
}

// The columns that meet the body; of one that they miss, its middle stands for all.
static void find_columns(const Floating* f, const TarnBody* body, Raster* r, ColumnSet* set)
{
    set->n = 0;
    for (int c = 0; c < r->n_across; ++c) {
        for (int a = 0; a < r->n_along; ++a) {
            int n = set->n;
            place(body, r, a, c, &set->x[n], &set->z[n]);
            set->a[n] = a, set->c[n] = c;
            set->n += tarn__body_span(body, set->x[n], set->z[n], &set->lo[n], &set->hi[n]);
        }
    }
    TarnVec3 p = body->state.position;
    if (set->n == 0 && tarn__body_span(body, p.x, p.z, &set->lo[0], &set->hi[0]) &&
        set->hi[0] - set->lo[0] > 1e-6f) {
        set->n = 1, set->x[0] = p.x, set->z[0] = p.z;
        set->a[0] = set->c[0] = 0;
        r->n_along = r->n_across = 1;
        r->area = body->volume / (set->hi[0] - set->lo[0]);
    }
    if (set->n > 0) ask(f, set);
}

// ---- What the water does to a body -----------------------------------------------------------------

// Wet stretch of a row of columns, seen from its end.
typedef struct Stretch {
    float lo, hi;
} Stretch;

typedef struct Wet {
    FloatSums sums;
    double flow[3], rise; // velocity of the water, times volume; height of it, times volume
    double level;         // area that is wet, seen from above [m^2]
    Stretch along[MAX_SIDE], across[MAX_SIDE];
} Wet;

static void stretch(Stretch* s, float lo, float hi)
{
    bool is_new = !(s->hi > s->lo);
    s->lo = is_new ? lo : tarn_minf(s->lo, lo);
    s->hi = is_new ? hi : tarn_maxf(s->hi, hi);
}

static void add_column(const Floating* f, const TarnBody* body, const Raster* r,
                       const ColumnSet* set, int n, Wet* wet)
{
    float lo = set->lo[n], hi = set->hi[n], surface = set->height[n];
    if (!(set->depth[n] > 0.0f)) surface = lo;                             // no water
    float bed = surface - set->depth[n], solid = tarn_clampf(bed, lo, hi); // below it is no water
    Span span = { { set->x[n], 0.0f, set->z[n] }, solid, hi };
    wet->sums.all_volume += (double)((solid - lo) * r->area);
    float length = tarn__float_column(&wet->sums, body, &span, surface, r->area);
    if (!(length > 0.0f)) return;
    double volume = (double)(length * r->area);
    TarnVec3 v = set->velocity[n], normal = set->normal[n];
    wet->flow[0] += volume * (double)v.x;
    wet->flow[1] += volume * (double)v.y;
    wet->flow[2] += volume * (double)v.z;
    wet->rise += volume * (double)surface;
    wet->level += (double)r->area;
    stretch(&wet->along[set->c[n]], solid, solid + length);
    stretch(&wet->across[set->a[n]], solid, solid + length);
    TarnVec2 slope = { 0.0f, 0.0f };
    if (normal.y > 1e-3f) {
        slope.x = tarn_clampf(-normal.x / normal.y, -max_slope, max_slope);
        slope.y = tarn_clampf(-normal.z / normal.y, -max_slope, max_slope);
    }
    tarn__float_weight(&wet->sums, f->weight, length * r->area, slope,
                       set->x[n] - body->state.position.x, set->z[n] - body->state.position.z);
}

// Wet area seen from the ends of rows that are `width` apart.
static float side_area(const Stretch* s, int n, float width)
{
    float sum = 0.0f;
    for (int i = 0; i < n; ++i) sum += (s[i].hi - s[i].lo) * width;
    return sum;
}

// Force per speed [kg/s].
static float drag_rate(const Floating* f, const Raster* r, const Wet* wet, TarnVec3 slip,
                       float volume)
{
    float along = slip.x * r->ex + slip.z * r->ez, across = slip.z * r->ex - slip.x * r->ez;
    float ends = side_area(wet->along, r->n_across, 2.0f * r->across / (float)r->n_across);
    float sides = side_area(wet->across, r->n_along, 2.0f * r->along / (float)r->n_along);
    float a = ends * along, b = sides * across, c = (float)wet->level * slip.y;
    float quadratic = 0.5f * f->params.drag * sqrtf(a * a + b * b + c * c);
    return f->params.density * (quadratic + f->params.damping * volume);
}

static void apply_forces(const Floating* f, TarnBody* body, const Raster* r, const Wet* wet)
{
    const FloatSums* sums = &wet->sums;
    if (!(sums->volume > 0.0)) return;
    double right = tarn__float_right(body, sums->all_volume), per = 1.0 / sums->volume;
    float m = body->mass, volume = tarn_minf((float)(sums->volume * right), body->volume);
    FloatLoads loads = { .force = to_vec3(sums->force, right),
                         .torque = to_vec3(sums->torque, right),
                         .volume = volume,
                         .slip = vec3_sub(body->state.velocity, to_vec3(wet->flow, per)),
                         .added_mass = f->params.added_mass * f->params.density * volume };
    TarnVec3 center = tarn__float_center(sums, loads.force, &loads.torque);
    loads.drag = drag_rate(f, r, wet, loads.slip, volume);
    // The drag as an implicit step finds it, for its torque and for the water.
    float brake = loads.drag * f->dt / (m + loads.added_mass);
    TarnVec3 drag = vec3_scale(loads.slip, -loads.drag / (1.0f + brake));
    loads.torque = vec3_add(loads.torque, vec3_cross(center, drag));
    loads.force = vec3_sub(loads.force, vec3_scale(loads.slip, loads.drag));

    loads.spring = f->weight * (float)(sums->plane * right);
    loads.stiffness = loads.spring;
    if (f->surface.push) loads.stiffness *= 2.0f; // the water it pushes up lifts it, too
    // A light body under water reaches the surface within the frame: its lift ends there.
    float depth = (float)(wet->rise * per) - body->state.position.y + body->radius;
    if (depth > 0.0f) loads.stiffness = tarn_maxf(loads.stiffness, f->weight * volume / depth);
    loads.spin_stiffness = f->weight * (float)(sums->plane_lever * right);
    loads.spin_decay = volume / body->volume * (f->params.damping + loads.drag / m);
    tarn__float_apply(f->bodies, body, &loads, f->dt);
    body->water_volume = volume;
    body->water_push = vec3_scale(drag, -f->dt * f->params.push);
}

// A body that is nowhere near the water.
static bool is_away(const Floating* f, const TarnBody* body)
{
    TarnVec3 p = body->state.position;
    float r = body->radius;
    return f->is_bounded && !(p.x + r >= f->min.x && p.x - r <= f->max.x && p.z + r >= f->min.y &&
                              p.z - r <= f->max.y);
}

static void measure_body(int slot, void* data)
{
    const Floating* f = data;
    TarnBody* body = tarn__bodies_slot(f->bodies, slot);
    body->water_volume = 0.0f;
    body->water_push = (TarnVec3){ 0.0f, 0.0f, 0.0f };
    if (!body->is_used || is_away(f, body)) return;
    Raster r = make_raster(body, 0.0f);
    ColumnSet set;
    Wet wet = { 0 };
    find_columns(f, body, &r, &set);
    for (int n = 0; n < set.n; ++n) add_column(f, body, &r, &set, n, &wet);
    apply_forces(f, body, &r, &wet);
}

// ---- What a body does to the water -----------------------------------------------------------------

// Its path through the water in a frame, at most half its width [m].
static TarnVec3 way_of(const Floating* f, const TarnBody* body, const Raster* r, float share,
                       TarnVec3 flow)
{
    TarnVec3 way = vec3_sub(body->state.velocity, (TarnVec3){ flow.x, 0.0f, flow.z });
    way = vec3_scale(way, f->dt);
    way.y *= share;
    float length = vec3_length(way), most = tarn_minf(r->along, r->across);
    return length > most ? vec3_scale(way, most / length) : way;
}

static TarnVec3 mean_flow(const ColumnSet* set)
{
    TarnVec3 sum = { 0.0f, 0.0f, 0.0f };
    int wet = 0;
    for (int n = 0; n < set->n; ++n) {
        if (!(set->depth[n] > 0.0f) || !(set->height[n] > set->lo[n])) continue;
        sum = vec3_add(sum, set->velocity[n]);
        ++wet;
    }
    return wet > 0 ? vec3_scale(sum, 1.0f / (float)wet) : sum;
}

static float length_below(bool is_hit, float lo, float hi, float surface)
{
    return is_hit ? tarn_maxf(tarn_minf(hi, surface) - lo, 0.0f) : 0.0f;
}

// Columns of both places, with the water at them.
static void compare(const Floating* f, const TarnBody* now, const TarnBody* before, const Raster* r,
                    BodyMoved* out)
{
    ColumnSet set = { .n = 0 };
    float back_lo[MAX_COLUMNS], back_hi[MAX_COLUMNS];
    bool is_now[MAX_COLUMNS], is_before[MAX_COLUMNS];
    for (int n = 0; n < r->n_along * r->n_across; ++n) {
        int at = set.n;
        place(now, r, n % r->n_along, n / r->n_along, &set.x[at], &set.z[at]);
        is_now[at] = tarn__body_span(now, set.x[at], set.z[at], &set.lo[at], &set.hi[at]);
        is_before[at] = tarn__body_span(before, set.x[at], set.z[at], &back_lo[at], &back_hi[at]);
        set.n += is_now[at] || is_before[at];
    }
    if (set.n > 0) ask(f, &set);
    double gained[3] = { 0 }, lost[3] = { 0 }; // volume, and times x and z from the body
    for (int n = 0; n < set.n; ++n) {
        if (!(set.depth[n] > 0.0f)) continue;
        float is = length_below(is_now[n], set.lo[n], set.hi[n], set.height[n]);
        float was = length_below(is_before[n], back_lo[n], back_hi[n], set.height[n]);
        double change = (double)((is - was) * r->area), size = fabs(change);
        double* sum = change > 0.0 ? gained : lost;
        sum[0] += size;
        sum[1] += size * (double)(set.x[n] - now->state.position.x);
        sum[2] += size * (double)(set.z[n] - now->state.position.z);
    }
    TarnVec3 at = now->state.position;
    out->gained = (float)gained[0], out->lost = (float)lost[0];
    out->gained_at = out->lost_at = (TarnVec2){ at.x, at.z };
    if (gained[0] > 0.0)
        out->gained_at = (TarnVec2){ at.x + (float)(gained[1] / gained[0]),
                                     at.z + (float)(gained[2] / gained[0]) };
    if (lost[0] > 0.0)
        out->lost_at =
            (TarnVec2){ at.x + (float)(lost[1] / lost[0]), at.z + (float)(lost[2] / lost[0]) };
}

static void displace_body(int slot, void* data)
{
    const Floating* f = data;
    TarnBody *body = tarn__bodies_slot(f->bodies, slot), before;
    body->water_moved = (BodyMoved){ 0 };
    if (!body->is_used || is_away(f, body)) return;
    Raster r = make_raster(body, 0.0f);
    float narrow = tarn_minf(r.along, r.across), wide = tarn_maxf(r.along, r.across);
    float added = tarn__float_added_mass(narrow, wide, f->params.density);
    float share = body->is_driven ? 1.0f : body->mass / (body->mass + added);
    ColumnSet set;
    find_columns(f, body, &r, &set);
    TarnVec3 way = way_of(f, body, &r, share, mean_flow(&set));
    TarnVec3 turn = vec3_scale(body->state.angular_velocity, -share * f->dt);
    float most = 0.5f, angle = vec3_length(turn);
    if (angle > most) turn = vec3_scale(turn, most / angle);
    tarn__body_moved(body, vec3_scale(way, -1.0f), turn, &before);
    Raster both = make_raster(body, vec3_length(way));
    compare(f, body, &before, &both, &body->water_moved);
    float calm = 4.0f * r.along * r.across * calm_speed * f->dt; // [m^3]
    BodyMoved* moved = &body->water_moved;
    if (moved->gained + moved->lost < calm) *moved = (BodyMoved){ 0 };
}

// Pushes are what a surface may refuse; a body then floats one way.
static void push_body(const Floating* f, const TarnBody* body)
{
    const BodyMoved* moved = &body->water_moved;
    if (!body->is_used || !(moved->gained + moved->lost > 0.0f)) return;
    Raster r = make_raster(body, 0.0f);
    float narrow = tarn_minf(r.along, r.across), round = sqrtf(r.along * r.across);
    float carried = tarn_minf(moved->gained, moved->lost), net = moved->gained - moved->lost;
    TarnSurfacePush push = { .center = moved->gained_at,
                             .from = moved->lost_at,
                             .radius = narrow,
                             .from_radius = narrow,
                             .volume = f->params.push * carried,
                             .dt = f->dt };
    if (carried > 0.0f) tarn_surface_push(f->surface, &push, NULL);
    push.center = push.from = net > 0.0f ? moved->gained_at : moved->lost_at;
    push.radius = round, push.from_radius = 3.0f * round;
    push.volume = f->params.push * net;
    if (net != 0.0f) tarn_surface_push(f->surface, &push, NULL);
}

static void drag_water(const Floating* f, const TarnBody* body)
{
    TarnVec3 impulse = body->water_push;
    float least = 1e-3f * calm_speed * body->mass; // what no body would notice
    if (!(body->water_volume > 0.0f) || !(fabsf(impulse.x) + fabsf(impulse.z) > least)) return;
    Raster r = make_raster(body, 0.0f);
    TarnVec2 at = { body->state.position.x, body->state.position.z };
    float round = 1.5f * sqrtf(r.along * r.across);
    TarnSurfacePush push = { .center = at,
                             .from = at,
                             .radius = round,
                             .from_radius = round,
                             .impulse = impulse,
                             .dt = f->dt };
    tarn_surface_push(f->surface, &push, NULL);
}

// ---- Entry point ---------------------------------------------------------------------------------

TarnResult tarn_couple_surface_bodies(const TarnSurface* surface, const TarnFloatParams* params,
                                      TarnBodies* bodies, float dt)
{
    if (bodies == NULL) return TARN_ERR_ARG;
    TarnContext* ctx = tarn__bodies_context(bodies);
    if (surface == NULL || surface->query == NULL) {
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "tarn_couple_surface_bodies: surface is %s; pass one that has a query",
                          surface ? "empty" : "NULL");
    }
    if (!(dt >= 0.0f && dt <= 10.0f)) {
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "tarn_couple_surface_bodies: dt %g s is out of range; allowed: 0 to 10 s",
                          (double)dt);
    }
    Floating f = { .surface = *surface, .bodies = bodies, .dt = dt };
    f.params = params ? *params : tarn_float_default_params();
    TARN_TRY(tarn_param_validate(ctx, &params_table, &f.params));
    f.is_bounded = tarn_surface_area(*surface, &f.min, &f.max);
    f.weight = f.params.density * tarn_maxf(-tarn__bodies_gravity(bodies).y, 0.0f);
    tarn__bodies_open_forces(bodies);
    int n = tarn__bodies_capacity(bodies);
    bool is_pushed = surface->push != NULL && f.params.push > 0.0f && dt > 0.0f;
    // Push, then measure: both sides then see the same water (see wave_bodies.c).
    if (is_pushed) {
        tarn__parallel_for(ctx, n, displace_body, &f);
        for (int b = 0; b < n; ++b) push_body(&f, tarn__bodies_slot(bodies, b));
    }
    tarn__parallel_for(ctx, n, measure_body, &f);
    for (int b = 0; is_pushed && b < n; ++b) drag_water(&f, tarn__bodies_slot(bodies, b));
    return TARN_OK;
}
