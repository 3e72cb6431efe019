// What is read from the views of a frame: fields of waters, cameras; and what materials look like.
#pragma once

#include "framing.h"
#include "geometry.h"

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
    uint8_t* foam;     // per thinned cell, 0 to 255
    size_t bytes[7];
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
