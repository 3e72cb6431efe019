// Advection and sampling, eight cells or points at a time.
//
// A foot is a place between grid points: eight points around it and the way from the first of them. In
// smooth flow the feet of eight neighboring cells lie in eight neighboring cells too, four times of five in a
// plume of 64^3; then the points are eight plain loads. Else there are mostly two offsets, of which each lane
// takes one; only for more than four the points are gathered one by one. The result is the same.

#include "gas/gas_kernels.h"
#include "base/kernels.h"

typedef struct Foot {
    TarnF8 x, y, z; // 0 to 1
    TarnI8 offset;  // from the cell itself
    unsigned even;  // lanes with the offset of the first one
} Foot;
typedef struct Corners {
    TarnF8 v[8]; // x fastest
} Corners;
// Along one axis, as seen from eight cells: from the cell to the first and the last point.
typedef struct Bounds {
    TarnF8 lo, hi;
} Bounds;

static const unsigned all_lanes = 0xffu;
enum { MAX_OFFSETS = 4 };         // in eight lanes; beyond a gather is faster
static const float tiny = 1e-15f; // smaller values are 0: subnormal numbers are slow

TARN_INLINE TarnF8 snap(TarnF8 v)
{
    return f8_select(f8_less(f8_abs(v), f8_set(tiny)), f8_set(0.0f), v);
}

// The point below t, and the way from it.
TARN_INLINE TarnI8 split(TarnF8 t, Bounds b, TarnF8* part)
{
    t = f8_min(f8_max(t, b.lo), b.hi);
    TarnF8 whole = f8_min(f8_floor(t), b.hi - 1.0f); // the last point belongs to the cell before
    *part = t - whole;
    return __builtin_convertvector(whole, TarnI8);
}

TARN_INLINE Foot foot_at(const Grid3* g, const Bounds b[3], TarnF8 x, TarnF8 y, TarnF8 z)
{
    Foot f;
    TarnI8 i = split(x, b[0], &f.x), j = split(y, b[1], &f.y), k = split(z, b[2], &f.z);
    f.offset = i + j * g->row + k * g->slab;
    f.even = i8_mask_bits(i8_equal(f.offset, i8_set(f.offset[0])));
    return f;
}

TARN_INLINE Corners load_corners(const Grid3* g, const float* p)
{
    ptrdiff_t up = g->row, far = g->slab;
    Corners c;
    c.v[0] = f8_load(p), c.v[1] = f8_load(p + 1);
    c.v[2] = f8_load(p + up), c.v[3] = f8_load(p + up + 1);
    c.v[4] = f8_load(p + far), c.v[5] = f8_load(p + far + 1);
    c.v[6] = f8_load(p + far + up), c.v[7] = f8_load(p + far + up + 1);
    return c;
}
TARN_INLINE Corners gather_corners(const Grid3* g, const float* field, const int32_t* at)
{
    ptrdiff_t up = g->row, far = g->slab;
    Corners c;
    c.v[0] = f8_gather_at(field, at), c.v[1] = f8_gather_at(field + 1, at);
    c.v[2] = f8_gather_at(field + up, at), c.v[3] = f8_gather_at(field + up + 1, at);
    c.v[4] = f8_gather_at(field + far, at), c.v[5] = f8_gather_at(field + far + 1, at);
    c.v[6] = f8_gather_at(field + far + up, at), c.v[7] = f8_gather_at(field + far + up + 1, at);
    return c;
}

TARN_INLINE Corners corners_at(const Grid3* g, const Foot* f, const float* cell)
{
    Corners c = load_corners(g, cell + f->offset[0]);
    if (f->even == all_lanes) return c;
    int32_t at[TARN_LANES];
    i8_store(at, f->offset);
    unsigned done = f->even;
    for (int n = 0; n < MAX_OFFSETS - 1 && done != all_lanes; ++n) {
        int32_t other = at[__builtin_ctz(~done)];
        TarnI8 is_it = i8_equal(f->offset, i8_set(other));
        Corners v = load_corners(g, cell + other);
        for (int q = 0; q < 8; ++q) c.v[q] = f8_select(is_it, v.v[q], c.v[q]);
        done |= i8_mask_bits(is_it);
    }
    if (done == all_lanes) return c;
    i8_store(at, f->offset + i8_lanes());
    return gather_corners(g, cell, at);
}

