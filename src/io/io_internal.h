// Inside src only: what the readers and writers of terrain files share.
#pragma once

#include "grid/terrain_internal.h"
#include "io/file.h"

// A file in memory, with a name for messages.
typedef struct Input {
    TarnContext* ctx;
    const char* name;
    const uint8_t* bytes;
    size_t size;
    TarnTerrainFileDef def;
} Input;

// Readers: on failure nothing stays allocated and *out is NULL.
TarnResult tarn__read_png(const Input* in, TarnTerrain** out);
TarnResult tarn__read_asc(const Input* in, TarnTerrain** out);
TarnResult tarn__read_raw(const Input* in, TarnTerrain** out);

// Refuses sizes that no terrain has, or that the def did not ask for.
TarnResult tarn__check_size(const Input* in, int64_t nx, int64_t nz);
// The cell size: what the def says, else the file (0: it does not), else 1 m.
TarnResult tarn__choose_dx(const Input* in, double from_file, float* dx);

// Writers return TARN_OK or TARN_ERR_MEMORY; whether it did fit is the caller's question.
TarnResult tarn__write_png(const TarnTerrain* terrain, float low, float high, Output* out);
void tarn__write_asc(const TarnTerrain* terrain, Output* out);
void tarn__write_raw(const TarnTerrain* terrain, Output* out);

// Cells that are NaN take heights from around them. At least one must not be. TARN_ERR_MEMORY.
TarnResult tarn__fill_holes(TarnContext* ctx, float* heights, int nx, int nz);
