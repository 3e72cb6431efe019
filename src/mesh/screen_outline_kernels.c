// Screen-space meshes, between its halves: where outlines of particles cross the edges of the grid of nodes.
//
// Method   [Mueller2007ssm]: on an edge between a node of a surface and one that is not connected to it, the surface ends
//          where the outline of one of its particles crosses the edge farthest out. Tiles ask their particles
//          again, row by row and column by column, where there are such edges.
// Differs  Outlines are those of spheres, not of ellipses, as in screen_depth_kernels.c.
// Checked  tests/unit/test_screen_mesh.c, tarn check mesh.screen.sphere
// Cost     tarn bench mesh.screen

#include "base/kernels.h"
#include "mesh/screen_mesh_internal.h"

static const float least_way = 0.05f; // of an outline from the near node, in edges: no slivers

typedef struct Outline {
    int i, j, n_rows;                                                 // of the tile
    uint32_t rows[SCREEN_TILE_Y], columns[SCREEN_TILE_X], any_column; // edges with front vertices
    float least, most;                                                // k of their near nodes
    float
        way[2]
           [SCREEN_TILE]; // along x, along y: how far out from the near node, in edges; -1: not yet
    float k[2][SCREEN_TILE]; // there
    int32_t owner[2][SCREEN_TILE];
} Outline;

// A line of nodes (a row; for columns swap x and y) at the slope v crosses the outline of a particle at
// slopes low and high. False: it passes by.
TARN_INLINE bool cross(const ScreenView* view, float x, float y, float z, float r, float v,
                       float* low, float* high)
{
    float r2 = r * r, middle, a, b, c; // a + b e + c e^2 = 0, e from the particle's middle
    if (view->is_perspective) {
        float g = v - y / z, e = x / z;
        middle = e;
        a = r2 * (1.0f + v * v + e * e) - g * g * (z * z + x * x);
        b = r2 * e + x * y * g; // half of it
        c = r2 - z * z - y * y; // below 0
    } else {
        middle = x;
        a = r2 - (v - y) * (v - y), b = 0.0f, c = -1.0f;
    }
    float inside = b * b - a * c;
    if (!(inside > 0.0f)) return false;
    float root = sqrtf(inside);
    *low = middle + (b - root) / -c, *high = middle + (b + root) / -c;
    return true;
}

// k where the ray with this slope touches a particle.
TARN_INLINE float touch(const TarnScreenMesh* s, const ScreenParticle* p, float u, float v)
{
    if (!s->view.is_perspective) return s->sign * p->z;
    float mx = p->z * u - p->x, my = p->z * v - p->y;
    return s->sign * (p->z - (mx * u + my * v) / (1.0f + u * u + v * v));
}

// A row (axis 0) or a column (axis 1) of a tile.
typedef struct Line {
    int axis, number, nodes;
    float slope;         // at which it lies
    float scale, center; // from slopes along it to nodes of the tile
    const float* k;      // of its first node
    size_t step;         // to the next
    uint32_t bits;       // edges that have a front vertex and may be crossed
} Line;

TARN_INLINE Line line_of(const TarnScreenMesh* s, const Outline* o, int axis, int number,
                         uint32_t bits)
{
    const ScreenView* view = &s->view;
    size_t stride = (size_t)s->stride, first = screen_node(s, o->i, o->j);
    if (axis == 0)
        return (Line){ 0,
                       number,
                       SCREEN_TILE_X,
                       s->v[o->j + number],
                       view->scale_x,
                       view->center_x - (float)o->i,
                       s->now->k + first + (size_t)number * stride,
                       1,
                       bits };
    return (Line){ 1,
                   number,
                   SCREEN_TILE_Y,
                   s->u[o->i + number],
                   view->scale_y,
                   view->center_y - (float)o->j,
                   s->now->k + first + number,
                   stride,
                   bits };
}

