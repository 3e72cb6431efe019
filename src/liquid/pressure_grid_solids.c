// Solids in the pressure grid: they close faces, move with them, and answer to the pressure.
//
// Method   Faces are open as far as they lie outside of all solids, by the distances at their corners. A cell
//          sees from the mean place of its particles: a face on the other side of a solid is closed to it,
//          however thin the solid. What of a face is missing is the surface of the solid nearest to it, so that
//          several solids may meet in a cell: pressure pushes each by its part, and its motion drives as much
//          out of the cell. Liquid at a closed face moves with the solid if it is pressed or comes nearer. For a
//          body that mass is added to its own before the solve, so that neither throws the other.
//          What a body gets is what faces lose, term by term.
// Source   [Batty2007].
// Checked  tests/unit/test_liquid_bodies.c, tests/physics/check_liquid_solids.c.

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

// The nearest point of each solid.
static View view_from(const Sight* s, TarnVec3 at)
{
    const TarnLiquid* l = s->g->l;
    View v = { .n = 0 };
    for (int i = 0; i < s->n_slots; ++i) {
        SolidContact c;
        if (tarn__solids_contacts(l->solids, &s->slots[i], 1, l->solids_at, s->g->dims, at,
                                  s->reach, &c, 1) == 0)
            continue;
        int place = v.n < VIEWS ? v.n++ : VIEWS;
        for (; place > 0 && c.distance < v.at[place - 1].distance; --place)
            if (place < VIEWS) v.at[place] = v.at[place - 1];
        if (place < VIEWS) v.at[place] = c;
    }
    return v;
}

// Distance of the nearest solid, and which it is (-1: none).
static float distance_from(const Sight* s, TarnVec3 at, int* solid)
{
    const TarnLiquid* l = s->g->l;
    SolidContact c;
    int n = tarn__solids_contacts(l->solids, s->slots, s->n_slots, l->solids_at, s->g->dims, at,
                                  s->reach, &c, 1);
    *solid = n > 0 ? c.solid : -1;
    return n > 0 ? c.distance : s->reach;
}

