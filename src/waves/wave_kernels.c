// The sweep of the wave equation, eight cells at a time.
//
// Leapfrog in place: the new height is written over the one before last, so a step reads u and prev
// and writes prev, 12 bytes per cell, and no cell reads what another writes. Sums are paired so that mirrored
// input gives mirrored output, bit for bit; with five points transposed input too.

#include "base/kernels.h"
#include "grid/query8.h"
#include "waves/wave_internal.h"

// What flows between two cells of different speed: their mean coefficient, none through a wall.
TARN_INLINE TarnF8 face(TarnF8 here, TarnF8 there)
{
    TarnF8 none = f8_set(0.0f);
    TarnI8 is_open = f8_less(none, here) & f8_less(none, there);
    return f8_select(is_open, 0.5f * (here + there), none);
}

TARN_INLINE TarnF8 coefficient(const WaveSweep* s, const float* depth)
{
    TarnF8 d = f8_load(depth);
    TarnF8 wet = s->is_speed_from_depth ? d : f8_set(1.0f);
    TarnF8 none = f8_set(0.0f);
    return f8_select(f8_less(none, d), wet, none);
}

// From one neighbor. pull: what the sponge takes from it, 0 without one.
TARN_INLINE TarnF8 flow(const WaveSweep* s, const float* u, const float* depth, ptrdiff_t offset,
                        TarnF8 here, TarnF8 pull, TarnF8 k_here)
{
    TarnF8 rise = (f8_load(u + offset) - here) - pull;
    return face(k_here, coefficient(s, depth + offset)) * rise;
}

// Through a corner, with its two edge neighbors x and z. Along a straight wall, where the corner and
// the neighbor next to it are both wall, the mirror image of the other neighbor stands in, so that
// waves keep their speed there. No leak between walls that touch only with their corners.
TARN_INLINE TarnF8 corner(const WaveSweep* s, const float* u, const float* depth, ptrdiff_t x,
                          ptrdiff_t z, TarnF8 here, TarnF8 pull_x, TarnF8 pull_z, TarnF8 pull,
                          TarnF8 k_here)
{
    TarnF8 none = f8_set(0.0f);
    TarnI8 is_wall_x = ~f8_less(none, coefficient(s, depth + x));
    TarnI8 is_wall_z = ~f8_less(none, coefficient(s, depth + z));
    TarnI8 is_wall = ~f8_less(none, coefficient(s, depth + x + z));
    TarnF8 across =
        f8_select(is_wall_x & is_wall_z, none, flow(s, u, depth, x + z, here, pull, k_here));
    TarnF8 by_x = f8_select(is_wall & is_wall_z, flow(s, u, depth, x, here, pull_x, k_here), none);
    TarnF8 by_z = f8_select(is_wall & is_wall_x, flow(s, u, depth, z, here, pull_z, k_here), none);
    return across + (by_x + by_z);
}

// What the sponge takes, neighbor by neighbor: the profile there against the one here, times the
// height here. A wall takes nothing, so the profile stays at rest in a basin of any shape.
typedef struct Pulls {
    TarnF8 w, e, s, n, sw, se, nw, ne;
} Pulls;

TARN_INLINE Pulls pulls_at(const WaveSweep* s, int i, int k, TarnF8 here)
{
    TarnF8 w = f8_load(s->pull_west + i), e = f8_load(s->pull_east + i);
    TarnF8 so = f8_set(s->pull_south[k]), n = f8_set(s->pull_north[k]);
    return (Pulls){ w * here,
                    e * here,
                    so * here,
                    n * here,
                    ((w + so) + w * so) * here, // (1 + w) (1 + s) - 1
                    ((e + so) + e * so) * here,
                    ((w + n) + w * n) * here,
                    ((e + n) + e * n) * here };
}

