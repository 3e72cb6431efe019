// tarn/pipes.h: water through virtual pipes, and the ground it carves. Rain on mountains.
//
//     dq/dt = -g d grad(ground + d) - friction          q: discharge per width [m^2/s]
//     dd/dt = -div q + rain - evaporation               d: depth [m]
//
// Columns of water joined by pipes [OBrien1995], one signed flow per face: water runs downhill, fills
// lakes and spills over. It has no momentum of its own that is carried along, so no bores and no eddies
// (tarn/shallow.h has). With use_erosion it dissolves soil and rock, carries them along and drops them
// where it slows down [Mei2007], and slopes steeper than the talus angle slip.
//
// The grid lies in the xz plane; cell (i, k) is centered at origin + ((i, k) + 0.5) * dx. Depth, ground
// and sediment are counted in grains (max_depth / 2^24), so that moving them never rounds: water and
// ground are kept exactly, not nearly. Method, limits, cost: docs/solvers/pipes.md
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
    TARN_PIPES_OPEN,   // water and what it carries run out, nothing comes in
} TarnPipesEdge;

// Start from tarn_pipes_default_def(). Create copies everything, the def may go out of scope.
// The ranges and defaults of the plain fields are in the parameter table (tarn describe pipes).
typedef struct TarnPipesDef {
    uint32_t cookie;       // set by tarn_pipes_default_def, leave alone
    int nx, nz;            // cells along x and z
    float dx;              // cell size [m]
    TarnVec2 origin;       // x, z of the grid corner [m]
    float gravity;         // [m/s^2]
    float pipe_area;       // cross-section of a pipe [m^2]. 0: dx times the depth, as in nature
    int edge_x0, edge_x1;  // TarnPipesEdge at -x and +x
    int edge_z0, edge_z1;  // at -z and +z
    float level;           // y of calm water: filled to it where has_level is set [m]
    bool has_level;        // fill everything below level with water
    bool use_erosion;      // the ground changes; 16 bytes per cell more
    float soil;            // thickness where no soil_map is given [m]; it lies on the bed
    float max_depth;       // of water and soil [m]; heights are within +-60 times this
    float courant;         // share of the longest stable step that is used
    int max_substeps;      // per tarn_pipes_step
    const float* bed;      // nx * nz heights y of the rock [m], x fastest. NULL: flat at y = 0
    const float* soil_map; // nx * nz thicknesses [m], >= 0, instead of soil, if not NULL
    const float* depth;    // nx * nz initial depths [m], >= 0. NULL: dry, or filled to level
} TarnPipesDef;

// What may change every frame. Rates are per second of simulated time, so no result depends on dt.
typedef struct TarnPipesParams {
    float friction;       // linear: speed dies down at this rate [1/s]
    float drag;           // quadratic, of the bed [-]
    float steep_drag;     // more of it per slope of the ground [-]
    float rain;           // [mm/h]
    float evaporation;    // or seepage [mm/h]
    float erosion_speed;  // how much faster than nature the ground changes
    float capacity;       // sediment that a volume of water holds at 1 m/s down a slope of 1 [s/m]
    float capacity_depth; // water counts for the capacity up to this depth [m]
    float min_tilt;       // flatter ground counts as this slope [-]
    float soil_rate;      // at which water fills up to its capacity from soil [1/s]
    float rock_rate;      // and from rock: small is hard [1/s]
    float deposit_rate;   // at which it drops what is beyond the capacity [1/s]
    float soil_talus;     // steepest slope of soil [deg]
    float rock_talus;     // and of rock [deg]
    float slip_rate;      // at which steeper slopes give way [1/s]
    float creep;          // diffusion of the ground down any slope [m^2/s]
} TarnPipesParams;

TARN_API const TarnParamTable* tarn_pipes_def_table(void);
TARN_API const TarnParamTable* tarn_pipes_params_table(void);
TARN_DEFAULT_DEF(TarnPipesDef, tarn_pipes);
TARN_API TarnPipesParams tarn_pipes_default_params(void);

// Bytes that create will allocate, 0 if the def is not valid.
TARN_API size_t tarn_pipes_memory(const TarnPipesDef* def);
// TARN_ERR_ARG: a value out of range. TARN_ERR_DATA: an array holds a NaN or a value that is out of
// range. On failure *out is NULL and nothing stays allocated.
TARN_API TarnResult tarn_pipes_create(TarnContext* ctx, const TarnPipesDef* def, TarnPipes** out);
TARN_API void tarn_pipes_destroy(TarnPipes* pipes); // NULL is fine

