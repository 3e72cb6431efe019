// Solids in the pressure grid: they close faces, move with them, and answer to the pressure.
//
// Method   Faces are open as far as they lie outside of all solids, by the distances at their corners. A cell
//          sees from the mean place of its particles: a face on the other side of a solid is closed to it,
//          however thin the solid. What of a cell's faces is missing is the solid's surface there: pressure
//          pushes the solid by it, and the solid's motion drives as much out of the cell. Liquid at a closed
//          face moves with the solid if it is pressed or comes nearer. For a body that mass is added to its own
//          before the solve, so that neither throws the other.
//          What a body gets is what faces lose, term by term.
// Source   [Batty2007].
// Checked  tests/unit/test_pressure_grid.c.

#include "liquid/pressure_grid.h"

enum { NEAR = 4096, VIEWS = 4 };

// ---- What is where -------------------------------------------------------------------------------

typedef struct View {
    SolidContact at[VIEWS]; // nearest first
    int n;
} View;

// The solids near a cell, seen from points in it.
typedef struct Sight {
    const PressureGrid* g;
    int slots[NEAR], n_slots;
    float reach;
} Sight;

static TarnVec3 corner_of(const PressureGrid* g, const int at[3], float x, float y, float z)
{
    return (TarnVec3){ g->origin[0] + ((float)at[0] + x) * g->width[0],
                       g->origin[1] + ((float)at[1] + y) * g->width[1],
                       g->dims == 3 ? g->origin[2] + ((float)at[2] + z) * g->width[2] : 0.0f };
}

static View view_from(const Sight* s, TarnVec3 at)
{
    const TarnLiquid* l = s->g->l;
    View v;
    v.n = tarn__solids_contacts(l->solids, s->slots, s->n_slots, l->solids_at, s->g->dims, at,
                                s->reach, v.at, VIEWS);
    return v;
}

static float distance_of(const Sight* s, const View* v)
{
    return v->n > 0 ? v->at[0].distance : s->reach;
}

// Does a solid stand between two points that see it from opposite sides?
static bool is_hidden(const View* a, const View* b, float apart)
{
    for (int i = 0; i < a->n; ++i) {
        for (int j = 0; j < b->n; ++j) {
            if (a->at[i].solid != b->at[j].solid) continue;
            if (vec3_dot(a->at[i].normal, b->at[j].normal) < -0.3f &&
                a->at[i].distance + b->at[j].distance < 1.01f * apart)
                return true;
        }
    }
    return false;
}

// Open part of a face, by the distances at its corners: linear in between, in parts that each are open as far
// as a plane through them would leave them.
static float open_part(const float d[4], int dims, float width)
{
    enum { PARTS = 4 };
    float sum = 0.0f, per_part = (float)PARTS / width;
    int n = dims == 3 ? PARTS : 1;
    for (int j = 0; j < n; ++j) {
        float y = ((float)j + 0.5f) / (float)n;
        float low = dims == 3 ? d[0] + y * (d[2] - d[0]) : d[0];
        float high = dims == 3 ? d[1] + y * (d[3] - d[1]) : d[1];
        for (int i = 0; i < PARTS; ++i) {
            float x = ((float)i + 0.5f) / (float)PARTS;
            sum += tarn_clampf(0.5f + (low + x * (high - low)) * per_part, 0.0f, 1.0f);
        }
    }
    return sum / (float)(PARTS * n);
}

// ---- Faces ---------------------------------------------------------------------------------------

static TarnVec3 mean_place(const PressureGrid* g, int c)
{
    const TarnLiquid* l = g->l;
    double sum[3] = { 0.0, 0.0, 0.0 };
    for (int i = g->begin[c]; i < g->begin[c + 1]; ++i) {
        sum[0] += (double)l->x[g->list[i]];
        sum[1] += (double)l->y[g->list[i]];
        sum[2] += (double)l->z[g->list[i]];
    }
    double n = g->begin[c + 1] - g->begin[c];
    return (TarnVec3){ (float)(sum[0] / n), (float)(sum[1] / n), (float)(sum[2] / n) };
}

// Number of the cell beyond a face, n: none.
static int beyond(const PressureGrid* g, int c, int f)
{
    static const int step[3] = { 1, 3, 9 };
    int middle = g->dims == 3 ? 13 : 4, all = g->dims == 3 ? 27 : 9;
    return g->around[all * c + middle + (f % 2 ? step[f / 2] : -step[f / 2])];
}

// A cell without particles whose middle is nearer to a solid than this, in widths, is no air: what of it is
// liquid has no room for a particle. The face towards it counts as the solid's.
static const float sliver = 0.1f;

