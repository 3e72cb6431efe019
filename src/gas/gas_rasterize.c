// One solid onto the grid of a gas: which cells and faces it closes, and how much of a face is left open.
//
// Method   Signed distances at cell centers around the solid's bounds: in an octree of cubes, where a ball that
//          is clear of the surface answers for all cells in it. A face is closed when a cell beside it has
//          its center in the solid, or when something of the solid lies on the way between the two centers:
//          so walls thinner than a cell hold. Cells that such a wall only passes through count as solid:
//          the eight values that advection mixes must not lie on both its sides. For direct obstacles the
//          open share of a face comes from the distances at its four corners [Batty2007].
// Differs  from [Batty2007]: walls that are thin, out-in-out along an axis, close their faces whole, for a
//          share that is only a number at the corners would let air through.
// Checked  tests/unit/test_gas_obstacles.c, tarn check gas.obstacles.
// Cost     a ball of 2,000 cells 0.25 ms on one worker; a mesh of 576 triangles 11 ms, so that shapes which move
//          are better given as distance grids. bench_gas_effects.c.

#include "gas/gas_obstacles.h"

enum { TILE = 8 };

typedef struct Raster {
    TarnGas* gas;
    const SolidProbe* probe;
    float *phi, *corner; // distance at cell centers, and at the corner towards - of each cell [m]
    int lo[3], hi[3];    // cells that are looked at, hi is the first beyond; ghosts too
    const GasBox* box;   // what is marked
    float far;           // stands for any large distance [m]
    float filled;        // the distance of a cell that a thin wall fills, negative
    uint8_t mark;
    bool is_direct, is_thin;
    double base[3], at[3]; // cell i of an axis begins at base + (at + i step) unit [m]
    double unit, step;
} Raster;

// Center of cell (i, j, k), or with half-cell offsets of a face or a corner [m]: the same bits for the same
// place in the world, wherever a box that shifts by cells has gone.
static TarnVec3 point_at(const Raster* r, float i, float j, float k)
{
    return (TarnVec3){ (float)(r->base[0] + (r->at[0] + (double)i * r->step) * r->unit),
                       (float)(r->base[1] + (r->at[1] + (double)j * r->step) * r->unit),
                       (float)(r->base[2] + (r->at[2] + (double)k * r->step) * r->unit) };
}

static void set_lattice(Raster* r)
{
    const TarnGasDef* def = &r->gas->def;
    const double center[3] = { (double)def->center.x, (double)def->center.y,
                               (double)def->center.z };
    const double origin[3] = { (double)r->gas->origin.x, (double)r->gas->origin.y,
                               (double)r->gas->origin.z };
    const int n[3] = { def->nx, def->ny, def->nz };
    r->unit = (double)def->dx;
    r->step = (double)(1 << r->gas->level);
    for (int a = 0; a < 3; ++a) {
        r->base[a] = center[a] - 0.5 * (double)n[a] * r->unit;
        r->at[a] = floor((origin[a] - r->base[a]) / r->unit + 0.5);
        if (def->follow == TARN_GAS_SHIFT) continue;
        r->base[a] = origin[a];
        r->at[a] = 0.0;
    }
}

// ---- Distances ----------------------------------------------------------------------------------

static void fill_tile(const Raster* r, float* field, const int lo[3], const int hi[3], float value)
{
    for (int k = lo[2]; k < hi[2]; ++k) {
        for (int j = lo[1]; j < hi[1]; ++j) {
            float* row = field + tarn__grid3_at(&r->gas->grid, 0, j, k);
            for (int i = lo[0]; i < hi[0]; ++i) row[i] = value;
        }
    }
}

