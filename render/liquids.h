// Particle liquids, particle systems and meshes of the host.
#pragma once

#include "waters.h"

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
    SOFT_SIDE = 512,
    BEHIND_GRID = 256 // cells along a side at most
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

// The particles of a second surface behind the first one (liquid_behind.c), in the current picture.
typedef struct Behind {
    int n, capacity;
    int x0, y0, x1, y1; // the rectangle of pixels that they cover
    size_t bytes;
    uint32_t* indices; // POINT_VERTICES each
    Mesh quads;        // of these
} Behind;

typedef struct Nearest { // of the particles in a part of the picture
    float z;             // [m]
    float steep;         // cosine between its normal and the line of sight
} Nearest;

typedef struct OneLiquid {
    LiquidPoints points;
    PointTexture texture; // of the points
    Mesh mesh;            // its surface, in the modes that have one
    Stage stage;          // its own box
    Behind behind;
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
    // Of second surfaces, made when one is first seen.
    bool has_behind;
    Nearest nearest[BEHIND_GRID * BEHIND_GRID];
    Target far[2], far_thick; // at half the size
    Program far_surface, enlarge, far_thick_program[2], far_composite, near_composite;
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
void tarn__smooth_surface(TarnRenderer* r,
                          Target target[2]); // of distances; the result is in the first
void tarn__begin_adding(const Target* target);
TarnResult tarn__pass_second_surface(TarnRenderer* r, const TarnFrameLiquid* liquid);
void tarn__pass_thick_apart(TarnRenderer* r); // before and behind the second surface
void tarn__composite_second(TarnRenderer* r);
void tarn__behind_parts_destroy(TarnRenderer* r);
void tarn__liquid_behind_free(TarnContext* ctx, Behind* behind);
void tarn__pass_thick(TarnRenderer* r, const TarnFrameLiquid* liquid);
void tarn__bind_mesh_surface(const TarnRenderer* r, int n);
bool tarn__is_closed_mesh(const TarnRenderer* r, const TarnFrameLiquid* liquid);
void tarn__use_closed_mesh(const TarnRenderer* r, const Program* p, const TarnFrameLiquid* liquid);
void tarn__draw_dots(const TarnRenderer* r, const Program* program, const float param[4], int first,
                     int n);
void tarn__draw_points(const TarnRenderer* r, int first, int n); // of what is bound
void tarn__upload_points(TarnRenderer* r, PointTexture* texture, const float* texels, int n);
// The system's particles and the splashes of the liquid, sorted and uploaded.
float tarn__splash_growth(float age); // share of its size [s]
TarnResult tarn__sprites_update(TarnRenderer* r, const TarnFrame* frame, bool has_splashes);
void tarn__sprites_draw(TarnRenderer* r); // over the lit scene, all but splashes of 3-D liquids

// ---- Meshes of the host (frame_mesh.c) ----
TarnResult tarn__check_mesh(TarnContext* ctx, const char* name, const TarnMesh* mesh);
TarnResult tarn__check_meshes(TarnContext* ctx, const TarnFrame* frame);
bool tarn__is_good_triangle(const TarnMesh* mesh, int triangle); // all its vertices can be drawn
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
