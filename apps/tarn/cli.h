// The command line of Tarn as a function, so that a program with solvers of its own has all of its commands for them.
//
//     int main(int argc, char** argv)
//     {
//         const TarnSolverClass* const mine[] = { my_solver_class() };
//         return tarn_cli(argc, argv, mine, 1);
//     }
#pragma once

#include "tarn/solver.h"

// Runs the command that the arguments name and returns its exit code: 0 all is well, 1 something failed, 2 the
// command line makes no sense. The extra classes are registered in every context that a command makes.
int tarn_cli(int argc, char** argv, const TarnSolverClass* const* extra, int n_extra);