TARN_INLINE TarnF8 mix(TarnF8 a, TarnF8 b, TarnF8 t)
{
    return a + t * (b - a);
}
TARN_INLINE TarnF8 blend(const Foot* f, const Corners* c)
{
    TarnF8 low = mix(mix(c->v[0], c->v[1], f->x), mix(c->v[2], c->v[3], f->x), f->y);
    TarnF8 high = mix(mix(c->v[4], c->v[5], f->x), mix(c->v[6], c->v[7], f->x), f->y);
    return mix(low, high, f->z);
}
TARN_INLINE TarnF8 lowest(const Corners* c)
{
    TarnF8 a = f8_min(f8_min(c->v[0], c->v[1]), f8_min(c->v[2], c->v[3]));
    return f8_min(a, f8_min(f8_min(c->v[4], c->v[5]), f8_min(c->v[6], c->v[7])));
}
TARN_INLINE TarnF8 highest(const Corners* c)
{
    TarnF8 a = f8_max(f8_max(c->v[0], c->v[1]), f8_max(c->v[2], c->v[3]));
    return f8_max(a, f8_max(f8_max(c->v[4], c->v[5]), f8_max(c->v[6], c->v[7])));
}

// ---- Where the feet are ------------------------------------------------------------------------

// Values from -1 (a ghost) to n; faces across their own axis from 0 to n.
TARN_INLINE void set_bounds(const Grid3* g, int component, int i, int j, int k, Bounds b[3])
{
    TarnF8 lanes = __builtin_convertvector(i8_lanes(), TarnF8) + (float)i;
    b[0].lo = (component == 0 ? 0.0f : -1.0f) - lanes;
    b[0].hi = (float)g->nx - lanes;
    b[1].lo = f8_set((component == 1 ? 0.0f : -1.0f) - (float)j);
    b[1].hi = f8_set((float)(g->ny - j));
    b[2].lo = f8_set((component == 2 ? 0.0f : -1.0f) - (float)k);
    b[2].hi = f8_set((float)(g->nz - k));
}

typedef struct Way {
    TarnF8 x, y, z;
} Way;

TARN_INLINE TarnF8 at_place(const float* field, ptrdiff_t c, ptrdiff_t behind)
{
    return behind == 0 ? f8_load(field + c)
                       : 0.5f * (f8_load(field + c - behind) + f8_load(field + c));
}
// Back to the foot of cells, or of faces: the mean of the cells on both sides.
TARN_INLINE Way way_back(const GasAdvect* a, ptrdiff_t c, ptrdiff_t behind)
{
    return (Way){ at_place(a->way[0], c, behind), at_place(a->way[1], c, behind),
                  at_place(a->way[2], c, behind) };
}

// The way by the velocity of the cell itself.
TARN_INLINE TarnF8 center_of(const float* v, ptrdiff_t c, ptrdiff_t step, float frame, float scale)
{
    return (0.5f * (f8_load(v + c) + f8_load(v + c + step)) - frame) * scale;
}
TARN_INLINE Way way_here(const GasAdvect* a, ptrdiff_t c)
{
    return (Way){ center_of(a->velocity[0], c, 1, a->frame.x, a->scale),
                  center_of(a->velocity[1], c, a->grid.row, a->frame.y, a->scale),
                  center_of(a->velocity[2], c, a->grid.slab, a->frame.z, a->scale) };
}
// Forth along the same path: the midpoint rule gives w - dw/2 back and w + dw/2 forth, w by the velocity
// here; so forth is 2 w - back to third order. With w - dw/2 both ways the scheme would be first order.
TARN_INLINE Way way_forth(const GasAdvect* a, ptrdiff_t c, ptrdiff_t behind, Way back)
{
    Way w = way_here(a, c);
    if (behind != 0) {
        Way v = way_here(a, c - behind);
        return (Way){ (w.x + v.x) - back.x, (w.y + v.y) - back.y, (w.z + v.z) - back.z };
    }
    return (Way){ 2.0f * w.x - back.x, 2.0f * w.y - back.y, 2.0f * w.z - back.z };
}

static void center(const GasAdvect* a, int k0, int k1)
{
    const Grid3* g = &a->grid;
    for (int k = k0; k < k1; ++k) {
        for (int j = 0; j < g->ny; ++j) {
            for (int i = 0; i < g->nx; i += TARN_LANES) {
                ptrdiff_t c = tarn__grid3_at(g, i, j, k);
                Way w = way_here(a, c);
                f8_store(a->first[0] + c, snap(w.x));
                f8_store(a->first[1] + c, snap(w.y));
                f8_store(a->first[2] + c, snap(w.z));
            }
        }
    }
}

