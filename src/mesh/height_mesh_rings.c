// Where the rings of a height-field mesh lie, their nodes and their triangles.
//
// Method   A nest of square grids as in geometry clipmaps [Losasso2004], each in steps of two of its own
//          cells, so that vertices stay where they are while the camera moves. In the outer part of a ring
//          odd nodes glide along the edges of the coarser ring to its vertices [Strugar2009]; where they
//          have arrived they are the same vertex, and triangles that have lost an edge are left out. So
//          what is left at the rim of a ring are the triangles of the next one: no cracks, no T-junctions,
//          and nothing changes when a ring takes a step.
// Differs  a node in the middle of a coarser cell glides along its diagonal. All nodes stay on edges of the
//          coarser triangles (or, in a cell cut short, ahead of the others), so no triangle turns over.
//          Columns and rows beyond the rectangle are moved to its edge. A middle node of a coarser cell that
//          is cut short that way stays with the node beside it on the edge (as_edge_node).
// Checked  tests/unit/test_height_mesh.c, `tarn check mesh.height`.

#include "base/maths.h"
#include "mesh/height_mesh_internal.h"
#include <math.h>

// ---- Levels --------------------------------------------------------------------------------------

// Odd nodes have arrived one cell before the rim, as far as the camera may be off the middle of its ring.
// They begin beyond the rim of the finer ring, wherever that may lie, and the two cells that they look ahead.
static const double glide_share = 0.7; // of half a ring's width
static const double glide_least = 2.51,
                    glide_rest = 1.0001; // cells beyond half of it, cells before the rim

// A last cell thinner than this share of a finest one is made part of the one before.
static const double thinnest = 1e-3;

