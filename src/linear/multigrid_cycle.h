// Inside src/linear only: cycles of multigrid on its own arrays.
#pragma once

#include "linear/multigrid_internal.h"

// Runs fn for each slab of the finest grid and returns the sum of mg->sums, which it may fill.
double tarn__mg_slabs(Multigrid* mg, TarnBlockFn* fn, void* data);
// Sweeps on the finest grid from what p holds, then its residual goes down. Returns the sum of its squares.
double tarn__mg_first(Multigrid* mg);
double tarn__mg_first_full(Multigrid* mg); // the same after a full cycle from nothing
double tarn__mg_cycle(Multigrid* mg);      // one more cycle, after one of these
void tarn__mg_precondition(Multigrid* mg); // p = M f, with M symmetric and positive
