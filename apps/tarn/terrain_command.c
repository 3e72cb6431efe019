// tarn terrain: generates, converts and inspects terrain. Files are written completely or not at all.

#include "context.h"
#include "gauges.h"
#include "message.h"
#include "options.h"
#include "output.h"
#include "png.h"
#include "shade.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct TerrainOptions {
    Overrides overrides;
    const char *file, *preview;
    double low, high, level, dx; // NaN: not given
    int nx, nz, holes;
    PixelSize resample; // 0: as it is
} TerrainOptions;

static const char* const hole_names[] = { "around", "lowest", "refuse", NULL };

#define AT(field) offsetof(TerrainOptions, field)
static const Option options[] = {
    { "output", 'o', OPTION_TEXT, AT(file), "FILE", 0, 0, NULL,
      "make: write to FILE, a .png, .asc or .raw" },
    { "set", 0, OPTION_SET, AT(overrides), "NAME=VALUE", 0, 0, NULL,
      "make: set a parameter, such as height=40; may be repeated" },
    { "preview", 0, OPTION_TEXT, AT(preview), "FILE.png", 0, 0, NULL, "write a shaded map" },
    { "level", 0, OPTION_NUMBER, AT(level), "Y", -1e5, 1e5, NULL,
      "draw water up to this height in the map" },
    { "low", 0, OPTION_NUMBER, AT(low), "Y", -1e5, 1e5, NULL,
      "height of black in a PNG; default: from the file, or the lowest height" },
    { "high", 0, OPTION_NUMBER, AT(high), "Y", -1e5, 1e5, NULL,
      "height of white in a PNG; default: from the file, or the highest height" },
    { "dx", 0, OPTION_NUMBER, AT(dx), "M", 1e-4, 1e4, NULL,
      "cell size of a file that does not contain it; default 1" },
    { "nx", 0, OPTION_INT, AT(nx), "N", 2, TARN_TERRAIN_MAX_SIDE, NULL,
      "cells along x of a raw file" },
    { "nz", 0, OPTION_INT, AT(nz), "N", 2, TARN_TERRAIN_MAX_SIDE, NULL,
      "cells along z of a raw file" },
    { "holes", 0, OPTION_CHOICE, AT(holes), "HOW", 0, 0, hole_names,
      "NODATA cells of an .asc file: around (fill from neighbors), lowest or refuse" },
    { "resample", 0, OPTION_SIZE, AT(resample), "NXxNZ", 2, TARN_TERRAIN_MAX_SIDE, NULL,
      "convert: resample the same area to this number of cells" },
};
#undef AT

typedef struct Task {
    const Command* command;
    TerrainOptions o;
    TarnContext* ctx;
    TarnTerrain* terrain;
} Task;

static int fail(Task* task, TarnResult result)
{
    say("%s", tarn_last_error(task->ctx));
    return result == TARN_ERR_ARG ? EXIT_USAGE : EXIT_FAILED;
}

// ---- Writing -------------------------------------------------------------------------------------

static int write_terrain(Task* task, const char* path, bool has_scale)
{
    TarnTerrainFileDef def = tarn_terrain_default_file_def();
    def.format = height_format(path);
    if (has_scale && !isnan(task->o.low)) def.low = (float)task->o.low;
    if (has_scale && !isnan(task->o.high)) def.high = (float)task->o.high;
    size_t size = 0;
    TarnResult result = tarn_terrain_write(task->terrain, &def, NULL, 0, &size);
    if (result != TARN_ERR_CAPACITY) return fail(task, result);
    void* bytes = malloc(size);
    if (bytes == NULL) {
        say("not enough memory for '%s', %zu bytes", path, size);
        return EXIT_FAILED;
    }
    bool is_good = tarn_terrain_write(task->terrain, &def, bytes, size, &size) == TARN_OK &&
                   output_write(path, bytes, size);
    free(bytes);
    if (is_good) say("wrote %s", path);
    return is_good ? EXIT_OK : EXIT_FAILED;
}

static int write_preview(Task* task)
{
    if (task->o.preview == NULL) return EXIT_OK;
    PixelSize size = shade_size(task->terrain);
    uint8_t* rgb = malloc(3 * (size_t)size.width * (size_t)size.height);
    if (rgb == NULL) {
        say("not enough memory for a map of %dx%d", size.width, size.height);
        return EXIT_FAILED;
    }
    shade_terrain(task->terrain, !isnan(task->o.level), task->o.level, size, rgb);
    bool is_good = png_write(task->o.preview, size, 3, rgb);
    free(rgb);
    if (is_good) say("wrote %s", task->o.preview);
    return is_good ? EXIT_OK : EXIT_FAILED;
}

// ---- make, convert, info ---------------------------------------------------------------------------

