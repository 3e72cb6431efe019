// The loops of the constraint method: densities, and the rows of a sweep.
//
// Places and velocities are pieces of memory of a particle each, so that a neighbor is two loads; apart from one
// another, as a row waits for velocities that the row before it has stored, and places need not wait. What does
// not depend on velocities is summed up once per substep, along with the densities; gradients are computed where
// they are used, and kept nowhere. Everything is written out in a fixed order of operations: the same bits on every
// machine.

#include "liquid/constraint_kernels.h"
#include "base/kernels.h"

TARN_INLINE TarnF8 f8_of(TarnF4 low, TarnF4 high)
{
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
}
// Of the two of four lanes each, in turn: the lower, the upper halves.
TARN_INLINE TarnF8 weave_low(TarnF8 a, TarnF8 b)
{
    return __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13);
}
TARN_INLINE TarnF8 weave_high(TarnF8 a, TarnF8 b)
{
    return __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15);
}
TARN_INLINE TarnF8 join_low(TarnF8 a, TarnF8 b)
{
    return __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13);
}
TARN_INLINE TarnF8 join_high(TarnF8 a, TarnF8 b)
{
    return __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
}
// ---- Neighbors -----------------------------------------------------------------------------------

typedef struct Eight {
    TarnF8 a, b, c, d;
} Eight;

// Four floats each of eight particles, as eight of each.
TARN_INLINE Eight load_eight(const float* of, const int* list)
{
    TarnF8 r[4];
    for (int i = 0; i < 4; ++i)
        r[i] = f8_of(f4_load(of + 4 * (size_t)list[i]), f4_load(of + 4 * (size_t)list[i + 4]));
    TarnF8 ab0 = weave_low(r[0], r[1]), ab1 = weave_low(r[2], r[3]);
    TarnF8 cd0 = weave_high(r[0], r[1]), cd1 = weave_high(r[2], r[3]);
    return (Eight){ join_low(ab0, ab1), join_high(ab0, ab1), join_low(cd0, cd1),
                    join_high(cd0, cd1) };
}

// Two floats each of eight particles.
TARN_INLINE void load_pairs(const float* of, const int* list, TarnF8* a, TarnF8* b)
{
    double v[TARN_LANES];
    for (int i = 0; i < TARN_LANES; ++i) memcpy(&v[i], of + 2 * (size_t)list[i], sizeof v[i]);
    TarnF8 p = (TarnF8)(TarnD4){ v[0], v[1], v[4], v[5] };
    TarnF8 q = (TarnF8)(TarnD4){ v[2], v[3], v[6], v[7] };
    *a = __builtin_shufflevector(p, q, 0, 2, 8, 10, 4, 6, 12, 14);
    *b = __builtin_shufflevector(p, q, 1, 3, 9, 11, 5, 7, 13, 15);
}
TARN_INLINE TarnF8 load_roots(const float* of, const int* list)
{
    float v[TARN_LANES];
    for (int i = 0; i < TARN_LANES; ++i) v[i] = of[4 * (size_t)list[i]];
    return f8_load(v);
}
TARN_INLINE void store_pairs(float* to, const int* list, TarnF8 a, TarnF8 b)
{
    static const int half[4] = { 0, 1, 4, 5 };
    TarnD4 low = (TarnD4)weave_low(a, b), high = (TarnD4)weave_high(a, b);
    for (int i = 0; i < 4; ++i) {
        double first = low[i], second = high[i];
        memcpy(to + 2 * (size_t)list[half[i]], &first, sizeof first);
        memcpy(to + 2 * (size_t)list[half[i] + 2], &second, sizeof second);
    }
}

// The other way round.
TARN_INLINE void store_eight(float* to, const int* list, TarnF8 a, TarnF8 b, TarnF8 c, TarnF8 d)
{
    TarnF8 ab0 = weave_low(a, b), ab1 = weave_high(a, b);
    TarnF8 cd0 = weave_low(c, d), cd1 = weave_high(c, d);
    TarnF8 out[4] = { join_low(ab0, cd0), join_high(ab0, cd0), join_low(ab1, cd1),
                      join_high(ab1, cd1) };
    for (int i = 0; i < 4; ++i) {
        f4_store(to + 4 * (size_t)list[i], f8_low(out[i]));
        f4_store(to + 4 * (size_t)list[i + 4], f8_high(out[i]));
    }
}

// Rows write to whole groups of neighbors: what fills up the last one is the particle itself, as the ghost
// belongs to all workers. Gradients there are 0.
TARN_INLINE const int* own_group(const int* group, int ghost, int self, int out[TARN_LANES])
{
    TarnI8 n = i8_load(group), is_ghost = i8_equal(n, i8_set(ghost));
    i8_store(out, (n & ~is_ghost) | (i8_set(self) & is_ghost));
    return out;
}

