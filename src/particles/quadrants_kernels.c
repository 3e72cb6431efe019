// Sprinkle's neighbor search: the lists.
//
// The candidates of a quadrant are the nine quadrants around and including it, in five runs; they are
// brought together as 16-bit places from the middle of the quadrant's own cell and tested sixteen at a
// time, 64 to a word of hits. Exact distances are then taken one by one: about every third comes so far.

#include "base/kernels.h"
#include "particles/quadrants_kernels.h"

enum { SIXTEEN = 16, WORD = 64, LOOK = NEIGHBOR_MAX_LOOK, ROOM = LOOK + 2 * WORD };

typedef int8_t B16 __attribute__((vector_size(16)));
typedef int16_t S16 __attribute__((vector_size(32)));

typedef struct Near8 {
    _Alignas(64) int16_t x[ROOM];
    int16_t y[ROOM];
    int index[ROOM];
    int n;
} Near8;

// As cell_along in neighbors.c, without wrapping, and the place within.
TARN_INLINE int quadrant_along(const Neighbors* nb, int axis, float at, int* step)
{
    double v = ((double)at - (double)nb->origin[axis]) * nb->cells_per_m;
    double last = nb->cells[axis] - 1;
    v = v > 0.0 ? v : 0.0;
    int c = (int)(v < last ? v : last);
    *step = (int)((v - (double)c) * 128.0);
    return c;
}

// Quadrant and place (two signed bytes, x in the lower) of each particle of a grid that does not wrap.
static void keys(const Quadrants* q, const float* x, const float* y, int n, int* restrict key_of,
                 uint16_t* restrict place)
{
    const Neighbors grid = q->nb;
    int cells_x = q->cells_x;
    for (int i = 0; i < n; ++i) {
        int sx, sy, cx = quadrant_along(&grid, 0, x[i], &sx),
                    cy = quadrant_along(&grid, 1, y[i], &sy);
        key_of[i] = 4 * ((cy >> 1) * cells_x + (cx >> 1)) + 2 * (cy & 1) + (cx & 1);
        sx = (sx < 127 ? sx : 127) - 128 * (1 - (cx & 1));
        sy = (sy < 127 ? sy : 127) - 128 * (1 - (cy & 1));
        place[i] = (uint16_t)((sx & 255) | (sy & 255) << 8);
    }
}

static void add_run(Near8* near, const Quadrants* q, int begin, int end, int shift_x, int shift_y)
{
    int to = near->n;
    for (int i = begin; i < end; i += SIXTEEN, to += SIXTEEN) {
        B16 bx, by;
        memcpy(&bx, q->x8 + i, sizeof bx);
        memcpy(&by, q->y8 + i, sizeof by);
        S16 x = __builtin_convertvector(bx, S16) + (int16_t)(256 * shift_x);
        S16 y = __builtin_convertvector(by, S16) + (int16_t)(256 * shift_y);
        memcpy(near->x + to, &x, sizeof x);
        memcpy(near->y + to, &y, sizeof y);
        i8_store(near->index + to, i + i8_lanes());
        i8_store(near->index + to + TARN_LANES, i + TARN_LANES + i8_lanes());
    }
    near->n += end - begin;
}

// The neighboring cell, or -1.
static int beside(const Neighbors* nb, int axis, int cell, int step)
{
    int cells = (nb->cells[axis] + 1) / 2, at = cell + step;
    if (nb->wraps[axis]) at = at < 0 ? at + cells : at >= cells ? at - cells : at;
    return at >= 0 && at < cells ? at : -1;
}

typedef struct QuadrantRun {
    int begin, end, shift_x, shift_y;
} QuadrantRun;

// The quadrants first .. last of the cell that is (sx, sy) away.
static void around(const Quadrants* q, int cx, int cy, int sx, int sy, int first, int last,
                   QuadrantRun* runs, int* n)
{
    int x = beside(&q->nb, 0, cx, sx), y = beside(&q->nb, 1, cy, sy);
    if (x < 0 || y < 0) return;
    const int* begin = q->quadrant_begin + 4 * (y * q->cells_x + x);
    if (begin[first] == begin[last + 1]) return;
    runs[(*n)++] = (QuadrantRun){ begin[first], begin[last + 1], sx, sy };
}

static void gather(Near8* near, const Quadrants* q, int quadrant)
{
    int cell = quadrant >> 2, cy = cell / q->cells_x, cx = cell - cy * q->cells_x, n = 0, total = 0;
    int sx = quadrant & 1 ? 1 : -1, sy = quadrant & 2 ? 1 : -1;
    int facing_x = sx > 0 ? 0 : 1, facing_y = sy > 0 ? 0 : 2; // of the cells there
    QuadrantRun runs[5];
    around(q, cx, cy, 0, 0, 0, 3, runs, &n);
    around(q, cx, cy, sx, 0, facing_x, facing_x, runs, &n);
    around(q, cx, cy, sx, 0, facing_x + 2, facing_x + 2, runs, &n);
    around(q, cx, cy, 0, sy, facing_y, facing_y + 1, runs, &n);
    around(q, cx, cy, sx, sy, facing_x + facing_y, facing_x + facing_y, runs, &n);
    for (int r = 0; r < n; ++r) total += runs[r].end - runs[r].begin;
    near->n = 0;
    for (int r = 0; r < n; ++r) {
        int end = runs[r].end, length = end - runs[r].begin;
        if (total > LOOK) { // a heap: each run gives the first of its share
            int share = 1 + (int)((int64_t)length * LOOK / total);
            end = runs[r].begin + (share < length ? share : length);
        }
        add_run(near, q, runs[r].begin, end, runs[r].shift_x, runs[r].shift_y);
    }
}