static int read_terrain(Task* task, const char* path)
{
    const TerrainOptions* o = &task->o;
    TarnTerrainFileDef def = tarn_terrain_default_file_def();
    bool is_raw = height_format(path) == TARN_TERRAIN_RAW;
    if (is_raw && (o->nx == 0 || o->nz == 0))
        return usage_error(task->command, "'%s' does not contain its size; add --nx and --nz",
                           path);
    def.format = is_raw ? TARN_TERRAIN_RAW : TARN_TERRAIN_AUTO;
    def.nx = o->nx, def.nz = o->nz;
    def.holes = o->holes;
    if (!isnan(o->dx)) def.dx = (float)o->dx;
    if (has_extension(path, ".png") && !isnan(o->low)) {
        def.low = (float)o->low, def.high = (float)o->high;
    }
    size_t size = 0;
    char* bytes = read_whole_file(path, &size);
    if (bytes == NULL) return EXIT_FAILED;
    TarnResult result = tarn_terrain_read(task->ctx, bytes, size, path, &def, &task->terrain);
    free(bytes);
    return result == TARN_OK ? EXIT_OK : fail(task, result);
}

static int make(Task* task, const char* kind)
{
    const TarnParam* kinds = tarn_param_find(tarn_terrain_def_table(), "kind");
    int k = 0;
    while (kinds->names[k] != NULL && strcmp(kinds->names[k], kind) != 0) ++k;
    if (kinds->names[k] == NULL) {
        char near[128], list[256] = "";
        for (int i = 0; i < k; ++i) {
            if (i > 0) strncat(list, ", ", sizeof list - strlen(list) - 1);
            strncat(list, kinds->names[i], sizeof list - strlen(list) - 1);
        }
        suggestion(near, sizeof near, kind, kinds->names, k);
        return usage_error(task->command, "unknown kind of terrain '%s'; known: %s%s", kind, list,
                           near);
    }
    if (task->o.file == NULL && task->o.preview == NULL)
        return usage_error(task->command, "missing output: add -o FILE or --preview FILE.png");
    TarnTerrainDef def = tarn_terrain_kind_def((TarnTerrainKind)k);
    for (int i = 0; i < task->o.overrides.count; ++i) {
        const TarnSceneOverride* item = &task->o.overrides.items[i];
        const char* name = strncmp(item->path, "terrain.", 8) == 0 ? item->path + 8 : item->path;
        TarnResult result =
            tarn_param_set_text(task->ctx, tarn_terrain_def_table(), &def, name, item->value);
        if (result != TARN_OK) return fail(task, result);
    }
    TarnResult result = tarn_terrain_create(task->ctx, &def, &task->terrain);
    if (result != TARN_OK) return fail(task, result);
    int code = task->o.file != NULL ? write_terrain(task, task->o.file, true) : EXIT_OK;
    return code == EXIT_OK ? write_preview(task) : code;
}

static int resample(Task* task)
{
    PixelSize n = task->o.resample;
    if (n.width == 0) return EXIT_OK;
    TarnView2 v = tarn_terrain_heights(task->terrain);
    double dx = (double)tarn_terrain_dx(task->terrain) * v.nx / n.width;
    if (fabs(dx * n.height / ((double)tarn_terrain_dx(task->terrain) * v.nz) - 1.0) > 0.01)
        return usage_error(task->command,
                           "--resample %dx%d: cells must stay square; keep the aspect ratio of "
                           "%d x %d",
                           n.width, n.height, v.nx, v.nz);
    TarnTerrain* other;
    TarnResult result = tarn_terrain_resample(task->terrain, n.width, n.height, (float)dx,
                                              tarn_terrain_origin(task->terrain), &other);
    if (result != TARN_OK) return fail(task, result);
    tarn_terrain_destroy(task->terrain);
    task->terrain = other;
    return EXIT_OK;
}

static int convert(Task* task, const char* from, const char* to)
{
    // The scale belongs to the PNG that is read, else to the one that is written.
    int code = read_terrain(task, from);
    if (code == EXIT_OK) code = resample(task);
    if (code == EXIT_OK) code = write_terrain(task, to, !has_extension(from, ".png"));
    return code == EXIT_OK ? write_preview(task) : code;
}

