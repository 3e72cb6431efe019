// Inside src/scene only: what a scene file says, before a world is made of it.
#pragma once

#include "registry/solvers.h"
#include "tarn/scene.h"
#include "tarn/shallow.h"
#include "tarn/show.h"
#include "tarn/solver.h"
#include "tarn/terrain.h"
#include "base/base.h"
#include "base/json.h"
#include <stddef.h>

enum {
    SCENE_MAX_BODIES = 4096, // entries, and bodies after grids are unrolled
    SCENE_MAX_EMITTERS = 1024,
    SCENE_MAX_CHANNELS = 32, // those of a world
    SCENE_MAX_WALLS = 1024,
    SCENE_MAX_BED = 1024,
    SCENE_MAX_POOLS = 64,
    SCENE_MAX_SOLIDS = 1024,
    SCENE_MAX_FILLS = 256,
    SCENE_MAX_PARTS = 4096, // items in one list of a solver
    SCENE_MAX_LOOKS = 16,
    SCENE_MAX_MESH = 65536, // points, and triangles, of one solid
    SCENE_MAX_KEYS = 48,    // of one object, besides those of its tables
    SCENE_NAME = 32,        // bytes of a name
    SCENE_ITEM = 32,        // bytes for the path of an item of a list, "emitters[1023]"
    SCENE_PATH = 96,        // and of an object inside it, "bodies[4095].solid.driver"
};

// ---- Objects of the file, each with its parameter table -------------------------------------------

typedef struct SceneWall {
    int shape;         // a box or a disc
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
    int shape; // TarnShapeKind
    TarnVec3 size;
    TarnVec3 position;
    float yaw, pitch, roll; // [degrees]
    TarnVec3 velocity, spin;
    float density, friction, restitution;
    bool driven;
    int freedom;
    TarnVec3 axis;
    TarnVec3 color, glow;
} SceneBody;

// An entry of "bodies": the body, how often, and what moves it.
typedef struct SceneTrim {
    int shape;     // TarnShapeKind
    TarnVec3 size; // [m]
    TarnVec3 position;
    float yaw, pitch, roll; // [degrees]
    TarnVec3 color, glow;
} SceneTrim;
typedef struct SceneBodyEntry {
    SceneBody body;
    SceneGrid grid;
    TarnDriverDef driver;
    bool has_flight;
    TarnFlightDef flight;
    const TarnJson* node;
    const char* name;              // NULL: none
    struct SceneSolidEntry* solid; // another shape for particles; NULL: none
    int n_foils;
    TarnFoilDef foils[TARN_BODY_FOILS];
    int n_trim;
    SceneTrim* trim;
    TarnBodyId first; // of its bodies, once they are made
} SceneBodyEntry;

// Presets of meshes, besides the shapes of the library.
typedef enum SceneSolidShape {
    SCENE_SOLID_PATH = TARN_SHAPE_KINDS, // "points" [x, y]: a shell, drawn out along z
    SCENE_SOLID_REVOLVE,                 // "points" [radius, y]: a shell, turned around y
    SCENE_SOLID_WHEEL,                   // blades around a hub, along z
    SCENE_SOLID_SHAPES,
} SceneSolidShape;
typedef struct SceneSolid {
    int shape;     // TarnShapeKind or SceneSolidShape
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
    TarnVec3 color, glow;
    bool hidden, glass;
    int tag; // user number of its def
} SceneSolid;
typedef struct SceneSolidEntry {
    SceneSolid solid;
    TarnDriverDef driver;
    const TarnJson* node;
} SceneSolidEntry;

// An entry of "emitters".
typedef struct SceneEmitter {
    TarnEmitterDef def;
    const TarnJson* node;
    struct SceneSolver* solver; // that it disturbs
} SceneEmitter;

// An entry of "channels".
typedef struct SceneChannel {
    TarnChannelDef def;
    const TarnJson* node;
    struct SceneSolver *from, *to;
} SceneChannel;

// ---- Solvers -----------------------------------------------------------------------------------------

// Where a part of a solver is and how it is turned.
typedef struct ScenePose {
    TarnVec3 position;
    float yaw, pitch, roll; // [degrees]
} ScenePose;

