// apps/play/play.h: everything that the viewer and the web page share, without a window system.
//
// A TarnPlay is a scene that runs, a camera, and what mouse, fingers and keys do. The host (a GLFW window, a web
// page, a test) passes events in, calls tarn_play_frame once per picture and draws the frame it gets. Panels,
// tools, status and debug views come as data, made from the registry of solvers and their parameter tables, so
// no slider is written by hand and solvers that arrive later are served too.
//
//     TarnPlay* play = tarn_play_new(0, 1280, 720);
//     if (!tarn_play_open_file(play, "scenes/flagship.json")) puts(tarn_play_error(play));
//     ... tarn_play_pointer(play, 0, TARN_PLAY_DOWN, 0.4f, 0.6f, TARN_PLAY_LEFT, 0);     as events arrive
//     ... const TarnFrame* frame = tarn_play_frame(play, seconds_since_last_frame);        once per picture
//     ... if (frame) tarn_renderer_draw_to(renderer, frame, 0);
//
// For JavaScript: all functions take and return numbers, strings and pointers, so ccall reaches them; those that
// end in _json return UTF-8 JSON. Strings and frames that are returned belong to the play and stay valid until the
// next call of the same function. Functions that can fail return false (or NULL), change nothing, and leave the
// sentence in tarn_play_error. No function needs a callback.
//
// Picture coordinates are 0 to 1 from the upper left corner, whatever the resolution. Use a play from one thread.
#pragma once

#include "tarn/tarn.h"
#include "tarn/view.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TarnPlay TarnPlay;

// ---- Life ----------------------------------------------------------------------------------------

typedef struct TarnPlayDef {
    TarnContext* ctx;     // NULL: one of its own, with `workers`, which measures phases and memory
    int workers;          // threads of its own context; 0: one per core
    int width, height;    // of the picture [pixels]
    size_t history_bytes; // memory for stepping back; default 256 MB
    double max_step_ms;   // time that the steps of one frame may take [ms]; default 40
    const TarnDrawer* const* drawers; // of the host, as in TarnViewerDef; kept, not copied
    int n_drawers;
    // Called for each new world before it steps: a body engine, say. false: the scene is refused. NULL: nothing.
    bool (*on_scene)(TarnScene* scene, void* user);
    void (*before_scene_ends)(TarnScene* scene, void* user); // NULL: nothing
    void* user;
} TarnPlayDef;
TarnPlayDef tarn_play_default_def(void);
// Returns NULL if there is not enough memory.
TarnPlay* tarn_play_create(const TarnPlayDef* def);
// The same with defaults, for JavaScript.
TarnPlay* tarn_play_new(int workers, int width, int height);
void tarn_play_destroy(TarnPlay* play); // NULL is fine
bool tarn_play_resize(TarnPlay* play, int width, int height);

// The last error as one sentence, in the words of the command line; "" if the last call that can fail worked.
// Errors of scenes begin with "name:line:column: ".
const char* tarn_play_error(const TarnPlay* play);
int tarn_play_error_line(
    const TarnPlay* play); // from 1; 0: the error is not about a place in the text
int tarn_play_error_column(const TarnPlay* play); // from 1; 0: likewise
// The same sentence without its place.
const char* tarn_play_error_text(const TarnPlay* play);
// What happened that the user should know, such as a scene that was rebuilt; "" most of the time. Reading takes it.
const char* tarn_play_notice(TarnPlay* play);

// ---- Scenes --------------------------------------------------------------------------------------

// Opens a scene from JSON text. On failure the scene that was open goes on. name appears in messages and in the
// command line. The camera, the tool, pause and changed parameters are reset; with tarn_play_edit they are kept.
bool tarn_play_open_text(TarnPlay* play, const char* text, const char* name);
// Opens a scene file, which may name terrain files beside it.
bool tarn_play_open_file(TarnPlay* play, const char* path);
// Replaces the text of the open scene (the editor, a file that changed on disk): camera, pause, tool and those changed
// parameters that still exist are kept; the world starts over. On failure the old one goes on.
bool tarn_play_edit(TarnPlay* play, const char* text);
// Checks a text without opening it. false: it is not a valid scene, and tarn_play_error says where.
bool tarn_play_check(TarnPlay* play, const char* text, const char* name);
// Reads the scene file again if it has changed on disk since it was last read or tried. Returns 1 if it was replaced,
// 0 if nothing has changed, -1 if it cannot be used: the old one goes on, and tarn_play_error has the sentence.
int tarn_play_reload(TarnPlay* play);
const char* tarn_play_text(const TarnPlay* play);  // JSON of the open scene; ""
const char* tarn_play_name(const TarnPlay* play);  // "flagship"
const char* tarn_play_path(const TarnPlay* play);  // of the file; "": it was opened from text
const char* tarn_play_title(const TarnPlay* play); // "A pool on a summer day"
const char* tarn_play_about(const TarnPlay* play);
// What kind of scene a JSON text is, for browsers of scenes: "Waves", "Flowing water", "Liquids in 2-D", "Liquids in
// 3-D", "Gases", "Particles", "Everything together" ...; "" if it is not valid. Builds nothing.
const char* tarn_play_family_of(TarnPlay* play, const char* text);
const char* tarn_play_title_of(TarnPlay* play, const char* text);

