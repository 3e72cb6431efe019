// tarn/view.h: from a world to a frame that tarn/render.h draws.
//
// A separate library (tarn_view) between the simulation and the renderer; it needs no GL. A viewer looks at a
// world and fills a TarnFrame with everything in it: any number of any solvers, bodies, solids, buildings, the
// camera and the sky. It serves the command line, web pages, tests and viewers. A game that draws by itself can
// use it for cameras, interpolation and picking.
//
//     TarnViewerDef def = tarn_viewer_default_def();
//     def.world = world, def.width = 1280, def.height = 720;
//     TarnViewer* viewer;
//     tarn_viewer_create(ctx, &def, &viewer);
//     ... tarn_viewer_keep(viewer); tarn_world_step(world, dt, NULL);         at 60 Hz
//     ... tarn_viewer_update_between(viewer, share, &frame);                  at any rate
//     ... tarn_renderer_draw_to(renderer, frame, 0);
//
// How solvers are drawn: one TarnDrawer per solver class, found by the name of the class. A solver without one
// that offers a Surface is drawn as water sampled from it. Hosts bring drawers for their own solvers.
//
// It is not thread-safe: use a viewer from one thread at a time, and not while its world steps.
#pragma once

#include "tarn/particle_surface.h"
#include "tarn/render.h"
#include "tarn/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TarnViewer TarnViewer;
typedef struct TarnDrawer TarnDrawer;

// ---- Viewers -------------------------------------------------------------------------------------

// How a body or a solid is drawn.
typedef struct TarnThingLook {
    TarnVec3 color; // linear 0..1
    TarnVec3 glow;  // light that it gives off, as TarnFrameBody.glow
    bool is_hidden;
    bool is_glass; // clear glass
} TarnThingLook;
// Changes how a body or a solid is drawn; one of the two ids is null. *look holds what the viewer would use.
typedef void TarnThingLookFn(TarnBodyId body, TarnSolidId solid, TarnThingLook* look, void* user);

// Start from tarn_viewer_default_def(). Everything it points to but world, scene and drawers is copied.
typedef struct TarnViewerDef {
    uint32_t cookie;   // set by tarn_viewer_default_def; leave it alone
    TarnWorld* world;  // what is drawn; NULL: the world of the scene
    TarnScene* scene;  // its view, colors, looks and buildings are used; NULL: defaults
    int width, height; // of the picture [pixels], 1 to 16384. Default 1280 x 720
    // Names of the solvers to draw, separated by commas; NULL: all. Bodies and solids are always drawn.
    const char* only;
    uint32_t look;  // TARN_SPRINKLE_* for 2-D liquids; 0: all
    int liquid;     // TarnFrameLiquidMode for all 3-D liquids; -1: as scene or looks say
    bool has_wires; // meshes of liquids are drawn matte, with their edges
    const TarnParticleSurfaceParams* surface; // of meshes of liquids; NULL: the default
    const TarnDrawer* const* drawers; // of the host, tried before those of the library; up to 16
    int n_drawers;
    TarnThingLookFn* thing_look; // NULL: as the scene says, or gray
    void* user;                  // passed to thing_look
} TarnViewerDef;
TARN_DEFAULT_DEF(TarnViewerDef, tarn_viewer);

// Creates a viewer. TARN_ERR_ARG: a value is out of range, there is no world, or `only` names a solver that the
// world does not hold. TARN_ERR_MEMORY. On failure *out is NULL. Destroy it before its world.
TARN_API TarnResult tarn_viewer_create(TarnContext* ctx, const TarnViewerDef* def,
                                       TarnViewer** out);
TARN_API void tarn_viewer_destroy(TarnViewer* viewer); // NULL is fine
// Sets the size of the picture [pixels], 1 to 16384.
TARN_API TarnResult tarn_viewer_resize(TarnViewer* viewer, int width, int height);

// Fills a frame with the world as it is now. It is valid until the next call on this viewer, and until the world
// is stepped or edited. It allocates only where the world has grown. TARN_ERR_UNSUPPORTED: a solver cannot be
// drawn, or not together with the others (2-D liquids fill the picture); tarn_last_error says which, and what to
// do. Nothing is ever left out silently.
TARN_API TarnResult tarn_viewer_update(TarnViewer* viewer, const TarnFrame** out);

