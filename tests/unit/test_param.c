// Parameter tables: what they say of themselves, defaults, validation, values from text and numbers.

#include "test_common.h"
#include "base/param.h"
#include "tarn/scene.h"

// ---- A table with every type ---------------------------------------------------------------------

typedef struct Thing {
    int count;
    float size, share;
    bool is_wet;
    int color;
    TarnVec2 at;
    TarnVec3 speed;
} Thing;

static const char* const colors[] = { "red", "green", "ultramarine", NULL };
static const TarnParam thing_params[] = {
    P_INT(Thing, count, "cells", -5, 16384, 7, "How many."),
    P_FLOAT(Thing, size, "m", 1e-4, 1e4, 0.05, "How large."),
    P_FLOAT(Thing, share, "", 0.1, 0.7, 0.3, "Of what."),
    P_BOOL(Thing, is_wet, 1, "Is it?"),
    P_ENUM(Thing, color, colors, 3, 1, "Which."),
    P_VEC2(Thing, at, "m", -1e6, 1e6, 1, -2, "Where."),
    P_VEC3(Thing, speed, "m/s", -10, 0.3, 0.1, 0.2, -0.3, "How fast."),
};
static const TarnParamTable things = PARAM_TABLE("thing", Thing, thing_params);

enum { MAX_TABLES = 96 };

static int all_tables(const TarnParamTable* out[MAX_TABLES])
{
    int n = tarn_scene_tables(ctx, out, MAX_TABLES - 1);
    assert_in_range(n, 8, MAX_TABLES - 1);
    out[n++] = &things;
    const TarnParamTable* const named[] = { tarn_wave_def_table(),   tarn_wave_params_table(),
                                            tarn_world_def_table(),  tarn_emitter_def_table(),
                                            tarn_driver_def_table(), tarn_scene_run_table(),
                                            tarn_scene_view_table() };
    for (int t = 0; t < 7; ++t) { // these are among those of a scene
        int at = 0;
        while (at < n && out[at] != named[t]) ++at;
        assert_true(at < n);
    }
    return n;
}

static void* new_object(const TarnParamTable* table)
{
    void* object = calloc(1, table->struct_size);
    tarn_param_defaults(table, object);
    return object;
}

static bool is_float(const TarnParam* p)
{
    return p->type == TARN_PARAM_FLOAT || p->type == TARN_PARAM_VEC2 || p->type == TARN_PARAM_VEC3;
}

// ---- Tables --------------------------------------------------------------------------------------

static void check_param(const TarnParamTable* table, const TarnParam* p)
{
    const size_t sizes[] = { sizeof(int), sizeof(float),    sizeof(bool),
                             sizeof(int), sizeof(TarnVec2), sizeof(TarnVec3) };
    assert_ptr_equal(tarn_param_find(table, p->name), p); // also: no name twice
    assert_string_equal(tarn_param_nearest(table, p->name), p->name);
    assert_true(p->offset + sizes[p->type] <= table->struct_size);
    assert_true(p->unit && p->help && strlen(p->help) > 5);
    assert_non_null(strchr(".?", p->help[strlen(p->help) - 1]));
    assert_true(p->min <= p->max && isfinite(p->min) && isfinite(p->max));
    for (int c = 0; c < tarn__param_components(p->type); ++c) {
        assert_true(p->value[c] >= p->min && p->value[c] <= p->max);
    }
    assert_true((p->type == TARN_PARAM_ENUM) == (p->names != NULL));
    for (int n = 0; p->names && n <= (int)p->max; ++n) assert_non_null(p->names[n]);
    if (p->names) assert_null(p->names[(int)p->max + 1]);
}

static void test_tables(void** state)
{
    (void)state;
    const TarnParamTable* tables[MAX_TABLES];
    int n = all_tables(tables);
    for (int t = 0; t < n; ++t) {
        assert_true(tables[t]->count > 0 && tables[t]->name[0] && tables[t]->struct_name[0]);
        for (int i = 0; i < tables[t]->count; ++i) check_param(tables[t], &tables[t]->params[i]);
    }
}

