// Obstacles of a gas: solids on its grid, the velocities they force on faces, and what gets in their way.
//
// Method   Solids are rasterized (gas_rasterize.c) when they or the grid have moved. Iterated obstacles
//          [Molemaker2008]: closed faces are set to the velocity v + w x r of their solid, the pressure is
//          solved as if there were only air, and so on, so that what leaks shrinks with each iteration.
//          Direct obstacles: weights of faces enter the pressure equation, and what a moving solid pushes
//          through the closed share of its faces enters the right-hand side [Batty2007].
// Differs  Smoke in cells that a solid has just covered goes to the free cells beside them, so that a moving
//          body does not eat what it pushes.
// Checked  tests/unit/test_gas_obstacles.c, tarn check gas.obstacles.
// Cost     bench_gas_effects.c.

#include "gas/gas_obstacles.h"

// ---- Memory -------------------------------------------------------------------------------------

// Offsets in the block; the weights come last.
static size_t lay_out(const TarnGasDef* def, size_t* cells, size_t* motions, size_t* records,
                      size_t* weights)
{
    Grid3 grid = tarn__grid3(def->nx, def->ny, def->nz);
    size_t floats = tarn__grid3_floats(&grid);
    TarnLayout layout = { 0 };
    tarn__layout_add(&layout, 3 * floats);
    *cells = tarn__layout_add(&layout, floats);
    *motions = tarn__layout_add(&layout, GAS_MAX_SOLIDS * sizeof(TarnMotion));
    *records = tarn__layout_add(&layout, GAS_MAX_SOLIDS * sizeof(GasSolidRecord));
    *weights = layout.size;
    for (int a = 0; a < 3 && def->obstacles == TARN_GAS_DIRECT; ++a)
        tarn__layout_add(&layout, floats * sizeof(float));
    return layout.size;
}

size_t tarn__gas_obstacle_bytes(const TarnGasDef* def)
{
    size_t cells, motions, records, weights;
    if (def->obstacles == TARN_GAS_NO_OBSTACLES) return 0;
    return lay_out(def, &cells, &motions, &records, &weights);
}

static void clear_flags(TarnGas* gas)
{
    size_t floats = tarn__grid3_floats(&gas->grid);
    memset(gas->solid, 0, 3 * floats);
    memset(gas->solid_cell - tarn__grid3_first(&gas->grid), 0, floats);
    gas->n_solid_faces = gas->n_solid_cells = gas->n_solid_motions = 0;
}

static void open_weights(int block, void* data)
{
    TarnGas* gas = data;
    size_t slab = (size_t)gas->grid.slab, first = tarn__grid3_first(&gas->grid);
    size_t end = tarn__grid3_floats(&gas->grid), from = (size_t)block * GAS_SLABS * slab;
    size_t to = from + GAS_SLABS * slab < end ? from + GAS_SLABS * slab : end;
    for (int a = 0; a < 3; ++a) {
        float* weight = gas->weight[a] - first;
        for (size_t c = from; c < to; ++c) weight[c] = 1.0f;
    }
}

static int all_blocks(const TarnGas* gas) // with the ghost slabs
{
    size_t block = (size_t)gas->grid.slab * GAS_SLABS;
    return (int)((tarn__grid3_floats(&gas->grid) + block - 1) / block);
}

void tarn__gas_place_obstacles(TarnGas* gas, void* memory)
{
    size_t cells, motions, records, weights;
    if (gas->def.obstacles == TARN_GAS_NO_OBSTACLES) return;
    if (memory) gas->obstacle_memory = memory;
    char* base = gas->obstacle_memory;
    lay_out(&gas->def, &cells, &motions, &records, &weights);
    size_t floats = tarn__grid3_floats(&gas->grid), first = tarn__grid3_first(&gas->grid);
    gas->solid = (uint8_t*)base;
    gas->solid_cell = (uint8_t*)(base + cells) + first;
    gas->solid_motion = (TarnMotion*)(base + motions);
    gas->solid_record = (GasSolidRecord*)(base + records);
    for (size_t a = 0; a < 3 && gas->def.obstacles == TARN_GAS_DIRECT; ++a)
        gas->weight[a] = (float*)(base + weights) + a * ((floats + 15) & ~(size_t)15) + first;
    clear_flags(gas);
    if (gas->weight[0]) tarn__parallel_for(gas->ctx, all_blocks(gas), open_weights, gas);
    for (int m = 0; m < GAS_MAX_SOLIDS; ++m) gas->solid_record[m].slot = -1;
    memset(gas->solid_shift, 0, sizeof gas->solid_shift);
    gas->has_new_solids = true;
    gas->has_old_flags = false;
    gas->solids_key = 0;
}