// Remembers the world as it is now. Call it before each step.
TARN_API TarnResult tarn_viewer_keep(TarnViewer* viewer);
// Fills a frame with a state between the kept one (share 0) and that of now (share 1): bodies, solids, drops,
// sparks and heights move evenly, and gases blend. What came or went in between changes at a share of 0.5.
// Without a kept state it shows the world as it is now. TARN_ERR_ARG: share is not within 0 to 1. Other errors as
// tarn_viewer_update.
TARN_API TarnResult tarn_viewer_update_between(TarnViewer* viewer, float share,
                                               const TarnFrame** out);

// ---- Looks -----------------------------------------------------------------------------------------

// How a solver is drawn; each kind reads what concerns it. Start from tarn_viewer_get_look.
typedef struct TarnSolverLook {
    bool is_hidden; // not drawn at all
    TarnVec3 color; // deep water, or smoke, linear 0..1; zero: chosen to suit
    float
        clarity; // waters: depth at which two thirds of the floor's light is lost [m]; 0: chosen to suit
    float wall_height;   // waves: height of walls and rims above the rest level [m]
    bool is_vessel;      // waves: the basin stands free, as a bowl on a table
    bool has_beach;      // waters over terrain: land up to a little above the level is sand
    float sand;          // height above the level up to which it is [m]; 0: chosen
    int liquid;          // 3-D liquids: TarnFrameLiquidMode
    float opacity, glow; // gases: as in TarnFrameGas
    const TarnParticleLook* particles; // particle systems: for kinds 0 to n_particles - 1
    int n_particles;                   // up to 16; 0: each kind as TarnFrameParticles says
} TarnSolverLook;
// Reads how a solver is drawn. TARN_ERR_ARG: it is not in the world.
TARN_API TarnResult tarn_viewer_get_look(TarnViewer* viewer, const void* solver,
                                         TarnSolverLook* out);
// Sets how a solver is drawn from the next update on; NULL: as the scene says again. The looks of particles are
// copied. TARN_ERR_ARG: it is not in the world, or a value is not finite or out of range.
TARN_API TarnResult tarn_viewer_set_look(TarnViewer* viewer, const void* solver,
                                         const TarnSolverLook* look);

// ---- Cameras ---------------------------------------------------------------------------------------

typedef enum TarnViewerCameraMode {
    TARN_CAMERA_SCENE,  // as the scene says; without a scene it frames everything
    TARN_CAMERA_ORBIT,  // around what it frames, or around `target`
    TARN_CAMERA_PLACED, // at `eye`, looking at `target`
} TarnViewerCameraMode;
typedef struct TarnViewerCamera {
    int mode;         // TarnViewerCameraMode
    float yaw, pitch; // orbit: around y, and above the horizon, 0.03 to 1.55 [radians]
    // orbit: 1 is the distance that frames everything, smaller is closer, 0.01 to 100; around a target: [m]
    float distance;
    bool has_target; // orbit: around `target` instead of around everything
    TarnVec3 target; // [m]
    TarnVec3 eye;    // placed [m]
    float fov;       // vertical [radians], 0.01 to 3; 0: 0.45
    // Null, or a body that the camera moves with: eye and target are then relative to its position.
    TarnBodyId follow;
} TarnViewerCamera;
// Sets the camera from the next update on. Land is framed as it is then, and stays framed so while it is dug or
// carved. TARN_ERR_ARG: a value is not finite or out of range.
TARN_API TarnResult tarn_viewer_set_camera(TarnViewer* viewer, const TarnViewerCamera* camera);

// Sets sky, light and background from the next update on, instead of those of the scene. A sun of 0, 0, 0 is chosen
// to suit. NULL: as the scene says again. TARN_ERR_ARG: a value is not finite or out of range.
TARN_API TarnResult tarn_viewer_set_sky(TarnViewer* viewer, const TarnFrameSky* sky);

// ---- Picking ---------------------------------------------------------------------------------------

