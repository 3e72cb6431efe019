// Liquid that is put in: fills and sources; solids that move through it; the Surface plug; the state of the surface.

#include "lattice/lattice_surface.h"
#include "base/def.h"
#include "base/maths.h"

#define F TarnLatticeFillDef
static const TarnParam fill_params[] = {
    P_SHAPE(F, SHAPES_VOLUMES, TARN_SHAPE_BOX, "Shape of the volume."),
    P_SHAPE_SIZE(F, 1e4, 1, 1, 1,
                 "Sphere: radius; box: half extents; capsule, cylinder: radius, half length."),
};
#undef F
static const TarnParamTable fill_table =
    PARAM_TABLE("lattice_fill", TarnLatticeFillDef, fill_params);

const TarnParamTable* tarn_lattice_fill_def_table(void)
{
    return &fill_table;
}
void tarn_lattice_fill_init_def(TarnLatticeFillDef* out, size_t size)
{
    TarnLatticeFillDef def = { 0 };
    tarn_param_defaults(&fill_table, &def);
    def.motion.rotation.w = 1.0f;
    TARN_INIT_DEF(TarnLatticeFillDef, out, size, &def);
}

TarnResult tarn__lattice_check_fill(const TarnLattice* l, const TarnLatticeFillDef* def)
{
    TARN_TRY(TARN_CHECK_DEF(l->ctx, "lattice_fill", "tarn/lattice.h", TarnLatticeFillDef,
                            tarn_lattice_fill_default_def, def));
    TARN_TRY(tarn__lattice_check_volume(l, &fill_table, def, &def->shape, &def->motion));
    if (!tarn__all_within(&def->motion.velocity, 3, 1e3f))
        return tarn__fail(l->ctx, TARN_ERR_ARG,
                          "lattice_fill.velocity: it is not finite or beyond 1000 m/s");
    if (!l->def.use_surface)
        return tarn__fail(
            l->ctx, TARN_ERR_ARG,
            "lattice_fill: this lattice has no free surface; set lattice.use_surface");
    return TARN_OK;
}

// ---- Filling ----------------------------------------------------------------------------------------

// Share of a cell inside of a volume, by points.
static float coverage(const TarnLattice* l, const PlacedShape* s, int i, int j, int k)
{
    enum { N = 4 };
    int found = 0, deep = l->kind->dims == 3 ? N : 1;
    for (int z = 0; z < deep; ++z) {
        for (int y = 0; y < N; ++y) {
            for (int x = 0; x < N; ++x) {
                TarnVec3 p = { l->origin.x + ((float)i + ((float)x + 0.5f) / N) * l->def.dx,
                               l->origin.y + ((float)j + ((float)y + 0.5f) / N) * l->def.dx,
                               l->origin.z +
                                   ((float)k + ((float)z + 0.5f) / (float)deep) * l->def.dx };
                found += shape__holds(s, p);
            }
        }
    }
    return (float)found / (float)(N * N * deep);
}

static void wet(TarnLattice* l, int i, int j, int k, float fill, const float u[3])
{
    LatticeSurface* s = l->surface;
    ptrdiff_t c = lattice_at(&l->grid, i, j, k);
    if (s->type[c] == LATTICE_SOLID || !(fill > s->fill[c])) return;
    tarn__lattice_begin_cell(l, i, j, k, 0.0f, u);
    tarn__lattice_set_cell(l, lattice_is_odd(l), c, 0.0f, u);
    bool is_full = fill > 0.999f;
    s->type[c] = is_full ? LATTICE_FLUID : LATTICE_INTERFACE;
    s->fill[c] = is_full ? 1.0f : fill;
    s->mass[c] = is_full ? 0.0f : fill;
}

static double wet_mass(const TarnLattice* l)
{
    TarnLatticeStats stats = { 0 };
    tarn__lattice_surface_stats(l, &stats);
    return stats.mass - l->surface->debt;
}

