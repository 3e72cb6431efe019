// Inside src/world only: the state of a world and the parts of its step. Nothing here names a solver.
#pragma once

#include "tarn/world.h"
#include "base/base.h"
#include "base/handles.h"
#include "base/snapshot.h"
#include "bodies/bodies.h"

enum { WORLD_NAME = 32, WORLD_MAX_SPOUTS = 32, WORLD_MAX_CHANNELS = 32, WORLD_MAX_FOILS = 64 };

// A solver in the world.
typedef struct Member {
    const TarnSolverClass* class; // NULL: the slot is free
    void* solver;
    char name[WORLD_NAME];
    uint64_t def_hash; // of its def's table: a snapshot knows it by class, number and this
    bool is_cosmetic, is_carrier;
    bool has_push; // its flow pushes as the host said, else as its class does
    TarnFlowPush push;
    TarnWindowDef window; // kind fixed: it follows nothing
    int on;               // number of the water that it lies on; 0: none
    TarnSurfaceSum sum;   // of its surface and those that lie on it
    TarnSurface below;    // in a step: of the water that it lies on
    struct Member* base;  // that it is of
    double got, given;    // from and to other members [m^3]
    double pending;       // taken from others for this one, and not poured in yet [m^3]
} Member;

// One that was taken out, or that a load left behind. Kept so that a snapshot can bring it back.
typedef struct Retired {
    Member member; // class NULL: none
    int slot;      // that it had
} Retired;

// An emitter is a function of time, so this is all of its state.
typedef struct Emitter {
    TarnEmitterDef def;
    double begin; // its start, or the moment at which it was added if that was later [s]
} Emitter;

typedef struct Driver {
    TarnDriverDef def; // kind none: there is no driver
    double angle;      // on the circle, from +x, counter-clockwise seen from above [rad]; of a sail
                       // 0 on its way to the one point, 1 on its way back
    TarnMotion rest;   // where spin and shake began
    TarnBodyId body;   // that it was given to; another one in its slot is not driven
} Driver;

typedef struct SolidDriver {
    TarnSolidId solid; // 0: unused; stale: the solid is gone
    TarnDriverDef def;
    TarnMotion rest;
} SolidDriver;

// A part of a member that a body carries, with its def in the body's axes.
typedef struct Carried {
    int member, list; // slot; number of the list in its class
    uint64_t id;      // of the part
    TarnBodyId body;  // 0: free
    int channel;      // TarnThrottle
    _Alignas(16) unsigned char def[TARN_LIST_MAX_DEF];
} Carried;

// A source that takes from a water what it gives.
typedef struct Spout {
    int liquid, water; // slots of members; liquid -1: free
    uint64_t source;
    TarnVec2 place;
    float radius;
    double given;   // by the source when it was last looked at [m^3]
    double debt;    // given and not taken out of the water yet [m^3]
    bool is_paused; // until the water has paid it
} Spout;

// Water on its way from one member to another.
typedef struct Channel {
    int from, to; // slots of members; from -1: free
    TarnChannelDef def;
} Channel;

// A sail or keel of a body.
typedef struct Foil {
    TarnBodyId body; // 0: free; stale: its body is gone, and the place is free
    int number;      // which one of its body
    TarnFoilDef def;
} Foil;

struct TarnWorld {
    TarnContext* ctx;
    size_t memory;
    TarnWorldDef def;
    TarnBodies* bodies;
    TarnSolids* solids;
    Member* members;  // def.max_solvers slots
    Retired* retired; // as many, the oldest first
    TarnHandles emitter_ids;
    Emitter* emitters;                 // def.max_emitters slots
    Driver* drivers;                   // one per slot of bodies
    SolidDriver* solid_drivers;        // def.max_solids places
    Carried* carried;                  // def.max_attached places
    float (*throttle)[TARN_THROTTLES]; // one per slot of bodies, 0 to 1
    uint64_t* throttled;               // id of the body that it was set for
    Spout spouts[WORLD_MAX_SPOUTS];
    Channel channels[WORLD_MAX_CHANNELS];
    double
        gone; // what solvers that are no longer here gave to others, less what they got: tarn__ledger_leave [m^3]
    Foil foils[WORLD_MAX_FOILS];
    double time;         // [s]
    double emitted;      // emitters have run up to here: ahead of time if a solver dropped some [s]
    bool uses_solids;    // a member collides with them: bodies have solids that stand for them
    TarnFlowBlend flows; // of the carriers: what carries particles
    TarnCurlNoise noise;
    TarnWindDef wind;
    TarnVec3 wind_now; // in this gust [m/s]
    TarnFlowBlend air; // gases, then the wind
    bool has_noise, has_wind, has_carriers, has_budget;
    TarnBudget budget;
    TarnBodyEngineFn* engine; // NULL: tarn_bodies_step
    void* engine_user;
    TarnScriptFn* script; // NULL: none
    void* script_user;
};

