// tarn/render.h: pictures of Tarn's simulations, headless or in the host's window.
//
// A separate library (tarn_render) with one GL source for GL ES 3.0, desktop GL 3.3 core and WebGL 2. It runs
// headless through EGL without an X server, or in any context that the host has made current. It draws what a
// TarnFrame describes and keeps nothing of the simulation. It serves the command line, the viewer, web pages,
// tests and docs; an engine draws with its own renderer.
//
// It is not thread-safe: use each renderer from one thread only.
#pragma once

#include "tarn/base.h"
#include "tarn/gas.h"
#include "tarn/liquid.h"
#include "tarn/mesh.h"
#include "tarn/ocean.h"
#include "tarn/particles.h"
#include "tarn/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TarnRenderer TarnRenderer;

typedef enum TarnRenderMode {
    TARN_RENDER_WATER, // with reflection, refraction, depth color and caustics
    TARN_RENDER_BARS,  // the columns of the grid as bars
} TarnRenderMode;

// Water over land: rivers, floods, shores. If ground.data is set, the terrain is drawn as a block cut out of
// the landscape, with the water on it, and of TarnFrameWater only origin, dx and rest_level are read. All
// views have the size of ground; all but ground are optional (data NULL).
typedef struct TarnFrameLand {
    TarnView2 ground; // y of the ground [m]; may change every frame
    TarnView2 depth;  // of the water [m], 0 on land; below 2 mm + dx / 200 it fades out
    // Velocity of the water [m/s], per cell, or per face with one column (x) or row (z) more.
    TarnView2 velocity_x, velocity_z;
    TarnView2 foam;     // 0 to 1; NULL: where the water is fast and shallow, or steep
    TarnView2 sediment; // 0 clear to 1 muddy
    TarnView2 soil;     // thickness of the soil on the rock [m]; NULL: chosen by slope
    bool has_beach;     // land up to a little above rest_level is sand
    float sand;         // height above rest_level up to which it is [m]; 0: chosen
    // The water continues to the horizon at rest_level, and no block is cut out.
    bool has_sea;
} TarnFrameLand;

// Waves on top of a water, at their own resolution: wakes on the sea, ripples on a river. Cell (i, k) is centered at
// origin + ((i, k) + 0.5) * dx; nothing is added outside.
typedef struct TarnFrameWaves {
    // nx * nz times four values, x fastest: height [m], slopes along x and z, sum of the squares of the slopes; NULL: none
    const float* texels;
    int nx, nz;
    TarnVec2 origin; // [m]
    float dx;        // [m]
} TarnFrameWaves;

// Height-field water over a floor. Cell (i, k) is centered at origin + ((i, k) + 0.5) * dx.
typedef struct TarnFrameWater {
    TarnView2 height;       // surface height y [m]
    TarnVec2 origin;        // x, z of the grid corner [m]
    float dx;               // [m]
    float rest_level;       // y of calm water [m]
    TarnView2 bed;          // y of the floor in each cell [m]; data NULL: flat at bed_level
    float bed_level;        // [m]
    const uint8_t* is_wall; // nx * nz values, nonzero for a wall or island; NULL: none
    float wall_top;         // y of the top of walls [m]
    bool has_rim[4];        // draws a basin wall at -x, +x, -z, +z; other sides fade out
    TarnFrameLand land;     // land.ground.data NULL: this is a basin
    TarnFrameWaves waves;   // over land: their slopes are added; in a basin they are ignored
    // Sheets of water in the air that belong to it (tarn/breakers.h), with normals and the attributes age, arc and
    // thickness. Over land they are drawn as this water; in a basin they are ignored. NULL: none.
    const TarnMesh* sheets;
    TarnView2 foam;       // 0 to 1, size of height; on top of that of crests and shores. NULL: none
    bool is_block;        // a basin that stands free, without a deck: a bowl on a table
    TarnVec3 water_color; // color of deep water, linear 0..1
    float
        clarity; // depth at which two thirds of the floor's light is lost [m]. 0: this and the color
                 // are those of the frame
} TarnFrameWater;

// Spheres, boxes, capsules and meshes, which are flat shaded. Of a shape nothing else is read but size, or
// points and triangles.
typedef struct TarnFrameBody {
    TarnShape shape;
    TarnVec3 position;
    TarnQuat rotation;
    TarnVec3 color; // linear 0..1
    TarnVec3
        glow; // light it gives off, linear; a white wall in the sun is about 2. It lights what is around
    bool is_glass; // clear glass, visible by its reflections; not in 2-D
    bool is_plain; // in 3-D, a sphere or capsule without the white band that shows how it turns
} TarnFrameBody;

