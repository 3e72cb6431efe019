// What the files of the renderer share.
//
// One picture is made in these passes (renderer.c):
//   sky         the sky with its clouds as a small paraboloid map
//   caustics    the light that the waves focus on the floor, as a map over the basin
//   shadow      depth seen from the sun, its rays bent at the water
//   water depth the surface as seen by the camera, depth alone
//   under       everything below the water, where it appears through calm water
//   mirror      everything above the water, mirrored at its level
//   final       water, solids and sky, tone mapped; 4 samples per pixel on a real GPU
//   post        edges smoothed, glow of the brightest spots; then read back
//
// With the eye under water, or the lens half in it (dive.c), over or in place of the last four:
//   within      everything in the water, not refracted
//   inner       the same mirrored at the surface, which is a mirror outside Snell's window
//   window      everything above the water, where Snell's window of calm water shows it
//   shafts      sunlight along each line of sight
//   dive        murk over all of that, and the line of the water on the lens
//
// Water over land has many levels and no basin, so it has its own passes (land_passes.c):
//   sky, shadow (of bodies), then
//   land depth  the terrain and the faces of its cut, depth alone
//   scene       land, background and bodies, lit, in linear light
//   water depth the surface and its faces at the cut
//   final       over each pixel of the scene the water in front of it: refraction, absorption, reflection
//
// Particle liquids and particle systems (liquid_passes.c) in a studio:
//   sky, shadow (of solids), then
//   light       how much sunlight the liquid absorbs and focuses, as a map seen from the sun
//   scene       floor, backdrop, solids, the tank's edges, in linear light
//   liquid      the nearest surface of the particles, as a distance; then smoothed. Or of a mesh, with normals,
//               and the next one behind it
//   thick       what the liquid absorbs along each line of sight
//   lit         the scene with the liquid in front of it, in linear light; foam, drops, panes of the tank
//   march       rays through gases (gas_passes.c); then over the lit scene
//   sprites     over it, and a glow around what is hot
//   final       tone mapped
// and in 2-D (flat_passes.c):
//   scene       painted sky, hills, solids, in linear light
//   field       splats of the particles, added up
//   lit         where the field is dense enough there is liquid; then solids, bubbles, sprites
//   final       tone mapped
#pragma once

#include "tarn/render.h"
#include "base/base.h"
#include "base/shape.h"
#include "framing.h"
#include "linear.h"
#include "gl.h"

// ---- Platform (egl.c) --------------------------------------------------------------------------

// A GL context of our own, without a window. The environment variable TARN_GL says which: es (default) or
// desktop.
typedef struct GlPlatform GlPlatform;
TarnResult tarn__platform_create(TarnContext* ctx, GlPlatform** out);
bool tarn__platform_bind(GlPlatform* platform);
void tarn__platform_destroy(TarnContext* ctx, GlPlatform* platform);

// ---- The context that is current (gl_context.c) -------------------------------------------------

TarnResult tarn__gl_check(TarnContext* ctx); // can we draw with it?
bool tarn__gl_is_es(void);                   // GL ES or WebGL, not desktop GL
const char* tarn__gl_prelude(void);          // what every shader begins with
void tarn__gl_reset(void); // the initial state of a context, whatever the host has set before

// ---- GL objects (gl_objects.c) -----------------------------------------------------------------

// What shaders sample, by the name of the sampler: of each program its samplers get units one after the other
// when it is linked, and when it is used, the textures that were bound to these names.
#define SLOTS(X)                                                                                   \
    X(SURFACE, "u_surface") /* of a water: height, slopes, depth */                                \
    X(BED, "u_bed")         /* of a basin */                                                       \
    X(CAUSTICS, "u_caustics")                                                                      \
    X(UNDER, "u_under")                                                                            \
    X(MIRROR, "u_mirror")                                                                          \
    X(MIRROR_HEIGHT, "u_mirror_height")                                                            \
    X(WATER_DEPTH, "u_water_depth")                                                                \
    X(WATER_FLAG, "u_water_flag")                                                                  \
    X(BARS, "u_bars")                                                                              \
    X(SHADOW, "u_shadow") /* of all */                                                             \
    X(SKY, "u_sky")                                                                                \
    X(RIPPLE, "u_ripple")                                                                          \
    X(ATLAS, "u_atlas")                                                                            \
    X(NOISE, "u_noise")                                                                            \
    X(ALBEDO, "u_albedo")                                                                          \
    X(IMAGE, "u_image")                                                                            \
    X(GLOW, "u_glow")                                                                              \
    X(SCENE, "u_scene") /* the canvas */                                                           \
    X(SCENE_DEPTH, "u_scene_depth")                                                                \
    X(GROUND, "u_ground") /* of land */                                                            \
    X(FLOW, "u_flow")                                                                              \
    X(SHADE, "u_shade")                                                                            \
    X(LAND_DEPTH, "u_land_depth")                                                                  \
    X(WITHIN, "u_within") /* under water */                                                        \
    X(WITHIN_DEPTH, "u_within_depth")                                                              \
    X(INNER, "u_inner")                                                                            \
    X(INNER_DEPTH, "u_inner_depth")                                                                \
    X(WINDOW, "u_window")                                                                          \
    X(WINDOW_HEIGHT, "u_window_height")                                                            \
    X(SHAFTS, "u_shafts")                                                                          \
    X(POINTS, "u_points") /* of liquids and particles */                                           \
    X(SOLID, "u_solid")                                                                            \
    X(THICK, "u_thick")                                                                            \
    X(TINT, "u_tint")                                                                              \
    X(LIQUID, "u_liquid")                                                                          \
    X(LIGHT, "u_light")                                                                            \
    X(LIGHT_DEPTH, "u_light_depth")                                                                \
    X(NORMAL, "u_normal")                                                                          \
    X(GAS0, "u_gas0") /* of gases; volumes, but for the heat */                                    \
    X(GAS1, "u_gas1")                                                                              \
    X(GAS2, "u_gas2")                                                                              \
    X(GAS3, "u_gas3")                                                                              \
    X(DYE0, "u_dye0")                                                                              \
    X(DYE1, "u_dye1")                                                                              \
    X(DYE2, "u_dye2")                                                                              \
    X(DYE3, "u_dye3")                                                                              \
    X(GAS_LIGHT, "u_gas_light")                                                                    \
    X(HEAT, "u_heat")                                                                              \
    X(MARCH, "u_march") /* what the march through gases saw, and how far away */                   \
    X(MARCH_DEPTH, "u_march_depth")

