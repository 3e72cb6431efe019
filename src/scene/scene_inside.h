// Inside src/scene only: what a scene file says, before a world is made of it.
#pragma once

#include "tarn/scene.h"
#include "base/base.h"
#include "scene/json.h"

enum {
    SCENE_MAX_BODIES = 4096, // entries, and bodies after grids are unrolled
    SCENE_MAX_EMITTERS = 1024,
    SCENE_MAX_WALLS = 1024,
    SCENE_MAX_BED = 1024,
    SCENE_ITEM = 32, // bytes for the path of an item of a list, "emitters[1023]"
    SCENE_PATH = 64, // and of an object inside it, "bodies[4095].driver"
};

// ---- Objects of the file, each with its parameter table -------------------------------------------

typedef enum SceneWallShape { SCENE_WALL_BOX, SCENE_WALL_DISC } SceneWallShape;
typedef struct SceneWall {
    int shape;
    TarnVec2 min, max; // of a box [m]
    TarnVec2 center;   // of a disc [m]
    float radius;      // [m]
} SceneWall;

typedef enum SceneBedKind { SCENE_BED_MOUND, SCENE_BED_SLOPE } SceneBedKind;
typedef struct SceneBed {
    int kind;
    TarnVec2 center; // of a mound [m]
    float radius, height;
    TarnVec2 from, to; // of a slope [m]
    float rise;
} SceneBed;

typedef struct SceneGrid {
    TarnVec3 count;   // whole numbers
    TarnVec3 spacing; // [m]
} SceneGrid;

typedef struct SceneBody {
    int shape; // TarnShapeKind but span
    TarnVec3 size;
    TarnVec3 position;
    float yaw, pitch, roll; // [degrees]
    TarnVec3 velocity, spin;
    float density, friction, restitution;
    bool driven;
    TarnVec3 color;
} SceneBody;

// An entry of "bodies": the body, how often, and what drives it.
typedef struct SceneBodyEntry {
    SceneBody body;
    SceneGrid grid;
    TarnDriverDef driver;
    const TarnJson* node;
} SceneBodyEntry;

const TarnParamTable* tarn__scene_wall_table(void);
const TarnParamTable* tarn__scene_bed_table(void);
const TarnParamTable* tarn__scene_grid_table(void);
const TarnParamTable* tarn__scene_body_table(void);

// ---- Reading ---------------------------------------------------------------------------------------

typedef struct SceneReader {
    TarnContext* ctx;
    TarnContext
        quiet;        // takes the sentences of parameter tables, before their place is put in front
    const char* name; // of the text, for messages
    TarnJsonDoc doc;
    const TarnSceneOverride* overrides;
    int n_overrides;
    bool* is_used; // per override

    TarnSceneRun run;
    TarnSceneView view;
    TarnWorldDef world;
    bool has_wave;
    TarnWaveDef wave;
    TarnWaveParams wave_params;
    int n_walls, n_bed, n_bodies, n_emitters;
    SceneWall* walls;
    SceneBed* bed;
    SceneBodyEntry* bodies;
    TarnEmitterDef* emitters;
} SceneReader;

// A JSON object and the structs that its keys fill.
typedef struct SceneObject {
    const char* path;     // "wave", "bodies[3].driver"
    const TarnJson* node; // NULL: not in the file; overrides may still name it
    const TarnParamTable* tables[2];
    void* targets[2];
    const char* const* others; // keys that the caller reads itself, NULL-terminated; or NULL
    const char* stretched;     // key of a vector that may be given as fewer numbers; or NULL
} SceneObject;

// Fills the targets: defaults are there already, then the file, then the overrides.
TarnResult tarn__scene_read_object(SceneReader* r, const SceneObject* object);
// Is the key of this object in the file or in an override?
bool tarn__scene_is_given(const SceneReader* r, const char* path, const TarnJson* node,
                          const char* key);
// Does an override name something below this path?
bool tarn__scene_is_overridden(const SceneReader* r, const char* path);
// How many objects a list has; NULL: none.
TarnResult tarn__scene_read_list(SceneReader* r, const TarnJson* node, const char* path, int most,
                                 int* count);
// An override that named nothing, if there is one.
TarnResult tarn__scene_check_overrides(SceneReader* r);

// name:line:column: and the sentence; the place is that of the node's key or of its value.
TarnResult tarn__scene_refuse_key(SceneReader* r, const TarnJson* node, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
TarnResult tarn__scene_refuse_value(SceneReader* r, const TarnJson* node, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
// A failure of the library while it made what stands at the node (NULL: an override made it).
TarnResult tarn__scene_refuse_made(SceneReader* r, const TarnJson* node, const char* path,
                                   TarnResult result);

// ---- Building ----------------------------------------------------------------------------------------

typedef struct SceneColor {
    uint64_t body; // id
    TarnVec3 color;
} SceneColor;

int tarn__scene_count_bodies(const SceneReader* r); // with grids unrolled
// Adds everything to the world; colors has room for all bodies.
TarnResult tarn__scene_build(SceneReader* r, TarnWorld* world, SceneColor* colors);
