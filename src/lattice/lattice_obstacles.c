// Obstacles: which cells solids cover, what bounces off them, and what that does to the solids.
//
// Method   Cells whose centers are in a solid do not collide. Each direction from a fluid cell into such a cell is a link;
//          what leaves along it comes back half-way [Ladd1994], or as if from where the surface is [Bouzidi2001].
//          A surface that moves adds 6 w e.u. Force and torque by momentum exchange. Cells that a moving
//          solid uncovers begin with the mean density and velocity of the fluid around them.
// Differs  from [Bouzidi2001]: without a fluid cell behind, a link bounces half-way.
// Checked  tests/physics/check_lattice_obstacles.c, tests/unit/test_lattice.c.

#include "lattice/lattice_surface.h"
#include "base/maths.h"

enum { TILE = 8 };

TarnResult tarn_lattice_set_solids(TarnLattice* l, TarnSolids* solids)
{
    if (l == NULL) return TARN_ERR_ARG;
    if (solids != NULL && l->solid == NULL)
        return tarn__fail(
            l->ctx, TARN_ERR_ARG,
            "tarn_lattice_set_solids: this lattice has no obstacles; set lattice.obstacles");
    l->solids = solids;
    l->solids_key = 0;
    return TARN_OK;
}

// ---- Cells in a solid ------------------------------------------------------------------------------

typedef struct Raster {
    TarnLattice* l;
    const SolidProbe* probe;
    const LatticeSolid* solid;
    uint8_t mark;
} Raster;

static void mark_cell(const Raster* r, int i, int j, int k)
{
    uint8_t* at = &r->l->solid[lattice_at(&r->l->grid, i, j, k)];
    if (*at == 0) *at = r->mark;
}

// A cube of cells: as one if a ball around it is clear of the surface, else in parts.
static void mark_cube(const Raster* r, const int from[3], int size)
{
    int lo[3], hi[3];
    for (int a = 0; a < 3; ++a) {
        lo[a] = from[a];
        hi[a] = from[a] + size < r->solid->hi[a] ? from[a] + size : r->solid->hi[a];
        if (lo[a] >= hi[a]) return;
    }
    TarnLattice* l = r->l;
    float half = 0.5f * (float)(size - 1), reach = half * 1.7320508f + 0.5f;
    TarnVec3 first = lattice_center(l, lo[0], lo[1], lo[2]), center = first;
    center.x += half * l->def.dx, center.y += half * l->def.dx;
    if (l->kind->dims == 3) center.z += half * l->def.dx;
    SolidSide side =
        size > 1 ? tarn__solid_side(r->probe, center, reach * l->def.dx) : SOLID_UNKNOWN;
    if (side == SOLID_OUTSIDE) return;
    if (side == SOLID_INSIDE || size == 1) {
        if (size == 1 && !(tarn__solid_distance(r->probe, first, l->def.dx) < 0.0f)) return;
        for (int k = lo[2]; k < hi[2]; ++k)
            for (int j = lo[1]; j < hi[1]; ++j)
                for (int i = lo[0]; i < hi[0]; ++i) mark_cell(r, i, j, k);
        return;
    }
    int part = size / 2;
    for (int n = 0; n < 8; ++n) {
        int at[3] = { lo[0] + (n & 1) * part, lo[1] + (n >> 1 & 1) * part,
                      lo[2] + (n >> 2) * part };
        mark_cube(r, at, part);
    }
}

static void mark_slabs(int block, void* data)
{
    const Raster* r = data;
    const LatticeSolid* s = r->solid;
    for (int j = s->lo[1]; j < s->hi[1]; j += TILE)
        for (int i = s->lo[0]; i < s->hi[0]; i += TILE)
            mark_cube(r, (int[3]){ i, j, s->lo[2] + TILE * block }, TILE);
}

// ---- Links ------------------------------------------------------------------------------------------