static double into(double x, double lo, double hi)
{
    return x < lo ? lo : x > hi ? hi : x;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static int64_t first_node(double eye, double anchor, double size, int cells)
{
    return 2 * (int64_t)floor((eye - anchor) / (2.0 * size) + 0.5) - cells / 2;
}

// Places of columns (or rows), and which of them are needed to cover [lo, hi].
static void place_line(int cells, int64_t first, double anchor, double size, double lo, double hi,
                       double hair, int low_side, double* x, uint8_t* side, int* from, int* to)
{
    *from = 0;
    *to = cells;
    for (int i = cells; i >= 0; --i) {
        x[i] = anchor + (double)(first + i) * size;
        side[i] = (uint8_t)(x[i] <= lo + hair ? low_side : x[i] >= hi - hair ? 2 * low_side : 0);
        if (side[i] == 2 * low_side && i % 2 == 0) *to = i;
        if (side[i] == low_side && i % 2 == 0 && *from == 0) *from = i;
        if (side[i]) x[i] = side[i] == low_side ? lo : hi;
    }
}

static void place_hole(TarnHeightMesh* h, int l)
{
    HeightLevel* level = &h->level[l];
    level->hole_i0 = level->hole_i1 = level->hole_k0 = level->hole_k1 = 0;
    if (l == h->first_level) return;
    const HeightLevel* finer = level - 1;
    level->hole_i0 = (int)(finer->first_i / 2 - level->first_i);
    level->hole_k0 = (int)(finer->first_k / 2 - level->first_k);
    level->hole_i1 = level->hole_i0 + h->def.cells / 2;
    level->hole_k1 = level->hole_k0 + h->def.cells / 2;
}

static void place_level(TarnHeightMesh* h, int l)
{
    const TarnHeightMeshSource* s = h->source;
    HeightLevel* level = &h->level[l];
    int n = h->def.cells;
    double size = (double)s->cell * (double)(1 << l), half = 0.5 * n * size;
    double hair = thinnest * (double)s->cell;
    level->first_i = first_node(h->eye_x, (double)s->anchor.x, size, n);
    level->first_k = first_node(h->eye_z, (double)s->anchor.y, size, n);
    place_line(n, level->first_i, (double)s->anchor.x, size, (double)s->min.x, (double)s->max.x,
               hair, HEIGHT_X0, level->x, level->side_x, &level->i0, &level->i1);
    place_line(n, level->first_k, (double)s->anchor.y, size, (double)s->min.y, (double)s->max.y,
               hair, HEIGHT_Z0, level->z, level->side_z, &level->k0, &level->k1);
    level->is_last = l == h->def.levels - 1;
    level->glide_from = level->glide_to = INFINITY;
    if (level->is_last) return;
    level->glide_from = larger(glide_share * half, 0.5 * half + glide_least * size);
    level->glide_to = half - glide_rest * size;
}

void tarn__height_place_levels(TarnHeightMesh* h)
{
    const TarnHeightMeshSource* s = h->source;
    double x = (double)s->camera.x, z = (double)s->camera.z;
    h->eye_x = into(x, (double)s->min.x, (double)s->max.x);
    h->eye_z = into(z, (double)s->min.y, (double)s->max.y);
    double out_x = fabs(x - h->eye_x), out_z = fabs(z - h->eye_z);
    double up = (double)s->altitude_weight * fabs((double)s->camera.y - (double)s->level);
    h->away = out_x > out_z ? out_x : out_z;
    if (up > h->away) h->away = up;
    h->first_level = 0;
    for (int l = 0; l < h->def.levels; ++l) {
        place_level(h, l);
        if (h->away >= h->level[l].glide_to) h->first_level = l + 1;
    }
    for (int l = h->first_level; l < h->def.levels; ++l) place_hole(h, l);
}

// ---- Nodes ---------------------------------------------------------------------------------------

static int32_t node_of(const TarnHeightMesh* h, int l, int i, int k)
{
    int n = h->def.cells + 1;
    return (l * n + k) * n + i;
}

// How far a node at a distance from the camera along x and z has glided, 0 to 1.
static double glided(const TarnHeightMesh* h, const HeightLevel* level, double away_x,
                     double away_z)
{
    if (level->is_last) return 0.0;
    double r = larger(larger(away_x, away_z), h->away);
    double share = (r - level->glide_from) / (level->glide_to - level->glide_from);
    // The last 1/16384 of a cell at once: vertices that close are one in floats far from the origin.
    const double hair = 0x1p-14;
    return share > hair ? (share < 1.0 - hair ? share : 1.0) : 0.0;
}

// The same for columns i - di to i + di and rows k - dk to k + dk: the farthest counts.
static double glided_within(const TarnHeightMesh* h, const HeightLevel* level, int i, int k, int di,
                            int dk)
{
    int n = h->def.cells, i0 = i - di, i1 = i + di;
    int k0 = k - dk > 0 ? k - dk : 0, k1 = k + dk < n ? k + dk : n;
    double x0 = fabs(level->x[i0 > 0 ? i0 : 0] - h->eye_x);
    double x1 = fabs(level->x[i1 < n ? i1 : n] - h->eye_x);
    double z0 = fabs(level->z[k0] - h->eye_z), z1 = fabs(level->z[k1] - h->eye_z);
    return glided(h, level, larger(x0, x1), larger(z0, z1));
}

// Nodes of a coarser cell must arrive in an order that leaves no triangle on a line: in the middle of the
// cell not after those beside it along x; between two cells along z not after the middles of both. (In a
// row cut off by the far edge of the rectangle there are no middles: nodes between two cells along x come
// with the others.) The order also keeps nodes from passing the middle of a cell that is cut short, where it
// is not quite on the diagonal.
static double glided_node(const TarnHeightMesh* h, const HeightLevel* level, int i, int k)
{
    bool is_odd_x = i % 2 != 0, is_odd_z = k % 2 != 0;
    if (is_odd_x) return glided_within(h, level, i, k, 1, is_odd_z ? 1 : 2);
    return level->side_z[k] ? glided_within(h, level, i, k, 2, 1)
                            : glided_within(h, level, i, k, 0, 0);
}

// On the rim of a ring, where the coarser one begins; there is none beyond the rectangle.
static bool is_rim(const TarnHeightMesh* h, const HeightLevel* level, int i, int k)
{
    int n = h->def.cells;
    if (level->is_last) return false;
    return ((i == 0 || i == n) && !level->side_x[i]) || ((k == 0 || k == n) && !level->side_z[k]);
}

static bool is_in_hole(const HeightLevel* level, int i, int k) // not on its rim
{
    return i > level->hole_i0 && i < level->hole_i1 && k > level->hole_k0 && k < level->hole_k1;
}

typedef struct Node {
    double x, z;
    int32_t same; // the node that it has become, -1: it is itself
} Node;

static Node become(const TarnHeightMesh* h, int l, int i, int k)
{
    return (Node){ .same = node_of(h, l, i, k) };
}

// An odd column or row that the rectangle's edge cuts off: its middle nodes stay with their neighbor on the
// edge. Lower edges first, or nodes in the corners would lie on a line with two others.
static bool as_edge_node(const HeightLevel* level, int* i, int* k)
{
    if (level->side_x[*i] == HEIGHT_X0)
        --*i;
    else if (level->side_z[*k] == HEIGHT_Z0)
        --*k;
    else if (level->side_x[*i])
        ++*i;
    else if (level->side_z[*k])
        ++*k;
    else
        return false;
    return true;
}

// Of coarser cells the corners are even, odd nodes are in the middle of edges or of the diagonal from
// (i + 1, k - 1) to (i - 1, k + 1), and glide to the end of it that has the lower index along an axis.
static Node place_node(const TarnHeightMesh* h, int l, int i, int k)
{
    const HeightLevel* level = &h->level[l];
    bool is_odd_x = i % 2 != 0, is_odd_z = k % 2 != 0, is_on_rim = is_rim(h, level, i, k);
    Node node = { level->x[i], level->z[k], -1 };
    if (!is_odd_x && !is_odd_z) {
        if (!is_on_rim) return node;
        const HeightLevel* coarser = level + 1;
        return become(h, l + 1, (int)((level->first_i + i) / 2 - coarser->first_i),
                      (int)((level->first_k + k) / 2 - coarser->first_k));
    }
    if (is_odd_x && is_odd_z) {
        if (as_edge_node(level, &i, &k)) return become(h, l, i, k);
        double share = glided_node(h, level, i, k);
        if (share >= 1.0) return become(h, l, i + 1, k - 1);
        node.x += share * (level->x[i + 1] - node.x);
        node.z += share * (level->z[k - 1] - node.z);
        return node;
    }
    double share = is_on_rim ? 1.0 : glided_node(h, level, i, k);
    int side = is_odd_x ? level->side_x[i] : level->side_z[k], di = is_odd_x, dk = is_odd_z;
    if (share >= 1.0 || side == HEIGHT_X0 || side == HEIGHT_Z0) return become(h, l, i - di, k - dk);
    if (share <= 0.0 && side) return become(h, l, i + di, k + dk);
    node.x += share * (level->x[i - di] - node.x);
    node.z += share * (level->z[k - dk] - node.z);
    return node;
}

// ---- Points --------------------------------------------------------------------------------------

static bool is_sound(TarnVec3 v)
{
    const float most = 1e15f;
    return fabsf(v.x) <= most && fabsf(v.y) <= most && fabsf(v.z) <= most;
}

// What the surface says of n points in a row. Nothing that is not a number gets further.
void tarn__height_sample(const TarnHeightMesh* h, int first, int n)
{
    const TarnHeightMeshSource* s = h->source;
    TarnSurfaceSamples out = { .height = h->height + first,
                               .normal = h->mesh->normal ? h->normal + first : NULL,
                               .velocity = h->mesh->velocity ? h->velocity + first : NULL,
                               .depth = h->depth + first };
    s->surface.query(s->surface.self, n, h->x + first, h->z + first, &out);
    for (int p = first; p < first + n; ++p) {
        h->is_wet[p] = tarn__height_is_wet(s, h->height[p], h->depth[p]);
        if (!h->is_wet[p]) continue;
        if (!(h->depth[p] >= 0.0f && h->depth[p] <= 1e15f)) h->depth[p] = 0.0f;
        if (out.normal && !is_sound(h->normal[p])) h->normal[p] = (TarnVec3){ 0.0f, 1.0f, 0.0f };
        if (out.velocity && !is_sound(h->velocity[p])) h->velocity[p] = (TarnVec3){ 0 };
    }
}

void tarn__height_make_points(int b, void* data)
{
    TarnHeightMesh* h = data;
    HeightBlock* block = &h->blocks[b];
    const HeightLevel* level = &h->level[block->level];
    int p = block->first_point;
    int k0 = block->k0 > level->k0 ? block->k0 : level->k0;
    int k1 = block->k1 <= level->k1 ? block->k1 : level->k1 + 1;
    for (int k = k0; k < k1 && block->level >= h->first_level; ++k) {
        for (int i = level->i0; i <= level->i1; ++i) {
            if (is_in_hole(level, i, k)) continue;
            int32_t* point = &h->point[node_of(h, block->level, i, k)];
            Node node = place_node(h, block->level, i, k);
            *point = node.same < 0 ? p : ~node.same;
            if (node.same >= 0) continue;
            h->x[p] = (float)node.x;
            h->z[p] = (float)node.z;
            h->side[p] = (uint8_t)((i % 2 ? 0 : level->side_x[i]) | (k % 2 ? 0 : level->side_z[k]));
            h->is_used[p] = h->is_hanging[p] = 0;
            ++p;
        }
    }
    block->n_points = p - block->first_point;
    if (block->n_points > 0) tarn__height_sample(h, block->first_point, block->n_points);
}

// ---- Triangles -----------------------------------------------------------------------------------

static int32_t point_of(const TarnHeightMesh* h, int32_t node)
{
    int32_t p = h->point[node];
    while (p < 0) p = h->point[~p];
    return p;
}

// Several blocks may use a point, and all write the same.
static void use(TarnHeightMesh* h, int32_t p)
{
    if (!__atomic_load_n(&h->is_used[p], __ATOMIC_RELAXED))
        __atomic_store_n(&h->is_used[p], 1, __ATOMIC_RELAXED);
}

static void add_triangle(TarnHeightMesh* h, HeightBlock* block, int last, int32_t a, int32_t b,
                         int32_t c)
{
    if (a == b || b == c || c == a) return;
    int n_wet = h->is_wet[a] + h->is_wet[b] + h->is_wet[c];
    if (n_wet == 0) return;
    int t = n_wet == 3 ? block->first_triangle + block->n_whole++ : last - ++block->n_mixed;
    if (n_wet < 3) block->n_cut += n_wet;
    int32_t* corner = h->triangle + 3 * (size_t)t;
    corner[0] = a, corner[1] = b, corner[2] = c;
    for (int j = 0; j < 3; ++j)
        if (h->is_wet[corner[j]]) use(h, corner[j]);
}

// Most cells: four points of their own, all in water.
static bool add_plain(TarnHeightMesh* h, HeightBlock* block, const int32_t p[4])
{
    bool is_wet = h->is_wet[p[0]] & h->is_wet[p[1]] & h->is_wet[p[2]] & h->is_wet[p[3]];
    bool is_own =
        (p[0] != p[1]) & (p[0] != p[2]) & (p[1] != p[2]) & (p[1] != p[3]) & (p[2] != p[3]);
    if (!is_wet || !is_own) return false;
    int32_t* corner = h->triangle + 3 * (size_t)(block->first_triangle + block->n_whole);
    const int32_t two[6] = { p[0], p[2], p[1], p[1], p[2], p[3] };
    memcpy(corner, two, sizeof two);
    block->n_whole += 2;
    for (int j = 0; j < 4; ++j) use(h, p[j]);
    return true;
}

// Cells are cut as the solvers cut them, from (i + 1, k) to (i, k + 1).
static void add_row(TarnHeightMesh* h, HeightBlock* block, int last, int k)
{
    const HeightLevel* level = &h->level[block->level];
    int n = h->def.cells + 1;
    bool is_beside_hole = k < level->hole_k0 || k >= level->hole_k1;
    int32_t row = node_of(h, block->level, 0, k);
    for (int i = level->i0; i < level->i1; ++i) {
        if (!is_beside_hole && i >= level->hole_i0 && i < level->hole_i1) continue;
        const int32_t p[4] = { point_of(h, row + i), point_of(h, row + i + 1),
                               point_of(h, row + n + i), point_of(h, row + n + i + 1) };
        if (add_plain(h, block, p)) continue;
        add_triangle(h, block, last, p[0], p[2], p[1]);
        add_triangle(h, block, last, p[1], p[2], p[3]);
    }
}

void tarn__height_make_triangles(int b, void* data)
{
    TarnHeightMesh* h = data;
    HeightBlock* block = &h->blocks[b];
    const HeightLevel* level = &h->level[block->level];
    block->n_whole = block->n_mixed = block->n_cut = block->n_hanging = 0;
    if (block->level < h->first_level) return;
    int last = tarn__height_last(h, block);
    for (int k = block->k0; k < block->k1; ++k)
        if (k >= level->k0 && k < level->k1) add_row(h, block, last, k);
}