typedef enum Slot {
#define SLOT(name, text) SLOT_##name,
    SLOTS(SLOT)
#undef SLOT
        N_SLOTS
} Slot;
enum {
    MAX_UNITS = 16,   // all that ES 3.0 promises; the last one is for uploads
    VOLUME_BIT = 0x80 // of a slot: its texture is 3-D
};

typedef enum Material {
    MATERIAL_BODY,
    MATERIAL_TILE,
    MATERIAL_STONE,
    MATERIAL_TERRAIN,
    MATERIAL_DECK
} Material;
typedef enum Pass {
    PASS_FINAL,
    PASS_UNDER,
    PASS_MIRROR,
    PASS_SHADOW,
    PASS_WITHIN, // this one and the next two: the eye is under water
    PASS_INNER,
    PASS_WINDOW
} Pass;
enum { N_MATERIALS = 5, N_PASSES = 4, N_DIVE_PASSES = 3 };

typedef struct Program {
    GLuint id;
    GLint model, core_size, color, emitted, param; // uniforms, -1 where the program has none
    uint8_t samplers[MAX_UNITS];                   // slot of each unit, VOLUME_BIT
    int n_samplers;
} Program;

typedef struct Bound { // textures by slots
    GLuint texture[N_SLOTS];
    const Program* program; // whose units hold them; NULL: none
} Bound;

// The canvas (canvas.c): what a framebuffer of it holds beside the current picture.
typedef enum CanvasPart {
    CANVAS_SOLID, // the depth of the scene
    CANVAS_OVER,  // nothing: the depth may be read
    CANVAS_FLAGS, // a depth of its own, by which one pass says where the next one draws
} CanvasPart;
typedef struct Canvas {
    GLuint color[2], depth; // RGBA16F of linear light, textures
    GLuint flags;           // renderbuffer
    GLuint fbo[2][3];       // by CanvasPart
    int now;                // which color is the current picture
} Canvas;

typedef struct Target { // a framebuffer with what hangs on it
    GLuint fbo;
    GLuint color[2]; // textures, or a renderbuffer when multisampled
    GLuint depth;
    int width, height;
    int samples; // 0: textures
    bool is_depth_texture;
} Target;

typedef struct Mesh {
    GLuint vao, vbo, ibo;
    int n_indices;
    int capacity_v, capacity_i; // bytes
} Mesh;

TarnResult tarn__program_create(TarnContext* ctx, const char* name, const char* defines,
                                const char* const* vertex, const char* const* fragment,
                                Program* out);
typedef struct ProgramDef {
    const char* name;
    const char* defines;
    const char* const* vertex; // parts, NULL behind the last
    const char* const* fragment;
    Program* program;
} ProgramDef;
TarnResult tarn__programs_create(TarnContext* ctx, const ProgramDef* list, int n);
void tarn__program_destroy(Program* program);

typedef struct TargetDef {
    int width, height, samples;
    GLenum color[2]; // internal formats, 0: none
    bool has_depth, is_depth_texture;
} TargetDef;
TarnResult tarn__target_create(TarnContext* ctx, const TargetDef* def, Target* out);
void tarn__target_destroy(Target* target);
void tarn__target_bind(const Target* target);

GLuint tarn__texture_create(int width, int height, GLenum internal, GLenum format, GLenum type,
                            const void* data, bool has_mips, GLenum wrap);

// ---- Meshes (geometry.c) -----------------------------------------------------------------------

