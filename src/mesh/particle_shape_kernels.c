// Kernels that follow the surface: for up to eight particles at a time, a lane each, the moments of their
// neighbors, the axes of their covariance, and the kernel that these give. Compiled once per instruction set.

#include "mesh/particle_surface_kernels.h"
#include "base/kernels.h"
#include "base/maths.h"

enum {
    MAX_NEAR = 4096, // particles around a group: nine times what a radius of 2.5 brings
    // Where the cells around hold more, or more are near, a fixed choice is looked at instead, each of which
    // counts for several.
    MAX_LOOK = 16384,
};

// Particles of a cell that follow one another.
typedef struct Group {
    int begin, n;
    bool is_deep;
    int n_runs, candidates;
    NeighborRun runs[NEIGHBOR_MAX_RUNS];
    TarnF8 x, y, z; // lanes without a particle repeat the first
} Group;

typedef struct Near {
    int n;
    float count; // particles that each stands for
    int32_t index[MAX_NEAR + TARN_LANES];
} Near;

// A symmetric matrix.
typedef struct Matrix {
    TarnF8 xx, xy, xz, yy, yz, zz;
} Matrix;

// ---- Groups ----------------------------------------------------------------------------------------

TARN_INLINE int cell_of(const Neighbors* nb, int i)
{
    return nb->cell_of[nb->order[i]];
}

TARN_INLINE TarnF8 lanes_of(const float* v, const Group* g)
{
    TarnI8 is_in = (i8_lanes() - i8_set(g->n)) >> 31;
    return f8_select(is_in, f8_load(v + g->begin), f8_set(v[g->begin]));
}

// The group that begins at a particle, and whom its particles may see.
static void find_group(const TarnParticleSurface* s, int begin, int end, Group* g)
{
    const Neighbors* nb = &s->nb;
    int cell = cell_of(nb, begin), nx = nb->cells[0], row = cell / nx;
    g->begin = begin;
    for (g->n = 1; g->n < TARN_LANES && begin + g->n < end; ++g->n)
        if (cell_of(nb, begin + g->n) != cell) break;
    g->is_deep = s->is_deep[cell];
    if (g->is_deep) return;
    g->x = lanes_of(s->x, g), g->y = lanes_of(s->y, g), g->z = lanes_of(s->z, g);
    const int at[3] = { cell - row * nx, row % nb->cells[1], row / nb->cells[1] };
    g->n_runs = tarn__neighbors_runs_of_cell(nb, at, g->runs);
    g->candidates = 0;
    for (int r = 0; r < g->n_runs; ++r) g->candidates += g->runs[r].end - g->runs[r].begin;
}

TARN_INLINE float least(TarnF8 v)
{
    return -f8_max_lane(-v);
}

static void choose_near(const Group* g, Near* near)
{
    int step = (g->candidates + MAX_NEAR - 1) / MAX_NEAR, skip = 0;
    near->n = 0;
    near->count = (float)step;
    for (int r = 0; r < g->n_runs; ++r) {
        int i = g->runs[r].begin + skip;
        for (; i < g->runs[r].end; i += step) near->index[near->n++] = i;
        skip = i - g->runs[r].end;
    }
}

// The particles closer than they look to the box around a group. False: too many.
static bool find_all_near(const TarnParticleSurface* s, const Group* g, Near* near)
{
    if (g->candidates > MAX_LOOK) return false;
    near->n = 0;
    near->count = 1.0f;
    float lo[3] = { least(g->x), least(g->y), least(g->z) };
    float hi[3] = { f8_max_lane(g->x), f8_max_lane(g->y), f8_max_lane(g->z) };
    TarnF8 mid[3], half[3], zero = f8_set(0.0f), limit = f8_set(s->shape.look * s->shape.look);
    for (int a = 0; a < 3; ++a) {
        mid[a] = f8_set(0.5f * (lo[a] + hi[a]));
        half[a] = f8_set(0.50001f * (hi[a] - lo[a])); // a touch more, for rounding
    }
    for (int r = 0; r < g->n_runs; ++r) {
        for (int i = g->runs[r].begin; i < g->runs[r].end; i += TARN_LANES) {
            TarnF8 dx = f8_max(f8_abs(f8_load(s->x + i) - mid[0]) - half[0], zero);
            TarnF8 dy = f8_max(f8_abs(f8_load(s->y + i) - mid[1]) - half[1], zero);
            TarnF8 dz = f8_max(f8_abs(f8_load(s->z + i) - mid[2]) - half[2], zero);
            TarnI8 is_near = f8_less(dx * dx + dy * dy + dz * dz, limit) &
                             ((i8_lanes() - i8_set(g->runs[r].end - i)) >> 31);
            TarnI8 index = i8_lanes() + i8_set(i);
            near->n += i8_compress(near->index + near->n, index, i8_mask_bits(is_near));
            if (near->n > MAX_NEAR) return false;
        }
    }
    return true;
}

