// Which blocks a field has, and their evaluation: blocks inside of the liquid are filled without a look at
// particles; what is carried is continued by a node beyond the kernels.
//
// A node in no block is reached by no kernel, so that the value outside is its value: the surface has no seams
// at blocks that are missing. Blocks deep inside are stored too, or there would be a surface around them.

#include "mesh/particle_surface_kernels.h"
#include "base/maths.h"

enum { SIDE = TARN_BLOCK_SIDE, NODES = TARN_BLOCK_NODES };

// ---- The blocks that kernels reach -------------------------------------------------------------------

// Where there are more than there is room for, they are counted in several passes, each over a share of all
// keys that fits. Passes grow with what is missing: where that is too much, those that cells share count once for
// each, which is enough for all.
enum { MAX_PARTS = 256 };
typedef struct Set {
    uint64_t* table; // 0: free
    uint64_t* list;
    int size, n, max; // size: a power of 2; max 0: nothing goes in
    unsigned part, parts;
    bool is_full;
    int64_t asked; // with those that were in already
} Set;

static uint64_t mix(uint64_t key)
{
    key *= 0x9e3779b97f4a7c15u;
    return key ^ key >> 29;
}

static void insert(Set* set, uint64_t key)
{
    uint64_t h = mix(key);
    if (set->parts > 1 && (h >> 40 & (set->parts - 1)) != set->part) return;
    int at = (int)(h & (uint64_t)(set->size - 1));
    for (; set->table[at] != 0; at = (at + 1) & (set->size - 1))
        if (set->table[at] == key) return;
    if (set->n == set->max) {
        set->is_full = true;
        return;
    }
    set->table[at] = key;
    set->list[set->n++] = key;
}

static int block_of(double at, double inv_dx, bool is_end)
{
    double node = at * inv_dx, limit = 8.0 * SURFACE_MAX_PLACE - 8.0;
    node = is_end ? floor(node) : ceil(node);
    node = node > -limit ? node : -limit;
    node = node < limit ? node : limit;
    return (int)floor(node * 0.125);
}

// The blocks with nodes in the box around the kernels of some particles.
static void insert_around(const TarnParticleSurface* s, int begin, int end, Set* set)
{
    float lo[3] = { INFINITY, INFINITY, INFINITY }, hi[3] = { -INFINITY, -INFINITY, -INFINITY };
    const float* const at[3] = { s->px, s->py, s->pz };
    const float* const extent[3] = { s->ex, s->ey, s->ez };
    for (int a = 0; a < 3; ++a) {
        for (int i = begin; i < end; ++i) {
            lo[a] = tarn_minf(lo[a], at[a][i] - extent[a][i]);
            hi[a] = tarn_maxf(hi[a], at[a][i] + extent[a][i]);
        }
    }
    int first[3], last[3];
    double inv_dx = 1.0 / (double)s->dx;
    for (int a = 0; a < 3; ++a) {
        first[a] = block_of((double)lo[a], inv_dx, false);
        last[a] = block_of((double)hi[a], inv_dx, true);
    }
    set->asked +=
        (int64_t)(last[2] - first[2] + 1) * (last[1] - first[1] + 1) * (last[0] - first[0] + 1);
    if (set->max == 0) return;
    for (int z = first[2]; z <= last[2]; ++z)
        for (int y = first[1]; y <= last[1]; ++y)
            for (int x = first[0]; x <= last[0]; ++x) insert(set, surface_key(x, y, z));
}

static void insert_all(const TarnParticleSurface* s, Set* set)
{
    const Neighbors* nb = &s->nb;
    int n_cells = nb->cells[0] * nb->cells[1] * nb->cells[2];
    set->n = 0;
    set->is_full = false;
    set->asked = 0;
    memset(set->table, 0, (size_t)set->size * sizeof(uint64_t));
    bool is_wrapped = nb->wraps[0] || nb->wraps[1] || nb->wraps[2];
    for (int c = 0; c < n_cells && s->n > 0 && !set->is_full; ++c) {
        int begin = nb->cell_begin[c], end = nb->cell_begin[c + 1];
        if (!is_wrapped && begin < end) insert_around(s, begin, end, set);
        // Strangers share a cell that wraps: one at a time.
        for (int i = begin; i < end && is_wrapped; ++i) insert_around(s, i, i + 1, set);
    }
}

