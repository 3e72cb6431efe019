// Screen-space meshes, second half: a map of depths to triangles. Compiled once per instruction set.
//
// Method   [Mueller2007ssm]: a vertex at every node that has a depth; on edges between nodes that are not
//          connected a front vertex (screen_outline_kernels.c) and a back vertex for the surface behind. In a cell, each run of connected nodes and the vertices
//          on the cut edges at its two ends is a polygon.
// Differs  Back vertices lie under the near node, not at the front vertex: the surface behind goes on under the
//          one in front, and smoothing an outline opens no gap to it.
//          The cases of a cell are not in a table: runs are found by walking around it.
// Checked  tests/unit/test_screen_mesh.c
// Cost     tarn bench mesh.screen

#include "base/kernels.h"
#include "mesh/screen_mesh_internal.h"

// ---- Counting ------------------------------------------------------------------------------------

TARN_INLINE int ones(uint32_t word)
{
    return __builtin_popcount(word);
}

// Of the cells of a word: as many triangles as nodes, but two where nothing is cut and three where one edge is.
TARN_INLINE int triangles_of(const ScreenLayer* l, size_t here, size_t above, uint32_t cells)
{
    uint32_t p0 = l->present[here], p1 = screen_next(l->present + here);
    uint32_t p3 = l->present[above], p2 = screen_next(l->present + above);
    uint32_t c0 = l->cut_x[here], c2 = l->cut_x[above];
    uint32_t c3 = l->cut_y[here], c1 = screen_next(l->cut_y + here);
    uint32_t all = p0 & p1 & p2 & p3 & cells;
    uint32_t is_none = all & ~(c0 | c1 | c2 | c3);
    uint32_t is_one = all & ((c0 ^ c1) ^ (c2 ^ c3)) & ~((c0 & c1) | (c2 & c3));
    return ones(p0 & cells) + ones(p1 & cells) + ones(p2 & cells) + ones(p3 & cells) -
           2 * ones(is_none) - ones(is_one);
}

// Bits of nodes of a word with a right neighbor in the picture.
TARN_INLINE uint32_t inner_bits(const TarnScreenMesh* s, int w)
{
    int n = s->nx - 1 - SCREEN_TILE_X * w;
    return n >= SCREEN_TILE_X ? ~0u : n <= 0 ? 0u : (1u << n) - 1u;
}

static void count(const TarnScreenMesh* s, int row)
{
    const ScreenLayer* l = s->now;
    ScreenRow* r = &l->rows[row];
    bool is_last = row == s->ny - 1;
    *r = (ScreenRow){ 0 };
    for (int w = 0; w < s->words; ++w) {
        size_t here = screen_word(s, w, row), above = screen_word(s, w, is_last ? row : row + 1);
        uint32_t p = l->present[here], right = screen_next(l->present + here);
        uint32_t up = is_last ? 0u : l->present[above], inner = inner_bits(s, w);
        uint32_t cut_x = l->cut_x[here] & inner, cut_y = is_last ? 0u : l->cut_y[here];
        l->rank_x[here] = (uint16_t)r->n[SCREEN_FRONT_X];
        l->rank_y[here] = (uint16_t)r->n[SCREEN_FRONT_Y];
        l->front_x[here] = cut_x & (p | right), l->back_x[here] = cut_x & p & right;
        l->front_y[here] = cut_y & (p | up), l->back_y[here] = cut_y & p & up;
        r->n[SCREEN_NODES] += ones(p);
        r->n[SCREEN_FRONT_X] += ones(l->front_x[here]);
        r->n[SCREEN_FRONT_Y] += ones(l->front_y[here]);
        r->n[SCREEN_BACK_X] += ones(l->back_x[here]);
        r->n[SCREEN_BACK_Y] += ones(l->back_y[here]);
        if (!is_last) r->n_triangles += triangles_of(l, here, above, inner);
    }
}

// ---- Triangles -----------------------------------------------------------------------------------

