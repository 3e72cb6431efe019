// tarn/wave.h: heightfield waves. Pools, ponds, harbors, wakes.
//
//     d2u/dt2 = div(c^2 grad u) - k du/dt          u: height over the rest level [m]
//
// The surface is an elastic membrane [Mueller2007]: the cheapest interactive water. All waves travel at one
// speed c (sqrt(g depth) with speed = 0). It cannot break, flow or flood (use tarn/shallow.h), and its wakes
// are Mach cones instead of Kelvin wakes.
//
// The grid lies in the xz plane; cell (i, k) is centered at origin + ((i, k) + 0.5) * dx. Bodies float in it
// and make waves through tarn/coupling.h. Method, limits, cost: docs/solvers/wave.md
#pragma once

#include "tarn/base.h"
#include "tarn/member.h"
#include "tarn/surface.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TarnWave TarnWave;

typedef enum TarnEdge {
    TARN_EDGE_REFLECTING, // a wall
    TARN_EDGE_FIXED,      // the surface is held at rest; waves are reflected upside down
    TARN_EDGE_PERIODIC,   // joined to the opposite edge, which must be periodic too
    TARN_EDGE_ABSORBING,  // open water: waves leave (Mur's condition behind a sponge)
} TarnEdge;

typedef enum TarnLaplacian {
    TARN_LAPLACIAN_FIVE, // four neighbors: fastest
    TARN_LAPLACIAN_NINE, // eight neighbors: rounder ripples, longer stable step
} TarnLaplacian;

// Returns the height y of the ground at a point [m]; for windows that move over a larger world.
typedef float TarnBedFn(float x, float z, void* user);

// Start from tarn_wave_default_def(). Create copies everything, so the def may go out of scope. Ranges and
// defaults of the plain fields are in the parameter table (tarn describe wave).
typedef struct TarnWaveDef {
    uint32_t cookie;      // set by tarn_wave_default_def; leave it alone
    int nx, nz;           // cells along x and z
    float dx;             // cell size [m]
    TarnVec2 origin;      // x, z of the grid corner [m]
    float level;          // y of calm water [m]
    float depth;          // of calm water where no bed is given [m]
    float speed;          // of waves [m/s]; 0: sqrt(gravity * depth) in each cell
    float gravity;        // [m/s^2]
    int laplacian;        // TarnLaplacian
    int edge_x0, edge_x1; // TarnEdge at -x and +x
    int edge_z0, edge_z1; // TarnEdge at -z and +z
    int sponge_cells;     // width of the damping zone at an absorbing edge; wider reflects less
    float courant;        // substep as a share of the longest stable one
    int max_substeps;     // per tarn_wave_step; more time than fits is dropped
    float sleep_speed;    // tiles whose water is slower than this sleep [m/s]; 0: never
    bool use_bodies;      // allocates the arrays that floating bodies need, 16 bytes per cell
    const uint8_t* wall;  // nx * nz values, nonzero for a wall or island; NULL: none
    const float* bed;     // nx * nz heights y of the bed [m]; at or above the level is land
    TarnBedFn* bed_fn;    // if not NULL, replaces bed, also for cells that enter a window
    void* bed_user;
    const float* height; // nx * nz initial heights above the level [m]; NULL: calm
} TarnWaveDef;

// Parameters that may change every frame.
typedef struct TarnWaveParams {
    float damping;   // of the waves [1/s]
    float wave_gain; // share of displaced water that makes waves; the rest raises the level
    float
        calm_time; // time over which the surface that displacement is measured from is smoothed [s]
    float max_push;     // fastest rate at which a body may raise or lower a column [m/s]
    float density;      // of the water [kg/m^3]
    float body_drag;    // quadratic drag coefficient of bodies in water
    float body_damping; // linear drag of a fully submerged body [1/s]
} TarnWaveParams;

TARN_API const TarnParamTable* tarn_wave_def_table(void);
TARN_API const TarnParamTable* tarn_wave_params_table(void);
TARN_DEFAULT_DEF(TarnWaveDef, tarn_wave);
TARN_API TarnWaveParams tarn_wave_default_params(void);

// Returns the bytes that create will allocate; 0 if the def is invalid.
TARN_API size_t tarn_wave_memory(const TarnWaveDef* def);
// Creates a wave solver. TARN_ERR_ARG: a value is out of range. TARN_ERR_DATA: bed or height contains a NaN
// or an absurd value. TARN_ERR_MEMORY. On failure *out is NULL and nothing stays allocated.
TARN_API TarnResult tarn_wave_create(TarnContext* ctx, const TarnWaveDef* def, TarnWave** out);
TARN_API void tarn_wave_destroy(TarnWave* wave); // NULL is fine

// Sets the parameters from the next step on. TARN_ERR_ARG: a value is out of range; nothing has changed.
TARN_API TarnResult tarn_wave_set_params(TarnWave* wave, const TarnWaveParams* params);
TARN_API TarnWaveParams tarn_wave_params(const TarnWave* wave);