// Where the surface is on the way between two centers, as a share of it.
static uint16_t wall_at(const TarnLattice* l, const SolidProbe* probe, const int at[3],
                        const int e[3])
{
    if (l->def.obstacles != TARN_LATTICE_INTERPOLATED) return 32768;
    TarnVec3 a = lattice_center(l, at[0], at[1], at[2]);
    TarnVec3 b = lattice_center(l, at[0] + e[0], at[1] + e[1], at[2] + e[2]);
    float far = 2.0f * l->def.dx, from = 0.0f, to = 1.0f;
    for (int n = 0; n < 8; ++n) { // the distance is not linear along a way that grazes
        float mid = 0.5f * (from + to);
        TarnVec3 p = vec3_add(a, vec3_scale(vec3_sub(b, a), mid));
        if (tarn__solid_distance(probe, p, far) < 0.0f)
            to = mid;
        else
            from = mid;
    }
    return (uint16_t)(0.5f * (from + to) * 65535.0f);
}

static void add_links(TarnLattice* l, const SolidProbe* probe, LatticeSolid* s, uint8_t mark)
{
    const int n[3] = { l->grid.nx, l->grid.ny, l->grid.nz };
    int lo[3], hi[3];
    for (int a = 0; a < 3; ++a) {
        lo[a] = s->lo[a] > 0 ? s->lo[a] - 1 : 0;
        hi[a] = s->hi[a] < n[a] ? s->hi[a] + 1 : n[a];
    }
    s->links = 0;
    for (int k = lo[2]; k < hi[2]; ++k) {
        for (int j = lo[1]; j < hi[1]; ++j) {
            for (int i = lo[0]; i < hi[0]; ++i) {
                ptrdiff_t c = lattice_at(&l->grid, i, j, k);
                if (l->solid[c] != 0) continue;
                for (int way = 0; way < 2 * l->kind->pairs; ++way) {
                    const signed char* t = l->kind->e[way / 2];
                    int sign = way & 1 ? -1 : 1, e[3] = { sign * t[0], sign * t[1], sign * t[2] };
                    int to[3] = { i + e[0], j + e[1], k + e[2] };
                    if (to[0] < 0 || to[1] < 0 || to[2] < 0 || to[0] >= n[0] || to[1] >= n[1] ||
                        to[2] >= n[2])
                        continue;
                    if (l->solid[lattice_at(&l->grid, to[0], to[1], to[2])] != mark) continue;
                    if (l->n_links == l->max_links) {
                        l->step_flags |= TARN_STEP_CAPACITY_FULL;
                        return;
                    }
                    l->links[l->n_links++] =
                        (LatticeLink){ .cell = (int)c,
                                       .i = (uint16_t)i,
                                       .j = (uint16_t)j,
                                       .k = (uint16_t)k,
                                       .way = (uint8_t)way,
                                       .solid = (uint8_t)(mark - 1),
                                       .at = wall_at(l, probe, (int[3]){ i, j, k }, e) };
                    s->links += 1;
                }
            }
        }
    }
}

// ---- Cells that become fluid -----------------------------------------------------------------------

static void refill(TarnLattice* l, int i, int j, int k)
{
    const int n[3] = { l->grid.nx, l->grid.ny, l->grid.nz };
    bool is_odd = lattice_is_odd(l);
    float rho = 0.0f, u[3] = { 0 };
    int found = 0;
    for (int way = 0; way < 2 * l->kind->pairs; ++way) {
        const signed char* t = l->kind->e[way / 2];
        int sign = way & 1 ? -1 : 1, at[3] = { i + sign * t[0], j + sign * t[1], k + sign * t[2] };
        if (at[0] < 0 || at[1] < 0 || at[2] < 0 || at[0] >= n[0] || at[1] >= n[1] || at[2] >= n[2])
            continue;
        if (!lattice_is_cell_on(l, at[0], at[1] + n[1] * at[2])) continue;
        ptrdiff_t c = lattice_at(&l->grid, at[0], at[1], at[2]);
        if (l->solid[c] != 0) continue;
        LatticeState s = tarn__lattice_state(l, is_odd, c);
        rho += s.rho;
        for (int d = 0; d < 3; ++d) u[d] += s.u[d];
        found += 1;
    }
    float share = found > 0 ? 1.0f / (float)found : 0.0f;
    for (int d = 0; d < 3; ++d) u[d] = tarn_clampf(u[d] * share, -0.2f, 0.2f);
    tarn__lattice_set_cell(l, is_odd, lattice_at(&l->grid, i, j, k),
                           tarn_clampf(rho * share, -0.3f, 0.3f), u);
    if (l->heat) {
        ptrdiff_t c = lattice_at(&l->grid, i, j, k);
        l->heat[c] = l->temperature[c] = 0.0f;
        for (int p = 0; p < l->kind->dims; ++p)
            for (int up = 0; up < 2; ++up) l->heat[lattice_in(l, is_odd, p, up != 0, c)] = 0.0f;
    }
}