TarnResult tarn_gas_set_solids(TarnGas* gas, const TarnSolids* solids)
{
    if (gas == NULL) return TARN_ERR_ARG;
    if (solids != NULL && gas->def.obstacles == TARN_GAS_NO_OBSTACLES) {
        return tarn__fail(gas->ctx, TARN_ERR_ARG,
                          "gas.obstacles: the gas was created without obstacles; create it with "
                          "iterated or direct obstacles to use solids");
    }
    gas->solids = solids;
    if (solids == NULL) tarn__gas_place_obstacles(gas, NULL);
    return TARN_OK;
}

// ---- What has to be done again --------------------------------------------------------------------

typedef struct Dirty {
    GasBox boxes[32];
    int n;
    bool is_all;
} Dirty;

static bool is_empty(const GasBox* b)
{
    return b->lo[0] >= b->hi[0] || b->lo[1] >= b->hi[1] || b->lo[2] >= b->hi[2];
}

static void add_dirty(Dirty* dirty, GasBox box)
{
    if (is_empty(&box)) return;
    if (dirty->n == (int)(sizeof dirty->boxes / sizeof dirty->boxes[0])) dirty->is_all = true;
    if (!dirty->is_all) dirty->boxes[dirty->n++] = box;
}

// What a solid has left and where it has come to: one box if they overlap, which they mostly do.
static void add_moved(Dirty* dirty, GasBox from, GasBox to)
{
    GasBox both = from;
    bool is_apart = is_empty(&from) || is_empty(&to);
    for (int a = 0; a < 3; ++a) {
        is_apart |= from.lo[a] >= to.hi[a] || to.lo[a] >= from.hi[a];
        both.lo[a] = from.lo[a] < to.lo[a] ? from.lo[a] : to.lo[a];
        both.hi[a] = from.hi[a] > to.hi[a] ? from.hi[a] : to.hi[a];
    }
    add_dirty(dirty, is_apart ? from : both);
    if (is_apart) add_dirty(dirty, to);
}

static GasBox whole_box(const TarnGas* gas)
{
    const Grid3* g = &gas->grid;
    return (GasBox){ { -1, -1, -1 }, { g->nx + 1, g->ny + 1, g->nz + 1 } };
}

static GasBox clipped(const TarnGas* gas, GasBox box)
{
    GasBox all = whole_box(gas);
    for (int a = 0; a < 3; ++a) {
        box.lo[a] = box.lo[a] > all.lo[a] ? box.lo[a] : all.lo[a];
        box.hi[a] = box.hi[a] < all.hi[a] ? box.hi[a] : all.hi[a];
    }
    return box;
}

// The window moved by whole cells and took the flags along: new are the cells that came in, and the rim,
// whose ghosts did not move.
static void note_shift(TarnGas* gas, Dirty* dirty)
{
    const int n[3] = { gas->grid.nx, gas->grid.ny, gas->grid.nz };
    int* d = gas->solid_shift;
    if (d[0] == 0 && d[1] == 0 && d[2] == 0) {
        TarnVec3 o = gas->solid_origin, now = gas->origin; // it may have moved smoothly
        if (o.x != now.x || o.y != now.y || o.z != now.z) dirty->is_all = true;
        return;
    }
    for (int a = 0; a < 3; ++a) {
        GasBox low = whole_box(gas), high = low;
        low.hi[a] = 1 + (d[a] < 0 ? -d[a] : 0);
        high.lo[a] = n[a] - 1 - (d[a] > 0 ? d[a] : 0);
        if (low.hi[a] >= high.lo[a]) dirty->is_all = true;
        add_dirty(dirty, low);
        add_dirty(dirty, high);
    }
    for (int m = 0; m < GAS_MAX_SOLIDS; ++m) {
        GasBox* range = &gas->solid_record[m].range;
        for (int a = 0; a < 3; ++a) range->lo[a] -= d[a], range->hi[a] -= d[a];
        *range = clipped(gas, *range);
    }
    memset(d, 0, sizeof gas->solid_shift);
}

