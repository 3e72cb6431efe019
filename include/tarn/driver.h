// tarn/driver.h: what moves bodies, solids and windows of a world by itself.
#pragma once

#include "tarn/base.h"
#include "tarn/body.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum TarnDriverKind {
    TARN_DRIVER_NONE,
    TARN_DRIVER_CIRCLE, // carries a driven body around a circle at constant speed and height, nose first (+x)
    TARN_DRIVER_THRUST, // pushes a free body along its own +x to a speed and steers it round the circle
    // Driven bodies and solids, as functions of time around where they were when they got the driver:
    TARN_DRIVER_SPIN,  // turns about an axis
    TARN_DRIVER_SHAKE, // swings to and fro
    TARN_DRIVER_SLIDE, // goes back and forth between two points
    // Steers a free body with sails and a keel (tarn_world_set_foil) to a point and back to another; ballast keeps it upright:
    TARN_DRIVER_SAIL,
} TarnDriverKind;

typedef struct TarnDriverDef {
    uint32_t cookie;    // set by tarn_driver_default_def, leave alone
    int kind;           // TarnDriverKind
    TarnVec2 center;    // x, z [m]
    float radius;       // [m]; of a sail: how near to a point it turns back
    float speed;        // [m/s], negative: clockwise seen from above; of a slide
    TarnVec3 axis;      // of a spin, world axes, any length but 0
    float turn;         // of a spin [rad/s]
    TarnVec3 amplitude; // of a shake [m]
    float period;       // of a shake [s]
    float phase;        // of a shake or slide, in periods, 0 to 1
    TarnVec3 from, to;  // of a slide, and of a sail [m]
    float start, stop;  // of animations: world time; before and after it stands [s]
    float ramp;         // how long spin and shake take to swell [s]
} TarnDriverDef;

typedef enum TarnWindowKind {
    TARN_WINDOW_FIXED,
    TARN_WINDOW_BODY, // follows a body
    TARN_WINDOW_PATH, // follows a point that goes from a to b at a speed, and stays there
} TarnWindowKind;

// A grid that moves over a larger world, by whole cells where its solver can.
typedef struct TarnWindowDef {
    uint32_t cookie; // set by tarn_window_default_def, leave alone
    int kind;        // TarnWindowKind
    TarnBodyId body; // that it follows; when it is removed, the window stands
    TarnVec2 a, b;   // of a path, x, z [m]
    float speed;     // along the path [m/s]
    float slack;     // of a height field: how far the target goes from the middle before the window
                     // follows, as a share of the window
    TarnVec3 offset; // of a box: its center, from the body's or the path's point [m]
} TarnWindowDef;

TARN_API const TarnParamTable* tarn_driver_def_table(void);
TARN_API const TarnParamTable* tarn_window_def_table(void);
TARN_DEFAULT_DEF(TarnDriverDef, tarn_driver);
TARN_DEFAULT_DEF(TarnWindowDef, tarn_window);

#ifdef __cplusplus
}
#endif