// Fluid cells that do not collide yet are filled, all of them before one collides, so that their order does not count.
static void refill_row(TarnLattice* l, int r)
{
    int j = r % l->grid.ny, k = r / l->grid.ny;
    const uint8_t* solid = l->solid + lattice_at(&l->grid, 0, j, k);
    for (int i = 0; i < l->grid.nx; ++i)
        if (solid[i] == 0 && !lattice_is_cell_on(l, i, r)) refill(l, i, j, k);
}

static void set_bits(TarnLattice* l, int r)
{
    int j = r % l->grid.ny, k = r / l->grid.ny, on = 0;
    ptrdiff_t c = lattice_at(&l->grid, 0, j, k);
    uint8_t* bytes = l->cells + (ptrdiff_t)(l->grid.nx >> 3) * r;
    for (int i = 0; i < l->grid.nx; i += 8) {
        unsigned bits = 0;
        for (int b = 0; b < 8; ++b) {
            bool is_on = l->solid == NULL || l->solid[c + i + b] == 0;
            if (is_on && l->surface) is_on = lattice_is_wet(l, c + i + b);
            bits |= (unsigned)is_on << b;
        }
        bytes[i >> 3] = (uint8_t)bits;
        on += __builtin_popcount(bits);
    }
    l->kinds[r] = on == l->grid.nx ? LATTICE_ROW_FULL
                  : on == 0        ? LATTICE_ROW_EMPTY
                                   : LATTICE_ROW_MIXED;
}

static void set_bits_block(int block, void* data)
{
    TarnLattice* l = data;
    int r0, r1;
    lattice_block_rows(l, block, &r0, &r1);
    for (int r = r0; r < r1; ++r) set_bits(l, r);
}
void tarn__lattice_set_bits(TarnLattice* l)
{
    tarn__parallel_for(l->ctx, lattice_blocks(l), set_bits_block, l);
}

// ---- Finding ----------------------------------------------------------------------------------------

// All are marked anew, in the order of their slots: what they cover depends on where they are, not on how they came there.
static void mark_all(TarnLattice* l, const SolidProbe* probes, LatticeSolid* now, int n)
{
    bool is_same_list = n == l->n_solids;
    for (int s = 0; s < n && is_same_list; ++s) is_same_list = now[s].slot == l->solids_in[s].slot;
    memset(l->solid, 0, l->grid.stride);
    for (int s = 0; s < n; ++s) {
        for (int d = 0; d < 3 && is_same_list; ++d) {
            now[s].impulse[d] = l->solids_in[s].impulse[d];
            now[s].angular[d] = l->solids_in[s].angular[d];
        }
        Raster r = { l, &probes[s], &now[s], (uint8_t)(s + 1) };
        tarn__parallel_for(l->ctx, (now[s].hi[2] - now[s].lo[2] + TILE - 1) / TILE, mark_slabs, &r);
    }
}