// All ones where a candidate is perhaps near. Places are rounded down, so a distance along an axis is off by
// less than one; halved, squares fit in 16 bits. -1, for a distance of 0, squares to 1: hence the 2.
TARN_INLINE S16 may_be_near(const Near8* near, int at, int16_t x, int16_t y)
{
    S16 dx, dy;
    memcpy(&dx, near->x + at, sizeof dx);
    memcpy(&dy, near->y + at, sizeof dy);
    dx = dx - x, dy = dy - y;
    dx = ((dx ^ (dx >> 15)) - (dx >> 15) - 1) >> 1;
    dy = ((dy ^ (dy >> 15)) - (dy >> 15) - 1) >> 1;
    return dx * dx + dy * dy < (S16){ 0 } + (64 * 64 + 2);
}

// The lanes of two as bits.
TARN_INLINE uint32_t bits_of(S16 a, S16 b)
{
#if defined(__AVX2__)
    typedef char C32 __attribute__((vector_size(32)));
    C32 packed = (C32)__builtin_ia32_packsswb256(a, b); // halves of a and b alternate
    uint32_t m = (uint32_t)__builtin_ia32_pmovmskb256(packed);
    return (m & 0xff0000ffu) | (m >> 8 & 0xff00u) | (m & 0xff00u) << 8;
#else
    uint32_t bits = 0;
    for (int l = 0; l < SIXTEEN; ++l)
        bits |= (uint32_t)(a[l] & 1) << l | (uint32_t)(b[l] & 1) << (l + SIXTEEN);
    return bits;
#endif
}

// Returns the number of hits; hits has room for all candidates.
TARN_INLINE int list_hits(const Quadrants* q, const Near8* near, const float* x, const float* y,
                          int i, int* hits)
{
    float limit = q->nb.support * q->nb.support, xi = x[i], yi = y[i];
    int16_t x8 = q->x8[i], y8 = q->y8[i];
    int count = 0;
    for (int at = 0; at < near->n; at += WORD) {
        uint64_t bits = bits_of(may_be_near(near, at, x8, y8), may_be_near(near, at + 16, x8, y8));
        if (near->n - at > WORD / 2)
            bits |= (uint64_t)bits_of(may_be_near(near, at + 32, x8, y8),
                                      may_be_near(near, at + 48, x8, y8))
                    << 32;
        if (near->n - at < WORD) bits &= ((uint64_t)1 << (near->n - at)) - 1;
        for (; bits != 0; bits &= bits - 1) {
            int j = near->index[at + __builtin_ctzll(bits)];
            float dx = x[j] - xi, dy = y[j] - yi;
            hits[count] = j; // written over by the next if it is none: no branch to be mispredicted
            count += (dx * dx + dy * dy < limit) & (j != i);
        }
    }
    return count;
}

// Keeps the `keep` smallest of n different keys, in any order. n >= keep >= 1.
static void keep_smallest(uint64_t* keys, int n, int keep)
{
    int lo = 0, hi = n - 1; // Hoare's selection; the keys at lo .. hi are not yet parted
    while (lo < hi) {
        uint64_t a = keys[lo], b = keys[lo + (hi - lo) / 2], c = keys[hi];
        uint64_t low = a < b ? a : b, high = a < b ? b : a;
        uint64_t pivot = c < low ? low : c > high ? high : c;
        int i = lo, j = hi;
        while (i <= j) {
            while (keys[i] < pivot) ++i;
            while (keys[j] > pivot) --j;
            if (i > j) break;
            uint64_t swap = keys[i];
            keys[i++] = keys[j];
            keys[j--] = swap;
        }
        if (keep - 1 <= j)
            hi = j;
        else if (keep - 1 >= i)
            lo = i;
        else
            return;
    }
}

// The nearest, of equally near ones the first.
static void keep_nearest(const float* x, const float* y, int i, int* hits, int count, int slots)
{
    uint64_t keys[ROOM];
    for (int k = 0; k < count; ++k) {
        float dx = x[hits[k]] - x[i], dy = y[hits[k]] - y[i], d2 = dx * dx + dy * dy;
        uint32_t distance;
        memcpy(&distance, &d2, sizeof distance);
        keys[k] = (uint64_t)distance << 32 | (uint32_t)hits[k];
    }
    keep_smallest(keys, count, slots);
    for (int k = 0; k < slots; ++k) hits[k] = (int)(uint32_t)keys[k];
}

// Returns 1 if there were too many.
TARN_INLINE int find_one(const Quadrants* q, const Near8* near, const float* x, const float* y,
                         int i)
{
    int hits[ROOM], slots = q->nb.slots, count = list_hits(q, near, x, y, i, hits);
    bool has_more = count > slots;
    if (has_more) {
        keep_nearest(x, y, i, hits, count, slots);
        count = slots;
    }
    i8_store(hits + count, i8_set(q->nb.n));
    size_t padded = ((size_t)count + TARN_LANES - 1) / TARN_LANES * TARN_LANES;
    memcpy(q->nb.list + (size_t)i * (size_t)slots, hits, padded * sizeof(int));
    q->nb.count[i] = (uint8_t)count;
    return has_more;
}

static int find(const Quadrants* q, const float* x, const float* y, int begin, int end, int* total)
{
    Near8 near;
    int overflowed = 0;
    for (int c = begin; c < end; ++c) {
        if (q->quadrant_begin[c] == q->quadrant_begin[c + 1]) continue;
        gather(&near, q, c);
        for (int i = q->quadrant_begin[c]; i < q->quadrant_begin[c + 1]; ++i) {
            overflowed += find_one(q, &near, x, y, i);
            *total += q->nb.count[i];
        }
    }
    return overflowed;
}

const QuadrantKernels TARN_KERNEL(tarn__quadrant_kernels) = { keys, find };
