// Screen-space meshes, first half: particles to a smoothed map of depths. Eight particles or nodes at a time.
//
// Method   [Mueller2007ssm]: depths of spheres at the nodes of the picture, smoothed by binomial filters along rows
//          and columns whose windows end at silhouettes.
// Differs  A sphere is met by the ray of each node, not drawn as an ellipse: at the corner of a wide picture
//          the ellipse of the paper is too short by a quarter, and a quadratic per row costs the same.
//          A step is a silhouette only for what it is more than the slopes on both sides of it explain: a
//          pool seen at a grazing angle has steps of many radii and must not fall into stripes.
//          Wide filters are passes of five weights at distances 1, 2, 4, 8, 16 instead of one long sum.
// Checked  tests/unit/test_screen_mesh.c
// Cost     tarn bench mesh.screen

#include "base/kernels.h"
#include "mesh/screen_mesh_internal.h"

// ---- Particles -----------------------------------------------------------------------------------

// Eight of n values from i on; those beyond the end, and those of an array that is not there, are 0.
TARN_INLINE TarnF8 load_some(const float* values, int i, int n)
{
    if (!values) return f8_set(0.0f);
    if (i + TARN_LANES <= n) return f8_load(values + i);
    TarnF8 v = f8_set(0.0f);
    for (int l = 0; l < n - i; ++l) v[l] = values[i + l];
    return v;
}

typedef struct Axis {
    float scale, center;
    int nodes;
    bool is_perspective;
} Axis;

// The first and last node around the outline, and a mask of those that touch the picture.
TARN_INLINE TarnI8 extent(const Axis* a, TarnF8 x, TarnF8 z, TarnF8 r, TarnI8* first, TarnI8* last)
{
    TarnF8 low = x - r, high = x + r;
    if (a->is_perspective) { // of the tangents from the eye, in the plane of this axis
        TarnF8 root = r * f8_sqrt(f8_max(x * x + (z * z - r * r), f8_set(0.0f)));
        TarnF8 inverse = f8_set(1.0f) / (z * z - r * r);
        low = (x * z - root) * inverse, high = (x * z + root) * inverse;
    }
    const TarnF8 slack = f8_set(0.01f), least = f8_set(-2.0f),
                 most = f8_set((float)a->nodes + 1.0f);
    low = f8_min(f8_max(a->center + a->scale * low - slack, least), most);
    high = f8_min(f8_max(a->center + a->scale * high + slack, least), most);
    *first = __builtin_convertvector(low + 4.0f, TarnI8) - 4; // rounds down, as the sum is positive
    *last = __builtin_convertvector(high + 4.0f, TarnI8) - 3;
    TarnI8 is_in = ~(*last >> 31) & ((*first - a->nodes) >> 31);
    *first &= ~(*first >> 31);
    TarnI8 over = a->nodes - 1 - *last;
    *last += over & (over >> 31);
    return is_in;
}

TARN_INLINE int cell_of(const TarnScreenMesh* s, const ScreenParticle* p)
{
    unsigned wide = (unsigned)(p->i1 - p->i0) / SCREEN_TILE_X;
    unsigned high = (unsigned)(p->j1 - p->j0) / SCREEN_TILE_Y;
    unsigned tiles = wide | high;
    int level = tiles ? 32 - __builtin_clz(tiles) : 0;
    int x = p->i0 / SCREEN_TILE_X >> level, y = p->j0 / SCREEN_TILE_Y >> level;
    return s->level_first[level] + y * s->level_x[level] + x;
}

