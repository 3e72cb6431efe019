// tarn/wave_particles.h: waves that travel as particles. Ponds, harbors and moats full of moving things.
//
//     position = birth + direction * speed * age          speed: that of a wave of length 2 radius
//
// Each particle carries a bump of water of one radius along a straight line [Yuksel2007]. Nothing is integrated:
// a particle is looked at again only when it spreads so far from its neighbors that it splits in three, when it
// meets a wall, or when it has become too small to see. The bumps are drawn on a grid, with slopes and with the
// sideways displacement that sharpens crests. It cannot become unstable, and costs as much as there are waves.
//
// Bodies (tarn/coupling.h) make waves all around their waterline, in proportion to the volume that each part of it pushes aside or
// sucks in, and float in the sum. Waves of one radius all run at one speed, so a wake is made of rings and not of
// Kelvin's waves (tarn/ripple.h). There is no flow and no depth: the sea bed is not felt.
//
// The grid lies in the xz plane; cell (i, k) is centered at origin + ((i, k) + 0.5) * dx. Method, limits, cost:
// docs/solvers/wave_particles.md
#pragma once

#include "tarn/base.h"
#include "tarn/member.h"
#include "tarn/surface.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TarnWaveParticles TarnWaveParticles;

enum { TARN_WAVE_PARTICLES_RADII = 4 }; // most classes of radius

typedef enum TarnWaveParticlesEdge {
    TARN_WAVE_PARTICLES_WALL, // waves are reflected
    TARN_WAVE_PARTICLES_OPEN, // waves leave
} TarnWaveParticlesEdge;

// Start from tarn_wave_particles_default_def(). Ranges and defaults are in the parameter table (tarn describe
// wave_particles).
typedef struct TarnWaveParticlesDef {
    uint32_t cookie;      // set by tarn_wave_particles_default_def; leave it alone
    int nx, nz;           // cells of the grid along x and z
    float dx;             // cell size [m]
    TarnVec2 origin;      // x, z of the grid corner [m]
    float level;          // y of calm water [m]
    float depth;          // of the water, for queries and for bodies that sink [m]
    float gravity;        // [m/s^2]
    float radius;         // of the smallest particles [m], 2 to 8 cells
    int radii;            // classes; each is twice as wide as the one before
    int max_particles;    // of all classes
    int max_walls;        // straight walls inside the grid
    int edge_x0, edge_x1; // TarnWaveParticlesEdge at -x and +x
    int edge_z0, edge_z1; // TarnWaveParticlesEdge at -z and +z
    bool use_bodies;      // bodies float in it and make waves
} TarnWaveParticlesDef;

// Parameters that may change every frame.
typedef struct TarnWaveParticlesParams {
    float damping;     // of the waves [1/s]
    float choppiness;  // sideways displacement; 0: smooth bumps, 1: as in deep water
    float least;       // particles below this amplitude are dropped [m]
    float wave_gain;   // share of the displaced volume that makes waves
    float max_height;  // highest amplitude of a new particle, as a share of its radius
    float restitution; // share of its amplitude that a wave keeps when it is reflected
} TarnWaveParticlesParams;

TARN_API const TarnParamTable* tarn_wave_particles_def_table(void);
TARN_API const TarnParamTable* tarn_wave_particles_params_table(void);
TARN_DEFAULT_DEF(TarnWaveParticlesDef, tarn_wave_particles);
TARN_API TarnWaveParticlesParams tarn_wave_particles_default_params(void);

// Returns the bytes that create will allocate; 0 if the def is invalid.
TARN_API size_t tarn_wave_particles_memory(const TarnWaveParticlesDef* def);
// Creates calm water. TARN_ERR_ARG: a value is out of range. TARN_ERR_MEMORY. On failure *out is NULL.
TARN_API TarnResult tarn_wave_particles_create(TarnContext* ctx, const TarnWaveParticlesDef* def,
                                               TarnWaveParticles** out);
TARN_API void tarn_wave_particles_destroy(TarnWaveParticles* waves); // NULL is fine

// Sets the parameters from the next step on. TARN_ERR_ARG: a value is out of range; nothing has changed.
TARN_API TarnResult tarn_wave_particles_set_params(TarnWaveParticles* waves,
                                                   const TarnWaveParticlesParams* params);
TARN_API TarnWaveParticlesParams tarn_wave_particles_params(const TarnWaveParticles* waves);

// Advances by dt [s], 0 to 10, in one go however long it is: splits and reflections happen at their own times
// in between. Where there is no room for more particles, similar ones are merged and the smallest dropped;
// TARN_STEP_CAPACITY_FULL is then set. report may be NULL. It allocates nothing and gives the same bits for
// any number of workers. TARN_ERR_ARG: dt is out of range.
TARN_API TarnResult tarn_wave_particles_step(TarnWaveParticles* waves, float dt,
                                             TarnStepReport* report);
TARN_API void tarn_wave_particles_reset(TarnWaveParticles* waves); // calm water; walls stay

// ---- Waves ---------------------------------------------------------------------------------------

