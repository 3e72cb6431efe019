// Inside liquid*.c only: the state of the driver other than particles, and what its files share.
#pragma once

#include "liquid/liquid_internal.h"
#include "base/handles.h"
#include "base/shape.h"
#include "tarn/liquid_regions.h"

enum {
    LIQUID_MAX_REGIONS = 32, // bits of TarnLiquid.inside
    LIQUID_MAX_ARRAYS = 32,
    LIQUID_LOOK_SCRATCH = 4, // scratch arrays that the driver uses itself
    LIQUID_NEAR = 4096,      // solids near one block: all that a set can hold
    LIQUID_GROUP = 16,       // particles of a block that look for solids together
    // Bits of TarnLiquid.flags within a substep.
    LIQUID_SWEPT = 32,  // the sweep met a solid: its SweepHit is there
    LIQUID_BEGINS = 64, // to touch
    LIQUID_GONE = 128,  // to be removed; why: driver_reason
    LIQUID_INNER_FLAGS = LIQUID_SWEPT | LIQUID_BEGINS | LIQUID_GONE,
    LIQUID_LOOK_FLAGS = TARN_LIQUID_EDGE | TARN_LIQUID_UP | TARN_LIQUID_BUBBLE,
};
// A particle touches from the first distance on until it is farther than the second [spacings].
static const float liquid_touch_begin = 0.6f, liquid_touch_end = 0.9f;
static const float liquid_wall_restitution = 0.2f; // of lone drops at the walls of the box

typedef struct LiquidSource {
    TarnLiquidSourceDef def;
    double way;       // of the jet until the next layer leaves the nozzle [m]
    double carry;     // particles of a layer that are due, the fraction [0, 1)
    uint64_t layers;  // so far
    uint64_t emitted; // particles so far, with those refused
    uint64_t given;   // particles so far, without them
    bool is_paused;   // set in each step by the owner of a spout; not part of the state
} LiquidSource;

typedef struct LiquidRegion {
    TarnRegionDef def;
    PlacedShape place; // what it covers
    int count;         // particles inside
} LiquidRegion;

typedef struct LiquidDriver {
    int n_sorted;    // number of leading particles in the order of neighbors.cell_begin; -1: none
    bool is_indexed; // neighbors.cell_of lists the particles by id
    bool is_warm;    // some particle is or was not at the ambient temperature
    uint64_t steps;  // tarn_liquid_step calls, for random numbers
    TarnLiquidLedger ledger; // alive is TarnLiquid.n
    // What particles beyond have left [m]: the box, or of an unbounded liquid all places but the last meter,
    // where they are clamped.
    TarnVec3 domain_min, domain_max;

    TarnHandles source_ids, region_ids;
    LiquidSource* sources;
    LiquidRegion* regions;
    TarnLiquidEvent* events;
    int n_events, n_events_lost;
    uint32_t wanted;

    // Look; NULL without use_look. In 2-D along is kept along the edge, in 3-D along the normal.
    float *size, *along_x, *along_y, *along_z, *stretch;
    TarnParticles* splashes;

    int* block_lost;        // contacts
    uint8_t* block_clamped; // a speed or place was limited
} LiquidDriver;

// One substep.
typedef struct Substep {
    TarnLiquid* l;
    float dt;
    float t0, t1; // the part of this frame's way that the solids go
    double begin; // [s] into the step
} Substep;

// What the sweep did to a particle. It lies in the particle's neighbor list, which nobody needs then.
typedef struct SweepHit {
    int solid;
    float impulse[3]; // on the particle [N s]
    float arm[3];     // from the solid's position [m]
} SweepHit;
// The memory of a list has room for it, LIQUID_PACKED_2D ints, wherever the list itself is.
TARN_INLINE SweepHit* liquid_hit(TarnLiquid* l, int p)
{
    return (SweepHit*)(void*)(l->neighbors.list + (size_t)p * (size_t)l->neighbors.room);
}