static void close_faces(PressureGrid* g, GridTouch* touch)
{
    int c = touch->cell, dims = g->dims, corners = 1 << dims;
    const int* at = g->surface.level[0].at + 3 * c;
    TarnVec3 low = corner_of(g, at, 0.0f, 0.0f, 0.0f), high = corner_of(g, at, 1.0f, 1.0f, 1.0f);
    Sight s;
    s.g = g;
    s.reach = 2.0f * tarn_maxf(g->width[0], tarn_maxf(g->width[1], dims == 3 ? g->width[2] : 0.0f));
    TarnVec3 reach = { s.reach, s.reach, s.reach };
    s.n_slots =
        tarn__solids_near(g->l->solids, vec3_sub(low, reach), vec3_add(high, reach), s.slots, NEAR);
    TarnVec3 here = mean_place(g, c);
    View from = view_from(&s, here);
    touch->solid = from.n > 0 ? from.at[0].solid : -1;
    if (from.n == 0) return;
    touch->center = vec3_sub(vec3_sub(here, vec3_scale(from.at[0].normal, from.at[0].distance)),
                             from.at[0].arm);
    touch->arm = vec3_sub(corner_of(g, at, 0.5f, 0.5f, 0.5f), touch->center);
    float d[8];
    for (int i = 0; i < corners; ++i) {
        View v = view_from(
            &s, corner_of(g, at, (float)(i & 1), (float)(i >> 1 & 1), (float)(i >> 2 & 1)));
        d[i] = distance_of(&s, &v);
    }
    for (int f = 0; f < 2 * dims; ++f) {
        int axis = f / 2, side = f % 2, n = 0;
        float of[4] = { 0.0f, 0.0f, 0.0f, 0.0f };
        for (int i = 0; i < corners; ++i)
            if ((i >> axis & 1) == side) of[n++] = d[i];
        float open = open_part(of, dims, g->width[axis == 0 ? 1 : 0]);
        float middle[3] = { 0.5f, 0.5f, 0.5f };
        middle[axis] = (float)side;
        TarnVec3 there = corner_of(g, at, middle[0], middle[1], middle[2]);
        View to = view_from(&s, there);
        if (is_hidden(&from, &to, vec3_length(vec3_sub(there, here)))) open = 0.0f;
        if (beyond(g, c, f) == g->n) {
            middle[axis] = side ? 1.5f : -0.5f;
            View past = view_from(&s, corner_of(g, at, middle[0], middle[1], middle[2]));
            if (distance_of(&s, &past) < sliver * g->width[axis]) open = 0.0f;
        }
        g->opening[2 * dims * c + f] = open;
    }
}

static void touch_block(int block, void* data)
{
    PressureGrid* g = data;
    int end = (block + 1) * GRID_TOUCH_BLOCK < g->n_touches ? (block + 1) * GRID_TOUCH_BLOCK
                                                            : g->n_touches;
    for (int t = block * GRID_TOUCH_BLOCK; t < end; ++t) close_faces(g, &g->touches[t]);
}

// A face is as open as the cell says that sees less of it.
static void agree(PressureGrid* g)
{
    int faces = 2 * g->dims;
    for (int t = 0; t < g->n_touches; ++t) {
        int c = g->touches[t].cell;
        for (int f = 0; f < faces; ++f) {
            int n = beyond(g, c, f);
            if (n == g->n) continue;
            float* mine = &g->opening[faces * c + f];
            float* its = &g->opening[faces * n + (f ^ 1)];
            *mine = *its = tarn_minf(*mine, *its);
        }
    }
    for (int t = 0; t < g->n_touches; ++t) {
        GridTouch* touch = &g->touches[t];
        const float* open = g->opening + faces * touch->cell;
        float k[3] = { 0.0f, 0.0f, 0.0f };
        for (int a = 0; a < g->dims; ++a) k[a] = (open[2 * a + 1] - open[2 * a]) * g->per_m[a];
        touch->k = (TarnVec3){ k[0], k[1], k[2] };
    }
}

static bool meets_solid(const PressureGrid* g, int c)
{
    const TarnLiquid* l = g->l;
    for (int i = g->begin[c]; i < g->begin[c + 1]; ++i) {
        int p = g->list[i];
        for (int k = 0; k < l->contact_count[p]; ++k)
            if (l->contacts[l->contact_begin[p] + k].at.solid >= 0) return true;
    }
    return false;
}

void tarn__pressure_grid_close(PressureGrid* g)
{
    g->n_touches = g->n_bodies = 0;
    for (int c = 0; c < g->n; ++c) g->touch_of[c] = -1;
    if (g->l->solids == NULL || tarn__solids_capacity(g->l->solids) == 0) return;
    for (int c = 0; c < g->n && g->n_touches < g->max_touches; ++c) {
        if (!meets_solid(g, c)) continue;
        g->touch_of[c] = g->n_touches;
        g->touches[g->n_touches++] = (GridTouch){ .cell = c, .solid = -1, .body = -1 };
    }
    if (g->n_touches == 0) return;
    int blocks = (g->n_touches + GRID_TOUCH_BLOCK - 1) / GRID_TOUCH_BLOCK;
    tarn__parallel_for(g->l->ctx, blocks, touch_block, g);
    agree(g);
}

