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
    float *sum, *mean[3 + SURFACE_MAX_ATTRIBUTES];
    float* moment; // MOMENTS * NODES
    int n_found;
    int32_t found[BATCH + TARN_LANES];
} Patch;

// ---- Rows ------------------------------------------------------------------------------------------

typedef struct Span {
    int first, last;
} Span;

// The nodes between lo and hi, in cells from the first node of the block.
TARN_INLINE Span span_of(float lo, float hi)
{
    if (!(hi >= 0.0f) || !(lo <= (float)(SIDE - 1))) return (Span){ 0, -1 };
    int first = lo > 0.0f ? (int)lo : 0;
    first += (float)first < lo;
    return (Span){ first, hi < (float)(SIDE - 1) ? (int)hi : SIDE - 1 };
}

// A particle, its place relative to the nodes, and where it is in the rows.
typedef struct Local {
    const SurfaceParticle* p;
    float x, y, z;    // from the particle to the first node [m]
    float dx, inv_dx; // [m], [1/m]
    TarnF8 along;     // from it to the nodes of a row, x [m]
} Local;

TARN_INLINE Local local_of(const Patch* b, int i)
{
    const SurfaceParticle* p = &b->s->particles[i];
    Local l = { .p = p, .dx = b->s->dx, .inv_dx = 1.0f / b->s->dx };
    l.x = (float)(b->origin[0] - (double)p->x);
    l.y = (float)(b->origin[1] - (double)p->y);
    l.z = (float)(b->origin[2] - (double)p->z);
    l.along = b->offset + f8_set(l.x);
    return l;
}

TARN_INLINE Span slabs_of(const Local* l)
{
    return span_of((-l->p->ez - l->z) * l->inv_dx, (l->p->ez - l->z) * l->inv_dx);
}

// Rows of the slab at dz that the kernel reaches.
TARN_INLINE Span rows_of(const Local* l, float dz)
{
    float u = dz / l->p->ez, left = 1.0f - u * u;
    if (!(left > 0.0f)) return (Span){ 0, -1 };
    float half = l->p->width * sqrtf(left), middle = l->p->slope * dz - l->y;
    return span_of((middle - half) * l->inv_dx, (middle + half) * l->inv_dx);
}

// ---- Density and anisotropic -------------------------------------------------------------------------

// 1 - q of a row: a quadratic along x.
TARN_INLINE TarnF8 left_of(const Local* l, TarnF8 top, float dy, float dz)
{
    const SurfaceParticle* p = l->p;
    float slope = 2.0f * (p->xy * dy + p->xz * dz);
    float rest = (p->yy * dy + 2.0f * p->yz * dz) * dy + p->zz * dz * dz;
    return f8_max(top - (f8_set(slope) * l->along + f8_set(rest)), f8_set(0.0f));
}

static void add_kernels(const Patch* b)
{
    for (int f = 0; f < b->n_found; ++f) {
        Local l = local_of(b, b->found[f]);
        TarnF8 top = f8_set(1.0f) - f8_set(l.p->xx) * l.along * l.along, w = f8_set(l.p->weight);
        Span slabs = slabs_of(&l);
        for (int k = slabs.first; k <= slabs.last; ++k) {
            float dz = l.z + (float)k * l.dx;
            Span rows = rows_of(&l, dz);
            for (int j = rows.first; j <= rows.last; ++j) {
                float* sum = b->sum + (k * SIDE + j) * SIDE;
                TarnF8 t = left_of(&l, top, l.y + (float)j * l.dx, dz);
                f8_store(sum, f8_load(sum) + w * t * t * t);
            }
        }
    }
}

// The same with what particles carry.
static void add_kernels_and_means(const Patch* b)
{
    int n = b->s->n_carried;
    for (int f = 0; f < b->n_found; ++f) {
        Local l = local_of(b, b->found[f]);
        const float* carried = b->s->carried + (size_t)b->found[f] * (size_t)n;
        TarnF8 top = f8_set(1.0f) - f8_set(l.p->xx) * l.along * l.along, w = f8_set(l.p->weight);
        Span slabs = slabs_of(&l);
        for (int k = slabs.first; k <= slabs.last; ++k) {
            float dz = l.z + (float)k * l.dx;
            Span rows = rows_of(&l, dz);
            for (int j = rows.first; j <= rows.last; ++j) {
                int row = (k * SIDE + j) * SIDE;
                TarnF8 t = left_of(&l, top, l.y + (float)j * l.dx, dz);
                TarnF8 add = w * t * t * t;
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
    int n = b->s->n_carried;
    float inv = 1.0f / b->s->shape.support;
    for (int f = 0; f < b->n_found; ++f) {
        Local l = local_of(b, b->found[f]);
        const float* carried = n > 0 ? b->s->carried + (size_t)b->found[f] * (size_t)n : NULL;
        TarnF8 x = -l.along * f8_set(inv), top = f8_set(1.0f) - x * x;
        Span slabs = slabs_of(&l);
        for (int k = slabs.first; k <= slabs.last; ++k) {
            float dz = l.z + (float)k * l.dx;
            Span rows = rows_of(&l, dz);
            for (int j = rows.first; j <= rows.last; ++j) {
                int row = (k * SIDE + j) * SIDE;
                float dy = l.y + (float)j * l.dx;
                TarnF8 y = f8_set(-dy * inv), z = f8_set(-dz * inv);
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
// eigenvalue e is close to the eighth root of the sum of all e^8.
TARN_INLINE TarnF8 ball_left(TarnF8 m[6])
{
    square(m), square(m);
    TarnF8 e = f8_sqrt(f8_sqrt(f8_sqrt(square_sum(m))));
    TarnF8 t = (e - f8_set(0.4f)) * f8_set(1.0f / 3.1f);
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
    Patch b = { .s = s, .sum = sum, .moment = is_means ? moment : NULL };
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
