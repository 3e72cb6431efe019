// From points to a mesh: what hangs at the edges, numbers, the buffers of the host.

#include "base/maths.h"
#include "mesh/height_mesh_internal.h"

// ---- Skirts --------------------------------------------------------------------------------------

// Triangles of a block after cutting: those in water, then what is left of the mixed ones.
typedef void TriangleFn(TarnHeightMesh* h, HeightBlock* block, const int32_t corner[3], int at);

static void for_triangles(TarnHeightMesh* h, HeightBlock* block, TriangleFn* fn)
{
    for (int t = 0; t < block->n_whole; ++t)
        fn(h, block, h->triangle + 3 * (size_t)(block->first_triangle + t), t);
    int at = block->n_whole, last = tarn__height_last(h, block);
    for (int t = 1; t <= block->n_mixed; ++t) {
        int32_t part[2][3];
        int n = tarn__height_cut(h, h->triangle + 3 * (size_t)(last - t), part);
        for (int p = 0; p < n; ++p) fn(h, block, part[p], at++);
    }
}

static bool hangs(const TarnHeightMesh* h, int32_t a, int32_t b)
{
    return (h->side[a] & h->side[b]) != 0;
}

static void hang(TarnHeightMesh* h, HeightBlock* block, const int32_t corner[3], int at)
{
    (void)at;
    if (!h->side[corner[0]] && !h->side[corner[1]]) return; // two of three are on the edge
    for (int j = 0; j < 3; ++j) {
        int32_t a = corner[j], b = corner[(j + 1) % 3];
        if (!hangs(h, a, b)) continue;
        block->n_hanging++;
        __atomic_store_n(&h->is_hanging[a], 1, __ATOMIC_RELAXED); // other blocks write the same
        __atomic_store_n(&h->is_hanging[b], 1, __ATOMIC_RELAXED);
    }
}

static void hang_block(int b, void* data)
{
    TarnHeightMesh* h = data;
    for_triangles(h, &h->blocks[b], hang);
}

// ---- Numbers -------------------------------------------------------------------------------------

static void count_block(TarnHeightMesh* h, HeightBlock* block)
{
    block->used = block->hanging = 0;
    for (int p = block->first_point; p < block->first_point + block->n_points; ++p) {
        block->used += h->is_used[p];
        block->hanging += h->is_hanging[p];
    }
}
static void count_nodes(int b, void* data)
{
    TarnHeightMesh* h = data;
    count_block(h, &h->blocks[b]);
}
static void count_cuts(int b, void* data)
{
    TarnHeightMesh* h = data;
    HeightBlock* block = &h->cut_blocks[b];
    int left = h->n_cuts - b * HEIGHT_CUTS_BATCH;
    block->first_point = h->n_nodes + b * HEIGHT_CUTS_BATCH;
    block->n_points = left < HEIGHT_CUTS_BATCH ? left : HEIGHT_CUTS_BATCH;
    count_block(h, block);
}

static void number(HeightBlock* blocks, int n, int* vertices, int* skirt_vertices)
{
    for (int b = 0; b < n; ++b) {
        blocks[b].vertex = *vertices;
        blocks[b].skirt_vertex = *skirt_vertices;
        *vertices += blocks[b].used;
        *skirt_vertices += blocks[b].hanging;
    }
}

void tarn__height_count(TarnHeightMesh* h)
{
    if (h->source->skirt > 0.0f) tarn__parallel_for(h->ctx, h->n_blocks, hang_block, h);
    tarn__parallel_for(h->ctx, h->n_blocks, count_nodes, h);
    tarn__parallel_for(h->ctx, h->n_cut_blocks, count_cuts, h);
    int vertices = 0, skirt_vertices = 0, triangles = 0, skirt_triangles = 0;
    number(h->blocks, h->n_blocks, &vertices, &skirt_vertices);
    number(h->cut_blocks, h->n_cut_blocks, &vertices, &skirt_vertices);
    for (int b = 0; b < h->n_blocks; ++b) {
        h->blocks[b].triangle = triangles;
        h->blocks[b].skirt_triangle = skirt_triangles;
        triangles += h->blocks[b].n_whole + h->blocks[b].n_cut;
        skirt_triangles += 2 * h->blocks[b].n_hanging;
    }
    for (int b = 0; b < h->n_blocks; ++b) {
        h->blocks[b].skirt_vertex += vertices;
        h->blocks[b].skirt_triangle += triangles;
    }
    for (int b = 0; b < h->n_cut_blocks; ++b) h->cut_blocks[b].skirt_vertex += vertices;
    h->mesh->n_vertices = vertices + skirt_vertices;
    h->mesh->n_triangles = triangles + skirt_triangles;
}

// ---- Vertices ------------------------------------------------------------------------------------

static int into_range(float f, int n) // NaN gives 0
{
    return f >= 0.0f ? (f <= (float)n ? (int)f : n) : 0;
}

