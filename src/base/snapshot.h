// Snapshot streams: little-endian, with a header that lets a reader load or refuse, never guess.
//
//     "TARNSNAP"  format major, minor  library version  kind[8]  def hash  payload size  payload hash
//
// The payload is trusted only after its hash agrees, and each value in it is still range-checked,
// because a hash keeps out accidents, not attackers.
#pragma once

#include "base/param.h"

enum { TARN_SNAPSHOT_MAJOR = 3, TARN_SNAPSHOT_MINOR = 0, TARN_SNAPSHOT_HEADER = 56 };

// Counts what does not fit instead of writing it, so that one pass tells the size needed.
typedef struct TarnWriter {
    uint8_t* data;
    size_t capacity, size;
} TarnWriter;

void tarn__write(TarnWriter* w, const void* bytes, size_t size);
void tarn__write_u32(TarnWriter* w, uint32_t value);
void tarn__write_u64(TarnWriter* w, uint64_t value);
void tarn__write_f64(TarnWriter* w, double value);
// Values of a table one by one as doubles: no padding gets into a file, and each comes back to the bit.
void tarn__write_table(TarnWriter* w, const TarnParamTable* table, const void* object);

// After a read past the end is_bad is set and everything reads as zero.
typedef struct TarnReader {
    const uint8_t* data;
    size_t size, at;
    bool is_bad;
} TarnReader;

void tarn__read(TarnReader* r, void* bytes, size_t size);
const void* tarn__read_view(TarnReader* r, size_t size); // no copy; NULL when bad; any alignment
uint32_t tarn__read_u32(TarnReader* r);
uint64_t tarn__read_u64(TarnReader* r);
double tarn__read_f64(TarnReader* r);
// Fields outside of the table stay as they are in the object. False: one is out of its range.
bool tarn__read_table(TarnReader* r, const TarnParamTable* table, void* object);

// Payload in between; end fills in sizes and hash and gives TARN_ERR_CAPACITY with the size needed.
TarnWriter tarn__snapshot_begin(void* buffer, size_t capacity);
TarnResult tarn__snapshot_end(TarnContext* ctx, TarnWriter* w, const char* kind, uint64_t def_hash,
                              size_t* size);
// What a save says that has no place for its size.
TarnResult tarn__snapshot_no_size(TarnContext* ctx);
// Checks all of the header and the payload's hash; out reads the payload.
TarnResult tarn__snapshot_open(TarnContext* ctx, const void* buffer, size_t size, const char* kind,
                               uint64_t def_hash, TarnReader* out);
