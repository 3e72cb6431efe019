// Line plots of the checks: simulation against reference, one PNG per plot.
//
//     Plot* p = check_plot(run, "shallow.stoker", "x [m]", "depth [m]");
//     plot_line(p, "exact", x, exact, n);
//     plot_points(p, "Tarn", x, h, n);
//     plot_done(p);                        // writes DIR/shallow.stoker.png
//
// Without `--plot DIR` check_plot returns NULL, and every function here takes NULL and does nothing,
// so a check says what to draw and does not ask whether. Values are copied.
#pragma once

#include <stdbool.h>

typedef struct CheckRun CheckRun;
typedef struct Plot Plot;

enum { PLOT_MAX_SERIES = 12 };

// The name is the file's and the first title. Letters, digits, '.', '_' and '-'.
Plot* check_plot(CheckRun* run, const char* name, const char* x_label, const char* y_label);

// A series gets the next color. NaN values leave a gap. label may be NULL: not in the legend.
void plot_line(Plot* plot, const char* label, const double* x, const double* y, int n);
void plot_points(Plot* plot, const char* label, const double* x, const double* y, int n);
// A line of a quiet color and the area from it down to the bottom of the plot, for ground.
void plot_ground(Plot* plot, const char* label, const double* x, const double* y, int n);
// A dashed horizontal or vertical line over all of the plot: a limit, a time of arrival.
void plot_level(Plot* plot, const char* label, double y);
void plot_moment(Plot* plot, const char* label, double x);

void plot_title(Plot* plot, const char* title); // in place of the name
void plot_note(Plot* plot, const char* text);   // small, below the title: "L1 error 0.4 %"
// Fixed ends of an axis. Without it the data decide.
void plot_x_range(Plot* plot, double low, double high);
void plot_y_range(Plot* plot, double low, double high);

// Writes the picture and frees the plot. A file that cannot be written is said on stderr and makes
// the run fail.
void plot_done(Plot* plot);
