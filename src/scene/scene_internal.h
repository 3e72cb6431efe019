// Inside src/scene only: what a scene file says, before a world is made of it.
#pragma once

#include "tarn/scene.h"
#include "tarn/terrain.h"
#include "base/base.h"
#include "base/json.h"

enum {
    SCENE_MAX_BODIES = 4096, // entries, and bodies after grids are unrolled
    SCENE_MAX_EMITTERS = 1024,
    SCENE_MAX_WALLS = 1024,
    SCENE_MAX_BED = 1024,
    SCENE_MAX_POOLS = 64,
    SCENE_MAX_SOLIDS = 1024,
    SCENE_MAX_FILLS = 256,
    SCENE_MAX_GAS_PARTS = 32, // sources, and jets, of one gas
    SCENE_MAX_LOOKS = 16,
    SCENE_MAX_MESH = 65536, // points, and triangles, of one solid
    SCENE_ITEM = 32,        // bytes for the path of an item of a list, "emitters[1023]"
    SCENE_PATH = 64,        // and of an object inside it, "bodies[4095].driver"
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
    int freedom;
    TarnVec3 axis;
    TarnVec3 color;
} SceneBody;

// An entry of "bodies": the body, how often, and what drives it.
typedef struct SceneBodyEntry {
    SceneBody body;
    SceneGrid grid;
    TarnDriverDef driver;
    const TarnJson* node;
    struct SceneSolidEntry* solid; // another shape for particles; NULL: none
} SceneBodyEntry;

// ---- Particles ---------------------------------------------------------------------------------------

typedef enum SceneSolidShape {
    SCENE_SOLID_SPHERE,
    SCENE_SOLID_BOX,
    SCENE_SOLID_CAPSULE,
    SCENE_SOLID_CONVEX,  // "planes"
    SCENE_SOLID_MESH,    // "points", "triangles"
    SCENE_SOLID_PATH,    // "points" [x, y]: a shell, drawn out along z
    SCENE_SOLID_REVOLVE, // "points" [radius, y]: a shell, turned around y
    SCENE_SOLID_WHEEL,   // blades around a hub, along z
} SceneSolidShape;
typedef struct SceneSolid {
    int shape;
    TarnVec3 size; // [m]
    bool inside_out;
    TarnVec3 position;
    float yaw, pitch, roll; // [degrees]
    TarnVec3 velocity, spin;
    float friction, restitution;
    int touch;       // TarnTouch
    float thickness; // of shells, to both sides; of blades, half of it [m]
    float depth;     // half length along z of paths and wheels [m]
    int segments;    // of revolve
    int blades;      // of a wheel
    TarnVec3 color;
    bool hidden, glass;
    int tag; // user number of its def
} SceneSolid;
typedef struct SceneSolidEntry {
    SceneSolid solid;
    TarnDriverDef driver;
    const TarnJson* node;
} SceneSolidEntry;

// Where an emitter of particles is and where it points.
typedef struct SceneNozzle {
    TarnVec3 position, direction, velocity;
    int power; // TarnPowerUse
} SceneNozzle;
typedef struct SceneParticleEmitter {
    TarnParticleEmitterDef def;
    SceneNozzle nozzle;
    const TarnJson* attach; // string with the name of a body; NULL: none
} SceneParticleEmitter;
typedef struct SceneLiquidSource {
    TarnLiquidSourceDef def;
    const TarnJson* attach;
} SceneLiquidSource;

// A gas with its sources and jets, and what its box follows.
typedef struct SceneGasSource {
    TarnGasSourceDef def;
    SceneNozzle nozzle;
    const TarnJson* attach;
} SceneGasSource;
typedef struct SceneGasJet {
    TarnGasJetDef def;
    SceneNozzle nozzle;
    const TarnJson* attach;
} SceneGasJet;
typedef struct SceneFollow {
    TarnVec3 offset; // from the body's center [m]
} SceneFollow;
// What a gas starts from; its other keys change that.
typedef struct SceneGasPreset {
    int preset;        // 0: none, else 1 + TarnGasPreset
    float preset_size; // of what makes the gas [m]; 0: the size it was tuned at
    TarnVec3 preset_place;
} SceneGasPreset;
typedef struct SceneGas {
    SceneGasPreset start;
    TarnGasDef def;
    TarnGasParams params;
    TarnSceneGasLook look;
    SceneFollow follow;
    const TarnJson* body; // string with the name of the body that it follows; NULL: none
    const TarnJson* node;
    int n_sources, n_jets;
    SceneGasSource sources[SCENE_MAX_GAS_PARTS];
    SceneGasJet jets[SCENE_MAX_GAS_PARTS];
} SceneGas;