// A vertex of a cell: its number in the mesh; of a front vertex also its place among the outlines, and which of
// its two cells this one is.
typedef struct Corner {
    int vertex, outline, side;
} Corner;

// What a row of cells counts while it goes along: vertices up to the cell.
typedef struct Walk {
    int node[2]; // of the rows below and above
    int front_x[2], back_x[2];
    int front_y, back_y;
    int outline_x[2], outline_y;
    uint32_t* out;
} Walk;

TARN_INLINE void emit(const TarnScreenMesh* s, Walk* w, int a, int b, int c)
{
    if (!w->out) return;
    bool is_turned = (s->sign < 0.0f) != s->view.is_mirrored;
    w->out[0] = (uint32_t)a;
    w->out[1] = (uint32_t)(is_turned ? c : b);
    w->out[2] = (uint32_t)(is_turned ? b : c);
    w->out += 3;
}

typedef struct Cell {
    int node[4]; // counter-clockwise from the lower left
    float k[4];
    bool is_present[4], is_cut[4]; // edge e from node e to the next
    Corner front[4], back[4];
} Cell;

// The vertex that ends a surface on a cut edge, on the side of a node: the front one if this is the near node.
TARN_INLINE Corner end_of(const Cell* c, int edge, int node)
{
    int other = node == edge ? (edge + 1) & 3 : edge;
    return c->k[node] < c->k[other] ? c->front[edge] : c->back[edge];
}

TARN_INLINE void link(const TarnScreenMesh* s, Corner a, Corner b)
{
    if (a.outline < 0 || b.outline < 0) return;
    s->partner[2 * a.outline + a.side] = b.outline;
    s->partner[2 * b.outline + b.side] = a.outline;
}

// A run of n connected nodes from `first` on, cut off at both ends.
static void emit_run(const TarnScreenMesh* s, Walk* w, const Cell* c, int first, int n)
{
    int last = (first + n - 1) & 3, second = (first + 1) & 3;
    Corner begin = end_of(c, (first + 3) & 3, first), end = end_of(c, last, last);
    if (n == 4) { // one edge is cut: a tear ends here, at the node beside the near one
        bool is_first_near = c->k[first] < c->k[last];
        Corner front = is_first_near ? begin : end, back = is_first_near ? end : begin;
        const int* v = c->node;
        int third = (first + 2) & 3;
        if (is_first_near) {
            emit(s, w, front.vertex, v[first], v[second]);
            emit(s, w, v[second], v[third], back.vertex);
            emit(s, w, v[third], v[last], back.vertex);
        } else {
            emit(s, w, v[third], v[last], front.vertex);
            emit(s, w, back.vertex, v[first], v[second]);
            emit(s, w, back.vertex, v[second], v[third]);
        }
        return;
    }
    link(s, begin, end);
    if (n == 1) {
        emit(s, w, begin.vertex, c->node[first], end.vertex);
    } else if (n == 2) {
        emit(s, w, begin.vertex, c->node[first], c->node[last]);
        emit(s, w, begin.vertex, c->node[last], end.vertex);
    } else {
        emit(s, w, begin.vertex, c->node[first], c->node[second]);
        emit(s, w, begin.vertex, c->node[second], end.vertex);
        emit(s, w, c->node[second], c->node[last], end.vertex);
    }
}

static void emit_cell(const TarnScreenMesh* s, Walk* w, const Cell* c)
{
    int n_cut = 0;
    for (int e = 0; e < 4; ++e) n_cut += c->is_cut[e];
    if (n_cut == 0) { // along the diagonal that bends less
        const int* v = c->node;
        bool is_rising = fabsf(c->k[0] - c->k[2]) <= fabsf(c->k[1] - c->k[3]);
        emit(s, w, v[0], v[1], is_rising ? v[2] : v[3]);
        emit(s, w, is_rising ? v[0] : v[1], v[2], v[3]);
        return;
    }
    for (int first = 0; first < 4; ++first) {
        if (!c->is_present[first] || !c->is_cut[(first + 3) & 3]) continue;
        int n = 1;
        while (!c->is_cut[(first + n - 1) & 3]) ++n;
        emit_run(s, w, c, first, n);
    }
}

