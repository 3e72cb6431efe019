// The parameter tables of everything that only scenes have, and the list of all tables a scene uses.

#include "scene/scene_internal.h"
#include "base/shape.h"
#include "tarn/gas_presets.h"
#include "tarn/particles.h"
#include <pthread.h>

// ---- run, view -------------------------------------------------------------------------------------

static const TarnParam run_params[] = {
    P_FLOAT(TarnSceneRun, seconds, "s", 0, 86400, 10, "How long the scene runs by default."),
    P_FLOAT(TarnSceneRun, dt, "s", 0.0001, 1, 1.0 / 60, "Length of one world step."),
    P_FLOAT(TarnSceneRun, lapse, "", 0.001, 100000, 1,
            "Simulated seconds per second of video; above 1 is time lapse."),
};
static const TarnParamTable run_table = PARAM_TABLE("run", TarnSceneRun, run_params);

static const char* const mode_names[] = { "water", "bars", NULL };

static const char* const liquid_names[] = { "screen_space", "mesh", "screen_mesh", "particles",
                                            NULL };

static const char* const sky_names[] = { "auto",     "day",    "dusk", "night",
                                         "overcast", "studio", "none", NULL };

static const TarnParam view_params[] = {
    P_ENUM(TarnSceneView, mode, mode_names, 2, 0,
           "Draws water with reflection and refraction, or the columns of the grid as bars."),
    P_FLOAT(TarnSceneView, yaw, "deg", -360, 360, 35, "Direction of the camera around the water."),
    P_FLOAT(TarnSceneView, pitch, "deg", 1, 89, 28, "Angle of the camera above the horizon."),
    P_FLOAT(TarnSceneView, distance, "", 0.05, 20, 1,
            "Distance of the camera; 1 frames the whole basin, smaller is closer."),
    P_VEC2(TarnSceneView, target, "m", -1e5, 1e5, 0, 0,
           "Point the camera looks at, x and z relative to the center of the water."),
    P_VEC3(TarnSceneView, eye, "m", -1e5, 1e5, 0, 0, 0,
           "Position of an explicit camera, which may be under water; if equal to look_at, yaw, "
           "pitch, distance and target are used instead."),
    P_VEC3(TarnSceneView, look_at, "m", -1e5, 1e5, 0, 0, 0,
           "Point that the camera at eye looks at."),
    P_FLOAT(TarnSceneView, fov, "deg", 0, 120, 0,
            "Vertical field of view of the camera at eye; 0 uses 25.8."),
    P_VEC3(TarnSceneView, sun, "", -1, 1, 0, 0, 0,
           "Direction toward the sun, any length; 0, 0, 0 chooses one."),
    P_VEC3(TarnSceneView, water_color, "", 0, 1, 0, 0, 0,
           "Color of deep water, linear red, green, blue; 0, 0, 0 chooses one."),
    P_FLOAT(TarnSceneView, clarity, "m", 0, 1000, 0,
            "Depth at which two thirds of the floor's light is lost; 0 chooses one."),
    P_FLOAT(TarnSceneView, wall_height, "m", 0, 1000, 0.25,
            "Height of walls and rims above the rest level."),
    P_BOOL(TarnSceneView, beach, 0, "Over terrain: land up to a little above the level is sand."),
    P_FLOAT(TarnSceneView, sand, "m", 0, 1000, 0,
            "How far sand reaches above the level with beach, best as high as waves run up; 0 "
            "chooses one."),
    P_VEC3(TarnSceneView, box_min, "m", -1e5, 1e5, 0, 0, 0,
           "For gases and particles: lower corner of what the camera frames; if both corners are "
           "0, 0, 0 it frames their box."),
    P_VEC3(TarnSceneView, box_max, "m", -1e5, 1e5, 0, 0, 0,
           "For gases and particles: upper corner of what the camera frames."),
    P_BOOL(TarnSceneView, follow, 0, "The camera moves with the first gas."),
    P_ENUM(TarnSceneView, liquid, liquid_names, 4, 0,
           "How 3-D liquids are drawn: smoothed from their particles, as a mesh of their surface, "
           "as a screen-space mesh, or as balls."),
    P_ENUM(TarnSceneView, sky, sky_names, 7, 0,
           "What surrounds the scene; auto is a blue sky over height fields and a studio around "
           "all else."),
    P_FLOAT(TarnSceneView, exposure, "", 0.01, 100, 1,
            "Factor on all light; larger values make a brighter picture."),
    P_FLOAT(TarnSceneView, fog, "1/m", 0, 10, 0,
            "Share of the light that is lost per meter; larger values hide what is far away."),
    P_VEC3(TarnSceneView, background, "", 0, 1, 0, 0, 0,
           "Color behind everything with the sky 'none', linear red, green, blue."),
    P_BOOL(TarnSceneView, transparent, 0,
           "Pictures get an alpha channel, in which the sky 'none' is clear."),
    P_BOOL(TarnSceneView, floor, 1, "Draws the floor of the studio."),
    P_BOOL(TarnSceneView, tank, 1, "Draws the edges of tanks."),
};
static const TarnParamTable view_table = PARAM_TABLE("view", TarnSceneView, view_params);

