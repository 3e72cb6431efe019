// The field of a block of 8 x 8 x 8 nodes: the kernels that reach it are added one after the other, a row of
// eight nodes at a time, only the rows that they reach. Compiled once per instruction set.

#include "mesh/particle_surface_kernels.h"
#include "base/kernels.h"
#include "base/maths.h"

enum {
    SIDE = TARN_BLOCK_SIDE,
    NODES = TARN_BLOCK_NODES,
    MOMENTS = 10, // of zhu_bridson: weight, first and second moments
    BATCH = 256,  // particles found before they are added
};

typedef struct Patch {
    const TarnParticleSurface* s;
    double origin[3]; // of its first node [m]
    TarnF8 offset;    // of the nodes of a row [m]
    float inv_dx;     // [1/m]
    float *sum, *mean[3 + SURFACE_MAX_ATTRIBUTES];
    float* moment; // MOMENTS * NODES
    int n_found;
    int32_t found[BATCH + TARN_LANES];
} Patch;

// ---- Rows ------------------------------------------------------------------------------------------

// A particle seen from the nodes of the block, and the rows and slabs that its kernel reaches.
typedef struct Local {
    const SurfaceParticle* p;
    TarnF8 x, y, z;                       // from the particle to the nodes along each axis [m]
    int first, end;                       // slabs
    float row_first[SIDE], row_end[SIDE]; // of each slab, to be cut to whole numbers
} Local;

// First node at or after lo, in cells: all but a whole number, where a kernel ends with 0 anyway.
TARN_INLINE TarnF8 up(TarnF8 lo)
{
    return f8_min(f8_max(lo + f8_set(0.999999f), f8_set(0.0f)), f8_set((float)SIDE));
}
// First node after hi.
TARN_INLINE TarnF8 behind(TarnF8 hi)
{
    return f8_min(f8_max(hi + f8_set(1.0f), f8_set(0.0f)), f8_set((float)SIDE));
}

TARN_INLINE void look_at(const Patch* b, int i, Local* l)
{
    const SurfaceParticle* p = &b->s->particles[i];
    TarnF8 zero = f8_set(0.0f), inv_dx = f8_set(b->inv_dx);
    l->p = p;
    l->x = b->offset + f8_set((float)(b->origin[0] - (double)p->x));
    l->y = b->offset + f8_set((float)(b->origin[1] - (double)p->y));
    l->z = b->offset + f8_set((float)(b->origin[2] - (double)p->z));
    TarnF8 u = l->z * f8_set(p->inv_ez), left = f8_set(1.0f) - u * u;
    TarnF8 half = f8_set(p->width) * f8_sqrt(f8_max(left, zero));
    TarnF8 middle = f8_set(p->slope) * l->z - f8_set(l->y[0]);
    TarnF8 end = behind((middle + half) * inv_dx);
    f8_store(l->row_first, up((middle - half) * inv_dx));
    f8_store(l->row_end, f8_select(f8_less(zero, left), end, zero));
    unsigned slabs = i8_mask_bits(f8_less(zero, left)); // a run of bits
    l->first = slabs ? __builtin_ctz(slabs) : 0;
    l->end = slabs ? 32 - __builtin_clz(slabs) : 0;
}

// ---- Density and anisotropic -------------------------------------------------------------------------

// 1 - q is along each row a quadratic: top - (slope x + rest), of which a slab has these for its rows.
typedef struct Slab {
    TarnF8 slope, rest, turn; // parts that do not depend on the slab
    float row_slope[SIDE], row_rest[SIDE];
} Slab;

TARN_INLINE Slab slab_of(const Local* l)
{
    const SurfaceParticle* p = l->p;
    Slab s;
    s.slope = f8_set(2.0f * p->xy) * l->y;
    s.rest = f8_set(p->yy) * l->y * l->y;
    s.turn = f8_set(2.0f * p->yz) * l->y;
    return s;
}
TARN_INLINE void go_to_slab(const Local* l, Slab* s, int k)
{
    float dz = l->z[k];
    f8_store(s->row_slope, s->slope + f8_set(2.0f * l->p->xz * dz));
    f8_store(s->row_rest, s->rest + s->turn * f8_set(dz) + f8_set(l->p->zz * dz * dz));
}
TARN_INLINE TarnF8 left_of(const Local* l, const Slab* s, TarnF8 top, int j)
{
    TarnF8 q = f8_set(s->row_slope[j]) * l->x + f8_set(s->row_rest[j]);
    return f8_max(top - q, f8_set(0.0f));
}

