// Terrain files: which format it is, and raw floats.

#include "io/io_internal.h"
#include "base/def.h"
#include "base/maths.h"
#include "base/param.h"

static const char* const format_names[] = { "auto", "png", "asc", "raw", NULL };
static const char* const hole_names[] = { "around", "lowest", "refuse", NULL };

#define D TarnTerrainFileDef
static const TarnParam params[] = {
    P_ENUM(D, format, format_names, 4, TARN_TERRAIN_AUTO,
           "File format; auto detects it from the contents, or from the name when writing."),
    P_INT(D, nx, "cells", 0, TARN_TERRAIN_MAX_SIDE, 0,
          "Cells along x of a raw file; for other formats 0, or the size that the file must have."),
    P_INT(D, nz, "cells", 0, TARN_TERRAIN_MAX_SIDE, 0,
          "Cells along z of a raw file; for other formats 0, or the size that the file must have."),
    P_FLOAT(D, dx, "m", 0, 1e4, 0,
            "Size of a cell; 0 uses that of the file, or 1 m if it has none."),
    P_VEC2(D, origin, "m", -1e6, 1e6, 0, 0, "World x and z of the corner of cell (0, 0)."),
    P_FLOAT(D, low, "m", -1e5, 1e5, 0, "Height y of black in a PNG."),
    P_FLOAT(D, high, "m", -1e5, 1e5, 0,
            "Height y of white in a PNG; if equal to low, both are taken from the file, or are 0 "
            "and 1."),
    P_ENUM(D, holes, hole_names, 3, TARN_HOLES_AROUND,
           "How NODATA values of an .asc file are replaced."),
};
#undef D
static const TarnParamTable table = PARAM_TABLE("terrain_file", TarnTerrainFileDef, params);

const TarnParamTable* tarn_terrain_file_table(void)
{
    return &table;
}

void tarn_terrain_init_file_def(TarnTerrainFileDef* out, size_t size)
{
    TarnTerrainFileDef def = { 0 };
    tarn_param_defaults(&table, &def);
    TARN_INIT_DEF(TarnTerrainFileDef, out, size, &def);
}

static TarnResult check_def(TarnContext* ctx, const TarnTerrainFileDef* def)
{
    TARN_TRY(TARN_CHECK_DEF(ctx, "terrain_file", "tarn/terrain.h", TarnTerrainFileDef,
                            tarn_terrain_default_file_def, def));
    TARN_TRY(tarn_param_validate(ctx, &table, def));
    if (def->dx > 0.0f && def->dx < 1e-4f)
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "terrain_file.dx = %g m is out of range; allowed: 0, or 1e-4 to 1e4",
                          (double)def->dx);
    if (def->low > def->high)
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "terrain_file.low %g m must be below terrain_file.high %g m",
                          (double)def->low, (double)def->high);
    return TARN_OK;
}

// ---- For all readers -----------------------------------------------------------------------------

TarnResult tarn__check_size(const Input* in, int64_t nx, int64_t nz)
{
    if (nx < 2 || nz < 2 || nx > TARN_TERRAIN_MAX_SIDE || nz > TARN_TERRAIN_MAX_SIDE)
        return tarn__fail(in->ctx, TARN_ERR_DATA,
                          "%s: %lld x %lld cells is out of range; allowed: 2 to %d each way",
                          in->name, (long long)nx, (long long)nz, TARN_TERRAIN_MAX_SIDE);
    if ((in->def.nx != 0 && in->def.nx != nx) || (in->def.nz != 0 && in->def.nz != nz))
        return tarn__fail(in->ctx, TARN_ERR_DATA,
                          "%s: it has %lld x %lld cells, but %d x %d were expected; leave nx and "
                          "nz at 0 to accept any size",
                          in->name, (long long)nx, (long long)nz, in->def.nx, in->def.nz);
    return TARN_OK;
}

TarnResult tarn__choose_dx(const Input* in, double from_file, float* dx)
{
    double value = in->def.dx > 0.0f ? (double)in->def.dx : from_file > 0.0 ? from_file : 1.0;
    *dx = (float)value;
    if (value >= 1e-4 && value <= 1e4) return TARN_OK;
    return tarn__fail(in->ctx, TARN_ERR_DATA,
                      "%s: a cell size of %g m is out of range; allowed: 1e-4 to 1e4 m. Set dx if "
                      "the file is not in meters",
                      in->name, value);
}

