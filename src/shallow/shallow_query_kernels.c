// The surface that is drawn, and queries of it, eight cells or points at a time.
//
// Method   phi = drawn surface - floor, per cell. In water phi is the depth. On land the surface of
//          the wet neighbors is carried on into the ground [Chentanez2010], so that the linear phi
//          between the cells is zero where the water meets the ground, not halfway between cells.
// Differs  Neighbors vote by depth, so that films have little to say; the surface goes on with its slope,
//          not flat; and phi never jumps: a cell that gets wet, a film that dries, and a front that
//          runs onto dry land all change it continuously. That is what keeps shores from flickering.
// Checked  tests/unit/test_shallow_shore.c
//
// Sums are paired so that mirrored or transposed water is drawn mirrored or transposed, bit for bit.

#include "base/kernels.h"
#include "grid/query8.h"
#include "shallow/shallow_draw.h"

// ---- The drawn surface ---------------------------------------------------------------------------

// Eight cells and how to reach their neighbors: a run within a row, or any eight, neighbors beyond an
// edge then being the last ones before it, or those of the opposite edge.
typedef struct Around {
    ptrdiff_t first;
    int32_t column[5][TARN_LANES], row[5][TARN_LANES]; // at -2 .. 2
} Around;

TARN_INLINE int32_t reached(int i, int n, bool wraps)
{
    if (wraps) return i < 0 ? (i + 2 * n) % n : i % n;
    return i < 0 ? 0 : i < n ? i : n - 1;
}

TARN_INLINE TarnF8 near(const ShallowDraw* d, const float* field, const Around* at, int di, int dk,
                        bool is_run)
{
    if (is_run) return f8_load(field + at->first + di + (ptrdiff_t)dk * d->stride);
    const int32_t *column = at->column[di + 2], *row = at->row[dk + 2];
    TarnF8 v;
    for (int l = 0; l < TARN_LANES; ++l) v[l] = field[row[l] + column[l]];
    return v;
}

// What a cell looks like from another one: how much it has to say, and its surface.
typedef struct Neighbor {
    TarnF8 weight, eta;
} Neighbor;

TARN_INLINE Neighbor neighbor(const ShallowDraw* d, const Around* at, int di, int dk, bool is_run)
{
    TarnF8 h = near(d, d->h, at, di, dk, is_run);
    TarnF8 weight = f8_min(f8_max(h - d->dry, f8_set(0.0f)), f8_set(d->cap));
    return (Neighbor){ weight, near(d, d->b, at, di, dk, is_run) + h };
}

typedef struct Votes {
    TarnF8 present;     // sum of weights
    TarnF8 weight, sum; // of weights for their phi, and of weight * phi
} Votes;

TARN_INLINE Votes both(Votes a, Votes b)
{
    return (Votes){ a.present + b.present, a.weight + b.weight, a.sum + b.sum };
}

// phi over floor b as the neighbor sees it, its surface rising by `rise` on the way here. The rise is
// limited by what is missing to reach the floor: water that could flow here is not argued away, and
// none is argued onto land. Of neighbors that disagree the highest counts most: those farther down a
// slope, or at the foot of a cliff, do not pull the front back.
TARN_INLINE Votes vote(const ShallowDraw* d, Neighbor n, TarnF8 b, TarnF8 rise)
{
    TarnF8 gap = f8_max(b - n.eta, f8_set(0.0f));
    TarnF8 phi = f8_min((n.eta - b) + f8_max(f8_min(rise, gap), -gap), f8_set(d->film));
    TarnF8 weight = n.weight * (d->fall / (d->fall + gap));
    return (Votes){ n.weight, weight, weight * phi };
}

// The neighbor in a direction continues the line from the one behind it, as far as that one is deep.
TARN_INLINE Votes straight(const ShallowDraw* d, const Around* at, int di, int dk, TarnF8 b,
                           bool is_run)
{
    Neighbor n = neighbor(d, at, di, dk, is_run);
    Neighbor behind = neighbor(d, at, 2 * di, 2 * dk, is_run);
    return vote(d, n, b, (n.eta - behind.eta) * (behind.weight * d->per_cap));
}

