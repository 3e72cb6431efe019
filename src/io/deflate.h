// Inside src only: the zlib stream of PNG files [RFC 1950, 1951], both ways, and its checksums.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The checksums of PNG chunks and of zlib streams. Start with 0 and 1.
uint32_t tarn__crc32(uint32_t crc, const uint8_t* bytes, size_t size);
uint32_t tarn__adler32(uint32_t adler, const uint8_t* bytes, size_t size);

// Where compressed bytes come from: pieces one after the other. next gives the following one, or
// false if there is no such block.
typedef struct InflateSource {
    const uint8_t* at;
    const uint8_t* end;
    bool (*next)(struct InflateSource* source);
    void* user;
} InflateSource;

// Unpacks a zlib stream of exactly size bytes. NULL: it went well; else what is wrong with it.
const char* tarn__inflate(InflateSource* source, uint8_t* out, size_t size);

// Packs: out must hold tarn__deflate_bound(size) bytes. work: DEFLATE_WORK bytes. Returns the length.
enum { DEFLATE_WORK = 4 << 15 };
size_t tarn__deflate_bound(size_t size);
size_t tarn__deflate(const uint8_t* bytes, size_t size, uint8_t* out, void* work);