static void add_kernels(const Patch* b)
{
    Local l;
    for (int f = 0; f < b->n_found; ++f) {
        look_at(b, b->found[f], &l);
        Slab slab = slab_of(&l);
        TarnF8 top = f8_set(1.0f) - f8_set(l.p->xx) * l.x * l.x, w = f8_set(l.p->weight);
        for (int k = l.first; k < l.end; ++k) {
            go_to_slab(&l, &slab, k);
            float* sum = b->sum + k * SIDE * SIDE;
            for (int j = (int)l.row_first[k], end = (int)l.row_end[k]; j < end; ++j) {
                TarnF8 t = left_of(&l, &slab, top, j);
                f8_store(sum + j * SIDE, f8_load(sum + j * SIDE) + (w * t) * (t * t));
            }
        }
    }
}

// The same with what particles carry.
static void add_kernels_and_means(const Patch* b)
{
    Local l;
    int n = b->s->n_carried;
    for (int f = 0; f < b->n_found; ++f) {
        const float* carried = b->s->carried + (size_t)b->found[f] * (size_t)n;
        look_at(b, b->found[f], &l);
        Slab slab = slab_of(&l);
        TarnF8 top = f8_set(1.0f) - f8_set(l.p->xx) * l.x * l.x, w = f8_set(l.p->weight);
        for (int k = l.first; k < l.end; ++k) {
            go_to_slab(&l, &slab, k);
            for (int j = (int)l.row_first[k], end = (int)l.row_end[k]; j < end; ++j) {
                int row = (k * SIDE + j) * SIDE;
                TarnF8 t = left_of(&l, &slab, top, j), add = (w * t) * (t * t);
                f8_store(b->sum + row, f8_load(b->sum + row) + add);
                for (int m = 0; m < n; ++m) {
                    float* mean = b->mean[m] + row;
                    f8_store(mean, f8_load(mean) + add * f8_set(carried[m]));
                }
            }
        }
    }
}

// ---- Zhu and Bridson ---------------------------------------------------------------------------------

// Weights, and first and second moments of the particles' offsets from each node, in supports.
static void add_moments(const Patch* b)
{
    Local l;
    int n = b->s->n_carried;
    float inv = 1.0f / b->s->shape.support;
    for (int f = 0; f < b->n_found; ++f) {
        const float* carried = n > 0 ? b->s->carried + (size_t)b->found[f] * (size_t)n : NULL;
        look_at(b, b->found[f], &l);
        TarnF8 x = -l.x * f8_set(inv), top = f8_set(1.0f) - x * x;
        for (int k = l.first; k < l.end; ++k) {
            for (int j = (int)l.row_first[k], end = (int)l.row_end[k]; j < end; ++j) {
                int row = (k * SIDE + j) * SIDE;
                TarnF8 y = f8_set(-l.y[j] * inv), z = f8_set(-l.z[k] * inv);
                TarnF8 t = f8_max(top - (y * y + z * z), f8_set(0.0f)), w = t * t * t;
                TarnF8 wx = w * x, wy = w * y, wz = w * z;
                TarnF8 add[MOMENTS] = { w,      wx,     wy,     wz,     wx * x,
                                        wx * y, wx * z, wy * y, wy * z, wz * z };
                for (int m = 0; m < MOMENTS; ++m) {
                    float* moment = b->moment + m * NODES + row;
                    f8_store(moment, f8_load(moment) + add[m]);
                }
                for (int m = 0; m < n; ++m) {
                    float* mean = b->mean[m] + row;
                    f8_store(mean, f8_load(mean) + w * f8_set(carried[m]));
                }
            }
        }
    }
}