// The cell right of node i, and the walk moves on to the next.
TARN_INLINE Cell next_cell(const TarnScreenMesh* s, Walk* w, int i, int row)
{
    const ScreenLayer* l = s->now;
    size_t here = screen_word(s, 0, row), above = screen_word(s, 0, row + 1);
    const float *k = l->k + screen_node(s, i, row), *k1 = k + s->stride;
    bool p0 = screen_bit(l->present + here, i), p3 = screen_bit(l->present + above, i);
    bool f0 = screen_bit(l->front_x + here, i), f2 = screen_bit(l->front_x + above, i);
    bool b0 = screen_bit(l->back_x + here, i), b2 = screen_bit(l->back_x + above, i);
    bool f3 = screen_bit(l->front_y + here, i), b3 = screen_bit(l->back_y + here, i);
    Cell c = {
        .node = { w->node[0], w->node[0] + p0, w->node[1] + p3, w->node[1] },
        .k = { k[0], k[1], k1[1], k1[0] },
        .is_present = { p0, screen_bit(l->present + here, i + 1),
                        screen_bit(l->present + above, i + 1), p3 },
        .is_cut = { screen_bit(l->cut_x + here, i), screen_bit(l->cut_y + here, i + 1),
                    screen_bit(l->cut_x + above, i), screen_bit(l->cut_y + here, i) },
        .front = { { w->front_x[0], w->outline_x[0], 0 },
                   { w->front_y + f3, w->outline_y + f3, 0 },
                   { w->front_x[1], w->outline_x[1], 1 },
                   { w->front_y, w->outline_y, 1 } },
        .back = { { w->back_x[0], -1, 0 },
                  { w->back_y + b3, -1, 0 },
                  { w->back_x[1], -1, 0 },
                  { w->back_y, -1, 0 } },
    };
    w->node[0] += p0, w->node[1] += p3;
    w->front_x[0] += f0, w->front_x[1] += f2, w->outline_x[0] += f0, w->outline_x[1] += f2;
    w->back_x[0] += b0, w->back_x[1] += b2;
    w->front_y += f3, w->outline_y += f3, w->back_y += b3;
    return c;
}

// Eight cells without a cut from node i on.
TARN_INLINE void emit_eight(const TarnScreenMesh* s, Walk* w, int i, int row)
{
    const float *k = s->now->k + screen_node(s, i, row), *k1 = k + s->stride;
    TarnF8 rising = f8_abs(f8_load(k) - f8_load(k1 + 1));
    TarnF8 falling = f8_abs(f8_load(k + 1) - f8_load(k1));
    unsigned is_falling = i8_mask_bits(f8_less(falling, rising));
    int a = w->node[0], b = w->node[1];
    for (int n = 0; n < TARN_LANES; ++n, ++a, ++b) {
        bool is_rising = !(is_falling >> n & 1u);
        emit(s, w, a, a + 1, is_rising ? b + 1 : b);
        emit(s, w, is_rising ? a : a + 1, b + 1, b);
    }
    w->node[0] = a, w->node[1] = b;
}

