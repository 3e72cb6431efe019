// Smoke, dye and fuel: sources, how the flow carries them, how they burn.
//
// Method   Once per call of step, between cell centers, with the velocities at its end [Selle2008]. Rows without any are
//          left out: each row keeps the range of its cells that are not empty.

#include "lattice/lattice_internal.h"
#include "lattice/lattice_smoke_kernels.h"
#include "base/def.h"
#include "base/maths.h"
#include "base/shape.h"

static const float empty = 1e-5f; // less is none

typedef struct Carrying {
    TarnLattice* l;
    LatticeCarry job;
    LatticeCarryFn* fn;
    const float* field; // whose rows are looked at
    int reach;
    float keep;
} Carrying;

// The cells of each row that are not empty.
static void range_block(int block, void* data)
{
    const Carrying* c = data;
    const TarnLattice* l = c->l;
    int r0, r1;
    lattice_block_rows(l, block, &r0, &r1);
    for (int r = r0; r < r1; ++r) {
        const float* row = c->field + lattice_at(&l->grid, 0, r % l->grid.ny, r / l->grid.ny);
        int a = 0, b = l->grid.nx;
        while (a < b && row[a] == 0.0f) ++a;
        while (b > a && row[b - 1] == 0.0f) --b;
        l->ranges[2 * r] = a, l->ranges[2 * r + 1] = b;
    }
}

// The cells that what is around a row can reach.
static void reach_of(const Carrying* c, int j, int k, int* lo, int* hi)
{
    const TarnLattice* l = c->l;
    int deep = l->kind->dims == 3 ? c->reach : 0;
    *lo = l->grid.nx, *hi = 0;
    for (int z = k - deep; z <= k + deep; ++z) {
        for (int y = j - c->reach; y <= j + c->reach; ++y) {
            if (y < 0 || z < 0 || y >= l->grid.ny || z >= l->grid.nz) continue;
            const int* range = l->ranges + 2 * (y + l->grid.ny * z);
            if (range[0] >= range[1]) continue;
            *lo = range[0] < *lo ? range[0] : *lo;
            *hi = range[1] > *hi ? range[1] : *hi;
        }
    }
}

static void carry_block(int block, void* data)
{
    const Carrying* c = data;
    TarnLattice* l = c->l;
    int r0, r1, lo, hi;
    lattice_block_rows(l, block, &r0, &r1);
    for (int r = r0; r < r1; ++r) {
        int j = r % l->grid.ny, k = r / l->grid.ny;
        reach_of(c, j, k, &lo, &hi);
        float* row = c->job.to + lattice_at(&l->grid, 0, j, k);
        memset(row, 0, (size_t)l->grid.nx * sizeof *row);
        if (lo >= hi) continue;
        lo = lo - c->reach - 1 > 0 ? (lo - c->reach - 1) & ~7 : 0;
        hi = hi + c->reach + 1 < l->grid.nx ? (hi + c->reach + 8) & ~7 : l->grid.nx;
        c->fn(&c->job, lo, hi, j, k);
        for (int i = lo; i < hi; ++i) {
            bool is_on = l->solid == NULL || l->solid[lattice_at(&l->grid, i, j, k)] == 0;
            row[i] = is_on && row[i] > empty ? row[i] * c->keep : 0.0f;
        }
    }
}

static void carry_field(TarnLattice* l, float** field, float dt, float decay)
{
    const LatticeSmokeKernels* kernels =
        TARN_KERNELS_PICK(l->ctx->isa, tarn__lattice_smoke_kernels);
    float fastest = 0.3f / (float)l->to_lattice * dt / l->def.dx;
    Carrying c = { .l = l, .field = *field, .keep = 1.0f };
    float reach = tarn_clampf(fastest, 1.0f, 4.0f);
    c.reach = (int)reach + 1;
    c.job = (LatticeCarry){ .grid = l->grid,
                            .dims = l->kind->dims,
                            .from = *field,
                            .u = { l->u[0], l->u[1], l->u[2] },
                            .scale = dt / l->def.dx,
                            .reach = reach,
                            .to = l->scratch[0] };
    tarn__parallel_for(l->ctx, lattice_blocks(l), range_block, &c);
    c.fn = kernels->back[l->kind->dims == 3];
    tarn__parallel_for(l->ctx, lattice_blocks(l), carry_block, &c);
    c.job.first = l->scratch[0];
    c.job.to = l->scratch[1];
    c.fn = kernels->mend[l->kind->dims == 3];
    c.keep = tarn_exp(-decay * dt);
    tarn__parallel_for(l->ctx, lattice_blocks(l), carry_block, &c);
    float* made = l->scratch[1];
    l->scratch[1] = *field;
    *field = made;
}

void tarn__lattice_carry(TarnLattice* l, float dt)
{
    if (l->smoke) carry_field(l, &l->smoke, dt, l->params.smoke_decay);
    if (l->fuel) carry_field(l, &l->fuel, dt, 0.0f);
}

