// Atomic files. Devices and pipes (/dev/full, /dev/stdout, a fifo) are written directly: renaming a
// file over them would replace them.

#define _XOPEN_SOURCE   700 // realpath, fdopen, fsync
#define _DEFAULT_SOURCE     // flock
#include "output.h"
#include "message.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static char* copy_text(const char* text)
{
    size_t size = strlen(text) + 1;
    char* copy = malloc(size);
    if (copy != NULL) memcpy(copy, text, size);
    return copy;
}

static bool begins_with(const char* text, const char* start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

// Is there something at path that a rename must not replace?
static bool is_direct(const char* path)
{
    if (begins_with(path, "/dev/std") || begins_with(path, "/dev/fd/")) return true;
    if (begins_with(path, "/proc/")) return true;
    struct stat info;
    return stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

static bool is_folder(const char* path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

// A link to a file stays a link: its target is replaced.
static char* follow_links(const char* path)
{
    char* real = realpath(path, NULL);
    return real != NULL ? real : copy_text(path);
}

// "a/b" into "a/" and "b", "b" into "." and "b".
static const char* split_path(const char* path, char folder[PATH_MAX])
{
    const char* slash = strrchr(path, '/');
    snprintf(folder, PATH_MAX, "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
    return slash ? slash + 1 : path;
}

// Is this the NAME.part-PID of a process that has ended, and does nobody on another machine write it?
static bool is_stale(int folder, const char* entry, const char* name)
{
    size_t n = strlen(name);
    if (strncmp(entry, name, n) != 0 || !begins_with(entry + n, ".part-")) return false;
    char* end;
    errno = 0;
    long pid = strtol(entry + n + 6, &end, 10);
    if (errno != 0 || pid <= 0 || strchr("-.", *end) == NULL)
        return false; // strchr also finds the terminating 0
    if (kill((pid_t)pid, 0) == 0 || errno != ESRCH) return false;
    int fd = openat(folder, entry, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0) return false;
    bool is_free = flock(fd, LOCK_EX | LOCK_NB) == 0;
    close(fd);
    return is_free;
}

// A run that was killed leaves its half-written file. The next one with the same output removes it.
static void remove_stale(const char* path)
{
    char folder[PATH_MAX];
    const char* name = split_path(path, folder);
    DIR* dir = opendir(folder);
    if (dir == NULL) return;
    for (struct dirent* item; (item = readdir(dir)) != NULL;) {
        if (is_stale(dirfd(dir), item->d_name, name)) unlinkat(dirfd(dir), item->d_name, 0);
    }
    closedir(dir);
}

static bool create_part(OutputFile* file, const char* suffix, int* fd)
{
    size_t size = strlen(file->path) + strlen(suffix) + 64;
    file->part = malloc(size);
    if (file->part == NULL) return false;
    remove_stale(file->path);
    for (int attempt = 0; attempt < 16;
         ++attempt) { // a killed process with the same id may have left one
        snprintf(file->part, size, "%s.part-%ld", file->path, (long)getpid());
        size_t n = strlen(file->part);
        if (attempt > 0) n += (size_t)snprintf(file->part + n, size - n, "-%d", attempt);
        snprintf(file->part + n, size - n, "%s", suffix);
        *fd = open(file->part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (*fd >= 0) {
            flock(*fd, LOCK_EX | LOCK_NB); // held while it is open: see is_stale
            return true;
        }
        if (errno != EEXIST) break;
    }
    return false;
}

static void forget(OutputFile* file)
{
    free(file->path);
    free(file->part);
    *file = (OutputFile){ 0 };
}

static bool fail_open(OutputFile* file, const char* path)
{
    say_errno("cannot create '%s'", path);
    free(file->part); // nothing was created under it
    file->part = NULL;
    forget(file);
    return false;
}

static bool open_direct(OutputFile* file, const char* path)
{
    bool is_stdout = strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0;
    file->path = copy_text(path);
    int fd = is_stdout ? dup(STDOUT_FILENO) : open(path, O_WRONLY | O_CLOEXEC);
    if (file->path != NULL && fd >= 0) file->stream = fdopen(fd, "wb");
    if (file->stream != NULL) return true;
    fail_open(file, path);
    if (fd >= 0) close(fd);
    return false;
}

bool output_open(OutputFile* file, const char* path)
{
    *file = (OutputFile){ 0 };
    if (strcmp(path, "-") == 0 || is_direct(path)) return open_direct(file, path);
    if (is_folder(path)) {
        errno = EISDIR;
        return fail_open(file, path);
    }
    int fd = -1;
    file->path = follow_links(path);
    if (file->path == NULL || !create_part(file, "", &fd)) return fail_open(file, path);
    file->stream = fdopen(fd, "wb");
    if (file->stream != NULL) return true;
    unlink(file->part);
    fail_open(file, path);
    close(fd);
    return false;
}

bool output_reserve(OutputFile* file, const char* path, const char* suffix)
{
    *file = (OutputFile){ 0 };
    if (is_direct(path) || is_folder(path)) {
        errno = is_folder(path) ? EISDIR : ESPIPE;
        return fail_open(file, path);
    }
    int fd = -1;
    file->path = follow_links(path);
    if (file->path == NULL || !create_part(file, suffix, &fd)) return fail_open(file, path);
    close(fd);
    return true;
}

void output_discard(OutputFile* file)
{
    if (file->stream != NULL) fclose(file->stream);
    if (file->part != NULL) unlink(file->part);
    forget(file);
}

static bool fail_write(OutputFile* file, int reason)
{
    errno = reason;
    say_errno("cannot write '%s'", file->path);
    output_discard(file);
    return false;
}

bool output_rename(OutputFile* file)
{
    if (rename(file->part, file->path) != 0) return fail_write(file, errno);
    forget(file);
    return true;
}

bool output_check(OutputFile* file)
{
    if (!ferror(file->stream)) return true;
    return fail_write(file, errno != 0 ? errno : EIO); // of the write just before
}

bool output_commit(OutputFile* file)
{
    if (!output_check(file)) return false;
    bool is_flushed = fflush(file->stream) == 0;
    bool is_synced = is_flushed && (file->part == NULL || fsync(fileno(file->stream)) == 0);
    if (!is_synced) return fail_write(file, errno);
    int closed = fclose(file->stream);
    file->stream = NULL;
    if (closed != 0) return fail_write(file, errno);
    if (file->part != NULL) return output_rename(file);
    forget(file);
    return true;
}

bool output_write(const char* path, const void* data, size_t size)
{
    OutputFile file;
    if (!output_open(&file, path)) return false;
    size_t written = fwrite(data, 1, size, file.stream);
    if (written != size) return fail_write(&file, errno);
    return output_commit(&file);
}

bool output_folder(const char* path, bool* is_new)
{
    *is_new = mkdir(path, 0777) == 0;
    if (!*is_new && errno != EEXIST) {
        say_errno("cannot create the folder '%s'", path);
        return false;
    }
    if (!is_folder(path)) {
        say("'%s' is not a folder", path);
        return false;
    }
    char probe[PATH_MAX];
    int length = snprintf(probe, sizeof probe, "%s/probe", path);
    OutputFile file;
    if (length >= (int)sizeof probe) {
        errno = ENAMETOOLONG;
        say_errno("cannot write to the folder '%s'", path);
        return false;
    }
    if (!output_open(&file, probe)) return false;
    output_discard(&file);
    return true;
}

static bool is_same_inode(const char* a, const char* b)
{
    struct stat info_a, info_b;
    if (stat(a, &info_a) != 0 || stat(b, &info_b) != 0) return false;
    return info_a.st_dev == info_b.st_dev && info_a.st_ino == info_b.st_ino;
}

bool is_same_file(const char* a, const char* b)
{
    char folder_a[PATH_MAX], folder_b[PATH_MAX];
    if (strcmp(a, b) == 0 || is_same_inode(a, b)) return true;
    const char* name_a = split_path(a, folder_a);
    const char* name_b = split_path(b, folder_b);
    return strcmp(name_a, name_b) == 0 && is_same_inode(folder_a, folder_b);
}

bool has_extension(const char* path, const char* extension)
{
    const char* slash = strrchr(path, '/');
    const char* dot = strrchr(slash != NULL ? slash : path, '.');
    return dot != NULL && strcasecmp(dot, extension) == 0;
}

// ---- Reading -----------------------------------------------------------------------------------

static char* read_stream(FILE* stream, size_t* size)
{
    size_t capacity = (size_t)1 << 16, used = 0;
    char* data = malloc(capacity);
    while (data != NULL) {
        used += fread(data + used, 1, capacity - 1 - used, stream);
        if (used < capacity - 1) break;
        char* larger = capacity <= SIZE_MAX / 2 ? realloc(data, capacity * 2) : NULL;
        if (larger == NULL) free(data);
        data = larger;
        capacity *= 2;
    }
    if (data == NULL) errno = ENOMEM;
    if (data != NULL && ferror(stream)) {
        int reason = errno;
        free(data);
        data = NULL;
        errno = reason;
    }
    if (data == NULL) return NULL;
    data[used] = '\0';
    *size = used;
    return data;
}

char* read_whole_file(const char* path, size_t* size)
{
    char* data = NULL;
    FILE* stream = fopen(path, "rb");
    if (stream != NULL) data = read_stream(stream, size); // a folder can be opened, but not read
    if (data == NULL) say_errno("cannot read '%s'", path);
    if (stream != NULL) fclose(stream);
    return data;
}
