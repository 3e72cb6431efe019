// tarn/render.h: pictures of Tarn's simulations, without a window or in the host's.
//
// Its own library (tarn_render): one GL source for GL ES 3.0, desktop GL 3.3 core and WebGL 2. Headless
// through EGL with no X server, or in whatever context the host has made current. It draws what a TarnFrame
// says and keeps nothing of the simulation. The host's engine does not need it; it is for the command line,
// the viewer, web pages, tests and docs.
//
// Not thread-safe: one renderer, one thread.
#pragma once

#include "tarn/base.h"
#include "tarn/gas.h"
#include "tarn/liquid.h"
#include "tarn/mesh.h"
#include "tarn/particles.h"
#include "tarn/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TarnRenderer TarnRenderer;

typedef enum TarnRenderMode {
    TARN_RENDER_WATER, // reflection, refraction, depth color, caustics
    TARN_RENDER_BARS,  // the columns of the grid as bars, as in the first slide show
} TarnRenderMode;

// Water over land: rivers, floods, shores. With ground.data set, terrain is drawn, cut out as a block,
// and the water that runs over it. All views have the size of ground, and of TarnFrameWater only
// origin, dx and rest_level are read besides. All but ground is optional (data NULL).
typedef struct TarnFrameLand {
    TarnView2 ground; // y [m]. May change every frame
    TarnView2 depth;  // of the water [m], 0 on land. Thinner than 2 mm + dx / 200 it fades out
    // Speed of the water [m/s], at the cells, or at their faces with one column (x), one row (z) more.
    TarnView2 velocity_x, velocity_z;
    TarnView2 foam;     // 0 to 1. NULL: where the water is fast and shallow, or steep
    TarnView2 sediment; // 0 clear to 1 mud
    TarnView2 soil;     // thickness of the soil on the rock [m]. NULL: chosen by slope
    bool has_beach;     // the land up to a little above rest_level is sand
    bool
        has_sea; // beyond its edges the water goes on to the horizon at rest_level; no block is cut out
} TarnFrameLand;

// Height-field water over a floor. Cell (i, k) is centered at origin + ((i, k) + 0.5) * dx.
typedef struct TarnFrameWater {
    TarnView2 height;       // surface height y [m]
    TarnVec2 origin;        // x, z of the grid corner [m]
    float dx;               // [m]
    float rest_level;       // y of calm water [m]
    TarnView2 bed;          // y of the floor per cell [m]. data NULL: flat at bed_level
    float bed_level;        // [m]
    const uint8_t* is_wall; // nx * nz, nonzero: a wall or island stands there. NULL: none
    float wall_top;         // y of the top of walls [m]
    bool has_rim[4]; // a basin wall is drawn at -x, +x, -z, +z (closed edges); open sides fade out
    TarnFrameLand land; // land.ground.data NULL: this is a basin
} TarnFrameWater;

// Spheres, boxes, capsules and meshes, which are flat shaded. Of a shape nothing else is read but size, or
// points and triangles.
typedef struct TarnFrameBody {
    TarnShape shape;
    TarnVec3 position;
    TarnQuat rotation;
    TarnVec3 color; // linear 0..1
    bool is_glass;  // clear: seen by what it mirrors. Drawn around 3-D liquids only
} TarnFrameBody;

// What of the look of 2-D liquids is drawn, as the deck on Sprinkle builds it up.
enum {
    TARN_SPRINKLE_PARTICLES = 1,  // the particles as discs
    TARN_SPRINKLE_RESIZE = 2,     // sized by their density: strays are small
    TARN_SPRINKLE_STRETCH = 4,    // along the edge and the way: one smooth body
    TARN_SPRINKLE_REFRACTION = 8, // what lies behind is bent
    TARN_SPRINKLE_EDGES = 16,     // the surface that faces up is bright
    TARN_SPRINKLE_SPLASHES = 32,  // drops around it
    TARN_SPRINKLE_BUBBLES = 64,   // in it, they show how it moves
    TARN_SPRINKLE_ALL = 127,
};

