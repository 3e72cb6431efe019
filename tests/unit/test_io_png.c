// PNG files and what they are packed with: streams of others, our own way back and forth, damage.

#include "counting.h"
#include <math.h>
#include <stdio.h>
#include "base/base.h"
#include "io/deflate.h"
#include "tarn/terrain.h"

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

// ---- zlib streams --------------------------------------------------------------------------------

// The bytes of pattern(), packed by zlib with its fixed codes and with codes of their own.
static const uint8_t fixed_stream[] = {
    0x78, 0x01, 0x63, 0x60, 0x66, 0xe3, 0xe2, 0x63, 0xe6, 0xe0, 0x15, 0x12, 0xe7, 0x13, 0x91, 0x52,
    0xd4, 0x50, 0x50, 0xd7, 0x37, 0xb7, 0xb7, 0x64, 0xe2, 0x16, 0x91, 0x93, 0x54, 0xd6, 0xb3, 0x64,
    0x61, 0xe0, 0x91, 0x50, 0x31, 0xd4, 0xb7, 0xe1, 0x14, 0x57, 0x55, 0x31, 0x66, 0x12, 0x54, 0x50,
    0x34, 0x64, 0x14, 0x52, 0x56, 0x35, 0xe3, 0x90, 0xd2, 0x31, 0x60, 0x16, 0xd3, 0xb4, 0x65, 0x12,
    0xd3, 0x66, 0x10, 0x95, 0x36, 0x64, 0x97, 0x35, 0xb1, 0x11, 0xd6, 0x62, 0x92, 0x52, 0xb6, 0x11,
    0xd5, 0x63, 0x17, 0xd2, 0x61, 0x53, 0xb4, 0xe1, 0x50, 0xb6, 0x97, 0x36, 0x67, 0x55, 0xb2, 0x97,
    0xb1, 0xe2, 0x54, 0x67, 0x53, 0x65, 0x11, 0x31, 0x11, 0x31, 0x11, 0x55, 0xe7, 0xd0, 0xe4, 0xd6,
    0x65, 0x50, 0x66, 0xd3, 0xe4, 0x51, 0x64, 0xd5, 0xe4, 0x33, 0xe6, 0xd4, 0x13, 0xb1, 0x52, 0xb0,
    0x90, 0x67, 0xd3, 0x15, 0xd5, 0x13, 0xb3, 0xd7, 0x10, 0xd4, 0x16, 0xb5, 0xd7, 0x14, 0x31, 0x90,
    0x66, 0x33, 0x92, 0xb3, 0xd6, 0x10, 0x65, 0xd2, 0xe7, 0xb3, 0xd1, 0x92, 0xe4, 0xd0, 0x10, 0x67,
    0x37, 0x57, 0xe7, 0xb4, 0xd2, 0x96, 0xe1, 0x33, 0x54, 0x16, 0xe3, 0xb4, 0x51, 0x10, 0xe1, 0xb0,
    0x31, 0x14, 0xe7, 0x61, 0x34, 0xd7, 0x15, 0xe1, 0x66, 0xb2, 0x34, 0x90, 0x14, 0xe4, 0x64, 0xb2,
    0x56, 0x95, 0x93, 0x10, 0xe2, 0xb1, 0x30, 0xd6, 0xd3, 0x54, 0x15, 0xe2, 0xe3, 0xe6, 0x60, 0x35,
    0x36, 0xd4, 0xd7, 0xd5, 0x91, 0x91, 0x96, 0x92, 0x92, 0xe2, 0xe6, 0xe1, 0xe5, 0xe3, 0x67, 0x62,
    0x61, 0xe3, 0xe4, 0x61, 0x60, 0x66, 0xe7, 0xe6, 0x67, 0xe5, 0xe2, 0x17, 0x91, 0x12, 0x14, 0x97,
    0x53, 0xd5, 0x51, 0xd1, 0x31, 0xb1, 0x61, 0xb5, 0xe7, 0x10, 0x94, 0x56, 0x55, 0xd0, 0x36, 0x63,
    0xe4, 0xe1, 0x14, 0x55, 0xd4, 0xb3, 0xb6, 0x64, 0x13, 0x51, 0x32, 0x30, 0xb0, 0xe7, 0x93, 0xd5,
    0xd5, 0xb3, 0xe3, 0x57, 0x30, 0x34, 0x66, 0x15, 0xd7, 0xb4, 0x61, 0x10, 0x56, 0xb3, 0xe2, 0x13,
    0xd6, 0xb0, 0x15, 0x52, 0xd7, 0x63, 0x91, 0x32, 0xe4, 0x10, 0x50, 0xb7, 0x17, 0xd7, 0x67, 0x18,
    0x26, 0x00, 0x00, 0xd6, 0xbd, 0x22, 0x70,
};
static const uint8_t dynamic_stream[] = {
    0x78, 0xda, 0xdd, 0xc1, 0x01, 0x76, 0x43, 0x30, 0x00, 0x00, 0x50, 0x0d, 0x22, 0x29, 0x8d, 0xd1,
    0xa0, 0x8d, 0xce, 0xa8, 0x66, 0x28, 0x42, 0xc6, 0xab, 0xd2, 0x74, 0xb9, 0xff, 0xad, 0x76, 0x8f,
    0xfd, 0x6f, 0x98, 0x70, 0x4f, 0x4c, 0x74, 0x08, 0x13, 0x42, 0x59, 0x51, 0xe7, 0xd5, 0xb0, 0xe8,
    0x15, 0xb8, 0x34, 0x3b, 0x97, 0x62, 0xb5, 0x0c, 0xef, 0x74, 0x93, 0x83, 0xc2, 0x09, 0xbf, 0x4d,
    0x20, 0xc8, 0x0b, 0xb9, 0x0b, 0x4b, 0xfe, 0x40, 0xac, 0x1b, 0xcd, 0xb8, 0x79, 0x83, 0xb8, 0x35,
    0xa2, 0x54, 0x3a, 0x9f, 0xb3, 0x3a, 0xde, 0x01, 0x2b, 0x55, 0x24, 0x9c, 0xb0, 0x83, 0x85, 0x42,
    0xa5, 0x4e, 0x17, 0xfb, 0xaa, 0x2f, 0x1b, 0xae, 0x20, 0xb7, 0xe8, 0x4c, 0xe7, 0xa8, 0x42, 0x8d,
    0xdb, 0x1b, 0x25, 0x6c, 0xbc, 0xc2, 0x6e, 0xc8, 0x84, 0x05, 0xdd, 0xf2, 0xe7, 0x17, 0xec, 0x23,
    0x11, 0xeb, 0x3a, 0x68, 0x23, 0xdd, 0xd0, 0x31, 0x85, 0x3f, 0xd9, 0xab, 0x8e, 0xc0, 0x40, 0xd4,
    0xfd, 0x8c, 0xea, 0xc4, 0x59, 0x2a, 0xbc, 0xb5, 0x17, 0x22, 0xcb, 0x18, 0xab, 0x9c, 0x22, 0x25,
    0x13, 0x6f, 0xb7, 0xf4, 0xd4, 0x05, 0xeb, 0x78, 0x0e, 0x30, 0x78, 0xf1, 0xec, 0x14, 0x7a, 0xcf,
    0x49, 0x34, 0x3c, 0x24, 0x2e, 0xb2, 0x27, 0x39, 0xf4, 0xdd, 0x25, 0x65, 0x8c, 0xb9, 0xde, 0x81,
    0xf8, 0xc0, 0x82, 0xd8, 0x33, 0x4c, 0xc7, 0xf5, 0xed, 0xbd, 0x4f, 0x59, 0x90, 0x64, 0xbc, 0xbb,
    0x75, 0xb3, 0xb2, 0x35, 0x0a, 0x52, 0x9e, 0xb7, 0x8f, 0x9d, 0x87, 0xa3, 0x42, 0xbc, 0x56, 0x48,
    0xaf, 0xe3, 0xa8, 0xc9, 0x67, 0x2f, 0x7e, 0xfd, 0x5c, 0x4e, 0x76, 0xd2, 0x28, 0xe3, 0xf8, 0xbd,
    0x91, 0x63, 0xfd, 0x0e, 0x2b, 0x61, 0x31, 0x89, 0x3e, 0x2a, 0x9d, 0x0c, 0xc6, 0x3f, 0xf1, 0x07,
    0xd6, 0xbd, 0x22, 0x70,
};

