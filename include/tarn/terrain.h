// tarn/terrain.h: ground. Made by a generator, read from a file, written to one.
//
// A terrain is a grid of heights y [m] in the xz plane; cell (i, k) is centered at
// origin + ((i, k) + 0.5) * dx, as in the solvers. Between the centers it is interpolated, outside it
// goes on as its border. Its heights can be handed to a solver as an array, or the terrain, or the
// generator alone, as a function of (x, z): a window that moves asks it for new ground.
//
//     TarnTerrainDef def = tarn_terrain_default_def();
//     def.kind = TARN_TERRAIN_RIVER_VALLEY;
//     TarnTerrain* land;
//     tarn_terrain_create(ctx, &def, &land);
//     water.bed = tarn_terrain_heights(land).data;                    // same grid, or
//     water.bed_fn = tarn_terrain_ground, water.bed_user = land;      // any grid, or
//     water.bed_fn = tarn_terrain_made_ground, water.bed_user = &def; // without end
//
// Files: 16- or 8-bit PNG, ESRI ASCII grid (.asc), raw 32-bit floats. On a map x points east and z
// points south, so the first row of a picture or grid, its north, is the first row here.
// Kinds, parameters and formats with pictures: docs/terrain.md
#pragma once

#include "tarn/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TarnTerrain TarnTerrain;

enum { TARN_TERRAIN_MAX_SIDE = 16384 }; // cells along x and along z

typedef enum TarnTerrainKind {
    TARN_TERRAIN_FLAT,         // level ground
    TARN_TERRAIN_SLOPE,        // a plane that falls toward +x
    TARN_TERRAIN_BOWL,         // a paraboloid
    TARN_TERRAIN_STEPS,        // two basins side by side, one higher, with a dam between
    TARN_TERRAIN_CRATER,       // floor, wall, rim and what was thrown out
    TARN_TERRAIN_ISLAND,       // out of the sea
    TARN_TERRAIN_BEACH,        // from the sea floor at -x over a bar to dunes at +x
    TARN_TERRAIN_RIVER_VALLEY, // a channel that winds down toward +x between walls
    TARN_TERRAIN_RIDGED,       // mountains: ridged multifractal noise
} TarnTerrainKind;

// Start from tarn_terrain_default_def(). What a parameter means for each kind: docs/terrain.md.
typedef struct TarnTerrainDef {
    uint32_t cookie;   // set by tarn_terrain_default_def, leave alone
    int kind;          // TarnTerrainKind
    int nx, nz;        // cells along x and z
    float dx;          // cell size [m]
    TarnVec2 origin;   // x, z of the grid corner [m]
    int seed;          // another one: another terrain of the same kind
    TarnVec2 center;   // of the crater, bowl, island; line of the beach (x), river (z), dam (x) [m]
    float base;        // y of the plain, the sea level or the river bank at center [m]
    float height;      // of mountains, walls, rim, dunes, island, upper basin over base [m]
    float depth;       // of channel, crater floor, sea floor, basins [m]
    float size;        // distance of ridges, radius of the crater, length of a meander [m]
    float width;       // of the channel, the bar, the dam [m]
    float floor_width; // of the valley floor [m]
    float slope;       // fall of a slope or river, rise of a beach [m/m]
    float meander;     // how far the channel winds to each side [m]
    float bar;         // height of the bar in front of the beach [m]
    float noise;       // height of bumps on everything [m]
    float noise_size;  // length of the largest bumps [m]
    int octaves;       // of noise, each half as long as the one before
    float roughness;   // height of an octave against the one before
    float rocks;       // share of the river bed or beach that is set with rocks, 0 to 1
    float rock_size;   // their width [m]
} TarnTerrainDef;

TARN_API const TarnParamTable* tarn_terrain_def_table(void);
TARN_DEFAULT_DEF(TarnTerrainDef, tarn_terrain);
// Defaults that suit a kind: a crater has other sizes than a beach. What tarn_terrain_default_def
// gives are those of ridged.
TARN_DEFAULT_FROM(TarnTerrainDef, tarn_terrain_kind_def, tarn_terrain_init_kind_def,
                  TarnTerrainKind);
TARN_API TarnResult tarn_terrain_validate(TarnContext* ctx, const TarnTerrainDef* def);

// Bytes that create will allocate, 0 if the def is not valid.
TARN_API size_t tarn_terrain_memory(const TarnTerrainDef* def);
// TARN_ERR_ARG: a value out of range. On failure *out is NULL.
TARN_API TarnResult tarn_terrain_create(TarnContext* ctx, const TarnTerrainDef* def,
                                        TarnTerrain** out);
// A copy of heights that are there already. TARN_ERR_DATA: not finite, or beyond 1e5 m.
TARN_API TarnResult tarn_terrain_create_from(TarnContext* ctx, TarnView2 heights, float dx,
                                             TarnVec2 origin, TarnTerrain** out);