// A vertex stands at core * core_size + normal * radius: one sphere, one rounded box and one
// capsule serve all sizes.
typedef struct Vertex {
    float core[3], normal[3];
} Vertex;

typedef struct MeshData {
    TarnContext* ctx;
    Vertex* vertices;
    uint32_t* indices;
    int n_vertices, n_indices;
    int capacity_v, capacity_i; // elements
    bool is_broken;             // out of memory: everything added since is lost
} MeshData;

int tarn__mesh_vertex(MeshData* data, TarnVec3 core, TarnVec3 normal); // its index
void tarn__mesh_triangle(MeshData* data, int a, int b, int c);
void tarn__mesh_grid(MeshData* data, TarnVec3 corner, TarnVec3 u, TarnVec3 v, int nu, int nv,
                     TarnVec3 normal);
void tarn__mesh_free(MeshData* data);
TarnResult tarn__mesh_upload(const MeshData* data, Mesh* mesh);
void tarn__mesh_destroy(Mesh* mesh);
void tarn__mesh_draw(const Mesh* mesh);

void tarn__build_sphere(MeshData* data);
void tarn__build_box(MeshData* data);
void tarn__build_capsule(MeshData* data);
// Plan grid of the basin: (u, v) from 0 to 1 over it, n by n quads, and rows that grow outwards to
// `reach` basin sizes on the sides that are open. The core holds (u, 0, v).
void tarn__build_plan(MeshData* data, int n_x, int n_z, const bool is_open[4], float reach);

// ---- What stands around and in the water (basin.c, walls.c) -------------------------------------

typedef struct BasinShape {
    float x0, z0, x1, z1; // [m]
    float rest, bottom;   // y of calm water and of the lowest floor [m]
    float rim_top, deck;  // y [m]
    float coping;         // width of the rim [m]
    float plain;          // height of the land outside above calm water [m]
    float far;            // how far ground and sea reach [m]
    bool is_open[4];      // water goes on at -x, +x, -z, +z
    bool is_natural;      // the bed is land: no rim, the land goes on outside
    bool has_terrain;     // the bed varies
    bool is_block;        // a vessel that stands free
} BasinShape;

void tarn__build_pool(MeshData* data, const BasinShape* shape);   // floor (if flat), inner walls
void tarn__build_coping(MeshData* data, const BasinShape* shape); // rim
void tarn__build_deck(MeshData* data, const BasinShape* shape);   // ground around it
void tarn__build_quay(MeshData* data, const BasinShape* shape);   // its faces to open water
void tarn__build_walls(MeshData* data, const float* mask, int nx, int nz, const BasinShape* shape,
                       float top); // mask: 0 to 1 per cell

// ---- Fields (field.c) --------------------------------------------------------------------------

typedef struct Field { // what the shaders read, made from the frame's views
    int nx, nz;        // after thinning or refining
    int thin, fine;    // cells per sample, samples per cell
    float* source;     // thinned heights, nx / fine * nz / fine
    float* rows;       // between the two directions of refining
    float* surface;    // 4 per sample: height above rest, slope x, slope z, depth
    float* bed;        // 4 per sample: y above rest, slope x, slope z, 1 at walls to 0
    float* mask;       // thinned walls, 0 to 1
    uint8_t* is_bad;   // per thinned cell
    size_t bytes[6];
    float bed_min, bed_max;
    bool is_wall_changed, has_walls;
} Field;

TarnResult tarn__field_resize(TarnContext* ctx, Field* field, int nx, int nz);
void tarn__field_free(TarnContext* ctx, Field* field);
void tarn__field_update(Field* field, const TarnFrameWater* water);
// The steps of it, for land: cells averaged into field->source with holes filled; source refined into
// every fourth float of `to`; slopes of those into the two floats behind each.
void tarn__field_thin(Field* field, const TarnView2* view, float base, float limit);
void tarn__field_refine(Field* field, float* to);
void tarn__field_slopes(Field* field, float* to, float dx);

// ---- Pictures for the materials (textures.c) ----------------------------------------------------

typedef struct MaterialTextures {
    GLuint ripple, noise;
    GLuint tile, stone, sand; // of basins, made when one is first drawn
    GLuint atlas;             // of particles, made when there are some
    GLuint rough;             // of land, made when it is first drawn
} MaterialTextures;
TarnResult tarn__textures_create(TarnContext* ctx, MaterialTextures* out);
TarnResult tarn__basin_textures(TarnContext* ctx, MaterialTextures* out);
TarnResult tarn__land_textures(TarnContext* ctx, MaterialTextures* out);
void tarn__textures_destroy(MaterialTextures* textures);
// Fractal noise that repeats after 0..1; distances to the two nearest of n x n strewn points [cells].
float tarn__fractal(float x, float y, int period, int octaves, uint32_t seed);
void tarn__nearest_two(float x, float y, int n, uint32_t seed, float out[2]);
TarnResult tarn__particle_atlas(TarnContext* ctx, GLuint* out); // paints it if *out is 0 (atlas.c)