TARN_INLINE void transform_eight(const TarnScreenMesh* s, int i, float range[2])
{
    const ScreenView* v = &s->view;
    const TarnPoints* points = s->points;
    TarnF8 dx = load_some(points->x, i, points->n) - v->eye.x;
    TarnF8 dy = load_some(points->y, i, points->n) - v->eye.y;
    TarnF8 dz = load_some(points->z, i, points->n) - v->eye.z;
    TarnF8 x = v->right.x * dx + v->right.y * dy + v->right.z * dz;
    TarnF8 y = v->up.x * dx + v->up.y * dy + v->up.z * dz;
    TarnF8 z = v->ahead.x * dx + v->ahead.y * dy + v->ahead.z * dz;
    // At least three quarters of a node, so that no drop falls between the nodes and flickers.
    float node = 0.75f / tarn_minf(v->scale_x, v->scale_y);
    TarnF8 r = f8_set(s->params.radius);
    r = f8_max(r, v->is_perspective ? tarn_minf(node, 0.5f) * z : f8_set(node));
    const TarnF8 far = f8_set(1e12f); // whose fourth power is a float
    TarnF8 most = f8_max(f8_max(f8_abs(x), f8_abs(y)), f8_abs(z));
    // Sums, for the maximum drops values that are no numbers.
    TarnI8 is_good = f8_less(most, far) & f8_less(f8_abs(x + y + z), 3.0f * far);
    is_good &= ~f8_less(z - r, f8_set(s->params.nearest));
    TarnI8 i0, i1, j0, j1;
    Axis along_x = { v->scale_x, v->center_x, s->nx, v->is_perspective };
    Axis along_y = { v->scale_y, v->center_y, s->ny, v->is_perspective };
    is_good &= extent(&along_x, x, z, r, &i0, &i1);
    is_good &= extent(&along_y, y, z, r, &j0, &j1);
    int n = points->n - i < TARN_LANES ? points->n - i : TARN_LANES;
    for (int l = 0; l < n; ++l) {
        ScreenParticle* p = &s->particles[i + l];
        *p =
            (ScreenParticle){ x[l],           y[l],           z[l],           r[l],  (int16_t)i0[l],
                              (int16_t)i1[l], (int16_t)j0[l], (int16_t)j1[l], i + l, -1 };
        if (!is_good[l]) continue;
        p->cell = cell_of(s, p);
        range[0] = tarn_minf(z[l], range[0]);
        range[1] = tarn_maxf(z[l], range[1]);
    }
}

static void transform(const TarnScreenMesh* s, int batch)
{
    int begin = batch * SCREEN_BATCH, end = begin + SCREEN_BATCH;
    if (end > s->points->n) end = s->points->n;
    float range[2] = { INFINITY, -INFINITY };
    for (int i = begin; i < end; i += TARN_LANES) transform_eight(s, i, range);
    s->batch_range[2 * batch] = range[0], s->batch_range[2 * batch + 1] = range[1];
}

// ---- Depths --------------------------------------------------------------------------------------

typedef struct Tile {
    float k[SCREEN_TILE], inverse[SCREEN_TILE]; // 1 / |ray|^2
    int32_t seen[SCREEN_TILE];
    int i, j, rows; // first node, rows in the picture
} Tile;

static void begin_tile(const TarnScreenMesh* s, int tile, Tile* t)
{
    t->i = tile % s->tiles_x * SCREEN_TILE_X, t->j = tile / s->tiles_x * SCREEN_TILE_Y;
    t->rows = s->ny - t->j < SCREEN_TILE_Y ? s->ny - t->j : SCREEN_TILE_Y;
    // Nodes beside the picture are nearer than anything, and so in nobody's way.
    for (int b = 0; b < t->rows; ++b) {
        for (int a = 0; a < SCREEN_TILE_X; ++a) {
            int n = b * SCREEN_TILE_X + a;
            t->k[n] = t->i + a < s->nx ? INFINITY : -INFINITY;
            float u = s->u[t->i + a], v = s->v[t->j + b];
            t->inverse[n] = s->view.is_perspective ? 1.0f / (1.0f + v * v + u * u) : 1.0f;
            t->seen[n] = -1;
        }
    }
}

// The rays of a row of nodes meet a sphere: with m the offset of the ray from its center at the center's
// depth and d the ray's slope, z = z_c - (m.d -+ sqrt(r^2 dd - m.m - (m x d)^2)) / dd,  dd = 1 + d.d.
TARN_INLINE void splat_row(const TarnScreenMesh* s, Tile* t, const ScreenParticle* p, int b,
                           bool is_perspective)
{
    float v = s->v[t->j + b], r2 = p->r * p->r, near = s->sign * p->z;
    float my = is_perspective ? p->z * v - p->y : v - p->y;
    float cross = p->x * v, along = my * v, dd = 1.0f + v * v;
    int first = (p->i0 > t->i ? p->i0 - t->i : 0) & ~(TARN_LANES - 1);
    int last = p->i1 - t->i < SCREEN_TILE_X ? p->i1 - t->i : SCREEN_TILE_X - 1;
    for (int a = first; a <= last; a += TARN_LANES) {
        int n = b * SCREEN_TILE_X + a;
        TarnF8 old = f8_load(t->k + n);
        if (i8_mask_bits(f8_less(f8_set(near - p->r), old)) == 0) continue; // all hidden
        TarnF8 u = f8_load(s->u + t->i + a), mx, inside, middle;
        if (is_perspective) {
            mx = p->z * u - p->x;
            TarnF8 c = p->y * u - cross;
            inside = r2 * (dd + u * u) - (mx * mx + my * my + c * c);
            middle = mx * u + along;
        } else {
            mx = u - p->x;
            inside = r2 - (mx * mx + my * my);
            middle = f8_set(0.0f);
        }
        TarnF8 root = f8_sqrt(f8_max(inside, f8_set(0.0f)));
        TarnF8 k = near - (s->sign * middle + root) * f8_load(t->inverse + n);
        TarnI8 is_nearer = f8_less(k, old) & f8_less(f8_set(0.0f), inside);
        f8_store(t->k + n, f8_select(is_nearer, k, old));
        TarnF8 seen = f8_load((const float*)(t->seen + n));
        seen = f8_select(is_nearer, f8_from_bits(i8_set(p->index)), seen);
        f8_store((float*)(t->seen + n), seen);
    }
}