// For hosts in C: valid until the next call that opens, edits or rebuilds a scene. NULL without one.
TarnContext* tarn_play_context(TarnPlay* play);
TarnScene* tarn_play_scene(TarnPlay* play);
TarnWorld* tarn_play_world(TarnPlay* play);
TarnViewer* tarn_play_viewer(TarnPlay* play);

// ---- Time ----------------------------------------------------------------------------------------

// Advances by real seconds: as many steps of the scene's dt as are due, but only as many as max_step_ms allows; the
// rest of the time is dropped and shown in the status. Then fills a frame that is interpolated between the last two
// states. Returns NULL without a scene or when it cannot be drawn (tarn_play_error).
const TarnFrame* tarn_play_frame(TarnPlay* play, double seconds);
// The frame again, without advancing: after a resize, for recordings.
const TarnFrame* tarn_play_redraw(TarnPlay* play);

void tarn_play_pause(TarnPlay* play, bool is_paused);
bool tarn_play_is_paused(const TarnPlay* play);
// Simulated seconds per real second, 0.01 to 4; default 1.
void tarn_play_set_speed(TarnPlay* play, double speed);
double tarn_play_speed(const TarnPlay* play);
// One step of the scene's dt forward, or back to the state before the last step, and pauses. Back restores that state
// to the bit, as far as the history reaches. step_back returns false at its beginning.
bool tarn_play_step(TarnPlay* play);
bool tarn_play_step_back(TarnPlay* play);
int tarn_play_steps_back(const TarnPlay* play); // how many steps back are possible
// Starts the scene over with the changed parameters and the camera as they are.
bool tarn_play_restart(TarnPlay* play);
// Steps until a simulated time [s] without drawing, at most max_steps. Returns the steps done, -1 on failure.
int tarn_play_run_to(TarnPlay* play, double time, int max_steps);
double tarn_play_time(const TarnPlay* play); // simulated [s]
double tarn_play_dt(const TarnPlay* play);   // of a step [s]
int tarn_play_step_count(const TarnPlay* play);
uint64_t tarn_play_hash(const TarnPlay* play);   // of the state
const char* tarn_play_hash_text(TarnPlay* play); // 16 hexadecimal digits

// Snapshots of the running scene. tarn_play_save returns the bytes, *size of them (size may be NULL; see
// tarn_play_saved_size); tarn_play_load restores them into a scene with the same text and parameters.
const void* tarn_play_save(TarnPlay* play, size_t* size);
size_t tarn_play_saved_size(const TarnPlay* play);
bool tarn_play_load(TarnPlay* play, const void* bytes, size_t size);

// ---- Mouse, fingers, keys --------------------------------------------------------------------------

typedef enum TarnPlayEvent {
    TARN_PLAY_MOVE,
    TARN_PLAY_DOWN,
    TARN_PLAY_UP,
    TARN_PLAY_CANCEL, // the system took the pointer away
} TarnPlayEvent;
enum { TARN_PLAY_LEFT = 1, TARN_PLAY_RIGHT = 2, TARN_PLAY_MIDDLE = 4 }; // buttons
enum { TARN_PLAY_SHIFT = 1, TARN_PLAY_CTRL = 2, TARN_PLAY_ALT = 4 };    // modifiers
// A pointer event. pointer is 0 for the mouse and any other number for a finger; x and y are picture coordinates.
// button is the one that went down or up; a finger's is TARN_PLAY_LEFT. What they do:
//   left        the tool; the camera orbits where the tool has nothing to act on. With Alt it always orbits
//   right       orbits (pans in 2-D); with Shift it pans
//   middle      pans
//   two fingers pinch to zoom, drag to pan, turn to orbit
void tarn_play_pointer(TarnPlay* play, int pointer, int event, float x, float y, int button,
                       int modifiers);
