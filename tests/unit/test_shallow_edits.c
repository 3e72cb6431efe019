// Shallow water: edges and their spans, hydrographs, gates, sources, digging, the moving window, sleep.

#include "shallow_common.h"
#include "tests/sanitized.h"

// Advances by n steps until the water has come to rest. False in a short run, which takes a few of them and comes to no
// rest: only what holds at any time is asserted then.
static bool settle(TarnShallow* water, int n)
{
    for (int s = 0; s < (is_short_run() ? n / 100 : n); ++s) advance(water, 0.1f);
    return !is_short_run();
}

// ---- Spans ---------------------------------------------------------------------------------------

static void test_discharge(void** state)
{
    (void)state;
    for (int side = 0; side < 4; ++side) { // a dry basin: what comes in is there
        TarnShallowDef def = water_def();
        TarnShallow* water = make_water(&def);
        TarnShallowSpanDef span = span_of(side, TARN_SHALLOW_DISCHARGE, 2.0f);
        span.from = 5.0f, span.to = 10.0f;
        int index = 99;
        assert_ok(tarn_shallow_add_span(water, &span, &index));
        assert_true(index == 0 && tarn_shallow_span_count(water) == 1);
        advance_frames(water, 1);
        for (int c = 0; c < 4000; ++c) { // only along the span
            int i = c % 100, k = c / 100, along = side < 2 ? k : i;
            int off = side == 0 ? i : side == 1 ? 99 - i : side == 2 ? k : 39 - k;
            bool may = along >= 9 && along < 21 && off < 4;
            assert_true(may || depth_of(water, i, k) == 0.0f);
        }
        advance_frames(water, 599);
        TarnShallowLedger l = tarn_shallow_ledger(water);
        assert_true(fabs(l.edges - 20.0) < 0.02 && l.initial == 0.0);
        assert_closed(water, 100.0);
        assert_ok(tarn_shallow_set_span(water, 0, 0.0f)); // shut
        advance_frames(water, 60);
        assert_true(tarn_shallow_ledger(water).edges == l.edges);
        tarn_shallow_destroy(water);
    }
}

static void test_hydrograph(void** state)
{
    (void)state;
    TarnShallowDef def = water_def();
    TarnShallow* water = make_water(&def);
    float times[4] = { 1.0f, 3.0f, 5.0f, 6.0f }, values[4] = { 0.0f, 4.0f, 4.0f, 1.0f };
    TarnShallowSpanDef span = span_of(TARN_SIDE_Z1, TARN_SHALLOW_DISCHARGE, 77.0f);
    span.times = times, span.values = values, span.n_times = 4;
    assert_ok(tarn_shallow_add_span(water, &span, NULL));
    memset(times, 0, sizeof times); // it was copied
    const double want[9] = { 0, 0, 1, 4, 8, 12, 14.5, 15.5, 16.5 };
    for (int s = 1; s <= 8; ++s) {
        for (int n = 0; n < 60; ++n) advance(water, frame);
        double got = tarn_shallow_ledger(water).edges;
        if (fabs(got - want[s]) > 0.05) print_error("after %d s: %g, not %g\n", s, got, want[s]);
        assert_true(fabs(got - want[s]) <= 0.05);
    }
    assert_result(tarn_shallow_set_span(water, 0, 1.0f), TARN_ERR_ARG, "hydrograph");
    tarn_shallow_destroy(water);
}

static void test_held_levels(void** state)
{
    (void)state;
    for (int kind = TARN_SHALLOW_LEVEL; kind <= TARN_SHALLOW_DEPTH; ++kind) {
        TarnShallowDef def = water_def();
        float bed[4000];
        for (int c = 0; c < 4000; ++c) bed[c] = 3.0f;
        def.bed = bed;
        TarnShallow* water = make_water(&def);
        set_drag(water, 2.0f);
        float value = kind == TARN_SHALLOW_LEVEL ? 4.5f : 1.5f;
        TarnShallowSpanDef span = span_of(TARN_SIDE_X1, kind, value);
        assert_ok(tarn_shallow_add_span(water, &span, NULL));
        bool is_still = settle(water, 4000);
        for (int c = 0; c < 4000 && is_still; ++c)
            assert_float_equal(depth_of(water, c % 100, c / 100), 1.5, 0.005);
        assert_closed(water, 1000.0);
        assert_ok(tarn_shallow_set_span(water, 0, value - 0.5f)); // it runs out again
        is_still = settle(water, 4000);
        for (int c = 0; c < 4000 && is_still; ++c)
            assert_float_equal(depth_of(water, c % 100, c / 100), 1.0, 0.005);
        assert_closed(water, 1000.0);
        tarn_shallow_destroy(water);
    }
}

