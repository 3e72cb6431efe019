// A film of meshes in one .glb. The head of the file must know all frames, so their arrays go to a file beside it
// first, and are copied behind the head when the last one is there.

#include "io/mesh_internal.h"
#include <errno.h>
#include <limits.h>

enum { MAX_FRAMES = 1 << 20, COPY_BYTES = 1 << 16 };

struct TarnMeshFilm {
    TarnContext* ctx;
    char *path, *bin_path; // behind the struct
    size_t bytes;
    Output bin; // no file: it is finished or has failed
    double seconds_per_frame;
    TarnMeshInfo parts; // what the first frame has, and so all
    GlbMesh* frames;
    int n_frames, capacity;
};

TarnResult tarn_mesh_film_create(TarnContext* ctx, const char* path, double seconds_per_frame,
                                 TarnMeshFilm** out)
{
    if (out == NULL) return tarn__fail(ctx, TARN_ERR_ARG, "mesh_film: out is NULL");
    *out = NULL;
    if (ctx == NULL) return TARN_ERR_ARG;
    TarnMeshFormat format;
    TARN_TRY(tarn_mesh_format(ctx, path, &format));
    if (format != TARN_MESH_GLB)
        return tarn__fail(ctx, TARN_ERR_ARG, "'%s' should end in .glb, the format of films", path);
    if (!(seconds_per_frame >= 1e-3 && seconds_per_frame <= 1e3))
        return tarn__fail(
            ctx, TARN_ERR_ARG,
            "mesh_film: seconds_per_frame %g s is out of range; allowed: 1e-3 to 1e3 s",
            seconds_per_frame);
    size_t n = strlen(path), bytes = sizeof(TarnMeshFilm) + 2 * n + 8;
    TarnMeshFilm* film = tarn__alloc(ctx, bytes);
    if (film == NULL)
        return tarn__fail(ctx, TARN_ERR_MEMORY, "mesh_film: out of memory for %zu bytes", bytes);
    *film = (TarnMeshFilm){ .ctx = ctx, .bytes = bytes, .seconds_per_frame = seconds_per_frame };
    film->path = (char*)(film + 1);
    film->bin_path = film->path + n + 1;
    memcpy(film->path, path, n + 1);
    memcpy(film->bin_path, path, n);
    memcpy(film->bin_path + n, ".bin", 5);
    errno = 0;
    film->bin.file = fopen(film->bin_path, "w+bx"); // not over a file of someone else
    if (film->bin.file == NULL) {
        TarnResult result = tarn__fail_io(ctx, "create", film->bin_path);
        tarn__free(ctx, film, bytes);
        return result;
    }
    *out = film;
    return TARN_OK;
}

static void close_bin(TarnMeshFilm* film)
{
    if (film->bin.file == NULL) return;
    fclose(film->bin.file);
    film->bin.file = NULL;
    remove(film->bin_path);
}

void tarn_mesh_film_destroy(TarnMeshFilm* film)
{
    if (film == NULL) return;
    close_bin(film);
    tarn__free(film->ctx, film->frames, (size_t)film->capacity * sizeof *film->frames);
    tarn__free(film->ctx, film, film->bytes);
}

static TarnResult fail_bin(TarnMeshFilm* film)
{
    TarnResult result = tarn__fail_io(film->ctx, "write", film->bin_path);
    close_bin(film);
    return result;
}

static TarnResult check_open(const TarnMeshFilm* film)
{
    if (film->bin.file != NULL) return TARN_OK;
    return tarn__fail(film->ctx, TARN_ERR_ARG, "mesh_film: '%s' is already finished, or has failed",
                      film->path);
}

static TarnResult check_same_parts(const TarnMeshFilm* film, const TarnMeshInfo* info)
{
    const TarnMeshInfo* first = &film->parts;
    bool is_same =
        info->has_normal == first->has_normal && info->has_velocity == first->has_velocity &&
        info->n_attributes == first->n_attributes &&
        memcmp(info->attribute_name, first->attribute_name, sizeof info->attribute_name) == 0;
    if (is_same) return TARN_OK;
    return tarn__fail(film->ctx, TARN_ERR_ARG,
                      "mesh_film: frame %d has other arrays than the first; all frames must have "
                      "the same normals, velocities and attributes",
                      film->n_frames);
}

