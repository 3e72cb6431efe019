// Gauges and height files of a world's water.

#include "gauges.h"
#include "message.h"
#include "options.h"
#include "tarn/terrain.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- Waters --------------------------------------------------------------------------------------

static TarnSurface surface_of(const TarnWorld* world, const void* solver)
{
    const TarnSolverClass* of = tarn_world_class_of(world, solver);
    return of->surface != NULL ? of->surface(solver) : (TarnSurface){ 0 };
}

// Where the fields of a solver are; dx 0: it has no cells.
static TarnBasin basin_of(const TarnWorld* world, const void* solver)
{
    const TarnSolverClass* of = tarn_world_class_of(world, solver);
    TarnBasin basin = { 0 };
    if (of->basin != NULL) of->basin(solver, &basin);
    return basin;
}

// The solver of this name, or the first with a surface. Returns NULL and reports the error for `what` if there is none.
static const void* find_water(const TarnWorld* world, const char* name, const char* what)
{
    const void* solver;
    if (name == NULL || name[0] == '\0') {
        for (int n = 0; (solver = tarn_world_get(world, NULL, n)) != NULL; ++n)
            if (surface_of(world, solver).query != NULL) return solver;
        say("%s: no solver of this scene has a surface", what);
        return NULL;
    }
    solver = tarn_world_find(world, name);
    if (solver == NULL) {
        const char* names[64];
        const void* other;
        char near[128];
        int n = 0;
        for (; n < 64 && (other = tarn_world_get(world, NULL, n)) != NULL; ++n)
            names[n] = tarn_world_name_of(world, other);
        say("%s: the scene has no solver '%s'%s", what, name,
            suggestion(near, sizeof near, name, names, n));
        return NULL;
    }
    if (surface_of(world, solver).query != NULL) return solver;
    say("%s: the solver '%s' has no surface", what, name);
    return NULL;
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

// The same behind the name of a solver: "lake:1.5,-2"
static bool parse_gauge(const char* text, Gauge* gauge)
{
    const char* colon = strchr(text, ':');
    size_t n = colon != NULL ? (size_t)(colon - text) : 0;
    if (colon == text || n >= sizeof gauge->solver) return false;
    memcpy(gauge->solver, text, n);
    gauge->solver[n] = '\0';
    return parse_place(colon != NULL ? colon + 1 : text, &gauge->x, &gauge->z);
}

bool gauges_parse(const Command* command, const Overrides* given, Gauges* gauges)
{
    gauges->count = 0;
    for (int n = 0; n < given->count; ++n) {
        Gauge gauge = { .name = given->items[n].path };
        if (!is_good_name(gauge.name)) {
            usage_error(command,
                        "--gauge: invalid name '%s'; use up to 32 letters, digits and underscores",
                        gauge.name);
            return false;
        }
        for (int g = 0; g < gauges->count; ++g) {
            if (strcmp(gauges->items[g].name, gauge.name) != 0) continue;
            usage_error(command, "--gauge: the name '%s' is used twice", gauge.name);
            return false;
        }
        if (!parse_gauge(given->items[n].value, &gauge)) {
            usage_error(
                command,
                "--gauge %s: '%s' is not a position X,Z in meters, such as 1.5,-2 or lake:1.5,-2",
                gauge.name, given->items[n].value);
            return false;
        }
        gauges->items[gauges->count++] = gauge;
    }
    return true;
}

bool gauges_find(Gauges* gauges, const TarnWorld* world, const char* water)
{
    for (int g = 0; g < gauges->count; ++g) {
        Gauge* gauge = &gauges->items[g];
        char what[64];
        TarnVec2 lo = { 0 }, hi = { 0 };
        snprintf(what, sizeof what, "--gauge %s", gauge->name);
        const char* name = gauge->solver[0] != '\0' ? gauge->solver : water;
        const void* solver = find_water(world, name, what);
        if (solver == NULL) return false;
        gauge->surface = surface_of(world, solver);
        if (tarn_surface_covers(gauge->surface, gauge->x, gauge->z)) continue;
        tarn_surface_area(gauge->surface, &lo, &hi);
        say("%s: %g,%g lies outside '%s', which extends from %g,%g to %g,%g", what,
            (double)gauge->x, (double)gauge->z, tarn_world_name_of(world, solver), (double)lo.x,
            (double)lo.y, (double)hi.x, (double)hi.y);
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

void gauges_row(FILE* out, const Gauges* gauges, const TarnWorld* world)
{
    fprintf(out, "%.12g", tarn_world_time(world));
    for (int g = 0; g < gauges->count; ++g) {
        const Gauge* gauge = &gauges->items[g];
        float height = 0.0f, depth = 0.0f;
        TarnVec3 v = { 0.0f, 0.0f, 0.0f };
        TarnSurfaceSamples samples = { .height = &height, .velocity = &v, .depth = &depth };
        tarn_surface_query(gauge->surface, 1, &gauge->x, &gauge->z, &samples);
        if (!(depth > 0.0f)) v = (TarnVec3){ 0.0f, 0.0f, 0.0f };
        fprintf(out, ",%.9g,%.9g,%.9g,%.9g,%.9g", (double)height, (double)depth, (double)v.x,
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

// The cells of a water.
typedef struct Cells {
    int nx, nz;
    float dx;
    TarnVec2 origin;
} Cells;

static Cells cells_of(const TarnBasin* basin)
{
    double dx = (double)basin->dx;
    return (Cells){ (int)lround(((double)basin->max.x - (double)basin->min.x) / dx),
                    (int)lround(((double)basin->max.y - (double)basin->min.y) / dx), basin->dx,
                    basin->min };
}

// Samples the surface at the middle of every cell, a row at a time.
static void sample(TarnSurface surface, const Cells* grid, WaterField field, float* values,
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

bool field_commit(OutputFile* file, const char* path, WaterField field, const TarnWorld* world,
                  const char* water)
{
    TarnContext* ctx = tarn_world_context(world);
    char what[512];
    snprintf(what, sizeof what, "'%s' was not written", path);
    const void* solver = find_water(world, water, what);
    if (solver == NULL) return false;
    TarnBasin basin = basin_of(world, solver);
    if (!(basin.dx > 0.0f)) {
        say("%s: the solver '%s' has no grid", what, tarn_world_name_of(world, solver));
        return false;
    }
    Cells grid = cells_of(&basin);
    size_t n = (size_t)grid.nx * (size_t)grid.nz, row = (size_t)grid.nx;
    float* values = malloc((n + 2 * row) * sizeof(float));
    if (values == NULL) {
        say("not enough memory for '%s'", path);
        return false;
    }
    sample(surface_of(world, solver), &grid, field, values, values + n, values + n + row);
    TarnView2 view = { values, grid.nx, grid.nz, grid.nx };
    TarnTerrain* terrain = NULL;
    bool is_good = tarn_terrain_create_from(ctx, view, grid.dx, grid.origin, &terrain) == TARN_OK;
    if (!is_good) say("cannot write '%s': %s", path, tarn_last_error(ctx));
    is_good = is_good && write_terrain(file, path, field, ctx, terrain) && output_commit(file);
    tarn_terrain_destroy(terrain);
    free(values);
    return is_good;
}