// ---- Densities and what rows have for the whole substep ------------------------------------------------

// Eight neighbors as one particle sees them: offsets, 1 - r / h, 1 / r, and their inverse roots of mass.
typedef struct Around {
    TarnF8 dx, dy, dz, a, per_r, root;
} Around;

TARN_INLINE Around look_at(const ConstraintWork* w, const float* at, const int* list, bool is_3d,
                           bool is_mixed)
{
    Around n;
    n.root = f8_set(w->inverse_root[0]);
    TarnF8 r2;
    if (is_3d) {
        Eight e = load_eight(w->place, list);
        n.dx = e.a - at[0];
        n.dy = e.b - at[1];
        n.dz = e.c - at[2];
        r2 = (n.dx * n.dx + n.dy * n.dy) + n.dz * n.dz;
        if (is_mixed) n.root = e.d;
    } else {
        load_pairs(w->place, list, &n.dx, &n.dy);
        n.dx -= at[0];
        n.dy -= at[1];
        n.dz = f8_set(0.0f);
        r2 = n.dx * n.dx + n.dy * n.dy;
        if (is_mixed) n.root = load_roots(w->row + 2, list);
    }
    n.per_r = f8_inverse_sqrt(r2);
    n.a = f8_max(f8_set(1.0f) - (r2 * n.per_r) * w->inverse_h, f8_set(0.0f));
    return n;
}

// Where next to nothing is near, a hair of compliance: the mass of one neighbor at 0.97 of the radius.
static const float compliance = 4e-3f;

// Of a neighbor's a = 1 - r / h: sums of the kernel, of a times the unit vector towards it, of a^2 over its mass.
typedef struct Seen {
    float kernel, mass;
    TarnVec3 g;
} Seen;

TARN_INLINE Seen look_around(const ConstraintWork* w, int p, bool is_3d, bool is_mixed)
{
    const TarnLiquid* l = w->l;
    const float* at = constraint_place(w, p);
    const int* list = l->neighbors.list + neighbors_at(&l->neighbors, p);
    TarnF8 none = f8_set(0.0f), sum = none, gx = none, gy = none, gz = none, mass = none;
    for (int k = 0, count = l->neighbors.count[p]; k < count; k += TARN_LANES) {
        Around n = look_at(w, at, list + k, is_3d, is_mixed);
        TarnF8 e = n.a * n.per_r, per_root = n.a * n.root;
        sum += constraint_kernel(n.a, w->is_talk);
        gx += n.dx * e;
        gy += n.dy * e;
        if (is_3d) gz += n.dz * e;
        mass += per_root * per_root;
    }
    TarnF4 sums = f8_sums(sum, gx, gy, mass);
    return (Seen){ sums[0], sums[3], { sums[1], sums[2], is_3d ? f8_sum(gz) : 0.0f } };
}

TARN_INLINE void weigh_particle(const ConstraintWork* w, int p, const Seen* seen)
{
    const TarnLiquid* l = w->l;
    float slope = 2.0f * w->slope_of_kernel, root = constraint_root(w, p);
    float ratio = w->weight + w->weight * seen->kernel, mass = slope * slope * seen->mass;
    TarnVec3 g = vec3_scale(seen->g, slope);
    if (l->contact_count[p] > 0) {
        ConstraintWalls walls = tarn__constraint_walls(w, p);
        ratio += walls.share;
        mass += walls.mass;
        g = vec3_add(g, walls.gradient);
    }
    g = vec3_scale(g, root);
    mass += vec3_dot(g, g) + compliance * w->slope_of_kernel * w->slope_of_kernel * root * root;
    float *row = w->row + 4 * (size_t)p, inverse = mass > 0.0f ? 1.0f / mass : 0.0f;
    if (w->dims == 3)
        f4_store(row, (TarnF4){ g.x, g.y, g.z, inverse });
    else // the third is the root, which other threads read now
        row[0] = g.x, row[1] = g.y, row[3] = inverse;
    w->ratio[p] = ratio;
}

TARN_INLINE void weigh_all(const ConstraintWork* w, int begin, int end, bool is_3d, bool is_mixed)
{
    for (int p = begin; p < end; ++p) {
        Seen seen = look_around(w, p, is_3d, is_mixed);
        weigh_particle(w, p, &seen);
    }
}

static void weigh(const ConstraintWork* w, int begin, int end)
{
    if (w->dims == 3 && w->is_mixed)
        weigh_all(w, begin, end, true, true);
    else if (w->dims == 3)
        weigh_all(w, begin, end, true, false);
    else if (w->is_mixed)
        weigh_all(w, begin, end, false, true);
    else
        weigh_all(w, begin, end, false, false);
}

