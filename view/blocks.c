// Buildings on land as solid things: walls and gates of height fields that the scene gives a color.

#include "viewer.h"
#include <math.h>

enum { BLOCK_VERTICES = 48 }; // of a pillar or a roof

static TarnQuat turn(float yaw)
{
    return (TarnQuat){ 0.0f, sinf(0.5f * yaw), 0.0f, cosf(0.5f * yaw) };
}

// A gable over the box, with eaves: two ends up at the ridge, along the longer side.
static TarnFrameBody roof_of(const TarnSceneBlock* block, TarnVec3* v)
{
    static const int triangles[] = { 0, 1, 4, 1, 5, 4, 2, 4, 5, 2, 5, 3, // the two planes
                                     0, 4, 2, 1, 3, 5,                   // gables
                                     0, 2, 1, 1, 2, 3 };                 // below
    const float eaves = 1.12f;
    TarnVec3 size = block->size;
    bool is_long_x = size.x >= size.z;
    float along = eaves * (is_long_x ? size.x : size.z),
          across = eaves * (is_long_x ? size.z : size.x);
    const float corners[6][3] = { { -1, 0, 1 }, { 1, 0, 1 },  { -1, 0, -1 },
                                  { 1, 0, -1 }, { -1, 1, 0 }, { 1, 1, 0 } };
    for (int n = 0; n < 6; ++n) {
        float a = corners[n][0] * along, y = size.y + corners[n][1] * block->roof;
        float c = corners[n][2] * across;
        v[n] = is_long_x ? (TarnVec3){ a, y, c } : (TarnVec3){ -c, y, a }; // a turn, so no mirror
    }
    return (TarnFrameBody){ .shape = tarn_shape_mesh(v, 6, triangles, 8),
                            .position = block->center,
                            .rotation = turn(block->yaw),
                            .color = { 0.32f, 0.085f, 0.045f } };
}

enum { SIDES = 16 };

static const int* pillar_triangles(void)
{
    static int triangles[3 * (3 * SIDES)];
    for (int s = 0, n = 0; s < SIDES; ++s) {
        int next = (s + 1) % SIDES;
        const int of_side[9] = { s,         SIDES + s,    next,
                                 next,      SIDES + s,    SIDES + next, // wall
                                 2 * SIDES, SIDES + next, SIDES + s };  // top
        for (int j = 0; j < 9; ++j) triangles[n++] = of_side[j];
    }
    return triangles;
}

static TarnFrameBody pillar_of(const TarnSceneBlock* block, TarnVec3* v)
{
    float r = block->size.x, y = block->size.y;
    for (int s = 0; s < SIDES; ++s) {
        float angle = 6.2831853f * (float)s / SIDES;
        v[s] = (TarnVec3){ r * cosf(angle), -y, r * sinf(angle) };
        v[SIDES + s] = (TarnVec3){ v[s].x, y, v[s].z };
    }
    v[2 * SIDES] = (TarnVec3){ 0.0f, y, 0.0f };
    return (TarnFrameBody){ .shape =
                                tarn_shape_mesh(v, 2 * SIDES + 1, pillar_triangles(), 3 * SIDES),
                            .position = block->center,
                            .rotation = { 0.0f, 0.0f, 0.0f, 1.0f },
                            .color = block->color };
}

// Buildings have no id: they are keyed by their number, beside all ids, which have an owner in their upper bits.
static TarnResult add(TarnViewer* v, int block, int part, const TarnFrameBody* body)
{
    return tarn__view_list_add(v->ctx, &v->now.bodies, body, sizeof *body,
                               tarn__view_thing_key((uint64_t)block, -1 - part));
}

TarnResult tarn__view_add_blocks(TarnViewer* v)
{
    int n = v->scene != NULL ? tarn_scene_block_count(v->scene) : 0;
    size_t vertices = (size_t)n * BLOCK_VERTICES;
    TARN_TRY(tarn_drawing_reserve(v->ctx, &v->things.vertices, vertices * sizeof(TarnVec3)));
    for (int b = 0; b < n; ++b) {
        TarnSceneBlock block = tarn_scene_block_at(v->scene, b);
        TarnVec3* of_block = (TarnVec3*)v->things.vertices.data + (size_t)b * BLOCK_VERTICES;
        if (!(block.size.y > 0.01f)) continue; // a gate that is open
        TarnFrameBody body = { .shape = tarn_shape_box(block.size.x, block.size.y, block.size.z),
                               .position = block.center,
                               .rotation = turn(block.yaw),
                               .color = block.color };
        if (block.is_round) body = pillar_of(&block, of_block);
        TARN_TRY(add(v, b, 0, &body));
        if (block.is_round || !(block.roof > 0.0f)) continue;
        TarnFrameBody roof = roof_of(&block, of_block);
        TARN_TRY(add(v, b, 1, &roof));
    }
    return TARN_OK;
}
