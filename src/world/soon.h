#pragma once
// TEMPORARY
#include "world/world_internal.h"
enum {
    TARN_PHASE_EMITTERS,
    TARN_PHASE_DRIVERS,
    TARN_PHASE_SOLIDS,
    TARN_PHASE_LIQUIDS,
    TARN_PHASE_WATERS,
    TARN_PHASE_GASES,
    TARN_PHASE_EFFECTS,
    TARN_PHASE_PARTICLES,
    TARN_PHASE_COUPLING,
    TARN_PHASE_BODIES
};
#define tarn__clock_ms(c)               0.0
#define tarn__phase_done(c, r, p, t)    ((void)(c), (void)(p), (void)(t))
#define tarn_couple_bodies_solids(b, s) ((void)0)
typedef struct TarnFlowPush {
    float density;
} TarnFlowPush;
#define tarn_flow_push_default()               ((TarnFlowPush){ 0 })
#define tarn_couple_flow_bodies(f, p, b, d)    TARN_OK
#define tarn_floating_destroy(f)               ((void)(f))
#define tarn_floating_create(c, b, o)          (*(o) = NULL, TARN_OK)
#define tarn_floating_hash(f)                  0
#define tarn_floating_save(o, b, c, s)         TARN_OK
#define tarn_floating_load(o, b, c)            TARN_OK
#define tarn_couple_surface_bodies(f, s, b, d) TARN_OK
#define tarn_bodies_begin_forces(b)            ((void)0)