TARN_INLINE TarnF8 square_sum(const TarnF8 m[6]) // of all nine
{
    return m[0] * m[0] + m[3] * m[3] + m[5] * m[5] +
           f8_set(2.0f) * (m[1] * m[1] + m[2] * m[2] + m[4] * m[4]);
}
TARN_INLINE void square(TarnF8 m[6]) // the symmetric matrix xx xy xz yy yz zz times itself
{
    TarnF8 xx = m[0], xy = m[1], xz = m[2], yy = m[3], yz = m[4], zz = m[5];
    m[0] = xx * xx + xy * xy + xz * xz;
    m[1] = xx * xy + xy * yy + xz * yz;
    m[2] = xx * xz + xy * yz + xz * zz;
    m[3] = xy * xy + yy * yy + yz * yz;
    m[4] = xy * xz + yy * yz + yz * zz;
    m[5] = xz * xz + yz * yz + zz * zz;
}

// How much of the ball is left where the mean of the particles runs away from the node: in front of hollows,
// and between drops, where it would make liquid out of nothing. The gradient of the mean is, for weights like
// a bell, their covariance over the square of its width, which for (1 - s^2)^3 is a sixth; its largest
// eigenvalue e is close to the eighth root of the sum of all e^8. Inside of the liquid and at flat surfaces that
// is 1 to 1.15; from there on the ball goes, to nothing at twice as much.
TARN_INLINE TarnF8 ball_left(TarnF8 m[6])
{
    square(m), square(m);
    TarnF8 e = f8_sqrt(f8_sqrt(f8_sqrt(square_sum(m))));
    TarnF8 t = (e - f8_set(1.1f)) * f8_set(1.0f / 1.1f);
    t = f8_min(f8_max(t, f8_set(0.0f)), f8_set(1.0f));
    return f8_set(1.0f) - t * t * t;
}

static void finish_zhu_bridson(const Patch* b, float* value)
{
    const SurfaceShape* k = &b->s->shape;
    TarnF8 outside = f8_set(k->outside), tiny = f8_set(1e-12f);
    for (int row = 0; row < NODES; row += SIDE) {
        TarnF8 s[MOMENTS], m[6];
        for (int e = 0; e < MOMENTS; ++e) s[e] = f8_load(b->moment + e * NODES + row);
        TarnF8 inv = f8_set(1.0f) / f8_max(s[0], tiny), x = s[1] * inv, y = s[2] * inv,
               z = s[3] * inv;
        TarnF8 first[6] = { x * x, x * y, x * z, y * y, y * z, z * z };
        for (int e = 0; e < 6; ++e) m[e] = f8_set(6.0f) * (s[4 + e] * inv - first[e]);
        TarnF8 distance = f8_sqrt(x * x + y * y + z * z) * f8_set(k->support);
        TarnF8 v = f8_min(distance - f8_set(k->ball) * ball_left(m), outside);
        f8_store(value + row, f8_select(f8_less(tiny, s[0]), v, outside));
    }
    memcpy(b->sum, b->moment, NODES * sizeof(float)); // the weights, for the means
}

// ---- Blocks ------------------------------------------------------------------------------------------

static void add_found(Patch* b)
{
    if (b->moment)
        add_moments(b);
    else if (b->s->n_carried > 0)
        add_kernels_and_means(b);
    else
        add_kernels(b);
    b->n_found = 0;
}

// Those of the particles begin .. end - 1 whose kernel reaches the block.
TARN_INLINE void find_in_run(Patch* b, const TarnF8 mid[3], TarnF8 half, int begin, int end)
{
    const TarnParticleSurface* s = b->s;
    for (int i = begin; i < end; i += TARN_LANES) {
        TarnI8 is_near = f8_less(f8_abs(f8_load(s->px + i) - mid[0]), half + f8_load(s->ex + i)) &
                         f8_less(f8_abs(f8_load(s->py + i) - mid[1]), half + f8_load(s->ey + i)) &
                         f8_less(f8_abs(f8_load(s->pz + i) - mid[2]), half + f8_load(s->ez + i)) &
                         ((i8_lanes() - i8_set(end - i)) >> 31);
        unsigned bits = i8_mask_bits(is_near);
        if (bits == 0) continue;
        b->n_found += i8_compress(b->found + b->n_found, i8_lanes() + i8_set(i), bits);
        if (b->n_found >= BATCH) add_found(b);
    }
}