// ---- Raw floats ----------------------------------------------------------------------------------

TarnResult tarn__read_raw(const Input* in, TarnTerrain** out)
{
    int nx = in->def.nx, nz = in->def.nz;
    if (nx < 2 || nz < 2)
        return tarn__fail(in->ctx, TARN_ERR_ARG,
                          "%s: a raw file does not contain its size; set nx and nz", in->name);
    uint64_t bytes = (uint64_t)nx * (uint64_t)nz * 4;
    if (bytes != in->size)
        return tarn__fail(in->ctx, TARN_ERR_DATA,
                          "%s: it has %zu bytes, but %d x %d floats have %llu", in->name, in->size,
                          nx, nz, (unsigned long long)bytes);
    if (!tarn__all_within(in->bytes, (size_t)nx * (size_t)nz, terrain_limit))
        return tarn__fail(in->ctx, TARN_ERR_DATA,
                          "%s: it contains a NaN or a height beyond +-1e5 m; is it little endian?",
                          in->name);
    float dx;
    TARN_TRY(tarn__choose_dx(in, 0.0, &dx));
    TARN_TRY(tarn__terrain_new(in->ctx, nx, nz, dx, in->def.origin, out));
    memcpy((*out)->heights, in->bytes, in->size); // every target we build for is little endian
    return TARN_OK;
}

void tarn__write_raw(const TarnTerrain* terrain, Output* out)
{
    tarn__put(out, terrain->heights, (size_t)terrain->nx * (size_t)terrain->nz * sizeof(float));
}

// ---- Any format ----------------------------------------------------------------------------------

// A PNG says so in its first bytes; a grid begins with a letter; the rest is raw.
static int guess_format(const Input* in)
{
    if (in->size >= 4 && memcmp(in->bytes, "\x89PNG", 4) == 0) return TARN_TERRAIN_PNG;
    size_t at = 0;
    while (at < in->size && (in->bytes[at] == ' ' || in->bytes[at] == '\t' ||
                             in->bytes[at] == '\r' || in->bytes[at] == '\n'))
        ++at;
    bool is_word = in->size - at > 5;
    for (size_t i = at; is_word && i < at + 5; ++i)
        is_word = (in->bytes[i] | 32) >= 'a' && (in->bytes[i] | 32) <= 'z';
    return is_word ? TARN_TERRAIN_ASC : TARN_TERRAIN_RAW;
}

TarnResult tarn_terrain_read(TarnContext* ctx, const void* bytes, size_t size, const char* name,
                             const TarnTerrainFileDef* def, TarnTerrain** out)
{
    if (out == NULL) return tarn__fail(ctx, TARN_ERR_ARG, "terrain: out is NULL");
    *out = NULL;
    if (ctx == NULL) return TARN_ERR_ARG;
    if (bytes == NULL && size > 0)
        return tarn__fail(ctx, TARN_ERR_ARG, "terrain: the bytes of the file are NULL");
    Input in = { ctx, name ? name : "terrain", bytes ? bytes : "", size,
                 def ? *def : tarn_terrain_default_file_def() };
    TARN_TRY(check_def(ctx, &in.def));
    if (size == 0) return tarn__fail(ctx, TARN_ERR_DATA, "%s: the file is empty", in.name);
    int format = in.def.format != TARN_TERRAIN_AUTO ? in.def.format : guess_format(&in);
    if (format == TARN_TERRAIN_RAW && in.def.format == TARN_TERRAIN_AUTO && in.def.nx == 0)
        return tarn__fail(
            ctx, TARN_ERR_DATA,
            "%s: this is neither a PNG nor an .asc file; set nx and nz for raw floats", in.name);
    TARN_TRY(format == TARN_TERRAIN_PNG   ? tarn__read_png(&in, out)
             : format == TARN_TERRAIN_ASC ? tarn__read_asc(&in, out)
                                          : tarn__read_raw(&in, out));
    tarn__terrain_finish(*out);
    return TARN_OK;
}

