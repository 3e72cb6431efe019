// Video through ffmpeg. It is started directly, never through a shell, in a process group of its
// own, so that Ctrl-C reaches us first and we decide what becomes of the file.

#define _POSIX_C_SOURCE 200809L // posix_spawn, poll, sigaction
#include "video.h"
#include "interrupt.h"
#include "message.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

// ---- Starting ----------------------------------------------------------------------------------

static void close_end(int* fd)
{
    if (*fd >= 0) close(*fd);
    *fd = -1;
}

// [0] is read, [1] is written. Neither may leak into ffmpeg, or it would wait for itself.
static bool open_pipe(int ends[2])
{
    if (pipe(ends) != 0) {
        ends[0] = ends[1] = -1;
        return false;
    }
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    return true;
}

static int spawn(Video* video, char* const* argv, int input, int errors)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t defaults;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
    int reason = posix_spawnp(&video->pid, argv[0], &actions, &attributes, argv, environ);
    if (reason != 0) video->pid = 0;
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return reason;
}

// Everything that ffmpeg is told. name: of the file it writes.
static int spawn_encoder(Video* video, PixelSize size, double fps, const char* name, int input,
                         int errors)
{
    char frame[32], rate[32];
    snprintf(frame, sizeof frame, "%dx%d", size.width, size.height);
    snprintf(rate, sizeof rate, "%.9g", fps);
    const char* argv[] = { "ffmpeg", "-hide_banner", "-nostdin", "-loglevel", "error", "-y",
                           // in
                           "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", frame, "-r", rate, "-i",
                           "pipe:0",
                           // out: colors as high-definition players expect them
                           "-an", "-vf", "scale=out_color_matrix=bt709:out_range=tv", "-c:v",
                           "libx264", "-pix_fmt", "yuv420p", "-crf", "18", "-colorspace", "bt709",
                           "-color_primaries", "bt709", "-color_trc", "bt709", "-movflags",
                           "+faststart", "-f", "mp4", name, NULL };
    return spawn(video, (char* const*)argv, input, errors);
}

static bool start_ffmpeg(Video* video, PixelSize size, double fps)
{
    int input[2] = { -1, -1 }, errors[2] = { -1, -1 };
    size_t name_size = strlen(video->file.part) + sizeof "file:";
    char* name = malloc(name_size);
    int reason = ENOMEM;
    if (name != NULL && open_pipe(input) && open_pipe(errors)) {
        snprintf(name, name_size, "file:%s",
                 video->file.part); // so that a colon in the name is not taken for a protocol
        reason = spawn_encoder(video, size, fps, name, input[0], errors[1]);
    } else if (name != NULL) {
        reason = errno;
    }
    free(name);
    close_end(&input[0]);
    close_end(&errors[1]);
    video->input = input[1];
    video->errors = errors[0];
    if (reason == 0) return true;
    errno = reason;
    if (reason == ENOENT)
        say("--video needs ffmpeg, which was not found; install it, or use --png DIR");
    else
        say_errno("cannot start ffmpeg");
    return false;
}

bool video_open(Video* video, const char* path, PixelSize size, double fps)
{
    *video = (Video){ .input = -1, .errors = -1 };
    video->frame_bytes = (size_t)size.width * (size_t)size.height * 3;
    if (!output_reserve(&video->file, path, ".mp4")) return false;
    signal(SIGPIPE, SIG_IGN); // if ffmpeg has ended, write() fails instead
    if (!start_ffmpeg(video, size, fps)) {
        video_discard(video);
        return false;
    }
    fcntl(video->input, F_SETFL, O_NONBLOCK);
    fcntl(video->errors, F_SETFL, O_NONBLOCK);
    return true;
}

// ---- Feeding -----------------------------------------------------------------------------------

// Takes what ffmpeg said and keeps the end of it. False: it has closed its standard error.
static bool read_complaint(Video* video)
{
    char text[512];
    ssize_t n;
    while ((n = read(video->errors, text, sizeof text - 1)) > 0) {
        size_t have = strlen(video->complaint), room = sizeof video->complaint - 1;
        if (have + (size_t)n > room) {
            size_t drop = have + (size_t)n - room;
            memmove(video->complaint, video->complaint + drop, have - drop + 1);
            have -= drop;
        }
        memcpy(video->complaint + have, text, (size_t)n);
        video->complaint[have + (size_t)n] = '\0';
    }
    return n < 0 && (errno == EAGAIN || errno == EINTR);
}

// The last line of the complaint, without line ends.
static const char* last_line(Video* video)
{
    char* text = video->complaint;
    size_t length = strlen(text);
    while (length > 0 && (text[length - 1] == '\n' || text[length - 1] == '\r')) {
        text[--length] = '\0';
    }
    const char* line = strrchr(text, '\n');
    return line != NULL ? line + 1 : text;
}

static int wait_for_ffmpeg(Video* video)
{
    int status = 0;
    close_end(&video->input); // the end of the video
    while (video->pid != 0) {
        struct pollfd errors = { .fd = video->errors, .events = POLLIN };
        poll(&errors, 1, 100);
        read_complaint(video);
        if (is_interrupted()) kill(video->pid, SIGKILL); // nobody waits for the video any more
        pid_t done = waitpid(video->pid, &status, WNOHANG);
        if (done == video->pid || (done < 0 && errno != EINTR)) video->pid = 0;
    }
    read_complaint(video);
    close_end(&video->errors);
    return status;
}

static void say_failure(Video* video, int status)
{
    const char* line = last_line(video);
    if (is_interrupted()) return; // the reason is known
    if (line[0] != '\0')
        say("ffmpeg could not write '%s': %s", video->file.path, line);
    else if (WIFSIGNALED(status))
        say("ffmpeg could not write '%s': it was killed by signal %d", video->file.path,
            WTERMSIG(status));
    else
        say("ffmpeg could not write '%s': it exited with code %d", video->file.path,
            WEXITSTATUS(status));
}

bool video_add(Video* video, const uint8_t* rgb)
{
    size_t sent = 0;
    while (sent < video->frame_bytes) {
        struct pollfd ends[2] = { { .fd = video->input, .events = POLLOUT },
                                  { .fd = video->errors, .events = POLLIN } };
        if (is_interrupted()) return false;
        if (poll(ends, 2, 1000) < 0 && errno != EINTR) break;
        if (ends[1].revents & POLLIN) read_complaint(video);
        ssize_t n = write(video->input, rgb + sent, video->frame_bytes - sent);
        if (n > 0) sent += (size_t)n;
        if (n < 0 && errno != EAGAIN && errno != EINTR) break;
    }
    if (sent == video->frame_bytes) return true;
    say_failure(video, wait_for_ffmpeg(video));
    return false;
}

// ---- Ending ------------------------------------------------------------------------------------

static bool sync_file(const char* path)
{
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0) return false;
    bool is_synced = fsync(fd) == 0 && lseek(fd, 0, SEEK_END) > 0;
    close(fd);
    return is_synced;
}

bool video_commit(Video* video)
{
    int status = wait_for_ffmpeg(video);
    bool is_good = WIFEXITED(status) && WEXITSTATUS(status) == 0 && video->complaint[0] == '\0' &&
                   sync_file(video->file.part);
    if (is_good) return output_rename(&video->file);
    say_failure(video, status);
    video_discard(video);
    return false;
}

void video_discard(Video* video)
{
    if (video->file.path == NULL) return; // never opened
    if (video->pid != 0) kill(video->pid, SIGKILL);
    if (video->pid != 0) wait_for_ffmpeg(video);
    close_end(&video->input);
    close_end(&video->errors);
    output_discard(&video->file);
}