// ---- Read-out (smooth.c) -----------------------------------------------------------------------

// From GL's RGBA with the bottom row first to RGB with the top row first. Alpha is the brightness;
// with it staircases are smoothed.
void tarn__read_out(const uint8_t* rgba, int width, int height, uint8_t* rgb);

// ---- The renderer (renderer.c, programs.c, frame.c, passes.c) ----------------------------------

enum {
    SHADOW_SIDE = 768,
    CAUSTICS_SIDE = 768,
    CAUSTICS_PLAN = 200, // quads of its mesh along one side
    SKY_SIDE = 256,
    MAX_BARS = 64,     // along one side
    MAX_PLAN = 224,    // quads of the water mesh along one side
    MAX_TERRAIN = 128, // quads of the terrain mesh along one side; small ones shade slowly
};

typedef struct FrameBlock { // std140, the block `Frame` of the shaders, documented there
    Mat4 view_proj, mirror_view_proj, light_proj;
    float eye[4], sun[4], sun_color[4], sky_color[4], ground_color[4], haze_color[4];
    float zenith[4], heaven[4], background[4];
    float light_down[4], basin[4], levels[4], water_color[4], absorb[4], screen[4], fog[4];
    float scale[4], open_side[4], coast[4], flow[4];
    float mixing[4], gas_lo[4], gas_size[4], gas_fire[4], fires[16][4];
} FrameBlock;

// Shaders know four shapes by numbers of their own.
TARN_INLINE float tarn__shader_shape(int kind)
{
    return kind == TARN_SHAPE_SPHERE    ? 0.0f
           : kind == TARN_SHAPE_BOX     ? 1.0f
           : kind == TARN_SHAPE_CAPSULE ? 2.0f
                                        : 3.0f; // a mesh
}

typedef struct BodyDraw { // one body, ready to draw
    const Mesh* mesh;
    Mat4 model;
    float core_size[4], color[4], glow[4], param[4];
    TarnVec3 middle;
    float low, high; // y of its bounds [m]
    bool is_glass;   // drawn last, by draw_glass
    int water;       // that it is in, or whose ground it stands on; -1: the studio
} BodyDraw;

typedef enum Dip { DIP_NONE, DIP_HALF, DIP_FULL } Dip; // of the lens in the water

// Drawn one after the other, because software drivers compute all sides of a branch.
enum { DIVE_SOLIDS, DIVE_SURFACE };

// What an eye under water needs of a basin, made when one first is there.
typedef struct Dive {
    bool is_ready;
    Target within, window, shafts[2];
    Program solid[N_MATERIALS][N_DIVE_PASSES];
    Program program[2][2], shafts_program; // without and with shores; DIVE_*
} Dive;

TarnResult tarn__dive_prepare(TarnRenderer* r);
TarnResult tarn__dive_programs(TarnRenderer* r);
void tarn__dive_destroy(TarnRenderer* r);
void tarn__pass_dive(TarnRenderer* r); // all passes of it, over the final picture
// The surface above or below a point of the lens; -INFINITY: no water there [m].
typedef float LevelAt(const TarnRenderer* r, TarnVec3 p);
Dip tarn__dip(const TarnRenderer* r, LevelAt* level_at);
float tarn__basin_level(const TarnRenderer* r, TarnVec3 p);
float tarn__land_level(const TarnRenderer* r, TarnVec3 p);
void tarn__shafts(TarnRenderer* r, const Program* program, Target target[2], const Mat4* back);
void tarn__dive_over(TarnRenderer* r, const Program program[2], const Mat4* back);
TarnResult tarn__land_dive_programs(TarnRenderer* r);

typedef struct Basin {
    Field field;
    int nx, nz;          // cells of the frame it fits
    GLuint surface, bed; // textures of the fields
    BasinShape shape;
    float wall_top; // of the walls mesh
    bool is_built;  // the meshes fit the shape
    Mesh plan, terrain, pool, coping, deck, quay, walls;
    float depth; // mean [m]
    // Of the bars mode:
    GLuint bars;
    int bars_x, bars_z;
    const float* bar_wet; // per thinned cell, how much of it is water. NULL: all, but for walls
    FrameBlock block;
} Basin;

// Water over land: fields, meshes and programs of its own, made when a frame first asks for them.
typedef struct Land {
    Field field; // its bed: the ground. Values are relative to base
    int nx, nz;  // cells of the frame it fits
    float base;  // y [m]
    float dx;    // that slopes and shade of the ground were made for [m]
    float low, high;
    bool is_ground_new;
    TarnVec3 sun;   // that the shade was made for
    size_t bytes;   // of the block with all of these
    float* ground;  // per thinned cell, as the next four: y above base [m]
    float* depth;   // of the water [m]
    float* level;   // surface, carried on into land
    float* weight;  // how much of a lake a cell is, 0 to 1
    float* work[3]; // between the steps
    float* flow;    // 4 per cell: speed along x and z [m/s], foam, sediment
    float*
        shade; // 4 per sample: y above base up to which the sun is hidden, softness, soil, wetness
    GLuint ground_texture, surface_texture, flow_texture, shade_texture;
    int texture_nx, texture_nz; // cells that the textures were made for
    Mesh plan, cut;
    int plan_nx, plan_nz;
    FrameBlock block;
} Land;