// ---- looks of waters, gases and particles ------------------------------------------------------------------

static const TarnParam water_look_params[] = {
    P_VEC3(TarnSceneWaterLook, color, "", 0, 1, 0, 0, 0,
           "Color of deep water, linear red, green, blue; 0, 0, 0 uses that of the view."),
    P_FLOAT(TarnSceneWaterLook, clarity, "m", 0, 1000, 0,
            "Depth at which two thirds of the floor's light is lost; 0 uses that of the view."),
    P_FLOAT(TarnSceneWaterLook, wall_height, "m", -1, 1000, -1,
            "Height of walls and rims above the rest level; below 0 uses that of the view."),
    P_BOOL(
        TarnSceneWaterLook, vessel, 0,
        "Waves: the basin stands free, as a bowl on a table; otherwise it is let into the ground."),
};
static const TarnParamTable water_look_table =
    PARAM_TABLE("water_look", TarnSceneWaterLook, water_look_params);

static const TarnParam gas_look_params[] = {
    P_VEC3(TarnSceneGasLook, color, "", 0, 1, 0.7, 0.7, 0.72,
           "Color of the smoke, linear red, green, blue."),
    P_FLOAT(TarnSceneGasLook, opacity, "1/m", 0, 1e4, 8,
            "Extinction of light at density 1; larger values make denser smoke."),
    P_FLOAT(TarnSceneGasLook, glow, "", 0, 1e3, 1, "Brightness of hot gas; 0 does not glow."),
};
static const TarnParamTable gas_look_table =
    PARAM_TABLE("gas_look", TarnSceneGasLook, gas_look_params);

// In the order of TarnParticleTexture.
static const char* const texture_names[] = { "auto",  "puff",   "smoke", "wisp",   "curl", "steam",
                                             "flame", "tongue", "spark", "streak", "drop", "splash",
                                             "foam",  "dust",   "star",  "snow",   NULL };
