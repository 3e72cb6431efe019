// The loops of the neighbor search: bounds, cells and the lists, eight candidates at a time.
//
// All particles of a cell have the same candidates, so these are brought together once per cell, with no
// gaps between the runs: then every particle goes through the same few full vectors, and the loop has the
// same length for all of them, which the branch predictor likes. A hit is written without a branch:
// the lanes of the hits are permuted to the front and all eight stored, the next store begins where the
// hits ended.

#include "base/kernels.h"
#include "particles/neighbors_kernels.h"
#include <math.h>

static void bounds(const float* v, int n, float* min, float* max)
{
    float lo = v[0], hi = v[0];
    int i = 0;
    if (n >= TARN_LANES) {
        TarnF8 lo8 = f8_load(v), hi8 = lo8;
        for (; i + TARN_LANES <= n; i += TARN_LANES) {
            TarnF8 here = f8_load(v + i);
            lo8 = f8_min(here, lo8);
            hi8 = f8_max(here, hi8);
        }
        for (int l = 0; l < TARN_LANES; ++l) {
            lo = lo8[l] < lo ? lo8[l] : lo;
            hi = hi8[l] > hi ? hi8[l] : hi;
        }
    }
    for (; i < n; ++i) {
        lo = v[i] < lo ? v[i] : lo;
        hi = v[i] > hi ? v[i] : hi;
    }
    *min = lo;
    *max = hi;
}

static void cells(const Neighbors* nb, const float* x, const float* y, const float* z, int begin,
                  int end, int* restrict cell_of)
{
    const Neighbors grid = *nb; // a copy that no store can change
    int nx = grid.cells[0], ny = grid.cells[1];
    if (grid.dims == 2) {
        for (int i = begin; i < end; ++i)
            cell_of[i] =
                neighbor__cell_along(&grid, 1, y[i]) * nx + neighbor__cell_along(&grid, 0, x[i]);
    } else {
        for (int i = begin; i < end; ++i) {
            int row =
                neighbor__cell_along(&grid, 2, z[i]) * ny + neighbor__cell_along(&grid, 1, y[i]);
            cell_of[i] = row * nx + neighbor__cell_along(&grid, 0, x[i]);
        }
    }
}

// ---- Candidates --------------------------------------------------------------------------------------

enum { NEARBY = NEIGHBOR_MAX_LOOK + 8 * NEIGHBOR_MAX_RUNS };

typedef struct Nearby {
    _Alignas(64) float x[NEARBY + TARN_LANES]; // loads of eight that cross no cache line
    float y[NEARBY + TARN_LANES], z[NEARBY + TARN_LANES];
    int index[NEARBY + TARN_LANES]; // ascending
    int n;                          // the rest of the last vector is infinitely far away
} Nearby;

typedef struct Points {
    const float *x, *y, *z; // z: only in 3-D
    int dims;
} Points;

TARN_INLINE void add_run(Nearby* near, const Points* p, int begin, int end)
{
    int to = near->n;
    for (int i = begin; i < end; i += TARN_LANES, to += TARN_LANES) {
        f8_store(near->x + to, f8_load(p->x + i));
        f8_store(near->y + to, f8_load(p->y + i));
        if (p->dims == 3) f8_store(near->z + to, f8_load(p->z + i));
        i8_store(near->index + to, i + i8_lanes());
    }
    near->n += end - begin;
}

TARN_INLINE void end_runs(Nearby* near, const Points* p)
{
    f8_store(near->x + near->n, f8_set(INFINITY));
    f8_store(near->y + near->n, f8_set(0.0f));
    if (p->dims == 3) f8_store(near->z + near->n, f8_set(0.0f));
    i8_store(near->index + near->n, i8_set(-1));
}

// The box around the particles begin .. end - 1, in all lanes.
typedef struct Box {
    TarnF8 min[3], max[3];
} Box;