typedef struct LandParts {             // for all of them
    bool is_ready;                     // programs and targets
    Program ground_depth, water_depth; // depth alone
    Program background, sea, ground_program, cut_program, body, dry_program, water_program;
    Target seen;   // depth of the land alone
    bool can_dive; // the next three were made
    Target shafts[2];
    Program shafts_program, dive_program[2]; // DIVE_*
} LandParts;

TarnResult tarn__land_resize(TarnContext* ctx, Land* land, int nx, int nz);
void tarn__land_free(TarnContext* ctx, Land* land);
float tarn__land_film(const TarnFrameWater* water); // thinner water fades out [m]
float tarn__land_band(const TarnFrameWater* water); // land this high above water is wet [m]
void tarn__land_update(Land* land, const TarnFrameWater* water, TarnVec3 sun);
void tarn__land_shade(Land* land, float dx, TarnVec3 sun); // sunlight and light from the sky
// For the bars mode: a basin whose height is that of land and water, filled into *out; it is good
// until the next update. land->weight says which of its cells are water.
TarnResult tarn__land_bars(TarnContext* ctx, Land* land, const TarnFrameWater* w,
                           TarnFrameWater* out);
void tarn__build_cut(MeshData* data, int n_x, int n_z); // the four faces of the block

// ---- Liquids and particles (liquid*.c, flat_passes.c, sprites.c) --------------------------------

// Four texels of a float texture each, POINTS_PER_ROW in a row:
//     liquids, 3-D   place, radius | normal, flatness | color, 1 / clarity | foam, drop, random, kind
//     liquids, 2-D   place, spacing | along, stretch | color, 1 / clarity | flags, size, random, kind
//     splashes, 3-D  place, radius | velocity, 0 | 0, random, lifetime, 1 | color, share of light
//     particles      as glsl_look_vertex says
enum {
    DROPS_PER_POINT = 3,
    FOAM_PER_POINT = 6, // as the shaders have them
};
enum {
    POINT_TEXELS = 4,
    POINTS_PER_ROW = 512,
    POINT_VERTICES = 6,
    LIGHT_SIDE = 256,
    SOFT_SIDE = 512
};

typedef struct Around { // what is near a particle
    TarnVec3 mean;      // of the neighbors, from itself [m]
    float full;         // 0 for one alone to 1 inside, 0.7 at a flat surface
    float stir;         // how fast they come towards it [m/s]
    int n;
    bool is_at_wall; // of a tank: the glass is its surface there
} Around;

typedef struct LiquidPoints {
    // Drops alone come first, then what is surface with drops or foam, the rest of the surface, the inside:
    // drops and foam are 0 to n_torn, the surface is n_surface from n_drops on. In 2-D all are surface.
    int n, n_drops, n_torn, n_surface;
    int kind; // of all of them, -1: of several
    int capacity, n_buckets;
    size_t bytes;
    float* texels;
    int *cells, *source, *sorted, *begin;
    Around* around;
} LiquidPoints;

TarnResult tarn__liquid_points(TarnContext* ctx, LiquidPoints* points, const TarnFrameLiquid* l);
float tarn__share_of_light(const TarnFrameLiquid* l, int kind); // that it absorbs [1/m]
void tarn__liquid_points_free(TarnContext* ctx, LiquidPoints* points);

typedef struct
    Sprites { // farthest first; splashes of 3-D liquids, which are drops, before all others
    int n, n_splashes, capacity;
    double fill; // pixels that the others cover
    size_t bytes;
    float* texels;
    uint32_t *keys, *order, *spare; // 2 * capacity of keys: sorted by radix
} Sprites;

typedef struct PointTexture {
    GLuint id;
    int rows;
} PointTexture;

#include "gas.h"

typedef struct OneLiquid {
    LiquidPoints points;
    PointTexture texture; // of the points
    Mesh mesh;            // its surface, in the modes that have one
    Stage stage;          // its own box
    FrameBlock block;
} OneLiquid;

// Made when a frame first asks for it.
typedef struct Liquid {
    bool is_ready;
    Sprites sprites;
    PointTexture sprite_texture;
    GLuint solid_texture;
    Stage stage;
    int n_bodies; // of the body draws, the rest are solids
    OneLiquid each[TARN_FRAME_MAX_LIQUIDS];
    OneLiquid* one; // the current one
    Target light, soft_light[2], surface[2], thick, field;
    Program surface_program, depth_program, smooth_program, thick_program, light_program;
    Program studio, body, glass, composite, drop, splash, foam;
    Program tank_front, tank_back;
    // Of meshes, made when a frame first asks for them.
    bool has_mesh_parts;
    Mesh wires;
    Target mesh_surface[2]; // z and normal of the nearest surface, of the one behind it
    Target behind;          // the scene with all of the liquid but what is nearest
    Program wire, balls, balls_under, mesh_front[2], mesh_thick, mesh_light;
    Program mesh_composite[2]; // of closed meshes; of those that are not
    Program sky_paint, shape, field_program, cover, flat_composite, bubble; // 2-D
} Liquid;