static const TarnParam look_params[] = {
    P_VEC3(TarnSceneLook, birth, "", 0, 100, 1, 1, 1,
           "Color at birth, linear; values above 1 glow."),
    P_VEC3(TarnSceneLook, middle, "", 0, 100, 1, 1, 1, "Color halfway through life."),
    P_VEC3(TarnSceneLook, end, "", 0, 100, 1, 1, 1, "Color at the end of life."),
    P_VEC3(TarnSceneLook, opacity, "", 0, 1, 0.6, 0.4, 0,
           "Opacity at birth, halfway and at the end of life."),
    P_VEC3(TarnSceneLook, size, "", 0, 100, 1, 1.5, 2,
           "Size at birth, halfway and at the end of life, as multiples of the radius."),
    P_FLOAT(TarnSceneLook, stretch, "s", 0, 10, 0,
            "Length of the motion streak; 0 draws round particles."),
    P_BOOL(TarnSceneLook, additive, 0,
           "Adds light (fire, heat); otherwise it covers (smoke, dust)."),
    P_FLOAT(TarnSceneLook, softness, "m", 0, 100, 0.1,
            "Distance over which particles fade near geometry."),
    P_ENUM(TarnSceneLook, texture, texture_names, TARN_TEXTURES, 0,
           "Picture at birth; auto is a soft puff, or a streak if it is stretched."),
    P_ENUM(TarnSceneLook, texture_middle, texture_names, TARN_TEXTURES, 0,
           "Picture halfway through life, which it fades into; auto is the one at birth."),
    P_ENUM(TarnSceneLook, texture_end, texture_names, TARN_TEXTURES, 0,
           "Picture at the end of life; auto is the one before."),
    P_VEC3(TarnSceneLook, temperature, "K", 0, 5000, 0, 0, 0,
           "At birth, halfway and at the end of life: the colors are multiplied by that of a black "
           "body, which has luminance 1 at 1500 K; 0, 0, 0 leaves them."),
    P_FLOAT(TarnSceneLook, hides, "", 0, 1, 0,
            "Additive: share of what is behind that is hidden; flames in daylight need some."),
    P_ANGLE(TarnSceneLook, turn, "deg/s", 0, 3600, 0,
            "Fastest rotation of round particles, random to both sides."),
};
static const TarnParamTable look_table = PARAM_TABLE("look", TarnSceneLook, look_params);

// "none", then the presets of tarn/gas_presets.h in their order.
static const char* const gas_preset_names[] = { "none",        "smoke",   "fire", "explosion",
                                                "jet_exhaust", "chimney", "dust", NULL };
static const TarnParam gas_preset_params[] = {
    P_ENUM(SceneGasPreset, preset, gas_preset_names, 1 + TARN_GAS_PRESETS, 0,
           "Preset that provides grid, parameters, source, jet and look; other keys override it."),
    P_FLOAT(SceneGasPreset, preset_size, "m", 0, 100, 0,
            "Width of what emits the gas, 0.05 or more; 0 uses the size the preset was tuned for."),
    P_VEC3(SceneGasPreset, preset_place, "m", -1e5, 1e5, 0, 0, 0,
           "Where the preset stands on the ground; for jet_exhaust, where its nozzle is."),
};
static const TarnParamTable gas_preset_table =
    PARAM_TABLE("gas_preset", SceneGasPreset, gas_preset_params);

const TarnParamTable* tarn_scene_water_look_table(void)
{
    return &water_look_table;
}
const TarnParamTable* tarn_scene_gas_look_table(void)
{
    return &gas_look_table;
}
const TarnParamTable* tarn_scene_look_table(void)
{
    return &look_table;
}
const TarnParamTable* tarn__scene_gas_preset_table(void)
{
    return &gas_preset_table;
}

// ---- walls and bed of waves ----------------------------------------------------------------------------

// The key "shape" of what only scenes have, with the names of all shapes.
#define P_SCENE_SHAPE(T, allowed, first, help)                                                     \
    {                                                                                              \
        "shape", TARN_PARAM_ENUM, offsetof(T, shape), "", 0, TARN_SHAPE_KINDS - 1, { first },      \
            tarn__shape_names, help, 0, allowed                                                    \
    }
enum { WALL_SHAPES = 1 << TARN_SHAPE_BOX | 1 << TARN_SHAPE_DISC };

