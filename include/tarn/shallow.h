// tarn/shallow.h: shallow water over terrain. Rivers, floods, lakes, shores.
//
//     dh/dt  + div(h u)                        = rain - evaporation
//     dhu/dt + div(h u u) + g h grad(h + bed)  = -drag |u| u
//
// One water depth per column. The water floods, drains, dries and breaks into bores, and a lake stays at rest
// over any bed. It cannot overturn, and all waves travel at sqrt(g h), so there is no dispersion as on the
// open sea. Bodies float in it and push it through tarn/coupling.h.
//
// The grid lies in the xz plane; cell (i, k) is centered at origin + ((i, k) + 0.5) * dx. Depth is counted in
// whole grains (max_depth / 2^24), so that moving water never rounds and the volume is exact. Method, limits,
// cost: docs/solvers/shallow.md
#pragma once

#include "tarn/base.h"
#include "tarn/member.h"
#include "tarn/surface.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TarnShallow TarnShallow;

typedef enum TarnShallowAdvection {
    TARN_ADVECTION_NONE,            // linear waves over terrain: cheapest, momentum is not advected
    TARN_ADVECTION_SEMI_LAGRANGIAN, // advects velocity [Thuerey2008]; smooth, loses momentum
    TARN_ADVECTION_MACCORMACK,      // the same, corrected to second order [Chentanez2010]
    TARN_ADVECTION_MOMENTUM,        // conserves momentum: correct bores, jumps and dam breaks
} TarnShallowAdvection;

typedef enum TarnShallowGravity {
    TARN_GRAVITY_EXPLICIT, // the default: accurate waves; a substep is limited by the wave speed
    TARN_GRAVITY_IMPLICIT, // for deep water and long steps, limited by the flow; damps short waves
} TarnShallowGravity;

typedef enum TarnShallowEdge {
    TARN_SHALLOW_REFLECTING, // a wall
    TARN_SHALLOW_OPEN,       // water flows out and does not return; a lake at rest stays
    TARN_SHALLOW_FALL,       // a ledge: water falls off
    TARN_SHALLOW_ABSORBING,  // open water at def.level: waves leave, and can be sent in
    TARN_SHALLOW_PERIODIC,   // joined to the opposite edge, which must be periodic too
    TARN_SHALLOW_LEVEL,      // the surface is held at value (y [m])              spans only
    TARN_SHALLOW_DEPTH,      // the depth is held at value [m]                    spans only
    TARN_SHALLOW_DISCHARGE,  // value [m^3/s] flows in, spread over the span      spans only
} TarnShallowEdge;

typedef enum TarnSide { TARN_SIDE_X0, TARN_SIDE_X1, TARN_SIDE_Z0, TARN_SIDE_Z1 } TarnSide;

// Returns the height y of the ground at a point [m]; for windows that move over a larger world.
typedef float TarnGroundFn(float x, float z, void* user);

// Start from tarn_shallow_default_def(). Create copies everything, so the def may go out of scope. Ranges and
// defaults of the plain fields are in the parameter table (tarn describe shallow).
typedef struct TarnShallowDef {
    uint32_t cookie;      // set by tarn_shallow_default_def; leave it alone
    int nx, nz;           // cells along x and z
    float dx;             // cell size [m]
    TarnVec2 origin;      // x, z of the grid corner [m]
    float level;          // y of calm water [m]; the initial fill if has_level is set
    bool has_level;       // fills everything below level with water, also cells that enter a window
    float gravity;        // [m/s^2]
    int advection;        // TarnShallowAdvection
    int gravity_step;     // TarnShallowGravity
    float implicitness;   // implicit: weight of the new surface; 0.5 preserves waves, 1 damps them
    float tolerance;      // implicit: residual at which a solve ends, relative to its start
    int max_cycles;       // implicit: most cycles of a solve; more precise if larger
    int edge_x0, edge_x1; // TarnShallowEdge at -x and +x, where no span overrides it
    int edge_z0, edge_z1; // TarnShallowEdge at -z and +z
    int sponge_cells;     // width of the damping zone at an absorbing edge; wider reflects less
    float max_depth;      // deepest water that is counted exactly [m]; larger makes grains coarser
    float dry_depth;      // water thinner than this stands still [m]
    float courant;        // substep as a share of the longest stable one
    int max_substeps;     // per tarn_shallow_step; more time than fits is dropped
    float sleep_speed;    // tiles whose water is slower than this sleep [m/s]; 0: never
    bool use_bodies;      // allocates the arrays that floating bodies need, 12 bytes per cell
    bool use_discharge;   // stores the discharge through faces, 8 bytes per cell
    // Water that flows over an edge of the ground higher than this, with the water below not up to it, falls freely:
    // it is thrown, for a solver that catches it (tarn/spray.h) [m]. 0: it never is. 16 bytes per cell
    float fall_drop;
    TarnVec2 velocity;    // initial velocity of all water, x and z [m/s]
    const float* bed;     // nx * nz ground heights y [m], x fastest; NULL: flat at y = 0
    TarnGroundFn* bed_fn; // if not NULL, replaces bed, also for cells that enter a window
    void* bed_user;
    const float* depth; // nx * nz initial depths [m], >= 0; NULL: dry, or filled to level
    // nx * nz initial velocities along x and z [m/s], at the -x or -z face of each cell, as
    // tarn_shallow_velocity_x and _z return them; NULL: velocity. They apply to faces between two wet cells;
    // the flow through the edges of the grid is up to the edges, unless these are periodic.
    const float *velocity_x, *velocity_z;
} TarnShallowDef;

