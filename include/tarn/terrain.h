// tarn/terrain.h: ground that is generated, or read from and written to files.
//
// A terrain is a grid of heights y [m] in the xz plane; cell (i, k) is centered at origin + ((i, k) + 0.5) *
// dx, as in the solvers. Heights are interpolated between the centers, and continue from the border outside.
// A solver can take the heights as an array, or the terrain or the generator itself as a function of (x, z),
// which a moving window calls for new ground.
//
//     TarnTerrainDef def = tarn_terrain_default_def();
//     def.kind = TARN_TERRAIN_RIVER_VALLEY;
//     TarnTerrain* land;
//     tarn_terrain_create(ctx, &def, &land);
//     water.bed = tarn_terrain_heights(land).data;                    // same grid, or
//     water.bed_fn = tarn_terrain_ground, water.bed_user = land;      // any grid, or
//     water.bed_fn = tarn_terrain_made_ground, water.bed_user = &def; // unlimited
//
// File formats: 16- or 8-bit PNG, ESRI ASCII grid (.asc), raw 32-bit floats. On a map x points east and z
// points south, so the first row of a picture or grid, its northern edge, is the first row here. Kinds,
// parameters and formats with pictures: docs/terrain.md
#pragma once

#include "tarn/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TarnTerrain TarnTerrain;

enum { TARN_TERRAIN_MAX_SIDE = 16384 }; // cells along x and along z

typedef enum TarnTerrainKind {
    TARN_TERRAIN_FLAT,         // level ground
    TARN_TERRAIN_SLOPE,        // a plane that descends toward +x
    TARN_TERRAIN_BOWL,         // a paraboloid
    TARN_TERRAIN_STEPS,        // two basins side by side, one higher, with a dam between them
    TARN_TERRAIN_CRATER,       // a floor, wall and rim, with ejecta around it
    TARN_TERRAIN_ISLAND,       // an island in the sea
    TARN_TERRAIN_BEACH,        // sea floor at -x, a bar, a beach and dunes at +x
    TARN_TERRAIN_RIVER_VALLEY, // a channel that winds down toward +x between valley walls
    TARN_TERRAIN_RIDGED,       // mountains: ridged multifractal noise
} TarnTerrainKind;

// Start from tarn_terrain_default_def(). What a parameter means for each kind: docs/terrain.md.
typedef struct TarnTerrainDef {
    uint32_t cookie;   // set by tarn_terrain_default_def; leave it alone
    int kind;          // TarnTerrainKind
    int nx, nz;        // cells along x and z
    float dx;          // cell size [m]
    TarnVec2 origin;   // x, z of the grid corner [m]
    int seed;          // each value gives a different terrain of the same kind
    TarnVec2 center;   // of crater, bowl and island; line of beach (x), river (z) and dam (x) [m]
    float base;        // y of the plain, the sea level, or the river bank at center [m]
    float height;      // of mountains, walls, rim, dunes, island or upper basin above base [m]
    float depth;       // of the channel, crater floor, sea floor or basins [m]
    float size;        // distance between ridges, radius of the crater, length of a meander [m]
    float width;       // of the channel, the bar or the dam [m]
    float floor_width; // of the valley floor [m]
    float slope;       // gradient of a slope, river or beach [m/m]
    float meander;     // how far the channel winds to each side [m]
    float bar;         // height of the bar in front of the beach [m]
    float noise;       // height of bumps, on all kinds [m]
    float noise_size;  // length of the largest bumps [m]
    int octaves;       // of noise, each with half the length of the one before
    float roughness;   // height of an octave relative to the one before; larger is rougher
    float rocks;       // share of the river bed or beach covered with rocks, 0 to 1
    float rock_size;   // width of rocks [m]
    int ledges;        // that a river falls over
    float ledge_height, ledge_spacing; // of each, and from one to the next [m]
} TarnTerrainDef;

TARN_API const TarnParamTable* tarn_terrain_def_table(void);
TARN_DEFAULT_DEF(TarnTerrainDef, tarn_terrain);
// Returns defaults that suit a kind, since a crater has other sizes than a beach. tarn_terrain_default_def
// returns those of TARN_TERRAIN_RIDGED.
TARN_DEFAULT_FROM(TarnTerrainDef, tarn_terrain_kind_def, tarn_terrain_init_kind_def,
                  TarnTerrainKind);
// Checks a def. TARN_ERR_ARG: a value is out of range.
TARN_API TarnResult tarn_terrain_validate(TarnContext* ctx, const TarnTerrainDef* def);

// Returns the bytes that create will allocate; 0 if the def is invalid.
TARN_API size_t tarn_terrain_memory(const TarnTerrainDef* def);
// Creates a terrain with a generator. TARN_ERR_ARG: a value is out of range. On failure *out is NULL.
TARN_API TarnResult tarn_terrain_create(TarnContext* ctx, const TarnTerrainDef* def,
                                        TarnTerrain** out);
// Creates a terrain from a copy of existing heights. TARN_ERR_DATA: a height is not finite or beyond +-1e5 m.
TARN_API TarnResult tarn_terrain_create_from(TarnContext* ctx, TarnView2 heights, float dx,
                                             TarnVec2 origin, TarnTerrain** out);