// Liquid at rest carries its weight: density grows with the depth below the surface.
static void settle_columns(TarnLattice* l)
{
    LatticePass pass = tarn__lattice_pass(l);
    float g = -pass.force[1];
    const LatticeSurface* s = l->surface;
    for (int k = 0; k < l->grid.nz && g > 0.0f; ++k) {
        for (int i = 0; i < l->grid.nx; ++i) {
            float depth = 0.0f;
            for (int j = l->grid.ny - 1; j >= 0; --j) {
                ptrdiff_t c = lattice_at(&l->grid, i, j, k);
                bool is_wet = lattice_is_wet(l, c);
                if (!is_wet) depth = 0.0f;
                if (!is_wet) continue;
                LatticeState was = tarn__lattice_left(l, !lattice_is_odd(l), c);
                float rho = tarn_clampf(3.0f * g * (depth + s->fill[c] - 0.5f), -0.3f, 0.3f);
                // At rest, what leaves a cell has gained half of the force already.
                for (int d = 0; d < 3; ++d) was.u[d] += 0.5f * pass.force[d] / (1.0f + rho);
                tarn__lattice_begin_cell(l, i, j, k, rho, was.u);
                depth += s->fill[c];
            }
        }
    }
}

static void pour_fill(TarnLattice* l, const TarnLatticeFillDef* def)
{
    TarnPose pose = { def->motion.position, def->motion.rotation };
    PlacedShape placed = tarn__shape_place(&def->shape, &pose);
    const TarnVec3* v = &def->motion.velocity;
    const double speed[3] = { (double)v->x, (double)v->y, (double)v->z };
    float u[3] = { 0 };
    for (int d = 0; d < l->kind->dims; ++d)
        u[d] = (float)lattice_clamp(speed[d] * l->to_lattice, -0.2, 0.2);
    int lo[3], hi[3];
    if (!tarn__lattice_cells_between(l, placed.low, placed.high, lo, hi)) return;
    for (int k = lo[2]; k < hi[2]; ++k)
        for (int j = lo[1]; j < hi[1]; ++j)
            for (int i = lo[0]; i < hi[0]; ++i) {
                float fill = coverage(l, &placed, i, j, k);
                if (fill > 0.0f) wet(l, i, j, k, fill, u);
            }
}

// After liquid was put in by a call: closes the interface and begins the ledger anew.
static void finish_fills(TarnLattice* l)
{
    tarn__lattice_close(l);
    settle_columns(l);
    tarn__lattice_close(l);
    l->surface->ledger = wet_mass(l) + l->surface->debt;
    tarn__lattice_find_bubbles(l, false); // liquid that is put in pushes gas out
    if (l->u[0]) tarn__lattice_read_velocity(l);
}

void tarn__lattice_reset_surface(TarnLattice* l)
{
    LatticeSurface* s = l->surface;
    if (s == NULL) return;
    size_t n = l->grid.stride;
    memset(s->type - l->grid.slab, LATTICE_SOLID, n + (size_t)l->grid.slab);
    for (int r = 0; r < lattice_rows(l); ++r)
        memset(s->type + lattice_at(&l->grid, 0, r % l->grid.ny, r / l->grid.ny), LATTICE_GAS,
               (size_t)l->grid.nx);
    memset(s->bubble, 0, n);
    memset(s->mass, 0, n * sizeof(float));
    memset(s->fill, 0, n * sizeof(float));
    memset(s->next, 0, n * sizeof(float));
    s->debt = s->ledger = 0.0;
    s->n_bubbles = 1;
    s->bubbles[0] = (LatticeBubble){ .rho = 1.0f, .is_open = true };
    for (int f = 0; f < l->fill_ids.count; ++f) pour_fill(l, &l->fills[l->fill_ids.order[f]]);
    finish_fills(l);
}

TarnResult tarn_lattice_add_fill(TarnLattice* l, const TarnLatticeFillDef* def,
                                 TarnLatticeFillId* out)
{
    if (out) *out = (TarnLatticeFillId){ 0 };
    if (l == NULL) return TARN_ERR_ARG;
    TARN_TRY(tarn__lattice_check_fill(l, def));
    int slot = tarn__handles_add(&l->fill_ids);
    if (slot < 0)
        return tarn__fail(l->ctx, TARN_ERR_CAPACITY,
                          "all %d fills are in use; raise lattice.max_fills", l->def.max_fills);
    l->fills[slot] = *def;
    if (out) out->value = tarn__handles_id(&l->fill_ids, slot);
    pour_fill(l, def);
    finish_fills(l);
    return TARN_OK;
}
TarnResult tarn_lattice_remove_fill(TarnLattice* l, TarnLatticeFillId id)
{
    if (l == NULL) return TARN_ERR_ARG;
    int slot = tarn__handles_find(l->ctx, &l->fill_ids, id.value);
    if (slot < 0) return TARN_ERR_ARG;
    tarn__handles_remove(&l->fill_ids, slot);
    return TARN_OK;
}

