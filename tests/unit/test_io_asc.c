// ESRI grids, raw floats, files, and numbers as text.

#include "counting.h"
#include <math.h>
#include <stdio.h>
#include "base/base.h"
#include "io/io_internal.h"

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

static TarnResult read(const char* text, const TarnTerrainFileDef* def, TarnTerrain** terrain)
{
    size_t n = strlen(text);
    char* exact = malloc(n > 0 ? n : 1); // without the zero: nobody may count on it
    memcpy(exact, text, n);
    TarnResult result = tarn_terrain_read(ctx, exact, n, "t.asc", def, terrain);
    free(exact);
    return result;
}

static TarnTerrain* read_good(const char* text, const TarnTerrainFileDef* def)
{
    TarnTerrain* terrain;
    TarnResult result = read(text, def, &terrain);
    if (result != TARN_OK) print_error("%s\n", tarn_last_error(ctx));
    assert_int_equal(result, TARN_OK);
    return terrain;
}

// ---- Numbers -------------------------------------------------------------------------------------

static void numbers_come_back(void** state)
{
    (void)state;
    char text[NUMBER_TEXT];
    static const struct {
        float value;
        const char* text;
    } known[] = { { 0.0f, "0" },       { -0.0f, "0" },      { 1.0f, "1" },
                  { -0.05f, "-0.05" }, { 0.1f, "0.1" },     { 1500.0f, "1500" },
                  { 1e5f, "100000" },  { 0.014f, "0.014" }, { 16777216.0f, "16777216" },
                  { 1e-7f, "1e-7" },   { 1e20f, "1e20" },   { 33.333332f, "33.333332" } };
    for (int n = 0; n < (int)(sizeof known / sizeof known[0]); ++n) {
        int length = tarn__float_text(known[n].value, text);
        assert_int_equal(length, (int)strlen(text));
        assert_string_equal(text, known[n].text);
    }
    for (uint64_t n = 0; n < 300000; ++n) {
        uint32_t bits = tarn__random(9, 1, n);
        float value;
        memcpy(&value, &bits, sizeof value);
        if (!tarn__is_finite(value)) continue;
        int length = tarn__float_text(value, text);
        assert_true(length < NUMBER_TEXT && text[length] == '\0');
        assert_true(tarn__decimal_end(text) == text + length);
        assert_true((float)tarn__decimal(text, text + length) == value);
        float height = 1e5f * (tarn__random01(9, 2, n) - 0.5f); // as terrains have them
        length = tarn__float_text(height, text);
        assert_true((float)tarn__decimal(text, text + length) == height);
    }
    for (uint64_t n = 0; n < 30000; ++n) {
        double value = ((double)tarn__random(9, 3, n) - 2e9) / (1 + tarn__random(9, 4, n) % 100000);
        int length = tarn__double_text(value, text);
        assert_true(length < NUMBER_TEXT && text[length] == '\0');
        assert_true(tarn__decimal(text, text + length) == value);
    }
    tarn__double_text(512345.25, text);
    assert_string_equal(text, "512345.25");
    tarn__double_text((double)INFINITY, text);
    assert_string_equal(text, "0");
}

// ---- Grids ---------------------------------------------------------------------------------------