static int info(Task* task, const char* path)
{
    int code = read_terrain(task, path);
    if (code != EXIT_OK) return code;
    TarnView2 v = tarn_terrain_heights(task->terrain);
    double dx = tarn_terrain_dx(task->terrain), sum = 0.0, steepest = 0.0, east, north;
    float low, high;
    tarn_terrain_range(task->terrain, &low, &high);
    tarn_terrain_place(task->terrain, &east, &north);
    for (int c = 0; c < v.nx * v.nz; ++c) {
        sum += (double)v.data[c];
        if (c % v.nx > 0)
            steepest = fmax(steepest, fabs((double)v.data[c] - (double)v.data[c - 1]));
        if (c >= v.nx)
            steepest = fmax(steepest, fabs((double)v.data[c] - (double)v.data[c - v.nx]));
    }
    printf("file      %s\n", path);
    printf("cells     %d x %d of %g m: %g m x %g m\n", v.nx, v.nz, dx, dx * v.nx, dx * v.nz);
    printf("heights   %g to %g m, %g m on average\n", (double)low, (double)high,
           sum / ((double)v.nx * v.nz));
    printf("steepest  %.1f degrees\n", atan(steepest / dx) * 57.29577951308232);
    if (east != 0.0 || north != 0.0)
        printf("map       northwest corner at easting %.10g, northing %.10g\n", east, north);
    return write_preview(task);
}

// ---- The command ---------------------------------------------------------------------------------

static int check_options(const Command* command, const TerrainOptions* o, const char** arguments)
{
    const char* deed = arguments[0];
    bool is_convert = strcmp(deed, "convert") == 0;
    static const char* const deeds[] = { "make", "convert", "info" };
    if (strcmp(deed, "make") != 0 && !is_convert && strcmp(deed, "info") != 0) {
        char near[128];
        suggestion(near, sizeof near, deed, deeds, 3);
        return usage_error(command, "unknown action '%s'; use make, convert or info%s", deed, near);
    }
    if (arguments[1] == NULL || is_convert != (arguments[2] != NULL))
        return usage_error(command, "%s takes %s", deed,
                           is_convert       ? "two files: FROM TO"
                           : deed[0] == 'm' ? "one kind of terrain"
                                            : "one file");
    const char* to = is_convert ? arguments[2] : o->file;
    if (to != NULL && height_format(to) == TARN_TERRAIN_AUTO)
        return usage_error(command, "'%s' must end in .png, .asc or .raw", to);
    if (o->preview != NULL && !has_extension(o->preview, ".png"))
        return usage_error(command, "--preview: '%s' must end in .png", o->preview);
    if (to != NULL && o->preview != NULL && is_same_file(to, o->preview))
        return usage_error(command, "two outputs have the same name '%s'", to);
    if (isnan(o->low) != isnan(o->high) || o->low >= o->high)
        return usage_error(command, "--low and --high must be given together, with low below high");
    if (deed[0] != 'm' && (o->file != NULL || o->overrides.count > 0))
        return usage_error(command, "-o and --set only work with make");
    if (!is_convert && o->resample.width != 0)
        return usage_error(command, "--resample only works with convert");
    return EXIT_OK;
}

static int start(const Command* command, int argc, char** argv)
{
    Task task = { .command = command, .o = { .low = NAN, .high = NAN, .level = NAN, .dx = NAN } };
    const char* arguments[3] = { NULL, NULL, NULL };
    ParseResult parsed = parse_options(command, argc, argv, &task.o, arguments);
    if (parsed != PARSE_OK) return parsed == PARSE_HELP ? EXIT_OK : EXIT_USAGE;
    int code = check_options(command, &task.o, arguments);
    if (code != EXIT_OK) return code;
    TarnContextDef def = tarn_context_default_def();
    def.workers = 0;
    if (!context_open(&def, false, &task.ctx)) return EXIT_FAILED;
    if (strcmp(arguments[0], "make") == 0)
        code = make(&task, arguments[1]);
    else if (strcmp(arguments[0], "convert") == 0)
        code = convert(&task, arguments[1], arguments[2]);
    else
        code = info(&task, arguments[1]);
    tarn_terrain_destroy(task.terrain);
    tarn_context_destroy(task.ctx);
    return code;
}

const Command terrain_command = {
    .name = "terrain",
    .arguments = "make KIND | convert FROM TO | info FILE [options]",
    .summary = "Generates terrain, and converts and inspects height files.",
    .details =
        "KIND is flat, slope, bowl, steps, crater, island, beach, river_valley or ridged;\n"
        "docs/terrain.md explains their parameters. Files are .png (gray, 16 bits), .asc (ESRI\n"
        "ASCII grid) or .raw (32-bit floats); the first row is north. A PNG written by Tarn\n"
        "contains its height range and cell size; for others, give --low, --high and --dx.\n"
        "\n"
        "examples:\n"
        "  tarn terrain make ridged --set height=120 --set seed=7 -o hills.png --preview "
        "hills_map.png\n"
        "  tarn terrain make beach -o beach.asc --preview beach.png --level 0\n"
        "  tarn terrain convert valley.asc valley.png --resample 512x512\n"
        "  tarn terrain convert photo.png ground.asc --low 0 --high 80 --dx 2\n"
        "  tarn terrain info valley.asc\n",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .min_arguments = 1,
    .max_arguments = 3,
    .start = start,
};
