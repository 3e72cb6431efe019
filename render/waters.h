// Constants of the shaders, bodies, and the two kinds of waters: basins and land.
#pragma once

#include "base/shape.h"
#include "fields.h"
#include "framing.h"

enum {
    SHADOW_SIDE = 768,
    CAUSTICS_SIDE = 768,
    CAUSTICS_PLAN = 200, // quads of its mesh along one side
    SKY_SIDE = 256,
    MAX_BARS = 64,     // along one side
    MAX_PLAN = 224,    // quads of the water mesh along one side
    MAX_TERRAIN = 128, // quads of the terrain mesh along one side; small ones shade slowly
};

typedef struct FrameBlock { // std140, the block `Frame` of the shaders, documented there
    Mat4 view_proj, mirror_view_proj, light_proj;
    float eye[4], sun[4], sun_color[4], sky_color[4], ground_color[4], haze_color[4];
    float zenith[4], heaven[4], background[4];
    float light_down[4], basin[4], levels[4], water_color[4], absorb[4], screen[4], fog[4];
    float scale[4], open_side[4], coast[4], flow[4];
    float mixing[4], gas_lo[4], gas_size[4], gas_fire[4], fires[16][4];
    float deep_water[4], deep_light[4];
} FrameBlock;

// Shaders know four shapes by numbers of their own.
TARN_INLINE float tarn__shader_shape(int kind)
{
    return kind == TARN_SHAPE_SPHERE    ? 0.0f
           : kind == TARN_SHAPE_BOX     ? 1.0f
           : kind == TARN_SHAPE_CAPSULE ? 2.0f
                                        : 3.0f; // a mesh
}

typedef struct BodyDraw { // one body, ready to draw
    const Mesh* mesh;
    Mat4 model;
    float core_size[4], color[4], glow[4], param[4];
    TarnVec3 middle;
    float low, high; // y of its bounds [m]
    bool is_glass;   // drawn last, by draw_glass
    int water;       // that it is in, or whose ground it stands on; -1: the studio
} BodyDraw;

typedef enum Dip { DIP_NONE, DIP_HALF, DIP_FULL } Dip; // of the lens in the water

// Drawn one after the other, because software drivers compute all sides of a branch.
enum { DIVE_SOLIDS, DIVE_SURFACE };

// What an eye under water needs of a basin, made when one first is there.
typedef struct Dive {
    bool is_ready;
    Target within, window, shafts[2];
    Program solid[N_MATERIALS][N_DIVE_PASSES];
    Program program[2][2], shafts_program; // without and with shores; DIVE_*
} Dive;

TarnResult tarn__dive_prepare(TarnRenderer* r);
TarnResult tarn__dive_programs(TarnRenderer* r);
void tarn__dive_destroy(TarnRenderer* r);
void tarn__pass_dive(TarnRenderer* r); // all passes of it, over the final picture
// The surface above or below a point of the lens; -INFINITY: no water there [m].
typedef float LevelAt(const TarnRenderer* r, TarnVec3 p);
Dip tarn__dip(const TarnRenderer* r, LevelAt* level_at);
float tarn__basin_level(const TarnRenderer* r, TarnVec3 p);
float tarn__land_level(const TarnRenderer* r, TarnVec3 p);
void tarn__shafts(TarnRenderer* r, const Program* program, Target target[2], const Mat4* back);
void tarn__dive_over(TarnRenderer* r, const Program program[2], const Mat4* back);
TarnResult tarn__land_dive_programs(TarnRenderer* r);

typedef struct Basin {
    Field field;
    int nx, nz;          // cells of the frame it fits
    GLuint surface, bed; // textures of the fields
    GLuint foam;         // that the solver gives
    bool has_foam;
    BasinShape shape;
    float wall_top; // of the walls mesh
    bool is_built;  // the meshes fit the shape
    Mesh plan, terrain, pool, coping, deck, quay, walls;
    float depth; // mean [m]
    // Of the bars mode:
    GLuint bars;
    int bars_x, bars_z;
    const float* bar_wet; // per thinned cell, how much of it is water. NULL: all, but for walls
    FrameBlock block;
} Basin;