// Water falls off an edge until hardly any is left; walls and open edges hold what rests.
static void test_edges(void** state)
{
    (void)state;
    for (int side = 0; side < 4; ++side) {
        TarnShallowDef def = water_def();
        def.level = 1.0f, def.has_level = true;
        TarnShallow* water = make_water(&def);
        double volume = tarn_shallow_ledger(water).volume;
        TarnShallowSpanDef open = span_of(side, TARN_SHALLOW_OPEN, 0.0f),
                           fall = span_of(side, TARN_SHALLOW_FALL, 0.0f),
                           wall = span_of(side, TARN_SHALLOW_REFLECTING, 0.0f);
        assert_ok(tarn_shallow_add_span(water, &open, NULL));
        advance_frames(water, 60);
        assert_true(tarn_shallow_ledger(water).volume == volume);
        assert_ok(tarn_shallow_add_span(water, &fall, NULL));
        assert_ok(tarn_shallow_add_span(water, &wall, NULL)); // lies over it
        advance_frames(water, 60);
        assert_true(tarn_shallow_ledger(water).volume == volume);
        assert_ok(tarn_shallow_add_span(water, &fall, NULL));
        double left = settle(water, 3000) ? 0.05 : 1.0;
        TarnShallowLedger l = tarn_shallow_ledger(water);
        if (l.volume > left * volume) print_error("side %d: %g of %g\n", side, l.volume, volume);
        assert_true(l.volume <= left * volume && fabs(l.edges + volume - l.volume) < 1e-6);
        tarn_shallow_destroy(water);
    }
}

static void test_bad_spans(void** state)
{
    (void)state;
    TarnShallow* water = make_lake(1.0f);
    uint64_t hash = tarn_shallow_hash(water);
    const TarnParamTable* table = tarn_shallow_span_table();
    int index = 7;
    for (int i = 0; i < table->count; ++i) {
        const TarnParam* p = &table->params[i];
        bool is_whole = p->type == TARN_PARAM_INT || p->type == TARN_PARAM_ENUM;
        double bad[] = { p->min - 1, p->max * 2 + 1, NAN, INFINITY };
        for (int n = 0; n < (is_whole ? 2 : 4); ++n) {
            TarnShallowSpanDef span = tarn_shallow_default_span();
            poke(p, &span, 0, bad[n]);
            assert_result(tarn_shallow_add_span(water, &span, &index), TARN_ERR_ARG, p->name);
        }
    }
    TarnShallowSpanDef span = span_of(0, TARN_SHALLOW_PERIODIC, 0.0f);
    assert_result(tarn_shallow_add_span(water, &span, &index), TARN_ERR_ARG, "periodic");
    span = span_of(0, TARN_SHALLOW_LEVEL, 1.0f);
    span.from = 5.0f, span.to = 4.0f;
    assert_result(tarn_shallow_add_span(water, &span, &index), TARN_ERR_ARG, "from");
    float times[3] = { 0.0f, 2.0f, 1.0f }, values[3] = { 0.0f, 0.0f, NAN };
    span = span_of(0, TARN_SHALLOW_DISCHARGE, 1.0f);
    span.times = times, span.values = values, span.n_times = 3;
    assert_result(tarn_shallow_add_span(water, &span, &index), TARN_ERR_DATA, "hydrograph");
    times[2] = 3.0f;
    assert_result(tarn_shallow_add_span(water, &span, &index), TARN_ERR_DATA, "hydrograph");
    values[2] = 1.0f;
    span.n_times = TARN_SHALLOW_MAX_HYDROGRAPH + 1;
    assert_int_not_equal(tarn_shallow_add_span(water, &span, &index), TARN_OK);
    span.n_times = -1;
    assert_result(tarn_shallow_add_span(water, &span, &index), TARN_ERR_ARG, "hydrograph");
    span.n_times = 3, span.values = NULL;
    assert_result(tarn_shallow_add_span(water, &span, &index), TARN_ERR_ARG, "hydrograph");
    span = tarn_shallow_default_span();
    span.cookie ^= 1;
    assert_result(tarn_shallow_add_span(water, &span, &index), TARN_ERR_ARG, "default_span");
    assert_result(tarn_shallow_add_span(water, NULL, &index), TARN_ERR_ARG, "");
    assert_true(tarn_shallow_hash(water) == hash && tarn_shallow_span_count(water) == 0);
    span = span_of(0, TARN_SHALLOW_OPEN, 0.0f);
    for (int n = 0; n < TARN_SHALLOW_MAX_SPANS; ++n) {
        assert_ok(tarn_shallow_add_span(water, &span, &index));
        assert_int_equal(index, n);
    }
    assert_result(tarn_shallow_add_span(water, &span, &index), TARN_ERR_CAPACITY, "64");
    tarn_shallow_destroy(water);
    TarnShallowDef def = water_def(); // a periodic edge has no spans
    def.edge_x0 = def.edge_x1 = TARN_SHALLOW_PERIODIC;
    water = make_water(&def);
    assert_result(tarn_shallow_add_span(water, &span, &index), TARN_ERR_ARG, "periodic");
    tarn_shallow_destroy(water);
}

