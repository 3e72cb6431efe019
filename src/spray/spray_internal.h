// Inside src/spray only: the state of spray, and the parts of its step.
#pragma once

#include "tarn/spray.h"
#include "base/base.h"
#include "base/kernels.h"
#include "base/maths.h"

enum { SPRAY_BLOCK = 1024 };                // drops or particles of foam that one task moves
enum { SPRAY_PIECE = 256 };                 // of them that ask for the water at once
enum { SPRAY_MAX_RAIN = 1024 };             // drops of rain per step
enum { SPRAY_FAR = 1 << 24 };               // cells; no window goes farther
static const float spray_reach = 1e6f;      // coordinates are within this [m]
static const float spray_fastest = 200.0f;  // [m/s]
static const float spray_density = 1000.0f; // of water [kg/m^3]
// Water is counted in whole grains: those of the water below, or of this volume if that has none [m^3]. Sums are exact
// below 2^53 of them.
static const double spray_own_grain = 0x1p-30;
static const double spray_most_grains = 0x1p44; // in one drop, throw or pour

// Drops, or foam. Arrays have room for eight more than the capacity.
typedef struct SprayPool {
    int n, capacity;
    float *x, *y, *z, *vx, *vy, *vz;
    float *age, *life;    // [s]; drops do not land before age 0
    float* radius;        // [m]
    float *grains, *drag; // whole number of grains, [1/s]; drops only
    uint32_t* id;
    uint8_t* kind;
    uint8_t* fate; // of the last step
} SprayPool;
enum { SPRAY_STAYS, SPRAY_HITS, SPRAY_LANDS, SPRAY_ENDS }; // HITS: a body or solid, and stays

// The next one from p on, below n, that does not just stay, or n; and the last one below n, or -1. Most stay: eight are looked at
// at once.
TARN_INLINE bool spray_all_stay(const uint8_t* fate)
{
    uint64_t eight;
    memcpy(&eight, fate, sizeof eight);
    return eight == 0;
}
TARN_INLINE int spray_next_fate(const SprayPool* pool, int p, int n)
{
    while (p + 8 <= n && spray_all_stay(pool->fate + p)) p += 8;
    while (p < n && pool->fate[p] == SPRAY_STAYS) ++p;
    return p;
}
TARN_INLINE int spray_last_fate(const SprayPool* pool, int n)
{
    while (n >= 8 && spray_all_stay(pool->fate + n - 8)) n -= 8;
    while (n > 0 && pool->fate[n - 1] == SPRAY_STAYS) --n;
    return n - 1;
}

// What landed in a cell in this step.
typedef struct SprayLanding {
    double grains;
    float x, z;       // sums of places, times grains
    TarnVec3 impulse; // [N s]
    float energy;     // [J]
} SprayLanding;

// A place that throws water: a piece of a crest, of a shore, of the waterline of a body.
typedef struct SpraySource {
    TarnVec3 at;       // middle [m]
    TarnVec3 along;    // half its length [m]
    TarnVec3 velocity; // of what is thrown [m/s]
    float rate;        // [m^3/s]
    float power;       // [W]
    float most;        // volume that may be taken in one step [m^3]
    float foam;        // area of foam that it makes [m^2/s]
} SpraySource;

// As TarnSprayLedger, in grains.
typedef struct SpraySums {
    double thrown, landed, caught, from_sea, to_sea, left;
} SpraySums;

// One cell's answer of the water.
typedef struct SprayCells {
    float *height, *depth; // [m]
    TarnVec3* velocity;    // [m/s]
} SprayCells;

typedef struct SprayMove {
    int n;
    float dt, gravity;
    TarnVec3 wind;
    float *x, *y, *z, *vx, *vy, *vz, *age;
    const float* drag;
} SprayMove;
typedef struct SprayKernels {
    void (*fly)(const SprayMove* move); // all of them for dt; writes up to a multiple of eight
    void (*advect)(const struct TarnSpray* spray, int k, float* out); // a row of foam
} SprayKernels;
TARN_KERNELS(SprayKernels, tarn__spray_kernels);

struct TarnSpray {
    TarnContext* ctx;
    size_t memory;
    TarnSprayDef def;
    TarnSprayParams params;
    const SprayKernels* kernels;
    double time;          // [s]
    uint64_t births;      // random numbers are counted by these
    int shift_i, shift_k; // how far the grid went [cells]
    int turn;             // 0 or 1: which half of the foam asks for the water in this step
    bool is_anchored;     // it has a place on a water with an area
    TarnVec2 anchor;      // its corner, from that of the water [m]
    double grain;         // [m^3], of the first water it lay on; 0: it has not been stepped yet
    double rest; // grains without a drop: what cannot be shared out, and what no cell took yet
    double
        loose; // less than a grain, of what came from those who count by others or not at all [m^3]
    double owed; // drops that sources have not thrown yet, less than one
    double foam_owed, rain_owed;
    SpraySums sums;