TARN_INLINE Box box_around(const Points* p, int begin, int end)
{
    const float* at[3] = { p->x, p->y, p->z };
    Box box;
    for (int a = 0; a < 3; ++a) {
        float lo = at[a][begin], hi = lo;
        for (int i = begin + 1; i < end; ++i) {
            lo = at[a][i] < lo ? at[a][i] : lo;
            hi = at[a][i] > hi ? at[a][i] : hi;
        }
        box.min[a] = f8_set(lo);
        box.max[a] = f8_set(hi);
    }
    return box;
}

// Rounding is monotone, and this has the operations of distance2 in their order: never more than the
// distance from any point of the box.
TARN_INLINE TarnF8 box_distance2(const Box* box, const TarnF8 at[3])
{
    TarnF8 d[3], none = f8_set(0.0f);
    for (int a = 0; a < 3; ++a)
        d[a] = f8_max(f8_max(at[a] - box->max[a], box->min[a] - at[a]), none);
    return (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2];
}

// What the particles of one cell share.
typedef struct Cell {
    NeighborRun runs[NEIGHBOR_MAX_RUNS];
    int n_runs, candidates;
} Cell;

#if defined(__AVX2__)
enum { HAS_FAST_COMPRESS = 1 };
#else
enum { HAS_FAST_COMPRESS = 0 };
#endif

// Of what lies around a cell, all that is near enough to the box of its particles begin .. end - 1. In 3-D
// that is about half and pays; in 2-D two thirds, and copying whole runs is faster. The lists are the same.
TARN_INLINE void gather_all(Nearby* near, const Points* p, const Cell* around, int begin, int end,
                            float support)
{
    near->n = 0;
    if (p->dims == 2 || !HAS_FAST_COMPRESS) {
        for (int r = 0; r < around->n_runs; ++r)
            add_run(near, p, around->runs[r].begin, around->runs[r].end);
        end_runs(near, p);
        return;
    }
    TarnF8 limit = f8_set(support * support);
    Box box = box_around(p, begin, end);
    int n = 0;
    for (int r = 0; r < around->n_runs; ++r) {
        int stop = around->runs[r].end;
        for (int i = around->runs[r].begin; i < stop; i += TARN_LANES) {
            TarnF8 at[3] = { f8_load(p->x + i), f8_load(p->y + i), f8_load(p->z + i) };
            unsigned bits = i8_mask_bits(f8_less(box_distance2(&box, at), limit));
            if (stop - i < TARN_LANES) bits &= (1u << (stop - i)) - 1u;
            f8_compress(near->x + n, at[0], bits);
            f8_compress(near->y + n, at[1], bits);
            f8_compress(near->z + n, at[2], bits);
            n += i8_compress(near->index + n, i + i8_lanes(), bits);
        }
    }
    near->n = n;
    end_runs(near, p);
}

// Too many: every run gives its share of `look`, at least eight. The one that self is in gives those
// around self, so that near ones in the order choose one another; others every so many.
static void gather_share(Nearby* near, const Points* p, const Cell* around, int look, int self)
{
    const NeighborRun* runs = around->runs;
    look = look < NEIGHBOR_MAX_LOOK ? look : NEIGHBOR_MAX_LOOK;
    near->n = 0;
    for (int r = 0; r < around->n_runs; ++r) {
        int begin = runs[r].begin, length = runs[r].end - begin;
        int share = (int)((int64_t)look * length / around->candidates);
        if (share < 8) share = length < 8 ? length : 8;
        if (self >= begin && self < begin + length) {
            int first = self - share / 2;
            if (first > begin + length - share) first = begin + length - share;
            if (first < begin) first = begin;
            add_run(near, p, first, first + share);
            continue;
        }
        for (int s = 0; s < share; ++s, ++near->n) {
            int i = begin + (int)((int64_t)s * length / share);
            near->x[near->n] = p->x[i];
            near->y[near->n] = p->y[i];
            if (p->dims == 3) near->z[near->n] = p->z[i];
            near->index[near->n] = i;
        }
    }
    end_runs(near, p);
}

