// What enters through the faces of the box.
//
// Method   After a step, each direction that points into the box at a face gets a population for the next one: what
//          left the cell the opposite way at a wall (half-way bounce-back [Ladd1994]; a wall that moves, and an
//          inflow, add 6 w e.u), what left a neighbor mirrored (slip), what left at the opposite face (periodic), or
//          the equilibrium of constant pressure with the rest of the cell's own population (outflow [Guo2002b]).
//          A direction that crosses two faces belongs to the one whose kind comes later in TarnLatticeFace.
// Checked  tests/physics/check_lattice.c: Poiseuille, Couette, cavity, duct, Galilean shift.

#include "lattice/lattice_surface.h"
#include "base/maths.h"
#include "grid/noise.h"

static bool is_local(int kind)
{
    return kind != TARN_LATTICE_SLIP && kind != TARN_LATTICE_PERIODIC;
}

static void find_mirrored(const LatticeKind* kind, int axis, LatticeWay* way)
{
    int m[3] = { way->e[0], way->e[1], way->e[2] };
    m[axis] = -m[axis];
    for (int p = 0; p < kind->pairs; ++p) {
        const signed char* t = kind->e[p];
        for (int sign = 1; sign >= -1; sign -= 2) {
            if (t[0] * sign != m[0] || t[1] * sign != m[1] || t[2] * sign != m[2]) continue;
            way->mirrored = p;
            way->is_mirrored_up = sign > 0;
        }
    }
}

static float dot(const int e[3], const float u[3])
{
    return (float)e[0] * u[0] + (float)e[1] * u[1] + (float)e[2] * u[2];
}

static void find_places(LatticeFace* f)
{
    const TarnLattice* l = f->l;
    for (int v = 0; v < f->n_ways; ++v) {
        const LatticeWay* way = &f->ways[v];
        ptrdiff_t from = 0;
        for (int b = 0; b < 3; ++b) from -= b == f->axis ? 0 : way->e[b] * f->step[b];
        f->beside[v] = from;
        f->to[v] = lattice_in(l, !f->is_odd, way->pair, way->is_up, 0);
        f->bounced[v] = lattice_out(l, f->is_odd, way->pair, !way->is_up, 0);
        f->mirrored[v] = lattice_out(l, f->is_odd, way->mirrored, way->is_mirrored_up, from);
        f->add[v] = 6.0f * way->w * dot(way->e, f->wall);
    }
}

static LatticeFace face_of(TarnLattice* l, int number, bool is_odd)
{
    const LatticeGrid* g = &l->grid;
    LatticeFace f = { .l = l,
                      .number = number,
                      .axis = number / 2,
                      .side = number % 2,
                      .kind = (&l->def.face_x0)[number],
                      .is_odd = is_odd,
                      .n = { g->nx, g->ny, g->nz },
                      .step = { 1, g->row, g->slab } };
    for (int p = 0; p < l->kind->pairs; ++p) {
        for (int up = 0; up < 2; ++up) {
            const signed char* e = l->kind->e[p];
            int sign = up ? 1 : -1;
            if (sign * e[f.axis] != (f.side ? -1 : 1)) continue;
            LatticeWay* way = &f.ways[f.n_ways++];
            *way = (LatticeWay){ .pair = p,
                                 .is_up = up != 0,
                                 .e = { sign * e[0], sign * e[1], sign * e[2] },
                                 .w = l->kind->w[p] };
            find_mirrored(l->kind, f.axis, way);
        }
    }
    const TarnVec3* flow = &(&l->params.flow_x0)[number];
    const float v[3] = { flow->x, flow->y, flow->z };
    for (int d = 0; d < 3; ++d) {
        bool is_across = d == f.axis;
        float u = f.kind == TARN_LATTICE_WALL && !is_across ? (float)((double)v[d] * l->to_lattice)
                                                            : 0.0f;
        f.wall[d] = tarn_clampf(u, -0.3f, 0.3f);
    }
    find_places(&f);
    return f;
}

