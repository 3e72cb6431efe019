// The loops of the constraint method: setup with the warm start, and the rows of a sweep.
//
// A row's neighbors are one stream of indices and one of gradients; velocities lie in twos, in 3-D in
// fours, so that a neighbor is one load and one store. Everything is written out in a fixed order of
// operations: the same bits on every machine.

#include "liquid/constraint_kernels.h"
#include "base/kernels.h"

// Two floats each from two places, and back.
TARN_INLINE TarnF4 f4_load_pairs(const float* a, const float* b)
{
    typedef float F2 __attribute__((vector_size(8)));
    F2 low, high;
    memcpy(&low, a, sizeof low);
    memcpy(&high, b, sizeof high);
    return __builtin_shufflevector(low, high, 0, 1, 2, 3);
}
TARN_INLINE void f4_store_pairs(float* a, float* b, TarnF4 v)
{
    float out[4];
    memcpy(out, &v, sizeof v);
    memcpy(a, out, 8);
    memcpy(b, out + 2, 8);
}
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

TARN_INLINE float* u_of(const ConstraintWork* w, int n, bool is_3d)
{
    return w->u + (is_3d ? 4 : 2) * (size_t)n;
}

// ---- Setup ---------------------------------------------------------------------------------------

typedef struct Eight {
    TarnF8 a, b, c, d;
} Eight;

// Four floats each of eight particles, as eight of each.
TARN_INLINE Eight load_eight(const float* of, const int* list)
{
    TarnF8 r[4];
    for (int i = 0; i < 4; ++i)
        r[i] = f8_of(f4_load(of + CONSTRAINT_FLOATS * (size_t)list[i]),
                     f4_load(of + CONSTRAINT_FLOATS * (size_t)list[i + 4]));
    TarnF8 ab0 = weave_low(r[0], r[1]), ab1 = weave_low(r[2], r[3]);
    TarnF8 cd0 = weave_high(r[0], r[1]), cd1 = weave_high(r[2], r[3]);
    return (Eight){ join_low(ab0, ab1), join_high(ab0, ab1), join_low(cd0, cd1),
                    join_high(cd0, cd1) };
}

TARN_INLINE void store_gradients_2d(float* pair, TarnF8 gx, TarnF8 gy)
{
    TarnF8 a = weave_low(gx, gy), b = weave_high(gx, gy);
    f4_store(pair, low_of(a));
    f4_store(pair + 4, low_of(b));
    f4_store(pair + 8, high_of(a));
    f4_store(pair + 12, high_of(b));
}

// Three floats each: every store of four writes over the last of the one before.
TARN_INLINE void store_gradients_3d(float* pair, TarnF8 gx, TarnF8 gy, TarnF8 gz)
{
    TarnF8 none = f8_set(0.0f);
    TarnF8 xy0 = weave_low(gx, gy), xy1 = weave_high(gx, gy);
    TarnF8 z0 = weave_low(gz, none), z1 = weave_high(gz, none);
    TarnF8 p[4] = { join_low(xy0, z0), join_high(xy0, z0), join_low(xy1, z1), join_high(xy1, z1) };
    for (int i = 0; i < 4; ++i) f4_store(pair + 3 * i, low_of(p[i]));
    for (int i = 0; i < 3; ++i) f4_store(pair + 12 + 3 * i, high_of(p[i]));
    TarnF4 last = high_of(p[3]);
    memcpy(pair + 21, &last, 12); // what follows may be another block's
}

// Sums over the neighbors of a particle.
typedef struct Sums {
    TarnF8 density, gx, gy, gz, mass; // mass: of the squares of the gradients over the mass
} Sums;