// ---- Gates ---------------------------------------------------------------------------------------

static void test_gate(void** state)
{
    (void)state;
    TarnShallowDef def = water_def();
    TarnShallow* water = make_water(&def);
    set_drag(water, 2.0f);
    TarnShallowGateDef gate = tarn_shallow_default_gate();
    gate.a = (TarnVec2){ 26.0f, 20.0f }, gate.b = (TarnVec2){ 25.0f, 0.0f }; // any order of corners
    gate.top = 2.0f;
    int index = 9;
    assert_ok(tarn_shallow_add_gate(water, &gate, &index));
    assert_true(index == 0 && tarn_shallow_gate_count(water) == 1);
    assert_true(tarn_shallow_gate_opening(water, 0) == 0.0f);
    assert_true(bed_of(water, 50, 3) == 2.0f && bed_of(water, 51, 3) == 2.0f);
    assert_true(bed_of(water, 49, 3) == 0.0f && bed_of(water, 52, 3) == 0.0f);
    assert_ok(tarn_shallow_fill(water, (TarnVec2){ 0, 0 }, (TarnVec2){ 25, 20 }, 1.0f));
    double volume = tarn_shallow_ledger(water).volume;
    assert_float_equal(volume, 500.0, 1e-3);
    for (int n = 0; n < 200; ++n) {
        assert_ok(tarn_shallow_add_velocity(water, (TarnVec2){ 20, 10 }, 9.0f,
                                            (TarnVec2){ n % 20 ? 0.0f : 0.5f, 0.0f }));
        advance_frames(water, 1);
    }
    for (int c = 0; c < 4000; ++c) // not a drop gets through
        if (c % 100 > 51) assert_true(depth_of(water, c % 100, c / 100) == 0.0f);
    assert_ok(tarn_shallow_set_gate(water, 0, 1.0f));
    assert_true(bed_of(water, 50, 3) == 0.0f && tarn_shallow_gate_opening(water, 0) == 1.0f);
    bool is_still = settle(water, 6000);
    for (int c = 0; c < 4000 && is_still; ++c)
        assert_float_equal(depth_of(water, c % 100, c / 100), 0.5, 0.01);
    assert_closed(water, 1000.0);
    double in_gate = 0.0, after = 0.0;
    for (int c = 0; c < 80; ++c) in_gate += (double)depth_of(water, 50 + c % 2, c / 2);
    assert_ok(tarn_shallow_set_gate(water, 0, 0.0f)); // lifts what stands in it
    assert_true(bed_of(water, 50, 3) == 2.0f);
    for (int c = 0; c < 80; ++c) after += (double)depth_of(water, 50 + c % 2, c / 2);
    assert_true(after == in_gate && fabs(counted_volume(water) - volume) < 1e-6 * volume);
    advance_frames(water, 600);
    assert_closed(water, 1000.0);
    assert_true(fabs(counted_volume(water) - volume) < 1e-6 * volume);
    tarn_shallow_destroy(water);
}