static void back(const GasAdvect* advect, int k0, int k1)
{
    const GasAdvect copy = *advect, *a = &copy; // ours alone: stays in registers
    const Grid3* g = &a->grid;
    for (int k = k0; k < k1; ++k) {
        for (int j = 0; j < g->ny; ++j) {
            for (int i = 0; i < g->nx; i += TARN_LANES) {
                ptrdiff_t c = tarn__grid3_at(g, i, j, k);
                Bounds b[3];
                set_bounds(g, GAS_CELLS, i, j, k, b);
                Foot f =
                    foot_at(g, b, -0.5f * f8_load(a->first[0] + c),
                            -0.5f * f8_load(a->first[1] + c), -0.5f * f8_load(a->first[2] + c));
                for (int s = 0; s < 3; ++s) {
                    Corners v = corners_at(g, &f, a->first[s] + c);
                    f8_store(a->to[s] + c, snap(blend(&f, &v)));
                }
            }
        }
    }
}

// ---- Fields ------------------------------------------------------------------------------------

TARN_INLINE void first_row(const GasAdvect* a, int j, int k, int component)
{
    const Grid3* g = &a->grid;
    ptrdiff_t behind = component == GAS_CELLS ? 0 : gas_stride(g, component);
    int n = component == 0 ? g->nx + 1 : g->nx;
    for (int i = 0; i < n; i += TARN_LANES) {
        ptrdiff_t c = tarn__grid3_at(g, i, j, k);
        Bounds b[3];
        set_bounds(g, component, i, j, k, b);
        Way w = way_back(a, c, behind);
        Foot f = foot_at(g, b, -w.x, -w.y, -w.z);
        for (int s = 0; s < a->n_fields; ++s) {
            Corners v = corners_at(g, &f, a->from[s] + c);
            f8_store(a->first[s] + c, snap(blend(&f, &v)));
        }
    }
}

// Lanes in which the second pass may correct: not near edges that air comes through, nor at solids.
TARN_INLINE TarnI8 near_solids(const GasAdvect* a, ptrdiff_t c, int component, int l)
{
    int found = 0;
    for (int axis = 0; axis < 3; ++axis) {
        ptrdiff_t step = gas_stride(&a->grid, axis);
        const uint8_t* s = a->solid[component == GAS_CELLS ? axis : component] + c + l;
        found |= component == GAS_CELLS ? s[0] | s[step] : s[-step] | s[0] | s[step];
    }
    return i8_set(found != 0 ? -1 : 0);
}
TARN_INLINE TarnI8 free_lanes(const GasAdvect* a, ptrdiff_t c, int i, int component)
{
    TarnI8 at = i8_lanes() + i;
    TarnI8 free = ~((at - a->lo[0]) >> 31) & ~((a->hi[0] - at) >> 31);
    if (a->solid[0] == NULL) return free;
    for (int l = 0; l < TARN_LANES; ++l) free[l] = free[l] & ~near_solids(a, c, component, l)[0];
    return free;
}

// ---- Peaks ---------------------------------------------------------------------------------------

// How far a smooth field may go beyond the two points at which it is known: its curvature over 8, where the
// curvatures at both points agree in sign, the smaller one; and again as much for what the scheme is off.
// p is the first point, at `at` of points that are known from lo to hi.
TARN_INLINE float excess(const float* p, ptrdiff_t step, int at, int lo, int hi)
{
    float behind = at > lo ? (p[-step] + p[step]) - 2.0f * p[0] : 0.0f;
    float ahead = at + 2 <= hi ? (p[0] + p[2 * step]) - 2.0f * p[step] : behind;
    if (at <= lo) behind = ahead;
    if (!((behind > 0.0f) == (ahead > 0.0f))) return 0.0f;
    float size_b = behind < 0.0f ? -behind : behind, size_a = ahead < 0.0f ? -ahead : ahead;
    return -0.25f * (size_b < size_a ? behind : ahead);
}

// Widens the range of lanes that are beyond it, for a field with peaks between its points.
static void widen(const GasAdvect* a, const Bounds b[3], Way w, const float* field, int component,
                  unsigned lanes, TarnF8* low, TarnF8* high)
{
    const Grid3* g = &a->grid;
    const int n[3] = { g->nx, g->ny, g->nz };
    const ptrdiff_t step[3] = { 1, g->row, g->slab };
    TarnF8 part[3]; // of the way between the first point of the foot and the next
    TarnI8 at[3] = { split(-w.x, b[0], &part[0]), split(-w.y, b[1], &part[1]),
                     split(-w.z, b[2], &part[2]) };
    for (; lanes != 0; lanes &= lanes - 1) {
        int l = __builtin_ctz(lanes);
        const float* foot = field + l;
        ptrdiff_t near[3];
        for (int axis = 0; axis < 3; ++axis) {
            foot += at[axis][l] * step[axis];
            near[axis] = part[axis][l] > 0.5f ? step[axis] : 0;
        }
        for (int axis = 0; axis < 3; ++axis) {
            ptrdiff_t beside = ((near[0] + near[1]) + near[2]) - near[axis];
            int lo = axis == component ? 0 : -1, place = at[axis][l] - (int)b[axis].lo[l] + lo;
            float e = excess(foot + beside, step[axis], place, lo, n[axis]);
            if (e > 0.0f) (*high)[l] += e;
            if (e < 0.0f) (*low)[l] += e;
        }
    }
}