// ---- Finding them -------------------------------------------------------------------------------

// One more than there is room for tells that some are left out, which is reported.
static int find_near(TarnGas* gas, int slots[GAS_MAX_SOLIDS + 1])
{
    const Grid3* g = &gas->grid;
    TarnVec3 low = gas_point(gas, -1.0f, -1.0f, -1.0f);
    TarnVec3 high = gas_point(gas, (float)(g->nx + 1), (float)(g->ny + 1), (float)(g->nz + 1));
    if (gas->solids == NULL) return 0;
    int n = tarn__solids_near(gas->solids, low, high, slots, GAS_MAX_SOLIDS + 1);
    if (n <= GAS_MAX_SOLIDS) return n;
    gas->step_flags |= TARN_STEP_CAPACITY_FULL;
    return GAS_MAX_SOLIDS;
}

static int record_of(const TarnGas* gas, int slot) // or a free one for -1
{
    for (int m = 0; m < GAS_MAX_SOLIDS; ++m)
        if (gas->solid_record[m].slot == slot) return m;
    return -1;
}

// The solids whose bounds touch the box keep their records while they stay; returns how many, in the order of
// their slots, which decides which one owns a face that two of them close.
static int update_records(TarnGas* gas, Dirty* dirty, int order[GAS_MAX_SOLIDS])
{
    int slots[GAS_MAX_SOLIDS + 1], n = find_near(gas, slots);
    for (int m = 0; m < GAS_MAX_SOLIDS; ++m) {
        GasSolidRecord* record = &gas->solid_record[m];
        bool is_near = record->slot < 0;
        for (int s = 0; s < n && !is_near; ++s) is_near = slots[s] == record->slot;
        if (is_near) continue;
        add_dirty(dirty, record->range);
        record->slot = -1;
    }
    float t = gas->way_end > 0.0f ? gas->way_end : 1.0f;
    for (int s = 0; s < n; ++s) {
        int m = record_of(gas, slots[s]);
        bool is_new = m < 0;
        if (is_new) m = record_of(gas, -1);
        GasSolidRecord* record = &gas->solid_record[m];
        uint64_t key = record->probe.key;
        GasBox range = record->range;
        tarn__solid_probe(gas->solids, slots[s], t, &record->probe);
        record->range = tarn__gas_range_of(gas, &record->probe);
        record->slot = slots[s];
        if (is_new)
            add_dirty(dirty, record->range);
        else if (key != record->probe.key)
            add_moved(dirty, range, record->range);
        gas->solid_motion[m] = record->probe.motion;
        order[s] = m;
    }
    gas->n_solid_motions = n;
    return n;
}

// Nothing is closed in a box, nor at its surface.
static void clear_box(TarnGas* gas, const GasBox* box)
{
    const Grid3* g = &gas->grid;
    const int n[3] = { g->nx, g->ny, g->nz };
    for (int k = box->lo[2]; k < box->hi[2]; ++k) {
        for (int j = box->lo[1]; j < box->hi[1]; ++j) {
            uint8_t* row = gas->solid_cell + tarn__grid3_at(g, box->lo[0], j, k);
            memset(row, 0, (size_t)(box->hi[0] - box->lo[0]));
        }
    }
    for (int axis = 0; axis < 3; ++axis) {
        int lo[3], hi[3]; // faces, hi is the last
        for (int a = 0; a < 3; ++a) {
            int last = a == axis ? box->hi[a] : box->hi[a] - 1, end = a == axis ? n[a] : n[a] - 1;
            lo[a] = box->lo[a] > 0 ? box->lo[a] : 0;
            hi[a] = last < end ? last : end;
        }
        for (int k = lo[2]; k <= hi[2]; ++k) {
            for (int j = lo[1]; j <= hi[1] && lo[0] <= hi[0]; ++j) {
                ptrdiff_t c = tarn__grid3_at(g, lo[0], j, k);
                memset(tarn__gas_solid_faces(gas, axis) + c, 0, (size_t)(hi[0] - lo[0] + 1));
                for (int i = 0; i <= hi[0] - lo[0] && gas->weight[axis]; ++i)
                    gas->weight[axis][c + i] = 1.0f;
            }
        }
    }
}

typedef struct Count {
    TarnGas* gas;
    const uint8_t* before; // the cells as they were; NULL: all that is solid has been
    int faces[264], cells[264];
} Count;