static const TarnParam wall_params[] = {
    P_SCENE_SHAPE(SceneWall, WALL_SHAPES, TARN_SHAPE_BOX, "An upright box or a round pillar."),
    P_VEC2(SceneWall, min, "m", -1e6, 1e6, 0, 0, "Corner of a box with the smaller x and z."),
    P_VEC2(SceneWall, max, "m", -1e6, 1e6, 1, 1, "Corner of a box with the larger x and z."),
    P_VEC2(SceneWall, center, "m", -1e6, 1e6, 0, 0, "x and z of the center of a disc."),
    P_FLOAT(SceneWall, radius, "m", 0, 1e6, 1, "Radius of a disc."),
};
static const TarnParamTable wall_table = PARAM_TABLE("wall", SceneWall, wall_params);

static const char* const bed_kinds[] = { "mound", "slope", NULL };

static const TarnParam bed_params[] = {
    P_ENUM(SceneBed, kind, bed_kinds, 2, SCENE_BED_MOUND,
           "A round mound, or a slope that stays level beyond its end; all parts add up."),
    P_VEC2(SceneBed, center, "m", -1e6, 1e6, 0, 0, "x and z of the top of a mound."),
    P_FLOAT(SceneBed, radius, "m", 0.001, 1e6, 1,
            "Distance from the center at which a mound meets the floor."),
    P_FLOAT(
        SceneBed, height, "m", -1e4, 1e4, 0.5,
        "Height of a mound above the floor, negative for a pit; above the level it is an island."),
    P_VEC2(SceneBed, from, "m", -1e6, 1e6, 0, 0, "x and z where a slope begins to rise."),
    P_VEC2(SceneBed, to, "m", -1e6, 1e6, 1, 0, "x and z where a slope ends."),
    P_FLOAT(SceneBed, rise, "m", -1e4, 1e4, 0.5, "Height that a slope gains from start to end."),
};
static const TarnParamTable bed_table = PARAM_TABLE("bed", SceneBed, bed_params);

// ---- walls, pools and terrain of flowing water -----------------------------------------------------

static const TarnParam block_params[] = {
    P_SCENE_SHAPE(SceneBlock, WALL_SHAPES, TARN_SHAPE_BOX, "An upright box or a round pillar."),
    P_VEC2(SceneBlock, min, "m", -1e6, 1e6, 0, 0, "Corner of a box with the smaller x and z."),
    P_VEC2(SceneBlock, max, "m", -1e6, 1e6, 1, 1, "Corner of a box with the larger x and z."),
    P_FLOAT(SceneBlock, yaw, "deg", -360, 360, 0,
            "Rotation of a box about its own center, counter-clockwise seen from above."),
    P_VEC2(SceneBlock, center, "m", -1e6, 1e6, 0, 0, "x and z of the center of a disc."),
    P_FLOAT(SceneBlock, radius, "m", 0, 1e6, 1, "Radius of a disc."),
    P_FLOAT(SceneBlock, height, "m", 0, 1e4, 3,
            "Height of the wall above the ground at its center."),
    P_FLOAT(SceneBlock, top, "m", -1e5, 1e5, 0, "Height y of a level top; replaces height."),
    P_FLOAT(SceneBlock, roof, "m", 0, 1000, 0, "Height of a gable drawn on top of a box."),
    P_VEC3(SceneBlock, color, "", 0, 1, 0, 0, 0,
           "Draws the wall as a building of this color, linear red, green, blue; 0, 0, 0 draws it "
           "as ground."),
};
static const TarnParamTable block_table = PARAM_TABLE("wall", SceneBlock, block_params);

static const TarnParam pool_params[] = {
    P_VEC2(ScenePool, a, "m", -1e6, 1e6, -1e6, -1e6, "x and z of one corner of the box to fill."),
    P_VEC2(ScenePool, b, "m", -1e6, 1e6, 1e6, 1e6, "x and z of the opposite corner."),
    P_FLOAT(ScenePool, level, "m", -1e5, 1e5, 0,
            "Height y of the water where x is smallest; higher ground stays dry."),
    P_FLOAT(ScenePool, fall, "m/m", -10, 10, 0,
            "How much the level falls toward +x, as in a river."),
    P_VEC2(ScenePool, velocity, "m/s", -1e4, 1e4, 0, 0,
           "Initial velocity of the water, x and z; if omitted, that of the solver."),
};
static const TarnParamTable pool_table = PARAM_TABLE("pool", ScenePool, pool_params);

