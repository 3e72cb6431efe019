// The summary of a run: the stats of each solver, how much liquid each one holds, what a step took.
#pragma once

#include "steps.h"
#include "tarn/world.h"

// A line for each solver: "pond (wave): volume 0.2 m^3, ...".
void summary_solvers(const TarnWorld* world);
// Prints how much liquid each solver holds, gained and lost, if more than one solver holds liquid, so that it can
// pass between them, or if is_wanted.
void summary_ledger(const TarnWorld* world, bool is_wanted);
// Milliseconds per step of each phase that took at least half a microsecond.
void summary_phases(const Steps* steps);
// Prints what --budget led to; nothing without a budget.
void summary_budget(const TarnWorld* world);
