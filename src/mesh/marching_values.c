// What is known at nodes, for marching cubes: values, velocities and attributes of dense fields and of blocks, and the
// vertices inside of cells that are made from them.

#include "mesh/marching_internal.h"
#include "base/maths.h"
#include <float.h>

// ---- Values at nodes ----------------------------------------------------------------------------

// Where a node's values are: a place in a dense field, or a block and a place in it.
typedef struct Node {
    int at[3];
    int block; // sparse; -1: in none
} Node;

static Node find_node(const TarnMarching* m, const MarchingNear* near, int x, int y, int z)
{
    if (m->field)
        return (Node){ { near->first[0] + x, near->first[1] + y, near->first[2] + z }, 0 };
    int brick = near->at[NEAR_SELF + (x >> 3) + 3 * (y >> 3) + 9 * (z >> 3)];
    return (Node){ { x & 7, y & 7, z & 7 }, brick < 0 ? -1 : m->block[brick] };
}
static bool is_there(const TarnMarching* m, Node n)
{
    if (!m->field) return n.block >= 0;
    TarnView3 v = m->field->value;
    return n.at[0] >= 0 && n.at[0] < v.nx && n.at[1] >= 0 && n.at[1] < v.ny && n.at[2] >= 0 &&
           n.at[2] < v.nz;
}
static float in_view(const TarnView3* v, Node n)
{
    return v->data[(size_t)n.at[2] * (size_t)v->slab + (size_t)n.at[1] * (size_t)v->row +
                   (size_t)n.at[0]];
}
static float in_block(const float* values, int channels, int channel, Node n)
{
    size_t part = (size_t)n.block * (size_t)channels + (size_t)channel;
    return values[part * TARN_BLOCK_NODES + (size_t)(n.at[0] + 8 * n.at[1] + 64 * n.at[2])];
}

void tarn__marching_corners(const TarnMarching* m, const MarchingNear* near, int x, int y, int z,
                            float level[8])
{
    for (int c = 0; c < 8; ++c) {
        Node n = find_node(m, near, x + (c & 1), y + (c >> 1 & 1), z + (c >> 2));
        if (!is_there(m, n))
            level[c] = m->field ? MARCHING_BIG : marching_level(m, m->blocks->outside);
        else
            level[c] = marching_level(m, m->field ? in_view(&m->field->value, n)
                                                  : in_block(m->blocks->value, 1, 0, n));
    }
}

// Channels 0 .. 2 are the velocity, from 3 on attributes. What the source does not have is 0.
static float channel_at(const TarnMarching* m, Node n, int channel)
{
    int a = channel - 3;
    if (m->field) {
        const TarnField3* f = m->field;
        if (channel < 3) return f->velocity[0].data ? in_view(&f->velocity[channel], n) : 0.0f;
        return a < f->n_attributes ? in_view(&f->attribute[a], n) : 0.0f;
    }
    const TarnBlocks* b = m->blocks;
    if (channel < 3) return b->velocity ? in_block(b->velocity, 3, channel, n) : 0.0f;
    return a < b->n_attributes ? in_block(b->attribute, b->n_attributes, a, n) : 0.0f;
}

// Weighted values of nodes; those that are not there leave their share to the others, and if that is all of it, to all
// of them alike: at least one is there.
static void carry(const TarnMarching* m, const Node* nodes, const float* weights, int n, int vertex)
{
    const TarnMesh* mesh = m->mesh;
    float share = 0.0f, n_there = 0.0f;
    for (int i = 0; i < n; ++i) {
        if (!is_there(m, nodes[i])) continue;
        share += weights[i];
        n_there += 1.0f;
    }
    int n_attributes = mesh->attribute ? mesh->n_attributes : 0;
    for (int c = mesh->velocity ? 0 : 3; c < 3 + n_attributes; ++c) {
        float sum = 0.0f;
        for (int i = 0; i < n; ++i) {
            if (!is_there(m, nodes[i])) continue;
            float weight = share > 0.0f ? weights[i] / share : 1.0f / n_there;
            sum += weight * channel_at(m, nodes[i], c);
        }
        sum = sum > FLT_MAX    ? FLT_MAX
              : sum < -FLT_MAX ? -FLT_MAX
                               : sum; // rounded beyond the largest
        if (c < 3)
            (&mesh->velocity[vertex].x)[c] = sum;
        else
            mesh->attribute[(size_t)vertex * (size_t)mesh->n_attributes + (size_t)(c - 3)] = sum;
    }
}

