// The neighbor search: the grid, the sort, the permutation. The lists are made in neighbors_kernels.c.
//
// Method   Uniform grid of cells as large as the support, counting sort, particles in the order of
//          their cells [Green2010]; 3^dims cells around a particle hold all its neighbors, and three of
//          them in a row along x are one run.
// Differs  from a hashed grid: cells in row order, so no cell is met twice, no key collides and runs are
//          long; where the bounding box is too large the cell coordinates wrap.
// Checked  tests/unit/test_neighbors.c: against all pairs, for any number of workers.
// Cost     bench/bench_neighbors.c.
//
// Which pairs must be found: those with a float distance below the support, so a cell index must never
// tell two of them two cells apart. It is computed in double, where the only errors are: the distance
// rounds (4 of 2^24), and so does the index (1 of 2^52, and an index with meaning is below 2^25: where
// floats are further apart than the support only equal ones are neighbors, which have one index).
// Cells larger than the support by 1 of 2^16 cover both with room to spare.

#include "particles/neighbors.h"
#include "particles/neighbors_kernels.h"
#include <math.h>

enum {
    SORT_BLOCK = 4096, // particles
    FIND_BLOCK = 512,
    PERMUTE_BLOCK = 2048,
    CHUNK = 4096, // at least
    MAX_CHUNKS = 4,
    WRAP_MULTIPLE = 6, // cells
};

static const NeighborKernels* kernels(const TarnContext* ctx)
{
    return TARN_KERNELS_PICK(ctx->isa, tarn__neighbor_kernels);
}

static int blocks_of(int n, int block)
{
    return (int)(((int64_t)n + block - 1) / block);
}
static int smaller(int a, int b)
{
    return a < b ? a : b;
}

void tarn__neighbors_lay_out(Neighbors* nb, TarnLayout* layout, char* base, int dims, int slots,
                             int room, int max_particles, float support)
{
    *nb = (Neighbors){ .dims = dims, .slots = slots, .room = room, .max_particles = max_particles };
    if (room < slots && slots > NEIGHBOR_MAX_PACKED) nb->slots = NEIGHBOR_MAX_PACKED;
    nb->support = support;
    nb->cells_per_m = 1.0 / ((double)support * (1.0 + 0x1p-16));
    nb->max_cells = 2 * max_particles + 4096;
    nb->cells[0] = nb->cells[1] = nb->cells[2] = 1;
    size_t n = (size_t)max_particles, int_size = sizeof(int);
    size_t cell_begin = tarn__layout_add(layout, ((size_t)nb->max_cells + 1) * int_size);
    size_t cell_of = tarn__layout_add(layout, n * int_size);
    size_t order = tarn__layout_add(layout, n * int_size);
    size_t list = tarn__layout_add(layout, n * (size_t)room * int_size);
    size_t count = tarn__layout_add(layout, n);
    size_t begin = tarn__layout_add(layout, room < slots ? n * int_size : 0);
    int blocks = blocks_of(max_particles, FIND_BLOCK);
    size_t scratch = tarn__layout_add(layout, 6 * (size_t)blocks * sizeof(float));
    if (base == NULL) return;
    nb->cell_begin = (int*)(void*)(base + cell_begin);
    nb->cell_of = (int*)(void*)(base + cell_of);
    nb->order = (int*)(void*)(base + order);
    nb->list = (int*)(void*)(base + list);
    nb->count = (uint8_t*)(base + count);
    nb->begin = room < slots ? (int*)(void*)(base + begin) : NULL;
    nb->block_scratch = (int*)(void*)(base + scratch);
}

// ---- Cells ---------------------------------------------------------------------------------------

void tarn__neighbors_cell(const Neighbors* nb, float x, float y, float z, int cell[3])
{
    cell[0] = neighbor__cell_along(nb, 0, x);
    cell[1] = neighbor__cell_along(nb, 1, y);
    cell[2] = nb->dims == 3 ? neighbor__cell_along(nb, 2, z) : 0;
}

// The cells c - 1 .. c + 1 of an axis, those of them that are; returns how many.
static int three_along(const Neighbors* nb, int axis, int c, int out[3])
{
    int n = 0, cells = nb->cells[axis];
    for (int o = -1; o <= 1; ++o) {
        int at = c + o;
        if (nb->wraps[axis]) at = at < 0 ? at + cells : at >= cells ? at - cells : at;
        if (at >= 0 && at < cells) out[n++] = at;
    }
    return n;
}