// ---- Bodies --------------------------------------------------------------------------------------

// What a unit of pressure in the cell, or of motion along an axis at an arm, is for the six velocities.
static void wrench(int dims, TarnVec3 arm, TarnVec3 along, float out[SURFACE_DOFS])
{
    TarnVec3 turn = vec3_cross(arm, along);
    const float all[SURFACE_DOFS] = { along.x, along.y, along.z, turn.x, turn.y, turn.z };
    for (int i = 0; i < SURFACE_DOFS; ++i)
        out[i] = dims == 3 || i == 0 || i == 1 || i == 5 ? all[i] : 0.0f;
}

static void add_body(PressureGrid* g, int slot)
{
    const SolidMass* mass = tarn__solids_mass(g->l->solids, slot);
    GridBody* body = &g->bodies[g->n_bodies++];
    *body = (GridBody){ .solid = slot };
    TarnVec3 v, spin;
    tarn__solids_get_velocity(g->l->solids, slot, &v, &spin);
    const float all[SURFACE_DOFS] = { v.x, v.y, v.z, spin.x, spin.y, spin.z };
    for (int i = 0; i < SURFACE_DOFS; ++i) body->v[i] = (double)all[i];
    for (int i = 0; i < 3; ++i) {
        body->inverse[i * 7] = (double)mass->inverse_mass;
        for (int j = 0; j < 3; ++j)
            body->inverse[(3 + i) * 6 + 3 + j] = (double)mass->inverse_inertia[3 * i + j];
    }
    if (!(mass->inverse_mass > 0.0f)) memset(body->inverse, 0, sizeof body->inverse);
}

static double along_of(const GridBody* body, const float j[SURFACE_DOFS])
{
    double sum = 0.0;
    for (int i = 0; i < SURFACE_DOFS; ++i) sum += body->v[i] * (double)j[i];
    return sum;
}

// A mass that moves with the body along j from now on; both meet without bouncing.
static void attach(GridBody* body, const float j[SURFACE_DOFS], double mass, double speed)
{
    double to[SURFACE_DOFS], k = 1.0;
    for (int r = 0; r < SURFACE_DOFS; ++r) {
        to[r] = 0.0;
        for (int c = 0; c < SURFACE_DOFS; ++c) to[r] += body->inverse[r * 6 + c] * (double)j[c];
    }
    for (int r = 0; r < SURFACE_DOFS; ++r) k += mass * (double)j[r] * to[r];
    double change = mass * (speed - along_of(body, j)) / k;
    for (int r = 0; r < SURFACE_DOFS; ++r) body->v[r] += to[r] * change;
    for (int r = 0; r < SURFACE_DOFS; ++r)
        for (int c = 0; c < SURFACE_DOFS; ++c) body->inverse[r * 6 + c] -= to[r] * to[c] * mass / k;
}

// A face that two cells with touches share is the lower one's.
static bool is_owned(const PressureGrid* g, const GridTouch* touch, int f)
{
    int other = beyond(g, touch->cell, f);
    return f % 2 == 1 || other == g->n || g->touch_of[other] < 0 ||
           g->touches[g->touch_of[other]].body < 0;
}

typedef struct HeldFace {
    int face;                      // index in the arrays of faces
    float j[SURFACE_DOFS], closed; // part that moves with the solid
    double mass;                   // [kg]
} HeldFace;

// A face of a touch that is closed in part, false: it is not.
static bool closed_face(const PressureGrid* g, const GridTouch* touch, int f, HeldFace* out)
{
    int faces = 2 * g->dims, axis = f / 2;
    out->face = faces * touch->cell + f;
    out->closed = grid_held_part(g->opening[out->face]);
    if (touch->body < 0 || !(g->opening[out->face] < 1.0f) || !is_owned(g, touch, f)) return false;
    float middle[3] = { 0.5f, 0.5f, 0.5f };
    middle[axis] = (float)(f % 2);
    TarnVec3 at =
        corner_of(g, g->surface.level[0].at + 3 * touch->cell, middle[0], middle[1], middle[2]);
    TarnVec3 along = { axis == 0, axis == 1, axis == 2 };
    wrench(g->dims, vec3_sub(at, touch->center), along, out->j);
    out->mass = (double)(out->closed * g->fill[out->face] * g->unit / g->lightness[touch->cell]);
    return true;
}

// The same if its liquid may move with the solid.
static bool held_face(const PressureGrid* g, const GridTouch* touch, int f, HeldFace* out)
{
    return closed_face(g, touch, f, out) && out->closed > 0.0f;
}

