// All commands create their contexts here, so that each context knows the program's own solvers.
#pragma once

#include "tarn/solver.h"

// Solvers in addition to those of the library. The pointer is kept; the array is not copied.
void context_set_extra(const TarnSolverClass* const* extra, int n);
// Returns false and reports the error if the context cannot be created. has_options: the command has --isa and
// --threads, which the message may suggest.
bool context_open(const TarnContextDef* def, bool has_options, TarnContext** out);
