// Snapshot streams: writer, reader, and a header that is believed only when everything fits.

#include "test_common.h"

enum { PAYLOAD = 41, SIZE = TARN_SNAPSHOT_HEADER + PAYLOAD };
static const uint64_t def_hash = 0x1122334455667788;

// Where things are in the header.
enum {
    AT_MAGIC = 0,
    AT_FORMAT = 8,
    AT_LIBRARY = 12,
    AT_KIND = 16,
    AT_DEF = 24,
    AT_SIZE = 32,
    AT_HASH = 40,
    AT_HEADER_HASH = 48
};

static void write_payload(TarnWriter* w)
{
    tarn__write_u32(w, 0xdeadbeef);
    tarn__write_u64(w, 0x0123456789abcdef);
    tarn__write_f64(w, -0.1);
    tarn__write(w, "twenty-one bytes here", 21);
}

static void make_snapshot(uint8_t out[SIZE])
{
    memset(out, 0xa5, SIZE);
    TarnWriter w = tarn__snapshot_begin(out, SIZE);
    write_payload(&w);
    size_t size = 0;
    assert_ok(tarn__snapshot_end(ctx, &w, "thing", def_hash, &size));
    assert_int_equal(size, SIZE);
}

static TarnResult open_it(const void* data, size_t size, TarnReader* r)
{
    memset(r, 0x5a, sizeof *r);
    return tarn__snapshot_open(ctx, data, size, "thing", def_hash, r);
}

// A value in the header, with the header's own hash made good again.
static void forge(uint8_t* snapshot, size_t at, const void* value, size_t size)
{
    memcpy(snapshot + at, value, size);
    uint64_t hash = tarn_hash(snapshot, AT_HEADER_HASH, 1);
    memcpy(snapshot + AT_HEADER_HASH, &hash, sizeof hash);
}

static void assert_refused(const uint8_t* data, size_t size, TarnResult code, const char* word)
{
    TarnReader r;
    tarn__fail(ctx, TARN_OK, "nothing yet");
    uint8_t* exact = malloc(size ? size : 1); // so that a sanitizer sees a read beyond
    memcpy(exact, data, size);
    assert_result(open_it(exact, size, &r), code, word);
    free(exact);
    assert_null(strstr(tarn_last_error(ctx), "nothing yet"));
}

// ---- Streams -------------------------------------------------------------------------------------

static void test_round_trip(void** state)
{
    (void)state;
    uint8_t snapshot[SIZE];
    make_snapshot(snapshot);
    TarnReader r;
    assert_ok(open_it(snapshot, SIZE, &r));
    assert_true(r.at == TARN_SNAPSHOT_HEADER && r.size == SIZE && !r.is_bad);
    char text[21];
    assert_true(tarn__read_u32(&r) == 0xdeadbeef && tarn__read_u64(&r) == 0x0123456789abcdef);
    assert_true(tarn__read_f64(&r) == -0.1);
    tarn__read(&r, text, sizeof text);
    assert_memory_equal(text, "twenty-one bytes here", 21);
    assert_true(r.at == r.size && !r.is_bad);
    uint8_t odd[SIZE + 1]; // any alignment
    memcpy(odd + 1, snapshot, SIZE);
    assert_ok(open_it(odd + 1, SIZE, &r));
    assert_true(tarn__read_u32(&r) == 0xdeadbeef);
}

// The same bytes from every machine. Other bytes: raise the format version.
static void test_bytes(void** state)
{
    (void)state;
    uint8_t snapshot[SIZE];
    make_snapshot(snapshot);
    assert_memory_equal(snapshot, "TARNSNAP", 8);
    const uint8_t format[4] = { TARN_SNAPSHOT_MINOR, 0, TARN_SNAPSHOT_MAJOR, 0 };
    const uint8_t library[4] = { TARN_VERSION_PATCH, TARN_VERSION_MINOR, TARN_VERSION_MAJOR, 0 };
    const uint8_t def[8] = { 0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11 };
    const uint8_t size[8] = { PAYLOAD }, first[4] = { 0xef, 0xbe, 0xad, 0xde };
    assert_memory_equal(snapshot + AT_FORMAT, format, 4);
    assert_memory_equal(snapshot + AT_LIBRARY, library, 4);
    assert_memory_equal(snapshot + AT_KIND, "thing\0\0\0", 8);
    assert_memory_equal(snapshot + AT_DEF, def, 8);
    assert_memory_equal(snapshot + AT_SIZE, size, 8);
    assert_memory_equal(snapshot + TARN_SNAPSHOT_HEADER, first, 4);
    uint64_t hash = tarn_hash(snapshot + TARN_SNAPSHOT_HEADER, PAYLOAD, 0);
    assert_memory_equal(snapshot + AT_HASH, &hash, 8);
}