// Zooms towards a point of the picture; amount 1 is a notch of the wheel, positive is closer.
void tarn_play_wheel(TarnPlay* play, float x, float y, float amount);
// Flies: speeds -1 to 1 to the right, up and forward, until the next call. Scaled by the size of the scene.
void tarn_play_fly(TarnPlay* play, float right, float up, float forward);
void tarn_play_orbit(TarnPlay* play, float yaw, float pitch); // by angles [radians]
void tarn_play_pan(TarnPlay* play, float x, float y);         // by shares of the picture's height
void tarn_play_zoom(TarnPlay* play, float factor);            // above 1: closer
void tarn_play_camera_reset(TarnPlay* play);                  // as the scene says
// The camera as text, "x,y,z,x,y,z,fov": eye and target [m], vertical field of view [degrees]; "" while it is the
// scene's. For links and `--camera`. Setting "" resets it; false: not of that form.
const char* tarn_play_camera(TarnPlay* play);
bool tarn_play_set_camera(TarnPlay* play, const char* text);

// ---- Tools: what the pointer does in this scene ------------------------------------------------------

typedef struct TarnPlayTool {
    const char* id; // "auto", "waves", "grab", "pour", "smoke", "fire", "dig", "heap", "gate", ...
    const char* name; // "Make waves"
    const char* hint; // "Drag on the water to make waves."
} TarnPlayTool;
// The tools that this scene has something for; the first is "auto", which chooses by what is under the pointer, the
// last "look", which only moves the camera.
int tarn_play_tool_count(const TarnPlay* play);
bool tarn_play_tool_at(const TarnPlay* play, int n, TarnPlayTool* out); // false: no such tool
bool tarn_play_set_tool(TarnPlay* play, const char* id);                // false: not in this scene
const char* tarn_play_tool(const TarnPlay* play);                       // id of the chosen one
// What the pointer does right now: the tool that auto chose while one is down or hovering, and its hint sentence.
const char* tarn_play_active_tool(const TarnPlay* play);
const char* tarn_play_hint(const TarnPlay* play);
const char* tarn_play_tools_json(TarnPlay* play); // [{"id", "name", "hint", "chosen"}]
// Size and strength of tools, as multiples of what suits the scene; 0.1 to 10, default 1.
void tarn_play_set_tool_size(TarnPlay* play, float size);
void tarn_play_set_tool_strength(TarnPlay* play, float strength);
float tarn_play_tool_size(const TarnPlay* play);
float tarn_play_tool_strength(const TarnPlay* play);

// ---- Parameters ------------------------------------------------------------------------------------

typedef enum TarnPlayParamKind {
    TARN_PLAY_LIVE,    // applies from the next step on
    TARN_PLAY_REBUILD, // fixed at creation: setting it starts the scene over
    TARN_PLAY_VIEW,    // how it is drawn and run: the scene is built anew and goes on where it was
} TarnPlayParamKind;
typedef struct TarnPlayParam {
    const char* path;  // as for --set: "wave.damping", "emitters[0].height"
    const char* group; // the object it belongs to: "wave", "emitters[0]"
    const char* table; // name of its table: "wave", "emitter"
    const char* name;  // "damping"
    const char* unit;  // "1/s"; ""
    const char* help;  // one sentence
    int kind;          // TarnPlayParamKind
    int type;          // TarnParamType
    double min, max;   // of each component
    int components;    // 1 to 3
    double value[3];   // now
    double start[3];   // what the scene file says, or the default of the table: where reset goes
    double usual[3];   // the default of the table
    const char* text;  // the value as in a scene file
    const char* const* choices; // of an enum, NULL-terminated
    uint32_t allowed;           // of an enum: bits of the supported choices; 0: all
    bool is_changed;            // since the scene was opened
} TarnPlayParam;
// All parameters of the scene: live ones of the solvers first, then what solvers are made with, their lists, view, run,
// world, emitters, bodies, solids. Indices stay valid until a scene is opened, edited or rebuilt; the strings too.
int tarn_play_param_count(const TarnPlay* play);
bool tarn_play_param_at(TarnPlay* play, int n, TarnPlayParam* out);
int tarn_play_param_find(const TarnPlay* play, const char* path); // -1: none
// Sets a parameter by its path, as --set does: "0.5", "true", "open", "1,2,3". false: tarn_play_error says why.
bool tarn_play_set(TarnPlay* play, const char* path, const char* value);
bool tarn_play_set_number(TarnPlay* play, const char* path, int component, double value);
bool tarn_play_reset(TarnPlay* play, const char* path); // to what the scene file says
bool tarn_play_reset_all(TarnPlay* play);
const char* tarn_play_value(TarnPlay* play, const char* path); // as text; "" if there is none
// Grows when the list of parameters or one of the values has changed by anything but tarn_play_set: load panels again.
int tarn_play_params_version(const TarnPlay* play);
// [{"path", "group", "table", "name", "unit", "help", "kind": "live" | "rebuild" | "view", "type": "int" | "float" |
// "bool" | "enum" | "vec2" | "vec3", "min", "max", "value", "start", "default", "choices", "changed"}]; values are
// numbers, booleans, names or arrays.
const char* tarn_play_params_json(TarnPlay* play);
// The changed parameters, "path=value" separated by "\n", in the order in which they were set; for links.
const char* tarn_play_changes(TarnPlay* play);
// Sets all of them at once, with one rebuild at most. On failure nothing has changed.
bool tarn_play_set_changes(TarnPlay* play, const char* changes);