// Where one points, and how it moves.
typedef struct SceneNozzle {
    TarnVec3 direction, velocity;
} SceneNozzle;

// An item of one of the lists of a solver's class: a source, a jet, an emitter.
typedef struct ScenePart {
    const TarnJson* node; // NULL: it is not in the file, a preset made it
    int body;             // entry of the body that carries it; -1: none
    int throttle;         // TarnThrottle
    ScenePose pose;       // of those with a TarnPose or a TarnMotion in their def
    SceneNozzle nozzle;   // of those with a TarnMotion
    uint64_t id;          // once it is made
    _Alignas(max_align_t) unsigned char def[TARN_LIST_MAX_DEF];
} ScenePart;
typedef struct SceneParts {
    int n;
    ScenePart* parts;
} SceneParts;

// What a world wants to know about any solver.
typedef struct SceneMember {
    bool cosmetic, carries;
} SceneMember;

// An entry of "solvers".
typedef struct SceneSolver {
    const TarnSolverClass* of;
    const struct SceneKind* kind; // what its class has besides tables and lists; never NULL
    const TarnJson* node;
    char name[SCENE_NAME];
    SceneMember member;
    bool has_push; // is it given? Else it is that of its class
    TarnFlowPush push;
    TarnWindowDef window;
    int follows;            // entry of the body that its window follows; -1: none
    struct SceneSolver* on; // that it lies on; NULL: none
    void *def, *params;     // those of its class; params NULL: it has none
    SceneParts* lists;      // those of its class, in that order
    void* staged;           // what the kind reads, as long as the scene; NULL: nothing
    void* solver;           // in the world, once it is made
} SceneSolver;

typedef struct SceneReader SceneReader;

// What the parts in a list have besides their table.
typedef struct ScenePartKind {
    const char* list;
    bool has_pose, has_motion; // a TarnPose or a TarnMotion in their defs, at this offset
    size_t place;
    const char* key; // that the kind reads itself; NULL: none
} ScenePartKind;

// What a class has in scenes besides its tables and lists. A class without any needs none of this.
typedef struct SceneKind {
    const char* name;        // of the class
    size_t size;             // of what it stages
    const char* const* keys; // that it reads itself, NULL-terminated; NULL: none
    const ScenePartKind* parts;
    int n_parts;
    const TarnParamTable* (*table)(
        void); // of more keys, for the beginning of what it stages; NULL: none
    const TarnParamTable* (*const* tables)(void); // of the objects that it reads itself
    int n_tables;
    // What to write instead of a word that a key does not take; "" if there is nothing. NULL: none.
    void (*hint)(const char* key, const char* word, char* out, size_t size);
    // Other values to start from; the keys are read once more on top of them. NULL: none.
    TarnResult (*start)(SceneReader* r, SceneSolver* s);
    TarnResult (*read)(SceneReader* r, SceneSolver* s);  // its own keys; NULL: none
    TarnResult (*check)(SceneReader* r, SceneSolver* s); // when all is read; NULL: nothing
    // NULL: tarn__scene_make_solver alone.
    TarnResult (*build)(SceneReader* r, SceneSolver* s, TarnWorld* world);
    // When bodies and the parts of all solvers are there; NULL: nothing.
    TarnResult (*build_late)(SceneReader* r, SceneSolver* s, TarnWorld* world);
    void (*free)(TarnContext* ctx, void* staged); // NULL: nothing to free
} SceneKind;

// One for each solver whose line in registry/solvers.h says so.
#define SCENE_KIND(name, keys, drawer) SOLVER_IF(keys, extern const SceneKind tarn__scene_##name;)
SOLVERS(SCENE_KIND)
const SceneKind* tarn__scene_kind_of(const TarnSolverClass* of); // never NULL

// What a gas starts from; its other keys change that.
typedef struct SceneGasPreset {
    int preset;        // 0: none, else 1 + TarnGasPreset
    float preset_size; // of what makes the gas [m]; 0: the size it was tuned at
    TarnVec3 preset_place;
} SceneGasPreset;
// What gases and particles stage.
typedef struct SceneGas {
    SceneGasPreset start;
    TarnSceneGasLook look;
} SceneGas;
typedef struct SceneParticles {
    int n_looks;
    TarnSceneLook* looks;
} SceneParticles;

