// tarn/wave.h: heightfield waves. Pools, ponds, harbors, wakes.
//
//     d2u/dt2 = div(c^2 grad u) - k du/dt          u: height over the rest level [m]
//
// The surface is an elastic membrane [Mueller2007]: the cheapest water that reacts to everything.
// All its waves run at one speed c (or sqrt(g depth) with speed = 0), it cannot break, flow or
// flood (tarn/shallow.h does), and its wakes are Mach cones, not Kelvin's.
//
// The grid lies in the xz plane; cell (i, k) is centered at origin + ((i, k) + 0.5) * dx. Bodies
// float and push through tarn/coupling.h. Method, limits, cost: docs/solvers/wave.md
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
    TARN_EDGE_FIXED,      // the surface is held at rest; waves come back upside down
    TARN_EDGE_PERIODIC,   // joined to the opposite edge, which must be periodic too
    TARN_EDGE_ABSORBING,  // open water: waves leave (Mur's condition behind a sponge)
} TarnEdge;

typedef enum TarnLaplacian {
    TARN_LAPLACIAN_FIVE, // edge neighbors only: fastest
    TARN_LAPLACIAN_NINE, // with the corners: rounder ripples and a longer stable step
} TarnLaplacian;

// Height of the ground at a point [m]; for windows that move over a larger world.
typedef float TarnBedFn(float x, float z, void* user);

// Start from tarn_wave_default_def(). Create copies everything, the def may go out of scope.
// The ranges and defaults of the plain fields are in the parameter table (tarn describe wave).
typedef struct TarnWaveDef {
    uint32_t cookie;      // set by tarn_wave_default_def, leave alone
    int nx, nz;           // cells along x and z
    float dx;             // cell size [m]
    TarnVec2 origin;      // x, z of the grid corner [m]
    float level;          // y of calm water [m]
    float depth;          // of calm water where no bed is given [m]
    float speed;          // of waves [m/s]. 0: sqrt(gravity * depth), cell by cell
    float gravity;        // [m/s^2]
    int laplacian;        // TarnLaplacian
    int edge_x0, edge_x1; // TarnEdge at -x and +x
    int edge_z0, edge_z1; // TarnEdge at -z and +z
    int sponge_cells;     // width of the sponge in front of an absorbing edge
    float courant;        // share of the longest stable step that is used
    int max_substeps;     // per tarn_wave_step
    float sleep_speed;    // tiles slower than this sleep [m/s]. 0: never
    bool use_bodies;      // keep the arrays that floating bodies need, 16 bytes per cell
    const uint8_t* wall;  // nx * nz, nonzero: a wall or island. NULL: none
    const float* bed;     // nx * nz heights y [m]; at or above the level it is an island
    TarnBedFn* bed_fn;    // instead of bed, if not NULL: also asked when the window moves
    void* bed_user;
    const float* height; // nx * nz initial offsets from the level [m]. NULL: calm
} TarnWaveDef;

// What may change every frame.
typedef struct TarnWaveParams {
    float damping;      // of the waves [1/s]
    float wave_gain;    // share of displaced water that makes waves; the rest lifts the whole level
    float calm_time;    // how slowly the surface follows that displacement is counted from [s]
    float max_push;     // fastest change of a column by a body [m/s]
    float density;      // of the water [kg/m^3]
    float body_drag;    // quadratic drag coefficient of bodies in water
    float body_damping; // linear drag of bodies, rate for a fully submerged one [1/s]
} TarnWaveParams;

TARN_API const TarnParamTable* tarn_wave_def_table(void);
TARN_API const TarnParamTable* tarn_wave_params_table(void);
TARN_DEFAULT_DEF(TarnWaveDef, tarn_wave);
TARN_API TarnWaveParams tarn_wave_default_params(void);

// Bytes that create will allocate, 0 if the def is not valid.
TARN_API size_t tarn_wave_memory(const TarnWaveDef* def);
// TARN_ERR_ARG: a value out of range. TARN_ERR_DATA: bed or height holds a NaN or an absurd value.
// On failure *out is NULL and nothing stays allocated.
TARN_API TarnResult tarn_wave_create(TarnContext* ctx, const TarnWaveDef* def, TarnWave** out);
TARN_API void tarn_wave_destroy(TarnWave* wave); // NULL is fine

TARN_API TarnResult tarn_wave_set_params(TarnWave* wave, const TarnWaveParams* params);
TARN_API TarnWaveParams tarn_wave_params(const TarnWave* wave);

