// Reading a lattice: fields, single cells, the Flow, sums; and setting its flow.

#include "lattice/lattice_surface.h"
#include "base/maths.h"

static void read_block(int block, void* data)
{
    TarnLattice* l = data;
    const LatticePass pass = tarn__lattice_pass(l);
    LatticeReadFn* read = l->kernels->read[l->kind->dims == 3][l->is_half];
    float scale = (float)(1.0 / l->to_lattice);
    int r0, r1;
    lattice_block_rows(l, block, &r0, &r1);
    for (int r = r0; r < r1; ++r) {
        int j = r % l->grid.ny, k = r / l->grid.ny, of = l->kinds ? l->kinds[r] : LATTICE_ROW_FULL;
        ptrdiff_t c = lattice_at(&l->grid, 0, j, k);
        LatticeRowOut out = { .u = { l->u[0] + c, l->u[1] + c, l->u[2] + c } };
        if (of != LATTICE_ROW_EMPTY) read(&pass, j, k, &out);
        const uint8_t* bytes = l->kinds ? l->cells + (ptrdiff_t)(l->grid.nx >> 3) * r : NULL;
        for (int i = 0; i < l->grid.nx; ++i) {
            bool is_on = of == LATTICE_ROW_FULL ||
                         (of == LATTICE_ROW_MIXED && (bytes[i >> 3] >> (i & 7) & 1) != 0);
            for (int d = 0; d < 3; ++d) out.u[d][i] = is_on ? out.u[d][i] * scale : 0.0f;
        }
    }
}

void tarn__lattice_read_velocity(TarnLattice* l)
{
    tarn__parallel_for(l->ctx, lattice_blocks(l), read_block, l);
}

bool tarn_lattice_cell(const TarnLattice* l, int i, int j, int k, float* density,
                       TarnVec3* velocity)
{
    if (density) *density = 0.0f;
    if (velocity) *velocity = (TarnVec3){ 0.0f, 0.0f, 0.0f };
    if (l == NULL || i < 0 || j < 0 || k < 0 || i >= l->grid.nx || j >= l->grid.ny ||
        k >= l->grid.nz)
        return false;
    if (!lattice_is_cell_on(l, i, j + l->grid.ny * k)) return false;
    ptrdiff_t c = lattice_at(&l->grid, i, j, k);
    LatticeState s = tarn__lattice_state(l, lattice_is_odd(l), c);
    LatticePass pass = tarn__lattice_pass(l);
    float heat = pass.heat ? pass.heat[c] : 0.0f, u[3];
    for (int d = 0; d < 3; ++d) {
        float force = pass.force[d] + heat * pass.lift[d];
        u[d] = (float)((double)(s.u[d] + 0.5f * force / (1.0f + s.rho)) / l->to_lattice);
    }
    if (density) *density = 1.0f + s.rho;
    if (velocity) *velocity = (TarnVec3){ u[0], u[1], u[2] };
    return true;
}

static TarnView3 view_of(const TarnLattice* l, const float* field)
{
    const LatticeGrid* g = &l->grid;
    if (field == NULL) return (TarnView3){ 0 };
    return (TarnView3){ field + g->first, g->nx, g->ny, g->nz, (int)g->row, (int)g->slab };
}

TarnLatticeView tarn_lattice_view(const TarnLattice* l)
{
    return (TarnLatticeView){ .origin = l->origin,
                              .dx = l->def.dx,
                              .u = view_of(l, l->u[0]),
                              .v = view_of(l, l->u[1]),
                              .w = view_of(l, l->u[2]),
                              .smoke = view_of(l, l->smoke),
                              .temperature = view_of(l, l->temperature),
                              .fuel = view_of(l, l->fuel),
                              .fill = view_of(l, tarn__lattice_fill_field(l)) };
}

// ---- The Flow ------------------------------------------------------------------------------------

// Weights of the two cells around a place along an axis; outside of the box the nearest counts.
static void split(float at, int n, int* low, float* share)
{
    at = tarn_clampf(at, 0.0f, (float)(n - 1));
    *low = (int)at < n - 1 ? (int)at : (n > 1 ? n - 2 : 0);
    *share = n > 1 ? at - (float)*low : 0.0f;
}

