// tarn/breakers.h: breaking waves on height-field water. Lips that curl over, barrels, surf on a reef.
//
// A height field cannot overturn. This solver watches a water through its Surface, finds the fronts that are too
// steep to stand, follows them as lines, and throws a thin sheet of water off their crests [Thuerey2007b]. Sheets fly
// ballistically, hit the water in front, push it aside there (no water is added or removed) and report where they
// splash. The sheets are one closed triangle mesh, which begins inside the crest, so that water and sheet look like
// one body.
//
// It lies on another water of a world (tarn_world_set_on), or a host steps it with any TarnSurface. It carries no
// water of its own and does not change how a wave runs, except where a sheet lands. Fronts that last shorter than a
// detection interval, as in chaotic seas, throw nothing. Method, limits, cost: docs/solvers/breakers.md
#pragma once

#include "tarn/base.h"
#include "tarn/body.h"
#include "tarn/member.h"
#include "tarn/mesh.h"
#include "tarn/surface.h"
#include "tarn/throw.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TarnBreakers TarnBreakers;

// Start from tarn_breakers_default_def(). Ranges and defaults are in the parameter table (tarn describe breakers).
typedef struct TarnBreakersDef {
    uint32_t cookie; // set by tarn_breakers_default_def; leave it alone
    int nx, nz;      // cells along x and z of the grid on which fronts are searched
    float dx;        // their size [m]; that of the water below is a good choice
    TarnVec2 origin; // x, z of the grid corner [m]
    float gravity;   // [m/s^2]
    int max_lines;   // breaking fronts at a time
    int max_points;  // points of all lines together
    int max_rows;    // rows of all sheets together
    int max_nodes;   // nodes of all sheets together
    int seed;        // of the irregularities of the sheets
} TarnBreakersDef;

// Parameters that may change every frame.
typedef struct TarnBreakersParams {
    float
        slope; // of the front at which a wave begins to break [m/m]; below half of it the wave recovers
    float min_height; // lower waves do not break [m]
    float min_depth;  // nor does shallower water [m]
    float gap;        // steep places closer than this are one front [cells]
    float interval;   // between searches for new fronts [s]
    float row_time;   // between rows of a sheet [s]
    float
        gain; // how much faster than the wave a sheet is, per g times the height of the wave [s^2/m^2]
    float lift;      // upward speed of a sheet, as a share of its speed
    float spread;    // speed at which breaking spreads along a crest [m/s]
    float ramp;      // time until a sheet is at its full strength [s]
    float thickness; // of a sheet, as a share of the height of the wave
    float ragged;    // irregularity of the lip, 0 to 1
    float impact;    // share of the volume of a landing sheet that the water is pushed aside by
    float spray;     // share of a sheet's energy that its lip loses as spray [1/s]
    float life;      // longest flight of a sheet [s]
    float density;   // of the water [kg/m^3]
} TarnBreakersParams;

TARN_API const TarnParamTable* tarn_breakers_def_table(void);
TARN_API const TarnParamTable* tarn_breakers_params_table(void);
TARN_DEFAULT_DEF(TarnBreakersDef, tarn_breakers);
TARN_API TarnBreakersParams tarn_breakers_default_params(void);

// Returns the bytes that create will allocate; 0 if the def is invalid.
TARN_API size_t tarn_breakers_memory(const TarnBreakersDef* def);
// Creates a solver without lines and sheets. TARN_ERR_ARG: a value is out of range. TARN_ERR_MEMORY. On failure *out
// is NULL.
TARN_API TarnResult tarn_breakers_create(TarnContext* ctx, const TarnBreakersDef* def,
                                         TarnBreakers** out);
TARN_API void tarn_breakers_destroy(TarnBreakers* breakers); // NULL is fine
// Sets the parameters from the next step on. TARN_ERR_ARG: a value is out of range; nothing has changed.
TARN_API TarnResult tarn_breakers_set_params(TarnBreakers* breakers,
                                             const TarnBreakersParams* params);
TARN_API TarnBreakersParams tarn_breakers_params(const TarnBreakers* breakers);

// Follows the fronts of a water that has just advanced by dt [s], 0 to 10, and moves the sheets. Landing sheets push
// the water (TarnSurface.push, if it has one); those that hit a body push the body. water NULL: only sheets in the
// air move. bodies may be NULL, and so may report. TARN_STEP_CAPACITY_FULL: a limit of the def was reached; lines,
// rows or splashes were left out. It allocates nothing and gives the same bits for any number of workers.
// TARN_ERR_ARG: dt is out of range.
TARN_API TarnResult tarn_breakers_step(TarnBreakers* breakers, const TarnSurface* water,
                                       TarnBodies* bodies, float dt, TarnStepReport* report);