// Of two faces that a direction crosses, the one of the higher rank has it. What comes in beside a slip face is inflow: as slip
// it would bounce, and slow the flow along the edge by a quarter.
static int rank(int kind)
{
    return kind == TARN_LATTICE_INFLOW ? TARN_LATTICE_SLIP
           : kind == TARN_LATTICE_SLIP ? TARN_LATTICE_INFLOW
                                       : kind;
}
// Does a direction into cell `at` belong to this face?
static bool owns(const LatticeFace* f, const LatticeWay* way, const int at[3])
{
    for (int b = 0; b < f->l->kind->dims; ++b) {
        int from = at[b] - way->e[b];
        if (b == f->axis || (from >= 0 && from < f->n[b])) continue;
        int other = (&f->l->def.face_x0)[2 * b + (from >= 0)];
        if (rank(other) > rank(f->kind) || (other == f->kind && b < f->axis)) return false;
    }
    return true;
}

static bool is_on(const TarnLattice* l, const int at[3])
{
    return lattice_is_cell_on(l, at[0], at[1] + l->grid.ny * at[2]);
}

// What left a cell along a direction.
static float left(const LatticeFace* f, const LatticeWay* way, ptrdiff_t c)
{
    return tarn__lattice_get(f->l, lattice_out(f->l, f->is_odd, way->pair, way->is_up, c));
}
static float bounced(const LatticeFace* f, const LatticeWay* way, ptrdiff_t c)
{
    return tarn__lattice_get(f->l, lattice_out(f->l, f->is_odd, way->pair, !way->is_up, c));
}

// Where the population comes from at a slip or periodic face, as an element; false: it bounces.
static bool find_from(const LatticeFace* f, const LatticeWay* way, const int at[3], ptrdiff_t* out)
{
    const TarnLattice* l = f->l;
    bool is_slip = f->kind == TARN_LATTICE_SLIP;
    int from[3];
    for (int b = 0; b < 3; ++b) {
        from[b] = at[b] - (is_slip && b == f->axis ? 0 : way->e[b]);
        if (from[b] >= 0 && from[b] < f->n[b]) continue;
        if ((&l->def.face_x0)[2 * b] != TARN_LATTICE_PERIODIC) return false;
        from[b] = from[b] < 0 ? from[b] + f->n[b] : from[b] - f->n[b];
    }
    if (!is_on(l, from)) return false;
    ptrdiff_t c = lattice_at(&l->grid, from[0], from[1], from[2]);
    *out = is_slip ? lattice_out(l, f->is_odd, way->mirrored, way->is_mirrored_up, c)
                   : lattice_out(l, f->is_odd, way->pair, way->is_up, c);
    return true;
}

static const float* inflow_at(const LatticeFace* f, const int at[3])
{
    int b = f->axis == 0 ? 1 : 0, c = f->axis == 2 ? 1 : 2;
    return f->l->inflow[f->number] + 3 * ((ptrdiff_t)at[c] * f->n[b] + at[b]);
}

// Is a cell of the face at no other one?
static bool is_inner(const LatticeFace* f, const int at[3])
{
    bool is = true;
    for (int b = 0; b < f->l->kind->dims; ++b)
        is = is && (b == f->axis || (at[b] > 0 && at[b] < f->n[b] - 1));
    return is;
}

// Does a cell in the box collide? As lattice_is_cell_on, from what it holds.
static bool is_open(const TarnLattice* l, ptrdiff_t c)
{
    if (l->surface) return lattice_is_wet(l, c);
    return l->solid == NULL || l->solid[c] == 0;
}

// Walls and slip at no other face.
static void fix_inner(const LatticeFace* f, ptrdiff_t c)
{
    TarnLattice* l = f->l;
    bool is_slip = f->kind == TARN_LATTICE_SLIP;
    for (int v = 0; v < f->n_ways; ++v) {
        ptrdiff_t to = f->to[v] + c, from = f->bounced[v] + c;
        if (is_slip && is_open(l, c + f->beside[v])) from = f->mirrored[v] + c;
        if (l->is_half && f->add[v] == 0.0f)
            ((uint16_t*)l->f)[to] = ((const uint16_t*)l->f)[from];
        else
            tarn__lattice_put(l, to, tarn__lattice_get(l, from) + f->add[v]);
    }
}