// The terrain's own table without its grid; made once.
static TarnParam terrain_params[64];
static TarnParamTable terrain_table;

static void make_terrain_table(void)
{
    static const char* const grid[] = { "nx", "nz", "dx", "origin" };
    const TarnParamTable* whole = tarn_terrain_def_table();
    terrain_table = *whole;
    terrain_table.struct_name = "SceneTerrain";
    terrain_table.params = terrain_params;
    terrain_table.count = 0;
    for (int i = 0; i < whole->count && terrain_table.count < 64; ++i) {
        bool is_grid = false;
        for (int g = 0; g < 4; ++g) is_grid |= strcmp(whole->params[i].name, grid[g]) == 0;
        if (!is_grid) terrain_params[terrain_table.count++] = whole->params[i];
    }
}

// ---- bodies ------------------------------------------------------------------------------------------

// A span is a callback.
enum { BODY_SHAPES = SHAPES_OF_BODIES & ~(1 << TARN_SHAPE_SPAN) };
static const char* const freedom_names[] = { "free", "planar", "hinge", NULL };

static const TarnParam body_params[] = {
    P_SCENE_SHAPE(SceneBody, BODY_SHAPES, TARN_SHAPE_SPHERE,
                  "A sphere, a box, a capsule along its own y, or the convex hull of points."),
    P_VEC3(SceneBody, size, "m", 0.001, 1000, 0.5, 0.5, 0.5,
           "Radius of a sphere; half extents of a box (a number: a cube); radius and half length "
           "of a capsule."),
    P_VEC3(SceneBody, position, "m", -1e5, 1e5, 0, 0, 0, "Initial position of the center of mass."),
    P_FLOAT(SceneBody, yaw, "deg", -360, 360, 0,
            "Rotation about y, counter-clockwise seen from above."),
    P_FLOAT(SceneBody, pitch, "deg", -360, 360, 0, "Angle by which its +x axis is raised."),
    P_FLOAT(SceneBody, roll, "deg", -360, 360, 0, "Rotation about its own x axis."),
    P_VEC3(SceneBody, velocity, "m/s", -1000, 1000, 0, 0, 0, "Initial velocity."),
    P_ANGLE3(SceneBody, spin, "deg/s", -11459, 11459, 0, 0, 0,
             "Initial angular velocity, about the world's axes."),
    P_FLOAT(SceneBody, density, "kg/m^3", 1, 1e5, 500,
            "Density; water has 1000, and lighter bodies float."),
    P_FLOAT(SceneBody, friction, "", 0, 1, 0.3, "Coefficient of friction at contacts."),
    P_FLOAT(SceneBody, restitution, "", 0, 1, 0.2,
            "Bounciness at contacts, from 0 to 1 (no energy lost)."),
    P_BOOL(SceneBody, driven, 0,
           "The body is moved by a driver or the host, not by forces; it still pushes the water."),
    P_ENUM(SceneBody, freedom, freedom_names, 3, TARN_BODY_FREE,
           "All motion, motion in the xy plane only (as all bodies in a 2-D liquid), or rotation "
           "about a fixed axis (a wheel, a flap)."),
    P_VEC3(SceneBody, axis, "", -1e3, 1e3, 0, 0, 1, "Axis of a hinge, through the position."),
    P_VEC3(SceneBody, color, "", 0, 1, 0.55, 0.55, 0.55, "Color, linear red, green, blue."),
    P_VEC3(SceneBody, glow, "", 0, 100, 0, 0, 0,
           "Light that it gives off, linear; a white wall in the sun is about 2."),
};
static const TarnParamTable body_table = PARAM_TABLE("body", SceneBody, body_params);

