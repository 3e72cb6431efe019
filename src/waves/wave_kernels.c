// The sweep of the wave equation, eight cells at a time.
//
// Leapfrog in place: the new height is written over the one before last, so a step reads u and prev
// and writes prev, 12 bytes per cell, and no cell reads what another writes. Sums are paired so that
// mirrored and transposed input gives mirrored and transposed output, bit for bit.

#include "base/kernels.h"
#include "waves/wave_inside.h"

// What flows between two cells of different speed: their mean coefficient, none through a wall.
TARN_INLINE TarnF8 face(TarnF8 here, TarnF8 there)
{
    TarnI8 is_open = (here > 0.0f) & (there > 0.0f);
    return f8_select(is_open, 0.5f * (here + there), f8_set(0.0f));
}

TARN_INLINE TarnF8 coefficient(const WaveSweep* s, const float* depth)
{
    TarnF8 d = f8_load(depth);
    TarnF8 wet = s->is_speed_from_depth ? d : f8_set(1.0f);
    return f8_select(d > 0.0f, wet, f8_set(0.0f));
}

TARN_INLINE TarnF8 flow(const WaveSweep* s, const float* u, const float* depth, ptrdiff_t offset,
                        TarnF8 here, TarnF8 k_here)
{
    return face(k_here, coefficient(s, depth + offset)) * (f8_load(u + offset) - here);
}

// Through a corner, with its two edge neighbors x and z. Along a straight wall, where the corner and
// the neighbor next to it are both wall, the mirror image of the other neighbor stands in, so that
// waves keep their speed there. No leak between walls that touch only with their corners.
TARN_INLINE TarnF8 corner(const WaveSweep* s, const float* u, const float* depth, ptrdiff_t x,
                          ptrdiff_t z, TarnF8 here, TarnF8 k_here)
{
    TarnF8 none = f8_set(0.0f);
    TarnI8 is_wall_x = coefficient(s, depth + x) <= 0.0f,
           is_wall_z = coefficient(s, depth + z) <= 0.0f;
    TarnI8 is_wall = coefficient(s, depth + x + z) <= 0.0f;
    TarnF8 across = f8_select(is_wall_x & is_wall_z, none, flow(s, u, depth, x + z, here, k_here));
    TarnF8 by_x = f8_select(is_wall & is_wall_z, flow(s, u, depth, x, here, k_here), none);
    TarnF8 by_z = f8_select(is_wall & is_wall_x, flow(s, u, depth, z, here, k_here), none);
    return across + (by_x + by_z);
}

// div(c^2 grad u) times dx^2 / c^2, or the depth in place of c^2; for nine points times 6.
TARN_INLINE TarnF8 laplacian_bed(const WaveSweep* s, const float* u, const float* depth,
                                 TarnF8 here, bool is_nine)
{
    ptrdiff_t up = s->stride;
    TarnF8 k = coefficient(s, depth);
    TarnF8 edges = (flow(s, u, depth, -1, here, k) + flow(s, u, depth, 1, here, k)) +
                   (flow(s, u, depth, -up, here, k) + flow(s, u, depth, up, here, k));
    if (!is_nine) return edges;
    TarnF8 corners = (corner(s, u, depth, -1, -up, here, k) + corner(s, u, depth, 1, up, here, k)) +
                     (corner(s, u, depth, 1, -up, here, k) + corner(s, u, depth, -1, up, here, k));
    return 4.0f * edges + corners;
}

TARN_INLINE TarnF8 laplacian_plain(const WaveSweep* s, const float* u, TarnF8 here, bool is_nine)
{
    ptrdiff_t up = s->stride;
    TarnF8 edges = (f8_load(u - 1) + f8_load(u + 1)) + (f8_load(u - up) + f8_load(u + up));
    if (!is_nine) return edges - 4.0f * here;
    TarnF8 corners =
        (f8_load(u - up - 1) + f8_load(u + up + 1)) + (f8_load(u - up + 1) + f8_load(u + up - 1));
    return (4.0f * edges + corners) - 20.0f * here;
}

// New heights of cells i to i + 7 of row k.
TARN_INLINE TarnF8 next_at(const WaveSweep* s, int i, int k, WaveTileKind kind, bool is_nine)
{
    size_t c = (size_t)k * (size_t)s->stride + (size_t)i;
    const float* u = s->u + c;
    TarnF8 here = f8_load(u);
    TarnF8 lap = kind == WAVE_TILE_BED ? laplacian_bed(s, u, s->depth + c, here, is_nine)
                                       : laplacian_plain(s, u, here, is_nine);
    TarnF8 sponge = f8_set(1.0f);
    if (kind != WAVE_TILE_PLAIN) {
        TarnF8 pull = (f8_load(s->pull_x + i) + s->pull_z[k]) * here;
        lap -= kind == WAVE_TILE_BED ? coefficient(s, s->depth + c) * pull : pull;
        sponge = f8_load(s->sponge_x + i) * s->sponge_z[k];
    }
    TarnF8 change = s->keep * (here - f8_load(s->prev + c)) + s->gain * lap;
    return here + (kind == WAVE_TILE_PLAIN ? change : sponge * change);
}