// From the unit of the table to that of the struct.
static double scale_of(const TarnParam* p)
{
    return p->scale != 0.0 ? p->scale : 1.0;
}

static void test_defaults(void** state)
{
    (void)state;
    const TarnParamTable* tables[MAX_TABLES];
    int n = all_tables(tables);
    for (int t = 0; t < n; ++t) {
        void* object = new_object(tables[t]);
        assert_ok(tarn_param_validate(ctx, tables[t], object));
        for (int i = 0; i < tables[t]->count; ++i) {
            const TarnParam* p = &tables[t]->params[i];
            for (int c = 0; c < tarn__param_components(p->type); ++c) {
                double want = is_float(p) ? (float)(p->value[c] * scale_of(p)) : p->value[c];
                assert_true(tarn__param_get(p, object, c) == want);
            }
        }
        free(object);
    }
    Thing thing;
    memset(&thing, 0x55, sizeof thing);
    tarn_param_defaults(&things, &thing);
    assert_true(thing.count == 7 && thing.size == 0.05f && thing.share == 0.3f && thing.is_wet);
    assert_true(thing.color == 1 && thing.at.x == 1.0f && thing.at.y == -2.0f);
    assert_true(thing.speed.x == 0.1f && thing.speed.y == 0.2f && thing.speed.z == -0.3f);
    TarnWaveDef wave = tarn_wave_default_def();
    assert_true(wave.nx == 256 && wave.laplacian == TARN_LAPLACIAN_NINE && !wave.use_bodies);
}

// ---- Validation ----------------------------------------------------------------------------------

// The sentence names table.field, the value, and the range or the names.
static void assert_sentence(const TarnParamTable* table, const TarnParam* p, double value)
{
    char text[400];
    const char* sentence = tarn_last_error(ctx);
    if (p->type == TARN_PARAM_ENUM) {
        snprintf(text, sizeof text, "%s.%s: %g is not one of: ", table->name, p->name, value);
        for (int n = 0; p->names[n]; ++n)
            if (tarn__param_allows(p, n)) assert_non_null(strstr(sentence, p->names[n]));
    } else {
        const char* gap = p->unit[0] ? " " : "";
        snprintf(text, sizeof text, "%s.%s: %g%s%s is out of range; allowed: %g to %g%s%s",
                 table->name, p->name, value, gap, p->unit, p->min, p->max, gap, p->unit);
    }
    if (strstr(sentence, text) == sentence) return;
    print_error("'%s' does not say '%s'\n", sentence, text);
    fail();
}

// The smallest or the largest value that is supported.
static double end_of(const TarnParam* p, int side)
{
    if (p->type != TARN_PARAM_ENUM) return side ? p->max : p->min;
    int value = side ? (int)p->max : 0;
    while (!tarn__param_allows(p, value)) value += side ? -1 : 1;
    return value;
}

// Values of an enum that are not supported here.
static void check_unsupported(const TarnParamTable* table, const TarnParam* p)
{
    for (int value = 0; p->names && p->names[value]; ++value) {
        void* object = new_object(table);
        double number = value;
        bool is_allowed = tarn__param_allows(p, value);
        TarnResult result = tarn_param_set(ctx, table, object, p->name, &number, 1);
        assert_true((result == TARN_OK) == is_allowed);
        result = tarn_param_set_text(ctx, table, object, p->name, p->names[value]);
        assert_true((result == TARN_OK) == is_allowed);
        poke(p, object, 0, value);
        assert_true((tarn_param_validate(ctx, table, object) == TARN_OK) == is_allowed);
        if (!is_allowed) assert_non_null(strstr(tarn_last_error(ctx), "is not supported; use"));
        free(object);
    }
}

