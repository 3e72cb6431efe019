// The renderer itself, and the layers that it draws. docs/rendering.md shows their order.
#pragma once

#include "liquids.h"

// Programs of waters that other layers throw shadows and light on, and of more lands than one.
typedef struct Mixed {
    bool is_ready;
    Program solid[N_MATERIALS][N_PASSES];
    Program ground, later_ground, land_body, mirror_body;
    Program river[2]; // without and with a mirror
} Mixed;

typedef enum Layer {
    LAYER_SETUP,
    LAYER_SHADOW,
    LAYER_SOLID,
    LAYER_WATER,
    LAYER_LIQUID,
    LAYER_GLASS,
    LAYER_GASES,
    LAYER_PARTICLES,
    LAYER_POST,
    N_LAYERS
} Layer;
typedef struct Timing {
    bool is_on;
    Layer layer;         // the one that is drawn
    double since;        // [ms]
    double ms[N_LAYERS]; // of the last frame
} Timing;

typedef enum MirrorPart { // of the mirror without its heights
    MIRROR_SOLID,
    MIRROR_OVER // without its depth, too, which may be read
} MirrorPart;

typedef enum Ground { GROUND_STUDIO, GROUND_BARS, GROUND_BASIN, GROUND_LAND } Ground;

typedef struct View { // of the camera
    Mat4 view, proj;
    TarnVec3 forward;
    float near, far, distance; // distance: to the target [m]
} View;

// The open sea: fields of its cascades as textures, a mesh around the camera.
typedef struct Sea {
    bool is_ready;
    Program program, coast, sky; // coast: around land, with a seam
    Program white[2]; // with foam of white water: of three cascades; of four, without waves on top
    Mesh fan;
    int n; // cascades
    int size[TARN_OCEAN_MAX_CASCADES];
    GLuint moved[TARN_OCEAN_MAX_CASCADES], slopes[TARN_OCEAN_MAX_CASCADES], foam[2];
    Waves waves;  // on top
    GLuint froth; // foam of white water
    int froth_nx, froth_nz;
    float froth_area[4]; // origin, 1 / size; 0: none
    float* texels;       // for uploads
    size_t bytes;
} Sea;
typedef struct Lines { // on top of the picture; program.id 0: not made yet
    Program program;
    GLuint vao, vbo;
} Lines;

struct TarnRenderer {
    Bound* bound; // may change in a renderer that is const
    Bound slots;
    Canvas canvas;
    TarnContext* ctx;
    GlPlatform* platform; // NULL: the context is the host's
    bool has_gl;          // the context is good: there may be objects in it
    int width, height;
    Target glow[2], output; // quarter size; read back
    GLuint mirror_fbo[2];   // by MirrorPart
    Target under, mirror, water_depth, shadow, soft_shadow, caustics[2], sky;
    MaterialTextures materials;
    GLuint frame_buffer; // uniform block
    Shelf* shelf;        // with the programs
    Program solid[N_MATERIALS][N_PASSES];
    Program water[2][2]; // without and with shores; with foam of the solver: made when it is needed
    Program water_depth_program;
    Program caustics_program, sky_program, backdrop, fog, blur, bright, post, edges, dry,
        land_depth;
    Program bars_program[2], stage; // bars: drawn and in the shadow map

    Mesh sphere, box, capsule, bar, empty;
    Mesh caustic_plan;
    Mesh* body_meshes; // one per mesh body of the frame, kept for the next
    int n_body_meshes;
    BodyDraw* body_draws;
    int n_body_draws, body_capacity;

    Mixed mixed;
    Lines lines;
    Dive dive;
    // Of each water of the frame by its number, one of both.
    Basin basins[TARN_FRAME_MAX_WATERS];
    Land lands[TARN_FRAME_MAX_WATERS];
    Basin* basin; // the current one
    Land* land;
    LandParts land_parts;
    Sea sea;
    Liquid liquid;
    Gas gas;
    float* bar_data;   // MAX_BARS^2 * 4
    FrameBlock frame;  // of the layer that is drawn
    FrameBlock common; // what all layers share, the rest is 0
    FrameBlock stage_block;
    Timing timing;
    View view;
    Ground ground;           // what all stands on, and which light there is
    int ground_water;        // its number, -1: none
    int n_waters, n_liquids; // of the frame
    bool is_mirroring;       // what is drawn is a mirrored picture
    bool has_stage;          // liquids, gases, particles, or what only their programs draw
    bool is_mixed;           // and a water, too: it gets their shadows and light
    uint8_t* pixels;         // read back, RGBA
};

