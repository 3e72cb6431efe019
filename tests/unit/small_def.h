// Small solvers of any class, made from nothing but its tables.
#pragma once

#include "tarn/tarn.h"
#include <stdlib.h>

// A value of a def, if its table has one of this name.
static inline void give(const TarnParamTable* table, void* object, const char* name, double x,
                        double y, double z)
{
    const TarnParam* p = tarn_param_find(table, name);
    const double value[3] = { x, y, z };
    if (p == NULL) return;
    int n = p->type == TARN_PARAM_VEC3 ? 3 : p->type == TARN_PARAM_VEC2 ? 2 : 1;
    if (tarn_param_set(NULL, table, object, name, value, n) != TARN_OK) abort();
}

enum { MAX_DEF = 1024 };
typedef struct AnyDef {
    _Alignas(16) unsigned char bytes[MAX_DEF];
} AnyDef;

// A small one around (x, 0, 0), 4 m wide where it has a size.
static inline AnyDef small_def(const TarnSolverClass* of, float x)
{
    AnyDef def;
    const TarnParamTable* table = of->def_table();
    if (table->struct_size > sizeof def.bytes) abort();
    of->init_def(def.bytes);
    bool is_plan = tarn_param_find(table, "ny") == NULL;
    give(table, def.bytes, "nx", 16, 0, 0);
    give(table, def.bytes, "ny", 16, 0, 0);
    give(table, def.bytes, "nz", 16, 0, 0);
    give(table, def.bytes, "n", 64, 0, 0); // windows of dispersive waves, with their rims
    give(table, def.bytes, "rim", 8, 0, 0);
    give(table, def.bytes, "tile", 64, 0, 0);
    give(table, def.bytes, "dx", 0.25, 0, 0);
    if (is_plan) give(table, def.bytes, "origin", (double)x - 2, -2, 0);
    static const char* const edges[] = { "edge_x0", "edge_x1", "edge_z0", "edge_z1" };
    for (int i = 0; is_plan && i < 4; ++i) give(table, def.bytes, edges[i], 0, 0, 0); // walls
    give(table, def.bytes, "soil", 0, 0, 0); // else the ground of pipes is above their level
    give(table, def.bytes, "center", (double)x, 2, 0);
    give(table, def.bytes, "position", (double)x, 0.5, 0);
    give(table, def.bytes, "dimensions", 3, 0, 0); // a flat one would make all bodies planar
    give(table, def.bytes, "spacing", 0.25, 0, 0);
    give(table, def.bytes, "box_min", (double)x - 2, 0, -1);
    give(table, def.bytes, "box_max", (double)x + 2, 4, 1);
    give(table, def.bytes, "max_particles", 600, 0, 0);
    give(table, def.bytes, "max_drops", 600, 0, 0);
    give(table, def.bytes, "max_nodes", 600, 0, 0);
    give(table, def.bytes, "max_foam", 600, 0, 0);
    if (tarn_param_find(table, "radii")) give(table, def.bytes, "radius", 0.75, 0, 0);
    if (tarn_param_find(table, "cascades")) give(table, def.bytes, "size", 64, 0, 0);
    give(table, def.bytes, "cascades", 1, 0, 0);
    give(table, def.bytes, "warm_steps", 1, 0, 0);
    give(table, def.bytes, "use_surface", 1, 0, 0); // lattices take fills
    give(table, def.bytes, "use_bodies", 1, 0, 0);
    give(table, def.bytes, "has_level", 1, 0, 0);
    if (tarn_param_find(table, "has_level")) give(table, def.bytes, "level", 1, 0, 0);
    return def;
}