// ---- Lists -------------------------------------------------------------------------------------------

typedef struct Center {
    TarnF8 x, y, z;
    TarnI8 self;
} Center;

TARN_INLINE Center center_of(const Points* p, int self)
{
    return (Center){ f8_set(p->x[self]), f8_set(p->y[self]),
                     f8_set(p->dims == 3 ? p->z[self] : 0.0f), i8_set(self) };
}

// The same operations for (i, j) and (j, i) but for a sign: either both are neighbors or none is.
TARN_INLINE TarnF8 distance2(const Nearby* near, int at, const Center* c, int dims)
{
    TarnF8 dx = f8_load(near->x + at) - c->x, dy = f8_load(near->y + at) - c->y;
    TarnF8 d2 = dx * dx + dy * dy;
    if (dims == 3) {
        TarnF8 dz = f8_load(near->z + at) - c->z;
        d2 = d2 + dz * dz;
    }
    return d2;
}

// Lists of `many` (1 or 2: the loads serve both) particles, each with so much room. Stores reach up to
// eight places beyond the hits so far: it stops when that might leave the room, and tells.
TARN_INLINE bool list_hits(const Nearby* near, const Center* c, int many, int dims, float support,
                           int room, int* list, int* count)
{
    TarnF8 limit = f8_set(support * support);
    int n[2] = { 0, 0 };
    for (int at = 0; at < near->n; at += TARN_LANES) {
        TarnI8 index = i8_load(near->index + at);
        for (int k = 0; k < many; ++k) {
            TarnI8 is_self = i8_equal(index, c[k].self);
            TarnI8 hit = ~is_self & f8_less(distance2(near, at, &c[k], dims), limit);
            n[k] += i8_compress(list + k * room + n[k], index, i8_mask_bits(hit));
        }
        if (n[0] > room - TARN_LANES || n[1] > room - TARN_LANES) return false;
    }
    for (int k = 0; k < many; ++k) count[k] = n[k];
    return true;
}

// How many of n (a multiple of 8) are below.
TARN_INLINE int count_below(const float* d2, int n, uint32_t bits)
{
    TarnF8 limit = f8_from_bits(i8_set((int32_t)bits));
    TarnI8 sum = i8_set(0);
    for (int at = 0; at < n; at += TARN_LANES) sum = sum - f8_less(f8_load(d2 + at), limit);
    int total = 0;
    for (int l = 0; l < TARN_LANES; ++l) total += sum[l];
    return total;
}

// Of more than slots neighbors the nearest, of equally near ones the first, in ascending order. out has room
// for slots + 8. Floats that are not negative are ordered as their bits, so the distance of the last one
// in is found by halving an interval of integers, and another pass collects what is nearer.
static int list_nearest(const Nearby* near, const Center* c, int dims, float support, int slots,
                        int* out)
{
    float d2[NEARBY + TARN_LANES], limit = support * support;
    int n = 0;
    for (; n < near->n; n += TARN_LANES) {
        TarnI8 is_self = i8_equal(i8_load(near->index + n), c->self);
        TarnF8 far = f8_set(INFINITY);
        f8_store(d2 + n, f8_select(is_self, far, distance2(near, n, c, dims)));
    }
    uint32_t lo = 0, hi; // at most slots are below lo, more are below hi
    memcpy(&hi, &limit, sizeof hi);
    int nearer = 0;
    while (hi - lo > 1 && nearer < slots) {
        uint32_t middle = lo + (hi - lo) / 2;
        int below = count_below(d2, n, middle);
        if (below <= slots)
            lo = middle, nearer = below;
        else
            hi = middle;
    }
    TarnF8 last = f8_from_bits(i8_set((int32_t)lo)), next = f8_from_bits(i8_set((int32_t)hi));
    int count = 0, ties = slots - nearer; // those at `last` itself
    for (int at = 0; at < n; at += TARN_LANES) {
        TarnF8 here = f8_load(d2 + at);
        unsigned bits = i8_mask_bits(f8_less(here, last));
        unsigned tied = ties > 0 ? i8_mask_bits(f8_less(here, next)) & ~bits : 0;
        for (; tied != 0 && ties > 0; tied &= tied - 1, --ties) bits |= tied & -tied;
        count += i8_compress(out + count, i8_load(near->index + at), bits);
    }
    return count;
}