// What a frame holds of each kind; NULL: nothing.
TARN_INLINE const TarnFrameLiquid* tarn__liquid_of(const TarnFrame* frame)
{
    return frame->n_liquids > 0 ? frame->liquids : NULL;
}
TARN_INLINE const TarnFrameParticles* tarn__particles_of(const TarnFrame* frame)
{
    return frame->n_particles > 0 ? frame->particles : NULL;
}
bool tarn__is_mesh_mode(const TarnFrameLiquid* liquid);
TarnResult tarn__check_stage(TarnContext* ctx, const TarnFrame* frame);
TarnResult tarn__liquid_programs(TarnRenderer* r);
void tarn__liquid_destroy(TarnRenderer* r); // what is on the GPU
void tarn__liquid_free(TarnContext* ctx, Liquid* liquid);
TarnResult tarn__flat_draw(TarnRenderer* r, const TarnFrame* frame); // 2-D, flat_passes.c
// Of 3-D liquids (liquid_surface.c); the liquid may be NULL.
void tarn__pass_light(TarnRenderer* r, const TarnFrame* frame); // of all of them
void tarn__pass_surface(TarnRenderer* r, const TarnFrameLiquid* liquid);
void tarn__pass_thick(TarnRenderer* r, const TarnFrameLiquid* liquid);
void tarn__bind_mesh_surface(const TarnRenderer* r, int n);
bool tarn__is_closed_mesh(const TarnRenderer* r, const TarnFrameLiquid* liquid);
void tarn__use_closed_mesh(const TarnRenderer* r, const Program* p, const TarnFrameLiquid* liquid);
void tarn__draw_dots(const TarnRenderer* r, const Program* program, const float param[4], int first,
                     int n);
void tarn__draw_points(const TarnRenderer* r, int first, int n); // of what is bound
void tarn__upload_points(TarnRenderer* r, PointTexture* texture, const float* texels, int n);
// The system's particles and the splashes of the liquid, sorted and uploaded.
TarnResult tarn__sprites_update(TarnRenderer* r, const TarnFrame* frame, bool has_splashes);
void tarn__sprites_draw(TarnRenderer* r); // over the lit scene, all but splashes of 3-D liquids

// ---- Meshes of the host (frame_mesh.c) ----
TarnResult tarn__check_mesh(TarnContext* ctx, const char* name, const TarnMesh* mesh);
TarnResult tarn__check_meshes(TarnContext* ctx, const TarnFrame* frame);
TarnResult tarn__upload_mesh(TarnRenderer* r, const TarnMesh* mesh, bool is_wires, Mesh* out);
TarnResult tarn__add_meshes(TarnRenderer* r, const TarnFrame* frame, int n_meshes); // to the bodies
TarnResult tarn__draw_wires(TarnRenderer* r, const TarnFrame* frame);
TarnResult tarn__mesh_parts(TarnRenderer* r); // makes them if there are none
void tarn__mesh_parts_destroy(TarnRenderer* r);

typedef struct LookNow { // of one particle
    TarnVec3 place, color;
    float radius, opacity, age;
    int texture[2];
    float mix; // how much of the second one is seen
    bool is_hot;
    TarnParticleLook look;
} LookNow;
TarnResult tarn__check_looks(TarnContext* ctx, const TarnFrameParticles* p);
bool tarn__has_look(const TarnFrameParticles* p, int i); // of its own?
// side: of the stage [m]; heat: tarn__heat_table.
LookNow tarn__look_now(const TarnFrameParticles* p, int i, float side, const TarnVec3* heat);
void tarn__looks_bounds(const TarnRenderer* r, const TarnFrameParticles* p, GasBounds* bounds);
void tarn__looks_light(TarnRenderer* r, const TarnFrameParticles* p);
float tarn__put_look(const TarnRenderer* r, float* to, const TarnFrameParticles* p, int i,
                     float random);

// Programs of waters that other layers throw shadows and light on, and of more lands than one.
typedef struct Mixed {
    bool is_ready;
    Program solid[N_MATERIALS][N_PASSES];
    Program ground, later_ground, land_body, river;
} Mixed;

typedef enum Layer {
    LAYER_SETUP,
    LAYER_SHADOW,
    LAYER_SOLID,
    LAYER_WATER,
    LAYER_LIQUID,
    LAYER_GLASS,
    LAYER_GASES,
    LAYER_PARTICLES,
    LAYER_POST,
    N_LAYERS
} Layer;
typedef struct Timing {
    bool is_on;
    Layer layer;         // the one that is drawn
    double since;        // [ms]
    double ms[N_LAYERS]; // of the last frame
} Timing;