enum { PATTERN = 500 };

static void pattern(uint8_t* out)
{
    memset(out, 0, PATTERN);
    for (int i = 0; i < 300; ++i) out[i] = (uint8_t)((i * i / 7 + 3 * (i % 5)) & 63);
}

typedef struct Pieces {
    const uint8_t* bytes;
    size_t n, at, step;
} Pieces;

static bool next_piece(InflateSource* source)
{
    Pieces* p = source->user;
    if (p->at >= p->n) return false;
    size_t n = p->n - p->at < p->step ? p->n - p->at : p->step;
    source->at = p->bytes + p->at;
    source->end = source->at + n;
    p->at += n;
    return true;
}

static const char* inflate(const uint8_t* bytes, size_t n, size_t step, uint8_t* out, size_t size)
{
    Pieces pieces = { bytes, n, 0, step };
    InflateSource source = { .next = next_piece, .user = &pieces };
    return tarn__inflate(&source, out, size);
}

static void checksums_are_the_known_ones(void** state)
{
    (void)state;
    const uint8_t* text = (const uint8_t*)"123456789";
    assert_int_equal(tarn__crc32(0, text, 9), 0xcbf43926);
    assert_int_equal(tarn__crc32(tarn__crc32(0, text, 4), text + 4, 5), 0xcbf43926);
    assert_int_equal(tarn__adler32(1, text, 9), 0x091e01de);
    static uint8_t many[100000];
    memset(many, 0xff, sizeof many);
    uint32_t whole = tarn__adler32(1, many, sizeof many);
    assert_int_equal(tarn__adler32(tarn__adler32(1, many, 7777), many, sizeof many - 7777), whole);
}

