// tarn/push.h: what a flow does to bodies. Wind, jets, blasts and liquids push them; sails, keels and wings lift them.
#pragma once

#include "tarn/body.h"
#include "tarn/flow.h"

#ifdef __cplusplus
extern "C" {
#endif

// How a flow pushes bodies. Start from tarn_flow_push_default(). With the default a cube and a plate across the
// flow have a drag coefficient of 1.0, a sphere 0.5, besides skin friction.
//
// gain gives a blast its strength. A gas in a game does not compress, so that its blast lacks the wind behind the shock of
// a real one. If that is k times as fast, a gain of k^2 gives its pressure. It counts for fluid that blows at
// a body, not for a body that moves through it: crates are thrown, and then fly and fall in plain air.
typedef struct TarnFlowPush {
    uint32_t cookie;  // set by tarn_flow_push_default, leave alone
    float density;    // of the fluid where the flow tells less [kg/m^3]. Default 1.2, air
    float gain;       // how many times as hard the fluid pushes what it blows at. Default 1
    float pressure;   // coefficient of faces that meet the flow. Default 0.7
    float suction;    // of faces that look away from it. Default 0.3
    float skin;       // of friction along the surface. Default 0.01
    float added_mass; // fluid carried along, as a share of what the body displaces. Default 0.5
    float
        offset; // how far outside of the surface the flow is sampled, in radii of the body. Default 0.5
} TarnFlowPush;
TARN_API const TarnParamTable* tarn_flow_push_table(void);
TARN_DEFAULT(TarnFlowPush, tarn_flow_push_default, tarn_flow_push_init);
// Wind, jets, blasts and liquids push the free bodies for the coming dt [s], 0 to 10: pressure and suction on their
// faces, skin friction, torque, added mass; as strong as the flow is present. Adds to the forces of the
// next step (tarn_bodies_get_added_force), so call it after couplings with water, and once for each
// flow. Stable for any mass and dt: the lightest body ends at the speed of the flow, never beyond. The flow
// does not feel the bodies, and there is no buoyancy. Span shapes are left out.
TARN_API TarnResult tarn_couple_flow_bodies(TarnFlow flow, const TarnFlowPush* params,
                                            TarnBodies* bodies, float dt);

// ---- Foils -----------------------------------------------------------------------------------------

// A foil is a thin plate fixed to a body that lifts and drags in a flow: a sail, a keel, a fin, a wing. Its span is along
// the body's +y and its leading edge looks along +x, the nose. A sail swings about its mast: its trailing
// edge, the boom, falls off to leeward until the sheet holds it. A keel has a sheet of 0.
typedef enum TarnFoilMedium { TARN_FOIL_AIR, TARN_FOIL_WATER } TarnFoilMedium;
typedef struct TarnFoilDef {
    uint32_t cookie;   // set by tarn_foil_default_def, leave alone
    int medium;        // TarnFoilMedium: which flow of a world it is in
    float area;        // of one side [m^2]. Default 10
    TarnVec3 position; // of its center, in the body's axes from its center of mass [m]
    float aspect;      // span squared over area. Default 4
    float stall;   // angle of attack at which the flow begins to separate [rad]. Default 20 degrees
    float drag;    // coefficient along the flow at no angle of attack. Default 0.02
    float sheet;   // furthest the boom swings to either side, 0: fixed [rad]. Default 85 degrees
    float attack;  // angle of attack that the crew trims it to, within the sheet; 0: it flies
                   // out as far as the sheet lets it [rad]. Default 18 degrees
    float density; // of the fluid where the flow tells less [kg/m^3]. Default 1.2, air
} TarnFoilDef;
TARN_API const TarnParamTable* tarn_foil_def_table(void);
TARN_DEFAULT_DEF(TarnFoilDef, tarn_foil);

// Where a foil is and what it does now.
typedef struct TarnFoilState {
    TarnVec3 position; // of its center, world axes [m]
    TarnQuat rotation; // x towards the leading edge, y along the span, z across the plate
    float chord, span; // [m]
    float boom;        // angle of the trailing edge off the stern, towards the body's +z [rad]
    float attack;      // angle of attack, -pi to pi, the same way round [rad]
    float speed;       // of the flow past it, across the span [m/s]
    TarnVec3 force;    // of the fluid [N]
} TarnFoilState;

// Coefficients of lift and drag at an angle of attack [rad], for the area of one side. Either may be NULL.
TARN_API TarnResult tarn_foil_coefficients(const TarnFoilDef* foil, float attack, float* lift,
                                           float* drag);
// The flow acts on a foil of a free body for the coming dt [s], 0 to 10, as strong as it is present: adds to the forces
// of the next step, like tarn_couple_flow_bodies and as stable. state may be NULL; its force is the one
// that was added. TARN_ERR_ARG: a value out of range, or a stale body; nothing has changed.
TARN_API TarnResult tarn_couple_flow_foil(TarnFlow flow, const TarnFoilDef* foil,
                                          TarnBodies* bodies, TarnBodyId body, float dt,
                                          TarnFoilState* state);
// The same without any effect, for drawing a sail and for instruments. Its force is that on the body as it moves now.
TARN_API TarnResult tarn_foil_state(TarnFlow flow, const TarnFoilDef* foil, TarnBodies* bodies,
                                    TarnBodyId body, TarnFoilState* out);

#ifdef __cplusplus
}
#endif