enum { TRIM_SHAPES = 1 << TARN_SHAPE_SPHERE | 1 << TARN_SHAPE_BOX | 1 << TARN_SHAPE_CAPSULE };
static const TarnParam trim_params[] = {
    P_SCENE_SHAPE(SceneTrim, TRIM_SHAPES, TARN_SHAPE_BOX,
                  "A sphere, a box, or a capsule along its own y."),
    P_VEC3(SceneTrim, size, "m", 0.001, 1000, 0.5, 0.5, 0.5,
           "Radius of a sphere; half extents of a box (a number: a cube); radius and half length "
           "of a capsule."),
    P_VEC3(SceneTrim, position, "m", -1000, 1000, 0, 0, 0,
           "Center in the axes of the body, relative to its center of mass."),
    P_FLOAT(SceneTrim, yaw, "deg", -360, 360, 0, "Rotation about the body's y axis."),
    P_FLOAT(SceneTrim, pitch, "deg", -360, 360, 0, "Angle by which its +x axis is raised."),
    P_FLOAT(SceneTrim, roll, "deg", -360, 360, 0, "Rotation about its own x axis."),
    P_VEC3(SceneTrim, color, "", 0, 1, 0.55, 0.55, 0.55, "Color, linear red, green, blue."),
    P_VEC3(SceneTrim, glow, "", 0, 100, 0, 0, 0,
           "Light that it gives off, linear; a white wall in the sun is about 2."),
};
static const TarnParamTable trim_table = PARAM_TABLE("trim", SceneTrim, trim_params);

static const TarnParam grid_params[] = {
    P_VEC3(SceneGrid, count, "", 1, 4096, 1, 1, 1, "Number of bodies along x, y and z."),
    P_VEC3(SceneGrid, spacing, "m", -1e4, 1e4, 1, 1, 1,
           "Distance from one body to the next; the first is at the position of this entry."),
};
static const TarnParamTable grid_table = PARAM_TABLE("grid", SceneGrid, grid_params);

// ---- solids, nozzles ---------------------------------------------------------------------------------

// Those that a file can describe, and presets of meshes.
static const char* const solid_shapes[] = { SHAPE_NAMES, "path", "revolve", "wheel", NULL };
enum {
    SOLID_SHAPES = SHAPES_VOLUMES | 1 << TARN_SHAPE_CONVEX | 1 << TARN_SHAPE_MESH |
                   1 << SCENE_SOLID_PATH | 1 << SCENE_SOLID_REVOLVE | 1 << SCENE_SOLID_WHEEL
};
static const char* const touch_names[] = { "bounce", "stick", "kill", NULL };