static void streams_of_others_are_read(void** state)
{
    (void)state;
    uint8_t expected[PATTERN], out[PATTERN + 1];
    pattern(expected);
    // Stored in two blocks, written by hand.
    uint8_t stored[2 + 5 + 200 + 5 + 300 + 4] = { 0x78, 0x01, 0x00, 200, 0, 55, 255 };
    memcpy(stored + 7, expected, 200);
    const uint8_t second[5] = { 0x01, 300 & 255, 300 >> 8, (uint8_t) ~(300 & 255),
                                (uint8_t) ~(300 >> 8) };
    memcpy(stored + 207, second, 5);
    memcpy(stored + 212, expected + 200, 300);
    uint32_t adler = tarn__adler32(1, expected, PATTERN);
    for (int b = 0; b < 4; ++b) stored[512 + b] = (uint8_t)(adler >> (24 - 8 * b));
    const struct {
        const uint8_t* bytes;
        size_t n;
    } streams[] = { { stored, sizeof stored },
                    { fixed_stream, sizeof fixed_stream },
                    { dynamic_stream, sizeof dynamic_stream } };
    for (int s = 0; s < 3; ++s) {
        for (size_t step = 1; step < 1000; step = step * 3 + 1) { // in pieces of any size
            memset(out, 0xee, sizeof out);
            assert_null(inflate(streams[s].bytes, streams[s].n, step, out, PATTERN));
            assert_memory_equal(out, expected, PATTERN);
            assert_int_equal(out[PATTERN], 0xee);
        }
        assert_non_null(inflate(streams[s].bytes, streams[s].n, 64, out, PATTERN - 1)); // too much
        assert_non_null(
            inflate(streams[s].bytes, streams[s].n, 64, out, PATTERN + 1)); // too little
        for (size_t cut = 0; cut < streams[s].n; ++cut)
            assert_non_null(inflate(streams[s].bytes, cut, 64, out, PATTERN));
        uint8_t* damaged = malloc(streams[s].n);
        for (size_t bit = 0; bit < 8 * streams[s].n;
             ++bit) { // the checksum finds what is not nonsense
            memcpy(damaged, streams[s].bytes, streams[s].n);
            damaged[bit / 8] ^= (uint8_t)(1u << bit % 8);
            const char* error = inflate(damaged, streams[s].n, 64, out, PATTERN);
            // Some bits say the same in another way: bits that nobody reads, another window size.
            if (error == NULL) assert_memory_equal(out, expected, PATTERN);
        }
        free(damaged);
    }
}