static void test_bad_gates(void** state)
{
    (void)state;
    TarnShallow* water = make_lake(1.0f);
    uint64_t hash = tarn_shallow_hash(water);
    const TarnParamTable* table = tarn_shallow_gate_table();
    int index = 7;
    TarnShallowGateDef good = tarn_shallow_default_gate();
    good.a = (TarnVec2){ 3, 3 }, good.b = (TarnVec2){ 5, 5 };
    for (int i = 0; i < table->count; ++i) {
        const TarnParam* p = &table->params[i];
        double bad[] = { p->min - 1, p->max * 2 + 1, NAN, INFINITY };
        for (int n = 0; n < 4; ++n) {
            TarnShallowGateDef gate = good;
            poke(p, &gate, p->type == TARN_PARAM_VEC2 ? n % 2 : 0, bad[n]);
            assert_result(tarn_shallow_add_gate(water, &gate, &index), TARN_ERR_ARG, p->name);
        }
    }
    TarnShallowGateDef gate = good;
    gate.cookie ^= 1;
    assert_result(tarn_shallow_add_gate(water, &gate, &index), TARN_ERR_ARG, "default_gate");
    assert_result(tarn_shallow_add_gate(water, NULL, &index), TARN_ERR_ARG, "");
    assert_true(tarn_shallow_hash(water) == hash && tarn_shallow_gate_count(water) == 0);
    for (int n = 0; n < TARN_SHALLOW_MAX_GATES; ++n) {
        good.a.x = 0.7f * (float)n, good.b.x = good.a.x + 0.6f; // some lie over each other
        assert_ok(tarn_shallow_add_gate(water, &good, &index));
        assert_int_equal(index, n);
    }
    assert_result(tarn_shallow_add_gate(water, &good, &index), TARN_ERR_CAPACITY, "64");
    for (int n = 0; n < 2 * TARN_SHALLOW_MAX_GATES; ++n)
        assert_ok(tarn_shallow_set_gate(water, n % 64, n < 64 ? 1.0f : 0.0f));
    assert_true(tarn_shallow_gate_opening(water, 64) == -1.0f);
    assert_closed(water, 1000.0);
    tarn_shallow_destroy(water);
}

// ---- Water in and out ----------------------------------------------------------------------------

static void test_add_water(void** state)
{
    (void)state;
    TarnShallowDef def = water_def();
    TarnShallow* water = make_water(&def);
    double done, sum = 0.0;
    assert_ok(tarn_shallow_add_water(water, water_middle, 3.0f, 12.5f, &done));
    assert_true(fabs(done - 12.5) < 0.001 * 12.5 && fabs(counted_volume(water) - done) < 1e-6);
    sum += done;
    assert_ok(tarn_shallow_add_water(water, (TarnVec2){ 5, 5 }, 2.0f, -3.0f, &done)); // dry there
    assert_true(done == 0.0);
    assert_ok(tarn_shallow_add_water(water, water_middle, 20.0f, -1e3f, &done)); // all there is
    assert_true(fabs(done + sum) < 1e-4 && counted_volume(water) < 1e-4);
    sum += done;
    assert_ok(tarn_shallow_add_water(water, (TarnVec2){ 0, 10 }, 2.0f, 4.0f, &done));
    assert_true(done > 0.0 && done <= 4.001); // half of the disc is outside
    sum += done;
    assert_ok(tarn_shallow_add_water(water, (TarnVec2){ 10.3f, 10.2f }, 0.01f, 1.0f, &done));
    assert_true(fabs(done - 1.0) < 1e-3); // smaller than a cell: into the cell
    sum += done;
    for (int n = 0; n < 300; ++n) {
        TarnVec2 at = { uniform(-5.0f, 55.0f), uniform(-5.0f, 25.0f) };
        float volume = uniform(-3.0f, 3.0f), radius = scale(0.05f, 10.0f);
        assert_ok(tarn_shallow_add_water(water, at, radius, volume, &done));
        assert_true(volume > 0.0f ? done >= 0.0 && done <= 1.001 * (double)volume
                                  : done <= 0.0 && done >= 1.001 * (double)volume);
        sum += done;
        if (n % 10 == 0) advance_frames(water, 1);
    }
    TarnShallowLedger l = tarn_shallow_ledger(water);
    assert_true(fabs(l.sources - sum) < 1e-6 && fabs(l.volume - sum) < 1e-6);
    assert_closed(water, 100.0);
    assert_ok(tarn_shallow_add_water(water, water_middle, 1.0f, 1.0f, NULL));
    tarn_shallow_destroy(water);
}