static void fix_cell(const LatticeFace* f, const int at[3])
{
    TarnLattice* l = f->l;
    ptrdiff_t c = lattice_at(&l->grid, at[0], at[1], at[2]);
    if (!is_open(l, c)) return;
    const bool inner = is_inner(f, at);
    if ((f->kind == TARN_LATTICE_WALL || f->kind == TARN_LATTICE_SLIP) && inner) {
        fix_inner(f, c);
        return;
    }
    LatticeState s = { 0 };
    if (f->kind == TARN_LATTICE_OUTFLOW) s = tarn__lattice_left(l, f->is_odd, c);
    float still = 1.0f - 1.5f * (s.u[0] * s.u[0] + s.u[1] * s.u[1] + s.u[2] * s.u[2]);
    for (int n = 0; n < f->n_ways; ++n) {
        const LatticeWay* way = &f->ways[n];
        if (!inner && !owns(f, way, at)) continue;
        ptrdiff_t from;
        float value;
        if (f->kind == TARN_LATTICE_WALL)
            value = bounced(f, way, c) + 6.0f * way->w * dot(way->e, f->wall);
        else if (f->kind == TARN_LATTICE_INFLOW)
            value = bounced(f, way, c) + 6.0f * way->w * dot(way->e, inflow_at(f, at));
        else if (f->kind == TARN_LATTICE_OUTFLOW) {
            // The equilibrium at the density of rest instead of its own
            float eu = dot(way->e, s.u);
            value = left(f, way, c) - way->w * s.rho * (still + eu * (3.0f + 4.5f * eu));
        } else
            value = find_from(f, way, at, &from) ? tarn__lattice_get(l, from) : bounced(f, way, c);
        tarn__lattice_put(l, lattice_in(l, !f->is_odd, way->pair, way->is_up, c), value);
    }
}

// ---- Runs of cells whose directions cross no other face -----------------------------------------------

static void copy_run(TarnLattice* l, ptrdiff_t to, ptrdiff_t from, int n, ptrdiff_t step, float add)
{
    if (l->is_half && add == 0.0f) {
        uint16_t* f = l->f;
        for (int i = 0; i < n; ++i) f[to + i * step] = f[from + i * step];
    } else if (l->is_half) {
        int i = 0;
        uint16_t* f = l->f;
        for (; step == 1 && i + TARN_LANES <= n; i += TARN_LANES) {
            TarnF8 v = half8_load(f + from + i) * 0x1p-15f + add;
            TarnH8 h = half8_narrow_limited(v * 0x1p15f);
            memcpy(f + to + i, &h, sizeof h);
        }
        for (; i < n; ++i)
            tarn__lattice_put(l, to + i * step, tarn__lattice_get(l, from + i * step) + add);
    } else {
        float *f = l->f, *out = f + to;
        const float* in = f + from;
        if (step == 1)
            for (int i = 0; i < n; ++i) out[i] = in[i] + add;
        else
            for (int i = 0; i < n; ++i) out[i * step] = in[i * step] + add;
    }
}

// n cells from `at` on along an axis, none of them at another face.
static void fix_run(const LatticeFace* f, const int at[3], int along_axis, int n)
{
    TarnLattice* l = f->l;
    ptrdiff_t c = lattice_at(&l->grid, at[0], at[1], at[2]), step = f->step[along_axis];
    for (int v = 0; v < f->n_ways; ++v) {
        ptrdiff_t from;
        if (f->kind == TARN_LATTICE_WALL || !find_from(f, &f->ways[v], at, &from))
            from = f->bounced[v] + c;
        copy_run(l, f->to[v] + c, from, n, step, f->add[v]);
    }
}

// The bytes of bits of a row; NULL: none of its cells collides. full: what stands for a row whose cells all do.
static const uint8_t* bits_of(const TarnLattice* l, int j, int k, const uint8_t* full)
{
    int r = j + l->grid.ny * k;
    if (l->cells == NULL || l->kinds[r] == LATTICE_ROW_FULL) return full;
    return l->kinds[r] == LATTICE_ROW_EMPTY ? NULL : l->cells + (ptrdiff_t)(l->grid.nx >> 3) * r;
}