TARN_INLINE void add_neighbors(const ConstraintWork* w, int p, const int* list, float* pair,
                               bool is_3d, Sums* s)
{
    const float* at = w->place + CONSTRAINT_FLOATS * (size_t)p;
    Eight n = load_eight(w->place, list);
    TarnF8 dx = n.a - at[0], dy = n.b - at[1], dz = f8_set(0.0f);
    TarnF8 r2 = dx * dx + dy * dy;
    if (is_3d) {
        dz = n.c - at[2];
        r2 = r2 + dz * dz;
    }
    TarnF8 r = f8_sqrt(r2);
    TarnF8 a = f8_max(f8_set(1.0f) - r * w->inverse_h, f8_set(0.0f));
    TarnF8 f = a * a;
    s->density += f;
    TarnF8 scale = a * (2.0f * w->slope) / f8_max(r, f8_set(1e-20f));
    TarnF8 gx = dx * scale, gy = dy * scale, gz = dz * scale;
    s->gx += gx;
    s->gy += gy;
    gx *= n.d;
    gy *= n.d;
    if (is_3d) {
        s->gz += gz;
        gz *= n.d;
        s->mass += gx * gx + gy * gy + gz * gz;
        store_gradients_3d(pair, gx, gy, gz);
    } else {
        s->mass += gx * gx + gy * gy;
        store_gradients_2d(pair, gx, gy);
    }
}

// Rows go over whole groups of neighbors, and write to all of them: what fills up the last is the particle
// itself, as the ghost belongs to all workers. Gradients there are 0.
TARN_INLINE void fill_up(int* group, int ghost, int self)
{
    TarnI8 n = i8_load(group), is_ghost = i8_equal(n, i8_set(ghost));
    i8_store(group, (n & ~is_ghost) | (i8_set(self) & is_ghost));
}

TARN_INLINE void set_up_row(const ConstraintWork* w, int p, bool is_3d)
{
    const TarnLiquid* l = w->l;
    size_t slot = (size_t)p * (size_t)w->slots;
    TarnF8 none = f8_set(0.0f);
    Sums s = { none, none, none, none, none };
    int* list = l->neighbors.list + slot;
    int k = 0, count = l->neighbors.count[p];
    for (; k < count; k += TARN_LANES)
        add_neighbors(w, p, list + k, w->pairs + (slot + (size_t)k) * (is_3d ? 3 : 2), is_3d, &s);
    if (k > 0) fill_up(list + k - TARN_LANES, l->n, p);
    float density = w->weight + w->weight * sum_of(s.density), mass = sum_of(s.mass);
    TarnVec3 g = { sum_of(s.gx), sum_of(s.gy), is_3d ? sum_of(s.gz) : 0.0f };
    if (l->contact_count[p] > 0) {
        ConstraintWalls walls = tarn__constraint_walls(w, p);
        density += walls.share;
        mass += walls.mass;
        g = vec3_add(g, walls.gradient);
    }
    float root = w->place[CONSTRAINT_FLOATS * (size_t)p + 3];
    g = vec3_scale(g, root);
    mass += vec3_dot(g, g);
    // Where next to nothing is near, a hair of compliance: the mass of one neighbor at 0.97 of the radius.
    float least = 4e-3f * w->slope * w->slope * root * root;
    float error = density - 1.0f, rate = error / w->dt;
    if (error > 0.0f) rate = tarn_minf(rate * w->stiffness, w->max_rate);
    float* row = w->row + (size_t)ROW_FLOATS * (size_t)p;
    row[ROW_GRADIENT] = g.x;
    row[ROW_GRADIENT + 1] = g.y;
    row[ROW_GRADIENT + 2] = g.z;
    row[ROW_INVERSE] = mass > 0.0f ? 1.0f / (mass + least) : 0.0f;
    row[ROW_BIAS] = rate;
    w->ratio[p] = density;
    l->density[p] = density * l->kinds[l->kind[p]].density;
}

TARN_INLINE void set_up_rows(const ConstraintWork* w, int begin, int end, bool is_3d)
{
    for (int p = begin; p < end; ++p) set_up_row(w, p, is_3d);
}

static void set_up(const ConstraintWork* w, int begin, int end)
{
    if (w->dims == 3)
        set_up_rows(w, begin, end, true);
    else
        set_up_rows(w, begin, end, false);
}

