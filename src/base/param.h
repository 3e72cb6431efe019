// Entries of parameter tables. A table is written once, next to its solver, in the order in which
// people want to read it.
#pragma once

#include "base/base.h"

#define P_INT(T, field, unit, lo, hi, value, help)                                                 \
    {                                                                                              \
#field, TARN_PARAM_INT, offsetof(T, field), unit, lo, hi, { value }, NULL, help            \
    }
#define P_FLOAT(T, field, unit, lo, hi, value, help)                                               \
    {                                                                                              \
#field, TARN_PARAM_FLOAT, offsetof(T, field), unit, lo, hi, { value }, NULL, help          \
    }
#define P_BOOL(T, field, value, help)                                                              \
    {                                                                                              \
#field, TARN_PARAM_BOOL, offsetof(T, field), "", 0, 1, { value }, NULL, help               \
    }
#define P_ENUM(T, field, names, count, value, help)                                                \
    {                                                                                              \
#field, TARN_PARAM_ENUM, offsetof(T, field), "", 0, (count)-1, { value }, names, help      \
    }
#define P_VEC2(T, field, unit, lo, hi, x, y, help)                                                 \
    {                                                                                              \
#field, TARN_PARAM_VEC2, offsetof(T, field), unit, lo, hi, { x, y }, NULL, help            \
    }
#define P_VEC3(T, field, unit, lo, hi, x, y, z, help)                                              \
    {                                                                                              \
#field, TARN_PARAM_VEC3, offsetof(T, field), unit, lo, hi, { x, y, z }, NULL, help         \
    }

#define PARAM_TABLE(name, T, params)                                                               \
    {                                                                                              \
        name, #T, params, (int)(sizeof(params) / sizeof((params)[0])), sizeof(T)                   \
    }

int tarn__param_components(TarnParamType type); // 1, 2 or 3
// Value of one component as a double, whatever the type.
double tarn__param_get(const TarnParam* param, const void* object, int component);
// Hash of all values: two defs with equal hashes make equal solvers (arrays aside).
uint64_t tarn__param_hash(const TarnParamTable* table, const void* object, uint64_t seed);
// The candidate that is fewest edits away from a wrong word, or NULL if none is close.
const char* tarn__nearest(const char* word, const char* const* candidates, int n);