// The solid that stands between two points, which see it from opposite sides; -1: none.
static int hidden_by(const View* a, const View* b, float apart)
{
    for (int i = 0; i < a->n; ++i) {
        for (int j = 0; j < b->n; ++j) {
            if (a->at[i].solid != b->at[j].solid) continue;
            if (vec3_dot(a->at[i].normal, b->at[j].normal) < -0.3f &&
                a->at[i].distance + b->at[j].distance < 1.01f * apart)
                return a->at[i].solid;
        }
    }
    return -1;
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

static void look_around(const PressureGrid* g, int c, Sight* s)
{
    const int* at = g->surface.level[0].at + 3 * c;
    TarnVec3 low = corner_of(g, at, 0.0f, 0.0f, 0.0f), high = corner_of(g, at, 1.0f, 1.0f, 1.0f);
    s->g = g;
    s->reach =
        1.2f * tarn_maxf(g->width[0], tarn_maxf(g->width[1], g->dims == 3 ? g->width[2] : 0.0f));
    TarnVec3 reach = { s->reach, s->reach, s->reach };
    s->n_slots = tarn__solids_near(g->l->solids, vec3_sub(low, reach), vec3_add(high, reach),
                                   s->slots, NEAR);
}

// Corners are shared by cells: the first of its touches measures each. Which of its corners it is comes in *its.
static int owner_of(const PressureGrid* g, const GridTouch* touch, int corner, int* its)
{
    int first = g->touch_of[touch->cell], dims = g->dims;
    *its = corner;
    for (int i = 0; i < 1 << dims; ++i) { // cells below or above the corner, along each axis
        int at = 0, step = 1, same = 0;
        for (int a = 0; a < 3; ++a, step *= 3) {
            int above = i >> a & 1;
            at += a < dims ? step * (1 + (corner >> a & 1) - (1 - above)) : 0;
            same |= a < dims ? (1 - above) << a : 0;
        }
        int cell = g->around[(dims == 3 ? 27 : 9) * touch->cell + at];
        if (cell == g->n || g->touch_of[cell] < 0 || g->touch_of[cell] >= first) continue;
        first = g->touch_of[cell];
        *its = same;
    }
    return first;
}

static int touches_end(const PressureGrid* g, int block)
{
    int end = (block + 1) * GRID_TOUCH_BLOCK;
    return end < g->n_touches ? end : g->n_touches;
}

static void corners_block(int block, void* data)
{
    PressureGrid* g = data;
    for (int t = block * GRID_TOUCH_BLOCK; t < touches_end(g, block); ++t) {
        GridTouch* touch = &g->touches[t];
        const int* at = g->surface.level[0].at + 3 * touch->cell;
        Sight s;
        look_around(g, touch->cell, &s);
        for (int i = 0, its; i < 1 << g->dims; ++i) {
            if (owner_of(g, touch, i, &its) != t) continue;
            float x = (float)(i & 1), y = (float)(i >> 1 & 1), z = (float)(i >> 2 & 1);
            touch->distance[i] = distance_from(&s, corner_of(g, at, x, y, z), &touch->nearest[i]);
        }
    }
}

// The corners of a face: distances and nearest solids, and the one that is nearest of all. Returns how many.
static int corners_of_face(const PressureGrid* g, const GridTouch* touch, int f, float d[4],
                           int* solid)
{
    int n = 0, its;
    float least = INFINITY;
    for (int i = 0; i < 1 << g->dims; ++i) {
        if ((i >> f / 2 & 1) != f % 2) continue;
        const GridTouch* owner = &g->touches[owner_of(g, touch, i, &its)];
        d[n] = owner->distance[its];
        if (d[n] < least) least = d[n], *solid = owner->nearest[its];
        ++n;
    }
    return n;
}

static float farthest_of(const float d[4], int n)
{
    float most = d[0];
    for (int i = 1; i < n; ++i) most = tarn_maxf(most, d[i]);
    return most;
}

static void close_face(PressureGrid* g, GridTouch* touch, int f, const Sight* s, const View* from,
                       TarnVec3 here)
{
    int axis = f / 2, side = f % 2, solid = -1, nearest, dims = g->dims;
    const int* at = g->surface.level[0].at + 3 * touch->cell;
    float d[4], middle[3] = { 0.5f, 0.5f, 0.5f };
    int n = corners_of_face(g, touch, f, d, &solid);
    float open = open_part(d, dims, g->width[axis == 0 ? 1 : 0]);
    if (solid < 0) solid = from->at[0].solid;
    middle[axis] = (float)side;
    TarnVec3 there = corner_of(g, at, middle[0], middle[1], middle[2]);
    // Distances change no faster than places: most faces need no more views.
    float apart = vec3_length(vec3_sub(there, here)), wide = g->width[axis == 0 ? 1 : 0];
    float clear = farthest_of(d, n) - (dims == 3 ? 0.75f : 0.5f) * wide;
    if (open > 0.0f && from->at[0].distance + clear < 1.01f * apart) {
        View to = view_from(s, there);
        int between = hidden_by(from, &to, apart);
        if (between >= 0) open = 0.0f, solid = between;
    }
    if (open > 0.0f && beyond(g, touch->cell, f) == g->n) {
        middle[axis] = side ? 1.5f : -0.5f;
        TarnVec3 past = corner_of(g, at, middle[0], middle[1], middle[2]);
        if (clear - 0.5f * g->width[axis] < sliver * g->width[axis] &&
            distance_from(s, past, &nearest) < sliver * g->width[axis]) {
            open = 0.0f;
            solid = nearest;
        }
    }
    touch->solid[f] = solid;
    g->opening[2 * dims * touch->cell + f] = open;
}

static void touch_block(int block, void* data)
{
    PressureGrid* g = data;
    for (int t = block * GRID_TOUCH_BLOCK; t < touches_end(g, block); ++t) {
        GridTouch* touch = &g->touches[t];
        Sight s;
        look_around(g, touch->cell, &s);
        TarnVec3 here = mean_place(g, touch->cell);
        View from = view_from(&s, here);
        if (from.n == 0) continue;
        for (int f = 0; f < 2 * g->dims; ++f) close_face(g, touch, f, &s, &from, here);
    }
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
        GridTouch* touch = &g->touches[g->n_touches++];
        *touch = (GridTouch){ .cell = c };
        for (int f = 0; f < 2 * g->dims; ++f) touch->solid[f] = touch->body[f] = -1;
    }
    if (g->n_touches == 0) return;
    int blocks = (g->n_touches + GRID_TOUCH_BLOCK - 1) / GRID_TOUCH_BLOCK;
    tarn__parallel_for(g->l->ctx, blocks, corners_block, g);
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
    body->center = tarn__solids_motion(g->l->solids, slot, g->l->solids_at).position;
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
           g->touches[g->touch_of[other]].body[f ^ 1] < 0;
}