void tarn__lattice_find_obstacles(TarnLattice* l, float t)
{
    SolidProbe probes[LATTICE_MAX_SOLIDS];
    LatticeSolid now[LATTICE_MAX_SOLIDS];
    int n = 0;
    uint64_t key = 1;
    for (int slot = 0; l->solids && slot < tarn__solids_capacity(l->solids); ++slot) {
        if (!tarn__solids_is_used(l->solids, slot)) continue;
        if (n == LATTICE_MAX_SOLIDS) {
            l->step_flags |= TARN_STEP_CAPACITY_FULL;
            break;
        }
        LatticeSolid s = { .slot = slot };
        tarn__solid_probe(l->solids, slot, t, &probes[n]);
        if (!tarn__lattice_cells_between(l, probes[n].box_min, probes[n].box_max, s.lo, s.hi))
            continue;
        s.key = probes[n].key;
        s.motion = probes[n].motion;
        key = tarn_hash(&s.key, sizeof s.key, key + (uint64_t)slot);
        now[n++] = s;
    }
    if (key == l->solids_key) {
        for (int s = 0; s < n; ++s) l->solids_in[s].motion = now[s].motion; // velocities may change
        return;
    }
    mark_all(l, probes, now, n);
    memcpy(l->solids_in, now, (size_t)n * sizeof *now);
    l->n_solids = n;
    l->n_links = 0;
    for (int s = 0; s < n; ++s) add_links(l, &probes[s], &l->solids_in[s], (uint8_t)(s + 1));
    if (l->surface)
        tarn__lattice_surface_solids(l);
    else if (l->solids_key != 0)
        for (int r = 0; r < lattice_rows(l); ++r) refill_row(l, r);
    l->solids_key = key;
    tarn__lattice_set_bits(l);
}

// ---- Bouncing -----------------------------------------------------------------------------------------

typedef struct Bounce {
    TarnLattice* l;
    bool is_odd;
    // Of each way, for cell 0: where what leaves along it lies, and where the next step loads what comes back
    ptrdiff_t leaves[2 * LATTICE_PAIRS], back[2 * LATTICE_PAIRS];
    TarnVec3 e[2 * LATTICE_PAIRS];
} Bounce;

static Bounce bounce_of(TarnLattice* l, bool is_odd)
{
    Bounce b = { .l = l, .is_odd = is_odd };
    for (int way = 0; way < 2 * l->kind->pairs; ++way) {
        bool is_up = (way & 1) == 0;
        const signed char* t = l->kind->e[way / 2];
        int sign = is_up ? 1 : -1;
        b.leaves[way] = lattice_out(l, is_odd, way / 2, is_up, 0);
        b.back[way] = lattice_in(l, !is_odd, way / 2, !is_up, 0);
        b.e[way] = (TarnVec3){ (float)(sign * t[0]), (float)(sign * t[1]), (float)(sign * t[2]) };
    }
    return b;
}

// What comes back along a link, interpolated for where the wall is.
static float interpolated(const Bounce* b, const LatticeLink* link, float leaves, float push)
{
    const TarnLattice* l = b->l;
    float q = (float)link->at * (1.0f / 65535.0f);
    if (q >= 0.5f) {
        float back = tarn__lattice_get(l, b->leaves[link->way ^ 1] + link->cell);
        return (leaves + push + (2.0f * q - 1.0f) * back) / (2.0f * q);
    }
    const int e = link->way & 1 ? 1 : -1, n[3] = { l->grid.nx, l->grid.ny, l->grid.nz };
    const signed char* t = l->kind->e[link->way / 2];
    int at[3] = { link->i + e * t[0], link->j + e * t[1], link->k + e * t[2] };
    for (int d = 0; d < 3; ++d)
        if (at[d] < 0 || at[d] >= n[d]) return leaves + push;
    ptrdiff_t behind = lattice_at(&l->grid, at[0], at[1], at[2]);
    if (l->solid[behind] != 0 || !lattice_is_cell_on(l, at[0], at[1] + n[1] * at[2]))
        return leaves + push;
    float follows = tarn__lattice_get(l, b->leaves[link->way] + behind);
    return 2.0f * q * leaves + (1.0f - 2.0f * q) * follows + push;
}

// What the velocity of a solid at an arm from its center adds to what comes back along a way.
static float push_of(const Bounce* b, const TarnMotion* m, TarnVec3 arm, int way)
{
    const TarnLattice* l = b->l;
    const float most = 0.25f / (float)l->to_lattice;
    TarnVec3 v = vec3_add(m->velocity, vec3_cross(m->angular_velocity, arm));
    v = (TarnVec3){ tarn_clampf(v.x, -most, most), tarn_clampf(v.y, -most, most),
                    tarn_clampf(v.z, -most, most) };
    return -6.0f * l->kind->w[way / 2] * vec3_dot(b->e[way], v) * (float)l->to_lattice;
}

