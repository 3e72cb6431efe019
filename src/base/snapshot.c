// Snapshot streams. Every target we build for is little-endian, so values are copied as they are.

#include "base/snapshot.h"

static const char magic[8] = { 'T', 'A', 'R', 'N', 'S', 'N', 'A', 'P' };

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "snapshots and hashes are written for little-endian machines"
#endif

void tarn__write(TarnWriter* w, const void* bytes, size_t size)
{
    if (size <= w->capacity && w->size <= w->capacity - size) {
        memcpy(w->data + w->size, bytes, size);
    }
    w->size += size;
}
void tarn__write_u32(TarnWriter* w, uint32_t value)
{
    tarn__write(w, &value, sizeof value);
}
void tarn__write_u64(TarnWriter* w, uint64_t value)
{
    tarn__write(w, &value, sizeof value);
}
void tarn__write_f64(TarnWriter* w, double value)
{
    tarn__write(w, &value, sizeof value);
}
void tarn__write_table(TarnWriter* w, const TarnParamTable* table, const void* object)
{
    for (int p = 0; p < table->count; ++p) {
        int n = tarn__param_components(table->params[p].type);
        for (int c = 0; c < n; ++c)
            tarn__write_f64(w, tarn__param_get(&table->params[p], object, c));
    }
}

const void* tarn__read_view(TarnReader* r, size_t size)
{
    if (r->is_bad || size > r->size - r->at) {
        r->is_bad = true;
        return NULL;
    }
    r->at += size;
    return r->data + (r->at - size);
}
void tarn__read(TarnReader* r, void* bytes, size_t size)
{
    const void* from = tarn__read_view(r, size);
    if (from)
        memcpy(bytes, from, size);
    else
        memset(bytes, 0, size);
}
uint32_t tarn__read_u32(TarnReader* r)
{
    uint32_t value;
    tarn__read(r, &value, sizeof value);
    return value;
}
uint64_t tarn__read_u64(TarnReader* r)
{
    uint64_t value;
    tarn__read(r, &value, sizeof value);
    return value;
}
double tarn__read_f64(TarnReader* r)
{
    double value;
    tarn__read(r, &value, sizeof value);
    return value;
}
bool tarn__read_table(TarnReader* r, const TarnParamTable* table, void* object)
{
    bool is_good = true;
    for (int p = 0; p < table->count; ++p) {
        int n = tarn__param_components(table->params[p].type);
        double value[3] = { 0.0 };
        for (int c = 0; c < n; ++c) value[c] = tarn__read_f64(r);
        is_good = is_good && !r->is_bad && tarn__param_restore(&table->params[p], object, value);
    }
    return is_good;
}

TarnWriter tarn__snapshot_begin(void* buffer, size_t capacity)
{
    return (TarnWriter){ buffer, buffer ? capacity : 0, TARN_SNAPSHOT_HEADER };
}

TarnResult tarn__snapshot_end(TarnContext* ctx, TarnWriter* w, const char* kind, uint64_t def_hash,
                              size_t* size)
{
    *size = w->size;
    if (w->size > w->capacity) {
        if (w->data == NULL) return TARN_ERR_CAPACITY; // only asking: no error to report
        return tarn__fail(ctx, TARN_ERR_CAPACITY,
                          "snapshot: it needs %zu bytes, but the buffer has %zu; pass a larger one",
                          w->size, w->capacity);
    }
    char name[8] = { 0 };
    memcpy(name, kind, strlen(kind) < 8 ? strlen(kind) : 8);
    size_t payload = w->size - TARN_SNAPSHOT_HEADER;
    TarnWriter head = { w->data, TARN_SNAPSHOT_HEADER, 0 };
    tarn__write(&head, magic, sizeof magic);
    tarn__write_u32(&head, TARN_SNAPSHOT_MAJOR << 16 | TARN_SNAPSHOT_MINOR);
    tarn__write_u32(&head, TARN_VERSION_MAJOR << 16 | TARN_VERSION_MINOR << 8 | TARN_VERSION_PATCH);
    tarn__write(&head, name, sizeof name);
    tarn__write_u64(&head, def_hash);
    tarn__write_u64(&head, payload);
    tarn__write_u64(&head, tarn_hash(w->data + TARN_SNAPSHOT_HEADER, payload, 0));
    tarn__write_u64(&head, tarn_hash(w->data, head.size, 1)); // the header guards itself too
    return TARN_OK;
}

