// Inside src only: the state of the shallow-water solver, for its own files and for couplings.
#pragma once

#include "tarn/shallow.h"
#include "tarn/throw.h"
#include "base/base.h"

// Tiles are the unit of sleep, rows of tiles the unit of work, strips that of the inner loops.
enum { SHALLOW_TILE_X = 64, SHALLOW_TILE_Z = 32, SHALLOW_STRIP = 1024 };
// Every few substeps tiles are checked for motion; after some calm checks they sleep. Nothing crosses
// more than one cell per substep, so between checks it cannot get through a tile.
enum { SHALLOW_CHECK_EVERY = 8, SHALLOW_CALM_CHECKS = 4 };
enum { SHALLOW_PAD = 16 };           // floats left of a row: ghosts of it and of the row before
enum { SHALLOW_GHOSTS = 3 };         // cells around the grid on every side
enum { SHALLOW_HYDROGRAPHS = 4096 }; // points of all hydrographs together
enum { SHALLOW_FAR = 1 << 25 };      // cells; no window goes half as far

static const float shallow_limit = 1e5f;        // heights of ground and depths are within this [m]
static const float shallow_max_speed = 1e4f;    // of what a host asks for [m/s]
static const float shallow_wall_height = 1e30f; // of the ground behind a reflecting edge [m]

typedef struct ShallowSpan {
    TarnShallowSpanDef def; // its pointers cleared
    int first, count;       // its hydrograph in TarnShallow.times and values
} ShallowSpan;

typedef struct ShallowGate {
    TarnShallowGateDef def; // opening: now
    int i0, i1, k0, k1;     // cells, when the window had not moved
} ShallowGate;

// Extremes after a substep, 0 included: what stability asks for.
typedef struct ShallowExtremes {
    float h;                          // deepest [m]
    float u_min, u_max, w_min, w_max; // through faces [m/s]
} ShallowExtremes;

// Sums over cells of depth [m] that came in by each way.
typedef struct ShallowSums {
    double initial, edges, sources, rain, evaporated, window;
} ShallowSums;

struct TarnShallow {
    TarnContext* ctx;
    size_t memory;
    TarnShallowDef def; // validated copy, its array pointers cleared
    TarnShallowParams params;
    const struct ShallowKernels* kernels;

    int stride; // floats per row; all fields point at cell (0, 0)
    // h: depth [m] at cell centers. u, w: speed [m/s] through the face at -x and at -z of the cell.
    // The step reads one set and writes the other; then they are swapped.
    float *h, *u, *w;
    float *h1, *u1, *w1;
    float *u2, *w2; // scratch of the MacCormack advection, else NULL
    // Waterfalls (shallow_falls.c), NULL without them: depth that fell over the face at -x and at -z and has not been
    // caught yet [m], and the faces that are high enough, twice the cell plus 1 for z.
    float *thrown_x, *thrown_z;
    int32_t* falls;
    int n_falls;
    bool is_falls_stale; // the ground changed
    float thrown_for;    // length of the last step [s]
    float *qx, *qz;      // discharge through the faces in the last step [m^2/s]; NULL: not kept
    // Of the implicit gravity step, else NULL; see ShallowGravity.
    float *face_x, *face_z, *give_x, *give_z, *lift;
    struct Helmholtz* helmholtz;
    float* b;       // the floor that the water feels: ground with gates, plus load [m]
    float* ground;  // with gates, without load [m]; the same array as b unless use_bodies
    float* natural; // the ground without gates [m]
    float* load; // column length that bodies displace [m], multiples of the grain; NULL: no bodies
    float* calm; // y of a slow surface, for couplings [m]; NULL: no bodies
    float grain; // the quantum of depth and ground [m], a power of two
    float dry_depth; // the def's, at least some grains [m]

    int tiles_x, tiles_z, strips;
    uint8_t* quiet;                // checks a tile has been calm for, up to SHALLOW_CALM_CHECKS
    uint8_t* awake;                // computed in the last substep
    uint8_t* pressed;              // 1: bodies displace water in this tile; kept by couplings
    ShallowExtremes* row_extremes; // per row of tiles
    double* row_sums;              // two per row of tiles
    float* scratch;                // scratch_row * rows per row of tiles
    int scratch_row;               // floats of a row of scratch
    int n_awake;

    ShallowSpan spans[TARN_SHALLOW_MAX_SPANS];
    int n_spans, n_times;
    float *times, *values; // of all hydrographs
    float* incoming[4];    // per cell along a side: u - 2 c that comes in there [m/s]; 0: not known
    float* sent[4];        // per cell along a side: height of a wave that comes in there [m]
    bool is_sent[4];       // in the next step
    uint8_t* span_of[4]; // per cell along a side: 1 + the span that rules there, 0: the def's edge
    ShallowGate gates[TARN_SHALLOW_MAX_GATES];
    int n_gates;

    ShallowSums sums;
    double rain_due, evaporation_due; // less than a grain, kept for later [m]
    double source_due;                // rounding of sources, kept for later [m]
    double time;                      // simulated [s]
    ShallowExtremes known;            // of all awake tiles
    ShallowExtremes edge;             // of ghost cells and boundary faces
    ShallowExtremes edited;           // of what edits have made since the last substep
    bool is_unknown;                  // the extremes must be found by looking at every cell
    TarnStepLimit limited; // the first face whose speed met params.max_speed in this step
    bool is_unsolved;      // an implicit substep of this step did not converge
    uint32_t ticks;        // substeps so far
    int shift_i, shift_k;  // how far the window went [cells]
};