static float sample(const TarnLattice* l, const float* field, const int low[3],
                    const float share[3])
{
    const LatticeGrid* g = &l->grid;
    float sum = 0.0f;
    for (int n = 0; n < (l->kind->dims == 3 ? 8 : 4); ++n) {
        int d[3] = { n & 1, n >> 1 & 1, n >> 2 };
        float w = 1.0f;
        for (int a = 0; a < l->kind->dims; ++a) w *= d[a] ? share[a] : 1.0f - share[a];
        sum += w * field[lattice_at(g, low[0] + d[0], low[1] + d[1], low[2] + d[2])];
    }
    return sum;
}

static void query(const void* self, int n, const float* x, const float* y, const float* z,
                  const TarnFlowSamples* out)
{
    const TarnLattice* l = self;
    const int cells[3] = { l->grid.nx, l->grid.ny, l->grid.nz };
    const float* fill = tarn__lattice_fill_field(l);
    for (int p = 0; p < n; ++p) {
        const float at[3] = { (x[p] - l->origin.x) / l->def.dx, (y[p] - l->origin.y) / l->def.dx,
                              (z[p] - l->origin.z) / l->def.dx };
        int low[3] = { 0 };
        float share[3] = { 0 }, presence = 1.0f;
        for (int a = 0; a < l->kind->dims; ++a) {
            // Fades out within a cell of a face; NaN is outside.
            float inside = tarn_minf(at[a] + 0.5f, (float)cells[a] + 0.5f - at[a]);
            presence = inside > 0.0f ? tarn_minf(presence, inside) : 0.0f;
            split(at[a] == at[a] ? at[a] - 0.5f : 0.0f, cells[a], &low[a], &share[a]);
        }
        if (l->u[0] == NULL) presence = 0.0f;
        if (fill && presence > 0.0f) presence = tarn_minf(presence, sample(l, fill, low, share));
        float u[3] = { 0 };
        for (int d = 0; d < 3 && presence > 0.0f; ++d) u[d] = sample(l, l->u[d], low, share);
        if (out->velocity) out->velocity[p] = (TarnVec3){ u[0], u[1], u[2] };
        if (out->presence) out->presence[p] = presence;
        if (out->density) out->density[p] = presence > 0.0f ? l->params.density : 0.0f;
        if (out->temperature)
            out->temperature[p] =
                presence > 0.0f && l->temperature ? sample(l, l->temperature, low, share) : 0.0f;
    }
}

TarnFlow tarn_lattice_flow(const TarnLattice* l)
{
    return (TarnFlow){ l, l ? query : NULL };
}

// ---- Stats -----------------------------------------------------------------------------------------

typedef struct Sums {
    double mass, energy, speed2;
    int cells;
} Sums;

static void add_row(const TarnLattice* l, const LatticePass* pass, int r, Sums* s)
{
    LatticeReadFn* read = l->kernels->read[l->kind->dims == 3][l->is_half];
    const float* fill = tarn__lattice_fill_field(l);
    int j = r % l->grid.ny, k = r / l->grid.ny;
    float rho[4096], u[3][4096];
    LatticeRowOut out = { rho, { u[0], u[1], u[2] } };
    read(pass, j, k, &out);
    ptrdiff_t c = lattice_at(&l->grid, 0, j, k);
    for (int i = 0; i < l->grid.nx; ++i) {
        if (!lattice_is_cell_on(l, i, r)) continue;
        double share = fill ? (double)fill[c + i] : 1.0;
        double u2 = (double)u[0][i] * (double)u[0][i] + (double)u[1][i] * (double)u[1][i] +
                    (double)u[2][i] * (double)u[2][i];
        s->mass += share * (1.0 + (double)rho[i]);
        s->energy += 0.5 * share * u2;
        s->speed2 = u2 > s->speed2 ? u2 : s->speed2;
        s->cells += 1;
    }
}

static double field_sum(const TarnLattice* l, const float* field)
{
    double sum = 0.0;
    for (int r = 0; field && r < lattice_rows(l); ++r) {
        const float* row = field + lattice_at(&l->grid, 0, r % l->grid.ny, r / l->grid.ny);
        for (int i = 0; i < l->grid.nx; ++i) sum += (double)row[i];
    }
    return sum;
}

