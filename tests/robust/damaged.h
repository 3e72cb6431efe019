// What every solver does with a damaged snapshot: it refuses, says why, and changes nothing.
#pragma once

#include "tests/unit/test_common.h"

// A solver with its load and hash, as wrapped by LOADS below.
typedef struct Loader {
    void* object;
    TarnResult (*load)(void* object, const void* buffer, size_t size);
    uint64_t (*hash)(const void* object);
} Loader;

// Wraps tarn_<name>_load and _hash for a Loader.
#define LOADS(Type, name)                                                                          \
    static TarnResult load_object(void* object, const void* buffer, size_t size)                   \
    {                                                                                              \
        return tarn_##name##_load((Type*)object, buffer, size);                                    \
    }                                                                                              \
    static uint64_t hash_object(const void* object)                                                \
    {                                                                                              \
        return tarn_##name##_hash((const Type*)object);                                            \
    }

// One bit turned, cut short, cut short with honest sizes, one byte too long, nothing at all.
static inline void assert_damage_refused(Loader l, const uint8_t* good, size_t size)
{
    uint8_t* bad = malloc(size + 1);
    uint64_t hash = l.hash(l.object);
    for (size_t at = 0; at < size; at += at < 300 ? 1 : 7) {
        memcpy(bad, good, size);
        bad[at] ^= (uint8_t)(1u << at % 8);
        TarnResult code = at >= 8 && at < 12 ? TARN_ERR_VERSION : TARN_ERR_DATA;
        assert_result(l.load(l.object, bad, size), code, "");
        assert_result(l.load(l.object, good, at), TARN_ERR_DATA, "");
        if (at >= TARN_SNAPSHOT_HEADER) {
            uint64_t payload = at - TARN_SNAPSHOT_HEADER;
            memcpy(bad, good, at);
            memcpy(bad + 32, &payload, 8);
            seal(bad, at);
            assert_result(l.load(l.object, bad, at), TARN_ERR_DATA, "no run can produce");
        }
        assert_true(l.hash(l.object) == hash);
    }
    memcpy(bad, good, size);
    bad[size] = 0;
    assert_result(l.load(l.object, bad, size + 1), TARN_ERR_DATA, "bytes");
    assert_result(l.load(l.object, NULL, size), TARN_ERR_DATA, "not a Tarn snapshot");
    assert_true(l.hash(l.object) == hash);
    free(bad);
}