// One particle. Its neighbors on the front are `angle * distance` away from it: a front from a point has a
// distance of 0 there, and a straight one an angle of 0.
typedef struct TarnWaveParticle {
    TarnVec2 position;  // x, z [m]
    TarnVec2 direction; // of travel; any length but 0
    float amplitude;    // height of the bump [m]; negative: a trough
    float angle;        // between it and its neighbors on the front [rad], 0 to 2 pi
    float distance;     // traveled from where the front began as a point [m], >= 0
    int radius;         // class, 0 to radii - 1
} TarnWaveParticle;
// Adds particles at the current time, as many as there is room for. They rise to their amplitude while they travel half
// a radius. TARN_ERR_ARG: a value is out of range; none was added.
TARN_API TarnResult tarn_wave_particles_add(TarnWaveParticles* waves,
                                            const TarnWaveParticle* particles, int n);
// Adds a drop: a ring that runs outward, with a crest of this height [m] where it begins at this radius [m] and a
// trough of the same volume behind it. The class of its particles is the one whose radius is closest.
TARN_API TarnResult tarn_wave_particles_add_drop(TarnWaveParticles* waves, TarnVec2 center,
                                                 float radius, float height);
// Adds a straight front from a to b that runs to its left (seen from above, facing from a to b with z down), of
// this class and with a crest of this height [m].
TARN_API TarnResult tarn_wave_particles_add_front(TarnWaveParticles* waves, TarnVec2 a, TarnVec2 b,
                                                  int radius, float height);
// ---- Walls ---------------------------------------------------------------------------------------

// A straight wall that reflects from both sides.
typedef struct TarnWavePartitionDef {
    uint32_t cookie; // set by tarn_wave_partition_default_def; leave it alone
    TarnVec2 a, b;   // x, z of its ends [m]
} TarnWavePartitionDef;
typedef struct TarnWavePartitionId {
    uint64_t value;
} TarnWavePartitionId; // 0: the null id
TARN_API const TarnParamTable* tarn_wave_partition_def_table(void);
TARN_DEFAULT_DEF(TarnWavePartitionDef, tarn_wave_partition);
// Adds a wall. TARN_ERR_ARG: its ends coincide or are out of range. TARN_ERR_CAPACITY: raise max_walls.
TARN_API TarnResult tarn_wave_particles_add_partition(TarnWaveParticles* waves,
                                                      const TarnWavePartitionDef* def,
                                                      TarnWavePartitionId* out);
TARN_API TarnResult tarn_wave_particles_set_partition(TarnWaveParticles* waves,
                                                      TarnWavePartitionId id,
                                                      const TarnWavePartitionDef* def);
TARN_API TarnResult tarn_wave_particles_remove_partition(TarnWaveParticles* waves,
                                                         TarnWavePartitionId id);
// Adds the n sides of a closed polygon as walls: all of them or none.
TARN_API TarnResult tarn_wave_particles_add_polygon(TarnWaveParticles* waves,
                                                    const TarnVec2* corners, int n);

// Moves the grid by whole cells; particles stay where they are. All edges must be open.
TARN_API TarnResult tarn_wave_particles_shift(TarnWaveParticles* waves, int di, int dk);

// ---- Reading ------------------------------------------------------------------------------------

// Views are valid until the next step, edit or destroy. Any thread may read, but not during a step. Fields belong to
// the undisturbed place (X, Z) of the water; it is drawn at (X, Z) + displacement.
TARN_API TarnView2 tarn_wave_particles_height(const TarnWaveParticles* waves); // over the level [m]
TARN_API TarnView2 tarn_wave_particles_shift_x(const TarnWaveParticles* waves); // displacement [m]
TARN_API TarnView2 tarn_wave_particles_shift_z(const TarnWaveParticles* waves);
TARN_API TarnView2 tarn_wave_particles_slope_x(const TarnWaveParticles* waves); // d height / dX
TARN_API TarnView2 tarn_wave_particles_slope_z(const TarnWaveParticles* waves);
TARN_API TarnVec2 tarn_wave_particles_origin(const TarnWaveParticles* waves); // moves with the grid
TARN_API TarnSurface tarn_wave_particles_surface(const TarnWaveParticles* waves);
TARN_API const TarnWaveParticlesDef* tarn_wave_particles_def(const TarnWaveParticles* waves);
TARN_API int tarn_wave_particles_count(const TarnWaveParticles* waves);
// Reads the n-th particle as it is now. TARN_ERR_ARG: there are fewer.
TARN_API TarnResult tarn_wave_particles_get(const TarnWaveParticles* waves, int n,
                                            TarnWaveParticle* out);
TARN_API float tarn_wave_particles_speed(const TarnWaveParticles* waves, int radius); // [m/s]
TARN_API double tarn_wave_particles_volume(const TarnWaveParticles* waves); // of all bumps [m^3]
TARN_API double tarn_wave_particles_time(const TarnWaveParticles* waves);   // simulated so far [s]

// ---- State --------------------------------------------------------------------------------------

TARN_API uint64_t tarn_wave_particles_hash(const TarnWaveParticles* waves);
TARN_API TarnResult tarn_wave_particles_save(const TarnWaveParticles* waves, void* buffer,
                                             size_t capacity, size_t* size);
// Loads a state into a solver created with the same def. On failure nothing has changed.
TARN_API TarnResult tarn_wave_particles_load(TarnWaveParticles* waves, const void* buffer,
                                             size_t size);

// ---- In a world ---------------------------------------------------------------------------------

TARN_MEMBER(TarnWaveParticles, wave_particles)

#ifdef __cplusplus
}
#endif
