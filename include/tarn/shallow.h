// tarn/shallow.h: shallow water over terrain. Rivers, floods, lakes, shores.
//
//     dh/dt  + div(h u)                        = rain - evaporation
//     dhu/dt + div(h u u) + g h grad(h + bed)  = -drag |u| u
//
// One water depth per column. It floods, drains and dries, breaks into bores, and a lake stays at
// rest over any bed. It cannot overturn, and all its waves run at sqrt(g h) (open sea with
// dispersion: tarn/ocean.h will). Bodies float and push through tarn/coupling.h.
//
// The grid lies in the xz plane; cell (i, k) is centered at origin + ((i, k) + 0.5) * dx. Depth is
// counted in grains (max_depth / 2^24), so that adding and moving water never rounds: the volume is
// exact, not nearly so. Method, limits, cost: docs/solvers/shallow.md
#pragma once

#include "tarn/base.h"
#include "tarn/member.h"
#include "tarn/surface.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TarnShallow TarnShallow;

typedef enum TarnShallowAdvection {
    TARN_ADVECTION_NONE,            // linear waves over terrain: cheapest, no flow of momentum
    TARN_ADVECTION_SEMI_LAGRANGIAN, // velocity carried along [Thuerey2008]; smooth, loses momentum
    TARN_ADVECTION_MACCORMACK,      // the same, corrected to second order [Chentanez2010]
    TARN_ADVECTION_MOMENTUM,        // conserves momentum: right bores, jumps and dam breaks
} TarnShallowAdvection;

typedef enum TarnShallowGravity {
    TARN_GRAVITY_EXPLICIT, // waves must not cross a cell per substep: exact waves, the default
    TARN_GRAVITY_IMPLICIT, // only the flow must not: deep water at long steps; damps short waves
} TarnShallowGravity;

typedef enum TarnShallowEdge {
    TARN_SHALLOW_REFLECTING, // a wall
    TARN_SHALLOW_OPEN,       // what flows out is gone; a lake at rest stays
    TARN_SHALLOW_FALL,       // the land ends here: water falls off
    TARN_SHALLOW_ABSORBING,  // open water at def.level: waves leave, and waves may be sent in
    TARN_SHALLOW_PERIODIC,   // joined to the opposite edge, which must be periodic too
    TARN_SHALLOW_LEVEL,      // the surface is held at value (y [m])              spans only
    TARN_SHALLOW_DEPTH,      // the depth is held at value [m]                    spans only
    TARN_SHALLOW_DISCHARGE,  // value [m^3/s] flows in, spread over the span      spans only
} TarnShallowEdge;

typedef enum TarnSide { TARN_SIDE_X0, TARN_SIDE_X1, TARN_SIDE_Z0, TARN_SIDE_Z1 } TarnSide;

// Height of the ground at a point [m]; for windows that move over a larger world.
typedef float TarnGroundFn(float x, float z, void* user);

// Start from tarn_shallow_default_def(). Create copies everything, the def may go out of scope.
// Ranges and defaults of the plain fields are in the parameter table (tarn describe shallow).
typedef struct TarnShallowDef {
    uint32_t cookie;      // set by tarn_shallow_default_def, leave alone
    int nx, nz;           // cells along x and z
    float dx;             // cell size [m]
    TarnVec2 origin;      // x, z of the grid corner [m]
    float level;          // y of calm water: filled to it where has_level is set [m]
    bool has_level;       // fill everything below level with water, also where the window enters
    float gravity;        // [m/s^2]
    int advection;        // TarnShallowAdvection
    int gravity_step;     // TarnShallowGravity
    float implicitness;   // implicit: weight of the new surface, 0.5 keeps waves, 1 damps them
    float tolerance;      // implicit: residual of the solve, as a share of that at its start
    int max_cycles;       // implicit: of a solve; TARN_STEP_NOT_CONVERGED when they are not enough
    int edge_x0, edge_x1; // TarnShallowEdge at -x and +x, where no span says otherwise
    int edge_z0, edge_z1; // at -z and +z
    int sponge_cells;     // width of the sponge in front of an absorbing edge
    float max_depth;      // deepest water that is counted exactly [m]
    float dry_depth;      // water thinner than this stands still [m]
    float courant;        // share of the longest stable step that is used
    int max_substeps;     // per tarn_shallow_step
    float sleep_speed;    // tiles slower than this sleep [m/s]. 0: never
    bool use_bodies;      // keep the arrays that floating bodies need, 12 bytes per cell
    bool use_discharge;   // keep the discharge through faces, 8 bytes per cell
    TarnVec2 velocity;    // of all water at the start, x and z [m/s]
    const float* bed;     // nx * nz ground heights y [m], x fastest. NULL: flat at y = 0
    TarnGroundFn* bed_fn; // instead of bed, if not NULL: also asked when the window moves
    void* bed_user;
    const float* depth; // nx * nz initial depths [m], >= 0. NULL: dry, or filled to level
    // nx * nz initial velocities along x and along z [m/s], each at the face at -x or at -z of its cell, as
    // tarn_shallow_velocity_x and _z show them. NULL: that of velocity. Faces between two wet cells
    // take them; what flows through the edges of the grid is up to the edges, unless they are periodic.
    const float *velocity_x, *velocity_z;
} TarnShallowDef;