void tarn__marching_carry_edge(const TarnMarching* m, const MarchingNear* near, const int from[3],
                               int axis, float t, int vertex)
{
    Node nodes[2] = { find_node(m, near, from[0], from[1], from[2]),
                      find_node(m, near, from[0] + (axis == 0), from[1] + (axis == 1),
                                from[2] + (axis == 2)) };
    carry(m, nodes, (float[2]){ 1.0f - t, t }, 2, vertex);
}

void tarn__marching_carry_cell(const TarnMarching* m, const MarchingNear* near, const int cell[3],
                               const float at[3], int vertex)
{
    Node nodes[8];
    float weights[8];
    for (int c = 0; c < 8; ++c) {
        nodes[c] =
            find_node(m, near, cell[0] + (c & 1), cell[1] + (c >> 1 & 1), cell[2] + (c >> 2));
        weights[c] = (c & 1 ? at[0] : 1.0f - at[0]) * (c & 2 ? at[1] : 1.0f - at[1]) *
                     (c & 4 ? at[2] : 1.0f - at[2]);
    }
    carry(m, nodes, weights, 8, vertex);
}

// ---- Vertices inside of cells -------------------------------------------------------------------

TarnVec3 tarn__marching_normal(TarnVec3 gradient, int axis, bool is_up)
{
    TarnVec3 n = vec3_normalize(gradient);
    if (n.x != 0.0f || n.y != 0.0f || n.z != 0.0f) return n;
    float s = is_up ? 1.0f : -1.0f;
    return (TarnVec3){ axis == 0 ? s : 0.0f, axis == 1 ? s : 0.0f, axis == 2 ? s : 0.0f };
}

static TarnVec3 gradient_in_cell(const float* corner, const float at[3])
{
    TarnVec3 sum = { 0, 0, 0 };
    for (int c = 0; c < 8; ++c) {
        float weight = (c & 1 ? at[0] : 1.0f - at[0]) * (c & 2 ? at[1] : 1.0f - at[1]) *
                       (c & 4 ? at[2] : 1.0f - at[2]);
        const float* w = corner + (c & 1) + TILE_ROW * (c >> 1 & 1) + TILE_SLAB * (c >> 2);
        sum.x += weight * (w[1] - w[-1]);
        sum.y += weight * (w[TILE_ROW] - w[-TILE_ROW]);
        sum.z += weight * (w[TILE_SLAB] - w[-TILE_SLAB]);
    }
    return sum;
}

void tarn__marching_extra(const TarnMarching* m, const MarchingNear* near, const float* nodes,
                          const int cell[3], const float at[3], int vertex)
{
    const int* base = near->first;
    if (m->mesh->position)
        m->mesh->position[vertex] =
            (TarnVec3){ m->origin.x + m->dx * ((float)(base[0] + cell[0]) + at[0]),
                        m->origin.y + m->dx * ((float)(base[1] + cell[1]) + at[1]),
                        m->origin.z + m->dx * ((float)(base[2] + cell[2]) + at[2]) };
    if (m->mesh->normal) {
        const float* corner = nodes + cell[0] + TILE_ROW * cell[1] + TILE_SLAB * cell[2];
        m->mesh->normal[vertex] = tarn__marching_normal(gradient_in_cell(corner, at), 1, true);
    }
    if (m->mesh->velocity || (m->mesh->attribute && m->mesh->n_attributes > 0))
        tarn__marching_carry_cell(m, near, cell, at, vertex);
}
