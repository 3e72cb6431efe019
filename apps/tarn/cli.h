// The command line of Tarn as a function, so that a program with its own solvers gets all commands for them.
//
//     int main(int argc, char** argv)
//     {
//         const TarnSolverClass* const mine[] = { my_solver_class() };
//         TarnCliExtra extra = { .classes = mine, .n_classes = 1 };
//         return tarn_cli(argc, argv, &extra);
//     }
#pragma once

#include "tarn/solver.h"
#include "tarn/view.h"

// What the program adds to that of the library.
typedef struct TarnCliExtra {
    const TarnSolverClass* const* classes; // registered in every context that a command creates
    int n_classes;
    const TarnDrawer* const*
        drawers; // for its own solvers; without one, the Surface of a solver is drawn
    int n_drawers;
} TarnCliExtra;

// Runs the command that the arguments name and returns its exit code: 0 success, 1 the command failed, 2 the
// command line is invalid. extra may be NULL.
int tarn_cli(int argc, char** argv, const TarnCliExtra* extra);
