// The few lines that touch the file system.

#include "io/file.h"
#include <errno.h>
#include <limits.h>

void tarn__put(Output* out, const void* bytes, size_t n)
{
    // What does not fit is counted only; and so is all that follows.
    if (out->file != NULL)
        fwrite(bytes, 1, n, out->file); // tarn__close_output asks whether it worked
    else if (out->n <= out->capacity && n <= out->capacity - out->n && n > 0)
        memcpy(out->bytes + out->n, bytes, n);
    out->n =
        n < SIZE_MAX - out->n ? out->n + n : SIZE_MAX; // with 32 bits, text may be more than that
}

void tarn__put_text(Output* out, const char* text)
{
    tarn__put(out, text, strlen(text));
}

TarnResult tarn__fail_io(TarnContext* ctx, const char* verb, const char* path)
{
    return tarn__fail(ctx, TARN_ERR_IO, "cannot %s '%s': %s", verb, path,
                      strerror(errno != 0 ? errno : EIO));
}

static TarnResult load_open_file(TarnContext* ctx, FILE* file, const char* path, uint8_t** bytes,
                                 size_t* size, size_t* allocated)
{
    errno = 0;
    long end = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    if (end < 0 || fseek(file, 0, SEEK_SET) != 0) return tarn__fail_io(ctx, "read", path);
    if (end == LONG_MAX) { // what a folder says of itself
        errno = EISDIR;
        return tarn__fail_io(ctx, "read", path);
    }
    *size = (size_t)end;
    *allocated = *size > 0 ? *size : 1;
    *bytes = tarn__alloc(ctx, *allocated);
    if (*bytes == NULL)
        return tarn__fail(ctx, TARN_ERR_MEMORY, "'%s': out of memory for %zu bytes", path, *size);
    errno = 0;
    if (fread(*bytes, 1, *size, file) == *size) return TARN_OK;
    int reason = errno;
    tarn__free(ctx, *bytes, *allocated);
    *bytes = NULL;
    errno = reason;
    return tarn__fail_io(ctx, "read", path);
}

TarnResult tarn__load_bytes(TarnContext* ctx, const char* path, uint8_t** bytes, size_t* size,
                            size_t* allocated)
{
    *bytes = NULL;
    errno = 0;
    FILE* file = fopen(path, "rb");
    if (file == NULL) return tarn__fail_io(ctx, "read", path);
    TarnResult result = load_open_file(ctx, file, path, bytes, size, allocated);
    fclose(file);
    return result;
}

TarnResult tarn__open_output(TarnContext* ctx, const char* path, Output* out)
{
    errno = 0;
    *out = (Output){ .file = fopen(path, "wb") };
    return out->file != NULL ? TARN_OK : tarn__fail_io(ctx, "write", path);
}

TarnResult tarn__close_output(TarnContext* ctx, const char* path, Output* out)
{
    bool is_good = fflush(out->file) == 0 && !ferror(out->file);
    int reason = errno;
    if (fclose(out->file) != 0 && is_good) is_good = false, reason = errno;
    out->file = NULL;
    if (is_good) return TARN_OK;
    remove(path);
    errno = reason;
    return tarn__fail_io(ctx, "write", path);
}

bool tarn__ends_with(const char* path, const char* ending)
{
    size_t n = strlen(path), m = strlen(ending);
    if (n < m) return false;
    for (size_t i = 0; i < m; ++i) {
        char c = path[n - m + i];
        if ((c >= 'A' && c <= 'Z' ? c + 32 : c) != ending[i]) return false;
    }
    return true;
}