static TarnResult grow(TarnMeshFilm* film)
{
    if (film->n_frames < film->capacity) return TARN_OK;
    if (film->n_frames == MAX_FRAMES)
        return tarn__fail(film->ctx, TARN_ERR_CAPACITY,
                          "mesh_film: there are %d frames already, which is the maximum",
                          MAX_FRAMES);
    int capacity = film->capacity > 0 ? 2 * film->capacity : 64;
    GlbMesh* frames = tarn__alloc(film->ctx, (size_t)capacity * sizeof *frames);
    if (frames == NULL)
        return tarn__fail(film->ctx, TARN_ERR_MEMORY, "mesh_film: out of memory for %d frames",
                          capacity);
    if (film->n_frames > 0) memcpy(frames, film->frames, (size_t)film->n_frames * sizeof *frames);
    tarn__free(film->ctx, film->frames, (size_t)film->capacity * sizeof *frames);
    film->frames = frames;
    film->capacity = capacity;
    return TARN_OK;
}

static Glb glb_of(const TarnMeshFilm* film, int n_frames)
{
    return (Glb){ &film->parts, film->frames, n_frames, film->seconds_per_frame };
}

TarnResult tarn_mesh_film_add(TarnMeshFilm* film, const TarnMesh* mesh)
{
    TarnMeshInfo info;
    if (film == NULL) return TARN_ERR_ARG;
    TARN_TRY(check_open(film));
    TARN_TRY(tarn__mesh_describe(film->ctx, mesh, &info));
    if (film->n_frames > 0) TARN_TRY(check_same_parts(film, &info));
    TARN_TRY(grow(film));

    // The head is looked at when the arrays are near the limit: it is much smaller than the rest.
    if (film->n_frames == 0) film->parts = info;
    film->frames[film->n_frames] = tarn__glb_mesh(mesh, film->bin.n);
    uint64_t bytes = tarn__glb_mesh_bytes(&info, &film->frames[film->n_frames]);
    if (film->bin.n + bytes > UINT32_MAX / 2) {
        Output count = { 0 };
        Glb glb = glb_of(film, film->n_frames + 1);
        TARN_TRY(tarn__glb_put_head(film->ctx, &glb, &count));
    }
    errno = 0;
    tarn__glb_put_arrays(mesh, &info, &film->bin);
    if (ferror(film->bin.file)) return fail_bin(film);
    ++film->n_frames;
    return TARN_OK;
}

// What is in the file beside behind what is in out.
static bool copy_bin(TarnMeshFilm* film, Output* out, uint8_t* buffer)
{
    if (fflush(film->bin.file) != 0 || fseek(film->bin.file, 0, SEEK_SET) != 0) return false;
    for (;;) {
        size_t n = fread(buffer, 1, COPY_BYTES, film->bin.file);
        tarn__put(out, buffer, n);
        if (n < COPY_BYTES) return !ferror(film->bin.file);
    }
}

static TarnResult write_film(TarnMeshFilm* film, uint8_t* buffer)
{
    Glb glb = glb_of(film, film->n_frames);
    Output out;
    errno = 0;
    tarn__glb_put_times(&glb, &film->bin);
    TARN_TRY(tarn__open_output(film->ctx, film->path, &out));
    TarnResult result = tarn__glb_put_head(film->ctx, &glb, &out);
    if (result == TARN_OK && !copy_bin(film, &out, buffer))
        result = tarn__fail_io(film->ctx, "read", film->bin_path);
    if (result == TARN_OK) return tarn__close_output(film->ctx, film->path, &out);
    fclose(out.file);
    remove(film->path);
    return result;
}

TarnResult tarn_mesh_film_finish(TarnMeshFilm* film)
{
    if (film == NULL) return TARN_ERR_ARG;
    TARN_TRY(check_open(film));
    TarnResult result;
    uint8_t* buffer = tarn__alloc(film->ctx, COPY_BYTES);
    if (film->n_frames == 0)
        result = tarn__fail(film->ctx, TARN_ERR_ARG, "mesh_film: no frame was added to '%s'",
                            film->path);
    else if (buffer == NULL)
        result = tarn__fail(film->ctx, TARN_ERR_MEMORY, "mesh_film: out of memory for %d bytes",
                            COPY_BYTES);
    else
        result = write_film(film, buffer);
    tarn__free(film->ctx, buffer, COPY_BYTES);
    close_bin(film);
    return result;
}
