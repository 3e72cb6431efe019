// Physics checks of `tarn check`: simulation against theory and measurement, each with a number.
// The command line and the tests run the same functions.
#pragma once

#include "plot.h"
#include "tarn/tarn.h"
#include <stdbool.h>
#include <stdio.h>

typedef struct CheckRow {
    char name[56];
    double value, reference;
    double error; // relative where the reference is not zero, else absolute
    double tolerance;
    bool pass;
    bool is_open; // not reached yet, and said so: shown as open, not as failed
} CheckRow;

typedef struct CheckRun {
    const char* filter;
    const char* plot_folder; // for check_plot; NULL: no plots
    bool is_quick;           // shorter runs where only patience tells more
    bool is_plot_bad;        // one could not be written, which has been said
    TarnContext* ctx;
    CheckRow rows[1024];
    int n_rows;
} CheckRun;

// value within tolerance of reference; with reference 0 the tolerance bounds |value|.
void check_add(CheckRun* run, const char* name, double value, double reference, double tolerance);
// The last row is known not to be reached yet. It keeps its tolerance, and is shown as open while it is off.
void check_not_reached(CheckRun* run);
// Creates or stops: a check that cannot set up its solver has failed.
TarnWave* check_wave_create(CheckRun* run, const TarnWaveDef* def);
// A file of measured data, from the folder that TARN_VALIDATION names or the one beside the source. NULL: it is
// not there, which has been said with its place and its source.
FILE* check_open_reference(const char* name);

void check_wave(CheckRun* run, const char* group);
void check_floating(CheckRun* run, const char* group);
void check_couple(CheckRun* run, const char* group);
void check_shallow_bodies(CheckRun* run, const char* group);
void check_push(CheckRun* run, const char* group);
void check_pipes(CheckRun* run, const char* group);
void check_particles(CheckRun* run, const char* group);
void check_liquid(CheckRun* run, const char* group);
void check_liquid_flow(CheckRun* run, const char* group);
void check_liquid_solids(CheckRun* run, const char* group);
void check_growth(CheckRun* run, const char* group);
void check_linear(CheckRun* run, const char* group);
void check_gas(CheckRun* run, const char* group);
void check_gas_step(CheckRun* run, const char* group);
void check_gas_obstacles(CheckRun* run, const char* group);
void check_mesh_screen(CheckRun* run, const char* group);
void check_mesh(CheckRun* run, const char* group);
void check_mesh_height(CheckRun* run, const char* group);
void check_mesh_particles(CheckRun* run, const char* group);
void check_shallow(CheckRun* run, const char* group);
void check_shallow_waves(CheckRun* run, const char* group);
void check_shallow_field(CheckRun* run, const char* group);
void check_shallow_island(CheckRun* run, const char* group);
void check_shallow_implicit(CheckRun* run, const char* group);
void check_shallow_edges(CheckRun* run, const char* group);
void check_shallow_growth(CheckRun* run, const char* group);

// Prints the names of the groups of checks without running them. Exit code: 0, or 2 if none matched.
int check_list(const char* filter, bool is_json, bool is_quick, FILE* out);
// Exit code for the command line: 0 all passed, 1 a check failed, 2 nothing matched. Plots go to
// plot_folder, which is there already; NULL: none.
int check_run(const char* filter, const char* plot_folder, bool is_json, bool is_quick, FILE* out);
