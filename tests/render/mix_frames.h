// A frame of one thing of each kind, side by side, for tests of mixes.
#pragma once

#include "bench/fire_frame.h"
#include "liquid_frames.h"

enum { MIX_CELLS = 32, MIX_GAS = 12 };
typedef enum Kind { BASIN, LAND, LIQUID, PARTICLES, GAS, BODY, SOLID, MESH, N_KINDS } Kind;
static const char* const kind_names[N_KINDS] = { "basin", "land", "liquid", "particles",
                                                 "gas",   "body", "solid",  "mesh" };

typedef struct Mix {
    float heights[MIX_CELLS * MIX_CELLS], ground[MIX_CELLS * MIX_CELLS];
    float depth[MIX_CELLS * MIX_CELLS];
    float smoke[MIX_GAS * MIX_GAS * MIX_GAS], heat[MIX_GAS * MIX_GAS * MIX_GAS];
    TarnVec3 corner[4];
    TarnMesh mesh;
    TarnFrameWater waters[2];
    TarnFrameBody body, solid;
    TarnFrameMesh matte;
    TarnFrameLiquid liquid;
    TarnFrameParticles sparks;
    TarnFrameGas gas;
} Mix;

// Where each of them is seen.
static const TarnVec3 kind_places[N_KINDS] = {
    { 2.2f, 0.0f, 5.4f }, { 9.2f, 0.1f, 3.0f }, { 1.1f, 0.6f, 1.3f }, { 5.2f, 0.9f, 1.2f },
    { 3.2f, 0.7f, 1.2f }, { 1.2f, 0.3f, 4.0f }, { 3.2f, 0.4f, 4.0f }, { 5.2f, 0.4f, 4.0f },
};

static inline void mix_fields(Mix* m)
{
    for (int k = 0; k < MIX_CELLS; ++k)
        for (int i = 0; i < MIX_CELLS; ++i) {
            int c = i + MIX_CELLS * k;
            float r = sqrtf((float)((i - 12) * (i - 12) + (k - 22) * (k - 22)));
            m->heights[c] = 0.04f * cosf(0.8f * r) * expf(-0.08f * r);
            m->ground[c] = 0.8f * sinf(0.2f * (float)i) * cosf(0.16f * (float)k) - 0.2f;
            m->depth[c] = fmaxf(-m->ground[c], 0.0f);
        }
    for (int c = 0; c < MIX_GAS * MIX_GAS * MIX_GAS; ++c) {
        bool is_in = abs(c % MIX_GAS - 6) < 3 && abs(c / (MIX_GAS * MIX_GAS) - 6) < 3;
        m->smoke[c] = is_in ? 0.8f : 0.0f;
        m->heat[c] = is_in && c / MIX_GAS % MIX_GAS < 5 ? 1500.0f : 300.0f;
    }
}

static inline void mix_make(Fixture* f, Mix* m)
{
    static uint32_t index[12] = { 0, 1, 2, 0, 3, 1, 1, 3, 2, 2, 3, 0 };
    memset(m, 0, sizeof *m);
    mix_fields(m);
    m->gas = fire_frame(m->smoke, m->heat, MIX_GAS, vec3(2.6f, 0.1f, 0.6f), 1.2f);
    TarnView2 grid = { m->heights, MIX_CELLS, MIX_CELLS, MIX_CELLS };
    m->waters[0] = (TarnFrameWater){ .height = grid, .dx = 0.2f, .bed_level = -1.0f };
    for (int e = 0; e < 4; ++e) m->waters[0].has_rim[e] = true;
    m->waters[1] = (TarnFrameWater){ .origin = { 7.4f, 0.0f }, .dx = 0.2f };
    m->waters[1].land.ground = grid, m->waters[1].land.ground.data = m->ground;
    m->waters[1].land.depth = grid, m->waters[1].land.depth.data = m->depth;
    m->body = (TarnFrameBody){ .shape = tarn_shape_sphere(0.4f),
                               .position = kind_places[BODY],
                               .rotation = { 0, 0, 0, 1 },
                               .color = { 0.8f, 0.1f, 0.05f } };
    m->solid = m->body;
    m->solid.shape = tarn_shape_box(0.35f, 0.4f, 0.35f);
    m->solid.position = kind_places[SOLID];
    m->solid.color = (TarnVec3){ 0.1f, 0.5f, 0.1f };
    const TarnVec3 at = kind_places[MESH];
    m->corner[0] = vec3(at.x - 0.5f, at.y - 0.4f, at.z - 0.4f);
    m->corner[1] = vec3(at.x + 0.5f, at.y - 0.4f, at.z - 0.4f);
    m->corner[2] = vec3(at.x, at.y - 0.4f, at.z + 0.5f);
    m->corner[3] = vec3(at.x, at.y + 0.6f, at.z);
    m->mesh =
        (TarnMesh){ .position = m->corner, .index = index, .n_vertices = 4, .n_triangles = 4 };
    m->matte = (TarnFrameMesh){ .mesh = &m->mesh, .color = { 0.7f, 0.6f, 0.1f } };
    f->liquid.n = f->sprites.n = 0;
    fill(&f->liquid, vec3(0.6f, 0.2f, 0.8f), vec3(1.6f, 1.0f, 1.8f), 0.07f, 0.3f, 1);
    m->liquid = liquid_of(&f->liquid, 3, 0.07f);
    m->liquid.box_min = vec3(0.5f, 0.1f, 0.7f);
    m->liquid.box_max = vec3(1.7f, 1.2f, 1.9f);
    m->liquid.walls = TARN_LIQUID_OPEN;
    for (int i = 0; i < 60; ++i)
        add(&f->sprites, 5.2f + 0.5f * (random01((uint32_t)i) - 0.5f),
            0.6f + 0.7f * random01((uint32_t)i + 99), 1.2f, TARN_FRAME_FIRE);
    m->sparks = (TarnFrameParticles){ .view = sprites_of(&f->sprites) };
}

// A frame of the kinds whose bits are set, always from the same place.
static inline TarnFrame mix_frame(const Mix* m, unsigned kinds)
{
    TarnFrame frame = { .box_min = { 0.0f, -0.2f, 0.0f }, .box_max = { 13.8f, 1.5f, 6.4f } };
    bool has_basin = kinds & 1u << BASIN, has_land = kinds & 1u << LAND;
    frame.waters = &m->waters[has_basin ? 0 : 1], frame.n_waters = has_basin + has_land;
    frame.liquids = &m->liquid, frame.n_liquids = (kinds >> LIQUID) & 1;
    frame.particles = &m->sparks, frame.n_particles = (kinds >> PARTICLES) & 1;
    frame.gases = &m->gas, frame.n_gases = (kinds >> GAS) & 1;
    frame.bodies = &m->body, frame.n_bodies = (kinds >> BODY) & 1;
    frame.solids = &m->solid, frame.n_solids = (kinds >> SOLID) & 1;
    frame.meshes = &m->matte, frame.n_meshes = (kinds >> MESH) & 1;
    frame.camera = (TarnCamera){ { 6.0f, 7.0f, 15.0f }, { 6.4f, 0.0f, 3.0f }, 0.62f };
    frame.sky.sun = vec3(-0.5f, 0.9f, 0.3f);
    frame.water_color = vec3(0.012f, 0.2f, 0.285f);
    frame.clarity = 3.0f;
    return frame;
}