// ---- Status ----------------------------------------------------------------------------------------

enum { TARN_PLAY_GRAPH = 240 }; // steps that graphs show
typedef struct TarnPlayStatus {
    double time, dt;
    int steps, substeps;
    double step_ms;              // of the last step
    double mean_ms;              // smoothed
    float phase_ms[TARN_PHASES]; // smoothed
    int workers;
    float worker_ms[TARN_MAX_WORKERS]; // computing time of each worker in the last step, smoothed
    double real_time; // simulated seconds per real second lately, 1: keeps up (at speed 1)
    double dropped;   // time that was dropped because the machine is too slow [s]
    size_t memory;    // bytes of the library; 0: not counted (the host's context)
    size_t history_bytes;
    int history_steps;
    int bodies, solids, solvers, emitters;
    uint32_t flags; // TARN_STEP_* of the last steps
    TarnLedger ledger;
} TarnPlayStatus;
void tarn_play_status(TarnPlay* play, TarnPlayStatus* out);
// What the flags of the last steps mean and what to do about them, one sentence per line; "" if there are none. Also
// says so if the machine is too slow for real time.
const char* tarn_play_words(TarnPlay* play);
// The last TARN_PLAY_GRAPH steps, oldest first: ms per step, of one phase (>= 0), or of one worker.
int tarn_play_graph_step(const TarnPlay* play, float out[TARN_PLAY_GRAPH]);
int tarn_play_graph_phase(const TarnPlay* play, int phase, float out[TARN_PLAY_GRAPH]);
int tarn_play_graph_worker(const TarnPlay* play, int worker, float out[TARN_PLAY_GRAPH]);
// Numbers of the solvers (their TarnStat): name "wave.level", unit, help, value.
typedef struct TarnPlayStat {
    const char *name, *unit, *help;
    double value;
} TarnPlayStat;
int tarn_play_stat_count(const TarnPlay* play);
bool tarn_play_stat_at(TarnPlay* play, int n, TarnPlayStat* out);
// All of this section, with the hash and the ledger's entries, and "words" as an array.
const char* tarn_play_status_json(TarnPlay* play);
// The command line that shows the same: "tarn view flagship --set wave.damping=0.2 --camera ... --at 3.5". What the
// pointer did is not part of it.
const char* tarn_play_command(TarnPlay* play);

// ---- Debug views -----------------------------------------------------------------------------------

// Layers of lines on top of the picture. What a scene has: velocity, pressure, divergence, depth, tiles (asleep),
// neighbors, fronts (of breaking waves), grids, levels (of detail), forces.
int tarn_play_debug_count(const TarnPlay* play);
const char* tarn_play_debug_id(const TarnPlay* play, int n);   // "velocity"; NULL: none
const char* tarn_play_debug_name(const TarnPlay* play, int n); // "Velocity"
const char* tarn_play_debug_help(const TarnPlay* play,
                                 int n); // "Arrows along the flow; red is fast."
bool tarn_play_set_debug(TarnPlay* play, const char* id, bool is_on); // false: not in this scene
bool tarn_play_is_debug(const TarnPlay* play, const char* id);
const char* tarn_play_debug_json(TarnPlay* play); // [{"id", "name", "help", "on"}]

#ifdef __cplusplus
}
#endif