// ---- Burning ---------------------------------------------------------------------------------------

static void set_heat(TarnLattice* l, ptrdiff_t c,
                     float add); // adds to the populations of the second lattice

static void burn_block(int block, void* data)
{
    TarnLattice* l = ((const Carrying*)data)->l;
    float dt = ((const Carrying*)data)->keep;
    const TarnLatticeParams* p = &l->params;
    int r0, r1;
    lattice_block_rows(l, block, &r0, &r1);
    for (int r = r0; r < r1; ++r) {
        ptrdiff_t c = lattice_at(&l->grid, 0, r % l->grid.ny, r / l->grid.ny);
        for (int i = 0; i < l->grid.nx; ++i, ++c) {
            if (!(l->fuel[c] > 0.0f) || !(l->temperature[c] > p->ignition)) continue;
            // As in the gas solver, little fuel burns as if there were more, so that it burns out.
            float burnt = tarn_minf(l->fuel[c], p->burn_rate * dt * tarn_maxf(l->fuel[c], 0.1f));
            l->fuel[c] -= burnt;
            l->smoke[c] += burnt * p->burn_smoke;
            set_heat(l, c, burnt * p->burn_heat);
        }
    }
}

void tarn__lattice_burn(TarnLattice* l, float dt)
{
    Carrying c = { .l = l, .keep = dt };
    if (l->fuel) tarn__parallel_for(l->ctx, lattice_blocks(l), burn_block, &c);
}

// A second lattice at rest holds w T in each direction; the flow turns what is added into its own share.
static void set_heat(TarnLattice* l, ptrdiff_t c, float add)
{
    float most = 1e4f, old = l->temperature[c], now = tarn_clampf(old + add, -most, most);
    bool is_odd = lattice_is_odd(l);
    float rest = l->kind->dims == 3 ? 0.25f : 1.0f / 3.0f,
          side = l->kind->dims == 3 ? 0.125f : 1.0f / 6.0f;
    l->temperature[c] = now;
    l->heat[c] += rest * (now - old);
    for (int p = 0; p < l->kind->dims; ++p)
        for (int up = 0; up < 2; ++up)
            l->heat[lattice_in(l, is_odd, p, up != 0, c)] += side * (now - old);
}

// ---- Sources ---------------------------------------------------------------------------------------

#define S TarnLatticeSourceDef
static const TarnParam source_params[] = {
    P_SHAPE(S, SHAPES_VOLUMES, TARN_SHAPE_SPHERE, "Shape of the volume."),
    P_SHAPE_SIZE(S, 1e4, 0.2, 0.2, 0.2,
                 "Sphere: radius; box: half extents; capsule, cylinder: radius, half length."),
    P_FLOAT(S, smoke, "", 0, 100, 1, "Smoke inside."),
    P_FLOAT(S, temperature, "K", -1e4, 1e4, 0, "Temperature inside, above ambient."),
    P_FLOAT(S, fuel, "", 0, 100, 0, "Fuel inside."),
    P_FLOAT(S, rate, "1/s", 0, 1e4, 0, "How fast the fluid inside takes these on; 0: at once."),
    P_BOOL(S, is_liquid, 0, "Keeps the volume full of liquid; needs use_surface."),
    P_VEC3(S, flow, "m/s", -1000, 1000, 0, 0, 0, "Velocity of the liquid that leaves it."),
    P_FLOAT(S, start, "s", 0, 1e9, 0, "Time of the lattice at which the source begins."),
    P_FLOAT(S, stop, "s", 0, 1e9, 1e9, "Time of the lattice at which the source ends."),
};
#undef S
static const TarnParamTable source_table =
    PARAM_TABLE("lattice_source", TarnLatticeSourceDef, source_params);

const TarnParamTable* tarn_lattice_source_def_table(void)
{
    return &source_table;
}
void tarn_lattice_source_init_def(TarnLatticeSourceDef* out, size_t size)
{
    TarnLatticeSourceDef def = { 0 };
    tarn_param_defaults(&source_table, &def);
    def.motion.rotation.w = 1.0f;
    TARN_INIT_DEF(TarnLatticeSourceDef, out, size, &def);
}

TarnResult tarn__lattice_check_volume(const TarnLattice* l, const TarnParamTable* table,
                                      const void* def, const TarnShape* shape,
                                      const TarnMotion* motion)
{
    TARN_TRY(tarn_param_validate(l->ctx, table, def));
    TARN_TRY(tarn__shape_check_size(l->ctx, table->name, shape, 1e-4f, 1e4f));
    TarnPose pose = { motion->position, motion->rotation };
    return tarn__pose_check(l->ctx, table->name, &pose);
}