// Distance at a cell center, which walls thinner than about a cell fill when they touch the cell.
static float measure_thin(const Raster* r, TarnVec3 p)
{
    TarnVec3 n;
    float dx = r->gas->dx, d = tarn__solid_distance_normal(r->probe, p, r->far, &n);
    float touch = 0.5f * dx * (fabsf(n.x) + fabsf(n.y) + fabsf(n.z)); // of a plane across the cell
    if (!(d >= 0.0f && d < touch)) return d;
    TarnVec3 behind = vec3_sub(p, vec3_scale(n, d + 1.3f * dx));
    return tarn__solid_distance(r->probe, behind, r->far) > 0.0f ? r->filled : d;
}

// offset: 0.5 for centers, 0 for corners.
static void measure_tile(const Raster* r, float* field, const int lo[3], const int hi[3],
                         float offset)
{
    float reach = r->far;
    for (int k = lo[2]; k < hi[2]; ++k) {
        for (int j = lo[1]; j < hi[1]; ++j) {
            float* row = field + tarn__grid3_at(&r->gas->grid, 0, j, k);
            for (int i = lo[0]; i < hi[0]; ++i) {
                TarnVec3 p = point_at(r, (float)i + offset, (float)j + offset, (float)k + offset);
                float d = r->is_thin && offset > 0.0f ? measure_thin(r, p)
                                                      : tarn__solid_distance(r->probe, p, reach);
                row[i] = tarn_clampf(d, -reach, reach);
            }
        }
    }
}

// A cube of cells: filled when a ball around it is clear of the surface, else in eight parts, and those of two
// cells one by one. The ball reaches a cell beyond the centers, so that no face of the cube can be touched.
static void measure_cube(const Raster* r, const int from[3], int size)
{
    int lo[3], hi[3];
    for (int a = 0; a < 3; ++a) {
        lo[a] = from[a];
        hi[a] = from[a] + size < r->hi[a] ? from[a] + size : r->hi[a];
        if (lo[a] >= hi[a]) return;
    }
    float half = 0.5f * (float)size, out = (half - 0.5f) * 1.7320508f + 1.0f;
    if (r->is_direct) out = half * 1.7320508f + 1.0f; // and beyond the corners
    TarnVec3 center = point_at(r, (float)lo[0] + half, (float)lo[1] + half, (float)lo[2] + half);
    SolidSide side = tarn__solid_side(r->probe, center, out * r->gas->dx);
    if (side != SOLID_UNKNOWN) {
        float value = side == SOLID_INSIDE ? -r->far : r->far;
        fill_tile(r, r->phi, lo, hi, value);
        if (r->is_direct) fill_tile(r, r->corner, lo, hi, value);
        return;
    }
    if (size <= 2) {
        measure_tile(r, r->phi, lo, hi, 0.5f);
        if (r->is_direct) measure_tile(r, r->corner, lo, hi, 0.0f);
        return;
    }
    int part = size / 2;
    for (int n = 0; n < 8; ++n) {
        int at[3] = { lo[0] + (n & 1) * part, lo[1] + (n >> 1 & 1) * part,
                      lo[2] + (n >> 2) * part };
        measure_cube(r, at, part);
    }
}

static void measure_tiles(int block, void* data)
{
    const Raster* r = data;
    int k = r->lo[2] + TILE * block;
    for (int j = r->lo[1]; j < r->hi[1]; j += TILE) {
        for (int i = r->lo[0]; i < r->hi[0]; i += TILE) measure_cube(r, (int[3]){ i, j, k }, TILE);
    }
}

// Ground that is not tilted: its distance is linear along each column. Measured from fixed heights, so that it is
// the same for all boxes.
static void measure_column_row(const Raster* r, float* field, float offset, int k)
{
    const Grid3* g = &r->gas->grid;
    float ys[1032]; // a box has 1024 cells at most, and ghosts
    for (int j = r->lo[1]; j < r->hi[1]; ++j)
        ys[j - r->lo[1]] = point_at(r, 0.0f, (float)j + offset, 0.0f).y;
    for (int i = r->lo[0]; i < r->hi[0]; ++i) {
        TarnVec3 p = point_at(r, (float)i + offset, 0.0f, (float)k + offset);
        TarnVec3 zero = { p.x, 0.0f, p.z }, one = { p.x, 1.0f, p.z };
        float low = tarn__solid_distance(r->probe, zero, r->far);
        float slope = tarn__solid_distance(r->probe, one, r->far) - low;
        float* column = field + tarn__grid3_at(g, i, r->lo[1], k);
        for (int j = 0; j < r->hi[1] - r->lo[1]; ++j)
            column[(ptrdiff_t)g->row * j] = tarn_clampf(low + slope * ys[j], -r->far, r->far);
    }
}