// What may change every frame.
typedef struct TarnShallowParams {
    float drag;         // of the bed, quadratic [-]
    float damping;      // of all motion [1/s]
    float rain;         // [mm/h]
    float evaporation;  // or seepage [mm/h]
    float max_speed;    // faster water is slowed to this, and reported [m/s]
    TarnVec2 wind;      // acceleration of the water along x and z [m/s^2]
    float density;      // of the water [kg/m^3]
    float body_drag;    // drag coefficient of wetted faces that move into the water
    float body_lift;    // lift coefficient of wetted faces
    float body_damping; // linear drag of a fully submerged body [1/s]
    float body_push;    // share of the drag on a body that the water under it takes on, 0 to 1
    float max_push;     // fastest change of a column by a body [m/s]
} TarnShallowParams;

TARN_API const TarnParamTable* tarn_shallow_def_table(void);
TARN_API const TarnParamTable* tarn_shallow_params_table(void);
TARN_DEFAULT_DEF(TarnShallowDef, tarn_shallow);
TARN_API TarnShallowParams tarn_shallow_default_params(void);

// Bytes that create will allocate, 0 if the def is not valid.
TARN_API size_t tarn_shallow_memory(const TarnShallowDef* def);
// TARN_ERR_ARG: a value out of range. TARN_ERR_DATA: bed, depth or a velocity holds a NaN, an absurd value
// or a negative depth. On failure *out is NULL and nothing stays allocated.
TARN_API TarnResult tarn_shallow_create(TarnContext* ctx, const TarnShallowDef* def,
                                        TarnShallow** out);
TARN_API void tarn_shallow_destroy(TarnShallow* water); // NULL is fine

TARN_API TarnResult tarn_shallow_set_params(TarnShallow* water, const TarnShallowParams* params);
TARN_API TarnShallowParams tarn_shallow_params(const TarnShallow* water);

// Advance by dt [s], 0 to 10, in as many substeps as stability asks for; after max_substeps time is
// dropped, TARN_STEP_TIME_CUT is set and report->time_advanced < dt. TARN_STEP_NOT_CONVERGED: an
// implicit solve met max_cycles; speeds are less exact then, the volume is not. report may be NULL. No
// allocation. The same bits for any number of workers.
TARN_API TarnResult tarn_shallow_step(TarnShallow* water, float dt, TarnStepReport* report);
// Starts over: water up to the level with has_level, flowing at def.velocity; else dry. Arrays of the def
// are not kept. Ground and spans stay, gates close, time and ledger begin anew. NULL is fine.
TARN_API void tarn_shallow_reset(TarnShallow* water);

// ---- Edges and gates ----------------------------------------------------------------------------

enum {
    TARN_SHALLOW_MAX_SPANS = 64,
    TARN_SHALLOW_MAX_GATES = 64,
    TARN_SHALLOW_MAX_HYDROGRAPH = 1024,
};

