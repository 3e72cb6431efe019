// Where the shore cuts the edges of a height-field mesh, and what is left of its triangles.
//
// Method   An edge between water and land gets one vertex, the last place of it that is in water, which
//          both of its triangles use. A surface tells depths in water only, 0 on land; so the place is
//          closed in from both sides by the line through the last two depths in water, aimed a little
//          before and then a little beyond the place where it meets 0, and by bisection where that does
//          not get on.
// Checked  tests/unit/test_height_mesh.c.
//
// An edge that leaves the water and comes back is cut where one of these was found; islands and ponds
// between two vertices are not seen.

#include "base/maths.h"
#include "mesh/height_mesh_internal.h"

bool tarn__height_is_wet(const TarnHeightMeshSource* source, float height, float depth)
{
    bool is_number = fabsf(height) <= 1e15f;
    return is_number && (!source->has_shore || (depth > source->dry_depth && depth <= 1e15f));
}

// ---- Which edges ---------------------------------------------------------------------------------

static uint32_t place_in_table(const TarnHeightMesh* h, int32_t wet, int32_t dry)
{
    uint32_t key = (uint32_t)wet * 0x9e3779b1u ^ (uint32_t)dry * 0x85ebca77u;
    uint32_t at = (key ^ key >> 15) & h->table_mask;
    for (;; at = (at + 1) & h->table_mask) {
        int32_t cut = h->table[at] - 1;
        if (cut < 0 || (h->wet_end[cut] == wet && h->dry_end[cut] == dry)) return at;
    }
}

static void add_cut(TarnHeightMesh* h, int32_t wet, int32_t dry)
{
    uint32_t at = place_in_table(h, wet, dry);
    if (h->table[at] != 0) return;
    TARN_ASSERT(h->ctx, h->n_cuts < h->max_cuts);
    h->wet_end[h->n_cuts] = wet;
    h->dry_end[h->n_cuts] = dry;
    h->table[at] = ++h->n_cuts;
}

static void clear_table(TarnHeightMesh* h, int n_mixed)
{
    int size = 64;
    while (size < h->max_table && size < 4 * n_mixed) size *= 2;
    h->table_mask = (uint32_t)size - 1;
    memset(h->table, 0, (size_t)size * sizeof *h->table);
}

void tarn__height_find_cuts(TarnHeightMesh* h)
{
    int n_mixed = 0;
    h->n_cuts = 0;
    for (int b = 0; b < h->n_blocks; ++b) n_mixed += h->blocks[b].n_mixed;
    if (n_mixed > 0) clear_table(h, n_mixed);
    for (int b = 0; b < h->n_blocks; ++b) {
        const HeightBlock* block = &h->blocks[b];
        const int32_t* last = h->triangle + 3 * (size_t)tarn__height_last(h, block);
        for (int t = 1; t <= block->n_mixed; ++t) {
            const int32_t* corner = last - 3 * t;
            for (int j = 0; j < 3; ++j) {
                int32_t a = corner[j], c = corner[(j + 1) % 3];
                if (h->is_wet[a] == h->is_wet[c]) continue;
                add_cut(h, h->is_wet[a] ? a : c, h->is_wet[a] ? c : a);
            }
        }
    }
    h->n_cut_blocks = (h->n_cuts + HEIGHT_CUTS_BATCH - 1) / HEIGHT_CUTS_BATCH;
}

// ---- Where they are cut --------------------------------------------------------------------------

enum { ROUNDS = 12 };
static const float close_enough = 0x1p-11f; // share of an edge

typedef struct Search {
    float wet, dry; // shares of the way from the wet end that are known to be in water, and on land
    float depth;    // at wet [m], over dry_depth
    float before, deeper; // the last place in water before, and the depth there
    float at;             // the share that is asked next
    float gap;            // dry - wet two rounds ago
    bool is_steady;       // the bed has the same slope before and behind the last place in water
} Search;

static float slope_of(const Search* s) // down towards the shore; NaN or 0: not known
{
    return (s->deeper - s->depth) / (s->wet - s->before);
}

static bool is_close(const Search* s)
{
    if (s->dry - s->wet <= close_enough) return true;
    return s->is_steady && s->depth <= close_enough * slope_of(s);
}

static float next_place(Search* s, int round)
{
    float gap = s->dry - s->wet, slope = slope_of(s);
    bool is_slow = round % 2 == 0 && gap > 0.5f * s->gap;
    if (round % 2 == 0) s->gap = gap;
    if (is_slow || !(slope > 0.0f)) return s->wet + 0.5f * gap;
    float at = s->wet + (s->is_steady || round % 2 == 1 ? 0.9995f : 2.0f) * s->depth / slope;
    if (at >= s->dry) at = s->wet + 0.9f * gap; // the bed rises faster at the end, but not by much
    return at > s->wet ? at : s->wet + 0.5f * gap;
}