static const TarnParam solid_params[] = {
    { "shape",
      TARN_PARAM_ENUM,
      offsetof(SceneSolid, shape),
      "",
      0,
      SCENE_SOLID_SHAPES - 1,
      { TARN_SHAPE_BOX },
      solid_shapes,
      "A sphere, a box, a capsule or a cylinder along its own y, what lies behind all planes, a "
      "mesh "
      "of triangles; or a preset of a mesh: a path in xy drawn out along z, a profile turned "
      "around "
      "y, a paddle wheel about z.",
      0,
      SOLID_SHAPES },
    P_VEC3(
        SceneSolid, size, "m", 0, 1e5, 0.5, 0.5, 0.5,
        "Radius of a sphere; half extents of a box (a number: a cube); radius and half length of a "
        "capsule or cylinder; radius and hub radius of a wheel."),
    P_BOOL(SceneSolid, inside_out, 0, "Solid is what lies outside of the shape: a tank, a pipe."),
    P_VEC3(SceneSolid, position, "m", -1e5, 1e5, 0, 0, 0, "Position of the origin of its axes."),
    P_FLOAT(SceneSolid, yaw, "deg", -360, 360, 0,
            "Rotation about y, counter-clockwise seen from above."),
    P_FLOAT(SceneSolid, pitch, "deg", -360, 360, 0,
            "Angle by which its +x axis is raised; the rotation in a 2-D scene."),
    P_FLOAT(SceneSolid, roll, "deg", -360, 360, 0, "Rotation about its own x axis."),
    P_VEC3(SceneSolid, velocity, "m/s", -1000, 1000, 0, 0, 0,
           "Velocity at which the solid keeps moving."),
    P_ANGLE3(SceneSolid, spin, "deg/s", -11459, 11459, 0, 0, 0,
             "Angular velocity, about the world's axes."),
    P_FLOAT(SceneSolid, friction, "", 0, 1, 0.1,
            "Friction of particles and bodies; 0 slides freely, 1 does not slip."),
    P_FLOAT(SceneSolid, restitution, "", 0, 1, 0.2, "Bounciness for particles and single drops."),
    P_ENUM(SceneSolid, touch, touch_names, 3, TARN_TOUCH_BOUNCE,
           "What happens to particles that touch it; kill makes it a drain."),
    P_FLOAT(SceneSolid, thickness, "m", 0, 1e3, 0.01,
            "Of paths, revolved profiles and open meshes to both sides; of blades to both sides."),
    P_FLOAT(SceneSolid, depth, "m", 0.001, 1e5, 1, "Half length along z of paths and wheels."),
    P_INT(SceneSolid, segments, "", 3, 512, 48, "Of a revolved profile, around the axis."),
    P_INT(SceneSolid, blades, "", 1, 64, 6, "Of a wheel."),
    P_VEC3(SceneSolid, color, "", 0, 1, 0.35, 0.35, 0.38, "Color, linear red, green, blue."),
    P_VEC3(SceneSolid, glow, "", 0, 100, 0, 0, 0,
           "Light that it gives off, linear; a white wall in the sun is about 2."),
    P_BOOL(SceneSolid, hidden, 0, "The solid is not drawn."),
    P_BOOL(SceneSolid, glass, 0, "Draws the solid as clear glass, in 3-D."),
    P_INT(SceneSolid, tag, "", 0, 1 << 30, 0,
          "Number by which emitters of kind surface refer to it, in their key solid."),
};
static const TarnParamTable solid_table = PARAM_TABLE("solid", SceneSolid, solid_params);

static const char* const throttle_names[] = { "none", "steady", "change", NULL };

static const TarnParam pose_params[] = {
    P_VEC3(ScenePose, position, "m", -1e6, 1e6, 0, 0, 0,
           "Position, in the axes of the body that carries it, or in world axes."),
    P_FLOAT(ScenePose, yaw, "deg", -360, 360, 0,
            "Turn about y, counter-clockwise seen from above."),
    P_FLOAT(ScenePose, pitch, "deg", -360, 360, 0, "How far its +x is raised."),
    P_FLOAT(ScenePose, roll, "deg", -360, 360, 0, "Turn about its own x."),
};
static const TarnParamTable pose_table = PARAM_TABLE("pose", ScenePose, pose_params);

static const TarnParam nozzle_params[] = {
    P_VEC3(SceneNozzle, direction, "", -1e3, 1e3, 0, 1, 0,
           "Direction of its +y after these rotations, any length but 0, in the same axes."),
    P_VEC3(SceneNozzle, velocity, "m/s", -1000, 1000, 0, 0, 0, "Velocity of the nozzle itself."),
};
static const TarnParamTable nozzle_table = PARAM_TABLE("nozzle", SceneNozzle, nozzle_params);

static const TarnParam part_params[] = {
    P_ENUM(ScenePart, throttle, throttle_names, TARN_THROTTLES, TARN_THROTTLE_NONE,
           "How the engine of the body that carries it controls it: not at all, with the engine's "
           "power, or while that power changes."),
};
static const TarnParamTable part_table = PARAM_TABLE("carried", ScenePart, part_params);