// ---- Land --------------------------------------------------------------------------------------------

// A wall in flowing water: it raises the ground. With a color it is drawn as a building.
typedef struct SceneBlock {
    int shape;         // a box or a disc
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
    bool has_velocity; // is it given? Else it is that of the water
} ScenePool;

typedef struct SceneSpan {
    TarnShallowSpanDef def;
    const TarnJson* node; // of the entry; its hydrograph is copied from there
} SceneSpan;

// What flowing water runs over, and what stands in it. Shallow water and pipes stage it: a window that
// moves asks it for new ground.
typedef struct SceneLand {
    TarnSceneWaterLook look; // first, as in all that waters stage
    bool has_terrain;        // else level ground at y = 0
    bool is_file;            // read from a file, else made
    TarnTerrainDef made;     // generator
    TarnTerrainFileDef file_def;
    TarnTerrain* terrain; // read from the file; NULL: made
    int n_parts, n_blocks, n_pools, n_spans, n_gates;
    SceneBed* parts;
    SceneBlock* blocks;
    ScenePool* pools;
    SceneSpan* spans;
    TarnShallowGateDef* gates;
} SceneLand;

// The key "look" of a water.
TarnResult tarn__scene_read_water_look(SceneReader* r, const SceneSolver* s,
                                       TarnSceneWaterLook* out);
// Ground of a land at a point [m], with and without its walls; TarnGroundFn.
float tarn__scene_ground(float x, float z, void* land);
float tarn__scene_bare_ground(float x, float z, void* land);
bool tarn__scene_is_in_block(const SceneBlock* block, float x, float z);
// The ground at a point with the parts of a bed on top of it [m].
float tarn__scene_add_bed(float y, const SceneBed* parts, int n, double x, double z);

// Cells whose centers lie between lo and hi along one axis: [first, end), cut to the grid.
typedef struct SceneCells {
    int first, end;
} SceneCells;
SceneCells tarn__scene_cells(double lo, double hi, float origin, float dx, int n);
double tarn__scene_center(int i, float origin, float dx);

const TarnParamTable* tarn__scene_solid_table(void);
const TarnParamTable* tarn__scene_pose_table(void);
const TarnParamTable* tarn__scene_nozzle_table(void);
const TarnParamTable* tarn__scene_part_table(void);   // throttle
const TarnParamTable* tarn__scene_member_table(void); // cosmetic, carries
const TarnParamTable* tarn__scene_gas_preset_table(void);
const TarnParamTable* tarn__scene_block_table(void);
const TarnParamTable* tarn__scene_pool_table(void);
// The parameters of a terrain without its grid, which is that of the water.
const TarnParamTable* tarn__scene_terrain_table(void);
// The key "walls" of waves, and one wall in the cells of a grid: 1 where it stands.
typedef struct SceneWallGrid {
    int nx, nz;
    float dx;
    TarnVec2 origin;
} SceneWallGrid;
TarnResult tarn__scene_read_walls(SceneReader* r, SceneSolver* s, int* n, SceneWall** out);
void tarn__scene_put_wall(const SceneWall* wall, const SceneWallGrid* grid, uint8_t* out);
const TarnParamTable* tarn__scene_wall_table(void);
const TarnParamTable* tarn__scene_bed_table(void);
const TarnParamTable* tarn__scene_trim_table(void);
const TarnParamTable* tarn__scene_grid_table(void);
const TarnParamTable* tarn__scene_body_table(void);

// ---- Reading ---------------------------------------------------------------------------------------

// Is told every object with parameters that a file has or may have: its path, its table, and its values as the file
// and the overrides say. An object may be visited twice; the second time counts. For panels, and for tests that set
// each parameter of each scene.
typedef struct SceneVisitor {
    void (*visit)(const char* path, const TarnParamTable* table, const void* values, void* user);
    void* user;
    bool builds; // the scene is also built; otherwise it is only read
} SceneVisitor;

