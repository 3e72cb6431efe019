// Unpacking zlib streams, written from RFC 1950 and RFC 1951. The input may be anything: every length
// and distance is checked before it is used, and the output never grows beyond what was asked for.
//
// Checked  tests/unit/test_io_png.c, tests/robust/fuzz_terrain.c.

#include "io/deflate.h"
#include <string.h>

enum { MAX_BITS = 15, MAX_SYMBOLS = 288 };

typedef struct Inflate {
    InflateSource* source;
    uint32_t bits; // not yet used, the lowest first
    int n_bits;
    uint8_t* out;
    size_t used, size;
    const char* error;
} Inflate;

// A canonical code: how many symbols have each length, and the symbols in order.
typedef struct Code {
    uint16_t count[MAX_BITS + 1];
    uint16_t symbol[MAX_SYMBOLS];
} Code;

// ---- Checksums ---------------------------------------------------------------------------------

uint32_t tarn__crc32(uint32_t crc, const uint8_t* bytes, size_t size)
{
    // A table of half bytes: small enough to make on the spot, fast enough for files.
    static const uint32_t table[16] = { 0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac,
                                        0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
                                        0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
                                        0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c };
    crc = ~crc;
    for (size_t i = 0; i < size; ++i) {
        crc ^= bytes[i];
        crc = crc >> 4 ^ table[crc & 15];
        crc = crc >> 4 ^ table[crc & 15];
    }
    return ~crc;
}

uint32_t tarn__adler32(uint32_t adler, const uint8_t* bytes, size_t size)
{
    uint32_t a = adler & 0xffff, b = adler >> 16;
    while (size > 0) {
        size_t part = size < 5552 ? size : 5552; // b stays below 2^32 for this many bytes
        for (size_t i = 0; i < part; ++i) {
            a += bytes[i];
            b += a;
        }
        a %= 65521, b %= 65521;
        bytes += part, size -= part;
    }
    return b << 16 | a;
}

// ---- Bits --------------------------------------------------------------------------------------

static void fail(Inflate* s, const char* why)
{
    if (s->error == NULL) s->error = why;
}

static uint32_t next_byte(Inflate* s)
{
    InflateSource* in = s->source;
    while (in->at == in->end) {
        if (s->error != NULL || !in->next(in)) {
            fail(s, "the compressed data end too early");
            return 0;
        }
    }
    return *in->at++;
}

static uint32_t take_bits(Inflate* s, int n) // n <= 16
{
    while (s->n_bits < n) {
        s->bits |= next_byte(s) << s->n_bits;
        s->n_bits += 8;
    }
    uint32_t value = s->bits & ((1u << n) - 1u);
    s->bits >>= n;
    s->n_bits -= n;
    return value;
}

// ---- Codes -------------------------------------------------------------------------------------

// Codes of one length are consecutive numbers, and those of the next length go on from twice the
// last. Returns false for more codes than there is room for, or for fewer unless it is a lone one.
static bool make_code(Code* code, const uint8_t* lengths, int n)
{
    uint16_t first[MAX_BITS + 2];
    memset(code->count, 0, sizeof code->count);
    for (int i = 0; i < n; ++i) ++code->count[lengths[i]];
    int used = n - code->count[0], room = 1;
    code->count[0] = 0;
    first[1] = 0;
    for (int length = 1; length <= MAX_BITS; ++length) {
        room = 2 * room - code->count[length];
        if (room < 0) return false;
        first[length + 1] = (uint16_t)(first[length] + code->count[length]);
    }
    for (int i = 0; i < n; ++i)
        if (lengths[i] != 0) code->symbol[first[lengths[i]]++] = (uint16_t)i;
    return room == 0 || (used <= 1 && code->count[1] == used);
}

// One bit after the other: among the codes of this length, or go on. -1: no such code.
static int take_symbol(Inflate* s, const Code* code)
{
    int value = 0, first = 0, index = 0;
    for (int length = 1; length <= MAX_BITS; ++length) {
        value |= (int)take_bits(s, 1);
        int count = code->count[length];
        if (value - first < count) return code->symbol[index + value - first];
        index += count;
        first = (first + count) << 1;
        value <<= 1;
    }
    fail(s, "the compressed data contain an invalid code");
    return -1;
}

// ---- Blocks ------------------------------------------------------------------------------------

static void copy_match(Inflate* s, int symbol, const Code* distances)
{
    static const uint16_t base[29] = { 3,  4,  5,  6,   7,   8,   9,   10,  11, 13,
                                       15, 17, 19, 23,  27,  31,  35,  43,  51, 59,
                                       67, 83, 99, 115, 131, 163, 195, 227, 258 };
    static const uint8_t extra[29] = { 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                       2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0 };
    static const uint16_t distance_base[30] = { 1,    2,    3,    4,     5,     7,    9,    13,
                                                17,   25,   33,   49,    65,    97,   129,  193,
                                                257,  385,  513,  769,   1025,  1537, 2049, 3073,
                                                4097, 6145, 8193, 12289, 16385, 24577 };
    if (symbol > 28) {
        fail(s, "the compressed data contain an invalid length");
        return;
    }
    size_t length = base[symbol] + take_bits(s, extra[symbol]);
    int code = take_symbol(s, distances);
    if (code < 0 || code > 29) {
        fail(s, "the compressed data contain an invalid distance");
        return;
    }
    size_t distance = distance_base[code] + take_bits(s, code < 2 ? 0 : code / 2 - 1);
    if (distance > s->used) {
        fail(s, "the compressed data refer to bytes before their beginning");
    } else if (length > s->size - s->used) {
        fail(s, "the compressed data contain more than the picture");
    } else { // byte by byte: it may read what it just wrote
        for (size_t i = 0; i < length; ++i, ++s->used) s->out[s->used] = s->out[s->used - distance];
    }
}