// How a 3-D liquid is drawn.
typedef enum TarnFrameLiquidMode {
    TARN_FRAME_SCREEN_SPACE, // from its particles: their nearest surface, smoothed, and drops and foam
    TARN_FRAME_SURFACE, // mesh: its closed surface (tarn/particle_surface.h). Also without particles
    TARN_FRAME_SCREEN_MESH, // mesh: what this camera sees of it (tarn/screen_mesh.h), not closed
    TARN_FRAME_BALLS,       // the particles, a ball each
} TarnFrameLiquidMode;

// A liquid of particles. In 3-D it stands in a studio; in 2-D the plane z = 0 is seen straight on, before
// a painted sky. Particles that are not finite are left out.
typedef struct TarnFrameLiquid {
    int dimensions;      // 2 or 3
    TarnLiquidView view; // of it x, y, z are needed; arrays that are NULL are guessed from them
    float spacing;       // [m]
    TarnVec3 box_min, box_max; // what the camera frames [m]; the floor lies at its foot
    int walls;                 // TarnLiquidWalls: walls are drawn as glass, in 2-D as ground
    TarnVec3 color[TARN_LIQUID_KINDS]; // linear 0..1
    float clarity[TARN_LIQUID_KINDS];  // way that swallows most of the light [m]. 0: clear water
    TarnParticlesView splashes;        // n 0: none
    uint32_t look;                     // TARN_SPRINKLE_*, of 2-D liquids. 0: all
    int mode;                          // TarnFrameLiquidMode, of 3-D liquids
    const TarnMesh* mesh;              // for the two modes that need one; see TarnFrameMesh
    // 2-D: signed distance to what is solid, negative inside [m]; value (i, k) is at
    // solid_origin + (i, k) * solid_dx in x and y. It is painted as ground; meshes in frame.solids take
    // their part of it, in their color. data NULL: none, and meshes are drawn as convex.
    TarnView2 solid;
    TarnVec2 solid_origin;
    float solid_dx;
} TarnFrameLiquid;

// What the particles of a system look like, by their kind. Others are sparks of a color each.
enum {
    TARN_FRAME_SPRAY = 0, // drops and mist
    TARN_FRAME_FIRE = 1,  // flames if large, sparks if small: from white hot to red with age
    TARN_FRAME_SMOKE = 2, // smoke, dust
};
// How the particles of one kind look over their life, instead of the three above: values at birth, in
// the middle and at the end, blended between. Those that live forever stay in the middle.
typedef struct TarnParticleLook {
    TarnVec3 color[3]; // linear, above 1: glows
    float opacity[3];  // 0 to 1
    float size[3];     // times the radius of the particle
    float stretch;     // seconds of motion that a quad is long, 0: round
    bool is_additive;  // light is added (fire, heat); else it covers (smoke, dust), lit by the sun
    float softness;    // distance over which it fades where it meets geometry [m]
} TarnParticleLook;
typedef struct TarnFrameParticles {
    TarnParticlesView view;
    const TarnParticleLook* looks; // of kinds 0 to n_looks - 1, others as above; NULL: all as above
    int n_looks;                   // up to 256
    // What the camera frames if there is no liquid and no gas [m]; the floor lies at its foot.
    TarnVec3 box_min, box_max;
    bool is_flat; // seen as 2-D liquids are
} TarnFrameParticles;

// Smoke and fire of a gas: its density is ray cast with shadows of its own, its heat glows by the color of a
// black body. Several may overlap. It fades out over the last four cells of its box, but for those at the
// foot. Values that are not finite count as 0.
typedef struct TarnFrameGas {
    TarnGasView view;
    TarnVec3 color;            // of smoke without colors of its own, linear 0..1
    float opacity;             // extinction by density 1 [1/m]
    float glow;                // brightness of what is hot; 1: a flame a tenth of the box thick at
                               // 1500 K outshines a sunlit floor; 0: none
    float ambient_temperature; // [K]
    TarnVec3 box_min, box_max; // what the camera frames [m]; the floor lies at its foot
} TarnFrameGas;

// A mesh as a matte thing in the studio, in world coordinates. Position and index are needed; without normals
// its triangles are flat. Triangles with a vertex that is not finite or beyond 1e6 m, or that does not exist,
// are left out.
typedef struct TarnFrameMesh {
    const TarnMesh* mesh;
    TarnVec3 color; // linear 0..1
    bool has_wires; // its edges are drawn, too
} TarnFrameMesh;