// An override, by the path that its object has in the reader: "pond" for "solvers[1]", "bodies[2]" for "boat".
typedef struct SceneSet {
    const TarnSceneOverride* given;
    char head[SCENE_NAME]; // stands in front of the rest; empty: the path is as it was given
    const char* rest;
    bool is_used;
} SceneSet;

struct SceneReader {
    TarnContext* ctx;
    TarnContext
        quiet;        // takes the sentences of parameter tables, before their place is put in front
    const char* name; // of the text, for messages
    const char* folder; // that files in the text are relative to; NULL: there may be none
    TarnJsonDoc doc;
    SceneSet* sets;
    int n_sets;
    const SceneVisitor* visitor; // NULL: none

    TarnSceneRun run;
    TarnSceneView view;
    SceneSolver* framed; // by the camera; NULL: the first
    int watched;         // body that the camera moves along with; -1: none
    TarnWorldDef world;
    int n_solvers, n_bodies, n_emitters, n_channels, n_solids;
    SceneSolver* solvers; // the scene's
    SceneBodyEntry* bodies;
    SceneEmitter* emitters;
    SceneChannel* channels;
    SceneSolidEntry* solids;
    bool has_noise, has_wind;
    TarnCurlNoise noise;
    TarnWindDef wind;
    const char* engine; // name
};

// A JSON object and the structs that its keys fill.
typedef struct SceneObject {
    const char* path;                // "pond", "bodies[3].driver"
    const TarnJson* node;            // NULL: not in the file; overrides may still name it
    const TarnParamTable* tables[4]; // those behind the last one are NULL
    void* targets[4];
    const char* others[SCENE_MAX_KEYS]; // keys that the caller reads itself, up to the first NULL
    const char* stretched; // key of a vector that may be given as fewer numbers; or NULL
    void (*hint)(const char* key, const char* word, char* out,
                 size_t size); // as in SceneKind; or NULL
} SceneObject;

// Fills the targets: defaults are there already, then the file, then the overrides.
TarnResult tarn__scene_read_object(SceneReader* r, const SceneObject* object);
void tarn__scene_add_table(SceneObject* object, const TarnParamTable* table, void* target);
// Is the key of this object in the file or in an override?
bool tarn__scene_is_given(const SceneReader* r, const char* path, const TarnJson* node,
                          const char* key);
// Does an override name something below this path?
bool tarn__scene_is_overridden(const SceneReader* r, const char* path);
// An object with one table and nothing else.
TarnResult tarn__scene_read_plain(SceneReader* r, const char* path, const TarnJson* node,
                                  const TarnParamTable* table, void* target);
// The value of a key as a string; *out NULL: it is not there.
TarnResult tarn__scene_read_string(SceneReader* r, const TarnJson* node, const char* path,
                                   const char* key, const TarnJson** out);
// How many objects a list has (node NULL: none), and whether overrides name one of them.
TarnResult tarn__scene_read_list(SceneReader* r, const TarnJson* node, const char* path, int most,
                                 int* count);
TarnResult tarn__scene_check_items(SceneReader* r, const char* path, int count);
// A list with room for its objects, which are read one by one.
typedef TarnResult SceneReadFn(SceneReader* r, const TarnJson* node, const char* path, void* item);
typedef struct SceneList {
    const char *path,
        *key;             // of the object that has it ("": the scene itself), and of the list in it
    const TarnJson* node; // that object
    int most;
    size_t size; // of an item
    SceneReadFn* read;
} SceneList;
// items: address of the pointer to them.
TarnResult tarn__scene_read_items(SceneReader* r, const SceneList* list, int* count, void* items);
// Memory for n objects of a list; *out stays NULL if there are none.
TarnResult tarn__scene_make_room(SceneReader* r, int n, size_t size, void* out);
// Room in the def of the world or of a solver: what the file does not give grows with what it holds. list is what
// needs it, for the message.
TarnResult tarn__scene_grow(SceneReader* r, const SceneObject* owner, const char* key, int needed,
                            const TarnJson* list, const char* what);
// Finds what overrides are about, once the names are known; and refuses one that nothing took.
void tarn__scene_resolve_overrides(SceneReader* r);
TarnResult tarn__scene_check_overrides(SceneReader* r);