static const TarnParam member_params[] = {
    P_BOOL(SceneMember, cosmetic, 0,
           "Leaves the solver out of hashes and snapshots of the world; use it if nothing depends "
           "on the solver."),
    P_BOOL(SceneMember, carries, 0, "Its flow carries particles; gases do by default."),
};
static const TarnParamTable member_table = PARAM_TABLE("solver", SceneMember, member_params);

const TarnParamTable* tarn__scene_part_table(void)
{
    return &part_table;
}
const TarnParamTable* tarn__scene_member_table(void)
{
    return &member_table;
}

const TarnParamTable* tarn__scene_solid_table(void)
{
    return &solid_table;
}
const TarnParamTable* tarn__scene_pose_table(void)
{
    return &pose_table;
}
const TarnParamTable* tarn__scene_nozzle_table(void)
{
    return &nozzle_table;
}
const TarnParamTable* tarn_scene_run_table(void)
{
    return &run_table;
}
const TarnParamTable* tarn_scene_view_table(void)
{
    return &view_table;
}
const TarnParamTable* tarn__scene_wall_table(void)
{
    return &wall_table;
}
const TarnParamTable* tarn__scene_bed_table(void)
{
    return &bed_table;
}
const TarnParamTable* tarn__scene_body_table(void)
{
    return &body_table;
}
const TarnParamTable* tarn__scene_trim_table(void)
{
    return &trim_table;
}
const TarnParamTable* tarn__scene_grid_table(void)
{
    return &grid_table;
}
const TarnParamTable* tarn__scene_block_table(void)
{
    return &block_table;
}
const TarnParamTable* tarn__scene_pool_table(void)
{
    return &pool_table;
}
const TarnParamTable* tarn__scene_terrain_table(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_terrain_table);
    return &terrain_table;
}

// ---- All of them -------------------------------------------------------------------------------------

enum { MAX_TABLES = 256 };
typedef struct Tables {
    const TarnParamTable* all[MAX_TABLES];
    int n;
} Tables;

static void add(Tables* tables, const TarnParamTable* table)
{
    for (int i = 0; i < tables->n; ++i) {
        if (tables->all[i] == table) return; // shallow water and pipes share some
    }
    if (tables->n < MAX_TABLES) tables->all[tables->n++] = table;
}

static void add_class(Tables* tables, const TarnSolverClass* of)
{
    const SceneKind* kind = tarn__scene_kind_of(of);
    add(tables, of->def_table());
    if (of->params_table) add(tables, of->params_table());
    if (kind->table) add(tables, kind->table());
    for (int l = 0; l < of->n_lists; ++l) add(tables, of->lists[l].table());
    for (int t = 0; t < kind->n_tables; ++t) add(tables, kind->tables[t]());
}

int tarn_scene_tables(const TarnContext* ctx, const TarnParamTable** out, int capacity)
{
    const TarnParamTable* const others[] = { &member_table,
                                             &pose_table,
                                             &nozzle_table,
                                             &part_table,
                                             tarn_window_def_table(),
                                             tarn_flow_push_table(),
                                             tarn_curl_noise_table(),
                                             tarn_wind_def_table(),
                                             &solid_table,
                                             &body_table,
                                             &trim_table,
                                             &grid_table,
                                             tarn_foil_def_table(),
                                             tarn_driver_def_table(),
                                             tarn_flight_def_table(),
                                             tarn_emitter_def_table(),
                                             tarn_channel_def_table() };
    Tables tables = { .n = 0 };
    const TarnSolverClass* of;
    add(&tables, &run_table);
    add(&tables, &view_table);
    add(&tables, tarn_world_def_table());
    for (int n = 0; (of = tarn_solver_class_at(ctx, n)) != NULL; ++n) add_class(&tables, of);
    for (size_t t = 0; t < sizeof others / sizeof others[0]; ++t) add(&tables, others[t]);
    for (int i = 0; out && i < tables.n && i < capacity; ++i) out[i] = tables.all[i];
    return tables.n;
}
