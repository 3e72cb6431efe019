// Packing bytes as a zlib stream: matches from a hash table, greedy, in one block with codes made to
// measure. A terrain takes as many bytes as with zlib, a drawing more; the bytes are the same
// everywhere. Written from RFC 1950 and RFC 1951.

#include "io/deflate.h"
#include <string.h>

enum { HASH_BITS = 15, WINDOW = 32768, MIN_MATCH = 4, MAX_MATCH = 258 };
enum { LITERALS = 286, DISTANCES = 30, MAX_LENGTH = 15 };

// A code: how long each symbol's bits are, and the bits, turned as they are written.
typedef struct Table {
    uint32_t count[LITERALS]; // how often a symbol is used
    uint8_t length[LITERALS];
    uint16_t bits[LITERALS];
} Table;

typedef struct Deflate {
    uint8_t* out;
    size_t n;
    uint64_t bits;
    int n_bits;
    bool is_counting; // the first time through: only how often symbols come
    Table literals, distances;
} Deflate;

size_t tarn__deflate_bound(size_t size)
{
    return 2 * size + 512; // a byte takes 15 bits at most, one of a match 12
}

static void put_bits(Deflate* d, uint32_t value, int n)
{
    d->bits |= (uint64_t)value << d->n_bits;
    d->n_bits += n;
    while (d->n_bits >= 8) {
        d->out[d->n++] = (uint8_t)d->bits;
        d->bits >>= 8;
        d->n_bits -= 8;
    }
}

// ---- Codes -------------------------------------------------------------------------------------

// Huffman: join the two rarest until one is left; how often a symbol was joined is its length.
// Returns the longest.
static int make_lengths(const uint32_t* count, int n, uint8_t* length)
{
    uint64_t weight[LITERALS];
    int16_t group[LITERALS]; // which tree a symbol is in
    int n_trees = 0, longest = 0;
    for (int i = 0; i < n; ++i) {
        weight[i] = count[i];
        group[i] = (int16_t)(count[i] > 0 ? i : -1);
        length[i] = count[i] > 0 && n_trees == 0; // a lone symbol gets one bit
        n_trees += count[i] > 0;
    }
    if (n_trees > 1) memset(length, 0, (size_t)n);
    for (; n_trees > 1; --n_trees) {
        int a = -1, b = -1; // the rarest tree and the next
        for (int i = 0; i < n; ++i) {
            if (group[i] != i) continue;
            if (a < 0 || weight[i] < weight[a])
                b = a, a = i;
            else if (b < 0 || weight[i] < weight[b])
                b = i;
        }
        weight[a] += weight[b];
        for (int i = 0; i < n; ++i) {
            if (group[i] != a && group[i] != b) continue;
            group[i] = (int16_t)a;
            ++length[i];
            longest = length[i] > longest ? length[i] : longest;
        }
    }
    return longest;
}

static void make_table(Table* t, int n)
{
    // Too long a code is cured by making rare symbols less rare.
    while (make_lengths(t->count, n, t->length) > MAX_LENGTH) {
        for (int i = 0; i < n; ++i)
            if (t->count[i] > 0) t->count[i] = t->count[i] / 2 + 1;
    }
    uint32_t code = 0;
    for (int length = 1; length <= MAX_LENGTH; ++length, code <<= 1) {
        for (int i = 0; i < n; ++i) {
            if (t->length[i] != length) continue;
            uint32_t turned = 0; // codes are written with their highest bit first
            for (int b = 0; b < length; ++b) turned |= (code >> b & 1u) << (length - 1 - b);
            t->bits[i] = (uint16_t)turned;
            ++code;
        }
    }
}

