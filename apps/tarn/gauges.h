// Gauges: the water at fixed positions, one row per step, and its final state as height files.
// Everything is read through the Surface plug, so it works with any water a world has.
#pragma once

#include "command.h"
#include "output.h"
#include "tarn/world.h"

enum { MAX_GAUGES = MAX_OVERRIDES };

typedef struct Gauge {
    const char* name;
    char solver[32];     // as given; empty: the one of --water
    TarnSurface surface; // of the solver that it measures
    float x, z;          // [m]
} Gauge;

typedef struct Gauges {
    Gauge items[MAX_GAUGES];
    int count;
} Gauges;

// From "--gauge NAME=X,Z" or "NAME=SOLVER:X,Z" (name and the rest as an override has them). Returns false
// and reports the error if it is invalid.
bool gauges_parse(const Command* command, const Overrides* given, Gauges* gauges);
// Finds what each one measures: the solver that it names, else the one called `water`, else the first with a surface.
// Returns false and reports the error if there is none or a gauge lies outside it.
bool gauges_find(Gauges* gauges, const TarnWorld* world, const char* water);
// Columns: time, then height, depth and velocity of each gauge. Where there is no water, all but the height
// are 0; where there is no ground either, the height is 0 too.
void gauges_header(FILE* out, const Gauges* gauges);
void gauges_row(FILE* out, const Gauges* gauges, const TarnWorld* world);

typedef enum WaterField { FIELD_DEPTH, FIELD_SURFACE } WaterField;
// The TarnTerrainFormat that a file's name asks for, TARN_TERRAIN_AUTO: none.
int height_format(const char* path);
// Is it a valid name for a height file?
bool is_field_name(const char* path);
// Writes into a file that is already open, in the format of its name, and commits it. A PNG of depths is
// black where it is dry. Returns false and reports the error if it cannot be written.
// water: name of the solver; NULL: the first with a surface on a grid.
bool field_commit(OutputFile* file, const char* path, WaterField field, const TarnWorld* world,
                  const char* water);
