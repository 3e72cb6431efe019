// All contexts of the commands are made here, so that each of them knows the solvers that the program brought along.
#pragma once

#include "tarn/solver.h"

// Solvers besides those of the library. The array is kept, not copied.
void context_set_extra(const TarnSolverClass* const* extra, int n);
// False: it could not be made, which has been said. has_options: the command has --isa and --threads, which the
// sentence may name as a remedy.
bool context_open(const TarnContextDef* def, bool has_options, TarnContext** out);