TARN_API void
tarn_breakers_reset(TarnBreakers* breakers); // back to time 0, without lines and sheets

// ---- Lines --------------------------------------------------------------------------------------

// A point of a line: a place on the steepest part of a breaking front.
typedef struct TarnBreakerPoint {
    TarnVec3 position;  // on the water [m]
    TarnVec3 crest;     // the top of the wave behind it [m]
    TarnVec2 direction; // x and z of the direction in which the front runs, unit length
    float height;       // of the crest above the water in front [m]
    float speed;        // of the front [m/s]
    float slope;        // of the front [m/m]
    float strength;     // of the sheet, 0 (none yet) to 1
    float arc;          // place along the line [m], the same for a point as long as it exists
    uint32_t id;        // the same as long as the point exists
} TarnBreakerPoint;

TARN_API int tarn_breakers_line_count(const TarnBreakers* breakers);
// Writes the points of a line in the order in which the front runs to their left, as seen from above with x to the
// right and z down. *n is the number of points, also when TARN_ERR_CAPACITY is returned; *is_closed (may be NULL):
// the last is joined to the first. points may be NULL if capacity is 0. TARN_ERR_ARG: there is no such line.
TARN_API TarnResult tarn_breakers_line(const TarnBreakers* breakers, int line, int capacity,
                                       TarnBreakerPoint* points, int* n, bool* is_closed);

// Finds the curl nearest to a place, in the plane, where a sheet ends in the middle of a line, and writes where a board
// can ride in it: on the face, a little inside of the barrel. Returns false if there is none within reach [m].
TARN_API bool tarn_breakers_curl(const TarnBreakers* breakers, TarnVec3 near, float reach,
                                 TarnCurl* out);

// ---- Sheets -------------------------------------------------------------------------------------

// Attributes of the vertices, for TarnMesh.attribute.
enum {
    TARN_BREAKERS_AGE,       // time since this part left the crest [s]
    TARN_BREAKERS_ARC,       // place along the line [m]
    TARN_BREAKERS_THICKNESS, // of the sheet [m]
    TARN_BREAKERS_ATTRIBUTES // number of attributes
};
// Fills a mesh with all sheets: closed, with a top and a bottom, thin rims where they end, normals and velocities.
// Sheets begin below the surface of the crest and end below the water that they fell into. TARN_ERR_CAPACITY: the
// buffers are too small; nothing was written, and n_vertices and n_triangles are the sizes needed. It allocates
// nothing, but uses scratch memory of the solver: one thread at a time.
TARN_API TarnResult tarn_breakers_mesh(TarnBreakers* breakers, TarnMesh* mesh);
TARN_API int tarn_breakers_row_count(const TarnBreakers* breakers);  // rows in the air
TARN_API int tarn_breakers_node_count(const TarnBreakers* breakers); // nodes in the air

// Where a sheet splashed in the last step.
typedef struct TarnBreakerSplash {
    TarnVec3 position; // [m]
    TarnVec3 velocity; // of the sheet [m/s]
    float size;        // length of the part of the sheet along the line [m]
    float thickness;   // of the sheet [m]
    float power;       // lost there in this step [W]
    int32_t is_impact; // 0: torn off the lip in flight; 1: it hit water; 2: it hit a body
} TarnBreakerSplash;
// Views are valid until the next step.
TARN_API int tarn_breakers_splashes(const TarnBreakers* breakers, const TarnBreakerSplash** out);
// Moves up to `capacity` of them to the host's array and forgets these. Returns how many.
TARN_API int tarn_breakers_take_splashes(TarnBreakers* breakers, int capacity,
                                         TarnBreakerSplash* out);
// Volume that landing sheets have moved aside in the water since the start [m^3]; none of it was added or removed.
TARN_API double tarn_breakers_moved(const TarnBreakers* breakers);
TARN_API const TarnBreakersDef* tarn_breakers_def(const TarnBreakers* breakers);
TARN_API double tarn_breakers_time(const TarnBreakers* breakers); // simulated so far [s]

// ---- State --------------------------------------------------------------------------------------

TARN_API uint64_t tarn_breakers_hash(const TarnBreakers* breakers);
TARN_API TarnResult tarn_breakers_save(const TarnBreakers* breakers, void* buffer, size_t capacity,
                                       size_t* size);
// Loads a state into a solver created with the same def. On failure nothing has changed.
TARN_API TarnResult tarn_breakers_load(TarnBreakers* breakers, const void* buffer, size_t size);

// ---- In a world ---------------------------------------------------------------------------------

TARN_MEMBER(TarnBreakers, breakers)

#ifdef __cplusplus
}
#endif