// ---- Covariance ------------------------------------------------------------------------------------

typedef struct Moments {
    TarnF8 w, x, y, z; // sum of weights, and of weight times offset
    Matrix m;          // of weight times offset times offset
} Moments;

static Moments moments_of(const TarnParticleSurface* s, const Group* g, const Near* near)
{
    TarnF8 zero = f8_set(0.0f), one = f8_set(1.0f);
    TarnF8 inv2 = f8_set(1.0f / (s->shape.look * s->shape.look));
    Moments o = { zero, zero, zero, zero, { zero, zero, zero, zero, zero, zero } };
    for (int c = 0; c < near->n; ++c) {
        int j = near->index[c];
        TarnF8 dx = f8_set(s->x[j]) - g->x, dy = f8_set(s->y[j]) - g->y,
               dz = f8_set(s->z[j]) - g->z;
        TarnF8 w = f8_max(one - (dx * dx + dy * dy + dz * dz) * inv2, zero);
        TarnF8 wx = w * dx, wy = w * dy, wz = w * dz;
        o.w += w;
        o.x += wx, o.y += wy, o.z += wz;
        o.m.xx += wx * dx, o.m.xy += wx * dy, o.m.xz += wx * dz;
        o.m.yy += wy * dy, o.m.yz += wy * dz, o.m.zz += wz * dz;
    }
    return o;
}

// One rotation of Jacobi's: makes *pq zero, r is the third axis. v: the axes found so far, a column each.
TARN_INLINE void rotate(TarnF8* pp, TarnF8* qq, TarnF8* pq, TarnF8* pr, TarnF8* qr, TarnF8 v[3][3],
                        int p, int q)
{
    TarnF8 one = f8_set(1.0f), twice = *pq + *pq, difference = *qq - *pp;
    TarnF8 root = f8_sqrt(difference * difference + twice * twice);
    TarnF8 t = twice / (f8_abs(difference) + root + f8_set(1e-30f));
    t = f8_by_sign(difference, -t, t);
    TarnF8 c = one / f8_sqrt(one + t * t), sine = t * c;
    *pp -= t * *pq;
    *qq += t * *pq;
    *pq = f8_set(0.0f);
    TarnF8 old = *pr;
    *pr = c * old - sine * *qr;
    *qr = sine * old + c * *qr;
    for (int a = 0; a < 3; ++a) {
        TarnF8 was = v[a][p];
        v[a][p] = c * was - sine * v[a][q];
        v[a][q] = sine * was + c * v[a][q];
    }
}

// Eigenvalues, and the eigenvectors as columns of v. Three sweeps leave 1e-6 of the largest off the diagonal.
static void axes_of(Matrix m, TarnF8 value[3], TarnF8 v[3][3])
{
    for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b) v[a][b] = f8_set(a == b ? 1.0f : 0.0f);
    for (int sweep = 0; sweep < 3; ++sweep) {
        rotate(&m.xx, &m.yy, &m.xy, &m.xz, &m.yz, v, 0, 1);
        rotate(&m.xx, &m.zz, &m.xz, &m.xy, &m.yz, v, 0, 2);
        rotate(&m.yy, &m.zz, &m.yz, &m.xy, &m.xz, v, 1, 2);
    }
    value[0] = m.xx, value[1] = m.yy, value[2] = m.zz;
}

// ---- Kernels ---------------------------------------------------------------------------------------

TARN_INLINE TarnF8 clamp(TarnF8 v, float lo, float hi)
{
    return f8_min(f8_max(v, f8_set(lo)), f8_set(hi));
}

// Nearly: the power -21/64 by roots, for numbers from 1e-4 to 1e4 within 5 %.
TARN_INLINE TarnF8 inverse_cube_root(TarnF8 v)
{
    TarnF8 quarter = f8_sqrt(f8_sqrt(clamp(v, 1e-4f, 1e4f)));
    TarnF8 sixteenth = f8_sqrt(f8_sqrt(quarter));
    return f8_set(1.0f) / (quarter * sixteenth * f8_sqrt(f8_sqrt(sixteenth)));
}

