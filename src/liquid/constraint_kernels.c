// The loops of the constraint method: densities, and the rows of a sweep.
//
// A particle's place and velocity are one piece of memory, so that a neighbor is one load (in 3-D two); what
// a row needs of its neighbors is computed where it is used, and kept nowhere. Everything is written out in a
// fixed order of operations: the same bits on every machine.

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
TARN_INLINE TarnF4 low_of(TarnF8 v)
{
    return __builtin_shufflevector(v, v, 0, 1, 2, 3);
}
TARN_INLINE TarnF4 high_of(TarnF8 v)
{
    return __builtin_shufflevector(v, v, 4, 5, 6, 7);
}
TARN_INLINE float sum_of(TarnF8 v)
{
    TarnF4 s = low_of(v) + high_of(v);
    return (s[0] + s[2]) + (s[1] + s[3]);
}

// ---- Neighbors -----------------------------------------------------------------------------------

typedef struct Eight {
    TarnF8 a, b, c, d;
} Eight;

// Four floats each of eight particles, as eight of each.
TARN_INLINE Eight load_eight(const float* of, size_t stride, const int* list)
{
    TarnF8 r[4];
    for (int i = 0; i < 4; ++i)
        r[i] = f8_of(f4_load(of + stride * (size_t)list[i]),
                     f4_load(of + stride * (size_t)list[i + 4]));
    TarnF8 ab0 = weave_low(r[0], r[1]), ab1 = weave_low(r[2], r[3]);
    TarnF8 cd0 = weave_high(r[0], r[1]), cd1 = weave_high(r[2], r[3]);
    return (Eight){ join_low(ab0, ab1), join_high(ab0, ab1), join_low(cd0, cd1),
                    join_high(cd0, cd1) };
}

// The other way round: four of each particle, [i] of the particles i and i + 4.
TARN_INLINE void deal_eight(TarnF8 a, TarnF8 b, TarnF8 c, TarnF8 d, TarnF8 out[4])
{
    TarnF8 ab0 = weave_low(a, b), ab1 = weave_high(a, b);
    TarnF8 cd0 = weave_low(c, d), cd1 = weave_high(c, d);
    out[0] = join_low(ab0, cd0);
    out[1] = join_high(ab0, cd0);
    out[2] = join_low(ab1, cd1);
    out[3] = join_high(ab1, cd1);
}

// Rows write to whole groups of neighbors: what fills up the last one is the particle itself, as the ghost
// belongs to all workers. Gradients there are 0.
TARN_INLINE const int* own_group(const int* group, int ghost, int self, int out[TARN_LANES])
{
    TarnI8 n = i8_load(group), is_ghost = i8_equal(n, i8_set(ghost));
    i8_store(out, (n & ~is_ghost) | (i8_set(self) & is_ghost));
    return out;
}

// 1 / sqrt(a), to 5e-6 of it, for a fifth of the time of a root and a division; finite for 0. Whole numbers and
// products only, so the same bits everywhere.
TARN_INLINE TarnF8 inverse_sqrt(TarnF8 a)
{
    TarnF8 y = f8_from_bits(i8_set(0x5f375a86) - (f8_bits(a) >> 1)), half = a * 0.5f;
    y = y * (f8_set(1.5f) - half * y * y);
    return y * (f8_set(1.5f) - half * y * y);
}

// ---- Densities -----------------------------------------------------------------------------------

TARN_INLINE void weigh_particle(const ConstraintWork* w, int p, bool is_3d)
{
    const TarnLiquid* l = w->l;
    const size_t stride = is_3d ? STATE_3D : STATE_2D;
    const float* at = w->state + stride * (size_t)p;
    const int* list = l->neighbors.list + (size_t)p * (size_t)l->neighbors.slots;
    TarnF8 sum = f8_set(0.0f);
    for (int k = 0, count = l->neighbors.count[p]; k < count; k += TARN_LANES) {
        Eight n = load_eight(w->state, stride, list + k);
        TarnF8 dx = n.a - at[0], dy = n.b - at[1], r2 = dx * dx + dy * dy;
        if (is_3d) {
            TarnF8 dz = n.c - at[2];
            r2 = r2 + dz * dz;
        }
        TarnF8 r = r2 * inverse_sqrt(r2);
        TarnF8 a = f8_max(f8_set(1.0f) - r * w->inverse_h, f8_set(0.0f));
        sum += constraint_kernel(a, w->is_talk);
    }
    float ratio = w->weight + w->weight * sum_of(sum);
    if (l->contact_count[p] > 0) ratio += tarn__constraint_walls(w, p).share;
    w->ratio[p] = ratio;
    l->density[p] = ratio * l->kinds[l->kind[p]].density;
}