// ---- The sky (sky.c) ----
TarnResult tarn__check_sky(TarnContext* ctx, const TarnFrameSky* sky);
TarnVec3 tarn__sky_sun(const TarnFrame* frame, float lowest); // direction toward sun or moon
void tarn__sky(const TarnFrame* frame, FrameBlock* f); // over the light that layers have chosen

extern const char tarn__pass_names[]; // numbers of passes and materials, for the shaders of solids
// Bodies over land and in the studio; after those names.
#define LAND_BODY        "#define LAND\n#define MATERIAL BODY\n#define PASS FINAL\n"
#define LAND_MIRROR_BODY "#define LAND\n#define MATERIAL BODY\n#define PASS MIRROR\n"
TarnResult tarn__renderer_programs(TarnRenderer* r);            // what frames of basins need
TarnResult tarn__foam_program(TarnRenderer* r, bool has_shore); // of basins with foam of the solver
TarnResult tarn__mixed_programs(TarnRenderer* r); // of waters in the light of other layers
TarnResult tarn__frame_bodies(TarnRenderer* r, const TarnFrame* frame); // body_draws
// Orthographic from the sun over a box; *range: its depth [m].
Mat4 tarn__light_matrix(TarnVec3 lo, TarnVec3 hi, TarnVec3 sun, float* range);
TARN_INLINE void tarn__set4(float to[4], float x, float y, float z, float w)
{
    to[0] = x, to[1] = y, to[2] = z, to[3] = w;
}

// ---- Layers (layers.c, environment.c) ------------------------------------------------------------
void tarn__layer(TarnRenderer* r, Layer next); // begins it, and takes the time of the one before
bool tarn__has_gas(const TarnFrame* frame);
TarnVec3 tarn__sun_of(const TarnRenderer* r, const TarnFrame* frame);
TarnResult tarn__layers_draw(TarnRenderer* r, const TarnFrame* frame);
void tarn__environment(TarnRenderer* r, const TarnFrame* frame); // light and sky, into r->common
void tarn__use_block(TarnRenderer* r, const FrameBlock* block);  // for what is drawn next

// Textures of the samplers (slots.c).
void tarn__bind_texture(const TarnRenderer* r, Slot slot, GLuint id); // leaves it active
void tarn__bind_volume(const TarnRenderer* r, Slot slot, GLuint id);
void tarn__use(const TarnRenderer* r, const Program* program, const float param[4]);
void tarn__slots_clear(const TarnRenderer* r);

TarnResult tarn__canvas_create(TarnRenderer* r); // canvas.c
void tarn__canvas_destroy(TarnRenderer* r);
void tarn__canvas_bind(const TarnRenderer* r, CanvasPart part); // to draw into the current picture
void tarn__canvas_read(const TarnRenderer* r);                  // it, and the depth, as SLOT_SCENE*
// Reads the current picture, and draws into the other one, which is now the current one.
void tarn__canvas_turn(TarnRenderer* r, CanvasPart part);

// What the passes of all layers share (screen_passes.c).
void tarn__draw_screen(const TarnRenderer* r);
void tarn__draw_screen_back(const TarnRenderer* r,
                            const Program* program);                // with u_model: to the world
void tarn__draw_body(const Program* program, const BodyDraw* body); // of the program that is used
enum { ALL_BODIES = -2 };
// Those between two heights that belong to a water, -1 to the studio.
void tarn__draw_bodies(const TarnRenderer* r, const Program* program, int water, float low,
                       float high);
void tarn__pass_sky(TarnRenderer* r);
void tarn__pass_post(TarnRenderer* r);
void tarn__begin_frame(TarnRenderer* r);
void tarn__blur_shadow(TarnRenderer* r, bool is_wide);

TarnResult tarn__lines_draw(TarnRenderer* r, const TarnFrame* frame); // lines.c
void tarn__lines_destroy(TarnRenderer* r);

// ---- Basins (basin_layer.c, basin_passes.c); of r->basin ------------------------------------------
TarnResult tarn__basin_prepare(TarnRenderer* r, const TarnFrame* frame, const TarnFrameWater* w);
TarnResult tarn__basin_shape(TarnRenderer* r, const TarnFrameWater* w); // shape and its meshes
void tarn__basin_destroy(Basin* basin);
void tarn__basin_reach(const TarnRenderer* r, float distance, float* near, float* far);
void tarn__basin_box(const TarnRenderer* r, const TarnFrame* frame, const TarnFrameWater* w,
                     TarnVec3* lo, TarnVec3* hi); // that throws shadows
