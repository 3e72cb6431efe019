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

static inline bool is_finite_view(TarnView2 h)
{
    bool is_finite = true;
    for (int k = 0; k < h.nz; ++k)
        for (int i = 0; i < h.nx; ++i) is_finite &= isfinite(h.data[i + h.stride * k]) != 0;
    return is_finite;
}

static inline bool is_finite_world(TarnWorld* world)
{
    bool is_finite = true;
    for (int n = 0; n < tarn_world_wave_count(world); ++n)
        is_finite &= is_finite_view(tarn_wave_height(tarn_world_wave(world, n)));
    for (int n = 0; n < tarn_world_shallow_count(world); ++n) {
        const TarnShallow* shallow = tarn_world_shallow(world, n);
        is_finite &= is_finite_view(tarn_shallow_depth(shallow)) &&
                     is_finite_view(tarn_shallow_velocity_x(shallow)) &&
                     is_finite_view(tarn_shallow_velocity_z(shallow));
    }
    for (int n = 0; n < tarn_world_pipes_count(world); ++n) {
        const TarnPipes* pipes = tarn_world_pipes(world, n);
        is_finite &=
            is_finite_view(tarn_pipes_depth(pipes)) && is_finite_view(tarn_pipes_ground(pipes));
    }
    for (int n = 0; n < tarn_world_liquid_count(world); ++n) {
        TarnLiquidView view = tarn_liquid_view(tarn_world_liquid(world, n));
        for (int i = 0; i < view.n; ++i)
            is_finite &= tarn__is_finite3((TarnVec3){ view.x[i], view.y[i], view.z[i] }) &&
                         tarn__is_finite3((TarnVec3){ view.vx[i], view.vy[i], view.vz[i] });
    }
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
    "{ \"tarn\": 1, \"title\": \"T\", \"about\": \"A.\",\n"
    "  \"run\": { \"seconds\": 2 }, \"view\": { \"yaw\": 10 }, \"world\": { \"seed\": 3 },\n"
    "  \"solvers\": [ { \"kind\": \"wave\", \"nx\": 48, \"nz\": 40, \"dx\": 0.25, \"origin\": [-6, "
    "-5], \"depth\": 2,\n"
    "    \"damping\": 0.1,\n"
    "    \"walls\": [ { \"min\": [-6, -5], \"max\": [-5, -4] },\n"
    "               { \"shape\": \"disc\", \"center\": [4, 3], \"radius\": 0.8 } ],\n"
    "    \"bed\": [ { \"kind\": \"mound\", \"center\": [-3, 2], \"radius\": 1.5, \"height\": 1 },\n"
    "             { \"kind\": \"slope\", \"from\": [0, 0], \"to\": [6, 0], \"rise\": 0.5 } ] } ],\n"
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

// The same for shallow water: all that a land may have, all kinds of emitters.
static const char* const flowing =
    "{ \"tarn\": 1, \"title\": \"F\", \"run\": { \"seconds\": 2 },\n"
    "  \"solvers\": [ { \"kind\": \"shallow\", \"nx\": 64, \"nz\": 48, \"dx\": 0.5, \"origin\": "
    "[-16, -12], \"level\": 0,\n"
    "    \"has_level\": false, \"drag\": 0.01, \"rain\": 100, \"edge_x1\": \"open\",\n"
    "    \"terrain\": { \"kind\": \"slope\", \"slope\": 0.02, \"center\": [0, 0], \"noise\": 0.05 "
    "},\n"
    "    \"bed\": [ { \"kind\": \"mound\", \"center\": [4, 4], \"radius\": 3, \"height\": 1.5 } "
    "],\n"
    "    \"walls\": [ { \"min\": [-6, -12], \"max\": [-5, -2], \"top\": 4 },\n"
    "      { \"min\": [-6, 2], \"max\": [-5, 12], \"top\": 4 },\n"
    "      { \"min\": [6, -6], \"max\": [9, -4], \"yaw\": 30, \"height\": 3, \"roof\": 1,\n"
    "        \"color\": [0.6, 0.5, 0.4] },\n"
    "      { \"shape\": \"disc\", \"center\": [10, 5], \"radius\": 1.2, \"height\": 2 } ],\n"
    "    \"gates\": [ { \"a\": [-6, -2], \"b\": [-5, 2], \"top\": 4 } ],\n"
    "    \"pools\": [ { \"a\": [-16, -12], \"b\": [-5.5, 12], \"level\": 2 },\n"
    "               { \"a\": [-5, -12], \"b\": [16, 12], \"level\": 0.4 } ],\n"
    "    \"spans\": [ { \"side\": \"x0\", \"kind\": \"discharge\", \"from\": -3, \"to\": 3,\n"
    "      \"hydrograph\": [[0, 0], [1, 4], [5, 1]] } ] } ],\n"
    "  \"bodies\": [ { \"name\": \"barrel\", \"shape\": \"capsule\", \"size\": [0.4, 0.4],\n"
    "      \"position\": [-10, 2.2, 0], \"pitch\": 90 },\n"
    "    { \"shape\": \"box\", \"size\": 0.5, \"position\": [3, 2, -3] } ],\n"
    "  \"emitters\": [ { \"kind\": \"gate\", \"gate\": 0, \"start\": 0.5, \"period\": 0.5,\n"
    "      \"stop\": 1.5 },\n"
    "    { \"kind\": \"source\", \"a\": [8, 0], \"radius\": 1, \"flow\": 2 },\n"
    "    { \"kind\": \"source\", \"a\": [-12, 5], \"radius\": 1, \"flow\": -1 },\n"
    "    { \"kind\": \"dig\", \"a\": [0, 6], \"radius\": 2, \"height\": -1, \"period\": 1 },\n"
    "    { \"kind\": \"jet\", \"a\": [-12, -5], \"radius\": 2, \"velocity\": [0, 2] },\n"
    "    { \"kind\": \"drop\", \"a\": [2, 0], \"radius\": 1, \"height\": 0.5, \"start\": 0.3 } ] "
    "}\n";

static const char* const carving =
    "{ \"tarn\": 1, \"title\": \"P\", \"solvers\": [ { \"kind\": \"pipes\", \"nx\": 48, \"nz\": "
    "40, \"dx\": 2,\n"
    "    \"rain\": 500, \"soil\": 0.5, \"terrain\": { \"kind\": \"ridged\", \"height\": 20,\n"
    "    \"size\": 60 }, \"bed\": [ { \"center\": [40, 40], \"radius\": 20, \"height\": 10 } ] } "
    "],\n"
    "  \"emitters\": [ { \"kind\": \"source\", \"a\": [50, 40], \"radius\": 5, \"flow\": 3 } ] }\n";

// Particles: a flat liquid with a bit of everything that worlds know about it.
static const char* const splashing =
    "{ \"tarn\": 1, \"title\": \"L\", \"run\": { \"seconds\": 2 },\n"
    "  \"solvers\": [ { \"kind\": \"liquid\", \"carries\": true, \"dimensions\": 2, \"spacing\": "
    "0.05, \"max_particles\": 1200,\n"
    "    \"box_min\": [-2, 0, 0], \"box_max\": [2, 3, 0], \"iterations\": 3, \"max_splashes\": "
    "50,\n"
    "    \"use_look\": true, \"kinds\": [ {}, { \"density\": 800, \"viscosity\": 0.001 } ],\n"
    "    \"fill\": [ { \"size\": [1, 0.4, 1], \"position\": [-1, 0.4, 0] },\n"
    "              { \"shape\": \"sphere\", \"size\": 0.25, \"position\": [0.9, 0.3, 0], "
    "\"kind\": 1 } ],\n"
    "    \"sources\": [ { \"attach\": \"cannon\", \"position\": [0.3, 0, 0], \"direction\": [1, 0, "
    "0],\n"
    "      \"radius\": 0.1, \"speed\": 3 } ],\n"
    "    \"regions\": [ { \"size\": [0.1, 0.15, 1], \"position\": [1.9, 0.15, 0], \"yaw\": 5, "
    "\"action\": \"delete\" } ] },\n"
    "  { \"kind\": \"particles\", \"max_particles\": 500, \"drag\": 0.5,\n"
    "    \"emitters\": [ { \"shape\": \"disc\", \"size\": 0.05, \"rate\": 60, \"position\": [0, "
    "0.2, 0],\n"
    "      \"direction\": [0, 1, 0], \"attach\": \"crate\", \"lifetime\": 0.5 } ],\n"
    "    \"attractors\": [ { \"position\": [0, 2, 0], \"strength\": 3 } ] },\n"
    "  { \"kind\": \"fire\", \"position\": [-1, 0.3, 0], \"radius\": 0.3, \"water\": 30 },\n"
    "  { \"kind\": \"fire\", \"position\": [1.5, 2.5, 0], \"radius\": 0.2 } ],\n"
    "  \"solids\": [\n"
    "    { \"name\": \"blender\", \"shape\": \"wheel\", \"size\": [0.3, 0.08], \"thickness\": "
    "0.02,\n"
    "      \"blades\": 3, \"position\": [-1.2, 0.5, 0],\n"
    "      \"driver\": { \"kind\": \"spin\", \"turn\": 229.18312, \"ramp\": 0.5 } },\n"
    "    { \"shape\": \"path\", \"points\": [[0.2, 1.2], [0.2, 0.7], [0.8, 0.7]], \"thickness\": "
    "0.02,\n"
    "      \"driver\": { \"kind\": \"shake\", \"amplitude\": [0.1, 0, 0], \"period\": 0.5 } },\n"
    "    { \"shape\": \"box\", \"size\": [0.1, 0.2, 1], \"pitch\": 30, \"color\": [1, 0, 0],\n"
    "      \"driver\": { \"kind\": \"slide\", \"from\": [0.5, 0.2, 0], \"to\": [1, 0.2, 0] } },\n"
    "    { \"shape\": \"convex\", \"planes\": [[0, 1, 0, 0.05], [0, -1, 0, 0], [1, 0, 0, 0.1],\n"
    "      [-1, 0, 0, 0.1], [0, 0, 1, 1], [0, 0, -1, 1]], \"position\": [-0.5, 0, 0] },\n"
    "    { \"shape\": \"sphere\", \"size\": 0.1, \"touch\": \"kill\", \"position\": [1.6, 0.8, "
    "0],\n"
    "      \"hidden\": true } ],\n"
    "  \"bodies\": [\n"
    "    { \"name\": \"crate\", \"shape\": \"box\", \"size\": [0.15, 0.15, 0.5], \"density\": "
    "400,\n"
    "      \"position\": [-0.5, 1.2, 0], \"color\": [0, 1, 0] },\n"
    "    { \"name\": \"wheel\", \"size\": 0.1, \"density\": 3000, \"position\": [1.2, 1.4, 0],\n"
    "      \"freedom\": \"hinge\", \"solid\": { \"shape\": \"wheel\", \"size\": [0.35, 0.08],\n"
    "      \"thickness\": 0.02, \"blades\": 4 } },\n"
    "    { \"name\": \"cannon\", \"shape\": \"box\", \"size\": [0.2, 0.1, 0.5], \"driven\": true,\n"
    "      \"position\": [-1.5, 1.8, 0], \"driver\": { \"kind\": \"spin\", \"turn\": 11.459156 } } "
    "] }\n";

#define HEAD   "{\"tarn\":1,\n"
#define SOLVER HEAD "\"solvers\": [{\"kind\": "