static void weigh(const ConstraintWork* w, int begin, int end)
{
    if (w->dims == 3)
        for (int p = begin; p < end; ++p) weigh_particle(w, p, true);
    else
        for (int p = begin; p < end; ++p) weigh_particle(w, p, false);
}

// ---- Rows ----------------------------------------------------------------------------------------

enum { MAX_GROUPS = LIQUID_SLOTS_3D / TARN_LANES };

// What a row knows of eight neighbors: gradients over the root of their mass, and velocities. x, y in 2-D only,
// none in 3-D only: what is stored along with the velocities. (A load waits long for a store of a part of it.)
typedef struct Group {
    TarnF8 gx, gy, gz, ux, uy, uz, x, y, none;
    const int* list;
} Group;

typedef struct RowSums {
    TarnF8 gx, gy, gz, mass, flow;
} RowSums;

TARN_INLINE void load_group(const ConstraintWork* w, const float* at, Group* g, RowSums* s,
                            bool is_3d, bool is_mixed)
{
    const size_t stride = is_3d ? STATE_3D : STATE_2D;
    Eight n = load_eight(w->state, stride, g->list), m;
    TarnF8 dx = n.a - at[0], dy = n.b - at[1], dz = f8_set(0.0f), r2 = dx * dx + dy * dy;
    if (is_3d) {
        dz = n.c - at[2];
        r2 = r2 + dz * dz;
        m = load_eight(w->state + 4, stride, g->list);
    }
    TarnF8 per_r = inverse_sqrt(r2), r = r2 * per_r;
    TarnF8 a = f8_max(f8_set(1.0f) - r * w->inverse_h, f8_set(0.0f));
    TarnF8 scale = a * (2.0f * w->slope_of_kernel) * per_r;
    TarnF8 gx = dx * scale, gy = dy * scale, gz = dz * scale;
    s->gx += gx;
    s->gy += gy;
    s->gz += gz;
    TarnF8 root = f8_set(w->inverse_root[0]);
    if (is_mixed) root = is_3d ? n.d : f8_gather_at(w->root, g->list);
    g->gx = gx * root;
    g->gy = gy * root;
    g->gz = gz * root;
    g->ux = is_3d ? m.a : n.c;
    g->uy = is_3d ? m.b : n.d;
    if (is_3d) {
        g->uz = m.c;
        g->none = m.d;
    } else {
        g->x = n.a;
        g->y = n.b;
    }
    TarnF8 mass = g->gx * g->gx + g->gy * g->gy, flow = g->gx * g->ux + g->gy * g->uy;
    if (is_3d) {
        mass += g->gz * g->gz;
        flow += g->gz * g->uz;
    }
    s->mass += mass;
    s->flow += flow;
}

TARN_INLINE void push_group(const ConstraintWork* w, const Group* g, float impulse, bool is_3d)
{
    TarnF8 ux = g->ux + g->gx * impulse, uy = g->uy + g->gy * impulse;
    const int* n = g->list;
    TarnF8 out[4];
    if (is_3d)
        deal_eight(ux, uy, g->uz + g->gz * impulse, g->none, out);
    else
        deal_eight(g->x, g->y, ux, uy, out);
    float* to = w->state + (is_3d ? 4 : 0);
    const size_t stride = is_3d ? STATE_3D : STATE_2D;
    for (int i = 0; i < 4; ++i) {
        f4_store(to + stride * (size_t)n[i], low_of(out[i]));
        f4_store(to + stride * (size_t)n[i + 4], high_of(out[i]));
    }
}

// Puts the neighbors of a clump apart, without velocity.
TARN_INLINE void shift_group(const ConstraintWork* w, const Group* g, float by, bool is_3d)
{
    for (int i = 0; i < TARN_LANES; ++i) {
        w->shift[0][g->list[i]] += g->gx[i] * by;
        w->shift[1][g->list[i]] += g->gy[i] * by;
        if (is_3d) w->shift[2][g->list[i]] += g->gz[i] * by;
    }
}