static void triangles(const TarnScreenMesh* s, int row)
{
    if (row == s->ny - 1) return;
    const ScreenLayer* l = s->now;
    const ScreenRow *r0 = &l->rows[row], *r1 = &l->rows[row + 1];
    if (r0->n_triangles == 0) return;
    Walk w = {
        .node = { r0->first[SCREEN_NODES], r1->first[SCREEN_NODES] },
        .front_x = { r0->first[SCREEN_FRONT_X], r1->first[SCREEN_FRONT_X] },
        .back_x = { r0->first[SCREEN_BACK_X], r1->first[SCREEN_BACK_X] },
        .front_y = r0->first[SCREEN_FRONT_Y],
        .back_y = r0->first[SCREEN_BACK_Y],
        .outline_x = { r0->first_outline, r1->first_outline },
        .outline_y = r0->first_outline + r0->n[SCREEN_FRONT_X],
    };
    if (s->mesh->index) w.out = s->mesh->index + 3 * (size_t)r0->first_triangle;
    for (int i = 0; i < s->nx - 1;) {
        int g = i & 31;
        size_t here = screen_word(s, i >> 5, row), above = screen_word(s, i >> 5, row + 1);
        uint32_t low = l->present[here] >> g, high = l->present[above] >> g;
        uint32_t cuts = (l->cut_x[here] | l->cut_x[above] | l->cut_y[here]) >> g;
        bool is_whole = (i & 7) == 0 && i + TARN_LANES < s->nx;
        if (is_whole && ((low | high | screen_next(l->present + here) >> g |
                          screen_next(l->present + above) >> g) &
                         255u) == 0) {
            i += TARN_LANES; // nothing there, and so no vertices to count
        } else if (is_whole && (cuts & 255u) == 0 && !(screen_next(l->cut_y + here) >> g & 128u)) {
            emit_eight(s, &w, i, row);
            i += TARN_LANES;
        } else {
            Cell c = next_cell(s, &w, i, row);
            emit_cell(s, &w, &c);
            ++i;
        }
    }
}

// ---- Vertices ------------------------------------------------------------------------------------

// A point of the view in the world.
TARN_INLINE TarnVec3 to_world(const ScreenView* v, float x, float y, float z)
{
    TarnVec3 p = vec3_add(vec3_scale(v->right, x), vec3_scale(v->up, y));
    return vec3_add(p, vec3_scale(v->ahead, z));
}

typedef struct Vectors8 {
    TarnF8 x, y, z;
} Vectors8;

TARN_INLINE Vectors8 to_world8(const ScreenView* v, Vectors8 p)
{
    return (Vectors8){ (v->right.x * p.x + v->up.x * p.y) + v->ahead.x * p.z,
                       (v->right.y * p.x + v->up.y * p.y) + v->ahead.y * p.z,
                       (v->right.z * p.x + v->up.z * p.y) + v->ahead.z * p.z };
}

TARN_INLINE TarnI8 lanes_of(uint32_t bits)
{
    const TarnI8 each = { 1, 2, 4, 8, 16, 32, 64, 128 };
    return i8_equal(i8_set((int32_t)bits) & each, each);
}

// Slope of k per node, over the connected edges on both sides.
TARN_INLINE TarnF8 slope8(TarnF8 before, TarnF8 here, TarnF8 after, TarnI8 is_cut_before,
                          TarnI8 is_cut_after)
{
    const TarnF8 zero = f8_set(0.0f), one = f8_set(1.0f);
    TarnF8 low = f8_select(is_cut_before, zero, here - before);
    TarnF8 high = f8_select(is_cut_after, zero, after - here);
    TarnF8 half = f8_select(is_cut_before | is_cut_after, one, f8_set(0.5f));
    return half * (low + high);
}