static bool is_still(const TarnMotion* m)
{
    const TarnVec3 *v = &m->velocity, *w = &m->angular_velocity;
    return v->x == 0.0f && v->y == 0.0f && v->z == 0.0f && w->x == 0.0f && w->y == 0.0f &&
           w->z == 0.0f;
}

static void fix_links(const Bounce* b, const LatticeSolid* solid, int from, int end, double out[6])
{
    TarnLattice* l = b->l;
    const TarnMotion* m = &solid->motion;
    const bool is_interpolated = l->def.obstacles == TARN_LATTICE_INTERPOLATED, rests = is_still(m);
    double kick[3] = { 0 }, spin[3] = { 0 };
    for (int n = from; n < end; ++n) {
        const LatticeLink* link = &l->links[n];
        // A liquid with a free surface does not collide everywhere.
        if (l->surface && !lattice_is_wet(l, link->cell)) continue;
        TarnVec3 p = lattice_center(l, link->i, link->j, link->k), e = b->e[link->way];
        TarnVec3 arm = vec3_sub(vec3_add(p, vec3_scale(e, 0.5f * l->def.dx)), m->position);
        float push = rests ? 0.0f : push_of(b, m, arm, link->way);
        float leaves = tarn__lattice_get(l, b->leaves[link->way] + link->cell);
        float back = is_interpolated ? interpolated(b, link, leaves, push) : leaves + push;
        tarn__lattice_put(l, b->back[link->way] + link->cell, back);
        double both = (double)leaves + (double)back;
        double x = both * (double)e.x, y = both * (double)e.y, z = both * (double)e.z;
        kick[0] += x, kick[1] += y, kick[2] += z;
        spin[0] += (double)arm.y * z - (double)arm.z * y;
        spin[1] += (double)arm.z * x - (double)arm.x * z;
        spin[2] += (double)arm.x * y - (double)arm.y * x;
    }
    for (int d = 0; d < 3; ++d) out[d] = kick[d], out[3 + d] = spin[d];
}

static int link_blocks(const LatticeSolid* s)
{
    return (s->links + LATTICE_LINK_BLOCK - 1) / LATTICE_LINK_BLOCK;
}

static void fix_link_block(int block, void* data)
{
    const Bounce* b = data;
    const LatticeSolid* solid = b->l->solids_in;
    double* sums = b->l->link_sums + 6 * (ptrdiff_t)block;
    int first = 0;
    for (; block >= link_blocks(solid); ++solid) block -= link_blocks(solid), first += solid->links;
    int end = first + solid->links, from = first + block * LATTICE_LINK_BLOCK;
    if (from + LATTICE_LINK_BLOCK < end) end = from + LATTICE_LINK_BLOCK;
    fix_links(b, solid, from, end, sums);
}

void tarn__lattice_fix_links(TarnLattice* l, bool is_odd)
{
    Bounce b = bounce_of(l, is_odd);
    int blocks = 0;
    for (int s = 0; s < l->n_solids; ++s) blocks += link_blocks(&l->solids_in[s]);
    tarn__parallel_for(l->ctx, blocks, fix_link_block, &b);
    const double* sums = l->link_sums;
    for (int s = 0; s < l->n_solids; ++s) {
        LatticeSolid* solid = &l->solids_in[s];
        for (int n = 0; n < link_blocks(solid); ++n, sums += 6) {
            for (int d = 0; d < 3; ++d)
                solid->impulse[d] += sums[d], solid->angular[d] += sums[3 + d];
        }
    }
}

// From momentum of the lattice to N s; 2-D: of a slice one meter thick.
static double impulse_unit(const TarnLattice* l)
{
    double dx = (double)l->def.dx, cell = l->kind->dims == 3 ? dx * dx * dx : dx * dx;
    return (double)l->params.density * cell / l->to_lattice;
}