// groups: of its neighbors; a constant where that pays.
TARN_INLINE void solve_row_of(const ConstraintWork* w, int p, int groups, bool is_3d, bool is_mixed)
{
    const TarnLiquid* l = w->l;
    float* at = w->state + (is_3d ? STATE_3D : STATE_2D) * (size_t)p;
    float* u = at + (is_3d ? 4 : 2);
    const int* list = l->neighbors.list + (size_t)p * (size_t)l->neighbors.slots;
    int count = l->neighbors.count[p], last[TARN_LANES];
    Group group[MAX_GROUPS];
    TarnF8 none = f8_set(0.0f);
    RowSums s = { none, none, none, none, none };
    for (int k = 0; k < groups; ++k) {
        const int* from = list + TARN_LANES * k;
        bool is_whole = k + 1 < groups || count % TARN_LANES == 0;
        group[k].list = is_whole ? from : own_group(from, l->n, p, last);
        load_group(w, at, &group[k], &s, is_3d, is_mixed);
    }
    TarnVec3 g = { sum_of(s.gx), sum_of(s.gy), is_3d ? sum_of(s.gz) : 0.0f };
    float mass = sum_of(s.mass), flow = sum_of(s.flow), root = w->root[p];
    if (l->contact_count[p] > 0) {
        ConstraintWalls walls = tarn__constraint_walls(w, p);
        mass += walls.mass;
        g = vec3_add(g, walls.gradient);
    }
    g = vec3_scale(g, root);
    mass += vec3_dot(g, g);
    // Where next to nothing is near, a hair of compliance: the mass of one neighbor at 0.97 of the radius.
    mass += 4e-3f * w->slope_of_kernel * w->slope_of_kernel * root * root;
    float inverse = mass > 0.0f ? 1.0f / mass : 0.0f;
    float error = w->ratio[p] - 1.0f, rate = error * w->per_dt;
    if (error > 0.0f) rate = tarn_minf(rate * w->stiffness, w->max_rate);
    rate += g.x * u[0] + g.y * u[1] - flow;
    if (is_3d) rate += g.z * u[2];
    if (l->contact_count[p] > 0) rate += tarn__constraint_wall_rate(w, p);
    float before = w->lambda[p], after = tarn_maxf(0.0f, before + rate * inverse);
    float impulse = after - before;
    w->lambda[p] = after;
    if (impulse != 0.0f) {
        for (int k = 0; k < groups; ++k) push_group(w, &group[k], impulse, is_3d);
        float* own = is_3d ? u : at;
        TarnF4 change = is_3d ? (TarnF4){ g.x, g.y, g.z, 0.0f } : (TarnF4){ 0.0f, 0.0f, g.x, g.y };
        f4_store(own, f4_load(own) - change * impulse);
    }
    if (error > w->push_from && w->is_last) {
        float by = tarn_minf(error - w->push_from, 0.5f) * inverse;
        for (int k = 0; k < groups; ++k) shift_group(w, &group[k], by, is_3d);
        w->shift[0][p] -= g.x * by;
        w->shift[1][p] -= g.y * by;
        if (is_3d) w->shift[2][p] -= g.z * by;
    }
    if (l->contact_count[p] > 0) tarn__constraint_contacts(w, p, after);
}

TARN_INLINE void solve_row(const ConstraintWork* w, int p, bool is_3d, bool is_mixed)
{
    int groups = (w->l->neighbors.count[p] + TARN_LANES - 1) / TARN_LANES;
    if (groups == 2 && !is_3d)
        solve_row_of(w, p, 2, is_3d, is_mixed);
    else
        solve_row_of(w, p, groups, is_3d, is_mixed);
}

// Two halves in turn: a row waits for what the one before it did to shared neighbors, and rows of the other
// half, some cells away, share none.
TARN_INLINE void solve_rows(const ConstraintWork* w, int begin, int end, bool is_down, bool is_3d,
                            bool is_mixed)
{
    int n = end - begin, half = (n + 1) / 2, step = is_down ? -1 : 1, p = is_down ? end - 1 : begin;
    int q = p + step * half;
    for (int i = 0; i < half; ++i, p += step, q += step) {
        solve_row(w, p, is_3d, is_mixed);
        if (half + i == n) break;
        solve_row(w, q, is_3d, is_mixed);
    }
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
const ConstraintKernels TARN_KERNEL(tarn__constraint_kernels) = { weigh, solve };
