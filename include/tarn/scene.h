// tarn/scene.h: a world from a JSON text. The keys are the names in the parameter tables.
//
// A text from outside is hostile until parsed: an unknown key, a wrong type or a value out of range
// is refused with name:line:column, the range, and the nearest known key. Nothing is half loaded.
// The format: docs/scenes.md
#pragma once

#include "tarn/world.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TARN_SCENE_FORMAT = 1 };

typedef struct TarnScene TarnScene;

// How the scene wants to be shown and run. Filled from the tables "view" and "run".
typedef struct TarnSceneView {
    int mode;         // 0 water, 1 bars
    float yaw, pitch; // of the camera around the water [degrees]
    float distance;   // 1: the camera frames the whole basin; smaller is closer
    TarnVec2 target;  // x, z that the camera looks at, relative to the center [m]
    // A camera at a place of its own, in place of the four above; both equal: none [m]
    TarnVec3 eye, look_at;
    float fov;            // vertical [degrees]; 0: 25.8, as the camera that frames all
    TarnVec3 sun;         // direction towards the sun; zero: the renderer chooses
    TarnVec3 water_color; // linear 0..1; zero: the renderer chooses
    float clarity;        // [m]; zero: the renderer chooses
    float wall_height;    // of walls and rims over the rest level [m]
    bool beach;           // the land up to a little above the level is sand
    // Of gases and particles: what the camera frames [m]; both zero: the box of the first. With follow it goes
    // along with the first gas.
    TarnVec3 box_min, box_max;
    bool follow;
    int liquid; // 3-D liquids: 0 from their particles, 1 mesh, 2 mesh of what is seen, 3 balls
    int solver; // number of the solver that it frames (tarn_world_number); 0: the first
} TarnSceneView;

// How a gas wants to be drawn, and how the particles of a kind change over their life: at birth, in the middle,
// at the end (x, y, z of opacity and size).
typedef struct TarnSceneGasLook {
    TarnVec3 color; // of smoke, linear 0..1
    float opacity;  // extinction by density 1 [1/m]
    float glow;     // brightness of what is hot; 0: none
} TarnSceneGasLook;
typedef struct TarnSceneLook {
    TarnVec3 birth, middle, end; // colors, linear, above 1: glows
    TarnVec3 opacity;            // 0 to 1
    TarnVec3 size;               // times the radius of the particle
    float stretch;               // seconds of motion that it is drawn long
    bool additive;               // light is added; else it covers
    float softness;              // distance over which it fades where it meets something [m]
} TarnSceneLook;

typedef struct TarnSceneRun {
    float seconds; // how long it runs unless told otherwise [s]
    float dt;      // of one world step [s]
    float lapse;   // simulated seconds in a second of film, for what takes long
} TarnSceneRun;

// "pond.damping=0.2", "solvers[0].damping=0.2", "bodies[1].density=300", "boat.density=300", "view.yaw=45": as given on
// a command line. A solver without a name has that of its kind, and wave2, wave3 from the second on.
typedef struct TarnSceneOverride {
    const char* path;
    const char* value;
} TarnSceneOverride;

TARN_API const TarnParamTable* tarn_scene_run_table(void);
TARN_API const TarnParamTable* tarn_scene_view_table(void);
TARN_API const TarnParamTable* tarn_scene_gas_look_table(void);
TARN_API const TarnParamTable* tarn_scene_look_table(void);
// All tables that a scene is made of: run, view and world; def, params and lists of each class of solvers that ctx knows
// (NULL: those of the library), with what only scenes have of it; then what any solver may have, and the rest of the
// file. Returns how many; capacity of them are written. out may be NULL.
TARN_API int tarn_scene_tables(const TarnContext* ctx, const TarnParamTable** out, int capacity);

// name is used in messages only. TARN_ERR_DATA: the text is refused, tarn_last_error says where and why.
// TARN_ERR_ARG: an override names nothing that exists, or has a bad value.
TARN_API TarnResult tarn_scene_create(TarnContext* ctx, const char* text, size_t size,
                                      const char* name, const TarnSceneOverride* overrides,
                                      int n_overrides, TarnScene** out);
// The same from a file. Terrain files that the scene names are read, too: they lie beside it or below.
// TARN_ERR_IO: it cannot be read, the sentence says why. From a text they are refused.
TARN_API TarnResult tarn_scene_create_from_file(TarnContext* ctx, const char* path,
                                                const TarnSceneOverride* overrides, int n_overrides,
                                                TarnScene** out);
TARN_API void tarn_scene_destroy(TarnScene* scene); // and its world; NULL is fine

TARN_API TarnWorld* tarn_scene_world(TarnScene* scene);
TARN_API const char* tarn_scene_title(const TarnScene* scene); // never NULL
TARN_API const char* tarn_scene_about(const TarnScene* scene); // one sentence, may be empty
TARN_API TarnSceneRun tarn_scene_run(const TarnScene* scene);
TARN_API TarnSceneView tarn_scene_view(const TarnScene* scene);
// Color of a body, linear 0..1; gray for one that the scene did not make.
TARN_API TarnVec3 tarn_scene_body_color(const TarnScene* scene, TarnBodyId body);
// The same of a solid; that of a body has the body's color.
TARN_API TarnVec3 tarn_scene_solid_color(const TarnScene* scene, TarnSolidId solid);
// What is not to be drawn: solids that say so, solids that only stand for a body, and bodies that a solid
// of another shape stands for.
TARN_API bool tarn_scene_solid_is_hidden(const TarnScene* scene, TarnSolidId solid);
TARN_API bool tarn_scene_solid_is_glass(const TarnScene* scene, TarnSolidId solid);
TARN_API bool tarn_scene_body_is_hidden(const TarnScene* scene, TarnBodyId body);
// How the n-th gas of the world looks; all 0: the scene did not make it.
TARN_API TarnSceneGasLook tarn_scene_gas_look(const TarnScene* scene, int n);
// How the kinds of the n-th particles of the world look, and how many do. NULL: the scene does not say.
TARN_API const TarnSceneLook* tarn_scene_looks(const TarnScene* scene, int n, int* count);
// The engine that shall move the bodies, a wish: "builtin", "chipmunk", "ode".
TARN_API const char* tarn_scene_engine(const TarnScene* scene);

// A wall or gate in flowing water that wants to be drawn as a building, not as ground.
typedef struct TarnSceneBlock {
    bool is_round;   // a pillar; else a box
    TarnVec3 center; // of the whole block [m]
    TarnVec3 size;   // half extents along its own axes; of a pillar x is the radius [m]
    float yaw;       // about y [radians]
    float roof;      // height of a gable along its longer side [m], 0: flat
    TarnVec3 color;  // linear 0..1
} TarnSceneBlock;
TARN_API int tarn_scene_block_count(const TarnScene* scene);
TARN_API TarnSceneBlock tarn_scene_block_at(const TarnScene* scene, int n); // 0 <= n < count
// Does one of these stand at this point? Then *ground is what lies under it, y [m].
TARN_API bool tarn_scene_is_built(const TarnScene* scene, float x, float z, float* ground);

#ifdef __cplusplus
}
#endif