// Normals of eight nodes, out of the liquid. A surface z(u, v) of rays z (u, v, 1) has the normal
// (z_u, z_v, -(z + u z_u + v z_v)) towards the eye; with k for z it is that of both layers.
TARN_INLINE Vectors8 normals8(const TarnScreenMesh* s, int i, int row)
{
    const ScreenLayer* l = s->now;
    const ScreenView* view = &s->view;
    const float* k = l->k + screen_node(s, i, row);
    const uint32_t* cut_x = l->cut_x + screen_word(s, i >> 5, row);
    const uint32_t* cut_y = l->cut_y + screen_word(s, i >> 5, row);
    int g = i & 31;
    uint32_t left = (cut_x[0] << 1 | cut_x[-1] >> 31) >> g, below = cut_y[-s->word_stride] >> g;
    TarnF8 here = f8_load(k);
    TarnF8 ku = view->scale_x * slope8(f8_load(k - 1), here, f8_load(k + 1), lanes_of(left),
                                       lanes_of(cut_x[0] >> g));
    TarnF8 kv = view->scale_y * slope8(f8_load(k - s->stride), here, f8_load(k + s->stride),
                                       lanes_of(below), lanes_of(cut_y[0] >> g));
    TarnF8 ahead = f8_set(-s->sign);
    if (view->is_perspective) ahead = -(here + f8_load(s->u + i) * ku + s->v[row] * kv);
    TarnF8 length = f8_sqrt(ku * ku + kv * kv + ahead * ahead);
    TarnF8 inverse = 1.0f / f8_max(length, f8_set(1e-30f));
    return to_world8(view, (Vectors8){ ku * inverse, kv * inverse, ahead * inverse });
}
TARN_INLINE TarnVec3 normal_at(const TarnScreenMesh* s, int i, int row)
{
    Vectors8 n = normals8(s, i & ~(TARN_LANES - 1), row);
    int l = i & (TARN_LANES - 1);
    return (TarnVec3){ n.x[l], n.y[l], n.z[l] };
}

// What a vertex takes over from a particle; 0 for what is not there or no number.
TARN_INLINE float carried(const float* values, size_t at)
{
    return values && tarn__is_finite(values[at]) ? values[at] : 0.0f;
}
TARN_INLINE void carry(const TarnScreenMesh* s, int vertex, int particle)
{
    const TarnPoints* p = s->points;
    TarnMesh* mesh = s->mesh;
    if (mesh->velocity)
        mesh->velocity[vertex] =
            (TarnVec3){ carried(p->vx, (size_t)particle), carried(p->vy, (size_t)particle),
                        carried(p->vz, (size_t)particle) };
    if (!mesh->attribute) return;
    float* to = mesh->attribute + (size_t)vertex * (size_t)mesh->n_attributes;
    size_t from = (size_t)particle * (size_t)p->n_attributes;
    for (int a = 0; a < mesh->n_attributes; ++a)
        to[a] = a < p->n_attributes ? carried(p->attribute, from + (size_t)a) : 0.0f;
}

static void write_vertex(const TarnScreenMesh* s, int vertex, float x, float y, float z,
                         TarnVec3 normal, int particle)
{
    const ScreenView* view = &s->view;
    float u = (x - view->center_x) / view->scale_x, v = (y - view->center_y) / view->scale_y;
    if (view->is_perspective) u *= z, v *= z;
    if (s->mesh->position) s->mesh->position[vertex] = vec3_add(view->eye, to_world(view, u, v, z));
    if (s->mesh->normal) s->mesh->normal[vertex] = normal;
    carry(s, vertex, particle);
}

static void node_vertices(const TarnScreenMesh* s, int row)
{
    const ScreenLayer* l = s->now;
    const ScreenView* view = &s->view;
    TarnMesh* mesh = s->mesh;
    int to = l->rows[row].first[SCREEN_NODES];
    for (int i = 0; i < s->nx; i += TARN_LANES) {
        uint32_t bits = l->present[screen_word(s, i >> 5, row)] >> (i & 31) & 255u;
        if (bits == 0) continue;
        size_t node = screen_node(s, i, row);
        TarnF8 z = s->sign * f8_load(l->k + node), across = view->is_perspective ? z : f8_set(1.0f);
        Vectors8 p = { f8_load(s->u + i) * across, s->v[row] * across, z };
        p = to_world8(view, p);
        p.x += view->eye.x, p.y += view->eye.y, p.z += view->eye.z;
        Vectors8 n = { p.x, p.x, p.x };
        if (mesh->normal) n = normals8(s, i, row);
        for (; bits; bits &= bits - 1u, ++to) {
            int a = __builtin_ctz(bits);
            if (mesh->position) mesh->position[to] = (TarnVec3){ p.x[a], p.y[a], p.z[a] };
            if (mesh->normal) mesh->normal[to] = (TarnVec3){ n.x[a], n.y[a], n.z[a] };
            if (mesh->velocity || mesh->attribute) carry(s, to, l->seen[node + (size_t)a]);
        }
    }
}

