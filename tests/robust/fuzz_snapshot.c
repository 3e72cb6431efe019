// libFuzzer target for snapshots of worlds. The first byte chooses how the rest is used:
//   0  as a snapshot
//   1  as the payload of one, with a header that fits
//   2  as patches of a good one (place, value), with all hashes set right again, so that the checks
//      behind the hashes are reached
// Refused: nothing changes. Accepted: the world steps and stays finite.

#include "base/base.h"
#include "base/snapshot.h"
#include "tarn/tarn.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static const char scene_text[] =
    "{\"tarn_scene\":1,\"world\":{\"max_bodies\":6,\"max_emitters\":4},"
    "\"wave\":{\"nx\":24,\"nz\":16,\"dx\":0.25,\"depth\":1,\"edge_x1\":\"absorbing\",\"sponge_"
    "cells\":4,"
    "\"walls\":[{\"min\":[1,1],\"max\":[2,2]}]},"
    "\"shallow\":{\"nx\":20,\"nz\":12,\"dx\":0.5,\"level\":0.6,\"has_level\":true,"
    "\"terrain\":{\"kind\":\"bowl\"},\"edge_x1\":\"open\","
    "\"spans\":[{\"side\":\"z0\",\"kind\":\"discharge\",\"value\":0.5}],"
    "\"gates\":[{\"a\":[4,0],\"b\":[5,6],\"top\":1}]},"
    "\"pipes\":{\"nx\":16,\"nz\":12,\"dx\":2,\"rain\":500,\"terrain\":{\"kind\":\"ridged\"}},"
    "\"bodies\":[{\"size\":0.3,\"position\":[3,0.3,2]},"
    "{\"shape\":\"box\",\"size\":0.2,\"position\":[4,0,2],\"driver\":{\"kind\":\"thrust\","
    "\"radius\":1}},"
    "{\"size\":0.3,\"driven\":true,\"position\":[3,0,3],\"driver\":{\"kind\":\"circle\",\"radius\":"
    "1}}],"
    "\"emitters\":[{\"kind\":\"rain\",\"b\":[6,4]},{\"kind\":\"stroke\",\"b\":[6,4]},"
    "{\"kind\":\"maker\",\"height\":0.1}]}";

static TarnWorld* world;
static uint8_t *good, *buffer; // a good snapshot, and room for a damaged one
static size_t good_size;
static uint64_t good_hash;

static void require(bool condition)
{
    if (!condition) abort();
}

static void create_world(void)
{
    TarnContextDef def = tarn_context_default_def();
    TarnContext* ctx;
    static TarnScene* scene; // for good: leak checkers still see it
    require(tarn_context_create(&def, &ctx) == TARN_OK);
    require(tarn_scene_create(ctx, scene_text, sizeof scene_text - 1, "fuzz.json", NULL, 0,
                              &scene) == TARN_OK);
    world = tarn_scene_world(scene);
    for (int i = 0; i < 30; ++i) require(tarn_world_step(world, 1.0f / 60, NULL) == TARN_OK);
    tarn_world_save(world, NULL, 0, &good_size);
    good = malloc(good_size);
    buffer = malloc(good_size);
    require(tarn_world_save(world, good, good_size, &good_size) == TARN_OK);
    good_hash = tarn_world_hash(world);
}

// Size and hashes of the header at `at`, for a snapshot of this size.
static void repair(uint8_t* at, size_t size)
{
    uint64_t payload = size - TARN_SNAPSHOT_HEADER;
    uint64_t hash = tarn_hash(at + TARN_SNAPSHOT_HEADER, payload, 0);
    memcpy(at + 32, &payload, 8);
    memcpy(at + 40, &hash, 8);
    hash = tarn_hash(at, 48, 1);
    memcpy(at + 48, &hash, 8);
}

// The snapshots inside of the good one: each stands behind its size.
static void repair_all(void)
{
    for (size_t at = TARN_SNAPSHOT_HEADER; at + TARN_SNAPSHOT_HEADER <= good_size; ++at) {
        if (memcmp(good + at, "TARNSNAP", 8) != 0) continue;
        uint64_t size;
        memcpy(&size, good + at - 8, 8);
        repair(buffer + at, size);
    }
    repair(buffer, good_size);
}

static void patch(const uint8_t* data, size_t size)
{
    memcpy(buffer, good, good_size);
    for (; size >= 4; data += 4, size -= 4) { // three bytes of place, one to turn bits with
        size_t at = (size_t)data[0] | (size_t)data[1] << 8 | (size_t)data[2] << 16;
        buffer[at % good_size] ^= data[3];
    }
    repair_all();
}

static void require_view(TarnView2 view)
{
    for (int k = 0; k < view.nz; ++k)
        for (int i = 0; i < view.nx; ++i) require(tarn__is_finite(view.data[i + view.stride * k]));
}

static void require_finite(void)
{
    TarnBodies* bodies = tarn_world_bodies(world);
    TarnView2 h = tarn_wave_height(tarn_world_wave(world));
    for (int n = 0; n < tarn_bodies_count(bodies); ++n) {
        TarnBodyState s;
        require(tarn_bodies_get_state(bodies, tarn_bodies_at(bodies, n), &s) == TARN_OK);
        require(tarn__is_finite3(s.position) && tarn__is_finite3(s.velocity));
        require(tarn__is_finite3(s.angular_velocity));
    }
    require_view(h);
    require_view(tarn_shallow_depth(tarn_world_shallow(world)));
    require_view(tarn_shallow_velocity_x(tarn_world_shallow(world)));
    require_view(tarn_pipes_depth(tarn_world_pipes(world)));
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    if (world == NULL) create_world();
    if (size == 0) return 0;
    uint8_t how = data[0] % 3;
    ++data;
    --size;
    TarnResult result;
    if (how == 0) {
        result = tarn_world_load(world, data, size);
    } else if (how == 1) {
        uint8_t* framed = malloc(TARN_SNAPSHOT_HEADER + size);
        memcpy(framed, good, TARN_SNAPSHOT_HEADER);
        memcpy(framed + TARN_SNAPSHOT_HEADER, data, size);
        repair(framed, TARN_SNAPSHOT_HEADER + size);
        result = tarn_world_load(world, framed, TARN_SNAPSHOT_HEADER + size);
        free(framed);
    } else {
        patch(data, size);
        result = tarn_world_load(world, buffer, good_size);
    }
    if (result != TARN_OK) {
        require(tarn_world_hash(world) == good_hash); // refused: nothing changed
        return 0;
    }
    for (int i = 0; i < 3; ++i) require(tarn_world_step(world, 1.0f / 60, NULL) == TARN_OK);
    require_finite();
    require(tarn_world_load(world, good, good_size) == TARN_OK);
    require(tarn_world_hash(world) == good_hash);
    return 0;
}