// ---- Sources ----------------------------------------------------------------------------------------

// Cells in a source stay full and keep its velocity.
static void pour_source(TarnLattice* l, const TarnLatticeSourceDef* def)
{
    LatticeSurface* s = l->surface;
    TarnPose pose = { def->motion.position, def->motion.rotation };
    PlacedShape placed = tarn__shape_place(&def->shape, &pose);
    const double flow[3] = { (double)def->flow.x, (double)def->flow.y, (double)def->flow.z };
    float u[3] = { 0 };
    for (int d = 0; d < l->kind->dims; ++d)
        u[d] = (float)lattice_clamp(flow[d] * l->to_lattice, -0.2, 0.2);
    int lo[3], hi[3];
    if (!tarn__lattice_cells_between(l, placed.low, placed.high, lo, hi)) return;
    for (int k = lo[2]; k < hi[2]; ++k) {
        for (int j = lo[1]; j < hi[1]; ++j) {
            for (int i = lo[0]; i < hi[0]; ++i) {
                ptrdiff_t c = lattice_at(&l->grid, i, j, k);
                if (s->type[c] == LATTICE_SOLID ||
                    !shape__holds(&placed, lattice_center(l, i, j, k)))
                    continue;
                double had = 0.0, rho = 0.0;
                if (s->type[c] == LATTICE_FLUID)
                    had = 1.0 + (double)tarn__lattice_left(l, !lattice_is_odd(l), c).rho;
                if (s->type[c] == LATTICE_INTERFACE) had = (double)s->mass[c];
                tarn__lattice_begin_cell(l, i, j, k, (float)rho, u);
                if (s->type[c] != LATTICE_FLUID) {
                    s->type[c] = LATTICE_INTERFACE;
                    s->mass[c] = 1.002f;
                    s->fill[c] = 1.0f;
                }
                s->ledger += (s->type[c] == LATTICE_FLUID ? 1.0 : (double)s->mass[c]) - had;
            }
        }
    }
}

void tarn__lattice_surface_sources(TarnLattice* l)
{
    bool is_any = false;
    for (int n = 0; n < l->def.max_sources; ++n) {
        const TarnLatticeSourceDef* def = &l->sources[n];
        if (!tarn__handles_is_used(&l->source_ids, n) || !def->is_liquid) continue;
        if (!(l->time >= (double)def->start && l->time < (double)def->stop)) continue;
        pour_source(l, def);
        is_any = true;
    }
    if (is_any) tarn__lattice_close(l);
}

// ---- Solids -----------------------------------------------------------------------------------------

// Cells that a solid left are interface, as full as those around them; the ledger takes the mass from elsewhere. Mass in
// cells that it entered goes to the interface.
void tarn__lattice_surface_solids(TarnLattice* l)
{
    LatticeSurface* s = l->surface;
    bool is_first = l->solids_key == 0;
    for (int r = 0; r < lattice_rows(l); ++r) {
        int j = r % l->grid.ny, k = r / l->grid.ny;
        for (int i = 0; i < l->grid.nx; ++i) {
            ptrdiff_t c = lattice_at(&l->grid, i, j, k), n;
            if (l->solid[c] != 0 || s->type[c] != LATTICE_SOLID) continue;
            float fill = 0.0f, rho = 0.0f, u[3] = { 0 };
            int found = 0, wet_cells = 0;
            for (int way = 0; way < 2 * l->kind->pairs; ++way) {
                if (!lattice_neighbor(l, i, j, k, way, &n) || s->type[n] == LATTICE_SOLID) continue;
                found += 1;
                fill += s->fill[n];
                if (s->type[n] == LATTICE_GAS) continue;
                LatticeState left = tarn__lattice_left(l, !lattice_is_odd(l), n);
                rho += left.rho, wet_cells += 1;
                for (int d = 0; d < 3; ++d) u[d] += left.u[d];
            }
            s->type[c] = LATTICE_GAS;
            fill = found > 0 ? tarn_minf(fill / (float)found, 1.0f) : 0.0f;
            if (!(fill > 0.05f) || wet_cells == 0) continue;
            for (int d = 0; d < 3; ++d) u[d] = tarn_clampf(u[d] / (float)wet_cells, -0.2f, 0.2f);
            rho = tarn_clampf(rho / (float)wet_cells, -0.2f, 0.2f);
            s->type[c] = LATTICE_INTERFACE;
            tarn__lattice_begin_cell(l, i, j, k, rho, u);
            s->fill[c] = fill;
            s->mass[c] = fill * (1.0f + rho);
        }
    }
    for (int r = 0; r < lattice_rows(l); ++r) {
        ptrdiff_t c = lattice_at(&l->grid, 0, r % l->grid.ny, r / l->grid.ny);
        for (int i = 0; i < l->grid.nx; ++i, ++c) {
            if (l->solid[c] == 0) continue;
            s->type[c] = LATTICE_SOLID;
            s->mass[c] = s->fill[c] = 0.0f;
            s->bubble[c] = 0;
        }
    }
    tarn__lattice_close(l);
    if (is_first) s->ledger = wet_mass(l) + s->debt; // liquid that was filled into solids never was
}