static void check_limits(const TarnParamTable* table, const TarnParam* p, int c)
{
    void* object = new_object(table);
    double good[2] = { end_of(p, 0), end_of(p, 1) }, bad[5] = { p->min - 1.0, p->max + 1.0 };
    int n_bad = p->type == TARN_PARAM_BOOL ? 0 : 2;
    if (is_float(p)) {
        for (int n = 0; n < 2; ++n) {
            good[n] = (float)(good[n] * scale_of(p));
            bad[n] = nextafterf((float)good[n], n == 0 ? -INFINITY : INFINITY);
        }
        bad[2] = NAN, bad[3] = INFINITY, bad[4] = -INFINITY;
        n_bad = 5;
    }
    check_unsupported(table, p);
    for (int n = 0; n < 2; ++n) {
        poke(p, object, c, good[n]);
        assert_ok(tarn_param_validate(ctx, table, object));
    }
    for (int n = 0; n < n_bad; ++n) {
        if (!is_float(p) && fabs(bad[n]) > 2147483647.0) continue; // no int goes beyond
        poke(p, object, c, bad[n]);
        assert_result(tarn_param_validate(ctx, table, object), TARN_ERR_ARG, p->name);
        assert_sentence(table, p, is_float(p) ? (float)bad[n] / scale_of(p) : bad[n]);
        assert_int_equal(tarn_param_validate(NULL, table, object), TARN_ERR_ARG);
    }
    free(object);
}

static void test_limits(void** state)
{
    (void)state;
    const TarnParamTable* tables[MAX_TABLES];
    int n = all_tables(tables);
    for (int t = 0; t < n; ++t) {
        for (int i = 0; i < tables[t]->count; ++i) {
            const TarnParam* p = &tables[t]->params[i];
            for (int c = 0; c < tarn__param_components(p->type); ++c) check_limits(tables[t], p, c);
        }
    }
}

// What set takes, validate takes: both round to float before they compare.
static void test_set_limits(void** state)
{
    (void)state;
    const TarnParamTable* tables[MAX_TABLES];
    int n = all_tables(tables);
    for (int t = 0; t < n; ++t) {
        for (int i = 0; i < tables[t]->count; ++i) {
            const TarnParam* p = &tables[t]->params[i];
            void *object = new_object(tables[t]), *copy = new_object(tables[t]);
            int count = tarn__param_components(p->type);
            double wrong[] = { p->min - 1.0 - fabs(p->min),
                               p->max + 1.0 + fabs(p->max),
                               NAN,
                               INFINITY,
                               -INFINITY,
                               1e300,
                               -1e300 };
            for (int w = 0; w < 7; ++w) { // each in the last component
                double value[3] = { p->value[0], p->value[1], p->value[2] };
                value[count - 1] = wrong[w];
                assert_result(tarn_param_set(ctx, tables[t], object, p->name, value, count),
                              TARN_ERR_ARG, p->name);
                assert_memory_equal(object, copy, tables[t]->struct_size);
            }
            for (int side = 0; side < 2; ++side) {
                double v = end_of(p, side), value[3] = { v, v, v };
                assert_ok(tarn_param_set(ctx, tables[t], object, p->name, value, count));
                assert_ok(tarn_param_validate(ctx, tables[t], object));
            }
            free(object);
            free(copy);
        }
    }
}

// ---- Setting -------------------------------------------------------------------------------------