TARN_INLINE void store_at(const WaveSweep* s, int i, int k, TarnF8 next)
{
    f8_store(s->prev + (size_t)k * (size_t)s->stride + (size_t)i, next);
}

// The last cells of a row that do not fill a vector. Rows are padded, so reading on is fine.
TARN_INLINE void sweep_tail(const WaveSweep* s, int i, int i1, int k, WaveTileKind kind,
                            bool is_nine)
{
    TarnF8 next = next_at(s, i, k, kind, is_nine);
    float* prev = s->prev + (size_t)k * (size_t)s->stride;
    for (int l = 0; i + l < i1; ++l) prev[i + l] = next[l];
}

// Four rows at a time: each row of u is fetched into the first-level cache 1.5 times instead of 3,
// and memory has more streams to work on (measured: 2.5 against 1.0 billion cells/s at 4096^2).
TARN_INLINE void sweep_kind(const WaveSweep* s, int i0, int i1, int k0, int k1, WaveTileKind kind,
                            bool is_nine)
{
    enum { ROWS = 4 };
    int k = k0;
    for (; k + ROWS <= k1; k += ROWS) {
        int i = i0;
        for (; i + TARN_LANES <= i1; i += TARN_LANES) {
            for (int r = 0; r < ROWS; ++r)
                store_at(s, i, k + r, next_at(s, i, k + r, kind, is_nine));
        }
        for (int r = 0; i < i1 && r < ROWS; ++r) sweep_tail(s, i, i1, k + r, kind, is_nine);
    }
    for (; k < k1; ++k) {
        int i = i0;
        for (; i + TARN_LANES <= i1; i += TARN_LANES)
            store_at(s, i, k, next_at(s, i, k, kind, is_nine));
        if (i < i1) sweep_tail(s, i, i1, k, kind, is_nine);
    }
}

static void sweep(const WaveSweep* s, WaveTileKind kind, int i0, int i1, int k0, int k1)
{
    switch (kind + (s->is_nine ? 3 : 0)) { // one specialised loop each
    case 0:
        sweep_kind(s, i0, i1, k0, k1, WAVE_TILE_PLAIN, false);
        break;
    case 1:
        sweep_kind(s, i0, i1, k0, k1, WAVE_TILE_SPONGE, false);
        break;
    case 2:
        sweep_kind(s, i0, i1, k0, k1, WAVE_TILE_BED, false);
        break;
    case 3:
        sweep_kind(s, i0, i1, k0, k1, WAVE_TILE_PLAIN, true);
        break;
    case 4:
        sweep_kind(s, i0, i1, k0, k1, WAVE_TILE_SPONGE, true);
        break;
    default:
        sweep_kind(s, i0, i1, k0, k1, WAVE_TILE_BED, true);
        break;
    }
}

static float largest_change(const float* a, const float* b, int stride, int n, int rows)
{
    TarnF8 peak = f8_set(0.0f);
    float rest = 0.0f;
    for (int k = 0; k < rows; ++k, a += stride, b += stride) {
        int i = 0;
        for (; i + TARN_LANES <= n; i += TARN_LANES) {
            peak = f8_max(f8_abs(f8_load(a + i) - f8_load(b + i)), peak);
        }
        for (; i < n; ++i) {
            float change = a[i] > b[i] ? a[i] - b[i] : b[i] - a[i];
            rest = change > rest ? change : rest;
        }
    }
    float high = f8_max_lane(peak);
    return high > rest ? high : rest;
}

static double sum_rows(const float* a, int stride, int n, int rows)
{
    double sum = 0.0;
    for (int k = 0; k < rows; ++k, a += stride) {
        TarnD8 lanes = { 0.0 };
        int i = 0;
        for (; i + TARN_LANES <= n; i += TARN_LANES) lanes += f8_to_d8(f8_load(a + i));
        sum += d8_sum(lanes);
        for (; i < n; ++i) sum += (double)a[i];
    }
    return sum;
}

static void sums(const float* a, const float* b, int stride, int n, int rows, double* sum_a,
                 double* sum_b)
{
    *sum_a = sum_rows(a, stride, n, rows);
    *sum_b = sum_rows(b, stride, n, rows);
}

const WaveKernels TARN_KERNEL(tarn__wave_kernels) = { sweep, largest_change, sums };