// The outline crosses an edge at `place`, away from its near node. `other` is the other end of the particle.
TARN_INLINE void offer(const TarnScreenMesh* s, Outline* o, const Line* line, int edge,
                       int particle, bool is_high, float place, float other, float slope)
{
    if (edge < 0 || edge >= line->nodes || !(line->bits >> edge & 1u)) return;
    bool is_over = is_high ? other <= (float)edge : other >= (float)(edge + 1);
    const float* k = line->k + (size_t)edge * line->step;
    float near = is_high ? k[0] : k[line->step], far = is_high ? k[line->step] : k[0];
    float way = is_high ? place - (float)edge : (float)(edge + 1) - place;
    int slot =
        line->axis == 0 ? line->number * SCREEN_TILE_X + edge : edge * SCREEN_TILE_X + line->number;
    way = tarn_clampf(way, 0.0f, 1.0f);
    if (!is_over || !(near < far) || !(way > o->way[line->axis][slot])) return;
    const ScreenParticle* p = &s->sorted[particle];
    float touched =
        line->axis == 0 ? touch(s, p, slope, line->slope) : touch(s, p, line->slope, slope);
    if (!(fabsf(touched - near) < s->step + p->r)) return; // of another surface
    o->way[line->axis][slot] = way;
    o->k[line->axis][slot] = touched;
    o->owner[line->axis][slot] = particle;
}

// Both ends of a particle on a line. An end that is a rounding away from a node is one of both edges there.
TARN_INLINE void offer_line(const TarnScreenMesh* s, Outline* o, const Line* line, int particle)
{
    const float rounding = 0.005f; // less than the slack of the particle's extent
    const ScreenParticle* p = &s->sorted[particle];
    float low, high;
    bool is_hit = line->axis == 0
                      ? cross(&s->view, p->x, p->y, p->z, p->r, line->slope, &low, &high)
                      : cross(&s->view, p->y, p->x, p->z, p->r, line->slope, &low, &high);
    if (!is_hit) return;
    float first = line->center + line->scale * low, last = line->center + line->scale * high;
    const float most = (float)line->nodes + 1.0f;
    for (int end = 0; end < 2; ++end) {
        float place = (end ? last : first) + 1.0f;
        int before = (int)tarn_clampf(place - rounding, 0.0f, most) - 1;
        int after = (int)tarn_clampf(place + rounding, 0.0f, most) - 1;
        for (int edge = before; edge <= after; ++edge) {
            if (end)
                offer(s, o, line, edge, particle, true, last, first, high);
            else
                offer(s, o, line, edge, particle, false, first, last, low);
        }
    }
}

// Bits first .. last of a word, as far as it has them.
TARN_INLINE uint32_t span(int first, int last)
{
    if (first < 0) first = 0;
    if (last > 31) last = 31;
    if (first > last) return 0u;
    return (~0u >> (31 - last)) & (~0u << first);
}

// Is the particle as deep as the near end of one of these edges? Most that lie behind are not.
TARN_INLINE bool is_deep_enough(const TarnScreenMesh* s, const Line* line, const ScreenParticle* p)
{
    float k = s->sign * p->z, reach = s->step + 2.0f * p->r;
    for (uint32_t bits = line->bits; bits; bits &= bits - 1u) {
        const float* at = line->k + (size_t)__builtin_ctz(bits) * line->step;
        if (fabsf(k - tarn_minf(at[0], at[line->step])) < reach) return true;
    }
    return false;
}

static void offer_particle(const TarnScreenMesh* s, Outline* o, int particle)
{
    const ScreenParticle* p = &s->sorted[particle];
    int first = p->j0 > o->j ? p->j0 - o->j : 0;
    int last = p->j1 - o->j < o->n_rows ? p->j1 - o->j : o->n_rows - 1;
    uint32_t across = span(p->i0 - o->i, p->i1 - o->i), along = span(first, last);
    if (across == 0 || along == 0) return;
    for (int b = first; b <= last; ++b) {
        uint32_t bits = o->rows[b] & across;
        if (bits == 0) continue;
        Line line = line_of(s, o, 0, b, bits);
        if (is_deep_enough(s, &line, p)) offer_line(s, o, &line, particle);
    }
    for (uint32_t left = o->any_column & across; left; left &= left - 1u) {
        int a = __builtin_ctz(left);
        uint32_t bits = o->columns[a] & along;
        if (bits == 0) continue;
        Line line = line_of(s, o, 1, a, bits);
        if (is_deep_enough(s, &line, p)) offer_line(s, o, &line, particle);
    }
}