TARN_INLINE Votes ring_one(const ShallowDraw* d, const Around* at, TarnF8 b, bool is_run)
{
    Votes x = both(straight(d, at, -1, 0, b, is_run), straight(d, at, 1, 0, b, is_run));
    Votes z = both(straight(d, at, 0, -1, b, is_run), straight(d, at, 0, 1, b, is_run));
    Votes p = both(straight(d, at, -1, -1, b, is_run), straight(d, at, 1, 1, b, is_run));
    Votes q = both(straight(d, at, 1, -1, b, is_run), straight(d, at, -1, 1, b, is_run));
    Votes edges = both(x, z), corners = both(p, q);
    return (Votes){ edges.present + 0.5f * corners.present, edges.weight + 0.5f * corners.weight,
                    edges.sum + 0.5f * corners.sum };
}

TARN_INLINE Votes opposite(const ShallowDraw* d, const Around* at, int di, int dk, TarnF8 b,
                           bool is_run)
{
    TarnF8 level = f8_set(0.0f);
    return both(vote(d, neighbor(d, at, di, dk, is_run), b, level),
                vote(d, neighbor(d, at, -di, -dk, is_run), b, level));
}

TARN_INLINE Votes ring_two(const ShallowDraw* d, const Around* at, TarnF8 b, bool is_run)
{
    Votes axes = both(opposite(d, at, 2, 0, b, is_run), opposite(d, at, 0, 2, b, is_run));
    Votes corners = both(opposite(d, at, 2, 2, b, is_run), opposite(d, at, 2, -2, b, is_run));
    Votes flat = both(opposite(d, at, 2, 1, b, is_run), opposite(d, at, 2, -1, b, is_run));
    Votes high = both(opposite(d, at, 1, 2, b, is_run), opposite(d, at, 1, -2, b, is_run));
    return both(both(axes, corners), both(flat, high));
}

// The mean of the votes; where hardly anybody votes, `other` fills the gap.
TARN_INLINE TarnF8 settle(const ShallowDraw* d, Votes votes, TarnF8 other)
{
    TarnF8 missing = f8_max(d->quorum - votes.present, f8_set(0.0f));
    TarnF8 mean = votes.sum / f8_max(votes.weight, f8_set(1e-30f));
    return (votes.present * mean + missing * other) / (votes.present + missing);
}

// phi of a cell from its depth and the carried-on phi of its neighbors. Deeper than a film: the depth.
// Below, a cell that stands higher than its neighbors say is lowered to them; one that stands lower
// is about to be flooded, and is lowered too, by a film at most, so that the front moves through the
// cell as it fills. In a calm lake both agree, and phi is the depth again.
TARN_INLINE TarnF8 phi_of(const ShallowDraw* d, TarnF8 h, TarnF8 carried)
{
    TarnF8 none = f8_set(0.0f), apart = carried - h;
    TarnF8 lower = f8_max(-apart, f8_min(apart, f8_set(d->film)));
    TarnF8 thin = f8_max(1.0f - f8_max(h - d->dry, none) * d->per_film, none);
    TarnF8 on_land = h * d->hair_per_dry - d->hair;
    TarnF8 in_water = f8_min(h, 2.0f * (h - d->dry));
    TarnF8 most = f8_select(f8_less(h, f8_set(d->dry)), on_land, in_water);
    return f8_min(h - thin * lower, most);
}

TARN_INLINE bool is_any(TarnI8 mask)
{
    int32_t any = 0;
    for (int l = 0; l < TARN_LANES; ++l) any |= mask[l];
    return any != 0;
}
TARN_INLINE bool any_less(TarnF8 a, float limit)
{
    return is_any(f8_less(a, f8_set(limit)));
}

TARN_INLINE TarnF8 drawn(const ShallowDraw* d, const Around* at, bool is_run)
{
    TarnF8 h = near(d, d->h, at, 0, 0, is_run), b = near(d, d->b, at, 0, 0, is_run);
    if (!any_less(h, d->film)) return b + h;
    Votes one = ring_one(d, at, b, is_run);
    TarnF8 other = f8_set(-d->margin);
    if (any_less(one.present, d->quorum)) other = settle(d, ring_two(d, at, b, is_run), other);
    return b + phi_of(d, h, settle(d, one, other));
}

// The same far from water, where nobody votes.
TARN_INLINE TarnF8 drawn_far(const ShallowDraw* d, const Around* at)
{
    Votes nobody = { f8_set(0.0f), f8_set(0.0f), f8_set(0.0f) };
    TarnF8 carried = settle(d, nobody, settle(d, nobody, f8_set(-d->margin)));
    return f8_load(d->b + at->first) + phi_of(d, f8_load(d->h + at->first), carried);
}