static void add_run(const Neighbors* nb, int first_cell, int last_cell, NeighborRun* out, int* n)
{
    NeighborRun run = { nb->cell_begin[first_cell], nb->cell_begin[last_cell + 1] };
    if (run.begin == run.end) return;
    int at = (*n)++; // rows that wrapped come too late: back to their place
    for (; at > 0 && out[at - 1].begin > run.begin; --at) out[at] = out[at - 1];
    out[at] = run;
}

int tarn__neighbors_runs_of_cell(const Neighbors* nb, const int cell[3], NeighborRun* out)
{
    int y[3], z[3] = { 0 }, n = 0, nx = nb->cells[0];
    int ny = three_along(nb, 1, cell[1], y);
    int nz = nb->dims == 3 ? three_along(nb, 2, cell[2], z) : 1;
    int first = cell[0] > 0 ? cell[0] - 1 : 0;
    int last = cell[0] < nx - 1 ? cell[0] + 1 : nx - 1;
    for (int k = 0; k < nz; ++k) {
        for (int j = 0; j < ny; ++j) {
            int row = (z[k] * nb->cells[1] + y[j]) * nx;
            add_run(nb, row + first, row + last, out, &n);
            if (!nb->wraps[0]) continue;
            if (cell[0] == 0) add_run(nb, row + nx - 1, row + nx - 1, out, &n);
            if (cell[0] == nx - 1) add_run(nb, row, row, out, &n);
        }
    }
    return n;
}

int tarn__neighbors_runs(const Neighbors* nb, float x, float y, float z, NeighborRun* out)
{
    if (nb->n == 0) return 0;
    int cell[3];
    tarn__neighbors_cell(nb, x, y, z, cell);
    return tarn__neighbors_runs_of_cell(nb, cell, out);
}

// ---- The grid --------------------------------------------------------------------------------------

typedef struct Sort {
    Neighbors* nb;
    const NeighborKernels* kernels;
    const float* at[3];
    int n_cells, chunks;
} Sort;

void tarn__neighbors_bounds(const TarnContext* ctx, const float* v, int n, float* min, float* max)
{
    kernels(ctx)->bounds(v, n, min, max);
}

static void bounds_block(int block, void* data)
{
    const Sort* s = data;
    int begin = block * SORT_BLOCK, n = smaller(s->nb->n - begin, SORT_BLOCK);
    float* out = (float*)(void*)s->nb->block_scratch + 6 * block;
    for (int a = 0; a < s->nb->dims; ++a)
        s->kernels->bounds(s->at[a] + begin, n, &out[2 * a], &out[2 * a + 1]);
}

// Liquid that runs from corner to corner of its bounding box would come back to its own cells each time it has gone
// around two axes that wrap, if these were shortened by the same part: all of it would lie in a few cells, and the
// search would look at ten times as much. So it comes back a few cells beside them. extent: of the box, in cells.
static void part_laps(Neighbors* nb, const double extent[3])
{
    for (int b = 1; b < 3; ++b) {
        for (int a = 0; a < b; ++a) {
            if (!nb->wraps[a] || !nb->wraps[b]) continue;
            double lap = nb->cells[a] * (extent[b] / extent[a]);
            while (lap - nb->cells[b] < WRAP_MULTIPLE && nb->cells[b] - lap < WRAP_MULTIPLE &&
                   nb->cells[b] > 2 * WRAP_MULTIPLE)
                nb->cells[b] -= WRAP_MULTIPLE;
        }
    }
}

// Dense over the bounding box if that fits. Otherwise the longest axes are shortened, an eighth at a time,
// until it does, and wrap.
static void choose_grid(Neighbors* nb, int blocks)
{
    const float* part = (const float*)(const void*)nb->block_scratch;
    double cells[3] = { 1.0, 1.0, 1.0 }, extent[3];
    for (int a = 0; a < nb->dims; ++a) {
        float min = part[2 * a], max = part[2 * a + 1];
        for (int b = 1; b < blocks; ++b) {
            min = part[6 * b + 2 * a] < min ? part[6 * b + 2 * a] : min;
            max = part[6 * b + 2 * a + 1] > max ? part[6 * b + 2 * a + 1] : max;
        }
        nb->origin[a] = min;
        nb->wraps[a] = false;
        cells[a] = floor(((double)max - (double)min) * nb->cells_per_m) + 1.0;
        if (!(cells[a] < 1e9)) cells[a] = 1e9;
    }
    memcpy(extent, cells, sizeof extent);
    while (cells[0] * cells[1] * cells[2] > nb->max_cells) {
        int a = cells[1] > cells[0] ? 1 : 0;
        if (cells[2] > cells[a]) a = 2;
        cells[a] *= 0.875;
        nb->wraps[a] = true;
        nb->origin[a] = 0.0f;
    }
    for (int a = 0; a < 3; ++a) {
        nb->cells[a] = (int)cells[a];
        if (nb->wraps[a]) nb->cells[a] -= nb->cells[a] % WRAP_MULTIPLE;
    }
    part_laps(nb, extent);
}