static void measure_columns(int block, void* data)
{
    const Raster* r = data;
    int first = r->lo[2] + TILE * block;
    for (int k = first; k < first + TILE && k < r->hi[2]; ++k) {
        measure_column_row(r, r->phi, 0.5f, k);
        if (r->is_direct) measure_column_row(r, r->corner, 0.0f, k);
    }
}

// ---- Faces --------------------------------------------------------------------------------------

// Share of the unit square where a function that is linear along its sides is negative; v goes around.
static float negative_share(const float v[4])
{
    static const float corner_x[4] = { 0.0f, 1.0f, 1.0f, 0.0f };
    static const float corner_y[4] = { 0.0f, 0.0f, 1.0f, 1.0f };
    float x[8], y[8], twice = 0.0f;
    int n = 0;
    for (int e = 0; e < 4; ++e) {
        int f = (e + 1) & 3;
        if (v[e] < 0.0f) x[n] = corner_x[e], y[n++] = corner_y[e];
        if ((v[e] < 0.0f) == (v[f] < 0.0f)) continue;
        float at = v[e] / (v[e] - v[f]);
        x[n] = corner_x[e] + at * (corner_x[f] - corner_x[e]);
        y[n++] = corner_y[e] + at * (corner_y[f] - corner_y[e]);
    }
    for (int e = 0; e < n; ++e) {
        int f = e + 1 < n ? e + 1 : 0;
        twice += x[e] * y[f] - x[f] * y[e];
    }
    return tarn_clampf(0.5f * twice, 0.0f, 1.0f);
}

// Both centers are outside: is there something between them?
static bool is_between(const Raster* r, int axis, int i, int j, int k, float a, float b)
{
    float dx = r->gas->dx;
    if (!(a + b < dx)) return false; // the clear balls around them meet
    float from[3] = { (float)i + 0.5f, (float)j + 0.5f, (float)k + 0.5f };
    TarnVec3 to = point_at(r, from[0], from[1], from[2]);
    if (r->is_thin) {
        from[axis] -= 1.0f;
        TarnVec3 p = point_at(r, from[0], from[1], from[2]);
        return tarn__solid_is_between(r->probe, p, to, 0.02f * dx);
    }
    if (!(tarn_maxf(a, b) < 0.5f * dx)) return false;
    from[axis] -= 0.5f;
    TarnVec3 face = point_at(r, from[0], from[1], from[2]);
    return tarn__solid_distance(r->probe, face, dx) < 0.0f;
}

// Out, in, out along the axis: a wall of one cell, of which the corners may know nothing.
static bool is_one_cell_wall(const Raster* r, int axis, const int at[3], const float* phi,
                             ptrdiff_t step)
{
    float a = phi[-step], b = phi[0];
    float before = at[axis] - 2 >= r->lo[axis] ? phi[-2 * step] : r->far;
    float behind = at[axis] + 1 < r->hi[axis] ? phi[step] : r->far;
    return (a < 0.0f && b >= 0.0f && before >= 0.0f) || (b < 0.0f && a >= 0.0f && behind >= 0.0f);
}

