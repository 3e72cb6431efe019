// Height pictures: PNG in, PNG out. Written from the PNG specification (ISO 15948).
//
// Read     gray of 8 or 16 bits, also with alpha or in colors (the first channel counts), not
//          interlaced; checksums of every chunk and of the picture are checked. The size is held
//          against what the compressed data can hold before memory is asked for.
// Write    gray of 16 bits; a text chunk "tarn terrain" keeps the heights of black and white and the
//          cell size, so that our own files need no further words.
// Checked  tests/unit/test_io_png.c, tests/robust/fuzz_terrain.c.

#include "base/maths.h"
#include "io/deflate.h"
#include "io/io_internal.h"

static const uint8_t signature[8] = { 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n' };
static const char key[] = "tarn terrain"; // with the zero that ends it

typedef struct Png {
    const Input* in;
    int nx, nz;
    int depth, channels; // bits, values per pixel
    size_t first_data;   // offset of the first IDAT chunk
    size_t data_bytes;   // in all of them
    bool has_scale;
    double low, high, dx; // from the text chunk
} Png;

static uint32_t big_endian(const uint8_t* p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static TarnResult fail(const Input* in, const char* what)
{
    return tarn__fail(in->ctx, TARN_ERR_DATA, "%s: %s", in->name, what);
}

// ---- Chunks ------------------------------------------------------------------------------------

static TarnResult read_head(Png* png, const uint8_t* p)
{
    const Input* in = png->in;
    static const uint8_t channels[7] = { 1, 0, 3, 0, 2, 0, 4 };
    int64_t nx = big_endian(p), nz = big_endian(p + 4);
    int color = p[9];
    png->depth = p[8];
    TARN_TRY(tarn__check_size(in, nx, nz));
    if (color == 3) return fail(in, "this PNG has a palette; save it as 16-bit gray");
    if (color > 6 || channels[color] == 0)
        return fail(in, "the PNG header has an unknown color type");
    if (png->depth != 8 && png->depth != 16)
        return tarn__fail(in->ctx, TARN_ERR_DATA,
                          "%s: this PNG has %d bits per channel; save it with 16 or 8", in->name,
                          png->depth);
    if (p[10] != 0 || p[11] != 0) return fail(in, "the PNG header has an unknown compression");
    if (p[12] != 0) return fail(in, "this PNG is interlaced; save it without interlacing");
    png->nx = (int)nx, png->nz = (int)nz;
    png->channels = channels[color];
    return TARN_OK;
}

// "low 0 high 120 dx 1": three numbers, in this order. Anything else is somebody else's text.
static void read_text(Png* png, const uint8_t* p, size_t n)
{
    static const char* const words[] = { "low ", " high ", " dx " };
    double* values[] = { &png->low, &png->high, &png->dx };
    char text[128];
    if (n <= sizeof key || n - sizeof key >= sizeof text || memcmp(p, key, sizeof key) != 0) return;
    memcpy(text, p + sizeof key, n - sizeof key);
    text[n - sizeof key] = '\0';
    const char* at = text;
    for (int w = 0; w < 3; ++w) {
        if (strncmp(at, words[w], strlen(words[w])) != 0) return;
        at += strlen(words[w]);
        const char* end = tarn__decimal_end(at);
        if (end == NULL) return;
        *values[w] = tarn__decimal(at, end);
        at = end;
    }
    png->has_scale = fabs(png->low) <= 1e5 && fabs(png->high) <= 1e5 && png->low < png->high &&
                     png->dx >= 1e-4 && png->dx <= 1e4;
}

static TarnResult read_chunks(Png* png)
{
    const Input* in = png->in;
    bool has_head = false, is_data_over = false;
    for (size_t at = sizeof signature;;) {
        if (in->size - at < 12) return fail(in, "the file ends in the middle of the PNG");
        const uint8_t* p = in->bytes + at;
        size_t n = big_endian(p), left = in->size - at - 12;
        bool is_data = memcmp(p + 4, "IDAT", 4) == 0, is_head = memcmp(p + 4, "IHDR", 4) == 0;
        if (n > left) return fail(in, "the file ends in the middle of a PNG chunk");
        if (tarn__crc32(0, p + 4, n + 4) != big_endian(p + 8 + n))
            return tarn__fail(
                in->ctx, TARN_ERR_DATA,
                "%s: the checksum of the chunk at byte %zu is wrong: the file is damaged", in->name,
                at);
        if (has_head == is_head || (is_head && n != 13))
            return fail(in, "the PNG does not begin with a header of 13 bytes");
        if (is_head) TARN_TRY(read_head(png, p + 8));
        has_head = true;
        if (memcmp(p + 4, "tEXt", 4) == 0) read_text(png, p + 8, n);
        if (is_data && is_data_over) return fail(in, "the data of the PNG are not contiguous");
        if (is_data && png->first_data == 0) png->first_data = at;
        if (is_data) png->data_bytes += n;
        is_data_over = png->first_data != 0 && !is_data;
        if (memcmp(p + 4, "IEND", 4) == 0) break;
        bool is_known = is_data || is_head || memcmp(p + 4, "PLTE", 4) == 0;
        if (!is_known && (p[4] & 32) == 0)
            return fail(in, "the PNG requires a chunk type that is not supported");
        at += n + 12;
    }
    return png->first_data != 0 ? TARN_OK : fail(in, "the PNG contains no picture");
}

// The compressed data go on in the next chunk, if that is one of them. All chunks were checked.
static bool next_data(InflateSource* source)
{
    const Png* png = source->user;
    const uint8_t* chunk = source->at == NULL ? png->in->bytes + png->first_data
                                              : source->end + 4; // behind the checksum
    if (memcmp(chunk + 4, "IDAT", 4) != 0) return false;
    source->at = chunk + 8;
    source->end = source->at + big_endian(chunk);
    return true;
}

// ---- Rows --------------------------------------------------------------------------------------

static uint8_t paeth(int left, int up, int corner)
{
    int guess = left + up - corner;
    int dl = guess > left ? guess - left : left - guess, du = guess > up ? guess - up : up - guess;
    int dc = guess > corner ? guess - corner : corner - guess;
    return (uint8_t)(dl <= du && dl <= dc ? left : du <= dc ? up : corner);
}

static uint8_t predict(int filter, int left, int up, int corner)
{
    switch (filter) {
    case 1:
        return (uint8_t)left;
    case 2:
        return (uint8_t)up;
    case 3:
        return (uint8_t)((left + up) / 2);
    case 4:
        return paeth(left, up, corner);
    default:
        return 0;
    }
}

// raw: rows of one filter byte and n bytes. Undoes the filters in place.
static bool undo_filters(uint8_t* raw, int rows, size_t n, size_t pixel)
{
    for (int k = 0; k < rows; ++k) {
        uint8_t* row = raw + (size_t)k * (n + 1) + 1;
        const uint8_t* above = row - (n + 1);
        int filter = row[-1];
        if (filter > 4) return false;
        for (size_t i = 0; i < n; ++i) {
            int left = i >= pixel ? row[i - pixel] : 0, up = k > 0 ? above[i] : 0;
            int corner = k > 0 && i >= pixel ? above[i - pixel] : 0;
            row[i] = (uint8_t)(row[i] + predict(filter, left, up, corner));
        }
    }
    return true;
}

static void to_heights(const Png* png, const uint8_t* raw, size_t row_bytes, TarnTerrain* t)
{
    const TarnTerrainFileDef* def = &png->in->def;
    double low = 0.0, high = 1.0;
    if (def->low != def->high)
        low = (double)def->low, high = (double)def->high;
    else if (png->has_scale)
        low = png->low, high = png->high;
    size_t step = (size_t)(png->channels * png->depth / 8);
    double most = png->depth == 16 ? 65535.0 : 255.0;
    for (int k = 0; k < t->nz; ++k) {
        const uint8_t* p = raw + (size_t)k * (row_bytes + 1) + 1;
        for (int i = 0; i < t->nx; ++i, p += step) {
            double v = png->depth == 16 ? p[0] * 256 + p[1] : p[0];
            t->heights[(size_t)k * (size_t)t->nx + (size_t)i] =
                (float)(low + (high - low) * (v / most));
        }
    }
}

static TarnResult unpack(Png* png, uint8_t* raw, size_t row_bytes, TarnTerrain** out)
{
    const Input* in = png->in;
    InflateSource source = { .next = next_data, .user = png };
    const char* error = tarn__inflate(&source, raw, (size_t)png->nz * (row_bytes + 1));
    if (error != NULL) return fail(in, error);
    size_t pixel = (size_t)(png->channels * png->depth / 8);
    if (!undo_filters(raw, png->nz, row_bytes, pixel))
        return fail(in, "a row of the PNG has an unknown filter");
    float dx;
    TARN_TRY(tarn__choose_dx(in, png->has_scale ? png->dx : 0.0, &dx));
    TARN_TRY(tarn__terrain_new(in->ctx, png->nx, png->nz, dx, in->def.origin, out));
    to_heights(png, raw, row_bytes, *out);
    return TARN_OK;
}

TarnResult tarn__read_png(const Input* in, TarnTerrain** out)
{
    Png png = { .in = in };
    if (in->size < sizeof signature || memcmp(in->bytes, signature, sizeof signature) != 0)
        return fail(in, "this is not a PNG file");
    TARN_TRY(read_chunks(&png));
    size_t row_bytes = (size_t)png.nx * (size_t)(png.channels * png.depth / 8);
    size_t raw_bytes = (size_t)png.nz * (row_bytes + 1);
    // A match gives 258 bytes for two bits at best.
    if (raw_bytes / 1032 > png.data_bytes)
        return fail(in, "the PNG announces more pixels than its data can hold");
    uint8_t* raw = tarn__alloc(in->ctx, raw_bytes);
    if (raw == NULL)
        return tarn__fail(in->ctx, TARN_ERR_MEMORY, "%s: out of memory for a picture of %d x %d",
                          in->name, png.nx, png.nz);
    TarnResult result = unpack(&png, raw, row_bytes, out);
    tarn__free(in->ctx, raw, raw_bytes);
    return result;
}

// ---- Writing -----------------------------------------------------------------------------------

static void put_chunk(Output* out, const char* type, const uint8_t* bytes, size_t n)
{
    uint32_t crc = tarn__crc32(tarn__crc32(0, (const uint8_t*)type, 4), bytes, n);
    uint8_t head[4] = { (uint8_t)(n >> 24), (uint8_t)(n >> 16), (uint8_t)(n >> 8), (uint8_t)n };
    uint8_t tail[4] = { (uint8_t)(crc >> 24), (uint8_t)(crc >> 16), (uint8_t)(crc >> 8),
                        (uint8_t)crc };
    tarn__put(out, head, 4);
    tarn__put(out, type, 4);
    tarn__put(out, bytes, n);
    tarn__put(out, tail, 4);
}

static void put_head(Output* out, const TarnTerrain* t, float low, float high)
{
    uint8_t head[13] = { 0, 0, (uint8_t)(t->nx >> 8), (uint8_t)t->nx,
                         0, 0, (uint8_t)(t->nz >> 8), (uint8_t)t->nz,
                         16 };
    put_chunk(out, "IHDR", head, sizeof head);
    char text[sizeof key + 3 * (NUMBER_TEXT + 8)];
    Output words = { .bytes = (uint8_t*)text, .capacity = sizeof text };
    char number[NUMBER_TEXT];
    tarn__put(&words, key, sizeof key);
    tarn__put(&words, "low ", 4);
    tarn__put(&words, number, (size_t)tarn__float_text(low, number));
    tarn__put(&words, " high ", 6);
    tarn__put(&words, number, (size_t)tarn__float_text(high, number));
    tarn__put(&words, " dx ", 4);
    tarn__put(&words, number, (size_t)tarn__float_text(t->dx, number));
    put_chunk(out, "tEXt", (const uint8_t*)text, words.n);
}

static void to_gray(const TarnTerrain* t, int k, double low, double high, uint8_t* row)
{
    for (int i = 0; i < t->nx; ++i) {
        double y = (double)t->heights[(size_t)k * (size_t)t->nx + (size_t)i];
        double v = (y - low) / (high - low) * 65535.0 + 0.5;
        int gray = v < 0.0 ? 0 : v > 65535.0 ? 65535 : (int)v;
        row[2 * i] = (uint8_t)(gray >> 8), row[2 * i + 1] = (uint8_t)gray;
    }
}

// Of the five filters the one that leaves the smallest numbers.
static void filter_row(const uint8_t* row, const uint8_t* above, size_t n, uint8_t* out)
{
    uint64_t least = UINT64_MAX;
    int best = 0;
    for (int filter = 0; filter < 5; ++filter) {
        uint64_t sum = 0;
        for (size_t i = 0; i < n; ++i) {
            int left = i >= 2 ? row[i - 2] : 0, corner = i >= 2 ? above[i - 2] : 0;
            int rest = (int8_t)(row[i] - predict(filter, left, above[i], corner));
            sum += (uint64_t)(rest < 0 ? -rest : rest);
        }
        if (sum < least) least = sum, best = filter;
    }
    out[0] = (uint8_t)best;
    for (size_t i = 0; i < n; ++i) {
        int left = i >= 2 ? row[i - 2] : 0, corner = i >= 2 ? above[i - 2] : 0;
        out[i + 1] = (uint8_t)(row[i] - predict(best, left, above[i], corner));
    }
}

TarnResult tarn__write_png(const TarnTerrain* t, float low, float high, Output* out)
{
    size_t n = 2 * (size_t)t->nx, raw_bytes = (size_t)t->nz * (n + 1);
    TarnLayout layout = { 0 };
    size_t rows = tarn__layout_add(&layout, 2 * n), raw = tarn__layout_add(&layout, raw_bytes);
    size_t packed = tarn__layout_add(&layout, tarn__deflate_bound(raw_bytes));
    size_t work = tarn__layout_add(&layout, DEFLATE_WORK);
    uint8_t* block = tarn__alloc(t->ctx, layout.size);
    if (block == NULL)
        return tarn__fail(t->ctx, TARN_ERR_MEMORY,
                          "terrain: out of memory for writing a PNG of %d x %d", t->nx, t->nz);
    uint8_t *row = block + rows, *above = row + n; // above begins as zeros
    for (int k = 0; k < t->nz; ++k) {
        to_gray(t, k, (double)low, (double)high, row);
        filter_row(row, above, n, block + raw + (size_t)k * (n + 1));
        uint8_t* swap = row;
        row = above;
        above = swap;
    }
    size_t size = tarn__deflate(block + raw, raw_bytes, block + packed, block + work);
    tarn__put(out, signature, sizeof signature);
    put_head(out, t, low, high);
    for (size_t at = 0; at < size; at += (size_t)1 << 30) // a chunk has 2^31 bytes at most
        put_chunk(out, "IDAT", block + packed + at,
                  size - at < (size_t)1 << 30 ? size - at : (size_t)1 << 30);
    put_chunk(out, "IEND", signature, 0);
    tarn__free(t->ctx, block, layout.size);
    return TARN_OK;
}