TARN_INLINE int first_cell(const Neighbors* nb, int particle)
{
    int lo = 0, hi = nb->cells[0] * nb->cells[1] * nb->cells[2];
    while (hi - lo > 1) { // the particle is in the cells lo .. hi - 1
        int middle = lo + (hi - lo) / 2;
        if (nb->cell_begin[middle] <= particle)
            lo = middle;
        else
            hi = middle;
    }
    return lo;
}

TARN_INLINE bool is_at_seam(const Neighbors* nb, int axis, int cell)
{
    return nb->wraps[axis] && (cell == 0 || cell == nb->cells[axis] - 1);
}

TARN_INLINE void look_around(const Neighbors* nb, int cell, Cell* out)
{
    int nx = nb->cells[0], ny = nb->cells[1], nz = nb->cells[2];
    int row = cell / nx, z = nb->dims == 3 ? row / ny : 0;
    int x = cell - row * nx, y = row - z * ny;
    out->n_runs = out->candidates = 0;
    if (is_at_seam(nb, 0, x) || is_at_seam(nb, 1, y) || is_at_seam(nb, 2, z)) {
        const int at[3] = { x, y, z };
        out->n_runs = tarn__neighbors_runs_of_cell(nb, at, out->runs);
        for (int r = 0; r < out->n_runs; ++r)
            out->candidates += out->runs[r].end - out->runs[r].begin;
        return;
    }
    int first = x > 0 ? -1 : 0, end = x < nx - 1 ? 2 : 1;
    for (int k = z > 0 ? -1 : 0; k <= (z < nz - 1 ? 1 : 0); ++k) {
        for (int j = y > 0 ? -1 : 0; j <= (y < ny - 1 ? 1 : 0); ++j) {
            const int* begin = nb->cell_begin + cell + (k * ny + j) * nx;
            NeighborRun run = { begin[first], begin[end] };
            out->runs[out->n_runs] = run;
            out->n_runs += run.end > run.begin;
            out->candidates += run.end - run.begin;
        }
    }
}

// Lists with room for `slots` neighbors each, of particle `first` and those behind it.
typedef struct Lists {
    int* list;
    int first, slots;
} Lists;

TARN_INLINE int* list_of(const Lists* lists, int i)
{
    return lists->list + (size_t)(i - lists->first) * (size_t)lists->slots;
}

// For one whose list is nearly full or more than that. Returns 1 if there are more than slots.
static int find_crowded(const Neighbors* nb, const Lists* lists, const Nearby* near,
                        const Points* p, int i)
{
    int out[NEIGHBOR_MAX_SLOTS + TARN_LANES], count, slots = lists->slots;
    Center c = center_of(p, i);
    bool has_all = list_hits(near, &c, 1, p->dims, nb->support, slots + TARN_LANES, out, &count);
    if (!has_all) count = list_nearest(near, &c, p->dims, nb->support, slots, out);
    i8_store(out + count, i8_set(nb->n));
    memcpy(list_of(lists, i), out, (size_t)slots * sizeof(int));
    nb->count[i] = (uint8_t)count;
    return !has_all;
}