static void packing_comes_back(void** state)
{
    (void)state;
    static const size_t sizes[] = { 0, 1, 2, 3, 4, 5, 100, 257, 258, 259, 1000, 40000, 200000 };
    void* work = malloc(DEFLATE_WORK);
    for (int s = 0; s < (int)(sizeof sizes / sizeof sizes[0]); ++s) {
        for (int kind = 0; kind < 5; ++kind) {
            size_t n = sizes[s], bound = tarn__deflate_bound(n);
            uint8_t *bytes = malloc(n + 1), *packed = malloc(bound), *out = malloc(n + 1);
            for (size_t i = 0; i < n; ++i) {
                uint32_t r = tarn__random(4, (uint64_t)kind, i);
                bytes[i] =
                    (uint8_t)(kind == 0   ? r              // nothing to find
                              : kind == 1 ? 0              // everything the same
                              : kind == 2 ? (r >> 28) * 17 // few symbols
                              : kind == 3 ? i * i / 1000   // slopes
                                          : (size_t)__builtin_ctz(r | 1u << 30) * 9); // very uneven
            }
            size_t size = tarn__deflate(bytes, n, packed, work);
            assert_true(size <= bound);
            assert_true(kind != 1 || n < 1000 || size < n / 50 + 300);
            assert_null(inflate(packed, size, 4096, out, n));
            assert_memory_equal(out, bytes, n);
            free(bytes);
            free(packed);
            free(out);
        }
    }
    free(work);
}

// ---- PNG files -----------------------------------------------------------------------------------

typedef struct File {
    uint8_t bytes[40000];
    size_t n;
} File;

static void put(File* f, const void* bytes, size_t n)
{
    memcpy(f->bytes + f->n, bytes, n);
    f->n += n;
}

static void put32(uint8_t* p, uint32_t v)
{
    for (int b = 0; b < 4; ++b) p[b] = (uint8_t)(v >> (24 - 8 * b));
}

static void put_chunk(File* f, const char* type, const void* bytes, size_t n)
{
    uint8_t length[4], check[4];
    put32(length, (uint32_t)n);
    put(f, length, 4);
    put(f, type, 4);
    put(f, bytes, n);
    put32(check, tarn__crc32(0, f->bytes + f->n - n - 4, n + 4));
    put(f, check, 4);
}

// Any PNG: channels and bits as asked, every row with another filter, the data in several chunks.
// Channel 0 of pixel (i, k) is value(i, k).
enum { W = 19, H = 12 };

static unsigned value(int i, int k)
{
    return (unsigned)(i * 3001 + k * 517 + i * k * 77) & 0xffff;
}

static void begin_png(File* f, uint32_t w, uint32_t h, int bits, int color, int interlace)
{
    uint8_t head[13] = { 0 };
    f->n = 0;
    put(f, "\x89PNG\r\n\x1a\n", 8);
    put32(head, w);
    put32(head + 4, h);
    head[8] = (uint8_t)bits, head[9] = (uint8_t)color, head[12] = (uint8_t)interlace;
    put_chunk(f, "IHDR", head, 13);
}

static int guess(int filter, int left, int up, int corner)
{
    int p = left + up - corner, pl = abs(p - left), pu = abs(p - up), pc = abs(p - corner);
    int paeth = pl <= pu && pl <= pc ? left : pu <= pc ? up : corner;
    const int all[5] = { 0, left, up, (left + up) / 2, paeth };
    return all[filter];
}