TARN_API TarnResult tarn_pipes_set_params(TarnPipes* pipes, const TarnPipesParams* params);
TARN_API TarnPipesParams tarn_pipes_params(const TarnPipes* pipes);

// Advance by dt [s], 0 to 10. A dt beyond the stable one is cut in equal substeps; after max_substeps
// time is dropped, TARN_STEP_TIME_CUT is set and report->time_advanced < dt. report may be NULL. No
// allocation. The same bits for any number of workers.
TARN_API TarnResult tarn_pipes_step(TarnPipes* pipes, float dt, TarnStepReport* report);
// Dry land: the water is gone, what it carried settles, the ground stays as it was carved, the ledger
// and the clock start anew. NULL is fine.
TARN_API void tarn_pipes_reset(TarnPipes* pipes);

// Adds (negative: takes) a volume [m^3] of water over a disc, never below dry or above max_depth. *done
// (may be NULL) is what was really added: less than asked when the disc ran dry, was full or left the
// grid.
TARN_API TarnResult tarn_pipes_add_water(TarnPipes* pipes, TarnVec2 center, float radius,
                                         float volume, double* done);

// ---- Reading ------------------------------------------------------------------------------------

// Views are valid until the next step, edit or destroy. Any thread, not during step.
TARN_API TarnView2 tarn_pipes_depth(const TarnPipes* pipes);  // of the water [m]
TARN_API TarnView2 tarn_pipes_ground(const TarnPipes* pipes); // y of the ground, soil and all [m]
// Both are without data where use_erosion is not set.
TARN_API TarnView2 tarn_pipes_soil(const TarnPipes* pipes);     // thickness [m]
TARN_API TarnView2 tarn_pipes_sediment(const TarnPipes* pipes); // in the water, as ground [m]
// Discharge per width through the faces [m^2/s]: value (i, k) of _x at the face between (i - 1, k) and
// (i, k), of _z between (i, k - 1) and (i, k). One column (_x) or row (_z) more than there are cells.
TARN_API TarnView2 tarn_pipes_discharge_x(const TarnPipes* pipes);
TARN_API TarnView2 tarn_pipes_discharge_z(const TarnPipes* pipes);
// Velocity of the water in the cells [m/s]: nx * nz values, x fastest; zero where it is dry.
TARN_API TarnResult tarn_pipes_velocity(const TarnPipes* pipes, TarnVec2* out);
TARN_API TarnVec2 tarn_pipes_origin(const TarnPipes* pipes);
TARN_API const TarnPipesDef* tarn_pipes_def(const TarnPipes* pipes); // array pointers are NULL
TARN_API TarnSurface tarn_pipes_surface(const TarnPipes* pipes);
TARN_API double tarn_pipes_time(const TarnPipes* pipes); // simulated so far [s]

// Where water and ground came from and went [m^3]. The errors are what is missing; they are exactly
// zero as long as no water is deeper than max_depth.
typedef struct TarnPipesLedger {
    double volume;       // of water now
    double initial;      // at create
    double rain;         // since then
    double evaporated;   // <= 0
    double edges;        // came in through edges; <= 0: it went out
    double sources;      // tarn_pipes_add_water
    double water_error;  // volume - all of these
    double ground;       // rock and soil, over y = 0
    double sediment;     // in the water
    double carried_out;  // through edges, >= 0
    double ground_error; // ground + sediment + carried_out - ground at create
} TarnPipesLedger;
TARN_API TarnPipesLedger tarn_pipes_ledger(const TarnPipes* pipes);

// ---- State --------------------------------------------------------------------------------------

// Equal hashes: equal futures. For desync and replay tests.
TARN_API uint64_t tarn_pipes_hash(const TarnPipes* pipes);
// Writes the state to buffer. *size: bytes needed, also when TARN_ERR_CAPACITY is returned.
TARN_API TarnResult tarn_pipes_save(const TarnPipes* pipes, void* buffer, size_t capacity,
                                    size_t* size);
// Loads into a solver created with the same def, or refuses and changes nothing: TARN_ERR_DATA
// (damaged, another def), TARN_ERR_VERSION.
TARN_API TarnResult tarn_pipes_load(TarnPipes* pipes, const void* buffer, size_t size);

// ---- In a world ---------------------------------------------------------------------------------

TARN_MEMBER(TarnPipes, pipes)

#ifdef __cplusplus
}
#endif