void tarn__neighbors_grid(TarnContext* ctx, Neighbors* nb, int n, const float* x, const float* y,
                          const float* z)
{
    TARN_ASSERT(ctx, n >= 0 && n <= nb->max_particles);
    nb->n = n;
    nb->cells[0] = nb->cells[1] = nb->cells[2] = 1;
    nb->wraps[0] = nb->wraps[1] = nb->wraps[2] = false;
    if (n == 0) return;
    Sort s = { .nb = nb, .kernels = kernels(ctx), .at = { x, y, z } };
    int blocks = blocks_of(n, SORT_BLOCK);
    tarn__parallel_for(ctx, blocks, bounds_block, &s);
    choose_grid(nb, blocks);
}

// ---- The sort --------------------------------------------------------------------------------------

// Each chunk of particles counts and places its own, with cursors of its own: a cell takes those of the
// first chunk, then those of the second. So the order is the same for any number of chunks, and there
// are as many as workers, but not more than MAX_CHUNKS, as the sum over all cursors is serial.
static int chunk_begin(const Sort* s, int chunk)
{
    return (int)((int64_t)s->nb->n * chunk / s->chunks);
}
static int* cursors(const Sort* s, int chunk) // in the lists: they are made anew after a sort
{
    return s->nb->list + (size_t)chunk * (size_t)s->n_cells;
}

static void cells_of(const Sort* s, int begin, int end)
{
    s->kernels->cells(s->nb, s->at[0], s->at[1], s->at[2], begin, end, s->nb->cell_of);
}

static void count_chunk(int chunk, void* data)
{
    const Sort* s = data;
    int *count = cursors(s, chunk), begin = chunk_begin(s, chunk), end = chunk_begin(s, chunk + 1);
    cells_of(s, begin, end);
    memset(count, 0, (size_t)s->n_cells * sizeof(int));
    for (int i = begin; i < end; ++i) count[s->nb->cell_of[i]]++;
}

static void place_chunk(int chunk, void* data)
{
    const Sort* s = data;
    const int* cell_of = s->nb->cell_of;
    int *cursor = cursors(s, chunk), *order = s->nb->order;
    for (int i = chunk_begin(s, chunk), end = chunk_begin(s, chunk + 1); i < end; ++i)
        order[cursor[cell_of[i]]++] = i;
}

static void sort_in_chunks(TarnContext* ctx, Sort* s)
{
    tarn__parallel_for(ctx, s->chunks, count_chunk, s);
    int sum = 0;
    for (int c = 0; c < s->n_cells; ++c) {
        s->nb->cell_begin[c] = sum;
        for (int k = 0; k < s->chunks; ++k) {
            int* cursor = cursors(s, k) + c;
            int count = *cursor;
            *cursor = sum;
            sum += count;
        }
    }
    s->nb->cell_begin[s->n_cells] = sum;
    tarn__parallel_for(ctx, s->chunks, place_chunk, s);
}

static void sort_serially(Sort* s)
{
    int *begin = s->nb->cell_begin, sum = 0;
    cells_of(s, 0, s->nb->n);
    memset(begin, 0, (size_t)s->n_cells * sizeof(int));
    for (int i = 0; i < s->nb->n; ++i) begin[s->nb->cell_of[i]]++;
    for (int c = 0; c < s->n_cells; ++c) begin[c] = sum += begin[c]; // ends, for now
    begin[s->n_cells] = sum;
    for (int i = s->nb->n - 1; i >= 0; --i) s->nb->order[--begin[s->nb->cell_of[i]]] = i;
}

void tarn__neighbors_sort(TarnContext* ctx, Neighbors* nb, int n, const float* x, const float* y,
                          const float* z)
{
    tarn__neighbors_grid(ctx, nb, n, x, y, z);
    Sort s = { .nb = nb, .kernels = kernels(ctx), .at = { x, y, z } };
    s.n_cells = nb->cells[0] * nb->cells[1] * nb->cells[2];
    s.chunks = smaller(smaller(ctx->workers, MAX_CHUNKS), n / CHUNK);
    while (s.chunks > 1 && (int64_t)s.chunks * s.n_cells > (int64_t)n * nb->room) s.chunks--;
    if (s.chunks > 1)
        sort_in_chunks(ctx, &s);
    else
        sort_serially(&s);
}