static void add_all(Patch* b)
{
    const TarnParticleSurface* s = b->s;
    const Neighbors* nb = &s->nb;
    int first[3], count[3], nx = nb->cells[0];
    double side = (SIDE - 1) * (double)s->dx;
    TarnF8 mid[3], half = f8_set((float)(0.5001 * side)); // a touch more than half, for rounding
    for (int a = 0; a < 3; ++a) {
        double lo = b->origin[a] - (double)s->reach, hi = b->origin[a] + side + (double)s->reach;
        tarn__surface_cells(nb, a, lo, hi, &first[a], &count[a]);
        mid[a] = f8_set((float)(b->origin[a] + 0.5 * side));
    }
    int to_end = nx - first[0] < count[0] ? nx - first[0] : count[0];
    for (int k = 0; k < count[2]; ++k) {
        for (int j = 0; j < count[1]; ++j) {
            int z = (first[2] + k) % nb->cells[2], y = (first[1] + j) % nb->cells[1];
            const int* begin = nb->cell_begin + (z * nb->cells[1] + y) * nx;
            find_in_run(b, mid, half, begin[first[0]], begin[first[0] + to_end]);
            if (to_end < count[0]) find_in_run(b, mid, half, begin[0], begin[count[0] - to_end]);
        }
    }
    add_found(b);
}

static void finish_means(const Patch* b, int block)
{
    uint8_t* has = b->s->has_mean + (size_t)block * (NODES / 8);
    TarnF8 tiny = f8_set(1e-12f);
    for (int row = 0; row < NODES; row += SIDE) {
        TarnF8 sum = f8_load(b->sum + row), inv = f8_set(1.0f) / f8_max(sum, tiny);
        TarnI8 is_there = f8_less(tiny, sum);
        has[row / SIDE] = (uint8_t)i8_mask_bits(is_there);
        for (int m = 0; m < b->s->n_carried; ++m) {
            float* mean = b->mean[m] + row;
            f8_store(mean, f8_select(is_there, f8_load(mean) * inv, f8_set(0.0f)));
        }
    }
}

static void evaluate(const TarnParticleSurface* s, int block)
{
    float sum[NODES] __attribute__((aligned(32)));
    float moment[MOMENTS * NODES] __attribute__((aligned(32)));
    const SurfaceShape* k = &s->shape;
    float *value = s->value + (size_t)block * NODES, dx = s->dx;
    bool is_means = k->method == TARN_PARTICLE_SURFACE_ZHU_BRIDSON;
    Patch b = { .s = s, .sum = sum, .moment = is_means ? moment : NULL, .inv_dx = 1.0f / dx };
    for (int a = 0; a < 3; ++a) b.origin[a] = (double)s->place[block][a] * SIDE * (double)dx;
    b.offset = __builtin_convertvector(i8_lanes(), TarnF8) * f8_set(dx);
    for (int m = 0; m < s->n_carried; ++m) {
        b.mean[m] = tarn__surface_mean(s, block, m);
        memset(b.mean[m], 0, NODES * sizeof(float));
    }
    memset(is_means ? moment : sum, 0, is_means ? sizeof moment : sizeof sum);
    add_all(&b);
    if (is_means) {
        finish_zhu_bridson(&b, value);
    } else {
        TarnF8 iso = f8_set(k->iso), scale = f8_set(k->scale), inside = f8_set(k->inside);
        for (int row = 0; row < NODES; row += SIDE)
            f8_store(value + row, f8_max((iso - f8_sqrt(f8_load(sum + row))) * scale, inside));
    }
    if (s->n_carried > 0) finish_means(&b, block);
}

const ParticleFieldKernels TARN_KERNEL(tarn__particle_field_kernels) = { evaluate };