static void test_reader_end(void** state)
{
    (void)state;
    uint8_t data[10] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 }, out[10];
    TarnReader r = { data, 10, 0, false };
    assert_true(tarn__read_u64(&r) == 0x0807060504030201 && !r.is_bad);
    memset(out, 1, sizeof out);
    tarn__read(&r, out, 3); // one too many: zeros
    assert_true(r.is_bad && out[0] == 0 && out[2] == 0 && out[3] == 1);
    assert_true(tarn__read_u32(&r) == 0 && tarn__read_u64(&r) == 0 && tarn__read_f64(&r) == 0.0);
    assert_null(tarn__read_view(&r, 1)); // it stays bad, though two bytes are left
    assert_null(tarn__read_view(&r, 0));
    r = (TarnReader){ data, 10, 0, false };
    assert_null(tarn__read_view(&r, SIZE_MAX)); // no overflow
    r = (TarnReader){ data, 10, 4, false };
    assert_null(tarn__read_view(&r, SIZE_MAX - 2));
    r = (TarnReader){ data, 10, 0, false };
    assert_ptr_equal(tarn__read_view(&r, 10), data);
    assert_ptr_equal(tarn__read_view(&r, 0), data + 10);
    assert_false(r.is_bad);
    assert_null(tarn__read_view(&r, 1));
}

static void test_writer_end(void** state)
{
    (void)state;
    uint8_t data[12];
    memset(data, 7, sizeof data);
    TarnWriter w = { data, 10, 0 };
    tarn__write_u64(&w, 0);
    tarn__write_u32(&w, 0); // does not fit: counted, not written
    assert_true(w.size == 12 && data[7] == 0 && data[8] == 7 && data[11] == 7);
    tarn__write(&w, "x", 1);
    assert_true(w.size == 13 && data[8] == 7);
    w = (TarnWriter){ data, 10, 0 };
    tarn__write_u64(&w, 0);
    tarn__write(&w, "ab", 2); // fits to the last byte
    assert_true(w.size == 10 && data[9] == 'b' && data[10] == 7);
}

static void test_capacity(void** state)
{
    (void)state;
    for (size_t capacity = 0; capacity <= SIZE + 3; ++capacity) {
        uint8_t* buffer = malloc(capacity + 1);
        memset(buffer, 7, capacity + 1);
        TarnWriter w = tarn__snapshot_begin(buffer, capacity);
        write_payload(&w);
        size_t size = 0;
        TarnResult result = tarn__snapshot_end(ctx, &w, "thing", def_hash, &size);
        char sentence[100];
        snprintf(sentence, sizeof sentence, "needs %d bytes, but the buffer has %zu", SIZE,
                 capacity);
        assert_int_equal(size, SIZE);
        if (capacity < SIZE)
            assert_result(result, TARN_ERR_CAPACITY, sentence);
        else
            assert_ok(result);
        assert_int_equal(buffer[capacity], 7);
        free(buffer);
    }
    tarn__fail(ctx, TARN_OK, "nothing yet");
    for (size_t capacity = 0; capacity <= 1000; capacity += 1000) { // only asking is no failure
        TarnWriter w = tarn__snapshot_begin(NULL, capacity);
        write_payload(&w);
        size_t size = 0;
        assert_int_equal(tarn__snapshot_end(ctx, &w, "thing", def_hash, &size), TARN_ERR_CAPACITY);
        assert_int_equal(size, SIZE);
        assert_string_equal(tarn_last_error(ctx), "nothing yet");
    }
}

// ---- What is refused -----------------------------------------------------------------------------

