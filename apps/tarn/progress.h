// The progress bar of a long run, on stderr and only if that is a terminal.
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef struct Progress {
    bool is_on;
    int64_t total;                // steps
    double dt;                    // simulated seconds per step
    double start_time, last_time; // of the clock [s]
} Progress;

double clock_seconds(void); // monotonic

Progress progress_begin(int64_t total, double dt, bool is_quiet);
void progress_update(Progress* progress, int64_t done); // cheap: draws ten times a second
void progress_end(Progress* progress);                  // wipes the bar