static void test_set(void** state)
{
    (void)state;
    Thing thing, copy;
    tarn_param_defaults(&things, &thing);
    const double v[4] = { 1, 0.25, -3, 4 };
    assert_ok(tarn_param_set(ctx, &things, &thing, "count", v, 1));
    assert_ok(tarn_param_set(ctx, &things, &thing, "share", v + 1, 1));
    assert_ok(tarn_param_set(ctx, &things, &thing, "is_wet", (double[]){ 0 }, 1));
    assert_ok(tarn_param_set(ctx, &things, &thing, "color", (double[]){ 2 }, 1));
    assert_ok(tarn_param_set(ctx, &things, &thing, "at", v, 2));
    assert_ok(tarn_param_set(ctx, &things, &thing, "speed", (double[]){ -1, -2, -3 }, 3));
    assert_true(thing.count == 1 && thing.share == 0.25f && !thing.is_wet && thing.color == 2);
    assert_true(thing.at.x == 1.0f && thing.at.y == 0.25f && thing.speed.y == -2.0f);
    copy = thing;
    assert_result(tarn_param_set(ctx, &things, &thing, "count", v + 1, 1), TARN_ERR_ARG,
                  "thing.count: 0.25 must be a whole number");
    assert_result(tarn_param_set(ctx, &things, &thing, "color", v + 1, 1), TARN_ERR_ARG,
                  "red, green, ultramarine");
    assert_result(tarn_param_set(ctx, &things, &thing, "count", v, 2), TARN_ERR_ARG,
                  "thing.count: takes 1 number, got 2");
    assert_result(tarn_param_set(ctx, &things, &thing, "count", v, 0), TARN_ERR_ARG, "got 0");
    assert_result(tarn_param_set(ctx, &things, &thing, "at", v, 3), TARN_ERR_ARG,
                  "thing.at: takes 2 numbers, got 3");
    assert_result(tarn_param_set(ctx, &things, &thing, "speed", v, 3), TARN_ERR_ARG, "0.3 m/s");
    assert_result(tarn_param_set(ctx, &things, &thing, "sped", v, 3), TARN_ERR_ARG,
                  "did you mean 'speed'?");
    assert_memory_equal(&thing, &copy, sizeof thing);
}

typedef struct Text {
    const char *name, *text, *word; // word: what the refusal says, NULL: it is taken
} Text;

static const Text texts[] = {
    { "count", "12", NULL },
    { "count", "-5", NULL },
    { "count", "1e3", NULL },
    { "count", " 3 ", NULL },
    { "count", "3.5", "must be a whole number" },
    { "count", "16385", "16385 cells is out of range; allowed: -5 to 16384 cells" },
    { "count", "1e30", "out of range" },
    { "count", "nan", "is not a number" },
    { "count", "many", "thing.count: 'many' is not a number" },
    { "count", "", "is not a number" },
    { "count", "3x", "is not a number" },
    { "count", "3,4", "is not a number" },
    { "count", "true", "is not a number" },
    { "size", "0.5", NULL },
    { "size", "0.0001", NULL },
    { "size", "1e4", NULL },
    { "size", "0.00009", "out of range" },
    { "size", "10001", "out of range" },
    { "size", "inf", "is not a number" },
    { "size", "0x10", "is not a number" },
    { "size", "1e999", "out of range" },
    { "size", "0.5 m", "is not a number" },
    { "size", "--1", "is not a number" },
    { "size", "red", "is not a number" },
    { "share", "0.1", NULL },
    { "share", "0.7", NULL },
    { "share", "0.70001", "out of range" },
    { "is_wet", "true", NULL },
    { "is_wet", "false", NULL },
    { "is_wet", "1", "neither true nor false" },
    { "is_wet", "TRUE", "neither true nor false" },
    { "is_wet", "", "thing.is_wet: '' is neither true nor false" },
    { "color", "red", NULL },
    { "color", "ultramarine", NULL },
    { "color", "gren",
      "thing.color: 'gren' is not one of: red, green, ultramarine; did you mean 'green'?" },
    { "color", "ultramaine", "did you mean 'ultramarine'?" },
    { "color", "blue", "'blue' is not one of" },
    { "color", "0", "is not one of" },
    { "color", "", "is not one of" },
    { "at", "1,2", NULL },
    { "at", "1 , -2.5", NULL },
    { "at", "[3,4]", NULL },
    { "at", "[3, 4]", NULL },
    { "at", "1", "thing.at: '1' is not two numbers x,y" },
    { "at", "1,2,3", "is not two numbers" },
    { "at", "1 2", "is not two numbers" },
    { "at", "1,", "is not two numbers" },
    { "at", ",2", "is not two numbers" },
    { "at", "[1,2", "is not two numbers" },
    { "at", "1,2]", "is not two numbers" },
    { "at", "[1,2]]", "is not two numbers" },
    { "at", "1,1e7", "1e+07 m is out of range" },
    { "at", "nan,1", "is not two numbers" },
    { "speed", "0.1,0.2,0.3", NULL },
    { "speed", "[-10, 0, 0.3]", NULL },
    { "speed", "0,0", "is not three numbers x,y,z" },
    { "speed", "0,0,0,0", "is not three numbers" },
    { "speed", "0,0,0.4", "0.4 m/s is out of range" },
    { "speed", "0,0,z", "is not three numbers" },
    { "sise", "1", "thing has no parameter 'sise'; did you mean 'size'?; `tarn describe thing`" },
    { "Size", "1", "did you mean 'size'?" },
    { "temperature", "1",
      "thing has no parameter 'temperature'; `tarn describe thing` lists them" },
    { "", "1", "thing has no parameter ''" },
};

