// The progress bar: percentage, simulated time, speed, time left.

#define _POSIX_C_SOURCE 200809L // clock_gettime, isatty
#include "progress.h"
#include <stdio.h>
#include <time.h>
#include <unistd.h>

double clock_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

Progress progress_begin(int64_t total, double dt, bool is_quiet)
{
    double now = clock_seconds();
    bool is_on = !is_quiet && total > 0 && isatty(STDERR_FILENO);
    return (Progress){ is_on, total, dt, now, now };
}

static void format_duration(double seconds, char* text, size_t size)
{
    long s = (long)(seconds + 0.5);
    if (s < 3600)
        snprintf(text, size, "%ld:%02ld", s / 60, s % 60);
    else
        snprintf(text, size, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
}

void progress_update(Progress* progress, int64_t done)
{
    enum { WIDTH = 24 };
    double now = clock_seconds();
    if (!progress->is_on || done <= 0 || now - progress->last_time < 0.1) return;
    progress->last_time = now;

    double share = (double)done / (double)progress->total;
    double speed = (double)done / (now - progress->start_time);
    char left[32], bar[WIDTH + 1];
    format_duration((double)(progress->total - done) / speed, left, sizeof left);
    for (int i = 0; i < WIDTH; ++i) bar[i] = i < (int)(share * WIDTH) ? '#' : '.';
    bar[WIDTH] = '\0';
    fprintf(stderr, "\r\033[K[%s] %3.0f%%  %.2f s  %.0f steps/s  %s left", bar, 100.0 * share,
            (double)done * progress->dt, speed, left);
    fflush(stderr);
}

void progress_end(Progress* progress)
{
    if (progress->is_on) fputs("\r\033[K", stderr);
    progress->is_on = false;
}