// Liquid seeps under a solid that lies on a face of the box, where no link is: the pressure there is the mean of the cells
// at its rim, of which dry ones have none, and of half a cell more down to the face. Without it, a box on the floor would
// not float up.
static void seep(TarnLattice* l, LatticeSolid* s, int face, const LatticeLink* links, uint8_t mark)
{
    const int n[3] = { l->grid.nx, l->grid.ny, l->grid.nz };
    const int axis = face / 2, end = face % 2 ? n[axis] - 1 : 0;
    if (end < s->lo[axis] || end >= s->hi[axis]) return;
    int lo[3], hi[3], rim = 0;
    for (int d = 0; d < 3; ++d)
        lo[d] = d == axis ? end : s->lo[d], hi[d] = d == axis ? end + 1 : s->hi[d];
    double rho = 0.0;
    const double down = (face % 2 ? 1.5 : -1.5) * (double)tarn__lattice_pass(l).force[axis];
    for (int i = 0; i < s->links; ++i) {
        const int at[3] = { links[i].i, links[i].j, links[i].k };
        if (at[axis] != end) continue;
        rim += 1;
        if (lattice_is_wet(l, links[i].cell))
            rho += (double)tarn__lattice_state(l, lattice_is_odd(l), links[i].cell).rho + down;
    }
    if (rim == 0 || !(rho > 0.0)) return;
    double kick = (face % 2 ? -1.0 : 1.0) * rho / rim / 3.0 * l->force_time / l->dt;
    for (int k = lo[2]; k < hi[2]; ++k)
        for (int j = lo[1]; j < hi[1]; ++j)
            for (int i = lo[0]; i < hi[0]; ++i) {
                if (l->solid[lattice_at(&l->grid, i, j, k)] != mark) continue;
                TarnVec3 arm = vec3_sub(lattice_center(l, i, j, k), s->motion.position);
                const double r[3] = { (double)arm.x, (double)arm.y, (double)arm.z };
                int next = (axis + 1) % 3, last = (axis + 2) % 3;
                s->impulse[axis] += kick;
                s->angular[next] += r[last] * kick;
                s->angular[last] -= r[next] * kick;
            }
}

void tarn__lattice_push_solids(TarnLattice* l)
{
    for (int s = 0, first = 0; l->surface && s < l->n_solids; first += l->solids_in[s++].links)
        for (int face = 0; face < 2 * l->kind->dims; ++face)
            seep(l, &l->solids_in[s], face, l->links + first, (uint8_t)(s + 1));
    double unit = impulse_unit(l);
    for (int s = 0; l->solids && s < l->n_solids; ++s) {
        const LatticeSolid* solid = &l->solids_in[s];
        if (solid->links == 0 || !tarn__solids_is_used(l->solids, solid->slot)) continue;
        double impulse[3], angular[3];
        for (int d = 0; d < 3; ++d)
            impulse[d] = solid->impulse[d] * unit, angular[d] = solid->angular[d] * unit;
        tarn__solids_add_push(l->solids, solid->slot, impulse, angular, solid->links);
    }
}

TarnResult tarn_lattice_force(const TarnLattice* l, TarnSolidId id, TarnVec3* force,
                              TarnVec3* torque)
{
    if (force) *force = (TarnVec3){ 0.0f, 0.0f, 0.0f };
    if (torque) *torque = (TarnVec3){ 0.0f, 0.0f, 0.0f };
    if (l == NULL) return TARN_ERR_ARG;
    int slot = l->solids ? tarn__solids_slot(l->solids, id) : -1;
    if (slot < 0)
        return tarn__fail(
            l->ctx, TARN_ERR_ARG,
            "tarn_lattice_force: no such solid; use an id of the set of tarn_lattice_set_solids");
    double unit = l->force_time > 0.0 ? impulse_unit(l) / l->force_time : 0.0;
    for (int s = 0; s < l->n_solids; ++s) {
        const LatticeSolid* solid = &l->solids_in[s];
        if (solid->slot != slot) continue;
        const double *i = solid->impulse, *a = solid->angular;
        if (force)
            *force = (TarnVec3){ (float)(i[0] * unit), (float)(i[1] * unit), (float)(i[2] * unit) };
        if (torque)
            *torque =
                (TarnVec3){ (float)(a[0] * unit), (float)(a[1] * unit), (float)(a[2] * unit) };
    }
    return TARN_OK;
}