// Parameters that may change every frame.
typedef struct TarnShallowParams {
    float drag;         // quadratic drag of the bed [-]
    float damping;      // linear damping of all motion [1/s]
    float rain;         // [mm/h]
    float evaporation;  // or seepage [mm/h]
    float max_speed;    // faster water is slowed down to this and reported [m/s]
    TarnVec2 wind;      // acceleration of the water along x and z [m/s^2]
    float density;      // of the water [kg/m^3]
    float body_drag;    // drag coefficient of wet faces that move into the water
    float body_lift;    // lift coefficient of wet faces
    float body_damping; // linear drag of a fully submerged body [1/s]
    float body_push;    // share of a body's drag that acts back on the water, 0 to 1
    float max_push;     // fastest rate at which a body may raise or lower a column [m/s]
} TarnShallowParams;

TARN_API const TarnParamTable* tarn_shallow_def_table(void);
TARN_API const TarnParamTable* tarn_shallow_params_table(void);
TARN_DEFAULT_DEF(TarnShallowDef, tarn_shallow);
TARN_API TarnShallowParams tarn_shallow_default_params(void);

// Returns the bytes that create will allocate; 0 if the def is invalid.
TARN_API size_t tarn_shallow_memory(const TarnShallowDef* def);
// Creates a shallow-water solver. TARN_ERR_ARG: a value is out of range. TARN_ERR_DATA: bed, depth or
// velocity contains a NaN, an absurd value or a negative depth. TARN_ERR_MEMORY. On failure *out is NULL and
// nothing stays allocated.
TARN_API TarnResult tarn_shallow_create(TarnContext* ctx, const TarnShallowDef* def,
                                        TarnShallow** out);
TARN_API void tarn_shallow_destroy(TarnShallow* water); // NULL is fine

// Sets the parameters from the next step on. TARN_ERR_ARG: a value is out of range; nothing has changed.
TARN_API TarnResult tarn_shallow_set_params(TarnShallow* water, const TarnShallowParams* params);
TARN_API TarnShallowParams tarn_shallow_params(const TarnShallow* water);

// Advances by dt [s], 0 to 10, in as many substeps as stability requires; time beyond max_substeps is
// dropped: TARN_STEP_TIME_CUT is set and report->time_advanced < dt. TARN_STEP_NOT_CONVERGED: an implicit
// solve reached max_cycles; velocities are then less accurate, but the volume is still exact. report may be
// NULL. It allocates nothing and gives the same bits for any number of workers. TARN_ERR_ARG: dt is out of
// range.
TARN_API TarnResult tarn_shallow_step(TarnShallow* water, float dt, TarnStepReport* report);
// Starts over: filled to the level and moving with def.velocity if has_level is set, otherwise dry; the
// arrays of the def were not kept. Ground and spans stay as they are, gates close, and time and ledger
// restart. NULL is fine.
TARN_API void tarn_shallow_reset(TarnShallow* water);

// ---- Edges and gates ----------------------------------------------------------------------------

enum {
    TARN_SHALLOW_MAX_SPANS = 64,
    TARN_SHALLOW_MAX_GATES = 64,
    TARN_SHALLOW_MAX_HYDROGRAPH = 1024,
};

