// The command line of Tarn as a function, so that a program with its own solvers gets all commands for them.
//
//     int main(int argc, char** argv)
//     {
//         const TarnSolverClass* const mine[] = { my_solver_class() };
//         return tarn_cli(argc, argv, mine, 1);
//     }
#pragma once

#include "tarn/solver.h"

// Runs the command that the arguments name and returns its exit code: 0 success, 1 the command failed, 2 the
// command line is invalid. The extra classes are registered in every context that a command creates.
int tarn_cli(int argc, char** argv, const TarnSolverClass* const* extra, int n_extra);