typedef enum MirrorPart { // of the mirror without its heights
    MIRROR_SOLID,
    MIRROR_OVER // without its depth, too, which may be read
} MirrorPart;

typedef enum Ground { GROUND_STUDIO, GROUND_BARS, GROUND_BASIN, GROUND_LAND } Ground;

typedef struct View { // of the camera
    Mat4 view, proj;
    TarnVec3 forward;
    float near, far, distance; // distance: to the target [m]
} View;

struct TarnRenderer {
    Bound* bound; // may change in a renderer that is const
    Bound slots;
    Canvas canvas;
    TarnContext* ctx;
    GlPlatform* platform; // NULL: the context is the host's
    bool has_gl;          // the context is good: there may be objects in it
    int width, height;
    Target glow[2], output; // quarter size; read back
    GLuint mirror_fbo[2];   // by MirrorPart
    Target under, mirror, water_depth, shadow, soft_shadow, caustics[2], sky;
    MaterialTextures materials;
    GLuint frame_buffer; // uniform block
    Program solid[N_MATERIALS][N_PASSES];
    Program water[2], water_depth_program; // without and with shores
    Program caustics_program, sky_program, backdrop, fog, blur, bright, post, edges, dry,
        land_depth;
    Program bars_program[2], stage; // bars: drawn and in the shadow map

    Mesh sphere, box, capsule, bar, empty;
    Mesh caustic_plan;
    Mesh* body_meshes; // one per mesh body of the frame, kept for the next
    int n_body_meshes;
    BodyDraw* body_draws;
    int n_body_draws, body_capacity;

    Mixed mixed;
    Dive dive;
    // Of each water of the frame by its number, one of both.
    Basin basins[TARN_FRAME_MAX_WATERS];
    Land lands[TARN_FRAME_MAX_WATERS];
    Basin* basin; // the current one
    Land* land;
    LandParts land_parts;
    Liquid liquid;
    Gas gas;
    float* bar_data;   // MAX_BARS^2 * 4
    FrameBlock frame;  // of the layer that is drawn
    FrameBlock common; // what all layers share, the rest is 0
    FrameBlock stage_block;
    Timing timing;
    View view;
    Ground ground;           // what all stands on, and which light there is
    int ground_water;        // its number, -1: none
    int n_waters, n_liquids; // of the frame
    bool is_mirroring;       // what is drawn is a mirrored picture
    bool has_stage;          // liquids, gases, particles, or what only their programs draw
    bool is_mixed;           // and a water, too: it gets their shadows and light
    uint8_t* pixels;         // read back, RGBA
};

// ---- The sky (sky.c) ----
TarnResult tarn__check_sky(TarnContext* ctx, const TarnFrameSky* sky);
TarnVec3 tarn__sky_sun(const TarnFrame* frame, float lowest); // direction toward sun or moon
void tarn__sky(const TarnFrame* frame, FrameBlock* f); // over the light that layers have chosen

extern const char tarn__pass_names[]; // numbers of passes and materials, for the shaders of solids
// Bodies over land and in the studio; after those names.
#define LAND_BODY "#define LAND\n#define MATERIAL BODY\n#define PASS FINAL\n"
TarnResult tarn__renderer_programs(TarnRenderer* r); // compiles all that every frame needs
TarnResult tarn__mixed_programs(TarnRenderer* r);    // of waters in the light of other layers
void tarn__mixed_destroy(TarnRenderer* r);
TarnResult tarn__frame_bodies(TarnRenderer* r, const TarnFrame* frame); // body_draws
// Orthographic from the sun over a box; *range: its depth [m].
Mat4 tarn__light_matrix(TarnVec3 lo, TarnVec3 hi, TarnVec3 sun, float* range);
TARN_INLINE void tarn__set4(float to[4], float x, float y, float z, float w)
{
    to[0] = x, to[1] = y, to[2] = z, to[3] = w;
}

// ---- Layers (layers.c, environment.c) ------------------------------------------------------------
void tarn__layer(TarnRenderer* r, Layer next); // begins it, and takes the time of the one before
bool tarn__has_gas(const TarnFrame* frame);
TarnVec3 tarn__sun_of(const TarnRenderer* r, const TarnFrame* frame);
TarnResult tarn__layers_draw(TarnRenderer* r, const TarnFrame* frame);
void tarn__environment(TarnRenderer* r, const TarnFrame* frame); // light and sky, into r->common
void tarn__use_block(TarnRenderer* r, const FrameBlock* block);  // for what is drawn next

// Textures of the samplers (slots.c).
void tarn__bind_texture(const TarnRenderer* r, Slot slot, GLuint id); // leaves it active
void tarn__bind_volume(const TarnRenderer* r, Slot slot, GLuint id);
void tarn__use(const TarnRenderer* r, const Program* program, const float param[4]);
void tarn__slots_clear(const TarnRenderer* r);

