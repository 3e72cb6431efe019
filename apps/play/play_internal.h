// What the files of apps/play share.
//
//   play.c      life, scenes                      camera.c   the camera under the user's hand
//   time.c      steps, frames, snapshots          text.c     strings that grow
//   history.c   the ring of snapshots             pointer.c  pointer events: camera or tool?
//   params.c    panels                            tools.c    holding a tool; tool_list.c the tools, keyed by what
//                                                 a scene offers; tool_gates.c gates
//   status.c    numbers, words, command line      debug.c    layers of lines
//   json.c      the same as JSON
#pragma once

#include "play.h"
#include "scene/scene_internal.h"
#include <stddef.h>

// ---- Memory ----------------------------------------------------------------------------------------

typedef struct Text { // a string that grows
    char* data;
    size_t size, room;
} Text;
void text_clear(Text* text);
void text_add(Text* text, const char* format, ...) __attribute__((format(printf, 2, 3)));
const char* text_of(const Text* text); // never NULL
void text_free(Text* text);

// ---- Parameters ------------------------------------------------------------------------------------

typedef struct ParamGroup { // an object of the scene with its table
    char path[SCENE_PATH + SCENE_ITEM];
    const TarnParamTable* table;
    void* solver;            // whose params or def these are; NULL: another object of the scene
    bool is_live, is_def;    // values are read from the solver
    void *values, *unedited; // with and without the overrides; unedited NULL: not in the file
} ParamGroup;
typedef struct ParamEntry {
    char* path;
    int group;
    const TarnParam* param;
    char text[96];
} ParamEntry;
typedef struct Override {
    char *path, *value;
} Override;
enum { MAX_PLAY_OVERRIDES = 256 };
typedef struct Params {
    ParamGroup* groups;
    int n_groups, room_groups;
    ParamEntry* entries;
    int n_entries;
    Override overrides[MAX_PLAY_OVERRIDES];
    int n_overrides;
    int version;
} Params;

// ---- Time ------------------------------------------------------------------------------------------

typedef struct Snapshot {
    int step; // taken before this step
    void* data;
    size_t size, room;
} Snapshot;
enum { MAX_SNAPSHOTS = 1024 };
typedef struct History {
    Snapshot ring[MAX_SNAPSHOTS];
    int first, n; // oldest, count
    size_t bytes, limit;
    double cost_ms;  // of taking one, smoothed
    bool is_pending; // something was edited: the next step begins with a snapshot
} History;

typedef struct Graph {
    float step[TARN_PLAY_GRAPH];
    float phase[TARN_PHASES][TARN_PLAY_GRAPH];
    float worker[TARN_MAX_WORKERS][TARN_PLAY_GRAPH];
    int next, n;
} Graph;

typedef struct Clock { // stepping
    bool is_paused;
    double speed;
    double owed; // simulated but not shown yet: share of dt that the picture lags [s]
    int steps;
    double dropped;         // [s]
    double real, simulated; // of the last second, decaying
    double mean_ms, step_ms;
    float phase_ms[TARN_PHASES], worker_ms[TARN_MAX_WORKERS];
    TarnStepReport report;  // of the last step
    uint32_t flags;         // of the last second
    int flag_age[8];        // steps since a flag was raised
    TarnStepReport flagged; // the last report with a flag
} Clock;

// ---- Camera and pointers ---------------------------------------------------------------------------

typedef struct PlayCamera {
    bool is_own; // the user has moved it; otherwise it is the scene's
    TarnVec3 eye, target;
    float fov;       // [radians]
    TarnVec3 anchor; // what it moves along with, when it was placed [m]
    bool has_anchor;
    TarnVec3 fly; // speeds -1 to 1: right, up, forward
} PlayCamera;

enum { MAX_POINTERS = 8 };
typedef struct Pointer {
    int id;
    bool is_down;
    float x, y;
    int button, modifiers;
} Pointer;
typedef enum Gesture {
    GESTURE_NONE,
    GESTURE_TOOL,
    GESTURE_ORBIT,
    GESTURE_PAN,
    GESTURE_PINCH
} Gesture;

// What a tool works on while the pointer is down.
typedef struct Grip {
    const struct Tool* tool; // NULL: none
    bool is_down;            // still held; otherwise it acts once more if it has not yet
    bool is_fresh;           // it has not acted yet
    TarnPick pick;           // where it went down
    void* solver;            // the one it acts on; NULL: none
    TarnBodyId body;
    TarnVec3 local;      // where the body is held, in its own axes [m]
    float depth;         // distance from the eye along the view [m]
    TarnVec3 at, before; // where the pointer is in the world, and was at the last step [m]
    TarnVec3 velocity;   // of the pointer in the world, smoothed [m/s]
    uint64_t part;       // of the list; 0: none
    int part_index;      // of a gate
    const TarnListClass* list;
} Grip;
enum { MAX_STALE = 32 };
typedef struct Stale { // a part that a tool made and a step back may bring back
    void* solver;
    const TarnListClass* list;
    uint64_t part;
} Stale;
typedef struct GateMotion { // a gate that opens or closes after a click
    bool is_moving;
    void* solver;
    int gate;
    float opening, target;
} GateMotion;
typedef struct Tools {
    const struct Tool* chosen; // NULL: auto
    const struct Tool* active; // under the pointer
    Grip grip;
    Stale stale[MAX_STALE];
    int n_stale;
    GateMotion gate;
    bool has_to_clean; // stale parts may be in the world
    float size, strength;
    uint32_t available; // bits of the tools that this scene has something for
    float scale;        // a length that suits the scene [m]
    char hint[200];     // of the automatic tool
} Tools;