static void a_grid_is_read_north_first(void** state)
{
    (void)state;
    TarnTerrain* t = read_good("NCOLS 3\r\nnrows 2\nxllcorner 100\nyllcorner 50\nCellSize 2.5\n"
                               "nodata_value -1\n 1 2 3\n\n4 5e0 +6.\n\n",
                               NULL);
    TarnView2 v = tarn_terrain_heights(t);
    assert_true(v.nx == 3 && v.nz == 2 && tarn_terrain_dx(t) == 2.5f);
    for (int c = 0; c < 6; ++c) assert_true(v.data[c] == (float)(c + 1));
    double east, north;
    tarn_terrain_place(t, &east, &north);
    assert_true(east == 100.0 && north == 55.0);
    assert_true(tarn_terrain_origin(t).x == 0.0f);
    tarn_terrain_destroy(t);
    t = read_good("ncols 2 nrows 2 xllcenter 10 yllcenter 20 cellsize 4 .5 -.5 1e2 -1.5e-1", NULL);
    tarn_terrain_place(t, &east, &north);
    assert_true(east == 8.0 && north == 26.0);
    v = tarn_terrain_heights(t);
    assert_true(v.data[0] == 0.5f && v.data[1] == -0.5f && v.data[3] == -0.15f);
    tarn_terrain_destroy(t);
    t = read_good("ncols 2 nrows 2 cellsize 4 1 2 3 4", NULL); // no place at all
    tarn_terrain_place(t, &east, &north);
    assert_true(east == 0.0 && north == 0.0);
    tarn_terrain_destroy(t);
    TarnTerrainFileDef def = tarn_terrain_default_file_def();
    def.dx = 30.0f, def.origin = (TarnVec2){ -5.0f, 6.0f }, def.nx = 2;
    t = read_good("ncols 2 nrows 2 cellsize 0.00001 1 2 3 4",
                  &def); // degrees: the def knows meters
    assert_true(tarn_terrain_dx(t) == 30.0f && tarn_terrain_origin(t).y == 6.0f);
    tarn_terrain_destroy(t);
}

static void bad_grids_say_what_and_where(void** state)
{
    (void)state;
#define HEAD "ncols 2\nnrows 2\ncellsize 1\n"
    static const struct {
        const char *text, *word;
    } bad[] = {
        { "", "empty" },
        { "ncols", "t.asc" },
        { "ncols 2\n", "nrows" },
        { "nrows 2\ncellsize 1\n1 2 3 4", "no line 'ncols'" },
        { "ncols 2\nnrows 2\n1 2 3 4", "no line 'cellsize'" },
        { "ncols 2\nncols 2\nnrows 2\ncellsize 1\n1 2 3 4", "t.asc:2: 'ncols' appears twice" },
        { "ncols two\nnrows 2\ncellsize 1\n1 2 3 4", "t.asc:1: 'two' is not a number" },
        { "ncols 2.5\nnrows 2\ncellsize 1\n1 2 3 4", "not valid sizes" },
        { "ncols -2\nnrows 2\ncellsize 1\n1 2 3 4", "not valid sizes" },
        { "ncols 1\nnrows 4\ncellsize 1\n1 2 3 4", "out of range" },
        { "ncols 16385\nnrows 4\ncellsize 1\n1 2 3 4", "out of range" },
        { "ncols 1e300\nnrows 4\ncellsize 1\n1 2 3 4", "not valid sizes" },
        { "ncols 16384\nnrows 16384\ncellsize 1\n1 2 3 4", "too short" },
        { "ncols 2\nnrows 2\ncellsize 0\n1 2 3 4", "above 0" },
        { "ncols 2\nnrows 2\ncellsize -1\n1 2 3 4", "above 0" },
        { "ncols 2\nnrows 2\ncellsize 1e9\n1 2 3 4", "1e-4 to 1e4" },
        { "ncols 2\nrows 2\ncellsize 1\n1 2 3 4", "t.asc:2: 'rows' is neither" },
        { HEAD "1 2\n3", "ends after 3 of 4" },
        { HEAD "1 2\n3 4\n5", "t.asc:6: '5' comes after the last" },
        { HEAD "1 2\n3 4,5", "t.asc:5: '4,5' is not a number" },
        { HEAD "1 2\n3 nan", "'nan' is not a number" },
        { HEAD "1 2\n3 -", "'-' is not a number" },
        { HEAD "1 2\n3 .", "'.' is not a number" },
        { HEAD "1 2\n3 1e", "'1e' is not a number" },
        { HEAD "1 2\n3 2e5", "beyond" },
        { HEAD "1 2\n3 1e999", "is not a number" },
        { HEAD "1 2\n3 \x01", "not a text" },
        { HEAD "-9999 -9999 -9999 -9999", "all heights are NODATA" },
    };
#undef HEAD
    size_t bytes = memory.bytes;
    for (int b = 0; b < (int)(sizeof bad / sizeof bad[0]); ++b) {
        TarnTerrain* terrain = (TarnTerrain*)bad;
        TarnTerrainFileDef def = tarn_terrain_default_file_def();
        def.format = TARN_TERRAIN_ASC;
        assert_int_equal(read(bad[b].text, &def, &terrain), TARN_ERR_DATA);
        if (strstr(tarn_last_error(ctx), bad[b].word) == NULL)
            print_error("'%s' does not say '%s'\n", tarn_last_error(ctx), bad[b].word);
        assert_non_null(strstr(tarn_last_error(ctx), bad[b].word));
        assert_null(terrain);
        assert_int_equal(memory.bytes, bytes);
    }
    TarnTerrain* terrain;
    assert_int_equal(read("PK\x03\x04 a zip file", NULL, &terrain), TARN_ERR_DATA);
    assert_non_null(strstr(tarn_last_error(ctx), "neither a PNG nor an .asc"));
}