TARN_INLINE void second_row(const GasAdvect* a, int j, int k, int component)
{
    const Grid3* g = &a->grid;
    ptrdiff_t behind = component == GAS_CELLS ? 0 : gas_stride(g, component);
    int n = component == 0 ? g->nx + 1 : g->nx;
    bool is_inner = j >= a->lo[1] && j <= a->hi[1] && k >= a->lo[2] && k <= a->hi[2];
    for (int i = 0; i < n; i += TARN_LANES) {
        ptrdiff_t c = tarn__grid3_at(g, i, j, k);
        if (!is_inner) {
            for (int s = 0; s < a->n_fields; ++s) f8_store(a->to[s] + c, f8_load(a->first[s] + c));
            continue;
        }
        Bounds b[3];
        set_bounds(g, component, i, j, k, b);
        Way w = way_back(a, c, behind), r = way_forth(a, c, behind, w);
        Foot f = foot_at(g, b, -w.x, -w.y, -w.z), e = foot_at(g, b, r.x, r.y, r.z);
        TarnI8 is_free = free_lanes(a, c, i, component);
        for (int s = 0; s < a->n_fields; ++s) {
            TarnF8 plain = f8_load(a->first[s] + c), was = f8_load(a->from[s] + c);
            Corners v = corners_at(g, &e, a->first[s] + c);
            TarnF8 q = plain + 0.5f * (was - blend(&e, &v)); // minus the error [Selle2008]
            v = corners_at(g, &f, a->from[s] + c);
            TarnF8 low = lowest(&v), high = highest(&v);
            if (component != GAS_CELLS && a->keeps_peaks) {
                TarnI8 is_beyond = (f8_less(q, low) | f8_less(high, q)) & is_free;
                unsigned lanes = i8_mask_bits(is_beyond);
                if (lanes != 0) widen(a, b, w, a->from[s] + c, component, lanes, &low, &high);
            }
            // Where the correction goes too far scalars take the limit, which keeps peaks; velocities
            // the plain value, as the limit was measured to make energy out of noise.
            TarnF8 beyond = component == GAS_CELLS ? f8_min(f8_max(q, low), high) : plain;
            q = f8_select(f8_less(q, low) | f8_less(high, q), beyond, q);
            f8_store(a->to[s] + c, f8_select(is_free, snap(q), plain));
        }
    }
}

static void first(const GasAdvect* advect, int k0, int k1)
{
    const GasAdvect copy = *advect;
    int ny = copy.grid.ny + (copy.component == 1 ? 1 : 0);
    for (int k = k0; k < k1; ++k) {
        for (int j = 0; j < ny; ++j) {
            switch (copy.component) { // one loop each
            case 0:
                first_row(&copy, j, k, 0);
                break;
            case 1:
                first_row(&copy, j, k, 1);
                break;
            case 2:
                first_row(&copy, j, k, 2);
                break;
            default:
                first_row(&copy, j, k, GAS_CELLS);
                break;
            }
        }
    }
}
static void second(const GasAdvect* advect, int k0, int k1)
{
    const GasAdvect copy = *advect;
    int ny = copy.grid.ny + (copy.component == 1 ? 1 : 0);
    for (int k = k0; k < k1; ++k) {
        for (int j = 0; j < ny; ++j) {
            switch (copy.component) {
            case 0:
                second_row(&copy, j, k, 0);
                break;
            case 1:
                second_row(&copy, j, k, 1);
                break;
            case 2:
                second_row(&copy, j, k, 2);
                break;
            default:
                second_row(&copy, j, k, GAS_CELLS);
                break;
            }
        }
    }
}

// ---- Queries: points anywhere ------------------------------------------------------------------

TARN_INLINE TarnF8 clamp8(TarnF8 v, float lo, float hi)
{
    return f8_min(f8_max(v, f8_set(lo)), f8_set(hi));
}