// The same ground on another grid: finer ones are interpolated smoothly, coarser ones averaged.
TARN_API TarnResult tarn_terrain_resample(const TarnTerrain* terrain, int nx, int nz, float dx,
                                          TarnVec2 origin, TarnTerrain** out);
TARN_API void tarn_terrain_destroy(TarnTerrain* terrain); // NULL is fine

// ---- Reading it ---------------------------------------------------------------------------------

// Views are valid until destroy; rows lie one behind the other (stride is nx). Any thread.
TARN_API TarnView2 tarn_terrain_heights(const TarnTerrain* terrain); // y [m]
TARN_API float tarn_terrain_dx(const TarnTerrain* terrain);
TARN_API TarnVec2 tarn_terrain_origin(const TarnTerrain* terrain);
TARN_API void tarn_terrain_range(const TarnTerrain* terrain, float* lowest, float* highest);
// Where an .asc file lies on the map: easting and northing of the corner at the first cell (north
// west) [m or degrees]. x + east - origin.x is the easting, north - (z - origin.y) the northing.
// 0, 0 if nothing is known.
TARN_API void tarn_terrain_place(const TarnTerrain* terrain, double* east, double* north);

// Height at a point [m]: linear between cell centers.
TARN_API float tarn_terrain_sample(const TarnTerrain* terrain, float x, float z);
// Cubic between cell centers (Catmull-Rom): smooth slopes out of a coarse grid.
TARN_API float tarn_terrain_sample_smooth(const TarnTerrain* terrain, float x, float z);

// The same as functions for a def's bed_fn (TarnGroundFn).
TARN_API float tarn_terrain_ground(float x, float z, void* terrain);        // a TarnTerrain
TARN_API float tarn_terrain_smooth_ground(float x, float z, void* terrain); // a TarnTerrain
// The generator itself, at any point of the plane; user is a valid TarnTerrainDef, whose grid
// (nx, nz, dx, origin) does not matter.
TARN_API float tarn_terrain_made_ground(float x, float z, void* def);

// ---- Files --------------------------------------------------------------------------------------

typedef enum TarnTerrainFormat {
    TARN_TERRAIN_AUTO, // read: by the content; write: by the ending of the file's name
    TARN_TERRAIN_PNG,  // gray, 16 bits; 8 bits, alpha and colors (the first channel) are read too
    TARN_TERRAIN_ASC,  // ESRI ASCII grid
    TARN_TERRAIN_RAW,  // nx * nz 32-bit floats, little endian, x fastest
} TarnTerrainFormat;

typedef enum TarnTerrainHoles { // what stands in for the NODATA values of an .asc file
    TARN_HOLES_AROUND,          // the ground around them
    TARN_HOLES_LOWEST,          // the lowest height in the file
    TARN_HOLES_REFUSE,          // an error
} TarnTerrainHoles;

// How to read or write. Start from tarn_terrain_default_file_def().
typedef struct TarnTerrainFileDef {
    uint32_t cookie; // set by tarn_terrain_default_file_def, leave alone
    int format;      // TarnTerrainFormat
    int nx, nz;      // reading raw: its cells. Others: 0, or what the file must have
    float dx;        // reading: cell size [m]. 0: what the file says, else 1 m
    TarnVec2 origin; // reading: x, z of the grid corner [m]
    float low, high; // heights of black and white in a PNG [m]. Equal: reading, what the file
                     // says, else 0 and 1; writing, the lowest and highest
    int holes;       // TarnTerrainHoles
} TarnTerrainFileDef;

TARN_API const TarnParamTable* tarn_terrain_file_table(void);
TARN_DEFAULT(TarnTerrainFileDef, tarn_terrain_default_file_def, tarn_terrain_init_file_def);

// From the bytes of a file; they may hold anything. name is for the sentences of errors. def may be
// NULL. TARN_ERR_DATA: the file is damaged or of another kind; the sentence says what and where.
TARN_API TarnResult tarn_terrain_read(TarnContext* ctx, const void* bytes, size_t size,
                                      const char* name, const TarnTerrainFileDef* def,
                                      TarnTerrain** out);
// To bytes. *size: what is needed, also when TARN_ERR_CAPACITY is returned. def may be NULL; format
// must not be auto. Reading them again gives the same heights: of .asc and raw exactly, of a PNG to
// (high - low) / 131070, heights beyond low and high cut off.
TARN_API TarnResult tarn_terrain_write(const TarnTerrain* terrain, const TarnTerrainFileDef* def,
                                       void* bytes, size_t capacity, size_t* size);
// The same with files of the operating system. TARN_ERR_IO: it refused, the sentence says why.
TARN_API TarnResult tarn_terrain_read_file(TarnContext* ctx, const char* path,
                                           const TarnTerrainFileDef* def, TarnTerrain** out);
TARN_API TarnResult tarn_terrain_write_file(const TarnTerrain* terrain, const char* path,
                                            const TarnTerrainFileDef* def);

#ifdef __cplusplus
}
#endif