static void holes_are_filled(void** state)
{
    (void)state;
    const char* text = "ncols 4 nrows 3 cellsize 1 nodata_value -9999\n"
                       "1 2 3 4\n1 -9999 -9999.0 4\n1 2 3 4\n";
    TarnTerrainFileDef def = tarn_terrain_default_file_def();
    TarnTerrain* t = read_good(text, &def);
    TarnView2 v = tarn_terrain_heights(t);
    assert_true(v.data[5] > 1.0f && v.data[5] < 3.0f && v.data[6] > 2.0f && v.data[6] < 4.0f);
    assert_true(v.data[4] == 1.0f && v.data[7] == 4.0f);
    tarn_terrain_destroy(t);
    def.holes = TARN_HOLES_LOWEST;
    t = read_good(text, &def);
    assert_true(tarn_terrain_heights(t).data[5] == 1.0f && tarn_terrain_heights(t).data[6] == 1.0f);
    tarn_terrain_destroy(t);
    def.holes = TARN_HOLES_REFUSE;
    assert_int_equal(read(text, &def, &t), TARN_ERR_DATA);
    assert_non_null(strstr(tarn_last_error(ctx), "2 of 12"));
    memory.fail_at = memory.calls + 2; // the first is the terrain
    assert_int_equal(read(text, NULL, &t), TARN_ERR_MEMORY);

    // A large hole in a hill: within what stands around it, and joined to it without a step.
    enum { N = 100 };
    static float y[N * N];
    for (int c = 0; c < N * N; ++c) {
        int i = c % N - 50, k = c / N - 50;
        y[c] = i * i + k * k < 900 ? NAN : (float)(0.1 * i + 0.2 * k);
    }
    assert_int_equal(tarn__fill_holes(ctx, y, N, N), TARN_OK);
    float steepest = 0.0f;
    for (int c = 0; c < N * N; ++c) {
        assert_true(y[c] >= -15.1f && y[c] <= 15.1f);
        if (c % N > 0) steepest = fmaxf(steepest, fabsf(y[c] - y[c - 1]));
        if (c >= N) steepest = fmaxf(steepest, fabsf(y[c] - y[c - N]));
    }
    assert_true(steepest < 1.5f); // the ground around has 0.2
    // One known cell far away is enough.
    for (int c = 0; c < N * N; ++c) y[c] = c == 77 ? 3.0f : NAN;
    assert_int_equal(tarn__fill_holes(ctx, y, N, N), TARN_OK);
    for (int c = 0; c < N * N; ++c) assert_true(y[c] == 3.0f);
}

// ---- There and back ------------------------------------------------------------------------------