TARN_INLINE bool is_far(const ShallowDraw* d, const Around* at)
{
    TarnF8 deepest = f8_set(0.0f);
    for (int dk = -2; dk <= 2; ++dk) {
        const float* h = d->h + at->first + (ptrdiff_t)dk * d->stride;
        deepest = f8_max(deepest, f8_max(f8_load(h - 2), f8_load(h + 2)));
    }
    return !is_any(f8_less(f8_set(d->dry), deepest));
}

// Any eight cells.
static TarnF8 drawn_at(const ShallowDraw* d, const int* i, const int* k)
{
    Around at;
    for (int o = -2; o <= 2; ++o) {
        for (int l = 0; l < TARN_LANES; ++l) {
            at.column[o + 2][l] = reached(i[l] + o, d->nx, d->wraps_x);
            at.row[o + 2][l] = reached(k[l] + o, d->nz, d->wraps_z) * d->stride;
        }
    }
    return drawn(d, &at, false);
}

static void draw_at_edge(const ShallowDraw* d, int i0, int k, float* out)
{
    int i[TARN_LANES], rows[TARN_LANES];
    for (int l = 0; l < TARN_LANES; ++l) {
        i[l] = i0 + l < d->nx ? i0 + l : d->nx - 1;
        rows[l] = k;
    }
    TarnF8 y = drawn_at(d, i, rows);
    for (int l = 0; l < TARN_LANES && i0 + l < d->nx; ++l) out[i0 + l] = y[l];
}

static void rows(const ShallowDraw* d, int k0, int k1, float* out)
{
    for (int k = k0; k < k1; ++k) {
        float* row = out + (size_t)k * (size_t)d->nx;
        bool is_inside = k >= 2 && k < d->nz - 2;
        for (int i = 0; i < d->nx; i += TARN_LANES) {
            if (!is_inside || i < 2 || i + TARN_LANES + 2 > d->nx) {
                draw_at_edge(d, i, k, row);
                continue;
            }
            Around at = { .first = (ptrdiff_t)k * d->stride + i };
            f8_store(row + i, is_far(d, &at) ? drawn_far(d, &at) : drawn(d, &at, true));
        }
    }
}

// ---- Queries -------------------------------------------------------------------------------------

// The drawn surface is the triangle mesh over the cell centers, each square cut from (i + 1, k) to
// (i, k + 1). A square is seen with the cells around it, for slopes: 4 x 4 without the corners.
enum { AT_00, AT_10, AT_01, AT_11, SQUARE };
enum { AT_M0 = SQUARE, AT_20, AT_M1, AT_21, AT_0M, AT_1M, AT_02, AT_12, PATCH };

static const int8_t patch_x[PATCH] = { 0, 1, 0, 1, -1, 2, -1, 2, 0, 1, 0, 1 };
static const int8_t patch_z[PATCH] = { 0, 0, 1, 1, 0, 0, 1, 1, -1, -1, 2, 2 };

// Square of each point and the way from its first corner, 0 to 1.
typedef struct Place {
    TarnI8 i, k;
    TarnF8 s, t;
} Place;

// On a grid of nx * nz points whose first lies offset_x, offset_z cells from the corner.
TARN_INLINE Place locate(const ShallowDraw* d, TarnF8 x, TarnF8 z, float offset_x, float offset_z,
                         int nx, int nz)
{
    float wrap_x = d->wraps_x ? (float)d->nx : 0.0f, wrap_z = d->wraps_z ? (float)d->nz : 0.0f;
    TarnF8 fx = to_range((x - d->x0) * d->per_cell - offset_x, (float)(nx - 1), wrap_x);
    TarnF8 fz = to_range((z - d->z0) * d->per_cell - offset_z, (float)(nz - 1), wrap_z);
    // The last point belongs to the square before it.
    TarnI8 i = __builtin_convertvector(f8_min(fx, f8_set((float)(nx - 2))), TarnI8);
    TarnI8 k = __builtin_convertvector(f8_min(fz, f8_set((float)(nz - 2))), TarnI8);
    return (Place){ i, k, fx - __builtin_convertvector(i, TarnF8),
                    fz - __builtin_convertvector(k, TarnF8) };
}