TarnResult tarn__lattice_check_source(const TarnLattice* l, const TarnLatticeSourceDef* def)
{
    TARN_TRY(TARN_CHECK_DEF(l->ctx, "lattice_source", "tarn/lattice.h", TarnLatticeSourceDef,
                            tarn_lattice_source_default_def, def));
    TARN_TRY(tarn__lattice_check_volume(l, &source_table, def, &def->shape, &def->motion));
    if (def->is_liquid && !l->def.use_surface)
        return tarn__fail(
            l->ctx, TARN_ERR_ARG,
            "lattice_source.is_liquid: this lattice has no free surface; set lattice.use_surface");
    if (def->stop < def->start)
        return tarn__fail(l->ctx, TARN_ERR_ARG, "lattice_source.stop: %g s is before start, %g s",
                          (double)def->stop, (double)def->start);
    return TARN_OK;
}

TarnResult tarn_lattice_add_source(TarnLattice* l, const TarnLatticeSourceDef* def,
                                   TarnLatticeSourceId* out)
{
    if (out) *out = (TarnLatticeSourceId){ 0 };
    if (l == NULL) return TARN_ERR_ARG;
    TARN_TRY(tarn__lattice_check_source(l, def));
    int slot = tarn__handles_add(&l->source_ids);
    if (slot < 0)
        return tarn__fail(l->ctx, TARN_ERR_CAPACITY,
                          "all %d sources are in use; raise lattice.max_sources",
                          l->def.max_sources);
    l->sources[slot] = *def;
    if (out) out->value = tarn__handles_id(&l->source_ids, slot);
    return TARN_OK;
}
TarnResult tarn_lattice_set_source(TarnLattice* l, TarnLatticeSourceId id,
                                   const TarnLatticeSourceDef* def)
{
    if (l == NULL) return TARN_ERR_ARG;
    int slot = tarn__handles_find(l->ctx, &l->source_ids, id.value);
    if (slot < 0) return TARN_ERR_ARG;
    TARN_TRY(tarn__lattice_check_source(l, def));
    l->sources[slot] = *def;
    return TARN_OK;
}
TarnResult tarn_lattice_remove_source(TarnLattice* l, TarnLatticeSourceId id)
{
    if (l == NULL) return TARN_ERR_ARG;
    int slot = tarn__handles_find(l->ctx, &l->source_ids, id.value);
    if (slot < 0) return TARN_ERR_ARG;
    tarn__handles_remove(&l->source_ids, slot);
    return TARN_OK;
}

bool tarn__lattice_cells_between(const TarnLattice* l, TarnVec3 from, TarnVec3 to, int lo[3],
                                 int hi[3])
{
    TarnVec3 a = vec3_sub(from, l->origin), b = vec3_sub(to, l->origin);
    const float low[3] = { a.x, a.y, a.z }, high[3] = { b.x, b.y, b.z };
    const int n[3] = { l->grid.nx, l->grid.ny, l->grid.nz };
    for (int d = 0; d < 3; ++d) {
        lo[d] = (int)tarn_clampf(low[d] / l->def.dx - 1.0f, 0.0f, (float)n[d]);
        hi[d] = (int)tarn_clampf(high[d] / l->def.dx + 2.0f, 0.0f, (float)n[d]);
        if (lo[d] >= hi[d]) return false;
    }
    return true;
}

static void pour(TarnLattice* l, const TarnLatticeSourceDef* s, float dt)
{
    TarnPose pose = { s->motion.position, s->motion.rotation };
    PlacedShape placed = tarn__shape_place(&s->shape, &pose);
    float share = s->rate > 0.0f ? 1.0f - tarn_exp(-s->rate * dt) : 1.0f;
    int lo[3], hi[3];
    if (!tarn__lattice_cells_between(l, placed.low, placed.high, lo, hi)) return;
    for (int k = lo[2]; k < hi[2]; ++k) {
        for (int j = lo[1]; j < hi[1]; ++j) {
            for (int i = lo[0]; i < hi[0]; ++i) {
                ptrdiff_t c = lattice_at(&l->grid, i, j, k);
                if (l->solid && l->solid[c] != 0) continue;
                if (!shape__holds(&placed, lattice_center(l, i, j, k))) continue;
                if (l->smoke) l->smoke[c] += share * (s->smoke - l->smoke[c]);
                if (l->fuel) l->fuel[c] += share * (s->fuel - l->fuel[c]);
                if (l->heat) set_heat(l, c, share * (s->temperature - l->temperature[c]));
            }
        }
    }
}

void tarn__lattice_sources(TarnLattice* l, float dt)
{
    if (!l->smoke && !l->heat) return;
    for (int n = 0; n < l->def.max_sources; ++n) {
        const TarnLatticeSourceDef* s = &l->sources[n];
        if (!tarn__handles_is_used(&l->source_ids, n) || s->is_liquid) continue;
        if (l->time >= (double)s->start && l->time < (double)s->stop) pour(l, s, dt);
    }
}
