// From a scene to what the renderer draws. Shared by the command line and a viewer.
#pragma once

#include "frame_gas.h"
#include "frame_mesh.h"
#include "tarn/render.h"
#include "tarn/scene.h"

// Everything the frame points to that no solver holds in that form. nx * nz values each, x fastest.
typedef struct SceneFields {
    float* height;          // y of the surface
    float* bed;             // y of the floor of waves, or of the ground that is drawn
    float* depth;           // of flowing water
    TarnVec2* flow;         // velocity of pipes
    float *flow_x, *flow_z; // the same, one by one
    float* mud;             // what pipes carry, 0 to 1
    uint8_t* is_wall;       // of waves: a wall; of flowing water: a building
} SceneFields;

typedef struct SolidMesh { // of a solid that is no plain shape, local
    TarnSolidId id;
    TarnVec3* vertices;
    int* triangles;
    int n_vertices, n_triangles;
    int room_v, room_t;
} SolidMesh;

typedef struct SceneFrame {
    TarnFrame frame; // valid after scene_frame_update, until the next one
    FramePick pick;  // what is drawn
    int nx, nz;
    SceneFields fields;
    TarnFrameBody* bodies;
    int* triangles;     // of all hulls, side by side
    TarnVec3* vertices; // of all buildings, side by side
    int n_bodies;       // room in bodies and triangles
    int n_blocks;       // buildings of the scene, room in vertices
    TarnVec2 origin;    // for which bed and is_wall were made [m]
    bool is_placed;     // were they made?
    TarnCamera camera;  // that frames the land as it was first seen, from the scene's yaw and pitch
    TarnVec2 camera_origin;
    float camera_aspect; // 0: not yet
    // Of liquids and particle systems. Set the first five after scene_frame_create; without ctx, liquids are
    // drawn from their particles, whatever the scene asks for.
    uint32_t look;     // TARN_SPRINKLE_*, of 2-D liquids; 0: all
    TarnContext* ctx;  // that meshes of liquids are made with
    int width, height; // of the picture [pixels]
    bool has_wires;    // meshes of liquids are drawn as what they are: matte, with their edges
    LiquidMesh liquid_mesh;
    TarnFrameMesh wired;
    TarnFrameWater water;
    TarnFrameLiquid liquid;
    TarnFrameParticles particles;
    TarnFrameGas gases[2 * FRAME_MAX_GASES];
    GasFade fades[FRAME_MAX_GASES];
    TarnParticleLook looks[FRAME_MAX_LOOKS];
    TarnFrameBody* solids;
    SolidMesh* meshes;
    int room_solids, n_meshes, room_meshes;
    bool has_ground; // 2-D: some solids are no plain shapes
    float* ground;   // signed distances to all of them
    uint64_t ground_hash;
} SceneFrame;

// Picks what is drawn; frame_left_out tells what is not. TARN_ERR_UNSUPPORTED: the scene has no water, liquid, gas or
// particles to draw. TARN_ERR_MEMORY.
TarnResult scene_frame_create(TarnScene* scene, SceneFrame* out);
void scene_frame_destroy(SceneFrame* frame);
// The scene as it is now, seen as its view says. aspect: width / height of the picture.
TarnResult scene_frame_update(SceneFrame* frame, TarnScene* scene, float aspect);

// "particles,resize" as bits TARN_SPRINKLE_*; NULL is all of it: 0. Returns false for an unknown name or an
// empty list.
bool frame_parse_look(const char* text, uint32_t* look);
// Of the option --look: its help, and the names it takes.
extern const char frame_look_help[], frame_look_names[];
extern const char frame_liquid_help[]; // of the option --liquid

// ---- For frame*.c only -----------------------------------------------------------------------------

// Fields of flowing water, and the land under it.
void frame_update_shallow(SceneFrame* frame, const TarnScene* scene, TarnShallow* water);
void frame_update_pipes(SceneFrame* frame, const TarnScene* scene, TarnPipes* water);
// Buildings as solid things, two per block at most: its walls and its roof. Returns how many.
enum { BLOCK_BODIES = 2, BLOCK_VERTICES = 48 };
int frame_add_blocks(SceneFrame* frame, const TarnScene* scene, TarnFrameBody* out);

// Liquids, gases and particle systems, where no height field is drawn; false: no memory.
bool frame_update_stage(SceneFrame* frame, TarnScene* scene);
void frame_view_stage(SceneFrame* frame, TarnScene* scene, float aspect);
TarnResult frame_mesh_stage(SceneFrame* frame, const TarnScene* scene); // the last of the three
bool frame_update_solids(SceneFrame* frame, TarnScene* scene, bool is_flat);
void frame_free_solids(SceneFrame* frame);