// The sections of particles, as read.
typedef struct SceneFluids {
    bool has_liquid, has_particles, use_flow;
    TarnLiquidDef liquid;
    TarnLiquidParams liquid_params;
    TarnParticlesDef particles;
    TarnParticlesParams particles_params;
    int n_kinds, n_fills, n_sources, n_regions, n_emitters, n_attractors, n_fires, n_solids;
    TarnLiquidKindDef* kinds;
    TarnLiquidFill* fills;
    SceneLiquidSource* sources;
    TarnRegionDef* regions;
    SceneParticleEmitter* emitters;
    TarnAttractorDef* attractors;
    TarnFireDef* fires;
    SceneSolidEntry* solids;
    int n_gases, n_looks;
    SceneGas* gases;
    TarnSceneLook* looks;
    bool has_noise;
    TarnCurlNoise noise;
} SceneFluids;

// A wall in flowing water: it raises the ground. With a color it is drawn as a building.
typedef struct SceneBlock {
    int shape;         // SceneWallShape
    TarnVec2 min, max; // of a box [m]
    float yaw;         // of a box, about its middle [degrees]
    TarnVec2 center;   // of a disc [m]
    float radius;      // [m]
    float height;      // over the ground in its middle [m]
    float top;         // y instead [m]
    float roof;        // height of a gable on top [m], drawn only
    TarnVec3 color;    // 0, 0, 0: drawn as ground
    bool has_top;      // is top given? Else it is worked out from the height
} SceneBlock;

typedef struct ScenePool {
    TarnVec2 a, b;     // opposite corners [m]
    float level;       // y at its smaller x [m]
    float fall;        // of the level toward +x, for rivers [m/m]
    TarnVec2 velocity; // of its water at the start [m/s]
} ScenePool;

typedef struct SceneSpan {
    TarnShallowSpanDef def;
    const TarnJson* node; // of the entry; its hydrograph is copied from there
} SceneSpan;

// What flowing water runs over, and what stands in it. The scene keeps it as long as the world, because
// a window that moves asks it for new ground.
typedef struct SceneLand {
    TarnContext* ctx;
    const char* path;     // "shallow" or "pipes"
    bool has_terrain;     // else level ground at y = 0
    const TarnJson* file; // string with the name of a terrain's file; NULL: it is made
    TarnTerrainDef made;  // generator
    TarnTerrainFileDef file_def;
    TarnTerrain* terrain; // read from the file; NULL: made
    int n_parts, n_blocks, n_pools, n_spans, n_gates;
    SceneBed* parts;
    SceneBlock* blocks;
    ScenePool* pools;
    SceneSpan* spans;
    TarnShallowGateDef* gates;
} SceneLand;

typedef enum SceneLandKind { LAND_SHALLOW, LAND_PIPES, N_LANDS } SceneLandKind;

// Ground of a land at a point [m], with and without its walls; TarnGroundFn.
float tarn__scene_ground(float x, float z, void* land);
float tarn__scene_bare_ground(float x, float z, void* land);
bool tarn__scene_is_in_block(const SceneBlock* block, float x, float z);
void tarn__scene_free_land(SceneLand* land);

const TarnParamTable* tarn__scene_solid_table(void);
const TarnParamTable* tarn__scene_nozzle_table(void);
const TarnParamTable* tarn__scene_gas_preset_table(void);
const TarnParamTable* tarn__scene_follow_table(void);
const TarnParamTable* tarn__scene_block_table(void);
const TarnParamTable* tarn__scene_pool_table(void);
// The parameters of a terrain without its grid, which is that of the water.
const TarnParamTable* tarn__scene_terrain_table(void);
const TarnParamTable* tarn__scene_wall_table(void);
const TarnParamTable* tarn__scene_bed_table(void);
const TarnParamTable* tarn__scene_grid_table(void);
const TarnParamTable* tarn__scene_body_table(void);

// ---- Reading ---------------------------------------------------------------------------------------

// Is told every object with parameters that a file has or may have: its path and its table. For tests that set
// each parameter of each scene. A scene that is visited is read, not built.
typedef struct SceneVisitor {
    void (*visit)(const char* path, const TarnParamTable* table, void* user);
    void* user;
} SceneVisitor;

typedef struct SceneReader {
    TarnContext* ctx;
    TarnContext
        quiet;        // takes the sentences of parameter tables, before their place is put in front
    const char* name; // of the text, for messages
    const char* folder; // that files in the text are relative to; NULL: there may be none
    TarnJsonDoc doc;
    const TarnSceneOverride* overrides;
    int n_overrides;
    bool* is_used;               // per override
    const SceneVisitor* visitor; // NULL: none

    TarnSceneRun run;
    TarnSceneView view;
    TarnWorldDef world;
    bool has_wave;
    TarnWaveDef wave;
    TarnWaveParams wave_params;
    bool has_shallow, has_pipes;
    TarnShallowDef shallow;
    TarnShallowParams shallow_params;
    TarnPipesDef pipes;
    TarnPipesParams pipes_params;
    SceneLand* lands; // of shallow water and of pipes; the scene's
    TarnWindowDef window;
    const TarnJson* follow; // string with the name of a body; NULL: none
    int n_walls, n_bed, n_bodies, n_emitters;
    SceneWall* walls;
    SceneBed* bed;
    SceneBodyEntry* bodies;
    TarnEmitterDef* emitters;
    SceneFluids fluids;
    const char* engine; // name
} SceneReader;

