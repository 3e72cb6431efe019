// GL: the platform, programs, textures, framebuffers, and which sampler reads what.
#pragma once

#include "tarn/render.h"
#include "base/base.h"
#include "gl.h"
#include "linear.h"

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
    X(FOAM, "u_foam")       /* of a basin or the sea, from solvers */                              \
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
    X(CURVATURE, "u_curvature")                                                                    \
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
    X(AGAIN, "u_again") /* the second surface of a liquid */                                       \
    X(FIRST, "u_first") /* before it */                                                            \
    X(FIRST_THICK, "u_first_thick")                                                                \
    X(AGAIN_THICK, "u_again_thick")                                                                \
    X(AGAIN_TINT, "u_again_tint")                                                                  \
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
    X(MARCH_DEPTH, "u_march_depth")                                                                \
    X(MOVED0, "u_moved0") /* of the sea, by cascades */                                            \
    X(MOVED1, "u_moved1")                                                                          \
    X(MOVED2, "u_moved2")                                                                          \
    X(MOVED3, "u_moved3")                                                                          \
    X(SLOPES0, "u_slopes0")                                                                        \
    X(SLOPES1, "u_slopes1")                                                                        \
    X(SLOPES2, "u_slopes2")                                                                        \
    X(SLOPES3, "u_slopes3")                                                                        \
    X(FOAM0, "u_foam0")                                                                            \
    X(FOAM1, "u_foam1")                                                                            \
    X(WAVES, "u_waves") /* on top of a water: height, slopes, their squares */

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

enum { MAX_PARTS = 14 };
typedef struct GlProgram {
    GLuint id;                                           // 0: not compiled yet
    GLint model, core_size, color, emitted, area, param; // uniforms, -1 where the program has none
    uint8_t samplers[MAX_UNITS];                         // slot of each unit, VOLUME_BIT
    int n_samplers;
    const char* name;
    char defines[400];
    const char *vertex[MAX_PARTS + 1], *fragment[MAX_PARTS + 1]; // parts, NULL behind the last
    bool is_taken;                                               // by a program of the renderer
    struct GlProgram* next;
} GlProgram;

typedef struct Program {
    GlProgram* gl; // on the shelf; NULL: none yet
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

// Programs of a renderer (shelf.c).
typedef struct Shelf {
    TarnContext* ctx;
    GlProgram* first;
    TarnResult result; // of what was compiled since the frame began
    int n_compiled;
    TarnCompilingFn* on_compiling; // NULL: none
    void* user;
} Shelf;
TarnResult tarn__shelf_create(TarnContext* ctx, Shelf** out);
void tarn__shelf_destroy(Shelf* shelf, bool is_current); // is_current: the GL context
void tarn__shelf_take(Shelf* shelf, bool is_taken); // all; false: another renderer may take them
TarnResult tarn__shelf_link(Shelf* shelf);          // compiles all of them
// Takes a program, which is compiled when it is first used. Name and parts must live as long as the shelf.
TarnResult tarn__program_create(Shelf* shelf, const char* name, const char* defines,
                                const char* const* vertex, const char* const* fragment,
                                Program* out);
void tarn__program_link(Shelf* shelf, GlProgram* program); // compiles it, if it has not been
typedef struct ProgramDef {
    const char* name;
    const char* defines;
    const char* const* vertex; // parts, NULL behind the last
    const char* const* fragment;
    Program* program;
} ProgramDef;
TarnResult tarn__programs_create(Shelf* shelf, const ProgramDef* list, int n);

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