// A part of an edge with its own boundary condition. Later spans override earlier ones.
typedef struct TarnShallowSpanDef {
    uint32_t cookie;     // set by tarn_shallow_default_span; leave it alone
    int side;            // TarnSide
    int kind;            // TarnShallowEdge, except periodic
    float from, to;      // world x or z along the side [m]; the default is all of it
    float value;         // level y [m], depth [m] or discharge [m^3/s], depending on kind
    float inflow_depth;  // discharge: depth of supercritical inflow [m]; 0: from the flow
    float wave_height;   // absorbing, level: amplitude of incoming waves [m]
    float wave_period;   // period of these waves [s]
    const float* times;  // hydrograph: increasing times [s]; NULL: value is constant. Copied
    const float* values; // values at these times, interpolated linearly and held before and after
    int n_times;         // up to TARN_SHALLOW_MAX_HYDROGRAPH
} TarnShallowSpanDef;

TARN_API const TarnParamTable* tarn_shallow_span_table(void);
TARN_DEFAULT(TarnShallowSpanDef, tarn_shallow_default_span, tarn_shallow_init_span);
// Adds a span; *index (may be NULL) is its index. TARN_ERR_ARG: a value is out of range. TARN_ERR_DATA: the
// hydrograph is invalid. TARN_ERR_CAPACITY: there are TARN_SHALLOW_MAX_SPANS already.
TARN_API TarnResult tarn_shallow_add_span(TarnShallow* water, const TarnShallowSpanDef* def,
                                          int* index);
// Sets the value of a span without a hydrograph.
TARN_API TarnResult tarn_shallow_set_span(TarnShallow* water, int index, float value);

// Sends waves in through the absorbing parts of a side (TarnSide) during the next step: heights [m], one for each cell
// along it, on top of the waves of spans. What comes out is absorbed. NULL: none. TARN_ERR_DATA: a height is not within
// +-1000 m.
TARN_API TarnResult tarn_shallow_send_waves(TarnShallow* water, int side, const float* heights);

// A gate: while it is closed, the ground in a box from a to b is raised to top.
typedef struct TarnShallowGateDef {
    uint32_t cookie; // set by tarn_shallow_default_gate; leave it alone
    TarnVec2 a, b;   // opposite corners, x and z [m]; at least one cell wide
    float top;       // y of the top of the closed gate [m]
    float opening;   // initial opening, 0 closed to 1 open
} TarnShallowGateDef;

TARN_API const TarnParamTable* tarn_shallow_gate_table(void);
TARN_DEFAULT(TarnShallowGateDef, tarn_shallow_default_gate, tarn_shallow_init_gate);
TARN_API TarnResult tarn_shallow_add_gate(TarnShallow* water, const TarnShallowGateDef* def,
                                          int* index);
TARN_API TarnResult tarn_shallow_set_gate(TarnShallow* water, int index, float opening);
TARN_API float tarn_shallow_gate_opening(const TarnShallow* water, int index); // -1: no such gate
TARN_API int tarn_shallow_gate_count(const TarnShallow* water);
TARN_API int tarn_shallow_span_count(const TarnShallow* water);

// ---- Edits --------------------------------------------------------------------------------------

// Adds a volume [m^3] of water over a disc, or removes it if negative. *done (may be NULL) is what was
// actually added: less than asked where the disc ran dry or lies outside the grid.
TARN_API TarnResult tarn_shallow_add_water(TarnShallow* water, TarnVec2 center, float radius,
                                           float volume, double* done);
// Sets the surface to level [m] in all cells of a box from a to b whose ground is lower.
TARN_API TarnResult tarn_shallow_fill(TarnShallow* water, TarnVec2 a, TarnVec2 b, float level);
// Raises a smooth mound of ground of this height [m] and radius [m], or digs a pit if height is negative. The
// water on it moves with it; none is lost.
TARN_API TarnResult tarn_shallow_dig(TarnShallow* water, TarnVec2 center, float radius,
                                     float height);
// Replaces the ground heights y [m] of the cells [i0, i0 + nx) x [k0, k0 + nz), x fastest.
TARN_API TarnResult tarn_shallow_set_bed(TarnShallow* water, int i0, int k0, int nx, int nz,
                                         const float* bed);
// Adds a velocity [m/s] to the water in a disc: a paddle, an explosion's wind, a boat's propeller.
TARN_API TarnResult tarn_shallow_add_velocity(TarnShallow* water, TarnVec2 center, float radius,
                                              TarnVec2 velocity);
// Sets the velocity [m/s] of the faces between two wet cells in a box from a to b: a river that flows from
// the start.
TARN_API TarnResult tarn_shallow_set_velocity(TarnShallow* water, TarnVec2 a, TarnVec2 b,
                                              TarnVec2 velocity);
// Moves the window by whole cells: the water keeps its place in the world. Entering cells take their bed from
// bed_fn, or from the border of a bed array, and are dry, or filled to the level if has_level is set. The
// ledger counts what enters and leaves.
TARN_API TarnResult tarn_shallow_shift(TarnShallow* water, int di, int dk);