// The lengths of all codes, four bits each: a code for lengths that has 16 symbols of four bits.
static void put_tables(Deflate* d)
{
    static const uint8_t order[19] = { 16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                       11, 4,  12, 3, 13, 2, 14, 1, 15 };
    put_bits(d, LITERALS - 257, 5);
    put_bits(d, DISTANCES - 1, 5);
    put_bits(d, 19 - 4, 4);
    for (int i = 0; i < 19; ++i) put_bits(d, order[i] < 16 ? 4 : 0, 3);
    for (int i = 0; i < LITERALS + DISTANCES; ++i) {
        uint32_t length = i < LITERALS ? d->literals.length[i] : d->distances.length[i - LITERALS];
        put_bits(d, (length & 1) << 3 | (length & 2) << 1 | (length & 4) >> 1 | length >> 3, 4);
    }
}

// ---- Symbols -----------------------------------------------------------------------------------

static void put_symbol(Deflate* d, Table* table, uint32_t symbol, uint32_t rest, int n_rest)
{
    ++table->count[symbol];
    if (d->is_counting) return;
    put_bits(d, table->bits[symbol], table->length[symbol]);
    put_bits(d, rest, n_rest);
}

// Lengths from 3 and distances from 1 share a pattern: the top three (or two) bits and their place
// choose the symbol, the bits below follow.
static void put_match(Deflate* d, uint32_t length, uint32_t distance)
{
    uint32_t value = length - 3, extra = 0;
    while (value >> extra >= 8) ++extra;
    if (length == MAX_MATCH)
        put_symbol(d, &d->literals, 285, 0, 0);
    else
        put_symbol(d, &d->literals, 257 + 4 * extra + (value >> extra),
                   value & ((1u << extra) - 1u), (int)extra);
    value = distance - 1, extra = 0;
    while (value >> extra >= 4) ++extra;
    put_symbol(d, &d->distances, 2 * extra + (value >> extra), value & ((1u << extra) - 1u),
               (int)extra);
}

static uint32_t hash_at(const uint8_t* p)
{
    uint32_t word =
        (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
    return word * 0x9e3779b1u >> (32 - HASH_BITS);
}

static void put_all(Deflate* d, const uint8_t* bytes, size_t size, uint32_t* last)
{
    memset(last, 0, DEFLATE_WORK); // where a hash was seen last, plus 1; modulo 2^32
    for (size_t at = 0; at < size;) {
        size_t left = size - at, length = 0, distance = 0;
        if (left >= MIN_MATCH) {
            uint32_t* seen = &last[hash_at(bytes + at)];
            distance = (size_t)(uint32_t)((uint32_t)at + 1u - *seen);
            bool is_near = *seen != 0 && distance > 0 && distance <= WINDOW && distance <= at;
            size_t most = left < MAX_MATCH ? left : MAX_MATCH;
            while (is_near && length < most && bytes[at + length] == bytes[at + length - distance])
                ++length;
            *seen = (uint32_t)at + 1u;
        }
        if (length >= MIN_MATCH)
            put_match(d, (uint32_t)length, (uint32_t)distance);
        else
            put_symbol(d, &d->literals, bytes[at], 0, 0);
        at += length >= MIN_MATCH ? length : 1;
    }
    put_symbol(d, &d->literals, 256, 0, 0);
}

size_t tarn__deflate(const uint8_t* bytes, size_t size, uint8_t* out, void* work)
{
    Deflate d = { .out = out, .is_counting = true };
    put_all(&d, bytes, size, work);
    make_table(&d.literals, LITERALS);
    make_table(&d.distances, DISTANCES);
    d.is_counting = false;
    put_bits(&d, 0x78, 8); // deflate, a window of 32 kB
    put_bits(&d, 0x01, 8);
    put_bits(&d, 1, 1); // the last block,
    put_bits(&d, 2, 2); // with its own codes
    put_tables(&d);
    put_all(&d, bytes, size, work);
    put_bits(&d, 0, (8 - d.n_bits) & 7);
    uint32_t adler = tarn__adler32(1, bytes, size);
    for (int shift = 24; shift >= 0; shift -= 8) put_bits(&d, adler >> shift & 0xff, 8);
    return d.n;
}