static void make_png(File* f, int bits, int color, int n_chunks)
{
    static const int channels_of[7] = { 1, 0, 3, 0, 2, 0, 4 };
    int channels = channels_of[color], step = channels * bits / 8, row = W * step;
    uint8_t raw[H][W * 8], filtered[H * (W * 8 + 1)], packed[8000], work[DEFLATE_WORK];
    for (int k = 0; k < H; ++k) {
        for (int i = 0; i < W * channels; ++i) {
            unsigned v = i % channels == 0 ? value(i / channels, k) : (unsigned)(i * 999 + k);
            if (bits == 16)
                raw[k][2 * i] = (uint8_t)(v >> 8), raw[k][2 * i + 1] = (uint8_t)v;
            else
                raw[k][i] = (uint8_t)(v >> 8);
        }
        filtered[k * (row + 1)] = (uint8_t)(k % 5);
        for (int b = 0; b < row; ++b) {
            int left = b >= step ? raw[k][b - step] : 0, up = k > 0 ? raw[k - 1][b] : 0;
            int corner = b >= step && k > 0 ? raw[k - 1][b - step] : 0;
            filtered[k * (row + 1) + 1 + b] = (uint8_t)(raw[k][b] - guess(k % 5, left, up, corner));
        }
    }
    size_t n = tarn__deflate(filtered, (size_t)(H * (row + 1)), packed, work);
    begin_png(f, W, H, bits, color, 0);
    put_chunk(f, "gAMA", "\0\0\xb1\x8f", 4); // something to skip
    for (int c = 0; c < n_chunks; ++c) {
        size_t from = n * (size_t)c / (size_t)n_chunks, to = n * (size_t)(c + 1) / (size_t)n_chunks;
        put_chunk(f, "IDAT", packed + from, to - from);
    }
    put_chunk(f, "IEND", "", 0);
}

static TarnResult read(const File* f, const TarnTerrainFileDef* def, TarnTerrain** terrain)
{
    uint8_t* exact = malloc(f->n > 0 ? f->n : 1); // so that a sanitizer sees one byte too far
    memcpy(exact, f->bytes, f->n);
    TarnResult result = tarn_terrain_read(ctx, exact, f->n, "t.png", def, terrain);
    free(exact);
    return result;
}

static void every_kind_of_png_is_read(void** state)
{
    (void)state;
    static const int colors[] = { 0, 2, 4, 6 };
    static File f;
    for (int c = 0; c < 8; ++c) {
        int bits = c < 4 ? 8 : 16;
        for (int n_chunks = 1; n_chunks <= 40; n_chunks += 13) {
            make_png(&f, bits, colors[c % 4], n_chunks);
            TarnTerrainFileDef def = tarn_terrain_default_file_def();
            def.low = -3.0f, def.high = 61.0f, def.dx = 0.5f;
            TarnTerrain* terrain;
            TarnResult result = read(&f, &def, &terrain);
            if (result != TARN_OK) print_error("%s\n", tarn_last_error(ctx));
            assert_int_equal(result, TARN_OK);
            TarnView2 v = tarn_terrain_heights(terrain);
            assert_true(v.nx == W && v.nz == H && tarn_terrain_dx(terrain) == 0.5f);
            for (int p = 0; p < W * H; ++p) {
                unsigned g = value(p % W, p / W);
                double share = bits == 16 ? g / 65535.0 : (g >> 8) / 255.0;
                assert_true(fabs(v.data[p] - (-3.0 + 64.0 * share)) < 1e-5);
            }
            tarn_terrain_destroy(terrain);
        }
    }
}

static void damaged_files_are_refused(void** state)
{
    (void)state;
    static File f, good;
    make_png(&good, 16, 0, 3);
    TarnTerrain* terrain;
    size_t bytes = memory.bytes;
    for (size_t bit = 0; bit < 8 * good.n; ++bit) {
        f = good;
        f.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_int_equal(read(&f, NULL, &terrain), TARN_ERR_DATA);
        assert_null(terrain);
    }
    for (f = good; f.n-- > 0;) assert_int_equal(read(&f, NULL, &terrain), TARN_ERR_DATA);
    assert_int_equal(memory.bytes, bytes);
}