// Layers of the look of 2-D liquids, in the order in which Gustafsson (2014) adds them in Sprinkle.
enum {
    TARN_SPRINKLE_PARTICLES = 1, // the particles as discs
    TARN_SPRINKLE_RESIZE = 2,    // scaled by their density: stray particles are small
    TARN_SPRINKLE_STRETCH = 4,   // stretched along the surface and the motion, into one smooth body
    TARN_SPRINKLE_REFRACTION = 8, // the background is refracted
    TARN_SPRINKLE_EDGES = 16,     // the upward-facing surface is bright
    TARN_SPRINKLE_SPLASHES = 32,  // spray around the liquid
    TARN_SPRINKLE_BUBBLES = 64,   // bubbles inside, which show its motion
    TARN_SPRINKLE_ALL = 127,
};

// How a 3-D liquid is drawn.
typedef enum TarnFrameLiquidMode {
    TARN_FRAME_SCREEN_SPACE, // from its particles: their smoothed front surface, with drops and foam
    TARN_FRAME_SURFACE, // mesh: its closed surface (tarn/particle_surface.h); needs no particles
    TARN_FRAME_SCREEN_MESH, // mesh: what this camera sees (tarn/screen_mesh.h), not closed
    TARN_FRAME_BALLS,       // each particle as a ball
} TarnFrameLiquidMode;

// A particle liquid. Alone in 3-D it is drawn in a studio; in 2-D the plane z = 0 is seen head-on in front of a
// painted sky. Particles that are not finite are skipped.
typedef struct TarnFrameLiquid {
    int dimensions;            // 2 or 3
    TarnLiquidView view;       // x, y, z are required; other arrays are estimated from them if NULL
    float spacing;             // [m]
    TarnVec3 box_min, box_max; // what the camera frames [m]; the floor is at its bottom
    int walls;                 // TarnLiquidWalls, drawn as glass, in 2-D as ground
    TarnVec3 color[TARN_LIQUID_KINDS]; // linear 0..1
    float clarity[TARN_LIQUID_KINDS]; // distance that absorbs most of the light [m]; 0: clear water
    TarnParticlesView splashes;       // n = 0: none
    uint32_t look;                    // TARN_SPRINKLE_* for 2-D liquids; 0: all
    int mode;                         // TarnFrameLiquidMode for 3-D liquids
    const TarnMesh* mesh;             // for the two modes that need one; as in TarnFrameMesh
    // 2-D: signed distance to solids, negative inside [m]; value (i, k) is at solid_origin + (i, k) *
    // solid_dx in x and y. It is painted as ground; the parts that belong to meshes in frame.solids get their
    // colors. data NULL: none, and meshes are drawn as if convex.
    TarnView2 solid;
    TarnVec2 solid_origin;
    float solid_dx;
} TarnFrameLiquid;

// How particles look by their kind. Particles of other kinds are sparks, with one color per kind.
enum {
    TARN_FRAME_SPRAY = 0, // drops and mist
    TARN_FRAME_FIRE = 1,  // flames if large, sparks if small; they cool from white to red with age
    TARN_FRAME_SMOKE = 2, // smoke, dust
};
// How the particles of one kind look over their life, instead of the looks above: values at birth, halfway
// and at the end, interpolated. Particles that live forever keep the middle values.
typedef struct TarnParticleLook {
    TarnVec3 color[3]; // linear; above 1 it glows
    float opacity[3];  // 0 to 1
    float size[3];     // multiples of the particle's radius
    float stretch;     // length of the motion streak [s]; 0: round
    bool is_additive;  // adds light (fire, heat); otherwise covers (smoke, dust), lit by the sun
    float softness;    // distance over which it fades near geometry [m]
    // Pictures that fade into one another, each particle turned and mirrored by chance. AUTO: at birth a puff, or a
    // streak if it is stretched; later the one before.
    TarnParticleTexture texture[3];
    float temperature[3]; // [K]: colors are multiplied by that of a black body; all 0: they are not
    float hides;          // additive: share of what is behind that it hides, 0 to 1
    float turn;           // fastest rotation of round ones, random to both sides [radians/s]
} TarnParticleLook;
typedef struct TarnFrameParticles {
    TarnParticlesView view;
    const TarnParticleLook* looks; // for kinds 0 to n_looks - 1; other kinds as above
    int n_looks;                   // up to 256
    TarnVec3 box_min, box_max;     // what the camera frames [m]; equal: it does not matter
    bool is_flat;                  // seen head-on like 2-D liquids
} TarnFrameParticles;