// ---- The play ----------------------------------------------------------------------------------------

enum { MAX_DEBUG_LAYERS = 16 };
typedef struct DebugLayers DebugLayers;

struct TarnPlay {
    TarnPlayDef def;
    TarnContext* ctx;
    bool owns_ctx;
    size_t memory; // allocated by the library
    TarnScene* scene;
    TarnWorld* world;
    TarnViewer* viewer;
    TarnSceneRun run;
    bool is_flat;

    char *text, *name, *path, *folder; // of the scene
    int64_t file_stamp;                // of the file on disk

    Params params;
    History history;
    Clock clock;
    Graph graph;
    double busy[TARN_MAX_WORKERS]; // of the workers before the step [ms]
    PlayCamera camera;
    TarnCamera shown;        // of the last frame
    bool has_shown, was_own; // was the camera in the last frame the user's?
    Pointer pointers[MAX_POINTERS];
    Gesture gesture;
    Tools tools;
    uint32_t debug; // bits of the layers that are on
    DebugLayers* layers;
    TarnFrame frame;

    char error[1024];
    int error_line, error_column;
    const char* error_text;
    Text notice, notice_out;
    Text json[5], words, command, camera_text, changes, hash_text, value_text, family, title;
    void* saved;
    size_t saved_size;
};

// ---- Errors (play.c) -----------------------------------------------------------------------------------

bool play_fail(TarnPlay* play, const char* format, ...) __attribute__((format(printf, 2, 3)));
bool play_fail_library(TarnPlay* play); // with tarn_last_error
void play_clear_error(TarnPlay* play);
void play_note(TarnPlay* play, const char* format, ...) __attribute__((format(printf, 2, 3)));
double play_clock_ms(void);
char* play_copy(const char* text); // NULL: out of memory

// Builds the scene anew with the overrides as they are. keeps_state: it goes on where it was. On failure the old one
// stays and the error is set.
bool play_rebuild(TarnPlay* play, bool keeps_state);
// One step of dt. keeps: the state before it is kept for interpolation.
bool play_advance(TarnPlay* play, bool keeps);
void play_after_load(TarnPlay* play); // a snapshot was loaded: forget what no longer holds

// ---- history.c -------------------------------------------------------------------------------------------

void history_clear(History* history);
void history_free(History* history);
// Before a step: takes a snapshot if it is time to, or has to be, because something else than the step changes the
// state.
void history_before_step(TarnPlay* play, bool has_edits);
bool history_go_back(TarnPlay* play);
int history_depth(const TarnPlay* play);

// ---- params.c --------------------------------------------------------------------------------------------

// Collects the parameters while a scene is read; finish when it is built.
void params_visit(const char* path, const TarnParamTable* table, const void* values, void* user);
void params_begin(Params* params);
bool params_finish(Params* params, TarnContext* ctx, TarnWorld* world, const Params* unedited);
void params_free_lists(Params* params); // all but the overrides
void params_clear_overrides(Params* params);
void params_sync(
    TarnPlay* play); // after a load: overrides of live parameters are what the solvers say
int params_values(const ParamGroup* group, const TarnParam* param, const void* values,
                  double out[3]);

// ---- camera.c --------------------------------------------------------------------------------------------

void camera_apply(TarnPlay* play, double seconds); // before an update of the viewer
void camera_note(TarnPlay* play, const TarnFrame* frame);
bool play_ray(const TarnPlay* play, float x, float y, TarnVec3* eye, TarnVec3* direction);

// ---- tools.c ---------------------------------------------------------------------------------------------

void tools_find(TarnPlay* play); // what the new scene offers
bool tools_begin(TarnPlay* play, float x, float y, const struct Tool* tool); // false: nothing there
void tools_move(TarnPlay* play, float x, float y);
void tools_end(TarnPlay* play);
void tools_hover(TarnPlay* play, float x, float y);
bool tools_has_edits(const TarnPlay* play);
void tools_before_step(TarnPlay* play, float dt);
void tools_release(TarnPlay* play); // lets go, without a trace
// The world is another one, or at another time: parts that a tool made may be there again.
void tools_forget(TarnPlay* play);

// ---- debug.c ---------------------------------------------------------------------------------------------

void debug_add(TarnPlay* play, TarnFrame* frame);
void debug_free(TarnPlay* play);