// At the outline of a particle the normal is that of its sphere.
static void front_vertex(const TarnScreenMesh* s, int vertex, int outline)
{
    const ScreenView* view = &s->view;
    int node = s->anchor[outline] >> 2, i = node % s->nx, j = node / s->nx;
    float z = s->sign * s->out_k[outline];
    if (s->owner[outline] < 0) {
        write_vertex(s, vertex, s->out_x[outline], s->out_y[outline], z, normal_at(s, i, j),
                     s->now->seen[screen_node(s, i, j)]);
        return;
    }
    const ScreenParticle* p = &s->sorted[s->owner[outline]];
    float u = (s->out_x[outline] - view->center_x) / view->scale_x;
    float v = (s->out_y[outline] - view->center_y) / view->scale_y;
    if (view->is_perspective) u *= z, v *= z;
    TarnVec3 out = vec3_normalize((TarnVec3){ u - p->x, v - p->y, z - p->z });
    if (!(vec3_dot(out, out) > 0.5f)) out = (TarnVec3){ 0.0f, 0.0f, -s->sign };
    write_vertex(s, vertex, s->out_x[outline], s->out_y[outline], z,
                 to_world(view, out.x, out.y, out.z), p->index);
}

// The surface behind goes on to the place of the near node, along its slope but not into the one in front.
static void back_vertex(const TarnScreenMesh* s, int vertex, int axis, int i, int j)
{
    const ScreenLayer* l = s->now;
    int di = axis == 0, dj = axis == 1;
    const float* k = l->k + screen_node(s, i, j);
    bool is_up = k[0] < (axis == 0 ? k[1] : k[s->stride]); // (i, j) is the near node
    int far_i = i + (is_up ? di : 0), far_j = j + (is_up ? dj : 0);
    int way = is_up ? 1 : -1; // from near to far
    int next_i = far_i + way * di, next_j = far_j + way * dj;
    float far = l->k[screen_node(s, far_i, far_j)], rise = 0.0f;
    bool is_inside = next_i >= 0 && next_i < s->nx && next_j >= 0 && next_j < s->ny;
    int edge_i = is_up ? far_i : next_i, edge_j = is_up ? far_j : next_j;
    const uint32_t* cut = axis == 0 ? l->cut_x : l->cut_y;
    if (is_inside && !screen_bit(cut + screen_word(s, 0, edge_j), edge_i))
        rise = far - l->k[screen_node(s, next_i, next_j)];
    float at = far + tarn_clampf(rise, -0.5f * s->step, s->step);
    write_vertex(s, vertex, (float)(is_up ? i : i + di), (float)(is_up ? j : j + dj), s->sign * at,
                 normal_at(s, far_i, far_j), l->seen[screen_node(s, far_i, far_j)]);
}

static void vertices(const TarnScreenMesh* s, int row)
{
    const ScreenLayer* l = s->now;
    const ScreenRow* r = &l->rows[row];
    node_vertices(s, row);
    for (int n = 0; n < r->n[SCREEN_FRONT_X] + r->n[SCREEN_FRONT_Y]; ++n)
        front_vertex(s, r->first[SCREEN_FRONT_X] + n, r->first_outline + n);
    int to[2] = { r->first[SCREEN_BACK_X], r->first[SCREEN_BACK_Y] };
    for (int w = 0; w < s->words; ++w) {
        size_t word = screen_word(s, w, row);
        for (int axis = 0; axis < 2; ++axis) {
            uint32_t bits = axis == 0 ? l->back_x[word] : l->back_y[word];
            for (; bits; bits &= bits - 1u)
                back_vertex(s, to[axis]++, axis, SCREEN_TILE_X * w + __builtin_ctz(bits), row);
        }
    }
}

const ScreenShapeKernels TARN_KERNEL(tarn__screen_shape_kernels) = { count, triangles, vertices };
