// What shallow water does to a body: pressure, drag and lift.
//
// Method   [Chentanez2010]: triangles are split until they are no larger than a cell and cut at the
//          water line, the plane that displacement counts from (shallow_around.c). The depth is linear
//          on each piece, so that its pressure and the center of it are exact. A piece that moves into
//          the water has drag -1/2 rho C_D A (n.v) v and lift -1/2 rho C_L A (n.v) |v| m, where v is
//          its speed through the water and m the unit vector of n without its part along v. A (n.v) /
//          |v| is its area seen along v, so that the sum over a body is the drag of its projected
//          faces; a body smaller than a cell takes the speed of the water from one place.
// Differs  1. Only the upward part of the pressure is summed over triangles. The sideways part is the
//          slope of the surface times the displaced volume, and what the surface differs from the plane
//          acts on the columns of the body; both with the very weights by which its columns load
//          the cells. So the water pushes the body exactly as the body pushes the water. With pressure
//          sampled at the triangles a floating box swam across the basin by itself.
//          2. No mixing of projected and full area (omega = 1).
// Source   [Chentanez2010], [Chentanez2011].
// Checked  tests/physics/check_afloat.c, tests/unit/test_shallow_bodies.c

#include "coupling/shallow_floating.h"
#include <math.h>

enum { MAX_SPLIT = 32 }; // pieces along an edge of a triangle

// Lift is for bodies that run over the water. It does no work on them in still water, but takes from
// water that moves, and that does not notice. Slower than this through the water it fades, or floating
// bodies rock and swim on the noise of the flow [m/s].
static const float lift_speed = 1.0f;

// ---- Flow at a point -----------------------------------------------------------------------------

// Speed of the water in a cell. Its surface rises by what flows in, and by what its load has grown.
static TarnVec3 cell_velocity(const TarnShallow* water, int i, int k, float dt)
{
    const float *h = water->h, *u = water->u, *w = water->w;
    ptrdiff_t c = (ptrdiff_t)shallow_cell(water, i, k), row = water->stride;
    float x0 = u[c] * 0.5f * (h[c - 1] + h[c]), x1 = u[c + 1] * 0.5f * (h[c] + h[c + 1]);
    float z0 = w[c] * 0.5f * (h[c - row] + h[c]), z1 = w[c + row] * 0.5f * (h[c] + h[c + row]);
    float rise = ((x0 - x1) + (z0 - z1)) / water->def.dx;
    float grown = shallow_felt(water, 1.0f, i, k) - shallow_felt(water, 0.0f, i, k);
    if (dt > 1e-6f) rise += grown / dt;
    float most = sqrtf(water->def.gravity * (h[c] + water->load[c])); // faster it is no wave
    return (TarnVec3){ 0.5f * (u[c] + u[c + 1]), tarn_clampf(rise, -most, most),
                       0.5f * (w[c] + w[c + row]) };
}

// Between the four cells around a point, of those with water.
static TarnVec3 velocity_at(const TarnShallow* water, const Columns* grid, float x, float z,
                            float dt)
{
    SharedCells at = shallow_share(water, grid, x, z);
    TarnVec3 v = { 0.0f, 0.0f, 0.0f };
    float wet = 0.0f;
    for (int n = 0; n < at.n; ++n) {
        if (!(water->h[at.c[n]] > water->dry_depth)) continue;
        v = vec3_add(v, vec3_scale(cell_velocity(water, at.i[n], at.k[n], dt), at.weight[n]));
        wet += at.weight[n];
    }
    return wet > 1e-6f ? vec3_scale(v, 1.0f / wet) : v;
}

// ---- Pieces --------------------------------------------------------------------------------------

typedef struct Wetting {
    const TarnShallow* water;
    const TarnBody* body;
    Columns grid;
    WetSums sums;
    bool is_small;      // one velocity of the water
    TarnVec3 velocity;  // for all of the body
    float half_density; // [kg/m^3]
    float lift;         // coefficient
    float deep;         // height of the body over ground, in depths: the ground does not rise
    float dt;           // [s]
} Wetting;

// Depth of a point of the body below the water line [m].
static float depth_of(const Wetting* w, TarnVec3 arm)
{
    TarnVec3 p = vec3_add(w->body->state.position, arm);
    return water_plane_at(&w->body->water_plane, p.x, p.z) - p.y;
}

