// Numbers and height files out of a world's water.

#include "gauges.h"
#include "message.h"
#include "options.h"
#include "tarn/terrain.h"
#include "tarn/wave.h"
#include <stdlib.h>
#include <string.h>

// The first water that is there, in the order of tarn_world_surface.
WaterGrid water_grid(TarnWorld* world)
{
    const TarnWave* wave = tarn_world_wave(world);
    const TarnShallow* shallow = tarn_world_shallow(world);
    const TarnPipes* pipes = tarn_world_pipes(world);
    if (wave != NULL) {
        const TarnWaveDef* def = tarn_wave_def(wave);
        return (WaterGrid){ def->nx, def->nz, def->dx, tarn_wave_origin(wave) };
    }
    if (shallow != NULL) {
        const TarnShallowDef* def = tarn_shallow_def(shallow);
        return (WaterGrid){ def->nx, def->nz, def->dx, tarn_shallow_origin(shallow) };
    }
    if (pipes != NULL) {
        const TarnPipesDef* def = tarn_pipes_def(pipes);
        return (WaterGrid){ def->nx, def->nz, def->dx, tarn_pipes_origin(pipes) };
    }
    return (WaterGrid){ 0 };
}

// ---- Gauges --------------------------------------------------------------------------------------

static bool is_good_name(const char* name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    size_t n = strspn(name, letters);
    return n > 0 && n <= 32 && name[n] == '\0';
}

// "1.5,-2"
static bool parse_place(const char* text, float* x, float* z)
{
    char first[64];
    const char* comma = strchr(text, ',');
    if (comma == NULL || (size_t)(comma - text) >= sizeof first) return false;
    memcpy(first, text, (size_t)(comma - text));
    first[comma - text] = '\0';
    double a, b;
    if (!parse_number(first, &a) || !parse_number(comma + 1, &b)) return false;
    *x = (float)a, *z = (float)b;
    return true;
}

bool gauges_parse(const Command* command, const Overrides* given, Gauges* gauges)
{
    gauges->count = 0;
    for (int n = 0; n < given->count; ++n) {
        Gauge gauge = { .name = given->items[n].path };
        if (!is_good_name(gauge.name)) {
            usage_error(command, "--gauge: '%s' is no name; letters, digits and _, at most 32",
                        gauge.name);
            return false;
        }
        for (int g = 0; g < gauges->count; ++g) {
            if (strcmp(gauges->items[g].name, gauge.name) != 0) continue;
            usage_error(command, "--gauge: there are two of the name '%s'", gauge.name);
            return false;
        }
        if (!parse_place(given->items[n].value, &gauge.x, &gauge.z)) {
            usage_error(command, "--gauge %s: '%s' is not a place X,Z in meters, like 1.5,-2",
                        gauge.name, given->items[n].value);
            return false;
        }
        gauges->items[gauges->count++] = gauge;
    }
    return true;
}

bool gauges_check(const Gauges* gauges, TarnWorld* world)
{
    WaterGrid grid = water_grid(world);
    float x1 = grid.origin.x + grid.dx * (float)grid.nx,
          z1 = grid.origin.y + grid.dx * (float)grid.nz;
    for (int g = 0; g < gauges->count && grid.nx > 0; ++g) {
        const Gauge* gauge = &gauges->items[g];
        if (gauge->x >= grid.origin.x && gauge->x <= x1 && gauge->z >= grid.origin.y &&
            gauge->z <= z1)
            continue;
        say("--gauge %s: %g,%g lies outside of the water, which is from %g,%g to %g,%g",
            gauge->name, (double)gauge->x, (double)gauge->z, (double)grid.origin.x,
            (double)grid.origin.y, (double)x1, (double)z1);
        return false;
    }
    return true;
}

void gauges_header(FILE* out, const Gauges* gauges)
{
    fputs("time", out);
    for (int g = 0; g < gauges->count; ++g) {
        const char* name = gauges->items[g].name;
        fprintf(out, ",%s_height,%s_depth,%s_vx,%s_vy,%s_vz", name, name, name, name, name);
    }
    fputc('\n', out);
}