// div(c^2 grad u) times dx^2 / c^2, or the depth in place of c^2; for nine points times 6.
TARN_INLINE TarnF8 laplacian_bed(const WaveSweep* s, const float* u, const float* depth,
                                 TarnF8 here, Pulls p, bool is_nine)
{
    ptrdiff_t up = s->stride;
    TarnF8 k = coefficient(s, depth);
    TarnF8 edges = (flow(s, u, depth, -1, here, p.w, k) + flow(s, u, depth, 1, here, p.e, k)) +
                   (flow(s, u, depth, -up, here, p.s, k) + flow(s, u, depth, up, here, p.n, k));
    if (!is_nine) return edges;
    TarnF8 corners = (corner(s, u, depth, -1, -up, here, p.w, p.s, p.sw, k) +
                      corner(s, u, depth, 1, up, here, p.e, p.n, p.ne, k)) +
                     (corner(s, u, depth, 1, -up, here, p.e, p.s, p.se, k) +
                      corner(s, u, depth, -1, up, here, p.w, p.n, p.nw, k));
    return 4.0f * edges + corners;
}

// The same for constant speed, from the row itself and the ones below and above: their values and
// the sums of the left and right neighbor of each. Rows share these sums.
TARN_INLINE TarnF8 laplacian_plain(TarnF8 here, TarnF8 below, TarnF8 above, TarnF8 sides,
                                   TarnF8 sides_below, TarnF8 sides_above, bool is_nine)
{
    TarnF8 edges = sides + (below + above);
    if (!is_nine) return edges - 4.0f * here;
    return (4.0f * edges + (sides_below + sides_above)) - 20.0f * here;
}

TARN_INLINE TarnF8 next_height(const WaveSweep* s, int i, int k, TarnF8 here, TarnF8 lap,
                               WaveTileKind kind)
{
    size_t c = (size_t)k * (size_t)s->stride + (size_t)i;
    TarnF8 sponge = f8_set(1.0f);
    bool has_sponge = kind == WAVE_TILE_SPONGE || kind == WAVE_TILE_BED_SPONGE;
    if (has_sponge) sponge = f8_load(s->sponge_x + i) * s->sponge_z[k];
    if (kind == WAVE_TILE_SPONGE) lap -= (f8_load(s->pull_x + i) + s->pull_z[k]) * here;
    TarnF8 change = s->keep * (here - f8_load(s->prev + c)) + s->gain * lap;
    return here + (has_sponge ? sponge * change : change);
}

// Cells i to i + 7 of some rows from k on. Four rows at a time: each row of u then comes into the
// first-level cache 1.5 times instead of 3, which is what bounds large grids. Of
// 1, 2, 4 and 8 rows four were the fastest at 4096^2.
enum { ROWS = 4 };

TARN_INLINE void next_rows(const WaveSweep* s, int i, int k, int rows, WaveTileKind kind,
                           bool is_nine, TarnF8 next[ROWS])
{
    ptrdiff_t up = s->stride;
    const float* u = s->u + (size_t)k * (size_t)s->stride + (size_t)i;
    if (kind == WAVE_TILE_BED || kind == WAVE_TILE_BED_SPONGE) {
        const float* depth = s->depth + (size_t)k * (size_t)s->stride + (size_t)i;
        for (int r = 0; r < rows; ++r) {
            TarnF8 here = f8_load(u + r * up);
            Pulls pulls = { 0 };
            if (kind == WAVE_TILE_BED_SPONGE) pulls = pulls_at(s, i, k + r, here);
            TarnF8 lap = laplacian_bed(s, u + r * up, depth + r * up, here, pulls, is_nine);
            next[r] = next_height(s, i, k + r, here, lap, kind);
        }
        return;
    }
    TarnF8 row[ROWS + 2], sides[ROWS + 2]; // from the row below to the one above
    for (int r = 0; r < rows + 2; ++r) {
        const float* p = u + (r - 1) * up;
        row[r] = f8_load(p);
        sides[r] = is_nine || (r > 0 && r <= rows) ? f8_load(p - 1) + f8_load(p + 1) : row[r];
    }
    for (int r = 0; r < rows; ++r) {
        TarnF8 lap = laplacian_plain(row[r + 1], row[r], row[r + 2], sides[r + 1], sides[r],
                                     sides[r + 2], is_nine);
        next[r] = next_height(s, i, k + r, row[r + 1], lap, kind);
    }
}