// The sections of a file, in the order in which they are read.
TarnResult tarn__scene_name_solvers(SceneReader* r);
TarnResult tarn__scene_read_bodies(SceneReader* r);
TarnResult tarn__scene_read_solids(SceneReader* r);
TarnResult tarn__scene_read_solvers(SceneReader* r);
TarnResult tarn__scene_read_emitters(SceneReader* r);
TarnResult tarn__scene_read_channels(SceneReader* r);
// Has "size" as many numbers as the shape takes?
TarnResult tarn__scene_check_size(SceneReader* r, const TarnJson* node, const char* path,
                                  int shape);
// A solid, in a list or in a body; path names it.
TarnResult tarn__scene_read_solid(SceneReader* r, SceneSolidEntry* entry, const char* path);
TarnResult tarn__scene_read_parts_of_bed(SceneReader* r, const SceneSolver* s, int* n,
                                         SceneBed** out);

// The solver and the body that a string of the file names. path and key are where it stands.
TarnResult tarn__scene_find_solver(SceneReader* r, const TarnJson* name, const char* path,
                                   const char* key, SceneSolver** out);
// The solver that a key of this object names; without it the text is refused.
TarnResult tarn__scene_need_solver(SceneReader* r, const TarnJson* node, const char* path,
                                   const char* key, SceneSolver** out);
TarnResult tarn__scene_find_body(SceneReader* r, const TarnJson* name, const char* path,
                                 const char* key, int* out);
// Corners of the grid of a solver [m]; false: it has no nx, nz, dx and origin.
bool tarn__scene_area(const SceneSolver* s, TarnVec2* min, TarnVec2* max);

// Words of the text appear in messages as short printable ASCII.
typedef struct SceneWord {
    char text[48];
} SceneWord;
SceneWord tarn__scene_shown(const char* word);
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
    TarnVec3 color, glow;
    bool is_hidden, is_glass;
    int n_trim;
    const TarnSceneTrim* trim;
} SceneColor;

int tarn__scene_count_bodies(const SceneReader* r); // with grids unrolled
int tarn__scene_count_trim(const SceneReader* r);   // of entries: bodies of a grid share theirs
// Adds everything to the world of the scene; its colors have room for all bodies and solids.
TarnResult tarn__scene_build(SceneReader* r, TarnScene* scene);
TarnResult tarn__scene_build_solids(SceneReader* r, TarnScene* scene);
TarnResult tarn__scene_build_bodies(SceneReader* r, TarnScene* scene);
TarnResult tarn__scene_build_solvers(SceneReader* r, TarnWorld* world);
TarnResult tarn__scene_build_parts(SceneReader* r, TarnWorld* world); // and windows
// The solver itself with its params.
TarnResult tarn__scene_make_solver(SceneReader* r, SceneSolver* s, TarnWorld* world);
void tarn__scene_free_solver(TarnContext* ctx, SceneSolver* s); // all but what its kind staged
void tarn__scene_free_staged(TarnContext* ctx, SceneSolver* s);
TarnQuat tarn__scene_rotation(float yaw, float pitch, float roll); // [degrees]
TarnPose tarn__scene_pose(const ScenePose* pose);

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
    TarnFlights* flights; // NULL: no body flies
    TarnSceneRun run;
    TarnSceneView view;
    int n_colors, n_solid_colors, n_solvers;
    SceneColor *colors, *solid_colors; // sorted by id
    TarnSceneTrim* trim;
    SceneSolver* solvers;
    const char *title, *about, *engine;
};

// folder: NULL if the text may name no files. visitor: NULL if none.
TarnResult tarn__scene_create(TarnContext* ctx, const char* text, size_t size, const char* name,
                              const char* folder, const TarnSceneOverride* overrides,
                              int n_overrides, const SceneVisitor* visitor, TarnScene** out);
TarnResult tarn__scene_visit_file(TarnContext* ctx, const char* path, const SceneVisitor* visitor);
bool tarn__scene_are_good(const TarnSceneOverride* overrides, int n); // no NULL among them