// Particles i .. i + many - 1, which have the same candidates. Returns how many of them had too many.
TARN_INLINE int find_some(const Neighbors* nb, const Lists* lists, const Nearby* near,
                          const Points* p, int i, int many)
{
    int slots = lists->slots, overflowed = 0, *list = list_of(lists, i);
    Center c[2];
    for (int k = 0; k < many; ++k) c[k] = center_of(p, i + k);
    int count[2];
    if (list_hits(near, c, many, p->dims, nb->support, slots, list, count)) {
        for (int k = 0; k < many; ++k) {
            i8_store(list + k * slots + count[k], i8_set(nb->n));
            nb->count[i + k] = (uint8_t)count[k];
        }
        return 0;
    }
    for (int k = 0; k < many; ++k) overflowed += find_crowded(nb, lists, near, p, i + k);
    return overflowed;
}

TARN_INLINE int find_in(const Neighbors* nb, Points p, const Lists* lists, int begin, int end,
                        int* total)
{
    Nearby near;
    Cell around;
    int overflowed = 0, cell = first_cell(nb, begin);
    for (int i = begin; i < end;) {
        while (nb->cell_begin[cell + 1] <= i) ++cell;
        look_around(nb, cell, &around);
        int stop = nb->cell_begin[cell + 1] < end ? nb->cell_begin[cell + 1] : end;
        if (around.candidates > NEIGHBOR_MAX_LOOK) {
            for (; i < stop; ++i, ++overflowed) {
                gather_share(&near, &p, &around, 8 * nb->slots, i);
                find_crowded(nb, lists, &near, &p, i);
            }
            continue;
        }
        gather_all(&near, &p, &around, i, stop, nb->support);
        for (; i + 2 <= stop; i += 2) overflowed += find_some(nb, lists, &near, &p, i, 2);
        if (i < stop) overflowed += find_some(nb, lists, &near, &p, i++, 1);
    }
    for (int i = begin; i < end; ++i) *total += nb->count[i];
    return overflowed;
}

TARN_INLINE int groups_of(const Neighbors* nb, int i)
{
    return (nb->count[i] + TARN_LANES - 1) / TARN_LANES;
}

// Lists are made in a buffer and packed from there, as their lengths are not known before.
TARN_INLINE int find_packed(const Neighbors* nb, NeighborPool* pool, Points p, int begin, int end,
                            int* total)
{
    enum { MANY = 256 };
    int buffer[MANY * NEIGHBOR_MAX_PACKED + TARN_LANES], overflowed = 0;
    for (int first = begin; first < end; first += MANY) {
        int stop = first + MANY < end ? first + MANY : end;
        Lists lists = { buffer, first, nb->slots };
        overflowed += find_in(nb, p, &lists, first, stop, total);
        int64_t size = 0;
        for (int i = first; i < stop; ++i) size += groups_of(nb, i) * TARN_LANES;
        int64_t at = atomic_fetch_add_explicit(&pool->used, size, memory_order_relaxed);
        if (at + size > (int64_t)nb->max_particles * nb->room) continue; // all is found once more
        for (int i = first; i < stop; ++i) {
            const int* from = list_of(&lists, i);
            nb->begin[i] = (int)at;
            for (int g = 0; g < groups_of(nb, i); ++g, at += TARN_LANES)
                i8_store(nb->list + at, i8_load(from + g * TARN_LANES));
        }
    }
    return overflowed;
}

TARN_INLINE int find_any(const Neighbors* nb, NeighborPool* pool, Points p, int begin, int end,
                         int* total)
{
    if (pool->is_shared) return find_packed(nb, pool, p, begin, end, total);
    Lists lists = { nb->list, 0, nb->room };
    for (int i = begin; nb->begin != NULL && i < end; ++i) nb->begin[i] = i * nb->room;
    return find_in(nb, p, &lists, begin, end, total);
}

static int find(const Neighbors* nb, NeighborPool* pool, const float* x, const float* y,
                const float* z, int begin, int end, int* total)
{
    if (nb->dims == 2) return find_any(nb, pool, (Points){ x, y, NULL, 2 }, begin, end, total);
    return find_any(nb, pool, (Points){ x, y, z, 3 }, begin, end, total);
}

const NeighborKernels TARN_KERNEL(tarn__neighbor_kernels) = { bounds, cells, find };