// ---- Reading ------------------------------------------------------------------------------------

// Views are valid until the next step, edit or destroy. Any thread may read, but not during a step.
TARN_API TarnView2 tarn_shallow_depth(const TarnShallow* water); // [m]
TARN_API TarnView2
tarn_shallow_bed(const TarnShallow* water); // y of the ground including gates [m]
// Velocity through the faces [m/s]: value (i, k) of _x is at the face between cells (i - 1, k) and (i, k),
// that of _z between (i, k - 1) and (i, k). There is one column (_x) or row (_z) more than there are cells.
TARN_API TarnView2 tarn_shallow_velocity_x(const TarnShallow* water);
TARN_API TarnView2 tarn_shallow_velocity_z(const TarnShallow* water);
// Discharge through the same faces [m^2/s]: what passed in the last step, per second and meter of face.
// Multiplied by dt and dx and summed along a closed line, it is the change of the enclosed volume, to
// rounding; rain, evaporation, damping zones and edits pass through no face. 0 before the first step, and
// after reset, load and shift. Without def.use_discharge the views are empty (data is NULL).
TARN_API TarnView2 tarn_shallow_discharge_x(const TarnShallow* water);
TARN_API TarnView2 tarn_shallow_discharge_z(const TarnShallow* water);
TARN_API TarnVec2 tarn_shallow_origin(const TarnShallow* water); // moves with the window
TARN_API const TarnShallowDef*
tarn_shallow_def(const TarnShallow* water); // array pointers are NULL
TARN_API TarnSurface tarn_shallow_surface(const TarnShallow* water);
TARN_API double tarn_shallow_time(const TarnShallow* water); // simulated so far [s]

// Where the water came from and went [m^3]: volume is the sum of all the others, to rounding of the doubles.
typedef struct TarnShallowLedger {
    double volume;  // in the grid now
    double initial; // at create
    double edges;   // net inflow through edges and damping zones; negative: outflow
    double sources; // added by edits: tarn_shallow_add_water, fill
    double rain;
    double evaporated; // <= 0
    double window;     // net gain from moving the window
    // volume minus all of these, counted in whole grains: exactly 0 unless something is wrong
    double error;
} TarnShallowLedger;
TARN_API TarnShallowLedger tarn_shallow_ledger(const TarnShallow* water);

// ---- Shore --------------------------------------------------------------------------------------

// Writes the surface to draw, nx * nz values y [m], x fastest. In wet cells it is the water surface; on land
// near them it continues into the ground, so that water and ground meet in a smooth line; farther away it
// lies below the ground. Isolated films thinner than max(4 dry_depth, 0.005 dx) are drawn lower. Fade water
// by drawn - ground, and discard what is below 0.
TARN_API TarnResult tarn_shallow_drawn_surface(const TarnShallow* water, float* out);
// Writes the shoreline between water and land as polylines: points (x, y, z) [m], line by line; ends[l] is
// one past the last point of line l. A closed line repeats its first point. Seen from above, water is on the
// left when walking along a line. *n_points and *n_lines are the sizes needed, also when TARN_ERR_CAPACITY is
// returned. work is a scratch buffer of tarn_shallow_shore_work(water) bytes; nothing else is allocated.
TARN_API size_t tarn_shallow_shore_work(const TarnShallow* water);
TARN_API TarnResult tarn_shallow_shore(const TarnShallow* water, void* work, TarnVec3* points,
                                       int point_capacity, int* ends, int line_capacity,
                                       int* n_points, int* n_lines);

// ---- State --------------------------------------------------------------------------------------

// Returns a hash of the state. Equal hashes mean equal futures; for desync and replay tests.
TARN_API uint64_t tarn_shallow_hash(const TarnShallow* water);
// Writes the state to buffer. *size is the number of bytes needed, also when TARN_ERR_CAPACITY is returned.
TARN_API TarnResult tarn_shallow_save(const TarnShallow* water, void* buffer, size_t capacity,
                                      size_t* size);
// Loads a state into a solver created with the same def; spans and gates are those of the snapshot
// afterwards. It allocates nothing. On failure nothing has changed. TARN_ERR_DATA: the state is damaged or
// belongs to another def. TARN_ERR_VERSION: another version of the format.
TARN_API TarnResult tarn_shallow_load(TarnShallow* water, const void* buffer, size_t size);

// ---- In a world ---------------------------------------------------------------------------------

TARN_MEMBER(TarnShallow, shallow)

#ifdef __cplusplus
}
#endif