static void test_set_text(void** state)
{
    (void)state;
    for (size_t n = 0; n < sizeof texts / sizeof texts[0]; ++n) {
        const Text* t = &texts[n];
        Thing thing, copy;
        tarn_param_defaults(&things, &thing);
        memcpy(&copy, &thing, sizeof thing);
        TarnResult result = tarn_param_set_text(ctx, &things, &thing, t->name, t->text);
        bool is_right = t->word == NULL
                            ? result == TARN_OK
                            : result == TARN_ERR_ARG && strstr(tarn_last_error(ctx), t->word);
        if (!is_right) {
            print_error("%s=%s gave %d and '%s'\n", t->name, t->text, result, tarn_last_error(ctx));
            fail();
        }
        if (t->word)
            assert_memory_equal(&thing, &copy, sizeof thing);
        else
            assert_ok(tarn_param_validate(ctx, &things, &thing));
    }
    Thing thing;
    tarn_param_defaults(&things, &thing);
    assert_ok(tarn_param_set_text(ctx, &things, &thing, "speed", "[-1,-2.5 , 0.25]"));
    assert_ok(tarn_param_set_text(ctx, &things, &thing, "color", "ultramarine"));
    assert_ok(tarn_param_set_text(ctx, &things, &thing, "count", "1e3"));
    assert_true(thing.speed.x == -1.0f && thing.speed.y == -2.5f && thing.speed.z == 0.25f);
    assert_true(thing.color == 2 && thing.count == 1000 && thing.size == 0.05f);
}

// What is written out can be read in again, for all parameters of all tables.
static void test_round_trip(void** state)
{
    (void)state;
    const TarnParamTable* tables[MAX_TABLES];
    int n = all_tables(tables);
    for (int t = 0; t < n; ++t) {
        void *object = new_object(tables[t]), *other = new_object(tables[t]);
        for (int i = 0; i < tables[t]->count; ++i) {
            const TarnParam* p = &tables[t]->params[i];
            for (int side = 0; side < 3; ++side) {
                double lo = end_of(p, 0), hi = end_of(p, 1);
                double low[3] = { lo, lo, lo }, high[3] = { hi, hi, hi };
                const double* value = side == 0 ? low : side == 1 ? high : p->value;
                char text[200];
                int count = tarn__param_components(p->type);
                tarn_param_format(p, value, text, sizeof text);
                assert_ok(tarn_param_set_text(ctx, tables[t], object, p->name, text));
                assert_ok(tarn_param_set(ctx, tables[t], other, p->name, value, count));
                for (int c = 0; c < count; ++c) {
                    double got = tarn__param_get(p, object, c), want = tarn__param_get(p, other, c);
                    assert_true(fabs(got - want) <= 1e-6 * fabs(want));
                }
            }
        }
        free(object);
        free(other);
    }
}

static void test_hash(void** state)
{
    (void)state;
    Thing thing;
    tarn_param_defaults(&things, &thing);
    uint64_t hash = tarn__param_hash(&things, &thing, 0);
    assert_true(tarn__param_hash(&things, &thing, 1) != hash);
    for (int i = 0; i < things.count; ++i) {
        const TarnParam* p = &things.params[i];
        for (int c = 0; c < tarn__param_components(p->type); ++c) {
            double old = tarn__param_get(p, &thing, c);
            poke(p, &thing, c, p->type == TARN_PARAM_BOOL ? 0.0 : old + 1.0);
            assert_true(tarn__param_hash(&things, &thing, 0) != hash);
            poke(p, &thing, c, old);
        }
    }
    assert_true(tarn__param_hash(&things, &thing, 0) == hash);
}