static void take_compressed(Inflate* s, const Code* literals, const Code* distances)
{
    while (s->error == NULL) {
        int symbol = take_symbol(s, literals);
        if (s->error != NULL || symbol == 256) return;
        if (symbol > 256) {
            copy_match(s, symbol - 257, distances);
        } else if (s->used == s->size) {
            fail(s, "the compressed data contain more than the picture");
        } else {
            s->out[s->used++] = (uint8_t)symbol;
        }
    }
}

static void take_stored(Inflate* s)
{
    s->bits = 0, s->n_bits = 0; // to the next whole byte
    uint32_t length = take_bits(s, 16), check = take_bits(s, 16);
    if (length != (check ^ 0xffffu)) {
        fail(s, "a stored block has a wrong length");
        return;
    }
    if (length > s->size - s->used) {
        fail(s, "the compressed data contain more than the picture");
        return;
    }
    for (; length > 0 && s->error == NULL; --length) s->out[s->used++] = (uint8_t)next_byte(s);
}

static void take_fixed(Inflate* s)
{
    uint8_t lengths[MAX_SYMBOLS];
    Code literals, distances;
    for (int i = 0; i < 288; ++i)
        lengths[i] = (uint8_t)(i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8);
    make_code(&literals, lengths, 288);
    memset(lengths, 5, 30);
    make_code(&distances, lengths, 30); // two codes are missing by definition
    take_compressed(s, &literals, &distances);
}

static bool take_lengths(Inflate* s, const Code* code, uint8_t* lengths, int n)
{
    for (int i = 0; i < n;) {
        int symbol = take_symbol(s, code);
        if (symbol < 0 || s->error != NULL) return false;
        if (symbol < 16) {
            lengths[i++] = (uint8_t)symbol;
            continue;
        }
        if (symbol == 16 && i == 0) return false; // repeats what is not there
        uint8_t value = symbol == 16 ? lengths[i - 1] : 0;
        int repeat = symbol == 16   ? 3 + (int)take_bits(s, 2)
                     : symbol == 17 ? 3 + (int)take_bits(s, 3)
                                    : 11 + (int)take_bits(s, 7);
        if (repeat > n - i) return false;
        memset(lengths + i, value, (size_t)repeat);
        i += repeat;
    }
    return true;
}

static void take_dynamic(Inflate* s)
{
    static const uint8_t order[19] = { 16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                       11, 4,  12, 3, 13, 2, 14, 1, 15 };
    uint8_t lengths[MAX_SYMBOLS + 32] = { 0 };
    Code code, distances;
    int n_literals = 257 + (int)take_bits(s, 5), n_distances = 1 + (int)take_bits(s, 5);
    int n_lengths = 4 + (int)take_bits(s, 4);
    for (int i = 0; i < n_lengths; ++i) lengths[order[i]] = (uint8_t)take_bits(s, 3);
    if (n_literals > 286 || n_distances > 30 || !make_code(&code, lengths, 19)) {
        fail(s, "the compressed data begin with an invalid code table");
        return;
    }
    memset(lengths, 0, sizeof lengths);
    bool is_good = take_lengths(s, &code, lengths, n_literals + n_distances);
    is_good = is_good && lengths[256] != 0 && make_code(&code, lengths, n_literals) &&
              make_code(&distances, lengths + n_literals, n_distances);
    if (!is_good) {
        fail(s, "the compressed data contain an invalid code table");
        return;
    }
    take_compressed(s, &code, &distances);
}

const char* tarn__inflate(InflateSource* source, uint8_t* out, size_t size)
{
    Inflate s = { .source = source, .out = out, .size = size };
    uint32_t method = next_byte(&s), flags = next_byte(&s);
    if (s.error == NULL && ((method & 15) != 8 || (method >> 4) > 7 || (flags & 32) != 0 ||
                            (method * 256 + flags) % 31 != 0))
        fail(&s, "the compressed data have an invalid header");
    for (bool is_last = false; !is_last && s.error == NULL;) {
        is_last = take_bits(&s, 1) != 0;
        uint32_t kind = take_bits(&s, 2);
        if (s.error != NULL) break;
        if (kind == 0)
            take_stored(&s);
        else if (kind == 1)
            take_fixed(&s);
        else if (kind == 2)
            take_dynamic(&s);
        else
            fail(&s, "the compressed data contain a block of an unknown type");
    }
    if (s.error == NULL && s.used != size)
        fail(&s, "the compressed data contain less than the picture");
    s.bits = 0, s.n_bits = 0;
    uint32_t adler = 0;
    for (int i = 0; i < 4; ++i) adler = adler << 8 | next_byte(&s);
    if (s.error == NULL && adler != tarn__adler32(1, out, size))
        fail(&s, "the checksum of the picture is wrong: the file is damaged");
    return s.error;
}