static float farthest(const Tile* t)
{
    TarnF8 most = f8_set(-INFINITY);
    for (int n = 0; n < t->rows * SCREEN_TILE_X; n += TARN_LANES)
        most = f8_max(f8_load(t->k + n), most);
    return f8_max_lane(most);
}

// One list, near particles first, until nothing of it can be seen any more.
TARN_INLINE float splat_list(const TarnScreenMesh* s, Tile* t, ScreenRange range, float most,
                             bool is_perspective)
{
    int n_new = 0;
    for (int i = 0; i < range.end - range.begin; ++i) {
        const ScreenParticle* p = &s->sorted[s->sign > 0.0f ? range.begin + i : range.end - 1 - i];
        if (s->sign * p->z - p->r - s->depth_slack >= most) break;
        if (p->i1 < t->i || p->i0 >= t->i + SCREEN_TILE_X) continue;
        int first = p->j0 > t->j ? p->j0 - t->j : 0;
        int last = p->j1 - t->j < t->rows ? p->j1 - t->j : t->rows - 1;
        if (first > last) continue;
        for (int b = first; b <= last; ++b) splat_row(s, t, p, b, is_perspective);
        if (++n_new % 8 == 0) most = farthest(t);
    }
    return n_new % 8 ? farthest(t) : most;
}

static void splat(const TarnScreenMesh* s, int tile)
{
    Tile t;
    ScreenRange ranges[4 * SCREEN_LEVELS];
    begin_tile(s, tile, &t);
    int n = screen_ranges(s, tile, ranges);
    float most = INFINITY;
    for (int i = 0; i < n;
         ++i) { // large particles are near: the front begins with them, the back ends
        ScreenRange range = ranges[s->sign > 0.0f ? i : n - 1 - i];
        if (s->view.is_perspective)
            most = splat_list(s, &t, range, most, true);
        else
            most = splat_list(s, &t, range, most, false);
    }
    const TarnF8 nothing = f8_set(INFINITY);
    for (int b = 0; b < t.rows; ++b) {
        size_t to = screen_node(s, t.i, t.j + b);
        for (int a = 0; a < SCREEN_TILE_X; a += TARN_LANES) {
            TarnF8 k = f8_load(t.k + b * SCREEN_TILE_X + a);
            f8_store(s->now->k + to + a, f8_select(f8_less(-nothing, k), k, nothing));
        }
        memcpy(s->now->seen + to, t.seen + b * SCREEN_TILE_X, SCREEN_TILE_X * sizeof(int32_t));
    }
}

// ---- Silhouettes ---------------------------------------------------------------------------------

// What of a step is more than the slopes beside it explain, as far as those go the same way. Where there is
// nothing beside it on one side, at the far end of a pool, the slope on the other side counts alone.
TARN_INLINE TarnI8 is_connected(TarnF8 before, TarnF8 step, TarnF8 after, float limit)
{
    const TarnF8 zero = f8_set(0.0f), huge = f8_set(INFINITY);
    before = f8_by_sign(step, -before, before);
    after = f8_by_sign(step, -after, after);
    TarnI8 has_before = f8_less(f8_abs(before), huge), has_after = f8_less(f8_abs(after), huge);
    before = f8_select(has_before, before, f8_select(has_after, after, zero));
    after = f8_select(has_after, after, before);
    TarnF8 slope = f8_max(f8_min(before, after), zero);
    return f8_less(f8_abs(step) - slope, f8_set(limit));
}

static void cut(const TarnScreenMesh* s, int row)
{
    const ScreenLayer* l = s->now;
    size_t word = screen_word(s, 0, row);
    for (int w = 0; w < s->words; ++w) {
        uint32_t present = 0, cut_x = 0, cut_y = 0;
        for (int g = 0; g < SCREEN_TILE_X; g += TARN_LANES) {
            const float* k = l->k + screen_node(s, SCREEN_TILE_X * w + g, row);
            TarnF8 here = f8_load(k), right = f8_load(k + 1), above = f8_load(k + s->stride);
            TarnI8 x =
                is_connected(here - f8_load(k - 1), right - here, f8_load(k + 2) - right, s->step);
            TarnI8 y = is_connected(here - f8_load(k - s->stride), above - here,
                                    f8_load(k + 2 * s->stride) - above, s->step);
            present |= i8_mask_bits(f8_less(here, f8_set(INFINITY))) << g;
            cut_x |= (~i8_mask_bits(x) & 255u) << g;
            cut_y |= (~i8_mask_bits(y) & 255u) << g;
        }
        l->present[word + (size_t)w] = present;
        l->cut_x[word + (size_t)w] = cut_x;
        l->cut_y[word + (size_t)w] = row == s->ny - 1 ? ~0u : cut_y;
    }
}