// The cells of a face in one row along x, with y and z in at[1] and at[2]: eight at a time where they and all around them
// in the face collide.
static void fix_row(const LatticeFace* f, int at[3])
{
    static const uint8_t full[512] = { [0 ... 511] = 0xff }; // 4096 cells
    const TarnLattice* l = f->l;
    int other = f->axis == 1 ? 2 : 1, bytes = f->n[0] >> 3;
    bool is_flat = l->kind->dims == 2,
         is_inner = is_flat || (at[other] > 0 && at[other] < f->n[other] - 1);
    bool can_run = is_inner && (f->kind == TARN_LATTICE_WALL || f->kind == TARN_LATTICE_SLIP ||
                                (f->kind == TARN_LATTICE_PERIODIC && l->cells == NULL));
    const uint8_t* rows[3] = { full, bits_of(l, at[1], at[2], full), full };
    if (rows[1] == NULL) return;
    for (int d = -1; d <= 1 && is_inner && !is_flat; d += 2) {
        int p[3] = { 0, at[1], at[2] };
        p[other] += d;
        rows[d + 1] = bits_of(l, p[1], p[2], full);
    }
    can_run = can_run && rows[0] && rows[2];
    for (int b = 0, from = -1; b <= bytes; ++b) {
        bool is_run = can_run && b < bytes;
        for (int r = 0; r < 3 && is_run; ++r)
            is_run = (b == 0 || rows[r][b - 1] == 0xff) && rows[r][b] == 0xff &&
                     (b + 1 == bytes || rows[r][b + 1] == 0xff);
        if (is_run && from < 0) from = b;
        if (!is_run && from >= 0) {
            // Cells at the ends of the row are at another face, too.
            int first = from == 0 ? 1 : 8 * from, end = b == bytes ? f->n[0] - 1 : 8 * b;
            at[0] = first;
            fix_run(f, at, 0, end - first);
            at[0] = 0;
            if (first == 1) fix_cell(f, at);
            at[0] = end;
            if (b == bytes) fix_cell(f, at);
            from = -1;
        }
        if (is_run || b == bytes || rows[1][b] == 0) continue;
        for (int i = 8 * b; i < 8 * b + 8; ++i) {
            at[0] = i;
            fix_cell(f, at);
        }
    }
}

static int face_count(const TarnLattice* l)
{
    return 2 * l->kind->dims;
}

int tarn__lattice_faces(TarnLattice* l, bool is_odd, LatticeFace out[6])
{
    for (int f = 0; f < face_count(l); ++f) out[f] = face_of(l, f, is_odd);
    return face_count(l);
}

// The cells of a wall across x in rows of cells.
static void fix_wall_rows(const LatticeFace* f, int r0, int r1)
{
    TarnLattice* l = f->l;
    int end = f->side ? f->n[0] - 1 : 0, at[3] = { end, r0 % f->n[1], r0 / f->n[1] };
    bool is_still = true;
    for (int v = 0; v < f->n_ways; ++v) is_still = is_still && f->add[v] == 0.0f;
    for (int r = r0; r < r1; ++r) {
        ptrdiff_t c = lattice_at(&l->grid, end, at[1], at[2]);
        float* p = (float*)l->f + c;
        uint16_t* h = (uint16_t*)l->f + c;
        if (!is_still || !is_inner(f, at))
            fix_cell(f, at);
        else if (lattice_is_cell_on(l, end, r) && l->is_half)
            for (int v = 0; v < f->n_ways; ++v) h[f->to[v]] = h[f->bounced[v]];
        else if (lattice_is_cell_on(l, end, r))
            for (int v = 0; v < f->n_ways; ++v) p[f->to[v]] = p[f->bounced[v]];
        if (++at[1] == f->n[1]) at[1] = 0, at[2] += 1;
    }
}

void tarn__lattice_fix_rows(const LatticeFace* faces, int n, int r0, int r1)
{
    for (int number = 0; number < n; ++number) {
        const LatticeFace* f = &faces[number];
        if (!is_local(f->kind)) continue;
        if (f->axis == 0 && f->kind == TARN_LATTICE_WALL) {
            fix_wall_rows(f, r0, r1);
            continue;
        }
        for (int r = r0; r < r1; ++r) {
            int end = f->side ? f->n[f->axis] - 1 : 0, at[3] = { end, r % f->n[1], r / f->n[1] };
            if (f->axis == 0)
                fix_cell(f, at);
            else if (at[f->axis] == end)
                fix_row(f, at);
        }
    }
}

static void fix_block(int block, void* data)
{
    const LatticeFace* f = data;
    int at[3] = { 0 }, last = f->side ? f->n[f->axis] - 1 : 0;
    at[f->axis] = last;
    if (f->axis == 0) { // a column of cells along y
        at[2] = block;
        bool is_inner = f->l->kind->dims == 2 || (block > 0 && block < f->n[2] - 1);
        bool is_run = is_inner && f->l->cells == NULL && f->n[1] > 2;
        for (int j = 0; j < f->n[1]; j += is_run && j == 0 ? f->n[1] - 1 : 1) {
            at[1] = j;
            fix_cell(f, at);
        }
        at[1] = 1;
        if (is_run) fix_run(f, at, 1, f->n[1] - 2);
        return;
    }
    at[f->axis == 1 ? 2 : 1] = block;
    fix_row(f, at);
}