// Between the centers of the cells, and as at the nearest of them outside.
static float foam_at(const TarnHeightMeshSource* s, float x, float z)
{
    const TarnView2* f = &s->foam;
    if (f->data == NULL) return 0.0f;
    float fx = (x - s->min.x) / (s->max.x - s->min.x) * (float)f->nx - 0.5f;
    float fz = (z - s->min.y) / (s->max.y - s->min.y) * (float)f->nz - 0.5f;
    fx = tarn_clampf(fx, 0.0f, (float)(f->nx - 1));
    fz = tarn_clampf(fz, 0.0f, (float)(f->nz - 1));
    int i = into_range(fx, f->nx - 1), k = into_range(fz, f->nz - 1);
    int right = i + 1 < f->nx, up = k + 1 < f->nz ? f->stride : 0;
    const float* at = f->data + (size_t)k * (size_t)f->stride + i;
    float v[4] = { at[0], at[right], at[up], at[up + right] };
    for (int n = 0; n < 4; ++n) v[n] = tarn_clampf(v[n], 0.0f, 1.0f); // NaN gives 0
    float s1 = fx - (float)i, t1 = fz - (float)k;
    float low = v[0] + s1 * (v[1] - v[0]), high = v[2] + s1 * (v[3] - v[2]);
    return low + t1 * (high - low);
}

static void write_vertex(const TarnHeightMesh* h, int p, int v, float drop)
{
    TarnMesh* m = h->mesh;
    if (m->position) m->position[v] = (TarnVec3){ h->x[p], h->height[p] - drop, h->z[p] };
    if (m->normal) m->normal[v] = h->normal[p];
    if (m->velocity) m->velocity[v] = h->velocity[p];
    if (!m->attribute) return;
    float* attribute = m->attribute + (size_t)v * (size_t)m->n_attributes;
    for (int a = 0; a < m->n_attributes; ++a) attribute[a] = 0.0f;
    if (m->n_attributes > TARN_HEIGHT_MESH_DEPTH) attribute[TARN_HEIGHT_MESH_DEPTH] = h->depth[p];
    if (m->n_attributes > TARN_HEIGHT_MESH_FOAM)
        attribute[TARN_HEIGHT_MESH_FOAM] = foam_at(h->source, h->x[p], h->z[p]);
}

static void write_points(TarnHeightMesh* h, const HeightBlock* block)
{
    int v = block->vertex, skirt_v = block->skirt_vertex;
    for (int p = block->first_point; p < block->first_point + block->n_points; ++p) {
        if (!h->is_used[p]) continue;
        h->vertex[p] = v;
        write_vertex(h, p, v++, 0.0f);
        if (!h->is_hanging[p]) continue;
        h->skirt_vertex[p] = skirt_v;
        write_vertex(h, p, skirt_v++, h->source->skirt);
    }
}
static void write_nodes(int b, void* data)
{
    TarnHeightMesh* h = data;
    write_points(h, &h->blocks[b]);
}
static void write_cuts(int b, void* data)
{
    TarnHeightMesh* h = data;
    write_points(h, &h->cut_blocks[b]);
}

// ---- Triangles -----------------------------------------------------------------------------------

static void write_triangle(TarnHeightMesh* h, HeightBlock* block, const int32_t corner[3], int at)
{
    uint32_t* index = h->mesh->index + 3 * (size_t)(block->triangle + at);
    for (int j = 0; j < 3; ++j) index[j] = (uint32_t)h->vertex[corner[j]];
    if (block->n_hanging == 0 || (!h->side[corner[0]] && !h->side[corner[1]])) return;
    for (int j = 0; j < 3; ++j) {
        int32_t a = corner[j], b = corner[(j + 1) % 3];
        if (!hangs(h, a, b)) continue;
        uint32_t* skirt = h->mesh->index + 3 * (size_t)block->skirt_triangle;
        uint32_t top_a = (uint32_t)h->vertex[a], top_b = (uint32_t)h->vertex[b];
        uint32_t low_a = (uint32_t)h->skirt_vertex[a], low_b = (uint32_t)h->skirt_vertex[b];
        uint32_t two[6] = { top_b, top_a, low_a, top_b, low_a, low_b }; // faces out
        memcpy(skirt, two, sizeof two);
        block->skirt_triangle += 2;
    }
}
static void write_triangles(int b, void* data)
{
    TarnHeightMesh* h = data;
    for_triangles(h, &h->blocks[b], write_triangle);
}

void tarn__height_write(TarnHeightMesh* h)
{
    tarn__parallel_for(h->ctx, h->n_blocks, write_nodes, h);
    tarn__parallel_for(h->ctx, h->n_cut_blocks, write_cuts, h);
    if (h->mesh->index) tarn__parallel_for(h->ctx, h->n_blocks, write_triangles, h);
}