// Advances by dt [s], 0 to 10. A dt beyond the stable one is split into equal substeps; time beyond
// max_substeps is dropped: TARN_STEP_TIME_CUT is set and report->time_advanced < dt. While water moves, the
// length of substeps changes by at most 1 % per step, because jumps would amplify the shortest waves; the
// remainder of an uneven dt, less than one substep, is carried over to the next step. report may be NULL. It
// allocates nothing and gives the same bits for any number of workers. TARN_ERR_ARG: dt is out of range.
TARN_API TarnResult tarn_wave_step(TarnWave* wave, float dt, TarnStepReport* report);
// Returns to calm water; bodies that still touch it displace it again. NULL is fine.
TARN_API void tarn_wave_reset(TarnWave* wave);

// ---- Disturbances --------------------------------------------------------------------------------

// Drops and strokes preserve the volume to rounding; lines and wave makers add and remove water within a
// period, which the ledger counts. Radii below 1.5 cells are raised to 1.5 cells. All of these return
// TARN_ERR_ARG if a value is out of range.

// Adds a drop of this radius: a dip of this height [m] with a raised ring around it. Where walls leave little
// room for the ring, the drop is smaller.
TARN_API TarnResult tarn_wave_add_drop(TarnWave* wave, TarnVec2 center, float radius, float height);
// Draws a brush from a to b: a furrow of this depth [m], with the water piled up in front and at the sides.
TARN_API TarnResult tarn_wave_add_stroke(TarnWave* wave, TarnVec2 a, TarnVec2 b, float radius,
                                         float height);
// Sends waves of this height [m] out to both sides of a line from a to b for dt [s]. Call it each frame with
// height = amplitude * sin(2 pi t / period), which adds no water over a period.
TARN_API TarnResult tarn_wave_add_line(TarnWave* wave, TarnVec2 a, TarnVec2 b, float height,
                                       float dt);
// Sends in a wave of this height [m] along an edge (0: -x, 1: +x, 2: -z, 3: +z) for dt [s]. Call it each
// frame with height = amplitude * sin(2 pi t / period).
TARN_API TarnResult tarn_wave_drive_edge(TarnWave* wave, int edge, float height, float dt);

// Moves the window by whole cells: the water keeps its place in the world. Cells that enter are calm. Use
// absorbing edges: within 12 cells of other edges the water is calmed too, because moving walls would make
// waves grow. Entering cells take their bed from bed_fn, or from the border of a bed array.
TARN_API TarnResult tarn_wave_shift(TarnWave* wave, int di, int dk);

// ---- Reading ------------------------------------------------------------------------------------

// Views are valid until the next step, edit or destroy. Any thread may read, but not during a step.
TARN_API TarnView2 tarn_wave_height(const TarnWave* wave); // u, above the level [m]
TARN_API TarnVec2 tarn_wave_origin(const TarnWave* wave);  // moves with the window
TARN_API float
tarn_wave_level(const TarnWave* wave); // y of u = 0, raised by what bodies displace [m]
TARN_API TarnSurface tarn_wave_surface(const TarnWave* wave);
TARN_API const TarnWaveDef* tarn_wave_def(const TarnWave* wave); // its array pointers are NULL
// Returns whether cell (i, k) is a wall, an island or outside the grid.
TARN_API bool tarn_wave_is_wall(const TarnWave* wave, int i, int k);
// Returns the depth of the bed below the rest level in cell (i, k) [m]: negative on land, 0 in a wall.
TARN_API float tarn_wave_bed_depth(const TarnWave* wave, int i, int k);
// Returns the same for all cells. data is NULL if there is neither a bed nor a wall; the depth is then that
// of the def.
TARN_API TarnView2 tarn_wave_bed_depths(const TarnWave* wave);
// Returns the volume of water above the rest level, not counting what bodies displace [m^3]. Between closed
// edges it is constant, apart from lines and wave makers.
TARN_API double tarn_wave_volume(const TarnWave* wave);
// Where that volume comes from [m^3]. Between closed edges surface - displaced - sourced is constant.
typedef struct TarnWaveLedger {
    double surface;   // between the rest level and the surface that is drawn
    double displaced; // by bodies
    double sourced;   // added by lines and wave makers
} TarnWaveLedger;
TARN_API TarnWaveLedger tarn_wave_ledger(const TarnWave* wave);
TARN_API double tarn_wave_time(const TarnWave* wave); // simulated so far [s]

// ---- State --------------------------------------------------------------------------------------

// Returns a hash of the state. Equal hashes mean equal futures; for desync and replay tests.
TARN_API uint64_t tarn_wave_hash(const TarnWave* wave);
// Writes the state to buffer. *size is the number of bytes needed, also when TARN_ERR_CAPACITY is returned.
TARN_API TarnResult tarn_wave_save(const TarnWave* wave, void* buffer, size_t capacity,
                                   size_t* size);
// Loads a state into a solver created with the same def. On failure nothing has changed. TARN_ERR_DATA: the
// state is damaged or belongs to another def. TARN_ERR_VERSION: another version of the format.
TARN_API TarnResult tarn_wave_load(TarnWave* wave, const void* buffer, size_t size);

// ---- In a world ---------------------------------------------------------------------------------

TARN_MEMBER(TarnWave, wave)

#ifdef __cplusplus
}
#endif