TarnResult tarn__snapshot_no_size(TarnContext* ctx)
{
    return tarn__fail(ctx, TARN_ERR_ARG,
                      "snapshot: size is NULL; pass a place for the number of bytes");
}

static TarnResult cut_in_header(TarnContext* ctx, size_t size)
{
    return tarn__fail(ctx, TARN_ERR_DATA,
                      "the snapshot is cut short: expected at least %d bytes, found %zu; pass "
                      "everything that save wrote",
                      TARN_SNAPSHOT_HEADER, size);
}

TarnResult tarn__snapshot_open(TarnContext* ctx, const void* buffer, size_t size, const char* kind,
                               uint64_t def_hash, TarnReader* out)
{
    TarnReader r = { buffer, size, 0, buffer == NULL };
    char found[8], name[8];
    tarn__read(&r, found, sizeof found);
    if (r.is_bad || memcmp(found, magic, sizeof magic) != 0) {
        return tarn__fail(ctx, TARN_ERR_DATA,
                          "not a Tarn snapshot: the first 8 bytes are not TARNSNAP");
    }
    uint32_t format = tarn__read_u32(&r);
    if (r.is_bad) return cut_in_header(ctx, size);
    if (format >> 16 != TARN_SNAPSHOT_MAJOR || (format & 0xffff) > TARN_SNAPSHOT_MINOR) {
        return tarn__fail(ctx, TARN_ERR_VERSION,
                          "snapshot format %u.%u is not supported; this version reads %d.0 to "
                          "%d.%d; save it again",
                          format >> 16, format & 0xffff, TARN_SNAPSHOT_MAJOR, TARN_SNAPSHOT_MAJOR,
                          TARN_SNAPSHOT_MINOR);
    }
    if (size < TARN_SNAPSHOT_HEADER) return cut_in_header(ctx, size);
    tarn__read_u32(&r); // the library's version, for information only
    tarn__read(&r, name, sizeof name);
    uint64_t def = tarn__read_u64(&r);
    uint64_t payload = tarn__read_u64(&r), hash = tarn__read_u64(&r);
    size_t covered = r.at;
    uint64_t head_hash = tarn__read_u64(&r);
    if (tarn_hash(buffer, covered, 1) != head_hash) {
        return tarn__fail(ctx, TARN_ERR_DATA,
                          "the snapshot is damaged: its header does not match its hash");
    }
    if (strncmp(name, kind, sizeof name) != 0) {
        return tarn__fail(ctx, TARN_ERR_DATA, "a snapshot of '%.8s' cannot be loaded into '%s'",
                          name, kind);
    }
    if (def != def_hash) {
        return tarn__fail(ctx, TARN_ERR_DATA,
                          "the snapshot was made with another def of '%s'; create the solver with "
                          "the same sizes and settings",
                          kind);
    }
    if (payload != size - TARN_SNAPSHOT_HEADER) {
        return tarn__fail(
            ctx, TARN_ERR_DATA,
            "the snapshot %s: expected %llu bytes, found %zu; pass everything that save wrote",
            payload > size - TARN_SNAPSHOT_HEADER ? "is cut short" : "is too long",
            (unsigned long long)payload + TARN_SNAPSHOT_HEADER, size);
    }
    if (tarn_hash(r.data + TARN_SNAPSHOT_HEADER, (size_t)payload, 0) != hash) {
        return tarn__fail(ctx, TARN_ERR_DATA,
                          "the snapshot is damaged: its contents do not match its hash");
    }
    *out = r;
    return TARN_OK;
}