static void set_target(PressureGrid* g, const GridTouch* touch, int f, float speed)
{
    int faces = 2 * g->dims, other = beyond(g, touch->cell, f);
    g->target[faces * touch->cell + f] = speed;
    if (other < g->n) g->target[faces * other + (f ^ 1)] = speed;
}

static bool is_pressed(const PressureGrid* g, const GridTouch* touch, int f)
{
    const float* phi = g->surface.level[0].phi;
    int other = beyond(g, touch->cell, f);
    return phi[touch->cell] > 0.0f || (other < g->n && phi[other] > 0.0f);
}

void tarn__pressure_grid_hold(PressureGrid* g)
{
    HeldFace h;
    if (g->n_touches == 0) return;
    int slots = tarn__solids_capacity(g->l->solids);
    for (int s = 0; s < slots && s < GRID_MAX_SLOTS; ++s) g->body_of[s] = -1;
    for (int t = 0; t < g->n_touches; ++t) {
        int solid = g->touches[t].solid;
        if (solid < 0 || solid >= GRID_MAX_SLOTS) continue;
        if (g->body_of[solid] < 0 && g->n_bodies < GRID_MAX_BODIES) {
            g->body_of[solid] = (int16_t)g->n_bodies;
            add_body(g, solid);
        }
        g->touches[t].body = g->body_of[solid];
    }
    for (int t = 0; t < g->n_touches; ++t) {
        GridTouch* touch = &g->touches[t];
        touch->held = 0;
        for (int f = 0; f < 2 * g->dims; ++f) {
            if (!held_face(g, touch, f, &h)) continue;
            GridBody* body = &g->bodies[touch->body];
            double nearer = along_of(body, h.j) - (double)g->u[h.face];
            bool comes = (f % 2 ? nearer : -nearer) < 0.0;
            if (!comes && !is_pressed(g, touch, f)) continue;
            touch->held |= (uint8_t)(1u << f);
            attach(body, h.j, h.mass, (double)g->u[h.face]);
        }
    }
    FreeSurface* s = &g->surface;
    SurfaceLevel* v = &s->level[0];
    s->n_bodies = g->n_bodies;
    for (int b = 0; b < g->n_bodies; ++b)
        for (int i = 0; i < SURFACE_DOFS * SURFACE_DOFS; ++i)
            s->bodies[b].answer[i] = (float)(g->bodies[b].inverse[i] * (double)g->unit);
    for (int t = 0; t < g->n_touches; ++t) {
        GridTouch* touch = &g->touches[t];
        if (touch->body < 0) continue;
        for (int f = 0; f < 2 * g->dims; ++f)
            if (closed_face(g, touch, f, &h))
                set_target(g, touch, f, (float)along_of(&g->bodies[touch->body], h.j));
        SurfaceHold* hold = &v->holds[v->n_holds];
        if (!(g->bodies[touch->body].inverse[0] > 0.0) || vec3_dot(touch->k, touch->k) == 0.0f)
            continue;
        *hold = (SurfaceHold){ .cell = touch->cell, .body = touch->body };
        wrench(g->dims, touch->arm, touch->k, hold->k);
        ++v->n_holds;
    }
}

void tarn__pressure_grid_release(PressureGrid* g)
{
    HeldFace h;
    const float* phi = g->surface.level[0].phi;
    for (int b = 0; b < g->n_bodies; ++b)
        for (int i = 0; i < SURFACE_DOFS; ++i)
            g->bodies[b].v[i] -= (double)g->surface.bodies[b].velocity[i];
    for (int t = 0; t < g->n_touches; ++t) {
        GridTouch* touch = &g->touches[t];
        if (touch->body < 0) continue;
        GridBody* body = &g->bodies[touch->body];
        float j[SURFACE_DOFS];
        wrench(g->dims, touch->arm, touch->k, j);
        double push = -(double)(phi[touch->cell] * g->unit);
        for (int i = 0; i < SURFACE_DOFS; ++i) body->impulse[i] += push * (double)j[i];
        for (int f = 0; f < 2 * g->dims; ++f) {
            if (!held_face(g, touch, f, &h)) continue;
            bool is_held = (touch->held >> f & 1) != 0;
            float speed = is_held ? (float)along_of(body, h.j) : g->u[h.face];
            set_target(g, touch, f, speed);
            double loss = h.mass * (double)(g->u[h.face] - speed);
            for (int i = 0; i < SURFACE_DOFS; ++i) body->impulse[i] += loss * (double)h.j[i];
        }
    }
    for (int b = 0; b < g->n_bodies; ++b)
        tarn__solids_add_push(g->l->solids, g->bodies[b].solid, g->bodies[b].impulse,
                              g->bodies[b].impulse + 3, 0);
}
