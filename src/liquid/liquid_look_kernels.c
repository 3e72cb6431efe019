// What a particle sees around it, eight neighbors at a time. Compiled once per instruction set.

#include "liquid/liquid_look_kernels.h"
#include "base/kernels.h"

typedef struct Around {
    TarnF8 x, y, z, inv; // of the particle; 1 / support
} Around;

typedef struct Lanes {
    TarnF8 w, ox, oy, oz;
} Lanes;

TARN_INLINE Around around_of(const TarnLiquid* l, int p)
{
    return (Around){ f8_set(l->x[p]), f8_set(l->y[p]), f8_set(l->z[p]), f8_set(1.0f / l->support) };
}

TARN_INLINE float sum(TarnF8 v)
{
    return ((v[0] + v[1]) + (v[2] + v[3])) + ((v[4] + v[5]) + (v[6] + v[7]));
}

TARN_INLINE void add(Lanes* s, const Around* a, TarnF8 x, TarnF8 y, TarnF8 z)
{
    TarnF8 zero = f8_set(0.0f);
    TarnF8 dx = (x - a->x) * a->inv, dy = (y - a->y) * a->inv, dz = (z - a->z) * a->inv;
    TarnF8 w = f8_max(f8_set(1.0f) - (dx * dx + dy * dy + dz * dz), zero);
    s->w += w; // 0 for the ghost, whose offset is large, but no infinity
    s->ox += w * dx;
    s->oy += w * dy;
    s->oz += w * dz;
}

TARN_INLINE void add_list(const TarnLiquid* l, int p, const Around* a, bool is_3d, Lanes* s)
{
    const Neighbors* nb = &l->neighbors;
    const int* list = nb->list + neighbors_at(nb, p);
    for (int i = 0; i < nb->count[p]; i += TARN_LANES) {
        const int* j = list + i;
        add(s, a, f8_gather_at(l->x, j), f8_gather_at(l->y, j),
            is_3d ? f8_gather_at(l->z, j) : f8_set(0.0f));
    }
}

// Without lists: all that are in the cells around. The particle itself has no offset, and its weight is
// taken out at the end.
static void add_cells(const TarnLiquid* l, int p, const Around* a, Lanes* s)
{
    NeighborRun runs[NEIGHBOR_MAX_RUNS];
    int n = tarn__neighbors_runs(&l->neighbors, l->x[p], l->y[p], l->z[p], runs);
    for (int r = 0; r < n; ++r) {
        for (int i = runs[r].begin; i < runs[r].end; i += TARN_LANES) {
            TarnI8 is_in = (i8_lanes() - i8_set(runs[r].end - i)) >> 31;
            TarnF8 x = f8_select(is_in, f8_load(l->x + i), f8_set(liquid_ghost_at));
            add(s, a, x, f8_load(l->y + i), f8_load(l->z + i));
        }
    }
}

static LookSums around(const TarnLiquid* l, int p)
{
    TarnF8 zero = f8_set(0.0f);
    Lanes s = { zero, zero, zero, zero };
    Around a = around_of(l, p);
    if (!l->method->needs_lists)
        add_cells(l, p, &a, &s);
    else if (l->def.dimensions == 3)
        add_list(l, p, &a, true, &s);
    else
        add_list(l, p, &a, false, &s);
    float self = l->method->needs_lists ? 0.0f : 1.0f;
    return (LookSums){ sum(s.w) - self, sum(s.ox), sum(s.oy), sum(s.oz) };
}

const LookKernels TARN_KERNEL(tarn__look_kernels) = { around };
