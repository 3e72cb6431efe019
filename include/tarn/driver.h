// tarn/driver.h: drivers, which move bodies and solids of a world by themselves, and windows, which follow a
// target.
//
// Set them with tarn_world_set_driver, tarn_world_set_solid_driver and tarn_world_set_window.
#pragma once

#include "tarn/base.h"
#include "tarn/body.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum TarnDriverKind {
    TARN_DRIVER_NONE,
    TARN_DRIVER_CIRCLE, // moves a driven body around a circle at constant speed and height, nose (+x) first
    TARN_DRIVER_THRUST, // pushes a free body along its own +x up to a speed and steers it around the circle
    // The next three move driven bodies and solids, as functions of time, relative to the pose they had when
    // the driver was set:
    TARN_DRIVER_SPIN,  // rotates about an axis
    TARN_DRIVER_SHAKE, // oscillates
    TARN_DRIVER_SLIDE, // moves back and forth between two points
    // Steers a free body that has sails and a keel (tarn_world_set_foil) back and forth between two points.
    // Ballast keeps it upright.
    TARN_DRIVER_SAIL,
    // Keeps a free body, a surfboard, on the face of a breaking wave (tarn/breakers.h) where its sheet ends, within
    // `radius` of it. Without such a wave it floats.
    TARN_DRIVER_SURF,
} TarnDriverKind;

typedef struct TarnDriverDef {
    uint32_t cookie; // set by tarn_driver_default_def; leave it alone
    int kind;        // TarnDriverKind
    TarnVec2 center; // circle, thrust: x, z of the circle's center [m]
    float
        radius; // circle, thrust: radius of the circle; sail: how close to a point it turns back; surf: reach [m]
    float speed;        // circle, thrust, slide [m/s]; negative: clockwise seen from above
    TarnVec3 axis;      // spin: axis in world axes; any length but 0
    float turn;         // spin: angular speed [rad/s]
    TarnVec3 amplitude; // shake: largest offset [m]
    float period;       // shake: period [s]
    float phase;        // shake, slide: phase in periods, 0 to 1
    TarnVec3 from, to;  // slide, sail: end points [m]
    float start, stop;  // spin, shake, slide: active between these world times [s]
    float ramp;         // spin, shake: time to reach full strength [s]
} TarnDriverDef;

typedef enum TarnWindowKind {
    TARN_WINDOW_FIXED,
    TARN_WINDOW_BODY, // follows a body
    TARN_WINDOW_PATH, // follows a point that moves from a to b at a constant speed and stays at b
} TarnWindowKind;

// How the grid of a solver moves over a larger world. Height fields move by whole cells.
typedef struct TarnWindowDef {
    uint32_t cookie; // set by tarn_window_default_def; leave it alone
    int kind;        // TarnWindowKind
    TarnBodyId body; // the body it follows; when that is removed, the window stops
    TarnVec2 a, b;   // ends of the path, x, z [m]
    float speed;     // along the path [m/s]
    // Height fields: how far the target may be from the center before the window follows, as a share of the
    // window
    float slack;
    TarnVec3 offset; // boxes: offset of the box's center from the target [m]
} TarnWindowDef;

TARN_API const TarnParamTable* tarn_driver_def_table(void);
TARN_API const TarnParamTable* tarn_window_def_table(void);
TARN_DEFAULT_DEF(TarnDriverDef, tarn_driver);
TARN_DEFAULT_DEF(TarnWindowDef, tarn_window);

#ifdef __cplusplus
}
#endif