static void assert_refused(const File* f, const char* word)
{
    TarnTerrain* terrain;
    int calls = memory.calls;
    assert_int_equal(read(f, NULL, &terrain), TARN_ERR_DATA);
    if (strstr(tarn_last_error(ctx), word) == NULL)
        print_error("'%s' does not say '%s'\n", tarn_last_error(ctx), word);
    assert_non_null(strstr(tarn_last_error(ctx), word));
    assert_non_null(strstr(tarn_last_error(ctx), "t.png"));
    assert_int_equal(memory.calls, calls); // before any memory was asked for
}

static void refusals_say_why(void** state)
{
    (void)state;
    static File f;
    static const uint8_t data[] = { 0x78, 0x01, 0x03, 0x00, 0, 0, 0, 1 };
    const struct {
        uint32_t w, h;
        int bits, color, interlace;
        const char* word;
    } heads[] = {
        { 16384, 16384, 16, 0, 0, "more pixels than its data can hold" },
        { 16385, 2, 16, 0, 0, "out of range" },
        { 0x80000000u, 0xffffffffu, 16, 0, 0, "out of range" },
        { 1, 9, 16, 0, 0, "out of range" },
        { 9, 9, 8, 3, 0, "palette" },
        { 9, 9, 8, 5, 0, "color type" },
        { 9, 9, 8, 77, 0, "color type" },
        { 9, 9, 4, 0, 0, "4 bits" },
        { 9, 9, 16, 0, 1, "interlaced" },
    };
    for (int h = 0; h < (int)(sizeof heads / sizeof heads[0]); ++h) {
        begin_png(&f, heads[h].w, heads[h].h, heads[h].bits, heads[h].color, heads[h].interlace);
        put_chunk(&f, "IDAT", data, sizeof data);
        put_chunk(&f, "IEND", "", 0);
        assert_refused(&f, heads[h].word);
    }
    begin_png(&f, 9, 9, 16, 0, 0);
    put_chunk(&f, "IEND", "", 0);
    assert_refused(&f, "no picture");
    begin_png(&f, 9, 9, 16, 0, 0);
    put_chunk(&f, "IDAT", data, 4);
    put_chunk(&f, "tIME", "1234567", 7);
    put_chunk(&f, "IDAT", data + 4, 4);
    put_chunk(&f, "IEND", "", 0);
    assert_refused(&f, "not contiguous");
    begin_png(&f, 9, 9, 16, 0, 0);
    put_chunk(&f, "BOOM", data, 4);
    put_chunk(&f, "IEND", "", 0);
    assert_refused(&f, "not supported");
}

// ---- There and back ------------------------------------------------------------------------------

static uint8_t* write(const TarnTerrain* terrain, const TarnTerrainFileDef* def, size_t* size)
{
    assert_int_equal(tarn_terrain_write(terrain, def, NULL, 0, size), TARN_ERR_CAPACITY);
    uint8_t* bytes = malloc(*size);
    size_t again = 0;
    assert_int_equal(tarn_terrain_write(terrain, def, bytes, *size - 1, &again), TARN_ERR_CAPACITY);
    assert_int_equal(again, *size);
    assert_int_equal(tarn_terrain_write(terrain, def, bytes, *size, &again), TARN_OK);
    return bytes;
}