static float open_share(const Raster* r, int axis, const int at[3], ptrdiff_t c)
{
    const Grid3* g = &r->gas->grid;
    const ptrdiff_t steps[3] = { 1, g->row, g->slab };
    ptrdiff_t s = steps[(axis + 1) % 3], t = steps[(axis + 2) % 3];
    const float *phi = r->phi + c, *corner = r->corner + c;
    float a = phi[-steps[axis]], b = phi[0];
    if (a < 0.0f && b < 0.0f) return 0.0f;
    if (a >= r->far && b >= r->far) return 1.0f;
    if (r->is_thin) {
        if (a == r->filled || b == r->filled) return 0.0f;
        if (is_one_cell_wall(r, axis, at, phi, steps[axis])) return 0.0f;
        if (a >= 0.0f && b >= 0.0f && is_between(r, axis, at[0], at[1], at[2], a, b)) return 0.0f;
    }
    const float v[4] = { corner[0], corner[s], corner[s + t], corner[t] };
    if (v[0] >= 0.0f && v[1] >= 0.0f && v[2] >= 0.0f && v[3] >= 0.0f) return 1.0f;
    float share = 1.0f - negative_share(v);
    return share < 0.05f ? 0.0f : share; // slivers make the equations stiff and let nothing through
}

// Eight faces with both cells so far outside that nothing touches them.
static bool is_far8(const Raster* r, const float* phi, ptrdiff_t step)
{
    TarnF8 nearer = f8_min(f8_load(phi), f8_load(phi - step));
    return i8_mask_bits(f8_less(nearer, f8_set(1.5f * r->gas->dx))) == 0;
}

// Eight faces that are all closed, with both cells inside; true: done.
static bool close8(const Raster* r, const float* phi, ptrdiff_t step, uint8_t* flags, float* weight)
{
    TarnF8 nearer = f8_max(f8_load(phi), f8_load(phi - step));
    if (i8_mask_bits(f8_less(nearer, f8_set(0.0f))) != 0xffu) return false;
    for (int l = 0; l < 8; ++l) flags[l] = flags[l] ? flags[l] : r->mark;
    if (weight) f8_store(weight, f8_set(0.0f));
    return true;
}

// First and last face of an axis that is marked, along one direction.
static void face_range(const Raster* r, int axis, int along, int* first, int* last)
{
    bool is_own = axis == along;
    int lo = is_own ? r->lo[along] + 1 : r->lo[along] < 0 ? 0 : r->lo[along];
    int hi = is_own ? r->hi[along] - 1 : r->hi[along] - 2;
    int end = is_own ? r->box->hi[along] : r->box->hi[along] - 1;
    *first = lo > r->box->lo[along] ? lo : r->box->lo[along];
    *last = hi < end ? hi : end;
}

static void mark_row(const Raster* r, int axis, int j, int k)
{
    TarnGas* gas = r->gas;
    const ptrdiff_t steps[3] = { 1, gas->grid.row, gas->grid.slab };
    ptrdiff_t row = tarn__grid3_at(&gas->grid, 0, j, k), step = steps[axis];
    uint8_t* flags = tarn__gas_solid_faces(gas, axis) + row;
    float* weight = r->is_direct ? gas->weight[axis] + row : NULL;
    const float* phi = r->phi + row;
    int i0, i1;
    face_range(r, axis, 0, &i0, &i1);
    for (int i = i0; i <= i1; ++i) {
        if (i + 7 <= i1 && (is_far8(r, phi + i, step) ||
                            close8(r, phi + i, step, flags + i, weight ? weight + i : NULL))) {
            i += 7;
            continue;
        }
        float a = phi[i - step], b = phi[i];
        if (r->is_direct) {
            float open = open_share(r, axis, (int[3]){ i, j, k }, row + i);
            if (open >= 1.0f) continue;
            weight[i] = tarn_maxf(0.0f, weight[i] - (1.0f - open));
            if (weight[i] < 0.05f) weight[i] = 0.0f;
        } else if (!(a < 0.0f || b < 0.0f) && !is_between(r, axis, i, j, k, a, b)) {
            continue;
        }
        if (flags[i] == 0) flags[i] = r->mark;
    }
}