TarnResult tarn__canvas_create(TarnRenderer* r); // canvas.c
void tarn__canvas_destroy(TarnRenderer* r);
void tarn__canvas_bind(const TarnRenderer* r, CanvasPart part); // to draw into the current picture
void tarn__canvas_read(const TarnRenderer* r);                  // it, and the depth, as SLOT_SCENE*
// Reads the current picture, and draws into the other one, which is now the current one.
void tarn__canvas_turn(TarnRenderer* r, CanvasPart part);

// What the passes of all layers share (screen_passes.c).
void tarn__draw_screen(const TarnRenderer* r);
void tarn__draw_screen_back(const TarnRenderer* r,
                            const Program* program); // with u_model: to the world
enum { ALL_BODIES = -2 };
// Those between two heights that belong to a water, -1 to the studio.
void tarn__draw_bodies(const TarnRenderer* r, const Program* program, int water, float low,
                       float high);
void tarn__pass_sky(TarnRenderer* r);
void tarn__pass_post(TarnRenderer* r);
void tarn__begin_frame(TarnRenderer* r);
void tarn__blur_shadow(TarnRenderer* r);

// ---- Basins (basin_layer.c, basin_passes.c); of r->basin ------------------------------------------
TarnResult tarn__basin_prepare(TarnRenderer* r, const TarnFrame* frame, const TarnFrameWater* w);
TarnResult tarn__basin_shape(TarnRenderer* r, const TarnFrameWater* w); // shape and its meshes
void tarn__basin_destroy(Basin* basin);
void tarn__basin_reach(const TarnRenderer* r, float distance, float* near, float* far);
void tarn__basin_box(const TarnRenderer* r, const TarnFrame* frame, const TarnFrameWater* w,
                     TarnVec3* lo, TarnVec3* hi); // that throws shadows
void tarn__basin_constants(TarnRenderer* r, const TarnFrame* frame, const TarnFrameWater* w);
void tarn__basin_bind(const TarnRenderer* r); // its fields
void tarn__basin_shadow(TarnRenderer* r, bool is_bars);
// Its water, into the canvas; what is below and above it into targets of their own before that.
TarnResult tarn__basin_water(TarnRenderer* r, const TarnFrameWater* w, int number, Dip dip);
void tarn__basin_bars(TarnRenderer* r, bool is_ground);
void tarn__fill_bars(TarnRenderer* r, const TarnFrameWater* w);
void tarn__draw_backdrop(const TarnRenderer* r);
const Program* tarn__solid_program(const TarnRenderer* r, Material material, Pass pass);
void tarn__draw_scenery(const TarnRenderer* r, Pass pass); // all but water and bodies

// ---- Land (land_passes.c, land_frame.c); of r->land ------------------------------------------------
TarnResult tarn__land_prepare(TarnRenderer* r, const TarnFrameWater* w, TarnVec3 sun);
void tarn__land_destroy(TarnRenderer* r);
TarnResult tarn__land_programs(TarnRenderer* r);
void tarn__land_reach(const TarnRenderer* r, const TarnFrame* frame, const TarnFrameWater* w,
                      float* near, float* far);
void tarn__land_constants(TarnRenderer* r, const TarnFrame* frame, const TarnFrameWater* w);
// Over the bodies that are seen, and boxes of other layers.
Mat4 tarn__land_light(const TarnRenderer* r, TarnVec3 sun, const TarnVec3* boxes, int n_boxes,
                      float* range);
void tarn__land_ground(TarnRenderer* r, const TarnFrameWater* w, bool is_first);
void tarn__land_bodies(TarnRenderer* r, int number);
TarnResult tarn__land_water(TarnRenderer* r, const TarnFrameWater* w, bool is_last);
void tarn__absorption(TarnVec3 color, float clarity, float to[3]); // 1/m per channel

// ---- The stage (stage.c) -------------------------------------------------------------------------
void tarn__stage_constants(const TarnRenderer* r, const TarnFrame* frame, const Stage* s,
                           const TarnFrameLiquid* liquid, FrameBlock* f);
TarnResult tarn__stage_prepare(TarnRenderer* r, const TarnFrame* frame);
void tarn__stage_floor(TarnRenderer* r);
TarnResult tarn__stage_solids(TarnRenderer* r, const TarnFrame* frame);
const Program* tarn__studio_body(const TarnRenderer* r);
TarnResult tarn__mirror_create(TarnRenderer* r); // stage_mirror.c
void tarn__mirror_bind(const TarnRenderer* r, MirrorPart part);
void tarn__over_bind(const TarnRenderer* r);
TarnResult tarn__stage_mirrored(TarnRenderer* r); // over the mirror of r->basin
void tarn__stage_under(TarnRenderer* r);          // over what is below its water
TarnResult tarn__stage_parts(TarnRenderer* r);    // what is made once
TarnResult tarn__stage_over(TarnRenderer* r, const TarnFrame* frame);