// Eight flags at once: most rows have none.
static bool is_clear8(const uint8_t* flags)
{
    uint64_t eight;
    memcpy(&eight, flags, sizeof eight);
    return eight == 0;
}

static int count_row(const uint8_t* flags, int n)
{
    int count = 0;
    for (int i = 0; i < n; ++i) {
        if (i + 8 <= n && is_clear8(flags + i))
            i += 7;
        else
            count += flags[i] != 0;
    }
    return count;
}

static void age_row(uint8_t* restrict cell, const uint8_t* restrict before, int n)
{
    for (int i = 0; i < n; ++i) // GAS_CELL_NEW where it was air, without a branch
        cell[i] = (uint8_t)(cell[i] + (cell[i] & (before[i] == GAS_CELL_AIR)));
}

static void count_slabs(int block, void* data)
{
    Count* count = data;
    const Grid3* g = &count->gas->grid;
    for (int k = GAS_SLABS * block; k < GAS_SLABS * (block + 1) && k <= g->nz; ++k) {
        for (int j = 0; j <= g->ny; ++j) {
            ptrdiff_t row = tarn__grid3_at(g, 0, j, k);
            for (int a = 0; a < 3; ++a) {
                if (k - (a == 2) >= g->nz || j - (a == 1) >= g->ny) continue;
                const uint8_t* flags = tarn__gas_solid_faces(count->gas, a) + row;
                count->faces[block] += count_row(flags, g->nx + (a == 0));
            }
            if (j == g->ny || k == g->nz) continue;
            uint8_t* cell = count->gas->solid_cell + row;
            int cells = count_row(cell, g->nx);
            count->cells[block] += cells;
            if (cells > 0 && count->before) age_row(cell, count->before + row, g->nx);
        }
    }
}

static void count_solids(TarnGas* gas, const uint8_t* before)
{
    Count count = { .gas = gas, .before = before };
    int n = gas->grid.nz / GAS_SLABS + 1; // at most 257
    tarn__parallel_for(gas->ctx, n, count_slabs, &count);
    gas->n_solid_faces = gas->n_solid_cells = 0;
    for (int b = 0; b < n; ++b) {
        gas->n_solid_faces += count.faces[b];
        gas->n_solid_cells += count.cells[b];
    }
}

// What a solid had covered before is covered for good.
static void age_cells(TarnGas* gas)
{
    uint8_t* cell = gas->solid_cell - tarn__grid3_first(&gas->grid);
    size_t n = tarn__grid3_floats(&gas->grid);
    if (gas->n_solid_cells == 0) return;
    for (size_t c = 0; c < n; ++c) cell[c] = (uint8_t)(cell[c] != GAS_CELL_AIR);
}

void tarn__gas_find_obstacles(TarnGas* gas, float dt)
{
    (void)dt;
    if (gas->def.obstacles == TARN_GAS_NO_OBSTACLES) return;
    bool is_first = gas->solids_key == 0;
    Dirty dirty = { .is_all = is_first || gas->has_old_flags };
    int order[GAS_MAX_SOLIDS];
    note_shift(gas, &dirty);
    int n = update_records(gas, &dirty, order);
    age_cells(gas);
    gas->solids_key = 1;
    gas->has_old_flags = false;
    gas->solid_origin = gas->origin;
    if (n == 0 && gas->n_solid_faces == 0 && gas->n_solid_cells == 0 && !is_first) return;
    if (dirty.is_all) dirty.n = 1, dirty.boxes[0] = whole_box(gas);
    if (dirty.n == 0) return;
    size_t floats = tarn__grid3_floats(&gas->grid), first = tarn__grid3_first(&gas->grid);
    uint8_t* before = (uint8_t*)(gas->next[2] - first); // scratch until the next advection
    memcpy(before, gas->solid_cell - first, floats);
    for (int b = 0; b < dirty.n; ++b) {
        clear_box(gas, &dirty.boxes[b]);
        for (int s = 0; s < n; ++s)
            tarn__gas_rasterize(gas, &gas->solid_record[order[s]], &dirty.boxes[b],
                                (uint8_t)(order[s] + 1));
    }
    count_solids(gas, is_first ? NULL : before + first);
    gas->has_new_solids = true;
}

// ---- Velocities ---------------------------------------------------------------------------------