void gauges_row(FILE* out, const Gauges* gauges, TarnWorld* world)
{
    float x[MAX_GAUGES], z[MAX_GAUGES], height[MAX_GAUGES] = { 0 }, depth[MAX_GAUGES] = { 0 };
    TarnVec3 velocity[MAX_GAUGES] = { { 0 } };
    TarnSurface surface = tarn_world_surface(world);
    for (int g = 0; g < gauges->count; ++g) x[g] = gauges->items[g].x, z[g] = gauges->items[g].z;
    TarnSurfaceSamples samples = { .height = height, .velocity = velocity, .depth = depth };
    if (surface.query != NULL) tarn_surface_query(surface, gauges->count, x, z, &samples);
    fprintf(out, "%.12g", tarn_world_time(world));
    for (int g = 0; g < gauges->count; ++g) {
        TarnVec3 v = depth[g] > 0.0f ? velocity[g] : (TarnVec3){ 0.0f, 0.0f, 0.0f };
        fprintf(out, ",%.9g,%.9g,%.9g,%.9g,%.9g", (double)height[g], (double)depth[g], (double)v.x,
                (double)v.y, (double)v.z);
    }
    fputc('\n', out);
}

// ---- Height files --------------------------------------------------------------------------------

int height_format(const char* path)
{
    if (has_extension(path, ".png")) return TARN_TERRAIN_PNG;
    if (has_extension(path, ".asc")) return TARN_TERRAIN_ASC;
    if (has_extension(path, ".raw") || has_extension(path, ".f32")) return TARN_TERRAIN_RAW;
    return TARN_TERRAIN_AUTO;
}

bool is_field_name(const char* path)
{
    return height_format(path) != TARN_TERRAIN_AUTO;
}

// Samples the surface at the middle of every cell, a row at a time.
static void sample(TarnSurface surface, const WaterGrid* grid, WaterField field, float* values,
                   float* x, float* z)
{
    for (int k = 0; k < grid->nz; ++k) {
        for (int i = 0; i < grid->nx; ++i) {
            x[i] = grid->origin.x + ((float)i + 0.5f) * grid->dx;
            z[i] = grid->origin.y + ((float)k + 0.5f) * grid->dx;
        }
        float* row = values + (size_t)k * (size_t)grid->nx;
        TarnSurfaceSamples samples = { 0 };
        if (field == FIELD_DEPTH)
            samples.depth = row;
        else
            samples.height = row;
        tarn_surface_query(surface, grid->nx, x, z, &samples);
    }
}

static bool write_terrain(OutputFile* file, const char* path, WaterField field, TarnContext* ctx,
                          const TarnTerrain* terrain)
{
    TarnTerrainFileDef def = tarn_terrain_default_file_def();
    def.format = height_format(path);
    float low, high;
    tarn_terrain_range(terrain, &low, &high);
    if (field == FIELD_DEPTH) def.high = high > 0.0f ? high : 1.0f; // from 0, dry, to the deepest
    size_t size = 0;
    TarnResult result = tarn_terrain_write(terrain, &def, NULL, 0, &size);
    void* bytes = result == TARN_ERR_CAPACITY ? malloc(size) : NULL;
    if (bytes != NULL) result = tarn_terrain_write(terrain, &def, bytes, size, &size);
    if (result == TARN_OK) fwrite(bytes, 1, size, file->stream);
    free(bytes);
    if (result != TARN_OK) say("cannot write '%s': %s", path, tarn_last_error(ctx));
    return result == TARN_OK;
}

bool field_commit(OutputFile* file, const char* path, WaterField field, TarnContext* ctx,
                  TarnWorld* world)
{
    WaterGrid grid = water_grid(world);
    TarnSurface surface = tarn_world_surface(world);
    if (grid.nx == 0 || surface.query == NULL) {
        say("'%s' is not written: the scene has no water", path);
        return false;
    }
    size_t n = (size_t)grid.nx * (size_t)grid.nz, row = (size_t)grid.nx;
    float* values = malloc((n + 2 * row) * sizeof(float));
    if (values == NULL) {
        say("not enough memory for '%s'", path);
        return false;
    }
    sample(surface, &grid, field, values, values + n, values + n + row);
    TarnView2 view = { values, grid.nx, grid.nz, grid.nx };
    TarnTerrain* terrain = NULL;
    bool is_good = tarn_terrain_create_from(ctx, view, grid.dx, grid.origin, &terrain) == TARN_OK;
    if (!is_good) say("cannot write '%s': %s", path, tarn_last_error(ctx));
    is_good = is_good && write_terrain(file, path, field, ctx, terrain) && output_commit(file);
    tarn_terrain_destroy(terrain);
    free(values);
    return is_good;
}
