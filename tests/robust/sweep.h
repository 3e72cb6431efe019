// The sweep: sweep_scenes.c makes the cases and runs each in a process of its own, sweep_case.c is one of them.
#pragma once

#include "tarn/tarn.h"

enum {
    SWEEP_MAX_SETS = 2,
    SWEEP_STEP_SECONDS = 5, // of the CPU, for one step of a small world
};

typedef struct SweepCase {
    const char* scene;
    TarnSceneOverride sets[SWEEP_MAX_SETS];
    int n_sets;
    int steps_before, steps_after; // the snapshot is taken between them
    double slow;                   // times the limits; sanitizers take their time
} SweepCase;

typedef enum SweepOutcome { SWEEP_PASSED, SWEEP_REFUSED, SWEEP_FOUND } SweepOutcome;

// Lies in memory that the two processes share, so it says where one was that ended early.
typedef struct SweepResult {
    char phase[32];
    double seconds; // limit of the phase
    size_t bytes_before, bytes;
    char text[600]; // of a finding
} SweepResult;

SweepOutcome sweep_case(const SweepCase* c, SweepResult* out);