TARN_INLINE void sweep_rows(const WaveSweep* s, int i0, int i1, int k, int rows, WaveTileKind kind,
                            bool is_nine)
{
    float* prev = s->prev + (size_t)k * (size_t)s->stride;
    TarnF8 next[ROWS];
    int i = i0;
    for (; i + TARN_LANES <= i1; i += TARN_LANES) {
        next_rows(s, i, k, rows, kind, is_nine, next);
        for (int r = 0; r < rows; ++r) f8_store(prev + (ptrdiff_t)r * s->stride + i, next[r]);
    }
    if (i == i1) return;
    next_rows(s, i, k, rows, kind, is_nine,
              next); // the rest: rows are padded, so reading on is fine
    for (int r = 0; r < rows; ++r) {
        for (int l = 0; i + l < i1; ++l) prev[(ptrdiff_t)r * s->stride + i + l] = next[r][l];
    }
}

TARN_INLINE void sweep_kind(const WaveSweep* s, int i0, int i1, int k0, int k1, WaveTileKind kind,
                            bool is_nine)
{
    int k = k0;
    for (; k + ROWS <= k1; k += ROWS) sweep_rows(s, i0, i1, k, ROWS, kind, is_nine);
    for (; k < k1; ++k) sweep_rows(s, i0, i1, k, 1, kind, is_nine);
}