// Advance by dt [s], 0 to 10. A dt beyond the stable one is cut in equal substeps; after
// max_substeps time is dropped, TARN_STEP_TIME_CUT is set and report->time_advanced < dt. While water
// moves, substeps change their length by 1 % per step at most, because jumps would feed the shortest
// waves; what an uneven dt leaves over is saved up, less than one substep. report may be NULL. No
// allocation. The same bits for any number of workers.
TARN_API TarnResult tarn_wave_step(TarnWave* wave, float dt, TarnStepReport* report);
// Back to calm water; bodies that still touch it push anew. NULL is fine.
TARN_API void tarn_wave_reset(TarnWave* wave);

// ---- Disturbances --------------------------------------------------------------------------------

// Drops and strokes keep the volume to rounding; lines and wave makers give and take over a period,
// and the ledger counts them. Radii below 1.5 cells are widened to it.

// A drop of this radius falls in: a dip of this height [m] with a ring around it. Where walls leave
// little room for the ring, the drop is smaller.
TARN_API TarnResult tarn_wave_add_drop(TarnWave* wave, TarnVec2 center, float radius, float height);
// A brush drawn from a to b: a furrow of this height [m], pushed up in front and at the sides.
TARN_API TarnResult tarn_wave_add_stroke(TarnWave* wave, TarnVec2 a, TarnVec2 b, float radius,
                                         float height);
// A line from a to b sends waves of this height [m] out to both sides for dt [s]. Call it each frame
// with height = amplitude * sin(2 pi t / period): over a period nothing is added.
TARN_API TarnResult tarn_wave_add_line(TarnWave* wave, TarnVec2 a, TarnVec2 b, float height,
                                       float dt);
// A wave maker along an edge (0: -x, 1: +x, 2: -z, 3: +z): for dt [s] it sends in a wave of this
// height [m]. Call it each frame with height = amplitude * sin(2 pi t / period).
TARN_API TarnResult tarn_wave_drive_edge(TarnWave* wave, int edge, float height, float dt);

// Move the window by whole cells: the water stays where it is in the world, the grid goes on. Cells that
// enter are calm, and the water within 12 cells of edges that are not absorbing is calmed, because walls that
// move would make waves grow; absorbing edges are best. With a bed array the entering cells copy its border;
// with bed_fn they ask.
TARN_API TarnResult tarn_wave_shift(TarnWave* wave, int di, int dk);

// ---- Reading ------------------------------------------------------------------------------------

// Views are valid until the next step, edit or destroy. Any thread, not during step.
TARN_API TarnView2 tarn_wave_height(const TarnWave* wave); // u over the level [m]
TARN_API TarnVec2 tarn_wave_origin(const TarnWave* wave);  // moves with the window
TARN_API float tarn_wave_level(const TarnWave* wave);      // y of u = 0, with what bodies displaced
TARN_API TarnSurface tarn_wave_surface(const TarnWave* wave);
TARN_API const TarnWaveDef* tarn_wave_def(const TarnWave* wave); // its array pointers are NULL
// Is cell (i, k) a wall, an island or outside?
TARN_API bool tarn_wave_is_wall(const TarnWave* wave, int i, int k);
// Depth of the bed below the rest level in cell (i, k) [m]: negative on land, 0 in a wall.
TARN_API float tarn_wave_bed_depth(const TarnWave* wave, int i, int k);
// The same for all cells. data NULL: there is neither a bed nor a wall, and the depth is that of the def.
TARN_API TarnView2 tarn_wave_bed_depths(const TarnWave* wave);
// Volume of water over the rest level, bodies not counted [m^3]: constant between closed edges,
// lines and wave makers aside.
TARN_API double tarn_wave_volume(const TarnWave* wave);
// Where it comes from [m^3]. Between closed edges surface - displaced - sourced is constant.
typedef struct TarnWaveLedger {
    double surface;   // under the surface that is drawn, over the rest level
    double displaced; // by bodies
    double sourced;   // by lines and wave makers
} TarnWaveLedger;
TARN_API TarnWaveLedger tarn_wave_ledger(const TarnWave* wave);
TARN_API double tarn_wave_time(const TarnWave* wave); // simulated so far [s]

// ---- State --------------------------------------------------------------------------------------

// Equal hashes: equal futures. For desync and replay tests.
TARN_API uint64_t tarn_wave_hash(const TarnWave* wave);
// Writes the state to buffer. *size: bytes needed, also when TARN_ERR_CAPACITY is returned.
TARN_API TarnResult tarn_wave_save(const TarnWave* wave, void* buffer, size_t capacity,
                                   size_t* size);
// Loads into a solver created with the same def, or refuses and changes nothing: TARN_ERR_DATA
// (damaged, another def), TARN_ERR_VERSION.
TARN_API TarnResult tarn_wave_load(TarnWave* wave, const void* buffer, size_t size);

// ---- In a world ---------------------------------------------------------------------------------

TARN_MEMBER(TarnWave, wave)

#ifdef __cplusplus
}
#endif