// On the triangle with the right angle at (0, 0), or at (1, 1) if the point is beyond the diagonal.
TARN_INLINE TarnF8 on_triangle(const TarnF8* f, TarnF8 s, TarnF8 t)
{
    TarnI8 is_beyond = f8_less(f8_set(1.0f), s + t);
    TarnF8 corner = f8_select(is_beyond, f[AT_11], f[AT_00]);
    TarnF8 along_x = f8_select(is_beyond, 1.0f - t, s), along_z = f8_select(is_beyond, 1.0f - s, t);
    return corner + along_x * (f[AT_10] - corner) + along_z * (f[AT_01] - corner);
}

TARN_INLINE TarnF8 blend(TarnF8 f00, TarnF8 f10, TarnF8 f01, TarnF8 f11, TarnF8 s, TarnF8 t)
{
    TarnF8 low = f00 + s * (f10 - f00), high = f01 + s * (f11 - f01);
    return low + t * (high - low);
}

// Eight points, their squares and what lies under and around them. Only what `look` was asked for is set.
typedef struct Patch {
    Place at;
    TarnI8 cell[PATCH];
    TarnF8 h[PATCH], y[PATCH]; // depth, drawn surface
    TarnF8 ground[SQUARE];
    TarnF8 slope_x, slope_z; // of the surface
    TarnI8 is_dry;           // certainly: land in all four corners
} Patch;

TARN_INLINE TarnI8 kept_inside(TarnI8 i, int n)
{
    TarnI8 last = i8_set(n - 1), is_inside = i < last;
    i = (i & is_inside) | (last & ~is_inside);
    return i & ~(i < 0);
}

// One point near the shore: its n cells are drawn one by one.
static void draw_patch(const ShallowDraw* d, Patch* p, int n, int lane)
{
    int i0 = p->at.i[lane], k0 = p->at.k[lane];
    for (int m0 = 0; m0 < n; m0 += TARN_LANES) {
        int i[TARN_LANES], k[TARN_LANES];
        for (int l = 0; l < TARN_LANES; ++l) {
            int m = m0 + l < n ? m0 + l : 0;
            i[l] = reached(i0 + patch_x[m], d->nx, false);
            k[l] = reached(k0 + patch_z[m], d->nz, false);
        }
        TarnF8 y = drawn_at(d, i, k);
        for (int l = 0; l < TARN_LANES && m0 + l < n; ++l) p->y[m0 + l][lane] = y[l];
    }
}

// A field at the first n cells of a patch.
TARN_INLINE void look_at(const ShallowDraw* d, const float* field, const TarnI8* cell, int n,
                         TarnF8* out)
{
    gather_two(field, cell[AT_00], &out[AT_00], &out[AT_10]);
    gather_two(field + d->stride, cell[AT_00], &out[AT_01], &out[AT_11]);
    if (n == SQUARE) return;
    for (int m = AT_M0; m < AT_0M; ++m) out[m] = gather(field, cell[m]);
    gather_two(field, cell[AT_0M], &out[AT_0M], &out[AT_1M]);
    gather_two(field, cell[AT_02], &out[AT_02], &out[AT_12]);
}

// n: SQUARE or PATCH, a constant, so that the loops are unrolled.
TARN_INLINE void look(const ShallowDraw* d, Patch* p, int n)
{
    TarnI8 i[4], k[4]; // -1 .. 2
    int ring = n == SQUARE ? 0 : 1;
    for (int o = -ring; o <= 1 + ring; ++o) {
        i[o + 1] = o < 0 || o > 1 ? kept_inside(p->at.i + o, d->nx) : p->at.i + o;
        k[o + 1] = (o < 0 || o > 1 ? kept_inside(p->at.k + o, d->nz) : p->at.k + o) * d->stride;
    }
    TarnI8 is_dry = i8_set(-1), is_shore = i8_set(0);
    TarnF8 b[PATCH];
    for (int m = 0; m < n; ++m) p->cell[m] = i[patch_x[m] + 1] + k[patch_z[m] + 1];
    look_at(d, d->h, p->cell, n, p->h);
    look_at(d, d->b, p->cell, n, b);
    if (d->ground != d->b)
        look_at(d, d->ground, p->cell, SQUARE, p->ground);
    else
        memcpy(p->ground, b, sizeof p->ground);
    for (int m = 0; m < n; ++m) {
        p->y[m] = b[m] + p->h[m];
        is_shore |= f8_less(p->h[m], f8_set(d->film));
        if (m >= SQUARE) continue;
        is_dry &= ~f8_less(f8_set(d->dry), p->h[m]);
        is_dry &= ~f8_less(p->ground[m], b[m]);
    }
    p->is_dry = is_dry;
    unsigned shore = i8_mask_bits(is_shore & ~is_dry);
    for (int l = 0; shore != 0; ++l, shore >>= 1) {
        if (shore & 1) draw_patch(d, p, n, l);
    }
}