// Waves on top of a water: waves.c
typedef struct Waves {
    GLuint texture;
    int nx, nz;
    float area[4]; // x, z, 1 / widths along x and z; all 0: there are none
} Waves;
TarnResult tarn__check_waves(TarnContext* ctx, const char* owner, const TarnFrameWaves* waves);
void tarn__waves_upload(Waves* out, const TarnFrameWaves* waves);
void tarn__waves_destroy(Waves* waves);

// Water over land: fields, meshes and programs of its own, made when a frame first asks for them.
typedef struct Land {
    Field field; // its bed: the ground. Values are relative to base
    int nx, nz;  // cells of the frame it fits
    float base;  // y [m]
    float dx;    // that slopes and shade of the ground were made for [m]
    float low, high;
    bool is_ground_new;
    TarnVec3 sun;   // that the shade was made for
    size_t bytes;   // of the block with all of these
    float* ground;  // per thinned cell, as the next four: y above base [m]
    float* depth;   // of the water [m]
    float* level;   // surface, carried on into land
    float* weight;  // how much of a lake a cell is, 0 to 1
    float* work[3]; // between the steps
    float* flow;    // 4 per cell: speed along x and z [m/s], foam, sediment
    float*
        shade; // 4 per sample: y above base up to which the sun is hidden, softness, soil, wetness
    float* curvature;       // per sample, of the water: its Laplacian [1/m]
    Waves waves;            // on top
    const TarnMesh* sheets; // of the frame that was updated last; NULL: none
    GLuint ground_texture, surface_texture, flow_texture, shade_texture, curvature_texture;
    int texture_nx, texture_nz; // cells that the textures were made for
    Mesh plan, cut;
    Mesh coarse; // plan for its mirror and the map of shadows
    int plan_nx, plan_nz;
    FrameBlock block;
} Land;

enum { MAX_MIRRORS = 2 }; // levels of one water over land that have a mirror of their own

typedef struct LandParts {             // for all of them
    bool is_ready;                     // programs and targets
    Program ground_depth, water_depth; // depth alone
    Program background, sea, ground_program, cut_program, body, dry_program;
    Program shadow_program;
    Program mirror_body, mirror_depth, mirror_ground, mirror_mask;
    Program water_program[2], water_cut; // without and with a mirror; in the faces of the cut
    Target seen;                         // depth of the land alone
    Program sheet_program, sheet_shadow_program;
    Mesh sheets;   // of one water after the other
    bool can_dive; // the next three were made
    Target shafts[2];
    Program shafts_program, dive_program[2]; // DIVE_*
} LandParts;

TarnResult tarn__land_resize(TarnContext* ctx, Land* land, int nx, int nz);
void tarn__land_free(TarnContext* ctx, Land* land);
bool tarn__has_sheets(const TarnFrameWater* water);
TarnResult tarn__draw_sheets(TarnRenderer* r, const TarnFrameWater* water);
TarnResult tarn__shadow_sheets(TarnRenderer* r, const TarnFrameWater* water); // into the map
float tarn__land_film(const TarnFrameWater* water); // thinner water fades out [m]
float tarn__land_band(const TarnFrameWater* water); // land this high above water is wet [m]
void tarn__land_update(Land* land, const TarnFrameWater* water, TarnVec3 sun);
void tarn__land_shade(Land* land, float dx, TarnVec3 sun); // sunlight and light from the sky
// For the bars mode: a basin whose height is that of land and water, filled into *out; it is good
// until the next update. land->weight says which of its cells are water.
TarnResult tarn__land_bars(TarnContext* ctx, Land* land, const TarnFrameWater* w,
                           TarnFrameWater* out);