typedef struct TarnCamera {
    TarnVec3 eye, target; // [m]
    float fov;            // vertical [radians]
} TarnCamera;

typedef struct TarnFrame {
    TarnRenderMode mode;
    TarnFrameWater water;
    const TarnFrameBody* bodies;
    int n_bodies;
    // With these `water` stays empty (land.ground.data and height.data NULL): a liquid beside a height
    // field is refused, particles and gases beside one are not drawn.
    const TarnFrameLiquid* liquid;       // NULL: none
    const TarnFrameParticles* particles; // NULL: none
    const TarnFrameGas* gases;           // NULL: none. In 2-D they are not drawn
    int n_gases;                         // up to 16
    const TarnFrameMesh*
        meshes; // NULL: none. Drawn with a liquid, particles (none are enough: they have
                // the box) or gases, in 3-D
    int n_meshes;
    const TarnFrameBody* solids; // drawn like bodies, but as what stands there: stone, metal
    int n_solids;
    TarnCamera camera;    // of 2-D frames: shows what it would show of the plane z = 0 from afar
    TarnVec3 sun;         // direction towards the sun, any length. Around liquids, below 0: night
    TarnVec3 water_color; // what deep water looks like, linear 0..1
    float clarity;        // depth at which two thirds of the floor's light is gone [m]
    double time;          // [s], for slow clouds
} TarnFrame;

// Fills camera, sun, water_color, clarity with what looks good for this water; the rest is kept.
TARN_API void tarn_frame_defaults(TarnFrame* frame);
// A camera that frames the whole water from yaw [radians] around y and pitch above the horizon.
TARN_API TarnCamera tarn_frame_camera(const TarnFrameWater* water, float yaw, float pitch,
                                      float aspect);
// The same for a box. is_flat: straight on, as 2-D liquids are seen; yaw and pitch are not read then.
TARN_API TarnCamera tarn_frame_camera_box(TarnVec3 box_min, TarnVec3 box_max, bool is_flat,
                                          float yaw, float pitch, float aspect);

// With a GL context of its own, headless: GL ES 3.0, or desktop GL 3.3 core if the environment variable
// TARN_GL is "desktop". Each call leaves this context current on the thread. TARN_ERR_UNSUPPORTED: no EGL or
// no such GL here (tarn_last_error says which step failed); in a browser always, use the next one there.
TARN_API TarnResult tarn_renderer_create(TarnContext* ctx, int width, int height,
                                         TarnRenderer** out);
// In the GL context that is current now: a window's, a browser's (WebGL 2, its extensions enabled:
// EXT_color_buffer_float, OES_texture_float_linear). The same one must be current whenever this renderer is
// used or destroyed. TARN_ERR_UNSUPPORTED: no context, or one that cannot do it.
TARN_API TarnResult tarn_renderer_create_here(TarnContext* ctx, int width, int height,
                                              TarnRenderer** out);
TARN_API void tarn_renderer_destroy(TarnRenderer* renderer); // NULL is fine

// Draws and reads back: width * height * 3 bytes, sRGB, top row first.
TARN_API TarnResult tarn_renderer_draw(TarnRenderer* renderer, const TarnFrame* frame,
                                       uint8_t* rgb);
// Draws into the lower left width x height pixels of a framebuffer of the host's context, 0: the window's.
// Colors are written as sRGB bytes, alpha 1; its depth is left alone. For tarn_renderer_create_here only.
//
// The state of the context, for both draws: whatever the host has set does not matter. Afterwards it is that
// of a fresh context (nothing bound, tests and blending off, writing on, pixel storage as at the start),
// but for the framebuffer (draw_to: the given one with viewport 0, 0, width, height; draw: 0), and on desktop
// GL GL_PROGRAM_POINT_SIZE, which is on. Samplers of units 0 to 15 are unbound; other units, stencil
// functions and transform feedback are not touched. Errors that GL held before are dropped.
TARN_API TarnResult tarn_renderer_draw_to(TarnRenderer* renderer, const TarnFrame* frame,
                                          uint32_t framebuffer);

#ifdef __cplusplus
}
#endif