static void mark_cells(const Raster* r, int j, int k) // ghosts too
{
    ptrdiff_t row = tarn__grid3_at(&r->gas->grid, 0, j, k);
    const float* phi = r->phi + row;
    uint8_t* cell = r->gas->solid_cell + row;
    int first = r->lo[0] > r->box->lo[0] ? r->lo[0] : r->box->lo[0];
    int end = r->hi[0] < r->box->hi[0] ? r->hi[0] : r->box->hi[0];
    for (int i = first; i < end; ++i) cell[i] |= (uint8_t)(phi[i] < 0.0f);
}

static void mark_slabs(int block, void* data)
{
    const Raster* r = data;
    int first = r->lo[2] + GAS_SLABS * block, last = first + GAS_SLABS - 1;
    if (last > r->hi[2] - 1) last = r->hi[2] - 1;
    for (int k = first; k <= last; ++k) {
        for (int axis = 0; axis < 3; ++axis) {
            int k0, k1, j0, j1;
            face_range(r, axis, 2, &k0, &k1);
            face_range(r, axis, 1, &j0, &j1);
            for (int j = j0; j <= j1 && k >= k0 && k <= k1; ++j) mark_row(r, axis, j, k);
        }
        if (k < r->box->lo[2] || k >= r->box->hi[2]) continue;
        for (int j = r->lo[1]; j < r->hi[1]; ++j)
            if (j >= r->box->lo[1] && j < r->box->hi[1]) mark_cells(r, j, k);
    }
}

// ---- All of it ----------------------------------------------------------------------------------

// Cells between two coordinates, two more on each side, within the grid and its ghosts.
static void range(float lo, float hi, float origin, float dx, int n, int* first, int* end)
{
    float a = floorf((lo - origin) / dx) - 2.0f, b = floorf((hi - origin) / dx) + 4.0f;
    *first = (int)tarn_clampf(a, -1.0f, (float)(n + 1));
    *end = (int)tarn_clampf(b, -1.0f, (float)(n + 1));
}

GasBox tarn__gas_range_of(const TarnGas* gas, const SolidProbe* probe)
{
    const Grid3* g = &gas->grid;
    TarnVec3 a = probe->box_min, b = probe->box_max, o = gas->origin;
    GasBox box;
    range(a.x, b.x, o.x, gas->dx, g->nx, &box.lo[0], &box.hi[0]);
    range(a.y, b.y, o.y, gas->dx, g->ny, &box.lo[1], &box.hi[1]);
    range(a.z, b.z, o.z, gas->dx, g->nz, &box.lo[2], &box.hi[2]);
    return box;
}

void tarn__gas_rasterize(TarnGas* gas, const GasSolidRecord* record, const GasBox* box,
                         uint8_t mark)
{
    const SolidProbe* probe = &record->probe;
    Raster r = { .gas = gas, .probe = probe, .mark = mark, .box = box };
    r.phi = gas->next[0];
    r.corner = gas->next[1];
    r.far = 4.0f * gas->dx;
    r.filled = -1e-3f * gas->dx;
    r.is_direct = gas->weight[0] != NULL;
    r.is_thin = tarn__solid_half_thickness(probe) < gas->dx;
    for (int a = 0; a < 3; ++a) { // two cells more than are marked: what decides about their faces
        int lo = box->lo[a] - 2, hi = box->hi[a] + 2;
        r.lo[a] = record->range.lo[a] > lo ? record->range.lo[a] : lo;
        r.hi[a] = record->range.hi[a] < hi ? record->range.hi[a] : hi;
        if (r.hi[a] - r.lo[a] < 2) return;
    }
    set_lattice(&r);
    int depth = r.hi[2] - r.lo[2];
    TarnBlockFn* measure = tarn__solid_is_upright_ground(probe) ? measure_columns : measure_tiles;
    tarn__parallel_for(gas->ctx, (depth + TILE - 1) / TILE, measure, &r);
    tarn__parallel_for(gas->ctx, (depth + GAS_SLABS - 1) / GAS_SLABS, mark_slabs, &r);
}