static void test_fill(void** state)
{
    (void)state;
    TarnShallowDef def = water_def();
    def.bed_fn = water_hills;
    TarnShallow* water = make_water(&def);
    const float levels[3] = { -1.0f, 0.25f, 1.3f };
    float grain = water->grain;
    for (int n = 0; n < 3; ++n) {
        TarnVec2 a = { 16.0f * (float)n, 0.0f }, b = { a.x + 15.0f, 20.0f };
        assert_ok(tarn_shallow_fill(water, n == 1 ? b : a, n == 1 ? a : b, levels[n]));
    }
    double volume = 0.0;
    for (int c = 0; c < 4000; ++c) {
        int i = c % 100, k = c / 100;
        float x = 0.5f * ((float)i + 0.5f), level = NAN, h = depth_of(water, i, k);
        for (int n = 0; n < 3; ++n)
            if (x > 16.0f * (float)n && x < 16.0f * (float)n + 15.0f) level = levels[n];
        if (isnan(level) || bed_of(water, i, k) >= level)
            assert_true(h == 0.0f);
        else
            assert_true(fabsf(bed_of(water, i, k) + h - level) <= grain);
        volume += 0.25 * (double)h;
    }
    assert_true(volume > 10.0 && fabs(tarn_shallow_ledger(water).sources - volume) < 1e-6 * volume);
    assert_closed(water, 1000.0);
    tarn_shallow_destroy(water);
}

static void test_rain(void** state)
{
    (void)state;
    TarnShallow* water = make_lake(1.0f);
    TarnShallowParams params = tarn_shallow_default_params();
    params.rain = 360.0f; // mm/h: 0.1 mm per second on 1000 m^2
    assert_ok(tarn_shallow_set_params(water, &params));
    for (int n = 0; n < 600; ++n) advance(water, 0.1f);
    TarnShallowLedger l = tarn_shallow_ledger(water);
    assert_true(fabs(l.rain - 6.0) < 0.06 && l.evaporated == 0.0);
    params.rain = 0.0f, params.evaporation = 720.0f;
    assert_ok(tarn_shallow_set_params(water, &params));
    for (int n = 0; n < 600; ++n) advance(water, 0.1f);
    l = tarn_shallow_ledger(water);
    assert_true(fabs(l.evaporated + 12.0) < 0.12 && fabs(l.rain - 6.0) < 0.06);
    assert_closed(water, 1000.0);
    if (is_short_run()) { // drying out takes thousands of steps
        tarn_shallow_destroy(water);
        return;
    }
    for (int n = 0; n < 60000 && tarn_shallow_ledger(water).volume > 0.0; ++n) advance(water, 1.0f);
    assert_true(tarn_shallow_ledger(water).volume == 0.0); // dries out, and no farther
    advance(water, 1.0f);
    assert_true(tarn_shallow_ledger(water).volume == 0.0);
    assert_closed(water, 1000.0);
    tarn_shallow_destroy(water);
}

// ---- Ground --------------------------------------------------------------------------------------

static void test_dig(void** state)
{
    (void)state;
    TarnShallow* water = make_lake(1.0f);
    double volume = tarn_shallow_ledger(water).volume;
    for (int n = 0; n < 2; ++n) {
        float before[4000];
        for (int c = 0; c < 4000; ++c) before[c] = bed_of(water, c % 100, c / 100);
        TarnVec2 at = { 25.25f, 10.25f }; // the center of cell (50, 20)
        float height = n ? 3.0f : -2.0f;  // a hole, then an island
        assert_ok(tarn_shallow_dig(water, at, 4.0f, height));
        for (int c = 0; c < 4000; ++c) {
            int i = c % 100, k = c / 100;
            float r = 0.5f * hypotf((float)(i - 50), (float)(k - 20)),
                  change = bed_of(water, i, k) - before[c];
            if (r > 4.0f) assert_true(change == 0.0f);
            assert_true(change / height >= -1e-6f && change / height <= 1.0001f);
            if (n == 0) assert_float_equal(depth_of(water, i, k), 1.0, 1e-5); // sinks with it
        }
        assert_float_equal(bed_of(water, 50, 20) - before[50 + 100 * 20], height, 0.01);
        assert_true(tarn_shallow_ledger(water).volume == volume);
        advance_frames(water, 600);
        assert_closed(water, 1000.0);
        assert_water_sane(water);
    }
    assert_true(tarn_shallow_ledger(water).volume == volume); // to the bit
    tarn_shallow_destroy(water);
}