static void add_vec(double sum[3], TarnVec3 v, double scale)
{
    sum[0] += scale * (double)v.x, sum[1] += scale * (double)v.y, sum[2] += scale * (double)v.z;
}

static void add_force(double force[3], double torque[3], TarnVec3 f, TarnVec3 arm)
{
    add_vec(force, f, 1.0);
    add_vec(torque, vec3_cross(arm, f), 1.0);
}

// Drag and lift of a piece with the area vector (outward) at the arm.
static void add_drag(Wetting* w, TarnVec3 area, TarnVec3 arm)
{
    const TarnShallowParams* p = &w->water->params;
    TarnVec3 at = vec3_add(w->body->state.position, arm), flow = w->velocity;
    if (!w->is_small) flow = velocity_at(w->water, &w->grid, at.x, at.z, w->dt);
    flow.y *= w->deep;
    float size = vec3_length(area);
    add_vec(w->sums.water_velocity, flow, (double)size);
    add_vec(w->sums.arm, arm, (double)size);
    w->sums.area += (double)size;
    TarnVec3 v = vec3_sub(tarn__body_velocity_at(w->body, at), flow);
    float into = vec3_dot(area, v); // [m^3/s]
    if (!(into > 0.0f)) return;
    float rate = w->half_density * p->body_drag * into;
    add_force(w->sums.drag, w->sums.drag_torque, vec3_scale(v, -rate), arm);
    float speed = vec3_length(v), lift = w->half_density * w->lift * into;
    TarnVec3 along = vec3_scale(v, into / (speed * speed));
    TarnVec3 side = vec3_normalize(vec3_sub(area, along)); // n without its part along v
    add_force(w->sums.force, w->sums.torque, vec3_scale(side, -lift * speed), arm);
    double lever2 = (double)vec3_dot(arm, arm);
    w->sums.drag_rate += (double)(rate + lift);
    w->sums.spin_rate += (double)(rate + lift) * lever2;
}

// A triangle that is all under water; depth is given at its corners.
static void add_wet(Wetting* w, const TarnVec3 p[3], const float depth[3])
{
    float d = depth[0] + depth[1] + depth[2];
    if (!(d > 0.0f)) return;
    TarnVec3 area = vec3_scale(vec3_cross(vec3_sub(p[1], p[0]), vec3_sub(p[2], p[0])), 0.5f);
    TarnVec3 press = { 0, 0, 0 }, center = { 0, 0, 0 };
    float lever2 = 0.0f;
    for (int i = 0; i < 3; ++i) {
        press = vec3_add(press, vec3_scale(p[i], (d + depth[i]) / (4.0f * d)));
        center = vec3_add(center, vec3_scale(p[i], 1.0f / 3.0f));
        TarnVec3 middle = vec3_scale(vec3_add(p[i], p[(i + 1) % 3]), 0.5f);
        lever2 += (middle.x * middle.x + middle.z * middle.z) / 3.0f;
    }
    float pressure = w->water->params.density * w->water->def.gravity * d / 3.0f;
    add_force(w->sums.force, w->sums.torque, (TarnVec3){ 0.0f, -pressure * area.y, 0.0f }, press);
    w->sums.volume -= (double)(area.y * d / 3.0f);
    w->sums.plane -= (double)area.y;
    w->sums.plane_lever -= (double)(area.y * lever2);
    add_drag(w, area, center);
}

// Cuts a piece at the water line.
static void add_piece(Wetting* w, const TarnVec3 p[3])
{
    float depth[3];
    int wet = 0;
    for (int i = 0; i < 3; ++i) {
        depth[i] = depth_of(w, p[i]);
        wet += depth[i] > 0.0f;
    }
    if (wet == 0) return;
    if (wet == 3) {
        add_wet(w, p, depth);
        return;
    }
    TarnVec3 kept[4];
    float below[4];
    int n = 0;
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3;
        if (depth[i] > 0.0f) kept[n] = p[i], below[n++] = depth[i];
        if ((depth[i] > 0.0f) == (depth[j] > 0.0f)) continue;
        float t = depth[i] / (depth[i] - depth[j]);
        kept[n] = vec3_add(p[i], vec3_scale(vec3_sub(p[j], p[i]), t));
        below[n++] = 0.0f;
    }
    for (int i = 1; i + 1 < n; ++i) {
        const TarnVec3 part[3] = { kept[0], kept[i], kept[i + 1] };
        const float part_depth[3] = { below[0], below[i], below[i + 1] };
        add_wet(w, part, part_depth);
    }
}