static TarnTerrain* random_terrain(int nx, int nz)
{
    float* heights = malloc((size_t)nx * (size_t)nz * sizeof(float));
    for (int c = 0; c < nx * nz; ++c) {
        float u = tarn__random01(2, 1, (uint64_t)c) - 0.5f;
        heights[c] = u * powf(10.0f, 15.0f * (tarn__random01(2, 2, (uint64_t)c) - 0.7f));
        if (c % 50 == 0) heights[c] = c % 100 ? 1e5f : -1e5f;
    }
    TarnView2 view = { heights, nx, nz, nx };
    TarnTerrain* t;
    assert_int_equal(tarn_terrain_create_from(ctx, view, 0.1f, (TarnVec2){ 12.25f, -7.5f }, &t),
                     TARN_OK);
    free(heights);
    return t;
}

static void text_and_raw_come_back_exactly(void** state)
{
    (void)state;
    TarnTerrain *t = random_terrain(57, 33), *back;
    for (int format = TARN_TERRAIN_ASC; format <= TARN_TERRAIN_RAW; ++format) {
        TarnTerrainFileDef def = tarn_terrain_default_file_def();
        def.format = format;
        size_t size = 0, again = 0;
        assert_int_equal(tarn_terrain_write(t, &def, NULL, 0, &size), TARN_ERR_CAPACITY);
        char* bytes = malloc(size + 1);
        bytes[size] = 'x';
        assert_int_equal(tarn_terrain_write(t, &def, bytes, size - 1, &again), TARN_ERR_CAPACITY);
        assert_int_equal(again, size);
        assert_int_equal(tarn_terrain_write(t, &def, bytes, size, &again), TARN_OK);
        assert_int_equal(bytes[size], 'x');
        if (format == TARN_TERRAIN_RAW) def.nx = 57, def.nz = 33, def.dx = 0.1f;
        assert_int_equal(tarn_terrain_read(ctx, bytes, size, "t", &def, &back), TARN_OK);
        assert_memory_equal(tarn_terrain_heights(back).data, tarn_terrain_heights(t).data,
                            57 * 33 * sizeof(float));
        assert_true(tarn_terrain_dx(back) == 0.1f);
        if (format == TARN_TERRAIN_ASC) {
            double east, north;
            tarn_terrain_place(back, &east, &north);
            assert_true(fabs(east - 12.25) < 1e-9 && fabs(north - 7.5) < 1e-9);
            def.nx = 58;
            tarn_terrain_destroy(back);
            assert_int_equal(tarn_terrain_read(ctx, bytes, size, "t", &def, &back), TARN_ERR_DATA);
        }
        tarn_terrain_destroy(back);
        free(bytes);
    }
    tarn_terrain_destroy(t);
}

static void raw_files_are_checked(void** state)
{
    (void)state;
    float heights[6] = { 1, 2, 3, 4, 5, 6 };
    TarnTerrainFileDef def = tarn_terrain_default_file_def();
    TarnTerrain* t;
    def.format = TARN_TERRAIN_RAW;
    assert_int_equal(tarn_terrain_read(ctx, heights, 24, "t.raw", &def, &t), TARN_ERR_ARG);
    def.nx = 3, def.nz = 2;
    assert_int_equal(tarn_terrain_read(ctx, heights, 23, "t.raw", &def, &t), TARN_ERR_DATA);
    assert_non_null(strstr(tarn_last_error(ctx), "has 23 bytes, but 3 x 2 floats have 24"));
    assert_int_equal(tarn_terrain_read(ctx, heights, 24, "t.raw", &def, &t), TARN_OK);
    assert_true(tarn_terrain_dx(t) == 1.0f && tarn_terrain_heights(t).data[5] == 6.0f);
    tarn_terrain_destroy(t);
    heights[4] = NAN;
    assert_int_equal(tarn_terrain_read(ctx, heights, 24, "t.raw", &def, &t), TARN_ERR_DATA);
    def.dx = 1e-5f;
    assert_int_equal(tarn_terrain_read(ctx, heights, 24, "t.raw", &def, &t), TARN_ERR_ARG);
    assert_int_equal(tarn_terrain_read(ctx, NULL, 24, "t.raw", NULL, &t), TARN_ERR_ARG);
    assert_int_equal(tarn_terrain_read(ctx, heights, 24, NULL, NULL, NULL), TARN_ERR_ARG);
    def = (TarnTerrainFileDef){ 0 };
    assert_int_equal(tarn_terrain_read(ctx, heights, 24, "t.raw", &def, &t), TARN_ERR_ARG);
}