// The front vertices of a tile, in their places among those of the row.
static void store_outline(const TarnScreenMesh* s, const Outline* o, int axis, int b)
{
    const ScreenLayer* l = s->now;
    int tx = o->i / SCREEN_TILE_X, j = o->j + b;
    const ScreenRow* row = &l->rows[j];
    size_t word = screen_word(s, tx, j);
    int to = row->first_outline;
    to += axis == 0 ? l->rank_x[word] : row->n[SCREEN_FRONT_X] + l->rank_y[word];
    uint32_t bits = axis == 0 ? l->front_x[word] : l->front_y[word];
    size_t step = axis == 0 ? 1 : (size_t)s->stride;
    for (; bits; bits &= bits - 1u, ++to) {
        int a = __builtin_ctz(bits), slot = b * SCREEN_TILE_X + a, i = o->i + a;
        const float* k = l->k + screen_node(s, i, j);
        bool is_up = k[0] < k[step]; // the first node is the near one
        bool is_found = o->way[axis][slot] >= 0.0f;
        float way = tarn_clampf(o->way[axis][slot], least_way, 1.0f); // not found: -1
        float place = is_up ? way : 1.0f - way;
        s->out_x[to] = (float)i + (axis == 0 ? place : 0.0f);
        s->out_y[to] = (float)j + (axis == 1 ? place : 0.0f);
        s->out_k[to] = is_found ? o->k[axis][slot] : is_up ? k[0] : k[step];
        s->owner[to] = is_found ? o->owner[axis][slot] : -1;
        s->partner[2 * to] = s->partner[2 * to + 1] = -1;
        int near = axis == 0 ? j * s->nx + i + !is_up : (j + !is_up) * s->nx + i;
        s->anchor[to] = 4 * near + 2 * axis + !is_up;
    }
}

// The edges of a tile that have front vertices. False: there are none.
static bool begin_outline(const TarnScreenMesh* s, int tile, Outline* o)
{
    const ScreenLayer* l = s->now;
    int tx = tile % s->tiles_x;
    o->i = tx * SCREEN_TILE_X, o->j = tile / s->tiles_x * SCREEN_TILE_Y;
    o->n_rows = s->ny - o->j < SCREEN_TILE_Y ? s->ny - o->j : SCREEN_TILE_Y;
    o->any_column = 0, o->least = INFINITY, o->most = -INFINITY;
    memset(o->columns, 0, sizeof o->columns);
    uint32_t any = 0;
    for (int b = 0; b < o->n_rows; ++b) {
        size_t word = screen_word(s, tx, o->j + b);
        const float* k = l->k + screen_node(s, o->i, o->j + b);
        o->rows[b] = l->front_x[word];
        o->any_column |= l->front_y[word];
        any |= l->front_x[word] | l->front_y[word];
        for (uint32_t bits = l->front_x[word]; bits; bits &= bits - 1u) {
            int a = __builtin_ctz(bits);
            float near = tarn_minf(k[a], k[a + 1]);
            o->least = tarn_minf(o->least, near), o->most = tarn_maxf(o->most, near);
        }
        for (uint32_t bits = l->front_y[word]; bits; bits &= bits - 1u) {
            int a = __builtin_ctz(bits);
            float near = tarn_minf(k[a], k[a + s->stride]);
            o->least = tarn_minf(o->least, near), o->most = tarn_maxf(o->most, near);
            o->columns[a] |= 1u << b;
        }
    }
    for (int n = 0; n < o->n_rows * SCREEN_TILE_X; ++n) o->way[0][n] = o->way[1][n] = -1.0f;
    return any != 0;
}

static void outline(const TarnScreenMesh* s, int tile)
{
    Outline o;
    ScreenRange ranges[4 * SCREEN_LEVELS];
    if (!begin_outline(s, tile, &o)) return;
    int n_ranges = screen_ranges(s, tile, ranges);
    for (int r = 0; r < n_ranges; ++r) {
        for (int i = 0, n = ranges[r].end - ranges[r].begin; i < n; ++i) {
            int particle = s->sign > 0.0f ? ranges[r].begin + i : ranges[r].end - 1 - i;
            const ScreenParticle* p = &s->sorted[particle];
            float k = s->sign * p->z, reach = 2.0f * p->r + s->step;
            if (k - reach - s->depth_slack > o.most) break;
            if (k + reach > o.least) offer_particle(s, &o, particle);
        }
    }
    for (int b = 0; b < o.n_rows; ++b) {
        store_outline(s, &o, 0, b);
        store_outline(s, &o, 1, b);
    }
}

const ScreenOutlineKernels TARN_KERNEL(tarn__screen_outline_kernels) = { outline };