static void pictures_come_back(void** state)
{
    (void)state;
    for (int kind = 0; kind <= TARN_TERRAIN_RIDGED; ++kind) {
        TarnTerrainDef made = tarn_terrain_kind_def((TarnTerrainKind)kind);
        made.nx = 150, made.nz = 61, made.dx = 0.3f;
        TarnTerrain *terrain, *back, *twice;
        assert_int_equal(tarn_terrain_create(ctx, &made, &terrain), TARN_OK);
        TarnTerrainFileDef def = tarn_terrain_default_file_def();
        def.format = TARN_TERRAIN_PNG;
        size_t size, size2;
        uint8_t* bytes = write(terrain, &def, &size);
        // The file knows its own scale.
        assert_int_equal(tarn_terrain_read(ctx, bytes, size, "t.png", NULL, &back), TARN_OK);
        assert_true(tarn_terrain_dx(back) == 0.3f);
        float low, high;
        tarn_terrain_range(terrain, &low, &high);
        double step = (low < high ? (double)high - (double)low : 1.0) / 65535.0;
        const float *a = tarn_terrain_heights(terrain).data, *b = tarn_terrain_heights(back).data;
        for (int c = 0; c < 150 * 61; ++c) assert_true(fabs(a[c] - b[c]) < 0.5 * step + 1e-5);
        // From then on nothing changes any more.
        if (low < high) def.low = low, def.high = high;
        uint8_t* bytes2 = write(back, &def, &size2);
        assert_int_equal(tarn_terrain_read(ctx, bytes2, size2, "t.png", NULL, &twice), TARN_OK);
        assert_memory_equal(tarn_terrain_heights(twice).data, b, 150 * 61 * sizeof(float));
        assert_int_equal(size, size2);
        assert_memory_equal(bytes, bytes2, size);
        free(bytes);
        free(bytes2);
        tarn_terrain_destroy(terrain);
        tarn_terrain_destroy(back);
        tarn_terrain_destroy(twice);
    }
}

static void heights_beyond_white_are_cut(void** state)
{
    (void)state;
    float heights[4] = { -5.0f, 0.0f, 10.0f, 900.0f };
    TarnTerrain *terrain, *back;
    TarnView2 view = { heights, 2, 2, 2 };
    assert_int_equal(tarn_terrain_create_from(ctx, view, 1.0f, (TarnVec2){ 0, 0 }, &terrain),
                     TARN_OK);
    TarnTerrainFileDef def = tarn_terrain_default_file_def();
    def.format = TARN_TERRAIN_PNG, def.low = 0.0f, def.high = 20.0f;
    size_t size;
    uint8_t* bytes = write(terrain, &def, &size);
    assert_int_equal(tarn_terrain_read(ctx, bytes, size, "t.png", NULL, &back), TARN_OK);
    const float* y = tarn_terrain_heights(back).data;
    assert_true(y[0] == 0.0f && y[1] == 0.0f && fabsf(y[2] - 10.0f) < 2e-4f && y[3] == 20.0f);
    tarn_terrain_destroy(back);
    // The def has the last word.
    def.low = 100.0f, def.high = 200.0f, def.dx = 7.0f, def.origin.x = 3.0f;
    assert_int_equal(tarn_terrain_read(ctx, bytes, size, "t.png", &def, &back), TARN_OK);
    assert_true(tarn_terrain_heights(back).data[3] == 200.0f && tarn_terrain_dx(back) == 7.0f);
    assert_true(tarn_terrain_origin(back).x == 3.0f);
    tarn_terrain_destroy(back);
    def.nx = 3;
    assert_int_equal(tarn_terrain_read(ctx, bytes, size, "t.png", &def, &back), TARN_ERR_DATA);
    def.nx = 0, def.low = 300.0f;
    assert_int_equal(tarn_terrain_read(ctx, bytes, size, "t.png", &def, &back), TARN_ERR_ARG);
    // No memory, at any of the calls that ask for some.
    for (int fail = 1; fail <= 2; ++fail) {
        memory.fail_at = memory.calls + fail;
        assert_int_equal(tarn_terrain_read(ctx, bytes, size, "t.png", NULL, &back),
                         TARN_ERR_MEMORY);
        assert_null(back);
    }
    def = tarn_terrain_default_file_def();
    def.format = TARN_TERRAIN_PNG;
    memory.fail_at = memory.calls + 1;
    assert_int_equal(tarn_terrain_write(terrain, &def, bytes, size, &size), TARN_ERR_MEMORY);
    def.format = TARN_TERRAIN_AUTO;
    assert_int_equal(tarn_terrain_write(terrain, &def, bytes, size, &size), TARN_ERR_ARG);
    free(bytes);
    tarn_terrain_destroy(terrain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(checksums_are_the_known_ones), TEST(streams_of_others_are_read),
        TEST(packing_comes_back),           TEST(every_kind_of_png_is_read),
        TEST(damaged_files_are_refused),    TEST(refusals_say_why),
        TEST(pictures_come_back),           TEST(heights_beyond_white_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