// Of a solid at a face, along its axis: v + w x r, which along a row is at + step * i.
typedef struct RowSpeed {
    float at, step;
} RowSpeed;

static RowSpeed row_speed(const TarnGas* gas, int mark, int axis, int j, int k)
{
    const TarnMotion* m = &gas->solid_motion[mark - 1];
    float y = (float)j + (axis == 1 ? 0.0f : 0.5f), z = (float)k + (axis == 2 ? 0.0f : 0.5f);
    TarnVec3 p = gas_point(gas, axis == 0 ? 0.0f : 0.5f, y, z);
    TarnVec3 r = vec3_sub(p, m->position), w = m->angular_velocity;
    TarnVec3 v = vec3_add(m->velocity, vec3_cross(w, r));
    float d = gas->dx;
    if (axis == 0) return (RowSpeed){ v.x, 0.0f };
    return axis == 1 ? (RowSpeed){ v.y, w.z * d } : (RowSpeed){ v.z, -w.y * d };
}

// Calls for each closed (direct: at least partly closed) face of a row.
typedef void FaceFn(const TarnGas* gas, int axis, ptrdiff_t c, float speed, void* data);

static void each_face(const TarnGas* gas, int axis, int j, int k, FaceFn* fn, void* data)
{
    const Grid3* g = &gas->grid;
    ptrdiff_t row = tarn__grid3_at(g, 0, j, k);
    const uint8_t* flags = tarn__gas_solid_faces(gas, axis) + row;
    int n = g->nx + (axis == 0), mark = 0;
    RowSpeed speed = { 0.0f, 0.0f };
    for (int i = 0; i < n;) {
        if (i + 8 <= n && is_clear8(flags + i)) {
            i += 8;
            continue;
        }
        if (flags[i]) {
            if (flags[i] != mark) speed = row_speed(gas, mark = flags[i], axis, j, k);
            fn(gas, axis, row + i, speed.at + speed.step * (float)i, data);
        }
        ++i;
    }
}

static void each_face_of_slab(const TarnGas* gas, int axis, int k, FaceFn* fn, void* data)
{
    const Grid3* g = &gas->grid;
    if (k >= g->nz + (axis == 2)) return;
    for (int j = 0; j < g->ny + (axis == 1); ++j) each_face(gas, axis, j, k, fn, data);
}

static void enforce_face(const TarnGas* gas, int axis, ptrdiff_t c, float speed, void* data)
{
    (void)data;
    if (gas->weight[axis] && gas->weight[axis][c] > 0.0f) return;
    gas->velocity[axis][c] = speed;
}

static void enforce_slabs(int block, void* data)
{
    const TarnGas* gas = data;
    for (int k = GAS_SLABS * block; k < GAS_SLABS * (block + 1); ++k)
        for (int axis = 0; axis < 3; ++axis) each_face_of_slab(gas, axis, k, enforce_face, NULL);
}

void tarn__gas_enforce_obstacles(TarnGas* gas)
{
    if (gas->n_solid_faces == 0) return;
    tarn__parallel_for(gas->ctx, gas->grid.nz / GAS_SLABS + 1, enforce_slabs, gas);
}

static void add_flux(const TarnGas* gas, int axis, ptrdiff_t c, float speed, void* data)
{
    const ptrdiff_t steps[3] = { 1, gas->grid.row, gas->grid.slab };
    float* rhs = data;
    float flux = (1.0f - gas->weight[axis][c]) * speed;
    rhs[c] -= flux;
    rhs[c - steps[axis]] += flux;
}

void tarn__gas_add_solid_flux(const TarnGas* gas, float* rhs)
{
    if (gas->n_solid_faces == 0 || gas->weight[0] == NULL) return;
    // One after the other: two slabs share the faces between them.
    for (int axis = 0; axis < 3; ++axis)
        for (int k = 0; k <= gas->grid.nz; ++k) each_face_of_slab(gas, axis, k, add_flux, rhs);
}

static void face_leak(const TarnGas* gas, int axis, ptrdiff_t c, float speed, void* data)
{
    const ptrdiff_t steps[3] = { 1, gas->grid.row, gas->grid.slab };
    double* leak = data;
    if (gas->weight[axis] && gas->weight[axis][c] > 0.0f) return;
    if (gas->solid_cell[c] && gas->solid_cell[c - steps[axis]]) return; // deep inside
    double off = fabs((double)gas->velocity[axis][c] - (double)speed);
    if (!(off <= *leak)) *leak = off;
}