// ---- Members -------------------------------------------------------------------------------------

Member* tarn__world_member(const TarnWorld* world, const void* solver); // NULL: not here
TarnResult tarn__world_member_or_fail(const TarnWorld* world, const void* solver, Member** out);
TarnAround tarn__world_around(TarnWorld* world);
// After members, carriers or noise have changed: finds what carries particles, which members need solids, and
// whether bodies are planar.
void tarn__world_refresh(TarnWorld* world);
// After members have changed: adds up what lies on what. Part of a refresh.
void tarn__world_stack(TarnWorld* world);
Member* tarn__world_base(const TarnWorld* world, const Member* member); // that it lies on, or NULL
// The water that a member is part of, with everything on it; query NULL: none.
TarnSurface tarn__world_water(const TarnWorld* world, const Member* member);
void tarn__world_retire(TarnWorld* world, int slot); // takes a member out and keeps it
TarnResult tarn__world_check_name(TarnContext* ctx, const char* name);
bool tarn__world_is_saved(const TarnWorld* world, int slot); // a member is there, and not cosmetic
// Slot of a body of this world; -1: the id is stale, null, or of another set.
int tarn__world_slot_of(const TarnWorld* world, TarnBodyId id);

BodyBasin tarn__world_basin(const TarnBasin* basin); // as bodies see it

// ---- Parts of a substep ----------------------------------------------------------------------------

// Disturbs the solvers with all that falls due before t1 [s].
void tarn__emitters_step(TarnWorld* world, double t1);
// Moves or pushes the driven bodies for dt [s], until t1 [s].
TarnResult tarn__drivers_step(TarnWorld* world, float dt, double t1);
TarnResult tarn__solid_drivers_step(TarnWorld* world, double t1); // after tarn_solids_advance
void tarn__windows_step(TarnWorld* world);                        // height fields, by whole cells
TarnResult tarn__window_follow(TarnWorld* world, Member* member); // a box, before it steps
void tarn__carry_parts(TarnWorld* world, int member);             // what bodies carry of this one
void tarn__spouts_hold(TarnWorld* world); // sources that must wait, before they give
void tarn__spouts_step(TarnWorld* world); // take out of waters what their spouts gave
void tarn__channels_step(TarnWorld* world, float dt);
void tarn__drops_fall(TarnWorld* world);  // drops of liquid that fell into height fields
void tarn__air_refresh(TarnWorld* world); // after members or the wind have changed
void tarn__wind_update(TarnWorld* world); // its velocity at the world's time
TarnResult tarn__flows_push(TarnWorld* world, float dt); // on bodies
TarnResult tarn__foils_push(TarnWorld* world, float dt); // on sails and keels

// A body on the face of a breaking wave (surf.c).
void tarn__surf_ride(const TarnWorld* world, const TarnDriverDef* def, TarnBody* body);

// The surface of the water that a member lies on; what it pours through it is booked with both. base: may be NULL.
TarnSurface tarn__ledger_below(Member* member, Member* base);
// Gives a member what others of the same water threw.
void tarn__throws_step(TarnWorld* world, Member* catcher);

// A member leaves: its spouts and channels go, and the ledger keeps what passed between it and others.
void tarn__ledger_leave(TarnWorld* world, int slot);
bool tarn__spout_is_saved(const TarnWorld* world, const Spout* spout);       // with both its ends
bool tarn__channel_is_saved(const TarnWorld* world, const Channel* channel); // the same
// What cosmetic solvers gave to others, less what they got: a snapshot counts them as gone [m^3].
double tarn__ledger_unsaved(const TarnWorld* world);
void tarn__carried_leave(TarnWorld* world, int slot); // what bodies carry of a member that leaves

// ---- State ---------------------------------------------------------------------------------------

uint64_t tarn__foils_hash(const TarnWorld* world, uint64_t h);
void tarn__foils_write(const TarnWorld* world, TarnWriter* w);
// WORLD_MAX_FOILS of them; body holds the slot, counted from 1. false: damaged.
bool tarn__foils_read(const TarnWorld* world, TarnReader* r, Foil* out);

// Bodies and solids as parts of a snapshot, like the save of a class.
TarnResult tarn__save_bodies(const void* bodies, void* buffer, size_t capacity, size_t* size);
TarnResult tarn__save_solids(const void* solids, void* buffer, size_t capacity, size_t* size);

// ---- Emitters, drivers -----------------------------------------------------------------------------

// Where spin, shake and slide are at a time [s].
TarnMotion tarn__driver_motion(const TarnDriverDef* def, const TarnMotion* rest, double time);
bool tarn__driver_is_animation(int kind);
TarnResult tarn__driver_check(TarnContext* ctx, const TarnDriverDef* def);
// The body that a driver still drives, or NULL.
TarnBody* tarn__driver_body(const TarnWorld* world, int slot);
// The body that a window still follows, or NULL.
const TarnBody* tarn__window_body(const TarnWorld* world, const Member* member);