// 0 near the surface to 1 where the surface does not notice a particle: it has all its neighbors, and they are
// on all sides. Its kernel only has to fill its place then, and may be smaller: seven of eight nodes are saved.
TARN_INLINE TarnF8 depth_of(TarnF8 share, TarnF8 way)
{
    TarnF8 full = clamp((share - f8_set(0.88f)) * f8_set(1.0f / 0.06f), 0.0f, 1.0f);
    TarnF8 even = clamp((f8_set(0.06f) - way) * f8_set(1.0f / 0.03f), 0.0f, 1.0f);
    return full * even;
}

// How much a particle believes its neighbors. All at once would pop: from a lone one on, with half a neighbor,
// it grows into what they say, which it does from two on.
TARN_INLINE TarnF8 trust_of(const SurfaceShape* k, TarnF8 share)
{
    float few = 1.5f / k->full, enough = 3.0f / k->full;
    TarnF8 t = clamp((share - f8_set(few)) * f8_set(1.0f / (enough - few)), 0.0f, 1.0f);
    return t * t * (f8_set(3.0f) - t - t);
}

// Half axes of the kernels in supports, from variances over that inside of the liquid: as the spread of the
// neighbors, but all of the same volume. Those with few neighbors are small balls.
static void size_axes(const SurfaceShape* k, TarnF8 share, TarnF8 way, TarnF8 axis[3])
{
    for (int a = 0; a < 3; ++a) axis[a] = f8_sqrt(f8_max(axis[a], f8_set(0.0f)));
    TarnF8 longest = f8_max(f8_max(axis[0], axis[1]), axis[2]);
    TarnF8 shortest = longest * f8_set(1.0f / k->stretch);
    TarnF8 trust = trust_of(k, share), lone = f8_set(k->lone);
    for (int a = 0; a < 3; ++a) axis[a] = f8_max(axis[a], shortest);
    TarnF8 whole = inverse_cube_root(axis[0] * axis[1] * axis[2]);
    TarnF8 size = f8_set(1.0f) - f8_set(1.0f - k->inner) * depth_of(share, way);
    for (int a = 0; a < 3; ++a) {
        TarnF8 v = lone + trust * (axis[a] * whole - lone);
        axis[a] = clamp(v * size, k->least, k->most);
    }
}

// v diag(d) v^T
TARN_INLINE Matrix put_together(TarnF8 v[3][3], const TarnF8 d[3])
{
    Matrix m;
    TarnF8* out[6] = { &m.xx, &m.xy, &m.xz, &m.yy, &m.yz, &m.zz };
    static const int row[6] = { 0, 0, 0, 1, 1, 2 }, column[6] = { 0, 1, 2, 1, 2, 2 };
    for (int e = 0; e < 6; ++e) {
        int a = row[e], b = column[e];
        *out[e] = v[a][0] * v[b][0] * d[0] + v[a][1] * v[b][1] * d[1] + v[a][2] * v[b][2] * d[2];
    }
    return m;
}

// Lanes to particles.
static void write_particles(const TarnParticleSurface* s, const Group* g, TarnF8 weight,
                            const Matrix* a, const Matrix* inverse)
{
    enum { N = 13 };
    TarnF8 tilt = inverse->yz / inverse->zz;
    TarnF8 lanes[N] = { weight,
                        a->xx,
                        a->xy,
                        a->xz,
                        a->yy,
                        a->yz,
                        a->zz,
                        f8_sqrt(inverse->xx),
                        f8_sqrt(inverse->yy),
                        f8_sqrt(inverse->zz),
                        f8_sqrt(f8_max(inverse->yy - tilt * inverse->yz, f8_set(0.0f))),
                        tilt,
                        f8_set(1.0f) / f8_sqrt(inverse->zz) };
    float out[N][TARN_LANES];
    for (int e = 0; e < N; ++e) f8_store(out[e], lanes[e]);
    for (int l = 0; l < g->n; ++l) {
        SurfaceParticle* p = &s->particles[g->begin + l];
        float* first = &p->weight;
        for (int e = 0; e < N; ++e) first[e] = out[e][l];
        s->ex[g->begin + l] = p->ex, s->ey[g->begin + l] = p->ey, s->ez[g->begin + l] = p->ez;
    }
}

// Their place: a share of the way to the mean of the neighbors.
static void write_places(const TarnParticleSurface* s, const Group* g, const TarnF8 way[3])
{
    TarnF8 share = f8_set(s->shape.smoothing);
    float out[3][TARN_LANES];
    f8_store(out[0], g->x + share * way[0]);
    f8_store(out[1], g->y + share * way[1]);
    f8_store(out[2], g->z + share * way[2]);
    for (int l = 0; l < g->n; ++l) {
        int i = g->begin + l;
        SurfaceParticle* p = &s->particles[i];
        p->x = s->px[i] = out[0][l], p->y = s->py[i] = out[1][l], p->z = s->pz[i] = out[2][l];
    }
}