    SprayPool drops, foam_parts;
    SprayCells cells;
    float *foam, *foam_next; // density; scratch
    float* ceiling;          // y that drops come below before they land in a cell [m]
    float* power;            // [W]
    float* fresh;            // area of foam that appears in a cell in this step [m^2]
    SprayLanding* landing;
    uint8_t* marks;  // cells with a body; only if n_bodies
    int32_t* landed; // cells in which something landed
    int n_landed;
    SpraySource* sources; // of one row of cells each: nx
    int* n_sources;       // per row
    TarnThrow* throws;
    int n_throws;
    TarnVec2 rain[SPRAY_MAX_RAIN];
    int n_rain;

    // During a step:
    const TarnSprayAround* around;
    float dt;
    bool has_area, is_full;
    int n_bodies;                    // slots of bodies that may be used
    TarnVec2 marked_min, marked_max; // around all marks [m]
    TarnVec2 area_min, area_max;
    float highest, lowest, level; // y of the water in any cell, and in the mean [m]
};

TARN_INLINE size_t spray_cells(const TarnSpray* s)
{
    return (size_t)s->def.nx * (size_t)s->def.nz;
}
TARN_INLINE size_t spray_at(const TarnSpray* s, int i, int k)
{
    return (size_t)k * (size_t)s->def.nx + (size_t)i;
}
// The cell at a place, the nearest one outside; NaN gives the first.
TARN_INLINE size_t spray_cell(const TarnSpray* s, float x, float z)
{
    TarnVec2 o = tarn_spray_origin(s);
    int i = (int)tarn_clampf((x - o.x) / s->def.dx, 0.0f, (float)(s->def.nx - 1));
    int k = (int)tarn_clampf((z - o.y) / s->def.dx, 0.0f, (float)(s->def.nz - 1));
    return spray_at(s, i, k);
}
TARN_INLINE bool spray_is_outside(const TarnSpray* s, float x, float z) // of the water, in a step
{
    return s->has_area &&
           !(x >= s->area_min.x && x <= s->area_max.x && z >= s->area_min.y && z <= s->area_max.y);
}
TARN_INLINE float spray_random(TarnSpray* s) // 0 to 1
{
    return tarn__random01((uint64_t)s->def.seed, 20, s->births++);
}
TARN_INLINE float spray_random_sign(TarnSpray* s) // -1 to 1
{
    return 2.0f * spray_random(s) - 1.0f;
}

// n numbers from 0 to 1, one after the other: C leaves the order within an initializer to the compiler.
TARN_INLINE void spray_randoms(TarnSpray* s, int n, float* out)
{
    for (int i = 0; i < n; ++i) out[i] = spray_random(s);
}

bool tarn__spray_is_throw(const TarnThrow* t); // all its values are allowed
void tarn__spray_catch_all(TarnSpray* s, int n, const TarnThrow* throws); // for its class

// ---- Parts of a step ------------------------------------------------------------------------------

void tarn__spray_ask(const TarnSpray* s, int n, const float* x, const float* z,
                     const TarnSurfaceSamples* out);
void tarn__spray_look(TarnSpray* s); // the water in all cells
void tarn__spray_fly(TarnSpray* s);  // drops move, land and end
void tarn__spray_mark(TarnSpray* s); // cells with a body
// Keeps drops out of bodies and solids, given where they were before they moved.
typedef struct SprayBefore {
    float x[SPRAY_BLOCK], y[SPRAY_BLOCK], z[SPRAY_BLOCK];
} SprayBefore;
void tarn__spray_collide(TarnSpray* s, int first, int n, const SprayBefore* before);
void tarn__spray_land(TarnSpray* s);   // what landed goes into the water
void tarn__spray_crests(TarnSpray* s); // breaking waves and shores throw
void tarn__spray_bodies(TarnSpray* s);
void tarn__spray_catch(TarnSpray* s);                 // what others threw
void tarn__spray_shower(TarnSpray* s);                // rain
void tarn__spray_crown(TarnSpray* s, TarnVec2 place); // where a drop of it hits
void tarn__spray_froth(TarnSpray* s);                 // foam drifts, fades and appears

void tarn__spray_remove(SprayPool* pool, int p); // the last one takes its place
// A drop; false: there is no room. It starts somewhere in the step that has just gone by.
typedef struct SprayDrop {
    TarnVec3 at, velocity;
    float grains, radius, life, drag, age;
    int kind;
} SprayDrop;
bool tarn__spray_add(TarnSpray* s, const SprayDrop* drop);
// Splash drops of so many grains, which have been added to rest, with fine drops around them.
void tarn__spray_splash(TarnSpray* s, const SpraySource* source, double grains, int n);
// A volume that came, or went if it is negative, in grains. What is no whole number of them stays loose. Poured: from or
// into the water below, which may count in the same.
double tarn__spray_whole(TarnSpray* s, double volume);
double tarn__spray_poured(TarnSpray* s, double volume);
void tarn__spray_source(TarnSpray* s, const SpraySource* source); // throws for dt
void tarn__spray_fine(TarnSpray* s, TarnVec3 at, TarnVec3 velocity, float size, float amount);
void tarn__spray_foam_at(TarnSpray* s, float x, float z, float area); // [m^2]
// Volume of a drop of this radius, and back.
TARN_INLINE float spray_volume(float radius)
{
    return 4.18879f * radius * radius * radius;
}
