// tarn/scene.h: a world from a JSON text. The keys are the names in the parameter tables.
//
// Scene text is not trusted: an unknown key, a wrong type or a value out of range is rejected with
// name:line:column, the allowed range and the nearest known key, and nothing stays half loaded. The format:
// docs/scenes.md
#pragma once

#include "tarn/world.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TARN_SCENE_FORMAT = 1 };

typedef struct TarnScene TarnScene;

// How to show the scene; the key "view" of the file.
typedef struct TarnSceneView {
    int mode;         // 0 water, 1 bars
    float yaw, pitch; // of the camera around the water [degrees]
    float distance;   // 1: the camera frames the whole basin; smaller is closer
    TarnVec2 target;  // x, z of the point the camera looks at, relative to the center [m]
    TarnVec3 eye,
        look_at;  // an explicit camera instead of the four fields above [m]; equal: not used
    float fov;    // vertical field of view of the explicit camera [degrees]; 0: 25.8
    TarnVec3 sun; // direction toward the sun; zero: the renderer chooses
    TarnVec3 water_color; // linear 0..1; zero: the renderer chooses
    float clarity;        // [m]; zero: the renderer chooses
    float wall_height;    // height of walls and rims above the rest level [m]
    bool beach;           // land up to a little above the level is sand
    float sand;           // height above the level up to which it is [m]; 0: chosen
    TarnVec3 box_min,
        box_max; // for gases and particles: what the camera frames [m]; both zero: their box
    bool follow; // the camera and this box move with the first gas
    int liquid;  // 3-D liquids: 0 drawn from particles, 1 mesh, 2 screen-space mesh, 3 balls
    int solver;  // number of the solver that the camera frames (tarn_world_number); 0: all of them
    // The camera moves along with this body, without turning or bobbing: x and z of eye and look_at count from it; 0: none
    TarnBodyId body;
    int sky;             // 0 auto, 1 day, 2 dusk, 3 night, 4 overcast, 5 studio, 6 none
    float exposure;      // factor on all light
    float fog;           // share of the light that is lost per meter [1/m]
    TarnVec3 background; // color of the sky "none", linear 0..1
    bool transparent;    // pictures get an alpha channel; the sky "none" is clear
    bool floor, tank;    // draw the floor of the studio, and the edges of tanks
} TarnSceneView;

// How a height field is drawn, where it differs from the view.
typedef struct TarnSceneWaterLook {
    TarnVec3 color;    // of deep water, linear 0..1; zero: that of the view
    float clarity;     // [m]; 0: that of the view
    float wall_height; // of walls and rims above the rest level [m]; below 0: that of the view
    bool vessel;       // waves: the basin stands free, as a bowl on a table
} TarnSceneWaterLook;
// How a gas is drawn.
typedef struct TarnSceneGasLook {
    TarnVec3 color; // of the smoke, linear 0..1
    float opacity;  // extinction at density 1 [1/m]
    float glow;     // brightness of hot gas; 0: it does not glow
} TarnSceneGasLook;
// How the particles of one kind are drawn. opacity and size hold the values at birth (x), halfway (y) and at
// the end of life (z).
typedef struct TarnSceneLook {
    TarnVec3 birth, middle, end; // colors, linear; above 1 they glow
    TarnVec3 opacity;            // 0 to 1
    TarnVec3 size;               // multiples of the particle's radius
    float stretch;               // length of the motion streak [s]; 0: round
    bool additive;               // adds light (fire, heat); otherwise it covers (smoke, dust)
    float softness;              // distance over which it fades near geometry [m]
    int texture, texture_middle, texture_end; // TarnParticleTexture
    TarnVec3
        temperature; // [K]: the colors are multiplied by that of a black body; zero: they are not
    float hides;     // additive: share of what is behind that it hides, 0 to 1
    float turn;      // fastest rotation of round particles, random to both sides [radians/s]
} TarnSceneLook;

// How to run the scene; the key "run" of the file.
typedef struct TarnSceneRun {
    float seconds; // how long it runs by default [s]
    float dt;      // length of a world step [s]
    float lapse;   // simulated seconds per second of video; above 1 is time lapse
} TarnSceneRun;

// A value that replaces one of the file, as given on a command line: "pond.damping=0.2",
// "solvers[0].damping=0.2", "bodies[1].density=300", "boat.density=300", "view.yaw=45". A solver without a
// name is named after its kind, with a number from the second on: wave, wave2, wave3.
typedef struct TarnSceneOverride {
    const char* path;
    const char* value;
} TarnSceneOverride;

TARN_API const TarnParamTable* tarn_scene_run_table(void);
TARN_API const TarnParamTable* tarn_scene_view_table(void);
TARN_API const TarnParamTable* tarn_scene_water_look_table(void);
TARN_API const TarnParamTable* tarn_scene_gas_look_table(void);
TARN_API const TarnParamTable* tarn_scene_look_table(void);
// Writes up to capacity of the tables that make up a scene, and returns how many there are: run, view and
// world; then def, params, lists and scene-only keys of each solver class that ctx knows (NULL: the classes
// of the library); then what any solver may have, and the rest of the file. out may be NULL.
TARN_API int tarn_scene_tables(const TarnContext* ctx, const TarnParamTable** out, int capacity);