// Smoke and fire of a gas: density is ray cast with self-shadowing, heat glows with the color of a black
// body. Several gases may overlap. A gas fades out over the last four cells of its box, except at the bottom.
// Values that are not finite count as 0.
typedef struct TarnFrameGas {
    TarnGasView view;
    TarnVec3 color;            // of smoke without its own colors, linear 0..1
    float opacity;             // extinction at density 1 [1/m]
    float glow;                // brightness of hot gas; 0: none. At 1, a flame at 1500 K as thick
                               // as a tenth of the box outshines a sunlit floor
    float ambient_temperature; // [K]
    TarnVec3 box_min, box_max; // what the camera frames [m]; the floor is at its bottom
} TarnFrameGas;

// A matte mesh, in world coordinates. position and index are required; without normals it is
// flat shaded. Triangles with a vertex that does not exist, is not finite or lies beyond 1e6 m are skipped.
typedef struct TarnFrameMesh {
    const TarnMesh* mesh;
    TarnVec3 color; // linear 0..1
    bool has_wires; // also draws its edges
} TarnFrameMesh;

// The open sea to the horizon, around everything else.
typedef struct TarnFrameSea {
    TarnOceanCascade cascades[TARN_OCEAN_MAX_CASCADES];
    int n;                    // cascades
    float level;              // y of calm water [m]
    TarnVec2 wind;            // speed along x and z [m/s]; foam lies in streaks along a strong one
    float significant_height; // [m]
    TarnVec3 color;           // of deep water, linear 0..1
    TarnFrameWaves waves;     // on top of all cascades
    // Foam of white water on a part of it, 0 to 1; data NULL: none. Value (i, k) is in the middle of cell (i, k) of a grid
    // that begins at foam_origin.
    TarnView2 foam;
    TarnVec2 foam_origin; // x and z [m]
    float foam_dx;        // [m]
} TarnFrameSea;
// Lines on top of the picture, in front of everything: debug views. Segments with a point that is not finite or lies
// beyond 1e6 m are skipped.
typedef struct TarnFrameLines {
    const TarnVec3* points; // 2 n: the ends of segment i are points 2 i and 2 i + 1 [m]
    const uint32_t* colors; // n: bytes red, green, blue, alpha in memory, sRGB
    int n;                  // 0: none
    float width;            // in a picture that is 720 pixels high [pixels]; 0: 1.5
} TarnFrameLines;

typedef struct TarnCamera {
    TarnVec3 eye, target; // [m]
    float fov;            // vertical [radians]
} TarnCamera;

typedef enum TarnSky {
    TARN_SKY_AUTO, // by what is shown: a blue sky over height fields, a studio around all else
    TARN_SKY_DAY,
    TARN_SKY_DUSK,
    TARN_SKY_NIGHT, // moon and stars
    TARN_SKY_OVERCAST,
    TARN_SKY_STUDIO,
    TARN_SKY_NONE, // one color
} TarnSky;
// Sky, light and what is drawn around.
typedef struct TarnFrameSky {
    TarnSky kind;
    TarnVec3 sun;        // direction toward the sun, any length; around liquids, y < 0 is night
    float exposure;      // factor on all light; 0: 1
    float fog;           // share of the light that is lost per meter [1/m]
    TarnVec3 background; // of TARN_SKY_NONE, linear 0..1
    bool hides_floor, hides_tank;
    bool is_transparent; // a picture with alpha
} TarnFrameSky;

enum {
    TARN_FRAME_MAX_WATERS = 8,
    TARN_FRAME_MAX_LIQUIDS = 8,
    TARN_FRAME_MAX_PARTICLES = 8, // systems
    TARN_FRAME_MAX_GASES = 16,
};

// Everything that one picture shows, in any mix.
typedef struct TarnFrame {
    TarnRenderMode mode;
    const TarnFrameWater* waters; // height fields: basins and land
    int n_waters;
    const TarnFrameSea* sea; // NULL: none
    const TarnFrameBody* bodies;
    int n_bodies;
    const TarnFrameBody* solids; // drawn like bodies, but as stone and metal
    int n_solids;
    const TarnFrameMesh* meshes;
    int n_meshes;
    const TarnFrameLiquid* liquids; // 2-D ones only with what has a place in the plane z = 0
    int n_liquids;
    const TarnFrameParticles* particles;
    int n_particles;
    const TarnFrameGas* gases;
    int n_gases;
    TarnCamera camera; // in 2-D: shows the part of the plane z = 0 that it would see
    TarnFrameSky sky;
    // Of waters that do not set their own: color of deep water, linear 0..1; depth at which two thirds of the
    // floor's light is lost [m].
    TarnVec3 water_color;
    float clarity;
    // What the camera frames, and the studio's floor lies under [m]. Equal: the boxes of liquids, gases and
    // particles together.
    TarnVec3 box_min, box_max;
    double time; // [s], for slow clouds
    TarnFrameLines lines;
} TarnFrame;

