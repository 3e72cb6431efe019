// tarn/flow_ripples.h: small waves on flowing water. What is finer than the cells of a river, a flood or a lake.
//
// A tile of ripples, made by a Fourier transform and moving as waves of their lengths do, lies on the water and is carried
// along by its velocity [Chentanez2010]. Three copies are carried for a period each, a third of it apart, and begin anew
// while they are not seen, so that no copy is stretched far. Where the flow stretches a copy it fades. The copies are
// blended such that the ripples are everywhere as high as they should be.
//
// It lies on another water of a world (tarn_world_set_on): that water's surface then has the ripples, for drawing and for
// queries. It does not act back on the water, and bodies of waves and shallow water do not feel it. Method, limits, cost:
// docs/solvers/flow_ripples.md
#pragma once

#include "tarn/base.h"
#include "tarn/member.h"
#include "tarn/surface.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TarnFlowRipples TarnFlowRipples;

enum { TARN_FLOW_RIPPLES_COPIES = 3 };

// Start from tarn_flow_ripples_default_def(). Ranges and defaults are in the parameter table (tarn describe
// flow_ripples).
typedef struct TarnFlowRipplesDef {
    uint32_t cookie;  // set by tarn_flow_ripples_default_def; leave it alone
    int nx, nz;       // cells along x and z in which the flow is followed
    float dx;         // their size [m]; that of the water below is a good choice
    int detail;       // samples of the ripples along a side of a cell
    TarnVec2 origin;  // x, z of the grid corner [m]
    int tile;         // samples along each side of the tile: 64, 128 or 256
    float tile_size;  // side of the tile [m]
    float wavelength; // of the highest ripples [m]
    float gravity;    // [m/s^2]
    int seed;         // of the tile
} TarnFlowRipplesDef;

// Parameters that may change every frame.
typedef struct TarnFlowRipplesParams {
    float height;     // root mean square of the ripples in fast water [m]
    float calm;       // share of it that still water has, from the wind
    float fast;       // speed at which the ripples are full [m/s]
    float shallow;    // depth at which they are full [m]
    float period;     // time that a copy is carried before it begins anew [s]
    float stretching; // how fast ripples fade where the flow stretches them
    float direction;  // in which they run over calm water, from +x towards +z [rad]
    float spread;     // 0: all run that way, 1: all directions alike
} TarnFlowRipplesParams;

TARN_API const TarnParamTable* tarn_flow_ripples_def_table(void);
TARN_API const TarnParamTable* tarn_flow_ripples_params_table(void);
TARN_DEFAULT_DEF(TarnFlowRipplesDef, tarn_flow_ripples);
TARN_API TarnFlowRipplesParams tarn_flow_ripples_default_params(void);

// Returns the bytes that create will allocate; 0 if the def is invalid.
TARN_API size_t tarn_flow_ripples_memory(const TarnFlowRipplesDef* def);
// Creates ripples on water at rest. TARN_ERR_ARG: a value is out of range. TARN_ERR_MEMORY. On failure *out is NULL.
TARN_API TarnResult tarn_flow_ripples_create(TarnContext* ctx, const TarnFlowRipplesDef* def,
                                             TarnFlowRipples** out);
TARN_API void tarn_flow_ripples_destroy(TarnFlowRipples* ripples); // NULL is fine
// Sets the parameters from the next step on. TARN_ERR_ARG: a value is out of range; nothing has changed.
TARN_API TarnResult tarn_flow_ripples_set_params(TarnFlowRipples* ripples,
                                                 const TarnFlowRipplesParams* params);
TARN_API TarnFlowRipplesParams tarn_flow_ripples_params(const TarnFlowRipples* ripples);

// Carries the copies along with the velocity of a water for dt [s], 0 to 10, and moves the tile on. water NULL: deep water
// at rest. report may be NULL. It allocates nothing and gives the same bits for any number of workers. TARN_ERR_ARG:
// dt is out of range.
TARN_API TarnResult tarn_flow_ripples_step(TarnFlowRipples* ripples, const TarnSurface* water,
                                           float dt, TarnStepReport* report);
TARN_API void tarn_flow_ripples_reset(TarnFlowRipples* ripples); // back to time 0

// ---- Reading ------------------------------------------------------------------------------------

// The ripples alone, over y = 0; its depth is unlimited. Each query reads three copies of the tile.
TARN_API TarnSurface tarn_flow_ripples_surface(const TarnFlowRipples* ripples);
TARN_API const TarnFlowRipplesDef* tarn_flow_ripples_def(const TarnFlowRipples* ripples);
TARN_API double tarn_flow_ripples_time(const TarnFlowRipples* ripples); // simulated so far [s]

// For a host that draws by itself: the height of the ripples at (x, z) is
//     strength(x, z) * sum over copies of weight * fade(x, z) * tile((x, z) + shift(x, z) + offset),
// where the tile repeats, with a root mean square of 1. Views are valid until the next step.
typedef struct TarnFlowRipplesCopy {
    float weight;               // the same everywhere; the sum of the squares of all copies is 1
    TarnVec2 offset;            // [m]
    TarnView2 shift_x, shift_z; // per cell [m]
    TarnView2 fade;             // per cell, 0 to 1
} TarnFlowRipplesCopy;
TARN_API TarnResult tarn_flow_ripples_copy(const TarnFlowRipples* ripples, int n,
                                           TarnFlowRipplesCopy* out);
TARN_API TarnView2 tarn_flow_ripples_tile(const TarnFlowRipples* ripples);     // heights
TARN_API TarnView2 tarn_flow_ripples_strength(const TarnFlowRipples* ripples); // per cell [m]

// ---- State --------------------------------------------------------------------------------------

TARN_API uint64_t tarn_flow_ripples_hash(const TarnFlowRipples* ripples);
TARN_API TarnResult tarn_flow_ripples_save(const TarnFlowRipples* ripples, void* buffer,
                                           size_t capacity, size_t* size);
// Loads a state into a solver created with the same def. On failure nothing has changed.
TARN_API TarnResult tarn_flow_ripples_load(TarnFlowRipples* ripples, const void* buffer,
                                           size_t size);

// ---- In a world ---------------------------------------------------------------------------------

TARN_MEMBER(TarnFlowRipples, flow_ripples)

#ifdef __cplusplus
}
#endif
