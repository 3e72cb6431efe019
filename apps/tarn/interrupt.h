// Ctrl-C, a closed terminal and `kill`: finish the step, remove half-written files, then exit. The second signal
// exits at once and leaves the files to the next run.
#pragma once

#include <stdbool.h>

void interrupt_install(void);
bool is_interrupted(void);
// Ends the process the way the signal would have, so that a shell loop around it stops as well.
// To be called when everything is cleaned up. Returns only if no signal came.
void interrupt_obey(void);