// A tear of a single edge, around which everything is connected, is no silhouette but noise of the spheres. The
// words wait in those of the front vertices until all rows are done.
static void heal(const TarnScreenMesh* s, int row)
{
    const ScreenLayer* l = s->now;
    for (int w = 0; w < s->words; ++w) {
        size_t at = screen_word(s, w, row);
        const uint32_t *x = l->cut_x + at, *y = l->cut_y + at;
        const uint32_t *above = x + s->word_stride, *below = x - s->word_stride;
        const uint32_t* under = y - s->word_stride;
        uint32_t up = y[0] | screen_next(y) | above[0];
        uint32_t down = under[0] | screen_next(under) | below[0];
        uint32_t right = x[0] | above[0] | screen_next(y);
        uint32_t left = screen_before(x) | screen_before(above) | screen_before(y);
        l->front_x[at] = x[0] & (up | down);
        l->front_y[at] = y[0] & (right | left);
    }
}
static void keep_healed(const TarnScreenMesh* s, int row)
{
    size_t at = screen_word(s, 0, row), bytes = (size_t)s->words * sizeof(uint32_t);
    memcpy(s->now->cut_x + at, s->now->front_x + at, bytes);
    memcpy(s->now->cut_y + at, s->now->front_y + at, bytes);
}

// ---- Smoothing -----------------------------------------------------------------------------------

TARN_INLINE TarnI8 load_bytes(const uint8_t* bytes)
{
    typedef uint8_t B8 __attribute__((vector_size(8)));
    B8 v;
    memcpy(&v, bytes, sizeof v);
    return __builtin_convertvector(v, TarnI8);
}

// Weights 1 2 1 or 1 4 6 4 1 at distances of `reach` nodes, not beyond a silhouette: from where the window would
// touch one it fades in over its own width. (Windows that appear all at once leave ridges along outlines.)
TARN_INLINE TarnF8 smooth_eight(const TarnScreenMesh* s, const float* k, size_t stride,
                                const uint8_t* clear)
{
    int width = s->is_double ? 2 * s->reach : s->reach;
    size_t near = (size_t)s->reach * stride;
    TarnF8 here = f8_load(k);
    TarnI8 room = load_bytes(clear) - (width - 1);
    TarnI8 is_open = (-room) >> 31;
    if (i8_mask_bits(is_open) == 0) return here;
    TarnF8 smooth = 0.5f * here + 0.25f * (f8_load(k - near) + f8_load(k + near));
    if (s->is_double) {
        TarnF8 two = f8_load(k - 2 * near) + f8_load(k + 2 * near);
        smooth = 0.5f * smooth + (0.125f * here + 0.0625f * two) +
                 0.125f * (f8_load(k - near) + f8_load(k + near));
    }
    TarnF8 share = __builtin_convertvector(room, TarnF8) * (1.0f / (float)(width + 1));
    share = f8_min(share, f8_set(1.0f));
    return f8_select(is_open, here + share * (smooth - here), here);
}

static void smooth_x(const TarnScreenMesh* s, int row)
{
    const float* from = s->now->k + screen_node(s, 0, row);
    float* to = s->smoothed + screen_node(s, 0, row);
    const uint8_t* clear = s->clear_x + (size_t)row * (size_t)(SCREEN_TILE_X * s->words);
    for (int i = 0; i < SCREEN_TILE_X * s->words; i += TARN_LANES)
        f8_store(to + i, smooth_eight(s, from + i, 1, clear + i));
}

static void smooth_y(const TarnScreenMesh* s, int row)
{
    const float* from = s->smoothed + screen_node(s, 0, row);
    float* to = s->now->k + screen_node(s, 0, row);
    const uint8_t* clear = s->clear_y + (size_t)row * (size_t)(SCREEN_TILE_X * s->words);
    for (int i = 0; i < SCREEN_TILE_X * s->words; i += TARN_LANES)
        f8_store(to + i, smooth_eight(s, from + i, (size_t)s->stride, clear + i));
}

const ScreenDepthKernels TARN_KERNEL(tarn__screen_depth_kernels) = {
    transform, splat, cut, heal, keep_healed, smooth_x, smooth_y
};