typedef enum TarnPickKind {
    TARN_PICK_NONE,   // nothing but sky
    TARN_PICK_BODY,   // body
    TARN_PICK_SOLID,  // solid
    TARN_PICK_WATER,  // solver: a height field
    TARN_PICK_GROUND, // solver: the ground, a wall or a building of a height field
    TARN_PICK_LIQUID, // solver, particle
    TARN_PICK_MESH,   // solver
} TarnPickKind;
typedef struct TarnPick {
    int kind; // TarnPickKind
    TarnBodyId body;
    TarnSolidId solid;
    void* solver;
    int particle;      // index in the view of the liquid in the frame
    TarnVec3 position; // where the line of sight meets it [m]
    float distance;    // from the eye [m]; INFINITY: nothing
} TarnPick;
// Finds what is seen at a point of the picture of the last update; x and y are 0 to 1 from the upper left corner.
// Gases and particle systems are looked through. TARN_ERR_ARG: there was no update yet, or a value is not within
// 0 to 1.
TARN_API TarnResult tarn_viewer_pick(const TarnViewer* viewer, float x, float y, TarnPick* out);
// Writes the line of sight through a point of the picture: the eye and a unit direction. Errors as above.
TARN_API TarnResult tarn_viewer_ray(const TarnViewer* viewer, float x, float y, TarnVec3* eye,
                                    TarnVec3* direction);

// ---- Drawers ---------------------------------------------------------------------------------------

// What a drawer works with: the solver, and where its layers go.
typedef struct TarnDrawing {
    TarnContext* ctx;
    TarnWorld* world;
    TarnScene* scene; // may be NULL
    void* solver;
    void* memory; // of the drawer for this solver
    const TarnSolverLook* look;
    const TarnFrame* frame; // in finish: everything but what finish adds, with the camera
    TarnViewer* viewer;
} TarnDrawing;

// How the solvers of a class become layers of a frame. tests/hall/slosh_draw.c is a small one. Cameras, picking and
// interpolation work on the layers.
struct TarnDrawer {
    size_t size;      // sizeof(TarnDrawer) in the program that defines it
    const char* kind; // name of the solver class
    size_t memory;    // bytes that are kept, zeroed at first, for each solver of this kind
    // Adds the layers of a solver by the calls below. What they point to must stay valid until the next update.
    // Another result than TARN_OK ends the update.
    TarnResult (*update)(TarnDrawing* drawing);
    // Adds what needs the camera, after all solvers were updated; may be NULL.
    TarnResult (*finish)(TarnDrawing* drawing);
    // Frees what the memory refers to (tarn_drawing_reserve); may be NULL. The solver may be gone by then.
    void (*destroy)(TarnDrawing* drawing);
};

// Add a layer to the frame. TARN_ERR_MEMORY.
TARN_API TarnResult tarn_drawing_add_water(TarnDrawing* drawing, const TarnFrameWater* water);
// At most one sea: TARN_ERR_UNSUPPORTED.
TARN_API TarnResult tarn_drawing_add_sea(TarnDrawing* drawing, const TarnFrameSea* sea);
TARN_API TarnResult tarn_drawing_add_liquid(TarnDrawing* drawing, const TarnFrameLiquid* liquid);
TARN_API TarnResult tarn_drawing_add_particles(TarnDrawing* drawing,
                                               const TarnFrameParticles* particles);
TARN_API TarnResult tarn_drawing_add_gas(TarnDrawing* drawing, const TarnFrameGas* gas);
TARN_API TarnResult tarn_drawing_add_mesh(TarnDrawing* drawing, const TarnFrameMesh* mesh);

// A block of a drawer that only grows, from the allocator of the context. Zero it at first.
typedef struct TarnDrawingBlock {
    void* data;
    size_t size; // [bytes]
} TarnDrawingBlock;
// Makes room for `size` bytes; what the block held is copied. TARN_ERR_MEMORY. free: sets it to zero.
TARN_API TarnResult tarn_drawing_reserve(TarnContext* ctx, TarnDrawingBlock* block, size_t size);
TARN_API void tarn_drawing_free(TarnContext* ctx, TarnDrawingBlock* block);

#ifdef __cplusplus
}
#endif