static void test_header(void** state)
{
    (void)state;
    uint8_t good[SIZE], bad[SIZE];
    make_snapshot(good);
    const uint32_t major = TARN_SNAPSHOT_MAJOR << 16, minor = TARN_SNAPSHOT_MINOR;
    const uint32_t versions[] = { major | (minor + 1), major | 0xffff, major + 0x10000,
                                  major - 0x10000, 0xffffffff };
    for (int n = 0; n < 5; ++n) {
        char text[60];
        snprintf(text, sizeof text, "snapshot format %u.%u is not supported", versions[n] >> 16,
                 versions[n] & 0xffff);
        memcpy(bad, good, SIZE);
        forge(bad, AT_FORMAT, &versions[n], 4);
        assert_refused(bad, SIZE, TARN_ERR_VERSION, text);
        memcpy(bad + AT_HEADER_HASH, good, 8); // a newer format may hash in another way
        assert_refused(bad, SIZE, TARN_ERR_VERSION, text);
    }
    memcpy(bad, good, SIZE);
    forge(bad, AT_MAGIC, "tarnsnap", 8);
    assert_refused(bad, SIZE, TARN_ERR_DATA, "not a Tarn snapshot");

    const char* const kinds[] = { "wave\0\0\0\0", "things\0\0", "thin\0\0\0\0", "\0hing\0\0\0" };
    for (int n = 0; n < 4; ++n) {
        memcpy(bad, good, SIZE);
        forge(bad, AT_KIND, kinds[n], 8);
        assert_refused(bad, SIZE, TARN_ERR_DATA, "cannot be loaded into 'thing'");
    }
    uint64_t other = def_hash ^ 1;
    memcpy(bad, good, SIZE);
    forge(bad, AT_DEF, &other, 8);
    assert_refused(bad, SIZE, TARN_ERR_DATA, "another def of 'thing'");

    const uint64_t sizes[] = {
        0, PAYLOAD - 1, PAYLOAD + 1, UINT64_MAX, UINT64_MAX - 55, 1ull << 63
    };
    for (int n = 0; n < 6; ++n) {
        memcpy(bad, good, SIZE);
        forge(bad, AT_SIZE, &sizes[n], 8);
        char found[60];
        snprintf(found, sizeof found, "found %d; pass", SIZE);
        assert_refused(bad, SIZE, TARN_ERR_DATA, found);
    }
    memcpy(bad, good, SIZE);
    forge(bad, AT_HASH, &other, 8);
    assert_refused(bad, SIZE, TARN_ERR_DATA, "do not match its hash");

    uint32_t library = 0x00ffffff; // the library's version is for people
    TarnReader r;
    memcpy(bad, good, SIZE);
    forge(bad, AT_LIBRARY, &library, 4);
    assert_ok(open_it(bad, SIZE, &r));
    assert_result(open_it(NULL, 100, &r), TARN_ERR_DATA, "not a Tarn snapshot");
    assert_int_equal(tarn__snapshot_open(NULL, bad, 3, "thing", def_hash, &r), TARN_ERR_DATA);
}

static void test_truncated(void** state)
{
    (void)state;
    uint8_t snapshot[SIZE + 4] = { 0 };
    make_snapshot(snapshot);
    for (size_t size = 0; size < SIZE; ++size) { // all sizes are those of whole snapshots
        char text[80];
        bool is_in_header = size < TARN_SNAPSHOT_HEADER;
        snprintf(text, sizeof text, "is cut short: expected %s%d bytes, found %zu;",
                 is_in_header ? "at least " : "", is_in_header ? TARN_SNAPSHOT_HEADER : SIZE, size);
        assert_refused(snapshot, size, TARN_ERR_DATA, size < 8 ? "not a Tarn snapshot" : text);
    }
    for (size_t more = 1; more <= 4; ++more) {
        char text[80];
        snprintf(text, sizeof text, "is too long: expected %d bytes, found %zu;", SIZE,
                 SIZE + more);
        assert_refused(snapshot, SIZE + more, TARN_ERR_DATA, text);
    }
}

static void test_flipped(void** state)
{
    (void)state;
    uint8_t good[SIZE], bad[SIZE];
    make_snapshot(good);
    for (size_t bit = 0; bit < 8 * SIZE; ++bit) {
        size_t at = bit / 8;
        memcpy(bad, good, SIZE);
        bad[at] ^= (uint8_t)(1u << bit % 8);
        bool is_version = at >= AT_FORMAT && at < AT_LIBRARY;
        assert_refused(bad, SIZE, is_version ? TARN_ERR_VERSION : TARN_ERR_DATA,
                       at < AT_FORMAT              ? "not a Tarn snapshot"
                       : is_version                ? "snapshot format"
                       : at < TARN_SNAPSHOT_HEADER ? "its header does not match"
                                                   : "do not match its hash");
    }
    memset(bad, 0, SIZE);
    assert_refused(bad, SIZE, TARN_ERR_DATA, "not a Tarn snapshot");
    memcpy(bad, "TARNSNAP", 8);
    assert_refused(bad, SIZE, TARN_ERR_VERSION, "snapshot format 0.0");
}

// Names of eight characters fill their field; of longer ones the first eight count.
static void test_long_kinds(void** state)
{
    (void)state;
    const char* const kinds[] = { "a", "eightlet", "morethan8", "morethan9x" };
    for (int a = 0; a < 4; ++a) {
        uint8_t buffer[TARN_SNAPSHOT_HEADER];
        TarnWriter w = tarn__snapshot_begin(buffer, sizeof buffer); // an empty payload is fine
        size_t size;
        assert_ok(tarn__snapshot_end(ctx, &w, kinds[a], 0, &size));
        for (int b = 0; b < 4; ++b) {
            TarnReader r;
            bool is_same = strncmp(kinds[a], kinds[b], 8) == 0;
            assert_result(tarn__snapshot_open(ctx, buffer, size, kinds[b], 0, &r),
                          is_same ? TARN_OK : TARN_ERR_DATA, "cannot be loaded into");
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { TEST(test_round_trip), TEST(test_bytes),
                                        TEST(test_reader_end), TEST(test_writer_end),
                                        TEST(test_capacity),   TEST(test_header),
                                        TEST(test_truncated),  TEST(test_flipped),
                                        TEST(test_long_kinds) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