// Sorts by merging runs of twice the length each time; scratch is as long as list.
static void sort_keys(uint64_t* list, uint64_t* scratch, int n)
{
    uint64_t *from = list, *to = scratch;
    for (int run = 1; run < n; run *= 2) {
        for (int begin = 0; begin < n; begin += 2 * run) {
            int middle = begin + run < n ? begin + run : n;
            int end = begin + 2 * run < n ? begin + 2 * run : n, a = begin, b = middle;
            for (int i = begin; i < end; ++i)
                to[i] = a < middle && (b >= end || from[a] < from[b]) ? from[a++] : from[b++];
        }
        uint64_t* swap = from;
        from = to, to = swap;
    }
    if (from != list) memcpy(list, from, (size_t)n * sizeof *list);
}

int tarn__surface_find_blocks(TarnParticleSurface* s)
{
    Set set = { .table = s->table, .list = s->keys, .size = s->table_size, .parts = 1 };
    set.max = s->def.max_blocks;
    insert_all(s, &set);
    if (!set.is_full) {
        sort_keys(s->keys, s->keys_scratch, set.n);
        return set.n;
    }
    int64_t total = 0;
    for (set.parts = 2; set.parts <= MAX_PARTS; set.parts *= 2) {
        total = 0;
        for (set.part = 0; set.part < set.parts; ++set.part) {
            insert_all(s, &set);
            if (set.is_full) break;
            total += set.n;
        }
        if (!set.is_full) break;
    }
    if (set.is_full) {
        set.max = 0;
        insert_all(s, &set);
        total = set.asked;
    }
    return total < INT32_MAX ? (int)total : INT32_MAX;
}

// ---- Values ------------------------------------------------------------------------------------------

void tarn__surface_cells(const Neighbors* nb, int axis, double lo, double hi, int* first,
                         int* count)
{
    int cells = nb->cells[axis];
    double a = floor((lo - (double)nb->origin[axis]) * nb->cells_per_m);
    double b = floor((hi - (double)nb->origin[axis]) * nb->cells_per_m);
    if (!nb->wraps[axis]) {
        a = a > 0.0 ? a : 0.0;
        b = b < cells - 1 ? b : cells - 1;
        *first = a < cells ? (int)a : 0;
        *count = b >= a ? (int)(b - a) + 1 : 0;
        return;
    }
    *first = (int)((int64_t)a % cells);
    if (*first < 0) *first += cells;
    *count = b - a + 1.0 < cells ? (int)(b - a) + 1 : cells;
}

// True if all its nodes are in deep cells.
static bool is_deep(const TarnParticleSurface* s, int block)
{
    const Neighbors* nb = &s->nb;
    int first[3], count[3];
    if (nb->wraps[0] || nb->wraps[1] || nb->wraps[2]) return false;
    for (int a = 0; a < 3; ++a) {
        double lo = (double)s->place[block][a] * SIDE * (double)s->dx;
        double hi = lo + (SIDE - 1) * (double)s->dx, origin = (double)nb->origin[a];
        if (lo < origin || (hi - origin) * nb->cells_per_m >= nb->cells[a]) return false;
        tarn__surface_cells(nb, a, lo, hi, &first[a], &count[a]);
    }
    for (int z = first[2]; z < first[2] + count[2]; ++z) {
        for (int y = first[1]; y < first[1] + count[1]; ++y) {
            const uint8_t* deep = s->is_deep + (z * nb->cells[1] + y) * nb->cells[0];
            for (int x = first[0]; x < first[0] + count[0]; ++x)
                if (!deep[x]) return false;
        }
    }
    return true;
}

