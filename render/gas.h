// What the files of the renderer share about gases: volumes, their light, the looks of particles.
// Included by liquids.h.
#pragma once

enum {
    MAX_GASES = TARN_FRAME_MAX_GASES,
    MAX_BOXES = 4,       // marched at once; more are drawn group by group, the farthest first
    MAX_FIRES = 8,       // lights that stand for all that glows
    MAX_CELLS = 1 << 22, // of a volume; larger ones are thinned
    LIGHT_CELLS = 64,    // of the light volume along its longest side
    MAX_LOOKS = 256,
    HEAT_TEXELS = 256,
};

// ---- Black bodies (black_body.c) ---------------------------------------------------------------

#define TARN_HOTTEST 5000.0f // end of the table [K]
// Linear sRGB of a black body; its luminance goes with the fourth power, 1 at 1500 K, and fades out below
// what the eye sees.
TarnVec3 tarn__black_body(float kelvin);
TarnVec2 tarn__planckian_xy(float kelvin);          // CIE 1931 chromaticity
void tarn__heat_table(TarnVec3 table[HEAT_TEXELS]); // of it, from 0 to the hottest
TarnVec3 tarn__heat_color(const TarnVec3* table, float kelvin);

// ---- Volumes (gas.c) ---------------------------------------------------------------------------

typedef struct GasVolume {
    int nx, ny, nz;          // after thinning
    TarnVec3 origin, lo, hi; // of the grid; of what is not empty in it [m]
    float dx;                // after thinning [m]
    bool is_empty, has_heat, has_color;
    float glow;    // emission of a luminance of 1 [1/m]
    float soot;    // extinction by flames [1/m]
    float ambient; // [K]
    TarnVec3 color;
    const TarnVec3* heat; // table
    float* cells;         // 2 per cell: extinction [1/m], temperature over the ambient [K]
    size_t bytes;
    GLuint texture, dye;
    int texture_cells[3], dye_cells[3]; // that they were made for
} GasVolume;

// ---- Light (gas_light.c) -----------------------------------------------------------------------

typedef struct Fire {      // what a glowing thing does as a lamp
    TarnVec3 place, color; // color: radiance times area [m^2]
    float radius;          // [m]
    bool is_in_mirrors;    // of basins: they show it already, and no lamp in its place
} Fire;

// A coarse grid over all that is not empty. What it holds is soft, and costs little.
typedef struct GasLight {
    bool is_empty;
    int nx, ny, nz;
    TarnVec3 lo;
    float s;           // cell [m]
    float* extinction; // [1/m]
    float* glow;       // luminance sent out [1/m]
    float* light; // 4 per cell: share of the sun, of the sky, of the ground that is seen; of fire
    float* slices[2]; // of a sweep
    uint16_t* halves;
    size_t bytes;
    int capacity; // cells
    Fire fires[MAX_FIRES];
    int n_fires;
    TarnVec3 fire_color; // of a luminance of 1
} GasLight;

typedef struct GasBounds {
    TarnVec3 lo, hi;
    float finest; // smallest cell [m]
} GasBounds;

// Empty cells over the box; is_empty if it is.
TarnResult tarn__gas_light_begin(TarnContext* ctx, GasLight* light, const GasBounds* bounds);
void tarn__gas_light_add(GasLight* light, const GasVolume* volume);
// A round thing that hides `area` [m^2] and sends out `glow`, radiance times area.
void tarn__gas_light_splat(GasLight* light, TarnVec3 at, float area, TarnVec3 glow);
void tarn__gas_light_fire(GasLight* light, const Fire* fire);
int tarn__lamps(const TarnFrame* frame,
                GasLight* light); // adds them, returns how many; NULL counts
void tarn__gas_light_finish(GasLight* light, TarnVec3 sun); // sun: towards it, length 1
void tarn__gas_light_at(const GasLight* light, TarnVec3 p, float out[4]);
void tarn__gas_light_free(TarnContext* ctx, GasLight* light);

// ---- The whole (gas.c, gas_passes.c) -----------------------------------------------------------

typedef struct Gas {
    bool is_ready;
    int n; // volumes that are not empty, the farthest first
    GasVolume volumes[MAX_GASES];
    int order[MAX_GASES];
    bool is_seen;  // is there anything that needs the light volume?
    bool has_glow; // does anything glow?
    GasLight light;
    TarnVec3 heat[HEAT_TEXELS];
    GLuint light_texture, heat_texture;
    int light_cells[3];
    uint16_t* halves; // what is uploaded
    size_t halves_bytes;
    int coarse;                             // pixels per ray of the march, 1 or 2
    Target march, cloud[2], bloom[2];       // clouds of particles at half and a quarter of the size
    Program march_program[2][2][MAX_BOXES]; // with heat, with colors, by the number of boxes
    Program over, cloud_over, hot, studio, body, look, flat_look;
} Gas;

struct TarnRenderer;
TarnResult tarn__check_gases(TarnContext* ctx, const TarnFrame* frame);
// Volumes and light of a frame; before the constants are uploaded.
TarnResult tarn__gas_update(struct TarnRenderer* r, const TarnFrame* frame);
TarnResult tarn__gas_prepare(struct TarnRenderer* r); // what is made once
TarnResult tarn__gas_programs(struct TarnRenderer* r);
TarnResult tarn__gas_march_program(struct TarnRenderer* r, bool has_heat, bool has_color, int n);
TarnResult tarn__gas_draw(struct TarnRenderer* r); // over the canvas
void tarn__gas_bloom(struct TarnRenderer* r);
void tarn__gas_destroy(struct TarnRenderer* r); // what is on the GPU
void tarn__gas_free(TarnContext* ctx, Gas* gas);