static void sweep(const WaveSweep* sweep, WaveTileKind kind, int i0, int i1, int k0, int k1)
{
    const WaveSweep copy = *sweep; // ours alone: no store can change it, it stays in registers
    const WaveSweep* s = &copy;
    switch (kind + (s->is_nine ? 4 : 0)) { // one specialised loop each
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
        sweep_kind(s, i0, i1, k0, k1, WAVE_TILE_BED_SPONGE, false);
        break;
    case 4:
        sweep_kind(s, i0, i1, k0, k1, WAVE_TILE_PLAIN, true);
        break;
    case 5:
        sweep_kind(s, i0, i1, k0, k1, WAVE_TILE_SPONGE, true);
        break;
    case 6:
        sweep_kind(s, i0, i1, k0, k1, WAVE_TILE_BED, true);
        break;
    default:
        sweep_kind(s, i0, i1, k0, k1, WAVE_TILE_BED_SPONGE, true);
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
        TarnD4 low = { 0.0 }, high = { 0.0 };
        int i = 0;
        for (; i + TARN_LANES <= n; i += TARN_LANES) {
            low += d4_load(a + i);
            high += d4_load(a + i + 4);
        }
        sum += d4_sum(low) + d4_sum(high);
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

// ---- Surface queries, eight points at a time ---------------------------------------------------

// Cell below each point and the way from its center to the next ones, 0 to 1.
typedef struct Place {
    TarnI8 cell;
    TarnF8 s, t;
} Place;

TARN_INLINE Place locate(const WaveQuery* q, TarnF8 x, TarnF8 z)
{
    TarnF8 fx = to_range((x - q->x0) * q->per_cell - 0.5f, (float)q->last_x, q->wrap_x);
    TarnF8 fz = to_range((z - q->z0) * q->per_cell - 0.5f, (float)q->last_z, q->wrap_z);
    // The last center belongs to the square before it.
    TarnF8 most_x = f8_set((float)(q->last_x - 1)), most_z = f8_set((float)(q->last_z - 1));
    TarnI8 i = __builtin_convertvector(f8_min(fx, most_x), TarnI8);
    TarnI8 k = __builtin_convertvector(f8_min(fz, most_z), TarnI8);
    return (Place){ i + k * q->stride, fx - __builtin_convertvector(i, TarnF8),
                    fz - __builtin_convertvector(k, TarnF8) };
}

// On the triangle with the right angle at (0, 0), or at (1, 1) if the point is beyond the diagonal.
TARN_INLINE TarnF8 on_triangle(TarnF8 f00, TarnF8 f10, TarnF8 f01, TarnF8 f11, TarnF8 s, TarnF8 t)
{
    TarnI8 is_far = f8_less(f8_set(1.0f), s + t);
    TarnF8 corner = f8_select(is_far, f11, f00);
    TarnF8 along_x = f8_select(is_far, 1.0f - t, s), along_z = f8_select(is_far, 1.0f - s, t);
    return corner + along_x * (f10 - corner) + along_z * (f01 - corner);
}

TARN_INLINE TarnF8 sample(const WaveQuery* q, const float* field, const Place* at)
{
    return on_triangle(gather(field, at->cell), gather(field + 1, at->cell),
                       gather(field + q->stride, at->cell), gather(field + q->stride + 1, at->cell),
                       at->s, at->t);
}

TARN_INLINE TarnF8 blend(TarnF8 f00, TarnF8 f10, TarnF8 f01, TarnF8 f11, TarnF8 s, TarnF8 t)
{
    TarnF8 low = f00 + s * (f10 - f00), high = f01 + s * (f11 - f01);
    return low + t * (high - low);
}

TARN_INLINE void query_normals(const WaveQuery* q, const Place* at, int n, TarnVec3* out)
{
    ptrdiff_t up = q->stride;
    const float* u = q->u;
    TarnI8 c = at->cell;
    TarnF8 f00 = gather(u, c), f10 = gather(u + 1, c);
    TarnF8 f01 = gather(u + up, c), f11 = gather(u + up + 1, c);
    TarnF8 gx = blend(f10 - gather(u - 1, c), gather(u + 2, c) - f00, f11 - gather(u + up - 1, c),
                      gather(u + up + 2, c) - f01, at->s, at->t);
    TarnF8 gz = blend(f01 - gather(u - up, c), f11 - gather(u - up + 1, c),
                      gather(u + 2 * up, c) - f00, gather(u + 2 * up + 1, c) - f10, at->s, at->t);
    gx *= q->slope;
    gz *= q->slope;
    TarnF8 scale = 1.0f / f8_sqrt(gx * gx + gz * gz + 1.0f);
    TarnF8 nx = -gx * scale, nz = -gz * scale;
    for (int l = 0; l < n; ++l) out[l] = (TarnVec3){ nx[l], scale[l], nz[l] };
}

// The first n of eight points.
TARN_INLINE void query_eight(const WaveQuery* q, int n, TarnF8 x, TarnF8 z, int p,
                             const TarnSurfaceSamples* out)
{
    Place at = locate(q, x, z);
    TarnF8 height = sample(q, q->u, &at);
    if (out->height) {
        TarnF8 y = q->level + height;
        for (int l = 0; l < n; ++l) out->height[p + l] = y[l];
    }
    if (out->normal) query_normals(q, &at, n, out->normal + p);
    if (out->velocity) {
        TarnF8 rise = (height - sample(q, q->prev, &at)) * q->per_dt;
        for (int l = 0; l < n; ++l) out->velocity[p + l] = (TarnVec3){ 0.0f, rise[l], 0.0f };
    }
    if (out->depth) {
        TarnF8 bed = q->depth ? sample(q, q->depth, &at) : f8_set(q->flat_depth);
        TarnF8 depth = f8_max(bed + q->lift + height, f8_set(0.0f));
        for (int l = 0; l < n; ++l) out->depth[p + l] = depth[l];
    }
}

static void query(const WaveQuery* q, int n, const float* x, const float* z,
                  const TarnSurfaceSamples* out)
{
    int p = 0;
    for (; p + TARN_LANES <= n; p += TARN_LANES) {
        query_eight(q, TARN_LANES, f8_load(x + p), f8_load(z + p), p, out);
    }
    if (p == n) return;
    TarnF8 last_x = f8_set(0.0f), last_z = last_x;
    for (int l = 0; p + l < n; ++l) last_x[l] = x[p + l], last_z[l] = z[p + l];
    query_eight(q, n - p, last_x, last_z, p, out);
}

const WaveKernels TARN_KERNEL(tarn__wave_kernels) = { sweep, largest_change, sums, query };