// ---- Rows ----------------------------------------------------------------------------------------

typedef struct Row {
    const int* list;
    const float* pair;
    const float* row;
    float* u;
    int count;
} Row;

TARN_INLINE Row row_of(const ConstraintWork* w, int p, bool is_3d)
{
    size_t slot = (size_t)p * (size_t)w->slots;
    return (Row){ .list = w->l->neighbors.list + slot,
                  .pair = w->pairs + slot * (is_3d ? 3 : 2),
                  .row = w->row + (size_t)ROW_FLOATS * (size_t)p,
                  .u = u_of(w, p, is_3d),
                  .count = w->l->neighbors.count[p] };
}

TARN_INLINE TarnF8 load_four(const ConstraintWork* w, const int* n)
{
    return f8_of(f4_load_pairs(u_of(w, n[0], false), u_of(w, n[1], false)),
                 f4_load_pairs(u_of(w, n[2], false), u_of(w, n[3], false)));
}
TARN_INLINE void store_four(const ConstraintWork* w, const int* n, TarnF8 v)
{
    f4_store_pairs(u_of(w, n[0], false), u_of(w, n[1], false), low_of(v));
    f4_store_pairs(u_of(w, n[2], false), u_of(w, n[3], false), high_of(v));
}

// Sum of gradient times velocity over the neighbors.
TARN_INLINE float flow_2d(const ConstraintWork* w, const Row* r)
{
    TarnF8 a = f8_set(0.0f), b = a;
    for (int k = 0; k < r->count; k += TARN_LANES) {
        a += f8_load(r->pair + 2 * k) * load_four(w, r->list + k);
        b += f8_load(r->pair + 2 * k + 8) * load_four(w, r->list + k + 4);
    }
    return sum_of(a + b);
}
TARN_INLINE float flow_3d(const ConstraintWork* w, const Row* r)
{
    TarnF4 a = f4_set(0.0f), b = a, c = a, d = a;
    for (int k = 0; k < r->count; k += 4) {
        const float* g = r->pair + 3 * k;
        const int* n = r->list + k;
        a += f4_load(g) * f4_load(u_of(w, n[0], true));
        b += f4_load(g + 3) * f4_load(u_of(w, n[1], true));
        c += f4_load(g + 6) * f4_load(u_of(w, n[2], true));
        d += f4_load(g + 9) * f4_load(u_of(w, n[3], true));
    }
    a = (a + b) + (c + d);
    return (a[0] + a[1]) + a[2]; // the last lane means nothing
}

TARN_INLINE void push_2d(const ConstraintWork* w, const Row* r, float impulse)
{
    for (int k = 0; k < r->count; k += 4) {
        TarnF8 u = load_four(w, r->list + k);
        store_four(w, r->list + k, u + f8_load(r->pair + 2 * k) * impulse);
    }
    r->u[0] -= r->row[0] * impulse;
    r->u[1] -= r->row[1] * impulse;
}
TARN_INLINE void push_3d(const ConstraintWork* w, const Row* r, float impulse)
{
    TarnF4 push = f4_set(impulse);
    for (int k = 0; k < r->count; k += 4) {
        for (int i = k; i < k + 4; ++i) {
            float* a = u_of(w, r->list[i], true);
            f4_store(a, f4_load(a) + f4_load(r->pair + 3 * i) * push);
        }
    }
    f4_store(r->u, f4_load(r->u) - f4_load(r->row) * push);
}
// The impulse that a row has after a sweep, by the rate of its density [1/s].
TARN_INLINE float impulse_of(const ConstraintWork* w, int p, const Row* r, float flow, bool is_3d)
{
    float own = r->row[0] * r->u[0] + r->row[1] * r->u[1];
    if (is_3d) own += r->row[2] * r->u[2];
    float rate = own - flow, inverse = r->row[ROW_INVERSE], before = w->lambda[p];
    if (w->l->contact_count[p] > 0) rate += tarn__constraint_wall_rate(w, p);
    float after = tarn_maxf(0.0f, before + (rate + r->row[ROW_BIAS]) * inverse);
    w->lambda[p] = after;
    return after - before;
}