// A part of an edge with a behavior of its own. Later spans lie over earlier ones.
typedef struct TarnShallowSpanDef {
    uint32_t cookie;     // set by tarn_shallow_default_span, leave alone
    int side;            // TarnSide
    int kind;            // TarnShallowEdge, not periodic
    float from, to;      // along the side, world x or z [m]; the default is all of it
    float value;         // level y [m], depth [m] or discharge [m^3/s], by kind
    float inflow_depth;  // kind discharge: of fast (supercritical) inflow [m]; 0: the flow decides
    float wave_height;   // of waves sent in: amplitude [m], kinds absorbing and level
    float wave_period;   // of these waves [s]
    const float* times;  // hydrograph: value at these times [s], increasing, linear between,
    const float* values; // and held before and after. NULL: value. Copied
    int n_times;         // up to TARN_SHALLOW_MAX_HYDROGRAPH
} TarnShallowSpanDef;

TARN_API const TarnParamTable* tarn_shallow_span_table(void);
TARN_DEFAULT(TarnShallowSpanDef, tarn_shallow_default_span, tarn_shallow_init_span);
// *index (may be NULL) names the span. TARN_ERR_CAPACITY: TARN_SHALLOW_MAX_SPANS are there.
TARN_API TarnResult tarn_shallow_add_span(TarnShallow* water, const TarnShallowSpanDef* def,
                                          int* index);
// A new value for a span without a hydrograph.
TARN_API TarnResult tarn_shallow_set_span(TarnShallow* water, int index, float value);

// A wall that opens: while it is closed, the ground in a box from a to b is as high as top.
typedef struct TarnShallowGateDef {
    uint32_t cookie; // set by tarn_shallow_default_gate, leave alone
    TarnVec2 a, b;   // opposite corners, x and z [m]; at least one cell wide
    float top;       // y of the closed gate [m]
    float opening;   // at the start, 0 closed to 1 open
} TarnShallowGateDef;

TARN_API const TarnParamTable* tarn_shallow_gate_table(void);
TARN_DEFAULT(TarnShallowGateDef, tarn_shallow_default_gate, tarn_shallow_init_gate);
TARN_API TarnResult tarn_shallow_add_gate(TarnShallow* water, const TarnShallowGateDef* def,
                                          int* index);
TARN_API TarnResult tarn_shallow_set_gate(TarnShallow* water, int index, float opening);
TARN_API float tarn_shallow_gate_opening(const TarnShallow* water, int index); // -1: none such
TARN_API int tarn_shallow_gate_count(const TarnShallow* water);
TARN_API int tarn_shallow_span_count(const TarnShallow* water);

// ---- Edits --------------------------------------------------------------------------------------

// Adds (negative: takes) a volume [m^3] of water over a disc, never below dry. *done (may be NULL) is
// what was really added: less than asked when the disc ran dry or left the grid.
TARN_API TarnResult tarn_shallow_add_water(TarnShallow* water, TarnVec2 center, float radius,
                                           float volume, double* done);
// Fills to a level: all cells of a box from a to b whose ground is below it get a surface at level.
TARN_API TarnResult tarn_shallow_fill(TarnShallow* water, TarnVec2 a, TarnVec2 b, float level);
// Digs (negative height) or heaps up ground: a smooth mound of this height [m] and radius [m]. The
// water on it is lifted or sinks with it; none is lost.
TARN_API TarnResult tarn_shallow_dig(TarnShallow* water, TarnVec2 center, float radius,
                                     float height);
// Replaces ground heights y [m] of cells [i0, i0 + nx) x [k0, k0 + nz), x fastest.
TARN_API TarnResult tarn_shallow_set_bed(TarnShallow* water, int i0, int k0, int nx, int nz,
                                         const float* bed);
// Adds a velocity [m/s] to the water in a disc: a paddle, an explosion's wind, a boat's propeller.
TARN_API TarnResult tarn_shallow_add_velocity(TarnShallow* water, TarnVec2 center, float radius,
                                              TarnVec2 velocity);
// Sets the velocity [m/s] of the water in a box from a to b: a river that flows from the start. Faces in the
// box between two wet cells take it.
TARN_API TarnResult tarn_shallow_set_velocity(TarnShallow* water, TarnVec2 a, TarnVec2 b,
                                              TarnVec2 velocity);
// Moves the window by whole cells: the water stays where it is in the world, the grid goes on. With a
// bed array the entering cells copy its border; with bed_fn they ask. They are dry, or filled to the
// level with has_level. The ledger counts what enters and leaves.
TARN_API TarnResult tarn_shallow_shift(TarnShallow* water, int di, int dk);

// ---- Reading ------------------------------------------------------------------------------------