static void test_set_bed(void** state)
{
    (void)state;
    TarnShallow* water = make_lake(1.0f);
    double volume = tarn_shallow_ledger(water).volume;
    float bed[12];
    for (int c = 0; c < 12; ++c) bed[c] = 0.37f * (float)c - 2.0f;
    assert_ok(tarn_shallow_set_bed(water, 96, 37, 4, 3, bed));
    for (int c = 0; c < 4000; ++c) {
        int i = c % 100, k = c / 100;
        float want = i >= 96 && k >= 37 ? bed[i - 96 + 4 * (k - 37)] : 0.0f;
        assert_true(fabsf(bed_of(water, i, k) - want) <= water->grain);
        assert_float_equal(depth_of(water, i, k), 1.0, 1e-6);
    }
    advance_frames(water, 60);
    assert_true(tarn_shallow_ledger(water).volume == volume);
    tarn_shallow_destroy(water);
}

static void test_add_velocity(void** state)
{
    (void)state;
    TarnShallow* water = make_lake(1.0f);
    assert_ok(tarn_shallow_add_velocity(water, water_middle, 3.0f, (TarnVec2){ 0.5f, -0.25f }));
    TarnView2 u = tarn_shallow_velocity_x(water), w = tarn_shallow_velocity_z(water);
    float most_u = 0.0f, most_w = 0.0f;
    for (int k = 0; k < 40; ++k) {
        for (int i = 0; i < 100; ++i) {
            float ru = hypotf(0.5f * (float)i - 25.0f, 0.5f * ((float)k + 0.5f) - 10.0f);
            float rw = hypotf(0.5f * ((float)i + 0.5f) - 25.0f, 0.5f * (float)k - 10.0f);
            if (ru > 3.8f) assert_true(view_value(u, i, k) == 0.0f);
            if (rw > 3.8f) assert_true(view_value(w, i, k) == 0.0f);
            most_u = fmaxf(most_u, view_value(u, i, k));
            most_w = fminf(most_w, view_value(w, i, k));
        }
    }
    assert_float_equal(most_u, 0.5, 0.02);
    assert_float_equal(most_w, -0.25, 0.01);
    double volume = tarn_shallow_ledger(water).volume;
    advance_frames(water, 100);
    assert_true(tarn_shallow_ledger(water).volume == volume);
    tarn_shallow_destroy(water);
    TarnShallowDef def = water_def(); // no water, no speed
    water = make_water(&def);
    assert_ok(tarn_shallow_add_velocity(water, water_middle, 3.0f, (TarnVec2){ 5.0f, 5.0f }));
    advance_frames(water, 2);
    for (int c = 0; c < 4000; ++c)
        assert_true(view_value(tarn_shallow_velocity_x(water), c % 100, c / 100) == 0.0f);
    tarn_shallow_destroy(water);
}

// ---- Moving windows ------------------------------------------------------------------------------

