// Temperature: a second lattice with one population per neighbor (D2Q5, D3Q7), moved by the velocity of the first.
//
// Method   BGK towards w T (1 + e.u / c^2) with c^2 = 1/3 in 2-D and 1/4 in 3-D; diffusivity = c^2 (tau - 1/2). In place, as
//          the first lattice. Walls bounce (no heat passes) or, at a face with a temperature, return 2 w T less what
//          left. Velocities are those at the end of the last call of step.
// Checked  tests/physics/check_lattice.c: convection in a square [deVahlDavis1983].

#include "lattice/lattice_internal.h"
#include "base/maths.h"

typedef struct Heating {
    TarnLattice* l;
    bool is_odd;
    float omega, per_c2, keep, rest, side;
} Heating;

// Velocity of a cell in lattice units, and its rate of relaxation. Where the flow is faster than the lattice was made for, heat
// overshoots more in each step: there it relaxes at once, so that no population changes its sign, and spreads a little.
static float rate_at(const Heating* h, ptrdiff_t c, float u[3])
{
    const float most = 0.24f, slow = 0.12f;
    float fastest = 0.0f;
    for (int p = 0; p < h->l->kind->dims; ++p) {
        u[p] = tarn_clampf(h->l->u[p][c] * (float)h->l->to_lattice, -most, most);
        fastest = tarn_maxf(fastest, u[p] < 0.0f ? -u[p] : u[p]);
    }
    float share = tarn_clampf((fastest - slow) / (most - slow), 0.0f, 1.0f);
    return h->omega + share * (1.0f - h->omega);
}

static void heat_row(const Heating* h, int r)
{
    TarnLattice* l = h->l;
    int j = r % l->grid.ny, k = r / l->grid.ny, dims = l->kind->dims;
    ptrdiff_t c0 = lattice_at(&l->grid, 0, j, k);
    for (int i = 0; i < l->grid.nx; ++i) {
        ptrdiff_t c = c0 + i;
        if (l->solid && l->solid[c] != 0) continue;
        float T = l->heat[c];
        float *up[3], *down[3];
        for (int p = 0; p < dims; ++p) {
            up[p] = l->heat + lattice_in(l, h->is_odd, p, true, c);
            down[p] = l->heat + lattice_in(l, h->is_odd, p, false, c);
            T += *up[p] + *down[p];
        }
        T = tarn_clampf(T * h->keep, -1e5f, 1e5f);
        float u[3] = { 0 }, omega = rate_at(h, c, u);
        l->heat[c] += omega * (h->rest * T - l->heat[c]);
        for (int p = 0; p < dims; ++p) {
            float even = h->side * T, odd = even * h->per_c2 * u[p];
            float a = *up[p] + omega * (even + odd - *up[p]),
                  b = *down[p] + omega * (even - odd - *down[p]);
            *down[p] = a; // what leaves upwards lies where the other was
            *up[p] = b;
        }
        l->temperature[c] = T;
    }
}

// Faces and obstacles, cell by cell: directions that come from outside.
static void heat_edges(const Heating* h, int r)
{
    TarnLattice* l = h->l;
    const int n[3] = { l->grid.nx, l->grid.ny, l->grid.nz };
    const ptrdiff_t step[3] = { 1, l->grid.row, l->grid.slab };
    for (int i = 0; i < n[0]; ++i) {
        int at[3] = { i, r % l->grid.ny, r / l->grid.ny };
        ptrdiff_t c = lattice_at(&l->grid, at[0], at[1], at[2]);
        bool is_row_edge = at[1] == 0 || at[1] == n[1] - 1 ||
                           (l->kind->dims == 3 && (at[2] == 0 || at[2] == n[2] - 1));
        if (l->solid == NULL && !is_row_edge && i > 0 && i < n[0] - 1) {
            i = n[0] - 2;
            continue;
        }
        if (l->solid && l->solid[c] != 0) continue;
        for (int a = 0; a < l->kind->dims; ++a) {
            for (int side = 0; side < 2; ++side) { // the population that enters from that side
                bool is_up = side == 0, is_edge = at[a] == (side ? n[a] - 1 : 0);
                int face = 2 * a + side, kind = (&l->def.face_x0)[face];
                ptrdiff_t to = lattice_in(l, !h->is_odd, a, is_up, c);
                float bounced = l->heat[lattice_out(l, h->is_odd, a, !is_up, c)];
                if (!is_edge) {
                    bool is_wall = l->solid && l->solid[side ? c + step[a] : c - step[a]] != 0;
                    if (is_wall) l->heat[to] = bounced;
                } else if (kind == TARN_LATTICE_PERIODIC) {
                    ptrdiff_t from = side ? c - step[a] * (n[a] - 1) : c + step[a] * (n[a] - 1);
                    l->heat[to] = l->heat[lattice_out(l, h->is_odd, a, is_up, from)];
                } else if ((&l->params.heat_x0)[face]) {
                    l->heat[to] = 2.0f * h->side * (&l->params.heat_at_x0)[face] - bounced;
                } else if (kind == TARN_LATTICE_INFLOW) {
                    l->heat[to] = -bounced;
                } else if (kind == TARN_LATTICE_OUTFLOW) {
                    l->heat[to] = l->heat[lattice_out(l, h->is_odd, a, is_up, c)];
                } else {
                    l->heat[to] = bounced;
                }
            }
        }
    }
}

static void heat_block(int block, void* data)
{
    int r0, r1;
    lattice_block_rows(((const Heating*)data)->l, block, &r0, &r1);
    for (int r = r0; r < r1; ++r) heat_row(data, r);
}
static void edge_block(int block, void* data)
{
    int r0, r1;
    lattice_block_rows(((const Heating*)data)->l, block, &r0, &r1);
    for (int r = r0; r < r1; ++r) heat_edges(data, r);
}

void tarn__lattice_heat(TarnLattice* l)
{
    double c2 = l->kind->dims == 3 ? 0.25 : 1.0 / 3.0, dx = (double)l->def.dx;
    double tau = 0.5 + (double)l->params.diffusivity * l->dt / (dx * dx) / c2;
    Heating h = { .l = l,
                  .is_odd = !lattice_is_odd(l), // of the step that was just done
                  .omega = (float)(1.0 / lattice_clamp(tau, 0.505, 5.0)),
                  .per_c2 = (float)(1.0 / c2),
                  .keep = tarn_exp(-l->params.cooling * (float)l->dt),
                  .rest = l->kind->dims == 3 ? 0.25f : 1.0f / 3.0f,
                  .side = l->kind->dims == 3 ? 0.125f : 1.0f / 6.0f };
    tarn__parallel_for(l->ctx, lattice_blocks(l), heat_block, &h);
    tarn__parallel_for(l->ctx, lattice_blocks(l), edge_block, &h);
}