// ---- The Surface plug -------------------------------------------------------------------------------

// The highest liquid in a column of cells, and how deep it is down to the first gas or solid below.
static bool column(const TarnLattice* l, int i, int k, float* top, float* depth)
{
    const LatticeSurface* s = l->surface;
    if (s == NULL) return false; // a lattice without a free surface is dry
    int j = l->grid.ny - 1;
    while (j >= 0 && !(s->fill[lattice_at(&l->grid, i, j, k)] > 0.3f)) --j;
    if (j < 0) return false;
    float sum = 0.0f;
    if (j + 1 < l->grid.ny) sum += s->fill[lattice_at(&l->grid, i, j + 1, k)];
    int low = j;
    while (low >= 0 && s->fill[lattice_at(&l->grid, i, low, k)] > 0.0f)
        sum += s->fill[lattice_at(&l->grid, i, low--, k)];
    *depth = sum * l->def.dx;
    *top = l->origin.y + (float)(low + 1) * l->def.dx + *depth;
    return true;
}

static float top_at(const TarnLattice* l, int i, int k, float* depth)
{
    float top;
    i = i < 0 ? 0 : i < l->grid.nx ? i : l->grid.nx - 1;
    k = k < 0 ? 0 : k < l->grid.nz ? k : l->grid.nz - 1;
    *depth = 0.0f;
    return column(l, i, k, &top, depth) ? top : l->origin.y;
}

static void query(const void* self, int n, const float* x, const float* z,
                  const TarnSurfaceSamples* out)
{
    const TarnLattice* l = self;
    float dx = l->def.dx;
    for (int p = 0; p < n; ++p) {
        float at[2] = { (x[p] - l->origin.x) / dx - 0.5f, (z[p] - l->origin.z) / dx - 0.5f };
        int low[2], cells[2] = { l->grid.nx, l->grid.nz };
        float share[2];
        for (int a = 0; a < 2; ++a) {
            at[a] = tarn_clampf(at[a], 0.0f, (float)(cells[a] - 1)); // NaN is the lowest
            low[a] = (int)at[a];
            share[a] = at[a] - (float)low[a];
        }
        float h[4], d[4];
        for (int c = 0; c < 4; ++c) h[c] = top_at(l, low[0] + (c & 1), low[1] + (c >> 1), &d[c]);
        float front = h[0] + share[0] * (h[1] - h[0]), back = h[2] + share[0] * (h[3] - h[2]);
        float height = front + share[1] * (back - front);
        float near = d[0] + share[0] * (d[1] - d[0]), far = d[2] + share[0] * (d[3] - d[2]);
        if (out->height) out->height[p] = height;
        if (out->depth) out->depth[p] = near + share[1] * (far - near);
        if (out->normal) {
            float sx = (h[1] - h[0] + (h[3] - h[2])) * 0.5f / dx,
                  sz = (h[2] - h[0] + (h[3] - h[1])) * 0.5f / dx;
            out->normal[p] = vec3_normalize((TarnVec3){ -sx, 1.0f, -sz });
        }
        if (out->velocity) {
            int j =
                (int)tarn_clampf((height - l->origin.y) / dx - 0.5f, 0.0f, (float)(l->grid.ny - 1));
            ptrdiff_t c = lattice_at(&l->grid, low[0], j, low[1]);
            out->velocity[p] = (TarnVec3){ 0.0f, 0.0f, 0.0f };
            if (l->surface) out->velocity[p] = (TarnVec3){ l->u[0][c], l->u[1][c], l->u[2][c] };
        }
    }
}

static bool area(const void* self, TarnVec2* min, TarnVec2* max)
{
    const TarnLattice* l = self;
    *min = (TarnVec2){ l->origin.x, l->origin.z };
    *max = (TarnVec2){ l->origin.x + (float)l->grid.nx * l->def.dx,
                       l->origin.z + (float)l->grid.nz * l->def.dx };
    return true;
}