static void learn(Search* s, bool is_wet, float depth)
{
    if (!is_wet) {
        s->dry = s->at;
        return;
    }
    float slope = slope_of(s);
    s->before = s->wet;
    s->deeper = s->depth;
    s->wet = s->at;
    s->depth = depth;
    s->is_steady = fabsf(slope_of(s) - slope) <= 0.1f * slope; // false for NaN
}

static void go_to(const TarnHeightMesh* h, int cut, float share, float* x, float* z)
{
    int32_t wet = h->wet_end[cut], dry = h->dry_end[cut];
    *x = h->x[wet] + share * (h->x[dry] - h->x[wet]);
    *z = h->z[wet] + share * (h->z[dry] - h->z[wet]);
}

// One query for all edges that are not close yet.
static int search_round(const TarnHeightMesh* h, int first, int n, int round, Search* searches)
{
    const TarnHeightMeshSource* s = h->source;
    float x[HEIGHT_CUTS_BATCH], z[HEIGHT_CUTS_BATCH];
    float height[HEIGHT_CUTS_BATCH], depth[HEIGHT_CUTS_BATCH];
    int who[HEIGHT_CUTS_BATCH], asked = 0;
    for (int c = 0; c < n; ++c) {
        Search* search = &searches[c];
        if (is_close(search)) continue;
        search->at = next_place(search, round);
        go_to(h, first + c, search->at, &x[asked], &z[asked]);
        who[asked++] = c;
    }
    TarnSurfaceSamples out = { .height = height, .depth = depth };
    if (asked > 0) s->surface.query(s->surface.self, asked, x, z, &out);
    for (int q = 0; q < asked; ++q) {
        bool is_wet = tarn__height_is_wet(s, height[q], depth[q]);
        learn(&searches[who[q]], is_wet, depth[q] - s->dry_depth);
    }
    return asked;
}

void tarn__height_make_cuts(int b, void* data)
{
    TarnHeightMesh* h = data;
    const TarnHeightMeshSource* s = h->source;
    int first = b * HEIGHT_CUTS_BATCH, left = h->n_cuts - first;
    int n = left < HEIGHT_CUTS_BATCH ? left : HEIGHT_CUTS_BATCH;
    Search searches[HEIGHT_CUTS_BATCH];
    for (int c = 0; c < n; ++c) {
        float depth = h->depth[h->wet_end[first + c]] - s->dry_depth;
        searches[c] = (Search){ .dry = 1.0f, .depth = depth, .gap = 1.0f };
    }
    for (int round = 0; round < ROUNDS; ++round)
        if (search_round(h, first, n, round, searches) == 0) break;
    int point = h->n_nodes + first;
    for (int c = 0; c < n; ++c) {
        int p = point + c;
        go_to(h, first + c, searches[c].wet, &h->x[p], &h->z[p]);
        h->side[p] = h->side[h->wet_end[first + c]] & h->side[h->dry_end[first + c]];
        h->is_used[p] = 1;
        h->is_hanging[p] = 0;
    }
    tarn__height_sample(h, point, n);
    for (int p = point; p < point + n; ++p) h->depth[p] = s->has_shore ? s->dry_depth : h->depth[p];
}

// ---- Triangles -----------------------------------------------------------------------------------

static int32_t cut_between(const TarnHeightMesh* h, int32_t wet, int32_t dry)
{
    return h->n_nodes + h->table[place_in_table(h, wet, dry)] - 1;
}

static float distance2(const TarnHeightMesh* h, int32_t a, int32_t b)
{
    float x = h->x[a] - h->x[b], z = h->z[a] - h->z[b];
    return x * x + z * z;
}

int tarn__height_cut(const TarnHeightMesh* h, const int32_t corner[3], int32_t out[2][3])
{
    int n_wet = h->is_wet[corner[0]] + h->is_wet[corner[1]] + h->is_wet[corner[2]], j = 0;
    while (h->is_wet[corner[j]] != (n_wet == 1)) ++j; // the corner that is alone
    int32_t alone = corner[j], next = corner[(j + 1) % 3], last = corner[(j + 2) % 3];
    if (n_wet == 1) {
        int32_t one[3] = { alone, cut_between(h, alone, next), cut_between(h, alone, last) };
        memcpy(out[0], one, sizeof one);
        return 1;
    }
    int32_t p = cut_between(h, last, alone), q = cut_between(h, next, alone);
    bool is_first =
        distance2(h, next, p) <= distance2(h, last, q); // the shorter diagonal of next, last, p, q
    int32_t two[2][3] = { { next, last, is_first ? p : q }, { is_first ? next : last, p, q } };
    memcpy(out, two, sizeof two);
    return 2;
}