// ---- The permutation -------------------------------------------------------------------------------

typedef struct Permute {
    const Neighbors* nb;
    const NeighborArray* arrays;
    int n_arrays;
    char* scratch;
    bool is_back; // copy back
} Permute;

static size_t scratch_of(const Neighbors* nb, const NeighborArray* array)
{
    return ((size_t)nb->n * (size_t)array->size + 31) & ~(size_t)31;
}

static void gather(const void* from, void* to, int size, const int* order, int begin, int end)
{
    typedef struct Sixteen {
        uint32_t word[4];
    } Sixteen;
    if (size == 4) {
        const uint32_t* old = from;
        uint32_t* new = to;
        for (int i = begin; i < end; ++i) new[i] = old[order[i]];
    } else if (size == 1) {
        const uint8_t* old = from;
        uint8_t* new = to;
        for (int i = begin; i < end; ++i) new[i] = old[order[i]];
    } else {
        const Sixteen* old = from;
        Sixteen* new = to;
        for (int i = begin; i < end; ++i) new[i] = old[order[i]];
    }
}

static void permute_block(int block, void* data)
{
    const Permute* p = data;
    int begin = block * PERMUTE_BLOCK, end = begin + smaller(p->nb->n - begin, PERMUTE_BLOCK);
    char* scratch = p->scratch;
    for (int a = 0; a < p->n_arrays; ++a) {
        const NeighborArray* array = &p->arrays[a];
        size_t size = (size_t)array->size, offset = (size_t)begin * size;
        if (p->is_back)
            memcpy((char*)array->data + offset, scratch + offset, (size_t)(end - begin) * size);
        else
            gather(array->data, scratch, array->size, p->nb->order, begin, end);
        scratch += scratch_of(p->nb, array);
    }
}

void tarn__neighbors_permute(TarnContext* ctx, const Neighbors* nb, const NeighborArray* arrays,
                             int n_arrays, void* scratch, size_t scratch_size)
{
    int blocks = blocks_of(nb->n, PERMUTE_BLOCK);
    for (int first = 0, next; first < n_arrays && blocks > 0; first = next) {
        size_t used = 0;
        for (next = first; next < n_arrays; ++next) {
            size_t more = scratch_of(nb, &arrays[next]);
            if (used + more > scratch_size) break;
            used += more;
        }
        TARN_ASSERT(ctx, next > first); // scratch holds the largest array
        if (next == first) return;
        Permute p = { nb, arrays + first, next - first, scratch, false };
        tarn__parallel_for(ctx, blocks, permute_block, &p);
        p.is_back = true;
        tarn__parallel_for(ctx, blocks, permute_block, &p);
    }
}

// ---- The lists ---------------------------------------------------------------------------------------

typedef struct Find {
    Neighbors* nb;
    const NeighborKernels* kernels;
    const float *x, *y, *z;
    NeighborPool pool;
} Find;

static void find_block(int block, void* data)
{
    Find* f = data;
    int begin = block * FIND_BLOCK, end = begin + smaller(f->nb->n - begin, FIND_BLOCK);
    int* out = f->nb->block_scratch + 2 * block;
    out[1] = 0;
    out[0] = f->kernels->find(f->nb, &f->pool, f->x, f->y, f->z, begin, end, &out[1]);
}

void tarn__neighbors_find(TarnContext* ctx, Neighbors* nb, const float* x, const float* y,
                          const float* z)
{
    Find f = { nb, kernels(ctx), x, y, z, { .is_shared = nb->begin != NULL } };
    int blocks = blocks_of(nb->n, FIND_BLOCK);
    atomic_init(&f.pool.used, 0);
    tarn__parallel_for(ctx, blocks, find_block, &f);
    if (atomic_load(&f.pool.used) > (int64_t)nb->max_particles * nb->room) {
        f.pool.is_shared = false;
        tarn__parallel_for(ctx, blocks, find_block, &f);
    }
    int64_t total = 0;
    nb->overflowed = 0;
    for (int b = 0; b < blocks; ++b) {
        nb->overflowed += nb->block_scratch[2 * b];
        total += nb->block_scratch[2 * b + 1];
    }
    nb->mean = nb->n > 0 ? (double)total / nb->n : 0.0;
}