// A JSON object and the structs that its keys fill.
typedef struct SceneObject {
    const char* path;                // "wave", "bodies[3].driver"
    const TarnJson* node;            // NULL: not in the file; overrides may still name it
    const TarnParamTable* tables[3]; // those behind the last one are NULL
    void* targets[3];
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
// An object with one table and nothing else.
TarnResult tarn__scene_read_plain(SceneReader* r, const char* path, const TarnJson* node,
                                  const TarnParamTable* table, void* target);
// How many objects a list has; NULL: none.
TarnResult tarn__scene_read_list(SceneReader* r, const TarnJson* node, const char* path, int most,
                                 int* count);
// Memory for n objects of a list; *out stays NULL if there are none.
TarnResult tarn__scene_make_room(SceneReader* r, int n, size_t size, void* out);
// An override that named nothing, if there is one.
TarnResult tarn__scene_check_overrides(SceneReader* r);

// The sections of flowing water, with their lands. Files are read here, too.
TarnResult tarn__scene_read_shallow(SceneReader* r);
TarnResult tarn__scene_read_pipes(SceneReader* r);

// The sections of particles: liquid, particles, fires, solids.
TarnResult tarn__scene_read_fluids(SceneReader* r);
void tarn__scene_free_fluids(SceneReader* r);
// Key "attach" with the name of a body; NULL: it is not there.
TarnResult tarn__scene_read_attach(SceneReader* r, const TarnJson* node, const char* path,
                                   const TarnJson** out);
// Gases and curl noise, scene_gas.c.
TarnResult tarn__scene_read_gases(SceneReader* r);
// A solid, in a list or in a body; path names it.
TarnResult tarn__scene_read_solid(SceneReader* r, SceneSolidEntry* entry, const char* path);

// What one section says about another one, scene_check.c.
TarnResult tarn__scene_check_whole(SceneReader* r);

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
    bool is_hidden, is_glass;
} SceneColor;

int tarn__scene_count_bodies(const SceneReader* r); // with grids unrolled
// Adds everything to the world; colors has room for all bodies, and solid_colors for all solids.
TarnResult tarn__scene_build(SceneReader* r, TarnWorld* world, SceneColor* colors,
                             SceneColor* solid_colors);
// Liquid, particles and solids, before the bodies; and what needs those.
TarnResult tarn__scene_build_fluids(SceneReader* r, TarnWorld* world, SceneColor* solid_colors);
TarnResult tarn__scene_build_carried(SceneReader* r, TarnWorld* world, const SceneColor* colors);
// The same of gases: themselves, and what sits on bodies or not.
TarnResult tarn__scene_build_gases(SceneReader* r, TarnWorld* world);
TarnResult tarn__scene_build_gas_parts(SceneReader* r, TarnWorld* world, const SceneColor* colors);
// The first body of the entry with this name; what: the key, for the message.
TarnResult tarn__scene_find_body(SceneReader* r, const TarnJson* name, const char* what,
                                 const SceneColor* colors, TarnBodyId* out);
TarnQuat tarn__scene_rotation(float yaw, float pitch, float roll); // [degrees]
TarnMotion tarn__scene_nozzle_motion(const SceneNozzle* nozzle);

// The def of a solid, with its mesh or planes in a block of memory that tarn__scene_free_solid frees.
typedef struct SceneShape {
    TarnSolidDef def;
    void* block;
    size_t size;
} SceneShape;
TarnResult tarn__scene_make_solid(SceneReader* r, const SceneSolidEntry* entry, SceneShape* out);
void tarn__scene_free_shape(SceneReader* r, SceneShape* shape);

// ---- The scene -----------------------------------------------------------------------------------------

struct TarnScene {
    TarnContext* ctx;
    void* block; // colors and texts
    size_t memory;
    TarnWorld* world;
    TarnSceneRun run;
    TarnSceneView view;
    int n_colors, n_solid_colors, n_looks;
    TarnSceneLook looks[SCENE_MAX_LOOKS];
    TarnSceneGasLook gas_looks[TARN_WORLD_MAX_GASES];
    SceneColor *colors, *solid_colors; // sorted by id
    SceneLand lands[N_LANDS];
    const char *title, *about, *engine;
};

// folder: NULL if the text may name no files. visitor: NULL if none.
TarnResult tarn__scene_create(TarnContext* ctx, const char* text, size_t size, const char* name,
                              const char* folder, const TarnSceneOverride* overrides,
                              int n_overrides, const SceneVisitor* visitor, TarnScene** out);
TarnResult tarn__scene_visit_file(TarnContext* ctx, const char* path, const SceneVisitor* visitor);
bool tarn__scene_are_good(const TarnSceneOverride* overrides, int n); // no NULL among them
