// tarn/throw.h: what solvers of breaking water tell others: water in the air, on its way from the solver that threw it
// to the one that catches it, and the places where a wave curls over.
#pragma once

#include "tarn/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// Water that a solver threw into the air in its last step: over the edge of a waterfall, off the lip of a breaking wave, up
// where a sheet of it fell. A solver that catches it (spray) and belongs to the same water turns it into drops and foam.
typedef enum TarnThrowKind {
    TARN_THROW_FALL,  // a flow over an edge: drops start together, and look like a sheet
    TARN_THROW_LIP,   // spray torn off a crest or the edge of a sheet
    TARN_THROW_IMPACT // water that hit water or a body
} TarnThrowKind;

typedef struct TarnThrow {
    TarnVec3 position; // center of the box that it fills [m]
    TarnVec3 half;     // half the size of that box along x, y and z [m]
    TarnVec3 velocity; // [m/s]
    // What the solver no longer holds and the catcher gets [m^3]. 0: the solver kept it; the catcher takes
    // from the water below as much as the power lifts.
    double volume;
    float power; // lost as white water while it was thrown [W]
    int kind;    // TarnThrowKind
} TarnThrow;

// A place on the face of a breaking wave where a board can ride, a little inside of the end of its sheet.
typedef struct TarnCurl {
    TarnVec3 position;  // on the face [m]
    TarnVec3 velocity;  // of that place: along with the front and along the crest [m/s]
    TarnVec2 direction; // x and z of the direction in which the front runs, unit length
    float height;       // of the crest above the water in front [m]
    float slope;        // of the front [m/m]
    float distance;     // in the plane, from where it was asked for [m]
} TarnCurl;

#ifdef __cplusplus
}
#endif
