// The numbers of a run, one row per step.
#pragma once

#include "output.h"
#include "tarn/world.h"

void csv_header(FILE* out, TarnWorld* world);
void csv_row(FILE* out, TarnWorld* world, const TarnStepReport* report);
