// libFuzzer target for terrain files. The first byte chooses how the rest is used:
//   0  as a file of any kind
//   1  as a raw file of a size that fits
//   2  as the chunks of a PNG: kind and bytes, with lengths and checksums set right, so that what
//      lies behind them is reached
//   3  as a zlib stream, unpacked into 64 kB
// Refused: a sentence, and nothing stays allocated. Read: all heights are finite, and the terrain is
// the same after writing and reading it once more.

#include "grid/terrain_internal.h"
#include "io/deflate.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static void require(bool condition)
{
    if (!condition) abort();
}

static void write_again(TarnContext* ctx, const TarnTerrain* terrain)
{
    TarnTerrainFileDef def = tarn_terrain_default_file_def();
    def.format = TARN_TERRAIN_ASC;
    size_t size, n = (size_t)terrain->nx * (size_t)terrain->nz;
    require(tarn_terrain_write(terrain, &def, NULL, 0, &size) == TARN_ERR_CAPACITY);
    char* bytes = malloc(size);
    require(tarn_terrain_write(terrain, &def, bytes, size, &size) == TARN_OK);
    TarnTerrain* back;
    require(tarn_terrain_read(ctx, bytes, size, "again", NULL, &back) == TARN_OK);
    for (size_t c = 0; c < n; ++c) require(back->heights[c] == terrain->heights[c]);
    tarn_terrain_destroy(back);
    free(bytes);
}

static void try_file(TarnContext* ctx, const uint8_t* bytes, size_t size,
                     const TarnTerrainFileDef* def)
{
    TarnTerrain* terrain;
    TarnResult result = tarn_terrain_read(ctx, bytes, size, "fuzz", def, &terrain);
    if (result != TARN_OK) {
        require(terrain == NULL && tarn_last_error(ctx)[0] != '\0');
        return;
    }
    size_t n = (size_t)terrain->nx * (size_t)terrain->nz;
    require(tarn__all_within(terrain->heights, n, terrain_limit));
    require(terrain->lowest <= terrain->highest && terrain->dx > 0.0f);
    if (n < 10000) write_again(ctx, terrain);
    tarn_terrain_destroy(terrain);
}

static void put32(uint8_t* p, uint32_t v)
{
    for (int b = 0; b < 4; ++b) p[b] = (uint8_t)(v >> (24 - 8 * b));
}

// Chunks: one byte of kind, one of length, the bytes.
static void try_png(TarnContext* ctx, const uint8_t* data, size_t size)
{
    static const char* const kinds[] = { "IHDR", "IDAT", "IDAT", "IEND", "tEXt", "PLTE", "tIME" };
    uint8_t* png = malloc(8 + 14 * (size + 1));
    size_t n = 8;
    memcpy(png, "\x89PNG\r\n\x1a\n", 8);
    while (size >= 2) {
        const char* kind = kinds[data[0] % 7];
        size_t length = data[1] < size - 2 ? data[1] : size - 2;
        put32(png + n, (uint32_t)length);
        memcpy(png + n + 4, kind, 4);
        memcpy(png + n + 8, data + 2, length);
        put32(png + n + 8 + length, tarn__crc32(0, png + n + 4, length + 4));
        n += length + 12;
        data += length + 2, size -= length + 2;
    }
    uint8_t* exact = malloc(n);
    memcpy(exact, png, n);
    try_file(ctx, exact, n, NULL);
    free(exact);
    free(png);
}

static bool no_more(InflateSource* source)
{
    (void)source;
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    static TarnContext* ctx;
    TarnContextDef context = tarn_context_default_def();
    if (ctx == NULL) require(tarn_context_create(&context, &ctx) == TARN_OK);
    if (size == 0) return 0;
    int how = data[0] % 4;
    ++data, --size;
    if (how == 0) {
        try_file(ctx, data, size, NULL);
    } else if (how == 1) {
        TarnTerrainFileDef def = tarn_terrain_default_file_def();
        def.format = TARN_TERRAIN_RAW, def.nx = 2, def.nz = (int)(size / 8);
        try_file(ctx, data, size / 8 * 8, &def);
    } else if (how == 2) {
        try_png(ctx, data, size);
    } else {
        static uint8_t out[1 << 16];
        InflateSource source = { .at = data, .end = data + size, .next = no_more };
        tarn__inflate(&source, out, size % 2 ? sizeof out : size % 1000);
    }
    return 0;
}