static TarnVec3 inside_triangle(const BodyTriangle* t, int a, int b, int n)
{
    float s = (float)a / (float)n, r = (float)b / (float)n;
    return vec3_add(t->p[0], vec3_add(vec3_scale(vec3_sub(t->p[1], t->p[0]), s),
                                      vec3_scale(vec3_sub(t->p[2], t->p[0]), r)));
}

static void add_triangle(Wetting* w, const BodyTriangle* t)
{
    TarnVec3 area = vec3_cross(vec3_sub(t->p[1], t->p[0]), vec3_sub(t->p[2], t->p[0]));
    float size = sqrtf(0.5f * vec3_length(area)) / w->grid.dx;
    int n = w->is_small || !(size > 1.0f) ? 1 : (int)tarn_minf(size + 1.0f, (float)MAX_SPLIT);
    for (int b = 0; b < n; ++b) {
        for (int a = 0; a + b < n; ++a) {
            TarnVec3 p[4] = { inside_triangle(t, a, b, n), inside_triangle(t, a + 1, b, n),
                              inside_triangle(t, a, b + 1, n) };
            add_piece(w, p);
            if (a + b + 2 > n) continue;
            p[0] = p[1], p[1] = inside_triangle(t, a + 1, b + 1, n);
            add_piece(w, p);
        }
    }
}

// ---- Columns -------------------------------------------------------------------------------------

// A wall, and land, counts as level with the water in front of it; lower land as a fall.
static float felt_beside(const Wetting* w, int i, int k, float here)
{
    const TarnShallow* water = w->water;
    if (!shallow_is_inside(water, i, k)) return here;
    size_t c = shallow_cell(water, i, k);
    return shallow_is_open(water, c) ? shallow_felt(water, w->body->water_mix, i, k)
                                     : tarn_minf(water->b[c], here);
}

// Difference of the surfaces beside a cell, along x and z [m].
static TarnVec2 fall_across(const Wetting* w, int i, int k, float here)
{
    float x = felt_beside(w, i + 1, k, here) - felt_beside(w, i - 1, k, here);
    float z = felt_beside(w, i, k + 1, here) - felt_beside(w, i, k - 1, here);
    return (TarnVec2){ x, z };
}

static float length_below(const Span* span, float lo, float surface)
{
    return tarn_maxf(tarn_minf(span->hi, surface) - lo, 0.0f);
}

// The surface above the plane at a column [m], and the force of its slope on the displaced length.
static float add_slope(Wetting* w, const Span* span, float area, float length, TarnVec3 arm)
{
    const TarnShallow* water = w->water;
    const WaterPlane* plane = &w->body->water_plane;
    float dx = w->grid.dx, above = 0.0f;
    float weight = water->params.density * water->def.gravity * length * area;
    SharedCells cells = shallow_share(water, &w->grid, span->at.x, span->at.z);
    for (int n = 0; n < cells.n; ++n) {
        int i = cells.i[n], k = cells.k[n];
        if (!shallow_is_open(water, cells.c[n])) continue;
        float x = w->grid.origin.x + ((float)i + 0.5f) * dx;
        float z = w->grid.origin.y + ((float)k + 0.5f) * dx;
        float height = shallow_felt(water, w->body->water_mix_up, i, k);
        above += cells.weight[n] * (height - water_plane_at(plane, x, z));
        if (!(length > 0.0f)) continue;
        TarnVec2 fall = fall_across(w, i, k, shallow_felt(water, w->body->water_mix, i, k));
        float part = -cells.weight[n] * weight / (2.0f * dx);
        TarnVec3 f = { part * fall.x, 0.0f, part * fall.y };
        add_force(w->sums.force, w->sums.torque, f, arm);
    }
    return above;
}

// A span shape has no triangles: its columns have two level faces, and no sides.
static void add_span(Wetting* w, const Span* span, float area, float surface, TarnVec3 arm)
{
    float length = span->hi - span->lo;
    w->sums.all_volume += (double)(area * length);
    if (surface > span->lo && surface < span->hi) {
        w->sums.plane += (double)area;
        w->sums.plane_lever += (double)(area * (arm.x * arm.x + arm.z * arm.z));
    }
    for (int top = 0; top < 2; ++top) {
        float y = top ? span->hi : span->lo;
        if (!(surface > y)) continue;
        arm.y = y - w->body->state.position.y;
        add_drag(w, (TarnVec3){ 0.0f, top ? area : -area, 0.0f }, arm);
    }
}

