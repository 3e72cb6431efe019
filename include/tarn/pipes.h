// tarn/pipes.h: water in virtual pipes, and the ground that it erodes: rain on mountains.
//
//     dq/dt = -g d grad(ground + d) - friction          q: discharge per width [m^2/s]
//     dd/dt = -div q + rain - evaporation               d: depth [m]
//
// Columns of water connected by pipes [OBrien1995], with one signed flow per face: water runs downhill, fills
// lakes and spills over. Momentum is not advected, so there are no bores and no eddies (use tarn/shallow.h).
// With use_erosion the water dissolves soil and rock, carries them along and deposits them where it slows
// down [Mei2007], and slopes steeper than the talus angle slip.
//
// The grid lies in the xz plane; cell (i, k) is centered at origin + ((i, k) + 0.5) * dx. Depth, ground and
// sediment are counted in whole grains (max_depth / 2^24), so that moving them never rounds: water and ground
// are conserved exactly. Method, limits, cost: docs/solvers/pipes.md
#pragma once

#include "tarn/base.h"
#include "tarn/member.h"
#include "tarn/surface.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TarnPipes TarnPipes;

typedef enum TarnPipesEdge {
    TARN_PIPES_CLOSED, // a wall
    TARN_PIPES_OPEN,   // water and its sediment flow out, nothing flows in
} TarnPipesEdge;

// Start from tarn_pipes_default_def(). Create copies everything, so the def may go out of scope. Ranges and
// defaults of the plain fields are in the parameter table (tarn describe pipes).
typedef struct TarnPipesDef {
    uint32_t cookie;       // set by tarn_pipes_default_def; leave it alone
    int nx, nz;            // cells along x and z
    float dx;              // cell size [m]
    TarnVec2 origin;       // x, z of the grid corner [m]
    float gravity;         // [m/s^2]
    float pipe_area;       // cross-section of a pipe [m^2]; 0: dx times the depth, as in nature
    int edge_x0, edge_x1;  // TarnPipesEdge at -x and +x
    int edge_z0, edge_z1;  // TarnPipesEdge at -z and +z
    float level;           // y of calm water [m]; the initial fill if has_level is set
    bool has_level;        // fills everything below level with water
    bool use_erosion;      // the ground erodes; takes 16 bytes per cell more
    float soil;            // thickness of the soil on the bed without a soil_map [m]
    float max_depth;       // of water and soil [m]; ground heights must be within +-60 times this
    float courant;         // substep as a share of the longest stable one
    int max_substeps;      // per tarn_pipes_step; more time than fits is dropped
    const float* bed;      // nx * nz heights y of the rock [m], x fastest; NULL: flat at y = 0
    const float* soil_map; // nx * nz soil thicknesses [m], >= 0; NULL: soil
    const float* depth;    // nx * nz initial depths [m], >= 0; NULL: dry, or filled to level
} TarnPipesDef;

// Parameters that may change every frame. Rates are per second of simulated time, so results do not depend on
// dt.
typedef struct TarnPipesParams {
    float friction;       // linear friction: the rate at which speed decays [1/s]
    float drag;           // quadratic drag of the bed [-]
    float steep_drag;     // additional drag per slope of the ground [-]
    float rain;           // [mm/h]
    float evaporation;    // or seepage [mm/h]
    float erosion_speed;  // factor by which the ground changes faster than in nature
    float capacity;       // sediment per volume of water at 1 m/s down a slope of 1 [s/m]
    float capacity_depth; // only water up to this depth counts for the capacity [m]
    float min_tilt;       // flatter ground counts as having this slope [-]
    float soil_rate;      // rate at which water dissolves soil up to its capacity [1/s]
    float rock_rate;      // rate at which it dissolves rock [1/s]; smaller is harder rock
    float deposit_rate;   // rate at which it deposits sediment beyond its capacity [1/s]
    float soil_talus;     // steepest slope of soil [deg]
    float rock_talus;     // steepest slope of rock [deg]
    float slip_rate;      // rate at which steeper slopes slip [1/s]
    float creep;          // diffusion of the ground down any slope [m^2/s]
} TarnPipesParams;

TARN_API const TarnParamTable* tarn_pipes_def_table(void);
TARN_API const TarnParamTable* tarn_pipes_params_table(void);
TARN_DEFAULT_DEF(TarnPipesDef, tarn_pipes);
TARN_API TarnPipesParams tarn_pipes_default_params(void);

// Returns the bytes that create will allocate; 0 if the def is invalid.
TARN_API size_t tarn_pipes_memory(const TarnPipesDef* def);
// Creates a pipes solver. TARN_ERR_ARG: a value is out of range. TARN_ERR_DATA: an array contains a NaN or a
// value out of range. TARN_ERR_MEMORY. On failure *out is NULL and nothing stays allocated.
TARN_API TarnResult tarn_pipes_create(TarnContext* ctx, const TarnPipesDef* def, TarnPipes** out);
TARN_API void tarn_pipes_destroy(TarnPipes* pipes); // NULL is fine