typedef struct Evaluation {
    TarnParticleSurface* s;
    const ParticleFieldKernels* kernels;
} Evaluation;

static void evaluate_block(int block, void* data)
{
    const Evaluation* e = data;
    TarnParticleSurface* s = e->s;
    if (!is_deep(s, block)) {
        e->kernels->evaluate(s, block);
        return;
    }
    float* value = s->value + (size_t)block * NODES;
    for (int i = 0; i < NODES; ++i) value[i] = s->shape.inside;
    for (int m = 0; m < s->n_carried; ++m)
        memset(tarn__surface_mean(s, block, m), 0, NODES * sizeof(float));
    if (s->n_carried > 0) memset(s->has_mean + (size_t)block * (NODES / 8), 0, NODES / 8);
}

// ---- What is carried, one node further -----------------------------------------------------------------

float* tarn__surface_mean(const TarnParticleSurface* s, int block, int m)
{
    int n_velocity = s->def.use_velocity ? 3 : 0;
    size_t b = (size_t)block;
    if (m < n_velocity) return s->velocity + (b * 3 + (size_t)m) * NODES;
    return s->attribute + (b * (size_t)s->def.n_attributes + (size_t)(m - n_velocity)) * NODES;
}

static int find_block(const TarnParticleSurface* s, uint64_t key)
{
    int lo = 0, hi = s->n_blocks;
    while (lo < hi) {
        int middle = lo + (hi - lo) / 2;
        if (s->keys[middle] < key)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo < s->n_blocks && s->keys[lo] == key ? lo : -1;
}

// A surface cuts edges between a node in the liquid, which kernels reach, and one outside, which they may not:
// that one takes the mean of the nodes beside it that have something. Nodes with a mean are only read here,
// those without only written.
static void extend_block(int block, void* data)
{
    const Evaluation* e = data;
    TarnParticleSurface* s = e->s;
    int32_t* at = s->place[block];
    int around[6];
    const uint8_t* has = s->has_mean + (size_t)block * (NODES / 8);
    bool is_whole = true;
    for (int r = 0; r < NODES / 8; ++r) is_whole = is_whole && has[r] == 0xff;
    if (is_whole) return;
    for (int f = 0; f < 6; ++f) {
        int to[3] = { at[0], at[1], at[2] };
        to[f / 2] += f % 2 ? 1 : -1;
        around[f] = find_block(s, surface_key(to[0], to[1], to[2]));
    }
    for (int node = 0; node < NODES; ++node) {
        if (has[node / 8] >> (node & 7) & 1) continue;
        int from[6], place[6], n = 0;
        for (int f = 0; f < 6; ++f) {
            int c[3] = { node & 7, node >> 3 & 7, node >> 6 };
            c[f / 2] += f % 2 ? 1 : -1;
            bool is_here = (c[f / 2] & ~7) == 0;
            int b = is_here ? block : around[f];
            int i = (c[0] & 7) + 8 * (c[1] & 7) + 64 * (c[2] & 7);
            if (b < 0 || !(s->has_mean[(size_t)b * (NODES / 8) + (size_t)i / 8] >> (i & 7) & 1))
                continue;
            from[n] = b, place[n++] = i;
        }
        for (int m = 0; m < s->n_carried && n > 0; ++m) {
            float sum = 0.0f;
            for (int i = 0; i < n; ++i) sum += tarn__surface_mean(s, from[i], m)[place[i]];
            tarn__surface_mean(s, block, m)[node] = sum / (float)n;
        }
    }
}

void tarn__surface_evaluate(TarnParticleSurface* s)
{
    Evaluation e = { s, TARN_KERNELS_PICK(s->ctx->isa, tarn__particle_field_kernels) };
    tarn__parallel_for(s->ctx, s->n_blocks, evaluate_block, &e);
    if (s->n_carried > 0) tarn__parallel_for(s->ctx, s->n_blocks, extend_block, &e);
}