// ---- Clumps --------------------------------------------------------------------------------------

// Moves a particle, but not into a solid.
static void shift_by(const ConstraintWork* w, int p, TarnVec3 by)
{
    const TarnLiquid* l = w->l;
    LiquidContact* contact = l->contacts + l->contact_begin[p];
    for (int i = 0; i < l->contact_count[p]; ++i) {
        const LiquidPlace* at = &contact[i].at;
        float room = tarn_maxf(at->distance - w->skin, 0.0f), along = vec3_dot(by, at->normal);
        if (along < -room) by = vec3_add(by, vec3_scale(at->normal, -room - along));
    }
    for (int i = 0; i < l->contact_count[p]; ++i)
        contact[i].at.distance += vec3_dot(by, contact[i].at.normal);
    float* at = constraint_place(w, p);
    at[0] += by.x;
    at[1] += by.y;
    if (w->dims == 3) at[2] += by.z;
    w->lambda[p] = CONSTRAINT_MOVED;
}

// One row for places: the density falls to the limit, if nothing else moves. True: something moved.
TARN_INLINE bool part(const ConstraintWork* w, int p, bool is_3d)
{
    const TarnLiquid* l = w->l;
    Seen seen = look_around(w, p, is_3d, true);
    weigh_particle(w, p, &seen);
    float error = w->ratio[p] - 1.0f - w->push_from;
    if (!(error > 0.0f)) return false;
    const float *row = w->row + 4 * (size_t)p, *at = constraint_place(w, p);
    const int* list = l->neighbors.list + neighbors_at(&l->neighbors, p);
    float by = tarn_minf(error + w->push_more, 0.5f) * row[3], root = constraint_root(w, p);
    for (int k = 0, count = l->neighbors.count[p]; k < count; k += TARN_LANES) {
        Around n = look_at(w, at, list + k, is_3d, true);
        TarnF8 g = n.a * n.per_r * (n.root * n.root) * (2.0f * w->slope_of_kernel * by);
        for (int i = 0; i < TARN_LANES && k + i < count; ++i)
            if (g[i] > 0.0f)
                shift_by(w, list[k + i],
                         (TarnVec3){ g[i] * n.dx[i], g[i] * n.dy[i], g[i] * n.dz[i] });
    }
    shift_by(w, p, vec3_scale((TarnVec3){ row[0], row[1], is_3d ? row[2] : 0.0f }, -by * root));
    return true;
}

static bool put_apart(const ConstraintWork* w, int begin, int end)
{
    bool has_moved = false;
    TarnF8 limit = f8_set(1.0f + w->push_from), none = f8_set(0.0f);
    for (int first = begin; first < end; first += TARN_LANES) {
        unsigned bits = i8_mask_bits(f8_less(limit, f8_load(w->ratio + first)) |
                                     f8_less(none, f8_load(w->lambda + first)));
        for (int p = first; bits != 0 && p < end; ++p, bits >>= 1)
            if (bits & 1u) has_moved |= w->dims == 3 ? part(w, p, true) : part(w, p, false);
    }
    return has_moved;
}

// ---- Rows ----------------------------------------------------------------------------------------

enum { MAX_GROUPS = LIQUID_SLOTS_3D / TARN_LANES };

// What a row knows of eight neighbors: gradients over the root of their mass, and velocities. none: what is stored
// along with the velocities in 3-D. (A load waits long for a store of a part of it.)
typedef struct Group {
    TarnF8 gx, gy, gz, ux, uy, uz, none;
    const int* list;
} Group;

typedef struct Row {
    int p, groups;
    int last[TARN_LANES]; // neighbors of the last group
    Group group[MAX_GROUPS];
    float flow, impulse;
} Row;

// groups: of its neighbors; a constant where that pays.
TARN_INLINE void load_row(const ConstraintWork* w, Row* row, int p, int groups, bool is_3d,
                          bool is_mixed)
{
    const TarnLiquid* l = w->l;
    const float* at = constraint_place(w, p);
    const int* list = l->neighbors.list + neighbors_at(&l->neighbors, p);
    TarnF8 flow = f8_set(0.0f), slope = f8_set(2.0f * w->slope_of_kernel);
    row->p = p;
    row->groups = groups;
    for (int k = 0; k < groups; ++k) {
        Group* g = &row->group[k];
        g->list = list + TARN_LANES * k;
        if (k + 1 == groups) g->list = own_group(g->list, l->n, p, row->last);
        Around n = look_at(w, at, g->list, is_3d, is_mixed);
        TarnF8 scale = (n.a * slope) * (n.per_r * n.root);
        g->gx = n.dx * scale;
        g->gy = n.dy * scale;
        g->gz = n.dz * scale;
        if (is_3d) {
            Eight u = load_eight(w->u, g->list);
            g->ux = u.a, g->uy = u.b, g->uz = u.c, g->none = u.d;
            flow += (g->gx * g->ux + g->gy * g->uy) + g->gz * g->uz;
        } else {
            load_pairs(w->u, g->list, &g->ux, &g->uy);
            flow += g->gx * g->ux + g->gy * g->uy;
        }
    }
    row->flow = f8_sum(flow);
}

