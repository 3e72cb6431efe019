// What a run came to, in sentences: each solver by its stats, who holds how much liquid, what a step took.
#pragma once

#include "steps.h"
#include "tarn/world.h"

// A line for each solver: "pond (wave): volume 0.2 m^3, ...".
void summary_solvers(const TarnWorld* world);
// Who holds how much liquid, where it came from and went. Said when liquid can pass between solvers, that is if more
// than one holds some, or if is_wanted.
void summary_ledger(const TarnWorld* world, bool is_wanted);
// Milliseconds per step of each phase that took at least half a microsecond.
void summary_phases(const Steps* steps);
// What --budget came to; nothing without one.
void summary_budget(const TarnWorld* world);