typedef struct HeldFace {
    int face;                      // index in the arrays of faces
    float j[SURFACE_DOFS], closed; // closed: part that moves with the solid
    double mass;                   // [kg]
    GridBody* body;
} HeldFace;

// Motion along the axis of a face, at its middle, for the velocities of the solid that closes it.
static void face_wrench(const PressureGrid* g, const GridTouch* touch, int f, float j[SURFACE_DOFS])
{
    int axis = f / 2;
    float middle[3] = { 0.5f, 0.5f, 0.5f };
    middle[axis] = (float)(f % 2);
    const int* at = g->surface.level[0].at + 3 * touch->cell;
    TarnVec3 there = corner_of(g, at, middle[0], middle[1], middle[2]);
    TarnVec3 along = { axis == 0, axis == 1, axis == 2 };
    wrench(g->dims, vec3_sub(there, g->bodies[touch->body[f]].center), along, j);
}

// A face of a touch that is closed in part, false: it is not.
static bool closed_face(const PressureGrid* g, const GridTouch* touch, int f, HeldFace* out)
{
    int faces = 2 * g->dims;
    out->face = faces * touch->cell + f;
    out->closed = grid_held_part(g->opening[out->face]);
    if (touch->body[f] < 0 || !(g->opening[out->face] < 1.0f) || !is_owned(g, touch, f))
        return false;
    face_wrench(g, touch, f, out->j);
    out->mass = (double)(out->closed * g->fill[out->face] * g->unit / g->lightness[touch->cell]);
    out->body = &g->bodies[touch->body[f]];
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

static void find_bodies(PressureGrid* g)
{
    int slots = tarn__solids_capacity(g->l->solids);
    for (int s = 0; s < slots && s < GRID_MAX_SLOTS; ++s) g->body_of[s] = -1;
    for (int t = 0; t < g->n_touches; ++t) {
        for (int f = 0; f < 2 * g->dims; ++f) {
            int solid = g->touches[t].solid[f];
            if (solid < 0 || solid >= GRID_MAX_SLOTS) continue;
            if (grid_is_wall(g, g->touches[t].cell, f)) continue; // the box's, not the solid's
            if (g->body_of[solid] < 0 && g->n_bodies < GRID_MAX_BODIES) {
                g->body_of[solid] = (int16_t)g->n_bodies;
                add_body(g, solid);
            }
            g->touches[t].body[f] = g->body_of[solid];
        }
    }
}

// What a cell's pressure does to a body, over the mass of a cell: its surface is what the faces lack.
static void hold_of(const PressureGrid* g, const GridTouch* touch, int body, float k[SURFACE_DOFS])
{
    for (int i = 0; i < SURFACE_DOFS; ++i) k[i] = 0.0f;
    for (int f = 0; f < 2 * g->dims; ++f) {
        float closed = 1.0f - g->opening[2 * g->dims * touch->cell + f], j[SURFACE_DOFS];
        if (touch->body[f] != body || !(closed > 0.0f)) continue;
        face_wrench(g, touch, f, j);
        float area = (f % 2 ? -closed : closed) * g->per_m[f / 2];
        for (int i = 0; i < SURFACE_DOFS; ++i) k[i] += area * j[i];
    }
}

static bool is_first_of(const GridTouch* touch, int f)
{
    for (int e = 0; e < f; ++e)
        if (touch->body[e] == touch->body[f]) return false;
    return touch->body[f] >= 0;
}

static void add_holds(PressureGrid* g, const GridTouch* touch)
{
    SurfaceLevel* v = &g->surface.level[0];
    for (int f = 0; f < 2 * g->dims; ++f) {
        if (!is_first_of(touch, f) || v->n_holds == g->surface.max_holds) continue;
        if (!(g->bodies[touch->body[f]].inverse[0] > 0.0)) continue;
        SurfaceHold* hold = &v->holds[v->n_holds++];
        *hold = (SurfaceHold){ .cell = touch->cell, .body = touch->body[f] };
        hold_of(g, touch, touch->body[f], hold->k);
    }
}

void tarn__pressure_grid_hold(PressureGrid* g)
{
    HeldFace h;
    if (g->n_touches == 0) return;
    find_bodies(g);
    for (int t = 0; t < g->n_touches; ++t) {
        GridTouch* touch = &g->touches[t];
        for (int f = 0; f < 2 * g->dims; ++f) {
            if (!held_face(g, touch, f, &h)) continue;
            double nearer = along_of(h.body, h.j) - (double)g->u[h.face];
            bool comes = (f % 2 ? nearer : -nearer) < 0.0;
            if (!comes && !is_pressed(g, touch, f)) continue;
            touch->held |= (uint8_t)(1u << f);
            attach(h.body, h.j, h.mass, (double)g->u[h.face]);
        }
    }
    FreeSurface* s = &g->surface;
    s->n_bodies = g->n_bodies;
    for (int b = 0; b < g->n_bodies; ++b)
        for (int i = 0; i < SURFACE_DOFS * SURFACE_DOFS; ++i)
            s->bodies[b].answer[i] = (float)(g->bodies[b].inverse[i] * (double)g->unit);
    for (int t = 0; t < g->n_touches; ++t) {
        GridTouch* touch = &g->touches[t];
        for (int f = 0; f < 2 * g->dims; ++f)
            if (closed_face(g, touch, f, &h)) set_target(g, touch, f, (float)along_of(h.body, h.j));
        add_holds(g, touch);
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
        double push = -(double)(phi[touch->cell] * g->unit);
        for (int f = 0; f < 2 * g->dims; ++f) {
            float k[SURFACE_DOFS];
            if (!is_first_of(touch, f)) continue;
            hold_of(g, touch, touch->body[f], k);
            double* impulse = g->bodies[touch->body[f]].impulse;
            for (int i = 0; i < SURFACE_DOFS; ++i) impulse[i] += push * (double)k[i];
        }
        for (int f = 0; f < 2 * g->dims; ++f) {
            if (!held_face(g, touch, f, &h)) continue;
            bool is_held = (touch->held >> f & 1) != 0;
            float speed = is_held ? (float)along_of(h.body, h.j) : g->u[h.face];
            set_target(g, touch, f, speed);
            double loss = h.mass * (double)(g->u[h.face] - speed);
            for (int i = 0; i < SURFACE_DOFS; ++i) h.body->impulse[i] += loss * (double)h.j[i];
        }
    }
    for (int b = 0; b < g->n_bodies; ++b)
        tarn__solids_add_push(g->l->solids, g->bodies[b].solid, g->bodies[b].impulse,
                              g->bodies[b].impulse + 3, 0);
}