void tarn__lattice_fix_faces(LatticeFace* faces, int n)
{
    for (int number = 0; number < n; ++number) {
        LatticeFace* f = &faces[number];
        if (!is_local(f->kind))
            tarn__parallel_for(f->l->ctx, f->axis == 2 ? f->n[1] : f->n[2], fix_block, f);
    }
}

// ---- Inflows and sponges --------------------------------------------------------------------------

static float profile_at(const TarnLattice* l, const LatticeFace* f, const int at[3])
{
    if (l->params.profile == TARN_LATTICE_GROUND) {
        if (f->axis == 1) return 1.0f;
        float y = ((float)at[1] + 0.5f) / (float)f->n[1];
        return tarn_exp(tarn_log(y) / 7.0f);
    }
    float share = 1.0f;
    for (int b = 0; b < l->kind->dims && l->params.profile == TARN_LATTICE_PARABOLIC; ++b) {
        if (b == f->axis || (&l->def.face_x0)[2 * b] != TARN_LATTICE_WALL) continue;
        float y = ((float)at[b] + 0.5f) / (float)f->n[b];
        share *= 4.0f * y * (1.0f - y);
    }
    return share;
}

static void set_inflow(TarnLattice* l, int number)
{
    LatticeFace f = face_of(l, number, false);
    const TarnVec3* flow = &(&l->params.flow_x0)[number];
    const float v[3] = { flow->x, flow->y, flow->z };
    // Air at rest takes it on smoothly, within five times that sound needs through the box: no blow, no echo of it.
    float begun = tarn_minf((float)l->steps / (5.0f * (float)(f.n[f.axis] + 1)), 1.0f);
    float ramp = begun * begun * (3.0f - 2.0f * begun);
    double speed = vec3__length(*flow), size = (double)l->params.turbulence_size;
    double swirl = (double)(ramp * l->params.turbulence) * speed * l->to_lattice;
    int b = f.axis == 0 ? 1 : 0, c = f.axis == 2 ? 1 : 2, at[3] = { 0 };
    float* out = l->inflow[number];
    for (at[c] = 0; at[c] < f.n[c]; ++at[c]) {
        for (at[b] = 0; at[b] < f.n[b]; ++at[b], out += 3) {
            float share = ramp * profile_at(l, &f, at);
            // Frozen eddies that the flow carries through the face.
            double y = (double)at[b] * (double)l->def.dx / size,
                   z = (double)at[c] * (double)l->def.dx / size;
            double x = l->time * speed / size;
            for (int d = 0; d < 3; ++d) {
                double u = (double)v[d] * (double)share * l->to_lattice;
                if (swirl > 0.0 && d < l->kind->dims)
                    u += swirl * (tarn__noise((uint64_t)l->def.seed, (uint64_t)(7 + d),
                                              x + 0.618 * z, y + 1.618 * z) +
                                  0.5 * tarn__noise((uint64_t)l->def.seed, (uint64_t)(11 + d),
                                                    2.0 * (x - 0.7 * z), 2.0 * (y - 0.9 * z)));
                out[d] = (float)lattice_clamp(u, -0.3, 0.3);
            }
        }
    }
}

// Relaxation times that rise to 1 towards outflows.
static bool set_sponge(TarnLattice* l)
{
    const int n[3] = { l->grid.nx, l->grid.ny, l->grid.nz };
    float* at = l->sponge;
    bool has_sponge = false;
    for (int a = 0; a < 3; at += n[a++]) {
        for (int i = 0; i < n[a]; ++i) at[i] = 0.0f;
        for (int side = 0; side < 2 && a < l->kind->dims; ++side) {
            float width = l->params.sponge;
            if ((&l->def.face_x0)[2 * a + side] != TARN_LATTICE_OUTFLOW || !(width > 0.0f))
                continue;
            has_sponge = true;
            for (int i = 0; i < n[a]; ++i) {
                float depth = 1.0f - ((float)(side ? n[a] - 1 - i : i) + 0.5f) / width;
                if (depth > 0.0f) at[i] += 0.5f * depth * depth;
            }
        }
    }
    return has_sponge;
}

void tarn__lattice_set_faces(TarnLattice* l)
{
    l->has_sponge = set_sponge(l);
    for (int f = 0; f < face_count(l); ++f)
        if (l->inflow[f]) set_inflow(l, f);
}