TARN_INLINE size_t shallow_cell(const TarnShallow* water, int i, int k)
{
    return (size_t)k * (size_t)water->stride + (size_t)i;
}
TARN_INLINE size_t shallow_tile(const TarnShallow* water, int tx, int tz)
{
    return (size_t)tz * (size_t)water->tiles_x + (size_t)tx;
}
// First float of a field's memory, and how many floats it has.
TARN_INLINE size_t shallow_first(const TarnShallow* water)
{
    return (size_t)SHALLOW_GHOSTS * (size_t)water->stride + SHALLOW_PAD;
}
TARN_INLINE size_t shallow_floats(const TarnShallow* water)
{
    return (size_t)water->stride * (size_t)(water->def.nz + 2 * SHALLOW_GHOSTS);
}

// Nearest multiple of the grain.
float tarn__shallow_snap(const TarnShallow* water, float x);
void tarn__shallow_touch(TarnShallow* water, int i0, int i1, int k0,
                         int k1); // wakes tiles of cells
// After natural ground, gates or load changed in these cells: updates ground and b and wakes tiles.
void tarn__shallow_update_bed(TarnShallow* water, int i0, int i1, int k0, int k1);

// Speeds at the start: of nx * nz faces, or that of the def where an array is NULL.
void tarn__shallow_start_flow(TarnShallow* water, const float* velocity_x, const float* velocity_z);
// Cells i0 .. i0 + n - 1 of row k that hold water: its height above the level of the def [m], and the speeds of their first
// faces [m/s].
void tarn__shallow_put_waves(TarnShallow* water, int i0, int k, int n, const float* rise,
                             const float* u, const float* w);

// Longest substep that is stable, as far as is known since the last one [s].
float tarn__shallow_stable_dt(const TarnShallow* water);

// Of the Surface plug.
bool tarn__shallow_area(const void* self, TarnVec2* min, TarnVec2* max);
TarnResult tarn__shallow_push(void* self, const TarnSurfacePush* push, TarnSurfaceTaken* taken);
TarnResult tarn__shallow_pour(void* self, const TarnSurfacePour* pour, TarnSurfaceTaken* taken);

// ---- Parts of a step ----------------------------------------------------------------------------

// Sets ghost cells and boundary faces for the current time; their extremes go to water->edge.
void tarn__shallow_fill_edges(TarnShallow* water);
TarnResult tarn__shallow_check_span(const TarnShallow* water, const TarnShallowSpanDef* def);
bool tarn__shallow_is_point(float time, float value); // of a hydrograph
void tarn__shallow_map_spans(TarnShallow* water);     // span_of, after spans or the window changed
// Lets what comes in at open edges follow what is inside, for dt [s].
void tarn__shallow_radiate(TarnShallow* water, float dt);
// Calms the water in front of absorbing edges for dt [s].
void tarn__shallow_sponge(TarnShallow* water, float dt);
// Depth [m, summed over cells] that came in through edges in the substep just described by sweep.
struct ShallowSweep;
double tarn__shallow_edge_flow(const TarnShallow* water, const struct ShallowSweep* sweep);
// The discharge of a step, if it is kept: each substep adds what the sweep will move, in the end that
// becomes a mean over time [s].
void tarn__shallow_add_discharge(TarnShallow* water, const struct ShallowSweep* sweep,
                                 bool is_first);
void tarn__shallow_mean_discharge(TarnShallow* water, double time);
void tarn__shallow_clear_discharge(TarnShallow* water);
// Waterfalls: notes what the sweep will let fall in this substep; lets what nobody caught in the last step arrive below.
void tarn__shallow_throw(TarnShallow* water, const struct ShallowSweep* sweep);
void tarn__shallow_land_throws(TarnShallow* water);
void tarn__shallow_forget_throws(TarnShallow* water);
void tarn__shallow_find_falls(TarnShallow* water);     // after the ground has changed
double tarn__shallow_thrown(const TarnShallow* water); // not caught yet, summed over cells [m]
int tarn__shallow_take_throws(TarnShallow* water, int capacity, TarnThrow* out);
int tarn__shallow_edge_kind(const TarnShallow* water, int side, int j); // of the edge or its span
// Implicit gravity, drag and wind for dt [s]: from h, u, w to h1, u1, w1. Returns what came in through edges,
// as tarn__shallow_edge_flow. Ghosts are filled. is_first: of the step.
double tarn__shallow_gravity(TarnShallow* water, float dt, bool is_first);
size_t tarn__shallow_implicit_size(const TarnShallowDef* def); // bytes, 0: explicit
void tarn__shallow_implicit_place(TarnShallow* water, void* memory);
TARN_INLINE bool shallow_is_implicit(const TarnShallow* water)
{
    return water->def.gravity_step == TARN_GRAVITY_IMPLICIT;
}
// Carries u and w along themselves for dt [s]: semi-Lagrangian or MacCormack.
void tarn__shallow_advect(TarnShallow* water, float dt);
// Closed edges have no flow: reflecting and periodic.
TARN_INLINE bool shallow_is_closed(int edge)
{
    return edge == TARN_SHALLOW_REFLECTING || edge == TARN_SHALLOW_PERIODIC;
}