// Smooth slopes: differences at the centers, blended between them. At an edge they are one-sided.
TARN_INLINE void slopes(const ShallowDraw* d, const Place* at, const TarnF8* f, TarnF8* x,
                        TarnF8* z)
{
    TarnF8 half = f8_set(0.5f * d->per_cell), whole = f8_set(d->per_cell);
    TarnF8 west = f8_select(at->i < 1, whole, half);
    TarnF8 east = f8_select(at->i > d->nx - 3, whole, half);
    TarnF8 south = f8_select(at->k < 1, whole, half);
    TarnF8 north = f8_select(at->k > d->nz - 3, whole, half);
    *x = blend((f[AT_10] - f[AT_M0]) * west, (f[AT_20] - f[AT_00]) * east,
               (f[AT_11] - f[AT_M1]) * west, (f[AT_21] - f[AT_01]) * east, at->s, at->t);
    *z = blend((f[AT_01] - f[AT_0M]) * south, (f[AT_11] - f[AT_1M]) * south,
               (f[AT_02] - f[AT_00]) * north, (f[AT_12] - f[AT_10]) * north, at->s, at->t);
}

TARN_INLINE TarnF8 bilinear(const ShallowDraw* d, const float* field, const Place* at)
{
    TarnI8 c = at->i + at->k * d->stride;
    TarnF8 f00, f10, f01, f11;
    gather_two(field, c, &f00, &f10);
    gather_two(field + d->stride, c, &f01, &f11);
    return blend(f00, f10, f01, f11, at->s, at->t);
}

// Depth times speed through a face, the depth from where the water comes.
TARN_INLINE TarnF8 flux(TarnF8 speed, TarnF8 before, TarnF8 after)
{
    return speed * f8_select(f8_less(f8_set(0.0f), speed), before, after);
}

// How fast the depth grows, from what flows in and out of the four cells around.
TARN_INLINE TarnF8 growth(const ShallowDraw* d, const Patch* p)
{
    ptrdiff_t up = d->stride;
    const TarnF8* h = p->h;
    TarnI8 c = p->at.i + p->at.k * d->stride;
    TarnF8 x00 = flux(gather(d->u, c), h[AT_M0], h[AT_00]);
    TarnF8 x10 = flux(gather(d->u + 1, c), h[AT_00], h[AT_10]);
    TarnF8 x20 = flux(gather(d->u + 2, c), h[AT_10], h[AT_20]);
    TarnF8 x01 = flux(gather(d->u + up, c), h[AT_M1], h[AT_01]);
    TarnF8 x11 = flux(gather(d->u + up + 1, c), h[AT_01], h[AT_11]);
    TarnF8 x21 = flux(gather(d->u + up + 2, c), h[AT_11], h[AT_21]);
    TarnF8 z00 = flux(gather(d->w, c), h[AT_0M], h[AT_00]);
    TarnF8 z10 = flux(gather(d->w + 1, c), h[AT_1M], h[AT_10]);
    TarnF8 z01 = flux(gather(d->w + up, c), h[AT_00], h[AT_01]);
    TarnF8 z11 = flux(gather(d->w + up + 1, c), h[AT_10], h[AT_11]);
    TarnF8 z02 = flux(gather(d->w + 2 * up, c), h[AT_01], h[AT_02]);
    TarnF8 z12 = flux(gather(d->w + 2 * up + 1, c), h[AT_11], h[AT_12]);
    TarnF8 out = blend((x10 - x00) + (z01 - z00), (x20 - x10) + (z11 - z10),
                       (x11 - x01) + (z02 - z01), (x21 - x11) + (z12 - z11), p->at.s, p->at.t);
    return -out * d->per_cell;
}