// Creates a scene, with its world, from a text of size bytes. name is used in messages only. TARN_ERR_DATA:
// the text is invalid, or refers to files; tarn_last_error says where and why. TARN_ERR_ARG: the path of an
// override does not exist, or its value is invalid. On failure *out is NULL.
TARN_API TarnResult tarn_scene_create(TarnContext* ctx, const char* text, size_t size,
                                      const char* name, const TarnSceneOverride* overrides,
                                      int n_overrides, TarnScene** out);
// Creates a scene from a file, and also reads the terrain files that it names; these must lie in its
// directory or below. TARN_ERR_IO: a file cannot be read; the message says why. Other errors as
// tarn_scene_create.
TARN_API TarnResult tarn_scene_create_from_file(TarnContext* ctx, const char* path,
                                                const TarnSceneOverride* overrides, int n_overrides,
                                                TarnScene** out);
// What a file says about itself; longer texts are cut.
typedef struct TarnSceneTexts {
    char title[256], about[1024];
} TarnSceneTexts;
// Reads and checks a file as tarn_scene_create_from_file does, without making its world: for lists of scenes.
TARN_API TarnResult tarn_scene_read_texts(TarnContext* ctx, const char* path, TarnSceneTexts* out);
// Destroys the scene and its world. NULL is fine.
TARN_API void tarn_scene_destroy(TarnScene* scene);

TARN_API TarnWorld* tarn_scene_world(TarnScene* scene);
TARN_API const char* tarn_scene_title(const TarnScene* scene); // never NULL
TARN_API const char* tarn_scene_about(const TarnScene* scene); // one sentence, may be empty
TARN_API TarnSceneRun tarn_scene_run(const TarnScene* scene);
TARN_API TarnSceneView tarn_scene_view(const TarnScene* scene);
// Returns the color of a body, linear 0..1; gray for a body that the scene did not create.
TARN_API TarnVec3 tarn_scene_body_color(const TarnScene* scene, TarnBodyId body);
// Parts that a body is drawn with besides its own shape: the cabin of a boat, the head of a duck. They have no weight and
// touch nothing.
typedef struct TarnSceneTrim {
    TarnShape shape;   // sphere, box or capsule
    TarnVec3 position; // in the axes of the body, relative to its center of mass [m]
    TarnQuat rotation; // relative to the body
    TarnVec3 color, glow;
} TarnSceneTrim;
enum { TARN_SCENE_MAX_TRIM = 24 }; // of a body
// Returns how many a body has, and sets *out to them; valid as long as the scene is.
TARN_API int tarn_scene_body_trim(const TarnScene* scene, TarnBodyId body,
                                  const TarnSceneTrim** out);
// Returns the color of a solid, linear 0..1; the solid of a body has the body's color.
TARN_API TarnVec3 tarn_scene_solid_color(const TarnScene* scene, TarnSolidId solid);
// Returns the light that a body or a solid gives off, linear; the solid of a body has the body's.
TARN_API TarnVec3 tarn_scene_body_glow(const TarnScene* scene, TarnBodyId body);
TARN_API TarnVec3 tarn_scene_solid_glow(const TarnScene* scene, TarnSolidId solid);
// Returns whether the solid should not be drawn: the scene says so, or it only stands for a body.
TARN_API bool tarn_scene_solid_is_hidden(const TarnScene* scene, TarnSolidId solid);
TARN_API bool tarn_scene_solid_is_glass(const TarnScene* scene, TarnSolidId solid);
// Returns whether the body should not be drawn, because a solid of another shape stands for it.
TARN_API bool tarn_scene_body_is_hidden(const TarnScene* scene, TarnBodyId body);
// Returns how a wave, shallow or pipes solver of the world is drawn; the defaults of the table if the scene did
// not create it.
TARN_API TarnSceneWaterLook tarn_scene_water_look(const TarnScene* scene, const void* solver);
// Returns how the n-th gas of the world is drawn; all zero if the scene did not create it.
TARN_API TarnSceneGasLook tarn_scene_gas_look(const TarnScene* scene, int n);
// The same of the smoke of the n-th lattice.
TARN_API TarnSceneGasLook tarn_scene_lattice_look(const TarnScene* scene, int n);
// Returns how the kinds of the n-th particle system are drawn, *count of them; NULL if the scene does not
// say.
TARN_API const TarnSceneLook* tarn_scene_looks(const TarnScene* scene, int n, int* count);
// Returns the engine that the scene asks for to move bodies: "builtin", "chipmunk" or "ode". The world does
// not set it.
TARN_API const char* tarn_scene_engine(const TarnScene* scene);

// A wall or gate in flowing water that should be drawn as a building instead of as ground.
typedef struct TarnSceneBlock {
    bool is_round;   // a pillar; otherwise a box
    TarnVec3 center; // of the whole block [m]
    TarnVec3 size;   // half extents along its own axes; for a pillar x is the radius [m]
    float yaw;       // about y [radians]
    float roof;      // height of a gable along its longer side [m]; 0: flat
    TarnVec3 color;  // linear 0..1
} TarnSceneBlock;
TARN_API int tarn_scene_block_count(const TarnScene* scene);
TARN_API TarnSceneBlock tarn_scene_block_at(const TarnScene* scene, int n); // 0 <= n < count
// Returns whether a block stands at this point, and sets *ground to the y of the ground under it [m].
TARN_API bool tarn_scene_is_built(const TarnScene* scene, float x, float z, float* ground);

#ifdef __cplusplus
}
#endif