// Sets the parameters from the next step on. TARN_ERR_ARG: a value is out of range; nothing has changed.
TARN_API TarnResult tarn_pipes_set_params(TarnPipes* pipes, const TarnPipesParams* params);
TARN_API TarnPipesParams tarn_pipes_params(const TarnPipes* pipes);

// Advances by dt [s], 0 to 10. A dt beyond the stable one is split into equal substeps; time beyond
// max_substeps is dropped: TARN_STEP_TIME_CUT is set and report->time_advanced < dt. report may be NULL. It
// allocates nothing and gives the same bits for any number of workers. TARN_ERR_ARG: dt is out of range.
TARN_API TarnResult tarn_pipes_step(TarnPipes* pipes, float dt, TarnStepReport* report);
// Removes all water: its sediment settles, the ground stays as eroded, and ledger and time restart. NULL is
// fine.
TARN_API void tarn_pipes_reset(TarnPipes* pipes);

// Adds a volume [m^3] of water over a disc, or removes it if negative. *done (may be NULL) is what was
// actually added: less than asked where the disc ran dry, reached max_depth or lies outside the grid.
TARN_API TarnResult tarn_pipes_add_water(TarnPipes* pipes, TarnVec2 center, float radius,
                                         float volume, double* done);

// ---- Reading ------------------------------------------------------------------------------------

// Views are valid until the next step, edit or destroy. Any thread may read, but not during a step.
TARN_API TarnView2 tarn_pipes_depth(const TarnPipes* pipes);  // of the water [m]
TARN_API TarnView2 tarn_pipes_ground(const TarnPipes* pipes); // y of the ground including soil [m]
// These two are empty (data is NULL) without use_erosion.
TARN_API TarnView2 tarn_pipes_soil(const TarnPipes* pipes); // thickness [m]
TARN_API TarnView2
tarn_pipes_sediment(const TarnPipes* pipes); // suspended in the water, as thickness of ground [m]
// Discharge per width through the faces [m^2/s]: value (i, k) of _x is at the face between cells (i - 1, k)
// and (i, k), that of _z between (i, k - 1) and (i, k). There is one column (_x) or row (_z) more than there
// are cells.
TARN_API TarnView2 tarn_pipes_discharge_x(const TarnPipes* pipes);
TARN_API TarnView2 tarn_pipes_discharge_z(const TarnPipes* pipes);
// Writes the velocity of the water in each cell [m/s]: nx * nz values, x fastest; zero where it is dry.
TARN_API TarnResult tarn_pipes_velocity(const TarnPipes* pipes, TarnVec2* out);
TARN_API TarnVec2 tarn_pipes_origin(const TarnPipes* pipes);
TARN_API const TarnPipesDef* tarn_pipes_def(const TarnPipes* pipes); // array pointers are NULL
TARN_API TarnSurface tarn_pipes_surface(const TarnPipes* pipes);
TARN_API double tarn_pipes_time(const TarnPipes* pipes); // simulated so far [s]

// Where water and ground came from and went [m^3]. The errors are exactly zero as long as no water is deeper
// than max_depth.
typedef struct TarnPipesLedger {
    double volume;       // of water in the grid now
    double initial;      // at create
    double rain;         // since create
    double evaporated;   // <= 0
    double edges;        // net inflow through edges, <= 0
    double sources;      // added by tarn_pipes_add_water
    double water_error;  // volume minus all of these
    double ground;       // rock and soil above y = 0
    double sediment;     // in the water
    double carried_out;  // sediment that left through edges, >= 0
    double ground_error; // ground + sediment + carried_out - ground at create
} TarnPipesLedger;
TARN_API TarnPipesLedger tarn_pipes_ledger(const TarnPipes* pipes);

// ---- State --------------------------------------------------------------------------------------

// Returns a hash of the state. Equal hashes mean equal futures; for desync and replay tests.
TARN_API uint64_t tarn_pipes_hash(const TarnPipes* pipes);
// Writes the state to buffer. *size is the number of bytes needed, also when TARN_ERR_CAPACITY is returned.
TARN_API TarnResult tarn_pipes_save(const TarnPipes* pipes, void* buffer, size_t capacity,
                                    size_t* size);
// Loads a state into a solver created with the same def. On failure nothing has changed. TARN_ERR_DATA: the
// state is damaged or belongs to another def. TARN_ERR_VERSION: another version of the format.
TARN_API TarnResult tarn_pipes_load(TarnPipes* pipes, const void* buffer, size_t size);

// ---- In a world ---------------------------------------------------------------------------------

TARN_MEMBER(TarnPipes, pipes)

#ifdef __cplusplus
}
#endif