// A field of one component at points in cells from the corner of the box.
TARN_INLINE TarnF8 sample(const Grid3* g, const float* field, int component, TarnF8 x, TarnF8 y,
                          TarnF8 z)
{
    TarnF8 zero = f8_set(0.0f);
    x -= component == 0 ? 0.0f : 0.5f;
    y -= component == 1 ? 0.0f : 0.5f;
    z -= component == 2 ? 0.0f : 0.5f;
    Bounds b[3] = { { component == 0 ? zero : zero - 1.0f, f8_set((float)g->nx) },
                    { component == 1 ? zero : zero - 1.0f, f8_set((float)g->ny) },
                    { component == 2 ? zero : zero - 1.0f, f8_set((float)g->nz) } };
    Foot f = foot_at(g, b, x, y, z);
    int32_t at[TARN_LANES];
    i8_store(at, f.offset);
    Corners c = gather_corners(g, field, at);
    return blend(&f, &c);
}

// 1 inside, fading to 0 at the rim where that is not a wall; 0 outside and for points that are not finite.
TARN_INLINE TarnF8 presence_at(const GasFlowQuery* q, TarnF8 x, TarnF8 y, TarnF8 z)
{
    TarnF8 x1 = (float)q->grid.nx - x, y1 = (float)q->grid.ny - y, z1 = (float)q->grid.nz - z;
    TarnF8 in = f8_min(f8_min(x, x1), f8_min(f8_min(y, y1), f8_min(z, z1)));
    TarnF8 d = f8_min(
        f8_min(x + q->wall[0], x1 + q->wall[1]),
        f8_min(f8_min(y + q->wall[2], y1 + q->wall[3]), f8_min(z + q->wall[4], z1 + q->wall[5])));
    TarnI8 is_finite = f8_less(f8_abs(x) + (f8_abs(y) + f8_abs(z)), f8_set(1e30f));
    TarnF8 t = clamp8(d * q->per_blend, 0.0f, 1.0f);
    t = t * t * (3.0f - 2.0f * t);
    return f8_select(is_finite & ~f8_less(in, f8_set(0.0f)), t, f8_set(0.0f));
}

TARN_INLINE void query8(const GasFlowQuery* q, int at, int n, const float* px, const float* py,
                        const float* pz, const TarnFlowSamples* out)
{
    const Grid3* g = &q->grid;
    TarnF8 x = (f8_load(px) - q->origin.x) * q->per_cell;
    TarnF8 y = (f8_load(py) - q->origin.y) * q->per_cell;
    TarnF8 z = (f8_load(pz) - q->origin.z) * q->per_cell;
    TarnF8 zero = f8_set(0.0f), presence = presence_at(q, x, y, z);
    TarnI8 is_in = f8_less(zero, presence);
    TarnF8 u = zero, v = zero, w = zero, density = zero, temperature = zero;
    if (i8_mask_bits(is_in) != 0) {
        x = f8_select(is_in, x, zero), y = f8_select(is_in, y, zero), z = f8_select(is_in, z, zero);
        u = f8_select(is_in, sample(g, q->velocity[0], 0, x, y, z), zero);
        v = f8_select(is_in, sample(g, q->velocity[1], 1, x, y, z), zero);
        w = f8_select(is_in, sample(g, q->velocity[2], 2, x, y, z), zero);
        if (out->density && q->density)
            density = f8_select(is_in, sample(g, q->density, GAS_CELLS, x, y, z), zero);
        if (out->temperature && q->temperature)
            temperature = f8_select(is_in, sample(g, q->temperature, GAS_CELLS, x, y, z), zero);
    }
    for (int l = 0; l < n; ++l) {
        if (out->velocity) out->velocity[at + l] = (TarnVec3){ u[l], v[l], w[l] };
        if (out->presence) out->presence[at + l] = presence[l];
        if (out->density) out->density[at + l] = density[l];
        if (out->temperature) out->temperature[at + l] = temperature[l];
    }
}

static void query(const GasFlowQuery* flow, int n, const float* x, const float* y, const float* z,
                  const TarnFlowSamples* samples)
{
    const GasFlowQuery q = *flow;
    const TarnFlowSamples out = *samples;
    int i = 0;
    for (; i + TARN_LANES <= n; i += TARN_LANES)
        query8(&q, i, TARN_LANES, x + i, y + i, z + i, &out);
    if (i == n) return;
    float rest[3][TARN_LANES] = { { 0 } };
    for (int l = 0; l < n - i; ++l)
        rest[0][l] = x[i + l], rest[1][l] = y[i + l], rest[2][l] = z[i + l];
    query8(&q, i, n - i, rest[0], rest[1], rest[2], &out);
}

const GasAdvectKernels TARN_KERNEL(tarn__gas_advect_kernels) = { center, back, first, second,
                                                                 query };