// Sets camera, sky.sun, water_color and clarity to values that suit this frame; the rest is kept.
TARN_API void tarn_frame_defaults(TarnFrame* frame);
// Returns a camera that frames the whole water, from a yaw around y and a pitch above the horizon [radians].
TARN_API TarnCamera tarn_frame_camera(const TarnFrameWater* water, float yaw, float pitch,
                                      float aspect);
// Returns a camera that frames a box. is_flat: head-on, as for 2-D liquids; yaw and pitch are ignored.
TARN_API TarnCamera tarn_frame_camera_box(TarnVec3 box_min, TarnVec3 box_max, bool is_flat,
                                          float yaw, float pitch, float aspect);

// Creates a renderer with its own headless GL context: GL ES 3.0, or desktop GL 3.3 core if the environment
// variable TARN_GL is "desktop". Each call leaves this context current on the thread. TARN_ERR_UNSUPPORTED:
// EGL or this GL is not available (tarn_last_error says which step failed), or this is a browser, where only
// the next function works.
TARN_API TarnResult tarn_renderer_create(TarnContext* ctx, int width, int height,
                                         TarnRenderer** out);
// Creates a renderer in the current GL context: a window's, or a browser's (WebGL 2 with the extensions
// EXT_color_buffer_float and OES_texture_float_linear enabled). The same context must be current whenever the
// renderer is used or destroyed. TARN_ERR_UNSUPPORTED: there is no current context, or it lacks a required
// feature.
TARN_API TarnResult tarn_renderer_create_in_current_context(TarnContext* ctx, int width, int height,
                                                            TarnRenderer** out);
// Another size of the pictures. Shaders stay compiled, so this is much faster than a new renderer. On failure
// the old size stays.
TARN_API TarnResult tarn_renderer_resize(TarnRenderer* renderer, int width, int height);
TARN_API void tarn_renderer_destroy(TarnRenderer* renderer); // NULL is fine

// Draws a frame and reads it back: width * height * 3 bytes, sRGB, top row first.
TARN_API TarnResult tarn_renderer_draw(TarnRenderer* renderer, const TarnFrame* frame,
                                       uint8_t* rgb);
// The same with alpha: width * height * 4 bytes, straight (colors are not multiplied by it). Alpha is 255 everywhere
// unless frame.sky.is_transparent; then it is what covers the background, for compositing in sRGB: over black the
// picture is what tarn_renderer_draw draws before a black background, up to rounding. It draws the frame twice.
TARN_API TarnResult tarn_renderer_draw_rgba(TarnRenderer* renderer, const TarnFrame* frame,
                                            uint8_t* rgba);
// Draws into the lower left width x height pixels of a framebuffer of the host's context; 0 is the window's.
// Colors are written as sRGB bytes with alpha 1; its depth buffer is left alone. Only for
// tarn_renderer_create_in_current_context.
//
// GL state, for both draws: whatever the host has set does not matter. Afterwards the state is that of a new
// context (nothing bound, tests and blending off, write masks on, default pixel storage), except for the
// framebuffer (draw_to: the given one with viewport 0, 0, width, height; draw: 0) and GL_PROGRAM_POINT_SIZE,
// which is on in desktop GL. Samplers of units 0 to 15 are unbound; other units, stencil functions and
// transform feedback are not touched. Earlier GL errors are discarded.
TARN_API TarnResult tarn_renderer_draw_to(TarnRenderer* renderer, const TarnFrame* frame,
                                          uint32_t framebuffer);

// Programs are compiled when a picture first needs them, which takes seconds where a processor draws. The function is called
// from within a draw, before each program that is compiled; n: how many this renderer has compiled so far. It may draw and
// swap a window of the same GL context, if it leaves bindings, viewport and all other GL state as found, and must not use
// the renderer, nor change what the frame points to. NULL: none.
typedef void TarnCompilingFn(const char* program, int n, void* user);
TARN_API void tarn_renderer_on_compiling(TarnRenderer* renderer, TarnCompilingFn* call, void* user);

// What the layers of a picture cost. While it is on, the renderer waits for the GPU after each layer, so
// pictures take a little longer.
enum { TARN_RENDER_LAYERS = 9 };
typedef struct TarnLayerTime {
    const char* layer; // "setup", "shadows", "solids", ...
    float ms;
} TarnLayerTime;
TARN_API void tarn_renderer_set_timing(TarnRenderer* renderer, bool is_on);
// The layers of the last picture, in their order. Returns how many, 0 if it is off.
TARN_API int tarn_renderer_timing(const TarnRenderer* renderer,
                                  TarnLayerTime out[TARN_RENDER_LAYERS]);

#ifdef __cplusplus
}
#endif