TARN_INLINE void weigh_row(const ConstraintWork* w, Row* row, bool is_3d)
{
    const TarnLiquid* l = w->l;
    int p = row->p;
    const float *u = constraint_u(w, p), *own = w->row + 4 * (size_t)p;
    float error = (w->ratio[p] - 1.0f) * w->per_dt; // one of the two is 0
    float rate = tarn_minf(tarn_maxf(error, 0.0f) * w->stiffness, w->max_rate);
    rate += tarn_minf(error, 0.0f);
    rate += own[0] * u[0] + own[1] * u[1] - row->flow;
    if (is_3d) rate += own[2] * u[2];
    if (l->contact_count[p] > 0) rate += tarn__constraint_wall_rate(w, p);
    float before = w->lambda[p], after = tarn_maxf(0.0f, before + rate * own[3]);
    row->impulse = after - before;
    w->lambda[p] = after;
}

TARN_INLINE void push_row(const ConstraintWork* w, const Row* row, bool is_3d)
{
    int p = row->p;
    float impulse = row->impulse;
    if (impulse != 0.0f) {
        for (int k = 0; k < row->groups; ++k) {
            const Group* g = &row->group[k];
            TarnF8 ux = g->ux + g->gx * impulse, uy = g->uy + g->gy * impulse;
            if (is_3d)
                store_eight(w->u, g->list, ux, uy, g->uz + g->gz * impulse, g->none);
            else
                store_pairs(w->u, g->list, ux, uy);
        }
        const float* own = w->row + 4 * (size_t)p;
        float* u = constraint_u(w, p);
        float x = u[0] - own[0] * impulse, y = u[1] - own[1] * impulse;
        if (is_3d) {
            f4_store(u, (TarnF4){ x, y, u[2] - own[2] * impulse, 0.0f });
        } else {
            float both[2] = { x, y };
            memcpy(u, both, sizeof both);
        }
    }
    if (w->l->contact_count[p] > 0) tarn__constraint_contacts(w, p, w->lambda[p]);
}

TARN_INLINE int groups_of(const ConstraintWork* w, int p)
{
    return (w->l->neighbors.count[p] + TARN_LANES - 1) / TARN_LANES;
}

TARN_INLINE void solve_row_of(const ConstraintWork* w, int p, int groups, bool is_3d, bool is_mixed)
{
    Row row;
    load_row(w, &row, p, groups, is_3d, is_mixed);
    weigh_row(w, &row, is_3d);
    push_row(w, &row, is_3d);
}

TARN_INLINE void solve_row(const ConstraintWork* w, int p, bool is_3d, bool is_mixed)
{

    int groups = groups_of(w, p);
    if (groups == 2 && !is_3d)
        solve_row_of(w, p, 2, is_3d, is_mixed);
    else
        solve_row_of(w, p, groups, is_3d, is_mixed);
}

// Two rows of which neither waits for the other.
TARN_INLINE void solve_two(const ConstraintWork* w, int p, int q, bool is_3d, bool is_mixed)
{
    solve_row(w, p, is_3d, is_mixed);
    solve_row(w, q, is_3d, is_mixed);
}

// Two halves in turn: rows of the other half are some cells away.
TARN_INLINE void solve_rows(const ConstraintWork* w, int begin, int end, bool is_down, bool is_3d,
                            bool is_mixed)
{
    int n = end - begin, half = n / 2, step = is_down ? -1 : 1, p = is_down ? end - 1 : begin;
    int q = p + step * (n - half);
    for (int i = 0; i < half; ++i, p += step, q += step) solve_two(w, p, q, is_3d, is_mixed);
    if (n > 2 * half) solve_row(w, p, is_3d, is_mixed);
}

static void solve(const ConstraintWork* w, int begin, int end, bool is_down)
{
    if (w->dims == 3 && w->is_mixed)
        solve_rows(w, begin, end, is_down, true, true);
    else if (w->dims == 3)
        solve_rows(w, begin, end, is_down, true, false);
    else if (w->is_mixed)
        solve_rows(w, begin, end, is_down, false, true);
    else
        solve_rows(w, begin, end, is_down, false, false);
}

extern const ConstraintKernels TARN_KERNEL(tarn__constraint_kernels);
const ConstraintKernels TARN_KERNEL(tarn__constraint_kernels) = { weigh, put_apart, solve };