static void test_window(void** state)
{
    (void)state;
    for (int n = 0; n < 8; ++n) {
        const int ways[4][2] = { { 3, 0 }, { -7, 5 }, { 0, -40 }, { 200, 3 } };
        int di = ways[n % 4][0], dk = ways[n % 4][1];
        bool has_level = n / 4;
        TarnShallowDef def = water_def();
        def.bed_fn = water_hills;
        def.level = 0.5f, def.has_level = has_level;
        set_water_edges(&def, 3, 3, 3, 3);
        TarnShallow *water = make_water(&def), *old = make_water(&def);
        for (int w = 0; w < 2; ++w) {
            TarnShallow* it = w ? water : old;
            assert_ok(tarn_shallow_add_water(it, water_middle, 4.0f, 40.0f, NULL));
            advance_frames(it, 40);
        }
        assert_ok(tarn_shallow_shift(water, di, dk));
        assert_float_equal(tarn_shallow_origin(water).x, 0.5f * (float)di, 1e-5);
        assert_float_equal(tarn_shallow_origin(water).y, 0.5f * (float)dk, 1e-5);
        for (int c = 0; c < 4000; ++c) {
            int i = c % 100, k = c / 100, oi = i + di, ok = k + dk;
            bool is_old = oi >= 0 && oi < 100 && ok >= 0 && ok < 40;
            float x = 0.5f * ((float)oi + 0.5f), z = 0.5f * ((float)ok + 0.5f);
            float b = water_hills(x, z, NULL), calm = has_level ? fmaxf(0.0f, 0.5f - b) : 0.0f;
            assert_float_equal(bed_of(water, i, k), b, 1e-4);
            if (is_old)
                assert_true(depth_of(water, i, k) == depth_of(old, oi, ok));
            else
                assert_float_equal(depth_of(water, i, k), calm, 1e-4);
        }
        assert_closed(water, 1e4);
        advance_frames(water, 30);
        assert_water_sane(water);
        assert_ok(tarn_shallow_shift(water, -di, -dk));
        assert_true(tarn_shallow_origin(water).x == 0.0f && tarn_shallow_origin(water).y == 0.0f);
        assert_closed(water, 1e4);
        tarn_shallow_destroy(water);
        tarn_shallow_destroy(old);
    }
}

// With an array the entering cells copy the border. Gates and spans stay where they are in the world.
static void test_window_border(void** state)
{
    (void)state;
    TarnShallowDef def = water_def();
    float bed[4000];
    for (int c = 0; c < 4000; ++c) bed[c] = 0.1f * (float)(c / 100);
    def.bed = bed;
    TarnShallow* water = make_water(&def);
    TarnShallowGateDef gate = tarn_shallow_default_gate();
    gate.a = (TarnVec2){ 25.0f, 0.0f }, gate.b = (TarnVec2){ 26.0f, 20.0f }, gate.top = 9.0f;
    assert_ok(tarn_shallow_add_gate(water, &gate, NULL));
    assert_ok(tarn_shallow_shift(water, 10, 0));
    for (int c = 0; c < 4000; ++c) {
        int i = c % 100, k = c / 100;
        float want = i == 40 || i == 41 ? 9.0f : 0.1f * (float)k;
        assert_float_equal(bed_of(water, i, k), want, 1e-4);
    }
    assert_ok(tarn_shallow_set_gate(water, 0, 1.0f));
    for (int c = 0; c < 4000; ++c)
        assert_float_equal(bed_of(water, c % 100, c / 100), 0.1f * (float)(c / 100), 1e-4);
    tarn_shallow_destroy(water);
}

// ---- Sleep ---------------------------------------------------------------------------------------