static void test_nearest(void** state)
{
    (void)state;
    const TarnParamTable* params = tarn_wave_params_table();
    assert_string_equal(tarn_param_nearest(params, "dampin"), "damping");
    assert_string_equal(tarn_param_nearest(params, "damping2"), "damping");
    assert_string_equal(tarn_param_nearest(params, "body_damp"), "body_drag"); // fewer edits
    assert_string_equal(tarn_param_nearest(params, "body-damping"), "body_damping");
    assert_null(tarn_param_nearest(params, "xyzzy"));
    assert_null(tarn_param_nearest(params, ""));
    char longer[300];
    memset(longer, 'd', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    assert_null(tarn_param_nearest(params, longer));
    assert_null(tarn_param_find(params, "Damping"));
    assert_null(tarn_param_find(params, ""));
    const char* const words[] = { "kitten", "sitting", "mitten" };
    assert_string_equal(tarn__nearest("bitten", words, 3), "kitten"); // the first of equals
    assert_string_equal(tarn__nearest("sittin", words, 3), "sitting");
    assert_null(tarn__nearest("kitten", words, 0));
}

// Angles are degrees in every table, and radians in the struct.
static void test_degrees(void** state)
{
    (void)state;
    const TarnParamTable* tables[MAX_TABLES];
    int n = tarn_scene_tables(ctx, tables, MAX_TABLES), n_angles = 0;
    for (int t = 0; t < n; ++t) {
        for (int i = 0; i < tables[t]->count; ++i) {
            const TarnParam* p = &tables[t]->params[i];
            if (strncmp(p->unit, "rad", 3) == 0)
                fail_msg("%s.%s is in %s; scenes write degrees", tables[t]->name, p->name, p->unit);
            n_angles += p->scale != 0.0;
            assert_true(p->scale == 0.0 || strncmp(p->unit, "deg", 3) == 0);
        }
    }
    assert_int_equal(
        n_angles,
        15); // two spreads, two spins, three turns, wind_turn, wobble, stall, sheet, attack, three directions
    const TarnParamTable* table = tarn_driver_def_table();
    const TarnParam* turn = tarn_param_find(table, "turn");
    TarnDriverDef def = tarn_driver_default_def();
    assert_true(def.turn == 1.0f);
    assert_int_equal(tarn_param_set_text(ctx, table, &def, "turn", "180"), TARN_OK);
    assert_true(def.turn == 3.14159265f);
    double value = 90.0;
    assert_int_equal(tarn_param_set(ctx, table, &def, "turn", &value, 1), TARN_OK);
    assert_true(def.turn == 1.57079633f);
    // The ends of the range are inside, what is stored comes back to the same bits.
    assert_int_equal(tarn_param_set(ctx, table, &def, "turn", &turn->max, 1), TARN_OK);
    assert_int_equal(tarn_param_validate(ctx, table, &def), TARN_OK);
    float largest = def.turn;
    value = tarn__param_get(turn, &def, 0);
    def.turn = 0.0f;
    assert_true(tarn__param_restore(turn, &def, &value) && def.turn == largest);
    value = 101.0; // radians per second
    assert_false(tarn__param_restore(turn, &def, &value));
    assert_true(def.turn == largest);
    def.turn = 101.0f;
    assert_int_equal(tarn_param_validate(ctx, table, &def), TARN_ERR_ARG);
    assert_non_null(strstr(tarn_last_error(ctx), "driver.turn: 5786.87 deg/s is out of range; "
                                                 "allowed: -5730 to 5730 deg/s"));
}

int main(void)
{
    const struct CMUnitTest tests[] = { TEST(test_tables),     TEST(test_defaults),
                                        TEST(test_limits),     TEST(test_set_limits),
                                        TEST(test_set),        TEST(test_set_text),
                                        TEST(test_round_trip), TEST(test_hash),
                                        TEST(test_nearest),    TEST(test_degrees) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