TarnResult tarn_terrain_write(const TarnTerrain* terrain, const TarnTerrainFileDef* def,
                              void* bytes, size_t capacity, size_t* size)
{
    if (terrain == NULL || size == NULL) return TARN_ERR_ARG;
    TarnContext* ctx = terrain->ctx;
    TarnTerrainFileDef how = def ? *def : tarn_terrain_default_file_def();
    TARN_TRY(check_def(ctx, &how));
    Output out = { .bytes = bytes, .capacity = bytes ? capacity : 0 };
    float low = how.low, high = how.high;
    if (low == high) {
        low = terrain->lowest, high = terrain->highest;
        if (low == high) high = low + 1.0f; // level ground is black
    }
    if (how.format == TARN_TERRAIN_PNG)
        TARN_TRY(tarn__write_png(terrain, low, high, &out));
    else if (how.format == TARN_TERRAIN_ASC)
        tarn__write_asc(terrain, &out);
    else if (how.format == TARN_TERRAIN_RAW)
        tarn__write_raw(terrain, &out);
    else
        return tarn__fail(
            ctx, TARN_ERR_ARG,
            "terrain_file.format: auto cannot choose a format here; use png, asc or raw");
    *size = out.n;
    if (out.n > out.capacity)
        return tarn__fail(ctx, TARN_ERR_CAPACITY,
                          "terrain: %zu bytes are needed, but the buffer has %zu", out.n,
                          out.capacity);
    return TARN_OK;
}

// ---- Files ---------------------------------------------------------------------------------------

TarnResult tarn_terrain_read_file(TarnContext* ctx, const char* path, const TarnTerrainFileDef* def,
                                  TarnTerrain** out)
{
    if (out == NULL) return tarn__fail(ctx, TARN_ERR_ARG, "terrain: out is NULL");
    *out = NULL;
    if (ctx == NULL) return TARN_ERR_ARG;
    if (path == NULL) return tarn__fail(ctx, TARN_ERR_ARG, "terrain: the path is NULL");
    uint8_t* bytes;
    size_t size, allocated;
    TARN_TRY(tarn__load_bytes(ctx, path, &bytes, &size, &allocated));
    TarnResult result = tarn_terrain_read(ctx, bytes, size, path, def, out);
    tarn__free(ctx, bytes, allocated);
    return result;
}

static int format_of(const char* path)
{
    if (tarn__ends_with(path, ".png")) return TARN_TERRAIN_PNG;
    if (tarn__ends_with(path, ".asc")) return TARN_TERRAIN_ASC;
    if (tarn__ends_with(path, ".raw") || tarn__ends_with(path, ".f32")) return TARN_TERRAIN_RAW;
    return TARN_TERRAIN_AUTO;
}

static TarnResult write_bytes(TarnContext* ctx, const char* path, const void* bytes, size_t size)
{
    Output out;
    TARN_TRY(tarn__open_output(ctx, path, &out));
    tarn__put(&out, bytes, size);
    return tarn__close_output(ctx, path, &out);
}

TarnResult tarn_terrain_write_file(const TarnTerrain* terrain, const char* path,
                                   const TarnTerrainFileDef* def)
{
    if (terrain == NULL) return TARN_ERR_ARG;
    TarnContext* ctx = terrain->ctx;
    if (path == NULL) return tarn__fail(ctx, TARN_ERR_ARG, "terrain: the path is NULL");
    TarnTerrainFileDef how = def ? *def : tarn_terrain_default_file_def();
    if (how.format == TARN_TERRAIN_AUTO) how.format = format_of(path);
    if (how.format == TARN_TERRAIN_AUTO)
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "'%s' should end in .png, .asc or .raw; or set the format", path);
    size_t size = 0, needed;
    TarnResult result = tarn_terrain_write(terrain, &how, NULL, 0, &size);
    if (result != TARN_ERR_CAPACITY) return result;
    void* bytes = tarn__alloc(ctx, size);
    if (bytes == NULL)
        return tarn__fail(ctx, TARN_ERR_MEMORY, "'%s': out of memory for %zu bytes", path, size);
    result = tarn_terrain_write(terrain, &how, bytes, size, &needed);
    if (result == TARN_OK) result = write_bytes(ctx, path, bytes, size);
    tarn__free(ctx, bytes, size);
    return result;
}
