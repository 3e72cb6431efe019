// What test_scene.c and test_world.c share: a scene with a bit of everything. Each includes it once.
#pragma once

#include "counting.h"
#include "base/base.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef TARN_SCENES_DIR
#define TARN_SCENES_DIR "scenes"
#endif

// From a copy of exactly that size, so that a sanitizer sees any read beyond it.
static TarnResult create_with(const char* text, size_t size, const TarnSceneOverride* overrides,
                              int n, TarnScene** out)
{
    char* copy = malloc(size ? size : 1);
    memcpy(copy, text, size);
    TarnResult result = tarn_scene_create(ctx, copy, size, "t.json", overrides, n, out);
    free(copy);
    return result;
}

static TarnScene* create(const char* text)
{
    TarnScene* scene;
    if (create_with(text, strlen(text), NULL, 0, &scene) != TARN_OK)
        fail_msg("%s", tarn_last_error(ctx));
    return scene;
}

static void step(TarnWorld* world, float dt, int n)
{
    for (int i = 0; i < n; ++i) assert_int_equal(tarn_world_step(world, dt, NULL), TARN_OK);
}

static bool is_finite_world(TarnWorld* world)
{
    TarnWave* wave = tarn_world_wave(world);
    TarnView2 h = wave ? tarn_wave_height(wave) : (TarnView2){ 0 };
    bool is_finite = true;
    for (int k = 0; k < h.nz; ++k)
        for (int i = 0; i < h.nx; ++i) is_finite &= isfinite(h.data[i + h.stride * k]) != 0;
    TarnBodies* bodies = tarn_world_bodies(world);
    for (int n = 0; n < tarn_bodies_count(bodies); ++n) {
        TarnBodyState s;
        tarn_bodies_get_state(bodies, tarn_bodies_at(bodies, n), &s);
        is_finite &= tarn__is_finite3(s.position) && tarn__is_finite3(s.velocity) &&
                     tarn__is_finite3(s.angular_velocity);
    }
    return is_finite;
}

// A bit of everything, small enough to be created a hundred times.
static const char* const everything =
    "{ \"tarn_scene\": 1, \"title\": \"T\", \"about\": \"A.\",\n"
    "  \"run\": { \"seconds\": 2 }, \"view\": { \"yaw\": 10 }, \"world\": { \"seed\": 3 },\n"
    "  \"wave\": { \"nx\": 48, \"nz\": 40, \"dx\": 0.25, \"origin\": [-6, -5], \"depth\": 2,\n"
    "    \"damping\": 0.1,\n"
    "    \"walls\": [ { \"min\": [-6, -5], \"max\": [-5, -4] },\n"
    "               { \"shape\": \"disc\", \"center\": [4, 3], \"radius\": 0.8 } ],\n"
    "    \"bed\": [ { \"kind\": \"mound\", \"center\": [-3, 2], \"radius\": 1.5, \"height\": 1 },\n"
    "             { \"kind\": \"slope\", \"from\": [0, 0], \"to\": [6, 0], \"rise\": 0.5 } ] },\n"
    "  \"bodies\": [\n"
    "    { \"name\": \"ball\", \"size\": 0.4, \"density\": 200, \"position\": [0, 1, 0],\n"
    "      \"color\": [1, 0, 0] },\n"
    "    { \"shape\": \"box\", \"size\": [0.3, 0.2, 0.3], \"position\": [-2, 0.2, -2],\n"
    "      \"grid\": { \"count\": [2, 1, 2], \"spacing\": [1, 1, 1] }, \"color\": [0, 1, 0] },\n"
    "    { \"shape\": \"hull\", \"density\": 300, \"position\": [2, 0.1, -2], \"yaw\": 90,\n"
    "      \"points\": "
    "[[1,0.2,0],[-0.6,0.2,0.4],[-0.6,0.2,-0.4],[-0.4,-0.3,0.2],[-0.4,-0.3,-0.2]],\n"
    "      \"driver\": { \"kind\": \"thrust\", \"radius\": 2, \"speed\": 1.5 } },\n"
    "    { \"shape\": \"capsule\", \"size\": [0.2, 0.3], \"driven\": true, \"position\": [0, 0, "
    "3],\n"
    "      \"driver\": { \"kind\": \"circle\", \"radius\": 3, \"speed\": -2 } } ],\n"
    "  \"emitters\": [\n"
    "    { \"kind\": \"rain\", \"a\": [-5, -4], \"b\": [5, 4], \"rate\": 20, \"radius\": 0.4 },\n"
    "    { \"kind\": \"drop\", \"a\": [1, 1], \"radius\": 0.7, \"height\": 0.2, \"start\": 0.5 },\n"
    "    { \"kind\": \"stroke\", \"a\": [-3, -3], \"b\": [3, -3], \"radius\": 0.4, \"period\": 2 "
    "},\n"
    "    { \"kind\": \"line\", \"a\": [-3, 4], \"b\": [3, 4], \"height\": 0.03, \"period\": 0.8 "
    "},\n"
    "    { \"kind\": \"maker\", \"edge\": \"x1\", \"height\": 0.05, \"period\": 1.2 } ] }\n";

#define HEAD "{\"tarn_scene\":1,\n"