static void files_are_written_and_read(void** state)
{
    (void)state;
    TarnTerrain *t = random_terrain(20, 10), *back;
    static const char* const names[] = { "test_io_terrain.PNG", "test_io_terrain.asc",
                                         "test_io_terrain.raw" };
    TarnTerrainFileDef def = tarn_terrain_default_file_def();
    def.nx = 20, def.nz = 10;
    for (int n = 0; n < 3; ++n) {
        assert_int_equal(tarn_terrain_write_file(t, names[n], NULL), TARN_OK);
        def.format = n == 2 ? TARN_TERRAIN_RAW : TARN_TERRAIN_AUTO; // floats may look like letters
        TarnResult result = tarn_terrain_read_file(ctx, names[n], &def, &back);
        if (result != TARN_OK) print_error("%s\n", tarn_last_error(ctx));
        assert_int_equal(result, TARN_OK);
        tarn_terrain_destroy(back);
        assert_int_equal(remove(names[n]), 0);
        assert_int_equal(tarn_terrain_read_file(ctx, names[n], NULL, &back), TARN_ERR_IO);
        assert_non_null(strstr(tarn_last_error(ctx), "No such file"));
    }
    assert_int_equal(tarn_terrain_read_file(ctx, ".", NULL, &back), TARN_ERR_IO);
    assert_int_equal(tarn_terrain_write_file(t, "no_such_folder/t.asc", NULL), TARN_ERR_IO);
    assert_int_equal(tarn_terrain_write_file(t, "t.tif", NULL), TARN_ERR_ARG);
    assert_int_equal(tarn_terrain_write_file(t, NULL, NULL), TARN_ERR_ARG);
    assert_int_equal(tarn_terrain_read_file(ctx, NULL, NULL, &back), TARN_ERR_ARG);
    tarn_terrain_destroy(t);
}

// The bathymetry of the Monai valley experiment, if it is there: cell for cell as another reader.
static void the_monai_file_is_read(void** state)
{
    (void)state;
    const char* path = TARN_VALIDATION_DIR "/03_swe/monai_bathymetry.asc";
    FILE* file = fopen(path, "r");
    if (file == NULL) skip();
    TarnTerrain* t;
    assert_int_equal(tarn_terrain_read_file(ctx, path, NULL, &t), TARN_OK);
    TarnView2 v = tarn_terrain_heights(t);
    assert_true(v.nx == 393 && v.nz == 244 && tarn_terrain_dx(t) == 0.014f);
    char key[32];
    double value;
    for (int line = 0; line < 6; ++line) assert_int_equal(fscanf(file, "%31s %lf", key, &value), 2);
    for (int c = 0; c < v.nx * v.nz; ++c) {
        assert_int_equal(fscanf(file, "%lf", &value), 1);
        assert_true(v.data[c] == (float)value);
    }
    fclose(file);
    tarn_terrain_destroy(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(numbers_come_back),
        TEST(a_grid_is_read_north_first),
        TEST(bad_grids_say_what_and_where),
        TEST(holes_are_filled),
        TEST(text_and_raw_come_back_exactly),
        TEST(raw_files_are_checked),
        TEST(files_are_written_and_read),
        TEST(the_monai_file_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