// Creates a copy on another grid: finer grids are interpolated smoothly, coarser ones averaged.
TARN_API TarnResult tarn_terrain_resample(const TarnTerrain* terrain, int nx, int nz, float dx,
                                          TarnVec2 origin, TarnTerrain** out);
TARN_API void tarn_terrain_destroy(TarnTerrain* terrain); // NULL is fine

// ---- Queries -------------------------------------------------------------------------------------

// Any thread may call these. The view is valid until destroy and has no gaps between rows (stride is nx).
TARN_API TarnView2 tarn_terrain_heights(const TarnTerrain* terrain); // y [m]
TARN_API float tarn_terrain_dx(const TarnTerrain* terrain);
TARN_API TarnVec2 tarn_terrain_origin(const TarnTerrain* terrain);
TARN_API void tarn_terrain_range(const TarnTerrain* terrain, float* lowest, float* highest);
// Writes where an .asc file lies on the map: easting and northing of its northwest corner, at the first cell
// [m or degrees]. The easting of x is x + east - origin.x, the northing of z is north - (z - origin.y). 0, 0
// if the place is not known.
TARN_API void tarn_terrain_place(const TarnTerrain* terrain, double* east, double* north);

// Returns the height at a point [m], interpolated linearly between cell centers.
TARN_API float tarn_terrain_sample(const TarnTerrain* terrain, float x, float z);
// Returns the height with cubic interpolation (Catmull-Rom), for smooth slopes from a coarse grid.
TARN_API float tarn_terrain_sample_smooth(const TarnTerrain* terrain, float x, float z);

// The same two as functions for the bed_fn of a def (TarnGroundFn).
TARN_API float tarn_terrain_ground(float x, float z, void* terrain);        // a TarnTerrain
TARN_API float tarn_terrain_smooth_ground(float x, float z, void* terrain); // a TarnTerrain
// Evaluates the generator itself at any point of the plane. def is a valid TarnTerrainDef; its grid (nx, nz,
// dx, origin) does not matter.
TARN_API float tarn_terrain_made_ground(float x, float z, void* def);

// ---- Files --------------------------------------------------------------------------------------

typedef enum TarnTerrainFormat {
    TARN_TERRAIN_AUTO, // reading: from the contents; writing: from the file extension
    TARN_TERRAIN_PNG,  // 16-bit gray; reads also 8 bits, alpha and color (first channel)
    TARN_TERRAIN_ASC,  // ESRI ASCII grid
    TARN_TERRAIN_RAW,  // nx * nz 32-bit floats, little endian, x fastest
} TarnTerrainFormat;

typedef enum TarnTerrainHoles { // what replaces the NODATA values of an .asc file
    TARN_HOLES_AROUND,          // interpolated from the ground around them
    TARN_HOLES_LOWEST,          // the lowest height in the file
    TARN_HOLES_REFUSE,          // TARN_ERR_DATA
} TarnTerrainHoles;

// Options for reading and writing. Start from tarn_terrain_default_file_def().
typedef struct TarnTerrainFileDef {
    uint32_t cookie; // set by tarn_terrain_default_file_def; leave it alone
    int format;      // TarnTerrainFormat
    int nx,
        nz;   // reading: number of cells; required for raw, otherwise 0 or what the file must have
    float dx; // reading: cell size [m]; 0: that of the file, or 1 m if it has none
    TarnVec2 origin; // reading: x, z of the grid corner [m]
    // Heights of black and white in a PNG [m]. If equal: reading takes them from the file, or 0 and 1 if it
    // has none; writing takes the lowest and highest height.
    float low, high;
    int holes; // TarnTerrainHoles
} TarnTerrainFileDef;

TARN_API const TarnParamTable* tarn_terrain_file_table(void);
TARN_DEFAULT(TarnTerrainFileDef, tarn_terrain_default_file_def, tarn_terrain_init_file_def);

// Creates a terrain from the bytes of a file, which are not trusted. name is used in messages only. def may
// be NULL. TARN_ERR_DATA: the file is damaged or of another format; the message says what and where.
TARN_API TarnResult tarn_terrain_read(TarnContext* ctx, const void* bytes, size_t size,
                                      const char* name, const TarnTerrainFileDef* def,
                                      TarnTerrain** out);
// Writes a terrain to memory. *size is the number of bytes needed, also when TARN_ERR_CAPACITY is returned.
// def may be NULL; its format must not be TARN_TERRAIN_AUTO. Reading back gives the same heights, exactly for
// .asc and raw, to (high - low) / 131070 for PNG, which clamps heights to low and high.
TARN_API TarnResult tarn_terrain_write(const TarnTerrain* terrain, const TarnTerrainFileDef* def,
                                       void* bytes, size_t capacity, size_t* size);
// Read and write files. TARN_ERR_IO: the file cannot be opened, read or written; the message says why.
TARN_API TarnResult tarn_terrain_read_file(TarnContext* ctx, const char* path,
                                           const TarnTerrainFileDef* def, TarnTerrain** out);
TARN_API TarnResult tarn_terrain_write_file(const TarnTerrain* terrain, const char* path,
                                            const TarnTerrainFileDef* def);

#ifdef __cplusplus
}
#endif