static void test_sleep(void** state)
{
    (void)state;
    TarnShallowDef def = tarn_shallow_default_def(); // 512 x 256 cells: 8 x 8 tiles
    def.nx = 512, def.nz = 256;
    def.dx = 0.5f;
    def.level = 1.0f, def.has_level = true;
    TarnShallow* sleepy = make_water(&def);
    advance_frames(sleepy, 60);
    TarnStepReport r = advance(sleepy, frame);
    assert_true(r.tiles_awake == 0 && r.tiles_total == 64);
    def.sleep_speed = 0.0f; // never
    TarnShallow* awake = make_water(&def);
    advance_frames(awake, 60);
    assert_int_equal(advance(awake, frame).tiles_awake, 64);
    TarnVec2 at = { 128.0f, 64.0f };
    double done;
    assert_ok(tarn_shallow_add_water(sleepy, at, 3.0f, 5.0f, &done));
    assert_ok(tarn_shallow_add_water(awake, at, 3.0f, 5.0f, &done));
    r = advance(sleepy, frame);
    advance(awake, frame);
    assert_true(r.tiles_awake > 0 && r.tiles_awake <= 16);
    float worst = 0.0f;
    for (int n = 0; n < (is_short_run() ? 60 : 900); ++n) {
        r = advance(sleepy, frame), advance(awake, frame);
        for (int i = 0; i < 512 && n % 50 == 0; ++i)
            worst = fmaxf(worst, fabsf(depth_of(sleepy, i, 128) - depth_of(awake, i, 128)));
    }
    if (worst > 1e-3f) print_error("sleep makes a difference of %g m\n", (double)worst);
    assert_true(worst <= 1e-3f);
    assert_true(fabs(tarn_shallow_ledger(sleepy).volume - tarn_shallow_ledger(awake).volume) <
                1e-9 * tarn_shallow_ledger(awake).volume);
    set_drag(sleepy, 10.0f);
    int most = is_short_run() ? 30 : 6000; // then it does not come to rest
    for (int n = 0; n < most && r.tiles_awake > 0; ++n) r = advance(sleepy, 0.1f);
    if (!is_short_run()) {
        if (r.tiles_awake > 0) print_error("%d tiles never fall asleep\n", r.tiles_awake);
        assert_true(r.tiles_awake == 0);
    }
    double volume = tarn_shallow_ledger(sleepy).volume;
    assert_true(fabs(volume - 128.0 * 256.0 - done) < 1e-9 * volume);
    assert_closed(sleepy, 1e5);
    tarn_shallow_destroy(sleepy);
    tarn_shallow_destroy(awake);
}

// Whatever touches a sleeping lake wakes it where it is touched.
static void test_waking(void** state)
{
    (void)state;
    for (int kind = 0; kind < 9; ++kind) {
        TarnShallowDef def = tarn_shallow_default_def();
        def.nx = 512, def.nz = 256, def.dx = 0.5f;
        def.level = 1.0f, def.has_level = true;
        TarnShallow* water = make_water(&def);
        TarnVec2 at = { 128, 64 };
        float bed = -1.0f;
        TarnShallowGateDef gate = tarn_shallow_default_gate();
        gate.a = at, gate.b = (TarnVec2){ 130, 70 }, gate.top = 2.0f;
        TarnShallowSpanDef span = span_of(TARN_SIDE_X1, TARN_SHALLOW_LEVEL, 1.2f);
        advance_frames(water, 60);
        assert_int_equal(advance(water, frame).tiles_awake, 0);
        if (kind == 0) assert_ok(tarn_shallow_add_water(water, at, 2.0f, -1.0f, NULL));
        if (kind == 1) assert_ok(tarn_shallow_dig(water, at, 2.0f, -1.0f));
        if (kind == 2) assert_ok(tarn_shallow_set_bed(water, 200, 100, 1, 1, &bed));
        if (kind == 3) assert_ok(tarn_shallow_add_velocity(water, at, 2.0f, (TarnVec2){ 1, 0 }));
        if (kind == 4) assert_ok(tarn_shallow_fill(water, at, (TarnVec2){ 130, 66 }, 1.5f));
        if (kind == 5) assert_ok(tarn_shallow_add_gate(water, &gate, NULL));
        if (kind == 6) assert_ok(tarn_shallow_add_span(water, &span, NULL));
        if (kind == 7) span.kind = TARN_SHALLOW_FALL, span.value = 0.0f;
        if (kind == 7) assert_ok(tarn_shallow_add_span(water, &span, NULL));
        if (kind == 8) {
            TarnShallowParams params = tarn_shallow_params(water);
            params.wind.x = 0.5f;
            assert_ok(tarn_shallow_set_params(water, &params));
        }
        TarnStepReport r = advance(water, frame);
        if (r.tiles_awake == 0) print_error("kind %d: nothing wakes\n", kind);
        assert_true(r.tiles_awake > 0 && (kind >= 6 || r.tiles_awake <= 40)); // edges: all of it
        assert_closed(water, 1e5);
        tarn_shallow_destroy(water);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_discharge),    TEST(test_hydrograph), TEST(test_held_levels),
        TEST(test_edges),        TEST(test_bad_spans),  TEST(test_gate),
        TEST(test_bad_gates),    TEST(test_add_water),  TEST(test_fill),
        TEST(test_rain),         TEST(test_dig),        TEST(test_set_bed),
        TEST(test_add_velocity), TEST(test_window),     TEST(test_window_border),
        TEST(test_sleep),        TEST(test_waking),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