void tarn__basin_constants(TarnRenderer* r, const TarnFrame* frame, const TarnFrameWater* w);
void tarn__basin_bind(const TarnRenderer* r); // its fields
void tarn__basin_shadow(TarnRenderer* r, bool is_bars);
// Its water, into the canvas; what is below and above it into targets of their own before that.
TarnResult tarn__basin_water(TarnRenderer* r, const TarnFrameWater* w, int number, Dip dip);
void tarn__basin_bars(TarnRenderer* r, bool is_ground);
void tarn__fill_bars(TarnRenderer* r, const TarnFrameWater* w);
void tarn__draw_backdrop(const TarnRenderer* r);
const Program* tarn__solid_program(const TarnRenderer* r, Material material, Pass pass);
void tarn__draw_scenery(const TarnRenderer* r, Pass pass); // all but water and bodies

// ---- Land (land_passes.c, land_frame.c); of r->land ------------------------------------------------
TarnResult tarn__land_prepare(TarnRenderer* r, const TarnFrameWater* w, TarnVec3 sun);
void tarn__land_destroy(TarnRenderer* r);
TarnResult tarn__land_programs(TarnRenderer* r);
void tarn__land_reach(const TarnRenderer* r, const TarnFrame* frame, const TarnFrameWater* w,
                      float* near, float* far);
void tarn__land_constants(TarnRenderer* r, const TarnFrame* frame, const TarnFrameWater* w);
// Over the bodies that are seen, and boxes of other layers.
Mat4 tarn__land_light(const TarnRenderer* r, TarnVec3 sun, const TarnVec3* boxes, int n_boxes,
                      float* range);
void tarn__land_shadow(const TarnRenderer* r); // the ground below those of bodies
void tarn__land_ground(TarnRenderer* r, const TarnFrameWater* w, bool is_first);
void tarn__land_bodies(TarnRenderer* r, int number);
TarnResult tarn__land_water(TarnRenderer* r, const TarnFrameWater* w, bool is_last);
int tarn__mirror_levels(const Land* land, float levels[MAX_MIRRORS]); // land_mirror.c; how many
TarnResult tarn__land_mirror(TarnRenderer* r, float level, bool* is_drawn);
void tarn__absorption(TarnVec3 color, float clarity, float to[3]); // 1/m per channel

// ---- The open sea (sea.c) ----------------------------------------------------------------------------
TarnResult tarn__check_sea(TarnContext* ctx, const TarnFrameSea* sea);
TarnResult tarn__sea_prepare(TarnRenderer* r, const TarnFrameSea* sea);
TarnResult tarn__sea_programs(TarnRenderer* r);
void tarn__sea_destroy(TarnRenderer* r);
void tarn__sea_reach(const TarnFrame* frame, float* near, float* far);
void tarn__sea_sky(TarnRenderer* r); // behind everything
void tarn__sea_draw(TarnRenderer* r, const TarnFrame* frame);

// ---- The stage (stage.c) -------------------------------------------------------------------------
void tarn__stage_constants(const TarnRenderer* r, const TarnFrame* frame, const Stage* s,
                           const TarnFrameLiquid* liquid, FrameBlock* f);
TarnResult tarn__stage_prepare(TarnRenderer* r, const TarnFrame* frame);
void tarn__stage_floor(TarnRenderer* r);
TarnResult tarn__stage_solids(TarnRenderer* r, const TarnFrame* frame);
const Program* tarn__studio_body(const TarnRenderer* r);
TarnResult tarn__mirror_create(TarnRenderer* r); // stage_mirror.c
void tarn__mirror_bind(const TarnRenderer* r, MirrorPart part);
void tarn__over_bind(const TarnRenderer* r);
TarnResult tarn__stage_mirrored(TarnRenderer* r,
                                float level);  // over the mirror of the water that is drawn
void tarn__stage_under(TarnRenderer* r);       // over what is below its water
TarnResult tarn__stage_parts(TarnRenderer* r); // what is made once
TarnResult tarn__stage_over(TarnRenderer* r, const TarnFrame* frame);
// Particles above the level of the water that the eye is in, to where calm water shows them (bend.c).
void tarn__bend_points(TarnRenderer* r, const TarnFrame* frame, float level);