static void write_round(const TarnParticleSurface* s, int begin, int end, float size)
{
    float h = size * s->shape.support, inv = 1.0f / (h * h);
    float weight = s->shape.weight / (size * size * size);
    for (int i = begin; i < end; ++i) {
        s->particles[i] = (SurfaceParticle){ .weight = weight, .xx = inv, .yy = inv, .zz = inv };
        SurfaceParticle* p = &s->particles[i];
        p->ex = p->ey = p->ez = p->width = h;
        p->inv_ez = 1.0f / h;
        s->ex[i] = s->ey[i] = s->ez[i] = h;
        p->x = s->px[i] = s->x[i], p->y = s->py[i] = s->y[i], p->z = s->pz[i] = s->z[i];
    }
}

// What a kernel keeps of its weight: all at the surface of a liquid, where neighbors are missing on one side,
// and less in sheets and strings, where they are missing on both and nothing moved inwards. At a flat
// surface the mean of the neighbors is off by 0.65 of the share that is missing.
TARN_INLINE TarnF8 weight_left(const SurfaceShape* k, TarnF8 share, TarnF8 way)
{
    TarnF8 one = f8_set(1.0f), missing = f8_max(one - share, f8_set(0.01f));
    TarnF8 even = one - clamp(way / (f8_set(0.6f) * missing), 0.0f, 1.0f);
    TarnF8 thin = clamp((f8_set(0.85f) - share) * f8_set(5.0f), 0.0f, 1.0f);
    return one - f8_set(1.0f - k->sheet) * even * thin * trust_of(k, share);
}

static void stretch_group(const TarnParticleSurface* s, const Group* g, const Near* near)
{
    const SurfaceShape* k = &s->shape;
    Moments o = moments_of(s, g, near);
    TarnF8 inv = f8_set(1.0f) / f8_max(o.w, f8_set(1e-6f));
    TarnF8 x = o.x * inv, y = o.y * inv, z = o.z * inv, unit = f8_set(k->inv_variance);
    Matrix c = { (o.m.xx * inv - x * x) * unit, (o.m.xy * inv - x * y) * unit,
                 (o.m.xz * inv - x * z) * unit, (o.m.yy * inv - y * y) * unit,
                 (o.m.yz * inv - y * z) * unit, (o.m.zz * inv - z * z) * unit };
    TarnF8 axis[3], v[3][3], square[3], inverse[3];
    axes_of(c, axis, v);
    TarnF8 way = f8_sqrt(x * x + y * y + z * z) * f8_set(1.0f / k->look);
    TarnF8 share = o.w * f8_set(near->count / k->full);
    size_axes(k, share, way, axis);
    TarnF8 weight = f8_set(k->weight) / (axis[0] * axis[1] * axis[2]);
    weight *= weight_left(k, share, way);
    for (int a = 0; a < 3; ++a) {
        TarnF8 length = axis[a] * f8_set(k->support);
        square[a] = length * length;
        inverse[a] = f8_set(1.0f) / square[a];
    }
    Matrix a = put_together(v, inverse), b = put_together(v, square);
    write_particles(s, g, weight, &a, &b);
    write_places(s, g, (const TarnF8[3]){ x, y, z });
}

static float reach_of(const TarnParticleSurface* s, int begin, int end)
{
    float reach = 0.0f;
    for (int i = begin; i < end; ++i) {
        reach = tarn_maxf(reach, fabsf(s->px[i] - s->x[i]) + s->ex[i]);
        reach = tarn_maxf(reach, fabsf(s->py[i] - s->y[i]) + s->ey[i]);
        reach = tarn_maxf(reach, fabsf(s->pz[i] - s->z[i]) + s->ez[i]);
    }
    return reach;
}

static float shape(const TarnParticleSurface* s, int begin, int end)
{
    if (s->shape.method != TARN_PARTICLE_SURFACE_ANISOTROPIC) {
        write_round(s, begin, end, 1.0f);
        return s->shape.support;
    }
    Near near;
    Group g;
    for (int i = begin; i < end; i += g.n) {
        find_group(s, i, end, &g);
        if (g.is_deep) {
            write_round(s, i, i + g.n, s->shape.inner);
            continue;
        }
        if (!find_all_near(s, &g, &near)) choose_near(&g, &near);
        stretch_group(s, &g, &near);
    }
    return reach_of(s, begin, end);
}

const ParticleShapeKernels TARN_KERNEL(tarn__particle_shape_kernels) = { shape };