// A row of at most 8 * groups neighbors, all at once: what was loaded for the rate serves the push.
TARN_INLINE void solve_short_row(const ConstraintWork* w, int p, const Row* r, int groups)
{
    TarnF8 u[4], g[4], a = f8_set(0.0f), b = a;
    for (int i = 0; i < 2 * groups; ++i) {
        u[i] = load_four(w, r->list + 4 * i);
        g[i] = f8_load(r->pair + 8 * i);
    }
    for (int i = 0; i < groups; ++i) {
        a += g[2 * i] * u[2 * i];
        b += g[2 * i + 1] * u[2 * i + 1];
    }
    float impulse = impulse_of(w, p, r, sum_of(a + b), false);
    if (impulse == 0.0f) return;
    for (int i = 0; i < 2 * groups; ++i) store_four(w, r->list + 4 * i, u[i] + g[i] * impulse);
    r->u[0] -= r->row[0] * impulse;
    r->u[1] -= r->row[1] * impulse;
}

TARN_INLINE void solve_long_row(const ConstraintWork* w, int p, const Row* r, bool is_3d)
{
    float flow = is_3d ? flow_3d(w, r) : flow_2d(w, r);
    float impulse = impulse_of(w, p, r, flow, is_3d);
    if (impulse == 0.0f) return;
    if (is_3d)
        push_3d(w, r, impulse);
    else
        push_2d(w, r, impulse);
}

TARN_INLINE void solve_row(const ConstraintWork* w, int p, bool is_3d)
{
    Row r = row_of(w, p, is_3d);
    if (!is_3d && r.count <= 2 * TARN_LANES && r.count > TARN_LANES)
        solve_short_row(w, p, &r, 2);
    else
        solve_long_row(w, p, &r, is_3d);
    if (w->l->contact_count[p] > 0) tarn__constraint_contacts(w, p, w->lambda[p]);
}

// Rows lie in memory with gaps, which hardware does not see through: a row is asked for some rows ahead.
enum { AHEAD = 3 };
TARN_INLINE void fetch_row(const ConstraintWork* w, int p, int begin, int end, bool is_3d)
{
    p = p < begin ? begin : p >= end ? end - 1 : p;
    size_t slot = (size_t)p * (size_t)w->slots;
    const char* list = (const char*)(w->l->neighbors.list + slot);
    const char* pair = (const char*)(w->pairs + slot * (is_3d ? 3 : 2));
    for (int b = 0; b < (is_3d ? 128 : 64); b += 64) __builtin_prefetch(list + b);
    for (int b = 0; b < (is_3d ? 384 : 128); b += 64) __builtin_prefetch(pair + b);
}

// Two halves in turn: a row waits for what the one before it did to shared neighbors, and rows of the other
// half, some cells away, share none.
TARN_INLINE void solve_rows(const ConstraintWork* w, int begin, int end, bool is_down, bool is_3d)
{
    int n = end - begin, half = (n + 1) / 2, step = is_down ? -1 : 1, p = is_down ? end - 1 : begin;
    int q = p + step * half;
    for (int i = 0; i < half; ++i, p += step, q += step) {
        fetch_row(w, p + AHEAD * step, begin, end, is_3d);
        solve_row(w, p, is_3d);
        if (half + i == n) break;
        fetch_row(w, q + AHEAD * step, begin, end, is_3d);
        solve_row(w, q, is_3d);
    }
}

static void solve(const ConstraintWork* w, int begin, int end, bool is_down)
{
    if (w->dims == 3)
        solve_rows(w, begin, end, is_down, true);
    else
        solve_rows(w, begin, end, is_down, false);
}

extern const ConstraintKernels TARN_KERNEL(tarn__constraint_kernels);
const ConstraintKernels TARN_KERNEL(tarn__constraint_kernels) = { set_up, solve };