// One column of the body with the given area.
static void add_column(Wetting* w, const Span* span, int i, int k, float area)
{
    const TarnShallow* water = w->water;
    TarnVec3 at = w->body->state.position;
    float calm = water_plane_at(&w->body->water_plane, span->at.x, span->at.z);
    float lo = tarn_maxf(span->lo, water->ground[shallow_cell(water, i, k)]);
    float length = length_below(span, lo, calm);
    TarnVec3 arm = { span->at.x - at.x, lo + 0.5f * length - at.y, span->at.z - at.z };
    float surface = calm + add_slope(w, span, area, length, arm);
    bool is_span = w->body->shape.kind == TARN_SHAPE_SPAN;
    // Triangles have what is below the plane.
    float counted = is_span ? 0.0f : length_below(span, span->lo, calm);
    float more = length_below(span, span->lo, surface) - counted;
    TarnVec3 lift = { 0.0f, water->params.density * water->def.gravity * area * more, 0.0f };
    add_force(w->sums.force, w->sums.torque, lift, arm);
    w->sums.volume += (double)(area * more);
    if (is_span) add_span(w, span, area, surface, arm);
}

static void add_columns(Wetting* w)
{
    Footprint f = tarn__footprint(&w->grid, w->body);
    TarnVec3 at = w->body->state.position;
    float dx = w->grid.dx;
    Span span = { .at = at };
    if (tarn__footprint_is_thin(&w->grid, &f)) {
        float fi = floorf((at.x - f.x0) / dx), fk = floorf((at.z - f.z0) / dx);
        bool is_inside =
            fi >= 0.0f && fk >= 0.0f && fi < (float)w->grid.nx && fk < (float)w->grid.nz;
        if (!is_inside || !tarn__body_span(w->body, at.x, at.z, &span.lo, &span.hi)) return;
        if (!(span.hi - span.lo > 1e-6f)) return;
        add_column(w, &span, (int)fi, (int)fk, w->body->volume / (span.hi - span.lo));
        return;
    }
    int i0 = f.i0 < 0 ? 0 : f.i0, k0 = f.k0 < 0 ? 0 : f.k0;
    for (int k = k0; k < f.k1 && k < w->grid.nz; ++k) {
        for (int i = i0; i < f.i1 && i < w->grid.nx; ++i) {
            Span spans[FLOATING_MAX_SPANS];
            float share;
            int n_spans = tarn__footprint_spans(&w->grid, w->body, &f, i, k, spans, &share);
            for (int n = 0; n < n_spans; ++n) add_column(w, &spans[n], i, k, share * dx * dx);
        }
    }
}

// ---- A body --------------------------------------------------------------------------------------

WetSums tarn__shallow_wet(const TarnShallow* water, const TarnBody* body, float dt)
{
    Wetting w = { .water = water, .body = body, .grid = shallow_columns(water), .dt = dt };
    if (body->water_plane.n == 0) return w.sums;
    TarnVec3 at = body->state.position;
    w.half_density = 0.5f * water->params.density;
    SharedCells under = shallow_share(water, &w.grid, at.x, at.z);
    float ground = under.n > 0 ? water->ground[under.c[0]] : at.y;
    float depth = tarn_maxf(body->water_plane.level - ground, water->dry_depth);
    w.deep = tarn_clampf((at.y - ground) / depth, 0.0f, 1.0f);
    w.is_small = 2.0f * body->radius < w.grid.dx;
    w.velocity = velocity_at(water, &w.grid, at.x, at.z, dt);
    TarnVec3 v = vec3_sub(body->state.velocity, w.velocity);
    float through = v.x * v.x + v.z * v.z; // [m^2/s^2]
    w.lift = water->params.body_lift * through / (through + lift_speed * lift_speed);
    BodyTriangle triangles[BODY_MAX_SURFACE];
    int n = tarn__body_surface(body, triangles); // none for a span shape
    for (int t = 0; t < n; ++t) add_triangle(&w, &triangles[t]);
    add_columns(&w);
    return w.sums;
}