// Views are valid until the next step, edit or destroy. Any thread, not during step.
TARN_API TarnView2 tarn_shallow_depth(const TarnShallow* water); // [m]
TARN_API TarnView2 tarn_shallow_bed(const TarnShallow* water);   // ground with gates, y [m]
// Velocity through the faces [m/s]: value (i, k) of _x at the face between (i - 1, k) and (i, k), of
// _z between (i, k - 1) and (i, k). One column (_x) or row (_z) more than there are cells.
TARN_API TarnView2 tarn_shallow_velocity_x(const TarnShallow* water);
TARN_API TarnView2 tarn_shallow_velocity_z(const TarnShallow* water);
// Discharge through the same faces [m^2/s]: what really passed in the last step, per second and meter of
// face. Times dt and dx, summed along a closed line, it is the change of the volume behind that
// line, to rounding; rain, evaporation, sponges and edits pass no face. Needs def.use_discharge,
// else the views are empty (data is NULL). 0 before the first step, and after reset, load and shift.
TARN_API TarnView2 tarn_shallow_discharge_x(const TarnShallow* water);
TARN_API TarnView2 tarn_shallow_discharge_z(const TarnShallow* water);
TARN_API TarnVec2 tarn_shallow_origin(const TarnShallow* water); // moves with the window
TARN_API const TarnShallowDef*
tarn_shallow_def(const TarnShallow* water); // array pointers are NULL
TARN_API TarnSurface tarn_shallow_surface(const TarnShallow* water);
TARN_API double tarn_shallow_time(const TarnShallow* water); // simulated so far [s]

// Where the water came from and went [m^3]. volume = initial + all others, to rounding of the doubles.
typedef struct TarnShallowLedger {
    double volume;  // now in the grid
    double initial; // at create
    double edges;   // came in through edges and sponges, negative: went out
    double sources; // tarn_shallow_add_water, fill
    double rain;
    double evaporated; // <= 0
    double window;     // entered and left with the moving window
    double
        error; // volume less all of these, from whole grains: exactly 0 unless something is wrong
} TarnShallowLedger;
TARN_API TarnShallowLedger tarn_shallow_ledger(const TarnShallow* water);

// ---- Shore --------------------------------------------------------------------------------------

// The surface to draw: y of the water in wet cells, and near them, on land, the surface carried on
// into the ground, so that water and ground meet in a smooth line. Farther away it lies below
// the ground; films thinner than max(4 dry_depth, 0.005 dx) that join no other water are drawn
// lower. Fade water by drawn - ground, and drop what is below 0. nx * nz values, x fastest.
TARN_API TarnResult tarn_shallow_drawn_surface(const TarnShallow* water, float* out);
// The front line between water and land as polylines: points (x, y, z) [m] one line after the
// other, ends[l] is one past the last point of line l. A closed line repeats its first point. Water
// is on the left when walking along it, seen from above. Sizes needed are in *n_points, *n_lines,
// also when TARN_ERR_CAPACITY is returned. Uses no memory but the buffers and work, which has
// tarn_shallow_shore_work(water) bytes.
TARN_API size_t tarn_shallow_shore_work(const TarnShallow* water);
TARN_API TarnResult tarn_shallow_shore(const TarnShallow* water, void* work, TarnVec3* points,
                                       int point_capacity, int* ends, int line_capacity,
                                       int* n_points, int* n_lines);

// ---- State --------------------------------------------------------------------------------------

// Equal hashes: equal futures. For desync and replay tests.
TARN_API uint64_t tarn_shallow_hash(const TarnShallow* water);
// Writes the state to buffer. *size: bytes needed, also when TARN_ERR_CAPACITY is returned.
TARN_API TarnResult tarn_shallow_save(const TarnShallow* water, void* buffer, size_t capacity,
                                      size_t* size);
// Loads into a solver created with the same def, or refuses and changes nothing: TARN_ERR_DATA (damaged,
// another def), TARN_ERR_VERSION. Spans and gates are as they were, whatever was added since. No allocation.
TARN_API TarnResult tarn_shallow_load(TarnShallow* water, const void* buffer, size_t size);

// ---- In a world ---------------------------------------------------------------------------------

TARN_MEMBER(TarnShallow, shallow)

#ifdef __cplusplus
}
#endif
