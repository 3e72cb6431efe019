// What the tests of shallow water share: small seas over every kind of ground, and ways to read and
// to disturb them. Include it first.
#pragma once

#include "test_common.h"
#include "base/param.h"
#include "shallow/shallow_internal.h"
#include "tarn/shallow.h"
#include <limits.h>

// 100 x 40 cells of half a meter: two by three tiles, the last of them not full.
static inline TarnShallowDef water_def(void)
{
    TarnShallowDef def = tarn_shallow_default_def();
    def.nx = 100, def.nz = 40;
    def.dx = 0.5f;
    return def;
}
static const TarnVec2 water_middle = { 25.0f, 10.0f };

static inline void set_water_edges(TarnShallowDef* def, int x0, int x1, int z0, int z1)
{
    def->edge_x0 = x0, def->edge_x1 = x1, def->edge_z0 = z0, def->edge_z1 = z1;
}

static inline TarnShallow* make_water_in(TarnContext* where, const TarnShallowDef* def)
{
    TarnShallow* water;
    TarnResult result = tarn_shallow_create(where, def, &water);
    if (result != TARN_OK) print_error("%s\n", tarn_last_error(where));
    assert_int_equal(result, TARN_OK);
    return water;
}
static inline TarnShallow* make_water(const TarnShallowDef* def)
{
    return make_water_in(ctx, def);
}
static inline TarnShallow* make_lake(float level) // over flat ground
{
    TarnShallowDef def = water_def();
    def.level = level;
    def.has_level = true;
    return make_water(&def);
}

// Hills from -2 m to 2 m.
static inline float water_hills(float x, float z, void* user)
{
    (void)user;
    return 2.0f * sinf(0.31f * x + 1.0f) * cosf(0.27f * z);
}

static inline float view_value(TarnView2 v, int i, int k)
{
    return v.data[i + (ptrdiff_t)v.stride * k];
}
static inline float depth_of(const TarnShallow* water, int i, int k)
{
    return view_value(tarn_shallow_depth(water), i, k);
}
static inline float bed_of(const TarnShallow* water, int i, int k)
{
    return view_value(tarn_shallow_bed(water), i, k);
}
static inline double counted_volume(const TarnShallow* water)
{
    const TarnShallowDef* def = tarn_shallow_def(water);
    double sum = 0.0;
    for (int c = 0; c < def->nx * def->nz; ++c)
        sum += (double)depth_of(water, c % def->nx, c / def->nx);
    return sum * (double)def->dx * (double)def->dx;
}

static inline TarnStepReport advance(TarnShallow* water, float dt)
{
    TarnStepReport report;
    assert_ok(tarn_shallow_step(water, dt, &report));
    return report;
}
static inline void advance_frames(TarnShallow* water, int n)
{
    for (int s = 0; s < n; ++s) advance(water, frame);
}

static inline void set_drag(TarnShallow* water, float drag)
{
    TarnShallowParams params = tarn_shallow_params(water);
    params.drag = drag;
    assert_ok(tarn_shallow_set_params(water, &params));
}

// volume = initial + all others, and volume is what the cells hold. scale: more than ever was there.
static inline void assert_ledger(const TarnShallow* water, double scale, const char* file, int line)
{
    TarnShallowLedger l = tarn_shallow_ledger(water);
    double gap = l.volume - (l.initial + l.edges + l.sources + l.rain + l.evaporated + l.window);
    double counted = counted_volume(water) - l.volume;
    if (fabs(gap) <= 1e-9 * scale && fabs(counted) <= 1e-6 * (1e-6 * scale + l.volume) &&
        l.evaporated <= 0.0 && l.rain >= 0.0)
        return;
    print_error(
        "volume %.12g (counted %.3g more): gap %.3g; initial %g edges %g sources %g rain %g "
        "evaporated %g window %g\n",
        l.volume, counted, gap, l.initial, l.edges, l.sources, l.rain, l.evaporated, l.window);
    _fail(file, line);
}
#define assert_closed(water, scale) assert_ledger(water, scale, __FILE__, __LINE__)

// Everything is finite and no depth is negative; speeds are within what params allow.
static inline void assert_sound(const TarnShallow* water, const char* file, int line)
{
    const TarnShallowDef* def = tarn_shallow_def(water);
    TarnView2 u = tarn_shallow_velocity_x(water), w = tarn_shallow_velocity_z(water);
    for (int k = 0; k <= def->nz; ++k) {
        for (int i = 0; i <= def->nx; ++i) {
            float h = i < def->nx && k < def->nz ? depth_of(water, i, k) : 0.0f;
            float b = i < def->nx && k < def->nz ? bed_of(water, i, k) : 0.0f;
            float a = k < def->nz ? view_value(u, i, k) : 0.0f;
            float c = i < def->nx ? view_value(w, i, k) : 0.0f;
            if (h >= 0.0f && tarn__is_finite(h) && tarn__is_finite(b) && tarn__is_finite(a) &&
                tarn__is_finite(c))
                continue;
            print_error("cell (%d, %d): depth %g, ground %g, speeds %g, %g\n", i, k, (double)h,
                        (double)b, (double)a, (double)c);
            _fail(file, line);
        }
    }
    TarnShallowLedger l = tarn_shallow_ledger(water);
    if (!isfinite(l.volume + l.edges + l.sources + l.rain + l.evaporated + l.window)) {
        print_error("the ledger is not finite\n");
        _fail(file, line);
    }
}
#define assert_water_sane(water) assert_sound(water, __FILE__, __LINE__)

static inline uint8_t* save_water(const TarnShallow* water, size_t* size)
{
    assert_int_equal(tarn_shallow_save(water, NULL, 0, size), TARN_ERR_CAPACITY);
    uint8_t* snapshot = malloc(*size);
    assert_ok(tarn_shallow_save(water, snapshot, *size, size));
    return snapshot;
}

static inline TarnShallowSpanDef span_of(int side, int kind, float value)
{
    TarnShallowSpanDef span = tarn_shallow_default_span();
    span.side = side, span.kind = kind, span.value = value;
    return span;
}