double tarn__gas_leak(const TarnGas* gas)
{
    double leak = 0.0;
    if (gas->n_solid_faces == 0) return 0.0;
    for (int axis = 0; axis < 3; ++axis)
        for (int k = 0; k <= gas->grid.nz; ++k) each_face_of_slab(gas, axis, k, face_leak, &leak);
    return leak;
}

// ---- What they cover ----------------------------------------------------------------------------

typedef struct Clear {
    const TarnGas* gas;
    float* scalar;
} Clear;

static float given(const TarnGas* gas, const float* scalar, ptrdiff_t c) // to each free neighbor
{
    const ptrdiff_t steps[3] = { 1, gas->grid.row, gas->grid.slab };
    int free = 0;
    for (int a = 0; a < 3; ++a)
        free += (gas->solid_cell[c - steps[a]] == 0) + (gas->solid_cell[c + steps[a]] == 0);
    return scalar[c] / (float)free; // one of them asks
}

static void push_out_row(const Clear* clear, int j, int k)
{
    const TarnGas* gas = clear->gas;
    const Grid3* g = &gas->grid;
    const ptrdiff_t steps[3] = { 1, g->row, g->slab };
    for (int i = 0; i < g->nx; ++i) {
        ptrdiff_t c = tarn__grid3_at(g, i, j, k);
        const uint8_t* cell = gas->solid_cell + c;
        if (*cell) continue;
        float got = 0.0f;
        for (int a = 0; a < 3; ++a) { // sums of pairs, so that a mirrored box gives mirrored bits
            float low =
                cell[-steps[a]] == GAS_CELL_NEW ? given(gas, clear->scalar, c - steps[a]) : 0.0f;
            float high =
                cell[steps[a]] == GAS_CELL_NEW ? given(gas, clear->scalar, c + steps[a]) : 0.0f;
            got += low + high;
        }
        if (got != 0.0f) clear->scalar[c] += got;
    }
}

static bool is_row_clear(const uint8_t* row, int n)
{
    for (int i = 0; i < n; i += 8)
        if (!is_clear8(row + i)) return false;
    return true;
}

static void push_out_slabs(int block, void* data)
{
    const Clear* clear = data;
    const Grid3* g = &clear->gas->grid;
    for (int k = GAS_SLABS * block; k < GAS_SLABS * (block + 1) && k < g->nz; ++k) {
        for (int j = 0; j < g->ny; ++j) {
            const uint8_t* row = clear->gas->solid_cell + tarn__grid3_at(g, 0, j, k);
            bool is_far = is_row_clear(row, g->nx) && is_row_clear(row - g->row, g->nx) &&
                          is_row_clear(row + g->row, g->nx) && is_row_clear(row - g->slab, g->nx) &&
                          is_row_clear(row + g->slab, g->nx);
            if (!is_far) push_out_row(clear, j, k);
        }
    }
}

static void clear_slabs(int block, void* data)
{
    const Clear* clear = data;
    const Grid3* g = &clear->gas->grid;
    for (int k = GAS_SLABS * block; k < GAS_SLABS * (block + 1) && k < g->nz; ++k) {
        for (int j = 0; j < g->ny; ++j) {
            ptrdiff_t row = tarn__grid3_at(g, 0, j, k);
            for (int i = 0; i < g->nx; i += 8) {
                const uint8_t* cell = clear->gas->solid_cell + row + i;
                if (is_clear8(cell)) continue;
                for (int l = 0; l < 8; ++l)
                    if (cell[l]) clear->scalar[row + i + l] = 0.0f;
            }
        }
    }
}

void tarn__gas_clear_obstacles(TarnGas* gas, float* scalar)
{
    if (gas->n_solid_cells == 0 || scalar == NULL) return;
    Clear clear = { gas, scalar };
    int n = (gas->grid.nz + GAS_SLABS - 1) / GAS_SLABS;
    // Smoke and fuel are amounts, which are kept; a temperature is not.
    if (scalar != gas->scalar[GAS_TEMPERATURE])
        tarn__parallel_for(gas->ctx, n, push_out_slabs, &clear);
    tarn__parallel_for(gas->ctx, n, clear_slabs, &clear);
}