TarnLatticeStats tarn_lattice_stats(const TarnLattice* l)
{
    LatticePass pass = tarn__lattice_pass(l);
    Sums s = { 0 };
    for (int r = 0; r < lattice_rows(l); ++r) add_row(l, &pass, r, &s);
    double dx = (double)l->def.dx, cell = l->kind->dims == 3 ? dx * dx * dx : dx * dx;
    double speed = 1.0 / l->to_lattice;
    TarnLatticeStats stats = { .substep = l->dt,
                               .tau = (double)pass.tau,
                               .viscosity = ((double)pass.tau - 0.5) / 3.0 * dx * dx / l->dt,
                               .max_speed = sqrt(s.speed2) * speed,
                               .mass = s.mass,
                               .kinetic_energy = s.energy * cell * speed * speed,
                               .smoke_sum = field_sum(l, l->smoke) * cell,
                               .heat_sum = field_sum(l, l->temperature) * cell,
                               .fluid_cells = s.cells,
                               .links = l->n_links,
                               .limited = l->limited };
    double length = l->def.length > 0.0f ? (double)l->def.length : dx * l->grid.ny;
    stats.reynolds = (double)l->def.speed * length / stats.viscosity;
    double asked = (double)l->params.viscosity;
    stats.reynolds_asked = asked > 0.0 ? (double)l->def.speed * length / asked : 1e30;
    stats.volume = (double)s.cells * cell;
    tarn__lattice_surface_stats(l, &stats);
    return stats;
}

// ---- Setting ---------------------------------------------------------------------------------------

enum { POINTS = 256 };
static bool set_points(TarnLattice* l, TarnLatticeFieldFn* fn, void* user, int j, int k, int i0,
                       int n, bool is_taken)
{
    float x[POINTS], y[POINTS], z[POINTS], pressure[POINTS] = { 0 };
    TarnVec3 u[POINTS] = { { 0 } };
    for (int i = 0; i < n; ++i) {
        x[i] = l->origin.x + ((float)(i0 + i) + 0.5f) * l->def.dx;
        y[i] = l->origin.y + ((float)j + 0.5f) * l->def.dx;
        z[i] = l->origin.z + ((float)k + 0.5f) * l->def.dx;
    }
    fn(n, x, y, z, u, pressure, user);
    for (int i = 0; i < n; ++i) {
        double rho = 3.0 * (double)pressure[i] * l->to_lattice * l->to_lattice;
        const double v[3] = { (double)u[i].x * l->to_lattice, (double)u[i].y * l->to_lattice,
                              l->kind->dims == 3 ? (double)u[i].z * l->to_lattice : 0.0 };
        if (!(rho > -0.5 && rho < 0.5 && v[0] * v[0] + v[1] * v[1] + v[2] * v[2] < 0.15))
            return false;
        const float w[3] = { (float)v[0], (float)v[1], (float)v[2] };
        if (is_taken)
            tarn__lattice_set_cell(l, lattice_is_odd(l), lattice_at(&l->grid, i0 + i, j, k),
                                   (float)rho, w);
    }
    return true;
}

TarnResult tarn_lattice_set_flow(TarnLattice* l, TarnLatticeFieldFn* fn, void* user)
{
    if (l == NULL) return TARN_ERR_ARG;
    if (fn == NULL)
        return tarn__fail(l->ctx, TARN_ERR_ARG, "tarn_lattice_set_flow: the function is NULL");
    for (int pass = 0; pass < 2; ++pass) {
        for (int r = 0; r < lattice_rows(l); ++r) {
            for (int i = 0; i < l->grid.nx; i += POINTS) {
                int n = l->grid.nx - i < POINTS ? l->grid.nx - i : POINTS;
                if (set_points(l, fn, user, r % l->grid.ny, r / l->grid.ny, i, n, pass == 1))
                    continue;
                return tarn__fail(
                    l->ctx, TARN_ERR_DATA,
                    "tarn_lattice_set_flow: a value is not finite, or faster than %g m/s; "
                    "raise lattice.speed",
                    0.387 / l->to_lattice);
            }
        }
    }
    if (l->u[0]) tarn__lattice_read_velocity(l);
    return TARN_OK;
}