// Why a particle with LIQUID_GONE goes, and by which solid; kept in neighbors.cell_of, free by then.
enum { GONE_LEFT, GONE_SOLID, GONE_REGION, GONE_BOILED };
TARN_INLINE void liquid_mark_gone(TarnLiquid* l, int p, int reason, int which)
{
    l->flags[p] |= LIQUID_GONE;
    l->neighbors.cell_of[p] = reason | which << 2;
}

TARN_INLINE int liquid_blocks(int n)
{
    return (n + LIQUID_BLOCK - 1) / LIQUID_BLOCK;
}
TARN_INLINE int liquid_block_end(const TarnLiquid* l, int block)
{
    int end = (block + 1) * LIQUID_BLOCK;
    return end < l->n ? end : l->n;
}
TARN_INLINE TarnVec3 liquid_position(const TarnLiquid* l, int p)
{
    return (TarnVec3){ l->x[p], l->y[p], l->z[p] };
}
TARN_INLINE TarnVec3 liquid_velocity(const TarnLiquid* l, int p)
{
    return (TarnVec3){ l->vx[p], l->vy[p], l->vz[p] };
}

// liquid.c
TarnResult tarn__liquid_check_def(TarnContext* ctx, const TarnLiquidDef* def);
void tarn__liquid_ghosts(TarnLiquid* l);     // writes what lies behind the n particles
void tarn__liquid_set_masses(TarnLiquid* l); // after kinds changed
// Everything that is sorted and saved with a particle; returns how many arrays.
int tarn__liquid_arrays(const TarnLiquid* l, NeighborArray out[LIQUID_MAX_ARRAYS]);
void tarn__liquid_sort(TarnLiquid* l);

// liquid_fill.c
// A new particle behind the others; the pool has room. Speeds beyond max_speed are limited.
typedef struct LiquidNew {
    TarnVec3 position, velocity;
    int kind, group;
    float temperature;
} LiquidNew;
void tarn__liquid_append(TarnLiquid* l, const LiquidNew* new);
void tarn__liquid_remove_at(TarnLiquid* l, int p); // the last takes its place

// liquid_sources.c
bool tarn__liquid_emit(const Substep* s); // false: not all fit
TarnResult tarn__liquid_check_source(const TarnLiquid* l, const TarnLiquidSourceDef* def);

// liquid_regions.c
bool tarn__liquid_has_regions(const TarnLiquid* l);
// Is it a volume that a liquid can be filled into or acted on in? owner: "fill", "region".
TarnResult tarn__liquid_check_shape(const TarnLiquid* l, const char* owner, const TarnShape* shape,
                                    const TarnPose* pose);
// Where a shape is in the liquid: in 2-D the section through its position counts, whatever its z.
PlacedShape tarn__liquid_place(const TarnLiquid* l, const TarnShape* shape, const TarnPose* pose);
// A region that was checked; its count stays.
void tarn__liquid_put_region(const TarnLiquid* l, LiquidRegion* region, const TarnRegionDef* def);
TarnResult tarn__liquid_check_region(const TarnLiquid* l, const TarnRegionDef* def);
TarnRegionId tarn__liquid_region_id(const TarnLiquid* l, int slot);
void tarn__liquid_prepare(const Substep* s); // regions act, warmth is shared, frozen ones stand
void tarn__liquid_find_regions(const Substep* s); // particles in each region, into neighbors.order

// liquid_settle.c
void tarn__liquid_event(TarnLiquid* l, const TarnLiquidEvent* event);
void tarn__liquid_settle(const Substep* s);

// liquid_contacts.c
void tarn__liquid_find_contacts(const Substep* s);
bool tarn__liquid_has_wall(const TarnLiquid* l, int axis, int side); // of the box
void tarn__liquid_move(const Substep* s);

// liquid_look.c
void tarn__liquid_look(TarnLiquid* l, float dt);
void tarn__liquid_splash(TarnLiquid* l, float dt); // emits and moves the splashes
