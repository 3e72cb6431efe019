// Semi-Lagrangian advection of smoke and fuel between cell centers, with MacCormack's correction [Selle2008].
// Outside of the box the nearest cell counts.

#include "lattice/lattice_smoke_kernels.h"

typedef struct Foot { // cells around the place that a value comes from
    TarnI8 at;        // the lowest of them
    TarnF8 share[3];
} Foot;

TARN_INLINE Foot foot_of(const LatticeCarry* job, const int dims, float sign, int i, int j, int k)
{
    const LatticeGrid* g = &job->grid;
    ptrdiff_t c = lattice_at(g, i, j, k);
    const int cell[3] = { i, j, k }, n[3] = { g->nx, g->ny, g->nz };
    Foot f = { .at = i8_set((int32_t)g->first) };
    for (int a = 0; a < dims; ++a) {
        TarnF8 way = f8_load(job->u[a] + c) * (sign * job->scale);
        way = f8_max(f8_min(way, f8_set(job->reach)), f8_set(-job->reach));
        TarnF8 at = f8_set((float)cell[a]) - way;
        if (a == 0) at += (TarnF8){ 0, 1, 2, 3, 4, 5, 6, 7 };
        at = f8_max(f8_min(at, f8_set((float)(n[a] - 1))), f8_set(0.0f));
        TarnI8 low;
        for (int l = 0; l < TARN_LANES; ++l) low[l] = (int32_t)at[l];
        low = low - (i8_equal(low, i8_set(n[a] - 1)) & 1);
        TarnF8 whole;
        for (int l = 0; l < TARN_LANES; ++l) whole[l] = (float)low[l];
        f.share[a] = at - whole;
        f.at += low * (int32_t)(a == 0 ? 1 : a == 1 ? g->row : g->slab);
    }
    return f;
}

TARN_INLINE TarnF8 mix(TarnF8 share, TarnF8 a, TarnF8 b)
{
    return a + share * (b - a);
}

TARN_INLINE TarnF8 value_at(const LatticeCarry* job, const int dims, const float* field,
                            const Foot* f, TarnF8* least, TarnF8* most)
{
    TarnF8 v[8];
    for (int n = 0; n < (dims == 3 ? 8 : 4); ++n) {
        ptrdiff_t off = (n & 1) + job->grid.row * (n >> 1 & 1) + job->grid.slab * (n >> 2);
        v[n] = f8_gather(field + off, f->at);
        if (least) *least = n == 0 ? v[0] : f8_min(*least, v[n]);
        if (most) *most = n == 0 ? v[0] : f8_max(*most, v[n]);
    }
    TarnF8 low = mix(f->share[1], mix(f->share[0], v[0], v[1]), mix(f->share[0], v[2], v[3]));
    if (dims == 2) return low;
    TarnF8 high = mix(f->share[1], mix(f->share[0], v[4], v[5]), mix(f->share[0], v[6], v[7]));
    return mix(f->share[2], low, high);
}

TARN_INLINE void back(const LatticeCarry* job, const int dims, int i0, int i1, int j, int k)
{
    for (int i = i0; i < i1; i += TARN_LANES) {
        Foot f = foot_of(job, dims, 1.0f, i, j, k);
        f8_store(job->to + lattice_at(&job->grid, i, j, k),
                 value_at(job, dims, job->from, &f, NULL, NULL));
    }
}

TARN_INLINE void mend(const LatticeCarry* job, const int dims, int i0, int i1, int j, int k)
{
    for (int i = i0; i < i1; i += TARN_LANES) {
        ptrdiff_t c = lattice_at(&job->grid, i, j, k);
        Foot f = foot_of(job, dims, 1.0f, i, j, k), ahead = foot_of(job, dims, -1.0f, i, j, k);
        TarnF8 least, most;
        value_at(job, dims, job->from, &f, &least, &most);
        TarnF8 again = value_at(job, dims, job->first, &ahead, NULL, NULL);
        TarnF8 value = f8_load(job->first + c) + 0.5f * (f8_load(job->from + c) - again);
        f8_store(job->to + c, f8_max(f8_min(value, most), least));
    }
}

static void back_flat(const LatticeCarry* job, int i0, int i1, int j, int k)
{
    back(job, 2, i0, i1, j, k);
}
static void back_solid(const LatticeCarry* job, int i0, int i1, int j, int k)
{
    back(job, 3, i0, i1, j, k);
}
static void mend_flat(const LatticeCarry* job, int i0, int i1, int j, int k)
{
    mend(job, 2, i0, i1, j, k);
}
static void mend_solid(const LatticeCarry* job, int i0, int i1, int j, int k)
{
    mend(job, 3, i0, i1, j, k);
}

const LatticeSmokeKernels TARN_KERNEL(tarn__lattice_smoke_kernels) = {
    .back = { back_flat, back_solid }, .mend = { mend_flat, mend_solid }
};