TarnSurface tarn_lattice_surface(const TarnLattice* l)
{
    if (l == NULL) return (TarnSurface){ 0 };
    return (TarnSurface){ .self = l, .query = query, .area = area };
}

// ---- State ------------------------------------------------------------------------------------------

int tarn__lattice_surface_arrays(const TarnLattice* l, LatticeArray* out)
{
    LatticeSurface* s = l->surface;
    if (s == NULL) return 0;
    size_t n = l->grid.stride;
    out[0] = (LatticeArray){ s->type, n, LATTICE_BYTES, LATTICE_SOLID };
    out[1] = (LatticeArray){ s->bubble, n, LATTICE_BYTES, 255.0f };
    out[2] = (LatticeArray){ s->mass, n, LATTICE_FLOATS, 100.0f };
    out[3] = (LatticeArray){ s->fill, n, LATTICE_FLOATS, 1.0f };
    return 4;
}

enum { BUBBLE_NUMBERS = 4, SURFACE_NUMBERS = 3 + LATTICE_BUBBLES * BUBBLE_NUMBERS };
static void get_numbers(const LatticeSurface* s, double out[SURFACE_NUMBERS])
{
    out[0] = s->ledger, out[1] = s->debt, out[2] = s->n_bubbles;
    for (int b = 0; b < LATTICE_BUBBLES; ++b) {
        const LatticeBubble none = { 0 }, *from = b < s->n_bubbles ? &s->bubbles[b] : &none;
        double* to = out + 3 + BUBBLE_NUMBERS * b;
        to[0] = from->amount, to[1] = from->volume, to[2] = (double)from->rho,
        to[3] = from->is_open;
    }
}

uint64_t tarn__lattice_surface_hash(const TarnLattice* l, uint64_t hash)
{
    double numbers[SURFACE_NUMBERS];
    if (l->surface == NULL) return hash;
    get_numbers(l->surface, numbers);
    return tarn_hash(numbers, sizeof numbers, hash);
}
void tarn__lattice_surface_save(const TarnLattice* l, TarnWriter* w)
{
    double numbers[SURFACE_NUMBERS];
    if (l->surface == NULL) return;
    get_numbers(l->surface, numbers);
    for (int n = 0; n < SURFACE_NUMBERS; ++n) tarn__write_f64(w, numbers[n]);
}

bool tarn__lattice_surface_load(const TarnLattice* l, TarnReader* r, TarnLattice* out)
{
    double n[SURFACE_NUMBERS];
    if (l->surface == NULL) return true;
    for (int i = 0; i < SURFACE_NUMBERS; ++i) {
        n[i] = tarn__read_f64(r);
        if (!(n[i] >= -1e12 && n[i] <= 1e12)) return false;
    }
    if (!(n[2] >= 1.0 && n[2] <= LATTICE_BUBBLES && n[2] == (double)(int)n[2])) return false;
    for (int b = 0; b < LATTICE_BUBBLES; ++b) {
        const double* from = n + 3 + BUBBLE_NUMBERS * b;
        if (!(from[2] >= 0.0 && from[2] <= 2.0) || (from[3] != 0.0 && from[3] != 1.0)) return false;
        if (out)
            out->surface->bubbles[b] =
                (LatticeBubble){ from[0], from[1], (float)from[2], from[3] != 0.0 };
    }
    if (out == NULL) return true;
    LatticeSurface* s = out->surface;
    s->ledger = n[0], s->debt = n[1], s->n_bubbles = (int)n[2];
    // What no run can have made stands for something harmless.
    for (size_t c = 0; c < l->grid.stride; ++c) {
        ptrdiff_t o = (ptrdiff_t)c - l->grid.first, in = o >= 0 ? o % l->grid.slab : 0;
        bool is_inside = o >= 0 && o / l->grid.slab < l->grid.nz && in / l->grid.row < l->grid.ny &&
                         in % l->grid.row < l->grid.nx;
        bool is_solid = !is_inside || (l->solid && l->solid[c] != 0);
        if (is_solid) s->type[c] = LATTICE_SOLID;
        if (!is_solid && s->type[c] == LATTICE_SOLID) s->type[c] = LATTICE_GAS;
        if (s->bubble[c] >= s->n_bubbles) s->bubble[c] = 0;
    }
    tarn__lattice_list(out);
    return true;
}
