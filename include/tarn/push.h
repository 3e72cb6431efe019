// tarn/push.h: forces of flows on bodies. Wind, jets, blasts and liquids push bodies; sails, keels and wings
// lift them.
#pragma once

#include "tarn/body.h"
#include "tarn/flow.h"

#ifdef __cplusplus
extern "C" {
#endif

// How a flow pushes bodies. Start from tarn_flow_push_default(). With the defaults a cube and a plate across
// the flow have a drag coefficient of 1.0 and a sphere of 0.5, not counting skin friction.
//
// gain gives a blast its strength. Gases are incompressible, so a blast lacks the fast wind behind the shock
// front of a real one. If that wind is k times as fast, a gain of k^2 gives its pressure. The gain applies to
// fluid that blows at a body, not to a body that moves through the fluid: crates are thrown, and then fly and
// fall in plain air.
typedef struct TarnFlowPush {
    uint32_t cookie; // set by tarn_flow_push_default; leave it alone
    // Lowest density of the fluid, used where the flow reports less [kg/m^3]. Default 1.2 (air)
    float density;
    float gain;       // factor on the push of fluid that blows at a body. Default 1
    float pressure;   // pressure coefficient of faces toward the flow. Default 0.7
    float suction;    // suction coefficient of faces away from the flow. Default 0.3
    float skin;       // coefficient of friction along the surface. Default 0.01
    float added_mass; // fluid that moves with the body, per displaced mass. Default 0.5
    float offset; // distance from the surface at which the flow is sampled, in radii. Default 0.5
} TarnFlowPush;
TARN_API const TarnParamTable* tarn_flow_push_table(void);
TARN_DEFAULT(TarnFlowPush, tarn_flow_push_default, tarn_flow_push_init);
// Lets a flow (wind, a jet, a blast, a liquid) push the free bodies for the coming dt [s], 0 to 10: pressure
// and suction on their faces, skin friction, torque and added mass, scaled by the presence of the flow. It
// adds to the forces of the next step (tarn_bodies_get_added_force). Call it once for each flow, before
// couplings with water, which count what else pulls at a body. It is stable for any mass and dt: even the lightest body never exceeds the speed of the
// flow. The flow does not react, there is no buoyancy, and span shapes are ignored. TARN_ERR_ARG: a value is
// out of range.
TARN_API TarnResult tarn_couple_flow_bodies(TarnFlow flow, const TarnFlowPush* params,
                                            TarnBodies* bodies, float dt);

// ---- Foils -----------------------------------------------------------------------------------------

// A foil is a thin plate on a body that produces lift and drag in a flow: a sail, a keel, a fin or a wing. Its
// span is along the body's +y and its leading edge points along +x, the nose. A sail swings about its mast: its
// trailing edge, the boom, swings to leeward until the sheet holds it. A keel has a sheet of 0.
typedef enum TarnFoilMedium { TARN_FOIL_AIR, TARN_FOIL_WATER } TarnFoilMedium;
typedef struct TarnFoilDef {
    uint32_t cookie;   // set by tarn_foil_default_def; leave it alone
    int medium;        // TarnFoilMedium: which flow of a world it is in
    float area;        // area of one side [m^2]. Default 10
    TarnVec3 position; // its center, in the body's axes, from the center of mass [m]
    float aspect;      // span squared over area. Default 4
    float stall; // angle of attack at which the flow begins to separate [rad]. Default 20 degrees
    float drag;  // drag coefficient at zero angle of attack. Default 0.02
    float sheet; // how far the boom may swing to either side; 0: fixed [rad]. Default 85 degrees
    // Angle of attack that the sail is trimmed to, as far as the sheet allows [rad]; 0: it swings out as far
    // as the sheet allows. Default 18 degrees
    float attack;
    float density; // lowest density, used where the flow reports less [kg/m^3]. Default 1.2 (air)
} TarnFoilDef;
TARN_API const TarnParamTable* tarn_foil_def_table(void);
TARN_DEFAULT_DEF(TarnFoilDef, tarn_foil);

// The current state of a foil.
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