// A point of the surface moves with the water, and up with the surface: d eta / dt + u . grad eta.
TARN_INLINE void query_velocity(const ShallowDraw* d, const Patch* p, TarnF8 x, TarnF8 z,
                                TarnF8 depth, int n, TarnVec3* out)
{
    Place at_u = locate(d, x, z, 0.0f, 0.5f, d->nx + 1, d->nz);
    Place at_w = locate(d, x, z, 0.5f, 0.0f, d->nx, d->nz + 1);
    TarnF8 u = bilinear(d, d->u, &at_u), w = bilinear(d, d->w, &at_w);
    TarnF8 fastest = f8_sqrt(d->gravity * depth); // no wave lifts it faster
    TarnF8 rise = f8_max(f8_min(growth(d, p), fastest), -fastest);
    TarnI8 is_wet = f8_less(f8_set(0.0f), depth);
    TarnF8 none = f8_set(0.0f);
    TarnF8 y = f8_select(is_wet, rise + (u * p->slope_x + w * p->slope_z), none);
    u = f8_select(is_wet, u, none);
    w = f8_select(is_wet, w, none);
    for (int l = 0; l < n; ++l) out[l] = (TarnVec3){ u[l], y[l], w[l] };
}

TARN_INLINE void query_normal(const ShallowDraw* d, const Patch* p, TarnF8 depth, int n,
                              TarnVec3* out)
{
    TarnF8 x = p->slope_x, z = p->slope_z, none = f8_set(0.0f);
    TarnI8 is_wet = f8_less(none, depth);
    if (is_any(~is_wet)) { // some on land: its slope
        TarnF8 ground[PATCH], land_x, land_z;
        for (int m = 0; m < PATCH; ++m) ground[m] = gather(d->ground, p->cell[m]);
        slopes(d, &p->at, ground, &land_x, &land_z);
        x = f8_select(is_wet, x, land_x);
        z = f8_select(is_wet, z, land_z);
    }
    TarnF8 scale = 1.0f / f8_sqrt(x * x + z * z + 1.0f);
    x = -x * scale, z = -z * scale;
    for (int l = 0; l < n; ++l) out[l] = (TarnVec3){ x[l], scale[l], z[l] };
}

TARN_INLINE void put(float* out, int n, TarnF8 v)
{
    if (n == TARN_LANES) {
        f8_store(out, v);
        return;
    }
    for (int l = 0; l < n; ++l) out[l] = v[l];
}

// The first n of eight points, which need `size` cells: SQUARE or PATCH, a constant.
TARN_INLINE void query_eight(const ShallowDraw* d, int n, int size, TarnF8 x, TarnF8 z, int first,
                             const TarnSurfaceSamples* out)
{
    Patch p;
    p.at = locate(d, x, z, 0.5f, 0.5f, d->nx, d->nz);
    look(d, &p, size);
    TarnF8 land = on_triangle(p.ground, p.at.s, p.at.t), y = on_triangle(p.y, p.at.s, p.at.t);
    y = f8_select(~p.is_dry & f8_less(land, y), y, land);
    TarnF8 depth = y - land;
    if (out->height) put(out->height + first, n, y);
    if (out->depth) put(out->depth + first, n, depth);
    if (size == SQUARE) return;
    slopes(d, &p.at, p.y, &p.slope_x, &p.slope_z);
    if (out->normal) query_normal(d, &p, depth, n, out->normal + first);
    if (out->velocity) query_velocity(d, &p, x, z, depth, n, out->velocity + first);
}

TARN_INLINE void query_all(const ShallowDraw* d, int n, int size, const float* x, const float* z,
                           const TarnSurfaceSamples* out)
{
    int p = 0;
    for (; p + TARN_LANES <= n; p += TARN_LANES)
        query_eight(d, TARN_LANES, size, f8_load(x + p), f8_load(z + p), p, out);
    if (p == n) return;
    TarnF8 last_x = f8_set(0.0f), last_z = last_x;
    for (int l = 0; p + l < n; ++l) last_x[l] = x[p + l], last_z[l] = z[p + l];
    query_eight(d, n - p, size, last_x, last_z, p, out);
}

static void query(const ShallowDraw* d, int n, const float* x, const float* z,
                  const TarnSurfaceSamples* out)
{
    if (out->normal || out->velocity)
        query_all(d, n, PATCH, x, z, out);
    else
        query_all(d, n, SQUARE, x, z, out); // heights and depths need a third of the cells
}

const ShallowDrawKernels TARN_KERNEL(tarn__shallow_draw_kernels) = { rows, query };
