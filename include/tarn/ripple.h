// tarn/ripple.h: a window of waves as real water has them. Kelvin wakes, rings that spread into many.
//
//     d eta/dt = K phi      d phi/dt = -(g + s k^2) eta - p / density      K = k tanh(k depth)
//
// Long waves are faster than short ones: a boat draws the wake that Kelvin explained, and a stone a train of rings. The
// linear equations of water waves are advanced exactly, in Fourier space, by any dt. Use it on top of an ocean or by
// itself (tarn_world_set_on). All depths are one depth; there is no flow, no breaking and no flooding (use
// tarn/shallow.h), and waves of one height do not feel one another.
//
// The window is a square of n x n cells in the xz plane; cell (i, k) is centered at origin + ((i, k) + 0.5) * dx. Waves
// are absorbed in its rim. It moves with tarn_ripple_shift. Method, limits, cost: docs/solvers/ripple.md
#pragma once

#include "tarn/base.h"
#include "tarn/member.h"
#include "tarn/surface.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TarnRipple TarnRipple;

// Start from tarn_ripple_default_def(). Ranges and defaults of the plain fields are in the parameter table (tarn
// describe ripple).
typedef struct TarnRippleDef {
    uint32_t cookie;     // set by tarn_ripple_default_def; leave it alone
    int n;               // cells along each side: a power of two, 64 to 1024
    float dx;            // cell size [m]
    TarnVec2 origin;     // x, z of the window's corner [m]
    float level;         // y of calm water [m]
    float depth;         // of the water [m]; deeper than half a wavelength is deep water
    float gravity;       // [m/s^2]
    float tension;       // surface tension per density [m^3/s^2]; 0: none
    int rim;             // width of the absorbing rim [cells]; 0: opposite sides are joined
    bool use_bodies;     // bodies float in it and make waves
    const uint8_t* land; // n * n values, nonzero where a shore or a pier is; NULL: none
} TarnRippleDef;

// Parameters that may change every frame.
typedef struct TarnRippleParams {
    float damping;   // of all waves [1/s]
    float density;   // of the water [kg/m^3]
    float wave_gain; // share of what bodies displace and push that makes waves
    float max_slope; // steepest slope that pushes may build up; real waves break at 0.44
} TarnRippleParams;

TARN_API const TarnParamTable* tarn_ripple_def_table(void);
TARN_API const TarnParamTable* tarn_ripple_params_table(void);
TARN_DEFAULT_DEF(TarnRippleDef, tarn_ripple);
TARN_API TarnRippleParams tarn_ripple_default_params(void);

// Returns the bytes that create will allocate; 0 if the def is invalid.
TARN_API size_t tarn_ripple_memory(const TarnRippleDef* def);
// Creates calm water. TARN_ERR_ARG: a value is out of range. TARN_ERR_MEMORY. On failure *out is NULL.
TARN_API TarnResult tarn_ripple_create(TarnContext* ctx, const TarnRippleDef* def,
                                       TarnRipple** out);
TARN_API void tarn_ripple_destroy(TarnRipple* ripple); // NULL is fine

// Sets the parameters from the next step on. TARN_ERR_ARG: a value is out of range; nothing has changed.
TARN_API TarnResult tarn_ripple_set_params(TarnRipple* ripple, const TarnRippleParams* params);
TARN_API TarnRippleParams tarn_ripple_params(const TarnRipple* ripple);

// Advances by dt [s], 0 to 10, in one go: two Fourier transforms, and a third with land. It is exact for any dt, apart
// from land and rim, which act once per step. The first step with another dt costs more. report may be NULL. It allocates
// nothing and gives the same bits for any number of workers. TARN_ERR_ARG: dt is out of range.
TARN_API TarnResult tarn_ripple_step(TarnRipple* ripple, float dt, TarnStepReport* report);
TARN_API void tarn_ripple_reset(TarnRipple* ripple); // calm water; land stays

// ---- Disturbances --------------------------------------------------------------------------------

// All of these return TARN_ERR_ARG if a value is out of range. Radii below 1.5 cells are raised to 1.5 cells; what lies
// outside the window is left out. Bodies push through the Surface (tarn/surface.h): displaced volume moves heights, an
// impulse moves the water, and its vertical part is a pressure.

// Adds a drop: a dip of this height [m] with a raised ring around it of the same volume.
TARN_API TarnResult tarn_ripple_add_drop(TarnRipple* ripple, TarnVec2 center, float radius,
                                         float height);
// Draws a brush from a to b: a furrow of this depth [m] with banks of the same volume.
TARN_API TarnResult tarn_ripple_add_stroke(TarnRipple* ripple, TarnVec2 a, TarnVec2 b, float radius,
                                           float height);
// Presses on the water for dt [s] with a pressure of this many pascals in the middle, a bell curve exp(-2 d^2 / r^2) of
// this radius [m]: what a hovercraft does. Call it each frame where it is then.
TARN_API TarnResult tarn_ripple_add_pressure(TarnRipple* ripple, TarnVec2 center, float radius,
                                             float pressure, float dt);

// Moves the window by whole cells: the water keeps its place in the world, and cells that enter are calm. Land enters as
// set by tarn_ripple_set_land, otherwise as water. TARN_ERR_UNSUPPORTED: the window has no rim.
TARN_API TarnResult tarn_ripple_shift(TarnRipple* ripple, int di, int dk);
// Sets shores and piers anew: n * n values, nonzero for land; NULL: none. TARN_ERR_UNSUPPORTED: it was created without
// land, and has no memory for it.
TARN_API TarnResult tarn_ripple_set_land(TarnRipple* ripple, const uint8_t* land);

// ---- Reading ------------------------------------------------------------------------------------

// Views are valid until the next step, edit or destroy. Any thread may read, but not during a step.
TARN_API TarnView2 tarn_ripple_height(const TarnRipple* ripple);    // eta, over the level [m]
TARN_API TarnView2 tarn_ripple_potential(const TarnRipple* ripple); // phi at the surface [m^2/s]
TARN_API TarnVec2 tarn_ripple_origin(const TarnRipple* ripple);     // moves with the window
TARN_API TarnSurface tarn_ripple_surface(const TarnRipple* ripple);
TARN_API const TarnRippleDef* tarn_ripple_def(const TarnRipple* ripple); // its land pointer is NULL
TARN_API bool tarn_ripple_is_land(const TarnRipple* ripple, int i, int k);
TARN_API double tarn_ripple_time(const TarnRipple* ripple);   // simulated so far [s]
TARN_API double tarn_ripple_volume(const TarnRipple* ripple); // above the level [m^3]
// Returns the energy of the waves per density [m^5/s^2]: what they hold by their heights, and by their motion. It needs
// a Fourier transform and uses the memory of the step, so it must not run beside other calls.
TARN_API double tarn_ripple_energy(TarnRipple* ripple);

// ---- State --------------------------------------------------------------------------------------

TARN_API uint64_t tarn_ripple_hash(const TarnRipple* ripple);
TARN_API TarnResult tarn_ripple_save(const TarnRipple* ripple, void* buffer, size_t capacity,
                                     size_t* size);
// Loads a state into a solver created with the same def. On failure nothing has changed.
TARN_API TarnResult tarn_ripple_load(TarnRipple* ripple, const void* buffer, size_t size);

// ---- In a world ---------------------------------------------------------------------------------

TARN_MEMBER(TarnRipple, ripple)

#ifdef __cplusplus
}
#endif
